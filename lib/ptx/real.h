/* real.h - floating point that rows cannot do: other roundings, halves, flushing. Private. */
#ifndef CT_PTX_REAL_H
#define CT_PTX_REAL_H

#include <stdint.h>

#include "ptx/codes.h"
#include "ptx/module.h"

#define CT_PTX_NAN_32 UINT32_C(0x7fffffff)
#define CT_PTX_NAN_64 UINT64_C(0xfff8000000000000)

/* Value of the bits of a type (f16, bf16, f32 or f64), exactly. Pure. */
double ct_ptx_real_value(enum ct_ptx_type t, uint64_t bits);
/* Bits of a double; every NaN has the same. Pure. */
uint64_t ct_ptx_real_bits(double v);
/* Bits of the nearest value of f16 or bf16, in any rounding. The value must be exact, or
 * rounded to odd with more digits than the type has twice. Pure. */
uint32_t ct_ptx_real_half(enum ct_ptx_type t, double v, enum ct_ptx_round round);
/* Bits with subnormal values replaced by a zero of their sign. Pure. */
uint64_t ct_ptx_real_flush(enum ct_ptx_type t, uint64_t bits);
/* One operation of enum ct_ptx_float_code on bits of a type, as `mode` and `round` say. The caller
 * has set the host's rounding for f32 and f64. */
uint64_t ct_ptx_real_operation(enum ct_ptx_float_code code, enum ct_ptx_type t, unsigned mode,
                               const uint64_t *x);
/* Sets the host's rounding; ct_ptx_real_nearest puts it back. */
void ct_ptx_real_round(enum ct_ptx_round round);
void ct_ptx_real_nearest(void);
/* The conversion of a cvt instruction: bits of `to` from bits of `from`. */
uint64_t ct_ptx_real_convert(enum ct_ptx_type to, enum ct_ptx_type from, unsigned mode,
                             enum ct_ptx_round round, uint64_t bits);

#endif
