/* Inputs damaged everywhere, byte by byte and line by line: a wrong answer is
 * worse than none. What is read from damaged bytes is an error or what the whole gives.
 * Text has no redundancy in its numbers and names: what may pass there is listed in
 * cachetriage-traces(5), and here, by the kind of line. */
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "profile/profile.h"
#include "trace/ctz.h"
#include "trace/trace.h"

static const char text[] =
	"-kernel name = k\n-kernel id = 1\n-grid dim = (3,1,1)\n-block dim = (64,1,1)\n-shmem = 16\n"
	"-nregs = 8\n-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
	"-local mem base_addr = 0x00007e0000000000\n-nvbit version = 1.5\n-accelsim tracer version = 4\n"
	"-enable lineinfo = 0\n\n#traces format = x\n\n"
#define TB(n, a) \
	"#BEGIN_TB\n\nthread block = " n ",0,0\n\nwarp = 0\ninsts = 4\n" \
	"0000 ffffffff 1 R1 IADD3 2 R2 R3 0\n0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x" a "000 4\n" \
	"0020 00000005 0 STG.E 2 R2 R4 4 0 0x" a "100 0x" a "380\n0030 ffffffff 0 EXIT 0 0\n\n" \
	"warp = 1\ninsts = 2\n0000 00000007 1 R1 LDS.64 1 R2 8 2 0x" a "0 8 16\n" \
	"0030 ffffffff 0 EXIT 0 0\n\n#END_TB\n\n"
	TB("0", "10") TB("1", "20") TB("2", "30");

/* ---- what a trace holds ---- */

static uint64_t add(uint64_t h, uint64_t v)
{
	return ct_mix64(h ^ v) + 0x9e3779b97f4a7c15u;
}

static uint64_t of_inst(uint64_t h, const struct ct_sinst *s, const struct ct_inst *x)
{
	h = add(add(add(h, s->pc), s->width_field), ct_crc64(0, s->opcode, strlen(s->opcode)));
	h = add(add(h, s->ndst), s->nsrc);
	for (unsigned i = 0; i < s->ndst; i++)
		h = add(h, s->dst[i]);
	for (unsigned i = 0; i < s->nsrc; i++)
		h = add(h, s->src[i]);
	h = add(add(h, x->mask), x->naddr);
	for (unsigned i = 0; i < x->naddr; i++)
		h = add(h, x->addr[i]);
	return h;
}

static uint64_t of_cta(uint64_t h, struct ct_cta *cta)
{
	struct ct_error e;
	h = add(add(h, ct_cta_index(cta)), ct_cta_warps(cta));
	for (uint32_t w = 0; w < ct_cta_warps(cta); w++) {
		struct ct_cursor *c;
		struct ct_inst x;
		h = add(h, ct_cta_warp(cta, w)->warp);
		assert_int_equal(ct_cursor_open(&c, cta, w, &e), CT_OK);
		while (ct_cursor_next(c, &x, &e) > 0)
			h = of_inst(h, ct_code_at(ct_cta_code(cta), x.sid), &x);
		ct_cursor_close(c);
	}
	return h;
}

static uint64_t of_kernel(uint64_t h, const struct ct_kernel *k)
{
	for (int i = 0; i < 3; i++)
		h = add(add(h, k->grid[i]), k->block[i]);
	h = add(add(h, k->regs), k->shmem_bytes);
	return add(add(h, k->shmem_base ^ k->local_base << 1), ct_crc64(0, k->name, strlen(k->name)));
}

struct seen {
	int status;
	uint64_t digest;
	unsigned warnings;
	int damaged; /* read, and known to be a part */
};

static void count_warning(void *ctx, const char *what)
{
	(void)what;
	++*(unsigned *)ctx;
}

static struct seen read_trace(const void *p, size_t n)
{
	struct seen r = {.digest = 1};
	struct ct_trace_options o = {
		.no_threads = 1, .max_expand = 1 << 24, .diag = {count_warning, &r.warnings}};
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e = {0};
	assert_int_equal(ct_source_open_memory(&s, "t", p, n, &e), CT_OK);
	r.status = ct_trace_open_source(&t, s, &o, &e);
	while (r.status >= 0 && (r.status = ct_trace_next(t, &ev, &e)) > 0) {
		r.digest = ev.kernel ? of_kernel(r.digest, ev.kernel)
		                     : add(add(r.digest, ev.address), ev.bytes);
		while (ev.kernel && (r.status = ct_trace_next_cta(t, &cta, &e)) > 0) {
			r.digest = of_cta(r.digest, cta);
			ct_cta_unref(cta);
		}
		if (r.status < 0)
			break;
	}
	if (r.status < 0)
		assert_non_null(strchr(e.text, ':'));
	else
		r.damaged = ct_trace_is_damaged(t);
	ct_trace_close(t);
	return r;
}

/* ---- helpers over bytes ---- */

/* All bytes at `at` that a bit flip, a loss to 0 or a nearby digit make. */
static unsigned char damaged_byte(unsigned char c, unsigned how)
{
	return how < 8 ? (unsigned char)(c ^ 1u << how) : how == 8 ? 0 : (unsigned char)(c + 1);
}
enum { WAYS = 10 };

static int starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* Lines whose bytes all are structure: nothing of them may change unseen. */
static int is_structure(const char *line)
{
	return starts(line, "#BEGIN_TB") || starts(line, "#END_TB") || starts(line, "warp =") ||
	       starts(line, "insts =") || starts(line, "thread block =");
}

/* Lines of a header without which the kernel would be another one. */
static int is_shape(const char *line)
{
	return starts(line, "-grid dim") || starts(line, "-block dim") || starts(line, "-kernel name") ||
	       starts(line, "-shmem") || starts(line, "-nregs") || starts(line, "-binary") ||
	       starts(line, "-local mem");
}

static const char *line_at(size_t i)
{
	while (i > 0 && text[i - 1] != '\n')
		i--;
	return text + i;
}

static void text_bytes(void **state)
{
	struct seen whole = read_trace(text, sizeof text - 1);
	char copy[sizeof text];
	unsigned unseen = 0, tried = 0;
	(void)state;
	assert_int_equal(whole.status, 0);
	assert_int_equal(whole.warnings, 0);
	memcpy(copy, text, sizeof text);
	for (size_t i = 0; i + 1 < sizeof text; i++)
		for (unsigned how = 0; how < WAYS; how++, tried++) {
			copy[i] = (char)damaged_byte((unsigned char)text[i], how);
			struct seen r = read_trace(copy, sizeof text - 1);
			int passes = r.status == 0 && r.digest != whole.digest && r.warnings == 0;
			unseen += passes;
			int key = is_shape(line_at(i)) && i < (size_t)(strchr(line_at(i), '=') - text);
			if (passes && (key || is_structure(line_at(i))))
				fail_msg("byte %zu as %02x passes: %.30s", i,
				         (unsigned)(unsigned char)copy[i], line_at(i));
			copy[i] = text[i];
		}
	print_message("%u of %u damages pass unseen, all in header values and instructions\n", unseen,
	              tried);
}

static void text_cuts(void **state)
{
	struct seen whole = read_trace(text, sizeof text - 1);
	(void)state;
	for (size_t n = 0; n + 1 < sizeof text; n++) {
		struct seen r = read_trace(text, n);
		if (r.status == 0 && r.digest != whole.digest && r.warnings == 0)
			fail_msg("cut at %zu passes", n);
	}
}

/* Every line lost, doubled, or changed with the next: only header lines and comments
 * may pass, and whole empty lines; lines of equal length of instructions may swap. */
static void text_lines(void **state)
{
	enum { LOST, DOUBLED, SWAPPED, EDITS };
	struct seen whole = read_trace(text, sizeof text - 1);
	char copy[2 * sizeof text];
	(void)state;
	for (const char *p = text, *next; *p; p = next) {
		next = strchr(p, '\n') + 1;
		const char *after = *next ? strchr(next, '\n') + 1 : next;
		for (int edit = 0; edit < EDITS; edit++) {
			size_t n = (size_t)(p - text);
			memcpy(copy, text, n);
#define PUT(from, to) (memcpy(copy + n, from, (size_t)((to) - (from))), n += (size_t)((to) - (from)))
			if (edit == DOUBLED)
				PUT(p, next), PUT(p, next);
			else if (edit == SWAPPED)
				PUT(next, after), PUT(p, next);
			PUT(edit == SWAPPED ? after : next, text + sizeof text - 1);
#undef PUT
			struct seen r = read_trace(copy, n);
			int passes = r.status == 0 && r.digest != whole.digest && r.warnings == 0;
			int swap = edit == SWAPPED && *p == '0' && *next == '0';
			/* The kernel's number, its stream, versions: nothing hangs on them. */
			int header = *p == '-' && !is_shape(p);
			if (passes && !header && !swap)
				fail_msg("line passes (edit %d): %.40s", edit, p);
		}
	}
}

/* Any run of lines lost, and any run of bytes lost or put to 0 behind the header: refused or told. */
static void text_ranges(void **state)
{
	struct seen whole = read_trace(text, sizeof text - 1);
	const char *body = strstr(text, "#BEGIN_TB");
	char copy[sizeof text];
	unsigned tried = 0, unseen = 0;
	size_t step = getenv("CT_HOSTILE") ? 1 : 11;
	(void)state;
	for (const char *p = body; *p; p = strchr(p, '\n') + 1)
		for (const char *q = p; *q;) {
			q = strchr(q, '\n') + 1;
			size_t head = (size_t)(p - text), tail = (size_t)(text + sizeof text - 1 - q);
			memcpy(copy, text, head);
			memcpy(copy + head, q, tail);
			struct seen r = read_trace(copy, head + tail);
			if (r.status == 0 && r.digest != whole.digest && r.warnings == 0)
				fail_msg("lost lines pass: from %.40s to %.40s", p, q);
			tried++;
		}
	for (size_t at = (size_t)(body - text); at + 1 < sizeof text; at += step)
		for (size_t n = 2; n < 700 && at + n < sizeof text; n += n < 16 ? 1 : 37) {
			size_t tail = sizeof text - 1 - at - n;
			memcpy(copy, text, at);
			memcpy(copy + at, text + at + n, tail);
			struct seen r = read_trace(
				copy, at + n >= sizeof text - 1 ? at : sizeof text - 1 - n);
			/* Inside a line, the rest of it may be another valid one. */
			int one_line = !memchr(text + at, '\n', n);
			int passes = r.status == 0 && r.digest != whole.digest && r.warnings == 0;
			if (passes && !one_line &&
			    memchr(text + at, '\n', n) < (const void *)strstr(text + at, "insts"))
				unseen++;
			memcpy(copy, text, sizeof text);
			memset(copy + at, 0, n);
			r = read_trace(copy, sizeof text - 1);
			if (r.status == 0 && r.digest != whole.digest && r.warnings == 0)
				fail_msg("%zu bytes at %zu put to 0 pass: %.40s", n, at, text + at);
			tried += 2;
		}
	print_message("%u ranges, %u lost ones pass where they join two lines to another\n", tried,
	              unseen);
}

static void blocks_of_text(void **state)
{
	const char *first = strstr(text, "#BEGIN_TB"), *second = strstr(first + 1, "#BEGIN_TB");
	size_t head = (size_t)(first - text), one = (size_t)(second - first);
	char copy[2 * sizeof text];
	struct seen r;
	(void)state;
	/* The first again at the end; in place of the last; not at all. */
	memcpy(copy, text, sizeof text - 1);
	memcpy(copy + sizeof text - 1, first, one);
	assert_true(read_trace(copy, sizeof text - 1 + one).status < 0);
	memcpy(copy + head + 2 * one, first, one);
	assert_true(read_trace(copy, head + 3 * one).status < 0);
	memcpy(copy + head, second, 2 * one);
	r = read_trace(copy, head + 2 * one);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.warnings, 1);
	/* Out of order, but all there: told, not refused. */
	memcpy(copy + head + 2 * one, first, one);
	r = read_trace(copy, head + 3 * one);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.warnings, 1);
	/* A whole warp. */
	const char *warp = strstr(text, "warp = 1"), *end = strstr(warp, "#END_TB");
	size_t n = (size_t)(warp - text);
	memcpy(copy, text, n);
	memcpy(copy + n, end, sizeof text - 1 - (size_t)(end - text));
	r = read_trace(copy, sizeof text - 1 - (size_t)(end - warp));
	assert_int_equal(r.status, 0);
	assert_int_equal(r.warnings, 1);
	assert_true(r.damaged);
	/* Blocks may be left out on purpose. */
	memcpy(copy, text, head);
	memcpy(copy + head, second, 2 * one);
	r = read_trace(copy, head + 2 * one);
	assert_int_equal(r.status, 0);
	assert_false(r.damaged);
}

/* ---- compressed and packed ---- */

struct bytes {
	unsigned char *p;
	size_t n;
};

static struct bytes compressed(const char *how)
{
	struct bytes b = {calloc(1, 65536), 65536};
	const unsigned char *in = (const unsigned char *)text;
	assert_non_null(b.p);
	if (*how == 'x') {
		size_t at = 0;
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, in, sizeof text - 1,
		                                         b.p, &at, b.n),
		                 LZMA_OK);
		b.n = at;
	} else if (*how == 'g') {
		z_stream z = {.next_in = (unsigned char *)(uintptr_t)in,
		              .avail_in = sizeof text - 1,
		              .next_out = b.p,
		              .avail_out = (unsigned)b.n};
		assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		b.n = z.total_out;
		deflateEnd(&z);
	} else {
		ZSTD_CCtx *c = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
		b.n = ZSTD_compress2(c, b.p, b.n, in, sizeof text - 1);
		assert_false(ZSTD_isError(b.n));
		ZSTD_freeCCtx(c);
	}
	return b;
}

/* Every bit of it, every cut, every byte lost: refused, or the same. */
static void no_damage_passes(const char *name, struct bytes b)
{
	struct seen whole = read_trace(b.p, b.n);
	unsigned char *copy = malloc(b.n);
	unsigned same = 0;
	assert_int_equal(whole.status, 0);
	assert_non_null(copy);
	memcpy(copy, b.p, b.n);
	for (size_t i = 0; i < b.n; i++) {
		for (unsigned how = 0; how < WAYS; how++) {
			copy[i] = damaged_byte(b.p[i], how);
			struct seen r = read_trace(copy, b.n);
			same += r.status == 0 && copy[i] != b.p[i];
			if (r.status == 0 && r.digest != whole.digest)
				fail_msg("%s: byte %zu as %02x passes", name, i, copy[i]);
		}
		copy[i] = b.p[i];
		struct seen r = read_trace(b.p, i);
		if (r.status == 0)
			fail_msg("%s: cut at %zu passes", name, i);
		memmove(copy + i, b.p + i + 1, b.n - i - 1);
		r = read_trace(copy, b.n - 1);
		if (r.status == 0 && r.digest != whole.digest)
			fail_msg("%s: without byte %zu passes", name, i);
		memcpy(copy + i, b.p + i, b.n - i);
	}
	print_message("%s: %zu bytes, %u damages without meaning\n", name, b.n, same);
	if (*name == 'c')
		assert_int_equal(same, 0);
	free(copy);
	free(b.p);
}

static void compressed_bytes(void **state)
{
	(void)state;
	no_damage_passes("xz", compressed("xz"));
	no_damage_passes("gz", compressed("gz"));
	no_damage_passes("zst", compressed("zst"));
}

static int keep(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	(void)e;
	ct_buf_add(ctx, p, n);
	return CT_OK;
}

static struct bytes packed(void)
{
	struct ct_buf b = {0};
	struct ct_ctz_writer *w;
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	struct ct_ctz_oddities odd = {0};
	assert_int_equal(ct_source_open_memory(&s, "t", text, sizeof text - 1, &e), CT_OK);
	assert_int_equal(ct_trace_open_source(&t, s, NULL, &e), CT_OK);
	assert_int_equal(ct_ctz_writer_new(&w, 0, keep, &b, &e), CT_OK);
	assert_int_equal(ct_ctz_put_memcpy(w, 4096, 64, &e), CT_OK);
	while (ct_trace_next(t, &ev, &e) > 0) {
		assert_int_equal(ct_ctz_put_kernel(w, ev.kernel, &e), CT_OK);
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			assert_int_equal(ct_ctz_put_cta(w, cta, NULL, NULL, &e), CT_OK);
			ct_cta_unref(cta);
		}
		assert_int_equal(ct_ctz_end_kernel(w, &odd, &e), CT_OK);
	}
	assert_int_equal(ct_ctz_finish(w, 0, 0, &e), CT_OK);
	ct_ctz_writer_free(w);
	ct_trace_close(t);
	return (struct bytes){(unsigned char *)b.data, b.len};
}

static void packed_bytes(void **state)
{
	(void)state;
	no_damage_passes("ctz", packed());
}

/* Ranges of a packed trace lost or doubled: block boundaries are among them. */
static void packed_ranges(void **state)
{
	struct bytes b = packed();
	unsigned char *copy = malloc(2 * b.n);
	(void)state;
	assert_non_null(copy);
	for (size_t from = 0; from < b.n; from++)
		for (size_t n = 1; from + n <= b.n; n += 1 + n / 8) {
			memcpy(copy, b.p, from);
			memcpy(copy + from, b.p + from + n, b.n - from - n);
			assert_true(read_trace(copy, b.n - n).status < 0);
			memcpy(copy, b.p, from + n);
			memcpy(copy + from + n, b.p + from, b.n - from);
			assert_true(read_trace(copy, b.n + n).status < 0);
		}
	free(copy);
	free(b.p);
}

static uint64_t le(const unsigned char *p, int bytes)
{
	uint64_t v = 0;
	while (bytes > 0)
		v = v << 8 | p[--bytes];
	return v;
}

static void put_le(unsigned char *p, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++, v >>= 8)
		p[i] = (unsigned char)v;
}

/* Copies all blocks but those of a type, and makes the checksums those of what is left; returns how
 * many were left out. A block: type, codec, stored and raw bytes, payload, CRC-32. */
static unsigned without_blocks(struct bytes b, int type, unsigned char *out, size_t *n)
{
	enum { MAGIC = 4, HEAD = 10 };
	unsigned lost = 0;
	memcpy(out, b.p, *n = MAGIC);
	for (size_t at = MAGIC, size; at < b.n; at += size) {
		size = HEAD + (size_t)le(b.p + at + 2, 4) + 4;
		if (b.p[at] == type) {
			lost++;
			continue;
		}
		unsigned char *p = out + *n;
		memcpy(p, b.p + at, size);
		if (p[0] == 'E') {
			put_le(p + HEAD + 8, ct_crc64(0, out, *n), 8);
			put_le(p + size - 4, ct_crc32(0, p, size - 4), 4);
		}
		*n += size;
	}
	return lost;
}

/* Whole thread blocks, kernels or copies that are lost from a packed trace show in its counts, even
 * where every checksum fits. */
static void packed_counts(void **state)
{
	struct bytes b = packed();
	unsigned char *copy = malloc(b.n);
	size_t n;
	(void)state;
	assert_non_null(copy);
	assert_int_equal(without_blocks(b, '?', copy, &n), 0);
	assert_int_equal(n, b.n);
	assert_int_equal(read_trace(copy, n).status, 0);
	for (const char *type = "KMCFZI"; *type; type++) {
		assert_int_equal(without_blocks(b, *type, copy, &n), 1);
		assert_true(read_trace(copy, n).status < 0);
	}
	free(copy);
	free(b.p);
}

/* ---- profiles ---- */

static int read_profile(const void *p, size_t n)
{
	struct ct_profile *got = NULL;
	struct ct_error e;
	int st = ct_profile_read_memory(&got, "p", p, n, 1, &e);
	ct_profile_free(got);
	return st;
}

static struct ct_buf make_profile(void)
{
	struct ct_buf b = {0};
	struct ct_error e;
	const char *rd[6] = {"all", "l1", "0", "1", "10", "2"};
	const char *rd2[6] = {"all", "l1", "1", "2", "7", "0"};
	struct ct_profile *p = ct_profile_new(&e);
	assert_non_null(p);
	assert_int_equal(ct_profile_add_count(p, "all", "warp_insts", 123456, "insts", "replay", &e),
	                 CT_OK);
	assert_int_equal(ct_profile_add_count(p, "name:a\tb", "cycles", 99, "cycles", "replay", &e),
	                 CT_OK);
	assert_int_equal(ct_profile_add(p, "RD", 6, rd, &e), CT_OK);
	assert_int_equal(ct_profile_add(p, "RD", 6, rd2, &e), CT_OK);
	assert_int_equal(ct_profile_write(p, &b, &e), CT_OK);
	ct_profile_free(p);
	assert_int_equal(read_profile(b.data, b.len), CT_OK);
	return b;
}

static void profile_bytes(void **state)
{
	struct ct_buf b = make_profile();
	char *copy = malloc(b.len);
	(void)state;
	assert_non_null(copy);
	memcpy(copy, b.data, b.len);
	for (size_t i = 0; i < b.len; i++) {
		for (unsigned how = 0; how < WAYS; how++) {
			copy[i] = (char)damaged_byte((unsigned char)b.data[i], how);
			if (copy[i] != b.data[i] && read_profile(copy, b.len) == CT_OK)
				fail_msg("byte %zu as %02x passes", i, (unsigned)(unsigned char)copy[i]);
		}
		copy[i] = b.data[i];
		assert_true(read_profile(b.data, i) != CT_OK);
	}
	free(copy);
	ct_buf_free(&b);
}

static void profile_lines(void **state)
{
	struct ct_buf b = make_profile();
	char *copy = malloc(3 * b.len);
	const char *end = b.data + b.len;
	(void)state;
	assert_non_null(copy);
	for (const char *p = b.data, *next; p < end; p = next) {
		next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		size_t before = (size_t)(p - b.data), line = (size_t)(next - p),
		       rest = (size_t)(end - next);
		memcpy(copy, b.data, before);
		memcpy(copy + before, next, rest);
		assert_true(read_profile(copy, before + rest) != CT_OK);
		memcpy(copy, b.data, before + line);
		memcpy(copy + before + line, p, line + rest);
		assert_true(read_profile(copy, before + 2 * line + rest) != CT_OK);
	}
	memcpy(copy, b.data, b.len);
	memcpy(copy + b.len, b.data, b.len);
	assert_true(read_profile(copy, 2 * b.len) != CT_OK);
	free(copy);
	ct_buf_free(&b);
}

/* ---- NVBit logs ---- */

static void log_lines(void **state)
{
	struct ct_buf b = {0};
	(void)state;
	ct_buf_puts(
		&b,
		"MEMTRACE: CTX 0x00005592ebe7c9c0 - LAUNCH - Kernel pc 0x00007f52b9d20000 - Kernel "
		"name k - grid launch id 0 - grid size 1,1,1 - block size 32,1,1 - nregs 16 - shmem 0 - "
		"cuda stream id 0\n");
	for (int i = 0; i < 3; i++) {
		ct_buf_printf(
			&b, "MEMTRACE: CTX 0x00005592ebe7c9c0 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - "
			    "LDG.E - ");
		for (int lane = 0; lane < 32; lane++)
			ct_buf_printf(&b, "0x%016x ", 0x70000000 + 4096 * i + 4 * lane);
		ct_buf_putc(&b, '\n');
	}
	assert_false(b.failed);
	struct seen whole = read_trace(b.data, b.len);
	assert_int_equal(whole.status, 0);
	/* A launch line's labels: what they name is told when it is lost. */
	for (size_t i = (size_t)(strstr(b.data, "Kernel name") - b.data); b.data[i] != '\n'; i++)
		for (unsigned how = 0; how < WAYS; how++) {
			char was = b.data[i];
			b.data[i] = (char)damaged_byte((unsigned char)was, how);
			struct seen r = read_trace(b.data, b.len);
			b.data[i] = was;
			int in_name = i >= (size_t)(strstr(b.data, "name k") - b.data) + 5 &&
			              b.data + i < strstr(b.data, " - grid launch");
			if (r.status == 0 && r.digest != whole.digest && r.warnings <= whole.warnings &&
			    !(was >= '0' && was <= '9') && !in_name)
				fail_msg("byte %zu (%c) of a launch as %02x passes", i, was,
				         damaged_byte((unsigned char)was, how));
		}
	/* A record's labels, one byte at a time: no record may turn into other text. Behind
	 * them come the addresses, which nothing checks. */
	const char *record = strchr(b.data, '\n') + 1, *addresses = strstr(record, "0x0000000070");
	for (size_t i = (size_t)(record - b.data); b.data + i < addresses; i++)
		for (unsigned how = 0; how < WAYS; how++) {
			char was = b.data[i];
			b.data[i] = (char)damaged_byte((unsigned char)was, how);
			struct seen r = read_trace(b.data, b.len);
			char now = b.data[i];
			b.data[i] = was;
			int value = (was >= '0' && was <= '9') || (was >= 'A' && was <= 'Z') ||
			            was == '.';
			if (r.status == 0 && r.digest != whole.digest && r.warnings <= whole.warnings &&
			    !value)
				fail_msg("byte %zu (%c) as %02x passes: %.30s", i, was,
				         (unsigned)(unsigned char)now, b.data + i);
		}
	ct_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_bytes),    cmocka_unit_test(text_cuts),
		cmocka_unit_test(text_lines),    cmocka_unit_test(blocks_of_text),
		cmocka_unit_test(text_ranges),   cmocka_unit_test(compressed_bytes),
		cmocka_unit_test(packed_bytes),  cmocka_unit_test(packed_ranges),
		cmocka_unit_test(packed_counts), cmocka_unit_test(profile_bytes),
		cmocka_unit_test(profile_lines), cmocka_unit_test(log_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
