/* Units of lib/base: numbers with units, growable text, output files, errors. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/outfile.h"
#include "base/threads.h"
#include "base/units.h"
#include "base/utf8.h"

static void whole_numbers(void **state)
{
	(void)state;
	uint64_t v = 7;
	assert_int_equal(ct_parse_u64("18446744073709551615", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(ct_parse_u64("18446744073709551616", &v), -1);
	assert_int_equal(ct_parse_u64("0xFFffFFffFFffFFff", &v), 0);
	assert_true(v == UINT64_MAX);
	static const char *const bad[] = {"", "-1", "+1", "1 ", " 1", "0x", "12a", "1e3"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(ct_parse_u64(bad[i], &v), -1);
	assert_int_equal(ct_parse_u64_range("5", 6, 9, &v), -1);
	assert_int_equal(ct_parse_u64_range("9", 6, 9, &v), 0);
}

static void sizes(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		uint64_t v;
	} good[] = {
		{"64KiB", 65536}, {"64 KiB", 65536},
		{"64K", 65536},   {"1.5MiB", 1572864},
		{"0", 0},         {"5GB", 5368709120u},
		{"17", 17},       {"9007199254740993", 9007199254740993u},
	};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint64_t v;
		assert_int_equal(ct_parse_size(good[i].s, &v), 0);
		assert_true(v == good[i].v);
	}
	static const char *const bad[] = {"", "x", "1.0001B", "-1K", "1KX", "64  KiB", "1e300GB", "nan"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t v;
		assert_int_equal(ct_parse_size(bad[i], &v), -1);
	}
	char text[32];
	ct_format_size(5 << 20, text, sizeof text);
	assert_string_equal(text, "5 MiB");
}

static void units(void **state)
{
	(void)state;
	double v;
	assert_int_equal(ct_parse_unit("1.71GHz", CT_UNIT_MHZ, &v), 0);
	assert_true(fabs(v - 1710) < 1e-9);
	assert_int_equal(ct_parse_unit("7.25 pJ/bit", CT_UNIT_PJ_PER_B, &v), 0);
	assert_true(v == 58);
	assert_int_equal(ct_parse_unit("3 GHz", CT_UNIT_BYTES, &v), -1);
	assert_int_equal(ct_parse_real("1/8", &v), 0);
	assert_true(v == 0.125);
	assert_int_equal(ct_parse_real("-2.5e-1", &v), 0);
	assert_true(v == -0.25);
	assert_int_equal(ct_parse_real("1/0", &v), -1);
	assert_int_equal(ct_parse_real("1e999", &v), -1);
	assert_int_equal(ct_parse_real("1,5", &v), -1);
}

static void nearest(void **state)
{
	(void)state;
	static const char *const names[] = {"l1.size", "llc.size", "sm.count"};
	assert_int_equal(ct_nearest_name("l1.sise", names, 3), 0);
	assert_int_equal(ct_nearest_name("sm.cuont", names, 3), 2);
	assert_int_equal(ct_nearest_name("entirely.else", names, 3), -1);
}

static void reals_as_the_profile_prints_them(void **state)
{
	(void)state;
	struct ct_buf b = {0};
	ct_buf_real(&b, 1.0 / 3);
	ct_buf_putc(&b, ' ');
	ct_buf_real(&b, NAN);
	ct_buf_putc(&b, ' ');
	ct_buf_real(&b, -0.0);
	ct_buf_putc(&b, ' ');
	ct_buf_real(&b, 1e20);
	assert_string_equal(b.data, "0.333333 NA 0 1e+20");
	ct_buf_free(&b);
}

static void growth_is_checked(void **state)
{
	(void)state;
	void *p = NULL;
	size_t cap = 0;
	assert_int_equal(ct_grow(&p, &cap, 100, 8), 0);
	assert_true(cap >= 100);
	assert_int_equal(ct_grow(&p, &cap, SIZE_MAX / 2, 8), -1);
	assert_true(cap >= 100);
	assert_null(ct_reallocarray(NULL, SIZE_MAX / 2, 4));
	assert_null(ct_calloc_aligned(SIZE_MAX / 2, 4));
	free(p);
}

static void a_pool_gives_cleared_lines(void **state)
{
	(void)state;
	struct ct_pool p = {0};
	uint64_t sum = 0;
	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t n = 1; n < 200; n++) {
			unsigned char *q = ct_pool_take(&p, n, n % 7 * 50);
			assert_non_null(q);
			assert_int_equal((uintptr_t)q % 64, 0);
			for (size_t i = 0; i < n * (n % 7 * 50); i++)
				sum += q[i];
			memset(q, 0xff, n * (n % 7 * 50));
		}
		unsigned char *large = ct_pool_take(&p, 5, 1 << 20); /* more than a block */
		assert_non_null(large);
		memset(large, 0xff, 5 << 20);
		assert_null(ct_pool_take(&p, SIZE_MAX / 2, 4));
		ct_pool_free(&p);
		assert_null(p.block);
	}
	assert_int_equal(sum, 0);
}

static void errors_stay_one_line(void **state)
{
	(void)state;
	struct ct_error e;
	assert_int_equal(ct_fail(&e, CT_ERR_INPUT, "a\nb\tc%s", "\x1b[31m"), CT_ERR_INPUT);
	assert_string_equal(e.text, "a?b?c?[31m");
	assert_int_equal(ct_fail(NULL, CT_ERR_IO, "x"), CT_ERR_IO);
}

static void files_are_complete_or_absent(void **state)
{
	(void)state;
	char dir[] = "/tmp/ct_base_XXXXXX", path[64];
	struct ct_out *o;
	struct ct_error e;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/out", dir);
	assert_int_equal(ct_out_open(&o, path, 0, &e), CT_OK);
	assert_int_equal(ct_out_write(o, "old", 3, &e), CT_OK);
	assert_int_equal(ct_out_commit(o, &e), CT_OK);
	assert_int_equal(ct_out_open(&o, path, 0, &e), CT_OK);
	char *big = calloc(1, 200000);
	assert_non_null(big);
	assert_int_equal(ct_out_write(o, big, 200000, &e), CT_OK);
	ct_out_abort(o);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(ct_out_open(&o, path, 0, &e), CT_OK);
	assert_int_equal(ct_out_write(o, big, 200000, &e), CT_OK);
	assert_int_equal(ct_out_commit(o, &e), CT_OK);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 200000);
	free(big);
	/* Nothing else is left in the folder, so it can be removed. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(ct_out_open(&o, path, 0, &e), CT_ERR_IO);
}

/* Reads all, but not before the pipe is full. */
static void *late_reader(void *ctx)
{
	int fd = *(int *)ctx, held = 0, before = -1;
	size_t *got = malloc(sizeof *got);
	static char part[1 << 16];
	while (held == 0 || held != before) {
		before = held;
		usleep(20000);
		if (ioctl(fd, FIONREAD, &held) != 0)
			break;
	}
	*got = 0;
	for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;)
		*got += (size_t)n;
	return got;
}

static void a_pipe_that_does_not_block_is_waited_for(void **state)
{
	(void)state;
	int end[2];
	char path[32];
	struct ct_out *o;
	struct ct_error e;
	pthread_t reader;
	void *got;
	size_t n = 1 << 20;
	char *big = calloc(1, n);
	assert_non_null(big);
	assert_int_equal(pipe(end), 0);
	assert_true(fcntl(end[1], F_SETFL, fcntl(end[1], F_GETFL) | O_NONBLOCK) >= 0);
	snprintf(path, sizeof path, "/dev/fd/%d", end[1]);
	assert_int_equal(ct_out_open(&o, path, CT_OUT_STREAM, &e), CT_OK);
	close(end[1]);
	assert_int_equal(pthread_create(&reader, NULL, late_reader, &end[0]), 0);
	assert_int_equal(ct_out_write(o, big, n, &e), CT_OK);
	assert_int_equal(ct_out_commit(o, &e), CT_OK);
	assert_int_equal(pthread_join(reader, &got), 0);
	assert_int_equal(*(size_t *)got, n);
	free(got);
	free(big);
	close(end[0]);
}

static void put_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof got - 1, f) > 0);
	fclose(f);
	assert_string_equal(got, text);
}

/* Outputs 0 to 3: the first and third replace a file, the others have new names. The one of
 * the number `blocked` finds a folder in its place. */
static int commit_four(const char *dir, int blocked)
{
	struct ct_out *o[4];
	struct ct_error e;
	char path[4][64];
	for (int i = 0; i < 4; i++) {
		snprintf(path[i], sizeof path[i], "%s/%d", dir, i);
		if (i % 2 == 0)
			put_text(path[i], "before");
		assert_int_equal(ct_out_open(&o[i], path[i], 0, &e), CT_OK);
		assert_int_equal(ct_out_write(o[i], "after", 5, &e), CT_OK);
	}
	if (blocked < 4) {
		unlink(path[blocked]);
		assert_int_equal(mkdir(path[blocked], 0700), 0);
	}
	int st = ct_out_commit_all(o, 4, &e);
	for (int i = 0; i < 4; i++) {
		if (i == blocked) {
			assert_non_null(strstr(e.text, path[i]));
			assert_int_equal(rmdir(path[i]), 0);
		} else if (blocked < 4 && i % 2) {
			assert_int_equal(access(path[i], F_OK), -1);
		} else {
			assert_text(path[i], blocked < 4 ? "before" : "after");
			assert_int_equal(unlink(path[i]), 0);
		}
	}
	return st;
}

static void several_files_or_what_was_there(void **state)
{
	(void)state;
	char dir[] = "/tmp/ct_base_XXXXXX";
	assert_non_null(mkdtemp(dir));
	for (int blocked = 0; blocked <= 4; blocked++)
		assert_int_equal(commit_four(dir, blocked), blocked < 4 ? CT_ERR_IO : CT_OK);
	assert_int_equal(rmdir(dir), 0); /* nothing else is left in it */
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	struct ct_out *o;
	struct ct_error e;
	assert_int_equal(ct_out_open(&o, "/dev/full", 0, &e), CT_OK);
	assert_int_equal(ct_out_write(o, "x", 1, &e), CT_OK);
	assert_int_equal(ct_out_commit(o, &e), CT_ERR_IO);
	assert_non_null(strstr(e.text, "/dev/full"));
}

static void checksums(void **state)
{
	(void)state;
	/* Check values of CRC-32/ISO-HDLC and CRC-64/XZ for "123456789". */
	assert_true(ct_crc32(0, "123456789", 9) == 0xcbf43926u);
	assert_true(ct_crc64(0, "123456789", 9) == 0x995dc9bbdf1939fau);
	assert_true(ct_crc64(ct_crc64(0, "1234", 4), "56789", 5) == 0x995dc9bbdf1939fau);
}

static void square(void *ctx, size_t i)
{
	((uint64_t *)ctx)[i] = i * i;
}

static void parallel_loops_do_everything_once(void **state)
{
	(void)state;
	uint64_t out[1000];
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		memset(out, 0xff, sizeof out);
		ct_parallel_for(threads, 1000, square, out);
		for (size_t i = 0; i < 1000; i++)
			assert_true(out[i] == i * i);
	}
	assert_true(ct_threads_resolve(0) >= 1);
	assert_int_equal(ct_threads_resolve(3), 3);
}

static void text_is_made_readable(void **state)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{"", ""},
		{"a\tb\r\n", "a\tb\r\n"},
		{"\x01\x1b[1m\x7f", "??[1m?"},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xff\xfe", "??"},
		{"\xc3", "?"},
		{"\xe2\x82x", "??x"},
		{"\xc0\xaf", "??"},
		{"\xed\xa0\x80", "???"},
		{"\xef\xbf\xbf", "???"},
		{"\xef\xbf\xbd", "\xef\xbf\xbd"},
		{"\xc2\x9b"
	         "31m",
	         "??31m"},
		{"\xc2\xa0", "\xc2\xa0"},
		{"\xf4\x90\x80\x80", "????"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char s[16];
		size_t n = strlen(t[i].in);
		memcpy(s, t[i].in, n + 1);
		ct_utf8_clean(s, n);
		assert_string_equal(s, t[i].out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(units),
		cmocka_unit_test(nearest),
		cmocka_unit_test(reals_as_the_profile_prints_them),
		cmocka_unit_test(growth_is_checked),
		cmocka_unit_test(a_pool_gives_cleared_lines),
		cmocka_unit_test(errors_stay_one_line),
		cmocka_unit_test(files_are_complete_or_absent),
		cmocka_unit_test(a_pipe_that_does_not_block_is_waited_for),
		cmocka_unit_test(several_files_or_what_was_there),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(checksums),
		cmocka_unit_test(parallel_loops_do_everything_once),
		cmocka_unit_test(text_is_made_readable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
