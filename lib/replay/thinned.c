/* An engine that follows only a sample of the lines (thinned.h). */
#include "replay/private/thinned.h"

#include "replay/private/engine.h"
#include "replay/private/timing.h"

/* Ways are divided where this many are left, so that sets stay as they are; else sets are. */
enum { WAYS_LEFT = 8 };

void rp_thinned_shape(const struct rp_thinned *t, uint32_t *sets, uint32_t *ways)
{
	uint32_t share = UINT32_C(1) << t->bits;
	if (!t->on)
		return;
	if (*ways >= WAYS_LEFT * share || *sets < share || *sets % share)
		*ways = rp_max32((*ways + share / 2) / share, 1);
	else
		*sets /= share;
}

int rp_thinned_init(struct ct_replay *r, const struct ct_replay_options *o, struct ct_error *e)
{
	struct rp_thinned *t = &r->thinned;
	if (!o || !o->lines)
		return 0;
	if (r->timing != &rp_timing_fixed || r->g.l1.line != r->g.llc.line)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "a sample of the lines needs fixed timing, and lines of one size");
	t->on = 1;
	t->bits = o->thin_bits;
	t->lines = *o->lines;
	rp_thinned_shape(t, &r->g.llc.sets, &r->g.llc.ways);
	return 0;
}

unsigned rp_thinned_lines(const struct rp_thinned *t, struct ct_line_request *q, unsigned n)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < n; i++)
		if (ct_sample_mask(&t->lines, q[i].line)) {
			if (kept != i)
				q[kept] = q[i];
			kept++;
		}
	return kept;
}

uint32_t rp_thinned_latency(struct rp_thinned *t, uint32_t sid, uint32_t seen, uint32_t usual)
{
	uint32_t *known = &t->latency[sid % RP_THINNED_OPS];
	if (seen) /* a mean over some eight of them */
		*known = *known ? *known - *known / 8 + seen / 8 : seen;
	return *known ? *known : usual;
}
