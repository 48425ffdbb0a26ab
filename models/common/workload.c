#include "models/common/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "models/common/miss_curve.h"

static const char SCOPE[] = "all";

struct wanted {
	const char *type, *name;
	double *to;
	int needed; /* else NaN when absent */
};

static int fetch(const struct ct_profile *p, const struct wanted *w, struct ct_error *e)
{
	double v;
	int found = w->type[0] == 'S' ? ct_profile_get(p, SCOPE, w->name, &v)
	                              : ct_profile_get_im(p, SCOPE, w->name, &v);
	if (!found && w->needed)
		return ct_fail(e, CT_ERR_INPUT, "the profile lacks %s all %s: make it with `reuse TRACE`",
		               w->type, w->name);
	*w->to = found && isfinite(v) ? v : NAN;
	return CT_OK;
}

static int fetch_all(const struct ct_profile *p, struct ct_workload *w, struct ct_error *e)
{
	const struct wanted list[] = {
		{ "SN", "warp_insts", &w->warp_insts, 1 },
		{ "SN", "thread_insts", &w->thread_insts, 1 },
		{ "SN", "cycles", &w->cycles, 1 },
		{ "SN", "launch_cycles", &w->launch_cycles, 1 },
		{ "SN", "l1_sector_accesses", &w->l1_sectors, 1 },
		{ "SN", "l1_sector_misses", &w->l1_sector_misses, 1 },
		{ "SN", "l1_read_sector_accesses", &w->l1_read_sectors, 1 },
		{ "SN", "l1_read_sector_misses", &w->l1_read_misses, 1 },
		{ "SN", "llc_sector_accesses", &w->llc_sectors, 1 },
		{ "SN", "llc_sector_misses", &w->llc_sector_misses, 1 },
		{ "SN", "llc_read_sector_accesses", &w->llc_read_sectors, 1 },
		{ "SN", "llc_read_sector_misses", &w->llc_read_misses, 1 },
		{ "SN", "dram_read_bytes", &w->dram_read_bytes, 1 },
		{ "SN", "dram_write_bytes", &w->dram_write_bytes, 1 },
		{ "SN", "compression_high", &w->compression_high, 0 },
		{ "SN", "compression_low", &w->compression_low, 0 },
		{ "SN", "compression_none", &w->compression_none, 0 },
		{ "SN", "sm_fill", &w->sm_fill, 0 },
		{ "SN", "cold_miss_fraction", &w->cold_miss_fraction, 0 },
		{ "IM", "launches", &w->launches, 1 },
		{ "IM", "loads", &w->loads, 1 },
		{ "IM", "mem_latency_cycles", &w->mem_latency, 0 },
		{ "IM", "mem_parallelism", &w->mem_parallelism, 0 },
		{ "IM", "think_cycles", &w->think, 0 },
		{ "IM", "resident_warps", &w->resident_warps, 1 },
		{ "IM", "active_sms", &w->active_sms, 1 },
		{ "IM", "warps_per_cta", &w->warps_per_cta, 1 },
		{ "IM", "cta_capacity", &w->cta_capacity, 1 },
		{ "IM", "waves", &w->waves, 1 },
		{ "IM", "l1_requests", &w->l1_requests, 1 },
		{ "IM", "llc_requests", &w->llc_requests, 1 },
		{ "IM", "llc_line_misses", &w->llc_line_misses, 1 },
		{ "IM", "issue_cycles", &w->issue_cycles, 1 },
		{ "IM", "unit_cycles", &w->unit_cycles, 1 },
		{ "IM", "l1_cycles", &w->l1_cycles, 1 },
		{ "IM", "noc_request_cycles", &w->noc_request_cycles, 1 },
		{ "IM", "noc_reply_cycles", &w->noc_reply_cycles, 1 },
		{ "IM", "llc_cycles", &w->llc_cycles, 1 },
	};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		int st = fetch(p, &list[i], e);
		if (st != CT_OK)
			return st;
	}
	return CT_OK;
}

static int add_view(struct ct_workload *w, const struct ct_profile *p, const char *name,
                    unsigned sms)
{
	struct ct_hist *writes = calloc(1, sizeof *writes);
	struct ct_llc_view *v = &w->view[w->n_views];
	memset(v, 0, sizeof *v);
	if (!writes)
		return -1;
	if (ct_profile_get_hist(p, SCOPE, name, &v->hist, writes)) {
		ct_hist_merge(&v->hist, writes);
		v->sms = sms;
		v->requests = (double)ct_hist_total(&v->hist);
		w->n_views++;
	}
	free(writes);
	return 0;
}

static int by_sms(const void *a, const void *b)
{
	unsigned x = ((const struct ct_llc_view *)a)->sms, y = ((const struct ct_llc_view *)b)->sms;
	return (x > y) - (x < y);
}

/* The baseline's own view stands for all SMs; llc@sms=N for others. */
static int read_views(struct ct_workload *w, const struct ct_profile *p, struct ct_error *e)
{
	static const char PREFIX[] = "llc@sms=";
	if (add_view(w, p, "llc", w->sms) < 0)
		return ct_fail_nomem(e);
	if (w->n_views == 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile lacks RD all llc: make it with `reuse TRACE`");
	const struct ct_record *r;
	size_t i = 0;
	while ((r = ct_profile_next(p, "RD", &i)) && w->n_views < CT_WORKLOAD_VIEWS_MAX) {
		uint64_t n;
		if (strcmp(r->field[0], SCOPE) != 0 || strncmp(r->field[1], PREFIX, sizeof PREFIX - 1) ||
		    ct_parse_u64_range(r->field[1] + sizeof PREFIX - 1, 1, w->sms, &n) < 0)
			continue;
		unsigned known = n == w->sms;
		for (unsigned v = 0; v < w->n_views; v++)
			known |= w->view[v].sms == n;
		if (!known && add_view(w, p, r->field[1], (unsigned)n) < 0)
			return ct_fail_nomem(e);
	}
	qsort(w->view, w->n_views, sizeof w->view[0], by_sms);
	return CT_OK;
}

/* Mean share of the register file that resident CTAs use, weighted by warps. */
static double registers_used(const struct ct_profile *p, double resident_warps, double rf_bytes)
{
	enum { KN_WARPS = 4, KN_REGS = 8 };
	const struct ct_record *r;
	size_t i = 0;
	double regs = 0, warps = 0, n, k;
	while ((r = ct_profile_next(p, "KN", &i)))
		if (r->nfields > KN_REGS && ct_field_real(r->field[KN_WARPS], &n) &&
		    ct_field_real(r->field[KN_REGS], &k)) {
			warps += n;
			regs += n * k;
		}
	if (!(warps > 0) || !(rf_bytes > 0))
		return NAN;
	return fmin(regs / warps * resident_warps * 32 * 4 / rf_bytes, 1);
}

int ct_workload_read(struct ct_workload *w, const struct ct_profile *p, unsigned sms,
                     double rf_bytes, struct ct_error *e)
{
	memset(w, 0, sizeof *w);
	w->sms = sms;
	int st = fetch_all(p, w, e);
	if (st == CT_OK)
		st = read_views(w, p, e);
	if (st != CT_OK)
		return st;
	w->cycles -= w->launch_cycles;
	if (!(w->cycles > 0) || !(w->warp_insts > 0))
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile holds no cycles or no instructions: nothing to estimate");
	if (!(w->l1_cycles > 0))
		w->l1_cycles = w->l1_requests; /* not measured: a line request a cycle */
	if (!(w->active_sms > 0))
		w->active_sms = sms;
	if (!(w->resident_warps > 0))
		w->resident_warps = 1;
	w->registers_used = registers_used(p, w->resident_warps, rf_bytes);
	struct ct_hist *writes = calloc(1, sizeof *writes);
	if (!writes)
		return ct_fail_nomem(e);
	w->has_l1 = ct_profile_get_hist(p, SCOPE, "l1", &w->l1, writes);
	ct_hist_merge(&w->l1, writes);
	free(writes);
	return CT_OK;
}

void ct_workload_bracket(const struct ct_workload *w, double sms, unsigned *first,
                         unsigned *second, double *weight)
{
	unsigned i = 0;
	while (i + 1 < w->n_views && w->view[i + 1].sms <= sms)
		i++;
	*first = *second = i;
	*weight = 0;
	if (i + 1 < w->n_views && sms > w->view[i].sms) {
		*second = i + 1;
		*weight = (sms - w->view[i].sms) / (w->view[i + 1].sms - w->view[i].sms);
	}
}

double ct_workload_llc_requests(const struct ct_workload *w, double sms)
{
	unsigned a, b;
	double t;
	ct_workload_bracket(w, sms, &a, &b, &t);
	return w->view[a].requests * (1 - t) + w->view[b].requests * t;
}

static double misses(const struct ct_llc_view *v, double lines, unsigned ways)
{
	struct ct_cache_shape shape = { lines, ways ? ways : UINT32_MAX };
	return fmax(v->requests - ct_curve_hits(&v->hist, &shape), 0);
}

double ct_workload_llc_misses(const struct ct_workload *w, double sms, double lines,
                              unsigned ways)
{
	unsigned a, b;
	double t;
	ct_workload_bracket(w, sms, &a, &b, &t);
	double m = misses(&w->view[a], lines, ways);
	return t > 0 ? m * (1 - t) + misses(&w->view[b], lines, ways) * t : m;
}
