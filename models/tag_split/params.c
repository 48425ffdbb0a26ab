#include "models/tag_split/params.h"

static const struct ct_constant TABLE[CT_TS_KEYS] = {
	[CT_TS_WAYS] = {"ways", 0, 0, 16, "",
                        "0: the GPU's, or 4 as in Table 2 where it has more than 16", CT_CONSTANT_WHOLE,
                        "lines of a set in the systems of the paper"},
	[CT_TS_CHUNK] = {"chunk", 32, 8, 128, "bytes", "Tag-Split Table 2", CT_CONSTANT_POWER_OF_TWO,
                         "size of the chunks that share a tag"},
	[CT_TS_PRIVATE_BITS] = {"private_bits", 8, 0, 57, "bits", "Tag-Split Table 2", CT_CONSTANT_WHOLE,
                                "tag bits that each chunk keeps for itself"},
	[CT_TS_ADDRESS_BITS] = {"address_bits", 32, 16, 57, "bits", "Tag-Split 5.1: tags of 20 bits",
                                CT_CONSTANT_WHOLE, "physical address, which decides how long tags are"},
	[CT_TS_HIT_LATENCY] = {"hit_latency", 1, 0, 100, "cycles", "Tag-Split Table 2",
                               CT_CONSTANT_WHOLE, "what Tag-Split adds to the latency of a hit"},
	[CT_TS_PACKET_BYTES] = {"packet_bytes", 32, 8, 256, "bytes", "Tag-Split 3.5", CT_CONSTANT_WHOLE,
                                "data of a packet between the L1s and the LLC"},
	[CT_TS_THRESHOLD] = {"threshold", 1024, 1, 1 << 20, "misses", "Tag-Split 3.5", CT_CONSTANT_WHOLE,
                             "miss counts at which TSC+ chooses a mode"},
	[CT_TS_SAMPLERS] = {"samplers", 4, 1, 1 << 16, "sets", "Tag-Split 3.5: 8 of 32 sets, 4 per mode",
                            CT_CONSTANT_WHOLE, "sets of SM 0 that always run one mode, per mode"},
	[CT_TS_SPREAD] = {"spread", 0, 0, 1, "", "Tag-Split 3.5: drawn (reading sampler-sets)",
                          CT_CONSTANT_SWITCH, "1: the sampler sets are spread evenly"},
	[CT_TS_USE_LRU] = {"lru", 0, 0, 1, "", "Tag-Split 3.3: NRU; 1 for comparisons",
                           CT_CONSTANT_SWITCH, "1: chunks leave in LRU order instead of NRU"},
	[CT_TS_PICK_LOWEST] = {"pick_lowest", 0, 0, 1, "",
                               "Tag-Split 3.3: random (reading random-victim)", CT_CONSTANT_SWITCH,
                               "1: of equal victims the lowest leaves instead of a random one"},
	[CT_TS_GROUPS_FIRST] = {"groups_first", 0, 0, 1, "", "ours: reading foreign-group-victim",
                                CT_CONSTANT_SWITCH,
                                "1: victims are sought in groups with the same shared tag first"},
	[CT_TS_MSHR] = {"mshr", 0, 0, 4096, "lines", "0: the GPU's (32 in Table 2)", CT_CONSTANT_WHOLE,
                        "MSHR entries of the systems of the paper"},
	[CT_TS_MRPB_QUEUES] = {"mrpb_queues", 8, 1, 64, "", "ours (reconstruction)", CT_CONSTANT_WHOLE,
                               "queues of MRPB"},
	[CT_TS_MRPB_DEPTH] = {"mrpb_depth", 16, 1, 1024, "requests", "ours (reconstruction)",
                              CT_CONSTANT_WHOLE, "requests that a queue of MRPB holds"},
	[CT_TS_MRPB_LATENCY] = {"mrpb_latency", 0, 0, 1 << 16, "cycles",
                                "0: an unloaded LLC hit of the GPU", CT_CONSTANT_WHOLE,
                                "time of a miss in the order that MRPB makes"},
	[CT_TS_MRPB_BYTES] = {"mrpb_bytes", 1239, 0, 1 << 20, "bytes",
                              "Tag-Split Table 3: 1.21 KB; not derivable (reading mrpb-storage)",
                              CT_CONSTANT_WHOLE, "storage of MRPB per L1"},
	[CT_TS_PJ_PER_ACCESS] = {"pj_per_access", 0.8, 0, 1e4, "pJ", "Tag-Split 5.6: 0.0008 nJ",
                                 CT_CONSTANT_REAL, "energy that Tag-Split adds to an access"},
	[CT_TS_LEAKAGE_WATT] = {"leakage_watt", 0.0005, 0, 10, "W", "Tag-Split 5.6: 0.5 mW per L1",
                                CT_CONSTANT_REAL, "power that Tag-Split adds to an L1"},
	[CT_TS_CONSTANT_WATT] = {"constant_watt", 32.3, 0, 1e4, "W",
                                 "AccelWattch (MICRO 2021), constant power of a GV100", CT_CONSTANT_REAL,
                                 "power of the GPU that no activity changes"},
	[CT_TS_STATIC_SHARE] = {"static_share", 0.5, 0, 1, "", "ours", CT_CONSTANT_REAL,
                                "share of the rest that does not follow activity"},
};

const struct ct_constants ct_ts_constants = {
	.row = TABLE,
	.n = CT_TS_KEYS,
	.prefix = "tsc",
	.aliases = "",
	.page = "cachetriage-tag-split",
	.example = "tsc.private_bits=8",
};

void ct_ts_defaults(struct ct_ts_params *p)
{
	ct_constants_defaults(&ct_ts_constants, p->v);
}

int ct_ts_is_key(const char *assignment)
{
	return ct_constants_own(&ct_ts_constants, assignment);
}

int ct_ts_set(struct ct_ts_params *p, const char *assignment, struct ct_error *e)
{
	return ct_constants_set(&ct_ts_constants, p->v, assignment, NULL, e);
}
