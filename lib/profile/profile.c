/* The store: records in an arena, one list per type, one hash index over the leading
 * columns. Records never move, so chains and callers may point at them. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "profile/profile_internal.h"

enum { CHUNK = 64 * 1024, TYPE_NAME_MAX = 16 };

struct ct_profile *ct_profile_new(struct ct_error *e)
{
	struct ct_profile *p = ct_calloc(1, sizeof *p);
	if (!p)
		ct_fail_nomem(e);
	return p;
}

void ct_profile_free(struct ct_profile *p)
{
	if (!p)
		return;
	while (p->arena) {
		struct chunk *next = p->arena->next;
		free(p->arena);
		p->arena = next;
	}
	for (size_t i = 0; i < p->n_types; i++)
		free(p->types[i].rec);
	free(p->types);
	free(p->slots);
	free(p->scopes);
	free(p);
}

void *profile_alloc(struct ct_profile *p, size_t n)
{
	struct chunk *c = p->arena;
	n = (n + 7) & ~(size_t)7;
	if (!c || c->size - c->used < n) {
		size_t size = n > CHUNK ? n : CHUNK;
		c = malloc(sizeof *c + size);
		if (!c)
			return NULL;
		c->used = 0;
		c->size = size;
		c->next = p->arena;
		p->arena = c;
	}
	void *at = (char *)(c + 1) + c->used;
	c->used += n;
	return at;
}

static const char *copy_text(struct ct_profile *p, const char *s)
{
	size_t n = strlen(s) + 1;
	char *t = profile_alloc(p, n);
	return t ? memcpy(t, s, n) : NULL;
}

/* ---- types ---- */

/* Upper-case letters and digits behind a letter: what tells a record from debris. */
static int valid_type(const char *s)
{
	size_t n = 0;
	for (; s[n]; n++)
		if (!((s[n] >= 'A' && s[n] <= 'Z') || (n > 0 && s[n] >= '0' && s[n] <= '9')))
			return 0;
	return n >= 2 && n <= TYPE_NAME_MAX;
}

const struct type_list *profile_list_const(const struct ct_profile *p, const char *type)
{
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].name == type ||
		    (*p->types[i].name == *type && strcmp(p->types[i].name, type) == 0))
			return &p->types[i];
	return NULL;
}

struct type_list *profile_list(struct ct_profile *p, const char *type, int create, struct ct_error *e)
{
	const struct type_list *found = profile_list_const(p, type);
	if (found)
		return &p->types[found - p->types];
	if (!create)
		return NULL;
	if (!valid_type(type) || strcmp(type, "EN") == 0) {
		ct_fail(e, CT_ERR_USAGE, "'%.40s' is no record type: two or more upper-case letters",
		        type);
		return NULL;
	}
	if (p->n_types >= CT_PROFILE_TYPES_MAX) {
		ct_fail(e, CT_ERR_LIMIT, "more than %d record types: is this a profile?",
		        CT_PROFILE_TYPES_MAX);
		return NULL;
	}
	if (ct_grow((void **)&p->types, &p->cap_types, p->n_types + 1, sizeof *p->types) < 0) {
		ct_fail_nomem(e);
		return NULL;
	}
	struct type_list *l = &p->types[p->n_types];
	memset(l, 0, sizeof *l);
	l->recent = NO_SLOT;
	l->known = ct_record_type(type);
	l->name = l->known ? l->known->name : copy_text(p, type);
	if (!l->name) {
		ct_fail_nomem(e);
		return NULL;
	}
	p->n_types++;
	return l;
}

int profile_columns(struct ct_profile *p, struct type_list *l, unsigned n, const char *const *names,
                    struct ct_error *e)
{
	if (l->columns || (l->known && n <= l->known->n_columns + l->known->n_optional))
		return CT_OK;
	const char **c = profile_alloc(p, n * sizeof *c + 1);
	if (!c)
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < n; i++) {
		c[i] = copy_text(p, names[i]);
		if (!c[i])
			return ct_fail_nomem(e);
	}
	l->columns = c;
	l->n_columns = n;
	return CT_OK;
}

const char *profile_column_name(const struct type_list *l, unsigned i)
{
	if (l->known && i < l->known->n_columns + l->known->n_optional)
		return l->known->columns[i].name;
	return i < l->n_columns ? l->columns[i] : NULL;
}

/* ---- index ---- */

/* FNV-1a over the key's texts and their ends, then mixed. */
static uint64_t key_hash(uint32_t type, unsigned n, const char *const *key)
{
	uint64_t h = CT_FNV_START ^ type;
	for (unsigned i = 0; i < n; i++) {
		const unsigned char *s = (const unsigned char *)key[i];
		do
			h = ct_fnv_byte(h, *s);
		while (*s++);
	}
	return ct_mix64(h);
}

/* The slot of a record with these leading fields, or the free one that it belongs into. The table is
 * never full. */
static struct slot *find_slot(const struct ct_profile *p, uint64_t hash, uint32_t type, unsigned n,
                              const char *const *key)
{
	size_t mask = p->n_slots - 1;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct slot *s = &p->slots[i];
		if (!s->head)
			return s;
		if (s->hash != hash || s->type != type)
			continue;
		unsigned k = 0;
		while (k < n && strcmp(s->head->pub.field[k], key[k]) == 0)
			k++;
		if (k == n)
			return s;
	}
}

/* Doubles the index and enters all records again. Returns -1 when out of memory, the index as it was. */
static int grow_slots(struct ct_profile *p)
{
	size_t n = p->n_slots ? p->n_slots * 2 : 256;
	struct slot *old = p->slots, *slots = ct_calloc(n, sizeof *slots);
	if (!slots)
		return -1;
	for (size_t i = 0; i < p->n_slots; i++) {
		if (!old[i].head)
			continue;
		size_t at = old[i].hash & (n - 1);
		while (slots[at].head)
			at = (at + 1) & (n - 1);
		slots[at] = old[i];
	}
	for (size_t i = 0; i < p->n_types; i++)
		p->types[i].recent = NO_SLOT;
	free(old);
	p->slots = slots;
	p->n_slots = n;
	return 0;
}

/* Slot of r's key, made when it is new; NULL when out of memory. Room is made for new keys only:
 * index_rebuild() counts on it. */
static struct slot *enter_key(struct ct_profile *p, uint32_t type, unsigned n, struct rec *r)
{
	uint64_t h = key_hash(type, n, r->pub.field);
	struct slot *s = p->slots ? find_slot(p, h, type, n, r->pub.field) : NULL;
	if (!s || (!s->head && (p->used_slots + 1) * 4 > p->n_slots * 3)) {
		if (grow_slots(p) < 0)
			return NULL;
		s = find_slot(p, h, type, n, r->pub.field);
	}
	if (!s->head) {
		*s = (struct slot){.hash = h, .type = type, .head = r};
		p->used_slots++;
	}
	return s;
}

static int index_scope(struct ct_profile *p, struct rec *r)
{
	if (ct_profile_has_scope(p, r->pub.field[0]))
		return 0;
	if (ct_grow((void **)&p->scopes, &p->cap_scopes, p->n_scopes + 1, sizeof *p->scopes) < 0)
		return -1;
	struct slot *s = enter_key(p, SCOPE_KEY, 1, r);
	if (s && s->head == r)
		p->scopes[p->n_scopes++] = r->pub.field[0];
	return s ? 0 : -1;
}

/* Puts r at the end of its key's chain. before: the record in front of it in the list.
 * Histograms come bin after bin, and equal neighbours share their texts: no search. */
static int index_record(struct ct_profile *p, struct type_list *l, const struct rec *before,
                        struct rec *r)
{
	if (!l->known || !l->known->index)
		return 0;
	unsigned n = l->known->index, equal = 0;
	r->same = NULL;
	while (before && equal < n && before->pub.field[equal] == r->pub.field[equal])
		equal++;
	if (l->known->scoped && equal == 0 && index_scope(p, r) < 0)
		return -1;
	struct slot *s = equal == n && l->recent != NO_SLOT ? &p->slots[l->recent] : NULL;
	if (!s && !(s = enter_key(p, (uint32_t)(l - p->types), n, r)))
		return -1;
	l->recent = (size_t)(s - p->slots);
	if (s->tail)
		s->tail->same = r;
	s->tail = r;
	return 0;
}

/* After a removal. Cannot fail: everything fits that fitted before. */
static void index_rebuild(struct ct_profile *p)
{
	if (p->slots)
		memset(p->slots, 0, p->n_slots * sizeof *p->slots);
	p->used_slots = 0;
	p->n_scopes = 0;
	for (size_t t = 0; t < p->n_types; t++) {
		struct type_list *l = &p->types[t];
		l->recent = NO_SLOT;
		for (size_t i = 0; i < l->n; i++)
			(void)index_record(p, l, i ? l->rec[i - 1] : NULL, l->rec[i]);
	}
}

const struct ct_record *
ct_profile_find(const struct ct_profile *p, const char *type, unsigned n, const char *const *key)
{
	const struct type_list *l = profile_list_const(p, type);
	if (!l || !l->known || l->known->index != n || n == 0 || !p->slots)
		return NULL;
	uint32_t number = (uint32_t)(l - p->types);
	const struct slot *s = find_slot(p, key_hash(number, n, key), number, n, key);
	return s->head ? &s->head->pub : NULL;
}

const struct ct_record *ct_profile_same(const struct ct_record *r)
{
	const struct rec *next = ((const struct rec *)(const void *)r)->same;
	return next ? &next->pub : NULL;
}

const char *ct_profile_scope(const struct ct_profile *p, size_t i)
{
	return i < p->n_scopes ? p->scopes[i] : NULL;
}

int ct_profile_has_scope(const struct ct_profile *p, const char *scope)
{
	return p->slots && find_slot(p, key_hash(SCOPE_KEY, 1, &scope), SCOPE_KEY, 1, &scope)->head;
}

/* ---- records ---- */

/* Copies fields; one that equals the neighbour's is shared, as scopes and views are. */
static int set_fields(struct ct_profile *p, struct rec *r, const struct rec *neighbour, unsigned n,
                      const char *const *fields, struct ct_error *e)
{
	const char **copy = profile_alloc(p, n * sizeof *copy + 1);
	if (!copy)
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < n; i++) {
		const char *same = neighbour && i < neighbour->pub.nfields ? neighbour->pub.field[i]
		                                                           : NULL;
		if (same && *same == *fields[i] && strcmp(same, fields[i]) == 0)
			copy[i] = same;
		else
			copy[i] = copy_text(p, fields[i]);
		if (!copy[i])
			return ct_fail_nomem(e);
	}
	r->pub.field = copy;
	r->pub.nfields = n;
	return CT_OK;
}

static int check_fields(const struct type_list *l, unsigned n, struct ct_error *e)
{
	if (n > CT_RECORD_FIELDS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "%s record has %u fields: at most %d are allowed",
		               l->name, n, CT_RECORD_FIELDS_MAX);
	if (l->known && n < l->known->n_columns)
		return ct_fail(e, CT_ERR_USAGE, "%s record has %u fields: it needs %u", l->name, n,
		               l->known->n_columns);
	return CT_OK;
}

int profile_append(struct ct_profile *p, struct type_list *l, unsigned n, const char *const *fields,
                   struct rec **out, struct ct_error *e)
{
	int st = check_fields(l, n, e);
	if (st != CT_OK)
		return st;
	if (p->count >= CT_PROFILE_RECORDS_MAX)
		return ct_fail(e, CT_ERR_LIMIT, "more than %d records: split the profile",
		               CT_PROFILE_RECORDS_MAX);
	struct rec *r = profile_alloc(p, sizeof *r);
	if (!r || ct_grow((void **)&l->rec, &l->cap, l->n + 1, sizeof(struct rec *)) < 0)
		return ct_fail_nomem(e);
	memset(r, 0, sizeof *r);
	r->pub.type = l->name;
	st = set_fields(p, r, l->n ? l->rec[l->n - 1] : NULL, n, fields, e);
	if (st != CT_OK)
		return st;
	/* Enter the record before the index can fail half-way: both stay consistent. */
	l->rec[l->n++] = r;
	p->count++;
	if (index_record(p, l, l->n > 1 ? l->rec[l->n - 2] : NULL, r) < 0)
		return ct_fail_nomem(e);
	if (out)
		*out = r;
	return CT_OK;
}

int profile_replace(struct ct_profile *p, struct rec *r, unsigned n, const char *const *fields,
                    struct ct_error *e)
{
	return set_fields(p, r, r, n, fields, e);
}

int profile_fields_equal(const struct ct_record *a, unsigned n, const char *const *fields, unsigned mask)
{
	for (unsigned i = 0; i < 32 && mask >> i; i++)
		if (mask >> i & 1 && (i >= a->nfields || i >= n || strcmp(a->field[i], fields[i]) != 0))
			return 0;
	return 1;
}

int ct_profile_add(struct ct_profile *p, const char *type, unsigned n, const char *const *fields,
                   struct ct_error *e)
{
	struct type_list *l = profile_list(p, type, 1, e);
	if (!l)
		return e ? e->status : CT_ERR_NOMEM;
	return profile_append(p, l, n, fields, NULL, e);
}

int ct_profile_put(struct ct_profile *p, const char *type, unsigned n, const char *const *fields,
                   struct ct_error *e)
{
	struct type_list *l = profile_list(p, type, 1, e);
	if (!l)
		return e ? e->status : CT_ERR_NOMEM;
	int st = check_fields(l, n, e);
	if (st != CT_OK)
		return st;
	const struct ct_record *r = NULL;
	if (l->known && l->known->identity)
		r = ct_profile_find(p, type, l->known->index, fields);
	while (r && !profile_fields_equal(r, n, fields, l->known->identity))
		r = ct_profile_same(r);
	if (!r)
		return profile_append(p, l, n, fields, NULL, e);
	return profile_replace(p, (struct rec *)(void *)r, n, fields, e);
}

void ct_profile_remove(struct ct_profile *p, const char *type,
                       int (*match)(void *ctx, const struct ct_record *r), void *ctx)
{
	struct type_list *l = profile_list(p, type, 0, NULL);
	size_t kept = 0;
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (match && !match(ctx, &l->rec[i]->pub))
			l->rec[kept++] = l->rec[i];
	if (kept == l->n)
		return;
	p->count -= l->n - kept;
	l->n = kept;
	index_rebuild(p);
}

size_t ct_profile_count(const struct ct_profile *p)
{
	return p->count;
}

const struct ct_record *ct_profile_at(const struct ct_profile *p, size_t i)
{
	for (size_t t = 0; t < p->n_types; t++) {
		if (i < p->types[t].n)
			return &p->types[t].rec[i]->pub;
		i -= p->types[t].n;
	}
	return NULL;
}

const struct ct_record *ct_profile_next(const struct ct_profile *p, const char *type, size_t *i)
{
	const struct type_list *l = profile_list_const(p, type);
	return l && *i < l->n ? &l->rec[(*i)++]->pub : NULL;
}
