/* lines.h - whole lines out of a source, in bounded memory. */
#ifndef CT_TRACE_PRIVATE_LINES_H
#define CT_TRACE_PRIVATE_LINES_H

#include "trace/private/source.h"

/* Longest line. Kernel names are the only long ones; template-heavy libraries have
 * names of some kilobytes. */
enum { CT_LINE_MAX = 1024 * 1024 };

/* [p, end) is a run of whole lines, each ending in '\n' (added to a last line that
 * lacks it), readable CT_SOURCE_SLACK bytes past end. The user moves p and counts
 * `line`; at p == end ct_lines_fill() gets more. */
struct ct_lines {
	struct ct_source *source;
	const char *p, *end;
	uint64_t line;       /* number of the line at p, from 1 */
	uint64_t text_bytes; /* decompressed so far */
	int unterminated;    /* the last line of this run had no newline */
	int ended;
	const char *rest, *rest_end; /* of the current chunk, after the run */
	char *carry;                 /* a line that straddles chunks */
	size_t carry_cap;
};

void ct_lines_init(struct ct_lines *l, struct ct_source *s);
void ct_lines_free(struct ct_lines *l); /* not the source */
/* 1: a run is there; 0: end; < 0: failure, text "name:line: ...". */
int ct_lines_fill(struct ct_lines *l, struct ct_error *e);
/* Fails with "name:line: " in front of a message. Returns status. */
int ct_lines_fail(const struct ct_lines *l, struct ct_error *e, int status, const char *fmt, ...)
	CT_PRINTF(4, 5);

#endif
