/* sim.h - reading gpgpusim.config; private to lib/gpu. */
#ifndef CT_GPU_SIM_H
#define CT_GPU_SIM_H

#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"

enum { CT_SIM_NAME = 96, CT_SIM_VALUE = 512, CT_SIM_UNITS = 8, CT_SIM_WARNED = 64 };

/* What has been read so far: some of our parameters follow from several options. */
struct ct_sim {
	struct ct_gpu *g;
	const struct ct_diag *diag;
	const char *file;
	unsigned line;
	const char *option, *value; /* at hand; the option without its dash */
	uint32_t clusters, cores, channels, per_channel, chips, bus;
	uint32_t collectors, collectors_generic, generic_only;
	uint32_t local_crossbar, have_l1, have_trace;
	char unit_name[CT_SIM_UNITS][16]; /* of specialised units, "" = off */
	struct ct_unit_timing unit[CT_SIM_UNITS];
	uint64_t seen; /* options that every configuration has, a bit each */
	unsigned warned;
	char warned_name[CT_SIM_WARNED][CT_SIM_NAME];
};

/* Applies the option at hand. */
int ct_sim_apply(struct ct_sim *s, struct ct_error *e);
/* Warns when a file that is a whole configuration lacks some of what every configuration has. */
void ct_sim_tell_lost(const struct ct_sim *s);
/* Stores the value of one of our keys; a failure names the option and its line. */
int ct_sim_set(struct ct_sim *s, const char *key, const char *value, struct ct_error *e);
/* At most one warning for each option. */
void ct_sim_warn_once(struct ct_sim *s, const char *why);

#endif
