/* digest.h - whether a question is the one that was asked before: of the same bytes, by the same options. */
#ifndef CT_TOOLS_COMMON_DIGEST_H
#define CT_TOOLS_COMMON_DIGEST_H

#include "common/tool.h"

/* Adds an input's bytes to a CRC-64: for a folder or a list, of the list and every kernel that it names, wherever they
 * lie. Fails with CT_ERR_USAGE (standard input), CT_ERR_IO, CT_ERR_INPUT (a FIFO), CT_ERR_NOMEM. */
int ct_digest_input(struct ct_tool *t, const char *path, uint64_t *crc, struct ct_error *e);
/* Adds what the common options of the command line do to a result, and the version. Fails as ct_tool_gpu() does. */
int ct_digest_settings(struct ct_tool *t, uint64_t *crc, struct ct_error *e);
/* Bytes of the files of an input; 0 when unknown. */
uint64_t ct_digest_bytes(const char *path);

#endif
