/* streams.h - seeded line streams for benches and tests: the shapes that the issue on
 * reuse distance names. Deterministic; no global state. */
#ifndef TESTS_SUPPORT_STREAMS_H
#define TESTS_SUPPORT_STREAMS_H

#include <stddef.h>
#include <stdint.h>

enum stream_kind {
	STREAM_ZIPF20,  /* Zipf 0.9 over 10^6 lines, scattered over 2^20 addresses */
	STREAM_ZIPF24,  /* Zipf 0.9 over 2^24 lines, scattered */
	STREAM_UNIFORM, /* uniform over 2^20 */
	STREAM_SCAN,    /* cyclic scan over 2^18 */
	STREAM_TILE,    /* tiled matrix product, 2048 x 2048 floats, tiles of 64, 128 B lines */
	STREAM_GPU,     /* 512 warps that stream in and out, with a shared Zipf 0.7 table */
	STREAM_HASHED,  /* ZIPF20 with every line number hashed to 64 bits */
	STREAM_KINDS
};

const char *stream_name(enum stream_kind k);
/* The first n lines of the stream. */
void stream_fill(enum stream_kind k, uint64_t seed, uint64_t *line, size_t n);

#endif
