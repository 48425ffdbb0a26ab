/* name.h - what a workload is called: its trace's folder or file, without decoration. */
#ifndef CT_MODELS_VERDICT_NAME_H
#define CT_MODELS_VERDICT_NAME_H

#include <stddef.h>

#include "profile/profile.h"

enum { CT_WORKLOAD_NAME_MAX = 160 };

/* "traces/bfs/kernelslist.g.xz" is bfs, "runs/bfs.profile" and "bfs.ctz" too,
 * "bfs/kernel-3.traceg" is bfs:kernel-3. Cut to n - 1 bytes. "." and ".."
 * are called as the folder that they stand for. Thread-safe. */
void ct_workload_name_of_path(const char *path, char *out, size_t n);

/* The name of p's workload: that of its only TV workload, else of its only trace (TR),
 * else of `path`, where the profile lies. Thread-safe. */
void ct_workload_name(const struct ct_profile *p, const char *path, char *out, size_t n);

/* Makes names distinct, in their order: of equal ones the first stays and the others become name#2, name#3
 * ..., past what is called so already. name_of gives the i-th of n, of CT_WORKLOAD_NAME_MAX bytes, that is
 * changed in place, or NULL for one that does not count. Fails with CT_ERR_NOMEM. */
int ct_workload_distinguish(size_t n, char *(*name_of)(void *ctx, size_t i), void *ctx,
                            struct ct_error *e);

/* The name before a #K that ct_workload_distinguish() may have put behind it: its length, and *k; 0 where
 * there is none. Pure. */
size_t ct_workload_numbered(const char *name, unsigned *k);

#endif
