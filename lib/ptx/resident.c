/* A cooperative launch: its CTAs run side by side, since they may wait for one another.
 *
 * They take turns in launch order, on one thread. A turn lasts until a warp sleeps, as one does that waits for what another CTA has to
 * do, or until the CTA has executed a number of instructions: whoever waits for another CTA without sleeping gets on as well. */
#include <stdlib.h>

#include "base/mem.h"
#include "ptx/team.h"

/* What a CTA is doing. */
enum state { NOT_BEGUN, RUNS, HAS_ENDED };

struct resident {
	struct ct_ptx_run *run; /* its own; of CTA 0 the caller's */
	enum state state;
	void *made;
};

/* All CTAs of the launch. */
struct residents {
	struct resident *cta;
	uint64_t n, ended, committed;
	uint64_t steps;
	struct ct_error *e;
};

/* One turn of a CTA: CT_OK, or negative after a fault or failure. */
static int take_turn(struct residents *all, uint64_t i)
{
	struct resident *c = &all->cta[i];
	struct ct_ptx_run *r = c->run;
	int rc = 0;
	r->steps = all->steps;
	if (c->state == NOT_BEGUN && (ct_ptx_begin_cta(r, i) < 0 || ct_ptx_start_cta(r) < 0))
		return r->status < 0 ? r->status : ct_fail_nomem(all->e);
	c->state = RUNS;
	r->sleeps = 0;
	while (rc == 0 && !r->sleeps && r->steps - all->steps < CT_PTX_TURN)
		rc = ct_ptx_turn_cta(r);
	all->steps = r->steps;
	if (rc < 0)
		return r->status < 0 ? r->status : ct_ptx_report(r);
	if (rc == 0)
		return CT_OK;
	c->state = HAS_ENDED;
	all->ended++;
	return ct_ptx_end_cta(r, &c->made);
}

/* Hands on what was made of CTAs that have ended, in launch order. */
static int commit(struct residents *all)
{
	int st = CT_OK;
	while (st == CT_OK && all->committed < all->n && all->cta[all->committed].state == HAS_ENDED) {
		struct resident *c = &all->cta[all->committed];
		struct ct_ptx_cta cta = c->run->cta;
		st = ct_ptx_commit_cta(c->run->launch, &cta, all->committed++, c->made, all->e);
		c->made = NULL;
	}
	return st;
}

/* Gives every CTA registers and memory of its own. */
static int make_runs(struct residents *all, struct ct_ptx_run *first)
{
	all->cta[0].run = first;
	for (uint64_t i = 1; i < all->n; i++)
		if (!(all->cta[i].run = ct_ptx_another_run(first, (unsigned)i, all->e)))
			return ct_fail_nomem(all->e);
	return CT_OK;
}

static void clean(struct residents *all)
{
	const struct ct_ptx_launch *l = all->cta[0].run->launch;
	for (uint64_t i = 0; i < all->n; i++) {
		if (all->cta[i].made && l->team && l->team->drop)
			l->team->drop(l->team->ctx, all->cta[i].made);
		if (i > 0)
			ct_ptx_drop_run(all->cta[i].run);
	}
	free(all->cta);
}

int ct_ptx_run_resident(struct ct_ptx_run *r, uint64_t *steps)
{
	const struct ct_ptx_launch *l = r->launch;
	struct residents all = {.n = ct_ptx_ctas(l), .e = r->e};
	if (!(all.cta = ct_calloc((size_t)all.n, sizeof *all.cta)))
		return ct_fail_nomem(r->e);
	int st = make_runs(&all, r);
	while (st == CT_OK && all.ended < all.n) {
		for (uint64_t i = 0; i < all.n && st == CT_OK; i++) {
			if (all.cta[i].state == HAS_ENDED)
				continue;
			st = take_turn(&all, i);
			if (st < 0 && i > 0)
				r->fault = all.cta[i].run->fault;
		}
		if (st == CT_OK)
			st = commit(&all);
	}
	*steps = all.steps;
	clean(&all);
	return st;
}
