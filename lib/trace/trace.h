/* trace.h - opening traces and reading them as kernels, CTAs and warps.
 *
 *     struct ct_trace *t;
 *     ct_trace_open(&t, path, &options, &err);
 *     while ((st = ct_trace_next(t, &event, &err)) > 0)
 *         if (event.kind == CT_EVENT_KERNEL)
 *             while ((st = ct_trace_next_cta(t, &cta, &err)) > 0) {
 *                 ... ct_cursor_open(&cursor, cta, warp, &err) ...
 *                 ct_cta_unref(cta);
 *             }
 *     ct_trace_close(t);
 *
 * A ct_trace belongs to one thread; the CTAs it hands out may go to others. */
#ifndef CT_TRACE_TRACE_H
#define CT_TRACE_TRACE_H

#include <stdint.h>

#include "base/decls.h"
#include "base/buf.h"
#include "base/error.h"
#include "trace/record.h"
#include "trace/source.h"

CT_DECLS_BEGIN

struct ct_trace;
struct ct_filter; /* which kernels; see ct_filter_compile() */

/* Compiles -k REGEX|N|N-M: a PCRE2 pattern searched in the kernel's name, or
 * launch numbers (ordinals, from 1). *f is owned by the caller. Fails with
 * CT_ERR_USAGE, CT_ERR_NOMEM. */
int ct_filter_compile(struct ct_filter **f, const char *text, struct ct_error *e);
/* Another form of a kernel's name, such as tables print, is appended to *b. Thread-safe. */
typedef void ct_filter_name(struct ct_buf *b, const char *name);
enum { CT_FILTER_NAMES = 2 };
/* The pattern of f is searched in these forms of the name, too; where it matches nothing, errors list the first one. NULL:
 * none. */
void ct_filter_also(struct ct_filter *f, ct_filter_name *const forms[CT_FILTER_NAMES]);
/* Appends the name of k as errors list it. Out of memory shows in b. */
void ct_filter_listed(const struct ct_filter *f, const struct ct_kernel *k, struct ct_buf *b);
/* The filter of the n launches with these numbers, in any order. *f is owned by the caller. Fails with CT_ERR_NOMEM. */
int ct_filter_launches(struct ct_filter **f, const uint64_t *ids, size_t n, struct ct_error *e);
/* 1 or 0; < 0 (CT_ERR_NOMEM, CT_ERR_LIMIT for a pattern that backtracks without end)
 * when the pattern could not be tried. Thread-safe. */
int ct_filter_matches(const struct ct_filter *f, const struct ct_kernel *k);
void ct_filter_free(struct ct_filter *f); /* NULL allowed */

struct ct_pattern; /* how to read any other text trace */

/* Compiles --pattern: a PCRE2 pattern searched in each line, with the named groups of
 * cachetriage-traces(5), addr or addr_hex among them. *p is owned by the caller. Fails
 * with CT_ERR_USAGE, CT_ERR_NOMEM. */
int ct_pattern_compile(struct ct_pattern **p, const char *text, struct ct_error *e);
void ct_pattern_free(struct ct_pattern *p); /* NULL allowed */

struct ct_trace_options {
	const struct ct_pattern *pattern; /* not NULL: read by it, whatever the input looks like;
	                                     must outlive the trace */
	const struct ct_filter *filter;   /* NULL = every kernel; must outlive the trace */
	uint64_t max_memory;              /* budget of packed CTAs before spilling; 0 = 1 GiB */
	uint64_t max_expand;              /* of each file, see struct ct_source_options */
	struct ct_keep *keep;             /* see struct ct_source_options */
	int salvage;                      /* hand out what precedes damage, then report it */
	int trust_paths;                  /* a list may name files outside its folder */
	int streams;         /* launches of different streams next to each other are one launch */
	int keep_values;     /* keep register values (for tracecat) */
	int no_threads;      /* decompress and parse in the caller's thread */
	struct ct_diag diag; /* warnings */
};

/* Opens a kernelslist, a folder that holds one, a kernel file, or "-". Formats and
 * compression are recognised by content. o may be NULL. Fails with CT_ERR_IO,
 * CT_ERR_INPUT, CT_ERR_UNSUPPORTED (formats refused by name), CT_ERR_NOMEM. */
int ct_trace_open(struct ct_trace **t, const char *path, const struct ct_trace_options *o,
                  struct ct_error *e);
/* The same from a source already opened (and peeked at); takes it over, also when
 * it fails. */
int ct_trace_open_source(struct ct_trace **t, struct ct_source *s, const struct ct_trace_options *o,
                         struct ct_error *e);

enum ct_event_kind { CT_EVENT_KERNEL, CT_EVENT_MEMCPY };

struct ct_event {
	enum ct_event_kind kind;
	const struct ct_kernel *kernel; /* CT_EVENT_KERNEL: valid until the next event, or while
	                                    a CTA of it is held */
	uint64_t address, bytes;        /* CT_EVENT_MEMCPY: host to device */
};

/* Next event in launch order: 1, 0 at the end, < 0 on failure. CTAs of the
 * kernel before that were not fetched are read over (and checked). */
int ct_trace_next(struct ct_trace *t, struct ct_event *ev, struct ct_error *e);

/* Next CTA of the current kernel in linear id order: 1 with *cta (one reference,
 * the caller's), 0 when the kernel has no more, < 0 on failure. */
int ct_trace_next_cta(struct ct_trace *t, struct ct_cta **cta, struct ct_error *e);

/* Passes over the CTAs of the current kernel that were not fetched, without decoding or checking them: for a look at
 * the launches of a trace before it is read. *bytes tells how large they are, in a unit that holds within one trace:
 * the bytes of a list's file as stored, the unpacked ones of a packed trace; 0 where nobody knows. Of a file that holds
 * one kernel's text it is the end, and what would follow is not seen. The statistics are no longer those of the trace.
 * Fails as ct_trace_next(). */
int ct_trace_skip_kernel(struct ct_trace *t, uint64_t *bytes, struct ct_error *e);

struct ct_trace_skipped {
	uint64_t ctas, warps, insts; /* warp instructions */
};
/* Passes over the next n CTAs of the current kernel, or those that are left, and tells how many they were. They count
 * in the statistics. Of a packed trace in a file whole frames of them are neither unpacked nor checked, and their warps
 * are those that the kernel's thread blocks have; of any other form they are read. Fails as ct_trace_next_cta(). */
int ct_trace_skip_ctas(struct ct_trace *t, uint64_t n, struct ct_trace_skipped *skipped,
                       struct ct_error *e);
/* How large the current launch is, without reading it: its warp instructions where a packed trace's index tells them
 * (*is_insts 1), else the bytes of its file in a list (*is_insts 0), else 0. */
uint64_t ct_trace_kernel_size(struct ct_trace *t, int *is_insts);

/* What was allocated before the event that was handed out last, and after the last event everything
 * (trace/arrays.h); never NULL. Empty where the trace does not tell. It grows in ct_trace_next(). */
struct ct_arrays;
const struct ct_arrays *ct_trace_arrays(const struct ct_trace *t);

/* What has been read so far; final after ct_trace_next() returned 0. */
struct ct_trace_stats {
	uint64_t raw_bytes;  /* of the list and all members, as stored */
	uint64_t crc64;      /* CRC-64/XZ of those bytes in that order */
	uint64_t text_bytes; /* after decompression */
	uint64_t kernels, skipped_kernels /* by the filter */, missing_kernels;
	uint64_t unlisted_kernels; /* files kernel-N beside a list that does not name them */
	uint64_t memcpys,
		unknown_commands; /* lines of a list, or marked ones of a log, not understood */
	uint64_t ctas, warps, warp_insts;
	uint64_t width_disagreements; /* lines whose width field lies */
	uint64_t extra_tokens;        /* lines with unexpected trailing tokens */
	uint64_t short_grids;         /* kernels with fewer CTAs than their grid */
	uint64_t absent_warps;        /* that thread blocks should have, and have not */
	uint64_t lost_warps;          /* those of them that were traced to their end */
	uint64_t
		partial_headers; /* kernels whose header lacks lines that come with others that it has */
	uint64_t
		unordered_kernels; /* behind a kernel of a higher number in a list that names none twice */
	uint64_t misnamed_kernels;   /* files kernel-N of a list whose header has another id */
	uint64_t insts_mismatches;   /* warps whose "insts = n" is not what follows */
	uint64_t warps_without_exit; /* warps with lanes that never come to an EXIT */
	uint64_t cluster_ctas;       /* that are not the first of their cluster */
	uint64_t bulk_kernels;       /* whose code has bulk copies (TMA) */
	uint64_t null_global;        /* active global lanes at address 0 (a tracer fault) */
	uint64_t spilled_bytes;      /* packed CTAs written to the temporary file */
	unsigned program_status;     /* with which the program that was traced ended, where known */
	/* Logs (NVBit, --pattern). */
	uint64_t ignored_lines;      /* lines without a record or launch */
	uint64_t unlaunched_kernels; /* records without a launch line */
	uint64_t dropped_lanes;      /* global or generic lanes at 0: taken as inactive */
	uint64_t ambiguous_lanes;    /* shared or local lanes at 0: active or not, kept */
	uint64_t doubtful_records;   /* their last lanes repeat addresses of earlier ones */
	uint64_t joined_launches;    /* that run together with others */
	int several_streams;
	int truncated; /* --salvage met damage; see ct_trace_damage() */
};
/* Counts of what was read so far. They belong to the trace and are final once ct_trace_next() has
 * returned the end. */
const struct ct_trace_stats *ct_trace_stats(const struct ct_trace *t);
/* 1 when what was read is known to be a part of what was traced: --salvage met damage, or
 * warps are lost. Final as the statistics are. */
int ct_trace_is_damaged(const struct ct_trace *t);
/* With salvage: the error that ended the trace early, or NULL. */
const struct ct_error *ct_trace_damage(const struct ct_trace *t);
/* Path as given and format as printed in TR ("accelsim/zst", "accelsim-list", ...). */
const char *ct_trace_path(const struct ct_trace *t);
const char *ct_trace_format(const struct ct_trace *t);
/* Calls f with each file that it is read from: the list or trace that was opened, then the
 * kernels of a list that are there. Ends at the first result of f that is not 0, and returns it. */
int ct_trace_each_file(const struct ct_trace *t, int (*f)(void *ctx, const char *path), void *ctx);
/* Hands t the filter that it was opened with: it is freed when t is closed. */
void ct_trace_own_filter(struct ct_trace *t, struct ct_filter *f);
void ct_trace_close(struct ct_trace *t); /* NULL allowed */

CT_DECLS_END

#endif
