/* kernels.h - the kernels of a profile, ranked: launches of one name together. */
#ifndef CT_TOOLS_COMMON_KERNELS_H
#define CT_TOOLS_COMMON_KERNELS_H

#include "base/table.h"
#include "profile/profile.h"

struct ct_kernel_rank {
	const char *scope; /* "name:..." , the profile's */
	char *name;        /* for people: the bare one of a mangled or demangled C++ name */
	const char *
		first; /* number of its first launch, as -k takes it, or "-": tells kernels apart whose names were cut */
	uint64_t launches;
	double cycles;                                /* without launches */
	double share;                                 /* of all cycles so */
	double l1_miss_rate, llc_miss_rate, llc_mpki; /* NaN: not known */
};

/* Adds the cell of a scope: "name:sum<256>" of a C++ kernel, others as they are. */
void ct_kernel_scope_cell(struct ct_table *t, const char *scope);

/* The kernels of p by cycles, most first: *n of them in *out, which is the caller's (ct_kernels_free()). Fails with
 * CT_ERR_NOMEM. p outlives them. */
int ct_kernels_rank(const struct ct_profile *p, struct ct_kernel_rank **out, size_t *n);
void ct_kernels_free(struct ct_kernel_rank *k, size_t n);

/* What limits a scope: "DRAM bandwidth (82 % busy)", "latency (L1 ports 41 % busy)", "-" where p does not tell. CT_OK or
 * CT_ERR_NOMEM. */
enum { CT_KERNEL_LIMIT = 96 };
int ct_kernel_limit(const struct ct_profile *p, const char *scope, char *text, size_t n);

#endif
