/* The record types are those of man/cachetriage-profile.5. Some metrics are there only as the
 * operands that make a ratio mergeable. */
#include "profile/schema.h"

#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define BIT(n) (1u << (n))

/* clang-format off */
#define T(n) {n, CT_COLUMN_TEXT}
#define N(n) {n, CT_COLUMN_COUNT}
#define R(n) {n, CT_COLUMN_REAL}
#define A(n) {n, CT_COLUMN_ANY}
#define END {NULL, CT_COLUMN_TEXT}
/* clang-format on */

static const struct ct_column pg[] = {T("tool"), T("version"), T("command_line"), END};
static const struct ct_column tr[] = {T("path"), T("format"), N("bytes"), T("digest"), END};
static const struct ct_column gp[] = {T("key"), A("value"), T("unit"), END};
static const struct ct_column kn[] = {
	N("id"),           T("name"),      T("grid"), T("block"),       N("warps"), N("warp_insts"),
	N("thread_insts"), N("mem_insts"), N("regs"), N("shmem_bytes"), END};
static const struct ct_column sn[] = {T("scope"), T("metric"), R("value"), T("unit"), T("method"), END};
static const struct ct_column rd[] = {
	T("scope"), T("view"), N("lo"), N("hi"), N("reads"), N("writes"), END};
static const struct ct_column rj[] = {
	T("scope"), T("kind"), N("own_lo"), N("own_hi"), N("other_lo"), N("other_hi"), N("count"), END};
static const struct ct_column rt[] = {
	T("scope"), T("view"), N("lo"), N("hi"), N("time_lo"), N("time_hi"), N("count"), END};
static const struct ct_column im[] = {T("scope"), T("item"), R("value"), T("unit"), END};
static const struct ct_column mr[] = {T("scope"), T("level"), N("capacity_bytes"), R("miss_ratio"), END};
static const struct ct_column es[] = {T("scope"), T("mechanism"), T("system"), T("metric"), R("value"),
                                      T("unit"),  T("method"),    R("low"),    R("high"),   END};
static const struct ct_column sw[] = {
	T("scope"), T("mechanism"), T("system"), T("key"), A("x"),    T("metric"),
	R("value"), T("unit"),      T("method"), R("low"), R("high"), END};
enum { SW_OPTIONAL = 2 }; /* profiles of version 1 before 2026-12 end with the method */
static const struct ct_column tv[] = {
	T("workload"),    T("mechanism"),
	T("verdict"),     R("speedup"),
	R("low"),         R("high"),
	T("reason"),      T("baseline"),
	T("alternative"), R("alternative_speedup"),
	T("decided_by"),  R("sms_used"),
	R("sms_asked"),   END};
enum { TV_OPTIONAL = 6 }; /* profiles of version 1 before 2026-11 end with the reason */
static const struct ct_column cr[] = {
	T("scope"), T("name"), T("metric"), T("unit"), R("predicted"), R("measured"), R("error"), END};
/* Accesses of what a PC or AR record names, and what they met. */
#define ACCESS_COLUMNS \
	N("requests"), N("sectors"), N("bytes_moved"), N("bytes_used"), N("l1_misses"), N("l1_cold"), \
		N("l1_capacity"), N("l1_conflict"), N("l1_pending"), N("llc_misses"), N("reuse_p50"), \
		N("reuse_p90"), N("stall_cycles")
static const struct ct_column pc[] = {T("scope"), T("kernel"),    N("pc"),   T("opcode"), N("line"),
                                      T("array"), ACCESS_COLUMNS, T("file"), END};
enum { PC_OPTIONAL = 1 }; /* only where the trace names source files */
static const struct ct_column ar[] = {
	T("scope"), T("array"), N("first"), N("last"), ACCESS_COLUMNS, END};
static const struct ct_column ph[] = {
	T("scope"), N("phase"), N("from"), N("to"), T("metric"), R("value"), END};
static const struct ct_column pv[] = {
	T("scope"),       N("phase"),  T("mechanism"),   T("verdict"),
	R("speedup"),     R("low"),    R("high"),        R("cycles"),
	R("cycles_with"), T("reason"), T("alternative"), R("alternative_speedup"),
	T("decided_by"),  END};
static const struct ct_column me[] = {
	T("scope"), T("level"), N("capacity_bytes"), R("low"), R("high"), END};
static const struct ct_column re[] = {
	T("scope"), T("view"), R("rate"), R("half_width_mean"), R("half_width_max"), END};
static const struct ct_column sh[] = {N("part"), N("parts"), N("failed"), END};
static const struct ct_column dg[] = {T("what"), T("digest"), END};
static const struct ct_column en[] = {N("records"), T("crc32"), END};

/* name, columns, how many, index, identity, values, bounds, scoped, merge */
/* clang-format off */
#define TYPE(name, c, index, identity, values, bounds, scoped, merge) \
	{name, c, COUNT_OF(c) - 1, 0, index, identity, values, bounds, scoped, merge}
/* clang-format on */

static const struct ct_record_type types[] = {
	TYPE("PG", pg, 0, 0, 0, 0, 0, CT_MERGE_KEEP),
	TYPE("TR", tr, 0, 0, 0, 0, 0, CT_MERGE_KEEP),
	TYPE("GP", gp, 1, BIT(0), 0, 0, 0, CT_MERGE_EQUAL),
	TYPE("KN", kn, 1, BIT(0), 0, 0, 0, CT_MERGE_KEEP),
	TYPE("SN", sn, 2, BIT(0) | BIT(1), BIT(2), 0, 1, CT_MERGE_METRIC),
	TYPE("RD", rd, 2, 0x0f, BIT(4) | BIT(5), BIT(2), 1, CT_MERGE_COUNTS),
	TYPE("RJ", rj, 2, 0x3f, BIT(6), BIT(2) | BIT(4), 1, CT_MERGE_COUNTS),
	TYPE("RT", rt, 2, 0x3f, BIT(6), BIT(2) | BIT(4), 1, CT_MERGE_COUNTS),
	TYPE("IM", im, 2, BIT(0) | BIT(1), BIT(2), 0, 1, CT_MERGE_METRIC),
	TYPE("MR", mr, 2, 0x07, BIT(3), 0, 1, CT_MERGE_NA),
	TYPE("ES", es, 4, 0x4f, BIT(4) | BIT(7) | BIT(8), 0, 1, CT_MERGE_NA),
	{"SW", sw, COUNT_OF(sw) - 1 - SW_OPTIONAL, SW_OPTIONAL, 4, 0x13f, BIT(6) | BIT(9) | BIT(10), 0,
         1, CT_MERGE_NA},
	TYPE("EN", en, 0, 0, 0, 0, 0, CT_MERGE_KEEP),
	{"TV", tv, COUNT_OF(tv) - 1 - TV_OPTIONAL, TV_OPTIONAL, 2, BIT(0) | BIT(1), 0, 0, 0,
         CT_MERGE_KEEP},
	TYPE("ME", me, 2, 0x07, BIT(3) | BIT(4), 0, 1, CT_MERGE_NA),
	TYPE("RE", re, 2, BIT(0) | BIT(1), BIT(2) | BIT(3) | BIT(4), 0, 1, CT_MERGE_NA),
	{"PC", pc, COUNT_OF(pc) - 1 - PC_OPTIONAL, PC_OPTIONAL, 2, 0, 0, 0, 1, CT_MERGE_KEEP},
	TYPE("AR", ar, 2, 0, 0, 0, 1, CT_MERGE_KEEP),
	TYPE("PH", ph, 2, 0, 0, 0, 1, CT_MERGE_KEEP),
	TYPE("PV", pv, 3, 0, 0, 0, 1, CT_MERGE_KEEP),
	TYPE("DG", dg, 1, BIT(0), 0, 0, 0, CT_MERGE_KEEP),
	TYPE("SH", sh, 0, 0, 0, 0, 0, CT_MERGE_KEEP),
	TYPE("CR", cr, 3, 0x07, BIT(4) | BIT(5) | BIT(6), 0, 1, CT_MERGE_NA),
};

/* clang-format off */
#define METRIC(name, unit, merge, num, den, f) {name, unit, merge, num, den, f, CT_METRIC_NEITHER}
#define SUM(name, unit) METRIC(name, unit, CT_METRIC_SUM, NULL, NULL, 0)
#define ANY(name, unit) METRIC(name, unit, CT_METRIC_SUM_ANY, NULL, NULL, 0)
#define MAX(name, unit) METRIC(name, unit, CT_METRIC_MAX, NULL, NULL, 0)
#define NOT(name, unit) METRIC(name, unit, CT_METRIC_NA, NULL, NULL, 0)
#define RATIO(name, unit, f, num, den) METRIC(name, unit, CT_METRIC_RATIO, num, den, f)
#define MEAN(name, unit, weight) METRIC(name, unit, CT_METRIC_MEAN, NULL, weight, 0)
/* The same where one way is better, or where the workload has no part in it. */
#define SUM_LESS(name, unit) {name, unit, CT_METRIC_SUM, NULL, NULL, 0, CT_METRIC_LESS}
#define RATIO_LESS(name, unit, f, num, den) {name, unit, CT_METRIC_RATIO, num, den, f, CT_METRIC_LESS}
#define RATIO_MORE(name, unit, f, num, den) {name, unit, CT_METRIC_RATIO, num, den, f, CT_METRIC_MORE}
#define NOT_LESS(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_LESS}
#define NOT_MORE(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_MORE}
#define NOT_GIVEN(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_GIVEN}
#define SUM_GIVEN(name, unit) {name, unit, CT_METRIC_SUM, NULL, NULL, 0, CT_METRIC_GIVEN}
/* clang-format on */

static const struct ct_metric sn_metrics[] = {
	SUM("warp_insts", "insts"),
	SUM("thread_insts", "insts"),
	SUM("mem_insts", "insts"),
	SUM("global_requests", "requests"),
	SUM("global_lane_accesses", "accesses"),
	NOT("distinct_lines", "lines"),
	NOT("distinct_sectors", "sectors"),
	SUM("l1_sector_accesses", "sectors"),
	SUM_LESS("l1_sector_misses", "sectors"),
	SUM("l1_pending_hits", "sectors"),
	RATIO_LESS("l1_miss_rate", "ratio", 1, "l1_sector_misses", "l1_sector_accesses"),
	SUM("l1_read_sector_accesses", "sectors"),
	SUM_LESS("l1_read_sector_misses", "sectors"),
	SUM("l1_read_pending_hits", "sectors"),
	RATIO_LESS("l1_mpki", "misses/kinst", 1000, "l1_sector_misses", "thread_insts"),
	SUM("l1_line_accesses", "lines"),
	SUM_LESS("l1_line_misses", "lines"),
	RATIO_LESS("l1_line_mpki", "misses/kinst", 1000, "l1_line_misses", "thread_insts"),
	SUM("llc_sector_accesses", "sectors"),
	SUM_LESS("llc_sector_misses", "sectors"),
	SUM("llc_pending_hits", "sectors"),
	SUM("llc_read_sector_accesses", "sectors"),
	SUM_LESS("llc_read_sector_misses", "sectors"),
	RATIO_LESS("llc_miss_rate", "ratio", 1, "llc_sector_misses", "llc_sector_accesses"),
	RATIO_LESS("llc_mpki", "misses/kinst", 1000, "llc_sector_misses", "thread_insts"),
	SUM("llc_line_accesses", "lines"),
	SUM_LESS("llc_line_misses", "lines"),
	RATIO_LESS("llc_line_mpki", "misses/kinst", 1000, "llc_line_misses", "thread_insts"),
	SUM("ncu_warp_insts", "insts"),
	SUM("ncu_l1_hit_sectors", "sectors"),
	SUM("ncu_l1_load_hit_sectors", "sectors"),
	SUM("ncu_l2_hit_sectors", "sectors"),
	RATIO_MORE("ncu_l1_hit_rate", "ratio", 1, "ncu_l1_hit_sectors", "l1_sector_accesses"),
	RATIO_MORE("ncu_l1_load_hit_rate", "ratio", 1, "ncu_l1_load_hit_sectors",
                   "l1_read_sector_accesses"),
	RATIO_MORE("ncu_l2_hit_rate", "ratio", 1, "ncu_l2_hit_sectors", "llc_sector_accesses"),
	SUM_LESS("ncu_l2_read_sectors", "sectors"),
	SUM("ncu_l2_write_sectors", "sectors"),
	SUM_LESS("ncu_dram_sectors", "sectors"),
	SUM_LESS("dram_read_bytes", "bytes"),
	SUM_LESS("dram_write_bytes", "bytes"),
	SUM_LESS("cycles", "cycles"),
	SUM_LESS("launch_cycles", "cycles"),
	SUM_LESS("active_cycles", "cycles"),
	RATIO_MORE("ipc", "insts/cycle", 1, "thread_insts", "cycles"),
	RATIO_LESS("replication_ratio", "ratio", 1, "replicated_misses", "line_fills"),
	RATIO("replicas_mean", "copies", 1, "line_copies", "line_fills"),
	SUM("replicated_misses", "lines"),
	SUM("line_fills", "lines"),
	SUM("line_copies", "copies"),
	MEAN("line_util_0", "ratio", "lines_left"),
	MEAN("line_util_25", "ratio", "lines_left"),
	MEAN("line_util_50", "ratio", "lines_left"),
	MEAN("line_util_75", "ratio", "lines_left"),
	MEAN("line_util_100", "ratio", "lines_left"),
	MEAN("line_touched_0", "ratio", "lines_left"),
	MEAN("line_touched_25", "ratio", "lines_left"),
	MEAN("line_touched_50", "ratio", "lines_left"),
	MEAN("line_touched_75", "ratio", "lines_left"),
	MEAN("line_touched_100", "ratio", "lines_left"),
	SUM("lines_left", "lines"),
	MEAN("useful_bytes_32", "ratio", "line_requests"),
	MEAN("useful_bytes_64", "ratio", "line_requests"),
	MEAN("useful_bytes_96", "ratio", "line_requests"),
	MEAN("useful_bytes_128", "ratio", "line_requests"),
	MEAN("useful_bytes_mean", "bytes", "line_requests"),
	SUM("line_requests", "requests"),
	MEAN("reg_reuse_far_fraction", "ratio", "reg_reuses"),
	SUM("reg_reuses", "reads"),
	MEAN("compression_high", "ratio", "compression_blocks"),
	MEAN("compression_low", "ratio", "compression_blocks"),
	MEAN("compression_none", "ratio", "compression_blocks"),
	SUM("compression_blocks", "blocks"),
	SUM("bdi_bytes", "bytes"),
	SUM("bdi_compressed_bytes", "bytes"),
	RATIO_MORE("bdi_ratio", "ratio", 1, "bdi_bytes", "bdi_compressed_bytes"),
	SUM("bdi_zeros", "blocks"),
	SUM("bdi_repeat", "blocks"),
	SUM("bdi_b8d1", "blocks"),
	SUM("bdi_b8d2", "blocks"),
	SUM("bdi_b8d4", "blocks"),
	SUM("bdi_b4d1", "blocks"),
	SUM("bdi_b4d2", "blocks"),
	SUM("bdi_b2d1", "blocks"),
	SUM("bdi_raw", "blocks"),
	RATIO("sm_fill", "ratio", 1, "ctas", "cta_slots"),
	SUM("ctas", "CTAs"),
	SUM_GIVEN("cta_slots", "CTAs"),
	NOT("cold_miss_fraction", "ratio"),
	NOT("footprint_over_llc", "ratio"),
	NOT("llc_slice_imbalance", "ratio"),
	/* --sample-kernels: what was left out, and 90 % ranges. */
	SUM_GIVEN("sampled_launches", "launches"),
	SUM_GIVEN("sampled_ctas", "CTAs"),
	MEAN("replayed_share", "ratio", "warp_insts"),
	NOT_GIVEN("cycles_low", "cycles"),
	NOT_GIVEN("cycles_high", "cycles"),
	NOT_GIVEN("l1_miss_rate_low", "ratio"),
	NOT_GIVEN("l1_miss_rate_high", "ratio"),
	NOT_GIVEN("llc_miss_rate_low", "ratio"),
	NOT_GIVEN("llc_miss_rate_high", "ratio"),
	/* mpki --explain: classes of misses; cycles with an effect switched off. */
	SUM_LESS("l1_compulsory_misses", "sectors"),
	SUM_LESS("l1_capacity_misses", "sectors"),
	SUM_LESS("l1_associativity_misses", "sectors"),
	SUM_LESS("l1_latency_misses", "sectors"),
	SUM_LESS("l1_mshr_misses", "sectors"),
	SUM_LESS("llc_compulsory_misses", "sectors"),
	SUM_LESS("llc_capacity_misses", "sectors"),
	SUM_LESS("llc_associativity_misses", "sectors"),
	SUM_LESS("llc_latency_misses", "sectors"),
	SUM_LESS("llc_mshr_misses", "sectors"),
	SUM_LESS("cycles_lost_issue", "cycles"),
	SUM_LESS("cycles_lost_dependencies", "cycles"),
	SUM_LESS("cycles_lost_l1", "cycles"),
	SUM_LESS("cycles_lost_network", "cycles"),
	SUM_LESS("cycles_lost_llc", "cycles"),
	SUM_LESS("cycles_lost_dram", "cycles"),
	SUM_LESS("cycles_lost_mshr", "cycles"),
	SUM_LESS("cycles_stack_base", "cycles"),
	SUM_LESS("cycles_stack_issue", "cycles"),
	SUM_LESS("cycles_stack_dependencies", "cycles"),
	SUM_LESS("cycles_stack_l1", "cycles"),
	SUM_LESS("cycles_stack_network", "cycles"),
	SUM_LESS("cycles_stack_llc", "cycles"),
	SUM_LESS("cycles_stack_dram", "cycles"),
	MAX("truncated", "flag"),
	ANY("missing_kernels", "kernels"),
	ANY("joined_launches", "launches"),
	ANY("unlisted_kernels", "kernels"),
	/* What traceinfo counts in the trace itself. */
	SUM("warps", "warps"),
	SUM("predicated_off_insts", "insts"),
	SUM("global_load_requests", "requests"),
	SUM("global_store_requests", "requests"),
	SUM("global_atomic_requests", "requests"),
	SUM("address_lists", "insts"),
	SUM("address_strides", "insts"),
	SUM("address_deltas", "insts"),
	SUM("kernels", "kernels"),
	ANY("skipped_kernels", "kernels"),
	ANY("short_grids", "kernels"),
	ANY("absent_warps", "warps"),
	ANY("misnamed_kernels", "kernels"),
	ANY("unordered_kernels", "kernels"),
	ANY("partial_headers", "kernels"),
	SUM("memcpys", "copies"),
	SUM("memcpy_bytes", "bytes"),
	ANY("arrays", "arrays"),
	ANY("array_bytes", "bytes"),
	NOT("program_status", "status"),
	ANY("unknown_commands", "lines"),
	SUM_GIVEN("text_bytes", "bytes"),
	ANY("insts_mismatches", "warps"),
	ANY("warps_without_exit", "warps"),
	ANY("extra_token_insts", "insts"),
	ANY("width_disagreements", "insts"),
	ANY("null_global_accesses", "accesses"),
	MAX("several_streams", "flag"),
	ANY("cluster_ctas", "CTAs"),
	ANY("bulk_copy_kernels", "kernels"),
};

/* What the closed-network fixed point reads (doc/models.md section 5), and the sums that its
 * quotients are made of. Resource cycles are summed over SMs, slices or channels. */
static const struct ct_metric im_items[] = {
	SUM("launches", "launches"),
	SUM("loads", "insts"),
	RATIO("mem_latency_cycles", "cycles", 1, "mem_latency_sum", "loads"),
	RATIO("mem_parallelism", "loads", 1, "mem_latency_sum", "mem_stall_warp_cycles"),
	MEAN("think_cycles", "cycles", "loads"),
	RATIO("resident_warps", "warps", 1, "resident_warp_cycles", "busy_sm_cycles"),
	RATIO("active_sms", "SMs", 1, "busy_sm_cycles", "run_cycles"),
	RATIO("warps_per_cta", "warps", 1, "warps", "ctas"),
	RATIO("cta_capacity", "CTAs", 1, "cta_slots", "launches"),
	RATIO("waves", "ratio", 1, "ctas", "cta_slots"),
	SUM("l1_requests", "requests"),
	SUM("l1_line_misses", "requests"),
	SUM("llc_requests", "requests"),
	SUM("llc_line_misses", "requests"),
	SUM("llc_write_sectors", "sectors"),
	SUM("unit_cycles", "cycles"),
	SUM("issue_cycles", "cycles"),
	SUM("l1_cycles", "cycles"),
	SUM("noc_request_cycles", "cycles"),
	SUM("noc_reply_cycles", "cycles"),
	SUM("llc_cycles", "cycles"),
	SUM("l1_set_stall_cycles", "cycles"),
	SUM("l1_mshr_stall_cycles", "cycles"),
	SUM("l1_modified_stall_cycles", "cycles"),
	SUM("llc_merge_stall_cycles", "cycles"),
	SUM("dram_cycles", "cycles"),
	SUM("noc_request_backlog_cycles", "cycles"),
	SUM("noc_reply_backlog_cycles", "cycles"),
	SUM("dram_backlog_cycles", "cycles"),
	SUM("dram_backlog_busy_cycles", "cycles"),
	SUM("mem_latency_sum", "cycles"),
	SUM("mem_stall_warp_cycles", "cycles"),
	SUM("mem_stall_open_cycles", "cycles"),
	SUM("resident_warp_cycles", "cycles"),
	SUM("busy_sm_cycles", "cycles"),
	SUM("run_cycles", "cycles"),
	SUM("warps", "warps"),
	SUM("ctas", "CTAs"),
	SUM("cta_slots", "CTAs"),
};

static const struct ct_metric es_metrics[] = {
	NOT_LESS("cycles", "cycles"),         NOT_MORE("ipc", "insts/cycle"),
	NOT_MORE("speedup", "ratio"),         NOT_MORE("speedup_configured", "ratio"),
	NOT_MORE("perf_per_watt", "ratio"),   NOT_LESS("energy_j", "J"),
	NOT_LESS("llc_mpki", "misses/kinst"), NOT_LESS("l1_mpki", "misses/kinst"),
	NOT_LESS("l1_miss_rate", "ratio"),    NOT_LESS("l1_request_miss_rate", "ratio"),
	NOT_GIVEN("storage_bytes", "bytes"),  NOT_MORE("interaction", "ratio"),
};

static const char *const views[] = {
	"l1",        "l1_sector",    "merged",     "merged_sector",    "llc", "llc@sms=N", "home",
	"reg_insts", "reg_distinct", "llc_sector", "llc_sector@sms=N",
};

const struct ct_record_type *ct_record_type_at(size_t i)
{
	return i < COUNT_OF(types) ? &types[i] : NULL;
}

const struct ct_record_type *ct_record_type(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

const struct ct_metric *ct_metric_at(const char *type, size_t i)
{
	if (strcmp(type, "SN") == 0)
		return i < COUNT_OF(sn_metrics) ? &sn_metrics[i] : NULL;
	if (strcmp(type, "IM") == 0)
		return i < COUNT_OF(im_items) ? &im_items[i] : NULL;
	if (strcmp(type, "ES") == 0)
		return i < COUNT_OF(es_metrics) ? &es_metrics[i] : NULL;
	return NULL;
}

const struct ct_metric *ct_metric(const char *type, const char *name)
{
	const struct ct_metric *m;
	for (size_t i = 0; (m = ct_metric_at(type, i)); i++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

const char *ct_metric_unit(const char *type, const char *name)
{
	const struct ct_metric *m = ct_metric(type, name);
	return m ? m->unit : "";
}

const char *ct_view_at(size_t i)
{
	return i < COUNT_OF(views) ? views[i] : NULL;
}
