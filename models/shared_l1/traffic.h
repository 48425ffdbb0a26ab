/* traffic.h - the accesses, packets and queues of one system in one run: the inside of
 * systems.c. */
#ifndef CT_MODELS_SHARED_L1_TRAFFIC_H
#define CT_MODELS_SHARED_L1_TRAFFIC_H

#include "models/shared_l1/systems.h"

struct ct_sl_traffic {
	double reads, writes;    /* line accesses of all cores */
	double remote, past;     /* shares of them: home elsewhere; of all, sent past it */
	double miss_rate;        /* of accesses that reach an L1, lines */
	double less, more, edge; /* by which order may make it lower or higher; at the edge */
	double read_miss;        /* of reads that reach an L1; anchored to the replay */
	double to_llc;           /* share of reads that go to the LLC */
	double fills;            /* read lines that an L1 fetches */
	double read_ratio;       /* to_llc against the replayed GPU's */
	double traffic_ratio;    /* requests at the LLC against the replayed GPU's */
	double sector_misses, sectors;
	double replication, replicas;
	double replication_other, replicas_other; /* if lines are as long on their way as for Private */
	double trip;                              /* requester - home round trip, core cycles */
	double data_flits, data_bytes;            /* of a read reply from a home */
	double past_flits, past_bytes;            /* of one around it */
	double flits[CT_SL_FLOWS], packets[CT_SL_FLOWS];
	int min; /* Min(H,L2) is in force */
	int shared, ideal;
	double llc_factor;
};

void ct_sl_traffic_private(const struct ct_sl_model *m, const struct ct_sl_system *s,
                           struct ct_sl_traffic *t);
void ct_sl_traffic_shared(const struct ct_sl_model *m, const struct ct_sl_system *s,
                          struct ct_sl_traffic *t);
/* The configuration for the queueing network. */
void ct_sl_traffic_point(const struct ct_sl_model *m, const struct ct_sl_system *s,
                         const struct ct_sl_traffic *t, struct ct_perf_point *pt);
/* The stations of the network and the homes: the point's extra ones, always all of them in the
 * order of ct_sl_station_name(). */
void ct_sl_traffic_stations(const struct ct_sl_model *m, const struct ct_sl_traffic *t,
                            struct ct_perf_point *pt);
/* What is counted rather than timed. */
void ct_sl_traffic_counts(const struct ct_sl_model *m, const struct ct_sl_traffic *t,
                          struct ct_sl_estimate *x);
/* Mean latency of the packets that answer reads, core cycles, in a run of `cycles`. */
double ct_sl_reply_latency(const struct ct_sl_model *m, const struct ct_sl_traffic *t, double cycles);

#endif
