/* attribution.h - who causes what: accesses, misses and waits of the baseline, by static instruction and by array. */
#ifndef CT_PASS_PRIVATE_ATTRIBUTION_H
#define CT_PASS_PRIVATE_ATTRIBUTION_H

#include "base/error.h"
#include "locality/observer.h"
#include "pass/layout.h"
#include "profile/profile.h"
#include "replay/replay.h"

struct ct_attribution;

/* For the caches of that GPU. `arrays` outlives it; what is touched outside of them is added there. per_launch also keeps
 * what each launch has met, which takes memory for each. NULL and *e when out of memory. */
struct ct_attribution *
ct_attribution_new(const struct ct_gpu *g, struct ct_layout *arrays, int per_launch, struct ct_error *e);
void ct_attribution_free(struct ct_attribution *a); /* NULL allowed */

/* What the replay tells, in its thread. An allocation that fails is told by ct_attribution_launch(). */
void ct_attribution_issue(struct ct_attribution *a, const struct ct_issue_event *ev);
void ct_attribution_llc(struct ct_attribution *a, const struct ct_llc_event *ev);
void ct_attribution_stall(void *attribution, const struct ct_stall_event *ev);
/* Returns the site of the access, for ct_locality_l1_of(). */
uint32_t ct_attribution_l1(struct ct_attribution *a, const struct ct_l1_event *ev);

/* A launch is over and its code is still there: adds what its sites have met. Fails with CT_ERR_NOMEM. */
int ct_attribution_launch(struct ct_attribution *a, const struct ct_kernel *k,
                          const struct ct_locality_site *site, size_t n, struct ct_error *e);

/* Appends PC and AR records of scope all, then those of the launches, what costs most first. */
int ct_attribution_write(struct ct_attribution *a, struct ct_profile *p, struct ct_error *e);

#endif
