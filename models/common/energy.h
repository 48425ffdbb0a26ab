/* energy.h - power of a GPU whose average board power is known.
 *
 * The board's power at the baseline is taken apart: a constant, the SMs' idle power,
 * what the baseline's own traffic costs at the LLC, the network and the DRAM, and
 * the rest, which is the SMs' own. Of that rest a share flows as long as an SM is
 * powered; what remains is the energy of the instructions, the same for every system
 * that runs the same work. Pure. */
#ifndef CT_MODELS_COMMON_ENERGY_H
#define CT_MODELS_COMMON_ENERGY_H

#include "gpu/gpu.h"

struct ct_energy_run {
	double seconds;
	double sms; /* powered SMs that run the application */
	double llc_bytes, noc_bytes, dram_bytes;
	double extra_joule; /* of the mechanism, all included */
	double overhead;    /* share added to the power of the whole GPU */
};

struct ct_energy {
	double constant_watt;
	double sm_watt;                 /* of each powered SM, working or not */
	double instruction_joule;       /* of the whole work */
	double llc_pj, noc_pj, dram_pj; /* per byte */
};

/* Splits g->power_watt at the baseline run. static_share of the rest (0 .. 1) flows
 * with time. If the known parts exceed the board's power the rest is 0. */
void ct_energy_split(struct ct_energy *en, const struct ct_gpu *g, double constant_watt,
                     double static_share, const struct ct_energy_run *baseline);
/* Energy of a run in joule. */
double ct_energy_joule(const struct ct_energy *en, const struct ct_energy_run *run);

#endif
