/* isa.h - which of the compiled variants of a hot loop this machine can run.
 *
 * A loop that gains from vector instructions is compiled once portably and once per
 * instruction set, and chosen at run time; results are identical on every path. On
 * other processors, with other compilers and with -DCT_NO_SIMD only the portable
 * variant exists. Private to the room, but for tests. */
#ifndef CT_LOCALITY_ISA_H
#define CT_LOCALITY_ISA_H

#if defined(__GNUC__) && defined(__x86_64__) && !defined(CT_NO_SIMD)
#define CT_X86 1
#include <immintrin.h>
#else
#define CT_X86 0
#endif

enum ct_isa {
	CT_ISA_BEST,     /* as an option: the best that this machine has */
	CT_ISA_PORTABLE, /* C11 */
	CT_ISA_POPCNT,   /* x86-64 with SSE2 and POPCNT */
	CT_ISA_AVX2,     /* and AVX2, BMI2, LZCNT */
	CT_ISA_AVX512,   /* and AVX-512 F, BW, DQ, VL */
	CT_ISA_COUNT
};

/* 1 if the variant is compiled in and the machine can run it. Thread-safe. */
int ct_isa_available(enum ct_isa isa);
/* The asked one if available, else the best below it; CT_ISA_BEST: the best of all. */
enum ct_isa ct_isa_resolve(enum ct_isa asked);
const char *ct_isa_name(enum ct_isa isa); /* "avx512" ... static storage */

/* Hints without effect on results. */
#if defined(__GNUC__)
#define CT_PREFETCH(p) __builtin_prefetch((p), 1, 3)
#define CT_PREFETCH_L2(p) __builtin_prefetch((p), 0, 2)
#define CT_PREFETCH_READ(address) __builtin_prefetch((const void *)(address), 0, 3)
#define CT_LIKELY(x) __builtin_expect(!!(x), 1)
#define CT_INLINE static inline __attribute__((always_inline))
#else
#define CT_PREFETCH(p) ((void)(p))
#define CT_PREFETCH_L2(p) ((void)(p))
#define CT_PREFETCH_READ(address) ((void)(address))
#define CT_LIKELY(x) (x)
#define CT_INLINE static inline
#endif

#endif
