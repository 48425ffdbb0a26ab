/* A packed trace byte by byte: the format is little-endian on every machine. The listing is what
 * the writer made once; it is read, and written again, block by block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/ctz.h"
#include "trace/trace.h"

static const char text[] =
	"-kernel name = k\n-kernel id = 9\n-grid dim = (2,1,1)\n-block dim = (33,1,1)\n-shmem = 64\n"
	"-nregs = 32\n-binary version = 80\n-cuda stream id = 2\n-shmem base_addr = 0x00007f0000000000\n"
	"-local mem base_addr = 0x00007e0000000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
	"-enable lineinfo = 0\n\n#traces format = x\n\n"
	"#BEGIN_TB\n\nthread block = 0,0,0\n\n"
	"warp = 0\ninsts = 3\n0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f1234567880 4\n"
	"0010 0000ffff 1 R3 IADD3 2 R1 R255 0\n0020 ffffffff 0 EXIT 0 0\n\n"
	"warp = 1\ninsts = 2\n0000 00000001 1 R1 LDG.E 1 R2 4 0 0xfedcba9876543210\n"
	"0020 00000001 0 EXIT 0 0\n\n#END_TB\n\n"
	"#BEGIN_TB\n\nthread block = 1,0,0\n\n"
	"warp = 0\ninsts = 1\n0020 ffffffff 0 EXIT 0 0\n\nwarp = 1\ninsts = 1\n0020 00000001 0 EXIT 0 0\n\n#END_TB\n\n";

static const unsigned char listing[] = {
	0x43, 0x54, 0x5a, 0x01, 0x4d, 0x00, 0x0b, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00, 0x88, 0x8e,
	0x98, 0xa8, 0xc0, 0xe0, 0x80, 0x81, 0x01, 0x80, 0x20, 0xfd, 0xfd, 0x49, 0x6b, 0x4b, 0x00, 0x23,
	0x00, 0x00, 0x00, 0x23, 0x00, 0x00, 0x00, 0x01, 0x09, 0x02, 0x01, 0x01, 0x21, 0x01, 0x01, 0x40,
	0x20, 0x50, 0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0xe0, 0x1f, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0,
	0x1f, 0x01, 0x01, 0x6b, 0x03, 0x31, 0x2e, 0x37, 0x01, 0x35, 0xa4, 0xc2, 0xe1, 0x81, 0x43, 0x00,
	0x38, 0x00, 0x00, 0x00, 0x38, 0x00, 0x00, 0x00, 0x03, 0x03, 0x03, 0x11, 0x03, 0x05, 0x05, 0x00,
	0x03, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x4c, 0x44, 0x47,
	0x2e, 0x45, 0x05, 0x49, 0x41, 0x44, 0x44, 0x33, 0x04, 0x45, 0x58, 0x49, 0x54, 0x11, 0x12, 0x00,
	0x01, 0x02, 0x03, 0x01, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
	0xb4, 0x32, 0x51, 0xef, 0x46, 0x00, 0x4a, 0x00, 0x00, 0x00, 0x4a, 0x00, 0x00, 0x00, 0x04, 0x08,
	0x07, 0x08, 0x0c, 0x02, 0x02, 0x02, 0x02, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
	0x10, 0x00, 0x00, 0x06, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0x03, 0x01, 0x02, 0x00, 0x04, 0x00,
	0x04, 0x07, 0x05, 0x04, 0x03, 0x08, 0x04, 0x03, 0x04, 0xff, 0xff, 0x00, 0x00, 0x01, 0x00, 0x00,
	0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x01, 0x80, 0xdf, 0xe2, 0x99, 0xb3, 0x92, 0xc5, 0xc6, 0xc4,
	0x3f, 0xe0, 0xb7, 0x9e, 0xe2, 0xa3, 0x02, 0x08, 0xde, 0x2a, 0xee, 0x36, 0x5a, 0x00, 0x05, 0x00,
	0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9f, 0x6c, 0xfd, 0x69, 0x49,
	0x00, 0x07, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x1d, 0x01, 0x77, 0x00, 0x02, 0x07,
	0x48, 0x56, 0xc0, 0x39, 0x45, 0x00, 0x48, 0x00, 0x00, 0x00, 0x48, 0x00, 0x00, 0x00, 0xff, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xd9, 0x68, 0xd8, 0xf1, 0x81, 0x7f, 0x39, 0x83, 0x01, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7a, 0x68, 0x73, 0x9e,
};

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

static struct ct_trace *open_bytes(const void *p, size_t n)
{
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_error e;
	assert_int_equal(ct_source_open_memory(&s, "memory", p, n, &e), CT_OK);
	if (ct_trace_open_source(&t, s, NULL, &e) != CT_OK)
		fail_msg("%s", e.text);
	return t;
}

static void pack(struct ct_buf *out)
{
	struct ct_ctz_writer *w;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	struct ct_trace *t = open_bytes(text, sizeof text - 1);
	assert_int_equal(ct_ctz_writer_new(&w, 19, put, out, &e), CT_OK);
	assert_int_equal(ct_ctz_put_memcpy(w, UINT64_C(0x0102030405060708), 4096, &e), CT_OK);
	while (ct_trace_next(t, &ev, &e) > 0) {
		assert_int_equal(ct_ctz_put_kernel(w, ev.kernel, &e), CT_OK);
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			assert_int_equal(ct_ctz_put_cta(w, cta, NULL, NULL, &e), CT_OK);
			ct_cta_unref(cta);
		}
		assert_int_equal(ct_ctz_end_kernel(w, NULL, &e), CT_OK);
	}
	assert_int_equal(ct_ctz_finish(w, 0, 0, &e), CT_OK);
	ct_ctz_writer_free(w);
	ct_trace_close(t);
}

static uint32_t le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The block at *p as man/cachetriage-ctz.5 describes it: type, payload decompressed into raw. */
static size_t block(const unsigned char **p, const unsigned char *end, unsigned char *raw, size_t cap,
                    int *type)
{
	assert_true(end - *p >= 14);
	const unsigned char *h = *p;
	uint32_t stored = le32(h + 2), n = le32(h + 6);
	assert_true(stored <= (size_t)(end - h) - 14 && n <= cap);
	assert_int_equal(le32(h + 10 + stored), ct_crc32(0, h, 10 + (size_t)stored));
	*type = h[0];
	if (h[1] == 0)
		memcpy(raw, h + 10, n);
	else
		assert_int_equal(ZSTD_decompress(raw, cap, h + 10, stored), n);
	*p = h + 14 + stored;
	return n;
}

/* What is stored may depend on the version of zstd; what it says does not. The index and the end
 * record count stored bytes. */
static void writes_the_listing(void **state)
{
	static unsigned char a[4096], b[4096];
	struct ct_buf packed = {0};
	int ta = 0, tb = 0, blocks = 0;
	(void)state;
	pack(&packed);
	const unsigned char *p = (const unsigned char *)packed.data, *pe = p + packed.len;
	const unsigned char *q = listing, *qe = q + sizeof listing;
	assert_memory_equal(p, q, 4);
	for (p += 4, q += 4; q < qe; blocks++) {
		size_t n = block(&p, pe, a, sizeof a, &ta), m = block(&q, qe, b, sizeof b, &tb);
		assert_int_equal(ta, tb);
		assert_int_equal(n, m);
		if (ta != 'I' && ta != 'E')
			assert_memory_equal(a, b, n);
	}
	assert_true(p == pe && blocks >= 7);
	ct_buf_free(&packed);
}

static void next_is(struct ct_cursor *c, uint64_t pc, uint32_t mask, const char *opcode,
                    struct ct_cta *cta, struct ct_inst *i)
{
	struct ct_error e;
	assert_int_equal(ct_cursor_next(c, i, &e), 1);
	const struct ct_sinst *s = ct_code_at(ct_cta_code(cta), i->sid);
	assert_int_equal(s->pc, pc);
	assert_int_equal(i->mask, mask);
	assert_string_equal(s->opcode, opcode);
}

static void reads_the_listing(void **state)
{
	struct ct_trace *t = open_bytes(listing, sizeof listing);
	struct ct_cursor *c = NULL;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_inst i;
	struct ct_error e;
	(void)state;
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	assert_true(ev.kind == CT_EVENT_MEMCPY && ev.address == UINT64_C(0x0102030405060708) &&
	            ev.bytes == 4096);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	assert_string_equal(ev.kernel->name, "k");
	assert_int_equal(ev.kernel->block[0], 33);
	assert_int_equal(ev.kernel->shmem_base, UINT64_C(0x7f0000000000));
	assert_int_equal(ct_trace_next_cta(t, &cta, &e), 1);
	assert_int_equal(ct_cursor_open(&c, cta, 0, &e), CT_OK);
	next_is(c, 0, UINT32_MAX, "LDG.E", cta, &i);
	assert_int_equal(i.addr[0], UINT64_C(0x7f1234567880));
	assert_int_equal(i.addr[31], UINT64_C(0x7f1234567880) + 31 * 4);
	next_is(c, 0x10, 0xffff, "IADD3", cta, &i);
	next_is(c, 0x20, UINT32_MAX, "EXIT", cta, &i);
	assert_int_equal(ct_cursor_reset(c, cta, 1, &e), CT_OK);
	next_is(c, 0, 1, "LDG.E", cta, &i);
	assert_int_equal(i.addr[0], UINT64_C(0xfedcba9876543210));
	ct_cursor_close(c);
	ct_cta_unref(cta);
	assert_int_equal(ct_trace_next(t, &ev, &e), 0); /* reads over the rest, and checks it */
	assert_int_equal(ct_trace_stats(t)->warp_insts, 7);
	ct_trace_close(t);
}

static void put32(struct ct_buf *b, uint32_t v)
{
	for (int i = 0; i < 4; i++, v >>= 8)
		ct_buf_putc(b, (char)(v & 0xff));
}

static int read_all(const struct ct_buf *b)
{
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	assert_int_equal(ct_source_open_memory(&s, "memory", b->data, b->len, &e), CT_OK);
	int st = ct_trace_open_source(&t, s, NULL, &e), more;
	while (st >= 0 && (st = ct_trace_next(t, &ev, &e)) > 0)
		for (more = ev.kind == CT_EVENT_KERNEL;
		     more && (st = ct_trace_next_cta(t, &cta, &e)) > 0;)
			ct_cta_unref(cta);
	ct_trace_close(t);
	return st;
}

/* Each block in turn says, with a right checksum, that it unpacks to nothing. */
static void empty_payloads_are_refused(void **state)
{
	static unsigned char raw[4096];
	const unsigned char *p = listing + 4, *end = listing + sizeof listing;
	char packed[64];
	size_t n = ZSTD_compress(packed, sizeof packed, "", 0, 1);
	int type;
	(void)state;
	assert_false(ZSTD_isError(n));
	while (p < end) {
		struct ct_buf b = {0}, block_bytes = {0};
		const unsigned char *from = p;
		block(&p, end, raw, sizeof raw, &type);
		ct_buf_putc(&block_bytes, (char)type);
		ct_buf_putc(&block_bytes, 1); /* zstd */
		put32(&block_bytes, (uint32_t)n);
		put32(&block_bytes, 0);
		ct_buf_add(&block_bytes, packed, n);
		put32(&block_bytes, ct_crc32(0, block_bytes.data, block_bytes.len));
		ct_buf_add(&b, listing, (size_t)(from - listing));
		ct_buf_add(&b, block_bytes.data, block_bytes.len);
		ct_buf_add(&b, p, (size_t)(end - p));
		assert_int_equal(read_all(&b), CT_ERR_INPUT);
		ct_buf_free(&b);
		ct_buf_free(&block_bytes);
	}
	struct ct_buf whole = {0};
	ct_buf_add(&whole, listing, sizeof listing);
	assert_int_equal(read_all(&whole), CT_OK);
	ct_buf_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_the_listing),
		cmocka_unit_test(reads_the_listing),
		cmocka_unit_test(empty_payloads_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
