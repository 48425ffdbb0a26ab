/* Memory of the virtual machine. */
#include <inttypes.h>
#include <string.h>

#include "tracegen/exec.h"

static const uint8_t mem_bytes[] = {1, 1, 2, 2, 4, 8, 16};

/* Where LDL and STL addresses end: near the top of the thread's 16 MiB window, as in
 * captured traces (doc/formats.md section 7). */
enum { LOCAL_TOP = 0xfffc00 };

static uint64_t pair_at(const uint32_t *row, unsigned l)
{
	return row[l] | (uint64_t)row[LANES + l] << 32;
}

/* Global addresses are 64 bits wide; constant ones an offset from a base. */
static uint64_t lane_address(const struct simt_cta *c, const struct simt_warp *w, const struct op *o,
                             unsigned l)
{
	unsigned operand = o->code == OP_LDGSTS ? 1 : 0;
	const uint32_t *a = simt_src(c, w, o->srow[operand]);
	if (o->space == CT_SPACE_GLOBAL)
		return pair_at(a, l) + (uint64_t)(int64_t)o->offset;
	uint32_t v = a[l] + (uint32_t)o->offset;
	return o->space == CT_SPACE_CONST ? pair_at(simt_src(c, w, o->srow[1]), l) + v : v;
}

static int outside(struct simt_cta *c, const struct simt_warp *w, const struct op *o, unsigned lane,
                   uint64_t address)
{
	return ct_fail(c->e, CT_ERR_LIMIT,
	               "kernel %s: pc %04" PRIx64 " %s, CTA %" PRIu32 ",%" PRIu32 ",%" PRIu32
	               " warp %" PRIu32 " lane %u: address 0x%" PRIx64 " is in no buffer",
	               c->k->name, o->sinst.pc, o->opcode, c->id.x, c->id.y, c->id.z, w->id, lane,
	               address);
}

/* Bytes of one lane's access, or NULL when it is misaligned or leaves its memory. */
static unsigned char *place(struct simt_cta *c, const struct simt_warp *w, enum ct_space space,
                            uint64_t address, unsigned n, unsigned lane)
{
	if (address % n != 0)
		return NULL;
	switch (space) {
	case CT_SPACE_SHARED: return address + n <= c->shared_bytes ? c->shared + address : NULL;
	case CT_SPACE_LOCAL:
		if (address + n > c->k->frame_bytes)
			return NULL;
		return c->local + (size_t)(w->id * LANES + lane) * c->k->frame_bytes + address;
	default: return simt_memory_at(&c->k->g->mem, address, n);
	}
}

static void load_lane(const struct op *o, struct simt_warp *w, const unsigned char *p, unsigned l)
{
	uint32_t v[4] = {0};
	int16_t half;
	switch (o->mem) {
	case M_U8: v[0] = p[0]; break;
	case M_S8: v[0] = (uint32_t)(int32_t)(int8_t)p[0]; break;
	case M_U16:
	case M_S16:
		memcpy(&half, p, 2);
		v[0] = o->mem == M_U16 ? (uint16_t)half : (uint32_t)(int32_t)half;
		break;
	default: memcpy(v, p, mem_bytes[o->mem]); break;
	}
	unsigned rows = o->mem == M_64 ? 2 : o->mem == M_128 ? 4 : 1;
	for (unsigned r = 0; r < rows; r++)
		w->row[o->drow + r][l] = v[r];
}

static void store_lane(const struct simt_cta *c, const struct simt_warp *w, const struct op *o,
                       unsigned char *p, unsigned l)
{
	uint32_t v[4] = {0};
	unsigned rows = o->mem == M_64 ? 2 : o->mem == M_128 ? 4 : 1;
	for (unsigned r = 0; r < rows; r++)
		v[r] = simt_src(c, w, o->srow[1] + r)[l];
	uint16_t half = (uint16_t)v[0];
	if (mem_bytes[o->mem] == 1)
		p[0] = (unsigned char)v[0];
	else if (mem_bytes[o->mem] == 2)
		memcpy(p, &half, 2);
	else
		memcpy(p, v, mem_bytes[o->mem]);
}

static uint32_t atomic_result(const struct op *o, uint32_t old, uint32_t x, uint32_t compare)
{
	float a, b;
	switch (o->sub) {
	case ATOM_MIN:
	case ATOM_MAX: {
		int less = o->src[1].type == T_S32 ? (int32_t)x < (int32_t)old : x < old;
		return (o->sub == ATOM_MIN) == less ? x : old;
	}
	case ATOM_EXCH: return x;
	case ATOM_CAS: return old == compare ? x : old;
	case ATOM_OR: return old | x;
	case ATOM_AND: return old & x;
	default:
		if (o->src[1].type != T_F32)
			return old + x;
		memcpy(&a, &old, 4);
		memcpy(&b, &x, 4);
		a += b;
		memcpy(&old, &a, 4);
		return old;
	}
}

/* Lanes take effect one after the other, lowest first. */
static void atom_lane(const struct simt_cta *c, struct simt_warp *w, const struct op *o,
                      unsigned char *p, unsigned l)
{
	uint32_t old, x = simt_src(c, w, o->srow[1])[l];
	uint32_t compare = o->nsrc > 2 ? simt_src(c, w, o->srow[2])[l] : 0;
	memcpy(&old, p, 4);
	uint32_t now = atomic_result(o, old, x, compare);
	memcpy(p, &now, 4);
	if (o->dst.id != NO_VALUE)
		w->row[o->drow][l] = old;
}

/* Four 8x8 matrices of halves: matrix i has its rows at the addresses of lanes 8i..8i+7;
 * lane l gets word l%4 of row l/4. */
static int load_matrices(struct simt_cta *c, struct simt_warp *w, const struct op *o,
                         const uint64_t addr[LANES])
{
	simt_row out[4];
	for (unsigned m = 0; m < 4; m++)
		for (unsigned l = 0; l < LANES; l++) {
			unsigned from = 8 * m + l / 4;
			const unsigned char *p = place(c, w, CT_SPACE_SHARED, addr[from], 16, from);
			if (!p)
				return outside(c, w, o, from, addr[from]);
			memcpy(&out[m][l], p + 4 * (l % 4), 4);
		}
	memcpy(w->row[o->drow], out, sizeof out);
	return CT_OK;
}

static int copy_lane(struct simt_cta *c, struct simt_warp *w, const struct op *o,
                     const unsigned char *from, unsigned l)
{
	uint64_t to = simt_src(c, w, o->srow[0])[l] + (uint32_t)o->offset2;
	unsigned char *p = place(c, w, CT_SPACE_SHARED, to, mem_bytes[o->mem], l);
	if (!p)
		return outside(c, w, o, l, to);
	memcpy(p, from, mem_bytes[o->mem]);
	return CT_OK;
}

static int lane_access(struct simt_cta *c, struct simt_warp *w, const struct op *o, unsigned l,
                       uint64_t address)
{
	enum ct_space space = (enum ct_space)o->space;
	unsigned char *p = place(c, w, space, address, mem_bytes[o->mem], l);
	if (!p)
		return outside(c, w, o, l, address);
	switch (o->code) {
	case OP_LOAD: load_lane(o, w, p, l); return CT_OK;
	case OP_STORE: store_lane(c, w, o, p, l); return CT_OK;
	case OP_ATOM: atom_lane(c, w, o, p, l); return CT_OK;
	default: return copy_lane(c, w, o, p, l); /* OP_LDGSTS */
	}
}

int simt_exec_mem(struct simt_cta *c, struct simt_warp *w, const struct op *o, uint32_t mask,
                  uint64_t addr[LANES])
{
	uint64_t lane[LANES];
	unsigned n = 0;
	int st = CT_OK;
	/* All addresses first: a load may overwrite its own address register. */
	for (unsigned l = 0; l < LANES; l++)
		if (mask >> l & 1) {
			lane[l] = lane_address(c, w, o, l);
			addr[n++] = lane[l] +
			            (o->space == CT_SPACE_LOCAL ? LOCAL_TOP - c->k->frame_bytes : 0);
		}
	if (o->code == OP_LDSM)
		return mask == UINT32_MAX ? load_matrices(c, w, o, lane)
		                          : ct_fail(c->e, CT_ERR_LIMIT,
		                                    "kernel %s: LDSM needs a full warp", c->k->name);
	for (unsigned l = 0; l < LANES && st == CT_OK; l++)
		if (mask >> l & 1)
			st = lane_access(c, w, o, l, lane[l]);
	return st;
}
