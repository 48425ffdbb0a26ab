/* Passing over thread blocks: what is read between is what a whole reading has there, from files by their index, from
 * memory and text by reading over it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/ctz.h"

enum { KERNELS = 3, CTAS = 400, WARPS = 4 };

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

/* Text of kernels whose blocks run a loop of their own length, so that frames hold different numbers of them; the code of
 * later blocks is new. `absent`: a block that the second kernel lacks, or CTAS. */
static void make_text(struct ct_buf *b, unsigned absent, unsigned loads)
{
	for (unsigned k = 1; k <= KERNELS; k++) {
		ct_buf_printf(
			b,
			"-kernel name = k%u\n-kernel id = %u\n-grid dim = (%d,1,1)\n-block dim = (%d,1,1)\n"
			"-shmem = 0\n-nregs = 16\n-binary version = 80\n-cuda stream id = 0\n"
			"-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n"
			"-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n#traces format = PC mask dest_num "
			"[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n",
			k, k, CTAS, 32 * WARPS);
		for (unsigned c = 0; c < CTAS; c++) {
			if (k == 2 && c == absent)
				continue;
			ct_buf_printf(b, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", c);
			for (unsigned w = 0; w < WARPS; w++) {
				unsigned n = loads + c % 7;
				ct_buf_printf(b, "warp = %u\ninsts = %u\n", w, n + 1);
				for (unsigned i = 0; i < n; i++)
					ct_buf_printf(
						b, "0%x ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4\n",
						0x100 + 16 * (i % 8 + c / 100 * 8),
						0x10000 +
							(unsigned)(ct_mix64(c * 31u + i) % 65536) * 128);
				ct_buf_puts(b, "0900 ffffffff 0 EXIT 0 0\n\n");
			}
			ct_buf_puts(b, "#END_TB\n\n");
		}
	}
	assert_false(b->failed);
}

/* Packs a block with more than the text has: `runs` times the code that is known so far, so that a kernel has several
 * frames, and a load for each of its lines. */
static void pack_cta(struct ct_ctz_writer *w, struct ct_cta *cta, unsigned runs)
{
	const struct ct_code *code = ct_cta_code(cta);
	struct ct_cursor *c = NULL;
	struct ct_inst x;
	struct ct_error e;
	ct_ctz_begin_cta(w, ct_cta_index(cta));
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		assert_int_equal(c ? ct_cursor_reset(c, cta, i, &e) : ct_cursor_open(&c, cta, i, &e),
		                 CT_OK);
		ct_ctz_begin_warp(w, ct_cta_warp(cta, i));
		while (ct_cursor_next(c, &x, &e) > 0)
			if (x.naddr)
				assert_int_equal(
					ct_ctz_put_strided(w, code, x.sid, x.mask, x.addr[0], 4, &e),
					CT_OK);
			else
				for (unsigned r = 0; r < runs; r++)
					assert_int_equal(ct_ctz_put_plain(w, code, x.sid, 1, x.mask, &e),
					                 CT_OK);
		ct_ctz_end_warp(w);
	}
	ct_cursor_close(c);
	assert_int_equal(ct_ctz_end_cta(w, &e), CT_OK);
}

static void pack(const struct ct_buf *text, struct ct_buf *out)
{
	struct ct_ctz_writer *w;
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	assert_int_equal(ct_source_open_memory(&s, "memory", text->data, text->len, &e), CT_OK);
	assert_int_equal(ct_trace_open_source(&t, s, NULL, &e), CT_OK);
	assert_int_equal(ct_ctz_writer_new(&w, 1, put, out, &e), CT_OK);
	while (ct_trace_next(t, &ev, &e) > 0) {
		assert_int_equal(ct_ctz_put_kernel(w, ev.kernel, &e), CT_OK);
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			pack_cta(w, cta, 2000);
			ct_cta_unref(cta);
		}
		assert_int_equal(ct_ctz_end_kernel(w, NULL, &e), CT_OK);
	}
	assert_int_equal(ct_ctz_finish(w, 0, 0, &e), CT_OK);
	ct_ctz_writer_free(w);
	ct_trace_close(t);
}

static uint64_t digest_cta(struct ct_cta *cta)
{
	struct ct_cursor *c = NULL;
	struct ct_inst x;
	struct ct_error e;
	uint64_t h = ct_mix64(ct_cta_index(cta) + 1);
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		assert_int_equal(c ? ct_cursor_reset(c, cta, i, &e) : ct_cursor_open(&c, cta, i, &e),
		                 CT_OK);
		while (ct_cursor_next(c, &x, &e) > 0)
			h = ct_mix64(h ^ (x.naddr ? x.addr[0] : 1)) +
			    ct_code_at(ct_cta_code(cta), x.sid)->pc;
	}
	ct_cursor_close(c);
	return h;
}

static uint64_t insts_of(struct ct_cta *cta)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++)
		n += ct_cta_warp(cta, i)->insts;
	return n;
}

struct whole {
	uint64_t digest[KERNELS][CTAS], insts[KERNELS][CTAS], kernel[KERNELS];
	unsigned n[KERNELS];
	struct ct_trace_stats stats;
};

static void read_whole(struct ct_trace *t, struct whole *w)
{
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	memset(w, 0, sizeof *w);
	for (unsigned k = 0; ct_trace_next(t, &ev, &e) > 0; k++)
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			w->digest[k][w->n[k]] = digest_cta(cta);
			w->kernel[k] += w->insts[k][w->n[k]++] = insts_of(cta);
			ct_cta_unref(cta);
		}
	w->stats = *ct_trace_stats(t);
	ct_trace_close(t);
}

/* Reads and passes over runs of random lengths, and holds all of it against the whole. */
static void walk(struct ct_trace *t, const struct whole *w, uint64_t seed, uint64_t longest)
{
	struct ct_event ev;
	struct ct_error e;
	unsigned k = 0;
	for (; ct_trace_next(t, &ev, &e) > 0; k++) {
		unsigned at = 0;
		if (ct_rand64(&seed) % 4 == 0)
			continue; /* read over */
		while (at <= w->n[k]) {
			struct ct_trace_skipped s;
			uint64_t n = ct_rand64(&seed) % (longest + 1), insts = 0;
			assert_int_equal(ct_trace_skip_ctas(t, n, &s, &e), CT_OK);
			for (uint64_t i = 0; i < s.ctas; i++)
				insts += w->insts[k][at + i];
			assert_true(s.ctas == n || at + s.ctas == w->n[k]);
			assert_int_equal(s.insts, insts);
			assert_int_equal(s.warps, s.ctas * WARPS);
			at += (unsigned)s.ctas;
			for (n = ct_rand64(&seed) % 9 + 1; n; n--, at++) {
				struct ct_cta *cta;
				int st = ct_trace_next_cta(t, &cta, &e);
				assert_int_equal(st, at < w->n[k]);
				if (st == 0)
					break;
				assert_int_equal(digest_cta(cta), w->digest[k][at]);
				ct_cta_unref(cta);
			}
			if (at >= w->n[k])
				break;
		}
	}
	assert_int_equal(k, KERNELS);
	const struct ct_trace_stats *s = ct_trace_stats(t);
	assert_int_equal(s->ctas, w->stats.ctas);
	assert_int_equal(s->warp_insts, w->stats.warp_insts);
	assert_int_equal(s->raw_bytes, w->stats.raw_bytes);
	assert_int_equal(s->crc64, w->stats.crc64);
	assert_int_equal(s->warps, w->stats.warps);
	ct_trace_close(t);
}

static struct ct_trace *open_memory(const struct ct_buf *b)
{
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_error e;
	assert_int_equal(ct_source_open_memory(&s, "memory", b->data, b->len, &e), CT_OK);
	assert_int_equal(ct_trace_open_source(&t, s, NULL, &e), CT_OK);
	return t;
}

static char *write_file(const struct ct_buf *b)
{
	static char path[4096];
	const char *dir = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/skip-XXXXXX", dir ? dir : "/tmp");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->data, b->len), b->len);
	close(fd);
	return path;
}

static struct ct_trace *open_file(const char *path)
{
	struct ct_trace *t;
	struct ct_error e;
	assert_int_equal(ct_trace_open(&t, path, NULL, &e), CT_OK);
	return t;
}

/* Of one text: text and packed, from memory and from a file. */
static void check_text(unsigned absent, unsigned loads)
{
	static struct whole w;
	struct ct_buf text = {0}, packed = {0};
	make_text(&text, absent, loads);
	pack(&text, &packed);
	const struct ct_buf *forms[] = {&text, &packed};
	for (int f = 0; f < 2; f++) {
		const char *path = write_file(forms[f]);
		read_whole(open_file(path), &w);
		assert_int_equal(w.n[1], CTAS - (absent < CTAS));
		for (uint64_t seed = 1; seed <= 2; seed++) {
			const uint64_t longest = seed % 2 ? 400 : 40;
			walk(open_file(path), &w, seed, longest);
			walk(open_memory(forms[f]), &w, seed, longest);
		}
		unlink(path);
	}
	ct_buf_free(&text);
	ct_buf_free(&packed);
}

static void passes_over_blocks_of_any_form(void **state)
{
	(void)state;
	check_text(CTAS, 10);
}

static void reads_where_blocks_are_absent(void **state)
{
	(void)state;
	check_text(17, 5);
}

/* The whole of a packed file is known from its index, also its size. */
static void tells_the_size_of_launches(void **state)
{
	static struct whole w;
	struct ct_buf text = {0}, packed = {0};
	struct ct_event ev;
	struct ct_error e;
	int is_insts;
	(void)state;
	make_text(&text, CTAS, 5);
	pack(&text, &packed);
	const char *path = write_file(&packed);
	read_whole(open_file(path), &w);
	struct ct_trace *t = open_file(path);
	for (unsigned k = 0; ct_trace_next(t, &ev, &e) > 0; k++) {
		assert_int_equal(ct_trace_kernel_size(t, &is_insts), w.kernel[k]);
		assert_int_equal(is_insts, 1);
	}
	assert_int_equal(ct_trace_stats(t)->crc64, w.stats.crc64);
	ct_trace_close(t);
	t = open_memory(&text);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	assert_int_equal(ct_trace_kernel_size(t, &is_insts), 0);
	ct_trace_close(t);
	unlink(path);
	ct_buf_free(&text);
	ct_buf_free(&packed);
}

/* Whether the first kernel, from a file with one bit changed, can be passed over and can be read. */
static void try_damaged(struct ct_buf *b, size_t at, int *skips, int *reads)
{
	struct ct_event ev;
	struct ct_error e;
	struct ct_trace_skipped s;
	struct ct_cta *cta;
	int st;
	b->data[at] ^= 1;
	const char *path = write_file(b);
	b->data[at] ^= 1;
	struct ct_trace *t = open_file(path);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	*skips = ct_trace_skip_ctas(t, CTAS, &s, &e) == CT_OK && ct_trace_next(t, &ev, &e) == 1;
	ct_trace_close(t);
	t = open_file(path);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	while ((st = ct_trace_next_cta(t, &cta, &e)) > 0)
		ct_cta_unref(cta);
	*reads = st == CT_OK;
	ct_trace_close(t);
	unlink(path);
}

/* A byte in the last frame of the first kernel: behind its 10 bytes of head. The kernel ends with a block of 5 zeros, which
 * is stored as it is, and a checksum. */
static size_t last_frame(const struct ct_buf *b)
{
	static const char end[] = {'Z', 0, 5, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0};
	for (size_t i = 200; i + sizeof end < b->len; i++)
		if (memcmp(b->data + i, end, sizeof end) == 0)
			return i - 40;
	fail_msg("no end of a kernel");
	return 0;
}

/* Damage in a frame that nobody wants is not seen; what is read is checked. */
static void checks_what_it_reads(void **state)
{
	struct ct_buf text = {0}, packed = {0};
	unsigned seen_by_reading = 0;
	(void)state;
	make_text(&text, CTAS, 5);
	pack(&text, &packed);
	for (size_t i = 0; i < 6; i++) {
		int skips, reads;
		try_damaged(&packed, last_frame(&packed) + 2 * i, &skips, &reads);
		assert_false(reads);
		seen_by_reading += (unsigned)skips;
	}
	assert_int_equal(seen_by_reading, 6);
	ct_buf_free(&text);
	ct_buf_free(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_over_blocks_of_any_form),
		cmocka_unit_test(reads_where_blocks_are_absent),
		cmocka_unit_test(tells_the_size_of_launches),
		cmocka_unit_test(checks_what_it_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
