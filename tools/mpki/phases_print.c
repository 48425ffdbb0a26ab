#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "common/terminal.h"
#include "mpki/phases.h"

enum { SHOWN = 5, PHASES_SHOWN = 20 };
static const char *const metric[SHOWN] = {
	"l1_miss_rate", "llc_miss_rate", "ipc", "dram_read_bytes_per_cycle", "active_warps"};

/* A phase: its ends, and the means of the metrics over its cycles. */
struct phase {
	const char *name, *from, *to;
	double first, last; /* launches */
	double cycles, sum[SHOWN], weight[SHOWN];
};

static void add(struct phase *ph, const double v[SHOWN], double cycles)
{
	for (int k = 0; k < SHOWN; k++)
		if (!isnan(v[k])) {
			ph->sum[k] += v[k] * cycles;
			ph->weight[k] += cycles;
		}
	ph->cycles += cycles;
}

static void row(struct ct_table *t, const struct phase *ph)
{
	ct_table_cell(t, "%s", ph->name);
	ct_table_cell(t, "%s", ph->from);
	ct_table_cell(t, "%s", ph->to);
	if (isnan(ph->first) || isnan(ph->last))
		ct_table_cell(t, "-");
	else if (ph->first == ph->last)
		ct_table_cell(t, "%.0f", ph->first);
	else
		ct_table_cell(t, "%.0f-%.0f", ph->first, ph->last);
	for (int k = 0; k < SHOWN; k++) {
		double v = ph->weight[k] > 0 ? ph->sum[k] / ph->weight[k] : NAN;
		if (k < 2)
			ct_table_percent(t, v);
		else
			ct_table_real(t, v);
	}
}

/* Reads the records of one interval, from *i on: 1, or 0 behind the last. They follow each other, and end with its
 * cycles. */
static int next_interval(const struct ct_profile *p, size_t *i, const struct ct_record **r,
                         double v[SHOWN], double launch[2], double *cycles)
{
	launch[0] = launch[1] = NAN;
	for (int k = 0; k < SHOWN; k++)
		v[k] = NAN;
	while ((*r = ct_profile_next(p, "PH", i))) {
		for (int k = 0; k < SHOWN; k++)
			if (strcmp((*r)->field[4], metric[k]) == 0 &&
			    !ct_field_real((*r)->field[5], &v[k]))
				v[k] = NAN;
		for (int k = 0; k < 2; k++)
			if (strcmp((*r)->field[4], k ? "last_launch" : "first_launch") == 0 &&
			    !ct_field_real((*r)->field[5], &launch[k]))
				launch[k] = NAN;
		if (strcmp((*r)->field[4], "cycles") == 0)
			return ct_field_real((*r)->field[5], cycles);
	}
	return 0;
}

void mpki_phases_print(const struct ct_profile *p, struct ct_buf *b)
{
	static const char *const heads[] = {"phase",      "from", "to",       "launches",    "L1 misses",
	                                    "LLC misses", "IPC",  "DRAM B/c", "active warps"};
	static const unsigned char rank[4 + SHOWN] = {[3] = 1, [7] = 3, [8] = 2};
	struct ct_table t = {.columns = 4 + SHOWN, .style = ct_terminal_style(), .rank = rank};
	struct phase ph = {0};
	const struct ct_record *r;
	double v[SHOWN], launch[2], cycles = 0;
	size_t rows = 0, more = 0;
	ct_table_heads(&t, heads);
	for (size_t i = 0; next_interval(p, &i, &r, v, launch, &cycles);) {
		if (ph.name && strcmp(ph.name, r->field[1]) != 0) {
			if (rows++ < PHASES_SHOWN)
				row(&t, &ph);
			else
				more++;
			ph = (struct phase){0};
		}
		if (!ph.name) {
			ph.name = r->field[1];
			ph.from = r->field[2];
			ph.first = launch[0];
		}
		ph.to = r->field[3];
		ph.last = launch[1];
		add(&ph, v, cycles);
	}
	if (ph.name)
		row(&t, &ph);
	ct_buf_puts(b, "\nPhases of the run, between changes of these means\n");
	ct_table_render(&t, b);
	if (more)
		ct_buf_printf(b, "%zu more phases: -O profile has all\n", more);
	size_t judged = 0;
	if (!ct_profile_next(p, "PV", &judged))
		ct_buf_puts(
			b, "--mechanism NAME judges each phase, triage -k N-M launches by themselves\n");
}
