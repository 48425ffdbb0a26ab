/* The LLC from outside of its slices (slice.c): set-up, what comes from the network, copies. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"

int rp_req_grow(struct rp_req_ring *q)
{
	uint32_t cap = q->cap ? q->cap * 2 : 16;
	struct rp_dram_req *v = ct_calloc(cap, sizeof *v);
	if (!v)
		return -1;
	for (uint32_t i = 0; i < q->n; i++)
		v[i] = *rp_req_at(q, i);
	free(q->p);
	q->p = v;
	q->cap = cap;
	q->head = 0;
	return 0;
}

uint32_t rp_mshr_entries(const struct ct_cache_params *c, uint32_t lines)
{
	uint64_t sectors = (uint64_t)lines * (c->line / c->sector);
	return c->allocate == CT_ALLOCATE_ON_MISS && c->mshr_entries > sectors
	               ? (uint32_t)sectors + 1
	               : c->mshr_entries;
}

/* An empty slice: its tags and MSHR, whose hash has twice as many buckets as it has entries. */
static int slice_init(struct ct_replay *r, struct rp_slice *s, uint32_t id, struct ct_error *e)
{
	const struct ct_cache_params *c = &r->g.llc;
	uint32_t buckets = 16;
	s->id = id;
	s->waiter_free = s->ready = s->near = RP_NO_INDEX;
	uint32_t lines = c->sets * c->ways;
	if (rp_tags_init(&s->tags, lines, r->llc_sectors, c->replacement == CT_REPL_FIFO,
	                 c->dirty_percent, &r->pool, e) < 0)
		return -1;
	rp_tags_shape(&s->tags, c->sets, c->ways);
	uint32_t entries = rp_mshr_entries(c, lines);
	while (buckets < entries * 2)
		buckets *= 2;
	s->bucket_mask = buckets - 1;
	s->mshr_entries = entries;
	s->mshr = ct_pool_take(&r->pool, entries, sizeof *s->mshr);
	s->bucket = ct_pool_take(&r->pool, buckets, sizeof *s->bucket);
	s->mshr_spare.at = ct_pool_take(&r->pool, entries, sizeof *s->mshr_spare.at);
	if (!s->mshr || !s->bucket || !s->mshr_spare.at)
		return ct_fail_nomem(e);
	for (uint32_t i = entries; i-- > 0;)
		s->mshr_spare.at[s->mshr_spare.n++] = i;
	for (uint32_t i = 0; i < buckets; i++)
		s->bucket[i] = RP_NO_INDEX;
	s->next = s->part_at = RP_NEVER64;
	return 0;
}

int rp_llc_init(struct ct_replay *r, struct ct_error *e)
{
	uint32_t ns = r->map.per_channel, nc = r->map.per_slice;
	r->partitions = r->map.slices / ns;
	r->slice = ct_pool_take(&r->pool, r->map.slices, sizeof *r->slice);
	r->part = ct_pool_take(&r->pool, r->partitions, sizeof *r->part);
	if (!r->slice || !r->part)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (slice_init(r, &r->slice[i], i, e) < 0)
			return e ? e->status : CT_ERR_NOMEM;
	for (uint32_t i = 0; i < r->partitions; i++) {
		struct rp_partition *p = &r->part[i];
		p->first_slice = i * ns;
		p->nslices = ns;
		p->first_channel = i * nc;
		p->nchannels = nc;
		p->next = RP_NEVER64;
		p->channel = ct_pool_take(&r->pool, nc, sizeof *p->channel);
		if (!p->channel)
			return ct_fail_nomem(e);
		for (uint32_t c = 0; c < nc; c++)
			if (rp_dram_init(r, &p->channel[c], e) < 0)
				return e ? e->status : CT_ERR_NOMEM;
	}
	return 0;
}

/* Frees the queues; what is of the engine's pool goes with it. */
void rp_llc_free(struct ct_replay *r)
{
	for (uint32_t i = 0; r->slice && i < r->map.slices; i++) {
		struct rp_slice *s = &r->slice[i];
		rp_ring_free(&s->input);
		rp_ring_free(&s->replies);
		rp_ring_free(&s->relayed);
		free(s->past);
		free(s->missq.p);
		free(s->to_dram.p);
		free(s->fills.p);
	}
	for (uint32_t i = 0; r->part && i < r->partitions; i++)
		for (uint32_t c = 0; r->part[i].channel && c < r->part[i].nchannels; c++)
			rp_dram_free(&r->part[i].channel[c]);
}

struct rp_ring *rp_llc_replies(struct ct_replay *r, uint32_t slice)
{
	return &r->slice[slice].replies;
}

void rp_llc_wake(struct ct_replay *r, uint32_t slice, uint64_t at)
{
	struct rp_slice *s = &r->slice[slice];
	struct rp_partition *part = &r->part[slice / r->map.per_channel];
	s->part_at = rp_min64(s->part_at, at);
	s->next = s->next < at ? s->next : at;
	part->next = part->next < s->next ? part->next : s->next;
}

int rp_llc_relay(struct ct_replay *r, const struct rp_packet *p, uint64_t at)
{
	struct rp_packet *q = rp_ring_new(&r->slice[p->slice].relayed);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = rp_max64(
		at, r->parts->slices_until); /* a slice that has gone on takes it in its present cycle */
	rp_llc_wake(r, p->slice, q->when);
	return 0;
}

/* A packet that asks for several sectors of a line becomes one for each. */
static int accept_fetch(struct ct_replay *r, const struct rp_packet *p, uint64_t when)
{
	for (uint32_t s = 0; s < r->llc_sectors; s++) {
		uint32_t n = p->bytes >> 4 * s & 15;
		struct rp_packet q = *p;
		if (!n)
			continue;
		q.address += (uint64_t)s << r->llc_sector_bits;
		q.payload = (uint8_t)n;
		q.bytes = 0;
		if (rp_llc_accept(r, &q, when) < 0)
			return -1;
	}
	return 0;
}

int rp_llc_accept(struct ct_replay *r, const struct rp_packet *p, uint64_t when)
{
	return p->kind == RP_PK_FETCH && p->bytes ? accept_fetch(r, p, when) : rp_llc_put(r, p, when);
}

/* Requests that had entered the queue by `cycle` and had not left it. The slices are a
 * window ahead of the network, so some have left since. A window's network asks in the order
 * of its cycles. */
static uint32_t queued_at(struct rp_slice *s, uint64_t cycle)
{
	while (s->past_in < s->npast && s->past[s->past_in].entered <= cycle)
		s->past_in++;
	while (s->past_out < s->npast && s->past[s->past_out].left <= cycle)
		s->past_out++;
	while (s->input_in < s->input.n && rp_ring_at(&s->input, s->input_in)->when <= cycle)
		s->input_in++;
	return s->past_in + s->input_in - s->past_out;
}

int rp_llc_has_room(const struct ct_replay *r, struct rp_slice *s, uint64_t cycle)
{
	uint32_t queued = queued_at(s, cycle) + 4;
	/* one a cycle enters at most, without parts and with a network that takes time */
	if (queued <= r->g.llc_queue && !r->parts && !r->free)
		s->room_until = cycle + r->g.llc_queue - queued;
	if (queued <= r->g.llc_queue)
		return 1;
	/* as many have to leave as there are too many; all that do in this window are known */
	uint32_t last = s->past_out + queued - r->g.llc_queue - 1;
	s->room_from = last < s->npast ? s->past[last].left : RP_NEVER64;
	return 0;
}

/* A network that is a part has its packets already (parts_net.c). */
int rp_step_memory(struct ct_replay *r, uint64_t end)
{
	int part = r->parts && r->parts->given.network;
	if (!part && rp_net_requests(r, r->horizon + 1, end + 1) < 0)
		return r->error.status;
	if (rp_llc_run(r, end + r->window) < 0)
		return r->error.status;
	if (!part && rp_net_replies(r, end, end + r->window) < 0)
		return r->error.status;
	return 0;
}

void rp_llc_flush(struct ct_replay *r)
{
	for (uint32_t i = 0; i < r->map.slices; i++)
		rp_tags_flush(&r->slice[i].tags);
}

uint64_t rp_llc_next(const struct ct_replay *r)
{
	uint64_t t = RP_NEVER64;
	for (uint32_t i = 0; i < r->partitions; i++)
		if (r->part[i].next < t)
			t = r->part[i].next;
	return t;
}

/* A copy puts a sector of the line there, clean, at cycle `now`: it is reserved and filled in one step. Nothing happens when
 * every way of the set waits for a fill. */
static void put_sector(struct rp_tags *t, uint32_t set, uint64_t line, uint32_t sector, uint32_t now)
{
	uint32_t i = rp_tags_find(t, line);
	if (i == RP_NO_LINE) {
		i = rp_tags_victim(t, set);
		if (i == RP_NO_LINE)
			return;
		rp_tags_allocate(t, set, i, line, now);
	} else {
		rp_tags_touch(t, i, now);
	}
	if (!(t->line[i].valid >> sector & 1)) {
		rp_tags_reserve(t, i, sector);
		rp_tags_fill(t, i, sector, 0);
	}
}

/* A copy puts its sectors into the tags, clean, without traffic; the address is cut to
 * 32 bits as Accel-Sim does (doc/replay.md section 1). */
void rp_llc_fill(struct ct_replay *r, uint64_t address, uint64_t bytes)
{
	uint64_t step = UINT64_C(1) << r->llc_sector_bits;
	uint64_t limit = 8 * ct_gpu_llc_bytes(&r->g); /* beyond, only the end stays */
	if (bytes > limit) {
		address += bytes - limit;
		bytes = limit;
	}
	for (uint64_t off = 0; off < bytes; off += step) {
		uint64_t at = (address + off) & 0xffffffffu;
		struct ct_place place = ct_address_place(&r->map, at);
		struct rp_slice *s = &r->slice[place.slice];
		uint32_t k = (uint32_t)(at >> r->llc_sector_bits & (r->llc_sectors - 1));
		s->tags.strays |= s->mshr_spare.n < s->mshr_entries;
		put_sector(&s->tags, place.llc_set, at >> r->llc_line_bits, k, (uint32_t)r->horizon);
	}
}
