#include "models/bypass/parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/coalesce.h"
#include "models/bypass/seen.h"

/* A request at Perfect that waits for sectors of a line. */
struct waiter {
	uint64_t token;
	uint32_t left, next;
};

struct perfect_sm {
	struct ct_bp_seen seen;
	struct waiter *waiter;
	size_t cap;
	uint32_t waiters, free; /* of them in use or in the list of free ones */
	uint32_t open;          /* sectors on their way */
};

struct ct_bp_parts {
	const struct ct_gpu *g;
	struct ct_bp_predictor *predictor;
	struct perfect_sm *sm;
	struct ct_admission_part admission;
	struct ct_l1_part l1;
	struct ct_replay_parts plugs;
};

/* ---- Bypass ---- */

static void on_kernel(void *ctx, struct ct_replay *r, const struct ct_kernel *k, uint64_t cycle)
{
	struct ct_bp_parts *x = ctx;
	(void)r;
	(void)cycle;
	if (k)
		ct_bp_predictor_kernel(x->predictor, k->name);
}

static int may_allocate(void *ctx, const struct ct_admission_visit *v)
{
	struct ct_bp_parts *x = ctx;
	return ct_bp_may_allocate(x->predictor, v->sm, v->pc);
}

static void on_found(void *ctx, const struct ct_admission_visit *v, int hit)
{
	struct ct_bp_parts *x = ctx;
	ct_bp_found(x->predictor, v->sm, v->slot, v->pc, hit);
}

static void on_allocated(void *ctx, const struct ct_admission_visit *v, int evicted)
{
	struct ct_bp_parts *x = ctx;
	ct_bp_allocated(x->predictor, v->sm, v->slot, v->pc, evicted);
}

/* ---- Perfect ---- */

/* Notes that a request waits for a line, behind those that came before. Returns -1 when out of
 * memory. */
static int wait_for(struct perfect_sm *s, uint32_t line, uint64_t token, uint32_t sectors)
{
	uint32_t i = s->free, *at = &s->seen.line[line].waiting;
	if (i != CT_BP_NO_LINE) {
		s->free = s->waiter[i].next;
	} else {
		if (ct_grow((void **)&s->waiter, &s->cap, (size_t)s->waiters + 1, sizeof *s->waiter) < 0)
			return -1;
		i = s->waiters++;
	}
	s->waiter[i] = (struct waiter){token, sectors, CT_BP_NO_LINE};
	while (*at != CT_BP_NO_LINE) /* first come, first answered */
		at = &s->waiter[*at].next;
	*at = i;
	return 0;
}

/* Sectors of a store that it writes as a whole, as the L1 keeps them that allocates for stores. */
static uint32_t kept_sectors(const struct ct_gpu *g, const struct ct_l1_request *q)
{
	if (g->l1.write_policy < CT_WRITE_THROUGH_ALLOCATE)
		return 0;
	return ct_whole_sectors(g->l1.line, g->l1.sector, q->mask, q->bytes);
}

/* A miss needs MSHR entries for its sectors and room in the miss queue, as in the engine's L1.
 * Without them it tries again later. */
static int has_room(const struct ct_bp_parts *x, const struct ct_replay *r,
                    const struct ct_l1_request *q, uint32_t sectors, uint64_t cycle)
{
	const struct perfect_sm *s = &x->sm[q->sm];
	uint32_t most = x->g->l1.mshr_entries, queue = x->g->l1.miss_queue;
	if (sectors && s->open && s->open + ct_bits(sectors) > most)
		return 0;
	return ct_l1_queued(r, q->sm, cycle) < (queue > 2 ? queue : 2) - (q->is_write ? 0 : 1);
}

/* A look-up in an L1 that forgets nothing: sectors that were asked for are there or on their way. */
static enum ct_l1_outcome perfect_lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
                                         uint64_t cycle, struct ct_l1_result *out)
{
	struct ct_bp_parts *x = ctx;
	struct perfect_sm *s = &x->sm[q->sm];
	uint32_t i = ct_bp_seen_enter(&s->seen, q->address / x->g->l1.line);
	if (i == CT_BP_NO_LINE) {
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
		return CT_L1_RETRY;
	}
	struct ct_bp_seen_line *l = &s->seen.line[i];
	uint32_t have = q->mask & l->have, coming = q->mask & l->asked & ~l->have;
	uint32_t missing = q->mask & ~have & ~coming;
	if ((missing || q->is_write) && !has_room(x, r, q, q->is_write ? 0 : missing, cycle))
		return CT_L1_RETRY;
	out->hit = have;
	out->pending = coming;
	out->line_miss = missing;
	if (q->is_write) {
		l->have |= kept_sectors(x->g, q);
		out->forward = 1;
		return CT_L1_TAKEN;
	}
	out->done = have;
	if (!(coming | missing))
		return CT_L1_TAKEN;
	if (wait_for(s, i, q->token, coming | missing) < 0)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	if (missing) {
		l->asked |= missing;
		s->open += ct_bits(missing);
		ct_l1_fetch(r, q->sm, q->address, x->g->l1.sector, missing, (uint64_t)i << 32 | missing,
		            cycle);
	}
	return CT_L1_TAKEN;
}

/* All sectors of a fetch are there: whoever waits for some of them gets those. */
static void perfect_filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct ct_bp_parts *x = ctx;
	struct perfect_sm *s = &x->sm[sm];
	struct ct_bp_seen_line *l = &s->seen.line[tag >> 32];
	uint32_t sectors = (uint32_t)tag, *at = &l->waiting;
	l->have |= sectors;
	l->asked &= ~sectors;
	s->open -= ct_bits(sectors);
	while (*at != CT_BP_NO_LINE) {
		uint32_t i = *at, now = s->waiter[i].left & sectors;
		s->waiter[i].left &= ~sectors;
		if (now)
			ct_l1_answer(r, sm, s->waiter[i].token, now, cycle);
		if (s->waiter[i].left) {
			at = &s->waiter[i].next;
			continue;
		}
		*at = s->waiter[i].next;
		s->waiter[i].next = s->free;
		s->free = i;
	}
}

/* ---- building ---- */

int ct_bp_parts_new(struct ct_bp_parts **out, const struct ct_gpu *g, enum ct_bp_system system,
                    const struct ct_bp_params *params, struct ct_error *e)
{
	struct ct_bp_parts *x;
	int st = CT_OK;
	*out = NULL;
	if (system == CT_BP_BL || system == CT_BP_IDEAL)
		return CT_OK;
	if (!(x = ct_calloc(1, sizeof *x)))
		return ct_fail_nomem(e);
	x->g = g;
	x->admission = (struct ct_admission_part){
		.part = {.ctx = x, .kernel = on_kernel},
		.may_allocate = may_allocate,
		.found = on_found,
		.allocated = on_allocated};
	x->l1 = (struct ct_l1_part){.part.ctx = x, .lookup = perfect_lookup, .filled = perfect_filled};
	if (system == CT_BP_BYPASS) {
		x->plugs.admission = &x->admission;
		st = ct_bp_predictor_new(&x->predictor, g->sms, ct_admission_slots(g), params, e);
	} else {
		x->plugs.l1 = &x->l1;
		x->sm = ct_calloc(g->sms, sizeof *x->sm);
		st = x->sm ? CT_OK : ct_fail_nomem(e);
		for (uint32_t i = 0; i < g->sms && st == CT_OK; i++)
			x->sm[i].free = CT_BP_NO_LINE;
	}
	if (st == CT_OK)
		*out = x;
	else
		ct_bp_parts_free(x);
	return st;
}

void ct_bp_parts_free(struct ct_bp_parts *x)
{
	if (!x)
		return;
	for (uint32_t i = 0; x->sm && i < x->g->sms; i++) {
		ct_bp_seen_free(&x->sm[i].seen);
		free(x->sm[i].waiter);
	}
	ct_bp_predictor_free(x->predictor);
	free(x->sm);
	free(x);
}

const struct ct_replay_parts *ct_bp_parts_plugs(const struct ct_bp_parts *x)
{
	return x ? &x->plugs : NULL;
}

struct ct_bp_learned ct_bp_parts_learned(const struct ct_bp_parts *x)
{
	return x->predictor ? ct_bp_predictor_counts(x->predictor) : (struct ct_bp_learned){0};
}
