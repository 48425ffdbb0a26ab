/* keep.h - what comes through a pipe, kept so that it can be read again. */
#ifndef CT_TRACE_KEEP_H
#define CT_TRACE_KEEP_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* One input that can be read only once. A source whose options name it copies the bytes that it reads, as they come, into
 * a nameless file in TMPDIR; when all of them are there, the path is opened from that file. What is larger than the limit,
 * finds no room, or begins as a profile is not kept, which is no failure. Zeroed, it keeps nothing. */
struct ct_keep {
	char path[4096]; /* "": nothing is to be kept */
	int fd, opened;
	uint64_t bytes, limit;
	int failed, complete;
};

/* Keeps `path` ("-": standard input) where it is a pipe, up to `limit` bytes. *k is the caller's to end. */
void ct_keep_begin(struct ct_keep *k, const char *path, uint64_t limit);
/* The next n bytes of it; 0: that was the end. By the one source that reads it. */
void ct_keep_add(struct ct_keep *k, const void *p, size_t n);
/* 1 when `path` is kept as a whole. k may be NULL. */
int ct_keep_has(const struct ct_keep *k, const char *path);
/* A descriptor of the caller's that reads it from its beginning, one at a time; < 0 with errno. */
int ct_keep_open(const struct ct_keep *k);
void ct_keep_end(struct ct_keep *k);

CT_DECLS_END

#endif
