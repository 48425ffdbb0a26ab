/* Speed of the block classifiers: noise, which fails early, and compressible data. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "models/common/bdi.h"

enum { BYTES = 1 << 20, ROUNDS = 20 };

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
	static const char *const names[] = {"noise", "small-integers", "zeros"};
	unsigned char *data = malloc(BYTES);
	uint64_t seed = 1;
	if (!data)
		return 1;
	for (int kind = 0; kind < 3; kind++) {
		double best = 0;
		struct ct_bdi_counts c = {0};
		for (int i = 0; i < BYTES; i++)
			data[i] = kind == 0                 ? (unsigned char)ct_rand64(&seed)
			          : kind == 1 && i % 4 == 0 ? (unsigned char)(ct_rand64(&seed) % 100)
			                                    : 0;
		for (int round = 0; round < ROUNDS; round++) {
			double begin = cpu_seconds();
			for (int i = 0; i < BYTES; i += CT_BDI_BLOCK)
				ct_bdi_count(&c, data + i, CT_BDI_BLOCK, 0);
			double rate = BYTES / (cpu_seconds() - begin) / 1e9;
			best = rate > best ? rate : best;
		}
		printf("bdi\t%s\tspeed\t%.4g\tGB/s\n", names[kind], best);
		printf("bdi\t%s\tratio\t%.4g\tx\n", names[kind], (double)c.bytes / (double)c.code_bytes);
	}
	free(data);
	return 0;
}
