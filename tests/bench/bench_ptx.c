/* Speed of the emulator of PTX: warp instructions a second of a matrix product, with and without an
 * observer that takes every address, and of both a product and a level of a breadth-first search that are
 * recorded into a packed trace. CT_BENCH_ROWS: rows of the matrices; CT_BENCH_VERTICES: of the graph;
 * CT_BENCH_CASE: the one row that is wanted, as gemm-ctz. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "lower/capture.h"
#include "tests/support/bench.h"

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	uint64_t *sum = ctx;
	(void)e;
	*sum += v->mask;
	for (unsigned l = 0; v->addresses && l < 32; l++)
		*sum += v->addresses[l];
	return 0;
}

/* A module of those that the fuzz target reads, too. */
static struct ct_ptx_module *read_module(const char *name)
{
	const char *root = getenv("CT_ROOT");
	char path[4096], *text = calloc(1, 1 << 20);
	struct ct_ptx_module *m = NULL;
	struct ct_error e;
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/ptx/%s", root ? root : ".", name);
	FILE *f = fopen(path, "rb");
	if (!f || !text)
		fprintf(stderr, "%s cannot be read: set CT_ROOT to the source tree\n", path);
	else if (ct_ptx_read(&m, text, fread(text, 1, 1 << 20, f), name, &e) < 0)
		fprintf(stderr, "%s\n", e.text);
	if (f)
		fclose(f);
	free(text);
	return m;
}

enum how { PLAIN, OBSERVED, RECORDED };

static const char *const suffix[] = {"", "-observed", "-ctz"};

/* Whether a row is wanted. */
static int is_wanted(const char *name, enum how how)
{
	const char *only = getenv("CT_BENCH_CASE");
	char row[64];
	snprintf(row, sizeof row, "%s%s", name, suffix[how]);
	return !only || strcmp(only, row) == 0;
}

/* Runs a launch on one thread and prints its speed. */
static int run(const char *name, struct ct_ptx_launch *l, enum how how)
{
	struct ct_error e = {0};
	struct ct_ptx_result r = {0};
	struct ct_capture *c = NULL;
	uint64_t sum = 0;
	const struct ct_ptx_observer observer = {.ctx = &sum, .instruction = on_instruction};
	char row[64];
	int fd = open("/dev/null", O_WRONLY);
	struct ct_capture_settings s = {.fd = fd, .threads = 1};
	l->threads = 1;
	l->observer = how == OBSERVED ? &observer : NULL;
	double start = bench_cpu();
	int rc = how == RECORDED ? ct_capture_open(&s, &c, &e) : CT_OK;
	if (rc == CT_OK)
		rc = ct_capture_launch(c, l, &r, &e);
	if (rc == CT_OK)
		rc = ct_capture_close(c, 0, NULL, &e);
	double seconds = bench_cpu() - start;
	snprintf(row, sizeof row, "%s%s", name, suffix[how]);
	if (rc == CT_OK)
		bench_row("ptx", row, "rate", (double)r.steps / seconds / 1e6, "M warp instructions/s");
	else
		fprintf(stderr, "%s\n", e.text);
	close(fd);
	return rc;
}

/* Buffers of a launch. */
static int add(struct ct_ptx_memory *memory, void *const *all, const size_t *bytes, unsigned n)
{
	struct ct_error e;
	for (unsigned i = 0; i < n; i++)
		if (!all[i] || ct_ptx_memory_add(memory, all[i], bytes[i], &e) < 0)
			return -1;
	return 0;
}

static int product(const struct ct_ptx_module *m, struct ct_ptx_memory *memory, int n, enum how how)
{
	size_t bytes = (size_t)n * (size_t)n * sizeof(float);
	struct {
		float *a, *b, *c;
		int n;
		float alpha, beta;
	} p = {malloc(bytes), malloc(bytes), malloc(bytes), n, 1.5f, 0.5f};
	void *const all[] = {p.a, p.b, p.c};
	const size_t sizes[] = {bytes, bytes, bytes};
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_find_kernel(m, "gemm"),
		.block = {32, 8, 1},
		.grid = {(unsigned)(n + 31) / 32, (unsigned)(n + 7) / 8, 1},
		.params = &p,
		.param_bytes = sizeof p,
		.memory = memory};
	int rc = add(memory, all, sizes, 3);
	for (size_t i = 0; rc == 0 && i < bytes / sizeof(float); i++) {
		p.a[i] = (float)(i % 17);
		p.b[i] = (float)(i % 13) * 0.25f;
		p.c[i] = 0;
	}
	if (rc == 0)
		rc = run("gemm", &l, how);
	for (unsigned i = 0; i < 3; i++) {
		ct_ptx_memory_remove(memory, all[i], &(struct ct_error){0});
		free(all[i]);
	}
	return rc;
}

/* A level in which half of all vertices, at random, are in the frontier; degrees are 2 to 10. */
static int search(const struct ct_ptx_module *m, struct ct_ptx_memory *memory, int n, enum how how)
{
	size_t v = (size_t)n, edges = 0;
	struct {
		int *vertex, *edge;
		unsigned char *mask, *next, *visited;
		int *cost, n;
	} p = {malloc(v * 8), malloc(v * 40), malloc(v), calloc(v, 1), malloc(v), calloc(v, 4), n};
	void *const all[] = {p.vertex, p.edge, p.mask, p.next, p.visited, p.cost};
	const size_t sizes[] = {v * 8, v * 40, v, v, v, v * 4};
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_find_kernel(m, "frontier"),
		.block = {256, 1, 1},
		.grid = {(unsigned)(n + 255) / 256, 1, 1},
		.params = &p,
		.param_bytes = sizeof p,
		.memory = memory};
	uint64_t seed = 1;
	int rc = add(memory, all, sizes, 6);
	for (size_t i = 0; rc == 0 && i < v; i++) {
		int degree = 2 + (int)(ct_rand64(&seed) % 9);
		p.vertex[2 * i] = (int)edges;
		p.vertex[2 * i + 1] = degree;
		for (; degree; degree--)
			p.edge[edges++] = (int)(ct_rand64(&seed) % v);
		p.mask[i] = p.visited[i] = (unsigned char)(ct_rand64(&seed) & 1);
	}
	if (rc == 0)
		rc = run("bfs", &l, how);
	for (unsigned i = 0; i < 6; i++) {
		ct_ptx_memory_remove(memory, all[i], &(struct ct_error){0});
		free(all[i]);
	}
	return rc;
}

int main(void)
{
	struct ct_ptx_module *gemm = read_module("gemm.ptx"), *frontier = read_module("frontier.ptx");
	struct ct_ptx_memory *memory = NULL;
	struct ct_error e;
	int n = (int)bench_number("CT_BENCH_ROWS", 256), rc = !gemm || !frontier;
	int vertices = (int)bench_number("CT_BENCH_VERTICES", 200000);
	rc = rc ? rc : ct_ptx_memory_create(&memory, &e);
	for (int how = PLAIN; how <= RECORDED && rc == 0; how++)
		rc = is_wanted("gemm", (enum how)how) ? product(gemm, memory, n, (enum how)how) : 0;
	for (int how = PLAIN; how <= RECORDED && rc == 0; how++)
		rc = is_wanted("bfs", (enum how)how) ? search(frontier, memory, vertices, (enum how)how)
		                                     : 0;
	ct_ptx_memory_free(memory);
	ct_ptx_free(gemm);
	ct_ptx_free(frontier);
	return rc != 0;
}
