/* Coalescing, shared-memory conflicts and atomic transactions against their twins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"
#include "gpu/coalesce.h"
#include "tests/support/coalesce_twin.h"

static struct ct_line_request got[CT_MAX_LINES_PER_INST], want[CT_MAX_LINES_PER_INST];

static void strided(struct ct_inst *inst, uint32_t mask, uint64_t base, int64_t stride)
{
	memset(inst, 0, sizeof *inst);
	inst->mask = mask;
	inst->addr_form = CT_ADDR_STRIDE;
	inst->base = base;
	inst->stride = stride;
	for (uint32_t m = mask; m; m &= m - 1) {
		inst->addr[inst->naddr] = base + (uint64_t)stride * inst->naddr;
		inst->naddr++;
	}
}

static unsigned lines_of(uint8_t space, uint16_t width, const struct ct_inst *inst)
{
	struct ct_kernel k = {0};
	struct ct_sinst s = {.space = space, .width = width};
	uint32_t shared;
	return ct_coalesce(&k, &s, inst, 128, 32, NULL, 0, got, &shared);
}

static void known_patterns(void **state)
{
	(void)state;
	struct ct_inst inst;
	strided(&inst, ~0u, 0x1000, 4); /* one full line */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 4, &inst), 1);
	assert_int_equal(got[0].line, 0x1000 / 128);
	assert_int_equal(got[0].sectors, 0xf);
	assert_int_equal(got[0].lanes, ~0u);
	assert_true(got[0].bytes[0] == UINT64_MAX && got[0].bytes[1] == UINT64_MAX);
	strided(&inst, ~0u, 0x1000, 16); /* 128-bit accesses: four lines of eight lanes */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 16, &inst), 4);
	assert_int_equal(got[3].lanes, 0xff000000u);
	strided(&inst, ~0u, 0x1000, 128); /* a column: 32 lines of one sector */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 4, &inst), 32);
	assert_int_equal(got[31].sectors, 1);
	strided(&inst, ~0u, 0x1000, 0); /* broadcast */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 4, &inst), 1);
	assert_int_equal(got[0].sectors, 1);
	strided(&inst, 1, 0x107e, 0); /* straddles two lines */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 4, &inst), 2);
	assert_int_equal(got[0].sectors, 8);
	assert_int_equal(got[1].sectors, 1);
	strided(&inst, 3, UINT64_MAX - 1, 0); /* the end of the address space */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 8, &inst), 1);
	strided(&inst, ~0u, 0, 4); /* lane 0 has no address */
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 4, &inst), 1);
	assert_int_equal(got[0].lanes, ~1u);
	assert_int_equal(lines_of(CT_SPACE_SHARED, 4, &inst), 0);
	assert_int_equal(lines_of(CT_SPACE_CONST, 4, &inst), 0);
	assert_int_equal(lines_of(CT_SPACE_GLOBAL, 0, &inst), 0);
}

/* doc/replay.md section 5: a warp's 32-bit local access is one full line, 64-bit two. */
static void local_memory_is_interleaved(void **state)
{
	(void)state;
	struct ct_kernel k = {0};
	struct ct_sinst s = {.space = CT_SPACE_LOCAL, .width = 4};
	struct ct_local_map m = {CT_LOCAL_BASE, 128, 3, 46, 5, 2 * 128 + 64};
	struct ct_inst inst;
	uint32_t shared;
	strided(&inst, ~0u, 0xfffbc8, 0);
	assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, &m, 0, got, &shared), 1);
	assert_int_equal(got[0].sectors, 0xf);
	uint64_t n = 128 * 3 * 46, word = 0xfffbc8 / 4;
	uint64_t at = 0x1f880000 + 4 * (word * n + 128 * (5 + 46 * 2) + 64);
	assert_true(got[0].line == at / 128);
	s.width = 8;
	assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, &m, 0, got, &shared), 2);
	assert_true(got[1].line - got[0].line == n * 4 / 128);
	/* Without a map: private to the warp, away from global memory. */
	assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, NULL, 7, got, &shared), 2);
	uint64_t mine = got[0].line;
	assert_true(mine >> 56 != 0);
	assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, NULL, 8, got, &shared), 2);
	assert_true(got[0].line != mine);
}

static void generic_lanes_resolve_one_by_one(void **state)
{
	(void)state;
	struct ct_kernel k = {
		.has_windows = 1, .shmem_base = 0x7f0000000000, .local_base = 0x7e0000000000};
	struct ct_sinst s = {.space = CT_SPACE_GENERIC, .width = 4};
	struct ct_inst inst;
	uint32_t shared;
	strided(&inst, 7, 0, 0);
	inst.addr_form = CT_ADDR_LIST;
	inst.addr[0] = k.shmem_base + 64;
	inst.addr[1] = k.local_base + 0x100;
	inst.addr[2] = 0x7d0000000000;
	assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, NULL, 1, got, &shared), 2);
	assert_int_equal(shared, 1);
	assert_int_equal(got[0].lanes, 2);
	assert_int_equal(got[1].lanes, 4);
	assert_true(got[1].line == 0x7d0000000000 / 128);
	k.has_windows = 0;
	assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, NULL, 1, got, &shared), 3);
	assert_int_equal(shared, 0);
}

/* The addresses as runs, the way a cursor hands them out; as they are if they are too many. */
static struct ct_inst as_runs(const struct ct_inst *inst)
{
	struct ct_inst x = *inst;
	unsigned n = 0, i = 1;
	while (i < inst->naddr && n < CT_ADDR_RUNS) {
		uint64_t d = inst->addr[i] - inst->addr[i - 1];
		x.run_delta[n] = (int64_t)d;
		for (x.run_lanes[n] = 0; i < inst->naddr && inst->addr[i] - inst->addr[i - 1] == d; i++)
			x.run_lanes[n]++;
		n++;
	}
	if (i < inst->naddr || n == 0)
		return x;
	x.nruns = (uint8_t)n;
	memset(x.addr, 0xee, sizeof x.addr);
	return x;
}

/* A cursor gives a single lane with a stride a run of no lanes; behind lane 31 that run begins at
 * lane 32. */
static void one_lane_with_a_stride(void **state)
{
	(void)state;
	struct ct_kernel k = {0};
	struct ct_sinst s = {.space = CT_SPACE_GLOBAL, .width = 4};
	struct ct_inst inst;
	uint32_t shared;
	for (unsigned lane = 0; lane < 32; lane++)
		for (int64_t stride = 0; stride <= 8; stride += 4) {
			strided(&inst, UINT32_C(1) << lane, 0x1040, stride);
			inst.nruns = 1;
			inst.run_lanes[0] = 0;
			inst.run_delta[0] = stride;
			assert_int_equal(ct_coalesce(&k, &s, &inst, 128, 32, NULL, 1, got, &shared), 1);
			assert_true(got[0].line == 0x1000 / 128 && got[0].lanes == UINT32_C(1) << lane);
			assert_int_equal(got[0].sectors, 4);
		}
}

/* Some rows side by side, of a power of two lanes, each at its place or broadcast. */
static void tile(uint64_t *seed, struct ct_inst *inst)
{
	unsigned row = 1u << ct_rand64(seed) % 6, broadcast = ct_rand64(seed) % 4 == 0;
	uint64_t unit = UINT64_C(1) << ct_rand64(seed) % 5, pitch = ct_rand64(seed) % 512 * unit;
	uint64_t base = inst->base / 16 * 16;
	inst->addr_form = CT_ADDR_DELTAS;
	for (unsigned i = 0; i < inst->naddr; i++)
		inst->addr[i] = base + i / row * pitch + (broadcast ? 0 : i % row * unit);
}

/* Addresses of many shapes: runs, columns, tiles, scatter, near the ends of lines. */
static void random_inst(uint64_t *seed, struct ct_inst *inst)
{
	static const int64_t strides[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 132, 4096, -4, -16, -128, 12};
	uint64_t r = ct_rand64(seed);
	uint32_t mask = r % 4 == 0 ? ~0u : (uint32_t)ct_rand64(seed);
	uint64_t base = ct_rand64(seed) % 3 ? ct_rand64(seed) % 100000 * 4 : ct_rand64(seed) % 4096;
	if (r % 8 < 4) { /* as the tracer writes base + stride: one run of lanes */
		unsigned first = ct_rand64(seed) % 32, n = 1 + ct_rand64(seed) % (32 - first);
		mask = (uint32_t)(((UINT64_C(1) << n) - 1) << first);
	}
	if (ct_rand64(seed) % 50 == 0)
		base = UINT64_MAX - ct_rand64(seed) % 256;
	strided(inst, mask, base, strides[ct_rand64(seed) % 15]);
	if (r % 8 == 4) {
		tile(seed, inst);
	} else if (r % 8 > 4) {
		uint64_t span = UINT64_C(1) << (4 + ct_rand64(seed) % 40);
		inst->addr_form = CT_ADDR_LIST;
		for (unsigned i = 0; i < inst->naddr; i++)
			inst->addr[i] = base + ct_rand64(seed) % span;
	}
	inst->base = inst->naddr ? inst->addr[0] : inst->base;
}

static void equals_the_twin(void **state)
{
	(void)state;
	static const uint16_t widths[] = {1, 2, 4, 8, 12, 16, 32, 64};
	static const struct {
		uint32_t line, sector;
	} shapes[] = {{128, 32}, {128, 128}, {32, 32}, {64, 32}, {256, 32}, {128, 8}, {1024, 32}};
	uint64_t seed = 1;
	for (int round = 0; round < 40000; round++) {
		struct ct_kernel k = {.has_windows = ct_rand64(&seed) % 2,
		                      .shmem_base = 0x20000,
		                      .local_base = 0x1100000};
		uint64_t shape = ct_rand64(&seed) % 7;
		struct ct_sinst s = {.width = widths[ct_rand64(&seed) % 8]};
		static const uint8_t spaces[] = {
			CT_SPACE_GLOBAL, CT_SPACE_LOCAL, CT_SPACE_GENERIC, CT_SPACE_SHARED};
		s.space = spaces[ct_rand64(&seed) % 8 % 4];
		struct ct_local_map m = {
			CT_LOCAL_BASE,
			96,
			4,
			80,
			(uint32_t)(ct_rand64(&seed) % 80),
			(uint32_t)(ct_rand64(&seed) % 12) * 32};
		const struct ct_local_map *map = ct_rand64(&seed) % 2 ? &m : NULL;
		struct ct_inst inst;
		uint32_t shared_got, shared_want;
		random_inst(&seed, &inst);
		if (s.space == CT_SPACE_LOCAL)
			for (unsigned i = 0; i < inst.naddr; i++)
				inst.addr[i] &= 0xffffff;
		inst.base = inst.naddr ? inst.addr[0] : 0;
		struct ct_inst given = round % 2 ? as_runs(&inst) : inst;
		unsigned n = ct_coalesce(&k, &s, &given, shapes[shape].line, shapes[shape].sector, map,
		                         99, got, &shared_got);
		unsigned w = twin_coalesce(&k, &s, &inst, shapes[shape].line, shapes[shape].sector, map,
		                           99, want, &shared_want);
		assert_int_equal(n, w);
		assert_int_equal(shared_got, shared_want);
		for (unsigned i = 0; i < n; i++) {
			assert_true(got[i].line == want[i].line);
			assert_int_equal(got[i].sectors, want[i].sectors);
			assert_int_equal(got[i].lanes, want[i].lanes);
			assert_true(got[i].bytes[0] == want[i].bytes[0]);
			assert_true(got[i].bytes[1] == want[i].bytes[1]);
		}
		ct_lines_descending(got, n);
		for (unsigned i = 1; i < n; i++)
			assert_true(got[i - 1].line > got[i].line);
		assert_int_equal(
			ct_coalesce_descending(&k, &s, &given, shapes[shape].line, shapes[shape].sector,
		                               map, 99, want, &shared_want),
			n);
		assert_int_equal(shared_got, shared_want);
		assert_memory_equal(got, want, n * sizeof *got);
	}
}

/* Lists near and far, with lanes that share lines, are out of line or have no address. */
static void scattered_lanes(void **state)
{
	static const unsigned bits[] = {8, 14, 24, 31, 32, 33, 40, 63};
	struct ct_kernel k = {.has_windows = 0};
	struct ct_sinst s = {.space = CT_SPACE_GLOBAL, .width = 4};
	uint64_t seed = 5;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct ct_inst inst = {.addr_form = CT_ADDR_LIST};
		uint64_t span = (UINT64_C(1) << bits[round % 8]) - 4,
			 from = ct_rand64(&seed) >> 1 & ~UINT64_C(3);
		uint32_t shared;
		inst.mask = round % 3 ? ~0u : (uint32_t)ct_rand64(&seed);
		inst.naddr = (uint8_t)ct_bits(inst.mask);
		for (unsigned i = 0; i < inst.naddr; i++)
			inst.addr[i] = from % (UINT64_MAX - span) + (ct_rand64(&seed) & span);
		if (round % 17 == 0 && inst.naddr)
			inst.addr[inst.naddr / 2] = round % 2 ? 0 : inst.addr[0] | 1;
		inst.base = inst.naddr ? inst.addr[0] : 0;
		unsigned n = ct_coalesce(&k, &s, &inst, 128, 32, NULL, 0, got, &shared);
		ct_lines_descending(got, n);
		assert_int_equal(ct_coalesce_descending(&k, &s, &inst, 128, 32, NULL, 0, want, &shared),
		                 n);
		assert_memory_equal(got, want, n * sizeof *got);
	}
}

/* Near and far apart, with equal lines: as an insertion sort, which keeps equal ones in order. */
static void lines_are_sorted(void **state)
{
	static const uint64_t span[] = {16, 1000, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_MAX};
	uint64_t seed = 11;
	(void)state;
	for (int round = 0; round < 5000; round++) {
		unsigned n = (unsigned)(ct_rand64(&seed) % 41), from = round % 2 ? 1u : 0u;
		for (unsigned i = 0; i < n; i++) {
			uint64_t line = ct_rand64(&seed) % span[round % 5] +
			                from * (UINT64_MAX - span[round % 5]);
			unsigned j = i;
			got[i] = (struct ct_line_request){.line = line, .sectors = i, .lanes = i + 1};
			for (; j > 0 && want[j - 1].line < line; j--)
				want[j] = want[j - 1];
			want[j] = got[i];
		}
		ct_lines_descending(got, n);
		for (unsigned i = 0; i < n; i++) {
			assert_true(got[i].line == want[i].line);
			assert_int_equal(got[i].sectors, want[i].sectors);
			assert_int_equal(got[i].lanes, want[i].lanes);
		}
	}
}

static void bank_conflicts(void **state)
{
	(void)state;
	struct ct_inst inst;
	strided(&inst, ~0u, 0, 4);
	assert_int_equal(ct_shared_conflicts(&inst, ~0u, 32), 1);
	strided(&inst, ~0u, 0, 16); /* LDS.128 with consecutive lanes costs 4 */
	assert_int_equal(ct_shared_conflicts(&inst, ~0u, 32), 4);
	strided(&inst, ~0u, 0, 128);
	assert_int_equal(ct_shared_conflicts(&inst, ~0u, 32), 32);
	assert_int_equal(ct_shared_conflicts(&inst, 0xff, 32), 8);
	strided(&inst, ~0u, 64, 0); /* broadcast */
	assert_int_equal(ct_shared_conflicts(&inst, ~0u, 32), 1);
	strided(&inst, 0, 64, 0);
	assert_int_equal(ct_shared_conflicts(&inst, ~0u, 32), 0);
	uint64_t seed = 5;
	for (int round = 0; round < 20000; round++) {
		static const uint32_t banks[] = {32, 16, 1, 24, 64, 100};
		uint32_t lanes = round % 3 ? ~0u : (uint32_t)ct_rand64(&seed);
		uint32_t b = banks[ct_rand64(&seed) % 6];
		random_inst(&seed, &inst);
		struct ct_inst given = round % 2 ? as_runs(&inst) : inst;
		assert_int_equal(ct_shared_conflicts(&given, lanes, b),
		                 twin_shared_conflicts(&inst, lanes, b));
	}
}

static void atomics(void **state)
{
	(void)state;
	struct ct_kernel k = {0};
	struct ct_sinst s = {.space = CT_SPACE_GLOBAL, .width = 4};
	struct ct_inst inst;
	strided(&inst, ~0u, 0x1000, 0); /* all lanes on one word: 32 transactions */
	assert_int_equal(ct_atomic_transactions(&k, &s, &inst, 32), 32);
	strided(&inst, ~0u, 0x1000, 4); /* four sectors */
	assert_int_equal(ct_atomic_transactions(&k, &s, &inst, 32), 4);
	strided(&inst, 1, 0x1000, 0);
	assert_int_equal(ct_atomic_transactions(&k, &s, &inst, 32), 1);
	s.width = 16;
	strided(&inst, ~0u, 0x1002, 64); /* five sectors of each lane */
	assert_int_equal(ct_atomic_transactions(&k, &s, &inst, 4), 160);
	s.width = 4;
	uint64_t seed = 9;
	for (int round = 0; round < 20000; round++) {
		static const uint16_t widths[] = {2, 4, 8};
		s.width = widths[ct_rand64(&seed) % 3];
		random_inst(&seed, &inst);
		for (unsigned i = 0; i < inst.naddr; i++)
			inst.addr[i] = (inst.addr[i] % 4096 + 4096) / 8 * 8;
		inst.base = inst.naddr ? inst.addr[0] : 0;
		struct ct_inst given = round % 2 ? as_runs(&inst) : inst;
		assert_int_equal(ct_atomic_transactions(&k, &s, &given, 32),
		                 twin_atomic_transactions(&inst, s.width, 32));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_patterns),
		cmocka_unit_test(local_memory_is_interleaved),
		cmocka_unit_test(generic_lanes_resolve_one_by_one),
		cmocka_unit_test(one_lane_with_a_stride),
		cmocka_unit_test(equals_the_twin),
		cmocka_unit_test(lines_are_sorted),
		cmocka_unit_test(scattered_lanes),
		cmocka_unit_test(bank_conflicts),
		cmocka_unit_test(atomics),
	};
	return cmocka_run_group_tests_name("coalesce", tests, NULL, NULL);
}
