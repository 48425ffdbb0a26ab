/* reader.h - what trace.c asks of the reader of one source, whatever its form. */
#ifndef CT_TRACE_PRIVATE_READER_H
#define CT_TRACE_PRIVATE_READER_H

#include "trace/private/accelsim.h"

/* The calls mean what those of struct ct_accelsim do (accelsim.h); NULL: nothing to do. */
struct ct_reader_ops {
	int (*open)(void **r, struct ct_source *s, struct ct_env *env, struct ct_error *e);
	int (*next_kernel)(void *r, uint32_t id, struct ct_launch **l, struct ct_error *e);
	int (*begin)(void *r, struct ct_error *e);
	int (*next_cta)(void *r, struct ct_cta **cta, struct ct_error *e);
	struct ct_cta *(*partial)(void *r);
	int (*skip)(void *r, struct ct_error *e);
	uint64_t (*text_bytes)(const void *r);
	void (*close)(void *r); /* NULL allowed */
	/* Takes the place of next_kernel and begin in a form that has copies between its kernels
	 * and keeps their numbers. Returns 1 for a kernel in *l, 2 a copy in *ev, 0 the end, < 0. */
	int (*next_event)(void *r, struct ct_launch **l, struct ct_event *ev, struct ct_error *e);
	/* Passes over up to n CTAs of the kernel, and adds them to *s. NULL: they are read. */
	int (*skip_ctas)(void *r, uint64_t n, struct ct_trace_skipped *s, struct ct_error *e);
	/* Warp instructions of the kernel, where an index tells; else 0. NULL: never. */
	uint64_t (*kernel_insts)(void *r);
	/* 1 with size and checksum of the whole file where not all of it comes through the source. NULL: it does. */
	int (*totals)(const void *r, uint64_t *bytes, uint64_t *crc);
};

extern const struct ct_reader_ops ct_accelsim_ops, ct_nvbit_ops, ct_pattern_ops, ct_ctz_ops,
	ct_tracez_ops;

#endif
