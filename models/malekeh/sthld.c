#include "models/malekeh/sthld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"

enum { FIELDS = 5, LINE = 128 };

struct reader {
	struct ct_mk_sthld_table *t;
	uint8_t seen[CT_MK_STATES][2];
	int started, threshold;
};

static int signed_number(const char *s, int32_t *out)
{
	double v;
	if (ct_parse_real(s, &v) < 0 || v != floor(v) || fabs(v) > 1e6)
		return -1;
	*out = (int32_t)v;
	return 0;
}

static int state_number(const char *s, uint8_t *out)
{
	uint64_t v;
	if (ct_parse_u64_range(s, 1, CT_MK_STATES, &v) < 0)
		return -1;
	*out = (uint8_t)v;
	return 0;
}

/* Reads a row of the table: state, what the change was (small, large, any), next state and step. */
static int read_transition(struct reader *r, char **f)
{
	struct ct_mk_transition x;
	uint8_t state;
	int any = !strcmp(f[1], "*");
	if (state_number(f[0], &state) < 0 || state_number(f[2], &x.next) < 0 ||
	    signed_number(f[3], &x.delta) < 0 || (!any && strcmp(f[1], "S") && strcmp(f[1], "L")))
		return -1;
	if (any || *f[1] == 'S') {
		r->t->small[state - 1] = x;
		r->seen[state - 1][0]++;
	}
	if (any || *f[1] == 'L') {
		r->t->large[state - 1] = x;
		r->seen[state - 1][1]++;
	}
	return 0;
}

/* Reads a line of the table: the start, the threshold between small and large changes, or a
 * transition. */
static int read_line(struct reader *r, char **f, unsigned n)
{
	struct ct_mk_sthld_table *t = r->t;
	if (n == 5 && !strcmp(f[0], "start")) {
		r->started = 1;
		return state_number(f[1], &t->start) < 0 || signed_number(f[2], &t->value) < 0 ||
		                       signed_number(f[3], &t->lowest) < 0 ||
		                       signed_number(f[4], &t->highest) < 0 || t->lowest < 0 ||
		                       t->value < t->lowest || t->value > t->highest
		               ? -1
		               : 0;
	}
	if (n == 2 && !strcmp(f[0], "threshold")) {
		r->threshold = 1;
		return ct_parse_real(f[1], &t->threshold) < 0 || !(t->threshold > 0) ? -1 : 0;
	}
	return n == 4 ? read_transition(r, f) : -1;
}

static unsigned split_fields(char *text, char **f)
{
	unsigned n = 0;
	for (char *p = text; p && n < FIELDS + 1; n++) {
		char *tab = strchr(p, '\t');
		if (tab)
			*tab++ = '\0';
		if (n < FIELDS)
			f[n] = p;
		p = tab;
	}
	return n;
}

int ct_mk_sthld_parse(struct ct_mk_sthld_table *t, const char *name, const char *text, size_t n,
                      struct ct_error *e)
{
	struct reader r = {.t = t};
	unsigned number = 0;
	memset(t, 0, sizeof *t);
	for (size_t at = 0; at < n;) {
		char copy[LINE], *f[FIELDS];
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;
		number++;
		if (len && text[at] != '#') {
			if (len >= LINE)
				return ct_fail(e, CT_ERR_INPUT, "%s:%u: a line of %d characters or more",
				               name, number, LINE);
			memcpy(copy, text + at, len);
			copy[len] = '\0';
			if (read_line(&r, f, split_fields(copy, f)) < 0)
				return ct_fail(e, CT_ERR_INPUT,
				               "%s:%u: not a transition: write state, S, L or *, next "
				               "state and delta",
				               name, number);
		}
		at += len + 1;
	}
	for (int s = 0; s < CT_MK_STATES; s++)
		if (r.seen[s][0] != 1 || r.seen[s][1] != 1)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s:%u: state %d needs one S and one L transition, or *", name,
			               number, s + 1);
	if (!r.started || !r.threshold)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: the start or threshold line is missing", name,
		               number);
	return CT_OK;
}

int ct_mk_sthld_load(struct ct_mk_sthld_table *t, const char *path, struct ct_error *e)
{
	char text[4096];
	FILE *f = fopen(path, "rb");
	if (!f)
		return ct_fail(e, CT_ERR_IO,
		               "%s: cannot be opened: install the data again, or set "
		               "CACHETRIAGE_DATA",
		               path);
	size_t n = fread(text, 1, sizeof text, f);
	int failed = ferror(f) || n == sizeof text;
	fclose(f);
	if (failed)
		return ct_fail(e, CT_ERR_IO, "%s: cannot be read, or is no table of transitions", path);
	return ct_mk_sthld_parse(t, path, text, n, e);
}

void ct_mk_sthld_start(const struct ct_mk_sthld_table *t, struct ct_mk_sthld *m)
{
	*m = (struct ct_mk_sthld){.state = t->start, .value = t->value};
}

void ct_mk_sthld_step(const struct ct_mk_sthld_table *t, struct ct_mk_sthld *m, double ipc)
{
	int small = m->last > 0 && fabs(ipc - m->last) / m->last < t->threshold;
	struct ct_mk_transition x = small ? t->small[m->state - 1] : t->large[m->state - 1];
	m->last = ipc;
	m->state = x.next;
	m->value += x.delta;
	if (m->value < t->lowest)
		m->value = t->lowest;
	if (m->value > t->highest)
		m->value = t->highest;
}
