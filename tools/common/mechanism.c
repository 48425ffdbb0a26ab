#include "common/mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/sharedl1.h"
#include "models/malekeh/estimate.h"
#include "models/tag_split/measure.h"

/* ---- tag-split ---- */

static int open_tag_split(void *ctx, const struct ct_pass_setup *setup, void **state,
                          struct ct_replay_observer *ob, struct ct_error *e)
{
	const struct ct_tool *t = ctx;
	struct ct_ts_measure_options o = {.sample = t->sample, .seed = t->seed, .warmup = t->warmup};
	struct ct_ts_system some[CT_TS_SYSTEMS];
	struct ct_ts_measure *m = NULL;
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
		if (t->tag_split >> i & 1)
			some[o.n_systems++] = *ct_ts_system_at(i);
	o.systems = o.n_systems ? some : NULL; /* copied */
	int st = CT_OK;
	ct_ts_defaults(&o.params);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
		if (ct_ts_is_key(t->set[i]))
			st = ct_ts_set(&o.params, t->set[i], e);
	if (st == CT_OK)
		st = ct_ts_measure_new(&m, setup->gpu, &o, e);
	*state = m;
	if (st == CT_OK)
		*ob = ct_ts_measure_observer(m);
	return st;
}

static int kernel_tag_split(void *state, const struct ct_kernel *k, uint32_t l1_sets, uint32_t l1_ways,
                            struct ct_error *e)
{
	(void)l1_sets, (void)l1_ways; /* it follows the shape itself */
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

/* ---- malekeh ---- */

struct malekeh {
	struct ct_mk_measure *m;
	struct ct_mk_params params;
	struct ct_gpu gpu;
	const struct ct_malekeh_request *request;
	size_t n; /* systems but for the configured one */
};

int ct_malekeh_table(const struct ct_tool *t, struct ct_mk_sthld_table *table,
                         struct ct_error *e)
{
	struct ct_buf path = {0};
	if (t->malekeh && t->malekeh->table)
		return ct_mk_sthld_load(table, t->malekeh->table, e);
	ct_buf_printf(&path, "%s/malekeh/sthld.tsv", ct_tool_data_dir());
	int st = ct_buf_check(&path, e);
	if (st == CT_OK)
		st = ct_mk_sthld_load(table, path.data, e);
	ct_buf_free(&path);
	return st;
}

static int open_malekeh(void *ctx, const struct ct_pass_setup *setup, void **state,
                        struct ct_replay_observer *ob, struct ct_error *e)
{
	const struct ct_tool *t = ctx;
	const struct ct_gpu *g = setup->gpu;
	struct malekeh *k = ct_calloc(1, sizeof *k);
	const struct ct_mk_system *systems = t->malekeh ? t->malekeh->systems : ct_mk_system_at(0);
	struct ct_mk_sthld_table table;
	*state = k;
	if (!k)
		return ct_fail_nomem(e);
	k->gpu = *g;
	k->request = t->malekeh;
	k->n = t->malekeh ? t->malekeh->n : CT_MK_SYSTEMS;
	ct_mk_defaults(&k->params);
	struct ct_mk_system *all = ct_calloc(k->n + 1, sizeof *all);
	int st = all ? ct_malekeh_table(t, &table, e) : ct_fail_nomem(e);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
		if (ct_mk_is_key(t->set[i]))
			st = ct_mk_set(&k->params, t->set[i], e);
	if (st == CT_OK) {
		ct_mk_with_configured(g, systems, k->n, all);
		struct ct_mk_measure_options o = {.params = k->params, .systems = all,
		                                  .n_systems = k->n + 1, .sthld = &table,
		                                  .seed = t->seed, .warmup = t->warmup,
		                                  .masks = t->malekeh ? t->malekeh->masks : NULL};
		st = ct_mk_measure_new(&k->m, g, &o, e);
	}
	free(all);
	if (st == CT_OK)
		*ob = ct_mk_measure_observer(k->m);
	return st;
}

static int kernel_malekeh(void *state, const struct ct_kernel *kernel, uint32_t l1_sets, uint32_t l1_ways,
                          struct ct_error *e)
{
	(void)l1_sets, (void)l1_ways;
	return ct_mk_measure_kernel(((struct malekeh *)state)->m, kernel, e);
}

static int write_malekeh(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                         struct ct_error *e)
{
	struct malekeh *k = state;
	const struct ct_malekeh_request *q = k->request;
	struct ct_mk_run_facts f = {(double)all->cycles, (double)all->launch_cycles,
	                            (double)all->thread_insts};
	int st = ct_mk_measure_finish(k->m, e);
	for (size_t i = 0; i < k->n && st == CT_OK; i++) {
		struct ct_mk_row r;
		ct_mk_row(k->m, &k->gpu, &k->params, &f, i, &r);
		st = ct_mk_row_write(&r, &k->gpu, q && q->key ? q->key[i] : NULL, q && q->x ? q->x[i] : NULL,
		                     p, e);
	}
	return st;
}

static void close_malekeh(void *state)
{
	struct malekeh *k = state;
	if (k)
		ct_mk_measure_free(k->m);
	free(k);
}

/* ---- all ---- */

static int after_sharedl1(void *ctx, const struct ct_pass_setup *setup, struct ct_profile *p,
                          struct ct_error *e)
{
	return ct_sharedl1_measure(ctx, setup->gpu, p, e);
}

static const struct ct_pass_observer TABLE[] = {
	{.name = "tag-split", .open = open_tag_split, .kernel = kernel_tag_split, .write = write_tag_split,
	 .close = close_tag_split, .structural = 1},
	{.name = "malekeh", .open = open_malekeh, .kernel = kernel_malekeh, .write = write_malekeh,
	 .close = close_malekeh, .structural = 1},
	{.name = "shared-l1", .after = after_sharedl1, .structural = 1},
};

enum { MECHANISMS = sizeof TABLE / sizeof TABLE[0] };

unsigned ct_pass_mechanisms_observers(struct ct_tool *t, unsigned mask, struct ct_pass_observer *observer)
{
	unsigned n = 0;
	for (unsigned i = 0; i < MECHANISMS; i++)
		if (mask >> i & 1) {
			observer[n] = TABLE[i];
			observer[n++].ctx = t;
		}
	return n;
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
