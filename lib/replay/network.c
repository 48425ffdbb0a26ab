/* Networks that reserve their channels: mesh, butterfly, none. */
#include "replay/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct channel {
	uint64_t free_at, busy;
};

/* What the models share: per physical network an array of channels. */
struct net {
	struct ct_network face;
	struct ct_hop_times t;
	uint32_t channels, nodes;
	struct channel *channel[CT_NETS];
	struct ct_network_load load[CT_NETS];
	uint32_t width, height, *place; /* mesh */
	uint64_t *port[CT_NETS];        /* of each node: free at */
	uint32_t k, stages, ends;       /* butterfly */
};

static void free_net(void *ctx)
{
	struct net *n = ctx;
	if (!n)
		return;
	for (int i = 0; i < CT_NETS; i++) {
		free(n->channel[i]);
		free(n->port[i]);
	}
	free(n->place);
	free(n);
}

void ct_network_free(struct ct_network *n)
{
	if (n && n->free)
		n->free(n->ctx);
}

static void load_of(void *ctx, enum ct_net which, struct ct_network_load *l)
{
	const struct net *n = ctx;
	*l = n->load[which];
	l->channels = n->channels;
	for (uint32_t i = 0; i < n->channels; i++) {
		uint64_t b = n->channel[which][i].busy;
		l->busy += b;
		l->busiest = b > l->busiest ? b : l->busiest;
	}
}

/* The head crosses a channel: it waits until the last packet's tail is through. */
static uint64_t cross_channel(struct net *n, enum ct_net which, uint32_t channel, uint32_t flits,
                              uint64_t at)
{
	struct channel *c = &n->channel[which][channel];
	uint64_t start = c->free_at > at ? c->free_at : at, taken = (uint64_t)flits * n->t.flit;
	c->free_at = start + taken;
	c->busy += taken;
	n->load[which].flit_hops += flits;
	return start + n->t.hop;
}

static uint64_t note_arrival(struct net *n, enum ct_net which, uint32_t flits, uint64_t put,
                             uint64_t head)
{
	uint64_t at = head + (uint64_t)(flits - 1) * n->t.flit;
	n->load[which].packets++;
	n->load[which].flits += flits;
	n->load[which].latency += at - put;
	return at;
}

/* A model of so many channels, idle in each physical network. Times of 0 become 1. */
static int make_net(struct net **out, uint32_t channels, uint32_t nodes, struct ct_hop_times t,
                    struct ct_error *e)
{
	struct net *n = ct_calloc(1, sizeof *n);
	*out = n;
	if (!n)
		return ct_fail_nomem(e);
	n->t.hop = t.hop ? t.hop : 1;
	n->t.flit = t.flit ? t.flit : 1;
	n->channels = channels;
	n->nodes = nodes;
	n->face = (struct ct_network){.ctx = n, .least = n->t.hop, .load = load_of, .free = free_net};
	for (int i = 0; i < CT_NETS && channels; i++) {
		n->channel[i] = ct_calloc(channels, sizeof *n->channel[i]);
		if (!n->channel[i]) {
			free_net(n);
			return ct_fail_nomem(e);
		}
	}
	return 0;
}

/* ---- mesh ---- */

/* Channels of router q: east, west, south, north, out to its node's port (one for each node). */
enum { EAST, WEST, SOUTH, NORTH, DIRECTIONS };

uint32_t ct_mesh_hops(uint32_t width, uint32_t from, uint32_t to)
{
	uint32_t x0 = from % width, x1 = to % width, y0 = from / width, y1 = to / width;
	return (x0 > x1 ? x0 - x1 : x1 - x0) + (y0 > y1 ? y0 - y1 : y1 - y0);
}

/* The cycle at which a packet's head reaches the other end of a mesh in which only the node's own port is busy. */
static uint64_t through_port(struct net *n, enum ct_net which, uint32_t from, uint32_t to,
                             uint32_t flits, uint64_t cycle)
{
	uint64_t *free_at = &n->port[which][from], start = *free_at > cycle ? *free_at : cycle;
	uint32_t hops = ct_mesh_hops(n->width, n->place[from], n->place[to]) + 1;
	*free_at = start + (uint64_t)flits * n->t.flit;
	return start + (uint64_t)hops * n->t.hop;
}

/* Goes east or west, then south or north, channel by channel, then out of the last router. The head is
 * no earlier than through the source's own port, which takes one packet after the other. */
static uint64_t route_mesh(void *ctx, enum ct_net which, uint32_t from, uint32_t to, uint32_t flits,
                           uint64_t cycle)
{
	struct net *n = ctx;
	uint32_t w = n->width, q = n->place[from], end = n->place[to];
	uint64_t at = cycle, port = through_port(n, which, from, to, flits, cycle);
	while (q % w != end % w) {
		int east = q % w < end % w;
		at = cross_channel(n, which, q * DIRECTIONS + (east ? EAST : WEST), flits, at);
		q = east ? q + 1 : q - 1;
	}
	while (q != end) {
		int south = q < end;
		at = cross_channel(n, which, q * DIRECTIONS + (south ? SOUTH : NORTH), flits, at);
		q = south ? q + w : q - w;
	}
	at = cross_channel(n, which, w * n->height * DIRECTIONS + to, flits, at);
	return note_arrival(n, which, flits, cycle, at > port ? at : port);
}

int ct_network_mesh(struct ct_network **out, uint32_t width, uint32_t height, uint32_t nodes,
                    const uint32_t *place, struct ct_hop_times t, struct ct_error *e)
{
	struct net *n;
	*out = NULL;
	if (!width || !height || !nodes || width > 4096 || height > 4096)
		return ct_fail(e, CT_ERR_USAGE, "a mesh of %u x %u routers for %u nodes", width, height,
		               nodes);
	int st = make_net(&n, width * height * DIRECTIONS + nodes, nodes, t, e);
	if (st < 0)
		return st;
	n->width = width;
	n->height = height;
	int ok = (n->place = ct_calloc(nodes, sizeof *n->place)) != NULL;
	for (int i = 0; i < CT_NETS; i++)
		ok &= (n->port[i] = ct_calloc(nodes, sizeof *n->port[i])) != NULL;
	if (!ok) {
		free_net(n);
		return ct_fail_nomem(e);
	}
	for (uint32_t i = 0; i < nodes; i++) {
		n->place[i] = place ? place[i] : i;
		if (n->place[i] >= width * height) {
			free_net(n);
			return ct_fail(e, CT_ERR_USAGE, "node %u lies outside the mesh of %u x %u", i,
			               width, height);
		}
	}
	n->face.route = route_mesh;
	*out = &n->face;
	return 0;
}

/* ---- butterfly ---- */

/* After stage s the first s + 1 digits of the position are the destination's: the channel is
 * that position behind the stage. */
static uint64_t route_butterfly(void *ctx, enum ct_net which, uint32_t from, uint32_t to, uint32_t flits,
                                uint64_t cycle)
{
	struct net *n = ctx;
	uint32_t at_digit = n->ends / n->k, position = n->place ? n->place[from] : from;
	uint64_t at = cycle;
	to = n->place ? n->place[to] : to;
	for (uint32_t s = 0; s < n->stages; s++, at_digit /= n->k) {
		uint32_t old = position / at_digit % n->k, new = to / at_digit % n->k;
		position = position - old * at_digit + new *at_digit;
		at = cross_channel(n, which, s * n->ends + position, flits, at);
	}
	return note_arrival(n, which, flits, cycle, at);
}

int ct_network_butterfly(struct ct_network **out, uint32_t k, uint32_t stages, uint32_t nodes,
                         struct ct_hop_times t, struct ct_error *e)
{
	struct net *n;
	uint64_t ends = 1;
	*out = NULL;
	for (uint32_t i = 0; i < stages && ends <= 65536; i++)
		ends *= k;
	if (k < 2 || !stages || !nodes || nodes > ends || ends > 65536)
		return ct_fail(e, CT_ERR_USAGE, "a %u-ary %u-fly for %u nodes", k, stages, nodes);
	int st = make_net(&n, stages * (uint32_t)ends, nodes, t, e);
	if (st < 0)
		return st;
	n->k = k;
	n->stages = stages;
	n->ends = (uint32_t)ends;
	n->face.route = route_butterfly;
	n->face.least = n->t.hop * stages;
	*out = &n->face;
	return 0;
}

/* ---- none ---- */

static uint64_t route_ideal(void *ctx, enum ct_net which, uint32_t from, uint32_t to, uint32_t flits,
                            uint64_t cycle)
{
	struct net *n = ctx;
	(void)from;
	(void)to;
	n->load[which].packets++;
	n->load[which].flits += flits;
	n->load[which].latency += n->t.hop;
	return cycle + n->t.hop;
}

int ct_network_ideal(struct ct_network **out, uint32_t cycles, struct ct_error *e)
{
	struct net *n;
	*out = NULL;
	int st = make_net(&n, 0, 0, (struct ct_hop_times){.hop = cycles, .flit = 1}, e);
	if (st < 0)
		return st;
	n->face.route = route_ideal;
	*out = &n->face;
	return 0;
}

/* ---- the one of a configuration ---- */

uint32_t ct_mesh_spread(uint32_t sms, uint32_t partitions, uint32_t *place)
{
	uint32_t side = 1, sm = 0, m = 0;
	while (side * side < sms + partitions)
		side++;
	for (uint32_t n = 0; n < side * side; n++)
		if (m < partitions && n == (uint64_t)(2 * m + 1) * side * side / (2 * partitions))
			place[sms + m++] = n;
		else if (sm < sms)
			place[sm++] = n;
	return side;
}

/* Routers of the partitions in GPGPU-Sim 3's maps. */
static const struct {
	uint32_t sms, partitions, router[8];
} KNOWN[] = {
	{28, 8, {3, 7, 10, 12, 23, 25, 28, 32}},
	{56, 8, {3, 15, 17, 29, 36, 47, 49, 61}},
};

uint32_t ct_mesh_default(uint32_t sms, uint32_t partitions, uint32_t *place)
{
	uint32_t side = ct_mesh_spread(sms, partitions, place);
	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
		if (KNOWN[i].sms != sms || KNOWN[i].partitions != partitions)
			continue;
		for (uint32_t n = 0, sm = 0, m = 0; n < side * side; n++)
			if (m < partitions && KNOWN[i].router[m] == n)
				place[sms + m++] = n;
			else
				place[sm++] = n;
	}
	return side;
}

/* Ends of a butterfly's partitions: spread over the first and the last `width` in turn. */
static void place_partitions(uint32_t *end, uint32_t partitions, uint32_t width)
{
	for (uint32_t i = 0; i < partitions; i++) {
		uint32_t row = i % 2, here = (partitions + 1 - row) / 2;
		end[i] = row * (width - 1) * width + (2 * (i / 2) + 1) * width / (2 * here);
	}
}

/* SMs take the ends that are left, in order. `taken` has room for all ends. */
static void place_sms(uint32_t *place, uint32_t sms, const uint32_t *end, uint32_t partitions,
                      uint8_t *taken)
{
	uint32_t q = 0;
	for (uint32_t i = 0; i < partitions; i++)
		taken[end[i]] = 1;
	for (uint32_t i = 0; i < sms; i++, q++) {
		while (taken[q])
			q++;
		place[i] = q;
	}
}

static uint32_t core_cycles(const struct ct_gpu *g, double noc_cycles)
{
	double c = noc_cycles * g->core_mhz / g->noc_mhz;
	uint32_t n = (uint32_t)c;
	return n < 1 ? 1 : n + (n < c - 1e-9);
}

/* The radix: two rows of ends hold the partitions. */
static uint32_t radix_for(uint32_t sms, uint32_t partitions)
{
	uint32_t w = 2, ends = sms + partitions;
	while (w * w < ends || 2 * w < partitions)
		w++;
	return w;
}

/* Routers or ends of SMs, then of partitions; returns the width. */
static uint32_t place_all(const struct ct_gpu *g, uint32_t partitions, uint32_t *place, uint8_t *taken)
{
	if (g->noc == CT_NOC_MESH)
		return ct_mesh_default(g->sms, partitions, place);
	uint32_t width = radix_for(g->sms, partitions);
	place_partitions(place + g->sms, partitions, width);
	place_sms(place, g->sms, place + g->sms, partitions, taken);
	return width;
}

int ct_network_of_gpu(struct ct_network **out, const struct ct_gpu *g, struct ct_error *e)
{
	uint32_t partitions = g->llc_partitions ? g->llc_partitions : g->llc_slices;
	struct ct_hop_times t = {core_cycles(g, g->noc_hop_cycles), core_cycles(g, 1)};
	*out = NULL;
	if (g->noc == CT_NOC_CROSSBAR)
		return 0;
	if (partitions > g->llc_slices)
		partitions = g->llc_slices;
	uint32_t nodes = g->sms + g->llc_slices, ends = radix_for(g->sms, partitions);
	uint32_t *place = ct_calloc(nodes, sizeof *place);
	uint32_t *some = ct_calloc(g->sms + partitions, sizeof *some);
	uint8_t *taken = ct_calloc((size_t)ends * ends, 1);
	int st = place && some && taken ? 0 : ct_fail_nomem(e);
	if (st == 0) {
		uint32_t width = place_all(g, partitions, some, taken);
		for (uint32_t i = 0; i < nodes; i++)
			place[i] = some[i < g->sms ? i
			                           : g->sms + (uint64_t)(i - g->sms) * partitions /
			                                              g->llc_slices];
		st = g->noc == CT_NOC_MESH ? ct_network_mesh(out, width, width, nodes, place, t, e)
		                           : ct_network_butterfly(out, width, 2, width * width, t, e);
	}
	if (st == 0 && g->noc != CT_NOC_MESH) { /* ends, not nodes, were counted */
		((struct net *)(*out)->ctx)->place = place;
		place = NULL;
	}
	free(place);
	free(some);
	free(taken);
	return st;
}
