/* The arithmetic of the Shared L1 paper (doc/papers/shared-l1.md), homes,
 * placements and the metrics of the dynamic schemes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/shared_l1/estimate.h"
#include "models/shared_l1/phases.h"
#include "tests/support/gpus.h"

static int near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

static struct ct_gpu paper_gpu(void)
{
	struct ct_gpu g;
	test_gpu(&g, "sharedl1-28");
	return g;
}

static void test_addresses(void **state)
{
	(void)state;
	struct ct_gpu g = paper_gpu();
	assert_int_equal(g.l1.sets, 16384 / (128 * 4));
	assert_int_equal(ct_sl_tag_bits(32, g.l1.line, g.l1.sets), 20); /* tag bits */
	static const unsigned cores[][2] = {
		{28, 5}, {48, 6}, {56, 6}, {68, 7}, {76, 7}, {84, 7}, {1, 0}, {2, 1}, {32, 5}, {33, 6}};
	for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) /* core bits */
		assert_int_equal(ct_sl_core_bits(cores[i][0]), cores[i][1]);
	assert_int_equal(g.l1.sets * g.l1.line, 4096);       /* bytes of neighbouring homes */
	assert_int_equal(ct_gpu_llc_bytes(&g), 1024 * 1024); /* LLC in all */
	assert_int_equal(g.l1.size * g.sms, 448 * 1024);     /* L1s in all */
	assert_int_equal(16 * g.l1.size, 256 * 1024);
	assert_int_equal(16 * g.l1.size * g.sms, 7 * 1024 * 1024);
	/* Chunks: 4 flits of data in a line, 1 in a quarter. */
	g.noc_header_bytes = 0;
	assert_true(ct_sl_flits(&g, 128) == 4 && ct_sl_flits(&g, 32) == 1);
	g.noc_header_bytes = 8;
	assert_true(ct_sl_flits(&g, 128) == 5 && ct_sl_flits(&g, 32) == 2 && ct_sl_flits(&g, 0) == 1);
}

static void test_nodes(void **state)
{
	static const unsigned pair[][3] = {
		{28, 8, 6}, {56, 8, 8}, {48, 16, 8}, {84, 16, 10}, {68, 32, 10}, {76, 24, 10}};
	static const double per[] = {3.5, 7, 3, 5.25, 2.125, 3.17};
	struct ct_sl_place *p = calloc(1, sizeof *p);
	struct ct_error e;
	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < 6; i++) {
		unsigned c = pair[i][0], m = pair[i][1];
		assert_int_equal(c + m, pair[i][2] * pair[i][2]); /* nodes of the meshes */
		assert_true(near((double)c / m, per[i], 0.005));  /* SMs per partition */
		assert_int_equal(ct_sl_place_spread(p, c, m, &e), CT_OK);
		assert_int_equal(p->side, pair[i][2]);
		assert_int_equal(p->cores, c);
		assert_int_equal(p->partitions, m);
		char name[64], path[1024];
		snprintf(name, sizeof name, "shared_l1/mesh-%u-%u.txt", c, m);
		if (ct_sl_place_load(p, test_data(name, path, sizeof path), c, m, &e) != CT_OK)
			fail_msg("%s", e.text);
		assert_int_equal(p->side, pair[i][2]);
		/* The shipped files show the default. */
		struct ct_sl_place *own = calloc(1, sizeof *own);
		assert_non_null(own);
		assert_int_equal(ct_sl_place_default(own, c, m, &e), CT_OK);
		assert_memory_equal(own, p, sizeof *p);
		free(own);
	}
	/* Every node is used once. */
	unsigned char seen[100] = {0};
	assert_int_equal(ct_sl_place_spread(p, 76, 24, &e), CT_OK);
	for (unsigned i = 0; i < 76; i++)
		seen[p->core[i]]++;
	for (unsigned i = 0; i < 24; i++)
		seen[p->partition[i]]++;
	for (int i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	free(p);
}

static void test_bad_placements(void **state)
{
	static const char *const bad[] = {
		"", "C M\nC\n", "C C\nC C\n", "C M\n", "C X\nC M\n", "C M\nC C\nC C\n", "CM\nCC\n"};
	struct ct_sl_place *p = calloc(1, sizeof *p);
	struct ct_error e;
	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(ct_sl_place_parse(p, "x", bad[i], 0, 0, &e), CT_ERR_INPUT);
	assert_int_equal(ct_sl_place_parse(p, "x", "# a mesh\nC M # row\n- C\n", 2, 1, &e), CT_OK);
	assert_int_equal(p->core[1], 3);
	assert_int_equal(ct_sl_place_parse(p, "x", "C M\n- C\n", 3, 1, &e), CT_ERR_INPUT);
	assert_int_equal(ct_sl_place_spread(p, 0, 1, &e), CT_ERR_USAGE);
	assert_int_equal(ct_sl_place_spread(p, 1024, 1, &e), CT_ERR_USAGE);
	free(p);
}

static void test_homes(void **state)
{
	unsigned load[CT_SL_HOMES_KINDS][28] = {{0}};
	(void)state;
	for (uint64_t tag = 0; tag < 28 * 32 * 8; tag++)
		for (int h = 0; h < CT_SL_HOMES_KINDS; h++)
			load[h][ct_sl_home((enum ct_sl_homes)h, tag * 32 + tag % 32, 32, 28)]++;
	for (int c = 0; c < 28; c++) {
		assert_int_equal(load[CT_SL_HOMES_MOD][c], 256);
		assert_int_equal(load[CT_SL_HOMES_FOLD][c], c < 4 ? 448 : 224);
		assert_true(load[CT_SL_HOMES_HASH][c] > 190 && load[CT_SL_HOMES_HASH][c] < 330);
	}
	assert_true(ct_sl_homes_beta(CT_SL_HOMES_FOLD, 28) == 1.75);
	assert_true(ct_sl_homes_beta(CT_SL_HOMES_MOD, 28) == 1);
	assert_true(ct_sl_homes_beta(CT_SL_HOMES_FOLD, 32) == 1);
	/* For a power of two, home = (address >> 12) mod N in all but the hash (reading home-core). */
	for (uint64_t a = 0; a < 1 << 20; a += 4096 - 128) {
		assert_int_equal(ct_sl_home(CT_SL_HOMES_MOD, a / 128, 32, 16), (a >> 12) % 16);
		assert_int_equal(ct_sl_home(CT_SL_HOMES_FOLD, a / 128, 32, 16), (a >> 12) % 16);
	}
	for (int h = 0; h < CT_SL_HOMES_KINDS; h++)
		assert_int_equal(ct_sl_homes_find(ct_sl_homes_name((enum ct_sl_homes)h)), h);
}

static void test_results(void **state)
{
	struct ct_sl_params p;
	(void)state;
	ct_sl_defaults(&p);
	double area = p.v[CT_SL_AREA_SHARED] + p.v[CT_SL_AREA_DYNAMIC];
	assert_true(near(area, 0.09, 1e-12) && near(area * 28, 2.52, 1e-9)); /* area per SM, and of 28 */
	assert_true(near(1.09 / (1 - 0.09), 1.20, 0.005));                   /* performance per energy */
	assert_true(near(1.22 / (1 - 0.18), 1.49, 0.005));         /* the same, shared-friendly ones */
	assert_true(near((1 - 0.57) / (1 - 0.77), 1.88, 0.015));   /* miss rates of DynEB and Shared++ */
	double geo = pow(pow(1.65, 11) * pow(1.02, 17), 1.0 / 28); /* the crossbar, 28 applications */
	assert_true(near(geo, 1.23, 0.005));
	assert_true(near(1.22 / 1.26, 0.97, 0.005)); /* DynEB against Best */
	assert_true(near(1.26 / 1.08, 1.17, 0.005) &&
	            near(1.22 / 1.04, 1.17, 0.005)); /* Private-2x, told twice */
	/* Sampling when every access counts: 5.9 %. */
	p.v[CT_SL_COUNT] = CT_SL_COUNT_SERVED;
	double s = ct_sl_sampling_accesses(&p, 1.0 / 28, 0.5),
	       x = ct_sl_execution_accesses(&p, 1.0 / 28, 0);
	assert_true(s == 1024 && x == 16384 && near(s / (s + x), 0.059, 0.0005));
	/* As the text says it: 28,672 accesses, 64 % of a private core's time (reading phase-count). */
	p.v[CT_SL_COUNT] = CT_SL_COUNT_LOCAL;
	s = ct_sl_sampling_accesses(&p, 1.0 / 28, 0.5);
	x = ct_sl_execution_accesses(&p, 1.0 / 28, 0);
	assert_true(near(s, 28672, 1e-6) && x == 16384 && near(s / (s + x), 0.64, 0.005));
	assert_true(near(ct_sl_execution_accesses(&p, 1.0 / 28, 1), 458752, 1e-6));
	assert_true(ct_sl_sampling_share(&p, 1.0 / 28, 0.5, 0, 1000) == 1);
	assert_true(near(ct_sl_sampling_share(&p, 1.0 / 28, 0.5, 0, 1e9), 0.636, 0.001));
	assert_true(ct_sl_is_target(&p, 0.11, 0.51, 0.06));
	assert_false(ct_sl_is_target(&p, 0.10, 0.51, 0.06));
	assert_false(ct_sl_is_target(&p, 0.11, 0.50, 0.06));
	assert_false(ct_sl_is_target(&p, 0.11, 0.51, 0.05));
}

static void test_metrics(void **state)
{
	const struct ct_sl_latencies l = {28, 28 + 54, 28 + 247};
	struct ct_sl_group a = {.local = 512,
	                        .local_misses = 256,
	                        .served = 512,
	                        .served_misses = 256,
	                        .llc_replies = 256};
	struct ct_sl_group b = {
		.local = 100,
		.local_misses = 10,
		.remote = 300,
		.remote_misses = 60,
		.served = 400,
		.served_misses = 40,
		.llc_replies = 40,
		.home_replies = 300};
	(void)state;
	assert_true(near(ct_sl_amat(&a, &l), 28 + 0.5 * 275, 1e-9));
	assert_true(near(ct_sl_amat(&b, &l), 28 + 0.25 * 0.1 * 275 + 0.75 * (82 + 0.2 * 275), 1e-9));
	assert_true(near(ct_sl_eb(&a), 512, 1e-9));
	assert_true(near(ct_sl_eb(&b), 700, 1e-9));
	assert_true(ct_sl_decide(CT_SL_BY_AMAT, &a, &b, &l, 0.1, 0));
	assert_true(ct_sl_decide(CT_SL_BY_EB, &a, &b, &l, 0.1, 0));
	/* The guard wins, ties keep what was (reading ties-keep). */
	a.served_misses = a.local_misses = 51;
	assert_false(ct_sl_decide(CT_SL_BY_EB, &a, &b, &l, 0.1, 1));
	assert_true(ct_sl_decide(CT_SL_BY_EB, &b, &b, &l, 0, 1));
	assert_false(ct_sl_decide(CT_SL_BY_EB, &b, &b, &l, 0, 0));
	/* No misses: 1 / served stands for the rate (reading no-misses). */
	b.served_misses = 0;
	assert_true(near(ct_sl_eb(&b), 40 * 400 + 300, 1e-9));
	b.past = 50; /* replies that pass the homes by */
	assert_true(near(ct_sl_eb(&b), 40 * 400 + 350, 1e-9));
	struct ct_sl_group none = {0};
	assert_true(ct_sl_eb(&none) == 0 && ct_sl_amat(&none, &l) == 28);
}

/* One phase of sampling: two misses of the private group, two hits of the shared one, and three accesses of
 * it that go past their homes. 1: the core chose to share. */
static int shares_after_sampling(int eb_past)
{
	const struct ct_sl_scheme scheme = {
		.by = CT_SL_BY_EB,
		.sampling = 2,
		.execution = 10,
		.count = CT_SL_COUNT_SERVED,
		.eb_past = eb_past};
	struct ct_sl_phases *p = NULL;
	assert_int_equal(ct_sl_phases_new(&p, &scheme, 1), CT_OK);
	for (int i = 0; i < 3; i++)
		ct_sl_phases_own(p, 0, 1, CT_SL_PAST);
	for (int i = 0; i < 2; i++) {
		assert_false(ct_sl_phases_served(p, 0, 0, 0, 1));
		ct_sl_phases_llc_reply(p, 0, 0);
	}
	assert_false(ct_sl_phases_served(p, 0, 0, 1, 0));
	assert_true(ct_sl_phases_served(p, 0, 0, 1, 0));
	assert_int_equal(ct_sl_phases_turn(p, 0, 1), CT_OK);
	int shared = ct_sl_phases_shared(p, 0, 0);
	ct_sl_phases_free(p);
	return shared;
}

/* Reading effective-bandwidth: by the letter EB is 2 private and 0 shared; with replies past the homes 2 and 3. */
static void test_replies_past_homes_are_an_option(void **state)
{
	(void)state;
	assert_false(shares_after_sampling(0));
	assert_true(shares_after_sampling(1));
}

/* The mesh of the paper's system: hops, the 54 cycles, what Min(H,L2) does. */
static void test_noc(void **state)
{
	struct ct_gpu g = paper_gpu();
	struct ct_sl_params p;
	struct ct_sl_noc *n = calloc(1, sizeof *n);
	char path[1024];
	struct ct_sl_place *place = calloc(1, sizeof *place);
	struct ct_error e;
	(void)state;
	assert_non_null(n);
	assert_non_null(place);
	ct_sl_defaults(&p);
	assert_int_equal(ct_sl_place_load(place, test_data("shared_l1/mesh-28-8.txt", path, sizeof path),
	                                  28, 8, &e),
	                 CT_OK);
	assert_int_equal(ct_sl_noc_init(n, CT_SL_NET_MESH, &g, &p, place, &e), CT_OK);
	assert_true(near(n->home_hops, 4, 0.1) && near(n->llc_hops, 4, 0.2));
	assert_true(near(ct_sl_home_trip(n, &p, 0, 1, 5), 54, 3.5));
	assert_true(near(ct_sl_home_trip(n, &p, 0, 1, 2), 54, 4));
	assert_true(n->near_home_hops < n->home_hops && n->past_hops < n->llc_hops);
	assert_true(n->past > 0.3 && n->past < 0.5);
	/* By hand: one request in n->past goes past the home. */
	unsigned past = 0;
	for (unsigned c = 0; c < 28; c++)
		for (unsigned h = 0; h < 28; h++)
			for (unsigned s = 0; s < 8; s++)
				past += ct_mesh_distance(6, place->core[c], place->partition[s]) <
				        ct_mesh_distance(6, place->core[c], place->core[h]);
	assert_true(near(n->past, past / (28.0 * 28 * 8), 1e-12));
	/* Each packet is injected and ejected once. */
	for (int min = 0; min < 2; min++)
		for (int f = 0; f < CT_SL_FLOWS; f++) {
			double in = 0, out = 0;
			for (int i = 0; i < 36; i++) {
				in += n->pass[min][f][i * CT_MESH_CHANNELS + CT_MESH_INJECT];
				out += n->pass[min][f][i * CT_MESH_CHANNELS + CT_MESH_EJECT];
			}
			int unused = !min && (f == CT_SL_PAST_HOME || f == CT_SL_FROM_PAST);
			assert_true(near(in, !unused, 1e-9) && near(out, !unused, 1e-9));
		}
	ct_sl_noc_free(n);
	assert_int_equal(ct_sl_noc_init(n, CT_SL_NET_BUTTERFLY, &g, &p, NULL, &e), CT_OK);
	assert_int_equal(n->butterfly.k, 6);
	assert_int_equal(n->butterfly.n, 2);
	ct_sl_noc_free(n);
	p.v[CT_SL_HOME_CYCLES] = 54;
	assert_int_equal(ct_sl_noc_init(n, CT_SL_NET_FORWARDED, &g, &p, NULL, &e), CT_OK);
	assert_true(ct_sl_home_trip(n, &p, 0, 1, 5) == 54);
	ct_sl_noc_free(n);
	free(place);
	free(n);
}

static void test_constants(void **state)
{
	struct ct_sl_params p;
	struct ct_error e;
	(void)state;
	ct_sl_defaults(&p);
	for (size_t i = 0; i < CT_SL_KEYS; i++) {
		const struct ct_constant *c = &ct_sl_constants.row[i];
		assert_non_null(c->name);
		assert_true(*c->source && c->value >= c->lo && c->value <= c->hi);
	}
	assert_int_equal(ct_sl_constants.n, CT_SL_KEYS);
	assert_int_equal(ct_sl_set(&p, "shared-l1.guard=0.2", &e), CT_OK);
	assert_int_equal(ct_sl_set(&p, "sharedl1.sampling=100", &e), CT_OK);
	assert_true(p.v[CT_SL_GUARD] == 0.2 && p.v[CT_SL_SAMPLING] == 100);
	assert_int_equal(ct_sl_set(&p, "shared-l1.gard=0.2", &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "shared-l1.guard"));
	assert_int_equal(ct_sl_set(&p, "shared-l1.guard=2", &e), CT_ERR_USAGE);
	assert_int_equal(ct_sl_set(&p, "shared-l1.guard", &e), CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_bad_placements),
		cmocka_unit_test(test_homes),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_replies_past_homes_are_an_option),
		cmocka_unit_test(test_noc),
		cmocka_unit_test(test_constants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
