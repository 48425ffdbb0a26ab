/* omp.h - OpenMP's run-time functions for programs that include its header, where the compiler brings none:
 * looked at last. Directives are not compiled, so that one thread does the host's work. */
#ifndef CT_CUDA_AFTER_OMP_H
#define CT_CUDA_AFTER_OMP_H

#include <time.h>

static __inline__ void omp_set_num_threads(int n)
{
	(void)n;
}

static __inline__ int omp_get_num_threads(void)
{
	return 1;
}

static __inline__ int omp_get_max_threads(void)
{
	return 1;
}

static __inline__ int omp_get_num_procs(void)
{
	return 1;
}

static __inline__ int omp_get_thread_num(void)
{
	return 0;
}

static __inline__ int omp_in_parallel(void)
{
	return 0;
}

static __inline__ void omp_set_dynamic(int yes)
{
	(void)yes;
}

static __inline__ double omp_get_wtime(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
