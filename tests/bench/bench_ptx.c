/* Speed of the emulator of PTX: warp instructions a second of a matrix product, with and without an
 * observer that takes every address, as the trace output does. CT_BENCH_ROWS: rows of the matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/emulate.h"
#include "tests/support/bench.h"

struct product {
	float *a, *b, *c;
	int n;
	float alpha, beta;
};

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	uint64_t *sum = ctx;
	(void)e;
	*sum += v->mask;
	for (unsigned l = 0; v->addresses && l < 32; l++)
		*sum += v->addresses[l];
	return 0;
}

/* Text of the kernel, which the fuzz target uses too. */
static char *read_text(size_t *size)
{
	const char *root = getenv("CT_ROOT");
	char path[4096], *text = calloc(1, 1 << 20);
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/ptx/gemm.ptx", root ? root : ".");
	FILE *f = fopen(path, "rb");
	if (f && text)
		*size = fread(text, 1, 1 << 20, f);
	if (f)
		fclose(f);
	return f ? text : NULL;
}

static int bench(const struct ct_ptx_module *m, int n, int observed)
{
	struct ct_error e = {0};
	struct ct_ptx_memory *memory = NULL;
	struct ct_ptx_result r;
	size_t bytes = (size_t)n * (size_t)n * sizeof(float);
	struct product p = {malloc(bytes), malloc(bytes), malloc(bytes), n, 1.5f, 0.5f};
	uint64_t sum = 0;
	struct ct_ptx_observer observer = {.ctx = &sum, .instruction = on_instruction};
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_find_kernel(m, "gemm"),
		.block = {32, 8, 1},
		.grid = {(unsigned)(n + 31) / 32, (unsigned)(n + 7) / 8, 1},
		.params = &p,
		.param_bytes = sizeof p,
		.threads = 1,
		.observer = observed ? &observer : NULL};
	int rc = p.a && p.b && p.c ? ct_ptx_memory_create(&memory, &e) : CT_ERR_NOMEM;
	for (size_t i = 0; rc == CT_OK && i < bytes / sizeof(float); i++) {
		p.a[i] = (float)(i % 17);
		p.b[i] = (float)(i % 13) * 0.25f;
		p.c[i] = 0;
	}
	float *all[] = {p.a, p.b, p.c};
	for (unsigned i = 0; rc == CT_OK && i < 3; i++)
		rc = ct_ptx_memory_add(memory, all[i], bytes, &e);
	l.memory = memory;
	double start = bench_cpu();
	if (rc == CT_OK)
		rc = ct_ptx_launch(&l, &r, &e);
	double seconds = bench_cpu() - start;
	if (rc == CT_OK)
		bench_row("ptx", observed ? "gemm-observed" : "gemm", "rate",
		          (double)r.steps / seconds / 1e6, "M warp instructions/s");
	else
		fprintf(stderr, "%s\n", e.text);
	ct_ptx_memory_free(memory);
	for (unsigned i = 0; i < 3; i++)
		free(all[i]);
	return rc;
}

int main(void)
{
	struct ct_ptx_module *m;
	struct ct_error e = {0};
	size_t size = 0;
	char *text = read_text(&size);
	if (!text || ct_ptx_read(&m, text, size, "gemm.ptx", &e) < 0) {
		fprintf(stderr, "%s\n",
		        text ? e.text : "gemm.ptx cannot be read: set CT_ROOT to the source tree");
		return 1;
	}
	int n = (int)bench_number("CT_BENCH_ROWS", 256);
	int rc = bench(m, n, 0);
	if (rc == CT_OK)
		rc = bench(m, n, 1);
	ct_ptx_free(m);
	free(text);
	return rc < 0;
}
