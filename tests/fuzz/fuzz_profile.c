/* The profile reader: no input may crash it, and what it accepts is a fixed point of
 * write and read, merges with itself, and turns into JSON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

static void must(int ok)
{
	if (!ok)
		abort();
}

/* write(read(write(p))) equals write(p), and its EN line is right. */
static void check_fixed_point(const struct ct_profile *p)
{
	struct ct_buf a = {0}, b = {0};
	struct ct_profile *q;
	must(ct_profile_write(p, &a, NULL) == CT_OK);
	must(ct_profile_read_memory(&q, "again", a.data, a.len, 1, NULL) == CT_OK);
	must(ct_profile_write(q, &b, NULL) == CT_OK);
	must(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
	ct_profile_free(q);
	ct_buf_free(&a);
	ct_buf_free(&b);
}

static void check_lookups(const struct ct_profile *p)
{
	const char *scope;
	for (size_t i = 0; (scope = ct_profile_scope(p, i)) && i < 16; i++) {
		struct ct_hist h = {0};
		struct ct_rj j = {0};
		double v;
		(void)ct_profile_get(p, scope, "ipc", &v);
		(void)ct_profile_get_hist(p, scope, "l1", &h, &h);
		if (ct_profile_get_rj(p, scope, "nearest", &j, NULL) > 0)
			must(ct_rj_misses(&j, 64) >= ct_rj_shared_misses(&j, 64));
		ct_rj_free(&j);
	}
}

static void check_merge(struct ct_profile *p)
{
	struct ct_profile *two[2] = {p, p}, *m;
	if (ct_profile_merge(&m, two, 2, NULL) != CT_OK)
		return;
	check_fixed_point(m);
	ct_profile_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_error e = {0};
	struct ct_profile *p;
	struct ct_buf json = {0};
	int strict = ct_profile_read_memory(&p, "f", data, size, 1, &e);
	must((strict == CT_OK) == (p != NULL));
	ct_profile_free(p);
	int st = ct_profile_read_memory(&p, "f", data, size, 0, &e);
	must(st == CT_OK || strict != CT_OK);
	if (st != CT_OK) {
		must(e.text[0] != '\0');
		return 0;
	}
	check_fixed_point(p);
	check_lookups(p);
	check_merge(p);
	must(ct_profile_write_json(p, &json, NULL) == CT_OK);
	ct_buf_free(&json);
	ct_profile_free(p);
	return 0;
}
