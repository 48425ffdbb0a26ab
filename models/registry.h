/* registry.h - the mechanisms that this build knows, and behind them those that a program has added as plugins.
 *
 * A program adds plugins at its start, before any other call and before it has threads (ct_mechanisms_add()): that is the
 * only state. All other functions are pure then. Built-in mechanisms are in static storage. */
#ifndef CT_MODELS_REGISTRY_H
#define CT_MODELS_REGISTRY_H

#include "base/decls.h"
#include "models/mechanism.h"

CT_DECLS_BEGIN

/* At most so many mechanisms, so that a set of them fits a mask. */
enum { CT_MECHANISMS_MAX = 31, CT_PLUGINS_MAX = 16 };

/* The i-th in the order in which tables show them, or NULL behind the last. */
const struct ct_mechanism *ct_mechanism_at(unsigned i);
unsigned ct_mechanism_count(void);
/* Adds a mechanism behind the others: a plugin's, which has at least a name, a command and parameters, and outlives all
 * use. Fails with CT_ERR_USAGE when its name, an alias or its prefix means another one, CT_ERR_LIMIT. */
int ct_mechanisms_add(const struct ct_mechanism *m, struct ct_error *e);
/* Puts another table of the same name in the place of the i-th, one that was added; of others nothing changes. */
void ct_mechanisms_replace(unsigned i, const struct ct_mechanism *m);
/* Those that were added, a bit each. */
uint32_t ct_mechanism_plugins(void);
/* By name, alias or command: its index, or -1. */
int ct_mechanism_find(const char *name);
/* A system of m by its name: its index in m->systems, or -1. */
int ct_mechanism_system(const struct ct_mechanism *m, const char *name);
/* 1 when an assignment "PREFIX.KEY=VALUE" is for that mechanism: PREFIX is one of its parameters', its name or an
 * alias. Only those of its parameters set anything: see ct_mechanism_check_key(). */
int ct_mechanism_is_key(const struct ct_mechanism *m, const char *assignment);
/* The mechanism that an assignment is for: its index, or -1. */
int ct_mechanism_of_key(const char *assignment);
/* Checks the assignment against the parameters of the mechanism that it is for: CT_OK; 1 when it is no mechanism's; or
 * fails with CT_ERR_USAGE, naming the nearest key, when there is no such parameter or its value is out of range. */
int ct_mechanism_check_key(const char *assignment, struct ct_error *e);

/* A metric of one of them: of ES and SW, or an item of IM and SN; NULL: none has it. For ct_profile_set_metrics(), which
 * every program that writes or merges records of mechanisms calls. Pure. */
const struct ct_metric *ct_mechanism_metric(const char *type, const char *name);

/* A comma list of names as a mask: "all", or names. Fails with CT_ERR_USAGE, which begins with `option` and names
 * those there are. */
int ct_mechanisms_parse(const char *option, const char *list, uint32_t *mask, struct ct_error *e);
/* Those that triage judges without being asked. */
uint32_t ct_mechanisms_published(void);

CT_DECLS_END

#endif
