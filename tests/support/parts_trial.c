#include "tests/support/parts_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void parts_set(struct ct_gpu *g, const char *const *keys)
{
	struct ct_error e;
	for (; *keys; keys++)
		if (ct_gpu_set(g, *keys, &e) < 0)
			fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

void parts_gpu(struct ct_gpu *g)
{
	static const char *const keys[] = {"sm.count=4", NULL};
	micro_gpu(g, MICRO_RTX3070);
	parts_set(g, keys);
}

/* Every warp reads the same lines, computes on them and stores to its own. */
static void table_trace(struct micro *m, int launches)
{
	memset(m, 0, sizeof *m);
	for (int l = 0; l < launches; l++) {
		micro_kernel(m, "k", CTAS, WARPS * 32, 0, 64);
		for (uint32_t c = 0; c < CTAS; c++) {
			micro_cta(m);
			for (uint32_t w = 0; w < WARPS; w++) {
				micro_warp(m, w, LINES * 3 + 2);
				for (uint32_t i = 0; i < LINES; i++) {
					micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4",
					           0x10000000 + 128 * i);
					micro_line(m, "ffffffff 1 R6 FFMA 3 R4 R5 R6 0");
					micro_line(m, "ffffffff 1 R7 DADD 2 R4 R8 0");
				}
				micro_line(m, "ffffffff 0 STG.E 2 R2 R6 4 1 0x%x 4",
				           0x20002000 + 128 * (c * WARPS + w));
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

void parts_run(const struct ct_gpu *g, const struct ct_replay_parts *p, struct micro_result *r,
               int launches)
{
	struct micro m;
	struct ct_replay_options o = {.parts = p};
	table_trace(&m, launches);
	micro_run(&m, g, &o, r);
	assert_int_equal(r->c.warp_insts, (uint64_t)launches * CTAS * WARPS * (LINES * 3 + 2));
}
