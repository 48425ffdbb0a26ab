/* JSON lines: one object per record. */
#include <string.h>

#include "base/escape.h"
#include "profile/profile.h"
#include "profile/profile_internal.h"

static void write_value(struct ct_buf *b, enum ct_column_kind kind, const char *s)
{
	if (kind == CT_COLUMN_TEXT)
		ct_escape_json(b, s);
	else if (strcmp(s, "NA") == 0)
		ct_buf_puts(b, "null");
	else if (profile_is_number(s))
		ct_buf_puts(b, s);
	else
		ct_escape_json(b, s);
}

/* 1 when column i's name can be a key: not empty, and no other key of the object. */
static int usable_key(const struct type_list *l, unsigned i)
{
	const char *name = profile_column_name(l, i), *other;
	if (!name || !*name || strcmp(name, "type") == 0)
		return 0;
	if (strncmp(name, "field", 5) == 0 && profile_is_count(name + 5))
		return 0;
	for (unsigned k = 0; k < i; k++)
		if ((other = profile_column_name(l, k)) && strcmp(other, name) == 0)
			return 0;
	return 1;
}

/* Writes a record as one JSON object. Columns without a usable name are called field1, field2 and so
 * on. */
static void write_record(struct ct_buf *b, const struct type_list *l, const struct ct_record *r,
                         const unsigned char *usable)
{
	ct_buf_puts(b, "{\"type\":");
	ct_escape_json(b, r->type);
	for (unsigned i = 0; i < r->nfields; i++) {
		enum ct_column_kind kind = CT_COLUMN_TEXT;
		if (l->known && i < l->known->n_columns + l->known->n_optional)
			kind = l->known->columns[i].kind;
		ct_buf_putc(b, ',');
		if (usable[i])
			ct_escape_json(b, profile_column_name(l, i));
		else
			ct_buf_printf(b, "\"field%u\"", i + 1);
		ct_buf_putc(b, ':');
		write_value(b, kind, r->field[i]);
	}
	ct_buf_puts(b, "}\n");
}

int ct_profile_write_json(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	for (size_t t = 0; t < p->n_types; t++) {
		const struct type_list *l = &p->types[t];
		unsigned char usable[CT_RECORD_FIELDS_MAX];
		for (unsigned i = 0; i < CT_RECORD_FIELDS_MAX; i++)
			usable[i] = (unsigned char)usable_key(l, i);
		for (size_t i = 0; i < l->n; i++)
			write_record(b, l, &l->rec[i]->pub, usable);
	}
	return ct_buf_check(b, e);
}
