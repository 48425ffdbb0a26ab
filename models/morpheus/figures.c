#include "models/morpheus/figures.h"

#include <math.h>

#include "models/common/perf.h"

enum { MEASURED_WARPS = 48 };

int ct_mo_helper_point(const struct ct_gpu *g, enum ct_mo_helper h, unsigned warps,
                       struct ct_mo_helper_point *out, struct ct_error *e)
{
	const struct ct_mo_helper_numbers *n = ct_mo_helper_numbers(h);
	struct ct_morpheus_params p;
	struct ct_morpheus_kernel k;
	ct_morpheus_defaults(&p);
	ct_morpheus_use_helper(&p, n->name);
	p.v[CT_MO_HELPER_WARPS] = warps;
	int st = ct_morpheus_kernel(g, &p, NULL, &k, e);
	if (st != CT_OK)
		return st;
	*out = (struct ct_mo_helper_point){.warps = warps, .latency_ns = n->service_ns};
	out->capacity_bytes = (double)(k.rf_bytes + k.l1_bytes);
	if (h == CT_MO_HELPER_L1 || h == CT_MO_HELPER_SHARED)
		out->capacity_bytes = (double)(g->unified_bytes > g->l1.size ? g->unified_bytes
		                                                             : g->l1.size);
	double full = fmin(warps, MEASURED_WARPS) / MEASURED_WARPS;
	out->gbps = n->gbps * full;
	out->pj_per_byte = n->pj_per_byte / full;
	return CT_OK;
}

/* Latencies are the model's own, unless parameters state measured ones. */
void ct_mo_timeline(const struct ct_gpu *g, const struct ct_morpheus_params *p,
                    enum ct_mo_timeline which, struct ct_mo_timeline_ns *out)
{
	static const char *const name[CT_MO_TIMELINES] = {
		"conventional hit", "conventional miss",        "extended hit",
		"extended miss",    "extended miss, predicted",
	};
	double hit, miss, trip = p->v[CT_MO_EXT_TRIP_NS];
	ct_perf_latencies_ns(g, &hit, &miss);
	if (p->v[CT_MO_CONV_HIT_NS] > 0)
		hit = p->v[CT_MO_CONV_HIT_NS];
	if (p->v[CT_MO_CONV_MISS_NS] > 0)
		miss = p->v[CT_MO_CONV_MISS_NS];
	int asked = which == CT_MO_TIME_EXT_HIT || which == CT_MO_TIME_EXT_MISS;
	int absent = which != CT_MO_TIME_CONV_HIT && which != CT_MO_TIME_EXT_HIT;
	*out = (struct ct_mo_timeline_ns){
		name[which], hit, asked ? trip : 0, absent ? miss - hit : 0, 0};
	out->total = out->llc + out->helper + out->dram;
}
