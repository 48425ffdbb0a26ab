/* Bodies of functions: registers, labels, instructions and their operands. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/flow.h"
#include "ptx/reader.h"

enum { MAX_FRAME = 64 << 20 };

/* A label's or table's scope is in its key, so that blocks of inline assembly may repeat names. */
static int put_label(struct ct_ptx_reader *r, struct ct_ptx_names *names, const char *name, size_t value,
                     uint32_t line)
{
	if (ct_ptx_names_get(names, name, strlen(name), r->scope) >= 0) {
		r->x.line = line;
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "label %s stands twice", name);
	}
	return ct_ptx_names_put(names, name, r->scope, (uint32_t)value) < 0 ? ct_ptx_nomem(r) : CT_OK;
}

static int64_t find_label(const struct ct_ptx_reader *r, const struct ct_ptx_names *names,
                          const char *name, uint32_t scope)
{
	for (size_t n = strlen(name);; scope = r->outer[scope]) {
		int64_t value = ct_ptx_names_get(names, name, n, scope);
		if (value >= 0 || scope == 0)
			return value;
	}
}

int ct_ptx_await(struct ct_ptx_reader *r, const struct ct_ptx_pending *p)
{
	if (ct_grow((void **)&r->pending, &r->pending_cap, r->npending + 1, sizeof *r->pending) < 0)
		return ct_ptx_nomem(r);
	r->pending[r->npending++] = *p;
	return CT_OK;
}

int ct_ptx_declare(struct ct_ptx_reader *r, const struct ct_ptx_declaration *d)
{
	if (ct_grow((void **)&r->declared, &r->declared_cap, r->ndeclared + 1, sizeof *r->declared) < 0)
		return ct_ptx_nomem(r);
	r->declared[r->ndeclared++] = *d;
	return CT_OK;
}

/* Matches "%r17" with the range "%r" of at least 18 registers, or a name with itself. */
static int matches(const struct ct_ptx_declaration *d, const char *name, size_t n, uint32_t *number)
{
	uint64_t value = 0;
	*number = 0;
	if (n < d->length || memcmp(d->name, name, d->length))
		return 0;
	if (d->count < 0)
		return n == d->length;
	if (n == d->length || n - d->length > 9 || (name[d->length] == '0' && n - d->length > 1))
		return 0;
	for (size_t i = d->length; i < n; i++) {
		if (name[i] < '0' || name[i] > '9')
			return 0;
		value = value * 10 + (uint64_t)(name[i] - '0');
	}
	*number = (uint32_t)value;
	return (int64_t)value < d->count;
}

const struct ct_ptx_declaration *
ct_ptx_lookup(const struct ct_ptx_reader *r, const char *name, size_t n, uint32_t *number)
{
	for (size_t i = r->ndeclared; i-- > 0;)
		if (matches(&r->declared[i], name, n, number))
			return &r->declared[i];
	return NULL;
}

/* Predicates are counted apart while the body is read; rows begin behind them at its end. */
uint32_t ct_ptx_new_predicate(struct ct_ptx_reader *r, uint64_t count)
{
	uint32_t ref = r->f->predicate_bytes;
	r->f->predicate_bytes += (uint32_t)(4 * count);
	return ref;
}

static uint32_t row_bytes(enum ct_ptx_type type)
{
	unsigned bytes = ct_ptx_type_bytes(type);
	return CT_PTX_LANES * (bytes < 2 ? 2 : bytes);
}

uint32_t ct_ptx_new_row(struct ct_ptx_reader *r, enum ct_ptx_type type, uint64_t count)
{
	uint32_t ref = r->f->frame_bytes;
	r->f->frame_bytes += (uint32_t)(row_bytes(type) * count);
	r->f->registers += (uint32_t)count;
	return ref;
}

int ct_ptx_read_registers(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	enum ct_ptx_type type = CT_PTX_B8;
	int rc = ct_ptx_read_type(r, &type), more = 1;
	while (rc == CT_OK && more > 0) {
		struct ct_ptx_declaration d = {.count = -1, .type = type};
		uint64_t count = 1;
		if ((rc = ct_ptx_read_name(r, &d.name)) < 0)
			return rc;
		d.length = strlen(d.name);
		if ((rc = ct_ptx_skip_mark(x, '<')) > 0) {
			if (x->now.kind != CT_PTX_INTEGER || x->now.value > 1000000)
				return ct_ptx_lex_fail(x, CT_ERR_INPUT,
				                       "'%.*s' is no number of registers",
				                       ct_ptx_shown(x), x->now.text);
			count = x->now.value;
			d.count = (int64_t)count;
			if ((rc = ct_ptx_lex_next(x)) == CT_OK)
				rc = ct_ptx_want_mark(x, '>');
		}
		if (rc < 0)
			return rc;
		if (r->f->frame_bytes + count * row_bytes(type) > MAX_FRAME ||
		    r->f->predicate_bytes + 4 * count > MAX_FRAME)
			return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
			                       "more than %d MiB of registers in one function",
			                       MAX_FRAME >> 20);
		d.kind = type == CT_PTX_PRED ? CT_PTX_IS_PREDICATE : CT_PTX_IS_ROW;
		d.ref = type == CT_PTX_PRED ? ct_ptx_new_predicate(r, count)
		                            : ct_ptx_new_row(r, type, count);
		if ((rc = ct_ptx_declare(r, &d)) < 0)
			return rc;
		more = ct_ptx_skip_mark(x, ',');
	}
	if (rc < 0 || more < 0)
		return rc < 0 ? rc : more;
	return ct_ptx_want_mark(x, ';');
}

/* Cuts the opcode at its dots. */
static int cut_opcode(struct ct_ptx_reader *r)
{
	struct ct_ptx_statement *s = &r->s;
	char *copy = ct_ptx_keep(r->m, strlen(s->opcode) + 1);
	if (!copy)
		return ct_ptx_nomem(r);
	memcpy(copy, s->opcode, strlen(s->opcode));
	s->natoms = s->next_atom = 0;
	for (char *p = copy; p;) {
		char *dot = strchr(p, '.');
		if (s->natoms == CT_PTX_MAX_ATOMS)
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s has too many parts", s->opcode);
		if (dot)
			*dot = '\0';
		s->atom[s->natoms++] = p;
		p = dot ? dot + 1 : NULL;
	}
	return CT_OK;
}

/* "@%p1" or "@!%p1" */
static int read_guard(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	const struct ct_ptx_declaration *d;
	uint32_t number;
	int rc = ct_ptx_skip_mark(x, '@'), negated = 0;
	r->s.guard = CT_PTX_TRUE;
	if (rc <= 0 || (negated = ct_ptx_skip_mark(x, '!')) < 0)
		return rc < 0 ? rc : negated;
	d = x->now.kind == CT_PTX_WORD ? ct_ptx_lookup(r, x->now.text, x->now.length, &number) : NULL;
	if (!d || d->kind != CT_PTX_IS_PREDICATE)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no predicate", ct_ptx_shown(x),
		                       x->now.text);
	r->s.guard = d->ref + 4 * number + (uint32_t)negated;
	return ct_ptx_lex_next(x);
}

/* name: .branchtargets A, B; */
static int read_table(struct ct_ptx_reader *r, const char *name, uint32_t line)
{
	struct ct_ptx_module *m = r->m;
	size_t start = m->ntable;
	int rc = put_label(r, &r->tables, name, start, line), more = 1;
	if (rc < 0 || ct_grow((void **)&m->table, &m->table_cap, start + 1, sizeof *m->table) < 0)
		return rc < 0 ? rc : ct_ptx_nomem(r);
	m->ntable++;
	while (more > 0) {
		struct ct_ptx_pending p = {.scope = r->scope,
		                           .line = r->x.line,
		                           .at = (uint32_t)m->ntable,
		                           .kind = CT_PTX_IN_TABLE};
		if ((rc = ct_ptx_read_name(r, &p.name)) < 0)
			return rc;
		if (ct_grow((void **)&m->table, &m->table_cap, m->ntable + 1, sizeof *m->table) < 0)
			return ct_ptx_nomem(r);
		m->table[m->ntable++] = 0;
		if ((rc = ct_ptx_await(r, &p)) < 0)
			return rc;
		more = ct_ptx_skip_mark(&r->x, ',');
	}
	m->table[start] = (uint32_t)(m->ntable - start - 1);
	return more < 0 ? more : ct_ptx_want_mark(&r->x, ';');
}

/* What stands behind a label: a table, a prototype, or nothing that belongs to it. */
static int read_label(struct ct_ptx_reader *r, const char *name, uint32_t line)
{
	struct ct_ptx_lexer *x = &r->x;
	int got = ct_ptx_skip_word(x, ".branchtargets"), rc = CT_OK;
	if (got != 0)
		return got < 0 ? got : read_table(r, name, line);
	if (ct_ptx_is_word(x, ".callprototype") || ct_ptx_is_word(x, ".calltargets")) {
		/* The function that is called tells its parameters itself. */
		while (rc == CT_OK && x->now.kind != CT_PTX_END && !ct_ptx_is_mark(x, ';'))
			rc = ct_ptx_lex_next(x);
		return rc < 0 ? rc : ct_ptx_want_mark(x, ';');
	}
	return put_label(r, &r->labels, name, r->m->nops, line);
}

/* Reads a label, or an instruction with its guard and operands, and decodes it into operations. */
static int read_instruction(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	struct ct_ptx_module *m = r->m;
	size_t first = m->nops;
	int rc = read_guard(r);
	uint32_t line = x->line;
	if (rc < 0 || (rc = ct_ptx_read_name(r, &r->s.opcode)) < 0)
		return rc;
	if (r->s.guard == CT_PTX_TRUE && (rc = ct_ptx_skip_mark(x, ':')) != 0)
		return rc < 0 ? rc : read_label(r, r->s.opcode, line);
	if ((rc = cut_opcode(r)) < 0 || (rc = ct_ptx_read_args(r)) < 0)
		return rc;
	if (ct_grow((void **)&m->line, &m->lines_cap, m->nlines + 1, sizeof *m->line) < 0)
		return ct_ptx_nomem(r);
	m->line[m->nlines] = (struct ct_ptx_line){
		.opcode = r->s.opcode,
		.line = line,
		.function = r->f->index,
		.first_op = (uint32_t)first,
		.guard = r->s.guard,
		.source_line = r->source_line,
		.source_file = r->source_file};
	if ((rc = ct_ptx_keep_operands(r, &m->line[m->nlines++])) < 0)
		return rc;
	uint32_t end = x->line;
	x->line = line; /* where the instruction begins, for messages */
	rc = ct_ptx_decode(r);
	x->line = end;
	if (rc == CT_OK && m->nops > first)
		m->op[m->nops - 1].last = 1;
	return rc < 0 ? rc : ct_ptx_want_mark(x, ';');
}

/* Reads a directive inside a function. */
static int read_body_directive(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	int got, rc = CT_OK;
#define WHEN(word, then) \
	if ((got = ct_ptx_skip_word(x, word)) != 0) \
	return got < 0 ? got : (then)
	WHEN(".reg", ct_ptx_read_registers(r));
	WHEN(".local", ct_ptx_read_variable(r, CT_PTX_LOCAL, 0));
	WHEN(".shared", ct_ptx_read_variable(r, CT_PTX_SHARED, 0));
	WHEN(".param", ct_ptx_read_variable(r, CT_PTX_PARAM, 0));
	WHEN(".global", ct_ptx_read_variable(r, CT_PTX_GLOBAL, 0));
	WHEN(".const", ct_ptx_read_variable(r, CT_PTX_CONST, 0));
	WHEN(".pragma", (rc = ct_ptx_lex_next(x)) < 0 ? rc : ct_ptx_want_mark(x, ';'));
#undef WHEN
	if (ct_ptx_is_word(x, ".loc") || ct_ptx_is_word(x, ".file"))
		return ct_ptx_read_location(r);
	return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
	                       "'%.*s' is no directive that is known in a function", ct_ptx_shown(x),
	                       x->now.text);
}

/* Statements of a block, up to its closing brace. */
static int read_block(struct ct_ptx_reader *r, unsigned depth)
{
	struct ct_ptx_lexer *x = &r->x;
	size_t visible = r->ndeclared;
	uint32_t outer = r->scope;
	int rc = ct_ptx_want_mark(x, '{');
	if (rc < 0)
		return rc;
	if (depth > 64)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "blocks nested more than 64 deep");
	if (depth) {
		if (ct_grow((void **)&r->outer, &r->scopes_cap, r->nscopes + 1, sizeof *r->outer) < 0)
			return ct_ptx_nomem(r);
		r->outer[r->nscopes] = outer;
		r->scope = (uint32_t)r->nscopes++;
	}
	while (rc == CT_OK && !ct_ptx_is_mark(x, '}')) {
		int got;
		if (x->now.kind == CT_PTX_END)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "the text ends inside of %s: is it cut short?",
			                       r->f->name);
		if (ct_ptx_is_mark(x, '{'))
			rc = read_block(r, depth + 1);
		else if ((got = ct_ptx_skip_mark(x, ';')) != 0)
			rc = got < 0 ? got : CT_OK;
		else if (x->now.kind == CT_PTX_WORD && x->now.text[0] == '.')
			rc = read_body_directive(r);
		else
			rc = read_instruction(r);
	}
	r->scope = outer;
	r->ndeclared = depth ? visible : r->ndeclared;
	return rc < 0 ? rc : ct_ptx_want_mark(x, '}');
}

/* Puts the operations that labels stand for where they are used. */
static int resolve_labels(struct ct_ptx_reader *r)
{
	for (size_t i = 0; i < r->npending; i++) {
		const struct ct_ptx_pending *p = &r->pending[i];
		const struct ct_ptx_names *names = p->kind == CT_PTX_WANTS_TABLE ? &r->tables
		                                                                 : &r->labels;
		int64_t at = find_label(r, names, p->name, p->scope);
		if (at < 0) {
			r->x.line = p->line;
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s is no label of this function",
			                       p->name);
		}
		if (p->kind == CT_PTX_IN_TABLE)
			r->m->table[p->at] = (uint32_t)at;
		else
			r->m->op[p->at].target = (uint32_t)at;
	}
	return CT_OK;
}

/* Formal parameters of a .func lie at the start of its local memory, results behind them; those
 * of a kernel in its parameter buffer. */
static int declare_params(struct ct_ptx_reader *r)
{
	struct ct_ptx_function *f = r->f;
	for (uint32_t i = 0; i < f->nparams + f->nresults; i++) {
		struct ct_ptx_param *p = i < f->nparams ? &f->param[i] : &f->result[i - f->nparams];
		struct ct_ptx_declaration d = {
			.name = p->name,
			.length = strlen(p->name),
			.count = -1,
			.kind = CT_PTX_IS_MEMORY,
			.type = CT_PTX_B8,
			.space = f->entry ? CT_PTX_PARAM : CT_PTX_LOCAL,
			.ref = p->offset,
			.bytes = p->bytes};
		if (!f->entry) {
			f->local_bytes = (f->local_bytes + p->align - 1) / p->align * p->align;
			d.ref = p->offset = f->local_bytes;
			f->local_bytes += p->bytes;
		}
		int rc = ct_ptx_declare(r, &d);
		if (rc < 0)
			return rc;
	}
	return CT_OK;
}

/* Rows begin behind the predicates, whose number is known only now: moves all references. */
static void place_rows(struct ct_ptx_reader *r)
{
	struct ct_ptx_module *m = r->m;
	struct ct_ptx_function *f = r->f;
	uint32_t shift = (f->predicate_bytes + 63) / 64 * 64;
	for (size_t i = f->first_op; i < m->nops; i++) {
		struct ct_ptx_op *o = &m->op[i];
		uint32_t *ref[] = {&o->d, &o->a, &o->b, &o->c};
		for (unsigned k = 0; k < 4; k++)
			if (*ref[k] % 64 == CT_PTX_BASE_FRAME)
				*ref[k] += shift;
	}
	for (size_t i = r->first_extra; i < m->nextra; i++)
		if (m->extra[i] % 64 == CT_PTX_BASE_FRAME)
			m->extra[i] += shift;
	f->frame_bytes += shift;
}

int ct_ptx_read_body(struct ct_ptx_reader *r)
{
	struct ct_ptx_module *m = r->m;
	struct ct_ptx_function *f = r->f;
	ct_ptx_names_free(&r->labels);
	ct_ptx_names_free(&r->tables);
	r->ndeclared = r->npending = 0;
	r->source_line = r->source_file = 0;
	r->scope = 0;
	r->nscopes = 1;
	if (ct_grow((void **)&r->outer, &r->scopes_cap, 1, sizeof *r->outer) < 0)
		return ct_ptx_nomem(r);
	r->outer[0] = 0;
	memset(r->scratch, 0, sizeof r->scratch);
	r->first_extra = m->nextra;
	f->predicate_bytes = 4; /* the word that is always true */
	f->frame_bytes = f->registers = 0;
	f->first_op = (uint32_t)m->nops;
	f->first_line = (uint32_t)m->nlines;
	int rc = declare_params(r);
	if (rc < 0 || (rc = read_block(r, 0)) < 0 || (rc = ct_ptx_decode_end(r)) < 0 ||
	    (rc = resolve_labels(r)) < 0)
		return rc;
	f->ops = (uint32_t)m->nops - f->first_op;
	f->lines = (uint32_t)m->nlines - f->first_line;
	place_rows(r);
	return ct_ptx_find_joins(m, f, r->x.e);
}
