/* stack_engine.h - what the engines behind stack.h implement. Private to the room. */
#ifndef CT_LOCALITY_STACK_ENGINE_H
#define CT_LOCALITY_STACK_ENGINE_H

#include "locality/stack.h"

/* About this many lines on one stack make it fail: times are 32 bits, and the window
 * is four to eight times the lines. (2^29 lines of 128 B are a footprint of 64 GiB.) */
#define CT_STACK_MAX_LINES ((uint64_t)1 << 29)

struct ct_stack_ops {
	/* One access. allocate: a line that is not on the stack enters it. fill: the
	 * sectors of mask are touched, not only asked about. sector may be NULL. */
	uint64_t (*access)(struct ct_stack *s, uint64_t line, uint32_t mask, int allocate, int fill,
	                   uint64_t *sector);
	void (*batch)(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance);
	void (*ops)(struct ct_stack *s, struct ct_stack_op *op, size_t n);
	uint64_t (*probe)(const struct ct_stack *s, uint64_t line);
	void (*invalidate)(struct ct_stack *s, uint64_t line);
	/* Writes all lines, in any order. */
	void (*list)(const struct ct_stack *s, uint64_t *line);
	/* Many lines have left: gives memory back that the others do not need. */
	void (*shrink)(struct ct_stack *s);
	void (*flush)(struct ct_stack *s);
	uint64_t (*lines)(const struct ct_stack *s);
	size_t (*bytes)(const struct ct_stack *s);
	void (*free)(struct ct_stack *s);
};

/* First member of every engine's state. */
struct ct_stack {
	const struct ct_stack_ops *ops;
	uint32_t sectors;
	int stamps;
	int failed; /* out of memory: sticky */
};

/* NULL when out of memory. */
struct ct_stack *ct_stack_textbook_new(const struct ct_stack_options *o);
struct ct_stack *ct_stack_fast_new(const struct ct_stack_options *o);

#endif
