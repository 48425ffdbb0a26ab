/* tag_split_twin.h - the L1 organisations once more, written for obviousness: every chunk
 * is a struct, every decision a loop over all of them. Shares only the random numbers
 * with the code under test. */
#ifndef CT_TESTS_TAG_SPLIT_TWIN_H
#define CT_TESTS_TAG_SPLIT_TWIN_H

#include "models/tag_split/l1.h"

struct twin;

/* Ends the process when out of memory. */
struct twin *twin_new(const struct ct_ts_shape *s);
void twin_free(struct twin *t);
void twin_load(struct twin *t, uint64_t line, uint32_t chunks, int coarse,
               struct ct_ts_result *r);
void twin_store(struct twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r);
/* 1 if the chunk is cached. */
int twin_holds(const struct twin *t, uint64_t line, uint32_t chunk);
uint32_t twin_cached(const struct twin *t);
void twin_flush(struct twin *t);

#endif
