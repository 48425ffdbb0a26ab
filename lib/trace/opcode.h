/* opcode.h - what a SASS opcode means: space, access, unit, true width. */
#ifndef CT_TRACE_OPCODE_H
#define CT_TRACE_OPCODE_H

#include <stdint.h>

#include "base/decls.h"
#include "trace/record.h"

CT_DECLS_BEGIN

/* Fills space, access, unit, mods and width of s from s->opcode and
 * s->width_field (doc/formats.md section 6). Unknown opcodes get
 * CT_CLASS_OTHER and, with a width field, CT_SPACE_GENERIC loads. Pure. */
void ct_opcode_classify(struct ct_sinst *s);

/* Whether it is a bulk copy (TMA), whose lines name transfers and not lanes. Pure. */
int ct_opcode_is_bulk(const char *opcode);

/* Space of one lane address of a generic instruction: shared or local when it
 * lies in a 16 MiB window of the kernel, else global (section 9 of the format
 * note); CT_SPACE_GENERIC when the kernel names no windows. Pure. */
enum ct_space ct_generic_space(const struct ct_kernel *k, uint64_t address);

CT_DECLS_END

#endif
