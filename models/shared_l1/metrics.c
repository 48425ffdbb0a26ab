#include "models/shared_l1/metrics.h"

#include <math.h>

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double ct_sl_amat(const struct ct_sl_group *g, const struct ct_sl_latencies *l)
{
	double own = g->local + g->remote;
	double amat_home = l->home + share_of(g->remote_misses, g->remote) * l->llc;
	return l->l1 + share_of(g->local, own) * share_of(g->local_misses, g->local) * l->llc +
	       share_of(g->remote, own) * amat_home;
}

double ct_sl_group_miss_rate(const struct ct_sl_group *g)
{
	return share_of(g->served_misses, g->served);
}

double ct_sl_eb(const struct ct_sl_group *g)
{
	if (!(g->served > 0))
		return g->home_replies + g->past;
	double rate = fmax(ct_sl_group_miss_rate(g), 1 / g->served);
	return g->llc_replies / rate + g->home_replies + g->past;
}

int ct_sl_decide(enum ct_sl_metric by, const struct ct_sl_group *private_group,
                 const struct ct_sl_group *shared_group, const struct ct_sl_latencies *l, double guard,
                 int before)
{
	if (ct_sl_group_miss_rate(private_group) < guard)
		return 0;
	double a, b; /* larger is better */
	if (by == CT_SL_BY_AMAT) {
		a = -ct_sl_amat(private_group, l);
		b = -ct_sl_amat(shared_group, l);
	} else {
		a = ct_sl_eb(private_group);
		b = ct_sl_eb(shared_group);
	}
	return a == b ? before : b > a;
}

double ct_sl_sampling_accesses(const struct ct_sl_params *p, double local, double odd)
{
	/* Of the accesses that fall to the shared group only `local` count. */
	double counted = odd * (ct_sl_count_of(p) == CT_SL_COUNT_LOCAL ? local : 1);
	return p->v[CT_SL_SAMPLING] / fmax(fmin(counted, 1 - odd), 1e-9);
}

double ct_sl_execution_accesses(const struct ct_sl_params *p, double local, int shared)
{
	double counted = shared && ct_sl_count_of(p) == CT_SL_COUNT_LOCAL ? local : 1;
	return p->v[CT_SL_EXECUTION] / fmax(counted, 1e-9);
}

double ct_sl_sampling_share(const struct ct_sl_params *p, double local, double odd, int shared,
                            double accesses)
{
	double sampling = ct_sl_sampling_accesses(p, local, odd);
	double period = sampling + ct_sl_execution_accesses(p, local, shared);
	if (!(accesses > 0))
		return 1;
	double whole = floor(accesses / period);
	return (whole * sampling + fmin(accesses - whole * period, sampling)) / accesses;
}

int ct_sl_is_target(const struct ct_sl_params *p, double replication_ratio, double miss_rate,
                    double gain_16x)
{
	return replication_ratio > p->v[CT_SL_TARGET_REPLICATION] &&
	       miss_rate > p->v[CT_SL_TARGET_MISS] && gain_16x > p->v[CT_SL_TARGET_GAIN];
}
