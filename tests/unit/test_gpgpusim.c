/* gpgpusim.config and trace.config: cache strings, options, warnings, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "gpu/gpu_keys.h"

static char warnings[8192];
static int warned;

static void note(void *ctx, const char *text)
{
	size_t used = strlen(warnings);
	(void)ctx;
	warned++;
	snprintf(warnings + used, sizeof warnings - used, "%s\n", text);
}

static const struct ct_diag diag = {note, NULL};

static int parse(struct ct_gpu *g, const char *text, struct ct_error *e)
{
	warnings[0] = 0;
	warned = 0;
	memset(e, 0, sizeof *e);
	return ct_gpu_parse(g, "dir/gpgpusim.config", text, strlen(text), &diag, e);
}

static void accepts(struct ct_gpu *g, const char *text)
{
	struct ct_error e;
	if (parse(g, text, &e) < 0)
		fail_msg("%s", e.text);
}

static void refuses(const char *text, const char *why)
{
	struct ct_gpu g;
	struct ct_error e;
	if (parse(&g, text, &e) == 0)
		fail_msg("accepted: %s", text);
	if (!strstr(e.text, why))
		fail_msg("'%s' lacks '%s'", e.text, why);
}

/* The field order of doc/replay.md section 6, and every older form. */
static void cache_strings(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t sets, line, sector, ways, write, hash, allocate, entries, merge, queue, port;
	} good[] = {
		{"S:4:128:64,L:T:m:L:L,A:512:8,16:0,32", 4, 128, 32, 64, CT_WRITE_THROUGH_ALLOCATE,
	         CT_HASH_LINEAR, CT_ALLOCATE_ON_MISS, 512, 8, 16, 32},
		{"S:64:128:16,L:B:m:L:P,A:192:4,32:0,32", 64, 128, 32, 16, CT_WRITE_BACK_VALIDATE,
	         CT_HASH_IPOLY, CT_ALLOCATE_ON_MISS, 192, 4, 32, 32},
		{"S:128:128:16,L:B:m:L:X,A:192:4,32:0,32", 128, 128, 32, 16, CT_WRITE_BACK_VALIDATE,
	         CT_HASH_XOR, CT_ALLOCATE_ON_MISS, 192, 4, 32, 32},
		{"N:32:128:4,L:L:m:N:H,S:64:8,8", 32, 128, 128, 4, CT_WRITE_EVICT, CT_HASH_FERMI,
	         CT_ALLOCATE_ON_MISS, 64, 8, 8, 128},
		{"S:4:128:32,L:L:s:N:L,A:256:8,16:0,32", 4, 128, 32, 32, CT_WRITE_EVICT, CT_HASH_LINEAR,
	         CT_ALLOCATE_STREAMING, 256, 8, 16, 32},
		{"64:128:8,L:B:m:W:L,A:32:4,4:0,32", 64, 128, 128, 8, CT_WRITE_BACK_FETCH,
	         CT_HASH_LINEAR, CT_ALLOCATE_ON_MISS, 32, 4, 4, 32},
		{"4:128:24,L:R:m:N:L,F:128:4,128:2", 4, 128, 128, 24, CT_WRITE_THROUGH_NO_ALLOCATE,
	         CT_HASH_LINEAR, CT_ALLOCATE_ON_MISS, 128, 4, 128, 128},
		{"N,64:128:6:L:R:m,A:16:4,4:0:0:0:0", 64, 128, 128, 6, CT_WRITE_THROUGH_NO_ALLOCATE,
	         CT_HASH_LINEAR, CT_ALLOCATE_ON_MISS, 16, 4, 4, 128},
		{"32:128:4,F:E:f:N,A:32:8,8", 32, 128, 128, 4, CT_WRITE_EVICT, CT_HASH_LINEAR,
	         CT_ALLOCATE_ON_FILL, 32, 8, 8, 128},
		{"64:128:2:L", 64, 128, 128, 2, 77, CT_HASH_LINEAR, 77, 77, 77, 77, 128},
		{" S : 4:128:256 , L:T:m:L:L, A:384:48, 16:0, 32 ", 4, 128, 32, 256,
	         CT_WRITE_THROUGH_ALLOCATE, CT_HASH_LINEAR, CT_ALLOCATE_ON_MISS, 384, 48, 16, 32},
	};
	char why[160];
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct ct_cache_params c = {.write_policy = 77,
		                            .allocate = 77,
		                            .mshr_entries = 77,
		                            .mshr_merge = 77,
		                            .miss_queue = 77};
		if (ct_sim_cache(&c, good[i].text, why, sizeof why) != 0)
			fail_msg("refused %s", good[i].text);
		assert_int_equal(c.sets, good[i].sets);
		assert_int_equal(c.line, good[i].line);
		assert_int_equal(c.sector, good[i].sector);
		assert_int_equal(c.ways, good[i].ways);
		assert_int_equal(c.write_policy, good[i].write);
		assert_int_equal(c.set_hash, good[i].hash);
		assert_int_equal(c.allocate, good[i].allocate);
		assert_int_equal(c.mshr_entries, good[i].entries);
		assert_int_equal(c.mshr_merge, good[i].merge);
		assert_int_equal(c.miss_queue, good[i].queue);
		assert_int_equal(c.port_bytes, good[i].port);
	}
	static const char *const bad[] = {
		"",
		"S",
		"S:4:128",
		"S:4:128:64",
		"X:4:128:64,L:T:m:L:L,A:1:1,1",
		"S:0:128:64,L:T:m:L:L,A:512:8,16",
		"S:4:128:64,Q:T:m:L:L,A:512:8,16",
		",,,",
		"S:4:128:64,L:Q:m:L:L,A:512:8,16",
		"S:4:128:64,L:T:q:L:L,A:512:8,16",
		"S:4:128:64,L:T:m:Q:L,A:512:8,16",
		"S:4:128:64,L:T:m:L:Q,A:512:8,16",
		"S:4:128:64,L:T:m:L:L,Q:512:8,16",
		"S:4:128:64,L:T:m:L:L,A:512:8,16:0,32,x",
		"S:4:128:99999999999,L:T:m:L:L,A:512:8,16",
		"S:4:128:64,L:T:m:L:L,A:512,16:0,32x",
		"S:-4:128:64,L:T:m:L:L,A:512:8,16",
		"NONE"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ct_cache_params c = {0};
		if (ct_sim_cache(&c, bad[i], why, sizeof why) != -1)
			fail_msg("accepted %s", bad[i]);
	}
	struct ct_cache_params c = {0};
	assert_int_equal(ct_sim_cache(&c, "none", why, sizeof why), 1);
}

static const char small[] =
	"# comment\n"
	"-gpgpu_n_clusters 6   # half\n"
	"-gpgpu_n_cores_per_cluster 2\n"
	"-gpgpu_n_mem 6\n-gpgpu_n_sub_partition_per_mchannel 2\n"
	"-gpgpu_clock_domains 1400.0:700:700:924.5\n"
	"-gpgpu_shader_core_pipeline 1536:32\n"
	"-gpgpu_cache:dl1 N:32:128:4,L:E:m:N:H,A:32:8,8\n"
	"-gpgpu_cache:dl2 64:128:8,L:B:m:W:L,A:32:4,4:0,32\n"
	"-gpgpu_dram_timing_opt \"nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:\n"
	"                        CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2\"\n"
	"-gpgpu_dram_buswidth 4 -gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_burst_length 8\n"
	"-dram_data_command_freq_ratio 4\n"
	"-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR."
	"BBBCCCCB.CCSSSSSS\n"
	"-gpgpu_scheduler two_level_active:6:0:1\n"
	"-rop_latency 120\n"
	"-gpgpu_dance 7\n-gpgpu_dance 8\n"
	"-gpgpu_max_insn_issue_per_warp 2\n";

static void options(void **state)
{
	(void)state;
	struct ct_gpu g;
	accepts(&g, small);
	assert_string_equal(g.name, "dir");
	assert_int_equal(g.sms, 12);
	assert_int_equal(g.dram_channels, 6);
	assert_int_equal(g.llc_slices, 12);
	assert_true(ct_gpu_llc_bytes(&g) == 12 * 64 * 1024);
	assert_true(g.core_mhz == 1400 && g.noc_mhz == 700 && g.llc_mhz == 700 && g.dram_mhz == 924.5);
	assert_int_equal(g.max_threads, 1536);
	assert_int_equal(g.l1.write_policy, CT_WRITE_EVICT);
	assert_int_equal(g.l1.set_hash, CT_HASH_FERMI);
	assert_int_equal(g.dram_banks, 16);
	assert_int_equal(g.dram_cl, 12);
	assert_int_equal(g.dram_rtpl, 2);
	assert_int_equal(g.dram_bus_bytes, 8);
	assert_int_equal(g.dram_row_bytes, 4096);
	assert_true(g.partition_interleave == 256);
	assert_int_equal(g.scheduler_asked, CT_SCHED_TWO_LEVEL);
	assert_int_equal(g.scheduler, CT_SCHED_TWO_LEVEL);
	assert_int_equal(g.active_warps, 6);
	assert_int_equal(g.llc_latency, 120);
	/* One warning per option: clusters of two, the unknown one once, dual issue. And what is not there. */
	assert_int_equal(warned, 4);
	assert_non_null(strstr(warnings, "17 of 32 options that every configuration has are not given"));
	assert_non_null(strstr(warnings, "dir/gpgpusim.config:17: -gpgpu_dance 7: not understood"));
	assert_non_null(strstr(warnings, "dual issue"));
}

static void changes(void **state)
{
	(void)state;
	struct ct_gpu g;
	accepts(&g, "-gpgpu_cache:dl1 none\n-gpgpu_n_mem 1\n");
	assert_int_equal(g.l1_skip, CT_L1_SKIP_ALL);
	accepts(&g, "-gpgpu_gmem_skip_L1D 1\n-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n");
	assert_int_equal(g.l1_skip, CT_L1_SKIP_GLOBAL);
	accepts(&g, "-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11:4:3:2\n"
	            "-gpgpu_frfcfs_dram_sched_queue_size 0\n-gpgpu_dram_scheduler 0\n");
	assert_int_equal(g.dram_banks, 8);
	assert_int_equal(g.dram_wl, 7);
	assert_int_equal(g.dram_rtpl, 2);
	assert_int_equal(g.dram_fifo, 1);
	assert_int_equal(g.dram_return_queue, 1 << 20); /* not given: without end */
	accepts(&g, "-gpgpu_dram_return_queue_size 116\n");
	assert_int_equal(g.dram_return_queue, 116);
	accepts(&g, "-gpgpu_dram_return_queue_size 0\n");
	assert_int_equal(g.dram_return_queue, 1 << 20);
	accepts(&g, "-gpgpu_adaptive_cache_config 1\n-gpgpu_shmem_option 0, 8 ,16,32,64,96\n"
	            "-gpgpu_unified_l1d_size 128\n-gpgpu_shmem_size 98304\n"
	            "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n");
	assert_int_equal(g.shmem_options, 6);
	assert_true(g.shmem_option[5] == 96 * 1024);
	static const struct {
		const char *name;
		enum ct_scheduler asked, runs;
	} schedulers[] = {
		{"gto", CT_SCHED_GTO, CT_SCHED_GTO},
		{"lrr", CT_SCHED_LRR, CT_SCHED_LRR},
		{"rrr", CT_SCHED_STRICT_RR, CT_SCHED_LRR},
		{"old", CT_SCHED_OLDEST, CT_SCHED_GTO},
		{"warp_limiting:2:8", CT_SCHED_WARP_LIMIT, CT_SCHED_GTO},
	};
	for (size_t i = 0; i < sizeof schedulers / sizeof schedulers[0]; i++) {
		char text[64];
		snprintf(text, sizeof text, "-gpgpu_scheduler %s\n", schedulers[i].name);
		accepts(&g, text);
		assert_int_equal(g.scheduler_asked, schedulers[i].asked);
		assert_int_equal(g.scheduler, schedulers[i].runs);
	}
	assert_int_equal(g.active_warps, 8);
	accepts(&g, "-gpgpu_scheduler dice\n");
	assert_int_equal(warned, 1);
}

static void errors(void **state)
{
	(void)state;
	refuses("-gpgpu_n_mem 0\n", "dir/gpgpusim.config:1: -gpgpu_n_mem 0: wanted");
	refuses("\n-gpgpu_clock_domains 1:2:3\n", ":2: -gpgpu_clock_domains");
	refuses("-gpgpu_cache:dl1 S:4:128\n", "cache string");
	refuses("-gpgpu_cache:dl2 none\n", "without an L2");
	refuses("-gpgpu_shader_core_pipeline 1024:16\n", "THREADS:32");
	refuses("-gpgpu_shmem_option 8,4\n", "ascending");
	refuses("-gpgpu_n_mem 2\n-ptx_opcode_latency_int 65536\n", "latencies between commas");
	refuses("-gpgpu_dram_timing_opt nbk=x\n", ":1: -gpgpu_dram_timing_opt");
	refuses("-gpgpu_mem_addr_mapping dramid@8;0000\n", "dram.mapping");
	refuses("-gpgpu_n_clusters 4096\n-gpgpu_n_cores_per_cluster 2\n", "over 4096");
	refuses("stray\n-gpgpu_n_mem 1\n", "starts with a dash");
	refuses("-gpgpu_shader_registers many\n", "sm.registers = many");
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A trace.config beside the file, or named after a comma. */
static void trace_config(void **state)
{
	(void)state;
	char dir[] = "/tmp/ct-gpu-XXXXXX", path[96], trace[96], pair[200];
	struct ct_gpu g;
	struct ct_error e;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/gpgpusim.config", dir);
	write_file(path, "-gpgpu_n_mem 2\n-ptx_opcode_latency_int 9,13\n");
	assert_int_equal(ct_gpu_load(&g, path, NULL, &diag, &e), 0);
	assert_int_equal(g.unit[CT_CLASS_INT].latency, 9);
	snprintf(trace, sizeof trace, "%s/other.config", dir);
	write_file(trace, "-trace_opcode_latency_initiation_sp 6,4\n-specialized_unit_1 1,4,4,4,4,BRA\n"
	                  "-trace_opcode_latency_initiation_spec_op_1 7,3\n"
	                  "-specialized_unit_2 0,4,4,4,4,TEX\n"
	                  "-trace_opcode_latency_initiation_spec_op_2 9,9\n"
	                  "-trace_opcode_latency_initiation_tensor 1,0\n");
	snprintf(pair, sizeof pair, "%s,%s", path, trace);
	assert_int_equal(ct_gpu_load(&g, pair, NULL, &diag, &e), 0);
	assert_int_equal(g.unit[CT_CLASS_SP].latency, 6);
	assert_int_equal(g.unit[CT_CLASS_HALF].initiation, 2);
	assert_int_equal(g.unit[CT_CLASS_BRANCH].latency, 7);
	assert_int_equal(g.unit[CT_CLASS_TEX].latency, 200);
	assert_int_equal(g.unit[CT_CLASS_TENSOR].initiation, 1);
	assert_int_equal(g.unit[CT_CLASS_INT].latency, 4); /* Accel-Sim's default, not ptx */
	snprintf(trace, sizeof trace, "%s/trace.config", dir);
	write_file(trace, "-trace_opcode_latency_initiation_int 3,2\n");
	assert_int_equal(ct_gpu_load(&g, dir, NULL, &diag, &e), 0); /* the folder will do */
	assert_int_equal(g.unit[CT_CLASS_ALU].latency, 3);
	snprintf(pair, sizeof pair, "%s,%s/nosuch", path, dir);
	assert_true(ct_gpu_load(&g, pair, NULL, &diag, &e) < 0);
	snprintf(pair, sizeof pair, "%s/gpgpusim.config", dir);
	unlink(pair);
	unlink(trace);
	snprintf(pair, sizeof pair, "%s/other.config", dir);
	unlink(pair);
	rmdir(dir);
}

/* The files of the reference runs: values that Accel-Sim itself printed for them. */
static void reference_configurations(void **state)
{
	(void)state;
	const char *root = getenv("CT_ROOT");
	char path[4096];
	struct stat st;
	snprintf(path, sizeof path, "%s/../shared/reference/configs", root ? root : ".");
	if (stat(path, &st) != 0) {
		print_message("# ../shared is not here\n");
		skip();
	}
	static const struct {
		const char *name;
		uint32_t sms, slices, warps, l1, smem, rop, dram;
		uint64_t llc;
		double gbps;
		int warnings;
	} want[] = {
		{"SM7_QV100", 80, 64, 64, 20, 20, 160, 100, 6 << 20, 870.4, 0},
		{"SM86_RTX3070", 46, 32, 48, 39, 29, 187, 254, 4 << 20, 448.064, 0},
		{"SM75_RTX2060", 30, 24, 32, 32, 30, 194, 96, 3 << 20, 336.048, 0},
		{"SM2_GTX480", 15, 12, 48, 35, 26, 120, 100, 768 << 10, 177.408, 2},
		{"SM3_KEPLER_TITAN", 14, 24, 64, 82, 24, 120, 100, 1536 << 10, 288.384, 3},
		{"SM6_TITANX", 28, 24, 64, 82, 24, 120, 100, 3 << 20, 480, 4},
	};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct ct_gpu g;
		struct ct_error e;
		warnings[0] = 0;
		warned = 0;
		snprintf(path, sizeof path, "%s/../shared/reference/configs/%s/gpgpusim.config",
		         root ? root : ".", want[i].name);
		if (ct_gpu_load(&g, path, NULL, &diag, &e) < 0)
			fail_msg("%s", e.text);
		assert_string_equal(g.name, want[i].name);
		assert_int_equal(g.sms, want[i].sms);
		assert_int_equal(g.llc_slices, want[i].slices);
		assert_int_equal(ct_gpu_max_warps(&g), want[i].warps);
		assert_int_equal(g.l1_latency, want[i].l1);
		assert_int_equal(g.shmem_latency, want[i].smem);
		assert_int_equal(g.llc_latency, want[i].rop);
		assert_int_equal(g.dram_latency, want[i].dram);
		assert_true(ct_gpu_llc_bytes(&g) == want[i].llc);
		double off = ct_gpu_dram_gbps(&g) - want[i].gbps;
		assert_true(off < 1e-6 && off > -1e-6);
		if (warned != want[i].warnings)
			fail_msg("%s:\n%s", want[i].name, warnings);
	}
	/* The last one without its second half, up to the end of a line. */
	static char text[1 << 16];
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t n = fread(text, 1, sizeof text, f);
	fclose(f);
	for (n /= 2; n > 0 && text[n - 1] != '\n';)
		n--;
	struct ct_gpu g;
	struct ct_error e;
	warnings[0] = 0;
	assert_int_equal(ct_gpu_parse(&g, "f", text, n, &diag, &e), 0);
	assert_non_null(strstr(warnings, "are lines lost?"));
	/* A mapping whose banks are told in what is lost. */
	const char *timing = strstr(text, "-gpgpu_dram_timing_opt");
	assert_non_null(timing);
	assert_int_equal(ct_gpu_parse(&g, "f", text, (size_t)(timing - text), &diag, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "4 bank bits are more than dram.banks = 4 has"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_strings), cmocka_unit_test(options),
		cmocka_unit_test(changes),       cmocka_unit_test(errors),
		cmocka_unit_test(trace_config),  cmocka_unit_test(reference_configurations),
	};
	return cmocka_run_group_tests_name("gpgpusim", tests, NULL, NULL);
}
