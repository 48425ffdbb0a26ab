/* A measurement's L1s: made, emptied, resized; which of their sets are followed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "gpu/occupancy.h"
#include "models/common/perf.h"
#include "models/tag_split/measure_internal.h"

static uint32_t mrpb_latency(const struct ct_ts_measure *m)
{
	double hit, miss, given = m->o.params.v[CT_TS_MRPB_LATENCY];
	ct_perf_latencies_ns(&m->g, &hit, &miss);
	return given > 0 ? (uint32_t)given : (uint32_t)ceil(hit * m->g.core_mhz / 1000);
}

static uint32_t mshr_entries(const struct ct_ts_measure *m)
{
	double given = m->o.params.v[CT_TS_MSHR];
	return given > 0 ? (uint32_t)given : m->g.l1.mshr_entries;
}

/* MRPB's queues in front of the L1 of one SM, with room to remember every load that can wait in them. */
static int new_buffer(struct ct_ts_measure *m, struct ts_one *one, uint32_t sm, struct ct_error *e)
{
	struct ts_mrpb_sm *b = &one->mrpb[sm];
	struct ct_ts_mrpb_options o = {
		.queues = (uint32_t)m->o.params.v[CT_TS_MRPB_QUEUES],
		.depth = (uint32_t)m->o.params.v[CT_TS_MRPB_DEPTH],
		.mshr = mshr_entries(m),
		.latency = mrpb_latency(m),
		.reorder = 1,
		.bypass = 1};
	uint32_t loads = o.queues * o.depth + 1; /* each waits in a queue, but for the one coming in */
	struct ct_ts_l1 *l1 = one->l1[sm];
	b->m = m;
	b->one = one;
	b->load = ct_calloc(loads, sizeof *b->load);
	b->free_loads = ct_calloc(loads, sizeof *b->free_loads);
	if (!b->load || !b->free_loads)
		return ct_fail_nomem(e);
	for (b->n_free = 0; b->n_free < loads; b->n_free++)
		b->free_loads[b->n_free] = loads - 1 - b->n_free;
	one->l1[sm] = NULL; /* the buffer takes it over */
	return ct_ts_mrpb_new(&b->buffer, l1, &o, ts_measure_mrpb_done, b, e);
}

/* Exactly the nearest whole number of sets to the share, at least one. */
static void choose_sets(const struct ct_ts_measure *m, struct ts_one *one)
{
	uint32_t sets = one->shape.sets;
	uint32_t want = (uint32_t)fmax(1, floor(m->o.sample * sets + 0.5));
	uint64_t random = m->o.seed ^ 0x7453; /* the same sets in every launch */
	memset(one->followed, 0, sets);
	if (m->o.sample >= 1 || one->system.prioritised)
		want = sets; /* MRPB's queues are of no use to a few sets */
	one->follows_all = want == sets;
	for (uint32_t left = sets, i = 0; i < sets; i++, left--)
		if (ct_rand64(&random) % left < want) {
			one->followed[i] = 1;
			want--;
		}
}

/* Costs of all masks of chunks, if they are few. */
static int make_fetches(const struct ct_ts_measure *m, struct ts_one *one)
{
	uint32_t per = one->shape.line / one->shape.chunk;
	if (per > TS_TABLE_CHUNKS)
		return 0;
	one->fetch = ct_calloc((size_t)1 << per, sizeof *one->fetch);
	for (uint32_t i = 0; one->fetch && i < UINT32_C(1) << per; i++)
		one->fetch[i] = ts_measure_fetch(m, &one->shape, i);
	return one->fetch ? 0 : -1;
}

/* The L1s of one system on every SM for that capacity, the sets that are followed, and which of them sample a
 * mode. */
static int build_one(struct ct_ts_measure *m, struct ts_one *one, uint64_t bytes, struct ct_error *e)
{
	int st = ct_ts_shape_of(&one->system, &m->g, bytes, &m->o.params, &one->shape, e);
	if (st != CT_OK)
		return st;
	uint32_t sets = one->shape.sets;
	one->apart = ct_ts_in_banks(&m->g, &one->shape) && one->shape.kind != CT_TS_LINE &&
	             one->shape.kind != CT_TS_PERFECT;
	one->l1 = ct_calloc(m->g.sms, sizeof *one->l1);
	one->followed = ct_calloc(sets, 1);
	one->role = ct_calloc(sets, 1);
	one->set_requests = ct_calloc(sets, sizeof *one->set_requests);
	one->set_misses = ct_calloc(sets, sizeof *one->set_misses);
	one->mrpb = one->system.prioritised ? ct_calloc(m->g.sms, sizeof *one->mrpb) : NULL;
	if (!one->l1 || !one->followed || !one->role || !one->set_requests || !one->set_misses ||
	    (one->system.prioritised && !one->mrpb) || make_fetches(m, one) < 0)
		return ct_fail_nomem(e);
	for (uint32_t sm = 0; sm < m->g.sms && st == CT_OK; sm++) {
		one->shape.seed = ct_mix64(m->o.seed * 0x10001 + sm + 1);
		st = ct_ts_l1_new(&one->l1[sm], &one->shape, e);
		if (st == CT_OK && one->system.prioritised)
			st = new_buffer(m, one, sm, e);
	}
	choose_sets(m, one);
	if (one->system.fetch == CT_TS_CHOOSE)
		ct_ts_mode_roles(one->role, sets, (uint32_t)m->o.params.v[CT_TS_SAMPLERS],
		                 m->o.params.v[CT_TS_SPREAD] > 0, m->o.seed);
	return st;
}

static struct ct_ts_l1 *l1_of(const struct ts_one *one, uint32_t sm)
{
	if (one->mrpb && one->mrpb[sm].buffer)
		return ct_ts_mrpb_l1(one->mrpb[sm].buffer);
	return one->l1 ? one->l1[sm] : NULL;
}

/* Variance of a ratio from whole sets (doc/models.md section 11), as a sum that later parts of the
 * run can be added to. */
static void fold_sets(const struct ct_ts_measure *m, struct ts_one *one)
{
	uint32_t sets = one->shape.sets, n = 0;
	double requests = 0, misses = 0, sum = 0;
	if (m->o.sample >= 1)
		return;
	for (uint32_t i = 0; i < sets; i++) {
		n += one->followed[i];
		requests += (double)one->set_requests[i];
		misses += (double)one->set_misses[i];
	}
	for (uint32_t i = 0; i < sets && requests > 0; i++) {
		double d = (double)one->set_misses[i] - misses / requests * (double)one->set_requests[i];
		sum += one->followed[i] ? d * d : 0;
	}
	if (n > 1)
		one->c.deviation += sum * n / (n - 1) * (1 - (double)n / sets);
	memset(one->set_requests, 0, sets * sizeof *one->set_requests);
	memset(one->set_misses, 0, sets * sizeof *one->set_misses);
}

void ts_measure_fold(struct ct_ts_measure *m, struct ts_one *one)
{
	if (!one->l1)
		return;
	for (uint32_t sm = 0; sm < m->g.sms; sm++) {
		if (one->mrpb && one->mrpb[sm].buffer)
			ct_ts_mrpb_drain(one->mrpb[sm].buffer);
		if (l1_of(one, sm))
			ct_ts_l1_collect(l1_of(one, sm), &one->c.use);
	}
	fold_sets(m, one);
}

void ts_measure_drop(struct ct_ts_measure *m, struct ts_one *one)
{
	for (uint32_t sm = 0; one->l1 && sm < m->g.sms; sm++) {
		ct_ts_l1_free(one->l1[sm]);
		if (!one->mrpb)
			continue;
		ct_ts_mrpb_free(one->mrpb[sm].buffer);
		free(one->mrpb[sm].load);
		free(one->mrpb[sm].free_loads);
	}
	free(one->l1);
	free(one->mrpb);
	free(one->followed);
	free(one->role);
	free(one->fetch);
	free(one->set_requests);
	free(one->set_misses);
	one->l1 = NULL;
	one->mrpb = NULL;
	one->followed = one->role = NULL;
	one->fetch = NULL;
	one->set_requests = one->set_misses = NULL;
}

static void flush_l1s(struct ct_ts_measure *m, struct ts_one *one)
{
	for (uint32_t sm = 0; sm < m->g.sms; sm++) {
		if (one->mrpb)
			ct_ts_mrpb_drain(one->mrpb[sm].buffer);
		ct_ts_l1_flush(l1_of(one, sm));
	}
}

int ts_measure_build(struct ct_ts_measure *m, uint64_t bytes, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned i = 0; i < m->n && st == CT_OK; i++) {
		struct ts_one *one = &m->one[i];
		if (one->l1 && (one->system.kind == CT_TS_PERFECT || one->system.kind == CT_TS_IDEAL))
			continue; /* has no size */
		if (one->l1) {
			flush_l1s(m, one);
			ts_measure_fold(m, one);
			ts_measure_drop(m, one);
		}
		st = build_one(m, one, bytes, e);
	}
	m->bytes = st == CT_OK ? bytes : 0;
	return st;
}

int ct_ts_measure_kernel(struct ct_ts_measure *m, const struct ct_kernel *k, struct ct_error *e)
{
	struct ct_occupancy occ;
	ts_measure_drain(m);
	int st = ct_occupancy(&m->g, k, &occ, e);
	if (st != CT_OK)
		return st;
	uint64_t bytes = (uint64_t)occ.l1_sets * occ.l1_ways * m->g.l1.line;
	m->kernel = k;
	if (bytes != m->bytes)
		return ts_measure_build(m, bytes, e);
	for (unsigned i = 0; i < m->n && m->g.l1_flush; i++)
		flush_l1s(m, &m->one[i]);
	return CT_OK;
}
