/* sample.h - how far what a sample of a trace tells of the whole may be off (doc/sampling.md). */
#ifndef CT_PASS_SAMPLE_H
#define CT_PASS_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

/* What is measured of each unit of a sample, per warp instruction. */
enum ct_sample_rate {
	CT_SAMPLE_CYCLES,
	CT_SAMPLE_L1_MISSES,
	CT_SAMPLE_L1_ACCESSES,
	CT_SAMPLE_LLC_MISSES,
	CT_SAMPLE_LLC_ACCESSES,
	CT_SAMPLE_RATES
};

/* A wave of CTAs, or a launch. */
struct ct_sample_unit {
	size_t stratum;
	double rate[CT_SAMPLE_RATES];
};

/* Waves of one launch, or launches of one kind, some of which stand for the others. */
struct ct_sample_stratum {
	uint64_t kernel; /* ct_sample_name() of its launches' kernel */
	uint32_t launch; /* that it is of; 0: of several */
	double rest;     /* warp instructions that its units stand for, their own included */
	double measured; /* of them in its units */
	double drift
		[CT_SAMPLE_RATES]; /* what the rates were before its units less theirs, in the mean */
};

/* What one engine has measured. Zero-initialise; engines that replay one sample have the same strata and units. */
struct ct_sample_series {
	struct ct_sample_unit *unit;
	struct ct_sample_stratum *stratum;
	size_t n, cap, n_strata, cap_strata;
	double cycles; /* of the whole trace as the sample tells, without launches */
};
void ct_sample_free(struct ct_sample_series *s); /* leaves it as zeroed */
/* Fail with CT_ERR_NOMEM. */
int ct_sample_add_stratum(struct ct_sample_series *s, const struct ct_sample_stratum *x, size_t *index,
                          struct ct_error *e);
int ct_sample_add_unit(struct ct_sample_series *s, const struct ct_sample_unit *u, struct ct_error *e);

/* A number for a kernel's name. Pure. */
uint64_t ct_sample_name(const char *kernel);

/* Which strata a number is of; zeroed: all. */
struct ct_sample_scope {
	uint64_t kernel;
	uint32_t launch;
};

/* Half the width of the 90 % interval of the sum over all instructions of weight times rate: Student's t with
 * Welch and Satterthwaite's degrees of freedom over the differences between the units of each stratum, less what the
 * sample has of each, and what drifts. 0 where nothing was left out; infinite where a stratum has one unit. NaN when
 * memory is short. */
double ct_sample_half(const struct ct_sample_series *s, const double weight[CT_SAMPLE_RATES],
                      struct ct_sample_scope scope);
/* The same of the logarithm of a's cycles over b's, from the differences between them in each unit. NaN, too, where the
 * two are not of one sample. */
double ct_sample_ratio_half(const struct ct_sample_series *a, const struct ct_sample_series *b);

CT_DECLS_END

#endif
