/* params.h - every constant of the register-file models: name, value, unit, source.
 *
 * One table (params.c) holds them; -p malekeh.KEY=VALUE overrides one. Nothing in it is
 * fitted to the published results that the model is compared with. */
#ifndef CT_MODELS_MALEKEH_PARAMS_H
#define CT_MODELS_MALEKEH_PARAMS_H

#include <stddef.h>

#include "base/error.h"
#include "models/common/constants.h"
#include "models/malekeh/core.h"

enum ct_mk_key {
	CT_MK_P_SMS,       /* SMs of each launch that are recorded */
	CT_MK_P_MAX_INSTS, /* warp instructions of a launch after which no CTA is begun; 0: no limit */
	CT_MK_P_RTHLD,
	CT_MK_P_PROFILED,       /* share of the warps whose reuses set the bits */
	CT_MK_P_ORACLE,         /* 1: true bits for all systems */
	CT_MK_P_INTERVAL,       /* cycles between steps of the STHLD machine */
	CT_MK_P_SHARED_COUNTER, /* 1: one waiting counter for the SM */
	CT_MK_P_PORTS,          /* results that a CCU takes in a cycle; 0: all */
	CT_MK_P_PRIORITY,       /* which warps have data in a CCU: enum ct_mk_data */
	CT_MK_P_BANK_ACCESSES,  /* that a bank serves in a cycle */
	CT_MK_P_BANK_READ_PJ,
	CT_MK_P_BANK_WRITE_PJ,
	CT_MK_P_BUFFER_PJ, /* one access to a collector's or a small cache's value */
	CT_MK_P_EIGHT_COLLECTORS,
	CT_MK_P_ARBITER_PJ, /* one request */
	CT_MK_KEYS
};

struct ct_mk_params {
	double v[CT_MK_KEYS];
};

/* The table; values lie in v of the parameters. */
extern const struct ct_constants ct_mk_constants;
void ct_mk_defaults(struct ct_mk_params *p);
/* Overrides one. Fails with CT_ERR_USAGE for unknown keys, naming the nearest, and for
 * values out of range. */
int ct_mk_set(struct ct_mk_params *p, const char *assignment, struct ct_error *e);
/* *s gets the system as it is on GPU g with the parameters applied: what a system fixes for a study stays, what it has
 * from the paper follows them. The machine's own go into *m. */
void ct_mk_apply(const struct ct_mk_params *p, const struct ct_gpu *g, const struct ct_mk_system *plain,
                 struct ct_mk_system *s);
void ct_mk_apply_machine(const struct ct_mk_params *p, struct ct_mk_machine *m);

#endif
