/* stream.h - what the warps of a CTA executed, before it becomes a trace. Private.
 *
 * A region that its lanes went through together is one record with the addresses of its accesses; what
 * else is executed is a record each. Nothing is packed, since what writes the trace packs it. */
#ifndef CT_LOWER_STREAM_H
#define CT_LOWER_STREAM_H

#include "lower/machine.h"

/* The records of a warp. */
struct ct_lower_stream {
	uint64_t *word;
	size_t n, cap;
	uint64_t insts;
};

/* The addresses of an access by the lanes of `mask`: those of lanes side by side that are `stride` apart,
 * or n, each lane's. */
struct ct_lower_access {
	uint64_t first;
	int64_t stride;
	uint64_t *lanes; /* in the order of lanes; unused where `strided` */
	uint32_t mask, n;
	int strided;
};

/* A CTA: packed, or a stream for each warp. */
struct ct_lower_made {
	uint64_t index;
	uint32_t warps;
	struct ct_cta *packed; /* NULL: it is not */
	struct ct_lower_stream *stream;
	size_t streams;             /* that there is room for */
	struct ct_lower_made *next; /* in a list of those that are not in use */
};

/* NULL when out of memory. Freed with ct_lower_made_free. */
struct ct_lower_made *ct_lower_made_new(void);
/* Begins a CTA without instructions; what the last one was is forgotten. Fails with CT_ERR_NOMEM. */
CT_NODISCARD int ct_lower_made_begin(struct ct_lower_made *m, uint64_t index, uint32_t warps,
                                     struct ct_error *e);
/* Warp instructions of the CTA. */
uint64_t ct_lower_made_insts(const struct ct_lower_made *m);
void ct_lower_made_free(struct ct_lower_made *m); /* NULL allowed */

/* Each appends to a stream, and fails with CT_ERR_NOMEM. A variant of a region that the lanes of `mask`
 * executed: `access` holds its accesses by the number that the program gives them. */
CT_NODISCARD int
ct_lower_put_variant(struct ct_lower_stream *s, const struct ct_lower_program *p, uint32_t variant,
                     uint32_t mask, const struct ct_lower_access *access, struct ct_error *e);
/* `n` instructions that follow one another and access no memory. */
CT_NODISCARD int ct_lower_put_plain(struct ct_lower_stream *s, uint32_t inst, uint32_t n, uint32_t mask,
                                    struct ct_error *e);
/* An access by some of its lanes, perhaps by none. */
CT_NODISCARD int ct_lower_put_access(struct ct_lower_stream *s, uint32_t inst, uint32_t mask,
                                     const struct ct_lower_access *a, struct ct_error *e);

/* Where the instructions of a stream go, in the terms of a trace. */
struct ct_lower_sink {
	void *ctx;
	/* `n` instructions sid, sid + 1 ... without addresses. */
	int (*plain)(void *ctx, uint32_t sid, uint32_t n, uint32_t mask, struct ct_error *e);
	/* An access without a lane. */
	int (*none)(void *ctx, uint32_t sid, struct ct_error *e);
	int (*strided)(void *ctx, uint32_t sid, uint32_t mask, uint64_t first, int64_t stride,
	               struct ct_error *e);
	/* An address for each lane of the mask, in their order. */
	int (*lanes)(void *ctx, uint32_t sid, uint32_t mask, const uint64_t *addresses,
	             struct ct_error *e);
	/* A variant of a region: 1 where next_strided and next_lanes have to be called for its accesses and
	 * nothing else for the rest of it (for one without a lane next_strided with zeros), 0 where what is
	 * above has to be for each of its steps. NULL: it is. */
	int (*variant)(void *ctx, uint32_t variant, uint32_t mask, struct ct_error *e);
	void (*next_strided)(void *ctx, uint32_t sid, uint64_t first, int64_t stride);
	void (*next_lanes)(void *ctx, uint32_t sid, uint32_t mask, const uint64_t *addresses);
};
/* Tells of all instructions in order, up to the first failure, which it returns. */
CT_NODISCARD int ct_lower_stream_walk(const struct ct_lower_stream *s, const struct ct_lower_program *p,
                                      const struct ct_lower_sink *to, struct ct_error *e);

#endif
