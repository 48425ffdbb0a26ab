/* Meshes and butterflies against enumeration, and the Shared L1 paper's 54 cycles
 * (doc/models.md section 6, doc/papers/shared-l1.md). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "models/common/interconnect.h"

static int near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

/* Uniform traffic over all pairs of different nodes, one flit per node and cycle. */
static double *uniform(unsigned k, double *mean_hops)
{
	unsigned n = k * k;
	double *load = calloc((size_t)n * CT_MESH_CHANNELS, sizeof *load), sum = 0;
	assert_non_null(load);
	for (unsigned a = 0; a < n; a++)
		for (unsigned b = 0; b < n; b++) {
			ct_mesh_add_route(k, a, b, 1.0 / (n - 1), load);
			sum += ct_mesh_distance(k, a, b);
		}
	*mean_hops = sum / n / (n - 1);
	return load;
}

static void test_mean_hops(void **state)
{
	static const double want[][3] = {{6, 4.00, 1.543}, {8, 5.33, 2.032}, {10, 6.67, 2.525}};
	(void)state;
	for (int i = 0; i < 3; i++) {
		unsigned k = (unsigned)want[i][0];
		double hops, *load = uniform(k, &hops);
		assert_true(near(hops, want[i][1], 0.005));
		assert_true(near(hops, ct_mesh_mean_hops(k, 0), 1e-9));
		double with_self = hops * (k * k - 1) / (k * k);
		assert_true(near(with_self, ct_mesh_mean_hops(k, 1), 1e-9));
		/* (k/4) k^2/(k^2 - 1) is the peak, by formula and by enumeration. */
		double peak = ct_mesh_peak(k, load, 1, NULL);
		assert_true(near(peak, want[i][2], 0.0005));
		assert_true(near(peak, ct_mesh_uniform_peak(k), 1e-9));
		assert_true(near(peak, k / 4.0 * k * k / (k * k - 1), 1e-9));
		/* Each node injects and ejects one flit. */
		for (unsigned n = 0; n < k * k; n++) {
			assert_true(near(load[n * CT_MESH_CHANNELS + CT_MESH_INJECT], 1, 1e-9));
			assert_true(near(load[n * CT_MESH_CHANNELS + CT_MESH_EJECT], 1, 1e-9));
		}
		free(load);
	}
	assert_true(near(ct_mesh_mean_hops(6, 1), 3.89, 0.005)); /* a node also sends to itself */
}

static void test_routes(void **state)
{
	double load[9 * CT_MESH_CHANNELS] = {0};
	(void)state;
	/* From (0, 0) to (2, 1) of a 3 x 3 mesh: east, east, south. */
	ct_mesh_add_route(3, 0, 5, 2, load);
	assert_true(load[0 * CT_MESH_CHANNELS + CT_MESH_INJECT] == 2);
	assert_true(load[0 * CT_MESH_CHANNELS + CT_MESH_EAST] == 2);
	assert_true(load[1 * CT_MESH_CHANNELS + CT_MESH_EAST] == 2);
	assert_true(load[2 * CT_MESH_CHANNELS + CT_MESH_SOUTH] == 2);
	assert_true(load[5 * CT_MESH_CHANNELS + CT_MESH_EJECT] == 2);
	double sum = 0;
	for (int i = 0; i < 9 * CT_MESH_CHANNELS; i++)
		sum += load[i];
	assert_true(sum == 2 * (ct_mesh_distance(3, 0, 5) + 2));
	/* Back: west, west, north, on other channels. */
	ct_mesh_add_route(3, 5, 0, 1, load);
	assert_true(load[5 * CT_MESH_CHANNELS + CT_MESH_WEST] == 1);
	assert_true(load[4 * CT_MESH_CHANNELS + CT_MESH_WEST] == 1);
	assert_true(load[3 * CT_MESH_CHANNELS + CT_MESH_NORTH] == 1);
	/* To itself: nothing. */
	double before = load[0];
	ct_mesh_add_route(3, 4, 4, 1, load);
	assert_true(load[0] == before && load[4 * CT_MESH_CHANNELS + CT_MESH_INJECT] == 0);
}

/* 54 core cycles at 1400 and 700 MHz are 27 network cycles over 2 x 4 hops: between 2.9 and
 * 3.4 cycles a hop, so that a router of 2 and a link of 1 fit. */
static void test_calibration(void **state)
{
	(void)state;
	double cycles = 54 * 700.0 / 1400, hops = 2 * ct_mesh_mean_hops(6, 0);
	double most = cycles / hops;              /* one flit each way */
	double least = (cycles - (5 - 1)) / hops; /* a reply of 5 flits */
	assert_true(near(most, 3.375, 1e-9));
	assert_true(near(least, 2.875, 1e-9));
	assert_true(least < 3 && 3 < most);
	double core = 2 * (ct_packet_time(4, 3, 1) + ct_packet_time(4, 3, 5));
	assert_true(near(core, 54, 2.5)); /* 56 */
	core = 2 * (ct_packet_time(4, 3, 1) + ct_packet_time(4, 3, 2));
	assert_true(near(core, 54, 4.5)); /* 50, a chunk of 32 B */
}

static void test_butterfly(void **state)
{
	struct ct_butterfly b;
	(void)state;
	assert_int_equal(ct_butterfly_for(&b, 6, 36), 0); /* 6-ary 2-fly for 36 nodes */
	assert_int_equal(b.n, 2);
	assert_int_equal(b.nodes, 36);
	assert_int_equal(b.switches_per_stage, 6);
	assert_int_equal(ct_butterfly_for(&b, 4, 64), 0);
	assert_int_equal(b.n, 3);
	assert_int_equal(b.nodes, 64);
	assert_int_equal(b.switches_per_stage, 16);
	assert_int_equal(ct_butterfly_for(&b, 4, 65), 0);
	assert_int_equal(b.n, 4);
	assert_true(ct_butterfly_time(&b, 3, 5) == 4 * 3 + 4);
	assert_true(ct_butterfly_for(&b, 1, 8) < 0);
	assert_true(ct_butterfly_for(&b, 4, 0) < 0);
}

static void test_waits(void **state)
{
	(void)state;
	assert_true(ct_channel_wait(5, 0) == 0);
	assert_true(near(ct_channel_wait(1, 0.5), 0.5, 1e-12)); /* M/D/1 */
	assert_true(ct_channel_wait(5, 2) == ct_channel_wait(5, 0.95));
	assert_true(near(ct_crossbar_wait(2, 1, 0.5), 0.25, 1e-12));
	assert_true(near(ct_butterfly_wait(4, 1, 0.5), 0.375, 1e-12));
}

/* Plays a crossbar whose inputs always have packets, to outputs drawn at random: in each cycle every output takes the first
 * packet of one of the inputs that ask for it, in turn. Its share of cycles in which an output is busy. several: the next packet
 * of an input may leave in the same cycle, if its output comes later. */
static double play_crossbar(unsigned inputs, unsigned outputs, int several, unsigned cycles)
{
	enum { PORTS = 64 };
	unsigned wants[PORTS], next[PORTS] = {0}, moved = 0;
	uint64_t seed = 1;
	for (unsigned i = 0; i < inputs; i++)
		wants[i] = (unsigned)(ct_rand64(&seed) % outputs);
	for (unsigned c = 0; c < cycles; c++) {
		uint64_t served = 0;
		for (unsigned o = 0; o < outputs; o++)
			for (unsigned k = 0; k < inputs; k++) {
				unsigned i = (next[o] + k) % inputs;
				if (wants[i] != o || served >> i & 1)
					continue;
				next[o] = i + 1;
				moved++;
				if (several)
					wants[i] = (unsigned)(ct_rand64(&seed) % outputs);
				else
					served |= UINT64_C(1) << i;
				break;
			}
		for (unsigned i = 0; i < inputs; i++)
			if (served >> i & 1)
				wants[i] = (unsigned)(ct_rand64(&seed) % outputs);
	}
	return (double)moved / cycles / outputs;
}

static void test_crossbar_throughput(void **state)
{
	static const unsigned ports[][2] = {
		{1, 1}, {2, 2}, {3, 3},   {4, 4},   {8, 8},   {16, 16}, {3, 2},   {2, 3},  {8, 1},
		{1, 8}, {6, 3}, {15, 12}, {12, 15}, {30, 12}, {4, 14},  {64, 64}, {60, 20}};
	(void)state;
	for (size_t i = 0; i < 2 * sizeof ports / sizeof ports[0]; i++) {
		const unsigned *p = ports[i / 2];
		int several = i % 2 != 0;
		double played = play_crossbar(p[0], p[1], several, 20000),
		       said = ct_crossbar_throughput(p[0], p[1], several);
		if (!near(said, played, 0.02))
			fail_msg("%u inputs, %u outputs%s: %.4f, played %.4f", p[0], p[1],
			         several ? ", several" : "", said, played);
		/* What leaves the inputs comes to the outputs. */
		if (!several)
			assert_true(
				near(said * p[1], ct_crossbar_throughput(p[1], p[0], 0) * p[0], 1e-9));
	}
	assert_true(near(ct_crossbar_throughput(2, 2, 0), 0.75, 1e-12)); /* Karol et al. 1987 */
	assert_true(near(ct_crossbar_throughput(1e9, 1e9, 0), 0.5858, 1e-4));
	assert_true(near(ct_crossbar_throughput(1e9, 1e9, 1), 2.0 / 3, 1e-4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean_hops),   cmocka_unit_test(test_routes),
		cmocka_unit_test(test_calibration), cmocka_unit_test(test_butterfly),
		cmocka_unit_test(test_waits),       cmocka_unit_test(test_crossbar_throughput),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
