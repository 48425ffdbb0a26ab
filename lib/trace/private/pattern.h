/* pattern.h - any text trace, described by a regular expression with named groups. */
#ifndef CT_TRACE_PRIVATE_PATTERN_H
#define CT_TRACE_PRIVATE_PATTERN_H

#include "trace/private/log.h"

/* Reads the whole text into l by l->env->options.pattern. With salvage, damage ends
 * the reading and is kept in l->damage. Fails with CT_ERR_INPUT (no line matches, a
 * group holds no number), CT_ERR_LIMIT, CT_ERR_NOMEM, CT_ERR_IO. */
int ct_pattern_read(struct ct_log *l, struct ct_error *e);

#endif
