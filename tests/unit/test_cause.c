/* Reasons from numbers: whatever the numbers are, no word of the sentence contradicts them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "models/common/cause.h"

enum { TEXT = 400 };

static const char *text_of(double speedup, const struct ct_cause *c, size_t n, char text[TEXT])
{
	text[0] = '\0';
	ct_cause_add(text, TEXT, speedup, c, n);
	return text;
}

static void test_sentences(void **state)
{
	char t[TEXT];
	const struct ct_cause miss = {"misses", " %", 100, 0.27, 0.24, 0},
			      sms = {"SMs", "", 1, 68, 45, 1},
			      same = {"bytes", " KiB", 1.0 / 1024, 4096, 4097, 0},
			      none = {"replies", "", 1, NAN, 2, 0};
	const struct ct_cause both[] = {none, miss, sms}, still[] = {none, same};
	(void)state;
	assert_string_equal(text_of(1.2, both, 3, t),
	                    "faster since misses fall from 27 to 24 %, although SMs fall from 68 to 45");
	assert_string_equal(text_of(0.8, both, 3, t),
	                    "slower since SMs fall from 68 to 45, although misses fall from 27 to 24 %");
	assert_string_equal(text_of(1.004, both, 3, t),
	                    "as fast although misses fall from 27 to 24 %, but SMs fall from 68 to 45");
	assert_string_equal(text_of(1, still, 2, t), "as fast: replies stay at 2");
	assert_string_equal(text_of(1, still + 1, 1, t), "as fast: bytes stay at 4 KiB");
	assert_string_equal(text_of(0.5, still, 2, t), "slower by when requests come, not by how many");
	assert_string_equal(
		text_of(1.5, &sms, 1, t),
		"faster by when requests come, not by how many, although SMs fall from 68 to 45");
	ct_cause_add(t, 8, 2, &miss, 1); /* no room is left: nothing is written behind it */
	assert_int_equal(
		strlen(t),
		strlen("faster by when requests come, not by how many, although SMs fall from 68 to 45"));
}

static double random_number(uint64_t *seed)
{
	*seed = ct_mix64(*seed + 1);
	double v = (double)(*seed % 1000) / 37;
	return *seed >> 32 & 7 ? v : *seed >> 40 & 1 ? NAN : v * 1e9;
}

/* The first "from A to B" of a clause goes as its verb says. */
static void expect_verb(const char *clause)
{
	const char *from = strstr(clause, " from ");
	double a, b;
	assert_non_null(from);
	assert_int_equal(sscanf(from, " from %lf to %lf", &a, &b), 2);
	assert_true(strncmp(from - 4, "rise", 4) == 0 ? b > a : a > b);
	assert_true(strncmp(from - 4, "rise", 4) == 0 || strncmp(from - 4, "fall", 4) == 0);
}

/* All but the last cause are better when less: what stands behind "since" has to have moved the way of the speed-up. */
static void test_any_numbers(void **state)
{
	static const char *const name[] = {"a", "b", "c", "good d"};
	uint64_t seed = 7;
	char t[TEXT];
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct ct_cause c[4];
		double speedup = 0.9 + random_number(&seed) / 100;
		for (int k = 0; k < 4; k++)
			c[k] = (struct ct_cause){
				name[k], "", 1, random_number(&seed), random_number(&seed), k == 3};
		if (!(speedup < 10))
			continue;
		text_of(speedup, c, 4, t);
		const char *word = speedup > 1 + ct_cause_same   ? "faster"
		                   : speedup < 1 - ct_cause_same ? "slower"
		                                                 : "as fast";
		assert_int_equal(strncmp(t, word, strlen(word)), 0);
		for (const char *s = t; (s = strstr(s, " from ")); s++)
			expect_verb(s - 4);
		const char *since = strstr(t, " since ");
		if (!since)
			continue;
		int good = strncmp(since + 7, "good d", 6) == 0, rise = strstr(since, " rise ") != NULL;
		const char *fall = strstr(since, " fall "), *up = strstr(since, " rise ");
		rise = up && (!fall || up < fall);
		assert_int_equal(rise == good, *word == 'f');
	}
}

/* A run of a million cycles on rtx3080 that moved so many bytes, in which requests waited for DRAM for a share of the time. */
static struct ct_profile *replayed(double dram, double awaited)
{
	struct ct_profile *p = ct_profile_new(NULL);
	const char *gp[3] = {"sm.count", "68", ""};
	assert_non_null(p);
	assert_int_equal(ct_profile_put(p, "GP", 3, gp, NULL), 0);
	assert_int_equal(ct_profile_add_count(p, "all", "cycles", 1100000, NULL, "replay", NULL), 0);
	assert_int_equal(ct_profile_add_count(p, "all", "launch_cycles", 100000, NULL, "replay", NULL),
	                 0);
	assert_int_equal(ct_profile_add_count(p, "all", "warp_insts", 1000000, NULL, "replay", NULL), 0);
	assert_int_equal(ct_profile_add_real(p, "all", "dram_read_bytes", dram, NULL, "replay", NULL),
	                 0);
	assert_int_equal(ct_profile_add_count(p, "all", "dram_write_bytes", 0, NULL, "replay", NULL), 0);
	/* 20 channels at 4750 MHz, the SMs at 1710 */
	assert_int_equal(ct_profile_add_im(p, "all", "dram_backlog_cycles",
	                                   awaited * 1e6 * 20 * 4750 / 1710, NULL, NULL),
	                 0);
	return p;
}

static void limit(double speedup, const struct ct_cause_flow *f, double dram, double awaited,
                  const char *want)
{
	char t[TEXT] = "why";
	struct ct_profile *p = replayed(dram, awaited);
	ct_cause_add_limit(t, sizeof t, p, speedup, f);
	assert_string_equal(t, want);
	ct_profile_free(p);
}

/* What limits a run in which the crossbars, with the SMs' clock, and DRAM had backlogs for these shares of the time. */
static void limit_of_network(double requests, double replies, double dram, const char *want)
{
	/* 40 slices take the requests, 68 SMs the replies */
	const struct {
		const char *name;
		double cycles;
	} im[] = {{"noc_request_cycles", 0.3 * 40e6},
	          {"noc_reply_cycles", 0.45 * 68e6},
	          {"noc_request_backlog_cycles", requests * 1e6},
	          {"noc_reply_backlog_cycles", replies * 1e6}};
	char t[TEXT] = "";
	struct ct_profile *p = replayed(44.4e6, dram);
	for (size_t i = 0; i < sizeof im / sizeof im[0]; i++)
		assert_int_equal(ct_profile_add_im(p, "all", im[i].name, im[i].cycles, NULL, NULL), 0);
	assert_int_equal(ct_cause_limit(t, sizeof t, p, "all"), CT_OK);
	assert_string_equal(t, want);
	ct_profile_free(p);
}

/* A crossbar that has all it can move is at its limit; requests that wait behind DRAM or behind replies do not say that the way
 * to the LLC is short. */
static void test_network_limits(void **state)
{
	(void)state;
	limit_of_network(0.1, 0.2, 0.1, "latency (replies from the LLC 45 % busy)");
	limit_of_network(0.1, 0.71, 0.1, "replies from the LLC (45 % busy, requests wait 71 %)");
	limit_of_network(0.8, 0.2, 0.1, "requests to the LLC (30 % busy, requests wait 80 %)");
	limit_of_network(0.8, 0.71, 0.1, "replies from the LLC (45 % busy, requests wait 71 %)");
	limit_of_network(0.99, 0.2, 0.9, "DRAM bandwidth (10 % busy, requests wait 90 %)");
}

/* What limits a run, and after it sped up with the flow, whose misses waited for lines of their sets and for MSHRs for these
 * shares of the SMs' time, and its requests for DRAM. */
static void limit_of_l1(double sets, double mshrs, double dram, double speedup, int own_l1,
                        const char *want)
{
	const struct ct_cause_flow flow = {1, 1, 1, own_l1};
	char t[TEXT] = "why";
	struct ct_profile *p = replayed(44.4e6, dram);
	assert_int_equal(ct_profile_add_im(p, "all", "busy_sm_cycles", 60e6, NULL, NULL), 0);
	assert_int_equal(ct_profile_add_im(p, "all", "l1_set_stall_cycles", sets * 60e6, NULL, NULL), 0);
	assert_int_equal(ct_profile_add_im(p, "all", "l1_mshr_stall_cycles", mshrs * 60e6, NULL, NULL),
	                 0);
	ct_cause_add_limit(t, sizeof t, p, speedup, &flow);
	assert_string_equal(t, want);
	ct_profile_free(p);
}

/* L1s whose misses wait for places limit a run, but not where these are taken by misses that wait for DRAM; what another L1
 * lacks nobody knows. */
static void test_l1_limits(void **state)
{
	(void)state;
	limit_of_l1(0.5, 0.1, 0.1, 1, 0, "why, limited by latency (L1 sets 50 % busy)");
	limit_of_l1(0.9, 0.1, 0.1, 1, 0, "why, limited by L1 sets (90 % busy)");
	limit_of_l1(0.1, 0.7, 0.1, 2, 0, "why, limited by L1 MSHRs (70 % busy)");
	limit_of_l1(0.9, 0.7, 0.8, 1, 0,
	            "why, limited by DRAM bandwidth (10 % busy, requests wait 80 %)");
	limit_of_l1(0.9, 0.1, 0.1, 2, 1, "why, limited by L1 sets (90 % busy) before");
	limit_of_l1(0.5, 0.1, 0.1, 2, 1, "why, limited by latency (L1 sets 50 % busy)");
}

/* Modified lines that hold up one L1 for most of the time limit the run, though the SMs in the mean hardly wait; not where DRAM
 * or another part has a backlog as well, which keeps lines for as long. */
static void test_modified_lines_limit(void **state)
{
	static const struct {
		double modified, dram, share;
		const char *says;
	} row[] = {{0.86, 0.1, 0.86, "L1 sets (16 % busy, requests wait 86 %)"},
	           {0.5, 0.1, 0, "latency (L1 sets 16 % busy)"},
	           {0.86, 0.7, 0, "DRAM bandwidth (10 % busy, requests wait 70 %)"},
	           {NAN, 0.1, 0, "latency (L1 sets 16 % busy)"}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		char t[TEXT] = "";
		struct ct_profile *p = replayed(44.4e6, row[i].dram);
		assert_int_equal(ct_profile_add_im(p, "all", "busy_sm_cycles", 60e6, NULL, NULL), 0);
		assert_int_equal(ct_profile_add_im(p, "all", "l1_set_stall_cycles", 9.6e6, NULL, NULL),
		                 0);
		if (!isnan(row[i].modified))
			assert_int_equal(ct_profile_add_im(p, "all", "l1_modified_stall_cycles",
			                                   row[i].modified * 1e6, NULL, NULL),
			                 0);
		assert_int_equal(ct_cause_limit(t, sizeof t, p, "all"), CT_OK);
		assert_string_equal(t, row[i].says);
		assert_true(fabs(ct_cause_modified(p) - row[i].share) < 1e-6);
		ct_profile_free(p);
	}
}

/* rtx3080 moves 444 bytes a core cycle. */
static void test_limits(void **state)
{
	const struct ct_cause_flow same = {1, NAN, 1, 0}, half = {1, 1, 0.25, 0};
	(void)state;
	limit(1, &same, 400e6, 0.9, "why, limited by DRAM bandwidth (90 % busy)");
	limit(1, &same, 40e6, 0.5, "why, limited by latency (DRAM bandwidth 9 % busy)");
	limit(2, &half, 400e6, 0.5,
	      "why, limited by DRAM bandwidth (90 % busy) before and by latency (DRAM bandwidth 45 % busy) after");
	limit(9, &same, 400e6, 0, "why, limited by DRAM bandwidth (90 % busy)");
	/* it sets the pace where requests wait for it, however little it moves */
	limit(1, &same, 140e6, 0.98, "why, limited by DRAM bandwidth (32 % busy, requests wait 98 %)");
	limit(1, &half, 140e6, 0.98,
	      "why, limited by DRAM bandwidth (32 % busy, requests wait 98 %) before and by latency (DRAM bandwidth 8 % busy) after");
	char t[TEXT] = "why";
	struct ct_profile *p = ct_profile_new(NULL);
	ct_cause_add_limit(t, sizeof t, p, 1, &same);
	assert_string_equal(t, "why");
	ct_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences), cmocka_unit_test(test_any_numbers),
		cmocka_unit_test(test_limits),    cmocka_unit_test(test_network_limits),
		cmocka_unit_test(test_l1_limits), cmocka_unit_test(test_modified_lines_limit)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
