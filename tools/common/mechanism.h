/* mechanism.h - mechanisms that the pass can measure beside the baseline replay: each is an
 * observer of it that writes ES records in the end, or replays what it has to when the pass is over
 * (`reuse --mechanisms`).
 *
 * To add one: a row in mechanism.c. */
#ifndef CT_TOOLS_MECHANISM_H
#define CT_TOOLS_MECHANISM_H

#include "common/tool.h"
#include "pass/pass.h"

/* What a tool asks of malekeh's measurement: ct_tool.malekeh, NULL for the systems that
 * are printed. Row i is written as ES, or as SW at x[i] of key[i]; row 0 has to be OCU. */
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

/* The observers of a pass that measures those mechanisms (a mask), in the order in which they write: at most
 * CT_PASS_OBSERVERS_MAX. Returns how many. t must outlive them. */
unsigned ct_pass_mechanisms_observers(struct ct_tool *t, unsigned mask, struct ct_pass_observer *observer);
/* "all", or names between commas, as a mask. Fails with
 * CT_ERR_USAGE, naming those there are. */
int ct_pass_mechanisms_parse(const char *list, unsigned *mask, struct ct_error *e);

#endif
