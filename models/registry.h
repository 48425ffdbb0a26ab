/* registry.h - the mechanisms that this build knows. */
#ifndef CT_MODELS_REGISTRY_H
#define CT_MODELS_REGISTRY_H

#include "models/mechanism.h"

/* At most so many mechanisms, so that a set of them fits a mask. */
enum { CT_MECHANISMS_MAX = 32 };

/* The i-th in the order in which tables show them, or NULL behind the last. Static storage. */
const struct ct_mechanism *ct_mechanism_at(unsigned i);
unsigned ct_mechanism_count(void);
/* By name, alias or command: its index, or -1. Pure. */
int ct_mechanism_find(const char *name);
/* The mechanism whose parameter an assignment "PREFIX.KEY=VALUE" sets, by its prefix: its index, or -1. Pure. */
int ct_mechanism_of_key(const char *assignment);
/* Checks the assignment against the table of the mechanism that it names: CT_OK; 1 when it is no mechanism's; or fails
 * with CT_ERR_USAGE naming the nearest key. */
int ct_mechanism_check_key(const char *assignment, struct ct_error *e);

/* A comma list of names as a mask: "all", or names. Fails with CT_ERR_USAGE, which begins with `option` and names
 * those there are. */
int ct_mechanisms_parse(const char *option, const char *list, uint32_t *mask, struct ct_error *e);
/* Those that triage judges without being asked. */
uint32_t ct_mechanisms_published(void);

#endif
