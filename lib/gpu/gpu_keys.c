/* The table that files, -p, GP records, --print-gpu and the manual page share. Its
 * defaults are the values of data/gpus/rtx3080.conf, where their sources stand. */
#include "gpu/gpu_keys.h"

#include <string.h>

static const char *const scheduler_names[] = {
	"gto", "lrr", "two_level", "oldest", "strict_rr", "warp_limit", NULL};
static const char *const write_names[] = {
	"through_no_allocate", "evict", "through_allocate", "back_fetch", "back_validate", NULL};
static const char *const hash_names[] = {"linear", "xor", "ipoly", "fermi", "pae", "fold", NULL};
static const char *const replacement_names[] = {"lru", "fifo", NULL};
static const char *const allocate_names[] = {"miss", "fill", "stream", NULL};
static const char *const skip_names[] = {"none", "global", "all", NULL};
static const char *const machine_names[] = {"accelsim", "silicon", NULL};
static const char *const noc_names[] = {"crossbar", "mesh", "butterfly", NULL};

/* clang-format off */
#define AT(field) offsetof(struct ct_gpu, field)
#define ROW(name, unit_name, help, kind, effect, unit, at, room, lo, hi, names, value) \
	{{name, unit_name, help}, kind, effect, unit, at, room, lo, hi, names, value}
#define COUNT(name, field, lo, hi, value, help) \
	ROW(name, "", help, CT_KEY_U32, CT_EFFECT_NONE, CT_UNIT_NONE, AT(field), 0, lo, hi, NULL, value)
#define SHAPE(name, field, effect, lo, hi, value, help) \
	ROW(name, "", help, CT_KEY_U32, effect, CT_UNIT_NONE, AT(field), 0, lo, hi, NULL, value)
#define CYCLES(name, field, hi, value, help) \
	ROW(name, "cycles", help, CT_KEY_U32, CT_EFFECT_NONE, CT_UNIT_CYCLES, AT(field), 0, 0, hi, \
	    NULL, value)
#define PERCENT(name, field, value, help) \
	ROW(name, "%", help, CT_KEY_U32, CT_EFFECT_NONE, CT_UNIT_PERCENT, AT(field), 0, 0, 100, \
	    NULL, value)
#define BYTES(name, field, effect, lo, hi, value, help) \
	ROW(name, "bytes", help, CT_KEY_SIZE32, effect, CT_UNIT_BYTES, AT(field), 0, lo, hi, NULL, \
	    value)
#define SIZE(name, field, effect, lo, hi, value, help) \
	ROW(name, "bytes", help, CT_KEY_SIZE64, effect, CT_UNIT_BYTES, AT(field), 0, lo, hi, NULL, \
	    value)
#define REAL(name, field, unit_name, unit, lo, hi, value, help) \
	ROW(name, unit_name, help, CT_KEY_REAL, CT_EFFECT_NONE, unit, AT(field), 0, lo, hi, NULL, value)
#define BOOL(name, field, value, help) \
	ROW(name, "", help, CT_KEY_BOOL, CT_EFFECT_NONE, CT_UNIT_NONE, AT(field), 0, 0, 1, NULL, value)
#define ENUM(name, field, effect, names, value, help) \
	ROW(name, "", help, CT_KEY_ENUM, effect, CT_UNIT_NONE, AT(field), 0, 0, 0, names, value)
#define TEXT(name, field, value, help) \
	ROW(name, "", help, CT_KEY_TEXT, CT_EFFECT_NONE, CT_UNIT_NONE, AT(field), \
	    sizeof(((struct ct_gpu *)0)->field), 0, 0, NULL, value)
#define TIMING(name, class, value, help) \
	ROW(name, "cycles", help, CT_KEY_TIMING, CT_EFFECT_NONE, CT_UNIT_CYCLES, AT(unit[class]), 0, \
	    1, UINT16_MAX, NULL, value)
/* clang-format on */

#define MIB (1024.0 * 1024.0)

/* What an L1 and a slice of the LLC have in common. */
#define CACHE(p, at_, line_, sector_, ways_, sets_, write_, hash_, entries_, merge_, queue_, banks_, \
              port_, dirty_) \
	BYTES(p ".line", at_.line, CT_EFFECT_WAYS, 32, 4096, line_, "line size"), \
		BYTES(p ".sector", at_.sector, CT_EFFECT_NONE, 4, 4096, sector_, \
	              "sector size; equal to the line: not sectored"), \
		SHAPE(p ".ways", at_.ways, CT_EFFECT_WAYS, 1, 65536, ways_, "associativity"), \
		SHAPE(p ".sets", at_.sets, CT_EFFECT_SETS, 1, 1 << 24, sets_, \
	              "sets (of a slice, for the LLC)"), \
		ENUM(p ".write", at_.write_policy, CT_EFFECT_NONE, write_names, write_, \
	             "write policy"), \
		ENUM(p ".set_hash", at_.set_hash, CT_EFFECT_NONE, hash_names, hash_, \
	             "hash of the set number"), \
		ENUM(p ".replacement", at_.replacement, CT_EFFECT_NONE, replacement_names, "lru", \
	             "replacement policy"), \
		ENUM(p ".allocate", at_.allocate, CT_EFFECT_NONE, allocate_names, "miss", \
	             "when a miss takes its line"), \
		COUNT(p ".mshr_entries", at_.mshr_entries, 1, 1 << 20, entries_, \
	              "outstanding sectors (lines when not sectored)"), \
		COUNT(p ".mshr_merge", at_.mshr_merge, 1, 1 << 20, merge_, \
	              "requests per outstanding sector"), \
		COUNT(p ".miss_queue", at_.miss_queue, 1, 1 << 20, queue_, \
	              "requests waiting to leave"), \
		COUNT(p ".banks", at_.banks, 1, 64, banks_, \
	              "banks, each serving one sector per cycle"), \
		BYTES(p ".port", at_.port_bytes, CT_EFFECT_NONE, 1, 4096, port_, \
	              "data port of a bank, bytes per cycle"), \
		PERCENT(p ".dirty_percent", at_.dirty_percent, dirty_, \
	                "modified lines are victims only above this share of the cache")

static const struct ct_key_row rows[] = {
	TEXT("name", name, "rtx3080", "what this GPU is called"),
	ENUM("machine", machine, CT_EFFECT_NONE, machine_names, "accelsim",
             "whose rules the replay follows: Accel-Sim's, or what is known of boards"),

	COUNT("sm.count", sms, 1, 4096, "68", "streaming multiprocessors (SMs)"),
	COUNT("sm.schedulers", schedulers, 1, 16, "4",
              "warp schedulers per SM, one issue each per cycle"),
	ENUM("sm.scheduler", scheduler_asked, CT_EFFECT_NONE, scheduler_names, "two_level",
             "warp scheduling policy of the GPU"),
	ENUM("sm.scheduler_in_force", scheduler, CT_EFFECT_DERIVED, scheduler_names, "gto",
             "the nearest policy that is modelled; computed"),
	COUNT("sm.active_warps", active_warps, 1, 64, "6",
              "active warps per scheduler of a two_level or warp_limit policy"),
	COUNT("sm.max_threads", max_threads, 32, 65536, "1536", "resident threads per SM"),
	COUNT("sm.max_ctas", max_ctas, 1, 1024, "16", "resident CTAs per SM"),
	COUNT("sm.registers", registers, 1, 1 << 24, "65536", "32-bit registers per SM"),
	COUNT("sm.warp_size", warp_size, 32, 32, "32", "threads per warp"),
	COUNT("sm.collectors", collectors, 1, 64, "2", "operand collectors per scheduler"),
	SHAPE("sm.memory_collectors", memory_collectors, CT_EFFECT_OPTIONAL, 0, 64, "0",
              "of memory instructions alone, per scheduler; 0: they share sm.collectors"),
	COUNT("sm.register_banks", register_banks, 1, 256, "8", "register file banks per SM"),
	CYCLES("sm.launch_cycles", launch_cycles, 1e6, "5000", "before the first CTA of a kernel"),
	CYCLES("sm.cta_launch_cycles", cta_launch_cycles, 1e6, "0", "added to it for every CTA"),

	CYCLES("sm.cta_gap_cycles", cta_gap_cycles, 1e6, "0",
               "between a CTA's end and the start of the one that takes its place"),
	CYCLES("sm.branch_cycles", branch_cycles, 1e5, "0",
               "a warp waits before an instruction that is not the next one"),
	CYCLES("sm.code_first_cycles", code_first_cycles, 1e6, "0",
               "until an SM has the first code of a kernel, caches being cold (llc.flush)"),
	CYCLES("sm.code_line_cycles", code_line_cycles, 1e6, "0",
               "until it has each further 128 bytes of it"),

	REAL("clock.core", core_mhz, "MHz", CT_UNIT_MHZ, 1, 1e5, "1710", "SM clock"),
	REAL("clock.noc", noc_mhz, "MHz", CT_UNIT_MHZ, 1, 1e5, "1710", "network clock"),
	REAL("clock.llc", llc_mhz, "MHz", CT_UNIT_MHZ, 1, 1e5, "1710", "LLC clock"),
	REAL("clock.dram", dram_mhz, "MHz", CT_UNIT_MHZ, 1, 1e5, "4750", "DRAM command clock"),

	SIZE("l1.size", l1.size, CT_EFFECT_SIZE, 32, 1024 * MIB, "128KiB",
             "L1 data cache per SM; with l1.adaptive, its nominal size"),
	CACHE("l1", l1, "128", "32", "256", "4", "through_allocate", "linear", "384", "48", "16", "4",
              "32", "25"),
	CYCLES("l1.latency", l1_latency, 1e5, "39", "from tag access to data"),
	BOOL("l1.flush", l1_flush, "on", "invalidated at every kernel"),
	ENUM("l1.bypass", l1_skip, CT_EFFECT_NONE, skip_names, "none", "which accesses do without L1"),
	BOOL("l1.adaptive", l1_adaptive, "on", "L1 takes what the kernel's shared memory leaves"),
	SIZE("l1.unified", unified_bytes, CT_EFFECT_NONE, 0, 1024 * MIB, "128KiB",
             "L1 and shared memory together when adaptive"),

	SIZE("shmem.size", shmem_bytes, CT_EFFECT_NONE, 0, 1024 * MIB, "100KiB", "shared memory per SM"),
	ROW("shmem.options", "bytes", "shared-memory splits of an adaptive L1, ascending", CT_KEY_SIZES,
            CT_EFFECT_NONE, CT_UNIT_BYTES, AT(shmem_option), 0, 0, 1024 * MIB, NULL,
            "0,8KiB,16KiB,32KiB,64KiB,100KiB"),
	CYCLES("shmem.latency", shmem_latency, 1e5, "29", "shared-memory access"),
	COUNT("shmem.banks", shmem_banks, 1, 1024, "32", "4-byte banks"),

	ROW("llc.size", "bytes", "LLC over all slices", CT_KEY_LLC_SIZE, CT_EFFECT_SIZE, CT_UNIT_BYTES,
            AT(llc.size), 0, 32, 1024.0 * 1024 * MIB, NULL, "5MiB"),
	SHAPE("llc.slices", llc_slices, CT_EFFECT_SLICES, 1, 4096, "40",
              "LLC slices, each with its own tags and port"),
	COUNT("llc.partitions", llc_partitions, 1, 4096, "10",
              "memory partitions (controllers) that the slices belong to"),
	CACHE("llc", llc, "128", "32", "16", "64", "back_validate", "ipoly", "384", "4", "32", "1", "32",
              "0"),
	CYCLES("llc.latency", llc_latency, 1e5, "222", "from the network to the tags"),
	CYCLES("llc.merge_cycles", llc_merge_cycles, 1e4, "0",
               "a slice serves a store of part of a sector (0: as any request)"),
	ENUM("llc.slice_hash", llc_hash, CT_EFFECT_NONE, hash_names, "fold", "hash of the slice number"),
	BOOL("llc.flush", llc_flush, "off", "flushed between kernels"),
	BOOL("llc.memcpy_fill", llc_memcpy_fill, "off", "copies from the host fill the LLC"),
	COUNT("llc.queue", llc_queue, 4, 1 << 20, "64", "input queue of a slice"),

	COUNT("dram.channels", dram_channels, 1, 4096, "20", "DRAM channels"),
	CYCLES("dram.latency", dram_latency, 1e5, "741", "core cycles added to every access"),
	COUNT("dram.banks", dram_banks, 1, 4096, "16", "banks per channel"),
	COUNT("dram.bank_groups", dram_bank_groups, 1, 256, "4", "bank groups per channel"),
	BYTES("dram.row", dram_row_bytes, CT_EFFECT_NONE, 32, 1 << 24, "2KiB", "row of a bank"),
	BYTES("dram.bus", dram_bus_bytes, CT_EFFECT_NONE, 1, 4096, "2", "width of a channel"),
	COUNT("dram.burst", dram_burst, 1, 256, "16", "transfers of a burst"),
	COUNT("dram.data_ratio", dram_data_ratio, 1, 64, "4", "transfers per command clock"),
	CYCLES("dram.ccd", dram_ccd, 1e4, "4", "column to column (DRAM clock, as the next ten)"),
	CYCLES("dram.ccdl", dram_ccdl, 1e4, "6", "column to column in a bank group"),
	CYCLES("dram.rrd", dram_rrd, 1e4, "16", "row to row of two banks"),
	CYCLES("dram.rcd", dram_rcd, 1e4, "33", "row to column"),
	CYCLES("dram.ras", dram_ras, 1e4, "75", "row active"),
	CYCLES("dram.rp", dram_rp, 1e4, "33", "row precharge"),
	CYCLES("dram.rc", dram_rc, 1e4, "106", "row cycle"),
	CYCLES("dram.cl", dram_cl, 1e4, "33", "column to data of a read"),
	CYCLES("dram.wl", dram_wl, 1e4, "11", "column to data of a write"),
	CYCLES("dram.cdlr", dram_cdlr, 1e4, "14", "last write data to read"),
	CYCLES("dram.wr", dram_wr, 1e4, "33", "write recovery"),
	CYCLES("dram.rtpl", dram_rtpl, 1e4, "6", "read to precharge"),
	BOOL("dram.dual_bus", dram_dual_bus, "off", "a row and a column command in one cycle"),
	COUNT("dram.queue", dram_queue, 1, 1 << 20, "64", "scheduling window of a channel"),
	COUNT("dram.return_queue", dram_return_queue, 1, 1 << 20, "512",
              "answers of a channel; with dram.queue, its requests under way"),
	BOOL("dram.fifo", dram_fifo, "off", "first come first served instead of open rows first"),
	REAL("dram.efficiency", dram_efficiency, "", CT_UNIT_NONE, 0.01, 1, "0.85",
             "usable share of the peak bandwidth in analytic models"),
	SIZE("dram.interleave", partition_interleave, CT_EFFECT_NONE, 32, MIB, "256",
             "neighbouring bytes in one channel, without a mapping"),
	TEXT("dram.mapping", dram_mapping,
             "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
             "address mapping in Accel-Sim's form; empty: interleaved"),

	ENUM("noc.kind", noc, CT_EFFECT_NONE, noc_names, "crossbar", "network between SMs and LLC"),
	BYTES("noc.flit", noc_flit_bytes, CT_EFFECT_NONE, 1, 4096, "40", "flit, one per cycle and port"),
	BYTES("noc.header", noc_header_bytes, CT_EFFECT_NONE, 0, 4096, "8", "header of a packet"),
	BYTES("noc.piece", noc_piece_bytes, CT_EFFECT_OPTIONAL, 0, 4096, "0",
              "least that travels of a sector touched in part; 0: whole sectors do"),
	BOOL("noc.packet_flits_one", noc_flits_as_one, "on", "every packet counts as one flit"),
	CYCLES("noc.latency", noc_latency, 1e5, "1",
               "one way, unloaded, beyond what llc.latency holds (core clock)"),
	CYCLES("noc.hop", noc_hop_cycles, 1e4, "3", "a router and its link (network clock)"),

	TIMING("unit.int", CT_CLASS_INT, "2,2", "integer"),
	TIMING("unit.alu", CT_CLASS_ALU, "2,2", "moves, shuffles, conversions (on the integer unit)"),
	TIMING("unit.sp", CT_CLASS_SP, "2,1", "single precision"),
	TIMING("unit.half", CT_CLASS_HALF, "2,1", "half precision"),
	TIMING("unit.dp", CT_CLASS_DP, "64,64", "double precision"),
	TIMING("unit.sfu", CT_CLASS_SFU, "21,8", "special functions"),
	TIMING("unit.tensor", CT_CLASS_TENSOR, "32,32", "matrix instructions"),
	TIMING("unit.branch", CT_CLASS_BRANCH, "4,4", "control flow"),
	TIMING("unit.tex", CT_CLASS_TEX, "200,4", "texture, as a fixed latency"),
	TIMING("unit.uniform", CT_CLASS_UNIFORM, "4,1", "uniform datapath"),
	TIMING("unit.mem", CT_CLASS_MEM, "1,1", "in front of the load/store unit"),
	TIMING("unit.bar", CT_CLASS_BAR, "1,1", "CTA barrier"),
	TIMING("unit.membar", CT_CLASS_MEMBAR, "1,1", "memory barrier"),
	TIMING("unit.depbar", CT_CLASS_DEPBAR, "2,2", "wait for groups of asynchronous copies"),
	TIMING("unit.ldgdepbar", CT_CLASS_LDGDEPBAR, "2,2", "end of a group of asynchronous copies"),
	TIMING("unit.exit", CT_CLASS_EXIT, "1,1", "thread exit"),
	TIMING("unit.other", CT_CLASS_OTHER, "4,1", "opcodes without a known unit"),

	REAL("power.board", power_watt, "W", CT_UNIT_WATT, 0, 1e5, "320", "average board power"),
	REAL("power.sm_static", sm_static_watt, "W", CT_UNIT_WATT, 0, 1e3, "0.283",
             "static power of an idle SM"),
	REAL("energy.llc", llc_pj_per_byte, "pJ/B", CT_UNIT_PJ_PER_B, 0, 1e6, "10", "LLC access"),
	REAL("energy.dram", dram_pj_per_byte, "pJ/B", CT_UNIT_PJ_PER_B, 0, 1e6, "58", "DRAM access"),
	REAL("energy.noc", noc_pj_per_byte, "pJ/B", CT_UNIT_PJ_PER_B, 0, 1e6, "26.7",
             "network, SM to LLC"),
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const struct ct_key_row *ct_key_rows(size_t *n)
{
	*n = ROWS;
	return rows;
}

size_t ct_gpu_key_count(void)
{
	return ROWS;
}

const struct ct_gpu_key *ct_gpu_key_at(size_t i)
{
	return i < ROWS ? &rows[i].key : NULL;
}

const struct ct_key_row *ct_key_find(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].key.name, name) == 0)
			return &rows[i];
	return NULL;
}

const char *ct_key_nearest(const char *name, int *near)
{
	const char *names[ROWS];
	for (size_t i = 0; i < ROWS; i++)
		names[i] = rows[i].key.name;
	int at = ct_nearest_name(name, names, ROWS);
	*near = at >= 0;
	return names[at >= 0 ? at : ct_closest_name(name, names, ROWS)];
}

const char *ct_scheduler_name(enum ct_scheduler s)
{
	return scheduler_names[s];
}

const char *ct_hash_name(enum ct_set_hash h)
{
	return hash_names[h];
}

const char *ct_write_policy_name(enum ct_write_policy w)
{
	return write_names[w];
}
