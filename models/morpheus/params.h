/* params.h - every constant of the Morpheus model: name, value, unit, source.
 *
 * One table (params.c) holds them; -p morpheus.KEY=VALUE overrides one. Nothing in
 * it is fitted to the published results that the model is compared with. */
#ifndef CT_MODELS_MORPHEUS_PARAMS_H
#define CT_MODELS_MORPHEUS_PARAMS_H

#include <stddef.h>

#include "base/error.h"
#include "models/common/constants.h"

enum ct_morpheus_key {
	CT_MO_BLOCK_BYTES,       /* extended block */
	CT_MO_HELPER_WARPS,      /* of the helper kernel, per cache-mode SM; 0 = all the SM holds */
	CT_MO_RF_WARPS,          /* of them on the register file; 0 = two thirds */
	CT_MO_AUX_REGISTERS,     /* per RF warp: execution context */
	CT_MO_L1_WARP_REGISTERS, /* per L1 warp */
	CT_MO_MAX_REGISTERS,     /* per thread that the ISA can name */
	CT_MO_CACHE_SM_MAX,      /* largest share of SMs in cache mode */
	CT_MO_BLOOM_BYTES,       /* per filter */
	CT_MO_BLOOM_FILTERS,     /* per set */
	CT_MO_BLOOM_HASHES,      /* per filter */
	CT_MO_QUERY_ROW_BYTES,   /* query logic unit, per set */
	CT_MO_EXT_TRIP_NS,       /* controller -> SM -> controller, unloaded */
	CT_MO_EXT_SERVICE_NS,    /* a warp is busy with one request */
	CT_MO_EXT_GBPS,          /* port of one cache-mode SM */
	CT_MO_EXT_PJ_PER_BYTE,   /* extended access, all included */
	CT_MO_CONV_HIT_NS,       /* conventional LLC, seen by the requester; 0 = the GPU's */
	CT_MO_CONV_MISS_NS,      /* 0 = the GPU's */
	CT_MO_MOV_SAVED_INSTS,   /* branches that the native Indirect-MOV saves */
	CT_MO_DECOMPRESS_INSTS,  /* integer instructions that decompressing a block adds */
	CT_MO_PIPELINE_CYCLES,   /* of a dependent instruction beyond its unit's latency */
	CT_MO_ASSUMED_RATIO,     /* RF compression ratio when no values are known */
	CT_MO_PUBLISHED_COMPRESSION_GAIN,
	CT_MO_COMPRESSION_EPOCH, /* cycles between reassignments of registers to levels */
	CT_MO_LOOKUPS_FIRST,     /* 1: in replays, lookups go before insertions */
	CT_MO_META_CHARGED,      /* 1: metadata and bases of compressed blocks cost registers */
	CT_MO_SETS_BETA,         /* busiest over mean load of the extended sets */
	CT_MO_SLICE_BETA,        /* the same of the LLC slices */
	CT_MO_DRAM_FETCH_BYTES,  /* of an extended miss */
	CT_MO_CONTROLLER_POWER,  /* share of the GPU's power */
	CT_MO_CONSTANT_WATT,     /* board power that does not scale with anything */
	CT_MO_STATIC_SHARE,      /* of the SMs' power, flows whether they work or not */
	CT_MO_BOOST_MIN,
	CT_MO_BOOST_MAX,        /* Frequency-Boost: clock gain */
	CT_MO_BOOST_FULL_GATED, /* share of gated SMs that pays the largest gain */
	CT_MO_KEYS
};

/* What the helper kernel keeps blocks in (reading helper-kernels). */
enum ct_mo_helper {
	CT_MO_HELPER_RF_L1, /* registers and L1: all evaluations of the paper */
	CT_MO_HELPER_RF,
	CT_MO_HELPER_L1,
	CT_MO_HELPER_SHARED,
	CT_MO_HELPER_IDEAL, /* registers, and no network between controller and SM */
	CT_MO_HELPERS
};

struct ct_morpheus_params {
	double v[CT_MO_KEYS];
	enum ct_mo_helper helper;
};

/* The table; values lie in v of the parameters. */
extern const struct ct_constants ct_morpheus_constants;
void ct_morpheus_defaults(struct ct_morpheus_params *p);

/* A helper kernel's published numbers, for 48 warps; NaN where only drawn. */
struct ct_mo_helper_numbers {
	const char *name;   /* "rf+l1" ... */
	double gbps;        /* of one SM */
	double service_ns;  /* of a warp: published, or 48 * 128 B / gbps where not */
	double pj_per_byte; /* published, or the register kernel's power over gbps */
	double ideal_gbps;  /* without the network */
	const char *source;
};
const struct ct_mo_helper_numbers *ct_mo_helper_numbers(enum ct_mo_helper h);
/* Chooses a kernel by name and takes its numbers over into p->v. 0, or -1 when there is
 * none of that name. */
int ct_morpheus_use_helper(struct ct_morpheus_params *p, const char *name);
/* Overrides one: "morpheus.ext_service_ns=165" (units as in base/units.h). Fails with
 * CT_ERR_USAGE for unknown keys, naming the nearest, and for values out of range. */
int ct_morpheus_set(struct ct_morpheus_params *p, const char *assignment, struct ct_error *e);

#endif
