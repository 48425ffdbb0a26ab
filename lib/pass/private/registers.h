/* registers.h - how far warps reach back for their registers (locality/regs.h), counted warp by warp from the trace.
 *
 * A warp's distances follow from its own instructions, not from when they issue. So they are counted beside the engines,
 * a whole warp at a time, and streams of instructions that many warps share are counted once. */
#ifndef CT_PASS_PRIVATE_REGISTERS_H
#define CT_PASS_PRIVATE_REGISTERS_H

#include <stdint.h>

#include "base/error.h"
#include "locality/hist.h"
#include "trace/record.h"

struct ct_pass_registers;

/* NULL when out of memory. One thread at a time. */
struct ct_pass_registers *ct_pass_registers_new(void);
void ct_pass_registers_free(struct ct_pass_registers *r); /* NULL allowed */

/* Counts all warps of a CTA; `registers` is what ct_pass_registers_new() has made. Fails with CT_ERR_NOMEM, and with
 * CT_ERR_IO where a part that was spilled cannot be read back. */
int ct_pass_registers_cta(void *registers, struct ct_cta *cta, struct ct_error *e);

/* The launch is over: adds what was counted since the last call, instructions between accesses and distinct registers, and
 * forgets it. Returns the instructions that it was counted of. */
uint64_t ct_pass_registers_collect(struct ct_pass_registers *r, struct ct_hist *insts,
                                   struct ct_hist *distinct);

#endif
