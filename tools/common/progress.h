/* progress.h - how far a command is, on standard error, for people only. */
#ifndef CT_TOOLS_PROGRESS_H
#define CT_TOOLS_PROGRESS_H

#include "common/tool.h"
#include "pass/settings.h"

/* Shows it on a terminal or with --progress, never with -q; redrawn five times a second. With -v the end says what
 * was done and how fast. t must outlive it, and has one at a time. */
struct ct_pass_progress ct_tool_progress(struct ct_tool *t);

#endif
