/* page_why.c - what the page says first about a workload: what limits it, its kernels, the instructions and arrays that
 * cost most, and how it fares over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "common/chart.h"
#include "common/kernel_name.h"
#include "common/kernels.h"
#include "models/common/cause.h"
#include "report/page.h"

enum { KERNELS = 12, ROWS = 10, INTERVALS = 512 };

/* Counts of PC and AR records behind what names them. */
enum { REQUESTS, SECTORS, MOVED, USED, L1, COLD, CAPACITY, CONFLICT, PENDING, LLC, P50, P90, STALL };
enum { PC_NAMES = 6, AR_NAMES = 4, PC_FILE = 19 };

static double count(const struct ct_record *r, unsigned at)
{
	double v;
	return at < r->nfields && ct_field_real(r->field[at], &v) ? v : 0;
}

static void percent_cell(struct ct_buf *b, double v)
{
	if (isnan(v))
		ct_buf_puts(b, "<td class=\"n\">-</td>");
	else
		ct_buf_printf(b, "<td class=\"n\">%.1f %%</td>", 100 * v);
}

static void number_cell(struct ct_buf *b, double v)
{
	char t[32];
	if (isnan(v)) {
		ct_buf_puts(b, "<td class=\"n\">-</td>");
		return;
	}
	ch_number(v, t);
	ct_buf_printf(b, "<td class=\"n\">%s</td>", t);
}

/* The kernel as tables name it, and in full where the pointer rests on it. */
static void kernel_name(struct ct_buf *b, const char *raw)
{
	struct ct_buf full = {0}, brief = {0};
	ct_kernel_name_full(&full, raw);
	ct_kernel_name_short(&brief, raw);
	b->failed |= full.failed || brief.failed;
	if (full.len && brief.len && strcmp(full.data, brief.data) != 0) {
		ct_buf_puts(b, "<span title=\"");
		ct_escape_markup(b, full.data);
		ct_buf_puts(b, "\">");
		ct_escape_markup(b, brief.data);
		ct_buf_puts(b, "</span>");
	} else if (brief.len) {
		ct_escape_markup(b, brief.data);
	}
	ct_buf_free(&full);
	ct_buf_free(&brief);
}

static void table_head(struct ct_buf *b, const char *title, const char *caption, const char *const *head,
                       unsigned n)
{
	ct_buf_printf(
		b,
		"<h4>%s</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
		"<table><caption>%s</caption><thead><tr>",
		title, title, caption);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(b, "<th scope=\"col\"%s>%s</th>", head[i][0] == '#' ? " class=\"n\"" : "",
		              head[i] + (head[i][0] == '#'));
	ct_buf_puts(b, "</tr></thead><tbody>\n");
}

static void table_end(struct ct_buf *b, size_t more)
{
	ct_buf_puts(b, "</tbody></table></div>\n");
	if (more)
		ct_buf_printf(b, "<p>%zu more.</p>\n", more);
}

/* ---- kernels ---- */

/* The kernels that take most cycles, and what limits each. */
static void kernel_table(const struct rep_workload *w, struct ct_buf *b)
{
	static const char *const head[] = {
		"kernel", "#launches", "#cycles", "#share", "#L1 misses", "#LLC MPKI", "limited by"};
	struct ct_kernel_rank *k;
	size_t n;
	if (ct_kernels_rank(w->p, &k, &n) < 0) {
		b->failed = 1;
		return;
	}
	if (n)
		table_head(b, "Kernels", "Launches of a name together, the longest first.", head, 7);
	for (size_t i = 0; i < n && i < KERNELS; i++) {
		char limit[CT_KERNEL_LIMIT];
		b->failed |= ct_kernel_limit(w->p, k[i].scope, limit, sizeof limit) < 0;
		ct_buf_puts(b, "<tr><th scope=\"row\">");
		kernel_name(b, k[i].scope + strlen("name:"));
		ct_buf_puts(b, "</th>");
		number_cell(b, (double)k[i].launches);
		number_cell(b, k[i].cycles);
		percent_cell(b, k[i].share);
		percent_cell(b, k[i].l1_miss_rate);
		number_cell(b, k[i].llc_mpki);
		ct_buf_printf(b, "<td>%s</td></tr>\n", limit);
	}
	if (n)
		table_end(b, n > KERNELS ? n - KERNELS : 0);
	ct_kernels_free(k, n);
}

/* ---- instructions and arrays ---- */

/* All that the workload's records of a type wait. */
static double total_stall(const struct rep_workload *w, const char *type, unsigned names)
{
	const struct ct_record *r;
	double sum = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, type, &i));)
		sum += strcmp(r->field[0], "all") == 0 ? count(r, names + STALL) : 0;
	return sum;
}

static const char *cause(const struct ct_record *r, unsigned names)
{
	double cold = count(r, names + COLD), capacity = count(r, names + CAPACITY),
	       conflict = count(r, names + CONFLICT);
	if (count(r, names + L1) <= 0)
		return "";
	return cold >= capacity && cold >= conflict ? "first touches"
	       : capacity >= conflict               ? "capacity"
	                                            : "conflicts";
}

static double quotient(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void cost_cells(const struct ct_record *r, unsigned names, double stall, struct ct_buf *b)
{
	percent_cell(b, quotient(count(r, names + STALL), stall));
	number_cell(b, count(r, names + REQUESTS));
	number_cell(b, quotient(count(r, names + SECTORS), count(r, names + REQUESTS)));
	percent_cell(b, quotient(count(r, names + USED), count(r, names + MOVED)));
	percent_cell(b, quotient(count(r, names + L1), count(r, names + SECTORS)));
	ct_buf_printf(b, "<td>%s</td>", cause(r, names));
	number_cell(b, count(r, names + LLC));
	ct_buf_puts(b, "</tr>\n");
}

/* "atax.cu:17" or "line 17" behind `before`; nothing where the line is not known. */
static void source_line(struct ct_buf *b, const struct ct_record *r, const char *before)
{
	const char *file = r->nfields > PC_FILE ? r->field[PC_FILE] : "", *slash = strrchr(file, '/');
	if (!(count(r, 4) > 0))
		return;
	ct_buf_puts(b, before);
	file = slash ? slash + 1 : file;
	if (*file) {
		ct_escape_markup(b, file);
		ct_buf_printf(b, ":%.0f", count(r, 4));
	} else {
		ct_buf_printf(b, "line %.0f", count(r, 4));
	}
}

/* The instructions that warps wait for most, where the profile has them (--annotate). */
static void instruction_table(const struct rep_workload *w, struct ct_buf *b)
{
	static const char *const head[] = {
		"instruction", "array",      "#waits",   "#requests",  "#sectors each",
		"#bytes used", "#L1 misses", "most are", "#LLC misses"};
	double stall = total_stall(w, "PC", PC_NAMES);
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "PC", &i));) {
		if (strcmp(r->field[0], "all") != 0 || ++n > ROWS)
			continue;
		if (n == 1)
			table_head(b, "Instructions that cost most",
			           "Loads and stores by the cycles that warps wait for them.", head, 9);
		ct_buf_puts(b, "<tr><th scope=\"row\">");
		kernel_name(b, r->field[1]);
		ct_buf_printf(b, " +0x%04x <code>", (unsigned)count(r, 2));
		ct_escape_markup(b, r->field[3]);
		ct_buf_puts(b, "</code>");
		source_line(b, r, " ");
		ct_buf_puts(b, "</th><td>");
		ct_escape_markup(b, r->field[5]);
		ct_buf_puts(b, "</td>");
		cost_cells(r, PC_NAMES, stall, b);
	}
	if (n)
		table_end(b, n > ROWS ? n - ROWS : 0);
}

/* The arrays that warps wait for most, where the profile has them (--annotate). */
static void array_table(const struct rep_workload *w, struct ct_buf *b)
{
	static const char *const head[] = {
		"array",       "#size",      "#waits",   "#requests",  "#sectors each",
		"#bytes used", "#L1 misses", "most are", "#LLC misses"};
	double stall = total_stall(w, "AR", AR_NAMES);
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "AR", &i));) {
		char size[32];
		if (strcmp(r->field[0], "all") != 0 || ++n > ROWS)
			continue;
		if (n == 1)
			table_head(b, "Arrays that cost most", "The same by what is accessed.", head, 9);
		ct_buf_puts(b, "<tr><th scope=\"row\">");
		ct_escape_markup(b, r->field[1]);
		ch_size(count(r, 3) - count(r, 2) + 1, size);
		ct_buf_printf(b, "</th><td class=\"n\">%s</td>", size);
		cost_cells(r, AR_NAMES, stall, b);
	}
	if (n)
		table_end(b, n > ROWS ? n - ROWS : 0);
}

/* ---- over time ---- */

/* The values of a metric by the end of its interval, at most INTERVALS of them: how many. */
static size_t read_metric(const struct rep_workload *w, const char *metric, double *x, double *y)
{
	const struct ct_record *r;
	size_t all = 0, n = 0, seen = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "PH", &i));)
		all += strcmp(r->field[4], metric) == 0;
	size_t step = all / INTERVALS + 1;
	for (size_t i = 0; (r = ct_profile_next(w->p, "PH", &i));)
		if (strcmp(r->field[4], metric) == 0 && seen++ % step == 0 && n < INTERVALS) {
			x[n] = count(r, 3);
			y[n] = NAN;
			(void)ct_field_real(r->field[5], &y[n]);
			n++;
		}
	return n;
}

/* What intervals are counted in: the last of them ends where the run does. */
static const char *interval_unit(const struct rep_workload *w)
{
	const struct ct_record *r;
	double end = 0, insts = rep_sn(w, "warp_insts");
	for (size_t i = 0; (r = ct_profile_next(w->p, "PH", &i));)
		end = count(r, 3) > end ? count(r, 3) : end;
	return end == insts ? "warp instructions so far" : "core cycles so far";
}

/* One chart for what is a share, one for instructions per cycle. */
static void phase_charts(const struct rep_workload *w, size_t i, struct ct_buf *b)
{
	static const char *const metric[] = {"l1_miss_rate", "llc_miss_rate", "ipc"};
	static const char *const name[] = {"L1 sector misses", "LLC sector misses", "IPC"};
	double *v = ct_calloc(6 * INTERVALS, sizeof *v);
	struct ch_line line[3];
	char id[2][32];
	if (!v)
		b->failed = 1;
	for (int k = 0; v && k < 3; k++) {
		double *x = v + (size_t)k * 2 * INTERVALS;
		line[k] = (struct ch_line){
			name[k], x, x + INTERVALS, read_metric(w, metric[k], x, x + INTERVALS), k == 1};
	}
	snprintf(id[0], sizeof id[0], "w%zu-phases", i);
	snprintf(id[1], sizeof id[1], "w%zu-phases-ipc", i);
	const char *unit = interval_unit(w);
	const struct ch_axes rates = {.id = id[0],
	                              .title = "Misses over the run",
	                              .desc = "Share of sector accesses of each interval that miss.",
	                              .x = unit,
	                              .y = "sector misses",
	                              .percent_y = 1,
	                              .y_max = 1,
	                              .mark_x = NAN},
			     ipc = {.id = id[1],
	                            .title = "Instructions per cycle over the run",
	                            .desc = "Thread instructions per cycle of each interval.",
	                            .x = unit,
	                            .y = "IPC",
	                            .mark_x = NAN};
	if (v && line[0].n > 1) {
		ct_buf_puts(b, "<h4>Over the run</h4>\n<div class=\"charts\"><figure>");
		ch_lines(b, &rates, line, 2);
		ct_buf_puts(b, "<figcaption>Misses over the run</figcaption></figure><figure>");
		ch_lines(b, &ipc, line + 2, 1);
		ct_buf_puts(
			b,
			"<figcaption>Instructions per cycle over the run</figcaption></figure></div>\n");
	}
	free(v);
}

/* What mechanisms would do in each phase (mpki --every --mechanism), where the profile says it. */
static void phase_verdicts(const struct rep_workload *w, struct ct_buf *b)
{
	enum { PHASE = 1, MECHANISM, VERDICT, SPEEDUP, LOW, HIGH, CYCLES, REASON = 9 };
	static const char *const head[] = {
		"#phase", "mechanism", "verdict", "#speed-up", "#range", "#cycles", "why"};
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "PV", &i));) {
		if (++n > 4 * ROWS)
			continue;
		if (n == 1)
			table_head(
				b, "Verdicts of phases",
				"Each stretch of the run that is alike, against the GPU as configured.",
				head, sizeof head / sizeof head[0]);
		ct_buf_puts(b, "<tr><th scope=\"row\" class=\"n\">");
		ct_escape_markup(b, r->field[PHASE]);
		ct_buf_puts(b, "</th><td>");
		ct_escape_markup(b, r->field[MECHANISM]);
		ct_buf_puts(b, "</td><td><span class=\"v ");
		ct_escape_markup(b, r->field[VERDICT]);
		ct_buf_puts(b, "\">");
		ct_escape_markup(b, r->field[VERDICT]);
		ct_buf_puts(b, "</span></td>");
		number_cell(b, count(r, SPEEDUP));
		ct_buf_printf(b, "<td class=\"n\">%.2f..%.2f</td>", count(r, LOW), count(r, HIGH));
		number_cell(b, count(r, CYCLES));
		ct_buf_puts(b, "<td>");
		ct_escape_markup(b, r->field[REASON]);
		ct_buf_puts(b, "</td></tr>\n");
	}
	if (n)
		table_end(b, n > 4 * ROWS ? n - 4 * ROWS : 0);
}

/* ---- the first sentences ---- */

/* What limits the run, then the kernel, the load and the array that matter most: up to three of them. */
void rep_page_findings(const struct rep_workload *w, struct ct_buf *b)
{
	char limit[CT_KERNEL_LIMIT];
	struct ct_kernel_rank *k;
	const struct ct_record *r = NULL;
	size_t n, i = 0;
	ct_buf_puts(b, "<ul class=\"findings\">\n");
	b->failed |= ct_kernel_limit(w->p, "all", limit, sizeof limit) < 0;
	if (strcmp(limit, "-") != 0)
		ct_buf_printf(b, "<li>It is limited by %s.</li>\n", limit);
	if (ct_kernels_rank(w->p, &k, &n) < 0) {
		b->failed = 1;
		n = 0;
	} else if (n > 1) {
		ct_buf_puts(b, "<li><strong>");
		kernel_name(b, k[0].scope + strlen("name:"));
		ct_buf_printf(b, "</strong> takes %.0f %% of the cycles of %zu kernels.</li>\n",
		              100 * k[0].share, n);
	}
	if (!b->failed)
		ct_kernels_free(k, n);
	double stall = total_stall(w, "PC", PC_NAMES);
	while ((r = ct_profile_next(w->p, "PC", &i)) && strcmp(r->field[0], "all") != 0)
		;
	if (r && stall > 0) {
		ct_buf_printf(b, "<li>%.0f %% of the waiting for memory is for one load, <code>",
		              100 * count(r, PC_NAMES + STALL) / stall);
		ct_escape_markup(b, r->field[3]);
		ct_buf_printf(b, "</code> at +0x%04x of <strong>", (unsigned)count(r, 2));
		kernel_name(b, r->field[1]);
		ct_buf_puts(b, "</strong>");
		source_line(b, r, ", ");
		ct_buf_puts(b, ", from ");
		ct_escape_markup(b, r->field[5]);
		ct_buf_printf(b, ": %.1f sectors a request, %.0f %% of their bytes used",
		              quotient(count(r, PC_NAMES + SECTORS), count(r, PC_NAMES + REQUESTS)),
		              100 * quotient(count(r, PC_NAMES + USED), count(r, PC_NAMES + MOVED)));
		if (*cause(r, PC_NAMES))
			ct_buf_printf(
				b, ", %.0f %% miss the L1, mostly %s",
				100 * quotient(count(r, PC_NAMES + L1), count(r, PC_NAMES + SECTORS)),
				cause(r, PC_NAMES));
		ct_buf_puts(b, ".</li>\n");
	}
	ct_buf_puts(b, "</ul>\n");
}

void rep_page_why(const struct rep_workload *w, size_t i, struct ct_buf *b)
{
	kernel_table(w, b);
	instruction_table(w, b);
	array_table(w, b);
	phase_charts(w, i, b);
	phase_verdicts(w, b);
}
