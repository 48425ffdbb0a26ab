/* fidelity - ours against a cycle-level simulator, row by row.
 *
 *     fidelity [-q] [-t] [-s SUBSTRING] REFERENCE_DIR SHARED_DIR
 *
 * Runs each trace and configuration of REFERENCE_DIR/accelsim.tsv (columns as its
 * README says) and prints ours beside the reference's; then mean, nine-in-ten and
 * worst error over the rows marked `test`. -t prints our own figures only, as the
 * regression tables hold them. The naive walk (no time at all: CTAs dealt one per SM
 * in turn, warps round robin) stands beside, to show what a row is worth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "replay/replay.h"
#include "trace/trace.h"

enum { MAX_COLUMNS = 64, MAX_ROWS = 512 };

struct row {
	char name[64], folder[128], config[32], use[8];
	double cycles, l1_accesses, l1_misses, l1_pending, l1_reads, l1_read_misses;
	double llc_accesses, llc_reads, llc_read_misses, dram_reads, warp_insts;
	struct ct_replay_counts c;
	double seconds;
	int ok;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int split(char *line, char **cell)
{
	int n = 0;
	line[strcspn(line, "\r\n")] = '\0';
	for (char *p = line; n < MAX_COLUMNS;) {
		cell[n++] = p;
		char *tab = strchr(p, '\t');
		if (!tab)
			break;
		*tab = '\0';
		p = tab + 1;
	}
	return n;
}

static const char *cell_of(char **names, char **cells, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return cells[i];
	return "";
}

static int read_rows(const char *path, struct row *rows)
{
	FILE *f = fopen(path, "r");
	char head[4096], line[4096], *names[MAX_COLUMNS], *cells[MAX_COLUMNS];
	int n = 0, columns;
	if (!f || !fgets(head, sizeof head, f)) {
		if (f)
			fclose(f);
		return -1;
	}
	columns = split(head, names);
	while (n < MAX_ROWS && fgets(line, sizeof line, f)) {
		struct row *r = &rows[n];
		if (split(line, cells) < columns)
			continue;
		memset(r, 0, sizeof *r);
#define TEXT(field, column) snprintf(r->field, sizeof r->field, "%s", cell_of(names, cells, columns, column))
#define REAL(field, column) r->field = atof(cell_of(names, cells, columns, column))
		TEXT(name, "trace");
		TEXT(folder, "folder");
		TEXT(config, "config");
		TEXT(use, "use");
		REAL(cycles, "cycles_less_launch");
		REAL(warp_insts, "warp_insts");
		REAL(l1_accesses, "l1_accesses");
		REAL(l1_misses, "l1_misses");
		REAL(l1_pending, "l1_pending_hits");
		REAL(l1_reads, "l1_read_accesses");
		REAL(l1_read_misses, "l1_read_misses");
		REAL(llc_accesses, "llc_accesses");
		REAL(llc_reads, "llc_read_accesses");
		REAL(llc_read_misses, "llc_read_misses");
		REAL(dram_reads, "dram_read_sectors");
#undef TEXT
#undef REAL
		n++;
	}
	fclose(f);
	return n;
}

/* The trace of a row: a folder, or a file of the synthetic set. */
static void trace_path(const struct row *r, const char *shared, char *path, size_t n)
{
	snprintf(path, n, "%s/%s.traceg.zst", shared, r->folder);
	if (access(path, R_OK) == 0)
		return;
	snprintf(path, n, "%s/%s/kernelslist.g", shared, r->folder);
	if (access(path, R_OK) == 0)
		return;
	snprintf(path, n, "%s/%s", shared, r->folder);
}

static int replay_trace(struct ct_replay *r, struct ct_trace *t, struct ct_error *e)
{
	struct ct_event ev;
	struct ct_cta *cta;
	int st;
	while ((st = ct_trace_next(t, &ev, e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			ct_replay_memcpy(r, ev.address, ev.bytes);
			continue;
		}
		if ((st = ct_replay_kernel_begin(r, ev.kernel, e)) < 0)
			return st;
		while ((st = ct_trace_next_cta(t, &cta, e)) > 0) {
			st = ct_replay_push_cta(r, cta, e);
			ct_cta_unref(cta);
			if (st < 0)
				return st;
		}
		if (st < 0 || (st = ct_replay_kernel_end(r, NULL, e)) < 0)
			return st;
	}
	return st;
}

static int run_row(struct row *row, const char *reference, const char *shared, const char *only_kernels)
{
	char path[1024], config[1024];
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_replay *r = NULL;
	struct ct_trace *t = NULL;
	struct ct_filter *filter = NULL;
	struct ct_trace_options topt = {0};
	struct ct_replay_options opt = {0};
	opt.timing = getenv("FIDELITY_FIXED") ? CT_REPLAY_FIXED : CT_REPLAY_FULL;
	trace_path(row, shared, path, sizeof path);
	snprintf(config, sizeof config, "%s/configs/%s/gpgpusim.config", reference, row->config);
	double start = now();
	int st = ct_gpu_load(&g, config, "data", NULL, &e);
	if (st == 0 && getenv("FIDELITY_SET"))
		st = ct_gpu_set(&g, getenv("FIDELITY_SET"), &e) || ct_gpu_check(&g, &e);
	if (st == 0 && only_kernels) {
		st = ct_filter_compile(&filter, only_kernels, &e);
		topt.filter = filter;
	}
	if (st == 0)
		st = ct_trace_open(&t, path, &topt, &e);
	if (st == 0)
		st = ct_replay_new(&r, &g, &opt, &e);
	if (st == 0)
		st = replay_trace(r, t, &e);
	if (st == 0) {
		ct_replay_total(r, &row->c);
		row->ok = 1;
	} else {
		fprintf(stderr, "fidelity: %s on %s: %s\n", row->name, row->config, e.text);
	}
	row->seconds = now() - start;
	ct_replay_free(r);
	ct_trace_close(t);
	ct_filter_free(filter);
	return st;
}

static double rate(double a, double b)
{
	return b > 0 ? 100 * a / b : 0;
}

static double off(double ours, double theirs)
{
	return theirs > 0 ? 100 * (ours - theirs) / theirs : 0;
}

static double cycles_of(const struct row *r)
{
	return (double)(r->c.cycles - r->c.launch_cycles);
}

static void print_row(const struct row *r)
{
	const struct ct_replay_counts *c = &r->c;
	printf("%-30s %-13s %-4s %9.0f %+7.2f%% %8.0f %+8.0f %7.2f %+6.2f %8.0f %+7.0f %6.2f %+6.2f "
	       "%8.0f %+6.2f%% %9.0f %+7.2f%% %6.2f\n",
	       r->name, r->config, r->use, r->l1_accesses, off((double)c->l1_accesses, r->l1_accesses),
	       r->l1_misses, (double)c->l1_misses - r->l1_misses,
	       rate(r->l1_misses, r->l1_accesses),
	       rate((double)c->l1_misses, (double)c->l1_accesses) - rate(r->l1_misses, r->l1_accesses),
	       r->l1_pending, (double)c->l1_pending - r->l1_pending,
	       rate(r->llc_read_misses, r->llc_reads),
	       rate((double)c->llc_read_misses, (double)c->llc_read_accesses) -
	               rate(r->llc_read_misses, r->llc_reads),
	       r->dram_reads, off((double)c->dram_read_bytes / 32, r->dram_reads),
	       r->cycles, off(cycles_of(r), r->cycles), r->seconds);
	fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void summary(const char *what, double *v, int n)
{
	double sum = 0;
	if (!n)
		return;
	qsort(v, (size_t)n, sizeof *v, ascending);
	for (int i = 0; i < n; i++)
		sum += v[i];
	printf("%-28s rows %3d  mean %6.2f  nine in ten %6.2f  worst %6.2f\n", what, n, sum / n,
	       v[(9 * n + 9) / 10 - 1], v[n - 1]);
}

static double absolute(double v)
{
	return v < 0 ? -v : v;
}

static void print_summary(const struct row *rows, int n, const char *use)
{
	static double l1[MAX_ROWS], llc[MAX_ROWS], dram[MAX_ROWS], cycles[MAX_ROWS], acc[MAX_ROWS];
	int nl1 = 0, nllc = 0, ndram = 0, ncycles = 0;
	for (int i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		const struct ct_replay_counts *c = &r->c;
		if (!r->ok || strcmp(r->use, use))
			continue;
		if (r->l1_accesses >= 1000) {
			acc[nl1] = absolute(off((double)c->l1_accesses, r->l1_accesses));
			l1[nl1++] = absolute(rate((double)c->l1_misses, (double)c->l1_accesses) -
			                     rate(r->l1_misses, r->l1_accesses));
		}
		if (r->llc_reads >= 1000)
			llc[nllc++] = absolute(rate((double)c->llc_read_misses, (double)c->llc_read_accesses) -
			                       rate(r->llc_read_misses, r->llc_reads));
		if (r->dram_reads >= 1000)
			dram[ndram++] = absolute(off((double)c->dram_read_bytes / 32, r->dram_reads));
		if (r->cycles >= 1000)
			cycles[ncycles++] = absolute(off(cycles_of(r), r->cycles));
	}
	printf("\nrows marked %s\n", use);
	summary("L1 accesses, %", acc, nl1);
	summary("L1 miss rate, points", l1, nl1);
	summary("LLC read miss rate, points", llc, nllc);
	summary("DRAM reads, %", dram, ndram);
	summary("cycles less launch, %", cycles, ncycles);
}

/* SUBSTRING of the trace, or of the configuration after a slash. */
static int chosen(const struct row *r, const char *only)
{
	char name[64];
	const char *slash = strchr(only, '/');
	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - only) : 63, only);
	return strstr(r->name, name) && (!slash || strstr(r->config, slash + 1));
}

int main(int argc, char **argv)
{
	static struct row rows[MAX_ROWS];
	const char *only = "", *kernels = NULL;
	char path[1024];
	int n, k = 0, c;
	while ((c = getopt(argc, argv, "s:k:")) != -1) {
		if (c == 's')
			only = optarg;
		else if (c == 'k')
			kernels = optarg;
		else
			return 2;
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: fidelity [-s SUBSTRING] [-k KERNELS] REFERENCE_DIR SHARED_DIR\n");
		return 2;
	}
	snprintf(path, sizeof path, "%s/accelsim.tsv", argv[optind]);
	if ((n = read_rows(path, rows)) < 0) {
		fprintf(stderr, "fidelity: %s: cannot be read\n", path);
		return 2;
	}
	printf("%-30s %-13s %-4s %9s %8s %8s %8s %7s %6s %8s %7s %6s %6s %8s %7s %9s %8s %6s\n", "trace",
	       "config", "use", "l1 acc", "ours", "l1 miss", "ours", "rate", "ours", "pending", "ours",
	       "llc rd", "ours", "dram rd", "ours", "cycles", "ours", "s");
	for (int i = 0; i < n; i++) {
		if (!chosen(&rows[i], only))
			continue;
		if (k != i)
			rows[k] = rows[i];
		if (run_row(&rows[k], argv[optind], argv[optind + 1], kernels) == 0)
			print_row(&rows[k]);
		k++;
	}
	print_summary(rows, k, "test");
	print_summary(rows, k, "fit");
	return 0;
}
