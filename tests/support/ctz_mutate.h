/* ctz_mutate.h - mutates whole packed traces behind their checksums, for the fuzzing engines: the
 * file is unpacked into blocks and columns, some numbers, bytes or blocks change, and all is packed
 * again with the lengths, checksums and counts that belong to it. */
#ifndef TESTS_CTZ_MUTATE_H
#define TESTS_CTZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A mutation without structure: n bytes at p, of room max; the new length. */
typedef size_t (*ctz_mutate_fn)(uint8_t *p, size_t n, size_t max);

/* Mutates the n bytes at p, of room max, in place and returns the new length; 0 when they are no
 * packed trace or the result does not fit. bytes may be NULL. The same seed gives the same. */
size_t ctz_mutate(uint8_t *p, size_t n, size_t max, uint64_t seed, ctz_mutate_fn bytes);

#endif
