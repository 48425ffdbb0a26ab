/* progress.h - how far a command is, on standard error, for people only. */
#ifndef CT_TOOLS_PROGRESS_H
#define CT_TOOLS_PROGRESS_H

#include <stdint.h>

#include "common/tool.h"

/* Shown on a terminal or with --progress, never with -q; redrawn five times a second. */
struct ct_progress {
	const struct ct_tool *tool;
	int on, drawn;
	double start, last; /* seconds */
};

void ct_progress_start(struct ct_progress *p, const struct ct_tool *t);
/* `done` warp instructions of `what` so far. Cheap between redraws. */
void ct_progress_tick(struct ct_progress *p, const char *what, uint64_t done);
/* Wipes the line; with -v says what was done and how fast. */
void ct_progress_end(struct ct_progress *p, const char *what, uint64_t done);

#endif
