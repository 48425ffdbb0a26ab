/* CTAs that run side by side: those of a cooperative launch, which may wait for one another, or those from one on that was found to wait
 * for a later one.
 *
 * They take turns in launch order, on one thread. A turn lasts until a warp sleeps, as one does that waits for what another CTA has to
 * do, or until the CTA has executed a number of instructions: whoever waits for another CTA without sleeping gets on as well. Where not
 * all have a place, the next one takes that of the first to end. */
#include <stdlib.h>

#include "base/mem.h"
#include "ptx/team.h"

/* What a CTA is doing. */
enum state { NOT_BEGUN, RUNS, HAS_ENDED };

struct resident {
	struct ct_ptx_run *run; /* while it runs */
	struct ct_ptx_cta cta;
	enum state state;
	void *made;
};

/* All CTAs of the launch from one on. */
struct residents {
	const struct ct_ptx_launch *launch;
	struct resident *cta;
	uint64_t first, n, ended, committed;
	struct ct_ptx_run **run; /* the places; the first one is the caller's */
	struct ct_ptx_run **free_run;
	uint64_t runs, free_runs, places;
	uint64_t steps;
	struct ct_error *e;
};

/* Begins a CTA where there is a place for it: 1, 0 where there is none, or negative after a failure. */
static int begin(struct residents *all, uint64_t i)
{
	struct resident *c = &all->cta[i];
	if (all->free_runs == 0 && all->runs == all->places)
		return 0;
	if (all->free_runs == 0) {
		struct ct_ptx_run *r = ct_ptx_another_run(all->run[0], (unsigned)all->runs, all->e);
		if (!r)
			return ct_fail_nomem(all->e);
		all->run[all->runs++] = r;
		all->free_run[all->free_runs++] = r;
	}
	c->run = all->free_run[--all->free_runs];
	if (ct_ptx_begin_cta(c->run, all->first + i) < 0 || ct_ptx_start_cta(c->run) < 0)
		return c->run->status < 0 ? c->run->status : ct_fail_nomem(all->e);
	c->state = RUNS;
	return 1;
}

/* One turn of a CTA: CT_OK, or negative after a fault or failure. */
static int take_turn(struct residents *all, struct resident *c)
{
	struct ct_ptx_run *r = c->run;
	int rc = 0;
	r->steps = all->steps;
	r->sleeps = 0;
	while (rc == 0 && !r->sleeps && r->steps - all->steps < CT_PTX_TURN)
		rc = ct_ptx_turn_cta(r);
	all->steps = r->steps;
	if (rc < 0)
		return r->status < 0 ? r->status : ct_ptx_report(r);
	if (rc == 0)
		return CT_OK;
	c->state = HAS_ENDED;
	c->cta = r->cta;
	c->run = NULL;
	all->free_run[all->free_runs++] = r;
	all->ended++;
	return ct_ptx_end_cta(r, &c->made);
}

/* Hands on what was made of CTAs that have ended, in launch order. */
static int commit(struct residents *all)
{
	int st = CT_OK;
	while (st == CT_OK && all->committed < all->n && all->cta[all->committed].state == HAS_ENDED) {
		struct resident *c = &all->cta[all->committed];
		st = ct_ptx_commit_cta(all->launch, &c->cta, all->first + all->committed++, c->made,
		                       all->e);
		c->made = NULL;
	}
	return st;
}

/* A round of turns. */
static int go_round(struct residents *all)
{
	int st = CT_OK;
	for (uint64_t i = all->committed; i < all->n && st == CT_OK; i++) {
		struct resident *c = &all->cta[i];
		if (c->state == HAS_ENDED)
			continue;
		if (c->state == NOT_BEGUN) {
			int begun = begin(all, i);
			if (begun <= 0)
				return begun;
		}
		struct ct_ptx_run *r = c->run;
		st = take_turn(all, c);
		if (st < 0)
			all->run[0]->fault = r->fault;
	}
	return st;
}

static void clean(struct residents *all)
{
	const struct ct_ptx_team *t = all->launch->team;
	for (uint64_t i = 0; all->cta && i < all->n; i++)
		if (all->cta[i].made && t && t->drop)
			t->drop(t->ctx, all->cta[i].made);
	for (uint64_t i = 1; i < all->runs; i++)
		ct_ptx_drop_run(all->run[i]);
	free(all->run);
	free(all->free_run);
	free(all->cta);
}

/* CTAs from `first` on; that one may have begun. */
static int run_from(struct ct_ptx_run *r, uint64_t first, int begun, uint64_t places, uint64_t *steps)
{
	struct residents all = {.launch = r->launch, .first = first, .e = r->e, .runs = 1};
	int st = CT_OK;
	all.n = ct_ptx_ctas(r->launch) - first;
	all.places = places < all.n ? places : all.n;
	all.steps = r->steps;
	all.cta = ct_calloc((size_t)all.n, sizeof *all.cta);
	all.run = ct_calloc((size_t)all.places, sizeof(struct ct_ptx_run *));
	all.free_run = ct_calloc((size_t)all.places, sizeof(struct ct_ptx_run *));
	if (!all.cta || !all.run || !all.free_run) {
		all.runs = 0;
		clean(&all);
		return ct_fail_nomem(r->e);
	}
	all.run[0] = r;
	if (begun)
		all.cta[0] = (struct resident){.run = r, .state = RUNS};
	else
		all.free_run[all.free_runs++] = r;
	while (st == CT_OK && all.ended < all.n) {
		st = go_round(&all);
		if (st == CT_OK)
			st = commit(&all);
	}
	*steps = all.steps;
	clean(&all);
	return st;
}

int ct_ptx_run_resident(struct ct_ptx_run *r, uint64_t *steps)
{
	return run_from(r, 0, 0, ct_ptx_ctas(r->launch), steps);
}

int ct_ptx_go_on_resident(struct ct_ptx_run *r, uint64_t *steps)
{
	const struct ct_ptx_launch *l = r->launch;
	r->waited = 1;
	return run_from(
		r, r->cta.index, 1,
		l->side_by_side < CT_PTX_COOPERATIVE_MAX ? l->side_by_side : CT_PTX_COOPERATIVE_MAX,
		steps);
}
