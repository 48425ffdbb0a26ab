#include "models/shared_l1/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/address.h"

enum { WAYS_MAX = 32, WINDOW = 64 };

/* Sets as lists of lines + 1, most recent first; 0 is free. */
struct cache {
	uint32_t sets, ways, factor;
	uint64_t *line;
	uint64_t read_misses, write_misses;
};

struct ct_sl_watch {
	struct ct_gpu g;
	uint32_t sets, ways;      /* of each L1 now */
	struct cache cache[CT_SL_WATCHED];
	uint64_t *home[CT_SL_HOMES_KINDS], *window;
	uint64_t accesses, in_window, windows;
	double camping;
};

static const char *const ITEM[CT_SL_WATCHED][2] = {
	{ "private_read_misses", "private_write_misses" },
	{ "private_2x_read_misses", "private_2x_write_misses" },
	{ "private_16x_read_misses", "private_16x_write_misses" },
	{ "shared_read_misses", "shared_write_misses" },
};

const char *ct_sl_watch_read_item(enum ct_sl_watched w)
{
	return ITEM[w][0];
}

const char *ct_sl_watch_write_item(enum ct_sl_watched w)
{
	return ITEM[w][1];
}

int ct_sl_watch_new(struct ct_sl_watch **out, const struct ct_gpu *g, struct ct_error *e)
{
	struct ct_sl_watch *w = ct_calloc(1, sizeof *w);
	static const uint32_t factor[CT_SL_WATCHED] = { 1, 2, 16, 1 };
	*out = w;
	if (!w)
		return ct_fail_nomem(e);
	w->g = *g;
	for (int i = 0; i < CT_SL_WATCHED; i++)
		w->cache[i].factor = factor[i];
	int ok = 1;
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++)
		ok &= (w->home[i] = ct_calloc(g->sms, sizeof *w->home[i])) != NULL;
	w->window = ct_calloc(g->sms, sizeof *w->window);
	if (ok && w->window)
		return CT_OK;
	ct_sl_watch_free(w);
	*out = NULL;
	return ct_fail_nomem(e);
}

void ct_sl_watch_free(struct ct_sl_watch *w)
{
	if (!w)
		return;
	for (int i = 0; i < CT_SL_WATCHED; i++)
		free(w->cache[i].line);
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++)
		free(w->home[i]);
	free(w->window);
	free(w);
}

static int exact(const struct ct_sl_watch *w)
{
	return w->ways > 0 && w->ways <= WAYS_MAX;
}

int ct_sl_watch_kernel(struct ct_sl_watch *w, uint32_t sets, uint32_t ways, int flushed,
                       struct ct_error *e)
{
	int same = sets == w->sets && ways == w->ways;
	w->sets = sets;
	w->ways = ways;
	for (int i = 0; i < CT_SL_WATCHED; i++) {
		struct cache *c = &w->cache[i];
		size_t n = exact(w) ? (size_t)w->g.sms * sets * c->factor * ways : 0;
		if (!same) {
			free(c->line);
			c->line = ct_calloc(n ? n : 1, sizeof *c->line);
			if (!c->line)
				return ct_fail_nomem(e);
		} else if (flushed) {
			memset(c->line, 0, n * sizeof *c->line);
		}
		c->sets = sets * c->factor;
		c->ways = ways;
	}
	return CT_OK;
}

/* Touches a line of one L1. policy: of stores. */
static void touch(struct cache *c, const struct ct_gpu *g, uint32_t at, uint64_t line,
                  int is_write, uint32_t policy)
{
	uint32_t set = ct_set_index((enum ct_set_hash)g->l1.set_hash, c->sets, line), p = 0;
	uint64_t *l = c->line + ((size_t)at * c->sets + set) * c->ways;
	while (p < c->ways && l[p] != line + 1)
		p++;
	int hit = p < c->ways;
	*(is_write ? &c->write_misses : &c->read_misses) += !hit;
	if (is_write && policy == CT_WRITE_EVICT) {
		if (hit) {
			memmove(&l[p], &l[p + 1], (c->ways - p - 1) * sizeof *l);
			l[c->ways - 1] = 0;
		}
		return;
	}
	if (is_write && !hit && policy == CT_WRITE_THROUGH_NO_ALLOCATE)
		return;
	memmove(&l[1], &l[0], (hit ? p : c->ways - 1) * sizeof *l);
	l[0] = line + 1;
}

static void camp(struct ct_sl_watch *w, unsigned home)
{
	w->window[home]++;
	if (++w->in_window < (uint64_t)WINDOW * w->g.sms)
		return;
	uint64_t most = 0;
	for (uint32_t i = 0; i < w->g.sms; i++) {
		if (w->window[i] > most)
			most = w->window[i];
		w->window[i] = 0;
	}
	w->camping += (double)most / WINDOW;
	w->windows++;
	w->in_window = 0;
}

void ct_sl_watch_l1(struct ct_sl_watch *w, uint32_t sm, uint64_t line, int is_write)
{
	unsigned mod = 0;
	w->accesses++;
	for (int h = 0; h < CT_SL_HOMES_KINDS; h++) {
		unsigned home = ct_sl_home((enum ct_sl_homes)h, line, w->sets, w->g.sms);
		w->home[h][home]++;
		if (h == CT_SL_HOMES_MOD)
			mod = home;
	}
	camp(w, mod);
	if (!exact(w))
		return;
	for (int i = 0; i < CT_SL_WATCH_SHARED; i++)
		touch(&w->cache[i], &w->g, sm, line, is_write, w->g.l1.write_policy);
	touch(&w->cache[CT_SL_WATCH_SHARED], &w->g, mod, line, is_write,
	      CT_WRITE_THROUGH_NO_ALLOCATE);
}

int ct_sl_watch_write(const struct ct_sl_watch *w, struct ct_profile *p, struct ct_error *e)
{
	static const char *const load[CT_SL_HOMES_KINDS] = { "home_load_mod", "home_load_fold",
		                                             "home_load_hash" };
	int st = CT_OK;
	for (int i = 0; i < CT_SL_WATCHED && exact(w) && st == CT_OK; i++) {
		const struct cache *c = &w->cache[i];
		st = ct_profile_add_im(p, "all", ITEM[i][0], (double)c->read_misses, NULL, e);
		if (st == CT_OK)
			st = ct_profile_add_im(p, "all", ITEM[i][1], (double)c->write_misses, NULL, e);
	}
	for (int h = 0; h < CT_SL_HOMES_KINDS && w->accesses && st == CT_OK; h++) {
		uint64_t most = 0;
		for (uint32_t i = 0; i < w->g.sms; i++)
			most = w->home[h][i] > most ? w->home[h][i] : most;
		st = ct_profile_add_im(p, "all", load[h], (double)most * w->g.sms / (double)w->accesses,
		                       NULL, e);
	}
	if (st == CT_OK && w->windows)
		st = ct_profile_add_im(p, "all", "home_camping", w->camping / (double)w->windows, NULL, e);
	return st;
}

double ct_sl_camping_beta(double camping, unsigned cores)
{
	if (!(camping >= 1) || cores < 2)
		return camping >= 1 ? camping : NAN;
	/* The largest of N normal numbers is about m deviations above their mean (Cramer 1946);
	 * counts of 64 deviate by 8. */
	double root = sqrt(2 * log(cores));
	double m = root - (log(log(cores)) + log(4 * 3.14159265358979323846)) / (2 * root);
	return fmax(camping / (1 + fmax(m, 0) / sqrt(WINDOW)), 1);
}
