/* escape.h - text that stands inside another language, which must not obey it. */
#ifndef CT_BASE_ESCAPE_H
#define CT_BASE_ESCAPE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/decls.h"

CT_DECLS_BEGIN

/* Each function appends the NUL-terminated s to b; a failed allocation shows in b. */

/* HTML, SVG and XML, as text or as an attribute's value: markup becomes entities, and control characters,
 * which XML 1.0 cannot hold, become '?'. */
void ct_escape_markup(struct ct_buf *b, const char *s);

/* One cell of a Markdown table: what Markdown or HTML would obey becomes entities, control characters
 * become blanks. Of a longer text about `most` bytes and "..."; no character of UTF-8 is cut. */
void ct_escape_markdown(struct ct_buf *b, const char *s, size_t most);

/* A JSON string (RFC 8259) with its quotes. Bytes that are no UTF-8 become the text \xHH, so that a
 * reader sees what ct_escape_field() shows. */
void ct_escape_json(struct ct_buf *b, const char *s);

/* A field of tab-separated values: \t, \n, \\, and \xHH for other control characters and for bytes that
 * are no UTF-8. */
void ct_escape_field(struct ct_buf *b, const char *s);

/* A field of comma-separated values (RFC 4180), in quotes where it needs them. */
void ct_escape_csv(struct ct_buf *b, const char *s);

/* A word of a POSIX shell's command line, in single quotes where it needs them. */
void ct_escape_shell(struct ct_buf *b, const char *s);

CT_DECLS_END

#endif
