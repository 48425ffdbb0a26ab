/* Calls of functions that the host provides. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "ptx/exec.h"
#include "ptx/guard.h"

void *ct_ptx_host_address(struct ct_ptx_warp *w, uint32_t lane, uint64_t address, uint64_t bytes)
{
	struct ct_ptx_run *r = w->run;
	uint64_t a = address & ~CT_PTX_WINDOW_MASK, window = address & CT_PTX_WINDOW_MASK, room;
	unsigned char *base;
	if (window == CT_PTX_SHARED_WINDOW) {
		base = r->shared;
		room = r->shared_bytes;
	} else if (window == CT_PTX_LOCAL_WINDOW) {
		base = w->local + (size_t)lane * r->local_bytes;
		room = r->local_bytes;
	} else if (window == CT_PTX_PARAM_WINDOW) {
		base = r->params;
		room = r->f->param_bytes;
	} else {
		return ct_ptx_find_range(r, address, bytes) == UINT32_MAX
		               ? NULL
		               : (void *)(uintptr_t)address;
	}
	return a <= room && room - a >= bytes ? base + a : NULL;
}

/* What `read` of a call needs to know of its thread. */
struct thread_state {
	struct ct_ptx_warp *warp;
	uint32_t lane;
};

static int read_memory(const struct ct_ptx_call *call, void *to, uint64_t from, size_t bytes)
{
	const struct thread_state *t = call->thread_state;
	const void *p = ct_ptx_host_address(t->warp, t->lane, from, bytes);
	if (!p)
		return -1;
	memcpy(to, p, bytes);
	return 0;
}

/* Parameters and results of one lane, between its local memory and the buffers of the call. */
static void copy_lane(const struct ct_ptx_warp *w, uint32_t lane, uint32_t local, const uint32_t *place,
                      const struct ct_ptx_param *p, uint32_t n, unsigned char *buffer, int back)
{
	unsigned char *mine = w->local + (size_t)lane * w->run->local_bytes + local;
	for (uint32_t i = 0; i < n && i < place[0]; i++)
		memcpy(back ? mine + place[1 + i] : buffer + p[i].offset,
		       back ? buffer + p[i].offset : mine + place[1 + i], p[i].bytes);
}

int ct_ptx_call_host(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const struct ct_ptx_function *f)
{
	struct ct_ptx_run *r = w->run;
	const struct ct_ptx_split *s = &w->split[w->current];
	const uint32_t *place = r->m->table + o->extra, *block = r->launch->block;
	uint32_t local = w->frame[s->frame].local;
	if (r->guarded)
		return ct_ptx_guard_refuse(w, o);
	if (!r->launch->call) {
		ct_ptx_stop(w, o, CT_PTX_CALL, s->mask);
		return -1;
	}
	unsigned char *buffer = ct_calloc(1, (size_t)f->param_bytes + f->result_bytes + 32), *result;
	if (!buffer) {
		r->status = ct_fail_nomem(r->e);
		return -1;
	}
	result = buffer + (f->param_bytes + 15) / 16 * 16;
	for (uint32_t left = s->mask; left && !r->status; left &= left - 1) {
		struct thread_state t = {w, ct_low_bit(left)};
		uint32_t thread = w->index * CT_PTX_LANES + t.lane;
		struct ct_ptx_call c = {
			.name = f->name,
			.cta = &r->cta,
			.arguments = buffer,
			.argument_bytes = f->param_bytes,
			.thread = {thread % block[0], thread / block[0] % block[1],
		                   thread / block[0] / block[1]},
			.result = result,
			.result_bytes = f->result_bytes,
			.read = read_memory,
			.thread_state = &t};
		memset(result, 0, f->result_bytes);
		copy_lane(w, t.lane, local, place, f->param, f->nparams, buffer, 0);
		r->status = r->launch->call(r->launch->call_ctx, &c, r->e);
		copy_lane(w, t.lane, local, place + 1 + place[0], f->result, f->nresults, result, 1);
		if (r->status < 0)
			ct_ptx_stop(w, o, CT_PTX_ASSERT, UINT32_C(1) << t.lane);
	}
	free(buffer);
	return r->status < 0 ? -1 : 0;
}
