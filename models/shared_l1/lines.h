/* lines.h - the lines that the L1s of all cores hold: where one is, and which one makes room (private to the room).
 *
 * Today's L1s have sets of hundreds of ways, so that none of this looks at all ways of a set: an index knows where lines are,
 * and each set has those that may leave in the order of their last touch, clean and modified ones apart. One object belongs
 * to one thread. */
#ifndef CT_MODELS_SHARED_L1_LINES_H
#define CT_MODELS_SHARED_L1_LINES_H

#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/tag_index.h"
#include "gpu/address.h"

/* The orders of a set: lines that may leave. Held ones are in none. */
enum ct_sl_order { CT_SL_CLEAN, CT_SL_MODIFIED, CT_SL_ORDERS, CT_SL_HELD = CT_SL_ORDERS };

/* A place for a line in an L1, as large as a line of the host. line, stamp, older, younger, order and used are lines.c's. */
struct ct_sl_line {
	uint64_t line;           /* address / bytes of a line; first, for the index */
	uint64_t stamp;          /* cycle of its last touch */
	uint32_t older, younger; /* its neighbours in its order: way + 1, 0: none */
	uint64_t bytes[2];       /* of a line up to 128 B: what stores have written */
	uint32_t valid;          /* sectors that a read finds */
	uint32_t partly;         /* sectors of which stores have written some bytes only */
	uint32_t modified;       /* sectors that stores have written to and nothing is on its way to */
	uint32_t
		reserved; /* with reservation: sectors that reads wait for, so that it cannot make room */
	uint32_t merging; /* sectors whose fill meets what stores have written */
	uint8_t dead;     /* flushed meanwhile: not kept */
	uint8_t used;     /* the place belongs to the line, even while nothing of it is there */
	uint8_t order;    /* enum ct_sl_order */
};

struct ct_sl_set {
	uint32_t oldest[CT_SL_ORDERS], youngest[CT_SL_ORDERS]; /* way + 1; 0: none */
	uint32_t used, held;                                   /* ways */
};

/* Zero before ct_sl_lines_init(). */
struct ct_sl_lines {
	uint32_t sets, ways, set_hash; /* of each L1; set_hash: enum ct_set_hash */
	struct ct_sl_line *at;         /* [core][set][way] */
	struct ct_sl_set *set;         /* [core][set] */
	uint64_t *free;                /* [core][set][words]: a bit for each way */
	uint32_t words;
	struct ct_tag_index *index; /* [core] */
	struct ct_pool pool;
};

/* Empty L1s of that shape. Fails with CT_ERR_NOMEM, CT_ERR_UNSUPPORTED for more lines than an index can name; x is to be
 * freed then, too. */
int ct_sl_lines_init(struct ct_sl_lines *x, unsigned cores, uint32_t sets, uint32_t ways,
                     uint32_t set_hash, struct ct_error *e);
void ct_sl_lines_free(struct ct_sl_lines *x);

/* The set of the line, the same in each L1. Pure, as are the three below. */
static inline uint32_t ct_sl_lines_set(const struct ct_sl_lines *x, uint64_t line)
{
	return ct_set_index((enum ct_set_hash)x->set_hash, x->sets, line);
}
/* The place that belongs to the line in the L1 of a core; NULL: none does. */
static inline struct ct_sl_line *
ct_sl_lines_find(const struct ct_sl_lines *x, unsigned core, uint64_t line)
{
	const uint32_t i = ct_tag_index_find(&x->index[core], line);
	return i == CT_TAG_INDEX_NONE ? NULL : &x->at[(size_t)core * x->sets * x->ways + i];
}
/* The place of the line's set that makes room: the last free one; else that touched longest ago, of equals the first, of
 * those that are not held and, with `clean`, that are not modified. NULL: there is none. */
struct ct_sl_line *ct_sl_lines_victim(const struct ct_sl_lines *x, unsigned core, uint64_t line,
                                      int clean);
/* Whether a line of the set is held. */
int ct_sl_lines_held(const struct ct_sl_lines *x, unsigned core, uint64_t line);

/* Gives a free place of the line's set to the line, touched in cycle `now`; nothing is in it. */
void ct_sl_lines_take(struct ct_sl_lines *x, unsigned core, struct ct_sl_line *w, uint64_t line,
                      uint64_t now);
/* The line of the place is touched in cycle `now`, or w->stamp when it is not; its order is what `reserved` and `modified`
 * say. To be called when these have changed. */
void ct_sl_lines_settle(struct ct_sl_lines *x, unsigned core, struct ct_sl_line *w, uint64_t now);
/* The place of a line is free again; what it says of the line stays until it is given away. */
void ct_sl_lines_leave(struct ct_sl_lines *x, unsigned core, struct ct_sl_line *w);

#endif
