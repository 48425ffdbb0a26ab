/* show_published.c - the numbers that the Morpheus paper prints, beside ours. */
#include <math.h>
#include <string.h>

#include "models/morpheus/published.h"
#include "models/morpheus/state.h"

static void show_sms(struct ct_table *table, const struct ct_mo_answer *a, const char *system,
                     const char *paper)
{
	const struct ct_mo_row *r = &a->row[ct_mo_system_find(system)];
	ct_table_cell(table, "%s", system);
	ct_table_cell(table, "compute_sms");
	ct_table_cell(table, "-");
	ct_table_cell(table, "%s", paper);
	ct_table_cell(table, "%.0f", r->x.compute_sms);
	ct_table_cell(table, "Table 3, of 68 SMs");
}

static void show_result(struct ct_table *table, const struct ct_mo_answer *a,
                        const struct ct_published_row *r)
{
	const char *const *f = r->field;
	double ours = ct_mo_published_ours(a, r);
	ct_table_cell(table, "%s", f[CT_MO_RESULT_SYSTEM]);
	ct_table_cell(table, "%s", f[CT_MO_RESULT_METRIC]);
	ct_table_cell(table, "%s", f[CT_MO_RESULT_AGAINST]);
	ct_table_cell(table, "%.2f", r->value);
	if (isnan(ours))
		ct_table_cell(table, "-");
	else
		ct_table_cell(table, "%.2f", ours);
	ct_table_cell(table, "%s%s%s%s%s", f[CT_MO_RESULT_APP], *f[CT_MO_RESULT_CONDITION] ? ", " : "",
	              f[CT_MO_RESULT_CONDITION], *f[CT_MO_RESULT_WHERE] ? ": section " : "",
	              f[CT_MO_RESULT_WHERE]);
}

/* The rows of the application, if the paper has it, and of the mean over its kind. */
static void show_rows(struct ct_table *table, const struct ct_mo_answer *a,
                      const struct ct_published *pub, const struct ct_published_row *app)
{
	static const char *const head[] = {"system", "metric", "against", "paper", "here", "where"};
	const char *const *of = app ? app->field : NULL;
	const char *group = of && !strcmp(of[CT_MO_APP_TYPE], "compute-bound") ? "compute" : "mean";
	ct_table_heads(table, head);
	if (of) {
		show_sms(table, a, "IBL", of[CT_MO_APP_IBL_SMS]);
		show_sms(table, a, "Morpheus-Basic", of[CT_MO_APP_BASIC_SMS]);
		show_sms(table, a, "Morpheus-ALL", of[CT_MO_APP_ALL_SMS]);
	}
	for (size_t i = 0; i < pub->rows; i++) {
		const char *const *f = pub->row[i].field, *name = f[CT_MO_RESULT_APP];
		if (!strcmp(f[0], "result") &&
		    (!strcmp(name, group) || (of && !strcmp(name, of[CT_MO_APP_NAME]))))
			show_result(table, a, &pub->row[i]);
	}
}

int ct_mo_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                         struct ct_buf *b, struct ct_error *e)
{
	const struct ct_mo_state *s = run->state;
	struct ct_published pub;
	const struct ct_published_row *app;
	struct ct_table table = {.columns = 6, .style = style};
	if (!s->answered)
		return CT_OK;
	int st = ct_published_of_profile(&pub, run->data_dir, run->mechanism->folder, run->p, &app, e);
	if (st != CT_OK)
		return st;
	show_rows(&table, &s->answer, &pub, app);
	if (app)
		ct_buf_printf(b, "\npublished for %s (%s, IPC %s with more SMs):\n",
		              app->field[CT_MO_APP_NAME], app->field[CT_MO_APP_TYPE],
		              app->field[CT_MO_APP_SHAPE]);
	else
		ct_buf_printf(
			b, "\npublished means of 14 memory-bound applications (this trace's path names "
			   "none of the paper's):\n");
	ct_table_render(&table, b);
	ct_buf_puts(
		b,
		"They may differ because inputs, problem sizes and compilers are others, because the "
		"paper runs a cycle-level\nsimulator for up to 2 billion instructions, and because its "
		"mean is over 14 applications. Nothing here is fitted to them.\n");
	ct_published_free(&pub);
	return ct_buf_check(b, e);
}
