/* tags.h - what an L1 holds, without time: a set-associative array of lines with sectors.
 *
 * Sets, set hash and order of replacement are those of the GPU. Space is taken at the miss. */
#ifndef CT_MODELS_BYPASS_TAGS_H
#define CT_MODELS_BYPASS_TAGS_H

#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"

enum { CT_BP_NO_SLOT = UINT32_MAX };

struct ct_bp_tags;

/* An empty array with room for `slots` lines; shape it before use. Fails with CT_ERR_NOMEM. */
int ct_bp_tags_new(struct ct_bp_tags **t, const struct ct_gpu *g, uint32_t slots, struct ct_error *e);
void ct_bp_tags_free(struct ct_bp_tags *t); /* NULL allowed */
/* Empties it and gives it that many sets and ways, as many lines as there is room for at most. */
void ct_bp_tags_shape(struct ct_bp_tags *t, uint32_t sets, uint32_t ways);
int ct_bp_tags_has_shape(const struct ct_bp_tags *t, uint32_t sets, uint32_t ways);
void ct_bp_tags_flush(struct ct_bp_tags *t);

/* Slot of the line, or CT_BP_NO_SLOT. Pure. */
uint32_t ct_bp_tags_find(const struct ct_bp_tags *t, uint64_t line);
/* Sectors that are there of the line in the slot. Pure. */
uint32_t ct_bp_tags_sectors(const struct ct_bp_tags *t, uint32_t slot);
/* The line in the slot was asked for: with LRU it becomes the youngest of its set. */
void ct_bp_tags_touch(struct ct_bp_tags *t, uint32_t slot);
/* A place for a line that is absent, with no sector; *evicted: another had to leave it. */
uint32_t ct_bp_tags_allocate(struct ct_bp_tags *t, uint64_t line, int *evicted);
void ct_bp_tags_fill(struct ct_bp_tags *t, uint32_t slot, uint32_t sectors);
/* Sectors leave; with the last one the line does. */
void ct_bp_tags_drop(struct ct_bp_tags *t, uint32_t slot, uint32_t sectors);

#endif
