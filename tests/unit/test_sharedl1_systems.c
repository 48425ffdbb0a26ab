/* The analytic model of shared L1s on made-up workloads whose answer is known. */
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
#include "models/shared_l1/traffic.h"
#include "tests/support/gpus.h"
#include "tests/support/workload.h"

/* One line request per load; what private L1s miss, and all of them as one. */
struct made {
	double miss_private, miss_16x, miss_shared, replicas;
	double insts_per_load;
	double useful32; /* share of requests that use 32 B; the others 128 B */
};
static const struct made TABLE = {0.9, 0.02, 0.02, 14, 4, 1}; /* read by all, fits all L1s */
static const struct made STREAM = {1, 1, 1, 1, 4, 0};
static const struct made OWN = {0.05, 0.03, 0.05, 1, 4, 0}; /* fits its own L1 */
static const struct made COMPUTE = {0.9, 0.02, 0.02, 14, 400, 1};

struct world {
	struct ct_gpu g;
	struct ct_workload w;
	struct ct_sl_inputs in;
	struct ct_sl_params p;
	struct ct_sl_model m;
	struct ct_sl_estimate x[CT_SL_SYSTEMS];
};

static void rates(struct ct_sl_rates *r, double n, double miss, double replicas)
{
	*r = (struct ct_sl_rates){
		.read_lines = n,
		.read_misses = n * miss,
		.sectors = n,
		.sector_misses = n * miss,
		.fills = n * miss,
		.replicated = replicas > 1 ? n * miss * 0.9 : 0,
		.copies = n * miss * replicas};
}

/* The loads that a private L1 lets pass hit an LLC of 1 MiB. */
static void make_workload(struct world *w, const struct made *s)
{
	enum { LOADS = 1000000 };
	const struct ct_made_workload base = {
		512 * 1024 / 128, 0, LOADS, 0.001, s->insts_per_load, 0.9, 300, 0};
	ct_make_workload(&w->w, &w->g, &base);
	double miss = s->miss_private, n = LOADS;
	w->w.l1_sectors = w->w.l1_read_sectors = n;
	w->w.l1_sector_misses = w->w.l1_read_misses = n * miss;
	w->w.llc_sectors = w->w.llc_read_sectors = w->w.llc_requests = n * miss;
	w->w.llc_sector_misses = w->w.llc_read_misses = w->w.llc_line_misses = n * 0.005;
	w->w.dram_read_bytes = 128 * n * 0.005;
	w->w.noc_request_cycles = n * miss;
	w->w.noc_reply_cycles = 5 * n * miss;
	w->w.llc_cycles = 4 * n * miss;
	/* The mesh's reply ports: 8 of them, two core cycles a flit. */
	double port = 5 * n * miss * 2 / 8, issue = w->w.warp_insts / (28 * 2);
	w->w.cycles = 1.05 * fmax(port, issue);
	/* Warps wait for the busy network, or compute. */
	double residency = 48.0 * 28 * w->w.cycles / n;
	w->w.mem_latency = port > issue ? 0.9 * residency : fmin(100, residency / 2);
	w->w.mem_parallelism = 1;
	w->w.think = residency - w->w.mem_latency;
	w->in.useful[0] = s->useful32;
	w->in.useful[1] = w->in.useful[2] = 0;
	w->in.useful[3] = 1 - s->useful32;
	rates(&w->in.replayed, n, miss, s->replicas);
	rates(&w->in.priv, n, miss, s->replicas);
	rates(&w->in.plus, n, miss, s->replicas);
	rates(&w->in.priv2, n, miss, s->replicas);
	rates(&w->in.priv16, n, s->miss_16x, s->replicas);
	rates(&w->in.shared, n, s->miss_shared, 1);
	w->in.l1_bytes = 16384;
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++)
		w->in.home_load[i] = w->in.home_own[i] = NAN;
	w->in.home_odd = NAN;
	w->in.home_camping = w->in.requests = w->in.request_misses = NAN;
}

static struct world *ask(const struct made *s, enum ct_sl_network network)
{
	struct world *w = calloc(1, sizeof *w);
	struct ct_error e;
	assert_non_null(w);
	test_gpu(&w->g, "sharedl1-28");
	make_workload(w, s);
	ct_sl_defaults(&w->p);
	w->p.network = network;
	if (ct_sl_model_init(&w->m, &w->w, &w->in, &w->g, &w->g, &w->p, NULL, CT_PERF_ANCHOR_STATION,
	                     &e) != CT_OK)
		fail_msg("%s", e.text);
	ct_sl_estimate_all(&w->m, w->x);
	return w;
}

static void done(struct world *w)
{
	ct_sl_model_free(&w->m);
	free(w);
}

static const struct ct_sl_estimate *get(const struct world *w, const char *name)
{
	int i = ct_sl_system_find(name);
	assert_true(i >= 0);
	return &w->x[i];
}

static double speedup(const struct world *w, const char *name)
{
	return w->x[CT_SL_PRIVATE].cycles / get(w, name)->cycles;
}

static void general(const struct world *w)
{
	const struct ct_sl_estimate *shared = get(w, "Shared"), *chunk = get(w, "Shared+Chunk");
	for (int i = 0; i < CT_SL_SYSTEMS; i++) {
		const struct ct_sl_estimate *x = &w->x[i];
		assert_true(isfinite(x->cycles) && x->cycles > 0 && x->joule > 0 && x->watt > 0);
		assert_true(x->l1_request_miss_rate >= 0 && x->l1_request_miss_rate <= 1);
	}
	/* Chunks never carry more than lines. */
	assert_true(chunk->home_bytes <= shared->home_bytes);
	assert_true(chunk->flits[CT_SL_FROM_HOME] <= shared->flits[CT_SL_FROM_HOME]);
	assert_true(chunk->cycles <= shared->cycles * (1 + 1e-9));
	assert_true(get(w, "Hypothetical")->cycles <= chunk->cycles * (1 + 1e-9));
	assert_true(get(w, "Best")->cycles ==
	            fmin(w->x[CT_SL_PRIVATE].cycles, w->x[CT_SL_SHARED_PP].cycles));
	assert_true(shared->replicas == 1 && shared->replication_ratio == 0);
	assert_true(fabs(shared->remote_fraction - 27.0 / 28) < 1e-12);
	assert_true(get(w, "Private-2x-L2")->cycles <= w->x[CT_SL_PRIVATE].cycles * (1 + 1e-9));
	/* What sharing costs is no more than a doubled L1, and nothing beats an L1 that never misses. */
	assert_true(get(w, "Private+")->cycles <= w->x[CT_SL_PRIVATE].cycles * (1 + 1e-9));
	assert_true(get(w, "Private+")->cycles >= get(w, "Private-2x")->cycles * (1 - 1e-9));
	for (int i = 0; i < CT_SL_SYSTEMS; i++)
		if (strcmp(ct_sl_system_at((size_t)i)->name, "Private-2x-L2") != 0)
			assert_true(get(w, "Ideal-L1")->cycles <= w->x[i].cycles * (1 + 1e-9));
	assert_true(get(w, "Ideal-L1")->l1_sector_misses == 0);
}

/* DynEB adds 544 bytes to a core by default: of ways of 512 bytes one, of 4 KiB none, of 256 two. */
static void test_plus_ways(void **state)
{
	static const struct {
		uint32_t sets, ways;
	} want[] = {{4, 1}, {32, 0}, {2, 2}, {8, 1}};
	struct ct_sl_params p;
	struct ct_gpu g;
	(void)state;
	ct_sl_defaults(&p);
	ct_gpu_defaults(&g);
	assert_true(ct_sl_sharing_bytes(&p, 1) == 544 && ct_sl_sharing_bytes(&p, 0) == 512);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		g.l1.sets = want[i].sets;
		g.l1.line = 128;
		assert_int_equal(ct_sl_plus_ways(&g, &p), want[i].ways);
	}
}

static void test_table(void **state)
{
	struct world *w = ask(&TABLE, CT_SL_NET_MESH);
	(void)state;
	general(w);
	assert_true(speedup(w, "16x-L1") > 1.2);
	assert_true(speedup(w, "Hypothetical") > 1.2);
	assert_true(speedup(w, "Shared+Chunk") > 1.1);
	assert_true(speedup(w, "Shared+Chunk") > speedup(w, "Shared"));
	assert_true(speedup(w, "DynEB") > 1.05);
	assert_true(get(w, "DynEB")->chose_shared);
	done(w);
}

static void test_stream(void **state)
{
	struct world *w = ask(&STREAM, CT_SL_NET_MESH);
	(void)state;
	general(w);
	assert_true(speedup(w, "Shared") < 1.01);
	assert_true(speedup(w, "Shared+Chunk") < 1.01);
	assert_true(fabs(speedup(w, "16x-L1") - 1) < 1e-6);
	done(w);
}

static void test_private(void **state)
{
	struct world *w = ask(&OWN, CT_SL_NET_MESH);
	(void)state;
	general(w);
	assert_true(speedup(w, "Shared") < 1);
	assert_true(speedup(w, "Shared++") < 1);
	/* The guard keeps it private; only sampling costs. */
	assert_false(get(w, "DynEB")->chose_shared);
	assert_false(get(w, "DynAMAT+L1MRpr")->chose_shared);
	assert_true(speedup(w, "DynEB") >= speedup(w, "Shared++"));
	done(w);
}

static void test_compute(void **state)
{
	struct world *w = ask(&COMPUTE, CT_SL_NET_MESH);
	(void)state;
	general(w);
	assert_true(fabs(speedup(w, "Shared+Chunk") - 1) < 0.02);
	assert_true(fabs(speedup(w, "16x-L1") - 1) < 0.02);
	done(w);
}

static void test_networks(void **state)
{
	(void)state;
	for (int n = 0; n < CT_SL_NETS; n++) {
		struct world *w = ask(&TABLE, (enum ct_sl_network)n);
		general(w);
		if (n != CT_SL_NET_MESH) /* nothing is nearer */
			assert_true(get(w, "Shared++")->cycles == get(w, "Shared+Chunk")->cycles);
		done(w);
	}
	/* Forwarded traffic loads the ports twice: never better than a network of its own. */
	struct world *a = ask(&TABLE, CT_SL_NET_FORWARDED), *b = ask(&TABLE, CT_SL_NET_BUTTERFLY);
	assert_true(speedup(a, "Shared") <= speedup(b, "Shared") * (1 + 1e-9));
	done(a);
	done(b);
}

/* Longer waits for the home, a slower L1, uneven homes: each costs or is neutral. */
static void test_monotone(void **state)
{
	struct world *w = ask(&TABLE, CT_SL_NET_MESH);
	struct ct_sl_estimate x[CT_SL_SYSTEMS];
	(void)state;
	w->m.trip_factor = 4;
	ct_sl_estimate_all(&w->m, x);
	assert_true(x[3].cycles >= w->x[3].cycles * (1 - 1e-9));
	assert_true(x[CT_SL_PRIVATE].cycles == w->x[CT_SL_PRIVATE].cycles);
	w->m.trip_factor = 1;
	w->m.beta = w->m.camping = 28;
	ct_sl_estimate_all(&w->m, x);
	assert_true(x[3].cycles >= w->x[3].cycles * (1 - 1e-9));
	assert_true(x[3].home_imbalance == 28);
	done(w);
}

static int near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* Where every access has its own SM for a home, sharing costs no way; where half have, half of it. */
static void test_own_homes(void **state)
{
	struct world *w = ask(&TABLE, CT_SL_NET_FORWARDED);
	double uniform = get(w, "Shared")->cycles, half;
	struct ct_error e;
	(void)state;
	for (int i = 0; i < 2; i++) {
		for (int h = 0; h < CT_SL_HOMES_KINDS; h++)
			w->in.home_own[h] = i ? 1 : 0.5;
		ct_sl_model_free(&w->m);
		assert_int_equal(ct_sl_model_init(&w->m, &w->w, &w->in, &w->g, &w->g, &w->p, NULL,
		                                  CT_PERF_ANCHOR_STATION, &e),
		                 CT_OK);
		ct_sl_estimate_all(&w->m, w->x);
		assert_true(near(get(w, "Shared")->remote_fraction, i ? 0 : 0.5));
		if (!i)
			half = get(w, "Shared")->cycles;
	}
	assert_true(half < uniform);
	assert_true(get(w, "Shared")->cycles < half);
	assert_true(fabs(get(w, "Shared")->cycles / get(w, "Hypothetical")->cycles - 1) < 1e-9);
	assert_true(get(w, "Shared")->home_bytes == 0);
	done(w);
}

/* Loads that all pass the L1s by, as atomics do, take as long with any organisation of these. */
static void test_atomics(void **state)
{
	struct world *w = ask(&STREAM, CT_SL_NET_FORWARDED);
	struct ct_error e;
	struct ct_sl_rates *const rates_of[] = {
		&w->in.replayed, &w->in.priv, &w->in.plus, &w->in.priv2, &w->in.priv16, &w->in.shared};
	(void)state;
	w->w.l1_sectors = w->w.l1_read_sectors = w->w.l1_sector_misses = w->w.l1_read_misses = 0;
	w->w.l1_requests = w->w.l1_cycles = 0;
	for (size_t i = 0; i < sizeof rates_of / sizeof rates_of[0]; i++)
		rates(rates_of[i], 0, 0, 1);
	ct_sl_model_free(&w->m);
	assert_int_equal(ct_sl_model_init(&w->m, &w->w, &w->in, &w->g, &w->g, &w->p, NULL,
	                                  CT_PERF_ANCHOR_STATION, &e),
	                 CT_OK);
	ct_sl_estimate_all(&w->m, w->x);
	assert_true(fabs(w->x[CT_SL_PRIVATE].cycles / w->w.cycles - 1) < 1e-6);
	assert_true(fabs(speedup(w, "Shared") - 1) < 1e-6);
	assert_true(fabs(speedup(w, "DynEB") - 1) < 1e-6);
	done(w);
}

/* What a profile's pass has counted of a scheme, copies as far as they land. */
static void test_watched(void **state)
{
	struct world *w = ask(&TABLE, CT_SL_NET_MESH);
	struct ct_sl_watch_counts *c = &w->in.dynamic[CT_SL_DYNEB - CT_SL_DYNAMAT];
	const struct ct_sl_estimate *x = get(w, "DynEB");
	(void)state;
	w->in.has_dynamic = 1;
	w->in.watched = 1000;
	*c = (struct ct_sl_watch_counts){
		.reads = 700,
		.writes = 100,
		.read_misses = 100,
		.write_misses = 20,
		.replicated = 60,
		.copies = 300,
		.sampled = 250,
		.homed = 500};
	for (int i = 0; i < CT_SL_DYNEB - CT_SL_DYNAMAT; i++)
		w->in.dynamic[i] = *c;
	w->in.landed_replicated = 0.5;
	w->in.landed_copies = 0.25;
	ct_sl_estimate_all(&w->m, w->x);
	assert_true(near(x->l1_request_miss_rate, 120.0 / 800));
	assert_true(near(x->past_fraction, 0.2));
	assert_true(near(x->sampling_share, 0.25));
	assert_true(near(x->replication_ratio, 0.3));
	assert_true(near(x->replicas, 1.5));
	w->in.landed_replicated = 3; /* no ratio over 1 */
	c->read_misses = 0;
	ct_sl_estimate_all(&w->m, w->x);
	assert_true(isnan(x->replication_ratio) && isnan(x->replicas));
	assert_true(near(get(w, "DynEB-noguard")->replication_ratio, 1));
	done(w);
}

/* While all sample, a scheme is as fast as private L1s where nothing is in its shared sets, and slower with more there. */
static void test_odd_sets(void **state)
{
	static const double odd[] = {0, 0.1, 0.3, 0.5, 1};
	struct world *w = ask(&OWN, CT_SL_NET_FORWARDED);
	const struct ct_sl_estimate *x = get(w, "DynEB"), *pr = get(w, "Private"),
				    *sh = get(w, "Shared++");
	double before = 0, even;
	(void)state;
	w->w.warps_per_cta = 2;
	w->p.v[CT_SL_SAMPLING] = w->m.p.v[CT_SL_SAMPLING] = 1e12;
	w->in.home_odd = NAN;
	ct_sl_estimate_all(&w->m, w->x);
	even = x->cycles;
	assert_true(sh->cycles > 1.1 * pr->cycles);
	assert_true(near(x->sampling_share, 1));
	for (int i = 0; i < 5; i++) {
		w->in.home_odd = odd[i];
		ct_sl_estimate_all(&w->m, w->x);
		assert_true(x->cycles > before);
		assert_true(near(x->remote_fraction, odd[i] * sh->remote_fraction));
		if (odd[i] == 0)
			assert_true(fabs(x->cycles / pr->cycles - 1) < 1e-9);
		if (odd[i] == 0.5)
			assert_true(fabs(x->cycles / even - 1) < 1e-9);
		before = x->cycles;
	}
	assert_true(fabs(x->cycles / sh->cycles - 1) < 1e-9);
	done(w);
}

/* One of so many loads is nearly always in the shared half of a sample, and all wait for it, also while requests wait at the slices; but
 * not where another station has all that it can serve, since half of the traffic takes half of the time. */
static void test_slower_group(void **state)
{
	struct world *w = ask(&OWN, CT_SL_NET_FORWARDED);
	const struct ct_sl_estimate *x = get(w, "DynEB"), *sh = get(w, "Shared++");
	struct ct_error e;
	(void)state;
	for (int requests = 0; requests < 2; requests++) {
		ct_sl_model_free(&w->m);
		w->w.warps_per_cta = 32;
		w->in.home_odd = 0.5;
		w->p.v[CT_SL_SAMPLING] = 1e12;
		if (requests) { /* all packets are of one flit, and stores of many words wait */
			w->g.noc_flit_bytes = 1024;
			w->w.noc_reply_cycles = w->w.llc_read_sectors;
			w->w.noc_request_cycles = 4 * w->w.noc_reply_cycles;
		}
		assert_int_equal(ct_sl_model_init(&w->m, &w->w, &w->in, &w->g, &w->g, &w->p, NULL,
		                                  CT_PERF_ANCHOR_STATION, &e),
		                 CT_OK);
		ct_sl_estimate_all(&w->m, w->x);
		assert_true(near(x->sampling_share, 1));
		assert_int_equal(sh->bottleneck, requests ? CT_PERF_SLICE_IN : CT_PERF_SLICE_OUT);
		assert_true(requests ? x->cycles > 0.99 * sh->cycles : x->cycles < 0.6 * sh->cycles);
	}
	done(w);
}

/* Shared memory keeps an L1 busy, too, but no home: what homes have to look up are lines. */
static void test_shared_memory(void **state)
{
	struct world *w = ask(&OWN, CT_SL_NET_FORWARDED);
	const double lines = w->w.l1_requests;
	double demand[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ct_sl_traffic t;
		struct ct_perf_point pt = {0};
		w->w.l1_cycles = lines * (i == 0 ? 1 : 50);
		w->w.l1_requests = lines * (i == 2 ? 50 : 1);
		ct_sl_traffic_shared(&w->m, ct_sl_system_at(CT_SL_SHARED_PP), &t);
		t.flits[CT_SL_FROM_HOME] = 0;
		t.flits[CT_SL_TO_HOME] = 0;
		ct_sl_traffic_stations(&w->m, &t, &pt);
		demand[i] = pt.extra[2].demand;
	}
	assert_true(demand[0] > 0);
	assert_true(near(demand[1], demand[0]));
	assert_true(near(demand[2], 50 * demand[0]));
	done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plus_ways),     cmocka_unit_test(test_table),
		cmocka_unit_test(test_stream),        cmocka_unit_test(test_private),
		cmocka_unit_test(test_compute),       cmocka_unit_test(test_networks),
		cmocka_unit_test(test_monotone),      cmocka_unit_test(test_watched),
		cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_slower_group),
		cmocka_unit_test(test_odd_sets),      cmocka_unit_test(test_own_homes),
		cmocka_unit_test(test_atomics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
