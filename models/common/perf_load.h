/* perf_load.h - what the lines of a load come to: where the slowest of them is served, and whether any leaves the L1 (doc/models.md
 * section 5). Part of the closed network of perf.h. Pure. */
#ifndef CT_MODELS_COMMON_PERF_LOAD_H
#define CT_MODELS_COMMON_PERF_LOAD_H

#include "models/common/perf.h"

/* Mean latency of a load without waits, core cycles from issue to the data of its last line: each line is an L1 hit or one of the
 * point's classes, which are in ascending order of their latencies. */
double ct_perf_unloaded_latency(const struct ct_perf *m, const struct ct_perf_point *pt);
/* The chance (0..1) that any of a load's lines leaves the own L1, or with for_dram waits for DRAM. */
double ct_perf_any_line_leaves(const struct ct_perf *m, const struct ct_perf_point *pt, int for_dram);

#endif
