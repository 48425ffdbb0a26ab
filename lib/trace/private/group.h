/* group.h - interleaved instructions of many warps, sorted by launch, CTA and warp.
 *
 * Raw traces and logs list the warps as the GPU delivered them. Each warp's
 * instructions are packed as they come, in memory up to the store's budget and then in
 * its file; when all is read, the warps are handed out in order. One thread. */
#ifndef CT_TRACE_PRIVATE_GROUP_H
#define CT_TRACE_PRIVATE_GROUP_H

#include "base/index.h"
#include "trace/private/accelsim.h"

enum { CT_GROUP_WARPS = 2 << 20 }; /* at most; about 600 MB of bookkeeping */

struct ct_group_warp {
	uint64_t cta;  /* any number that orders the CTAs of a launch */
	uint64_t line; /* for the user */
	uint32_t launch, warp;
	uint32_t bytes, cap, segments;
	unsigned char *buffer;
	struct ct_segment *segment;
	struct ct_stream stream;
};

struct ct_group {
	struct ct_store *store; /* lent */
	uint64_t budget;
	struct ct_group_warp *warp;
	size_t warps, cap;
	struct ct_index index; /* by launch, CTA and warp */
	uint64_t unsealed;     /* bytes in buffers */
	uint32_t *order;       /* warps in order, once all is read */
	unsigned char scratch[3 * CT_PACK_RECORD_MAX];
};

/* max_memory: as in struct ct_trace_options; half of it may be in buffers. */
void ct_group_init(struct ct_group *g, struct ct_store *s, uint64_t max_memory);
void ct_group_free(struct ct_group *g);
/* The warp, new if need be; valid until the next call. NULL: out of memory, or
 * g->warps is CT_GROUP_WARPS. */
struct ct_group_warp *ct_group_find(struct ct_group *g, uint32_t launch, uint64_t cta, uint32_t warp);
/* Where ct_stream_put() may write the warp's next instruction; then its end goes to
 * ct_group_keep(). */
struct ct_span ct_group_span(struct ct_group *g, struct ct_group_warp *w);
int ct_group_keep(struct ct_group *g, struct ct_group_warp *w, const unsigned char *end,
                  struct ct_error *e);
/* All is read: stores what is left and sorts. Fails with CT_ERR_NOMEM, CT_ERR_IO. */
int ct_group_complete(struct ct_group *g, struct ct_error *e);
/* End of the CTA that starts at order[first]. */
size_t ct_group_cta_end(const struct ct_group *g, size_t first);
/* The warps order[first, last) make a CTA of l, whose index is the first one's `cta`;
 * their segments become its own. NULL: out of memory. */
struct ct_cta *ct_group_cta(struct ct_group *g, size_t first, size_t last, struct ct_launch *l);

#endif
