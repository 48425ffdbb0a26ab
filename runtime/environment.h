/* environment.h - how `tracegen capture` and libctcuda in the program that it runs speak with each other.
 *
 * tracegen makes a pair of sockets that keep messages apart and names the program's end in an environment
 * variable, which scripts hand on. It puts one message into it: the settings. The first program with
 * libctcuda that takes the message is the one that is recorded; others run as they are. That program
 * sends CT_CUDA_DONE or CT_CUDA_FAILED when it has ended its trace. */
#ifndef CT_RUNTIME_ENVIRONMENT_H
#define CT_RUNTIME_ENVIRONMENT_H

#include <stdint.h>

/* The number of the program's descriptor. */
#define CT_CUDA_SOCKET "CACHETRIAGE_SOCKET"

/* The settings: a struct ct_cuda_request, then four texts that a NUL ends each: where the trace goes (empty: to
 * `stream`), which kernels (empty: all), what the folder's tracegen.txt says, the check (empty: none). */
struct ct_cuda_request {
	uint64_t skip, launches, max_steps;
	uint32_t sm; /* 0: that of the board */
	int32_t stream, values, plain;
	int32_t ends; /* the program, when `launches` are recorded */
};

/* The answer: this, and with CT_CUDA_FAILED a text that a NUL ends. */
enum { CT_CUDA_DONE = 1, CT_CUDA_FAILED = 2 };
struct ct_cuda_answer {
	uint64_t launches, recorded, warp_insts;
	int32_t kind;
	int32_t faulted; /* a kernel did what it must not do */
};

enum { CT_CUDA_MESSAGE_MAX = 16384 /* bytes */ };

#endif
