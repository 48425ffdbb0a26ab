#include "tests/support/verdict_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct ct_profile *verdict_profile(double waves, double cold)
{
	struct ct_profile *p = ct_profile_new(NULL);
	assert_non_null(p);
	assert_int_equal(ct_profile_add_real(p, "all", "sm_fill", waves, NULL, "replay", NULL), 0);
	assert_int_equal(ct_profile_add_real(p, "all", "cold_miss_fraction", cold, NULL, "replay", NULL),
	                 0);
	return p;
}

void verdict_estimate(struct ct_profile *p, const struct ct_mechanism *m, double v, double lo, double hi,
                      const char *method)
{
	struct ct_estimate es = {
		.scope = "all",
		.mechanism = m->name,
		.system = m->judged,
		.metric = "speedup_configured",
		.method = method,
		.value = v,
		.low = lo,
		.high = hi};
	assert_int_equal(ct_profile_add_estimate(p, &es, NULL), CT_OK);
}
