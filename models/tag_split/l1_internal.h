/* Private to the room: what the organisations share. */
#ifndef CT_MODELS_TAG_SPLIT_L1_INTERNAL_H
#define CT_MODELS_TAG_SPLIT_L1_INTERNAL_H

#include "models/tag_split/l1.h"

/* Set bits of a mask of chunks (16 bits): the portable popcount is a call, and these are
 * counted at every access. */
static inline uint32_t ts_few_bits(uint32_t m)
{
	m = m - (m >> 1 & 0x5555);
	m = (m & 0x3333) + (m >> 2 & 0x3333);
	m = (m + (m >> 4)) & 0x0f0f;
	return (m + (m >> 8)) & 0x1f;
}

/* How one kind of organisation is driven. */
struct ts_ops {
	int (*init)(struct ct_ts_l1 *l1);
	int (*load)(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
	            struct ct_ts_result *r);
	int (*store)(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
	             struct ct_ts_result *r);
	uint32_t (*peek)(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks);
	void (*flush)(struct ct_ts_l1 *l1);
	void (*each)(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
	             void *ctx);
	void (*release)(struct ct_ts_l1 *l1);
	void (*near)(const struct ct_ts_l1 *l1, uint32_t set,
	             uint64_t line); /* brings it near: a hint */
};

struct ct_ts_l1 {
	struct ct_ts_shape s;
	const struct ts_ops *ops;
	uint32_t per;        /* chunks per line */
	uint32_t all;        /* mask of them */
	uint32_t chunk_bits; /* log2(per) */
	uint64_t clock;      /* counts accesses: recency */
	uint64_t flushed;    /* clock of the last flush */
	uint64_t random;
	struct ct_ts_use use;
	void *state; /* of the kind */
};

extern const struct ts_ops ts_line_ops, ts_split_ops, ts_dsc_ops, ts_perfect_ops, ts_ideal_ops;

/* Do what ct_ts_l1_load() and ct_ts_l1_store() do, for a line whose set is known. */
int ts_load_in(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
               struct ct_ts_result *r);
int ts_store_in(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                struct ct_ts_result *r);
/* The same for ct_ts_l1_peek(). */
static inline uint32_t ts_peek_in(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line,
                                  uint32_t chunks)
{
	return l1->ops->peek(l1, set, line, chunks & l1->all);
}

#if defined(__GNUC__)
#define TS_NEAR(p) __builtin_prefetch((p), 1, 3)
#else
#define TS_NEAR(p) ((void)(p))
#endif

static inline void ts_near_bytes(const void *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		TS_NEAR((const char *)p + i);
}

/* Counts chunks that leave: their masks of all, asked for, hit again. */
void ts_leave(struct ct_ts_l1 *l1, uint32_t chunks, uint32_t touched, uint32_t reused);

#endif
