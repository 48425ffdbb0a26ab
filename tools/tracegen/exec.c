/* Runs launches: CTA by CTA, warp by warp between barriers, and records them. */
#include "tracegen/exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/accelsim_write.h"

/* A kernel that runs this long in one warp does not end (a builder's mistake). */
enum { MAX_WARP_STEPS = 1 << 28 };
/* Flush a warp's text no earlier than its CTA ends; CTAs are what bounds memory. */

/* ---- the run ------------------------------------------------------------------------ */

uint64_t simt_fbits(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}

void simt_fail(struct simt_run *g, int status, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	if (g->status != CT_OK)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	g->status = ct_fail(g->e, status, "%s", text);
}

struct simt_buffer *simt_alloc(struct simt_run *g, size_t bytes)
{
	if (g->status != CT_OK)
		return NULL;
	struct simt_buffer *b = simt_memory_alloc(&g->mem, bytes);
	if (!b)
		simt_fail(g, CT_ERR_NOMEM, "out of memory");
	return b;
}

void simt_h2d(struct simt_run *g, const struct simt_buffer *b)
{
	if (g->status == CT_OK && g->sink)
		g->status = ct_folder_memcpy(g->sink, b->address, b->bytes, g->e);
}

void simt_release(struct simt_run *g)
{
	for (size_t i = 0; i < g->n_kernels; i++)
		simt_kernel_free(g->kernels[i]);
	free(g->kernels);
	g->kernels = NULL;
	g->n_kernels = g->cap_kernels = 0;
	simt_memory_free(&g->mem);
}

/* ---- recording ------------------------------------------------------------------------ */

static void record(struct simt_cta *c, struct simt_warp *w, const struct op *o, uint32_t mask,
                   struct ct_inst *inst)
{
	w->insts++;
	if (c->quiet)
		return;
	inst->mask = mask;
	if (o->sinst.width_field)
		ct_accelsim_choose_form(inst);
	ct_accelsim_put_inst(&w->text, c->head, &o->sinst, inst);
}

static void record_plain(struct simt_cta *c, struct simt_warp *w, const struct op *o, uint32_t mask)
{
	struct ct_inst inst;
	inst.values = NULL;
	inst.nvalues = 0;
	if (o->records)
		record(c, w, o, mask, &inst);
}

/* ---- control flow ----------------------------------------------------------------------- */

static struct simt_frame *push(struct simt_warp *w)
{
	return &w->frame[w->depth++]; /* the builder limits the depth */
}

static void enter_if(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	uint32_t p = w->pred[o->srow[0]], skip = w->active & ~p;
	struct simt_frame *f = push(w);
	if (w->active)
		record_plain(c, w, o, skip);
	f->saved = w->active;
	f->other = skip;
	w->active &= p;
	if (!w->active)
		w->at = o->target;
}

static void turn_else(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	struct simt_frame *f = &w->frame[w->depth - 1];
	uint32_t then_lanes = w->active;
	if (then_lanes)
		record_plain(c, w, o, then_lanes);
	w->active = f->other & ~w->gone;
	f->other = then_lanes;
	if (!w->active)
		w->at = o->target;
}

/* Each path that arrives executes the BSYNC for itself. */
static void leave_if(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	struct simt_frame *f = &w->frame[--w->depth];
	uint32_t other = f->other & ~w->gone;
	if (other)
		record_plain(c, w, o, other);
	if (w->active)
		record_plain(c, w, o, w->active);
	w->active = f->saved & ~w->gone;
}

static void enter_loop(struct simt_warp *w, const struct op *o)
{
	if (!w->active) {
		w->at = o->target + 1;
		return;
	}
	struct simt_frame *f = push(w);
	f->saved = w->active;
	f->other = w->gone;
}

/* Lanes that leave go to the BSYNC behind the loop and wait there. */
static void leave_lanes(struct simt_cta *c, struct simt_warp *w, uint32_t loop, uint32_t leaving)
{
	const struct op *sync = &c->k->op[c->k->op[loop].target + 1];
	if (leaving)
		record_plain(c, w, sync, leaving);
	w->gone |= leaving;
	w->active &= ~leaving;
}

static void break_loop(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	if (!w->active)
		return;
	uint32_t leaving = w->active & w->pred[o->srow[0]];
	record_plain(c, w, o, leaving);
	leave_lanes(c, w, o->target, leaving);
}

static void end_loop(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	if (w->active) {
		uint32_t stay = o->nsrc ? w->active & w->pred[o->srow[0]] : w->active;
		record_plain(c, w, o, stay);
		leave_lanes(c, w, o->target, w->active & ~stay);
	}
	if (w->active) {
		w->at = o->target + 1;
		return;
	}
	struct simt_frame *f = &w->frame[--w->depth];
	w->gone = f->other | w->exited;
	w->active = f->saved & ~w->gone;
}

static void exit_lanes(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	if (!w->active)
		return;
	uint32_t leaving = o->nsrc ? w->active & w->pred[o->srow[0]] : w->active;
	record_plain(c, w, o, leaving);
	w->exited |= leaving;
	w->gone |= leaving;
	w->active &= ~leaving;
	if (w->exited == w->present)
		w->state = WARP_DONE;
}

static void control(struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	switch (o->code) {
	case OP_IF: enter_if(c, w, o); break;
	case OP_ELSE: turn_else(c, w, o); break;
	case OP_ENDIF: leave_if(c, w, o); break;
	case OP_LOOP: enter_loop(w, o); break;
	case OP_BREAK: break_loop(c, w, o); break;
	case OP_ENDLOOP: end_loop(c, w, o); break;
	case OP_EXIT_IF:
	case OP_EXIT: exit_lanes(c, w, o); break;
	case OP_BAR:
		if (w->active) {
			record_plain(c, w, o, w->active);
			w->state = WARP_WAITS;
		}
		break;
	case OP_BSYNC:
	case OP_GONE: break; /* recorded when lanes leave the loop */
	default:             /* OP_NOP, OP_BSSY */
		if (w->active)
			record_plain(c, w, o, w->active);
		break;
	}
}

static int step(struct simt_cta *c, struct simt_warp *w)
{
	const struct op *o = &c->k->op[w->at++];
	struct ct_inst inst;
	if (o->code >= OP_GONE) {
		control(c, w, o);
		return CT_OK;
	}
	if (!w->active)
		return CT_OK;
	uint32_t mask = w->active;
	if (o->guard != NO_VALUE)
		mask &= w->pred[o->guard];
	inst.values = NULL;
	inst.nvalues = 0;
	if (o->space != CT_SPACE_NONE) {
		int st = simt_exec_mem(c, w, o, mask, inst.addr);
		if (st != CT_OK)
			return st;
	} else {
		simt_exec_alu(c, w, o, mask);
	}
	if (o->records)
		record(c, w, o, mask, &inst);
	return CT_OK;
}

int simt_run_warp(struct simt_cta *c, struct simt_warp *w)
{
	w->state = WARP_RUNS;
	for (uint32_t n = 0; w->state == WARP_RUNS; n++) {
		if (n == MAX_WARP_STEPS)
			return ct_fail(c->e, CT_ERR_LIMIT, "kernel %s: a warp does not end", c->k->name);
		int st = step(c, w);
		if (st != CT_OK)
			return st;
	}
	return w->text.failed ? ct_fail_nomem(c->e) : CT_OK;
}

/* ---- launches --------------------------------------------------------------------------- */

static uint64_t constant_bits(const struct simt_cta *c, const struct value *v, const uint64_t *args)
{
	const uint32_t block[3] = {c->block.x, c->block.y, c->block.z};
	const uint32_t grid[3] = {c->grid.x, c->grid.y, c->grid.z};
	switch (v->kind) {
	case V_ARG: return args[v->bits];
	case V_NTID: return block[v->bits % 3];
	case V_NCTAID: return grid[v->bits % 3];
	default: return v->bits;
	}
}

static int fill_constants(struct simt_cta *c, const uint64_t *args, size_t n_args)
{
	const struct kb *k = c->k;
	c->constant = ct_calloc(k->nconst + 1, sizeof *c->constant);
	if (!c->constant)
		return ct_fail_nomem(c->e);
	for (size_t i = 0; i < k->n_values; i++) {
		const struct value *v = &k->value[i];
		if (v->kind < V_CONST)
			continue;
		if (v->kind == V_ARG && v->bits >= n_args)
			return ct_fail(c->e, CT_ERR_LIMIT, "kernel %s: argument %u is missing", k->name,
			               (unsigned)v->bits);
		uint64_t bits = constant_bits(c, v, args);
		for (unsigned r = 0; r < v->nregs; r++)
			for (unsigned l = 0; l < LANES; l++)
				c->constant[v->reg - CONST_ROWS + r][l] = (uint32_t)(bits >> 32 * r);
	}
	return CT_OK;
}

static int make_warps(struct simt_cta *c)
{
	uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
	if (threads == 0 || threads > 1024)
		return ct_fail(c->e, CT_ERR_LIMIT, "kernel %s: bad block size", c->k->name);
	c->warps = (uint32_t)((threads + LANES - 1) / LANES);
	c->warp = ct_calloc(c->warps, sizeof *c->warp);
	c->shared = ct_calloc(c->shared_bytes + 1, 1);
	c->local = ct_calloc((size_t)c->warps * LANES + 1, c->k->frame_bytes + 1);
	if (!c->warp || !c->shared || !c->local)
		return ct_fail_nomem(c->e);
	for (uint32_t i = 0; i < c->warps; i++) {
		struct simt_warp *w = &c->warp[i];
		uint64_t left = threads - (uint64_t)i * LANES;
		w->id = i;
		w->present = left >= LANES ? UINT32_MAX : (1u << left) - 1;
		w->row = ct_calloc(c->k->nregs + 4, sizeof *w->row);
		w->pred = ct_calloc(c->k->npreds + 1, sizeof *w->pred);
		if (!w->row || !w->pred)
			return ct_fail_nomem(c->e);
	}
	return CT_OK;
}

static void free_cta(struct simt_cta *c)
{
	for (uint32_t i = 0; c->warp && i < c->warps; i++) {
		free(c->warp[i].row);
		free(c->warp[i].pred);
		ct_buf_free(&c->warp[i].text);
	}
	free(c->warp);
	free(c->shared);
	free(c->local);
	free(c->constant);
}

static void reset_warp(const struct kb *k, struct simt_warp *w)
{
	memset(w->row, 0, (k->nregs + 4) * sizeof *w->row);
	memset(w->pred, 0, (k->npreds + 1) * sizeof *w->pred);
	w->active = w->present;
	w->exited = w->gone = 0;
	w->depth = 0;
	w->at = 0;
	w->insts = 0;
	w->state = WARP_WAITS;
	ct_buf_reset(&w->text);
}

static int run_cta(struct simt_cta *c)
{
	uint32_t left = c->warps;
	memset(c->shared, 0, c->shared_bytes);
	for (uint32_t i = 0; i < c->warps; i++)
		reset_warp(c->k, &c->warp[i]);
	while (left > 0) {
		left = 0;
		for (uint32_t i = 0; i < c->warps; i++) {
			if (c->warp[i].state == WARP_DONE)
				continue;
			int st = simt_run_warp(c, &c->warp[i]);
			if (st != CT_OK)
				return st;
			left += c->warp[i].state != WARP_DONE;
		}
	}
	return CT_OK;
}

static int write_cta(struct simt_cta *c, struct ct_folder *sink)
{
	struct ct_buf b = {0};
	int st = CT_OK;
	ct_accelsim_put_cta_begin(&b, c->id.x, c->id.y, c->id.z);
	for (uint32_t i = 0; i < c->warps && st == CT_OK; i++) {
		ct_accelsim_put_warp(&b, i, c->warp[i].insts);
		st = ct_buf_check(&b, c->e);
		if (st == CT_OK)
			st = ct_folder_write(sink, b.data, b.len, c->e);
		if (st == CT_OK)
			st = ct_folder_write(sink, c->warp[i].text.data, c->warp[i].text.len, c->e);
		ct_buf_reset(&b);
	}
	ct_accelsim_put_cta_end(&b);
	if (st == CT_OK)
		st = ct_buf_check(&b, c->e);
	if (st == CT_OK)
		st = ct_folder_write(sink, b.data, b.len, c->e);
	ct_buf_free(&b);
	return st;
}

static int run_grid(struct simt_run *g, struct simt_cta *c)
{
	uint64_t n = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
	int st = CT_OK;
	for (uint64_t i = 0; i < n && st == CT_OK; i++) {
		if (g->stop && *g->stop)
			return ct_fail(g->e, CT_ERR_IO, "interrupted");
		c->id.x = (uint32_t)(i % c->grid.x);
		c->id.y = (uint32_t)(i / c->grid.x % c->grid.y);
		c->id.z = (uint32_t)(i / c->grid.x / c->grid.y);
		st = run_cta(c);
		for (uint32_t w = 0; w < c->warps; w++)
			g->warp_insts += c->warp[w].insts;
		if (st == CT_OK && g->sink)
			st = write_cta(c, g->sink);
	}
	return st;
}

static int put_block(void *ctx, uint64_t address, const unsigned char line[128])
{
	struct simt_run *g = ctx;
	return ct_folder_block(g->sink, address, line, g->e);
}

/* What the launch left in the lines that it touched. */
static int write_values(struct simt_run *g)
{
	int st = ct_folder_blocks_begin(g->sink, g->e);
	if (st == CT_OK)
		st = simt_memory_touched(&g->mem, put_block, g);
	return st == CT_OK ? ct_folder_kernel_end(g->sink, g->e) : st;
}

static void describe(const struct simt_cta *c, struct ct_kernel *head)
{
	const struct kb *k = c->k;
	*head = (struct ct_kernel){
		.name = k->name,
		.regs = k->nregs,
		.shmem_bytes = c->shared_bytes,
		.grid = {c->grid.x, c->grid.y, c->grid.z},
		.block = {c->block.x, c->block.y, c->block.z},
		/* Ampere; windows as in captured traces of that generation. */
		.binary_version = 80,
		.has_windows = 1,
		.shmem_base = UINT64_C(0x7f5000000000),
		.local_base = UINT64_C(0x7f4e00000000),
	};
}

void simt_launch(struct simt_run *g, struct kb *k, struct simt_dims grid, struct simt_dims block,
                 uint32_t shmem_bytes, const uint64_t *args, size_t n_args)
{
	struct ct_kernel head;
	struct simt_cta c = {.k = k,
	                     .head = &head,
	                     .grid = grid,
	                     .block = block,
	                     .shared_bytes = shmem_bytes,
	                     .e = g->e,
	                     .quiet = g->sink == NULL};
	char version[] = "5", maker[] = "tracegen-" CT_VERSION;
	if (g->status != CT_OK)
		return;
	describe(&c, &head);
	head.tracer_version = version;
	head.nvbit_version = maker;
	int st = fill_constants(&c, args, n_args);
	if (st == CT_OK)
		st = make_warps(&c);
	if (st == CT_OK && g->sink)
		st = ct_folder_kernel_begin(g->sink, &head, g->e);
	if (st == CT_OK)
		st = run_grid(g, &c);
	if (st == CT_OK && g->sink)
		st = ct_folder_kernel_end(g->sink, g->e);
	if (st == CT_OK && g->sink && g->mem.track)
		st = write_values(g);
	free_cta(&c);
	g->status = st;
}
