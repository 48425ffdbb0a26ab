/* Tables of profilers: any text ends in rows or an error; bare names of kernels, and rows matched with launches. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile double sink;

static void match(const struct ct_counters *c)
{
	static const struct ct_counter_launch launch[] = {
		{"_ZN2ns6reduceILi4EEEvPf", {8, 1, 1}, {64, 1, 1}},
		{"void f<(int)4>(int *)", {8, 1, 1}, {64, 1, 1}},
		{"f", {1, 2, 3}, {4, 5, 6}}};
	enum { N = sizeof launch / sizeof *launch };
	size_t group[N], *of = calloc(ct_counters_count(c) + 1, sizeof *of);
	struct ct_error e;
	if (of && ct_counters_match(c, launch, N, of, group, &e) == CT_OK)
		for (size_t i = 0; i < ct_counters_count(c); i++) {
			if (of[i] != SIZE_MAX && of[i] >= N)
				abort();
			sink += (double)group[0];
		}
	free(of);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_counters *c;
	struct ct_source *s;
	struct ct_error e;
	char name[64];
	if (ct_source_open_memory(&s, "fuzz", data, size, &e) < 0)
		return 0;
	if (ct_counters_read(&c, s, &e) == CT_OK) {
		for (size_t i = 0; i < ct_counters_count(c); i++) {
			const struct ct_counter_row *r = ct_counters_at(c, i);
			for (int k = 0; k < CT_COUNTERS; k++)
				sink += r->value[k];
			ct_counter_base_name(r->name, name, sizeof name);
		}
		match(c);
		ct_counters_free(c);
	}
	ct_source_close(s);
	return 0;
}
