/* Operations on rows for x86-64 with AVX2 and fused multiply-add instructions. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"

#if CT_PTX_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("popcnt,avx2,fma,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("popcnt,avx2,fma,bmi,bmi2")
#endif

#define CT_PTX_ROWS ct_ptx_rows_avx2
#define CT_PTX_LOOK ct_ptx_look_avx2
#include "ptx/rows.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
