/* sources.h - which source files the instructions of a kernel were compiled from.
 *
 * A trace with source lines (struct ct_sinst) may say of which files these are. It does so in one text per kernel
 * (struct ct_kernel), which the text form has in its header and a packed trace in its K block:
 *
 *     0-4d0,510-660 /home/me/atax.cu TAB 4e0-500 /home/me/tile.cuh
 *
 * That is, for each file the first and the last PC of its instructions, in hexadecimal, then its name. */
#ifndef CT_TRACE_SOURCES_H
#define CT_TRACE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"

CT_DECLS_BEGIN

enum { CT_SOURCES_MAX = 256 << 10 /* bytes of such a text; further files are left out */ };

/* An instruction and its file, without control characters; NULL or "": not known. */
struct ct_source_place {
	uint64_t pc;
	const char *file;
};

/* Appends the text for n instructions in the order of their PCs; nothing where no file is known. Out of memory
 * shows in out->failed. */
void ct_sources_put(struct ct_buf *out, const struct ct_source_place *place, size_t n);

/* The file of the instruction at pc, as a place in the text: *n characters, or NULL where the text (NULL: none)
 * does not say it. Any text will do, also a damaged one. Pure. */
const char *ct_sources_find(const char *text, uint64_t pc, size_t *n);

CT_DECLS_END

#endif
