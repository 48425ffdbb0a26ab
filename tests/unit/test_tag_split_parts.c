/* The systems of the Tag-Split Cache paper inside the replay engine, and in the closed
 * network. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/tag_split/estimate.h"
#include "models/tag_split/parts.h"
#include "tests/support/gpus.h"
#include "tests/support/microtrace.h"
#include "tests/support/workload.h"

enum { CTAS = 6, WARPS = 4, LOADS = 24 };

static void gpu(struct ct_gpu *g, const char *const *more)
{
	static const char *const keys[] = {
		"sm.count=2",         "l1.adaptive=off", "l1.ways=4",  "l1.size=4KiB",
		"l1.sector=128",      "l1.write=evict",  "l1.banks=1", "l1.port=128",
		"l1.mshr_entries=16", "l1.mshr_merge=8", NULL};
	struct ct_error e;
	micro_gpu(g, MICRO_RTX3070);
	for (int pass = 0; pass < 2; pass++)
		for (const char *const *k = pass ? more : keys; k && *k; k++)
			if (ct_gpu_set(g, *k, &e) < 0)
				fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

/* Gathers over a few KiB with some coalesced loads and stores between them. */
static void trace(struct micro *m, uint64_t seed)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "gather", CTAS, WARPS * 32, 0, 32);
	for (uint32_t c = 0; c < CTAS; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < WARPS; w++) {
			micro_warp(m, w, LOADS * 2 + 1);
			for (uint32_t i = 0; i < LOADS; i++) {
				struct ct_buf list = {0};
				for (int lane = 0; lane < 8; lane++)
					ct_buf_printf(
						&list, " 0x%x",
						0x10000000 + (unsigned)(ct_rand64(&seed) % 4096) * 4);
				if (i % 6 == 5)
					micro_line(m, "ffffffff 0 STG.E 2 R2 R6 4 1 0x%x 4",
					           0x10000000 + 128 * (i + w));
				else if (i % 3 == 2)
					micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4",
					           0x10000000 + 128 * (i * 4 + w));
				else
					micro_line(m, "000000ff 1 R4 LDG.E 1 R2 4 0%s", list.data);
				micro_line(m, "ffffffff 1 R6 FFMA 3 R4 R5 R6 0");
				ct_buf_free(&list);
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

static struct ct_ts_params defaults(void)
{
	struct ct_ts_params p;
	ct_ts_defaults(&p);
	return p;
}

/* Replays one system; counts of its L1s in *c. */
static void run(const struct ct_gpu *g, const struct ct_ts_system *s, const struct ct_ts_params *p,
                struct micro_result *r, struct ct_ts_counts *c)
{
	struct ct_ts_parts *x;
	struct ct_error e;
	struct micro m;
	assert_int_equal(ct_ts_parts_new(&x, g, s, p, 1, &e), CT_OK);
	struct ct_replay_options o = {.parts = ct_ts_parts_plugs(x)};
	trace(&m, 5);
	micro_run(&m, g, &o, r);
	assert_int_equal(r->c.warp_insts, CTAS * WARPS * (LOADS * 2 + 1));
	memset(c, 0, sizeof *c);
	if (x)
		ct_ts_parts_counts(x, c);
	ct_ts_parts_free(x);
}

static void every_system_comes_to_an_end(void **state)
{
	/* as usual; one register and no merging; a queue of two and sectors in the LLC; banks that look sectors up */
	static const char *const tight[] = {"l1.mshr_entries=1", "l1.mshr_merge=1", NULL};
	static const char *const narrow[] = {
		"l1.miss_queue=2", "llc.sector=32", "l1.set_hash=fermi", NULL};
	static const char *const banks[] = {"l1.sector=32",    "l1.banks=4",         "l1.port=32",
	                                    "l1.miss_queue=3", "l1.mshr_entries=16", NULL};
	static const char *const *const sets[] = {NULL, tight, narrow, banks};
	static const double chunk[] = {32, 8, 64, 32};
	(void)state;
	for (int k = 0; k < 8; k++) {
		struct ct_gpu g;
		struct ct_ts_params p = defaults();
		p.v[CT_TS_CHUNK] = chunk[k % 4];
		p.v[CT_TS_HOLD] = k / 4;
		gpu(&g, sets[k % 4]);
		for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
			const struct ct_ts_system *s = ct_ts_system_at(i);
			struct micro_result *r = malloc(sizeof *r);
			struct ct_ts_counts c;
			assert_non_null(r);
			run(&g, s, &p, r, &c);
			assert_true(r->c.cycles > 0);
			if (!s->configured && s->kind != CT_TS_IDEAL) { /* those have no parts */
				assert_true(c.requests > 0 && c.request_misses > 0);
				assert_true(c.request_misses <= c.requests &&
				            c.partial <= c.request_misses);
				assert_true(c.entries > 0 && c.entries <= c.request_misses);
				if (k % 4 < 3 || s->line == 128) /* the banks count the GPU's lines */
					assert_int_equal(c.stores, r->c.l1_line_accesses - c.requests);
			}
			free(r);
		}
	}
}

static uint64_t cycles(const struct ct_gpu *g, const char *system, const struct ct_ts_params *p,
                       struct ct_ts_counts *c)
{
	struct micro_result *r = malloc(sizeof *r);
	assert_non_null(r);
	run(g, ct_ts_system_at((size_t)ct_ts_system_find(system)), p, r, c);
	uint64_t n = r->c.cycles - r->c.launch_cycles;
	free(r);
	return n;
}

static void plain_lines_are_the_engines_own(void **state)
{
	struct ct_gpu g;
	struct ct_ts_params p = defaults();
	struct ct_ts_counts c;
	(void)state;
	gpu(&g, NULL);
	double own = (double)cycles(&g, "configured", &p, &c), ours = (double)cycles(&g, "128B", &p, &c);
	if (fabs(ours / own - 1) > 0.03)
		fail_msg("128B takes %g cycles, the engine's L1 %g", ours, own);
	/* A plain line is asked for as a whole: what misses opens an entry. */
	assert_int_equal(c.entries, c.request_misses);
}

/* An L1 of the GPU's lines, sectors and ways behind the GPU's banks: the same cycles, to the last one, where no line leaves
 * before what it is still to get has come. */
static void sectors_in_banks_are_the_engines_own(void **state)
{
	static const char *const banks[] = {
		"l1.sector=32",  "l1.banks=4",        "l1.port=32", "l1.size=64KiB",
		"llc.sector=32", "l1.mshr_entries=8", NULL};
	struct ct_gpu g;
	struct ct_ts_params p = defaults();
	struct ct_ts_counts c;
	(void)state;
	gpu(&g, banks);
	assert_int_equal(cycles(&g, "LAMAR", &p, &c), cycles(&g, "configured", &p, &c));
	g.l1.banks = 1;
	assert_true(cycles(&g, "LAMAR", &p, &c) != cycles(&g, "configured", &p, &c));
}

static void chunks_fetch_less_than_lines(void **state)
{
	struct ct_gpu g;
	struct ct_ts_params p = defaults();
	struct ct_ts_counts line, split, coarse, sector;
	(void)state;
	gpu(&g, NULL);
	uint64_t slow = cycles(&g, "128B", &p, &line), fast = cycles(&g, "TSC", &p, &split);
	cycles(&g, "TSC-coarse", &p, &coarse);
	cycles(&g, "LAMAR", &p, &sector);
	assert_true(split.fetched_bytes * 2 < line.fetched_bytes);
	assert_true(split.fetched_bytes < sector.fetched_bytes);
	assert_true(coarse.fetched_bytes > split.fetched_bytes);
	assert_int_equal(coarse.coarse_requests, coarse.requests);
	assert_true(fast < slow);
	/* Another chunk of a line on its way is a miss that opens no entry. */
	assert_true(split.entries < split.request_misses);
	/* Hits take as long as asked for, and nothing else changes what is fetched much. */
	p.v[CT_TS_HIT_LATENCY] = 40;
	assert_true(cycles(&g, "TSC", &p, &split) > fast);
}

/* Whole lines in chunks are plain lines where a chunk on its way keeps its slot: a set of two groups waits with its third line. */
static void whole_lines_on_their_way_fill_a_set(void **state)
{
	static const char *const few[] = {"l1.size=512", "l1.ways=2", NULL};
	struct ct_gpu g;
	struct ct_ts_params p = defaults();
	struct ct_ts_counts c;
	(void)state;
	gpu(&g, few);
	p.v[CT_TS_HIT_LATENCY] = 0;
	p.v[CT_TS_USE_LRU] = 1;
	const double line = (double)cycles(&g, "128B", &p, &c);
	p.v[CT_TS_HOLD] = 0;
	const double free = (double)cycles(&g, "TSC-coarse", &p, &c);
	p.v[CT_TS_HOLD] = 1;
	const double held = (double)cycles(&g, "TSC-coarse", &p, &c);
	if (free > 0.9 * line || fabs(held / line - 1) > 0.02)
		fail_msg("plain lines take %g cycles, chunks %g, and %g where they keep their slots",
		         line, free, held);
}

/* ---- the closed network ---- */

static void put(struct ct_profile *p, const char *system, const char *metric, double v)
{
	struct ct_error e;
	struct ct_estimate es = {
		.scope = "all",
		.mechanism = "tag-split",
		.system = system,
		.metric = metric,
		.method = "replay",
		.value = v,
		.low = NAN,
		.high = NAN};
	assert_int_equal(ct_profile_add_estimate(p, &es, &e), CT_OK);
}

/* A system whose loads miss `misses` times and fetch `bytes` each, in `requests` requests. */
static void measured(struct ct_profile *p, const char *system, double loads, double requests,
                     double misses, double bytes)
{
	put(p, system, "l1_loads", loads);
	put(p, system, "l1_requests", requests);
	put(p, system, "l1_request_misses", misses);
	put(p, system, "l1_stores", 0);
	put(p, system, "l1_fetched_bytes", misses * bytes);
	put(p, system, "l1_port_cycles", requests);
	put(p, system, "noc_request_flits", misses);
	put(p, system, "noc_reply_flits", misses * (1 + bytes / 32));
	put(p, system, "llc_accesses", misses * bytes / 32);
	put(p, system, "llc_load_accesses", misses * bytes / 32);
	put(p, system, "llc_load_lines", misses < loads ? misses : loads);
	put(p, system, "traffic_l1_to_l2_bytes", 32 * misses);
	put(p, system, "traffic_l2_to_l1_bytes", misses * bytes);
	put(p, system, "mem_inst_miss_rate", misses < loads ? misses / loads : 1);
}

struct world {
	struct ct_gpu g;
	struct ct_workload w;
	struct ct_ts_answer a;
};

static struct world *make(double fine_misses, double fine_requests)
{
	const struct ct_made_workload s = {
		.lines = 20000,
		.requests = 2e6,
		.cold = 0.01,
		.insts_per_load = 4,
		.dram_busy = 0.3,
		.latency = 500};
	struct world *x = calloc(1, sizeof *x);
	struct ct_error e;
	struct ct_profile *p = ct_profile_new(&e);
	struct ct_ts_params params = defaults();
	assert_true(x && p);
	ct_gpu_defaults(&x->g);
	ct_make_workload(&x->w, &x->g, &s);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		const struct ct_ts_system *t = ct_ts_system_at(i);
		int fine = t->kind == CT_TS_SPLIT || t->line < 128;
		measured(p, t->name, 2e6, t->line < 128 ? 2e6 * fine_requests : 2e6,
		         2e6 * (fine                       ? fine_misses
		                : t->kind == CT_TS_PERFECT ? 0.01
		                : t->kind == CT_TS_IDEAL   ? 0
		                                           : 1),
		         fine ? 32 : 128);
	}
	assert_true(ct_ts_measured_in(p));
	assert_int_equal(ct_ts_answer_init(&x->a, p, &x->w, &x->g, &x->g, &params, &e), CT_OK);
	assert_int_equal(ct_ts_answer_write(&x->a, p, &e), CT_OK);
	ct_profile_free(p);
	return x;
}

static const struct ct_ts_row *row(const struct world *x, const char *system)
{
	return &x->a.row[ct_ts_system_find(system)];
}

static void the_configured_l1_takes_the_replayed_cycles(void **state)
{
	struct world *x = make(0.3, 1);
	(void)state;
	assert_true(fabs(row(x, "configured")->cycles / x->w.cycles - 1) < 1e-3);
	assert_true(row(x, "128B")->speedup.value == 1);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		const struct ct_ts_row *r = &x->a.row[i];
		assert_true(r->speedup.low <= r->speedup.value && r->speedup.value <= r->speedup.high);
		assert_true(r->joule > 0 && isfinite(r->perf_per_watt.value));
	}
	free(x);
}

static void fewer_misses_are_faster_and_make_cln(void **state)
{
	struct world *few = make(0.1, 1), *some = make(0.5, 1), *many = make(4, 4);
	(void)state;
	assert_true(row(few, "TSC")->speedup.value > row(some, "TSC")->speedup.value);
	assert_true(row(some, "TSC")->speedup.value > 1);
	assert_int_equal(few->a.line_class, CT_TS_CLN);
	assert_true(row(many, "32B")->speedup.value < 1);
	assert_int_equal(many->a.line_class, CT_TS_CLP);
	/* The perfect L1 is the fastest, and one that does not matter is no gain. */
	assert_true(row(some, "Perfect")->speedup.value >= row(some, "TSC")->speedup.value);
	assert_true(row(some, "Ideal-L1")->speedup.value > row(some, "Perfect")->speedup.value);
	assert_true(few->a.sensitive);
	free(few);
	free(some);
	free(many);
}

static void latency_costs(void **state)
{
	struct world *x = make(0.3, 1);
	const struct ct_ts_measured *m = &row(x, "TSC")->x;
	double last = 0;
	(void)state;
	for (double extra = 0; extra <= 3; extra++) {
		double c = ct_ts_cycles(&x->a, m, extra);
		assert_true(c >= last);
		last = c;
	}
	/* Three cycles cost little: less than 1 % in the paper (section 5.5). */
	assert_true(last / ct_ts_cycles(&x->a, m, 0) < 1.02);
	free(x);
}

/* Misses that an L1 can have under way at once. */
static void room_in_the_sets(void **state)
{
	const struct ct_ts_params params = defaults();
	struct ct_gpu g;
	(void)state;
	test_gpu(&g, "fermi-15");
	const struct {
		const char *system;
		double lines; /* of 128 B that have as much room */
	} want[] = {{"configured", 1}, {"128B", 1},  {"32B", 4},         {"TSC", 4},
	            {"256B", 0.5},     {"DSC-2", 4}, {"MRPB", INFINITY}, {"Perfect", INFINITY}};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		const struct ct_ts_system *s = ct_ts_system_at(
			(size_t)ct_ts_system_find(want[i].system));
		assert_true(ct_ts_set_room(s, &g, g.l1.size, &params) ==
		            want[i].lines * g.l1.size / 128);
	}
	/* Stores keep lines of this one, as long as not a quarter of them is modified. */
	const struct ct_ts_system *own = ct_ts_system_at((size_t)ct_ts_system_find("configured"));
	test_gpu(&g, "rtx3080");
	assert_true(ct_ts_set_room(own, &g, g.l1.size, &params) == 0);
	g.l1.dirty_percent = 0;
	assert_true(ct_ts_set_room(own, &g, g.l1.size, &params) == g.l1.size / 128.0);
}

/* A miss of Tag-Split and DSC takes a place for each chunk that it fetches, one of other systems a line. */
static void places_in_the_sets(void **state)
{
	const struct {
		const char *system;
		int hold;
		double places; /* of a hundred misses of 128 bytes each */
	} want[] = {{"TSC-coarse", 1, 400},
	            {"TSC-coarse", 0, 100},
	            {"128B", 1, 100},
	            {"DSC-2", 1, 400},
	            {"LAMAR", 1, 100}};
	struct ct_gpu g;
	(void)state;
	test_gpu(&g, "fermi-15");
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct ct_error e;
		struct ct_ts_measured x;
		struct ct_ts_params params = defaults();
		struct ct_profile *p = ct_profile_new(&e);
		assert_non_null(p);
		params.v[CT_TS_HOLD] = want[i].hold;
		measured(p, want[i].system, 200, 200, 100, 128);
		assert_int_equal(
			ct_ts_measured_read(&x, p,
		                            ct_ts_system_at((size_t)ct_ts_system_find(want[i].system)),
		                            &g, &params, &e),
			CT_OK);
		if (x.set_places != want[i].places)
			fail_msg("%s: %g places", want[i].system, x.set_places);
		ct_profile_free(p);
	}
}

/* Stores evict where the GPU's own L1 has them evict, or where that is asked for. */
static void stores_do_as_in_the_gpus_own(void **state)
{
	static const struct {
		const char *gpu;
		double always;
		enum ct_ts_store want;
	} of[] = {{"fermi-15", 0, CT_TS_STORE_EVICT},
	          {"sharedl1-28", 0, CT_TS_STORE_UPDATE},
	          {"rtx3080", 0, CT_TS_STORE_UPDATE},
	          {"rtx3080", 1, CT_TS_STORE_EVICT}};
	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		struct ct_ts_params p = defaults();
		struct ct_ts_shape shape;
		struct ct_gpu g;
		struct ct_error e;
		test_gpu(&g, of[i].gpu);
		p.v[CT_TS_WRITE_EVICT] = of[i].always;
		for (size_t k = 0; k + 1 < CT_TS_SYSTEMS; k++) {
			assert_int_equal(
				ct_ts_shape_of(ct_ts_system_at(k), &g, g.l1.size, &p, &shape, &e),
				CT_OK);
			assert_int_equal(shape.store, of[i].want);
		}
	}
}

/* The gain of Tag-Split where replies set the pace, of which this share passes the L1s: the rest is atomics'. */
static double gain_beside_atomics(double share)
{
	struct world *x = make(0.1, 1);
	struct ct_ts_measured *own = &x->a.row[ct_ts_system_find("configured")].x,
			      *split = &x->a.row[ct_ts_system_find("TSC")].x;
	struct ct_error e;
	x->w.noc_reply_cycles = 0.95 * x->w.cycles * ct_gpu_reply_ports(&x->g);
	const double scale = share * x->w.noc_reply_cycles / own->reply_flits;
	own->reply_flits *= scale;
	split->reply_flits *= scale;
	assert_int_equal(ct_perf_calibrate(&x->a.perf, &x->w, &x->g, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	const double gain = ct_ts_cycles(&x->a, own, 0) / ct_ts_cycles(&x->a, split, 0);
	free(x);
	return gain;
}

/* What atomics send an L1 saves nothing of. */
static void atomics_pass_the_l1s(void **state)
{
	const double all = gain_beside_atomics(1), fifth = gain_beside_atomics(0.2),
		     tenth = gain_beside_atomics(0.1);
	(void)state;
	assert_true(all > fifth && fifth > tenth && tenth > 1);
	assert_true(tenth < 1 / 0.9);
}

static void a_profile_without_counts_is_refused(void **state)
{
	struct ct_error e;
	struct ct_profile *p = ct_profile_new(&e);
	struct ct_ts_measured m;
	struct ct_ts_params params;
	struct ct_gpu g;
	(void)state;
	test_gpu(&g, "fermi-15");
	ct_ts_defaults(&params);
	assert_false(ct_ts_measured_in(p));
	assert_int_equal(ct_ts_measured_read(&m, p, ct_ts_system_at(4), &g, &params, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "reuse --mechanisms tag-split"));
	ct_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_system_comes_to_an_end),
		cmocka_unit_test(plain_lines_are_the_engines_own),
		cmocka_unit_test(sectors_in_banks_are_the_engines_own),
		cmocka_unit_test(chunks_fetch_less_than_lines),
		cmocka_unit_test(whole_lines_on_their_way_fill_a_set),
		cmocka_unit_test(the_configured_l1_takes_the_replayed_cycles),
		cmocka_unit_test(fewer_misses_are_faster_and_make_cln),
		cmocka_unit_test(latency_costs),
		cmocka_unit_test(room_in_the_sets),
		cmocka_unit_test(places_in_the_sets),
		cmocka_unit_test(stores_do_as_in_the_gpus_own),
		cmocka_unit_test(atomics_pass_the_l1s),
		cmocka_unit_test(a_profile_without_counts_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
