/* hot.h - what the compiler is told of functions that run for every record or request. */
#ifndef CT_BASE_HOT_H
#define CT_BASE_HOT_H

#if defined(__GNUC__)
#define CT_HOT static inline __attribute__((always_inline)) /* constants of its callers reach it */
#define CT_APART static __attribute__((noinline)) /* so that what calls it saves few registers */
#else
#define CT_HOT static inline
#define CT_APART static
#endif

#endif
