/* amva.h - throughput of a closed queueing network (doc/models.md section 5).
 *
 * A GPU's memory system is a closed system: at most N requests are in flight, so
 * queues never diverge; at saturation the slowest station sets the rate. Each
 * customer thinks for Z, then visits every station. Schweitzer's approximate mean
 * value analysis with a correction for deterministic service gives, for a station
 * of one server and demand D,
 *
 *     R = D (1 + a (Q - X D / 2)),   a = (N - 1) / N,   Q = X R
 *     X = N / (Z + sum R),           X <= 1 / max D
 *
 * where half a service is taken off because the customer found in service is half
 * done on average. (The notes weigh the half service without a; with a, a single
 * customer meets empty stations, as it must.) Hence
 *
 *     R = D + D w(rho),   w(rho) = a rho / (2 (1 - a rho)),   rho = X D,
 *
 * the wait of M/D/1 with the customer's own share taken out. The same w holds for k
 * equal servers among which an address hash picks one (LLC slices, DRAM channels,
 * extended sets): rho = X D / k. As many customers as servers then reach a
 * utilisation of 2 - sqrt(2) = 0.586, the known limit of random matching. A customer
 * whose requests go out in parallel, or are not waited for, has less on its critical
 * path than it demands: R = path + wait w(rho). X is the root of a convex function that grows with X;
 * Newton's method comes down to it from the bound: no damping, the same bits on every machine. */
#ifndef CT_MODELS_COMMON_AMVA_H
#define CT_MODELS_COMMON_AMVA_H

#include <stddef.h>

enum { CT_AMVA_STATIONS_MAX = 24 };

struct ct_amva_station {
	double demand;  /* service time that one turn of a customer costs here, >= 0 */
	double servers; /* equal servers that share it, > 0 (not whole: an efficiency) */
	double path;    /* what of it, unloaded, is on the customer's critical path, >= 0: demand
	                   for one visit after the other, 0 where it counts as think time */
	double wait;    /* service times that it queues for on that path, >= 0: usually path */
	int closed;     /* the servers are SMs: each has its own population N / servers */
};

struct ct_amva_result {
	double throughput;                        /* turns per unit of time, X */
	double response;                          /* sum of residence[] */
	double residence[CT_AMVA_STATIONS_MAX];   /* time a turn spends at each station */
	double utilisation[CT_AMVA_STATIONS_MAX]; /* X demand / servers, <= 1 */
	size_t bottleneck; /* station of the largest demand / servers; n when there is none */
};

/* Solves for `population` customers (> 0, need not be whole) that think for
 * `think` (>= 0) between turns over the n stations. Any unit of time. If think and
 * all demands are 0 the throughput is infinite. Returns 0, or -1 when an argument is
 * out of range or not finite (*r untouched). Pure. */
int ct_amva_solve(const struct ct_amva_station *s, size_t n, double think, double population,
                  struct ct_amva_result *r);

/* The roofline min(min servers_i / demand_i, N / (Z + sum path)), which no solution
 * passes. Pure. */
double ct_amva_bound(const struct ct_amva_station *s, size_t n, double think, double population);

#endif
