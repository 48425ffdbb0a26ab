/* request.c - which organisations a run measures: those of the paper, studies, and the points of a sweep. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/malekeh/run.h"

enum { SWEPT_MAX = 3 }; /* systems that one key is swept for */

/* clang-format off */
#define RULE(least, most) {.low = (least), .high = (most), .whole = 1, .step = 1, .points_max = 256}
/* clang-format on */
const struct ct_mechanism_sweep mk_sweeps[MK_SWEEPS] = {
	{"sthld", RULE(0, 1000000), "sthld=0..16:2", 0},
	{"entries", RULE(CT_MK_SLOTS, CT_MK_MAX_ENTRIES), "entries=6..16", 0},
	{"window", RULE(1, 64), "window=1..8", 0},
	{"collectors", RULE(1, 64), "collectors=1..8", 0},
	{"rthld", RULE(0, 1000000), "rthld=4..20:4", 0},
	{"active", RULE(1, 64), "active=1..8", 0},
};

/* The systems that have what a key sets, in the order of mk_sweeps. */
static const char *const swept[MK_SWEEPS][SWEPT_MAX] = {
	{"Malekeh"}, {"Malekeh", "Malekeh_PR", "GTO+LRU"},
	{"BOW"},     {"OCU", "Malekeh"},
	{"Malekeh"}, {"RFC", "SW-RFC", "LTRF"},
};

static void set_key(struct ct_mk_system *s, const char *key, uint32_t v)
{
	if (!strcmp(key, "sthld"))
		s->sthld = (int32_t)v;
	else if (!strcmp(key, "entries"))
		s->entries = v;
	else if (!strcmp(key, "window"))
		s->window = v;
	else if (!strcmp(key, "collectors"))
		s->collectors = v;
	else if (!strcmp(key, "rthld"))
		s->rthld = v;
	else
		s->active = v;
}

static void add_system(struct mk_request *q, const char *name)
{
	q->system[q->n++] = *ct_mk_system_at((size_t)ct_mk_system_find(name));
}

static void add_sweep(struct mk_request *q, const struct ct_range_spec *range)
{
	size_t which = 0;
	while (strcmp(mk_sweeps[which].key, range->key) != 0)
		which++;
	q->key = mk_sweeps[which].key;
	for (int k = 0; k < SWEPT_MAX && swept[which][k]; k++)
		for (size_t i = 0; i < ct_range_points(range); i++) {
			ct_range_text_at(range, i, q->x[q->n], sizeof q->x[q->n]);
			add_system(q, swept[which][k]);
			set_key(&q->system[q->n - 1], q->key, (uint32_t)ct_range_at(range, i));
		}
}

/* The systems that a verdict and its reason speak of, the one that has to be beaten and the bound among them, are all
 * that is measured where nobody sees more. */
int mk_request_make(struct mk_request *q, const struct ct_mechanism_run *run, struct ct_error *e)
{
	size_t points = run->sweep ? ct_range_points(run->sweep) : 0;
	size_t plain = run->option && run->option[MK_OPTION_STUDIES] ? CT_MK_ALL_SYSTEMS : CT_MK_SYSTEMS;
	q->system = ct_calloc(CT_MK_ALL_SYSTEMS + SWEPT_MAX * points, sizeof *q->system);
	q->x = ct_calloc(CT_MK_ALL_SYSTEMS + SWEPT_MAX * points, sizeof *q->x);
	if (!q->system || !q->x)
		return ct_fail_nomem(e);
	if (run->judged_only) {
		add_system(q, "OCU");
		add_system(q, "Malekeh");
		add_system(q, "OCU-ideal");
		add_system(q, "OCU-own");
		return CT_OK;
	}
	for (size_t i = 0; i < plain; i++)
		add_system(q, ct_mk_system_at(i)->name);
	if (run->sweep)
		add_sweep(q, run->sweep);
	return CT_OK;
}

void mk_request_free(struct mk_request *q)
{
	free(q->system);
	free(q->x);
	memset(q, 0, sizeof *q);
}
