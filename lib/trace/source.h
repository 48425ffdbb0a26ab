/* source.h - a stream of decompressed bytes from a file, a pipe or memory.
 *
 * Plain, .xz, .gz and .zst (several streams or frames, long windows) are told
 * apart by their magic bytes, never by name. Decompression runs on a thread of
 * its own. */
#ifndef CT_TRACE_SOURCE_H
#define CT_TRACE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "trace/keep.h"

CT_DECLS_BEGIN

struct ct_source;

struct ct_source_options {
	struct ct_keep *keep; /* gets what is read of the path that it keeps, and is read in its place
	                         when it has all of it; NULL: nothing is kept. Must outlive the source */
	int no_thread;        /* decompress in the caller's thread */
	uint64_t max_expand;  /* refuse to decompress to more bytes than this; 0 = the larger of
	                        CT_EXPAND_FLOOR and CT_EXPAND_RATIO times the compressed bytes */
};

/* Traces of long arithmetic loops reach 3300 with xz -9 (tracegen workingset --intensity
 * 512), so only what is both large and beyond that is refused. */
#define CT_EXPAND_FLOOR (UINT64_C(16) << 30)
#define CT_EXPAND_RATIO 4000

/* Opens path ("-": standard input). *s is owned by the caller. Fails with
 * CT_ERR_IO, CT_ERR_NOMEM; o may be NULL. */
int ct_source_open(struct ct_source **s, const char *path, const struct ct_source_options *o,
                   struct ct_error *e);
/* The same over n bytes of memory that outlive the source; name is for messages. */
int ct_source_open_memory(struct ct_source **s, const char *name, const void *p, size_t n,
                          struct ct_error *e);

/* Next run of decompressed bytes: 1 with *data, *n (valid until the next call), 0 at
 * the end, < 0 on failure (CT_ERR_IO, CT_ERR_INPUT for damaged or cut compressed
 * data; the bytes before the damage have been handed out first). */
int ct_source_read(struct ct_source *s, const char **data, size_t *n, struct ct_error *e);

/* Looks at the first up to `want` (at most 64 KiB) decompressed bytes without
 * consuming them; *n is less only at the end of the stream. For sniffing. */
int ct_source_peek(struct ct_source *s, size_t want, const char **data, size_t *n, struct ct_error *e);

const char *ct_source_name(const struct ct_source *s);   /* path as given, "-" */
const char *ct_source_format(const struct ct_source *s); /* "plain" "xz" "gz" "zst" */
/* Raw (compressed) bytes read so far and their CRC-64, complete after the end. */
uint64_t ct_source_raw_bytes(const struct ct_source *s);
uint64_t ct_source_raw_crc64(const struct ct_source *s);
void ct_source_close(struct ct_source *s); /* NULL allowed */

/* What the content of an input looks like. */
enum ct_kind {
	CT_KIND_EMPTY,
	CT_KIND_KERNELSLIST, /* kernelslist or kernelslist.g */
	CT_KIND_ACCELSIM,    /* .traceg or .trace text */
	CT_KIND_CTZ,         /* packed */
	CT_KIND_NVBIT,       /* mem_trace log */
	CT_KIND_PROFILE,     /* #cachetriage-profile */
	CT_KIND_TRACEZ,      /* Accel-Sim text in frames with an index */
	CT_KIND_JSON,        /* refused by name */
	CT_KIND_BINARY,      /* unknown binary */
	CT_KIND_TEXT         /* unknown text (needs --pattern) */
};

/* Classifies by the first bytes (peeks). Fails as ct_source_peek does. */
int ct_source_sniff(struct ct_source *s, enum ct_kind *kind, struct ct_error *e);

CT_DECLS_END

#endif
