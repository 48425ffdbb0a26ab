/* GPU files: the key table, parsing, overrides, sizes, scaling, printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "tests/support/gpus.h"

static const char *root(void)
{
	const char *r = getenv("CT_ROOT");
	return r ? r : ".";
}

static int parse(struct ct_gpu *g, const char *text, struct ct_error *e)
{
	memset(e, 0, sizeof *e);
	return ct_gpu_parse(g, "f", text, strlen(text), NULL, e);
}

static void refuses(const char *text, const char *why)
{
	struct ct_gpu g;
	struct ct_error e;
	if (parse(&g, text, &e) == 0)
		fail_msg("accepted: %s", text);
	assert_int_equal(e.status, CT_ERR_INPUT);
	if (!strstr(e.text, why))
		fail_msg("'%s' lacks '%s'", e.text, why);
}

static void count_warning(void *ctx, const char *what)
{
	(void)what;
	++*(unsigned *)ctx;
}

/* A whole description that lost a line or its end is refused or told: what is missing would be rtx3080's. Not so
 * sm.memory_collectors and noc.piece, which files of before those keys lack. */
static void lost_lines(void **state)
{
	unsigned told = 0;
	const struct ct_diag diag = {count_warning, &told};
	struct ct_gpu g, v100;
	struct ct_error e;
	struct ct_buf b = {0}, cut = {0};
	(void)state;
	test_gpu(&v100, "v100");
	ct_gpu_print(&v100, &b);
	assert_int_equal(ct_buf_check(&b, &e), 0);
	assert_int_equal(ct_gpu_parse(&g, "f", b.data, b.len, &diag, &e), 0);
	assert_int_equal(told, 0);
	for (const char *p = b.data, *next; *p; p = next) {
		next = strchr(p, '\n') + 1;
		told = 0;
		ct_buf_reset(&cut);
		ct_buf_add(&cut, b.data, (size_t)(p - b.data));
		ct_buf_add(&cut, next, b.len - (size_t)(next - b.data));
		int st = ct_gpu_parse(&g, "f", cut.data, cut.len, &diag, &e);
		int is_key = *p != '#' && *p != '\n' && strncmp(p, "sm.scheduler_in_force", 21) != 0 &&
		             strncmp(p, "sm.memory_collectors", 20) != 0 &&
		             strncmp(p, "noc.piece", 9) != 0;
		if (st == 0 && told != (unsigned)is_key)
			fail_msg("%u warnings without %.40s", told, p);
	}
	for (size_t n = b.len / 3; n < b.len; n++) {
		told = 0;
		int st = ct_gpu_parse(&g, "f", b.data, n, &diag, &e);
		if (st == 0 && !told && memcmp(&g, &v100, sizeof g) != 0)
			fail_msg("cut at %zu passes", n);
	}
	/* A few changes are what they are; a number at the very end may have been longer. */
	static const char few[] = "[l1]\nsize = 64KiB\n", *const open_end = "sm.count = 2";
	told = 0;
	assert_int_equal(ct_gpu_parse(&g, "f", few, strlen(few), &diag, &e), 0);
	assert_int_equal(told, 0);
	assert_int_equal(ct_gpu_parse(&g, "f", open_end, strlen(open_end), &diag, &e), 0);
	assert_int_equal(told, 1);
	ct_buf_free(&b);
	ct_buf_free(&cut);
}

static void same_gpu(const struct ct_gpu *a, const struct ct_gpu *b)
{
	/* Both come from memset(0) and stores to fields: padding is equal. */
	assert_memory_equal(a, b, sizeof *a);
}

static const char *const names[] = {
	"rtx3080", "sharedl1-28", "sharedl1-76", "rtx2060-third", "fermi-15", "v100",
	"a100",    "h100",        "rtx3070",     "rtx2060",       "rtx4090",  "qv100"};
enum { NAMES = sizeof names / sizeof names[0] };

static void print_and_parse_again(void **state)
{
	(void)state;
	for (int i = 0; i < NAMES; i++) {
		struct ct_gpu g, again;
		struct ct_error e;
		struct ct_buf b = {0};
		test_gpu(&g, names[i]);
		ct_gpu_print(&g, &b);
		assert_int_equal(ct_buf_check(&b, &e), 0);
		if (ct_gpu_parse(&again, names[i], b.data, b.len, NULL, &e) < 0)
			fail_msg("%s", e.text);
		same_gpu(&g, &again);
		ct_buf_free(&b);
	}
}

static void store_each(void *ctx, const char *key, const char *value, const char *unit)
{
	char text[256];
	struct ct_error e;
	(void)unit;
	snprintf(text, sizeof text, "%s=%s", key, value);
	if (ct_gpu_set(ctx, text, &e) < 0)
		fail_msg("%s", e.text);
}

/* As a profile does: GP records out, -p assignments in. */
static void each_and_set_again(void **state)
{
	(void)state;
	for (int i = 0; i < NAMES; i++) {
		struct ct_gpu g, again;
		struct ct_error e;
		test_gpu(&g, names[i]);
		ct_gpu_defaults(&again);
		assert_int_equal(ct_gpu_each(&g, store_each, &again, &e), CT_OK);
		if (ct_gpu_check(&again, &e) < 0)
			fail_msg("%s", e.text);
		same_gpu(&g, &again);
	}
}

/* No shipped file is warned of. */
static void shipped_files_are_whole(void **state)
{
	unsigned told = 0;
	const struct ct_diag diag = {count_warning, &told};
	(void)state;
	for (int i = 0; i < NAMES; i++) {
		struct ct_gpu g;
		struct ct_error e;
		char data[4096];
		assert_int_equal(ct_gpu_load(&g, names[i], test_data("", data, sizeof data), &diag, &e),
		                 0);
		assert_int_equal(told, 0);
	}
}

static void defaults_are_the_rtx3080(void **state)
{
	(void)state;
	struct ct_gpu file, defaults;
	test_gpu(&file, "rtx3080");
	ct_gpu_defaults(&defaults);
	same_gpu(&file, &defaults);
}

/* Each value of a shipped file has its source beside it, and no key is missing but sm.memory_collectors and noc.piece, which are
 * those of GPGPU-Sim's GPUs. */
static void every_value_has_a_source(void **state)
{
	(void)state;
	for (int i = 0; i < NAMES; i++) {
		char path[4096], line[1024];
		size_t values = 0;
		struct ct_gpu g;
		snprintf(path, sizeof path, "%s/data/gpus/%s.conf", root(), names[i]);
		FILE *f = fopen(path, "r");
		assert_non_null(f);
		while (fgets(line, sizeof line, f)) {
			const char *eq = strchr(line, '='), *hash = strchr(line, '#');
			if (!eq || (hash && hash < eq))
				continue;
			values++;
			if (strncmp(line, "name", 4) == 0)
				continue;
			if (!hash || strlen(hash) < 5)
				fail_msg("%s: no source: %s", path, line);
		}
		fclose(f);
		test_gpu(&g, names[i]);
		int fermi = strcmp(names[i], "fermi-15") == 0 || strncmp(names[i], "sharedl1-", 9) == 0;
		/* All but the computed key, and those two. */
		assert_int_equal(values, ct_gpu_key_count() - (fermi ? 1 : 3));
		assert_int_equal(g.memory_collectors, fermi ? 1 : 0);
		assert_int_equal(g.noc_piece_bytes, fermi ? 32 : 0);
	}
}

/* man/cachetriage-gpu.5 has one item per key, with the unit that profiles print. */
static void the_manual_lists_every_key(void **state)
{
	(void)state;
	char path[4096], line[1024], want[256];
	size_t items = 0;
	snprintf(path, sizeof path, "%s/man/cachetriage-gpu.5", root());
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (strncmp(line, ".It Cm ", 7) != 0 || items == ct_gpu_key_count())
			continue;
		const struct ct_gpu_key *k = ct_gpu_key_at(items++);
		snprintf(want, sizeof want, ".It Cm %s%s%s\n", k->name, k->unit[0] ? " Pq " : "",
		         k->unit);
		assert_string_equal(line, want);
	}
	fclose(f);
	assert_int_equal(items, ct_gpu_key_count());
}

static void files(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_error e;
	assert_int_equal(parse(&g,
	                       "\xef\xbb\xbf# head\r\nsm.count = 7 # comment\r\n\n[clock]\n"
	                       "core=1.71 GHz\n[ l1 ]\nsize = 64 KiB\nways=8\nadaptive = off",
	                       &e),
	                 0);
	assert_int_equal(g.sms, 7);
	assert_true(g.core_mhz == 1710);
	assert_int_equal(g.l1.sets, 64);
	assert_int_equal(parse(&g, "l1.latency = 39 cycles\nenergy.llc = 1.25 pJ/bit\n", &e), 0);
	assert_int_equal(g.l1_latency, 39);
	assert_true(g.llc_pj_per_byte == 10);
	refuses("sm.cuont = 7\n", "f:1: unknown key 'sm.cuont': did you mean 'sm.count'?");
	refuses("\n\nzebra = 7\n", "f:3: unknown key 'zebra'");
	refuses("[sm]\ncount = 7\ncount = 8\n", "f:3: 'sm.count' was already given in line 2");
	refuses("sm.count = 7\n[sm]\ncount = 7\n", "already given in line 1");
	refuses("sm.count = 0\n", "f:1: sm.count = 0: wanted a whole number from 1 to 4096");
	refuses("sm.count = 7.5\n", "f:1:");
	refuses("sm.count = -1\n", "f:1:");
	refuses("sm.count = \n", "f:1:");
	refuses("sm.count\n", "f:1: 'sm.count': wanted KEY = VALUE");
	refuses("clock.core = 1710 W\n", "f:1:");
	refuses("clock.core = nan\n", "f:1:");
	refuses("sm.scheduler = fifo\n", "wanted one of gto, lrr, two_level");
	refuses("l1.flush = maybe\n", "wanted on or off");
	refuses("unit.sp = 4\n", "LATENCY,INITIATION");
	refuses("unit.sp = 4,1,2\n", "LATENCY,INITIATION");
	refuses("unit.sp = 65536,1\n", "LATENCY,INITIATION");
	refuses("unit.sp = 4,65536\n", "LATENCY,INITIATION");
	assert_int_equal(parse(&g, "unit.sp = 65535,65535\n", &e), 0);
	refuses("shmem.options = 0,64KiB,32KiB\n", "ascending");
	refuses("[zoo]\n", "f:1: unknown section [zoo]");
	refuses("[sm\n", "f:1:");
	refuses("[]\n", "f:1:");
	refuses("", "no key in it");
	refuses("# only this\n", "no key in it");
	refuses("l1.adaptive = off\nl1.size = 16KiB\nl1.ways = 4\nl1.sets = 64\n",
	        "f:2: l1.size = 16384 does not agree with the other sizes, which make 32768");
	refuses("llc.size = 5242881\n", "llc.size = 5242881 does not divide");
	refuses("l1.line = 96\n", "f: ");
	refuses("llc.slices = 30\nllc.size = 3840KiB\n", "neither a multiple nor a divisor");
	refuses("dram.mapping = dramid@8;0RB\n", "3 of 64 symbols");
	refuses("dram.banks = 8\ndram.bank_groups = 2\ndram.mapping = "
	        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS\n",
	        "4 bank bits are more than dram.banks = 8 has");
	char longline[2000];
	memset(longline, 'a', sizeof longline);
	longline[sizeof longline - 1] = 0;
	refuses(longline, "f:1: line of 1999 characters");
	assert_int_equal(ct_gpu_parse(&g, "f", "a\0b = 3\n", 8, NULL, &e), CT_ERR_INPUT);
}

static void missing_files(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_error e;
	assert_true(ct_gpu_load(&g, "nosuch", "/nonexistent", NULL, &e) < 0);
	assert_non_null(strstr(e.text, "GPU 'nosuch'"));
	char data[4096];
	snprintf(data, sizeof data, "%s/data", root());
	assert_true(ct_gpu_load(&g, "rtx308", data, NULL, &e) < 0);
	assert_non_null(strstr(e.text, "did you mean 'rtx3080'?"));
	assert_int_equal(ct_gpu_load(&g, "/nonexistent/x", NULL, NULL, &e), CT_ERR_IO);
	assert_true(ct_gpu_load(&g, "/", NULL, NULL, &e) < 0);
	assert_true(ct_gpu_load(&g, "/dev/null", NULL, NULL, &e) < 0);
	assert_true(ct_gpu_load(&g, "/dev/zero", NULL, NULL, &e) < 0);
}

static void set(struct ct_gpu *g, const char *assignment)
{
	struct ct_error e = {0};
	if (ct_gpu_set(g, assignment, &e) != 0)
		fail_msg("%s: %s", assignment, e.text);
}

static void check(struct ct_gpu *g)
{
	struct ct_error e = {0};
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

static void overrides(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_error e;
	ct_gpu_defaults(&g);
	set(&g, "llc.size=10MiB"); /* more sets of the same ways and slices */
	check(&g);
	assert_int_equal(g.llc.sets, 128);
	assert_int_equal(g.llc.ways, 16);
	assert_int_equal(g.llc_slices, 40);
	set(&g, " llc.slices = 20 "); /* the LLC keeps its size */
	check(&g);
	assert_true(ct_gpu_llc_bytes(&g) == 10 << 20);
	assert_int_equal(g.llc.sets, 256);
	set(&g, "llc.sets=64");
	check(&g);
	assert_true(ct_gpu_llc_bytes(&g) == 20 * 64 * 16 * 128);
	set(&g, "llc.ways=32"); /* size stays, sets follow */
	check(&g);
	assert_int_equal(g.llc.sets, 32);
	set(&g, "l1.size=64KiB"); /* 256 ways: the sets stay; no longer adaptive */
	check(&g);
	assert_int_equal(g.l1.sets, 4);
	assert_int_equal(g.l1.ways, 128);
	assert_int_equal(g.l1_adaptive, 0);
	set(&g, "l1.size=16KiB");
	set(&g, "l1.ways=4");
	check(&g);
	assert_int_equal(g.l1.sets, 32);
	set(&g, "llc.memcpy_fill=1");
	assert_int_equal(g.llc_memcpy_fill, 1);
	assert_int_equal(ct_gpu_set(&g, "no_such.warps=48", &e), CT_ERR_USAGE);
	assert_int_equal(ct_gpu_set(&g, "l1.sze=3", &e), CT_ERR_USAGE);
	assert_string_equal(e.text, "unknown key 'l1.sze': did you mean 'l1.size'?");
	assert_int_equal(ct_gpu_set(&g, "l1.size", &e), CT_ERR_USAGE);
	assert_int_equal(ct_gpu_set(&g, "=3", &e), CT_ERR_USAGE);
	assert_int_equal(ct_gpu_set(&g, "l1.size=0", &e), CT_ERR_USAGE);
	set(&g, "llc.size=5330KiB"); /* 5 MiB + 210 KiB */
	assert_int_equal(ct_gpu_check(&g, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "nearest sizes"));
}

/* Several -p for one cache give the same in any order. */
static void overrides_in_any_order(void **state)
{
	(void)state;
	static const char *const l1[] = {"l1.size=48KiB", "l1.ways=6", "l1.line=64"};
	static const char *const llc[] = {"llc.size=10MiB", "llc.slices=80", "llc.ways=8"};
	static const int orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	for (int i = 0; i < 6; i++) {
		struct ct_gpu g;
		ct_gpu_defaults(&g);
		for (int k = 0; k < 3; k++) {
			set(&g, l1[orders[i][k]]);
			set(&g, llc[orders[i][k]]);
		}
		check(&g);
		assert_int_equal(g.l1.sets, 48 * 1024 / 6 / 64);
		assert_int_equal(g.llc.sets, (10 << 20) / 80 / 8 / 128);
		assert_int_equal(g.llc_slices, 80);
	}
}

static void scaling(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_error e;
	test_gpu(&g, "rtx2060");
	assert_int_equal(ct_gpu_scale(&g, 1.0 / 3, &e), 0);
	assert_int_equal(g.sms, 10);
	assert_int_equal(g.dram_channels, 4);
	assert_true(ct_gpu_llc_bytes(&g) == 1 << 20);
	test_gpu(&g, "rtx3080");
	assert_int_equal(ct_gpu_scale(&g, 1.0 / 8, &e), 0);
	assert_int_equal(g.sms, 9);
	assert_int_equal(g.sms_asked, 68);
	assert_int_equal(g.dram_channels, 3);
	assert_int_equal(g.llc_slices, 6);
	assert_int_equal(g.llc_partitions, 2);
	assert_int_equal(ct_gpu_scale(&g, 1e-9, &e), 0);
	assert_int_equal(g.sms, 1);
	assert_int_equal(g.sms_asked, 68); /* of the first */
	assert_int_equal(g.llc_slices, 2);
	assert_int_equal(ct_gpu_set(&g, "sm.count=10", &e), 0);
	assert_int_equal(g.sms_asked, 0); /* those are asked for now */
	assert_int_equal(ct_gpu_scale(&g, 0, &e), CT_ERR_USAGE);
	assert_int_equal(ct_gpu_scale(&g, -1, &e), CT_ERR_USAGE);
	assert_true(ct_gpu_scale(&g, 1e30, &e) < 0);
}

static void resizing_the_llc(void **state)
{
	(void)state;
	struct ct_gpu g;
	struct ct_error e;
	test_gpu(&g, "rtx3080");
	assert_int_equal(ct_gpu_resize_llc(&g, 5330 << 10, &e), 0);
	/* 5330 KiB over 40 slices of 2 KiB sets: 66.6 sets. */
	assert_int_equal(g.llc.sets, 67);
	assert_int_equal(ct_gpu_resize_llc(&g, 20 << 20, &e), 0);
	assert_true(ct_gpu_llc_bytes(&g) == 20 << 20);
	assert_int_equal(ct_gpu_resize_llc(&g, 1, &e), 0);
	assert_int_equal(g.llc.sets, 1);
	assert_true(ct_gpu_resize_llc(&g, UINT64_MAX, &e) < 0);
}

/* Sizes that the papers and vendors publish; see the files for the sources. */
static void derived_sizes_are_the_published_ones(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t sms, warps;
		uint64_t llc, register_kib;
		double gbps, tolerance;
	} want[] = {
		{"rtx3080", 68, 48, 5 << 20, 256, 760, 0.001},
		{"sharedl1-28", 28, 48, 1 << 20, 128, 0, 0},
		{"sharedl1-76", 76, 48, 3 << 20, 128, 0, 0},
		{"rtx2060-third", 10, 32, 1 << 20, 256, 336.0 / 3, 0.001},
		{"fermi-15", 15, 48, 768 << 10, 128, 177.4, 0.001},
		{"v100", 80, 64, 6 << 20, 256, 900, 0.003},
		{"qv100", 80, 64, 6 << 20, 256, 900, 0.003},
		{"a100", 108, 64, 40 << 20, 256, 1555, 0.001},
		{"h100", 132, 64, 50 << 20, 256, 3350, 0.005},
		{"rtx3070", 46, 48, 4 << 20, 256, 448, 0.001},
		{"rtx2060", 30, 32, 3 << 20, 256, 336, 0.001},
		{"rtx4090", 128, 48, 72 << 20, 256, 1008, 0.001},
	};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct ct_gpu g;
		test_gpu(&g, want[i].name);
		assert_string_equal(g.name, want[i].name);
		assert_int_equal(g.sms, want[i].sms);
		assert_int_equal(ct_gpu_max_warps(&g), want[i].warps);
		assert_true(ct_gpu_llc_bytes(&g) == want[i].llc);
		assert_true(ct_gpu_register_bytes(&g) == want[i].register_kib << 10);
		double off = ct_gpu_dram_gbps(&g) / want[i].gbps - 1;
		if (want[i].gbps > 0 && (off > want[i].tolerance || off < -want[i].tolerance))
			fail_msg("%s: %g GB/s", want[i].name, ct_gpu_dram_gbps(&g));
	}
}

/* Morpheus 4.1.2 and 5: an LLC access takes 160 ns and a miss 608 ns; Accel-Sim's path
 * is l1 + llc.latency + 13 cycles to the LLC, then dram.latency and the commands. */
static void latencies_of_the_rtx3080(void **state)
{
	(void)state;
	struct ct_gpu g;
	test_gpu(&g, "rtx3080");
	double hit = (g.l1_latency + g.llc_latency + 13) / g.core_mhz * 1e3;
	double commands = (g.dram_rcd + g.dram_cl + g.dram_burst / g.dram_data_ratio) / g.dram_mhz * 1e3;
	double miss = hit + g.dram_latency / g.core_mhz * 1e3 + commands;
	assert_true(hit > 159.5 && hit < 160.5);
	assert_true(miss > 607.5 && miss < 608.5);
	assert_int_equal(g.llc_partitions, 10);
	assert_int_equal(g.llc.sets * g.llc_slices / g.llc_partitions, 256);
	assert_int_equal(g.scheduler_asked, CT_SCHED_TWO_LEVEL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_and_parse_again),
		cmocka_unit_test(each_and_set_again),
		cmocka_unit_test(shipped_files_are_whole),
		cmocka_unit_test(defaults_are_the_rtx3080),
		cmocka_unit_test(every_value_has_a_source),
		cmocka_unit_test(the_manual_lists_every_key),
		cmocka_unit_test(files),
		cmocka_unit_test(lost_lines),
		cmocka_unit_test(missing_files),
		cmocka_unit_test(overrides),
		cmocka_unit_test(overrides_in_any_order),
		cmocka_unit_test(scaling),
		cmocka_unit_test(resizing_the_llc),
		cmocka_unit_test(derived_sizes_are_the_published_ones),
		cmocka_unit_test(latencies_of_the_rtx3080),
	};
	return cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
}
