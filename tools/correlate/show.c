#include "correlate/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/terminal.h"

void cor_error_text(const struct cor_metric *m, double error, int sign, char out[32])
{
	if (isnan(error))
		snprintf(out, 32, "-");
	else if (isinf(error))
		snprintf(out, 32, "measured 0");
	else
		snprintf(out, 32, sign ? "%+.1f %s" : "%.1f %s", 100 * error + 0.0,
		         m->rate ? "points" : "%");
}

void cor_verdict_text(const struct cor_comparison *c, char *out, size_t n)
{
	char text[32];
	double most = 0, error;
	int worst = -1;
	for (int l = 0; l < COR_LEVELS; l++) {
		int m = cor_worst(c, l, &error);
		if (m >= 0 && (worst < 0 || error > most)) {
			worst = m;
			most = error;
		}
	}
	if (worst < 0) {
		snprintf(out, n, "no metric is known of both sides");
		return;
	}
	const struct cor_metric *m = cor_metric_at((size_t)worst);
	cor_error_text(m, most, 0, text);
	snprintf(out, n, "%s disagree%s most: %s, off by %s", cor_level_name(m->level),
	         m->level == COR_REQUESTS || m->level == COR_CYCLES ? "" : "s", m->name, text);
}

static void value_cell(struct ct_table *t, const struct cor_metric *m, double v)
{
	if (m->rate || isnan(v))
		ct_table_percent(t, v);
	else if (v >= 1000 && v < 0x1p63)
		ct_table_count(t, (uint64_t)(v + 0.5));
	else
		ct_table_real(t, v);
}

static void begin_table(struct ct_table *t, const char *error)
{
	*t = (struct ct_table){.columns = 5, .style = ct_terminal_style()};
	const char *const heads[] = {"metric", "level", "predicted", "measured", error};
	ct_table_heads(t, heads);
}

static void table_row(struct ct_table *t, size_t metric, double predicted, double measured, double error,
                      int sign)
{
	const struct cor_metric *m = cor_metric_at(metric);
	char text[32];
	ct_table_cell(t, "%s", m->name);
	ct_table_cell(t, "%s", cor_level_name(m->level));
	value_cell(t, m, predicted);
	value_cell(t, m, measured);
	cor_error_text(m, error, sign, text);
	ct_table_cell(t, "%s", text);
}

/* kernel SIZE_MAX: the program. */
static void score_table(const struct cor_comparison *c, size_t kernel, struct ct_buf *b)
{
	struct ct_table t;
	begin_table(&t, "mean error");
	for (size_t m = 0; m < cor_metrics(); m++) {
		struct cor_score s = kernel == SIZE_MAX ? cor_program(c, m) : cor_kernel(c, kernel, m);
		if (s.n)
			table_row(&t, m, s.predicted, s.measured, s.error, 0);
	}
	ct_table_render(&t, b);
}

static void launch_table(const struct cor_comparison *c, const struct cor_pair *p, struct ct_buf *b)
{
	struct ct_table t;
	begin_table(&t, "error");
	for (size_t m = 0; m < cor_metrics(); m++)
		if (!isnan(p->measured[m]) && !isnan(p->predicted[m]))
			table_row(&t, m, p->predicted[m], p->measured[m], cor_error(p, m), 1);
	ct_buf_printf(b, "\nkernel:%" PRIu64 " %s%s\n", c->launch[p->launch].id,
	              c->launch[p->launch].name, p->mean ? " (mean of its launches)" : "");
	ct_table_render(&t, b);
}

/* What is measured and not predicted is told, since a table without it would look whole. */
static void one_sided(const struct cor_comparison *c, struct ct_buf *b)
{
	size_t column = 0;
	for (size_t m = 0; m < cor_metrics(); m++) {
		const char *name = cor_metric_at(m)->name;
		size_t measured = 0, predicted = 0;
		for (size_t i = 0; i < c->n_pairs; i++) {
			measured += !isnan(c->pair[i].measured[m]);
			predicted += !isnan(c->pair[i].predicted[m]);
		}
		if (!measured || predicted || cor_instead_of(m) || cor_is_time(m))
			continue;
		if (column == 0)
			ct_buf_puts(b, "\nmeasured, but not in the profile:\n");
		else
			ct_buf_puts(b, column + strlen(name) > 76 ? ",\n" : ", ");
		column = column + strlen(name) > 76 ? 0 : column;
		ct_buf_puts(b, name);
		column += strlen(name) + 2;
	}
	if (column)
		ct_buf_putc(b, '\n');
}

void cor_table(const struct cor_show *s, struct ct_buf *b)
{
	const struct cor_comparison *c = s->c;
	char verdict[160];
	cor_verdict_text(c, verdict, sizeof verdict);
	ct_buf_printf(b, "%s on %s: %zu of %zu launches were measured\n%s\n", s->program, s->gpu,
	              c->matched_launches, c->n_launches, verdict);
	ct_buf_puts(b, "\nprogram: sums (of rates means), and the mean of its kernels' errors\n");
	score_table(c, SIZE_MAX, b);
	for (size_t i = 0; i < c->n_launches; i++) {
		size_t pairs = 0;
		for (size_t k = 0; k < c->n_pairs; k++)
			pairs += c->launch[c->pair[k].launch].kernel == i;
		if (c->launch[i].kernel != i || pairs == 0)
			continue;
		ct_buf_printf(b, "\nkernel %s: means of %zu launch%s\n", c->launch[i].name, pairs,
		              pairs == 1 ? "" : "es");
		score_table(c, i, b);
	}
	for (size_t i = 0; i < c->n_pairs && s->per_kernel; i++)
		launch_table(c, &c->pair[i], b);
	one_sided(c, b);
}
