#include "common/with.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/items.h"
#include "base/mem.h"
#include "base/table.h"
#include "common/question.h"
#include "common/terminal.h"
#include "models/verdict/verdict.h"

enum { NAME_CHARS = 96 };

/* ---- which ---- */

uint32_t ct_with_mask(const struct ct_with *w)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < w->n; i++)
		mask |= UINT32_C(1) << w->mechanism[i];
	return mask;
}

void ct_with_add(struct ct_with *w, unsigned mechanism)
{
	const struct ct_mechanism *m = ct_mechanism_at(mechanism);
	int judged = ct_mechanism_system(m, m->judged);
	w->mechanism[0] = mechanism;
	w->system[0] = (unsigned)(judged < 0 ? 0 : judged);
	w->n = 1;
	w->implied = 1;
}

static int unknown_mechanism(const char *name, struct ct_error *e)
{
	struct ct_buf names = {0};
	for (unsigned i = 0; ct_mechanism_at(i); i++)
		ct_buf_printf(&names, "%s%s", i ? ", " : "", ct_mechanism_at(i)->name);
	int st = ct_buf_check(&names, e);
	if (st == CT_OK)
		st = ct_fail(e, CT_ERR_USAGE,
		             "--with %s: name one of %s, or one and its system as in NAME:SYSTEM", name,
		             names.data);
	ct_buf_free(&names);
	return st;
}

int ct_with_read(struct ct_with *w, const char *list, struct ct_error *e)
{
	char name[NAME_CHARS];
	for (int got; (got = ct_item_copy(&list, name, sizeof name)) != 0;) {
		char *colon = got > 0 ? strchr(name, ':') : NULL;
		if (colon)
			*colon = '\0';
		int m = got > 0 ? ct_mechanism_find(name) : -1;
		if (m < 0)
			return unknown_mechanism(name, e);
		if (w->n == CT_TOGETHER_MAX)
			return ct_fail(e, CT_ERR_USAGE, "--with: more than %d mechanisms",
			               CT_TOGETHER_MAX);
		const struct ct_mechanism *x = ct_mechanism_at((unsigned)m);
		const char *system = colon ? colon + 1 : x->judged;
		int s = ct_mechanism_system(x, system);
		if (s < 0)
			return ct_fail(e, CT_ERR_USAGE,
			               "--with %s:%s: %s has no such system: see %s --help", name,
			               system, x->name, x->command);
		unsigned at = w->implied && w->mechanism[0] == (unsigned)m ? 0 : w->n++;
		w->implied &= at != 0;
		w->mechanism[at] = (unsigned)m;
		w->system[at] = (unsigned)s;
	}
	return CT_OK;
}

int ct_with_check(const struct ct_with *w, struct ct_error *e)
{
	const struct ct_mechanism *m[CT_TOGETHER_MAX];
	struct ct_error why = {0};
	for (unsigned i = 0; i < w->n; i++)
		m[i] = ct_mechanism_at(w->mechanism[i]);
	if (w->n < 2)
		return ct_fail(e, CT_ERR_USAGE,
		               "--with: name two mechanisms, or one beside the one that is asked");
	if (ct_together_check(m, w->n, &why) != CT_OK)
		return ct_fail(e, CT_ERR_USAGE, "--with: %s", why.text);
	return CT_OK;
}

/* ---- what comes of it ---- */

int ct_with_run(struct ct_tool *t, struct ct_stage *s, const struct ct_workload *workload,
                const struct ct_with *w, struct ct_together *x, struct ct_error *e)
{
	struct ct_question *q = ct_calloc(w->n, sizeof *q);
	int st = q ? CT_OK : ct_fail_nomem(e);
	*x = (struct ct_together){.n = w->n};
	if (st == CT_OK && t->method == CT_METHOD_ANALYTIC)
		st = ct_fail(e, CT_ERR_USAGE, "--with replays the trace: leave out --method analytic");
	for (unsigned i = 0; st == CT_OK && i < w->n; i++) {
		st = ct_question_open(&q[i], t, ct_mechanism_at(w->mechanism[i]), e);
		ct_question_about(&q[i], s, workload);
		x->run[i] = &q[i].run;
		x->system[i] = w->system[i];
		x->settings = &q[i].settings;
	}
	if (st == CT_OK)
		st = ct_together_replay(x, "--with", e);
	if (st == CT_OK)
		st = ct_together_write(x, s->p, e);
	for (unsigned i = 0; q && i < w->n; i++)
		ct_question_close(&q[i]);
	memset(x->run, 0, sizeof x->run);
	x->settings = NULL;
	free(q);
	return st;
}

/* A row of the table of mechanisms that were replayed together. */
static void add_row(struct ct_table *t, const char *mechanism, const char *system,
                    const struct ct_together_result *r, const struct ct_profile *p)
{
	struct ct_estimate es = {
		.mechanism = mechanism,
		.system = system,
		.metric = "speedup_configured",
		.method = "full",
		.value = r->speedup,
		.low = NAN,
		.high = NAN};
	double low, high;
	ct_verdict_range(p, &es, &low, &high);
	ct_table_cell(t, "%s", mechanism);
	ct_table_cell(t, "%s", system);
	if (r->setting > 0)
		ct_table_cell(t, "%g", r->setting);
	else
		ct_table_cell(t, "-");
	ct_table_cell(t, "%.0f", (double)r->counts.cycles);
	ct_table_cell(t, "%.3f", r->speedup);
	ct_table_cell(t, "%.3f..%.3f", low, high);
}

void ct_with_table(const struct ct_with *w, const struct ct_together *x, const struct ct_profile *p,
                   struct ct_buf *b)
{
	static const char *const heads[] = {
		"mechanism", "system", "setting", "cycles with launch", "speed-up", "range"};
	struct ct_table t = {.columns = sizeof heads / sizeof heads[0], .style = ct_terminal_style()};
	ct_table_heads(&t, heads);
	for (unsigned i = 0; i < w->n; i++) {
		const struct ct_mechanism *m = ct_mechanism_at(w->mechanism[i]);
		add_row(&t, m->name, m->systems[w->system[i]].name, &x->alone[i], p);
	}
	add_row(&t, "together", "", &x->together, p);
	ct_buf_putc(b, '\n');
	ct_table_render(&t, b);
	ct_buf_printf(
		b,
		"\ninteraction: %.3f, the speed-up together over the product of each alone; all are replays, "
		"against this GPU as configured; speed-ups leave launches out\n",
		x->interaction);
}
