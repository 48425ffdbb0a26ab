/* Occupancy and the adaptive L1, as Accel-Sim computes them (doc/replay.md section 2). */
#include "gpu/occupancy.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"

/* x * y * z, saturated: a header may claim anything. */
static uint64_t volume_of(const uint32_t d[3])
{
	uint64_t xy = (uint64_t)d[0] * d[1];
	return d[2] && xy > UINT64_MAX / d[2] ? UINT64_MAX : xy * d[2];
}

static void limit_to(struct ct_occupancy *o, uint64_t n, const char *what)
{
	if (n < o->ctas_by_resources) {
		o->ctas_by_resources = (uint32_t)n;
		o->limit = what;
	}
}

/* The first split that holds the shared memory of all resident CTAs leaves the rest to
 * the L1, in whole ways of the largest L1 rounded to the nearest. */
static void split_l1(const struct ct_gpu *g, uint64_t shmem, struct ct_occupancy *o)
{
	uint64_t unified = g->unified_bytes, split = g->shmem_option[g->shmem_options - 1];
	uint64_t way = (uint64_t)g->l1.sets * g->l1.line;
	for (uint32_t i = 0; i < g->shmem_options; i++)
		if (shmem <= g->shmem_option[i]) {
			split = g->shmem_option[i];
			break;
		}
	uint64_t max_ways = unified / way;
	uint64_t ways = (2 * max_ways * (unified - split) + unified) / (2 * unified);
	o->l1_ways = ways ? (uint32_t)ways : 1;
	o->l1_bytes = o->l1_ways * way;
}

int ct_occupancy(const struct ct_gpu *g, const struct ct_kernel *k, struct ct_occupancy *o,
                 struct ct_error *e)
{
	uint64_t block = volume_of(k->block), grid = volume_of(k->grid);
	uint64_t threads = block > UINT32_MAX ? block : ct_round_up(block, g->warp_size);
	uint64_t registers = ct_round_up(k->regs, 4);
	memset(o, 0, sizeof *o);
	if (block == 0 || grid == 0)
		return ct_fail(e, CT_ERR_INPUT, "kernel %" PRIu32 ": its grid or block is empty", k->id);
	o->ctas_by_resources = g->max_ctas;
	o->limit = "ctas";
	limit_to(o, g->max_threads / threads, "threads");
	if (k->shmem_bytes)
		limit_to(o, g->shmem_bytes / k->shmem_bytes, "shmem");
	if (registers && o->ctas_by_resources)
		limit_to(o, registers > g->registers ? 0 : g->registers / (threads * registers),
		         "registers");
	if (o->ctas_by_resources == 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "kernel %" PRIu32 ": a CTA of %" PRIu64 " threads, %" PRIu32
		               " registers and %" PRIu64 " bytes of shared memory does not fit on an SM "
		               "of %s: not enough %s",
		               k->id, block, k->regs, k->shmem_bytes, g->name, o->limit);
	o->warps_per_cta = (uint32_t)(threads / g->warp_size);
	uint64_t share = grid / g->sms + (grid % g->sms != 0);
	o->ctas = o->ctas_by_resources;
	if (share < o->ctas) {
		o->ctas = (uint32_t)share;
		o->limit = "grid";
	}
	o->l1_sets = g->l1.sets;
	o->l1_ways = g->l1.ways;
	o->l1_bytes = g->l1.size;
	if (g->l1_adaptive && g->unified_bytes && g->shmem_options)
		split_l1(g, k->shmem_bytes * o->ctas, o);
	return 0;
}
