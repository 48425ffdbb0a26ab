/* Set-associative LRU of all associativities up to 16 in one pass (setlru.h): 4096 sets,
 * lines and sectors, plain and hashed set indices, on every path. Accesses per CPU
 * second; the hashing, which is the caller's, is not included.
 *   CT_BENCH_N accesses (default 50 million), CT_BENCH_STREAMS a bit mask,
 *   CT_BENCH_PATHS a bit mask of enum ct_isa */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/setlru.h"
#include "tests/support/bench.h"
#include "tests/support/streams.h"

enum { SETS = 4096, ROUNDS = 5, PIECE = 1 << 14 };

struct shape {
	const char *name;
	uint32_t sectors;
	int hashed;
};

static double pass(const struct shape *h, int isa, const uint64_t *line, size_t n)
{
	static uint32_t set[PIECE];
	static uint8_t mask[PIECE];
	struct ct_setlru_options o = {.sets = SETS, .sectors = h->sectors, .isa = isa};
	struct ct_setlru *s = ct_setlru_new(&o, NULL);
	if (!s)
		exit(1);
	for (size_t i = 0; i < PIECE; i++)
		mask[i] = (uint8_t)(1u << i % 4 | 1u << i / 4 % 4);
	double hashing = 0, start = bench_cpu();
	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < PIECE ? n - i : PIECE;
		double before = h->hashed ? bench_cpu() : 0;
		for (size_t k = 0; h->hashed && k < m; k++)
			set[k] = (uint32_t)(ct_mix64(line[i + k]) % SETS);
		hashing += h->hashed ? bench_cpu() - before : 0;
		ct_setlru_access(s, line + i, h->hashed ? set : NULL, h->sectors > 1 ? mask : NULL, m,
		                 NULL);
	}
	double mps = (double)n / (bench_cpu() - start - hashing) / 1e6;
	if (ct_setlru_check(s, NULL) < 0 || ct_setlru_accesses(s) != n)
		exit(1);
	ct_setlru_free(s);
	return mps;
}

int main(void)
{
	static const struct shape shapes[] = {{"lines", 1, 0}, {"hashed_sets", 1, 1}, {"sectors", 4, 0}};
	size_t n = bench_number("CT_BENCH_N", 50000000);
	uint64_t streams = bench_number("CT_BENCH_STREAMS", UINT64_MAX);
	uint64_t paths = bench_number("CT_BENCH_PATHS", UINT64_MAX);
	uint64_t *line = malloc(n * sizeof *line);
	if (!line)
		return 1;
	for (int k = 0; k < STREAM_KINDS; k++) {
		if (!(streams >> k & 1))
			continue;
		stream_fill((enum stream_kind)k, 1, line, n);
		for (int h = 0; h < 3; h++)
			for (int isa = CT_ISA_COUNT - 1; isa >= CT_ISA_PORTABLE; isa--) {
				double mps[ROUNDS];
				char name[64];
				if (!(paths >> isa & 1) || !ct_isa_available((enum ct_isa)isa))
					continue;
				for (int i = 0; i < ROUNDS; i++)
					mps[i] = pass(&shapes[h], isa, line, n);
				snprintf(name, sizeof name, "%s/%s/%s", stream_name((enum stream_kind)k),
				         shapes[h].name, ct_isa_name((enum ct_isa)isa));
				bench_spread_rows("sets", name, "speed", mps, ROUNDS, "M/s");
			}
	}
	free(line);
	return 0;
}
