/* microtrace.h - traces of a few instructions, built in memory and run. */
#ifndef CT_TESTS_MICROTRACE_H
#define CT_TESTS_MICROTRACE_H

#include <stdint.h>

#include "base/buf.h"
#include "gpu/gpu.h"
#include "replay/replay.h"

/* A trace in the making: header, then CTAs of warps of lines. */
struct micro {
	struct ct_buf text;
	uint32_t ctas, pc;
};

/* Begins a kernel of `ctas` CTAs of `threads` threads; several may follow each other. */
void micro_kernel(struct micro *m, const char *name, uint32_t ctas, uint32_t threads, uint32_t shmem,
                  uint32_t regs);
void micro_cta(struct micro *m);
void micro_cta_end(struct micro *m);
/* A warp with `insts` lines to come. */
void micro_warp(struct micro *m, uint32_t warp, uint32_t insts);
/* One line: everything after the program counter. */
void micro_line(struct micro *m, const char *fmt, ...) CT_PRINTF(2, 3);
/* A trace of one warp: n lines, then EXIT. *m is cleared before. */
void micro_one_warp(struct micro *m, uint32_t n, const char *const *lines);

/* A kernel whose warps make `loads` loads each, to eight registers in turn, of 4 bytes by lanes `stride` bytes apart; the first
 * lane's address is what address() says. *m is cleared before. */
void micro_loads(struct micro *m, const char *name, uint32_t ctas, uint32_t warps, uint32_t loads,
                 uint32_t stride,
                 uint32_t (*address)(const void *ctx, uint32_t cta, uint32_t warp, uint32_t load),
                 const void *ctx);

/* Launches of so many CTAs of warps of insts + 4 instructions: loads, stores and atomics of all spaces, copies, barriers, fences
 * and arithmetic at random. *m is cleared before. */
void micro_random(struct micro *m, uint64_t seed, int launches, uint32_t ctas, uint32_t warps,
                  uint32_t insts);

enum { MICRO_MAX_ISSUES = 4096 };
struct micro_result {
	struct ct_replay_counts c;
	uint64_t issue[MICRO_MAX_ISSUES]; /* cycle of each issue, in order of the calls */
	uint32_t sid[MICRO_MAX_ISSUES], sm[MICRO_MAX_ISSUES], warp[MICRO_MAX_ISSUES];
	uint32_t issues;
	uint64_t l1_hit, l1_pending, l1_miss, llc_events; /* sums over the observers' events */
	struct ct_mem_event mem[64];                      /* the first of them */
	uint32_t mems;
};

/* Issue of line b minus issue of line a. */
static inline long micro_apart(const struct micro_result *r, uint32_t a, uint32_t b)
{
	return (long)(r->issue[b] - r->issue[a]);
}

/* Runs the trace; ends the test when that fails. o may be NULL; of its observers the first
 * is told too. Frees the text. */
void micro_run(struct micro *m, const struct ct_gpu *g, const struct ct_replay_options *o,
               struct micro_result *r);
/* The same, but a failed replay returns its status, and *e says why. */
int micro_try(struct micro *m, const struct ct_gpu *g, const struct ct_replay_options *o,
              struct micro_result *r, struct ct_error *e);

/* The three configurations of the reference runs, from data/gpus with the clocks and
 * latencies that those use: 0 QV100, 1 RTX3070, 2 RTX2060. */
enum { MICRO_QV100, MICRO_RTX3070, MICRO_RTX2060, MICRO_GPUS };
void micro_gpu(struct ct_gpu *g, int which);

#endif
