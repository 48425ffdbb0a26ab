#include "pass/private/counts.h"

#include <math.h>
#include <stdio.h>

enum { NCU_SECTOR = 32 }; /* bytes of a sector in its counters of DRAM */

struct count_metric {
	const char *metric;
	size_t offset; /* of a uint64_t in struct ct_replay_counts */
};

/* clang-format off */
#define COUNT(metric, member) {metric, offsetof(struct ct_replay_counts, member)}
/* clang-format on */

static const struct count_metric counts[] = {
	COUNT("warp_insts", warp_insts),
	COUNT("thread_insts", thread_insts),
	COUNT("mem_insts", mem_insts),
	COUNT("global_requests", global_requests),
	COUNT("global_lane_accesses", global_lane_accesses),
	COUNT("l1_sector_accesses", l1_accesses),
	COUNT("l1_sector_misses", l1_misses),
	COUNT("l1_pending_hits", l1_pending),
	COUNT("l1_read_sector_accesses", l1_read_accesses),
	COUNT("l1_read_sector_misses", l1_read_misses),
	COUNT("l1_read_pending_hits", l1_read_pending),
	COUNT("l1_line_accesses", l1_line_accesses),
	COUNT("l1_line_misses", l1_line_misses),
	COUNT("llc_sector_accesses", llc_accesses),
	COUNT("llc_sector_misses", llc_misses),
	COUNT("llc_pending_hits", llc_pending),
	COUNT("llc_read_sector_accesses", llc_read_accesses),
	COUNT("llc_read_sector_misses", llc_read_misses),
	COUNT("llc_line_accesses", llc_line_accesses),
	COUNT("llc_line_misses", llc_line_misses),
	COUNT("dram_read_bytes", dram_read_bytes),
	COUNT("dram_write_bytes", dram_write_bytes),
	COUNT("cycles", cycles),
	COUNT("launch_cycles", launch_cycles),
	/* Operands of the ratios below, so that profiles merge. */
	COUNT("replicated_misses", replicated_misses),
	COUNT("line_fills", line_fills),
	COUNT("line_copies", line_copies),
	COUNT("ctas", ctas),
	COUNT("cta_slots", sm_cta_capacity),
};

static double ratio_of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* What Nsight Compute counts, where it differs: man/cachetriage-profile.5 says how. */
static int add_ncu(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                   const char *method, struct ct_error *e)
{
	const uint64_t load_hits = c->l1_read_accesses - c->l1_read_misses;
	const uint64_t hits = load_hits + c->l1_store_line_hits;
	const uint64_t l2_hits = c->llc_accesses - c->llc_read_misses;
	const struct {
		const char *metric;
		uint64_t value;
	} counts_of[] = {
		{"ncu_warp_insts", c->warp_insts},
		{"ncu_l1_hit_sectors", hits},
		{"ncu_l1_load_hit_sectors", load_hits},
		{"ncu_l2_hit_sectors", l2_hits},
		{"ncu_l2_read_sectors", c->llc_read_accesses},
		{"ncu_l2_write_sectors", c->llc_accesses - c->llc_read_accesses},
		{"ncu_dram_sectors", (c->dram_read_bytes + c->dram_write_bytes) / NCU_SECTOR},
	};
	const struct {
		const char *metric;
		uint64_t above, below;
	} rates[] = {
		{"ncu_l1_hit_rate", hits, c->l1_accesses},
		{"ncu_l1_load_hit_rate", load_hits, c->l1_read_accesses},
		{"ncu_l2_hit_rate", l2_hits, c->llc_accesses},
	};
	int st = CT_OK;
	for (size_t i = 0; i < sizeof counts_of / sizeof counts_of[0] && st == CT_OK; i++)
		st = ct_profile_add_count(p, scope, counts_of[i].metric, counts_of[i].value, NULL,
		                          method, e);
	for (size_t i = 0; i < sizeof rates / sizeof rates[0] && st == CT_OK; i++)
		st = ct_profile_add_real(p, scope, rates[i].metric,
		                         ratio_of(rates[i].above, rates[i].below), NULL, method, e);
	return st;
}

struct ratio_metric {
	const char *metric;
	size_t above, below; /* of uint64_t in struct ct_replay_counts */
	double factor;
};

/* clang-format off */
#define RATIO(metric, a, b, f)                                                        \
	{metric, offsetof(struct ct_replay_counts, a), offsetof(struct ct_replay_counts, b), f}
/* clang-format on */

static const struct ratio_metric ratios[] = {
	RATIO("l1_miss_rate", l1_misses, l1_accesses, 1),
	RATIO("llc_miss_rate", llc_misses, llc_accesses, 1),
	/* Per 1000 thread instructions. */
	RATIO("l1_mpki", l1_misses, thread_insts, 1000),
	RATIO("llc_mpki", llc_misses, thread_insts, 1000),
	RATIO("l1_line_mpki", l1_line_misses, thread_insts, 1000),
	RATIO("llc_line_mpki", llc_line_misses, thread_insts, 1000),
	RATIO("ipc", thread_insts, cycles, 1),
	RATIO("replication_ratio", replicated_misses, line_fills, 1),
	RATIO("replicas_mean", line_copies, line_fills, 1),
	RATIO("sm_fill", ctas, sm_cta_capacity, 1),
};

static uint64_t counter_at(const struct ct_replay_counts *c, size_t offset)
{
	return *(const uint64_t *)(const void *)((const char *)c + offset);
}

/* Counters of the layer CT_PASS_REPLICATION. */
static int is_of_replication(size_t offset)
{
	return offset == offsetof(struct ct_replay_counts, replicated_misses) ||
	       offset == offsetof(struct ct_replay_counts, line_fills) ||
	       offset == offsetof(struct ct_replay_counts, line_copies);
}

int ct_pass_add_sn(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                   const char *method, int replication, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0] && st == CT_OK; i++)
		if (replication || !is_of_replication(counts[i].offset))
			st = ct_profile_add_count(p, scope, counts[i].metric,
			                          counter_at(c, counts[i].offset), NULL, method, e);
	for (size_t i = 0; i < sizeof ratios / sizeof ratios[0] && st == CT_OK; i++)
		if (replication || !is_of_replication(ratios[i].below))
			st = ct_profile_add_real(
				p, scope, ratios[i].metric,
				ratios[i].factor * ratio_of(counter_at(c, ratios[i].above),
			                                    counter_at(c, ratios[i].below)),
				NULL, method, e);
	return st == CT_OK ? add_ncu(p, scope, c, method, e) : st;
}

int ct_pass_add_active(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                       unsigned sms, const char *method, struct ct_error *e)
{
	return ct_profile_add_count(
		p, scope, "active_cycles", (c->busy_sm_cycles + sms / 2) / sms, NULL, method, e);
}

int ct_pass_add_kernel(struct ct_profile *p, const struct ct_kernel *k, uint64_t warps,
                       uint64_t warp_insts, uint64_t thread_insts, uint64_t mem_insts,
                       struct ct_error *e)
{
	const uint64_t n[7] = {k->id,     warps,   warp_insts,    thread_insts,
	                       mem_insts, k->regs, k->shmem_bytes};
	char grid[40], block[40], text[7][24];
	snprintf(grid, sizeof grid, "(%u,%u,%u)", k->grid[0], k->grid[1], k->grid[2]);
	snprintf(block, sizeof block, "(%u,%u,%u)", k->block[0], k->block[1], k->block[2]);
	for (int i = 0; i < 7; i++)
		snprintf(text[i], sizeof text[i], "%llu", (unsigned long long)n[i]);
	const char *f[10] = {text[0], k->name, grid,    block,   text[1],
	                     text[2], text[3], text[4], text[5], text[6]};
	return ct_profile_add(p, "KN", 10, f, e);
}

/* Instructions of the busiest unit class in cycles of one scheduler. */
static double unit_cycles(const struct ct_replay_counts *c, const struct ct_gpu *g)
{
	double most = 0;
	for (int u = 0; u < CT_CLASS_COUNT; u++) {
		double cycles = (double)c->unit_insts[u] * g->unit[u].initiation / g->schedulers;
		if (cycles > most)
			most = cycles;
	}
	return most;
}

struct im_item {
	const char *item;
	double value;
};

int ct_pass_add_im(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                   uint64_t launches, const struct ct_gpu *g, struct ct_error *e)
{
	const uint64_t loads = c->mem_latency_count, stall = c->mem_stall_warp_cycles;
	const uint64_t run = c->cycles - c->launch_cycles;
	const int mesh = g->noc == CT_NOC_MESH; /* which no crossbar replays */
	/* Quick timing does not know what follows from order. */
	const int full = c->mem_stall_open || !stall;
	const uint64_t computing = c->resident_warp_cycles > stall ? c->resident_warp_cycles - stall : 0;
	const struct im_item items[] = {
		{"launches", (double)launches},
		{"loads", (double)loads},
		{"mem_latency_cycles", ratio_of(c->mem_latency_sum, loads)},
		{"mem_parallelism", ratio_of(c->mem_latency_sum, stall)},
		{"think_cycles", ratio_of(computing, loads)},
		{"resident_warps", ratio_of(c->resident_warp_cycles, c->busy_sm_cycles)},
		{"active_sms", ratio_of(c->busy_sm_cycles, run)},
		{"warps_per_cta", ratio_of(c->warps, c->ctas)},
		{"cta_capacity", ratio_of(c->sm_cta_capacity, launches)},
		{"waves", ratio_of(c->ctas, c->sm_cta_capacity)},
		{"l1_requests", (double)c->l1_line_accesses},
		{"l1_line_misses", (double)c->l1_line_misses},
		{"llc_requests", (double)c->llc_line_accesses},
		{"llc_line_misses", (double)c->llc_line_misses},
		{"llc_write_sectors", (double)(c->llc_accesses - c->llc_read_accesses)},
		{"unit_cycles", unit_cycles(c, g)},
		{"issue_cycles", (double)c->warp_insts / g->schedulers},
		{"l1_cycles", (double)c->l1_busy},
		{"noc_request_cycles", (double)c->noc_request_busy},
		{"noc_reply_cycles", (double)c->noc_reply_busy},
		{"llc_cycles", (double)c->llc_busy},
		{"l1_set_stall_cycles", full ? (double)c->l1_set_stall : NAN},
		{"l1_mshr_stall_cycles", full ? (double)c->l1_mshr_stall : NAN},
		{"l1_modified_stall_cycles", full ? (double)c->l1_modified_stall : NAN},
		{"llc_merge_stall_cycles", (double)c->llc_merge_stall},
		{"dram_cycles", (double)c->dram_busy},
		{"noc_request_backlog_cycles", mesh ? NAN : (double)c->noc_request_backlog},
		{"noc_reply_backlog_cycles", mesh ? NAN : (double)c->noc_reply_backlog},
		{"dram_backlog_cycles", (double)c->dram_backlog},
		{"dram_backlog_busy_cycles", (double)c->dram_backlog_busy},
		/* Operands of the quotients above, so that profiles merge. */
		{"mem_latency_sum", (double)c->mem_latency_sum},
		{"mem_stall_warp_cycles", (double)stall},
		{"mem_stall_open_cycles", full ? (double)c->mem_stall_open : NAN},
		{"resident_warp_cycles", (double)c->resident_warp_cycles},
		{"busy_sm_cycles", (double)c->busy_sm_cycles},
		{"run_cycles", (double)run},
		{"warps", (double)c->warps},
		{"ctas", (double)c->ctas},
		{"cta_slots", (double)c->sm_cta_capacity},
	};
	int st = CT_OK;
	for (size_t i = 0; i < sizeof items / sizeof items[0] && st == CT_OK; i++)
		st = ct_profile_add_im(p, scope, items[i].item, items[i].value, NULL, e);
	return st;
}
