#include "models/common/energy.h"

#include <math.h>

static const double PICO = 1e-12;

static double traffic_joule(const struct ct_energy *en, const struct ct_energy_run *run)
{
	return PICO * (run->llc_bytes * en->llc_pj + run->noc_bytes * en->noc_pj +
	               run->dram_bytes * en->dram_pj);
}

void ct_energy_split(struct ct_energy *en, const struct ct_gpu *g, double constant_watt,
                     double static_share, const struct ct_energy_run *baseline)
{
	*en = (struct ct_energy){.constant_watt = constant_watt,
	                         .sm_watt = g->sm_static_watt,
	                         .llc_pj = g->llc_pj_per_byte,
	                         .noc_pj = g->noc_pj_per_byte,
	                         .dram_pj = g->dram_pj_per_byte};
	double t = baseline->seconds, sms = baseline->sms;
	double known = t * (constant_watt + sms * en->sm_watt) + traffic_joule(en, baseline);
	double rest = fmax(g->power_watt * t - known, 0);
	if (t > 0 && sms > 0)
		en->sm_watt += rest * static_share / (t * sms);
	en->instruction_joule = rest * (1 - static_share);
}

double ct_energy_joule(const struct ct_energy *en, const struct ct_energy_run *run)
{
	double joule = run->seconds * (en->constant_watt + run->sms * en->sm_watt) +
	               en->instruction_joule + traffic_joule(en, run) + run->extra_joule;
	return joule * (1 + run->overhead);
}
