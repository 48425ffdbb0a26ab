/* camping.h - home camping: how unevenly accesses fall on homes in short windows (reading home-camping). */
#ifndef CT_MODELS_SHARED_L1_CAMPING_H
#define CT_MODELS_SHARED_L1_CAMPING_H

#include <stdint.h>

struct ct_sl_camping {
	unsigned cores;
	uint64_t *window; /* accesses of each home in the present window */
	uint64_t in_window, windows;
	double sum; /* over whole windows: busiest over mean home */
};
/* CT_OK or CT_ERR_NOMEM. The caller frees. */
int ct_sl_camping_init(struct ct_sl_camping *c, unsigned cores);
void ct_sl_camping_free(struct ct_sl_camping *c);
/* An access that this home serves. */
void ct_sl_camping_add(struct ct_sl_camping *c, unsigned home);
/* Mean over windows of 64 accesses per core; NaN without a whole one. */
double ct_sl_camping_mean(const struct ct_sl_camping *c);

/* That mean without what random accesses would show as well: 1 when homes are even. */
double ct_sl_camping_beta(double mean, unsigned cores);

#endif
