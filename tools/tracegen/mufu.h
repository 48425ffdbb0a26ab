/* mufu.h - the special functions, equal on every machine.
 *
 * They use only operations that IEEE 754 rounds exactly (never libm), so that a value
 * that decides an address or a branch is the same everywhere. Accurate to about one
 * unit in the last place of a float, better than the hardware's. */
#ifndef CT_TRACEGEN_MUFU_H
#define CT_TRACEGEN_MUFU_H

#include <stdint.h>

float simt_rcp(float x);
float simt_rsqrt(float x);
float simt_sqrt(float x);
float simt_ex2(float x);
float simt_lg2(float x);
/* x in revolutions: sin(2 pi x). */
float simt_sin(float x);
float simt_cos(float x);

/* Fused a*b+c for floats by one double rounding step: exact product, one sum. */
static inline float simt_fma(float a, float b, float c)
{
	return (float)((double)a * (double)b + (double)c);
}

/* IEEE half precision, round to nearest even. */
uint16_t simt_to_half(float x);
float simt_from_half(uint16_t h);

#endif
