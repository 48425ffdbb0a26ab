/* with.h - --with: mechanisms at work together (models/verdict/together.h), as a command line names them. */
#ifndef CT_TOOLS_COMMON_WITH_H
#define CT_TOOLS_COMMON_WITH_H

#include "common/stage.h"
#include "models/registry.h"
#include "models/verdict/together.h"

/* Which systems are to be together. */
struct ct_with {
	unsigned mechanism[CT_TOGETHER_MAX],
		system[CT_TOGETHER_MAX]; /* in the registry, in the mechanism */
	unsigned n;                      /* 0: none */
	int implied;                     /* the first was not named: a list may, to choose its system */
};

/* Begins with the judged system of a mechanism, which lists need not name. */
void ct_with_add(struct ct_with *w, unsigned mechanism);
/* Adds those of a list NAME[:SYSTEM],..., each mechanism's judged system where none is named. Fails with CT_ERR_USAGE for
 * unknown names. */
int ct_with_read(struct ct_with *w, const char *list, struct ct_error *e);
/* Fails with CT_ERR_USAGE where there is one alone, or one excludes another. */
int ct_with_check(const struct ct_with *w, struct ct_error *e);
/* Their mechanisms, a bit each. */
uint32_t ct_with_mask(const struct ct_with *w);

/* Replays them about the stage and appends their records to its profile. What x->run points at is gone then. workload may
 * be NULL. Fails with CT_ERR_USAGE with --method analytic, and as ct_together_replay() does. */
int ct_with_run(struct ct_tool *t, struct ct_stage *s, const struct ct_workload *workload,
                const struct ct_with *w, struct ct_together *x, struct ct_error *e);

/* Appends a table of what came of it behind an empty line: each alone, together, the interaction. p: where the records
 * are. Out of memory shows in b. */
void ct_with_table(const struct ct_with *w, const struct ct_together *x, const struct ct_profile *p,
                   struct ct_buf *b);

#endif
