/* folder.h - the folder that a trace is written to: complete or absent.
 *
 * Everything goes to a temporary folder beside the final one, which takes its name
 * when all is written. */
#ifndef CT_TRACE_FOLDER_H
#define CT_TRACE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"
#include "base/error.h"
#include "trace/record.h"

CT_DECLS_BEGIN

struct ct_folder;

enum ct_folder_compress { CT_FOLDER_ZSTD, CT_FOLDER_PLAIN };

struct ct_folder_options {
	enum ct_folder_compress compress;
	int force; /* replace an earlier tracegen output */
};

/* Prepares to write folder `path`. Refuses (CT_ERR_USAGE) a path that exists, unless it
 * is an empty folder, or a tracegen output and o->force. Fails with CT_ERR_IO,
 * CT_ERR_NOMEM. The caller ends it with ct_folder_commit() or ct_folder_abort(). */
int ct_folder_open(struct ct_folder **s, const char *path, const struct ct_folder_options *o,
                   struct ct_error *e);
/* Starts a trace: at the top (name NULL) or in the sub-folder `name`. `about` is
 * what tracegen.txt says of it. */
int ct_folder_begin(struct ct_folder *s, const char *name, const char *about, struct ct_error *e);
int ct_folder_memcpy(struct ct_folder *s, uint64_t address, uint64_t bytes, struct ct_error *e);
/* A kernel: its file gets the next number and the header of *k, whose header_id is set. */
int ct_folder_kernel_begin(struct ct_folder *s, struct ct_kernel *k, struct ct_error *e);
int ct_folder_write(struct ct_folder *s, const void *p, size_t n, struct ct_error *e);
int ct_folder_kernel_end(struct ct_folder *s, struct ct_error *e);
/* After a kernel: contents of memory lines at its end go to kernel-N.blocks (8 bytes of address, 128
 * of data, as bdi reads them), by ct_folder_write() and ct_folder_kernel_end(). */
int ct_folder_blocks_begin(struct ct_folder *s, struct ct_error *e);
/* One such record. */
int ct_folder_block(struct ct_folder *s, uint64_t address, const unsigned char line[128],
                    struct ct_error *e);
/* Changes what tracegen.txt will say of the trace begun last. */
int ct_folder_about(struct ct_folder *s, const char *about, struct ct_error *e);
/* A further file of the trace begun last, NAME one that --force knows: arrays.tsv. */
int ct_folder_text(struct ct_folder *s, const char *name, const struct ct_buf *text, struct ct_error *e);
/* Ends the trace begun last: writes its kernelslist.g and tracegen.txt. */
int ct_folder_end(struct ct_folder *s, struct ct_error *e);
/* Puts the folder in its place. Frees s in every case; nothing is left on failure. */
int ct_folder_commit(struct ct_folder *s, struct ct_error *e);
void ct_folder_abort(struct ct_folder *s); /* NULL allowed */

CT_DECLS_END

#endif
