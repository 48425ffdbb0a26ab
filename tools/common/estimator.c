#include "common/estimator.h"
#include "common/terminal.h"

#include <string.h>

int ct_est_emit(struct ct_tool *t, struct ct_table *table, struct ct_error *e)
{
	struct ct_buf b = {0};
	ct_table_render(table, &b);
	int st = ct_buf_check(&b, e);
	if (st == CT_OK)
		st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

int ct_est_of_mechanism(void *name, const struct ct_record *r)
{
	return r->nfields > 1 && strcmp(r->field[1], name) == 0;
}

int ct_est_finish(struct ct_tool *t, struct ct_stage *s, const char *mechanism,
                  int (*table)(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                               struct ct_error *e),
                  struct ct_error *e)
{
	ct_profile_remove(s->p, "TV", ct_est_of_mechanism, (void *)mechanism);
	int st = ct_stage_retarget(t, s, e);
	return st == CT_OK ? ct_stage_emit(t, s, table, e) : st;
}

int ct_est_constants(struct ct_tool *t, const struct ct_constants *c, const double *v,
                     struct ct_error *e)
{
	static const char *const names[] = {"key", "value", "unit", "source"};
	struct ct_table table = {.columns = 4, .style = ct_terminal_style()};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < c->n; i++) {
		ct_table_cell(&table, "%s.%s", c->prefix, c->row[i].name);
		ct_table_cell(&table, "%.6g", v[i]);
		ct_table_cell(&table, "%s", c->row[i].unit);
		ct_table_cell(&table, "%s", c->row[i].source);
	}
	return ct_est_emit(t, &table, e);
}

int ct_est_published(const char *model, const struct ct_profile *p, struct ct_published *pub,
                     const struct ct_published_row **app, struct ct_error *e)
{
	struct ct_buf path = {0};
	size_t i = 0;
	const struct ct_record *tr = ct_profile_next(p, "TR", &i);
	ct_buf_printf(&path, "%s/%s/published.tsv", ct_tool_data_dir(), model);
	int st = ct_buf_check(&path, e);
	if (st == CT_OK)
		st = ct_published_load(pub, path.data, e);
	ct_buf_free(&path);
	if (st == CT_OK)
		*app = tr ? ct_published_find(pub, tr->field[0]) : NULL;
	return st;
}
