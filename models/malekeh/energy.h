/* energy.h - dynamic energy of the register file (reading register-energy): banks,
 * arbiter, crossbar, collectors and caches. */
#ifndef CT_MODELS_MALEKEH_ENERGY_H
#define CT_MODELS_MALEKEH_ENERGY_H

#include "models/malekeh/core.h"
#include "models/malekeh/params.h"

/* One value of 128 B through the crossbar from a sub-core's banks to its collectors, pJ: a
 * wire as long as its ports are wide, 1024 tracks for each. `warps`: of a
 * sub-core, for collectors of their own. */
double ct_mk_crossbar_pj(const struct ct_mk_system *s, const struct ct_mk_machine *m, uint32_t warps,
                         const struct ct_mk_params *p);
/* The energy of everything that was counted, in pJ. */
double ct_mk_energy_pj(const struct ct_mk_counts *c, const struct ct_mk_system *s,
                       const struct ct_mk_machine *m, uint32_t warps, const struct ct_mk_params *p);

#endif
