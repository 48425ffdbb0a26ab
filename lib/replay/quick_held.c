/* Requests of the quick replay that turn out to have been behind one that holds its slice up.
 *
 * SMs run one after the other, so the sectors of a line that the first of them asks for are booked
 * before the others' come. Where SMs ask for the same line together, the network takes from each in
 * turn: its first sector from all of them, then the second. One reader of the first sector too many
 * holds the slice until DRAM has answered, and only then the second sector is looked up (accelsim-
 * model.md 10c). Nothing of a request is back within the window in which it was made, so it can
 * still be told another time. */
#include <string.h>

#include "replay/private/llc.h"
#include "replay/private/quick.h"

static const struct rp_request_note *request_note(const struct rp_quick_slice *q, uint32_t number,
                                                  uint64_t line)
{
	const struct rp_request_note *n = &q->note[number % RP_NOTES];
	return number && q->notes - number < RP_NOTES && n->line == line ? n : NULL;
}

/* A load of the line is back in cycle `back` of the launch at the earliest. */
static void revise_load(struct rp_sm *sm, struct rp_load_note *n, uint32_t back)
{
	struct rp_warp *w = &sm->warp[n->warp];
	if (back <= n->back)
		return;
	sm->c.mem_latency_sum += back - n->back;
	n->back = back;
	if (!w->live)
		return;
	for (unsigned i = 0; i < n->op->ndst; i++)
		sm->regs[n->warp][n->op->dst[i]] = rp_max32(sm->regs[n->warp][n->op->dst[i]], back);
	if (n->op->kind == RP_ASYNC && (int32_t)(n->group - w->group_done) >= 0) {
		uint32_t *open = &w->group_open[n->group % RP_GROUPS];
		*open = rp_max32(*open, back);
	}
	w->done = rp_max32(w->done, back);
	w->revised = 1;
}

/* The request is served `shift` later, and with it what waits for it in the SM's L1. */
static void revise(struct ct_replay *r, struct rp_request_note *n, uint64_t served, uint64_t shift)
{
	struct rp_sm *sm = &r->sm[n->sm];
	struct rp_quick_sm *q = sm->quick;
	uint64_t address = (n->line << r->llc_line_bits) + ((uint64_t)n->sector << r->llc_sector_bits);
	uint64_t line = address >> r->l1_line_bits, old = n->back;
	uint32_t k = (uint32_t)(address >> r->l1_sector_bits & (r->l1_sectors - 1));
	n->served = served;
	n->back += shift;
	uint32_t i = rp_lru_find(&sm->lru, line);
	if (i == RP_LRU_NONE || old < r->horizon + r->window)
		return; /* some may have used it */
	struct rp_entry *e = rp_lru_at(&sm->lru, i);
	if (e->due[k] == (uint32_t)(old - r->epoch))
		e->due[k] = (uint32_t)(n->back - r->epoch);
	for (uint32_t at = q->line[i].note; at && q->notes - at < RP_NOTES;) {
		struct rp_load_note *l = &q->note[at % RP_NOTES];
		if (l->line != line)
			return;
		if (l->sectors >> k & 1)
			revise_load(sm, l, (uint32_t)(n->back - r->base));
		at = l->before;
	}
}

void rp_quick_hold(struct ct_replay *r, struct rp_slice *s, uint32_t index, uint32_t sector,
                   uint64_t ready, uint64_t at, uint64_t due)
{
	struct rp_quick_slice *q = s->quick;
	struct rp_entry *e = rp_lru_at(&s->lru, index);
	uint64_t served[8] = {0}, came[8] = {0}, first[8], shift[8] = {0}, last = ready;
	const struct rp_request_note *n;
	uint32_t newest = q->line[index].note;
	memset(first, 0xff, sizeof first);
	for (uint32_t i = newest; (n = request_note(q, i, e->tag)); i = n->before) {
		served[n->sector] = n->served;
		came[n->sector] = n->ready;
		if (n->ready < first[n->sector])
			first[n->sector] = n->ready;
		if (n->sector == sector)
			last = rp_max64(last, n->ready);
	}
	/* in the order of time the last of these readers is the one too many; the network takes one of
	 * each of those that wait before the next of the same SM */
	for (uint32_t k = 0; k < r->llc_sectors; k++) {
		uint64_t until = r->epoch + e->due[k];
		if (k > sector && ready + k - sector < first[k])
			first[k] = ready + k - sector; /* this SM asks for it next */
		if (came[k] <= came[sector] || until <= at || served[k] > due ||
		    first[k] + r->g.llc.mshr_merge < last)
			continue;
		struct ct_place place = ct_address_place(&r->map, (e->tag << r->llc_line_bits) +
		                                                  ((uint64_t)k << r->llc_sector_bits));
		uint64_t filled = rp_quick_dram(r, &place, due + 1);
		r->total.dram_busy -= r->dram_timing.burst; /* read once */
		if (filled <= until)
			continue;
		shift[k] = filled - until;
		e->due[k] += (uint32_t)shift[k];
	}
	for (uint32_t i = newest; (n = request_note(q, i, e->tag)); i = n->before)
		if (shift[n->sector] && n->served <= due)
			revise(r, &q->note[i % RP_NOTES], due + 1, shift[n->sector]);
}
