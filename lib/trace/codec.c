#include "trace/private/codec.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Decoders allocate the dictionary (up to 1.5 GiB) or window (up to 2 GiB) that a header of a few
 * bytes names. xz -9 needs 65 MiB and zstd --ultra -22 128 MiB: half a GiB is far above what any
 * tracer writes, and a hostile header costs no more. */
#define XZ_MEMORY_LIMIT (UINT64_C(1) << 29)
enum { ZSTD_WINDOW_LOG_MAX = 29 };

struct ct_codec {
	lzma_stream lzma;
	z_stream zlib;
	ZSTD_DCtx *zstd;
	int in_frame; /* between the start of a stream or frame and its end */
	int ended;    /* xz: the last stream has ended */
	int failed;   /* status of `error`, delivered after the bytes before it */
	struct ct_error error;
};

static struct ct_codec *codec_new(struct ct_error *e)
{
	struct ct_codec *c = calloc(1, sizeof *c);
	if (!c)
		ct_fail_nomem(e);
	return c;
}

/* Notes a failure; it is returned at once when nothing was decoded before it. */
static int fail_after(struct ct_codec *c, size_t decoded, struct ct_error *e)
{
	c->failed = c->error.status;
	if (decoded)
		return 1;
	if (e)
		*e = c->error;
	return c->failed;
}

static int fail_cut(struct ct_codec *c, const char *name, const struct ct_raw *r)
{
	return ct_fail(&c->error, CT_ERR_INPUT,
	               "%s data is cut at byte %" PRIu64
	               ": the file is incomplete, copy or make it again",
	               name, r->offset);
}

static int fail_damaged(struct ct_codec *c, const char *name, const struct ct_raw *r, const char *why)
{
	return ct_fail(&c->error, CT_ERR_INPUT,
	               "%s data is damaged near byte %" PRIu64 " (%s): copy or make the file again",
	               name, r->offset, why);
}

static void consume_bytes(struct ct_raw *r, size_t n)
{
	r->next += n;
	r->avail -= n;
	r->offset += n;
}

/* ---- plain ---- */

/* Bytes that are not compressed are handed on as they are. Each of the readers below returns 1 with *n
 * bytes, 0 at the end, or an error. */
static int plain_read(struct ct_codec *c, struct ct_raw *r, unsigned char *out, size_t cap, size_t *n,
                      struct ct_error *e)
{
	(void)c;
	*n = 0;
	if (r->avail == 0) {
		int st = r->refill(r, e);
		if (st <= 0)
			return st;
	}
	size_t take = r->avail < cap ? r->avail : cap;
	memcpy(out, r->next, take);
	consume_bytes(r, take);
	*n = take;
	return 1;
}

static void plain_close(struct ct_codec *c)
{
	free(c);
}

/* ---- xz ---- */

static struct ct_codec *xz_open(struct ct_error *e)
{
	struct ct_codec *c = codec_new(e);
	if (!c)
		return NULL;
	c->lzma = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&c->lzma, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) != LZMA_OK) {
		free(c);
		ct_fail_nomem(e);
		return NULL;
	}
	return c;
}

static void xz_fail(struct ct_codec *c, const struct ct_raw *r, lzma_ret ret, int at_end)
{
	if (ret == LZMA_MEM_ERROR)
		ct_fail_nomem(&c->error);
	else if (ret == LZMA_MEMLIMIT_ERROR)
		ct_fail(&c->error, CT_ERR_LIMIT,
		        "xz data needs a dictionary of more than 512 MiB: "
		        "compress it again with xz -9 or less");
	else if (ret == LZMA_BUF_ERROR || (ret == LZMA_OK && at_end))
		fail_cut(c, "xz", r);
	else if (ret == LZMA_FORMAT_ERROR && r->offset > 6)
		fail_damaged(c, "xz", r, "something else follows the stream");
	else
		fail_damaged(c, "xz", r, ret == LZMA_OPTIONS_ERROR ? "unknown options" : "check failed");
}

/* Unpacks xz until something comes out. An error is kept until the bytes that precede it were handed
 * out, so that --salvage can use them. */
static int xz_read(struct ct_codec *c, struct ct_raw *r, unsigned char *out, size_t cap, size_t *n,
                   struct ct_error *e)
{
	*n = 0;
	if (c->failed)
		return fail_after(c, 0, e);
	c->lzma.next_out = out;
	c->lzma.avail_out = cap;
	while (!c->ended && c->lzma.avail_out == cap) {
		int at_end = 0;
		if (r->avail == 0) {
			int st = r->refill(r, e);
			if (st < 0)
				return st;
			at_end = st == 0;
		}
		size_t before = r->avail;
		c->lzma.next_in = r->next;
		c->lzma.avail_in = before;
		lzma_ret ret = lzma_code(&c->lzma, at_end ? LZMA_FINISH : LZMA_RUN);
		consume_bytes(r, before - c->lzma.avail_in);
		if (ret == LZMA_STREAM_END) {
			c->ended = 1;
		} else if (ret != LZMA_OK || (at_end && c->lzma.avail_out == cap)) {
			xz_fail(c, r, ret, at_end);
			*n = cap - c->lzma.avail_out;
			return fail_after(c, *n, e);
		}
	}
	*n = cap - c->lzma.avail_out;
	return *n > 0;
}

static void xz_close(struct ct_codec *c)
{
	lzma_end(&c->lzma);
	free(c);
}

/* ---- gz ---- */

static struct ct_codec *gz_open(struct ct_error *e)
{
	struct ct_codec *c = codec_new(e);
	if (!c)
		return NULL;
	if (inflateInit2(&c->zlib, 15 + 16) != Z_OK) { /* 32 KiB window, gzip wrapper */
		free(c);
		ct_fail_nomem(e);
		return NULL;
	}
	c->in_frame = 1;
	return c;
}

/* Looks behind a member: 1 when another follows, 0 at the end of the file, < 0 on an error. */
static int gz_next_member(struct ct_codec *c, struct ct_raw *r, struct ct_error *e)
{
	if (r->avail == 0) {
		int st = r->refill(r, e);
		if (st <= 0)
			return st;
	}
	if (r->next[0] != 0x1f)
		return fail_damaged(c, "gz", r, "something else follows the stream");
	if (inflateReset(&c->zlib) != Z_OK)
		return fail_damaged(c, "gz", r, "decoder state");
	c->in_frame = 1;
	return 1;
}

/* Unpacks gzip, whose files may consist of several members. An error is kept until the bytes before it
 * were handed out. */
static int gz_read(struct ct_codec *c, struct ct_raw *r, unsigned char *out, size_t cap, size_t *n,
                   struct ct_error *e)
{
	*n = 0;
	if (c->failed)
		return fail_after(c, 0, e);
	c->zlib.next_out = out;
	c->zlib.avail_out = (uInt)cap;
	while (c->zlib.avail_out == cap) {
		if (!c->in_frame) {
			int st = gz_next_member(c, r, &c->error);
			if (st == 0)
				return 0;
			if (st < 0)
				return fail_after(c, 0, e);
		}
		if (r->avail == 0) {
			int st = r->refill(r, e);
			if (st < 0)
				return st;
			if (st == 0) {
				fail_cut(c, "gz", r);
				return fail_after(c, 0, e);
			}
		}
		size_t before = r->avail;
		c->zlib.next_in = (Bytef *)(uintptr_t)r->next; /* zlib's field is not const */
		c->zlib.avail_in = (uInt)before;
		int ret = inflate(&c->zlib, Z_NO_FLUSH);
		consume_bytes(r, before - c->zlib.avail_in);
		if (ret == Z_STREAM_END) {
			c->in_frame = 0;
		} else if (ret != Z_OK && ret != Z_BUF_ERROR) {
			if (ret == Z_MEM_ERROR)
				ct_fail_nomem(&c->error);
			else
				fail_damaged(c, "gz", r, c->zlib.msg ? c->zlib.msg : "check failed");
			*n = cap - c->zlib.avail_out;
			return fail_after(c, *n, e);
		}
	}
	*n = cap - c->zlib.avail_out;
	return 1;
}

static void gz_close(struct ct_codec *c)
{
	inflateEnd(&c->zlib);
	free(c);
}

/* ---- zst ---- */

static struct ct_codec *zst_open(struct ct_error *e)
{
	struct ct_codec *c = codec_new(e);
	if (!c)
		return NULL;
	c->zstd = ZSTD_createDCtx();
	if (!c->zstd ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(c->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX))) {
		ZSTD_freeDCtx(c->zstd);
		free(c);
		ct_fail_nomem(e);
		return NULL;
	}
	return c;
}

/* Unpacks zstd frames until something comes out. An error is kept until the bytes before it were handed
 * out. */
static int zst_read(struct ct_codec *c, struct ct_raw *r, unsigned char *out, size_t cap, size_t *n,
                    struct ct_error *e)
{
	ZSTD_outBuffer o = {out, cap, 0};
	*n = 0;
	if (c->failed)
		return fail_after(c, 0, e);
	while (o.pos == 0) {
		if (r->avail == 0) {
			int st = r->refill(r, e);
			if (st < 0)
				return st;
			/* Input may be used up while output is still held back. */
			if (st == 0 && !c->in_frame)
				return 0;
		}
		int at_end = r->avail == 0;
		ZSTD_inBuffer i = {r->next, r->avail, 0};
		size_t ret = ZSTD_decompressStream(c->zstd, &o, &i);
		consume_bytes(r, i.pos);
		if (ZSTD_isError(ret)) {
			if (ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation)
				ct_fail_nomem(&c->error);
			else if (ZSTD_getErrorCode(ret) == ZSTD_error_frameParameter_windowTooLarge)
				ct_fail(&c->error, CT_ERR_LIMIT,
				        "zst data needs a window of more than 512 MiB: compress it "
				        "again with --long=29 or less");
			else
				fail_damaged(c, "zst", r, ZSTD_getErrorName(ret));
			*n = o.pos;
			return fail_after(c, *n, e);
		}
		c->in_frame = ret != 0;
		if (at_end && o.pos == 0 && c->in_frame) {
			fail_cut(c, "zst", r);
			return fail_after(c, 0, e);
		}
	}
	*n = o.pos;
	return 1;
}

static void zst_close(struct ct_codec *c)
{
	ZSTD_freeDCtx(c->zstd);
	free(c);
}

static const struct ct_codec_ops plain = {"plain", codec_new, plain_read, plain_close};
static const struct ct_codec_ops xz = {"xz", xz_open, xz_read, xz_close};
static const struct ct_codec_ops gz = {"gz", gz_open, gz_read, gz_close};
static const struct ct_codec_ops zst = {"zst", zst_open, zst_read, zst_close};

const struct ct_codec_ops *ct_codec_sniff(const unsigned char *p, size_t n)
{
	if (n >= 6 && memcmp(p,
	                     "\xfd"
	                     "7zXZ\0",
	                     6) == 0)
		return &xz;
	if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
		return &gz;
	if (n >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0)
		return &zst;
	/* A skippable frame may come first (pzstd writes one). */
	if (n >= 4 && (p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0)
		return &zst;
	return &plain;
}
