/* Speed of ct_address_place() for the mappings of several GPUs. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "gpu/address.h"

enum { N = 1 << 14, ROUNDS = 200 };

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
	static const struct {
		const char *name;
		uint32_t channels;
		enum ct_set_hash slice;
	} cases[] = {
		{"16 channels, ipoly", 16, CT_HASH_IPOLY},
		{"20 channels, fold", 20, CT_HASH_FOLD},
		{"12 channels, linear", 12, CT_HASH_LINEAR},
	};
	static uint64_t address[N];
	uint64_t seed = 1, sum = 0;
	for (int i = 0; i < N; i++)
		address[i] = ct_rand64(&seed) >> 20;
	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct ct_gpu g;
		struct ct_address_map m;
		double best = 0;
		ct_gpu_defaults(&g);
		g.dram_channels = g.llc_partitions = cases[k].channels;
		g.llc_slices = 2 * cases[k].channels;
		g.llc_hash = cases[k].slice;
		if (ct_gpu_check(&g, NULL) < 0 || ct_address_map_init(&m, &g, NULL) < 0)
			return 1;
		for (int round = 0; round < ROUNDS; round++) {
			double begin = cpu_seconds();
			for (int i = 0; i < N; i++) {
				struct ct_place p = ct_address_place(&m, address[i]);
				sum += p.slice + p.llc_set + p.bank + p.row;
			}
			double ns = (cpu_seconds() - begin) * 1e9 / N;
			best = round == 0 || ns < best ? ns : best;
		}
		printf("address\t%s\ttime\t%.4g\tns/address\n", cases[k].name, best);
	}
	return sum == 42; /* the work must not be optimised away */
}
