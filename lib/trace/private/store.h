/* store.h - where packed instruction streams live: memory up to a budget, then an
 * unlinked file in TMPDIR. Shared by a reader and the CTAs it handed out; thread-safe. */
#ifndef CT_TRACE_PRIVATE_STORE_H
#define CT_TRACE_PRIVATE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ct_store;

/* A piece of packed stream; never changes once put. */
struct ct_segment {
	unsigned char *memory; /* NULL: in the file */
	uint64_t offset;       /* in the file */
	uint32_t bytes;
};

enum { CT_SEGMENT_MAX = 64 * 1024 };

/* A file without a name in TMPDIR, the caller's to close; < 0 with errno. */
int ct_store_nameless(void);
/* New store with one reference; 0 means the default of 1 GiB. NULL: out of memory. */
struct ct_store *ct_store_new(uint64_t max_memory);
struct ct_store *ct_store_ref(struct ct_store *s);
void ct_store_unref(struct ct_store *s); /* NULL allowed */

/* Stores n (1..CT_SEGMENT_MAX) bytes. Fails with CT_ERR_NOMEM or CT_ERR_IO (the
 * temporary file: full disk ...). */
int ct_store_put(struct ct_store *s, const void *p, size_t n, struct ct_segment *seg,
                 struct ct_error *e);
/* Gives the segment's memory or file space back. */
void ct_store_drop(struct ct_store *s, struct ct_segment *seg);
/* Reads n bytes of a segment in the file from `at`. Fails with CT_ERR_IO. */
int ct_store_read(struct ct_store *s, const struct ct_segment *seg, uint32_t at, void *p, size_t n,
                  struct ct_error *e);
uint64_t ct_store_spilled(struct ct_store *s);  /* bytes ever written to the file */
uint64_t ct_store_resident(struct ct_store *s); /* bytes in memory now */

#endif
