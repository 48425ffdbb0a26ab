/* hot.h - what the compiler is told of functions that run for every record or request: written behind
 * `static`, as in `static CT_INLINE int f(void)`. */
#ifndef CT_BASE_HOT_H
#define CT_BASE_HOT_H

#if defined(__GNUC__)
#define CT_INLINE inline __attribute__((always_inline)) /* constants of its callers reach it */
#define CT_NOINLINE __attribute__((noinline))           /* so that what calls it saves few registers */
#else
#define CT_INLINE inline
#define CT_NOINLINE
#endif

#endif
