/* Three mechanisms of some fifty lines, plugged into the engine without touching it: an L1 whose SMs
 * share one copy over a network, an LLC slice that lives in an SM, a collector with its own
 * clock that vetoes issue. Then what the interface promises: networks, two levels, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"
#include "base/bits.h"
#include "replay/parts.h"

enum { SMS = 4, CTAS = 8, WARPS = 4, LINES = 24 };

static void set(struct ct_gpu *g, const char *const *keys)
{
	struct ct_error e;
	for (; *keys; keys++)
		if (ct_gpu_set(g, *keys, &e) < 0)
			fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

static void gpu(struct ct_gpu *g)
{
	static const char *const keys[] = {"sm.count=4", NULL};
	micro_gpu(g, MICRO_RTX3070);
	set(g, keys);
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

static void run(const struct ct_gpu *g, const struct ct_replay_parts *p, struct micro_result *r,
                int launches)
{
	struct micro m;
	struct ct_replay_options o = {.parts = p};
	table_trace(&m, launches);
	micro_run(&m, g, &o, r);
	assert_int_equal(r->c.warp_insts, (uint64_t)launches * CTAS * WARPS * (LINES * 3 + 2));
}

/* ---- an L1 whose lines live in one home SM each ---- */

enum { ASK, GIVE };
struct home_line {
	uint64_t address;
	uint32_t state;
	uint64_t token[64];
	uint32_t sm[64], n;
};
struct shared {
	struct ct_l1_part part;
	struct home_line line[SMS][256]; /* of each home: state 0 absent, 1 on its way, 2 here */
	uint64_t remote, fetched;
	int flushes;
};

static void give(struct shared *s, struct ct_replay *r, uint32_t home, uint32_t sm, uint64_t token,
                 uint64_t cycle)
{
	struct ct_message m = {.from = home, .to = sm, .bytes = 32, .kind = GIVE, .a = token};
	if (home == sm)
		ct_l1_answer(r, sm, token, 0xf, cycle);
	else
		ct_part_send(r, &s->part.part, CT_NET_OWN, &m, cycle);
}

static uint32_t at_home(struct shared *s, struct ct_replay *r, uint32_t home, uint64_t address,
                        uint32_t sm, uint64_t token, uint64_t cycle)
{
	struct home_line *l = &s->line[home][address / 128 % 256];
	uint32_t state = l->state;
	if (state == 2) {
		give(s, r, home, sm, token, cycle);
		return state;
	}
	assert_true(l->n < 64);
	l->sm[l->n] = sm;
	l->token[l->n++] = token;
	if (state == 0) {
		l->state = 1;
		l->address = address;
		s->fetched++;
		ct_l1_fetch(r, home, address, 32, 0xf, address, cycle);
	}
	return state;
}

static enum ct_l1_outcome shared_lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
                                        uint64_t cycle, struct ct_l1_result *out)
{
	struct shared *s = ctx;
	uint32_t home = (uint32_t)(q->address / 128 % SMS);
	struct ct_message m = {
		.from = q->sm, .to = home, .bytes = 8, .kind = ASK, .a = q->token, .b = q->address};
	assert_int_equal(q->mask, 0xf);
	if (q->is_write) {
		out->line_miss = q->mask;
		out->forward = 1;
	} else if (home != q->sm) {
		s->remote++;
		ct_part_send(r, &s->part.part, CT_NET_OWN, &m, cycle);
	} else {
		uint32_t state = at_home(s, r, home, q->address, q->sm, q->token, cycle);
		*(state == 2 ? &out->hit : state == 1 ? &out->pending : &out->line_miss) = q->mask;
	}
	return CT_L1_TAKEN;
}

static void shared_message(void *ctx, struct ct_replay *r, const struct ct_message *m, uint64_t cycle)
{
	struct shared *s = ctx;
	if (m->kind == ASK) {
		uint32_t state = at_home(s, r, m->to, m->b, m->from, m->a, cycle);
		ct_l1_count(r, m->to, 0, 4, state == 0 ? 4 : 0, state == 1 ? 4 : 0);
	} else {
		ct_l1_answer(r, m->to, m->a, 0xf, cycle);
	}
}

static void shared_filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct shared *s = ctx;
	struct home_line *l = &s->line[sm][tag / 128 % 256];
	assert_int_equal(l->address, tag);
	l->state = 2;
	for (uint32_t i = 0; i < l->n; i++)
		give(s, r, sm, l->sm[i], l->token[i], cycle);
	l->n = 0;
}

static void shared_flush(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle)
{
	struct shared *s = ctx;
	(void)r;
	(void)cycle;
	s->flushes++;
	memset(s->line[sm], 0, sizeof s->line[sm]);
}

static void one_copy_for_all(void **state)
{
	static struct shared s;
	static struct micro_result a, b;
	struct ct_gpu g;
	struct ct_network *net;
	struct ct_error e;
	uint64_t slow = 0;
	(void)state;
	gpu(&g);
	for (uint32_t hop = 1; hop <= 64; hop *= 64) { /* windows of a cycle and of many */
		struct ct_hop_times t = {hop, 2};
		struct ct_network_load load;
		memset(&s, 0, sizeof s);
		s.part = (struct ct_l1_part){.part = {.ctx = &s, .message = shared_message},
		                             .lookup = shared_lookup,
		                             .filled = shared_filled,
		                             .flush = shared_flush};
		assert_int_equal(ct_network_butterfly(&net, 2, 2, SMS, t, &e), 0);
		struct ct_replay_parts p = {.l1 = &s.part, .own = net};
		run(&g, &p, &a, 2);
		assert_int_equal(s.flushes, 2 * SMS);
		assert_int_equal(s.fetched, 2 * LINES);
		assert_int_equal(a.c.l1_read_accesses, 2 * CTAS * WARPS * LINES * 4);
		assert_int_equal(a.c.l1_read_misses, 2 * LINES * 4);
		assert_int_equal(a.c.l1_accesses - a.c.l1_read_accesses, 2 * CTAS * WARPS * 4);
		assert_int_equal(a.c.llc_read_accesses, 2 * LINES * 4);
		assert_int_equal(a.c.llc_accesses - a.c.llc_read_accesses, 2 * CTAS * WARPS * 4);
		net->load(net->ctx, CT_NET_OWN, &load);
		assert_int_equal(load.packets, 2 * s.remote);
		assert_true(load.latency >= load.packets * 2 * hop);
		assert_true(a.c.cycles > slow); /* a slower network takes longer */
		slow = a.c.cycles;
		ct_network_free(net);
	}
	/* private L1s fetch every line into each SM */
	run(&g, NULL, &b, 2);
	assert_int_equal(b.c.llc_read_accesses, 2 * SMS * LINES * 4);
}

/* ---- an LLC slice that lives in an SM ---- */

enum { QUERY, RESULT, SERVICE = 150 };
struct far_llc {
	struct ct_llc_part part;
	struct ct_server warp[SMS];
	uint8_t here[4096]; /* blocks of 128 B in the cache-mode SM */
	struct {
		uint64_t slice, token, block;
	} held[65536];
	uint32_t n;
	uint64_t hits, misses, writes;
};

static int extended(uint64_t block)
{
	return block % 2 == 0;
}

static enum ct_llc_outcome far_access(void *ctx, struct ct_replay *r, const struct ct_llc_request *q,
                                      uint64_t cycle)
{
	struct far_llc *f = ctx;
	uint64_t block = q->address / 128;
	if (!extended(block))
		return CT_LLC_PASS;
	struct ct_message m = {.from = ct_part_slice(ct_part_gpu(r), q->slice),
	                       .to = SMS - 1,
	                       .bytes = q->is_write ? 32 : 0,
	                       .kind = QUERY,
	                       .a = f->n};
	f->held[f->n].slice = q->slice;
	f->held[f->n].token = q->token;
	f->held[f->n++].block = block;
	f->writes += q->is_write;
	ct_part_send(r, &f->part.part, CT_NET_REPLY, &m, cycle);
	return CT_LLC_TAKEN;
}

static void far_message(void *ctx, struct ct_replay *r, const struct ct_message *m, uint64_t cycle)
{
	struct far_llc *f = ctx;
	uint32_t slice = (uint32_t)f->held[m->a].slice;
	if (m->kind == QUERY) { /* at the SM: its warp serves one at a time */
		uint64_t at = ct_server_take(&f->warp[m->to], cycle, SERVICE);
		ct_part_timer(r, &f->part.part, m->to, at, m->a);
	} else if (m->b) {
		ct_llc_answer(r, slice, f->held[m->a].token, CT_LLC_HIT, cycle);
	} else {
		ct_llc_read(r, slice, f->held[m->a].block * 128, 128, m->a, cycle);
	}
}

static void far_timer(void *ctx, struct ct_replay *r, uint32_t node, uint64_t data, uint64_t cycle)
{
	struct far_llc *f = ctx;
	uint8_t *here = &f->here[f->held[data].block % sizeof f->here];
	struct ct_message m = {.from = node,
	                       .bytes = *here ? 32 : 0,
	                       .kind = RESULT,
	                       .a = data,
	                       .b = *here,
	                       .to = ct_part_slice(ct_part_gpu(r), (uint32_t)f->held[data].slice)};
	*(*here ? &f->hits : &f->misses) += 1;
	*here = 1;
	ct_part_send(r, &f->part.part, CT_NET_REQUEST, &m, cycle);
}

static void far_read(void *ctx, struct ct_replay *r, uint32_t slice, uint64_t tag, uint64_t cycle)
{
	struct far_llc *f = ctx;
	ct_llc_answer(r, slice, f->held[tag].token, CT_LLC_MISS, cycle);
}

static void a_slice_in_an_sm(void **state)
{
	static struct far_llc f;
	static struct micro_result a, base;
	static const uint8_t owned[SMS] = {0, 0, 0, 1};
	struct ct_gpu g;
	struct ct_network *net = NULL;
	struct ct_error e;
	(void)state;
	gpu(&g);
	for (int mesh = 0; mesh < 2; mesh++) {
		memset(&f, 0, sizeof f);
		f.part = (struct ct_llc_part){
			.part = {.ctx = &f, .message = far_message, .timer = far_timer},
			.access = far_access,
			.read = far_read};
		if (mesh) {
			uint32_t nodes = SMS + g.llc_slices;
			assert_int_equal(ct_network_mesh(&net, 6, nodes / 6 + 1, nodes, NULL,
			                                 (struct ct_hop_times){3, 1}, &e),
			                 0);
		}
		struct ct_replay_parts p = {.llc = &f.part, .owned = owned, .network = net};
		run(&g, &p, &a, 1);
		for (uint32_t i = 0; i < a.issues; i++)
			assert_int_not_equal(a.sm[i], SMS - 1);
		assert_int_equal(f.hits + f.misses, f.n);
		assert_int_equal(f.warp[SMS - 1].served, f.n);
		assert_int_equal(f.warp[SMS - 1].busy, (uint64_t)f.n * SERVICE);
		assert_int_equal(f.misses, LINES / 2 + CTAS * WARPS / 2);
		assert_int_equal(f.writes, CTAS * WARPS * 4 / 2);
		assert_int_equal(a.c.llc_read_accesses, (SMS - 1) * LINES * 4);
		assert_int_equal(a.c.dram_read_bytes, LINES / 2 * 128 + f.misses * 128);
		assert_true(a.c.cycles - a.c.launch_cycles >= (uint64_t)f.n * SERVICE);
		ct_network_free(net);
	}
	run(&g, NULL, &base, 1);
	assert_true(a.c.cycles > base.c.cycles);
}

/* ---- a collector with its own clock that vetoes issue ---- */

struct slow {
	uint64_t token;
	uint32_t left, busy, reads, regs[8];
};
struct collector {
	struct ct_collector_part part;
	struct slow unit[SMS][4];
	uint64_t taken, leaves, vetoes, reads, writes, ticks, at;
	uint64_t now[SMS]; /* of the last call for one */
};

static struct slow *unit_of(struct collector *c, uint32_t sm, uint32_t sched)
{
	return &c->unit[sm][sched];
}

/* One instruction of a sub-core at a time. */
static enum ct_issue_verdict busy(void *ctx, struct ct_replay *r, const struct ct_issue *q,
                                  uint64_t cycle)
{
	struct collector *c = ctx;
	(void)r;
	(void)cycle;
	c->vetoes += unit_of(c, q->sm, q->sched)->busy;
	return unit_of(c, q->sm, q->sched)->busy ? CT_ISSUE_NONE : CT_ISSUE_GO;
}

static void take(void *ctx, struct ct_replay *r, const struct ct_issue *q, uint64_t cycle)
{
	struct collector *c = ctx;
	struct slow *s = unit_of(c, q->sm, q->sched);
	assert_false(s->busy);
	assert_true(cycle >= c->now[q->sm]); /* none is told of having left before it has */
	c->now[q->sm] = cycle;
	*s = (struct slow){.token = q->token, .left = q->operands->nread, .busy = 1};
	c->taken++;
	c->reads += q->operands->nread;
	ct_collector_clock(r, q->sm, q->sched, cycle + 1);
}

/* An operand a cycle, then the instruction may go. */
static uint64_t beat(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t cycle)
{
	struct collector *c = ctx;
	struct slow *s = unit_of(c, sm, sched);
	if (s->left) {
		s->left--;
		return cycle + 1;
	}
	ct_collector_done(r, sm, sched, s->token, cycle);
	return CT_NO_CYCLE;
}

static void gone(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t token,
                 uint64_t at)
{
	struct collector *c = ctx;
	struct slow *s = unit_of(c, sm, sched);
	assert_int_equal(s->token, token);
	(void)r;
	assert_true(at >= c->now[sm]);
	c->now[sm] = at;
	s->busy = 0;
	c->leaves++;
}

static void written(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint32_t warp,
                    uint32_t reg, uint64_t cycle)
{
	struct collector *c = ctx;
	assert_int_equal(warp % ct_part_gpu(r)->schedulers, sched);
	assert_true(sm < SMS && reg < 255);
	c->writes++;
	c->at = cycle;
}

static void second(void *ctx, struct ct_replay *r, const struct ct_part_counts *k)
{
	struct collector *c = ctx;
	(void)r;
	c->ticks++;
	assert_true(k->cycle >= c->ticks * 100 && k->warp_insts >= c->leaves);
}

static void a_collector_with_a_clock(void **state)
{
	static struct collector c;
	static struct micro_result a, base;
	struct ct_gpu g;
	(void)state;
	gpu(&g);
	c.part = (struct ct_collector_part){
		.part = {.ctx = &c, .tick = second, .interval = 100},
		.veto = busy,
		.take = take,
		.left = gone,
		.write = written,
		.clock = beat};
	struct ct_replay_parts p = {.collector = &c.part};
	run(&g, &p, &a, 1);
	run(&g, NULL, &base, 1);
	uint64_t loads = CTAS * WARPS * LINES, stores = CTAS * WARPS;
	assert_int_equal(c.taken, a.c.warp_insts);
	assert_int_equal(c.leaves, a.c.warp_insts);
	/* LDG: a pair of address registers; FFMA 3; DADD two pairs; STG a pair and data */
	assert_int_equal(c.reads, loads * (2 + 3 + 4) + stores * 3);
	assert_in_range(c.writes, loads * 3, loads * 4); /* R7 is no pair */
	assert_true(c.vetoes > 0 && c.ticks > 2 && c.at > 0);
	assert_true(a.c.cycles > base.c.cycles);
	assert_int_equal(a.c.l1_read_accesses, base.c.l1_read_accesses);
	for (uint32_t i = 1; i < a.issues && i < 200; i++)
		if (a.sm[i] == a.sm[i - 1] && a.warp[i] == a.warp[i - 1])
			assert_true(a.issue[i] >= a.issue[i - 1] + 3);
}

static int is_busy(void *ctx, uint32_t sm, uint32_t sched)
{
	struct collector *c = ctx;
	return (int)unit_of(c, sm, sched)->busy;
}

/* A collector that says when it is full is asked less often, and nothing else changes. */
static void a_full_collector_is_not_asked(void **state)
{
	static struct collector c, f;
	static struct micro_result a, b;
	struct ct_gpu g;
	(void)state;
	gpu(&g);
	c.part = f.part = (struct ct_collector_part){
		.veto = busy, .take = take, .left = gone, .write = written, .clock = beat};
	c.part.part.ctx = &c;
	f.part.part.ctx = &f;
	f.part.full = is_busy;
	const struct ct_replay_parts asked = {.collector = &c.part}, told = {.collector = &f.part};
	run(&g, &asked, &a, 1);
	run(&g, &told, &b, 1);
	assert_memory_equal(&a.c, &b.c, sizeof a.c);
	assert_int_equal(a.issues, b.issues);
	for (uint32_t i = 0; i < a.issues; i++) {
		assert_int_equal(a.sm[i], b.sm[i]);
		assert_int_equal(a.warp[i], b.warp[i]);
		assert_int_equal(a.issue[i], b.issue[i]);
	}
	assert_int_equal(c.at, f.at);
	assert_int_equal(c.writes, f.writes);
	assert_true(f.vetoes > 0 && 2 * f.vetoes < c.vetoes);
}

/* ---- what else the interface promises ---- */

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
	gpu(&g);
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
		run(&g, &p, &a, 1);
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
		gpu(&g);
		set(&g, keys[i]);
		memset(&s, 0, sizeof s);
		s.part = (struct ct_l1_part){
			.part = {.ctx = &s},
			.line = 256,
			.chunk = 256,
			.lookup = sector_lookup,
			.filled = sector_filled};
		struct ct_replay_parts p = {.l1 = &s.part};
		run(&g, &p, &r, 1);
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
	gpu(&g);
	run(&g, NULL, &lrr, 1);
	for (uint32_t active = 1; active <= 64; active *= 64) {
		assert_int_equal(ct_two_level_new(&t, &g, active, &e), 0);
		struct ct_replay_parts p = {.sched = ct_two_level_part(t)};
		run(&g, &p, active == 1 ? &few : &all, 1);
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
		gpu(&g);
		set(&g, keys);
		run(&g, NULL, &r[i], 1);
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
	gpu(&g);
	set(&g, keys);
	*d = (struct door){.open = open, .slots = ct_admission_slots(&g)};
	run(&g, &parts, r, 2);
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
		gpu(&g);
		set(&g, ways[i]);
		run(&g, NULL, &bare, 2);
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
	gpu(&g);
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
		cmocka_unit_test(one_copy_for_all),
		cmocka_unit_test(a_slice_in_an_sm),
		cmocka_unit_test(a_collector_with_a_clock),
		cmocka_unit_test(a_full_collector_is_not_asked),
		cmocka_unit_test(lines_and_chunks_of_every_size),
		cmocka_unit_test(replies_carry_what_is_fetched),
		cmocka_unit_test(networks),
		cmocka_unit_test(two_levels),
		cmocka_unit_test(networks_of_configurations),
		cmocka_unit_test(admission),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
