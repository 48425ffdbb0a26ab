#include "models/bypass/params.h"

static const struct ct_constant TABLE[CT_BP_KEYS] = {
	[CT_BP_ENTRIES] = {"entries", 128, 1, 1 << 16, "counters", "ours (reading table-size)",
                           CT_CONSTANT_POWER_OF_TWO, "counters of the table beside each L1"},
	[CT_BP_COUNTER_BITS] = {"counter_bits", 4, 1, 16, "bits", "ours (reading table-size)",
                                CT_CONSTANT_WHOLE, "width of a counter, which saturates"},
	[CT_BP_THRESHOLD] =
		{"threshold", 8, 1, 1 << 16, "", "ours (reading half-way)", CT_CONSTANT_WHOLE,
                 "value from which the loads of a counter pass; above what its bits hold: none does"},
	[CT_BP_SAMPLE_EVERY] = {"sample_every", 32, 0, 1 << 16, "misses",
                                "ours (reading sampled-misses)", CT_CONSTANT_WHOLE,
                                "of so many misses of passing loads one allocates; 0: none"},
	[CT_BP_CONSTANT_WATT] = {"constant_watt", 32.3, 0, 1e4, "W",
                                 "AccelWattch (MICRO 2021), constant power of a GV100", CT_CONSTANT_REAL,
                                 "power of the GPU that no activity changes"},
	[CT_BP_STATIC_SHARE] = {"static_share", 0.5, 0, 1, "", "ours", CT_CONSTANT_REAL,
                                "share of the rest that does not follow activity"},
};

const struct ct_constants ct_bp_constants = {
	.row = TABLE,
	.n = CT_BP_KEYS,
	.prefix = "bypass",
	.aliases = "",
	.page = "cachetriage-bypass",
	.example = "bypass.threshold=8",
};
