/* What the one pass over a trace costs beside the replay that it observes: million warp
 * instructions per CPU second of the commands, and how many replays that is; median, least
 * and most of three runs (CT_BENCH_RUNS), one thread each. Then triage over 200 profiles,
 * copies of four, in CPU seconds.
 * CT_BENCH_SIZE chooses tracegen's size (medium). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/support/bench.h"
#include "tests/support/bench_trace.h"

enum { RUNS_MAX = 25, PATH = 1024, COMMAND = 8 * PATH, WORKLOADS = 4, PROFILES = 50 };

static const char *const workload[WORKLOADS] = {"gemm", "spmv", "kmeans", "bfs"};

static double children_cpu(void)
{
	struct rusage u;
	if (getrusage(RUSAGE_CHILDREN, &u) != 0)
		return 0;
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6 +
	       (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec * 1e-6;
}

/* CPU seconds of a shell command, or -1 with a message. */
static double command_cpu(const char *command)
{
	double start = children_cpu();
	if (system(command) != 0) {
		fprintf(stderr, "bench_pass: failed: %s\n", command);
		return -1;
	}
	return children_cpu() - start;
}

struct replayed {
	uint64_t insts;
	double cpu;
};

struct job {
	const char *path;
	const struct ct_gpu *gpu;
};

static int replay(void *ctx, void *out)
{
	const struct job *j = ctx;
	struct replayed *r = out;
	struct ct_error e = {0};
	double start = bench_cpu();
	if (bench_trace_replay(j->path, j->gpu, NULL, &r->insts, &e) < 0) {
		fprintf(stderr, "bench_pass: %s: %s\n", j->path, e.text);
		return -1;
	}
	r->cpu = bench_cpu() - start;
	return 0;
}

/* The replay alone, runs times; *median gets its CPU seconds. */
static int bench_replay(const char *name, const char *packed, const struct ct_gpu *g, size_t runs,
                        double *millions, double *median)
{
	double cpu[RUNS_MAX], rate[RUNS_MAX];
	struct job j = {packed, g};
	for (size_t i = 0; i < runs; i++) {
		struct replayed r;
		if (bench_in_child(replay, &j, &r, sizeof r) < 0)
			return -1;
		*millions = (double)r.insts * 1e-6;
		cpu[i] = r.cpu;
		rate[i] = *millions / r.cpu;
	}
	*median = bench_spread(cpu, runs).median;
	bench_row("pass", name, "size", *millions, "million warp insts");
	bench_spread_rows("pass", name, "replay alone", rate, runs, "million warp insts/s");
	return 0;
}

static int bench_command(const char *name, const char *metric, const char *command, size_t runs,
                         double millions, double alone)
{
	double cpu[RUNS_MAX], rate[RUNS_MAX];
	char ratio[64];
	for (size_t i = 0; i < runs; i++) {
		if ((cpu[i] = command_cpu(command)) < 0)
			return -1;
		rate[i] = millions / cpu[i];
	}
	bench_spread_rows("pass", name, metric, rate, runs, "million warp insts/s");
	snprintf(ratio, sizeof ratio, "%s, replays", metric);
	bench_row("pass", name, ratio, bench_spread(cpu, runs).median / alone, "x");
	return 0;
}

static int bench(const char *bin, const char *name, const char *packed, const struct ct_gpu *g,
                 const char *gpu, size_t runs)
{
	static const struct {
		const char *metric, *command;
	} pass[] = {
		{"reuse --no-sms-views", "reuse --no-sms-views"},
		{"reuse", "reuse"},
		{"mpki", "mpki"},
		{"reuse --mechanisms all", "reuse --mechanisms all"},
		{"triage", "triage"},
	};
	double millions = 0, alone = 0;
	if (bench_replay(name, packed, g, runs, &millions, &alone) < 0)
		return -1;
	for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
		char command[COMMAND];
		snprintf(command, sizeof command, "'%s'/%s -q -@ 1 -g %s '%s' >/dev/null", bin,
		         pass[i].command, gpu, packed);
		if (bench_command(name, pass[i].metric, command, runs, millions, alone) < 0)
			return -1;
	}
	return 0;
}

/* triage over profiles: of each workload once, the others are copies. */
static int bench_profiles(const char *bin, const char *tmp, char packed[][PATH], size_t runs)
{
	char command[COMMAND];
	double cpu[RUNS_MAX];
	snprintf(command, sizeof command, "mkdir -p '%s/profiles'", tmp);
	if (command_cpu(command) < 0)
		return -1;
	for (int i = 0; i < WORKLOADS; i++) {
		snprintf(command, sizeof command,
		         "p='%s/profiles/%s'; '%s'/reuse -q -o \"$p.profile\" '%s' && "
		         "for k in $(seq 2 %d); do cp \"$p.profile\" \"$p$k.profile\" || exit 1; done",
		         tmp, workload[i], bin, packed[i], (int)PROFILES);
		if (command_cpu(command) < 0)
			return -1;
	}
	snprintf(command, sizeof command, "'%s'/triage -q -@ 1 '%s'/profiles/*.profile >/dev/null", bin,
	         tmp);
	for (size_t i = 0; i < runs; i++)
		if ((cpu[i] = command_cpu(command)) < 0)
			return -1;
	bench_spread_rows("pass", "200 profiles", "triage", cpu, runs, "s");
	return 0;
}

int main(void)
{
	static const char gpu[] = "rtx3080";
	static char text[WORKLOADS][PATH], packed[WORKLOADS][PATH];
	const char *size = getenv("CT_BENCH_SIZE"), *root = getenv("CT_ROOT"), *tmp = getenv("TMPDIR");
	const char *bin = getenv("CT_BIN");
	uint64_t runs = bench_number("CT_BENCH_RUNS", 3);
	char data[PATH];
	struct ct_gpu g;
	struct ct_error e = {0};
	snprintf(data, sizeof data, "%s/data", root ? root : ".");
	if (ct_gpu_load(&g, gpu, data, NULL, &e) < 0) {
		fprintf(stderr, "bench_pass: %s\n", e.text);
		return 1;
	}
	if (!bin) {
		fprintf(stderr, "bench_pass: CT_BIN is not set: run it with make bench\n");
		return 1;
	}
	if (runs < 1 || runs > RUNS_MAX)
		runs = RUNS_MAX;
	tmp = tmp ? tmp : "/tmp";
	for (int i = 0; i < WORKLOADS; i++)
		if (bench_trace_make(tmp, workload[i], size ? size : "medium", text[i], packed[i],
		                     PATH) < 0 ||
		    bench(bin, workload[i], packed[i], &g, gpu, (size_t)runs) < 0)
			return 1;
	return bench_profiles(bin, tmp, packed, (size_t)runs) < 0;
}
