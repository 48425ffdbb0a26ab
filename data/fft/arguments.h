/* arguments.h - what the host's side of cuFFT (runtime/fft) hands to the kernels of this folder: C and CUDA C++ at once.
 *
 * A kernel has one parameter, one of these structures. A pass transforms lines of numbers, each of which fits into shared memory; a long
 * line is several passes, in each of which the numbers that are far apart are lines of their own. All distances are in bytes. */
#ifndef CT_FFT_ARGUMENTS_H
#define CT_FFT_ARGUMENTS_H

#include <stdint.h>

enum {
	CT_FFT_DIMENSIONS = 5, /* in which lines lie beside each other */
	CT_FFT_THREADS = 512,  /* of a CTA, at most */
	CT_FFT_EACH = 8,       /* numbers of a thread, at most */
	CT_FFT_LINES = 256,    /* of a CTA, at most */
	/* Complex numbers in shared memory, with what keeps neighbours out of the same bank: a number's place in a line of length 2^n
	 * is itself and one more every 16 or 8. */
	CT_FFT_ROOM_SINGLE = 4096 + 256,
	CT_FFT_ROOM_DOUBLE = 2048 + 256,
	CT_FFT_GAP_SINGLE = 4,
	CT_FFT_GAP_DOUBLE = 3,
	CT_FFT_NO_GAP = 31,
	CT_FFT_DIVISION = 25 /* bits */
};

/* A small number, and what replaces a division by it: x / by is x * times >> CT_FFT_DIVISION where x * by is less than 2 to that. */
struct ct_fft_divisor {
	uint32_t by, times;
};

/* Lines: number i of one begins i * in_element behind its first, and line l, whose digits are in `count`, in_line[d] for each of digit d. */
struct ct_fft_lines {
	const void *in;
	void *out;
	int64_t in_element, out_element;
	int64_t in_second, out_second; /* from the real to the imaginary part where they are no vector in memory, else 0 */
	int64_t in_line[CT_FFT_DIMENSIONS], out_line[CT_FFT_DIMENSIONS];
	uint32_t count[CT_FFT_DIMENSIONS], dimensions, all;
};

/* e^(-2 pi i k / n): fine[k], or of many fine[low bits] * coarse[the others]. NULL: none. */
struct ct_fft_roots {
	const void *fine, *coarse;
	uint32_t bits;
};

enum {
	CT_FFT_SWAP_IN = 1,    /* the inverse transform: real and imaginary parts change places, before and after it */
	CT_FFT_SWAP_OUT = 2,
	CT_FFT_LINES_IN = 4,   /* threads beside each other have numbers of lines beside each other, not of one line */
	CT_FFT_LINES_OUT = 8,
	/* Of the general kernel alone. */
	CT_FFT_REAL_IN = 16,
	CT_FFT_HERMITIAN_IN = 32, /* only the first half of the numbers is there */
	CT_FFT_CHIRP_IN = 64,     /* numbers are multiplied with the chirp's, and zero beyond its end */
	CT_FFT_SPECTRUM = 128,    /* the transform is multiplied with the chirp's, and its parts change places */
	CT_FFT_BACK = 256,        /* and all is transformed once more, in the same CTA */
	CT_FFT_CHIRP_OUT = 512,   /* parts change places, and numbers are multiplied with the chirp's */
	CT_FFT_REAL_OUT = 1024
};

/* One pass. */
struct ct_fft_pass {
	struct ct_fft_lines lines;
	struct ct_fft_divisor length, width, pairs; /* of a line; lines of a CTA; pairs of numbers that a real transform takes together */
	uint32_t pitch, gap;                        /* in shared memory: from line to line, and within one */
	uint32_t stages;
	uint64_t radices;     /* of the stages, four bits each */
	const void *twiddles; /* e^(-2 pi i k t / (p r)) of a stage of radix r after those of product p, at p - 1 + (t - 1) * p + k */
	/* A number of a long transform is multiplied with root turn * t * step, where `turn` is the line's digit of that dimension; of a real
	 * transform they are those of its length. */
	struct ct_fft_roots roots;
	uint32_t turn, step;
	uint32_t flags;
	/* Of the general kernel: number t of a line has the place turn * in_turn + t * in_gap in the whole transform, of `whole` numbers. Of
	 * those only out_count are written. */
	uint32_t in_turn, in_gap, out_turn, out_gap, whole, out_count;
	int64_t in_unit; /* from one number of the whole transform to the next */
	const void *chirp, *spectrum;
};

/* The first half of a real transform's numbers, `half` and one, out of those of a complex one of half the length, or back. */
struct ct_fft_tangle {
	struct ct_fft_lines lines;
	struct ct_fft_roots roots;
	uint32_t half;
};

#endif
