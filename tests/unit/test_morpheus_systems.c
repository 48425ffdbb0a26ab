/* The whole analytic model on made-up workloads whose answer is known. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/morpheus/estimate.h"
#include "tests/support/workload.h"

enum { MIB = 1024 * 1024, SMS = 68 };

static const struct ct_made_workload BETWEEN = {9.0 * MIB / 128, 0, 4e6, 0.01, 10, 0.9, 1500, 0};
static const struct ct_made_workload STREAM = {1e8, 0, 4e6, 0.99, 10, 0.9, 1500, 0};
static const struct ct_made_workload COMPUTE = {9.0 * MIB / 128, 0, 4e5, 0.01, 400, 0.9, 700, 0};
static const struct ct_made_workload FITS = {2.0 * MIB / 128, 0, 4e6, 0.01, 10, 0.9, 400, 0};
static const struct ct_made_workload THRASH = {8.0 * MIB / 128, 1, 4e6, 0.01, 10, 0.9, 1500, 0};

static struct ct_mo_answer *ask(struct ct_workload *w, const struct ct_made_workload *s)
{
	struct ct_gpu g;
	struct ct_error e;
	struct ct_morpheus_params p;
	struct ct_mo_answer *a = calloc(1, sizeof *a);
	assert_non_null(a);
	ct_gpu_defaults(&g);
	ct_make_workload(w, &g, s);
	ct_morpheus_defaults(&p);
	if (ct_mo_answer_init(a, w, &g, &g, &p, NULL, &e) != CT_OK)
		fail_msg("%s", e.text);
	return a;
}

static void done(struct ct_mo_answer *a)
{
	ct_mo_answer_free(a);
	free(a);
}

static const struct ct_mo_row *row(const struct ct_mo_answer *a, const char *name)
{
	int i = ct_mo_system_find(name);
	assert_true(i >= 0);
	return &a->row[i];
}

static void show(const char *what, const struct ct_mo_answer *a)
{
	print_message("%s: unanchored/replayed %.3f, waits x%.3g, latency +%.0f, DRAM x%.3f\n", what,
	              a->model.perf.ratio, a->model.perf.a.wait_factor, a->model.perf.a.latency_added,
	              a->model.perf.a.demand_factor[CT_PERF_DRAM]);
	for (int i = 0; i < CT_MO_SYSTEMS; i++) {
		const struct ct_mo_row *r = &a->row[i];
		char why[160];
		ct_mo_row_why(a, r, why, sizeof why);
		print_message("  %-32s %2.0f+%2.0f  %5.3f [%5.3f %5.3f]  W %5.3f q %.3f  %s\n",
		              r->system->name, r->x.compute_sms, r->x.cache_sms, r->speedup.value,
		              r->speedup.low, r->speedup.high, r->perf_per_watt.value, r->x.given_miss,
		              why);
	}
}

static void general_properties(struct ct_mo_answer *a)
{
	assert_true(row(a, "BL")->speedup.value == 1);
	assert_true(row(a, "BL")->x.compute_sms == SMS);
	assert_true(row(a, "IBL")->speedup.value >= 1);
	/* More of a good thing never costs. */
	assert_true(row(a, "IBL-4x-LLC")->speedup.value >= row(a, "IBL-2x-LLC")->speedup.value - 1e-9);
	assert_true(row(a, "Morpheus-Indirect-MOV")->speedup.value >=
	            row(a, "Morpheus-Basic")->speedup.value - 1e-9);
	assert_true(row(a, "Morpheus-Basic/Perfect-Prediction")->speedup.value >=
	            row(a, "Morpheus-Basic")->speedup.value - 1e-9);
	assert_true(row(a, "Morpheus-Basic")->speedup.value >=
	            row(a, "Morpheus-Basic/No-Prediction")->speedup.value - 1e-9);
	for (int i = 0; i < CT_MO_SYSTEMS; i++) {
		const struct ct_mo_row *r = &a->row[i];
		assert_true(r->speedup.low <= r->speedup.value && r->speedup.value <= r->speedup.high);
		assert_true(isfinite(r->speedup.value) && r->speedup.value > 0);
		assert_true(r->x.compute_sms + r->x.cache_sms <= SMS);
		assert_true(r->x.watt > 0);
		if (r->system->extended)
			assert_true(r->x.cache_sms <= 51);
	}
	/* Anchored: the configured GPU takes the replayed cycles. */
	assert_true(fabs(a->configured.cycles / a->model.w->cycles - 1) < 1e-6);
}

static void between_the_capacities_gains(void **state)
{
	struct ct_workload *w = *state;
	struct ct_mo_answer *a = ask(w, &BETWEEN);
	show("between", a);
	general_properties(a);
	const struct ct_mo_row *r = row(a, "Morpheus-ALL");
	assert_true(r->speedup.value > 1.1);
	assert_true(r->x.cache_sms > 0);
	assert_true(r->x.llc_misses < 0.5 * row(a, "BL")->x.llc_misses);
	done(a);
}

static void streaming_gains_nothing(void **state)
{
	struct ct_workload *w = *state;
	struct ct_mo_answer *a = ask(w, &STREAM);
	show("stream", a);
	general_properties(a);
	assert_true(fabs(row(a, "Morpheus-ALL")->speedup_configured.value - 1) < 0.01);
	assert_true(fabs(row(a, "IBL-4x-LLC")->speedup.value - 1) < 0.01);
	done(a);
}

static void compute_bound_gains_nothing(void **state)
{
	struct ct_workload *w = *state;
	struct ct_mo_answer *a = ask(w, &COMPUTE);
	show("compute", a);
	general_properties(a);
	assert_true(fabs(row(a, "Morpheus-ALL")->speedup_configured.value - 1) < 0.01);
	assert_true(row(a, "Morpheus-ALL")->x.compute_sms >= 67);
	done(a);
}

static void what_fits_gains_nothing(void **state)
{
	struct ct_workload *w = *state;
	struct ct_mo_answer *a = ask(w, &FITS);
	show("fits", a);
	general_properties(a);
	assert_true(fabs(row(a, "Morpheus-ALL")->speedup_configured.value - 1) < 0.01);
	done(a);
}

static void thrashing_falls_with_more_sms(void **state)
{
	struct ct_workload *w = *state;
	struct ct_mo_answer *a = ask(w, &THRASH);
	struct ct_mo_estimate at34, at68;
	struct ct_error e;
	show("thrash", a);
	general_properties(a);
	ct_mo_estimate_at(&a->model, ct_mo_system_at(0), 34, &at34, &e);
	ct_mo_estimate_at(&a->model, ct_mo_system_at(0), 68, &at68, &e);
	assert_true(at34.ipc > 1.05 * at68.ipc);
	assert_true(row(a, "IBL")->x.compute_sms < SMS);
	assert_true(row(a, "IBL")->speedup.value > 1.05);
	done(a);
}

static void dead_filters_are_told(void **state)
{
	struct ct_workload *w = *state;
	struct ct_gpu g;
	struct ct_error e;
	struct ct_morpheus_params p;
	struct ct_mo_answer *a = calloc(1, sizeof *a);
	char notes[CT_MO_NOTES_MAX][CT_MO_NOTE_LEN];
	assert_non_null(a);
	ct_gpu_defaults(&g);
	ct_make_workload(w, &g, &BETWEEN);
	w->compression_high = 1;
	w->compression_low = w->compression_none = 0;
	ct_morpheus_defaults(&p);
	assert_int_equal(ct_mo_answer_init(a, w, &g, &g, &p, NULL, &e), CT_OK);
	assert_int_equal(a->model.kernel[1].rf_blocks, 200);
	assert_true(row(a, "Morpheus-ALL")->x.dead);
	assert_false(row(a, "Morpheus-Basic")->x.dead);
	unsigned n = ct_mo_answer_notes(a, notes), found = 0;
	for (unsigned i = 0; i < n; i++)
		found |= strstr(notes[i], "never swap") != NULL;
	assert_true(found);
	assert_true(a->model.mix_source == CT_MO_MIX_MEASURED);
	done(a);
}

static void bandwidth_beyond_the_warps_is_told(void **state)
{
	struct ct_workload *w = *state;
	struct ct_gpu g;
	struct ct_error e;
	struct ct_morpheus_params p;
	struct ct_mo_answer *a = calloc(1, sizeof *a);
	char notes[CT_MO_NOTES_MAX][CT_MO_NOTE_LEN];
	assert_non_null(a);
	ct_gpu_defaults(&g);
	ct_make_workload(w, &g, &BETWEEN);
	ct_morpheus_defaults(&p);
	assert_int_equal(ct_morpheus_set(&p, "morpheus.ext_service_ns=300", &e), CT_OK);
	assert_int_equal(ct_mo_answer_init(a, w, &g, &g, &p, NULL, &e), CT_OK);
	unsigned n = ct_mo_answer_notes(a, notes), found = 0;
	for (unsigned i = 0; i < n; i++)
		found |= strstr(notes[i], "ext_gbps") != NULL;
	assert_true(found);
	done(a);
}

/* Both kinds of set together hold what the capacity says: a loop that is 5 % smaller
 * than all of it hits, one that is 20 % larger misses. */
static void capacity_is_what_counts(void **state)
{
	struct ct_workload *w = *state;
	struct ct_gpu g;
	struct ct_error e;
	struct ct_morpheus_params p;
	struct ct_morpheus_kernel k;
	struct ct_mo_split d;
	ct_gpu_defaults(&g);
	ct_morpheus_defaults(&p);
	assert_int_equal(ct_morpheus_kernel(&g, &p, NULL, &k, &e), CT_OK);
	double total = 5.0 * MIB / 128 + 34.0 * 328 * 1024 / 128;
	struct ct_made_workload s = BETWEEN;
	s.cold = 0;
	for (int large = 0; large < 2; large++) {
		s.lines = total * (large ? 1.7 : 0.5);
		ct_make_workload(w, &g, &s);
		assert_int_equal(ct_mo_split_eval(w, &k, NULL, 34, 34, 5.0 * MIB / 128, 16, &d, &e),
		                 CT_OK);
		assert_true(fabs(d.conv_lines + d.ext_lines - total) < 1e-6);
		assert_true(fabs(d.ext_share - d.ext_lines / total) < 1e-12);
		double miss = (d.conv_misses + d.ext_misses) / d.requests;
		assert_true(large ? miss > 0.95 : miss < 0.05);
	}
}

/* Whole lines are asked for: without sector distances the answer is the same. */
static void sector_distances_agree_with_the_law(void **state)
{
	struct ct_workload *w = *state;
	struct ct_made_workload plain = THRASH;
	double with[CT_MO_SYSTEMS];
	struct ct_mo_answer *a = ask(w, &THRASH);
	for (int i = 0; i < CT_MO_SYSTEMS; i++)
		with[i] = a->row[i].speedup.value;
	done(a);
	plain.no_sectors = 1;
	a = ask(w, &plain);
	for (int i = 0; i < CT_MO_SYSTEMS; i++)
		assert_true(fabs(a->row[i].speedup.value / with[i] - 1) < 0.01);
	done(a);
}

/* While slices stand still the model knows nothing: what the extended LLC may win is in its range, and in no other's. A small
 * share of the cycles is left to the error of estimates. */
static void slices_that_stand_still_widen_the_range(void **state)
{
	static const double stalled = 0.5, little = 0.2;
	struct ct_workload *w = *state;
	struct ct_gpu g;
	struct ct_error e;
	struct ct_morpheus_params p;
	struct ct_mo_answer *plain = ask(w, &FITS), *a = calloc(1, sizeof *a);
	assert_non_null(a);
	ct_gpu_defaults(&g);
	ct_morpheus_defaults(&p);
	w->llc_merge_stall_cycles = stalled * g.llc_slices * w->cycles;
	assert_int_equal(ct_mo_answer_init(a, w, &g, &g, &p, NULL, &e), CT_OK);
	for (int i = 0; i < CT_MO_SYSTEMS; i++) {
		const struct ct_mechanism_number *x = &a->row[i].speedup_configured,
						 *y = &plain->row[i].speedup_configured;
		double high = a->row[i].system->extended ? fmax(y->high, y->value / (1 - stalled))
		                                         : y->high;
		assert_true(x->value == y->value && x->low == y->low);
		assert_true(fabs(x->high / high - 1) < 1e-9);
	}
	ct_mo_answer_free(a);
	w->llc_merge_stall_cycles = little * g.llc_slices * w->cycles;
	assert_int_equal(ct_mo_answer_init(a, w, &g, &g, &p, NULL, &e), CT_OK);
	for (int i = 0; i < CT_MO_SYSTEMS; i++)
		assert_true(a->row[i].speedup_configured.high == plain->row[i].speedup_configured.high);
	done(a);
	done(plain);
}

/* The most that a system is estimated to reach with some of its SMs in cache mode, over what it reaches with none. */
static double lent_gain(struct ct_mo_answer *a, const struct ct_mo_row *r)
{
	struct ct_mo_estimate x;
	struct ct_error e;
	double most = 0;
	for (unsigned n = ct_mo_fewest_sms(&a->model, r->system); n < a->model.gpu.sms; n++) {
		assert_int_equal(ct_mo_estimate_at(&a->model, r->system, n, &x, &e), CT_OK);
		most = fmax(most, x.ipc / r->x.ipc);
	}
	return most;
}

/* All SMs compute where lending some gains nothing by the estimate; the range says that it may, where that is close. */
static void a_close_choice_widens_the_range(void **state)
{
	struct ct_workload *w = *state;
	int close = 0, far = 0;
	const struct ct_made_workload made[] = {FITS, STREAM, BETWEEN, COMPUTE, THRASH};
	for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
		struct ct_mo_answer *a = ask(w, &made[i]);
		const struct ct_mo_row *r = row(a, "Morpheus-Basic");
		const struct ct_mechanism_number *x = &r->speedup_configured;
		double gain = r->x.cache_sms > 0 ? 0 : lent_gain(a, r);
		assert_true(!(gain > 0) || fabs(r->x.lent_ipc / r->x.ipc / gain - 1) < 1e-9);
		if (gain > 0.98)
			assert_true(x->high > 1.5 * gain * x->value);
		else if (gain > 0)
			assert_true(x->high < 1.1 * x->value);
		close += gain > 0.98;
		far += gain > 0 && gain <= 0.98;
		done(a);
	}
	assert_true(close && far);
}

/* A profile says the same as the workload that it was written from. */
static void a_profile_gives_the_same_estimates(void **state)
{
	struct ct_workload *w = *state, *back = calloc(1, sizeof *back);
	struct ct_gpu g;
	struct ct_error e;
	struct ct_morpheus_params mp;
	struct ct_mo_answer *a = ask(w, &THRASH), *b = calloc(1, sizeof *b);
	struct ct_profile *p = ct_profile_new(&e), *q;
	struct ct_buf text = {0};
	assert_true(back && b && p);
	ct_gpu_defaults(&g);
	ct_morpheus_defaults(&mp);
	assert_int_equal(ct_workload_to_profile(w, &g, p), 0);
	assert_int_equal(ct_profile_write(p, &text, &e), CT_OK);
	const char *dump = getenv("CT_DUMP_PROFILE"); /* for trying the command by hand */
	FILE *f = dump ? fopen(dump, "w") : NULL;
	if (f) {
		fwrite(text.data, 1, text.len, f);
		fclose(f);
	}
	assert_int_equal(ct_profile_read_memory(&q, "made", text.data, text.len, 1, &e), CT_OK);
	if (ct_workload_read(back, q, SMS, 65536 * 4, &e) != CT_OK)
		fail_msg("%s", e.text);
	assert_int_equal(back->n_views, 4);
	assert_int_equal(back->view[0].sms, 17);
	assert_memory_equal(&back->view[2].hist, &w->view[2].hist, sizeof w->view[2].hist);
	assert_int_equal(ct_mo_answer_init(b, back, &g, &g, &mp, NULL, &e), CT_OK);
	for (int i = 0; i < CT_MO_SYSTEMS; i++)
		assert_true(fabs(a->row[i].speedup.value / b->row[i].speedup.value - 1) < 1e-3);
	assert_int_equal(ct_mo_answer_write(b, q, &e), CT_OK);
	struct ct_range_spec sms = {.key = "sms", .first = 10, .last = 68, .step = 1, .whole = 1};
	assert_int_equal(ct_mo_answer_sweep(b, &sms, q, &e), CT_OK);
	struct ct_estimate es;
	assert_int_equal(ct_profile_get_estimate(q, "all", "morpheus", "BL", "speedup", NULL, &es), 1);
	assert_true(es.value == 1);
	assert_int_equal(ct_profile_get_estimate(q, "all", "morpheus", "Morpheus-Basic", "storage_bytes",
	                                         "analytic", &es),
	                 1);
	assert_true(es.value == 215040);
	done(a);
	done(b);
	free(back);
	ct_buf_free(&text);
	ct_profile_free(p);
	ct_profile_free(q);
}

/* What a replayed row says comes from its own counts and those of BL. */
static void a_replayed_row_says_what_was_counted(void **state)
{
	int all = ct_mo_system_find("Morpheus-ALL");
	struct ct_mo_row bl = {.system = ct_mo_system_at(0)},
			 r = {.system = ct_mo_system_at((size_t)all)};
	char why[160];
	(void)state;
	bl.x = (struct ct_mo_estimate){.cycles = 1000, .llc_misses = 200, .dram_bytes = 15100};
	ct_mo_replayed_row_why(&bl, &bl, why, sizeof why);
	assert_string_equal(why, "DRAM moves 15.1 bytes a cycle");
	r.x = (struct ct_mo_estimate){
		.cycles = 900, .cache_sms = 2, .llc_misses = 150, .dram_bytes = 15402};
	ct_mo_replayed_row_why(&bl, &r, why, sizeof why);
	assert_string_equal(why, "LLC misses -25 %, DRAM bytes +2 %");
	r.x.llc_misses = 200;
	r.x.dram_bytes = 15100;
	ct_mo_replayed_row_why(&bl, &r, why, sizeof why);
	assert_string_equal(why, "LLC misses and DRAM bytes unchanged");
	r.x.cache_sms = 0;
	ct_mo_replayed_row_why(&bl, &r, why, sizeof why);
	assert_string_equal(why, "every SM does more by computing");
}

static void an_incomplete_profile_is_refused(void **state)
{
	struct ct_workload *w = *state, *back = calloc(1, sizeof *back);
	struct ct_gpu g;
	struct ct_error e;
	struct ct_profile *p = ct_profile_new(&e);
	assert_true(back && p);
	ct_gpu_defaults(&g);
	ct_make_workload(w, &g, &BETWEEN);
	assert_int_equal(ct_workload_read(back, p, SMS, 1, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "SN all warp_insts"));
	assert_int_equal(ct_workload_to_profile(w, &g, p), 0);
	ct_profile_remove(p, "RD", NULL, NULL);
	assert_int_equal(ct_workload_read(back, p, SMS, 1, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "RD all llc"));
	ct_profile_free(p);
	free(back);
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct ct_workload));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_the_capacities_gains),
		cmocka_unit_test(streaming_gains_nothing),
		cmocka_unit_test(compute_bound_gains_nothing),
		cmocka_unit_test(what_fits_gains_nothing),
		cmocka_unit_test(thrashing_falls_with_more_sms),
		cmocka_unit_test(dead_filters_are_told),
		cmocka_unit_test(bandwidth_beyond_the_warps_is_told),
		cmocka_unit_test(capacity_is_what_counts),
		cmocka_unit_test(sector_distances_agree_with_the_law),
		cmocka_unit_test(slices_that_stand_still_widen_the_range),
		cmocka_unit_test(a_close_choice_widens_the_range),
		cmocka_unit_test(a_profile_gives_the_same_estimates),
		cmocka_unit_test(an_incomplete_profile_is_refused),
		cmocka_unit_test(a_replayed_row_says_what_was_counted),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
