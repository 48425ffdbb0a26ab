#include "common/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"

void ct_progress_draw(const char *front, const char *path, const char *back)
{
	size_t rest = ct_utf8_width(front) + ct_utf8_width(back), wide = ct_utf8_width(path);
	size_t room = rest < CT_PROGRESS_COLUMNS ? CT_PROGRESS_COLUMNS - rest : 0;
	const char *cut = "";
	if (wide > room) {
		cut = room >= 2 ? ".." : "";
		path = ct_utf8_at(path, room >= 2 ? wide - (room - 2) : wide);
		wide = room;
	}
	int blanks = (int)(room - wide);
	fprintf(stderr, "\r%s%s%s%s%*s", front, cut, path, back, blanks, "");
}

void ct_progress_clear(void)
{
	fprintf(stderr, "\r%*s\r", CT_PROGRESS_COLUMNS, "");
}

static double seconds_now(void)
{
	struct timespec t;
	return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

static void begin_progress(void *ctx)
{
	struct ct_tool *t = ctx;
	t->shown.drawn = 0;
	t->shown.start = t->shown.last = seconds_now();
}

static void advance_progress(void *ctx, const char *path, uint64_t warp_insts)
{
	struct ct_tool *t = ctx;
	double now = seconds_now(), done = (double)warp_insts * 1e-6;
	if (now - t->shown.last < 0.2)
		return;
	t->shown.last = now;
	t->shown.drawn = 1;
	char front[64], back[96];
	snprintf(front, sizeof front, "%s: ", t->spec->name);
	snprintf(back, sizeof back, ": %.2f M warp instructions, %.2f M/s", done,
	         done / (now - t->shown.start));
	ct_progress_draw(front, path, back);
}

static void end_progress(void *ctx, const char *path, uint64_t warp_insts)
{
	struct ct_tool *t = ctx;
	if (t->shown.drawn)
		ct_progress_clear();
	if (!t->verbose || t->quiet)
		return;
	fprintf(stderr, "%s: %s: %llu warp instructions in %.2f s\n", t->spec->name, path,
	        (unsigned long long)warp_insts, seconds_now() - t->shown.start);
}

struct ct_pass_progress ct_tool_progress(struct ct_tool *t)
{
	int on = !t->quiet && (t->progress || isatty(STDERR_FILENO));
	return (struct ct_pass_progress){.ctx = t,
	                                 .begin = begin_progress,
	                                 .advance = on ? advance_progress : NULL,
	                                 .end = end_progress};
}
