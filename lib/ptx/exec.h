/* exec.h - the state of a running launch. Private. */
#ifndef CT_PTX_EXEC_H
#define CT_PTX_EXEC_H

#include "ptx/codes.h"
#include "ptx/emulate.h"
#include "ptx/module.h"

/* Rows are read and written as whatever type an operation has. */
#if defined(__GNUC__)
#define CT_PTX_ALIAS __attribute__((may_alias))
#else
#define CT_PTX_ALIAS
#endif
typedef uint8_t CT_PTX_ALIAS ct_ptx_u8;
typedef int8_t CT_PTX_ALIAS ct_ptx_s8;
typedef uint16_t CT_PTX_ALIAS ct_ptx_u16;
typedef int16_t CT_PTX_ALIAS ct_ptx_s16;
typedef uint32_t CT_PTX_ALIAS ct_ptx_u32;
typedef int32_t CT_PTX_ALIAS ct_ptx_s32;
typedef uint64_t CT_PTX_ALIAS ct_ptx_u64;
typedef int64_t CT_PTX_ALIAS ct_ptx_s64;
typedef float CT_PTX_ALIAS ct_ptx_f32;
typedef double CT_PTX_ALIAS ct_ptx_f64;

struct ct_ptx_warp;
struct ct_ptx_run;

#define CT_PTX_NO_SPLIT UINT32_MAX
#define CT_PTX_ALL_LANES UINT32_MAX
#define CT_PTX_BARRIERS 16
/* Instructions that a warp executes before another one has its turn, and a CTA of a cooperative launch before another CTA. It decides nothing
 * but how long threads that wait for one another spin. */
#define CT_PTX_TURN 16384
/* The first turn of a CTA, and behind a barrier, where a launch says what the board holds; then every turn is an eighth longer than the one
 * before, up to CT_PTX_TURN. Warps stay close to one another so, as on boards: none is ahead by more than an eighth of its way. Some programs
 * rely on it that a warp has read what a barrier was for before another one is far enough to write there again, or has written
 * before another one reads, where they lack a barrier. Turns that are not long end before a store, too, which on boards comes behind the loads of
 * all warps. */
#define CT_PTX_FIRST_TURN 16
#define CT_PTX_TURN_GROWTH 8
#define CT_PTX_LONG_TURN 256
#define CT_PTX_ROWS_PAD \
	512 /* behind the last row: operands that an operation does not have are read too */

enum ct_ptx_split_state {
	CT_PTX_SPLIT_FREE,
	CT_PTX_SPLIT_RUNS,
	CT_PTX_SPLIT_AT_BARRIER,
	CT_PTX_SPLIT_AT_SYNC
};

/* Lanes of a warp that go together. A split whose lanes diverged waits until its children
 * have come to `join`; only splits without children run. */
struct ct_ptx_split {
	uint32_t at;   /* next operation */
	uint32_t join; /* where it ends and its parent goes on, or CT_PTX_NO_TARGET */
	uint32_t mask;
	uint32_t parent; /* or CT_PTX_NO_SPLIT */
	uint32_t children;
	uint32_t frame;
	uint32_t state;   /* enum ct_ptx_split_state */
	uint32_t barrier; /* which one it waits at */
};

/* One call that has not returned. Splits of a function share its frame. */
struct ct_ptx_frame {
	uint32_t function;
	uint32_t rows;   /* offset in the warp's rows */
	uint32_t local;  /* offset in each lane's local memory */
	uint32_t call;   /* operation that called, or CT_PTX_NO_TARGET */
	uint32_t caller; /* frame */
	uint32_t join;   /* of the split that called */
	uint32_t uses;   /* splits in it and frames above it */
};

/* A range of addresses, and what lies between them and those of the host. */
struct ct_ptx_range {
	uint64_t first, end, delta;
	int space;
};

/* What one look at the addresses of an access finds, over the lanes of the mask. */
struct ct_ptx_look {
	uint64_t outside; /* bit 63: a lane lies outside of the range */
	uint64_t any;     /* union of the bits of all addresses */
	uint64_t step;    /* 0: each lane's address is `bytes` behind the one before */
	uint64_t same;    /* 0: all are the same */
};
typedef void ct_ptx_looker(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask,
                           uint64_t first, uint64_t limit, unsigned bytes, struct ct_ptx_look *look);

struct ct_ptx_warp {
	unsigned char *base[CT_PTX_BASES];
	uint32_t local_base; /* of the running frame */
	uint32_t alive;      /* lanes that have not ended */
	struct ct_ptx_run *run;
	uint32_t index;
	uint32_t current; /* split, or CT_PTX_NO_SPLIT where none can run */
	struct ct_ptx_split *split;
	size_t nsplits, splits_cap;
	struct ct_ptx_frame *frame;
	size_t nframes, frames_cap;
	unsigned char *rows;
	size_t rows_bytes;
	unsigned char *special;
	unsigned char *local; /* lane after lane */
	/* Of the last access: */
	uint64_t address[CT_PTX_LANES]; /* as the lanes computed it */
	const uint64_t *seen;           /* the same without windows, for observers */
	const uint64_t *host;           /* the host's */
	uint64_t seen_row[CT_PTX_LANES], host_row[CT_PTX_LANES]; /* of those that differ from it */
	int space;
	int sleeps;           /* its turn is over */
	int in_expected;      /* all lanes are in the range that its operation found last */
	uint32_t texel_bytes; /* of a texture */
	enum { CT_PTX_SCATTERED, CT_PTX_ADJACENT, CT_PTX_SAME } shape; /* of all 32 lanes */
	unsigned char copy[CT_PTX_LANES][16]; /* between the halves of an asynchronous copy */
	uint32_t copied;                      /* lanes that its first half has read for */
	uint64_t local_row[CT_PTX_LANES];     /* host address of each lane's local memory */
};

struct ct_ptx_barrier {
	uint32_t expected; /* threads, or 0 for all of the CTA */
	uint32_t waiting;  /* splits */
	uint32_t ones;     /* of bar.red: threads whose predicate holds */
	uint32_t threads;  /* that brought a predicate */
	uint32_t *arrived; /* lanes of each warp */
};

typedef void ct_ptx_exec(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask);

struct ct_ptx_guarded; /* guard.h */
struct ct_ptx_watch;   /* waiting.h */

/* Accesses that an observer was not told of yet, and their addresses. */
enum { CT_PTX_UNTOLD = 32 };
struct ct_ptx_untold {
	struct ct_ptx_access access[CT_PTX_UNTOLD];
	uint64_t row[CT_PTX_UNTOLD][CT_PTX_LANES];
};

/* One launch on one thread. */
struct ct_ptx_run {
	const struct ct_ptx_launch *launch;
	const struct ct_ptx_module *m;
	const struct ct_ptx_function *f;
	ct_ptx_looker *look;
	ct_ptx_exec *exec[CT_PTX_CODE_COUNT]; /* by code, for this machine; none for control */
	struct ct_ptx_cta cta, shape;         /* the one that runs; what all have in common */
	const struct ct_ptx_observer *observer;
	unsigned worker;                /* number of its thread */
	struct ct_ptx_guarded *guarded; /* NULL: CTAs run in launch order */
	struct ct_ptx_warp *warp;
	uint32_t warps;
	struct ct_ptx_barrier barrier[CT_PTX_BARRIERS];
	unsigned char *shared;
	uint32_t shared_bytes; /* that may be accessed */
	uint32_t local_bytes;  /* of each lane */
	unsigned char *params;
	struct ct_ptx_range *
		range; /* sorted by first; behind the last the window of shared memory and an empty one */
	size_t nranges;
	uint32_t *range_of; /* where each operation found its addresses last */
	uint64_t steps, max_steps;
	uint64_t turn;                   /* instructions that a warp may execute in this one */
	uint64_t cta_from;               /* steps before the CTA at hand */
	int waited;                      /* a CTA of the launch was found to wait for a later one */
	struct ct_ptx_watch *watch;      /* waiting.h; NULL: no CTA was watched yet */
	int sleeps;                      /* a warp has given its turn away */
	int observes;                    /* an observer wants every instruction */
	int gathers;                     /* and takes together what comes one after the other */
	struct ct_ptx_straight straight; /* which it was not told of yet; n: 0 where there is none */
	struct ct_ptx_untold *untold;    /* of a run that gathers */
	struct ct_ptx_fault fault;
	uint32_t fault_op;
	int status; /* a failure that is no fault: out of memory, an observer's */
	struct ct_error *e;
};

/* Operations on whole rows: by code, up to the first that is none. */
extern ct_ptx_exec *const ct_ptx_rows_portable[];
ct_ptx_looker ct_ptx_look_portable;
#if defined(__GNUC__) && defined(__x86_64__) && !defined(CT_NO_SIMD)
#define CT_PTX_X86 1
extern ct_ptx_exec *const ct_ptx_rows_avx2[];
ct_ptx_looker ct_ptx_look_avx2;
#else
#define CT_PTX_X86 0
#endif

/* Operations lane by lane, on memory and between lanes: the same on every machine. */
extern ct_ptx_exec *const ct_ptx_lane_table[];
#define CT_PTX_DECLARE(n) ct_ptx_exec ct_ptx_exec_##n;
CT_PTX_LANE_CODES(CT_PTX_DECLARE)
CT_PTX_WARP_CODES(CT_PTX_DECLARE)
#undef CT_PTX_DECLARE

/* Pointer to the row of a reference. */
static inline void *ct_ptx_at(const struct ct_ptx_warp *w, uint32_t ref)
{
	return w->base[ref & 63] + (ref & ~63u);
}

/* Bits of a predicate reference: one a lane. */
static inline uint32_t ct_ptx_bits(const struct ct_ptx_warp *w, uint32_t ref)
{
	return *(const ct_ptx_u32 *)(const void *)(w->base[CT_PTX_BASE_FRAME] + (ref & ~3u)) ^
	       (0u - (ref & 1));
}

/* Sets a predicate where the mask is set. CT_PTX_NO_PREDICATE is allowed. */
static inline void ct_ptx_set_bits(const struct ct_ptx_warp *w, uint32_t ref, uint32_t bits,
                                   uint32_t mask)
{
	if (ref == CT_PTX_NO_PREDICATE)
		return;
	ct_ptx_u32 *p = (ct_ptx_u32 *)(void *)(w->base[CT_PTX_BASE_FRAME] + ref);
	*p = (*p & ~mask) | (bits & mask);
}

/* Value of a lane in a row of 2, 4 or 8 bytes. */
static inline uint64_t ct_ptx_lane(const void *row, unsigned lane, unsigned width)
{
	return width == 8   ? ((const ct_ptx_u64 *)row)[lane]
	       : width == 4 ? ((const ct_ptx_u32 *)row)[lane]
	                    : ((const ct_ptx_u16 *)row)[lane];
}

/* Ends a comparison: turns it, joins it with a predicate, and sets its results. */
static inline void ct_ptx_compared(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t bits,
                                   uint32_t mask)
{
	uint32_t other = ct_ptx_bits(w, o->s), inverse;
	if (o->mode & CT_PTX_TURNED)
		bits = ~bits;
	inverse = ~bits;
	if (o->round == CT_PTX_JOIN_AND)
		bits &= other, inverse &= other;
	else if (o->round == CT_PTX_JOIN_OR)
		bits |= other, inverse |= other;
	else if (o->round == CT_PTX_JOIN_XOR)
		bits ^= other, inverse ^= other;
	ct_ptx_set_bits(w, o->p, bits, mask);
	ct_ptx_set_bits(w, o->q, inverse, mask);
}

/* Splits and calls (splits.c). Those that can fail return -1, after a fault or a failure of the run. */

/* Lanes of the current split, whose `at` is the next operation, part: some go to `target`. */
int ct_ptx_branch(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t taken, uint32_t target);
/* Lets only those lanes of the current split go on with the operation at hand; the others wait
 * behind it. */
int ct_ptx_narrow(struct ct_ptx_warp *w, uint32_t mask);
/* Lanes that wait where their split goes on do so before the others: they become a split of their own, the current one. -1: out of
 * memory. */
int ct_ptx_part_from(struct ct_ptx_warp *w, uint32_t split, uint32_t lanes);
/* Parts the current split so that all its lanes have one value in row o->a. */
int ct_ptx_part(struct ct_ptx_warp *w, const struct ct_ptx_op *o, unsigned width);
/* Calls a function that has a body, with all lanes of the current split; and its return. */
int ct_ptx_enter(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t function);
void ct_ptx_leave(struct ct_ptx_warp *w);
/* The current split has come to its join or has no lanes: another one goes on. */
void ct_ptx_end_split(struct ct_ptx_warp *w);
/* Chooses the next split that can run, in a round; CT_PTX_NO_SPLIT where none can. */
void ct_ptx_choose(struct ct_ptx_warp *w);
/* Puts the warp at the start of the kernel with those lanes. */
int ct_ptx_start_warp(struct ct_ptx_warp *w, uint32_t lanes);
/* Sets the bases of registers and local memory for the current split. */
void ct_ptx_use_frame(struct ct_ptx_warp *w);

/* Barriers (barrier.c): the current split arrives; barriers that are complete let go. */
void ct_ptx_arrive(struct ct_ptx_warp *w, const struct ct_ptx_op *o);
int ct_ptx_release(struct ct_ptx_run *r);
/* When every warp waits, lanes that only wait for others of their warp, which a barrier holds, go on by themselves, as on boards whose
 * lanes have program counters of their own. Returns 1 when some did, 0 when none can, -1 when out of memory. */
int ct_ptx_go_alone(struct ct_ptx_run *r);

/* A function of the host is called for every lane of the current split (call.c). */
int ct_ptx_call_host(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const struct ct_ptx_function *f);
/* Host address of `bytes` at a generic address as a lane sees it, or NULL. */
void *ct_ptx_host_address(struct ct_ptx_warp *w, uint32_t lane, uint64_t address, uint64_t bytes);

/* The texture or surface of a handle that the launch knows, or NULL. */
const struct ct_ptx_texture *
ct_ptx_find_texture(const struct ct_ptx_launch *l, uint64_t handle, int surface);

/* Notes why the launch stops, with the first lane of the mask. */
void ct_ptx_stop(struct ct_ptx_warp *w, const struct ct_ptx_op *o, enum ct_ptx_fault_kind kind,
                 uint32_t mask);
/* The same for an access of one lane, with its address and what it is in. Returns -1. */
int ct_ptx_refuse(struct ct_ptx_warp *w, const struct ct_ptx_op *o, enum ct_ptx_fault_kind kind,
                  uint32_t lane, unsigned bytes, int space);
/* Host addresses of an access of `bytes` for the lanes of the mask, into w->host: 0, or -1 after a fault. */
int ct_ptx_resolve(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, unsigned bytes);
/* Range that holds [address, address + bytes): its index, or UINT32_MAX. */
uint32_t ct_ptx_find_range(const struct ct_ptx_run *r, uint64_t address, uint64_t bytes);
/* Ranges of the caller and of the module's variables, sorted, into the run. */
int ct_ptx_collect_ranges(struct ct_ptx_run *r);

#endif
