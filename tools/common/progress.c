#include "common/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec t;
	return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

void ct_progress_start(struct ct_progress *p, const struct ct_tool *t)
{
	p->tool = t;
	p->on = !t->quiet && (t->progress || isatty(STDERR_FILENO));
	p->drawn = 0;
	p->start = p->last = seconds();
}

void ct_progress_tick(struct ct_progress *p, const char *what, uint64_t done)
{
	if (!p->on)
		return;
	double now = seconds();
	if (now - p->last < 0.2)
		return;
	p->last = now;
	p->drawn = 1;
	fprintf(stderr, "\r%s: %.60s: %.2f M warp instructions, %.2f M/s ", p->tool->spec->name, what,
	        (double)done * 1e-6, (double)done * 1e-6 / (now - p->start));
}

void ct_progress_end(struct ct_progress *p, const char *what, uint64_t done)
{
	if (p->drawn)
		fprintf(stderr, "\r%79s\r", "");
	if (!p->tool->verbose || p->tool->quiet)
		return;
	double took = seconds() - p->start;
	fprintf(stderr, "%s: %s: %llu warp instructions in %.2f s\n", p->tool->spec->name, what,
	        (unsigned long long)done, took);
}
