/* seen.h - lines that an L1 has once had: what an L1 that forgets nothing holds. */
#ifndef CT_MODELS_BYPASS_SEEN_H
#define CT_MODELS_BYPASS_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"

enum { CT_BP_NO_LINE = UINT32_MAX };

struct ct_bp_seen_line {
	uint64_t line;
	uint32_t have, asked; /* sectors that are there, that are on their way */
	uint32_t waiting;     /* the caller's; CT_BP_NO_LINE in a new line */
};

/* Zero-initialise. */
struct ct_bp_seen {
	struct ct_index index;
	struct ct_bp_seen_line *line;
	size_t cap;
	uint32_t lines;
};

/* Number of the line, entering it if new; CT_BP_NO_LINE when out of memory. */
uint32_t ct_bp_seen_enter(struct ct_bp_seen *s, uint64_t line);
void ct_bp_seen_free(struct ct_bp_seen *s);

#endif
