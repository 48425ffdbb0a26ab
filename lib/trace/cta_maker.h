/* cta_maker.h - CTAs out of instructions that a program has, instead of a file.
 *
 * The warps of a CTA may be filled in any order, as their instructions are executed. */
#ifndef CT_TRACE_CTA_MAKER_H
#define CT_TRACE_CTA_MAKER_H

#include "base/decls.h"
#include "base/error.h"
#include "trace/record.h"

CT_DECLS_BEGIN

struct ct_cta_maker;

/* Prepares to make the CTAs of one kernel, whose header is copied. max_memory: of packed CTAs
 * before they spill to a temporary file; 0 = 1 GiB. *out is the caller's, to be freed with
 * ct_cta_maker_free; CTAs that were made may outlive it. Fails with CT_ERR_NOMEM. */
CT_NODISCARD int ct_cta_maker_new(struct ct_cta_maker **out, const struct ct_kernel *k,
                                  uint64_t max_memory, struct ct_error *e);
void ct_cta_maker_free(struct ct_cta_maker *m); /* NULL allowed */

/* The header that CTAs have. It lives as long as the maker. */
const struct ct_kernel *ct_cta_maker_kernel(const struct ct_cta_maker *m);

/* Number of a static instruction, which is added where no equal one is there. pc, opcode,
 * registers, immediates and width_field are the caller's; the rest is derived from them. Fails with
 * CT_ERR_NOMEM, CT_ERR_LIMIT. */
CT_NODISCARD int ct_cta_maker_code(struct ct_cta_maker *m, const struct ct_sinst *s, uint32_t *sid,
                                   struct ct_error *e);

/* All of them, which live as long as the maker. */
const struct ct_code *ct_cta_maker_code_table(const struct ct_cta_maker *m);

/* Begins the CTA of that linear number, with that many warps, all without instructions. */
CT_NODISCARD int ct_cta_maker_begin(struct ct_cta_maker *m, uint64_t index, uint32_t warps,
                                    struct ct_error *e);
/* Appends an instruction to a warp of the CTA. lanes: NULL, or addresses by lane, valid where the
 * mask is set. values: as in struct ct_inst, or NULL with nvalues 0. Fails with CT_ERR_NOMEM, CT_ERR_IO. */
CT_NODISCARD int ct_cta_maker_put(struct ct_cta_maker *m, uint32_t warp, uint32_t sid, uint32_t mask,
                                  const uint64_t *lanes, const uint32_t *values, unsigned nvalues,
                                  struct ct_error *e);
/* Appends `n` instructions of numbers sid, sid + 1 ... without addresses and values. Fails with CT_ERR_NOMEM,
 * CT_ERR_IO. */
CT_NODISCARD int ct_cta_maker_put_plain(struct ct_cta_maker *m, uint32_t warp, uint32_t sid, uint32_t n,
                                        uint32_t mask, struct ct_error *e);
/* Whether the addresses of the lanes of a mask are `first`, `first` + stride and so on, the lanes side by
 * side: 1 with *stride, or 0. Pure. */
int ct_cta_maker_is_strided(uint32_t mask, const uint64_t *lanes, int64_t *stride);
/* Appends an instruction with such addresses; the mask has a lane. Fails with CT_ERR_NOMEM, CT_ERR_IO. */
CT_NODISCARD int
ct_cta_maker_put_strided(struct ct_cta_maker *m, uint32_t warp, uint32_t sid, uint32_t mask,
                         uint64_t first, int64_t stride, struct ct_error *e);
/* Ends the CTA: *cta is the caller's, with one reference. Fails with CT_ERR_NOMEM, CT_ERR_IO. */
CT_NODISCARD int ct_cta_maker_end(struct ct_cta_maker *m, struct ct_cta **cta, struct ct_error *e);

CT_DECLS_END

#endif
