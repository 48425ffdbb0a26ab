/* lineutil - how much of an L1 line is used before the line leaves. */
#include <math.h>
#include <stdio.h>

#include "base/table.h"
#include "common/pass.h"
#include "common/terminal.h"
#include "common/tool.h"

static double sn(const struct ct_profile *p, const char *metric)
{
	double v;
	return ct_profile_get(p, "all", metric, &v) ? v : NAN;
}

static void row(struct ct_table *t, const char *what, double fraction)
{
	ct_table_cell(t, "%s", what);
	ct_table_percent(t, fraction);
	ct_table_bar(t, fraction, 40);
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	static const char *const bytes[] = {"1 to 32 B", "33 to 64 B", "65 to 96 B", "97 to 128 B"};
	struct ct_table used = {.columns = 3, .style = ct_terminal_style()},
			asked = {.columns = 3, .style = ct_terminal_style()};
	(void)t;
	ct_table_cell(&used, "chunks reused");
	ct_table_cell(&used, "lines");
	ct_table_cell(&used, "%s", "");
	for (int i = 0; i <= 4; i++) {
		char what[32], metric[32];
		snprintf(what, sizeof what, "%d of 4", i);
		snprintf(metric, sizeof metric, "line_util_%d", i * 25);
		row(&used, what, sn(p, metric));
	}
	ct_table_cell(&asked, "bytes used");
	ct_table_cell(&asked, "requests");
	ct_table_cell(&asked, "%s", "");
	for (int i = 0; i < 4; i++) {
		char metric[32];
		snprintf(metric, sizeof metric, "useful_bytes_%d", 32 * (i + 1));
		row(&asked, bytes[i], sn(p, metric));
	}
	ct_buf_puts(b, "L1 lines by the share of their 32 B chunks that was hit before they left\n");
	ct_table_render(&used, b);
	ct_buf_puts(b, "\nRead requests by the bytes that they use of their line\n");
	ct_table_render(&asked, b);
	return ct_buf_check(b, e);
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct ct_tool_pass pass = {.n_observers = 0};
	struct ct_input in;
	int st = ct_tool_open_input(t, 0, &in, e), truncated = 0;
	double v;
	if (st != CT_OK)
		return st;
	if (in.trace) {
		in.profile = ct_tool_profile(e);
		ct_tool_pass_only(t, &pass, 1u << CT_PASS_LINE_USE);
		st = in.profile ? ct_tool_pass_run(t, in.trace, NULL, &pass, in.profile, e)
		                : CT_ERR_NOMEM;
		truncated = st > 0;
	} else {
		truncated = ct_tool_truncated(t, in.profile);
	}
	if (st >= 0 && !ct_profile_get(in.profile, "all", "lines_left", &v))
		st = ct_fail(e, CT_ERR_INPUT,
		             "the profile has no line utilisation: make it again with reuse");
	if (st >= 0)
		st = ct_tool_provenance(t, in.profile, e);
	if (st >= 0)
		st = ct_tool_emit(t, in.profile, table, e);
	ct_input_close(&in);
	return st < 0 ? st : truncated;
}

/* What --help ends with. */
static const char guide[] =
	"Its tables count lines by the chunks that were hit before the line left the L1,\n"
	"and read requests by the bytes of a line that they use.\n"
	"\n"
	"Examples:\n"
	"  lineutil TRACE                    how much of each line is used\n"
	"  reuse TRACE | lineutil            the same from a profile\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "lineutil",
		.operands = "[INPUT]",
		.summary = "line utilisation before eviction and useful bytes per request",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_REPLAY | CT_TAKES_PROFILE,
		.own_size = 0,
		.guide = guide,
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}
