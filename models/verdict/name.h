/* name.h - what a workload is called: its trace's folder or file, without decoration. */
#ifndef CT_MODELS_VERDICT_NAME_H
#define CT_MODELS_VERDICT_NAME_H

#include <stddef.h>

#include "profile/profile.h"

enum { CT_WORKLOAD_NAME_MAX = 160 };

/* "traces/bfs/kernelslist.g.xz" is bfs, "runs/bfs.profile" and "bfs.ctz" too,
 * "bfs/kernel-3.traceg" is bfs:kernel-3. Cut to n - 1 bytes. Pure. */
void ct_workload_name_of_path(const char *path, char *out, size_t n);

/* The name of p's workload: that of its only TV workload, else of its only trace (TR),
 * else of `path`, where the profile lies. Pure. */
void ct_workload_name(const struct ct_profile *p, const char *path, char *out, size_t n);

#endif
