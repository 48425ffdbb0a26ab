/* figures.h - data of the paper's figures that need no workload (Fig. 5, Fig. 11), and
 * the storage table of section 7.5, for any GPU.
 *
 * Figures 1, 2, 12 and 13 are in the ES and SW records: IPC of BL over SM counts,
 * IBL-2x-LLC and IBL-4x-LLC over IBL, all systems over BL, the predictors over
 * Morpheus-Basic. */
#ifndef CT_MODELS_MORPHEUS_FIGURES_H
#define CT_MODELS_MORPHEUS_FIGURES_H

#include "models/morpheus/capacity.h"

/* One bar of Figure 11: a helper kernel with `warps` warps on one SM. */
struct ct_mo_helper_point {
	unsigned warps;
	double capacity_bytes;
	double gbps, latency_ns, pj_per_byte;
};
/* Capacity by the register budget (registers), or the whole array (L1, shared memory,
 * any warp count). With 48 warps bandwidth, latency and energy are the published ones
 * (or what follows from them, params.h); with fewer a request takes as long, each warp
 * has one, and the power is the same: the paper draws a latency that rises and power that
 * falls a little. Fails with CT_ERR_USAGE as ct_morpheus_kernel() does. Pure. */
int ct_mo_helper_point(const struct ct_gpu *g, enum ct_mo_helper h, unsigned warps,
                       struct ct_mo_helper_point *out, struct ct_error *e);

/* Figure 5: what an access spends where, ns, unloaded. */
enum ct_mo_timeline {
	CT_MO_TIME_CONV_HIT,
	CT_MO_TIME_CONV_MISS,
	CT_MO_TIME_EXT_HIT,
	CT_MO_TIME_EXT_MISS, /* not predicted, or wrongly as a hit */
	CT_MO_TIME_EXT_PREDICTED_MISS,
	CT_MO_TIMELINES
};
struct ct_mo_timeline_ns {
	const char *name;
	double llc, helper, dram, total; /* network and LLC; way to the SM and lookup; DRAM */
};
void ct_mo_timeline(const struct ct_gpu *g, const struct ct_morpheus_params *p,
                    enum ct_mo_timeline which, struct ct_mo_timeline_ns *out);

#endif
