/* buf.h - a growable byte string with a sticky out-of-memory state. */
#ifndef CT_BASE_BUF_H
#define CT_BASE_BUF_H

#include <stddef.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

/* Zero-initialise ({0}) to start empty. After a failed append `failed` stays 1
 * and later appends do nothing, so that a long sequence needs one check. */
struct ct_buf {
	char *data; /* NUL-terminated when len > 0 */
	size_t len, cap;
	int failed;
};

/* Append n bytes, a string without its end, one character, or text made as by printf(). What is appended
 * is copied. When memory runs out they set `failed`. One thread at a time for a buffer. */
void ct_buf_add(struct ct_buf *b, const void *p, size_t n);
void ct_buf_puts(struct ct_buf *b, const char *s);
void ct_buf_putc(struct ct_buf *b, char c);
void ct_buf_printf(struct ct_buf *b, const char *fmt, ...) CT_PRINTF(2, 3);
/* Appends a real as the contract prints it: "%.6g" in the C locale whatever
 * LC_ALL says, "NA" for a NaN, "inf"/"-inf" for infinities. */
void ct_buf_real(struct ct_buf *b, double v);
/* Drops the contents, keeps the memory. */
void ct_buf_reset(struct ct_buf *b);
/* Frees and zeroes. */
void ct_buf_free(struct ct_buf *b);
/* 0, or fails with CT_ERR_NOMEM if any append failed. */
int ct_buf_check(const struct ct_buf *b, struct ct_error *e);

CT_DECLS_END

#endif
