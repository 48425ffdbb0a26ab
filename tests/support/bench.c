#include "tests/support/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_cpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall(void)
{
	return seconds(CLOCK_MONOTONIC);
}

void bench_row(const char *bench, const char *name, const char *metric, double value,
               const char *unit)
{
	printf("%s\t%s\t%s\t%.6g\t%s\n", bench, name, metric, value, unit);
	fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct bench_spread bench_spread(double *value, size_t n)
{
	struct bench_spread s = {0};
	if (n == 0)
		return s;
	qsort(value, n, sizeof *value, ascending);
	s.low = value[0];
	s.high = value[n - 1];
	s.median = n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
	return s;
}

uint64_t bench_number(const char *variable, uint64_t fallback)
{
	const char *s = getenv(variable);
	return s ? strtoull(s, NULL, 10) : fallback;
}
