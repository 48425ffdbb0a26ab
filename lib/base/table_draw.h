/* table_draw.h - private: a table as text, in the columns that there are. */
#ifndef CT_BASE_TABLE_DRAW_H
#define CT_BASE_TABLE_DRAW_H

#include "base/table.h"

/* Appends the table, which has at least one cell, to b. */
void ct_table_draw(const struct ct_table *t, const struct ct_table_style *style, struct ct_buf *b);

#endif
