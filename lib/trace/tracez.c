/* tracez.c - unpacks .tracez: what its index and its regions hold becomes the text that they were made of, which the
 * reader of Accel-Sim text (accelsim.c) then takes. So both forms have one grammar and one set of checks. */
#include "trace/private/tracez.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "trace/private/store.h"

enum {
	HEADER_MAX = 1 << 20,     /* kernel names of templates reach some kilobytes */
	DICTIONARY_MAX = 1 << 20, /* the tracer's program makes 64 KiB at most */
	PIECE_MAX = 64 << 20,     /* text of a piece: 2048 lines take some 400 KiB */
	WARPS_MAX = 2048,         /* of a thread block */
	WINDOW = 1 << 16,
	RESIDENT = 64 << 20 /* a stream beyond it goes to a file without a name */
};

/* The whole file, which is read at three places. */
struct file {
	int fd;       /* -1: in memory */
	int borrowed; /* the source's own */
	unsigned char *memory;
	size_t cap;
	uint64_t size;
};

/* A place in it that moves on. */
struct place {
	uint64_t at, end;
	unsigned char *window; /* of the file from `from` on */
	uint64_t from;
	size_t have;
};

enum stage { AT_HEADER, AT_BLOCK, AT_WARP, AT_PIECE, AT_END };

struct ct_tracez_text {
	struct file file;
	struct place index, regions;
	uint64_t header; /* bytes of its text */
	uint64_t index_at;
	uint64_t max_expand, expanded;
	ZSTD_DCtx *zstd;
	ZSTD_DDict *dictionary; /* NULL: none */
	enum stage stage;
	uint32_t blocks_left, warps_left, warp, pieces_left, insts_left;
	struct ct_buf text; /* made and not handed out, from `taken` on */
	size_t taken;
	unsigned char *piece;
	size_t piece_cap;
};

static uint32_t u32_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const unsigned char *p)
{
	return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

/* ---- the file ---- */

/* Reads n bytes at a place of the file, from memory or from disk. A file that ends before is damaged. */
static int read_file(const struct file *f, uint64_t at, void *p, size_t n, struct ct_error *e)
{
	size_t done = 0;
	if (at > f->size || n > f->size - at)
		return ct_fail(e, CT_ERR_INPUT, "the file ends before byte %" PRIu64 ": cut or damaged",
		               at + n);
	if (f->fd < 0) {
		memcpy(p, f->memory + at, n);
		return CT_OK;
	}
	while (done < n) {
		ssize_t got = pread(f->fd, (char *)p + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "cannot read at byte %" PRIu64,
			                     at + done);
		if (got == 0)
			return ct_fail(e, CT_ERR_INPUT, "the file became shorter while it was read");
		done += (size_t)got;
	}
	return CT_OK;
}

static int write_file(struct file *f, const char *p, size_t n, struct ct_error *e)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(f->fd, p + done, n - done, (off_t)(f->size + done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return ct_fail_errno(e, CT_ERR_IO, errno,
			                     "cannot write a temporary file (set TMPDIR)");
		done += (size_t)put;
	}
	return CT_OK;
}

/* Keeps bytes of a pipe, in memory up to RESIDENT and from there on in a temporary file: the index
 * stands at the end. */
static int add_bytes(struct file *f, const char *p, size_t n, struct ct_error *e)
{
	int st = CT_OK;
	if (f->fd < 0 && f->size + n > RESIDENT) {
		uint64_t size = f->size;
		f->fd = ct_store_nameless();
		if (f->fd < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno,
			                     "cannot make a temporary file (set TMPDIR)");
		f->size = 0;
		st = write_file(f, (const char *)f->memory, (size_t)size, e);
		f->size = size;
	}
	if (st == CT_OK && f->fd >= 0) {
		st = write_file(f, p, n, e);
	} else if (st == CT_OK) {
		if (ct_grow((void **)&f->memory, &f->cap, (size_t)f->size + n, 1) != 0)
			return ct_fail_nomem(e);
		memcpy(f->memory + f->size, p, n);
	}
	f->size += n;
	return st;
}

/* Its index stands at its end: what cannot be read at any place is read whole first. */
static int open_file(struct file *f, struct ct_source *raw, struct ct_error *e)
{
	const char *p;
	size_t n;
	int st;
	f->fd = ct_source_plain_file(raw, &f->size);
	f->borrowed = f->fd >= 0;
	if (f->borrowed)
		return CT_OK;
	while ((st = ct_source_read(raw, &p, &n, e)) > 0)
		if ((st = add_bytes(f, p, n, e)) < 0)
			return st;
	return st;
}

/* Reads n <= WINDOW bytes and moves on. */
static int take_bytes(struct ct_tracez_text *t, struct place *at, unsigned char *p, size_t n,
                      struct ct_error *e)
{
	if (n > at->end - at->at)
		return ct_fail(e, CT_ERR_INPUT, "%s ends inside a record at byte %" PRIu64 ": damaged",
		               at == &t->index ? "the index" : "the warps' part", at->at);
	if (at->at < at->from || at->at + n > at->from + at->have) {
		uint64_t left = at->end - at->at;
		at->from = at->at;
		at->have = left < WINDOW ? (size_t)left : WINDOW;
		int st = read_file(&t->file, at->from, at->window, at->have, e);
		if (st < 0) {
			at->have = 0;
			return st;
		}
	}
	memcpy(p, at->window + (at->at - at->from), n);
	at->at += n;
	return CT_OK;
}

/* ---- opening ---- */

/* The length of the header's text: a NUL ends it. */
static int find_header(struct ct_tracez_text *t, struct ct_error *e)
{
	uint64_t max = t->file.size < HEADER_MAX ? t->file.size : HEADER_MAX;
	for (uint64_t at = 0; at < max;) {
		unsigned char *p = t->index.window, *nul;
		size_t n = max - at < WINDOW ? (size_t)(max - at) : WINDOW;
		int st = read_file(&t->file, at, p, n, e);
		if (st < 0)
			return st;
		if ((nul = memchr(p, '\0', n))) {
			t->header = at + (uint64_t)(nul - p);
			return CT_OK;
		}
		at += n;
	}
	return ct_fail(e, CT_ERR_INPUT, "no NUL ends the kernel's header within %d bytes: damaged",
	               HEADER_MAX);
}

static int load_dictionary(struct ct_tracez_text *t, uint32_t size, struct ct_error *e)
{
	if (size == 0)
		return CT_OK;
	unsigned char *p = malloc(size);
	int st = p ? read_file(&t->file, t->header + CT_TRACEZ_HEAD, p, size, e) : ct_fail_nomem(e);
	if (st == CT_OK && !(t->dictionary = ZSTD_createDDict(p, size)))
		st = ct_fail(e, CT_ERR_INPUT, "its zstd dictionary cannot be loaded: damaged");
	free(p);
	return st;
}

/* Finds where the parts of the file lie, from its head and its end. */
static int read_layout(struct ct_tracez_text *t, struct ct_error *e)
{
	unsigned char fixed[CT_TRACEZ_HEAD], end[8], blocks[4] = {0};
	int st = find_header(t, e);
	if (st < 0)
		return st;
	if (t->file.size < t->header + CT_TRACEZ_HEAD + 4 + 8)
		return ct_fail(e, CT_ERR_INPUT, "the file ends behind the kernel's header: it is cut");
	st = read_file(&t->file, t->header, fixed, sizeof fixed, e);
	if (st == CT_OK)
		st = read_file(&t->file, t->file.size - 8, end, sizeof end, e);
	if (st < 0)
		return st;
	const uint32_t dictionary = u32_at(fixed + 1);
	const uint64_t first = t->header + CT_TRACEZ_HEAD + dictionary;
	t->index_at = u64_at(end);
	if (dictionary > DICTIONARY_MAX || first > t->file.size - 12)
		return ct_fail(e, CT_ERR_INPUT, "a dictionary of %" PRIu32 " bytes: damaged",
		               dictionary);
	if (t->index_at < first || t->index_at > t->file.size - 12)
		return ct_fail(
			e, CT_ERR_INPUT,
			"its last eight bytes do not name the place of its index: it is cut, or its writer "
			"did not end");
	t->regions.at = first;
	t->regions.end = t->index_at;
	t->index.at = t->index_at;
	t->index.end = t->file.size - 8;
	st = take_bytes(t, &t->index, blocks, sizeof blocks, e);
	if (st < 0)
		return st;
	t->blocks_left = u32_at(blocks);
	if (t->blocks_left > (t->index.end - t->index.at) / CT_TRACEZ_BLOCK)
		return ct_fail(e, CT_ERR_INPUT,
		               "an index of %" PRIu32 " thread blocks in %" PRIu64 " bytes: damaged",
		               t->blocks_left, t->index.end - t->index.at);
	return load_dictionary(t, dictionary, e);
}

/* ---- making text ---- */

static int add_header(struct ct_tracez_text *t, struct ct_error *e)
{
	for (uint64_t at = 0; at < t->header;) {
		size_t n = t->header - at < WINDOW ? (size_t)(t->header - at) : WINDOW;
		int st = read_file(&t->file, at, t->regions.window, n, e);
		if (st < 0)
			return st;
		ct_buf_add(&t->text, t->regions.window, n);
		at += n;
	}
	t->regions.have = 0;
	ct_buf_putc(&t->text, '\n');
	t->stage = AT_BLOCK;
	return CT_OK;
}

/* Writes the head of the next thread block as text. Behind the last one, checks that index and regions
 * are used up. */
static int next_block(struct ct_tracez_text *t, struct ct_error *e)
{
	unsigned char r[CT_TRACEZ_BLOCK];
	uint32_t v[CT_TRACEZ_BLOCK / 4], clusters = 0;
	if (t->blocks_left == 0) {
		t->stage = AT_END;
		if (t->index.at != t->index.end)
			return ct_fail(e, CT_ERR_INPUT, "%" PRIu64 " bytes behind the index: damaged",
			               t->index.end - t->index.at);
		if (t->regions.at != t->regions.end)
			return ct_fail(e, CT_ERR_INPUT,
			               "%" PRIu64
			               " bytes in front of the index belong to no warp: damaged",
			               t->regions.end - t->regions.at);
		return CT_OK;
	}
	int st = take_bytes(t, &t->index, r, sizeof r, e);
	if (st < 0)
		return st;
	for (size_t i = 0; i < CT_TRACEZ_BLOCK / 4; i++)
		v[i] = u32_at(r + 4 * i);
	t->blocks_left--;
	t->warps_left = v[10];
	t->warp = 0;
	if (v[10] > WARPS_MAX)
		return ct_fail(e, CT_ERR_INPUT, "a thread block of %" PRIu32 " warps: damaged", v[10]);
	ct_buf_printf(&t->text, "\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n",
	              v[0], v[1], v[2]);
	for (int i = 3; i < 10; i++)
		clusters |= v[i];
	if (clusters)
		ct_buf_printf(&t->text,
		              "cluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster cta = %" PRIu32
		              ",%" PRIu32 ",%" PRIu32 "\ncluster rank = %" PRIu32 "\n",
		              v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
	t->stage = AT_WARP;
	return CT_OK;
}

/* Writes the head of the next warp as text, after checking that its region lies where the index says. */
static int next_warp(struct ct_tracez_text *t, struct ct_error *e)
{
	unsigned char r[CT_TRACEZ_WARP], head[CT_TRACEZ_REGION];
	if (t->warps_left == 0) {
		ct_buf_puts(&t->text, "\n#END_TB\n");
		t->stage = AT_BLOCK;
		return CT_OK;
	}
	int st = take_bytes(t, &t->index, r, sizeof r, e);
	if (st < 0)
		return st;
	const uint64_t at = u64_at(r + 8);
	t->warps_left--;
	t->insts_left = u32_at(r);
	t->pieces_left = u32_at(r + 4);
	if (at != t->regions.at)
		return ct_fail(e, CT_ERR_INPUT,
		               "a warp's region is said to lie at byte %" PRIu64
		               ", and the one before it ends at %" PRIu64 ": damaged",
		               at, t->regions.at);
	st = take_bytes(t, &t->regions, head, sizeof head, e);
	if (st == CT_OK && memcmp(head, r, sizeof head) != 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "the warp's region at byte %" PRIu64 " is not as the index says: damaged",
		               at);
	ct_buf_printf(&t->text, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", t->warp++, t->insts_left);
	t->stage = AT_PIECE;
	return st;
}

/* Unpacks a frame of n bytes, which lies in t->piece, into the text. */
static int unpack_piece(struct ct_tracez_text *t, size_t n, uint32_t lines, struct ct_error *e)
{
	const unsigned long long size = ZSTD_getFrameContentSize(t->piece, n);
	const uint64_t at = t->regions.at - n;
	uint32_t found = 1;
	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > PIECE_MAX ||
	    ZSTD_findFrameCompressedSize(t->piece, n) != n)
		return ct_fail(e, CT_ERR_INPUT,
		               "no zstd frame that tells its size at byte %" PRIu64 ": damaged", at);
	t->expanded += size;
	int st = ct_source_check_expansion(t->max_expand, t->file.size, t->expanded, e);
	if (st < 0)
		return st;
	if (ct_grow((void **)&t->text.data, &t->text.cap, t->text.len + (size_t)size + 2, 1) != 0)
		return ct_fail_nomem(e);
	char *to = t->text.data + t->text.len;
	size_t got = t->dictionary ? ZSTD_decompress_usingDDict(
					     t->zstd, to, (size_t)size, t->piece, n, t->dictionary)
	                           : ZSTD_decompressDCtx(t->zstd, to, (size_t)size, t->piece, n);
	if (ZSTD_isError(got) || got != size)
		return ct_fail(e, CT_ERR_INPUT, "the zstd frame at byte %" PRIu64 " is damaged", at);
	if (memchr(to, '\0', got))
		return ct_fail(e, CT_ERR_INPUT,
		               "a NUL in the text of the frame at byte %" PRIu64 ": damaged", at);
	for (const char *p = to; (p = memchr(p, '\n', (size_t)(to + got - p))); p++)
		found++;
	if (found != lines || got == 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "%" PRIu32 " lines in the frame at byte %" PRIu64
		               ", and the index says %" PRIu32 ": damaged",
		               found, at, lines);
	t->text.len += got;
	ct_buf_putc(&t->text, '\n');
	return CT_OK;
}

/* Unpacks the next piece of a warp's lines, after checking its sizes against the index. */
static int next_piece(struct ct_tracez_text *t, struct ct_error *e)
{
	unsigned char lines[4], bytes[4];
	if (t->pieces_left == 0) {
		t->stage = AT_WARP;
		return t->insts_left == 0
		               ? CT_OK
		               : ct_fail(e, CT_ERR_INPUT,
		                         "the pieces of a warp lack %" PRIu32
		                         " of its instructions: damaged",
		                         t->insts_left);
	}
	int st = take_bytes(t, &t->index, lines, sizeof lines, e);
	if (st == CT_OK)
		st = take_bytes(t, &t->regions, bytes, sizeof bytes, e);
	if (st < 0)
		return st;
	const uint32_t n = u32_at(bytes), want = u32_at(lines);
	if (want == 0 || want > t->insts_left)
		return ct_fail(e, CT_ERR_INPUT,
		               "a piece of %" PRIu32 " lines of a warp with %" PRIu32 " left: damaged",
		               want, t->insts_left);
	if (n > t->regions.end - t->regions.at)
		return ct_fail(e, CT_ERR_INPUT,
		               "a frame of %" PRIu32 " bytes at byte %" PRIu64
		               " passes the index: damaged",
		               n, t->regions.at);
	if (ct_grow((void **)&t->piece, &t->piece_cap, n ? n : 1, 1) != 0)
		return ct_fail_nomem(e);
	st = read_file(&t->file, t->regions.at, t->piece, n, e);
	t->regions.at += n;
	t->pieces_left--;
	t->insts_left -= want;
	return st == CT_OK ? unpack_piece(t, n, want, e) : st;
}

static int make_text(struct ct_tracez_text *t, struct ct_error *e)
{
	switch (t->stage) {
	case AT_HEADER: return add_header(t, e);
	case AT_BLOCK: return next_block(t, e);
	case AT_WARP: return next_warp(t, e);
	case AT_PIECE: return next_piece(t, e);
	default: return CT_OK;
	}
}

/* What a source takes its bytes from. What precedes damage has been handed out before it is told. */
static int pull_text(void *ctx, unsigned char *out, size_t cap, size_t *n, struct ct_error *e)
{
	struct ct_tracez_text *t = ctx;
	int st = CT_OK;
	*n = 0;
	while (t->taken == t->text.len) {
		ct_buf_reset(&t->text);
		t->taken = 0;
		if (t->stage == AT_END)
			return 0;
		st = make_text(t, e);
		if (st == CT_OK)
			st = ct_buf_check(&t->text, e);
		if (st < 0)
			return st;
	}
	size_t left = t->text.len - t->taken;
	*n = left < cap ? left : cap;
	memcpy(out, t->text.data + t->taken, *n);
	t->taken += *n;
	return 1;
}

int ct_tracez_open_text(struct ct_tracez_text **out, struct ct_source **s, struct ct_source *raw,
                        uint64_t max_expand, int no_thread, struct ct_error *e)
{
	struct ct_tracez_text *t = ct_calloc(1, sizeof *t);
	struct ct_error bare;
	const char *name = ct_source_name(raw);
	*out = t;
	*s = NULL;
	if (!t)
		return ct_fail_nomem(e);
	t->file.fd = -1;
	t->max_expand = max_expand;
	t->zstd = ZSTD_createDCtx();
	t->index.window = malloc(WINDOW);
	t->regions.window = malloc(WINDOW);
	if (!t->zstd || !t->index.window || !t->regions.window)
		return ct_fail_nomem(e);
	int st = open_file(&t->file, raw, e);
	if (st < 0)
		return st;
	st = read_layout(t, &bare);
	if (st < 0)
		return ct_fail(e, st, "%s: %s", name, bare.text);
	return ct_source_open_pull(s, name, pull_text, t, no_thread, e);
}

void ct_tracez_close_text(struct ct_tracez_text *t)
{
	if (!t)
		return;
	if (t->file.fd >= 0 && !t->file.borrowed)
		close(t->file.fd);
	free(t->file.memory);
	free(t->index.window);
	free(t->regions.window);
	free(t->piece);
	ct_buf_free(&t->text);
	ZSTD_freeDCtx(t->zstd);
	ZSTD_freeDDict(t->dictionary);
	free(t);
}
