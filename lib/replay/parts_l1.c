/* The L1 as a part: lines enter its pipeline one a cycle and are looked up there, or sectors go through the banks of the
 * engine's L1 (l1_step.c). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/instruction.h"
#include "replay/private/parts.h"

enum { READ, WRITE, FORWARD }; /* rp_fetch_next.kind */

/* ---- in front of the lookup ---- */

/* Describes a line request to the part. The token finds it again when the part answers. */
static struct ct_l1_request request_of(const struct ct_replay *r, const struct rp_sm *sm, uint32_t lreq)
{
	struct rp_lreq *l = &sm->full.lreq[lreq];
	const struct rp_mem *m = &sm->full.mem[l->mem];
	return (struct ct_l1_request){
		.token = lreq,
		.address = l->line << r->parts->line_bits,
		.sm = sm->id,
		.warp = m->warp,
		.sid = m->sid,
		.mask = l->sectors,
		.bytes = {l->bytes[0], l->bytes[1]},
		.instruction = (uint32_t)m->order,
		.is_write = m->kind == RP_STORE,
		.memo = &l->memo,
	};
}

/* A request enters the ring of the pipeline, which grows. < 0: out of memory. */
static int push_step(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready)
{
	struct rp_full_sm *f = &sm->full;
	if (f->nsteps == f->step_cap) {
		uint32_t cap = f->step_cap ? f->step_cap * 2 : 64;
		struct rp_step *p = ct_pool_take(&r->pool, cap, sizeof *p);
		if (!p)
			return -1;
		for (uint32_t i = 0; i < f->nsteps; i++)
			p[i] = f->steps[(f->step_head + i) & (f->step_cap - 1)];
		f->steps = p;
		f->step_head = 0;
		f->step_cap = cap;
	}
	f->steps[(f->step_head + f->nsteps++) & (f->step_cap - 1)] = (struct rp_step){lreq, ready};
	f->l1_next = rp_min32(f->l1_next, ready);
	return 0;
}

static int into_pipeline(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t at)
{
	if (push_step(r, sm, lreq, at + r->g.l1_latency) < 0) {
		sm->failed = 1;
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	sm->full.in_bank[0]++;
	sm->c.l1_busy++;
	return 0;
}

static void ask_shaper(struct ct_replay *r, struct rp_sm *sm, uint64_t at)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	struct rp_event ev = {.when.at = at, .kind = RP_EV_SHAPE};
	if (ps->shape_at <= at)
		return;
	ps->shape_at = at;
	rp_event_push(r, sm->id, &ev);
}

/* The load/store unit enters one line in cycle `at`; 0 when it cannot. */
int rp_part_enter(struct ct_replay *r, struct rp_sm *sm, uint32_t at)
{
	const struct ct_shaper_part *shaper = r->parts->given.shaper;
	uint32_t i = sm->full.lsu_line, next = sm->full.lreq[i].next;
	if (shaper) {
		if (at > sm->now)
			return 0;
		struct ct_l1_request q = request_of(r, sm, i);
		r->parts->node = sm->id;
		shaper->put(shaper->part.ctx, r, &q, r->base + at);
		ask_shaper(r, sm, r->base + at);
	} else if (sm->full.in_bank[0] >= r->g.l1_latency || into_pipeline(r, sm, i, at) < 0) {
		return 0;
	}
	sm->full.lsu_line = next;
	return 1;
}

/* The request that the shaper gives, or RP_NO_INDEX. */
static uint32_t shaped_request(struct ct_replay *r, struct rp_sm *sm, uint64_t cycle)
{
	const struct ct_shaper_part *shaper = r->parts->given.shaper;
	uint64_t token = 0, again = RP_NEVER64;
	if (!shaper->next(shaper->part.ctx, r, sm->id, cycle, &token, &again)) {
		if (again != RP_NEVER64)
			ask_shaper(r, sm, again > cycle ? again : cycle + 1);
		return RP_NO_INDEX;
	}
	/* With banks all of it has still to enter: one that has, given again and again, would never end the cycle. */
	if (token < sm->full.lreq_cap && (!r->parts->banks || sm->full.lreq[token].enter))
		return (uint32_t)token;
	rp_fail(r, CT_ERR_USAGE, "a request shaper gives a request that it did not get");
	return RP_NO_INDEX;
}

/* Sectors of the shaper's requests enter their banks, up to the first whose bank another one has taken in this cycle, or is
 * full. */
static void shape_into_banks(struct ct_replay *r, struct rp_sm *sm, uint64_t cycle)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	uint32_t used = 0, ready = (uint32_t)(cycle - r->base) + r->g.l1_latency;
	while (ps->shaped != RP_NO_INDEX || (ps->shaped = shaped_request(r, sm, cycle)) != RP_NO_INDEX) {
		if (!rp_l1_enter_line(r, sm, ps->shaped, ready, &used)) {
			ask_shaper(r, sm, cycle + 1);
			break;
		}
		ps->shaped = RP_NO_INDEX;
	}
	sm->c.l1_busy += used != 0;
}

/* Asks the shaper for a request once a cycle while the pipeline has room, and again when a request is
 * put or at the cycle that the shaper has named. */
void rp_part_shape(struct ct_replay *r, struct rp_sm *sm, uint64_t cycle)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	if (ps->shape_at > cycle)
		return; /* an older appointment */
	ps->shape_at = RP_NEVER64;
	if (r->parts->banks) {
		shape_into_banks(r, sm, cycle);
		return;
	}
	if (sm->full.in_bank[0] >= r->g.l1_latency) {
		ask_shaper(r, sm, cycle + 1);
		return;
	}
	uint32_t lreq = shaped_request(r, sm, cycle);
	if (lreq != RP_NO_INDEX && into_pipeline(r, sm, lreq, (uint32_t)(cycle - r->base)) == 0)
		ask_shaper(r, sm, cycle + 1);
}

/* ---- the lookup ---- */

/* Bits of a part of a mask that has n. */
static uint32_t bits_of_part(uint32_t part, uint32_t all, uint32_t n)
{
	return !part ? 0 : part == all ? n : ct_bits(part);
}

static void count_lookup(struct rp_sm *sm, struct rp_lreq *l, const struct ct_l1_result *o, int is_write)
{
	uint32_t miss = o->sector_miss | o->line_miss, all = o->hit | o->pending | miss;
	if (!all)
		return;
	uint32_t n = ct_bits(all);
	sm->c.l1_line_accesses += !l->met[RP_HIT];
	sm->c.l1_line_misses += miss && !l->met[RP_LINE_MISS];
	l->met[RP_HIT] = 1; /* a line of which banks look up parts counts once */
	l->met[RP_LINE_MISS] |= miss != 0;
	sm->c.l1_store_line_hits += is_write && !o->line_miss ? n : 0;
	rp_count_l1(&sm->c,
	            &(struct rp_l1_met){n, bits_of_part(miss, all, n), bits_of_part(o->pending, all, n),
	                                bits_of_part(o->sector_miss, all, n)},
	            is_write);
}

/* Observers see the chunks that the part has put into a class. */
static void observe_lookup(struct ct_replay *r, const struct rp_sm *sm, const struct rp_op *op,
                           const struct ct_l1_request *q, const struct ct_l1_result *o, uint64_t cycle)
{
	uint32_t classed = o->hit | o->pending | o->sector_miss | o->line_miss;
	struct ct_l1_event ev = rp_l1_event(
		r, sm, q->warp, op, q->sid, cycle, q->address >> r->parts->line_bits, classed, q->bytes);
	ev.hit = o->hit;
	ev.pending = o->pending;
	ev.sector_miss = o->sector_miss;
	ev.line_miss = o->line_miss;
	if (classed)
		rp_tell_l1_observers(r, &ev);
}

static void forward_store(struct ct_replay *r, struct rp_sm *sm, const struct ct_l1_request *q,
                          uint64_t cycle);

/* What a lookup has found is counted and told; a store goes on, and what is there is answered. */
static void take_result(struct ct_replay *r, struct rp_sm *sm, const struct rp_op *op,
                        const struct ct_l1_request *q, const struct ct_l1_result *out, uint32_t now)
{
	uint64_t cycle = r->base + now;
	count_lookup(sm, &sm->full.lreq[q->token], out, q->is_write);
	if (r->has_l1)
		observe_lookup(r, sm, op, q, out, cycle);
	if (q->is_write && out->forward)
		forward_store(r, sm, q, cycle);
	else if (out->done)
		rp_part_deliver(r, sm, q->token, out->done,
		                out->ready > cycle ? (uint32_t)(out->ready - r->base) : now, now);
}

/* The head of the pipeline, one request a cycle. */
void rp_part_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	const struct ct_l1_part *l1 = r->l1_part;
	struct ct_l1_result out = {0};
	uint64_t cycle = r->base + now;
	sm->full.l1_next = RP_NEVER;
	if (!sm->full.nsteps)
		return;
	const struct rp_step *st = &sm->full.steps[sm->full.step_head];
	if (st->ready > now) {
		sm->full.l1_next = st->ready;
		return;
	}
	struct ct_l1_request q = request_of(r, sm, st->lreq);
	const struct rp_op *op = sm->full.mem[sm->full.lreq[st->lreq].mem].op;
	r->parts->node = sm->id;
	r->parts->now = cycle;
	if (l1->lookup(l1->part.ctx, r, &q, cycle, &out) == CT_L1_RETRY) {
		uint64_t at = out.ready > cycle ? out.ready - r->base : now + 1;
		sm->full.l1_next = at > RP_LAST_CYCLE ? RP_LAST_CYCLE : (uint32_t)at;
		return;
	}
	sm->full.step_head = (sm->full.step_head + 1) & (sm->full.step_cap - 1);
	sm->full.nsteps--;
	sm->full.in_bank[0]--;
	if (sm->full.lsu_mem != RP_NO_INDEX && sm->full.lsu_next == RP_NEVER)
		sm->full.lsu_next = now; /* the pipeline was full */
	take_result(r, sm, op, &q, &out, now);
	if (sm->full.nsteps)
		sm->full.l1_next = rp_max32(sm->full.steps[sm->full.step_head].ready, now + 1);
}

uint32_t rp_part_look_up(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t sectors,
                         uint32_t now, uint32_t *retry)
{
	const struct ct_l1_part *l1 = r->l1_part;
	struct ct_l1_result out = {0};
	uint64_t cycle = r->base + now;
	struct ct_l1_request q = request_of(r, sm, lreq);
	const struct rp_op *op = sm->full.mem[sm->full.lreq[lreq].mem].op;
	q.mask = sectors;
	r->parts->node = sm->id;
	r->parts->now = cycle;
	if (l1->lookup(l1->part.ctx, r, &q, cycle, &out) == CT_L1_RETRY)
		out.again = sectors;
	if (out.again) {
		uint64_t at = out.ready > cycle ? out.ready - r->base : now + 1;
		*retry = rp_min32(*retry, at > RP_LAST_CYCLE ? RP_NEVER : (uint32_t)at);
		out.ready = 0;
	}
	if (out.again != sectors) {
		q.mask = sectors & ~out.again;
		take_result(r, sm, op, &q, &out, now);
	}
	return sectors & ~out.again;
}

/* ---- answers ---- */

/* The chunks of a request are there at `at` (loads) or done with. */
void rp_part_deliver(struct ct_replay *r, struct rp_sm *sm, uint64_t token, uint32_t chunks, uint32_t at,
                     uint32_t now)
{
	if (token >= sm->full.lreq_cap || (chunks & ~sm->full.lreq[token].left) || !chunks) {
		rp_fail(r, CT_ERR_USAGE, "an L1 organisation answers what was not asked");
		return;
	}
	struct rp_lreq *l = &sm->full.lreq[token];
	uint32_t mem = l->mem, warp = sm->full.mem[mem].warp, n = ct_bits(chunks);
	int store = sm->full.mem[mem].kind == RP_STORE, over;
	l->left &= ~chunks;
	over = !l->left;
	if (over) {
		sm->full.lreq_spare.at[sm->full.lreq_spare.n++] = (uint32_t)token;
		rp_mem_unref(sm, mem);
	}
	if (!store) {
		rp_mem_return(r, sm, mem, n, at, now);
	} else if (over) {
		struct rp_warp *w = &sm->warp[warp];
		w->stores--;
		w->done = rp_max32(w->done, at);
		rp_warp_check_end(r, sm, warp, now);
	}
}

/* Something of the L1 organisation has come that is due in cycle `at`. */
static void l1_part_not_after(const struct ct_replay *r, struct rp_sm *sm, uint64_t at)
{
	sm->l1_part_at = rp_min32(sm->l1_part_at, rp_launch_cycle(r, at));
	sm->rare_at = rp_min32(sm->rare_at, sm->l1_part_at);
}

/* Takes a part's answer in the SM's present cycle, as a fill is taken: over the write-back port. */
void rp_part_answer(struct ct_replay *r, struct rp_sm *sm, uint64_t token, uint32_t chunks, uint64_t at)
{
	uint32_t now = sm->now, when = at < r->base + now ? now : (uint32_t)(at - r->base);
	int store = token < sm->full.lreq_cap && sm->full.mem[sm->full.lreq[token].mem].kind == RP_STORE;
	rp_part_deliver(r, sm, token, chunks, store ? when : rp_port_take(sm, now, when + 2), now);
}

/* An answer that is due later than those before it waits in a queue of its own, unless something else is in front of it among
 * the SM's events: these come after it in its cycle. 0: it has to be one of them. */
static int answer_later(struct ct_replay *r, struct rp_sm *sm, uint64_t token, uint32_t chunks,
                        uint64_t at)
{
	struct rp_ring *q = &sm->late;
	if (r->core_parts || token > UINT32_MAX || at < r->base + sm->now ||
	    rp_event_next(&r->parts->events[sm->id]) != RP_NEVER64 ||
	    (q->n && rp_ring_at(q, q->n - 1)->when > at))
		return 0;
	struct rp_packet *p = rp_ring_new(q);
	if (!p)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	p->when = at;
	p->id = (uint32_t)token;
	p->bytes = chunks;
	l1_part_not_after(r, sm, at);
	return 1;
}

/* Gives the answers of cycle `now` that have waited. */
void rp_part_late_answers(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint64_t cycle = r->base + now;
	while (!r->error.status && sm->late.n && rp_ring_first(&sm->late)->when <= cycle) {
		const struct rp_packet p = *rp_ring_first(&sm->late);
		rp_ring_pop(&sm->late);
		rp_part_answer(r, sm, p.id, p.bytes, cycle);
	}
}

void ct_l1_answer(struct ct_replay *r, uint32_t sm, uint64_t token, uint32_t chunks, uint64_t at)
{
	if (r->parts->node == sm && at <= r->base + r->sm[sm].now) {
		rp_part_answer(r, &r->sm[sm], token, chunks, at);
		return;
	}
	if (answer_later(r, &r->sm[sm], token, chunks, at))
		return;
	struct rp_event ev = {.when.at = at, .data = token, .arg = chunks, .kind = RP_EV_ANSWER};
	rp_event_push(r, sm, &ev);
}

/* ---- to the LLC and back ---- */

/* A packet into the miss queue: one a cycle leaves it. */
void rp_sm_send(struct ct_replay *r, struct rp_sm *sm, struct rp_packet *p, uint32_t now)
{
	sm->missq_last = rp_max32(sm->missq_last, now) + 1;
	p->when = r->base + sm->missq_last;
	if (rp_ring_push(&sm->missq, p) < 0) {
		sm->failed = 1;
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
	}
}

static uint32_t new_fetch(struct ct_replay *r, struct rp_sm *sm, uint64_t tag, int kind)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	uint32_t i = rp_pool_take(r, &ps->fetches, (void **)&ps->fetch, sizeof *ps->fetch,
	                          offsetof(struct rp_part_fetch, next));
	if (i != RP_NO_INDEX)
		ps->fetch[i] = (struct rp_part_fetch){.tag = tag, .kind = (uint8_t)kind};
	return i;
}

static struct rp_packet packet_to(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t id,
                                  uint32_t kind)
{
	uint32_t slice, set;
	ct_address_slice(&r->map, line, &slice, &set);
	sm->c.llc_line_accesses++;
	return (struct rp_packet){
		.address = line,
		.id = id,
		.llc_set = set,
		.group = rp_new_line_group(sm, CT_NO_SID),
		.sm = (uint16_t)sm->id,
		.slice = (uint16_t)slice,
		.kind = (uint8_t)kind};
}

/* Bytes of the wanted chunks in [from, from + n), which is a sector. Last bytes, not ends: a sector
 * may be the last one of all addresses. */
static uint32_t wanted_bytes(uint64_t address, uint32_t chunk, uint32_t chunks, uint64_t from,
                             uint32_t n)
{
	uint32_t bytes = 0;
	for (uint32_t c = chunks; c; c &= c - 1) {
		uint64_t a = address + (uint64_t)ct_low_bit(c) * chunk, last = a + (chunk - 1);
		uint64_t lo = a > from ? a : from, hi = last < from + (n - 1) ? last : from + (n - 1);
		bytes += hi >= lo ? (uint32_t)(hi - lo) + 1 : 0;
	}
	return bytes;
}

/* The LLC lines that chunks lie in, from that of the address on. */
static uint64_t lines_of(const struct ct_replay *r, uint64_t address, uint32_t chunk, uint32_t chunks)
{
	if (!chunks)
		return 0;
	uint64_t last = address + ((uint64_t)ct_high_bit(chunks) + 1) * chunk - 1;
	return (last >> r->llc_line_bits) - (address >> r->llc_line_bits) + 1;
}

/* How much of each sector of the LLC line at `line` is wanted: four bits each, in eighths of a sector. *n: sectors of which
 * anything is. */
static uint32_t wanted_eighths(const struct ct_replay *r, uint64_t address, uint32_t chunk,
                               uint32_t chunks, uint64_t line, uint32_t *n)
{
	uint32_t eighths = 0, sector = 1u << r->llc_sector_bits;
	*n = 0;
	if (chunk == sector && !(chunks & (chunks - 1))) { /* a sector */
		uint64_t at = address + (uint64_t)ct_low_bit(chunks) * chunk - line;
		if (at % sector == 0 && at >> r->llc_line_bits == 0) {
			*n = 1;
			return 8u << 4 * (at >> r->llc_sector_bits);
		}
	}
	for (uint32_t s = 0; s < r->llc_sectors; s++) {
		uint32_t b = wanted_bytes(address, chunk, chunks, line + (uint64_t)s * sector, sector);
		eighths |= (b * 8 + sector - 1) / sector << 4 * s;
		*n += b != 0;
	}
	return eighths;
}

/* One packet for each LLC line of which anything is wanted. */
void ct_l1_fetch(struct ct_replay *r, uint32_t smi, uint64_t address, uint32_t chunk, uint32_t chunks,
                 uint64_t tag, uint64_t now)
{
	struct rp_sm *sm = &r->sm[smi];
	struct rp_part_sm *ps = &r->parts->sm[smi];
	uint32_t f = new_fetch(r, sm, tag, READ);
	uint64_t size = UINT64_C(1) << r->llc_line_bits, line = address & ~(size - 1);
	for (uint64_t i = lines_of(r, address, chunk, chunks); f != RP_NO_INDEX && i > 0;
	     i--, line += size) {
		uint32_t n, eighths = wanted_eighths(r, address, chunk, chunks, line, &n);
		if (!n)
			continue;
		struct rp_packet p = packet_to(r, sm, line, f, RP_PK_FETCH);
		p.bytes = eighths;
		ps->fetch[f].left += n;
		rp_sm_send(r, sm, &p, (uint32_t)(now - r->base));
	}
	if (f != RP_NO_INDEX && !ps->fetch[f].left)
		rp_fail(r, CT_ERR_USAGE, "an L1 organisation fetches nothing");
}

/* Which of the 32 bytes at `at` a request writes whose mask begins at `address`: all where it does not name them. */
static uint32_t named_bytes(const uint64_t bytes[2], uint64_t address, uint64_t at)
{
	if (!bytes || at < address || at - address >= 128)
		return UINT32_MAX;
	return (uint32_t)(bytes[(at - address) / 64] >> (at - address) % 64);
}

/* Which bytes of the sector at `at`, of up to 128, the chunks write. */
static void written_bytes(uint64_t out[2], uint64_t at, uint32_t sector, uint64_t address,
                          uint32_t chunk, uint32_t chunks, const uint64_t bytes[2])
{
	out[0] = out[1] = 0;
	for (uint32_t i = 0; i < sector; i += 32)
		if (wanted_bytes(address, chunk, chunks, at + i, 32))
			out[i / 64] |= (uint64_t)named_bytes(bytes, address, at + i) << i % 64;
}

/* Sends the chunks that lie in one LLC line, a packet for each of its sectors with the mask of bytes
 * that are written, as far as requests name them. */
static void write_line(struct ct_replay *r, struct rp_sm *sm, uint32_t f, uint64_t line,
                       uint64_t address, uint32_t chunk, uint32_t chunks, const uint64_t bytes[2],
                       uint64_t now)
{
	struct rp_packet p = {0};
	uint32_t sector = 1u << r->llc_sector_bits;
	for (uint32_t s = 0; s < r->llc_sectors; s++) {
		uint64_t at = line + (uint64_t)s * sector;
		if (!wanted_bytes(address, chunk, chunks, at, sector))
			continue;
		if (!r->parts->sm[sm->id].fetch[f].left || p.kind != RP_PK_WRITE)
			p = packet_to(r, sm, line, f, RP_PK_WRITE);
		p.address = at;
		p.bytes = sector == 32 ? named_bytes(bytes, address, at) : UINT32_MAX;
		if (r->g.noc_piece_bytes && sector <= 128) {
			uint64_t written[2];
			written_bytes(written, at, sector, address, chunk, chunks, bytes);
			p.payload = (uint8_t)rp_piece_of(r, written, 0);
		}
		r->parts->sm[sm->id].fetch[f].left++;
		rp_sm_send(r, sm, &p, (uint32_t)(now - r->base));
	}
}

static void write_chunks(struct ct_replay *r, struct rp_sm *sm, uint64_t address, uint32_t chunk,
                         uint32_t chunks, const uint64_t bytes[2], uint32_t f, uint64_t now)
{
	uint64_t size = UINT64_C(1) << r->llc_line_bits, line = address & ~(size - 1);
	for (uint64_t i = lines_of(r, address, chunk, chunks); f != RP_NO_INDEX && i > 0;
	     i--, line += size)
		write_line(r, sm, f, line, address, chunk, chunks, bytes, now);
	if (f != RP_NO_INDEX && !r->parts->sm[sm->id].fetch[f].left)
		rp_fail(r, CT_ERR_USAGE, "an L1 organisation writes nothing");
}

void ct_l1_write(struct ct_replay *r, uint32_t sm, uint64_t address, uint32_t chunk, uint32_t chunks,
                 const uint64_t bytes[2], uint64_t tag, uint64_t now)
{
	write_chunks(r, &r->sm[sm], address, chunk, chunks, bytes, new_fetch(r, &r->sm[sm], tag, WRITE),
	             now);
}

static void forward_store(struct ct_replay *r, struct rp_sm *sm, const struct ct_l1_request *q,
                          uint64_t cycle)
{
	uint32_t f = new_fetch(r, sm, q->token, FORWARD);
	if (f != RP_NO_INDEX)
		r->parts->sm[sm->id].fetch[f].chunks = q->mask;
	write_chunks(r, sm, q->address, r->parts->chunk, q->mask,
	             r->parts->line <= 128 ? q->bytes : NULL, f, cycle);
}

/* A reply to a fetch or a write of the part: with the last one the part is told, or the store that was
 * forwarded is over. */
void rp_part_l1_reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_packet *p, uint32_t now)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	const struct ct_l1_part *l1 = r->l1_part;
	struct rp_part_fetch f = ps->fetch[p->id];
	if (--ps->fetch[p->id].left)
		return;
	ps->fetch[p->id].next = ps->fetches.free;
	ps->fetches.free = p->id;
	r->parts->node = sm->id;
	r->parts->now = r->base + now;
	if (f.kind == FORWARD)
		rp_part_deliver(r, sm, f.tag, f.chunks, now, now);
	else if (f.kind == WRITE && l1->written)
		l1->written(l1->part.ctx, r, sm->id, f.tag, r->base + now);
	else if (f.kind == READ && l1->filled)
		l1->filled(l1->part.ctx, r, sm->id, f.tag, r->base + now);
	if ((r->parts->banks && f.kind == READ) ||
	    (sm->full.nsteps && sm->full.steps[sm->full.step_head].ready <= now))
		sm->full.l1_next = now; /* what had to be retried may find room */
}

uint32_t ct_l1_queued(const struct ct_replay *r, uint32_t sm, uint64_t now)
{
	uint64_t last = r->base + r->sm[sm].missq_last;
	return last > now ? (uint32_t)(last - now) : 0;
}

void ct_l1_count(struct ct_replay *r, uint32_t sm, int is_write, uint32_t n, uint32_t misses,
                 uint32_t pending)
{
	rp_count_l1(&r->sm[sm].c, &(struct rp_l1_met){n, misses, pending, 0}, is_write);
}

/* ---- relayed messages, the timer ---- */

void rp_part_set_l1_at(const struct ct_replay *r, struct rp_sm *sm)
{
	uint64_t at = sm->l1_timer;
	if (sm->relayed.n)
		at = rp_min64(at, rp_ring_first(&sm->relayed)->when);
	if (sm->late.n)
		at = rp_min64(at, rp_ring_first(&sm->late)->when);
	sm->l1_part_at = at == RP_NEVER64 ? RP_NEVER : rp_launch_cycle(r, at);
	rp_sm_set_rare(sm);
}

static void take_relayed(struct ct_replay *r, struct rp_sm *sm, uint64_t cycle)
{
	const struct ct_part *part = &r->l1_part->part;
	struct ct_message m = rp_relayed_message(r, rp_ring_first(&sm->relayed));
	rp_ring_pop(&sm->relayed);
	if (part->message)
		part->message(part->ctx, r, &m, cycle);
}

void rp_part_l1_due(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	const struct ct_part *part = &r->l1_part->part;
	uint64_t cycle = r->base + now;
	r->parts->node = sm->id;
	r->parts->now = cycle;
	if (sm->late.n)
		rp_part_late_answers(r, sm, now);
	while (!r->error.status && sm->relayed.n && rp_ring_first(&sm->relayed)->when <= cycle)
		take_relayed(r, sm, cycle);
	while (!r->error.status && sm->l1_timer <= cycle) {
		sm->l1_timer = RP_NEVER64;
		if (part->timer)
			part->timer(part->ctx, r, sm->id, 0, cycle);
	}
	rp_part_set_l1_at(r, sm);
	if (r->error.status) /* what is left stays due for ever */
		sm->failed = 1;
}

void ct_l1_timer(struct ct_replay *r, uint32_t smi, uint64_t at)
{
	struct rp_sm *sm = &r->sm[smi];
	if (!r->l1_alone) {
		ct_part_timer(r, &r->l1_part->part, smi, at, 0);
		return;
	}
	sm->l1_timer = rp_max64(at, r->base + sm->now);
	l1_part_not_after(r, sm, sm->l1_timer);
}
