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
	double used = m->w ? m->w->registers_used : NAN;
	if (!isfinite(used))
		return -1;
	uint64_t set = (uint64_t)g->l1.ways * g->l1.line,
		 more = (uint64_t)((1 - used) * g->registers) * 4;
	uint64_t bytes = (g->l1.size + more) / set * set;
	snprintf(text, sizeof text, "l1.size=%llu", (unsigned long long)bytes);
	return ct_gpu_set(g, text, &e) < 0 || ct_gpu_check(g, &e) < 0 ? -1 : 0;
}

/* Frequency-Boost: faster clocks of network, LLC and DRAM. The latencies behind the L1, which are in cycles of the SMs, shrink
 * with them. */
static void boost_memory(struct ct_gpu *g, double gain)
{
	uint32_t *const latency[] = {&g->noc_latency, &g->llc_latency, &g->dram_latency};
	g->noc_mhz *= 1 + gain;
	g->llc_mhz *= 1 + gain;
	g->dram_mhz *= 1 + gain;
	for (size_t i = 0; i < sizeof latency / sizeof latency[0]; i++)
		*latency[i] = (uint32_t)llround(*latency[i] / (1 + gain));
}

/* Makes *g the GPU of a system of which so many SMs compute; -1 when the engine cannot be made to. */
static int gpu_of(const struct ct_mo_model *m, const struct ct_mo_system *s, unsigned sms,
                  struct ct_gpu *g)
{
	struct ct_error e = {0};
	double bytes = ct_mo_conventional_lines(m, s) * m->gpu.llc.line;
	*g = m->gpu;
	if (s->boost)
		boost_memory(g, ct_mo_boost(m, sms));
	if (s->unified)
		return enlarge_l1(m, g);
	if (s->extended || bytes <= (double)ct_gpu_llc_bytes(g))
		return 0;
	g->llc_slices *= (uint32_t)ct_mo_bank_factor(m, s); /* each bank is a slice */
	return ct_gpu_resize_llc(g, (uint64_t)bytes, &e) < 0 ? -1 : 0;
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
				.lookups_first = v[CT_MO_LOOKUPS_FIRST] > 0,
				.service = (uint64_t)(h.service + 0.5),
				.port = (uint64_t)(h.port + 0.5),
				.trip = (uint64_t)(h.trip + 0.5),
				.epoch = (uint64_t)v[CT_MO_COMPRESSION_EPOCH],
			},
	};
	l->part = ct_mo_part_new(&p, &l->gpu, e);
	return l->part ? CT_OK : e ? e->status : CT_ERR_NOMEM;
}

/* Makes the lane of a GPU on which so many SMs compute; the others cache for `extended`, or are not there where that is
 * NULL: an SM that rests takes no part in anything. */
static int make_lane(struct ct_mo_lane *l, const struct ct_mo_model *m, const struct ct_gpu *g,
                     unsigned sms, const struct ct_mo_system *extended, uint64_t warmup,
                     struct ct_error *e)
{
	*l = (struct ct_mo_lane){.gpu = *g, .sms = sms, .extended = extended};
	l->options = (struct ct_replay_options){.timing = CT_REPLAY_FULL, .warmup = warmup};
	if (!extended) {
		l->gpu.sms = sms;
		return CT_OK;
	}
	l->owned = ct_calloc(g->sms, 1);
	if (!l->owned)
		return ct_fail_nomem(e);
	memset(l->owned + sms, 1, g->sms - sms);
	l->parts.owned = l->owned;
	l->options.parts = &l->parts;
	int st = make_part(m, l, e);
	if (st == CT_OK)
		l->parts.llc = ct_mo_part_llc(l->part);
	return st;
}

int ct_mo_lane_init(struct ct_mo_lane *l, const struct ct_mo_model *m, const struct ct_mo_system *s,
                    unsigned sms, uint64_t warmup, struct ct_error *e)
{
	struct ct_gpu g;
	memset(l, 0, sizeof *l);
	if (sms < 1 || sms > m->gpu.sms)
		return ct_fail(e, CT_ERR_USAGE, "%s on %u SMs: the GPU has %u: choose 1 up to that many",
		               s->name, sms, m->gpu.sms);
	if (gpu_of(m, s, sms, &g) < 0)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s cannot be replayed: it has an analytic estimate only", s->name);
	return make_lane(l, m, &g, sms, s->extended && sms < g.sms ? s : NULL, warmup, e);
}

static void free_parts(struct ct_mo_lane *l)
{
	ct_mo_part_free(l->part);
	free(l->owned);
	l->part = NULL;
	l->owned = NULL;
}

void ct_mo_lane_free(struct ct_mo_lane *l)
{
	free_parts(l);
}

/* ---- the search over all systems ---- */

static int is_same_lane(const struct ct_mo_lane *a, const struct ct_mo_lane *b)
{
	return a->sms == b->sms && ct_gpu_llc_bytes(&a->gpu) == ct_gpu_llc_bytes(&b->gpu) &&
	       a->gpu.llc_slices == b->gpu.llc_slices && a->gpu.l1.size == b->gpu.l1.size &&
	       a->gpu.noc_mhz == b->gpu.noc_mhz && a->extended == b->extended;
}

/* System i is to be replayed on so many SMs: by a lane of its own, or by one that is there. */
static int add_trial(struct ct_mo_replays *x, size_t i, unsigned sms, struct ct_error *e)
{
	struct ct_mo_lane *l = &x->lane[x->n];
	unsigned at = 0, k = x->n_tried[i];
	int st = ct_mo_lane_init(l, &x->model, ct_mo_system_at(i), sms, x->warmup, e);
	while (at < x->n && !is_same_lane(&x->lane[at], l))
		at++;
	if (st != CT_OK || at < x->n)
		ct_mo_lane_free(l);
	else
		x->n++;
	if (st == CT_ERR_UNSUPPORTED)
		return CT_OK; /* stays analytic */
	if (st != CT_OK)
		return st;
	x->lane_of[i][k] = at;
	x->tried[i][k].setting = sms;
	x->n_tried[i]++;
	return CT_OK;
}

static unsigned best_sms(const struct ct_mo_replays *x, size_t i)
{
	return (unsigned)x->tried[i][ct_mo_search_best(x->tried[i], x->n_tried[i])].setting;
}

/* What system i wants next. Those that follow another system's choice wait for its search to end, `settled`. */
static int ask_system(struct ct_mo_replays *x, size_t i, int settled, struct ct_error *e)
{
	const struct ct_mo_system *s = ct_mo_system_at(i);
	size_t ibl = (size_t)ct_mo_system_find("IBL");
	double value[CT_CANDIDATES_MAX];
	unsigned n = 0;
	if (s->as_ibl || s->grown ? !settled : settled)
		return CT_OK;
	if (x->sms && (s->best_sms || s->as_ibl))
		return x->n_tried[i] ? CT_OK : add_trial(x, i, x->sms, e);
	if (s->best_sms)
		n = ct_mo_search_next(ct_mo_fewest_sms(&x->model, s), x->model.gpu.sms, x->tried[i],
		                      x->n_tried[i], value);
	else if (!x->n_tried[i])
		value[n++] = s->as_ibl && x->n_tried[ibl] ? best_sms(x, ibl)
		             : s->as_ibl                  ? x->answer->row[i].x.compute_sms
		                                          : x->model.gpu.sms;
	int st = CT_OK;
	for (unsigned k = 0; k < n && st == CT_OK; k++)
		st = add_trial(x, i, (unsigned)value[k], e);
	return st;
}

/* larger-LLC has what Morpheus-ALL has in all. */
static void grow_llc(struct ct_mo_replays *x)
{
	size_t all = (size_t)ct_mo_system_find("Morpheus-ALL");
	const struct ct_morpheus_kernel *k = &x->model.kernel[1];
	if (!x->n_tried[all])
		return;
	double cache_sms = x->model.gpu.sms - best_sms(x, all);
	x->model.larger_lines = ct_gpu_llc_lines(&x->model.gpu) +
	                        cache_sms * (double)(k->rf_bytes + k->l1_bytes) / x->model.gpu.llc.line;
}

int ct_mo_replays_next(struct ct_mo_replays *x, struct ct_error *e)
{
	int st = CT_OK;
	if (!x->n)
		st = make_lane(&x->lane[x->n++], &x->model, &x->model.gpu, x->model.gpu.sms, NULL,
		               x->warmup, e);
	for (int settled = 0; settled < 2 && st == CT_OK; settled++) {
		for (size_t i = 0; i < CT_MO_SYSTEMS && st == CT_OK; i++)
			if (x->answer->systems >> i & 1)
				st = ask_system(x, i, settled, e);
		if (x->n > x->n_run)
			break;
		if (!settled)
			grow_llc(x);
	}
	return st;
}

static double cycles_of(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

void ct_mo_replays_done(struct ct_mo_replays *x, const struct ct_replay_counts *total)
{
	for (unsigned i = x->n_run; i < x->n; i++) {
		struct ct_mo_lane *l = &x->lane[i];
		l->total = total[i - x->n_run];
		if (l->part)
			ct_mo_part_counts(l->part, &l->part_total, &l->extended_total);
		free_parts(l);
	}
	x->n_run = x->n;
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++)
		for (unsigned k = 0; k < x->n_tried[i]; k++)
			x->tried[i][k].cycles = cycles_of(&x->lane[x->lane_of[i][k]].total);
}

void ct_mo_replays_free(struct ct_mo_replays *x)
{
	for (unsigned i = 0; i < x->n; i++)
		ct_mo_lane_free(&x->lane[i]);
	x->n = 0;
}

/* ---- results ---- */

/* Puts what a lane counted into the form of an estimate. s NULL: the GPU as configured. */
static void read_counts(const struct ct_mo_model *m, const struct ct_mo_lane *l,
                        const struct ct_mo_system *s, struct ct_mo_estimate *out)
{
	const struct ct_replay_counts *c = &l->total;
	const struct ct_mo_part_counts *part = &l->part_total;
	const struct ct_mo_extllc_counts *ext = &l->extended_total;
	double asked = (double)(ext->reads + ext->writes + ext->atomics), cycles = cycles_of(c);
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
	if (l->extended) {
		out->cache_sms = l->gpu.sms - l->sms;
		out->extended_bytes = out->cache_sms * (double)(m->kernel[s->compression].rf_bytes +
		                                                m->kernel[s->compression].l1_bytes);
		out->extended_hit_rate = part->sectors
		                                 ? (double)part->sector_hits / (double)part->sectors
		                                 : NAN;
		out->given_miss = ext->misses ? (double)ext->false_positives / (double)ext->misses : 0;
	}
	ct_mo_replayed_energy(m, s, c, asked, out);
}

void ct_mo_replays_rows(const struct ct_mo_replays *x, struct ct_mo_row row[CT_MO_SYSTEMS])
{
	struct ct_mo_estimate configured;
	read_counts(&x->model, &x->lane[0], NULL, &configured);
	for (int i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &row[i];
		const struct ct_mo_estimate *base = &row[0].x;
		memset(r, 0, sizeof *r);
		r->system = ct_mo_system_at((size_t)i);
		r->x.cycles = NAN;
		if (!x->n_tried[i])
			continue;
		unsigned best = ct_mo_search_best(x->tried[i], x->n_tried[i]);
		read_counts(&x->model, &x->lane[x->lane_of[i][best]], r->system, &r->x);
		r->speedup = ct_number_alone(base->cycles / r->x.cycles);
		r->speedup_configured = ct_number_alone(configured.cycles / r->x.cycles);
		r->perf_per_watt = ct_number_alone(r->x.ipc / base->ipc / (r->x.watt / base->watt));
	}
}
