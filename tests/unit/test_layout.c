/* Arrays by address: clusters against a twin that keeps a list of pages, declared arrays, texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "pass/layout.h"

enum { PAGES = 4096, PAGE = 4096, GAP_PAGES = 16 };

/* The root of each touched page's cluster, by union of neighbours within the gap. */
static void join(int *group, const int *touched)
{
	int last = -1;
	for (int i = 0; i < PAGES; i++) {
		if (!touched[i])
			continue;
		group[i] = last >= 0 && i - last - 1 <= GAP_PAGES ? group[last] : i;
		last = i;
	}
}

static void clusters_of_random_pages(void **state)
{
	struct ct_error e;
	uint64_t rng = 7;
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct ct_layout *a = ct_layout_new(&e);
		int touched[PAGES] = {0}, group[PAGES] = {0};
		uint32_t id[PAGES] = {0};
		for (int i = 0; i < 4 + round * 4; i++) {
			int page = (int)(ct_mix64(rng++) % PAGES);
			touched[page] = 1;
			id[page] = ct_layout_touch(a, (uint64_t)page * PAGE + ct_mix64(rng++) % PAGE);
		}
		join(group, touched);
		for (int i = 0; i < PAGES; i++)
			for (int k = i + 1; touched[i] && k < PAGES && k < i + 400; k++) {
				int one = ct_layout_root(a, id[i]) == ct_layout_root(a, id[k]);
				if (touched[k])
					assert_int_equal(one, group[i] == group[k]);
			}
		for (int i = 0; i < PAGES; i++)
			if (touched[i])
				assert_int_equal(ct_layout_find(a, (uint64_t)i * PAGE),
				                 ct_layout_root(a, id[i]));
		assert_int_equal(ct_layout_check(a, &e), CT_OK);
		ct_layout_free(a);
	}
}

static void declared_arrays_bound_clusters(void **state)
{
	struct ct_error e;
	uint64_t first, end;
	struct ct_layout *a = ct_layout_new(&e);
	(void)state;
	assert_int_equal(ct_layout_declare(a, 10000, 100, "x", &e), CT_OK);
	uint32_t below = ct_layout_touch(a, 9999), x = ct_layout_find(a, 10050);
	assert_int_not_equal(x, CT_LAYOUT_NONE);
	assert_int_not_equal(below, x);
	ct_layout_range(a, below, &first, &end);
	assert_true(first == 8192 && end == 10000);
	assert_int_equal(ct_layout_find(a, 10100), CT_LAYOUT_NONE);
	/* a larger one takes the first in, and what a cluster had of it */
	assert_int_equal(ct_layout_declare(a, 9000, 5000, "y", &e), CT_OK);
	uint32_t y = ct_layout_find(a, 10050);
	assert_int_equal(ct_layout_root(a, x), y);
	assert_int_equal(ct_layout_find(a, 9500), y);
	ct_layout_range(a, below, &first, &end);
	assert_true(first == 8192 && end == 9000);
	/* one inside gives nothing but a name to what has none */
	assert_int_equal(ct_layout_declare(a, 9100, 8, "inner", &e), CT_OK);
	struct ct_buf b = {0};
	ct_layout_name(a, ct_layout_find(a, 9100), &b);
	assert_string_equal(b.data, "y");
	ct_buf_free(&b);
	ct_layout_free(a);
}

static void the_last_address_is_an_address(void **state)
{
	struct ct_error e;
	struct ct_layout *a = ct_layout_new(&e);
	(void)state;
	assert_int_not_equal(ct_layout_touch(a, UINT64_MAX - 1), CT_LAYOUT_NONE);
	assert_int_not_equal(ct_layout_touch(a, 0), CT_LAYOUT_NONE);
	assert_int_equal(ct_layout_declare(a, UINT64_MAX - 4, 100, NULL, &e), CT_OK);
	ct_layout_free(a);
}

static int text(struct ct_layout *a, const char *s, struct ct_error *e)
{
	return ct_layout_declare_text(a, "file", s, strlen(s), e);
}

static void texts(void **state)
{
	struct ct_error e;
	struct ct_layout *a = ct_layout_new(&e);
	struct ct_buf b = {0};
	(void)state;
	assert_int_equal(
		text(a, "first\tbytes\tname\tlaunch\n0x1000\t16\tfour words\t1\r\n\n8192\t8\n", &e),
		CT_OK);
	ct_layout_name(a, ct_layout_find(a, 0x100f), &b);
	assert_string_equal(b.data, "four words");
	ct_buf_reset(&b);
	ct_layout_name(a, ct_layout_find(a, 8199), &b);
	assert_string_equal(b.data, "0x2000+8");
	assert_int_equal(ct_layout_find(a, 8200), CT_LAYOUT_NONE);
	static const char *const bad[] = {"x\n", "12\n", "0x\t4\tn\n", "1\t-4\tn\n", "1\t2z\tn\n"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(text(a, bad[i], &e), CT_ERR_INPUT);
	ct_buf_free(&b);
	ct_layout_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clusters_of_random_pages),
		cmocka_unit_test(declared_arrays_bound_clusters),
		cmocka_unit_test(the_last_address_is_an_address),
		cmocka_unit_test(texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
