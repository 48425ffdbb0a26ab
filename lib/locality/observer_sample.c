/* Scales what was counted on a sample of the lines up to the whole stream. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/observer_state.h"
#include "locality/parts.h"

/* Nearest whole number. */
static uint64_t whole(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

/* The distance in the whole stream that a bound of the sample's histogram stands for. Distance d fills
 * [d, d + 1) of a histogram; sampled, it is d rate on average, with its middle at d rate + 1/2 instead of (d + 1/2) rate. */
static double true_distance(double sampled, double rate)
{
	double d = (sampled - (1 - rate) / 2) / rate;
	return d > 0 ? d : 0;
}

/* Adds `count` spread evenly over [lo, hi) to the histogram, in whole counts: each bin
 * gets the difference of the rounded running sum at its ends, so nothing is lost. */
static void spread(struct ct_hist *h, double lo, double hi, double *owed, double count)
{
	unsigned bin = ct_hist_bin((uint64_t)lo);
	double at = lo;
	while (at < hi) {
		double end = (double)ct_hist_hi(bin);
		end = end < hi && bin + 1 < CT_HIST_BINS ? end : hi;
		double before = *owed;
		*owed += count * (end - at) / (hi - lo);
		h->count[bin++] += whole(*owed) - whole(before);
		at = end;
	}
}

void ct_obs_scale_hist(const struct ct_hist *raw, double rate, uint64_t total, struct ct_hist *out)
{
	struct ct_hist h = {{0}, 0};
	double owed = 0;
	for (unsigned i = 0; i < CT_HIST_BINS; i++)
		if (raw->count[i])
			spread(&h, true_distance((double)ct_hist_lo(i), rate),
			       true_distance((double)ct_hist_hi(i), rate), &owed,
			       (double)raw->count[i] / rate);
	h.cold = whole((double)raw->cold / rate);
	uint64_t sum = ct_hist_total(&h);
	owed = 0;
	/* SHARDS-adj: what is missing are accesses of very hot lines. */
	if (sum < total)
		spread(&h, 0, 1 / rate, &owed, (double)(total - sum));
	else
		ct_hist_cut(&h, sum - total);
	ct_hist_merge(out, &h);
}

/* Bounds of a cell at the true distances. */
static uint64_t bound(uint64_t d, double rate)
{
	return d == CT_COLD ? CT_COLD : whole(true_distance((double)d, rate));
}

static int scale_rj(const struct ct_rj *raw, double rate, uint64_t total, int top_up, struct ct_rj *out,
                    struct ct_error *e)
{
	double owed = 0;
	uint64_t sum = 0;
	int rc = 0;
	for (size_t i = 0; i < raw->n && rc == 0; i++) {
		const struct ct_rj_cell *c = &raw->cell[i];
		double before = owed;
		owed += (double)c->count / rate;
		struct ct_rj_cell to = {bound(c->own_lo, rate), bound(c->own_hi, rate),
		                        bound(c->other_lo, rate), bound(c->other_hi, rate),
		                        whole(owed) - whole(before)};
		sum += to.count;
		rc = ct_rj_add(out, &to, e);
	}
	if (rc == 0 && top_up && sum < total) {
		struct ct_rj_cell near = {0, whole(1 / rate), CT_COLD, CT_COLD, total - sum};
		rc = ct_rj_add(out, &near, e);
	}
	return rc;
}

static void scale_rt(uint64_t (*raw)[CT_RT_TIMES], double rate, uint64_t (*out)[CT_RT_TIMES])
{
	double owed = 0;
	for (unsigned d = 0; d < CT_RT_BINS; d++) {
		double middle = ((double)ct_rt_lo(d) + (double)ct_rt_hi(d)) / 2 / rate;
		unsigned to = ct_rt_bin(whole(middle));
		for (unsigned t = 0; t < CT_RT_TIMES; t++) {
			double before = owed;
			owed += (double)raw[d][t] / rate;
			out[to][t] += whole(owed) - whole(before);
		}
	}
}

static void add_totals(struct ct_obs_totals *to, const struct ct_obs_totals *from)
{
	for (int w = 0; w < 2; w++) {
		to->line[w] += from->line[w];
		to->sector[w] += from->sector[w];
	}
}

int ct_obs_scale(struct ct_locality *l, struct ct_locality_counts *c, struct ct_error *e)
{
	const struct ct_locality_counts *n = &l->now;
	static const struct ct_obs_totals none;
	const struct ct_obs_totals *t1 = l->o.without & CT_STREAM_L1 ? &none : &l->l1_total;
	const struct ct_obs_totals *tm = l->o.without & CT_STREAM_MERGED ? &none : &l->l1_total;
	const struct ct_obs_totals *t2 = &l->llc_total;
	double rate = ct_sampler_rate(&l->sampler, 0);
	ct_obs_scale_hist(&n->l1_read, rate, t1->line[0], &c->l1_read);
	ct_obs_scale_hist(&n->l1_write, rate, t1->line[1], &c->l1_write);
	ct_obs_scale_hist(&n->l1_sector_read, rate, t1->sector[0], &c->l1_sector_read);
	ct_obs_scale_hist(&n->l1_sector_write, rate, t1->sector[1], &c->l1_sector_write);
	ct_obs_scale_hist(&n->merged_read, rate, tm->line[0], &c->merged_read);
	ct_obs_scale_hist(&n->merged_write, rate, tm->line[1], &c->merged_write);
	ct_obs_scale_hist(&n->merged_sector_read, rate, tm->sector[0], &c->merged_sector_read);
	ct_obs_scale_hist(&n->merged_sector_write, rate, tm->sector[1], &c->merged_sector_write);
	ct_obs_scale_hist(&n->llc_read, rate, t2->line[0], &c->llc_read);
	ct_obs_scale_hist(&n->llc_write, rate, t2->line[1], &c->llc_write);
	ct_obs_scale_hist(&n->llc_sector_read, rate, t2->sector[0], &c->llc_sector_read);
	ct_obs_scale_hist(&n->llc_sector_write, rate, t2->sector[1], &c->llc_sector_write);
	scale_rt(l->now.rt, rate, c->rt);
	c->distinct_lines = whole((double)n->distinct_lines / rate);
	c->distinct_sectors = whole((double)n->distinct_sectors / rate);
	int rc = scale_rj(&n->rj_nearest, rate, t1->line[0], l->o.sharing, &c->rj_nearest, e);
	if (rc == 0)
		rc = scale_rj(&n->rj_sharers, rate, 0, 0, &c->rj_sharers, e);
	add_totals(&l->run_total[CT_VIEW_L1], t1);
	add_totals(&l->run_total[CT_VIEW_MERGED], tm);
	add_totals(&l->run_total[CT_VIEW_LLC], t2);
	memset(&l->l1_total, 0, sizeof l->l1_total);
	memset(&l->llc_total, 0, sizeof l->llc_total);
	return rc;
}

double ct_locality_error(const struct ct_locality *l, enum ct_locality_view view, double lines)
{
	if (!l->sampled)
		return NAN;
	int by_sector = view >= CT_VIEW_L1_SECTOR;
	const struct ct_obs_totals *t = &l->run_total[by_sector ? view - CT_VIEW_L1_SECTOR : view];
	const uint64_t *count = by_sector ? t->sector : t->line;
	double accesses = (double)count[0] + (double)count[1];
	double rate = ct_sampler_rate(&l->sampler, 0), within = lines * rate + (1 - rate) / 2;
	if (!(accesses > 0))
		return NAN;
	return ct_parts_error(l->part[view], within, sqrt(within > 1 ? within : 1)) / rate / accesses;
}

double ct_locality_rate(const struct ct_locality *l)
{
	return l->sampled ? ct_sampler_rate(&l->sampler, 0) : 1;
}

double ct_locality_sharing_rate(const struct ct_locality *l)
{
	return l->sharing ? ct_sharing_rate(l->sharing) : 1;
}

double ct_locality_sharing_error(const struct ct_locality *l, double lines)
{
	return l->sharing ? ct_sharing_error(l->sharing, lines) : NAN;
}
