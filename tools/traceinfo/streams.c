#include "traceinfo/streams.h"

#include <stdlib.h>

#include "base/mem.h"

static struct stream_counts *stream_of(struct streams *s, uint64_t id)
{
	for (size_t i = s->n; i-- > 0;) /* most often the one of the kernel before */
		if (s->stream[i].id == id)
			return &s->stream[i];
	if (ct_grow((void **)&s->stream, &s->cap, s->n + 1, sizeof *s->stream) < 0)
		return NULL;
	s->stream[s->n] = (struct stream_counts){.id = id};
	return &s->stream[s->n++];
}

int streams_add(struct streams *s, uint64_t id, const struct census_counts *kernel, struct ct_error *e)
{
	struct stream_counts *x = stream_of(s, id);
	if (!x)
		return ct_fail_nomem(e);
	x->launches++;
	x->counts.ctas += kernel->ctas;
	x->counts.warps += kernel->warps;
	x->counts.warp_insts += kernel->warp_insts;
	x->counts.thread_insts += kernel->thread_insts;
	x->counts.mem_insts += kernel->mem_insts;
	x->counts.requests += kernel->requests;
	x->counts.loads += kernel->loads;
	x->counts.stores += kernel->stores;
	x->counts.atomics += kernel->atomics;
	x->counts.lane_accesses += kernel->lane_accesses;
	return CT_OK;
}

void streams_free(struct streams *s)
{
	free(s->stream);
	*s = (struct streams){.n = 0};
}
