/* metric.c - --metric: which names there are, and those that no row has in the end. */
#include <string.h>

#include "base/items.h"
#include "base/units.h"
#include "sweep/sweep.h"

enum { NAMES_MAX = 1024, NAMES_TOLD = 64 };

/* ---- the option ---- */

/* The metrics that rows can have: those of ES and SN, and the own ones of all mechanisms. */
static size_t known_names(const char *name[NAMES_MAX])
{
	static const char *const types[] = {"ES", "SN"};
	const struct ct_metric *x;
	size_t n = 0;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		for (size_t k = 0; n < NAMES_MAX && (x = ct_metric_at(types[i], k)); k++)
			name[n++] = x->name;
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		for (unsigned k = 0; n < NAMES_MAX && k < m->n_metrics; k++)
			name[n++] = m->metrics[k].name;
		for (unsigned k = 0; n < NAMES_MAX && k < m->n_items; k++)
			name[n++] = m->items[k].name;
	}
	return n;
}

static int check_name(const struct sw_own *o, const char *metric, struct ct_error *e)
{
	const char *name[NAMES_MAX];
	size_t n = known_names(name);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name[i], metric))
			return CT_OK;
	int near = ct_closest_name(metric, name, n);
	return ct_fail(e, CT_ERR_USAGE,
	               "--metric %s: %s is no metric: %s%s%scachetriage-profile(5) lists them",
	               o->metric_text, metric, near < 0 ? "" : "did you mean ",
	               near < 0 ? "" : name[near], near < 0 ? "" : "? ");
}

int sw_metrics_read(struct sw_own *o, struct ct_error *e)
{
	const char *list = o->metric_text;
	for (int got;
	     list && (got = ct_item_copy(&list, o->metric[o->n_metrics], sizeof o->metric[0])) != 0;) {
		if (got < 0 || !*o->metric[o->n_metrics])
			return ct_fail(e, CT_ERR_USAGE,
			               "--metric %s: a part of it is no metric: cachetriage-profile(5) "
			               "lists them",
			               o->metric_text);
		int st = check_name(o, o->metric[o->n_metrics], e);
		if (st != CT_OK)
			return st;
		if (++o->n_metrics == SW_METRICS_MAX)
			return ct_fail(e, CT_ERR_USAGE, "--metric: more than %d", SW_METRICS_MAX - 1);
	}
	return CT_OK;
}

/* ---- what came of it ---- */

struct seen {
	const struct sw_own *o;
	char had[SW_METRICS_MAX]; /* a row has it */
	int lacked;               /* some system lacks one of them */
	struct ct_buf names;      /* of all that rows have or could have had, ", " between; once each */
	unsigned n_names;
};

/* Whether the list has the name, which is n letters long. */
static int has_name(const struct ct_buf *list, const char *name, size_t n)
{
	const char *at = list->len ? list->data : "";
	for (; *at; at += strspn(at, ", ")) {
		size_t length = strcspn(at, ",");
		if (length == n && !memcmp(at, name, n))
			return 1;
		at += length;
	}
	return 0;
}

static void note_name(struct seen *s, const char *name, size_t n)
{
	for (unsigned i = 0; i < s->o->n_metrics; i++)
		s->had[i] |= strlen(s->o->metric[i]) == n && !memcmp(s->o->metric[i], name, n);
	if (!n || has_name(&s->names, name, n) || ++s->n_names > NAMES_TOLD)
		return;
	ct_buf_printf(&s->names, "%s%.*s", s->names.len ? ", " : "", (int)n, name);
}

/* The part of a line behind that many tabs. */
static const char *part_of(const char *line, unsigned tabs)
{
	while (tabs && *line && *line != '\n')
		tabs -= *line++ == '\t';
	return line;
}

/* A row has its metric, and a line of names those that were not wanted of a system that lacks one. */
static void note_line(struct seen *s, const char *line)
{
	enum { METRIC = 3 }; /* behind the letter, the mechanism and the system */
	const char *at = part_of(line, METRIC);
	if (*line == 'R')
		note_name(s, at, strcspn(at, "\t\n"));
	for (; *line == 'M' && *at && *at != '\n'; at += *at == ',') {
		size_t n = strcspn(at, ",\n");
		note_name(s, at, n);
		at += n;
	}
	s->lacked |= *line == 'M';
}

static void look_at_rows(const struct sw_own *o, struct seen *s)
{
	*s = (struct seen){.o = o};
	for (size_t i = 0; i < o->n_inputs; i++)
		for (size_t k = 0; k < o->points; k++)
			for (const char *at = o->input[i].result[k].text; at && *at;
			     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
				note_line(s, at);
}

/* Names that no row has, with commas between; how many. Where nothing at all came back, other errors tell why. */
static unsigned absent_names(const struct seen *s, struct ct_buf *b)
{
	unsigned n = 0;
	for (unsigned i = 0; s->lacked && i < s->o->n_metrics; i++)
		if (!s->had[i])
			ct_buf_printf(b, "%s%s", n++ ? "," : "", s->o->metric[i]);
	return n;
}

static void explain(const struct seen *s, unsigned n, const char *absent, struct ct_error *e)
{
	ct_fail(e, CT_ERR_USAGE, "--metric %s: no system here has %s: there %s %s%s", absent,
	        n > 1 ? "them" : "it", s->n_names > 1 ? "are" : "is",
	        s->names.len ? s->names.data : "none", s->n_names > NAMES_TOLD ? " and more" : "");
}

unsigned sw_metrics_absent(const struct sw_own *o, struct ct_error *e)
{
	struct ct_buf absent = {0};
	struct seen s;
	look_at_rows(o, &s);
	unsigned n = absent_names(&s, &absent);
	if (n)
		explain(&s, n, absent.failed ? o->metric_text : absent.data, e);
	ct_buf_free(&absent);
	ct_buf_free(&s.names);
	return n;
}
