/* CTAs out of executed instructions: one packed stream per warp, joined at the CTA's end. */
#include "trace/cta_maker.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "trace/opcode.h"
#include "trace/private/pack.h"

/* A record, one byte of a pending run, and what short copies write behind their end. */
enum { RECORD_ROOM = CT_PACK_RECORD_MAX + 1 + CT_PACK_SHORT };

struct warp_stream {
	struct ct_packer packer;
	unsigned char *data;
	size_t used, cap;
	uint64_t insts;
	struct ct_segment *segment; /* full ones */
	size_t segments, segment_cap;
};

struct ct_cta_maker {
	struct ct_launch *launch;
	struct ct_store *store;
	struct warp_stream *warp;
	size_t warps, warp_cap; /* of the CTA at hand; ever made */
	uint64_t index;
	/* Of the CTA that is joined: */
	unsigned char *joined; /* CT_SEGMENT_MAX bytes */
	size_t joined_bytes;
	struct ct_segment *segment;
	size_t segments, segment_cap;
	struct ct_warp_start *start;
	size_t start_cap;
};

static char *copy_text(const char *s)
{
	return s ? ct_strndup(s, strlen(s)) : ct_strndup("", 0);
}

int ct_cta_maker_new(struct ct_cta_maker **out, const struct ct_kernel *k, uint64_t max_memory,
                     struct ct_error *e)
{
	struct ct_cta_maker *m = ct_calloc(1, sizeof *m);
	*out = NULL;
	if (!m)
		return ct_fail_nomem(e);
	m->launch = ct_launch_new();
	m->store = ct_store_new(max_memory);
	m->joined = malloc(CT_SEGMENT_MAX);
	if (m->launch) {
		struct ct_kernel *to = &m->launch->kernel;
		*to = *k;
		to->name = copy_text(k->name);
		to->nvbit_version = copy_text(k->nvbit_version);
		to->tracer_version = copy_text(k->tracer_version);
		to->path = copy_text(k->path);
		to->sources = NULL;
		if (to->name && to->nvbit_version && to->tracer_version && to->path && m->store &&
		    m->joined) {
			*out = m;
			return CT_OK;
		}
	}
	ct_cta_maker_free(m);
	return ct_fail_nomem(e);
}

static void forget_cta(struct ct_cta_maker *m)
{
	for (size_t i = 0; i < m->warps; i++) {
		for (size_t k = 0; k < m->warp[i].segments; k++)
			ct_store_drop(m->store, &m->warp[i].segment[k]);
		m->warp[i].segments = 0;
	}
	for (size_t i = 0; i < m->segments; i++)
		ct_store_drop(m->store, &m->segment[i]);
	m->segments = m->warps = 0;
}

void ct_cta_maker_free(struct ct_cta_maker *m)
{
	if (!m)
		return;
	forget_cta(m);
	for (size_t i = 0; i < m->warp_cap; i++) {
		free(m->warp[i].data);
		free(m->warp[i].segment);
	}
	free(m->warp);
	free(m->joined);
	free(m->segment);
	free(m->start);
	ct_launch_unref(m->launch);
	ct_store_unref(m->store);
	free(m);
}

const struct ct_kernel *ct_cta_maker_kernel(const struct ct_cta_maker *m)
{
	return &m->launch->kernel;
}

int ct_cta_maker_code(struct ct_cta_maker *m, const struct ct_sinst *s, uint32_t *sid,
                      struct ct_error *e)
{
	struct ct_sinst copy = *s;
	ct_opcode_classify(&copy);
	return ct_code_add(&m->launch->code, &copy, strlen(s->opcode), sid, e);
}

const struct ct_code *ct_cta_maker_code_table(const struct ct_cta_maker *m)
{
	return &m->launch->code;
}

int ct_cta_maker_begin(struct ct_cta_maker *m, uint64_t index, uint32_t warps, struct ct_error *e)
{
	forget_cta(m);
	if (warps > m->warp_cap) {
		struct warp_stream *grown = ct_reallocarray(m->warp, warps, sizeof *grown);
		if (!grown)
			return ct_fail_nomem(e);
		memset(grown + m->warp_cap, 0, (warps - m->warp_cap) * sizeof *grown);
		m->warp = grown;
		m->warp_cap = warps;
	}
	for (uint32_t i = 0; i < warps; i++) {
		ct_packer_init(&m->warp[i].packer);
		m->warp[i].used = 0;
		m->warp[i].insts = 0;
	}
	m->warps = warps;
	m->index = index;
	return CT_OK;
}

/* The packed form of addresses by lane: a run of lanes as base and stride, else differences. */
static void gather_addresses(struct ct_pack_addr *a, uint32_t mask, const uint64_t *lanes)
{
	uint32_t rest = mask & (mask - 1);
	uint64_t last = lanes[ct_low_bit(mask)], all = 0;
	unsigned n = 0;
	a->base = last;
	a->packed = NULL;
	a->lowest = INT64_MIN;
	for (; rest; rest &= rest - 1) {
		uint64_t at = lanes[ct_low_bit(rest)];
		a->delta[n] = (int64_t)(at - last);
		all |= (uint64_t)(a->delta[n] ^ a->delta[0]);
		last = at;
		n++;
	}
	/* Lanes side by side: adding the lowest bit carries through to a single one. */
	uint64_t carried = (uint64_t)mask + (mask & (0u - mask));
	a->n = n + 1;
	a->form = CT_ADDR_DELTAS;
	if (n && !all && !(carried & (carried - 1)) && a->delta[0] == (int32_t)a->delta[0]) {
		a->form = CT_ADDR_STRIDE;
		a->stride = a->delta[0];
	}
}

int ct_cta_maker_is_strided(uint32_t mask, const uint64_t *lanes, int64_t *stride)
{
	uint64_t carried = (uint64_t)mask + (mask & (0u - mask));
	if (!mask || (carried & (carried - 1)) || !(mask & (mask - 1)))
		return 0; /* no lanes side by side, or only one */
	unsigned first = ct_low_bit(mask), end = ct_high_bit(mask) + 1;
	uint64_t step = lanes[first + 1] - lanes[first];
	for (unsigned l = first + 2; l < end; l++)
		if (lanes[l] - lanes[l - 1] != step)
			return 0;
	*stride = (int64_t)step;
	return *stride == (int32_t)*stride;
}

/* Room for one more record; a warp's stream is cut into segments between records. */
static int make_room(struct ct_cta_maker *m, struct warp_stream *w, struct ct_error *e)
{
	if (w->used + RECORD_ROOM <= w->cap)
		return CT_OK;
	if (w->used + RECORD_ROOM > CT_SEGMENT_MAX) {
		if (ct_grow((void **)&w->segment, &w->segment_cap, w->segments + 1, sizeof *w->segment) <
		    0)
			return ct_fail_nomem(e);
		w->used = (size_t)(ct_pack_flush(&w->packer, w->data + w->used) - w->data);
		int st = ct_store_put(m->store, w->data, w->used, &w->segment[w->segments], e);
		if (st < 0)
			return st;
		w->segments++;
		w->used = 0;
		return CT_OK;
	}
	size_t cap = w->cap ? 2 * w->cap : 2 * RECORD_ROOM;
	unsigned char *grown = realloc(w->data, cap < CT_SEGMENT_MAX ? cap : CT_SEGMENT_MAX);
	if (!grown)
		return ct_fail_nomem(e);
	w->data = grown;
	w->cap = cap < CT_SEGMENT_MAX ? cap : CT_SEGMENT_MAX;
	return CT_OK;
}

int ct_cta_maker_put(struct ct_cta_maker *m, uint32_t warp, uint32_t sid, uint32_t mask,
                     const uint64_t *lanes, const uint32_t *values, unsigned nvalues, struct ct_error *e)
{
	struct warp_stream *w = &m->warp[warp];
	int st = make_room(m, w, e);
	if (st < 0)
		return st;
	unsigned char *p = w->data + w->used;
	const struct ct_sinst *s;
	w->insts++;
	if (!lanes && !nvalues && !mask && (s = ct_code_at(&m->launch->code, sid))->width_field) {
		/* A memory line without a lane has an address field all the same. */
		struct ct_pack_addr none = {.form = CT_ADDR_STRIDE};
		p = ct_pack_inst(&w->packer, p, sid, mask, &none, NULL, 0);
	} else if (!lanes && !nvalues) {
		p = ct_pack_plain(&w->packer, p, sid, mask);
	} else {
		struct ct_pack_addr a = {.form = CT_ADDR_NONE};
		if (lanes && mask)
			gather_addresses(&a, mask, lanes);
		else if (lanes)
			a.form = CT_ADDR_STRIDE;
		p = ct_pack_inst(&w->packer, p, sid, mask, &a, values, nvalues);
	}
	w->used = (size_t)(p - w->data);
	return CT_OK;
}

int ct_cta_maker_put_plain(struct ct_cta_maker *m, uint32_t warp, uint32_t sid, uint32_t n,
                           uint32_t mask, struct ct_error *e)
{
	struct warp_stream *w = &m->warp[warp];
	for (uint32_t i = 0; i < n; i++) {
		int st = i % 64 ? CT_OK
		                : make_room(m, w, e); /* a record has room for more than 64 of these */
		if (st < 0)
			return st;
		w->used = (size_t)(ct_pack_plain(&w->packer, w->data + w->used, sid + i, mask) -
		                   w->data);
	}
	w->insts += n;
	return CT_OK;
}

/* Packs a memory instruction whose lanes are a constant stride apart, without a list of addresses. */
int ct_cta_maker_put_strided(struct ct_cta_maker *m, uint32_t warp, uint32_t sid, uint32_t mask,
                             uint64_t first, int64_t stride, struct ct_error *e)
{
	struct warp_stream *w = &m->warp[warp];
	int st = make_room(m, w, e);
	if (st < 0)
		return st;
	struct ct_pack_addr a;
	a.form = CT_ADDR_STRIDE;
	a.n = 2;
	a.base = first;
	a.stride = stride;
	a.packed = NULL;
	w->used = (size_t)(ct_pack_inst(&w->packer, w->data + w->used, sid, mask, &a, NULL, 0) -
	                   w->data);
	w->insts++;
	return CT_OK;
}

/* Stores what was joined so far as one segment. */
static int seal_cta(struct ct_cta_maker *m, struct ct_error *e)
{
	if (m->joined_bytes == 0)
		return CT_OK;
	if (ct_grow((void **)&m->segment, &m->segment_cap, m->segments + 1, sizeof *m->segment) < 0)
		return ct_fail_nomem(e);
	int st = ct_store_put(m->store, m->joined, m->joined_bytes, &m->segment[m->segments], e);
	m->joined_bytes = 0;
	m->segments += st == CT_OK;
	return st;
}

/* Puts a warp's stream behind those before it. One that has full segments begins with them. */
static int join_warp(struct ct_cta_maker *m, size_t i, struct ct_error *e)
{
	struct warp_stream *w = &m->warp[i];
	int st = CT_OK;
	if (w->data)
		w->used = (size_t)(ct_pack_flush(&w->packer, w->data + w->used) - w->data);
	if (w->segments || m->joined_bytes + w->used > CT_SEGMENT_MAX)
		st = seal_cta(m, e);
	if (st < 0)
		return st;
	m->start[i] = (struct ct_warp_start){
		.segment = (uint32_t)m->segments, .offset = (uint32_t)m->joined_bytes};
	if (ct_grow((void **)&m->segment, &m->segment_cap, m->segments + w->segments,
	            sizeof *m->segment) < 0)
		return ct_fail_nomem(e);
	for (size_t k = 0; k < w->segments; k++)
		m->segment[m->segments++] = w->segment[k];
	w->segments = 0;
	if (w->used)
		memcpy(m->joined + m->joined_bytes, w->data, w->used);
	m->joined_bytes += w->used;
	return CT_OK;
}

int ct_cta_maker_end(struct ct_cta_maker *m, struct ct_cta **cta, struct ct_error *e)
{
	int st = CT_OK;
	*cta = NULL;
	if (ct_grow((void **)&m->start, &m->start_cap, m->warps, sizeof *m->start) < 0)
		return ct_fail_nomem(e);
	m->joined_bytes = 0;
	for (size_t i = 0; i < m->warps && st == CT_OK; i++)
		st = join_warp(m, i, e);
	if (st == CT_OK)
		st = seal_cta(m, e);
	if (st < 0)
		return st;
	struct ct_cta *c = ct_cta_new(m->launch, m->store, (uint32_t)m->warps, (uint32_t)m->segments);
	if (!c)
		return ct_fail_nomem(e);
	c->index = m->index;
	for (size_t i = 0; i < m->warps; i++) {
		c->warp[i] = (struct ct_warp_info){
			.warp = (uint32_t)i, .insts = m->warp[i].insts, .sm = -1, .slot = -1};
		c->start[i] = m->start[i];
	}
	if (m->segments)
		memcpy(c->segment, m->segment, m->segments * sizeof *m->segment);
	m->segments = m->warps = 0;
	*cta = c;
	return CT_OK;
}
