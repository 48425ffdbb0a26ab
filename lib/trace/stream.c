/* stream.c - the instructions of one warp on their way into the packed form. */
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

void ct_stream_init(struct ct_stream *w)
{
	*w = (struct ct_stream){.sm = -1, .slot = -1};
	ct_packer_init(&w->packer);
}

uint64_t ct_count_nulls(const struct ct_pack_addr *a)
{
	uint64_t at = a->base, nulls = 0;
	for (unsigned i = 0; i < a->n; i++) {
		nulls += at == 0;
		at += (uint64_t)(a->form == CT_ADDR_STRIDE ? a->stride : i + 1 < a->n ? a->delta[i] : 0);
	}
	return nulls;
}

static void remember_inst(struct ct_stream *w, uint32_t sid, uint32_t mask, const struct ct_pack_addr *a)
{
	w->undo.valid = 1;
	w->undo.sid = w->packer.sid;
	w->undo.mask = w->packer.mask;
	w->undo.run = w->packer.run;
	w->undo.slot = w->packer.slot[sid % CT_PACK_SLOTS];
	w->undo.op_sid = sid;
	w->undo.op_mask = mask;
	w->undo.low = a->n == 0 || a->base < CT_SHARED_END;
}

static void take_back(struct ct_stream *w, struct ct_span *o, struct ct_tally *n)
{
	n->null_global -= w->undo.nulls;
	n->lies -= w->undo.lies;
	w->packer.slot[w->undo.op_sid % CT_PACK_SLOTS] = w->undo.slot;
	w->packer.sid = w->undo.sid;
	w->packer.mask = w->undo.mask;
	w->packer.run = w->undo.run;
	o->p -= w->undo.written;
	w->insts--;
}

/* A raw trace has two lines per LDGSTS, the shared destination's and the global
 * source's; only the latter is kept, as the post-processor does (section 7). No
 * program executes an LDGSTS twice without another instruction between. Returns 1
 * when this line is the one to drop. */
static int pair_ldgsts(struct ct_stream *w, struct ct_span *o, struct ct_tally *n, uint32_t sid,
                       uint32_t mask, const struct ct_pack_addr *a)
{
	int low = a->n == 0 || a->base < CT_SHARED_END;
	if (!w->undo.valid || w->undo.op_sid != sid || w->undo.op_mask != mask)
		return 0;
	if (a->n > 0 && w->undo.low == low)
		return 0; /* both of one kind: not a pair */
	w->undo.valid = 0;
	if (low && a->n > 0)
		return 1;
	take_back(w, o, n);
	return 0;
}

void ct_stream_put(struct ct_stream *w, struct ct_span *o, struct ct_tally *n, uint32_t sid,
                   uint32_t mask, unsigned flags, const struct ct_pack_addr *addr,
                   const uint32_t *values, unsigned nvalues)
{
	int has_addr = addr && addr->form != CT_ADDR_NONE;
	w->lines++;
	w->seen |= mask;
	if (flags & CT_TPL_EXIT)
		w->exited |= mask;
	if (flags & CT_TPL_EXTRA)
		n->extra++;
	if ((flags & CT_TPL_LDGSTS) && has_addr) {
		int paired = w->undo.valid;
		if (pair_ldgsts(w, o, n, sid, mask, addr))
			return;
		paired = paired && !w->undo.valid;
		if (!paired)
			remember_inst(w, sid, mask, addr);
	} else {
		w->undo.valid = 0;
	}
	unsigned lies = (flags & CT_TPL_LIES) != 0;
	uint64_t nulls = (flags & CT_TPL_GLOBAL) && has_addr ? ct_null_lanes(addr) : 0;
	n->lies += lies;
	n->null_global += nulls;
	w->undo.lies = (uint8_t)lies;
	w->undo.nulls = (uint8_t)nulls;
	unsigned char *start = o->p;
	o->p = ct_pack_inst(&w->packer, o->p, sid, mask, has_addr ? addr : NULL, values, nvalues);
	w->undo.written = (uint32_t)(o->p - start);
	w->insts++;
}

/* A bulk copy goes on over as many instructions as it has pieces for; the trace has one line of it, whose lanes are not
 * those that move. */
static int put_bulk(struct ct_stream *w, struct ct_span *o, struct ct_tally *n, uint32_t sid,
                    struct ct_line *t, unsigned nvalues)
{
	const uint32_t seen = w->seen | t->mask;
	const uint64_t lines = w->lines + !t->bulk.begun;
	const unsigned flags = ct_flags_of(t) & ~(t->bulk.begun ? CT_TPL_EXTRA : 0u);
	struct ct_pack_addr a;
	const unsigned k = ct_bulk_next(&t->bulk, t->inst.width_field, &a);
	ct_stream_put(w, o, n, sid, k ? UINT32_MAX >> (CT_WARP_LANES - k) : t->mask, flags,
	              k ? &a : NULL, t->values, t->bulk.begun ? 0 : nvalues);
	w->seen = seen;
	w->lines = lines;
	t->bulk.begun = 1;
	return t->bulk.left > 0;
}

int ct_stream_put_line(struct ct_stream *w, struct ct_span *o, struct ct_tally *n, uint32_t sid,
                       struct ct_line *t, int keep_values)
{
	const unsigned nvalues = keep_values ? t->nvalues : 0;
	if (t->bulk.is)
		return put_bulk(w, o, n, sid, t, nvalues);
	ct_stream_put(w, o, n, sid, t->mask, ct_flags_of(t), &t->addr, t->values, nvalues);
	return 0;
}
