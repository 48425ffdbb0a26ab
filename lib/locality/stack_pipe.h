/* stack_pipe.h - a batch of plain touches on two threads. Private to the room. */
#ifndef CT_LOCALITY_STACK_PIPE_H
#define CT_LOCALITY_STACK_PIPE_H

#include "locality/fast.h"

/* Accesses below which a second thread does not pay. */
enum { CT_PIPE_LEAST = 4 * CT_FAST_CHUNK };

/* As touch_batch. Returns how many accesses were done: 0 where no thread could be had,
 * fewer than n when memory ran out (the stack has then failed). */
size_t ct_stack_pipe(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance);

#endif
