/* The tracing layer against plain C: values, control flow, registers, trace lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "tracegen/kernel.h"
#include "tracegen/mufu.h"

static struct ct_error error;

static struct simt_run start(void)
{
	memset(&error, 0, sizeof error);
	return (struct simt_run){.e = &error};
}

static void launch(struct simt_run *g, struct kb *k, uint32_t ctas, uint32_t threads, uint32_t shared,
                   const struct simt_buffer *a, const struct simt_buffer *b)
{
	uint64_t args[] = {a ? a->address : 0, b ? b->address : 0, ctas * threads};
	simt_launch(g, k, simt_1d(ctas), simt_1d(threads), shared, args, 3);
	if (g->status != CT_OK)
		fail_msg("%s", error.text);
}

/* A buffer of n random words; small ones among them. */
static struct simt_buffer *random_words(struct simt_run *g, size_t n, uint64_t seed)
{
	struct simt_buffer *b = simt_alloc(g, 4 * n);
	assert_non_null(b);
	for (size_t i = 0; i < n; i++) {
		uint32_t v = (uint32_t)ct_rand64(&seed) >> (ct_rand64(&seed) % 4 * 8);
		memcpy(b->p + 4 * i, &v, 4);
	}
	return b;
}

static uint32_t word(const struct simt_buffer *b, size_t i)
{
	uint32_t v;
	memcpy(&v, b->p + 4 * i, 4);
	return v;
}

/* ---- integers --------------------------------------------------------------------- */

enum { N = 333, INT_RESULTS = 24 };

static void integers_follow_c(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *in = random_words(&g, 2 * N, 1), *out = simt_alloc(&g, 4 * N * INT_RESULTS);
	struct kb *k = k_begin(&g, "integers");
	val i = k_gid(k), p = k_elem(k, k_arg_ptr(k, 0), i, 8);
	(void)state;
	k_exit_if(k, k_setp(k, CMP_GE, i, k_int(k, N)));
	val a = k_ldg(k, M_32, T_S32, p, 0), b = k_ldg(k, M_32, T_S32, p, 4);
	val ua = k_as(k, a, T_U32), ub = k_as(k, b, T_U32), n = k_andi(k, b, 31);
	val ub1 = k_or(k, ub, k_uint(k, 1));
	val r[INT_RESULTS] = {
		k_add(k, a, b),
		k_sub(k, a, b),
		k_mul(k, a, b),
		k_mad(k, a, b, a),
		k_mulhi(k, ua, ub),
		k_and(k, a, b),
		k_or(k, a, b),
		k_xor(k, a, b),
		k_shl(k, a, n),
		k_shr(k, a, n),
		k_shr(k, ua, n),
		k_min(k, a, b),
		k_max(k, a, b),
		k_min(k, ua, ub),
		k_max(k, ua, ub),
		k_popc(k, a),
		k_flo(k, a),
		k_udiv(k, ua, ub1),
		k_umod(k, ua, ub1),
		k_neg(k, a),
		k_sel(k, k_setp(k, CMP_LT, a, b), a, b),
		k_sel(k, k_setp(k, CMP_GT, ua, ub), a, b),
		k_abs(k, a),
		k_addi(k, k_muli(k, a, -3), 7),
	};
	val q = k_elem(k, k_arg_ptr(k, 1), i, 4 * INT_RESULTS);
	for (int j = 0; j < INT_RESULTS; j++)
		k_stg(k, M_32, q, 4 * j, r[j]);
	k_finish(k);
	launch(&g, k, 3, 128, 0, in, out);
	for (uint32_t t = 0; t < N; t++) {
		uint32_t x = word(in, 2 * t), y = word(in, 2 * t + 1), s = y & 31, y1 = y | 1;
		int32_t sx = (int32_t)x, sy = (int32_t)y;
		uint32_t pop = 0, flo = UINT32_MAX;
		for (uint32_t bit = 0; bit < 32; bit++)
			if (x >> bit & 1) {
				pop++;
				flo = bit;
			}
		/* clang-format off */
		uint32_t want[INT_RESULTS] = {
			x + y, x - y, x * y, x * y + x, (uint32_t)((uint64_t)x * y >> 32), x & y, x | y, x ^ y,
			x << s, (uint32_t)((int64_t)sx >> s), x >> s, (uint32_t)(sx < sy ? sx : sy),
			(uint32_t)(sx > sy ? sx : sy), x < y ? x : y, x > y ? x : y, pop, flo, x / y1, x % y1,
			0 - x, sx < sy ? x : y, x > y ? x : y, sx < 0 ? 0 - x : x, x * (uint32_t)-3 + 7,
		};
		/* clang-format on */
		for (int j = 0; j < INT_RESULTS; j++)
			if (word(out, t * INT_RESULTS + (unsigned)j) != want[j])
				fail_msg("result %d of %x, %x: %x, not %x", j, x, y,
				         word(out, t * INT_RESULTS + (unsigned)j), want[j]);
	}
	simt_release(&g);
}

static void division_at_its_edges(void **state)
{
	static const uint32_t edge[] = {
		1,          2,          3,          7,          10, 0xffff,     0x10000,   0x7fffffff,
		0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0,  0x00ffffff, 0x01000001};
	enum { E = sizeof edge / sizeof edge[0] };
	struct simt_run g = start();
	struct simt_buffer *in = simt_alloc(&g, 8 * E * E), *out = simt_alloc(&g, 8 * E * E);
	struct kb *k = k_begin(&g, "divide");
	val i = k_gid(k), p = k_elem(k, k_arg_ptr(k, 0), i, 8), q = k_elem(k, k_arg_ptr(k, 1), i, 8);
	(void)state;
	k_exit_if(k, k_setp(k, CMP_GE, i, k_int(k, E * E)));
	val a = k_ldg(k, M_32, T_U32, p, 0), b = k_ldg(k, M_32, T_U32, p, 4);
	k_stg(k, M_32, q, 0, k_udiv(k, a, b));
	k_stg(k, M_32, q, 4, k_umod(k, a, b));
	k_finish(k);
	for (size_t j = 0; j < E * E; j++) {
		memcpy(in->p + 8 * j, &edge[j / E], 4);
		memcpy(in->p + 8 * j + 4, &edge[j % E], 4);
	}
	launch(&g, k, 8, 32, 0, in, out);
	for (size_t j = 0; j < E * E; j++)
		if (edge[j % E] != 0 && (word(out, 2 * j) != edge[j / E] / edge[j % E] ||
		                         word(out, 2 * j + 1) != edge[j / E] % edge[j % E]))
			fail_msg("%u / %u: %u rest %u", edge[j / E], edge[j % E], word(out, 2 * j),
			         word(out, 2 * j + 1));
	simt_release(&g);
}

/* ---- floats -------------------------------------------------------------------------- */

enum { FLOAT_RESULTS = 18 };

static void near(float got, double want, double ulps, int which, float x)
{
	double tolerance = ulps * 6e-8 * fmax(fabs(want), 1e-30);
	if (!(fabs((double)got - want) <= tolerance))
		fail_msg("float result %d of %g: %.9g, not %.9g", which, (double)x, (double)got, want);
}

static void floats_follow_c(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *in = simt_alloc(&g, 8 * N), *out = simt_alloc(&g, 4 * N * FLOAT_RESULTS);
	struct kb *k = k_begin(&g, "floats");
	val i = k_gid(k), p = k_elem(k, k_arg_ptr(k, 0), i, 8);
	uint64_t seed = 5;
	(void)state;
	k_exit_if(k, k_setp(k, CMP_GE, i, k_int(k, N)));
	val pair = k_ldg(k, M_64, T_F32, p, 0), a = k_part(k, pair, 0), b = k_part(k, pair, 1);
	val da = k_cvt(k, a, T_F64), db = k_cvt(k, b, T_F64);
	val r[FLOAT_RESULTS] = {
		k_add(k, a, b),
		k_sub(k, a, b),
		k_mul(k, a, b),
		k_mad(k, a, b, a),
		k_min(k, a, b),
		k_max(k, a, b),
		k_neg(k, a),
		k_abs(k, k_neg(k, a)),
		k_rcp(k, a),
		k_rsqrt(k, a),
		k_sqrt(k, a),
		k_exp(k, k_neg(k, b)),
		k_log(k, a),
		k_sin(k, b),
		k_cos(k, b),
		k_div(k, a, b),
		k_cvt(k, k_cvt(k, a, T_S32), T_F32),
		k_cvt(k, k_mad(k, da, db, k_sub(k, k_mul(k, da, da), k_add(k, db, k_double(k, 0.5)))),
	              T_F32),
	};
	val q = k_elem(k, k_arg_ptr(k, 1), i, 4 * FLOAT_RESULTS);
	for (int j = 0; j < FLOAT_RESULTS; j++)
		k_stg(k, M_32, q, 4 * j, r[j]);
	k_finish(k);
	float *x = (float *)in->p, *y = (float *)out->p;
	for (int t = 0; t < 2 * N; t++)
		x[t] = ldexpf((float)(ct_rand64(&seed) >> 40) / 16777216.0f + 0.01f,
		              (int)(ct_rand64(&seed) % 5));
	launch(&g, k, 3, 128, 0, in, out);
	for (int t = 0; t < N; t++) {
		double u = (double)x[2 * t], v = (double)x[2 * t + 1];
		double want[FLOAT_RESULTS] = {
			u + v,  u - v,  u * v,  u * v + u,   fmin(u, v), fmax(u, v),
			-u,     u,      1 / u,  1 / sqrt(u), sqrt(u),    exp(-v),
			log(u), sin(v), cos(v), u / v,       trunc(u),   u * v + (u * u - (v + 0.5)),
		};
		for (int j = 0; j < FLOAT_RESULTS; j++) {
			/* Range reduction and differences lose what their operands had. */
			double ulps = j == 11                                              ? 64
			              : j == 1 || j == 12 || j == 13 || j == 14 || j == 17 ? 1e4
			                                                                   : 4;
			near(y[t * FLOAT_RESULTS + j], want[j],
			     j >= 12 && j <= 14 ? ulps / fmax(1e-3, fabs(want[j])) : ulps, j, x[2 * t]);
		}
	}
	simt_release(&g);
}

static void special_functions_are_close(void **state)
{
	(void)state;
	for (float x = -149.0f; x < 128.0f; x += 0.137f)
		assert_true(fabs((double)simt_ex2(x) - exp2((double)x)) <=
		            6e-8 * exp2((double)x) + 0x1p-150);
	for (float x = 1e-38f; x < 1e38f; x *= 1.31f) {
		double want = log2((double)x);
		assert_true(fabs((double)simt_lg2(x) - want) <= 6e-8 * fmax(fabs(want), 1e-3));
		near(simt_rcp(x), 1 / (double)x, 1, 0, x);
		near(simt_rsqrt(x), 1 / sqrt((double)x), 1, 1, x);
	}
	for (float x = -3.0f; x < 3.0f; x += 0.0131f) {
		assert_true(fabs((double)simt_sin(x) - sin(2 * M_PI * (double)x)) < 1e-7);
		assert_true(fabs((double)simt_cos(x) - cos(2 * M_PI * (double)x)) < 1e-7);
	}
	assert_true(isinf(simt_ex2(200)) && simt_ex2(-200) == 0 && isnan(simt_ex2(NAN)));
	assert_true(isinf(simt_lg2(0)) && isnan(simt_lg2(-1)) && isinf(simt_lg2(INFINITY)));
	assert_true(isnan(simt_sin(INFINITY)) && isnan(simt_cos(NAN)));
}

static void halves_round_to_nearest_even(void **state)
{
	(void)state;
	for (uint32_t h = 0; h < 0x7c00; h++) {
		float x = simt_from_half((uint16_t)h), next = simt_from_half((uint16_t)(h + 1));
		float want = h < 0x400 ? ldexpf((float)h, -24)
		                       : ldexpf((float)(h & 0x3ff) + 1024.0f, (int)(h >> 10) - 25);
		assert_true(x == want && simt_to_half(x) == h && simt_to_half(-x) == (h | 0x8000));
		if (h + 1 == 0x7c00)
			next = 65536.0f;
		float mid = x + (next - x) / 2;
		assert_int_equal(simt_to_half(mid), h + (h & 1));
		assert_int_equal(simt_to_half(nextafterf(mid, 0)), h);
		assert_int_equal(simt_to_half(nextafterf(mid, 1e9f)), h + 1);
	}
	assert_int_equal(simt_to_half(INFINITY), 0x7c00);
	assert_true(isnan(simt_from_half(simt_to_half(NAN))) && isinf(simt_from_half(0xfc00)));
}

/* ---- control flow ---------------------------------------------------------------------- */

/* Nested loops with breaks, data-dependent counts and two-sided ifs. */
static uint32_t tangle(uint32_t x)
{
	uint32_t sum = 0, steps = 0;
	do {
		if (x & 1) {
			x = 3 * x + 1;
			if (x & 4)
				sum += 5;
		} else {
			x >>= 1;
			sum ^= x;
		}
		for (uint32_t j = 0; j < (x & 7); j++) {
			if (j == 5)
				break;
			sum = sum * 3 + j;
			if (sum & 64)
				break;
		}
		if (++steps == 40)
			break;
	} while (x > 1);
	return sum + steps;
}

static void build_tangle(struct kb *k, val x, val sum, val steps)
{
	k_loop(k);
	k_if(k, k_setpi(k, CMP_NE, k_andi(k, x, 1), 0));
	k_set(k, x, k_addi(k, k_muli(k, x, 3), 1));
	k_if(k, k_setpi(k, CMP_NE, k_andi(k, x, 4), 0));
	k_set(k, sum, k_addi(k, sum, 5));
	k_endif(k);
	k_else(k);
	k_set(k, x, k_shri(k, x, 1));
	k_set(k, sum, k_xor(k, sum, x));
	k_endif(k);
	val j = k_for(k, k_uint(k, 0), k_andi(k, x, 7), 1);
	k_break(k, k_setpi(k, CMP_EQ, j, 5));
	k_set(k, sum, k_mad(k, sum, k_uint(k, 3), j));
	k_break(k, k_setpi(k, CMP_NE, k_andi(k, sum, 64), 0));
	k_endfor(k);
	k_set(k, steps, k_addi(k, steps, 1));
	k_if(k, k_setpi(k, CMP_EQ, steps, 40));
	k_break(k, k_setpi(k, CMP_EQ, steps, 40)); /* from inside an if */
	k_endif(k);
	k_endloop(k, k_setpi(k, CMP_GT, x, 1));
}

static void divergent_lanes_meet_again(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *in = random_words(&g, N, 9), *out = simt_alloc(&g, 8 * N);
	struct kb *k = k_begin(&g, "tangle");
	val i = k_gid(k);
	(void)state;
	k_exit_if(k, k_setp(k, CMP_GE, i, k_int(k, N)));
	val x = k_var(k, k_ldg(k, M_32, T_U32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0));
	val sum = k_var(k, k_uint(k, 0)), steps = k_var(k, k_uint(k, 0));
	val q = k_elem(k, k_arg_ptr(k, 1), i, 8);
	/* Half of the lanes leave for good inside an if. */
	k_if(k, k_setpi(k, CMP_EQ, k_andi(k, i, 3), 2));
	k_stg(k, M_32, q, 0, k_uint(k, 77));
	k_exit_if(k, k_setpi(k, CMP_EQ, k_andi(k, i, 7), 2));
	k_endif(k);
	build_tangle(k, x, sum, steps);
	k_stg(k, M_32, q, 0, k_add(k, sum, steps));
	k_stg(k, M_32, q, 4, k_uint(k, 1));
	k_finish(k);
	launch(&g, k, 3, 128, 0, in, out);
	for (uint32_t t = 0; t < N; t++) {
		uint32_t x0 = word(in, t);
		assert_int_equal(word(out, 2 * t), (t & 7) == 2 ? 77 : tangle(x0));
		assert_int_equal(word(out, 2 * t + 1), (t & 7) != 2);
	}
	simt_release(&g);
}

/* Random expressions over many live values inside loops: the allocator must keep
 * every one of them. */
static void registers_hold_their_values(void **state)
{
	enum { LIVE = 60, ROUNDS = 5 };
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct simt_run g = start();
		struct simt_buffer *out = simt_alloc(&g, 4 * 64);
		struct kb *k = k_begin(&g, "pressure");
		uint64_t s = seed;
		uint32_t host[LIVE][64];
		val v[LIVE], i = k_gid(k);
		for (int j = 0; j < LIVE; j++)
			v[j] = k_var(k, k_as(k, k_addi(k, i, j * j), T_U32));
		for (uint32_t t = 0; t < 64; t++)
			for (uint32_t j = 0; j < LIVE; j++)
				host[j][t] = t + j * j;
		int a[200], b[200], op[200];
		for (int n = 0; n < 200; n++) {
			a[n] = (int)(ct_rand64(&s) % LIVE);
			b[n] = (int)(ct_rand64(&s) % LIVE);
			op[n] = (int)(ct_rand64(&s) % 4);
		}
		k_for(k, k_int(k, 0), k_int(k, ROUNDS), 1);
		for (int n = 0; n < 200; n++) {
			val t = k_xor(k, k_muli(k, v[b[n]], 5), k_uint(k, (uint32_t)n));
			if (op[n] == 0)
				k_if(k, k_setpi(k, CMP_NE, k_andi(k, v[b[n]], 2), 0));
			k_set(k, v[a[n]],
			      op[n] == 1   ? k_add(k, t, v[a[n]])
			      : op[n] == 2 ? t
			                   : k_sub(k, v[a[n]], t));
			if (op[n] == 0)
				k_endif(k);
		}
		k_endfor(k);
		val sum = k_var(k, k_uint(k, 0));
		for (int j = 0; j < LIVE; j++)
			k_set(k, sum, k_add(k, k_muli(k, sum, 31), v[j]));
		k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0, sum);
		k_finish(k);
		launch(&g, k, 1, 64, 0, NULL, out);
		assert_in_range(k->nregs, LIVE, LIVE + 12);
		for (uint32_t t = 0; t < 64; t++) {
			for (int n = 0; n < 200 * ROUNDS; n++) {
				int m = n % 200;
				uint32_t x = host[b[m]][t] * 5 ^ (uint32_t)m, *to = &host[a[m]][t];
				if (op[m] != 0 || host[b[m]][t] & 2)
					*to = op[m] == 1 ? x + *to : op[m] == 2 ? x : *to - x;
			}
			uint32_t want = 0;
			for (int j = 0; j < LIVE; j++)
				want = want * 31 + host[j][t];
			assert_int_equal(word(out, t), want);
		}
		simt_release(&g);
	}
}

/* ---- memory and warp-wide operations -------------------------------------------------- */

static void shared_memory_barriers_and_atomics(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *in = random_words(&g, 512, 3), *out = simt_alloc(&g, 64);
	struct kb *k = k_begin(&g, "reduce");
	val i = k_gid(k), t = k_tid(k, 0), at = k_shli(k, t, 2);
	(void)state;
	val x = k_andi(k, k_ldg(k, M_32, T_U32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0), 0xffff);
	k_sts(k, M_32, at, 0, x);
	k_bar(k);
	for (int half = 128; half > 0; half /= 2) {
		k_if(k, k_setpi(k, CMP_LT, t, half));
		k_sts(k, M_32, at, 0,
		      k_add(k, k_lds(k, M_32, T_U32, at, 0), k_lds(k, M_32, T_U32, at, 4 * half)));
		k_endif(k);
		k_bar(k);
	}
	val zero = k_int(k, 0);
	k_if(k, k_setpi(k, CMP_EQ, t, 0));
	k_red(k, ATOM_ADD, k_arg_ptr(k, 1), 0, k_lds(k, M_32, T_U32, zero, 0));
	k_endif(k);
	k_red(k, ATOM_MAX, k_arg_ptr(k, 1), 4, x);
	val ticket = k_atomg(k, ATOM_ADD, k_arg_ptr(k, 1), 8, k_uint(k, 1));
	k_red(k, ATOM_OR, k_arg_ptr(k, 1), 12, k_shl(k, k_uint(k, 1), k_andi(k, ticket, 31)));
	k_cas(k, k_arg_ptr(k, 1), 16, k_uint(k, 0), x);
	k_red(k, ATOM_ADD, k_arg_ptr(k, 1), 20, k_float(k, 0.5f));
	k_finish(k);
	launch(&g, k, 2, 256, 1024, in, out);
	uint32_t sum = 0, max = 0;
	for (size_t j = 0; j < 512; j++) {
		sum += word(in, j) & 0xffff;
		max = (word(in, j) & 0xffff) > max ? word(in, j) & 0xffff : max;
	}
	float halves;
	memcpy(&halves, out->p + 20, 4);
	assert_int_equal(word(out, 0), sum);
	assert_int_equal(word(out, 1), max);
	assert_int_equal(word(out, 2), 512);
	assert_int_equal(word(out, 3), UINT32_MAX);
	assert_int_equal(word(out, 4), word(in, 0) & 0xffff);
	assert_true(halves == 256.0f);
	simt_release(&g);
}

static void every_width_moves_its_bytes(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *in = random_words(&g, 64 * 4, 11), *out = simt_alloc(&g, 64 * 64);
	struct kb *k = k_begin(&g, "widths");
	val i = k_gid(k), p = k_elem(k, k_arg_ptr(k, 0), i, 16), q = k_elem(k, k_arg_ptr(k, 1), i, 64);
	val at = k_shli(k, k_tid(k, 0), 4);
	(void)state;
	k_local_frame(k, 32);
	k_stg(k, M_32, q, 0, k_ldg(k, M_U8, T_U32, p, 3));
	k_stg(k, M_32, q, 4, k_ldg(k, M_S8, T_S32, p, 3));
	k_stg(k, M_32, q, 8, k_ldg(k, M_U16, T_U32, p, 6));
	k_stg(k, M_32, q, 12, k_ldg(k, M_S16, T_S32, p, 6));
	k_ldgsts(k, M_128, at, 0, p, 0);
	k_ldgdepbar(k);
	k_depbar(k, 0);
	k_bar(k);
	k_stg(k, M_128, q, 16, k_lds(k, M_128, T_U32, at, 0));
	k_stl(k, M_64, k_int(k, 8), 0, k_ldg(k, M_64, T_U32, p, 8));
	k_stg(k, M_64, q, 32, k_ldl(k, M_64, T_U32, k_int(k, 0), 8));
	k_stg(k, M_U8, q, 41, k_ldg(k, M_32, T_U32, p, 0));
	k_stg(k, M_U16, q, 42, k_ldg(k, M_32, T_U32, p, 4));
	k_stg(k, M_64, q, 48, k_ldg(k, M_64, T_F64, p, 0));
	k_stg(k, M_32, q, 56, k_ldc(k, T_U32, k_arg_ptr(k, 0), k_shli(k, i, 2), 8));
	k_finish(k);
	launch(&g, k, 1, 64, 1024, in, out);
	for (size_t t = 0; t < 64; t++) {
		const unsigned char *a = in->p + 16 * t, *b = out->p + 64 * t;
		assert_int_equal(word(out, 16 * t), a[3]);
		assert_int_equal(word(out, 16 * t + 1), (uint32_t)(int32_t)(int8_t)a[3]);
		assert_int_equal(word(out, 16 * t + 2), a[6] | a[7] << 8);
		assert_int_equal(word(out, 16 * t + 3), (uint32_t)(int32_t)(int16_t)(a[6] | a[7] << 8));
		assert_memory_equal(a, b + 16, 16);
		assert_memory_equal(a + 8, b + 32, 8);
		assert_true(b[40] == 0 && b[41] == a[0] && b[42] == a[4] && b[43] == a[5] && b[44] == 0);
		assert_memory_equal(a, b + 48, 8);
		assert_int_equal(word(out, 16 * t + 14), word(in, t + 2));
	}
	simt_release(&g);
}

static void warp_wide_operations(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *out = simt_alloc(&g, 64 * 24);
	struct kb *k = k_begin(&g, "warp");
	val i = k_gid(k), q = k_elem(k, k_arg_ptr(k, 1), i, 24),
	    odd = k_setpi(k, CMP_NE, k_andi(k, i, 1), 0);
	(void)state;
	k_stg(k, M_32, q, 0, k_shfl(k, SHFL_DOWN, i, k_int(k, 3)));
	k_stg(k, M_32, q, 4, k_shfl(k, SHFL_UP, i, k_int(k, 3)));
	k_stg(k, M_32, q, 8, k_shfl(k, SHFL_BFLY, i, k_int(k, 5)));
	k_stg(k, M_32, q, 12, k_shfl(k, SHFL_IDX, i, k_int(k, 7)));
	k_stg(k, M_32, q, 16, k_ballot(k, odd));
	val yes = k_int(k, 1), no = k_int(k, 0);
	val any = k_any(k, k_setpi(k, CMP_EQ, i, 40)), all = k_all(k, k_setpi(k, CMP_LT, i, 32));
	k_stg(k, M_32, q, 20,
	      k_shli(k, k_add(k, k_shli(k, k_sel(k, any, yes, no), 1), k_sel(k, all, yes, no)), 0));
	k_finish(k);
	launch(&g, k, 1, 64, 0, NULL, out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t lane = t % 32, base = t - lane;
		assert_int_equal(word(out, 6 * t), lane + 3 < 32 ? t + 3 : t);
		assert_int_equal(word(out, 6 * t + 1), lane >= 3 ? t - 3 : t);
		assert_int_equal(word(out, 6 * t + 2), base + (lane ^ 5));
		assert_int_equal(word(out, 6 * t + 3), base + 7);
		assert_int_equal(word(out, 6 * t + 4), 0xaaaaaaaa);
		assert_int_equal(word(out, 6 * t + 5), t < 32 ? 1 : 2);
	}
	simt_release(&g);
}

/* A 16x16 by 16x8 product of halves: A by LDSM from shared memory. */
static void matrix_fragments_multiply(void **state)
{
	struct simt_run g = start();
	struct simt_buffer *in = simt_alloc(&g, 2 * (16 * 16 + 16 * 8)), *out = simt_alloc(&g, 4 * 128);
	struct kb *k = k_begin(&g, "fragment");
	val l = k_lane(k), row = k_shri(k, l, 2), col2 = k_shli(k, k_andi(k, l, 3), 1);
	uint64_t seed = 2;
	float a[16][16], b[8][16];
	(void)state;
	val at = k_shli(k, l, 4);
	k_ldgsts(k, M_128, at, 0, k_elem(k, k_arg_ptr(k, 0), l, 16), 0);
	k_ldgdepbar(k);
	k_depbar(k, 0);
	k_bar(k);
	/* Matrices in the order of the fragment: rows 0-7, 8-15, then the right half. */
	val r16 = k_andi(k, l, 15), right = k_shri(k, l, 4);
	val fa = k_ldsm4(k, k_add(k, k_shli(k, r16, 5), k_shli(k, right, 4)), 0);
	val pb = k_elem(k, k_arg_ptr(k, 0), k_madi(k, row, 16, col2), 2);
	val fb = k_group(k, T_U32, 2), fc = k_group(k, T_F32, 4);
	for (unsigned j = 0; j < 2; j++)
		k_set(k, k_part(k, fb, j), k_ldg(k, M_32, T_U32, pb, 512 + 16 * (int)j));
	for (unsigned j = 0; j < 4; j++)
		k_set(k, k_part(k, fc, j), k_float(k, 1));
	k_hmma(k, fc, fa, fb, fc);
	val q = k_elem(k, k_arg_ptr(k, 1), k_madi(k, row, 8, col2), 4);
	for (unsigned j = 0; j < 4; j++)
		k_stg(k, M_32, q, 4 * (int)(j & 1) + 256 * (int)(j >> 1), k_part(k, fc, j));
	k_finish(k);
	for (int n = 0; n < 16 * 16 + 8 * 16; n++) {
		float x = (float)((int)(ct_rand64(&seed) % 65) - 32) / 8.0f;
		uint16_t h = simt_to_half(x);
		memcpy(in->p + 2 * n, &h, 2);
		if (n < 256)
			a[n / 16][n % 16] = x;
		else
			b[(n - 256) / 16][n % 16] = x;
	}
	launch(&g, k, 1, 32, 1024, in, out);
	for (int r = 0; r < 16; r++)
		for (int c = 0; c < 8; c++) {
			float want = 1, got;
			for (int n = 0; n < 16; n++)
				want += a[r][n] * b[c][n];
			memcpy(&got, out->p + 4 * (8 * r + c), 4);
			assert_true(got == want);
		}
	simt_release(&g);
}

/* ---- mistakes and lines ------------------------------------------------------------------ */

static void mistakes_are_reported(void **state)
{
	(void)state;
	for (int what = 0; what < 5; what++) {
		static const char *const texts[] = {
			"in no buffer", "not closed", "reads what is not set", "wrong order",
			"argument 5"};
		struct simt_run g = start();
		struct simt_buffer *out = simt_alloc(&g, 4);
		struct kb *k = k_begin(&g, "mistake");
		val i = k_gid(k);
		if (what == 0)
			k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 4, i);
		if (what == 1)
			k_loop(k);
		if (what == 2)
			k_stg(k, M_32, k_arg_ptr(k, 1), 0, k_part(k, k_group(k, T_S32, 2), 0));
		if (what == 3) {
			k_if(k, k_setpi(k, CMP_EQ, i, 0));
			k_endloop_always(k);
		}
		if (what == 4)
			k_stg(k, M_32, k_arg_ptr(k, 1), 0, k_arg_int(k, 5));
		k_finish(k);
		uint64_t args[] = {0, out->address};
		simt_launch(&g, k, simt_1d(1), simt_1d(1), 0, args, 2);
		assert_true(g.status < 0);
		if (!strstr(error.text, texts[what]))
			fail_msg("mistake %d: %s", what, error.text);
		simt_release(&g);
	}
}

static void read_file(const char *dir, const char *name, char *out, size_t n)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	size_t got = fread(out, 1, n - 1, f);
	out[got] = '\0';
	fclose(f);
}

/* if (t < 2) x = t + 1; else x = t + 2; do x += 4; while (x < 7); for threads 0..3. */
static void lines_show_what_ran(void **state)
{
	static const char want[] =
		"\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 22\n"
		"0000 0000000f 1 R1 IMAD.MOV.U32 2 R255 R255 0 0 \n"
		"0010 0000000f 0 ULDC.64 0 0 0 \n"
		"0020 0000000f 1 R0 S2R 0 0 0 \n"
		"0030 0000000f 1 R2 IMAD.MOV.U32 2 R255 R255 0 0 \n"
		"0040 0000000f 0 ISETP.LT.AND 1 R0 0 2 \n"
		"0050 0000000f 0 BSSY 0 0 0 \n"
		"0060 0000000c 0 BRA 0 0 0 \n"
		"0070 00000003 1 R2 IADD3 2 R0 R255 0 1 \n"
		"0080 00000003 0 BRA 0 0 0 \n"
		"0090 0000000c 1 R2 IADD3 2 R0 R255 0 2 \n"
		"00a0 00000003 0 BSYNC 0 0 0 \n"
		"00a0 0000000c 0 BSYNC 0 0 0 \n"
		"00b0 0000000f 0 BSSY 0 0 0 \n"
		"00c0 0000000f 1 R2 IADD3 2 R2 R255 0 4 \n"
		"00d0 0000000f 0 ISETP.LT.AND 1 R2 0 7 \n"
		"00e0 00000003 0 BRA 0 0 0 \n"
		"00f0 0000000c 0 BSYNC 0 0 0 \n"
		"00c0 00000003 1 R2 IADD3 2 R2 R255 0 4 \n"
		"00d0 00000003 0 ISETP.LT.AND 1 R2 0 7 \n"
		"00e0 00000000 0 BRA 0 0 0 \n"
		"00f0 00000003 0 BSYNC 0 0 0 \n"
		"0100 0000000f 0 EXIT 0 0 0 \n"
		"\n#END_TB\n";
	char dir[300], text[8192];
	struct simt_run g = start();
	struct ct_folder_options o = {.compress = CT_FOLDER_PLAIN};
	(void)state;
	/* An empty folder may be replaced. */
	snprintf(dir, sizeof dir, "%s/simt.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(ct_folder_open(&g.sink, dir, &o, &error), CT_OK);
	assert_int_equal(ct_folder_begin(g.sink, NULL, "test", &error), CT_OK);
	struct kb *k = k_begin(&g, "lines");
	val i = k_tid(k, 0), x = k_var(k, k_int(k, 0));
	k_if(k, k_setpi(k, CMP_LT, i, 2));
	k_set(k, x, k_addi(k, i, 1));
	k_else(k);
	k_set(k, x, k_addi(k, i, 2));
	k_endif(k);
	k_loop(k);
	k_set(k, x, k_addi(k, x, 4));
	k_endloop(k, k_setpi(k, CMP_LT, x, 7));
	k_finish(k);
	launch(&g, k, 1, 4, 0, NULL, NULL);
	assert_int_equal(ct_folder_end(g.sink, &error), CT_OK);
	assert_int_equal(ct_folder_commit(g.sink, &error), CT_OK);
	read_file(dir, "kernel-1.traceg", text, sizeof text);
	char *body = strstr(text, "immediate\n");
	assert_non_null(body);
	assert_string_equal(body + strlen("immediate\n\n"), want);
	simt_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_follow_c),
		cmocka_unit_test(division_at_its_edges),
		cmocka_unit_test(floats_follow_c),
		cmocka_unit_test(special_functions_are_close),
		cmocka_unit_test(halves_round_to_nearest_even),
		cmocka_unit_test(divergent_lanes_meet_again),
		cmocka_unit_test(registers_hold_their_values),
		cmocka_unit_test(shared_memory_barriers_and_atomics),
		cmocka_unit_test(every_width_moves_its_bytes),
		cmocka_unit_test(warp_wide_operations),
		cmocka_unit_test(matrix_fragments_multiply),
		cmocka_unit_test(mistakes_are_reported),
		cmocka_unit_test(lines_show_what_ran),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
