#include "models/verdict/require.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "models/registry.h"
#include "profile/schema.h"

enum kind {
	NUMBER,
	BASE,
	NAME,
	NEGATE,
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE,
	LESS,
	LESS_EQUAL,
	GREATER,
	GREATER_EQUAL,
	EQUAL,
	UNEQUAL,
	WORD_EQUAL,
	WORD_UNEQUAL,
	AND,
	OR
};

/* Comparison signs in the order of enum kind. */
static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};

struct node {
	enum kind kind;
	int left, right;
	double number;
	struct ct_require_name name; /* points into the text */
	const char *word;
};

struct ct_require {
	char *text;  /* as given */
	char *names; /* a copy that the names are cut out of */
	struct node *node;
	int n, root, uses_base;
	char *globs; /* comma-separated, or NULL */
};

struct parser {
	struct ct_require *r;
	char *start, *at;
	char *pool_at;      /* where names are copied to, NUL-separated */
	int depth, in_left; /* in_left: the left side of a comparison */
	struct ct_error *e;
};

static int bad(struct parser *p, const char *what)
{
	return ct_fail(p->e, CT_ERR_USAGE, "requirement '%s': column %d: %s", p->r->text,
	               (int)(p->at - p->start) + 1, what);
}

static void blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static int is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Takes a word of the language if it stands here, on its own. */
static int keyword(struct parser *p, const char *word)
{
	size_t n = strlen(word);
	blanks(p);
	if (strncmp(p->at, word, n) != 0 || is_name(p->at[n]) || p->at[n] == '.')
		return 0;
	p->at += n;
	return 1;
}

static int add_node(struct parser *p, enum kind kind, int left, int right)
{
	struct ct_require *r = p->r;
	if (r->n == CT_REQUIRE_NODES_MAX)
		return bad(p, "too long: split it into several requirements");
	r->node[r->n] = (struct node){.kind = kind, .left = left, .right = right};
	return r->n++;
}

static const char *keep(struct parser *p, const char *s, size_t n)
{
	char *to = p->pool_at;
	memcpy(to, s, n);
	to[n] = '\0';
	p->pool_at += n + 1;
	return to;
}

static int sum(struct parser *p);
static int condition(struct parser *p);

/* Reads a number, in percent where a % follows. */
static int number(struct parser *p)
{
	char digits[64];
	size_t n = strspn(p->at, "0123456789.");
	if (p->at[n] == 'e' || p->at[n] == 'E') {
		size_t m = n + 1 + (p->at[n + 1] == '-' || p->at[n + 1] == '+');
		if (isdigit((unsigned char)p->at[m]))
			n = m + strspn(p->at + m, "0123456789");
	}
	double v;
	if (n >= sizeof digits)
		return bad(p, "a number of this length is none");
	memcpy(digits, p->at, n);
	digits[n] = '\0';
	if (ct_parse_real(digits, &v) < 0)
		return bad(p, "this is no number");
	p->at += n;
	if (*p->at == '%') {
		p->at++;
		v /= 100;
	}
	int i = add_node(p, NUMBER, -1, -1);
	if (i >= 0)
		p->r->node[i].number = v;
	return i;
}

/* MECHANISM.SYSTEM.METRIC, MECHANISM.METRIC or METRIC. Systems have signs in their names
 * ("Full++", "Basic/No-Prediction"), so a name ends where its parts do. */
static int name(struct parser *p, struct ct_require_name *out)
{
	size_t n = strspn(p->at, "abcdefghijklmnopqrstuvwxyz0123456789-");
	*out = (struct ct_require_name){"", "", ""};
	if (n == 0 || p->at[n] != '.') {
		n = 0;
		while (is_name(p->at[n]))
			n++;
		if (n == 0)
			return bad(p, "expected a metric, a number or base");
		out->metric = keep(p, p->at, n);
		p->at += n;
		return 0;
	}
	out->mechanism = keep(p, p->at, n);
	p->at += n + 1;
	size_t all = strcspn(p->at, " \t\n()<>=!*"), dot = strcspn(p->at, ".");
	if (dot < all) {
		out->system = keep(p, p->at, dot);
		p->at += dot + 1;
	}
	for (n = 0; is_name(p->at[n]);)
		n++;
	if (n == 0)
		return bad(p, "expected a metric behind the dot");
	out->metric = keep(p, p->at, n);
	p->at += n;
	return 0;
}

static int value(struct parser *p)
{
	struct ct_require_name nm;
	if (name(p, &nm) < 0)
		return -1;
	int i = add_node(p, NAME, -1, -1);
	if (i >= 0)
		p->r->node[i].name = nm;
	return i;
}

static int close_paren(struct parser *p)
{
	blanks(p);
	if (*p->at != ')')
		return bad(p, "expected )");
	p->at++;
	return 0;
}

/* Reads a number, a name, base, or a sum in parentheses, with its sign. */
static int factor(struct parser *p)
{
	int i;
	blanks(p);
	if (p->depth++ > CT_REQUIRE_DEPTH_MAX)
		return bad(p, "nested too deeply");
	if (*p->at == '-') {
		p->at++;
		i = factor(p);
		i = i < 0 ? i : add_node(p, NEGATE, i, -1);
	} else if (*p->at == '(') {
		p->at++;
		i = sum(p);
		if (i >= 0 && close_paren(p) < 0)
			i = -1;
	} else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
		i = number(p);
	} else if (keyword(p, "base")) {
		if (p->in_left)
			return bad(p, "base is the old value of the left side: write it on the right");
		p->r->uses_base = 1;
		i = add_node(p, BASE, -1, -1);
	} else {
		i = value(p);
	}
	p->depth--;
	return i;
}

static int chain(struct parser *p, int (*part)(struct parser *), char a, enum kind ka, char b,
                 enum kind kb)
{
	int left = part(p);
	for (;;) {
		blanks(p);
		if (left < 0 || (*p->at != a && *p->at != b))
			return left;
		enum kind kind = *p->at++ == a ? ka : kb;
		int right = part(p);
		if (right < 0)
			return right;
		left = add_node(p, kind, left, right);
	}
}

static int product(struct parser *p)
{
	return chain(p, factor, '*', MULTIPLY, '/', DIVIDE);
}

static int sum(struct parser *p)
{
	return chain(p, product, '+', ADD, '-', SUBTRACT);
}

/* The comparison sign here: its kind, or -1. */
static int compare_sign(struct parser *p)
{
	int found = -1;
	blanks(p);
	for (int i = 0; i < 6; i++)
		if (strncmp(p->at, signs[i], strlen(signs[i])) == 0 &&
		    (found < 0 || strlen(signs[i]) > strlen(signs[found])))
			found = i;
	if (found < 0)
		return bad(p, "expected a comparison: < <= > >= == or !=");
	p->at += strlen(signs[found]);
	return LESS + found;
}

/* Reads the word that a verdict is compared with. */
static int word_test(struct parser *p, int left, int kind)
{
	if (kind != EQUAL && kind != UNEQUAL)
		return bad(p, "a verdict is compared with == or !=");
	blanks(p);
	size_t n = 0;
	while (is_name(p->at[n]))
		n++;
	static const char *const words[] = {"benefits", "neutral", "hurts", "unknown"};
	int known = 0;
	for (int i = 0; i < 4; i++)
		known |= strlen(words[i]) == n && strncmp(p->at, words[i], n) == 0;
	if (!known)
		return bad(p, "a verdict is benefits, neutral, hurts or unknown");
	p->r->node[left].kind = kind == EQUAL ? WORD_EQUAL : WORD_UNEQUAL;
	p->r->node[left].word = keep(p, p->at, n);
	p->at += n;
	return left;
}

/* Reads two sums and the sign between them, or a verdict and a word. */
static int comparison(struct parser *p)
{
	p->in_left = 1;
	int left = sum(p);
	p->in_left = 0;
	if (left < 0)
		return left;
	int kind = compare_sign(p);
	if (kind < 0)
		return kind;
	const struct node *l = &p->r->node[left];
	if (l->kind == NAME && *l->name.mechanism && !*l->name.system &&
	    strcmp(l->name.metric, "verdict") == 0)
		return word_test(p, left, kind);
	int right = sum(p);
	return right < 0 ? right : add_node(p, (enum kind)kind, left, right);
}

/* "(" opens either a condition or the left side of a comparison: try the first, and
 * where that fails the second. */
static int test(struct parser *p)
{
	blanks(p);
	if (*p->at != '(')
		return comparison(p);
	if (p->depth > CT_REQUIRE_DEPTH_MAX)
		return bad(p, "nested too deeply");
	struct parser saved = *p;
	int n = p->r->n, uses_base = p->r->uses_base;
	struct ct_error *e = p->e;
	p->e = NULL;
	p->depth++;
	p->at++;
	int i = condition(p);
	if (i >= 0 && close_paren(p) == 0) {
		p->e = e;
		p->depth = saved.depth;
		return i;
	}
	*p = saved;
	p->r->n = n;
	p->r->uses_base = uses_base;
	return comparison(p);
}

static int all_of(struct parser *p)
{
	int left = test(p);
	while (left >= 0 && keyword(p, "and")) {
		int right = test(p);
		left = right < 0 ? right : add_node(p, AND, left, right);
	}
	return left;
}

static int condition(struct parser *p)
{
	int left = all_of(p);
	while (left >= 0 && keyword(p, "or")) {
		int right = all_of(p);
		left = right < 0 ? right : add_node(p, OR, left, right);
	}
	return left;
}

/* Reads the patterns of workloads behind "for". */
static int globs(struct parser *p)
{
	blanks(p);
	if (!*p->at)
		return bad(p, "expected a workload's name or pattern behind for");
	char *to = p->r->globs = malloc(strlen(p->at) + 2);
	if (!to)
		return ct_fail_nomem(p->e);
	for (; *p->at; p->at++)
		if (*p->at != ' ' && *p->at != '\t')
			*to++ = *p->at == ',' ? '\0' : *p->at;
	*to++ = '\0';
	*to = '\0';
	for (char *g = p->r->globs; g < to; g += strlen(g) + 1)
		if (!*g)
			return bad(p, "an empty pattern behind for");
	return 0;
}

static int parse(struct parser *p)
{
	p->r->root = condition(p);
	if (p->r->root < 0)
		return -1;
	if (keyword(p, "for"))
		return globs(p);
	blanks(p);
	if (*p->at)
		return bad(p, "expected and, or, for, or the end");
	return 0;
}

int ct_require_parse(struct ct_require **out, const char *text, struct ct_error *e)
{
	struct ct_error own = {0};
	size_t n = strlen(text);
	*out = NULL;
	if (n > CT_REQUIRE_TEXT_MAX)
		return ct_fail(e, CT_ERR_USAGE, "requirement of %zu characters: at most %d", n,
		               CT_REQUIRE_TEXT_MAX);
	while (n && (isspace((unsigned char)text[n - 1])))
		n--;
	while (n && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	struct ct_require *r = ct_calloc(1, sizeof *r);
	if (!r)
		return ct_fail_nomem(e);
	r->text = ct_strndup(text, n);
	/* Every kept name is followed in the text by a dot, a sign or the end. */
	r->names = ct_calloc(2 * (n + 2), 1);
	r->node = ct_calloc(CT_REQUIRE_NODES_MAX, sizeof *r->node);
	int st = r->text && r->names && r->node ? CT_OK : ct_fail_nomem(e);
	if (st == CT_OK) {
		struct parser p = {
			.r = r, .start = r->text, .at = r->text, .pool_at = r->names, .e = &own};
		if (parse(&p) < 0)
			st = ct_fail(e, own.status ? own.status : CT_ERR_USAGE, "%s",
			             own.status ? own.text : "requirement: cannot be read");
	}
	if (st != CT_OK) {
		ct_require_free(r);
		return st;
	}
	/* Few use the room of the longest, and there may be many. */
	struct node *fit = ct_reallocarray(r->node, (size_t)r->n, sizeof *fit);
	r->node = fit ? fit : r->node;
	*out = r;
	return CT_OK;
}

void ct_require_free(struct ct_require *r)
{
	if (!r)
		return;
	free(r->text);
	free(r->names);
	free(r->node);
	free(r->globs);
	free(r);
}

const char *ct_require_text(const struct ct_require *r)
{
	return r->text;
}

int ct_require_uses_base(const struct ct_require *r)
{
	return r->uses_base;
}

int ct_require_applies(const struct ct_require *r, const char *workload)
{
	if (!r->globs)
		return 1;
	for (const char *g = r->globs; *g; g += strlen(g) + 1)
		if (fnmatch(g, workload, 0) == 0)
			return 1;
	return 0;
}

const char *ct_require_unmatched(const struct ct_require *r, size_t n,
                                 const char *(*name_of)(const void *runs, size_t i), const void *runs)
{
	for (const char *g = r->globs; g && *g; g += strlen(g) + 1) {
		int any = 0;
		for (size_t i = 0; i < n && !any; i++) {
			const char *workload = name_of(runs, i);
			any = workload && fnmatch(g, workload, 0) == 0;
		}
		if (!any)
			return g;
	}
	return NULL;
}

/* ---- evaluation ---- */

struct eval {
	const struct ct_require *r;
	const struct ct_require_source *source;
	const void *run, *old;
	char *why;
	size_t n;
};

/* Whether a profile can have a metric of that name; *near gets the one that is closest to it, or NULL. */
static int is_metric(const struct ct_require_name *nm, const char **near)
{
	enum { METRICS_MAX = 512 };
	const char *const type = *nm->mechanism ? "ES" : "SN";
	const int i = *nm->mechanism ? ct_mechanism_find(nm->mechanism) : -1;
	const struct ct_mechanism *m = i < 0 ? NULL : ct_mechanism_at((unsigned)i);
	const char *name[METRICS_MAX];
	const struct ct_metric *x;
	size_t n = 0;
	*near = NULL;
	for (size_t k = 0; n < METRICS_MAX && (x = ct_metric_at(type, k)); k++)
		name[n++] = x->name;
	for (unsigned k = 0; m && n < METRICS_MAX && k < (*nm->system ? m->n_metrics : 0); k++)
		name[n++] = m->metrics[k].name;
	for (unsigned w = 0; !*nm->mechanism && (m = ct_mechanism_at(w)); w++)
		for (unsigned k = 0; n < METRICS_MAX && k < m->n_items; k++)
			name[n++] = m->items[k].name;
	for (size_t k = 0; k < n; k++)
		if (strcmp(name[k], nm->metric) == 0)
			return 1;
	int closest = ct_closest_name(nm->metric, name, n);
	*near = closest < 0 ? NULL : name[closest];
	return 0;
}

static enum ct_require_outcome missing(struct eval *v, const struct ct_require_name *nm, int old)
{
	const char *near;
	if ((!*nm->mechanism || *nm->system) && !is_metric(nm, &near)) {
		snprintf(v->why, v->n, near ? "%s is no metric: did you mean %s?" : "%s is no metric%s",
		         nm->metric, near ? near : "");
		return CT_REQUIRE_MISNAMED;
	}
	snprintf(v->why, v->n, "%s%s%s%s%s is missing%s", nm->mechanism, *nm->mechanism ? "." : "",
	         nm->system, *nm->system ? "." : "", nm->metric, old ? " in the run compared with" : "");
	return old ? CT_REQUIRE_NO_BASE : CT_REQUIRE_ABSENT;
}

/* PASSED and *out, or why there is no value. left: the comparison's left side, which
 * base stands for; old: evaluate in the other run. */
static enum ct_require_outcome real(struct eval *v, int at, int left, int old, double *out)
{
	const struct node *x = &v->r->node[at];
	double a = 0, b = 0;
	if (x->kind == NUMBER) {
		*out = x->number;
		return CT_REQUIRE_PASSED;
	}
	if (x->kind == NAME) {
		if (v->source->number(old ? v->old : v->run, &x->name, out) && !isnan(*out))
			return CT_REQUIRE_PASSED;
		return missing(v, &x->name, old);
	}
	if (x->kind == BASE) {
		if (v->old)
			return real(v, left, left, 1, out);
		snprintf(v->why, v->n, "the run compared with has no such workload");
		return CT_REQUIRE_NO_BASE;
	}
	enum ct_require_outcome st = real(v, x->left, left, old, &a);
	if (st == CT_REQUIRE_PASSED && x->right >= 0)
		st = real(v, x->right, left, old, &b);
	if (st != CT_REQUIRE_PASSED)
		return st;
	if (x->kind == DIVIDE && b == 0) {
		snprintf(v->why, v->n, "division by zero");
		return old ? CT_REQUIRE_NO_BASE : CT_REQUIRE_ABSENT;
	}
	*out = x->kind == NEGATE     ? -a
	       : x->kind == ADD      ? a + b
	       : x->kind == SUBTRACT ? a - b
	       : x->kind == MULTIPLY ? a * b
	                             : a / b;
	return CT_REQUIRE_PASSED;
}

/* Whether a name is a verdict's, and that verdict is unknown: its numbers decide nothing then. */
static int is_unknown(const struct eval *v, const struct ct_require_name *nm)
{
	if (!*nm->mechanism || *nm->system)
		return 0;
	const char *word = v->source->word(v->run, nm->mechanism);
	return word && strcmp(word, "unknown") == 0;
}

static int names_unknown(const struct eval *v, int at)
{
	const struct node *x = at < 0 ? NULL : &v->r->node[at];
	if (!x || x->kind == NUMBER || x->kind == BASE)
		return 0;
	if (x->kind == NAME)
		return is_unknown(v, &x->name);
	return names_unknown(v, x->left) || names_unknown(v, x->right);
}

/* A gate that passes because nothing is known would never close. */
static enum ct_require_outcome test_unknown(struct eval *v)
{
	snprintf(v->why, v->n, "the verdict is unknown%s",
	         v->source->allow_unknown ? ", which is allowed"
	                                  : ", which tells nothing: --allow-unknown lets it pass");
	return v->source->allow_unknown ? CT_REQUIRE_PASSED : CT_REQUIRE_FAILED;
}

/* Decides a comparison. A value that is missing is told apart from one that does not hold. */
static enum ct_require_outcome compare(struct eval *v, const struct node *x)
{
	double a = 0, b = 0;
	if (names_unknown(v, x->left) || names_unknown(v, x->right))
		return test_unknown(v);
	enum ct_require_outcome st = real(v, x->left, x->left, 0, &a);
	if (st == CT_REQUIRE_PASSED)
		st = real(v, x->right, x->left, 0, &b);
	if (st != CT_REQUIRE_PASSED)
		return st;
	if (isnan(a) || isnan(b)) { /* which != holds for */
		snprintf(v->why, v->n, "%s side is no number", isnan(a) ? "the left" : "the right");
		return CT_REQUIRE_ABSENT;
	}
	int holds = x->kind == LESS            ? a < b
	            : x->kind == LESS_EQUAL    ? a <= b
	            : x->kind == GREATER       ? a > b
	            : x->kind == GREATER_EQUAL ? a >= b
	            : x->kind == EQUAL         ? a == b
	                                       : a != b;
	snprintf(v->why, v->n, "%.6g %s %.6g %s", a, signs[x->kind - LESS], b,
	         holds ? "holds" : "does not hold");
	return holds ? CT_REQUIRE_PASSED : CT_REQUIRE_FAILED;
}

static enum ct_require_outcome compare_word(struct eval *v, const struct node *x)
{
	const char *word = v->source->word(v->run, x->name.mechanism);
	if (!word)
		return missing(v, &x->name, 0);
	if (strcmp(word, "unknown") == 0 && strcmp(x->word, "unknown") != 0)
		return test_unknown(v);
	int holds = (strcmp(word, x->word) == 0) == (x->kind == WORD_EQUAL);
	snprintf(v->why, v->n, "the verdict is %s", word);
	return holds ? CT_REQUIRE_PASSED : CT_REQUIRE_FAILED;
}

/* and: the first that does not pass decides; or: the first that passes, else the last. */
static enum ct_require_outcome holds(struct eval *v, int at)
{
	const struct node *x = &v->r->node[at];
	if (x->kind == WORD_EQUAL || x->kind == WORD_UNEQUAL)
		return compare_word(v, x);
	if (x->kind != AND && x->kind != OR)
		return compare(v, x);
	enum ct_require_outcome st = holds(v, x->left);
	if ((st == CT_REQUIRE_PASSED) == (x->kind == OR))
		return st;
	return holds(v, x->right);
}

enum ct_require_outcome
ct_require_eval(const struct ct_require *r, const struct ct_require_source *source, const void *run,
                const void *old, char *why, size_t n)
{
	struct eval v = {r, source, run, old, why, n};
	if (n)
		*why = '\0';
	return holds(&v, r->root);
}
