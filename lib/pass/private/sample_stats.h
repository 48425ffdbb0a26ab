/* sample_stats.h - means with intervals, for sampler.c. */
#ifndef CT_PASS_PRIVATE_SAMPLE_STATS_H
#define CT_PASS_PRIVATE_SAMPLE_STATS_H

/* Welford's running mean and sum of squared differences. Zero-initialise. */
struct ct_pass_spread {
	unsigned n;
	double mean, m2;
};
void ct_pass_spread_add(struct ct_pass_spread *s, double v);
/* Half-width of the 95 % interval of the mean (Student's t); infinite below two values. */
double ct_pass_spread_half(const struct ct_pass_spread *s);

#endif
