/* watch.h - what a profile keeps for shared L1s beyond its histograms: exact misses of the
 * configured L1s, private at one, two and sixteen times their size and shared, and how
 * evenly the accesses fall on homes. Fed with the L1 accesses of the baseline replay; IM
 * records (cachetriage-profile(5)).
 *
 * Private L1s follow the GPU's write policy, shared ones write through without allocating
 * (SL-A3); a fill takes no time. L1s of more than 32 ways are left to the histograms, which
 * are exact enough there. */
#ifndef CT_MODELS_SHARED_L1_WATCH_H
#define CT_MODELS_SHARED_L1_WATCH_H

#include "gpu/gpu.h"
#include "models/shared_l1/home.h"
#include "profile/profile.h"

enum ct_sl_watched {
	CT_SL_WATCH_PRIVATE, CT_SL_WATCH_PRIVATE_2X, CT_SL_WATCH_PRIVATE_16X, CT_SL_WATCH_SHARED,
	CT_SL_WATCHED
};
/* IM items of one of them, lines: "private_read_misses" ... Static storage. */
const char *ct_sl_watch_read_item(enum ct_sl_watched w);
const char *ct_sl_watch_write_item(enum ct_sl_watched w);

struct ct_sl_watch;
/* Fails with CT_ERR_NOMEM. One thread. */
int ct_sl_watch_new(struct ct_sl_watch **w, const struct ct_gpu *g, struct ct_error *e);
void ct_sl_watch_free(struct ct_sl_watch *w); /* NULL allowed */
/* A launch begins with L1s of that shape, emptied if flushed or reshaped. */
int ct_sl_watch_kernel(struct ct_sl_watch *w, uint32_t sets, uint32_t ways, int flushed,
                       struct ct_error *e);
/* One line of one warp instruction at the L1 of an SM. */
void ct_sl_watch_l1(struct ct_sl_watch *w, uint32_t sm, uint64_t line, int is_write);
/* Appends IM records of scope all. */
int ct_sl_watch_write(const struct ct_sl_watch *w, struct ct_profile *p, struct ct_error *e);

/* Busiest over mean home in windows of 64 accesses per core, less what random accesses
 * would show: 1 when they are even. camping: the IM item home_camping. */
double ct_sl_camping_beta(double camping, unsigned cores);

#endif
