#include "models/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/items.h"

/* One line for each mechanism: the name of its folder, in the order in which tables show them. */
#define MECHANISMS(X) \
	X(morpheus) \
	X(shared_l1) \
	X(tag_split) \
	X(malekeh) \
	X(bypass) \
	/* the next one here */

#define DECLARE(folder) extern const struct ct_mechanism ct_mechanism_##folder;
#define ADDRESS(folder) &ct_mechanism_##folder,

MECHANISMS(DECLARE)

/* Those of the program, and behind them room for plugins: the one thing here that a program changes, once, at its
 * start (registry.h). */
static const struct ct_mechanism *TABLE[CT_MECHANISMS_MAX + 1] = {MECHANISMS(ADDRESS) NULL};

#define AND_ONE(folder) +1
enum { BUILT_IN_COUNT = 0 MECHANISMS(AND_ONE) };

static unsigned plugins;

unsigned ct_mechanism_count(void)
{
	return BUILT_IN_COUNT + plugins;
}

const struct ct_mechanism *ct_mechanism_at(unsigned i)
{
	return i < ct_mechanism_count() ? TABLE[i] : NULL;
}

/* ---- names ---- */

static int is_called(const struct ct_mechanism *m, const char *name, size_t n)
{
	if (strlen(m->name) == n && !strncmp(m->name, name, n))
		return 1;
	for (const char *const *a = m->aliases; a && *a; a++)
		if (strlen(*a) == n && !strncmp(*a, name, n))
			return 1;
	return 0;
}

/* By the first n characters of name: its index, or -1. */
static int index_of(const char *name, size_t n)
{
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (is_called(TABLE[i], name, n) ||
		    (strlen(TABLE[i]->command) == n && !strncmp(TABLE[i]->command, name, n)))
			return (int)i;
	return -1;
}

int ct_mechanism_find(const char *name)
{
	return index_of(name, strlen(name));
}

uint32_t ct_mechanism_plugins(void)
{
	uint32_t mask = 0;
	for (unsigned i = BUILT_IN_COUNT; i < ct_mechanism_count(); i++)
		mask |= UINT32_C(1) << i;
	return mask;
}

/* Whether a name, alias or prefix of m means a mechanism that there is. */
static int is_taken(const struct ct_mechanism *m, const char **name)
{
	*name = m->name;
	if (ct_mechanism_find(m->name) >= 0 || ct_mechanism_of_key(m->name) >= 0)
		return 1;
	*name = m->parameters->prefix;
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (is_called(TABLE[i], *name, strlen(*name)) ||
		    !strcmp(TABLE[i]->parameters->prefix, *name))
			return 1;
	for (const char *const *a = m->aliases; a && *a; a++)
		if (ct_mechanism_find(*name = *a) >= 0)
			return 1;
	return 0;
}

int ct_mechanisms_add(const struct ct_mechanism *m, struct ct_error *e)
{
	const char *name;
	if (plugins == CT_PLUGINS_MAX)
		return ct_fail(e, CT_ERR_LIMIT, "more than %d plugins: name fewer", CT_PLUGINS_MAX);
	if (is_taken(m, &name))
		return ct_fail(e, CT_ERR_USAGE,
		               "plugin '%s': there is a mechanism called %s: give it another name",
		               m->name, name);
	TABLE[BUILT_IN_COUNT + plugins++] = m;
	return CT_OK;
}

void ct_mechanisms_replace(unsigned i, const struct ct_mechanism *m)
{
	if (i >= BUILT_IN_COUNT && i < ct_mechanism_count())
		TABLE[i] = m;
}

int ct_mechanism_system(const struct ct_mechanism *m, const char *name)
{
	for (unsigned i = 0; i < m->n_systems; i++)
		if (!strcmp(m->systems[i].name, name))
			return (int)i;
	return -1;
}

/* ---- keys ---- */

int ct_mechanism_is_key(const struct ct_mechanism *m, const char *assignment)
{
	size_t n = strcspn(assignment, ".=");
	return ct_constants_own(m->parameters, assignment) ||
	       (assignment[n] == '.' && is_called(m, assignment, n));
}

int ct_mechanism_of_key(const char *assignment)
{
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (ct_mechanism_is_key(TABLE[i], assignment))
			return (int)i;
	return -1;
}

int ct_mechanism_check_key(const char *assignment, struct ct_error *e)
{
	int i = ct_mechanism_of_key(assignment);
	return i < 0 ? 1 : ct_constants_check(TABLE[i]->parameters, assignment, e);
}

/* ---- metrics ---- */

const struct ct_metric *ct_mechanism_metric(const char *type, const char *name)
{
	int estimated = !strcmp(type, "ES") || !strcmp(type, "SW");
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_metric *row = estimated ? TABLE[i]->metrics : TABLE[i]->items;
		unsigned n = estimated ? TABLE[i]->n_metrics : TABLE[i]->n_items;
		for (unsigned k = 0; k < n; k++)
			if (!strcmp(row[k].name, name))
				return &row[k];
	}
	return NULL;
}

/* ---- lists ---- */

static int unknown_name(const char *option, const char *name, size_t n, struct ct_error *e)
{
	struct ct_buf names = {0};
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		ct_buf_printf(&names, "%s%s", i ? ", " : "", TABLE[i]->name);
	int st = ct_buf_check(&names, e);
	if (st == CT_OK)
		st = ct_fail(e, CT_ERR_USAGE, "%s %.*s: use all, or some of %s", option, (int)n, name,
		             names.data);
	ct_buf_free(&names);
	return st;
}

int ct_mechanisms_parse(const char *option, const char *list, uint32_t *mask, struct ct_error *e)
{
	uint32_t all = 0;
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		all |= UINT32_C(1) << i;
	*mask = 0;
	const char *name;
	for (size_t n; (name = ct_item_next(&list, &n));) {
		int i = index_of(name, n), is_all = n == 3 && !strncmp(name, "all", n);
		if (i < 0 && !is_all)
			return unknown_name(option, name, n, e);
		*mask |= is_all ? all : UINT32_C(1) << i;
	}
	return CT_OK;
}

uint32_t ct_mechanisms_published(void)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (TABLE[i]->published)
			mask |= UINT32_C(1) << i;
	return mask;
}
