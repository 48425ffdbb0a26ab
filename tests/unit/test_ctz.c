/* Packed traces: any byte changed, any cut, is noticed; what is written comes back,
 * also over the ends of frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "trace/accelsim_write.h"
#include "trace/ctz.h"

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

static struct ct_trace *open_bytes(const struct ct_buf *b, int values, struct ct_error *e)
{
	struct ct_trace_options o = {.keep_values = values};
	struct ct_source *s;
	struct ct_trace *t = NULL;
	assert_int_equal(ct_source_open_memory(&s, "memory", b->data, b->len, e), CT_OK);
	return ct_trace_open_source(&t, s, &o, e) == CT_OK ? t : NULL;
}

/* Text or packed bytes into packed ones; 0 or < 0. */
static int pack(const struct ct_buf *in, struct ct_buf *out)
{
	struct ct_ctz_writer *w;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	int st;
	struct ct_trace *t = open_bytes(in, 1, &e);
	if (!t)
		return -1;
	assert_int_equal(ct_ctz_writer_new(&w, 1, put, out, &e), CT_OK);
	while ((st = ct_trace_next(t, &ev, &e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			assert_int_equal(ct_ctz_put_memcpy(w, ev.address, ev.bytes, &e), CT_OK);
			continue;
		}
		assert_int_equal(ct_ctz_put_kernel(w, ev.kernel, &e), CT_OK);
		while ((st = ct_trace_next_cta(t, &cta, &e)) > 0) {
			assert_int_equal(ct_ctz_put_cta(w, cta, NULL, NULL, &e), CT_OK);
			ct_cta_unref(cta);
		}
		if (st < 0)
			break;
		assert_int_equal(ct_ctz_end_kernel(w, NULL, &e), CT_OK);
	}
	if (st == 0)
		assert_int_equal(ct_ctz_finish(w, 3, 4, &e), CT_OK);
	ct_ctz_writer_free(w);
	ct_trace_close(t);
	return st;
}

static uint64_t add(uint64_t h, uint64_t v)
{
	return ct_mix64(h ^ v) + 0x9e3779b97f4a7c15u;
}

static uint64_t digest_static(uint64_t h, const struct ct_sinst *s)
{
	h = add(add(add(h, s->pc), s->line), (uint64_t)s->imm);
	h = add(add(add(h, (uint64_t)s->imm2), s->has_imm), s->width_field);
	h = add(add(add(h, s->has_gmma ? 256u + s->gmma : 0), s->ndst), s->nsrc);
	for (unsigned i = 0; i < s->ndst; i++)
		h = add(h, s->dst[i]);
	for (unsigned i = 0; i < s->nsrc; i++)
		h = add(h, s->src[i]);
	h = add(add(add(h, s->space), s->access), s->unit);
	return add(add(add(h, s->mods), s->width), ct_crc64(0, s->opcode, strlen(s->opcode)));
}

static uint64_t digest_cta(uint64_t h, struct ct_cta *cta)
{
	struct ct_cursor *c = NULL;
	struct ct_inst x;
	struct ct_error e;
	h = add(add(h, ct_cta_index(cta)), ct_cta_warps(cta));
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		const struct ct_warp_info *w = ct_cta_warp(cta, i);
		h = add(add(add(add(h, w->warp), w->insts), (uint64_t)w->sm), (uint64_t)w->slot);
		assert_int_equal(c ? ct_cursor_reset(c, cta, i, &e) : ct_cursor_open(&c, cta, i, &e),
		                 CT_OK);
		while (ct_cursor_next(c, &x, &e) > 0) {
			h = digest_static(h, ct_code_at(ct_cta_code(cta), x.sid));
			h = add(add(add(add(h, x.mask), x.addr_form), x.naddr), x.nvalues);
			h = add(add(h, (uint64_t)x.stride), x.base);
			for (int k = 0; k < x.naddr; k++)
				h = add(h, x.addr[k]);
			for (int k = 0; k < x.nvalues; k++)
				h = add(h, x.values[k]);
		}
	}
	ct_cursor_close(c);
	return h;
}

/* Of all that a trace holds; *st: how reading ended. */
static uint64_t digest(const struct ct_buf *b, int *st, struct ct_trace_stats *stats)
{
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	uint64_t h = 1;
	struct ct_trace *t = open_bytes(b, 1, &e);
	if (!t) {
		*st = e.status;
		return 0;
	}
	while ((*st = ct_trace_next(t, &ev, &e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			h = add(add(h, ev.address), ev.bytes);
			continue;
		}
		const struct ct_kernel *k = ev.kernel;
		h = add(add(add(add(h, k->id), k->header_id), k->regs), k->shmem_bytes);
		h = add(add(add(h, k->grid[0]), k->block[0]), k->shmem_base ^ k->local_base << 1);
		h = add(add(h, k->has_core_ids), ct_crc64(0, k->name, strlen(k->name)));
		h = add(h, k->sources ? ct_crc64(0, k->sources, strlen(k->sources)) : 0);
		while ((*st = ct_trace_next_cta(t, &cta, &e)) > 0) {
			h = digest_cta(h, cta);
			ct_cta_unref(cta);
		}
		if (*st < 0)
			break;
	}
	if (stats)
		*stats = *ct_trace_stats(t);
	ct_trace_close(t);
	return h;
}

/* ---- texts ---- */

static void header(struct ct_buf *b, const char *version, unsigned grid, unsigned threads, int lines)
{
	ct_buf_printf(b,
	              "-kernel name = k<%s>\n-kernel id = 9\n-grid dim = (%u,1,1)\n"
	              "-block dim = (%u,1,1)\n-shmem = 64\n-nregs = 32\n-binary version = 90\n"
	              "-cuda stream id = 2\n-shmem base_addr = 0x00007f0000000000\n"
	              "-local mem base_addr = 0x00007e0000000000\n-nvbit version = 1.7\n"
	              "-accelsim tracer version = %s\n-enable lineinfo = %d\n%s\n#traces format = x\n\n",
	              version, grid, threads, version, lines,
	              lines ? "-source files = 0-30 a b.cu\t40-80 /x/c.cuh\n" : "");
}

static void random_inst(struct ct_buf *b, uint64_t *seed, const struct ct_kernel *k)
{
	static const char *const opcodes[] = {"IADD3", "LDG.E", "STS.64", "LDL", "FFMA", "ATOMG.E.ADD"};
	uint64_t r = ct_rand64(seed);
	unsigned op = r % 6;
	int memory = op != 0 && op != 4;
	struct ct_sinst s = {
		.pc = (r >> 8) % 64 * 16 + op,
		.opcode = opcodes[op],
		.has_imm = 2,
		.imm = (int64_t)(op * 3) - 4,
		.imm2 = op,
		.line = op * 7,
		.ndst = 1,
		.dst = {CT_REG_MAKE(op % 4, op)},
		.nsrc = op % 3,
		.src = {CT_REG_RZ, CT_REG_MAKE(CT_REG_UR, 5)},
		.width_field = memory ? 4 : 0};
	struct ct_inst i = {.mask = r >> 60 == 0 ? 0 : r >> 61 ? UINT32_MAX : (uint32_t)(r >> 20)};
	uint32_t values[3 * 33] = {0};
	for (unsigned n = 0; memory && n < CT_WARP_LANES; n++)
		i.addr[n] = r >> 59 & 1 ? UINT64_C(0x7f0000001000) + 4 * n
		                        : ct_rand64(seed) >> (r >> 40 & 63);
	if (memory)
		ct_accelsim_choose_form(&i);
	if (r >> 16 & 1) {
		/* Per register a count, then the lanes' values. */
		i.nvalues = (uint16_t)(33 * (s.ndst + s.nsrc));
		for (unsigned n = 0; n < i.nvalues; n++)
			values[n] = n % 33 == 0 ? 32 : r >> 17 & 1 ? n : (uint32_t)ct_rand64(seed);
		i.values = values;
	}
	ct_accelsim_put_inst(b, k, &s, &i);
}

static void random_text(struct ct_buf *b, uint64_t seed, unsigned ctas, unsigned insts)
{
	static char version[] = "6";
	struct ct_kernel k = {.tracer_version = version, .has_lineinfo = 1};
	header(b, version, ctas, 64, 1);
	for (unsigned c = 0; c < ctas; c++) {
		ct_accelsim_put_cta_begin(b, c, 0, 0);
		for (unsigned w = 0; w < 2; w++) {
			ct_accelsim_put_warp(b, w, insts);
			for (unsigned i = 0; i < insts; i++)
				random_inst(b, &seed, &k);
		}
		ct_accelsim_put_cta_end(b);
	}
	assert_false(b->failed);
}

/* ---- tests ---- */

static void comes_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct ct_buf text = {0}, packed = {0}, again = {0};
		struct ct_trace_stats s;
		int a, b;
		random_text(&text, seed, 3, (unsigned)seed * 20);
		assert_int_equal(pack(&text, &packed), 0);
		assert_true(digest(&text, &a, NULL) == digest(&packed, &b, &s));
		assert_int_equal(a, 0);
		assert_int_equal(b, 0);
		assert_int_equal(s.missing_kernels, 3);
		assert_int_equal(s.unknown_commands, 4);
		assert_int_equal(s.warp_insts, 3 * 2 * seed * 20);
		assert_int_equal(pack(&packed, &again), 0);
		assert_int_equal(again.len, packed.len);
		assert_memory_equal(again.data, packed.data, packed.len);
		ct_buf_free(&text);
		ct_buf_free(&packed);
		ct_buf_free(&again);
	}
}

static void every_flipped_byte_is_noticed(void **state)
{
	struct ct_buf text = {0}, packed = {0};
	int st;
	(void)state;
	random_text(&text, 7, 2, 4);
	assert_int_equal(pack(&text, &packed), 0);
	for (size_t i = 0; i < packed.len; i++)
		for (int whole = 0; whole < 2; whole++) { /* one bit, then all */
			char flip = (char)(whole ? 0xff : 1 << i % 8);
			packed.data[i] ^= flip;
			digest(&packed, &st, NULL);
			assert_true(st < 0);
			packed.data[i] ^= flip;
		}
	digest(&packed, &st, NULL);
	assert_int_equal(st, 0);
	ct_buf_free(&text);
	ct_buf_free(&packed);
}

static void every_cut_is_noticed(void **state)
{
	struct ct_buf text = {0}, packed = {0};
	int st;
	(void)state;
	random_text(&text, 8, 2, 4);
	assert_int_equal(pack(&text, &packed), 0);
	for (struct ct_buf cut = packed; cut.len > 0;) {
		cut.len--;
		digest(&cut, &st, NULL);
		assert_true(st < 0);
	}
	ct_buf_putc(&packed, 'x');
	digest(&packed, &st, NULL);
	assert_true(st < 0);
	ct_buf_free(&text);
	ct_buf_free(&packed);
}

/* A warp longer than a frame: its parts are put together again. */
static void warps_go_on_over_frames(void **state)
{
	enum { INSTS = (1 << 20) + 1000 };
	struct ct_buf text = {0}, packed = {0};
	struct ct_trace_stats s;
	int a, b;
	(void)state;
	header(&text, "3", 2, 64, 0);
	for (unsigned c = 0; c < 2; c++) {
		ct_accelsim_put_cta_begin(&text, c, 0, 0);
		for (unsigned w = 0; w < 2; w++) {
			unsigned n = w == 0 && c == 0 ? INSTS : 50;
			ct_accelsim_put_warp(&text, w, n);
			for (unsigned i = 0; i < n; i++)
				if (i % 50 == 7)
					ct_buf_printf(&text,
					              "0070 ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x 4\n",
					              i * 64);
				else
					ct_buf_printf(&text, "0%02x0 %cfffffff 0 NOP 0 0\n", i % 50,
					              i % 50 == 9 ? '0' : 'f');
		}
		ct_accelsim_put_cta_end(&text);
	}
	assert_false(text.failed);
	assert_int_equal(pack(&text, &packed), 0);
	assert_true(digest(&text, &a, NULL) == digest(&packed, &b, &s));
	assert_int_equal(a, 0);
	assert_int_equal(b, 0);
	assert_int_equal(s.warp_insts, INSTS + 150);
	assert_true(packed.len < text.len / 100);
	ct_buf_free(&text);
	ct_buf_free(&packed);
}

/* What thread blocks without instructions take has to stay below the limit of a block, too. */
static void frames_of_empty_warps_end(void **state)
{
	struct ct_buf text = {0}, out = {0};
	struct ct_ctz_writer *w;
	struct ct_event ev;
	struct ct_cta *cta[2];
	struct ct_error e;
	(void)state;
	header(&text, "4", 2, 65536, 0);
	for (int i = 0; i < 2; i++) {
		ct_buf_printf(&text, "#BEGIN_TB\nthread block = %d,0,0\n", i);
		for (int k = 0; k < 2048; k++)
			ct_buf_printf(&text, "warp = %d\ninsts = %d\n%s", k, i + k == 0,
			              i + k == 0 ? "0000 ffffffff 0 EXIT 0 0\n" : "");
		ct_buf_puts(&text, "#END_TB\n");
	}
	struct ct_trace *t = open_bytes(&text, 0, &e);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	assert_int_equal(ct_ctz_writer_new(&w, 1, put, &out, &e), CT_OK);
	struct ct_kernel k = *ev.kernel;
	k.has_core_ids = 1; /* two more bytes of each warp */
	assert_int_equal(ct_ctz_put_kernel(w, &k, &e), CT_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ct_trace_next_cta(t, &cta[i], &e), 1);
	assert_int_equal(ct_ctz_put_cta(w, cta[0], NULL, NULL, &e), CT_OK);
	size_t before = out.len;
	for (int i = 0; i < 2200; i++) /* 18 MB of heads; 32 MiB are the limit */
		assert_int_equal(ct_ctz_put_cta(w, cta[1], NULL, NULL, &e), CT_OK);
	assert_true(out.len > before);
	for (int i = 0; i < 2; i++)
		ct_cta_unref(cta[i]);
	ct_ctz_writer_free(w);
	ct_trace_close(t);
	ct_buf_free(&text);
	ct_buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(every_flipped_byte_is_noticed),
		cmocka_unit_test(every_cut_is_noticed),
		cmocka_unit_test(warps_go_on_over_frames),
		cmocka_unit_test(frames_of_empty_warps_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
