#include "replay/private/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/threads.h"
#include "replay/private/quick.h"
#include "replay/private/timing.h"

enum {
	/* of what is left, for each thread: SMs are taken several at once, so that the next is brought near */
	PIECES = 4,
	LEAST_SMS = 8,
	/* For which it pays to wake a thread: warp instructions between offers of CTAs, and what there is to tell. */
	LEAST_INSTS = 200,
	LEAST_NOTES = 500,
	LINES = 64, /* that are told together */
	STILL = 8   /* times without so many instructions after which nobody is woken any more */
};

enum told_kind { TOLD_L1, TOLD_CTA, TOLD_WIPE };

/* What an SM has to tell observers. */
struct note {
	enum told_kind kind;
	union {
		struct ct_l1_event l1;
		struct ct_cta_event cta;
	} of;
};

/* Of each SM. */
struct rp_told {
	struct note *note;
	size_t n, cap;
};

/* A thread that helps. */
struct hand {
	struct rp_team *team;
	struct ct_replay *r; /* the engine as it knows it */
	struct rp_quick quick;
	struct rp_shape **shapes;
	size_t shapes_cap;
	uint32_t chunks;
	uint32_t failed; /* the first SM that has, or RP_NO_INDEX */
};

struct rp_team {
	ct_replay_post *post;
	void *poster;
	struct hand *hand;
	unsigned hands;
	uint32_t sms;
	struct rp_told *told;
	uint64_t insts; /* that SMs had issued when they were last asked */
	unsigned still; /* so many times more they are shared, whatever they have issued */
	/* with the lock */
	pthread_mutex_t lock;
	pthread_cond_t idle;
	uint32_t next, end;          /* the next SM to be taken; the cycle to which they run */
	unsigned busy;               /* helpers that run SMs or tell */
	unsigned telling, observers; /* the next observer to be told, of so many */
	uint32_t failed;             /* of the caller's own SMs the first that has, or RP_NO_INDEX */
};

/* ---- what SMs tell while they run ---- */

static struct note *new_note(struct ct_replay *r, uint32_t sm)
{
	struct rp_told *t = &r->told[sm];
	if (ct_grow((void **)&t->note, &t->cap, t->n + 1, sizeof *t->note) < 0) {
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	return &t->note[t->n++];
}

void rp_note_l1(struct ct_replay *r, const struct ct_l1_event *ev)
{
	struct note *n = new_note(r, ev->sm);
	if (!n)
		return;
	n->kind = TOLD_L1;
	n->of.l1 = *ev;
}

void rp_note_cta(struct ct_replay *r, const struct ct_cta_event *ev)
{
	struct note *n = new_note(r, ev->sm);
	if (!n)
		return;
	n->kind = TOLD_CTA;
	n->of.cta = *ev;
}

void rp_note_wipe(struct ct_replay *r, uint32_t sm)
{
	struct note *n = new_note(r, sm);
	if (n)
		n->kind = TOLD_WIPE;
}

static void tell(const struct ct_replay_observer *o, const struct note *n, uint32_t sm)
{
	switch (n->kind) {
	case TOLD_L1:
		if (o->l1)
			o->l1(o->ctx, &n->of.l1);
		break;
	case TOLD_CTA:
		if (o->cta)
			o->cta(o->ctx, &n->of.cta);
		break;
	case TOLD_WIPE:
		if (o->l1_wipe)
			o->l1_wipe(o->ctx, sm);
		break;
	}
}

/* Tells an observer the lines that an SM has noted. */
static void tell_lines(const struct ct_replay_observer *o, const struct rp_told *t)
{
	struct ct_line_access a[LINES];
	size_t n = 0;
	for (size_t k = 0; k < t->n; k++) {
		const struct ct_l1_event *ev = &t->note[k].of.l1;
		if (t->note[k].kind == TOLD_L1 && !ev->bypass)
			a[n++] = (struct ct_line_access){
				ev->line, ev->cycle, ev->sectors, (uint16_t)ev->sm, ev->is_write};
		if (n == LINES || (n && k + 1 == t->n)) {
			o->l1_lines(o->ctx, a, n);
			n = 0;
		}
	}
}

/* Tells an observer what the SMs have noted, one SM after the other. */
static void tell_one(const struct rp_team *t, const struct ct_replay_observer *o)
{
	for (uint32_t i = 0; i < t->sms; i++) {
		for (size_t k = 0; k < t->told[i].n; k++)
			tell(o, &t->told[i].note[k], i);
		if (o->l1_lines)
			tell_lines(o, &t->told[i]);
	}
}

/* Takes observers until none is left to be told. Called with the lock, which it gives back meanwhile. */
static void tell_some(struct rp_team *t, const struct ct_replay *r)
{
	while (t->telling < t->observers) {
		const struct ct_replay_observer *o = &r->obs[t->telling++];
		pthread_mutex_unlock(&t->lock);
		tell_one(t, o);
		pthread_mutex_lock(&t->lock);
	}
}

/* ---- running ---- */

/* Takes SMs until none is left. Called with the lock, which it gives back while they run. After a failure nobody takes any
 * more: all before the one that has failed have been taken. */
static uint32_t take_some(struct rp_team *t, struct ct_replay *r)
{
	uint32_t failed = RP_NO_INDEX;
	while (t->next < t->sms) {
		uint32_t from = t->next, end = t->end;
		uint32_t to = from + 1 + (t->sms - from) / (PIECES * (t->hands + 1));
		t->next = to;
		pthread_mutex_unlock(&t->lock);
		failed = rp_run_some(r, from, to, end);
		pthread_mutex_lock(&t->lock);
		if (failed != RP_NO_INDEX)
			t->next = t->sms;
	}
	return failed;
}

/* In another thread, in this window or, when it comes late, in a later one or in none. */
static void help(void *arg)
{
	struct hand *h = arg;
	struct rp_team *t = h->team;
	pthread_mutex_lock(&t->lock);
	if (t->next < t->sms || t->telling < t->observers) {
		t->busy++;
		if (t->next < t->sms)
			h->failed = take_some(t, h->r);
		tell_some(t, h->r);
		if (!--t->busy)
			pthread_cond_signal(&t->idle);
	}
	pthread_mutex_unlock(&t->lock);
}

static void ask_for_help(struct rp_team *t)
{
	for (unsigned i = 0; i < t->hands; i++)
		t->post(t->poster, i, help, &t->hand[i]);
}

/* Called with the lock. */
static void wait_for_helpers(struct rp_team *t)
{
	while (t->busy)
		pthread_cond_wait(&t->idle, &t->lock);
}

/* Tells all observers, each in one of the threads where there is much to tell. */
static void tell_all(struct ct_replay *r, struct rp_team *t)
{
	rp_tell_lines(r); /* of windows before, in which SMs ran one after the other */
	size_t notes = 0;
	for (uint32_t i = 0; i < t->sms; i++)
		notes += t->told[i].n;
	pthread_mutex_lock(&t->lock);
	t->telling = 0;
	t->observers = notes ? r->nobs : 0;
	if (notes >= LEAST_NOTES && r->nobs > 1) {
		pthread_mutex_unlock(&t->lock);
		ask_for_help(t);
		pthread_mutex_lock(&t->lock);
	}
	tell_some(t, r);
	wait_for_helpers(t);
	pthread_mutex_unlock(&t->lock);
	for (uint32_t i = 0; i < t->sms; i++)
		t->told[i].n = 0;
}

/* Notes of shared memory for instructions that have come, or that are of another launch. */
static int make_shapes(const struct ct_replay *r, struct hand *h)
{
	if (ct_grow((void **)&h->shapes, &h->shapes_cap, r->chunks + 1, sizeof *h->shapes) < 0)
		return -1;
	for (; h->chunks < r->chunks; h->chunks++) {
		h->shapes[h->chunks] = ct_calloc(RP_OPS_CHUNK, sizeof **h->shapes);
		if (!h->shapes[h->chunks])
			return -1;
	}
	uint32_t had = h->r->kernel == r->kernel && h->r->launch_key == r->launch_key ? h->r->nops : 0;
	for (uint32_t i = had; i < r->nops; i++)
		h->shapes[i / RP_OPS_CHUNK][i % RP_OPS_CHUNK].nruns = 0;
	return 0;
}

/* Brings what the helper knows of the engine up to date. */
static int brief(const struct ct_replay *r, struct hand *h)
{
	if (make_shapes(r, h) < 0)
		return -1;
	const struct ct_pool pool = h->r->pool;
	*h->r = *r;
	h->r->pool = pool;
	h->r->shapes = h->shapes;
	h->r->error = (struct ct_error){0};
	h->failed = RP_NO_INDEX;
	if (r->quick) {
		h->quick = *r->quick;
		h->r->quick = &h->quick;
	}
	return 0;
}

/* The first SM that has failed, with its error, as if SMs had run one after the other; RP_NO_INDEX: none has. */
static uint32_t gather(struct ct_replay *r, const struct rp_team *t)
{
	uint32_t first = t->failed;
	for (unsigned i = 0; i < t->hands; i++) {
		const struct hand *h = &t->hand[i];
		if (h->failed < first) {
			first = h->failed;
			r->error = h->r->error;
		}
		if (h->r->end_cycle > r->end_cycle)
			r->end_cycle = h->r->end_cycle;
	}
	return first;
}

/* What SMs have issued since it was asked last tells how much they will. Some of these times are short, since a window
 * ends for as long as CTAs are placed in it. */
int rp_team_wanted(struct ct_replay *r)
{
	struct rp_team *t = r->team;
	uint64_t insts = 0;
	if (!t)
		return 0;
	for (uint32_t i = 0; i < t->sms; i++)
		insts += rp_warp_insts(&r->sm[i]);
	if (insts - t->insts >= LEAST_INSTS)
		t->still = STILL;
	else if (t->still)
		t->still--;
	t->insts = insts;
	return t->still > 0;
}

/* All that helpers read is known before they do. */
static int brief_all(struct ct_replay *r, struct rp_team *t)
{
	if (r->code && r->nops < ct_code_count(r->code) &&
	    rp_ops_reserve(r, ct_code_count(r->code) - 1) < 0)
		return -1;
	r->told = r->nobs ? t->told : NULL;
	for (unsigned i = 0; i < t->hands; i++)
		if (brief(r, &t->hand[i]) < 0) {
			r->told = NULL;
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		}
	return 0;
}

uint32_t rp_team_run(struct ct_replay *r, uint32_t end)
{
	struct rp_team *t = r->team;
	if (brief_all(r, t) < 0)
		return 0;
	pthread_mutex_lock(&t->lock);
	t->next = 0;
	t->end = end;
	pthread_mutex_unlock(&t->lock);
	ask_for_help(t);
	pthread_mutex_lock(&t->lock);
	t->failed = take_some(t, r);
	wait_for_helpers(t);
	pthread_mutex_unlock(&t->lock);
	r->told = NULL;
	uint32_t failed = gather(r, t);
	if (failed == RP_NO_INDEX)
		tell_all(r, t);
	return failed;
}

/* ---- making ---- */

static int make_team(struct ct_replay *r, unsigned helpers)
{
	struct rp_team *t = r->team;
	t->sms = r->g.sms;
	t->told = ct_calloc(t->sms, sizeof *t->told);
	t->hand = ct_calloc(helpers, sizeof *t->hand);
	for (; t->hand && t->hands < helpers; t->hands++) {
		struct hand *h = &t->hand[t->hands];
		h->team = t;
		h->failed = RP_NO_INDEX;
		h->r = ct_calloc(1, sizeof *h->r);
		if (!h->r)
			break;
	}
	return t->told && t->hands == helpers ? 0 : -1;
}

int ct_replay_share(struct ct_replay *r, unsigned helpers, ct_replay_post *post, void *poster,
                    struct ct_error *e)
{
	if (r->team || r->parts || r->has_issue || r->has_mem || r->has_stall || r->g.sms < LEAST_SMS ||
	    !helpers)
		return CT_OK;
	struct rp_team *t = ct_calloc(1, sizeof *t);
	if (!t || ct_lock_init(&t->lock, &t->idle) < 0) {
		free(t);
		return ct_fail_nomem(e);
	}
	r->team = t;
	t->post = post;
	t->poster = poster;
	t->next = t->sms = r->g.sms;
	t->still = STILL;
	if (make_team(r, helpers) == 0)
		return CT_OK;
	rp_team_free(r);
	return ct_fail_nomem(e);
}

static void free_hand(struct hand *h)
{
	if (h->r)
		ct_pool_free(&h->r->pool);
	free(h->r);
	for (uint32_t i = 0; i < h->chunks; i++)
		free(h->shapes[i]);
	free(h->shapes);
}

void rp_team_free(struct ct_replay *r)
{
	struct rp_team *t = r->team;
	if (!t)
		return;
	for (unsigned i = 0; i < t->hands; i++)
		free_hand(&t->hand[i]);
	for (uint32_t i = 0; t->told && i < t->sms; i++)
		free(t->told[i].note);
	ct_lock_free(&t->lock, &t->idle);
	free(t->hand);
	free(t->told);
	free(t);
	r->team = NULL;
}
