#include "models/tag_split/mode.h"

#include <string.h>

#include "base/hash.h"

void ct_ts_mode_init(struct ct_ts_mode *m, uint32_t threshold)
{
	memset(m, 0, sizeof *m);
	m->threshold = threshold;
}

void ct_ts_mode_miss(struct ct_ts_mode *m, int coarse, int is_first, uint32_t packets)
{
	int k = coarse != 0;
	m->misses[k] += is_first != 0;
	m->packets[k] += packets;
	if (m->misses[k] > m->threshold)
		for (int i = 0; i < 2; i++) {
			m->misses[i] >>= 1;
			m->packets[i] >>= 1;
		}
	uint64_t fine = (uint64_t)m->misses[0] * m->packets[0];
	uint64_t whole = (uint64_t)m->misses[1] * m->packets[1];
	if (fine != whole)
		m->coarse = whole < fine;
}

void ct_ts_mode_roles(uint8_t *role, uint32_t sets, uint32_t per_mode, int spread, uint64_t seed)
{
	uint32_t n = per_mode * 2 > sets ? sets / 2 : per_mode;
	memset(role, CT_TS_FOLLOWER, sets);
	for (uint32_t i = 0; i < 2 * n; i++) {
		uint32_t at = (uint32_t)((uint64_t)i * sets / (2 * n));
		if (!spread)
			do
				at = (uint32_t)(ct_rand64(&seed) % sets);
			while (role[at] != CT_TS_FOLLOWER);
		role[at] = i % 2 ? CT_TS_ALWAYS_COARSE : CT_TS_ALWAYS_FINE;
	}
}
