/* Joins PTX texts. Each text is cut into the directives of its top level, which are resolved by name and written again in the order
 * that a reader needs: declarations of functions, variables, functions with their bodies. Inside of a directive only names that two
 * texts have for different things and numbers of source files change. */
#include "ptx/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/lex.h"
#include "ptx/module.h"

enum linkage { PRIVATE, VISIBLE, WEAK, EXTERNAL };
enum kind { OTHER, VARIABLE, FUNCTION };
#define NONE UINT32_MAX

/* One directive of the top level. */
struct item {
	uint32_t unit;
	enum kind kind;
	enum linkage linkage;
	int defined; /* it has storage or a body */
	int shared;  /* a variable in shared memory */
	int dropped; /* another text has it */
	int head; /* a function that another text has: what calls it needs its declaration, which is its head */
	int bound;                      /* a declaration that loses its .extern */
	const char *begin, *body, *end; /* in the text */
	char *name;                     /* NULL: it has none */
	uint32_t next;                  /* of the same name, or NONE */
};

struct unit {
	char *name;
	const char *version, *target; /* in the text: what stands behind these directives */
	size_t version_length, target_length;
	unsigned version_number, target_number;
	uint32_t files; /* highest number of a .file */
	uint32_t base;  /* what is added to these numbers */
};

struct ct_ptx_linker {
	struct unit *unit;
	size_t units, units_cap;
	struct item *item;
	size_t items, items_cap;
	char **renamed; /* names that texts had for different things, as they are now */
	size_t renames, renames_cap;
	struct ct_ptx_names heads; /* name to its first item */
	struct ct_ptx_names
		names; /* old name to its place in `renamed`; the scope is the text's number and 1 */
};

int ct_ptx_linker_create(struct ct_ptx_linker **out, struct ct_error *e)
{
	*out = ct_calloc(1, sizeof **out);
	return *out ? CT_OK : ct_fail_nomem(e);
}

static void drop_items(struct ct_ptx_linker *l, size_t from)
{
	for (size_t i = from; i < l->items; i++)
		free(l->item[i].name);
	l->items = from;
}

void ct_ptx_linker_free(struct ct_ptx_linker *l)
{
	if (!l)
		return;
	drop_items(l, 0);
	for (size_t i = 0; i < l->units; i++)
		free(l->unit[i].name);
	for (size_t i = 0; i < l->renames; i++)
		free(l->renamed[i]);
	free(l->unit);
	free(l->item);
	free(l->renamed);
	ct_ptx_names_free(&l->heads);
	ct_ptx_names_free(&l->names);
	free(l);
}

/* ---- cutting a text into directives ---- */

/* ".version 6.3" */
static int scan_version(struct unit *u, struct ct_ptx_lexer *x)
{
	const struct ct_ptx_token *t = &x->now;
	if (t->kind != CT_PTX_FLOAT || t->length != 3)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no version of PTX such as 6.3",
		                       ct_ptx_shown(x), t->text);
	u->version = t->text;
	u->version_length = t->length;
	u->version_number = (unsigned)(t->text[0] - '0') * 10 + (unsigned)(t->text[2] - '0');
	return ct_ptx_lex_next(x);
}

/* ".target sm_70, debug" */
static int scan_target(struct unit *u, struct ct_ptx_lexer *x)
{
	int rc, more;
	u->target = x->now.text;
	do {
		if (x->now.kind != CT_PTX_WORD)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no target such as sm_70",
			                       ct_ptx_shown(x), x->now.text);
		for (size_t i = 3; i < x->now.length && !u->target_length; i++)
			if (x->now.text[i] >= '0' && x->now.text[i] <= '9' && u->target_number < 1000)
				u->target_number = u->target_number * 10 +
				                   (unsigned)(x->now.text[i] - '0');
		u->target_length = (size_t)(x->now.text + x->now.length - u->target);
		if ((rc = ct_ptx_lex_next(x)) < 0)
			return rc;
		more = ct_ptx_skip_mark(x, ',');
	} while (more > 0);
	return more;
}

/* Steps behind the mark that closes the one at hand, and sets *end there. */
static int skip_group(struct ct_ptx_lexer *x, const char **end)
{
	unsigned depth = 0;
	do {
		if (x->now.kind == CT_PTX_END)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "the text ends inside of brackets: is it cut short?");
		if (x->now.kind == CT_PTX_MARK && strchr("({[", x->now.mark))
			depth++;
		if (x->now.kind == CT_PTX_MARK && strchr(")}]", x->now.mark))
			depth--;
		*end = x->now.text + x->now.length;
		int rc = ct_ptx_lex_next(x);
		if (rc < 0)
			return rc;
	} while (depth);
	return CT_OK;
}

/* The rest of a directive: its name is the first word without a dot outside of brackets. It ends with a semicolon, or of a function with
 * the body. */
static int scan_rest(struct item *it, struct ct_ptx_lexer *x)
{
	int rc = CT_OK;
	while (rc == CT_OK) {
		const struct ct_ptx_token *t = &x->now;
		int body = it->kind == FUNCTION && ct_ptx_is_mark(x, '{');
		if (t->kind == CT_PTX_END)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "the text ends inside of a directive: is it cut short?");
		if (ct_ptx_is_mark(x, ';')) {
			it->end = t->text + 1;
			return ct_ptx_lex_next(x);
		}
		if (body)
			it->body = t->text;
		if (t->kind == CT_PTX_MARK && strchr("({[", t->mark)) {
			rc = skip_group(x, &it->end);
			if (rc == CT_OK && body) {
				it->defined = 1;
				return CT_OK;
			}
			continue;
		}
		if (it->kind == VARIABLE && ct_ptx_is_mark(x, ','))
			return ct_ptx_lex_fail(
				x, CT_ERR_UNSUPPORTED,
				"several variables in one directive are not linked: give each its own");
		if (it->kind != OTHER && !it->name && t->kind == CT_PTX_WORD && t->text[0] != '.' &&
		    !(it->name = ct_strndup(t->text, t->length)))
			return ct_fail_nomem(x->e);
		rc = ct_ptx_lex_next(x);
	}
	return rc;
}

/* .file and .loc end with their line. */
static int scan_line(struct unit *u, struct item *it, struct ct_ptx_lexer *x)
{
	const uint32_t line = x->line;
	int rc = CT_OK;
	for (unsigned at = 0; rc == CT_OK && x->now.kind != CT_PTX_END && x->line == line; at++) {
		if (at == 1 && x->now.kind == CT_PTX_INTEGER && x->now.value < NONE / 2 &&
		    x->now.value > u->files)
			u->files = (uint32_t)x->now.value;
		it->end = x->now.text + x->now.length;
		rc = ct_ptx_lex_next(x);
	}
	return rc;
}

/* .section NAME { ... } is for debuggers: it is left out. */
static int scan_section(struct ct_ptx_lexer *x)
{
	const char *end;
	int rc = CT_OK;
	while (rc == CT_OK && x->now.kind != CT_PTX_END && !ct_ptx_is_mark(x, '{'))
		rc = ct_ptx_lex_next(x);
	return rc < 0 ? rc : skip_group(x, &end);
}

/* ".visible", ".weak", ".extern", in front of a directive. */
static int scan_linkage(struct item *it, struct ct_ptx_lexer *x)
{
	static const struct {
		const char *word;
		enum linkage linkage;
	} known[] = {{".visible", VISIBLE}, {".weak", WEAK}, {".common", WEAK}, {".extern", EXTERNAL}};
	for (size_t i = 0; i < sizeof known / sizeof *known;) {
		int got = ct_ptx_skip_word(x, known[i].word);
		if (got < 0)
			return got;
		if (got)
			it->linkage = known[i].linkage;
		i = got ? 0 : i + 1;
	}
	return CT_OK;
}

/* One directive of the top level. */
static int scan_item(struct ct_ptx_linker *l, struct unit *u, struct ct_ptx_lexer *x)
{
	struct item it = {.unit = (uint32_t)l->units, .begin = x->now.text, .next = NONE};
	int rc = scan_linkage(&it, x), got;
	if (rc < 0)
		return rc;
	if ((got = ct_ptx_skip_word(x, ".version")) != 0)
		return got < 0 ? got : scan_version(u, x);
	if ((got = ct_ptx_skip_word(x, ".target")) != 0)
		return got < 0 ? got : scan_target(u, x);
	if ((got = ct_ptx_skip_word(x, ".address_size")) != 0)
		return got < 0 ? got : ct_ptx_lex_next(x);
	if (ct_ptx_is_word(x, ".section"))
		return scan_section(x);
	if (ct_ptx_is_mark(x, ';'))
		return ct_ptx_lex_next(x);
	if (ct_ptx_is_word(x, ".file") || ct_ptx_is_word(x, ".loc")) {
		rc = scan_line(u, &it, x);
	} else {
		it.shared = ct_ptx_is_word(x, ".shared");
		if (ct_ptx_is_word(x, ".func") || ct_ptx_is_word(x, ".entry"))
			it.kind = FUNCTION;
		else if (it.shared || ct_ptx_is_word(x, ".global") || ct_ptx_is_word(x, ".const"))
			it.kind = VARIABLE;
		it.defined = it.kind == VARIABLE && it.linkage != EXTERNAL;
		rc = scan_rest(&it, x);
		if (rc == CT_OK && it.kind != OTHER && !it.name)
			rc = ct_ptx_lex_fail(x, CT_ERR_INPUT, "a directive without a name");
	}
	if (rc == CT_OK && ct_grow((void **)&l->item, &l->items_cap, l->items + 1, sizeof *l->item) < 0)
		rc = ct_fail_nomem(x->e);
	if (rc < 0)
		free(it.name);
	else
		l->item[l->items++] = it;
	return rc;
}

/* Puts the items from `first` on behind those of the same names. */
static int chain_items(struct ct_ptx_linker *l, size_t first, struct ct_error *e)
{
	for (size_t i = first; i < l->items; i++) {
		const char *name = l->item[i].name;
		int64_t at = name ? ct_ptx_names_get(&l->heads, name, strlen(name), 0) : -1;
		if (!name)
			continue;
		if (at < 0 && ct_ptx_names_put(&l->heads, name, 0, (uint32_t)i) < 0)
			return ct_fail_nomem(e);
		while (at >= 0 && l->item[at].next != NONE)
			at = l->item[at].next;
		if (at >= 0)
			l->item[at].next = (uint32_t)i;
	}
	return CT_OK;
}

int ct_ptx_linker_add(struct ct_ptx_linker *l, const char *name, const char *text, size_t bytes,
                      struct ct_error *e)
{
	struct ct_ptx_lexer x;
	struct unit u = {.name = ct_strndup(name, strlen(name))};
	const size_t first = l->items;
	if (!u.name || ct_grow((void **)&l->unit, &l->units_cap, l->units + 1, sizeof *l->unit) < 0) {
		free(u.name);
		return ct_fail_nomem(e);
	}
	int rc = ct_ptx_lex_begin(&x, u.name, text, bytes, e);
	if (rc == CT_OK && !ct_ptx_is_word(&x, ".version"))
		rc = ct_ptx_lex_fail(&x, CT_ERR_INPUT, "PTX begins with .version: is this PTX?");
	while (rc == CT_OK && x.now.kind != CT_PTX_END)
		rc = scan_item(l, &u, &x);
	if (rc == CT_OK && !u.target)
		rc = ct_ptx_lex_fail(&x, CT_ERR_INPUT, "a text without .target");
	if (rc < 0) {
		drop_items(l, first);
		free(u.name);
		return rc;
	}
	l->unit[l->units++] = u;
	return chain_items(l, first, e);
}

/* ---- which texts need one another ---- */

static int is_first(const struct ct_ptx_linker *l, size_t i)
{
	const char *name = l->item[i].name;
	return name && ct_ptx_names_get(&l->heads, name, strlen(name), 0) == (int64_t)i;
}

static int is_public(const struct item *it)
{
	return it->defined && (it->linkage == VISIBLE || it->linkage == WEAK);
}

static int asks(const struct item *it)
{
	return it->linkage == EXTERNAL && !it->shared;
}

static void unite(uint32_t *group, size_t n, uint32_t a, uint32_t b)
{
	uint32_t from = group[a] > group[b] ? group[a] : group[b];
	uint32_t to = group[a] > group[b] ? group[b] : group[a];
	for (size_t i = 0; i < n && from != to; i++)
		if (group[i] == from)
			group[i] = to;
}

void ct_ptx_linker_groups(const struct ct_ptx_linker *l, uint32_t *group)
{
	for (size_t i = 0; i < l->units; i++)
		group[i] = (uint32_t)i;
	for (size_t i = 0; i < l->items; i++) {
		uint32_t defines = NONE;
		int asked = 0;
		if (!is_first(l, i))
			continue;
		for (uint32_t k = (uint32_t)i; k != NONE; k = l->item[k].next) {
			asked |= asks(&l->item[k]);
			if (defines == NONE && is_public(&l->item[k]))
				defines = l->item[k].unit;
		}
		if (!asked || defines == NONE)
			continue;
		for (uint32_t k = (uint32_t)i; k != NONE; k = l->item[k].next)
			if (asks(&l->item[k]) || is_public(&l->item[k]))
				unite(group, l->units, defines, l->item[k].unit);
	}
}

/* ---- joining ---- */

static int rename_in(struct ct_ptx_linker *l, const struct item *it, struct ct_error *e)
{
	struct ct_buf b = {0};
	if (ct_ptx_names_get(&l->names, it->name, strlen(it->name), it->unit + 1) >= 0)
		return CT_OK;
	ct_buf_printf(&b, "%s$%u", it->name, it->unit + 1);
	if (b.failed ||
	    ct_grow((void **)&l->renamed, &l->renames_cap, l->renames + 1, sizeof *l->renamed) < 0 ||
	    ct_ptx_names_put(&l->names, it->name, it->unit + 1, (uint32_t)l->renames) < 0) {
		ct_buf_free(&b);
		return ct_fail_nomem(e);
	}
	l->renamed[l->renames++] = b.data;
	return CT_OK;
}

/* Decides about all items of one name, from its first on. What is visible in two texts that nobody asks for by .extern is private to
 * each: clang makes static kernels and variables that the host uses visible. */
static int resolve(struct ct_ptx_linker *l, uint32_t first, struct ct_error *e)
{
	const struct item *own = NULL, *second = NULL;
	int asked = 0, declared = 0;
	for (uint32_t k = first; k != NONE; k = l->item[k].next) {
		const struct item *it = &l->item[k];
		asked |= asks(it);
		if (!is_public(it))
			continue;
		if (own && own->linkage == VISIBLE && it->linkage == VISIBLE && it->unit != own->unit)
			second = it;
		if (!own || (own->linkage == WEAK && it->linkage == VISIBLE))
			own = it;
	}
	if (asked && second)
		return ct_fail(e, CT_ERR_INPUT, "%s: %s is defined there and in %s: keep one",
		               l->unit[own->unit].name, own->name, l->unit[second->unit].name);
	uint32_t owner = own ? own->unit : asked ? NONE : l->item[first].unit;
	for (uint32_t k = first; k != NONE; k = l->item[k].next) {
		struct item *it = &l->item[k];
		if (it->unit != owner && (it->linkage == PRIVATE || it->linkage == VISIBLE)) {
			int rc = rename_in(l, it, e);
			if (rc < 0)
				return rc;
			continue;
		}
		if (it->defined) {
			it->dropped = own && it->unit != own->unit;
			it->head = it->dropped && it->kind == FUNCTION && !declared;
			declared |= it->head;
			continue;
		}
		it->dropped = declared || (own && it->kind == VARIABLE);
		it->bound = own && it->linkage == EXTERNAL;
		declared = 1;
	}
	return CT_OK;
}

/* What the token at hand of a text becomes; NULL: itself. */
static const char *new_name(const struct ct_ptx_linker *l, uint32_t unit, const struct ct_ptx_token *t)
{
	int64_t at = t->kind == CT_PTX_WORD ? ct_ptx_names_get(&l->names, t->text, t->length, unit + 1)
	                                    : -1;
	return at < 0 ? NULL : l->renamed[at];
}

/* Writes an item with names and numbers of files changed; all else is copied as it stands. */
static int write_item(const struct ct_ptx_linker *l, const struct item *it, struct ct_buf *out,
                      struct ct_error *e)
{
	const struct unit *u = &l->unit[it->unit];
	struct ct_ptx_lexer x;
	const char *copied = it->begin, *end = it->head ? it->body : it->end;
	int number = 0; /* the next token is that of a file */
	int rc = ct_ptx_lex_begin(&x, u->name, it->begin, (size_t)(end - it->begin), e);
	while (rc == CT_OK && x.now.kind != CT_PTX_END) {
		const struct ct_ptx_token *t = &x.now;
		const char *name = new_name(l, it->unit, t);
		int gone = it->bound && ct_ptx_is_word(&x, ".extern");
		number = number && t->kind == CT_PTX_INTEGER && u->base;
		if (name || gone || number) {
			ct_buf_add(out, copied, (size_t)(t->text - copied));
			copied = t->text + t->length;
			if (name)
				ct_buf_puts(out, name);
			else if (number)
				ct_buf_printf(out, "%u", (unsigned)t->value + u->base);
		}
		number = ct_ptx_is_word(&x, ".loc") || ct_ptx_is_word(&x, ".file") ||
		         ct_ptx_is_word(&x, "inlined_at");
		rc = ct_ptx_lex_next(&x);
	}
	ct_buf_add(out, copied, (size_t)(end - copied));
	ct_buf_puts(out, it->head ? ";\n" : "\n");
	return rc;
}

/* The header has the newest version and the newest target of all texts. */
static void write_header(struct ct_ptx_linker *l, struct ct_buf *out)
{
	const struct unit *version = l->unit, *target = l->unit;
	uint32_t base = 0;
	for (size_t i = 0; i < l->units; i++) {
		struct unit *u = &l->unit[i];
		version = u->version_number > version->version_number ? u : version;
		target = u->target_number > target->target_number ? u : target;
		u->base = base;
		base += u->files;
	}
	ct_buf_printf(out, ".version %.*s\n.target %.*s\n.address_size 64\n",
	              (int)version->version_length, version->version, (int)target->target_length,
	              target->target);
}

/* The order of the joined text: what has no name, declarations, variables, bodies. */
static int place_of(const struct item *it)
{
	return it->kind == OTHER ? 0 : it->kind == VARIABLE ? 2 : it->defined && !it->head ? 3 : 1;
}

int ct_ptx_linker_join(struct ct_ptx_linker *l, struct ct_buf *out, struct ct_error *e)
{
	int rc = CT_OK;
	if (!l->units)
		return ct_fail(e, CT_ERR_INPUT, "no text to link");
	for (size_t i = 0; i < l->items && rc == CT_OK; i++)
		if (is_first(l, i))
			rc = resolve(l, (uint32_t)i, e);
	write_header(l, out);
	for (int place = 0; place < 4; place++)
		for (size_t i = 0; i < l->items && rc == CT_OK; i++)
			if ((!l->item[i].dropped || l->item[i].head) && place_of(&l->item[i]) == place)
				rc = write_item(l, &l->item[i], out, e);
	return rc < 0 ? rc : ct_buf_check(out, e);
}

const char *ct_ptx_linker_name(const struct ct_ptx_linker *l, size_t text, const char *name)
{
	int64_t at = ct_ptx_names_get(&l->names, name, strlen(name), (uint32_t)text + 1);
	return at < 0 ? name : l->renamed[at];
}

int ct_ptx_linker_pick(struct ct_ptx_linker *l, int (*wanted)(const void *ctx, const char *name),
                       const void *ctx, struct ct_buf *out, struct ct_error *e)
{
	int rc = CT_OK;
	write_header(l, out);
	for (size_t i = 0; i < l->items && rc == CT_OK; i++)
		if (l->item[i].kind == VARIABLE && l->item[i].defined && wanted(ctx, l->item[i].name))
			rc = write_item(l, &l->item[i], out, e);
	return rc < 0 ? rc : ct_buf_check(out, e);
}

const char *ct_ptx_linked_function(const char *at, size_t *n)
{
	static const char *const known[] = {"vprintf", "malloc", "free"};
	at += strspn(at, " \t\n");
	if (*at == '(') {
		at += strcspn(at, ")");
		at += *at == ')';
	}
	at += strspn(at, " \t\n");
	*n = strcspn(at, " \t\n(;");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == *n && strncmp(at, known[i], *n) == 0)
			return NULL;
	return strncmp(at, "__", 2) != 0 ? at : NULL;
}

/* Whether a declaration, from behind .extern on, is of what no text defines. */
static int is_of_runtime(const char *at)
{
	size_t n;
	at += strspn(at, " \t\n");
	if (strncmp(at, ".shared", 7) == 0)
		return 1;
	return strncmp(at, ".func", 5) == 0 && !ct_ptx_linked_function(at + 5, &n);
}

int ct_ptx_asks_for_others(const char *text)
{
	for (const char *at = text; (at = strstr(at, ".extern")) != NULL;) {
		at += 7;
		if (!is_of_runtime(at))
			return 1;
	}
	return 0;
}
