/* interconnect.h - networks on a chip: hops, routes, channel loads, unloaded times, waits.
 *
 * Mesh of k x k nodes with dimension-order routes (first along the row, then along the
 * column), crossbar, and k-ary n-fly. Times are cycles of the network's own clock, loads
 * are flits. Equations: doc/models.md section 6. Everything is pure. */
#ifndef CT_MODELS_COMMON_INTERCONNECT_H
#define CT_MODELS_COMMON_INTERCONNECT_H

#include <stddef.h>

/* Channels that leave a mesh node; the last two are its own ports. */
enum ct_mesh_channel {
	CT_MESH_EAST,
	CT_MESH_WEST,
	CT_MESH_SOUTH,
	CT_MESH_NORTH,
	CT_MESH_INJECT,
	CT_MESH_EJECT,
	CT_MESH_CHANNELS /* per node */
};
enum { CT_MESH_SIDE_MAX = 32 };

/* Node number of row y and column x: y * k + x. */

/* Channels between routers on the way from node a to node b; 0 for a == b. */
unsigned ct_mesh_distance(unsigned k, unsigned a, unsigned b);
/* Adds `flits` to every channel that the route from a to b uses, injection and ejection
 * included; nothing for a == b. load has k * k * CT_MESH_CHANNELS entries, that of
 * channel c of node n at n * CT_MESH_CHANNELS + c. */
void ct_mesh_add_route(unsigned k, unsigned a, unsigned b, double flits, double *load);
/* Most loaded channel: its load, and its index in *which (NULL allowed). between: only
 * channels between routers count. */
double ct_mesh_peak(unsigned k, const double *load, int between, size_t *which);
/* Mean hops of uniform traffic: 2k/3 between different nodes, 2(k^2 - 1)/(3k) when a node
 * also sends to itself. */
double ct_mesh_mean_hops(unsigned k, int with_self);
/* Peak load of a channel between routers when each node injects one flit per cycle,
 * uniformly over the other nodes: (k/4) k^2/(k^2 - 1) for even k. */
double ct_mesh_uniform_peak(unsigned k);

/* Unloaded time of a packet over `hops` channels of `hop` cycles each: the last of its
 * flits arrives flits - 1 cycles behind the first. */
double ct_packet_time(double hops, double hop, double flits);

/* Mean wait of a packet of `flits` at one channel that is busy for the share rho of the
 * time (clipped to 0.95: a closed system stays below 1), service of constant length:
 * M/D/1. */
double ct_channel_wait(double flits, double rho);
/* The same at the output of a crossbar with n inputs and uniform destinations (Karol et
 * al. 1987). */
double ct_crossbar_wait(unsigned n, double flits, double rho);
/* The share of the time that an output of a crossbar is busy at most, where each of the inputs sends its packets in their
 * order, to uniform destinations, so that its first holds up the others (Karol et al. 1987). several: an input may send several
 * in a cycle, to outputs that have not had their turn yet. Both counts are at least 1. */
double ct_crossbar_throughput(double inputs, double outputs, int several);
/* The wait at one stage of a butterfly of switches k x k (Kruskal & Snir 1983). */
double ct_butterfly_wait(unsigned k, double flits, double rho);

/* A k-ary n-fly: n stages of k^(n-1) switches (reading butterfly-network). */
struct ct_butterfly {
	unsigned k, n;
	unsigned nodes;              /* k^n */
	unsigned switches_per_stage; /* k^(n-1) */
};
/* The fewest stages with at least `nodes` (>= 1) ends; k >= 2. 0, or -1 when k or nodes is
 * out of range. */
int ct_butterfly_for(struct ct_butterfly *b, unsigned k, unsigned nodes);
/* Unloaded time of a packet: every stage is a switch and its link of `hop` cycles. */
double ct_butterfly_time(const struct ct_butterfly *b, double hop, double flits);

#endif
