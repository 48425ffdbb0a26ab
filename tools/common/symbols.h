/* symbols.h - the arrays that a file of the user's names. */
#ifndef CT_TOOLS_SYMBOLS_H
#define CT_TOOLS_SYMBOLS_H

#include "common/tool.h"
#include "pass/layout.h"

/* A layout with the arrays of the file `symbols`; NULL: an empty one. *out is the caller's. Fails with CT_ERR_IO where
 * it cannot be read, CT_ERR_INPUT for a malformed line, CT_ERR_NOMEM. */
int ct_tool_layout(const struct ct_tool *t, const char *symbols, struct ct_layout **out,
                   struct ct_error *e);

#endif
