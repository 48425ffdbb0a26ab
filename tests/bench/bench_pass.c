/* What commands cost beside the replay that they are about, on five traces: million warp instructions per CPU second of
 * the decoder, the engine in both timings, and reuse, mpki and triage, on one thread; how many replays of its timing a
 * command takes, its speed over that of the textbook engine of reuse distances, which meets what else the machine does
 * and lets hosts compare, and the most memory of the process. Then triage over 200 profiles, copies of those traces'.
 * Median, least and most of three runs (CT_BENCH_RUNS). CT_BENCH_SIZE chooses tracegen's size (medium). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "locality/hist.h"
#include "locality/stack.h"
#include "tests/support/bench.h"
#include "tests/support/bench_trace.h"
#include "tests/support/streams.h"

enum { RUNS_MAX = 25, PATH = 1024, COMMAND = 8 * PATH, WORKLOADS = 5, PROFILES = 200 / WORKLOADS };
enum { TEXTBOOK_N = 4000000, PIECE = 1 << 14 };

static const char *const workload[WORKLOADS] = {"gemm", "spmv", "kmeans", "bfs", "hotspot"};

/* What a run is measured against: the replay alone in both timings, CPU seconds, and the textbook engine. */
struct yardstick {
	double millions;      /* warp instructions of the trace */
	double full, quick;   /* CPU seconds */
	double textbook_rate; /* million accesses per CPU second */
};

struct used {
	double cpu, mib;
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* CPU seconds and memory of a shell command; -1 with a message when it fails. */
static int run_command(const char *command, struct used *u)
{
	struct rusage r;
	int status = -1;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &r) != child || status != 0) {
		fprintf(stderr, "bench_pass: failed: %s\n", command);
		return -1;
	}
	u->cpu = seconds(r.ru_utime) + seconds(r.ru_stime);
	u->mib = (double)r.ru_maxrss / 1024;
	return 0;
}

struct job {
	const char *path;
	const struct ct_gpu *gpu;
	enum { DECODE, REPLAY_FULL, REPLAY_QUICK } what;
	uint64_t insts; /* the answer */
	double cpu;
};

static int read_or_replay(void *ctx, void *out)
{
	struct job j = *(const struct job *)ctx;
	struct ct_replay_options o = {
		.timing = j.what == REPLAY_QUICK ? CT_REPLAY_QUICK : CT_REPLAY_FULL};
	struct ct_error e = {0};
	double start = bench_cpu();
	int st = j.what == DECODE ? bench_trace_read(j.path, 1, &j.insts, &e)
	                          : bench_trace_replay(j.path, j.gpu, &o, &j.insts, &e);
	j.cpu = bench_cpu() - start;
	if (st < 0)
		fprintf(stderr, "bench_pass: %s: %s\n", j.path, e.text);
	memcpy(out, &j, sizeof j);
	return st < 0 ? -1 : 0;
}

/* The textbook engine on a million lines of a Zipf distribution. */
static int count_textbook(void *ctx, void *out)
{
	static uint64_t distance[PIECE];
	struct ct_stack_options o = {.engine = CT_STACK_TEXTBOOK};
	uint64_t *line = malloc(TEXTBOOK_N * sizeof *line);
	struct ct_stack *s = ct_stack_new(&o, NULL);
	struct ct_hist *h = calloc(1, sizeof *h);
	int ok = line && s && h;
	(void)ctx;
	if (ok) {
		stream_fill(STREAM_ZIPF20, 1, line, TEXTBOOK_N);
		double start = bench_cpu();
		for (size_t i = 0, n; i < TEXTBOOK_N; i += n) {
			n = TEXTBOOK_N - i < PIECE ? TEXTBOOK_N - i : PIECE;
			ct_stack_touch_batch(s, line + i, n, distance);
			ct_hist_add_all(h, distance, n);
		}
		*(double *)out = TEXTBOOK_N * 1e-6 / (bench_cpu() - start);
	}
	ct_stack_free(s);
	free(line);
	free(h);
	return ok ? 0 : -1;
}

static int measure_alone(struct job j, const char *name, const char *metric, size_t runs, double *median,
                         struct yardstick *y)
{
	double cpu[RUNS_MAX], rate[RUNS_MAX];
	char ratio[64];
	for (size_t i = 0; i < runs; i++) {
		struct job r;
		if (bench_in_child(read_or_replay, &j, &r, sizeof r) < 0)
			return -1;
		y->millions = (double)r.insts * 1e-6;
		cpu[i] = r.cpu;
		rate[i] = y->millions / r.cpu;
	}
	*median = bench_spread(cpu, runs).median;
	bench_spread_rows("pass", name, metric, rate, runs, "million warp insts/s");
	snprintf(ratio, sizeof ratio, "%s, over textbook", metric);
	bench_row("pass", name, ratio, y->millions / *median / y->textbook_rate, "x");
	return 0;
}

/* Decoder and engines alone, and the textbook engine between them. */
static int measure_yardstick(const char *name, const char *packed, const struct ct_gpu *g, size_t runs,
                             struct yardstick *y)
{
	double textbook[RUNS_MAX], decode;
	struct job j = {.path = packed, .gpu = g, .what = DECODE};
	for (size_t i = 0; i < runs; i++)
		if (bench_in_child(count_textbook, NULL, &textbook[i], sizeof textbook[i]) < 0)
			return -1;
	bench_spread_rows("pass", name, "textbook, zipf 2^20", textbook, runs, "million accesses/s");
	y->textbook_rate = bench_spread(textbook, runs).median;
	if (measure_alone(j, name, "decode alone", runs, &decode, y) < 0)
		return -1;
	j.what = REPLAY_FULL;
	if (measure_alone(j, name, "replay alone", runs, &y->full, y) < 0)
		return -1;
	j.what = REPLAY_QUICK;
	if (measure_alone(j, name, "replay alone, quick", runs, &y->quick, y) < 0)
		return -1;
	bench_row("pass", name, "size", y->millions, "million warp insts");
	return 0;
}

static int measure_command(const char *name, const char *metric, const char *command, size_t runs,
                           const struct yardstick *y, double alone)
{
	double cpu[RUNS_MAX], rate[RUNS_MAX], mib = 0;
	char label[96];
	for (size_t i = 0; i < runs; i++) {
		struct used u;
		if (run_command(command, &u) < 0)
			return -1;
		cpu[i] = u.cpu;
		rate[i] = y->millions / u.cpu;
		mib = u.mib > mib ? u.mib : mib;
	}
	double median = bench_spread(cpu, runs).median;
	bench_spread_rows("pass", name, metric, rate, runs, "million warp insts/s");
	snprintf(label, sizeof label, "%s, replays", metric);
	bench_row("pass", name, label, median / alone, "x");
	snprintf(label, sizeof label, "%s, over textbook", metric);
	bench_row("pass", name, label, y->millions / median / y->textbook_rate, "x");
	snprintf(label, sizeof label, "%s, resident", metric);
	bench_row("pass", name, label, mib, "MiB");
	return 0;
}

/* The commands; one that replays with quick timing is held against that replay. The replays are of the whole GPU. */
static const struct {
	const char *command;
	int quick;
} commands[] = {
	{"reuse --no-sms-views", 0},
	{"reuse", 0},
	{"reuse --timing quick", 1},
	{"mpki", 0},
	{"mpki -O table", 0},
	{"mpki --timing quick", 1},
	{"reuse --mechanisms all", 0},
	{"triage --scale 1 --method analytic", 0},
	{"triage --scale 1", 0},
	{"triage --method analytic", 0},
	{"triage", 0}, /* on the part of the GPU that the trace fills, whose SMs may be few */
};

static int bench_workload(const char *bin, const char *name, const char *packed, const struct ct_gpu *g,
                          const char *gpu, size_t runs)
{
	struct yardstick y = {0};
	if (measure_yardstick(name, packed, g, runs, &y) < 0)
		return -1;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		char line[COMMAND];
		snprintf(line, sizeof line, "'%s'/%s -q -@ 1 -g %s '%s' >/dev/null", bin,
		         commands[i].command, gpu, packed);
		if (measure_command(name, commands[i].command, line, runs, &y,
		                    commands[i].quick ? y.quick : y.full) < 0)
			return -1;
	}
	return 0;
}

/* triage over profiles: of each workload once, the others are copies. They fill the GPU that they name and hold what
 * verdicts read, so that nothing has to be replayed. */
static int bench_profiles(const char *bin, const char *tmp, char packed[][PATH], size_t runs)
{
	char command[COMMAND];
	double cpu[RUNS_MAX];
	struct used u;
	snprintf(command, sizeof command, "mkdir -p '%s/profiles'", tmp);
	if (run_command(command, &u) < 0)
		return -1;
	for (int i = 0; i < WORKLOADS; i++) {
		snprintf(command, sizeof command,
		         "p='%s/profiles/%s'; "
		         "'%s'/reuse -q --scale auto --mechanisms all -o \"$p.profile\" '%s' && "
		         "for k in $(seq 2 %d); do cp \"$p.profile\" \"$p$k.profile\" || exit 1; done",
		         tmp, workload[i], bin, packed[i], (int)PROFILES);
		if (run_command(command, &u) < 0)
			return -1;
	}
	snprintf(command, sizeof command,
	         "'%s'/triage -q -@ 1 --method analytic '%s'/profiles/*.profile >/dev/null", bin, tmp);
	for (size_t i = 0; i < runs; i++) {
		if (run_command(command, &u) < 0)
			return -1;
		cpu[i] = u.cpu;
	}
	bench_spread_rows("pass", "200 profiles", "triage --method analytic", cpu, runs, "s");
	return 0;
}

int main(void)
{
	static const char gpu[] = "rtx3070";
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
		    bench_workload(bin, workload[i], packed[i], &g, gpu, (size_t)runs) < 0)
			return 1;
	return bench_profiles(bin, tmp, packed, (size_t)runs) < 0;
}
