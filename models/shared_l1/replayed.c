#include "models/shared_l1/replayed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/records.h"
#include "models/shared_l1/records.h"

int ct_sl_replayed_at(int i)
{
	for (int s = 0; s < CT_SL_SYSTEMS; s++)
		if (!ct_sl_system_at((size_t)s)->best && i-- == 0)
			return s;
	return -1;
}

static double quotient(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* Hits of private L1s count here as those of the homes do: a line on its way is no miss. */
static void l1_rates(const struct ct_replay_counts *c, const struct ct_sl_part_counts *part, int shared,
                     struct ct_sl_estimate *x)
{
	const struct ct_sl_org_stats *o = &part->org;
	x->l1_sector_misses = (double)c->l1_misses;
	x->l1_miss_rate = quotient(c->l1_misses, c->l1_accesses);
	if (!shared) {
		x->l1_request_miss_rate = quotient(c->l1_line_misses, c->l1_line_accesses);
		x->replication_ratio = quotient(c->replicated_misses, c->line_fills);
		x->replicas = quotient(c->line_copies, c->line_fills);
		return;
	}
	x->l1_request_miss_rate = quotient(o->read_misses + o->write_misses, o->reads + o->writes);
	x->replication_ratio = quotient(o->replicated, o->landed);
	x->replicas = quotient(o->copies, o->landed);
}

void ct_sl_replayed_rates(int s, const struct ct_replay_counts *c, const struct ct_sl_part_counts *part,
                          struct ct_records *w)
{
	struct ct_sl_estimate x;
	l1_rates(c, part, ct_sl_system_at((size_t)s)->shared, &x);
	ct_records_value(w, "l1_miss_rate", x.l1_miss_rate);
	ct_records_value(w, "l1_request_miss_rate", x.l1_request_miss_rate);
}

void ct_sl_replayed_estimate(const struct ct_sl_answer *a, int s, const struct ct_replay_counts *c,
                             const struct ct_sl_part_counts *part, struct ct_sl_estimate *x)
{
	const struct ct_sl_system *system = ct_sl_system_at((size_t)s);
	const struct ct_sl_org_stats *o = &part->org;
	const struct ct_gpu *g = &a->model.gpu;
	const int homes = system->shared;
	memset(x, 0, sizeof *x);
	x->miss_low = x->miss_high = x->edge_fraction = NAN;
	x->replication_other = x->replicas_other = NAN;
	x->cycles = (double)(c->cycles - c->launch_cycles);
	x->ipc = x->cycles > 0 ? (double)c->thread_insts / x->cycles : 0;
	l1_rates(c, part, homes, x);
	x->llc_misses = (double)c->llc_misses;
	uint64_t own = o->local + o->remote + o->past;
	x->remote_fraction = homes ? quotient(o->remote + o->past, own) : 0;
	x->past_fraction = homes ? quotient(o->past, own) : 0;
	uint64_t served = o->reads + o->writes;
	x->home_imbalance = homes ? quotient(o->max_home * g->sms, served) : NAN;
	x->reply_latency = part->reply_latency;
	/* What only the dynamic schemes compute. */
	x->amat = system->dynamic ? o->phases.amat : NAN;
	x->eb = system->dynamic ? o->phases.eb : NAN;
	x->chose_shared = 2 * o->phases.chose_shared > o->phases.decisions;
	x->sampling_share = system->dynamic ? quotient(o->phases.sampled, own) : NAN;
	x->home_bytes = (double)(part->home_bytes + part->past_bytes);
	x->flit_hops = (double)(part->flit_hops ? part->flit_hops : 0);
	if (!a->model.noc.pass[0][0]) /* a crossbar: crossings, and those of a butterfly */
		x->flit_hops = (double)(c->noc_request_busy + c->noc_reply_busy) + (double)part->flits;
	x->dram_bytes = (double)(c->dram_read_bytes + c->dram_write_bytes);
	x->llc_bytes_moved = (double)c->llc_accesses * a->model.replayed.llc.sector;
	x->l1_bytes_moved = -(double)o->past * g->l1.sector;
	x->bottleneck = CT_PERF_STATIONS;
}

static void fill_best(struct ct_sl_estimate *x)
{
	for (int s = 0; s < CT_SL_SYSTEMS; s++)
		if (ct_sl_system_at((size_t)s)->best)
			x[s] = x[CT_SL_SHARED_PP].cycles < x[CT_SL_PRIVATE].cycles
			               ? x[CT_SL_SHARED_PP]
			               : x[CT_SL_PRIVATE];
}

void ct_sl_replayed_rows(const struct ct_sl_answer *a, struct ct_sl_estimate *x, double configured,
                         struct ct_sl_row *out)
{
	const struct ct_sl_estimate *base = &x[CT_SL_PRIVATE];
	/* Network energy goes with the flits' hops, from what it is for Private. */
	double hops = base->flit_hops > 0 ? a->row[CT_SL_PRIVATE].x.flit_hops / base->flit_hops : 0;
	fill_best(x);
	for (int s = 0; s < CT_SL_SYSTEMS; s++) {
		struct ct_sl_estimate scaled = x[s];
		scaled.flit_hops *= hops;
		ct_sl_energy(&a->model, &scaled);
		x[s].joule = scaled.joule;
		x[s].watt = scaled.watt;
	}
	for (int s = 0; s < CT_SL_SYSTEMS; s++) {
		out[s].system = ct_sl_system_at((size_t)s);
		out[s].x = x[s];
		out[s].speedup = ct_number_alone(base->cycles / x[s].cycles);
		out[s].speedup_configured = ct_number_alone(configured / x[s].cycles);
		out[s].perf_per_watt = ct_number_alone(x[s].ipc / base->ipc / (x[s].watt / base->watt));
	}
}

int ct_sl_replayed_write(const struct ct_sl_answer *a, const struct ct_sl_row *rows, unsigned systems,
                         struct ct_profile *p, struct ct_error *e)
{
	return ct_sl_rows_write(a, rows, systems, "replay", p, e);
}

/* ---- replays that a profile holds ---- */

static int replayed_value(const struct ct_profile *p, const char *system, const char *metric, double *v)
{
	struct ct_estimate es;
	*v = NAN;
	if (!ct_profile_get_estimate(p, "all", "shared-l1", system, metric, "replay", &es))
		return 0;
	*v = es.value;
	return 1;
}

/* Puts what the profile holds of a replayed system into its row; what no record tells is NaN or 0. */
static void take_row(const struct ct_profile *p, double base_latency, struct ct_sl_row *r)
{
	struct ct_sl_estimate *x = &r->x;
	const char *name = r->system->name;
	double speedup, configured, power, latency;
	replayed_value(p, name, "speedup", &speedup);
	replayed_value(p, name, "speedup_configured", &configured);
	replayed_value(p, name, "perf_per_watt", &power);
	replayed_value(p, name, "reply_latency_ratio", &latency);
	r->speedup = ct_number_alone(speedup);
	r->speedup_configured = ct_number_alone(configured);
	r->perf_per_watt = ct_number_alone(power);
	replayed_value(p, name, "l1_miss_rate", &x->l1_miss_rate);
	replayed_value(p, name, "l1_request_miss_rate", &x->l1_request_miss_rate);
	replayed_value(p, name, "replicas_mean", &x->replicas);
	replayed_value(p, name, "replication_ratio", &x->replication_ratio);
	replayed_value(p, name, "remote_fraction", &x->remote_fraction);
	replayed_value(p, name, "home_imbalance", &x->home_imbalance);
	x->reply_latency = latency * base_latency;
	x->miss_low = x->miss_high = x->edge_fraction = NAN;
	x->utilisation = 0;
	x->sampling_share = NAN; /* what a scheme chose is not in the records */
}

unsigned ct_sl_replayed_take(const struct ct_profile *p, struct ct_sl_row *rows)
{
	unsigned taken = 0;
	double v;
	for (int s = 0; s < CT_SL_SYSTEMS; s++) {
		if (!replayed_value(p, rows[s].system->name, "speedup", &v))
			continue;
		take_row(p, rows[CT_SL_PRIVATE].x.reply_latency, &rows[s]);
		taken |= 1u << s;
	}
	return taken;
}

static int is_replay(void *ctx, const struct ct_record *r)
{
	(void)ctx;
	return r->nfields >= 7 && !strcmp(r->field[1], "shared-l1") && !strcmp(r->field[6], "replay");
}

void ct_sl_replayed_drop(struct ct_profile *p)
{
	ct_profile_remove(p, "ES", is_replay, NULL);
}

/* Writes when an SM changed its mode, as a point of a sweep over cycles. */
static int put_mode(const char *system, const struct ct_sl_change *c, struct ct_profile *p,
                    struct ct_error *e)
{
	char key[24], x[24];
	snprintf(key, sizeof key, "core:%u", c->core);
	snprintf(x, sizeof x, "%llu", (unsigned long long)c->cycle);
	struct ct_sweep_point sw = {
		.scope = "all",
		.mechanism = "shared-l1",
		.system = system,
		.key = key,
		.x = x,
		.metric = "mode",
		.unit = "",
		.method = "replay",
		.value = c->state};
	return ct_profile_add_sweep(p, &sw, e);
}

int ct_sl_replayed_timeline(const char *system, const struct ct_sl_org *o, unsigned cores, size_t most,
                            struct ct_profile *p, struct ct_error *e)
{
	size_t n;
	const struct ct_sl_change *c = ct_sl_org_timeline(o, &n);
	int st = CT_OK;
	for (unsigned i = 0; i < cores && st == CT_OK; i++) {
		struct ct_sl_change start = {0, i, CT_SL_SAMPLING_STATE};
		st = put_mode(system, &start, p, e);
	}
	for (size_t i = 0; i < n && i < most && st == CT_OK; i++)
		st = put_mode(system, &c[i], p, e);
	return st;
}
