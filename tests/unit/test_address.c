/* Slices, channels, banks, rows and sets against the formulas of the fact sheet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/address.h"

/* The hashes of doc/replay.md section 8 as published: for index bit k the bits of h. */
static const char *const rows16[] = {
	"11 10 9 8 6 4 3 0", "12 8 7 6 5 3 1 0", "9 8 7 6 4 2 1", "10 9 8 7 5 3 2"};
static const char *const rows32[] = {"13 12 11 10 9 6 5 3 0", "14 13 12 11 10 7 6 4 1",
                                     "14 10 9 8 7 6 3 2 0", "11 10 9 8 7 4 3 1", "12 11 10 9 8 5 4 2"};
static const char *const rows64[] = {
	"18 17 16 15 12 10 6 5 0", "15 13 12 11 10 7 5 1 0",  "16 14 13 12 11 8 6 2 1",
	"17 15 14 13 12 9 7 3 2",  "18 16 15 14 13 10 8 4 3", "17 16 15 14 11 9 5 4"};

static uint32_t ipoly(uint32_t n, uint32_t index, uint64_t h)
{
	const char *const *rows = n == 16 ? rows16 : n == 32 ? rows32 : rows64;
	for (unsigned k = 0; 1u << k < n; k++) {
		const char *s = rows[k];
		while (*s) {
			char *end;
			unsigned bit = (unsigned)strtoul(s, &end, 10);
			index ^= (uint32_t)(h >> bit & 1) << k;
			s = end;
		}
	}
	return index;
}

static uint64_t bits(uint64_t a, unsigned from, unsigned n)
{
	return a >> from & ((UINT64_C(1) << n) - 1);
}

static const char mapping[] =
	"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
static const char volta[] =
	"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";

static void setup(struct ct_gpu *g, uint32_t channels, uint32_t per_channel, uint32_t sets,
                  uint32_t ways, const char *map, enum ct_set_hash slice, enum ct_set_hash set)
{
	struct ct_error e;
	ct_gpu_defaults(g);
	g->dram_channels = g->llc_partitions = channels;
	g->llc_slices = channels * per_channel;
	g->llc.sets = sets;
	g->llc.ways = ways;
	g->llc.size = (uint64_t)sets * ways * 128;
	g->llc_hash = slice;
	g->llc.set_hash = set;
	strcpy(g->dram_mapping, map);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

static uint64_t random_address(uint64_t *seed)
{
	return ct_rand64(seed) >> (ct_rand64(seed) % 40);
}

static void like_rtx3070(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_address_map m;
	uint64_t seed = 3;
	setup(&g, 16, 2, 64, 16, mapping, CT_HASH_IPOLY, CT_HASH_IPOLY);
	assert_int_equal(ct_address_map_init(&m, &g, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t a = random_address(&seed);
		struct ct_place p = ct_address_place(&m, a);
		uint32_t slice = ipoly(32, (uint32_t)(2 * bits(a, 8, 4) + bits(a, 7, 1)), a >> 13);
		assert_int_equal(p.slice, slice);
		assert_int_equal(p.channel, slice / 2);
		assert_int_equal(p.bank, bits(a, 7, 1) | bits(a, 16, 3) << 1);
		assert_true(p.row == bits(a, 19, 13));
		assert_int_equal(p.llc_set, ipoly(64, (uint32_t)bits(a, 12, 6), a >> 18));
		assert_int_equal(p.l1_set, bits(a, 7, 2));
	}
}

static void like_qv100(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_address_map m;
	uint64_t seed = 4;
	setup(&g, 32, 2, 32, 24, volta, CT_HASH_IPOLY, CT_HASH_IPOLY);
	assert_int_equal(ct_address_map_init(&m, &g, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t a = random_address(&seed);
		struct ct_place p = ct_address_place(&m, a);
		uint32_t slice = ipoly(64, (uint32_t)(2 * bits(a, 8, 5) + bits(a, 13, 1)), a >> 14);
		assert_int_equal(p.slice, slice);
		assert_int_equal(p.channel, slice / 2);
		assert_int_equal(p.bank, bits(a, 13, 1) | bits(a, 17, 3) << 1);
		assert_true(p.row == bits(a, 20, 13));
		assert_int_equal(p.llc_set,
		                 ipoly(32, (uint32_t)(bits(a, 7, 1) | bits(a, 14, 4) << 1), a >> 18));
	}
}

static void like_rtx2060(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_address_map m;
	uint64_t seed = 5;
	setup(&g, 12, 2, 64, 16, mapping, CT_HASH_LINEAR, CT_HASH_IPOLY);
	assert_int_equal(ct_address_map_init(&m, &g, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t a = random_address(&seed), q = (a >> 8) / 12, b = q << 8 | (a & 255);
		struct ct_place p = ct_address_place(&m, a);
		assert_int_equal(p.channel, (a >> 8) % 12);
		assert_int_equal(p.slice, 2 * ((a >> 8) % 12) + bits(a, 7, 1));
		assert_int_equal(p.bank, bits(b, 7, 1) | bits(b, 12, 3) << 1);
		assert_true(p.row == bits(b, 15, 13));
		assert_int_equal(p.llc_set, ipoly(64, (uint32_t)bits(q, 0, 6), q >> 6));
	}
}

/* The modulo of a power-of-two ipoly (later versions of the simulator). */
static void ipoly_of_other_counts(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_address_map m;
	uint64_t seed = 6;
	setup(&g, 20, 2, 64, 16, mapping, CT_HASH_IPOLY, CT_HASH_LINEAR);
	assert_int_equal(ct_address_map_init(&m, &g, NULL), 0);
	for (int i = 0; i < 5000; i++) {
		uint64_t a = random_address(&seed), top = a >> 8;
		struct ct_place p = ct_address_place(&m, a);
		uint32_t index = (uint32_t)(2 * (top % 20) + bits(a, 7, 1));
		assert_int_equal(p.slice, ipoly(64, index, top / 20) % 40);
	}
}

static void other_hashes(void **state)
{
	(void)state;
	uint64_t seed = 7;
	static const char *const pae[] = {
		"i0 i0 i3 h13 h10 h9 h5 h0", "i1 i1 i2 i3 h12 h11 h6 h1", "i1 i2 h14 h9 h8 h7 h2",
		"i2 i3 i3 h11 h10 h8 h3", "i0 i1 i4 h12 h9 h8 h5 h4"};
	for (int i = 0; i < 5000; i++) {
		uint64_t line = random_address(&seed);
		uint32_t index = line & 31, want = 0;
		uint64_t h = line >> 5;
		for (unsigned k = 0; k < 5; k++)
			for (const char *s = pae[k]; *s; s += *s == ' ') {
				char *end;
				unsigned bit = (unsigned)strtoul(s + 1, &end, 10);
				want ^= (uint32_t)((*s == 'i' ? index : h) >> bit & 1) << k;
				s = end;
			}
		assert_int_equal(ct_set_index(CT_HASH_PAE, 32, line), want);
		assert_int_equal(ct_set_index(CT_HASH_XOR, 64, line), (line ^ line >> 6) & 63);
		assert_int_equal(ct_set_index(CT_HASH_LINEAR, 48, line), line % 48);
		/* Fermi: a[11:7] xor {a19 a17 a15 a14 a13}, a12 is bit 5 of 64 sets. */
		uint64_t a = line << 7;
		uint32_t low = (uint32_t)(bits(a, 7, 5) ^
		                          (bits(a, 13, 3) | bits(a, 17, 1) << 3 | bits(a, 19, 1) << 4));
		assert_int_equal(ct_set_index(CT_HASH_FERMI, 32, line), low);
		assert_int_equal(ct_set_index(CT_HASH_FERMI, 64, line), low | bits(a, 12, 1) << 5);
		for (uint32_t n = 16; n <= 64; n *= 2)
			assert_int_equal(ct_set_index(CT_HASH_IPOLY, n, line),
			                 ipoly(n, (uint32_t)line & (n - 1), line / n));
	}
	assert_int_equal(ct_set_index(CT_HASH_IPOLY, 1, 12345), 0);
}

/* Any number of sets: in range, and one-to-one over aligned runs of that many lines.
 * Not so PAE of 32: as published it takes index bit 0 twice and loses a bit. */
static void sets_are_permuted(void **state)
{
	(void)state;
	static const uint32_t counts[] = {
		1, 2, 3, 4, 8, 10, 16, 20, 32, 40, 48, 64, 100, 128, 266, 512, 768, 1024};
	uint64_t seed = 8;
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (int h = CT_HASH_LINEAR; h <= CT_HASH_FOLD; h++)
			for (int run = 0; run < 20; run++) {
				uint8_t seen[1024] = {0};
				uint64_t first = (random_address(&seed) >> 12) * counts[c];
				for (uint32_t i = 0; i < counts[c]; i++) {
					uint32_t s = ct_set_index((enum ct_set_hash)h, counts[c],
					                          first + i);
					assert_true(s < counts[c]);
					if (h != CT_HASH_PAE || counts[c] != 32)
						assert_int_equal(seen[s]++, 0);
				}
			}
}

/* Every shape: in range, the same for a whole line, all lines of a slice apart, and
 * balanced unless the hash is linear or takes a modulo. */
static void places_are_sane(void **state)
{
	(void)state;
	static const struct {
		uint32_t channels, per_channel, interleave;
		const char *map;
	} shapes[] = {
		{10, 1, 256, ""},
		{10, 4, 256, ""},
		{20, 2, 256, mapping},
		{6, 2, 256, ""},
		{8, 1, 4096, ""},
		{40, 4, 256, mapping},
		{1, 1, 256, ""},
		{7, 3, 512, ""},
		{16, 2, 128, ""},
		{4, 3, 128, ""},
		{2, 1, 256, "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCD.BCCSSSSS"},
	};
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		for (int h = CT_HASH_LINEAR; h <= CT_HASH_FOLD; h++) {
			struct ct_gpu g;
			struct ct_address_map m;
			uint32_t n = shapes[i].channels * shapes[i].per_channel, count[160] = {0};
			ct_gpu_defaults(&g);
			g.partition_interleave = shapes[i].interleave;
			setup(&g, shapes[i].channels, shapes[i].per_channel, 50, 16, shapes[i].map,
			      (enum ct_set_hash)h, (enum ct_set_hash)h);
			assert_int_equal(ct_address_map_init(&m, &g, NULL), 0);
			uint64_t total = (uint64_t)n * 600;
			for (uint64_t line = 0; line < total; line++) {
				struct ct_place p = ct_address_place(&m, line * 128);
				struct ct_place q = ct_address_place(&m, line * 128 + 127);
				uint32_t slice, set;
				ct_address_slice(&m, line * 128 + 5, &slice, &set);
				assert_int_equal(slice, p.slice);
				assert_int_equal(set, p.llc_set);
				assert_true(p.slice < n && p.channel < shapes[i].channels);
				assert_true(p.bank < g.dram_banks && p.llc_set < 50 &&
				            p.l1_set < g.l1.sets);
				assert_memory_equal(&p.slice, &q.slice, 3 * sizeof p.slice);
				assert_true(p.row == q.row && p.llc_set == q.llc_set);
				assert_int_equal(p.channel, p.slice / shapes[i].per_channel);
				count[p.slice]++;
			}
			if (h == CT_HASH_FOLD)
				for (uint32_t s = 0; s < n; s++)
					assert_true(count[s] > 450 && count[s] < 750);
		}
}

/* The tables of the map give what the hash itself gives, for any number of sets. */
static void tables_equal_the_hash(void **state)
{
	(void)state;
	uint64_t seed = 12;
	for (uint32_t sets = 1; sets <= 256; sets *= 2) {
		struct ct_gpu g;
		struct ct_address_map m;
		setup(&g, 1, 1, sets, 16, "", CT_HASH_IPOLY, CT_HASH_IPOLY);
		assert_int_equal(ct_address_map_init(&m, &g, NULL), 0);
		for (int i = 0; i < 2000; i++) {
			uint64_t a = random_address(&seed);
			assert_int_equal(ct_address_place(&m, a).llc_set,
			                 ct_set_index(CT_HASH_IPOLY, sets, a >> 7));
			assert_int_equal(ct_address_place(&m, a).slice, 0);
		}
	}
}

/* Ten slices that share twenty channels in pairs. */
static void channels_may_share_a_slice(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_address_map m;
	struct ct_error e;
	uint32_t channel[20] = {0};
	ct_gpu_defaults(&g);
	g.llc_slices = g.llc_partitions = 10;
	g.llc.sets = 256;
	g.llc.size = 512 << 10;
	assert_int_equal(ct_gpu_check(&g, &e), 0);
	assert_int_equal(ct_address_map_init(&m, &g, &e), 0);
	for (uint64_t a = 0; a < 4 << 20; a += 128) {
		struct ct_place p = ct_address_place(&m, a);
		uint32_t slice, set;
		ct_address_slice(&m, a, &slice, &set);
		assert_int_equal(slice, p.slice);
		assert_int_equal(set, p.llc_set);
		assert_int_equal(p.channel / 2, p.slice);
		channel[p.channel]++;
	}
	for (int c = 0; c < 20; c++)
		assert_in_range(channel[c], 1400, 1900);
	g.llc_slices = 30;
	assert_int_equal(ct_address_map_init(&m, &g, &e), CT_ERR_INPUT);
}

static void bad_mappings(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"x",
		"dramid@8",
		"dramid@99;0",
		"dramid@8;0",
		"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSSS",
		"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBDCCC.BCCSSSSS",
		"00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
		"00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.DBDBDCDC.DCDSDSDS",
		"dramid@8;R0R0R0R0.R0R0R0R0.R0R0R0R0.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"};
	struct ct_address_map m;
	struct ct_error e;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ct_gpu g;
		ct_gpu_defaults(&g);
		strcpy(g.dram_mapping, bad[i]);
		assert_int_equal(ct_address_map_init(&m, &g, &e), CT_ERR_INPUT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(like_rtx3070),
		cmocka_unit_test(like_qv100),
		cmocka_unit_test(like_rtx2060),
		cmocka_unit_test(ipoly_of_other_counts),
		cmocka_unit_test(other_hashes),
		cmocka_unit_test(sets_are_permuted),
		cmocka_unit_test(places_are_sane),
		cmocka_unit_test(tables_equal_the_hash),
		cmocka_unit_test(channels_may_share_a_slice),
		cmocka_unit_test(bad_mappings),
	};
	return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
