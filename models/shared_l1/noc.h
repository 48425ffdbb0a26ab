/* noc.h - the network between cores, homes and LLC partitions: hops, what Min(H,L2) sends
 * where, and how often each kind of packet passes each channel.
 *
 * Requesters, homes and partitions are taken as independent and uniform: lines interleave
 * over both (reading home-core, Table 1 of the paper). */
#ifndef CT_MODELS_SHARED_L1_NOC_H
#define CT_MODELS_SHARED_L1_NOC_H

#include "gpu/gpu.h"
#include "models/common/interconnect.h"
#include "models/shared_l1/params.h"
#include "models/shared_l1/place.h"

/* Kinds of packets. Requests on one physical network, replies on the other. */
enum ct_sl_flow {
	CT_SL_TO_HOME,   /* remote request: core -> home */
	CT_SL_TO_LLC,    /* miss or write-through: core or home -> partition */
	CT_SL_PAST_HOME, /* Min(H,L2): core -> partition */
	CT_SL_FROM_HOME, /* home -> core */
	CT_SL_FROM_LLC,  /* partition -> core or home */
	CT_SL_FROM_PAST, /* partition -> core, around the home */
	CT_SL_FLOWS
};

struct ct_sl_noc {
	enum ct_sl_network kind;
	unsigned cores, partitions;
	struct ct_sl_place place; /* of a mesh */
	struct ct_butterfly butterfly;
	double clock;     /* core cycles in a network cycle */
	double hop;       /* network cycles of a router and its link */
	double forward;   /* core cycles to a home and back through the slices */
	double remote;    /* share of accesses whose home is another core */
	double home_hops; /* mean one way between different cores */
	double llc_hops;  /* mean one way between core and partition */
	/* Min(H,L2): of all accesses, the share that goes to the partition instead; and the mean
	 * hops of what still goes home. */
	double past, near_home_hops, past_hops;
	/* [min off, on][flow]: how many packets of that kind, of one that is sent, pass each
	 * channel of the mesh (network.h numbers them); NULL unless a mesh. */
	double *pass[2][CT_SL_FLOWS];
};

/* Prepares the network of kind `kind` (not AUTO) for a GPU. place: NULL for the default
 * placement; used by a mesh only. Fails with CT_ERR_USAGE, CT_ERR_INPUT, CT_ERR_NOMEM. */
int ct_sl_noc_init(struct ct_sl_noc *n, enum ct_sl_network kind, const struct ct_gpu *g,
                   const struct ct_sl_params *p, const struct ct_sl_place *place, struct ct_error *e);
void ct_sl_noc_free(struct ct_sl_noc *n);
/* What AUTO stands for on a GPU. */
enum ct_sl_network ct_sl_network_of(const struct ct_gpu *g);

/* Flits of a packet with `bytes` of data (0: control), as a replay has them: ct_part_flits(). */
double ct_sl_flits(const struct ct_gpu *g, double bytes);

/* Unloaded round trip between requester and home, core cycles: request of `out` flits,
 * reply of `back`. min: only those accesses that Min(H,L2) still sends home. */
double ct_sl_home_trip(const struct ct_sl_noc *n, const struct ct_sl_params *p, int min, double out,
                       double back);

#endif
