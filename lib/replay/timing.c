/* Which table a timing has (timing.h). */
#include "replay/private/timing.h"

const struct rp_timing *rp_timing_of(enum ct_replay_timing timing)
{
	switch (timing) {
	case CT_REPLAY_QUICK: return &rp_timing_quick;
	default: return &rp_timing_full;
	}
}
