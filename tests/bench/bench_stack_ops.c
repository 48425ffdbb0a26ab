/* Every operation of stack.h: single calls, batches, mixes with probes, stores without
 * allocation and evictions, sectors and stamps, flushes, and 68 streams side by side.
 * Operations per CPU second.
 *   CT_BENCH_N operations (default 50 million; a tenth for single calls),
 *   CT_BENCH_STREAMS a bit mask */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "locality/stack.h"
#include "tests/support/bench.h"
#include "tests/support/streams.h"

enum { ROUNDS = 3, PIECE = 1 << 14, STREAMS = 68, FLUSH_EVERY = 1 << 20 };

/* One mix: per eight operations so many of each kind, the rest touches. */
struct mix {
	const char *name;
	uint32_t sectors;
	int stamps, single, streams, flush;
	unsigned store, evict, probe;
};

static const struct mix mixes[] = {
	{.name = "touch_single", .single = 1},
	{.name = "ops_touch"},
	{.name = "ops_probe", .probe = 4},
	{.name = "ops_store_noalloc", .store = 2},
	{.name = "ops_evict", .evict = 2},
	{.name = "ops_sectors", .sectors = 4},
	{.name = "ops_sectors_stamps", .sectors = 4, .stamps = 1, .store = 1, .probe = 3},
	{.name = "ops_flush", .flush = 1},
	{.name = "ops_68_streams", .sectors = 4, .stamps = 1, .streams = STREAMS},
};

static void fill(const struct mix *x, const uint64_t *line, size_t n, uint64_t *seed,
                 struct ct_stack_op *op)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t r = ct_rand64(seed);
		unsigned k = r % 8;
		op[i].line = line[i];
		op[i].mask = x->sectors > 1 ? (uint8_t)(1u << (r >> 8 & 3) | 1u << (r >> 10 & 3)) : 1;
		op[i].stamp = i;
		op[i].kind = k < x->store                         ? CT_STACK_STORE_NOALLOC
		             : k < x->store + x->evict            ? CT_STACK_EVICT
		             : k < x->store + x->evict + x->probe ? CT_STACK_PROBE
		                                                  : CT_STACK_TOUCH;
	}
}

/* A piece goes to one stream, the next to the next, as a batch of the observer. */
static double pass(const struct mix *x, const uint64_t *line, size_t n)
{
	static struct ct_stack_op op[PIECE];
	struct ct_stack *s[STREAMS];
	int streams = x->streams ? x->streams : 1;
	struct ct_stack_options o = {
		.sectors = x->sectors, .stamps = x->stamps, .slack = streams > 1 ? 1 << 20 : 0};
	uint64_t seed = 1, sum = 0;
	double cpu = 0;
	size_t piece = streams > 1 ? PIECE / 32 : PIECE;
	for (int i = 0; i < streams; i++)
		if (!(s[i] = ct_stack_new(&o, NULL)))
			exit(1);
	for (size_t i = 0, m; i < n; i += m) {
		struct ct_stack *to = s[i / piece % (size_t)streams];
		m = n - i < piece ? n - i : piece;
		fill(x, line + i, m, &seed, op);
		double start = bench_cpu();
		for (size_t k = 0; x->single && k < m; k++)
			sum += ct_stack_touch(to, op[k].line);
		if (!x->single)
			ct_stack_ops(to, op, m);
		if (x->flush && i / FLUSH_EVERY != (i + m) / FLUSH_EVERY)
			ct_stack_flush(to);
		cpu += bench_cpu() - start;
	}
	for (int i = 0; i < streams; i++) {
		if (ct_stack_check(s[i], NULL) < 0)
			exit(1);
		ct_stack_free(s[i]);
	}
	return sum == 1 ? 0 : (double)n / cpu / 1e6;
}

int main(void)
{
	size_t n = bench_number("CT_BENCH_N", 50000000);
	uint64_t streams = bench_number("CT_BENCH_STREAMS", 1u << STREAM_ZIPF20 | 1u << STREAM_GPU);
	uint64_t *line = malloc(n * sizeof *line);
	if (!line)
		return 1;
	for (int k = 0; k < STREAM_KINDS; k++) {
		if (!(streams >> k & 1))
			continue;
		stream_fill((enum stream_kind)k, 1, line, n);
		for (size_t x = 0; x < sizeof mixes / sizeof *mixes; x++) {
			double mps[ROUNDS];
			char name[64];
			for (int i = 0; i < ROUNDS; i++)
				mps[i] = pass(&mixes[x], line, mixes[x].single ? n / 10 : n);
			snprintf(name, sizeof name, "%s/%s", stream_name((enum stream_kind)k),
			         mixes[x].name);
			bench_spread_rows("stack_ops", name, "speed", mps, ROUNDS, "M/s");
		}
	}
	free(line);
	return 0;
}
