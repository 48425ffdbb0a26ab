/* ptx.h - tracegen ptx: one launch of a kernel of a PTX text. */
#ifndef CT_TRACEGEN_PTX_H
#define CT_TRACEGEN_PTX_H

#include "base/buf.h"
#include "lower/capture.h"

enum { PTX_MAX_ARGS = 256 };

struct ptx_options {
	const char *file, *kernel; /* kernel NULL: the only one of the file */
	uint32_t grid[3], block[3];
	const char *arg[PTX_MAX_ARGS]; /* "buf:64MiB", "u32:5" in the kernel's order */
	size_t args;
	uint64_t shared; /* bytes of dynamic shared memory */
	uint64_t seed;   /* of random buffers */
	struct ct_capture_settings capture;
};

/* Reads the file, makes the arguments, runs the launch and writes its trace. */
int ptx_trace(const struct ptx_options *o, struct ct_capture_summary *s, struct ct_error *e);

/* All bytes of a file, or of standard input ("-"), behind those that b has. */
int ptx_read_file(const char *path, struct ct_buf *b, struct ct_error *e);

/* "X", "X,Y" or "X,Y,Z", each at least 1: 0, or -1. */
int ptx_parse_dimensions(const char *text, uint32_t d[3]);

#endif
