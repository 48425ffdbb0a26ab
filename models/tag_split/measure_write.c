/* From counts to rates and ES records. */
#include <math.h>
#include <string.h>

#include "base/numeric.h"
#include "models/common/records.h"
#include "models/tag_split/measure_internal.h"

static double ratio_of(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* Half the width of the 95 % range of the misses that followed sets stand for, per request. */
static double rate_error(const struct ct_ts_counts *c)
{
	return ct_normal_factor95() * sqrt(c->deviation) / fmax((double)c->requests, 1);
}

struct ct_ts_rate ct_ts_request_miss_rate(const struct ct_ts_counts *c)
{
	double n = (double)c->requests, r = ratio_of((double)c->request_misses, n);
	double error = n > 0 ? rate_error(c) : 0;
	return (struct ct_ts_rate){r, fmax(r - error, 0), fmin(r + error, 1)};
}

/* Where not every request was followed, an instruction of n requests that miss each with
 * probability r misses with one between r and min(1, n r): the estimate takes them as
 * independent. */
struct ct_ts_rate ct_ts_inst_miss_rate(const struct ct_ts_counts *c)
{
	double value = 0, low = 0, high = 0, n = (double)c->loads;
	if (c->seen == c->requests || !(n > 0)) {
		value = ratio_of((double)c->load_misses, n);
		return (struct ct_ts_rate){value, value, value};
	}
	double any = ratio_of((double)c->request_misses, (double)c->requests);
	double error = rate_error(c);
	for (int k = 1; k <= CT_TS_LINES_MAX; k++) {
		double share = (double)c->insts_of[k] / n;
		double r = c->requests_of[k] ? (double)c->misses_of[k] / (double)c->requests_of[k] : any;
		if (share == 0)
			continue;
		value += share * (1 - pow(1 - r, k));
		low += share * fmax(r - error, 0);
		high += share * fmin(1, k * (r + error));
	}
	return (struct ct_ts_rate){value, low, high};
}

static void put_rate(struct ct_records *w, const char *metric, struct ct_ts_rate r)
{
	if (r.low < r.high)
		ct_records_between(w, metric, r.value, r.low, r.high);
	else
		ct_records_value(w, metric, r.value);
}

/* Counts of the followed sets stand for all: multiplied by what was seen over what was
 * followed. */
static void write_counts(struct ct_records *w, const struct ct_ts_counts *c, double load, double packet)
{
	ct_records_value(w, "traffic_l1_to_l2_bytes",
	                 packet * (load * (double)c->request_packets + (double)c->write_packets));
	ct_records_value(w, "traffic_l2_to_l1_bytes", packet * load * (double)c->data_packets);
	ct_records_value(w, "l1_loads", (double)c->loads);
	ct_records_value(w, "l1_requests", (double)c->seen);
	ct_records_value(w, "l1_request_misses", load * (double)c->request_misses);
	ct_records_value(w, "l1_miss_packets", load * (double)c->request_packets);
	ct_records_value(w, "l1_partial_misses", load * (double)c->partial);
	ct_records_value(w, "l1_fetched_bytes", load * (double)c->fetched_bytes);
	ct_records_value(w, "l1_stores", (double)c->stores_seen);
	ct_records_value(w, "l1_port_cycles", load * (double)c->port_cycles + (double)c->stores_seen);
	ct_records_value(w, "noc_request_flits",
	                 load * (double)c->request_flits + (double)c->store_request_flits);
	ct_records_value(w, "noc_reply_flits",
	                 load * (double)c->reply_flits + (double)c->store_reply_flits);
	ct_records_value(w, "llc_accesses", load * (double)c->llc_accesses + (double)c->store_accesses);
	ct_records_value(w, "llc_load_accesses", load * (double)c->llc_accesses);
	ct_records_value(w, "llc_load_lines", load * (double)c->llc_lines);
	ct_records_value(w, "chunk_touched_fraction",
	                 ratio_of((double)c->use.touched, (double)c->use.fetched));
	ct_records_value(w, "chunk_reused_fraction",
	                 ratio_of((double)c->use.reused, (double)c->use.fetched));
}

/* The records of one system: rates, traffic, and what Tag-Split and MRPB alone have. */
static void write_one(struct ct_records *w, const struct ct_ts_measure *m, const struct ts_one *one,
                      const struct ct_ts_counts *c, double insts)
{
	double load = c->requests ? (double)c->seen / (double)c->requests : 1;
	double store = c->stores ? (double)c->stores_seen / (double)c->stores : 1;
	double misses = load * (double)c->sector_misses + store * (double)c->store_sector_misses;
	double sectors = load * (double)c->sectors + store * (double)c->store_sectors;
	double bytes = ct_ts_storage_bytes(&one->system, &m->g, m->g.l1.size, &m->o.params);
	w->system = one->system.name;
	put_rate(w, "mem_inst_miss_rate", ct_ts_inst_miss_rate(c));
	put_rate(w, "l1_load_request_miss_rate", ct_ts_request_miss_rate(c));
	ct_records_value(w, "l1_untimed_miss_rate", ratio_of(misses, sectors));
	ct_records_value(w, "l1_request_mpki", 1000 * ratio_of(load * (double)c->request_misses, insts));
	write_counts(w, c, load, m->packet);
	if (!isnan(bytes))
		ct_records_value(w, "storage_bytes", bytes);
	if (one->system.kind == CT_TS_SPLIT) {
		ct_records_value(w, "collateral_evictions", load * (double)c->collateral);
		ct_records_value(w, "coarse_fraction",
		                 ratio_of((double)c->coarse_requests, (double)c->requests));
		ct_records_value(w, "coarse_only_misses", load * (double)c->coarse_only);
	}
	if (one->system.prioritised)
		ct_records_value(w, "bypass_fraction",
		                 ratio_of((double)c->bypassed, (double)c->requests));
}

int ct_ts_measure_write(struct ct_ts_measure *m, struct ct_profile *p, uint64_t thread_insts,
                        struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = "tag-split", .method = "replay"};
	for (unsigned i = 0; i < m->n && w.status == CT_OK; i++) {
		struct ct_ts_counts c;
		w.status = ct_ts_measure_counts(m, i, &c, e);
		if (w.status == CT_OK)
			write_one(&w, m, &m->one[i], &c, (double)thread_insts);
	}
	return w.status;
}
