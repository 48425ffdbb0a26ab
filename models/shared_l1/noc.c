#include "models/shared_l1/noc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/parts.h"

enum ct_sl_network ct_sl_network_of(const struct ct_gpu *g)
{
	if (g->noc == CT_NOC_MESH)
		return CT_SL_NET_MESH;
	return g->noc == CT_NOC_BUTTERFLY ? CT_SL_NET_BUTTERFLY : CT_SL_NET_FORWARDED;
}

double ct_sl_flits(const struct ct_gpu *g, double bytes)
{
	return ct_part_flits(g, (uint32_t)ceil(bytes));
}

static double *alloc_load(const struct ct_sl_noc *n)
{
	return ct_calloc((size_t)n->place.side * n->place.side * CT_MESH_CHANNELS, sizeof(double));
}

static unsigned core_node(const struct ct_sl_noc *n, unsigned c)
{
	return n->place.core[c];
}

static unsigned llc_node(const struct ct_sl_noc *n, unsigned s)
{
	return n->place.partition[s];
}

static unsigned hops_between(const struct ct_sl_noc *n, unsigned a, unsigned b)
{
	return ct_mesh_distance(n->place.side, a, b);
}

static void add_pair(struct ct_sl_noc *n, int min, enum ct_sl_flow out, enum ct_sl_flow back, unsigned a,
                     unsigned b, double w)
{
	ct_mesh_add_route(n->place.side, a, b, w, n->pass[min][out]);
	ct_mesh_add_route(n->place.side, b, a, w, n->pass[min][back]);
}

/* All pairs of core and partition, and of different cores. */
static void count_all(struct ct_sl_noc *n)
{
	double home_pairs = (double)n->cores * (n->cores - 1),
	       llc_pairs = (double)n->cores * n->partitions;
	for (unsigned c = 0; c < n->cores; c++) {
		for (unsigned s = 0; s < n->partitions; s++) {
			unsigned a = core_node(n, c), b = llc_node(n, s);
			n->llc_hops += hops_between(n, a, b) / llc_pairs;
			for (int min = 0; min < 2; min++)
				add_pair(n, min, CT_SL_TO_LLC, CT_SL_FROM_LLC, a, b, 1 / llc_pairs);
		}
		for (unsigned h = 0; h < n->cores; h++) {
			if (h == c)
				continue;
			unsigned a = core_node(n, c), b = core_node(n, h);
			n->home_hops += hops_between(n, a, b) / home_pairs;
			add_pair(n, 0, CT_SL_TO_HOME, CT_SL_FROM_HOME, a, b, 1 / home_pairs);
		}
	}
}

/* Min(H,L2) over all triples of requester, home and partition; ties go home (reading nearest-tie). */
static void count_min(struct ct_sl_noc *n)
{
	double home = 0, past = 0, triples = (double)n->cores * n->cores * n->partitions;
	for (unsigned c = 0; c < n->cores; c++) {
		unsigned a = core_node(n, c);
		for (unsigned h = 0; h < n->cores; h++) {
			unsigned b = core_node(n, h), d = hops_between(n, a, b), farther = 0;
			if (h == c)
				continue;
			for (unsigned s = 0; s < n->partitions; s++)
				farther += hops_between(n, a, llc_node(n, s)) >= d;
			add_pair(n, 1, CT_SL_TO_HOME, CT_SL_FROM_HOME, a, b, farther);
			home += farther;
			n->near_home_hops += (double)farther * d;
		}
		for (unsigned s = 0; s < n->partitions; s++) {
			unsigned b = llc_node(n, s), d = hops_between(n, a, b), farther = 0;
			for (unsigned h = 0; h < n->cores; h++)
				farther += hops_between(n, a, core_node(n, h)) > d;
			add_pair(n, 1, CT_SL_PAST_HOME, CT_SL_FROM_PAST, a, b, farther);
			past += farther;
			n->past_hops += (double)farther * d;
		}
	}
	n->past = past / triples;
	n->near_home_hops = home > 0 ? n->near_home_hops / home : 0;
	n->past_hops = past > 0 ? n->past_hops / past : 0;
	size_t channels = (size_t)n->place.side * n->place.side * CT_MESH_CHANNELS;
	for (size_t i = 0; i < channels; i++) {
		n->pass[1][CT_SL_TO_HOME][i] /= fmax(home, 1);
		n->pass[1][CT_SL_FROM_HOME][i] /= fmax(home, 1);
		n->pass[1][CT_SL_PAST_HOME][i] /= fmax(past, 1);
		n->pass[1][CT_SL_FROM_PAST][i] /= fmax(past, 1);
	}
}

/* Places cores and partitions, and counts which channels each flow of traffic passes, with and without
 * Min(H,L2). */
static int init_mesh(struct ct_sl_noc *n, const struct ct_sl_place *place, struct ct_error *e)
{
	if (place) {
		n->place = *place;
		if (place->cores != n->cores || place->partitions != n->partitions)
			return ct_fail(e, CT_ERR_INPUT,
			               "the placement has %u cores and %u partitions, and the GPU "
			               "%u and %u: name another file",
			               place->cores, place->partitions, n->cores, n->partitions);
	} else {
		int st = ct_sl_place_default(&n->place, n->cores, n->partitions, e);
		if (st != CT_OK)
			return st;
	}
	for (int min = 0; min < 2; min++)
		for (int f = 0; f < CT_SL_FLOWS; f++)
			if (!(n->pass[min][f] = alloc_load(n)))
				return ct_fail_nomem(e);
	count_all(n);
	count_min(n);
	return CT_OK;
}

int ct_sl_noc_init(struct ct_sl_noc *n, enum ct_sl_network kind, const struct ct_gpu *g,
                   const struct ct_sl_params *p, const struct ct_sl_place *place, struct ct_error *e)
{
	memset(n, 0, sizeof *n);
	n->kind = kind;
	n->cores = g->sms;
	n->partitions = g->llc_partitions;
	n->clock = g->core_mhz / g->noc_mhz;
	n->hop = g->noc_hop_cycles;
	/* As in the replay, the way up to a slice is that of any request, with the latency of the
	 * slice's input, and the way down is that of any reply. */
	n->forward = p->v[CT_SL_FORWARD_CYCLES];
	if (!(n->forward > 0))
		n->forward = 2 * ((double)g->llc_latency + 2.0 * g->noc_latency);
	n->remote = (n->cores - 1.0) / n->cores;
	n->home_hops = n->llc_hops = n->near_home_hops = 1;
	int st = CT_OK;
	if (kind == CT_SL_NET_MESH) {
		n->home_hops = n->llc_hops = n->near_home_hops = 0;
		st = init_mesh(n, place, e);
	} else if (kind == CT_SL_NET_BUTTERFLY) {
		unsigned ends = n->cores + n->partitions;
		unsigned k = (unsigned)p->v[CT_SL_BUTTERFLY_RADIX];
		if (k < 2)
			k = ends <= 36 ? 6 : 4; /* as the paper's 36 and 64 nodes */
		if (ct_butterfly_for(&n->butterfly, k, ends) < 0)
			st = ct_fail(e, CT_ERR_USAGE,
			             "no butterfly of radix %u for %u nodes: give "
			             "shared-l1.butterfly_radix",
			             k, ends);
		else
			n->home_hops = n->near_home_hops = n->butterfly.n;
	}
	if (st != CT_OK)
		ct_sl_noc_free(n);
	return st;
}

void ct_sl_noc_free(struct ct_sl_noc *n)
{
	for (int min = 0; min < 2; min++)
		for (int f = 0; f < CT_SL_FLOWS; f++) {
			free(n->pass[min][f]);
			n->pass[min][f] = NULL;
		}
}

double ct_sl_home_trip(const struct ct_sl_noc *n, const struct ct_sl_params *p, int min, double out,
                       double back)
{
	if (p->v[CT_SL_HOME_CYCLES] > 0)
		return p->v[CT_SL_HOME_CYCLES];
	if (n->kind == CT_SL_NET_FORWARDED) /* each packet crosses twice */
		return n->forward + 2 * n->clock * (out - 1 + back - 1);
	if (n->kind == CT_SL_NET_BUTTERFLY)
		return n->clock * (ct_butterfly_time(&n->butterfly, n->hop, out) +
		                   ct_butterfly_time(&n->butterfly, n->hop, back));
	double h = min ? n->near_home_hops : n->home_hops;
	return n->clock * (ct_packet_time(h, n->hop, out) + ct_packet_time(h, n->hop, back));
}
