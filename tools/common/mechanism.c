#include "common/mechanism.h"

#include <string.h>

#include "models/tag_split/measure.h"

/* ---- tag-split ---- */

static int open_tag_split(void **state, const struct ct_tool *t, const struct ct_gpu *g,
                          struct ct_replay_observer *ob, struct ct_error *e)
{
	struct ct_ts_measure_options o = {.sample = t->sample, .seed = t->seed, .warmup = t->warmup};
	struct ct_ts_measure *m = NULL;
	int st = CT_OK;
	ct_ts_defaults(&o.params);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
		if (ct_ts_is_key(t->set[i]))
			st = ct_ts_set(&o.params, t->set[i], e);
	if (st == CT_OK)
		st = ct_ts_measure_new(&m, g, &o, e);
	*state = m;
	if (st == CT_OK)
		*ob = ct_ts_measure_observer(m);
	return st;
}

static int kernel_tag_split(void *state, const struct ct_kernel *k, struct ct_error *e)
{
	return ct_ts_measure_kernel(state, k, e);
}

static int write_tag_split(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                           struct ct_error *e)
{
	return ct_ts_measure_write(state, p, all->thread_insts, e);
}

static void close_tag_split(void *state)
{
	ct_ts_measure_free(state);
}

/* ---- all ---- */

static const struct ct_pass_mechanism TABLE[] = {
	{"tag-split", open_tag_split, kernel_tag_split, write_tag_split, close_tag_split},
};

enum { MECHANISMS = sizeof TABLE / sizeof TABLE[0] };

const struct ct_pass_mechanism *ct_pass_mechanism_at(unsigned i)
{
	return i < MECHANISMS ? &TABLE[i] : NULL;
}

static int unknown(const char *name, size_t n, struct ct_error *e)
{
	struct ct_buf names = {0};
	for (unsigned i = 0; i < MECHANISMS; i++)
		ct_buf_printf(&names, "%s%s", i ? ", " : "", TABLE[i].name);
	int st = ct_buf_check(&names, e);
	if (st == CT_OK)
		st = ct_fail(e, CT_ERR_USAGE, "--mechanisms %.*s: use all, or some of %s", (int)n, name,
		             names.data);
	ct_buf_free(&names);
	return st;
}

int ct_pass_mechanisms_parse(const char *list, unsigned *mask, struct ct_error *e)
{
	*mask = 0;
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		unsigned found = n == 3 && !strncmp(p, "all", 3) ? (1u << MECHANISMS) - 1 : 0;
		for (unsigned i = 0; i < MECHANISMS; i++)
			if (strlen(TABLE[i].name) == n && !strncmp(TABLE[i].name, p, n))
				found |= 1u << i;
		if (!found)
			return unknown(p, n, e);
		*mask |= found;
		p += n;
		if (!*p)
			return CT_OK;
	}
}
