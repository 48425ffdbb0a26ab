/* workload.h - made-up workloads for tests of the models, with consistent numbers. */
#ifndef CT_TESTS_SUPPORT_WORKLOAD_H
#define CT_TESTS_SUPPORT_WORKLOAD_H

#include "gpu/gpu.h"
#include "models/common/workload.h"
#include "profile/profile.h"

/* A program that walks a working set again and again, one line request per load:
 * every distance is about `lines`. */
struct ct_made_workload {
	double lines;    /* working set on all SMs */
	double growing;  /* share of it that grows with the number of SMs */
	double requests; /* at the LLC */
	double cold;     /* share of them that never comes back */
	double insts_per_load;
	double dram_busy; /* of the run, where DRAM sets the pace */
	double latency;   /* of a load, cycles */
	int no_sectors;   /* leave sector distances out */
};

/* Fills *w for the GPU g with views at a quarter, half, three quarters and all SMs. */
void ct_make_workload(struct ct_workload *w, const struct ct_gpu *g, const struct ct_made_workload *s);
/* Writes it as the profile that `reuse` would print (GP, SN, RD, IM). 0 or < 0. */
int ct_workload_to_profile(const struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p);

#endif
