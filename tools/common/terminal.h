/* terminal.h - what the screen can show. */
#ifndef CT_TOOLS_COMMON_TERMINAL_H
#define CT_TOOLS_COMMON_TERMINAL_H

#include "base/table.h"

/* Asks the environment and standard output, once, at the start: the style stays plain where standard output is no
 * terminal. A process has one terminal, so this is state of the process. */
void ct_terminal_detect(void);

/* The style of tables for that screen. Static storage. */
const struct ct_table_style *ct_terminal_style(void);

#endif
