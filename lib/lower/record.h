/* record.h - what a launch executes becomes CTAs of machine instructions. Private. */
#ifndef CT_LOWER_RECORD_H
#define CT_LOWER_RECORD_H

#include "base/keyed.h"
#include "lower/stream.h"
#include "ptx/emulate.h"

struct ct_lower_recorder;

/* Where CTAs go. Takes over `made`, which belongs to the caller again only after a failure. Negative
 * statuses end the launch. */
typedef int (*ct_lower_cta_fn)(void *ctx, struct ct_lower_made *made, struct ct_error *e);
/* Where the places for CTAs come from: NULL when out of memory. */
typedef struct ct_lower_made *(*ct_lower_place_fn)(void *ctx);

/* Addresses first..end - 1 that the trace moves by delta, modulo 2^64. */
struct ct_lower_alias {
	uint64_t first, end, delta;
};

struct ct_lower_recording {
	const struct ct_lower_program *program; /* described to `maker` */
	struct ct_cta_maker *maker;
	const struct ct_ptx_observer *also; /* called too; may be NULL */
	uint64_t shared_base, local_base;   /* windows that generic addresses lie in */
	const struct ct_lower_alias *alias;
	size_t aliases;
	struct ct_keyed *
		touched; /* numbers of lines of global memory that are touched, each plus 1; NULL: they are
	                           * not remembered */
	size_t unpacked_most; /* bytes of a CTA that is handed on as streams: larger ones are packed */
	ct_lower_place_fn place;
	ct_lower_cta_fn put;
	void *ctx; /* of both */
};

/* *out is the caller's, to be freed. Fails with CT_ERR_NOMEM. */
CT_NODISCARD int ct_lower_recorder_new(struct ct_lower_recorder **out,
                                       const struct ct_lower_recording *r, struct ct_error *e);
void ct_lower_recorder_free(struct ct_lower_recorder *r); /* NULL allowed */
/* What a launch tells its events to; valid as long as the recorder. */
const struct ct_ptx_observer *ct_lower_recorder_observer(const struct ct_lower_recorder *r);
/* What a line of 128 bytes of global memory holds. */
typedef int (*ct_lower_line_fn)(void *ctx, uint64_t address, const unsigned char line[128],
                                struct ct_error *e);
/* Calls put with each line that launches touched whose recorders have r->touched, by rising addresses, as it is now: its address in the
 * trace, and zeros for what no allocation of `memory` (may be NULL) or variable has. Ends at the first failure,
 * and fails with CT_ERR_NOMEM. */
CT_NODISCARD int
ct_lower_recorder_lines(const struct ct_lower_recorder *r, const struct ct_ptx_memory *memory,
                        ct_lower_line_fn put, void *ctx, struct ct_error *e);

#endif
