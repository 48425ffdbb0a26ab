/* Speed of ct_coalesce() on the access shapes that kernels have. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "gpu/coalesce.h"

enum { KINDS = 6, INSTS = 64, ROUNDS = 20000 };

static struct ct_inst insts[INSTS];

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(int kind, uint16_t *width, uint8_t *space)
{
	uint64_t seed = 1;
	*width = kind == 1 ? 16 : 4;
	*space = kind == 5 ? CT_SPACE_LOCAL : CT_SPACE_GLOBAL;
	memset(insts, 0, sizeof insts);
	for (int i = 0; i < INSTS; i++) {
		struct ct_inst *s = &insts[i];
		static const int64_t strides[] = {4, 16, 132, 0, 0, 0};
		s->mask = ~0u;
		s->naddr = 32;
		s->stride = strides[kind];
		s->addr_form = kind == 3 || kind == 4 ? CT_ADDR_LIST : CT_ADDR_STRIDE;
		s->base = (ct_rand64(&seed) % (1 << 20) + 1) * 128;
		for (int l = 0; l < 32; l++)
			s->addr[l] = kind == 3   ? ct_rand64(&seed) % (1 << 24) * 4 + 4
			             : kind == 4 ? s->base + ct_rand64(&seed) % 256 * 4
			                         : s->base + (uint64_t)(s->stride * l);
	}
}

int main(void)
{
	static const char *const names[KINDS] = {
		"coalesced-4B", "coalesced-16B", "column", "scattered", "gather-1KiB", "local"};
	static struct ct_line_request out[CT_MAX_LINES_PER_INST];
	struct ct_kernel k = {0};
	struct ct_local_map m = {CT_LOCAL_BASE, 128, 4, 46, 3, 128};
	for (int kind = 0; kind < KINDS; kind++) {
		struct ct_sinst s = {0};
		double best = 0;
		uint64_t lines = 0;
		fill(kind, &s.width, &s.space);
		for (int round = 0; round < ROUNDS; round++) {
			double begin = cpu_seconds();
			uint32_t shared;
			for (int i = 0; i < INSTS; i++)
				lines += ct_coalesce(&k, &s, &insts[i], 128, 32, &m, 0, out, &shared);
			double rate = (cpu_seconds() - begin) * 1e9 / INSTS;
			if (round == 0 || rate < best)
				best = rate;
		}
		printf("coalesce\t%s\ttime\t%.4g\tns/instruction\n", names[kind], best);
		printf("coalesce\t%s\tlines\t%.4g\tlines/instruction\n", names[kind],
		       (double)lines / ROUNDS / INSTS);
	}
	return 0;
}
