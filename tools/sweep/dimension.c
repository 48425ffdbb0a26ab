/* dimension.c - KEY=LIST: what is varied, and over which values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/items.h"
#include "base/mem.h"
#include "sweep/sweep.h"

/* Values of one dimension at most. */
enum { VALUES_MAX = 4096 };

/* ---- which key ---- */

/* The setting of a mechanism's systems, such as how many SMs compute: CT_OK, or 1 where no mechanism has that name for it. */
static int find_setting(struct sw_dimension *d, const char *key, struct ct_swept *rule)
{
	const struct ct_mechanism *m;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++)
		for (unsigned k = 0; k < m->n_sweeps; k++)
			if (m->sweeps[k].is_setting && !strcmp(m->sweeps[k].key, key)) {
				*rule = (struct ct_swept){.rule = m->sweeps[k].rule};
				snprintf(rule->key, sizeof rule->key, "%s", key);
				d->kind = SW_SETTING;
				d->mechanism = i;
				return CT_OK;
			}
	return 1;
}

static int find_parameter(struct sw_dimension *d, const char *key, struct ct_swept *rule)
{
	const struct ct_mechanism *m;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++)
		if (ct_swept_parameter(key, m, 0, rule) == CT_OK) {
			d->kind = SW_PARAMETER;
			d->mechanism = i;
			return CT_OK;
		}
	return 1;
}

/* The parameter of a mechanism that a name without its prefix may mean, for a hint; "" where none does. */
static void guess_parameter(const char *key, char *out, size_t n)
{
	const struct ct_mechanism *m;
	struct ct_swept rule;
	*out = '\0';
	for (unsigned i = 0; (m = ct_mechanism_at(i)) && !*out; i++)
		if (ct_swept_parameter(key, m, 1, &rule) == CT_OK)
			snprintf(out, n, "did you mean %s?", rule.key);
}

static int unknown_key(const char *key, struct ct_error *e)
{
	struct ct_error near = {0};
	struct ct_buf assignment = {0};
	char guess[2 * CT_SWEPT_KEY_MAX];
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	guess_parameter(key, guess, sizeof guess);
	ct_buf_printf(&assignment, "%s=0", key);
	int st = ct_buf_check(&assignment, e);
	if (st == CT_OK && ct_mechanism_check_key(assignment.data, &near) == 1)
		ct_gpu_set(&g, assignment.data, &near);
	if (st == CT_OK && *guess)
		st = ct_fail(e, CT_ERR_USAGE, "%s is no key of a GPU: %s", key, guess);
	else if (st == CT_OK)
		st = ct_fail(e, CT_ERR_USAGE, "%s", near.text);
	ct_buf_free(&assignment);
	return st;
}

static int find_key(struct sw_dimension *d, const char *key, struct ct_swept *rule, struct ct_error *e)
{
	int st = find_setting(d, key, rule);
	if (st == 1)
		st = find_parameter(d, key, rule);
	if (st == 1) {
		d->kind = SW_OF_GPU;
		st = ct_swept_gpu_key(key, rule, e);
	}
	return st == 1 ? unknown_key(key, e) : st;
}

/* ---- which values ---- */

static int add_value(struct sw_dimension *d, size_t *cap, const char *value, const char *text,
                     struct ct_error *e)
{
	if (d->n == VALUES_MAX)
		return ct_fail(e, CT_ERR_USAGE, "%s: more than %d values: take larger steps", text,
		               VALUES_MAX);
	if (ct_grow((void **)&d->value, cap, d->n + 1, sizeof *d->value) < 0)
		return ct_fail_nomem(e);
	snprintf(d->value[d->n++], sizeof *d->value, "%s", value);
	return CT_OK;
}

/* A word that a GPU's key may have in place of a number, "lrr". */
static int add_word(struct sw_dimension *d, size_t *cap, const char *word, const char *text,
                    struct ct_error *e)
{
	char assignment[CT_SWEPT_KEY_MAX + CT_RANGE_PART_MAX];
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	snprintf(assignment, sizeof assignment, "%s=%s", d->key, word);
	int st = ct_gpu_set(&g, assignment, e);
	return st == CT_OK ? add_value(d, cap, word, text, e) : st;
}

/* One item of a list: a range, a number, or a word. */
static int add_item(struct sw_dimension *d, size_t *cap, const struct ct_swept *rule, const char *item,
                    const char *text, struct ct_error *e)
{
	struct ct_range_text parts = {.text = text};
	struct ct_range_spec range;
	struct ct_error why = {0};
	char value[CT_RANGE_PART_MAX];
	int is_range = strstr(item, "..") != NULL;
	int st = CT_OK;
	if (is_range) {
		st = ct_range_split("sweep", item, "llc.size=1MiB..8MiB:x2", &parts, e);
		parts.text = text;
	} else if (strlen(item) < sizeof parts.first) {
		memcpy(parts.first, item, strlen(item) + 1);
		memcpy(parts.last, item, strlen(item) + 1);
	} else {
		st = ct_fail(e, CT_ERR_USAGE, "%s: '%s' is too long for a value", text, item);
	}
	if (st != CT_OK)
		return st;
	st = ct_swept_read("sweep", &parts, rule, &range, &why);
	if (st == CT_ERR_USAGE && !is_range && d->kind == SW_OF_GPU)
		return add_word(d, cap, item, text, e);
	if (st != CT_OK)
		return ct_fail(e, st, "%s", why.text);
	for (size_t i = 0; st == CT_OK && i < ct_range_points(&range); i++) {
		ct_range_text_at(&range, i, value, sizeof value);
		st = add_value(d, cap, value, text, e);
	}
	return st;
}

static int add_list(struct sw_dimension *d, const struct ct_swept *rule, const char *list,
                    const char *text, struct ct_error *e)
{
	char item[3 * CT_RANGE_PART_MAX];
	size_t cap = 0;
	int st = CT_OK;
	for (int got; st == CT_OK && (got = ct_item_copy(&list, item, sizeof item)) != 0;)
		st = got < 0 || !*item
		             ? ct_fail(e, CT_ERR_USAGE,
		                       "%s: an item of the list is empty or too long: write KEY=a,b,c, "
		                       "KEY=a..b:STEP or KEY=a..b:xFACTOR",
		                       text)
		             : add_item(d, &cap, rule, item, text, e);
	for (size_t i = 0; st == CT_OK && i < d->n; i++)
		for (size_t k = 0; st == CT_OK && k < i; k++)
			if (!strcmp(d->value[i], d->value[k]))
				st = ct_fail(e, CT_ERR_USAGE, "%s: %s stands in it twice", text,
				             d->value[i]);
	return st;
}

int sw_dimension_read(struct sw_own *o, const char *text, struct ct_error *e)
{
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : 0;
	struct sw_dimension *d = &o->dimension[o->n_dimensions];
	struct ct_swept rule;
	char key[CT_RANGE_KEY_MAX];
	if (!n || n >= sizeof key)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: write what to vary as KEY=LIST, and -- in front of the inputs: "
		               "sweep llc.size=2MiB,4MiB -- TRACE",
		               text);
	if (o->n_dimensions == SW_DIMENSIONS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "%s: more than %d keys", text, SW_DIMENSIONS_MAX);
	memcpy(key, text, n);
	key[n] = '\0';
	*d = (struct sw_dimension){.n = 0};
	int st = find_key(d, key, &rule, e);
	if (st != CT_OK)
		return st;
	memcpy(d->key, rule.key, sizeof d->key);
	for (unsigned i = 0; i < o->n_dimensions; i++)
		if (!strcmp(o->dimension[i].key, d->key))
			return ct_fail(e, CT_ERR_USAGE, "%s: %s is varied twice", text, d->key);
	st = add_list(d, &rule, equals + 1, text, e);
	o->n_dimensions++; /* what it owns is freed with the others */
	o->points = (o->points ? o->points : 1) * (d->n ? d->n : 1);
	if (st == CT_OK && o->points > SW_POINTS_MAX)
		st = ct_fail(e, CT_ERR_USAGE, "more than %d points: take fewer values", SW_POINTS_MAX);
	return st;
}

/* ---- points ---- */

/* The first dimension changes slowest. */
static size_t value_index(const struct sw_own *o, size_t point, unsigned dimension)
{
	for (unsigned i = o->n_dimensions; --i > dimension;)
		point /= o->dimension[i].n;
	return point % o->dimension[dimension].n;
}

const char *sw_value(const struct sw_own *o, size_t point, unsigned dimension)
{
	return o->dimension[dimension].value[value_index(o, point, dimension)];
}

size_t sw_groups(const struct sw_own *o, size_t *each)
{
	size_t groups = 1;
	*each = 1;
	for (unsigned i = 0; i < o->n_dimensions; i++)
		*(o->dimension[i].kind == SW_OF_GPU ? &groups : each) *= o->dimension[i].n;
	return groups;
}

size_t sw_group_point(const struct sw_own *o, size_t group, size_t k)
{
	size_t index[SW_DIMENSIONS_MAX], point = 0;
	for (unsigned i = o->n_dimensions; i-- > 0;) {
		const struct sw_dimension *d = &o->dimension[i];
		size_t *rest = d->kind == SW_OF_GPU ? &group : &k;
		index[i] = *rest % d->n;
		*rest /= d->n;
	}
	for (unsigned i = 0; i < o->n_dimensions; i++)
		point = point * o->dimension[i].n + index[i];
	return point;
}

void sw_values(const struct sw_own *o, size_t point, char separator, struct ct_buf *b)
{
	for (unsigned i = 0; i < o->n_dimensions; i++) {
		if (i)
			ct_buf_putc(b, separator);
		ct_buf_puts(b, sw_value(o, point, i));
	}
}

void sw_keys(const struct sw_own *o, struct ct_buf *b)
{
	for (unsigned i = 0; i < o->n_dimensions; i++)
		ct_buf_printf(b, "%s%s", i ? "," : "", o->dimension[i].key);
}
