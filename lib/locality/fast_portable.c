/* The fast engine in plain C11. */
#include "locality/fast.h"

#define POPCOUNT ct_window_bits
#define LOWER16 lower16
#define LOWER32 lower32
#define WIN_AVX512 0

CT_INLINE void lower16(uint16_t *group, uint64_t n, int delta)
{
	for (unsigned i = 0; i < CT_WINDOW_GROUP; i++)
		group[i] = (uint16_t)(group[i] + (i < n ? delta : 0));
}

CT_INLINE void lower32(uint32_t *group, uint64_t n, int delta)
{
	for (unsigned i = 0; i < CT_WINDOW_UP_GROUP; i++)
		group[i] += (uint32_t)(i < n ? delta : 0);
}

CT_INLINE unsigned bucket_match(const struct ct_bucket *b, uint64_t line)
{
	unsigned match = 0;
	for (unsigned i = 0; i < CT_BUCKET_LINES; i++)
		match |= (unsigned)((b->line[i] == line) & (b->time[i] != 0)) << i;
	return match;
}

#include "locality/fast_kernel.h"

const struct ct_fast_kernel ct_fast_portable = {
	touch_batch, map_batch, count_batch, ops_batch, renumber, sms_batch, sms_renumber};
