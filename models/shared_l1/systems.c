#include "models/shared_l1/systems.h"

#include <math.h>
#include <string.h>

#include "models/shared_l1/camping.h"
#include "models/shared_l1/traffic.h"
#include "models/shared_l1/watch.h"

/* clang-format off */
static const struct ct_sl_system SYSTEMS[CT_SL_SYSTEMS] = {
	{ .name = "Private", .l1_factor = 1, .llc_factor = 1 },
	{ .name = "16x-L1", .l1_factor = 16, .llc_factor = 1 },
	{ .name = "Hypothetical", .l1_factor = 1, .llc_factor = 1, .shared = 1, .ideal = 1 },
	{ .name = "Shared", .l1_factor = 1, .llc_factor = 1, .shared = 1 },
	{ .name = "Shared+Chunk", .l1_factor = 1, .llc_factor = 1, .shared = 1, .chunk = 1 },
	{ .name = "Shared++", .l1_factor = 1, .llc_factor = 1, .shared = 1, .chunk = 1, .min = 1 },
	{ .name = "DynAMAT", .l1_factor = 1, .llc_factor = 1, .shared = 1, .chunk = 1, .min = 1, .dynamic = 1, .by = CT_SL_BY_AMAT },
	{ .name = "DynAMAT+L1MRpr", .l1_factor = 1, .llc_factor = 1, .shared = 1, .chunk = 1, .min = 1, .dynamic = 1, .guard = 1, .by = CT_SL_BY_AMAT },
	{ .name = "DynEB-noguard", .l1_factor = 1, .llc_factor = 1, .shared = 1, .chunk = 1, .min = 1, .dynamic = 1, .by = CT_SL_BY_EB },
	{ .name = "DynEB", .l1_factor = 1, .llc_factor = 1, .shared = 1, .chunk = 1, .min = 1, .dynamic = 1, .guard = 1, .by = CT_SL_BY_EB },
	{ .name = "Best", .l1_factor = 1, .llc_factor = 1, .best = 1 },
	{ .name = "Private-2x", .l1_factor = 2, .llc_factor = 1 },
	{ .name = "Private-2x-L2", .l1_factor = 1, .llc_factor = 2 },
	{ .name = "Private+", .l1_factor = 1, .llc_factor = 1, .plus = 1 },
	{ .name = "Ideal-L1", .l1_factor = 1, .llc_factor = 1, .never_misses = 1 },
};
/* clang-format on */

const struct ct_sl_system *ct_sl_system_at(size_t i)
{
	return i < CT_SL_SYSTEMS ? &SYSTEMS[i] : NULL;
}

int ct_sl_system_find(const char *name)
{
	for (int i = 0; i < CT_SL_SYSTEMS; i++)
		if (!strcmp(SYSTEMS[i].name, name))
			return i;
	return -1;
}

double ct_sl_sharing_bytes(const struct ct_sl_params *p, int dynamic)
{
	/* the home's input and output queue */
	return 2 * p->v[CT_SL_QUEUE_DEPTH] * p->v[CT_SL_QUEUE_ENTRY] +
	       (dynamic ? 4 * p->v[CT_SL_COUNTERS] : 0);
}

uint32_t ct_sl_plus_ways(const struct ct_gpu *g, const struct ct_sl_params *p)
{
	double way = (double)g->l1.sets * g->l1.line;
	return (uint32_t)floor(ct_sl_sharing_bytes(p, 1) / way + 0.5);
}

const char *ct_sl_station_name(size_t i)
{
	static const char *const extra[] = {"request network", "reply network", "home L1s", "butterfly"};
	if (i >= CT_PERF_STATIONS && i < CT_PERF_STATIONS + sizeof extra / sizeof extra[0])
		return extra[i - CT_PERF_STATIONS];
	return ct_perf_station_name(i);
}

/* ---- what the profile says ---- */

/* The range of such misses: as counted, or where the profile is too old for that, as wide as the
 * histograms' (which had `were` misses). */
static void use_order(const struct ct_sl_watch_counts *c, double were, struct ct_sl_rates *r)
{
	double now = r->read_misses + r->write_misses, lines = r->read_lines + r->write_lines;
	double all = c->reads + c->writes;
	if (isfinite(c->misses_low) && isfinite(c->misses_high) && all > 0) {
		r->misses_low = c->misses_low / all * lines;
		r->misses_high = c->misses_high / all * lines;
		r->edge = c->edge / all * lines;
		return;
	}
	r->misses_low = fmax(now - fmax(were - r->misses_low, 0), 0);
	r->misses_high = fmin(now + fmax(r->misses_high - were, 0), lines);
}

/* Exact misses in the place of the histograms', where the profile holds them. */
static int use_watched(const struct ct_profile *p, enum ct_sl_watched which, struct ct_sl_rates *r)
{
	struct ct_sl_watch_counts c, all;
	double were = r->read_misses + r->write_misses;
	if (!ct_sl_watch_read(p, which, &c) || !ct_sl_watch_read(p, CT_SL_WATCH_PRIVATE, &all))
		return 0;
	/* A sampled pass has seen only some of the accesses that the histograms stand for. */
	double reads = all.reads > 0 ? r->read_lines / all.reads : 0;
	double writes = all.writes > 0 ? r->write_lines / all.writes : 0;
	r->read_lines = c.reads * reads;
	r->write_lines = c.writes * writes;
	r->read_misses = c.read_misses * reads;
	r->write_misses = c.write_misses * writes;
	use_order(&c, were, r);
	if (were > 0) /* sectors go with the lines */
		r->sector_misses = fmin(r->sector_misses * (r->read_misses + r->write_misses) / were,
		                        r->sectors);
	if (c.copies > 0) {
		r->fills = c.read_misses;
		r->replicated = c.replicated;
		r->copies = c.copies;
	}
	return 1;
}

/* What the replay itself counted of the private L1s as configured. */
static void use_replayed(const struct ct_profile *p, struct ct_sl_rates *r)
{
	double fills, replicated, copies;
	if (!ct_profile_get(p, "all", "line_fills", &fills) ||
	    !ct_profile_get(p, "all", "replicated_misses", &replicated) ||
	    !ct_profile_get(p, "all", "line_copies", &copies))
		return;
	r->fills = fills;
	r->replicated = replicated;
	r->copies = copies;
}

static double scaled_by(double v, double now, double then)
{
	return then > 0 ? v * now / then : v;
}

/* Private L1s with more ways: what is known of those in force, moved as the histograms say. */
static void use_plus(const struct ct_sl_curves *c, const struct ct_profile *p, const struct ct_gpu *g,
                     const struct ct_sl_params *params, struct ct_sl_inputs *in)
{
	struct ct_sl_rates was, now;
	struct ct_l1_parts parts;
	ct_sl_parts(p, g, 1, &parts);
	ct_sl_private(c, &parts, &was);
	ct_sl_parts_add(g, ct_sl_plus_ways(g, params), &parts);
	ct_sl_private(c, &parts, &now);
	struct ct_sl_rates *r = &in->plus;
	double misses = was.read_misses + was.write_misses, left = now.read_misses + now.write_misses;
	*r = in->priv;
	r->read_misses = scaled_by(r->read_misses, now.read_misses, was.read_misses);
	r->write_misses = scaled_by(r->write_misses, now.write_misses, was.write_misses);
	r->misses_low = scaled_by(r->misses_low, left, misses);
	r->misses_high = scaled_by(r->misses_high, left, misses);
	r->sector_misses = scaled_by(r->sector_misses, now.sector_misses, was.sector_misses);
	r->fills = scaled_by(r->fills, now.read_misses, was.read_misses);
	r->replicated = scaled_by(r->replicated, now.replicated, was.replicated);
	r->copies = scaled_by(r->copies, now.copies, was.copies);
}

static int same_l1(const struct ct_gpu *a, const struct ct_gpu *b)
{
	return a->l1.size == b->l1.size && a->l1.sets == b->l1.sets && a->l1.ways == b->l1.ways &&
	       a->l1_adaptive == b->l1_adaptive && a->unified_bytes == b->unified_bytes;
}

/* What was watched of the dynamic schemes holds for the constants of params.c only. */
static int as_watched(const struct ct_gpu *replayed, const struct ct_gpu *g,
                      const struct ct_sl_params *p)
{
	static const enum ct_sl_key matter[] = {
		CT_SL_SAMPLING,    CT_SL_EXECUTION,      CT_SL_GUARD,           CT_SL_CORE_LLC_CYCLES,
		CT_SL_HOME_CYCLES, CT_SL_FORWARD_CYCLES, CT_SL_BUTTERFLY_RADIX, CT_SL_COUNT};
	struct ct_sl_params usual;
	ct_sl_defaults(&usual);
	for (size_t i = 0; i < sizeof matter / sizeof matter[0]; i++)
		if (p->v[matter[i]] < usual.v[matter[i]] || p->v[matter[i]] > usual.v[matter[i]])
			return 0;
	enum ct_sl_network n = p->network == CT_SL_NET_AUTO ? ct_sl_network_of(g) : p->network;
	return ct_sl_network_of(replayed) == n;
}

/* The pass counts copies as if lines came at once: of lines that many SMs wait for together, all but
 * the first would be replicated. The replay counts when a line has come (reading seen-at-fill). What that
 * makes of private L1s is known, and taken over for the schemes, whose L1s are as large. Larger ones wait
 * less: theirs is the other end of a range. */
static void use_landed(const struct ct_profile *p, const struct ct_sl_watch_counts *all,
                       struct ct_sl_inputs *in)
{
	struct ct_sl_rates r = {.fills = 0};
	use_replayed(p, &r);
	if (!(r.fills > 0 && all->replicated > 0 && all->copies > all->read_misses))
		return;
	in->landed_replicated = r.replicated / r.fills / (all->replicated / all->read_misses);
	in->landed_copies = (r.copies / r.fills - 1) / (all->copies / all->read_misses - 1);
}

/* Shared L1s; with Min(H,L2) and dynamic ones as far as what was watched is what is asked. */
static void use_homes(const struct ct_profile *p, const struct ct_gpu *replayed, const struct ct_gpu *g,
                      const struct ct_sl_params *params, struct ct_sl_inputs *in)
{
	struct ct_sl_watch_counts all;
	in->min = in->shared;
	use_watched(p, CT_SL_WATCH_SHARED, &in->shared);
	if (ct_sl_network_of(replayed) != CT_SL_NET_MESH || !use_watched(p, CT_SL_WATCH_MIN, &in->min))
		in->min.read_lines = NAN;
	in->has_dynamic = as_watched(replayed, g, params) &&
	                  ct_sl_watch_read(p, CT_SL_WATCH_PRIVATE, &all);
	for (int i = 0; i < CT_SL_SCHEMES && in->has_dynamic; i++)
		in->has_dynamic = ct_sl_watch_read(
			p, (enum ct_sl_watched)(CT_SL_WATCH_DYNAMAT + i), &in->dynamic[i]);
	in->watched = all.reads + all.writes;
}

void ct_sl_inputs_from(struct ct_sl_inputs *in, const struct ct_sl_curves *c, const struct ct_profile *p,
                       const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                       const struct ct_sl_params *params)
{
	static const char *const useful[] = {
		"useful_bytes_32", "useful_bytes_64", "useful_bytes_96", "useful_bytes_128"};
	static const char *const load[] = {"home_load_mod", "home_load_fold", "home_load_hash"};
	struct ct_sl_watch_counts all;
	struct ct_l1_parts parts;
	ct_sl_parts(p, replayed, 1, &parts);
	ct_sl_private(c, &parts, &in->replayed);
	ct_sl_parts(p, gpu, 1, &parts);
	ct_sl_private(c, &parts, &in->priv);
	ct_sl_shared(c, &parts, gpu->sms, params->homes, &in->shared);
	in->l1_bytes = 0;
	for (unsigned i = 0; i < parts.n; i++)
		in->l1_bytes += parts.part[i].share * (double)parts.part[i].bytes;
	ct_sl_parts(p, gpu, 2, &parts);
	ct_sl_private(c, &parts, &in->priv2);
	ct_sl_parts(p, gpu, 16, &parts);
	ct_sl_private(c, &parts, &in->priv16);
	use_watched(p, CT_SL_WATCH_PRIVATE, &in->replayed);
	in->min.read_lines = NAN;
	in->has_dynamic = 0;
	in->landed_replicated = in->landed_copies = 1;
	if (same_l1(replayed, gpu)) {
		use_watched(p, CT_SL_WATCH_PRIVATE, &in->priv);
		use_replayed(p, &in->priv);
		ct_sl_rates_exact(&in->priv);
		use_watched(p, CT_SL_WATCH_PRIVATE_2X, &in->priv2);
		use_watched(p, CT_SL_WATCH_PRIVATE_16X, &in->priv16);
		if (ct_sl_watch_read(p, CT_SL_WATCH_PRIVATE, &all))
			use_landed(p, &all, in);
		if (params->homes == CT_SL_HOMES_MOD)
			use_homes(p, replayed, gpu, params, in);
	}
	use_plus(c, p, gpu, params, in);
	in->has_first = ct_sl_watch_read_first(p, &in->first);
	if (!ct_profile_get_im(p, "all", "home_camping", &in->home_camping))
		in->home_camping = NAN;
	if (!ct_profile_get_im(p, "all", ct_sl_odd_sets, &in->home_odd))
		in->home_odd = NAN;
	if (!ct_profile_get_im(p, "all", "l1_requests", &in->requests))
		in->requests = NAN;
	if (!ct_profile_get_im(p, "all", "l1_line_misses", &in->request_misses))
		in->request_misses = NAN;
	for (int i = 0; i < 4; i++)
		if (!ct_profile_get(p, "all", useful[i], &in->useful[i]))
			in->useful[i] = NAN;
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++) {
		if (!ct_profile_get_im(p, "all", load[i], &in->home_load[i]))
			in->home_load[i] = NAN;
		if (!ct_profile_get_im(p, "all", ct_sl_home_own[i], &in->home_own[i]))
			in->home_own[i] = NAN;
	}
}

int ct_sl_inputs_read(struct ct_sl_inputs *in, const struct ct_profile *p, const struct ct_gpu *replayed,
                      const struct ct_gpu *gpu, const struct ct_sl_params *params, struct ct_error *e)
{
	struct ct_sl_curves *c;
	int st = ct_sl_curves_load(&c, p, e);
	if (st != CT_OK)
		return st;
	ct_sl_inputs_from(in, c, p, replayed, gpu, params);
	ct_sl_curves_free(c);
	return CT_OK;
}

/* ---- the model ---- */

static void energy_run(const struct ct_sl_model *m, const struct ct_sl_estimate *x,
                       struct ct_energy_run *run)
{
	const struct ct_gpu *g = &m->replayed;
	double flit = g->noc_flits_as_one ? g->llc.sector : g->noc_flit_bytes;
	*run = (struct ct_energy_run){
		.seconds = x->cycles / (m->gpu.core_mhz * 1e6),
		.sms = m->gpu.sms,
		.llc_bytes = x->llc_bytes_moved,
		/* The GPU's energy per byte is that of the way between core and LLC. */
		.noc_bytes = m->noc.llc_hops > 0 ? x->flit_hops / m->noc.llc_hops * flit : 0,
		.dram_bytes = x->dram_bytes,
	};
}

void ct_sl_energy(const struct ct_sl_model *m, struct ct_sl_estimate *x)
{
	struct ct_energy_run run;
	energy_run(m, x, &run);
	run.extra_joule = x->l1_bytes_moved * m->p.v[CT_SL_L1_PJ_PER_BYTE] * 1e-12;
	x->joule = ct_energy_joule(&m->energy, &run);
	x->watt = run.seconds > 0 ? x->joule / run.seconds : 0;
}

/* The network that the replayed GPU had. */
static void replayed_stations(void *ctx, struct ct_perf_point *pt)
{
	struct ct_sl_model own = *(const struct ct_sl_model *)ctx;
	struct ct_sl_inputs in = *own.in;
	struct ct_sl_traffic t;
	in.priv = in.replayed;
	own.in = &in;
	own.gpu = own.replayed;
	ct_sl_traffic_private(&own, &SYSTEMS[CT_SL_PRIVATE], &t);
	ct_sl_traffic_stations(&own, &t, pt);
}

/* On a mesh: placed as by default, which is what a profile watches. */
static int usual_place(const struct ct_sl_noc *n)
{
	struct ct_sl_place d;
	struct ct_error e;
	if (n->kind != CT_SL_NET_MESH)
		return 1;
	return ct_sl_place_default(&d, n->cores, n->partitions, &e) == CT_OK &&
	       d.side == n->place.side && !memcmp(d.core, n->place.core, n->cores * sizeof d.core[0]) &&
	       !memcmp(d.partition, n->place.partition, n->partitions * sizeof d.partition[0]);
}

int ct_sl_model_init(struct ct_sl_model *m, const struct ct_workload *w, const struct ct_sl_inputs *in,
                     const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                     const struct ct_sl_params *p, const struct ct_sl_place *place,
                     enum ct_perf_anchor how, struct ct_error *e)
{
	memset(m, 0, sizeof *m);
	m->w = w;
	m->in = in;
	m->replayed = *replayed;
	m->gpu = *gpu;
	m->p = *p;
	m->trip_factor = 1;
	if (p->network == CT_SL_NET_AUTO)
		m->p.network = ct_sl_network_of(gpu);
	int st = ct_sl_noc_init(&m->noc, m->p.network, gpu, p, place, e);
	/* A replay on a mesh has met the mesh. */
	int met = m->p.network == CT_SL_NET_MESH && ct_sl_network_of(replayed) == CT_SL_NET_MESH;
	if (st == CT_OK)
		st = ct_perf_calibrate_with(
			&m->perf, w, replayed, how, met ? replayed_stations : NULL, m, e);
	if (st != CT_OK) {
		ct_sl_model_free(m);
		return st;
	}
	m->as_watched = usual_place(&m->noc);
	m->perf.t_l1 += (double)gpu->l1_latency - replayed->l1_latency;
	m->beta = p->v[CT_SL_HOME_BETA];
	if (!(m->beta > 0))
		m->beta = in->home_load[p->homes];
	if (!(m->beta >= 1))
		m->beta = ct_sl_homes_beta(p->homes, gpu->sms);
	/* Measured for mod; a hash spreads neighbouring tags, but not one hot line. */
	m->camping = fmax(m->beta, 1);
	if (p->homes != CT_SL_HOMES_HASH && in->home_camping >= 1 && !(p->v[CT_SL_HOME_BETA] > 0))
		m->camping = fmax(m->camping, ct_sl_camping_beta(in->home_camping, gpu->sms));
	m->remote = m->noc.remote;
	if (in->home_own[p->homes] >= 0 && in->home_own[p->homes] <= 1 && gpu->sms == replayed->sms)
		m->remote = 1 - in->home_own[p->homes];
	struct ct_sl_traffic t;
	struct ct_sl_estimate base;
	struct ct_energy_run run;
	memset(&base, 0, sizeof base);
	ct_sl_traffic_private(m, &SYSTEMS[CT_SL_PRIVATE], &t);
	ct_sl_traffic_counts(m, &t, &base);
	base.cycles = w->cycles;
	base.dram_bytes = w->dram_read_bytes + w->dram_write_bytes;
	energy_run(m, &base, &run);
	ct_energy_split(&m->energy, gpu, p->v[CT_SL_CONSTANT_WATT], p->v[CT_SL_STATIC_SHARE], &run);
	return CT_OK;
}

void ct_sl_model_free(struct ct_sl_model *m)
{
	ct_sl_noc_free(&m->noc);
}

/* ---- systems ---- */

/* What the counters of a core would hold if the whole run were one sampling group. */
static void group_of(const struct ct_sl_model *m, const struct ct_sl_traffic *t, struct ct_sl_group *g)
{
	double per_core = 1.0 / m->gpu.sms, own = (t->reads + t->writes) * per_core;
	double misses = t->miss_rate;
	double remote = t->remote - t->past, local = 1 - t->remote;
	*g = (struct ct_sl_group){
		.local = own * local,
		.local_misses = own * local * misses,
		.remote = own * remote,
		.remote_misses = own * remote * misses,
		.served = own * (1 - t->past),
		.served_misses = own * (1 - t->past) * misses,
		.llc_replies = (t->fills + t->writes * (1 - t->past)) * per_core,
		.home_replies = own * remote,
		.past = own * t->past * m->p.v[CT_SL_EB_PAST],
	};
}

static void latencies_of(const struct ct_gpu *g, const struct ct_sl_params *p, double trip,
                         struct ct_sl_latencies *l)
{
	double own = g->l1_latency;
	*l = (struct ct_sl_latencies){own, own + trip, own + p->v[CT_SL_CORE_LLC_CYCLES]};
}

void ct_sl_scheme_of(const struct ct_sl_system *s, const struct ct_gpu *g, const struct ct_sl_params *p,
                     const struct ct_sl_noc *n, struct ct_sl_scheme *out)
{
	*out = (struct ct_sl_scheme){
		.by = s->by,
		.guard = s->guard ? p->v[CT_SL_GUARD] : 0,
		.sampling = p->v[CT_SL_SAMPLING],
		.execution = p->v[CT_SL_EXECUTION],
		.count = ct_sl_count_of(p),
		.eb_past = p->v[CT_SL_EB_PAST] > 0};
	latencies_of(g, p, ct_sl_home_trip(n, p, s->min, 1, ct_sl_flits(g, 32)), &out->latency);
}

/* Solves for the time of a point, and fills in all that depends on it. */
static void finish_estimate(const struct ct_sl_model *m, const struct ct_sl_traffic *t,
                            const struct ct_perf_point *pt, struct ct_sl_estimate *x)
{
	struct ct_perf_result r;
	struct ct_sl_group g;
	struct ct_sl_latencies l;
	struct ct_perf perf = m->perf;
	/* What the anchor had to add to a load's latency is the wait of lines that leave for the
	 * LLC (MSHRs, queues in front of the ports): fewer of them, less wait. */
	perf.a.latency_added *= fmin(fmax(t->read_ratio, 0), 1);
	for (int i = 0; i < CT_PERF_PACED; i++)
		perf.paced[i].a.latency_added *= fmin(fmax(t->read_ratio, 0), 1);
	ct_perf_eval(&perf, pt, &r);
	x->cycles = r.cycles;
	x->ipc = r.ipc;
	x->bottleneck = r.bottleneck;
	x->utilisation = r.utilisation;
	x->yield = r.yield;
	x->dram_bytes = pt->dram_bytes;
	ct_sl_traffic_counts(m, t, x);
	x->reply_latency = ct_sl_reply_latency(m, t, r.cycles);
	group_of(m, t, &g);
	latencies_of(&m->gpu, &m->p, t->trip, &l);
	x->amat = ct_sl_amat(&g, &l);
	x->eb = ct_sl_eb(&g);
	ct_sl_energy(m, x);
}

static void estimate_static(const struct ct_sl_model *m, const struct ct_sl_system *s,
                            struct ct_sl_traffic *t, struct ct_sl_estimate *x)
{
	struct ct_perf_point pt;
	memset(x, 0, sizeof *x);
	if (s->shared)
		ct_sl_traffic_shared(m, s, t);
	else
		ct_sl_traffic_private(m, s, t);
	ct_sl_traffic_point(m, s, t, &pt);
	finish_estimate(m, t, &pt, x);
	x->sampling_share = NAN;
}

static void blend_into(double *a, double b, double weight)
{
	if (weight > 0)
		*a += weight * (b - *a);
}

/* The share of the second of two parts that count with the weights `a` and `b`; 0 where both are 0. */
static double share_of_second(double a, double b)
{
	return a + b > 0 ? b / (a + b) : 0;
}

/* A run of which the share `weight` is spent as in b. */
static void mix_runs(struct ct_sl_estimate *a, const struct ct_sl_estimate *b, double weight)
{
	/* Rates are over the accesses that reach an L1, replicas over the misses. */
	double reach = share_of_second(
		(1 - weight) * (1 - a->past_fraction), weight * (1 - b->past_fraction));
	double misses = share_of_second(
		(1 - weight) * a->l1_sector_misses, weight * b->l1_sector_misses);
	blend_into(&a->replication_ratio, b->replication_ratio, misses);
	blend_into(&a->replicas, b->replicas, misses);
	blend_into(&a->replication_other, b->replication_other, misses);
	blend_into(&a->replicas_other, b->replicas_other, misses);
	blend_into(&a->cycles, b->cycles, weight);
	blend_into(&a->l1_sector_misses, b->l1_sector_misses, weight);
	blend_into(&a->l1_miss_rate, b->l1_miss_rate, reach);
	blend_into(&a->l1_request_miss_rate, b->l1_request_miss_rate, reach);
	blend_into(&a->miss_low, b->miss_low, reach);
	blend_into(&a->miss_high, b->miss_high, reach);
	blend_into(&a->edge_fraction, b->edge_fraction, reach);
	blend_into(&a->llc_misses, b->llc_misses, weight);
	blend_into(&a->remote_fraction, b->remote_fraction, weight);
	blend_into(&a->past_fraction, b->past_fraction, weight);
	blend_into(&a->reply_latency, b->reply_latency, weight);
	blend_into(&a->home_bytes, b->home_bytes, weight);
	blend_into(&a->flit_hops, b->flit_hops, weight);
	for (int f = 0; f < CT_SL_FLOWS; f++)
		blend_into(&a->flits[f], b->flits[f], weight);
	blend_into(&a->dram_bytes, b->dram_bytes, weight);
	blend_into(&a->l1_bytes_moved, b->l1_bytes_moved, weight);
	blend_into(&a->llc_bytes_moved, b->llc_bytes_moved, weight);
	blend_into(&a->joule, b->joule, weight);
}

/* What a profile's pass has seen of a dynamic scheme, in the place of what was mixed. */
static void use_dynamic(const struct ct_sl_model *m, const struct ct_sl_watch_counts *c,
                        struct ct_sl_estimate *x)
{
	double reach = c->reads + c->writes, misses = c->read_misses + c->write_misses;
	double mixed = x->l1_request_miss_rate;
	x->l1_request_miss_rate = reach > 0 ? misses / reach : 0;
	x->miss_low = fmax(x->l1_request_miss_rate - (mixed - x->miss_low), 0);
	x->miss_high = fmin(x->l1_request_miss_rate + x->miss_high - mixed, 1);
	if (reach > 0 && isfinite(c->misses_low) && isfinite(c->misses_high)) {
		x->miss_low = c->misses_low / reach;
		x->miss_high = c->misses_high / reach;
		x->edge_fraction = c->edge / reach;
	}
	x->past_fraction = 1 - reach / m->in->watched;
	if (mixed > 0)
		x->l1_miss_rate = fmin(x->l1_miss_rate * (x->l1_request_miss_rate / mixed), 1);
	double replicated = c->replicated / c->read_misses, more = c->copies / c->read_misses - 1;
	int any = c->read_misses > 0;
	x->replication_ratio = any ? fmin(replicated * m->in->landed_replicated, 1) : NAN;
	x->replicas = any ? 1 + more * m->in->landed_copies : NAN;
	x->replication_other = any ? replicated : NAN;
	x->replicas_other = any ? 1 + more : NAN;
	x->sampling_share = c->sampled / m->in->watched;
}

/* A scheme whose rates order decides may choose otherwise than the pass has seen. */
static void may_choose(const struct ct_sl_estimate *private_x, const struct ct_sl_estimate *shared_x,
                       struct ct_sl_estimate *x)
{
	if (!ct_sl_order_sensitive(x->edge_fraction))
		return;
	x->miss_low = fmin(x->miss_low, fmin(private_x->miss_low, shared_x->miss_low));
	x->miss_high = fmax(x->miss_high, fmax(private_x->miss_high, shared_x->miss_high));
}

/* The share of the loads of a sampling phase that its shared sets serve. */
static double odd_share(const struct ct_sl_model *m)
{
	const double odd = m->in->home_odd;
	return odd >= 0 && odd <= 1 && m->gpu.l1.set_hash == m->replayed.l1.set_hash ? odd : 0.5;
}

/* Cycles of a dynamic scheme, of which the odd sets' share of each sampling phase counts as shared so far. A load waits for all of
 * its lines, a warp for its loads on the way, and a CTA for its slowest warp: one of them in the shared group makes all as slow, as
 * far as sharing costs latency, not throughput. This is so where sets are numbered by low bits of the address, which puts the
 * lines of a warp that reads at strides of a power of two into one group. The request ports of the slices do not count as throughput: the
 * anchor takes bursts that wait there for their limit, and replays that wait for them (HeCBench's f16max, blockexchange and
 * babelstream) are as slow while they sample as with all sets shared. */
static double wait_for_slower_group(const struct ct_sl_model *m, const struct ct_sl_estimate *x,
                                    const struct ct_sl_estimate *private_x,
                                    const struct ct_sl_estimate *shared_x)
{
	const double odd = odd_share(m), slower = shared_x->cycles - private_x->cycles;
	const double loads = fmax(m->w->warps_per_cta, 1) * fmax(m->w->mem_parallelism, 1);
	const double waiting = 1 - pow(1 - ct_perf_any_line(&m->perf, odd), loads) - odd;
	const double more = x->sampling_share * waiting * slower;
	if (m->gpu.l1.set_hash != CT_HASH_LINEAR || !(more > 0))
		return x->cycles;
	const double busy = shared_x->bottleneck == CT_PERF_SLICE_IN ? 0 : shared_x->utilisation;
	return fmin(x->cycles + fmax(1 - busy, 0) * more, shared_x->cycles);
}

/* Executes in what it chose but for the sampling phases, whose odd sets are shared. */
static void estimate_dynamic(const struct ct_sl_model *m, int system, const struct ct_sl_traffic *pr,
                             const struct ct_sl_estimate *private_x, const struct ct_sl_traffic *sh,
                             const struct ct_sl_estimate *shared_x, struct ct_sl_estimate *x)
{
	const struct ct_sl_system *s = &SYSTEMS[system];
	const struct ct_sl_watch_counts *c = &m->in->dynamic[system - CT_SL_DYNAMAT];
	int watched = m->in->has_dynamic && m->as_watched && m->in->watched > 0;
	struct ct_sl_group a, b;
	struct ct_sl_latencies l;
	group_of(m, pr, &a);
	group_of(m, sh, &b);
	latencies_of(&m->gpu, &m->p, sh->trip, &l);
	int shared = ct_sl_decide(s->by, &a, &b, &l, s->guard ? m->p.v[CT_SL_GUARD] : 0, 0);
	if (watched && c->decisions > 0)
		shared = 2 * c->chose_shared > c->decisions;
	double active = fmin(fmax(m->w->active_sms, 1), m->gpu.sms);
	double odd = odd_share(m);
	double share = ct_sl_sampling_share(
		&m->p, 1 - sh->remote, odd, shared, (pr->reads + pr->writes) / active);
	double homed = watched  ? c->homed / m->in->watched
	               : shared ? 1 - share * (1 - odd)
	                        : share * odd;
	*x = *private_x;
	mix_runs(x, shared_x, homed);
	x->sampling_share = share;
	if (watched)
		use_dynamic(m, c, x);
	x->cycles = wait_for_slower_group(m, x, private_x, shared_x);
	may_choose(private_x, shared_x, x);
	x->ipc = x->cycles > 0 ? m->w->thread_insts / x->cycles : 0;
	double seconds = x->cycles / (m->gpu.core_mhz * 1e6);
	x->watt = seconds > 0 ? x->joule / seconds : 0;
	const struct ct_sl_estimate *chosen = shared ? shared_x : private_x;
	x->amat = chosen->amat;
	x->eb = chosen->eb;
	x->bottleneck = chosen->bottleneck;
	x->utilisation = chosen->utilisation;
	x->yield = chosen->yield;
	x->home_imbalance = shared_x->home_imbalance;
	x->chose_shared = shared;
}

void ct_sl_estimate_all(const struct ct_sl_model *m, struct ct_sl_estimate *out)
{
	struct ct_sl_traffic t[CT_SL_SYSTEMS];
	for (int i = 0; i < CT_SL_SYSTEMS; i++)
		if (!SYSTEMS[i].dynamic && !SYSTEMS[i].best)
			estimate_static(m, &SYSTEMS[i], &t[i], &out[i]);
	const struct ct_sl_estimate *pr = &out[CT_SL_PRIVATE], *sh = &out[CT_SL_SHARED_PP];
	for (int i = 0; i < CT_SL_SYSTEMS; i++) {
		if (SYSTEMS[i].dynamic)
			estimate_dynamic(m, i, &t[CT_SL_PRIVATE], pr, &t[CT_SL_SHARED_PP], sh, &out[i]);
		else if (SYSTEMS[i].best)
			out[i] = sh->cycles < pr->cycles ? *sh : *pr;
	}
}

void ct_sl_estimate_configured(const struct ct_sl_model *m, struct ct_sl_estimate *x)
{
	struct ct_sl_model own = *m;
	struct ct_sl_traffic t;
	/* On a crossbar private L1s see nothing of a network between cores. */
	if (ct_sl_network_of(&m->gpu) != m->p.network)
		own.noc.kind = CT_SL_NET_FORWARDED;
	estimate_static(&own, &SYSTEMS[CT_SL_PRIVATE], &t, x);
}
