/* The top level of a module: what stands outside of functions, and their heads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/flow.h"
#include "ptx/reader.h"

int ct_ptx_nomem(struct ct_ptx_reader *r)
{
	return ct_fail_nomem(r->x.e);
}

int ct_ptx_read_name(struct ct_ptx_reader *r, const char **name)
{
	struct ct_ptx_lexer *x = &r->x;
	if (x->now.kind != CT_PTX_WORD || x->now.text[0] == '.')
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' where a name should be", ct_ptx_shown(x),
		                       x->now.text);
	*name = ct_ptx_keep_text(r->m, x->now.text, x->now.length);
	return *name ? ct_ptx_lex_next(x) : ct_ptx_nomem(r);
}

/* A number of the directive at hand, below 2^32. */
static int read_number(struct ct_ptx_reader *r, uint32_t *value)
{
	struct ct_ptx_lexer *x = &r->x;
	if (x->now.kind != CT_PTX_INTEGER || x->now.value > UINT32_MAX)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' where a number should be",
		                       ct_ptx_shown(x), x->now.text);
	*value = (uint32_t)x->now.value;
	return ct_ptx_lex_next(x);
}

/* .section NAME { ... }: debugging information too. */
static int skip_section(struct ct_ptx_lexer *x)
{
	int rc = CT_OK;
	while (rc == CT_OK && x->now.kind != CT_PTX_END && !ct_ptx_is_mark(x, '{'))
		rc = ct_ptx_lex_next(x);
	while (rc == CT_OK && x->now.kind != CT_PTX_END && !ct_ptx_is_mark(x, '}'))
		rc = ct_ptx_lex_next(x);
	return rc < 0 ? rc : ct_ptx_want_mark(x, '}');
}

static int read_version(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	const char *dot = x->now.length ? memchr(x->now.text, '.', x->now.length) : NULL;
	if (x->now.kind != CT_PTX_FLOAT || !dot || dot != x->now.text + 1 || x->now.length != 3)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no version of PTX such as 6.3",
		                       ct_ptx_shown(x), x->now.text);
	r->m->version = (unsigned)(x->now.text[0] - '0') * 10 + (unsigned)(x->now.text[2] - '0');
	if (r->m->version < 60 || r->m->version > 89)
		return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED, "PTX %.3s: versions 6.0 to 8.9 are read",
		                       x->now.text);
	return ct_ptx_lex_next(x);
}

/* .target sm_70, debug */
static int read_target(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	int rc, more;
	do {
		if (x->now.kind == CT_PTX_WORD && x->now.length > 3 &&
		    memcmp(x->now.text, "sm_", 3) == 0) {
			unsigned n = 0;
			for (size_t i = 3; i < x->now.length && x->now.text[i] >= '0' &&
			                   x->now.text[i] <= '9' && n < 1000;
			     i++)
				n = n * 10 + (unsigned)(x->now.text[i] - '0');
			r->m->target = n;
		}
		const char *ignored;
		rc = ct_ptx_read_name(r, &ignored);
		more = rc < 0 ? rc : ct_ptx_skip_mark(x, ',');
	} while (more > 0);
	return more;
}

static int read_address_size(struct ct_ptx_reader *r)
{
	uint32_t bits = 64;
	if (r->x.now.kind == CT_PTX_INTEGER && r->x.now.value != 64)
		return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED,
		                       "addresses of %" PRIu64 " bits: only 64 are known",
		                       r->x.now.value);
	return read_number(r, &bits);
}

/* Offset of the next parameter, which moves behind it. */
static int place_param(struct ct_ptx_reader *r, struct ct_ptx_param *p, uint32_t *total)
{
	uint64_t offset = ((uint64_t)*total + p->align - 1) / p->align * p->align;
	if (offset + p->bytes > 65536)
		return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED, "more than 64 KiB of parameters");
	p->offset = (uint32_t)offset;
	*total = (uint32_t)(offset + p->bytes);
	return CT_OK;
}

/* .param [.align N] .type [.ptr ...] name[N] */
static int read_param(struct ct_ptx_reader *r, struct ct_ptx_param *p)
{
	struct ct_ptx_lexer *x = &r->x;
	enum ct_ptx_type type = CT_PTX_B8;
	uint64_t n = 1;
	uint32_t align = 0, pointed = 1;
	int open = 0, rc = ct_ptx_skip_word(x, ".param");
	if (rc == 0)
		return ct_ptx_lex_fail(
			x, CT_ERR_UNSUPPORTED,
			"'%.*s' where .param should be: parameters in registers are not known",
			ct_ptx_shown(x), x->now.text);
	if (rc < 0 || (rc = ct_ptx_read_align(r, &align)) < 0 || (rc = ct_ptx_read_type(r, &type)) < 0)
		return rc;
	if ((rc = ct_ptx_skip_word(x, ".ptr")) < 0)
		return rc;
	while (rc > 0 && x->now.kind == CT_PTX_WORD && x->now.text[0] == '.') {
		if (ct_ptx_is_word(x, ".align"))
			rc = ct_ptx_read_align(r, &pointed);
		else
			rc = ct_ptx_lex_next(x);
		if (rc < 0)
			return rc;
		rc = 1;
	}
	if ((rc = ct_ptx_read_name(r, &p->name)) < 0 || (rc = ct_ptx_read_extent(r, &n, &open)) < 0)
		return rc;
	if (type == CT_PTX_PRED || n > 65536)
		return ct_ptx_lex_fail(
			x, CT_ERR_UNSUPPORTED, "parameter %s: %s", p->name,
			type == CT_PTX_PRED ? "predicates cannot be passed" : "more than 64 KiB");
	p->bytes = open ? 0 : (uint32_t)(n * ct_ptx_type_bytes(type));
	p->align = align > ct_ptx_type_bytes(type) ? align : ct_ptx_type_bytes(type);
	return CT_OK;
}

/* "( param, param )" into one of the function's lists. */
static int read_params(struct ct_ptx_reader *r, struct ct_ptx_param **list, uint32_t *n, uint32_t *cap,
                       uint32_t *total)
{
	int rc = ct_ptx_want_mark(&r->x, '('), more = 1;
	size_t room = *cap;
	*n = *total = 0;
	if (rc < 0)
		return rc;
	if ((rc = ct_ptx_skip_mark(&r->x, ')')) != 0)
		return rc < 0 ? rc : CT_OK;
	while (more > 0) {
		struct ct_ptx_param p = {0};
		if ((rc = read_param(r, &p)) < 0 || (rc = place_param(r, &p, total)) < 0)
			return rc;
		if (ct_grow((void **)list, &room, *n + 1u, sizeof **list) < 0)
			return ct_ptx_nomem(r);
		*cap = (uint32_t)room;
		(*list)[(*n)++] = p;
		more = ct_ptx_skip_mark(&r->x, ',');
	}
	return more < 0 ? more : ct_ptx_want_mark(&r->x, ')');
}

/* .maxntid 16, 16, 1 and its kind, up to the body or the semicolon. */
static int read_performance(struct ct_ptx_reader *r, struct ct_ptx_function *f)
{
	struct ct_ptx_lexer *x = &r->x;
	while (x->now.kind == CT_PTX_WORD) {
		uint32_t n[3] = {1, 1, 1}, used = 0;
		int max = ct_ptx_is_word(x, ".maxntid"), required = ct_ptx_is_word(x, ".reqntid");
		int ctas = ct_ptx_is_word(x, ".minnctapersm");
		if (ct_ptx_is_word(x, ".pragma") || ct_ptx_is_word(x, ".noreturn")) {
			int pragma = ct_ptx_is_word(x, ".pragma"), rc = ct_ptx_lex_next(x);
			if (rc == CT_OK && pragma && x->now.kind == CT_PTX_STRING &&
			    (rc = ct_ptx_lex_next(x)) == CT_OK)
				rc = ct_ptx_want_mark(x, ';');
			if (rc < 0)
				return rc;
			continue;
		}
		if (!max && !required && !ctas && !ct_ptx_is_word(x, ".maxnreg") &&
		    !ct_ptx_is_word(x, ".maxnctapersm"))
			return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED, "'%.*s' of %s is not known",
			                       ct_ptx_shown(x), x->now.text, f->name);
		int rc = ct_ptx_lex_next(x), more = 1;
		while (rc == CT_OK && more > 0) {
			if (used == 3)
				return ct_ptx_lex_fail(x, CT_ERR_INPUT, "more than three numbers");
			if ((rc = read_number(r, &n[used++])) == CT_OK)
				more = ct_ptx_skip_mark(x, ',');
		}
		if (rc < 0 || more < 0)
			return rc < 0 ? rc : more;
		if (max)
			memcpy(f->max_threads, n, sizeof n);
		if (required)
			memcpy(f->required_threads, n, sizeof n);
		if (ctas)
			f->min_ctas = n[0];
	}
	return CT_OK;
}

/* The function of that name, declared before or new. */
static int find_function(struct ct_ptx_reader *r, const char *name, int entry,
                         struct ct_ptx_function **out)
{
	struct ct_ptx_module *m = r->m;
	int64_t known = ct_ptx_names_get(&m->functions, name, strlen(name), 0);
	if (known >= 0) {
		*out = &m->function[known];
		if ((*out)->entry != entry)
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT,
			                       "%s is declared as .entry and as .func", name);
		return CT_OK;
	}
	if (m->nfunctions > 65535)
		return ct_ptx_lex_fail(&r->x, CT_ERR_UNSUPPORTED, "more than 65536 functions");
	if (ct_grow((void **)&m->function, &m->functions_cap, m->nfunctions + 1, sizeof *m->function) <
	            0 ||
	    ct_ptx_names_put(&m->functions, name, 0, (uint32_t)m->nfunctions) < 0)
		return ct_ptx_nomem(r);
	*out = &m->function[m->nfunctions];
	memset(*out, 0, sizeof **out);
	(*out)->name = name;
	(*out)->entry = entry;
	(*out)->index = (uint32_t)m->nfunctions++;
	(*out)->line = r->x.line;
	return CT_OK;
}

/* Results of a .func come before its name: they are read into a place of their own first. */
static int read_function(struct ct_ptx_reader *r, int entry, int external)
{
	struct ct_ptx_lexer *x = &r->x;
	struct ct_ptx_param *result = NULL;
	uint32_t nresults = 0, cap = 0, bytes = 0;
	struct ct_ptx_function *f = NULL;
	const char *name = NULL;
	int rc = CT_OK;
	while (rc == CT_OK && (ct_ptx_is_word(x, ".noreturn")))
		rc = ct_ptx_lex_next(x);
	if (rc == CT_OK && !entry && ct_ptx_is_mark(x, '('))
		rc = read_params(r, &result, &nresults, &cap, &bytes);
	if (rc == CT_OK && (rc = ct_ptx_read_name(r, &name)) == CT_OK &&
	    (rc = find_function(r, name, entry, &f)) == CT_OK) {
		free(f->result);
		f->result = result;
		f->nresults = nresults;
		f->results_cap = cap;
		f->result_bytes = bytes;
		result = NULL;
		f->nparams = f->param_bytes = 0;
		if (ct_ptx_is_mark(x, '('))
			rc = read_params(r, &f->param, &f->nparams, &f->params_cap, &f->param_bytes);
	}
	free(result);
	if (rc < 0 || (rc = read_performance(r, f)) < 0)
		return rc;
	if (external || ct_ptx_is_mark(x, ';'))
		return ct_ptx_want_mark(x, ';');
	if (f->defined)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "%s has a second body", f->name);
	f->defined = 1;
	f->line = x->line;
	r->f = f;
	rc = ct_ptx_read_body(r);
	r->f = NULL;
	return rc;
}

/* One directive of the top level. */
static int read_directive(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	int external = 0, rc = CT_OK, got;
	while (ct_ptx_is_word(x, ".visible") || ct_ptx_is_word(x, ".weak") ||
	       ct_ptx_is_word(x, ".extern") || ct_ptx_is_word(x, ".common")) {
		external |= ct_ptx_is_word(x, ".extern");
		if ((rc = ct_ptx_lex_next(x)) < 0)
			return rc;
	}
#define WHEN(word, then) \
	if ((got = ct_ptx_skip_word(x, word)) != 0) \
	return got < 0 ? got : (then)
	WHEN(".version", read_version(r));
	WHEN(".target", read_target(r));
	WHEN(".address_size", read_address_size(r));
	WHEN(".global", ct_ptx_read_variable(r, CT_PTX_GLOBAL, external));
	WHEN(".const", ct_ptx_read_variable(r, CT_PTX_CONST, external));
	WHEN(".shared", ct_ptx_read_variable(r, CT_PTX_SHARED, external));
	WHEN(".entry", read_function(r, 1, external));
	WHEN(".func", read_function(r, 0, external));
	WHEN(".section", skip_section(x));
	WHEN(".pragma", (rc = ct_ptx_lex_next(x)) < 0 ? rc : ct_ptx_want_mark(x, ';'));
#undef WHEN
	if (ct_ptx_is_word(x, ".file") || ct_ptx_is_word(x, ".loc"))
		return ct_ptx_read_location(r);
	if ((got = ct_ptx_skip_mark(x, ';')) != 0)
		return got < 0 ? got : CT_OK;
	return ct_ptx_lex_fail(x, CT_ERR_UNSUPPORTED,
	                       "'%.*s' is no directive that is known: the PTX of clang and nvcc is read",
	                       ct_ptx_shown(x), x->now.text);
}

/* Copies what users of the module may know of a kernel out of its function. */
static void describe_kernel(struct ct_ptx_kernel *k, const struct ct_ptx_function *f)
{
	k->name = f->name;
	k->params = f->param;
	k->nparams = f->nparams;
	k->param_bytes = f->param_bytes;
	k->shared_bytes = f->shared_bytes;
	k->local_bytes = f->local_bytes;
	k->registers = f->registers;
	memcpy(k->max_threads, f->max_threads, sizeof k->max_threads);
	memcpy(k->required_threads, f->required_threads, sizeof k->required_threads);
	k->min_ctas = f->min_ctas;
	k->line = f->line;
	k->first_instruction = f->first_line;
	k->instructions = f->lines;
}

/* The lists of kernels and variables that callers see. */
static int describe(struct ct_ptx_reader *r)
{
	struct ct_ptx_module *m = r->m;
	m->kernel = ct_calloc(m->nfunctions, sizeof *m->kernel);
	m->kernel_function = ct_calloc(m->nfunctions, sizeof *m->kernel_function);
	m->global = ct_calloc(m->nsymbols, sizeof *m->global);
	if (!m->kernel || !m->kernel_function || !m->global)
		return ct_ptx_nomem(r);
	for (size_t i = 0; i < m->nfunctions; i++)
		if (m->function[i].entry && m->function[i].defined) {
			m->kernel_function[m->nkernels] = (uint32_t)i;
			describe_kernel(&m->kernel[m->nkernels++], &m->function[i]);
		}
	for (size_t i = 0; i < m->nsymbols; i++)
		if (m->symbol[i].space == CT_PTX_GLOBAL || m->symbol[i].space == CT_PTX_CONST)
			m->global[m->nglobals++] = (uint32_t)i;
	return CT_OK;
}

static int read_module(struct ct_ptx_reader *r, const char *text, size_t size, struct ct_error *e)
{
	int rc = ct_ptx_lex_begin(&r->x, r->m->file, text, size, e);
	if (rc == CT_OK && !ct_ptx_is_word(&r->x, ".version"))
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "PTX begins with .version: is this PTX?");
	while (rc == CT_OK && r->x.now.kind != CT_PTX_END)
		rc = read_directive(r);
	if (rc == CT_OK)
		rc = ct_ptx_fix_addresses(r);
	if (rc == CT_OK)
		rc = ct_ptx_finish_functions(r->m, e);
	if (rc == CT_OK && ct_ptx_find_unread(r->m) < 0)
		rc = ct_fail_nomem(e);
	ct_ptx_sort_sources(r->m);
	return rc < 0 ? rc : describe(r);
}

int ct_ptx_read(struct ct_ptx_module **out, const char *text, size_t size, const char *name,
                struct ct_error *e)
{
	return ct_ptx_read_placed(out, text, size, name, NULL, e);
}

int ct_ptx_read_placed(struct ct_ptx_module **out, const char *text, size_t size, const char *name,
                       const struct ct_ptx_placing *placing, struct ct_error *e)
{
	struct ct_ptx_reader *r = ct_calloc(1, sizeof *r);
	int rc = CT_ERR_NOMEM;
	*out = NULL;
	if (r && (r->m = ct_calloc(1, sizeof *r->m)) != NULL &&
	    (r->m->file = ct_strndup(name, strlen(name))) != NULL) {
		r->placing = placing;
		r->m->placed = placing != NULL;
		rc = read_module(r, text, size, e);
	} else {
		ct_fail_nomem(e);
	}
	if (r) {
		if (rc < 0)
			ct_ptx_free(r->m);
		else
			*out = r->m;
		ct_ptx_names_free(&r->labels);
		ct_ptx_names_free(&r->tables);
		free(r->declared);
		free(r->outer);
		free(r->pending);
	}
	free(r);
	return rc;
}
