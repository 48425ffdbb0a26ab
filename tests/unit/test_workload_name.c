/* Names of workloads: what is made of a path, and how those that are alike are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/verdict/name.h"

static void test_name(void **state)
{
	static const char *const path[][2] = {
		{"traces/bfs/kernelslist.g", "bfs"},
		{"traces/bfs/kernelslist.g.xz", "bfs"},
		{"bfs.ctz", "bfs"},
		{"/a/b/bfs/", "bfs"},
		{"runs/bfs.profile", "bfs"},
		{"bfs/kernel-3.traceg.zst", "bfs:kernel-3"},
		{"kernel-3.traceg", "kernel-3"},
		{"kernelslist.g", "kernelslist.g"},
		{"./kernelslist.g", "kernelslist.g"},
		{"../x.trace.gz", "x"},
		{"-", "-"},
		{"", ""},
		{".ctz", ".ctz"},
	};
	char name[CT_WORKLOAD_NAME_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
		ct_workload_name_of_path(path[i][0], name, sizeof name);
		assert_string_equal(name, path[i][1]);
	}
	char *here = realpath(".", NULL);
	assert_non_null(here);
	static const char *const folder[] = {".", "./", "./."};
	for (size_t i = 0; i < sizeof folder / sizeof folder[0]; i++) {
		char own[CT_WORKLOAD_NAME_MAX];
		ct_workload_name_of_path(folder[i], name, sizeof name);
		ct_workload_name_of_path(here, own, sizeof own);
		assert_string_equal(name, own);
		assert_string_not_equal(name, ".");
	}
	free(here);
	ct_workload_name_of_path("abcdefgh", name, 5);
	assert_string_equal(name, "abcd");
}

struct list {
	char name[20][CT_WORKLOAD_NAME_MAX];
	size_t n;
};

static char *name_of(void *ctx, size_t i)
{
	struct list *l = ctx;
	return strcmp(l->name[i], "-") ? l->name[i] : NULL;
}

static void distinct(const char *given, const char *want)
{
	struct list l = {.n = 0};
	char text[8192] = "";
	for (const char *s = given; *s; s += strcspn(s, " "), s += *s == ' ')
		snprintf(l.name[l.n++], CT_WORKLOAD_NAME_MAX, "%.*s", (int)strcspn(s, " "), s);
	assert_int_equal(ct_workload_distinguish(l.n, name_of, &l, NULL), CT_OK);
	for (size_t i = 0; i < l.n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
		         l.name[i]);
	assert_string_equal(text, want);
}

/* No two workloads share a name, also where one is called as another would be numbered. */
static void test_distinct(void **state)
{
	unsigned k = 0;
	char long_name[2 * CT_WORKLOAD_NAME_MAX] = "", want[2 * CT_WORKLOAD_NAME_MAX] = "";
	(void)state;
	distinct("a", "a");
	distinct("a b a a b", "a b a#2 a#3 b#2");
	distinct("a a a#2", "a a#3 a#2");
	distinct("a#2 a a", "a#2 a a#3");
	distinct("a a#2 a#2 a a#2#2 a#3", "a a#2 a#2#3 a#4 a#2#2 a#3");
	distinct("a - a - a", "a - a#2 - a#3");
	memset(long_name, 'x', CT_WORKLOAD_NAME_MAX - 1);
	memset(want, 'x', CT_WORKLOAD_NAME_MAX - 1);
	snprintf(long_name + CT_WORKLOAD_NAME_MAX - 1, CT_WORKLOAD_NAME_MAX, " %s", "");
	memset(long_name + CT_WORKLOAD_NAME_MAX, 'x', CT_WORKLOAD_NAME_MAX - 1);
	snprintf(want + CT_WORKLOAD_NAME_MAX - 1, CT_WORKLOAD_NAME_MAX + 1, " %.*s#2",
	         CT_WORKLOAD_NAME_MAX - 12, want);
	distinct(long_name, want);
	assert_int_equal(ct_workload_numbered("a#12", &k), 1);
	assert_int_equal(k, 12);
	static const char *const none[] = {"a", "a#", "#2", "a#1", "a#02", "a#2b", "a#99999999999", ""};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_int_equal(ct_workload_numbered(none[i], &k), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_distinct),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
