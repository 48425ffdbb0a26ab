/* sparse.h - from line to last time where addresses are sparse: buckets of one cache
 * line with five lines each. A full bucket passes lines on to the next one and says so.
 * Four segments grow by half, one at a time, so that at no time more than a quarter of
 * the lines is there twice. 16 to 27 bytes per line. Private to the room. */
#ifndef CT_LOCALITY_SPARSE_H
#define CT_LOCALITY_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "locality/sectors.h"

enum { CT_BUCKET_LINES = 5, CT_SPARSE_SEGMENTS = 4 };

struct ct_bucket {
	uint64_t line[CT_BUCKET_LINES];
	uint32_t time[CT_BUCKET_LINES]; /* 0 = empty */
	uint32_t passed_on;             /* some line of this home is in a later bucket */
};

struct ct_segment {
	struct ct_bucket *bucket;
	struct ct_sector_run *run; /* five per bucket; NULL when lines are not sectored */
	uint32_t buckets;
	uint64_t used; /* lines that ever came since the last clean-up */
};

struct ct_sparse {
	struct ct_segment segment[CT_SPARSE_SEGMENTS];
	int sectored;
	size_t bytes;
};

/* Room for about `lines` lines. 0, or -1 when out of memory. */
int ct_sparse_init(struct ct_sparse *s, int sectored, uint64_t lines);
void ct_sparse_free(struct ct_sparse *s);
void ct_sparse_flush(struct ct_sparse *s); /* keeps the memory */

/* Time of the line or NULL; *run (run may be NULL) its sectors when sectored. */
uint32_t *ct_sparse_find(const struct ct_sparse *s, uint64_t hash, uint64_t line,
                         struct ct_sector_run **run);
/* Enters a line that is not there; the caller must set its time to non-zero. Pointers
 * handed out before are void. NULL when out of memory. */
uint32_t *ct_sparse_enter(struct ct_sparse *s, uint64_t hash, uint64_t line, struct ct_sector_run **run);
/* Calls fn for the times of every bucket, n at once; those of empty places are 0. */
void ct_sparse_each(const struct ct_sparse *s, void (*fn)(void *ctx, uint32_t *time, size_t n),
                    void *ctx);

static inline uint64_t ct_sparse_hash(uint64_t line)
{
	return ct_mix64(line);
}

static inline const struct ct_segment *ct_sparse_segment(const struct ct_sparse *s, uint64_t hash)
{
	return &s->segment[hash >> 62];
}

/* Home bucket: the hash's middle bits scaled to the number of buckets. */
static inline uint64_t ct_sparse_home(const struct ct_segment *g, uint64_t hash)
{
	return (hash >> 30 & 0xffffffffu) * g->buckets >> 32;
}

#endif
