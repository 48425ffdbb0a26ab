/* systems.h - the systems that the Morpheus paper compares, as one table of parts
 * (doc/papers/morpheus.md), and their analytic estimates from a profile. */
#ifndef CT_MODELS_MORPHEUS_SYSTEMS_H
#define CT_MODELS_MORPHEUS_SYSTEMS_H

#include "models/common/energy.h"
#include "models/common/perf.h"
#include "models/morpheus/split.h"
#include "replay/replay.h"

enum ct_mo_predictor { CT_MO_PREDICT_BLOOM, CT_MO_PREDICT_NONE, CT_MO_PREDICT_PERFECT };

struct ct_mo_system {
	const char *name;
	unsigned best_sms : 1; /* the SM count with the most IPC, else all */
	unsigned as_ibl : 1;   /* the SM count that IBL chooses */
	unsigned fair : 1;     /* the LLC also gets what Morpheus adds in storage */
	unsigned boost : 1;    /* Frequency-Boost */
	unsigned unified : 1;  /* Unified-SM-Mem */
	unsigned grown : 1;    /* larger-LLC: as much LLC as Morpheus-ALL has in total */
	unsigned extended : 1; /* idle SMs cache */
	unsigned compression : 1, indirect_mov : 1;
	double llc_factor; /* capacity against the configured LLC */
	enum ct_mo_predictor predictor;
};
/* In the order in which they are printed, BL first; NULL past the end. Static storage. */
const struct ct_mo_system *ct_mo_system_at(size_t i);
/* Index by name, or -1. */
int ct_mo_system_find(const char *name);
enum { CT_MO_SYSTEMS = 13, CT_MO_ALL_SYSTEMS = (1 << CT_MO_SYSTEMS) - 1 /* a bit each */ };

/* What one system does at one SM count. Not-a-number where it does not apply. */
struct ct_mo_estimate {
	double compute_sms, cache_sms;
	double cycles, ipc; /* without launches */
	double llc_bytes, extended_bytes;
	double llc_misses; /* sectors, whole run */
	double llc_requests, extended_hit_rate, given_miss, stale, alias;
	double compression_ratio;
	double packets; /* at the slices, both ways */
	double dram_bytes;
	double l1_sector_misses;
	double joule, watt;
	size_t bottleneck;
	double utilisation, yield; /* as of struct ct_perf_result */
	int dead, crowded, simulated;
	double lent_ipc; /* of ct_mo_estimate_best(): the most on fewer SMs than all; else 0 */
};

/* Everything that the estimates of one profile share. */
struct ct_mo_model {
	const struct ct_workload *w;
	struct ct_gpu replayed, gpu; /* of the profile; in force */
	struct ct_morpheus_params p;
	struct ct_morpheus_storage storage;
	struct ct_perf perf;
	struct ct_energy energy;
	struct ct_mo_bloom bloom;
	struct ct_morpheus_mix mix;
	enum { CT_MO_MIX_STATED, CT_MO_MIX_MEASURED, CT_MO_MIX_ASSUMED } mix_source;
	struct ct_morpheus_kernel kernel[2]; /* without and with compression */
	unsigned min_sms;                    /* fewest compute SMs that Morpheus may choose */
	struct ct_mo_split *cache[2];        /* per kernel, by compute SMs; owned */
	unsigned char *cached[2];
	int borrowed;        /* cache, cached and bloom are another model's */
	double larger_lines; /* of larger-LLC, set once ALL is known */
};

/* Prepares only what follows from the parameters: the mix of blocks, the helper kernels and the
 * storage. Nothing has to be freed. w may be NULL; compression is then what p states, or assumed.
 * Other arguments and failures are those of ct_mo_model_init(). */
int ct_mo_model_open(struct ct_mo_model *m, const struct ct_workload *w, const struct ct_gpu *replayed,
                     const struct ct_gpu *gpu, const struct ct_morpheus_params *p,
                     const struct ct_morpheus_mix *mix, struct ct_error *e);
/* replayed: the GPU of the profile's GP; gpu: the one in force (the same SM count).
 * mix: shares of blocks by compression level as the user states them, or NULL: those of
 * the workload, else assumed. w must outlive the model. Fails with CT_ERR_USAGE, CT_ERR_INPUT, CT_ERR_NOMEM. */
int ct_mo_model_init(struct ct_mo_model *m, const struct ct_workload *w, const struct ct_gpu *replayed,
                     const struct ct_gpu *gpu, const struct ct_morpheus_params *p,
                     const struct ct_morpheus_mix *mix, enum ct_perf_anchor how, struct ct_error *e);
/* The same workload and GPU with other times, energies or DRAM: parameters that neither sets
 * nor filters depend on. Borrows what `of` knows of those, and adds to it; `of` must outlive
 * it, and both belong to one thread. Fails as ct_mo_model_init(). */
int ct_mo_model_vary(struct ct_mo_model *m, struct ct_mo_model *of, const struct ct_gpu *replayed,
                     const struct ct_morpheus_params *p, enum ct_perf_anchor how, struct ct_error *e);
void ct_mo_model_free(struct ct_mo_model *m);

/* Lines of a system's conventional LLC. Pure. */
double ct_mo_conventional_lines(const struct ct_mo_model *m, const struct ct_mo_system *s);
/* How many times the configured LLC's slices it has: an LLC grows by whole banks, each a slice with ports of its own, but on
 * a mesh, whose routers are those of the ports, by its sets. Pure. */
double ct_mo_bank_factor(const struct ct_mo_model *m, const struct ct_mo_system *s);
/* What Frequency-Boost adds to the clocks of network, LLC and DRAM where so many SMs compute and the others are off, as a
 * share of them (reading frequency-boost). */
double ct_mo_boost(const struct ct_mo_model *m, double sms);
/* The fewest SMs that a system computes on: Morpheus' own bound, for others the paper's sweep, which starts at 10 of 68
 * SMs (reading sm-sweep). Pure. */
unsigned ct_mo_fewest_sms(const struct ct_mo_model *m, const struct ct_mo_system *s);

/* One system on `sms` compute SMs (1 .. all). Fails with CT_ERR_NOMEM. */
int ct_mo_estimate_at(struct ct_mo_model *m, const struct ct_mo_system *s, unsigned sms,
                      struct ct_mo_estimate *out, struct ct_error *e);
/* One system at the SM count that its definition chooses: all, or the best (ties: the
 * most SMs). */
int ct_mo_estimate_best(struct ct_mo_model *m, const struct ct_mo_system *s, struct ct_mo_estimate *out,
                        struct ct_error *e);
/* What a request to a cache-mode SM costs in a system, core cycles: controller to SM and
 * back, a warp's turn, the SM's port. Pure. */
struct ct_mo_helper_times {
	double trip, service, port;
};
struct ct_mo_helper_times ct_mo_helper_times(const struct ct_mo_model *m, const struct ct_mo_system *s);

/* Energy of a replayed run into x->joule and x->watt; x holds the other results already.
 * s NULL: the GPU as configured. extended_accesses: blocks asked of cache-mode SMs. */
void ct_mo_replayed_energy(const struct ct_mo_model *m, const struct ct_mo_system *s,
                           const struct ct_replay_counts *c, double extended_accesses,
                           struct ct_mo_estimate *x);

/* The user's GPU as configured: all SMs, no storage added. */
int ct_mo_estimate_configured(struct ct_mo_model *m, struct ct_mo_estimate *out, struct ct_error *e);

#endif
