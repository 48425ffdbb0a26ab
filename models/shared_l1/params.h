/* params.h - every constant of the shared-L1 model: name, value, unit, source.
 *
 * One table (params.c) holds them; -p shared-l1.KEY=VALUE overrides one. Nothing in it
 * is fitted to the published results that the model is compared with. */
#ifndef CT_MODELS_SHARED_L1_PARAMS_H
#define CT_MODELS_SHARED_L1_PARAMS_H

#include <stddef.h>

#include "base/error.h"
#include "models/common/constants.h"
#include "models/shared_l1/home.h"

enum ct_sl_key {
	CT_SL_SAMPLING,        /* R_S: local accesses per group that end sampling */
	CT_SL_EXECUTION,       /* R_EX: local accesses of an execution phase */
	CT_SL_GUARD,           /* L1MR_Threshold */
	CT_SL_EB_PAST,         /* 1: EB counts replies past the homes */
	CT_SL_COUNT,           /* enum ct_sl_count */
	CT_SL_TURNS,           /* 1: local and remote misses take turns at a full L1's MSHRs */
	CT_SL_CORE_LLC_CYCLES, /* mean core - LLC communication, seen by AMAT */
	CT_SL_HOME_CYCLES,     /* requester - home round trip; 0 = from the network */
	CT_SL_FORWARD_CYCLES,  /* the same through the LLC slices of a crossbar */
	CT_SL_CHUNK_BYTES,     /* granularity of chunked replies */
	CT_SL_BUTTERFLY_RADIX, /* 0 = 6 up to 36 nodes, else 4 */
	CT_SL_QUEUE_DEPTH,     /* of the home's input and output queue */
	CT_SL_QUEUE_ENTRY,     /* of one entry of either queue */
	CT_SL_COUNTERS,        /* of a dynamic scheme, per core */
	CT_SL_HOME_BETA,       /* busiest over mean home; 0 = the profile's, else of the mapping */
	CT_SL_L1_PJ_PER_BYTE,
	CT_SL_CONSTANT_WATT, /* board power that does not scale with anything */
	CT_SL_STATIC_SHARE,  /* of the SMs' power, flows whether they work or not */
	CT_SL_TARGET_REPLICATION,
	CT_SL_TARGET_MISS,
	CT_SL_TARGET_GAIN, /* reading target-test */
	CT_SL_AREA_SHARED,
	CT_SL_AREA_DYNAMIC, /* per core */
	CT_SL_KEYS
};

/* What carries core-to-core traffic. */
enum ct_sl_network {
	CT_SL_NET_MESH,      /* one mesh of cores and partitions */
	CT_SL_NET_FORWARDED, /* crossbar whose LLC slices forward (reading forwarding-crossbar) */
	CT_SL_NET_BUTTERFLY, /* crossbar to the LLC, butterfly between cores (reading butterfly-network) */
	CT_SL_NETS,
	CT_SL_NET_AUTO = CT_SL_NETS /* as the GPU: mesh, else forwarded, else butterfly */
};
const char *ct_sl_network_name(enum ct_sl_network n); /* "mesh" ...; "auto" */
int ct_sl_network_find(const char *name);             /* or -1 */

/* Which accesses end a phase of a dynamic scheme (reading phase-count). */
enum ct_sl_count {
	CT_SL_COUNT_LOCAL,  /* own ones whose home, in the rule in force, is the core itself */
	CT_SL_COUNT_SERVED, /* all that the group's sets of the core serve */
	CT_SL_COUNT_OWN     /* all that the core itself makes, wherever they go */
};
int ct_sl_count_find(const char *name); /* "local", "served" or "own"; or -1 */

struct ct_sl_params {
	double v[CT_SL_KEYS];
	enum ct_sl_homes homes;
	enum ct_sl_network network;
	unsigned cores; /* SMs that share their L1s, the first ones; 0: all */
};

/* Which accesses end a phase, as v says. */
enum ct_sl_count ct_sl_count_of(const struct ct_sl_params *p);

/* The table; values lie in v of the parameters. */
extern const struct ct_constants ct_sl_constants;
/* The values of the table, homes mod, network as the GPU, counting local accesses. */
void ct_sl_defaults(struct ct_sl_params *p);
/* Overrides one: "shared-l1.guard=0.2" (units as in base/units.h). Fails with CT_ERR_USAGE
 * for unknown keys, naming the nearest, and for values out of range. */
int ct_sl_set(struct ct_sl_params *p, const char *assignment, struct ct_error *e);

#endif
