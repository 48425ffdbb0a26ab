/* Base-delta-immediate: sizes, levels and encodings against the twin; block readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "models/common/bdi.h"
#include "models/common/blocks.h"
#include "tests/support/bdi_twin.h"

/* The table of doc/models.md section 8. */
static void sizes(void **state)
{
	(void)state;
	static const struct {
		enum ct_bdi_code code;
		size_t n32, n64, n128;
	} want[] = {
		{CT_BDI_ZEROS, 1, 1, 1},   {CT_BDI_REPEAT, 8, 8, 8},  {CT_BDI_B8D1, 12, 16, 24},
		{CT_BDI_B8D2, 16, 24, 40}, {CT_BDI_B8D4, 24, 40, 72}, {CT_BDI_B4D1, 12, 20, 36},
		{CT_BDI_B4D2, 20, 36, 68}, {CT_BDI_B2D1, 18, 34, 66}, {CT_BDI_RAW, 32, 64, 128},
	};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		assert_int_equal(ct_bdi_bytes(want[i].code, 32, 0), want[i].n32);
		assert_int_equal(ct_bdi_bytes(want[i].code, 64, 0), want[i].n64);
		assert_int_equal(ct_bdi_bytes(want[i].code, 128, 0), want[i].n128);
	}
	/* One mask bit per segment. */
	assert_int_equal(ct_bdi_bytes(CT_BDI_B8D1, 128, 1), 24 + 2);
	assert_int_equal(ct_bdi_bytes(CT_BDI_B4D1, 128, 1), 36 + 4);
	assert_int_equal(ct_bdi_bytes(CT_BDI_B2D1, 128, 1), 66 + 8);
	assert_int_equal(ct_bdi_bytes(CT_BDI_B8D4, 32, 1), 24 + 1);
	/* Morpheus: 32 B, 64 B, 128 B; the base is elsewhere. */
	assert_int_equal(ct_bdi_level_bytes(CT_BDI_HIGH, 128), 32);
	assert_int_equal(ct_bdi_level_bytes(CT_BDI_LOW, 128), 64);
	assert_int_equal(ct_bdi_level_bytes(CT_BDI_NONE, 128), 128);
}

static void fill32(uint8_t *block, uint32_t base, const int64_t *delta, size_t n)
{
	for (size_t i = 0; i < 32; i++) {
		uint32_t v = base + (uint32_t)delta[i % n];
		for (int k = 0; k < 4; k++)
			block[4 * i + (size_t)k] = (uint8_t)(v >> 8 * k);
	}
}

static void edges_of_the_levels(void **state)
{
	(void)state;
	static const struct {
		int64_t delta[3];
		enum ct_bdi_level level;
	} cases[] = {
		{{0, 0, 0}, CT_BDI_HIGH},         {{0, 127, -128}, CT_BDI_HIGH},
		{{0, 128, 0}, CT_BDI_LOW},        {{0, -129, 0}, CT_BDI_LOW},
		{{0, 32767, -32768}, CT_BDI_LOW}, {{0, 32768, 0}, CT_BDI_NONE},
		{{0, -32769, 0}, CT_BDI_NONE},    {{0, 0x7fffffff, 0}, CT_BDI_NONE},
	};
	static const uint32_t bases[] = {0, 1000, 0xffffffff, 0x80000000, 0x7fffffff}; /* wraps round */
	uint8_t block[128];
	for (size_t b = 0; b < 5; b++)
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			fill32(block, bases[b], cases[i].delta, 3);
			assert_int_equal(ct_bdi_level(block, 128), cases[i].level);
			assert_int_equal(twin_bdi_level(block, 128), cases[i].level);
		}
	/* The base is the first segment: neighbours on both sides of the range count from it. */
	static const int64_t far[] = {-100, 100};
	fill32(block, 5000, far, 2);
	assert_int_equal(ct_bdi_level(block, 128), CT_BDI_LOW);
}

/* Blocks near the edges of every encoding, and noise. */
static void random_block(uint64_t *seed, uint8_t *block, size_t n)
{
	unsigned size = 1u << (1 + ct_rand64(seed) % 3);
	unsigned bits = (unsigned)(ct_rand64(seed) % (8 * size + 1));
	uint64_t base = ct_rand64(seed) % 4 ? ct_rand64(seed) : 0;
	int mixed = ct_rand64(seed) % 3 == 0;
	for (size_t i = 0; i < n; i += size) {
		uint64_t v = bits ? ct_rand64(seed) >> (64 - bits) : 0;
		v = (mixed && ct_rand64(seed) % 2 ? 0 : base) + (ct_rand64(seed) % 2 ? v : 0 - v);
		for (unsigned k = 0; k < size; k++)
			block[i + k] = (uint8_t)(v >> 8 * k);
	}
}

static void equals_the_twin(void **state)
{
	(void)state;
	static const struct {
		unsigned b, d;
	} shape[] = {{8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};
	static const size_t sizes_of[] = {8, 32, 64, 128, 256};
	uint8_t block[256];
	uint64_t seed = 1;
	unsigned seen = 0;
	for (int round = 0; round < 60000; round++) {
		size_t n = sizes_of[ct_rand64(&seed) % 5];
		int zero = (int)(ct_rand64(&seed) % 2), all_zero = 1, repeats = 1;
		random_block(&seed, block, n);
		for (size_t i = 0; i < n; i++) {
			all_zero &= block[i] == 0;
			repeats &= block[i] == block[i % 8];
		}
		uint32_t fits = 1u << CT_BDI_RAW | (uint32_t)repeats << CT_BDI_REPEAT |
		                (uint32_t)all_zero << CT_BDI_ZEROS;
		for (unsigned k = 0; k < 6; k++)
			fits |= (uint32_t)twin_bdi_holds(block, n, shape[k].b, shape[k].d, zero)
			        << (CT_BDI_B8D1 + k);
		assert_int_equal(ct_bdi_fits(block, n, zero), fits);
		assert_int_equal(ct_bdi_level(block, n), twin_bdi_level(block, n));
		/* The best one: nothing that fits is smaller. */
		enum ct_bdi_code best = ct_bdi_best(block, n, zero);
		assert_true(fits >> best & 1);
		for (unsigned c = 0; c < CT_BDI_CODES; c++)
			if (fits >> c & 1)
				assert_true(ct_bdi_bytes((enum ct_bdi_code)c, n, zero) >=
				            ct_bdi_bytes(best, n, zero));
		seen |= 1u << best;
	}
	assert_int_equal(seen, (1u << CT_BDI_CODES) - 1); /* each encoding was the best once */
}

static void counting(void **state)
{
	(void)state;
	struct ct_bdi_counts c = {0};
	uint8_t block[128] = {0};
	ct_bdi_count(&c, block, 128, 0);
	for (int i = 0; i < 128; i++)
		block[i] = (uint8_t)ct_mix64((uint64_t)i);
	ct_bdi_count(&c, block, 128, 0);
	assert_int_equal(c.blocks, 2);
	assert_int_equal(c.bytes, 256);
	assert_int_equal(c.level[CT_BDI_HIGH], 1);
	assert_int_equal(c.level[CT_BDI_NONE], 1);
	assert_int_equal(c.level_bytes, 160);
	assert_int_equal(c.code_bytes, 129);
}

struct seen {
	uint64_t blocks, sum, last;
};

static void see(void *ctx, uint64_t address, const void *data)
{
	struct seen *s = ctx;
	s->blocks++;
	s->sum += *(const unsigned char *)data;
	s->last = address;
}

static int read_memory(const void *data, size_t n, enum ct_blocks_format format, size_t block,
                       struct seen *s, struct ct_blocks_info *info, struct ct_error *e)
{
	struct ct_source *src;
	memset(s, 0, sizeof *s);
	memset(e, 0, sizeof *e);
	if (ct_source_open_memory(&src, "m", data, n, e) < 0)
		fail_msg("%s", e->text);
	int rc = ct_blocks_read(src, format, block, see, s, info, e);
	ct_source_close(src);
	return rc;
}

static void raw_blocks(void **state)
{
	(void)state;
	unsigned char data[300];
	struct seen s;
	struct ct_blocks_info info;
	struct ct_error e;
	memset(data, 1, sizeof data);
	assert_int_equal(read_memory(data, 300, CT_BLOCKS_AUTO, 128, &s, &info, &e), 0);
	assert_int_equal(info.format, CT_BLOCKS_RAW);
	assert_int_equal(s.blocks, 2);
	assert_int_equal(s.last, 128);
	assert_int_equal(info.tail_bytes, 44);
	assert_int_equal(read_memory(data, 300, CT_BLOCKS_AUTO, 48, &s, &info, &e), CT_ERR_USAGE);
	assert_int_equal(read_memory(data, 300, CT_BLOCKS_AUTO, 8192, &s, &info, &e), CT_ERR_USAGE);
	assert_int_equal(read_memory(data, 0, CT_BLOCKS_RAW, 128, &s, &info, &e), 0);
	assert_int_equal(info.blocks, 0);
}

static size_t dump(unsigned char *out, const uint64_t *address, size_t n)
{
	for (size_t i = 0; i < n; i++, out += CT_BLOCKS_DUMP_RECORD) {
		for (int k = 0; k < 8; k++)
			out[k] = (unsigned char)(address[i] >> 8 * k);
		memset(out + 8, (int)i + 1, CT_BLOCKS_DUMP_LINE);
	}
	return n * CT_BLOCKS_DUMP_RECORD;
}

static void dumps(void **state)
{
	(void)state;
	static const uint64_t good[] = {0x7f5200000000, 0x7f5200000080, 0x7f5200100000};
	static const uint64_t fall[] = {0x7f5200000080, 0x7f5200000000, 0x7f5200100000};
	static const uint64_t odd[] = {0x7f5200000000, 0x7f5200000081, 0x7f5200100000};
	unsigned char data[3 * CT_BLOCKS_DUMP_RECORD];
	struct seen s;
	struct ct_blocks_info info;
	struct ct_error e;
	size_t n = dump(data, good, 3);
	assert_int_equal(read_memory(data, n, CT_BLOCKS_AUTO, 128, &s, &info, &e), 0);
	assert_int_equal(info.format, CT_BLOCKS_DUMP);
	assert_int_equal(s.blocks, 3);
	assert_int_equal(s.sum, 6);
	assert_true(s.last == good[2]);
	assert_int_equal(read_memory(data, n, CT_BLOCKS_AUTO, 32, &s, &info, &e), 0);
	assert_int_equal(s.blocks, 12);
	assert_true(s.last == good[2] + 96);
	assert_int_equal(read_memory(data, n, CT_BLOCKS_DUMP, 256, &s, &info, &e), CT_ERR_USAGE);
	assert_int_equal(read_memory(data, n - 1, CT_BLOCKS_DUMP, 128, &s, &info, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "record 3: cut after 135 of 136"));
	n = dump(data, fall, 3);
	assert_int_equal(read_memory(data, n, CT_BLOCKS_DUMP, 128, &s, &info, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "record 2: address 0x7f5200000000 does not lie above"));
	assert_int_equal(read_memory(data, n, CT_BLOCKS_AUTO, 128, &s, &info, &e), 0);
	assert_int_equal(info.format, CT_BLOCKS_RAW); /* not a dump: taken as it is */
	n = dump(data, odd, 3);
	assert_int_equal(read_memory(data, n, CT_BLOCKS_DUMP, 128, &s, &info, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "record 2: address 0x7f5200000081 is not the start"));
}

/* An .npy of a version, header and so many bytes of data. */
static size_t npy(unsigned char *out, int version, const char *header, size_t data)
{
	size_t n = strlen(header), fixed = version == 1 ? 10 : 12;
	memcpy(out, "\x93NUMPY", 6);
	out[6] = (unsigned char)version;
	out[7] = 0;
	for (size_t i = 8; i < fixed; i++)
		out[i] = (unsigned char)(n >> 8 * (i - 8));
	memcpy(out + fixed, header, n);
	memset(out + fixed + n, 7, data);
	return fixed + n + data;
}

static void numpy_arrays(void **state)
{
	(void)state;
	static const struct {
		int version;
		const char *header;
		size_t data;
		int rc;
		const char *why;
	} cases[] = {
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), }\n", 256, 0, "<f4"},
		{2, "{'descr': '<i8', 'fortran_order': True, 'shape': (32,), }\n", 256, 0, "<i8"},
		{3, "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (256,)}", 256, 0, "|u1"},
		{1, "{'shape': (4L, 16), 'descr': '<c8', 'fortran_order': False}", 512, 0, "<c8"},
		{1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", 8, 0, "<f8"},
		{1, "{'descr': '<U2', 'fortran_order': False, 'shape': (16,), }\n", 128, 0, "<U2"},
		{1, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 5), }\n", 0, 0, "|b1"},
		{1, "{'descr': '>u1', 'fortran_order': False, 'shape': (128,), }\n", 128, 0, ">u1"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), }\n", 255, CT_ERR_INPUT,
	         "says 256 bytes of data, there are 255"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), }\n", 257, CT_ERR_INPUT,
	         "there are 257"},
		{1, "{'descr': '>f4', 'fortran_order': False, 'shape': (8, 8), }\n", 256,
	         CT_ERR_UNSUPPORTED, "big-endian"},
		{1, "{'descr': '|O', 'fortran_order': False, 'shape': (8, 8), }\n", 256,
	         CT_ERR_UNSUPPORTED, "not plain data"},
		{1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8,), }\n", 32,
	         CT_ERR_UNSUPPORTED, "structured"},
		{1, "{'fortran_order': False, 'shape': (8, 8), }\n", 256, CT_ERR_INPUT,
	         "without 'descr'"},
		{1, "{'descr': '<f4', 'fortran_order': False, }\n", 256, CT_ERR_INPUT,
	         "without 'shape'"},
		{1, "{'descr': '<f4', 'shape': (8, x), }\n", 256, CT_ERR_INPUT, "shape is damaged"},
		{1, "{'descr': '<f4', 'shape': (8, 8", 256, CT_ERR_INPUT, "shape is damaged"},
		{1, "{'descr': '<f4', 'shape': (99999999999, 99999999999), }\n", 256, CT_ERR_INPUT,
	         "too large"},
		{1, "{'descr': '<f4", 0, CT_ERR_INPUT, "element type is damaged"},
		{4, "{}", 0, CT_ERR_UNSUPPORTED, "version 4"},
	};
	unsigned char data[1024];
	struct seen s;
	struct ct_blocks_info info;
	struct ct_error e;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t n = npy(data, cases[i].version, cases[i].header, cases[i].data);
		int rc = read_memory(data, n, CT_BLOCKS_AUTO, 128, &s, &info, &e);
		if (rc != cases[i].rc || !strstr(rc ? e.text : info.type, cases[i].why))
			fail_msg("case %zu: %d '%s' '%s'", i, rc, e.text, info.type);
		assert_int_equal(info.format, CT_BLOCKS_NPY);
		if (rc == 0)
			assert_int_equal(s.blocks, cases[i].data / 128);
	}
	for (size_t cut = 6; cut < 60; cut++) { /* every cut of the header is noticed */
		(void)npy(data, 2, cases[0].header, 256);
		assert_int_equal(read_memory(data, cut, CT_BLOCKS_AUTO, 128, &s, &info, &e),
		                 CT_ERR_INPUT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),           cmocka_unit_test(edges_of_the_levels),
		cmocka_unit_test(equals_the_twin), cmocka_unit_test(counting),
		cmocka_unit_test(raw_blocks),      cmocka_unit_test(dumps),
		cmocka_unit_test(numpy_arrays),
	};
	return cmocka_run_group_tests_name("bdi", tests, NULL, NULL);
}
