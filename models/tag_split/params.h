/* params.h - every constant of the Tag-Split model: name, value, unit, source.
 *
 * -p tsc.KEY=VALUE overrides one. Nothing is fitted to published application results. */
#ifndef CT_MODELS_TAG_SPLIT_PARAMS_H
#define CT_MODELS_TAG_SPLIT_PARAMS_H

#include <stddef.h>

#include "base/error.h"
#include "models/common/constants.h"

enum ct_ts_key {
	CT_TS_WAYS,  /* lines per set of the paper's systems; 0 = the GPU's */
	CT_TS_CHUNK, /* bytes */
	CT_TS_PRIVATE_BITS,
	CT_TS_ADDRESS_BITS, /* for storage */
	CT_TS_HIT_LATENCY,  /* cycles added by Tag-Split */
	CT_TS_PACKET_BYTES,
	CT_TS_THRESHOLD,    /* of the mode's miss counters */
	CT_TS_SAMPLERS,     /* sets per mode in SM 0 */
	CT_TS_SPREAD,       /* 1: evenly spread sampler sets */
	CT_TS_USE_LRU,      /* 1: LRU in place of NRU */
	CT_TS_PICK_LOWEST,  /* 1: the lowest of equal victims instead of a random one */
	CT_TS_GROUPS_FIRST, /* 1: victims in groups of the same shared tag first */
	CT_TS_WRITE_EVICT,  /* 1: stores evict what they write, whatever the GPU's own L1 does */
	CT_TS_HOLD,         /* 1: a set has no more chunks on their way than slots */
	CT_TS_MSHR,         /* entries of the paper's systems; 0 = the GPU's */
	CT_TS_MRPB_QUEUES,
	CT_TS_MRPB_DEPTH,
	CT_TS_MRPB_LATENCY,  /* of a miss in MRPB's own time; 0 = the GPU's LLC hit */
	CT_TS_MRPB_BYTES,    /* storage */
	CT_TS_PJ_PER_ACCESS, /* energy that Tag-Split adds to a request */
	CT_TS_LEAKAGE_WATT,  /* of each L1 */
	CT_TS_CONSTANT_WATT,
	CT_TS_STATIC_SHARE,
	CT_TS_KEYS
};

struct ct_ts_params {
	double v[CT_TS_KEYS];
};

/* The table; values lie in v of the parameters. */
extern const struct ct_constants ct_ts_constants;
void ct_ts_defaults(struct ct_ts_params *p);

#endif
