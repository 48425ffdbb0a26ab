/* The slices of the LLC: in-order input queues, tags and MSHRs (doc/replay.md section 8). `usual` is that
 * of usual.h. */
#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/parts.h"
#include "replay/private/usual.h"

static CT_INLINE uint32_t *bucket_of(const struct rp_slice *s, uint64_t sector)
{
	return &s->bucket[(uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & s->bucket_mask];
}

/* Looks for the sector's entry in the chain of its bucket. */
static CT_INLINE uint32_t mshr_find(const struct rp_slice *s, uint32_t bucket, uint64_t sector)
{
	uint32_t i = bucket;
	while (i != RP_NO_INDEX && s->mshr[i].sector != sector)
		i = s->mshr[i].next;
	return i;
}

static CT_INLINE uint32_t mshr_open(struct rp_slice *s, uint32_t *bucket, uint64_t sector)
{
	uint32_t i = s->mshr_spare.at[--s->mshr_spare.n];
	s->mshr[i] = (struct rp_l2_mshr){
		.sector = sector, .next = *bucket, .head = RP_NO_INDEX, .tail = RP_NO_INDEX};
	*bucket = i;
	return i;
}

static void mshr_close(struct rp_slice *s, uint32_t i)
{
	uint32_t *b = bucket_of(s, s->mshr[i].sector);
	while (*b != i)
		b = &s->mshr[*b].next;
	*b = s->mshr[i].next;
	s->mshr_spare.at[s->mshr_spare.n++] = i;
	if (s->mshr_spare.n == s->mshr_entries)
		s->tags.strays = 0;
}

/* One more request that waits for the entry's sector, behind the others. Returns 0 or the engine's
 * error. */
static int mshr_wait(struct ct_replay *r, struct rp_slice *s, uint32_t m, const struct rp_packet *p)
{
	if (s->waiter_free == RP_NO_INDEX &&
	    rp_table_grow(r, (void **)&s->waiter, &s->waiter_cap, 64, sizeof *s->waiter,
	                  offsetof(struct rp_l2_waiter, next), &s->waiter_free) < 0)
		return r->error.status;
	uint32_t w = s->waiter_free;
	s->waiter_free = s->waiter[w].next;
	s->waiter[w] = (struct rp_l2_waiter){RP_NO_INDEX, p->id, p->group, p->sm, p->kind, p->payload};
	if (s->mshr[m].tail == RP_NO_INDEX)
		s->mshr[m].head = w;
	else
		s->waiter[s->mshr[m].tail].next = w;
	s->mshr[m].tail = w;
	s->mshr[m].count++;
	s->mshr[m].atomic |= p->kind == RP_PK_ATOMIC;
	return 0;
}

/* Replies leave one in each tick of the network; the queue's length follows from when the last leaves. */
static CT_INLINE uint64_t next_reply(const struct ct_replay *r, struct rp_slice *s, uint64_t now,
                                     int usual)
{
	uint64_t tick = rp_noc_tick(r, now + 1, usual);
	s->reply_last = !usual && (r->free & CT_REPLAY_FREE_LLC) ? tick
	                                                         : rp_max64(tick, s->reply_last + 1);
	return rp_noc_core(r, s->reply_last, usual);
}

/* A reply to the request *p. */
static CT_INLINE int reply_from(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p,
                                uint64_t now, int usual)
{
	struct rp_packet *q = rp_ring_new(&s->replies);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = next_reply(r, s, now, usual);
	q->slice = (uint16_t)s->id;
	return 0;
}

int rp_llc_reply(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now)
{
	return reply_from(r, &r->slice[slice], p, now, 0);
}

static CT_INLINE int reply_full(const struct ct_replay *r, const struct rp_slice *s, uint64_t now,
                                int usual)
{
	uint64_t tick = rp_noc_tick(r, now + 1, usual);
	return s->reply_last + 1 >= tick + RP_L2_QUEUE;
}

/* Puts a read (for that MSHR entry) or a write (RP_NO_INDEX) of so many bytes into the slice's miss
 * queue: as many column commands as its bytes need. */
int rp_llc_to_dram(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t mshr, uint32_t bytes)
{
	struct rp_slice *s = &r->slice[slice];
	struct ct_place place = ct_address_place(&r->map, address);
	uint32_t atom = r->g.dram_bus_bytes * r->g.dram_burst;
	struct rp_dram_req *q = rp_req_new(&s->missq);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = (struct rp_dram_req){
		.row = place.row,
		.bank = (uint8_t)place.bank,
		.mshr = mshr,
		.atoms = atom && bytes > atom ? (bytes + atom - 1) / atom : 1,
		.slice = (uint16_t)ct_modulo(s->id, r->map.per_channel),
		.channel = (uint16_t)ct_modulo(place.channel, r->map.per_slice),
	};
	if (mshr == RP_NO_INDEX)
		r->total.dram_write_bytes += bytes;
	else
		r->total.dram_read_bytes += bytes;
	return 0;
}

static int to_dram(struct ct_replay *r, struct rp_slice *s, uint64_t address, uint32_t mshr,
                   uint32_t sectors)
{
	return rp_llc_to_dram(r, s->id, address, mshr, sectors << r->llc_sector_bits);
}

enum { AHEAD = 3 }; /* requests between what the host's memory is asked for */

/* Takes way v, a victim, for the line; a modified one goes to DRAM. */
static int allocate_line(struct ct_replay *r, struct rp_slice *s, uint32_t set, uint32_t v,
                         uint64_t line, uint32_t now, uint32_t *index)
{
	if (v == RP_NO_LINE)
		return 0;
	const struct rp_line *old = &s->tags.line[v];
	if (old->modified &&
	    to_dram(r, s, old->tag << r->llc_line_bits, RP_NO_INDEX, ct_bits(old->modified)) < 0)
		return -1;
	rp_tags_allocate(&s->tags, set, v, line, now);
	*index = s->near = v;
	return 1;
}

/* A miss of a load: an entry and a place in the tags. */
static enum rp_met read_miss(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p,
                             enum rp_met what, uint32_t now, int usual)
{
	uint64_t sector = p->address >> rp_llc_sector(r, usual);
	uint32_t k = (uint32_t)sector & (usual ? RP_USUAL_SECTORS - 1 : r->llc_sectors - 1), i = s->near;
	uint32_t *bucket = bucket_of(s, sector), m = RP_NO_INDEX, v = RP_NO_LINE;
	if (what == RP_PENDING || rp_tags_may_come(&s->tags, i, 1u << k))
		m = mshr_find(s, *bucket, sector);
	s->merge_full = m != RP_NO_INDEX && s->mshr[m].count >= r->g.llc.mshr_merge;
	if (s->merge_full || (m == RP_NO_INDEX && !s->mshr_spare.n))
		return RP_FAIL;
	if (what == RP_LINE_MISS)
		v = rp_tags_victim(&s->tags, p->llc_set);
	if (m == RP_NO_INDEX) {
		/* the read goes ahead of the victim's write-back */
		if (what == RP_LINE_MISS && v == RP_NO_LINE)
			return RP_FAIL;
		m = mshr_open(s, bucket, sector);
		if (to_dram(r, s, p->address, m, 1) < 0)
			return RP_FAIL;
	}
	if (what == RP_LINE_MISS) {
		if (allocate_line(r, s, p->llc_set, v, p->address >> rp_llc_line(r, usual), now, &i) <=
		    0)
			return RP_FAIL;
	} else {
		rp_tags_touch_later(&s->tags, i, now);
	}
	if (what != RP_PENDING)
		rp_tags_reserve(&s->tags, i, k);
	s->mshr[m].line = i;
	return mshr_wait(r, s, m, p) < 0 ? RP_FAIL : what;
}

/* A board's DRAM hands out 64 bytes: the other sector of an aligned pair comes with a sector that misses, if there
 * is an entry for it. */
static int fetch_beside(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p)
{
	uint64_t sector = p->address >> r->llc_sector_bits ^ 1;
	uint32_t k = (uint32_t)sector & (r->llc_sectors - 1), bit = 1u << k, i = s->near;
	uint32_t *bucket = bucket_of(s, sector);
	if (((s->tags.line[i].valid | s->tags.line[i].reserved) & bit) || !s->mshr_spare.n ||
	    mshr_find(s, *bucket, sector) != RP_NO_INDEX)
		return 0;
	uint32_t m = mshr_open(s, bucket, sector);
	s->mshr[m].line = i;
	s->mshr[m].beside = 1;
	s->mshr[m].sm = p->sm;
	s->mshr[m].group = p->group;
	rp_tags_reserve(&s->tags, i, k);
	return to_dram(r, s, sector << r->llc_sector_bits, m, 1);
}

/* A request finds its sector on its way because its own other sectors brought it along: a board looks up
 * all of them at once and counts each as a miss. */
static int came_with_own(struct rp_slice *s, const struct rp_packet *p, uint64_t sector)
{
	uint32_t m = mshr_find(s, *bucket_of(s, sector), sector);
	if (m == RP_NO_INDEX || !s->mshr[m].beside)
		return 0;
	s->mshr[m].beside = 0;
	return s->mshr[m].sm == p->sm && s->mshr[m].group == p->group;
}

/* A load or an atomic at the tags. FAIL: it has to be tried again, nothing has changed. */
static CT_INLINE enum rp_met
read_sector(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p, uint32_t now, int usual)
{
	uint32_t k = (uint32_t)(p->address >> rp_llc_sector(r, usual)) &
	             (usual ? RP_USUAL_SECTORS - 1 : r->llc_sectors - 1);
	enum rp_met what = rp_tags_probe(
		&s->tags, p->address >> rp_llc_line(r, usual), 1u << k, 0, &s->near);
	if (what == RP_HIT) {
		rp_tags_touch_later(&s->tags, s->near, now);
		if (p->kind == RP_PK_ATOMIC)
			rp_tags_modify(&s->tags, s->near, k);
		return RP_HIT;
	}
	if (s->missq.n + 1 >= r->g.llc.miss_queue)
		return RP_FAIL;
	int board = r->g.machine == CT_MACHINE_SILICON && r->llc_sectors > 1;
	int own = board && what == RP_PENDING && came_with_own(s, p, p->address >> r->llc_sector_bits);
	what = read_miss(r, s, p, what, now, usual);
	if (board && what > RP_PENDING && what != RP_FAIL && fetch_beside(r, s, p) < 0)
		return RP_FAIL;
	return own && what == RP_PENDING ? RP_SECTOR_MISS : what;
}

/* A board's LLC keeps modified lines in about half of its ways: the one unused for longest is written back and
 * stays, clean. */
static int limit_modified(struct ct_replay *r, struct rp_slice *s, uint32_t set)
{
	uint32_t i = rp_tags_oldest_modified(&s->tags, set, r->g.llc.ways / 2);
	if (i == RP_NO_LINE)
		return 0;
	const struct rp_line *l = &s->tags.line[i];
	if (to_dram(r, s, l->tag << r->llc_line_bits, RP_NO_INDEX, ct_bits(l->modified)) < 0)
		return -1;
	rp_tags_clean(&s->tags, i);
	return 0;
}

/* A store that misses where its line is read for it (llc.write = back_fetch, GPGPU-Sim's write allocation): its bytes go on to
 * DRAM, and the line, which stays as DRAM has it, answers it. FAIL as read_sector(). */
static enum rp_met write_through_miss(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p,
                                      enum rp_met what, uint32_t now)
{
	if (s->missq.n + 2 >= r->g.llc.miss_queue)
		return RP_FAIL;
	what = read_miss(r, s, p, what, now, 0);
	if (what == RP_FAIL)
		return what;
	return rp_llc_to_dram(r, s->id, p->address, RP_NO_INDEX, rp_packet_bytes(p, r->g.llc.sector)) < 0
	               ? RP_FAIL
	               : what;
}

/* A store at the tags: it allocates where it misses, and its bytes are there at once, unless the line is read
 * (write_through_miss()). FAIL as read_sector(). */
static enum rp_met write_sector(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p,
                                uint32_t now)
{
	uint64_t line = p->address >> r->llc_line_bits, sector = p->address >> r->llc_sector_bits;
	uint32_t k = (uint32_t)(sector & (r->llc_sectors - 1));
	enum rp_met what = rp_tags_probe(&s->tags, line, 1u << k, 1, &s->near);
	uint32_t i = s->near;
	if (what != RP_HIT && rp_llc_fetches(r))
		return write_through_miss(r, s, p, what, now);
	if (what != RP_HIT && s->missq.n >= r->g.llc.miss_queue)
		return RP_FAIL;
	if (what == RP_LINE_MISS) {
		if (allocate_line(r, s, p->llc_set, rp_tags_victim(&s->tags, p->llc_set), line, now,
		                  &i) <= 0)
			return RP_FAIL;
	} else {
		rp_tags_touch_later(&s->tags, i, now);
	}
	int first = !s->tags.line[i].modified;
	rp_tags_store(&s->tags, i, k, r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	if (p->bytes != 0xffffffffu)
		s->busy = now + r->g.llc_merge_cycles;
	if (first && r->g.machine == CT_MACHINE_SILICON && limit_modified(r, s, p->llc_set) < 0)
		return RP_FAIL;
	return what;
}

void rp_llc_count(struct ct_replay *r, const struct rp_packet *p, int pending, int miss)
{
	struct ct_replay_counts *c = &r->total;
	int read = !rp_is_store(p);
	c->llc_accesses++;
	c->llc_misses += (uint64_t)miss;
	c->llc_pending += (uint64_t)pending;
	c->llc_busy++;
	if (read) {
		c->llc_read_accesses++;
		c->llc_read_misses += (uint64_t)miss;
	}
}

static CT_INLINE int note_left_input(struct ct_replay *r, struct rp_slice *s, uint64_t entered,
                                     uint64_t now)
{
	if (s->npast == s->past_cap) {
		size_t cap = s->past_cap;
		if (ct_grow((void **)&s->past, &cap, s->npast + 1, sizeof *s->past) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		s->past_cap = (uint32_t)cap;
	}
	s->past[s->npast++] = (struct rp_past){entered, now};
	return 0;
}

/* An LLC organisation sees the head first: CT_LLC_TAKEN and it is gone. */
static enum ct_llc_outcome offer_head_to_part(struct ct_replay *r, struct rp_slice *s, uint64_t now)
{
	struct rp_packet p = *rp_ring_first(&s->input);
	enum ct_llc_outcome what = (enum ct_llc_outcome)rp_part_llc_access(r, s, &p, now);
	if (what != CT_LLC_TAKEN)
		return what;
	rp_ring_pop(&s->input);
	return note_left_input(r, s, p.when, now) < 0 ? CT_LLC_RETRY : what;
}

/* Asks the host's memory for the request's line or, where it seems to be absent, for what tells the victim of its set. */
static CT_INLINE void bring_line(const struct rp_slice *s, const struct rp_packet *p, uint32_t line_bits)
{
	if (rp_tags_guess(&s->tags, p->address >> line_bits) == RP_NO_LINE)
		CT_BRING(&s->tags.stamp[p->llc_set * s->tags.ways]);
}

/* The tags serve the head of the input queue; 0 when it has to be tried again after something has
 * changed. Nothing is put into that queue meanwhile: the head stays where it is when it has left. */
static CT_INLINE int access_head(struct ct_replay *r, struct rp_slice *s, uint64_t now, int usual)
{
	if (!rp_usual_alone(usual) && r->llc_part && offer_head_to_part(r, s, now) != CT_LLC_PASS)
		return 1;
	const struct rp_packet *p = rp_ring_first(&s->input);
	int store = rp_is_store(p);
	rp_ring_bring(&s->input, 3 * AHEAD);
	if (s->input.n > 2 * AHEAD)
		rp_tags_prefetch(&s->tags,
		                 rp_ring_at(&s->input, 2 * AHEAD)->address >> rp_llc_line(r, usual));
	if (s->input.n > AHEAD)
		bring_line(s, rp_ring_at(&s->input, AHEAD), rp_llc_line(r, usual));
	enum rp_met what = !usual && (r->ideal & CT_REPLAY_IDEAL_LLC) ? RP_HIT
	                   : store ? write_sector(r, s, p, (uint32_t)now)
	                           : read_sector(r, s, p, (uint32_t)now, usual);
	if (what == RP_FAIL)
		return 0;
	rp_ring_pop(&s->input);
	if (!rp_usual_alone(usual) && r->llc_part)
		r->parts->slice[s->id].passed = 0;
	if (note_left_input(r, s, p->when, now) < 0)
		return 0;
	rp_llc_count(r, p, what == RP_PENDING, what > RP_PENDING);
	/* of several sectors of one line that miss the first makes the line miss */
	if (what > RP_PENDING)
		r->total.llc_line_misses += p->alone || rp_first_miss_of_group(&r->sm[p->sm], p->group);
	if (r->has_llc)
		rp_llc_log(r, s->id, p, now, (int)what);
	if (what == RP_HIT || (store && !rp_llc_fetches(r)))
		reply_from(r, s, p, now, usual);
	return 1;
}

/* DRAM has answered an entry: the sector is filled if its line still waits for it, and everybody who
 * waits can be answered. */
static CT_INLINE void fill_from_dram(struct rp_slice *s, const struct ct_replay *r, uint32_t m,
                                     int usual)
{
	struct rp_l2_mshr *e = &s->mshr[m];
	uint32_t bits = rp_llc_line(r, usual) - rp_llc_sector(r, usual);
	uint32_t k = (uint32_t)e->sector & ((1u << bits) - 1);
	uint32_t i = rp_tags_find_near(&s->tags, e->sector >> bits, e->line);
	if (i != RP_NO_LINE && ((s->tags.line[i].reserved | s->tags.line[i].fill_modified) >> k & 1))
		rp_tags_fill(&s->tags, i, k, e->atomic);
	if (e->head != RP_NO_INDEX) {
		*(s->ready == RP_NO_INDEX ? &s->ready : &s->waiter[s->ready_last].next) = e->head;
		s->ready_last = e->tail;
	}
	mshr_close(s, m);
}

/* DRAM that costs nothing: what has been read is there, what is written is gone. */
static int answer_misses(struct ct_replay *r, struct rp_slice *s)
{
	while (s->missq.n) {
		const struct rp_dram_req *q = rp_req_first(&s->missq);
		if (q->mshr != RP_NO_INDEX && rp_req_push(&s->fills, q) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		rp_req_pop(&s->missq);
	}
	return 0;
}

/* A request that has been filled is answered in cycle `at`, one in each. */
static CT_INLINE int answer_ready(struct ct_replay *r, struct rp_slice *s, uint64_t at, int usual)
{
	if (s->answered > at || reply_full(r, s, at, usual))
		return 0;
	struct rp_packet *q = rp_ring_new(&s->replies);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	struct rp_l2_waiter *w = &s->waiter[s->ready];
	*q = (struct rp_packet){
		.when = next_reply(r, s, at, usual),
		.id = w->id,
		.group = w->group,
		.sm = w->sm,
		.slice = (uint16_t)s->id,
		.kind = w->kind,
		.payload = w->payload};
	uint32_t next = w->next;
	w->next = s->waiter_free;
	s->waiter_free = s->ready;
	s->ready = next;
	s->answered = usual || (!(r->free & CT_REPLAY_FREE_LLC) && r->llc_clock.same) ? at + 1 : 0;
	return 0;
}

/* Counts for how long the entry of the head's sector has taken no more requests, once the head has gone on. */
static CT_INLINE void
count_merge_stall(struct ct_replay *r, struct rp_slice *s, uint64_t now, int progress)
{
	if (!progress && s->merge_full && !s->merge_full_since)
		s->merge_full_since = now + 1;
	if (!progress || !s->merge_full_since)
		return;
	r->total.llc_merge_stall += now + 1 - s->merge_full_since;
	s->merge_full_since = 0;
}

/* Passes messages on that have arrived by cycle `now`. */
static CT_INLINE int pass_relayed(struct ct_replay *r, struct rp_slice *s, uint64_t now, int usual)
{
	while (s->relayed.n && rp_ring_first(&s->relayed)->when <= now) {
		struct rp_packet *p = rp_ring_first(&s->relayed);
		p->sm = (uint16_t)p->group;
		if (reply_from(r, s, p, now, usual) < 0)
			return -1;
		rp_ring_pop(&s->relayed);
	}
	return 0;
}

/* What is to happen of parts by cycle `now`. */
static CT_INLINE int run_parts(struct ct_replay *r, struct rp_slice *s, uint64_t now, int usual)
{
	const struct rp_events *events = &r->parts->events[r->g.sms + s->id];
	if (pass_relayed(r, s, now, usual) < 0)
		return -1;
	if (rp_event_next(events) <= now)
		rp_events_run(r, r->g.sms + s->id, now);
	s->part_at = rp_event_next(events);
	if (s->relayed.n)
		s->part_at = rp_min64(s->part_at, rp_ring_first(&s->relayed)->when);
	return r->error.status ? -1 : 0;
}

/* One cycle: an answered fill leaves, a fill arrives, the miss queue moves, the tags
 * serve a request. */
static CT_INLINE int slice_cycle(struct ct_replay *r, struct rp_partition *p, struct rp_slice *s,
                                 uint64_t now, int usual)
{
	int changed = 0, progress = 0;
	if (!rp_usual_alone(usual) && s->part_at <= now && run_parts(r, s, now, usual) < 0)
		return -1;
	if (s->ready != RP_NO_INDEX && answer_ready(r, s, now, usual) < 0)
		return -1;
	if (s->fills.n) {
		uint32_t m = rp_req_first(&s->fills)->mshr;
		p->changed |= s->fills.n == RP_L2_QUEUE;
		rp_req_pop(&s->fills);
		if (!rp_usual_alone(usual) && (m & RP_PART_READ))
			rp_part_llc_filled(r, s, m, now);
		else
			fill_from_dram(s, r, m, usual);
		changed = 1;
	}
	if (!usual && s->missq.n && (r->free & CT_REPLAY_FREE_DRAM)) {
		if (answer_misses(r, s) < 0)
			return -1;
		changed = 1;
	} else if (s->missq.n && s->to_dram.n < RP_L2_QUEUE) {
		if (rp_req_push(&s->to_dram, rp_req_first(&s->missq)) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		rp_req_pop(&s->missq);
		p->to_dram++;
		p->changed |= s->to_dram.n == 1;
		changed = 1;
	}
	if (s->stalled && changed)
		s->stalled = 0;
	if (s->input.n && !s->stalled && rp_ring_first(&s->input)->when < now && s->busy <= now &&
	    s->to_dram.n < RP_L2_QUEUE && !reply_full(r, s, now, usual)) {
		s->merge_full = 0;
		progress = access_head(r, s, now, usual);
		s->stalled = !progress;
		count_merge_stall(r, s, now, progress);
	}
	/* what the next cycle would begin with, if nothing can come between */
	if (s->ready != RP_NO_INDEX &&
	    (rp_usual_alone(usual) ||
	     (!r->parts && !(r->free & CT_REPLAY_FREE_LLC) && r->llc_clock.same)) &&
	    answer_ready(r, s, now + 1, usual) < 0)
		return -1;
	s->next = RP_NEVER64;
	if (s->ready != RP_NO_INDEX || s->fills.n || (s->missq.n && s->to_dram.n < RP_L2_QUEUE))
		s->next = now + 1;
	else if (s->input.n && !s->stalled && s->to_dram.n < RP_L2_QUEUE)
		s->next = rp_max64(rp_max64(now, rp_ring_first(&s->input)->when) + 1, s->busy);
	if (!rp_usual_alone(usual) && s->part_at < s->next)
		s->next = rp_max64(now + 1, s->part_at);
	return r->error.status;
}

/* Whether a slice without ports and queues has more to do in this cycle. */
static CT_INLINE int has_more_now(const struct ct_replay *r, const struct rp_slice *s, uint64_t now)
{
	if (!(r->free & CT_REPLAY_FREE_LLC))
		return 0;
	return s->ready != RP_NO_INDEX || s->fills.n ||
	       (s->input.n && !s->stalled && s->to_dram.n < RP_L2_QUEUE &&
	        rp_ring_first(&s->input)->when < now);
}

/* The ticks of the LLC's clock in a core cycle in which the slice has something to do; without any it waits for the
 * next. */
static CT_INLINE int slice_ticks(struct ct_replay *r, struct rp_partition *p, struct rp_slice *s,
                                 uint64_t now, int usual)
{
	if (usual)
		return slice_cycle(r, p, s, now, usual);
	uint64_t tick = rp_tick_of(&r->llc_clock, now), end = rp_tick_of(&r->llc_clock, now + 1);
	if (tick == end)
		s->next = rp_core_of(&r->llc_clock, tick);
	for (; tick < end; tick++)
		do
			if (slice_cycle(r, p, s, now, 0) < 0)
				return -1;
		while (has_more_now(r, s, now));
	return 0;
}

/* A cycle of the partition: channels, then slices, then channels that a slice has given something. */
static CT_INLINE int partition_cycle(struct ct_replay *r, struct rp_partition *p, uint64_t now,
                                     int usual)
{
	struct rp_channel *channel = p->channel, *end = channel + p->nchannels;
	struct rp_slice *s = &r->slice[p->first_slice], *last = s + p->nslices;
	uint64_t next = RP_NEVER64;
	for (struct rp_channel *c = channel; c < end; c++)
		if (c->next_core <= now && rp_dram_step(r, p, c, now) < 0)
			return -1;
	for (; s < last; s++) {
		if (s->next <= now && slice_ticks(r, p, s, now, usual) < 0)
			return -1;
		next = s->next < next ? s->next : next;
	}
	for (struct rp_channel *c = channel; p->changed && c < end; c++)
		rp_dram_wake(r, c, now + 1);
	p->changed = 0;
	for (struct rp_channel *c = channel; c < end; c++)
		next = c->next_core < next ? c->next_core : next;
	p->next = next;
	return 0;
}

static CT_INLINE int run_partitions(struct ct_replay *r, uint64_t to, int usual)
{
	for (uint32_t i = 0; i < r->partitions; i++) {
		struct rp_partition *p = &r->part[i];
		while (p->next < to)
			if (partition_cycle(r, p, p->next, usual) < 0)
				return -1;
	}
	return 0;
}

int rp_llc_run(struct ct_replay *r, uint64_t to)
{
	for (uint32_t i = 0; i < r->map.slices; i++) {
		struct rp_slice *s = &r->slice[i];
		s->npast = s->past_in = s->past_out = s->input_in = 0;
		s->room_from = 0;
	}
	if ((!r->usual_llc ? run_partitions(r, to, 0)
	     : r->parts    ? run_partitions(r, to, 1 | RP_WITH_PARTS)
	                   : run_partitions(r, to, 1)) < 0)
		return -1;
	if (r->parts)
		r->parts->slices_until = to;
	return 0;
}
