/* fft.h - what the files of cuFFT share. Private.
 *
 * A plan says how lines of each dimension are transformed, in which passes and stages, and has their tables on the device. What it executes are
 * kernels of data/fft on its stream, launched by the driver API. A plan has four dimensions: batches, and three of the transform, of which those that
 * it has not have one number; the last is that whose numbers are next to each other in a plain array. */
#ifndef CT_RUNTIME_FFT_FFT_H
#define CT_RUNTIME_FFT_FFT_H

#include "data/cuda/cufftXt.h"
#include "data/fft/arguments.h"
#include "runtime/kernels.h"

enum {
	CT_FFT_SLOTS = 4, /* batches and dimensions */
	CT_FFT_LAST = CT_FFT_SLOTS - 1,
	CT_FFT_STEPS = 4, /* passes of one transform at most */
	CT_FFT_NUMBERS_MOST = INT32_MAX
};

/* One pass: the lines that fit into shared memory. Its table lies at that many bytes in the plan's, as all tables do. */
struct ct_fft_step {
	uint32_t length, stages;
	uint64_t radices; /* of the first stage in the lowest four bits */
	size_t twiddles;
};

/* Roots of one of n numbers; bits 0: there are none. */
struct ct_fft_root_table {
	size_t fine, coarse; /* coarse 0: fine has all */
	uint32_t bits;
};

/* How lines of one dimension are transformed. */
struct ct_fft_way {
	uint32_t n; /* complex numbers of a line */
	uint32_t
		length; /* those of the passes: as many, or those of a convolution with a chirp (Bluestein) */
	int is_chirp;
	int is_halved; /* lines of real numbers are taken for complex ones of half the length */
	int steps;
	struct ct_fft_step step[CT_FFT_STEPS];
	struct ct_fft_root_table between,
		real; /* of what is multiplied between passes; of the real transform */
	size_t chirp, spectrum;
};

/* Where numbers of the input or output lie: the distances of each slot, in numbers. */
struct ct_fft_layout {
	int is_real;
	int64_t stride[CT_FFT_SLOTS];
};

struct ct_fft_plan {
	struct ct_fft_plan *next;
	cufftHandle handle;
	int is_made;
	int is_double;
	cufftType type;
	int64_t count[CT_FFT_SLOTS]; /* real numbers, where any are */
	int is_plain; /* numbers lie as in an array, in place with room for the complex ones */
	struct ct_fft_layout in, out;
	struct ct_fft_way way[CT_FFT_SLOTS];
	CUstream stream;
	int wants_own_work;
	CUdeviceptr tables, own_work, work; /* work 0: none has been given */
	size_t buffer_bytes,
		half_bytes; /* of each of the two buffers; of a transform of all but the last dimension */
	int buffers;
};

/* What a plan is made for. inembed or onembed NULL: numbers lie as in an array. */
struct ct_fft_request {
	int rank;
	const long long *n, *inembed, *onembed;
	long long istride, idist, ostride, odist, batch;
	cufftType type;
};

/* Tables that a plan has on the device, as they are made on the host; no bytes: none yet. */
struct ct_fft_tables {
	unsigned char *bytes;
	size_t count, capacity;
	int is_double, is_lost; /* is_lost: without memory */
};

static inline int ct_fft_is_type(cufftType type)
{
	return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z ||
	       type == CUFFT_D2Z || type == CUFFT_Z2D;
}
static inline int ct_fft_is_from_real(cufftType type)
{
	return type == CUFFT_R2C || type == CUFFT_D2Z;
}
static inline int ct_fft_is_to_real(cufftType type)
{
	return type == CUFFT_C2R || type == CUFFT_Z2D;
}
/* Bytes of a real number of the plan. */
static inline int64_t ct_fft_real_bytes(const struct ct_fft_plan *p)
{
	return p->is_double ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
}

/* Numbers of a line that a CTA has room for. */
uint32_t ct_fft_room(int is_double);
/* Chooses the passes for lines of n numbers. is_real: they are real; is_apart: numbers of lines beside each other are nearer than those of one line.
 * Returns 0, or -1 where there are too many. */
int ct_fft_choose(struct ct_fft_way *way, int64_t n, int is_double, int is_real, int is_apart);
/* Makes the tables of a way. */
void ct_fft_fill(struct ct_fft_tables *t, struct ct_fft_way *way);

/* Fills in a plan, but for what it has on the device. */
cufftResult ct_fft_describe(struct ct_fft_plan *p, const struct ct_fft_request *r);
/* Bytes of the work area. */
size_t ct_fft_work_bytes(const struct ct_fft_plan *p);
/* Numbers of a slot of the complex input or output. */
int64_t ct_fft_complex_count(const struct ct_fft_plan *p, int slot);

/* The plan of that handle, or NULL. */
struct ct_fft_plan *ct_fft_known(cufftHandle handle);
/* Executes a plan that is made, of any type. */
cufftResult ct_fft_execute(struct ct_fft_plan *p, void *in, void *out, int is_inverse);

#endif
