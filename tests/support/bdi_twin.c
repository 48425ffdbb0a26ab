#include "tests/support/bdi_twin.h"

/* out = x - y, b little-endian bytes, by borrowing. */
static void subtract(uint8_t *out, const uint8_t *x, const uint8_t *y, unsigned b)
{
	int borrow = 0;
	for (unsigned i = 0; i < b; i++) {
		int d = x[i] - y[i] - borrow;
		borrow = d < 0;
		out[i] = (uint8_t)(d + 256 * borrow);
	}
}

/* Whether the bytes behind the first d only repeat its sign. */
static int small(const uint8_t *v, unsigned b, unsigned d)
{
	uint8_t sign = v[d - 1] & 0x80 ? 0xff : 0;
	for (unsigned i = d; i < b; i++)
		if (v[i] != sign)
			return 0;
	return 1;
}

int twin_bdi_level(const uint8_t *block, size_t n)
{
	if (twin_bdi_holds(block, n, 4, 1, 0))
		return 0;
	return twin_bdi_holds(block, n, 4, 2, 0) ? 1 : 2;
}

int twin_bdi_holds(const uint8_t *block, size_t n, unsigned b, unsigned d, int zero_base)
{
	const uint8_t *base = NULL;
	uint8_t difference[8];
	for (size_t i = 0; i < n; i += b) {
		if (zero_base && small(block + i, b, d))
			continue;
		if (!base)
			base = block + i;
		subtract(difference, block + i, base, b);
		if (!small(difference, b, d))
			return 0;
	}
	return 1;
}
