/* The device's mathematics (data/cuda/device) beside the C library: compiled by ctcc, run by the emulator.
 * CT_MATH_OPERANDS raises the number of random operands a function; CT_MATH_TABLE prints the largest errors. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "ptx/emulate.h"
#include "tests/support/ptx_run.h"

typedef long double wide;

/* ---- the twins that the C library does not have itself ---- */

static const wide pi = 3.14159265358979323846264338327950288L;

static wide rsqrt_(wide x)
{
	return 1 / sqrtl(x);
}
static wide rcbrt_(wide x)
{
	return 1 / cbrtl(x);
}
static wide exp10_(wide x)
{
	return powl(10, x);
}
static wide sinpi_(wide x)
{
	wide k = rintl(2 * x), r = pi * (x - k / 2);
	int q = isfinite(k) ? (int)fmodl(k, 4) & 3 : 0;
	return truncl(x) == x ? x * 0 : (q & 2 ? -1 : 1) * (q & 1 ? cosl(r) : sinl(r));
}
static wide cospi_(wide x)
{
	wide k = rintl(2 * x), r = pi * (x - k / 2);
	int q = isfinite(k) ? (int)fmodl(k, 4) & 3 : 0;
	return ((q + 1) & 2 ? -1 : 1) * (q & 1 ? sinl(r) : cosl(r));
}
static wide erfcx_(wide x)
{
	wide z = 1 / (2 * x * x);
	return x > 60 ? 1 / (x * sqrtl(pi)) * (1 - z * (1 - z * (3 - z * (15 - z * 105))))
	              : expl(x * x) * erfcl(x);
}
static wide normcdf_(wide x)
{
	return erfcl(-x / sqrtl(2)) / 2;
}
static wide frexp_(wide x)
{
	int e;
	wide m = frexpl(x, &e);
	return isfinite(x) ? m + e : x;
}
static wide modf_(wide x)
{
	wide whole;
	return modfl(x, &whole);
}
static wide lround_(wide x)
{
	return roundl(x);
}
static wide divide_(wide x, wide y)
{
	return x / y;
}
static wide fma_(wide x, wide y)
{
	return x * y + x;
}
static wide ldexp_(wide x, wide y)
{
	return ldexpl(x, (int)fminl(fmaxl(y, -3000), 3000));
}
static wide nextafter_(wide x, wide y)
{
	return nextafter((double)x, (double)y);
}
static wide nextafterf_(wide x, wide y)
{
	return nextafterf((float)x, (float)y);
}

/* One function: operands from low to high, uniform, or ('e') with uniform exponents; ulp is the largest error
 * allowed; 'z': zeros may differ in their sign. Special operands come in front unless 'r' (range only). */
struct row {
	const char *name;
	wide (*one)(wide);
	wide (*two)(wide, wide);
	double low, high;
	const char *how;
	double ulp;
};

/* clang-format off */
static const struct row rows[] = {
	{"sqrtf", sqrtl, 0, 0, FLT_MAX, "e", 0.501}, {"sqrt", sqrtl, 0, 0, DBL_MAX, "e", 0.501},
	{"dividef", 0, divide_, -FLT_MAX, FLT_MAX, "e", 0.501}, {"divide", 0, divide_, -DBL_MAX, DBL_MAX, "e", 0.501},
	{"fmaf", 0, fma_, -1e18, 1e18, "e", 0.501},
	{"rsqrtf", rsqrt_, 0, 0, FLT_MAX, "e", 1}, {"rsqrt", rsqrt_, 0, 0, DBL_MAX, "e", 1.5},
	{"cbrtf", cbrtl, 0, -FLT_MAX, FLT_MAX, "e", 1}, {"cbrt", cbrtl, 0, -DBL_MAX, DBL_MAX, "e", 1},
	{"rcbrtf", rcbrt_, 0, -FLT_MAX, FLT_MAX, "e", 1.6}, {"rcbrt", rcbrt_, 0, -DBL_MAX, DBL_MAX, "e", 1.6},
	{"fabsf", fabsl, 0, -FLT_MAX, FLT_MAX, "e", 0}, {"fabs", fabsl, 0, -DBL_MAX, DBL_MAX, "e", 0},
	{"floorf", floorl, 0, -1e9, 1e9, "e", 0}, {"floor", floorl, 0, -1e18, 1e18, "e", 0},
	{"ceilf", ceill, 0, -1e9, 1e9, "e", 0}, {"ceil", ceill, 0, -1e18, 1e18, "e", 0},
	{"truncf", truncl, 0, -1e9, 1e9, "e", 0}, {"trunc", truncl, 0, -1e18, 1e18, "e", 0},
	{"rintf", rintl, 0, -1e9, 1e9, "e", 0}, {"rint", rintl, 0, -1e18, 1e18, "e", 0},
	{"nearbyintf", rintl, 0, -100, 100, "", 0}, {"nearbyint", rintl, 0, -100, 100, "", 0},
	{"roundf", roundl, 0, -1e9, 1e9, "e", 0}, {"round", roundl, 0, -1e18, 1e18, "e", 0},
	{"lroundf", lround_, 0, -1e9, 1e9, "erz", 0}, {"lround", lround_, 0, -1e15, 1e15, "erz", 0},
	{"logbf", logbl, 0, -FLT_MAX, FLT_MAX, "e", 0}, {"logb", logbl, 0, -DBL_MAX, DBL_MAX, "e", 0},
	{"frexpf", frexp_, 0, -FLT_MAX, FLT_MAX, "e", 0.501}, {"frexp", frexp_, 0, -DBL_MAX, DBL_MAX, "e", 0.501},
	{"modff", modf_, 0, -1e9, 1e9, "e", 0}, {"modf", modf_, 0, -1e18, 1e18, "e", 0},
	{"expf", expl, 0, -104, 89, "", 1.5}, {"exp", expl, 0, -746, 710, "", 1},
	{"exp2f", exp2l, 0, -150, 128, "", 1}, {"exp2", exp2l, 0, -1075, 1024, "", 1},
	{"exp10f", exp10_, 0, -46, 39, "", 1.5}, {"exp10", exp10_, 0, -324, 309, "", 1},
	{"expm1f", expm1l, 0, -20, 89, "", 1.6}, {"expm1", expm1l, 0, -40, 710, "", 1.5},
	{"logf", logl, 0, 0, FLT_MAX, "e", 1.3}, {"log", logl, 0, 0, DBL_MAX, "e", 1},
	{"log2f", log2l, 0, 0, FLT_MAX, "e", 1}, {"log2", log2l, 0, 0, DBL_MAX, "e", 1},
	{"log10f", log10l, 0, 0, FLT_MAX, "e", 2.5}, {"log10", log10l, 0, 0, DBL_MAX, "e", 1},
	{"log1pf", log1pl, 0, -1, FLT_MAX, "e", 1.5}, {"log1p", log1pl, 0, -1, DBL_MAX, "e", 1.5},
	{"sinf", sinl, 0, -FLT_MAX, FLT_MAX, "e", 1.5}, {"sin", sinl, 0, -DBL_MAX, DBL_MAX, "e", 1},
	{"cosf", cosl, 0, -FLT_MAX, FLT_MAX, "e", 1.5}, {"cos", cosl, 0, -DBL_MAX, DBL_MAX, "e", 1},
	{"sincos_sf", sinl, 0, -100, 100, "", 1.5}, {"sincos_s", sinl, 0, -100, 100, "", 1},
	{"sincos_cf", cosl, 0, -100, 100, "", 1.5}, {"sincos_c", cosl, 0, -100, 100, "", 1},
	{"tanf", tanl, 0, -FLT_MAX, FLT_MAX, "e", 3}, {"tan", tanl, 0, -DBL_MAX, DBL_MAX, "e", 2.5},
	{"sinpif", sinpi_, 0, -1000, 1000, "z", 1.5}, {"sinpi", sinpi_, 0, -1000, 1000, "z", 1.5},
	{"cospif", cospi_, 0, -1000, 1000, "z", 1.5}, {"cospi", cospi_, 0, -1000, 1000, "z", 1.5},
	{"asinf", asinl, 0, -1, 1, "", 2.5}, {"asin", asinl, 0, -1, 1, "", 2.5},
	{"acosf", acosl, 0, -1, 1, "", 2}, {"acos", acosl, 0, -1, 1, "", 2},
	{"atanf", atanl, 0, -FLT_MAX, FLT_MAX, "e", 2}, {"atan", atanl, 0, -DBL_MAX, DBL_MAX, "e", 2},
	{"atan2f", 0, atan2l, -1e18, 1e18, "e", 3}, {"atan2", 0, atan2l, -1e150, 1e150, "e", 2.5},
	{"sinhf", sinhl, 0, -89.4, 89.4, "", 2.5}, {"sinh", sinhl, 0, -710.4, 710.4, "", 1.6},
	{"coshf", coshl, 0, -89.4, 89.4, "", 2.5}, {"cosh", coshl, 0, -710.4, 710.4, "", 1.6},
	{"tanhf", tanhl, 0, -10, 10, "", 2}, {"tanh", tanhl, 0, -20, 20, "", 2},
	{"asinhf", asinhl, 0, -FLT_MAX, FLT_MAX, "e", 3}, {"asinh", asinhl, 0, -DBL_MAX, DBL_MAX, "e", 3},
	{"acoshf", acoshl, 0, 1, FLT_MAX, "e", 3}, {"acosh", acoshl, 0, 1, DBL_MAX, "e", 3},
	{"atanhf", atanhl, 0, -1, 1, "", 3}, {"atanh", atanhl, 0, -1, 1, "", 3},
	{"erff", erfl, 0, -5, 5, "", 2}, {"erf", erfl, 0, -7, 7, "", 2},
	{"erfcf", erfcl, 0, -5, 10.5, "", 1}, {"erfc", erfcl, 0, -7, 27.5, "", 4},
	{"erfcxf", erfcx_, 0, -9, 1000, "", 1}, {"erfcx", erfcx_, 0, 0, 1000, "r", 3},
	{"normcdff", normcdf_, 0, -14, 7, "", 1}, {"normcdf", normcdf_, 0, -37, 7, "r", 5},
	{"tgammaf", tgammal, 0, -40, 36, "z", 1}, {"tgamma", tgammal, 0, -170, 171.6, "z", 12},
	{"lgammaf", lgammal, 0, 0, 1e30, "e", 1}, {"lgamma", lgammal, 0, 9, 1e300, "er", 4},
	{"powf", 0, powl, -1e4, 1e4, "e", 3}, {"pow", 0, powl, -1e10, 1e10, "e", 1.5},
	{"hypotf", 0, hypotl, -FLT_MAX, FLT_MAX, "e", 1.5}, {"hypot", 0, hypotl, -DBL_MAX, DBL_MAX, "e", 1.5},
	{"fmodf", 0, fmodl, -FLT_MAX, FLT_MAX, "e", 0}, {"fmod", 0, fmodl, -DBL_MAX, DBL_MAX, "e", 0},
	{"remainderf", 0, remainderl, -FLT_MAX, FLT_MAX, "e", 0}, {"remainder", 0, remainderl, -DBL_MAX, DBL_MAX, "e", 0},
	{"fminf", 0, fminl, -10, 10, "z", 0}, {"fmin", 0, fminl, -10, 10, "z", 0},
	{"fmaxf", 0, fmaxl, -10, 10, "z", 0}, {"fmax", 0, fmaxl, -10, 10, "z", 0},
	{"fdimf", 0, fdiml, -10, 10, "z", 0.501}, {"fdim", 0, fdiml, -10, 10, "z", 0.501},
	{"copysignf", 0, copysignl, -10, 10, "", 0}, {"copysign", 0, copysignl, -10, 10, "", 0},
	{"nextafterf", 0, nextafterf_, -FLT_MAX, FLT_MAX, "e", 0}, {"nextafter", 0, nextafter_, -DBL_MAX, DBL_MAX, "e", 0},
	{"ldexpf", 0, ldexp_, -300, 300, "", 0.501}, {"ldexp", 0, ldexp_, -2200, 2200, "", 0.501},
	/* e^x of a rounded product: half an ulp of x log2(e) counts as a part of the result */
	{"__expf", expl, 0, -1, 1, "r", 2}, {"__exp10f", exp10_, 0, -1, 1, "r", 4},
	{"__logf", logl, 0, 2, 1e30, "er", 2}, {"__log2f", log2l, 0, 2, 1e30, "er", 1}, {"__log10f", log10l, 0, 2, 1e30, "er", 2},
	{"__sinf", sinl, 0, -1, 1, "r", 1}, {"__cosf", cosl, 0, -1, 1, "r", 1}, {"__tanf", tanl, 0, -1, 1, "r", 3},
	{"__powf", 0, powl, 1, 4, "r", 16}, {"__fdividef", 0, divide_, 1e-10, 1e10, "er", 2},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows, CHUNK = 1 << 14 };

static size_t operand_count(void)
{
	const char *s = getenv("CT_MATH_OPERANDS");
	return s ? (size_t)strtoull(s, NULL, 10) : 1000;
}

static int is_single(const struct row *r)
{
	return r->name[strlen(r->name) - 1] == 'f' && strcmp(r->name, "erf") != 0 &&
	       strcmp(r->name, "modf") != 0 && strcmp(r->name, "normcdf") != 0;
}

static double uniform(uint64_t *seed)
{
	return (double)(ct_rand64(seed) >> 11) * 0x1p-53;
}

static double random_operand(const struct row *r, int single, uint64_t *seed)
{
	double v;
	if (!strchr(r->how, 'e'))
		return r->low + (r->high - r->low) * uniform(seed);
	int least = single ? -149 : -1074, most = single ? 127 : 1023;
	do {
		v = ldexp(1 + uniform(seed),
		          least + (int)(ct_rand64(seed) % (unsigned)(most - least + 1)));
		if (ct_rand64(seed) & 1) /* many near 1 */
			v = ldexp(1 + uniform(seed), (int)(ct_rand64(seed) % 32) - 16);
		if (r->low < 0 && ct_rand64(seed) & 1)
			v = -v;
	} while (!(v >= r->low && v <= r->high));
	return v;
}

static const double special[] = {
	0.0,
	-0.0,
	1,
	-1,
	0.5,
	-0.5,
	2,
	-2,
	3,
	-3,
	1.5,
	-1.5,
	2.5,
	-2.5,
	1e10,
	INFINITY,
	-INFINITY,
	NAN,
	FLT_MIN,
	FLT_MAX,
	1e-40,
	-1e-40,
	0.25,
	8,
	64,
	0.49999997,
	170.5,
	0x1.3p124,
	0x1.89f156p125,
	0x1.41bbd2p123,
	0x1.4p1020,
	0x1.55p1023};
enum { SPECIALS = sizeof special / sizeof *special };

/* Operands i of n: first the special ones (pairs of them), then random ones. */
static void operands(const struct row *r, int single, size_t i, uint64_t *seed, double *x, double *y)
{
	size_t n = r->two ? SPECIALS * SPECIALS : SPECIALS;
	if (i < n && !strchr(r->how, 'r')) {
		*x = special[i % SPECIALS];
		*y = special[i / SPECIALS];
	} else {
		*x = random_operand(r, single, seed);
		*y = random_operand(r, single, seed);
	}
	if (single) {
		*x = (double)(float)*x;
		*y = (double)(float)*y;
	}
}

/* The error of `got` in units of the last place of a result; huge where it is of another kind. */
static double error_of(const struct row *r, int single, double got, wide want)
{
	double rounded = single ? (double)(float)want : (double)want;
	int digits = single ? 24 : 53, least = single ? -125 : -1021, e;
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : 1e30;
	if (got == rounded && signbit(got) != signbit(rounded))
		return strchr(r->how, 'z') ? 0 : 1e30;
	if (got == rounded && (got == 0 || isinf(got) || r->ulp == 0))
		return 0;
	/* Infinity counts as the number that would come after the largest. */
	wide from = isinf(got) ? copysignl(single ? 0x1p128L : 0x1p1024L, (wide)got) : (wide)got;
	if (isinf(want))
		want = copysignl(single ? 0x1p128L : 0x1p1024L, want);
	frexpl(want, &e);
	return (double)(fabsl(want - from) / ldexpl(1, (e > least ? e : least) - digits));
}

struct batch {
	double x[CHUNK], y[CHUNK];
	union {
		float single[3][CHUNK];
		double both[3][CHUNK];
	} v;
};

static void launch(const struct ct_ptx_module *m, const struct row *r, int single, struct batch *b,
                   unsigned n)
{
	char name[64];
	struct ct_error e = {0};
	struct ct_ptx_memory *memory;
	snprintf(name, sizeof name, "m_%s", r->name);
	const struct ct_ptx_kernel *k = ct_ptx_find_kernel(m, name);
	assert_non_null(k);
	struct {
		void *out, *a, *b;
		unsigned n;
	} p = {single ? (void *)b->v.single[0] : (void *)b->v.both[0],
	       single ? (void *)b->v.single[1] : (void *)b->v.both[1],
	       single ? (void *)b->v.single[2] : (void *)b->v.both[2], n};
	for (unsigned i = 0; i < n; i++) {
		if (single) {
			b->v.single[1][i] = (float)b->x[i];
			b->v.single[2][i] = (float)b->y[i];
		} else {
			b->v.both[1][i] = b->x[i];
			b->v.both[2][i] = b->y[i];
		}
	}
	assert_int_equal(ct_ptx_memory_create(&memory, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(memory, &b->v, sizeof b->v, &e), CT_OK);
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = k,
		.grid = {(n + 127) / 128, 1, 1},
		.block = {128, 1, 1},
		.params = &p,
		.param_bytes = sizeof p,
		.memory = memory};
	if (ct_ptx_launch(&l, NULL, &e) != CT_OK)
		fail_msg("%s: %s", name, e.text);
	ct_ptx_memory_free(memory);
}

static double check_row(const struct ct_ptx_module *m, const struct row *r, struct batch *b,
                        unsigned *bad)
{
	int single = is_single(r);
	uint64_t seed = 11;
	double worst = 0;
	for (size_t done = 0, n = operand_count() + (r->two ? SPECIALS * SPECIALS : SPECIALS);
	     done < n;) {
		unsigned part = n - done < CHUNK ? (unsigned)(n - done) : CHUNK, told = 0;
		for (unsigned i = 0; i < part; i++)
			operands(r, single, done + i, &seed, &b->x[i], &b->y[i]);
		launch(m, r, single, b, part);
		for (unsigned i = 0; i < part; i++) {
			double got = single ? (double)b->v.single[0][i] : b->v.both[0][i];
			wide want = r->one ? r->one((wide)b->x[i])
			                   : r->two((wide)b->x[i], (wide)b->y[i]);
			double error = error_of(r, single, got, want);
			if (error > r->ulp && told++ < 4) {
				print_message("%s(%a, %a) = %a, not %La: %.3g ulp\n", r->name, b->x[i],
				              b->y[i], got, want, error);
				++*bad;
			}
			worst = error > worst ? error : worst;
		}
		done += part;
	}
	return worst;
}

/* The PTX of tests/cuda/math.cu as this clang makes it; skips the test where that is not there. */
static struct ct_ptx_module *compiled(const char *clang)
{
	const char *bin = getenv("CT_RELEASE"), *tmp = getenv("TMPDIR");
	char command[4096], path[2048];
	struct ct_ptx_module *m;
	struct ct_error e = {0};
	snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", clang);
	if (!bin || system(command) != 0)
		skip();
	snprintf(path, sizeof path, "%s/math-%ld.ptx", tmp ? tmp : "/tmp", (long)getpid());
	snprintf(command, sizeof command, "CTCC_CLANG=%s '%s/ctcc' -ptx -o '%s' tests/cuda/math.cu",
	         clang, bin, path);
	assert_int_equal(system(command), 0);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t room = 1 << 24, n;
	char *text = malloc(room);
	assert_non_null(text);
	n = fread(text, 1, room, f);
	assert_true(n > 0 && n < room);
	fclose(f);
	unlink(path);
	if (ct_ptx_read(&m, text, n, "math.ptx", &e) != CT_OK)
		fail_msg("%s", e.text);
	free(text);
	return m;
}

static void check_all(const char *clang)
{
	struct ct_ptx_module *m = compiled(clang);
	struct batch *b = malloc(sizeof *b);
	unsigned bad = 0;
	assert_non_null(b);
	for (size_t i = 0; i < ROWS; i++) {
		double worst = check_row(m, &rows[i], b, &bad);
		if (getenv("CT_MATH_TABLE"))
			print_message("%s\t%s\t%.3g\t%.3g\n", clang, rows[i].name, worst, rows[i].ulp);
	}
	free(b);
	ct_ptx_free(m);
	assert_int_equal(bad, 0);
}

static void clang_19(void **state)
{
	(void)state;
	check_all("clang-19");
}

static void clang_14(void **state)
{
	(void)state;
	check_all("clang-14");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(clang_19), cmocka_unit_test(clang_14)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
