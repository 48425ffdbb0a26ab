#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "common/kernels.h"
#include "common/terminal.h"
#include "explain.h"

enum { CLASSES = 5, PARTS = 7 };
static const char *const class_name[CLASSES] = {
	"_compulsory", "_capacity", "_associativity", "_latency", "_mshr"};
static const char *const class_head[CLASSES] = {"cold", "capacity", "conflict", "latency", "MSHR"};
static const char *const part_name[PARTS] = {
	"base", "issue", "dependencies", "l1", "network", "llc", "dram"};
static const char *const part_head[PARTS] = {
	"base", "issue", "dependencies", "L1", "network", "LLC", "DRAM"};

static double value_of(const struct ct_profile *p, const char *scope, const char *a, const char *b,
                       const char *c)
{
	char metric[64];
	double v;
	snprintf(metric, sizeof metric, "%s%s%s", a, b, c);
	return ct_profile_get(p, scope, metric, &v) ? v : NAN;
}

/* Of one scope and level: all misses, then the share of each class. */
static void misses(const struct ct_profile *p, const char *scope, const char *level, const char *head,
                   struct ct_table *t)
{
	double v[CLASSES], sum = 0;
	for (int i = 0; i < CLASSES; i++)
		sum += v[i] = value_of(p, scope, level, class_name[i], "_misses");
	if (isnan(sum))
		return;
	ct_kernel_scope_cell(t, scope);
	ct_table_cell(t, "%s", head);
	ct_table_count(t, sum > 0 ? (uint64_t)sum : 0);
	for (int i = 0; i < CLASSES; i++)
		ct_table_percent(t, sum > 0 ? v[i] / sum : NAN);
	double pending = value_of(p, scope, level, "_pending_hits", "");
	if (isnan(pending))
		ct_table_cell(t, "-");
	else
		ct_table_count(t, (uint64_t)pending);
}

static void print_misses(const struct ct_profile *p, struct ct_buf *b)
{
	static const unsigned char rank[4 + CLASSES] = {[2] = 2, [3 + CLASSES] = 1};
	struct ct_table t = {.columns = 4 + CLASSES, .style = ct_terminal_style(), .rank = rank};
	const char *scope;
	ct_buf_puts(b, "\nWhy 32 B sectors miss (pending hits wait for a fill and are no misses)\n");
	ct_table_cell(&t, "scope");
	ct_table_cell(&t, "level");
	ct_table_cell(&t, "misses");
	for (int i = 0; i < CLASSES; i++)
		ct_table_cell(&t, "%s", class_head[i]);
	ct_table_cell(&t, "pending hits");
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++) {
		misses(p, scope, "l1", "L1", &t);
		misses(p, scope, "llc", "LLC", &t);
	}
	ct_table_render(&t, b);
}

static double stack_sum(const struct ct_profile *p, const char *scope)
{
	double sum = 0;
	for (int i = 0; i < PARTS; i++)
		sum += value_of(p, scope, "cycles_stack_", part_name[i], "");
	return sum;
}

/* Half of the last digit that ct_table_percent() prints. */
static const double SHOWN_SHARE = 0.0005;

static void print_cycles(const struct ct_profile *p, const char *prefix, const char *title, int stack,
                         struct ct_buf *b)
{
	/* Without room the cycles go first, then issue slots, which seldom limit; a line below names both. */
	static const unsigned char of_sum[2 + PARTS] = {[1] = 2, [3] = 1},
					      of_saved[2 + PARTS] = {[1] = 2, [2] = 1};
	struct ct_table t = {
		.columns = 2 + PARTS, .style = ct_terminal_style(), .rank = stack ? of_sum : of_saved};
	const char *scope;
	int negative = 0;
	ct_buf_printf(b, "\n%s\n", title);
	ct_table_cell(&t, "scope");
	ct_table_cell(&t, "cycles without launch");
	for (int i = !stack; i < PARTS; i++)
		ct_table_cell(&t, "%s", part_head[i]);
	if (!stack)
		ct_table_cell(&t, "MSHR");
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++) {
		double sum = stack_sum(p, scope);
		if (isnan(sum))
			continue;
		ct_kernel_scope_cell(&t, scope);
		ct_table_count(&t, (uint64_t)sum);
		for (int k = !stack; k < PARTS; k++) {
			double share = value_of(p, scope, prefix, part_name[k], "") / sum;
			negative |= share <= -SHOWN_SHARE;
			ct_table_percent(&t, share);
		}
		if (!stack)
			ct_table_percent(&t, value_of(p, scope, prefix, "mshr", "") / sum);
	}
	ct_table_render(&t, b);
	if (negative)
		ct_buf_puts(
			b,
			"below 0: without that effect the run took longer, as warps then crowd elsewhere\n");
}

void mpki_explain_print(const struct ct_profile *p, struct ct_buf *b)
{
	print_misses(p, b);
	print_cycles(p, "cycles_stack_", "Where the cycles go (they add up)", 1, b);
	print_cycles(p, "cycles_lost_", "Cycles saved if one alone cost no time", 0, b);
}
