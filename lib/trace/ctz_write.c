/* ctz_write.c - packed traces: blocks, index, end record. */
#include <stdlib.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "trace/arrays.h"
#include "trace/private/ctz.h"

enum { DEFAULT_LEVEL = 19 };

struct ct_ctz_writer {
	ct_ctz_put_fn put;
	void *ctx;
	ZSTD_CCtx *zstd;
	struct ctz_encoder encoder;
	struct ct_buf payload;
	unsigned char *block;
	size_t block_cap;
	struct ct_buf copies, arrays; /* not yet written; one of them is empty */
	struct ct_buf index, frames;  /* of all kernels, of the one being written */
	uint64_t offset, crc;
	uint64_t last_offset, last_index, n_frames; /* of the index */
	uint32_t last_id;
	int core_ids;
	uint64_t kernels, memcpys, ctas, warps, insts;
	struct ct_warp_info warp; /* the one being written */
	unsigned status;          /* 0: not told */
};

int ct_ctz_writer_new(struct ct_ctz_writer **out, int level, ct_ctz_put_fn put, void *ctx,
                      struct ct_error *e)
{
	struct ct_ctz_writer *w = calloc(1, sizeof *w);
	*out = NULL;
	if (!w)
		return ct_fail_nomem(e);
	w->put = put;
	w->ctx = ctx;
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd || ctz_encoder_init(&w->encoder) != 0 ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(
		    w->zstd, ZSTD_c_compressionLevel, level > 0 ? level : DEFAULT_LEVEL))) {
		ct_ctz_writer_free(w);
		return ct_fail_nomem(e);
	}
	int st = put(ctx, CTZ_MAGIC, CTZ_MAGIC_BYTES, e);
	if (st < 0) {
		ct_ctz_writer_free(w);
		return st;
	}
	w->offset = CTZ_MAGIC_BYTES;
	w->crc = ct_crc64(0, CTZ_MAGIC, CTZ_MAGIC_BYTES);
	*out = w;
	return CT_OK;
}

void ct_ctz_writer_free(struct ct_ctz_writer *w)
{
	if (!w)
		return;
	ctz_encoder_free(&w->encoder);
	ct_buf_free(&w->payload);
	free(w->block);
	ct_buf_free(&w->copies);
	ct_buf_free(&w->arrays);
	ct_buf_free(&w->index);
	ct_buf_free(&w->frames);
	ZSTD_freeCCtx(w->zstd);
	free(w);
}

static void put_le(unsigned char *p, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

/* Room for a block of n bytes with its head. */
static unsigned char *make_room(struct ct_ctz_writer *w, size_t n)
{
	return ct_grow((void **)&w->block, &w->block_cap, n, 1) < 0 ? NULL : w->block;
}

/* Writes w->payload as one block, compressed where that pays. */
static int put_block(struct ct_ctz_writer *w, int type, struct ct_error *e)
{
	size_t raw = w->payload.len, bound = ZSTD_compressBound(raw), stored = raw;
	if (w->payload.failed)
		return ct_fail_nomem(e);
	unsigned char *p = make_room(w, CTZ_HEAD + bound + 4);
	if (!p)
		return ct_fail_nomem(e);
	int codec = CTZ_STORED;
	if (type != CTZ_END && raw > 0) {
		stored = ZSTD_compress2(w->zstd, p + CTZ_HEAD, bound, w->payload.data, raw);
		if (ZSTD_isError(stored))
			return ct_fail_nomem(e);
		codec = stored < raw ? CTZ_ZSTD : CTZ_STORED;
	}
	if (codec == CTZ_STORED && raw > 0)
		memcpy(p + CTZ_HEAD, w->payload.data, stored = raw);
	p[0] = (unsigned char)type;
	p[1] = (unsigned char)codec;
	put_le(p + 2, stored, 4);
	put_le(p + 6, raw, 4);
	put_le(p + CTZ_HEAD + stored, ct_crc32(0, p, CTZ_HEAD + stored), 4);
	size_t n = CTZ_HEAD + stored + 4;
	w->offset += n;
	w->crc = ct_crc64(w->crc, p, n);
	ct_buf_reset(&w->payload);
	return w->put(w->ctx, p, n, e);
}

/* ---- copies, arrays and kernels ---- */

/* Writes what was collected for a block of a kind. */
static int flush_one(struct ct_ctz_writer *w, struct ct_buf *b, int type, struct ct_error *e)
{
	int st = ct_buf_check(b, e);
	if (st < 0 || b->len == 0)
		return st;
	ct_buf_reset(&w->payload);
	ct_buf_add(&w->payload, b->data, b->len);
	ct_buf_reset(b);
	return put_block(w, type, e);
}

/* Writes what precedes a kernel. */
static int flush_records(struct ct_ctz_writer *w, struct ct_error *e)
{
	int st = flush_one(w, &w->copies, CTZ_MEMCPY, e);
	return st < 0 ? st : flush_one(w, &w->arrays, CTZ_ARRAY, e);
}

/* Records of one kind are collected until the other comes, or until they are this many bytes. */
enum { RECORDS_BYTES = 1 << 20 };

int ct_ctz_put_memcpy(struct ct_ctz_writer *w, uint64_t address, uint64_t bytes, struct ct_error *e)
{
	if (w->arrays.len || w->copies.len >= RECORDS_BYTES) {
		int st = flush_records(w, e);
		if (st < 0)
			return st;
	}
	ctz_put(&w->copies, address);
	ctz_put(&w->copies, bytes);
	w->memcpys++;
	return ct_buf_check(&w->copies, e);
}

int ct_ctz_put_array(struct ct_ctz_writer *w, uint64_t first, uint64_t bytes, const char *name,
                     struct ct_error *e)
{
	size_t n = name ? strnlen(name, CT_ARRAY_NAME_MAX) : 0;
	if (w->copies.len || w->arrays.len >= RECORDS_BYTES) {
		int st = flush_records(w, e);
		if (st < 0)
			return st;
	}
	ctz_put(&w->arrays, first);
	ctz_put(&w->arrays, bytes);
	ctz_put(&w->arrays, n);
	for (size_t i = 0; i < n; i++) /* the form allows no control characters */
		ctz_put_byte(&w->arrays, ctz_is_control(name[i]) ? '?' : (unsigned char)name[i]);
	return ct_buf_check(&w->arrays, e);
}

int ct_ctz_put_status(struct ct_ctz_writer *w, unsigned status, struct ct_error *e)
{
	if (status == 0 || status > CT_STATUS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "no program that fails ends with status %u", status);
	w->status = status;
	return CT_OK;
}

int ct_ctz_put_kernel(struct ct_ctz_writer *w, const struct ct_kernel *k, struct ct_error *e)
{
	int st = flush_records(w, e);
	if (st < 0)
		return st;
	if (k->id <= w->last_id)
		return ct_fail(e, CT_ERR_USAGE, "kernel %u after kernel %u", k->id, w->last_id);
	ctz_put(&w->index, k->id - w->last_id);
	ctz_put(&w->index, w->offset - w->last_offset);
	w->last_offset = w->offset;
	w->last_id = k->id;
	w->last_index = w->n_frames = 0;
	w->core_ids = k->has_core_ids;
	w->kernels++;
	ctz_encoder_kernel(&w->encoder);
	if (ctz_encoder_start_frame(&w->encoder) != 0)
		return ct_fail_nomem(e);
	ctz_kernel_put(&w->payload, k);
	return put_block(w, CTZ_KERNEL, e);
}

/* ---- frames ---- */

/* Writes the frame that is full, behind the static instructions that are new in it, and notes its place
 * for the index. */
static int put_frame(struct ct_ctz_writer *w, struct ct_error *e)
{
	struct ctz_encoder *c = &w->encoder;
	if (c->ctas == 0)
		return CT_OK;
	if (c->code[CTZ_S_FLAGS].len) {
		ctz_join(&w->payload, c->code, CTZ_CODE_COLUMNS);
		int st = put_block(w, CTZ_CODE, e);
		if (st < 0)
			return st;
	}
	ctz_put(&w->frames, w->offset - w->last_offset);
	ctz_put(&w->frames, ctz_zigzag(c->first_index - w->last_index));
	ctz_put(&w->frames, c->ctas);
	ctz_put(&w->frames, c->insts);
	w->last_offset = w->offset;
	w->last_index = c->first_index;
	w->n_frames++;
	ctz_join(&w->payload, c->column, CTZ_COLUMNS);
	int st = put_block(w, CTZ_FRAME, e);
	if (st < 0)
		return st;
	return ctz_encoder_start_frame(c) == 0 ? CT_OK : ct_fail_nomem(e);
}

/* A frame that is full in the middle of a warp: the rest goes into the next one. */
static int cut(struct ct_ctz_writer *w, struct ct_error *e)
{
	uint64_t index = w->encoder.index;
	ctz_encoder_end_warp(&w->encoder, &w->warp, w->core_ids);
	ctz_encoder_end_cta(&w->encoder, 1);
	int st = put_frame(w, e);
	if (st < 0)
		return st;
	ctz_encoder_start_cta(&w->encoder, index, 1);
	ctz_encoder_start_warp(&w->encoder, 1);
	return CT_OK;
}

/* Code goes into a block of its own. */
static int has_bytes(const struct ctz_encoder *c, size_t limit)
{
	size_t code = 0;
	for (int i = 0; i < CTZ_CODE_COLUMNS; i++)
		code += c->code[i].len;
	return code >= limit || ctz_encoder_bytes(c) >= limit;
}

enum { FULL_EVERY = 256 }; /* instructions, of which CTZ_FRAME_INSTS is a multiple */

static int is_full(const struct ctz_encoder *c)
{
	return c->insts >= CTZ_FRAME_INSTS ||
	       (c->insts % FULL_EVERY == 0 && has_bytes(c, CTZ_FRAME_BYTES));
}

/* Whether the frame has to end behind this CTA. CTAs without instructions count too, since a block has its limit. */
static int is_overfull(const struct ctz_encoder *c)
{
	return is_full(c) || has_bytes(c, 2 * CTZ_FRAME_BYTES);
}

/* Writes an instruction of the warp at hand. */
static int put_inst(struct ct_ctz_writer *w, const struct ct_code *code, const struct ct_inst *inst,
                    struct ct_error *e)
{
	int st;
	if (is_full(&w->encoder) && (st = cut(w, e)) < 0)
		return st;
	w->insts++;
	return ctz_encoder_inst(&w->encoder, code, inst, e);
}

int ct_ctz_put_plain(struct ct_ctz_writer *w, const struct ct_code *code, uint32_t sid, uint32_t n,
                     uint32_t mask, struct ct_error *e)
{
	struct ctz_encoder *c = &w->encoder;
	int st = CT_OK;
	while (n && st == CT_OK) {
		uint32_t some = FULL_EVERY - (uint32_t)(c->insts % FULL_EVERY);
		some = some < n ? some : n;
		if (is_full(c) && (st = cut(w, e)) < 0)
			return st;
		st = ctz_encoder_plain(c, code, sid, some, mask, e);
		sid += some;
		w->insts += some;
		n -= some;
	}
	return st;
}

int ct_ctz_put_strided(struct ct_ctz_writer *w, const struct ct_code *code, uint32_t sid, uint32_t mask,
                       uint64_t first, int64_t stride, struct ct_error *e)
{
	int st;
	if (is_full(&w->encoder) && (st = cut(w, e)) < 0)
		return st;
	w->insts++;
	return ctz_encoder_strided(&w->encoder, code, sid, mask, first, stride, e);
}

int ct_ctz_put_lanes(struct ct_ctz_writer *w, const struct ct_code *code, uint32_t sid, uint32_t mask,
                     const uint64_t *addresses, struct ct_error *e)
{
	int st;
	if (is_full(&w->encoder) && (st = cut(w, e)) < 0)
		return st;
	w->insts++;
	return ctz_encoder_lanes(&w->encoder, code, sid, mask, addresses, e);
}

int ct_ctz_put_sequence(struct ct_ctz_writer *w, uint32_t number, const struct ct_ctz_step *step,
                        size_t steps, uint32_t mask, struct ct_error *e)
{
	uint64_t before = w->encoder.insts;
	int st = ctz_encoder_sequence(&w->encoder, number, step, steps, mask, e);
	w->insts += w->encoder.insts - before;
	return st;
}

void ct_ctz_next_strided(struct ct_ctz_writer *w, uint32_t sid, uint64_t first, int64_t stride)
{
	ctz_encoder_next_strided(&w->encoder, sid, first, stride);
}

void ct_ctz_next_lanes(struct ct_ctz_writer *w, uint32_t sid, uint32_t mask, const uint64_t *addresses)
{
	ctz_encoder_next_lanes(&w->encoder, sid, ct_bits(mask), addresses);
}

/* Writes an instruction of a CTA, and those that differ from it only in their number, where they are wanted. */
static int put_chosen(struct ct_ctz_writer *w, struct ct_cta *cta, struct ct_inst *inst, uint32_t more,
                      ct_ctz_keep_fn keep, void *ctx, struct ct_error *e)
{
	const struct ct_code *code = ct_cta_code(cta);
	int st = CT_OK;
	ct_inst_expand(inst);
	for (uint32_t i = 0; i <= more && st == CT_OK; i++, inst->sid++)
		if (keep(ctx, ct_cta_kernel(cta), ct_code_at(code, inst->sid), inst))
			st = put_inst(w, code, inst, e);
	return st;
}

void ct_ctz_begin_warp(struct ct_ctz_writer *w, const struct ct_warp_info *warp)
{
	w->warp = *warp;
	ctz_encoder_start_warp(&w->encoder, 0);
}

void ct_ctz_end_warp(struct ct_ctz_writer *w)
{
	ctz_encoder_end_warp(&w->encoder, &w->warp, w->core_ids);
	w->warps++;
}

/* Packs the instructions of a warp that `keep` wants. Repeated ones come from the cursor as one with a
 * count. */
static int put_warp(struct ct_ctz_writer *w, struct ct_cta *cta, uint32_t i, struct ct_cursor *c,
                    ct_ctz_keep_fn keep, void *ctx, struct ct_error *e)
{
	const struct ct_code *code = ct_cta_code(cta);
	struct ct_inst inst;
	uint32_t more;
	int st;
	ct_ctz_begin_warp(w, ct_cta_warp(cta, i));
	while ((st = ct_cursor_step(c, &inst, &more, e)) > 0) {
		if (keep) {
			st = put_chosen(w, cta, &inst, more, keep, ctx, e);
		} else {
			if (inst.addr_form != CT_ADDR_STRIDE) /* of a stride the first says all */
				ct_inst_expand(&inst);
			st = put_inst(w, code, &inst, e);
			if (st == CT_OK && more)
				st = ct_ctz_put_plain(w, code, inst.sid + 1, more, inst.mask, e);
		}
		if (st < 0)
			return st;
	}
	ct_ctz_end_warp(w);
	return st;
}

void ct_ctz_begin_cta(struct ct_ctz_writer *w, uint64_t index)
{
	ctz_encoder_start_cta(&w->encoder, index, 0);
}

int ct_ctz_end_cta(struct ct_ctz_writer *w, struct ct_error *e)
{
	ctz_encoder_end_cta(&w->encoder, 0);
	w->ctas++;
	return is_overfull(&w->encoder) ? put_frame(w, e) : CT_OK;
}

int ct_ctz_put_cta(struct ct_ctz_writer *w, struct ct_cta *cta, ct_ctz_keep_fn keep, void *ctx,
                   struct ct_error *e)
{
	struct ct_cursor *c = NULL;
	int st = CT_OK;
	ct_ctz_begin_cta(w, ct_cta_index(cta));
	for (uint32_t i = 0; i < ct_cta_warps(cta) && st == CT_OK; i++) {
		st = c ? ct_cursor_reset(c, cta, i, e) : ct_cursor_open(&c, cta, i, e);
		if (st == CT_OK)
			st = put_warp(w, cta, i, c, keep, ctx, e);
	}
	ct_cursor_close(c);
	return st < 0 ? st : ct_ctz_end_cta(w, e);
}

int ct_ctz_end_kernel(struct ct_ctz_writer *w, const struct ct_ctz_oddities *o, struct ct_error *e)
{
	static const struct ct_ctz_oddities none;
	int st = put_frame(w, e);
	if (st < 0)
		return st;
	ctz_put(&w->index, w->n_frames);
	ct_buf_add(&w->index, w->frames.data, w->frames.len);
	w->index.failed |= w->frames.failed;
	ct_buf_reset(&w->frames);
	o = o ? o : &none;
	ctz_put(&w->payload, o->width_disagreements);
	ctz_put(&w->payload, o->extra_tokens);
	ctz_put(&w->payload, o->insts_mismatches);
	ctz_put(&w->payload, o->warps_without_exit);
	ctz_put(&w->payload, o->null_global);
	return put_block(w, CTZ_KERNEL_END, e);
}

/* ---- the end ---- */

int ct_ctz_finish(struct ct_ctz_writer *w, uint64_t missing, uint64_t unknown, struct ct_error *e)
{
	int st = flush_records(w, e);
	if (st == CT_OK && w->status) {
		ctz_put(&w->payload, w->status);
		st = put_block(w, CTZ_STATUS, e);
	}
	if (st < 0)
		return st;
	uint64_t at = w->offset;
	w->payload.failed |= w->index.failed;
	ct_buf_add(&w->payload, w->index.data, w->index.len);
	if ((st = put_block(w, CTZ_INDEX, e)) < 0)
		return st;
	const uint64_t field[CTZ_END_FIELDS] = {
		at, w->crc, w->kernels, w->memcpys, w->ctas, w->warps, w->insts, missing, unknown};
	for (int i = 0; i < CTZ_END_FIELDS; i++) {
		unsigned char t[8];
		put_le(t, field[i], 8);
		ct_buf_add(&w->payload, t, 8);
	}
	return put_block(w, CTZ_END, e);
}
