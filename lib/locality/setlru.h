/* setlru.h - set-associative LRU caches of all associativities from 1 to 16 at once.
 *
 * A set is a list of its 16 last lines, most recent first; by LRU's inclusion property
 * an access that finds its line at position p hits in every cache of these sets with
 * more than p ways (Mattson et al. 1970, Hill and Smith 1989). A sector hits if and only
 * if the line stayed at positions below the associativity since the sector's last touch. */
#ifndef CT_LOCALITY_SETLRU_H
#define CT_LOCALITY_SETLRU_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

enum { CT_SETLRU_WAYS = 16, CT_SETLRU_MISS = CT_SETLRU_WAYS };

struct ct_setlru;

struct ct_setlru_options {
	uint32_t sets;    /* 1 to 2^26 */
	uint32_t sectors; /* per line, 1..4 (0 = 1) */
	int isa;          /* enum ct_isa, 0 = best */
};

/* NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM. Caller frees. One thread. */
struct ct_setlru *ct_setlru_new(const struct ct_setlru_options *o, struct ct_error *e);
void ct_setlru_free(struct ct_setlru *s); /* NULL allowed */

/* n accesses in order, all of which allocate. set[i]: the set of line i, below sets, for
 * hashed indices (a line must always have the same set); NULL: line modulo sets.
 * mask[i]: sectors touched, NULL: all. position[i] (may be NULL) gets the line's
 * position, CT_SETLRU_MISS if it is not among the last 16. */
void ct_setlru_access(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                      const uint8_t *mask, size_t n, uint8_t *position);
void ct_setlru_flush(struct ct_setlru *s); /* empties the sets, keeps the counts */

/* Accesses so far that hit with `ways` (1 to 16) ways; of lines, and of sectors. Pure. */
uint64_t ct_setlru_hits(const struct ct_setlru *s, unsigned ways);
uint64_t ct_setlru_sector_hits(const struct ct_setlru *s, unsigned ways);
uint64_t ct_setlru_accesses(const struct ct_setlru *s);
uint64_t ct_setlru_sector_accesses(const struct ct_setlru *s);
/* 0, or CT_ERR_NOMEM if memory ran out on the way to 64-bit tags. */
int ct_setlru_check(const struct ct_setlru *s, struct ct_error *e);
size_t ct_setlru_bytes(const struct ct_setlru *s);

CT_DECLS_END

#endif
