/* Building a system for the engine, and reading off what it counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "models/shared_l1/part_internal.h"

enum { LINE = 1024 }; /* bytes of the longest line whose 32-byte pieces a mask of 32 bits holds */

/* ---- the mesh ---- */

static uint32_t node_of_slice(const struct ct_gpu *g, const struct ct_sl_place *place, uint32_t i)
{
	return place->partition[i * g->llc_partitions / g->llc_slices];
}

static struct ct_hop_times hop_times(const struct ct_gpu *g)
{
	double clock = g->core_mhz / g->noc_mhz;
	return (struct ct_hop_times){
		(uint32_t)llround(g->noc_hop_cycles * clock), (uint32_t)llround(clock)};
}

static int make_mesh(struct ct_sl_part *p, const struct ct_sl_place *place, struct ct_error *e)
{
	const struct ct_gpu *g = &p->gpu;
	uint32_t nodes = g->sms + g->llc_slices;
	uint32_t *at = ct_calloc(nodes, sizeof *at);
	int st = at ? CT_OK : ct_fail_nomem(e);
	for (uint32_t i = 0; i < nodes && st == CT_OK; i++)
		at[i] = i < g->sms ? place->core[i] : node_of_slice(g, place, i - g->sms);
	if (st == CT_OK)
		st = ct_network_mesh(&p->network, place->side, place->side, nodes, at, hop_times(g), e);
	free(at);
	p->parts.network = p->network;
	return st;
}

static int make_butterfly(struct ct_sl_part *p, struct ct_error *e)
{
	struct ct_butterfly b;
	unsigned ends = p->gpu.sms + p->gpu.llc_partitions;
	unsigned k = (unsigned)p->params.v[CT_SL_BUTTERFLY_RADIX];
	if (k < 2)
		k = ends <= 36 ? 6 : 4;
	if (ct_butterfly_for(&b, k, ends) < 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "no butterfly of radix %u for %u nodes: give "
		               "shared-l1.butterfly_radix",
		               k, ends);
	return ct_network_butterfly(&p->own, b.k, b.n, b.nodes, hop_times(&p->gpu), e);
}

/* The network between SMs and slices, and for butterflies and the ideal one a network of the part's
 * own between the cores. */
static int make_network(struct ct_sl_part *p, enum ct_sl_network kind, const struct ct_sl_place *place,
                        struct ct_error *e)
{
	int st = CT_OK;
	if (kind == CT_SL_NET_MESH)
		st = make_mesh(p, place, e);
	else
		p->gpu.noc = CT_NOC_CROSSBAR; /* between SMs and slices, whatever the GPU has */
	if (st == CT_OK && p->system->ideal)
		st = ct_network_ideal(&p->own, 1, e);
	else if (st == CT_OK && kind == CT_SL_NET_BUTTERFLY && p->system->shared)
		st = make_butterfly(p, e);
	p->own_net = p->own != NULL;
	p->forwarded = kind == CT_SL_NET_FORWARDED && !p->own_net;
	p->parts.own = p->own;
	return st;
}

/* ---- the caches ---- */

/* The organisation of the L1s, in the engine's shape and with the scheme that the system and the
 * network give it. */
static int make_org(struct ct_sl_part *p, enum ct_sl_network kind, const struct ct_sl_place *place,
                    struct ct_error *e)
{
	struct ct_gpu sharing = p->gpu; /* with the SMs that share alone */
	const struct ct_gpu *g = &sharing;
	uint32_t sectors = g->l1.line / g->l1.sector;
	struct ct_sl_noc noc;
	if (p->params.cores && p->params.cores < g->sms) {
		if (kind == CT_SL_NET_MESH)
			return ct_fail(e, CT_ERR_UNSUPPORTED,
			               "on a mesh, L1s are shared by all SMs: %u of %u compute",
			               p->params.cores, g->sms);
		sharing.sms = p->params.cores;
	}
	struct ct_sl_org_config c = {
		.organisation = p->system->dynamic ? CT_SL_ORG_DYNAMIC : CT_SL_ORG_SHARED,
		.cores = g->sms,
		.sets = g->l1.sets,
		.ways = g->l1.ways,
		.set_hash = g->l1.set_hash,
		.write = g->l1.write_policy,
		.whole = sectors >= 32 ? UINT32_MAX : (1u << sectors) - 1,
		.by_bytes = g->l1.line <= 128 && g->l1.sector == 32,
		.dirty_percent = g->l1.dirty_percent,
		.homes = p->params.homes,
		.reserve = g->l1.allocate == CT_ALLOCATE_ON_MISS,
		.mshr_entries = g->l1.mshr_entries,
		.mshr_merge = g->l1.mshr_merge,
		.partitions = g->llc_partitions,
	};
	int st = ct_sl_noc_init(&noc, kind, g, &p->params, place, e);
	if (st != CT_OK)
		return st;
	ct_sl_scheme_of(p->system, g, &p->params, &noc, &c.scheme);
	ct_sl_noc_free(&noc);
	if (p->system->min && kind == CT_SL_NET_MESH)
		st = (p->nearer = ct_sl_place_nearer(place)) ? CT_OK : ct_fail_nomem(e);
	c.nearer = p->nearer;
	return st == CT_OK ? ct_sl_org_new(&p->org, &c, e) : st;
}

/* Makes the queues of all homes. */
static int make_homes(struct ct_sl_part *p, struct ct_error *e)
{
	if (p->gpu.l1.line > LINE)
		return ct_fail(e, CT_ERR_USAGE,
		               "l1.line = %u: a shared L1 is replayed with lines of %d "
		               "bytes at most",
		               p->gpu.l1.line, LINE);
	p->home = ct_calloc(p->gpu.sms, sizeof *p->home);
	if (!p->home)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < p->gpu.sms; i++)
		p->home[i] = (struct sp_home){.head = SP_NONE, .tail = SP_NONE};
	p->line_bits = ct_high_bit(p->gpu.l1.line);
	p->sector_bits = ct_high_bit(p->gpu.l1.sector);
	p->banks_are_sectors = p->gpu.l1.banks == p->gpu.l1.line / p->gpu.l1.sector;
	p->free_request = SP_NONE;
	sp_hooks(p);
	p->parts.l1 = &p->l1;
	return CT_OK;
}

/* The same sets of so many more ways; an adaptive L1 has them beside what a launch leaves. */
static int add_ways(struct ct_gpu *g, uint32_t ways, struct ct_error *e)
{
	uint64_t bytes = (uint64_t)ways * g->l1.sets * g->l1.line;
	g->l1.ways += ways;
	g->l1.size += bytes;
	if (g->l1_adaptive)
		g->unified_bytes += bytes;
	return ct_gpu_check(g, e);
}

/* Capacity as the system's definition says; an adaptive L1 stays what a launch leaves unless
 * it is to be larger. */
static int resize_l1(struct ct_sl_part *p, struct ct_error *e)
{
	char set[48];
	int st = CT_OK;
	if (p->system->l1_factor > 1) {
		snprintf(set, sizeof set, "l1.size=%llu",
		         (unsigned long long)((double)p->gpu.l1.size * p->system->l1_factor));
		st = ct_gpu_set(&p->gpu, set, e);
		if (st == CT_OK)
			st = ct_gpu_check(&p->gpu, e);
	}
	if (st == CT_OK && p->system->plus)
		st = add_ways(&p->gpu, ct_sl_plus_ways(&p->gpu, &p->params), e);
	if (st == CT_OK && p->system->llc_factor > 1)
		st = ct_gpu_resize_llc(
			&p->gpu, (uint64_t)((double)ct_gpu_llc_bytes(&p->gpu) * p->system->llc_factor),
			e);
	return st;
}

int ct_sl_part_new(struct ct_sl_part **out, const struct ct_sl_system *s, const struct ct_gpu *g,
                   const struct ct_sl_params *params, enum ct_sl_network kind,
                   const struct ct_sl_place *place, struct ct_error *e)
{
	struct ct_sl_part *p = ct_calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return ct_fail_nomem(e);
	p->system = s;
	p->gpu = *g;
	p->params = *params;
	int st = resize_l1(p, e);
	if (st == CT_OK)
		st = make_network(p, kind, place, e);
	if (st == CT_OK && s->shared)
		st = make_homes(p, e);
	if (st == CT_OK && p->home)
		st = make_org(p, kind, place, e);
	if (st != CT_OK) {
		ct_sl_part_free(p);
		return st;
	}
	*out = p;
	return CT_OK;
}

void ct_sl_part_free(struct ct_sl_part *p)
{
	if (!p)
		return;
	ct_sl_org_free(p->org);
	ct_network_free(p->network);
	ct_network_free(p->own);
	free(p->nearer);
	free(p->home);
	free(p->request);
	free(p);
}

void ct_sl_part_watch(struct ct_sl_part *p, void (*watch)(void *ctx, const struct ct_sl_org_event *ev),
                      void *ctx)
{
	if (p->org)
		ct_sl_org_watch(p->org, watch, ctx);
}

const struct ct_gpu *ct_sl_part_gpu(const struct ct_sl_part *p)
{
	return &p->gpu;
}

const struct ct_replay_parts *ct_sl_part_parts(const struct ct_sl_part *p)
{
	return &p->parts;
}

const struct ct_sl_org *ct_sl_part_org(const struct ct_sl_part *p)
{
	return p->org;
}

static void add_load(struct ct_sl_part_counts *c, const struct ct_network *n, enum ct_net net)
{
	struct ct_network_load l;
	if (!n || !n->load)
		return;
	n->load(n->ctx, net, &l);
	c->flit_hops += l.flit_hops;
	c->flits += l.flits;
	if (l.busiest > c->busiest)
		c->busiest = l.busiest;
}

/* Gathers what the organisation, the part and the networks have counted. */
void ct_sl_part_counts(const struct ct_sl_part *p, struct ct_sl_part_counts *c)
{
	struct ct_network_load l;
	memset(c, 0, sizeof *c);
	if (p->org)
		ct_sl_org_stats(p->org, &c->org);
	c->home_bytes = p->home_bytes;
	c->past_bytes = p->past_bytes;
	c->remote_reads = p->remote_reads;
	c->queue_waits = p->queue_waits;
	add_load(c, p->parts.network, CT_NET_REQUEST);
	add_load(c, p->parts.network, CT_NET_REPLY);
	add_load(c, p->parts.own, CT_NET_OWN);
	c->reply_latency = NAN;
	if (p->network) {
		p->network->load(p->network->ctx, CT_NET_REPLY, &l);
		if (l.packets)
			c->reply_latency = (double)l.latency / (double)l.packets;
	}
}
