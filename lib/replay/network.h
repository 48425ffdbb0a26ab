/* network.h - models of an on-chip network: when does a packet arrive.
 *
 * A model is asked once for each packet, in the order of the cycles in which packets are
 * put in, and keeps what it needs to know about its channels. The models here reserve:
 * a packet of F flits takes each channel of its path for F flit times, one after the
 * other; its head waits where the channel is still taken. Buffers have no end: a source
 * that sends faster than the network carries sees delay, not refusal. */
#ifndef CT_REPLAY_NETWORK_H
#define CT_REPLAY_NETWORK_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "gpu/gpu.h"

CT_DECLS_BEGIN

/* Physical networks. A model keeps each that it is asked about apart. */
enum ct_net { CT_NET_REQUEST, CT_NET_REPLY, CT_NET_OWN, CT_NETS };

/* What has gone through one physical network. Cycles are core cycles. */
struct ct_network_load {
	uint64_t packets, flits, flit_hops; /* flit_hops: sum over channels of flits carried */
	uint64_t latency;                   /* sum over packets: put in to whole packet out */
	uint64_t busiest, busy;             /* cycles the busiest channel was taken; sum over channels */
	uint32_t channels;
};

struct ct_network {
	void *ctx;
	/* Smallest latency of a packet between different nodes, core cycles, at least 1. SMs run
	 * that far apart at most. */
	uint32_t least;
	/* The cycle at which the last flit of a packet put in at `cycle` is out; at least
	 * `least` later when from != to. `cycle` never falls by more than `least` from call
	 * to call. */
	uint64_t (*route)(void *ctx, enum ct_net net, uint32_t from, uint32_t to, uint32_t flits,
	                  uint64_t cycle);
	void (*load)(void *ctx, enum ct_net net, struct ct_network_load *l); /* may be NULL */
	void (*free)(void *ctx);                                             /* may be NULL */
};

/* Times of the models below, core cycles. */
struct ct_hop_times {
	uint32_t hop;  /* of a head flit through one router and the link behind it */
	uint32_t flit; /* a flit on a channel: the core clock over the network's */
};

/* A width x height mesh with dimension-order (x, then y) routes: four channels a router
 * and one out of each router to its node. Node i is at place[i] = y * width + x; several nodes
 * may share a router. place is copied; NULL: node i at router i. The hop count of a path is
 * its channels between routers plus 1 (doc/models.md section 6). A node puts its flits in one after
 * the other: a packet is out no sooner than it would be on an empty mesh behind all that its
 * node put in before. Channels are told of it when it is put in, in the order of the cycles,
 * so that they already hold back most of what the node would: the later of the two counts.
 * Fails with CT_ERR_USAGE on places outside, CT_ERR_NOMEM. Free with ct_network_free(). */
int ct_network_mesh(struct ct_network **n, uint32_t width, uint32_t height, uint32_t nodes,
                    const uint32_t *place, struct ct_hop_times t, struct ct_error *e);
/* Channels between routers on the route between two routers of such a mesh. Pure. */
uint32_t ct_mesh_hops(uint32_t width, uint32_t from, uint32_t to);

/* Routers of the smallest square mesh for that many SMs (place[0] to place[sms - 1]) and
 * partitions (behind them), at least one of each; returns its side. No paper gives a placement
 * (reading mesh-placement). spread: partition j of p at router floor((2j + 1) n / 2p) of n, row by
 * row, SMs at the rest in order. default: for 28 and 56 SMs with 8 partitions the node map of
 * GPGPU-Sim 3, which Ibrahim et al. (PACT 2020) used; else spread. Pure. */
uint32_t ct_mesh_spread(uint32_t sms, uint32_t partitions, uint32_t *place);
uint32_t ct_mesh_default(uint32_t sms, uint32_t partitions, uint32_t *place);

/* A k-ary n-fly: n stages of k^(n-1) switches of k x k, one path between any two of its k^n
 * ends, destination-digit routes (reading butterfly-network); `nodes` <= k^n ends are used. */
int ct_network_butterfly(struct ct_network **n, uint32_t k, uint32_t stages, uint32_t nodes,
                         struct ct_hop_times t, struct ct_error *e);

/* No network at all: `cycles` (at least 1) from any node to any, without limit of bandwidth. */
int ct_network_ideal(struct ct_network **n, uint32_t cycles, struct ct_error *e);

/* The network that the configuration names (noc.kind), between SMs and slices as parts.h numbers
 * them; *n is NULL for a crossbar, which is the engine's own. Mesh: with a router for each SM and
 * memory partition, placed by ct_mesh_default(). Butterfly: the smallest k-ary 2-fly with as many
 * ends, partitions spread over them. Slices share their partition's router or end. A hop is
 * noc.hop, a flit one cycle, both of the network's clock, in whole core cycles rounded up. */
int ct_network_of_gpu(struct ct_network **n, const struct ct_gpu *g, struct ct_error *e);

void ct_network_free(struct ct_network *n); /* NULL allowed */

CT_DECLS_END

#endif
