/* stream.h - what one SM executed in one launch: the warps of its CTAs as instruction
 * streams, with the time that memory took in the baseline replay.
 *
 * Recorded while the engine replays the launch and then run through every organisation
 * (core.h), so that all of them see the same instructions and the same memory. */
#ifndef CT_MODELS_MALEKEH_STREAM_H
#define CT_MODELS_MALEKEH_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "trace/record.h"

/* Units of a sub-core that take one instruction each initiation interval. */
enum ct_mk_unit {
	CT_MK_U_SP,
	CT_MK_U_INT,
	CT_MK_U_DP,
	CT_MK_U_SFU,
	CT_MK_U_TENSOR,
	CT_MK_U_BRANCH,
	CT_MK_U_TEX,
	CT_MK_U_UNIFORM,
	CT_MK_U_OTHER,
	CT_MK_U_MEM,
	CT_MK_UNITS
};

enum ct_mk_op_kind {
	CT_MK_COMPUTE,
	CT_MK_LOAD,
	CT_MK_STORE,
	CT_MK_ATOMIC,
	CT_MK_ASYNC,
	CT_MK_BARRIER,
	CT_MK_MEMBAR,
	CT_MK_DEPBAR,
	CT_MK_LDGDEPBAR
};

/* A static instruction. Lists lie in the launch's pools. */
struct ct_mk_op {
	uint32_t src, dst, wait; /* where in reads[], writes[], waits[] */
	uint16_t nsrc, ndst;     /* registers of the vector file, pairs and fragments expanded,
	                              sources by slot (the same register may come twice) */
	uint16_t nwait, nmark;   /* registers of all files that have to be there; how many of
	                              them, the first, are results */
	uint16_t latency, initiation;
	uint8_t unit, kind;
	uint8_t groups_left; /* DEPBAR */
	uint8_t slow;        /* result comes from memory or texture: long latency */
	uint8_t backward;    /* may end a strand: branch */
	uint8_t needs_collector;
	uint8_t known;
	uint32_t mask; /* profiled reuse bits, see CT_MK_BIT_* */
	uint64_t pc;
};

/* Reuse bits of an instruction: sources from bit 0 on, results from bit 6 on; 1 = near. */
enum { CT_MK_BIT_DST = 6, CT_MK_BIT_COUNT = 32 };

/* One executed warp instruction: 8 bytes. */
struct ct_mk_rec {
	uint32_t sid;
	uint32_t mem; /* memory: cycles of the load/store unit << 20 | cycles from
	                              there to the data */
};
enum { CT_MK_MEM_BITS = 20 };

struct ct_mk_warp {
	struct ct_mk_rec *rec;
	size_t n, cap;
	uint32_t cta, number;    /* index in cta[]; warp inside the CTA */
	uint32_t *bits;          /* true reuse bits, one mask for each rec, or NULL */
	uint32_t *life;          /* last read of each result, in order, or NULL */
	struct ct_mk_plan *plan; /* compiler's plans, or NULL */
};

struct ct_mk_cta {
	uint32_t first, warps;
};

/* One SM's share of a launch. Zero-initialise; reset between launches. */
struct ct_mk_stream {
	struct ct_mk_op *op; /* by sid */
	size_t ops, cap_ops;
	uint8_t *reads, *writes;
	uint16_t *waits;
	size_t n_reads, cap_reads, n_writes, cap_writes, n_waits, cap_waits;
	struct ct_mk_warp *warp; /* in the order of their first instruction */
	size_t warps, cap_warps;
	struct ct_mk_cta *cta; /* in the order in which the SM got them */
	size_t ctas, cap_ctas;
	uint32_t warps_per_cta; /* slots that a CTA takes */
	uint32_t resident;      /* CTAs at once */
	uint64_t insts;
};

/* The same as ct_mk_stream_op() for one that may be new. */
const struct ct_mk_op *ct_mk_stream_new_op(struct ct_mk_stream *s, const struct ct_gpu *g, uint32_t sid,
                                           const struct ct_sinst *inst);
/* The static instruction sid, decoded on first sight with the GPU's units; NULL when out
 * of memory. */
static inline const struct ct_mk_op *ct_mk_stream_op(struct ct_mk_stream *s, const struct ct_gpu *g,
                                                     uint32_t sid, const struct ct_sinst *inst)
{
	return sid < s->ops && s->op[sid].known ? &s->op[sid] : ct_mk_stream_new_op(s, g, sid, inst);
}
/* Appends a CTA, and warps of it; the index, or -1 when out of memory. Warps of a CTA may be
 * appended at any time; ct_mk_stream_seal() puts them together. */
int32_t ct_mk_stream_cta(struct ct_mk_stream *s);
int32_t ct_mk_stream_warp(struct ct_mk_stream *s, uint32_t cta, uint32_t number);
/* Appends an instruction to a warp; its index in the warp, or -1. */
int64_t ct_mk_stream_add(struct ct_mk_stream *s, uint32_t warp, uint32_t sid);
/* Cycles in the load/store unit and from its taking the instruction to its data. */
void ct_mk_stream_mem(struct ct_mk_stream *s, uint32_t warp, size_t index, uint64_t busy,
                      uint64_t latency);
/* Orders the warps by CTA. Call once, before anything below or core.h. */
int ct_mk_stream_seal(struct ct_mk_stream *s, struct ct_error *e);
/* Forgets the launch, keeps the memory of the tables. */
void ct_mk_stream_reset(struct ct_mk_stream *s);
void ct_mk_stream_free(struct ct_mk_stream *s);

/* Reuse bits (reading reuse-bits): the next read of the value, without a write between, is at
 * most rthld instructions away (readings distance-unit, equal-is-near and next-read). */
int ct_mk_stream_oracle(struct ct_mk_stream *s, uint32_t rthld, struct ct_error *e);
/* Sets mask of every op: the more frequent of near and far over the first max(1, share) of
 * the warps; a tie and what was not seen are far (reading bits-source). Needs the oracle's bits. */
int ct_mk_stream_profile(struct ct_mk_stream *s, double share, struct ct_error *e);
/* Last read of every result, 0: never (index + 1 in the warp). */
int ct_mk_stream_lives(struct ct_mk_stream *s, struct ct_error *e);

#endif
