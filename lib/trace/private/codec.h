/* codec.h - decoders behind ct_source: raw bytes in, decompressed bytes out. */
#ifndef CT_TRACE_PRIVATE_CODEC_H
#define CT_TRACE_PRIVATE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where a decoder gets its raw bytes: the part not yet consumed is [next, next+avail).
 * refill makes avail > 0, or returns 0 at the end, < 0 on failure. */
struct ct_raw {
	const unsigned char *next;
	size_t avail;
	uint64_t offset; /* of next in the raw file */
	int (*refill)(struct ct_raw *r, struct ct_error *e);
};

struct ct_codec;

struct ct_codec_ops {
	const char *name; /* "plain" "xz" "gz" "zst" */
	struct ct_codec *(*open)(struct ct_error *e);
	/* Decodes up to cap bytes into out: *n > 0 and returns 1, or 0 at a clean end, or
	 * < 0. Bytes decoded before a failure are delivered first. The failure's text
	 * holds no file name. */
	int (*read)(struct ct_codec *c, struct ct_raw *r, unsigned char *out, size_t cap, size_t *n,
	            struct ct_error *e);
	void (*close)(struct ct_codec *c);
};

/* The decoder for data that starts with the n (up to 6) bytes at p. Pure. */
const struct ct_codec_ops *ct_codec_sniff(const unsigned char *p, size_t n);
enum { CT_CODEC_MAGIC = 6 };

#endif
