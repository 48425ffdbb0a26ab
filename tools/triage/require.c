/* require.c - thresholds on verdicts: report's language, without what a verdict has not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/verdict/require.h"
#include "triage/triage.h"

static const struct ct_verdict *verdict_on(const void *run, const char *mechanism)
{
	const struct tr_job *j = run;
	int m = ct_mechanism_find(mechanism);
	return m >= 0 && (j->has >> m & 1) ? &j->v[m] : NULL;
}

static int number_of(const void *run, const struct ct_require_name *name, double *v)
{
	const struct ct_verdict *d = verdict_on(run, name->mechanism);
	if (!d || *name->system)
		return 0;
	*v = strcmp(name->metric, "speedup") == 0 ? d->speedup
	     : strcmp(name->metric, "low") == 0   ? d->low
	     : strcmp(name->metric, "high") == 0  ? d->high
	                                          : NAN;
	return !isnan(*v);
}

static const char *word_of(const void *run, const char *mechanism)
{
	const struct ct_verdict *d = verdict_on(run, mechanism);
	return d ? ct_verdict_word(d->word) : NULL;
}

static const char *name_of(const void *job, size_t i)
{
	const struct tr_job *j = (const struct tr_job *)job + i;
	return j->status < 0 ? NULL : j->name;
}

static int check_requirement(struct ct_tool *t, const struct ct_require *r, const struct tr_job *job,
                             size_t n)
{
	const struct ct_require_source source = {
		number_of, word_of, ((const struct tr_own *)t->own)->allow_unknown};
	size_t bad = 0;
	char why[160];
	for (size_t i = 0; i < n; i++) {
		if (job[i].status < 0 || !ct_require_applies(r, job[i].name))
			continue;
		if (ct_require_eval(r, &source, &job[i], NULL, why, sizeof why) == CT_REQUIRE_PASSED)
			continue;
		bad++;
		ct_tool_say(t, "%s: %s: %s", ct_require_text(r), job[i].name, why);
	}
	/* A name that no workload has tests nothing. That of a shard may be another shard's. */
	const char *gone = ((const struct tr_own *)t->own)->shards
	                           ? NULL
	                           : ct_require_unmatched(r, n, name_of, job);
	if (gone)
		ct_tool_say(t, "%s: no workload is called %s", ct_require_text(r), gone);
	return bad || gone;
}

int tr_require(struct ct_tool *t, const struct tr_job *job, size_t n, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	int failed = 0;
	for (unsigned i = 0; i < o->n_require; i++) {
		struct ct_require *r;
		int st = ct_require_parse(&r, o->require[i], e);
		if (st != CT_OK)
			return st;
		failed |= check_requirement(t, r, job, n);
		ct_require_free(r);
	}
	return failed;
}
