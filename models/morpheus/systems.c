#include "models/morpheus/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* clang-format off */
static const struct ct_mo_system SYSTEMS[CT_MO_SYSTEMS] = {
	{ .name = "BL", .fair = 1, .llc_factor = 1 },
	{ .name = "IBL", .best_sms = 1, .fair = 1, .llc_factor = 1 },
	{ .name = "IBL-2x-LLC", .best_sms = 1, .llc_factor = 2 },
	{ .name = "IBL-4x-LLC", .best_sms = 1, .llc_factor = 4 },
	{ .name = "larger-LLC", .best_sms = 1, .grown = 1, .llc_factor = 1 },
	{ .name = "Frequency-Boost", .as_ibl = 1, .fair = 1, .boost = 1, .llc_factor = 1 },
	{ .name = "Unified-SM-Mem", .as_ibl = 1, .fair = 1, .unified = 1, .llc_factor = 1 },
	{ .name = "Morpheus-Basic", .best_sms = 1, .extended = 1, .llc_factor = 1 },
	{ .name = "Morpheus-Compression", .best_sms = 1, .extended = 1, .compression = 1, .llc_factor = 1 },
	{ .name = "Morpheus-Indirect-MOV", .best_sms = 1, .extended = 1, .indirect_mov = 1, .llc_factor = 1 },
	{ .name = "Morpheus-ALL", .best_sms = 1, .extended = 1, .compression = 1, .indirect_mov = 1, .llc_factor = 1 },
	{ .name = "Morpheus-Basic/No-Prediction", .best_sms = 1, .extended = 1, .llc_factor = 1, .predictor = CT_MO_PREDICT_NONE },
	{ .name = "Morpheus-Basic/Perfect-Prediction", .best_sms = 1, .extended = 1, .llc_factor = 1, .predictor = CT_MO_PREDICT_PERFECT },
};
/* clang-format on */

const struct ct_mo_system *ct_mo_system_at(size_t i)
{
	return i < CT_MO_SYSTEMS ? &SYSTEMS[i] : NULL;
}

int ct_mo_system_find(const char *name)
{
	for (int i = 0; i < CT_MO_SYSTEMS; i++)
		if (!strcmp(SYSTEMS[i].name, name))
			return i;
	return -1;
}

/* Shares by level: stated, or measured by a stage before, or assumed. */
static void find_mix(struct ct_mo_model *m, const struct ct_morpheus_mix *stated)
{
	const struct ct_workload *w = m->w;
	if (stated) {
		m->mix = *stated;
		m->mix_source = CT_MO_MIX_STATED;
		return;
	}
	double sum = w ? w->compression_high + w->compression_low + w->compression_none : 0;
	if (sum > 0) {
		m->mix = (struct ct_morpheus_mix){
			w->compression_high / sum, w->compression_low / sum, w->compression_none / sum};
		m->mix_source = CT_MO_MIX_MEASURED;
		return;
	}
	m->mix = ct_morpheus_mix_of_ratio(m->p.v[CT_MO_ASSUMED_RATIO]);
	m->mix_source = CT_MO_MIX_ASSUMED;
}

/* What a system's run takes energy for, s NULL: that of the GPU as replayed. What gating saves pays the clocks of
 * Frequency-Boost, so that all SMs count there. */
static void energy_run(const struct ct_mo_model *m, const struct ct_mo_system *s,
                       const struct ct_mo_estimate *x, struct ct_energy_run *run)
{
	double sector = m->replayed.llc.sector;
	double own_noc = m->w->noc_request_cycles + m->w->noc_reply_cycles;
	*run = (struct ct_energy_run){
		.seconds = x->cycles / (m->gpu.core_mhz * 1e6),
		.sms = s && s->boost ? m->gpu.sms : x->compute_sms,
		.overhead = s && s->extended ? m->p.v[CT_MO_CONTROLLER_POWER] : 0,
		.llc_bytes = m->w->llc_sectors * sector,
		.noc_bytes = own_noc * sector,
		.dram_bytes = x->dram_bytes,
	};
}

int ct_mo_model_open(struct ct_mo_model *m, const struct ct_workload *w, const struct ct_gpu *replayed,
                     const struct ct_gpu *gpu, const struct ct_morpheus_params *p,
                     const struct ct_morpheus_mix *mix, struct ct_error *e)
{
	memset(m, 0, sizeof *m);
	m->w = w;
	m->replayed = *replayed;
	m->gpu = *gpu;
	m->p = *p;
	find_mix(m, mix);
	ct_morpheus_storage(gpu, p, &m->storage);
	m->min_sms = gpu->sms - m->storage.max_cache_sms;
	if (m->min_sms < 1)
		m->min_sms = 1;
	m->larger_lines = ct_gpu_llc_lines(gpu);
	int st = ct_morpheus_kernel(gpu, p, NULL, &m->kernel[0], e);
	return st == CT_OK ? ct_morpheus_kernel(gpu, p, &m->mix, &m->kernel[1], e) : st;
}

static int make_caches(struct ct_mo_model *m, struct ct_error *e)
{
	int st = ct_mo_bloom_init(&m->bloom, &m->p, e);
	for (int i = 0; i < 2 && st == CT_OK; i++) {
		m->cache[i] = ct_calloc(m->gpu.sms + 1u, sizeof *m->cache[i]);
		m->cached[i] = ct_calloc(m->gpu.sms + 1u, 1);
		if (!m->cache[i] || !m->cached[i])
			st = ct_fail_nomem(e);
	}
	return st;
}

static int calibrate_time(struct ct_mo_model *m, enum ct_perf_anchor how, struct ct_error *e)
{
	const struct ct_workload *w = m->w;
	int st = ct_perf_calibrate(&m->perf, w, &m->replayed, how, e);
	if (st != CT_OK)
		return st;
	struct ct_mo_estimate base = {.compute_sms = m->gpu.sms,
	                              .cycles = w->cycles,
	                              .dram_bytes = w->dram_read_bytes + w->dram_write_bytes};
	struct ct_energy_run run;
	energy_run(m, NULL, &base, &run);
	ct_energy_split(&m->energy, &m->gpu, m->p.v[CT_MO_CONSTANT_WATT], m->p.v[CT_MO_STATIC_SHARE],
	                &run);
	return CT_OK;
}

int ct_mo_model_init(struct ct_mo_model *m, const struct ct_workload *w, const struct ct_gpu *replayed,
                     const struct ct_gpu *gpu, const struct ct_morpheus_params *p,
                     const struct ct_morpheus_mix *mix, enum ct_perf_anchor how, struct ct_error *e)
{
	int st = ct_mo_model_open(m, w, replayed, gpu, p, mix, e);
	if (st == CT_OK)
		st = make_caches(m, e);
	if (st == CT_OK)
		st = calibrate_time(m, how, e);
	if (st != CT_OK)
		ct_mo_model_free(m);
	return st;
}

int ct_mo_model_vary(struct ct_mo_model *m, struct ct_mo_model *of, const struct ct_gpu *replayed,
                     const struct ct_morpheus_params *p, enum ct_perf_anchor how, struct ct_error *e)
{
	const struct ct_morpheus_mix *mix = of->mix_source == CT_MO_MIX_STATED ? &of->mix : NULL;
	int st = ct_mo_model_open(m, of->w, replayed, &of->gpu, p, mix, e);
	if (st != CT_OK)
		return st;
	m->borrowed = 1;
	m->bloom = of->bloom;
	for (int i = 0; i < 2; i++) {
		m->cache[i] = of->cache[i];
		m->cached[i] = of->cached[i];
	}
	return calibrate_time(m, how, e);
}

void ct_mo_model_free(struct ct_mo_model *m)
{
	if (m->borrowed)
		return;
	for (int i = 0; i < 2; i++) {
		free(m->cache[i]);
		free(m->cached[i]);
		m->cache[i] = NULL;
		m->cached[i] = NULL;
	}
	ct_mo_bloom_free(&m->bloom);
}

static double cycles_of_ns(const struct ct_mo_model *m, double ns)
{
	return ns * m->gpu.core_mhz / 1000;
}

double ct_mo_conventional_lines(const struct ct_mo_model *m, const struct ct_mo_system *s)
{
	if (s->grown)
		return m->larger_lines;
	double lines = ct_gpu_llc_lines(&m->gpu) * s->llc_factor;
	return s->fair ? lines + (double)m->storage.total_bytes / m->gpu.llc.line : lines;
}

double ct_mo_bank_factor(const struct ct_mo_model *m, const struct ct_mo_system *s)
{
	return m->gpu.noc == CT_NOC_CROSSBAR ? s->llc_factor : 1;
}

/* Latency of the paper's own numbers where they were asked for. */
static void override_latencies(const struct ct_mo_model *m, struct ct_perf_point *pt)
{
	if (m->p.v[CT_MO_CONV_HIT_NS] > 0)
		pt->cls[0].latency = cycles_of_ns(m, m->p.v[CT_MO_CONV_HIT_NS]);
	if (m->p.v[CT_MO_CONV_MISS_NS] > 0)
		pt->cls[pt->n_classes - 1].latency = cycles_of_ns(m, m->p.v[CT_MO_CONV_MISS_NS]);
}

double ct_mo_boost(const struct ct_mo_model *m, double sms)
{
	double gated = 1 - sms / m->gpu.sms;
	double lo = m->p.v[CT_MO_BOOST_MIN], hi = m->p.v[CT_MO_BOOST_MAX];
	return gated > 0 ? lo + (hi - lo) * fmin(gated / m->p.v[CT_MO_BOOST_FULL_GATED], 1) : 0;
}

/* Frequency-Boost: the memory side has faster clocks, and the latencies behind the L1 shrink with them. */
static void apply_boost(const struct ct_mo_model *m, struct ct_perf_point *pt)
{
	double gain = ct_mo_boost(m, pt->sms);
	pt->noc_speed *= 1 + gain;
	pt->llc_speed *= 1 + gain;
	pt->dram_speed *= 1 + gain;
	for (unsigned i = 0; i < pt->n_classes; i++)
		pt->cls[i].latency = m->perf.t_l1 + (pt->cls[i].latency - m->perf.t_l1) / (1 + gain);
}

/* Unified-SM-Mem: registers that nobody uses enlarge L1; the hits that this adds no
 * longer reach the LLC, where the most recent lines would have hit. Returns the share
 * of the LLC's requests that remains. */
static double apply_unified(const struct ct_mo_model *m, struct ct_perf_point *pt)
{
	const struct ct_workload *w = m->w;
	double total = w->has_l1 ? (double)ct_hist_total(&w->l1) : 0;
	if (!(total > 0) || !isfinite(w->registers_used) || !(pt->l1_miss > 0))
		return 1;
	double line = m->gpu.l1.line, own = (double)m->replayed.l1.size / line;
	double more = (1 - w->registers_used) * m->gpu.registers * 4 / line;
	double gain = (ct_hist_hits(&w->l1, own + more) - ct_hist_hits(&w->l1, own)) / total;
	double left = fmax(1 - gain / pt->l1_miss, 0);
	/* Misses of the LLC stay; only its hits can be taken away. */
	left = fmax(left, pt->cls[1].share);
	ct_perf_filter_l1(pt, left, left);
	return left;
}

/* r: of ct_perf_eval() at pt; extra_watt: beside what the GPU has. */
static void finish_estimate(const struct ct_mo_model *m, const struct ct_mo_system *s,
                            const struct ct_perf_point *pt, const struct ct_perf_result *r,
                            double extra_watt, struct ct_mo_estimate *x)
{
	struct ct_energy_run run;
	x->cycles = r->cycles;
	x->ipc = r->ipc;
	x->bottleneck = r->bottleneck;
	x->utilisation = r->utilisation;
	x->yield = r->yield;
	x->packets = pt->slice_in + pt->slice_out;
	x->dram_bytes = pt->dram_bytes;
	energy_run(m, s, x, &run);
	run.llc_bytes = pt->llc_sectors * m->replayed.llc.sector;
	run.noc_bytes = (pt->request_packets + pt->reply_packets) * m->replayed.llc.sector;
	run.extra_joule = extra_watt / (m->gpu.core_mhz * 1e6) * x->cycles;
	x->joule = ct_energy_joule(&m->energy, &run);
	x->watt = run.seconds > 0 ? x->joule / run.seconds : 0;
	double more = ct_workload_llc_requests(m->w, m->w->sms);
	more = more > 0 ? x->llc_requests / more : 1;
	x->l1_sector_misses = fmin(m->w->l1_sector_misses * more, m->w->l1_sectors);
}

/* A system without SMs in cache mode: another SM count, LLC, L1 or clock. */
static int estimate_conventional(struct ct_mo_model *m, const struct ct_mo_system *s, unsigned sms,
                                 struct ct_mo_estimate *x)
{
	struct ct_perf_point pt;
	double lines = ct_mo_conventional_lines(m, s), left = 1;
	ct_perf_conventional(&m->perf, &m->gpu, sms, lines, &pt);
	override_latencies(m, &pt);
	if (s->boost)
		apply_boost(m, &pt);
	if (s->unified)
		left = apply_unified(m, &pt);
	pt.slices = ct_mo_bank_factor(m, s);
	pt.slice_beta = m->p.v[CT_MO_SLICE_BETA];
	struct ct_llc_misses misses;
	ct_llc_misses(&m->perf.llc, m->w, sms, lines, m->gpu.llc.ways, 0, &misses);
	x->llc_bytes = lines * m->gpu.llc.line;
	x->llc_requests = ct_workload_llc_requests(m->w, sms) * left;
	x->llc_misses = misses.sectors;
	x->extended_hit_rate = x->given_miss = x->stale = x->alias = NAN;
	x->compression_ratio = NAN;
	struct ct_perf_result r;
	ct_perf_eval(&m->perf, &pt, &r);
	finish_estimate(m, s, &pt, &r, 0, x);
	return CT_OK;
}

static int split_at(struct ct_mo_model *m, int compressed, unsigned sms, const struct ct_mo_split **out,
                    struct ct_error *e)
{
	if (!m->cached[compressed][sms]) {
		int st = ct_mo_split_eval(
			m->w, &m->kernel[compressed], &m->bloom, sms, m->gpu.sms - sms,
			ct_gpu_llc_lines(&m->gpu), m->gpu.llc.ways, &m->cache[compressed][sms], e);
		if (st != CT_OK)
			return st;
		m->cached[compressed][sms] = 1;
	}
	*out = &m->cache[compressed][sms];
	return CT_OK;
}

struct ct_mo_helper_times ct_mo_helper_times(const struct ct_mo_model *m, const struct ct_mo_system *s)
{
	const double *v = m->p.v;
	/* A helper warp runs one instruction after the other. */
	double pipe = v[CT_MO_PIPELINE_CYCLES], change = 0;
	if (s->indirect_mov)
		change -= v[CT_MO_MOV_SAVED_INSTS] * (m->gpu.unit[CT_CLASS_BRANCH].latency + pipe);
	if (s->compression)
		change += (1 - m->mix.none) * v[CT_MO_DECOMPRESS_INSTS] *
		          (m->gpu.unit[CT_CLASS_INT].latency + pipe);
	return (struct ct_mo_helper_times){
		.trip = fmax(cycles_of_ns(m, v[CT_MO_EXT_TRIP_NS]) + change, 0),
		.service = fmax(cycles_of_ns(m, v[CT_MO_EXT_SERVICE_NS]) + change, 1),
		.port = cycles_of_ns(m, v[CT_MO_BLOCK_BYTES] / v[CT_MO_EXT_GBPS]),
	};
}

static double predicted_hits(const struct ct_mo_system *s, const struct ct_mo_split *d)
{
	if (s->predictor == CT_MO_PREDICT_NONE)
		return 1;
	return s->predictor == CT_MO_PREDICT_PERFECT ? 0 : d->given_miss;
}

/* Counts of one run that the parts below share. */
struct traffic {
	double requests, hits, misses, wrong; /* at the extended part; wrong: false positives */
	struct ct_llc_misses conv;            /* of the conventional part, anchored */
};

/* Where a line that left an L1 is served, and after how long: conventional or extended part, hit or miss, and
 * whether a miss was predicted. */
static void extended_classes(const struct ct_mo_model *m, const struct traffic *t,
                             const struct ct_mo_split *d, const struct ct_mo_helper_times *h,
                             struct ct_perf_point *pt)
{
	const struct ct_workload *w = m->w;
	/* Reads miss more or less often than all requests do; the curve counts all. */
	double all = w->llc_sectors > 0 ? w->llc_sector_misses / w->llc_sectors : 0;
	double read = w->llc_read_sectors > 0 ? w->llc_read_misses / w->llc_read_sectors : 0;
	double bias = (all > 0 ? read / all : 1) * m->perf.pending_factor;
	double conv = d->requests - t->requests;
	double conv_miss = conv > 0 ? fmin(bias * t->conv.sectors /
	                                           (conv * m->perf.llc.sectors_per_request),
	                                   1)
	                            : 0;
	double ext_miss = t->requests > 0 ? fmin(bias * t->misses / t->requests, 1) : 0;
	double wrong = t->misses > 0 ? t->wrong / t->misses : 0;
	double hit_latency = pt->cls[0].latency, miss_latency = pt->cls[1].latency;
	double phi = d->ext_share;
	pt->cls[0] = (struct ct_perf_class){(1 - phi) * (1 - conv_miss), hit_latency, 0, 0};
	pt->cls[1] = (struct ct_perf_class){phi * (1 - ext_miss), hit_latency + h->trip, 0, 0};
	pt->cls[2] = (struct ct_perf_class){
		(1 - phi) * conv_miss + phi * ext_miss * (1 - wrong), miss_latency, 1, 0};
	pt->cls[3] = (struct ct_perf_class){phi * ext_miss * wrong, miss_latency + h->trip, 1, 0};
	pt->n_classes = 4;
	ct_perf_sort_classes(pt);
}

/* Packets of `bytes` of data on the network. */
static double packets_of(const struct ct_gpu *g, double bytes)
{
	if (g->noc_flits_as_one)
		return ceil(bytes / g->llc.sector);
	return ceil((bytes + g->noc_header_bytes) / g->noc_flit_bytes);
}

/* What the extended part costs DRAM and the ports of the slices. */
static void extended_traffic(const struct ct_mo_model *m, const struct traffic *t,
                             struct ct_perf_point *pt)
{
	const struct ct_workload *w = m->w;
	double block = m->p.v[CT_MO_BLOCK_BYTES], data = packets_of(&m->gpu, block);
	double bytes = w->dram_read_bytes + w->dram_write_bytes;
	double written = bytes > 0 ? w->dram_write_bytes / bytes : 0;
	double sector = m->gpu.llc.sector;
	double base = w->llc_sector_misses > 0 ? bytes / w->llc_sector_misses : sector;
	/* A miss fetches the whole block: the metadata has no sector bits. Write-backs
	 * scale alike. */
	double fetch = m->p.v[CT_MO_DRAM_FETCH_BYTES];
	double per_miss = fetch > 0 ? fetch / fmax(1 - written, 0.5) : base * block / sector;
	pt->dram_bytes = t->conv.sectors * base + t->misses * per_miss;
	/* Lookup; insertion behind a predicted miss; fetch and answer behind a wrong
	 * prediction (readings helper-fetches and predicted-miss-inserts); write-back of dirty victims. */
	pt->slice_out += t->hits + t->wrong + (t->misses - t->wrong) * data + t->wrong * data;
	pt->slice_in += t->hits * data + t->wrong * data + t->misses * written * data;
}

/* Each set is one warp that serves a request at a time; insertions take a turn, too. */
static void extended_stations(const struct ct_mo_model *m, const struct traffic *t,
                              const struct ct_mo_split *d, const struct ct_mo_helper_times *h,
                              struct ct_perf_point *pt)
{
	double loads = m->perf.loads, beta = m->p.v[CT_MO_SETS_BETA], asked = 0;
	double wrong = t->misses > 0 ? t->wrong / t->misses : 0;
	pt->n_extra = 0;
	for (int i = 0; i < CT_MO_SET_KINDS; i++) {
		double turns = d->requests * d->kind_share[i];
		double waited = d->requests > 0 ? d->kind_share[i] -
		                                          d->kind_misses[i] * (1 - wrong) / d->requests
		                                : 0;
		if (!(d->sets[i] > 0) || !(turns > 0))
			continue;
		asked += waited;
		pt->extra[pt->n_extra++] = (struct ct_amva_station){
			.demand = turns * h->service / loads,
			.servers = d->sets[i] / beta,
			.wait = ct_perf_any_line(&m->perf, pt->l1_miss * fmax(waited, 0)) * h->service};
	}
	pt->extra[pt->n_extra++] = (struct ct_amva_station){
		.demand = t->requests * h->port / loads,
		.servers = d->cache_sms / beta,
		.wait = ct_perf_any_line(&m->perf, pt->l1_miss * fmax(asked, 0)) * h->port};
}

/* Power of the cache-mode SMs, joule per cycle of the run. The published energy per
 * byte was measured at full throughput and holds the SM's static and instruction
 * power, the network and the LLC banks (doc/models.md section 9): nothing is added to it, and
 * at less throughput the SM still draws what an idle one does. */
static double helper_power(const struct ct_mo_model *m, double accesses, double cache_sms,
                           double seconds)
{
	const double *v = m->p.v;
	double full = v[CT_MO_EXT_PJ_PER_BYTE] * 1e-12 * v[CT_MO_EXT_GBPS] * 1e9;
	double idle = fmin(m->energy.sm_watt, full);
	double bytes = accesses * v[CT_MO_BLOCK_BYTES];
	double busy = seconds > 0 ? bytes / seconds / (cache_sms * v[CT_MO_EXT_GBPS] * 1e9) : 0;
	return cache_sms * (idle + (full - idle) * fmin(busy, 1));
}

void ct_mo_replayed_energy(const struct ct_mo_model *m, const struct ct_mo_system *s,
                           const struct ct_replay_counts *c, double extended_accesses,
                           struct ct_mo_estimate *x)
{
	struct ct_energy_run run;
	double sector = m->gpu.llc.sector;
	energy_run(m, s, x, &run);
	run.llc_bytes = (double)c->llc_accesses * sector;
	run.noc_bytes = (double)(c->noc_request_busy + c->noc_reply_busy) * sector;
	run.extra_joule = x->cache_sms > 0 ? run.seconds * helper_power(m, extended_accesses,
	                                                                x->cache_sms, run.seconds)
	                                   : 0;
	x->joule = ct_energy_joule(&m->energy, &run);
	x->watt = run.seconds > 0 ? x->joule / run.seconds : 0;
}

/* A system with SMs in cache mode: splits the requests between both parts of the LLC, then solves for the time
 * and charges the energy of the helpers. */
static int estimate_extended(struct ct_mo_model *m, const struct ct_mo_system *s, unsigned sms,
                             struct ct_mo_estimate *x, struct ct_error *e)
{
	const struct ct_mo_split *d;
	int st = split_at(m, s->compression, sms, &d, e);
	if (st != CT_OK)
		return st;
	struct ct_perf_point pt;
	struct ct_mo_helper_times h = ct_mo_helper_times(m, s);
	ct_perf_conventional(&m->perf, &m->gpu, sms, d->conv_lines + d->ext_lines, &pt);
	override_latencies(m, &pt);
	pt.slice_beta = m->p.v[CT_MO_SLICE_BETA];
	struct traffic t = {.requests = d->requests * d->ext_share, .misses = d->ext_misses};
	t.hits = fmax(t.requests - t.misses, 0);
	t.wrong = t.misses * predicted_hits(s, d);
	/* A conventional set takes its ways' share of all lines, too. */
	ct_llc_misses(&m->perf.llc, m->w, sms, d->conv_lines + d->ext_lines, m->gpu.llc.ways, 1,
	              &t.conv);
	t.conv.lines *= 1 - d->ext_share;
	t.conv.sectors *= 1 - d->ext_share;
	extended_classes(m, &t, d, &h, &pt);
	extended_traffic(m, &t, &pt);
	pt.llc_sectors *= 1 - d->ext_share;
	extended_stations(m, &t, d, &h, &pt);
	x->llc_bytes = d->conv_lines * m->gpu.llc.line;
	x->extended_bytes = d->ext_lines * m->p.v[CT_MO_BLOCK_BYTES];
	x->llc_requests = d->requests;
	x->llc_misses = t.conv.sectors + t.misses * m->perf.llc.sectors_per_request;
	x->extended_hit_rate = t.requests > 0 ? t.hits / t.requests : NAN;
	x->given_miss = t.misses > 0 ? t.wrong / t.misses : 0;
	x->stale = d->stale;
	x->alias = d->alias;
	x->compression_ratio = m->kernel[s->compression].ratio;
	x->dead = d->dead;
	x->crowded = d->crowded;
	x->simulated = d->simulated;
	/* The power of the helpers depends on the time that it is divided by. */
	struct ct_perf_result r;
	ct_perf_eval(&m->perf, &pt, &r);
	double seconds = r.cycles / (m->gpu.core_mhz * 1e6);
	double watt = helper_power(m, t.hits + t.misses, d->cache_sms, seconds);
	finish_estimate(m, s, &pt, &r, watt, x);
	return CT_OK;
}

int ct_mo_estimate_at(struct ct_mo_model *m, const struct ct_mo_system *s, unsigned sms,
                      struct ct_mo_estimate *x, struct ct_error *e)
{
	memset(x, 0, sizeof *x);
	x->compute_sms = sms;
	if (!s->extended || sms >= m->gpu.sms) {
		struct ct_mo_system plain = *s;
		int st = estimate_conventional(m, s->extended ? &plain : s, sms, x);
		if (s->extended) {
			x->compression_ratio = m->kernel[s->compression].ratio;
			x->given_miss = 0;
		}
		return st;
	}
	x->cache_sms = m->gpu.sms - sms;
	return estimate_extended(m, s, sms, x, e);
}

/* Least gain that moves SMs to another mode: below it is the noise of the curves. */
static const double WORTH_IT = 0.005;

unsigned ct_mo_fewest_sms(const struct ct_mo_model *m, const struct ct_mo_system *s)
{
	return s->extended ? m->min_sms : (m->gpu.sms * 10 + 67) / 68;
}

int ct_mo_estimate_best(struct ct_mo_model *m, const struct ct_mo_system *s, struct ct_mo_estimate *out,
                        struct ct_error *e)
{
	if (s->as_ibl) {
		int st = ct_mo_estimate_best(m, &SYSTEMS[1], out, e);
		return st == CT_OK ? ct_mo_estimate_at(m, s, (unsigned)out->compute_sms, out, e) : st;
	}
	int st = ct_mo_estimate_at(m, s, m->gpu.sms, out, e);
	double lent = 0;
	for (unsigned n = m->gpu.sms; s->best_sms && st == CT_OK && n-- > ct_mo_fewest_sms(m, s);) {
		struct ct_mo_estimate x;
		st = ct_mo_estimate_at(m, s, n, &x, e);
		if (st != CT_OK)
			break;
		lent = fmax(lent, x.ipc);
		if (x.ipc > out->ipc * (1 + WORTH_IT))
			*out = x;
	}
	out->lent_ipc = lent;
	return st;
}

int ct_mo_estimate_configured(struct ct_mo_model *m, struct ct_mo_estimate *out, struct ct_error *e)
{
	static const struct ct_mo_system PLAIN = {.name = "configured", .llc_factor = 1};
	return ct_mo_estimate_at(m, &PLAIN, m->gpu.sms, out, e);
}
