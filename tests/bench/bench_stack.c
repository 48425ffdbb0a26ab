/* Exact LRU stack distances: the fast engine on every path, against the textbook engine
 * on the same streams in the same run. CPU time; distances go into a histogram, as in
 * the tools. CT_BENCH_N accesses (default 50 million), CT_BENCH_STREAMS a bit mask. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locality/isa.h"
#include "locality/stack.h"
#include "tests/support/bench.h"
#include "tests/support/streams.h"

enum { PIECE = 1 << 17, REPEATS = 3 };

struct result {
	double mps;
	size_t bytes;
	uint64_t lines;
	struct ct_hist hist;
};

static void pass(const struct ct_stack_options *o, const uint64_t *line, size_t n,
                 struct result *r)
{
	static uint64_t distance[PIECE];
	struct ct_error e;
	struct ct_stack *s = ct_stack_new(o, &e);
	memset(&r->hist, 0, sizeof r->hist);
	if (!s)
		abort();
	double start = bench_cpu();
	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < PIECE ? n - i : PIECE;
		ct_stack_touch_batch(s, line + i, m, distance);
		for (size_t k = 0; k < m; k++)
			ct_hist_add(&r->hist, distance[k], 1);
	}
	r->mps = (double)n / (bench_cpu() - start) / 1e6;
	r->bytes = ct_stack_bytes(s);
	r->lines = ct_stack_lines(s);
	if (ct_stack_check(s, &e) < 0)
		abort();
	ct_stack_free(s);
}

static double measure(const char *stream, const char *engine, const struct ct_stack_options *o,
                      const uint64_t *line, size_t n, int repeats, struct result *r)
{
	double mps[REPEATS];
	char name[64];
	snprintf(name, sizeof name, "%s/%s", stream, engine);
	for (int i = 0; i < repeats; i++) {
		pass(o, line, n, r);
		mps[i] = r->mps;
	}
	struct bench_spread s = bench_spread(mps, (size_t)repeats);
	bench_row("stack", name, "speed", s.median, "M/s");
	if (repeats > 1) {
		bench_row("stack", name, "speed_min", s.low, "M/s");
		bench_row("stack", name, "speed_max", s.high, "M/s");
	}
	bench_row("stack", name, "memory", (double)r->bytes / 1048576, "MiB");
	bench_row("stack", name, "bytes_per_line", (double)r->bytes / (double)r->lines, "B");
	return s.median;
}

static void one_stream(enum stream_kind k, uint64_t *line, size_t n)
{
	static struct result twin, fast;
	const char *name = stream_name(k);
	char label[32];
	struct ct_stack_options o = {.engine = CT_STACK_TEXTBOOK};
	stream_fill(k, 1, line, n);
	double base = measure(name, "textbook", &o, line, n, 1, &twin);
	for (int isa = CT_ISA_COUNT - 1; isa >= CT_ISA_PORTABLE; isa--) {
		o = (struct ct_stack_options){.engine = CT_STACK_FAST, .isa = isa};
		if (!ct_isa_available((enum ct_isa)isa))
			continue;
		double mps = measure(name, ct_isa_name((enum ct_isa)isa), &o, line, n, REPEATS,
		                     &fast);
		snprintf(label, sizeof label, "%s/%s", name, ct_isa_name((enum ct_isa)isa));
		bench_row("stack", label, "over_textbook", mps / base, "x");
		if (memcmp(&fast.hist, &twin.hist, sizeof twin.hist) != 0) {
			fprintf(stderr, "bench_stack: %s differs from the textbook engine\n", label);
			exit(1);
		}
	}
	o = (struct ct_stack_options){.engine = CT_STACK_FAST, .depth = 65536};
	measure(name, "depth65536", &o, line, n, REPEATS, &fast);
	o = (struct ct_stack_options){.engine = CT_STACK_FAST, .threads = 2};
	double wall = bench_wall();
	measure(name, "threads2", &o, line, n, 1, &fast);
	snprintf(label, sizeof label, "%s/threads2", name);
	bench_row("stack", label, "wall_speed", (double)n / (bench_wall() - wall) / 1e6, "M/s");
}

int main(void)
{
	size_t n = bench_number("CT_BENCH_N", 50000000);
	uint64_t streams = bench_number("CT_BENCH_STREAMS", UINT64_MAX);
	uint64_t *line = malloc(n * sizeof *line);
	if (!line)
		return 1;
	for (int k = 0; k < STREAM_KINDS; k++)
		if (streams >> k & 1)
			one_stream((enum stream_kind)k, line, n);
	free(line);
	return 0;
}
