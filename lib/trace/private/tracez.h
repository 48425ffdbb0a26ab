/* tracez.h - Accel-Sim's packed text (doc/formats.md section 11) as a stream of that text. */
#ifndef CT_TRACE_PRIVATE_TRACEZ_H
#define CT_TRACE_PRIVATE_TRACEZ_H

#include "trace/private/source.h"

/* Sizes of the form, in bytes. All numbers are little-endian. */
enum {
	CT_TRACEZ_HEAD =
		9, /* the NUL behind the header's text, size of the dictionary, lines of a piece */
	CT_TRACEZ_BLOCK = 44,  /* a thread block's record in the index, without its warps */
	CT_TRACEZ_WARP = 16,   /* a warp's record, without its pieces */
	CT_TRACEZ_REGION = 8,  /* what a warp's region begins with */
	CT_TRACEZ_PIECE = 2048 /* lines of a piece, as the tracer's own program writes them */
};

struct ct_tracez_text;

/* Opens the text of the kernel that `raw` holds, which stays the caller's and is read to its end when it is no plain
 * file. *t owns what it reads and must be closed after *s. Fails with CT_ERR_INPUT, CT_ERR_IO, CT_ERR_NOMEM. */
int ct_tracez_open_text(struct ct_tracez_text **t, struct ct_source **s, struct ct_source *raw,
                        uint64_t max_expand, int no_thread, struct ct_error *e);
void ct_tracez_close_text(struct ct_tracez_text *t); /* NULL allowed */

#endif
