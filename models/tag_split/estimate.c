#include "models/tag_split/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/baseline.h"
#include "models/common/energy.h"
#include "models/common/records.h"

const double ct_ts_dead_band = 0.01;
/* Least speed-up of a perfect L1 that makes a workload sensitive (reading cache-sensitive). */
static const double SENSITIVE = 0.03;
/* The MSHR of the replayed run was full for at most this share of it. */
static const double BUSY_MAX = 0.999;
static const char MECHANISM[] = "tag-split";

int ct_ts_measured_in(const struct ct_profile *p)
{
	struct ct_estimate es;
	return ct_profile_get_estimate(
		p, "all", MECHANISM, "configured", "l1_request_misses", "replay", &es);
}

int ct_ts_measured_read(struct ct_ts_measured *x, const struct ct_profile *p,
                        const struct ct_ts_system *s, const struct ct_gpu *g,
                        const struct ct_ts_params *params, struct ct_error *e)
{
	struct ct_ts_shape shape;
	const struct {
		const char *metric;
		double *v;
		int need;
	} field[] = {
		{"l1_loads", &x->loads, 1},
		{"l1_requests", &x->requests, 1},
		{"l1_request_misses", &x->request_misses, 1},
		{"l1_stores", &x->stores, 1},
		{"l1_fetched_bytes", &x->fetched_bytes, 1},
		{"l1_port_cycles", &x->port_cycles, 1},
		{"noc_request_flits", &x->request_flits, 1},
		{"noc_reply_flits", &x->reply_flits, 1},
		{"llc_accesses", &x->llc_accesses, 1},
		{"llc_load_accesses", &x->load_accesses, 1},
		{"llc_load_lines", &x->load_lines, 1},
		{"traffic_l1_to_l2_bytes", &x->to_l2, 1},
		{"traffic_l2_to_l1_bytes", &x->to_l1, 1},
		{"mem_inst_miss_rate", &x->inst_miss_rate, 0},
		{"l1_untimed_miss_rate", &x->untimed_miss_rate, 0},
		{"l1_request_mpki", &x->mpki, 0},
		{"l1_miss_packets", &x->miss_packets, 0},
		{"storage_bytes", &x->storage, 0},
	};
	for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) {
		struct ct_estimate es;
		*field[i].v = NAN;
		if (ct_profile_get_estimate(p, "all", MECHANISM, s->name, field[i].metric, "replay",
		                            &es))
			*field[i].v = es.value;
		if (field[i].need && isnan(*field[i].v))
			return ct_fail(e, CT_ERR_INPUT,
			               "profile lacks tag-split (%s of %s): make it with reuse "
			               "--mechanisms tag-split",
			               field[i].metric, s->name);
	}
	if (isnan(x->miss_packets))
		x->miss_packets = x->request_misses;
	int st = ct_ts_shape_of(s, g, g->l1.size, params, &shape, e);
	x->banks = st == CT_OK && ct_ts_in_banks(g, &shape);
	x->set_room = ct_ts_set_room(s, g, g->l1.size, params);
	const int each = st == CT_OK &&
	                 ct_ts_flight(&shape, params->v[CT_TS_HOLD] > 0).chunks < UINT32_MAX;
	x->set_places = each ? x->fetched_bytes / shape.chunk : x->request_misses;
	return st;
}

/* ---- one system in the closed network ---- */

static double quotient_or(double a, double b, double otherwise)
{
	return b > 0 ? a / b : otherwise;
}

/* What a flow of the replayed run becomes when what is measured of it goes from one amount to another: atomics are in it, which
 * go past the L1s, so that nothing is measured of them. */
static double moved_flow(double replayed, double from, double to)
{
	double all = fmax(replayed, from);
	return all > 0 ? fmax(all + to - from, 0) / all : 1;
}

static double mshr_entries(const struct ct_ts_answer *a)
{
	double given = a->params.v[CT_TS_MSHR];
	return given > 0 ? given : a->gpu.l1.mshr_entries;
}

/* A miss holds a register for as long as it takes, whatever it fetches; where banks look sectors up each that is asked for
 * holds one. Scaled so that the replayed run itself was possible. */
static void add_mshr(const struct ct_ts_answer *a, const struct ct_perf *m, struct ct_perf_point *pt,
                     const struct ct_ts_measured *x, double factor)
{
	struct ct_amva_station *s = &pt->extra[pt->n_extra];
	double demand = x->miss_packets / m->loads * ct_perf_latency_beyond_l1(pt) * factor;
	if (!(mshr_entries(a) > 0) || !(factor > 0))
		return;
	memset(s, 0, sizeof *s);
	s->demand = demand;
	s->servers = pt->sms * mshr_entries(a);
	s->closed = 1;
	pt->n_extra++;
}

static double mshr_factor(const struct ct_ts_answer *a, const struct ct_perf *m,
                          const struct ct_perf_point *pt, const struct ct_ts_measured *c)
{
	double busy = c->miss_packets * ct_perf_latency_beyond_l1(pt) / (pt->sms * mshr_entries(a)) /
	              m->w->cycles;
	return busy > BUSY_MAX ? BUSY_MAX / busy : 1;
}

/* A system's loads beyond L1 over the configured L1's. */
struct beyond {
	double requests; /* that miss L1; of neighbours in one LLC line the line */
	double lines;    /* LLC lines they ask for: of neighbours in one line all wait together */
	double sectors;  /* LLC sectors; as lines where the LLC has none */
	double writes;   /* of the configured run's DRAM traffic */
};

/* What is not a first touch misses the LLC as often per line as before: a thrashed LLC is
 * spared what the L1 keeps. follow: the share of that effect which is believed. */
static void filter_misses(struct ct_perf_point *pt, const struct beyond *b, double follow)
{
	double old = 0, total = pt->dram_bytes;
	for (unsigned i = 0; i < pt->n_classes; i++)
		old += pt->cls[i].dram ? pt->cls[i].share : 0;
	double cold = fmin(fmax(pt->cold, 0), old);
	ct_perf_filter_l1(pt, b->requests, 1);
	pt->dram_bytes *= b->lines > 0
	                          ? 1
	                          : b->writes; /* where nothing is read, what stores write is left */
	if (!(old > 0) || !(b->requests > 0) || !(b->lines > 0))
		return;
	double again = cold < 1 ? (old - cold) / (1 - cold) : 0;
	double served = cold + fmax(b->lines - cold, 0) * again; /* by DRAM, over the old lines */
	served = follow * served + (1 - follow) * old;
	double now = fmin(served / b->lines, 1), kept = fmin(old / b->requests, 1);
	now = 1 - pow(1 - now, fmax(b->lines / b->requests, 1)); /* a 256 B line waits for both */
	for (unsigned i = 0; i < pt->n_classes; i++) {
		double of = pt->cls[i].dram ? kept : 1 - kept, to = pt->cls[i].dram ? now : 1 - now;
		pt->cls[i].share = of > 0 ? pt->cls[i].share * to / of : to;
	}
	pt->cold = fmin(cold / b->lines, 1);
	pt->dram_bytes = total * served / old * b->sectors / b->lines;
}

/* Settings of one evaluation. */
struct how {
	double extra;  /* cycles of hit latency */
	int mshr;      /* limited by its entries */
	double follow; /* 1: DRAM traffic follows what leaves L1 as filter_misses() says; 0: it stays */
	int serial;    /* what the L1's port takes beyond the configured one's overlaps with nothing */
};

/* The system x in the model m that is anchored to the run of the configured L1, c. Returns
 * the DRAM traffic over that of the configured L1. */
static double evaluate_system(const struct ct_ts_answer *a, const struct ct_perf *m,
                              const struct ct_ts_measured *c, const struct ct_ts_measured *x,
                              const struct how *h, struct ct_perf_result *r)
{
	struct ct_perf own = *m;
	struct ct_perf_point pt;
	ct_perf_conventional(m, &a->gpu, m->w->sms, ct_gpu_llc_lines(&a->gpu), &pt);
	double before = pt.dram_bytes, factor = h->mshr ? mshr_factor(a, m, &pt, c) : 0;
	double requests = quotient_or(x->requests, c->requests, 1), old = pt.l1_miss;
	struct beyond b = {
		quotient_or(x->request_misses, c->request_misses, 1),
		quotient_or(x->load_lines, c->load_lines, 1), 1,
		quotient_or(m->w->dram_write_bytes, m->w->dram_read_bytes + m->w->dram_write_bytes, 1)};
	/* Requests of one LLC line miss together: a load that falls apart into smaller lines does
	 * not wait for more of them. */
	if (requests > 1)
		b.requests = b.lines;
	b.sectors = a->gpu.llc.sector < a->gpu.llc.line
	                    ? quotient_or(x->load_accesses, c->load_accesses, 1)
	                    : b.lines;
	filter_misses(&pt, &b, h->follow);
	pt.l1_miss = fmin(old * b.requests / fmin(requests, 1), 1);
	double up = moved_flow(m->w->noc_request_cycles, c->request_flits, x->request_flits);
	double down = moved_flow(m->w->noc_reply_cycles, c->reply_flits, x->reply_flits);
	const double accesses = moved_flow(m->w->llc_sectors, c->llc_accesses, x->llc_accesses);
	pt.request_packets *= up;
	/* A packet for several sectors enters the slice's queue as one for each. Without banks every system sends for lines. */
	pt.slice_in *= x->banks ? accesses : up;
	pt.reply_packets *= down;
	pt.slice_out *= down;
	pt.llc_sectors *= accesses;
	if (x != c)
		pt.set_misses = quotient_or(x->set_places, c->set_places, 1) *
		                quotient_or(c->set_room, x->set_room, 0);
	for (unsigned i = 0; i < pt.n_classes; i++)
		pt.cls[i].latency += h->extra;
	if (!x->banks) {
		own.l1_cycles *= quotient_or(x->port_cycles, c->port_cycles, 1);
		/* Such an L1 looks up one request a cycle, whatever the banks of the configured one. */
		if (x != c)
			own.l1_cycles = fmax(own.l1_cycles, x->port_cycles);
	}
	own.t_l1 += h->extra;
	own.lines_per_load = fmax(m->lines_per_load * fmin(requests, 1), 1);
	add_mshr(a, m, &pt, x, factor);
	ct_perf_eval(&own, &pt, r);
	if (h->serial)
		r->cycles += fmax(own.l1_cycles - m->l1_cycles, 0) / m->w->sms;
	return before > 0 ? pt.dram_bytes / before : 1;
}

static int is_estimated(const struct ct_ts_answer *a, size_t i)
{
	return a->systems >> i & 1;
}

static const struct ct_ts_measured *configured_counts(const struct ct_ts_answer *a)
{
	return &a->row[CT_TS_SYSTEMS - 1].x;
}

static double latency_of(const struct ct_ts_answer *a, const struct ct_ts_system *s)
{
	return s->hit_latency < 0 ? a->params.v[CT_TS_HIT_LATENCY] : s->hit_latency;
}

double ct_ts_cycles(const struct ct_ts_answer *a, const struct ct_ts_measured *x, double extra)
{
	struct ct_perf_result r;
	struct how h = {extra, 1, 1, 0};
	evaluate_system(a, &a->perf, configured_counts(a), x, &h, &r);
	return r.cycles;
}

/* ---- energy ---- */

/* What the energy model has to know of a system's run. */
static void energy_run(const struct ct_ts_answer *a, const struct ct_ts_row *r,
                       struct ct_energy_run *run)
{
	const struct ct_workload *w = a->w;
	const struct ct_ts_measured *c = configured_counts(a);
	double seconds = r->cycles / (a->gpu.core_mhz * 1e6);
	double accesses = quotient_or(r->x.llc_accesses, c->llc_accesses, 1);
	*run = (struct ct_energy_run){
		.seconds = seconds,
		.sms = w->sms,
		.llc_bytes = w->llc_sectors * a->gpu.llc.sector * accesses,
		.noc_bytes = (r->x.request_flits + r->x.reply_flits) * a->gpu.noc_flit_bytes,
		.dram_bytes = (w->dram_read_bytes + w->dram_write_bytes) * r->dram};
	if (r->system->kind == CT_TS_SPLIT) /* comparators: section 5.6 of the paper */
		run->extra_joule = a->params.v[CT_TS_PJ_PER_ACCESS] * 1e-12 *
		                           (r->x.requests + r->x.stores) +
		                   a->params.v[CT_TS_LEAKAGE_WATT] * w->sms * seconds;
}

static void spend_energy(struct ct_ts_answer *a)
{
	struct ct_energy en;
	struct ct_energy_run run;
	energy_run(a, &a->row[CT_TS_SYSTEMS - 1], &run);
	ct_energy_split(&en, &a->gpu, a->params.v[CT_TS_CONSTANT_WATT], a->params.v[CT_TS_STATIC_SHARE],
	                &run);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		if (!is_estimated(a, i))
			continue;
		energy_run(a, &a->row[i], &run);
		a->row[i].joule = ct_energy_joule(&en, &run);
		a->row[i].watt = a->row[i].joule / run.seconds;
	}
}

/* ---- the answer ---- */

/* Every row with the central assumptions: cycles, energy, and the speed-ups that ranges begin with. */
static void estimate_rows(struct ct_ts_answer *a)
{
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		struct ct_ts_row *r = &a->row[i];
		if (!is_estimated(a, i))
			continue;
		struct how h = {latency_of(a, r->system), 1, 1, 0};
		r->dram = evaluate_system(a, &a->perf, configured_counts(a), &r->x, &h, &r->perf);
		r->cycles = r->perf.cycles;
		r->ipc = quotient_or(a->w->thread_insts, r->cycles, NAN);
	}
	spend_energy(a);
	const struct ct_ts_row *base = &a->row[0], *own = &a->row[CT_TS_SYSTEMS - 1];
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		struct ct_ts_row *r = &a->row[i];
		if (!is_estimated(a, i))
			continue;
		r->speedup = ct_number_begin(base->cycles / r->cycles);
		r->speedup_configured = ct_number_begin(own->cycles / r->cycles);
		r->perf_per_watt = ct_number_begin(r->ipc / base->ipc / (r->watt / base->watt));
	}
}

/* The pass's L1s know no time. What the replay missed, moved as their misses move from the configured system to another,
 * is that system's rate in the sense of SN. */
static void find_miss_rates(struct ct_ts_answer *a)
{
	const struct ct_workload *w = a->w;
	double had = w->l1_sectors > 0 ? w->l1_sector_misses / w->l1_sectors : NAN;
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		struct ct_ts_row *r = &a->row[i];
		r->l1_miss_rate = isnan(had) || !is_estimated(a, i)
		                          ? NAN
		                          : ct_baseline_moved_share(
						    had, configured_counts(a)->untimed_miss_rate,
						    r->x.untimed_miss_rate);
		r->l1_mpki = 1000 * r->l1_miss_rate * w->l1_sectors / w->thread_insts;
	}
}

struct variant {
	enum ct_perf_anchor how;
	double dram;
	int mshr;
	double follow;
	int serial;
};

/* The same systems under other assumptions: every ratio that comes out widens its range. Energy is not
 * computed again: power moves little, so that the ratio follows the time. */
static int widen_by_variant(struct ct_ts_answer *a, const struct variant *v, struct ct_error *e)
{
	struct ct_perf m;
	struct ct_gpu g = a->replayed;
	struct ct_perf_result r[CT_TS_SYSTEMS];
	g.dram_efficiency *= v->dram;
	int st = ct_perf_calibrate(&m, a->w, &g, v->how, e);
	if (st != CT_OK)
		return st;
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		struct how h = {latency_of(a, a->row[i].system), v->mshr, v->follow, v->serial};
		if (is_estimated(a, i))
			evaluate_system(a, &m, configured_counts(a), &a->row[i].x, &h, &r[i]);
	}
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		if (!is_estimated(a, i))
			continue;
		ct_number_widen(&a->row[i].speedup, r[0].cycles / r[i].cycles);
		ct_number_widen(&a->row[i].speedup_configured,
		                r[CT_TS_SYSTEMS - 1].cycles / r[i].cycles);
		/* power moves little: the ratio follows the time */
		ct_number_widen(&a->row[i].perf_per_watt, a->row[i].perf_per_watt.value * r[0].cycles /
		                                                  r[i].cycles / a->row[i].speedup.value);
	}
	return CT_OK;
}

static enum ct_ts_class classify_lines(const struct ct_ts_answer *a)
{
	double x = a->row[1].speedup.value, y = a->row[2].speedup.value; /* 32 and 64 B */
	if (fmax(x, y) > 1 + ct_ts_dead_band)
		return CT_TS_CLN;
	return fmin(x, y) < 1 - ct_ts_dead_band ? CT_TS_CLP : CT_TS_NO_CLASS;
}

int ct_ts_answer_init(struct ct_ts_answer *a, const struct ct_profile *p, const struct ct_workload *w,
                      const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                      const struct ct_ts_params *params, struct ct_error *e)
{
	return ct_ts_answer_init_some(a, p, w, replayed, gpu, params, CT_TS_ALL_SYSTEMS, e);
}

int ct_ts_answer_init_some(struct ct_ts_answer *a, const struct ct_profile *p,
                           const struct ct_workload *w, const struct ct_gpu *replayed,
                           const struct ct_gpu *gpu, const struct ct_ts_params *params, unsigned systems,
                           struct ct_error *e)
{
	static const struct variant VARIANTS[] = {
		{CT_PERF_ANCHOR_MIXED, 1, 1, 1, 0},     {CT_PERF_ANCHOR_PHASES, 1, 1, 1, 0},
		{CT_PERF_ANCHOR_STATION, 0.9, 1, 1, 0}, {CT_PERF_ANCHOR_STATION, 1.1, 1, 1, 0},
		{CT_PERF_ANCHOR_STATION, 1, 0, 1, 0},   {CT_PERF_ANCHOR_STATION, 1, 1, 0.5, 0},
		{CT_PERF_ANCHOR_STATION, 1, 1, 1, 1},
	};
	memset(a, 0, sizeof *a);
	if (replayed->l1.size != gpu->l1.size || replayed->l1.ways != gpu->l1.ways)
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile's tag-split was measured with another L1: make it again "
		               "with reuse --mechanisms tag-split");
	a->w = w;
	a->replayed = *replayed;
	a->gpu = *gpu;
	a->params = *params;
	a->systems = systems;
	int st = ct_perf_calibrate(&a->perf, w, replayed, CT_PERF_ANCHOR_STATION, e);
	for (size_t i = 0; i < CT_TS_SYSTEMS && st == CT_OK; i++) {
		a->row[i].system = ct_ts_system_at(i);
		if (is_estimated(a, i))
			st = ct_ts_measured_read(&a->row[i].x, p, a->row[i].system, gpu, params, e);
	}
	if (st != CT_OK)
		return st;
	estimate_rows(a);
	find_miss_rates(a);
	for (size_t i = 0; i < sizeof VARIANTS / sizeof VARIANTS[0] && st == CT_OK; i++)
		st = widen_by_variant(a, &VARIANTS[i], e);
	if (systems != CT_TS_ALL_SYSTEMS)
		return st;
	a->line_class = classify_lines(a);
	a->sensitive = a->row[ct_ts_system_find("Perfect")].speedup.value >= 1 + SENSITIVE;
	return st;
}

/* ---- records ---- */

int ct_ts_answer_write(const struct ct_ts_answer *a, struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = "analytic"};
	const struct ct_workload *load = a->w;
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		const struct ct_ts_row *r = &a->row[i];
		if (!is_estimated(a, i))
			continue;
		w.system = r->system->name;
		ct_records_value(&w, "cycles", r->cycles + load->launch_cycles);
		ct_records_value(&w, "ipc", load->thread_insts / (r->cycles + load->launch_cycles));
		ct_records_number(&w, "speedup", &r->speedup);
		ct_records_number(&w, "speedup_configured", &r->speedup_configured);
		ct_records_number(&w, "perf_per_watt", &r->perf_per_watt);
		ct_records_value(&w, "energy_j", r->joule);
		ct_records_value(&w, "llc_mpki",
		                 1000 * load->llc_sector_misses / load->thread_insts * r->dram);
		ct_records_value(&w, "l1_miss_rate", r->l1_miss_rate);
		ct_records_value(&w, "l1_mpki", r->l1_mpki);
	}
	if (a->systems != CT_TS_ALL_SYSTEMS)
		return w.status;
	w.system = a->row[0].system->name;
	ct_records_value(&w, "line_class", a->line_class);
	return w.status;
}

/* ---- for people ---- */

const char *ct_ts_class_name(enum ct_ts_class c)
{
	return c == CT_TS_CLN ? "CLN" : c == CT_TS_CLP ? "CLP" : "neither";
}

/* The better of the two smaller lines, or the worse where none is faster. */
static const struct ct_ts_row *smaller_line_row(const struct ct_ts_answer *a)
{
	int better = a->line_class == CT_TS_CLN;
	return (a->row[1].cycles <= a->row[2].cycles) == better ? &a->row[1] : &a->row[2];
}

void ct_ts_class_why(const struct ct_ts_answer *a, char *out, size_t n)
{
	const struct ct_ts_row *s = smaller_line_row(a), *b = &a->row[0];
	double requests = quotient_or(s->x.request_misses, b->x.request_misses, 1);
	if (isnan(b->x.inst_miss_rate)) {
		snprintf(out, n, "no loads");
		return;
	}
	snprintf(out, n,
	         "with %s lines %.0f %% of the loads miss instead of %.0f %%, with %.2f times the "
	         "miss requests: %+.1f %%",
	         s->system->name, 100 * s->x.inst_miss_rate, 100 * b->x.inst_miss_rate, requests,
	         100 * (s->speedup.value - 1));
}

static const char *limited_by(const struct ct_ts_row *r)
{
	if (r->perf.utilisation < 0.5)
		return "latency";
	if (r->perf.bottleneck >= CT_PERF_STATIONS)
		return "miss registers";
	return ct_perf_station_name(r->perf.bottleneck);
}

void ct_ts_row_why(const struct ct_ts_answer *a, const struct ct_ts_row *r, char *out, size_t n)
{
	const struct ct_ts_row *b = &a->row[0];
	double misses = quotient_or(r->x.request_misses, b->x.request_misses, 1) - 1;
	double data = quotient_or(r->x.to_l1, b->x.to_l1, 1) - 1;
	char busy[64];
	ct_perf_busy_text(r->perf.utilisation, r->perf.yield, busy, sizeof busy);
	if (r == b)
		snprintf(out, n, "limited by %s (%s)", limited_by(r), busy);
	else
		snprintf(out, n, "miss requests %+.0f %%, data %+.0f %%, limited by %s", 100 * misses,
		         100 * data, limited_by(r));
}

static unsigned add_note(char out[][CT_TS_NOTE_LEN], unsigned n, const char *text)
{
	if (n < CT_TS_NOTES_MAX)
		snprintf(out[n++], CT_TS_NOTE_LEN, "%s", text);
	return n;
}

unsigned ct_ts_answer_notes(const struct ct_ts_answer *a, char out[][CT_TS_NOTE_LEN])
{
	char text[CT_TS_NOTE_LEN];
	unsigned n = 0;
	if (!a->sensitive)
		n = add_note(
			out, n,
			"not sensitive to the L1: below 3 % faster even with a perfect one (the paper "
			"leaves such programs out)");
	n = add_note(out, n,
	             "MRPB reorders requests in time: only --method replay shows what that is worth");
	if (a->gpu.l1.ways > 16 && !(a->params.v[CT_TS_WAYS] > 0))
		n = add_note(out, n,
		             "the GPU's L1 has more than 16 ways: the paper's systems have 4, as in the "
		             "paper; set tsc.ways for others");
	if (a->perf.ratio > 1.5 || a->perf.ratio < 1 / 1.5) {
		snprintf(text, sizeof text,
		         "before anchoring the model takes %.2f times the replayed cycles: "
		         "trust ranks more than values",
		         a->perf.ratio);
		n = add_note(out, n, text);
	}
	return n;
}
