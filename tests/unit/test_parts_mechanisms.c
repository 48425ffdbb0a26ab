/* Three mechanisms of some fifty lines, plugged into the engine without touching it: an L1 whose SMs
 * share one copy over a network, an LLC slice that lives in an SM, a collector with its own
 * clock that vetoes issue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/parts.h"
#include "tests/support/parts_trial.h"

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
	parts_gpu(&g);
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
		parts_run(&g, &p, &a, 2);
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
	parts_run(&g, NULL, &b, 2);
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
	parts_gpu(&g);
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
		parts_run(&g, &p, &a, 1);
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
	parts_run(&g, NULL, &base, 1);
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
	parts_gpu(&g);
	c.part = (struct ct_collector_part){
		.part = {.ctx = &c, .tick = second, .interval = 100},
		.veto = busy,
		.take = take,
		.left = gone,
		.write = written,
		.clock = beat};
	struct ct_replay_parts p = {.collector = &c.part};
	parts_run(&g, &p, &a, 1);
	parts_run(&g, NULL, &base, 1);
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
	parts_gpu(&g);
	c.part = f.part = (struct ct_collector_part){
		.veto = busy, .take = take, .left = gone, .write = written, .clock = beat};
	c.part.part.ctx = &c;
	f.part.part.ctx = &f;
	f.part.full = is_busy;
	const struct ct_replay_parts asked = {.collector = &c.part}, told = {.collector = &f.part};
	parts_run(&g, &asked, &a, 1);
	parts_run(&g, &told, &b, 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_copy_for_all),
		cmocka_unit_test(a_slice_in_an_sm),
		cmocka_unit_test(a_collector_with_a_clock),
		cmocka_unit_test(a_full_collector_is_not_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
