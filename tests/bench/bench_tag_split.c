/* Speed of measuring all Tag-Split systems: a million warp instructions, every fourth a
 * load, of one kind of access; without the replay that they come from. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "models/tag_split/measure.h"
#include "tests/support/bench.h"

enum { INSTS = 1000000, SMS = 15 };

static const struct {
	const char *name;
	uint64_t reach;
	unsigned stride;
} CASES[] = {
	{"coalesced", 1 << 20, 4},
	{"rows", 1 << 20, 136},
	{"gather", 1 << 20, 0},
};

static void access_of(struct ct_inst *i, size_t kind, uint64_t *rng)
{
	uint64_t r = ct_rand64(rng), base = 0x100000 + r % CASES[kind].reach / 128 * 128;
	i->mask = ~0u;
	i->naddr = CT_WARP_LANES;
	i->addr_form = CASES[kind].stride ? CT_ADDR_STRIDE : CT_ADDR_LIST;
	i->base = base;
	i->stride = CASES[kind].stride;
	for (unsigned lane = 0; lane < CT_WARP_LANES; lane++)
		i->addr[lane] = CASES[kind].stride
		                        ? base + (uint64_t)lane * CASES[kind].stride
		                        : 0x100000 + ct_rand64(rng) % CASES[kind].reach / 4 * 4;
}

static int run(struct ct_ts_measure *m, size_t kind)
{
	static const struct ct_kernel kernel = {
		.id = 1, .grid = {SMS * 8, 1, 1}, .block = {192, 1, 1}, .regs = 20};
	struct ct_sinst load = {.space = CT_SPACE_GLOBAL, .access = CT_ACCESS_LOAD, .width = 4};
	struct ct_sinst other = {.space = CT_SPACE_NONE};
	struct ct_replay_observer ob = ct_ts_measure_observer(m);
	struct ct_inst inst;
	struct ct_error e;
	uint64_t rng = 1;
	memset(&inst, 0, sizeof inst);
	if (ct_ts_measure_kernel(m, &kernel, &e) < 0)
		return -1;
	double begin = bench_cpu();
	for (unsigned k = 0; k < INSTS; k++) {
		struct ct_issue_event ev = {.sm = k / 4 % SMS,
		                            .cycle = k,
		                            .warp_slot = k / 64 % 48,
		                            .sinst = k % 4 ? &other : &load,
		                            .inst = &inst};
		if (k % 4 == 0)
			access_of(&inst, kind, &rng);
		ob.issue(ob.ctx, &ev);
	}
	bench_row("tag-split", CASES[kind].name, "time_per_million_insts", bench_cpu() - begin, "s");
	return 0;
}

int main(void)
{
	struct ct_gpu g;
	struct ct_error e;
	static const char *const keys[] = {"sm.count=15",   "l1.adaptive=off", "l1.ways=4",
	                                   "l1.size=16KiB", "l1.sector=128",   "l1.write=evict"};
	ct_gpu_defaults(&g);
	int st = CT_OK;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0] && st >= 0; i++)
		st = ct_gpu_set(&g, keys[i], &e);
	if (st >= 0)
		st = ct_gpu_check(&g, &e);
	for (size_t kind = 0; kind < sizeof CASES / sizeof CASES[0] && st >= 0; kind++) {
		struct ct_ts_measure_options o = {.sample = 1, .seed = 1};
		struct ct_ts_measure *m;
		ct_ts_defaults(&o.params);
		st = ct_ts_measure_new(&m, &g, &o, &e);
		if (st >= 0)
			st = run(m, kind);
		ct_ts_measure_free(m);
	}
	if (st < 0)
		fprintf(stderr, "bench_tag_split: %s\n", e.text);
	return st < 0;
}
