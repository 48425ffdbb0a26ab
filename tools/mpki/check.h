/* check.h - mpki --check: the analytic answer and the replay's, side by side. */
#ifndef CT_TOOLS_MPKI_CHECK_H
#define CT_TOOLS_MPKI_CHECK_H

#include "base/buf.h"
#include "common/stage.h"

struct mpki_check_row {
	char *scope;
	const char *metric, *key; /* key: GPU parameter that the figure belongs to */
	double replay, analytic;
};
/* Zero-initialise. */
struct mpki_check {
	struct mpki_check_row *row;
	size_t n, cap;
};

/* On the profile's own GPU: the histograms' miss rates and the closed network without its
 * anchor, beside what the profile holds. On a changed GPU (any SM count, cache sizes,
 * latencies, bandwidths): the trace is replayed on it, the new profile takes the old one's
 * place, and the analytic answer is the one that the old profile gives. Appends SW records
 * of the analytic answer. Fails as ct_stage_replay() does. */
int mpki_check(struct ct_tool *t, struct ct_stage *s, struct mpki_check *c, struct ct_error *e);
void mpki_check_print(const struct mpki_check *c, struct ct_buf *b);
void mpki_check_free(struct mpki_check *c);

/* --method analytic: the rates by the histograms, in the place of the replay's. */
int mpki_replace_by_analytic(struct ct_stage *s, struct ct_error *e);

#endif
