/* params.h - every constant of the bypass model: name, value, unit, source.
 *
 * -p bypass.KEY=VALUE overrides one. Nothing is fitted to published results. */
#ifndef CT_MODELS_BYPASS_PARAMS_H
#define CT_MODELS_BYPASS_PARAMS_H

#include "models/common/constants.h"

enum ct_bp_key {
	CT_BP_ENTRIES, /* counters of an L1 */
	CT_BP_COUNTER_BITS,
	CT_BP_THRESHOLD,    /* from which a counter makes its loads pass */
	CT_BP_SAMPLE_EVERY, /* misses of which one allocates all the same; 0: none */
	CT_BP_CONSTANT_WATT,
	CT_BP_STATIC_SHARE,
	CT_BP_KEYS
};

struct ct_bp_params {
	double v[CT_BP_KEYS];
};

/* The table; values lie in v of the parameters. */
extern const struct ct_constants ct_bp_constants;

#endif
