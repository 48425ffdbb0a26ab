/* command.c - the command line of an estimator, and what it prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/estimator.h"
#include "common/sweeps.h"
#include "common/terminal.h"
#include "estimator/estimator.h"
#include "models/verdict/size.h"
#include "models/verdict/verdict.h"

/* ---- options ---- */

enum {
	OPT_SWEEP = CT_OWN_OPTION,
	OPT_WITH,
	OPT_PUBLISHED,
	OPT_OVERHEADS,
	OPT_CONSTANTS,
	OPT_OF_MECHANISM
};
enum { OPTIONS_BEFORE = 2, OPTIONS_AFTER = 3, HELP_WIDTH = 57 };

/* The command of one mechanism: what ct_tool_main() is handed. */
struct program {
	struct ct_tool_spec spec; /* the first, so that a tool's spec leads here */
	const struct ct_mechanism *mechanism;
	struct ct_option option[OPTIONS_BEFORE + EST_OPTIONS_MAX + OPTIONS_AFTER];
	struct ct_buf sweep_help, guide;
};

static const struct ct_mechanism *mechanism_of(const struct ct_tool *t)
{
	return ((const struct program *)(const void *)t->spec)->mechanism;
}

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct est_own *o = ((struct ct_tool *)ctx)->own;
	(void)e;
	switch (key) {
	case OPT_SWEEP: o->sweep_text = value; break;
	case OPT_WITH: o->with_text = value; break;
	case OPT_PUBLISHED: o->published = 1; break;
	case OPT_OVERHEADS: o->overheads = 1; break;
	case OPT_CONSTANTS: o->constants = 1; break;
	default: o->value[key - OPT_OF_MECHANISM] = value ? value : "";
	}
	return CT_OK;
}

/* The help of --sweep names the keys that the mechanism sweeps in a way of its own. */
static void write_sweep_help(struct ct_buf *b, const struct ct_mechanism *m)
{
	size_t line = 0;
	ct_buf_puts(b, "also estimate for KEY from A to B (SW records): a key of");
	for (unsigned i = 0; i <= m->n_sweeps; i++) {
		const char *word = i ? m->sweeps[i - 1].key : "-p";
		size_t before = b->len;
		ct_buf_printf(b, "%s%s", !i ? "\n" : i == m->n_sweeps ? " or " : ", ", word);
		line += b->len - before;
		if (line > HELP_WIDTH && i) { /* the word begins the next line */
			b->len = before;
			ct_buf_printf(b, "%s\n%s", i == m->n_sweeps ? " or" : ",", word);
			line = strlen(word);
		}
	}
}

/* What --help ends with: what the table's columns mean, and examples. */
static void write_guide(struct ct_buf *b, const struct ct_mechanism *m)
{
	ct_buf_puts(b,
	            "Columns of its table:\n"
	            "  over BASELINE            speed-up over the system that the paper compares with\n"
	            "  range                    what the estimate's error allows; the verdict's range\n"
	            "  why                      what changed most, and what limits now\n\n"
	            "Examples:\n");
	ct_buf_printf(b, "  %s TRACE\n  reuse TRACE | %s\n", m->command, m->command);
	ct_buf_printf(b, "  %s --method replay TRACE      every system replayed, none estimated\n",
	              m->command);
	ct_buf_printf(b, "  %s -g v100 --constants        the model's constants and their sources\n",
	              m->command);
}

/* Fills the table of the estimator's own options, in the order of --help. */
static unsigned write_options(struct program *p)
{
	const struct ct_mechanism *m = p->mechanism;
	unsigned n = 0;
	p->option[n++] = (struct ct_option){OPT_SWEEP, "sweep", "KEY=A..B[:STEP]", p->sweep_help.data};
	p->option[n++] = (struct ct_option){
		OPT_WITH, "with", "NAME[:SYSTEM],...", "replay it together with other mechanisms, too"};
	for (unsigned i = 0; i < m->n_options && i < EST_OPTIONS_MAX; i++)
		p->option[n++] = (struct ct_option){OPT_OF_MECHANISM + (int)i, m->options[i].name,
		                                    m->options[i].value, m->options[i].help};
	if (m->show_published)
		p->option[n++] = (struct ct_option){
			OPT_PUBLISHED, "published", NULL,
			"print the paper's numbers beside ours (table only)"};
	p->option[n++] = (struct ct_option){
		OPT_OVERHEADS, "overheads", NULL, "print what each system adds to the GPU, and exit"};
	p->option[n++] = (struct ct_option){
		OPT_CONSTANTS, "constants", NULL,
		"list the model's constants with units and sources, and\nexit"};
	return n;
}

/* ---- output ---- */

static void print_verdict(const struct est_answer *a, const struct ct_profile *p, struct ct_buf *b)
{
	const struct ct_mechanism *m = a->question.run.mechanism;
	struct ct_verdict v;
	b->failed |= ct_verdict_decide(p, m, &v) < 0;
	if (a->question.run.from_trace && ct_verdict_too_small(&v)) /* --sweep leaves the GPU whole */
		ct_size_advise_option(v.reason, sizeof v.reason);
	ct_judge_tell(&a->judge, &v);
	ct_verdict_line(&v, m, b);
}

/* Says what the rows above the verdict are: they and the verdict may be of two methods, and over two baselines. */
static void print_methods(const struct ct_mechanism_run *run, const struct ct_profile *p,
                          struct ct_buf *b)
{
	const struct ct_mechanism *m = run->mechanism;
	const int replays = run->method == CT_BY_REPLAY && m->shows_replays;
	struct ct_buf rest = {0};
	struct ct_estimate es;
	for (unsigned i = 0; replays && i < m->n_systems; i++) {
		const char *name = m->systems[i].name;
		if (ct_profile_get_estimate(p, "all", m->name, name, "speedup", NULL, &es) &&
		    !ct_profile_get_estimate(p, "all", m->name, name, "speedup", "replay", &es))
			ct_buf_printf(&rest, "%s%s", rest.len ? ", " : " but ", name);
	}
	ct_buf_printf(b, "the rows are %s%s over %s; the verdict is over this GPU as configured:\n",
	              replays ? "replays" : "estimates", rest.len ? rest.data : "", m->baseline);
	b->failed |= rest.failed;
	ct_buf_free(&rest);
}

/* The heading of a GPU that was scaled. */
static void print_sms(const struct ct_profile *p, struct ct_buf *b)
{
	double used, asked;
	char sms[48];
	const char *name = ct_profile_gp(p, "name");
	if (!ct_size_sms(p, &used, &asked) || used == asked)
		return;
	ct_size_name(used, asked, sms, sizeof sms);
	ct_buf_printf(b, "%s of %s, with their share of the LLC and the memory\n\n", sms,
	              name ? name : "the GPU");
}

static int print_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                       struct ct_error *e)
{
	const struct est_own *o = t->own;
	const struct ct_mechanism_run *run = &o->answer->question.run;
	const struct ct_mechanism *m = run->mechanism;
	print_sms(p, b);
	int st = m->show(run, ct_terminal_style(), b, e);
	if (st != CT_OK)
		return st;
	ct_buf_putc(b, '\n');
	print_methods(run, p, b);
	print_verdict(o->answer, p, b);
	if (o->with_text)
		ct_with_table(&o->answer->with, &o->answer->together, p, b);
	ct_sweeps_table(p, m->name, b);
	if (o->published)
		st = m->show_published(run, ct_terminal_style(), b, e);
	return st == CT_OK ? ct_buf_check(b, e) : st;
}

/* The GPU of the profile that is named, else that of the options. */
static int gpu_in_force(struct ct_tool *t, struct ct_gpu *g, struct ct_error *e)
{
	struct ct_input in;
	if (!t->operands)
		return ct_tool_gpu(t, NULL, g, e);
	int st = ct_tool_open_input(t, 0, &in, e);
	if (st != CT_OK)
		return st;
	st = ct_tool_gpu(t, in.profile, g, e);
	ct_input_close(&in);
	return st;
}

/* What needs no input: --constants, --overheads. */
static int print_overheads(struct ct_tool *t, const struct est_answer *a, struct ct_error *e)
{
	struct ct_buf b = {0};
	struct ct_gpu g;
	int st = gpu_in_force(t, &g, e);
	if (st == CT_OK)
		st = a->question.run.mechanism->show_overheads(
			&a->question.run, &g, ct_terminal_style(), &b, e);
	if (st == CT_OK)
		st = ct_tool_finish_tables(t, &b, e);
	if (st == CT_OK)
		st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

/* ---- running ---- */

/* The mechanisms of --with beside this one. */
static int read_with(const struct est_own *o, const struct ct_mechanism *m, struct ct_with *w,
                     struct ct_error *e)
{
	*w = (struct ct_with){.n = 0};
	if (!o->with_text)
		return CT_OK;
	ct_with_add(w, (unsigned)ct_mechanism_find(m->name));
	int st = ct_with_read(w, o->with_text, e);
	return st == CT_OK ? ct_with_check(w, e) : st;
}

/* Asks the question of the command line, then at each point of a sweep that the mechanism does not make itself. */
static int run_questions(struct ct_tool *t, struct est_answer *a, const struct est_sweep *sweep,
                         struct ct_error *e)
{
	struct est_own *o = t->own;
	const struct ct_mechanism *m = a->question.run.mechanism;
	struct ct_profile *before = NULL;
	int anew = o->sweep_text && !sweep->native;
	int st = ct_stage_open_pass(t, &a->stage, &a->pass, e);
	if (st != CT_OK)
		return st;
	if (anew && !(before = ct_tool_profile_copy(a->stage.p, e)))
		st = ct_fail_nomem(e);
	if (st == CT_OK)
		st = est_ask(a, e);
	if (st == CT_OK)
		st = est_judge(a, e);
	if (st == CT_OK && anew)
		st = est_sweep_run(t, m, sweep, before, a->stage.from_trace || a->stage.replayed,
		                   a->stage.p, e);
	if (st == CT_OK && o->with_text)
		st = ct_with_run(t, &a->stage, NULL, &a->with, &a->together, e);
	o->answer = a;
	if (st == CT_OK)
		st = ct_est_finish(t, &a->stage, m->name, print_table, e);
	ct_profile_free(before);
	ct_stage_close(&a->stage);
	return st;
}

static int run_estimator(struct ct_tool *t, struct ct_error *e)
{
	const struct est_own *o = t->own;
	const struct ct_mechanism *m = mechanism_of(t);
	struct est_sweep sweep = {.native = 0};
	struct est_answer *a = ct_calloc(1, sizeof *a);
	struct ct_with with;
	int st = a ? read_with(o, m, &with, e) : ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_tool_check_keys(
			t, UINT32_C(1) << ct_mechanism_find(m->name) | ct_with_mask(&with), e);
	t->whole = o->sweep_text != NULL; /* its values are those of the GPU that was named */
	if (st == CT_OK && o->sweep_text)
		st = est_sweep_read(o->sweep_text, m, &sweep, e);
	if (st == CT_OK)
		st = est_open(a, t, m, sweep.native ? &sweep.range : NULL, e);
	if (st == CT_OK)
		a->with = with;
	if (st == CT_OK && o->with_text)
		ct_tool_pass_for(t, &a->pass,
		                 ct_with_mask(&with) | UINT32_C(1) << ct_mechanism_find(m->name));
	if (st == CT_OK && o->constants)
		st = ct_est_constants(t, m->parameters, m->values(&a->question.run), e);
	else if (st == CT_OK && o->overheads)
		st = print_overheads(t, a, e);
	else if (st == CT_OK)
		st = run_questions(t, a, &sweep, e);
	if (a)
		est_close(a);
	free(a);
	return st;
}

int estimator_main(const struct ct_mechanism *m, int argc, char **argv)
{
	struct program p = {.mechanism = m};
	write_sweep_help(&p.sweep_help, m);
	write_guide(&p.guide, m);
	p.spec = (struct ct_tool_spec){
		.name = m->command,
		.operands = "[INPUT]",
		.summary = m->summary,
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_SEED |
	                 CT_TAKES_PROFILE,
		.options = p.option,
		.n_options = write_options(&p),
		.option = on_option,
		.own_size = sizeof(struct est_own),
		.guide = p.guide.data,
		.run = run_estimator,
		.reads_mechanisms = 1,
		.scales = 1,
	};
	int st = ct_tool_main(&p.spec, argc, argv);
	ct_buf_free(&p.sweep_help);
	ct_buf_free(&p.guide);
	return st;
}
