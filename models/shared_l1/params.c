#include "models/shared_l1/params.h"

#include <string.h>

/* Sections, figures and tables are the Shared L1 paper's (PACT 2020); readings are those of
 * doc/papers/shared-l1.md. */
/* clang-format off */
static const struct ct_constant TABLE[CT_SL_KEYS] = {
	[CT_SL_SAMPLING] = { .name = "sampling", 512, 1, 1e9, "accesses", "Shared L1 4.2: R_S",
		CT_CONSTANT_WHOLE, "local accesses per group that end sampling" },
	[CT_SL_EXECUTION] = { .name = "execution", 16384, 1, 1e12, "accesses", "Shared L1 4.2: R_EX",
		CT_CONSTANT_WHOLE, "local accesses of an execution phase" },
	[CT_SL_GUARD] = { .name = "guard", 0.10, 0, 1, "", "Shared L1 4.2: L1MR_Threshold",
		CT_CONSTANT_REAL, "L1 miss rate below which a core stays private" },
	[CT_SL_EB_PAST] = { .name = "eb_past", 0, 0, 1, "", "0: by the letter (reading effective-bandwidth)",
		CT_CONSTANT_WHOLE, "1: EB also counts replies of the LLC to accesses that go past their homes" },
	[CT_SL_COUNT] = { .name = "count", 0, 0, 2, "", "0: by the letter (reading phase-count)",
		CT_CONSTANT_WHOLE, "what ends a phase, as --count: 0 local, 1 served, 2 own accesses" },
	[CT_SL_TURNS] = { .name = "turns", 0, 0, 1, "", "0: by the letter (reading local-first)",
		CT_CONSTANT_WHOLE, "1: local and remote misses take turns at the MSHRs of an L1 that has none free" },
	[CT_SL_CORE_LLC_CYCLES] = { .name = "core_llc_cycles", 247, 0, 1e5, "cycles",
	                            "Shared L1 5.2 (reading distance-latencies)",
		CT_CONSTANT_REAL, "mean way between core and LLC, as AMAT sees it" },
	[CT_SL_HOME_CYCLES] = { .name = "home_cycles", 0, 0, 1e5, "cycles",
	                        "0: from the network (54 in Shared L1 5.2)",
		CT_CONSTANT_REAL, "round trip between requester and home" },
	[CT_SL_FORWARD_CYCLES] = { .name = "forward_cycles", 0, 0, 1e5, "cycles",
	                           "0: two ways up through a slice's input and two down; the paper gives none",
		CT_CONSTANT_REAL, "the same through the LLC slices of a crossbar" },
	[CT_SL_CHUNK_BYTES] = { .name = "chunk_bytes", 32, 1, 128, "bytes", "Shared L1 3.3; reading requested-bytes",
		CT_CONSTANT_WHOLE, "granularity of chunked replies" },
	[CT_SL_BUTTERFLY_RADIX] = { .name = "butterfly_radix", 0, 0, 64, "",
	                            "0: 6-ary up to 36 nodes, else 4-ary (Shared L1 5.5)",
		CT_CONSTANT_WHOLE, "radix of the butterfly between cores" },
	[CT_SL_QUEUE_DEPTH] = { .name = "queue_depth", 32, 0, 1e5, "entries", "not published: reading queue-depth",
		CT_CONSTANT_WHOLE, "entries of a home's input and output queue" },
	[CT_SL_QUEUE_ENTRY] = { .name = "queue_entry", 8, 0, 1024, "bytes",
	                        "ours: a control packet of GPGPU-Sim",
		CT_CONSTANT_WHOLE, "size of an entry of either" },
	[CT_SL_COUNTERS] = { .name = "counters", 8, 0, 1024, "", "Shared L1 4.1: four in each of two groups, of 4 bytes",
		CT_CONSTANT_WHOLE, "counters of a dynamic scheme, per core" },
	[CT_SL_HOME_BETA] = { .name = "home_beta", 0, 0, 1e4, "",
	                      "0: as the profile says, else of the home mapping",
		CT_CONSTANT_REAL, "busiest home over the mean one" },
	[CT_SL_L1_PJ_PER_BYTE] = { .name = "l1_pj_per_byte", 1.8, 0, 1e4, "pJ/B",
	                           "Horowitz, ISSCC 2014: 10 pJ at 8 KB and 20 pJ at 32 KB for 8 bytes",
		CT_CONSTANT_REAL, "energy of an L1 access" },
	[CT_SL_CONSTANT_WATT] = { .name = "constant_watt", 32.3, 0, 1e4, "W",
	                          "AccelWattch (MICRO 2021), constant power of a GV100",
		CT_CONSTANT_REAL, "board power that does not scale with anything" },
	[CT_SL_STATIC_SHARE] = { .name = "static_share", 0.5, 0, 1, "",
	                         "ours; the range of perf_per_watt runs from 0 to 1",
		CT_CONSTANT_REAL, "share of an SM's power that flows even when it idles" },
	[CT_SL_TARGET_REPLICATION] = { .name = "target_replication", 0.10, 0, 1, "", "Shared L1 2.1 (reading target-test)",
		CT_CONSTANT_REAL, "replication ratio above which a workload is a target" },
	[CT_SL_TARGET_MISS] = { .name = "target_miss", 0.50, 0, 1, "", "Shared L1 2.1 (reading target-test)",
		CT_CONSTANT_REAL, "L1 miss rate above which it is" },
	[CT_SL_TARGET_GAIN] = { .name = "target_gain", 0.05, 0, 10, "", "Shared L1 2.1 (reading target-test)",
		CT_CONSTANT_REAL, "gain of a 16 times larger L1 above which it is" },
	[CT_SL_AREA_SHARED] = { .name = "area_shared", 0.085, 0, 100, "mm2", "Shared L1 4.3, per core at 65 nm",
		CT_CONSTANT_REAL, "area that sharing adds to a core" },
	[CT_SL_AREA_DYNAMIC] = { .name = "area_dynamic", 0.005, 0, 100, "mm2", "Shared L1 4.3, per core at 65 nm",
		CT_CONSTANT_REAL, "area that deciding adds to a core" },
};
/* clang-format on */

static const char *const NETWORK[CT_SL_NETS + 1] = {"mesh", "forwarded", "butterfly", "auto"};

const char *ct_sl_network_name(enum ct_sl_network n)
{
	return NETWORK[n];
}

int ct_sl_network_find(const char *name)
{
	for (int i = 0; i <= CT_SL_NETS; i++)
		if (!strcmp(NETWORK[i], name))
			return i;
	return -1;
}

int ct_sl_count_find(const char *name)
{
	static const char *const count[] = {"local", "served", "own"};
	for (int i = 0; i < 3; i++)
		if (!strcmp(count[i], name))
			return i;
	return -1;
}

enum ct_sl_count ct_sl_count_of(const struct ct_sl_params *p)
{
	return (enum ct_sl_count)p->v[CT_SL_COUNT];
}

const struct ct_constants ct_sl_constants = {
	.row = TABLE,
	.n = CT_SL_KEYS,
	.prefix = "shared-l1",
	.aliases = "shared_l1,sharedl1",
	.page = "cachetriage-shared-l1",
	.example = "shared-l1.guard=0.1",
};

void ct_sl_defaults(struct ct_sl_params *p)
{
	ct_constants_defaults(&ct_sl_constants, p->v);
	p->homes = CT_SL_HOMES_MOD;
	p->network = CT_SL_NET_AUTO;
	p->cores = 0;
}

int ct_sl_set(struct ct_sl_params *p, const char *assignment, struct ct_error *e)
{
	return ct_constants_set(&ct_sl_constants, p->v, assignment, NULL, e);
}
