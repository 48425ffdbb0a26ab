#include "models/malekeh/planned.h"

static int bit_of(uint16_t mask, unsigned slot)
{
	return slot < CT_MK_PLAN_SLOTS && (mask >> slot & 1);
}

/* ---- SW-RFC ---- */

enum { KEPT = 1, DIES = 2 /* in its strand: the banks do not get it */ };

static void strand_drop(struct mk_planned *x, uint8_t reg)
{
	x->entries -= (uint32_t)ct_mk_regs_has(&x->held, reg);
	ct_mk_regs_put(&x->held, reg, 0);
}

/* There are no more entries than the hardware has, whatever paths the code was planned for. */
static int strand_keep(const struct mk_sm *sm, struct mk_planned *x, uint8_t reg)
{
	if (ct_mk_regs_has(&x->held, reg))
		return 1;
	if (x->entries == sm->sys->entries)
		return 0;
	x->entries++;
	ct_mk_regs_put(&x->held, reg, 1);
	return 1;
}

/* Whether the register of a slot comes again in the instruction, and nothing of the strand reads it after that. */
static int is_read_here_only(const struct ct_mk_op *op, const uint8_t *src, unsigned slot,
                             const struct ct_mk_code_op *code)
{
	int again = 0;
	for (unsigned i = slot + 1; i < op->nsrc && i < CT_MK_PLAN_SLOTS; i++)
		if (src[i] == src[slot]) {
			again = 1;
			if (bit_of(code->more, i))
				return 0;
		}
	return again;
}

/* Values that are read for the last time make room for those that this instruction brings in. What it reads twice and nothing
 * else does is read from its bank once and takes no entry. */
static uint32_t strand_sources(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                               struct mk_planned *x, const struct ct_mk_op *op,
                               const struct ct_mk_code_op *code)
{
	const uint8_t *src = sm->s->reads + op->src;
	struct ct_mk_regs here = x->held; /* and what comes with this instruction */
	uint32_t asked = 0;
	for (unsigned i = 0; code && i < op->nsrc && i < CT_MK_PLAN_SLOTS; i++)
		if (ct_mk_regs_has(&here, src[i]) && !bit_of(code->more, i))
			strand_drop(x, src[i]);
	for (unsigned i = 0; i < op->nsrc; i++) {
		if (i < CT_MK_PLAN_SLOTS && ct_mk_regs_has(&here, src[i])) {
			sm->c.hits++;
			sm->c.cache_reads++;
			continue;
		}
		mk_bank_read(sm, k, warp, src[i], c);
		asked++;
		if (code && bit_of(code->fill, i) &&
		    (is_read_here_only(op, src, i, code) || strand_keep(sm, x, src[i]))) {
			ct_mk_regs_put(&here, src[i], 1);
			sm->c.cache_fills++;
		}
	}
	return asked;
}

static uint32_t strand_take(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                            struct mk_planned *x, const struct ct_mk_op *op,
                            const struct ct_mk_code_op *code, uint32_t *mark)
{
	const uint8_t *dst = sm->s->writes + op->dst;
	if (ct_mk_strand_step(&x->strand, sm->s, op)) {
		x->held = (struct ct_mk_regs){{0}};
		x->entries = 0;
	}
	uint32_t asked = strand_sources(sm, k, c, warp, x, op, code);
	for (unsigned i = 0; i < op->ndst; i++)
		strand_drop(x, dst[i]);
	for (unsigned i = 0; i < op->ndst; i++) {
		int kept = code && !op->slow && bit_of(code->keep, i) && strand_keep(sm, x, dst[i]);
		mark[dst[i]] = !kept ? 0 : bit_of(code->live, i) ? KEPT : KEPT | DIES;
	}
	return asked;
}

/* ---- LTRF ---- */

static void write_back(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x, int all,
                       uint64_t now)
{
	const struct ct_mk_regs regs = all ? x->dirty : ct_mk_regs_both(&x->dirty, &x->out);
	mk_write_regs(sm, k, warp, &regs, now);
	x->dirty = x->out = (struct ct_mk_regs){{0}};
}

/* What the interval reads before it writes, and what it has written already where the warp comes back to it. */
static void fetch_interval(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x)
{
	x->held = ct_mk_regs_either(&x->list, &x->wrote);
	mk_fetch_regs(sm, k, warp, &x->held);
	x->fetched = 1;
}

int mk_planned_ready(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x,
                     const struct ct_mk_op *op, const struct ct_mk_code_op *code, uint32_t index,
                     uint64_t now)
{
	if (x->decided <= index) {
		x->decided = index + 1;
		if (ct_mk_range_step(&x->range, sm->s, op, sm->sys->entries) || !index) {
			write_back(sm, k, warp, x, 0, now);
			x->held = x->wrote = x->list = (struct ct_mk_regs){{0}};
			if (code && code->begins)
				x->list = code->fetch;
			x->serial++;
			x->fetched = 0;
		}
	}
	if (!x->fetched)
		fetch_interval(sm, k, warp, x);
	return !k->warp[warp].fetching;
}

/* A register that no recorded path has fetched here is read from its bank once and stays. */
static uint32_t range_take(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                           struct mk_planned *x, const struct ct_mk_op *op,
                           const struct ct_mk_code_op *code, uint32_t *mark)
{
	const uint8_t *src = sm->s->reads + op->src, *dst = sm->s->writes + op->dst;
	uint32_t asked = 0;
	for (unsigned i = 0; i < op->nsrc; i++) {
		if (ct_mk_regs_has(&x->held, src[i])) {
			sm->c.hits++;
			sm->c.cache_reads++;
			continue;
		}
		mk_bank_read(sm, k, warp, src[i], c);
		asked++;
		sm->c.cache_fills++;
		ct_mk_regs_put(&x->held, src[i], 1);
	}
	for (unsigned i = 0; i < op->ndst; i++) {
		ct_mk_regs_put(&x->held, dst[i], 1);
		ct_mk_regs_put(&x->wrote, dst[i], 1);
		mark[dst[i]] = x->serial << 1 | (!code || i >= CT_MK_PLAN_SLOTS || bit_of(code->out, i));
	}
	return asked;
}

/* ---- both ---- */

uint32_t mk_planned_take(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                         struct mk_planned *x, const struct ct_mk_op *op,
                         const struct ct_mk_code_op *code, uint32_t *mark)
{
	if (sm->sys->kind == CT_MK_SW_RFC)
		return strand_take(sm, k, c, warp, x, op, code, mark);
	return range_take(sm, k, c, warp, x, op, code, mark);
}

/* A result of an earlier interval, or of a warp that is not active, goes to the banks. */
void mk_planned_write(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x,
                      uint8_t reg, uint32_t mark, uint64_t now)
{
	if (sm->sys->kind == CT_MK_SW_RFC) {
		sm->c.cache_writes += mark & KEPT;
		if (!(mark & DIES))
			mk_bank_write(sm, k, warp, reg, now);
		return;
	}
	if (!(k->active >> warp & 1) || mark >> 1 != (x->serial & UINT32_MAX >> 1)) {
		mk_bank_write(sm, k, warp, reg, now);
		return;
	}
	ct_mk_regs_put(&x->dirty, reg, 1);
	ct_mk_regs_put(&x->out, reg, (int)(mark & 1));
	sm->c.cache_writes++;
}

void mk_planned_leave(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x,
                      uint64_t now)
{
	if (sm->sys->kind != CT_MK_LTRF)
		return;
	write_back(sm, k, warp, x, 1, now);
	x->fetched = 0;
}
