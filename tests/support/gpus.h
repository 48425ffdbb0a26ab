/* gpus.h - GPU descriptions of the project's data, for tests. Fails the running cmocka test
 * where one cannot be had. */
#ifndef TESTS_SUPPORT_GPUS_H
#define TESTS_SUPPORT_GPUS_H

#include <stddef.h>

#include "gpu/gpu.h"

/* Path of a file below data/ ("" for the folder), in `path` of `size` bytes, which it returns. */
const char *test_data(const char *name, char *path, size_t size);
/* data/gpus/NAME as it is shipped. */
void test_gpu(struct ct_gpu *g, const char *name);
/* Makes n settings of `-p`, checked together; ends the test when one is wrong. */
void test_gpu_set(struct ct_gpu *g, const char *const *settings, size_t n);
/* test_gpu() with settings on top. */
void test_gpu_with(struct ct_gpu *g, const char *name, const char *const *settings, size_t n);
/* sharedl1-28 cut down: 4 SMs and 2 partitions on a 3 x 3 mesh. */
void test_gpu_sharedl1_small(struct ct_gpu *g);

#endif
