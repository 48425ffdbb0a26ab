/* The next victims of a set of many ways. */
#include "replay/private/oldest.h"

/* The oldest by a look at every stamp. */
static uint32_t oldest_of_all(const struct rp_ways *s)
{
	uint64_t best = UINT64_MAX;
	for (uint32_t w = 0; w < s->ways; w += RP_STAMPS) {
		uint32_t first = s->first + w, n = s->ways - w < RP_STAMPS ? s->ways - w : RP_STAMPS;
		uint64_t low = rp_lowest_stamp(s->stamp + first, n, rp_never_of(s, first, n)) + first;
		best = low < best ? low : best;
	}
	return best >> 32 == RP_NO_STAMP ? RP_NO_STAMP : (uint32_t)best;
}

/* Which of n <= RP_STAMPS stamps are at most `limit`. */
static uint32_t stamps_up_to(const uint32_t *stamp, uint32_t n, uint32_t limit)
{
	uint32_t mask = 0;
#if defined(__SSE2__) && !defined(CT_NO_SIMD)
	if (n == RP_STAMPS) { /* signed numbers compare: the sign is turned over */
		const __m128i sign = _mm_set1_epi32(INT32_MIN);
		const __m128i above = _mm_xor_si128(_mm_set1_epi32((int)limit), sign);
		const __m128i *v = (const __m128i *)(const void *)stamp;
		__m128i a[4];
		for (int i = 0; i < 4; i++)
			a[i] = _mm_cmpgt_epi32(_mm_xor_si128(_mm_loadu_si128(v + i), sign), above);
		a[0] = _mm_packs_epi16(_mm_packs_epi32(a[0], a[1]), _mm_packs_epi32(a[2], a[3]));
		return ~(uint32_t)_mm_movemask_epi8(a[0]) & 0xffff;
	}
#endif
	for (uint32_t w = 0; w < n; w++)
		mask |= (uint32_t)(stamp[w] <= limit) << w;
	return mask;
}

/* Lines of stamps up to `limit`, above them their stamps; more than RP_QUEUE: there are more. */
static uint32_t collect_lines(const struct rp_ways *s, uint32_t limit, uint64_t key[RP_QUEUE])
{
	uint32_t found = 0;
	for (uint32_t w = 0; w < s->ways; w += RP_STAMPS) {
		uint32_t first = s->first + w, n = s->ways - w < RP_STAMPS ? s->ways - w : RP_STAMPS;
		uint32_t m = stamps_up_to(s->stamp + first, n, limit);
		if (m)
			m &= ~rp_never_of(s, first, n);
		for (; m; m &= m - 1) {
			uint32_t i = first + ct_low_bit(m);
			if (found == RP_QUEUE)
				return RP_QUEUE + 1;
			key[found++] = (uint64_t)s->stamp[i] << 32 | i;
		}
	}
	return found;
}

static void sort_keys(uint64_t *key, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint64_t k = key[i];
		uint32_t at = i;
		for (; at && key[at - 1] > k; at--)
			key[at] = key[at - 1];
		key[at] = k;
	}
}

/* What is touched from now on has the stamp `last` or a higher one, so that it is above any limit
 * tried here. */
uint32_t rp_oldest_of_many(const struct rp_ways *s)
{
	struct rp_queue *q = s->queue;
	uint64_t key[RP_QUEUE];
	uint32_t low = q->limit < s->last ? q->limit : 0, step = q->step, found;
	step = step ? step : (s->last - low) / 12 + 1;
	q->head = q->n = 0;
	for (;;) {
		uint32_t limit = s->last - low > step ? low + step : s->last ? s->last - 1 : 0;
		found = s->last ? collect_lines(s, limit, key) : 0;
		if (found > RP_QUEUE && step > 1) {
			step = step / 3 ? step / 3 : 1;
			continue;
		}
		if (found > RP_QUEUE || (!found && limit + 1 >= s->last)) {
			q->limit = 0;
			return oldest_of_all(s);
		}
		q->limit = low = limit;
		if (found)
			break;
		step = step > UINT32_MAX / 2 ? step : 2 * step;
	}
	sort_keys(key, found);
	for (uint32_t i = 0; i < found; i++)
		q->line[i] = (uint32_t)key[i];
	q->n = found;
	q->step = found < RP_QUEUE / 2 ? step + step / 4 + 1 : step;
	return q->line[0];
}
