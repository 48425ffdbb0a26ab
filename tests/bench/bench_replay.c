/* Speed of the replay engine on generated traces of about five million warp instructions,
 * from packed traces and from text: warp instructions per CPU second, reading and decoding
 * included; median, least and most of five runs (CT_BENCH_RUNS), and the most memory.
 * CT_BENCH_SIZE chooses tracegen's size (large). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bench.h"
#include "tests/support/bench_trace.h"

enum { RUNS_MAX = 25 };

struct job {
	const char *path;
	const struct ct_gpu *gpu;
	enum ct_replay_timing timing;
	size_t runs;
};
struct result {
	double millions, rate[RUNS_MAX], mib;
};

static int run(void *ctx, void *out)
{
	const struct job *j = ctx;
	struct result *r = out;
	struct ct_replay_options o = {.timing = j->timing};
	struct ct_error e = {0};
	for (size_t i = 0; i < j->runs; i++) {
		uint64_t insts;
		double start = bench_cpu();
		if (bench_trace_replay(j->path, j->gpu, &o, &insts, &e) < 0) {
			fprintf(stderr, "bench_replay: %s: %s\n", j->path, e.text);
			return -1;
		}
		r->millions = (double)insts * 1e-6;
		r->rate[i] = r->millions / (bench_cpu() - start);
	}
	r->mib = (double)bench_peak_bytes() / (1 << 20);
	return 0;
}

static int bench(const char *dir, const char *workload, const char *size, const struct ct_gpu *g,
                 size_t runs)
{
	char text[4096], packed[4096];
	if (bench_trace_make(dir, workload, size, text, packed, sizeof text) < 0)
		return -1;
	const struct {
		const char *metric;
		struct job job;
	} job[] = {
		{"from .ctz", {packed, g, CT_REPLAY_FULL, runs}},
		{"from text", {text, g, CT_REPLAY_FULL, runs}},
		{"from .ctz, quick", {packed, g, CT_REPLAY_QUICK, runs}},
		{"from text, quick", {text, g, CT_REPLAY_QUICK, runs}},
	};
	for (size_t i = 0; i < sizeof job / sizeof job[0]; i++) {
		struct result r;
		struct job j = job[i].job;
		if (bench_in_child(run, &j, &r, sizeof r) < 0)
			return -1;
		if (i == 0)
			bench_row("replay", workload, "size", r.millions, "million warp insts");
		bench_spread_rows("replay", workload, job[i].metric, r.rate, runs,
		                  "million warp insts/s");
		if (i < 2)
			bench_row("replay", workload, i ? "resident, from text" : "resident, from .ctz",
			          r.mib, "MiB");
	}
	return 0;
}

int main(void)
{
	static const char *const workload[] = {"gemm", "spmv", "kmeans"};
	const char *size = getenv("CT_BENCH_SIZE"), *root = getenv("CT_ROOT"), *tmp = getenv("TMPDIR");
	uint64_t runs = bench_number("CT_BENCH_RUNS", 5);
	char data[4096];
	struct ct_gpu g;
	struct ct_error e = {0};
	snprintf(data, sizeof data, "%s/data", root ? root : ".");
	if (ct_gpu_load(&g, "rtx3070", data, NULL, &e) < 0) {
		fprintf(stderr, "bench_replay: %s\n", e.text);
		return 1;
	}
	if (runs < 1 || runs > RUNS_MAX)
		runs = RUNS_MAX;
	for (size_t i = 0; i < sizeof workload / sizeof *workload; i++)
		if (bench(tmp ? tmp : "/tmp", workload[i], size ? size : "large", &g, (size_t)runs) < 0)
			return 1;
	return 0;
}
