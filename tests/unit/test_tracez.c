/* .tracez: files built here byte by byte read like the text that they are made of; what is damaged is refused; our own
 * writer's bytes lie where the form wants them, and read back equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/buf.h"
#include "trace/accelsim_write.h"
#include "trace/trace.h"
#include "trace/tracez_write.h"

static struct ct_error e;

/* ---- an independent writer ---- */

struct warp {
	const char *line[6]; /* up to NULL */
	unsigned piece;      /* lines of a piece */
};

struct block {
	uint32_t xyz[3], cluster[7];
	struct warp warp[2];
};

static const char header[] =
	"-kernel name = k\n-kernel id = 3\n-grid dim = (4,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n"
	"-nregs = 16\n-binary version = 90\n-cuda stream id = 0\n"
	"-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
	"#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
	"[adrrescompress?] [mem_addresses] immediate\n\n";

#define MOVE "0000 ffffffff 1 R1 MOV 0 0 0 "
#define LOAD "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7f0000001000 4 0 "
#define MORE "0020 00000003 1 R2 LDG.E.64 1 R4 8 2 0x7f0000002000 64 0 "
#define LIST "0030 80000001 1 R2 LDG.E 1 R4 4 0 0x7f0000003000 0x7f0000004000 0 "
#define NONE "0040 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0 0 "
#define DONE "0050 ffffffff 0 EXIT 0 0 0 "

static const struct block blocks[] = {
	{{0, 0, 0}, {0}, {{{MOVE, LOAD, DONE}, 2}, {{DONE}, 1}}},
	{{1, 0, 0}, {0}, {{{MOVE, LOAD, MORE, LIST, DONE}, 1}, {{NULL}, 1}}},
	/* block 2 was never traced */
	{{3, 0, 0}, {1, 0, 0, 1, 0, 0, 1}, {{{NONE, DONE}, 4}, {{LIST, LIST, DONE}, 3}}},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static void u32(struct ct_buf *b, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		ct_buf_putc(b, (char)(v >> 8 * i));
}

static void u64(struct ct_buf *b, uint64_t v)
{
	u32(b, (uint32_t)v);
	u32(b, (uint32_t)(v >> 32));
}

static unsigned count(const struct warp *w)
{
	unsigned n = 0;
	while (n < 6 && w->line[n])
		n++;
	return n;
}

static void put_frame(struct ct_buf *b, const char *text, size_t n, const char *dict, size_t dict_n)
{
	char out[4096];
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t got = ZSTD_compress_usingDict(c, out, sizeof out, text, n, dict, dict_n, 3);
	assert_false(ZSTD_isError(got));
	ZSTD_freeCCtx(c);
	u32(b, (uint32_t)got);
	ct_buf_add(b, out, got);
}

static void put_warp(struct ct_buf *b, struct ct_buf *index, const struct warp *w, const char *dict,
                     size_t dict_n)
{
	const unsigned n = count(w), pieces = (n + w->piece - 1) / w->piece;
	u32(index, n);
	u32(index, pieces);
	u64(index, b->len);
	u32(b, n);
	u32(b, pieces);
	for (unsigned i = 0; i < n; i += w->piece) {
		struct ct_buf text = {0};
		unsigned k = i;
		for (; k < n && k < i + w->piece; k++)
			ct_buf_printf(&text, "%s%s", k > i ? "\n" : "", w->line[k]);
		u32(index, k - i);
		put_frame(b, text.data, text.len, dict, dict_n);
		ct_buf_free(&text);
	}
}

/* The whole file; *first gets where its regions begin, *at where its index does. */
static struct ct_buf build(const char *dict, size_t dict_n, size_t *first, size_t *at)
{
	struct ct_buf b = {0}, index = {0};
	ct_buf_add(&b, header, sizeof header); /* with its NUL */
	u32(&b, (uint32_t)dict_n);
	u32(&b, 2048);
	if (dict_n)
		ct_buf_add(&b, dict, dict_n);
	*first = b.len;
	u32(&index, BLOCKS);
	for (int i = 0; i < BLOCKS; i++) {
		for (int k = 0; k < 3; k++)
			u32(&index, blocks[i].xyz[k]);
		for (int k = 0; k < 7; k++)
			u32(&index, blocks[i].cluster[k]);
		u32(&index, 2);
		for (int k = 0; k < 2; k++)
			put_warp(&b, &index, &blocks[i].warp[k], dict, dict_n);
	}
	*at = b.len;
	ct_buf_add(&b, index.data, index.len);
	u64(&b, *at);
	ct_buf_free(&index);
	assert_false(b.failed);
	return b;
}

static struct ct_buf as_text(void)
{
	struct ct_buf b = {0};
	ct_buf_puts(&b, header);
	for (int i = 0; i < BLOCKS; i++) {
		const uint32_t *x = blocks[i].xyz;
		ct_accelsim_put_cta_begin(&b, x[0], x[1], x[2]);
		for (unsigned w = 0; w < 2; w++) {
			ct_accelsim_put_warp(&b, w, count(&blocks[i].warp[w]));
			for (unsigned k = 0; k < count(&blocks[i].warp[w]); k++)
				ct_buf_printf(&b, "%s\n", blocks[i].warp[w].line[k]);
		}
		ct_accelsim_put_cta_end(&b);
	}
	return b;
}

/* ---- reading ---- */

struct read {
	struct ct_buf said; /* as text again */
	int status;
	struct ct_trace_stats stats;
	char format[32];
};

static void say_cta(struct ct_buf *b, struct ct_cta *cta)
{
	struct ct_cursor *c = NULL;
	struct ct_inst inst;
	ct_buf_printf(b, "block %d\n", (int)ct_cta_index(cta));
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		ct_buf_printf(b, "warp %u of %u\n", ct_cta_warp(cta, i)->warp,
		              (unsigned)ct_cta_warp(cta, i)->insts);
		assert_int_equal(c ? ct_cursor_reset(c, cta, i, &e) : ct_cursor_open(&c, cta, i, &e),
		                 CT_OK);
		while (ct_cursor_next(c, &inst, &e) > 0)
			ct_accelsim_put_inst(b, ct_cta_kernel(cta),
			                     ct_code_at(ct_cta_code(cta), inst.sid), &inst);
	}
	ct_cursor_close(c);
}

static int put_bytes(void *ctx, const void *p, size_t n, struct ct_error *err)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, err);
}

/* Reads bytes; written, if not NULL, gets what our writer makes of them. */
static struct read read_all(const char *p, size_t n, int salvage, struct ct_buf *written)
{
	struct read r = {.status = CT_OK};
	struct ct_trace_options o = {.salvage = salvage, .no_threads = n % 2 == 0};
	struct ct_tracez_writer *w = NULL;
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	assert_int_equal(ct_source_open_memory(&s, "t.tracez", p, n, &e), CT_OK);
	r.status = ct_trace_open_source(&t, s, &o, &e);
	if (r.status < 0)
		return r;
	while ((r.status = ct_trace_next(t, &ev, &e)) > 0) {
		ct_accelsim_put_header(&r.said, ev.kernel);
		if (written)
			assert_int_equal(ct_tracez_writer_new(&w, ev.kernel, put_bytes, written, &e),
			                 CT_OK);
		while ((r.status = ct_trace_next_cta(t, &cta, &e)) > 0) {
			say_cta(&r.said, cta);
			if (w)
				assert_int_equal(ct_tracez_put_cta(w, cta, NULL, NULL, &e), CT_OK);
			ct_cta_unref(cta);
		}
		if (w)
			assert_int_equal(ct_tracez_finish(w, &e), CT_OK);
		ct_tracez_writer_free(w);
		w = NULL;
		if (r.status < 0)
			break;
	}
	r.stats = *ct_trace_stats(t);
	snprintf(r.format, sizeof r.format, "%s", ct_trace_format(t));
	ct_trace_close(t);
	return r;
}

static void free_read(struct read *r)
{
	ct_buf_free(&r->said);
}

static void reads_like_its_text(void **state)
{
	(void)state;
	struct ct_buf text = as_text();
	struct read want = read_all(text.data, text.len, 0, NULL);
	if (want.status != CT_OK)
		fail_msg("%s", e.text);
	for (int with = 0; with < 2; with++) {
		size_t first, at;
		const char dict[] =
			"0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7f0000001000 4 0 0050 ffffffff 0 EXIT 0 0 0 ";
		struct ct_buf z = build(dict, with ? sizeof dict - 1 : 0, &first, &at);
		struct read got = read_all(z.data, z.len, 0, NULL);
		if (got.status != CT_OK)
			fail_msg("%s", e.text);
		assert_string_equal(got.said.data, want.said.data);
		assert_string_equal(got.format, "tracez/plain");
		assert_int_equal(got.stats.ctas, BLOCKS);
		assert_int_equal(got.stats.short_grids, 1);
		assert_int_equal(got.stats.warp_insts, 3 + 1 + 5 + 2 + 3);
		assert_int_equal(got.stats.raw_bytes, z.len);
		free_read(&got);
		ct_buf_free(&z);
	}
	free_read(&want);
	ct_buf_free(&text);
}

/* Refused with a text that has `why` in it, and never without end. */
static void refused(const struct ct_buf *z, size_t n, const char *why)
{
	struct read got = read_all(z->data, n, 0, NULL);
	if (got.status >= 0)
		fail_msg("accepted: %s", why);
	assert_true(got.status == CT_ERR_INPUT || got.status == CT_ERR_LIMIT);
	if (!strstr(e.text, why) || strncmp(e.text, "t.tracez:", 9) != 0)
		fail_msg("\"%s\" is not in \"%s\"", why, e.text);
	free_read(&got);
}

static void set_u32(struct ct_buf *z, size_t at, uint32_t v, const char *why)
{
	unsigned char old[4];
	memcpy(old, z->data + at, 4);
	for (int i = 0; i < 4; i++)
		z->data[at + (size_t)i] = (char)(v >> 8 * i);
	refused(z, z->len, why);
	memcpy(z->data + at, old, 4);
}

static void damage_is_refused(void **state)
{
	(void)state;
	size_t first, at;
	struct ct_buf z = build(NULL, 0, &first, &at);
	for (size_t n = sizeof header; n < z.len; n++)
		refused(&z, n, "");
	set_u32(&z, sizeof header, 1 << 24, "a dictionary of");
	set_u32(&z, sizeof header, 64, "");
	set_u32(&z, z.len - 8, (uint32_t)first - 1, "the place of its index");
	set_u32(&z, z.len - 4, 1, "the place of its index");
	set_u32(&z, at, 4000000000u, "an index of 4000000000 thread blocks");
	set_u32(&z, at, BLOCKS - 1, "bytes behind the index");
	set_u32(&z, at, BLOCKS + 1, "");
	set_u32(&z, at + 4, 7, "outside the grid");
	set_u32(&z, at + 44, 5000, "a thread block of 5000 warps");
	set_u32(&z, at + 44, 1, "");
	set_u32(&z, at + 48, 4, "not as the index says");
	set_u32(&z, at + 52, 3, "not as the index says");
	set_u32(&z, at + 56, (uint32_t)first + 1, "the one before it ends at");
	set_u32(&z, at + 64, 1, "and the index says 1");
	set_u32(&z, at + 64, 0, "a piece of 0 lines");
	set_u32(&z, at + 64, 4, "a piece of 4 lines of a warp with 3 left");
	set_u32(&z, at + 68, 2, "");
	set_u32(&z, first, 4, "not as the index says");
	set_u32(&z, first + 8, 0xffffff, "passes the index");
	set_u32(&z, first + 8, 3, "no zstd frame that tells its size");
	set_u32(&z, first + 12, 0, "no zstd frame");
	struct read again = read_all(z.data, z.len, 0, NULL);
	assert_int_equal(again.status, CT_OK); /* all was put back */
	free_read(&again);
	ct_buf_free(&z);
}

static void salvage_hands_out_what_precedes(void **state)
{
	(void)state;
	size_t first, at;
	struct ct_buf z = build(NULL, 0, &first, &at);
	z.data[at + 4 + 44 + 24 + 20 + 12] = 9; /* the second block's cluster: nothing depends on it */
	z.data[at - 1] ^= 1;                    /* in the last frame */
	z.data[at - 2] ^= 1;
	struct read got = read_all(z.data, z.len, 1, NULL);
	assert_int_equal(got.status, CT_OK);
	assert_true(got.stats.truncated);
	assert_true(got.stats.ctas >= 2);
	free_read(&got);
	ct_buf_free(&z);
}

static uint32_t at32(const struct ct_buf *b, size_t at)
{
	const unsigned char *p = (const unsigned char *)b->data + at;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Walks over the bytes that our writer made, apart from its reader. */
static void check_layout(const struct ct_buf *z, unsigned want_blocks)
{
	size_t data = strlen(z->data) + 9, index = at32(z, z->len - 8), at = index + 4, region = data;
	assert_int_equal(at32(z, data - 8), 0);
	assert_int_equal(at32(z, data - 4), 2048);
	assert_int_equal(at32(z, index), want_blocks);
	for (unsigned b = 0; b < want_blocks; b++) {
		unsigned warps = at32(z, at + 40);
		assert_int_equal(warps, 2);
		for (at += 44; warps > 0; warps--) {
			uint32_t insts = at32(z, at), pieces = at32(z, at + 4), lines = 0;
			assert_int_equal(at32(z, at + 8), region);
			assert_int_equal(at32(z, region), insts);
			assert_int_equal(at32(z, region + 4), pieces);
			region += 8;
			for (at += 16; pieces > 0; pieces--, at += 4) {
				size_t n = at32(z, region);
				lines += at32(z, at);
				assert_true(at32(z, at) == 2048 || pieces == 1);
				assert_true(ZSTD_getFrameContentSize(z->data + region + 4, n) < 1 << 20);
				region += 4 + n;
			}
			assert_int_equal(lines, insts);
		}
	}
	assert_int_equal(region, index);
	assert_int_equal(at, z->len - 8);
}

static void what_we_write_reads_back(void **state)
{
	(void)state;
	struct ct_buf text = as_text(), z = {0}, again = {0}, grown = {0};
	struct read want = read_all(text.data, text.len, 0, &z);
	check_layout(&z, BLOCKS);
	struct read got = read_all(z.data, z.len, 0, &again);
	assert_int_equal(got.status, CT_OK);
	assert_string_equal(got.said.data, want.said.data);
	assert_int_equal(z.len, again.len);
	assert_memory_equal(z.data, again.data, z.len);
	free_read(&got);

	/* a warp of several pieces */
	ct_buf_printf(&grown, "%s\n#BEGIN_TB\n\nthread block = 2,0,0\n\nwarp = 1\ninsts = 5001\n",
	              header);
	for (int i = 0; i < 5000; i++)
		ct_buf_printf(&grown, "%04x ffffffff 1 R1 MOV 0 0 0 \n", 16 * (i % 77));
	ct_buf_puts(&grown, DONE "\n\n#END_TB\n");
	ct_buf_reset(&z);
	struct read long_one = read_all(grown.data, grown.len, 0, &z);
	assert_int_equal(long_one.status, CT_OK);
	check_layout(&z, 1);
	got = read_all(z.data, z.len, 0, NULL);
	assert_int_equal(got.stats.warp_insts, 5001);
	assert_int_equal(got.stats.warps, 2); /* the absent one has become an empty one */
	free_read(&got);
	free_read(&want);
	free_read(&long_one);
	ct_buf_free(&text);
	ct_buf_free(&z);
	ct_buf_free(&again);
	ct_buf_free(&grown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_like_its_text),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(salvage_hands_out_what_precedes),
		cmocka_unit_test(what_we_write_reads_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
