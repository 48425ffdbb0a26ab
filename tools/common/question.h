/* question.h - a question to a mechanism (models/mechanism.h) as the options of a command ask it. */
#ifndef CT_TOOLS_COMMON_QUESTION_H
#define CT_TOOLS_COMMON_QUESTION_H

#include "common/stage.h"
#include "models/mechanism.h"
#include "models/verdict/judge.h"

struct ct_question {
	struct ct_mechanism_run run;
	struct ct_pass_observer observer; /* the mechanism's, with the run as its ctx, after open */
	struct ct_pass_settings settings;
	const char **set; /* the -p of the mechanism */
	struct ct_tool *tool;
	struct ct_stage *stage; /* of ct_question_about() */
};

/* Fills what a run has to know before a profile is there - the -p assignments of the mechanism m, its method, seeds and
 * memory from t - and opens it. What the caller has set in q->run before (option, sweep, judged_only, charted) stays; the
 * rest of *q is to be zero. q may not move while it is open. Close it with ct_question_close() also when this fails, as
 * m->open() does, or with CT_ERR_NOMEM. */
int ct_question_open(struct ct_question *q, struct ct_tool *t, const struct ct_mechanism *m,
                     struct ct_error *e);
/* Hands the stage's profile and GPUs to the run, which keeps following them when it takes another profile. Call it when
 * the stage is open; s and w, which may be NULL, must outlive the question. Passes are made again through s. */
void ct_question_about(struct ct_question *q, struct ct_stage *s, const struct ct_workload *w);
/* Puts the question into *j, zeroed before the first, for ct_judge_replays(): after ct_question_about(), and of all
 * questions about that stage. */
void ct_question_judge(struct ct_question *q, struct ct_judge *j);
void ct_question_close(struct ct_question *q);

#endif
