/* numeric.h - roots and distributions, computed by the GNU Scientific Library.
 *
 * GSL calls an error handler when an argument is outside a function's domain, and its default handler
 * aborts the process. No call from here reaches the handler: arguments are checked first, a value that
 * is not finite never gets into a solver, and solvers keep their state on the stack, so that none
 * allocates. Whoever needs more of GSL adds it here, not elsewhere.
 *
 * All functions are thread-safe. Iterations go on to a relative width of 1e-13, so that what is printed
 * with six digits does not depend on the version of GSL. */
#ifndef CT_BASE_NUMERIC_H
#define CT_BASE_NUMERIC_H

#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* The point in [low, high] where f, which rises or falls all the way, is 0 (Brent's method). Returns 0
 * with *x set; -1 with *x untouched where f has the same sign at both ends, low > high, or f gives a
 * number that is not finite. f is called some ten times. */
int ct_root_between(double (*f)(void *ctx, double x), void *ctx, double low, double high, double *x);

/* Newton's method from `start` downwards on a convex rising function: f sets *slope to the derivative
 * at x and returns the value, both finite. Stops where the value is no longer above 0 or the next step
 * would be below 1e-15 of x, and returns that x; start where the first value is not finite or flat. */
double ct_root_newton_down(double (*f)(void *ctx, double x, double *slope), void *ctx, double start);

/* Half the width of a two-sided 95 % interval in standard errors: of a normal variable (1.96), and of
 * Student's t with freedom >= 1 degrees of freedom (12.7 for 1, towards 1.96 for many). */
double ct_normal_factor95(void);
double ct_student_factor95(unsigned freedom);
/* The same of a 90 % interval of Student's t, for any freedom > 0 (6.31 for 1, towards 1.645); infinite below. */
double ct_student_factor90(double freedom);

/* Logarithm of n over k, 0 <= k <= n, also for n beyond all integers; NaN outside. Absolute error: some
 * 1e-15 times the result where k is below n / 6, else times n log n. */
double ct_log_choose(double n, double k);

/* Mean of n >= 1 values, and the standard error of that mean (infinite for one value). */
double ct_mean(const double *v, size_t n);
double ct_mean_error(const double *v, size_t n);

CT_DECLS_END

#endif
