/* sthld.h - the machine that adapts STHLD, the number of times an allocation waits before a
 * collector with near values is taken away (reading sthld-machine). The paper prints
 * what the machine does, not its table: ours is data (data/malekeh/sthld.tsv), a
 * reconstruction (reading sthld-table). */
#ifndef CT_MODELS_MALEKEH_STHLD_H
#define CT_MODELS_MALEKEH_STHLD_H

#include <stdint.h>

#include "base/error.h"

enum { CT_MK_STATES = 6 };

struct ct_mk_transition {
	uint8_t next;
	int32_t delta;
};

struct ct_mk_sthld_table {
	struct ct_mk_transition small[CT_MK_STATES], large[CT_MK_STATES]; /* by state - 1 */
	uint8_t start;                                                    /* state, from 1 */
	int32_t value, lowest, highest;
	double threshold; /* relative change of IPC below which it is small */
};

/* Reads the table of a file: lines "state S|L|* next delta", "start STATE VALUE LOWEST
 * HIGHEST" and "threshold T", tabs between fields, # for comments. Every state needs S and
 * L, or *. Fails with CT_ERR_IO, CT_ERR_INPUT (file:line). */
int ct_mk_sthld_load(struct ct_mk_sthld_table *t, const char *path, struct ct_error *e);
/* The same from n bytes of text; name is for messages. */
int ct_mk_sthld_parse(struct ct_mk_sthld_table *t, const char *name, const char *text, size_t n,
                      struct ct_error *e);

/* The machine's registers. */
struct ct_mk_sthld {
	uint8_t state;
	int32_t value;
	double last; /* IPC of the interval before; 0 also before the first */
};
void ct_mk_sthld_start(const struct ct_mk_sthld_table *t, struct ct_mk_sthld *m);
/* End of an interval with that IPC. A previous IPC of 0 counts as a large change (reading zero-ipc). */
void ct_mk_sthld_step(const struct ct_mk_sthld_table *t, struct ct_mk_sthld *m, double ipc);

#endif
