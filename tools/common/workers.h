/* workers.h - jobs in processes of their own, a few at a time. A process and not a thread: whatever a job does to it (no
 * memory, a bug), the others go on; and nothing is shared, so that the output cannot depend on their number. */
#ifndef CT_TOOLS_COMMON_WORKERS_H
#define CT_TOOLS_COMMON_WORKERS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "common/tool.h"

struct ct_workers {
	unsigned places; /* processes at a time, at least 1 */
	size_t n;        /* jobs, which begin in this order */
	void *ctx;
	/* In a process of its own, which has what the command had when it began: does job i and appends what the command
	 * is to know of it. A reply that could not be kept whole, or that does not arrive whole, fails the job. */
	void (*work)(void *ctx, size_t i, struct ct_buf *reply);
	/* In the command, when job i is over: reply is what work() wrote, with a NUL behind it, or NULL when its process
	 * did not end well, which `why` tells then. */
	void (*done)(void *ctx, size_t i, char *reply, size_t n, const char *why);
	/* In the command, some times a second: `busy` is one of the jobs at work. NULL: nothing. */
	void (*wait)(void *ctx, size_t busy);
	/* Whether another job may begin; those that may not are left out. NULL: always. */
	int (*may_begin)(void *ctx);
};

/* Does all jobs. Fails with CT_ERR_IO when not even one process can be started, CT_ERR_NOMEM; processes that are at work
 * are ended then. */
int ct_workers_run(struct ct_workers *w, struct ct_error *e);

/* For work(): t as a process of several has it. Nothing is shown, its threads and its memory are its share, and its
 * warnings are its own. */
void ct_workers_share(struct ct_tool *t, unsigned threads, unsigned places);

/* Seconds of a clock that only goes on. */
double ct_workers_clock(void);

#endif
