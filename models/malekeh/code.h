/* code.h - what a compiler would have put into the instructions of a launch for the register caches: which values are
 * dead, and the plans of recorded warps (plan.h), put together by static instruction. The recorded paths stand for the control-flow
 * graph: a value lives on if it does on one of them (reading planned-code). */
#ifndef CT_MODELS_MALEKEH_CODE_H
#define CT_MODELS_MALEKEH_CODE_H

#include "models/malekeh/plan.h"

/* A static instruction. Of one that no recorded warp has executed everything is 0. */
struct ct_mk_code_op {
	/* whether the value of a source, and of a result, is read later in some execution */
	uint16_t alive, used;
	/* strands, by operand slot: what most executions do with it, */
	uint16_t fill, keep; /* kept when it has to be read from the banks; as a result; */
	uint16_t more;       /* sources that the strand reads again in some execution, */
	uint16_t live;       /* and results that live longer than their strand */
	/* intervals: */
	uint16_t out;            /* results that are read after their interval in some execution, */
	uint8_t begins;          /* 1 if an interval has begun here; */
	struct ct_mk_regs fetch; /* then what one of those reads before it writes */
};

/* Fills code[] (all 0, one for each op of the stream) from a sealed stream with its lives, and from the plans that it
 * has: strands, intervals or both. Fails with CT_ERR_NOMEM. */
int ct_mk_code_of(const struct ct_mk_stream *s, struct ct_mk_code_op *code, struct ct_error *e);

#endif
