#include "tests/support/ctz_mutate.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/private/ctz.h"

enum { BLOCKS = 64, RAW_MAX = 1 << 20 };

struct block {
	uint8_t type, codec;
	struct ct_buf raw;
};

struct file {
	struct block block[BLOCKS];
	size_t n;
	uint64_t seed;
	ctz_mutate_fn bytes;
};

static uint64_t below(struct file *f, uint64_t n)
{
	return n ? ct_rand64(&f->seed) % n : 0;
}

static uint64_t get_le(const uint8_t *p, int bytes)
{
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void put_le(void *at, uint64_t v, int bytes)
{
	uint8_t *p = at;
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void set(struct ct_buf *b, const void *p, size_t n)
{
	ct_buf_reset(b);
	ct_buf_add(b, p, n);
}

/* ---- unpacking and packing ---- */

static int take_block(struct file *f, const uint8_t *p, size_t stored, size_t raw)
{
	struct block *b = &f->block[f->n];
	*b = (struct block){.type = p[0], .codec = p[1]};
	if (p[1] != CTZ_ZSTD) {
		ct_buf_add(&b->raw, p + CTZ_HEAD, stored);
	} else {
		char *t = malloc(raw + 1);
		size_t n = t ? ZSTD_decompress(t, raw, p + CTZ_HEAD, stored) : 0;
		if (t && !ZSTD_isError(n))
			ct_buf_add(&b->raw, t, n);
		free(t);
	}
	f->n++;
	return b->raw.failed ? -1 : 0;
}

static int unpack(struct file *f, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	if (n < CTZ_MAGIC_BYTES || memcmp(p, CTZ_MAGIC, CTZ_MAGIC_BYTES) != 0)
		return -1;
	for (p += CTZ_MAGIC_BYTES; end - p >= CTZ_HEAD && f->n < BLOCKS;) {
		uint64_t stored = get_le(p + 2, 4), raw = get_le(p + 6, 4);
		if (stored > (uint64_t)(end - p) - CTZ_HEAD || raw > RAW_MAX)
			break;
		if (take_block(f, p, (size_t)stored, (size_t)raw) < 0)
			return -1;
		p += CTZ_HEAD + stored;
		p += end - p < 4 ? end - p : 4;
	}
	return f->n ? 0 : -1;
}

/* What an end record has to say, as far as the blocks tell; counts of thread blocks, warps and
 * instructions are those that the reader finds. */
static void end_record(struct ct_buf *raw, const struct ct_buf *out, uint64_t index,
                       const struct file *f, const struct ct_trace_stats *s)
{
	uint64_t kernels = 0;
	if (raw->len != 8 * CTZ_END_FIELDS)
		return;
	for (size_t i = 0; i < f->n; i++)
		kernels += f->block[i].type == CTZ_KERNEL;
	put_le(raw->data, index, 8);
	put_le(raw->data + 8, ct_crc64(0, out->data, out->len), 8);
	put_le(raw->data + 16, kernels, 8);
	if (!s)
		return;
	put_le(raw->data + 24, s->memcpys, 8);
	put_le(raw->data + 32, s->ctas, 8);
	put_le(raw->data + 40, s->warps, 8);
	put_le(raw->data + 48, s->warp_insts, 8);
}

static void put_block(struct ct_buf *out, const struct block *b)
{
	uint8_t head[CTZ_HEAD] = {b->type, b->codec}, tail[4];
	size_t from = out->len, n = b->raw.len, bound = ZSTD_compressBound(n);
	char *t = b->codec == CTZ_ZSTD ? malloc(bound) : NULL;
	size_t stored = t ? ZSTD_compress(t, bound, n ? b->raw.data : "", n, 1) : 0;
	if (!t)
		stored = n;
	put_le(head + 2, stored, 4);
	put_le(head + 6, n, 4);
	ct_buf_add(out, head, sizeof head);
	ct_buf_add(out, t ? t : n ? b->raw.data : "", stored);
	free(t);
	put_le(tail, out->failed ? 0 : ct_crc32(0, out->data + from, out->len - from), 4);
	ct_buf_add(out, tail, sizeof tail);
}

/* mend: the end record is made right. */
static void pack(struct file *f, struct ct_buf *out, int mend, const struct ct_trace_stats *s)
{
	uint64_t index = 0;
	set(out, CTZ_MAGIC, CTZ_MAGIC_BYTES);
	for (size_t i = 0; i < f->n && !out->failed; i++) {
		if (f->block[i].type == CTZ_INDEX)
			index = out->len;
		if (f->block[i].type == CTZ_END && mend)
			end_record(&f->block[i].raw, out, index, f, s);
		put_block(out, &f->block[i]);
	}
}

/* What the reader finds in it up to any damage. */
static int count(const struct ct_buf *b, struct ct_trace_stats *s)
{
	struct ct_trace_options o = {.salvage = 1, .max_expand = 1 << 22, .no_threads = 1};
	struct ct_source *source;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	if (ct_source_open_memory(&source, "-", b->data, b->len, &e) < 0 ||
	    ct_trace_open_source(&t, source, &o, &e) < 0)
		return -1;
	while (ct_trace_next(t, &ev, &e) > 0)
		while (ev.kind == CT_EVENT_KERNEL && ct_trace_next_cta(t, &cta, &e) > 0)
			ct_cta_unref(cta);
	*s = *ct_trace_stats(t);
	ct_trace_close(t);
	return 0;
}

/* ---- mutations ---- */

static uint64_t number(struct file *f, uint64_t old)
{
	static const uint64_t some[] = {
		0,
		1,
		2,
		31,
		32,
		33,
		127,
		128,
		255,
		256,
		1023,
		1024,
		65535,
		65536,
		INT32_MAX,
		UINT32_MAX,
		UINT64_C(1) << 32,
		INT64_MAX,
		UINT64_C(1) << 63,
		UINT64_MAX};
	switch (below(f, 5)) {
	case 0: return old + 1 + below(f, 4);
	case 1: return old - 1 - below(f, 4);
	case 2: return (UINT64_C(1) << below(f, 64)) - below(f, 2);
	case 3: return ct_rand64(&f->seed) >> below(f, 64);
	default: return some[below(f, sizeof some / sizeof *some)];
	}
}

/* Replaces one number of the column by another, of any length. */
static void change_number(struct file *f, struct ct_buf *b)
{
	struct ct_buf old = *b, new = {0};
	size_t at = (size_t)below(f, b->len);
	uint64_t v = 0;
	while (at > 0 && old.data[at - 1] & 0x80)
		at--;
	ct_buf_add(&new, old.data, at);
	struct ctz_in in = {(const unsigned char *)old.data + at,
	                    (const unsigned char *)old.data + old.len};
	(void)ctz_get(&in, &v);
	ctz_put(&new, number(f, v));
	ct_buf_add(&new, in.p, (size_t)(in.end - in.p));
	ct_buf_free(b);
	*b = new;
}

static void change_bytes(struct file *f, struct ct_buf *b)
{
	size_t at = (size_t)below(f, b->len),
	       n = 1 + (size_t)below(f, b->len - at < 16 ? b->len - at : 16);
	struct ct_buf new = {0};
	switch (below(f, 4)) {
	case 0: b->data[at] = (char)below(f, 256); return;
	case 1: b->data[at] = (char)(b->data[at] ^ (1u << below(f, 8))); return;
	case 2: /* twice */
		ct_buf_add(&new, b->data, at + n);
		ct_buf_add(&new, b->data + at, b->len - at);
		break;
	default: /* gone */
		ct_buf_add(&new, b->data, at);
		ct_buf_add(&new, b->data + at + n, b->len - at - n);
	}
	ct_buf_free(b);
	*b = new;
}

static void change_column(struct file *f, struct ct_buf *b)
{
	if (b->len == 0) {
		ctz_put(b, number(f, 0));
	} else if (f->bytes && below(f, 4) == 0) {
		size_t n = b->len, room = n + 64;
		uint8_t *t = malloc(room);
		if (!t)
			return;
		memcpy(t, b->data, n);
		n = f->bytes(t, n, room);
		set(b, t, n);
		free(t);
	} else if (below(f, 2)) {
		change_number(f, b);
	} else {
		change_bytes(f, b);
	}
}

/* Frames and code blocks are columns behind their lengths; the others one column. */
static void change_payload(struct file *f, struct block *b)
{
	unsigned n = b->type == CTZ_FRAME ? CTZ_COLUMNS : b->type == CTZ_CODE ? CTZ_CODE_COLUMNS : 0;
	struct ctz_in in = {(const unsigned char *)b->raw.data,
	                    (const unsigned char *)b->raw.data + b->raw.len};
	struct ctz_in part[CTZ_COLUMNS + CTZ_CODE_COLUMNS];
	struct ct_buf column[CTZ_COLUMNS + CTZ_CODE_COLUMNS] = {{0}}, out = {0};
	if (n == 0 || b->raw.len == 0 || below(f, 32) == 0 || ctz_split(&in, part, n) != 0) {
		change_column(f, &b->raw);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		ct_buf_add(&column[i], part[i].p, (size_t)(part[i].end - part[i].p));
	unsigned which = (unsigned)below(f, n);
	for (unsigned i = 0; i < n && column[which].len == 0; i++)
		which = (which + 1) % n;
	change_column(f, &column[which]);
	ctz_join(&out, column, n);
	for (unsigned i = 0; i < n; i++)
		ct_buf_free(&column[i]);
	ct_buf_free(&b->raw);
	b->raw = out;
}

static void copy_block(struct file *f, size_t from, size_t to)
{
	struct block new = f->block[from];
	if (f->n == BLOCKS)
		return;
	new.raw = (struct ct_buf){0};
	ct_buf_add(&new.raw, f->block[from].raw.data, f->block[from].raw.len);
	memmove(&f->block[to + 1], &f->block[to], (f->n - to) * sizeof *f->block);
	f->block[to] = new;
	f->n++;
}

static void drop_block(struct file *f, size_t at)
{
	if (f->n == 1)
		return;
	ct_buf_free(&f->block[at].raw);
	memmove(&f->block[at], &f->block[at + 1], (f->n - at - 1) * sizeof *f->block);
	f->n--;
}

static void mutate(struct file *f)
{
	static const uint8_t types[] = "KMCFZIE";
	size_t a = (size_t)below(f, f->n), b = (size_t)below(f, f->n);
	struct block t = f->block[a];
	switch (below(f, 24)) {
	case 0: copy_block(f, a, b); break;
	case 1: drop_block(f, a); break;
	case 2:
		f->block[a] = f->block[b];
		f->block[b] = t;
		break;
	case 3: f->block[a].type = types[below(f, sizeof types - 1)]; break;
	case 4: f->block[a].codec ^= 1; break;
	default: change_payload(f, &f->block[a]);
	}
}

size_t ctz_mutate(uint8_t *p, size_t n, size_t max, uint64_t seed, ctz_mutate_fn bytes)
{
	struct file f = {.seed = seed, .bytes = bytes};
	struct ct_buf out = {0};
	struct ct_trace_stats s;
	size_t len = 0;
	if (unpack(&f, p, n) == 0) {
		for (uint64_t k = 1 + below(&f, 4); k > 0; k--)
			mutate(&f);
		int mend = below(&f, 32) != 0;
		pack(&f, &out, mend, NULL);
		if (mend && !out.failed && count(&out, &s) == 0)
			pack(&f, &out, 1, &s);
		if (!out.failed && out.len <= max) {
			memcpy(p, out.data, out.len);
			len = out.len;
		}
	}
	for (size_t i = 0; i < f.n; i++)
		ct_buf_free(&f.block[i].raw);
	ct_buf_free(&out);
	return len;
}
