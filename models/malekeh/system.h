/* system.h - the register-file organisations that the Malekeh paper compares, as one table
 * of parts and sizes (doc/papers/malekeh.md). */
#ifndef CT_MODELS_MALEKEH_SYSTEM_H
#define CT_MODELS_MALEKEH_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* What stands between the register banks and the units. */
enum ct_mk_kind {
	CT_MK_OCU,    /* operand collectors that forget (reading baseline-collectors) */
	CT_MK_CCU,    /* caching collectors (reading caching-collector) */
	CT_MK_BOC,    /* bypassing collectors with a window of instructions (reading bow-window) */
	CT_MK_RFC,    /* register file cache of the active warps (Gebhart, ISCA 2011) */
	CT_MK_SW_RFC, /* the same, filled by the compiler (Gebhart, MICRO 2011) */
	CT_MK_LTRF    /* register intervals, prefetched (Sadrosadati, ASPLOS 2018) */
};

enum ct_mk_schedule {
	CT_MK_GTO,
	CT_MK_PRIORITY,  /* readings warp-priority and collector-allocation */
	CT_MK_TWO_LEVEL, /* reading two-level */
	CT_MK_IN_TURN    /* loose round robin */
};

/* Which warps have data in a collector, and issue before the others (reading priority-data). */
enum ct_mk_data {
	CT_MK_DATA_OWNER, /* that own one, whatever its table holds */
	CT_MK_DATA_ANY,   /* whose table holds a value */
	CT_MK_DATA_NEAR   /* whose table holds a near one */
};

/* Where reuse bits come from (reading bits-source). */
enum ct_mk_bits {
	CT_MK_PROFILE, /* majority over the first warps, per static operand */
	CT_MK_ORACLE   /* per dynamic operand */
};

enum { CT_MK_STHLD_MACHINE = -1, CT_MK_MAX_ENTRIES = 64 };

/* One organisation. Numbers are per sub-core unless said. */
struct ct_mk_system {
	const char *name;
	const char *what; /* for people */
	enum ct_mk_kind kind;
	enum ct_mk_schedule schedule;
	uint32_t collectors;  /* 0: one for each warp */
	uint32_t memory;      /* collectors of memory instructions alone; 0: they share the others */
	uint32_t entries;     /* cache entries of 128 B for each collector (CCU) or warp */
	uint32_t window;      /* BOC: instructions */
	uint32_t active;      /* two-level: warps that may issue */
	int lru;              /* plain LRU, every result cached: no reuse bits (section VI-C) */
	int32_t sthld;        /* a constant, or CT_MK_STHLD_MACHINE */
	enum ct_mk_data data; /* CT_MK_PRIORITY */
	uint32_t ports;       /* results a CCU takes each cycle, 0: all */
	enum ct_mk_bits bits;
	double profiled; /* share of the warps that are profiled, at least one warp */
	uint32_t rthld;  /* instructions: farther is far */
	int ideal;       /* operands are there at once, whatever their banks: a bound */
	int monolithic;  /* one scheduler for the whole SM (section VI-A): sizes are per SM */
	int own;         /* collectors and schedule are those of the GPU (reading own-collectors) */
};

/* The systems that malekeh-est prints, OCU first, then those that only studies ask for: OCU-16,
 * the monolithic twins, oracle bits, full profile, unbounded ports. NULL past the end. */
const struct ct_mk_system *ct_mk_system_at(size_t i);
enum { CT_MK_OWN = 10, CT_MK_SYSTEMS, CT_MK_ALL_SYSTEMS = 18 };
/* Index by name, or -1. */
int ct_mk_system_find(const char *name);
/* Whether it decides by reuse bits. Pure. */
int ct_mk_needs_bits(const struct ct_mk_system *s);
/* Whether software fills its cache, by plans of the code. Pure. */
int ct_mk_needs_plan(const struct ct_mk_system *s);
/* Whether the compiler tells it anything but reuse bits: plans, or which values are dead. Pure. */
int ct_mk_needs_code(const struct ct_mk_system *s);

/* *s as it is on that GPU: OCU-own gets its collectors and its schedule, the others stay as they are. Pure. */
struct ct_mk_system ct_mk_system_on(const struct ct_mk_system *s, const struct ct_gpu *g);

/* Storage of register values outside the banks, bytes per SM of g (collectors and
 * caches together), and what that is beyond the baseline's collectors. */
uint64_t ct_mk_cache_bytes(const struct ct_mk_system *s, const struct ct_gpu *g);
int64_t ct_mk_added_bytes(const struct ct_mk_system *s, const struct ct_gpu *g);

/* Constants of the paper (sections II, III-A and IV-B3). */
enum {
	CT_MK_VALUE_BYTES = 128, /* one register of a warp */
	CT_MK_SLOTS = 6,         /* sources of a collector */
	CT_MK_BOC_SLOTS = 8,     /* of an instruction in a BOC's window: 6 sources, 2 results */
	CT_MK_RTHLD = 12,
	CT_MK_INTERVAL = 10000 /* cycles between steps of the STHLD machine */
};
extern const double ct_mk_profiled_share; /* 0.01 % of the warps */

#endif
