/* bench.h - what the benchmarks share: clocks, rows, repeats. */
#ifndef TESTS_SUPPORT_BENCH_H
#define TESTS_SUPPORT_BENCH_H

#include <stddef.h>
#include <stdint.h>

double bench_cpu(void);        /* seconds of CPU time of the whole process */
double bench_thread_cpu(void); /* of the calling thread */
double bench_wall(void);       /* seconds */

/* Prints "bench<TAB>case<TAB>metric<TAB>value<TAB>unit" and flushes. */
void bench_row(const char *bench, const char *name, const char *metric, double value, const char *unit);

/* Peak resident memory of this process so far, in bytes; 0 where unknown. */
uint64_t bench_peak_bytes(void);
/* Runs fn(ctx, out) in a child process and hands back `size` bytes of out: each run
 * starts from the same heap. What fn returns, or -1. */
int bench_in_child(int (*fn)(void *ctx, void *out), void *ctx, void *out, size_t size);

/* Median, smallest and largest of n values; sorts them. */
struct bench_spread {
	double median, low, high;
};
struct bench_spread bench_spread(double *value, size_t n);
/* Rows METRIC (the median), and METRIC_min and METRIC_max where n > 1; sorts. */
void bench_spread_rows(const char *bench, const char *name, const char *metric, double *value, size_t n,
                       const char *unit);

/* Environment variable as a number, or the fallback. */
uint64_t bench_number(const char *variable, uint64_t fallback);

#endif
