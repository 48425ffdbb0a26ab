#include "common/plugin_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "base/utf8.h"
#include "models/common/figure.h"

/* Rooms that are more than any mechanism of ours takes, so that a stranger's text stays small. */
enum {
	FIELDS_MAX = 12,
	NAMES_MAX = 16,
	SYSTEMS_MAX = 32,
	METRICS_MAX = 128,
	PARAMETERS_MAX = 64,
	SWEEPS_MAX = 8,
	FIGURES_MAX = 16,
	SERIES_MAX = 256
};
enum { NAME_BYTES = 40, TEXT_BYTES = 400, LINES_MAX = 1024 };

struct ct_plugin_text {
	struct ct_mechanism m;
	struct ct_constants constants;
	char *text; /* cut into fields, to which all names point */
	const char *alias[NAMES_MAX + 1], *alternative[NAMES_MAX + 1];
	struct ct_mechanism_system system[SYSTEMS_MAX];
	struct ct_metric metric[METRICS_MAX], item[METRICS_MAX];
	struct ct_constant parameter[PARAMETERS_MAX];
	struct ct_mechanism_sweep sweep[SWEEPS_MAX];
	struct ct_figure figure[FIGURES_MAX];
	struct ct_figure_series series[SERIES_MAX];
	unsigned aliases, alternatives, n_series;
	int ended;
};

/* ---- writing ---- */

static void put_field(struct ct_buf *b, const char *s)
{
	ct_buf_printf(b, "\t%s", s ? s : "");
}

static void put_line(struct ct_buf *b, const char *what, const char *s)
{
	if (s)
		ct_buf_printf(b, "%s\t%s\n", what, s);
}

/* A number that comes back as it was. */
static void put_real(struct ct_buf *b, double v)
{
	ct_buf_printf(b, "\t%.17g", v);
}

static void put_metrics(struct ct_buf *b, const char *type, const struct ct_metric *row, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ct_buf_printf(b, "metric\t%s\t%s", type, row[i].name);
		put_field(b, row[i].unit);
		ct_buf_printf(b, "\t%d\t%d\n", (int)row[i].merge, (int)row[i].better);
	}
}

static void put_parameters(struct ct_buf *b, const struct ct_constants *t)
{
	put_line(b, "prefix", t->prefix);
	for (size_t i = 0; i < t->n; i++) {
		const struct ct_constant *c = &t->row[i];
		ct_buf_printf(b, "parameter\t%s", c->name);
		put_real(b, c->value);
		put_real(b, c->lo);
		put_real(b, c->hi);
		put_field(b, c->unit);
		ct_buf_printf(b, "\t%d", (int)ct_constants_type(t, i));
		put_field(b, c->source);
		put_field(b, c->help);
		ct_buf_putc(b, '\n');
	}
}

static void put_sweep(struct ct_buf *b, const struct ct_mechanism_sweep *s)
{
	ct_buf_printf(b, "sweep\t%s\t%s\t%d", s->key, s->example, (int)s->rule.unit);
	put_real(b, s->rule.low);
	put_real(b, s->rule.high);
	ct_buf_printf(b, "\t%d", s->rule.whole);
	put_real(b, s->rule.step);
	put_real(b, s->rule.factor);
	ct_buf_printf(b, "\t%zu\t%d\n", s->rule.points_max, s->is_setting);
}

static void put_figure(struct ct_buf *b, const struct ct_figure *f)
{
	ct_buf_printf(b, "figure\t%s", f->id);
	put_field(b, f->title);
	put_field(b, f->x);
	put_field(b, f->y);
	put_field(b, f->needs);
	ct_buf_printf(b, "\t%d\t%d\t%d\t%d\n", (int)f->drawing, (int)f->mean, f->percent_y, f->log_x);
	for (size_t i = 0; i < f->n; i++) {
		const struct ct_figure_series *s = &f->series[i];
		const char *const text[] = {
			s->panel, s->name, s->mechanism, s->system, s->metric, s->over};
		ct_buf_puts(b, "series");
		for (size_t k = 0; k < sizeof text / sizeof text[0]; k++)
			put_field(b, text[k]);
		ct_buf_printf(b, "\t%d", s->inverse);
		put_field(b, s->needs);
		ct_buf_putc(b, '\n');
	}
}

void ct_plugin_text_write(const struct ct_mechanism *m, struct ct_buf *b)
{
	put_line(b, "name", m->name);
	put_line(b, "title", m->title ? m->title : m->name);
	put_line(b, "summary", m->summary ? m->summary : m->name);
	put_line(b, "judged", m->judged);
	put_line(b, "baseline", m->baseline);
	put_line(b, "ideal", m->ideal);
	put_line(b, "configured", m->configured);
	for (const char *const *s = m->aliases; s && *s; s++)
		put_line(b, "alias", *s);
	for (const char *const *s = m->alternatives; s && *s; s++)
		put_line(b, "alternative", *s);
	ct_buf_printf(b, "table\t%d\t%d\t%u\t%u\t%d\t%d", (int)m->bound, (int)m->curve, m->places,
	              m->views, m->needs_pass, m->by_cache);
	put_real(b, m->estimate_error.floor);
	put_real(b, m->estimate_error.share);
	ct_buf_putc(b, '\n');
	for (unsigned i = 0; i < m->n_systems; i++) {
		ct_buf_printf(b, "system\t%s", m->systems[i].name);
		put_field(b, m->systems[i].help);
		ct_buf_printf(b, "\t%d\n", m->systems[i].reconstruction);
	}
	put_metrics(b, "ES", m->metrics, m->n_metrics);
	put_metrics(b, "IM", m->items, m->n_items);
	put_parameters(b, m->parameters);
	for (unsigned i = 0; i < m->n_sweeps; i++)
		put_sweep(b, &m->sweeps[i]);
	for (unsigned i = 0; i < m->n_figure_list; i++)
		put_figure(b, &m->figure_list[i]);
	ct_buf_puts(b, "end\n");
}

/* ---- reading ---- */

/* The fields of a line; each reader takes them in order, and what it cannot take shows in bad. */
struct line {
	char *field[FIELDS_MAX];
	unsigned n, at;
	int bad;
};

static const char *text_of(struct line *l)
{
	const char *s = l->at < l->n ? l->field[l->at++] : NULL;
	l->bad |= !s || strlen(s) > TEXT_BYTES;
	return s ? s : "";
}

/* A name as in ES: letters, digits and the marks that names of ours have. */
static const char *name_of(struct line *l)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *s = text_of(l);
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./@");
	l->bad |= !n || n > NAME_BYTES || s[n] || !strchr(letters, s[0]);
	return s;
}

/* A name that options and keys take: no capitals, no marks but '-' and '_'. */
static const char *word_of(struct line *l)
{
	const char *s = name_of(l);
	l->bad |= s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-")] != '\0';
	return s;
}

static double real_of(struct line *l)
{
	const char *s = text_of(l);
	char *end;
	double v = strtod(s, &end);
	l->bad |= !*s || *end || s[strspn(s, "0123456789+-.e")] || !isfinite(v);
	return v;
}

static unsigned whole_of(struct line *l, unsigned most)
{
	uint64_t v = 0;
	l->bad |= ct_parse_u64_range(text_of(l), 0, most, &v) < 0;
	return (unsigned)v;
}

static void add_name(struct line *l, const char **list, unsigned *n)
{
	const char *s = *n < NAMES_MAX ? name_of(l) : NULL;
	l->bad |= !s;
	if (s)
		list[(*n)++] = s;
}

static void take_table(struct line *l, struct ct_mechanism *m)
{
	m->bound = (enum ct_mechanism_bound)whole_of(l, CT_BOUND_REGISTERS);
	m->curve = (enum ct_mechanism_curve)whole_of(l, CT_DRAWS_REGISTERS);
	m->places = whole_of(l, UINT16_MAX);
	m->views = whole_of(l, UINT16_MAX);
	m->needs_pass = (int)whole_of(l, 1);
	m->by_cache = (int)whole_of(l, 1);
	m->estimate_error.floor = real_of(l);
	m->estimate_error.share = real_of(l);
	l->bad |= m->estimate_error.floor < 0 || m->estimate_error.share < 0;
}

static void take_system(struct line *l, struct ct_plugin_text *d)
{
	if ((l->bad |= d->m.n_systems == SYSTEMS_MAX))
		return;
	struct ct_mechanism_system *s = &d->system[d->m.n_systems];
	s->name = name_of(l);
	s->help = text_of(l);
	s->reconstruction = (int)whole_of(l, 1);
	l->bad |= ct_mechanism_system(&d->m, s->name) >= 0;
	d->m.n_systems++;
}

static void take_metric(struct line *l, struct ct_plugin_text *d)
{
	int of_estimates = !strcmp(text_of(l), "ES");
	unsigned *n = of_estimates ? &d->m.n_metrics : &d->m.n_items;
	if ((l->bad |= *n == METRICS_MAX))
		return;
	struct ct_metric *x = (of_estimates ? d->metric : d->item) + (*n)++;
	x->name = word_of(l);
	x->unit = text_of(l);
	/* Ratios and means want other metrics, which the text does not name: they are not known of several. */
	x->merge = (enum ct_metric_merge)whole_of(l, CT_METRIC_MEAN);
	if (x->merge == CT_METRIC_RATIO || x->merge == CT_METRIC_MEAN)
		x->merge = CT_METRIC_NA;
	x->better = (enum ct_metric_direction)whole_of(l, CT_METRIC_GIVEN);
}

static void take_parameter(struct line *l, struct ct_plugin_text *d)
{
	if ((l->bad |= d->constants.n == PARAMETERS_MAX))
		return;
	struct ct_constant *c = &d->parameter[d->constants.n++];
	c->name = word_of(l);
	c->value = real_of(l);
	c->lo = real_of(l);
	c->hi = real_of(l);
	c->unit = text_of(l);
	c->type = (enum ct_constant_type)whole_of(l, CT_CONSTANT_POWER_OF_TWO);
	c->source = text_of(l);
	c->help = text_of(l);
	l->bad |= !(c->lo <= c->value && c->value <= c->hi);
}

static void take_sweep(struct line *l, struct ct_plugin_text *d)
{
	if ((l->bad |= d->m.n_sweeps == SWEEPS_MAX))
		return;
	struct ct_mechanism_sweep *s = &d->sweep[d->m.n_sweeps++];
	s->key = name_of(l);
	s->example = text_of(l);
	s->rule.unit = (enum ct_unit)whole_of(l, CT_UNIT_PERCENT);
	s->rule.low = real_of(l);
	s->rule.high = real_of(l);
	s->rule.whole = (int)whole_of(l, 1);
	s->rule.step = real_of(l);
	s->rule.factor = real_of(l);
	s->rule.points_max = whole_of(l, 4096);
	s->is_setting = (int)whole_of(l, 1);
	l->bad |= !(s->rule.low <= s->rule.high) || s->rule.step < 0 || s->rule.factor < 0;
}

/* "victim:1": the mechanism's name in front. */
static void take_figure(struct line *l, struct ct_plugin_text *d)
{
	const char *id = text_of(l);
	size_t n = d->m.name ? strlen(d->m.name) : 0;
	if ((l->bad |= d->m.n_figure_list == FIGURES_MAX || !n || strncmp(id, d->m.name, n) != 0 ||
	               id[n] != ':' || !id[n + 1] || strlen(id) > NAME_BYTES))
		return;
	struct ct_figure *f = &d->figure[d->m.n_figure_list++];
	f->id = id;
	f->title = text_of(l);
	f->x = text_of(l);
	f->y = text_of(l);
	f->needs = text_of(l);
	f->drawing = (enum ct_figure_drawing)whole_of(l, CT_FIGURE_LINES);
	f->mean = (enum ct_figure_mean)whole_of(l, CT_FIGURE_ARITHMETIC);
	f->percent_y = (int)whole_of(l, 1);
	f->log_x = (int)whole_of(l, 1);
	f->series = &d->series[d->n_series];
}

static void take_series(struct line *l, struct ct_plugin_text *d)
{
	if ((l->bad |= d->n_series == SERIES_MAX || !d->m.n_figure_list))
		return;
	struct ct_figure_series *s = &d->series[d->n_series++];
	s->panel = text_of(l);
	s->name = text_of(l);
	s->mechanism = text_of(l);
	s->system = text_of(l);
	s->metric = text_of(l);
	s->over = text_of(l);
	s->over = *s->over ? s->over : NULL;
	s->inverse = (int)whole_of(l, 1);
	s->needs = text_of(l);
	s->needs = *s->needs ? s->needs : NULL;
	d->figure[d->m.n_figure_list - 1].n++;
}

static void take_line(struct line *l, struct ct_plugin_text *d)
{
	struct ct_mechanism *m = &d->m;
	const char *what = text_of(l);
	if (!strcmp(what, "name"))
		m->name = word_of(l);
	else if (!strcmp(what, "title"))
		m->title = text_of(l);
	else if (!strcmp(what, "summary"))
		m->summary = text_of(l);
	else if (!strcmp(what, "judged"))
		m->judged = name_of(l);
	else if (!strcmp(what, "baseline"))
		m->baseline = name_of(l);
	else if (!strcmp(what, "ideal"))
		m->ideal = name_of(l);
	else if (!strcmp(what, "configured"))
		m->configured = name_of(l);
	else if (!strcmp(what, "alias"))
		add_name(l, d->alias, &d->aliases);
	else if (!strcmp(what, "alternative"))
		add_name(l, d->alternative, &d->alternatives);
	else if (!strcmp(what, "table"))
		take_table(l, m);
	else if (!strcmp(what, "system"))
		take_system(l, d);
	else if (!strcmp(what, "metric"))
		take_metric(l, d);
	else if (!strcmp(what, "prefix"))
		d->constants.prefix = word_of(l);
	else if (!strcmp(what, "parameter"))
		take_parameter(l, d);
	else if (!strcmp(what, "sweep"))
		take_sweep(l, d);
	else if (!strcmp(what, "figure"))
		take_figure(l, d);
	else if (!strcmp(what, "series"))
		take_series(l, d);
	else if (!strcmp(what, "end"))
		d->ended = 1;
	else
		l->bad = 1;
	l->bad |= l->at != l->n;
}

static int refuse(const struct ct_mechanism_run *run, struct ct_error *e)
{
	return ct_fail(e, CT_ERR_UNSUPPORTED, "%s is a plugin: this command does not ask plugins",
	               run->mechanism->name);
}

static int refuse_to_open(struct ct_mechanism_run *run, struct ct_error *e)
{
	return refuse(run, e);
}

static int refuse_engine(const struct ct_mechanism_run *run, unsigned system,
                         struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	(void)system;
	(void)engine;
	*parts = NULL;
	return refuse(run, e);
}

static void free_nothing(void *parts)
{
	(void)parts;
}

static void close_nothing(struct ct_mechanism_run *run)
{
	(void)run;
}

static void give_no_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup,
                           char *text, size_t n)
{
	(void)p;
	(void)speedup;
	if (n)
		*text = '\0';
}

/* The tables that lines filled, and what stands for functions. */
static void finish(struct ct_plugin_text *d)
{
	struct ct_mechanism *m = &d->m;
	m->abi = CT_MECHANISM_ABI;
	m->size = sizeof *m;
	m->aliases = d->alias;
	m->alternatives = d->alternatives ? d->alternative : NULL;
	m->metrics = d->metric;
	m->items = d->item;
	m->sweeps = d->sweep;
	m->figure_list = d->figure;
	m->published = 1; /* who names a plugin asks for it */
	m->page = "cachetriage_mechanism";
	m->parameters = &d->constants;
	d->constants.row = d->parameter;
	d->constants.aliases = "";
	d->constants.page = "cachetriage";
	d->constants.example = "KEY=VALUE";
	m->open = refuse_to_open;
	m->close = close_nothing;
	m->engine = refuse_engine; /* it has one: it can be replayed beside others */
	m->engine_free = free_nothing;
	m->reason = give_no_reason;
}

static const char *missing(const struct ct_plugin_text *d)
{
	const struct ct_mechanism *m = &d->m;
	return !d->ended                                                 ? "end"
	       : !m->name                                                ? "name"
	       : !m->title || !m->summary                                ? "title or summary"
	       : !m->judged || ct_mechanism_system(m, m->judged) < 0     ? "judged, one of its systems"
	       : !m->baseline || ct_mechanism_system(m, m->baseline) < 0 ? "baseline, one of its systems"
	       : m->ideal && ct_mechanism_system(m, m->ideal) < 0        ? "ideal, one of its systems"
	       : m->configured && ct_mechanism_system(m, m->configured) < 0
	               ? "configured, one of its systems"
	       : !d->constants.prefix ? "prefix of its parameters"
	                              : NULL;
}

/* Cuts the line at its tabs; its end goes to *next. */
static void cut_line(char *at, struct line *l, char **next)
{
	char *end = strchr(at, '\n');
	*l = (struct line){.n = 0};
	*next = end ? end + 1 : at + strlen(at);
	l->bad = !end;
	if (end)
		*end = '\0';
	for (char *s = at; s; l->n++) {
		if (l->n == FIELDS_MAX) {
			l->bad = 1;
			return;
		}
		l->field[l->n] = s;
		if ((s = strchr(s, '\t')))
			*s++ = '\0';
	}
	for (unsigned i = 0; i < l->n; i++)
		for (const char *s = l->field[i]; *s; s++)
			l->bad |= (unsigned char)*s < ' ' || *s == 127;
}

static int read_lines(struct ct_plugin_text *d, struct ct_error *e)
{
	char *at = d->text;
	unsigned number = 0;
	while (*at && !d->ended) {
		struct line l;
		char *next;
		cut_line(at, &l, &next);
		if (!l.bad)
			take_line(&l, d);
		if (l.bad || ++number > LINES_MAX)
			return ct_fail(e, CT_ERR_INPUT, "line %u of its description is not right",
			               number + (l.bad != 0));
		at = next;
	}
	if (*at)
		return ct_fail(e, CT_ERR_INPUT, "its description goes on behind its end");
	const char *lacks = missing(d);
	return lacks ? ct_fail(e, CT_ERR_INPUT, "its description lacks %s", lacks) : CT_OK;
}

int ct_plugin_text_read(struct ct_plugin_text **out, const char *text, size_t n, struct ct_error *e)
{
	struct ct_plugin_text *d = ct_calloc(1, sizeof *d);
	*out = NULL;
	if (!d || !(d->text = ct_strndup(text, n))) {
		ct_plugin_text_free(d);
		return ct_fail_nomem(e);
	}
	d->m.systems = d->system;
	int st = strlen(d->text) == n ? CT_OK
	                              : ct_fail(e, CT_ERR_INPUT, "its description has a NUL byte in it");
	for (size_t i = 0; st == CT_OK && i < n;) {
		size_t k = ct_utf8(d->text + i, n - i);
		if (!k)
			st = ct_fail(e, CT_ERR_INPUT, "its description is not UTF-8");
		i += k;
	}
	if (st == CT_OK)
		st = read_lines(d, e);
	if (st != CT_OK) {
		ct_plugin_text_free(d);
		return st;
	}
	finish(d);
	*out = d;
	return CT_OK;
}

void ct_plugin_text_free(struct ct_plugin_text *d)
{
	if (d)
		free(d->text);
	free(d);
}

struct ct_mechanism *ct_plugin_text_mechanism(struct ct_plugin_text *d)
{
	return &d->m;
}
