/* sample_stats.h - means with intervals, for pass_sample.c. */
#ifndef CT_TOOLS_SAMPLE_STATS_H
#define CT_TOOLS_SAMPLE_STATS_H

/* Welford's running mean and sum of squared differences. Zero-initialise. */
struct ct_spread {
	unsigned n;
	double mean, m2;
};
void ct_spread_add(struct ct_spread *s, double v);
/* Half-width of the 95 % interval of the mean (Student's t); infinite below two values. */
double ct_spread_half(const struct ct_spread *s);

#endif
