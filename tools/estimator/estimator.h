/* estimator.h - private: what the files of the estimator share. */
#ifndef CT_TOOLS_ESTIMATOR_H
#define CT_TOOLS_ESTIMATOR_H

#include "base/range.h"
#include "common/pass.h"
#include "common/question.h"
#include "common/stage.h"
#include "common/swept.h"
#include "common/tool.h"
#include "common/with.h"
#include "models/common/workload.h"
#include "models/registry.h"
#include "models/verdict/judge.h"

enum { EST_OPTIONS_MAX = 64 }; /* of a mechanism */

/* What --sweep asks for. */
struct est_sweep {
	struct ct_range_spec range;
	char key[CT_SWEPT_KEY_MAX]; /* as -p takes it and as SW names it */
	int native;                 /* the mechanism sweeps it itself */
	int of_gpu;                 /* else a parameter of the mechanism */
};

/* The estimator's own part of struct ct_tool. */
struct est_own {
	const char *sweep_text;
	const char *with_text;
	int published, overheads, constants;
	const char *value[EST_OPTIONS_MAX]; /* of the mechanism's options, in its table's order */
	const struct est_answer *answer;    /* what the table shows */
};

/* A question to the mechanism and what it is about. Does not move while it is in use. */
struct est_answer {
	struct ct_question question;
	const struct ct_pass_observer *observers[1];
	struct ct_tool_pass pass; /* that measures what the question needs */
	struct ct_stage stage;
	struct ct_workload workload;
	struct ct_judge judge;
	struct ct_with with; /* that are replayed together with the mechanism */
	struct ct_together together;
};

/* main() of the mechanism's command. */
int estimator_main(const struct ct_mechanism *m, int argc, char **argv);

/* answer.c: prepares a question from the command line; sweep: of a key that the mechanism sweeps itself, or NULL. close
 * frees what it holds, also when open fails; both leave the stage to the caller. */
int est_open(struct est_answer *a, struct ct_tool *t, const struct ct_mechanism *m,
             const struct ct_range_spec *sweep, struct ct_error *e);
void est_close(struct est_answer *a);
/* Asks it about the stage, which is open, and replays where an option wants it: what it says is in the stage's profile
 * then. */
int est_ask(struct est_answer *a, struct ct_error *e);
/* Replays what leaves the verdict open, unless the command line keeps to analytic estimates. After est_ask(). */
int est_judge(struct est_answer *a, struct ct_error *e);

/* sweep.c: reads --sweep. Fails with CT_ERR_USAGE, naming the keys that there are. */
int est_sweep_read(const char *text, const struct ct_mechanism *m, struct est_sweep *s,
                   struct ct_error *e);
/* Asks anew at each point, about a copy of the profile as it was before the first question, and appends SW records to
 * `into`. from_trace: that profile was made by this command, on the GPU that its options name. */
int est_sweep_run(struct ct_tool *t, const struct ct_mechanism *m, const struct est_sweep *s,
                  const struct ct_profile *before, int from_trace, struct ct_profile *into,
                  struct ct_error *e);

#endif
