/* builder.c - a thread block on its way from text to the packed form. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/private/accelsim.h"

/* Room for the record that passes the limit, and for one held back by a seal. */
enum { SLACK = 3 * CT_PACK_RECORD_MAX };

int ct_builder_init(struct ct_builder *b)
{
	*b = (struct ct_builder){.buffer = malloc(CT_SEGMENT_MAX)};
	b->span.p = b->buffer;
	b->span.limit = b->buffer ? b->buffer + CT_SEGMENT_MAX - SLACK : NULL;
	return b->buffer ? 0 : -1;
}

static void forget_cta(struct ct_builder *b)
{
	b->segments = b->warps = 0;
	b->span.p = b->buffer;
}

void ct_builder_free(struct ct_builder *b, struct ct_store *s)
{
	for (size_t i = 0; i < b->segments; i++)
		ct_store_drop(s, &b->segment[i]);
	free(b->buffer);
	free(b->segment);
	free(b->warp);
	free(b->start);
	*b = (struct ct_builder){0};
}

int ct_builder_seal(struct ct_builder *b, struct ct_stream *w, struct ct_store *s, struct ct_error *e)
{
	size_t keep = w && w->undo.valid ? w->undo.written : 0;
	size_t n = (size_t)(b->span.p - b->buffer) - keep;
	if (n == 0)
		return CT_OK;
	if (ct_grow((void **)&b->segment, &b->segment_cap, b->segments + 1, sizeof *b->segment) != 0)
		return ct_fail_nomem(e);
	int st = ct_store_put(s, b->buffer, n, &b->segment[b->segments], e);
	if (st < 0)
		return st;
	b->segments++;
	memmove(b->buffer, b->buffer + n, keep);
	b->span.p = b->buffer + keep;
	return CT_OK;
}

int ct_builder_warp(struct ct_builder *b, uint32_t warp, struct ct_error *e)
{
	if (ct_grow((void **)&b->warp, &b->warp_cap, b->warps + 1, sizeof *b->warp) != 0 ||
	    ct_grow((void **)&b->start, &b->start_cap, b->warps + 1, sizeof *b->start) != 0)
		return ct_fail_nomem(e);
	b->warp[b->warps] = (struct ct_warp_info){.warp = warp, .sm = -1, .slot = -1};
	b->start[b->warps] = (struct ct_warp_start){
		.segment = (uint32_t)b->segments,
		.offset = (uint32_t)(b->span.p - b->buffer),
	};
	b->warps++;
	return CT_OK;
}

int ct_builder_finish(struct ct_builder *b, struct ct_launch *l, struct ct_store *s, struct ct_cta **cta,
                      struct ct_error *e)
{
	int st = ct_builder_seal(b, NULL, s, e);
	if (st < 0)
		return st;
	struct ct_cta *c = ct_cta_new(l, s, (uint32_t)b->warps, (uint32_t)b->segments);
	if (!c)
		return ct_fail_nomem(e);
	c->index = b->index;
	if (b->warps) {
		memcpy(c->warp, b->warp, b->warps * sizeof *b->warp);
		memcpy(c->start, b->start, b->warps * sizeof *b->start);
	}
	if (b->segments)
		memcpy(c->segment, b->segment, b->segments * sizeof *b->segment);
	forget_cta(b);
	*cta = c;
	return CT_OK;
}
