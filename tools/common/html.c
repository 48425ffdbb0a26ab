#include "common/html.h"

#include <errno.h>
#include <stdio.h>

#include "base/escape.h"
#include "common/tool.h"

int ct_html_file(struct ct_buf *b, const char *name, struct ct_error *e)
{
	struct ct_buf path = {0};
	char block[4096];
	size_t n;
	ct_buf_printf(&path, "%s/report/%s", ct_tool_data_dir(), name);
	FILE *f = path.failed ? NULL : fopen(path.data, "rb");
	int st = path.failed ? ct_fail_nomem(e) : CT_OK;
	if (st == CT_OK && !f)
		st = ct_fail_errno(e, CT_ERR_IO, errno,
		                   "%s: set CACHETRIAGE_DATA to the folder of data files", path.data);
	while (f && (n = fread(block, 1, sizeof block, f)) > 0)
		ct_buf_add(b, block, n);
	if (f && ferror(f))
		st = ct_fail(e, CT_ERR_IO, "%s: cannot be read", path.data);
	if (f)
		fclose(f);
	ct_buf_free(&path);
	return st;
}

int ct_html_head(struct ct_buf *b, const char *title, struct ct_error *e)
{
	ct_buf_puts(b,
	            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	            "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	ct_escape_markup(b, title);
	ct_buf_puts(b, "</title>\n<style>\n");
	int st = ct_html_file(b, "page.css", e);
	ct_buf_puts(b, "</style>\n</head>\n<body>\n");
	return st;
}
