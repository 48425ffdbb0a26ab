#include "common/symbols.h"

/* Reads names of arrays from a file (--symbols). */
static int declare_file(const struct ct_tool *t, struct ct_layout *a, const char *path,
                        struct ct_error *e)
{
	struct ct_source_options o = {.max_expand = t->max_expand};
	struct ct_source *s;
	struct ct_buf text = {0};
	const char *data;
	size_t n;
	int st = ct_source_open(&s, path, &o, e);
	if (st != CT_OK)
		return st;
	while ((st = ct_source_read(s, &data, &n, e)) > 0)
		ct_buf_add(&text, data, n);
	if (st == CT_OK)
		st = ct_buf_check(&text, e);
	if (st == CT_OK && text.len)
		st = ct_layout_declare_text(a, path, text.data, text.len, e);
	ct_source_close(s);
	ct_buf_free(&text);
	return st;
}

int ct_tool_layout(const struct ct_tool *t, const char *symbols, struct ct_layout **out,
                   struct ct_error *e)
{
	struct ct_layout *a = *out = ct_layout_new(e);
	int st = a ? CT_OK : CT_ERR_NOMEM;
	if (st == CT_OK && symbols)
		st = declare_file(t, a, symbols, e);
	if (st != CT_OK) {
		ct_layout_free(a);
		*out = NULL;
	}
	return st;
}
