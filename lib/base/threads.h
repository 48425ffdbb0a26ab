/* threads.h - the little threading the library needs, on POSIX threads. */
#ifndef CT_BASE_THREADS_H
#define CT_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* Number of worker threads for the user's -@ value: 0 means all cores online,
 * never less than 1. */
unsigned ct_threads_resolve(unsigned asked);

/* A lock and what its holders wait for. Returns 0, or -1 where the system has no memory for them; the caller ends them with
 * ct_lock_free(). */
int ct_lock_init(pthread_mutex_t *lock, pthread_cond_t *changed);
void ct_lock_free(pthread_mutex_t *lock, pthread_cond_t *changed);

/* Calls fn(ctx, i) for every i in [0, n), on up to `threads` threads with work
 * handed out in order. Returns when all are done. When a thread cannot be
 * started its share is done by the others, so it cannot fail. fn must be
 * thread-safe; results that depend only on i keep the output deterministic. */
void ct_parallel_for(unsigned threads, size_t n, void (*fn)(void *ctx, size_t i), void *ctx);

CT_DECLS_END

#endif
