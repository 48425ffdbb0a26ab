/* Lists of differences out of their planes against reading them number by number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "trace/private/ctz.h"
#include "trace/private/unpack.h"

enum { PLANES = 4, MANY = CT_WARP_LANES - 1 };

/* Four planes, in a buffer of just their size each, so that a sanitizer sees what is read behind. */
struct planes {
	struct ct_buf buf[PLANES];
	unsigned char *exact[PLANES];
	struct ctz_in in[PLANES];
};

static void open_planes(struct planes *p)
{
	for (int i = 0; i < PLANES; i++) {
		size_t n = p->buf[i].len;
		p->exact[i] = malloc(n + !n);
		assert_non_null(p->exact[i]);
		if (n)
			memcpy(p->exact[i], p->buf[i].data, n);
		p->in[i] = (struct ctz_in){p->exact[i], p->exact[i] + n};
	}
}

static void close_planes(struct planes *p)
{
	for (int i = 0; i < PLANES; i++) {
		ct_buf_free(&p->buf[i]);
		free(p->exact[i]);
	}
}

/* The differences of what was packed. */
static void unpack(const struct ctz_list *list, unsigned n, int64_t *delta)
{
	struct ct_inst inst = {.addr_form = CT_ADDR_LIST, .naddr = (uint8_t)(n + 1)};
	const unsigned char *end = list->packed_runs ? ct_unpack_runs(list->packed, &inst, n + 1)
	                                             : ct_unpack_list(list->packed, &inst, n + 1);
	assert_true(end == list->packed + list->packed_bytes);
	ct_inst_expand(&inst);
	for (unsigned i = 0; i < n; i++)
		delta[i] = (int64_t)(inst.addr[i + 1] - inst.addr[i]);
}

/* Reads a list both ways; returns whether there is one. */
static int read_both(struct planes *p, unsigned n, struct ctz_list *list, int64_t *delta)
{
	struct ctz_in in[PLANES];
	int64_t got[MANY];
	int st = 0;
	memcpy(in, p->in, sizeof in);
	for (unsigned i = 0; i < n && st == 0; i++) {
		uint64_t v = 0;
		st = ctz_get_planes(in, &v);
		delta[i] = (int64_t)ctz_unzigzag(v);
	}
	assert_int_equal(ctz_list_get(p->in, n, list), st);
	if (st != 0)
		return 0;
	assert_memory_equal(p->in, in, sizeof in);
	unpack(list, n, got);
	assert_memory_equal(got, delta, n * sizeof *got);
	return 1;
}

/* A difference of up to `bytes` bytes as LEB128. */
static int64_t random_delta(uint64_t *seed, unsigned bytes)
{
	unsigned bits = 7 * (1 + (unsigned)(ct_rand64(seed) % bytes));
	uint64_t v = ct_rand64(seed);
	return (int64_t)ctz_unzigzag(bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v);
}

/* As a writer makes them: what is packed is what ct_pack_deltas() makes of the differences. */
static void lists_of_any_width(void **state)
{
	uint64_t seed = 3;
	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct planes p = {0};
		unsigned bytes = 1 + (unsigned)(ct_rand64(&seed) % 10),
			 lists = 1 + (unsigned)(ct_rand64(&seed) % 8);
		unsigned repeat = (unsigned)(ct_rand64(&seed) % 4), size[8];
		int64_t want[8][MANY], got[MANY];
		bytes = round % 4 ? (bytes + 1) / 2 : bytes;
		for (unsigned k = 0; k < lists; k++) {
			size[k] = round % 3 ? MANY : (unsigned)(ct_rand64(&seed) % CT_WARP_LANES);
			for (unsigned i = 0; i < size[k]; i++) {
				want[k][i] = i && ct_rand64(&seed) % 4 < repeat
				                     ? want[k][i - 1]
				                     : random_delta(&seed, bytes);
				ctz_put_planes(p.buf, ctz_zigzag((uint64_t)want[k][i]));
			}
		}
		open_planes(&p);
		for (unsigned k = 0; k < lists; k++) {
			static struct ctz_list list;
			struct ct_pack_addr a = {.form = CT_ADDR_LIST, .n = size[k] + 1};
			unsigned char packed[CT_PACK_DELTAS_MAX];
			uint8_t runs;
			assert_true(read_both(&p, size[k], &list, got));
			assert_memory_equal(got, want[k], size[k] * sizeof *got);
			memcpy(a.delta, got, size[k] * sizeof *got);
			assert_int_equal(list.packed_bytes, ct_pack_deltas(&a, packed, &runs));
			assert_int_equal(list.packed_runs, runs);
			assert_memory_equal(list.packed, packed, list.packed_bytes);
		}
		close_planes(&p);
	}
}

/* Numbers with bytes too many, too long, or cut off. */
static void planes_of_any_bytes(void **state)
{
	uint64_t seed = 4;
	int read = 0, refused = 0;
	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct planes p = {0};
		static struct ctz_list list;
		int64_t got[MANY];
		uint64_t rare = 2 + ct_rand64(&seed) % 30; /* one of so many goes on */
		for (int k = 0; k < PLANES; k++)
			for (uint64_t left = ct_rand64(&seed) % (k < 3 ? 200 : 700); left > 0; left--)
				ctz_put_byte(&p.buf[k],
				             (unsigned)(ct_rand64(&seed) & 0x7f) |
				                     (ct_rand64(&seed) % rare == 0 ? 0x80 : 0));
		open_planes(&p);
		while (read_both(&p, MANY - (unsigned)(ct_rand64(&seed) % 3), &list, got))
			read++;
		refused++;
		close_planes(&p);
	}
	assert_true(read > 1000 && refused == 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_any_width),
		cmocka_unit_test(planes_of_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
