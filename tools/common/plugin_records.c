#include "common/plugin_records.h"

#include <string.h>

#include "base/items.h"
#include "models/registry.h"

static const char *const types[] = {"ES", "SW", "TV", "IM", "SN"};
enum { TYPES = sizeof types / sizeof types[0], NAMED = 3 /* of them name a mechanism */ };

struct owner {
	uint32_t mask;
	const char *together;
};

static int is_member(const char *list, const char *name)
{
	const char *item;
	for (size_t n; (item = ct_item_next(&list, &n));)
		if (strlen(name) == n && !strncmp(item, name, n))
			return 1;
	return 0;
}

static int has_item(const struct ct_mechanism *m, const char *name)
{
	for (unsigned i = 0; i < m->n_items; i++)
		if (!strcmp(m->items[i].name, name))
			return 1;
	return 0;
}

/* Of several together their own records, and those of each alone, which full timing gave. */
static int is_of_together(const struct owner *o, const struct ct_record *r)
{
	enum { METHOD = 6 };
	if (!o->together)
		return 0;
	return !strcmp(r->field[1], o->together) ||
	       (!strcmp(r->type, "ES") && r->nfields > METHOD && !strcmp(r->field[METHOD], "full") &&
	        is_member(o->together, r->field[1]));
}

static int is_owned(const struct owner *o, const struct ct_record *r, int names_mechanism)
{
	const struct ct_mechanism *m;
	if (r->nfields < 2)
		return 0;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++)
		if (o->mask >> i & 1 &&
		    (names_mechanism ? !strcmp(r->field[1], m->name) : has_item(m, r->field[1])))
			return 1;
	return names_mechanism && is_of_together(o, r);
}

static int is_replaced(void *ctx, const struct ct_record *r)
{
	const struct owner *o = ctx;
	return r->nfields > 1 && is_owned(o, r, 1);
}

static int copy_owned(const struct owner *o, const struct ct_profile *from, struct ct_profile *into,
                      struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	for (unsigned k = 0; k < TYPES; k++)
		for (size_t i = 0; st == CT_OK && (r = ct_profile_next(from, types[k], &i));)
			if (is_owned(o, r, k < NAMED))
				st = ct_profile_put(into, r->type, r->nfields, r->field, e);
	return st;
}

int ct_plugin_records(const struct ct_profile *p, uint32_t mask, const char *together, struct ct_buf *b,
                      struct ct_error *e)
{
	const struct owner o = {mask, together};
	struct ct_profile *own = ct_tool_profile(e);
	int st = own ? copy_owned(&o, p, own, e) : CT_ERR_NOMEM;
	if (st == CT_OK)
		st = ct_profile_write(own, b, e);
	ct_profile_free(own);
	return st;
}

static int count_owned(const struct owner *o, const struct ct_profile *p)
{
	const struct ct_record *r;
	size_t n = 0;
	for (unsigned k = 0; k < TYPES; k++)
		for (size_t i = 0; (r = ct_profile_next(p, types[k], &i));)
			n += (size_t)is_owned(o, r, k < NAMED);
	return n == ct_profile_count(p);
}

int ct_plugin_take_records(struct ct_profile *p, uint32_t mask, const char *together,
                           const struct ct_buf *b, int *broken, struct ct_error *e)
{
	struct owner o = {mask, together};
	struct ct_profile *own = NULL;
	struct ct_error why = {0};
	int st = ct_profile_read_memory(&own, "its records", b->len ? b->data : "", b->len, 1, &why);
	if (st == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	if (st == CT_OK && !count_owned(&o, own))
		st = ct_fail(&why, CT_ERR_INPUT, "records of another mechanism");
	*broken = st != CT_OK;
	if (st == CT_OK && mask)
		for (unsigned k = 0; k < NAMED; k++)
			ct_profile_remove(p, types[k], is_replaced, &o);
	if (st == CT_OK)
		st = copy_owned(&o, own, p, e);
	else
		st = ct_fail(e, CT_ERR_INPUT, "a plugin's answer is damaged: %s", why.text);
	ct_profile_free(own);
	return st;
}
