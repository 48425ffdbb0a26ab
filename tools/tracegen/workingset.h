/* workingset.h - the trace of a kernel that reads a working set again and again, made from parameters instead of
 * by running it. */
#ifndef CT_TRACEGEN_WORKINGSET_H
#define CT_TRACEGEN_WORKINGSET_H

#include <signal.h>
#include <stdint.h>

#include "data/workloads/app.h"
#include "trace/folder.h"

/* Parameters (man page, WORKINGSET); 0 = not given. */
struct workingset_options {
	uint64_t footprint; /* bytes that one pass reads */
	uint64_t sharing;   /* CTAs that read the same slice */
	uint64_t stride;    /* bytes between neighbouring elements */
	uint64_t intensity; /* FFMA per element */
	uint64_t passes;    /* launches */
	uint64_t ctas;      /* CTAs of a launch */
	int given;          /* any of them was on the command line */
};

struct workingset {
	struct workingset_options options;
	enum app_size size; /* of what is not given; not APP_PAPER */
	uint64_t seed;
	int values;                        /* write what is in touched memory too */
	const volatile sig_atomic_t *stop; /* set from outside: give up at the next CTA */
};

/* Writes the copy and the launches into a trace that was begun in `sink`; *warp_insts counts them. Fails
 * with CT_ERR_USAGE (parameters that do not fit together), CT_ERR_NOMEM, CT_ERR_IO. */
int workingset_trace(const struct workingset *w, struct ct_folder *sink, uint64_t *warp_insts,
                     struct ct_error *e);

#endif
