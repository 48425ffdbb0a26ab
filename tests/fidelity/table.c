#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int split(char *line, char (*cell)[TABLE_CELL])
{
	int n = 0;
	line[strcspn(line, "\r\n")] = '\0';
	for (char *p = line; n < TABLE_COLUMNS;) {
		char *tab = strchr(p, '\t');
		if (tab)
			*tab = '\0';
		snprintf(cell[n++], TABLE_CELL, "%.*s", TABLE_CELL - 1, p);
		if (!tab)
			break;
		p = tab + 1;
	}
	return n;
}

int table_read(struct table *t, const char *path)
{
	char line[8192];
	FILE *f = fopen(path, "r");
	memset(t, 0, sizeof *t);
	if (!f)
		return -1;
	t->name = calloc(TABLE_COLUMNS, sizeof *t->name);
	while (t->name && fgets(line, sizeof line, f)) {
		if (!t->columns) {
			t->columns = split(line, t->name);
			continue;
		}
		size_t cells = (size_t)(t->rows + 1) * (size_t)t->columns + TABLE_COLUMNS;
		char(*grown)[TABLE_CELL] = realloc(t->cell, cells * sizeof *grown);
		if (!grown)
			break;
		t->cell = grown;
		if (split(line, t->cell + t->rows * t->columns) >= t->columns)
			t->rows++;
	}
	fclose(f);
	return t->columns ? 0 : -1;
}

void table_free(struct table *t)
{
	free(t->name);
	free(t->cell);
	memset(t, 0, sizeof *t);
}

static int column_of(const struct table *t, const char *column)
{
	for (int i = 0; i < t->columns; i++)
		if (!strcmp(t->name[i], column))
			return i;
	return -1;
}

int table_has(const struct table *t, const char *column)
{
	return column_of(t, column) >= 0;
}

const char *table_text(const struct table *t, int row, const char *column)
{
	int c = column_of(t, column);
	return c < 0 ? "" : t->cell[row * t->columns + c];
}

double table_real(const struct table *t, int row, const char *column)
{
	return atof(table_text(t, row, column));
}
