/* order.h - what the parts of the engine have noted by themselves, put into one order of time (private). */
#ifndef CT_REPLAY_PRIVATE_ORDER_H
#define CT_REPLAY_PRIVATE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* A note's place in the order: by its key; `at` says where the note is. */
struct rp_place {
	uint64_t key, at;
};

struct rp_order {
	struct rp_place *place; /* n of them */
	size_t n;
	struct rp_place *other; /* room to sort */
	size_t cap, other_cap;
};

/* Room for n places; -1 when out of memory. */
int rp_order_reserve(struct rp_order *o, size_t n);
/* Sorts by key; equals keep their order. Keys are at most `most`, and the smaller that is, the quicker. */
void rp_order_sort(struct rp_order *o, uint64_t most);
void rp_order_free(struct rp_order *o);

#endif
