/* Addresses: from registers to host memory, with the checks that a device makes. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "ptx/exec.h"
#include "ptx/guard.h"

void ct_ptx_stop(struct ct_ptx_warp *w, const struct ct_ptx_op *o, enum ct_ptx_fault_kind kind,
                 uint32_t mask)
{
	struct ct_ptx_run *r = w->run;
	uint32_t lane = mask ? ct_low_bit(mask) : 0, thread = w->index * CT_PTX_LANES + lane;
	const uint32_t *block = r->launch->block;
	if (r->fault.kind)
		return;
	r->fault.kind = kind;
	r->fault.line = r->m->line[o->source].line;
	memcpy(r->fault.cta, r->cta.id, sizeof r->fault.cta);
	r->fault.thread[0] = thread % block[0];
	r->fault.thread[1] = thread / block[0] % block[1];
	r->fault.thread[2] = thread / block[0] / block[1];
	r->fault_op = (uint32_t)(o - r->m->op);
}

/* Number of ranges, of n sorted by where they begin, that begin at or before an address. */
static size_t ranges_before(const struct ct_ptx_range *range, size_t n, uint64_t address)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (range[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t ct_ptx_find_range(const struct ct_ptx_run *r, uint64_t address, uint64_t bytes)
{
	size_t low = ranges_before(r->range, r->nranges, address);
	if (low == 0 || address > r->range[low - 1].end || r->range[low - 1].end - address < bytes)
		return UINT32_MAX;
	return (uint32_t)(low - 1);
}

/* Host address of one lane's access in a space, or 0 where it is out of range. */
static uint64_t lane_host(struct ct_ptx_warp *w, const struct ct_ptx_op *o, int space, uint64_t a,
                          uint32_t lane, unsigned bytes)
{
	struct ct_ptx_run *r = w->run;
	uint32_t at;
	switch (space) {
	case CT_PTX_SHARED:
		if (a > r->shared_bytes || r->shared_bytes - a < bytes)
			return 0;
		if (o->space == CT_PTX_GENERIC)
			r->range_of[o - r->m->op] = (uint32_t)r->nranges; /* its window */
		return (uint64_t)(uintptr_t)r->shared + a;
	case CT_PTX_LOCAL:
		return a <= r->local_bytes && r->local_bytes - a >= bytes ? w->local_row[lane] + a : 0;
	case CT_PTX_PARAM:
		return a <= r->f->param_bytes && r->f->param_bytes - a >= bytes
		               ? (uint64_t)(uintptr_t)r->params + a
		               : 0;
	default:
		at = ct_ptx_find_range(r, a, bytes);
		if (at == UINT32_MAX)
			return 0;
		r->range_of[o - r->m->op] = at;
		return a;
	}
}

/* Where a generic address points to; *a loses its window. */
static int generic_space(uint64_t *a)
{
	uint64_t window = *a & CT_PTX_WINDOW_MASK;
	int space = window == CT_PTX_SHARED_WINDOW  ? CT_PTX_SHARED
	            : window == CT_PTX_LOCAL_WINDOW ? CT_PTX_LOCAL
	            : window == CT_PTX_PARAM_WINDOW ? CT_PTX_PARAM
	                                            : CT_PTX_GLOBAL;
	if (space != CT_PTX_GLOBAL)
		*a &= ~CT_PTX_WINDOW_MASK;
	return space;
}

int ct_ptx_refuse(struct ct_ptx_warp *w, const struct ct_ptx_op *o, enum ct_ptx_fault_kind kind,
                  uint32_t lane, unsigned bytes, int space)
{
	struct ct_ptx_fault *f = &w->run->fault;
	ct_ptx_stop(w, o, kind, UINT32_C(1) << lane);
	f->address = w->address[lane];
	f->width = bytes;
	f->space = (enum ct_ptx_space)space;
	return -1;
}

/* Lane by lane: where lanes point to different spaces or ranges, or one is wrong. */
static int resolve_lanes(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, unsigned bytes)
{
	w->space = -1;
	w->in_expected = 0;
	w->shape = CT_PTX_SCATTERED;
	w->host = w->host_row;
	w->seen = w->seen_row;
	for (; mask; mask &= mask - 1) {
		uint32_t lane = ct_low_bit(mask);
		uint64_t a = w->address[lane];
		int space = o->space == CT_PTX_GENERIC ? generic_space(&a) : o->space;
		/* Boards take 32 bits of a shared address, however far an index has gone round. */
		if (o->space == CT_PTX_SHARED)
			a = (uint32_t)a;
		if (a & (bytes - 1))
			return ct_ptx_refuse(w, o, CT_PTX_MISALIGNED, lane, bytes, space);
		w->host_row[lane] = lane_host(w, o, space, a, lane, bytes);
		if (!w->host_row[lane])
			return ct_ptx_refuse(w, o, CT_PTX_OUT_OF_RANGE, lane, bytes, space);
		w->seen_row[lane] = a;
		w->space = w->space < 0 ? space : w->space;
	}
	w->space = w->space < 0 ? o->space : w->space;
	return 0;
}

/* The range that all lanes of the access are expected in: where it was last, or that of its space, which
 * is put together in *own. */
static inline const struct ct_ptx_range *
expected_range(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, struct ct_ptx_range *own)
{
	const struct ct_ptx_run *r = w->run;
	switch (o->space) {
	case CT_PTX_SHARED:
		*own = (struct ct_ptx_range){
			0, r->shared_bytes, (uint64_t)(uintptr_t)r->shared, CT_PTX_SHARED};
		return own;
	case CT_PTX_LOCAL: *own = (struct ct_ptx_range){0, r->local_bytes, 0, CT_PTX_LOCAL}; return own;
	case CT_PTX_PARAM:
		*own = (struct ct_ptx_range){
			0, r->f->param_bytes, (uint64_t)(uintptr_t)r->params, CT_PTX_PARAM};
		return own;
	default: return &r->range[r->range_of[o - r->m->op]];
	}
}

/* Host addresses, and those that observers see, of an access in a range that lies elsewhere than its
 * addresses say. */
static void translate(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const struct ct_ptx_range *in)
{
	w->host = w->host_row;
	if (in->space == CT_PTX_LOCAL)
		for (unsigned l = 0; l < CT_PTX_LANES; l++)
			w->host_row[l] = w->address[l] + w->local_row[l];
	else
		for (unsigned l = 0; l < CT_PTX_LANES; l++)
			w->host_row[l] = w->address[l] + in->delta;
	if (o->space != CT_PTX_GENERIC || in->space != CT_PTX_SHARED)
		return;
	w->seen = w->seen_row;
	for (unsigned l = 0; l < CT_PTX_LANES; l++)
		w->seen_row[l] = w->address[l] - in->first;
}

static inline int resolve(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask,
                          unsigned bytes)
{
	struct ct_ptx_range own;
	const struct ct_ptx_range *in = expected_range(w, o, &own);
	uint64_t limit = in->end - in->first - bytes;
	struct ct_ptx_look look;
	w->run->look(w, o, mask, in->first, limit, bytes, &look);
	if (in->end - in->first < bytes || look.outside >> 63 || look.any & (bytes - 1))
		return resolve_lanes(w, o, mask, bytes);
	w->space = in->space;
	w->in_expected = 1;
	w->shape = look.same == 0 ? CT_PTX_SAME : look.step == 0 ? CT_PTX_ADJACENT : CT_PTX_SCATTERED;
	w->host = w->seen = w->address;
	if (in->space == CT_PTX_LOCAL)
		w->shape = CT_PTX_SCATTERED;
	if (in->space == CT_PTX_LOCAL || in->delta)
		translate(w, o, in);
	return 0;
}

int ct_ptx_resolve(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, unsigned bytes)
{
	return resolve(w, o, mask, bytes);
}

/* Elements of every vector of an access, from memory to rows or back. */
#define PIECE(T, R) \
	if (mask == CT_PTX_ALL_LANES) \
		for (unsigned l = 0; l < CT_PTX_LANES; l++) { \
			MOVE(T, R) \
		} \
	else \
		for (uint32_t left = mask; left; left &= left - 1) { \
			unsigned l = ct_low_bit(left); \
			MOVE(T, R) \
		}
#define KEY(width, row, sign) ((width) << 5 | (row) << 1 | (sign))

/* Loads whose lanes are adjacent or the same need no look at each: 1 where that was it. */
static int load_together(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, void *row)
{
	const void *from = (const void *)(uintptr_t)w->host[0];
	if (w->shape == CT_PTX_SCATTERED || o->width != o->round || o->width < 4)
		return 0;
	if (w->shape == CT_PTX_ADJACENT) {
		if (o->width == 4)
			memcpy(row, from, 4 * CT_PTX_LANES);
		else
			memcpy(row, from, 8 * CT_PTX_LANES);
	} else if (o->width == 4) {
		uint32_t v = *(const ct_ptx_u32 *)from;
		for (unsigned l = 0; l < CT_PTX_LANES; l++)
			((ct_ptx_u32 *)row)[l] = v;
	} else {
		uint64_t v = *(const ct_ptx_u64 *)from;
		for (unsigned l = 0; l < CT_PTX_LANES; l++)
			((ct_ptx_u64 *)row)[l] = v;
	}
	return 1;
}

/* Loads one element of each lane of the mask from host memory and widens it into its row, by sign or
 * with zeros. */
static void load_element(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, void *row,
                         unsigned at)
{
#define MOVE(T, R) ((R *)row)[l] = (R) * (const T *)(uintptr_t)(w->host[l] + at);
#define CASE(width, bytes, T, S, R) \
	case KEY(width, bytes, 0): PIECE(T, R) break; \
	case KEY(width, bytes, 1): PIECE(S, R) break;
	switch (KEY(o->width, o->round, o->mode & CT_PTX_EXTEND_SIGN)) {
		CASE(1, 2, ct_ptx_u8, ct_ptx_s8, ct_ptx_u16)
		CASE(1, 4, ct_ptx_u8, ct_ptx_s8, ct_ptx_u32)
		CASE(1, 8, ct_ptx_u8, ct_ptx_s8, ct_ptx_u64)
		CASE(2, 2, ct_ptx_u16, ct_ptx_s16, ct_ptx_u16)
		CASE(2, 4, ct_ptx_u16, ct_ptx_s16, ct_ptx_u32)
		CASE(2, 8, ct_ptx_u16, ct_ptx_s16, ct_ptx_u64)
		CASE(4, 4, ct_ptx_u32, ct_ptx_s32, ct_ptx_u32)
		CASE(4, 8, ct_ptx_u32, ct_ptx_s32, ct_ptx_u64)
		CASE(8, 8, ct_ptx_u64, ct_ptx_s64, ct_ptx_u64)
	}
#undef CASE
#undef MOVE
}

/* Stores one element of each lane of the mask, cut to the width of the access. */
static void store_element(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask,
                          const void *row, unsigned at)
{
#define MOVE(T, R) *(T *)(uintptr_t)(w->host[l] + at) = (T)((const R *)row)[l];
#define CASE(width, bytes, T, R) \
	case KEY(width, bytes, 0): PIECE(T, R) break;
	switch (KEY(o->width, o->round, 0)) {
		CASE(1, 2, ct_ptx_u8, ct_ptx_u16)
		CASE(1, 4, ct_ptx_u8, ct_ptx_u32)
		CASE(1, 8, ct_ptx_u8, ct_ptx_u64)
		CASE(2, 2, ct_ptx_u16, ct_ptx_u16)
		CASE(2, 4, ct_ptx_u16, ct_ptx_u32)
		CASE(2, 8, ct_ptx_u16, ct_ptx_u64)
		CASE(4, 4, ct_ptx_u32, ct_ptx_u32)
		CASE(4, 8, ct_ptx_u32, ct_ptx_u64)
		CASE(8, 8, ct_ptx_u64, ct_ptx_u64)
	}
#undef CASE
#undef MOVE
}

void ct_ptx_exec_load(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	unsigned bytes = (unsigned)o->width * o->count;
	if (resolve(w, o, mask, bytes) < 0 ||
	    (w->run->guarded && ct_ptx_guard_access(w, o, mask, bytes, 0) < 0))
		return;
	if (o->count == 1) {
		if (!load_together(w, o, ct_ptx_at(w, o->d)))
			load_element(w, o, mask, ct_ptx_at(w, o->d), 0);
		return;
	}
	for (unsigned i = 0; i < o->count; i++)
		load_element(w, o, mask, ct_ptx_at(w, w->run->m->extra[o->extra + i]), i * o->width);
}

void ct_ptx_exec_store(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	unsigned bytes = (unsigned)o->width * o->count;
	if (resolve(w, o, mask, bytes) < 0 ||
	    (w->run->guarded && ct_ptx_guard_access(w, o, mask, bytes, 1) < 0))
		return;
	if (w->shape == CT_PTX_ADJACENT && o->count == 1 && o->width == o->round && o->width >= 4) {
		void *to = (void *)(uintptr_t)w->host[0];
		if (o->width == 4)
			memcpy(to, ct_ptx_at(w, o->b), 4 * CT_PTX_LANES);
		else
			memcpy(to, ct_ptx_at(w, o->b), 8 * CT_PTX_LANES);
		return;
	}
	for (unsigned i = 0; i < o->count; i++)
		store_element(w, o, mask, ct_ptx_at(w, w->run->m->extra[o->extra + i]), i * o->width);
}

/* A kernel parameter is the same in all lanes. */
void ct_ptx_exec_load_param(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const unsigned char *from = w->run->params + o->imm;
	w->space = CT_PTX_PARAM;
	w->shape = CT_PTX_SAME;
	w->seen = w->seen_row;
	w->host = w->host_row;
	for (unsigned l = 0; l < CT_PTX_LANES; l++) {
		w->seen_row[l] = (uint64_t)o->imm;
		w->host_row[l] = (uint64_t)(uintptr_t)from;
	}
	for (unsigned i = 0; i < o->count; i++)
		load_element(w, o, mask, ct_ptx_at(w, w->run->m->extra[o->extra + i]), i * o->width);
}

/* A prefetch outside of every allocation does nothing, as on the device. */
void ct_ptx_exec_prefetch(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	struct ct_ptx_look look;
	w->run->look(w, o, mask, 0, 0, 1, &look);
	w->space = CT_PTX_GLOBAL;
	w->seen = w->address;
}

/* isspacep: whether generic addresses lie in a state space. Constant variables lie in global memory
 * here, and are told by their ranges. */
void ct_ptx_exec_isspacep(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u64 *a = ct_ptx_at(w, o->a);
	uint32_t bits = 0;
	for (unsigned l = 0; l < CT_PTX_LANES; l++) {
		uint64_t address = a[l];
		int space = generic_space(&address), constant = 0;
		uint32_t at = space == CT_PTX_GLOBAL && o->space == CT_PTX_CONST
		                      ? ct_ptx_find_range(w->run, address, 1)
		                      : UINT32_MAX;
		for (size_t i = 0; at != UINT32_MAX && i < w->run->m->nglobals; i++) {
			const struct ct_ptx_symbol *s = &w->run->m->symbol[w->run->m->global[i]];
			constant |= s->space == CT_PTX_CONST &&
			            (uint64_t)(uintptr_t)s->v.storage == w->run->range[at].first;
		}
		bits |= (uint32_t)(o->space == CT_PTX_CONST ? constant : o->space == space) << l;
	}
	ct_ptx_set_bits(w, o->p, bits, mask);
}

static int by_first(const void *a, const void *b)
{
	const struct ct_ptx_range *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

/* Registered ranges, in order of their addresses. */
struct ct_ptx_memory {
	struct ct_ptx_range *range;
	size_t n, cap;
};

int ct_ptx_memory_create(struct ct_ptx_memory **out, struct ct_error *e)
{
	*out = ct_calloc(1, sizeof **out);
	return *out ? CT_OK : ct_fail_nomem(e);
}

void ct_ptx_memory_free(struct ct_ptx_memory *memory)
{
	if (memory)
		free(memory->range);
	free(memory);
}

int ct_ptx_memory_add(struct ct_ptx_memory *memory, const void *first, uint64_t bytes,
                      struct ct_error *e)
{
	uint64_t a = (uint64_t)(uintptr_t)first;
	size_t at = ranges_before(memory->range, memory->n, a);
	if (bytes == 0 || a + bytes < a)
		return ct_fail(e, CT_ERR_USAGE, "a range of memory must have at least one byte");
	if ((at > 0 && memory->range[at - 1].end > a) ||
	    (at < memory->n && memory->range[at].first < a + bytes))
		return ct_fail(e, CT_ERR_USAGE, "a range of memory overlaps another one");
	if (ct_grow((void **)&memory->range, &memory->cap, memory->n + 1, sizeof *memory->range) < 0)
		return ct_fail_nomem(e);
	memmove(memory->range + at + 1, memory->range + at, (memory->n - at) * sizeof *memory->range);
	memory->range[at] = (struct ct_ptx_range){.first = a, .end = a + bytes, .space = CT_PTX_GLOBAL};
	memory->n++;
	return CT_OK;
}

int ct_ptx_memory_remove(struct ct_ptx_memory *memory, const void *first, struct ct_error *e)
{
	uint64_t a = (uint64_t)(uintptr_t)first;
	size_t at = ranges_before(memory->range, memory->n, a);
	if (at == 0 || memory->range[at - 1].first != a)
		return ct_fail(e, CT_ERR_USAGE, "no range of memory begins at this address");
	memmove(memory->range + at - 1, memory->range + at, (memory->n - at) * sizeof *memory->range);
	memory->n--;
	return CT_OK;
}

int ct_ptx_memory_find(const struct ct_ptx_memory *memory, uint64_t address, uint64_t *first,
                       uint64_t *bytes)
{
	size_t at = ranges_before(memory->range, memory->n, address);
	if (at == 0 || memory->range[at - 1].end <= address)
		return 0;
	if (first)
		*first = memory->range[at - 1].first;
	if (bytes)
		*bytes = memory->range[at - 1].end - memory->range[at - 1].first;
	return 1;
}

int ct_ptx_collect_ranges(struct ct_ptx_run *r)
{
	const struct ct_ptx_memory *memory = r->launch->memory;
	const struct ct_ptx_module *m = r->m;
	size_t n = memory ? memory->n : 0;
	r->range = ct_calloc(n + m->nglobals + 2, sizeof *r->range);
	r->range_of = ct_calloc(m->nops, sizeof *r->range_of);
	if (!r->range || !r->range_of)
		return ct_fail_nomem(r->e);
	if (n)
		memcpy(r->range, memory->range, n * sizeof *r->range);
	for (size_t i = 0; i < m->nglobals; i++) {
		const struct ct_ptx_variable *v = &m->symbol[m->global[i]].v;
		uint64_t first = (uint64_t)(uintptr_t)v->storage;
		if (v->storage && !(memory && ct_ptx_memory_find(memory, first, NULL, NULL)))
			r->range[n++] = (struct ct_ptx_range){
				.first = first, .end = first + v->bytes, .space = v->space};
	}
	r->nranges = n;
	qsort(r->range, n, sizeof *r->range, by_first);
	r->range[n] = (struct ct_ptx_range){
		.first = CT_PTX_SHARED_WINDOW,
		.end = CT_PTX_SHARED_WINDOW + r->shared_bytes,
		.delta = (uint64_t)(uintptr_t)r->shared - CT_PTX_SHARED_WINDOW,
		.space = CT_PTX_SHARED};
	for (size_t i = 0; i < m->nops; i++) /* no operation has found anything yet: an empty range */
		r->range_of[i] = (uint32_t)n + 1;
	return CT_OK;
}
