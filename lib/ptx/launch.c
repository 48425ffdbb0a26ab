/* Launches: memory of a CTA, its warps in turn, CTAs in order, and why one stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "ptx/guard.h"
#include "ptx/run.h"
#include "ptx/team.h"
#include "ptx/waiting.h"

enum { MAX_THREADS = 1024, CALL_STACK = 16384, MAX_SHARED = 232448 /* largest of any board, GH100 */ };

/* Local memory of a thread: the longest chain of calls, or a stack where calls cannot be followed. */
static uint32_t local_bytes(const struct ct_ptx_module *m, uint32_t kernel, int *known)
{
	uint32_t *need = ct_calloc(m->nfunctions, sizeof *need), bytes;
	size_t round = 0;
	int changed = 1;
	*known = need != NULL;
	if (!need)
		return 0;
	for (; changed && round <= m->nfunctions; round++) {
		changed = 0;
		for (size_t i = 0; i < m->nfunctions; i++) {
			const struct ct_ptx_function *f = &m->function[i];
			uint32_t below = f->calls_unknown ? CALL_STACK : 0;
			for (size_t k = 0; k < f->ncallees; k++)
				below = need[f->callee[k]] > below ? need[f->callee[k]] : below;
			uint32_t mine = (f->local_bytes + 15) / 16 * 16 + below;
			mine = mine > 1 << 20 ? 1 << 20 : mine;
			changed |= mine != need[i];
			need[i] = mine;
		}
	}
	bytes = need[kernel];
	if (changed) /* recursion */
		bytes = (m->function[kernel].local_bytes + 15) / 16 * 16 + CALL_STACK;
	free(need);
	return bytes;
}

/* Finds the kernel and refuses a launch that a device would refuse. */
static int check_launch(const struct ct_ptx_launch *l, const struct ct_ptx_function **f,
                        struct ct_error *e)
{
	const struct ct_ptx_module *m = l->module;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	*f = NULL;
	for (size_t i = 0; i < m->nkernels; i++)
		if (&m->kernel[i] == l->kernel)
			*f = &m->function[m->kernel_function[i]];
	if (!*f)
		return ct_fail(e, CT_ERR_USAGE, "the kernel is not of this module");
	if (!l->grid[0] || !l->grid[1] || !l->grid[2] || !l->block[0] || !l->block[1] || !l->block[2] ||
	    l->block[0] > MAX_THREADS || l->block[1] > MAX_THREADS || l->block[2] > 64 ||
	    threads > MAX_THREADS)
		return ct_fail(
			e, CT_ERR_USAGE,
			"kernel %s: a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads cannot be launched: "
			"at least 1, and at most %d threads",
			l->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
			l->block[2], MAX_THREADS);
	if (l->cooperative && ct_ptx_ctas(l) > CT_PTX_COOPERATIVE_MAX)
		return ct_fail(e, CT_ERR_USAGE,
		               "kernel %s: %" PRIu64 " blocks cannot run side by side: at most %d",
		               l->kernel->name, ct_ptx_ctas(l), CT_PTX_COOPERATIVE_MAX);
	for (unsigned i = 0; i < 3; i++)
		if ((*f)->required_threads[0] && l->block[i] != (*f)->required_threads[i])
			return ct_fail(e, CT_ERR_USAGE, "kernel %s wants blocks of (%u,%u,%u) threads",
			               l->kernel->name, (*f)->required_threads[0],
			               (*f)->required_threads[1], (*f)->required_threads[2]);
	if ((*f)->max_threads[0] &&
	    threads > (uint64_t)(*f)->max_threads[0] * (*f)->max_threads[1] * (*f)->max_threads[2])
		return ct_fail(e, CT_ERR_USAGE, "kernel %s takes at most (%u,%u,%u) threads",
		               l->kernel->name, (*f)->max_threads[0], (*f)->max_threads[1],
		               (*f)->max_threads[2]);
	if (l->param_bytes < l->kernel->param_bytes)
		return ct_fail(e, CT_ERR_USAGE, "kernel %s has %u bytes of parameters, %zu are given",
		               l->kernel->name, l->kernel->param_bytes, l->param_bytes);
	if ((uint64_t)(*f)->shared_end + l->dynamic_shared > MAX_SHARED)
		return ct_fail(e, CT_ERR_USAGE,
		               "kernel %s: %" PRIu64
		               " bytes of shared memory are more than any board has",
		               l->kernel->name, (uint64_t)(*f)->shared_end + l->dynamic_shared);
	return CT_OK;
}

/* Best variant that this machine has; CACHETRIAGE_ISA=portable keeps to plain C. */
static ct_ptx_exec *const *choose_rows(ct_ptx_looker **look)
{
#if CT_PTX_X86
	const char *isa = getenv("CACHETRIAGE_ISA");
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("bmi2") &&
	    !(isa && (strcmp(isa, "portable") == 0 || strcmp(isa, "popcnt") == 0))) {
		*look = ct_ptx_look_avx2;
		return ct_ptx_rows_avx2;
	}
#endif
	*look = ct_ptx_look_portable;
	return ct_ptx_rows_portable;
}

static uint32_t *special(const struct ct_ptx_warp *w, int which)
{
	return (uint32_t *)(void *)(w->special + (size_t)which * 4 * CT_PTX_LANES);
}

static void fill(const struct ct_ptx_warp *w, int which, uint32_t value)
{
	for (unsigned l = 0; l < CT_PTX_LANES; l++)
		special(w, which)[l] = value;
}

/* Bytes of shared memory that the board gives a CTA. */
static uint32_t shared_given(const struct ct_ptx_run *r)
{
	uint32_t unit = r->launch->shared_unit ? r->launch->shared_unit : 1;
	return (uint32_t)ct_round_up(r->f->shared_end + r->launch->dynamic_shared, unit);
}

/* Special registers that no CTA changes. */
static void set_specials(struct ct_ptx_warp *w)
{
	const struct ct_ptx_run *r = w->run;
	const struct ct_ptx_launch *l = r->launch;
	for (unsigned lane = 0; lane < CT_PTX_LANES; lane++) {
		uint32_t thread = w->index * CT_PTX_LANES + lane, bit = UINT32_C(1) << lane;
		special(w, CT_PTX_TID_X)[lane] = thread % l->block[0];
		special(w, CT_PTX_TID_Y)[lane] = thread / l->block[0] % l->block[1];
		special(w, CT_PTX_TID_Z)[lane] = thread / l->block[0] / l->block[1];
		special(w, CT_PTX_LANEID)[lane] = lane;
		special(w, CT_PTX_MASK_EQ)[lane] = bit;
		special(w, CT_PTX_MASK_LT)[lane] = bit - 1;
		special(w, CT_PTX_MASK_LE)[lane] = bit | (bit - 1);
		special(w, CT_PTX_MASK_GT)[lane] = ~(bit | (bit - 1));
		special(w, CT_PTX_MASK_GE)[lane] = ~(bit - 1);
		((uint64_t *)(void *)special(w, CT_PTX_DYNAMIC_BASE_64))[lane] = r->f->shared_end;
	}
	for (int i = 0; i < 3; i++) {
		fill(w, CT_PTX_NTID_X + i, l->block[i]);
		fill(w, CT_PTX_NCTAID_X + i, l->grid[i]);
	}
	fill(w, CT_PTX_WARPID, w->index);
	fill(w, CT_PTX_NWARPID, r->warps);
	fill(w, CT_PTX_NSMID, 1);
	fill(w, CT_PTX_COOPERATIVE, l->cooperative != 0);
	fill(w, CT_PTX_TOTAL_SHARED, shared_given(r));
	fill(w, CT_PTX_DYNAMIC_SHARED, l->dynamic_shared);
	fill(w, CT_PTX_DYNAMIC_BASE, r->f->shared_end);
}

/* Allocates a warp's registers, special registers and local memory. */
static int make_warp(struct ct_ptx_run *r, uint32_t index)
{
	struct ct_ptx_warp *w = &r->warp[index];
	w->run = r;
	w->index = index;
	w->rows_bytes = (size_t)r->f->frame_bytes + CT_PTX_ROWS_PAD;
	w->rows = ct_calloc_aligned(w->rows_bytes, 1);
	w->special = ct_calloc_aligned(CT_PTX_SPECIALS * 4 * CT_PTX_LANES, 1);
	w->local = ct_calloc_aligned((size_t)r->local_bytes * CT_PTX_LANES + 1, 1);
	if (!w->rows || !w->special || !w->local)
		return ct_fail_nomem(r->e);
	for (unsigned lane = 0; lane < CT_PTX_LANES; lane++)
		w->local_row[lane] = (uint64_t)(uintptr_t)w->local + (uint64_t)lane * r->local_bytes;
	w->base[CT_PTX_BASE_CONST] = r->m->constant;
	w->base[CT_PTX_BASE_SPECIAL] = w->special;
	set_specials(w);
	return CT_OK;
}

int ct_ptx_prepare(struct ct_ptx_run *r)
{
	const struct ct_ptx_launch *l = r->launch;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	ct_ptx_exec *const *rows = choose_rows(&r->look);
	int known, rc;
	r->warps = (threads + CT_PTX_LANES - 1) / CT_PTX_LANES;
	r->shape = (struct ct_ptx_cta){.kernel = l->kernel, .threads = threads, .warps = r->warps};
	r->cta = r->shape;
	r->shared_bytes = l->shared_behind ? shared_given(r) + l->shared_behind
	                                   : r->f->shared_end + l->dynamic_shared;
	r->local_bytes = local_bytes(r->m, r->f->index, &known);
	r->max_steps = l->max_steps ? l->max_steps : UINT64_MAX;
	r->observes = r->observer && r->observer->instruction;
	r->gathers = r->observes && r->observer->straight;
	for (int i = 0; i < CT_PTX_bra; i++)
		r->exec[i] = i < CT_PTX_float_any ? rows[i] : ct_ptx_lane_table[i - CT_PTX_float_any];
	r->warp = ct_calloc(r->warps, sizeof *r->warp);
	r->shared = ct_calloc_aligned((size_t)r->shared_bytes + 1, 1);
	r->params = ct_calloc_aligned((size_t)r->f->param_bytes + 1, 1);
	uint32_t *arrived = ct_calloc((size_t)r->warps * CT_PTX_BARRIERS, sizeof *arrived);
	r->barrier[0].arrived = arrived;
	if (r->gathers && !(r->untold = ct_calloc(1, sizeof *r->untold)))
		return ct_fail_nomem(r->e);
	if (!known || !r->warp || !r->shared || !r->params || !arrived)
		return ct_fail_nomem(r->e);
	for (size_t i = 0; i < CT_PTX_BARRIERS; i++)
		r->barrier[i].arrived = arrived + i * r->warps;
	if (r->f->param_bytes)
		memcpy(r->params, l->params, r->f->param_bytes);
	for (uint32_t i = 0; i < r->warps; i++)
		if ((rc = make_warp(r, i)) < 0)
			return rc;
	return ct_ptx_collect_ranges(r);
}

void ct_ptx_clean(struct ct_ptx_run *r)
{
	for (uint32_t i = 0; r->warp && i < r->warps; i++) {
		free(r->warp[i].rows);
		free(r->warp[i].special);
		free(r->warp[i].local);
		free(r->warp[i].split);
		free(r->warp[i].frame);
	}
	free(r->barrier[0].arrived);
	free(r->warp);
	free(r->shared);
	free(r->params);
	free(r->range);
	free(r->range_of);
	ct_ptx_watch_end(r);
	free(r->untold);
}

static uint64_t first_turn(const struct ct_ptx_run *r)
{
	return r->launch->side_by_side ? CT_PTX_FIRST_TURN : CT_PTX_TURN;
}

static uint64_t next_turn(uint64_t turn)
{
	turn += turn / CT_PTX_TURN_GROWTH;
	return turn < CT_PTX_TURN ? turn : CT_PTX_TURN;
}

/* What a kernel reads before it writes it is the same whichever CTA this thread ran before. */
int ct_ptx_start_cta(struct ct_ptx_run *r)
{
	r->straight.n = 0;
	r->turn = first_turn(r);
	memset(r->shared, 0, r->shared_bytes);
	for (size_t id = 0; id < CT_PTX_BARRIERS; id++) {
		struct ct_ptx_barrier *b = &r->barrier[id];
		memset(b->arrived, 0, r->warps * sizeof *b->arrived);
		*b = (struct ct_ptx_barrier){.arrived = b->arrived};
	}
	for (uint32_t i = 0; i < r->warps; i++) {
		struct ct_ptx_warp *w = &r->warp[i];
		uint32_t lanes = r->cta.threads - i * CT_PTX_LANES;
		memset(w->local, 0, (size_t)r->local_bytes * CT_PTX_LANES);
		for (int k = 0; k < 3; k++)
			fill(w, CT_PTX_CTAID_X + k, r->cta.id[k]);
		if (ct_ptx_start_warp(w, lanes >= CT_PTX_LANES ? CT_PTX_ALL_LANES
		                                               : (UINT32_C(1) << lanes) - 1) < 0)
			return -1;
	}
	return 0;
}

/* Stops the launch at the barrier where a thread waits that nothing lets go on. */
static int stop_at_deadlock(struct ct_ptx_run *r, uint32_t warp)
{
	struct ct_ptx_warp *w = &r->warp[warp];
	for (size_t i = 0; i < w->nsplits; i++)
		if (w->split[i].state == CT_PTX_SPLIT_AT_BARRIER)
			ct_ptx_stop(w, &r->m->op[w->split[i].at - 1], CT_PTX_DEADLOCK, w->split[i].mask);
	ct_ptx_stop(w, &r->m->op[r->f->first_op], CT_PTX_DEADLOCK, w->alive); /* unless that is said */
	return -1;
}

int ct_ptx_turn_cta(struct ct_ptx_run *r)
{
	uint32_t waiting = UINT32_MAX;
	int moved = 0;
	for (uint32_t i = 0; i < r->warps; i++) {
		struct ct_ptx_warp *w = &r->warp[i];
		if (!w->alive)
			continue;
		waiting = i;
		if (w->current == CT_PTX_NO_SPLIT)
			continue;
		moved = 1;
		if (r->guarded && atomic_load(&r->guarded->all->stop))
			return ct_ptx_guard_refuse(w, &r->m->op[r->f->first_op]);
		if (ct_ptx_run_warp(w) < 0)
			return -1;
	}
	if (waiting == UINT32_MAX)
		return ct_ptx_tell_straight(r) < 0 ? -1 : 1;
	r->turn = ct_ptx_release(r) ? first_turn(r) : next_turn(r->turn);
	if (!moved && (moved = ct_ptx_go_alone(r)) < 0)
		return -1;
	return moved ? 0 : stop_at_deadlock(r, waiting);
}

int ct_ptx_run_cta(struct ct_ptx_run *r)
{
	const struct ct_ptx_launch *l = r->launch;
	int rc = ct_ptx_start_cta(r), watches = l->side_by_side > 1 && r->cta.index + 1 < ct_ptx_ctas(l);
	ct_ptx_watch_begin(r);
	while (rc == 0) {
		rc = ct_ptx_turn_cta(r);
		if (rc == 0 && watches && (rc = ct_ptx_watch_turn(r)) > 0)
			return CT_PTX_WAITS;
	}
	return rc < 0 ? -1 : 0;
}

/* Innermost loop around an operation: the shortest way back over it. Its lines, or 0. */
static int find_loop(const struct ct_ptx_run *r, uint32_t at, uint32_t *first, uint32_t *last)
{
	const struct ct_ptx_module *m = r->m;
	uint32_t best = UINT32_MAX;
	for (uint32_t i = at;
	     i < m->nops && m->line[m->op[i].source].function == m->line[m->op[at].source].function;
	     i++) {
		const struct ct_ptx_op *o = &m->op[i];
		if (o->code == CT_PTX_bra && o->target <= at && i - o->target < best) {
			best = i - o->target;
			*first = m->line[m->op[o->target].source].line;
			*last = m->line[o->source].line;
		}
	}
	return best != UINT32_MAX;
}

/* "kernel k, block (0,0,0), thread (1,0,0)", the name cut to what fits. */
static void place_text(char *text, size_t size, const char *kernel, const struct ct_ptx_fault *f)
{
	snprintf(text, size, "kernel %.120s, block (%u,%u,%u), thread (%u,%u,%u)", kernel, f->cta[0],
	         f->cta[1], f->cta[2], f->thread[0], f->thread[1], f->thread[2]);
}

/* The message of a fault, as compute-sanitizer would place it. */
int ct_ptx_report(struct ct_ptx_run *r)
{
	static const char *const spaces[] = {
		"generic", "global", "shared", "local", "constant", "parameter", "texture", "surface"};
	static const char *const texts[] = {
		[CT_PTX_TRAP] = "a trap",
		[CT_PTX_ASSERT] = "a function of the host refused to go on",
		[CT_PTX_DEADLOCK] = "every thread of the block waits at barriers that no one completes",
		[CT_PTX_CALL] = "a call or branch to what is not there, or calls too deep for the stack",
		[CT_PTX_BARRIER] = "a barrier's number is above 15",
		[CT_PTX_NO_TEXTURE] = "nothing is bound to this texture or surface"};
	const struct ct_ptx_fault *f = &r->fault;
	const struct ct_ptx_line *line = &r->m->line[r->m->op[r->fault_op].source];
	uint32_t first = 0, last = 0;
	char where[256];
	place_text(where, sizeof where, r->launch->kernel->name, f);
	if (f->space == CT_PTX_SURFACE &&
	    (f->kind == CT_PTX_OUT_OF_RANGE || f->kind == CT_PTX_MISALIGNED))
		return ct_fail(
			r->e, CT_ERR_INPUT,
			"%s:%u: %s: %s of %u bytes at byte %d of row %d of layer or slice %d is %s",
			r->m->file, line->line, where, line->opcode, f->width, f->coordinate[0],
			f->coordinate[1], f->coordinate[2],
			f->kind == CT_PTX_MISALIGNED
				? "misaligned: the first coordinate counts bytes"
				: "outside of the surface: is another boundary mode meant?");
	switch (f->kind) {
	case CT_PTX_OUT_OF_RANGE:
	case CT_PTX_MISALIGNED:
		return ct_fail(r->e, CT_ERR_INPUT,
		               "%s:%u: %s: %s of %u bytes at %s address 0x%" PRIx64 " is %s: %s",
		               r->m->file, line->line, where, line->opcode, f->width, spaces[f->space],
		               f->address, f->kind == CT_PTX_MISALIGNED ? "misaligned" : "out of range",
		               f->kind == CT_PTX_MISALIGNED ? "addresses must be multiples of the width"
		                                            : "no allocation holds it");
	case CT_PTX_STEPS:
		if (find_loop(r, r->fault_op, &first, &last))
			return ct_fail(r->e, CT_ERR_LIMIT,
			               "%s:%u: %s: more than %" PRIu64
			               " warp instructions, in the loop of lines %u to %u: "
			               "does it wait for a later block?",
			               r->m->file, line->line, where, r->max_steps, first, last);
		return ct_fail(r->e, CT_ERR_LIMIT, "%s:%u: %s: more than %" PRIu64 " warp instructions",
		               r->m->file, line->line, where, r->max_steps);
	default:
		return ct_fail(r->e, CT_ERR_INPUT, "%s:%u: %s: %s: %s", r->m->file, line->line, where,
		               line->opcode, texts[f->kind]);
	}
}

int ct_ptx_launch(const struct ct_ptx_launch *launch, struct ct_ptx_result *result, struct ct_error *e)
{
	const struct ct_ptx_function *f;
	int rc = check_launch(launch, &f, e);
	uint64_t steps = 0;
	if (result)
		*result = (struct ct_ptx_result){.fault.kind = rc < 0 ? CT_PTX_LAUNCH : CT_PTX_NO_FAULT};
	if (rc < 0)
		return rc;
	struct ct_ptx_run *r = ct_calloc(1, sizeof *r);
	if (!r)
		return ct_fail_nomem(e);
	r->launch = launch;
	r->m = launch->module;
	r->f = f;
	r->e = e;
	r->observer = launch->team ? launch->team->observer(launch->team->ctx, 0) : launch->observer;
	rc = launch->team && !r->observer ? ct_fail_nomem(e) : ct_ptx_prepare(r);
	if (rc == CT_OK)
		rc = launch->cooperative ? ct_ptx_run_resident(r, &steps) : ct_ptx_run_team(r, &steps);
	if (result) {
		result->steps = steps;
		result->waited = r->waited;
		result->fault = r->fault;
	}
	ct_ptx_clean(r);
	free(r);
	return rc;
}
