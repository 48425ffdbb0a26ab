#include "common/estimator.h"
#include "common/terminal.h"

#include <string.h>

static int emit_table(struct ct_tool *t, struct ct_table *table, struct ct_error *e)
{
	struct ct_buf b = {0};
	ct_table_render(table, &b);
	int st = ct_tool_finish_tables(t, &b, e);
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
	return emit_table(t, &table, e);
}
