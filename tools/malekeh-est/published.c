/* The paper's numbers beside ours. */
#include <math.h>
#include <string.h>

#include "common/terminal.h"
#include "own.h"

static double ours(const struct ct_profile *p, const char *system, const char *metric)
{
	struct ct_estimate es;
	return ct_profile_get_estimate(p, "all", "malekeh", system, metric, "replay", &es) ? es.value
	                                                                                  : NAN;
}

/* Fields: result, application, system, against, metric, value, condition, where. Speed-ups here
 * are against OCU already. */
static void row(struct ct_table *table, const struct ct_profile *p, const struct ct_published_row *r)
{
	const char *const *f = r->field;
	double here = ours(p, f[2], f[4]);
	if (strcmp(f[3], "-") != 0 && strcmp(f[3], "OCU") != 0 && strcmp(f[3], "OCU-mono") != 0)
		here /= ours(p, f[3], f[4]);
	for (int i = 2; i < 5; i++)
		ct_table_cell(table, "%s", f[i]);
	ct_table_cell(table, "%.6g", r->value);
	if (isnan(here))
		ct_table_cell(table, "-");
	else
		ct_table_cell(table, "%.6g", here);
	ct_table_cell(table, "%s%s%s: %s", f[1], *f[6] ? ", " : "", f[6], f[7]);
}

int mk_published(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	static const char *const names[] = {"system", "against", "metric", "paper", "here", "where"};
	struct ct_table table = {.columns = 6, .style = ct_terminal_style()};
	struct ct_published pub;
	const struct ct_published_row *app;
	int st = ct_est_published("malekeh", p, &pub, &app, e);
	if (st != CT_OK)
		return st;
	ct_table_heads(&table, names);
	for (size_t i = 0; i < pub.rows; i++) {
		const char *const *f = pub.row[i].field;
		if (!strcmp(f[0], "result") &&
		    (!strcmp(f[1], "mean") || (app && !strcmp(f[1], app->field[1]))))
			row(&table, p, &pub.row[i]);
	}
	ct_buf_puts(b, "\npublished:\n");
	ct_table_render(&table, b);
	ct_buf_puts(b, "They may differ because inputs, compilers and GPUs are others, because the paper runs a "
	            "cycle-level simulator,\nand because its means are over all its applications. Nothing here "
	            "is fitted to them.\n");
	ct_published_free(&pub);
	return CT_OK;
}
