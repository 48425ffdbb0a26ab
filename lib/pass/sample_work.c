/* sample_work.c - how much work a launch is, without replaying it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "pass/private/sample_launch.h"

enum { LOOKED_AT = 64, LINE_BITS = 7 };

int ct_pass_work_begin(struct ct_pass_work *w, const struct ct_kernel *k, struct ct_error *e)
{
	uint64_t grid = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
	uint64_t *sketch = w->sketch ? w->sketch : ct_calloc(SKETCH_BITS / 64, sizeof *sketch);
	struct ct_cursor *cursor = w->cursor;
	if (!sketch)
		return ct_fail_nomem(e);
	memset(sketch, 0, SKETCH_BITS / 8);
	*w = (struct ct_pass_work){.sketch = sketch, .cursor = cursor};
	w->step = grid > LOOKED_AT ? grid / LOOKED_AT : 1;
	return CT_OK;
}

static void add_lines(struct ct_pass_work *w, const struct ct_inst *inst)
{
	for (unsigned i = 0; i < inst->naddr; i++) {
		uint64_t h = ct_mix64(inst->addr[i] >> LINE_BITS) % SKETCH_BITS;
		w->sketch[h / 64] |= UINT64_C(1) << h % 64;
	}
}

/* Counts memory instructions and distinct lines of a CTA, without replaying it. */
static int look_into(struct ct_pass_work *w, struct ct_cta *cta, struct ct_error *e)
{
	const struct ct_code *code = ct_cta_code(cta);
	struct ct_inst inst;
	int st = CT_OK;
	for (uint32_t i = 0; i < ct_cta_warps(cta) && st >= 0; i++) {
		st = w->cursor ? ct_cursor_reset(w->cursor, cta, i, e)
		               : ct_cursor_open(&w->cursor, cta, i, e);
		while (st >= 0 && (st = ct_cursor_next(w->cursor, &inst, e)) > 0) {
			const struct ct_sinst *s = ct_code_at(code, inst.sid);
			w->mem_insts += s->width_field > 0;
			if (s->space != CT_SPACE_SHARED && s->space != CT_SPACE_NONE)
				add_lines(w, &inst);
		}
	}
	return st;
}

int ct_pass_work_add(struct ct_pass_work *w, struct ct_cta *cta, struct ct_error *e)
{
	w->ctas++;
	w->warps += ct_cta_warps(cta);
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++)
		w->insts += ct_cta_warp(cta, i)->insts;
	return ct_cta_index(cta) % w->step == 0 ? look_into(w, cta, e) : CT_OK;
}

/* Linear counting (Whang et al. 1990): n = -m ln(share of bits that are 0). */
void ct_pass_work_end(struct ct_pass_work *w)
{
	uint64_t zero = SKETCH_BITS;
	for (size_t i = 0; i < SKETCH_BITS / 64; i++)
		zero -= ct_bits((uint32_t)w->sketch[i]) + ct_bits((uint32_t)(w->sketch[i] >> 32));
	w->lines = SKETCH_BITS * log((double)SKETCH_BITS / (double)(zero ? zero : 1));
}

void ct_pass_work_free(struct ct_pass_work *w)
{
	ct_cursor_close(w->cursor);
	free(w->sketch);
	memset(w, 0, sizeof *w);
}

static int nearly_equal(double a, double b, double part)
{
	return fabs(a - b) <= part * fmax(a, b);
}

int ct_pass_work_equal(const struct ct_pass_work *a, const struct ct_pass_work *b)
{
	return a->ctas == b->ctas && a->warps == b->warps &&
	       nearly_equal((double)a->insts, (double)b->insts, 0.01) &&
	       nearly_equal((double)a->mem_insts, (double)b->mem_insts, 0.01) &&
	       nearly_equal(a->lines, b->lines, 0.05);
}
