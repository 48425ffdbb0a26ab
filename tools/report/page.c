#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "common/chart.h"
#include "common/html.h"
#include "common/kernels.h"
#include "models/verdict/size.h"

enum { CHANGES_SHOWN = 100 };

void rep_verdict_words(const struct ct_verdict *v, char *out, size_t n)
{
	char s[32], range[CT_RANGE_TEXT_MAX];
	rep_speedup_text(v->speedup, s);
	ct_verdict_range_text(v, range);
	if (isnan(v->speedup))
		snprintf(out, n, "%s, no estimate", ct_verdict_word(v->word));
	else
		snprintf(out, n, "%s, speed-up %s, range %s", ct_verdict_word(v->word), s, range);
}

static int page_head(const struct rep_report *r, struct ct_buf *b, struct ct_error *e)
{
	int st = ct_html_head(b, r->title, e);
	ct_buf_puts(b, "<a class=\"skip\" href=\"#overview\">Skip to the overview</a>\n");
	return st;
}

/* ---- what it is about ---- */

/* Says how many workloads did not run on the whole GPU, and on how many of its SMs those did. */
static void tell_scaled(const struct rep_report *r, struct ct_buf *b)
{
	double used, asked, least = INFINITY, most = 0, whole = NAN;
	size_t n = 0;
	char text[48];
	for (size_t i = 0; i < r->run.n; i++) {
		if (!ct_size_sms(r->run.w[i].p, &used, &asked) || !(used < asked))
			continue;
		n++;
		least = used < least ? used : least;
		most = used > most ? used : most;
		whole = asked;
	}
	if (!n)
		return;
	ct_size_name(most, whole, text, sizeof text);
	if (n < r->run.n)
		ct_buf_printf(b, ", %zu of them", n);
	else
		ct_buf_puts(b, r->run.n > 1 ? ", all" : ",");
	ct_buf_puts(b, " scaled to ");
	if (least < most)
		ct_buf_printf(b, "%.0f to ", least);
	ct_buf_puts(b, text);
}

/* The page's head: how many workloads on which GPU, and links to its sections. */
static void page_lede(const struct rep_report *r, struct ct_buf *b)
{
	const char *gpu = NULL;
	int one = 1;
	for (size_t i = 0; i < r->run.n; i++) {
		const char *name = ct_profile_gp(r->run.w[i].p, "name");
		if (name && gpu && strcmp(gpu, name) != 0)
			one = 0;
		gpu = name ? name : gpu;
	}
	ct_buf_puts(b, "<header>\n<h1>");
	ct_escape_markup(b, r->title);
	ct_buf_printf(b, "</h1>\n<p class=\"lede\">%zu workload%s", r->run.n, r->run.n == 1 ? "" : "s");
	if (gpu && one) {
		ct_buf_puts(b, " on ");
		ct_escape_markup(b, gpu);
		tell_scaled(r, b);
	}
	ct_buf_puts(b,
	            ". Which would gain from which cache mechanism, by how much, and why. Speed-ups are "
	            "against the GPU as configured.</p>\n<nav aria-label=\"Sections\"><ul>"
	            "<li><a href=\"#overview\">Overview</a></li>");
	if (r->checks.n)
		ct_buf_puts(b, "<li><a href=\"#thresholds\">Thresholds</a></li>");
	if (r->compared)
		ct_buf_puts(b, "<li><a href=\"#changes\">Changes</a></li>");
	ct_buf_puts(
		b,
		"<li><a href=\"#workloads\">Workloads</a></li>"
		"<li><a href=\"#reading\">How to read this</a></li><li><a href=\"#words\">Words</a></li></ul></nav>\n</header>\n<main>\n");
}

/* Of one workload what costs most; of several who gains most, from what. */
static void findings(const struct rep_report *r, struct ct_buf *b)
{
	enum { SHOWN = 3 };
	const struct rep_run *run = &r->run;
	double below = INFINITY;
	if (run->n == 1) {
		rep_page_findings(&run->w[0], b);
		return;
	}
	ct_buf_puts(b, "<ul class=\"findings\">\n");
	for (int k = 0; k < SHOWN; k++) {
		const struct rep_workload *best = NULL;
		unsigned of = 0;
		double most = 0;
		for (size_t i = 0; i < run->n; i++)
			for (unsigned m = 0; rep_next_shown(run, &m); m++) {
				const struct ct_verdict *v = &run->w[i].v[m];
				if (v->word == CT_BENEFITS && v->speedup < below && v->speedup > most) {
					most = v->speedup;
					best = &run->w[i];
					of = m;
				}
			}
		if (!best)
			break;
		below = most;
		ct_buf_printf(b, "<li><a href=\"#w%zu\">", (size_t)(best - run->w));
		ct_escape_markup(b, best->name);
		ct_buf_printf(b, "</a> would run %.2f times as fast with %s: ", most,
		              ct_mechanism_at(of)->name);
		ct_escape_markup(b, best->v[of].reason);
		ct_buf_puts(b, ".</li>\n");
	}
	if (isinf(below))
		ct_buf_puts(b, "<li>No verdict says that a workload benefits.</li>\n");
	ct_buf_puts(b, "</ul>\n");
}

/* How many workloads have which verdict, by mechanism. */
static void verdict_tally(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_puts(b, "<dl class=\"tally\">\n");
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++) {
		size_t n[4];
		int said = 0;
		rep_count(&r->run, m, n);
		ct_buf_printf(b, "<div><dt>%s</dt><dd>", ct_mechanism_at(m)->name);
		for (int k = 0; k < 4; k++)
			if (n[k])
				ct_buf_printf(b, "%s<span class=\"v %s\">%zu %s</span>",
				              said++ ? "<br>" : "",
				              ct_verdict_word((enum ct_verdict_word)k), n[k],
				              ct_verdict_word((enum ct_verdict_word)k));
		ct_buf_puts(b, "</dd></div>\n");
	}
	ct_buf_puts(b, "</dl>\n");
}

static void select_option(struct ct_buf *b, const char *value)
{
	ct_buf_printf(b, "<option value=\"%s\">%s</option>", value, value);
}

static void filter_controls(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_puts(
		b,
		"<form class=\"controls\" hidden onsubmit=\"return false\">"
		"<label for=\"f-text\">Name contains<input id=\"f-text\" type=\"search\" autocomplete=\"off\"></label>"
		"<label for=\"f-verdict\">Verdict<select id=\"f-verdict\"><option value=\"\">any</option>");
	for (int k = 0; k < 4; k++)
		select_option(b, ct_verdict_word((enum ct_verdict_word)k));
	ct_buf_puts(b, "</select></label><label for=\"f-mechanism\">of<select id=\"f-mechanism\">"
	               "<option value=\"\">any mechanism</option>");
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
		select_option(b, ct_mechanism_at(m)->name);
	ct_buf_puts(b, "</select></label><output id=\"count\" role=\"status\"></output></form>\n");
}

/* Columns of numbers: metric, its name, a percentage or not. */
static const struct {
	const char *metric, *name;
	int percent;
} columns[] = {{"ipc", "IPC with launch", 0},
               {"l1_miss_rate", "L1 sector misses", 1},
               {"llc_mpki", "LLC sector MPKI", 0}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* A verdict with its speed-up and a small drawing of its range. The data attributes are what the page
 * sorts and filters by. */
static void verdict_cell(struct ct_buf *b, const struct rep_workload *w, unsigned m)
{
	const struct ct_verdict *v = &w->v[m];
	const char *word = ct_verdict_word(v->word), *name = ct_mechanism_at(m)->name;
	char words[160], s[32], range[CT_RANGE_TEXT_MAX], title[240];
	ct_buf_printf(b, "<td role=\"cell\" data-k=\"%s\" data-m=\"%s\" data-w=\"%s\" data-v=\"", name,
	              name, word);
	if (!isnan(v->speedup))
		ct_buf_real(b, v->speedup);
	ct_buf_printf(b, "\"><span class=\"v %s\">%s</span>", word, word);
	if (!isnan(v->speedup)) {
		rep_speedup_text(v->speedup, s);
		ct_verdict_range_text(v, range);
		rep_verdict_words(v, words, sizeof words);
		snprintf(title, sizeof title, "%s: %s", name, words);
		ct_buf_printf(b, " <span class=\"x\">%s (%s)</span>", s, range);
		ch_range(b, title, word, v->speedup, v->low, v->high, 96);
	}
	ct_buf_puts(b, "</td>");
}

/* A summary number of a workload, or a dash. */
static void number_cell(struct ct_buf *b, const struct rep_workload *w, int c)
{
	double v = rep_sn(w, columns[c].metric);
	char t[32];
	ct_buf_printf(b, "<td role=\"cell\" class=\"n\" data-k=\"%s\" data-v=\"", columns[c].name);
	if (isnan(v)) {
		ct_buf_puts(b, "\">-</td>");
		return;
	}
	ct_buf_real(b, v);
	if (columns[c].percent)
		snprintf(t, sizeof t, "%.1f %%", 100 * v);
	else
		ch_number(v, t);
	ct_buf_printf(b, "\">%s</td>", t);
}

static void limit_cell(struct ct_buf *b, const struct rep_workload *w)
{
	char limit[CT_KERNEL_LIMIT];
	b->failed |= ct_kernel_limit(w->p, "all", limit, sizeof limit) < 0;
	ct_buf_printf(b, "<td role=\"cell\" data-k=\"limited by\" data-v=\"%s\">", limit);
	for (const char *s = limit; *s; s++) /* a unit stays with its number */
		ct_buf_puts(b, s[0] == ' ' && s[1] == '%' ? "&nbsp;" : (const char[]){*s, '\0'});
	ct_buf_puts(b, "</td>");
}

/* Which of them rest on parts of their traces. */
static void partial_workloads(const struct rep_report *r, struct ct_buf *b)
{
	enum { SHOWN = 50 };
	char part[REP_PART_TEXT];
	const char *run;
	const struct rep_workload *w;
	size_t n = 0;
	for (size_t i = 0; (w = rep_next_part(r, &i, &run, part));) {
		if (++n > SHOWN)
			continue;
		ct_buf_puts(b, n > 1 ? ", " : "<p><strong>Not of whole traces:</strong> ");
		if (!*run)
			ct_buf_printf(b, "<a href=\"#w%zu\">", i - 1);
		ct_escape_markup(b, w->name);
		if (!*run)
			ct_buf_puts(b, "</a>");
		else
			ct_buf_printf(b, "%s: %s", run, part);
	}
	if (n > SHOWN)
		ct_buf_printf(b, " and %zu more", n - SHOWN);
	ct_buf_puts(b, n ? ".</p>\n" : "");
}

/* A workload's place in the overview. */
struct place {
	size_t i;       /* in the run */
	unsigned kind;  /* 0: a verdict says benefits; 1: one says hurts; 2: none says either */
	double speedup; /* the largest that benefits, else the smallest that hurts */
};

static int by_news(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind < 2 && a->speedup != b->speedup)
		return (a->speedup > b->speedup) == (a->kind == 0) ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static struct place place_of_workload(const struct rep_run *run, size_t i)
{
	struct place x = {i, 2, NAN};
	for (unsigned m = 0; rep_next_shown(run, &m); m++) {
		const struct ct_verdict *v = &run->w[i].v[m];
		unsigned kind = v->word == CT_BENEFITS ? 0 : v->word == CT_HURTS ? 1 : 2;
		if (kind < x.kind)
			x = (struct place){i, kind, v->speedup};
		else if (kind == x.kind && kind < 2)
			x.speedup = kind ? fmin(x.speedup, v->speedup) : fmax(x.speedup, v->speedup);
	}
	return x;
}

/* The rows of the overview: those that gain most first, then those that lose most, then the others by name. */
static void overview_rows(const struct rep_report *r, struct ct_buf *b)
{
	struct place *at = ct_calloc(r->run.n + 1, sizeof *at);
	b->failed |= !at;
	for (size_t i = 0; at && i < r->run.n; i++)
		at[i] = place_of_workload(&r->run, i);
	if (at)
		qsort(at, r->run.n, sizeof *at, by_news);
	for (size_t i = 0; at && i < r->run.n; i++) {
		const struct rep_workload *w = &r->run.w[at[i].i];
		ct_buf_puts(b, "<tr role=\"row\" data-name=\"");
		ct_escape_markup(b, w->name);
		ct_buf_printf(
			b, "\" data-id=\"w%zu\"><th scope=\"row\" role=\"rowheader\"><a href=\"#w%zu\">",
			at[i].i, at[i].i);
		ct_escape_markup(b, w->name);
		ct_buf_puts(b, "</a></th>");
		for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
			verdict_cell(b, w, m);
		for (int c = 0; c < COLUMNS; c++)
			number_cell(b, w, c);
		limit_cell(b, w);
		ct_buf_puts(b, "</tr>\n");
	}
	free(at);
}

/* Roles beside the elements: as blocks, on a phone, browsers take tables for no tables. */
static void verdict_overview(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_puts(b, "<section aria-labelledby=\"overview\">\n<h2 id=\"overview\">Overview</h2>\n");
	findings(r, b);
	verdict_tally(r, b);
	ct_buf_puts(b, "<h3>By workload</h3>\n");
	filter_controls(r, b);
	ct_buf_puts(
		b,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Verdicts by workload\">"
		"<table class=\"overview\" role=\"table\">\n<caption>A verdict per mechanism, with the speed-up and "
		"its range, those that gain or lose most first.<span class=\"screen\"> Activate a heading to "
		"sort.</span></caption>\n"
		"<thead role=\"rowgroup\"><tr role=\"row\"><th scope=\"col\" role=\"columnheader\">workload</th>");
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
		ct_buf_printf(
			b, "<th scope=\"col\" role=\"columnheader\" data-first=\"descending\">%s</th>",
			ct_mechanism_at(m)->name);
	for (int c = 0; c < COLUMNS; c++)
		ct_buf_printf(
			b,
			"<th scope=\"col\" role=\"columnheader\" class=\"n\" data-first=\"descending\">%s</th>",
			columns[c].name);
	ct_buf_puts(b, "<th scope=\"col\" role=\"columnheader\">limited by</th></tr></thead>\n"
	               "<tbody role=\"rowgroup\">\n");
	overview_rows(r, b);
	ct_buf_puts(b, "</tbody>\n</table></div>\n");
	partial_workloads(r, b);
	ct_buf_puts(b, "</section>\n");
}

/* The thresholds with their results and reasons. */
static void threshold_list(const struct rep_report *r, struct ct_buf *b)
{
	char why[320];
	if (!r->checks.n)
		return;
	ct_buf_printf(b,
	              "<section aria-labelledby=\"thresholds\">\n<h2 id=\"thresholds\">Thresholds</h2>\n"
	              "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Thresholds\">"
	              "<table><caption>%zu of %zu do not hold.</caption><thead><tr>"
	              "<th scope=\"col\">result</th><th scope=\"col\">threshold</th>"
	              "<th scope=\"col\">why</th></tr></thead><tbody>\n",
	              r->checks.failed, r->checks.n);
	for (size_t i = 0; i < r->checks.n; i++) {
		const struct rep_check *c = &r->checks.check[i];
		const char *word = c->skipped ? "skipped" : c->passed ? "passed" : "failed";
		rep_check_why(c, why, sizeof why);
		ct_buf_printf(b, "<tr><td class=\"%s\">%s</td><td><code>", word, word);
		ct_escape_markup(b, ct_require_text(c->r));
		ct_buf_puts(b, "</code></td><td>");
		ct_escape_markup(b, why);
		ct_buf_puts(b, "</td></tr>\n");
	}
	ct_buf_puts(b, "</tbody></table></div>\n</section>\n");
}

/* A row of the table of changes. A verdict has words in place of numbers. */
static void change(struct ct_buf *b, const struct rep_change *x)
{
	char t[32];
	ct_buf_puts(b, "<tr><th scope=\"row\">");
	ct_escape_markup(b, x->w->name);
	ct_buf_puts(b, "</th><td><code>");
	ct_escape_markup(b, x->what);
	ct_buf_puts(b, "</code></td>");
	if (x->word_before) {
		ct_buf_printf(
			b,
			"<td><span class=\"v %s\">%s</span></td><td><span class=\"v %s\">%s</span></td>"
			"<td></td></tr>\n",
			x->word_before, x->word_before, x->word_after, x->word_after);
		return;
	}
	ch_number(x->before, t);
	ct_buf_printf(b, "<td class=\"n\">%s</td>", t);
	ch_number(x->after, t);
	ct_buf_printf(b, "<td class=\"n\">%s</td><td class=\"n\">", t);
	if (rep_change_percent(x, t))
		ct_buf_puts(b, t);
	ct_buf_puts(b, "</td></tr>\n");
}

static void names(struct ct_buf *b, const char *what, const char *const *name, size_t n)
{
	if (!n)
		return;
	ct_buf_printf(b, "<p>%s: ", what);
	for (size_t i = 0; i < n; i++) {
		ct_buf_puts(b, i ? ", " : "");
		ct_escape_markup(b, name[i]);
	}
	ct_buf_puts(b, "</p>\n");
}

/* The changes of one way, the largest first. */
static void changes_of(const struct rep_change *x, size_t n, enum rep_way way, struct ct_buf *b)
{
	const char *name = rep_way_name(way);
	if (!n)
		return;
	ct_buf_printf(
		b,
		"<h3>%s</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
		"<table><caption>%s</caption><thead><tr>"
		"<th scope=\"col\">workload</th><th scope=\"col\">value</th><th scope=\"col\" class=\"n\">"
		"old</th><th scope=\"col\" class=\"n\">new</th><th scope=\"col\" class=\"n\">change</th>"
		"</tr></thead><tbody>\n",
		name, name, n > CHANGES_SHOWN ? "The 100 largest." : "Largest first.");
	for (size_t i = 0; i < n && i < CHANGES_SHOWN; i++)
		change(b, &x[i]);
	ct_buf_puts(b, "</tbody></table></div>\n");
}

/* What changed since the old run, in three groups: worse, better, neither. */
static void changes(const struct rep_report *r, struct ct_buf *b)
{
	const struct rep_changes *c = &r->changes;
	if (!r->compared)
		return;
	ct_buf_printf(b,
	              "<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">Changes</h2>\n<p>%zu "
	              "value%s changed; %zu of %zu workloads are the same.</p>\n",
	              c->n, c->n == 1 ? "" : "s", c->same, r->run.n);
	names(b, "Only in the old run", c->only_old, c->n_old);
	names(b, "Only in the new run", c->only_new, c->n_new);
	size_t at = 0;
	for (int way = 0; c->n && way < REP_WAYS; at += c->n_way[way++])
		changes_of(c->change + at, c->n_way[way], (enum rep_way)way, b);
	ct_buf_puts(b, "</section>\n");
}

/* The systems of the mechanisms that were judged, which reasons and charts name. */
static void glossary_of_systems(const struct rep_report *r, struct ct_buf *b)
{
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++) {
		const struct ct_mechanism *x = ct_mechanism_at(m);
		ct_buf_printf(b, "<dt>%s</dt><dd>", x->name);
		ct_escape_markup(b, x->summary);
		ct_buf_puts(b, "</dd>\n");
		for (unsigned i = 0; i < x->n_systems; i++) {
			ct_buf_puts(b, "<dt>");
			ct_escape_markup(b, x->systems[i].name);
			ct_buf_printf(b, "</dt><dd>of %s: ", x->name);
			ct_escape_markup(b, x->systems[i].help);
			ct_buf_puts(b, "</dd>\n");
		}
	}
}

/* Words that a newcomer may not know. */
static void glossary(const struct rep_report *r, struct ct_buf *b)
{
	static const char *const word[][2] = {
		{"CTA", "a thread block: the warps that share an SM's shared memory"},
		{"GPU as configured", "the one whose keys the profile holds, without any mechanism"},
		{"L1, LLC", "the cache of each SM; the last-level cache that all SMs share"},
		{"latency", "as a limit: nothing is busy, warps wait for answers"},
		{"MPKI", "misses for each 1000 thread instructions"},
		{"request", "one memory instruction of one warp"},
		{"reuse distance",
	         "how many other lines are touched before a line is touched again; an LRU cache "
	         "with more lines than that hits"},
		{"sector", "32 bytes, a quarter of a line: what a cache fetches"},
		{"SM", "streaming multiprocessor: a core of the GPU"},
		{"waits", "cycles in which the next instruction of a warp waits for memory"},
		{"warp", "32 threads that execute together"},
		{"waves", "how often all CTAs that fit are placed"},
	};
	/* A link to what lies in closed details opens them. */
	ct_buf_puts(b, "<details><summary>Words</summary>\n<dl id=\"words\" class=\"why\">");
	for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
		ct_buf_printf(b, "<dt>%s</dt><dd>%s</dd>\n", word[i][0], word[i][1]);
	glossary_of_systems(r, b);
	ct_buf_puts(b, "</dl></details>\n");
}

/* What the words of the page mean, so that it explains itself without the manual. */
static void reading_guide(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_puts(
		b,
		"<section aria-labelledby=\"reading\">\n<h2 id=\"reading\">How to read this</h2>\n"
		"<p>A workload <span class=\"v benefits\">benefits</span> where the whole range of the speed-up is "
		"above 1.02, over the GPU as configured and over the best simpler system, the mechanism "
		"<span class=\"v hurts\">hurts</span> where it is below 0.98 of the GPU as configured, and is "
		"<span class=\"v neutral\">neutral</span> where the range lies between or what is simpler gives as "
		"much. Else, or where the trace "
		"or profile cannot tell, the verdict is <span class=\"v unknown\">unknown</span> and the reason says "
		"what to do. The range holds what the estimate does not know, the error that such estimates had "
		"against a cycle-level simulator, and sampling; <code>triage(1)</code> has the rule. "
		"The small bars run from half to twice the speed, on a logarithmic scale around 1.</p>\n");
	glossary(r, b);
	ct_buf_puts(b, "</section>\n");
}

int rep_page(const struct rep_report *r, struct ct_buf *b, struct ct_error *e)
{
	int st = page_head(r, b, e);
	if (st != CT_OK)
		return st;
	page_lede(r, b);
	verdict_overview(r, b);
	threshold_list(r, b);
	changes(r, b);
	ct_buf_puts(b, "<section aria-labelledby=\"workloads\">\n<h2 id=\"workloads\">Workloads</h2>\n");
	for (size_t i = 0; i < r->run.n; i++)
		rep_page_workload(&r->run, &r->run.w[i], i, r->run.n == 1, b);
	ct_buf_puts(b, "</section>\n");
	reading_guide(r, b);
	ct_buf_puts(b, "</main>\n<script>\n");
	st = ct_html_file(b, "page.js", e);
	ct_buf_puts(b, "</script>\n</body>\n</html>\n");
	return st == CT_OK ? ct_buf_check(b, e) : st;
}
