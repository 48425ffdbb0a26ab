/* Surfaces: loads and stores of bytes at coordinates, without filters. */
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"
#include "ptx/guard.h"

/* Finds the coordinates of a lane's access: bytes in the row, the row, and the slice or layer. */
static void find_coordinates(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t lane,
                             int64_t *i)
{
	const uint32_t *ref = w->run->m->extra + o->extra + o->count;
	const unsigned n = (unsigned)o->imm;
	i[0] = i[1] = i[2] = 0;
	for (unsigned d = 0; d < n; d++)
		i[d] = (int32_t)(uint32_t)ct_ptx_lane(ct_ptx_at(w, ref[d]), lane, 4);
	if (o->mode & CT_PTX_SURFACE_LAYERED)
		i[2] = (int32_t)(uint32_t)ct_ptx_lane(ct_ptx_at(w, ref[n]), lane, 4);
}

static int stop(struct ct_ptx_warp *w, const struct ct_ptx_op *o, enum ct_ptx_fault_kind kind,
                uint32_t lane, const int64_t *i)
{
	struct ct_ptx_fault *f = &w->run->fault;
	ct_ptx_stop(w, o, kind, UINT32_C(1) << lane);
	f->width = (uint32_t)o->width * o->count;
	f->space = CT_PTX_SURFACE;
	for (unsigned d = 0; d < 3; d++)
		f->coordinate[d] = (int32_t)i[d];
	return -1;
}

/* Finds the address of a lane's access: 1, or 0 where it lies outside and nothing is accessed, or -1 after a
 * fault. */
static int find_address(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const struct ct_ptx_texture *t,
                        uint32_t lane)
{
	const int64_t bytes = (int64_t)o->width * o->count, rows = t->height ? t->height : 1,
		      most[3] = {(int64_t)t->width * t->channels * (t->bits / 8u) - bytes, rows - 1,
	                         t->depth ? (int64_t)t->depth - 1 : 0};
	int64_t i[3], near[3];
	int inside = 1;
	find_coordinates(w, o, lane, i);
	for (unsigned d = 0; d < 3; d++) {
		near[d] = i[d] < 0 ? 0 : i[d] > most[d] ? most[d] : i[d];
		inside &= near[d] == i[d];
	}
	if (!inside && o->mode & CT_PTX_SURFACE_ZERO)
		return 0;
	if (!inside && (!(o->mode & CT_PTX_SURFACE_CLAMP) || most[0] < 0))
		return stop(w, o, CT_PTX_OUT_OF_RANGE, lane, i);
	if (inside && i[0] & (bytes - 1))
		return stop(w, o, CT_PTX_MISALIGNED, lane, i);
	near[0] &= -bytes;
	w->address[lane] = (uint64_t)(uintptr_t)t->texels +
	                   (uint64_t)(near[2] * rows + near[1]) * t->pitch + (uint64_t)near[0];
	return 1;
}

/* Moves one lane's elements, whose registers have at least 16 bits. */
static void move_lane(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t lane, int inside)
{
	const uint32_t *ref = w->run->m->extra + o->extra;
	const unsigned register_bytes = o->width < 2 ? 2 : o->width;
	for (unsigned k = 0; k < o->count; k++) {
		unsigned char *value = (unsigned char *)ct_ptx_at(w, ref[k]) + lane * register_bytes,
			      *at = (unsigned char *)(uintptr_t)w->address[lane] + k * o->width;
		if (!(o->mode & CT_PTX_SURFACE_STORE)) {
			memset(value, 0, register_bytes);
			if (inside)
				memcpy(value, at, o->width);
		} else if (inside) {
			memcpy(at, value, o->width);
		}
	}
}

/* suld and sust: finds all addresses first, so that nothing is accessed where a lane is wrong or another block
 * has been. */
void ct_ptx_exec_surface(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u64 *handle = ct_ptx_at(w, o->a);
	const struct ct_ptx_texture *t = NULL;
	const unsigned bytes = (unsigned)o->width * o->count;
	uint32_t inside = 0;
	w->space = CT_PTX_SURFACE;
	w->seen = w->seen_row;
	w->shape = CT_PTX_SCATTERED;
	w->in_expected = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left);
		int found;
		if (!t || t->handle != handle[lane])
			t = ct_ptx_find_texture(w->run->launch, handle[lane], 1);
		if (!t) {
			ct_ptx_stop(w, o, CT_PTX_NO_TEXTURE, UINT32_C(1) << lane);
			return;
		}
		if ((found = find_address(w, o, t, lane)) < 0)
			return;
		inside |= (uint32_t)found << lane;
		w->seen_row[lane] = found ? w->address[lane] : 0;
	}
	if (w->run->guarded &&
	    ct_ptx_guard_access(w, o, inside, bytes, (o->mode & CT_PTX_SURFACE_STORE) != 0) < 0)
		return;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left);
		move_lane(w, o, lane, inside >> lane & 1);
	}
}
