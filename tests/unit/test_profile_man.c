/* Holds man/cachetriage-profile.5 to the tables of lib/profile/schema.c and of the mechanisms, whose metrics may stand in a
 * mechanism's own page instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "models/registry.h"
#include "profile/profile.h"

static struct ct_buf page;

/* Adds the text of man/NAME to *b. */
static int read_page(const char *name, struct ct_buf *b)
{
	const char *root = getenv("CT_ROOT");
	char path[4096], block[4096];
	size_t n;
	snprintf(path, sizeof path, "%s/man/%s", root ? root : ".", name);
	FILE *f = fopen(path, "r");
	if (!f)
		return -1;
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		ct_buf_add(b, block, n);
	fclose(f);
	return b->failed ? -1 : 0;
}

static int load(void **state)
{
	(void)state;
	return read_page("cachetriage-profile.5", &page);
}

static int unload(void **state)
{
	(void)state;
	ct_buf_free(&page);
	return 0;
}

/* The part of the page between the heads `from` and the next one. */
static char *section(const char *from)
{
	char head[64];
	snprintf(head, sizeof head, ".Sh %s\n", from);
	char *start = strstr(page.data, head);
	assert_non_null(start);
	start += strlen(head);
	char *end = strstr(start, "\n.Sh ");
	size_t n = end ? (size_t)(end - start) + 1 : strlen(start);
	char *copy = malloc(n + 1);
	assert_non_null(copy);
	memcpy(copy, start, n);
	copy[n] = '\0';
	return copy;
}

static size_t count_items(const char *text)
{
	size_t n = 0;
	for (const char *s = text; (s = strstr(s, ".It Cm ")); s++)
		n++;
	return n;
}

static void every_type_and_column(void **state)
{
	const struct ct_record_type *t;
	char *text = section("RECORD TYPES"), want[512];
	size_t i;
	(void)state;
	for (i = 0; (t = ct_record_type_at(i)); i++) {
		int n = snprintf(want, sizeof want, ".It Cm %s\nColumns:\n", t->name);
		const unsigned columns = t->n_columns + t->n_optional;
		for (unsigned c = 0; c < columns; c++)
			n += snprintf(want + n, sizeof want - (size_t)n, ".Cm %s %s\n",
			              t->columns[c].name, c + 1 < columns ? "," : ".");
		if (!strstr(text, want))
			fail_msg("not in the page: %s", want);
		assert_null(t->columns[columns].name);
	}
	assert_int_equal(count_items(text), i);
	free(text);
}

/* The i-th metric of all that a profile may hold: those of the schema, then those that mechanisms add, each name once. */
static const struct ct_metric *metric_at(const char *type, size_t i)
{
	size_t n = 0;
	while (ct_metric_at(type, n))
		n++;
	if (i < n)
		return ct_metric_at(type, i);
	for (unsigned k = 0; k < ct_mechanism_count(); k++) {
		const struct ct_mechanism *m = ct_mechanism_at(k);
		int estimated = strcmp(type, "ES") == 0;
		const struct ct_metric *row = estimated ? m->metrics : m->items;
		for (unsigned j = 0; j < (estimated ? m->n_metrics : m->n_items); j++) {
			int of_sn = m->merged_miss_rate && strcmp(row[j].name, m->merged_miss_rate) == 0;
			if (ct_metric(type, row[j].name) ||
			    ct_mechanism_metric(type, row[j].name) != &row[j] ||
			    (!estimated && of_sn != (strcmp(type, "SN") == 0)))
				continue;
			if (n++ == i)
				return &row[j];
		}
	}
	return NULL;
}

static const struct ct_metric *metric(const char *type, const char *name)
{
	const struct ct_metric *m = ct_metric(type, name);
	return m ? m : ct_mechanism_metric(type, name);
}

/* 1 when the page of a mechanism that has the metric has the item. */
static int in_own_page(const struct ct_metric *m, const char *item)
{
	int found = 0;
	for (unsigned k = 0; k < ct_mechanism_count() && !found; k++) {
		const struct ct_mechanism *of = ct_mechanism_at(k);
		struct ct_buf own = {0};
		char name[128];
		int has = m >= of->metrics && m < of->metrics + of->n_metrics;
		snprintf(name, sizeof name, "%s.7", of->page);
		found = has && read_page(name, &own) == 0 && strstr(own.data, item);
		ct_buf_free(&own);
	}
	return found;
}

static void check_metrics(const char *head, const char *type)
{
	const struct ct_metric *m;
	char *text = section(head), want[128];
	size_t i, elsewhere = 0;
	for (i = 0; (m = metric_at(type, i)); i++) {
		snprintf(want, sizeof want, "\n.It Cm %s No (%s)\n", m->name, m->unit);
		char *at = strstr(text, want);
		if (!at && in_own_page(m, want)) {
			elsewhere++;
			continue;
		}
		if (!at)
			fail_msg("not in the page: %s", want);
		/* Its rule of merging stands in the same item. */
		char *end = strstr(at + 1, "\n.It ");
		if (end)
			*end = '\0';
		if (strcmp(type, "ES") != 0)
			assert_non_null(strstr(
				at, m->merge == CT_METRIC_NA        ? "Does not merge."
				    : m->merge == CT_METRIC_SUM     ? "as sum."
				    : m->merge == CT_METRIC_SUM_ANY ? "as sum, absent is 0."
				    : m->merge == CT_METRIC_MAX     ? "as 1 if any."
				    : m->merge == CT_METRIC_MEAN    ? "as mean weighted by "
								    : m->num));
		if (end)
			*end = '\n';
		/* Operands are metrics themselves. */
		if (m->den)
			assert_non_null(metric(type, m->den));
		if (m->num)
			assert_non_null(metric(type, m->num));
		assert_ptr_equal(metric(type, m->name), m);
	}
	assert_int_equal(count_items(text) + elsewhere, i);
	free(text);
}

static void every_metric(void **state)
{
	(void)state;
	check_metrics("SN METRICS", "SN");
	check_metrics("IM ITEMS", "IM");
	check_metrics("ES METRICS", "ES");
	assert_null(ct_metric_at("RD", 0));
	assert_string_equal(ct_metric_unit("SN", "cycles"), "cycles");
	assert_string_equal(ct_metric_unit("SN", "no such"), "");
}

static void every_view(void **state)
{
	char *text = section("VIEWS OF RD");
	const char *v;
	(void)state;
	for (size_t i = 0; (v = ct_view_at(i)); i++) {
		char name[64];
		/* "llc@sms=N" stands as "llc@sms= Ns Ar N". */
		snprintf(name, sizeof name, "%.*s", (int)strcspn(v, "N"), v);
		if (!strstr(text, name))
			fail_msg("not in the page: %s", name);
	}
	free(text);
}

/* The names that users rely on. */
static void names_of_the_contract(void **state)
{
	/* clang-format off */
	static const char *const sn[] = {
		"warp_insts", "thread_insts", "mem_insts", "global_requests", "global_lane_accesses",
		"distinct_lines", "distinct_sectors", "l1_sector_accesses", "l1_sector_misses",
		"l1_pending_hits", "l1_miss_rate", "l1_read_sector_accesses", "l1_read_sector_misses",
		"l1_mpki", "llc_sector_accesses", "llc_sector_misses", "llc_read_sector_accesses",
		"llc_read_sector_misses", "llc_miss_rate", "llc_mpki", "dram_read_bytes",
		"dram_write_bytes", "cycles", "launch_cycles", "ipc", "replication_ratio",
		"replicas_mean", "shared_l1_miss_rate", "line_util_0", "line_util_25", "line_util_50",
		"line_util_75", "line_util_100", "useful_bytes_mean", "reg_reuse_far_fraction",
		"compression_high", "compression_low", "compression_none", "l1_line_mpki",
		"llc_line_mpki", "sm_fill", "cold_miss_fraction", "footprint_over_llc", "truncated",
		"missing_kernels"};
	static const char *const es[] = {
		"cycles", "ipc", "speedup", "perf_per_watt", "energy_j", "llc_mpki", "l1_mpki",
		"l1_miss_rate", "storage_bytes", "l1_request_miss_rate", "compute_sms", "cache_sms",
		"extended_llc_bytes", "extended_llc_hit_rate", "bloom_false_positive_rate",
		"compression_ratio", "llc_throughput_ratio", "noc_load_ratio", "dram_utilisation",
		"replication_ratio", "replicas_mean", "remote_fraction", "reply_latency_ratio", "eb",
		"amat", "home_imbalance", "traffic_l1_to_l2_bytes", "traffic_l2_to_l1_bytes",
		"mem_inst_miss_rate", "rf_hit_ratio", "rf_bank_reads_ratio", "rf_energy_ratio",
		"rf_cache_writes_ratio", "issue_stall_fraction", "speedup_configured"};
	/* clang-format on */
	static const char *const types[] = {
		"PG", "TR", "GP", "KN", "SN", "RD", "RJ", "RT", "IM", "MR", "ES", "SW", "EN", "TV"};
	(void)state;
	for (size_t i = 0; i < sizeof sn / sizeof sn[0]; i++)
		assert_non_null(metric("SN", sn[i]));
	for (size_t i = 0; i < sizeof es / sizeof es[0]; i++)
		assert_non_null(metric("ES", es[i]));
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		assert_string_equal(ct_record_type_at(i)->name, types[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_and_column),
		cmocka_unit_test(every_metric),
		cmocka_unit_test(every_view),
		cmocka_unit_test(names_of_the_contract),
	};
	return cmocka_run_group_tests(tests, load, unload);
}
