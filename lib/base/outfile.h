/* outfile.h - output that is complete or absent.
 *
 * A regular file is written under no name (or a temporary one where the file
 * system cannot do that) and takes its place only at commit; standard output,
 * pipes and devices are held back until commit unless CT_OUT_STREAM is given,
 * so that a tool that fails half-way leaves nothing behind. */
#ifndef CT_BASE_OUTFILE_H
#define CT_BASE_OUTFILE_H

#include <stddef.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

struct ct_out;

enum { CT_OUT_STREAM = 1 };

/* Opens path for writing (NULL or "-": standard output). *out is owned by the
 * caller until commit or abort. Fails with CT_ERR_IO or CT_ERR_NOMEM. Not
 * thread-safe on one object. */
int ct_out_open(struct ct_out **out, const char *path, int flags, struct ct_error *e);

/* Appends n bytes. Fails with CT_ERR_IO (full disk ...) or CT_ERR_NOMEM. */
int ct_out_write(struct ct_out *out, const void *p, size_t n, struct ct_error *e);

/* Writes what is held back, closes, and puts the file in its place. Frees out
 * in every case; on failure nothing is left under the final name. */
int ct_out_commit(struct ct_out *out, struct ct_error *e);
/* The same of n outputs, all or none: no file takes its place before everything is
 * written, and when one cannot take its own, what the others have replaced is put back.
 * Frees all of them in every case. */
int ct_out_commit_all(struct ct_out **out, size_t n, struct ct_error *e);

/* Drops everything and frees out (NULL allowed). */
void ct_out_abort(struct ct_out *out);

/* Removes the temporary files of all outputs in progress (up to 8 at a time are known),
 * where the file system has no nameless ones. Nothing may be done with the outputs
 * afterwards. Async-signal-safe: for the handler of a signal that ends the program. */
void ct_out_discard_all(void);

CT_DECLS_END

#endif
