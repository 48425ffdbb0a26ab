/* launch.h - one kernel launch: its header and its growing code table, shared by the
 * reader and every CTA that it handed out. */
#ifndef CT_TRACE_PRIVATE_LAUNCH_H
#define CT_TRACE_PRIVATE_LAUNCH_H

#include <stdatomic.h>

#include "base/index.h"
#include "trace/record.h"

enum {
	CT_CODE_CHUNK =
		16, /* static instructions of the first chunk; each other has twice those before it */
	CT_CODE_CHUNKS = 16,
	/* in all: far above any program */
	CT_CODE_MAX = CT_CODE_CHUNK * ((1 << CT_CODE_CHUNKS) - 1),
	CT_OPCODE_MAX = 255, /* characters */
	/* Threads of a block: more than any GPU runs by far, but keeps masks of warps small. */
	CT_BLOCK_THREADS_MAX = 65536
};

struct ct_code {
	_Atomic(struct ct_sinst *) chunk[CT_CODE_CHUNKS];
	atomic_uint count;
	struct ct_index index;     /* by content; reader only */
	struct ct_code_text *text; /* opcode strings, newest block first */
};

struct ct_launch {
	atomic_uint refs;
	struct ct_kernel kernel;
	struct ct_code code;
};

/* A launch with one reference, everything zero and no strings. NULL: out of memory. */
struct ct_launch *ct_launch_new(void);
struct ct_launch *ct_launch_ref(struct ct_launch *l);
void ct_launch_unref(struct ct_launch *l); /* NULL allowed */

/* Number of the static instruction equal to *s, added with a copy of its opcode (n
 * characters, need not end in NUL) if it is new. Reader's thread only. Fails with
 * CT_ERR_NOMEM, CT_ERR_LIMIT (texts without a file name). */
int ct_code_add(struct ct_code *code, const struct ct_sinst *s, size_t n, uint32_t *sid,
                struct ct_error *e);

#endif
