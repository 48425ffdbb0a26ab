/* group.c - interleaved warps, sorted by launch, CTA and warp. */
#include "trace/private/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/mem.h"

enum { WARP_BUFFER = 4096 }; /* a warp's bytes before they become a segment */

void ct_group_init(struct ct_group *g, struct ct_store *s, uint64_t max_memory)
{
	*g = (struct ct_group){.store = s, .budget = max_memory ? max_memory : UINT64_C(1) << 30};
}

void ct_group_free(struct ct_group *g)
{
	for (size_t i = 0; i < g->warps; i++) {
		for (uint32_t k = 0; k < g->warp[i].segments; k++)
			ct_store_drop(g->store, &g->warp[i].segment[k]);
		free(g->warp[i].segment);
		free(g->warp[i].buffer);
	}
	free(g->warp);
	ct_index_free(&g->index);
	free(g->order);
	*g = (struct ct_group){0};
}

static uint64_t hash_of(uint32_t launch, uint64_t cta, uint32_t warp)
{
	return ct_mix64(ct_mix64(cta * CT_GOLDEN64 + launch) + warp);
}

static uint64_t hash_of_warp(const void *group, uint32_t i)
{
	const struct ct_group_warp *w = &((const struct ct_group *)group)->warp[i];
	return hash_of(w->launch, w->cta, w->warp);
}

struct ct_group_warp *ct_group_find(struct ct_group *r, uint32_t launch, uint64_t cta, uint32_t warp)
{
	if (ct_index_reserve(&r->index, (uint32_t)r->warps, hash_of_warp, r) < 0)
		return NULL;
	uint64_t h = hash_of(launch, cta, warp);
	uint32_t at;
	for (; (at = ct_index_at(&r->index, h)) != 0; h++) {
		struct ct_group_warp *w = &r->warp[at - 1];
		if (w->cta == cta && w->warp == warp && w->launch == launch)
			return w;
	}
	if (r->warps >= CT_GROUP_WARPS ||
	    ct_grow((void **)&r->warp, &r->cap, r->warps + 1, sizeof *r->warp) != 0)
		return NULL;
	struct ct_group_warp *w = &r->warp[r->warps++];
	memset(w, 0, sizeof *w);
	w->launch = launch;
	w->cta = cta;
	w->warp = warp;
	ct_stream_init(&w->stream);
	ct_index_put(&r->index, h, (uint32_t)r->warps - 1);
	return w;
}

/* The buffer becomes a segment, but for an instruction that may be taken back. */
static int seal_warps(struct ct_group *r, struct ct_group_warp *w, int all, struct ct_error *e)
{
	uint32_t keep = !all && w->stream.undo.valid ? w->stream.undo.written : 0;
	uint32_t n = w->bytes - keep;
	if (n == 0)
		return CT_OK;
	struct ct_segment *p = ct_reallocarray(w->segment, w->segments + 1, sizeof *p);
	if (!p)
		return ct_fail_nomem(e);
	w->segment = p;
	int st = ct_store_put(r->store, w->buffer, n, &p[w->segments], e);
	if (st < 0)
		return st;
	w->segments++;
	memmove(w->buffer, w->buffer + n, keep);
	w->bytes = keep;
	r->unsealed -= n;
	return CT_OK;
}

static int seal_everything(struct ct_group *r, struct ct_error *e)
{
	for (size_t i = 0; i < r->warps; i++) {
		int st = seal_warps(r, &r->warp[i], 0, e);
		if (st < 0)
			return st;
		if (r->warp[i].bytes == 0) {
			free(r->warp[i].buffer);
			r->warp[i].buffer = NULL;
			r->warp[i].cap = 0;
		}
	}
	return CT_OK;
}

/* Moves what was packed into scratch to the warp's buffer. */
static int keep_bytes(struct ct_group *r, struct ct_group_warp *w, const unsigned char *p,
                      const unsigned char *end, struct ct_error *e)
{
	uint32_t n = (uint32_t)(end - p);
	if (w->cap - w->bytes < n) {
		size_t cap = w->cap;
		if (ct_grow((void **)&w->buffer, &cap, w->bytes + n, 1) != 0)
			return ct_fail_nomem(e);
		w->cap = (uint32_t)cap;
	}
	if (n)
		memcpy(w->buffer + w->bytes, p, n);
	w->bytes += n;
	r->unsealed += n;
	if (w->bytes >= WARP_BUFFER) {
		int st = seal_warps(r, w, 0, e);
		if (st < 0)
			return st;
	}
	return r->unsealed > r->budget / 2 ? seal_everything(r, e) : CT_OK;
}

int ct_group_keep(struct ct_group *r, struct ct_group_warp *w, const unsigned char *end,
                  struct ct_error *e)
{
	return keep_bytes(r, w, r->scratch, end, e);
}

/* The scratch is laid out so that an LDGSTS of the line before can be taken back: its
 * record is put in front. */
struct ct_span ct_group_span(struct ct_group *r, struct ct_group_warp *w)
{
	struct ct_span o = {r->scratch, r->scratch + sizeof r->scratch};
	if (w->stream.undo.valid) {
		uint32_t n = w->stream.undo.written;
		memcpy(o.p, w->buffer + w->bytes - n, n);
		w->bytes -= n;
		r->unsealed -= n;
		o.p += n;
	}
	return o;
}

/* Orders warps by launch, CTA and number, which no two share. The context is an argument, since qsort() could not reach
 * what the numbers stand for. */
static int warp_before(const void *warps, const void *x, const void *y)
{
	const struct ct_group_warp *a = (const struct ct_group_warp *)warps + *(const uint32_t *)x;
	const struct ct_group_warp *b = (const struct ct_group_warp *)warps + *(const uint32_t *)y;
	if (a->launch != b->launch)
		return a->launch < b->launch;
	return a->cta != b->cta ? a->cta < b->cta : a->warp < b->warp;
}

static int sort_warps(struct ct_group *r)
{
	r->order = ct_calloc(r->warps, sizeof *r->order);
	if (!r->order)
		return -1;
	for (size_t i = 0; i < r->warps; i++)
		r->order[i] = (uint32_t)i;
	ct_heap_sort(r->order, r->warps, sizeof *r->order, warp_before, r->warp);
	return 0;
}

int ct_group_complete(struct ct_group *r, struct ct_error *e)
{
	for (size_t i = 0; i < r->warps; i++) {
		struct ct_group_warp *w = &r->warp[i];
		unsigned char tail[1];
		unsigned char *end = ct_pack_flush(&w->stream.packer, tail);
		int st = keep_bytes(r, w, tail, end, e);
		w->stream.undo.valid = 0;
		if (st == CT_OK)
			st = seal_warps(r, w, 1, e);
		if (st < 0)
			return st;
		free(w->buffer);
		w->buffer = NULL;
		w->cap = 0;
	}
	return sort_warps(r) == 0 ? CT_OK : ct_fail_nomem(e);
}

size_t ct_group_cta_end(const struct ct_group *r, size_t first)
{
	size_t last = first;
	for (; last < r->warps; last++) {
		const struct ct_group_warp *a = &r->warp[r->order[first]], *b = &r->warp[r->order[last]];
		if (a->launch != b->launch || a->cta != b->cta)
			break;
	}
	return last;
}

struct ct_cta *ct_group_cta(struct ct_group *r, size_t first, size_t last, struct ct_launch *l)
{
	uint32_t segments = 0;
	for (size_t i = first; i < last; i++)
		segments += r->warp[r->order[i]].segments;
	struct ct_cta *c = ct_cta_new(l, r->store, (uint32_t)(last - first), segments);
	if (!c)
		return NULL;
	c->index = r->warp[r->order[first]].cta;
	segments = 0;
	for (size_t i = first; i < last; i++) {
		struct ct_group_warp *w = &r->warp[r->order[i]];
		c->warp[i - first] = (struct ct_warp_info){
			w->warp, w->stream.insts, w->stream.sm, w->stream.slot};
		c->start[i - first].segment = segments;
		if (w->segments)
			memcpy(&c->segment[segments], w->segment, w->segments * sizeof *w->segment);
		segments += w->segments;
		w->segments = 0;
	}
	return c;
}
