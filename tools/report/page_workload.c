/* page_workload.c - what the page says about one workload. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/units.h"
#include "models/verdict/size.h"
#include "models/common/baseline.h"
#include "pass/origin.h"
#include "common/chart.h"
#include "report/page.h"

enum { BUCKETS = 28, POINTS = 25, SM_POINTS = 256, COMMAND_SHOWN = 300 };

/* The histogram into h; its total, 0 when the profile has none. */
static double read_hist(const struct rep_workload *w, const char *view, struct ct_hist *h)
{
	memset(h, 0, sizeof *h);
	return ct_profile_get_hist(w->p, "all", view, h, NULL) ? (double)ct_hist_total(h) : 0;
}

/* ---- verdicts ---- */

/* What decided, what the mechanism has to beat, and on how much of the GPU that was named. */
static void verdict_context(const struct ct_verdict *v, struct ct_buf *b)
{
	static const char *const by[] = {[CT_DECIDED_BOUND] = "by what an ideal gains",
	                                 [CT_DECIDED_ESTIMATE] = "by the estimate",
	                                 [CT_DECIDED_QUICK] = "by replays in quick timing",
	                                 [CT_DECIDED_FULL] = "by replays in full timing"};
	char sms[48];
	if (v->decided_by != CT_DECIDED_NOT)
		ct_buf_printf(b, ", %s", by[v->decided_by]);
	if (!isnan(v->alternative_speedup)) {
		ct_buf_puts(b, ", beside ");
		ct_escape_markup(b, v->alternative);
		ct_buf_printf(b, " %.3g", v->alternative_speedup);
	}
	ct_size_name(v->sms_used, v->sms_asked, sms, sizeof sms);
	if (*sms)
		ct_buf_printf(b, ", on %s", sms);
}

static void verdict_row(const struct rep_workload *w, unsigned m, struct ct_buf *b)
{
	const struct ct_verdict *v = &w->v[m];
	char s[32], range[CT_RANGE_TEXT_MAX];
	rep_speedup_text(v->speedup, s);
	ct_verdict_range_text(v, range);
	ct_buf_printf(b, "<dt>%s</dt><dd><span class=\"v %s\">%s</span>", ct_mechanism_at(m)->name,
	              ct_verdict_word(v->word), ct_verdict_word(v->word));
	if (!isnan(v->speedup))
		ct_buf_printf(b, " %s (%s)", s, range);
	verdict_context(v, b);
	ct_buf_puts(b, ": ");
	ct_escape_markup(b, v->reason);
	ct_buf_puts(b, "</dd>\n");
}

static int changes_much(const struct ct_verdict *v)
{
	return v->word == CT_BENEFITS || v->word == CT_HURTS;
}

/* What gains or loses first; what changes little, or is not known, folded away behind it. */
static void verdict_list(const struct rep_run *run, const struct rep_workload *w, struct ct_buf *b)
{
	char part[REP_PART_TEXT];
	unsigned much = 0, little = 0;
	if (rep_part(w, part, sizeof part) != REP_WHOLE)
		ct_buf_printf(b, "<p><strong>%c%s.</strong></p>\n", part[0] - 'a' + 'A', part + 1);
	for (unsigned m = 0; rep_next_shown(run, &m); m++)
		*(changes_much(&w->v[m]) ? &much : &little) += 1;
	if (much) {
		ct_buf_puts(b, "<dl class=\"why\">");
		for (unsigned m = 0; rep_next_shown(run, &m); m++)
			if (changes_much(&w->v[m]))
				verdict_row(w, m, b);
		ct_buf_puts(b, "</dl>\n");
	}
	if (!little)
		return;
	if (much)
		ct_buf_printf(b, "<details><summary>%u more: neutral or unknown</summary>\n", little);
	ct_buf_puts(b, "<dl class=\"why\">");
	for (unsigned m = 0; rep_next_shown(run, &m); m++)
		if (!changes_much(&w->v[m]))
			verdict_row(w, m, b);
	ct_buf_printf(b, "</dl>%s\n", much ? "</details>" : "");
}

/* ---- reuse distances ---- */

/* Draws the reuse distances of a view in buckets of a factor of four, with first touches apart. */
static void histogram(const struct rep_workload *w, size_t i, const char *view, const char *name,
                      struct ct_buf *b)
{
	static const char *const series[] = {"share"};
	struct ct_hist h;
	struct ch_bar bar[BUCKETS + 1];
	char label[BUCKETS + 1][16], id[48], title[80], desc[200];
	double total = read_hist(w, view, &h), below = 0, lines = 1;
	size_t n = 0;
	if (total > 0) {
		for (; n < BUCKETS && below < total - (double)h.cold - 0.5; n++, lines *= 4) {
			double hits = ct_hist_hits(&h, lines);
			char t[32];
			ch_number(lines, t);
			snprintf(label[n], sizeof label[n], "<%.12s", t);
			bar[n] = (struct ch_bar){.name = label[n], .v = {(hits - below) / total}};
			below = hits;
		}
		bar[n++] = (struct ch_bar){.name = "first", .v = {(double)h.cold / total}};
		snprintf(id, sizeof id, "w%zu-rd-%s", i, view);
		snprintf(title, sizeof title, "Reuse distances of line reads, %s", name);
		snprintf(
			desc, sizeof desc,
			"Share of %.0f reads of lines by stack distance in lines; %.1f %% are first touches.",
			total, 100 * (double)h.cold / total);
		struct ch_axes a = {.id = id,
		                    .title = title,
		                    .desc = desc,
		                    .x = "distance, lines",
		                    .y = "line reads",
		                    .percent_y = 1,
		                    .mark_x = NAN};
		ct_buf_puts(b, "<figure>");
		ch_bars(b, &a, series, 1, bar, n, NULL, 0);
		ct_buf_printf(b, "<figcaption>%s</figcaption></figure>\n", title);
	}
}

/* ---- miss ratios ---- */

/* The miss rates of a level from 1/64 to 64 times the capacity in force, which is a point of them. Returns how many, 0
 * where the profile has none. */
static size_t draw_curve(const struct rep_workload *w, const char *level, const struct ct_gpu *g,
                         double *x, double *y)
{
	double factor[POINTS];
	int is_l1 = strcmp(level, "l1") == 0;
	for (int i = 0; i < POINTS; i++) {
		int odd = i % 2; /* as the distance to the middle is */
		factor[i] = ldexp(1, (i - odd - POINTS / 2) / 2) * (odd ? M_SQRT2 : 1);
		x[i] = factor[i] * (double)(is_l1 ? g->l1.size : ct_gpu_llc_bytes(g));
	}
	int any = is_l1 ? ct_baseline_l1_rates(w->p, g, "all", factor, POINTS, y)
	                : ct_baseline_llc_rates(w->p, g, "all", factor, POINTS, y);
	return any && !isnan(y[0]) ? POINTS : 0;
}

/* The rate that everything else on the page calls by this name stands at the capacity in force. */
static void miss_ratio(const struct rep_workload *w, size_t i, const char *level, const char *name,
                       const char *metric, struct ct_buf *b)
{
	double x[POINTS], y[POINTS];
	struct ct_gpu g;
	char id[48], title[80], desc[240], here[80], t[32];
	int st = ct_pass_get_gpu(w->p, &g, NULL);
	b->failed |= st == CT_ERR_NOMEM;
	if (st != CT_OK)
		return;
	struct ch_line l = {"sector misses", x, y, draw_curve(w, level, &g, x, y), 0};
	if (l.n < 2)
		return;
	ch_size(x[POINTS / 2], t);
	snprintf(here, sizeof here, "configured %s: %.1f %%", t, 100 * y[POINTS / 2]);
	snprintf(id, sizeof id, "w%zu-mr-%s", i, level);
	snprintf(title, sizeof title, "Sector misses by capacity, %s", name);
	snprintf(desc, sizeof desc,
	         "From %.1f %% at the smallest to %.1f %% at the largest capacity shown; %.1f %% at the "
	         "capacity in force (%s), elsewhere moved as reuse distances tell.",
	         100 * y[0], 100 * y[l.n - 1], 100 * y[POINTS / 2], metric);
	struct ch_axes a = {
		.id = id,
		.title = title,
		.desc = desc,
		.x = "capacity",
		.y = "sector misses",
		.log_x = 1,
		.size_x = 1,
		.percent_y = 1,
		.y_max = 1,
		.mark_x = x[POINTS / 2],
		.mark = here};
	ct_buf_puts(b, "<figure>");
	ch_lines(b, &a, &l, 1);
	ct_buf_printf(b, "<figcaption>%s</figcaption></figure>\n", title);
}

/* ---- IPC against SMs ---- */

struct sweep {
	double x[SM_POINTS], y[SM_POINTS];
	size_t n;
};

static int by_x(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Reads IPC by the number of SMs that compute, in ascending order. */
static void read_sweep(const struct rep_workload *w, const char *mechanism, const char *system,
                       struct sweep *s)
{
	const struct ct_record *r;
	double pair[SM_POINTS][2];
	s->n = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "SW", &i));)
		if (r->nfields >= 9 && s->n < SM_POINTS && !strcmp(r->field[0], "all") &&
		    !strcmp(r->field[1], mechanism) && !strcmp(r->field[2], system) &&
		    !strcmp(r->field[3], "sms") && !strcmp(r->field[5], "ipc") &&
		    ct_field_real(r->field[4], &pair[s->n][0]) &&
		    ct_field_real(r->field[6], &pair[s->n][1]))
			s->n++;
	qsort(pair, s->n, sizeof pair[0], by_x);
	for (size_t i = 0; i < s->n; i++) {
		s->x[i] = pair[i][0];
		s->y[i] = pair[i][1];
	}
}

/* The first mechanism that sweeps the number of SMs that compute, or NULL. */
static const struct ct_mechanism *sweeps_sms(void)
{
	const struct ct_mechanism *m;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++)
		for (unsigned k = 0; k < m->n_sweeps; k++)
			if (strcmp(m->sweeps[k].key, "sms") == 0)
				return m;
	return NULL;
}

/* Draws the IPC of its baseline and of its judged system by that number: 1 when the profile has such a sweep. */
static int ipc_by_sms(const struct rep_workload *w, size_t i, struct ct_buf *b)
{
	const struct ct_mechanism *m = sweeps_sms();
	if (!m)
		return 0;
	const char *const system[] = {m->baseline, m->judged};
	struct sweep *s = ct_calloc(2, sizeof *s);
	struct ch_line line[2];
	size_t n = 0;
	double sms;
	char id[32], configured[48];
	if (!s)
		b->failed = 1;
	if (!ct_field_real(ct_profile_gp(w->p, "sm.count") ? ct_profile_gp(w->p, "sm.count") : "", &sms))
		sms = NAN;
	snprintf(configured, sizeof configured, "configured %.0f", sms);
	for (int k = 0; s && k < 2; k++) {
		read_sweep(w, m->name, system[k], &s[k]);
		if (s[k].n > 1)
			line[n++] = (struct ch_line){system[k], s[k].x, s[k].y, s[k].n, k == 1};
	}
	if (n) {
		snprintf(id, sizeof id, "w%zu-ipc", i);
		struct ch_axes a = {
			.id = id,
			.title = "IPC by the number of SMs that compute",
			.desc = "Thread instructions per cycle of the whole GPU, launches included.",
			.x = "compute SMs",
			.y = "IPC with launch",
			.mark_x = sms,
			.mark = configured,
			.whole_x = 1};
		ct_buf_puts(b, "<figure>");
		ch_lines(b, &a, line, n);
		ct_buf_puts(b,
		            "<figcaption>IPC by the number of SMs that compute</figcaption></figure>\n");
	}
	int swept = s && s[0].n > 0;
	free(s);
	return swept;
}

/* ---- breakdowns ---- */

/* Draws what a whole consists of, such as the reasons of misses. Nothing is drawn where nothing is
 * known. */
static void draw_shares(const struct rep_workload *w, size_t i, const char *what, const char *title,
                        const char *const *metric, const char *const *name, size_t n, struct ct_buf *b)
{
	struct ch_part part[10];
	char id[48], desc[300];
	double sum = 0;
	size_t at = 0;
	for (size_t k = 0; k < n; k++) {
		part[k] = (struct ch_part){name[k], rep_sn(w, metric[k])};
		sum += part[k].v > 0 ? part[k].v : 0;
	}
	if (!(sum > 0))
		return;
	for (size_t k = 0; k < n && at < sizeof desc; k++)
		if (part[k].v > 0)
			at += (size_t)snprintf(desc + at, sizeof desc - at, "%s %.1f %%. ", name[k],
			                       100 * part[k].v / sum);
	snprintf(id, sizeof id, "w%zu-%s", i, what);
	ct_buf_puts(b, "<figure>");
	ch_shares(b, id, title, desc, part, n);
	ct_buf_puts(b, "</figure>\n");
}

/* Accesses of a level: hits are what neither misses nor is on its way. */
static void draw_accesses(const struct rep_workload *w, size_t i, const char *level, const char *title,
                          struct ct_buf *b)
{
	char key[3][64], id[32], desc[200];
	snprintf(key[0], 64, "%s_sector_accesses", level);
	snprintf(key[1], 64, "%s_pending_hits", level);
	snprintf(key[2], 64, "%s_sector_misses", level);
	double all = rep_sn(w, key[0]), pending = rep_sn(w, key[1]), miss = rep_sn(w, key[2]);
	pending = isnan(pending) ? 0 : pending;
	if (!(all > 0) || isnan(miss))
		return;
	struct ch_part part[] = {
		{"hits", all - pending - miss}, {"misses", miss}, {"already on the way", pending}};
	snprintf(id, sizeof id, "w%zu-%s", i, level);
	snprintf(desc, sizeof desc,
	         "Of %.0f sector accesses %.1f %% hit, %.1f %% miss, %.1f %% wait for a "
	         "sector already asked for.",
	         all, 100 * (all - pending - miss) / all, 100 * miss / all, 100 * pending / all);
	ct_buf_puts(b, "<figure>");
	ch_shares(b, id, title, desc, part, 3);
	ct_buf_puts(b, "</figure>\n");
}

/* The bars are low: they stand one above the other in one place of the grid, or there is no such place. */
static void breakdowns(const struct rep_workload *w, size_t i, struct ct_buf *b)
{
	static const char *const kind[] = {
		"first touch", "capacity", "associativity", "latency", "MSHRs"};
	static const char *const l1[] = {
		"l1_compulsory_misses", "l1_capacity_misses", "l1_associativity_misses",
		"l1_latency_misses", "l1_mshr_misses"};
	static const char *const llc[] = {
		"llc_compulsory_misses", "llc_capacity_misses", "llc_associativity_misses",
		"llc_latency_misses", "llc_mshr_misses"};
	static const char *const stack[] = {
		"cycles_stack_base", "cycles_stack_issue",   "cycles_stack_dependencies",
		"cycles_stack_l1",   "cycles_stack_network", "cycles_stack_llc",
		"cycles_stack_dram"};
	static const char *const time[] = {
		"work", "issue", "dependencies", "L1", "network", "LLC", "DRAM"};
	struct ct_buf bars = {0};
	draw_accesses(w, i, "l1", "L1 sector accesses", &bars);
	draw_accesses(w, i, "llc", "LLC sector accesses", &bars);
	draw_shares(w, i, "l1-why", "Why sectors miss the L1", l1, kind, 5, &bars);
	draw_shares(w, i, "llc-why", "Why sectors miss the LLC", llc, kind, 5, &bars);
	draw_shares(w, i, "cycles", "Where the cycles go, launches left out", stack, time, 7, &bars);
	if (bars.len) {
		ct_buf_puts(b, "<div class=\"shares\">\n");
		ct_buf_add(b, bars.data, bars.len);
		ct_buf_puts(b, "</div>\n");
	}
	b->failed |= bars.failed;
	ct_buf_free(&bars);
}

static int has_records(const struct rep_workload *w, const char *type)
{
	size_t i = 0;
	return ct_profile_next(w->p, type, &i) != NULL;
}

/* What other commands would add; for a document of verdicts only, everything. */
static void tell_lacking(const struct rep_workload *w, int swept, struct ct_buf *b)
{
	const struct ct_mechanism *m = sweeps_sms();
	char sweep[64];
	struct hint {
		const char *what, *how;
		int missing;
	} hint[] = {
		{"why accesses miss and where the cycles go", "mpki --explain",
	         isnan(rep_sn(w, "cycles_stack_base"))},
		{"instructions and arrays", "reuse --annotate", !has_records(w, "PC")},
		{"phases", "mpki --every N", !has_records(w, "PH")},
		{"IPC by the number of SMs", sweep, m && !swept},
	};
	snprintf(sweep, sizeof sweep, "%s --sweep sms=...", m ? m->command : "");
	int said = 0;
	size_t at = 0;
	if (!ct_profile_next(w->p, "SN", &at)) {
		ct_buf_puts(
			b,
			"<p class=\"lacking\">Verdicts only: give <code>report</code> the profiles themselves, as "
			"<code>triage --resume DIR</code> keeps them, for charts.</p>\n");
		return;
	}
	for (size_t i = 0; i < sizeof hint / sizeof hint[0]; i++)
		if (hint[i].missing)
			ct_buf_printf(b, "%s%s (<code>%s</code>)",
			              said++ ? ", " : "<p class=\"lacking\">Not in this profile: ",
			              hint[i].what, hint[i].how);
	if (said)
		ct_buf_puts(b, ".</p>\n");
}

/* ---- systems ---- */

static int same_system(const struct ct_record *a, const struct ct_record *r)
{
	return strcmp(a->field[1], r->field[1]) == 0 && strcmp(a->field[2], r->field[2]) == 0;
}

/* A speed-up, how it looks on a scale, and its range as verdicts state it. */
static void speedup_cells(const struct rep_workload *w, const struct ct_estimate *es, int is_baseline,
                          struct ct_buf *b)
{
	struct ct_verdict v = {.speedup = es->value};
	char s[32], range[CT_RANGE_TEXT_MAX], title[240];
	ct_verdict_range(w->p, es, &v.low, &v.high);
	rep_speedup_text(es->value, s);
	ct_verdict_range_text(&v, range);
	snprintf(title, sizeof title, "%.80s: speed-up %s", es->system, s);
	ct_buf_printf(b, "<td class=\"n\">%s</td><td>", s);
	ch_range(b, title, "s0", es->value, is_baseline ? NAN : v.low, is_baseline ? NAN : v.high, 160);
	ct_buf_printf(b, "</td><td class=\"n\">%s</td>", is_baseline ? "baseline" : range);
}

static void system_row(const struct rep_workload *w, const struct ct_mechanism *m, const char *system,
                       struct ct_buf *b)
{
	struct ct_estimate es, own, watt;
	struct ct_verdict v = {.speedup = NAN};
	char s[32] = "", range[CT_RANGE_TEXT_MAX];
	if (!rep_es(w, m->name, system, "speedup", &es))
		return;
	ct_buf_puts(b, "<tr><th scope=\"row\">");
	ct_escape_markup(b, system);
	ct_buf_puts(b, "</th>");
	speedup_cells(w, &es, strcmp(system, m->baseline) == 0, b);
	ct_buf_puts(b, "<td class=\"n\">");
	if (rep_es(w, m->name, system, "speedup_configured", &own) && !isnan(own.value)) {
		ct_verdict_range(w->p, &own, &v.low, &v.high);
		rep_speedup_text(own.value, s);
		ct_verdict_range_text(&v, range);
		ct_buf_printf(b, "%s (%s)", s, range);
	}
	ct_buf_puts(b, "</td><td class=\"n\">");
	if (rep_es(w, m->name, system, "perf_per_watt", &watt) && !isnan(watt.value))
		ct_buf_printf(b, "%.2f", watt.value);
	ct_buf_puts(b, "</td><td>");
	ct_escape_markup(b, es.method);
	ct_buf_puts(b, "</td></tr>\n");
}

static const char *help_of(const struct ct_mechanism *m, const char *system)
{
	for (unsigned i = 0; i < m->n_systems; i++)
		if (strcmp(m->systems[i].name, system) == 0)
			return m->systems[i].help;
	return "";
}

static void system_head(const struct ct_mechanism *m, struct ct_buf *b)
{
	ct_buf_printf(b,
	              "<h4>%s: every system of its paper</h4>\n<div class=\"scroll\" tabindex=\"0\" "
	              "role=\"region\" aria-label=\"Systems of %s\"><table class=\"systems\"><caption>"
	              "Speed-ups against the paper's own baseline, %s (",
	              m->name, m->name, m->baseline);
	ct_escape_markup(b, help_of(m, m->baseline));
	ct_buf_printf(b,
	              "), and against this GPU as configured, which verdicts use.</caption><thead><tr>"
	              "<th scope=\"col\">system</th><th scope=\"col\" class=\"n\">over %s</th>"
	              "<th scope=\"col\">0.5 to 2</th><th scope=\"col\" class=\"n\">range</th>"
	              "<th scope=\"col\" class=\"n\">over this GPU</th>"
	              "<th scope=\"col\" class=\"n\">per watt</th><th scope=\"col\">method</th>"
	              "</tr></thead><tbody>\n",
	              m->baseline);
}

static void system_table(const struct rep_workload *w, const struct ct_mechanism *m, struct ct_buf *b)
{
	const struct ct_record *r, *last = NULL;
	for (size_t i = 0; (r = ct_profile_next(w->p, "ES", &i));) {
		if (r->nfields < 9 || strcmp(r->field[0], "all") || strcmp(r->field[1], m->name) ||
		    strcmp(r->field[3], "speedup"))
			continue;
		if (!last)
			system_head(m, b);
		if (!last || !same_system(last, r))
			system_row(w, m, r->field[2], b);
		last = r;
	}
	if (last)
		ct_buf_puts(b, "</tbody></table></div>\n");
}

/* ---- provenance ---- */

/* Commands over many traces name them all: 200 workloads would each repeat 200 names. */
static void shorten_text(const char *s, char *out, size_t n)
{
	size_t len = strlen(s);
	if (len < n) {
		memcpy(out, s, len + 1);
		return;
	}
	size_t cut = n - 8;
	while (cut > 0 && ((unsigned char)s[cut] & 0xc0) == 0x80)
		cut--;
	snprintf(out, n, "%.*s ...", (int)cut, s);
}

static void provenance(const struct rep_workload *w, struct ct_buf *b)
{
	const struct ct_record *r;
	ct_buf_puts(b, "<h4>Where this comes from</h4>\n<ul>");
	for (size_t i = 0; (r = ct_profile_next(w->p, "TR", &i));)
		if (r->nfields >= 4) {
			ct_buf_puts(b, "<li>trace <code>");
			ct_escape_markup(b, r->field[0]);
			ct_buf_puts(b, "</code>, ");
			ct_escape_markup(b, r->field[2]);
			ct_buf_puts(b, " bytes, digest <code>");
			ct_escape_markup(b, r->field[3]);
			ct_buf_puts(b, "</code></li>");
		}
	for (size_t i = 0; (r = ct_profile_next(w->p, "PG", &i));)
		if (r->nfields >= 3) {
			char command[COMMAND_SHOWN + 8];
			shorten_text(r->field[2], command, sizeof command);
			ct_buf_puts(b, "<li><code>");
			ct_escape_markup(b, command);
			ct_buf_puts(b, "</code> (version ");
			ct_escape_markup(b, r->field[1]);
			ct_buf_puts(b, ")</li>");
		}
	if (*w->path) {
		ct_buf_puts(b, "<li>profile <code>");
		ct_escape_markup(b, w->path);
		ct_buf_puts(b, "</code></li>");
	}
	ct_buf_puts(b, "</ul>\n");
}

void rep_page_workload(const struct rep_run *run, const struct rep_workload *w, size_t i, int only,
                       struct ct_buf *b)
{
	ct_buf_printf(b, "<details class=\"w\" id=\"w%zu\"%s><summary><h3>", i, only ? " open" : "");
	ct_escape_markup(b, w->name);
	ct_buf_puts(b, "</h3>");
	for (unsigned m = 0; rep_next_shown(run, &m); m++)
		if (w->v[m].word == CT_BENEFITS || w->v[m].word == CT_HURTS)
			ct_buf_printf(b, "<span class=\"v %s\">%s</span>", ct_verdict_word(w->v[m].word),
			              ct_mechanism_at(m)->name);
	ct_buf_puts(b, "</summary><div>\n");
	if (!only)
		rep_page_findings(w, b);
	rep_page_why(w, i, b);
	verdict_list(run, w, b);
	ct_buf_puts(b, "<div class=\"charts\">\n");
	breakdowns(w, i, b);
	histogram(w, i, "l1", "L1 of each SM", b);
	histogram(w, i, "llc", "LLC", b);
	miss_ratio(w, i, "l1", "L1 of each SM", "l1_miss_rate", b);
	miss_ratio(w, i, "llc", "LLC", "llc_miss_rate", b);
	int swept = ipc_by_sms(w, i, b);
	rep_page_sweep(w, i, b);
	ct_buf_puts(b, "</div>\n");
	tell_lacking(w, swept, b);
	for (unsigned m = 0; rep_next_shown(run, &m); m++)
		system_table(w, ct_mechanism_at(m), b);
	provenance(w, b);
	ct_buf_puts(b, "</div></details>\n");
}
