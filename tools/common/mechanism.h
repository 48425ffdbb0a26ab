/* mechanism.h - mechanisms that the pass can measure beside the baseline replay: each is an
 * observer of it that writes ES records in the end, or replays what it has to when the pass is over
 * (`reuse --mechanisms`).
 *
 * To add one: a row in mechanism.c. */
#ifndef CT_TOOLS_MECHANISM_H
#define CT_TOOLS_MECHANISM_H

#include "common/tool.h"
#include "replay/replay.h"

struct ct_pass_mechanism {
	const char *name; /* as in ES: "tag-split" */
	/* *state is the mechanism's own, freed with close() also when open() fails (NULL then);
	 * *ob is filled with its hooks. g is the GPU in force; -p, -S, --seed and --warmup are
	 * in t. */
	int (*open)(void **state, const struct ct_tool *t, const struct ct_gpu *g,
	            struct ct_replay_observer *ob, struct ct_error *e);
	/* Before each launch is replayed. May be NULL. */
	int (*kernel)(void *state, const struct ct_kernel *k, struct ct_error *e);
	/* After the last: appends ES records; all: counts of the whole run. */
	int (*write)(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
	             struct ct_error *e);
	void (*close)(void *state); /* NULL allowed */
	/* When the profile is written: replays the trace again and appends ES records. One that has this
	 * has nothing else. */
	int (*after)(struct ct_tool *t, const struct ct_gpu *g, struct ct_profile *p,
	             struct ct_error *e);
};

/* What a tool asks of malekeh's measurement: ct_tool.malekeh, NULL for the systems of
 * design section 4. Row i is written as ES, or as SW at x[i] of key[i]; row 0 has to be OCU. */
struct ct_mk_system;
struct ct_mk_masks;
struct ct_malekeh_request {
	const struct ct_mk_system *systems;
	const char *const *key; /* by row; NULL entries: ES */
	const char *const *x;
	size_t n;
	struct ct_mk_masks *masks; /* gets the reuse bits (masks.h), or NULL */
	const char *table;      /* file of the STHLD machine, NULL: the one in data/ */
};

/* The STHLD machine in force: the request's file, or the one in data/. Fails as
 * ct_mk_sthld_load() does. */
struct ct_mk_sthld_table;
int ct_malekeh_table(const struct ct_tool *t, struct ct_mk_sthld_table *table,
                     struct ct_error *e);

enum { CT_PASS_MECHANISMS_MAX = 8 };

/* In the order they are written; NULL past the end. */
const struct ct_pass_mechanism *ct_pass_mechanism_at(unsigned i);
/* "all", or names between commas, as a mask of ct_pass_mechanism_at(). Fails with
 * CT_ERR_USAGE, naming those there are. */
int ct_pass_mechanisms_parse(const char *list, unsigned *mask, struct ct_error *e);

#endif
