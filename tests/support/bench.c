#include "tests/support/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

double bench_thread_cpu(void)
{
	return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall(void)
{
	return seconds(CLOCK_MONOTONIC);
}

void bench_row(const char *bench, const char *name, const char *metric, double value, const char *unit)
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

void bench_spread_rows(const char *bench, const char *name, const char *metric, double *value, size_t n,
                       const char *unit)
{
	struct bench_spread s = bench_spread(value, n);
	char label[112];
	bench_row(bench, name, metric, s.median, unit);
	if (n < 2)
		return;
	snprintf(label, sizeof label, "%s_min", metric);
	bench_row(bench, name, label, s.low, unit);
	snprintf(label, sizeof label, "%s_max", metric);
	bench_row(bench, name, label, s.high, unit);
}

uint64_t bench_peak_bytes(void)
{
	unsigned long long kib = 0;
	char text[256];
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(text, sizeof text, f))
		if (sscanf(text, "VmHWM: %llu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib * 1024;
}

int bench_in_child(int (*fn)(void *ctx, void *out), void *ctx, void *out, size_t size)
{
	int status = -1;
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	memset(shared, 0, size);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(fn(ctx, shared) < 0 ? 1 : 0);
	if (child < 0 || waitpid(child, &status, 0) != child)
		status = -1;
	memcpy(out, shared, size);
	munmap(shared, size);
	return status == 0 ? 0 : -1;
}

uint64_t bench_number(const char *variable, uint64_t fallback)
{
	const char *s = getenv(variable);
	return s ? strtoull(s, NULL, 10) : fallback;
}
