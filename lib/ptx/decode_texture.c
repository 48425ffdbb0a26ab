/* Reads of textures, and accesses to surfaces. */
#include <string.h>

#include "ptx/decode.h"

/* The shape of a texture or surface, by the names that PTX has for them. */
struct geometry {
	const char *name;
	uint8_t coordinates; /* beside the layer */
	uint8_t flags;       /* of a texture's imm */
};
static const struct geometry geometries[] = {
	{"1d", 1, 0},
	{"2d", 2, 0},
	{"3d", 3, 0},
	{"a1d", 1, CT_PTX_LAYERED},
	{"a2d", 2, CT_PTX_LAYERED},
	{"cube", 3, CT_PTX_CUBE},
	{"acube", 3, CT_PTX_CUBE | CT_PTX_LAYERED}};

/* The geometry that the next atom names, and a step; NULL where it names none. */
static const struct geometry *take_geometry(struct ct_ptx_reader *r)
{
	for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
		if (ct_ptx_take(r, geometries[i].name))
			return &geometries[i];
	return NULL;
}

/* Coordinates to the module's list, and behind them the layer, which PTX has first. */
static int coordinate_rows(struct ct_ptx_reader *r, const struct ct_ptx_arg *from,
                           const struct geometry *g, enum ct_ptx_type type)
{
	const unsigned layered = (g->flags & CT_PTX_LAYERED) != 0, n = g->coordinates + layered;
	uint32_t ref = 0;
	int rc = CT_OK;
	if (from->count < n)
		return ct_ptx_unknown(r, "it needs a coordinate for each dimension, and the layer");
	for (unsigned i = 0; rc == CT_OK && i < n; i++) {
		const unsigned at = i < g->coordinates ? i + layered : 0;
		rc = ct_ptx_row(r, &r->s.element[from->first + at],
		                i < g->coordinates ? type : CT_PTX_U32, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

/* Four result registers to the module's list. */
static int result_rows(struct ct_ptx_reader *r, const struct ct_ptx_arg *to)
{
	uint32_t ref = 0;
	int rc = CT_OK;
	if (to->kind != CT_PTX_ARG_VECTOR || to->count != 4)
		return ct_ptx_unknown(r, "it needs four result registers");
	for (unsigned i = 0; rc == CT_OK && i < 4; i++) {
		rc = ct_ptx_result(r, &r->s.element[to->first + i], CT_PTX_B32, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

/* The handle: a register, or the texture or surface variable by name. */
static int handle_row(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, uint32_t *ref)
{
	if (a->kind != CT_PTX_ARG_MEMORY || a->offset)
		return ct_ptx_unknown(r, NULL);
	if (a->inner == CT_PTX_ARG_ROW && ct_ptx_type_bytes(a->type) == 8 && a->type != CT_PTX_PRED) {
		*ref = a->ref;
		return CT_OK;
	}
	if (a->inner == CT_PTX_ARG_VARIABLE && a->symbol >= 0 && r->m->symbol[a->symbol].v.texture)
		return ct_ptx_constant(r, (uint64_t)(uintptr_t)r->m->symbol[a->symbol].v.storage, 8,
		                       ref);
	return ct_ptx_unknown(r, "what stands first in brackets is no texture or surface");
}

/* What stands behind the coordinates: the level, or two gradients of as many numbers as there are coordinates. */
static int level_rows(struct ct_ptx_reader *r, const struct geometry *g, enum ct_ptx_type type,
                      int64_t imm)
{
	const int gradients = (imm & CT_PTX_GRADIENTS) != 0;
	uint32_t ref = 0;
	int rc = CT_OK;
	if (imm & CT_PTX_LEVEL && (rc = ct_ptx_row(r, &r->s.arg[2], type, &ref)) == CT_OK)
		rc = ct_ptx_extra(r, ref);
	for (unsigned i = 0; gradients && i < 2u * g->coordinates && rc == CT_OK; i++) {
		const struct ct_ptx_arg *a = &r->s.arg[2 + i / g->coordinates];
		const unsigned at = i % g->coordinates;
		if (a->kind == CT_PTX_ARG_VECTOR ? a->count <= at : g->coordinates > 1)
			return ct_ptx_unknown(r, "a gradient needs a number for each coordinate");
		rc = ct_ptx_row(r, a->kind == CT_PTX_ARG_VECTOR ? &r->s.element[a->first + at] : a,
		                CT_PTX_F32, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

/* What tex and tld4 have in common, behind the geometry and the number of their results. */
static int decode_read(struct ct_ptx_reader *r, const struct geometry *g, unsigned operands, int64_t imm)
{
	const struct ct_ptx_arg *a = r->s.arg;
	struct ct_ptx_form f;
	int rc;
	if ((rc = ct_ptx_form(r, 0, 2, &f)) < 0 || (rc = ct_ptx_want_args(r, operands, operands)) < 0)
		return rc;
	if ((f.type[0] != CT_PTX_F32 && f.type[0] != CT_PTX_U32 && f.type[0] != CT_PTX_S32) ||
	    (f.type[1] != CT_PTX_F32 &&
	     (f.type[1] != CT_PTX_S32 || imm & ~(CT_PTX_LAYERED | CT_PTX_LEVEL))) ||
	    a[0].has_other)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_tex);
	if (!o)
		return CT_ERR_NOMEM;
	o->count = g->coordinates;
	o->mode = f.type[1] == CT_PTX_F32;
	o->width = (uint8_t)f.type[0];
	o->round = 0;
	o->imm = imm;
	o->extra = (uint32_t)r->m->nextra;
	if ((rc = handle_row(r, &a[1], &o->a)) < 0 || (rc = result_rows(r, &a[0])) < 0)
		return rc;
	rc = coordinate_rows(r, &a[1], g, f.type[1]);
	return rc == CT_OK ? level_rows(r, g, f.type[1], imm) : rc;
}

/* tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}]; tex.level has a level behind that, tex.grad two gradients. */
int ct_ptx_decode_tex(struct ct_ptx_reader *r)
{
	int level = ct_ptx_take(r, "level"), grad = !level && ct_ptx_take(r, "grad");
	if (!level && !grad)
		ct_ptx_take(r, "base");
	const struct geometry *g = take_geometry(r);
	if (!g || !ct_ptx_take(r, "v4"))
		return ct_ptx_unknown(
			r, "textures of one, two or three dimensions, layers of them and cube "
			   "maps with four results are emulated");
	if (grad && g->flags & CT_PTX_CUBE)
		return ct_ptx_unknown(r, "cube maps are read by levels, not by gradients");
	return decode_read(r, g,
	                   level  ? 3
	                   : grad ? 4
	                          : 2,
	                   g->flags | (level ? CT_PTX_LEVEL : 0) | (grad ? CT_PTX_GRADIENTS : 0));
}

/* tld4.r.2d.v4.f32.f32 {a, b, c, d}, [texture, {x, y}] */
int ct_ptx_decode_tld4(struct ct_ptx_reader *r)
{
	static const char *const channels[] = {"r", "g", "b", "a", NULL};
	int channel = ct_ptx_take_one(r, channels);
	const struct geometry *g = channel < 0 ? NULL : take_geometry(r);
	if (!g || g->coordinates != 2 || !ct_ptx_take(r, "v4"))
		return ct_ptx_unknown(
			r, "gathers from textures of two dimensions and layers of them are emulated");
	return decode_read(r, g, 2, g->flags | CT_PTX_GATHER | (int64_t)channel << CT_PTX_GATHER_SHIFT);
}

/* Rows of the values that a surface access loads or stores, one or a vector. */
static int value_rows(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, unsigned n,
                      enum ct_ptx_type type, int store)
{
	const int vector = a->kind == CT_PTX_ARG_VECTOR;
	uint32_t ref = 0;
	int rc = CT_OK;
	if ((vector ? a->count : 1) != n || a->has_other)
		return ct_ptx_unknown(r, "it needs as many registers as its vector has elements");
	for (unsigned i = 0; rc == CT_OK && i < n; i++) {
		const struct ct_ptx_arg *x = vector ? &r->s.element[a->first + i] : a;
		rc = store ? ct_ptx_row(r, x, type, &ref) : ct_ptx_result(r, x, type, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

/* suld.b.2d.v2.b32.trap {a, b}, [surface, {x, y}] and sust.b.2d.v2.b32.trap [surface, {x, y}], {a, b}, where x
 * counts bytes. */
int ct_ptx_decode_surface(struct ct_ptx_reader *r)
{
	static const char *const caching[] = {"ca", "cg", "cs", "cv", "wb", "wt", NULL},
				 *const types[] = {"b8", "b16", "b32", "b64", NULL},
				 *const modes[] = {"trap", "clamp", "zero", NULL};
	const int store = strcmp(r->s.atom[0], "sust") == 0, raw = ct_ptx_take(r, "b");
	const struct geometry *g = raw ? take_geometry(r) : NULL;
	if (!g || g->flags & CT_PTX_CUBE)
		return ct_ptx_unknown(
			r, "accesses by bytes to surfaces of one, two or three dimensions and "
			   "layers of them are emulated");
	ct_ptx_take_one(r, caching);
	const unsigned n = ct_ptx_take(r, "v2") ? 2 : ct_ptx_take(r, "v4") ? 4 : 1;
	const int type = ct_ptx_take_one(r, types), mode = ct_ptx_take_one(r, modes);
	if (type < 0 || n << type > 16)
		return ct_ptx_unknown(r, "its elements have 8 to 64 bits, and all of them at most 128");
	int rc = ct_ptx_want_args(r, 2, 2);
	if (rc < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_surface);
	if (!o)
		return CT_ERR_NOMEM;
	o->count = (uint8_t)n;
	o->width = (uint8_t)(1 << type);
	o->space = CT_PTX_GLOBAL;
	o->mode = (uint8_t)((store ? CT_PTX_SURFACE_STORE : 0) | (mode == 1 ? CT_PTX_SURFACE_CLAMP : 0) |
	                    (mode == 2 ? CT_PTX_SURFACE_ZERO : 0) |
	                    (g->flags & CT_PTX_LAYERED ? CT_PTX_SURFACE_LAYERED : 0));
	o->round = 0;
	o->imm = g->coordinates;
	o->extra = (uint32_t)r->m->nextra;
	const struct ct_ptx_arg *at = &r->s.arg[store ? 0 : 1], *values = &r->s.arg[store ? 1 : 0];
	if ((rc = handle_row(r, at, &o->a)) < 0 ||
	    (rc = value_rows(r, values, n, type < 2 ? CT_PTX_B16 : (enum ct_ptx_type)(CT_PTX_B8 + type),
	                     store)) < 0)
		return rc;
	return coordinate_rows(r, at, g, CT_PTX_S32);
}
