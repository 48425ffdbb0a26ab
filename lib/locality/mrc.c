#include "locality/mrc.h"

#include <math.h>

static double hits_of(const struct ct_hist *h, double lines, unsigned ways)
{
	if (!h)
		return 0;
	return ways ? ct_hist_hits_assoc(h, lines, ways) : ct_hist_hits(h, lines);
}

/* gpu.h: above, a change of size keeps the sets. */
enum { MANY_WAYS = 32 };

struct ct_cache_shape ct_cache_shape(uint64_t bytes, uint32_t line, uint32_t sets, uint32_t ways)
{
	struct ct_cache_shape c = {.lines = line ? (double)bytes / line : 0, .ways = ways};
	if (ways > MANY_WAYS && sets > 0) {
		double w = c.lines / sets;
		c.ways = w < 1 ? 1 : w < (double)UINT32_MAX ? (unsigned)w : UINT32_MAX;
	}
	return c;
}

uint64_t ct_mrc_accesses(const struct ct_mrc_input *in)
{
	return (in->reads ? ct_hist_total(in->reads) : 0) + (in->writes ? ct_hist_total(in->writes) : 0);
}

double ct_mrc_misses(const struct ct_mrc_input *in, double lines, unsigned ways)
{
	double misses = (double)ct_mrc_accesses(in) - hits_of(in->reads, lines, ways) -
	                hits_of(in->writes, lines, ways);
	return misses > 0 ? misses : 0;
}

double ct_mrc_ratio(const struct ct_mrc_input *in, double lines, unsigned ways)
{
	uint64_t n = ct_mrc_accesses(in);
	return n ? ct_mrc_misses(in, lines, ways) / (double)n : NAN;
}

size_t ct_mrc_capacities(double max_lines, unsigned per_octave, double *lines, size_t n)
{
	double last = 0;
	size_t count = 0;
	if (per_octave == 0)
		per_octave = 1;
	for (unsigned i = 0; i < 60 * per_octave; i++) {
		/* Linear steps within an octave, as the histogram's bins. */
		double octave = ldexp(16, (int)(i / per_octave));
		double c = floor(octave + octave * (i % per_octave) / per_octave);
		if (c > last) {
			if (count < n)
				lines[count] = c;
			count++;
			last = c;
		}
		if (c >= max_lines)
			break;
	}
	return count;
}

double ct_mrc_misses_sliced(const struct ct_mrc_input *in, double lines, unsigned ways,
                            const double *share, size_t n)
{
	double misses = 0;
	for (size_t i = 0; i < n; i++)
		if (share[i] > 0)
			misses += share[i] * ct_mrc_misses(in, lines / (double)n / share[i], ways);
	return misses;
}

void ct_mrc_shares(double beta, double *share, size_t n)
{
	beta = beta > 1 ? beta < 2 ? beta : 2 : 1;
	for (size_t i = 0; i < n; i++) {
		double at = n > 1 ? 2 * (double)i / (double)(n - 1) - 1 : 0; /* -1 to 1 */
		share[i] = (1 + at * (beta - 1)) / (double)n;
	}
}

struct ct_mrc_filtered ct_mrc_filtered_llc(const struct ct_mrc_input *merged, double llc_accesses,
                                           double l1_lines, double llc_lines, unsigned ways)
{
	struct ct_mrc_filtered r = {NAN, NAN, NAN, llc_lines > l1_lines};
	double misses = ct_mrc_misses(merged, llc_lines, ways);
	if (!(llc_accesses > 0))
		return r;
	r.ratio = misses < llc_accesses ? misses / llc_accesses : 1;
	r.low = r.high = r.ratio;
	if (!r.valid) {
		double direct = ct_mrc_ratio(merged, llc_lines, ways);
		r.low = direct < r.ratio ? direct : r.ratio;
		r.high = 1;
	}
	return r;
}
