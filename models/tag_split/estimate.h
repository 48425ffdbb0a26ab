/* estimate.h - from what measure.h counted to cycles, energy and verdicts: the answer of
 * tsc-est.
 *
 * Cycles come from the closed network (models/common/perf.h), anchored to the replay of
 * the GPU as configured: a system lets its own share of lines pass, its requests take
 * the L1's port, its packets the network, its misses hold the MSHR, and its hits take the
 * added latency. First touches reach DRAM whatever the L1 does; what comes again misses the
 * LLC as often per access as behind the configured L1. */
#ifndef CT_MODELS_TAG_SPLIT_ESTIMATE_H
#define CT_MODELS_TAG_SPLIT_ESTIMATE_H

#include "models/common/number.h"
#include "models/common/perf.h"
#include "models/tag_split/systems.h"
#include "profile/profile.h"

/* What the pass measured of one system (ES records, method replay). */
struct ct_ts_measured {
	double loads, requests, request_misses, stores, fetched_bytes;
	double miss_packets; /* as request_misses, of a profile that lacks them */
	double port_cycles, request_flits, reply_flits, llc_accesses, load_accesses, load_lines;
	double inst_miss_rate, untimed_miss_rate, mpki, to_l2, to_l1; /* mpki: of load requests */
	double storage;                                               /* NaN: none */
	double set_room;                                              /* ct_ts_set_room() of its L1 */
	double set_places; /* of it that the misses took, one after the other */
	int banks;         /* ct_ts_in_banks() */
};

struct ct_ts_row {
	const struct ct_ts_system *system;
	struct ct_ts_measured x;
	double cycles, ipc, joule, watt; /* cycles without launches */
	double dram;                     /* traffic over that of the configured L1 */
	double l1_miss_rate, l1_mpki;    /* sectors, as SN; the replay's of the configured L1 */
	struct ct_perf_result perf;
	struct ct_mechanism_number speedup;            /* against 128B */
	struct ct_mechanism_number speedup_configured; /* against the GPU's own L1 */
	struct ct_mechanism_number perf_per_watt;      /* against 128B */
};

enum ct_ts_class { CT_TS_CLN = -1, CT_TS_NO_CLASS, CT_TS_CLP };

struct ct_ts_answer {
	const struct ct_workload *w;
	struct ct_gpu replayed, gpu;
	struct ct_ts_params params;
	struct ct_perf perf;
	struct ct_ts_row row[CT_TS_SYSTEMS];
	unsigned systems;            /* the rows that are set, a bit each */
	enum ct_ts_class line_class; /* reading line-size-class */
	int sensitive; /* at least 3 % faster under the perfect cache (reading cache-sensitive) */
};

/* 1 if p holds what `reuse --mechanisms tag-split` measures. */
int ct_ts_measured_in(const struct ct_profile *p);
/* Evaluates all systems on a profile, and their ranges by varying one uncertain thing at a
 * time: how the model is anchored, first touches as a phase of their own or not, the
 * DRAM's service (10 % either way), no limit by the MSHR, DRAM traffic that follows
 * the L1's by half. replayed: the GPU of the profile's
 * GP; gpu: the one in force, with the same L1. w must outlive the answer. Fails with
 * CT_ERR_INPUT, naming what the profile lacks. */
int ct_ts_answer_init(struct ct_ts_answer *a, const struct ct_profile *p, const struct ct_workload *w,
                      const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                      const struct ct_ts_params *params, struct ct_error *e);
/* Answers for some systems only: one bit for each ct_ts_system_at(), 128B and configured among
 * them. Their rows are the same as with all systems. line_class and sensitive need the others and
 * are 0 without them. */
int ct_ts_answer_init_some(struct ct_ts_answer *a, const struct ct_profile *p,
                           const struct ct_workload *w, const struct ct_gpu *replayed,
                           const struct ct_gpu *gpu, const struct ct_ts_params *params, unsigned systems,
                           struct ct_error *e);
/* Appends the ES records (scope all, mechanism tag-split, method analytic). */
int ct_ts_answer_write(const struct ct_ts_answer *a, struct ct_profile *p, struct ct_error *e);

/* Cycles of a system with measured counts, `extra` cycles added to its hit latency. */
double ct_ts_cycles(const struct ct_ts_answer *a, const struct ct_ts_measured *x, double extra);
/* Reads what was measured of a system, from the records of its name, and says what its L1 is on the GPU. Fails with
 * CT_ERR_INPUT, and with CT_ERR_USAGE where there is no such L1. */
int ct_ts_measured_read(struct ct_ts_measured *x, const struct ct_profile *p,
                        const struct ct_ts_system *s, const struct ct_gpu *g,
                        const struct ct_ts_params *params, struct ct_error *e);

/* Why a row gains or does not, and why the workload is CLN or CLP, in a few words. */
void ct_ts_row_why(const struct ct_ts_answer *a, const struct ct_ts_row *r, char *out, size_t n);
void ct_ts_class_why(const struct ct_ts_answer *a, char *out, size_t n);
const char *ct_ts_class_name(enum ct_ts_class c); /* "CLN" ... */
enum { CT_TS_NOTES_MAX = 8, CT_TS_NOTE_LEN = 240 };
unsigned ct_ts_answer_notes(const struct ct_ts_answer *a, char out[][CT_TS_NOTE_LEN]);

/* Least speed-up that counts as a gain or a loss. */
extern const double ct_ts_dead_band;

#endif
