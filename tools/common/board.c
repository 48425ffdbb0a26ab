#include "common/board.h"

#include <stdio.h>
#include <string.h>

#include "common/terminal.h"

/* Residuals of kernels of sixteen programs on a Quadro GV100, of which tests/silicon/results.tsv has our side:
 * tests/silicon/intervals.awk makes the rows, and tests/golden/silicon.sh holds them to it. */
static const struct ct_board_interval intervals[] = {
	{"open", "cycles", -21.8, 59.6, "%", 14, 89},
	{"open", "L1 hit rate", -3.7, 1.8, "points", 14, 89},
	{"open", "L2 hit rate", -0.4, 11.8, "points", 14, 89},
	{"all", "cycles", -21.8, 59.6, "%", 16, 92},
	{"all", "L1 hit rate", -3.7, 1.8, "points", 16, 92},
	{"all", "L2 hit rate", -0.4, 11.8, "points", 16, 92},
};

enum { N_INTERVALS = sizeof intervals / sizeof *intervals };

const struct ct_board_interval *ct_board_interval_at(size_t i)
{
	return i < N_INTERVALS ? &intervals[i] : NULL;
}

/* One row: the intervals from the i-th on that are of the same rows of the table there. Returns the first of others. */
static size_t add_row(struct ct_table *t, size_t i)
{
	const char *rows = intervals[i].rows;
	char covered[32] = "";
	size_t at = 0;
	ct_table_cell(t, "%s", strcmp(rows, "open") == 0 ? "the board's compiler" : "ctcc");
	for (; i < N_INTERVALS && strcmp(intervals[i].rows, rows) == 0; i++) {
		const struct ct_board_interval *v = &intervals[i];
		ct_table_cell(t, "%+.1f..%+.1f", v->low, v->high);
		at += (size_t)snprintf(covered + at, sizeof covered - at, "%s%u", at ? ", " : "",
		                       v->covered);
	}
	ct_table_cell(t, "%s", covered);
	return i;
}

void ct_board_intervals(const struct ct_profile *p, struct ct_buf *b)
{
	static const char *const heads[] = {
		"code of", "cycles, %", "L1 hits, points", "L2 hits, points", "covers, %"};
	const char *machine = ct_profile_gp(p, "machine");
	struct ct_table t = {.columns = 5, .style = ct_terminal_style()};
	if (!machine || strcmp(machine, "silicon") != 0 || ct_profile_gp(p, "model.timing"))
		return;
	ct_buf_puts(b, "Where a board's kernels lie beside these (90 %: doc/replay.md section 13)\n");
	ct_table_heads(&t, heads);
	for (size_t i = 0; i < N_INTERVALS;)
		i = add_row(&t, i);
	ct_table_render(&t, b);
	ct_buf_putc(b, '\n');
}
