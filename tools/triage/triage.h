/* triage.h - what the parts of triage share: its options, its jobs, its rows. */
#ifndef CT_TOOLS_TRIAGE_TRIAGE_H
#define CT_TOOLS_TRIAGE_TRIAGE_H

#include "common/curve.h"
#include "common/tool.h"
#include "common/with.h"
#include "models/verdict/name.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

enum { TR_REQUIRE_MAX = 64 };

enum tr_sort { TR_BY_WORKLOAD, TR_BY_SPEEDUP, TR_BY_VERDICT, TR_BY_MECHANISM };

struct tr_own {
	uint32_t
		mechanisms; /* to judge, by index in the registry, a bit each; 0 = those that are published */
	unsigned only;      /* bit mask of verdict words; 0 = all */
	double min_speedup; /* 0 = any */
	enum tr_sort sort;
	const char *resume;     /* folder, or NULL */
	unsigned shard, shards; /* 1-based; 0: all */
	unsigned tasks;         /* of --slurm; 0 = not given */
	int join, slurm;
	double budget;      /* seconds for each input; 0: none */
	const char *html;   /* page to write, or NULL */
	struct ct_buf kept; /* folder of ours that resume is, without --resume */
	int rows_only;      /* nobody keeps the profiles: only what verdicts need is measured */
	int charted;        /* the profiles are kept or printed: estimates add what charts draw */
	const char *require[TR_REQUIRE_MAX];
	unsigned n_require;
	int allow_unknown; /* tests of require on unknown verdicts pass */
	const char *with_text;
	struct ct_with with; /* mechanisms that are replayed together, too */
	struct ct_mechanism
		together; /* what stands for them in rows, where with.n: name and judged system only */
	struct ct_buf with_name[2]; /* these two */
};

/* One input. */
struct tr_job {
	const char *path;
	uint64_t bytes; /* of its files, for the order and the estimate of time */
	int status;     /* of the job: CT_OK, 1 after --salvage met damage, or < 0 */
	char name[CT_WORKLOAD_NAME_MAX];
	struct ct_verdict v[CT_MECHANISMS_MAX + 1];       /* the last: of those that are together */
	unsigned has;                                     /* bit mask of the verdicts that are set */
	double curve[CT_MECHANISMS_MAX][CT_CURVE_POINTS]; /* misses by size of what m works on */
	unsigned has_curve;                               /* bit mask of those that are set */
	int kept;                                         /* was taken from --resume's folder */
	int broken;               /* a plugin has failed, and its verdict is unknown */
	struct ct_profile *whole; /* owned; of a single input, where tr_whole() wants it */
	char *error, *warnings;   /* owned, NULL without */
};

/* The m-th mechanism of rows: that of the registry, or behind the last those that are together. */
const struct ct_mechanism *tr_mechanism(const struct tr_own *o, unsigned m);
/* How many there are. */
unsigned tr_mechanisms(const struct tr_own *o);

/* A line of the output. */
struct tr_row {
	const struct tr_job *job;
	const struct ct_mechanism *mechanism;
	unsigned m;
	size_t order; /* of the input, so that sorting is stable */
};

/* Profile, estimates and verdicts of one input, in this process; *out is the caller's and
 * holds the TV records. name[CT_WORKLOAD_NAME_MAX]. 1 after damage with --salvage. */
int tr_job_run(struct ct_tool *t, const char *path, struct ct_profile **out, char *name, int *kept,
               struct ct_error *e);

/* The curves of a profile; which there are, as a bit mask of mechanisms. *failed becomes 1 when memory is short. */
uint32_t tr_curves(const struct ct_profile *p, double curve[CT_MECHANISMS_MAX][CT_CURVE_POINTS],
                   int *failed);

/* --html: profiles are kept in a folder, in one of their own without --resume (begin); report makes the page of them
 * (write), whose own errors it prints; that folder goes (end). Fail with CT_ERR_IO, CT_ERR_NOMEM. */
int tr_html_begin(struct tr_own *o, struct ct_error *e);
int tr_html_write(const struct ct_tool *t, struct ct_error *e);
void tr_html_end(struct tr_own *o);

/* Reads the time of --budget. */
int tr_budget_parse(struct tr_own *o, const char *text, struct ct_error *e);
/* Fails with CT_ERR_USAGE for options that leave a budget nothing to choose. */
int tr_budget_check(const struct ct_tool *t, struct ct_error *e);
/* Chooses for t, which is this input's, the share of its launches, the method and the timing that the budget is enough
 * for, and says so in the warnings. Fails as ct_sample_plan_open() does. */
int tr_budget(struct ct_tool *t, const char *path, struct ct_error *e);

/* Runs all jobs on t->threads processes. A job that fails says so in its status; fails
 * itself only for what stops all of them. */
int tr_pool(struct ct_tool *t, struct tr_job *job, size_t n, struct ct_error *e);

/* 1 when the output is the profile of its one input with everything in it, as of the other
 * commands, and not verdicts only: -O profile without a filter of lines. */
int tr_whole(const struct ct_tool *t, size_t n);
/* Does the one job in this process and sets its `whole`. As tr_pool(). */
int tr_alone(struct ct_tool *t, struct tr_job *job, struct ct_error *e);

/* Reads the documents of --join into jobs, one per workload. *provenance gets the PG line
 * that the shards share once their --shard is left out, or stays empty; *failed the inputs that
 * failed in the shards. Fails with CT_ERR_INPUT when a part is missing or comes twice. */
int tr_join(struct ct_tool *t, struct tr_job **job, size_t *n, struct ct_buf *provenance,
            uint64_t *failed, struct ct_error *e);

/* Workloads of one name become name, name#2 ... in the order of the input. */
int tr_distinguish(struct tr_job *job, size_t n, struct ct_error *e);

/* Filtered and sorted rows, in the format -O asks for. provenance: PG line of --join, or
 * NULL for this command's own. */
int tr_emit(struct ct_tool *t, const struct tr_job *job, size_t n, const char *provenance,
            struct ct_error *e);

/* Evaluates --require on the verdicts of all workloads, after they are printed: what does
 * not hold is told in t's warnings. CT_OK, 1 when one does not hold, or < 0. */
int tr_require(struct ct_tool *t, const struct tr_job *job, size_t n, struct ct_error *e);

/* The script of --slurm. */
int tr_slurm(struct ct_tool *t, struct ct_error *e);

#endif
