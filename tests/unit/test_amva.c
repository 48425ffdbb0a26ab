/* The closed network: against its own definition iterated, the roofline, known limits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "base/hash.h"
#include "models/common/amva.h"

static double uniform(uint64_t *rng, double lo, double hi)
{
	return lo + (hi - lo) * (double)(ct_rand64(rng) >> 11) * 0x1p-53;
}

/* The textbook form: damped iteration of the equations in amva.h. */
static double iterate(const struct ct_amva_station *s, size_t n, double think, double pop)
{
	double q[CT_AMVA_STATIONS_MAX] = {0}, x = 0;
	for (int step = 0; step < 200000; step++) {
		double sum = think, r[CT_AMVA_STATIONS_MAX];
		for (size_t i = 0; i < n; i++) {
			double local = s[i].closed ? pop / s[i].servers : pop;
			double a = local > 1 ? (local - 1) / local : 0;
			double rho = fmin(x * s[i].demand / s[i].servers, 1);
			r[i] = s[i].path + s[i].wait * a * (q[i] - rho / 2);
			sum += r[i];
		}
		double next = fmin(pop / sum, ct_amva_bound(s, n, think, pop));
		x += 0.02 * (next - x);
		/* Queue of one server, in requests: arrivals times the wait per unit of path. */
		for (size_t i = 0; i < n; i++) {
			double rho = fmin(x * s[i].demand / s[i].servers, 1);
			double now = s[i].path > 0 ? rho * r[i] / s[i].path : 0;
			q[i] += 0.02 * (now - q[i]);
		}
	}
	return x;
}

static void agrees_with_the_iterated_definition(void **state)
{
	(void)state;
	struct ct_amva_station s[3] = {{4, 1, 4, 4, 0}, {40, 8, 20, 20, 0}, {6, 16, 6, 6, 1}};
	static const double pops[] = {1, 4, 16, 40};
	for (size_t i = 0; i < 4; i++) {
		struct ct_amva_result r;
		assert_int_equal(ct_amva_solve(s, 3, 200, pops[i], &r), 0);
		double want = iterate(s, 3, 200, pops[i]);
		assert_true(fabs(r.throughput - want) < 1e-3 * want);
	}
}

static void respects_the_roofline_and_little(void **state)
{
	(void)state;
	uint64_t rng = 7;
	for (int t = 0; t < 2000; t++) {
		struct ct_amva_station s[6];
		size_t n = 1 + ct_rand64(&rng) % 6;
		for (size_t i = 0; i < n; i++) {
			s[i].servers = 1 + (double)(ct_rand64(&rng) % 64);
			s[i].demand = exp(uniform(&rng, -4, 8));
			s[i].path = s[i].demand * uniform(&rng, 0, 1);
			s[i].wait = s[i].demand * uniform(&rng, 0, 2);
			s[i].closed = ct_rand64(&rng) % 4 == 0;
		}
		double think = t % 5 ? exp(uniform(&rng, -2, 8)) : 0, pop = exp(uniform(&rng, -1, 12));
		struct ct_amva_result r;
		assert_int_equal(ct_amva_solve(s, n, think, pop, &r), 0);
		assert_true(r.throughput > 0);
		assert_true(r.throughput <= ct_amva_bound(s, n, think, pop) * (1 + 1e-12));
		/* Little: N = X (Z + R). */
		assert_true(fabs(r.throughput * (think + r.response) - pop) < 1e-6 * pop);
		for (size_t i = 0; i < n; i++) {
			assert_true(r.utilisation[i] <= 1);
			assert_true(r.residence[i] >= s[i].path * (1 - 1e-12));
		}
	}
}

static void is_monotone(void **state)
{
	(void)state;
	uint64_t rng = 11;
	for (int t = 0; t < 1000; t++) {
		struct ct_amva_station s[4];
		for (size_t i = 0; i < 4; i++) {
			s[i].servers = 1 + (double)(ct_rand64(&rng) % 32);
			s[i].demand = s[i].path = s[i].wait = exp(uniform(&rng, -2, 6));
			s[i].closed = 0;
		}
		double think = exp(uniform(&rng, 0, 8)), pop = exp(uniform(&rng, 0, 10));
		struct ct_amva_result a, more, slower, thinks;
		assert_int_equal(ct_amva_solve(s, 4, think, pop, &a), 0);
		assert_int_equal(ct_amva_solve(s, 4, think, pop * 1.3, &more), 0);
		assert_int_equal(ct_amva_solve(s, 4, think * 1.3, pop, &thinks), 0);
		s[t % 4].demand *= 1.5;
		s[t % 4].path *= 1.5;
		s[t % 4].wait *= 1.5;
		assert_int_equal(ct_amva_solve(s, 4, think, pop, &slower), 0);
		assert_true(more.throughput >= a.throughput * (1 - 1e-9));
		assert_true(thinks.throughput <= a.throughput * (1 + 1e-9));
		assert_true(slower.throughput <= a.throughput * (1 + 1e-9));
	}
}

static void known_limits(void **state)
{
	(void)state;
	struct ct_amva_result r;
	/* One customer meets nobody. */
	struct ct_amva_station one[2] = {{3, 1, 3, 3, 0}, {5, 1, 5, 5, 0}};
	ct_amva_solve(one, 2, 12, 1, &r);
	assert_true(fabs(r.throughput - 1.0 / 20) < 1e-12);
	/* Very many saturate the slowest. */
	ct_amva_solve(one, 2, 12, 1e6, &r);
	assert_true(fabs(r.throughput - 1.0 / 5) < 1e-6);
	assert_int_equal(r.bottleneck, 1);
	/* As many customers as hashed servers: 2 - sqrt(2). */
	struct ct_amva_station hashed = {1, 4096, 1, 1, 0};
	ct_amva_solve(&hashed, 1, 0, 4096, &r);
	assert_true(fabs(r.utilisation[0] - (2 - sqrt(2))) < 1e-3);
	/* Nothing to wait for. */
	ct_amva_solve(NULL, 0, 10, 5, &r);
	assert_true(r.throughput == 0.5);
	ct_amva_solve(NULL, 0, 0, 5, &r);
	assert_true(isinf(r.throughput));
}

static void refuses_nonsense(void **state)
{
	(void)state;
	struct ct_amva_result r;
	struct ct_amva_station s = {1, 1, 1, 1, 0};
	assert_int_equal(ct_amva_solve(&s, 1, -1, 1, &r), -1);
	assert_int_equal(ct_amva_solve(&s, 1, 1, 0, &r), -1);
	assert_int_equal(ct_amva_solve(&s, 1, NAN, 1, &r), -1);
	s.servers = 0;
	assert_int_equal(ct_amva_solve(&s, 1, 1, 1, &r), -1);
	s.servers = 1;
	s.demand = INFINITY;
	assert_int_equal(ct_amva_solve(&s, 1, 1, 1, &r), -1);
	assert_int_equal(ct_amva_solve(&s, CT_AMVA_STATIONS_MAX + 1, 1, 1, &r), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_iterated_definition),
		cmocka_unit_test(respects_the_roofline_and_little),
		cmocka_unit_test(is_monotone),
		cmocka_unit_test(known_limits),
		cmocka_unit_test(refuses_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
