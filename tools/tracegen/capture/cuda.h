/* cuda.h - records a CUDA program that was compiled by ctcc: it runs by itself and writes its trace. */
#ifndef CT_TRACEGEN_CAPTURE_CUDA_H
#define CT_TRACEGEN_CAPTURE_CUDA_H

#include <signal.h>
#include <stdint.h>

#include "base/error.h"

/* What a command is linked with, as far as its file tells. */
enum cap_kind {
	CAP_CUDA,   /* libctcuda */
	CAP_OPENCL, /* libOpenCL */
	CAP_OTHER,  /* neither: a script, an interpreter, a program of another kind */
	CAP_MISSING /* no such program */
};
enum cap_kind cap_kind_of(const char *command);

struct cap_cuda_options {
	const char *path;    /* a file (".ctz" at its end) or a folder; NULL: standard output */
	int force;           /* replace an earlier trace there */
	const char *kernels; /* NULL: all */
	uint64_t skip, launches, max_steps;
	unsigned sm; /* 0: that of the board */
	int values, plain;
	int ends;          /* the program, when `launches` are recorded */
	const char *check; /* "init" or NULL */
	const char *about; /* lines for a folder's tracegen.txt */
	const volatile sig_atomic_t *stop;
};

struct cap_cuda_result {
	int taken;   /* a program with libctcuda ran */
	int status;  /* with which the command ended */
	int faulted; /* a kernel faulted */
	uint64_t launches, recorded, warp_insts;
};

/* One capture. The environment and, where the trace goes to standard output, that of this process are
 * changed from begin to end: whatever is run between the two may take the settings. */
struct cap_cuda;

/* Prepares a capture; *out is the caller's, to be ended by cap_cuda_end. Fails with CT_ERR_USAGE (a target
 * that may not be replaced, settings that are too long), CT_ERR_IO, CT_ERR_NOMEM. Not thread-safe. */
int cap_cuda_begin(struct cap_cuda **out, const struct cap_cuda_options *o, struct ct_error *e);
/* Runs the command (NULL-terminated) and waits. Fails with CT_ERR_INPUT where a signal ended it, CT_ERR_IO. */
int cap_cuda_run(struct cap_cuda *c, char *const *command, struct cap_cuda_result *r,
                 struct ct_error *e);
/* Puts the trace in its place, where status is CT_OK and one was recorded; else removes what there is of
 * it. Frees c. Fails with `status` and its *e, or with CT_ERR_INPUT where a program with libctcuda ran but left no
 * trace, CT_ERR_IO. A command without libctcuda is no failure: r->taken is 0. */
int cap_cuda_end(struct cap_cuda *c, int status, const char *command, struct cap_cuda_result *r,
                 struct ct_error *e);

#endif
