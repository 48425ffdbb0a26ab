/* progress.h - how far a command is, on standard error, for people only. */
#ifndef CT_TOOLS_PROGRESS_H
#define CT_TOOLS_PROGRESS_H

#include "common/tool.h"
#include "pass/settings.h"

/* Shows it on a terminal or with --progress, never with -q; redrawn five times a second. With -v the end says what
 * was done and how fast. t must outlive it, and has one at a time. */
struct ct_pass_progress ct_tool_progress(struct ct_tool *t);

/* Columns of a line of progress: one less than a usual terminal has, so that it does not wrap. */
enum { CT_PROGRESS_COLUMNS = 79 };

/* Writes the line of progress that consists of front, path and back, in place of the one before. Where it is too long, the
 * path is cut at its beginning, since its end names the workload. */
void ct_progress_draw(const char *front, const char *path, const char *back);

/* Blanks that line. */
void ct_progress_clear(void);

#endif
