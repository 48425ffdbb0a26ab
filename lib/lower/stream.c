/* The records of a warp, in words of 64 bits, whose halves are, low one first:
 *
 *   VARIANT | its number << 2, mask; then an access for each of its steps that is one
 *   PLAIN | n << 2, mask; first instruction, 0
 *   ACCESS | instruction << 2, mask; an access
 *
 * An access is NONE, 0; or STRIDED, the stride; the first address; or LIST, 0; an address for each lane of
 * the mask. */
#include "lower/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"

enum { VARIANT, PLAIN, ACCESS, KIND_BITS = 2 };
enum { NONE, STRIDED, LIST };
enum { ACCESS_WORDS = 1 + CT_WARP_LANES };

struct ct_lower_made *ct_lower_made_new(void)
{
	return ct_calloc(1, sizeof(struct ct_lower_made));
}

int ct_lower_made_begin(struct ct_lower_made *m, uint64_t index, uint32_t warps, struct ct_error *e)
{
	ct_cta_unref(m->packed);
	m->packed = NULL;
	if (warps > m->streams) {
		struct ct_lower_stream *grown = ct_reallocarray(m->stream, warps, sizeof *grown);
		if (!grown)
			return ct_fail_nomem(e);
		memset(grown + m->streams, 0, (warps - m->streams) * sizeof *grown);
		m->stream = grown;
		m->streams = warps;
	}
	for (uint32_t i = 0; i < warps; i++)
		m->stream[i].n = m->stream[i].insts = 0;
	m->index = index;
	m->warps = warps;
	return CT_OK;
}

uint64_t ct_lower_made_insts(const struct ct_lower_made *m)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < m->warps; i++)
		n += m->packed ? ct_cta_warp(m->packed, i)->insts : m->stream[i].insts;
	return n;
}

void ct_lower_made_free(struct ct_lower_made *m)
{
	if (!m)
		return;
	ct_cta_unref(m->packed);
	for (size_t i = 0; i < m->streams; i++)
		free(m->stream[i].word);
	free(m->stream);
	free(m);
}

/* ---- in ---- */

static inline int make_room(struct ct_lower_stream *s, size_t n, struct ct_error *e)
{
	if (s->n + n <= s->cap)
		return CT_OK;
	return ct_grow((void **)&s->word, &s->cap, s->n + n, sizeof *s->word) < 0
	               ? ct_fail_nomem(e)
	               : CT_OK;
}

static inline uint64_t halves(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static inline uint64_t *put_strided(uint64_t *to, uint64_t first, int64_t stride)
{
	*to++ = halves(STRIDED, (uint32_t)(int32_t)stride); /* it fits: see ct_cta_maker_is_strided */
	*to++ = first;
	return to;
}

/* Writes an access by other lanes than executed it, which may be evenly apart where all are not. */
static uint64_t *put_some(uint64_t *to, uint32_t mask, const struct ct_lower_access *a)
{
	uint64_t row[CT_WARP_LANES] = {0};
	int64_t stride;
	unsigned n = 0;
	if (!mask) {
		*to++ = NONE;
		return to;
	}
	for (uint32_t rest = a->mask; rest; rest &= rest - 1, n++)
		row[ct_low_bit(rest)] = a->strided ? a->first + (uint64_t)a->stride * n : a->lanes[n];
	if (ct_cta_maker_is_strided(mask, row, &stride))
		return put_strided(to, row[ct_low_bit(mask)], stride);
	*to++ = LIST;
	for (; mask; mask &= mask - 1)
		*to++ = row[ct_low_bit(mask)];
	return to;
}

static inline uint64_t *put_access(uint64_t *to, uint32_t mask, const struct ct_lower_access *a)
{
	if (mask != a->mask || !mask)
		return put_some(to, mask, a);
	if (a->strided)
		return put_strided(to, a->first, a->stride);
	*to++ = LIST;
	memcpy(to, a->lanes, a->n * sizeof *to);
	return to + a->n;
}

int ct_lower_put_variant(struct ct_lower_stream *s, const struct ct_lower_program *p, uint32_t variant,
                         uint32_t mask, const struct ct_lower_access *access, struct ct_error *e)
{
	const struct ct_lower_variant *v = &p->variant[variant];
	int st = make_room(s, 1 + (size_t)v->accesses * ACCESS_WORDS, e);
	if (st < 0)
		return st;
	uint64_t *to = s->word + s->n;
	*to++ = halves(VARIANT | variant << KIND_BITS, mask);
	for (const struct ct_lower_step *i = &p->step[v->step], *end = &p->step[v->step_end]; i < end;
	     i++)
		if (i->access != CT_LOWER_NONE)
			to = put_access(to, mask & i->lanes, &access[i->access]);
	s->n = (size_t)(to - s->word);
	s->insts += v->issued;
	return CT_OK;
}

int ct_lower_put_plain(struct ct_lower_stream *s, uint32_t inst, uint32_t n, uint32_t mask,
                       struct ct_error *e)
{
	int st = make_room(s, 2, e);
	if (st < 0)
		return st;
	s->word[s->n++] = halves(PLAIN | n << KIND_BITS, mask);
	s->word[s->n++] = inst;
	s->insts += n;
	return CT_OK;
}

int ct_lower_put_access(struct ct_lower_stream *s, uint32_t inst, uint32_t mask,
                        const struct ct_lower_access *a, struct ct_error *e)
{
	int st = make_room(s, 1 + ACCESS_WORDS, e);
	if (st < 0)
		return st;
	uint64_t *to = s->word + s->n;
	*to++ = halves(ACCESS | inst << KIND_BITS, mask);
	to = put_access(to, mask, a);
	s->n = (size_t)(to - s->word);
	s->insts++;
	return CT_OK;
}

/* ---- out ---- */

static inline uint32_t high_half(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static int walk_access(const uint64_t **from, uint32_t sid, uint32_t mask,
                       const struct ct_lower_sink *to, struct ct_error *e)
{
	const uint64_t *at = *from;
	switch ((uint32_t)*at) {
	case NONE: *from = at + 1; return to->none(to->ctx, sid, e);
	case STRIDED:
		*from = at + 2;
		return to->strided(to->ctx, sid, mask, at[1], (int32_t)high_half(*at), e);
	default: *from = at + 1 + ct_bits(mask); return to->lanes(to->ctx, sid, mask, at + 1, e);
	}
}

/* The accesses of a variant whose instructions are told of. */
static const uint64_t *walk_accesses(const uint64_t *at, const struct ct_lower_variant *v, uint32_t mask,
                                     const struct ct_lower_program *p, const struct ct_lower_sink *to)
{
	for (const struct ct_ctz_step *i = p->sequence + v->step, *end = p->sequence + v->step_end;
	     i < end; i++) {
		if (!i->access)
			continue;
		switch ((uint32_t)*at) {
		case NONE:
			to->next_strided(to->ctx, i->sid, 0, 0);
			at++;
			break;
		case STRIDED:
			to->next_strided(to->ctx, i->sid, at[1], (int32_t)high_half(*at));
			at += 2;
			break;
		default:
			to->next_lanes(to->ctx, i->sid, mask & i->lanes, at + 1);
			at += 1 + ct_bits(mask & i->lanes);
		}
	}
	return at;
}

static int walk_variant(const uint64_t **from, uint32_t variant, uint32_t mask,
                        const struct ct_lower_program *p, const struct ct_lower_sink *to,
                        struct ct_error *e)
{
	const struct ct_lower_variant *v = &p->variant[variant];
	int st = to->variant ? to->variant(to->ctx, variant, mask, e) : 0;
	if (st > 0) {
		*from = walk_accesses(*from, v, mask, p, to);
		return CT_OK;
	}
	for (uint32_t i = v->step; i < v->step_end && st == CT_OK; i++) {
		const struct ct_lower_step *step = &p->step[i];
		uint32_t sid = p->sid[step->inst], lanes = mask & step->lanes;
		st = step->access == CT_LOWER_NONE ? to->plain(to->ctx, sid, step->n, lanes, e)
		                                   : walk_access(from, sid, lanes, to, e);
	}
	return st;
}

int ct_lower_stream_walk(const struct ct_lower_stream *s, const struct ct_lower_program *p,
                         const struct ct_lower_sink *to, struct ct_error *e)
{
	const uint64_t *at = s->word, *end = at + s->n;
	int st = CT_OK;
	while (at != end && st == CT_OK) {
		uint32_t number = (uint32_t)*at >> KIND_BITS, mask = high_half(*at);
		switch (*at++ & ((1u << KIND_BITS) - 1)) {
		case VARIANT: st = walk_variant(&at, number, mask, p, to, e); break;
		case PLAIN: st = to->plain(to->ctx, p->sid[*at++], number, mask, e); break;
		default: st = walk_access(&at, p->sid[number], mask, to, e);
		}
	}
	return st;
}
