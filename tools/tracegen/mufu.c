#include "tracegen/mufu.h"

#include <math.h>
#include <string.h>

#define LN2 0.69314718055994530942
#define PI 3.14159265358979323846

static uint32_t bits_of(float x)
{
	uint32_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

static float from_bits(uint32_t u)
{
	float x;
	memcpy(&x, &u, sizeof x);
	return x;
}

float simt_rcp(float x)
{
	return 1.0f / x;
}

/* sqrt() is rounded exactly (IEEE 754, C11 annex F). */
float simt_sqrt(float x)
{
	return (float)sqrt((double)x);
}

float simt_rsqrt(float x)
{
	return (float)(1.0 / sqrt((double)x));
}

float simt_ex2(float x)
{
	if (isnan(x) || x >= 128.0f)
		return isnan(x) ? x : INFINITY;
	if (x < -150.0f)
		return 0.0f;
	double whole = floor((double)x + 0.5), f = ((double)x - whole) * LN2;
	/* Taylor series of e^f, |f| <= 0.35. */
	double sum = 1.0;
	for (int i = 11; i > 0; i--)
		sum = 1.0 + sum * f / i;
	return (float)ldexp(sum, (int)whole);
}

float simt_lg2(float x)
{
	int e;
	if (isnan(x) || x < 0.0f)
		return NAN;
	if (x == 0.0f)
		return -INFINITY;
	if (isinf(x))
		return x;
	double m = frexp((double)x, &e);
	if (m < 0.70710678118654752) {
		m *= 2;
		e--;
	}
	/* log(m) = 2 artanh(t), |t| <= 0.172. */
	double t = (m - 1.0) / (m + 1.0), t2 = t * t, sum = 0.0;
	for (int i = 21; i > 0; i -= 2)
		sum = sum * t2 + 1.0 / i;
	return (float)(e + 2.0 * t * sum / LN2);
}

/* sin(2 pi r) for |r| <= 1/8 and cos likewise, by their Taylor series. */
static double sin_small(double r)
{
	double a = 2 * PI * r, a2 = a * a, sum = 1.0;
	for (int i = 14; i > 0; i -= 2)
		sum = 1.0 - sum * a2 / (i * (i + 1));
	return a * sum;
}

static double cos_small(double r)
{
	double a = 2 * PI * r, a2 = a * a, sum = 1.0;
	for (int i = 15; i > 0; i -= 2)
		sum = 1.0 - sum * a2 / (i * (i + 1));
	return sum;
}

static double turn(double r, int quarter)
{
	r -= floor(r + 0.5);
	double q = floor(r * 4 + 0.5);
	double rest = r - q / 4;
	switch (((int)q + quarter) & 3) {
	case 0: return sin_small(rest);
	case 1: return cos_small(rest);
	case 2: return -sin_small(rest);
	default: return -cos_small(rest);
	}
}

float simt_sin(float x)
{
	return isfinite(x) ? (float)turn((double)x, 0) : NAN;
}

float simt_cos(float x)
{
	return isfinite(x) ? (float)turn((double)x, 1) : NAN;
}

uint16_t simt_to_half(float x)
{
	uint32_t u = bits_of(x), sign = u >> 16 & 0x8000u, mag = u & 0x7fffffffu;
	if (mag > 0x7f800000u)
		return (uint16_t)(sign | 0x7e00u);
	if (mag >= 0x477ff000u) /* rounds to 65536 or more */
		return (uint16_t)(sign | 0x7c00u);
	if (mag < 0x38800000u) { /* below the smallest normal: a multiple of 2^-24 */
		double scaled = (double)from_bits(mag) * 16777216.0;
		double low = floor(scaled), rest = scaled - low;
		uint32_t n = (uint32_t)low;
		if (rest > 0.5 || (rest == 0.5 && (n & 1)))
			n++;
		return (uint16_t)(sign | n);
	}
	uint32_t rounded = mag + 0x0fffu + (mag >> 13 & 1);
	return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

float simt_from_half(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16, mag = h & 0x7fffu;
	if (mag >= 0x7c00u)
		return from_bits(sign | 0x7f800000u | (mag & 0x3ffu) << 13);
	if (mag < 0x400u) {
		float x = (float)mag / 16777216.0f;
		return sign ? -x : x;
	}
	return from_bits(sign | ((mag << 13) + 0x38000000u));
}
