#include "models/malekeh/system.h"

#include <string.h>

const double ct_mk_profiled_share = 0.0001;

enum {
	RFC_ENTRIES = 6,    /* per thread: Gebhart and others, ISCA 2011 */
	SW_RFC_ENTRIES = 4, /* three operand registers and the last result: MICRO 2011 */
	LTRF_ENTRIES = 16   /* registers of an interval: Sadrosadati and others, ASPLOS 2018 */
};

#define COMMON .ports = 1, .bits = CT_MK_PROFILE, .profiled = 0.0001, .rthld = CT_MK_RTHLD
#define MALEKEH .kind = CT_MK_CCU, .schedule = CT_MK_PRIORITY, .entries = 8, .sthld = CT_MK_STHLD_MACHINE

/* clang-format off */
static const struct ct_mk_system systems[CT_MK_ALL_SYSTEMS] = {
	{.name = "OCU", .what = "two operand collectors, GTO", .collectors = 2, COMMON},
	{.name = "OCU-8", .what = "eight operand collectors, GTO", .collectors = 8, COMMON},
	{.name = "RFC", .what = "register file cache of two active warps", .kind = CT_MK_RFC,
	 .schedule = CT_MK_TWO_LEVEL, .collectors = 2, .entries = RFC_ENTRIES, .active = 2, COMMON},
	{.name = "SW-RFC", .what = "compiler-filled register hierarchy, two active warps",
	 .kind = CT_MK_SW_RFC, .schedule = CT_MK_TWO_LEVEL, .collectors = 2,
	 .entries = SW_RFC_ENTRIES, .active = 2, COMMON},
	{.name = "LTRF", .what = "prefetched register intervals, two active warps",
	 .kind = CT_MK_LTRF, .schedule = CT_MK_TWO_LEVEL, .collectors = 2, .entries = LTRF_ENTRIES,
	 .active = 2, COMMON},
	{.name = "BOW", .what = "a bypassing collector for each warp, window of three",
	 .kind = CT_MK_BOC, .window = 3, COMMON},
	{.name = "Malekeh", .what = "two caching collectors of eight entries", MALEKEH,
	 .collectors = 2, COMMON},
	{.name = "Malekeh_PR", .what = "a caching collector for each warp", MALEKEH, COMMON},
	{.name = "GTO+LRU", .what = "Malekeh's hardware, GTO, LRU, every result cached",
	 .kind = CT_MK_CCU, .collectors = 2, .entries = 8, .lru = 1, COMMON},
	{.name = "OCU-ideal", .what = "OCU whose operands are there at once, a bound", .collectors = 2,
	 .ideal = 1, COMMON},
	{.name = "OCU-own", .what = "the GPU's own collectors and scheduler", .collectors = 2, .own = 1,
	 COMMON},
	{.name = "OCU-16", .what = "sixteen operand collectors, GTO", .collectors = 16, COMMON},
	{.name = "OCU-mono", .what = "one scheduler for the SM, GTO", .collectors = 8,
	 .monolithic = 1, COMMON},
	{.name = "RFC-mono", .what = "RFC, one scheduler, eight active warps", .kind = CT_MK_RFC,
	 .schedule = CT_MK_TWO_LEVEL, .collectors = 8, .entries = RFC_ENTRIES, .active = 8,
	 .monolithic = 1, COMMON},
	{.name = "SW-RFC-mono", .what = "SW-RFC, one scheduler, eight active warps",
	 .kind = CT_MK_SW_RFC, .schedule = CT_MK_TWO_LEVEL, .collectors = 8,
	 .entries = SW_RFC_ENTRIES, .active = 8, .monolithic = 1, COMMON},
	{.name = "Malekeh-oracle", .what = "Malekeh with each operand's true distance", MALEKEH,
	 .collectors = 2, .ports = 1, .bits = CT_MK_ORACLE, .rthld = CT_MK_RTHLD},
	{.name = "Malekeh-profile-all", .what = "Malekeh profiled over every warp", MALEKEH,
	 .collectors = 2, .ports = 1, .bits = CT_MK_PROFILE, .profiled = 1, .rthld = CT_MK_RTHLD},
	{.name = "Malekeh-ports", .what = "Malekeh with unbounded write ports", MALEKEH,
	 .collectors = 2, .ports = 0, .bits = CT_MK_PROFILE, .profiled = 0.0001,
	 .rthld = CT_MK_RTHLD},
};
/* clang-format on */

struct ct_mk_system ct_mk_system_on(const struct ct_mk_system *s, const struct ct_gpu *g)
{
	enum { MOST = 32 }; /* of each kind, so that a word holds a bit for each */
	struct ct_mk_system on = *s;
	if (!s->own)
		return on;
	on.collectors = g->collectors > MOST ? MOST : g->collectors ? g->collectors : 1;
	on.memory = g->memory_collectors > MOST ? MOST : g->memory_collectors;
	switch (g->scheduler) {
	case CT_SCHED_LRR:
	case CT_SCHED_TWO_LEVEL:
	case CT_SCHED_STRICT_RR: on.schedule = CT_MK_IN_TURN; break;
	default: on.schedule = CT_MK_GTO; break;
	}
	return on;
}

const struct ct_mk_system *ct_mk_system_at(size_t i)
{
	return i < CT_MK_ALL_SYSTEMS ? &systems[i] : NULL;
}

int ct_mk_system_find(const char *name)
{
	for (int i = 0; i < CT_MK_ALL_SYSTEMS; i++)
		if (strcmp(systems[i].name, name) == 0)
			return i;
	return -1;
}

int ct_mk_needs_bits(const struct ct_mk_system *s)
{
	return s->kind == CT_MK_CCU && !s->lru;
}

int ct_mk_needs_plan(const struct ct_mk_system *s)
{
	return s->kind == CT_MK_SW_RFC || s->kind == CT_MK_LTRF;
}

int ct_mk_needs_code(const struct ct_mk_system *s)
{
	return ct_mk_needs_plan(s) || s->kind == CT_MK_RFC;
}

/* Values of 128 B that one sub-core (monolithic: the SM) holds. */
static uint64_t count_values(const struct ct_mk_system *s, uint64_t warps)
{
	uint64_t collectors = s->collectors ? s->collectors + s->memory : warps;
	switch (s->kind) {
	case CT_MK_CCU: return collectors * s->entries;
	case CT_MK_BOC: return collectors * s->window * CT_MK_BOC_SLOTS;
	case CT_MK_SW_RFC:
	case CT_MK_RFC:
	case CT_MK_LTRF: return collectors * CT_MK_SLOTS + (uint64_t)s->active * s->entries;
	default: return collectors * CT_MK_SLOTS;
	}
}

uint64_t ct_mk_cache_bytes(const struct ct_mk_system *s, const struct ct_gpu *g)
{
	const struct ct_mk_system on = ct_mk_system_on(s, g);
	uint64_t cores = s->monolithic ? 1 : g->schedulers;
	uint64_t warps = (ct_gpu_max_warps(g) + cores - 1) / cores;
	return cores * count_values(&on, warps) * CT_MK_VALUE_BYTES;
}

int64_t ct_mk_added_bytes(const struct ct_mk_system *s, const struct ct_gpu *g)
{
	return (int64_t)ct_mk_cache_bytes(s, g) - (int64_t)ct_mk_cache_bytes(&systems[0], g);
}
