/* Variables: their types, sizes and initial values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/reader.h"

enum { MAX_DEPTH = 16 };
#define MAX_BYTES (UINT64_C(1) << 30)

int ct_ptx_read_align(struct ct_ptx_reader *r, uint32_t *align)
{
	struct ct_ptx_lexer *x = &r->x;
	int rc = ct_ptx_skip_word(x, ".align");
	if (rc <= 0)
		return rc;
	if (x->now.kind != CT_PTX_INTEGER || x->now.value == 0 || x->now.value > 4096 ||
	    (x->now.value & (x->now.value - 1)))
		return ct_ptx_lex_fail(x, CT_ERR_INPUT,
		                       "'%.*s' is no alignment: a power of two up to 4096",
		                       ct_ptx_shown(x), x->now.text);
	*align = (uint32_t)x->now.value;
	return ct_ptx_lex_next(x);
}

int ct_ptx_read_type(struct ct_ptx_reader *r, enum ct_ptx_type *type)
{
	struct ct_ptx_lexer *x = &r->x;
	int t = x->now.kind == CT_PTX_WORD && x->now.text[0] == '.'
	                ? ct_ptx_type_named(x->now.text + 1, x->now.length - 1)
	                : -1;
	if (t < 0)
		return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
		                       "'%.*s' where a type should be: such as .b32 or .f64",
		                       ct_ptx_shown(x), x->now.text);
	*type = (enum ct_ptx_type)t;
	return ct_ptx_lex_next(x);
}

int ct_ptx_read_extent(struct ct_ptx_reader *r, uint64_t *n, int *open)
{
	struct ct_ptx_lexer *x = &r->x;
	int rc;
	*n = 1;
	*open = 0;
	while ((rc = ct_ptx_skip_mark(x, '[')) > 0) {
		if (ct_ptx_is_mark(x, ']')) {
			*open = 1;
		} else if (x->now.kind != CT_PTX_INTEGER ||
		           (x->now.value && *n > MAX_BYTES / x->now.value)) {
			return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no number of elements",
			                       ct_ptx_shown(x), x->now.text);
		} else {
			*n *= x->now.value;
			if ((rc = ct_ptx_lex_next(x)) < 0)
				return rc;
		}
		if ((rc = ct_ptx_want_mark(x, ']')) < 0)
			return rc;
	}
	return rc;
}

/* An address in an initial value: "name", "name+8", "generic(name)+8". */
static int read_address(struct ct_ptx_reader *r, uint32_t symbol, uint64_t at, unsigned width)
{
	struct ct_ptx_lexer *x = &r->x;
	struct ct_ptx_module *m = r->m;
	struct ct_ptx_fixup f = {.symbol = symbol, .at = at, .width = width, .line = x->line};
	int rc, generic = ct_ptx_skip_word(x, "generic");
	if (width != 8)
		return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
		                       "an address in a value of %u bits: 64 are needed", 8 * width);
	if (generic < 0 || (generic && (rc = ct_ptx_want_mark(x, '(')) < 0) ||
	    (rc = ct_ptx_read_name(r, &f.name)) < 0 || (generic && (rc = ct_ptx_want_mark(x, ')')) < 0))
		return generic < 0 ? generic : rc;
	int minus = ct_ptx_is_mark(x, '-');
	if (minus || ct_ptx_is_mark(x, '+')) {
		if ((rc = ct_ptx_lex_next(x)) < 0)
			return rc;
		minus ^= (rc = ct_ptx_skip_mark(x, '-')) > 0;
		if (rc < 0 || x->now.kind != CT_PTX_INTEGER)
			return rc < 0 ? rc : ct_ptx_lex_fail(x, CT_ERR_INPUT, "an offset should follow");
		f.add = (int64_t)(minus ? 0 - x->now.value : x->now.value);
		if ((rc = ct_ptx_lex_next(x)) < 0)
			return rc;
	}
	if (ct_grow((void **)&m->fixup, &m->fixups_cap, m->nfixups + 1, sizeof *m->fixup) < 0)
		return ct_ptx_nomem(r);
	m->fixup[m->nfixups++] = f;
	return CT_OK;
}

/* One number of an initial value, as bits of its type. */
static int read_scalar(struct ct_ptx_reader *r, enum ct_ptx_type type, unsigned char *to)
{
	struct ct_ptx_lexer *x = &r->x;
	unsigned bytes = ct_ptx_type_bytes(type);
	int minus = ct_ptx_skip_mark(x, '-');
	uint64_t bits = x->now.value;
	if (minus < 0)
		return minus;
	if (x->now.kind == CT_PTX_FLOAT) {
		double d;
		float f;
		memcpy(&d, &x->now.value, sizeof d);
		if (x->now.single) {
			uint32_t word = (uint32_t)x->now.value;
			memcpy(&f, &word, sizeof f);
			d = (double)f;
		}
		if (type == CT_PTX_F64 || type == CT_PTX_B64) {
			d = minus ? -d : d;
			memcpy(&bits, &d, sizeof d);
		} else if (bytes == 4) {
			uint32_t word;
			f = (float)(minus ? -d : d);
			memcpy(&word, &f, sizeof f);
			bits = x->now.single && !minus ? x->now.value : word;
		} else {
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "a floating-point value for a type of %u bits",
			                       8 * bytes);
		}
	} else if (x->now.kind == CT_PTX_INTEGER) {
		bits = minus ? 0 - bits : bits;
	} else {
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no initial value", ct_ptx_shown(x),
		                       x->now.text);
	}
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (unsigned char)(bits >> 8 * i);
	return ct_ptx_lex_next(x);
}

/* An initial value in nested braces fills its elements in order. */
static int read_value(struct ct_ptx_reader *r, uint32_t symbol, enum ct_ptx_type type, uint64_t *at,
                      unsigned depth)
{
	struct ct_ptx_lexer *x = &r->x;
	const struct ct_ptx_variable *v = &r->m->symbol[symbol].v;
	unsigned bytes = ct_ptx_type_bytes(type);
	int rc = ct_ptx_skip_mark(x, '{');
	if (rc > 0) {
		int more = 1;
		if (depth == MAX_DEPTH)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "initial values nested more than %d deep", MAX_DEPTH);
		if ((rc = ct_ptx_skip_mark(x, '}')) != 0)
			return rc < 0 ? rc : CT_OK;
		while (more > 0) {
			if ((rc = read_value(r, symbol, type, at, depth + 1)) < 0)
				return rc;
			more = ct_ptx_skip_mark(x, ',');
		}
		return more < 0 ? more : ct_ptx_want_mark(x, '}');
	}
	if (rc < 0)
		return rc;
	if (*at + bytes > v->bytes)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "more initial values than %s has elements",
		                       v->name);
	*at += bytes;
	if (x->now.kind == CT_PTX_WORD)
		return read_address(r, symbol, *at - bytes, bytes);
	return read_scalar(r, type, (unsigned char *)v->storage + *at - bytes);
}

/* An open size is that of the initial value: as many scalars as stand in its braces. */
static uint64_t count_values(const struct ct_ptx_lexer *x)
{
	uint64_t n = 1;
	for (const char *p = x->at; p < x->end && *p != ';'; p++)
		n += *p == ',';
	return n;
}

/* The symbol of that name, declared before or new. */
static int find_symbol(struct ct_ptx_reader *r, const char *name, int space, struct ct_ptx_symbol **out)
{
	struct ct_ptx_module *m = r->m;
	int64_t known = ct_ptx_names_get(&m->symbols, name, strlen(name), 0);
	if (known >= 0) {
		*out = &m->symbol[known];
		if ((*out)->v.storage || (*out)->space != space)
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s is declared twice", name);
		return CT_OK;
	}
	if (ct_grow((void **)&m->symbol, &m->symbols_cap, m->nsymbols + 1, sizeof *m->symbol) < 0 ||
	    ct_ptx_names_put(&m->symbols, name, 0, (uint32_t)m->nsymbols) < 0)
		return ct_ptx_nomem(r);
	*out = &m->symbol[m->nsymbols++];
	memset(*out, 0, sizeof **out);
	(*out)->v.name = name;
	(*out)->v.space = (enum ct_ptx_space)space;
	(*out)->space = space;
	(*out)->line = r->x.line;
	return CT_OK;
}

/* Gives a variable of the module its storage and initial value. */
static int define_symbol(struct ct_ptx_reader *r, const char *name, int space, int external,
                         enum ct_ptx_type type, uint32_t align, uint64_t n, int open)
{
	struct ct_ptx_lexer *x = &r->x;
	struct ct_ptx_symbol *s = NULL;
	int rc = find_symbol(r, name, space, &s), value = rc < 0 ? rc : ct_ptx_skip_mark(x, '=');
	if (value < 0)
		return value;
	if (value && open)
		n *= count_values(x);
	s->v.align = align;
	s->dynamic = space == CT_PTX_SHARED && open;
	if (!external || value)
		s->v.bytes = open && !value ? 0 : n * ct_ptx_type_bytes(type);
	if (s->v.bytes > MAX_BYTES || (space == CT_PTX_SHARED && s->v.bytes > 1 << 20))
		return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
		                       "%s is too large: more than 1 GiB, or 1 MiB of shared memory",
		                       name);
	if (space == CT_PTX_SHARED)
		return value ? ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
		                               "shared memory has no initial value")
		             : CT_OK;
	if (s->v.bytes) {
		/* Alignment as the text asks, or 256 as allocations of the run-time have; pages of large
		 * arrays are not touched before a kernel does. */
		size_t at = align > 256 ? align : 256;
		if (r->placing)
			s->v.storage = r->placing->place(
				r->placing->ctx, s->v.name, s->v.bytes, (uint32_t)at);
		else if ((s->block = ct_calloc((size_t)s->v.bytes + at, 1)))
			s->v.storage = (unsigned char *)s->block + (at - (uintptr_t)s->block % at) % at;
		if (!s->v.storage)
			return ct_ptx_nomem(r);
	}
	uint64_t at = 0;
	return value ? read_value(r, (uint32_t)(s - r->m->symbol), type, &at, 0) : CT_OK;
}

/* Gives a variable of a function its offset in local or shared memory. */
static int define_local(struct ct_ptx_reader *r, const char *name, int space, enum ct_ptx_type type,
                        uint32_t align, uint64_t n)
{
	struct ct_ptx_function *f = r->f;
	if (space == CT_PTX_SHARED && !f->entry) {
		/* Every kernel that calls the function must find it at the same place. */
		struct ct_ptx_declaration here = {
			.name = name,
			.length = strlen(name),
			.count = -1,
			.kind = CT_PTX_IS_MEMORY,
			.type = type,
			.space = space,
			.symbol = (uint32_t)r->m->nsymbols + 1};
		size_t length = strlen(f->name) + strlen(name) + 2;
		char *own = ct_ptx_keep(r->m, length);
		if (!own)
			return ct_ptx_nomem(r);
		snprintf(own, length, "%s:%s", f->name, name);
		int rc = define_symbol(r, own, space, 0, type, align, n, 0);
		return rc < 0 ? rc : ct_ptx_declare(r, &here);
	}
	uint32_t *end = space == CT_PTX_SHARED ? &f->shared_own : &f->local_bytes;
	uint64_t offset = ((uint64_t)*end + align - 1) / align * align,
		 bytes = n * ct_ptx_type_bytes(type);
	if (offset + bytes > 1 << 20)
		return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED,
		                       "%s is too large: more than 1 MiB of %s memory", name,
		                       space == CT_PTX_SHARED ? "shared" : "local");
	*end = (uint32_t)(offset + bytes);
	struct ct_ptx_declaration d = {
		.name = name,
		.length = strlen(name),
		.count = -1,
		.kind = CT_PTX_IS_MEMORY,
		.type = type,
		.space = space == CT_PTX_SHARED ? space : CT_PTX_LOCAL,
		.ref = (uint32_t)offset,
		.bytes = (uint32_t)bytes};
	return ct_ptx_declare(r, &d);
}

/* .global .texref name, or .surfref; its eight bytes are never read: their address is the handle. */
static int read_reference(struct ct_ptx_reader *r, int external)
{
	const char *name;
	int rc = ct_ptx_read_name(r, &name);
	if (rc < 0 || (rc = define_symbol(r, name, CT_PTX_GLOBAL, external, CT_PTX_B64, 8, 1, 0)) < 0)
		return rc;
	r->m->symbol[ct_ptx_names_get(&r->m->symbols, name, strlen(name), 0)].v.texture = 1;
	return ct_ptx_want_mark(&r->x, ';');
}

int ct_ptx_read_variable(struct ct_ptx_reader *r, int space, int external)
{
	struct ct_ptx_lexer *x = &r->x;
	enum ct_ptx_type type = CT_PTX_B8;
	uint32_t align = 0, wide = 1;
	int rc = CT_OK, more = 1, got;
	if ((got = ct_ptx_skip_word(x, ".attribute")) != 0) /* (.managed): all memory is */
		while (got > 0 && (got = ct_ptx_skip_mark(x, ')')) == 0 && x->now.kind != CT_PTX_END)
			got = (rc = ct_ptx_lex_next(x)) < 0 ? rc : 1;
	for (int i = 0; i < 2 && got == 0 && space == CT_PTX_GLOBAL; i++)
		if ((got = ct_ptx_skip_word(x, i ? ".surfref" : ".texref")) != 0)
			return got < 0 ? got : read_reference(r, external);
	if (got < 0 || (rc = ct_ptx_read_align(r, &align)) < 0)
		return got < 0 ? got : rc;
	for (uint32_t v = 2; v <= 4; v += 2)
		if ((got = ct_ptx_skip_word(x, v == 2 ? ".v2" : ".v4")) != 0) {
			wide = v;
			if (got < 0)
				return got;
		}
	if ((rc = ct_ptx_read_type(r, &type)) < 0)
		return rc;
	if (type == CT_PTX_PRED)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "predicates live in registers only");
	if (align < wide * ct_ptx_type_bytes(type))
		align = align ? align : wide * ct_ptx_type_bytes(type);
	while (more > 0) {
		const char *name;
		uint64_t n;
		int open;
		if ((rc = ct_ptx_read_name(r, &name)) < 0 || (rc = ct_ptx_read_extent(r, &n, &open)) < 0)
			return rc;
		n *= wide;
		if (r->f && space != CT_PTX_GLOBAL && space != CT_PTX_CONST && !external)
			rc = define_local(r, name, space, type, align, open ? 0 : n);
		else
			rc = define_symbol(r, name, space, external, type, align, n, open);
		if (rc < 0)
			return rc;
		more = ct_ptx_skip_mark(x, ',');
	}
	return more < 0 ? more : ct_ptx_want_mark(x, ';');
}

int ct_ptx_fix_addresses(struct ct_ptx_reader *r)
{
	struct ct_ptx_module *m = r->m;
	for (size_t i = 0; i < m->nfixups; i++) {
		const struct ct_ptx_fixup *f = &m->fixup[i];
		int64_t symbol = ct_ptx_names_get(&m->symbols, f->name, strlen(f->name), 0);
		int64_t function = ct_ptx_names_get(&m->functions, f->name, strlen(f->name), 0);
		uint64_t value;
		r->x.line = f->line;
		if (symbol >= 0 && m->symbol[symbol].v.storage)
			value = (uint64_t)(uintptr_t)m->symbol[symbol].v.storage + (uint64_t)f->add;
		else if (function >= 0)
			value = CT_PTX_FUNCTION_WINDOW + (uint64_t)function + (uint64_t)f->add;
		else
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT,
			                       "%s has no address: it is not defined in this module",
			                       f->name);
		memcpy((char *)m->symbol[f->symbol].v.storage + f->at, &value, sizeof value);
	}
	return CT_OK;
}
