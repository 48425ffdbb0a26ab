/* cuda_workload.h - workloads in CUDA (data/workloads/): runs the host code of one, which is a part of
 * tracegen, and its kernels, which are PTX texts among the data. */
#ifndef CT_TRACEGEN_CUDA_WORKLOAD_H
#define CT_TRACEGEN_CUDA_WORKLOAD_H

#include <signal.h>

#include "data/workloads/app.h"
#include "lower/capture.h"

struct cuda_workload {
	const char *name; /* its kernels are workloads/NAME.ptx */
	void (*run)(struct app *a);
	enum app_size size;
	uint32_t elements; /* 0: those of the size */
	uint64_t seed;
	const char *data_dir;
	const volatile sig_atomic_t *stop; /* set from outside: give up at the next CTA */
	struct ct_capture_settings capture;
};

/* Runs it and writes its trace; *seen tells of it. Fails with CT_ERR_LIMIT where a result is not that of the
 * host's reference, CT_ERR_NOMEM, as ct_ptx_read, as ct_capture_*. */
int cuda_workload_trace(const struct cuda_workload *w, struct ct_capture_summary *seen,
                        struct ct_error *e);

#endif
