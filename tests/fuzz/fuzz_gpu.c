/* GPU files, and assignments as -p has them: whatever is accepted survives printing
 * and reading back, and can place addresses and kernels. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/address.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct ct_gpu *g)
{
	struct ct_address_map m;
	struct ct_occupancy o;
	struct ct_kernel k = {.grid = {100, 1, 1}, .block = {64, 1, 1}, .regs = 16, .shmem_bytes = 512};
	if (ct_address_map_init(&m, g, NULL) < 0)
		abort();
	for (unsigned bit = 0; bit < 64; bit++) {
		struct ct_place p = ct_address_place(&m, UINT64_C(0xff) << bit);
		if (p.slice >= g->llc_slices || p.channel >= g->dram_channels ||
		    p.bank >= g->dram_banks || p.llc_set >= g->llc.sets || p.l1_set >= g->l1.sets)
			abort();
	}
	if (ct_occupancy(g, &k, &o, NULL) == 0 && (o.ctas == 0 || o.l1_ways == 0))
		abort();
}

static void print_and_read(const struct ct_gpu *g)
{
	struct ct_buf b = {0};
	struct ct_gpu again;
	ct_gpu_print(g, &b);
	if (!b.failed && (ct_gpu_parse(&again, "again", b.data, b.len, NULL, NULL) < 0 ||
	                  memcmp(g, &again, sizeof again) != 0))
		abort();
	ct_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_gpu g;
	char line[512];
	struct ct_error e;
	if (ct_gpu_parse(&g, "fuzz", (const char *)data, size, NULL, &e) == 0) {
		use(&g);
		print_and_read(&g);
	}
	ct_gpu_defaults(&g);
	for (size_t at = 0, lines = 0; at < size && lines < 8; lines++) { /* as overrides */
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t n = end ? (size_t)(end - (data + at)) : size - at;
		if (n < sizeof line) {
			memcpy(line, data + at, n);
			line[n] = 0;
			(void)ct_gpu_set(&g, line, &e);
		}
		at += n + 1;
	}
	if (ct_gpu_check(&g, &e) == 0) {
		use(&g);
		if (ct_gpu_scale(&g, 0.37, &e) == 0)
			use(&g);
	}
	return 0;
}
