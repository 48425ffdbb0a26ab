/* streams.h - what the streams of a trace hold, each for itself. */
#ifndef CT_TRACEINFO_STREAMS_H
#define CT_TRACEINFO_STREAMS_H

#include "profile/profile.h"
#include "traceinfo/census.h"

/* A stream in the order in which they come up; distinct lines and sectors of its counts are left at 0. */
struct stream_counts {
	uint64_t id, launches;
	struct census_counts counts;
};

/* Zero-initialise. */
struct streams {
	struct stream_counts *stream; /* owned */
	size_t n, cap;
};

/* Adds a kernel to its stream. Fails with CT_ERR_NOMEM. */
int streams_add(struct streams *s, uint64_t id, const struct census_counts *kernel, struct ct_error *e);
void streams_free(struct streams *s);

#endif
