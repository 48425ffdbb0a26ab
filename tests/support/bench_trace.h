/* bench_trace.h - traces for benchmarks: generated, packed, replayed. */
#ifndef TESTS_SUPPORT_BENCH_TRACE_H
#define TESTS_SUPPORT_BENCH_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "replay/replay.h"

/* Writes tracegen's workload of that size into DIR/workload and its packed form beside it,
 * with the commands in CT_BIN; the paths go to text and packed. 0, or -1 with a message on
 * standard error. */
int bench_trace_make(const char *dir, const char *workload, const char *size, char *text, char *packed,
                     size_t room);

/* Runs the trace (either form) on the GPU, decoding and all in this thread and those of the
 * reader; *insts gets its warp instructions. o may be NULL. CT_OK or fails. */
int bench_trace_replay(const char *path, const struct ct_gpu *g, const struct ct_replay_options *o,
                       uint64_t *insts, struct ct_error *e);
/* Reads all of the trace, with each instruction decoded or without. */
int bench_trace_read(const char *path, int decode, uint64_t *insts, struct ct_error *e);
/* Bytes of the file, or of all files in the folder; 0 when it is not there. */
uint64_t bench_trace_bytes(const char *path);

#endif
