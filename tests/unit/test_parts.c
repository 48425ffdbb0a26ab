/* What the interface for parts promises: lines and chunks of every size, replies that carry what was fetched, networks,
 * two levels of warps, admission to the engine's own L1s, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/parts.h"
#include "tests/support/parts_trial.h"

/* A sector cache without limits in lines and chunks of any size: every chunk misses once in each
 * SM. */
struct sectors {
	struct ct_l1_part part;
	struct ct_shaper_part shaper;
	uint64_t first, lookups, retried, puts, seen[SMS];
	uint32_t have[SMS][1024];
	struct {
		uint64_t line, token;
		uint32_t mask;
	} wait[4096];
	uint64_t queue[SMS][256];
	uint32_t waits, in[SMS], out[SMS];
	int retry;
};

static enum ct_l1_outcome sector_lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
                                        uint64_t cycle, struct ct_l1_result *out)
{
	struct sectors *s = ctx;
	uint64_t line = q->address / s->part.line;
	uint32_t *have = &s->have[q->sm][line % 1024];
	if (s->retry && ++s->retried % 2) /* every request comes a second time */
		return CT_L1_RETRY;
	s->lookups++;
	assert_true(cycle >= s->seen[q->sm]);
	s->seen[q->sm] = cycle;
	if (q->is_write) {
		out->line_miss = q->mask;
		out->forward = 1;
		return CT_L1_TAKEN;
	}
	out->hit = out->done = q->mask & *have;
	out->line_miss = q->mask & ~*have;
	if (out->line_miss) {
		s->wait[s->waits].line = line;
		s->wait[s->waits].token = q->token;
		s->wait[s->waits].mask = out->line_miss;
		ct_l1_fetch(r, q->sm, q->address, s->part.chunk, out->line_miss, s->waits++, cycle);
	}
	return CT_L1_TAKEN;
}

static void sector_filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct sectors *s = ctx;
	s->have[sm][s->wait[tag].line % 1024] |= s->wait[tag].mask;
	ct_l1_answer(r, sm, s->wait[tag].token, s->wait[tag].mask, cycle);
}

static void put_last_first(void *ctx, struct ct_replay *r, const struct ct_l1_request *q, uint64_t cycle)
{
	struct sectors *s = ctx;
	(void)r;
	(void)cycle;
	s->puts++;
	assert_true(s->in[q->sm] < 256);
	s->queue[q->sm][s->in[q->sm]++] = q->token;
}

static int last_first(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle, uint64_t *token,
                      uint64_t *again)
{
	struct sectors *s = ctx;
	(void)r;
	(void)cycle;
	(void)again;
	if (!s->in[sm])
		return 0;
	*token = s->queue[sm][--s->in[sm]];
	return 1;
}

static void lines_and_chunks_of_every_size(void **state)
{
	static const uint32_t size[][2] = {
		{32, 32}, {64, 32}, {128, 32}, {256, 64}, {128, 8}, {128, 128}};
	static struct sectors s;
	static struct micro_result a, b;
	struct ct_gpu g;
	(void)state;
	parts_gpu(&g);
	for (size_t i = 0; i < 2 * sizeof size / sizeof *size; i++) {
		uint32_t line = size[i / 2][0], chunk = size[i / 2][1];
		uint32_t chunks = 128 / chunk, wide = line > 128 ? 1 : 128 / line;
		memset(&s, 0, sizeof s);
		s.retry = (int)(i & 1);
		s.part = (struct ct_l1_part){
			.part = {.ctx = &s},
			.line = line,
			.chunk = chunk,
			.lookup = sector_lookup,
			.filled = sector_filled};
		s.shaper = (struct ct_shaper_part){
			.part = {.ctx = &s}, .put = put_last_first, .next = last_first};
		struct ct_replay_parts p = {.l1 = &s.part, .shaper = i & 1 ? &s.shaper : NULL};
		parts_run(&g, &p, &a, 1);
		assert_int_equal(s.lookups, CTAS * WARPS * (LINES + 1) * wide);
		assert_int_equal(s.puts, i & 1 ? s.lookups : 0);
		assert_int_equal(a.c.l1_accesses, CTAS * WARPS * (LINES + 1) * chunks);
		/* warps that meet on the way ask again: no MSHR here */
		assert_true(a.c.l1_read_misses >= SMS * LINES * chunks);
		assert_true(a.c.llc_read_accesses * (chunk > 32 ? 32 : chunk) <=
		            a.c.l1_read_misses * chunk);
		assert_true(a.c.llc_read_accesses >= SMS * LINES * 4);
		assert_int_equal(a.c.dram_read_bytes, LINES * 128);
		if (i & 1)
			assert_true(a.c.cycles != b.c.cycles);
		b = a;
	}
}

/* What a shaper gives enters the banks of the engine's L1, sector by sector, and nothing is lost on the way. */
static void a_shaper_in_front_of_banks(void **state)
{
	static struct sectors s;
	static struct micro_result r[2];
	struct ct_gpu g;
	(void)state;
	parts_gpu(&g);
	assert_true(g.l1.banks > 1);
	for (int shaped = 0; shaped < 2; shaped++) {
		memset(&s, 0, sizeof s);
		s.part = (struct ct_l1_part){
			.part = {.ctx = &s},
			.line = g.l1.line,
			.chunk = g.l1.sector,
			.banks = 1,
			.lookup = sector_lookup,
			.filled = sector_filled};
		s.shaper = (struct ct_shaper_part){
			.part = {.ctx = &s}, .put = put_last_first, .next = last_first};
		struct ct_replay_parts p = {.l1 = &s.part, .shaper = shaped ? &s.shaper : NULL};
		parts_run(&g, &p, &r[shaped], 1);
		assert_int_equal(s.puts, shaped ? CTAS * WARPS * (LINES + 1) : 0);
		assert_true(s.lookups >= CTAS * WARPS * (LINES + 1));
		assert_int_equal(r[shaped].c.l1_accesses, CTAS * WARPS * (LINES + 1) * 4);
		assert_int_equal(r[shaped].c.dram_read_bytes, LINES * 128);
	}
	/* Lines come one a cycle and the banks take each at once: there is nothing to reorder. */
	assert_int_equal(r[0].c.cycles, r[1].c.cycles);
}

/* A fetch of 256 bytes brings them over the network, in sectors of any size. */
static void replies_carry_what_is_fetched(void **state)
{
	static const char *const keys[][4] = {
		{"noc.packet_flits_one=off", "llc.line=256", "llc.sector=32", NULL},
		{"noc.packet_flits_one=off", "llc.line=256", "llc.sector=128", NULL},
		{"noc.packet_flits_one=off", "llc.line=256", "llc.sector=256", NULL}};
	static struct sectors s;
	static struct micro_result r;
	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct ct_gpu g;
		parts_gpu(&g);
		parts_set(&g, keys[i]);
		memset(&s, 0, sizeof s);
		s.part = (struct ct_l1_part){
			.part = {.ctx = &s},
			.line = 256,
			.chunk = 256,
			.lookup = sector_lookup,
			.filled = sector_filled};
		struct ct_replay_parts p = {.l1 = &s.part};
		parts_run(&g, &p, &r, 1);
		uint32_t flits = (g.noc_header_bytes + g.llc.sector + g.noc_flit_bytes - 1) /
		                 g.noc_flit_bytes;
		assert_true(r.c.llc_read_accesses > 0);
		assert_true(r.c.noc_reply_busy >= r.c.llc_read_accesses * flits);
	}
}

static uint64_t go(struct ct_network *n, uint32_t from, uint32_t to, uint32_t flits, uint64_t at)
{
	uint64_t t = n->route(n->ctx, CT_NET_REPLY, from, to, flits, at);
	assert_true(t >= at + n->least);
	return t - at;
}

/* Latencies without load: hops and the tail; under load one packet behind the other; on a channel of
 * uniform all-to-all traffic the load of doc/models.md section 6. */
static void networks(void **state)
{
	struct ct_network *n;
	struct ct_network_load l;
	struct ct_error e;
	(void)state;
	assert_int_equal(ct_network_mesh(&n, 6, 6, 36, NULL, (struct ct_hop_times){6, 2}, &e), 0);
	assert_int_equal(go(n, 0, 35, 5, 1000), 11 * 6 + 4 * 2); /* ten between routers, one out */
	assert_int_equal(go(n, 0, 0, 1, 2000), 6);
	assert_int_equal(go(n, 3, 4, 5, 3000), 2 * 6 + 8);
	assert_int_equal(go(n, 3, 4, 5, 3000), 2 * 6 + 8 + 10); /* waits for the first's five flits */
	assert_int_equal(go(n, 4, 3, 5, 3000), 2 * 6 + 8);      /* the other direction is free */
	assert_int_equal(n->route(n->ctx, CT_NET_REQUEST, 3, 4, 5, 3000), 3000 + 2 * 6 + 8);
	assert_int_equal(go(n, 8, 9, 5, 4000), 2 * 6 + 8);
	assert_int_equal(go(n, 8, 7, 5, 4000), 2 * 6 + 8 + 10); /* another way, but the same port */
	ct_network_free(n);
	for (uint32_t k = 6; k <= 10; k += 2) {
		uint64_t hops = 0;
		assert_int_equal(ct_network_mesh(&n, k, k, k * k, NULL, (struct ct_hop_times){1, 1}, &e),
		                 0);
		for (uint32_t i = 0; i < k * k; i++)
			for (uint32_t j = 0; j < k * k; j++)
				if (i != j) {
					n->route(n->ctx, CT_NET_REPLY, i, j, 1, 0);
					hops += ct_mesh_hops(k, i, j);
				}
		n->load(n->ctx, CT_NET_REPLY, &l);
		assert_int_equal(l.flit_hops, hops + l.packets);
		assert_int_equal(hops * 3, 2 * k * l.packets);        /* mean 2k/3 */
		assert_int_equal(l.busiest, (uint64_t)k * k * k / 4); /* (k/4) k^2/(k^2-1) each */
		ct_network_free(n);
	}
	assert_int_equal(ct_network_butterfly(&n, 6, 2, 36, (struct ct_hop_times){3, 2}, &e), 0);
	assert_int_equal(n->least, 6);
	assert_int_equal(go(n, 7, 29, 3, 50), 2 * 3 + 2 * 2);
	assert_int_equal(go(n, 1, 29, 3, 50), 2 * 3 + 2 * 2 + 2 * 3); /* meet at the last stage */
	assert_int_equal(go(n, 2, 3, 1, 50), 6);
	ct_network_free(n);
	assert_int_equal(ct_network_ideal(&n, 4, &e), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(go(n, 1, 2, 9, 7), 4);
	ct_network_free(n);
	ct_network_free(NULL);
	assert_true(ct_network_mesh(&n, 2, 2, 5, NULL, (struct ct_hop_times){1, 1}, &e) < 0);
	assert_true(ct_network_butterfly(&n, 2, 2, 5, (struct ct_hop_times){1, 1}, &e) < 0);
	assert_null(n);
}

/* As many active warps as there are slots is loose round robin; few of them wait more. */
static void two_levels(void **state)
{
	static struct micro_result all, few, lrr;
	struct ct_two_level *t;
	struct ct_gpu g;
	struct ct_error e;
	uint64_t cycles[2], none[2];
	(void)state;
	parts_gpu(&g);
	parts_run(&g, NULL, &lrr, 1);
	for (uint32_t active = 1; active <= 64; active *= 64) {
		assert_int_equal(ct_two_level_new(&t, &g, active, &e), 0);
		struct ct_replay_parts p = {.sched = ct_two_level_part(t)};
		parts_run(&g, &p, active == 1 ? &few : &all, 1);
		ct_two_level_states(t, active == 1 ? cycles : none);
		ct_two_level_free(t);
	}
	assert_int_equal(all.c.cycles, lrr.c.cycles);
	assert_memory_equal(all.issue, lrr.issue, sizeof all.issue);
	assert_int_equal(none[1], 0);
	assert_true(cycles[1] > 0 && cycles[0] >= few.c.warp_insts);
	assert_true(few.c.cycles > lrr.c.cycles);
	assert_true(ct_two_level_new(&t, &g, 0, &e) < 0);
}

/* The network that a configuration names: partitions spread, everything arrives, and a mesh is
 * slower than the crossbar, with the windows that its hops allow. */
static void networks_of_configurations(void **state)
{
	static struct micro_result r[3];
	static const char *const kind[] = {"noc.kind=crossbar", "noc.kind=mesh", "noc.kind=butterfly"};
	struct ct_network *n;
	struct ct_network_load l;
	struct ct_error e;
	struct ct_gpu g;
	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *const keys[] = {kind[i], NULL};
		parts_gpu(&g);
		parts_set(&g, keys);
		parts_run(&g, NULL, &r[i], 1);
		assert_int_equal(r[i].c.l1_accesses, r[0].c.l1_accesses);
		assert_int_equal(r[i].c.llc_read_accesses, r[0].c.llc_read_accesses);
		assert_int_equal(r[i].c.dram_read_bytes, r[0].c.dram_read_bytes);
		assert_int_equal(ct_network_of_gpu(&n, &g, &e), 0);
		assert_int_equal(n != NULL, i != 0);
		for (uint32_t a = 0; n && a < g.sms + g.llc_slices; a++)
			for (uint32_t b = 0; b < g.sms + g.llc_slices; b++)
				n->route(n->ctx, CT_NET_REPLY, a, b, 1, 0);
		if (n) {
			n->load(n->ctx, CT_NET_REPLY, &l);
			assert_int_equal(l.packets, (g.sms + g.llc_slices) * (g.sms + g.llc_slices));
		}
		ct_network_free(n);
	}
	assert_true(r[1].c.cycles > r[0].c.cycles);
	assert_true(r[2].c.cycles != r[0].c.cycles);
}

/* ---- admission to the engine's own L1s ---- */

struct door {
	uint64_t asked, found, allocated, evicted, slots;
	int open;
};

static int ask_door(void *ctx, const struct ct_admission_visit *v)
{
	struct door *d = ctx;
	assert_true(v->slot == UINT32_MAX && v->sm < SMS);
	d->asked++;
	return d->open;
}

static void found_inside(void *ctx, const struct ct_admission_visit *v, int hit)
{
	struct door *d = ctx;
	assert_true(v->slot < d->slots && v->line >= 0x10000000 / 128);
	d->found++;
	assert_true(hit); /* whole lines */
}

static void gone_inside(void *ctx, const struct ct_admission_visit *v, int evicted)
{
	struct door *d = ctx;
	assert_true(v->slot < d->slots);
	d->allocated++;
	d->evicted += evicted != 0;
}

static void run_behind_door(const char *const *keys, int open, struct door *d, struct micro_result *r)
{
	struct ct_admission_part part = {.part.ctx = d,
	                                 .may_allocate = ask_door,
	                                 .found = found_inside,
	                                 .allocated = gone_inside};
	struct ct_replay_parts parts = {.admission = &part};
	struct ct_gpu g;
	parts_gpu(&g);
	parts_set(&g, keys);
	*d = (struct door){.open = open, .slots = ct_admission_slots(&g)};
	parts_run(&g, &parts, r, 2);
}

/* A part that lets everything in changes nothing; behind one that lets nothing in, no load finds a line, and
 * what is on its way is still shared. Each line of a load is asked for or found, once. */
static void admission(void **state)
{
	static const char *const ways[][6] = {
		{"l1.write=through_no_allocate", "l1.mshr_merge=4", NULL},
		{"l1.write=through_no_allocate", "l1.allocate=fill", "l1.mshr_entries=4", NULL},
		{"l1.write=through_allocate", "l1.miss_queue=3", NULL},
		{"l1.write=evict", "l1.adaptive=off", "l1.size=1KiB", "l1.ways=4", NULL},
	};
	static struct micro_result bare, open, closed;
	struct door d;
	struct ct_gpu g;
	uint64_t more = 0;
	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		uint64_t loads = 2 * CTAS * WARPS * LINES, stores = 2 * CTAS * WARPS;
		parts_gpu(&g);
		parts_set(&g, ways[i]);
		parts_run(&g, NULL, &bare, 2);
		run_behind_door(ways[i], 1, &d, &open);
		assert_memory_equal(&open.c, &bare.c, sizeof open.c);
		assert_memory_equal(open.issue, bare.issue, sizeof open.issue);
		assert_int_equal(d.asked + d.found, loads);
		assert_true(d.allocated > 0 &&
		            (d.found > 0 || i == 1)); /* lines of 1 are there with their fills only */
		assert_int_equal(d.evicted > 0, i == 3);
		run_behind_door(ways[i], 0, &d, &closed);
		assert_int_equal(d.asked, loads);
		assert_int_equal(d.allocated, i == 2 ? stores : 0);
		assert_int_equal(closed.c.l1_read_misses, closed.c.l1_read_accesses);
		assert_true(closed.c.llc_read_accesses < closed.c.l1_read_misses);
		more += closed.c.llc_read_accesses - open.c.llc_read_accesses;
	}
	assert_true(more > 0);
}

static int refused(const struct ct_replay_parts *p, enum ct_replay_timing timing)
{
	struct ct_replay_options o = {.parts = p, .timing = timing};
	struct ct_replay *r;
	struct ct_gpu g;
	struct ct_error e = {0};
	parts_gpu(&g);
	int st = ct_replay_new(&r, &g, &o, &e);
	assert_true(st < 0 ? r == NULL && e.text[0] : r != NULL);
	ct_replay_free(r);
	return st;
}

static void refusals(void **state)
{
	static const uint8_t every[SMS] = {1, 1, 1, 1};
	struct ct_l1_part odd = {.line = 96, .lookup = sector_lookup};
	struct ct_shaper_part alone = {.put = put_last_first, .next = last_first};
	struct ct_replay_parts nothing = {0}, all_owned = {.owned = every}, bad = {.l1 = &odd};
	struct ct_replay_parts shaper = {.shaper = &alone};
	struct ct_l1_part own = {.lookup = sector_lookup};
	struct ct_admission_part door = {.part = {.ctx = NULL}};
	struct ct_replay_parts both = {.l1 = &own, .admission = &door};
	(void)state;
	assert_int_equal(refused(&both, CT_REPLAY_FULL), CT_ERR_UNSUPPORTED);
	assert_int_equal(refused(&nothing, CT_REPLAY_FULL), 0);
	assert_int_equal(refused(&nothing, CT_REPLAY_QUICK), CT_ERR_UNSUPPORTED);
	assert_int_equal(refused(&all_owned, CT_REPLAY_FULL), CT_ERR_USAGE);
	assert_int_equal(refused(&bad, CT_REPLAY_FULL), CT_ERR_USAGE);
	assert_int_equal(refused(&shaper, CT_REPLAY_FULL), CT_ERR_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_chunks_of_every_size),
		cmocka_unit_test(a_shaper_in_front_of_banks),
		cmocka_unit_test(replies_carry_what_is_fetched),
		cmocka_unit_test(networks),
		cmocka_unit_test(two_levels),
		cmocka_unit_test(networks_of_configurations),
		cmocka_unit_test(admission),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
