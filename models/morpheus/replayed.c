#include "models/morpheus/replayed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- which GPU a system is ---- */

/* Unified-SM-Mem: the L1 with the registers that nobody uses, in whole sets. */
static int enlarge_l1(const struct ct_mo_model *m, struct ct_gpu *g)
{
	struct ct_error e = {0};
	char text[64];
	double used = m->w->registers_used;
	if (!isfinite(used))
		return -1;
	uint64_t set = (uint64_t)g->l1.ways * g->l1.line,
		 more = (uint64_t)((1 - used) * g->registers) * 4;
	uint64_t bytes = (g->l1.size + more) / set * set;
	snprintf(text, sizeof text, "l1.size=%llu", (unsigned long long)bytes);
	return ct_gpu_set(g, text, &e) < 0 || ct_gpu_check(g, &e) < 0 ? -1 : 0;
}

/* Changes g into the system's; -1 when the engine cannot be made to. */
static int gpu_of(const struct ct_mo_model *m, const struct ct_mo_row *row, struct ct_gpu *g)
{
	const struct ct_mo_system *s = row->system;
	struct ct_error e = {0};
	*g = m->gpu;
	if (s->boost)
		return -1;
	if (s->unified)
		return enlarge_l1(m, g);
	if (!s->extended && row->x.llc_bytes > (double)ct_gpu_llc_bytes(g))
		return ct_gpu_resize_llc(g, (uint64_t)row->x.llc_bytes, &e) < 0 ? -1 : 0;
	return 0;
}

static int same_lane(const struct ct_mo_lane *l, const struct ct_gpu *g, unsigned sms,
                     const struct ct_mo_system *extended)
{
	return l->sms == sms && ct_gpu_llc_bytes(&l->gpu) == ct_gpu_llc_bytes(g) &&
	       l->gpu.l1.size == g->l1.size && l->extended == extended;
}

/* ---- building ---- */

static int make_part(const struct ct_mo_model *m, struct ct_mo_lane *l, struct ct_error *e)
{
	const struct ct_mo_system *s = l->extended;
	const double *v = m->p.v;
	struct ct_mo_helper_times h = ct_mo_helper_times(m, s);
	struct ct_mo_part_params p = {
		.first_cache_sm = l->sms,
		.block_bytes = (uint32_t)v[CT_MO_BLOCK_BYTES],
		.mix = m->mix,
		.ext =
			{
				.cache_sms = l->gpu.sms - l->sms,
				.partitions = l->gpu.llc_partitions ? l->gpu.llc_partitions : 1,
				.conv_blocks = ct_gpu_llc_bytes(&l->gpu) / l->gpu.llc.line,
				.kernel = m->kernel[0],
				.compression = s->compression,
				.filter = {(unsigned)(8 * v[CT_MO_BLOOM_BYTES]),
	                                   (unsigned)v[CT_MO_BLOOM_HASHES], CT_MO_HASH_MIX},
				.predictor = s->predictor,
				.lru = CT_MO_LRU_EXACT,
				.service = (uint64_t)(h.service + 0.5),
				.port = (uint64_t)(h.port + 0.5),
				.trip = (uint64_t)(h.trip + 0.5),
				.epoch = (uint64_t)v[CT_MO_COMPRESSION_EPOCH],
			},
	};
	l->part = ct_mo_part_new(&p, &l->gpu, e);
	return l->part ? CT_OK : e ? e->status : CT_ERR_NOMEM;
}

/* Makes the lane of a GPU on which so many SMs compute; the others cache for `extended`, or rest where that is
 * NULL. */
static int make_lane(struct ct_mo_lane *l, const struct ct_mo_model *m, const struct ct_gpu *g,
                     unsigned sms, const struct ct_mo_system *extended, uint64_t warmup,
                     struct ct_error *e)
{
	*l = (struct ct_mo_lane){.gpu = *g, .sms = sms, .extended = extended};
	l->options = (struct ct_replay_options){.timing = CT_REPLAY_FULL, .warmup = warmup};
	if (sms < g->sms) {
		l->owned = ct_calloc(g->sms, 1);
		if (!l->owned)
			return ct_fail_nomem(e);
		memset(l->owned + sms, 1, g->sms - sms);
		l->parts.owned = l->owned;
		l->options.parts = &l->parts;
	}
	int st = extended ? make_part(m, l, e) : CT_OK;
	if (st == CT_OK && extended)
		l->parts.llc = ct_mo_part_llc(l->part);
	return st;
}

/* The system whose extended LLC a row has: none where every SM computes. */
static const struct ct_mo_system *extended_of(const struct ct_mo_model *m, const struct ct_mo_row *row)
{
	return row->system->extended && row->x.compute_sms < m->gpu.sms ? row->system : NULL;
}

int ct_mo_lane_init(struct ct_mo_lane *l, const struct ct_mo_answer *a, unsigned system, uint64_t warmup,
                    struct ct_error *e)
{
	const struct ct_mo_row *row = &a->row[system];
	struct ct_gpu g;
	memset(l, 0, sizeof *l);
	if (gpu_of(&a->model, row, &g) < 0)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s cannot be replayed: it has an analytic estimate only",
		               row->system->name);
	return make_lane(l, &a->model, &g, (unsigned)row->x.compute_sms, extended_of(&a->model, row),
	                 warmup, e);
}

void ct_mo_lane_free(struct ct_mo_lane *l)
{
	ct_mo_part_free(l->part);
	free(l->owned);
	l->part = NULL;
	l->owned = NULL;
}

int ct_mo_replays_init(struct ct_mo_replays *x, const struct ct_mo_answer *a, uint64_t warmup,
                       struct ct_error *e)
{
	const struct ct_mo_model *m = &a->model;
	memset(x, 0, sizeof *x);
	x->answer = a;
	int st = make_lane(&x->lane[x->n++], m, &m->gpu, m->gpu.sms, NULL, warmup, e);
	for (unsigned i = 0; i < CT_MO_SYSTEMS && st == CT_OK; i++) {
		const struct ct_mo_row *row = &a->row[i];
		const struct ct_mo_system *extended = extended_of(m, row);
		unsigned sms = (unsigned)row->x.compute_sms, at = 0;
		struct ct_gpu g;
		x->lane_of[i] = -1;
		if (!(a->systems >> i & 1) || gpu_of(m, row, &g) < 0)
			continue;
		while (at < x->n && !same_lane(&x->lane[at], &g, sms, extended))
			at++;
		if (at == x->n)
			st = make_lane(&x->lane[x->n++], m, &g, sms, extended, warmup, e);
		x->lane_of[i] = (int)at;
	}
	return st;
}

void ct_mo_replays_free(struct ct_mo_replays *x)
{
	for (unsigned i = 0; i < x->n; i++)
		ct_mo_lane_free(&x->lane[i]);
	x->n = 0;
}

/* ---- results ---- */

/* Puts what an engine counted into the form of an estimate. s NULL: the GPU as configured. */
static void read_counts(const struct ct_mo_replays *x, unsigned at, const struct ct_mo_system *s,
                        const struct ct_replay_counts *c, struct ct_mo_estimate *out)
{
	const struct ct_mo_model *m = &x->answer->model;
	const struct ct_mo_lane *l = &x->lane[at];
	struct ct_mo_part_counts part = {0};
	struct ct_mo_extllc_counts ext = {0};
	double asked = 0, cycles = (double)(c->cycles - c->launch_cycles);
	*out = (struct ct_mo_estimate){
		.compute_sms = l->sms,
		.cycles = cycles,
		.ipc = (double)c->thread_insts / cycles,
		.llc_bytes = (double)ct_gpu_llc_bytes(&l->gpu),
		.llc_misses = (double)c->llc_misses,
		.llc_requests = (double)c->llc_line_accesses,
		.packets = (double)(c->noc_request_busy + c->noc_reply_busy),
		.dram_bytes = (double)(c->dram_read_bytes + c->dram_write_bytes),
		.l1_sector_misses = (double)c->l1_misses,
		.extended_hit_rate = NAN,
		.given_miss = NAN,
		.stale = NAN,
		.alias = NAN,
		.compression_ratio = s && s->extended ? m->kernel[s->compression].ratio : NAN,
	};
	if (s && s->extended)
		out->given_miss = 0;
	if (l->part) {
		ct_mo_part_counts(l->part, &part, &ext);
		asked = (double)(ext.reads + ext.writes + ext.atomics);
		out->cache_sms = l->gpu.sms - l->sms;
		out->extended_bytes = out->cache_sms * (double)(m->kernel[s->compression].rf_bytes +
		                                                m->kernel[s->compression].l1_bytes);
		out->extended_hit_rate = part.sectors ? (double)part.sector_hits / (double)part.sectors
		                                      : NAN;
		out->given_miss = ext.misses ? (double)ext.false_positives / (double)ext.misses : 0;
	}
	ct_mo_replayed_energy(m, s, c, asked, out);
}

void ct_mo_replays_rows(const struct ct_mo_replays *x, const struct ct_replay_counts *total,
                        struct ct_mo_row row[CT_MO_SYSTEMS])
{
	struct ct_mo_estimate configured;
	read_counts(x, 0, NULL, &total[0], &configured);
	for (int i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &row[i];
		const struct ct_mo_estimate *base = &row[0].x;
		int at = x->lane_of[i];
		memset(r, 0, sizeof *r);
		r->system = ct_mo_system_at((size_t)i);
		r->x.cycles = NAN;
		if (at < 0)
			continue;
		read_counts(x, (unsigned)at, r->system, &total[at], &r->x);
		r->speedup = ct_number_alone(base->cycles / r->x.cycles);
		r->speedup_configured = ct_number_alone(configured.cycles / r->x.cycles);
		r->perf_per_watt = ct_number_alone(r->x.ipc / base->ipc / (r->x.watt / base->watt));
	}
}
