/* Effects switched off: the same engine with a resource that costs no time, so that the
 * difference of two runs says what the resource costs (doc/models.md section 12, Nugteren's
 * runs "with one effect off"). What a parameter can do is done here; ports and queues that
 * have no parameter ask r->free where they are (noc.c, llc.c, l1.c, ldst.c). */
#include "replay/private/engine.h"

/* More than an SM or a slice can have under way: a reserved sector has a line, and beyond
 * that the bound on the lines of an SM in flight holds. */
static uint32_t all_sectors(const struct ct_cache_params *c)
{
	uint64_t n = (uint64_t)c->sets * c->ways * (c->line / c->sector);
	return n < RP_LINES_IN_FLIGHT && c->allocate == CT_ALLOCATE_ON_MISS
	               ? (uint32_t)n
	               : RP_LINES_IN_FLIGHT;
}

enum { UNLIMITED = 1 << 20 };

static void free_mshr(struct ct_cache_params *c)
{
	c->mshr_entries = rp_max32(c->mshr_entries, all_sectors(c));
	c->mshr_merge = UNLIMITED;
}

static void free_l1(struct ct_gpu *g)
{
	g->l1_latency = 1;
	g->shmem_latency = 0;
	g->shmem_banks = 1024; /* the most that the table of keys allows */
	g->l1.banks = RP_MAX_L1_BANKS;
	g->l1.miss_queue = UNLIMITED;
	free_mshr(&g->l1);
}

static void free_llc(struct ct_gpu *g)
{
	g->llc_mhz = g->core_mhz;
	g->llc_latency = 0;
	g->llc_queue = UNLIMITED;
	g->llc.miss_queue = UNLIMITED;
	free_mshr(&g->llc);
}

static void free_issue(struct ct_gpu *g)
{
	for (int i = 0; i < CT_CLASS_COUNT; i++)
		g->unit[i].initiation = 1;
	g->collectors = RP_MAX_COLLECTORS;
	g->memory_collectors = 0;
	g->register_banks = RP_MAX_REG_BANKS * g->schedulers;
}

void rp_make_resources_free(struct ct_gpu *g, unsigned what)
{
	if (what & CT_REPLAY_FREE_ISSUE)
		free_issue(g);
	for (int i = 0; (what & CT_REPLAY_FREE_DEPENDENCIES) && i < CT_CLASS_COUNT; i++)
		g->unit[i].latency = 1;
	if (what & CT_REPLAY_FREE_L1)
		free_l1(g);
	if (what & CT_REPLAY_FREE_LLC)
		free_llc(g);
	if (what & CT_REPLAY_FREE_NETWORK) {
		g->noc = CT_NOC_CROSSBAR; /* whose ports noc.c leaves out */
		g->noc_mhz = g->core_mhz;
		g->noc_latency = 1;
	}
	if (what & CT_REPLAY_FREE_MSHR) {
		free_mshr(&g->l1);
		free_mshr(&g->llc);
	}
}
