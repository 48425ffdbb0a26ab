#include "models/morpheus/params.h"

#include <math.h>
#include <string.h>

/* Sections, figures and tables are the Morpheus paper's (MICRO 2022). */
/* clang-format off */
static const struct ct_constant TABLE[CT_MO_KEYS] = {
	[CT_MO_BLOCK_BYTES] = { .name = "block_bytes", 128, 32, 4096, "bytes", "Morpheus 4.1.3, 5",
		CT_CONSTANT_WHOLE, "bytes of an extended block" },
	[CT_MO_HELPER_WARPS] = { .name = "helper_warps", 0, 0, 64, "warps",
	                         "0: all that an SM holds (48 in the paper, 4.1.3, 4.2)",
		CT_CONSTANT_WHOLE, "warps of the helper kernel on a cache-mode SM" },
	[CT_MO_RF_WARPS] = { .name = "rf_warps", 0, 0, 64, "warps",
	                     "0: two thirds (32 of 48 in the paper, 5)",
		CT_CONSTANT_WHOLE, "of them those that keep blocks in registers" },
	[CT_MO_AUX_REGISTERS] = { .name = "aux_registers", 9, 0, 128, "registers",
	                          "derived: the only count that gives the published 192 and 239 KiB",
		CT_CONSTANT_WHOLE, "registers of a warp for its execution context" },
	[CT_MO_L1_WARP_REGISTERS] = { .name = "l1_warp_registers", 6, 0, 256, "registers",
	                              "derived: what 32 warps of 50 blocks leave of 2048 registers",
		CT_CONSTANT_WHOLE, "registers of a warp that keeps blocks in the L1" },
	[CT_MO_MAX_REGISTERS] = { .name = "max_registers", 256, 16, 1024, "registers", "Morpheus 5",
		CT_CONSTANT_WHOLE, "registers of a thread that instructions can name" },
	[CT_MO_CACHE_SM_MAX] = { .name = "cache_sm_max", 0.75, 0, 0.99, "", "Morpheus 4.1.3",
		CT_CONSTANT_REAL, "largest share of the SMs in cache mode" },
	[CT_MO_BLOOM_BYTES] = { .name = "bloom_bytes", 32, 1, 8192, "bytes", "Morpheus 4.1.2",
		CT_CONSTANT_WHOLE, "size of one Bloom filter" },
	[CT_MO_BLOOM_FILTERS] = { .name = "bloom_filters", 2, 2, 2, "filters", "Morpheus 4.1.2",
		CT_CONSTANT_WHOLE, "Bloom filters of a set" },
	[CT_MO_BLOOM_HASHES] = { .name = "bloom_hashes", 3, 1, 16, "hashes",
	                         "not published; near the optimum for 32 to 64 blocks",
		CT_CONSTANT_WHOLE, "hash functions of a filter" },
	[CT_MO_QUERY_ROW_BYTES] = { .name = "query_row_bytes", 20, 0, 4096, "bytes",
	                            "Morpheus 6, 7.5: 5 KiB for 256 sets",
		CT_CONSTANT_WHOLE, "query logic of a set" },
	[CT_MO_EXT_TRIP_NS] = { .name = "ext_trip_ns", 165, 0, 1e5, "ns",
	                        "Morpheus Fig. 5: 773 - 608 ns",
		CT_CONSTANT_REAL, "way from the controller to an SM and back, unloaded" },
	[CT_MO_EXT_SERVICE_NS] = { .name = "ext_service_ns", 185, 1, 1e5, "ns", "Morpheus 5, RF+L1 kernel",
		CT_CONSTANT_REAL, "how long a helper warp is busy with one request" },
	[CT_MO_EXT_GBPS] = { .name = "ext_gbps", 34, 0.1, 1e5, "GB/s", "Morpheus 5, RF+L1 kernel",
		CT_CONSTANT_REAL, "what the port of a cache-mode SM carries" },
	[CT_MO_EXT_PJ_PER_BYTE] = { .name = "ext_pj_per_byte", 61, 0, 1e6, "pJ/B", "Morpheus 5, RF+L1 kernel",
		CT_CONSTANT_REAL, "energy of an extended access, all included" },
	[CT_MO_CONV_HIT_NS] = { .name = "conv_hit_ns", 0, 0, 1e5, "ns",
	                        "0: from the GPU's latencies (160 in Morpheus 5)",
		CT_CONSTANT_REAL, "a hit of the conventional LLC, as the requester sees it" },
	[CT_MO_CONV_MISS_NS] = { .name = "conv_miss_ns", 0, 0, 1e5, "ns",
	                         "0: from the GPU's latencies (608 in Morpheus Fig. 5)",
		CT_CONSTANT_REAL, "a miss of it, likewise" },
	[CT_MO_MOV_SAVED_INSTS] = { .name = "mov_saved_insts", 2, 0, 1e4, "insts",
	                            "Morpheus 4.3.2: three instructions, two of them branches, "
	                            "become one",
		CT_CONSTANT_REAL, "branches that the native Indirect-MOV saves per request" },
	[CT_MO_DECOMPRESS_INSTS] = { .name = "decompress_insts", 3, 0, 1e4, "insts",
	                             "ours: extract a delta, fetch the base, add",
		CT_CONSTANT_REAL, "instructions that decompressing a block adds" },
	[CT_MO_PIPELINE_CYCLES] = { .name = "pipeline_cycles", 5, 0, 1000, "cycles",
	                            "Accel-Sim: a dependent instruction issues latency + 5 later",
		CT_CONSTANT_REAL, "what a dependent instruction waits beyond its unit" },
	[CT_MO_ASSUMED_RATIO] = { .name = "assumed_ratio", 1.469, 1, 4, "",
	                          "Table 3: the ratio that keeps the mean extended capacity of "
	                          "Basic with ALL's cache-mode SMs, (328*29.21/22.71-128)/200",
		CT_CONSTANT_REAL, "compression of the register part when no values are known" },
	[CT_MO_PUBLISHED_COMPRESSION_GAIN] = { .name = "published_compression_gain", 1.09, 1, 4, "",
	                          "Morpheus 7.1: upper end of an assumed range only",
		CT_CONSTANT_REAL, "gain that an assumed range reaches up to" },
	[CT_MO_COMPRESSION_EPOCH] = { .name = "compression_epoch", 10000, 1, 1e12, "cycles",
	                              "Morpheus 4.3.1",
		CT_CONSTANT_WHOLE, "time between reassignments of registers to levels" },
	[CT_MO_META_CHARGED] = { .name = "meta_charged", 0, 0, 1, "",
	                         "ours: 0 as in the paper, 1 charges metadata and bases",
		CT_CONSTANT_SWITCH, "1: metadata of compressed blocks costs registers" },
	[CT_MO_LOOKUPS_FIRST] = { .name = "lookups_first", 0, 0, 1, "",
	                          "ours: 0, a warp serves what comes first (reading insertion-order)",
		CT_CONSTANT_SWITCH, "1: in replays, lookups go before insertions" },
	[CT_MO_SETS_BETA] = { .name = "sets_beta", 1, 1, 64, "", "ours: 1 for a good hash",
		CT_CONSTANT_REAL, "busiest extended set over the mean one" },
	[CT_MO_SLICE_BETA] = { .name = "slice_beta", 1, 1, 64, "",
	                       "ours: busiest over mean slice",
		CT_CONSTANT_REAL, "busiest LLC slice over the mean one" },
	[CT_MO_DRAM_FETCH_BYTES] = { .name = "dram_fetch_bytes", 0, 0, 4096, "bytes",
	                             "0: a whole block; the metadata has no sector bits (4.2.1)",
		CT_CONSTANT_WHOLE, "what an extended miss fetches from DRAM" },
	[CT_MO_CONTROLLER_POWER] = { .name = "controller_power", 0.0093, 0, 1, "", "Morpheus 7.5",
		CT_CONSTANT_REAL, "power of the controllers, as a share of the GPU's" },
	[CT_MO_CONSTANT_WATT] = { .name = "constant_watt", 32.3, 0, 1e4, "W",
	                          "AccelWattch (MICRO 2021), constant power of a GV100",
		CT_CONSTANT_REAL, "board power that does not scale with anything" },
	[CT_MO_STATIC_SHARE] = { .name = "static_share", 0.5, 0, 1, "",
	                         "ours; the range of perf_per_watt runs from 0 to 1",
		CT_CONSTANT_REAL, "share of an SM's power that flows even when it idles" },
	[CT_MO_BOOST_MIN] = { .name = "boost_min", 0.10, 0, 1, "", "Morpheus 6",
		CT_CONSTANT_REAL, "clock gain of Frequency-Boost with one SM gated" },
	[CT_MO_BOOST_MAX] = { .name = "boost_max", 0.20, 0, 1, "", "Morpheus 6",
		CT_CONSTANT_REAL, "its largest clock gain" },
	[CT_MO_BOOST_FULL_GATED] = { .name = "boost_full_gated", 44.0 / 68, 0.01, 1, "",
	                             "derived: the largest gated share of Table 3",
		CT_CONSTANT_REAL, "share of gated SMs that pays for the largest gain" },
};
/* clang-format on */

const struct ct_constants ct_morpheus_constants = {
	.row = TABLE,
	.n = CT_MO_KEYS,
	.prefix = "morpheus",
	.aliases = "",
	.page = "cachetriage-morpheus",
	.example = "morpheus.ext_gbps=34",
};

void ct_morpheus_defaults(struct ct_morpheus_params *p)
{
	ct_constants_defaults(&ct_morpheus_constants, p->v);
	p->helper = CT_MO_HELPER_RF_L1;
}

/* Section 5: 37 GB/s and 53 pJ/B for registers with 48 warps; 290, 106 and 97 GB/s
 * without the network, which are 7.8, 3.4 and 3.5 times what they are with it. The others
 * follow from one request per warp, 48 * 128 B / GB/s, and from power that hardly
 * changes, 53 pJ/B * 37 GB/s. */
static const struct ct_mo_helper_numbers HELPER[CT_MO_HELPERS] = {
	{"rf+l1", 34, 185, 61, NAN, "Morpheus 5, RF+L1 kernel"},
	{"rf", 37, 48 * 128 / 37.0, 53, 290, "Morpheus 5; time derived"},
	{"l1", 97 / 3.5, 48 * 128 * 3.5 / 97, 53 * 37 * 3.5 / 97, 97, "Morpheus 5; derived"},
	{"shared", 106 / 3.4, 48 * 128 * 3.4 / 106, 53 * 37 * 3.4 / 106, 106, "Morpheus 5; derived"},
	{"ideal", 290, 48 * 128 / 290.0, 53 * 37 / 290.0, 290, "Morpheus 5; derived"},
};

const struct ct_mo_helper_numbers *ct_mo_helper_numbers(enum ct_mo_helper h)
{
	return &HELPER[h];
}

int ct_morpheus_use_helper(struct ct_morpheus_params *p, const char *name)
{
	for (int h = 0; h < CT_MO_HELPERS; h++) {
		if (strcmp(HELPER[h].name, name) != 0)
			continue;
		p->helper = (enum ct_mo_helper)h;
		p->v[CT_MO_EXT_GBPS] = HELPER[h].gbps;
		p->v[CT_MO_EXT_SERVICE_NS] = HELPER[h].service_ns;
		p->v[CT_MO_EXT_PJ_PER_BYTE] = HELPER[h].pj_per_byte;
		/* What the requester waits for differs as much as the warp's own time. */
		if (h == CT_MO_HELPER_IDEAL)
			p->v[CT_MO_EXT_TRIP_NS] = HELPER[h].service_ns;
		else if (h != CT_MO_HELPER_RF_L1)
			p->v[CT_MO_EXT_TRIP_NS] += HELPER[h].service_ns - HELPER[0].service_ns;
		return 0;
	}
	return -1;
}

int ct_morpheus_set(struct ct_morpheus_params *p, const char *assignment, struct ct_error *e)
{
	return ct_constants_set(&ct_morpheus_constants, p->v, assignment, NULL, e);
}
