/* fixed.h - the fixed-latency engine: warps, schedulers and caches with constant
 * latencies and one server per SM port, slice and channel. It issues in the order of
 * time but resolves every access at its issue, so it is several times cheaper than
 * the full engine and good for the question "which accesses reach the LLC with fewer
 * SMs". */
#ifndef CT_REPLAY_FIXED_H
#define CT_REPLAY_FIXED_H

#include "gpu/address.h"
#include "gpu/coalesce.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "replay/private/fixed_cache.h"
#include "replay/replay.h"

/* Pipeline stages between issue and first dependent issue beyond a unit's latency, and
 * the same for L1 hits, LLC hits after an L1 miss, and DRAM (accelsim-model.md 0, 9). */
enum { FX_ALU_EXTRA = 5, FX_SHARED_EXTRA = 5, FX_L1_EXTRA = 4, FX_LLC_EXTRA = 13, FX_DRAM_EXTRA = 13 };

enum { FX_REGS = 4 * 256 };

struct fx_warp {
	struct ct_cursor *cursor;
	struct ct_inst inst;          /* next instruction */
	const struct ct_sinst *sinst; /* NULL: none left */
	uint64_t ready;               /* earliest issue of it, without unit conflicts */
	uint64_t mem_ready;           /* the part of it that waits for loads */
	uint64_t key, age, born;
	uint64_t last_load;           /* latest load or acknowledgement outstanding */
	uint64_t async_ready;         /* LDGSTS: latest arrival */
	uint32_t cta;                 /* slot */
	uint8_t live, waiting, first;
	uint64_t reg[FX_REGS];        /* cycle at which each register can be read */
	uint8_t from_load[FX_REGS];
};

struct fx_cta {
	struct ct_cta *cta;
	uint32_t warps, left, arrived;
	uint64_t end;
};

struct fx_sm {
	struct fx_warp *warp;         /* [warps] */
	struct fx_cta *cta;           /* [ctas] */
	uint32_t resident;            /* CTAs */
	uint64_t busy_since;
	struct fx_cache l1;
	uint64_t port;                /* reply port busy until */
	uint64_t ldst;                /* load/store unit busy until */
	uint64_t *unit;               /* [scheduler * CT_CLASS_COUNT]: unit free at */
	uint32_t *last;               /* [scheduler]: warp that issued last */
	uint64_t *queued;             /* [scheduler]: its event's cycle, UINT64_MAX: none */
};

/* One entry of the event heap: a scheduler that may issue, or a CTA that ends. */
struct fx_event { uint64_t time; uint32_t sm, what; };

struct fx {
	struct ct_gpu g;
	struct ct_replay_options o;
	struct ct_replay_observer observer[8];
	struct ct_address_map map;
	uint32_t warps, max_ctas;     /* per SM */
	struct fx_sm *sm;
	struct fx_cache *slice;
	uint64_t *slice_free, *channel_free;
	double channel_cycles;        /* core cycles of one sector on a channel */

	const struct ct_kernel *kernel;
	struct ct_occupancy occ;
	uint64_t now, ages, keys, issued;
	uint32_t next_sm;
	int in_kernel;

	struct fx_event *heap;
	size_t n_heap, cap_heap;

	/* How many L1s hold each line, for replication. */
	uint64_t *held_line;
	uint32_t *held_count;
	size_t held_mask, held_used;

	struct ct_replay_counts c, total;
	struct ct_error *e;
	int status;
};

int fx_new(struct fx **f, const struct ct_gpu *g, const struct ct_replay_options *o,
           struct ct_error *e);
int fx_kernel_begin(struct fx *f, const struct ct_kernel *k, struct ct_error *e);
int fx_push_cta(struct fx *f, struct ct_cta *cta, struct ct_error *e);
int fx_kernel_end(struct fx *f, struct ct_replay_counts *c, struct ct_error *e);
void fx_memcpy(struct fx *f, uint64_t address, uint64_t bytes);
void fx_free(struct fx *f);

/* fixed_mem.c: a memory instruction issued at `now`; returns the cycle at which its
 * result can be used. */
uint64_t fx_memory(struct fx *f, uint32_t sm, uint32_t slot, struct fx_warp *w, uint64_t now);
/* A line left an SM's L1. */
void fx_left_l1(void *ctx, uint64_t line);
int fx_held_init(struct fx *f);

#endif
