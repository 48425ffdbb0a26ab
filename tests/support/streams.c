#include "tests/support/streams.h"

#include <math.h>

#include "base/hash.h"

const char *stream_name(enum stream_kind k)
{
	static const char *const name[] = {
		"zipf20", "zipf24", "unif20", "scan18", "tile", "gpu", "hashed"};
	return name[k];
}

static double uniform01(uint64_t *seed)
{
	return (double)(ct_rand64(seed) >> 11) * 0x1p-53;
}

/* Zipf by rejection-inversion (Hoermann and Derflinger 1996), exponent below 1. */
struct zipf {
	double exponent, low, high, squeeze;
	uint64_t n;
};

static double integral(const struct zipf *z, double x)
{
	return pow(x, 1 - z->exponent) / (1 - z->exponent);
}

static double inverse(const struct zipf *z, double u)
{
	return pow((1 - z->exponent) * u, 1 / (1 - z->exponent));
}

static struct zipf zipf_make(uint64_t n, double exponent)
{
	struct zipf z = {.exponent = exponent, .n = n};
	z.low = integral(&z, 1.5) - 1;
	z.high = integral(&z, (double)n + 0.5);
	z.squeeze = 2 - inverse(&z, integral(&z, 2.5) - pow(2, -exponent));
	return z;
}

static uint64_t zipf_rank(const struct zipf *z, uint64_t *seed)
{
	for (;;) {
		double u = z->high + uniform01(seed) * (z->low - z->high);
		double x = inverse(z, u), k = floor(x + 0.5);
		k = fmin(fmax(k, 1), (double)z->n);
		if (k - x <= z->squeeze || u >= integral(z, k + 0.5) - pow(k, -z->exponent))
			return (uint64_t)k - 1;
	}
}

/* A bijection of [0, 2^bits) that tears neighbours apart. */
static uint64_t scatter(uint64_t x, unsigned bits)
{
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	for (int i = 0; i < 2; i++) {
		x = x * 0x9e3779b97f4a7c15u & mask;
		x ^= x >> bits / 2;
	}
	return x;
}

enum { HEAP = 0x7f00000 }; /* some distance from zero, as real addresses are */

static void fill_zipf(uint64_t n_lines, unsigned bits, int hashed, uint64_t seed, uint64_t *line,
                      size_t n)
{
	struct zipf z = zipf_make(n_lines, 0.9);
	for (size_t i = 0; i < n; i++) {
		uint64_t l = HEAP + scatter(zipf_rank(&z, &seed), bits);
		line[i] = hashed ? ct_mix64(l) : l;
	}
}

/* C += A B: tile by tile, for each row of the tile and each k, the lines of B and C. */
static void fill_tile(uint64_t *line, size_t n)
{
	enum { N = 2048, TILE = 64, FLOATS = 32 };
	const uint64_t a = 1 << 24, b = 2 << 24, c = 3 << 24;
	const uint64_t tiles = N / TILE;
	size_t at = 0;
	for (uint64_t t = 0; at < n; t++) {
		uint64_t i0 = t / (tiles * tiles) % tiles * TILE;
		uint64_t j0 = t / tiles % tiles * TILE, k0 = t % tiles * TILE;
		for (uint64_t i = i0; i < i0 + TILE; i++)
			for (uint64_t k = k0; k < k0 + TILE; k++) {
				if (k % 8 == 0 && at < n)
					line[at++] = a + (i * N + k) / FLOATS;
				for (uint64_t j = j0; j < j0 + TILE; j += FLOATS) {
					if (at < n)
						line[at++] = b + (k * N + j) / FLOATS;
					if (at < n)
						line[at++] = c + (i * N + j) / FLOATS;
				}
			}
	}
}

static void fill_gpu(uint64_t seed, uint64_t *line, size_t n)
{
	enum { WARPS = 512, CHUNK = 4096 };
	const uint64_t in = 1 << 28, out = 2 << 28, table = 3u << 28, span = 1 << 23;
	struct zipf z = zipf_make(1 << 16, 0.7);
	uint64_t position[WARPS] = {0};
	size_t at = 0;
	while (at < n) {
		uint64_t r = ct_rand64(&seed), w = r % WARPS;
		for (uint64_t burst = 1 + (r >> 32) % 4; burst > 0; burst--) {
			uint64_t p = position[w]++;
			uint64_t own = (p / CHUNK * WARPS + w) * CHUNK + p % CHUNK;
			const uint64_t l[4] = {
				in + own % span, table + scatter(zipf_rank(&z, &seed), 16),
				table + scatter(zipf_rank(&z, &seed), 16), out + own % span};
			for (int i = 0; i < 4 && at < n; i++)
				line[at++] = l[i];
		}
	}
}

void stream_fill(enum stream_kind k, uint64_t seed, uint64_t *line, size_t n)
{
	switch (k) {
	case STREAM_ZIPF20:
	case STREAM_HASHED: fill_zipf(1000000, 20, k == STREAM_HASHED, seed, line, n); break;
	case STREAM_ZIPF24: fill_zipf(1 << 24, 24, 0, seed, line, n); break;
	case STREAM_UNIFORM:
		for (size_t i = 0; i < n; i++)
			line[i] = HEAP + (ct_rand64(&seed) & 0xfffff);
		break;
	case STREAM_SCAN:
		for (size_t i = 0; i < n; i++)
			line[i] = HEAP + (i & 0x3ffff);
		break;
	case STREAM_TILE: fill_tile(line, n); break;
	case STREAM_GPU: fill_gpu(seed, line, n); break;
	case STREAM_KINDS: break;
	}
}
