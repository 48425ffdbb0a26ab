/* brute_stack.h - LRU stack distances by walking a list: O(lines) per access, obvious
 * on purpose. Twin of lib/locality/stack.h; same meaning of every call. */
#ifndef TESTS_SUPPORT_BRUTE_STACK_H
#define TESTS_SUPPORT_BRUTE_STACK_H

#include <stddef.h>
#include <stdint.h>

struct brute_line {
	uint64_t line;
	uint64_t sector[4]; /* largest distance since the touch, CT_COLD */
	uint64_t stamp;
};

struct brute_stack {
	struct brute_line *at; /* most recent first */
	size_t n, cap;
};

/* allocate and fill as in stack_engine.h; sector may be NULL. Aborts when out of memory. */
uint64_t brute_access(struct brute_stack *b, uint64_t line, uint32_t mask, int allocate, int fill,
                      uint64_t *sector);
uint64_t brute_probe(const struct brute_stack *b, uint64_t line);
void brute_invalidate(struct brute_stack *b, uint64_t line);
void brute_free(struct brute_stack *b); /* also flushes: the stack is empty again */

#endif
