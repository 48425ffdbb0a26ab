/* Sources: every compression, several streams, damage, early closing. */
#include <lzma.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/private/source.h"

enum { TEXT = 700000 };

struct bytes {
	unsigned char *p;
	size_t n;
};

static struct bytes make_text(void)
{
	struct bytes t = {malloc(TEXT), TEXT};
	uint64_t seed = 5;
	assert_non_null(t.p);
	for (size_t i = 0; i < TEXT; i++)
		t.p[i] = (unsigned char)("0123456789abcdef \n"[ct_rand64(&seed) % 18]);
	return t;
}

static struct bytes compress_as(const char *format, struct bytes t)
{
	struct bytes c = {malloc(t.n + 100000), 0};
	size_t cap = t.n + 100000;
	assert_non_null(c.p);
	if (strcmp(format, "xz") == 0) {
		assert_int_equal(
			lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, t.p, t.n, c.p, &c.n, cap),
			LZMA_OK);
	} else if (strcmp(format, "gz") == 0) {
		z_stream z = {0};
		assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
		z.next_in = t.p;
		z.avail_in = (uInt)t.n;
		z.next_out = c.p;
		z.avail_out = (uInt)cap;
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		c.n = z.total_out;
		deflateEnd(&z);
	} else if (strcmp(format, "zst") == 0) {
		ZSTD_CCtx *x = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(x, ZSTD_c_checksumFlag, 1);
		c.n = ZSTD_compress2(x, c.p, cap, t.p, t.n);
		assert_false(ZSTD_isError(c.n));
		ZSTD_freeCCtx(x);
	} else {
		memcpy(c.p, t.p, c.n = t.n);
	}
	return c;
}

static struct bytes twice(struct bytes a, size_t padding)
{
	struct bytes c = {calloc(1, 2 * a.n + padding), 2 * a.n + padding};
	assert_non_null(c.p);
	memcpy(c.p, a.p, a.n);
	memcpy(c.p + a.n + padding, a.p, a.n);
	return c;
}

/* Writes c to a file, reads it as a source: decoded bytes in *out, returns the status. */
static int read_file(struct bytes c, const struct ct_source_options *o, struct bytes *out,
                     struct ct_error *e, uint64_t *raw, uint64_t *crc)
{
	char path[4096];
	struct ct_source *s;
	const char *p;
	size_t n, cap = 0;
	int st;
	snprintf(path, sizeof path, "%s/source-test", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(c.p, 1, c.n, f), c.n);
	fclose(f);
	*out = (struct bytes){NULL, 0};
	assert_int_equal(ct_source_open(&s, path, o, e), CT_OK);
	while ((st = ct_source_read(s, &p, &n, e)) > 0) {
		assert_int_equal(ct_grow((void **)&out->p, &cap, out->n + n, 1), 0);
		memcpy(out->p + out->n, p, n);
		out->n += n;
	}
	if (raw)
		*raw = ct_source_raw_bytes(s);
	if (crc)
		*crc = ct_source_raw_crc64(s);
	ct_source_close(s);
	unlink(path);
	return st;
}

static const char *const formats[] = {"plain", "xz", "gz", "zst"};

static void every_format(void **state)
{
	struct bytes t = make_text();
	(void)state;
	for (int f = 0; f < 4; f++)
		for (int no_thread = 0; no_thread < 2; no_thread++) {
			struct ct_source_options o = {.no_thread = no_thread};
			struct bytes c = compress_as(formats[f], t), two = twice(c, f == 1 ? 8 : 0), out;
			struct ct_error e = {0};
			uint64_t raw, crc;
			assert_int_equal(read_file(c, &o, &out, &e, &raw, &crc), 0);
			assert_int_equal(out.n, t.n);
			assert_memory_equal(out.p, t.p, t.n);
			assert_int_equal(raw, c.n);
			assert_int_equal(crc, ct_crc64(0, c.p, c.n));
			free(out.p);
			/* Two streams or frames behind one another; xz with padding between. */
			assert_int_equal(read_file(two, &o, &out, &e, &raw, NULL), 0);
			assert_int_equal(out.n, 2 * t.n);
			assert_memory_equal(out.p + t.n, t.p, t.n);
			assert_int_equal(raw, two.n);
			free(out.p);
			free(two.p);
			free(c.p);
		}
	free(t.p);
}

/* Cut or damaged compressed data: an error, after what precedes it; never more than
 * the true text. */
static void damage(void **state)
{
	struct bytes t = make_text();
	uint64_t seed = 3;
	(void)state;
	for (int f = 1; f < 4; f++) {
		struct bytes c = compress_as(formats[f], t), out;
		size_t whole = c.n;
		for (int i = 0; i < 40; i++) {
			struct ct_error e = {0};
			c.n = i < 20 ? whole * (size_t)i / 20 : whole;
			/* Below the magic bytes it is a plain file of some bytes. */
			if (c.n < 6)
				continue;
			size_t at = ct_rand64(&seed) % whole;
			unsigned char bit = (unsigned char)(1u << ct_rand64(&seed) % 8);
			/* Bytes of a gzip header that mean nothing may change unnoticed. */
			if (i >= 20 && at < 12)
				at += 12;
			if (i >= 20)
				c.p[at] ^= bit;
			int st = read_file(c, NULL, &out, &e, NULL, NULL);
			if (i >= 20)
				c.p[at] ^= bit;
			if (st != CT_ERR_INPUT)
				fail_msg("%s %d: status %d", formats[f], i, st);
			assert_non_null(strstr(e.text, i < 20 ? "is cut at byte" : "byte"));
			if (i < 20) {
				assert_true(out.n <= t.n);
				assert_memory_equal(out.p ? out.p : t.p, t.p, out.n);
			}
			free(out.p);
		}
		free(c.p);
	}
	free(t.p);
}

/* A header of twelve bytes may not ask for gigabytes. */
static void wide_windows_are_refused(void **state)
{
	static unsigned char frame[] = {
		0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa7, 0xfd, 0xcb, 0x00, 0x0a, 0x00, 0x64};
	struct bytes c = {frame, sizeof frame}, out;
	struct ct_error e = {0};
	(void)state;
	assert_int_equal(read_file(c, NULL, &out, &e, NULL, NULL), CT_ERR_LIMIT);
	assert_non_null(strstr(e.text, "512 MiB"));
	free(out.p);
}

static void trailing_garbage(void **state)
{
	struct bytes t = make_text();
	(void)state;
	for (int f = 1; f < 4; f++) {
		struct bytes c = compress_as(formats[f], t), out;
		struct ct_error e = {0};
		memcpy(c.p + c.n, "garbage", 7);
		c.n += 7;
		assert_int_equal(read_file(c, NULL, &out, &e, NULL, NULL), CT_ERR_INPUT);
		assert_int_equal(out.n, t.n);
		free(out.p);
		free(c.p);
	}
	free(t.p);
}

static void limits_and_peeks(void **state)
{
	struct bytes t = make_text(), out;
	struct bytes c = compress_as("zst", t);
	struct ct_error e = {0};
	struct ct_source_options o = {.max_expand = 300000};
	struct ct_source *s;
	const char *p;
	size_t n;
	(void)state;
	assert_int_equal(read_file(c, &o, &out, &e, NULL, NULL), CT_ERR_LIMIT);
	free(out.p);
	assert_int_equal(ct_source_open_memory(&s, "name", c.p, c.n, &e), CT_OK);
	assert_int_equal(ct_source_peek(s, 100, &p, &n, &e), CT_OK);
	assert_int_equal(n, 100);
	assert_memory_equal(p, t.p, 100);
	assert_int_equal(ct_source_peek(s, 1 << 30, &p, &n, &e), CT_OK);
	assert_int_equal(n, 64 * 1024);
	assert_int_equal(ct_source_read(s, &p, &n, &e), 1);
	assert_memory_equal(p, t.p, 1000);
	assert_int_equal(ct_source_peek(s, 1, &p, &n, &e), CT_ERR_USAGE);
	assert_string_equal(ct_source_format(s), "zst");
	assert_string_equal(ct_source_name(s), "name");
	/* The rest uncompressed: counted all the same. */
	assert_int_equal(ct_source_drain(s, &e), CT_OK);
	assert_int_equal(ct_source_raw_bytes(s), c.n);
	assert_int_equal(ct_source_raw_crc64(s), ct_crc64(0, c.p, c.n));
	assert_int_equal(ct_source_read(s, &p, &n, &e), 0);
	ct_source_close(s);
	free(c.p);
	free(t.p);
}

static char big[400000];

static void *write_big(void *fd)
{
	size_t sent = 0;
	while (sent < sizeof big) {
		ssize_t w = write(*(int *)fd, big + sent, sizeof big - sent);
		if (w <= 0)
			break;
		sent += (size_t)w;
	}
	return NULL;
}

/* Closing must not wait for a writer that never writes. */
static void early_close(void **state)
{
	int fd[2];
	struct ct_source *s;
	struct ct_error e = {0};
	const char *p;
	size_t n;
	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(ct_source_open_fd(&s, fd[0], "pipe", NULL, &e), CT_OK);
	memset(big, 'x', sizeof big);
	/* The first slot in full and a part of the second, which the thread waits to fill. */
	pthread_t writer;
	assert_int_equal(pthread_create(&writer, NULL, write_big, &fd[1]), 0);
	assert_int_equal(ct_source_read(s, &p, &n, &e), 1);
	pthread_join(writer, NULL);
	ct_source_close(s);
	close(fd[1]);
	/* The thread waits for the very first byte. */
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(ct_source_open_fd(&s, fd[0], "pipe", NULL, &e), CT_OK);
	ct_source_close(s);
	close(fd[1]);
	/* A consumer that stops in the middle of a large file. */
	struct bytes t = make_text();
	struct bytes c = compress_as("xz", t);
	assert_int_equal(ct_source_open_memory(&s, "m", c.p, c.n, &e), CT_OK);
	assert_int_equal(ct_source_read(s, &p, &n, &e), 1);
	ct_source_close(s);
	free(c.p);
	free(t.p);
}

static void failures(void **state)
{
	struct ct_source *s;
	struct ct_error e = {0};
	(void)state;
	assert_int_equal(ct_source_open(&s, "/nonexistent", NULL, &e), CT_ERR_IO);
	assert_null(s);
	assert_int_equal(ct_source_open(&s, "/", NULL, &e), CT_ERR_IO);
	assert_non_null(strstr(e.text, "/: cannot read"));
}

static void kinds(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		enum ct_kind kind;
	} cases[] = {
		{"", 0, CT_KIND_EMPTY},
		{"\n \n", 3, CT_KIND_EMPTY},
		{"kernel-1.traceg\n", 0, CT_KIND_KERNELSLIST},
		{"MemcpyHtoD,0x10,20\n", 0, CT_KIND_KERNELSLIST},
		{"cudaMalloc,0x10,20\nkernel-1.traceg\n", 0, CT_KIND_KERNELSLIST},
		{"GPU_0/kernel-1.traceg\n", 0, CT_KIND_KERNELSLIST},
		{"-kernel name = x\n", 0, CT_KIND_ACCELSIM},
		{"# comment\n0100 00000001 0 LDG.E.32 0 4 0 0x7f 0\n", 0, CT_KIND_ACCELSIM},
		{"#BEGIN_TB\n", 0, CT_KIND_ACCELSIM},
		{"CTZ\x01zzz", 0, CT_KIND_CTZ},
		{"---- NVBit ----\nMEMTRACE: CTX 0x1\n", 0, CT_KIND_NVBIT},
		{"#cachetriage-profile\t1\n", 0, CT_KIND_PROFILE},
		{"-kernel name = x\n\0\1\2", 20, CT_KIND_TRACEZ},
		{"[\n{", 0, CT_KIND_JSON},
		{"\x7f"
	         "ELF\x02\x01\x01\0\0\0",
	         10, CT_KIND_BINARY},
		{"some words\n", 0, CT_KIND_TEXT},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ct_source *s;
		struct ct_error e = {0};
		enum ct_kind kind = CT_KIND_EMPTY;
		size_t n = cases[i].n ? cases[i].n : strlen(cases[i].text);
		assert_int_equal(ct_source_open_memory(&s, "x", cases[i].text, n, &e), CT_OK);
		assert_int_equal(ct_source_sniff(s, &kind, &e), CT_OK);
		if (kind != cases[i].kind)
			fail_msg("case %zu: kind %d", i, kind);
		ct_source_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format),
		cmocka_unit_test(damage),
		cmocka_unit_test(wide_windows_are_refused),
		cmocka_unit_test(trailing_garbage),
		cmocka_unit_test(limits_and_peeks),
		cmocka_unit_test(early_close),
		cmocka_unit_test(failures),
		cmocka_unit_test(kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
