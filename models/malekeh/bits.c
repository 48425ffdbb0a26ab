/* Reuse bits and the lives of results: a walk backwards through each warp. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/malekeh/stream.h"

enum { REGS = 256 };

/* Bits of one instruction from the next read of each register's present value (index + 1,
 * 0: none), which the instruction then changes: a write ends the value above it. */
static uint32_t bits_of(const struct ct_mk_stream *s, const struct ct_mk_op *o, uint32_t index,
                        uint32_t rthld, uint32_t *next)
{
	uint32_t mask = 0, now = index + 1;
	const uint8_t *dst = s->writes + o->dst, *src = s->reads + o->src;
	for (unsigned j = 0; j < o->ndst; j++)
		if (CT_MK_BIT_DST + j < CT_MK_BIT_COUNT && next[dst[j]] && next[dst[j]] - now <= rthld)
			mask |= 1u << (CT_MK_BIT_DST + j);
	for (unsigned j = 0; j < o->ndst; j++)
		next[dst[j]] = 0;
	for (unsigned i = 0; i < o->nsrc && i < CT_MK_BIT_DST; i++)
		if (next[src[i]] && next[src[i]] - now <= rthld)
			mask |= 1u << i;
	for (unsigned i = 0; i < o->nsrc; i++)
		next[src[i]] = now;
	return mask;
}

int ct_mk_stream_oracle(struct ct_mk_stream *s, uint32_t rthld, struct ct_error *e)
{
	uint32_t next[REGS];
	for (size_t k = 0; k < s->warps; k++) {
		struct ct_mk_warp *w = &s->warp[k];
		if (!w->bits && !(w->bits = ct_calloc(w->n, sizeof *w->bits)))
			return ct_fail_nomem(e);
		memset(next, 0, sizeof next);
		for (size_t i = w->n; i-- > 0;)
			w->bits[i] = bits_of(s, &s->op[w->rec[i].sid], (uint32_t)i, rthld, next);
	}
	return CT_OK;
}

static unsigned count_bits(const struct ct_mk_op *o, uint8_t at[CT_MK_BIT_COUNT])
{
	unsigned n = 0;
	for (unsigned i = 0; i < o->nsrc && i < CT_MK_BIT_DST; i++)
		at[n++] = (uint8_t)i;
	for (unsigned j = 0; j < o->ndst && CT_MK_BIT_DST + j < CT_MK_BIT_COUNT; j++)
		at[n++] = (uint8_t)(CT_MK_BIT_DST + j);
	return n;
}

int ct_mk_stream_profile(struct ct_mk_stream *s, double share, struct ct_error *e)
{
	size_t n = (size_t)((double)s->warps * share);
	int32_t(*lead)[CT_MK_BIT_COUNT] = ct_calloc(s->ops, sizeof *lead); /* near less far */
	uint8_t at[CT_MK_BIT_COUNT];
	if (!lead)
		return ct_fail_nomem(e);
	if (n < 1)
		n = 1;
	for (size_t k = 0; k < n && k < s->warps; k++) {
		const struct ct_mk_warp *w = &s->warp[k];
		for (size_t i = 0; i < w->n; i++) {
			uint32_t sid = w->rec[i].sid;
			unsigned m = count_bits(&s->op[sid], at);
			for (unsigned b = 0; b < m; b++)
				lead[sid][at[b]] += w->bits[i] >> at[b] & 1 ? 1 : -1;
		}
	}
	for (size_t sid = 0; sid < s->ops; sid++) {
		s->op[sid].mask = 0;
		for (unsigned b = 0; b < CT_MK_BIT_COUNT; b++)
			if (lead[sid][b] > 0)
				s->op[sid].mask |= 1u << b;
	}
	free(lead);
	return CT_OK;
}

int ct_mk_stream_lives(struct ct_mk_stream *s, struct ct_error *e)
{
	uint32_t last[REGS];
	for (size_t k = 0; k < s->warps; k++) {
		struct ct_mk_warp *w = &s->warp[k];
		size_t at = 0;
		if (w->life)
			continue;
		for (size_t i = 0; i < w->n; i++)
			at += s->op[w->rec[i].sid].ndst;
		if (!(w->life = ct_calloc(at, sizeof *w->life)))
			return ct_fail_nomem(e);
		memset(last, 0, sizeof last);
		for (size_t i = w->n; i-- > 0;) {
			const struct ct_mk_op *o = &s->op[w->rec[i].sid];
			at -= o->ndst;
			for (unsigned j = 0; j < o->ndst; j++)
				w->life[at + j] = last[s->writes[o->dst + j]];
			for (unsigned j = 0; j < o->ndst; j++)
				last[s->writes[o->dst + j]] = 0;
			for (unsigned j = 0; j < o->nsrc; j++)
				if (!last[s->reads[o->src + j]])
					last[s->reads[o->src + j]] = (uint32_t)i + 1;
		}
	}
	return CT_OK;
}
