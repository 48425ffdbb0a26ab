#include "locality/sample.h"

#include <string.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/sample_filter.h"

enum { LINES_PER_GROUP = 16 }; /* sampled ones, about */

void ct_sampler_init(struct ct_sampler *s, double rate, unsigned salts, uint64_t seed, int isa)
{
	memset(s, 0, sizeof *s);
	s->salts = salts;
	s->seed = ct_mix64(seed + CT_GOLDEN64);
	s->isa = (int)ct_isa_resolve((enum ct_isa)isa);
	/* limit = rate * 2^64, but 1 takes all but the last value of the hash, and no rate is 0:
	 * estimates divide by it. */
	for (unsigned k = 0; k < salts; k++)
		s->limit[k] = rate >= 1 ? UINT64_MAX : rate > 0x1p-64 ? (uint64_t)(rate * 0x1p64) : 1;
	while (s->group_bits < 40 && (double)((uint64_t)1 << s->group_bits) * rate < LINES_PER_GROUP)
		s->group_bits++;
}

double ct_sampler_rate(const struct ct_sampler *s, unsigned k)
{
	return s->limit[k] == UINT64_MAX ? 1 : (double)s->limit[k] * 0x1p-64;
}

static size_t filter_portable(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit)
{
	size_t hits = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned mask = ct_sample_mask(s, line[i]);
		hit[hits] = (uint32_t)(i * 16 + mask);
		hits += mask != 0;
	}
	return hits;
}

static size_t filter_portable_1(const struct ct_sampler *s, const uint64_t *line, size_t n,
                                uint32_t *hit)
{
	size_t hits = 0;
	uint64_t limit = s->limit[0];
	for (size_t i = 0; i < n; i++) {
		hit[hits] = (uint32_t)(i * 16 + 1);
		hits += ct_sample_hash(s, line[i], 0) < limit;
	}
	return hits;
}

size_t ct_sample_filter(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit)
{
#if CT_X86
	if (s->isa == CT_ISA_AVX512)
		return ct_sample_filter_avx512(s, line, n, hit);
	if (s->isa == CT_ISA_AVX2)
		return ct_sample_filter_avx2(s, line, n, hit);
#endif
	return s->salts == 1 ? filter_portable_1(s, line, n, hit) : filter_portable(s, line, n, hit);
}
