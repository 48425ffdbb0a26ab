#include "models/common/interconnect.h"

#include <math.h>
#include <stdlib.h>

/* A queue at the end of a closed loop never fills up; doc/models.md section 5. */
static const double RHO_MAX = 0.95;

static unsigned distance_along(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

unsigned ct_mesh_distance(unsigned k, unsigned a, unsigned b)
{
	return distance_along(a % k, b % k) + distance_along(a / k, b / k);
}

static void add_flits(double *load, unsigned node, enum ct_mesh_channel c, double flits)
{
	load[(size_t)node * CT_MESH_CHANNELS + c] += flits;
}

void ct_mesh_add_route(unsigned k, unsigned a, unsigned b, double flits, double *load)
{
	if (a == b)
		return;
	add_flits(load, a, CT_MESH_INJECT, flits);
	unsigned at = a;
	for (; at % k < b % k; at++)
		add_flits(load, at, CT_MESH_EAST, flits);
	for (; at % k > b % k; at--)
		add_flits(load, at, CT_MESH_WEST, flits);
	for (; at < b; at += k)
		add_flits(load, at, CT_MESH_SOUTH, flits);
	for (; at > b; at -= k)
		add_flits(load, at, CT_MESH_NORTH, flits);
	add_flits(load, b, CT_MESH_EJECT, flits);
}

double ct_mesh_peak(unsigned k, const double *load, int between, size_t *which)
{
	double peak = 0;
	size_t at = 0;
	for (size_t i = 0; i < (size_t)k * k * CT_MESH_CHANNELS; i++) {
		if (between && i % CT_MESH_CHANNELS >= CT_MESH_INJECT)
			continue;
		if (load[i] > peak) {
			peak = load[i];
			at = i;
		}
	}
	if (which)
		*which = at;
	return peak;
}

double ct_mesh_mean_hops(unsigned k, int with_self)
{
	double nodes = (double)k * k;
	return with_self ? 2 * (nodes - 1) / (3.0 * k) : 2.0 * k / 3;
}

double ct_mesh_uniform_peak(unsigned k)
{
	/* The channels across the middle: on a row, x + 1 nodes to the left of the channel send
	 * to the k (k - x - 1) nodes to its right, in every row. */
	double nodes = (double)k * k, peak = 0;
	for (unsigned x = 0; x + 1 < k; x++) {
		double left = x + 1, right = (double)k * (k - x - 1);
		peak = fmax(peak, left * right / (nodes - 1));
	}
	return peak;
}

double ct_packet_time(double hops, double hop, double flits)
{
	return hops * hop + fmax(flits - 1, 0);
}

double ct_channel_wait(double flits, double rho)
{
	rho = fmin(fmax(rho, 0), RHO_MAX);
	return flits * rho / (2 * (1 - rho));
}

double ct_crossbar_wait(unsigned n, double flits, double rho)
{
	return n > 0 ? ct_channel_wait(flits, rho) * (n - 1) / n : 0;
}

/* With one input for 1 / k outputs: a packet in each cycle, or with several as many as each have an output behind that of the one
 * before, the next of which does so with the chance (1 - k) / 2. With one output it is always busy. */
static double of_one_port(double k, int several)
{
	return several && k < 1 ? 2 * k / (1 + k) : fmin(k, 1);
}

/* k inputs for each of many outputs hold as many first packets there as a queue of constant service with the load rho does:
 * k = rho + rho^2 / (2 (1 - rho)), or where the next packet of an input need not wait for the next cycle, so that half of a
 * cycle less is waited on average, k = rho / 2 + rho^2 / (2 (1 - rho)). Of few ports less is lost: the published values of n
 * inputs and n outputs (Karol et al. 1987, table I) say what part of it. */
double ct_crossbar_throughput(double inputs, double outputs, int several)
{
	static const double square[] = {1, 1, 0.7500, 0.6825, 0.6553, 0.6399, 0.6302, 0.6234, 0.6184};
	enum { LAST = sizeof square / sizeof square[0] - 1 };
	const double k = inputs / outputs,
		     many = several ? 2 * k / (1 + 2 * k) : 1 + k - sqrt(1 + k * k);
	const double of_many = 2 - sqrt(2), n = fmin(inputs, outputs);
	const size_t row = n < LAST ? (size_t)n : LAST;
	const double part = (square[row] - of_many) / (1 - of_many) * (double)row / n;
	return many + part * (of_one_port(k, several) - many);
}

double ct_butterfly_wait(unsigned k, double flits, double rho)
{
	return k > 0 ? ct_channel_wait(flits, rho) * (1 - 1.0 / k) : 0;
}

int ct_butterfly_for(struct ct_butterfly *b, unsigned k, unsigned nodes)
{
	enum { NODES_MAX = 1 << 20 };
	if (k < 2 || k > 1024 || nodes < 1 || nodes > NODES_MAX)
		return -1;
	*b = (struct ct_butterfly){k, 1, k, 1};
	while (b->nodes < nodes) {
		b->n++;
		b->switches_per_stage = b->nodes;
		b->nodes *= k;
	}
	return 0;
}

double ct_butterfly_time(const struct ct_butterfly *b, double hop, double flits)
{
	return ct_packet_time(b->n, hop, flits);
}
