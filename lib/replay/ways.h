/* ways.h - the ways of one set of a cache: where a line is, and which line makes room for another.
 *
 * For caches of a mechanism's own that look every way of a set up. What such a cache keeps of a way
 * begins with struct ct_way and may be longer: `bytes` is the size of all of it, a constant where
 * these are called. All functions are pure; none fails. */
#ifndef CT_REPLAY_WAYS_H
#define CT_REPLAY_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* Zero: free. */
struct ct_way {
	uint64_t line;  /* address / bytes of a line */
	uint64_t stamp; /* of its last touch: it grows with each */
	uint32_t valid; /* sectors, or chunks, that are there */
	uint8_t used;   /* the way belongs to the line, even while nothing of it is there */
	uint8_t held;   /* something is on its way to it: it cannot make room */
};

/* Way number `way` of a set whose ways have `bytes` bytes each. Pure. */
static inline struct ct_way *ct_way_at(void *set, size_t bytes, uint32_t way)
{
	return (struct ct_way *)(void *)((char *)set + way * bytes);
}

/* The way of n in the set that belongs to the line; NULL: none does. */
static inline struct ct_way *ct_way_find(void *set, size_t bytes, uint32_t n, uint64_t line)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ct_way *w = ct_way_at(set, bytes, i);
		if (w->line == line && w->used)
			return w;
	}
	return NULL;
}

/* The way that makes room: the first free one, else the one touched longest ago (of equals the first)
 * that is not held; NULL: all are held. */
static inline struct ct_way *ct_way_victim(void *set, size_t bytes, uint32_t n)
{
	struct ct_way *oldest = NULL;
	for (uint32_t i = 0; i < n; i++) {
		struct ct_way *w = ct_way_at(set, bytes, i);
		if (!w->used)
			return w;
		if (!w->held && (!oldest || w->stamp < oldest->stamp))
			oldest = w;
	}
	return oldest;
}

CT_DECLS_END

#endif
