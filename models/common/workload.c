#include "models/common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/units.h"
#include "models/common/miss_curve.h"

static const char SCOPE[] = "all";

struct wanted {
	const char *type, *name;
	double *to;
	int needed; /* else NaN when absent */
};

static int fetch_value(const struct ct_profile *p, const struct wanted *w, struct ct_error *e)
{
	double v;
	int found = w->type[0] == 'S' ? ct_profile_get(p, SCOPE, w->name, &v)
	                              : ct_profile_get_im(p, SCOPE, w->name, &v);
	if (!found && w->needed)
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile lacks %s all %s: make it with `reuse TRACE`", w->type,
		               w->name);
	*w->to = found && isfinite(v) ? v : NAN;
	return CT_OK;
}

/* Fetches the numbers of scope all that the models read; those that only some need are NaN where the profile lacks
 * them. */
static int fetch_all(const struct ct_profile *p, struct ct_workload *w, struct ct_error *e)
{
	const struct wanted list[] = {
		{"SN", "warp_insts", &w->warp_insts, 1},
		{"SN", "thread_insts", &w->thread_insts, 1},
		{"SN", "cycles", &w->cycles, 1},
		{"SN", "launch_cycles", &w->launch_cycles, 1},
		{"SN", "l1_sector_accesses", &w->l1_sectors, 1},
		{"SN", "l1_sector_misses", &w->l1_sector_misses, 1},
		{"SN", "l1_read_sector_accesses", &w->l1_read_sectors, 1},
		{"SN", "l1_read_sector_misses", &w->l1_read_misses, 1},
		{"SN", "llc_sector_accesses", &w->llc_sectors, 1},
		{"SN", "llc_sector_misses", &w->llc_sector_misses, 1},
		{"SN", "llc_read_sector_accesses", &w->llc_read_sectors, 1},
		{"SN", "llc_read_sector_misses", &w->llc_read_misses, 1},
		{"SN", "llc_pending_hits", &w->llc_pending, 0},
		{"SN", "dram_read_bytes", &w->dram_read_bytes, 1},
		{"SN", "dram_write_bytes", &w->dram_write_bytes, 1},
		{"SN", "compression_high", &w->compression_high, 0},
		{"SN", "compression_low", &w->compression_low, 0},
		{"SN", "compression_none", &w->compression_none, 0},
		{"SN", "sm_fill", &w->sm_fill, 0},
		{"SN", "cold_miss_fraction", &w->cold_miss_fraction, 0},
		{"IM", "launches", &w->launches, 1},
		{"IM", "loads", &w->loads, 1},
		{"IM", "mem_latency_cycles", &w->mem_latency, 0},
		{"IM", "mem_parallelism", &w->mem_parallelism, 0},
		{"IM", "think_cycles", &w->think, 0},
		{"IM", "resident_warps", &w->resident_warps, 1},
		{"IM", "active_sms", &w->active_sms, 1},
		{"IM", "mem_stall_warp_cycles", &w->mem_stall, 0},
		{"IM", "mem_stall_open_cycles", &w->mem_stall_open, 0},
		{"IM", "warps", &w->warps, 0},
		{"IM", "warps_per_cta", &w->warps_per_cta, 1},
		{"IM", "cta_capacity", &w->cta_capacity, 1},
		{"IM", "waves", &w->waves, 1},
		{"IM", "l1_requests", &w->l1_requests, 1},
		{"IM", "llc_requests", &w->llc_requests, 1},
		{"IM", "llc_line_misses", &w->llc_line_misses, 1},
		{"IM", "issue_cycles", &w->issue_cycles, 1},
		{"IM", "unit_cycles", &w->unit_cycles, 1},
		{"IM", "l1_cycles", &w->l1_cycles, 1},
		{"IM", "noc_request_cycles", &w->noc_request_cycles, 1},
		{"IM", "noc_reply_cycles", &w->noc_reply_cycles, 1},
		{"IM", "llc_cycles", &w->llc_cycles, 1},
		{"IM", "l1_set_stall_cycles", &w->l1_set_stall, 0},
		{"IM", "l1_mshr_stall_cycles", &w->l1_mshr_stall, 0},
		{"IM", "llc_merge_stall_cycles", &w->llc_merge_stall_cycles, 0},
		{"IM", "noc_request_backlog_cycles", &w->noc_request_backlog, 0},
		{"IM", "noc_reply_backlog_cycles", &w->noc_reply_backlog, 0},
		{"IM", "dram_backlog_cycles", &w->dram_backlog_cycles, 0},
		{"IM", "dram_backlog_busy_cycles", &w->dram_backlog_busy_cycles, 0},
	};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		int st = fetch_value(p, &list[i], e);
		if (st != CT_OK)
			return st;
	}
	return CT_OK;
}

/* Reads and writes of one view together; 1 if the profile has it, < 0 out of memory. */
static int fetch_view(const struct ct_profile *p, const char *name, struct ct_hist *to)
{
	struct ct_hist *writes = calloc(1, sizeof *writes);
	memset(to, 0, sizeof *to);
	if (!writes)
		return -1;
	int found = ct_profile_get_hist(p, SCOPE, name, to, writes);
	ct_hist_merge(to, writes);
	free(writes);
	return found;
}

/* Appends the LLC's histograms of one SM count, if the profile has them. */
static int add_view(struct ct_workload *w, const struct ct_profile *p, const char *suffix, unsigned sms)
{
	struct ct_llc_view *v = &w->view[w->n_views];
	char name[64];
	snprintf(name, sizeof name, "llc%s", suffix);
	int found = fetch_view(p, name, &v->hist);
	if (found <= 0)
		return found;
	snprintf(name, sizeof name, "llc_sector%s", suffix);
	if (fetch_view(p, name, &v->sector) < 0)
		return -1;
	v->sms = sms;
	v->total = v->requests = (double)ct_hist_total(&v->hist);
	v->sectors = (double)ct_hist_total(&v->sector);
	w->n_views++;
	return 0;
}

static int by_sms(const void *a, const void *b)
{
	unsigned x = ((const struct ct_llc_view *)a)->sms, y = ((const struct ct_llc_view *)b)->sms;
	return (x > y) - (x < y);
}

/* A workload that leaves SMs free sends the same from fewer of them. */
static void find_twins(struct ct_workload *w)
{
	for (unsigned v = 1; v < w->n_views; v++)
		for (unsigned k = v; k-- > 0 && !w->view[v].twin;) {
			const struct ct_llc_view *a = &w->view[v], *b = &w->view[k];
			if (!memcmp(&a->hist, &b->hist, sizeof a->hist) &&
			    !memcmp(&a->sector, &b->sector, sizeof a->sector))
				w->view[v].twin = b->twin ? b->twin : k + 1;
		}
}

unsigned ct_workload_same_view(const struct ct_workload *w, unsigned v)
{
	return w->view[v].twin ? w->view[v].twin - 1 : v;
}

/* The baseline's own view stands for all SMs; llc@sms=N for others. */
static int read_views(struct ct_workload *w, const struct ct_profile *p, struct ct_error *e)
{
	static const char PREFIX[] = "llc@sms=";
	if (add_view(w, p, "", w->sms) < 0)
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
		if (!known && add_view(w, p, r->field[1] + 3, (unsigned)n) < 0)
			return ct_fail_nomem(e);
	}
	double sectors = w->view[0].sectors;
	for (unsigned v = 0; v < w->n_views && sectors > 0 && w->llc_requests > 0; v++)
		if (w->view[v].sectors > 0)
			w->view[v].requests = w->llc_requests * w->view[v].sectors / sectors;
	qsort(w->view, w->n_views, sizeof w->view[0], by_sms);
	find_twins(w);
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

int ct_workload_read(struct ct_workload *w, const struct ct_profile *p, unsigned sms, double rf_bytes,
                     struct ct_error *e)
{
	const char *method = ct_profile_method(p, "all", "cycles");
	memset(w, 0, sizeof *w);
	w->sms = sms;
	/* Half of its numbers are another GPU's. */
	if (method && strcmp(method, "analytic") == 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile was moved to another GPU by an earlier command: give "
		               "this one its -g and -p, and the profile of reuse");
	int st = fetch_all(p, w, e);
	if (st == CT_OK)
		st = read_views(w, p, e);
	if (st != CT_OK)
		return st;
	w->cycles -= w->launch_cycles;
	if (!(w->llc_pending > 0))
		w->llc_pending = 0;
	if (!(w->llc_merge_stall_cycles > 0))
		w->llc_merge_stall_cycles = 0;
	if (!(w->l1_set_stall >= 0) || !(w->l1_mshr_stall >= 0))
		w->l1_set_stall = w->l1_mshr_stall = NAN;
	if (!(w->noc_request_backlog >= 0) || !(w->noc_reply_backlog >= 0))
		w->noc_request_backlog = w->noc_reply_backlog = NAN;
	if (!(w->dram_backlog_cycles >= 0) || !(w->dram_backlog_busy_cycles >= 0))
		w->dram_backlog_cycles = w->dram_backlog_busy_cycles = NAN;
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
	w->has_l1 = fetch_view(p, "l1", &w->l1);
	return w->has_l1 < 0 ? ct_fail_nomem(e) : CT_OK;
}

int ct_workload_missing(const struct ct_profile *p, unsigned sms, double rf_bytes, struct ct_error *e)
{
	struct ct_workload *w = ct_calloc(1, sizeof *w);
	int st = w ? ct_workload_read(w, p, sms, rf_bytes, e) : ct_fail_nomem(e);
	free(w);
	return st != CT_OK ? st
	                   : ct_fail(e, CT_ERR_USAGE,
	                             "the workload of the profile was not read: read it first");
}

void ct_workload_bracket(const struct ct_workload *w, double sms, unsigned *first, unsigned *second,
                         double *weight)
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

double ct_workload_llc_cold(const struct ct_workload *w, double sms)
{
	unsigned a, b;
	double t;
	ct_workload_bracket(w, sms, &a, &b, &t);
	return (double)w->view[a].hist.cold * (1 - t) + (double)w->view[b].hist.cold * t;
}

double ct_workload_llc_sector_cold(const struct ct_workload *w, double sms)
{
	unsigned a, b;
	double t;
	ct_workload_bracket(w, sms, &a, &b, &t);
	return (double)w->view[a].sector.cold * (1 - t) + (double)w->view[b].sector.cold * t;
}

/* Direct-mapped: a collision only costs time. */
enum { CACHE_SLOTS = 4096 };
struct ct_miss_cache {
	struct {
		double lines, misses;
		unsigned ways, which; /* 1 + 2 view + (0 lines, 1 sectors); 0: empty */
	} slot[CACHE_SLOTS];
};

struct ct_miss_cache *ct_miss_cache_new(void)
{
	return calloc(1, sizeof(struct ct_miss_cache));
}

void ct_miss_cache_free(struct ct_miss_cache *c)
{
	free(c);
}

static size_t slot_of(unsigned which, double lines, unsigned ways)
{
	uint64_t bits;
	memcpy(&bits, &lines, sizeof bits);
	return ct_mix64(bits + which * CT_GOLDEN64 + ways) % CACHE_SLOTS;
}

static void remember_misses(struct ct_miss_cache *c, unsigned which, double lines, unsigned ways,
                            double m)
{
	size_t at = slot_of(which, lines, ways);
	c->slot[at].lines = lines;
	c->slot[at].misses = m;
	c->slot[at].ways = ways;
	c->slot[at].which = which;
}

static double misses_beyond(const struct ct_llc_view *v, int sectors, double hits)
{
	return fmax((sectors ? v->sectors : v->total) - hits, 0);
}

/* Lines and sectors of the view and of the next, which are mostly asked for together: what
 * share of a bin hits is the same for all. */
static void remember_all(const struct ct_workload *w, unsigned first, double lines, unsigned ways)
{
	const struct ct_hist *h[4] = {0};
	double hits[4];
	unsigned n = 0, views[4] = {0};
	for (unsigned v = first; v < w->n_views && n < 4; v++) {
		if (ct_workload_same_view(w, v) != v)
			continue;
		for (int k = 0; k < 2; k++, n++) {
			views[n] = v;
			h[n] = k ? &w->view[v].sector : &w->view[v].hist;
		}
	}
	ct_hist_hits_of(h, n, lines, ways ? ways : UINT32_MAX, hits);
	for (unsigned i = 0; i < n; i++)
		remember_misses(w->cache, 1 + 2 * views[i] + i % 2, lines, ways,
		                misses_beyond(&w->view[views[i]], i % 2, hits[i]));
}

/* Misses of one view: of lines, or of sectors. */
static double misses_of_view(const struct ct_workload *w, unsigned view, int sectors, double lines,
                             unsigned ways)
{
	unsigned first = ct_workload_same_view(w, view), which = 1 + 2 * first + (sectors != 0);
	const struct ct_llc_view *v = &w->view[first];
	struct ct_miss_cache *c = w->cache;
	size_t at = slot_of(which, lines, ways);
	for (int asked = 0; c && asked < 2; asked++) {
		if (c->slot[at].which == which && c->slot[at].ways == ways &&
		    !memcmp(&c->slot[at].lines, &lines,
		            sizeof lines)) /* NOLINT(bugprone-suspicious-memory-comparison,cert-*): a key */
			return c->slot[at].misses;
		if (!asked)
			remember_all(w, first, lines, ways);
	}
	struct ct_cache_shape shape = {lines, ways ? ways : UINT32_MAX};
	return misses_beyond(v, sectors, ct_curve_hits(sectors ? &v->sector : &v->hist, &shape));
}

double ct_workload_llc_misses(const struct ct_workload *w, double sms, double lines, unsigned ways)
{
	unsigned a, b;
	double t;
	ct_workload_bracket(w, sms, &a, &b, &t);
	double m = misses_of_view(w, a, 0, lines, ways);
	return t > 0 ? m * (1 - t) + misses_of_view(w, b, 0, lines, ways) * t : m;
}

double ct_workload_llc_sector_misses(const struct ct_workload *w, double sms, double lines,
                                     unsigned ways)
{
	unsigned a, b;
	double t;
	ct_workload_bracket(w, sms, &a, &b, &t);
	if (!(w->view[a].sectors > 0) || !(w->view[b].sectors > 0))
		return NAN;
	double m = misses_of_view(w, a, 1, lines, ways);
	return t > 0 ? m * (1 - t) + misses_of_view(w, b, 1, lines, ways) * t : m;
}
