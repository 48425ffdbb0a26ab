/* fine.h - histograms of a sample's distances: bins of one below 4096, then 256 per
 * octave. The bins of hist.h, 16 per octave, would blur the end of a curve and its steps
 * more than the sample does. They grow with the distances. Private to the room. */
#ifndef CT_LOCALITY_FINE_H
#define CT_LOCALITY_FINE_H

#include <stddef.h>
#include <stdint.h>

/* Zero is empty. */
struct ct_fine {
	uint64_t *count, *group; /* per bin; per 64 bins, so that sums are short */
	size_t bins, bin_cap, groups, group_cap;
};

void ct_fine_free(struct ct_fine *h);
/* Adds n distances; CT_COLD is left out. 0, or -1 when out of memory. */
int ct_fine_add(struct ct_fine *h, const uint64_t *distance, size_t n);
/* Accesses with distance < capacity; a bin that the capacity cuts is split linearly. Pure. */
double ct_fine_hits(const struct ct_fine *h, double capacity);
size_t ct_fine_bytes(const struct ct_fine *h);

#endif
