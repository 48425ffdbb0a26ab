/* figure_list.c - the 41 data figures and what each draws (papers-facts, sections 7). */
#include <string.h>

#include "report/figure.h"

#define LIST(a) a, sizeof(a) / sizeof((a)[0])
#define NONE NULL, 0

/* A series of an ES metric, one over another system's, a time from a speed-up, an SN. */
#define ES(panel, name, mechanism, system, metric) {panel, name, mechanism, system, metric, NULL, 0, NULL}
#define OVER(panel, name, mechanism, system, metric, over) {panel, name, mechanism, system, metric, over, 0, NULL}
#define TIME(panel, name, mechanism, system) {panel, name, mechanism, system, "speedup", NULL, 1, NULL}
#define SN(panel, name, metric) {panel, name, "", "", metric, NULL, 0, NULL}

/* Of malekeh-est --studies. */
#define STUDY(panel, name, mechanism, system, metric) \
	{panel, name, mechanism, system, metric, NULL, 0, "run malekeh-est --studies"}

#define MO "morpheus"
#define SL "shared-l1"
#define TS "tag-split"
#define MK "malekeh"

static const struct fg_series mo2[] = {
	OVER("", "2x LLC", MO, "IBL-2x-LLC", "speedup", "IBL"),
	OVER("", "4x LLC", MO, "IBL-4x-LLC", "speedup", "IBL"),
};
static const struct fg_series mo12[] = {
	TIME("execution time", "IBL", MO, "IBL"), TIME("execution time", "IBL-4x-LLC", MO, "IBL-4x-LLC"),
	TIME("execution time", "Frequency-Boost", MO, "Frequency-Boost"),
	TIME("execution time", "Unified-SM-Mem", MO, "Unified-SM-Mem"),
	TIME("execution time", "Morpheus-Basic", MO, "Morpheus-Basic"),
	TIME("execution time", "Morpheus-Compression", MO, "Morpheus-Compression"),
	TIME("execution time", "Morpheus-Indirect-MOV", MO, "Morpheus-Indirect-MOV"),
	TIME("execution time", "Morpheus-ALL", MO, "Morpheus-ALL"),
	ES("performance/watt", "IBL", MO, "IBL", "perf_per_watt"),
	ES("performance/watt", "IBL-4x-LLC", MO, "IBL-4x-LLC", "perf_per_watt"),
	ES("performance/watt", "Frequency-Boost", MO, "Frequency-Boost", "perf_per_watt"),
	ES("performance/watt", "Unified-SM-Mem", MO, "Unified-SM-Mem", "perf_per_watt"),
	ES("performance/watt", "Morpheus-Basic", MO, "Morpheus-Basic", "perf_per_watt"),
	ES("performance/watt", "Morpheus-Compression", MO, "Morpheus-Compression", "perf_per_watt"),
	ES("performance/watt", "Morpheus-Indirect-MOV", MO, "Morpheus-Indirect-MOV", "perf_per_watt"),
	ES("performance/watt", "Morpheus-ALL", MO, "Morpheus-ALL", "perf_per_watt"),
};
static const struct fg_series mo13[] = {
	TIME("over BL", "No-Prediction", MO, "Morpheus-Basic/No-Prediction"),
	TIME("over BL", "Bloom-Filter", MO, "Morpheus-Basic"),
	TIME("over BL", "Perfect-Prediction", MO, "Morpheus-Basic/Perfect-Prediction"),
	OVER("over Bloom-Filter", "No-Prediction", MO, "Morpheus-Basic/No-Prediction", "cycles", "Morpheus-Basic"),
	OVER("over Bloom-Filter", "Perfect-Prediction", MO, "Morpheus-Basic/Perfect-Prediction", "cycles",
	     "Morpheus-Basic"),
};

static const struct fg_series sl1[] = {
	SN("replication ratio", "Private", "replication_ratio"), SN("L1 miss rate", "Private", "l1_miss_rate"),
	ES("IPC over Private", "16x-L1", SL, "16x-L1", "speedup"),
};
static const struct fg_series sl2[] = {
	ES("IPC", "Hypothetical", SL, "Hypothetical", "speedup"),
	OVER("L1 miss rate", "Hypothetical", SL, "Hypothetical", "l1_miss_rate", "Private"),
};
static const struct fg_series sl5[] = {
	ES("IPC", "Shared", SL, "Shared", "speedup"), ES("IPC", "Shared+Chunk", SL, "Shared+Chunk", "speedup"),
	ES("IPC", "Shared++", SL, "Shared++", "speedup"),
	OVER("L1 miss rate", "Shared", SL, "Shared", "l1_miss_rate", "Private"),
	OVER("L1 miss rate", "Shared+Chunk", SL, "Shared+Chunk", "l1_miss_rate", "Private"),
	OVER("L1 miss rate", "Shared++", SL, "Shared++", "l1_miss_rate", "Private"),
	ES("reply latency", "Shared", SL, "Shared", "reply_latency_ratio"),
	ES("reply latency", "Shared+Chunk", SL, "Shared+Chunk", "reply_latency_ratio"),
	ES("reply latency", "Shared++", SL, "Shared++", "reply_latency_ratio"),
};
static const struct fg_series sl6[] = {
	SN("", "32 B", "useful_bytes_32"), SN("", "64 B", "useful_bytes_64"),
	SN("", "96 B", "useful_bytes_96"), SN("", "128 B", "useful_bytes_128"),
};
static const struct fg_series sl7[] = {ES("", "Shared++", SL, "Shared++", "speedup")};
static const struct fg_series sl9[] = {
	ES("a", "Shared++", SL, "Shared++", "speedup"), ES("a", "DynAMAT", SL, "DynAMAT", "speedup"),
	ES("a", "DynAMAT+L1MRpr", SL, "DynAMAT+L1MRpr", "speedup"),
	ES("b", "Shared++", SL, "Shared++", "speedup"), ES("b", "DynEB", SL, "DynEB-noguard", "speedup"),
	ES("b", "DynEB+L1MRpr", SL, "DynEB", "speedup"),
};
static const struct fg_series sl10[] = {
	ES("", "Shared++", SL, "Shared++", "speedup"), ES("", "DynEB", SL, "DynEB", "speedup"),
	ES("", "Best(Private,Shared++)", SL, "Best", "speedup"),
};
static const struct fg_series sl12[] = {
	ES("", "Private", SL, "Private", "replicas_mean"), ES("", "DynEB", SL, "DynEB", "replicas_mean"),
	ES("", "Shared++", SL, "Shared++", "replicas_mean"),
};
static const struct fg_series sl13[] = {
	OVER("", "Shared++", SL, "Shared++", "l1_miss_rate", "Private"),
	OVER("", "DynEB", SL, "DynEB", "l1_miss_rate", "Private"),
};
static const struct fg_series sl16[] = {
	SN("private: rates", "replication ratio", "replication_ratio"),
	SN("private: rates", "L1 miss rate", "l1_miss_rate"),
	ES("DynEB over Private", "IPC", SL, "DynEB", "speedup"),
	OVER("DynEB over Private", "L1 miss rate", SL, "DynEB", "l1_miss_rate", "Private"),
};
static const struct fg_series sl17[] = {
	ES("a", "Shared+Chunk", SL, "Shared+Chunk", "speedup"), ES("a", "DynEB", SL, "DynEB", "speedup"),
};

static const struct fg_series mk2[] = {
	ES("", "RFC, sub-core", MK, "RFC", "speedup"), ES("", "software RFC, sub-core", MK, "SW-RFC", "speedup"),
	STUDY("", "RFC, monolithic", MK, "RFC-mono", "speedup"),
	STUDY("", "software RFC, monolithic", MK, "SW-RFC-mono", "speedup"),
};
static const struct fg_series mk10[] = {
	ES("RFC", "1 issues", MK, "RFC", "issue_fraction"), ES("RFC", "2 ready but pending", MK, "RFC", "pending_ready_fraction"),
	ES("RFC", "3 none ready", MK, "RFC", "no_ready_fraction"),
	ES("software RFC", "1 issues", MK, "SW-RFC", "issue_fraction"),
	ES("software RFC", "2 ready but pending", MK, "SW-RFC", "pending_ready_fraction"),
	ES("software RFC", "3 none ready", MK, "SW-RFC", "no_ready_fraction"),
};
#define MK_THREE(metric) {ES("", "Malekeh", MK, "Malekeh", metric), \
	ES("", "Malekeh_PR", MK, "Malekeh_PR", metric), ES("", "BOW", MK, "BOW", metric)}
static const struct fg_series mk12[] = MK_THREE("speedup");
static const struct fg_series mk13[] = MK_THREE("rf_hit_ratio");
static const struct fg_series mk15[] = MK_THREE("rf_energy_ratio");
static const struct fg_series mk16[] = MK_THREE("rf_cache_writes_ratio");
static const struct fg_series mk17[] = {ES("", "GTO+LRU", MK, "GTO+LRU", "rf_hit_ratio")};

static const struct fg_series ts1[] = {
	SN("", "0 %", "line_util_0"), SN("", "25 %", "line_util_25"), SN("", "50 %", "line_util_50"),
	SN("", "75 %", "line_util_75"), SN("", "100 %", "line_util_100"),
};
static const struct fg_series ts2[] = {
	ES("", "32 B", TS, "32B", "speedup"), ES("", "64 B", TS, "64B", "speedup"),
	ES("", "128 B", TS, "128B", "speedup"), ES("", "256 B", TS, "256B", "speedup"),
};
static const struct fg_series ts4[] = {
	ES("", "32 B", TS, "32B", "mem_inst_miss_rate"), ES("", "64 B", TS, "64B", "mem_inst_miss_rate"),
	ES("", "128 B", TS, "128B", "mem_inst_miss_rate"),
};
static const struct fg_series ts5[] = {
	OVER("", "32 B", TS, "32B", "traffic_l1_to_l2_bytes", "128B"),
	OVER("", "64 B", TS, "64B", "traffic_l1_to_l2_bytes", "128B"),
	OVER("", "256 B", TS, "256B", "traffic_l1_to_l2_bytes", "128B"),
};
static const struct fg_series ts10[] = {
	ES("a", "32 B", TS, "32B", "speedup"), ES("a", "64 B", TS, "64B", "speedup"),
	ES("a", "TSC", TS, "TSC", "speedup"), ES("a", "TSC+", TS, "TSC+", "speedup"),
	ES("b", "MRPB", TS, "MRPB", "speedup"), ES("b", "LAMAR", TS, "LAMAR", "speedup"),
	ES("b", "DSC-2", TS, "DSC-2", "speedup"), ES("b", "DSC-4", TS, "DSC-4", "speedup"),
	ES("b", "TSC", TS, "TSC", "speedup"), ES("b", "TSC+", TS, "TSC+", "speedup"),
};
static const struct fg_series ts11[] = {
	OVER("", "LAMAR", TS, "LAMAR", "l1_request_mpki", "128B"),
	OVER("", "DSC-2", TS, "DSC-2", "l1_request_mpki", "128B"),
	OVER("", "DSC-4", TS, "DSC-4", "l1_request_mpki", "128B"),
	OVER("", "TSC", TS, "TSC", "l1_request_mpki", "128B"),
	OVER("", "TSC+", TS, "TSC+", "l1_request_mpki", "128B"),
};
static const struct fg_series ts_table3[] = {
	ES("speed-up", "LAMAR", TS, "LAMAR", "speedup"), ES("speed-up", "DSC-2", TS, "DSC-2", "speedup"),
	ES("speed-up", "DSC-4", TS, "DSC-4", "speedup"), ES("speed-up", "MRPB", TS, "MRPB", "speedup"),
	ES("speed-up", "TSC", TS, "TSC", "speedup"), ES("speed-up", "TSC+", TS, "TSC+", "speedup"),
};

#define RUN_MO "run morpheus-est"
#define RUN_SL "run sharedl1-est"
#define RUN_TS "run reuse --mechanisms all and tsc-est"
#define RUN_MK "run reuse --mechanisms all"
#define RUN "run reuse"

/* id, title, x, y, needs, drawing, mean, series, n, make, percent, log x */
static const struct fg_figure figures[] = {
	{"morpheus:1", "IPC by the number of SMs, over that of the fewest", "SMs", "IPC", FG_SMS_NEEDS,
	 FG_LINES, FG_NO_MEAN, NONE, fg_ipc_by_sms, 0, 0},
	{"morpheus:2", "Best IPC with a larger LLC, over the best with the configured one", "workload", "IPC",
	 RUN_MO, FG_BARS, FG_GEOMETRIC, LIST(mo2), NULL, 0, 0},
	{"morpheus:5", "Where an access to the LLC spends its time", "access", "ns", RUN,
	 FG_STACKED, FG_NO_MEAN, NONE, fg_timelines, 0, 0},
	{"morpheus:11", "What a cache-mode SM gives, by warps of the helper kernel", "warps", "", RUN,
	 FG_BARS, FG_NO_MEAN, NONE, fg_helpers, 0, 0},
	{"morpheus:12", "Execution time and performance per watt, over BL", "workload", "", RUN_MO,
	 FG_BARS, FG_GEOMETRIC, LIST(mo12), NULL, 0, 0},
	{"morpheus:13", "Execution time by predictor", "workload", "", RUN_MO,
	 FG_BARS, FG_GEOMETRIC, LIST(mo13), NULL, 0, 0},

	{"shared-l1:1", "Replication, L1 misses, and IPC with an L1 of 16 times the size", "workload", "", RUN_SL,
	 FG_BARS, FG_NO_MEAN, LIST(sl1), NULL, 0, 0},
	{"shared-l1:2", "Shared L1s without cost of communication, over private ones", "workload", "", RUN_SL,
	 FG_BARS, FG_GEOMETRIC, LIST(sl2), NULL, 0, 0},
	{"shared-l1:5", "Shared L1s and their optimisations, over private ones", "workload", "", RUN_SL,
	 FG_BARS, FG_GEOMETRIC, LIST(sl5), NULL, 0, 0},
	{"shared-l1:6", "Bytes of a line that a request uses", "workload", "requests", RUN,
	 FG_STACKED, FG_ARITHMETIC, LIST(sl6), NULL, 1, 0},
	{"shared-l1:7", "IPC of Shared++ over private L1s", "workload", "IPC", RUN_SL,
	 FG_BARS, FG_NO_MEAN, LIST(sl7), NULL, 0, 0},
	{"shared-l1:9", "Metrics that choose, IPC over private L1s", "workload", "", RUN_SL,
	 FG_BARS, FG_NO_MEAN, LIST(sl9), NULL, 0, 0},
	{"shared-l1:10", "DynEB and the static best, IPC over private L1s", "workload", "IPC", RUN_SL,
	 FG_BARS, FG_GEOMETRIC, LIST(sl10), NULL, 0, 0},
	{"shared-l1:11", "IPC over private L1s, sorted", "workloads, sorted", "IPC", RUN_SL,
	 FG_LINES, FG_NO_MEAN, NONE, fg_curve_mesh, 0, 0},
	{"shared-l1:12", "Copies of a line in the L1s", "workload", "copies", RUN_SL,
	 FG_BARS, FG_ARITHMETIC, LIST(sl12), NULL, 0, 0},
	{"shared-l1:13", "L1 miss rate over that of private L1s", "workload", "L1 miss rate", RUN_SL,
	 FG_BARS, FG_GEOMETRIC, LIST(sl13), NULL, 0, 0},
	{"shared-l1:14", "Mode of a core over time: 0 samples, 1 private, 2 shared", "cycle", "mode",
	 FG_TIMELINE_NEEDS, FG_LINES, FG_NO_MEAN, NONE, fg_modes, 0, 0},
	{"shared-l1:15", "DynEB by L1 latency, and on this GPU's cores and partitions", "L1 latency, cycles", "IPC",
	 FG_LATENCY_NEEDS, FG_BARS, FG_NO_MEAN, NONE, fg_l1_latency, 0, 0},
	{"shared-l1:16", "Deep learning: rates of private L1s, and DynEB", "workload", "", RUN_SL,
	 FG_BARS, FG_GEOMETRIC, LIST(sl16), NULL, 0, 0},
	{"shared-l1:17", "On a crossbar, IPC over private L1s", "workload", "", RUN_SL,
	 FG_BARS, FG_GEOMETRIC, LIST(sl17), fg_curve_crossbar, 0, 0},
	{"shared-l1:18", "On a crossbar, by cores and partitions", "cores,partitions", "IPC", RUN_SL,
	 FG_BARS, FG_NO_MEAN, NONE, fg_shapes_crossbar, 0, 0},

	{"malekeh:1", "Instructions between uses of a register", "distance", "reuses", RUN,
	 FG_BARS, FG_NO_MEAN, NONE, fg_register_distances, 1, 0},
	{"malekeh:2", "Two-level schedulers, IPC over the own baseline", "workload", "IPC", RUN_MK,
	 FG_BARS, FG_GEOMETRIC, LIST(mk2), NULL, 0, 0},
	{"malekeh:7", "IPC and hit ratio by STHLD", "STHLD", "", FG_STHLD_NEEDS,
	 FG_LINES, FG_NO_MEAN, NONE, fg_sthld, 0, 0},
	{"malekeh:10", "Scheduler cycles by state", "workload", "", RUN_MK,
	 FG_STACKED, FG_ARITHMETIC, LIST(mk10), NULL, 1, 0},
	{"malekeh:12", "IPC over the baseline", "workload", "IPC", RUN_MK,
	 FG_BARS, FG_GEOMETRIC, LIST(mk12), NULL, 0, 0},
	{"malekeh:13", "Register reads that hit", "workload", "hits", RUN_MK,
	 FG_BARS, FG_ARITHMETIC, LIST(mk13), NULL, 1, 0},
	{"malekeh:14", "Hits in the L1 data cache", "workload", "hits", RUN,
	 FG_BARS, FG_ARITHMETIC, NONE, fg_l1d_hits, 1, 0},
	{"malekeh:15", "Dynamic energy of the register file, over the baseline", "workload", "energy", RUN_MK,
	 FG_BARS, FG_ARITHMETIC, LIST(mk15), NULL, 0, 0},
	{"malekeh:16", "Writes into the collectors, over all register writes", "workload", "writes", RUN_MK,
	 FG_BARS, FG_ARITHMETIC, LIST(mk16), NULL, 0, 0},
	{"malekeh:17", "Register reads that hit with GTO and LRU", "workload", "hits", RUN_MK,
	 FG_BARS, FG_ARITHMETIC, LIST(mk17), NULL, 1, 0},

	{"tag-split:1", "Share of a line that is reused before it leaves", "workload", "lines", RUN,
	 FG_STACKED, FG_NO_MEAN, LIST(ts1), NULL, 1, 0},
	{"tag-split:2", "IPC by line size, over 128 B", "workload", "IPC", RUN_TS,
	 FG_BARS, FG_NO_MEAN, LIST(ts2), NULL, 0, 0},
	{"tag-split:4", "Memory instructions that miss, by line size", "workload", "instructions", RUN_MK,
	 FG_BARS, FG_NO_MEAN, LIST(ts4), NULL, 1, 0},
	{"tag-split:5", "Traffic from L1 to L2 by line size, over 128 B", "workload", "bytes", RUN_MK,
	 FG_BARS, FG_NO_MEAN, LIST(ts5), NULL, 0, 0},
	{"tag-split:9", "Private tag: speed-up and storage", "bits", "", RUN,
	 FG_LINES, FG_NO_MEAN, NONE, fg_private_tags, 0, 0},
	{"tag-split:10", "IPC over the baseline", "workload", "", RUN_TS,
	 FG_BARS, FG_GEOMETRIC, LIST(ts10), NULL, 0, 0},
	{"tag-split:11", "Misses per 1000 instructions, over the baseline", "workload", "MPKI", RUN_MK,
	 FG_BARS, FG_NO_MEAN, LIST(ts11), NULL, 0, 0},
	{"tag-split:12", "Traffic over the baseline's from L2 to L1", "workload", "bytes", RUN_MK,
	 FG_STACKED, FG_NO_MEAN, NONE, fg_traffic, 0, 0},
	{"tag-split:13", "TSC by chunk size, IPC over the baseline", "workload", "IPC", RUN_TS,
	 FG_BARS, FG_GEOMETRIC, NONE, fg_chunks, 0, 0},
	{"tag-split:table3", "Storage per L1 and speed-up", "", "", RUN_MK,
	 FG_BARS, FG_GEOMETRIC, LIST(ts_table3), fg_overheads, 0, 0},
};

const struct fg_figure *fg_at(size_t i)
{
	return i < sizeof figures / sizeof figures[0] ? &figures[i] : NULL;
}

const struct fg_figure *fg_find(const char *id)
{
	const struct fg_figure *f;
	for (size_t i = 0; (f = fg_at(i)); i++)
		if (strcmp(f->id, id) == 0)
			return f;
	return NULL;
}
