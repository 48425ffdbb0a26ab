#include "base/hash.h"

#include <lzma.h>
#include <zlib.h>

uint64_t ct_crc64(uint64_t crc, const void *p, size_t n)
{
	return lzma_crc64(p, n, crc);
}

uint32_t ct_crc32(uint32_t crc, const void *p, size_t n)
{
	const unsigned char *s = p;
	uLong c = crc;
	/* zlib takes 32-bit lengths. */
	while (n > 0) {
		uInt step = n > 0x40000000u ? 0x40000000u : (uInt)n;
		c = crc32(c, s, step);
		s += step;
		n -= step;
	}
	return (uint32_t)c;
}
