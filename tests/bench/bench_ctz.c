/* Reading packed traces: warp instructions and bytes of the packed file per CPU second,
 * with every instruction decoded and without, beside the same trace as text; how long an
 * instruction is in each. Two traces whose addresses are regular, two where they are not.
 * CT_BENCH_SIZE chooses tracegen's size (large), CT_BENCH_RUNS the runs (5). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bench.h"
#include "tests/support/bench_trace.h"

enum { RUNS_MAX = 25 };

static int rates(const char *path, const char *name, const char *metric, int decode, size_t runs,
                 double *insts)
{
	double rate[RUNS_MAX];
	struct ct_error e = {0};
	for (size_t i = 0; i < runs; i++) {
		uint64_t n;
		double start = bench_cpu();
		if (bench_trace_read(path, decode, &n, &e) < 0) {
			fprintf(stderr, "bench_ctz: %s: %s\n", path, e.text);
			return -1;
		}
		rate[i] = (double)n * 1e-6 / (bench_cpu() - start);
		*insts = (double)n;
	}
	bench_spread_rows("ctz", name, metric, rate, runs, "million warp insts/s");
	return 0;
}

static int bench(const char *dir, const char *workload, const char *name, const char *size, size_t runs)
{
	char text[4096], packed[4096];
	double insts;
	if (bench_trace_make(dir, workload, size, text, packed, sizeof text) < 0 ||
	    rates(packed, name, "read .ctz", 0, runs, &insts) < 0 ||
	    rates(packed, name, "read and decode .ctz", 1, runs, &insts) < 0 ||
	    rates(text, name, "read and decode .traceg.zst", 1, runs, &insts) < 0)
		return -1;
	bench_row("ctz", name, "size", insts * 1e-6, "million warp insts");
	bench_row("ctz", name, ".ctz", (double)bench_trace_bytes(packed) / insts, "bytes/warp inst");
	bench_row("ctz", name, ".traceg.zst", (double)bench_trace_bytes(text) / insts,
	          "bytes/warp inst");
	return 0;
}

int main(void)
{
	static const struct {
		const char *workload, *name;
	} trace[] = {
		{"gemm", "gemm (regular)"},
		{"hotspot", "hotspot (regular)"},
		{"spmv", "spmv (irregular)"},
		{"bfs", "bfs (irregular)"},
	};
	const char *size = getenv("CT_BENCH_SIZE"), *tmp = getenv("TMPDIR");
	uint64_t runs = bench_number("CT_BENCH_RUNS", 5);
	if (runs < 1 || runs > RUNS_MAX)
		runs = RUNS_MAX;
	for (size_t i = 0; i < sizeof trace / sizeof trace[0]; i++)
		if (bench(tmp ? tmp : "/tmp", trace[i].workload, trace[i].name, size ? size : "large",
		          (size_t)runs) < 0)
			return 1;
	return 0;
}
