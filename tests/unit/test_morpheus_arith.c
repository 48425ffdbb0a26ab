/* The arithmetic of the Morpheus paper (doc/papers/morpheus.md), through the public
 * model functions. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/morpheus/capacity.h"
#include "models/morpheus/figures.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %g, wanted %g within %g", got, want, tolerance);
}

/* Morpheus Table 1 (MO 5.1, 5.2); no file needed. */
static void paper_gpu(struct ct_gpu *g)
{
	memset(g, 0, sizeof *g);
	g->sms = 68;
	g->max_threads = 48 * 32;
	g->warp_size = 32;
	g->registers = 65536;
	g->unified_bytes = 128 * KIB;
	g->l1.size = 128 * KIB;
	g->llc_partitions = 10;
	g->llc_slices = 10;
	g->llc.size = 512 * KIB;
}

static uint64_t rf_kib(unsigned warps)
{
	return ct_morpheus_rf_bytes(256 * KIB, 128, 32, warps, 256, 9);
}

static void register_budget(void **state)
{
	(void)state;
	assert_int_equal(ct_morpheus_registers_per_warp(256 * KIB, 128, 48, 256), 42); /* C19 */
	assert_int_equal(ct_morpheus_registers_per_warp(256 * KIB, 128, 8, 256), 256);
	assert_int_equal(ct_morpheus_registers_per_warp(256 * KIB, 128, 1, 256), 256);
	assert_int_equal(ct_morpheus_data_registers(42, 32, 9), 32);
	assert_int_equal(rf_kib(48), 192 * KIB); /* C4, R12 */
	assert_int_equal(rf_kib(8), 239 * KIB);  /* C8, R13 */
	assert_int_equal(rf_kib(16), 230 * KIB); /* predictions of C8 */
	assert_int_equal(rf_kib(32), 212 * KIB);
	assert_int_equal(rf_kib(1), 239 * 128);
	assert_int_equal(rf_kib(8) + 128 * KIB, 367 * KIB); /* C5, R15 */
	for (unsigned w = 1; w <= 48; w++)                  /* R57: no warp count beats 8 */
		assert_true(rf_kib(w) <= rf_kib(8));
}

static void largest_data_count_by_trying_all(void **state)
{
	(void)state;
	for (unsigned lanes = 1; lanes <= 64; lanes *= 2)
		for (unsigned aux = 0; aux < 12; aux += 3)
			for (unsigned r = 0; r < 300; r++) {
				unsigned best = 0;
				for (unsigned d = 1; d <= r; d++)
					if (d + (d + lanes - 1) / lanes + aux <= r)
						best = d;
				assert_int_equal(ct_morpheus_data_registers(r, lanes, aux), best);
			}
	assert_int_equal(ct_morpheus_data_registers(10, 0, 1), 0);
	assert_int_equal(ct_morpheus_registers_per_warp(1, 128, 0, 256), 0);
}

static void combined_kernel(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_morpheus_params p;
	struct ct_morpheus_kernel k;
	struct ct_error e;
	paper_gpu(&g);
	ct_morpheus_defaults(&p);
	assert_int_equal(ct_morpheus_kernel(&g, &p, NULL, &k, &e), CT_OK);
	assert_int_equal(k.warps, 48);
	assert_int_equal(k.rf_warps, 32);
	assert_int_equal(k.rf_registers, 61);
	assert_int_equal(k.rf_blocks, 50); /* C9 */
	assert_int_equal(k.l1_blocks, 64);
	assert_int_equal(k.rf_bytes, 200 * KIB);
	assert_int_equal(k.l1_bytes, 128 * KIB);
	assert_int_equal(k.rf_bytes + k.l1_bytes, 328 * KIB); /* R25 */
	assert_int_equal(32 * (50 + 2 + 9) + 16 * 6, 2048);   /* uses every register */
	p.v[CT_MO_RF_WARPS] = 8;
	p.v[CT_MO_HELPER_WARPS] = 16;
	p.v[CT_MO_L1_WARP_REGISTERS] = 0;
	assert_int_equal(ct_morpheus_kernel(&g, &p, NULL, &k, &e), CT_OK);
	assert_int_equal(k.rf_bytes + k.l1_bytes, 367 * KIB); /* R15: RF(8) + L1(8) */
	p.v[CT_MO_RF_WARPS] = 17;
	assert_int_equal(ct_morpheus_kernel(&g, &p, NULL, &k, &e), CT_ERR_USAGE);
	ct_morpheus_defaults(&p);
	g.registers = 512;
	g.unified_bytes = g.l1.size = 0;
	assert_int_equal(ct_morpheus_kernel(&g, &p, NULL, &k, &e), CT_ERR_USAGE);
}

static void storage(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_morpheus_params p;
	struct ct_morpheus_storage s;
	paper_gpu(&g);
	ct_morpheus_defaults(&p);
	ct_morpheus_storage(&g, &p, &s);
	assert_int_equal(s.max_cache_sms, 51);
	assert_int_equal(s.sets, 2448);              /* C2 */
	assert_int_equal(s.sets_per_partition, 256); /* C3 */
	assert_int_equal(s.bloom_bytes, 16 * KIB);   /* C1 */
	assert_int_equal(s.query_bytes, 5 * KIB);
	assert_int_equal(s.total_bytes, 215040); /* C6: 210 KiB */
	assert_int_equal(s.total_bytes, 210 * KIB);
	near(s.share_of_llc, 0.0410, 5e-5);                         /* C6: 21 / 512 */
	assert_int_equal(5 * MIB + (int)s.total_bytes, 5330 * KIB); /* C16 */
}

static void latency_and_bandwidth(void **state)
{
	(void)state;
	struct ct_morpheus_params p;
	ct_morpheus_defaults(&p);
	near(773.0 / 608, 1.271, 5e-4); /* C7 */
	assert_true(p.v[CT_MO_EXT_TRIP_NS] == 773 - 608);
	near(53.0 / 10, 5.3, 0);      /* C10 */
	near(8 * 37.0, 296, 0);       /* C11 */
	near(290.0 / 37, 7.84, 5e-3); /* C12 */
	near(106 / 3.4, 31.2, 0.05);
	near(97 / 3.5, 27.7, 0.05);
	near(ct_morpheus_warp_bandwidth(48, 128, 185), 33.2, 0.02); /* C21 */
	near(ct_morpheus_warp_bandwidth(48, 128, 300), 20.5, 0.03);
	/* The stated 34 GB/s passes what 48 warps of 185 ns can do: worth a warning. */
	assert_true(p.v[CT_MO_EXT_GBPS] >
	            ct_morpheus_warp_bandwidth(48, 128, p.v[CT_MO_EXT_SERVICE_NS]));
}

/* Table 3: compute SMs with Basic, ALL (14 memory-bound applications). */
static const int TABLE3[14][3] = {
	{68, 32, 40}, {68, 42, 55}, {68, 42, 54}, {68, 50, 56}, {68, 34, 37}, {68, 39, 41}, {68, 48, 54},
	{68, 18, 26}, {68, 42, 46}, {24, 37, 47}, {53, 47, 52}, {34, 36, 43}, {42, 44, 47}, {34, 32, 36},
};

static void capacities_of_table_3(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_morpheus_params p;
	struct ct_morpheus_kernel k;
	struct ct_error e;
	paper_gpu(&g);
	ct_morpheus_defaults(&p);
	ct_morpheus_kernel(&g, &p, NULL, &k, &e);
	double sum[3] = {0}, total = 0, per_sm = (double)(k.rf_bytes + k.l1_bytes);
	for (int a = 0; a < 14; a++) {
		for (int s = 0; s < 3; s++)
			sum[s] += TABLE3[a][s];
		total += 1 + (68 - TABLE3[a][1]) * per_sm / (5 * MIB);
		assert_true(TABLE3[a][2] > TABLE3[a][1]); /* R59 */
	}
	near(sum[0] / 14 / 68, 0.839, 5e-4); /* C20 */
	near(sum[1] / 14 / 68, 0.570, 5e-4);
	near(sum[2] / 14 / 68, 0.666, 5e-4);
	near(total / 14, 2.87, 5e-3);
	near(51 * per_sm / (5 * MIB), 3.27, 5e-3); /* C13: 4.27 times with the 5 MiB */
	near(1 + 51 * per_sm / (5 * MIB), 4.27, 5e-3);
	near(1 + 50 * per_sm / (5 * MIB), 4.20, 5e-3); /* nw */
	/* C13: ratio that would make ALL's mean four times. */
	double cache = 68 - sum[2] / 14, need = 3 * 5 * MIB / cache;
	near(need / KIB, 676, 0.5);
	near((need / KIB - 128) / 200, 2.74, 5e-3);
	/* The default ratio: ALL's SMs hold what Basic's do. */
	double ratio = (328 * (68 - sum[1] / 14) / cache - 128) / 200;
	near(p.v[CT_MO_ASSUMED_RATIO], ratio, 1e-3);
}

static void metadata_and_compression(void **state)
{
	(void)state;
	assert_int_equal(32 - 12 - 1 - 1, 18); /* C14 */
	double blocks = 10.0 * 1024 * MIB / 128;
	near(blocks, 83.9e6, 5e4);
	assert_true(blocks / 2448 < 65536);
	struct ct_morpheus_mix high = {1, 0, 0}, low = {0, 1, 0}, none = {0, 0, 1};
	struct ct_morpheus_mix half = {0.5, 0, 0.5};
	near(ct_morpheus_ratio(&high), 4, 0);
	near(ct_morpheus_ratio(&low), 2, 0);
	near(ct_morpheus_ratio(&none), 1, 0);
	near(ct_morpheus_ratio(&half), 1.6, 1e-12); /* harmonic, not 2.5 */
	assert_int_equal(ct_morpheus_set_blocks(61, 32, 9, &high, 0), 200);
	assert_int_equal(ct_morpheus_set_blocks(64, 32, 9, &high, 1),
	                 172); /* reading charged-metadata */
	assert_int_equal(ct_morpheus_set_blocks(61, 32, 9, &none, 1), 50);
	for (double r = 1; r <= 4; r += 0.1) {
		struct ct_morpheus_mix m = ct_morpheus_mix_of_ratio(r);
		near(ct_morpheus_ratio(&m), r, 1e-9);
		near(m.high + m.low + m.none, 1, 1e-12);
		/* Charging never yields more. */
		assert_true(ct_morpheus_set_blocks(61, 32, 9, &m, 1) <=
		            ct_morpheus_set_blocks(61, 32, 9, &m, 0));
	}
	/* Reading effective-capacity: 200 KiB x r + 128 KiB. */
	struct ct_gpu g;
	struct ct_morpheus_params p;
	struct ct_morpheus_kernel k;
	struct ct_error e;
	paper_gpu(&g);
	ct_morpheus_defaults(&p);
	ct_morpheus_kernel(&g, &p, &high, &k, &e);
	assert_int_equal(k.rf_bytes + k.l1_bytes, 928 * KIB);
	near(k.ratio, 4, 0);
}

/* Fig. 11a: what the text prints of it; the rest are predictions of the law. */
static void figure_11(void **state)
{
	(void)state;
	static const unsigned warps[5] = {1, 8, 16, 32, 48};
	static const double rf_kib[5] = {29.875, 239, 230, 212, 192};
	struct ct_gpu g;
	struct ct_error e;
	struct ct_mo_helper_point x;
	paper_gpu(&g);
	double gbps = 0, pj = 1e9;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(ct_mo_helper_point(&g, CT_MO_HELPER_RF, warps[i], &x, &e), CT_OK);
		near(x.capacity_bytes / KIB, rf_kib[i], 1e-9);
		assert_true(x.gbps > gbps && x.pj_per_byte < pj); /* R53, R54 */
		gbps = x.gbps;
		pj = x.pj_per_byte;
		assert_int_equal(ct_mo_helper_point(&g, CT_MO_HELPER_L1, warps[i], &x, &e), CT_OK);
		near(x.capacity_bytes / KIB, 128, 0);             /* R14, R57 */
		assert_true(x.gbps < gbps && x.pj_per_byte > pj); /* R55 */
		assert_int_equal(ct_mo_helper_point(&g, CT_MO_HELPER_SHARED, warps[i], &x, &e), CT_OK);
		near(x.capacity_bytes / KIB, 128, 0);
		assert_true(x.gbps < gbps && x.pj_per_byte > pj);
	}
	near(gbps, 37, 0); /* R19 */
	near(pj, 53, 0);   /* R24 */
	assert_int_equal(ct_mo_helper_point(&g, CT_MO_HELPER_RF_L1, 48, &x, &e), CT_OK);
	near(x.capacity_bytes / KIB, 328, 0);
	near(x.gbps, 34, 0);
	near(x.latency_ns, 185, 0);
	near(x.pj_per_byte, 61, 0);
}

/* Fig. 5 on the GPU whose file was written from the paper. */
static void figure_5(void **state)
{
	(void)state;
	static const double want[CT_MO_TIMELINES] = {160, 608, 325, 773, 608};
	struct ct_gpu g;
	struct ct_morpheus_params p;
	struct ct_mo_timeline_ns t;
	ct_gpu_defaults(&g);
	ct_morpheus_defaults(&p);
	for (int i = 0; i < CT_MO_TIMELINES; i++) {
		ct_mo_timeline(&g, &p, (enum ct_mo_timeline)i, &t);
		near(t.total, want[i], 1); /* a core cycle is 0.6 ns */
		near(t.llc + t.helper + t.dram, t.total, 1e-9);
	}
	p.v[CT_MO_CONV_HIT_NS] = 160;
	p.v[CT_MO_CONV_MISS_NS] = 608;
	for (int i = 0; i < CT_MO_TIMELINES; i++) {
		ct_mo_timeline(&g, &p, (enum ct_mo_timeline)i, &t);
		near(t.total, want[i], 1e-9);
	}
}

static void helper_kernels(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_morpheus_params p;
	struct ct_morpheus_kernel k;
	struct ct_error e;
	struct ct_morpheus_mix high = {1, 0, 0};
	paper_gpu(&g);
	ct_morpheus_defaults(&p);
	assert_int_equal(ct_morpheus_use_helper(&p, "l1"), 0);
	assert_int_equal(ct_morpheus_kernel(&g, &p, &high, &k, &e), CT_OK);
	assert_int_equal(k.rf_warps, 0);
	near(k.ratio, 1, 0); /* the L1 is never compressed */
	near(p.v[CT_MO_EXT_GBPS], 27.7, 0.05);
	assert_int_equal(ct_morpheus_use_helper(&p, "shared"), 0);
	assert_int_equal(ct_morpheus_kernel(&g, &p, &high, &k, &e), CT_OK);
	near(k.ratio, 4, 0);
	near(p.v[CT_MO_EXT_GBPS], 31.2, 0.05);
	assert_int_equal(ct_morpheus_use_helper(&p, "rf"), 0);
	assert_int_equal(ct_morpheus_kernel(&g, &p, NULL, &k, &e), CT_OK);
	assert_int_equal(k.rf_bytes + k.l1_bytes, 192 * KIB);
	/* One request per warp: the bandwidth is what the warps' time allows. */
	near(ct_morpheus_warp_bandwidth(48, 128, p.v[CT_MO_EXT_SERVICE_NS]), 37, 1e-9);
	assert_int_equal(ct_morpheus_use_helper(&p, "tape"), -1);
}

static void parameters(void **state)
{
	(void)state;
	struct ct_morpheus_params p;
	struct ct_error e;
	ct_morpheus_defaults(&p);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_service_ns=166", &e), CT_OK);
	near(p.v[CT_MO_EXT_SERVICE_NS], 166, 0);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_trip_ns=0.2us", &e), CT_OK);
	near(p.v[CT_MO_EXT_TRIP_NS], 200, 1e-9);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.bloom_bytes=1KiB", &e), CT_OK);
	near(p.v[CT_MO_BLOOM_BYTES], 1024, 0);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_sevice_ns=166", &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "ext_service_ns"));
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_gbps=fast", &e), CT_ERR_USAGE);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_gbps=-3", &e), CT_ERR_USAGE);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_gbps", &e), CT_ERR_USAGE);
	for (size_t i = 0; i < ct_morpheus_constants.n; i++) {
		const struct ct_constant *c = &ct_morpheus_constants.row[i];
		assert_non_null(c->name);
		assert_true(c->source && c->source[0]);
		assert_true(c->value >= c->lo && c->value <= c->hi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(register_budget),
		cmocka_unit_test(largest_data_count_by_trying_all),
		cmocka_unit_test(combined_kernel),
		cmocka_unit_test(storage),
		cmocka_unit_test(latency_and_bandwidth),
		cmocka_unit_test(capacities_of_table_3),
		cmocka_unit_test(metadata_and_compression),
		cmocka_unit_test(figure_11),
		cmocka_unit_test(figure_5),
		cmocka_unit_test(helper_kernels),
		cmocka_unit_test(parameters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
