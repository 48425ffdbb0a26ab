/* What decoders share, and which one reads which instruction. */
#include "ptx/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int ct_ptx_unknown(struct ct_ptx_reader *r, const char *why)
{
	return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED, "%s: %s", r->s.opcode,
	                       why ? why : "this form of the instruction is not known");
}

int ct_ptx_take(struct ct_ptx_reader *r, const char *atom)
{
	struct ct_ptx_statement *s = &r->s;
	if (s->next_atom >= s->natoms || strcmp(s->atom[s->next_atom], atom) != 0)
		return 0;
	s->next_atom++;
	return 1;
}

int ct_ptx_take_one(struct ct_ptx_reader *r, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (ct_ptx_take(r, list[i]))
			return i;
	return -1;
}

/* Sets the bit of a modifier in the form: 1, or 0 where the atom is none. */
static int take_modifier(struct ct_ptx_reader *r, struct ct_ptx_form *f)
{
	static const struct {
		const char *name;
		unsigned bit;
	} plain[] = {
		{"ftz", CT_PTX_M_FTZ},
		{"sat", CT_PTX_M_SAT},
		{"approx", CT_PTX_M_APPROX},
		{"full", CT_PTX_M_FULL},
		{"lo", CT_PTX_M_LO},
		{"hi", CT_PTX_M_HI},
		{"wide", CT_PTX_M_WIDE},
		{"cc", CT_PTX_M_CC},
		{"NaN", CT_PTX_M_NAN},
		{"xorsign", CT_PTX_M_XORSIGN},
		{"abs", CT_PTX_M_ABS},
		{"relu", CT_PTX_M_RELU},
		{"noftz", CT_PTX_M_NOFTZ},
		{"l", CT_PTX_M_L},
		{"r", CT_PTX_M_R},
		{"clamp", CT_PTX_M_CLAMP},
		{"wrap", CT_PTX_M_WRAP},
		{"shiftamt", CT_PTX_M_SHIFTAMT},
		{"satfinite", 0}};
	static const char *const rounds[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", NULL};
	int round = ct_ptx_take_one(r, rounds);
	if (round >= 0) {
		f->round = (enum ct_ptx_round)(round % CT_PTX_ROUNDS);
		f->modifiers |= CT_PTX_M_ROUND | (round >= CT_PTX_ROUNDS ? CT_PTX_M_INTEGRAL : 0);
		return 1;
	}
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (plain[i].bit && ct_ptx_take(r, plain[i].name)) {
			f->modifiers |= plain[i].bit;
			return 1;
		}
	return 0;
}

int ct_ptx_form(struct ct_ptx_reader *r, unsigned allowed, unsigned ntypes, struct ct_ptx_form *f)
{
	struct ct_ptx_statement *s = &r->s;
	memset(f, 0, sizeof *f);
	while (s->next_atom < s->natoms) {
		const char *atom = s->atom[s->next_atom];
		int type = ct_ptx_type_named(atom, strlen(atom));
		if (type >= 0 && f->ntypes < ntypes) {
			f->type[f->ntypes++] = (enum ct_ptx_type)type;
			s->next_atom++;
		} else if (!take_modifier(r, f)) {
			return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED, "%s: '.%s' is not known here",
			                       s->opcode, atom);
		}
	}
	if (f->ntypes < ntypes)
		return ct_ptx_unknown(r, "a type is missing");
	if (f->modifiers & ~allowed)
		return ct_ptx_unknown(r, NULL);
	return CT_OK;
}

int ct_ptx_want_args(struct ct_ptx_reader *r, unsigned least, unsigned most)
{
	const struct ct_ptx_statement *s = &r->s;
	if (s->next_atom < s->natoms)
		return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED, "%s: '.%s' is not known here",
		                       s->opcode, s->atom[s->next_atom]);
	if (s->nargs < least || s->nargs > most)
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s has %u operands where %u are expected",
		                       s->opcode, s->nargs, s->nargs < least ? least : most);
	return CT_OK;
}

struct ct_ptx_op *ct_ptx_emit(struct ct_ptx_reader *r, int code)
{
	struct ct_ptx_module *m = r->m;
	if (m->nops > UINT32_MAX / 2 ||
	    ct_grow((void **)&m->op, &m->ops_cap, m->nops + 1, sizeof *m->op) < 0) {
		ct_ptx_nomem(r);
		return NULL;
	}
	struct ct_ptx_op *o = &m->op[m->nops++];
	memset(o, 0, sizeof *o);
	o->code = (uint16_t)code;
	o->guard = r->s.guard;
	o->p = o->q = CT_PTX_NO_PREDICATE;
	o->s = CT_PTX_TRUE;
	o->target = o->join = CT_PTX_NO_TARGET;
	o->source = (uint32_t)m->nlines - 1;
	return o;
}

uint32_t ct_ptx_scratch(struct ct_ptx_reader *r, int which)
{
	if (!r->scratch[which])
		r->scratch[which] = 1 + (which == CT_PTX_SCRATCH_32   ? ct_ptx_new_row(r, CT_PTX_B32, 1)
		                         : which == CT_PTX_SCRATCH_64 ? ct_ptx_new_row(r, CT_PTX_B64, 1)
		                                                      : ct_ptx_new_predicate(r, 1));
	return r->scratch[which] - 1;
}

/* Room for one more constant row; rows stay aligned to a cache line. */
static int grow_constants(struct ct_ptx_module *m, size_t bytes)
{
	if (m->constant_bytes + bytes <= m->constant_cap)
		return 0;
	size_t cap = 2 * m->constant_cap + 4096;
	unsigned char *wider = ct_calloc_aligned(cap, 1);
	if (!wider)
		return -1;
	if (m->constant_bytes)
		memcpy(wider, m->constant, m->constant_bytes);
	free(m->constant);
	m->constant = wider;
	m->constant_cap = cap;
	return 0;
}

/* A constant row that is shared with no other: its value may change before launches. */
static int new_constant(struct ct_ptx_reader *r, uint64_t bits, unsigned width, uint32_t *ref)
{
	struct ct_ptx_module *m = r->m;
	size_t bytes = (size_t)width * CT_PTX_LANES;
	if (m->constant_bytes > 64 << 20 || grow_constants(m, bytes) < 0)
		return ct_ptx_nomem(r);
	*ref = (uint32_t)m->constant_bytes + CT_PTX_BASE_CONST;
	for (size_t i = 0; i < CT_PTX_LANES; i++)
		ct_ptx_put_lane(m->constant + m->constant_bytes, i, width, bits);
	m->constant_bytes += bytes;
	return CT_OK;
}

int ct_ptx_constant(struct ct_ptx_reader *r, uint64_t bits, unsigned width, uint32_t *ref)
{
	struct ct_ptx_module *m = r->m;
	char key[32];
	width = width < 2 ? 2 : width;
	bits &= width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
	snprintf(key, sizeof key, "%" PRIx64, bits);
	int64_t known = ct_ptx_names_get(&m->constants, key, strlen(key), width);
	if (known >= 0) {
		*ref = (uint32_t)known;
		return CT_OK;
	}
	const char *kept = ct_ptx_keep_text(m, key, strlen(key));
	int rc = kept ? new_constant(r, bits, width, ref) : ct_ptx_nomem(r);
	if (rc == CT_OK && ct_ptx_names_put(&m->constants, kept, width, *ref) < 0)
		return ct_ptx_nomem(r);
	return rc;
}

int ct_ptx_shared_constant(struct ct_ptx_reader *r, uint32_t symbol, int64_t offset, unsigned width,
                           uint32_t *ref)
{
	int rc = new_constant(r, (uint64_t)offset, width, ref);
	return rc < 0 ? rc : ct_ptx_use_shared(r, symbol, (int)width, *ref - CT_PTX_BASE_CONST);
}

int ct_ptx_use_shared(struct ct_ptx_reader *r, uint32_t symbol, int in_constant, uint32_t at)
{
	struct ct_ptx_module *m = r->m;
	struct ct_ptx_function *f = r->f;
	if (ct_grow((void **)&m->use, &m->uses_cap, m->nuses + 1, sizeof *m->use) < 0)
		return ct_ptx_nomem(r);
	m->use[m->nuses++] = (struct ct_ptx_use){symbol, in_constant, at};
	return ct_ptx_add_once(&f->variable, &f->nvariables, &f->variables_cap, symbol) < 0
	               ? ct_ptx_nomem(r)
	               : CT_OK;
}

int ct_ptx_add_once(uint32_t **list, size_t *n, size_t *cap, uint32_t value)
{
	for (size_t i = 0; i < *n; i++)
		if ((*list)[i] == value)
			return 0;
	if (ct_grow((void **)list, cap, *n + 1, sizeof **list) < 0)
		return -1;
	(*list)[(*n)++] = value;
	return 0;
}

/* Bits of a constant operand as a value of the type. */
static int constant_bits(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                         uint64_t *bits)
{
	double d;
	float f;
	uint32_t word = (uint32_t)a->value;
	*bits = a->value;
	if (a->kind == CT_PTX_ARG_INTEGER) {
		if (type == CT_PTX_F32 || type == CT_PTX_F64)
			return ct_ptx_unknown(r, "an integer where a floating-point constant is needed");
		return CT_OK;
	}
	if (ct_ptx_type_bytes(type) == (a->single ? 4 : 8))
		return CT_OK;
	memcpy(&d, &a->value, sizeof d);
	memcpy(&f, &word, sizeof f);
	if (type == CT_PTX_F64) {
		d = (double)f;
		memcpy(bits, &d, sizeof d);
	} else if (type == CT_PTX_F32) {
		f = (float)d;
		memcpy(&word, &f, sizeof f);
		*bits = word;
	} else {
		return ct_ptx_unknown(r, "a floating-point constant of another width");
	}
	return CT_OK;
}

/* 8-bit values live in registers of 16 bits and more. */
static int fits(enum ct_ptx_type have, enum ct_ptx_type want)
{
	unsigned bytes = ct_ptx_type_bytes(want);
	return have != CT_PTX_PRED &&
	       (ct_ptx_type_bytes(have) == bytes || (bytes == 1 && ct_ptx_type_bytes(have) == 2));
}

int ct_ptx_row(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type, uint32_t *ref)
{
	uint64_t bits;
	int rc;
	if (a->kind == CT_PTX_ARG_ROW) {
		if (!fits(a->type, type))
			return ct_ptx_unknown(r, "an operand has another width than the instruction");
		*ref = a->ref;
		return CT_OK;
	}
	if (a->kind != CT_PTX_ARG_INTEGER && a->kind != CT_PTX_ARG_FLOAT)
		return ct_ptx_unknown(r, "an operand is neither register nor constant");
	rc = constant_bits(r, a, type, &bits);
	return rc < 0 ? rc : ct_ptx_constant(r, bits, ct_ptx_type_bytes(type), ref);
}

int ct_ptx_result(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                  uint32_t *ref)
{
	if (a->kind == CT_PTX_ARG_SINK) {
		*ref = ct_ptx_scratch(r, CT_PTX_SCRATCH_64);
		return CT_OK;
	}
	if (a->kind != CT_PTX_ARG_ROW || a->ref % 64 != CT_PTX_BASE_FRAME || !fits(a->type, type))
		return ct_ptx_unknown(r, "the result is no register of the instruction's width");
	*ref = a->ref;
	return CT_OK;
}

int ct_ptx_predicate(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, uint32_t *ref)
{
	if (a->kind == CT_PTX_ARG_INTEGER)
		*ref = a->value ? CT_PTX_TRUE : CT_PTX_FALSE;
	else if (a->kind == CT_PTX_ARG_PREDICATE)
		*ref = a->ref;
	else
		return ct_ptx_unknown(r, "an operand is no predicate");
	return CT_OK;
}

int ct_ptx_predicate_result(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, uint32_t *ref)
{
	if (a->kind == CT_PTX_ARG_SINK) {
		*ref = ct_ptx_scratch(r, CT_PTX_SCRATCH_PREDICATE);
		return CT_OK;
	}
	if (a->kind != CT_PTX_ARG_PREDICATE || a->ref & 1)
		return ct_ptx_unknown(r, "the result is no predicate");
	*ref = a->ref;
	return CT_OK;
}

int ct_ptx_rows(struct ct_ptx_reader *r, struct ct_ptx_op *o, unsigned sources, enum ct_ptx_type type)
{
	const struct ct_ptx_arg *a = r->s.arg;
	int rc = ct_ptx_result(r, &a[0], type, &o->d);
	if (rc == CT_OK && sources > 0)
		rc = ct_ptx_row(r, &a[1], type, &o->a);
	if (rc == CT_OK && sources > 1)
		rc = ct_ptx_row(r, &a[2], type, &o->b);
	if (rc == CT_OK && sources > 2)
		rc = ct_ptx_row(r, &a[3], type, &o->c);
	return rc;
}

int ct_ptx_extra(struct ct_ptx_reader *r, uint32_t ref)
{
	struct ct_ptx_module *m = r->m;
	if (ct_grow((void **)&m->extra, &m->extra_cap, m->nextra + 1, sizeof *m->extra) < 0)
		return ct_ptx_nomem(r);
	m->extra[m->nextra++] = ref;
	return CT_OK;
}

int ct_ptx_is_float(enum ct_ptx_type t)
{
	return t >= CT_PTX_F16 && t <= CT_PTX_F64;
}

int ct_ptx_is_signed(enum ct_ptx_type t)
{
	return t >= CT_PTX_S8 && t <= CT_PTX_S64;
}

int ct_ptx_place3(enum ct_ptx_type t)
{
	if (t > CT_PTX_S64 || ct_ptx_type_bytes(t) < 2)
		return -1;
	return ct_ptx_type_bytes(t) == 2 ? 0 : ct_ptx_type_bytes(t) == 4 ? 1 : 2;
}

int ct_ptx_place6(enum ct_ptx_type t)
{
	int place = ct_ptx_place3(t);
	return place < 0 || t < CT_PTX_U8 ? -1 : place + (ct_ptx_is_signed(t) ? 3 : 0);
}

static const struct {
	const char *name;
	ct_ptx_decoder *decode;
} decoders[] = {
	{"abs", ct_ptx_decode_unary},         {"activemask", ct_ptx_decode_activemask},
	{"add", ct_ptx_decode_add},           {"addc", ct_ptx_decode_carry},
	{"and", ct_ptx_decode_logic},         {"applypriority", ct_ptx_decode_prefetch},
	{"atom", ct_ptx_decode_atom},         {"bar", ct_ptx_decode_bar},
	{"barrier", ct_ptx_decode_bar},       {"bfe", ct_ptx_decode_fields},
	{"bfi", ct_ptx_decode_fields},        {"bfind", ct_ptx_decode_bits},
	{"bmsk", ct_ptx_decode_fields},       {"bra", ct_ptx_decode_bra},
	{"brev", ct_ptx_decode_bits},         {"brkpt", ct_ptx_decode_trap},
	{"brx", ct_ptx_decode_brx},           {"call", ct_ptx_decode_call},
	{"clz", ct_ptx_decode_bits},          {"cnot", ct_ptx_decode_logic},
	{"copysign", ct_ptx_decode_copysign}, {"cos", ct_ptx_decode_function},
	{"cp", ct_ptx_decode_async},          {"cvt", ct_ptx_decode_cvt},
	{"cvta", ct_ptx_decode_cvta},         {"discard", ct_ptx_decode_prefetch},
	{"div", ct_ptx_decode_div},           {"dp2a", ct_ptx_decode_dot},
	{"dp4a", ct_ptx_decode_dot},          {"ex2", ct_ptx_decode_function},
	{"exit", ct_ptx_decode_exit},         {"fence", ct_ptx_decode_fence},
	{"fma", ct_ptx_decode_fma},           {"fns", ct_ptx_decode_fields},
	{"isspacep", ct_ptx_decode_isspacep}, {"ld", ct_ptx_decode_load},
	{"ldmatrix", ct_ptx_decode_ldmatrix}, {"ldu", ct_ptx_decode_load},
	{"lg2", ct_ptx_decode_function},      {"lop3", ct_ptx_decode_fields},
	{"mad", ct_ptx_decode_mad},           {"mad24", ct_ptx_decode_mul24},
	{"madc", ct_ptx_decode_carry},        {"match", ct_ptx_decode_match},
	{"max", ct_ptx_decode_minmax},        {"membar", ct_ptx_decode_fence},
	{"min", ct_ptx_decode_minmax},        {"mma", ct_ptx_decode_mma},
	{"mov", ct_ptx_decode_mov},           {"movmatrix", ct_ptx_decode_movm},
	{"mul", ct_ptx_decode_mul},           {"mul24", ct_ptx_decode_mul24},
	{"nanosleep", ct_ptx_decode_nothing}, {"neg", ct_ptx_decode_unary},
	{"not", ct_ptx_decode_logic},         {"or", ct_ptx_decode_logic},
	{"pmevent", ct_ptx_decode_nothing},   {"popc", ct_ptx_decode_bits},
	{"prefetch", ct_ptx_decode_prefetch}, {"prefetchu", ct_ptx_decode_prefetch},
	{"prmt", ct_ptx_decode_fields},       {"rcp", ct_ptx_decode_function},
	{"red", ct_ptx_decode_atom},          {"redux", ct_ptx_decode_redux},
	{"rem", ct_ptx_decode_rem},           {"ret", ct_ptx_decode_ret},
	{"rsqrt", ct_ptx_decode_function},    {"sad", ct_ptx_decode_sad},
	{"selp", ct_ptx_decode_selp},         {"set", ct_ptx_decode_set},
	{"setp", ct_ptx_decode_setp},         {"shf", ct_ptx_decode_fields},
	{"shfl", ct_ptx_decode_shfl},         {"shl", ct_ptx_decode_shift},
	{"shr", ct_ptx_decode_shift},         {"sin", ct_ptx_decode_function},
	{"slct", ct_ptx_decode_slct},         {"sqrt", ct_ptx_decode_function},
	{"st", ct_ptx_decode_store},          {"sub", ct_ptx_decode_sub},
	{"subc", ct_ptx_decode_carry},        {"suld", ct_ptx_decode_surface},
	{"sust", ct_ptx_decode_surface},      {"szext", ct_ptx_decode_fields},
	{"tanh", ct_ptx_decode_function},     {"testp", ct_ptx_decode_testp},
	{"tex", ct_ptx_decode_tex},           {"tld4", ct_ptx_decode_tld4},
	{"trap", ct_ptx_decode_trap},         {"vabsdiff", ct_ptx_decode_video},
	{"vabsdiff2", ct_ptx_decode_video},   {"vabsdiff4", ct_ptx_decode_video},
	{"vadd", ct_ptx_decode_video},        {"vadd2", ct_ptx_decode_video},
	{"vadd4", ct_ptx_decode_video},       {"vavrg2", ct_ptx_decode_video},
	{"vavrg4", ct_ptx_decode_video},      {"vmad", ct_ptx_decode_video},
	{"vmax", ct_ptx_decode_video},        {"vmax2", ct_ptx_decode_video},
	{"vmax4", ct_ptx_decode_video},       {"vmin", ct_ptx_decode_video},
	{"vmin2", ct_ptx_decode_video},       {"vmin4", ct_ptx_decode_video},
	{"vote", ct_ptx_decode_vote},         {"vset", ct_ptx_decode_video},
	{"vset2", ct_ptx_decode_video},       {"vset4", ct_ptx_decode_video},
	{"vshl", ct_ptx_decode_video},        {"vshr", ct_ptx_decode_video},
	{"vsub", ct_ptx_decode_video},        {"vsub2", ct_ptx_decode_video},
	{"vsub4", ct_ptx_decode_video},       {"xor", ct_ptx_decode_logic}};

static const struct {
	const char *name, *why;
} refused[] = {
	{"wgmma", "asynchronous matrix instructions of Hopper are not emulated"},
	{"tcgen05", "tensor memory of Blackwell is not emulated"},
	{"wmma", "matrix instructions whose fragments are not documented are not emulated: use mma"},
	{"stmatrix", "matrix stores of Hopper are not emulated"},
	{"mbarrier", "barriers in memory are not emulated"},
	{"barrier.cluster", "clusters are not emulated"},
	{"mapa", "clusters are not emulated"},
	{"getctarank", "clusters are not emulated"},
	{"griddepcontrol", "dependent launches are not emulated"},
	{"alloca", "stack allocation is not emulated"},
	{"sured", "reductions on surfaces are not emulated"}};

static int by_name(const void *key, const void *entry)
{
	return strcmp(key, *(const char *const *)entry);
}

int ct_ptx_decode(struct ct_ptx_reader *r)
{
	const char *name = r->s.atom[0];
	const void *found = bsearch(
		name, decoders, sizeof decoders / sizeof *decoders, sizeof *decoders, by_name);
	r->s.next_atom = 1;
	if (found)
		return decoders[((const char *)found - (const char *)decoders) /
		                (ptrdiff_t)sizeof *decoders]
		        .decode(r);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strcmp(refused[i].name, name) == 0)
			return ct_ptx_unknown(r, refused[i].why);
	return ct_ptx_unknown(r, "no instruction of that name is known");
}

int ct_ptx_decode_end(struct ct_ptx_reader *r)
{
	struct ct_ptx_module *m = r->m;
	r->s.guard = CT_PTX_TRUE;
	r->s.opcode = r->f->name;
	uint32_t end = (uint32_t)m->nops;
	struct ct_ptx_op *o = ct_ptx_emit(r, r->f->entry ? CT_PTX_exit : CT_PTX_ret);
	if (!o)
		return CT_ERR_NOMEM;
	if (m->nlines == r->f->first_line)
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s has no instruction", r->f->name);
	for (size_t i = r->f->first_op; i < end; i++)
		if (m->op[i].code == CT_PTX_bra && m->op[i].target == CT_PTX_TO_END)
			m->op[i].target = end;
	return CT_OK;
}
