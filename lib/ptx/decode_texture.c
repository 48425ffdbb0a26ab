/* Reads of textures. */
#include "ptx/decode.h"

/* Result registers, then coordinates, to the module's list. */
static int texture_rows(struct ct_ptx_reader *r, const struct ct_ptx_arg *to,
                        const struct ct_ptx_arg *from, unsigned dimensions, enum ct_ptx_type coordinate)
{
	uint32_t ref = 0;
	int rc = CT_OK;
	if (to->kind != CT_PTX_ARG_VECTOR || to->count != 4 || from->count < dimensions)
		return ct_ptx_unknown(
			r, "it needs four result registers and a coordinate for each dimension");
	for (unsigned i = 0; rc == CT_OK && i < 4; i++) {
		rc = ct_ptx_result(r, &r->s.element[to->first + i], CT_PTX_B32, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	for (unsigned i = 0; rc == CT_OK && i < dimensions; i++) {
		rc = ct_ptx_row(r, &r->s.element[from->first + i], coordinate, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

/* The handle: a register, or the texture variable by name. */
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
	return ct_ptx_unknown(r, "its first operand is no texture");
}

/* tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}]; tex.level too: textures have one level here */
int ct_ptx_decode_tex(struct ct_ptx_reader *r)
{
	static const char *const geometries[] = {"1d", "2d", "3d", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	struct ct_ptx_form f;
	int level = ct_ptx_take(r, "level") || ct_ptx_take(r, "base"),
	    geometry = ct_ptx_take_one(r, geometries), rc;
	unsigned operands = level && r->s.nargs == 3 ? 3 : 2;
	if (geometry < 0 || !ct_ptx_take(r, "v4"))
		return ct_ptx_unknown(
			r, "textures of one, two or three dimensions with four results are emulated");
	if ((rc = ct_ptx_form(r, 0, 2, &f)) < 0 || (rc = ct_ptx_want_args(r, operands, operands)) < 0)
		return rc;
	if ((f.type[0] != CT_PTX_F32 && f.type[0] != CT_PTX_U32 && f.type[0] != CT_PTX_S32) ||
	    (f.type[1] != CT_PTX_F32 && f.type[1] != CT_PTX_S32) || a[0].has_other)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_tex);
	if (!o)
		return CT_ERR_NOMEM;
	o->count = (uint8_t)(geometry + 1);
	o->mode = f.type[1] == CT_PTX_F32;
	o->width = (uint8_t)f.type[0];
	o->round = 0;
	o->extra = (uint32_t)r->m->nextra;
	rc = handle_row(r, &a[1], &o->a);
	return rc < 0 ? rc : texture_rows(r, &a[0], &a[1], o->count, f.type[1]);
}
