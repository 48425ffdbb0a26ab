/* fft.cuh - a CTA's lines: into shared memory, through the stages of a transform, and out again.
 *
 * A stage of radix r reads numbers that lie length / r apart, multiplies them with roots, transforms them in registers, and writes them so that
 * after the last stage they are in order. Roots are those of a table. The transform is the forward one; for the inverse, real and imaginary parts
 * change places before and after it. */
#ifndef CT_FFT_FFT_CUH
#define CT_FFT_FFT_CUH

#include "arguments.h"
#include "butterflies.cuh"

template <class R> struct room;
template <> struct room<float> {
	enum { SIZE = CT_FFT_ROOM_SINGLE };
};
template <> struct room<double> {
	enum { SIZE = CT_FFT_ROOM_DOUBLE };
};

/* Where a line of the CTA has its first number, and its digit of the dimension that turns it. */
struct line_place {
	const char *in;
	char *out;
	uint32_t turn;
};

template <class R> __device__ __forceinline__ complex_of<R> swapped(complex_of<R> v, bool swap)
{
	return {swap ? v.im : v.re, swap ? v.re : v.im};
}

/* A complex number of global memory, as a vector or, where its parts are apart, as two. */
template <class R> __device__ __forceinline__ complex_of<R> load(const char *at, int64_t second)
{
	if (second)
		return {get((const R *)at), get((const R *)(at + second))};
	return get((const complex_of<R> *)at);
}
template <class R> __device__ __forceinline__ void store(char *at, int64_t second, complex_of<R> v)
{
	if (second) {
		put((R *)at, v.re);
		put((R *)(at + second), v.im);
	} else
		put((complex_of<R> *)at, v);
}

template <class R> __device__ __forceinline__ complex_of<R> root(const ct_fft_roots &r, uint32_t k)
{
	complex_of<R> v = get((const complex_of<R> *)r.fine + (k & ((1u << r.bits) - 1)));
	return r.coarse ? v * get((const complex_of<R> *)r.coarse + (k >> r.bits)) : v;
}

__device__ __forceinline__ uint32_t divided(uint32_t x, const ct_fft_divisor &d)
{
	return uint32_t(uint64_t(x) * d.times >> CT_FFT_DIVISION);
}

/* Where line l lies; *turn is its digit of the dimension of that number. */
__device__ __forceinline__ line_place place_of(const ct_fft_lines &lines, uint32_t l, uint32_t turns)
{
	line_place p = {(const char *)lines.in, (char *)lines.out, 0};
#pragma unroll
	for (uint32_t d = 0; d < CT_FFT_DIMENSIONS; d++) {
		if (d == lines.dimensions)
			break;
		uint32_t digit = l % lines.count[d];
		l /= lines.count[d];
		p.in += digit * lines.in_line[d];
		p.out += digit * lines.out_line[d];
		if (d == turns)
			p.turn = digit;
	}
	return p;
}

/* A CTA's work: its part of shared memory and its lines. */
template <class R> struct work {
	const ct_fft_pass &g;
	complex_of<R> *room;
	const line_place *places;
	uint32_t lines;

	/* Number i of a line. */
	__device__ __forceinline__ complex_of<R> &at(uint32_t line, uint32_t i) const
	{
		return room[line * g.pitch + i + (i >> g.gap)];
	}
};

/* The lines that the CTA has; `places` is of shared memory. */
__device__ __forceinline__ uint32_t find_lines(const ct_fft_pass &g, line_place *places)
{
	uint32_t first = blockIdx.x * g.width.by, lines = min(g.lines.all - first, g.width.by);
	for (uint32_t l = threadIdx.x; l < lines; l += blockDim.x)
		places[l] = place_of(g.lines, first + l, g.turn);
	__syncthreads();
	return lines;
}

/* Which number of which line a thread has in its turn e: neighbours in one line, or of lines beside each other. */
struct spot {
	uint32_t line, i;
	__device__ __forceinline__ spot(const ct_fft_pass &g, const ct_fft_divisor &length, bool lines_first, uint32_t e)
	{
		ct_fft_divisor d = {lines_first ? g.width.by : length.by, lines_first ? g.width.times : length.times};
		uint32_t quotient = divided(e, d), rest = e - quotient * d.by;
		line = lines_first ? rest : quotient;
		i = lines_first ? quotient : rest;
	}
};

/* The same number, of which the compiler does not know that: what is worked out with it in a loop is not kept in registers around the loop. */
__device__ __forceinline__ uint32_t anew(uint32_t v)
{
	asm volatile("" : "+r"(v));
	return v;
}

/* One stage; the product of the radices before it is p. Threads without work do that of another up to where it is written: a stage has no branches,
 * so that stages do not share the registers that they all need. */
template <int N, class R> __device__ __forceinline__ void stage(const work<R> &w, uint32_t p)
{
	enum { EACH = (CT_FFT_EACH + N - 1) / N };
	const ct_fft_pass &g = w.g;
	uint32_t thread = anew(threadIdx.x), apart = anew(g.length.by) / N, all = w.lines * apart;
	const complex_of<R> *roots = (const complex_of<R> *)g.twiddles + (p - 1);
	complex_of<R> v[EACH][N];
	uint32_t to[EACH];
	float one_of_p = __fdividef(1, float(p));
	/* Places that are a multiple of 16 or of 8 apart have as many gaps between them; of two that are 8 apart, none. */
	uint32_t read = apart + (apart >> g.gap), read2 = 2 * apart + (2 * apart >> g.gap);
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		uint32_t b = min(thread + e * blockDim.x, all - 1), line = divided(b * N, g.length), i = b - line * apart;
		uint32_t k = i - uint32_t((float(i) + 0.5f) * one_of_p) * p, place = (i - k) * N + k;
		const complex_of<R> *from = &w.at(line, i);
		to[e] = line * g.pitch + place + (place >> g.gap);
#pragma unroll
		for (int t = 0; t < N; t++)
			v[e][t] = from[t / 2 * read2 + t % 2 * read];
#pragma unroll
		for (int t = 1; t < N; t++)
			v[e][t] = v[e][t] * get(roots + (t - 1) * p + k);
		butterfly<N, R>::transform(v[e]);
	}
	__syncthreads();
	uint32_t write = p + (p >> g.gap), write2 = 2 * p + (2 * p >> g.gap);
#pragma unroll
	for (int e = 0; e < EACH; e++)
		if (thread + e * blockDim.x < all)
#pragma unroll
			for (int t = 0; t < N; t++)
				w.room[to[e] + t / 2 * write2 + t % 2 * write] = v[e][t];
	__syncthreads();
}

/* All stages, of lines that lie in shared memory. */
template <class R> __device__ __forceinline__ void transform(const work<R> &w)
{
	uint64_t radices = w.g.radices;
	uint32_t p = 1;
	for (uint32_t s = 0; s < w.g.stages; s++, radices >>= 4) {
		uint32_t r = radices & 15;
		switch (r) {
		case 2: stage<2>(w, p); break;
		case 3: stage<3>(w, p); break;
		case 4: stage<4>(w, p); break;
		case 5: stage<5>(w, p); break;
		case 7: stage<7>(w, p); break;
		default: stage<8>(w, p);
		}
		p *= r;
	}
}

/* The lines in, where `number` gives a place's number, and out, where it takes it. */
template <class R, class Number> __device__ __forceinline__ void load_lines(const work<R> &w, const Number &number)
{
	complex_of<R> v[CT_FFT_EACH];
	bool lines_first = w.g.flags & CT_FFT_LINES_IN;
	uint32_t all = w.g.length.by * w.g.width.by;
#pragma unroll
	for (int k = 0; k < CT_FFT_EACH; k++) {
		uint32_t e = threadIdx.x + k * blockDim.x;
		spot s(w.g, w.g.length, lines_first, e);
		if (e < all && s.line < w.lines)
			v[k] = number(w.places[s.line], s.i);
	}
#pragma unroll
	for (int k = 0; k < CT_FFT_EACH; k++) {
		uint32_t e = threadIdx.x + k * blockDim.x;
		spot s(w.g, w.g.length, lines_first, e);
		if (e < all && s.line < w.lines)
			w.at(s.line, s.i) = v[k];
	}
	__syncthreads();
}
template <class R, class Number> __device__ __forceinline__ void store_lines(const work<R> &w, const Number &number)
{
	bool lines_first = w.g.flags & CT_FFT_LINES_OUT;
	uint32_t all = w.g.length.by * w.g.width.by;
	for (uint32_t e = threadIdx.x; e < all; e += blockDim.x) {
		spot s(w.g, w.g.length, lines_first, e);
		if (s.line < w.lines)
			number(w.places[s.line], s.i, w.at(s.line, s.i));
	}
}

#define CT_FFT_BEGIN(R, g) \
	__shared__ complex_of<R> room_of_cta[room<R>::SIZE]; \
	__shared__ line_place places_of_cta[CT_FFT_LINES]; \
	const work<R> w = {g, room_of_cta, places_of_cta, find_lines(g, places_of_cta)}

/* Complex lines, whole or those of one pass of several. */
template <class R> __device__ __forceinline__ void complex_lines(const ct_fft_pass &g)
{
	CT_FFT_BEGIN(R, g);
	const ct_fft_lines &l = g.lines;
	load_lines(w, [&](const line_place &p, uint32_t i) {
		complex_of<R> v = swapped(get((const complex_of<R> *)(p.in + i * l.in_element)), g.flags & CT_FFT_SWAP_IN);
		return g.roots.fine ? v * root<R>(g.roots, p.turn * i * g.step) : v;
	});
	transform(w);
	store_lines(w, [&](const line_place &p, uint32_t i, complex_of<R> v) {
		put((complex_of<R> *)(p.out + i * l.out_element), swapped(v, g.flags & CT_FFT_SWAP_OUT));
	});
}

/* Numbers k and half - k of a transform of pairs of real numbers become those of the real numbers' transform, in place. */
template <class R> __device__ __forceinline__ void untangle(complex_of<R> &a, complex_of<R> &b, complex_of<R> w)
{
	complex_of<R> sum = a + conjugate(b), odd = turned(w * (a - conjugate(b)));
	a = scaled(sum + odd, R(0.5));
	b = scaled(conjugate(sum - odd), R(0.5));
}
/* The same backwards, and twice as much. Numbers 0 and half are real. */
template <class R> __device__ __forceinline__ void tangle(complex_of<R> &a, complex_of<R> &b, complex_of<R> w, bool ends)
{
	if (ends)
		a.im = b.im = 0;
	complex_of<R> sum = a + conjugate(b), odd = turned(conjugate(w) * (a - conjugate(b)));
	a = sum - odd;
	b = conjugate(sum + odd);
}

/* Real lines of even length, as complex ones of half the length; in the same CTA, their first half of the transform. */
template <class R> __device__ __forceinline__ void real_lines(const ct_fft_pass &g)
{
	CT_FFT_BEGIN(R, g);
	const ct_fft_lines &l = g.lines;
	load_lines(w, [&](const line_place &p, uint32_t i) {
		return load<R>(p.in + i * l.in_element, l.in_second);
	});
	transform(w);
	uint32_t all = g.pairs.by * g.width.by, half = g.length.by;
	for (uint32_t e = threadIdx.x; e < all; e += blockDim.x) {
		spot s(g, g.pairs, g.flags & CT_FFT_LINES_OUT, e);
		if (s.line >= w.lines)
			continue;
		complex_of<R> a = w.at(s.line, s.i), b = w.at(s.line, s.i ? half - s.i : 0);
		char *out = w.places[s.line].out;
		untangle(a, b, root<R>(g.roots, s.i));
		store(out + s.i * l.out_element, 0, a);
		if (2 * s.i != half)
			store(out + (half - s.i) * l.out_element, 0, b);
	}
}
/* The inverse. */
template <class R> __device__ __forceinline__ void lines_to_real(const ct_fft_pass &g)
{
	CT_FFT_BEGIN(R, g);
	const ct_fft_lines &l = g.lines;
	uint32_t all = g.pairs.by * g.width.by, half = g.length.by;
	for (uint32_t e = threadIdx.x; e < all; e += blockDim.x) {
		spot s(g, g.pairs, g.flags & CT_FFT_LINES_IN, e);
		if (s.line >= w.lines)
			continue;
		const char *in = w.places[s.line].in;
		complex_of<R> a = load<R>(in + s.i * l.in_element, 0), b = a;
		if (2 * s.i != half)
			b = load<R>(in + (half - s.i) * l.in_element, 0);
		tangle(a, b, root<R>(g.roots, s.i), s.i == 0);
		w.at(s.line, s.i) = swapped(a, true);
		if (s.i > 0 && 2 * s.i != half)
			w.at(s.line, half - s.i) = swapped(b, true);
	}
	__syncthreads();
	transform(w);
	store_lines(w, [&](const line_place &p, uint32_t i, complex_of<R> v) {
		store(p.out + i * l.out_element, l.out_second, swapped(v, true));
	});
}

/* Any lines: real ones of odd length, those whose numbers are no vectors in memory, those that are convolved with a chirp since their length has
 * large factors, and passes of such. */
template <class R> __device__ __forceinline__ complex_of<R> load_any(const ct_fft_pass &g, const line_place &p, uint32_t i)
{
	uint32_t k = p.turn * g.in_turn + i * g.in_gap, flags = g.flags;
	bool mirrored = flags & CT_FFT_HERMITIAN_IN && 2 * k > g.whole;
	complex_of<R> v = R(0);
	if (flags & CT_FFT_CHIRP_IN && k >= g.whole)
		return v;
	const char *at = p.in + i * g.lines.in_element;
	if (mirrored)
		at += (int64_t(g.whole) - 2 * int64_t(k)) * g.in_unit;
	if (flags & CT_FFT_REAL_IN)
		v = get((const R *)at);
	else
		v = load<R>(at, g.lines.in_second);
	v = swapped(mirrored ? conjugate(v) : v, flags & CT_FFT_SWAP_IN);
	if (g.roots.fine)
		v = v * root<R>(g.roots, p.turn * i * g.step);
	return flags & CT_FFT_CHIRP_IN ? v * get((const complex_of<R> *)g.chirp + k) : v;
}
template <class R> __device__ __forceinline__ void store_any(const ct_fft_pass &g, const line_place &p, uint32_t i, complex_of<R> v)
{
	uint32_t k = p.turn * g.out_turn + i * g.out_gap, flags = g.flags;
	if (k >= g.out_count)
		return;
	if (flags & CT_FFT_CHIRP_OUT)
		v = swapped(v, true) * get((const complex_of<R> *)g.chirp + k);
	else if (flags & CT_FFT_SPECTRUM && !(flags & CT_FFT_BACK))
		v = swapped(v * get((const complex_of<R> *)g.spectrum + k), true);
	v = swapped(v, flags & CT_FFT_SWAP_OUT);
	char *at = p.out + i * g.lines.out_element;
	if (flags & CT_FFT_REAL_OUT)
		put((R *)at, v.re);
	else
		store(at, g.lines.out_second, v);
}
template <class R> __device__ __forceinline__ void any_lines(const ct_fft_pass &g)
{
	CT_FFT_BEGIN(R, g);
	load_lines(w, [&](const line_place &p, uint32_t i) {
		return load_any<R>(g, p, i);
	});
	for (int back = 0;; back++) {
		transform(w);
		if (back || !(g.flags & CT_FFT_BACK))
			break;
		for (uint32_t e = threadIdx.x; e < g.length.by * w.lines; e += blockDim.x) {
			uint32_t line = divided(e, g.length), i = e - line * g.length.by;
			complex_of<R> &v = w.at(line, i);
			v = swapped(v * get((const complex_of<R> *)g.spectrum + i), true);
		}
		__syncthreads();
	}
	store_lines(w, [&](const line_place &p, uint32_t i, complex_of<R> v) {
		store_any(g, p, i, v);
	});
}

/* Long real lines: a thread has numbers k and half - k, and lines of every blockIdx.y. */
template <class R, bool IS_INVERSE> __device__ __forceinline__ void tangle_lines(const ct_fft_tangle &g)
{
	uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, other = g.half - k;
	if (2 * k > g.half)
		return;
	complex_of<R> w = root<R>(g.roots, k);
	for (uint32_t l = blockIdx.y; l < g.lines.all; l += gridDim.y) {
		line_place p = place_of(g.lines, l, CT_FFT_DIMENSIONS);
		complex_of<R> a = load<R>(p.in + k * g.lines.in_element, 0), b = a;
		if (k != other && (IS_INVERSE || k > 0))
			b = load<R>(p.in + other * g.lines.in_element, 0);
		if (IS_INVERSE)
			tangle(a, b, w, k == 0);
		else
			untangle(a, b, w);
		store(p.out + k * g.lines.out_element, 0, a);
		if (k != other && (!IS_INVERSE || k > 0))
			store(p.out + other * g.lines.out_element, 0, b);
	}
}

/* The kernels of a type of real numbers, by the names that cuFFT has for transforms. */
#define CT_FFT_KERNEL(kernel, function, structure) \
	extern "C" __global__ __launch_bounds__(CT_FFT_THREADS) void ct_fft_##kernel(structure g) \
	{ \
		function(g); \
	}

#endif
