#include "models/shared_l1/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/address.h"
#include "models/shared_l1/camping.h"
#include "models/shared_l1/first.h"
#include "models/shared_l1/phases.h"
#include "models/shared_l1/systems.h"
#include "models/shared_l1/watch_internal.h"

enum { WAYS_MAX = 32, SCHEMES = CT_SL_SCHEMES };

/* Sets as lists of lines + 1, most recent first; 0 is free. The same set of all SMs lies
 * together, for copies. Behind each set, apart from it, the lines that have left it: as many as
 * CT_SL_PACE times the ways leave room for. */
struct cache {
	uint32_t sets, ways, factor;
	uint64_t *line, *left;
	struct ct_sl_watch_counts n;
};

struct ct_sl_watch {
	struct ct_gpu g;
	uint32_t sets, ways; /* of each L1 now */
	struct cache cache[CT_SL_WATCHED];
	uint64_t *home[CT_SL_HOMES_KINDS],
		own[CT_SL_HOMES_KINDS]; /* accesses of each home; of the SM that is it */
	uint64_t of[2][2];              /* loads and stores of even and of odd sets */
	struct ct_sl_camping camping;
	/* Min(H,L2) */
	struct ct_address_map map;
	uint8_t *nearer; /* place.h; NULL unless a mesh */
	/* Dynamic schemes: one for all until the first of their SMs has to decide. */
	struct ct_sl_scheme scheme[SCHEMES];
	struct ct_sl_phases *phases[SCHEMES];
	struct ct_sl_phase_stats warmed[SCHEMES]; /* of it, in warm-up */
	unsigned schemes;                         /* that run: 0, 1 or all */
	int failed;                               /* out of memory */
	struct ct_sl_first *first;                /* in the place of caches of many ways */
};

/* ---- building ---- */

static int start_schemes(struct ct_sl_watch *w, const struct ct_sl_params *p,
                         const struct ct_sl_noc *noc)
{
	for (unsigned i = 0; i < SCHEMES; i++)
		ct_sl_scheme_of(ct_sl_system_at(CT_SL_DYNAMAT + i), &w->g, p, noc, &w->scheme[i]);
	w->schemes = 1;
	return ct_sl_phases_new(&w->phases[0], &w->scheme[0], w->g.sms);
}

/* Min(H,L2) and the schemes, where the GPU has a network that can be built. */
static int start_network(struct ct_sl_watch *w)
{
	struct ct_sl_params p;
	struct ct_sl_noc noc;
	struct ct_error e;
	ct_sl_defaults(&p);
	int st = ct_sl_noc_init(&noc, ct_sl_network_of(&w->g), &w->g, &p, NULL, &e);
	if (st != CT_OK)
		return st == CT_ERR_NOMEM ? st : CT_OK;
	st = start_schemes(w, &p, &noc);
	if (st == CT_OK && noc.kind == CT_SL_NET_MESH &&
	    ct_address_map_init(&w->map, &w->g, &e) == CT_OK &&
	    !(w->nearer = ct_sl_place_nearer(&noc.place)))
		st = CT_ERR_NOMEM;
	ct_sl_noc_free(&noc);
	return st;
}

int ct_sl_watch_new(struct ct_sl_watch **out, const struct ct_gpu *g, struct ct_error *e)
{
	struct ct_sl_watch *w = ct_calloc(1, sizeof *w);
	*out = w;
	if (!w)
		return ct_fail_nomem(e);
	w->g = *g;
	for (int i = 0; i < CT_SL_WATCHED; i++)
		w->cache[i].factor = i == CT_SL_WATCH_PRIVATE_2X    ? 2
		                     : i == CT_SL_WATCH_PRIVATE_16X ? 16
		                                                    : 1;
	int st = ct_sl_camping_init(&w->camping, g->sms);
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++)
		if (!(w->home[i] = ct_calloc(g->sms, sizeof *w->home[i])))
			st = CT_ERR_NOMEM;
	if (st == CT_OK)
		st = ct_sl_first_new(&w->first);
	if (st == CT_OK)
		st = start_network(w);
	if (st == CT_OK)
		return CT_OK;
	ct_sl_watch_free(w);
	*out = NULL;
	return ct_fail_nomem(e);
}

static void free_lines(struct cache *c)
{
	free(c->line);
	free(c->left);
	c->line = c->left = NULL;
}

void ct_sl_watch_free(struct ct_sl_watch *w)
{
	if (!w)
		return;
	for (int i = 0; i < CT_SL_WATCHED; i++)
		free_lines(&w->cache[i]);
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++)
		free(w->home[i]);
	for (int i = 0; i < SCHEMES; i++)
		ct_sl_phases_free(w->phases[i]);
	ct_sl_camping_free(&w->camping);
	ct_sl_first_free(w->first);
	free(w->nearer);
	free(w);
}

/* Kept for this GPU, with L1s of the present shape? */
static int is_kept(const struct ct_sl_watch *w, int which)
{
	if (!w->ways || w->ways > WAYS_MAX)
		return 0;
	if (which >= CT_SL_WATCH_DYNAMAT) /* sampling takes even and odd sets */
		return w->schemes > 0 && w->sets % 2 == 0;
	return which != CT_SL_WATCH_MIN || w->nearer;
}

static size_t places_of(const struct ct_sl_watch *w, const struct cache *c)
{
	return (size_t)w->g.sms * c->sets * c->ways;
}

/* Private L1s need no range: the replay has counted them. */
static int has_left(const struct ct_sl_watch *w, const struct cache *c)
{
	return c != &w->cache[CT_SL_WATCH_PRIVATE];
}

/* Empty sets, or none. The old ones go. */
static int make_sets(const struct ct_sl_watch *w, struct cache *c, int held)
{
	size_t n = held ? places_of(w, c) : 1, left = held && has_left(w, c) ? n * (CT_SL_PACE - 1) : 1;
	free_lines(c);
	c->line = ct_calloc(n, sizeof *c->line);
	c->left = ct_calloc(left, sizeof *c->left);
	return c->line && c->left ? CT_OK : CT_ERR_NOMEM;
}

int ct_sl_watch_kernel(struct ct_sl_watch *w, uint32_t sets, uint32_t ways, int flushed,
                       struct ct_error *e)
{
	int same = sets == w->sets && ways == w->ways;
	w->sets = sets;
	w->ways = ways;
	if (flushed || !same)
		ct_sl_first_flush(w->first);
	for (int i = 0; i < CT_SL_WATCHED; i++) {
		struct cache *c = &w->cache[i];
		int held = is_kept(w, i) &&
		           (i < CT_SL_WATCH_DYNAMAT || i - CT_SL_WATCH_DYNAMAT < (int)w->schemes);
		c->sets = sets * c->factor;
		c->ways = ways;
		if (!same && make_sets(w, c, held) != CT_OK)
			return ct_fail_nomem(e);
		if (same && flushed && held) {
			memset(c->line, 0, places_of(w, c) * sizeof *c->line);
			if (has_left(w, c))
				memset(c->left, 0, places_of(w, c) * (CT_SL_PACE - 1) * sizeof *c->left);
		}
	}
	return CT_OK;
}

void ct_sl_watch_wipe(struct ct_sl_watch *w, uint32_t sm)
{
	ct_sl_first_wipe(w->first, w->sets, w->g.sms, sm);
	for (int i = 0; i < CT_SL_WATCHED; i++) {
		struct cache *c = &w->cache[i];
		if (!is_kept(w, i) ||
		    (i >= CT_SL_WATCH_DYNAMAT && i - CT_SL_WATCH_DYNAMAT >= (int)w->schemes))
			continue;
		for (uint32_t s = 0; s < c->sets; s++) {
			size_t at = ((size_t)s * w->g.sms + sm) * c->ways;
			memset(c->line + at, 0, c->ways * sizeof *c->line);
			if (has_left(w, c))
				memset(c->left + at * (CT_SL_PACE - 1), 0,
				       c->ways * (CT_SL_PACE - 1) * sizeof *c->left);
		}
	}
}

/* ---- accesses ---- */

/* Counts, for a read that misses, how many L1s hold the line before and after it. */
static void count_copies(const struct ct_sl_watch *w, struct cache *c, const uint64_t *set,
                         uint64_t line)
{
	uint64_t n = 0;
	for (size_t i = 0; i < (size_t)w->g.sms * c->ways; i++)
		n += set[i] == line + 1;
	c->n.replicated += n > 0;
	c->n.copies += (double)n + 1;
}

/* A line misses in a set: how many have left it since, or as many as are kept. It goes from the list of
 * those that have (take), which gets what leaves the set for it (out; 0: nothing). */
static uint32_t left_since(const struct ct_sl_watch *w, struct cache *c, size_t set, uint64_t line,
                           uint64_t out, int take)
{
	uint32_t n = c->ways * (CT_SL_PACE - 1), p = 0;
	uint64_t *l = c->left + set * n;
	if (!has_left(w, c))
		return n;
	while (p < n && l[p] && l[p] != line + 1)
		p++;
	int found = p < n && l[p] == line + 1;
	if (out) {
		memmove(&l[1], &l[0], (p < n ? p : n - 1) * sizeof *l);
		l[0] = out;
	} else if (take && found) {
		memmove(&l[p], &l[p + 1], (n - p - 1) * sizeof *l);
		l[n - 1] = 0;
	}
	return found ? p : n;
}

/* An access that finds its line behind `before` others in the two lists. */
static void count_order(struct cache *c, uint32_t before)
{
	uint32_t quarter = c->ways >= 4 ? c->ways / 4 : 1;
	c->n.misses_high += before > 0 && before >= c->ways / CT_SL_PACE;
	c->n.misses_low += before >= c->ways * CT_SL_PACE;
	c->n.edge += before + quarter >= c->ways && before < c->ways + quarter;
}

/* Touches a line of one L1; 1 when it misses. policy: of stores. */
static int touch_line(const struct ct_sl_watch *w, struct cache *c, uint32_t at, uint64_t line,
                      int is_write, uint32_t policy, int copies)
{
	uint32_t set = ct_set_index((enum ct_set_hash)w->g.l1.set_hash, c->sets, line), p = 0;
	uint64_t *all = c->line + (size_t)set * w->g.sms * c->ways, *l = all + (size_t)at * c->ways;
	while (p < c->ways && l[p] != line + 1)
		p++;
	int hit = p < c->ways, evicts = is_write && policy == CT_WRITE_EVICT;
	int in = !evicts && (!is_write || policy != CT_WRITE_THROUGH_NO_ALLOCATE);
	*(is_write ? &c->n.writes : &c->n.reads) += 1;
	*(is_write ? &c->n.write_misses : &c->n.read_misses) += !hit;
	count_order(c, hit ? p
	                   : p + left_since(w, c, (size_t)set * w->g.sms + at, line,
	                                    in ? l[c->ways - 1] : 0, in || evicts));
	if (evicts) {
		if (hit) {
			memmove(&l[p], &l[p + 1], (c->ways - p - 1) * sizeof *l);
			l[c->ways - 1] = 0;
		}
		return !hit;
	}
	if (!hit && !in)
		return 1;
	if (!hit && !is_write && copies)
		count_copies(w, c, all, line);
	memmove(&l[1], &l[0], (hit ? p : c->ways - 1) * sizeof *l);
	l[0] = line + 1;
	return !hit;
}

static int past_home(const struct ct_sl_watch *w, uint32_t sm, unsigned home, uint64_t line)
{
	if (!w->nearer || home == sm)
		return 0;
	const struct ct_gpu *g = &w->g;
	uint32_t partition = ct_address_place(&w->map, line * g->l1.line).slice * g->llc_partitions /
	                     g->llc_slices;
	return w->nearer[((size_t)sm * g->sms + home) * g->llc_partitions + partition];
}

/* The schemes go apart: what the first has seen, all have. */
static int split_schemes(struct ct_sl_watch *w)
{
	struct cache *from = &w->cache[CT_SL_WATCH_DYNAMAT];
	size_t bytes = places_of(w, from) * sizeof *from->line;
	for (unsigned i = 1; i < SCHEMES; i++) {
		struct cache *c = from + i;
		if (make_sets(w, c, 1) != CT_OK)
			return CT_ERR_NOMEM;
		memcpy(c->line, from->line, bytes);
		memcpy(c->left, from->left, bytes * (CT_SL_PACE - 1));
		c->n = from->n;
		w->warmed[i] = w->warmed[0];
		if (ct_sl_phases_copy(&w->phases[i], w->phases[0], &w->scheme[i]) != CT_OK)
			return CT_ERR_NOMEM;
	}
	w->schemes = SCHEMES;
	return CT_OK;
}

/* An SM has come to the end of a phase. */
static void end_phase(struct ct_sl_watch *w, unsigned scheme, uint32_t sm)
{
	unsigned first = scheme, last = scheme;
	if (w->schemes == 1) {
		last = SCHEMES - 1;
		if (split_schemes(w) != CT_OK) {
			w->failed = 1;
			w->schemes = 0;
			return;
		}
	}
	for (unsigned i = first; i <= last; i++)
		if (ct_sl_phases_turn(w->phases[i], sm, 0) != CT_OK)
			w->failed = 1;
}

/* One access under a dynamic scheme: as org.h, replies come at once. */
static void watch_dynamic(struct ct_sl_watch *w, unsigned scheme, uint32_t sm, unsigned home, int past,
                          uint64_t line, int is_write)
{
	struct ct_sl_phases *p = w->phases[scheme];
	struct cache *c = &w->cache[CT_SL_WATCH_DYNAMAT + scheme];
	unsigned group = ct_set_index((enum ct_set_hash)w->g.l1.set_hash, c->sets, line) & 1;
	int shared = ct_sl_phases_shared(p, sm, group);
	unsigned at = shared ? home : sm;
	c->n.homed += shared;
	past = past && shared;
	int due = ct_sl_phases_own(p, sm, group,
	                           past       ? CT_SL_PAST
	                           : at != sm ? CT_SL_REMOTE
	                                      : CT_SL_LOCAL);
	if (due)
		end_phase(w, scheme, sm);
	if (past || w->failed)
		return;
	int missed = touch_line(w, c, at, line, is_write, CT_WRITE_THROUGH_NO_ALLOCATE, 1);
	due = ct_sl_phases_served(p, at, sm, group, missed);
	if (due)
		end_phase(w, scheme, at);
	if (missed || is_write)
		ct_sl_phases_llc_reply(p, at, group);
	if (at != sm)
		ct_sl_phases_home_reply(p, sm, group, missed && !is_write);
}

void ct_sl_watch_l1(struct ct_sl_watch *w, uint32_t sm, uint64_t line, uint32_t sectors, int is_write)
{
	unsigned home[CT_SL_HOMES_KINDS], mod;
	ct_sl_homes_of(line, w->sets, w->g.sms, home);
	for (int h = 0; h < CT_SL_HOMES_KINDS; h++) {
		w->home[h][home[h]]++;
		w->own[h] += home[h] == sm;
	}
	w->of[is_write != 0][ct_set_index((enum ct_set_hash)w->g.l1.set_hash, w->sets, line) & 1]++;
	mod = home[CT_SL_HOMES_MOD];
	ct_sl_camping_add(&w->camping, mod);
	if (!is_kept(w, CT_SL_WATCH_PRIVATE)) {
		ct_sl_first_access(w->first, line, sectors, is_write);
		return;
	}
	for (int i = 0; i < CT_SL_WATCH_SHARED; i++)
		(void)touch_line(w, &w->cache[i], sm, line, is_write, w->g.l1.write_policy, 1);
	const uint32_t through = CT_WRITE_THROUGH_NO_ALLOCATE;
	int past = past_home(w, sm, mod, line);
	(void)touch_line(w, &w->cache[CT_SL_WATCH_SHARED], mod, line, is_write, through, 0);
	if (!past && w->nearer)
		(void)touch_line(w, &w->cache[CT_SL_WATCH_MIN], mod, line, is_write, through, 0);
	unsigned n = is_kept(w, CT_SL_WATCH_DYNAMAT) ? w->schemes : 0; /* may grow meanwhile */
	for (unsigned i = 0; i < n; i++)
		watch_dynamic(w, i, sm, mod, past, line, is_write);
}

void ct_sl_watch_counted(struct ct_sl_watch *w)
{
	for (int i = 0; i < CT_SL_WATCHED; i++)
		memset(&w->cache[i].n, 0, sizeof w->cache[i].n);
	for (int h = 0; h < CT_SL_HOMES_KINDS; h++)
		memset(w->home[h], 0, w->g.sms * sizeof *w->home[h]);
	memset(w->own, 0, sizeof w->own);
	memset(w->of, 0, sizeof w->of);
	for (unsigned i = 0; i < w->schemes; i++)
		ct_sl_phases_stats(w->phases[i], &w->warmed[i]);
	w->camping.sum = 0;
	w->camping.windows = 0;
	ct_sl_first_counted(w->first);
}

/* ---- results ---- */

const char ct_sl_odd_sets[] = "home_odd_sets";
const char *const ct_sl_home_own[CT_SL_HOMES_KINDS] = {"home_own_mod", "home_own_fold", "home_own_hash"};

int ct_sl_watch_counts(const struct ct_sl_watch *w, enum ct_sl_watched which,
                       struct ct_sl_watch_counts *c)
{
	struct ct_sl_phase_stats s;
	if (!is_kept(w, (int)which))
		return 0;
	if (which < CT_SL_WATCH_DYNAMAT) {
		*c = w->cache[which].n;
		if (!has_left(w, &w->cache[which]))
			c->misses_low = c->misses_high = c->edge = NAN;
		return 1;
	}
	unsigned i = w->schemes > 1 ? which - CT_SL_WATCH_DYNAMAT : 0;
	*c = w->cache[CT_SL_WATCH_DYNAMAT + i].n;
	ct_sl_phases_stats(w->phases[i], &s);
	const struct ct_sl_phase_stats *b = &w->warmed[i];
	c->sampled = (double)(s.sampled - b->sampled);
	c->decisions = (double)(s.decisions - b->decisions);
	c->chose_shared = (double)(s.chose_shared - b->chose_shared);
	return 1;
}

/* How evenly the accesses fall on the homes, and how many stay in their own SM. */
static int put_homes(const struct ct_sl_watch *w, struct ct_profile *p, struct ct_error *e)
{
	static const char *const load[CT_SL_HOMES_KINDS] = {
		"home_load_mod", "home_load_fold", "home_load_hash"};
	uint64_t all = 0;
	int st = CT_OK;
	const uint64_t *of = w->of[!(w->of[0][0] + w->of[0][1])]; /* of stores where nothing is loaded */
	for (uint32_t i = 0; i < w->g.sms; i++)
		all += w->home[0][i];
	if (all)
		st = ct_profile_add_im(p, "all", ct_sl_odd_sets, (double)of[1] / (double)(of[0] + of[1]),
		                       NULL, e);
	for (int h = 0; h < CT_SL_HOMES_KINDS && all && st == CT_OK; h++) {
		uint64_t most = 0;
		for (uint32_t i = 0; i < w->g.sms; i++)
			most = w->home[h][i] > most ? w->home[h][i] : most;
		st = ct_profile_add_im(p, "all", load[h], (double)most * w->g.sms / (double)all, NULL,
		                       e);
		if (st == CT_OK)
			st = ct_profile_add_im(p, "all", ct_sl_home_own[h],
			                       (double)w->own[h] / (double)all, NULL, e);
	}
	return st;
}

int ct_sl_watch_write(const struct ct_sl_watch *w, struct ct_profile *p, struct ct_error *e)
{
	struct ct_sl_watch_counts c;
	int st = w->failed ? ct_fail_nomem(e) : CT_OK;
	for (int i = 0; i < CT_SL_WATCHED && st == CT_OK; i++)
		if (ct_sl_watch_counts(w, (enum ct_sl_watched)i, &c))
			st = sl_watch_put(p, (enum ct_sl_watched)i, &c, e);
	if (st == CT_OK && !is_kept(w, CT_SL_WATCH_PRIVATE)) {
		struct ct_sl_firsts first;
		ct_sl_first_counts(w->first, &first);
		st = sl_watch_put_first(p, &first, e);
	}
	if (st == CT_OK)
		st = put_homes(w, p, e);
	if (st == CT_OK && w->camping.windows)
		st = ct_profile_add_im(p, "all", "home_camping", ct_sl_camping_mean(&w->camping), NULL,
		                       e);
	return st;
}
