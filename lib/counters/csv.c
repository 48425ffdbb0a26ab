#include "counters/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int add_field(struct ct_csv *c, char *field)
{
	if (ct_grow((void **)&c->field, &c->cap, c->n + 1, sizeof *c->field) != 0) {
		c->nomem = 1;
		return CT_CSV_BROKEN;
	}
	c->field[c->n++] = field;
	return 0;
}

/* Moves the text of a quoted field to where it began, without its quotes. *at stands behind the opening quote, and then
 * behind the closing one. Returns the end of the text, or NULL where no quote closes it. */
static char *read_quoted(struct ct_csv *c, char **at, int whole_lines)
{
	char *from = *at, *to = *at;
	for (;;) {
		if (from == c->end || (whole_lines && *from == '\n'))
			return NULL;
		if (*from == '"') {
			if (from[1] != '"')
				break;
			from++;
		} else if (*from == '\n') {
			c->line++;
		}
		*to++ = *from++;
	}
	*at = from + 1;
	return to;
}

/* Drops the rest of the line that `at` stands in. */
static void skip_line(struct ct_csv *c, char *at)
{
	while (at != c->end && *at != '\n')
		at++;
	if (at != c->end) {
		at++;
		c->line++;
	}
	c->at = at;
}

int ct_csv_next(struct ct_csv *c, int whole_lines)
{
	char *at = c->at;
	c->n = 0;
	c->row_line = c->line;
	if (at == c->end)
		return 0;
	for (;;) {
		char *field = at, *stop, mark;
		if (*at == '"') {
			field = ++at;
			stop = read_quoted(c, &at, whole_lines);
		} else {
			while (at != c->end && *at != ',' && *at != '\n')
				at++;
			stop = at;
			if (stop > field && stop[-1] == '\r' && (at == c->end || *at == '\n'))
				stop--;
		}
		if (stop && *at == '\r' && (at + 1 == c->end || at[1] == '\n'))
			at++;
		if (!stop || (at != c->end && *at != ',' && *at != '\n')) {
			skip_line(c, stop ? at : field);
			return CT_CSV_BROKEN;
		}
		mark = at == c->end ? '\n' : *at;
		*stop = '\0';
		if (add_field(c, field) != 0)
			return CT_CSV_BROKEN;
		if (at != c->end)
			at++;
		if (mark == '\n') {
			c->line++;
			c->at = at;
			return 1;
		}
	}
}

void ct_csv_free(struct ct_csv *c)
{
	free(c->field);
	c->field = NULL;
	c->n = c->cap = 0;
}
