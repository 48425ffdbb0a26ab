/* accelsim_write.h - writes Accel-Sim text traces (tracegen, tracecat -O accelsim). */
#ifndef CT_TRACE_ACCELSIM_WRITE_H
#define CT_TRACE_ACCELSIM_WRITE_H

#include "base/buf.h"
#include "base/decls.h"
#include "trace/record.h"

CT_DECLS_BEGIN

/* Append, in tracer-version-5 grammar unless k->tracer_version says otherwise, a
 * kernel's header; the start and end of a CTA; the start of a warp's stream; one
 * instruction line. Text goes to b (check b->failed). Thread-safe on distinct b.
 * What is written is always the grouped form (.traceg): versions below 3, whose
 * lines carry CTA numbers, are written as version 3, and core ids are left out
 * (doc/formats.md sections 3 and 4). */
void ct_accelsim_put_header(struct ct_buf *b, const struct ct_kernel *k);
void ct_accelsim_put_cta_begin(struct ct_buf *b, uint32_t x, uint32_t y, uint32_t z);
void ct_accelsim_put_warp(struct ct_buf *b, uint32_t warp, uint64_t insts);
void ct_accelsim_put_inst(struct ct_buf *b, const struct ct_kernel *k, const struct ct_sinst *s,
                          const struct ct_inst *inst);
void ct_accelsim_put_cta_end(struct ct_buf *b);

/* Sets addr_form, base, stride and naddr of inst from its mask and the addresses in
 * addr[] as the tracer chooses them: base + stride for a contiguous run of at least
 * two lanes (or no lane), base + deltas else (section 7). A stride outside 32 bits
 * becomes deltas, since the tracer's own field would lose it. Pure. */
void ct_accelsim_choose_form(struct ct_inst *inst);

/* The width field that the tracer would print for an opcode with a memory reference:
 * it guesses from the text (section 6). Pure. */
uint16_t ct_accelsim_width_field(const char *opcode);

CT_DECLS_END

#endif
