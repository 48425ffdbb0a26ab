/* source.h - what only the readers of this room need from a source. */
#ifndef CT_TRACE_PRIVATE_SOURCE_H
#define CT_TRACE_PRIVATE_SOURCE_H

#include "trace/source.h"

/* A run from ct_source_read() may be read (not used) this far past its end. */
enum { CT_SOURCE_SLACK = 256 };

/* Takes over an open descriptor (closed with the source). */
int ct_source_open_fd(struct ct_source **s, int fd, const char *name, const struct ct_source_options *o,
                      struct ct_error *e);
/* A source of made-up bytes: pull() puts up to cap of them into out, returns 1 with *n > 0, 0 at the end, < 0 on failure,
 * without a file's name in its text. It runs in a thread of its own unless no_thread; ctx outlives the source. */
typedef int (*ct_source_pull_fn)(void *ctx, unsigned char *out, size_t cap, size_t *n,
                                 struct ct_error *e);
int ct_source_open_pull(struct ct_source **s, const char *name, ct_source_pull_fn pull, void *ctx,
                        int no_thread, struct ct_error *e);
/* The descriptor of a source that is an uncompressed file and was peeked at, for reads at any place: the source's own,
 * its position not to be touched. -1 for any other source. */
int ct_source_plain_file(const struct ct_source *s, uint64_t *size);
/* Reads as ct_source_read() does, but leaves the file's name out of an error's text. */
int ct_source_read_bare(struct ct_source *s, const char **data, size_t *n, struct ct_error *e);
/* Reads over the rest without decompressing it, so that count and checksum are of
 * the whole file. */
int ct_source_drain(struct ct_source *s, struct ct_error *e);
/* The checksum goes on from `crc`, that of files read before. Before the first read. */
void ct_source_continue_crc(struct ct_source *s, uint64_t crc);

/* CT_OK, or CT_ERR_LIMIT when `in` compressed bytes that became `out` are past
 * max_expand (struct ct_source_options). The text holds no file name. Pure. */
int ct_source_check_expansion(uint64_t max_expand, uint64_t in, uint64_t out, struct ct_error *e);

#endif
