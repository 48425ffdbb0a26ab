/* emit.h - what the files that build kernels share. */
#ifndef CT_TRACEGEN_EMIT_H
#define CT_TRACEGEN_EMIT_H

#include "tracegen/kernel.h"

/* A new value; an op appended (NULL when the run has failed; opcode NULL: no trace
 * line); an opcode text kept by the kernel. */
val k_new(struct kb *k, enum value_kind kind, enum simt_type t, unsigned nregs);
struct op *k_emit(struct kb *k, enum op_code code, const char *opcode);
const char *k_text(struct kb *k, const char *s);
/* An op with a result of type t. */
val k_op(struct kb *k, enum op_code code, const char *opcode, enum simt_type t, unsigned n,
         const val *src);
val k_op1(struct kb *k, enum op_code c, const char *name, enum simt_type t, val a);
val k_op2(struct kb *k, enum op_code c, const char *name, enum simt_type t, val a, val b);
val k_op3(struct kb *k, enum op_code c, const char *name, enum simt_type t, val a, val b, val x);

#endif
