/* page.c - scatter plots of what was predicted over what was measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "common/chart.h"
#include "common/html.h"
#include "correlate/show.h"

/* The points of one metric: a set for each of the kernels with most launches, and one for all others. */
struct points {
	struct ch_points set[CH_SERIES_MAX];
	size_t n;
	double *x, *y; /* of all sets, one behind the other */
};

/* The first launches of the kernels that get a colour of their own: in the order of the trace, as many as there are. */
static size_t own_colours(const struct cor_comparison *c, size_t kernel[CH_SERIES_MAX])
{
	size_t n = 0, all = 0;
	for (size_t i = 0; i < c->n_launches; i++)
		if (c->launch[i].kernel == i && c->launch[i].matched && all++ < CH_SERIES_MAX)
			kernel[n++] = i;
	return all > CH_SERIES_MAX ? CH_SERIES_MAX - 1 : n;
}

static int collect_points(const struct cor_comparison *c, size_t metric, struct points *p)
{
	size_t kernel[CH_SERIES_MAX], at = 0, own = own_colours(c, kernel);
	memset(p, 0, sizeof *p);
	p->x = ct_calloc(c->n_pairs, sizeof *p->x);
	p->y = ct_calloc(c->n_pairs, sizeof *p->y);
	if (!p->x || !p->y)
		return -1;
	for (size_t k = 0; k < CH_SERIES_MAX && k <= own; k++) {
		struct ch_points *set = &p->set[p->n];
		*set = (struct ch_points){k < own ? c->launch[kernel[k]].name : "others", p->x + at,
		                          p->y + at, 0};
		for (size_t i = 0; i < c->n_pairs; i++) {
			size_t of = c->launch[c->pair[i].launch].kernel, colour = 0;
			while (colour < own && kernel[colour] != of)
				colour++;
			if (colour != k || isnan(cor_error(&c->pair[i], metric)))
				continue;
			p->x[at] = c->pair[i].measured[metric];
			p->y[at++] = c->pair[i].predicted[metric];
			set->n++;
		}
		p->n += set->n > 0;
	}
	return 0;
}

/* Draws one metric; returns its height, 0 where nothing is known of it. */
static double draw_scatter(const struct cor_show *s, size_t metric, int nested, double top,
                           struct ct_buf *b)
{
	const struct cor_metric *m = cor_metric_at(metric);
	struct points p;
	char title[128], desc[160], error[32], y[64], x[64];
	const struct cor_score score = cor_program(s->c, metric);
	double height = 0;
	if (score.n == 0)
		return 0;
	cor_error_text(m, score.error, 0, error);
	snprintf(title, sizeof title, "%s, predicted over measured", m->name);
	snprintf(desc, sizeof desc,
	         "Each point is a launch; where both are equal it lies on the line. Mean error %s.",
	         error);
	snprintf(y, sizeof y, "%s predicted", m->name);
	snprintf(x, sizeof x, "measured%s%s", m->rate ? "" : ", ", m->rate ? "" : m->unit);
	const struct ch_axes a = {
		.id = m->name,
		.title = title,
		.desc = desc,
		.x = x,
		.y = y,
		.log_x = !m->rate,
		.percent_y = m->rate,
		.y_max = m->rate ? 1 : 0,
		.nested = nested,
		.top = top};
	if (collect_points(s->c, metric, &p) == 0)
		height = ch_scatter(b, &a, p.set, p.n, s->within[metric]);
	else
		b->failed = 1;
	free(p.x);
	free(p.y);
	return height;
}

void cor_svg(const struct cor_show *s, struct ct_buf *b)
{
	struct ct_buf inside = {0};
	double top = 0;
	for (size_t m = 0; m < cor_metrics(); m++)
		top += draw_scatter(s, m, 1, top, &inside);
	ct_buf_printf(
		b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 %.0f\" width=\"400\" height=\"%.0f\">",
		top, top);
	ch_style(b);
	ct_buf_add(b, inside.data ? inside.data : "", inside.len);
	ct_buf_puts(b, "</svg>\n");
	b->failed |= inside.failed;
	ct_buf_free(&inside);
}

static void put_number(struct ct_buf *b, const struct cor_metric *m, double v)
{
	char text[32];
	if (m->rate && !isnan(v))
		snprintf(text, sizeof text, "%.1f %%", 100 * v);
	else
		ch_number(v, text);
	ct_buf_printf(b, "<td>%s</td>", text);
}

static void page_rows(const struct cor_comparison *c, size_t kernel, struct ct_buf *b)
{
	char error[32];
	for (size_t m = 0; m < cor_metrics(); m++) {
		const struct cor_metric *of = cor_metric_at(m);
		struct cor_score s = kernel == SIZE_MAX ? cor_program(c, m) : cor_kernel(c, kernel, m);
		if (s.n == 0)
			continue;
		ct_buf_puts(b, "<tr><th scope=\"row\">");
		ct_escape_markup(b, kernel == SIZE_MAX ? "all" : c->launch[kernel].name);
		ct_buf_printf(b, "</th><td>%s</td><td>%s</td>", cor_level_name(of->level), of->name);
		put_number(b, of, s.predicted);
		put_number(b, of, s.measured);
		cor_error_text(of, s.error, 0, error);
		ct_buf_printf(b, "<td>%s</td></tr>\n", error);
	}
}

int cor_page(const struct cor_show *s, struct ct_buf *b, struct ct_error *e)
{
	const struct cor_comparison *c = s->c;
	char verdict[160];
	int st = ct_html_head(b, s->program, e);
	cor_verdict_text(c, verdict, sizeof verdict);
	ct_buf_puts(b, "<header>\n<h1>");
	ct_escape_markup(b, s->program);
	ct_buf_printf(b, "</h1>\n<p class=\"lede\">%zu of %zu launches, predicted on ",
	              c->matched_launches, c->n_launches);
	ct_escape_markup(b, s->gpu);
	ct_buf_printf(b, " and measured. %s.</p>\n</header>\n<main>\n<div class=\"charts\">\n", verdict);
	for (size_t m = 0; m < cor_metrics(); m++) {
		struct ct_buf one = {0};
		if (draw_scatter(s, m, 0, 0, &one) > 0)
			ct_buf_printf(b, "<figure>%s</figure>\n", one.data ? one.data : "");
		b->failed |= one.failed;
		ct_buf_free(&one);
	}
	ct_buf_puts(
		b,
		"</div>\n<div class=\"scroll\"><table><caption>Means over launches; of all launches sums, but means of "
		"rates. An error is the mean of absolute errors.</caption>\n<thead><tr><th scope=\"col\">kernel</th>"
		"<th scope=\"col\">level</th><th scope=\"col\">metric</th><th scope=\"col\">predicted</th>"
		"<th scope=\"col\">measured</th><th scope=\"col\">error</th></tr></thead>\n<tbody>\n");
	page_rows(c, SIZE_MAX, b);
	for (size_t i = 0; i < c->n_launches; i++)
		if (c->launch[i].kernel == i)
			page_rows(c, i, b);
	ct_buf_puts(b, "</tbody></table></div>\n</main>\n</body>\n</html>\n");
	return st == CT_OK ? ct_buf_check(b, e) : st;
}
