/* estimate.h - every system of the paper with its range, from one profile on one GPU, and its records. */
#ifndef CT_MODELS_MORPHEUS_ESTIMATE_H
#define CT_MODELS_MORPHEUS_ESTIMATE_H

#include "base/range.h"
#include "models/common/number.h"
#include "models/morpheus/systems.h"
#include "profile/profile.h"

struct ct_mo_row {
	const struct ct_mo_system *system;
	struct ct_mo_estimate x;
	struct ct_mechanism_number speedup;            /* against BL */
	struct ct_mechanism_number speedup_configured; /* against the GPU as configured */
	struct ct_mechanism_number perf_per_watt;      /* against BL */
};

/* Everything about one profile on one GPU. */
struct ct_mo_answer {
	struct ct_mo_model model; /* central values */
	struct ct_mo_estimate configured;
	unsigned systems; /* bit i: row[i] was asked for */
	struct ct_mo_row row[CT_MO_SYSTEMS];
};

/* Evaluates all systems, and their ranges by varying one uncertain thing at a time:
 * how the model is anchored, first touches as a phase of their own or not, the extended
 * latency (185 for 165 ns, 166 for 185 ns of a warp: reading extended-latency), the DRAM's
 * service (10 % either way), uneven hashing (1.2), the share of static power, and, where
 * compression is assumed, none of it up to the published gain. Arguments as
 * ct_mo_model_init(). The caller frees with ct_mo_answer_free(). */
int ct_mo_answer_init(struct ct_mo_answer *a, const struct ct_workload *w, const struct ct_gpu *replayed,
                      const struct ct_gpu *gpu, const struct ct_morpheus_params *p,
                      const struct ct_morpheus_mix *mix, struct ct_error *e);
/* The same for some systems only, bit i for ct_mo_system_at(i); BL, which all are held against, is
 * always among them. Other rows name their system and hold zeros. sms: the count on which systems compute that choose
 * one, a whole number; 0: each has the one that its definition says. Fails with CT_ERR_USAGE where the GPU has fewer. */
int ct_mo_answer_init_some(struct ct_mo_answer *a, const struct ct_workload *w,
                           const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                           const struct ct_morpheus_params *p, const struct ct_morpheus_mix *mix,
                           unsigned systems, double sms, struct ct_error *e);
/* The systems that the answer of one is made from, bit i for ct_mo_system_at(i): itself, and where it compresses those
 * without, whose ranges become part of its own. Pure. */
unsigned ct_mo_systems_for(size_t system);
void ct_mo_answer_free(struct ct_mo_answer *a);

/* Core cycles of a packet of that estimate or replay through the network to a slice and of one back: the way, without what
 * llc.latency has of it, and the wait for a slice's port, which takes a packet a cycle in each direction, by its mean
 * load (M/D/1, as in Kleinrock, Queueing Systems, 1975). Bursts and the SMs' ports are not in it. Pure. */
double ct_mo_network_latency(const struct ct_mo_answer *a, const struct ct_mo_estimate *x);

/* Appends the ES records (scope all, mechanism morpheus) of the systems asked for. */
int ct_mo_answer_write(const struct ct_mo_answer *a, struct ct_profile *p, struct ct_error *e);

/* The same with replayed rows (replayed.h), method replay; systems asked for that were not replayed get
 * their analytic records, and all do when `both`. */
int ct_mo_answer_write_replayed(const struct ct_mo_answer *a, const struct ct_mo_row *row, int both,
                                struct ct_profile *p, struct ct_error *e);

/* Appends SW records of every system whose SM count varies, for each SM count of the range, whose values are whole
 * numbers from 1: ipc, speedup, llc_mpki, extended_llc_bytes. BL's rows are the motivation study (Fig. 1). Fails with
 * CT_ERR_USAGE where the range asks for more SMs than the GPU has, CT_ERR_NOMEM. */
int ct_mo_answer_sweep(struct ct_mo_answer *a, const struct ct_range_spec *sms, struct ct_profile *p,
                       struct ct_error *e);

/* Adds the SW records that charts of IPC against SMs show: ipc of BL and Morpheus-ALL on ten of 68 SMs (the paper's
 * first point) up to all, at most 128 points. Adds nothing where p has SW records of them, or on a single SM. */
int ct_mo_answer_curve(struct ct_mo_answer *a, struct ct_profile *p, struct ct_error *e);

/* Things to tell the user, one line each; returns how many there are. Static or
 * caller-provided storage: text is written into out[i]. */
enum { CT_MO_NOTES_MAX = 8, CT_MO_NOTE_LEN = 240 };
unsigned ct_mo_answer_notes(const struct ct_mo_answer *a, char out[][CT_MO_NOTE_LEN]);

/* Why an estimated row gains or does not, in a few words. */
void ct_mo_row_why(const struct ct_mo_answer *a, const struct ct_mo_row *r, char *out, size_t n);
/* The same of a replayed row, against that of BL: what the replays counted, since only the model knows what limits it. */
void ct_mo_replayed_row_why(const struct ct_mo_row *bl, const struct ct_mo_row *r, char *out, size_t n);

#endif
