/* Operands of instructions. */
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

static const struct {
	const char *name;
	int special;
} special_rows[] = {
	{"%tid.x", CT_PTX_TID_X},
	{"%tid.y", CT_PTX_TID_Y},
	{"%tid.z", CT_PTX_TID_Z},
	{"%ntid.x", CT_PTX_NTID_X},
	{"%ntid.y", CT_PTX_NTID_Y},
	{"%ntid.z", CT_PTX_NTID_Z},
	{"%ctaid.x", CT_PTX_CTAID_X},
	{"%ctaid.y", CT_PTX_CTAID_Y},
	{"%ctaid.z", CT_PTX_CTAID_Z},
	{"%nctaid.x", CT_PTX_NCTAID_X},
	{"%nctaid.y", CT_PTX_NCTAID_Y},
	{"%nctaid.z", CT_PTX_NCTAID_Z},
	{"%laneid", CT_PTX_LANEID},
	{"%warpid", CT_PTX_WARPID},
	{"%nwarpid", CT_PTX_NWARPID},
	{"%smid", CT_PTX_SMID},
	{"%nsmid", CT_PTX_NSMID},
	{"%gridid", CT_PTX_GRIDID},
	{"%lanemask_eq", CT_PTX_MASK_EQ},
	{"%lanemask_le", CT_PTX_MASK_LE},
	{"%lanemask_lt", CT_PTX_MASK_LT},
	{"%lanemask_ge", CT_PTX_MASK_GE},
	{"%lanemask_gt", CT_PTX_MASK_GT},
	{"%envreg1", CT_PTX_COOPERATIVE},
	{"%total_smem_size", CT_PTX_TOTAL_SHARED},
	{"%dynamic_smem_size", CT_PTX_DYNAMIC_SHARED}};

/* Of a video instruction's operand, "%r1.b0" or "%r1.h32": cuts the parts off behind a register's name. */
static size_t cut_parts(struct ct_ptx_reader *r, const char *text, size_t n, struct ct_ptx_arg *a)
{
	const char *dot = memchr(text, '.', n);
	uint32_t number;
	if (!dot || *r->s.opcode != 'v' || strncmp(r->s.opcode, "vote", 4) == 0 ||
	    !ct_ptx_lookup(r, text, (size_t)(dot - text), &number))
		return n;
	a->parts = dot + 1;
	a->parts_length = (uint32_t)(text + n - a->parts);
	return (size_t)(dot - text);
}

/* A register, variable or special register of that name; else the name itself. */
static int resolve_name(struct ct_ptx_reader *r, const char *text, size_t n, struct ct_ptx_arg *a)
{
	uint32_t number;
	n = cut_parts(r, text, n, a);
	const struct ct_ptx_declaration *d = ct_ptx_lookup(r, text, n, &number);
	a->symbol = -1;
	if (d) {
		a->type = d->type;
		a->space = d->space;
		a->kind = d->kind == CT_PTX_IS_ROW         ? CT_PTX_ARG_ROW
		          : d->kind == CT_PTX_IS_PREDICATE ? CT_PTX_ARG_PREDICATE
		                                           : CT_PTX_ARG_VARIABLE;
		a->ref = d->ref;
		a->symbol = (int64_t)d->symbol - 1;
		if (d->kind != CT_PTX_IS_MEMORY)
			a->ref += number *
			          (d->type == CT_PTX_PRED
			                   ? 4
			                   : CT_PTX_LANES * (ct_ptx_type_bytes(d->type) < 2
			                                             ? 2
			                                             : ct_ptx_type_bytes(d->type)));
		a->value = d->bytes;
		return CT_OK;
	}
	if (*text == '%')
		for (size_t i = 0; i < sizeof special_rows / sizeof *special_rows; i++)
			if (strlen(special_rows[i].name) == n &&
			    memcmp(special_rows[i].name, text, n) == 0) {
				a->kind = CT_PTX_ARG_ROW;
				a->type = CT_PTX_U32;
				a->name = special_rows[i].name;
				a->ref = (uint32_t)special_rows[i].special * 4 * CT_PTX_LANES +
				         CT_PTX_BASE_SPECIAL;
				return CT_OK;
			}
	if (n == 7 && memcmp(text, "WARP_SZ", n) == 0) {
		a->kind = CT_PTX_ARG_INTEGER;
		a->value = CT_PTX_LANES;
		return CT_OK;
	}
	a->name = ct_ptx_keep_text(r->m, text, n);
	if (!a->name)
		return ct_ptx_nomem(r);
	a->kind = CT_PTX_ARG_NAME;
	a->symbol = ct_ptx_names_get(&r->m->symbols, text, n, 0);
	if (a->symbol >= 0) {
		a->kind = CT_PTX_ARG_VARIABLE;
		a->space = r->m->symbol[a->symbol].space;
	}
	return CT_OK;
}

/* A number, with its sign before it. */
static int read_constant(struct ct_ptx_reader *r, struct ct_ptx_arg *a)
{
	struct ct_ptx_lexer *x = &r->x;
	int minus = 0, flip = 0, rc;
	while (ct_ptx_is_mark(x, '-') || ct_ptx_is_mark(x, '+') || ct_ptx_is_mark(x, '~')) {
		if (flip || minus)
			return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
			                       "constant expressions of several signs are not known");
		minus = ct_ptx_is_mark(x, '-');
		flip = ct_ptx_is_mark(x, '~');
		if ((rc = ct_ptx_lex_next(x)) < 0)
			return rc;
	}
	if (x->now.kind != CT_PTX_INTEGER && x->now.kind != CT_PTX_FLOAT)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' where an operand should be",
		                       ct_ptx_shown(x), x->now.text);
	a->kind = x->now.kind == CT_PTX_INTEGER ? CT_PTX_ARG_INTEGER : CT_PTX_ARG_FLOAT;
	a->value = x->now.value;
	a->single = x->now.single;
	if (a->kind == CT_PTX_ARG_FLOAT && minus)
		a->value ^= a->single ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	else if (minus)
		a->value = 0 - a->value;
	if (flip)
		a->value = ~a->value;
	return ct_ptx_lex_next(x);
}

/* "+8" or "-8" or "+-8" behind a name. */
static int read_offset(struct ct_ptx_reader *r, int64_t *offset)
{
	struct ct_ptx_lexer *x = &r->x;
	struct ct_ptx_arg a = {0};
	*offset = 0;
	if (!ct_ptx_is_mark(x, '+') && !ct_ptx_is_mark(x, '-'))
		return CT_OK;
	int rc = ct_ptx_skip_mark(x, '+');
	if (rc < 0 || (rc = read_constant(r, &a)) < 0)
		return rc;
	if (a.kind != CT_PTX_ARG_INTEGER)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "an offset must be an integer");
	*offset = (int64_t)a.value;
	return CT_OK;
}

static int read_arg(struct ct_ptx_reader *r, struct ct_ptx_arg *a, unsigned depth);

/* Elements of a vector or of a call's list go to the statement's own list. */
static int read_elements(struct ct_ptx_reader *r, struct ct_ptx_arg *a, char close, unsigned depth)
{
	struct ct_ptx_statement *s = &r->s;
	struct ct_ptx_arg list[CT_PTX_MAX_ELEMENTS];
	int rc = ct_ptx_skip_mark(&r->x, close), more = 1;
	a->count = 0;
	a->first = s->nelements;
	if (rc != 0)
		return rc < 0 ? rc : CT_OK;
	while (more > 0) {
		if (a->count == CT_PTX_MAX_ELEMENTS)
			return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED,
			                       "more than %d operands in one list", CT_PTX_MAX_ELEMENTS);
		if ((rc = read_arg(r, &list[a->count], depth + 1)) < 0)
			return rc;
		a->count++;
		more = ct_ptx_skip_mark(&r->x, ',');
	}
	if (more < 0 || (rc = ct_ptx_want_mark(&r->x, close)) < 0)
		return more < 0 ? more : rc;
	if (s->nelements + a->count > CT_PTX_MAX_ELEMENTS)
		return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED, "more than %d operands in lists",
		                       CT_PTX_MAX_ELEMENTS);
	a->first = s->nelements;
	memcpy(&s->element[a->first], list, a->count * sizeof *list);
	s->nelements += a->count;
	return CT_OK;
}

/* [base + offset], or [texture, {coordinates}] with the coordinates as elements. */
static int read_memory(struct ct_ptx_reader *r, struct ct_ptx_arg *a, unsigned depth)
{
	struct ct_ptx_lexer *x = &r->x;
	int rc = read_arg(r, a, depth + 1);
	if (rc < 0)
		return rc;
	if (a->kind == CT_PTX_ARG_INTEGER) {
		a->offset = (int64_t)a->value;
	} else if (a->kind == CT_PTX_ARG_ROW) {
		if ((rc = read_offset(r, &a->offset)) < 0)
			return rc;
	} else if (a->kind != CT_PTX_ARG_VARIABLE) {
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "%s is no address: a register or a variable is",
		                       a->name ? a->name : "what stands in brackets");
	}
	a->inner = a->kind;
	a->kind = CT_PTX_ARG_MEMORY;
	if ((rc = ct_ptx_skip_mark(x, ',')) > 0) {
		if ((rc = ct_ptx_want_mark(x, '{')) < 0 || (rc = read_elements(r, a, '}', depth)) < 0)
			return rc;
	}
	return rc < 0 ? rc : ct_ptx_want_mark(x, ']');
}

/* "%p1|%p2" and "%r1|%p1": a second result. */
static int read_second(struct ct_ptx_reader *r, struct ct_ptx_arg *a)
{
	struct ct_ptx_lexer *x = &r->x;
	struct ct_ptx_arg b = {0};
	int rc = ct_ptx_skip_mark(x, '|');
	if (rc <= 0)
		return rc;
	if ((rc = read_arg(r, &b, 1)) < 0)
		return rc;
	if (b.kind != CT_PTX_ARG_PREDICATE)
		return b.kind == CT_PTX_ARG_SINK
		               ? CT_OK
		               : ct_ptx_lex_fail(x, CT_ERR_INPUT,
		                                 "what stands behind '|' is no predicate");
	a->has_other = 1;
	a->other = b.ref;
	return CT_OK;
}

/* Reads an operand that begins with a name: a register, a variable with an offset, or '_' for
 * nothing. */
static int read_named(struct ct_ptx_reader *r, struct ct_ptx_arg *a)
{
	struct ct_ptx_lexer *x = &r->x;
	int rc;
	if (ct_ptx_is_word(x, "_")) {
		a->kind = CT_PTX_ARG_SINK;
		if ((rc = ct_ptx_lex_next(x)) < 0)
			return rc;
		return read_second(r, a);
	}
	if ((rc = resolve_name(r, x->now.text, x->now.length, a)) < 0 || (rc = ct_ptx_lex_next(x)) < 0)
		return rc;
	if (a->kind == CT_PTX_ARG_VARIABLE)
		return read_offset(r, &a->offset);
	return read_second(r, a);
}

/* Reads one operand: memory in brackets, a vector, a group, a negated predicate, a name or a
 * constant. */
static int read_arg(struct ct_ptx_reader *r, struct ct_ptx_arg *a, unsigned depth)
{
	struct ct_ptx_lexer *x = &r->x;
	int rc;
	memset(a, 0, sizeof *a);
	a->symbol = -1;
	if (depth > 3)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "operands nested too deep");
	if ((rc = ct_ptx_skip_mark(x, '[')) != 0)
		return rc < 0 ? rc : read_memory(r, a, depth);
	if ((rc = ct_ptx_skip_mark(x, '{')) != 0) {
		a->kind = CT_PTX_ARG_VECTOR;
		return rc < 0 ? rc : read_elements(r, a, '}', depth);
	}
	if ((rc = ct_ptx_skip_mark(x, '(')) != 0) {
		a->kind = CT_PTX_ARG_GROUP;
		return rc < 0 ? rc : read_elements(r, a, ')', depth);
	}
	if ((rc = ct_ptx_skip_mark(x, '!')) != 0) {
		if (rc < 0 || (rc = read_arg(r, a, depth + 1)) < 0)
			return rc;
		if (a->kind != CT_PTX_ARG_PREDICATE)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT, "only predicates are negated with '!'");
		a->ref ^= 1;
		return CT_OK;
	}
	return x->now.kind == CT_PTX_WORD ? read_named(r, a) : read_constant(r, a);
}

int ct_ptx_read_args(struct ct_ptx_reader *r)
{
	struct ct_ptx_statement *s = &r->s;
	int rc, more = 1;
	s->nargs = s->nelements = 0;
	if (ct_ptx_is_mark(&r->x, ';'))
		return CT_OK;
	while (more > 0) {
		if (s->nargs == CT_PTX_MAX_ARGS)
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s has more than %d operands",
			                       s->opcode, CT_PTX_MAX_ARGS);
		if ((rc = read_arg(r, &s->arg[s->nargs++], 0)) < 0)
			return rc;
		/* The groups of a call stand beside their neighbours with commas in between, as all do. */
		more = ct_ptx_skip_mark(&r->x, ',');
	}
	return more < 0 ? more : CT_OK;
}
