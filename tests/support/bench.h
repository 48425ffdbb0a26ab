/* bench.h - what the benchmarks share: clocks, rows, repeats. */
#ifndef TESTS_SUPPORT_BENCH_H
#define TESTS_SUPPORT_BENCH_H

#include <stddef.h>
#include <stdint.h>

double bench_cpu(void);  /* seconds of CPU time of the whole process */
double bench_wall(void); /* seconds */

/* Prints "bench<TAB>case<TAB>metric<TAB>value<TAB>unit" and flushes. */
void bench_row(const char *bench, const char *name, const char *metric, double value,
               const char *unit);

/* Median, smallest and largest of n values; sorts them. */
struct bench_spread {
	double median, low, high;
};
struct bench_spread bench_spread(double *value, size_t n);

/* Environment variable as a number, or the fallback. */
uint64_t bench_number(const char *variable, uint64_t fallback);

#endif
