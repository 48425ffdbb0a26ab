/* sample_filter.h - compiled variants of ct_sample_filter(). Private to the room. */
#ifndef CT_LOCALITY_SAMPLE_FILTER_H
#define CT_LOCALITY_SAMPLE_FILTER_H

#include "locality/isa.h"
#include "locality/sample.h"

/* The filter is faster than hardware alone brings long streams from memory: asks for the
 * cache line `CT_SAMPLE_AHEAD` bytes on, which need not exist. */
enum { CT_SAMPLE_AHEAD = 8 << 10 };
static inline void ct_sample_prefetch(const uint64_t *line)
{
	CT_PREFETCH_READ((uintptr_t)line + CT_SAMPLE_AHEAD);
}

#if CT_X86
size_t ct_sample_filter_avx2(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit);
size_t ct_sample_filter_avx512(const struct ct_sampler *s, const uint64_t *line, size_t n,
                               uint32_t *hit);
#endif

#endif
