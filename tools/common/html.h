/* html.h - what pages begin with: one file each, nothing fetched. */
#ifndef CT_TOOLS_HTML_H
#define CT_TOOLS_HTML_H

#include "base/buf.h"
#include "base/error.h"

/* Appends a file of data/report/. Fails with CT_ERR_IO, CT_ERR_NOMEM. */
int ct_html_file(struct ct_buf *b, const char *name, struct ct_error *e);

/* Appends all up to <body>, the style of all pages in it. Fails as ct_html_file() does. */
int ct_html_head(struct ct_buf *b, const char *title, struct ct_error *e);

#endif
