/* What the tables of the timings share (timing.h). */
#include "replay/private/timing.h"

#include "base/bits.h"

const struct rp_timing *rp_timing_of(enum ct_replay_timing timing)
{
	switch (timing) {
	case CT_REPLAY_FIXED: return &rp_timing_fixed;
	case CT_REPLAY_QUICK: return &rp_timing_quick;
	default: return &rp_timing_full;
	}
}

int rp_no_init(struct ct_replay *r, struct ct_error *e)
{
	(void)r;
	(void)e;
	return 0;
}

void rp_no_launch(struct ct_replay *r)
{
	(void)r;
}

int rp_always_idle(const struct ct_replay *r)
{
	(void)r;
	return 1;
}

void rp_prefetch_bytes(const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		CT_BRING((const char *)from + i);
}

uint32_t rp_warps_in_use(const struct ct_replay *r, const struct rp_sm *sm)
{
	return sm->ctas ? r->occ.ctas * r->occ.warps_per_cta : 0;
}

void rp_prefetch_all_warps(const struct ct_replay *r, const struct rp_sm *sm)
{
	for (uint32_t w = 0, n = rp_warps_in_use(r, sm); w < n; w++) {
		if (!sm->warp[w].op)
			continue;
		ct_cursor_ahead(sm->warp[w].cursor);
		rp_prefetch_bytes(&sm->regs[w], 128);
	}
}
