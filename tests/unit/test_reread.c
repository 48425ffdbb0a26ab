/* Reading a trace again, or not at all: what comes through a pipe is kept, and launches are passed over by their headers. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/microtrace.h"
#include "trace/keep.h"
#include "trace/trace.h"

static char folder[] = "/tmp/reread-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const name[] = {
		"fifo", "file", "kernel-1.traceg", "kernel-2.traceg", "kernelslist.g"};
	char path[128];
	(void)state;
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, name[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static const char *in_folder(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* Keeps `text` of a pipe in pieces of 7 bytes; 1 when it can be read again. */
static int keep(struct ct_keep *k, const char *text, size_t n, uint64_t limit)
{
	ct_keep_begin(k, in_folder("fifo"), limit);
	for (size_t at = 0; at < n; at += 7) {
		ct_keep_add(k, text + at, n - at < 7 ? n - at : 7);
		assert_int_equal(ct_keep_has(k, in_folder("fifo")), 0); /* not all of it yet */
	}
	ct_keep_add(k, NULL, 0);
	return ct_keep_has(k, in_folder("fifo"));
}

static void test_keep(void **state)
{
	static const char text[] = "what comes through a pipe comes once, and no more than that";
	enum { N = sizeof text - 1 };
	char again[sizeof text];
	struct ct_keep k;
	(void)state;
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(keep(&k, text, N, N), 1); /* just so many bytes as are allowed */
	assert_int_equal(ct_keep_has(&k, "another"), 0);
	for (int i = 0; i < 2; i++) { /* each time from the beginning */
		int fd = ct_keep_open(&k);
		assert_true(fd >= 0);
		assert_int_equal(read(fd, again, sizeof again), N);
		assert_memory_equal(again, text, N);
		close(fd);
	}
	ct_keep_end(&k);
	assert_int_equal(ct_keep_has(&k, in_folder("fifo")), 0);

	assert_int_equal(keep(&k, text, N, N - 1), 0); /* one byte too many */
	ct_keep_end(&k);
	assert_int_equal(keep(&k, text, 0, N), 0); /* an empty pipe */
	ct_keep_end(&k);
	ct_keep_begin(&k, in_folder("fifo"), N);
	ct_keep_add(&k, "#cachetriage-profile\t1\n", 23); /* is read once */
	ct_keep_add(&k, NULL, 0);
	assert_int_equal(ct_keep_has(&k, in_folder("fifo")), 0);
	ct_keep_end(&k);
	assert_int_equal(ct_keep_has(NULL, "-"), 0);
}

/* What can be opened again is not kept. */
static void test_keep_leaves_files(void **state)
{
	struct ct_keep k;
	(void)state;
	int fd = open(in_folder("file"), O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	ct_keep_begin(&k, in_folder("file"), 100);
	ct_keep_add(&k, "text", 4);
	ct_keep_add(&k, NULL, 0);
	assert_int_equal(ct_keep_has(&k, in_folder("file")), 0);
	ct_keep_end(&k);
	ct_keep_begin(&k, folder, 100);
	assert_int_equal(*k.path, 0);
	ct_keep_end(&k);
}

static size_t write_kernel(const char *name, const char *kernel, uint32_t ctas, uint32_t insts)
{
	struct micro m = {0};
	size_t n;
	micro_kernel(&m, kernel, ctas, 32, 0, 16);
	for (uint32_t c = 0; c < ctas; c++) {
		micro_cta(&m);
		micro_warp(&m, 0, insts + 1);
		for (uint32_t i = 0; i < insts; i++)
			micro_line(&m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4", 0x10000000 + 128 * i);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
	}
	FILE *f = fopen(in_folder(name), "w");
	assert_non_null(f);
	n = fwrite(m.text.data, 1, m.text.len, f);
	assert_int_equal(n, m.text.len);
	assert_int_equal(fclose(f), 0);
	ct_buf_free(&m.text);
	return n;
}

/* The k-th kernel is passed over (-1: none): what is left is the same as without that, but for its CTAs. */
static unsigned ctas_without(int k, const size_t size[2], char *names)
{
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_error e;
	uint64_t bytes;
	unsigned ctas = 0;
	int st, kernels = 0;
	*names = '\0';
	assert_int_equal(ct_trace_open(&t, folder, NULL, &e), CT_OK);
	while ((st = ct_trace_next(t, &ev, &e)) > 0) {
		struct ct_cta *cta;
		if (ev.kind != CT_EVENT_KERNEL)
			continue;
		strcat(names, ev.kernel->name);
		if (kernels++ == k) {
			assert_int_equal(ct_trace_skip_kernel(t, &bytes, &e), CT_OK);
			assert_int_equal(bytes, size[k]);
		}
		for (; (st = ct_trace_next_cta(t, &cta, &e)) > 0; ctas++)
			ct_cta_unref(cta);
		assert_int_equal(st, 0);
	}
	assert_int_equal(st, 0);
	ct_trace_close(t);
	return ctas;
}

static void test_skip_kernel(void **state)
{
	size_t size[2] = {write_kernel("kernel-1.traceg", "a", 5, 40),
	                  write_kernel("kernel-2.traceg", "b", 3, 9)};
	char names[16];
	FILE *f = fopen(in_folder("kernelslist.g"), "w");
	(void)state;
	assert_non_null(f);
	fputs("kernel-1.traceg\nkernel-2.traceg\n", f);
	assert_int_equal(fclose(f), 0);
	static const unsigned ctas[] = {8, 3, 5}; /* none skipped, the first, the second */
	for (int k = -1; k < 2; k++) {
		assert_int_equal(ctas_without(k, size, names), ctas[k + 1]);
		assert_string_equal(names, "ab");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_keep_leaves_files),
		cmocka_unit_test(test_skip_kernel),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
