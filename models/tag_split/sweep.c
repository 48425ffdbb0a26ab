/* sweep.c - TSC over a range of one of its parameters (SW records). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/common/records.h"
#include "models/tag_split/run.h"

const struct ct_mechanism_sweep ts_sweeps[TS_SWEEPS] = {
	{"private_bits",
         {.high = 57, .whole = 1, .step = 1, .points_max = TS_POINTS_MAX},
         "private_bits=0..20",
         0},
	{"chunk",
         {.unit = CT_UNIT_BYTES, .low = 8, .high = 128, .whole = 1, .factor = 2},
         "chunk=8..64",
         0},
	{"hit_latency",
         {.high = 100, .whole = 1, .step = 1, .points_max = TS_POINTS_MAX},
         "hit_latency=0..3",
         0},
};

int ts_sweep_check(const struct ct_range_spec *range, struct ct_error *e)
{
	if (strcmp(range->key, "chunk") != 0)
		return CT_OK;
	for (size_t i = 0; i < ct_range_points(range); i++) {
		unsigned x = (unsigned)ct_range_at(range, i);
		if (x & (x - 1))
			return ct_fail(
				e, CT_ERR_USAGE,
				"--sweep chunk: %u is not a power of two: write chunk=8..64, which "
				"doubles",
				x);
	}
	return CT_OK;
}

/* Appends one point: x with what was measured there, `extra` cycles added to its hit latency. */
static int write_point(struct ct_mechanism_run *run, size_t i, const struct ct_ts_measured *m,
                       double extra, struct ct_error *e)
{
	const struct ct_ts_answer *a = &ts_run_of(run)->answer;
	const char *key = run->sweep->key;
	struct ct_records w = {
		.p = run->p, .e = e, .mechanism = TS_MECHANISM, .system = "TSC", .method = "analytic"};
	char x[CT_RANGE_PART_MAX];
	ct_range_text_at(run->sweep, i, x, sizeof x);
	ct_records_point(&w, key, x, "speedup", a->row[0].cycles / ct_ts_cycles(a, m, extra));
	w.method = "replay";
	ct_records_point(&w, key, x, "mem_inst_miss_rate", m->inst_miss_rate);
	ct_records_point(&w, key, x, "l1_request_mpki", m->mpki);
	w.method = "analytic";
	if (isfinite(m->storage))
		ct_records_point(&w, key, x, "storage_bytes", m->storage);
	return w.status;
}

/* The points as systems of their own, which are measured together. */
static unsigned make_systems(const struct ct_range_spec *range, struct ct_ts_system *out)
{
	unsigned n = (unsigned)ct_range_points(range);
	int chunk = !strcmp(range->key, "chunk");
	for (unsigned i = 0; i < n; i++) {
		out[i] = *ct_ts_system_at((size_t)ct_ts_system_find("TSC"));
		snprintf(out[i].name, sizeof out[i].name, "%u", i);
		if (chunk)
			out[i].chunk = (uint32_t)ct_range_at(range, i);
		else
			out[i].private_bits = (int)ct_range_at(range, i);
	}
	return n;
}

/* Measures all points of a sweep in one pass over the trace. */
static int sweep_measured(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_ts_system *systems = ct_calloc(ct_range_points(run->sweep), sizeof *systems);
	struct ct_profile *p = ct_profile_new(e);
	const struct ct_ts_answer *a = &ts_run_of(run)->answer;
	int st = systems && p ? CT_OK : ct_fail_nomem(e);
	unsigned n = st == CT_OK ? make_systems(run->sweep, systems) : 0;
	if (st == CT_OK)
		st = ts_measure_again(run, "--sweep", systems, n, p, e);
	for (unsigned i = 0; i < n && st == CT_OK; i++) {
		struct ct_ts_measured m;
		st = ct_ts_measured_read(&m, p, &systems[i], &a->gpu, &a->params, e);
		if (st == CT_OK)
			st = write_point(run, i, &m, ts_run_of(run)->params.v[CT_TS_HIT_LATENCY], e);
	}
	ct_profile_free(p);
	free(systems);
	return st;
}

/* A latency changes no count: its points need no trace. */
int ts_sweep(struct ct_mechanism_run *run, struct ct_error *e)
{
	const struct ct_ts_measured *m = &ts_run_of(run)->answer.row[ct_ts_system_find("TSC")].x;
	int st = CT_OK;
	if (strcmp(run->sweep->key, "hit_latency") != 0)
		return sweep_measured(run, e);
	for (size_t i = 0; i < ct_range_points(run->sweep) && st == CT_OK; i++)
		st = write_point(run, i, m, ct_range_at(run->sweep, i), e);
	return st;
}
