/* utf8.h - text that everybody can read: valid UTF-8 without control characters. */
#ifndef CT_BASE_UTF8_H
#define CT_BASE_UTF8_H

#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* Length of the valid UTF-8 sequence at the n > 0 bytes of s (1 to 4), or 0 (RFC 3629: shortest
 * form, no surrogates, at most U+10FFFF). Pure. */
size_t ct_utf8(const char *s, size_t n);

/* Puts '?' in place for each byte of s that is no UTF-8, each control character but tab, CR and LF,
 * and each byte of U+FFFE and U+FFFF, which XML does not have. Thread-safe on different text. */
void ct_utf8_clean(char *s, size_t n);

/* Characters of a valid text. Pure. */
size_t ct_utf8_width(const char *s);

/* Start of the n-th character of a valid text, its end where it has fewer. Pure. */
const char *ct_utf8_at(const char *s, size_t n);

CT_DECLS_END

#endif
