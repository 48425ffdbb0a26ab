/* Faults of kernels: what is told of them, and CUDA's error for each. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/runtime.h"

/* The error that CUDA gives; it sticks as an error of the device does. */
static cudaError_t error_of(const struct ct_ptx_fault *f)
{
	switch (f->kind) {
	case CT_PTX_OUT_OF_RANGE: return cudaErrorIllegalAddress;
	case CT_PTX_MISALIGNED: return cudaErrorMisalignedAddress;
	case CT_PTX_ASSERT: return cudaErrorAssert;
	case CT_PTX_DEADLOCK:
	case CT_PTX_STEPS: return cudaErrorLaunchTimeout;
	case CT_PTX_CALL: return cudaErrorInvalidPc;
	case CT_PTX_BARRIER: return cudaErrorIllegalInstruction;
	default: return cudaErrorLaunchFailure;
	}
}

/* The start of line `line` (from 1) of a text, or NULL. */
static const char *find_line(const char *text, uint32_t line)
{
	for (; text && line > 1; line--)
		if ((text = strchr(text, '\n')))
			text++;
	return text;
}

/* The source's file and line of a line of PTX, from the .loc before it in its function and the .file that it
 * names; 0 where the program was compiled without -lineinfo. */
static int source_of(const char *text, uint32_t line, char *out, size_t room)
{
	const char *end = find_line(text, line), *loc = NULL;
	unsigned file, row, number;
	for (const char *at = text; end && at && at < end;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		at += strspn(at, " \t");
		if (strncmp(at, ".loc", 4) == 0)
			loc = at;
		else if (*at == '{')
			loc = NULL;
	}
	if (!loc || sscanf(loc, ".loc %u %u", &file, &row) != 2)
		return 0;
	for (const char *at = strstr(text, ".file"); at; at = strstr(at + 1, ".file")) {
		char name[1024];
		if (sscanf(at, ".file %u \"%1023[^\"]", &number, name) == 2 && number == file) {
			snprintf(out, room, "%s:%u", name, row);
			return 1;
		}
	}
	return 0;
}

/* Boards map so much at a time. What is farther from all allocations is no access that missed one of them. */
#define FAR UINT64_C(0x200000)

/* "it is N bytes behind the end of allocation 3 (4096 bytes at 0x...)", or what else the address may be. Returns whether boards may have
 * memory there. */
static int tell_nearest(const struct ct_ptx_fault *f, char *out, size_t room)
{
	const struct ct_cuda_allocation *a = ct_cuda_nearest_allocation(f->address);
	*out = '\0';
	if (f->kind != CT_PTX_OUT_OF_RANGE || f->space == CT_PTX_SHARED || f->space == CT_PTX_LOCAL ||
	    f->space == CT_PTX_SURFACE || !a || f->address >= CT_PTX_SHARED_WINDOW)
		return 0;
	uint64_t end = a->first + a->bytes;
	char what[64];
	if (a->number)
		snprintf(what, sizeof what, "allocation %" PRIu64, a->number);
	else
		snprintf(what, sizeof what, "%s", a->module ? "a variable" : "registered memory");
	uint64_t far = f->address < a->first ? a->first - f->address : f->address - end;
	if (f->address < FAR) {
		snprintf(out, room, "it is %" PRIu64 " bytes behind a null pointer", f->address);
		return 0;
	}
	if (far >= FAR && (f->address < a->first || f->address >= end)) {
		snprintf(
			out, room,
			"no allocation is near it: is it a pointer of the host, or one that was not set?");
		return 0;
	}
	if (f->address >= a->first && f->address < end)
		snprintf(out, room, "it crosses the end of %s", what);
	else
		snprintf(out, room, "it is %" PRIu64 " bytes %s %s", far,
		         f->address < a->first ? "before" : "behind the end of", what);
	size_t n = strlen(out);
	snprintf(out + n, room - n, " (%" PRIu64 " bytes at 0x%" PRIx64 ")", a->bytes, a->first);
	return 1;
}

/* Says of an access a little behind the block's shared memory that boards let it pass. */
static void tell_behind_shared(const struct ct_ptx_fault *f, uint64_t bytes)
{
	uint64_t at = f->address & ~CT_PTX_WINDOW_MASK;
	if (f->kind == CT_PTX_OUT_OF_RANGE && f->space == CT_PTX_SHARED && at + f->width > bytes &&
	    at + f->width <= bytes + CT_CUDA_SHARED_BEHIND)
		ct_cuda_say("the block has %" PRIu64
		            " bytes of shared memory: boards let a little behind them pass, as "
		            "CACHETRIAGE_BOUNDS=pages does",
		            bytes);
}

cudaError_t ct_cuda_tell_fault(const struct ct_cuda_function *f, const struct ct_ptx_launch *l,
                               const struct ct_ptx_result *r, const struct ct_error *e)
{
	char source[1200], near[200];
	ct_cuda_say("%s", e->text);
	if (e->status == CT_ERR_NOMEM)
		return cudaErrorMemoryAllocation;
	if (r->fault.kind == CT_PTX_LAUNCH)
		return cudaErrorInvalidConfiguration;
	int may_be_mapped = tell_nearest(&r->fault, near, sizeof near);
	if (*near)
		ct_cuda_say("%s", near);
	if (may_be_mapped && !ct_cuda.settings.maps_around)
		ct_cuda_say("boards map 2 MiB at a time: CACHETRIAGE_BOUNDS=pages goes on as they do");
	if (!ct_cuda.settings.maps_around)
		tell_behind_shared(&r->fault, (uint64_t)f->kernel->shared_bytes + l->dynamic_shared);
	if (r->fault.line && source_of(f->module->text, r->fault.line, source, sizeof source))
		ct_cuda_say("in %s", source);
	ct_cuda_say("launch %" PRIu64 " was %s<<<(%u,%u,%u), (%u,%u,%u)>>>", ct_cuda.launches,
	            f->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
	            l->block[2]);
	if (r->fault.kind == CT_PTX_STEPS && !l->cooperative)
		ct_cuda_say(
			"blocks run one after the other: CACHETRIAGE_RESIDENT=1 runs those side by side that fit on "
			"the board");
	ct_cuda.fault = r->fault.kind == CT_PTX_NO_FAULT ? cudaErrorLaunchFailure : error_of(&r->fault);
	return ct_cuda.fault;
}

void ct_cuda_tell_waiting(struct ct_cuda_function *f)
{
	f->waits = 1;
	ct_cuda_say(
		"launch %" PRIu64
		": a block of %s seems to wait for a later one: blocks take turns from there on, and those of its "
		"later launches from their beginning (CACHETRIAGE_RESIDENT=1: every launch that fits on the board)",
		ct_cuda.launches, f->kernel->name);
}
