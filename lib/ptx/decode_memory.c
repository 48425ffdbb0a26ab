/* Loads, stores, atomics. */
#include <string.h>

#include "ptx/decode.h"

/* How an access is written: its space, type and shape. */
struct access {
	int space;
	unsigned count; /* elements of a vector */
	enum ct_ptx_type type;
};

/* Ordering and caching do not change what a launch computes here: they are checked and passed over. */
static int skip_hints(struct ct_ptx_reader *r)
{
	/* clang-format off */
	static const char *const hints[] = {
		"volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "sc", "cta", "gpu", "sys", "cluster", "mmio",
		"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "uni", "L1::evict_normal", "L1::evict_unchanged",
		"L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B", NULL};
	/* clang-format on */
	int any = 0;
	while (ct_ptx_take_one(r, hints) >= 0)
		any = 1;
	return any;
}

/* Reads space, vector and type of a load or store; hints about caches stand anywhere between them. */
static int read_access(struct ct_ptx_reader *r, struct access *a)
{
	const struct ct_ptx_statement *s = &r->s;
	a->space = CT_PTX_GENERIC;
	a->count = 1;
	for (int more = 1; more;) {
		int space = ct_ptx_take_space(r);
		if (space != CT_PTX_GENERIC)
			a->space = space;
		if (ct_ptx_take(r, "v2"))
			a->count = 2, space = 1;
		if (ct_ptx_take(r, "v4"))
			a->count = 4, space = 1;
		more = skip_hints(r) || space != CT_PTX_GENERIC;
	}
	int type = s->next_atom < s->natoms
	                   ? ct_ptx_type_named(s->atom[s->next_atom], strlen(s->atom[s->next_atom]))
	                   : -1;
	if (type < 0 || type == CT_PTX_PRED)
		return s->next_atom < s->natoms
		               ? ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED,
		                                 "%s: '.%s' is not known here", s->opcode,
		                                 s->atom[s->next_atom])
		               : ct_ptx_unknown(r, "a type is missing");
	r->s.next_atom++;
	a->type = (enum ct_ptx_type)type;
	if (a->count * ct_ptx_type_bytes(a->type) > 32)
		return ct_ptx_unknown(r, NULL);
	return CT_OK;
}

/* An address that is a variable: a constant, or relative to the frame, or a special register. */
static int variable_address(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, struct ct_ptx_op *o,
                            int space)
{
	const struct ct_ptx_symbol *s = a->symbol >= 0 ? &r->m->symbol[a->symbol] : NULL;
	int lives = s ? s->space : a->space;
	if (space != CT_PTX_GENERIC && space != lives &&
	    !(space == CT_PTX_PARAM && lives == CT_PTX_LOCAL))
		return ct_ptx_unknown(r, "the variable lives in another state space");
	o->space = (uint8_t)lives;
	o->imm = a->offset;
	if (s && s->dynamic) {
		o->a = CT_PTX_DYNAMIC_BASE_64 * 4 * CT_PTX_LANES + CT_PTX_BASE_SPECIAL;
		r->f->shared_align = s->v.align > r->f->shared_align ? s->v.align : r->f->shared_align;
		return CT_OK;
	}
	int rc = ct_ptx_constant(r, 0, 8, &o->a);
	if (rc < 0)
		return rc;
	if (s && s->space == CT_PTX_SHARED)
		return ct_ptx_use_shared(r, (uint32_t)a->symbol, 0, (uint32_t)(o - r->m->op));
	if (s && !s->v.storage)
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s is not defined in this module",
		                       s->v.name);
	if (s)
		o->imm += (int64_t)(uintptr_t)s->v.storage;
	else
		o->imm += a->ref;
	if (lives == CT_PTX_LOCAL)
		o->mode |= CT_PTX_IN_FRAME;
	return CT_OK;
}

int ct_ptx_memory_address(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, struct ct_ptx_op *o,
                          int space)
{
	if (a->kind != CT_PTX_ARG_MEMORY || a->count)
		return ct_ptx_unknown(r, "an address in brackets is needed");
	o->space = (uint8_t)space;
	if (a->inner == CT_PTX_ARG_VARIABLE)
		return variable_address(r, a, o, space);
	o->imm = a->offset;
	if (a->inner == CT_PTX_ARG_INTEGER)
		return ct_ptx_constant(r, 0, 8, &o->a);
	if (ct_ptx_type_bytes(a->type) == 4 && a->type != CT_PTX_PRED && space != CT_PTX_GENERIC &&
	    space != CT_PTX_GLOBAL)
		o->mode |= CT_PTX_ADDRESS_32;
	else if (ct_ptx_type_bytes(a->type) != 8)
		return ct_ptx_unknown(r, "the address has another width than 64 bits");
	o->a = a->ref;
	if (o->space == CT_PTX_PARAM && !r->f->entry)
		o->space = CT_PTX_LOCAL;
	return CT_OK;
}

/* Registers may be wider than what is loaded or stored. */
static int element_row(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                       int load, uint32_t *ref, unsigned *bytes)
{
	if (a->kind == CT_PTX_ARG_ROW) {
		*bytes = ct_ptx_type_bytes(a->type) < 2 ? 2 : ct_ptx_type_bytes(a->type);
		*ref = a->ref;
		if (*bytes < ct_ptx_type_bytes(type) || (load && a->ref % 64 != CT_PTX_BASE_FRAME))
			return ct_ptx_unknown(r, "a register is narrower than the access");
		return CT_OK;
	}
	*bytes = ct_ptx_type_bytes(type) < 2 ? 2 : ct_ptx_type_bytes(type);
	if (a->kind == CT_PTX_ARG_SINK && load)
		return ct_ptx_result(r, a, type, ref);
	return load ? ct_ptx_unknown(r, "the result is no register") : ct_ptx_row(r, a, type, ref);
}

/* Rows of the value or values: the width of their rows goes to `round`, which must be the same for all. */
static int value_rows(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, const struct access *k,
                      int load, struct ct_ptx_op *o)
{
	unsigned bytes = 0, first = 0;
	uint32_t ref;
	int rc = CT_OK;
	if ((k->count > 1) != (a->kind == CT_PTX_ARG_VECTOR) || (k->count > 1 && a->count != k->count))
		return ct_ptx_unknown(r, "the operand has another number of elements");
	o->extra = (uint32_t)r->m->nextra;
	for (unsigned i = 0; rc == CT_OK && i < k->count; i++) {
		const struct ct_ptx_arg *element = k->count > 1 ? &r->s.element[a->first + i] : a;
		rc = element_row(r, element, k->type, load, &ref, &bytes);
		if (rc == CT_OK && element->kind != CT_PTX_ARG_SINK && first && bytes != first)
			return ct_ptx_unknown(r, "registers of different widths in one vector");
		if (element->kind != CT_PTX_ARG_SINK)
			first = bytes;
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	o->round = (uint8_t)(first ? first : bytes);
	return rc;
}

/* A kernel parameter at a known offset is the same for all lanes. */
static int is_parameter(const struct ct_ptx_op *o, const struct ct_ptx_arg *a)
{
	return o->space == CT_PTX_PARAM && a->inner == CT_PTX_ARG_VARIABLE;
}

/* Decodes ld and its relatives. A load of a kernel's parameter from a fixed place needs no address. */
int ct_ptx_decode_load(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	struct access k;
	int rc;
	if ((rc = read_access(r, &k)) < 0 || (rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_load);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(k.type);
	o->count = (uint8_t)k.count;
	o->mode = ct_ptx_is_signed(k.type) ? CT_PTX_EXTEND_SIGN : 0;
	if ((rc = value_rows(r, &a[0], &k, 1, o)) < 0 ||
	    (rc = ct_ptx_memory_address(r, &a[1], o, k.space)) < 0)
		return rc;
	o->d = r->m->extra[o->extra];
	if (is_parameter(o, &a[1])) {
		o->code = CT_PTX_load_param;
		if (o->imm < 0 || o->imm + o->width * o->count > r->f->param_bytes)
			return ct_ptx_unknown(r, "it reads behind the kernel's parameters");
		if (o->imm % (o->width * o->count))
			return ct_ptx_unknown(r, "the place in the kernel's parameters is no multiple "
			                         "of the size of the access");
	}
	return CT_OK;
}

/* Decodes st and its relatives. Constant memory and a kernel's parameters cannot be written. */
int ct_ptx_decode_store(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	struct access k;
	int rc;
	if ((rc = read_access(r, &k)) < 0 || (rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	if (k.space == CT_PTX_CONST)
		return ct_ptx_unknown(r, "constant memory cannot be written");
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_store);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(k.type);
	o->count = (uint8_t)k.count;
	if ((rc = value_rows(r, &a[1], &k, 0, o)) < 0 ||
	    (rc = ct_ptx_memory_address(r, &a[0], o, k.space)) < 0)
		return rc;
	o->b = r->m->extra[o->extra];
	return o->space == CT_PTX_PARAM || o->space == CT_PTX_CONST
	               ? ct_ptx_unknown(r, "parameters and constants of a kernel cannot be written")
	               : CT_OK;
}

/* Which types an atomic operation has. */
static int check_atom(struct ct_ptx_reader *r, int what, enum ct_ptx_type t)
{
	unsigned bytes = ct_ptx_type_bytes(t);
	int fine = 0;
	switch (what) {
	case CT_PTX_ATOM_ADD:
		fine = t > CT_PTX_B64 && (bytes >= 4 || t == CT_PTX_F16 || t == CT_PTX_BF16);
		break;
	case CT_PTX_ATOM_MIN:
	case CT_PTX_ATOM_MAX: fine = ct_ptx_place6(t) >= 0 && bytes >= 4; break;
	case CT_PTX_ATOM_INC:
	case CT_PTX_ATOM_DEC: fine = t == CT_PTX_U32; break;
	case CT_PTX_ATOM_CAS: fine = t <= CT_PTX_B64 && bytes >= 2; break;
	default: fine = t <= CT_PTX_B64 && bytes >= 4; break;
	}
	/* Compilers write the type with a sign too where it does not matter. */
	if (!fine && what >= CT_PTX_ATOM_AND)
		fine = ct_ptx_place6(t) >= 0 && bytes >= 4;
	return fine ? CT_OK : ct_ptx_unknown(r, NULL);
}

/* Decodes atom, and red, which has no result. */
int ct_ptx_decode_atom(struct ct_ptx_reader *r)
{
	static const char *const whats[] = {
		"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	unsigned result = r->s.atom[0][0] == 'a';
	int space, what, rc;
	skip_hints(r);
	space = ct_ptx_take_space(r);
	skip_hints(r);
	what = ct_ptx_take_one(r, whats);
	ct_ptx_take(r, "noftz");
	const char *atom = r->s.next_atom < r->s.natoms ? r->s.atom[r->s.next_atom] : "";
	int type = ct_ptx_type_named(atom, strlen(atom));
	r->s.next_atom += type >= 0;
	if (what < 0 || type < 0)
		return ct_ptx_unknown(r, NULL);
	unsigned n = result + (what == CT_PTX_ATOM_CAS ? 3 : 2);
	if ((rc = ct_ptx_want_args(r, n, n)) < 0 ||
	    (rc = check_atom(r, what, (enum ct_ptx_type)type)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_atom);
	if (!o)
		return CT_ERR_NOMEM;
	o->round = (uint8_t)what;
	o->width = (uint8_t)ct_ptx_type_bytes((enum ct_ptx_type)type);
	o->count = (uint8_t)type;
	o->d = CT_PTX_NO_ROW;
	if ((rc = ct_ptx_memory_address(r, &a[result], o, space)) < 0 ||
	    (result && a[0].kind != CT_PTX_ARG_SINK &&
	     (rc = ct_ptx_result(r, &a[0], (enum ct_ptx_type)type, &o->d)) < 0) ||
	    (rc = ct_ptx_row(r, &a[result + 1], (enum ct_ptx_type)type, &o->b)) < 0)
		return rc;
	if (o->space != CT_PTX_GENERIC && o->space != CT_PTX_GLOBAL && o->space != CT_PTX_SHARED)
		return ct_ptx_unknown(r, "atomics are of global and shared memory");
	return what == CT_PTX_ATOM_CAS ? ct_ptx_row(r, &a[result + 2], (enum ct_ptx_type)type, &o->c)
	                               : CT_OK;
}

int ct_ptx_decode_prefetch(struct ct_ptx_reader *r)
{
	static const char *const levels[] = {
		"L1", "L2", "L2::evict_last", "L2::evict_normal", "L2::128B", NULL};
	int space = ct_ptx_take_space(r), rc;
	ct_ptx_take_one(r, levels);
	ct_ptx_take(r, "tensormap");
	if ((rc = ct_ptx_want_args(r, 1, 2)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_prefetch);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = 1;
	return ct_ptx_memory_address(r, &r->s.arg[0], o, space);
}
