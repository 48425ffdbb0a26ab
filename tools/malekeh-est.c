/* malekeh-est - what register-file caches would do, Malekeh and the systems of its paper. */
#include <stdlib.h>
#include <string.h>

#include "malekeh-est/own.h"

enum { OPT_SWEEP = CT_OWN_OPTION, OPT_STUDIES, OPT_TABLE, OPT_PUBLISHED, OPT_OVERHEADS,
       OPT_CONSTANTS };

static const struct ct_option own_options[] = {
	{OPT_SWEEP, "sweep", "KEY=A..B[:STEP]",
	 "also run sthld, entries, window, collectors, rthld or\nactive from A to B (SW records)"},
	{OPT_STUDIES, "studies", NULL,
	 "also run 16 collectors, monolithic SMs, oracle bits, a\nprofile of all warps, unbounded ports"},
	{OPT_TABLE, "sthld-table", "FILE",
	 "transitions of the STHLD machine, in the form of\ndata/malekeh/sthld.tsv"},
	{OPT_PUBLISHED, "published", NULL,
	 "print the paper's numbers beside ours (table only)"},
	{OPT_OVERHEADS, "overheads", NULL,
	 "print what each system stores, and exit"},
	{OPT_CONSTANTS, "constants", NULL,
	 "list the model's constants with units and sources, and\nexit"},
};

static int option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	(void)e;
	if (key == OPT_SWEEP)
		o->sweep = value;
	else if (key == OPT_STUDIES)
		o->studies = 1;
	else if (key == OPT_TABLE)
		o->sthld_table = value;
	else if (key == OPT_PUBLISHED)
		o->published = 1;
	else if (key == OPT_OVERHEADS)
		o->overheads = 1;
	else
		o->constants = 1;
	return CT_OK;
}

static int params_of(const struct ct_tool *t, struct ct_mk_params *p, struct ct_error *e)
{
	ct_mk_defaults(p);
	for (size_t i = 0; i < t->n_set; i++)
		if (ct_mk_is_key(t->set[i])) {
			int st = ct_mk_set(p, t->set[i], e);
			if (st != CT_OK)
				return st;
		}
	return CT_OK;
}

/* Whether the profile's replayed estimates answer what is asked. */
static int answered(const struct ct_tool *t, const struct ct_stage *s)
{
	const struct own *o = t->own;
	struct ct_estimate es;
	if (o->sweep || o->studies || o->sthld_table || s->changed)
		return 0;
	for (size_t i = 0; i < t->n_set; i++)
		if (ct_mk_is_key(t->set[i]))
			return 0;
	return ct_profile_get_estimate(s->p, "all", "malekeh", "Malekeh", "speedup", "replay", &es);
}

/* Takes over what a replay has added. */
static int adopt(struct ct_profile *into, const struct ct_profile *from, struct ct_error *e)
{
	static const char *const types[] = {"ES", "SW"};
	const struct ct_record *r;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; (r = ct_profile_next(from, types[k], &i));) {
			struct ct_estimate es = {0};
			if (r->nfields < 4 || strcmp(r->field[1], "malekeh"))
				continue;
			int st = CT_OK;
			if (k == 0 && ct_profile_get_estimate(from, r->field[0], "malekeh", r->field[2],
			                                      r->field[3], "replay", &es))
				st = ct_profile_add_estimate(into, &es, e);
			else if (k == 1)
				st = ct_profile_put(into, "SW", r->nfields, r->field, e);
			if (st != CT_OK)
				return st;
		}
	return CT_OK;
}

/* Runs the trace behind the profile; without one `auto` falls back on the bounds. */
static int replay_profile(struct ct_tool *t, struct ct_stage *s, int *have, struct ct_error *e)
{
	struct ct_profile *p = NULL;
	struct ct_error why = {0};
	int st = ct_stage_replay(t, s, "malekeh-est", &p, &why);
	const struct own *o = t->own;
	if (st < 0 && t->method == CT_METHOD_AUTO && !t->check && !o->sweep && !o->studies && !o->sthld_table) {
		struct ct_diag d = ct_tool_diag(t);
		ct_warn(&d, "%s; bounds only", why.text);
		return CT_OK;
	}
	if (st < 0) {
		*e = why;
		return st;
	}
	*have = 1;
	if (s->changed) {
		ct_stage_take(s, p);
		return CT_OK;
	}
	st = adopt(s->p, p, e);
	ct_profile_free(p);
	return st;
}

static int answer(struct ct_tool *t, struct ct_stage *s, const struct ct_mk_params *params,
                  struct ct_error *e)
{
	int have = s->from_trace && t->method != CT_METHOD_ANALYTIC, st = CT_OK;
	ct_stage_forget(s, NULL);
	if (!have && t->method != CT_METHOD_ANALYTIC) {
		have = t->method == CT_METHOD_AUTO && answered(t, s);
		if (!have)
			st = replay_profile(t, s, &have, e);
	}
	if (st == CT_OK && t->method == CT_METHOD_REPLAY)
		st = mk_engine(t, params, e);
	if (st == CT_OK && (!have || t->check))
		st = ct_mk_bounds_write(&s->gpu, s->p, e);
	return st == CT_OK ? ct_est_finish(t, s, "malekeh", mk_table, e) : st;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_mk_params params;
	struct ct_tool_pass pass = {.mechanisms = 0};
	int st = params_of(t, &params, e);
	if (st == CT_OK && o->constants)
		return ct_est_constants(t, &ct_mk_constants, params.v, e);
	if (st == CT_OK && o->overheads)
		return mk_overheads(t, e);
	if (st == CT_OK)
		st = mk_request(t, e);
	if (st == CT_OK && t->method != CT_METHOD_ANALYTIC)
		st = ct_pass_mechanisms_parse("malekeh", &pass.mechanisms, e);
	if (st == CT_OK && (st = ct_stage_open_pass(t, &o->stage, &pass, e)) == CT_OK) {
		st = answer(t, &o->stage, &params, e);
		ct_stage_close(&o->stage);
	}
	mk_request_free(o);
	return st;
}

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "malekeh-est",
		.operands = "[INPUT]",
		.summary = "estimate caches in front of the register file (Malekeh)",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
		         CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_SEED |
		         CT_TAKES_PROFILE,
		.options = own_options,
		.n_options = sizeof own_options / sizeof own_options[0],
		.option = option,
		.own_size = sizeof(struct own),
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}
