/* systems.h - the systems that the Tag-Split Cache paper compares
 * (doc/papers/tag-split.md) as one table, and the L1 each of them means on a GPU. */
#ifndef CT_MODELS_TAG_SPLIT_SYSTEMS_H
#define CT_MODELS_TAG_SPLIT_SYSTEMS_H

#include <stddef.h>

#include "gpu/gpu.h"
#include "models/tag_split/l1.h"
#include "models/tag_split/params.h"
#include "models/tag_split/storage.h"

enum ct_ts_fetch { CT_TS_FINE, CT_TS_COARSE, CT_TS_CHOOSE /* mode.h */ };

enum { CT_TS_NAME_MAX = 32 };

struct ct_ts_system {
	char name[CT_TS_NAME_MAX];
	enum ct_ts_kind kind;
	uint32_t line;    /* bytes; 128 but for the systems of other lines */
	uint32_t chunk;   /* Tag-Split: bytes; 0 = tsc.chunk */
	int private_bits; /* Tag-Split; -1 = tsc.private_bits */
	uint32_t tags;    /* DSC-N */
	enum ct_ts_fetch fetch;
	int prioritised; /* behind MRPB's queues */
	int configured;  /* the GPU's own L1, the reference of speedup_configured */
	int hit_latency; /* cycles added; -1 = tsc.hit_latency */
};

enum { CT_TS_SYSTEMS = 14, CT_TS_ALL_SYSTEMS = (1 << CT_TS_SYSTEMS) - 1 /* a bit each */ };
/* In the order they are printed: 128B first, the configured L1 last. NULL past the end. */
const struct ct_ts_system *ct_ts_system_at(size_t i);
int ct_ts_system_find(const char *name); /* -1: none */

/* The L1 of a system on a GPU whose L1 has `bytes` (adaptive L1s differ by launch).
 * Fails with CT_ERR_USAGE when the parameters do not go together. */
int ct_ts_shape_of(const struct ct_ts_system *s, const struct ct_gpu *g, uint64_t bytes,
                   const struct ct_ts_params *p, struct ct_ts_shape *out, struct ct_error *e);
/* Whether the banks of the GPU's own L1 look the system's sectors up, one for each of them in a cycle: where it has several,
 * and the system fetches by its sectors. Elsewhere the L1 looks up one request of the system's own line in a cycle, as in the
 * paper (reading lookups-by-banks). Pure. */
int ct_ts_in_banks(const struct ct_gpu *g, const struct ct_ts_shape *shape);
/* Ways of the paper's systems on the GPU. */
uint32_t ct_ts_ways(const struct ct_gpu *g, const struct ct_ts_params *p);
/* What a system adds to each L1 of `bytes`, bytes (readings storage-law, dsc-storage and
 * mrpb-storage); NaN for the configured, the perfect and the ideal L1. */
double ct_ts_storage_bytes(const struct ct_ts_system *s, const struct ct_gpu *g, uint64_t bytes,
                           const struct ct_ts_params *p);

/* Misses that can wait in the sets of such an L1 at once: its lines, or its chunks where ct_ts_flight() limits these. 0 where modified lines may keep
 * all of a set from them, INFINITY where none waits for a place. */
double ct_ts_set_room(const struct ct_ts_system *s, const struct ct_gpu *g, uint64_t bytes,
                      const struct ct_ts_params *p);

#endif
