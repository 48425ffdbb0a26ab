#include "tests/support/gpus.h"

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

const char *test_data(const char *name, char *path, size_t size)
{
	const char *root = getenv("CT_ROOT");
	int n = snprintf(path, size, "%s/data%s%s", root ? root : ".", *name ? "/" : "", name);
	if (n < 0 || (size_t)n >= size)
		fail_msg("%s: CT_ROOT is too long", name);
	return path;
}

void test_gpu(struct ct_gpu *g, const char *name)
{
	char path[1024];
	struct ct_error e = {0};
	if (ct_gpu_load(g, name, test_data("", path, sizeof path), NULL, &e) < 0)
		fail_msg("%s", e.text);
}

void test_gpu_set(struct ct_gpu *g, const char *const *settings, size_t n)
{
	struct ct_error e = {0};
	for (size_t i = 0; i < n; i++)
		if (ct_gpu_set(g, settings[i], &e) < 0)
			fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

void test_gpu_with(struct ct_gpu *g, const char *name, const char *const *settings, size_t n)
{
	test_gpu(g, name);
	test_gpu_set(g, settings, n);
}

void test_gpu_sharedl1_small(struct ct_gpu *g)
{
	static const char *const settings[] = {
		"sm.count=4", "llc.slices=2", "llc.partitions=2", "dram.channels=2", "llc.size=256KiB"};
	test_gpu(g, "sharedl1-28");
	g->dram_mapping[0] = 0; /* the shipped one is for 8 channels */
	test_gpu_set(g, settings, sizeof settings / sizeof settings[0]);
}
