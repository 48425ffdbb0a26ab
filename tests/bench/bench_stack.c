/* Exact LRU stack distances: the fast engine on every path, with bounded depth, and on
 * two threads as a pipeline and in chunks, against the textbook engine on the same streams. Engines take turns,
 * round by round, so that what else the machine does meets all of them; a ratio is the
 * median over rounds. Speeds are accesses per CPU second; distances go into a histogram,
 * as in the tools. Every pass runs in a process of its own, whose peak memory it tells.
 *   CT_BENCH_N        accesses (default 50 million)
 *   CT_BENCH_STREAMS  bit mask of streams, CT_BENCH_ENGINES of engines
 *   CT_BENCH_ROUNDS   default 3 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locality/isa.h"
#include "locality/stack.h"
#include "tests/support/bench.h"
#include "tests/support/streams.h"

enum { PIECE = 1 << 14, LARGE_PIECE = 1 << 20, CHUNK = 1 << 23, MAX_ROUNDS = 31 };

struct engine {
	const char *name;
	struct ct_stack_options o;
	unsigned chunks; /* at once, on as many threads; 0 = not cut */
};

static const struct engine engines[] = {
	{"textbook", {.engine = CT_STACK_TEXTBOOK}, 0},
	{"avx512", {.engine = CT_STACK_FAST, .isa = CT_ISA_AVX512}, 0},
	{"avx2", {.engine = CT_STACK_FAST, .isa = CT_ISA_AVX2}, 0},
	{"popcnt", {.engine = CT_STACK_FAST, .isa = CT_ISA_POPCNT}, 0},
	{"portable", {.engine = CT_STACK_FAST, .isa = CT_ISA_PORTABLE}, 0},
	{"depth65536", {.engine = CT_STACK_FAST, .depth = 65536}, 0},
	{"threads2", {.engine = CT_STACK_FAST, .threads = 2}, 0},
	{"chunks2", {.engine = CT_STACK_FAST}, 2},
};
enum { ENGINES = sizeof engines / sizeof *engines, TEXTBOOK = 0 };

struct job {
	const struct engine *engine;
	const uint64_t *line;
	size_t n;
};

struct result {
	double cpu, wall;   /* seconds */
	double own, adding; /* CPU of the calling thread, and of that in the histogram */
	uint64_t lines, peak;
	struct ct_hist hist;
};

/* One pass, in a child. */
static int pass(void *ctx, void *out)
{
	const struct job *j = ctx;
	struct result *r = out;
	const struct engine *e = j->engine;
	size_t piece = e->chunks ? (size_t)e->chunks * CHUNK : e->o.threads > 1 ? LARGE_PIECE : PIECE;
	uint64_t before = bench_peak_bytes(), *distance = malloc(piece * sizeof *distance);
	struct ct_stack *s = ct_stack_new(&e->o, NULL);
	if (!s || !distance)
		return -1;
	memset(distance, 0, piece * sizeof *distance);
	double cpu = bench_cpu(), wall = bench_wall(), own = bench_thread_cpu();
	for (size_t i = 0, m; i < j->n; i += m) {
		m = j->n - i < piece ? j->n - i : piece;
		if (e->chunks)
			ct_stack_touch_chunks(s, j->line + i, m, distance, e->chunks, CHUNK);
		else
			ct_stack_touch_batch(s, j->line + i, m, distance);
		double start = bench_thread_cpu();
		ct_hist_add_all(&r->hist, distance, m);
		r->adding += bench_thread_cpu() - start;
	}
	r->cpu = bench_cpu() - cpu;
	r->wall = bench_wall() - wall;
	r->own = bench_thread_cpu() - own;
	r->lines = ct_stack_lines(s);
	r->peak = bench_peak_bytes() - before - piece * sizeof *distance;
	int rc = ct_stack_check(s, NULL);
	ct_stack_free(s);
	free(distance);
	return rc;
}

static void fail(const char *stream, const char *engine, const char *what)
{
	fprintf(stderr, "bench_stack: %s/%s: %s\n", stream, engine, what);
	exit(1);
}

/* speed[e][round] and so on. */
struct table {
	double speed[ENGINES][MAX_ROUNDS], ratio[ENGINES][MAX_ROUNDS], wall[ENGINES][MAX_ROUNDS];
	double gain[MAX_ROUNDS], model[MAX_ROUNDS];
	double alone[ENGINES][MAX_ROUNDS]; /* seconds if every thread had a core */
	struct result last[ENGINES];
	int used[ENGINES];
};

static void one_round(struct table *t, const char *stream, struct job *j, unsigned round)
{
	for (int e = 0; e < ENGINES; e++) {
		struct result *r = &t->last[e];
		if (!t->used[e])
			continue;
		memset(r, 0, sizeof *r);
		j->engine = &engines[e];
		if (bench_in_child(pass, j, r, sizeof *r) < 0)
			fail(stream, engines[e].name, "the pass failed");
		t->speed[e][round] = (double)j->n / r->cpu / 1e6;
		t->wall[e][round] = (double)j->n / r->wall / 1e6;
		/* The caller's map beside the other thread's count, or as many threads as chunks;
		 * then the histogram. */
		double map = r->own - r->adding, count = r->cpu - r->own;
		t->alone[e][round] = (engines[e].chunks ? (map + count) / engines[e].chunks
		                      : map > count     ? map
		                                        : count) +
		                     r->adding;
		t->ratio[e][round] = t->speed[e][round] / t->speed[TEXTBOOK][round];
		if (engines[e].o.depth == 0 &&
		    memcmp(&r->hist, &t->last[TEXTBOOK].hist, sizeof r->hist) != 0)
			fail(stream, engines[e].name, "differs from the textbook engine");
	}
}

static void report(struct table *t, const char *stream, unsigned rounds)
{
	for (int e = 0; e < ENGINES; e++) {
		const struct result *r = &t->last[e];
		char name[64];
		if (!t->used[e])
			continue;
		snprintf(name, sizeof name, "%s/%s", stream, engines[e].name);
		bench_spread_rows("stack", name, "speed", t->speed[e], rounds, "M/s");
		if (e != TEXTBOOK)
			bench_row("stack", name, "over_textbook",
			          bench_spread(t->ratio[e], rounds).median, "x");
		if (engines[e].o.threads > 1 || engines[e].chunks)
			bench_spread_rows("stack", name, "wall_speed", t->wall[e], rounds, "M/s");
		bench_row("stack", name, "peak_memory", (double)r->peak / 1e6, "MB");
		bench_row("stack", name, "bytes_per_line", (double)r->peak / (double)r->lines, "B");
	}
}

/* Time of one thread over that of engine e's two, both on the best path: as measured, which
 * needs two idle cores, and as their CPU times say it would be then. */
static void report_gain(struct table *t, const char *stream, unsigned rounds, int two)
{
	int one = -1;
	char name[64];
	for (int e = ENGINES; e-- > 0;)
		if (t->used[e] && e != TEXTBOOK && !engines[e].o.depth && engines[e].o.threads < 2 &&
		    !engines[e].chunks)
			one = e;
	if (one < 0)
		return;
	for (unsigned i = 0; i < rounds; i++) {
		t->gain[i] = t->wall[two][i] / t->wall[one][i];
		t->model[i] = t->alone[one][i] / t->alone[two][i];
	}
	snprintf(name, sizeof name, "%s/%s", stream, engines[two].name);
	bench_spread_rows("stack", name, "over_one_thread", t->gain, rounds, "x");
	bench_spread_rows("stack", name, "over_one_thread_by_cpu", t->model, rounds, "x");
}

int main(void)
{
	static struct table t;
	size_t n = bench_number("CT_BENCH_N", 50000000);
	uint64_t streams = bench_number("CT_BENCH_STREAMS", UINT64_MAX);
	uint64_t wanted = bench_number("CT_BENCH_ENGINES", UINT64_MAX);
	unsigned rounds = (unsigned)bench_number("CT_BENCH_ROUNDS", 3);
	uint64_t *line = malloc(n * sizeof *line);
	if (!line)
		return 1;
	rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
	for (int e = 0; e < ENGINES; e++)
		t.used[e] = e == TEXTBOOK ||
		            ((wanted >> e & 1) && ct_isa_available((enum ct_isa)engines[e].o.isa));
	for (int k = 0; k < STREAM_KINDS; k++) {
		struct job j = {NULL, line, n};
		if (!(streams >> k & 1))
			continue;
		stream_fill((enum stream_kind)k, 1, line, n);
		for (unsigned i = 0; i < rounds; i++)
			one_round(&t, stream_name((enum stream_kind)k), &j, i);
		/* Gains go by rounds: before the reports sort them. */
		for (int e = 0; e < ENGINES; e++)
			if (t.used[e] && (engines[e].o.threads > 1 || engines[e].chunks))
				report_gain(&t, stream_name((enum stream_kind)k), rounds, e);
		report(&t, stream_name((enum stream_kind)k), rounds);
	}
	free(line);
	return 0;
}
