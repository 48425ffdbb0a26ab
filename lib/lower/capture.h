/* capture.h - traces of programs that run here: launches are emulated, lowered to machine
 * instructions, and written while they run.
 *
 *     struct ct_capture *c;
 *     ct_capture_open(&settings, &c, &e);
 *     ct_capture_array(c, address, bytes, "x", &e);      at each allocation
 *     ct_capture_copy(c, CT_CAPTURE_TO_DEVICE, address, bytes, &e);
 *     ct_capture_launch(c, &launch, &result, &e);        instead of ct_ptx_launch
 *     ct_capture_close(c, status, &summary, &e);
 *
 * A trace is complete or absent: nothing is left of one that was not closed, except where it
 * streams to a descriptor. A ct_capture belongs to one thread. */
#ifndef CT_LOWER_CAPTURE_H
#define CT_LOWER_CAPTURE_H

#include "base/decls.h"
#include "ptx/emulate.h"

CT_DECLS_BEGIN

struct ct_capture;
struct ct_folder; /* trace/folder.h */

struct ct_capture_settings {
	/* Where the trace goes: a file (".ctz" at its end: one packed trace), else a folder of
	 * Accel-Sim's text with kernelslist.g. NULL: a packed trace that streams to `fd`. */
	const char *path;
	int fd; /* stays open */
	/* Or a folder that the caller has opened, commits and aborts: the trace is one of those in it, in the
	 * sub-folder `path`, at its top where that is NULL. `force` and `plain` are the folder's then. */
	struct ct_folder *folder;
	int force;           /* replace an earlier trace of the same kind at `path` */
	int plain;           /* a folder's kernels are not compressed */
	const char *about;   /* lines for a folder's tracegen.txt ("command ./atax"); NULL: none */
	unsigned sm;         /* machine code for sm_70, 75, 80 or 86; 0: 70 */
	const char *kernels; /* record only launches of kernels whose name this PCRE2 pattern finds, or
	                        launches N or N-M, counted from 1; NULL: all */
	uint64_t skip;       /* of those, do not record the first `skip` */
	uint64_t launches;   /* and then only so many; 0: all */
	uint64_t max_steps;  /* of a launch that sets no bound of its own; 0: none */
	unsigned threads;    /* for launches that ask for 0; 0: all processors */
	uint64_t unpacked_most; /* bytes that executed CTAs may take until they are written; 0: 96 MiB */
	int values; /* in a folder: kernel-N.blocks, what global memory that was touched holds at the end */
};

/* Opens a trace for writing. Strings are copied. Fails with CT_ERR_USAGE (a target that may not
 * be replaced, a pattern that is none, an sm that is not known), CT_ERR_IO, CT_ERR_NOMEM. */
CT_NODISCARD int ct_capture_open(const struct ct_capture_settings *s, struct ct_capture **out,
                                 struct ct_error *e);

/* Runs a launch as ct_ptx_launch does, and records it where it is chosen. c may be NULL: it only
 * runs. The launch's own observer is called too. Fails as ct_ptx_launch, and with CT_ERR_IO where the
 * trace cannot be written. A launch that failed stays in the trace up to its last whole CTA. */
CT_NODISCARD int ct_capture_launch(struct ct_capture *c, const struct ct_ptx_launch *launch,
                                   struct ct_ptx_result *r, struct ct_error *e);

/* Whether all launches that the settings ask for are recorded: never where they ask for all. */
int ct_capture_is_full(const struct ct_capture *c);

enum ct_capture_copy_kind { CT_CAPTURE_TO_DEVICE, CT_CAPTURE_TO_HOST, CT_CAPTURE_ON_DEVICE };

/* A copy of memory, in its place between launches. Only those to the device are recorded so far, as in
 * Accel-Sim's traces. c may be NULL. Fails with CT_ERR_IO, CT_ERR_NOMEM. */
CT_NODISCARD int ct_capture_copy(struct ct_capture *c, enum ct_capture_copy_kind kind, uint64_t address,
                                 uint64_t bytes, struct ct_error *e);

/* An allocation, in its place between launches; name may be NULL. A folder lists them in arrays.tsv, a
 * packed trace has records of them (trace/arrays.h). c may be NULL. Fails with CT_ERR_INPUT (no bytes),
 * CT_ERR_IO, CT_ERR_NOMEM. */
CT_NODISCARD int ct_capture_array(struct ct_capture *c, uint64_t first, uint64_t bytes, const char *name,
                                  struct ct_error *e);

/* Memory that the program has at two addresses: what is at `first` goes into the trace as if it were at
 * `shown`, which is the same in every run. For later launches. c may be NULL. Fails with CT_ERR_LIMIT. */
enum { CT_CAPTURE_ALIASES = 64 };
CT_NODISCARD int ct_capture_alias(struct ct_capture *c, uint64_t first, uint64_t bytes, uint64_t shown,
                                  struct ct_error *e);

/* Registers that a thread of a kernel needs in the machine code of `sm`, as its launches have them in a trace. Fails with CT_ERR_INPUT (what
 * has no machine code), CT_ERR_NOMEM. Thread-safe. */
CT_NODISCARD int ct_capture_registers(const struct ct_ptx_module *m, const struct ct_ptx_kernel *kernel,
                                      unsigned sm, uint32_t *registers, struct ct_error *e);

/* What a capture saw. */
struct ct_capture_summary {
	uint64_t launches;   /* of the program */
	uint64_t recorded;   /* in the trace */
	uint64_t ptx_insts;  /* warp instructions of PTX in recorded launches */
	uint64_t warp_insts; /* machine instructions in the trace */
};

enum { CT_CAPTURE_DROP = -1 };

/* Ends the trace and frees c in every case (NULL allowed). status: 0, or the exit status of a
 * program that failed, of which the trace tells its readers; CT_CAPTURE_DROP removes the trace. *s may
 * be NULL. Fails with CT_ERR_INPUT where no launch was recorded, CT_ERR_IO, CT_ERR_NOMEM: then no trace
 * is left. */
CT_NODISCARD int ct_capture_close(struct ct_capture *c, int status, struct ct_capture_summary *s,
                                  struct ct_error *e);

CT_DECLS_END

#endif
