/* Writing the document. The check sum covers every byte before the EN line, from the
 * first of "#cachetriage-profile" to the newline behind EN's column line. */
#include "base/escape.h"
#include "base/hash.h"
#include "profile/profile.h"
#include "profile/profile_internal.h"

/* Columns that a type of ours has in this profile: optional ones as far as a record has them. */
static unsigned known_columns(const struct type_list *l)
{
	unsigned n = l->known->n_columns, most = n + l->known->n_optional;
	for (size_t i = 0; n < most && i < l->n; i++)
		n = l->rec[i]->pub.nfields > n ? l->rec[i]->pub.nfields : n;
	return n < most ? n : most;
}

/* "#SN\tscope\t..."; nothing for an unknown type whose columns nobody named. */
static void write_columns(const struct type_list *l, struct ct_buf *b)
{
	unsigned n = l->known ? known_columns(l) : 0;
	if (l->n_columns > n)
		n = l->n_columns;
	if (n == 0)
		return;
	ct_buf_putc(b, '#');
	ct_buf_puts(b, l->name);
	for (unsigned i = 0; i < n; i++) {
		ct_buf_putc(b, '\t');
		ct_escape_field(b, profile_column_name(l, i));
	}
	ct_buf_putc(b, '\n');
}

static void write_record(const struct ct_record *r, struct ct_buf *b)
{
	ct_buf_puts(b, r->type);
	for (unsigned i = 0; i < r->nfields; i++) {
		ct_buf_putc(b, '\t');
		ct_escape_field(b, r->field[i]);
	}
	ct_buf_putc(b, '\n');
}

int ct_profile_write(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	size_t start = b->len;
	ct_buf_puts(b, "#cachetriage-profile\t1\n");
	for (size_t t = 0; t < p->n_types; t++) {
		const struct type_list *l = &p->types[t];
		if (l->n == 0)
			continue;
		write_columns(l, b);
		for (size_t i = 0; i < l->n; i++)
			write_record(&l->rec[i]->pub, b);
	}
	ct_buf_puts(b, "#EN\trecords\tcrc32\n");
	if (b->failed)
		return ct_fail_nomem(e);
	uint32_t crc = ct_crc32(0, b->data + start, b->len - start);
	ct_buf_printf(b, "EN\t%zu\t%08lx\n", p->count, (unsigned long)crc);
	return ct_buf_check(b, e);
}
