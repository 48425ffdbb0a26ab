/* setlru_loop.h - the loop over accesses with 32-bit tags, compiled once per instruction
 * set. The including file defines
 *   find_and_move(tag, q)     position of q among the 16 tags (16: absent); moves q to
 *                             the front and what was before it back by one
 *   run_at(run, p)            run[p], p < 16
 *   run_move(run, p, v)       the same move for the sector states, v comes to the front
 *   RUN                       name of the compiled function
 * Private to the room. */

#include "locality/setlru_kernel.h"

CT_INLINE size_t setlru_loop(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                             const uint8_t *mask, size_t n, uint8_t *position, int sectored)
{
	uint32_t *tags = s->tag, *runs = s->run;
	uint64_t base = s->base - 1;
	size_t i = 0;
	for (; i < n; i++) {
		size_t ahead = (size_t)set[i + CT_SETLRU_AHEAD < n ? i + CT_SETLRU_AHEAD : i] *
		               CT_SETLRU_WAYS;
		size_t at = (size_t)set[i] * CT_SETLRU_WAYS;
		uint64_t q = line[i] - base;
		CT_PREFETCH(tags + ahead);
		if (sectored)
			CT_PREFETCH(runs + ahead);
		if (!CT_LIKELY(q - 1 < UINT32_MAX))
			break;
		unsigned p = find_and_move(tags + at, (uint32_t)q);
		s->count[p]++;
		if (position)
			position[i] = (uint8_t)p;
		if (sectored) {
			uint32_t run = CT_SETLRU_COLD;
			if (p < CT_SETLRU_WAYS)
				run = ct_setlru_max(run_at(runs + at, p), p);
			run = ct_setlru_sectors(s->sector_count, run, mask ? mask[i] : 15);
			run_move(runs + at, p, run);
		}
	}
	return i;
}

size_t RUN(struct ct_setlru *s, const uint64_t *line, const uint32_t *set, const uint8_t *mask,
           size_t n, uint8_t *position)
{
	return s->run ? setlru_loop(s, line, set, mask, n, position, 1)
	              : setlru_loop(s, line, set, mask, n, position, 0);
}
