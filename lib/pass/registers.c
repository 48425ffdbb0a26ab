/* What do warps find in their registers? The instructions of a warp are gathered as steps, runs of neighbours in the
 * code. Warps that went the same way, as most of a regular kernel do, have equal steps: those that have been met twice are
 * kept with their counts, and further ones only say how often. */
#include "pass/private/registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "locality/regs.h"

enum {
	STREAMS = 1024,      /* that are known at a time, by their hash */
	STEPS = 4096,        /* of a stream; longer ones are counted piece by piece and not kept */
	KEPT_STEPS = 1 << 18 /* of all streams that are kept: 2 MiB */
};

/* Instructions sid, sid + 1, ... of the code. */
struct step {
	uint32_t sid, insts;
};

/* A counter that is not 0. */
struct tally {
	uint64_t count;
	uint16_t bin;
	uint8_t is_cold, is_distinct;
};

/* A stream of instructions. With a hash and no steps it has been met once. */
struct stream {
	uint64_t hash, times; /* times: warps that are not in the counts yet */
	struct step *step;
	struct tally *tally;
	size_t steps, tallies, cap_steps, cap_tallies;
};

struct counts {
	struct ct_hist insts, distinct;
};

struct ct_pass_registers {
	struct counts all, one; /* one: of the stream that is being counted, else 0 */
	uint64_t seen;          /* instructions */
	const struct ct_code *code;
	struct ct_cursor *cursor;
	struct ct_regs regs;
	struct stream known[STREAMS];
	uint16_t used[STREAMS]; /* those with a hash */
	size_t n_used;
	size_t kept_steps;       /* that there is memory for */
	struct step step[STEPS]; /* of the warp at hand */
	size_t steps;
};

struct ct_pass_registers *ct_pass_registers_new(void)
{
	return ct_calloc(1, sizeof(struct ct_pass_registers));
}

void ct_pass_registers_free(struct ct_pass_registers *r)
{
	for (size_t i = 0; r && i < STREAMS; i++) {
		free(r->known[i].step);
		free(r->known[i].tally);
	}
	if (r)
		ct_cursor_close(r->cursor);
	free(r);
}

/* ---- streams ---- */

/* Adds the warps of a known stream to the counts and forgets it. */
static void forget_stream(struct ct_pass_registers *r, struct stream *s)
{
	for (size_t i = 0; i < s->tallies; i++) {
		const struct tally *t = &s->tally[i];
		struct ct_hist *h = t->is_distinct ? &r->all.distinct : &r->all.insts;
		uint64_t *to = t->is_cold ? &h->cold : &h->count[t->bin];
		*to += t->count * s->times;
	}
	s->hash = s->times = 0;
	s->steps = s->tallies = 0;
}

static void forget_all(struct ct_pass_registers *r)
{
	for (size_t i = 0; i < r->n_used; i++)
		forget_stream(r, &r->known[r->used[i]]);
	r->n_used = 0;
}

/* Moves a histogram into the tallies. */
static int take_tallies(struct stream *s, struct ct_hist *h, int is_distinct)
{
	size_t n = h->cold != 0;
	for (unsigned bin = 0; bin < CT_HIST_BINS; bin++)
		n += h->count[bin] != 0;
	if (ct_grow((void **)&s->tally, &s->cap_tallies, s->tallies + n, sizeof *s->tally) < 0)
		return -1;
	for (unsigned bin = 0; bin < CT_HIST_BINS; bin++)
		if (h->count[bin])
			s->tally[s->tallies++] = (struct tally){
				h->count[bin], (uint16_t)bin, 0, (uint8_t)is_distinct};
	if (h->cold)
		s->tally[s->tallies++] = (struct tally){h->cold, 0, 1, (uint8_t)is_distinct};
	memset(h, 0, sizeof *h);
	return 0;
}

/* Feeds the steps that have been gathered. */
static void count_steps(struct ct_pass_registers *r, struct counts *c)
{
	for (size_t i = 0; i < r->steps; i++) {
		const struct step *s = &r->step[i];
		for (uint32_t k = 0; k < s->insts; k++)
			ct_regs_step(&r->regs, ct_code_at(r->code, s->sid + k), &c->insts, &c->distinct);
	}
	r->steps = 0;
}

/* Whether as many streams are kept as may be, and there is no room for that one. */
static int is_full(const struct ct_pass_registers *r, const struct stream *s)
{
	return r->steps > s->cap_steps && r->kept_steps + r->steps > KEPT_STEPS;
}

/* Keeps the stream of the warp at hand with its counts. */
static int keep_stream(struct ct_pass_registers *r, struct stream *s)
{
	size_t n = r->steps, had = s->cap_steps;
	if (ct_grow((void **)&s->step, &s->cap_steps, n, sizeof *s->step) < 0)
		return -1;
	r->kept_steps += s->cap_steps - had;
	memcpy(s->step, r->step, n * sizeof *s->step);
	count_steps(r, &r->one);
	if (take_tallies(s, &r->one.insts, 0) < 0 || take_tallies(s, &r->one.distinct, 1) < 0)
		return -1;
	s->steps = n;
	s->times = 1;
	return 0;
}

static uint64_t hash_steps(const struct step *step, size_t n)
{
	uint64_t h = n;
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((uint64_t)step[i].sid << 32 | step[i].insts)) * CT_GOLDEN64 ^ h >> 29;
	return ct_mix64(h) | 1; /* 0: none */
}

/* Counts the whole stream that has been gathered. */
static int count_stream(struct ct_pass_registers *r)
{
	uint64_t hash = hash_steps(r->step, r->steps);
	struct stream *s = &r->known[hash >> 32 & (STREAMS - 1)];
	if (s->hash == hash && s->steps == r->steps &&
	    memcmp(s->step, r->step, r->steps * sizeof *s->step) == 0) {
		s->times++;
		return 0;
	}
	ct_regs_reset(&r->regs);
	if (s->hash == hash && !s->steps && !is_full(r, s))
		return keep_stream(r, s);
	if (!s->hash)
		r->used[r->n_used++] = (uint16_t)(s - r->known);
	forget_stream(r, s);
	s->hash = hash;
	count_steps(r, &r->all);
	return 0;
}

/* ---- warps ---- */

/* Gathers the instructions of a warp. *cut: it had more than STEPS, and what was gathered has been counted. */
static int gather_steps(struct ct_pass_registers *r, int *cut, struct ct_error *e)
{
	struct step step;
	int st;
	*cut = 0;
	r->steps = 0;
	while ((st = ct_cursor_stretch(r->cursor, &step.sid, &step.insts, e)) > 0) {
		r->seen += step.insts;
		if (r->steps == STEPS) {
			if (!*cut)
				ct_regs_reset(&r->regs);
			*cut = 1;
			count_steps(r, &r->all);
		}
		r->step[r->steps++] = step;
	}
	return st;
}

int ct_pass_registers_cta(void *registers, struct ct_cta *cta, struct ct_error *e)
{
	struct ct_pass_registers *r = registers;
	int st = CT_OK, cut;
	if (r->code != ct_cta_code(cta)) {
		forget_all(r);
		r->code = ct_cta_code(cta);
	}
	for (uint32_t i = 0; st == CT_OK && i < ct_cta_warps(cta); i++) {
		st = r->cursor ? ct_cursor_reset(r->cursor, cta, i, e)
		               : ct_cursor_open(&r->cursor, cta, i, e);
		if (st == CT_OK)
			st = gather_steps(r, &cut, e);
		if (st != CT_OK)
			return st;
		if (cut)
			count_steps(r, &r->all);
		else if (r->steps && count_stream(r) < 0)
			st = ct_fail_nomem(e);
	}
	return st;
}

uint64_t ct_pass_registers_collect(struct ct_pass_registers *r, struct ct_hist *insts,
                                   struct ct_hist *distinct)
{
	uint64_t seen = r->seen;
	forget_all(r);
	ct_cursor_close(r->cursor); /* it holds a CTA of the launch */
	r->cursor = NULL;
	r->code = NULL;
	ct_hist_merge(insts, &r->all.insts);
	ct_hist_merge(distinct, &r->all.distinct);
	memset(&r->all, 0, sizeof r->all);
	r->seen = 0;
	return seen;
}
