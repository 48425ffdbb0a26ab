/* program.h - one OpenCL kernel, lowered from LLVM's form to lines of a trace.
 *
 * The plugin sends a kernel and the functions it calls as text, one thing a line:
 *
 *     K name                  the kernel
 *     F 0                     function 0 (the kernel); others are numbered by first call
 *     A value type            one of its arguments
 *     B block ...             a block, in reverse post-order, and its successors
 *     S                       a segment begins: it is executed from end to end
 *     I value type name operand ...   an instruction; value "-": no result
 *
 * Operands: 12 a value; #5, # constants; @3 a block or function. Types: i32 f64 p1
 * (pointer, address space) 4xf32 v (void) s24 (24 bytes). At the end of a line, :type is
 * the type of the source; =space,bytes,align what a memory instruction touches. */
#ifndef CT_TRACEGEN_CAPTURE_PROGRAM_H
#define CT_TRACEGEN_CAPTURE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/record.h"

#define CAP_NONE UINT32_MAX

/* How a trace line finds its addresses: access number `event` of instruction `index`,
 * `offset` bytes into it. */
struct cap_line {
	struct ct_sinst sinst;
	uint32_t index;
	uint16_t event, offset;
};

enum { CAP_CALL = 1, CAP_RETURN = 2, CAP_END = 4, CAP_BARRIER = 8 };

struct cap_segment {
	uint32_t first, n; /* lines */
	uint32_t block;    /* over all functions */
	uint8_t flags;
};

struct cap_block {
	uint32_t segment; /* its first */
	uint32_t join;    /* block that every path from here reaches first (its immediate
	                          post-dominator), or CAP_NONE: the function's end */
};

struct cap_program {
	char *text; /* the plugin's text, cut into words */
	char *name;
	struct cap_line *line;
	struct cap_segment *segment;
	struct cap_block *block;
	uint32_t n_lines, n_segments, n_blocks;
	uint32_t regs;       /* registers per thread */
	uint32_t crowded;    /* values that found no free register and share one */
	const char *unknown; /* a builtin that is not known by name, or NULL */
};

/* Lowers text (n bytes, copied). Fails with CT_ERR_INPUT on text that is not as above,
 * CT_ERR_NOMEM. The caller ends *p with cap_program_free(). Thread-safe. */
int cap_program_make(struct cap_program **p, const char *text, size_t n, struct ct_error *e);
void cap_program_free(struct cap_program *p); /* NULL allowed */

#endif
