/* show_published.c - the numbers that the Shared L1 paper prints, beside ours. */
#include <math.h>
#include <string.h>

#include "models/shared_l1/published.h"
#include "models/shared_l1/state.h"

/* The rows of the application, if the paper has it, of its class and of all. */
static void show_rows(struct ct_table *table, const struct ct_sl_row *rows,
                      const struct ct_published *pub, const struct ct_published_row *app)
{
	static const char *const names[] = {"system", "metric", "against", "paper", "here", "where"};
	const char *group = app ? app->field[CT_SL_APP_GROUP] : "shared-friendly";
	ct_table_heads(table, names);
	for (size_t i = 0; i < pub->rows; i++) {
		const char *const *f = pub->row[i].field, *name = f[CT_SL_RESULT_APP];
		if (strcmp(f[0], "result") != 0 ||
		    (strcmp(name, group) != 0 && strcmp(name, "all") != 0 &&
		     (!app || strcmp(name, app->field[CT_SL_APP_NAME]) != 0)))
			continue;
		double ours = ct_sl_published_ours(rows, &pub->row[i]);
		ct_table_cell(table, "%s", f[CT_SL_RESULT_SYSTEM]);
		ct_table_cell(table, "%s", f[CT_SL_RESULT_METRIC]);
		ct_table_cell(table, "%s", f[CT_SL_RESULT_AGAINST]);
		ct_table_cell(table, "%.2f", pub->row[i].value);
		if (isfinite(ours))
			ct_table_cell(table, "%.2f", ours);
		else
			ct_table_cell(table, "-");
		ct_table_cell(table, "%s: section %s", name, f[CT_SL_RESULT_WHERE]);
	}
}

int ct_sl_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                         struct ct_buf *b, struct ct_error *e)
{
	const struct ct_sl_run *s = run->state;
	struct ct_published pub;
	const struct ct_published_row *app;
	struct ct_table table = {.columns = 6, .style = style};
	if (!s->answered)
		return CT_OK;
	int st = ct_published_of_profile(&pub, run->data_dir, run->mechanism->folder, run->p, &app, e);
	if (st != CT_OK)
		return st;
	show_rows(&table, ct_sl_shown_rows(run), &pub, app);
	if (app)
		ct_buf_printf(b, "\npublished for %s (%s):\n", app->field[CT_SL_APP_NAME],
		              app->field[CT_SL_APP_GROUP]);
	else
		ct_buf_puts(
			b,
			"\npublished means of 11 shared-friendly applications and of all 28 (this trace's "
			"path names none of those that the\ntext names):\n");
	ct_table_render(&table, b);
	ct_buf_puts(
		b, "They may differ because inputs, problem sizes and compilers are others, because the "
		   "paper runs a cycle-level\nsimulator of 28 cores, and because its means are over "
		   "applications. Nothing here is fitted to them.\n");
	ct_published_free(&pub);
	return ct_buf_check(b, e);
}
