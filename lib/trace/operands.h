/* operands.h - how many registers an operand is, where the trace names only the first.
 *
 * SASS names pairs and quads by their lowest register: LDG.E.128 R4 writes R4 to R7, and
 * the address R2 of an .E access is R2 and R3 (doc/formats.md section 4). Fragments of
 * tensor instructions follow from the shape in the opcode (PTX ISA, mma fragments). */
#ifndef CT_TRACE_OPERANDS_H
#define CT_TRACE_OPERANDS_H

#include "base/decls.h"
#include "trace/record.h"

CT_DECLS_BEGIN

/* Fills dst_regs and src_regs of s from its opcode and registers: 0 for RZ and URZ, 1 for
 * what is not wide, else 2 or more consecutive ones. An operand that does not begin where
 * hardware demands (pairs at even registers, quads at multiples of four) is taken as
 * one register: its writer does not allocate in pairs. Never reaches RZ. Pure. */
void ct_operands_classify(struct ct_sinst *s);

CT_DECLS_END

#endif
