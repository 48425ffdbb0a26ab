#include "morpheus-est/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "common/terminal.h"
#include "models/morpheus/replayed.h"
#include "pass/replays.h"

int morpheus_replay(struct ct_tool *t, const struct ct_stage *s, const char *why,
                    const struct ct_mo_answer *a, struct ct_mo_row *rows, struct ct_error *e)
{
	struct ct_replay_counts total[CT_MO_LANES_MAX];
	struct ct_replays_engine engine[CT_MO_LANES_MAX];
	struct ct_pass_settings settings;
	struct ct_mo_replays *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	int st = ct_mo_replays_init(x, a, t->warmup, e);
	for (unsigned i = 0; i < x->n; i++)
		engine[i] = (struct ct_replays_engine){.gpu = &x->lane[i].gpu, .options = x->lane[i].options};
	ct_tool_pass_settings(t, &settings);
	if (st == CT_OK)
		st = ct_replays_run(s->p, &settings, why, engine, x->n, NULL, total, e);
	if (st == CT_OK)
		ct_mo_replays_rows(x, total, rows);
	ct_mo_replays_free(x);
	free(x);
	return st;
}

static void pair(struct ct_table *t, double analytic, double replay, int rate)
{
	if (!isfinite(analytic) || !isfinite(replay)) {
		ct_table_cell(t, "-");
		return;
	}
	if (rate)
		ct_table_cell(t, "%.3f %.3f (%+.3f)", analytic, replay, analytic - replay);
	else
		ct_table_cell(t, "%.4g %.4g (%+.1f %%)", analytic, replay, 100 * (analytic / replay - 1));
}

void morpheus_check_table(const struct ct_mo_answer *a, const struct ct_mo_row *rows,
                          struct ct_buf *b)
{
	static const char *const head[] = {"system", "cycles", "speed-up", "LLC misses",
	                                   "extended hits", "false positives", "DRAM bytes"};
	struct ct_table t = {.columns = sizeof head / sizeof head[0], .style = ct_terminal_style()};
	for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
		ct_table_cell(&t, "%s", head[i]);
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		const struct ct_mo_estimate *x = &a->row[i].x, *y = &rows[i].x;
		if (!isfinite(y->cycles))
			continue;
		ct_table_cell(&t, "%s", a->row[i].system->name);
		pair(&t, x->cycles, y->cycles, 0);
		pair(&t, a->row[i].speedup.value, rows[i].speedup.value, 0);
		pair(&t, x->llc_misses, y->llc_misses, 0);
		pair(&t, x->extended_hit_rate, y->extended_hit_rate, 1);
		pair(&t, x->given_miss, y->given_miss, 1);
		pair(&t, x->dram_bytes, y->dram_bytes, 0);
	}
	ct_buf_puts(b, "\nanalytic, replayed (difference):\n");
	ct_table_render(&t, b);
}
