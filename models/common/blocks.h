/* blocks.h - the contents of memory, block by block: raw bytes, NumPy arrays, and
 * dumps of memory lines. */
#ifndef CT_MODELS_COMMON_BLOCKS_H
#define CT_MODELS_COMMON_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/source.h"

enum ct_blocks_format {
	CT_BLOCKS_AUTO, /* told apart by content */
	CT_BLOCKS_RAW,  /* bytes from an aligned address on */
	CT_BLOCKS_NPY,  /* .npy, version 1 to 3, little-endian elements */
	CT_BLOCKS_DUMP  /* records of an 8-byte little-endian address and 128 bytes */
};
enum { CT_BLOCKS_DUMP_LINE = 128, CT_BLOCKS_DUMP_RECORD = 8 + CT_BLOCKS_DUMP_LINE };

struct ct_blocks_info {
	enum ct_blocks_format format; /* as read */
	uint64_t blocks, bytes;       /* handed out, and their data */
	uint64_t tail_bytes;          /* behind the last whole block, not handed out */
	char type[32];                /* element type of an .npy ("<f4"), else "" */
};

/* Hands every whole block of `block` bytes (a power of two from 8 to 4096; at most 128
 * for a dump, whose lines are split) to fn in order; address counts from 0 but for
 * dumps. src is read to its end, not closed. A dump's addresses must be multiples of
 * 128 and rise; an .npy must hold as many bytes as its header says. Fails with
 * CT_ERR_INPUT (damage, with the record or what is missing), CT_ERR_UNSUPPORTED (object,
 * structured or big-endian elements), CT_ERR_USAGE (block size), and as ct_source_read()
 * does. fn may have been called before a failure. info is filled in either case. */
int ct_blocks_read(struct ct_source *src, enum ct_blocks_format format, size_t block,
                   void (*fn)(void *ctx, uint64_t address, const void *data), void *ctx,
                   struct ct_blocks_info *info, struct ct_error *e);

#endif
