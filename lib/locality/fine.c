#include "locality/fine.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "locality/hist.h"

enum { EXACT_BITS = 12, EXACT = 1 << EXACT_BITS, OCTAVE_BITS = 8, GROUP = 64 };

static size_t bin_of(uint64_t d)
{
	if (d < EXACT)
		return (size_t)d;
	unsigned octave = ct_high_bit(d);
	return EXACT + ((size_t)(octave - EXACT_BITS) << OCTAVE_BITS) +
	       (size_t)(d >> (octave - OCTAVE_BITS) & ((1 << OCTAVE_BITS) - 1));
}

/* First distance of a bin, as a real number: the end of the last one is 2^64. */
static double start_of(size_t bin)
{
	if (bin < EXACT)
		return (double)bin;
	size_t k = bin - EXACT, width = k >> OCTAVE_BITS;
	double at = (double)((1 << OCTAVE_BITS) + (k & ((1 << OCTAVE_BITS) - 1)));
	for (size_t i = 0; i < width + EXACT_BITS - OCTAVE_BITS; i++)
		at *= 2;
	return at;
}

void ct_fine_free(struct ct_fine *h)
{
	free(h->count);
	free(h->group);
	memset(h, 0, sizeof *h);
}

/* Room for `bins` bins, the new ones zero. */
static int grow_bins(struct ct_fine *h, size_t bins)
{
	size_t groups = (bins + GROUP - 1) / GROUP;
	bins = groups * GROUP;
	if (ct_grow((void **)&h->count, &h->bin_cap, bins, sizeof *h->count) < 0 ||
	    ct_grow((void **)&h->group, &h->group_cap, groups, sizeof *h->group) < 0)
		return -1;
	memset(h->count + h->bins, 0, (bins - h->bins) * sizeof *h->count);
	memset(h->group + h->groups, 0, (groups - h->groups) * sizeof *h->group);
	h->bins = bins;
	h->groups = groups;
	return 0;
}

int ct_fine_add(struct ct_fine *h, const uint64_t *distance, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (distance[i] == CT_COLD)
			continue;
		size_t bin = bin_of(distance[i]);
		if (bin >= h->bins && grow_bins(h, bin + 1) < 0)
			return -1;
		h->count[bin]++;
		h->group[bin / GROUP]++;
	}
	return 0;
}

/* The bin that holds a capacity that is no more than the last bin's end. */
static size_t cut_bin(const struct ct_fine *h, double capacity)
{
	size_t low = 0, high = h->bins; /* starts at or before; starts behind */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (start_of(middle) <= capacity)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double ct_fine_hits(const struct ct_fine *h, double capacity)
{
	uint64_t sum = 0;
	if (h->bins == 0 || !(capacity > 0))
		return 0;
	size_t bin = cut_bin(h, capacity);
	for (size_t i = 0; i < bin / GROUP; i++)
		sum += h->group[i];
	for (size_t i = bin / GROUP * GROUP; i < bin; i++)
		sum += h->count[i];
	double start = start_of(bin), part = (capacity - start) / (start_of(bin + 1) - start);
	return (double)sum + (double)h->count[bin] * (part < 1 ? part : 1);
}

size_t ct_fine_bytes(const struct ct_fine *h)
{
	return h->bin_cap * sizeof *h->count + h->group_cap * sizeof *h->group;
}
