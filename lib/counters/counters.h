/* counters.h - what a hardware profiler counted on a real GPU.
 *
 * Nsight Compute (`ncu --csv`, raw and details pages, and its summary per kernel) and nvprof (`--csv --metrics`, with
 * and without --print-gpu-trace) write tables of launches. ct_counters_read() recognises which of them a file holds,
 * and turns the metrics that a replay also counts into one set of quantities with one unit each. What the file does
 * not hold is NaN and never 0. doc/formats.md describes the tables. */
#ifndef CT_COUNTERS_COUNTERS_H
#define CT_COUNTERS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "trace/source.h"

CT_DECLS_BEGIN

/* The quantities. Counts are of the whole GPU, rates are fractions of 1, times are in ns, clocks in MHz. */
enum ct_counter {
	CT_COUNTER_WARP_INSTS,     /* warp instructions executed */
	CT_COUNTER_THREAD_INSTS,   /* thread instructions whose predicate was true */
	CT_COUNTER_LOAD_REQUESTS,  /* warp instructions that load global memory, at the L1 */
	CT_COUNTER_STORE_REQUESTS, /* that store */
	CT_COUNTER_ATOM_REQUESTS,  /* atomics that return a value */
	CT_COUNTER_RED_REQUESTS,   /* atomics that return none */
	CT_COUNTER_LOAD_SECTORS,   /* sectors of 32 B that global loads look up in the L1 */
	CT_COUNTER_STORE_SECTORS,  /* and stores */
	CT_COUNTER_LOAD_HITS,      /* of the load sectors */
	CT_COUNTER_LOAD_MISSES,
	CT_COUNTER_L1_HIT_RATE,      /* all sectors of the L1 */
	CT_COUNTER_L1_LOAD_HIT_RATE, /* of global loads */
	CT_COUNTER_L2_HIT_RATE,      /* reads and writes, which always hit */
	CT_COUNTER_L2_READ_HIT_RATE,
	CT_COUNTER_L2_READS,  /* sectors that the L1s read of the L2 */
	CT_COUNTER_L2_WRITES, /* and write */
	CT_COUNTER_DRAM_READ_BYTES,
	CT_COUNTER_DRAM_WRITE_BYTES,
	CT_COUNTER_DRAM_BYTES,    /* both */
	CT_COUNTER_CYCLES,        /* elapsed cycles of the SM clock */
	CT_COUNTER_ACTIVE_CYCLES, /* mean over the SMs of those in which a warp was resident */
	CT_COUNTER_DURATION,      /* ns */
	CT_COUNTER_CLOCK,         /* SM clock, MHz */
	CT_COUNTERS
};

/* One row of a profiler: a launch, or (invocations > 0) the mean of that many launches of a kernel. */
struct ct_counter_row {
	const char *name; /* of the kernel, as the profiler spells it */
	int shaped;       /* grid and block are known */
	uint32_t grid[3], block[3];
	uint64_t invocations;      /* 0: one launch */
	uint64_t line;             /* of the file */
	double value[CT_COUNTERS]; /* NaN: not measured */
};

/* What is odd about a file, for warnings. */
struct ct_counter_oddities {
	uint64_t
		outside; /* rates beyond 0 to 100 %: counters of a quotient come from different passes */
	uint64_t torn;   /* launches whose hits and misses differ from their accesses by more than 2 % */
	uint64_t repeated;  /* values that are given twice and differ by more than 2 % */
	uint64_t unmatched; /* columns or rows of metrics that no quantity takes */
};

struct ct_counters;

/* Reads src to its end; it stays open. Errors name file:line: CT_ERR_INPUT for a file without a known head, a row with
 * another number of columns, a number that could be read in two ways, or an unknown unit of a metric that is used;
 * CT_ERR_LIMIT beyond 1 GiB; CT_ERR_NOMEM; and those of ct_source_read(). *c is the caller's, NULL on failure. Files
 * may be read by several threads at once, each its own. */
int ct_counters_read(struct ct_counters **c, struct ct_source *src, struct ct_error *e);
void ct_counters_free(struct ct_counters *c); /* NULL allowed */

/* The number of rows. Several threads may ask at once. */
size_t ct_counters_count(const struct ct_counters *c);
/* Rows in the file's order; valid as long as c. */
const struct ct_counter_row *ct_counters_at(const struct ct_counters *c, size_t i);
const struct ct_counter_oddities *ct_counters_oddities(const struct ct_counters *c);
/* The form of the file: "ncu details", "ncu raw", "ncu summary", "nvprof" or "nvprof trace"; of the last table where
 * there are several. Static storage. */
const char *ct_counters_form(const struct ct_counters *c);

/* A launch of a trace, for matching. */
struct ct_counter_launch {
	const char *name; /* as the trace spells it: mangled, demangled or plain */
	uint32_t grid[3], block[3];
};

enum { CT_COUNTER_NAME_MAX = 4096 };

/* The bare name of a kernel: of a mangled name (Itanium C++ ABI), of a demangled signature, or of a plain name. Puts it
 * into out[n] and returns 1; 0, and the text as it is, cut to n, where it cannot be told. Pure. */
int ct_counter_base_name(const char *name, char *out, size_t n);

/* For every row the launch that it is of: match[i] is an index of launch[0..n), or SIZE_MAX. Rows and launches of one
 * kernel, and of one grid and block where the file has them, are matched in order. Names are compared whole where both
 * sides spell them the same way, else by their bare names. A mean over launches gets the first of them. group[k]
 * becomes the first launch with the same name as launch k. Fails with CT_ERR_NOMEM. Thread-safe. */
int ct_counters_match(const struct ct_counters *c, const struct ct_counter_launch *launch, size_t n,
                      size_t *match, size_t *group, struct ct_error *e);

CT_DECLS_END

#endif
