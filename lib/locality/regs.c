/* How far do warps reach back for their registers? Each register has the time of its last access: how many
 * registers were accessed since is how many have a later one. The times of a file lie side by side, so that vector
 * instructions count them, and nothing moves when a register is accessed. */
#include "locality/regs.h"

#include <string.h>

#include "base/hot.h"

enum {
	FILE_REGS = CT_REGS_MOST / CT_REGS_FILES,
	STEP = 16,             /* registers that are counted at once */
	LAST_TIME = INT16_MAX, /* then times are numbered anew */
};

void ct_regs_reset(struct ct_regs *r)
{
	for (unsigned f = 0; f < CT_REGS_FILES; f++) {
		memset(r->last + f * FILE_REGS, 0, r->top[f] * sizeof *r->last);
		memset(r->time + f * FILE_REGS, 0, r->top[f] * sizeof *r->time);
		r->top[f] = 0;
	}
	r->index = 0;
	r->now = 0;
}

/* Registers of the vector or uniform file that operand i stands for: none where it holds no value (RZ, URZ) or is a
 * predicate, which no operand collector handles. Instructions made by hand may not say how many. */
static unsigned width_of(ct_reg reg, unsigned regs)
{
	unsigned n = regs ? regs : 1, room = (unsigned)CT_REGS_MOST - reg;
	if (reg >= CT_REGS_MOST || reg == CT_REG_RZ || reg == CT_REG_URZ)
		return 0;
	return n < room ? n : room;
}

/* How many of the first n registers, a multiple of STEP, were accessed after that time. */
static CT_INLINE unsigned count_later(const int16_t *time, unsigned n, int16_t than)
{
	int16_t later[STEP] = {0};
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i += STEP)
		for (unsigned k = 0; k < STEP; k++)
			later[k] = (int16_t)(later[k] - (time[i + k] > than ? -1 : 0));
	for (unsigned k = 0; k < STEP; k++)
		sum += (unsigned)later[k];
	return sum;
}

static CT_INLINE unsigned accessed_after(const struct ct_regs *r, int16_t than)
{
	unsigned n = 0;
	for (unsigned f = 0; f < CT_REGS_FILES; f++)
		if (r->top[f])
			n += count_later(r->time + f * FILE_REGS, r->top[f], than);
	return n;
}

/* Replaces the times by their ranks. */
static CT_NOINLINE void number_anew(struct ct_regs *r)
{
	int16_t rank[CT_REGS_MOST];
	unsigned all = accessed_after(r, 0);
	for (unsigned i = 0; i < CT_REGS_MOST; i++)
		rank[i] = (int16_t)(r->time[i] ? all - accessed_after(r, r->time[i]) : 0);
	memcpy(r->time, rank, sizeof rank);
	r->now = (int16_t)all;
}

static CT_INLINE void touch_register(struct ct_regs *r, unsigned reg)
{
	unsigned f = reg / FILE_REGS, of = reg % FILE_REGS;
	if (r->now == LAST_TIME)
		number_anew(r);
	if (of >= r->top[f])
		r->top[f] = (uint16_t)((of + STEP) / STEP * STEP);
	r->time[reg] = ++r->now;
	r->last[reg] = r->index;
}

static int seen_before(const struct ct_sinst *s, unsigned i, unsigned reg)
{
	for (unsigned k = 0; k < i; k++)
		if (reg - s->src[k] < (s->src_regs[k] ? s->src_regs[k] : 1u))
			return 1;
	return 0;
}

static CT_INLINE void read_register(const struct ct_regs *r, unsigned reg, struct ct_hist *insts,
                                    struct ct_hist *distinct)
{
	if (r->last[reg] == 0) {
		insts->cold++;
		distinct->cold++;
		return;
	}
	ct_hist_add(insts, r->index - r->last[reg], 1);
	ct_hist_add(distinct, accessed_after(r, r->time[reg]) + 1u, 1);
}

void ct_regs_step(struct ct_regs *r, const struct ct_sinst *s, struct ct_hist *insts,
                  struct ct_hist *distinct)
{
	unsigned nsrc = s->nsrc < CT_MAX_SRC ? s->nsrc : CT_MAX_SRC;
	unsigned ndst = s->ndst < CT_MAX_DST ? s->ndst : CT_MAX_DST;
	if (r->index == UINT32_MAX) /* the counter would wrap */
		ct_regs_reset(r);
	r->index++;
	/* All sources are read before any becomes the latest: reads of one instruction are not
	 * between each other. */
	for (unsigned i = 0; i < nsrc; i++)
		for (unsigned k = 0, n = width_of(s->src[i], s->src_regs[i]); k < n; k++)
			if (!seen_before(s, i, s->src[i] + k))
				read_register(r, s->src[i] + k, insts, distinct);
	for (unsigned i = 0; i < nsrc; i++)
		for (unsigned k = 0, n = width_of(s->src[i], s->src_regs[i]); k < n; k++)
			touch_register(r, s->src[i] + k);
	for (unsigned i = 0; i < ndst; i++)
		for (unsigned k = 0, n = width_of(s->dst[i], s->dst_regs[i]); k < n; k++)
			touch_register(r, s->dst[i] + k);
}
