/* Names of kernels for people, and what hostile ones cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/kernel_name.h"

static const struct {
	const char *raw, *full, *brief;
	int demangles; /* only where libiberty is */
} row[] = {
	{"saxpy", "saxpy", "saxpy", 0},
	{"_Z6vecaddPfPKfi", "vecadd(float*, float const*, int)", "vecadd", 1},
	{"_ZN2ns12_GLOBAL__N_16reduceILi256EfEEvPT0_i",
         "void ns::(anonymous namespace)::reduce<256, float>(float*, int)", "reduce<256, float>", 1},
	{"_ZN2ns1MIfE3runIiEEvT_", "void ns::M<float>::run<int>(int)", "run<int>", 1},
	{"_ZN2ns1MIfEclEf", "ns::M<float>::operator()(float)", "M<float>::operator()", 1},
	{"_ZN2ns1MIfElsEi", "ns::M<float>::operator<<(int)", "M<float>::operator<<", 1},
	{"_ZN2ns1MIfEltEi", "ns::M<float>::operator<(int)", "M<float>::operator<", 1},
	{"_ZNK2ns1MIfEcvbEv", "ns::M<float>::operator bool() const", "M<float>::operator bool", 1},
	{"_Z6launchIZN2ns2goEPfEUliE_EvT_i",
         "void launch<ns::go(float*)::{lambda(int)#1}>(ns::go(float*)::{lambda(int)#1}, int)",
         "launch<ns::go(float*)::{lambda(int)#1}>", 1},
	{"_ZZN2ns2goEPfENKUliE_clEi", "ns::go(float*)::{lambda(int)#1}::operator()(int) const",
         "{lambda(int)#1}::operator()", 1},
	/* as tools have demangled them */
	{"void ns::reduce<(int)256>(float *, int)", "void ns::reduce<(int)256>(float *, int)",
         "reduce<(int)256>", 0},
	{"(anonymous namespace)::f(int)", "(anonymous namespace)::f(int)", "f", 0},
	{"unsigned int C<a::b>::get(int) const", "unsigned int C<a::b>::get(int) const", "get", 0},
	{"operators(int)", "operators(int)", "operators", 0},
	/* broken ones stay as they are */
	{"_Z", "_Z", "_Z", 0},
	{"_Z99x", "_Z99x", "_Z99x", 0},
	{"f(((", "f(((", "f", 0},
	{"(", "(", "(", 0},
	{"ns::", "ns::", "ns::", 0},
	{"", "", "?", 0},
};

static void check(void (*name)(struct ct_buf *, const char *), const char *raw, const char *want)
{
	struct ct_buf b = {0};
	name(&b, raw);
	assert_false(b.failed);
	if (strcmp(b.len ? b.data : "", want) != 0)
		fail_msg("%s: %s, not %s", raw, b.len ? b.data : "", want);
	ct_buf_free(&b);
}

static void names(void **state)
{
	struct ct_buf b = {0};
	(void)state;
	ct_kernel_name_full(&b, row[1].raw);
	int demangles = strcmp(b.data, row[1].raw) != 0;
	ct_buf_free(&b);
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		if (row[i].demangles && !demangles)
			continue;
		check(ct_kernel_name_full, row[i].raw, row[i].full);
		check(ct_kernel_name_short, row[i].raw, row[i].brief);
	}
	if (!demangles) /* without libiberty the template arguments are lost */
		check(ct_kernel_name_short, row[2].raw, "reduce");
}

/* Parameters of which each is a pair of the one before: 2^34 types in full, which nobody waits for. */
static void exploding(void **state)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char raw[1024];
	struct ct_buf b = {0};
	(void)state;
	size_t n = (size_t)snprintf(raw, sizeof raw, "_Z1f1PIiiE");
	for (int i = 0; i < 34; i++)
		n += (size_t)snprintf(raw + n, sizeof raw - n, "S_IS%.1s_S%.1s_E", digit + i, digit + i);
	ct_kernel_name_full(&b, raw);
	assert_false(b.failed);
	assert_string_equal(b.data, raw);
	ct_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(exploding),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
