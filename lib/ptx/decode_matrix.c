/* Matrix products, their loads from shared memory, and asynchronous copies into it. */
#include <string.h>

#include "ptx/decode.h"

/* Copies complete at once, so that groups and waits have nothing to do. */
static int async_group(struct ct_ptx_reader *r)
{
	int rc = CT_OK;
	if (ct_ptx_take(r, "commit_group") || ct_ptx_take(r, "wait_all"))
		rc = ct_ptx_want_args(r, 0, 0);
	else if (ct_ptx_take(r, "wait_group"))
		rc = ct_ptx_want_args(r, 1, 1);
	else
		return ct_ptx_unknown(r, NULL);
	return rc < 0 ? rc : ct_ptx_emit(r, CT_PTX_fence) ? CT_OK : CT_ERR_NOMEM;
}

/* cp.async.cg.shared.global [to], [from], 16{, size}: a load and a store, each of which observers see. */
int ct_ptx_decode_async(struct ct_ptx_reader *r)
{
	static const char *const caches[] = {"ca", "cg", NULL};
	static const char *const hints[] = {"L2::64B", "L2::128B", "L2::256B", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	int rc;
	if (!ct_ptx_take(r, "async") || ct_ptx_take(r, "bulk"))
		return ct_ptx_unknown(r, "bulk copies and tensor maps of Hopper are not emulated");
	if (ct_ptx_take_one(r, caches) < 0)
		return async_group(r);
	if (ct_ptx_take_space(r) != CT_PTX_SHARED || ct_ptx_take_space(r) != CT_PTX_GLOBAL)
		return ct_ptx_unknown(r, NULL);
	ct_ptx_take_one(r, hints);
	if ((rc = ct_ptx_want_args(r, 3, 4)) < 0)
		return rc;
	if (a[2].kind != CT_PTX_ARG_INTEGER || (a[2].value != 4 && a[2].value != 8 && a[2].value != 16))
		return ct_ptx_unknown(r, "it copies 4, 8 or 16 bytes");
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_async_load);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)a[2].value;
	o->count = 1;
	o->last = 1;
	if ((rc = ct_ptx_memory_address(r, &a[1], o, CT_PTX_GLOBAL)) < 0 ||
	    (rc = r->s.nargs > 3 ? ct_ptx_row(r, &a[3], CT_PTX_B32, &o->b)
	                         : ct_ptx_constant(r, a[2].value, 4, &o->b)) < 0)
		return rc;
	if (!(o = ct_ptx_emit(r, CT_PTX_async_store)))
		return CT_ERR_NOMEM;
	o->width = (uint8_t)a[2].value;
	o->count = 1;
	return ct_ptx_memory_address(r, &a[0], o, CT_PTX_SHARED);
}

/* Registers of a vector, all of one type, to the module's list. */
static int put_rows(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                    unsigned n, int result)
{
	uint32_t ref = 0;
	int rc = CT_OK;
	if (a->kind != CT_PTX_ARG_VECTOR || a->count != n)
		return ct_ptx_unknown(r, "an operand has another number of registers");
	for (unsigned i = 0; rc == CT_OK && i < n; i++) {
		const struct ct_ptx_arg *e = &r->s.element[a->first + i];
		rc = result ? ct_ptx_result(r, e, type, &ref) : ct_ptx_row(r, e, type, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d0, d1, d2, d3}, [address]; the shape may stand behind the number, as in
 * CUTLASS, and an address without a space is one of shared memory. */
int ct_ptx_decode_ldmatrix(struct ct_ptx_reader *r)
{
	static const char *const counts[] = {"x1", "x2", "x4", NULL};
	int rc, fine = ct_ptx_take(r, "sync") && ct_ptx_take(r, "aligned"),
		before = ct_ptx_take(r, "m8n8");
	int count = ct_ptx_take_one(r, counts), transposed = ct_ptx_take(r, "trans");
	fine = fine && (before || ct_ptx_take(r, "m8n8"));
	int space = ct_ptx_take_space(r);
	if (!fine || count < 0 || (space != CT_PTX_SHARED && space != CT_PTX_GENERIC) ||
	    !ct_ptx_take(r, "b16"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_ldmatrix);
	if (!o)
		return CT_ERR_NOMEM;
	o->count = (uint8_t)(1 << count);
	o->width = 16;
	o->round = (uint8_t)transposed;
	o->extra = (uint32_t)r->m->nextra;
	rc = put_rows(r, &r->s.arg[0], CT_PTX_B32, o->count, 1);
	return rc < 0 ? rc : ct_ptx_memory_address(r, &r->s.arg[1], o, space);
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a: a matrix of halves in the registers of a warp, turned over. */
int ct_ptx_decode_movm(struct ct_ptx_reader *r)
{
	static const char *const atoms[] = {"sync", "aligned", "m8n8", "trans", "b16"};
	int rc;
	for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
		if (!ct_ptx_take(r, atoms[i]))
			return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_movmatrix);
	return o ? ct_ptx_rows(r, o, 1, CT_PTX_B32) : CT_ERR_NOMEM;
}

/* Shapes and types of products, with the registers that a lane holds of each matrix. */
static const struct {
	const char *shape, *accumulator, *factor;
	struct ct_ptx_product p;
} products[] = {
	{"m8n8k4", "f32", "f16", {8, 4, CT_PTX_X_F16, 8, 2, 2}},
	{"m8n8k4", "f16", "f16", {8, 4, CT_PTX_X_F16, 4, 2, 2}},
	{"m16n8k8", "f32", "f16", {16, 8, CT_PTX_X_F16, 4, 2, 1}},
	{"m16n8k8", "f16", "f16", {16, 8, CT_PTX_X_F16, 2, 2, 1}},
	{"m16n8k16", "f32", "f16", {16, 16, CT_PTX_X_F16, 4, 4, 2}},
	{"m16n8k16", "f16", "f16", {16, 16, CT_PTX_X_F16, 2, 4, 2}},
	{"m16n8k8", "f32", "bf16", {16, 8, CT_PTX_X_BF16, 4, 2, 1}},
	{"m16n8k16", "f32", "bf16", {16, 16, CT_PTX_X_BF16, 4, 4, 2}},
	{"m16n8k4", "f32", "tf32", {16, 4, CT_PTX_X_TF32, 4, 2, 1}},
	{"m16n8k8", "f32", "tf32", {16, 8, CT_PTX_X_TF32, 4, 4, 2}},
	{"m8n8k4", "f64", "f64", {8, 4, CT_PTX_X_F64, 2, 1, 1}},
	{"m8n8k16", "s32", "s8", {8, 16, CT_PTX_X_S8, 2, 1, 1}},
	{"m8n8k16", "s32", "u8", {8, 16, CT_PTX_X_U8, 2, 1, 1}},
	{"m16n8k16", "s32", "s8", {16, 16, CT_PTX_X_S8, 4, 2, 1}},
	{"m16n8k16", "s32", "u8", {16, 16, CT_PTX_X_U8, 4, 2, 1}},
	{"m16n8k32", "s32", "s8", {16, 32, CT_PTX_X_S8, 4, 4, 2}},
	{"m16n8k32", "s32", "u8", {16, 32, CT_PTX_X_U8, 4, 4, 2}},
	{"m8n8k32", "s32", "s4", {8, 32, CT_PTX_X_S4, 2, 1, 1}},
	{"m8n8k32", "s32", "u4", {8, 32, CT_PTX_X_U4, 2, 1, 1}},
	{"m16n8k32", "s32", "s4", {16, 32, CT_PTX_X_S4, 4, 2, 1}},
	{"m16n8k32", "s32", "u4", {16, 32, CT_PTX_X_U4, 4, 2, 1}},
	{"m16n8k64", "s32", "s4", {16, 64, CT_PTX_X_S4, 4, 4, 2}},
	{"m16n8k64", "s32", "u4", {16, 64, CT_PTX_X_U4, 4, 4, 2}},
	{"m8n8k128", "s32", "b1", {8, 128, CT_PTX_X_B1, 2, 1, 1}},
	{"m16n8k128", "s32", "b1", {16, 128, CT_PTX_X_B1, 4, 2, 1}},
	{"m16n8k256", "s32", "b1", {16, 256, CT_PTX_X_B1, 4, 4, 2}}};

const struct ct_ptx_product *ct_ptx_product_at(unsigned index)
{
	return &products[index].p;
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}; quads' factors may lie in either order. */
int ct_ptx_decode_mma(struct ct_ptx_reader *r)
{
	static const char *const orders[] = {"row", "col", NULL};
	const struct ct_ptx_statement *s = &r->s;
	const struct ct_ptx_arg *a = s->arg;
	unsigned i = 0, n = sizeof products / sizeof *products, at, unsigned_b = 0;
	int rc, fine = ct_ptx_take(r, "sync") && ct_ptx_take(r, "aligned");
	const char *shape = s->next_atom < s->natoms ? s->atom[r->s.next_atom++] : "";
	int a_order = ct_ptx_take_one(r, orders), b_order = ct_ptx_take_one(r, orders);
	fine = fine && a_order >= 0 && b_order >= 0;
	int clamped = ct_ptx_take(r, "satfinite");
	at = s->next_atom;
	/* Of single bits, how two of them are multiplied; products are counted. */
	int bits = s->natoms == at + 6 && strcmp(s->atom[at + 5], "popc") == 0,
	    xors = bits && strcmp(s->atom[at + 4], "xor") == 0;
	if (!fine || s->natoms != at + (bits ? 6u : 4u) ||
	    (bits && !xors && strcmp(s->atom[at + 4], "and")))
		return ct_ptx_unknown(r, NULL);
	while (i < n &&
	       (strcmp(products[i].shape, shape) || strcmp(products[i].accumulator, s->atom[at]) ||
	        strcmp(products[i].factor, s->atom[at + 1])))
		i++;
	r->s.next_atom = s->natoms;
	if (i == n || strcmp(s->atom[at + 3], s->atom[at]) || (clamped && strcmp(s->atom[at], "s32")))
		return ct_ptx_unknown(r, "this shape and these types are not emulated");
	const struct ct_ptx_product *p = &products[i].p;
	const char *a_type = s->atom[at + 1], *b_type = s->atom[at + 2];
	int either = *a_type != 'b' && p->factor >= CT_PTX_X_S8; /* signed or not */
	if (either && (*b_type == 's' || *b_type == 'u') && strcmp(a_type + 1, b_type + 1) == 0)
		unsigned_b = *b_type == 'u';
	else if (strcmp(b_type, a_type))
		return ct_ptx_unknown(r, NULL);
	if (bits != (p->factor == CT_PTX_X_B1) || ((a_order || !b_order) && !ct_ptx_is_by_quads(p)))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 4, 4)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_mma);
	if (!o)
		return CT_ERR_NOMEM;
	o->imm = i;
	o->mode = (uint8_t)(clamped | (int)unsigned_b << 1 |
	                    (s->atom[at][0] == 'f' && s->atom[at][1] == '1' ? 4 : 0) | xors << 3 |
	                    a_order << 4 | !b_order << 5);
	o->extra = (uint32_t)r->m->nextra;
	enum ct_ptx_type type = p->factor == CT_PTX_X_F64 ? CT_PTX_B64 : CT_PTX_B32;
	if ((rc = put_rows(r, &a[0], type, p->accumulators, 1)) < 0 ||
	    (rc = put_rows(r, &a[1], type, p->a, 0)) < 0 || (rc = put_rows(r, &a[2], type, p->b, 0)) < 0)
		return rc;
	return put_rows(r, &a[3], type, p->accumulators, 0);
}
