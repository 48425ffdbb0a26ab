/* Miss-ratio curves of what the pass measured (MR), and how far a sample may be off
 * (ME, RE). Curves are LRU; levels are named VIEW@RULE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "locality/mrc.h"
#include "pass/private/state.h"

enum { PER_OCTAVE = 4, MAX_POINTS = 60 * PER_OCTAVE };

/* One view of a scope, and the cache behind it. */
struct shown {
	enum ct_locality_view view;
	const char *name;
	struct ct_mrc_input in;
	const struct ct_cache_params *cache;
	uint32_t slices;             /* 0: no real cache sees the view as a whole */
	double capacity[MAX_POINTS]; /* lines */
	size_t n;
};

/* What all views of one scope share. */
struct curves {
	struct ct_pass_state *a;
	const char *scope;
	double *share;      /* of each LLC slice in the accesses */
	double *half_width; /* per bin of the view at hand; NULL: nothing was sampled */
};

static double most_distant(const struct ct_mrc_input *in)
{
	unsigned bin = CT_HIST_BINS;
	while (bin > 0 && in->reads->count[bin - 1] + in->writes->count[bin - 1] == 0)
		bin--;
	return bin ? (double)ct_hist_hi(bin - 1) : 0;
}

/* The view of a scope with the cache behind it and the capacities at which its curve is drawn: none where the view is
 * empty. */
static struct shown shown_of(const struct ct_pass_state *a, const struct ct_locality_counts *c,
                             enum ct_locality_view view)
{
	const struct {
		const char *name;
		const struct ct_hist *r, *w;
	} of[CT_VIEWS] = {
		[CT_VIEW_L1] = {"l1", &c->l1_read, &c->l1_write},
		[CT_VIEW_L1_SECTOR] = {"l1_sector", &c->l1_sector_read, &c->l1_sector_write},
		[CT_VIEW_MERGED] = {"merged", &c->merged_read, &c->merged_write},
		[CT_VIEW_MERGED_SECTOR] = {"merged_sector", &c->merged_sector_read,
	                                   &c->merged_sector_write},
		[CT_VIEW_LLC] = {"llc", &c->llc_read, &c->llc_write},
		[CT_VIEW_LLC_SECTOR] = {"llc_sector", &c->llc_sector_read, &c->llc_sector_write},
	};
	struct shown s = {.view = view,
	                  .name = of[view].name,
	                  .in = {of[view].r, of[view].w},
	                  .cache = &a->gpu.l1,
	                  .slices = 1};
	if (view == CT_VIEW_MERGED || view == CT_VIEW_MERGED_SECTOR)
		s.slices = 0;
	if (view == CT_VIEW_LLC || view == CT_VIEW_LLC_SECTOR) {
		s.cache = &a->gpu.llc;
		s.slices = a->gpu.llc_slices;
	}
	if (ct_mrc_accesses(&s.in) > 0)
		s.n = ct_mrc_capacities(most_distant(&s.in), PER_OCTAVE, s.capacity, MAX_POINTS);
	return s;
}

/* Ways of a cache of that capacity built like the real one; 0: fully associative. */
static unsigned ways_at(const struct shown *s, double lines)
{
	struct ct_cache_shape c = ct_cache_shape((uint64_t)(lines * s->cache->line), s->cache->line,
	                                         s->cache->sets * s->slices, s->cache->ways);
	return (double)c.ways < lines ? c.ways : 0;
}

/* Half-widths at the middle of every bin, for mixtures. */
static void fill_half_widths(struct curves *c, const struct shown *s)
{
	double end = s->n ? s->capacity[s->n - 1] : 0;
	for (unsigned bin = 0; c->half_width && bin < CT_HIST_BINS; bin++) {
		double lo = (double)ct_hist_lo(bin), hi = (double)ct_hist_hi(bin);
		c->half_width[bin] = lo > end
		                             ? c->half_width[bin - 1]
		                             : ct_locality_error(c->a->locality, s->view, (lo + hi) / 2);
	}
}

/* Half-width at a capacity. With sets the curve is a mean of LRU curves, each capacity
 * weighted by how often a set of `ways` lines stands for it, so the mean of their
 * half-widths bounds its own. */
static double half_width(const struct curves *c, const struct shown *s, double lines, unsigned ways)
{
	if (!c->half_width)
		return NAN;
	if (ways == 0)
		return ct_locality_error(c->a->locality, s->view, lines);
	double p = ways / lines, sum = 0, hit = 1;
	for (unsigned bin = 0; bin + 1 < CT_HIST_BINS && hit > 1e-9; bin++) {
		double next = ct_binomial_hit(ct_hist_hi(bin), ct_hist_hi(bin) + 1, p, ways);
		sum += (hit - next) * c->half_width[bin];
		hit = next;
	}
	return sum;
}

static int put_point(const struct curves *c, const struct shown *s, const char *rule, double lines,
                     double ratio, double width)
{
	char level[48];
	uint64_t bytes = (uint64_t)(lines * s->cache->line);
	snprintf(level, sizeof level, "%s@%s", s->name, rule);
	int st = ct_profile_add_mr(c->a->p, c->scope, level, bytes, ratio, c->a->e);
	if (st != CT_OK || isnan(width))
		return st;
	return ct_profile_add_me(c->a->p, c->scope, level, bytes, fmax(0, ratio - width),
	                         fmin(1, ratio + width), c->a->e);
}

static int put_lru(const struct curves *c, const struct shown *s)
{
	int st = CT_OK;
	for (size_t i = 0; i < s->n && st == CT_OK; i++)
		st = put_point(c, s, "lru", s->capacity[i], ct_mrc_ratio(&s->in, s->capacity[i], 0),
		               half_width(c, s, s->capacity[i], 0));
	return st;
}

static int put_assoc(const struct curves *c, const struct shown *s)
{
	int st = CT_OK;
	for (size_t i = 0; i < s->n && st == CT_OK; i++) {
		unsigned ways = ways_at(s, s->capacity[i]);
		st = put_point(c, s, "assoc", s->capacity[i], ct_mrc_ratio(&s->in, s->capacity[i], ways),
		               half_width(c, s, s->capacity[i], ways));
	}
	return st;
}

/* Writes the curve of an LLC whose slices are loaded as the replay loaded them: a slice with more than
 * its share of the accesses has less room for each line. */
static int put_slices(const struct curves *c, const struct shown *s)
{
	double accesses = (double)ct_mrc_accesses(&s->in);
	int st = CT_OK;
	for (size_t i = 0; i < s->n && st == CT_OK; i++) {
		double lines = s->capacity[i], width = 0;
		unsigned ways = ways_at(s, lines);
		for (uint32_t k = 0; k < s->slices && c->half_width; k++)
			if (c->share[k] > 0)
				width += c->share[k] *
				         half_width(c, s, lines / s->slices / c->share[k], ways);
		st = put_point(c, s, "slices", lines,
		               ct_mrc_misses_sliced(&s->in, lines, ways, c->share, s->slices) / accesses,
		               c->half_width ? width : NAN);
	}
	return st;
}

/* The LLC from the merged stream (doc/models.md section 3), where it is larger than all L1s
 * together; the replayed view says the rest. */
static int put_filtered(const struct curves *c, const struct shown *merged, const struct shown *llc)
{
	const struct ct_gpu *g = &c->a->gpu;
	const double l1_lines = (double)g->sms * (double)g->l1.size / g->l1.line;
	const double per_line = (double)g->llc.line / g->l1.line; /* L1 lines in one of the LLC */
	const double reach = (double)ct_mrc_accesses(&llc->in);
	int st = CT_OK;
	for (size_t i = 0; i < llc->n && st == CT_OK; i++) {
		double lines = llc->capacity[i];
		struct ct_mrc_filtered f = ct_mrc_filtered_llc(
			&merged->in, reach, l1_lines, lines * per_line, 0);
		double ratio = f.valid ? f.ratio : ct_mrc_ratio(&llc->in, lines, 0);
		/* The half-widths at hand are those of the merged view. */
		double width = !c->half_width ? NAN
		               : f.valid      ? half_width(c, merged, lines * per_line, 0) *
		                                   (double)ct_mrc_accesses(&merged->in) / reach
		                         : ct_locality_error(c->a->locality, llc->view, lines);
		st = put_point(c, llc, "filtered", lines, ratio, width);
	}
	return st;
}

static int put_view(struct curves *c, const struct shown *s)
{
	fill_half_widths(c, s);
	int st = put_lru(c, s);
	if (st == CT_OK && s->slices > 0)
		st = put_assoc(c, s);
	if (st == CT_OK && s->slices > 1 && c->share)
		st = put_slices(c, s);
	return st;
}

/* Share of each slice in the accesses; NULL when there were none. */
static int find_shares(const struct ct_pass_state *a, double **out, double *imbalance)
{
	uint64_t sum = 0, most = 0;
	*out = NULL;
	for (uint32_t i = 0; i < a->gpu.llc_slices; i++) {
		sum += a->slice_load[i];
		most = a->slice_load[i] > most ? a->slice_load[i] : most;
	}
	*imbalance = sum ? (double)most * a->gpu.llc_slices / (double)sum : NAN;
	if (sum == 0)
		return CT_OK;
	*out = ct_calloc(a->gpu.llc_slices, sizeof **out);
	if (!*out)
		return ct_fail_nomem(a->e);
	for (uint32_t i = 0; i < a->gpu.llc_slices; i++)
		(*out)[i] = (double)a->slice_load[i] / (double)sum;
	return CT_OK;
}

int ct_pass_write_curves(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	struct curves c = {.a = a, .scope = s->name};
	int whole = s == &a->scope[0];
	double imbalance;
	int st = find_shares(a, &c.share, &imbalance);
	if (st == CT_OK && whole)
		st = ct_profile_add_real(a->p, s->name, "llc_slice_imbalance", imbalance, NULL, "replay",
		                         a->e);
	/* The errors are those of the whole run. */
	if (st == CT_OK && whole && ct_locality_rate(a->locality) < 1) {
		c.half_width = ct_calloc(CT_HIST_BINS, sizeof *c.half_width);
		st = c.half_width ? CT_OK : ct_fail_nomem(a->e);
	}
	for (int v = 0; v < CT_VIEWS && st == CT_OK; v++) {
		struct shown one = shown_of(a, s->locality, (enum ct_locality_view)v);
		st = put_view(&c, &one);
		if (st == CT_OK && v == CT_VIEW_MERGED) {
			struct shown llc = shown_of(a, s->locality, CT_VIEW_LLC);
			st = put_filtered(&c, &one, &llc);
		}
	}
	free(c.share);
	free(c.half_width);
	return st;
}

/* Half-width of a 95 % interval at a capacity in lines; NaN: none. */
typedef double error_at(const void *ctx, double lines);

/* One record RE of the capacities of a view. */
static int put_error(struct ct_pass_state *a, const char *view, double rate, const double *capacity,
                     size_t n, error_at *at, const void *ctx)
{
	double sum = 0, most = NAN;
	size_t known = 0;
	for (size_t i = 0; i < n; i++) {
		double width = at(ctx, capacity[i]);
		if (isnan(width))
			continue;
		sum += width;
		most = fmax(most, width);
		known++;
	}
	return ct_profile_add_re(a->p, "all", view, rate, known ? sum / (double)known : NAN, most, a->e);
}

struct of_view {
	const struct ct_locality *l;
	enum ct_locality_view view;
};

static double view_error(const void *ctx, double lines)
{
	const struct of_view *x = ctx;
	return ct_locality_error(x->l, x->view, lines);
}

static double sharing_error(const void *ctx, double lines)
{
	return ct_locality_sharing_error(ctx, lines);
}

static double bounded_error(const void *ctx, double lines)
{
	return ct_bounded_error(ctx, lines);
}

/* The views of fewer SMs that follow a sample. */
static int put_view_errors(struct ct_pass_state *a)
{
	double capacity[MAX_POINTS];
	int st = CT_OK;
	for (unsigned i = 0; i < a->n_views && st == CT_OK; i++) {
		const struct ct_pass_view *v = &a->view[i];
		const struct ct_mrc_input in = {&v->hist[0], &v->hist[1]};
		char name[32];
		if (!(ct_bounded_rate(v->stream) < 1))
			continue;
		snprintf(name, sizeof name, "llc@sms=%u", v->sms);
		st = put_error(a, name, ct_bounded_rate(v->stream), capacity,
		               ct_mrc_capacities(most_distant(&in), PER_OCTAVE, capacity, MAX_POINTS),
		               bounded_error, v->stream);
	}
	return st;
}

int ct_pass_write_errors(struct ct_pass_state *a)
{
	const double rate = ct_locality_rate(a->locality), asked = ct_locality_sharing_rate(a->locality);
	int st = CT_OK;
	for (int v = 0; v < CT_VIEWS && st == CT_OK && rate < 1; v++) {
		enum ct_pass_layer layer = v == CT_VIEW_L1 || v == CT_VIEW_L1_SECTOR ? CT_PASS_L1
		                           : v == CT_VIEW_MERGED || v == CT_VIEW_MERGED_SECTOR
		                                   ? CT_PASS_MERGED
		                                   : CT_PASS_LLC;
		if (!ct_pass_measures(a, layer))
			continue;
		const struct shown s = shown_of(a, a->scope[0].locality, (enum ct_locality_view)v);
		const struct of_view x = {a->locality, s.view};
		st = put_error(a, s.name, rate, s.capacity, s.n, view_error, &x);
	}
	if (st == CT_OK && asked < 1) {
		const struct shown s = shown_of(a, a->scope[0].locality, CT_VIEW_L1);
		st = put_error(a, "replication", asked, s.capacity, s.n, sharing_error, a->locality);
	}
	return st == CT_OK ? put_view_errors(a) : st;
}
