/* gpgpusim.config and trace.config of GPGPU-Sim and Accel-Sim (doc/replay.md section 11).
 *
 * An option either sets one of our keys, or is handled by a function, or is known to
 * have no effect on what is modelled, or is known and expected to have one value, or
 * is not understood: the last two are named in one warning each. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_keys.h"
#include "gpu/sim.h"

void ct_sim_warn_once(struct ct_sim *s, const char *why)
{
	for (unsigned i = 0; i < s->warned; i++)
		if (strcmp(s->warned_name[i], s->option) == 0)
			return;
	if (s->warned == CT_SIM_WARNED)
		return;
	snprintf(s->warned_name[s->warned++], CT_SIM_NAME, "%s", s->option);
	ct_warn(s->diag, "%s:%u: -%s %s: %s", s->file, s->line, s->option, s->value, why);
}

static int bad_value(struct ct_sim *s, const char *wanted, struct ct_error *e)
{
	return ct_fail(e, CT_ERR_INPUT, "%s:%u: -%s %s: wanted %s", s->file, s->line, s->option,
	               s->value, wanted);
}

int ct_sim_set(struct ct_sim *s, const char *key, const char *value, struct ct_error *e)
{
	struct ct_error why;
	const struct ct_key_row *r = ct_key_find(key);
	if (!r || ct_key_store(s->g, r, value, CT_ERR_INPUT, &why) < 0)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: -%s %s: %s", s->file, s->line, s->option,
		               s->value, r ? why.text : key);
	return 0;
}

/* Whole numbers between separators, at most n; returns how many, or -1. */
static int parse_numbers(const char *text, const char *separators, uint64_t *out, int n)
{
	int k = 0;
	while (*text) {
		char item[32];
		size_t len = strcspn(text, separators), skip = len;
		while (len && isspace((unsigned char)text[len - 1]))
			len--;
		while (len && isspace((unsigned char)*text)) {
			text++;
			len--;
			skip--;
		}
		if (k == n || len == 0 || len >= sizeof item)
			return -1;
		memcpy(item, text, len);
		item[len] = 0;
		if (ct_parse_u64_range(item, 0, UINT32_MAX, &out[k++]) < 0)
			return -1;
		text += skip;
		if (*text && !*++text)
			return -1;
	}
	return k;
}

static int parse_count(struct ct_sim *s, uint32_t *out, struct ct_error *e)
{
	uint64_t v;
	if (parse_numbers(s->value, ":", &v, 1) != 1 || v == 0 || v > 4096)
		return bad_value(s, "a number from 1 to 4096", e);
	*out = (uint32_t)v;
	return 0;
}

static int on_clusters(struct ct_sim *s, struct ct_error *e)
{
	return parse_count(s, &s->clusters, e);
}
static int on_cores(struct ct_sim *s, struct ct_error *e)
{
	int rc = parse_count(s, &s->cores, e);
	if (rc == 0 && s->cores > 1)
		ct_sim_warn_once(s, "each SM gets a network port of its own");
	return rc;
}
static int on_channels(struct ct_sim *s, struct ct_error *e)
{
	return parse_count(s, &s->channels, e);
}
static int on_per_channel(struct ct_sim *s, struct ct_error *e)
{
	return parse_count(s, &s->per_channel, e);
}
static int on_chips(struct ct_sim *s, struct ct_error *e)
{
	return parse_count(s, &s->chips, e);
}
static int on_bus(struct ct_sim *s, struct ct_error *e)
{
	return parse_count(s, &s->bus, e);
}

/* -gpgpu_clock_domains: four clocks in MHz. */
static int on_clocks(struct ct_sim *s, struct ct_error *e)
{
	static const char *const keys[] = {"clock.core", "clock.noc", "clock.llc", "clock.dram"};
	const char *p = s->value;
	for (int i = 0; i < 4; i++) {
		char item[64];
		size_t n = strcspn(p, ":");
		if (n == 0 || n >= sizeof item || (i < 3) != (p[n] == ':'))
			return bad_value(s, "CORE:NETWORK:L2:DRAM in MHz", e);
		memcpy(item, p, n);
		item[n] = 0;
		int rc = ct_sim_set(s, keys[i], item, e);
		if (rc < 0)
			return rc;
		p += n + (i < 3);
	}
	return 0;
}

static int on_pipeline(struct ct_sim *s, struct ct_error *e)
{
	uint64_t v[3];
	char text[32];
	int n = parse_numbers(s->value, ":", v, 3);
	if (n < 2 || v[1] != 32)
		return bad_value(s, "THREADS:32", e);
	snprintf(text, sizeof text, "%llu", (unsigned long long)v[0]);
	return ct_sim_set(s, "sm.max_threads", text, e);
}

/* -gpgpu_scheduler: a name, and for some the number of active warps behind colons. An unknown scheduler
 * stays the default. */
static int on_scheduler(struct ct_sim *s, struct ct_error *e)
{
	static const struct {
		const char *sim;
		enum ct_scheduler ours;
	} names[] = {
		{"gto", CT_SCHED_GTO},
		{"lrr", CT_SCHED_LRR},
		{"old", CT_SCHED_OLDEST},
		{"rrr", CT_SCHED_STRICT_RR},
		{"two_level_active", CT_SCHED_TWO_LEVEL},
		{"tl", CT_SCHED_TWO_LEVEL},
		{"warp_limiting", CT_SCHED_WARP_LIMIT},
	};
	size_t n = strcspn(s->value, ":");
	uint64_t v[4];
	(void)e;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strlen(names[i].sim) != n || strncmp(names[i].sim, s->value, n) != 0)
			continue;
		s->g->scheduler_asked = names[i].ours;
		/* two_level_active:ACTIVE:inner:outer, warp_limiting:priority:ACTIVE */
		int k = s->value[n] ? parse_numbers(s->value + n + 1, ":", v, 4) : 0;
		int at = names[i].ours == CT_SCHED_WARP_LIMIT ? 1 : 0;
		if (k > at && v[at] >= 1 && v[at] <= 64)
			s->g->active_warps = (uint32_t)v[at];
		return 0;
	}
	s->g->scheduler_asked = CT_SCHED_GTO;
	ct_sim_warn_once(s, "unknown scheduler, gto is used");
	return 0;
}

static int on_l1(struct ct_sim *s, struct ct_error *e)
{
	char note[160];
	int rc = ct_sim_cache(&s->g->l1, s->value, note, sizeof note);
	if (rc < 0)
		return bad_value(s, "a cache string as S:4:128:64,L:T:m:L:L,A:512:8,16:0,32", e);
	s->have_l1 = rc == 0;
	if (note[0])
		ct_sim_warn_once(s, note);
	return 0;
}

static int on_llc(struct ct_sim *s, struct ct_error *e)
{
	char note[160];
	int rc = ct_sim_cache(&s->g->llc, s->value, note, sizeof note);
	if (rc == 1)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s:%u: -%s none: a GPU without an L2 is not modelled", s->file, s->line,
		               s->option);
	if (rc < 0)
		return bad_value(s, "a cache string as S:64:128:16,L:B:m:L:P,A:192:4,32:0,32", e);
	s->g->llc_total = 0;
	if (note[0])
		ct_sim_warn_once(s, note);
	return 0;
}

static int on_shmem_options(struct ct_sim *s, struct ct_error *e)
{
	uint64_t kib[CT_MAX_SHMEM_OPTIONS];
	int n = parse_numbers(s->value, ",", kib, CT_MAX_SHMEM_OPTIONS);
	if (n < 1)
		return bad_value(s, "up to 16 sizes in KiB", e);
	memset(s->g->shmem_option, 0, sizeof s->g->shmem_option); /* equal GPUs are so byte by byte */
	s->g->shmem_options = (uint32_t)n;
	for (int i = 0; i < n; i++) {
		s->g->shmem_option[i] = kib[i] * 1024;
		if ((i && kib[i] <= kib[i - 1]) || kib[i] > 1u << 20)
			return bad_value(s, "ascending sizes in KiB", e);
	}
	return 0;
}

static int on_unified(struct ct_sim *s, struct ct_error *e)
{
	uint64_t kib;
	if (parse_numbers(s->value, ":", &kib, 1) != 1 || kib > 1u << 20)
		return bad_value(s, "a size in KiB", e);
	s->g->unified_bytes = kib * 1024;
	return 0;
}

static int on_skip(struct ct_sim *s, struct ct_error *e)
{
	return ct_sim_set(s, "l1.bypass", strcmp(s->value, "0") == 0 ? "none" : "global", e);
}

static int on_indexing(struct ct_sim *s, struct ct_error *e)
{
	/* 6 is the ipoly modulo of later versions; ours does that wherever it must. */
	static const char *const names[] = {"linear", "xor", "ipoly", "pae", "fold", "linear", "ipoly"};
	uint64_t v;
	if (parse_numbers(s->value, ":", &v, 1) != 1 || v > 6)
		return bad_value(s, "a number from 0 to 6", e);
	if (v == 4)
		ct_sim_warn_once(s, "the random table is replaced by a balanced hash");
	if (v == 5)
		ct_sim_warn_once(s, "custom indexing is not known: none is used");
	return ct_sim_set(s, "llc.slice_hash", names[v], e);
}

/* -gpgpu_mem_addr_mapping: kept as it is. The bytes of a DRAM row and the interleaving of channels
 * follow from it. */
static int on_mapping(struct ct_sim *s, struct ct_error *e)
{
	unsigned column = 0, start;
	const char *map = strchr(s->value, ';');
	int rc = ct_sim_set(s, "dram.mapping", s->value, e);
	if (rc < 0)
		return rc;
	for (const char *p = map ? map + 1 : s->value; *p; p++)
		column += *p == 'C' || *p == 'c' || *p == 'S' || *p == 's';
	if (column >= 5 && column <= 24)
		s->g->dram_row_bytes = 1u << column;
	/* Two digits at most. NOLINTNEXTLINE(cert-err34-c) */
	if (sscanf(s->value, "dramid@%2u", &start) == 1 && start >= 5 && start <= 20)
		s->g->partition_interleave = UINT64_C(1) << start;
	return 0;
}

static const char *const timing_names[] = {"nbk", "CCD", "RRD",  "RCD", "RAS",    "RP",   "RC",
                                           "CL",  "WL",  "CDLR", "WR",  "nbkgrp", "CCDL", "RTPL"};
static const char *const timing_keys[] = {
	"dram.banks", "dram.ccd", "dram.rrd",  "dram.rcd", "dram.ras",         "dram.rp",   "dram.rc",
	"dram.cl",    "dram.wl",  "dram.cdlr", "dram.wr",  "dram.bank_groups", "dram.ccdl", "dram.rtpl"};
enum { TIMINGS = sizeof timing_names / sizeof timing_names[0] };

/* "nbk=16:CCD=2:..." in any order, or the same values without names. */
static int on_timing(struct ct_sim *s, struct ct_error *e)
{
	const char *p = s->value;
	for (size_t i = 0; *p; i++) {
		char item[64], *eq;
		size_t n = strcspn(p, ":"), k = i;
		while (n && isspace((unsigned char)*p)) {
			p++;
			n--;
		}
		if (n == 0 || n >= sizeof item)
			return bad_value(s, "NAME=CYCLES between colons", e);
		memcpy(item, p, n);
		item[n] = 0;
		while (n && isspace((unsigned char)item[n - 1]))
			item[--n] = 0;
		if ((eq = strchr(item, '='))) {
			*eq = 0;
			for (k = 0; k < TIMINGS && strcmp(timing_names[k], item) != 0; k++)
				;
			if (k == TIMINGS)
				ct_sim_warn_once(s, "has a timing that is not understood");
		} else if (k >= TIMINGS) {
			return bad_value(s, "at most 14 timings", e);
		}
		int rc = k < TIMINGS ? ct_sim_set(s, timing_keys[k], eq ? eq + 1 : item, e) : 0;
		if (rc < 0)
			return rc;
		p += strcspn(p, ":");
		p += *p == ':';
	}
	return 0;
}

static int on_queues(struct ct_sim *s, struct ct_error *e)
{
	uint64_t v[8];
	char text[32];
	if (parse_numbers(s->value, ":", v, 8) < 1)
		return bad_value(s, "queue lengths between colons", e);
	snprintf(text, sizeof text, "%llu", (unsigned long long)v[0]);
	return ct_sim_set(s, "llc.queue", text, e);
}

static int on_dram_scheduler(struct ct_sim *s, struct ct_error *e)
{
	return ct_sim_set(s, "dram.fifo", strcmp(s->value, "0") == 0 ? "on" : "off", e);
}

static int on_dram_queue(struct ct_sim *s, struct ct_error *e)
{
	return ct_sim_set(s, "dram.queue", strcmp(s->value, "0") == 0 ? "1048576" : s->value, e);
}

static int on_dram_return_queue(struct ct_sim *s, struct ct_error *e)
{
	return ct_sim_set(s, "dram.return_queue", strcmp(s->value, "0") == 0 ? "1048576" : s->value, e);
}

static int on_network(struct ct_sim *s, struct ct_error *e)
{
	(void)e;
	s->local_crossbar = strcmp(s->value, "2") == 0;
	return 0;
}

static int on_collectors(struct ct_sim *s, struct ct_error *e)
{
	uint64_t v;
	if (parse_numbers(s->value, ":", &v, 1) != 1 || v > 1024)
		return bad_value(s, "a number of operand collectors", e);
	s->collectors += (uint32_t)v;
	if (strstr(s->option, "units_gen"))
		s->collectors_generic = (uint32_t)v;
	return 0;
}

static int on_specialised_collectors(struct ct_sim *s, struct ct_error *e)
{
	(void)e;
	s->generic_only = strcmp(s->value, "0") == 0;
	return 0;
}

/* First of "ADD,MAX,MUL,..." into latency or initiation of a class, until a
 * trace.config gives better ones. */
static int on_ptx(struct ct_sim *s, struct ct_error *e)
{
	static const struct {
		const char *name;
		enum ct_unit_class class;
	} kinds[] = {
		{"int", CT_CLASS_INT}, {"fp", CT_CLASS_SP},         {"dp", CT_CLASS_DP},
		{"sfu", CT_CLASS_SFU}, {"tensor", CT_CLASS_TENSOR}, {"tesnor", CT_CLASS_TENSOR},
	};
	const char *kind = strrchr(s->option, '_');
	uint64_t v[16];
	(void)e;
	if (s->have_trace)
		return 0;
	if (parse_numbers(s->value, ",", v, 16) < 1 || v[0] < 1 || v[0] > UINT16_MAX)
		return bad_value(s, "latencies between commas", e);
	for (size_t i = 0; kind && i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].name, kind + 1) == 0) {
			struct ct_unit_timing *t = &s->g->unit[kinds[i].class];
			if (strstr(s->option, "latency"))
				t->latency = (uint32_t)v[0];
			else
				t->initiation = (uint32_t)v[0];
		}
	return 0;
}

static int timing_pair(struct ct_sim *s, struct ct_unit_timing *t, struct ct_error *e)
{
	uint64_t v[2];
	if (parse_numbers(s->value, ",", v, 2) != 2 || v[0] < 1 || v[0] > UINT16_MAX ||
	    v[1] > UINT16_MAX)
		return bad_value(s, "LATENCY,INITIATION", e);
	t->latency = (uint32_t)v[0];
	t->initiation = v[1] ? (uint32_t)v[1] : 1; /* 0 stands in published files */
	return 0;
}

/* -trace_opcode_latency_initiation_*: latency and initiation interval of a kind of unit, or of a special
 * one by its number. */
static int on_trace_latency(struct ct_sim *s, struct ct_error *e)
{
	static const struct {
		const char *name;
		enum ct_unit_class class;
	} kinds[] = {
		{"int", CT_CLASS_INT}, {"sp", CT_CLASS_SP},         {"dp", CT_CLASS_DP},
		{"sfu", CT_CLASS_SFU}, {"tensor", CT_CLASS_TENSOR},
	};
	const char *kind = s->option + strlen("trace_opcode_latency_initiation_");
	uint64_t n;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].name, kind) == 0)
			return timing_pair(s, &s->g->unit[kinds[i].class], e);
	if (strncmp(kind, "spec_op_", 8) == 0 && ct_parse_u64_range(kind + 8, 1, CT_SIM_UNITS, &n) == 0)
		return timing_pair(s, &s->unit[n - 1], e);
	ct_sim_warn_once(s, "not understood");
	return 0;
}

/* enabled,units,max latency,ID_OC,OC_EX,NAME */
static int on_unit(struct ct_sim *s, struct ct_error *e)
{
	uint64_t n;
	const char *name = strrchr(s->value, ',');
	if (ct_parse_u64_range(s->option + strlen("specialized_unit_"), 1, CT_SIM_UNITS, &n) < 0 ||
	    !name)
		return bad_value(s, "ENABLED,UNITS,LATENCY,WIDTH,WIDTH,NAME", e);
	snprintf(s->unit_name[n - 1], sizeof s->unit_name[0], "%s", s->value[0] == '1' ? name + 1 : "");
	return 0;
}

struct option {
	const char *name; /* without dash; "gpgpu_" in front is optional everywhere */
	const char *key;  /* ours, when the value goes straight there */
	int (*handle)(struct ct_sim *s, struct ct_error *e);
	const char *expected; /* warn unless this value; why says what is missing */
	const char *why;
};

static const struct option options[] = {
	{"n_clusters", NULL, on_clusters, NULL, NULL},
	{"n_cores_per_cluster", NULL, on_cores, NULL, NULL},
	{"n_mem", NULL, on_channels, NULL, NULL},
	{"n_sub_partition_per_mchannel", NULL, on_per_channel, NULL, NULL},
	{"n_mem_per_ctrlr", NULL, on_chips, NULL, NULL},
	{"dram_buswidth", NULL, on_bus, NULL, NULL},
	{"clock_domains", NULL, on_clocks, NULL, NULL},
	{"shader_core_pipeline", NULL, on_pipeline, NULL, NULL},
	{"scheduler", NULL, on_scheduler, NULL, NULL},
	{"cache:dl1", NULL, on_l1, NULL, NULL},
	{"cache:dl2", NULL, on_llc, NULL, NULL},
	{"shmem_option", NULL, on_shmem_options, NULL, NULL},
	{"unified_l1d_size", NULL, on_unified, NULL, NULL},
	{"gmem_skip_L1D", NULL, on_skip, NULL, NULL},
	{"memory_partition_indexing", NULL, on_indexing, NULL, NULL},
	{"mem_addr_mapping", NULL, on_mapping, NULL, NULL},
	{"dram_timing_opt", NULL, on_timing, NULL, NULL},
	{"dram_partition_queues", NULL, on_queues, NULL, NULL},
	{"dram_scheduler", NULL, on_dram_scheduler, NULL, NULL},
	{"network_mode", NULL, on_network, NULL, NULL},
	{"enable_specialized_operand_collector", NULL, on_specialised_collectors, NULL, NULL},
	{"shader_registers", "sm.registers", NULL, NULL, NULL},
	{"shader_cta", "sm.max_ctas", NULL, NULL, NULL},
	{"num_sched_per_core", "sm.schedulers", NULL, NULL, NULL},
	{"num_reg_banks", "sm.register_banks", NULL, NULL, NULL},
	{"kernel_launch_latency", "sm.launch_cycles", NULL, NULL, NULL},
	{"TB_launch_latency", "sm.cta_launch_cycles", NULL, NULL, NULL},
	{"adaptive_cache_config", "l1.adaptive", NULL, NULL, NULL},
	{"l1_banks", "l1.banks", NULL, NULL, NULL},
	{"l1_cache_write_ratio", "l1.dirty_percent", NULL, NULL, NULL},
	{"l1_latency", "l1.latency", NULL, NULL, NULL},
	{"flush_l1_cache", "l1.flush", NULL, NULL, NULL},
	{"flush_l2_cache", "llc.flush", NULL, NULL, NULL},
	{"shmem_size", "shmem.size", NULL, NULL, NULL},
	{"smem_latency", "shmem.latency", NULL, NULL, NULL},
	{"shmem_num_banks", "shmem.banks", NULL, NULL, NULL},
	{"l2_rop_latency", "llc.latency", NULL, NULL, NULL},
	{"rop_latency", "llc.latency", NULL, NULL, NULL},
	{"dram_latency", "dram.latency", NULL, NULL, NULL},
	{"frfcfs_dram_sched_queue_size", NULL, on_dram_queue, NULL, NULL},
	{"dram_return_queue_size", NULL, on_dram_return_queue, NULL, NULL},
	{"dram_burst_length", "dram.burst", NULL, NULL, NULL},
	{"dram_data_command_freq_ratio", "dram.data_ratio", NULL, NULL, NULL},
	{"dram_dual_bus_interface", "dram.dual_bus", NULL, NULL, NULL},
	{"icnt_flit_size", "noc.flit", NULL, NULL, NULL},
	{"inter_config_file", NULL, NULL, "", "is not read: a crossbar stands for the network"},
	{"max_insn_issue_per_warp", NULL, NULL, "1", "dual issue is not modelled"},
	{"concurrent_kernel_sm", NULL, NULL, "0", "kernels run one after the other"},
	{"perfect_mem", NULL, NULL, "0", "a perfect memory is not modelled"},
	{"simple_dram_model", NULL, NULL, "0", "DRAM timing is used"},
	{"perfect_inst_const_cache", NULL, NULL, "1", "instruction fetch and constants always hit"},
	{"dram_seperate_write_queue_enable", NULL, NULL, "0", "reads and writes share a queue"},
	{"Seperate_Write_Queue_Enable", NULL, NULL, "0", "reads and writes share a queue"},
	{"dram_bnk_indexing_policy", NULL, NULL, "0", "banks are not hashed"},
	{"dram_bnkgrp_indexing_policy", NULL, NULL, "1", "bank groups are the low bank bits"},
	{"shmem_limited_broadcast", NULL, NULL, "0", "broadcast is unlimited"},
	{"shmem_warp_parts", NULL, NULL, "1", "shared memory serves whole warps"},
	{"l1_banks_byte_interleaving", NULL, NULL, "32", "L1 banks interleave by sector"},
	{"l1_banks_hashing_function", NULL, NULL, "0", "L1 banks are not hashed"},
	{"local_mem_map", NULL, NULL, "1", "local memory is interleaved"},
	{"cache:dl2_texture_only", NULL, NULL, "0", "L2 serves all data"},
	{"n_chiplet_partition", NULL, NULL, "1", "one chip is modelled"},
	{"lrc_enabled", NULL, NULL, "0", "requests of several SMs are not merged before the LLC"},
	{"operand_collector_num_units_sp", NULL, on_collectors, NULL, NULL},
	{"operand_collector_num_units_dp", NULL, on_collectors, NULL, NULL},
	{"operand_collector_num_units_sfu", NULL, on_collectors, NULL, NULL},
	{"operand_collector_num_units_int", NULL, on_collectors, NULL, NULL},
	{"operand_collector_num_units_tensor_core", NULL, on_collectors, NULL, NULL},
	{"operand_collector_num_units_mem", NULL, on_collectors, NULL, NULL},
	{"operand_collector_num_units_gen", NULL, on_collectors, NULL, NULL},
};

/* Options without effect on what is modelled (doc/replay.md section 11): functional
 * simulation, statistics, power, instruction and constant caches, widths that are the
 * same in every configuration. A name ending in '*' stands for all that begin so. */
/* clang-format off */
static const char *const silent[] = {
	"ptx_*", "ptx_instruction_classification", "stack_size_limit", "heap_size_limit", "runtime_*",
	"compute_capability_*", "occupancy_sm_number", "max_concurrent_kernel", "registers_per_block",
	"ignore_resources_limitation", "clock_gated_lanes", "simd_model", "pipeline_widths", "num_*_units",
	"tensor_core_avail", "sub_core_model", "operand_collector_num_in_ports_*",
	"operand_collector_num_out_ports_*", "reg_file_port_throughput", "dual_issue_diff_exec_units",
	"shmem_sizeDefault", "shmem_size_Pref*", "shmem_per_block", "coalesce_arch", "cache:dl1Pref*",
	"n_cluster_ejection_buffer_size", "perf_sim_memcpy", "cache:il1", "const_cache:l1", "tex_cache:l1",
	"inst_fetch_throughput", "icnt_*", "mem_address_mask", "memlatency_stat",
	"runtime_stat", "enable_ptx_file_line_stats", "visualizer_*", "power_*", "gpuwattch_*",
	"accelwattch_*", "trace_enabled", "trace_components", "trace_sampling_*", "trace", "kernel_*",
	"liveness_*", "deadlock_*", "stats", "cflog_*", "max_cycle", "max_insn", "max_cta",
	"max_completed_cta", "flush_caches", "mem_unit_ports", "warpdistro_shader", "operand_collector",
	"num_sfu_units", "print_stats", "experimental_lib_support", "save_embedded_ptx", "save",
	"keep", "mem_addr_test", "warp_issue_shader", "warp_scheduler", "local_mem_write_*",
	"cache:dl1_*", "dram_write_queue_size", "Write_Queue_Size", "hw_perf_*", "aggregate_*",
	"steady_*", "lrc_*", "chiplet_*",
	"inter_chiplet_*", "opndcoll_model", "n_ldst_response_buffer_size", "ctx_*", "gpgpusim_*",
};
/* clang-format on */

/* Options that all configurations of GPGPU-Sim's and Accel-Sim's own have (SM2_GTX480 to SM86_RTX3070).
 * What is missing has the simulator's default, which is of no GPU at all. */
/* clang-format off */
static const char *const always[] = {
	"n_clusters", "n_cores_per_cluster", "n_mem", "n_sub_partition_per_mchannel", "n_mem_per_ctrlr",
	"dram_buswidth", "clock_domains", "shader_core_pipeline", "scheduler", "cache:dl1", "cache:dl2",
	"gmem_skip_L1D", "memory_partition_indexing", "mem_addr_mapping", "dram_timing_opt",
	"dram_partition_queues", "dram_scheduler", "network_mode", "shader_registers", "shader_cta",
	"num_sched_per_core", "num_reg_banks", "flush_l1_cache", "l1_latency", "shmem_size", "shmem_num_banks",
	"l2_rop_latency", "dram_latency", "frfcfs_dram_sched_queue_size", "dram_burst_length",
	"dram_data_command_freq_ratio", "icnt_flit_size",
};
/* clang-format on */
enum { ALWAYS = sizeof always / sizeof always[0] };

static void note_seen(struct ct_sim *s, const char *name)
{
	for (unsigned i = 0; i < ALWAYS; i++)
		if (strcmp(always[i], name) == 0)
			s->seen |= (uint64_t)1 << i;
}

void ct_sim_tell_lost(const struct ct_sim *s)
{
	unsigned given = 0;
	const char *first = NULL;
	for (unsigned i = 0; i < ALWAYS; i++) {
		given += s->seen >> i & 1;
		if (!(s->seen >> i & 1) && !first)
			first = always[i];
	}
	if (given > ALWAYS / 8 && given < ALWAYS)
		ct_warn(s->diag,
		        "%s: %u of %d options that every configuration has are not given and have GPGPU-Sim's "
		        "defaults, -%s is the first: are lines lost?",
		        s->file, ALWAYS - given, ALWAYS, first);
}

/* Pattern with at most one '*', anywhere. */
static int matches_pattern(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t before, after, n = strlen(name);
	if (!star)
		return strcmp(pattern, name) == 0;
	before = (size_t)(star - pattern);
	after = strlen(star + 1);
	return n >= before + after && strncmp(pattern, name, before) == 0 &&
	       strcmp(star + 1, name + n - after) == 0;
}

int ct_sim_apply(struct ct_sim *s, struct ct_error *e)
{
	const char *name = strncmp(s->option, "gpgpu_", 6) == 0 ? s->option + 6 : s->option;
	note_seen(s, name);
	if (strncmp(name, "ptx_opcode_", 11) == 0)
		return on_ptx(s, e);
	if (strncmp(name, "trace_opcode_latency_initiation_", 32) == 0)
		return on_trace_latency(s, e);
	if (strncmp(name, "specialized_unit_", 17) == 0)
		return on_unit(s, e);
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		const struct option *o = &options[i];
		if (strcmp(o->name, name) != 0)
			continue;
		if (o->handle)
			return o->handle(s, e);
		if (o->key)
			return ct_sim_set(s, o->key, s->value, e);
		if (strcmp(o->expected, s->value) != 0)
			ct_sim_warn_once(s, o->why);
		return 0;
	}
	for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
		if (matches_pattern(silent[i], name))
			return 0;
	ct_sim_warn_once(s, "not understood, ignored");
	return 0;
}
