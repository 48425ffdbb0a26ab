/* cuFFT: how lines of a length are transformed, and the tables for that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "runtime/fft/fft.h"

uint32_t ct_fft_room(int is_double)
{
	return is_double ? 2048 : 4096;
}

/* ---- passes ---- */

/* 1: a product of 2, 3, 5 and 7. */
static int is_smooth(int64_t n)
{
	static const int primes[] = {2, 3, 5, 7};
	for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
		while (n % primes[i] == 0)
			n /= primes[i];
	return n == 1;
}

/* The shortest convolution of at least that length, of a power of two and a small factor; 0: it is too long. */
static uint32_t find_convolution(int64_t least)
{
	static const int64_t odd[] = {1, 3, 5, 7, 9, 15};
	int64_t best = 0;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		int64_t m = odd[i];
		while (m < least)
			m *= 2;
		if (best == 0 || m < best)
			best = m;
	}
	return best <= CT_FFT_NUMBERS_MOST ? (uint32_t)best : 0;
}

/* Shares out the factors of a length among that many steps, the largest first and each to the shortest. 1: none is longer than `most`. */
static int share_out(struct ct_fft_way *way, uint32_t length, int steps, uint32_t most)
{
	static const uint32_t primes[] = {7, 5, 3, 2};
	for (int s = 0; s < steps; s++)
		way->step[s].length = 1;
	for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
		for (; length % primes[i] == 0; length /= primes[i]) {
			struct ct_fft_step *least = &way->step[0];
			for (int s = 1; s < steps; s++)
				if (way->step[s].length < least->length)
					least = &way->step[s];
			least->length *= primes[i];
		}
	way->steps = steps;
	for (int s = 0; s < steps; s++)
		if (way->step[s].length > most)
			return 0;
	return 1;
}

static void add_stages(struct ct_fft_step *s, uint32_t *rest, uint32_t radix, int most)
{
	for (; most > 0 && *rest % radix == 0; most--, *rest /= radix)
		s->radices |= (uint64_t)radix << 4 * s->stages++;
}

/* Odd radices first, so that few threads write to one bank; of 2^n as many eights as go, but rather two fours than an eight and a two. */
static void choose_stages(struct ct_fft_step *s)
{
	uint32_t rest = s->length;
	int twos = 0;
	s->stages = 0;
	s->radices = 0;
	for (uint32_t r = 7; r > 2; r -= 2)
		add_stages(s, &rest, r, INT32_MAX);
	while (rest >> twos > 1)
		twos++;
	add_stages(s, &rest, 8, twos % 3 == 1 && twos > 1 ? twos / 3 - 1 : twos / 3);
	add_stages(s, &rest, 4, 2);
	add_stages(s, &rest, 2, 1);
}

/* One pass where a line fits. Passes of several, and those whose lines lie beside each other, take lines so short that a CTA has two
 * at least: what they read is then together in memory. */
int ct_fft_choose(struct ct_fft_way *way, int64_t n, int is_double, int is_real, int is_apart)
{
	uint32_t most = ct_fft_room(is_double);
	*way = (struct ct_fft_way){
		.is_halved = is_real && n % 2 == 0 && is_smooth(n), .is_chirp = !is_smooth(n)};
	way->n = (uint32_t)(way->is_halved ? n / 2 : n);
	way->length = way->is_chirp ? find_convolution(2 * n - 1) : way->n;
	if (way->length == 0)
		return -1;
	if (way->length > (is_apart ? most / 2 : most) || !share_out(way, way->length, 1, most)) {
		int steps = 2;
		while (steps <= CT_FFT_STEPS && !share_out(way, way->length, steps, most / 2))
			steps++;
		if (steps > CT_FFT_STEPS)
			return -1;
	}
	for (int s = 0; s < way->steps; s++)
		choose_stages(&way->step[s]);
	return 0;
}

/* ---- tables ---- */

struct number {
	double re, im;
};

/* e^(-2 pi i k / n), by an angle of at most an eighth of the circle. */
static struct number root(uint64_t k, uint64_t n)
{
	const double pi = 3.14159265358979323846;
	uint64_t eighth = 8 * k / n,
		 from = (eighth + 1) / 2 * n; /* of the nearest quarter, four times */
	double angle = ((double)(4 * k) - (double)from) * (pi / 2) / (double)n, c = cos(angle),
	       s = sin(angle);
	switch ((eighth + 1) / 2 % 4) {
	case 0: return (struct number){c, -s};
	case 1: return (struct number){-s, -c};
	case 2: return (struct number){-c, s};
	default: return (struct number){s, c};
	}
}

static size_t number_bytes(const struct ct_fft_tables *t)
{
	return t->is_double ? 2 * sizeof(double) : 2 * sizeof(float);
}

/* Makes room for so many numbers, and tells where they begin. */
static size_t add_room(struct ct_fft_tables *t, size_t numbers)
{
	size_t at = t->count, bytes = numbers * number_bytes(t);
	void *all = t->bytes;
	if (t->is_lost || ct_grow(&all, &t->capacity, at + bytes, 1) != 0) {
		t->is_lost = 1;
		return 0;
	}
	t->bytes = all;
	t->count += bytes;
	return at;
}

/* Number i of a table. */
static void set(struct ct_fft_tables *t, size_t table, size_t i, struct number v)
{
	const float single[] = {(float)v.re, (float)v.im};
	const double twice[] = {v.re, v.im};
	if (!t->is_lost)
		memcpy(t->bytes + table + i * number_bytes(t),
		       t->is_double ? (const void *)twice : single, number_bytes(t));
}

/* Roots k = 0 to count - 1 of n; of many, those of the low bits of k and those of the high ones. */
static struct ct_fft_root_table add_roots(struct ct_fft_tables *t, uint64_t n, uint64_t count)
{
	enum { WHOLE = 4096 };
	struct ct_fft_root_table r = {.bits = ct_high_bit(count) + 1};
	uint64_t fine = count;
	if (count > WHOLE) {
		r.bits = (r.bits + 1) / 2;
		fine = (uint64_t)1 << r.bits;
	}
	r.fine = add_room(t, fine);
	for (uint64_t k = 0; k < fine; k++)
		set(t, r.fine, k, root(k, n));
	if (count > WHOLE) {
		uint64_t coarse = ((count - 1) >> r.bits) + 1;
		r.coarse = add_room(t, coarse);
		for (uint64_t k = 0; k < coarse; k++)
			set(t, r.coarse, k, root(k << r.bits, n));
	}
	return r;
}

/* What numbers are multiplied with before each stage; where an earlier step is as long, they are its. */
static void add_twiddles(struct ct_fft_tables *t, struct ct_fft_way *way, int s)
{
	struct ct_fft_step *step = &way->step[s];
	for (int before = 0; before < s; before++)
		if (way->step[before].length == step->length) {
			step->twiddles = way->step[before].twiddles;
			return;
		}
	step->twiddles = add_room(t, step->length);
	uint32_t p = 1;
	for (uint64_t radices = step->radices; radices; radices >>= 4) {
		uint32_t r = radices & 15;
		for (uint64_t i = 1; i < r; i++)
			for (uint64_t k = 0; k < p; k++)
				set(t, step->twiddles, p - 1 + (i - 1) * p + k,
				    root(i * k, (uint64_t)p * r));
		p *= r;
	}
}

/* Transforms the numbers, whose length is the way's, by its radices one after the other; `other` is as long, and so is `roots`. Returns
 * that of both which has the result. */
static struct number *transform(const struct ct_fft_way *way, struct number *v, struct number *other,
                                const struct number *roots)
{
	uint64_t p = 1, n = way->length;
	for (int s = 0; s < way->steps; s++)
		for (uint64_t radices = way->step[s].radices; radices; radices >>= 4) {
			uint64_t r = radices & 15, apart = n / r;
			for (uint64_t i = 0; i < apart; i++)
				for (uint64_t t = 0; t < r; t++) {
					uint64_t k = i % p, turn = k + t * p;
					struct number sum = {0, 0};
					for (uint64_t m = 0; m < r; m++) {
						struct number
							a = v[i + m * apart],
							w = roots[m * turn % (p * r) * (n / (p * r))];
						sum.re += a.re * w.re - a.im * w.im;
						sum.im += a.re * w.im + a.im * w.re;
					}
					other[(i - k) * r + turn] = sum;
				}
			struct number *last = v;
			v = other;
			other = last;
			p *= r;
		}
	return v;
}

/* A chirp is e^(-pi i k^2 / n): where numbers are multiplied with it, convolved with its conjugate, and multiplied with it again, they
 * are transformed. The spectrum is that of the conjugate. */
static void add_chirp(struct ct_fft_tables *t, struct ct_fft_way *way)
{
	uint64_t n = way->n, length = way->length;
	struct number *all = ct_calloc(3 * length, sizeof *all), *roots = all ? all + 2 * length : NULL;
	way->chirp = add_room(t, n);
	way->spectrum = add_room(t, length);
	if (!all || t->is_lost) {
		free(all);
		t->is_lost = 1;
		return;
	}
	for (uint64_t k = 0; k < n; k++) {
		struct number c = root(k * k % (2 * n), 2 * n);
		set(t, way->chirp, k, c);
		c.im = -c.im;
		all[k] = all[k ? length - k : 0] = c;
	}
	for (uint64_t k = 0; k < length; k++)
		roots[k] = root(k, length);
	const struct number *spectrum = transform(way, all, all + length, roots);
	for (uint64_t k = 0; k < length; k++)
		set(t, way->spectrum, k,
		    (struct number){spectrum[k].re / (double)length, spectrum[k].im / (double)length});
	free(all);
}

void ct_fft_fill(struct ct_fft_tables *t, struct ct_fft_way *way)
{
	for (int s = 0; s < way->steps; s++)
		add_twiddles(t, way, s);
	if (way->steps > 1)
		way->between = add_roots(t, way->length, way->length);
	if (way->is_halved)
		way->real = add_roots(t, 2 * (uint64_t)way->n, way->n / 2 + 1);
	if (way->is_chirp)
		add_chirp(t, way);
}
