#include "models/shared_l1/traffic.h"

#include <math.h>
#include <string.h>

static double ratio_or(double a, double b, double otherwise)
{
	return b > 0 ? a / b : otherwise;
}

/* ---- accesses ---- */

/* Share of the read lines that left the replayed L1s. */
static double replayed_miss(const struct ct_workload *w)
{
	return ratio_or(w->l1_read_misses, w->l1_read_sectors, 0);
}

static double read_miss(const struct ct_sl_rates *r)
{
	return ratio_or(r->read_misses, r->read_lines, 0);
}

/* The replay's rate, moved as the histograms say. */
static double anchored_rate(double replay, double now, double then, double most)
{
	return then > 0 ? fmin(replay * now / then, most) : fmin(now, most);
}

/* Min(H,L2) as the profile's pass has seen it. */
static int min_watched(const struct ct_sl_model *m, const struct ct_sl_system *s)
{
	return s->min && m->noc.kind == CT_SL_NET_MESH && m->as_watched &&
	       m->in->min.read_lines + m->in->min.write_lines > 0;
}

static const struct ct_sl_rates *rates_of(const struct ct_sl_model *m, const struct ct_sl_system *s)
{
	if (min_watched(m, s))
		return &m->in->min;
	if (s->shared)
		return &m->in->shared;
	if (s->plus)
		return &m->in->plus;
	if (s->l1_factor >= 16)
		return &m->in->priv16;
	return s->l1_factor >= 2 ? &m->in->priv2 : &m->in->priv;
}

/* Homes of many ways: what nobody has read yet as counted, and on top of it what the histograms
 * miss for lack of room. */
static void use_first(const struct ct_sl_model *m, const struct ct_sl_rates *r, struct ct_sl_traffic *t)
{
	const struct ct_workload *w = m->w;
	const struct ct_sl_firsts *f = &m->in->first;
	double all = ratio_or(m->in->requests, f->requests, 1); /* a sampled pass sees fewer */
	double room = ratio_or(r->read_misses - r->read_cold, r->read_lines, 0);
	room = fmax(room, 0);
	t->miss_rate = fmin(ratio_or(f->reads + f->writes, f->requests, t->miss_rate) + room, 1);
	t->read_miss = fmin(ratio_or(all * f->read_sectors, w->l1_read_sectors, t->read_miss) + room, 1);
	t->sector_misses = fmin(all * (f->read_sectors + f->write_sectors) + room * w->l1_sectors,
	                        w->l1_sectors);
}

/* What the L1s of a system are asked and what they miss: from the histograms or the watch of the pass, held
 * against what the replay of private L1s missed. */
static void count_accesses(const struct ct_sl_model *m, const struct ct_sl_system *s,
                           struct ct_sl_traffic *t)
{
	const struct ct_workload *w = m->w;
	const struct ct_sl_rates *r = rates_of(m, s), *then = &m->in->replayed;
	memset(t, 0, sizeof *t);
	t->llc_factor = s->llc_factor;
	t->shared = s->shared;
	t->ideal = s->ideal;
	const struct ct_sl_rates *all = s->shared ? &m->in->shared : r;
	t->reads = all->read_lines;
	t->writes = all->write_lines;
	double reach = ratio_or(r->read_lines + r->write_lines, t->reads + t->writes, 1);
	t->past = 1 - reach;
	t->miss_rate = ct_sl_miss_rate(r);
	double lines = r->read_lines + r->write_lines, misses = r->read_misses + r->write_misses;
	t->less = fmax(ratio_or(misses - r->misses_low, lines, 0), 0);
	t->more = fmax(ratio_or(r->misses_high - misses, lines, 0), 0);
	t->edge = ratio_or(r->edge, lines, 0);
	t->read_miss = anchored_rate(replayed_miss(w), read_miss(r), read_miss(then), 1);
	t->sectors = w->l1_sectors;
	double now = r->sector_misses, was = then->sector_misses;
	if (!isfinite(now) || !isfinite(was)) { /* lines have to do */
		now = r->read_misses + r->write_misses;
		was = then->read_misses + then->write_misses;
	}
	if (reach > 0)
		now /= reach; /* rates are of what reaches an L1 (reading bypass-uncounted) */
	t->sector_misses = anchored_rate(w->l1_sector_misses, now, was, w->l1_sectors);
	/* In an L1 with sectors a request misses if any of its sectors does, so that its misses go
	 * with those of the sectors. Without sectors, the replay knows better how often private L1s
	 * miss. */
	int sectors = m->replayed.l1.sector < m->replayed.l1.line;
	if ((sectors || !s->shared) && m->in->requests > 0 && m->in->request_misses >= 0)
		t->miss_rate = anchored_rate(m->in->request_misses / m->in->requests, now, was, 1);
	if (s->shared && m->in->has_first)
		use_first(m, r, t);
	t->replication = s->shared ? 0 : s->never_misses ? NAN : ratio_or(r->replicated, r->fills, NAN);
	t->replicas = s->shared ? 1 : s->never_misses ? NAN : ratio_or(r->copies, r->fills, NAN);
	if (s->never_misses)
		t->miss_rate = t->read_miss = t->sector_misses = t->less = t->more = t->edge = 0;
	int larger = !s->shared && s->l1_factor > 1;
	t->replication_other = larger ? fmin(t->replication * m->in->landed_replicated, 1)
	                              : t->replication;
	t->replicas_other = larger ? 1 + (t->replicas - 1) * m->in->landed_copies : t->replicas;
}

/* LLC sectors that no L1 has been asked for: atomics, and loads that pass the L1 by, which no organisation of the L1s
 * changes. */
static double sectors_past_l1(const struct ct_sl_model *m)
{
	const struct ct_gpu *g = &m->replayed;
	double each = fmax((double)g->l1.sector / g->llc.sector, 1);
	return fmax(m->w->llc_read_sectors - m->w->l1_read_misses * each, 0);
}

/* LLC sectors that a read line fetches when it leaves the L1. */
static double sectors_per_fill(const struct ct_sl_model *m, const struct ct_sl_traffic *t)
{
	const struct ct_workload *w = m->w;
	double gone = replayed_miss(w) * t->reads;
	return ratio_or(w->llc_read_sectors - sectors_past_l1(m), gone,
	                ratio_or(w->l1_read_sectors, t->reads, 1));
}

static void compare_traffic(const struct ct_sl_model *m, struct ct_sl_traffic *t)
{
	const struct ct_workload *w = m->w;
	double was = replayed_miss(w), writes = w->llc_sectors - w->llc_read_sectors;
	t->read_ratio = ratio_or(t->to_llc, was, 1);
	t->traffic_ratio = ratio_or(
		t->to_llc * t->reads * sectors_per_fill(m, t) + sectors_past_l1(m) + writes,
		w->llc_sectors, 1);
}

/* ---- packets ---- */

/* Flits that an LLC write costs on the way there and back, in the whole run: what the replay
 * counted less its reads. */
static void write_flits(const struct ct_sl_model *m, double *there, double *back)
{
	const struct ct_workload *w = m->w;
	double reads = w->llc_read_sectors, control = ct_sl_flits(&m->replayed, 0);
	double data = ct_sl_flits(&m->replayed, m->replayed.llc.sector);
	*there = fmax(w->noc_request_cycles - reads * control, 0);
	*back = fmax(w->noc_reply_cycles - reads * data, 0);
}

/* A reply that carries what was asked for: mean flits and bytes over the requests. */
static void chunk_size(const struct ct_sl_model *m, double *flits, double *bytes)
{
	const struct ct_gpu *g = &m->gpu;
	double chunk = m->p.v[CT_SL_CHUNK_BYTES], sum = 0;
	*flits = *bytes = 0;
	for (int i = 0; i < 4; i++) {
		double share = m->in->useful[i];
		if (!(share > 0))
			continue;
		double b = fmin(ceil(32 * (i + 1) / chunk) * chunk, g->l1.line);
		*flits += share * ct_sl_flits(g, b);
		*bytes += share * b;
		sum += share;
	}
	if (!(sum > 0)) {
		*flits = ct_sl_flits(g, g->l1.line);
		*bytes = g->l1.line;
		return;
	}
	*flits /= sum;
	*bytes /= sum;
}

static void llc_packets(const struct ct_sl_model *m, struct ct_sl_traffic *t)
{
	double control = ct_sl_flits(&m->replayed, 0);
	double data = ct_sl_flits(&m->replayed, m->replayed.llc.sector);
	double sectors = t->fills * sectors_per_fill(m, t) + sectors_past_l1(m), there, back;
	double writes = m->w->llc_sectors - m->w->llc_read_sectors, at_home = 1 - t->past;
	write_flits(m, &there, &back);
	t->packets[CT_SL_TO_LLC] = t->packets[CT_SL_FROM_LLC] = sectors + writes * at_home;
	t->flits[CT_SL_TO_LLC] = sectors * control + there * at_home;
	t->flits[CT_SL_FROM_LLC] = sectors * data + back * at_home;
}

void ct_sl_traffic_private(const struct ct_sl_model *m, const struct ct_sl_system *s,
                           struct ct_sl_traffic *t)
{
	count_accesses(m, s, t);
	t->to_llc = t->read_miss;
	t->fills = t->reads * t->read_miss;
	compare_traffic(m, t);
	llc_packets(m, t);
}

static void home_packets(const struct ct_sl_model *m, struct ct_sl_traffic *t, double chunk_flits)
{
	double control = ct_sl_flits(&m->gpu, 0), home = t->remote - t->past, there, back;
	double reads = t->reads * home, writes = t->writes * home;
	t->packets[CT_SL_TO_HOME] = t->packets[CT_SL_FROM_HOME] = reads + writes;
	t->flits[CT_SL_TO_HOME] = reads * control + writes * chunk_flits;
	t->flits[CT_SL_FROM_HOME] = reads * t->data_flits + writes * control;
	write_flits(m, &there, &back);
	reads = t->reads * t->past;
	t->packets[CT_SL_PAST_HOME] = t->packets[CT_SL_FROM_PAST] =
		reads + (m->w->llc_sectors - m->w->llc_read_sectors) * t->past;
	t->flits[CT_SL_PAST_HOME] = reads * control + there * t->past;
	t->flits[CT_SL_FROM_PAST] = reads * t->past_flits + back * t->past;
}

/* What Min(H,L2) does to the miss rate of what still reaches the homes: a core sends a line
 * either always past its home or never, so that of the k cores that read a line none is left
 * with probability b^k, and only then its first touch is spared. */
static void spare_first_touches(const struct ct_sl_model *m, struct ct_sl_traffic *t)
{
	const struct ct_sl_rates *all = &m->in->shared, *own = &m->in->priv;
	double b = t->past, cores = ratio_or(own->read_cold, all->read_cold, 1);
	double cold = fmin(ratio_or(all->read_cold, all->read_misses, 0), 1);
	if (!(b > 0) || !(b < 1))
		return;
	double more = 1 + cold * ((1 - pow(b, fmax(cores, 1))) / (1 - b) - 1);
	double reads = ratio_or(t->reads, t->reads + t->writes, 1);
	double read_share = ratio_or(read_miss(all) * reads, t->miss_rate, 0); /* of all misses */
	t->miss_rate = fmin(t->miss_rate * (1 + fmin(read_share, 1) * (more - 1)), 1);
	t->read_miss = fmin(t->read_miss * more, 1);
	t->sector_misses = fmin(t->sector_misses * more, t->sectors);
}

/* Works out the traffic step by step: how many accesses go where, what a reply carries, what reaches the LLC, and how
 * long the way to a home and back takes. */
void ct_sl_traffic_shared(const struct ct_sl_model *m, const struct ct_sl_system *s,
                          struct ct_sl_traffic *t)
{
	double chunk_flits, chunk_bytes;
	count_accesses(m, s, t);
	t->remote = m->remote;
	t->min = s->min && m->noc.kind == CT_SL_NET_MESH;
	if (!min_watched(m, s)) {
		t->past = t->min ? m->noc.past * ratio_or(m->remote, m->noc.remote, 1) : 0;
		spare_first_touches(m, t);
	}
	chunk_size(m, &chunk_flits, &chunk_bytes);
	t->data_flits = s->chunk ? chunk_flits : ct_sl_flits(&m->gpu, m->gpu.l1.line);
	t->data_bytes = s->chunk ? chunk_bytes : m->gpu.l1.line;
	t->past_flits = chunk_flits;
	t->past_bytes = chunk_bytes;
	t->to_llc = t->past + (1 - t->past) * t->read_miss;
	t->fills = t->reads * (1 - t->past) * t->read_miss;
	compare_traffic(m, t);
	llc_packets(m, t);
	if (s->ideal)
		return;
	t->trip = m->trip_factor *
	          ct_sl_home_trip(&m->noc, &m->p, t->min, ct_sl_flits(&m->gpu, 0), t->data_flits);
	home_packets(m, t, chunk_flits);
}

/* ---- the mesh ---- */

static int is_reply(int flow)
{
	return flow == CT_SL_FROM_HOME || flow == CT_SL_FROM_LLC || flow == CT_SL_FROM_PAST;
}

/* Flits at one channel of one of the two physical networks, whole run. */
static double channel_load(const struct ct_sl_model *m, const struct ct_sl_traffic *t, int reply,
                           size_t channel)
{
	double sum = 0;
	for (int f = 0; f < CT_SL_FLOWS; f++)
		if (is_reply(f) == reply && t->flits[f] > 0)
			sum += t->flits[f] * m->noc.pass[t->min][f][channel];
	return sum;
}

static size_t channel_count(const struct ct_sl_model *m)
{
	return (size_t)m->noc.place.side * m->noc.place.side * CT_MESH_CHANNELS;
}

static double peak_load(const struct ct_sl_model *m, const struct ct_sl_traffic *t, int reply)
{
	double peak = 0;
	for (size_t i = 0; i < channel_count(m); i++)
		peak = fmax(peak, channel_load(m, t, reply, i));
	return peak;
}

/* ---- the queueing network ---- */

void ct_sl_traffic_stations(const struct ct_sl_model *m, const struct ct_sl_traffic *t,
                            struct ct_perf_point *pt)
{
	double loads = m->perf.loads, clock = m->noc.clock, sms = m->gpu.sms;
	double leaving = ct_perf_any_line(&m->perf, 1 - (1 - t->remote) * (1 - t->read_miss));
	for (int i = 0; i < CT_PERF_EXTRA_MAX; i++)
		pt->extra[i] = (struct ct_amva_station){.servers = 1};
	pt->n_extra = CT_PERF_EXTRA_MAX;
	if (m->noc.kind == CT_SL_NET_MESH)
		for (int reply = 0; reply < 2; reply++) {
			double flits = reply ? fmax(t->data_flits,
			                            ct_sl_flits(&m->gpu, m->gpu.l1.sector))
			                     : 1;
			/* A packet meets one channel as loaded as the peak. */
			pt->extra[reply] = (struct ct_amva_station){
				.demand = peak_load(m, t, reply) * clock / loads,
				.servers = 1,
				.wait = leaving * flits * clock};
		}
	if (t->shared) {
		/* A home looks up a line a cycle, and its replies leave through one port; forwarded, requests and
		 * replies of a line pass the one port of its slice. */
		double port = t->flits[CT_SL_FROM_HOME] * clock;
		if (m->noc.kind == CT_SL_NET_FORWARDED)
			port += t->flits[CT_SL_TO_HOME] * clock;
		double busy = fmax(m->w->l1_requests * (1 - t->past), port);
		pt->extra[2] = (struct ct_amva_station){
			.demand = busy / loads, .servers = fmax(sms / m->camping, 1)};
	}
	if (m->noc.kind == CT_SL_NET_BUTTERFLY && t->packets[CT_SL_TO_HOME] > 0) {
		double busy = fmax(t->flits[CT_SL_TO_HOME], t->flits[CT_SL_FROM_HOME]);
		pt->extra[3] = (struct ct_amva_station){
			.demand = busy * clock / loads,
			.servers = sms,
			.wait = ct_perf_any_line(&m->perf, t->remote) * t->data_flits * clock};
	}
}

/* Flits at the ports of SMs and slices: forwarded traffic passes the slices twice, a butterfly none of them. */
static void load_ports(const struct ct_sl_model *m, const struct ct_sl_traffic *t,
                       struct ct_perf_point *pt)
{
	const double *f = t->flits;
	pt->slice_in = pt->request_packets = f[CT_SL_TO_LLC] + f[CT_SL_PAST_HOME];
	pt->slice_out = pt->reply_packets = f[CT_SL_FROM_LLC] + f[CT_SL_FROM_PAST];
	if (m->noc.kind == CT_SL_NET_BUTTERFLY)
		return;
	double home = f[CT_SL_TO_HOME] + f[CT_SL_FROM_HOME];
	if (m->noc.kind == CT_SL_NET_FORWARDED) {
		/* Up to a slice and down again, requests and replies alike. */
		pt->request_packets += home;
		pt->reply_packets += home;
		pt->slice_in += home;
		pt->slice_out += home;
	} else {
		pt->request_packets += f[CT_SL_TO_HOME];
		pt->reply_packets += f[CT_SL_FROM_HOME];
	}
}

/* The share of the loads that ask an L1: not atomics and what else passes it by. */
static double loads_of_l1(const struct ct_sl_model *m)
{
	const struct ct_workload *w = m->w;
	double reads = w->l1_requests * ratio_or(w->l1_read_sectors, w->l1_sectors, 0);
	return fmin(reads / m->perf.loads, 1);
}

/* Who serves a line that is not an own local hit. `asking`: the share of the loads that ask an L1. */
static void serve_classes(const struct ct_sl_traffic *t, double asking, double llc, double dram,
                          double t_l1, struct ct_perf_point *pt)
{
	double d = ct_perf_dram_share(pt), miss = t->read_miss;
	double remote = t->ideal ? 0 : t->remote * asking, past = t->ideal ? 0 : t->past * asking;
	double local = 1 - remote, home = remote - past, leaving = home + local * miss + past;
	double direct = local * miss + past, far = home * miss, near = home * (1 - miss);
	double cold = t->to_llc > 0 ? pt->cold * t->to_llc : 0;
	pt->l1_miss = leaving;
	pt->cls[0] = (struct ct_perf_class){near, t_l1 + t->trip, 0, 1};
	pt->cls[1] = (struct ct_perf_class){direct * (1 - d), llc, 0, 0};
	pt->cls[2] = (struct ct_perf_class){far * (1 - d), llc + t->trip, 0, 0};
	pt->cls[3] = (struct ct_perf_class){direct * d, dram, 1, 0};
	pt->cls[4] = (struct ct_perf_class){far * d, dram + t->trip, 1, 0};
	pt->n_classes = 5;
	for (unsigned i = 0; i < pt->n_classes; i++)
		pt->cls[i].share = leaving > 0 ? pt->cls[i].share / leaving : 0;
	pt->cold = leaving > 0 ? cold / leaving : 0;
	ct_perf_sort_classes(pt);
}

void ct_sl_traffic_point(const struct ct_sl_model *m, const struct ct_sl_system *s,
                         const struct ct_sl_traffic *t, struct ct_perf_point *pt)
{
	const struct ct_gpu *g = &m->gpu;
	double lines = ct_gpu_llc_lines(g) * s->llc_factor;
	ct_perf_conventional(&m->perf, g, g->sms, lines, pt);
	double llc = pt->cls[0].latency, dram = pt->cls[1].latency, wait = ct_perf_latency_beyond_l1(pt);
	if (t->read_ratio > 0 || s->never_misses)
		ct_perf_filter_l1(pt, t->read_ratio, t->traffic_ratio);
	if (s->never_misses) /* what stores write is left */
		pt->dram_bytes *= ratio_or(
			m->w->dram_write_bytes, m->w->dram_read_bytes + m->w->dram_write_bytes, 1);
	if (t->shared) {
		serve_classes(t, loads_of_l1(m), llc, dram, m->perf.t_l1, pt);
		/* Homes keep the lines of a set together, so that they are held for as long as they were. */
		pt->set_misses = ratio_or(wait, ct_perf_latency_beyond_l1(pt), 1);
		/* A warp ends when its stores are answered. */
		pt->end_wait = t->trip * ct_perf_any_line(&m->perf, t->remote - t->past) *
		               fmin(ratio_or(t->writes, m->w->warps, 0), 1);
	}
	load_ports(m, t, pt);
	ct_sl_traffic_stations(m, t, pt);
}

/* ---- counts ---- */

static double hops_of(const struct ct_sl_noc *n, const struct ct_sl_traffic *t, int flow)
{
	if (n->kind != CT_SL_NET_MESH) /* a crossing; forwarded traffic makes two */
		return n->kind == CT_SL_NET_FORWARDED &&
		                       (flow == CT_SL_TO_HOME || flow == CT_SL_FROM_HOME)
		               ? 2
		               : 1;
	if (flow == CT_SL_TO_HOME || flow == CT_SL_FROM_HOME)
		return t->min ? n->near_home_hops : n->home_hops;
	return flow == CT_SL_PAST_HOME || flow == CT_SL_FROM_PAST ? n->past_hops : n->llc_hops;
}

void ct_sl_traffic_counts(const struct ct_sl_model *m, const struct ct_sl_traffic *t,
                          struct ct_sl_estimate *x)
{
	const struct ct_workload *w = m->w;
	const struct ct_gpu *g = &m->gpu;
	struct ct_llc_misses misses;
	double lines = ct_gpu_llc_lines(g) * t->llc_factor;
	ct_llc_misses(&m->perf.llc, w, g->sms, lines, g->llc.ways, 0, &misses);
	x->llc_misses = misses.sectors;
	x->l1_sector_misses = t->sector_misses;
	x->l1_miss_rate = ratio_or(t->sector_misses, t->sectors, NAN);
	x->l1_request_miss_rate = t->miss_rate;
	x->miss_low = fmax(t->miss_rate - t->less, 0);
	x->miss_high = fmin(t->miss_rate + t->more, 1);
	x->edge_fraction = t->edge;
	x->replication_ratio = t->replication;
	x->replicas = t->replicas;
	x->replication_other = t->replication_other;
	x->replicas_other = t->replicas_other;
	x->remote_fraction = t->remote;
	x->past_fraction = t->past;
	x->home_imbalance = t->shared ? m->beta : NAN;
	x->home_bytes = t->ideal ? 0
	                         : t->reads * ((t->remote - t->past) * t->data_bytes +
	                                       t->past * t->past_bytes);
	for (int f = 0; f < CT_SL_FLOWS; f++) {
		x->flits[f] = t->flits[f];
		x->flit_hops += t->flits[f] * hops_of(&m->noc, t, f);
	}
	/* L1 accesses and fills beyond those of private L1s, whose energy the SMs' own holds. */
	double access = ratio_or(w->l1_sectors, t->reads + t->writes, 1) * g->l1.sector;
	x->l1_bytes_moved = -(t->reads + t->writes) * t->past * access +
	                    (t->fills - t->reads * replayed_miss(w)) * access;
	x->llc_bytes_moved = w->llc_sectors * t->traffic_ratio * m->replayed.llc.sector;
}

/* ---- latency of replies ---- */

static double mesh_reply(const struct ct_sl_model *m, const struct ct_sl_traffic *t, int flow,
                         double cycles)
{
	double flits = t->flits[flow] / t->packets[flow], sum = 0, clock = m->noc.clock;
	const double *pass = m->noc.pass[t->min][flow];
	for (size_t i = 0; i < channel_count(m); i++)
		if (pass[i] > 0)
			sum += pass[i] *
			       ct_channel_wait(flits, channel_load(m, t, 1, i) * clock / cycles);
	return clock * (ct_packet_time(hops_of(&m->noc, t, flow), m->noc.hop, flits) + sum);
}

/* Mean time of a reply of one flow on a crossbar or a butterfly: its way, its length and its waits. */
static double crossbar_reply(const struct ct_sl_model *m, const struct ct_sl_traffic *t, int flow,
                             double cycles)
{
	const struct ct_gpu *g = &m->gpu;
	double flits = t->flits[flow] / t->packets[flow], clock = m->noc.clock;
	if (m->noc.kind == CT_SL_NET_BUTTERFLY && flow == CT_SL_FROM_HOME) {
		const struct ct_butterfly *b = &m->noc.butterfly;
		double rho = t->flits[flow] * clock / g->sms / cycles;
		return clock * (ct_butterfly_time(b, m->noc.hop, flits) +
		                b->n * ct_butterfly_wait(b->k, flits, rho));
	}
	struct ct_perf_point pt;
	load_ports(m, t, &pt);
	double out = ct_crossbar_wait(g->llc_slices, flits, pt.slice_out / g->llc_slices / cycles);
	double in = ct_crossbar_wait(g->sms, flits, pt.reply_packets / g->sms / cycles);
	/* The latency of a slice's input holds the way there and back where the crossbar's own is
	 * that of a simulator without one. */
	double way = g->noc_latency;
	if (m->noc.kind == CT_SL_NET_FORWARDED)
		way += g->llc_latency / 2.0;
	if (flow == CT_SL_FROM_HOME) { /* two crossings */
		way = t->trip / 2;
		out *= 2;
		in *= 2;
	}
	return way + flits - 1 + out + in;
}

double ct_sl_reply_latency(const struct ct_sl_model *m, const struct ct_sl_traffic *t, double cycles)
{
	double sum = 0, packets = 0;
	for (int f = 0; f < CT_SL_FLOWS && cycles > 0; f++) {
		if (!is_reply(f) || !(t->packets[f] > 0))
			continue;
		sum += t->packets[f] * (m->noc.kind == CT_SL_NET_MESH ? mesh_reply(m, t, f, cycles)
		                                                      : crossbar_reply(m, t, f, cycles));
		packets += t->packets[f];
	}
	return packets > 0 ? sum / packets : NAN;
}
