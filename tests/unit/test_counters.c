/* Tables of profilers: what each form holds, what is missing, what is refused; names of kernels, and which launch a row
 * is of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/counters.h"

static struct ct_error e;

static int read_text(struct ct_counters **c, const char *text, size_t n)
{
	struct ct_source *s;
	assert_int_equal(ct_source_open_memory(&s, "file.csv", text, n, &e), CT_OK);
	int st = ct_counters_read(c, s, &e);
	ct_source_close(s);
	return st;
}

static struct ct_counters *parse(const char *text)
{
	struct ct_counters *c;
	if (read_text(&c, text, strlen(text)) != CT_OK)
		fail_msg("%s", e.text);
	return c;
}

static void refused(const char *text, const char *why)
{
	struct ct_counters *c;
	assert_int_equal(read_text(&c, text, strlen(text)), CT_ERR_INPUT);
	assert_null(c);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, e.text);
}

static void near(double v, double want)
{
	if (!(fabs(v - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g is not %.17g", v, want);
}

#define RAW_HEAD \
	"\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"launch__waves\"," \
	"\"gpc__cycles_elapsed.max\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\"\n"

static void raw_page(void **state)
{
	(void)state;
	struct ct_counters *c = parse(
		"hello, world\n==PROF== Connected\n\"half a quote\n" RAW_HEAD
		"\"\",\"\",\"\",\"\",\"\",\"\",\"cycle\",\"Kbyte\",\"usecond\"\n"
		"\"0\",\"7\",\"void f<(int)4>(int *, const char *)\",\"(64, 2, 1)\",\"(8, 1, 1)\",\"1\","
		"\"1,234,567\",\"12.5\",\"3.25\"\n"
		"\n,,,,,,,,\n"
		"\"1\",\"7\",\"say \"\"hi\"\"\",\"(1,1,1)\",\"1,2,3\",\"1\",\"\",\"n/a\",\"nan\"\r\n");
	assert_int_equal(ct_counters_count(c), 2);
	assert_string_equal(ct_counters_form(c), "ncu raw");
	const struct ct_counter_row *r = ct_counters_at(c, 0);
	assert_string_equal(r->name, "void f<(int)4>(int *, const char *)");
	assert_true(r->shaped);
	assert_int_equal(r->block[0] * 100 + r->block[1] * 10 + r->block[2], 6421);
	assert_int_equal(r->grid[0], 8);
	assert_int_equal(r->invocations, 0);
	assert_int_equal(r->line, 6);
	near(r->value[CT_COUNTER_CYCLES], 1234567);
	near(r->value[CT_COUNTER_DRAM_READ_BYTES], 12500);
	near(r->value[CT_COUNTER_DURATION], 3250);
	assert_true(isnan(r->value[CT_COUNTER_L2_READS]));
	r = ct_counters_at(c, 1);
	assert_string_equal(r->name, "say \"hi\"");
	assert_int_equal(r->grid[2], 3);
	for (int i = 0; i < CT_COUNTERS; i++) /* what is missing is not 0 */
		assert_true(isnan(r->value[i]));
	assert_int_equal(ct_counters_oddities(c)->unmatched, 1);
	ct_counters_free(c);

	/* a filter may have dropped the units; a mark may stand first */
	c = parse("\xef\xbb\xbf" RAW_HEAD "0,7,f,1,1,1,5,6,7\n");
	near(ct_counters_at(c, 0)->value[CT_COUNTER_DRAM_READ_BYTES], 6);
	assert_false(ct_counters_at(c, 0)->shaped);
	ct_counters_free(c);
}

static void wide_text(void **state)
{
	(void)state;
	const char text[] = RAW_HEAD "0,7,f,\"1,1,1\",\"2,1,1\",1,5,6,7";
	char utf16[2 * sizeof text];
	struct ct_counters *c;
	for (int big = 0; big < 2; big++) {
		utf16[0] = (char)(big ? 0xfe : 0xff);
		utf16[1] = (char)(big ? 0xff : 0xfe);
		for (size_t i = 0; i + 1 < sizeof text; i++) {
			utf16[2 + 2 * i + (size_t)big] = text[i];
			utf16[3 + 2 * i - (size_t)big] = 0;
		}
		assert_int_equal(read_text(&c, utf16, 2 * sizeof text), CT_OK);
		near(ct_counters_at(c, 0)->value[CT_COUNTER_CYCLES], 5);
		assert_int_equal(ct_counters_at(c, 0)->grid[0], 2);
		ct_counters_free(c);
	}
}

#define DETAILS_HEAD \
	"\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"

static void details_page(void **state)
{
	(void)state;
	struct ct_counters *c = parse(
		DETAILS_HEAD
		"\"0\",\"7\",\"f(int)\",\"GPU Speed Of Light Throughput\",\"Elapsed Cycles\",\"cycle\",\"2,000\"\n"
		"\"0\",\"7\",\"f(int)\",\"GPU Speed Of Light Throughput\",\"SM Frequency\",\"cycle/nsecond\",\"1.25\"\n"
		"\"0\",\"7\",\"f(int)\",\"GPU Speed Of Light Throughput\",\"Duration\",\"msecond\",\"0.5\"\n"
		"\"0\",\"7\",\"f(int)\",\"Memory Workload Analysis\",\"L2 Hit Rate\",\"%\",\"62.5\"\n"
		"\"0\",\"7\",\"f(int)\",\"Memory Workload Analysis\",\"Mem Busy\",\"parsec\",\"1,2\"\n"
		"\"0\",\"7\",\"f(int)\",\"Occupancy\",\"\",\"\",\"\"\n"
		"\"0\",\"8\",\"g\",\"Command line profiler metrics\",\"dram__sectors_read.sum\",\"Ksector\",\"3\"\n"
		"\"0\",\"7\",\"f(int)\",\"Command line profiler metrics\",\"gpc__cycles_elapsed.max\",\"cycle\",\"2001\"\n"
		"\"0\",\"7\",\"f(int)\",\"Launch Statistics\",\"Elapsed Cycles\",\"cycle\",\"3000\"\n");
	assert_int_equal(ct_counters_count(c), 2); /* two processes */
	const struct ct_counter_row *r = ct_counters_at(c, 0);
	near(r->value[CT_COUNTER_CYCLES], 2001); /* a metric goes over a label */
	near(r->value[CT_COUNTER_CLOCK], 1250);
	near(r->value[CT_COUNTER_DURATION], 500000);
	near(r->value[CT_COUNTER_L2_HIT_RATE], 0.625);
	assert_false(r->shaped);
	near(ct_counters_at(c, 1)->value[CT_COUNTER_DRAM_READ_BYTES], 3000 * 32);
	assert_string_equal(ct_counters_form(c), "ncu details");
	ct_counters_free(c);
}

static void passes_that_disagree(void **state)
{
	(void)state;
	struct ct_counters *c = parse(
		"ID,Kernel Name,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum,"
		"lts__t_sector_hit_rate.pct\n"
		"0,f,100,60,40,104.2\n1,f,100,60,41,99\n2,f,100,60,50,50\n3,f,,60,50,50\n");
	assert_int_equal(ct_counters_oddities(c)->outside, 1);
	assert_int_equal(ct_counters_oddities(c)->torn, 1);
	assert_int_equal(ct_counters_oddities(c)->repeated, 0);
	ct_counters_free(c);
	c = parse(
		DETAILS_HEAD
		"0,7,f,a,gpc__cycles_elapsed.max,cycle,100\n0,7,f,b,gpc__cycles_elapsed.max,cycle,101\n"
		"0,7,f,b,gpc__cycles_elapsed.max,cycle,110\n");
	assert_int_equal(ct_counters_oddities(c)->repeated, 1);
	near(ct_counters_at(c, 0)->value[CT_COUNTER_CYCLES], 100);
	ct_counters_free(c);
}

static void means(void **state)
{
	(void)state;
	struct ct_counters *c = parse(
		"==12== NVPROF is profiling process 12\n==12== Metric result:\n"
		"\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
		"\"Board (0)\",\"f(int*, int)\",4,\"inst_executed\",\"Instructions\",100,300,200.5\n"
		"\"Board (0)\",\"f(int*, int)\",4,\"tex_cache_hit_rate\",\"Rate\",10.00%,30.00%,25.50%\n"
		"\"Board (0)\",\"f(int*, int)\",4,\"dram_read_transactions\",\"Reads\",1,1,1.5e+3\n"
		"\"Board (0)\",\"f(int*, int)\",4,\"achieved_occupancy\",\"Occupancy\",0.1,0.2,0.1\n"
		"\"Board (0)\",\"g\",1,\"inst_executed\",\"Instructions\",7,7,7\n==12== done\n");
	assert_int_equal(ct_counters_count(c), 2);
	const struct ct_counter_row *r = ct_counters_at(c, 0);
	assert_int_equal(r->invocations, 4);
	near(r->value[CT_COUNTER_WARP_INSTS], 200.5);
	near(r->value[CT_COUNTER_L1_HIT_RATE], 0.255);
	near(r->value[CT_COUNTER_DRAM_READ_BYTES], 48000);
	assert_string_equal(ct_counters_form(c), "nvprof");
	ct_counters_free(c);
	c = parse(
		"Process ID,Kernel Name,Invocations,Section Name,Metric Name,Metric Unit,Minimum,Maximum,Average\n"
		"7,f,12,s,smsp__inst_executed.sum,inst,1,3,2\n");
	assert_string_equal(ct_counters_form(c), "ncu summary");
	near(ct_counters_at(c, 0)->value[CT_COUNTER_WARP_INSTS], 2);
	assert_int_equal(ct_counters_at(c, 0)->invocations, 12);
	ct_counters_free(c);
	c = parse(
		"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Name\",\"Correlation_ID\"\n"
		"s,us,,,,,,,,\n1,2.5,,,,,,,\"[CUDA memcpy HtoD]\",1\n1,2.5,8,1,1,64,1,1,\"f(int*) [107]\",107\n");
	assert_int_equal(ct_counters_count(c), 1);
	r = ct_counters_at(c, 0);
	assert_string_equal(r->name, "f(int*)");
	near(r->value[CT_COUNTER_DURATION], 2500);
	assert_true(r->shaped && r->grid[0] == 8 && r->block[0] == 64);
	assert_int_equal(r->invocations, 0);
	ct_counters_free(c);
}

static void what_is_refused(void **state)
{
	(void)state;
	refused("", "no table");
	refused("a,b\n1,2\n", "no table");
	refused("==ERROR== ERR_NVGPUCTRPERM - no\n", "ERR_NVGPUCTRPERM");
	refused(RAW_HEAD "0,7,f,1,1,1,5,6\n", "file.csv:2: 8 columns where the head has 9");
	refused(RAW_HEAD "0,7,f,1,1,1,5,6,7,8\n", "10 columns");
	refused(RAW_HEAD "0,7,\"f,1,1,1,5,6,7\n", "quote");
	refused(RAW_HEAD ",,,,,,cycle,,\n,,,,,,cycle,,\n", "second row");
	static const char *const numbers[] = {
		"1.234,56", "12,34", "1,2345", "0,123",     "1,,234", ",5",
		"1.5.2",    "five",  "0x10",   "1,234.5,6", "--1",    "1e400"};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		char text[512];
		snprintf(text, sizeof text, RAW_HEAD "0,7,f,1,1,1,\"%s\",6,7\n", numbers[i]);
		refused(text, "file.csv:2: gpc__cycles_elapsed.max");
	}
	refused(RAW_HEAD ",,,,,,cycle,furlong,\n0,7,f,1,1,1,5,6,7\n", "\"furlong\"");
	refused(RAW_HEAD ",,,,,,cycle,cycle,\n0,7,f,1,1,1,5,6,7\n", "dram__bytes_read.sum");
	refused(DETAILS_HEAD "0,7,f,s,Duration,fortnight,1\n", "fortnight");
}

static void numbers(void **state)
{
	static const struct {
		const char *cell, *unit;
		double want;
	} good[] = {{"1,234", "byte", 1234},
	            {"12", "Kbyte", 12000},
	            {"1.5", "Mbyte", 1.5e6},
	            {"1,234,567.25", "", 1234567.25},
	            {"10 (1; 2; 7)", "byte", 10},
	            {"-3", "byte", -3},
	            {"2e3", "byte", 2000},
	            {"1.", "byte", 1},
	            {"3.000000000000000000000000000000001", "GB", 3e9},
	            {"999,999", "B", 999999},
	            {"7KB", "", 7000}};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		char text[600];
		snprintf(text, sizeof text, RAW_HEAD ",,,,,,cycle,\"%s\",\n0,7,f,1,1,1,5,\"%s\",7\n",
		         good[i].unit, good[i].cell);
		struct ct_counters *c = parse(text);
		near(ct_counters_at(c, 0)->value[CT_COUNTER_DRAM_READ_BYTES], good[i].want);
		ct_counters_free(c);
	}
}

static void base_names(void **state)
{
	static const struct {
		const char *name, *want; /* NULL: cannot be told */
	} row[] = {
		{"plain", "plain"},
		{"f(int *, float)", "f"},
		{"void f<(int)256, float>(T1 *, int)", "f"},
		{"void ns::inner::f<ns::op<float> >(float *)", "f"},
		{"(anonymous namespace)::f(int)", "f"},
		{"void <unnamed>::f<int>(int *)", "f"},
		{"void ns::(anonymous namespace)::f(int)", "f"},
		{"void S<int>::run(int)", "run"},
		{"_Z1fPii", "f"},
		{"_Z6reduceILi256EfEvPT0_i", "reduce"},
		{"_ZN2ns5inner1fEPf", "f"},
		{"_ZN12_GLOBAL__N_11fEi", "f"},
		{"_ZN2ns1SIiE3runEi", "run"},
		{"_ZN2ns1fILi128EN3foo3barIfEELb1EXadL_Z1gvEEEEvPT1_", "f"},
		{"_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_1gEvEUlvE_EEviT1_", NULL},
		{"_ZL4copyPi", "copy"},
		{"_Z", NULL},
		{"_Z99x", NULL},
		{"_ZN", NULL},
		{"_Z99999999999999999999x", NULL},
		{"f<<<", "f"},
		{"", NULL},
	};
	char out[128];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		int told = ct_counter_base_name(row[i].name, out, sizeof out);
		if (told != (row[i].want != NULL) ||
		    strcmp(out, row[i].want ? row[i].want : row[i].name) != 0)
			fail_msg("%s: %d %s", row[i].name, told, out);
	}
	assert_int_equal(ct_counter_base_name("abcdef", out, 4), 0);
	assert_string_equal(out, "abc");
}

#define LIST_HEAD "ID,Kernel Name,Block Size,Grid Size\n"

static void check_match(const char *text, const struct ct_counter_launch *l, size_t n, const char *want,
                        const char *groups)
{
	size_t match[16], group[16];
	char got[17] = "", of[17] = "";
	struct ct_counters *c = parse(text);
	assert_int_equal(ct_counters_match(c, l, n, match, group, &e), CT_OK);
	for (size_t i = 0; i < ct_counters_count(c); i++)
		snprintf(got + i, 2, "%c", match[i] == SIZE_MAX ? '-' : (char)('0' + match[i]));
	for (size_t i = 0; i < n; i++)
		snprintf(of + i, 2, "%c", (char)('0' + group[i]));
	assert_string_equal(got, want);
	assert_string_equal(of, groups);
	ct_counters_free(c);
}

static void matching(void **state)
{
	static const struct ct_counter_launch mangled[] = {
		{"_Z1fPi", {8, 1, 1}, {64, 1, 1}},
		{"_Z1gPi", {8, 1, 1}, {64, 1, 1}},
		{"_Z1fPi", {9, 1, 1}, {64, 1, 1}},
		{"_Z1fPi", {8, 1, 1}, {64, 1, 1}}};
	static const struct ct_counter_launch templates[] = {
		{"void f<1>(int)", {1, 1, 1}, {1, 1, 1}},
		{"void f<2>(int)", {1, 1, 1}, {1, 1, 1}},
		{"void f<true>(int)", {1, 1, 1}, {1, 1, 1}}};
	(void)state;
	/* shapes tell launches of one name apart; equal ones go in order; the fifth has no partner */
	check_match(
		LIST_HEAD
		"0,f(int*),\"64,1,1\",\"9,1,1\"\n1,g(int*),\"64,1,1\",\"8,1,1\"\n2,f(int*),\"64,1,1\",\"8,1,1\"\n"
		"3,f(int*),\"64,1,1\",\"8,1,1\"\n4,f(int*),\"64,1,1\",\"8,1,1\"\n5,h(int*),\"64,1,1\",\"8,1,1\"\n",
		mangled, 4, "2103--", "0100");
	/* without shapes by name and order alone */
	check_match("ID,Kernel Name\n0,f\n1,f\n2,g\n3,f\n", mangled, 4, "0213", "0100");
	/* spelled alike: templates are apart, also with casts; what differs otherwise goes by its bare name */
	check_match(
		"ID,Kernel Name\n0,void f<(int)2>(int)\n1,void f<(int)1>(int)\n2,void f<(bool)1>(int)\n",
		templates, 3, "102", "012");
	/* means take one group each */
	check_match(
		"Device,Kernel,Invocations,Metric Name,Avg\nd,f(int*),3,inst_executed,5\nd,f(int*),2,inst_executed,5\n"
		"d,g(int*),1,inst_executed,5\n",
		mangled, 4, "0-1", "0100");
	check_match("ID,Kernel Name\n0,f\n", mangled, 0, "-", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_page),     cmocka_unit_test(wide_text),
		cmocka_unit_test(details_page), cmocka_unit_test(passes_that_disagree),
		cmocka_unit_test(means),        cmocka_unit_test(what_is_refused),
		cmocka_unit_test(numbers),      cmocka_unit_test(base_names),
		cmocka_unit_test(matching),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
