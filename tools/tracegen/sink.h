/* sink.h - the folder that a trace is written to: complete or absent.
 *
 * Everything goes to a temporary folder beside the final one, which takes its name
 * when all is written. */
#ifndef CT_TRACEGEN_SINK_H
#define CT_TRACEGEN_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "trace/record.h"

struct simt_sink;

enum simt_compress { SIMT_ZSTD, SIMT_PLAIN };

struct simt_sink_options {
	enum simt_compress compress;
	int force; /* replace an earlier tracegen output */
};

/* Prepares to write folder `path`. Refuses (CT_ERR_USAGE) a path that exists, unless it
 * is an empty folder, or a tracegen output and o->force. Fails with CT_ERR_IO,
 * CT_ERR_NOMEM. The caller ends it with simt_sink_commit() or simt_sink_abort(). */
int simt_sink_open(struct simt_sink **s, const char *path, const struct simt_sink_options *o,
                   struct ct_error *e);
/* Starts a trace: at the top (name NULL) or in the sub-folder `name`. `about` is
 * what tracegen.txt says of it. */
int simt_sink_begin(struct simt_sink *s, const char *name, const char *about, struct ct_error *e);
int simt_sink_memcpy(struct simt_sink *s, uint64_t address, uint64_t bytes, struct ct_error *e);
/* A kernel: its file gets the next number and the header of *k, whose header_id is set. */
int simt_sink_kernel_begin(struct simt_sink *s, struct ct_kernel *k, struct ct_error *e);
int simt_sink_write(struct simt_sink *s, const void *p, size_t n, struct ct_error *e);
int simt_sink_kernel_end(struct simt_sink *s, struct ct_error *e);
/* After a kernel: contents of memory lines at its end go to kernel-N.blocks (8 bytes of address, 128
 * of data, as bdi reads them), by simt_sink_write() and simt_sink_kernel_end(). */
int simt_sink_blocks_begin(struct simt_sink *s, struct ct_error *e);
/* One such record. */
int simt_sink_block(struct simt_sink *s, uint64_t address, const unsigned char line[128],
                    struct ct_error *e);
/* Ends the trace begun last: writes its kernelslist.g and tracegen.txt. */
int simt_sink_end(struct simt_sink *s, struct ct_error *e);
/* Puts the folder in its place. Frees s in every case; nothing is left on failure. */
int simt_sink_commit(struct simt_sink *s, struct ct_error *e);
void simt_sink_abort(struct simt_sink *s); /* NULL allowed */

#endif
