#include "models/malekeh/params.h"

/* Sections are the Malekeh paper's. */
static const struct ct_constant TABLE[CT_MK_KEYS] = {
	[CT_MK_P_SMS] = {"sms", 1, 1, 16, "SMs", "ours: SMs of a launch run the same code",
                         CT_CONSTANT_WHOLE, "SMs of each launch that are recorded and run"},
	[CT_MK_P_MAX_INSTS] = {"max_insts", 500000, 0, 1e12, "insts",
                               "ours: about 50 intervals of the STHLD machine", CT_CONSTANT_WHOLE,
                               "warp instructions of a launch after which no CTA is begun; 0: no limit"},
	[CT_MK_P_RTHLD] = {"rthld", 12, 0, 1e6, "insts", "III-A", CT_CONSTANT_WHOLE,
                           "longest distance that still counts as near"},
	[CT_MK_P_PROFILED] = {"profiled", 0.0001, 0, 1, "",
                              "III-A: about 0.01 % of the warps, "
                              "at least one (reading profiled-warps)",
                              CT_CONSTANT_REAL, "share of the warps whose reuses set the bits"},
	[CT_MK_P_ORACLE] = {"oracle", 0, 0, 1, "",
                            "0: profiled bits, the proposal (reading bits-source)", CT_CONSTANT_SWITCH,
                            "1: every operand has its true bit"},
	[CT_MK_P_INTERVAL] = {"interval", 10000, 1, 4e9, "cycles", "IV-B3", CT_CONSTANT_WHOLE,
                              "time between two steps of the STHLD machine"},
	[CT_MK_P_SHARED_COUNTER] = {"shared_counter", 0, 0, 1, "",
                                    "ours: each scheduler decides "
                                    "alone (reading denial-counter)",
                                    CT_CONSTANT_SWITCH, "1: one waiting counter for the SM"},
	[CT_MK_P_PORTS] = {"ports", 1, 0, 64, "results", "III-B", CT_CONSTANT_WHOLE,
                           "results that a caching collector takes in a cycle; 0: all"},
	[CT_MK_P_PRIORITY] =
		{"priority", CT_MK_DATA_OWNER, CT_MK_DATA_OWNER, CT_MK_DATA_NEAR, "",
                 "IV: warps with data in a collector; whether far or no values are data is not said "
                 "(reading priority-data)",
                 CT_CONSTANT_WHOLE,
                 "warps that issue before the others: 0 owners of a collector, 1 with any value in "
                 "it, 2 with a near one"},
	[CT_MK_P_BANK_ACCESSES] =
		{"bank_accesses", 1, 1, 8, "",
                 "II: banks have one port (reading baseline-collectors); 2: as Accel-Sim",
                 CT_CONSTANT_WHOLE, "reads or results that a register bank serves in a cycle"},
	[CT_MK_P_BANK_READ_PJ] = {"bank_read_pj", 185, 0, 1e6, "pJ",
                                  "128 B of a 64 KB bank, CACTI "
                                  "(BOW, MICRO 2020; recalled, not checked)",
                                  CT_CONSTANT_REAL, "a read of a register bank"},
	[CT_MK_P_BANK_WRITE_PJ] = {"bank_write_pj", 185, 0, 1e6, "pJ", "ours: as a read",
                                   CT_CONSTANT_REAL, "a write to a register bank"},
	[CT_MK_P_BUFFER_PJ] = {"buffer_pj", 3, 0, 1e6, "pJ",
                               "128 B of a collector, CACTI (BOW, MICRO "
                               "2020; recalled, not checked)",
                               CT_CONSTANT_REAL, "an access to a value in a collector"},
	[CT_MK_P_EIGHT_COLLECTORS] = {"eight_collectors", 2.83, 1.001, 3.999, "",
                                      "I: power of the register file, 8 collectors over 2",
                                      CT_CONSTANT_REAL,
                                      "what a read costs with 8 collectors over what it costs with 2"},
	[CT_MK_P_ARBITER_PJ] = {"arbiter_pj", 1, 0, 1e6, "pJ", "ours: a few hundred gates",
                                CT_CONSTANT_REAL, "a request to the arbiter of the banks"},
};

const struct ct_constants ct_mk_constants = {
	.row = TABLE,
	.n = CT_MK_KEYS,
	.prefix = "malekeh",
	.aliases = "",
	.page = "cachetriage-malekeh",
	.example = "malekeh.rthld=12",
};

void ct_mk_defaults(struct ct_mk_params *p)
{
	ct_constants_defaults(&ct_mk_constants, p->v);
}

int ct_mk_set(struct ct_mk_params *p, const char *assignment, struct ct_error *e)
{
	return ct_constants_set(&ct_mk_constants, p->v, assignment, NULL, e);
}

void ct_mk_apply(const struct ct_mk_params *p, const struct ct_gpu *g, const struct ct_mk_system *plain,
                 struct ct_mk_system *s)
{
	*s = ct_mk_system_on(plain, g);
	if (s->rthld == CT_MK_RTHLD)
		s->rthld = (uint32_t)p->v[CT_MK_P_RTHLD];
	if (s->profiled == ct_mk_profiled_share)
		s->profiled = p->v[CT_MK_P_PROFILED];
	if (s->ports == 1)
		s->ports = (uint32_t)p->v[CT_MK_P_PORTS];
	if (s->schedule == CT_MK_PRIORITY)
		s->data = (enum ct_mk_data)p->v[CT_MK_P_PRIORITY];
	if (p->v[CT_MK_P_ORACLE] > 0)
		s->bits = CT_MK_ORACLE;
}

void ct_mk_apply_machine(const struct ct_mk_params *p, struct ct_mk_machine *m)
{
	m->interval = (uint32_t)p->v[CT_MK_P_INTERVAL];
	m->shared_counter = p->v[CT_MK_P_SHARED_COUNTER] > 0;
	m->accesses = (uint32_t)p->v[CT_MK_P_BANK_ACCESSES];
}
