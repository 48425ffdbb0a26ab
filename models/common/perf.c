#include "models/common/perf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numeric.h"
#include "models/common/interconnect.h"
#include "models/common/perf_load.h"

/* Accel-Sim's path from an L1 miss to the LLC's answer, beyond the two latencies
 * (doc/replay.md section 9: L2 hit = l1 + rop + 13), and of an L1 hit (+ 4). */
static const double L1_PATH = 4, LLC_PATH = 13;
static const double PARALLELISM_MAX = 64;
static const double WAIT_FACTOR_MAX = 4;
/* A station busier than this can set the pace. */
static const double BUSY = 0.5;
/* The least share of its peak that a station can be taken to yield is 1 / this. */
static const double DEMAND_FACTOR_MAX = 16;
/* The slowest station of a replayed run was busy for at most this share of it. */
static const double BUSY_MAX = 0.999;

/* Of the run: a backlog of DRAM this long counts as much as the configured efficiency. */
static const double BACKLOG_UNSURE = 0.01;

const char *ct_perf_station_name(size_t i)
{
	static const char *const name[CT_PERF_STATIONS + 1] = {
		"issue slots",     "execution units", "L1 bandwidth",      "lines of an L1 set",
		"SM request port", "SM reply port",   "LLC request ports", "LLC reply ports",
		"LLC bandwidth",   "DRAM bandwidth",  "latency",
	};
	return i < CT_PERF_STATIONS ? name[i] : name[CT_PERF_STATIONS];
}

static double positive_or(double v, double otherwise)
{
	return v > 0 && isfinite(v) ? v : otherwise;
}

static void fill_latencies(struct ct_perf *m)
{
	const struct ct_gpu *g = &m->gpu;
	double burst = g->dram_data_ratio ? (double)g->dram_burst / g->dram_data_ratio : 0;
	double command = g->dram_mhz > 0 ? g->core_mhz / g->dram_mhz : 0;
	m->t_l1 = g->l1_latency + L1_PATH;
	m->t_llc = g->l1_latency + g->llc_latency + LLC_PATH;
	m->t_dram = m->t_llc + g->dram_latency + (g->dram_rcd + g->dram_cl + burst) * command;
}

void ct_perf_latencies_ns(const struct ct_gpu *g, double *llc_hit, double *llc_miss)
{
	struct ct_perf m = {.gpu = *g};
	fill_latencies(&m);
	*llc_hit = m.t_llc * 1000 / g->core_mhz;
	*llc_miss = m.t_dram * 1000 / g->core_mhz;
}

/* Waves that begin. Profiles hold six digits: what is a whole number up to those is one. */
static double whole_waves(double waves)
{
	return ceil(waves * (1 - 1e-5));
}

/* Mean share of the warp slots in use when a launch has v waves of CTAs: the last one
 * is not full. */
static double slots_filled(double waves)
{
	return waves <= 1 ? waves : waves / whole_waves(waves);
}

/* Resident warps of all SMs when `sms` of them run the application. CTAs of a launch that fits the replayed GPU in one wave
 * were resident for a share of the longest one's time, on average: where most of them end early, those that find no slot at
 * first begin early, and the last ends so many shares later as there are waves, or with the longest. Of several waves the
 * slots hold less than their last one, not full, explains where few CTAs take much longer than the others: the rest of the
 * time is theirs on any number of SMs, as in the bound of list scheduling (Graham 1969). */
static double warps_on(const struct ct_perf *m, double sms)
{
	const struct ct_workload *w = m->w;
	double slots = fmax(positive_or(w->cta_capacity * w->warps_per_cta, m->warps), m->warps);
	double waves = positive_or(w->waves, 1), now = waves * w->sms / sms,
	       there = slots * sms / w->sms;
	if (waves <= 1) {
		double share = fmin(m->warps / (slots * waves), 1);
		return fmin(m->warps / fmax(whole_waves(now) * share, 1), there);
	}
	double even = slots_filled(waves), busy = fmin(m->warps / (slots * even), 1);
	double longer = w->sms / sms * even / slots_filled(now);
	return fmin(m->warps / (busy * longer + 1 - busy), there);
}

double ct_perf_dram_share(const struct ct_perf_point *pt)
{
	double sum = 0;
	for (unsigned i = 0; i < pt->n_classes; i++)
		sum += pt->cls[i].dram ? pt->cls[i].share : 0;
	return sum;
}

double ct_perf_latency_beyond_l1(const struct ct_perf_point *pt)
{
	double sum = 0;
	for (unsigned i = 0; i < pt->n_classes; i++)
		sum += pt->cls[i].share * pt->cls[i].latency;
	return sum;
}

void ct_perf_sort_classes(struct ct_perf_point *pt)
{
	for (unsigned i = 1; i < pt->n_classes; i++)
		for (unsigned k = i; k > 0 && pt->cls[k].latency < pt->cls[k - 1].latency; k--) {
			struct ct_perf_class c = pt->cls[k];
			pt->cls[k] = pt->cls[k - 1];
			pt->cls[k - 1] = c;
		}
}

/* Busy time of one channel per byte: the bus at the configured share of its peak. */
static double dram_cycles_per_byte(const struct ct_perf *m)
{
	double peak = ct_gpu_dram_gbps(&m->gpu) * 1e3 / m->gpu.core_mhz; /* bytes per core cycle */
	return m->gpu.dram_channels / (positive_or(peak, 1) * positive_or(m->gpu.dram_efficiency, 1));
}

/* Service of one packet or sector at a kind of server that replayed `total` busy cycles. */
static double unit_cost(double busy, double units)
{
	return busy > 0 && units > 0 ? busy / units : 0;
}

static void set_station(struct ct_amva_station *s, double demand, double servers, double wait,
                        int closed)
{
	*s = (struct ct_amva_station){
		.demand = demand, .servers = servers, .path = 0, .wait = wait, .closed = closed};
}

/* SMs that the most loaded one stands for: with c CTAs a launch on n SMs it runs
 * ceil(c / n) of them when the mean is c / n. */
static double balanced_sms(const struct ct_perf *m, double sms)
{
	double ctas = m->w->waves * m->w->cta_capacity;
	if (!(ctas > 0))
		return sms;
	return ctas / whole_waves(ctas / sms);
}

static double factor_at(const struct ct_perf *m, size_t station)
{
	return station < CT_PERF_STATIONS ? m->a.demand_factor[station]
	                                  : m->a.extra_factor[station - CT_PERF_STATIONS];
}

/* Behind the ports of the SMs. */
static int is_shared(size_t station)
{
	return station >= CT_PERF_SLICE_IN && station < CT_PERF_STATIONS;
}

/* Small factors are the last step of the search for them. */
static double yield_of(const struct ct_perf *m, size_t station, double factor)
{
	static const double slowed = 1.05;
	double peak = station == CT_PERF_DRAM ? positive_or(m->gpu.dram_efficiency, 1) : 1;
	return factor > slowed ? peak / factor : 1;
}

void ct_perf_busy_text(double utilisation, double yield, char *out, size_t n)
{
	if (yield < 1)
		snprintf(out, n, "%.0f %% busy, at %.0f %% of its peak", 100 * utilisation,
		         100 * utilisation * yield);
	else
		snprintf(out, n, "%.0f %% busy", 100 * utilisation);
}

/* The share of the time that a station can be busy: less than all of it for ports of a crossbar. Where packets are one flit, an
 * input sends several in a cycle, so that its own port never binds (doc/replay.md section 7). */
static double port_limit(const struct ct_perf *m, const struct ct_perf_point *pt, size_t station)
{
	const struct ct_gpu *g = &m->gpu;
	const double sms = fmax(pt->sms, 1), slices = g->llc_slices;
	const int several = g->noc_flits_as_one != 0;
	if (g->noc == CT_NOC_MESH)
		return 1;
	if (station == CT_PERF_SM_REPLY || (station == CT_PERF_SM_REQUEST && !several))
		return ct_crossbar_throughput(slices, sms, several);
	if (station == CT_PERF_SLICE_IN || (station == CT_PERF_SLICE_OUT && !several))
		return ct_crossbar_throughput(sms, slices, several);
	return 1;
}

/* For how long the misses of a load hold a line, if they come one after the other. */
static double held_lines(const struct ct_perf *m, const struct ct_perf_point *pt)
{
	return pt->set_misses * m->w->l1_read_misses / m->loads * ct_perf_latency_beyond_l1(pt);
}

/* Fills the stations of one configuration; all per load. factor[] gets those on their demands. */
static size_t fill_stations(const struct ct_perf *m, const struct ct_perf_point *pt,
                            struct ct_amva_station *s, double *factor)
{
	const struct ct_workload *w = m->w;
	double loads = m->loads, slices = m->gpu.llc_slices / pt->slice_beta;
	double to_llc = ct_perf_any_line_leaves(m, pt, 0), to_dram = ct_perf_any_line_leaves(m, pt, 1);
	double insts = w->warp_insts / loads, sms = balanced_sms(m, pt->sms);
	/* a flit holds a port for a cycle of the network, a lookup a slice for one of the LLC */
	double req = m->gpu.core_mhz / m->gpu.noc_mhz / pt->noc_speed;
	double llc = unit_cost(w->llc_cycles, w->llc_sectors) * m->gpu.core_mhz / m->gpu.llc_mhz /
	             pt->llc_speed;
	double dram = dram_cycles_per_byte(m) / pt->dram_speed;
	double per_request = w->llc_requests > 0 ? w->llc_sectors / w->llc_requests : 1;
	double atom = 32 * per_request;
	memset(s, 0, CT_PERF_STATIONS * sizeof *s);
	set_station(&s[CT_PERF_ISSUE], insts, sms * m->gpu.schedulers, m->parallelism * insts, 1);
	set_station(&s[CT_PERF_UNITS], w->unit_cycles / loads, sms, 0, 1);
	set_station(&s[CT_PERF_L1], m->l1_cycles / loads, sms, m->l1_cycles / loads, 1);
	set_station(&s[CT_PERF_L1_SETS], held_lines(m, pt), sms, 0, 1);
	set_station(&s[CT_PERF_SM_REQUEST], pt->request_packets * req / loads, sms,
	            to_llc * pt->request_packets * req / loads, 1);
	set_station(&s[CT_PERF_SM_REPLY], pt->reply_packets * req / loads, sms,
	            to_llc * pt->reply_packets * req / loads, 1);
	set_station(&s[CT_PERF_SLICE_IN], pt->slice_in * req / loads, slices, to_llc * req, 0);
	set_station(&s[CT_PERF_SLICE_OUT], pt->slice_out * req / loads, slices,
	            to_llc * req * per_request, 0);
	set_station(&s[CT_PERF_LLC], pt->llc_sectors * llc / loads, slices, to_llc * llc * per_request,
	            0);
	set_station(&s[CT_PERF_DRAM], pt->dram_bytes * dram / loads, m->gpu.dram_channels,
	            to_dram * dram * atom, 0);
	for (unsigned i = 0; i < pt->n_extra; i++)
		s[CT_PERF_STATIONS + i] = pt->extra[i];
	size_t n = CT_PERF_STATIONS + pt->n_extra;
	/* More banks share the work, but not what blocks them. */
	for (size_t i = 0; i < n; i++) {
		int banked = i == CT_PERF_SLICE_IN || i == CT_PERF_SLICE_OUT || i == CT_PERF_LLC;
		factor[i] = factor_at(m, i);
		const double each = banked ? 1 / pt->slices : 1;
		s[i].demand *= (factor[i] > 1 ? factor[i] - 1 + each : factor[i] * each) /
		               port_limit(m, pt, i);
	}
	for (size_t i = CT_PERF_L1; i < CT_PERF_STATIONS; i++)
		s[i].wait *= factor[i] * m->a.wait_factor;
	return n;
}

/* Solves one configuration: turns per cycle, and what the turn is made of. */
static double solve_point(const struct ct_perf *m, const struct ct_perf_point *pt, size_t *n,
                          double *latency, struct ct_amva_result *r, double *factor)
{
	struct ct_amva_station s[CT_PERF_STATIONS + CT_PERF_EXTRA_MAX];
	*n = fill_stations(m, pt, s, factor);
	double base = ct_perf_unloaded_latency(m, pt) * m->a.latency_factor + m->a.latency_added;
	double ends = pt->end_wait * positive_or(m->w->warps, 0) / m->loads;
	double think = m->parallelism * (fmax(m->a.think - m->issue_wait, 0) + ends) +
	               fmax(base - m->hidden, 0);
	double population = fmax(warps_on(m, pt->sms) * m->parallelism, 1e-9);
	if (ct_amva_solve(s, *n, think, population, r) != 0)
		return 0;
	*latency = base + r->response - r->residence[CT_PERF_ISSUE];
	return r->throughput;
}

/* The same traffic as if `misses` of the lines behind L1 waited for DRAM. */
static void with_misses(const struct ct_perf_point *pt, double misses, struct ct_perf_point *out)
{
	double now = ct_perf_dram_share(pt);
	*out = *pt;
	for (unsigned i = 0; i < pt->n_classes; i++) {
		double of = pt->cls[i].dram ? now : 1 - now, to = pt->cls[i].dram ? misses : 1 - misses;
		out->cls[i].share = of > 0 ? pt->cls[i].share / of * to : 0;
	}
	if (now > 0)
		out->dram_bytes = pt->dram_bytes * misses / now;
}

void ct_perf_filter_l1(struct ct_perf_point *pt, double reads, double traffic)
{
	struct ct_perf_point old = *pt;
	double misses = ct_perf_dram_share(pt);
	with_misses(&old, reads > 0 ? fmin(misses / reads, 1) : 0, pt);
	pt->l1_miss = fmin(old.l1_miss * reads, 1);
	pt->set_misses *= reads;
	pt->dram_bytes = old.dram_bytes;
	pt->cold = reads > 0 ? fmin(old.cold / reads, 1) : 0;
	pt->request_packets *= traffic;
	pt->reply_packets *= traffic;
	pt->slice_in *= traffic;
	pt->slice_out *= traffic;
	pt->llc_sectors *= traffic;
}

/* Adds a part of the run that is spent in one configuration to the result of the whole. */
static void eval_phase(const struct ct_perf *m, const struct ct_perf_point *pt, double part,
                       struct ct_perf_result *sum)
{
	struct ct_amva_result r;
	double latency, factor[CT_PERF_STATIONS + CT_PERF_EXTRA_MAX];
	size_t n;
	double x = part > 0 ? solve_point(m, pt, &n, &latency, &r, factor) : 0;
	if (!(x > 0) || !isfinite(x))
		return;
	double cycles = part * m->loads / x;
	sum->latency += part * latency;
	sum->dram_utilisation += cycles * r.utilisation[CT_PERF_DRAM];
	/* The bottleneck is that of the longer phase. */
	if (cycles > sum->cycles) {
		sum->bottleneck = CT_PERF_STATIONS;
		sum->utilisation = 0;
		for (size_t i = 0; i < n; i++)
			if (r.utilisation[i] > sum->utilisation) {
				sum->utilisation = r.utilisation[i];
				sum->bottleneck = i;
				sum->yield = yield_of(m, i, factor[i]);
			}
	}
	sum->cycles += cycles;
}

/* With the settings in m->a. First touches make a phase of their own, in which everything misses, since they come together at a
 * program's start. */
static void eval_anchored(const struct ct_perf *m, const struct ct_perf_point *pt,
                          struct ct_perf_result *out)
{
	double misses = ct_perf_dram_share(pt), cold = m->even ? 0 : fmin(fmax(pt->cold, 0), misses);
	struct ct_perf_point phase;
	memset(out, 0, sizeof *out);
	out->bottleneck = CT_PERF_STATIONS;
	out->yield = 1;
	if (cold > 0 && cold < 1) {
		with_misses(pt, 1, &phase);
		eval_phase(m, &phase, cold, out);
		with_misses(pt, (misses - cold) / (1 - cold), &phase);
		eval_phase(m, &phase, 1 - cold, out);
	} else {
		eval_phase(m, pt, 1, out);
	}
	if (!(out->cycles > 0))
		return;
	out->dram_utilisation /= out->cycles;
	out->ipc = m->w->thread_insts / out->cycles;
}

/* What a share of the run comes to with the settings that are its own, added to the sum. The bottleneck is that of the share
 * that takes longest: *longest, so far. */
static void add_share(const struct ct_perf *m, const struct ct_perf_point *pt, double share,
                      const struct ct_perf_anchored *a, double *longest, struct ct_perf_result *sum)
{
	struct ct_perf own = *m;
	struct ct_perf_result r;
	if (!(share > 0))
		return;
	own.a = *a;
	eval_anchored(&own, pt, &r);
	const double cycles = share * r.cycles;
	if (cycles > *longest) {
		*longest = cycles;
		sum->bottleneck = r.bottleneck;
		sum->utilisation = r.utilisation;
		sum->yield = r.yield;
	}
	sum->cycles += cycles;
	sum->latency += share * r.latency;
	sum->dram_utilisation += cycles * r.dram_utilisation;
}

void ct_perf_eval(const struct ct_perf *m, const struct ct_perf_point *pt, struct ct_perf_result *out)
{
	double rest = 1, longest = 0;
	*out = (struct ct_perf_result){.bottleneck = CT_PERF_STATIONS, .yield = 1};
	for (int i = 0; i < CT_PERF_PACED; i++) {
		add_share(m, pt, m->paced[i].share, &m->paced[i].a, &longest, out);
		rest -= m->paced[i].share;
	}
	add_share(m, pt, rest, &m->a, &longest, out);
	if (!(out->cycles > 0))
		return;
	out->dram_utilisation /= out->cycles;
	out->ipc = m->w->thread_insts / out->cycles;
}

void ct_perf_conventional(const struct ct_perf *m, const struct ct_gpu *g, double sms, double llc_lines,
                          struct ct_perf_point *pt)
{
	const struct ct_workload *w = m->w;
	memset(pt, 0, sizeof *pt);
	double requests = ct_workload_llc_requests(w, sms);
	double base_requests = ct_workload_llc_requests(w, w->sms);
	double more = base_requests > 0 ? requests / base_requests : 1;
	struct ct_llc_misses now, base;
	ct_llc_misses(&m->llc, w, sms, llc_lines, g->llc.ways, 0, &now);
	ct_llc_misses(&m->llc, w, w->sms, ct_gpu_llc_lines(&m->gpu), m->gpu.llc.ways, 0, &base);
	double miss_more = base.sectors > 0 ? now.sectors / base.sectors : 0;
	double read_miss = w->llc_read_sectors > 0 ? w->llc_read_misses / w->llc_read_sectors : 0;
	read_miss *= m->pending_factor;
	struct ct_perf other = *m;
	other.gpu = *g;
	fill_latencies(&other);
	double miss_share = fmin(more > 0 ? read_miss * miss_more / more : 0, 1);
	pt->sms = sms;
	if (w->l1_read_sectors > 0)
		pt->l1_miss = fmin(w->l1_read_misses / w->l1_read_sectors * more, 1);
	pt->n_classes = 2;
	pt->cls[0] = (struct ct_perf_class){1 - miss_share, other.t_llc, 0, 0};
	pt->cls[1] = (struct ct_perf_class){miss_share, other.t_dram, 1, 0};
	pt->cold = requests > 0 ? ct_workload_llc_cold(w, sms) / requests * m->pending_factor : 0;
	pt->request_packets = pt->slice_in = w->noc_request_cycles * more;
	pt->reply_packets = pt->slice_out = w->noc_reply_cycles * more;
	pt->llc_sectors = w->llc_sectors * more;
	double bytes = w->dram_read_bytes + w->dram_write_bytes;
	pt->dram_bytes = base.sectors > 0 ? bytes * miss_more : now.sectors * g->llc.sector;
	pt->noc_speed = g->noc_mhz / g->core_mhz / (m->gpu.noc_mhz / m->gpu.core_mhz);
	pt->llc_speed = ct_gpu_llc_gbps(g) / ct_gpu_llc_gbps(&m->gpu);
	pt->dram_speed = ct_gpu_dram_gbps(g) / g->core_mhz /
	                 (ct_gpu_dram_gbps(&m->gpu) / m->gpu.core_mhz);
	pt->set_misses = 1;
	pt->slices = 1;
	pt->slice_beta = 1;
}

/* Think time and parallelism of a warp. A warp's residency per load is think +
 * latency / parallelism: an identity when the replay measured its stalls. Latency over stalls is more than the loads that a
 * waiting warp has on their way, where it issues other instructions before it waits: these cycles are hidden from it, and
 * a longer latency hides no more of them. */
static void warp_times(struct ct_perf *m)
{
	const struct ct_workload *w = m->w;
	double residency = m->warps * w->cycles / m->loads;
	m->a.think = w->think;
	m->parallelism = w->mem_parallelism;
	if (!(m->a.think >= 0) || !(m->parallelism > 0)) {
		/* The profile has not measured it: four cycles are assumed from one instruction to
		 * the next. */
		m->a.think = fmin(4 * w->warp_insts / m->loads, 0.9 * residency);
		m->parallelism = positive_or(w->mem_latency, 0) / (residency - m->a.think);
	}
	m->parallelism = fmin(fmax(positive_or(m->parallelism, 1), 1), PARALLELISM_MAX);
	double latency = positive_or(w->mem_latency, 0);
	m->a.think = fmax(residency - latency / m->parallelism, 0);
	if (!(w->mem_stall_open > 0) || !(w->mem_stall > 0))
		return;
	double open = fmin(fmax(w->mem_stall_open / w->mem_stall, 1), m->parallelism);
	m->hidden = latency * (1 - open / m->parallelism);
	m->parallelism = open;
}

static double baseline_cycles(const struct ct_perf *m, const struct ct_perf_point *pt)
{
	struct ct_perf_result r;
	eval_anchored(m, pt, &r);
	return r.cycles;
}

struct knob {
	struct ct_perf *m;
	const struct ct_perf_point *pt;
	double *setting, want;
};

static double cycles_over(void *ctx, double x)
{
	const struct knob *k = ctx;
	*k->setting = x;
	return baseline_cycles(k->m, k->pt) - k->want;
}

/* Finds the value of *setting in [lo, hi] at which cycles, growing with it, reach want;
 * hi where they do not, lo where they are more even there. */
static void turn_knob(struct ct_perf *m, const struct ct_perf_point *pt, double *setting, double lo,
                      double hi, double want)
{
	struct knob k = {m, pt, setting, want};
	double x = cycles_over(&k, hi) < 0 ? hi : lo;
	(void)ct_root_between(cycles_over, &k, lo, hi, &x); /* fails at these two ends */
	*setting = x;
}

static double *factor_of(struct ct_perf *m, size_t station)
{
	return station < CT_PERF_STATIONS ? &m->a.demand_factor[station]
	                                  : &m->a.extra_factor[station - CT_PERF_STATIONS];
}

/* No station can have served the replayed run faster than it ran. */
static void admit_throughput(struct ct_perf *m, const struct ct_perf_point *pt)
{
	struct ct_amva_station s[CT_PERF_STATIONS + CT_PERF_EXTRA_MAX];
	double factor[CT_PERF_STATIONS + CT_PERF_EXTRA_MAX];
	size_t n = fill_stations(m, pt, s, factor);
	for (size_t i = 0; i < n; i++) {
		double cycles = s[i].demand / s[i].servers * m->loads;
		if (cycles > BUSY_MAX * m->w->cycles)
			*factor_of(m, i) *= BUSY_MAX * m->w->cycles / cycles;
	}
}

/* Mean latency of a load that misses: what is left of the mean over all loads when those that hit had an L1 hit's. */
static double latency_of_misses(const struct ct_perf *m, const struct ct_perf_point *pt)
{
	double missing = ct_perf_any_line(m, pt->l1_miss), latency = positive_or(m->w->mem_latency, 0);
	if (!(missing > 0))
		return 0;
	return fmax((latency - (1 - missing) * m->t_l1) / missing, 0);
}

/* The share of the SMs' time that so many SM cycles are; none where nobody has counted them. */
static double share_of_sms(const struct ct_perf *m, double sm_cycles)
{
	return isnan(sm_cycles) ? 0 : fmin(sm_cycles / (m->w->active_sms * m->w->cycles), 1);
}

/* Share of the time in which the L1s have no miss register left. Where nobody has counted it, from the share that is taken on
 * average (Little's law): none of it up to a quarter, all of it from three quarters on. */
static double share_of_time_full(const struct ct_perf *m, const struct ct_perf_point *pt)
{
	const struct ct_workload *w = m->w;
	if (!isnan(w->l1_mshr_stall))
		return share_of_sms(m, w->l1_mshr_stall);
	double entries = m->gpu.l1.mshr_entries * w->active_sms * w->cycles;
	double taken = positive_or(latency_of_misses(m, pt) * w->l1_read_misses / entries, 0);
	return fmin(fmax((taken - 0.25) / 0.5, 0), 1);
}

/* Share of DRAM's peak that it moves where requests wait for it: what the replay has counted while channels held a backlog,
 * and the configured share for as much of the run as BACKLOG_UNSURE, so that a short backlog says little. */
static double dram_yield(const struct ct_perf *m)
{
	double prior = BACKLOG_UNSURE * ct_gpu_dram_cycles(&m->gpu, m->w->cycles),
	       configured = positive_or(m->gpu.dram_efficiency, 1);
	if (isnan(m->w->dram_backlog_cycles))
		return configured;
	double yield = (prior * configured + m->w->dram_backlog_busy_cycles) /
	               (prior + m->w->dram_backlog_cycles);
	return fmin(yield, 1);
}

/* The share of the replayed run in which a station had all that it can serve; NaN where nobody has counted it. A slice
 * looks up as many requests as the crossbar brings it, so that what waits for its tags waits there. */
static double share_of_backlog(const struct ct_perf *m, size_t station)
{
	const struct ct_workload *w = m->w;
	const double ticks = w->cycles * m->gpu.noc_mhz / m->gpu.core_mhz;
	switch (station) {
	case CT_PERF_SM_REQUEST:
	case CT_PERF_SLICE_IN:
	case CT_PERF_LLC: return w->noc_request_backlog / ticks;
	case CT_PERF_SM_REPLY:
	case CT_PERF_SLICE_OUT: return w->noc_reply_backlog / ticks;
	case CT_PERF_DRAM: return w->dram_backlog_cycles / ct_gpu_dram_cycles(&m->gpu, w->cycles);
	default: return NAN;
	}
}

/* How much of the time in which a station behind the SMs has a backlog, or a set of an L1 no line, the L1s take nothing. */
static double stuck_meanwhile(const struct ct_perf *m, size_t station)
{
	const double share = fmin(share_of_backlog(m, station), 1);
	if (station == CT_PERF_L1_SETS)
		return 1;
	if (!is_shared(station))
		return 0;
	return share > 0 ? fmin(m->l1_full / share, 1) : m->l1_full;
}

/* Where the L1s are full the load/store units take no more, and collectors that hold memory instructions take no others:
 * what a warp then waits for is counted as its own time, since none of its registers is missing. Of the time that it
 * needs beyond its instructions (doc/replay.md section 4) therefore as much belongs to the memory as the L1s are full, in the
 * share of a load's latency that is waiting. The throughput of the station behind does not depend on this, but the effect of
 * another configuration does. */
static void take_held_up(struct ct_perf *m, const struct ct_perf_point *pt, size_t station)
{
	static const double to_dependent = 5;
	double latency = positive_or(m->w->mem_latency, 0),
	       resident = m->warps * m->w->cycles / m->loads;
	double alone = m->w->warp_insts / m->loads * (m->gpu.unit[CT_CLASS_INT].latency + to_dependent);
	double waiting = latency > 0 ? fmax(1 - ct_perf_unloaded_latency(m, pt) / latency, 0) : 0;
	m->a.think -= fmin(fmax(m->a.think - alone, 0), stuck_meanwhile(m, station) * resident) *
	              waiting;
}

/* The share of the run in which a busy station sets the pace: where the replay has counted it, that in which it had a backlog.
 * Full L1s hold back what would wait there, too: of the rest it is then as large a share as that in which they are full, up to
 * the counted one. */
static double share_paced(const struct ct_perf *m, const struct ct_perf_point *pt, size_t station)
{
	const double counted = share_of_backlog(m, station), share = fmin(counted, 1);
	if (isnan(counted))
		return station < CT_PERF_STATIONS + pt->n_extra;
	return share + fmin(m->l1_full, share) * (1 - share);
}

/* The station yields so little that it takes all of the replay's time. */
static void slow_station(struct ct_perf *m, const struct ct_perf_point *pt, size_t station)
{
	struct ct_perf_result r;
	double most = DEMAND_FACTOR_MAX;
	take_held_up(m, pt, station);
	if (is_shared(station)) {
		eval_anchored(m, pt, &r);
		station = r.bottleneck;
	} else if (station == CT_PERF_L1_SETS) {
		most = m->w->cycles * m->w->sms / (held_lines(m, pt) * m->loads);
	}
	double *knob = factor_of(m, station);
	turn_knob(m, pt, knob, *knob, most, m->w->cycles);
}

/* What is left is added to each load. */
static void slow_loads(struct ct_perf *m, const struct ct_perf_point *pt)
{
	const double want = m->w->cycles;
	if (baseline_cycles(m, pt) < want * (1 - 1e-9))
		turn_knob(m, pt, &m->a.latency_added, m->a.latency_added, want, want);
}

/* For a share of the run a station makes up the difference to the replay. */
static void pace_share(const struct ct_perf *m, const struct ct_perf_point *pt, double share,
                       size_t station, struct ct_perf_paced *out)
{
	struct ct_perf own = *m;
	if (!(share > 0))
		return;
	slow_station(&own, pt, station);
	slow_loads(&own, pt);
	*out = (struct ct_perf_paced){share, own.a};
}

/* The share in which misses wait for a line of their L1 set, but not where what makes them wait is a station behind. */
static double share_of_sets(const struct ct_perf *m, const struct ct_perf_point *pt, double behind)
{
	const double counted = share_of_sms(m, m->w->l1_set_stall);
	return counted > behind && held_lines(m, pt) > 0 ? counted - behind : 0;
}

/* Slower replay than model: find what makes up the difference. Where DRAM, a network or the L1s' sets set the pace for a part
 * of the time, there is an answer for that part and one for the rest. */
static void slow_down(struct ct_perf *m, const struct ct_perf_point *pt, enum ct_perf_anchor how)
{
	double want = m->w->cycles;
	struct ct_perf_result r;
	if (how == CT_PERF_ANCHOR_MIXED)
		turn_knob(m, pt, &m->a.latency_added, 0, m->t_dram / 4, want);
	eval_anchored(m, pt, &r);
	const double behind = r.utilisation > BUSY ? share_paced(m, pt, r.bottleneck) : 0;
	pace_share(m, pt, behind, r.bottleneck, &m->paced[CT_PERF_BY_SHARED]);
	pace_share(m, pt, share_of_sets(m, pt, behind), CT_PERF_L1_SETS, &m->paced[CT_PERF_BY_SETS]);
	if (how != CT_PERF_ANCHOR_MIXED)
		turn_knob(m, pt, &m->a.wait_factor, 1, WAIT_FACTOR_MAX, want);
	slow_loads(m, pt);
}

/* Makes the model's cycles at the replayed configuration those of the replay. */
static void anchor_model(struct ct_perf *m, const struct ct_perf_point *pt, enum ct_perf_anchor how)
{
	double want = m->w->cycles;
	admit_throughput(m, pt);
	double cycles = baseline_cycles(m, pt);
	if (cycles < want) {
		slow_down(m, pt, how);
		return;
	}
	turn_knob(m, pt, &m->a.apart, 0, 1, want);
	if (baseline_cycles(m, pt) > want * (1 + 1e-9))
		turn_knob(m, pt, &m->a.wait_factor, 0, 1, want);
	if (baseline_cycles(m, pt) > want * (1 + 1e-9))
		turn_knob(m, pt, &m->a.latency_factor, 0, 1, want);
	/* Ports that pass more than their limit have packets that do not meet. */
	for (size_t i = CT_PERF_SM_REQUEST; i < CT_PERF_LLC; i++)
		if (baseline_cycles(m, pt) > want * (1 + 1e-9))
			turn_knob(m, pt, factor_of(m, i), 0, *factor_of(m, i), want);
}

int ct_perf_calibrate(struct ct_perf *m, const struct ct_workload *w, const struct ct_gpu *g,
                      enum ct_perf_anchor how, struct ct_error *e)
{
	return ct_perf_calibrate_with(m, w, g, how, NULL, NULL, e);
}

int ct_perf_calibrate_with(struct ct_perf *m, const struct ct_workload *w, const struct ct_gpu *g,
                           enum ct_perf_anchor how, void (*extra)(void *ctx, struct ct_perf_point *pt),
                           void *ctx, struct ct_error *e)
{
	memset(m, 0, sizeof *m);
	m->w = w;
	m->gpu = *g;
	m->loads = w->loads >= 1 ? w->loads : 1;
	m->l1_cycles = w->l1_cycles;
	m->a.latency_factor = m->a.wait_factor = m->a.apart = 1;
	for (size_t i = 0; i < CT_PERF_STATIONS; i++)
		m->a.demand_factor[i] = 1;
	/* Misses come to many sets: slow_station() tells where not. */
	m->a.demand_factor[CT_PERF_L1_SETS] = 0;
	for (size_t i = 0; i < CT_PERF_EXTRA_MAX; i++)
		m->a.extra_factor[i] = 1;
	m->a.demand_factor[CT_PERF_DRAM] = positive_or(g->dram_efficiency, 1) / dram_yield(m);
	fill_latencies(m);
	m->warps = fmax(w->resident_warps * w->active_sms, 1e-6);
	double reads = w->l1_sectors > 0 ? w->l1_read_sectors / w->l1_sectors : 0;
	m->lines_per_load = fmax(w->l1_requests * reads / m->loads, 1);
	ct_llc_fit(&m->llc, w, ct_gpu_llc_lines(g), g->llc.ways);
	m->pending_factor = 1 + (w->llc_sector_misses > 0 ? w->llc_pending / w->llc_sector_misses : 0);
	m->even = (w->launches <= 1) != (how == CT_PERF_ANCHOR_PHASES);
	warp_times(m);
	struct ct_perf_point pt;
	ct_perf_conventional(m, g, w->sms, ct_gpu_llc_lines(g), &pt);
	if (extra)
		extra(ctx, &pt);
	m->l1_full = share_of_time_full(m, &pt);
	/* Contention for issue slots is inside the measured think time. */
	double rho = fmin(w->issue_cycles / w->sms / w->cycles, 0.99);
	double insts = w->warp_insts / m->loads;
	m->issue_wait = fmin(insts * rho / (2 * (1 - rho)), 0.5 * m->a.think);
	double cycles = baseline_cycles(m, &pt);
	if (!(cycles > 0))
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile's IM records contradict each other: make it "
		               "again with `reuse TRACE`");
	m->ratio = cycles / w->cycles;
	if (how != CT_PERF_ANCHOR_NONE)
		anchor_model(m, &pt, how);
	return CT_OK;
}
