/* fidelity - our engine on the rows of a table.
 *
 *     fidelity compare [-s SUBSTRING] TABLE CONFIGS TRACES
 *         ours beside a cycle-level simulator's (TABLE: its figures, columns as in the
 *         reference's README), the naive walk and quick replay beside; our CPU seconds, thousand
 *         warp instructions per second, and these over the simulator's, full and quick; errors over
 *         the rows marked `test`
 *     fidelity pairs [-s SUBSTRING] PAIRS TABLE CONFIGS TRACES
 *         ratio of cycles when one thing changes, ours beside the simulator's, and by quick replay
 *     fidelity ours [-s SUBSTRING] TABLE CONFIGS TRACES
 *         our figures alone, as a table
 *     fidelity timings [-s SUBSTRING] TABLE CONFIGS TRACES
 *         quick replay beside full on rows that no simulator has run: cycles and miss rates, CPU
 *         seconds; fails (1) when quick's cycles are off by more than 15 % in a row, or the percentage
 *         of its column `most`
 *     fidelity check [-s SUBSTRING] EXPECTED CONFIGS TRACES
 *         fails (1) when a figure of ours is not the one in the table
 *
 * -t full|quick: which timing the last two run, default full.
 *
 * CONFIGS/NAME/gpgpusim.config or data/gpus/NAME.conf; TRACES/FOLDER(.traceg.zst). */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "replay/replay.h"
#include "table.h"
#include "tests/support/replay_trace.h"
#include "trace/trace.h"
#include "walk.h"

/* Our figures under the reference's column names. */
/* clang-format off */
static const struct { const char *name; size_t at; uint64_t unit; } figure[] = {
#define FIGURE(name, field, unit) {name, offsetof(struct ct_replay_counts, field), unit}
	/* clang-format on */
	FIGURE("l1_accesses", l1_accesses, 1),
	FIGURE("l1_misses", l1_misses, 1),
	FIGURE("l1_pending_hits", l1_pending, 1),
	FIGURE("l1_read_accesses", l1_read_accesses, 1),
	FIGURE("l1_read_misses", l1_read_misses, 1),
	FIGURE("llc_accesses", llc_accesses, 1),
	FIGURE("llc_misses", llc_misses, 1),
	FIGURE("llc_read_accesses", llc_read_accesses, 1),
	FIGURE("llc_read_misses", llc_read_misses, 1),
	FIGURE("dram_read_sectors", dram_read_bytes, 32),
	FIGURE("dram_write_sectors", dram_write_bytes, 32),
	FIGURE("cycles", cycles, 1),
	FIGURE("launch_cycles", launch_cycles, 1),
#undef FIGURE
};
enum { FIGURES = sizeof figure / sizeof *figure };

struct job {
	const char *trace, *folder, *config, *variant;
	const char *configs, *traces;
	enum ct_replay_timing timing;
};

/* What `pairs`, `ours` and `check` run. */
static enum ct_replay_timing timing = CT_REPLAY_FULL;

static int timing_of(const char *name)
{
	static const char *const names[] = {"full", "quick"};
	static const enum ct_replay_timing all[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	for (int i = 0; i < 2; i++)
		if (!strcmp(name, names[i])) {
			timing = all[i];
			return 0;
		}
	return -1;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t value(const struct ct_replay_counts *c, int i)
{
	uint64_t v;
	memcpy(&v, (const char *)c + figure[i].at, sizeof v);
	return v / figure[i].unit;
}

static double cycles_of(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

/* What pairs.tsv changes. */
static int vary(struct ct_gpu *g, const char *variant, struct ct_error *e)
{
	char set[64] = "", more[64] = "";
	unsigned n;
	if (!*variant)
		return 0;
	if (!strcmp(variant, "llc_div4") || !strcmp(variant, "llc_div16"))
		snprintf(set, sizeof set, "llc.sets=%u", g->llc.sets / 4);
	if (!strcmp(variant, "llc_div16"))
		snprintf(more, sizeof more, "llc.ways=%u", g->llc.ways / 4);
	else if (!strcmp(variant, "llc_x4"))
		snprintf(set, sizeof set, "llc.ways=%u", g->llc.ways * 4);
	else if (sscanf(variant, "sms_%u", &n) == 1)
		snprintf(set, sizeof set, "sm.count=%u", n);
	else if (sscanf(variant, "l1_%uk", &n) == 1)
		snprintf(set, sizeof set, "l1.size=%uKiB", n);
	else if (!*set)
		return ct_fail(e, CT_ERR_USAGE, "unknown variant %s", variant);
	if (ct_gpu_set(g, set, e) < 0 || (*more && ct_gpu_set(g, more, e) < 0))
		return e->status;
	return ct_gpu_check(g, e);
}

static int load_gpu(const struct job *j, struct ct_gpu *g, struct ct_error *e)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s/gpgpusim.config", j->configs, j->config);
	const char *set = getenv("FIDELITY_SET"); /* for experiments */
	int st = ct_gpu_load(g, access(path, R_OK) ? j->config : path, "data", NULL, e);
	if (st == 0 && set && (st = ct_gpu_set(g, set, e)) == 0)
		st = ct_gpu_check(g, e);
	return st == 0 ? vary(g, j->variant, e) : st;
}

static int open_trace(const struct job *j, struct ct_trace **t, struct ct_error *e)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s.traceg.zst", j->traces, j->folder);
	if (access(path, R_OK))
		snprintf(path, sizeof path, "%s/%s", j->traces, j->folder);
	return ct_trace_open(t, path, NULL, e);
}

static int run(const struct job *j, struct ct_replay_counts *c, double *took)
{
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_replay *r = NULL;
	struct ct_trace *t = NULL;
	struct ct_replay_options opt = {.timing = j->timing};
	double start = seconds();
	int st = load_gpu(j, &g, &e);
	if (st == 0)
		st = open_trace(j, &t, &e);
	if (st == 0)
		st = ct_replay_new(&r, &g, &opt, &e);
	if (st == 0)
		st = replay_trace(r, t, &e);
	if (st == 0)
		ct_replay_total(r, c);
	else
		fprintf(stderr, "fidelity: %s on %s: %s\n", j->trace, j->config, e.text);
	ct_replay_free(r);
	ct_trace_close(t);
	if (took)
		*took = seconds() - start;
	return st;
}

static int walk(const struct job *j, struct walk_counts *c)
{
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_trace *t = NULL;
	int st = load_gpu(j, &g, &e);
	if (st == 0)
		st = open_trace(j, &t, &e);
	if (st == 0)
		st = walk_trace(t, &g, c, &e);
	if (st < 0)
		fprintf(stderr, "fidelity: walk of %s: %s\n", j->trace, e.text);
	ct_trace_close(t);
	return st;
}

static struct job job_of(const struct table *t, int row, const char *configs, const char *traces)
{
	struct job j = {
		table_text(t, row, "trace"),
		table_text(t, row, "folder"),
		table_text(t, row, "config"),
		table_text(t, row, "variant"),
		configs,
		traces,
		timing,
	};
	return j;
}

/* SUBSTRING of the trace, or of the configuration after a slash. */
static int chosen(const struct table *t, int row, const char *only)
{
	char name[64];
	const char *slash = strchr(only, '/');
	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - only) : 63, only);
	return strstr(table_text(t, row, "trace"), name) &&
	       (!slash || strstr(table_text(t, row, "config"), slash + 1));
}

/* ---- errors ---- */

enum { MAX_ROWS = 1024 };
struct errors {
	const char *what;
	int n;
	double v[MAX_ROWS];
};

static void add(struct errors *e, double v)
{
	if (e->n < MAX_ROWS)
		e->v[e->n++] = v < 0 ? -v : v;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void report(struct errors *e)
{
	double sum = 0;
	if (!e->n)
		return;
	qsort(e->v, (size_t)e->n, sizeof *e->v, ascending);
	for (int i = 0; i < e->n; i++)
		sum += e->v[i];
	printf("%-40s rows %3d  mean %6.2f  nine in ten %6.2f  worst %6.2f\n", e->what, e->n, sum / e->n,
	       e->v[(9 * e->n + 9) / 10 - 1], e->v[e->n - 1]);
}

static double rate(double a, double b)
{
	return b > 0 ? 100 * a / b : 0;
}

static double off(double ours, double theirs)
{
	return theirs > 0 ? 100 * (ours - theirs) / theirs : 0;
}

/* ---- compare ---- */

enum {
	E_ACCESSES,
	E_L1,
	E_LLC,
	E_DRAM,
	E_CYCLES,
	E_QUICK,
	E_QUICK_L1,
	E_QUICK_LLC,
	E_WALK_L1,
	E_WALK_LLC,
	ERRORS
};

/* Warp instructions of a row whose speed counts: below, starting is most of our time. */
static const double LONG = 200000;

/* Our warp instructions per CPU second, reading the trace included, over the simulator's; 0: the
 * table does not tell its own. */
static double times_faster(const struct table *t, int i, double insts, double took)
{
	double theirs = 1e3 * table_real(t, i, "kilo_warp_insts_per_s");
	return theirs > 0 && took > 0 ? insts / took / theirs : 0;
}

/* Over the rows of more than LONG warp instructions. */
static void report_spread(struct errors *e)
{
	if (!e->n)
		return;
	qsort(e->v, (size_t)e->n, sizeof *e->v, ascending);
	double median = (e->v[(e->n - 1) / 2] + e->v[e->n / 2]) / 2;
	printf("%-40s rows %3d  median %6.1f  least %6.1f  most %6.1f\n", e->what, e->n, median, e->v[0],
	       e->v[e->n - 1]);
}

static void compare_row(const struct table *t, int i, const struct job *j, struct errors *e,
                        struct errors *speed)
{
	struct ct_replay_counts c, q;
	struct walk_counts w;
	struct job quick = *j;
	double took, quick_took, theirs[6], insts, times, quick_times;
	static const char *const column[] = {
		"l1_accesses",     "l1_misses",         "llc_read_accesses",
		"llc_read_misses", "dram_read_sectors", "cycles_less_launch"};
	quick.timing = CT_REPLAY_QUICK;
	if (run(j, &c, &took) < 0 || run(&quick, &q, &quick_took) < 0 || walk(j, &w) < 0)
		return;
	for (int k = 0; k < 6; k++)
		theirs[k] = table_real(t, i, column[k]);
	double l1 = rate(theirs[1], theirs[0]), llc = rate(theirs[3], theirs[2]);
	double d[ERRORS];
	d[E_ACCESSES] = off((double)c.l1_accesses, theirs[0]);
	d[E_L1] = rate((double)c.l1_misses, (double)c.l1_accesses) - l1;
	d[E_LLC] = rate((double)c.llc_read_misses, (double)c.llc_read_accesses) - llc;
	d[E_DRAM] = off((double)c.dram_read_bytes / 32, theirs[4]);
	d[E_CYCLES] = off(cycles_of(&c), theirs[5]);
	d[E_QUICK] = off(cycles_of(&q), theirs[5]);
	d[E_QUICK_L1] = rate((double)q.l1_misses, (double)q.l1_accesses) - l1;
	d[E_QUICK_LLC] = rate((double)q.llc_read_misses, (double)q.llc_read_accesses) - llc;
	d[E_WALK_L1] = rate((double)w.l1_misses, (double)w.l1_accesses) - l1;
	d[E_WALK_LLC] = rate((double)w.llc_read_misses, (double)w.llc_reads) - llc;
	insts = (double)c.warp_insts;
	times = times_faster(t, i, insts, took);
	quick_times = times_faster(t, i, insts, quick_took);
	printf("%-29s %-13s %-4s %8.0f %+6.2f %6.2f %+6.2f %+7.2f %6.2f %+6.2f %+7.2f %7.0f %+6.2f "
	       "%8.0f %+7.2f %+7.2f %6.2f %7.0f %6.0f %7.0f %6.0f\n",
	       j->trace, j->config, table_text(t, i, "use"), theirs[0], d[E_ACCESSES], l1, d[E_L1],
	       d[E_WALK_L1], llc, d[E_LLC], d[E_WALK_LLC], theirs[4], d[E_DRAM], theirs[5], d[E_CYCLES],
	       d[E_QUICK], took, insts * 1e-3 / took, times, insts * 1e-3 / quick_took, quick_times);
	fflush(stdout);
	if (insts > LONG && times > 0) {
		add(&speed[0], table_real(t, i, "kilo_warp_insts_per_s"));
		add(&speed[1], insts * 1e-3 / took);
		add(&speed[2], times);
		add(&speed[3], insts * 1e-3 / quick_took);
		add(&speed[4], quick_times);
	}
	const int counts[ERRORS] = {
		theirs[0] >= 1000, theirs[0] >= 1000, theirs[2] >= 1000, theirs[4] >= 1000,
		theirs[5] >= 1000, theirs[5] >= 1000, theirs[0] >= 1000, theirs[2] >= 1000,
		theirs[0] >= 1000, theirs[2] >= 1000};
	for (int k = 0; k < ERRORS; k++)
		if (counts[k])
			add(&e[k], d[k]);
}

static int compare(const struct table *t, const char *only, const char *configs, const char *traces)
{
	static struct errors test[ERRORS] =
		{
			{.what = "L1 accesses, %"},
			{.what = "L1 miss rate, points"},
			{.what = "LLC read miss rate, points"},
			{.what = "DRAM reads, %"},
			{.what = "cycles less launch, %"},
			{.what = "cycles, quick replay, %"},
			{.what = "L1 miss rate, quick, points"},
			{.what = "LLC read miss rate, quick, points"},
			{.what = "L1 miss rate of the naive walk, points"},
			{.what = "LLC read miss rate of the walk, points"},
		},
			     fit[ERRORS],
			     speed[] = {
				     {.what = "its thousand warp insts/s, long rows"},
				     {.what = "ours, reading the text included"},
				     {.what = "times as fast"},
				     {.what = "quick replay"},
				     {.what = "times as fast"},
			     };
	memcpy(fit, test, sizeof fit);
	printf("%-29s %-13s %-4s %8s %6s %6s %6s %7s %6s %6s %7s %7s %6s %8s %7s %7s %6s %7s %6s %7s "
	       "%6s\n",
	       "trace", "config", "use", "L1 acc.", "ours%", "miss%", "ours", "walk", "LLC%", "ours",
	       "walk", "DRAM", "ours%", "cycles", "ours%", "quick%", "s", "kilo/s", "times", "quick/s",
	       "times");
	for (int i = 0; i < t->rows; i++)
		if (chosen(t, i, only)) {
			struct job j = job_of(t, i, configs, traces);
			compare_row(t, i, &j, strcmp(table_text(t, i, "use"), "fit") ? test : fit,
			            speed);
		}
	printf("\nrows marked test\n");
	for (int k = 0; k < ERRORS; k++)
		report(&test[k]);
	printf("\nrows marked fit (no constant of ours is fitted)\n");
	for (int k = 0; k < ERRORS; k++)
		report(&fit[k]);
	printf("\nrows of more than %.0f warp instructions\n", LONG);
	for (int k = 0; k < 5; k++)
		report_spread(&speed[k]);
	return 0;
}

/* ---- pairs ---- */

/* triage(1)'s paired error: where we say that cycles change by less than 3 %, what nine in ten
 * of our ratios are off by; where we say more, by which share of their logarithm. */
static const double LITTLE = 0.03;

static void paired(struct errors *floor, struct errors *share, double ours, double theirs)
{
	double off_by = log(ours / theirs);
	if (fabs(ours - 1) < LITTLE)
		add(floor, 100 * off_by);
	else
		add(share, 100 * off_by / log(ours));
}

/* Errors of one timing over the pairs. */
enum { P_RATIO, P_L1, P_FLOOR, P_SHARE, P_ERRORS };
struct paired {
	struct errors e[P_ERRORS];
	int same, moved;
};

static void pair_up(struct paired *e, double ours, double theirs, double l1_off)
{
	add(&e->e[P_RATIO], off(ours, theirs));
	add(&e->e[P_L1], l1_off);
	paired(&e->e[P_FLOOR], &e->e[P_SHARE], ours, theirs);
	if (theirs > 1.03 || theirs < 0.97) {
		e->moved++;
		e->same += (theirs > 1) == (ours > 1);
	}
}

static void report_pairs(struct paired *e)
{
	for (int k = 0; k < P_ERRORS; k++)
		report(&e->e[k]);
	printf("direction agrees on %d of %d rows where the reference moves by more than 3 %%\n\n",
	       e->same, e->moved);
}

static const char *const pair_names[P_ERRORS] = {
	"ratio of cycles, %",
	"L1 miss rate, points",
	"paired error: floor, %",
	"paired error: share, %",
};

/* The pair by one timing: its ratio and L1 miss rate. */
static int run_pair(const struct table *p, int i, const char *configs, const char *traces,
                    enum ct_replay_timing with, double *ratio, double *l1)
{
	struct ct_replay_counts base, c;
	struct job j = job_of(p, i, configs, traces);
	j.timing = with;
	struct job b = j;
	b.variant = "";
	if (run(&b, &base, NULL) < 0 || run(&j, &c, NULL) < 0)
		return -1;
	*ratio = cycles_of(&c) / cycles_of(&base);
	*l1 = rate((double)c.l1_misses, (double)c.l1_accesses);
	return 0;
}

static int pairs(const struct table *p, const char *only, const char *configs, const char *traces)
{
	static struct paired full, quick;
	for (int k = 0; k < P_ERRORS; k++)
		full.e[k].what = quick.e[k].what = pair_names[k];
	printf("%-22s %-10s %9s %8s %8s %8s %8s %8s %9s %9s %9s\n", "trace", "variant", "cycles",
	       "ratio", "ours", "error%", "quick", "error%", "L1 miss%", "ours", "quick");
	for (int i = 0; i < p->rows; i++) {
		double ours, mine, faster, l1_quick, theirs = table_real(p, i, "cycles_ratio");
		double l1 = rate(table_real(p, i, "l1_misses"), table_real(p, i, "l1_accesses"));
		if (!chosen(p, i, only))
			continue;
		if (run_pair(p, i, configs, traces, CT_REPLAY_FULL, &ours, &mine) < 0 ||
		    run_pair(p, i, configs, traces, CT_REPLAY_QUICK, &faster, &l1_quick) < 0)
			return 2;
		printf("%-22s %-10s %9.0f %8.4f %8.4f %+8.2f %8.4f %+8.2f %9.2f %+9.2f %+9.2f\n",
		       table_text(p, i, "trace"), table_text(p, i, "variant"),
		       table_real(p, i, "cycles_less_launch"), theirs, ours, off(ours, theirs), faster,
		       off(faster, theirs), l1, mine - l1, l1_quick - l1);
		fflush(stdout);
		pair_up(&full, ours, theirs, mine - l1);
		pair_up(&quick, faster, theirs, l1_quick - l1);
	}
	printf("\nfull\n");
	report_pairs(&full);
	printf("quick\n");
	report_pairs(&quick);
	return 0;
}

/* ---- quick beside full ---- */

/* What quick's cycles may be off by in a row that does not say, in percent. */
static const double QUICK_MOST = 15;

static int timings(const struct table *t, const char *only, const char *configs, const char *traces)
{
	struct errors off_by[] = {{.what = "cycles, quick replay, %"},
	                          {.what = "L1 miss rate, quick, points"},
	                          {.what = "LLC read miss rate, quick, points"}};
	int bad = 0;
	printf("%-18s %-10s %9s %9s %7s %6s %6s %6s %6s %6s %6s\n", "trace", "config", "full", "quick",
	       "%", "L1%", "quick", "LLC%", "quick", "s", "quick");
	for (int i = 0; i < t->rows; i++) {
		struct job j = job_of(t, i, configs, traces), quick = j;
		struct ct_replay_counts f, q;
		double took, quick_took;
		if (!chosen(t, i, only))
			continue;
		j.timing = CT_REPLAY_FULL;
		quick.timing = CT_REPLAY_QUICK;
		if (run(&j, &f, &took) < 0 || run(&quick, &q, &quick_took) < 0)
			return 2;
		double cycles = off(cycles_of(&q), cycles_of(&f));
		double l1[] = {rate((double)f.l1_misses, (double)f.l1_accesses),
		               rate((double)q.l1_misses, (double)q.l1_accesses)};
		double llc[] = {rate((double)f.llc_read_misses, (double)f.llc_read_accesses),
		                rate((double)q.llc_read_misses, (double)q.llc_read_accesses)};
		printf("%-18s %-10s %9.0f %9.0f %+7.2f %6.2f %+6.2f %6.2f %+6.2f %6.2f %6.2f\n", j.trace,
		       j.config, cycles_of(&f), cycles_of(&q), cycles, l1[0], l1[1] - l1[0], llc[0],
		       llc[1] - llc[0], took, quick_took);
		fflush(stdout);
		add(&off_by[0], cycles);
		add(&off_by[1], l1[1] - l1[0]);
		add(&off_by[2], llc[1] - llc[0]);
		double most = *table_text(t, i, "most") ? table_real(t, i, "most") : QUICK_MOST;
		bad += fabs(cycles) > most;
	}
	for (int k = 0; k < 3; k++)
		report(&off_by[k]);
	return bad != 0;
}

/* ---- our own figures ---- */

static int ours(const struct table *t, const char *only, const char *configs, const char *traces)
{
	printf("trace\tfolder\tconfig");
	for (int k = 0; k < FIGURES; k++)
		printf("\t%s", figure[k].name);
	printf("\n");
	for (int i = 0; i < t->rows; i++) {
		struct job j = job_of(t, i, configs, traces);
		struct ct_replay_counts c;
		if (!chosen(t, i, only))
			continue;
		if (run(&j, &c, NULL) < 0)
			return 2;
		printf("%s\t%s\t%s", j.trace, j.folder, j.config);
		for (int k = 0; k < FIGURES; k++)
			printf("\t%llu", (unsigned long long)value(&c, k));
		printf("\n");
		fflush(stdout);
	}
	return 0;
}

static int check(const struct table *t, const char *only, const char *configs, const char *traces)
{
	int bad = 0, rows = 0;
	for (int i = 0; i < t->rows; i++) {
		struct job j = job_of(t, i, configs, traces);
		struct ct_replay_counts c;
		if (!chosen(t, i, only))
			continue;
		if (run(&j, &c, NULL) < 0)
			return 2;
		rows++;
		for (int k = 0; k < FIGURES; k++) {
			unsigned long long want = strtoull(table_text(t, i, figure[k].name), NULL, 10);
			if (!table_has(t, figure[k].name) || want == value(&c, k))
				continue;
			printf("%s on %s: %s %llu, expected %llu\n", j.trace, j.config, figure[k].name,
			       (unsigned long long)value(&c, k), want);
			bad++;
		}
	}
	printf("%d rows, %d differences\n", rows, bad);
	return bad != 0;
}

int main(int argc, char **argv)
{
	static const char usage[] =
		"usage: fidelity compare|pairs|timings|ours|check [-s SUBSTRING] [-t full|quick] TABLE CONFIGS "
		"TRACES\n";
	struct table t;
	const char *only = "", *verb = argc > 1 ? argv[1] : "";
	int c;
	optind = 2;
	while ((c = getopt(argc, argv, "s:t:")) != -1) {
		if (c == 's')
			only = optarg;
		else if (c != 't' || timing_of(optarg) < 0)
			return 2;
	}
	if (argc - optind != 3) {
		fputs(usage, stderr);
		return 2;
	}
	if (table_read(&t, argv[optind]) < 0) {
		fprintf(stderr, "fidelity: %s: cannot be read\n", argv[optind]);
		return 2;
	}
	const char *configs = argv[optind + 1], *traces = argv[optind + 2];
	int st = !strcmp(verb, "compare")   ? compare(&t, only, configs, traces)
	         : !strcmp(verb, "pairs")   ? pairs(&t, only, configs, traces)
	         : !strcmp(verb, "timings") ? timings(&t, only, configs, traces)
	         : !strcmp(verb, "ours")    ? ours(&t, only, configs, traces)
	         : !strcmp(verb, "check")   ? check(&t, only, configs, traces)
	                                    : (fputs(usage, stderr), 2);
	table_free(&t);
	return st;
}
