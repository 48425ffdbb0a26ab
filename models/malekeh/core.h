/* core.h - one SM's register files, collectors, schedulers and units, run through a
 * recorded launch (stream.h) with one organisation (system.h). Counts what the organisation
 * does; cycles are those of this SM alone. */
#ifndef CT_MODELS_MALEKEH_CORE_H
#define CT_MODELS_MALEKEH_CORE_H

#include <stdint.h>

#include "base/error.h"
#include "models/malekeh/sthld.h"
#include "models/malekeh/stream.h"
#include "models/malekeh/system.h"

/* What does not depend on the organisation. */
struct ct_mk_machine {
	uint32_t cores;                        /* sub-cores of an SM */
	uint32_t banks;                        /* register banks of a sub-core */
	uint32_t accesses;                     /* that a bank serves in a cycle; 0: one */
	uint32_t interval;                     /* cycles of the STHLD machine's steps */
	uint32_t slow_latency, shared_latency; /* of memory instructions without a recorded one */
	const struct ct_mk_sthld_table *sthld; /* may be NULL if no system needs it */
	int free_ports;     /* a collector takes any number of operands a cycle, not one
	                              (reading baseline-collectors) */
	int lowest;         /* "random" choices take the lowest index: for tests */
	int shared_counter; /* one waiting counter for the SM, not for each sub-core
	                              (reading denial-counter) */
};
/* Fills *m from a GPU's sub-cores, banks and latencies. */
void ct_mk_machine_of(const struct ct_gpu *g, struct ct_mk_machine *m);

/* What a run counts. Additive. Slots are source operands; the same register in two slots
 * counts twice (reading slot-count). */
struct ct_mk_counts {
	uint64_t cycles, insts;
	/* scheduler cycles with warps: one issued; a warp was ready but none issued; none ready */
	uint64_t issued, stalled, idle;
	uint64_t pending_ready; /* of stalled: only pending warps were ready
	                              (reading two-level-states) */
	uint64_t slots, hits;   /* source operands; served without a bank read for them */
	uint64_t repeats;       /* of hits: the register came twice in one instruction */
	uint64_t uncached;      /* of slots: beyond the collector's six */
	uint64_t bank_reads, bank_writes;
	uint64_t results;      /* registers written by instructions */
	uint64_t cache_writes; /* of results: into the cache */
	uint64_t cache_fills;  /* source operands kept in the cache when they come from a bank */
	uint64_t cache_reads;  /* hits that the cache itself has to deliver */
	uint64_t stale;        /* cached copies dropped because the result bypassed them
	                              (reading stale-copies) */
	uint64_t lost;         /* near results that found the port taken */
	uint64_t flushes;      /* collectors taken away from a warp with values */
	uint64_t waits;        /* allocations refused for near values (STHLD) */
	uint64_t conflicts;    /* cycles in which a bank's or a collector's port kept a read waiting */
	uint64_t conflict_cycles; /* scheduler cycles in which one of a sub-core's reads waited so
	                              (reading bank-conflict) */
	uint64_t collected;       /* instructions through a collector */
	uint64_t collect_cycles;  /* from issue to dispatch, summed */
	uint64_t demotions;       /* two-level: warps that left the active set */
	uint64_t sthld_intervals, sthld_sum;
};
void ct_mk_counts_add(struct ct_mk_counts *into, const struct ct_mk_counts *from);

/* What lasts from launch to launch. Start with ct_mk_state_start(). */
struct ct_mk_state {
	uint64_t seed;
	struct ct_mk_sthld sthld;
	uint64_t interval_cycles, interval_insts; /* of the interval in progress */
};
void ct_mk_state_start(struct ct_mk_state *s, const struct ct_mk_machine *m, uint64_t seed);

/* Runs a sealed launch from an empty SM to its end; adds to *c. The stream must have been
 * prepared with ct_mk_prepare() for this system. Fails with CT_ERR_NOMEM,
 * CT_ERR_UNSUPPORTED (more than 64 warps of a scheduler), CT_ERR_INPUT (a barrier that
 * never opens). Deterministic; any number of runs may share a stream, each in its thread. */
int ct_mk_run(const struct ct_mk_stream *stream, const struct ct_mk_system *s,
              const struct ct_mk_machine *m, struct ct_mk_state *state, struct ct_mk_counts *c,
              struct ct_error *e);

/* Reuse bits, lives and plans that the system needs. Not thread-safe; profiled bits lie in
 * the stream, so that a system with other profile parameters needs it again. */
int ct_mk_prepare(struct ct_mk_stream *stream, const struct ct_mk_system *s, struct ct_error *e);

#endif
