/* exec.h - one warp while it runs. */
#ifndef CT_TRACEGEN_EXEC_H
#define CT_TRACEGEN_EXEC_H

#include "base/buf.h"
#include "tracegen/kernel.h"

typedef uint32_t simt_row[LANES];

/* An open IF or LOOP of one warp. */
struct simt_frame {
	uint32_t saved; /* lanes that entered it */
	uint32_t other; /* IF: lanes of the other path; LOOP: lanes gone outside of it */
};

enum simt_warp_state { WARP_RUNS, WARP_WAITS, WARP_DONE };

struct simt_warp {
	simt_row *row;  /* registers */
	uint32_t *pred; /* predicates, a bit per lane */
	uint32_t active;
	uint32_t exited;  /* lanes that have ended */
	uint32_t gone;    /* exited, or left an enclosing loop */
	uint32_t present; /* lanes that exist */
	uint32_t depth;
	struct simt_frame frame[MAX_DEPTH];
	size_t at; /* next op */
	enum simt_warp_state state;
	uint32_t id; /* in its CTA */
	uint64_t insts;
	struct ct_buf text;
};

struct simt_cta {
	struct kb *k;
	const struct ct_kernel *head; /* as the trace names the launch */
	simt_row *constant;
	struct simt_dims grid, block, id;
	unsigned char *shared;
	uint32_t shared_bytes;
	unsigned char *local; /* frame_bytes per thread */
	struct simt_warp *warp;
	uint32_t warps;
	struct ct_error *e;
	int quiet; /* record nothing */
};

/* Operand rows: registers of the warp or constants. */
static inline const uint32_t *simt_src(const struct simt_cta *c, const struct simt_warp *w, unsigned row)
{
	return row < CONST_ROWS ? w->row[row] : c->constant[row - CONST_ROWS];
}

/* Runs w until it ends or waits at a barrier. CT_OK or a failure. */
int simt_run_warp(struct simt_cta *c, struct simt_warp *w);

/* One arithmetic op on the lanes of mask. */
void simt_exec_alu(const struct simt_cta *c, struct simt_warp *w, const struct op *o, uint32_t mask);
/* One memory op on the lanes of mask; the addresses of those lanes go to addr[0..],
 * in lane order. Fails when a lane leaves its buffer. */
int simt_exec_mem(struct simt_cta *c, struct simt_warp *w, const struct op *o, uint32_t mask,
                  uint64_t addr[LANES]);

#endif
