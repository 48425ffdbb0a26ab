#include "trace/tracez_write.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "trace/private/tracez.h"

enum { ZSTD_LEVEL = 3 }; /* of the tracer's own program */

struct ct_tracez_writer {
	const struct ct_kernel *k;
	ct_ctz_put_fn put;
	void *ctx;
	uint64_t at; /* bytes put out */
	uint32_t blocks;
	struct ct_buf index; /* without its number of blocks */
	struct ct_buf lines; /* of the piece in progress */
	uint32_t n_lines;
	unsigned char *frame;
	size_t frame_cap;
	ZSTD_CCtx *zstd;
};

static void add_u32(struct ct_buf *b, uint32_t v)
{
	const unsigned char p[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
	                            (unsigned char)(v >> 24)};
	ct_buf_add(b, p, sizeof p);
}

static void add_u64(struct ct_buf *b, uint64_t v)
{
	add_u32(b, (uint32_t)v);
	add_u32(b, (uint32_t)(v >> 32));
}

/* Puts out what b holds, and empties it. */
static int put_out(struct ct_tracez_writer *w, struct ct_buf *b, struct ct_error *e)
{
	int st = ct_buf_check(b, e);
	if (st == CT_OK && b->len)
		st = w->put(w->ctx, b->data, b->len, e);
	w->at += b->len;
	ct_buf_reset(b);
	return st;
}

int ct_tracez_writer_new(struct ct_tracez_writer **out, const struct ct_kernel *k, ct_ctz_put_fn put,
                         void *ctx, struct ct_error *e)
{
	struct ct_tracez_writer *w = ct_calloc(1, sizeof *w);
	struct ct_buf b = {0};
	*out = w;
	if (!w)
		return ct_fail_nomem(e);
	w->k = k;
	w->put = put;
	w->ctx = ctx;
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)))
		return ct_fail_nomem(e);
	ct_accelsim_put_header(&b, k);
	ct_buf_putc(&b, '\0');
	add_u32(&b, 0); /* no dictionary */
	add_u32(&b, CT_TRACEZ_PIECE);
	int st = put_out(w, &b, e);
	ct_buf_free(&b);
	return st;
}

/* Ends a piece: one frame, which tells the size of its text. The last line has no newline. */
static int put_piece(struct ct_tracez_writer *w, struct ct_error *e)
{
	struct ct_buf size = {0};
	int st = ct_buf_check(&w->lines, e);
	if (st < 0 || w->n_lines == 0)
		return st;
	const size_t bound = ZSTD_compressBound(w->lines.len - 1);
	if (ct_grow((void **)&w->frame, &w->frame_cap, bound, 1) != 0)
		return ct_fail_nomem(e);
	size_t n = ZSTD_compress2(w->zstd, w->frame, w->frame_cap, w->lines.data, w->lines.len - 1);
	if (ZSTD_isError(n) || n > UINT32_MAX)
		return ct_fail_nomem(e);
	add_u32(&size, (uint32_t)n);
	add_u32(&w->index, w->n_lines);
	st = put_out(w, &size, e);
	if (st == CT_OK)
		st = w->put(w->ctx, w->frame, n, e);
	w->at += n;
	ct_buf_free(&size);
	ct_buf_reset(&w->lines);
	w->n_lines = 0;
	return st;
}

/* What both the index and the region begin with. */
static int begin_warp(struct ct_tracez_writer *w, uint64_t insts, struct ct_error *e)
{
	struct ct_buf head = {0};
	if (insts > UINT32_MAX)
		return ct_fail(e, CT_ERR_LIMIT,
		               "a warp of 2^32 instructions or more has no place in .tracez");
	add_u32(&head, (uint32_t)insts);
	add_u32(&head, (uint32_t)((insts + CT_TRACEZ_PIECE - 1) / CT_TRACEZ_PIECE));
	if (!head.failed)
		ct_buf_add(&w->index, head.data, head.len);
	add_u64(&w->index, w->at);
	int st = put_out(w, &head, e);
	ct_buf_free(&head);
	return st;
}

static int is_wanted(struct ct_cta *cta, const struct ct_inst *inst, ct_ctz_keep_fn keep, void *keep_ctx)
{
	return !keep ||
	       keep(keep_ctx, ct_cta_kernel(cta), ct_code_at(ct_cta_code(cta), inst->sid), inst);
}

/* Writes the instructions of a warp that `keep` wants. Their number stands in front, so that they are
 * counted first. */
static int put_warp(struct ct_tracez_writer *w, struct ct_cursor *c, struct ct_cta *cta, uint32_t i,
                    ct_ctz_keep_fn keep, void *keep_ctx, struct ct_error *e)
{
	struct ct_inst inst;
	uint64_t n = keep ? 0 : ct_cta_warp(cta, i)->insts;
	int st = CT_OK;
	while (keep && (st = ct_cursor_next(c, &inst, e)) > 0)
		n += is_wanted(cta, &inst, keep, keep_ctx) != 0;
	if (st == CT_OK && keep)
		st = ct_cursor_reset(c, cta, i, e);
	if (st == CT_OK)
		st = begin_warp(w, n, e);
	while (st >= 0 && (st = ct_cursor_next(c, &inst, e)) > 0) {
		if (!is_wanted(cta, &inst, keep, keep_ctx))
			continue;
		ct_accelsim_put_inst(&w->lines, w->k, ct_code_at(ct_cta_code(cta), inst.sid), &inst);
		if (++w->n_lines == CT_TRACEZ_PIECE)
			st = put_piece(w, e);
	}
	return st < 0 ? st : put_piece(w, e);
}

/* The index of the block's warp of that number, or the number of its warps. */
static uint32_t find_warp(const struct ct_cta *cta, uint32_t warp)
{
	uint32_t i = 0, n = ct_cta_warps(cta);
	if (warp < n && ct_cta_warp(cta, warp)->warp == warp) /* the usual case */
		return warp;
	while (i < n && ct_cta_warp(cta, i)->warp != warp)
		i++;
	return i;
}

int ct_tracez_put_cta(struct ct_tracez_writer *w, struct ct_cta *cta, ct_ctz_keep_fn keep,
                      void *keep_ctx, struct ct_error *e)
{
	const uint32_t *g = w->k->grid, *b = w->k->block, warps = (b[0] * b[1] * b[2] + 31) / 32;
	const uint64_t index = ct_cta_index(cta);
	struct ct_cursor *c = NULL;
	int st = CT_OK;
	add_u32(&w->index, (uint32_t)(index % g[0]));
	add_u32(&w->index, (uint32_t)(index / g[0] % g[1]));
	add_u32(&w->index, (uint32_t)(index / g[0] / g[1]));
	for (int i = 0; i < 7; i++) /* its cluster, which our records do not keep */
		add_u32(&w->index, 0);
	add_u32(&w->index, warps);
	w->blocks++;
	for (uint32_t warp = 0; warp < warps && st == CT_OK; warp++) {
		uint32_t i = find_warp(cta, warp);
		if (i == ct_cta_warps(cta)) {
			st = begin_warp(w, 0, e);
			continue;
		}
		st = c ? ct_cursor_reset(c, cta, i, e) : ct_cursor_open(&c, cta, i, e);
		if (st == CT_OK)
			st = put_warp(w, c, cta, i, keep, keep_ctx, e);
	}
	ct_cursor_close(c);
	return st == CT_OK ? ct_buf_check(&w->index, e) : st;
}

int ct_tracez_finish(struct ct_tracez_writer *w, struct ct_error *e)
{
	struct ct_buf count = {0};
	const uint64_t at = w->at;
	add_u32(&count, w->blocks);
	add_u64(&w->index, at);
	int st = put_out(w, &count, e);
	if (st == CT_OK)
		st = put_out(w, &w->index, e);
	ct_buf_free(&count);
	return st;
}

void ct_tracez_writer_free(struct ct_tracez_writer *w)
{
	if (!w)
		return;
	ct_buf_free(&w->index);
	ct_buf_free(&w->lines);
	free(w->frame);
	ZSTD_freeCCtx(w->zstd);
	free(w);
}
