/* Two sets of parts in one engine. */
#include "replay/parts.h"

/* One place of the engine: at most one of the two may take it. */
static int refuse_both(const char *what, struct ct_error *e)
{
	return ct_fail(e, CT_ERR_USAGE, "both have %s of their own", what);
}

#define JOIN(place, what) \
	do { \
		if (into->place && more->place) \
			return refuse_both(what, e); \
		into->place = into->place ? into->place : more->place; \
	} while (0)

int ct_replay_parts_join(struct ct_replay_parts *into, const struct ct_replay_parts *more,
                         struct ct_error *e)
{
	JOIN(shaper, "an order of requests in front of the L1s");
	JOIN(l1, "an organisation of the L1s");
	JOIN(admission, "a choice of the loads that may fill the L1s");
	JOIN(llc, "an organisation of the LLC");
	JOIN(sched, "a warp scheduler");
	JOIN(collector, "operand collectors");
	JOIN(network, "a network between SMs and LLC");
	JOIN(own, "a network beside the GPU's");
	JOIN(owned, "SMs that get no CTAs");
	if (into->l1 && into->admission)
		return ct_fail(
			e, CT_ERR_USAGE,
			"one organises the L1s in a way of its own, and the other chooses which loads "
			"may fill those of the GPU");
	if (more->window && (!into->window || more->window < into->window))
		into->window = more->window;
	return CT_OK;
}
