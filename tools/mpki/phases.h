/* phases.h - mpki --every: how a run fares over time. */
#ifndef CT_TOOLS_MPKI_PHASES_H
#define CT_TOOLS_MPKI_PHASES_H

#include "base/buf.h"
#include "pass/pass.h"

struct mpki_phases {
	uint64_t every;      /* cycles or warp instructions; 0: not asked for */
	int by_cycles;       /* which of them */
	const char *events;  /* file of trace events, or NULL */
	struct ct_buf *json; /* gets them */
};

/* The value of --every: "10000", "10000i" or "50000c". Fails with CT_ERR_USAGE. */
int mpki_phases_parse(const char *text, struct mpki_phases *o, struct ct_error *e);

/* Measures the intervals in the pass and appends PH records of scope all; its ctx is a struct mpki_phases. */
extern const struct ct_pass_observer mpki_phases_observer;

/* The phases for people: a row each. */
void mpki_phases_print(const struct ct_profile *p, struct ct_buf *b);

#endif
