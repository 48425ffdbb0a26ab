/* Occupancy and the adaptive L1: the rule of doc/replay.md section 2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/occupancy.h"
#include "trace/trace.h"

static const char qv100[] =
	"-gpgpu_n_clusters 80\n-gpgpu_n_cores_per_cluster 1\n-gpgpu_shader_core_pipeline 2048:32\n"
	"-gpgpu_shader_cta 32\n-gpgpu_shader_registers 65536\n-gpgpu_shmem_size 98304\n"
	"-gpgpu_adaptive_cache_config 1\n-gpgpu_shmem_option 0,8,16,32,64,96\n"
	"-gpgpu_unified_l1d_size 128\n-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n";
static const char rtx3070[] =
	"-gpgpu_n_clusters 46\n-gpgpu_n_cores_per_cluster 1\n-gpgpu_shader_core_pipeline 1536:32\n"
	"-gpgpu_shader_cta 32\n-gpgpu_shader_registers 65536\n-gpgpu_shmem_size 102400\n"
	"-gpgpu_adaptive_cache_config 1\n-gpgpu_shmem_option 0,8,16,32,64,100\n"
	"-gpgpu_unified_l1d_size 128\n-gpgpu_cache:dl1 S:4:128:256,L:T:m:L:L,A:384:48,16:0,32\n";
static const char rtx2060[] =
	"-gpgpu_n_clusters 30\n-gpgpu_n_cores_per_cluster 1\n-gpgpu_shader_core_pipeline 1024:32\n"
	"-gpgpu_shader_cta 16\n-gpgpu_shader_registers 65536\n-gpgpu_shmem_size 65536\n"
	"-gpgpu_adaptive_cache_config 1\n-gpgpu_shmem_option 32,64\n"
	"-gpgpu_unified_l1d_size 96\n-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16:0,32\n";

static void parse(struct ct_gpu *g, const char *text)
{
	struct ct_error e;
	if (ct_gpu_parse(g, "c", text, strlen(text), NULL, &e) < 0)
		fail_msg("%s", e.text);
}

static struct ct_kernel kernel(uint32_t threads, uint32_t regs, uint64_t shmem, uint32_t ctas)
{
	struct ct_kernel k = {.id = 1,
	                      .grid = {ctas, 1, 1},
	                      .block = {threads, 1, 1},
	                      .shmem_bytes = shmem,
	                      .regs = regs};
	return k;
}

static struct ct_occupancy occupancy(const struct ct_gpu *g, const struct ct_kernel *k)
{
	struct ct_occupancy o;
	struct ct_error e;
	if (ct_occupancy(g, k, &o, &e) < 0)
		fail_msg("%s", e.text);
	return o;
}

/* Shared memory of the resident CTAs (KiB) to L1 (KiB, ways), every step. */
static void l1_follows_shared_memory(void **state)
{
	(void)state;
	static const struct {
		const char *config;
		uint64_t shmem_kib, l1_kib;
		uint32_t ways;
	} want[] = {
		{qv100, 0, 128, 256},    {qv100, 1, 120, 240},   {qv100, 8, 120, 240},
		{qv100, 9, 112, 224},    {qv100, 16, 112, 224},  {qv100, 32, 96, 192},
		{qv100, 33, 64, 128},    {qv100, 64, 64, 128},   {qv100, 65, 32, 64},
		{qv100, 96, 32, 64},     {rtx3070, 0, 128, 256}, {rtx3070, 8, 120, 240},
		{rtx3070, 16, 112, 224}, {rtx3070, 32, 96, 192}, {rtx3070, 64, 64, 128},
		{rtx3070, 65, 28, 56},   {rtx3070, 100, 28, 56}, {rtx2060, 0, 64, 128},
		{rtx2060, 32, 64, 128},  {rtx2060, 33, 32, 64},  {rtx2060, 64, 32, 64},
	};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct ct_gpu g;
		parse(&g, want[i].config);
		struct ct_kernel k = kernel(64, 16, want[i].shmem_kib * 1024, g.sms);
		struct ct_occupancy o = occupancy(&g, &k);
		assert_int_equal(o.ctas, 1);
		assert_true(o.l1_bytes == want[i].l1_kib * 1024);
		assert_int_equal(o.l1_ways, want[i].ways);
		assert_int_equal(o.l1_sets, 4);
	}
}

/* syn-matmul: 256 CTAs of 2048 bytes; printed before the grid limit, then after it. */
static void grid_limit_comes_first(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_kernel k = kernel(256, 30, 2048, 256);
	parse(&g, qv100);
	struct ct_occupancy o = occupancy(&g, &k);
	assert_int_equal(o.ctas_by_resources, 8);
	assert_int_equal(o.ctas, 4);
	assert_string_equal(o.limit, "grid");
	assert_true(o.l1_bytes == 120 * 1024);
	parse(&g, rtx3070);
	o = occupancy(&g, &k);
	assert_int_equal(o.ctas_by_resources, 6);
	assert_int_equal(o.ctas, 6);
	assert_string_equal(o.limit, "threads");
	assert_true(o.l1_bytes == 112 * 1024);
	parse(&g, rtx2060);
	o = occupancy(&g, &k);
	assert_int_equal(o.ctas, 4);
	assert_true(o.l1_bytes == 64 * 1024);
}

static void each_resource_can_limit(void **state)
{
	(void)state;
	struct ct_gpu g;
	parse(&g, qv100);
	struct ct_kernel k = kernel(33, 16, 0, 100000); /* 64 threads after rounding */
	struct ct_occupancy o = occupancy(&g, &k);
	assert_int_equal(o.ctas, 32);
	assert_int_equal(o.warps_per_cta, 2);
	k = kernel(1024, 17, 0, 100000); /* 20 registers after rounding: 3.2 */
	o = occupancy(&g, &k);
	assert_int_equal(o.ctas, 2);
	assert_string_equal(o.limit, "threads");
	k = kernel(1024, 37, 0, 100000); /* 40 registers */
	o = occupancy(&g, &k);
	assert_int_equal(o.ctas, 1);
	assert_string_equal(o.limit, "registers");
	k = kernel(32, 16, 40000, 100000);
	o = occupancy(&g, &k);
	assert_int_equal(o.ctas, 2);
	assert_string_equal(o.limit, "shmem");
	k = kernel(32, 0, 0, 100000);
	o = occupancy(&g, &k);
	assert_int_equal(o.ctas, 32);
	assert_string_equal(o.limit, "ctas");
}

static void what_does_not_fit(void **state)
{
	(void)state;
	static const struct {
		uint32_t threads, regs;
		uint64_t shmem;
		uint32_t ctas;
		const char *why;
	} bad[] = {
		{4096, 16, 0, 1, "not enough threads"},
		{1024, 255, 0, 1, "not enough registers"},
		{32, 16, 98305, 1, "not enough shmem"},
		{0, 16, 0, 1, "empty"},
		{32, 16, 0, 0, "empty"},
		{UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX, "not enough threads"},
		{32, UINT32_MAX, 0, 1, "not enough registers"},
	};
	struct ct_gpu g;
	struct ct_occupancy o;
	struct ct_error e;
	parse(&g, qv100);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ct_kernel k = kernel(bad[i].threads, bad[i].regs, bad[i].shmem, bad[i].ctas);
		assert_int_equal(ct_occupancy(&g, &k, &o, &e), CT_ERR_INPUT);
		if (!strstr(e.text, bad[i].why))
			fail_msg("%s", e.text);
	}
	struct ct_kernel huge = {.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
	                         .block = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
	assert_int_equal(ct_occupancy(&g, &huge, &o, &e), CT_ERR_INPUT);
}

/* The largest n that satisfies every limit, by trying. */
static void equals_brute_force(void **state)
{
	(void)state;
	uint64_t seed = 2;
	struct ct_gpu g;
	parse(&g, rtx3070);
	for (int i = 0; i < 20000; i++) {
		struct ct_kernel k = kernel(
			(uint32_t)(ct_rand64(&seed) % 1536 + 1), (uint32_t)(ct_rand64(&seed) % 40),
			ct_rand64(&seed) % 3 ? ct_rand64(&seed) % 50000 : 0,
			(uint32_t)(ct_rand64(&seed) % 2000 + 1));
		uint64_t t = (k.block[0] + 31) / 32 * 32, r = (k.regs + 3) / 4 * 4;
		uint32_t n = 0;
		while ((n + 1) * t <= 1536 && (n + 1) * k.shmem_bytes <= 102400 &&
		       (n + 1) * t * r <= 65536 && n + 1 <= 32)
			n++;
		struct ct_occupancy o;
		if (n == 0) {
			assert_true(ct_occupancy(&g, &k, &o, NULL) < 0);
			continue;
		}
		o = occupancy(&g, &k);
		assert_int_equal(o.ctas_by_resources, n);
		while (n > 1 && (uint64_t)(n - 1) * 46 >= k.grid[0])
			n--;
		assert_int_equal(o.ctas, n);
		assert_int_equal(o.warps_per_cta, t / 32);
		assert_true(o.l1_bytes + n * k.shmem_bytes <= 128 * 1024);
	}
}

static void a_fixed_l1_stays(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_error e;
	parse(&g, rtx3070);
	assert_int_equal(ct_gpu_set(&g, "l1.size=32KiB", &e), 0);
	assert_int_equal(ct_gpu_check(&g, &e), 0);
	struct ct_kernel k = kernel(64, 16, 0, 1000);
	struct ct_occupancy o = occupancy(&g, &k);
	assert_true(o.l1_bytes == 32 * 1024);
	assert_int_equal(o.l1_ways, 64);
}

/* The first or last kernel file that the list of a folder names, as it is on disk. */
static int kernel_file(const char *shared, const char *folder, int last, char *out, size_t room)
{
	static const char *const lists[] = {"kernelslist-kept.g", "kernelslist.g"};
	static const char *const ends[] = {"", ".zst", ".xz"};
	char path[2048], line[512], name[512] = "";
	struct stat st;
	FILE *f = NULL;
	snprintf(out, room, "%s/%s.traceg.zst", shared, folder); /* the synthetic ones */
	if (stat(out, &st) == 0)
		return 1;
	for (int i = 0; i < 2 && !f; i++) {
		snprintf(path, sizeof path, "%s/%s/%s", shared, folder, lists[i]);
		f = fopen(path, "r");
	}
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f))
		if (strncmp(line, "kernel", 6) == 0 && (last || !name[0])) {
			line[strcspn(line, "\r\n")] = 0;
			snprintf(name, sizeof name, "%s", line);
		}
	fclose(f);
	for (int i = 0; i < 3; i++) {
		snprintf(out, room, "%s/%s/%s%s", shared, folder, name, ends[i]);
		if (name[0] && stat(out, &st) == 0)
			return 1;
	}
	return 0;
}

static struct ct_occupancy of_file(const char *path, const struct ct_gpu *g)
{
	struct ct_trace_options options = {0};
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_error e;
	if (ct_trace_open(&t, path, &options, &e) < 0 || ct_trace_next(t, &ev, &e) != 1)
		fail_msg("%s", e.text);
	struct ct_occupancy o = occupancy(g, ev.kernel);
	ct_trace_close(t);
	return o;
}

static void one_reference_run(const char *shared, const char *folder, const char *config,
                              uint64_t l1_kib, uint32_t ctas)
{
	char path[4096];
	struct ct_gpu g;
	struct ct_error e;
	snprintf(path, sizeof path, "%s/reference/configs/%s/gpgpusim.config", shared, config);
	if (ct_gpu_load(&g, path, NULL, NULL, &e) < 0)
		fail_msg("%s", e.text);
	if (!kernel_file(shared, folder, 0, path, sizeof path))
		fail_msg("%s: no kernel", folder);
	struct ct_occupancy first = of_file(path, &g);
	assert_true(kernel_file(shared, folder, 1, path, sizeof path));
	struct ct_occupancy last = of_file(path, &g);
	if (first.ctas_by_resources != ctas || last.l1_bytes != l1_kib * 1024)
		fail_msg("%s on %s: %u CTAs, L1 of %lu KiB", folder, config, first.ctas_by_resources,
		         (unsigned long)(last.l1_bytes / 1024));
}

/* Columns l1_kib (of the last kernel) and cta_per_sm (before the grid limit; the simulator
 * prints it for the first kernel) of the reference runs. */
static void reference_runs(void **state)
{
	(void)state;
	const char *root = getenv("CT_ROOT");
	char shared[1024], path[2048], line[1024];
	int rows = 0;
	snprintf(shared, sizeof shared, "%s/../shared", root ? root : ".");
	snprintf(path, sizeof path, "%s/reference/accelsim.tsv", shared);
	FILE *f = fopen(path, "r");
	if (!f) {
		print_message("# ../shared is not here\n");
		skip();
	}
	while (fgets(line, sizeof line, f)) {
		char trace[128], folder[256], config[64];
		unsigned long l1, ctas;
		if (sscanf(line, "%127s %255s %63s %*s %*s %*s %*s %*s %lu %lu", trace, folder, config,
		           &l1, &ctas) != 5)
			continue; /* the heading */
		one_reference_run(shared, folder, config, l1, (uint32_t)ctas);
		rows++;
	}
	fclose(f);
	assert_true(rows > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(l1_follows_shared_memory), cmocka_unit_test(grid_limit_comes_first),
		cmocka_unit_test(each_resource_can_limit),  cmocka_unit_test(what_does_not_fit),
		cmocka_unit_test(equals_brute_force),       cmocka_unit_test(a_fixed_l1_stays),
		cmocka_unit_test(reference_runs),
	};
	return cmocka_run_group_tests_name("occupancy", tests, NULL, NULL);
}
