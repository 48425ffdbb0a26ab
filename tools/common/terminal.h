/* terminal.h - what the screen can show. */
#ifndef CT_TOOLS_COMMON_TERMINAL_H
#define CT_TOOLS_COMMON_TERMINAL_H

#include "base/table.h"

/* Asks the environment and, where that gets the output, standard output, once, at the start. Where that is no terminal
 * the style stays plain, of 80 columns or as many as COLUMNS says. A process has one terminal, so this is state of the
 * process. */
void ct_terminal_detect(int to_stdout);

/* From now on tables are comma-separated values that gather in this buffer. Static storage. */
struct ct_buf *ct_terminal_csv(void);

/* The style of tables for that screen. Static storage. */
const struct ct_table_style *ct_terminal_style(void);

#endif
