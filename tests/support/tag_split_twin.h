/* tag_split_twin.h - the L1 organisations once more, written for obviousness: every chunk
 * is a struct, every decision a loop over all of them. Shares only the random numbers
 * with the code under test. */
#ifndef CT_TESTS_TAG_SPLIT_TWIN_H
#define CT_TESTS_TAG_SPLIT_TWIN_H

#include "models/tag_split/l1.h"

struct ts_twin;

/* Ends the process when out of memory. */
struct ts_twin *ts_twin_new(const struct ct_ts_shape *s);
void ts_twin_free(struct ts_twin *t);
void ts_twin_load(struct ts_twin *t, uint64_t line, uint32_t chunks, int coarse, struct ct_ts_result *r);
void ts_twin_store(struct ts_twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r);
/* 1 if the chunk is cached. */
int ts_twin_holds(const struct ts_twin *t, uint64_t line, uint32_t chunk);
uint32_t ts_twin_cached(const struct ts_twin *t);
void ts_twin_flush(struct ts_twin *t);

#endif
