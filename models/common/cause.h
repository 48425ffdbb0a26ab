/* cause.h - why a system is faster or slower, in a sentence whose words its own numbers prove.
 *
 * A mechanism names what it changes, with the numbers before and after. The sentence names as causes only those that went
 * the way that the speed-up went, says "although" before those that went the other way, and ends with what limited the
 * replayed run and what limits it after the change. */
#ifndef CT_MODELS_COMMON_CAUSE_H
#define CT_MODELS_COMMON_CAUSE_H

#include <stddef.h>

#include "profile/profile.h"

/* Speed-ups within this of 1 are called "as fast". */
extern const double ct_cause_same;

struct ct_cause {
	const char *what; /* plural, "sectors that miss the L1" */
	const char *unit; /* behind the number, " %"; "" */
	double scale;     /* from before and after to what is printed, 100 for percent */
	double before, after;
	int more_is_better;
};

/* Adds to the text of at most n bytes: "faster since WHAT fall from 27 to 24 %, although ...". What is not known, or
 * prints the same before and after, is no cause. Pure. */
void ct_cause_add(char *text, size_t n, double speedup, const struct ct_cause *cause, size_t causes);

/* How a system changes what flows: SMs that compute, what the SMs send to the LLC and back, and what DRAM moves, each over
 * that of the GPU as configured; 1 or NaN where it does not change or is not known. */
struct ct_cause_flow {
	double sms, llc, dram;
	int own_l1; /* it has L1s of another kind: what misses wait for in the configured ones says nothing of them */
};

/* Adds ", limited by DRAM bandwidth (82 % busy)" or "DRAM bandwidth (32 % busy, requests wait 98 %)", and where something
 * else would limit the changed run " before and latency (41 %) after", or only " before" where nobody knows. From SN and IM of
 * scope all, as replayed; nothing where p lacks them, or where the text would leave a verdict no room to name what it is held
 * against. Pure. */
void ct_cause_add_limit(char *text, size_t n, const struct ct_profile *p, double speedup,
                        const struct ct_cause_flow *flow);

/* Adds what limited a scope of the replayed run, "DRAM bandwidth (82 % busy)"; nothing where p does not tell. CT_OK or
 * CT_ERR_NOMEM. Pure. */
int ct_cause_limit(char *text, size_t n, const struct ct_profile *p, const char *scope);

/* The share of the replayed cycles, without launches, for which an L1 stood still because modified lines of a set stay
 * (l1.dirty_percent), where that limits the run; 0 elsewhere, and where p does not tell. Pure. */
double ct_cause_modified(const struct ct_profile *p);

/* A part of the GPU, and the shares of the replayed cycles of a scope, without launches, that it works and that it has all it can
 * serve at once, DRAM as many requests as it has banks, a crossbar as many packets as it can move: 1 is always, NaN not known.
 * Of issue, L1 ports and slices it is not known. Sets and MSHRs of the L1s are at work while a miss waits for a line of its
 * set, or for a free one of them. Requests are taken to wait for sets where modified lines keep them waiting, in the L1 where
 * that takes longest: a launch lasts as long as its slowest SM. */
struct ct_cause_part {
	const char *name;
	double busy, awaited;
};
enum { CT_CAUSE_PARTS = 8 }; /* the last is DRAM */

/* Fills in all parts, from the schedulers to DRAM, from what the replay has counted: 1; 0 where p does not tell, or
 * CT_ERR_NOMEM. Pure. */
int ct_cause_busy(const struct ct_profile *p, const char *scope,
                  struct ct_cause_part part[CT_CAUSE_PARTS]);

#endif
