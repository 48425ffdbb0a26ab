/* table.h - rows of a tab-separated table with named columns. */
#ifndef CT_FIDELITY_TABLE_H
#define CT_FIDELITY_TABLE_H

enum { TABLE_COLUMNS = 40, TABLE_CELL = 96 };

struct table {
	int columns, rows;
	char (*name)[TABLE_CELL];
	char (*cell)[TABLE_CELL]; /* rows * columns */
};

/* Reads the file; -1 when it cannot be read. */
int table_read(struct table *t, const char *path);
void table_free(struct table *t);
/* "" where there is no such column. */
const char *table_text(const struct table *t, int row, const char *column);
double table_real(const struct table *t, int row, const char *column);
int table_has(const struct table *t, const char *column);

#endif
