/* ctz.c - reader of packed traces: blocks, kernels, thread blocks. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/arrays.h"
#include "trace/private/ctz.h"
#include "trace/private/reader.h"

struct ct_ctz {
	struct ct_source *source;
	struct ct_env *env;
	const char *p, *end; /* of the source's run */
	uint64_t at;         /* where the block starts */
	uint64_t crc, text_bytes;
	struct ct_buf block; /* as stored */
	unsigned char *raw;  /* decompressed */
	size_t raw_cap;
	int type;
	struct ctz_in payload;
	ZSTD_DCtx *zstd;
	struct ctz_in copies; /* not yet handed out; in `raw` or `block` */
	struct ct_launch *launch;
	struct ctz_code_state code_state;
	struct ctz_decoder *decoder;
	struct ct_builder builder;
	int in_kernel, in_frame, partial, ended, indexed, skipped;
	uint64_t kernels, memcpys, ctas, warps, insts, kernel_ctas, kernel_warps;
	uint32_t looked_at; /* static instructions of the kernel, for its first bulk copy */
	int bulk;           /* there is one */
	/* A plain file, once the index was asked for: blocks are read where they lie (fd >= 0), and those that nobody
	 * wants are not read at all. */
	int looked, fd;
	struct ctz_index index;
	int dense;            /* the kernel's frames can be told apart by their thread blocks */
	size_t frames;        /* of the kernel that have been read or passed over */
	uint64_t frame_began; /* instructions decoded before the frame at hand */
};

static void close_reader(void *r)
{
	struct ct_ctz *c = r;
	if (!c)
		return;
	ct_buf_free(&c->block);
	free(c->raw);
	ZSTD_freeDCtx(c->zstd);
	ct_launch_unref(c->launch);
	ctz_code_reset(&c->code_state);
	ctz_decoder_free(c->decoder);
	ct_builder_free(&c->builder, c->env->store);
	ctz_index_free(&c->index);
	free(c);
}

/* Makes the reader of a packed trace. Nothing is read yet. */
static int open_reader(void **out, struct ct_source *s, struct ct_env *env, struct ct_error *e)
{
	struct ct_ctz *c = calloc(1, sizeof *c);
	*out = NULL;
	if (!c)
		return ct_fail_nomem(e);
	c->source = s;
	c->env = env;
	c->fd = -1;
	c->zstd = ZSTD_createDCtx();
	if (!c->zstd || ct_builder_init(&c->builder) != 0 || ctz_decoder_new(&c->decoder, e) < 0) {
		close_reader(c);
		return ct_fail_nomem(e);
	}
	*out = c;
	return CT_OK;
}

static uint64_t text_bytes(const void *r)
{
	return ((const struct ct_ctz *)r)->text_bytes;
}

/* ---- blocks ---- */

static int fail(const struct ct_ctz *c, struct ct_error *e, int status, const char *fmt, ...)
	CT_PRINTF(4, 5);
static int fail(const struct ct_ctz *c, struct ct_error *e, int status, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return ct_fail(e, status, "%s:byte %" PRIu64 ": %s", ct_source_name(c->source), c->at, text);
}

/* The same where the file is read at any place: the block is not longer than the file. */
static int read_in_place(struct ct_ctz *c, size_t n, struct ct_error *e)
{
	const uint64_t at = c->at + c->block.len;
	if (at > c->index.size || n > c->index.size - at)
		return fail(c, e, CT_ERR_INPUT, "the file ends without its end record: it is cut");
	for (size_t done = 0; done < n;) {
		char some[16 * 1024];
		size_t take = n - done < sizeof some ? n - done : sizeof some;
		if (ctz_read_at(c->fd, at + done, some, take) != 0)
			return fail(c, e, CT_ERR_IO, "cannot read it");
		ct_buf_add(&c->block, some, take);
		done += take;
	}
	return c->block.failed ? ct_fail_nomem(e) : CT_OK;
}

/* Appends n more bytes of the file to c->block. Memory grows with what is there, not
 * with what a length claims. */
static int read_more(struct ct_ctz *c, size_t n, struct ct_error *e)
{
	if (c->fd >= 0)
		return read_in_place(c, n, e);
	while (n > 0) {
		if (c->p == c->end) {
			struct ct_error bare;
			size_t got;
			int st = ct_source_read_bare(c->source, &c->p, &got, &bare);
			if (st <= 0)
				c->p = c->end = NULL;
			if (st < 0)
				return fail(c, e, st, "%s", bare.text);
			if (st == 0)
				return fail(c, e, CT_ERR_INPUT,
				            "the file ends without its end record: it is cut");
			c->end = c->p + got;
		}
		size_t take = (size_t)(c->end - c->p) < n ? (size_t)(c->end - c->p) : n;
		ct_buf_add(&c->block, c->p, take);
		if (c->block.failed)
			return ct_fail_nomem(e);
		c->p += take;
		n -= take;
	}
	return CT_OK;
}

static uint64_t get_le(const void *at, int bytes)
{
	const unsigned char *p = at;
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static int read_magic(struct ct_ctz *c, struct ct_error *e)
{
	int st = read_more(c, CTZ_MAGIC_BYTES, e);
	if (st < 0)
		return st;
	if (memcmp(c->block.data, CTZ_MAGIC, CTZ_MAGIC_BYTES) != 0)
		return fail(c, e, CT_ERR_INPUT, "not a packed trace");
	c->text_bytes = CTZ_MAGIC_BYTES;
	return CT_OK;
}

/* Bombs: some bytes can stand for 2^20 instructions, of which each counts as a byte. */
static int check_expansion(const struct ct_ctz *c, struct ct_error *e)
{
	struct ct_error bare;
	int st = ct_source_check_expansion(c->env->options.max_expand, c->at + c->block.len,
	                                   c->text_bytes + ctz_decoder_insts(c->decoder), &bare);
	return st < 0 ? fail(c, e, st, "%s", bare.text) : CT_OK;
}

/* Reads a block as it is stored and checks it. */
static int read_block(struct ct_ctz *c, struct ct_error *e)
{
	int st = c->text_bytes == 0 ? read_magic(c, e) : CT_OK;
	if (st < 0)
		return st;
	/* The sum goes over all that precedes a block: the end record holds that. */
	c->crc = ct_crc64(c->crc, c->block.data, c->block.len);
	c->at += c->block.len;
	ct_buf_reset(&c->block);
	if ((st = read_more(c, CTZ_HEAD, e)) < 0)
		return st;
	size_t stored = (size_t)get_le(c->block.data + 2, 4), raw = (size_t)get_le(c->block.data + 6, 4);
	int codec = (unsigned char)c->block.data[1];
	c->type = (unsigned char)c->block.data[0];
	if (stored > CTZ_BLOCK_MAX || raw > CTZ_BLOCK_MAX || codec > CTZ_ZSTD ||
	    (codec == CTZ_STORED && stored != raw))
		return fail(c, e, CT_ERR_INPUT, "damaged block");
	if ((st = read_more(c, stored + 4, e)) < 0)
		return st;
	if (ct_crc32(0, c->block.data, CTZ_HEAD + stored) !=
	    get_le(c->block.data + CTZ_HEAD + stored, 4))
		return fail(c, e, CT_ERR_INPUT, "the block's checksum is wrong: damaged");
	c->text_bytes += CTZ_HEAD + raw + 4;
	return check_expansion(c, e);
}

/* Makes the payload of the block readable. */
static int unpack_block(struct ct_ctz *c, struct ct_error *e)
{
	const unsigned char *p = (const unsigned char *)c->block.data;
	size_t stored = (size_t)get_le(p + 2, 4), raw = (size_t)get_le(p + 6, 4);
	if (p[1] == CTZ_STORED) {
		c->payload = (struct ctz_in){p + CTZ_HEAD, p + CTZ_HEAD + stored};
		return CT_OK;
	}
	if (!c->raw || raw > c->raw_cap) {
		free(c->raw);
		c->raw_cap = 0;
		if (!(c->raw = malloc(raw ? raw : 1))) /* a payload may be empty */
			return ct_fail_nomem(e);
		c->raw_cap = raw;
	}
	size_t n = ZSTD_decompressDCtx(c->zstd, c->raw, raw, p + CTZ_HEAD, stored);
	if (ZSTD_isError(n) || n != raw)
		return fail(c, e, CT_ERR_INPUT, "damaged compressed data: %s",
		            ZSTD_isError(n) ? ZSTD_getErrorName(n) : "not of the length it should have");
	c->payload = (struct ctz_in){c->raw, c->raw + raw};
	return CT_OK;
}

/* Puts place and name before a text that has neither. */
static int named_error(const struct ct_ctz *c, int st, const struct ct_error *bare, struct ct_error *e)
{
	if (st >= 0)
		return st;
	return st == CT_ERR_NOMEM ? ct_fail_nomem(e) : fail(c, e, st, "%s", bare->text);
}

/* ---- thread blocks ---- */

/* Adds a thread block to the counts of the kernel, of the file, and of the statistics. */
static void count_cta(struct ct_ctz *c, const struct ct_cta *cta)
{
	struct ct_trace_stats *s = c->env->stats;
	uint64_t insts = 0;
	for (uint32_t i = 0; i < cta->warps; i++)
		insts += cta->warp[i].insts;
	c->ctas++;
	c->kernel_ctas++;
	c->kernel_warps += cta->warps;
	c->warps += cta->warps;
	c->insts += insts;
	s->ctas++;
	s->warps += cta->warps;
	s->warp_insts += insts;
	s->spilled_bytes = ct_store_spilled(c->env->store);
}

/* What is not there of the grid. */
static void note_absent(struct ct_ctz *c, uint64_t unfinished)
{
	const struct ct_kernel *k = &c->launch->kernel;
	const uint64_t warps = c->kernel_ctas * ct_kernel_cta_warps(k);
	ct_env_note_absent(c->env, k, c->kernel_ctas,
	                   warps > c->kernel_warps ? warps - c->kernel_warps : 0,
	                   c->kernel_warps > unfinished ? c->kernel_warps - unfinished : 0);
}

/* Reads the block that ends a kernel: what the reader of the original text found odd in it. A thread
 * block that is still open is damage. */
static int end_kernel(struct ct_ctz *c, struct ct_error *e)
{
	struct ct_trace_stats *s = c->env->stats;
	uint64_t v[5];
	for (int i = 0; i < 5; i++)
		if (ctz_get(&c->payload, &v[i]) != 0)
			return fail(c, e, CT_ERR_INPUT, "damaged end of a kernel");
	if (c->partial || c->payload.p != c->payload.end)
		return fail(c, e, CT_ERR_INPUT, "damaged end of a kernel");
	s->width_disagreements += v[0];
	s->extra_tokens += v[1];
	s->insts_mismatches += v[2];
	s->warps_without_exit += v[3];
	s->null_global += v[4];
	note_absent(c, v[3]);
	c->in_kernel = 0;
	return 0;
}

/* Looks for a first bulk copy in code that has just come. */
static void note_bulk(struct ct_ctz *c)
{
	const uint32_t n = ct_code_count(&c->launch->code);
	for (; !c->bulk && c->looked_at < n; c->looked_at++)
		c->bulk = (ct_code_at(&c->launch->code, c->looked_at)->mods & CT_MOD_BULK) != 0;
	if (c->bulk && c->looked_at < UINT32_MAX)
		ct_env_note_bulk(c->env, &c->launch->kernel);
	if (c->bulk)
		c->looked_at = UINT32_MAX; /* once is enough */
}

/* The next block of the kernel: 1 a frame or code was taken in, 0 the kernel's end. */
static int kernel_block(struct ct_ctz *c, struct ct_error *e)
{
	struct ct_error bare;
	int st = read_block(c, e);
	if (st == CT_OK)
		st = unpack_block(c, e);
	if (st < 0)
		return st;
	switch (c->type) {
	case CTZ_CODE:
		st = ctz_code_get(&c->code_state, &c->payload, &c->launch->code, &bare);
		note_bulk(c);
		return st < 0 ? named_error(c, st, &bare, e) : 1;
	case CTZ_FRAME:
		c->frame_began = ctz_decoder_insts(c->decoder);
		st = ctz_decoder_frame(c->decoder, c->launch, c->payload.p,
		                       (size_t)(c->payload.end - c->payload.p), &bare);
		c->in_frame = st == CT_OK;
		c->frames++;
		return st < 0 ? named_error(c, st, &bare, e) : 1;
	case CTZ_KERNEL_END: return end_kernel(c, e);
	default:
		return fail(c, e, CT_ERR_INPUT, "a block that does not belong inside a kernel: damaged");
	}
}

/* Hands out the next thread block of the kernel: 1, or 0 at its end. A block may go on over several
 * frames. */
static int next_cta(void *r, struct ct_cta **cta, struct ct_error *e)
{
	struct ct_ctz *c = r;
	struct ct_error bare;
	*cta = NULL;
	while (c->in_kernel) {
		int st;
		if (!c->in_frame) {
			if ((st = kernel_block(c, e)) <= 0)
				return st;
			continue;
		}
		st = ctz_decoder_cta(c->decoder, &c->builder, c->env->store, c->env->options.keep_values,
		                     &bare);
		int left = st < 0 ? CT_OK : check_expansion(c, e);
		if (st < 0 || left < 0)
			return st < 0 ? named_error(c, st, &bare, e) : left;
		c->in_frame = st == 1;
		if (st != 0)
			c->partial = st == 2;
		if (st == 1) {
			st = ct_builder_finish(&c->builder, c->launch, c->env->store, cta, e);
			if (st < 0)
				return st;
			count_cta(c, *cta);
			return 1;
		}
	}
	return 0;
}

/* ---- what is left out ---- */

/* Reads the index of a plain file, once: from then on blocks are read where they lie. */
static void look_at_index(struct ct_ctz *c)
{
	uint64_t size = 0;
	if (c->looked)
		return;
	int fd = ct_source_plain_file(c->source, &size);
	c->looked = 1;
	if (fd < 0 || c->env->options.salvage || ctz_index_read(&c->index, fd, size) != 0)
		return;
	if (c->kernels > c->index.kernels) {
		ctz_index_free(&c->index);
		return;
	}
	c->fd = fd;
}

/* Whether frames of the kernel can be passed over by their numbers. */
static void find_frames(struct ct_ctz *c)
{
	const uint32_t *g = c->launch->kernel.grid;
	c->dense = c->fd >= 0 && c->kernels && c->kernels <= c->index.kernels &&
	           ctz_index_is_dense(&c->index, c->kernels - 1, (uint64_t)g[0] * g[1] * g[2]);
}

/* Steps over the block that comes next, if it is a frame: 1, or 0 when it is another. */
static int hop_frame(struct ct_ctz *c, struct ct_error *e)
{
	unsigned char head[CTZ_HEAD];
	const uint64_t at = c->at + c->block.len;
	if (at + CTZ_HEAD > c->index.size || ctz_read_at(c->fd, at, head, sizeof head) != 0)
		return fail(c, e, CT_ERR_IO, "cannot read it");
	if (head[0] != CTZ_FRAME)
		return 0;
	const uint64_t whole = CTZ_HEAD + get_le(head + 2, 4) + 4;
	c->text_bytes += CTZ_HEAD + get_le(head + 6, 4) + 4;
	c->at = at + whole;
	ct_buf_reset(&c->block);
	c->skipped = 1;
	c->frames++;
	return 1;
}

/* Of the frames of the kernel at hand, by their number. */
static const struct ctz_indexed_frame *frame_at(const struct ct_ctz *c, size_t i)
{
	return &c->index.frame[c->index.kernel[c->kernels - 1].frame + i];
}

/* The last thread block that begins in a frame. */
static uint64_t last_of(const struct ct_ctz *c, size_t i)
{
	return frame_at(c, i)->first + frame_at(c, i)->ctas - 1;
}

/* Counts thread blocks up to and with `last`, and instructions, that are passed over. */
static void count_skipped(struct ct_ctz *c, uint64_t last, uint64_t insts, struct ct_trace_skipped *s)
{
	const uint32_t *b = c->launch->kernel.block;
	const uint64_t ctas = last + 1 - c->kernel_ctas;
	const uint64_t warps = ctas * (((uint64_t)b[0] * b[1] * b[2] + 31) / 32);
	s->ctas += ctas;
	s->warps += warps;
	s->insts += insts;
	c->kernel_ctas += ctas;
	c->kernel_warps += warps;
	c->env->stats->ctas += ctas;
	c->env->stats->warps += warps;
	c->env->stats->warp_insts += insts;
}

/* Reads the frame that comes next, which begins with the rest of a thread block that has been passed over: so is the
 * rest. */
static int drop_rest(struct ct_ctz *c, struct ct_trace_skipped *s, struct ct_error *e)
{
	struct ct_error bare;
	struct ct_cta *cta;
	int st = 1;
	while (!c->in_frame && st > 0)
		st = kernel_block(c, e);
	if (st <= 0)
		return st < 0 ? st
		              : fail(c, e, CT_ERR_INPUT, "the index tells of another content: damaged");
	ctz_decoder_resume(c->decoder, c->kernel_ctas - 1);
	st = ctz_decoder_cta(c->decoder, &c->builder, c->env->store, c->env->options.keep_values, &bare);
	if (st < 0)
		return named_error(c, st, &bare, e);
	if (st != 1)
		return fail(c, e, CT_ERR_INPUT, "the index tells of another content: damaged");
	if ((st = ct_builder_finish(&c->builder, c->launch, c->env->store, &cta, e)) < 0)
		return st;
	for (uint32_t i = 0; i < cta->warps; i++) {
		s->insts += cta->warp[i].insts;
		c->env->stats->warp_insts += cta->warp[i].insts;
	}
	ct_cta_unref(cta);
	return CT_OK;
}

/* Passes over the rest of the frame at hand. */
static void leave_frame(struct ct_ctz *c, struct ct_trace_skipped *s)
{
	const uint64_t decoded = ctz_decoder_insts(c->decoder) - c->frame_began;
	const struct ctz_indexed_frame *f = frame_at(c, c->frames - 1);
	c->in_frame = 0;
	c->skipped = 1;
	count_skipped(c, last_of(c, c->frames - 1), f->insts > decoded ? f->insts - decoded : 0, s);
}

/* Passes over frames whose thread blocks all are among the next n, reading the code that stands between them. What remains
 * of the n is the caller's to read. */
static int skip_ctas(void *r, uint64_t n, struct ct_trace_skipped *s, struct ct_error *e)
{
	struct ct_ctz *c = r;
	int st = 1;
	if (!c->in_kernel)
		return CT_OK;
	look_at_index(c);
	if (!c->dense && !c->frames)
		find_frames(c);
	if (!c->dense)
		return CT_OK;
	const size_t frames = c->index.kernel[c->kernels - 1].frames, before = c->frames;
	const uint64_t to = n < UINT64_MAX - c->kernel_ctas ? c->kernel_ctas + n : UINT64_MAX;
	if (c->frames > frames || (c->in_frame && last_of(c, c->frames - 1) >= to))
		return CT_OK;
	const int left = c->in_frame;
	if (left)
		leave_frame(c, s);
	while (st >= 0 && c->frames < frames && last_of(c, c->frames) < to) {
		const size_t i = c->frames;
		if ((st = hop_frame(c, e)) == 1)
			count_skipped(c, last_of(c, i), frame_at(c, i)->insts, s);
		else if (st == 0)
			st = kernel_block(c, e); /* code */
	}
	if (st >= 0 && (left || c->frames > before) && c->frames > 0 && c->frames < frames &&
	    frame_at(c, c->frames)->first == last_of(c, c->frames - 1))
		st = drop_rest(c, s, e);
	return st < 0 ? st : CT_OK;
}

static uint64_t kernel_insts(void *r)
{
	struct ct_ctz *c = r;
	look_at_index(c);
	return c->fd >= 0 && c->in_kernel && c->kernels <= c->index.kernels
	               ? c->index.kernel[c->kernels - 1].insts
	               : 0;
}

static int totals(const void *r, uint64_t *bytes, uint64_t *crc)
{
	const struct ct_ctz *c = r;
	if (c->fd < 0)
		return 0;
	*bytes = c->index.size;
	*crc = c->index.crc;
	return 1;
}

/* Passes over the rest of a kernel without unpacking its frames. */
static int skip_kernel(void *r, struct ct_error *e)
{
	struct ct_ctz *c = r;
	c->skipped = 1;
	while (c->in_kernel) {
		int st = c->fd >= 0 ? hop_frame(c, e) : 0;
		if (st < 0)
			return st;
		if (st > 0)
			continue;
		st = read_block(c, e);
		if (st < 0)
			return st;
		if (c->type == CTZ_KERNEL_END)
			c->in_kernel = 0;
		else if (c->type != CTZ_CODE && c->type != CTZ_FRAME)
			return fail(c, e, CT_ERR_INPUT,
			            "a block that does not belong inside a kernel: damaged");
	}
	return CT_OK;
}

/* ---- kernels, copies, the end ---- */

/* Reads a kernel's header and makes it the launch at hand. Numbers of kernels have to rise, as the
 * writer wrote them. */
static int start_kernel(struct ct_ctz *c, struct ct_error *e)
{
	struct ct_error bare;
	uint32_t last = c->launch ? c->launch->kernel.id : 0;
	ct_launch_unref(c->launch);
	c->launch = ct_launch_new();
	if (!c->launch)
		return ct_fail_nomem(e);
	struct ct_kernel *k = &c->launch->kernel;
	const char *path = ct_source_name(c->source);
	if (!(k->path = ct_strndup(path, strlen(path))))
		return ct_fail_nomem(e);
	int st = ctz_kernel_get(&c->payload, k, &bare);
	if (st < 0)
		return named_error(c, st, &bare, e);
	if (k->id <= last)
		return fail(c, e, CT_ERR_INPUT, "kernel numbers do not rise: damaged");
	c->env->stats->partial_headers += k->partial_header;
	c->env->stats->misnamed_kernels += k->misnamed;
	c->env->stats->unordered_kernels += k->unordered;
	ctz_code_reset(&c->code_state);
	c->in_kernel = 1;
	c->in_frame = c->partial = c->bulk = c->dense = 0;
	c->looked_at = 0;
	c->frames = 0;
	c->kernel_ctas = c->kernel_warps = 0;
	c->kernels++;
	find_frames(c);
	return 1;
}

/* The end record against what was read; nothing may follow it. */
static int end_of_file(struct ct_ctz *c, struct ct_error *e)
{
	struct ct_trace_stats *s = c->env->stats;
	const unsigned char *p = c->payload.p;
	uint64_t v[CTZ_END_FIELDS];
	if (c->payload.end - p != 8 * CTZ_END_FIELDS || !c->indexed)
		return fail(c, e, CT_ERR_INPUT, "damaged end record");
	for (int i = 0; i < CTZ_END_FIELDS; i++)
		v[i] = get_le(p + 8 * i, 8);
	if ((c->fd < 0 && v[1] != c->crc) || v[2] != c->kernels || v[3] != c->memcpys ||
	    (!c->skipped && (v[4] != c->ctas || v[5] != c->warps || v[6] != c->insts)))
		return fail(c, e, CT_ERR_INPUT, "the end record tells of another content: damaged");
	s->missing_kernels += v[7];
	s->unknown_commands += v[8];
	if (v[7])
		ct_warn(&c->env->options.diag,
		        "%s: it lacks %" PRIu64 " kernel%s that had no file, or were lost to "
		        "damage, when it was packed",
		        ct_source_name(c->source), v[7], v[7] == 1 ? "" : "s");
	const char *rest;
	size_t n = 0;
	struct ct_error bare;
	int st = c->fd >= 0       ? c->at + c->block.len < c->index.size
	         : c->p == c->end ? ct_source_read_bare(c->source, &rest, &n, &bare)
	                          : 1;
	if (st < 0)
		return fail(c, e, st, "%s", bare.text);
	if (st > 0)
		return fail(c, e, CT_ERR_INPUT,
		            "bytes follow the end record: damaged (tracecat "
		            "concatenates packed traces)");
	return 0;
}

static int finish_kernel(struct ct_ctz *c, struct ct_error *e)
{
	int st = 1;
	while (c->in_kernel && st > 0) {
		struct ct_cta *cta;
		st = next_cta(c, &cta, e);
		ct_cta_unref(cta);
	}
	return st < 0 ? st : CT_OK;
}

/* Allocations, for ct_trace_arrays(). */
static int take_arrays(struct ct_ctz *c, struct ct_error *e)
{
	struct ctz_in *in = &c->payload;
	char name[CT_ARRAY_NAME_MAX + 1];
	uint64_t first, bytes, n, launch = c->launch ? c->launch->kernel.id + UINT64_C(1) : 1;
	while (in->p != in->end) {
		struct ct_error bare;
		if (ctz_get(in, &first) != 0 || ctz_get(in, &bytes) != 0 || ctz_get(in, &n) != 0 ||
		    n > CT_ARRAY_NAME_MAX || n > (size_t)(in->end - in->p))
			return fail(c, e, CT_ERR_INPUT, "damaged arrays");
		memcpy(name, in->p, n);
		name[n] = '\0';
		in->p += n;
		for (size_t i = 0; i < n; i++)
			if (ctz_is_control(name[i]))
				return fail(c, e, CT_ERR_INPUT, "damaged name of an array");
		int st = ct_arrays_add(c->env->arrays, first, bytes, name, launch, &bare);
		if (st < 0)
			return named_error(c, st, &bare, e);
	}
	return 3;
}

/* With which status the program ended. Only the index and the end follow. */
static int take_status(struct ct_ctz *c, struct ct_error *e)
{
	uint64_t status;
	if (ctz_get(&c->payload, &status) != 0 || c->payload.p != c->payload.end || status == 0 ||
	    status > CT_STATUS_MAX)
		return fail(c, e, CT_ERR_INPUT, "damaged status of the program");
	c->ended = 1;
	ct_env_note_status(c->env, ct_source_name(c->source), (unsigned)status);
	return 3;
}

/* One block between kernels: 1 kernel, 0 the end, 3 copies, arrays, status or the index. */
static int outer_block(struct ct_ctz *c, struct ct_error *e)
{
	int st = read_block(c, e);
	if (st == CT_OK)
		st = unpack_block(c, e);
	if (st < 0)
		return st;
	if (c->type == CTZ_END)
		return end_of_file(c, e);
	if (c->indexed)
		return fail(c, e, CT_ERR_INPUT, "a block behind the index: damaged");
	if (c->ended && c->type != CTZ_INDEX)
		return fail(c, e, CT_ERR_INPUT, "a block behind the program's status: damaged");
	switch (c->type) {
	case CTZ_KERNEL: return start_kernel(c, e);
	case CTZ_MEMCPY: c->copies = c->payload; return 3;
	case CTZ_ARRAY: return take_arrays(c, e);
	case CTZ_STATUS: return take_status(c, e);
	case CTZ_INDEX: /* for who seeks; its checksum was right */ c->indexed = 1; return 3;
	default:
		return fail(c, e, CT_ERR_INPUT,
		            "a block that does not belong outside a kernel: damaged");
	}
}

/* Hands out what comes next outside of kernels: a kernel (1), a copy (2), or the end (0). What is left
 * of the kernel before is passed over. */
static int next_event(void *r, struct ct_launch **l, struct ct_event *ev, struct ct_error *e)
{
	struct ct_ctz *c = r;
	int st = finish_kernel(c, e);
	while (st >= 0) {
		if (c->copies.p != c->copies.end) {
			*ev = (struct ct_event){.kind = CT_EVENT_MEMCPY};
			if (ctz_get(&c->copies, &ev->address) != 0 ||
			    ctz_get(&c->copies, &ev->bytes) != 0)
				return fail(c, e, CT_ERR_INPUT, "damaged copies");
			c->memcpys++;
			return 2;
		}
		st = outer_block(c, e);
		if (st == 1)
			*l = c->launch;
		if (st <= 1)
			return st;
	}
	return st;
}

const struct ct_reader_ops ct_ctz_ops = {
	.open = open_reader,
	.next_event = next_event,
	.next_cta = next_cta,
	.skip = skip_kernel,
	.skip_ctas = skip_ctas,
	.kernel_insts = kernel_insts,
	.totals = totals,
	.text_bytes = text_bytes,
	.close = close_reader,
};
