/* The check `init`: reads of device memory that neither the program nor a kernel has written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/runtime.h"

/* What an instruction does with the memory of its event. */
enum access { NO_ACCESS, LOADS, STORES, UPDATES };

static uint64_t reads, places; /* unwritten ones so far, and instructions that made them */

static int begins(const char *opcode, const char *with)
{
	return strncmp(opcode, with, strlen(with)) == 0;
}

static enum access access_of(const char *opcode)
{
	if (begins(opcode, "ld") || begins(opcode, "tex") || begins(opcode, "tld4") ||
	    begins(opcode, "suld") || begins(opcode, "cp.async") || begins(opcode, "wmma.load"))
		return LOADS;
	if (begins(opcode, "st.") || begins(opcode, "sust") || begins(opcode, "wmma.store"))
		return STORES;
	return begins(opcode, "atom") || begins(opcode, "red.") ? UPDATES : NO_ACCESS;
}

/* Whether some of the bytes were never written; then they count as written, so that one mistake is told once. */
static int take_unknown(const struct ct_cuda_allocation *a, uint64_t address, uint32_t width)
{
	uint64_t at = address - a->first, end = at + width < a->bytes ? at + width : a->bytes;
	int unknown = 0;
	for (; at < end; at++) {
		unknown |= !a->known[at];
		a->known[at] = 1;
	}
	return unknown;
}

/* Reports a read of memory that nothing has written, each instruction once. */
static void tell(struct ct_cuda_init *c, const struct ct_ptx_event *event, uint32_t lane,
                 const struct ct_cuda_allocation *a)
{
	struct ct_ptx_instruction i = ct_ptx_instruction_at(c->launch->module, event->instruction);
	const uint32_t *block = c->launch->block;
	uint32_t thread = event->warp * 32 + lane;
	reads++;
	if (c->module->access[event->instruction] & 0x80)
		return;
	c->module->access[event->instruction] |= 0x80;
	places++;
	ct_cuda_say(
		"%s:%u: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s reads %u bytes at 0x%" PRIx64
		" that nothing has written: of allocation %" PRIu64 " (%" PRIu64 " bytes at 0x%" PRIx64
		")",
		c->module->name, i.line, event->cta->kernel->name, event->cta->id[0], event->cta->id[1],
		event->cta->id[2], thread % block[0], thread / block[0] % block[1],
		thread / block[0] / block[1], i.opcode, event->width, event->addresses[lane], a->number,
		a->bytes, a->first);
}

/* Looks at each access of a kernel: stores make bytes known, reads of unknown ones are told. */
static int see(void *ctx, const struct ct_ptx_event *event, struct ct_error *e)
{
	struct ct_cuda_init *c = ctx;
	enum access kind = c->module->access[event->instruction] & 0x7f;
	const struct ct_cuda_allocation *a = NULL;
	(void)e;
	if (kind == NO_ACCESS || !event->addresses ||
	    (event->space != CT_PTX_GLOBAL && event->space != CT_PTX_TEXTURE &&
	     event->space != CT_PTX_SURFACE))
		return 0;
	for (uint32_t lane = 0; lane < 32; lane++) {
		uint64_t address = event->addresses[lane];
		if (!(event->mask >> lane & 1))
			continue;
		if (!a || address - a->first >= a->bytes)
			a = ct_cuda_allocation_of(address);
		if (!a || !a->known)
			continue;
		if (take_unknown(a, address, event->width) && kind != STORES)
			tell(c, event, lane, a);
	}
	return 0;
}

cudaError_t ct_cuda_follow_init(struct ct_cuda_init *c, struct ct_cuda_module *m,
                                struct ct_ptx_launch *launch)
{
	size_t n = ct_ptx_instruction_count(m->ptx);
	if (!m->access) {
		m->access = ct_calloc(n, 1);
		if (!m->access)
			return cudaErrorMemoryAllocation;
		for (size_t i = 0; i < n; i++)
			m->access[i] = (unsigned char)access_of(ct_ptx_instruction_at(m->ptx, i).opcode);
	}
	*c = (struct ct_cuda_init){
		.observer = {.ctx = c, .instruction = see}, .launch = launch, .module = m};
	launch->observer = &c->observer;
	return cudaSuccess;
}

void ct_cuda_tell_init(void)
{
	if (ct_cuda.settings.check_init && ct_cuda.started)
		ct_cuda_say("check init: %" PRIu64
		            " reads of memory that nothing has written, by %" PRIu64 " instructions",
		            reads, places);
}
