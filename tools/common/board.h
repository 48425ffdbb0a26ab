/* board.h - how far a board may be from what a replay under machine = silicon says. */
#ifndef CT_TOOLS_BOARD_H
#define CT_TOOLS_BOARD_H

#include "base/buf.h"
#include "profile/profile.h"

/* Appends, for a profile of a full replay under machine = silicon, a paragraph with the 90 % intervals of cycles and hit
 * rates of kernels: for code of the board's compiler, and for code that ctcc makes. Nothing for any other profile. What memory
 * lacks shows in b. Threads may call it at once. */
void ct_board_intervals(const struct ct_profile *p, struct ct_buf *b);

/* One interval: which rows it is of (open: code near the board's; all), the metric, and the range of a board's value
 * beside ours, in `unit`. */
struct ct_board_interval {
	const char *rows, *metric;
	double low, high;
	const char *unit; /* "%" of ours, or "points" */
	unsigned programs;
	unsigned covered; /* % of programs that lie within what the others say */
};

/* The i-th interval, or NULL behind the last. The texts are constants. */
const struct ct_board_interval *ct_board_interval_at(size_t i);

#endif
