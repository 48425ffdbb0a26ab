/* Kernels lists, folders and filters. */
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

#include "base/buf.h"
#include "base/hash.h"
#include "trace/private/list.h"

static char folder[4096];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "%s/list-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[4200];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

static const char *in_folder(const char *name)
{
	static char path[2][8192];
	static int which;
	which = !which;
	snprintf(path[which], sizeof path[which], "%s/%s", folder, name);
	return path[which];
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	fclose(f);
}

static const char *kernel(const char *name, const char *stream)
{
	static char text[500];
	snprintf(text, sizeof text,
	         "-kernel name = %s\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
	         "-cuda stream id = %s\n-accelsim tracer version = 3\n#traces format\n#BEGIN_TB\n"
	         "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0010 ffffffff 0 EXIT 0 0 \n#END_TB\n",
	         name, stream);
	return text;
}

static void parsing(void **state)
{
	struct ct_list l;
	struct ct_error e = {0};
	const char *text = "MemcpyHtoD,0x00007f00,400\r\n\n  kernel-1.traceg \ncudaMalloc,0x10,4\n"
			   "MemcpyDtoH,0x10,4\nGPU_0/kernel-7.traceg.xz\nsomething\n"
			   "MemcpyHtoD,0x8,1\n";
	(void)state;
	assert_int_equal(ct_list_parse(&l, "n", text, strlen(text), &e), CT_OK);
	assert_int_equal(l.n, 4);
	assert_int_equal(l.kernels, 2);
	assert_int_equal(l.memcpys, 2);
	assert_int_equal(l.unknown, 3);
	assert_int_equal(l.first_unknown, 4);
	assert_int_equal(l.entry[0].address, 0x7f00);
	assert_int_equal(l.entry[0].bytes, 400);
	assert_string_equal(l.entry[1].name, "kernel-1.traceg");
	assert_int_equal(l.entry[1].line, 3);
	assert_int_equal(l.entry[2].id, 2);
	ct_list_free(&l);
}

static void bad_lists(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"MemcpyHtoD,0x10,4\n", "n:1: the kernels list names no kernel"},
		{"", "n:1: the kernels list names no kernel"},
		{"kernel-1\nMemcpyHtoD,0x10,\n", "n:2: bad memory copy"},
		{"kernel-1\nMemcpyHtoD,0x10,4x\n", "n:2: bad memory copy"},
		{"kernel-1\nMemcpyHtoD,10,4\n", "n:2: bad memory copy"},
		{"kernel-1\nMemcpyHtoD,0x10000000000000000,4\n", "n:2: bad memory copy"},
		{"kernel-1\nMemcpyHtoD,0x1,99999999999999999999\n", "n:2: bad memory copy"},
		{"kernel-1\nMemcpyHt", "n:2: bad memory copy"},
		{"kernel-1\nMemcpyHtoD,0x10,4", "n:2: bad memory copy"}, /* of 4096, say */
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ct_list l;
		struct ct_error e = {0};
		assert_int_equal(ct_list_parse(&l, "n", cases[i].text, strlen(cases[i].text), &e),
		                 CT_ERR_INPUT);
		if (!strstr(e.text, cases[i].want))
			fail_msg("case %zu: %s", i, e.text);
		ct_list_free(&l);
	}
}

static void most_kernels(void **state)
{
	struct ct_list l;
	struct ct_error e = {0};
	struct ct_buf b = {0};
	(void)state;
	for (int i = 0; i <= 1 << 20; i++)
		ct_buf_puts(&b, "kernel\n");
	assert_int_equal(ct_list_parse(&l, "n", b.data, b.len - 7, &e), CT_OK);
	ct_list_free(&l);
	assert_int_equal(ct_list_parse(&l, "n", b.data, b.len, &e), CT_ERR_LIMIT);
	assert_string_equal(e.text, "n:1048577: more than 1048576 kernels in one list: split it");
	ct_list_free(&l);
	ct_buf_free(&b);
}

struct told {
	int n;
	char text[2000];
};

static void tell(void *ctx, const char *text)
{
	struct told *t = ctx;
	t->n++;
	strncat(t->text, text, sizeof t->text - strlen(t->text) - 2);
	strcat(t->text, "\n");
}

/* "id name;" for each kernel, "m;" for a copy, or the error. */
static void events(const char *path, struct ct_trace_options *o, struct ct_buf *b,
                   struct ct_trace_stats *stats)
{
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_error e = {0};
	ct_buf_reset(b);
	int st = ct_trace_open(&t, path, o, &e);
	while (st >= 0 && (st = ct_trace_next(t, &ev, &e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY)
			ct_buf_puts(b, "m;");
		else
			ct_buf_printf(b, "%u %s;", ev.kernel->id, ev.kernel->name);
	}
	if (st < 0)
		ct_buf_puts(b, e.text);
	if (t && stats)
		*stats = *ct_trace_stats(t);
	ct_trace_close(t);
	if (!b->len)
		ct_buf_puts(b, "");
}

static void whole_lists(void **state)
{
	struct told told = {0};
	struct ct_trace_options o = {.diag = {tell, &told}};
	struct ct_trace_stats s;
	struct ct_buf b = {0};
	uint64_t crc = 0;
	const char
		*list = "MemcpyHtoD,0x10,4\nkernel-1.traceg\nodd\nkernel-2.traceg.xz\nkernel-3.traceg\n"
			"MemcpyHtoD,0x10,4\nsub/kernel-4.traceg\n";
	(void)state;
	mkdir(in_folder("sub"), 0700);
	put("kernelslist.g", list);
	put("kernel-1.traceg", kernel("one", "0"));
	crc = ct_crc64(ct_crc64(0, list, strlen(list)), kernel("one", "0"), strlen(kernel("one", "0")));
	put("kernel-2.traceg", kernel("two", "0"));
	crc = ct_crc64(crc, kernel("two", "0"), strlen(kernel("two", "0")));
	put("sub/kernel-4.traceg.zst", kernel("four", "94618018363472"));
	crc = ct_crc64(crc, kernel("four", "94618018363472"), strlen(kernel("four", "94618018363472")));
	events(folder, &o, &b, &s);
	assert_string_equal(b.data, "m;1 one;2 two;m;4 four;");
	assert_int_equal(s.kernels, 3);
	assert_int_equal(s.missing_kernels, 1);
	assert_int_equal(s.unknown_commands, 1);
	assert_int_equal(s.several_streams, 1);
	assert_int_equal(s.crc64, crc);
	assert_int_equal(told.n, 3);
	assert_non_null(strstr(told.text, "1 of 4 kernels of the list are missing"));
	/* The filter changes what is handed out, not the digest. */
	struct ct_error e;
	struct ct_filter *f;
	assert_int_equal(ct_filter_compile(&f, "^t", &e), CT_OK);
	o.filter = f;
	events(in_folder("kernelslist.g"), &o, &b, &s);
	assert_string_equal(b.data, "m;2 two;m;");
	assert_int_equal(s.skipped_kernels, 2);
	assert_int_equal(s.crc64, crc);
	ct_filter_free(f);
	assert_int_equal(ct_filter_compile(&f, "4-9", &e), CT_OK);
	o.filter = f;
	events(folder, &o, &b, &s);
	assert_string_equal(b.data, "m;m;4 four;");
	ct_filter_free(f);
	ct_buf_free(&b);
}

/* Whoever loses the last lines of a list finds their kernels beside it. */
static void unlisted(void **state)
{
	static const struct {
		const char *list, *text;
		uint64_t n;
		int late;
	} row[] = {
		{"kernelslist.g",
	         "kernel-1.traceg\nkernel-2.traceg.xz\nkernel-10.traceg\nkernel-11.traceg\n", 0, 0},
		{"kernelslist.g", "kernel-1.traceg\nkernel-2.traceg.xz\nkernel-10.traceg\n", 1, 0},
		{"kernelslist.g", "kernel-1.traceg\n", 3, 0},
		{"kernelslist", "kernel-1.trace\n", 0, 0},
		{"kernelslist_ctx_0xa.g", "kernel-1-ctx_0xa.traceg\n", 1, 0},
		{"kernelslist_ctx_0xb.g", "kernel-3-ctx_0xb.traceg\n", 0, 0},
		{"kernelslist.g",
	         "kernel-1.traceg\nkernel-10.traceg\nkernel-2.traceg\nkernel-11.traceg\n", 0, 1},
		{"kernelslist.g",
	         "kernel-1.traceg\nkernel-10.traceg\nkernel-2.traceg\nkernel-11.traceg\nkernel-1.traceg\n",
	         0, 0},
		{"some.g", "kernel-1.traceg\n", 0, 0},            /* a choice of kernels */
		{"kernelslist.g", "sub/kernel-1.traceg\n", 0, 0}, /* that lie elsewhere */
	};
	static const char *const file[] = {
		"kernel-1.traceg",         "kernel-2.traceg",
		"kernel-2.traceg.zst",     "kernel-10.traceg",
		"kernel-11.traceg.gz",     "kernel-1.trace",
		"kernel-1-ctx_0xa.traceg", "kernel-2-ctx_0xa.traceg.zst",
		"kernel-3-ctx_0xb.traceg", "kernel-9.traceg.part",
		"kernel-x.traceg",         "akernel-7.traceg",
		"sub/kernel-1.traceg"};
	struct ct_buf b = {0};
	(void)state;
	mkdir(in_folder("sub"), 0700);
	for (size_t i = 0; i < sizeof file / sizeof *file; i++)
		put(file[i], kernel("k", "0"));
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct told told = {0};
		struct ct_trace_options o = {.diag = {tell, &told}};
		struct ct_trace_stats s;
		put(row[i].list, row[i].text);
		events(in_folder(row[i].list), &o, &b, &s);
		assert_int_equal(s.unlisted_kernels, row[i].n);
		assert_int_equal(told.n, (row[i].n != 0) + row[i].late);
		if (row[i].n == 3)
			assert_non_null(
				strstr(told.text,
			               "3 kernels of its folder are not in the list and were not read, "
			               "kernel-10.traceg is the first"));
	}
	ct_buf_free(&b);
}

static void one_kernel_per_file(void **state)
{
	struct ct_buf b = {0}, two = {0};
	(void)state;
	ct_buf_puts(&two, kernel("a", "0"));
	ct_buf_puts(&two, kernel("b", "0"));
	put("kernel-1.traceg", two.data);
	put("kernelslist.g", "kernel-1.traceg\n");
	events(folder, NULL, &b, NULL);
	assert_non_null(strstr(b.data, "a second kernel in one file of a list"));
	/* Alone the file is two launches. */
	events(in_folder("kernel-1.traceg"), NULL, &b, NULL);
	assert_string_equal(b.data, "1 a;2 b;");
	ct_buf_free(&b);
	ct_buf_free(&two);
}

static void folders(void **state)
{
	struct ct_error e = {0};
	struct told told = {0};
	struct ct_diag d = {tell, &told};
	char *path;
	(void)state;
	assert_int_equal(ct_list_in_folder(folder, &d, &path, &e), CT_ERR_INPUT);
	put("kernelslist_ctx_0x2.g", "");
	put("kernelslist_ctx_0x1.g", "");
	put("kernelslist_ctx_0x0", "");
	assert_int_equal(ct_list_in_folder(folder, &d, &path, &e), CT_OK);
	assert_string_equal(strrchr(path, '/'), "/kernelslist_ctx_0x1.g");
	assert_int_equal(told.n, 1);
	free(path);
	put("kernelslist", "");
	assert_int_equal(ct_list_in_folder(folder, &d, &path, &e), CT_OK);
	assert_string_equal(strrchr(path, '/'), "/kernelslist");
	free(path);
	put("kernelslist.g.xz", "");
	assert_int_equal(ct_list_in_folder(folder, &d, &path, &e), CT_OK);
	assert_string_equal(strrchr(path, '/'), "/kernelslist.g.xz");
	free(path);
	path = ct_list_folder("list");
	assert_string_equal(path, ".");
	free(path);
	path = ct_list_folder("/list");
	assert_string_equal(path, "/");
	free(path);
	path = ct_list_folder("a/b/list");
	assert_string_equal(path, "a/b");
	free(path);
}

static void paths(void **state)
{
	static const char *const out[] = {"kernel/../../x", "kernel-1/..", "/tmp/kernel-1.traceg"};
	struct ct_buf b = {0};
	char list[200];
	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(list, sizeof list, "kernel-9\n%s\n", out[i]);
		put("kernelslist.g", list);
		events(folder, NULL, &b, NULL);
		assert_non_null(strstr(b.data, "kernelslist.g:2: "));
		assert_non_null(strstr(b.data, "--trust-paths"));
	}
	/* Trusted, and names that only look like leaving. */
	struct ct_trace_options o = {.trust_paths = 1};
	mkdir(in_folder("deep"), 0700);
	put("kernel-1.traceg", kernel("one", "0"));
	put("deep/kernelslist.g", "kernel/../../kernel-1.traceg\n../kernel-1.traceg\n");
	mkdir(in_folder("deep/kernel"), 0700);
	events(in_folder("deep"), &o, &b, NULL);
	assert_string_equal(b.data, "1 one;2 one;");
	put("kernel-..traceg", kernel("dots", "0"));
	put("kernelslist.g", "kernel-..traceg\n");
	events(folder, NULL, &b, NULL);
	assert_string_equal(b.data, "1 dots;");
	mkfifo(in_folder("kernel-8.traceg"), 0600);
	put("kernelslist.g", "kernel-8.traceg\n");
	events(folder, NULL, &b, NULL);
	assert_non_null(strstr(b.data, "not a regular file"));
	ct_buf_free(&b);
}

static void filters(void **state)
{
	struct ct_filter *f;
	struct ct_error e = {0};
	char name[] = "_Z6vecAddPdS_", slow[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
	struct ct_kernel k = {.id = 5, .name = name};
	(void)state;
	assert_int_equal(ct_filter_compile(&f, "vec.*d", &e), CT_OK);
	assert_int_equal(ct_filter_matches(f, &k), 1);
	ct_filter_free(f);
	assert_int_equal(ct_filter_compile(&f, "^vec", &e), CT_OK);
	assert_int_equal(ct_filter_matches(f, &k), 0);
	ct_filter_free(f);
	assert_int_equal(ct_filter_compile(&f, "5", &e), CT_OK);
	assert_int_equal(ct_filter_matches(f, &k), 1);
	ct_filter_free(f);
	assert_int_equal(ct_filter_compile(&f, "1-4", &e), CT_OK);
	assert_int_equal(ct_filter_matches(f, &k), 0);
	ct_filter_free(f);
	const uint64_t launches[] = {9, 5, 7};
	assert_int_equal(ct_filter_launches(&f, launches, 3, &e), CT_OK);
	for (k.id = 4; k.id < 11; k.id++)
		assert_int_equal(ct_filter_matches(f, &k), k.id == 5 || k.id == 7 || k.id == 9);
	ct_filter_free(f);
	assert_int_equal(ct_filter_launches(&f, launches, 0, &e), CT_OK);
	assert_int_equal(ct_filter_matches(f, &k), 0);
	ct_filter_free(f);
	assert_int_equal(ct_filter_compile(&f, "(a", &e), CT_ERR_USAGE);
	assert_null(f);
	assert_int_equal(ct_filter_compile(&f, "", &e), CT_ERR_USAGE);
	assert_int_equal(ct_filter_compile(&f, "0", &e), CT_ERR_USAGE);
	assert_int_equal(ct_filter_compile(&f, "4-3", &e), CT_ERR_USAGE);
	/* A pattern that backtracks without end is given up on. */
	k.name = slow;
	assert_int_equal(ct_filter_compile(&f, "^(a+)+$", &e), CT_OK);
	assert_int_equal(ct_filter_matches(f, &k), CT_ERR_LIMIT);
	ct_filter_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(most_kernels),
		cmocka_unit_test_setup_teardown(whole_lists, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unlisted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_kernel_per_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(paths, set_up, tear_down),
		cmocka_unit_test(filters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
