#include "models/tag_split/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/coalesce.h"
#include "models/tag_split/l1_internal.h"
#include "models/tag_split/measure_internal.h"

enum { LINE = 128, AHEAD = 8 /* requests */ };

int ct_ts_measure_new(struct ct_ts_measure **out, const struct ct_gpu *g,
                      const struct ct_ts_measure_options *o, struct ct_error *e)
{
	*out = NULL;
	struct ct_ts_measure *m = ct_calloc(1, sizeof *m);
	if (!m)
		return ct_fail_nomem(e);
	m->g = *g;
	m->o = *o;
	m->n = o->systems ? o->n_systems : CT_TS_SYSTEMS;
	m->packet = (uint32_t)o->params.v[CT_TS_PACKET_BYTES];
	for (uint32_t b = 0; b <= TS_PAYLOAD_MAX; b++)
		m->flits[b] = (uint16_t)(g->noc_flits_as_one
		                                 ? 1
		                                 : (b + g->noc_header_bytes + g->noc_flit_bytes - 1) /
		                                           g->noc_flit_bytes);
	m->counting = !o->warmup;
	m->one = ct_calloc(m->n ? m->n : 1, sizeof *m->one);
	m->inst = ct_calloc(TS_BATCH, sizeof *m->inst);
	m->line = ct_calloc(TS_BATCH_LINES, sizeof *m->line);
	m->own = ct_calloc((size_t)4 * TS_BATCH_LINES, sizeof *m->own);
	int st = m->one && m->inst && m->line && m->own ? CT_OK : ct_fail_nomem(e);
	for (unsigned i = 0; i < m->n && st == CT_OK; i++) {
		struct ts_one *one = &m->one[i];
		one->system = o->systems ? o->systems[i] : *ct_ts_system_at(i);
		ct_ts_mode_init(&one->mode, (uint32_t)o->params.v[CT_TS_THRESHOLD]);
		st = ct_ts_shape_of(&one->system, g, g->l1.size, &m->o.params, &one->shape, e);
	}
	if (st != CT_OK) {
		ct_ts_measure_free(m);
		return st;
	}
	*out = m;
	return CT_OK;
}

void ct_ts_measure_free(struct ct_ts_measure *m)
{
	if (!m)
		return;
	for (unsigned i = 0; m->one && i < m->n; i++)
		ts_measure_drop(m, &m->one[i]);
	free(m->one);
	free(m->inst);
	free(m->line);
	free(m->own);
	free(m);
}

const struct ct_ts_system *ct_ts_measure_system(const struct ct_ts_measure *m, unsigned i)
{
	return &m->one[i].system;
}

/* ---- masks ---- */

/* Chunks of a 128 B line that a request touches. */
static uint32_t chunks_of(const struct ct_line_request *q, uint32_t chunk)
{
	uint32_t out = 0;
	if (chunk == 32)
		return q->sectors;
	if (chunk == LINE)
		return 1;
	for (uint32_t i = 0; i < LINE / chunk; i++) {
		uint32_t from = i * chunk;
		uint64_t part = chunk >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << chunk) - 1;
		uint64_t bytes = q->bytes[from / 64] >> from % 64 & part;
		out |= (uint32_t)(bytes != 0) << i;
	}
	return out;
}

/* The 32 B sectors that chunks of a line lie in. */
static uint32_t sectors_of(uint32_t chunks, uint32_t chunk)
{
	uint32_t out = 0;
	if (chunk == 32)
		return chunks;
	for (uint32_t i = 0; chunks >> i; i++)
		if (chunks >> i & 1) {
			uint32_t wide = chunk > 32 ? chunk / 32 : 1;
			out |= ((UINT32_C(1) << wide) - 1) << i * chunk / 32;
		}
	return out;
}

/* Pieces of `bytes` that hold sectors of a mask: LLC sectors, LLC lines. */
static uint32_t count_pieces(uint32_t sectors, uint32_t bytes)
{
	uint32_t wide = bytes / 32, n = 0;
	if (wide <= 1)
		return ts_few_bits(sectors);
	if (!(sectors >> (wide < 32 ? wide : 31)))
		return sectors != 0;
	for (; sectors; sectors = wide < 32 ? sectors >> wide : 0)
		n += (sectors & (wide < 32 ? (UINT32_C(1) << wide) - 1 : ~UINT32_C(0))) != 0;
	return n;
}

static uint64_t flits_of(const struct ct_ts_measure *m, uint32_t payload)
{
	return m->flits[payload < TS_PAYLOAD_MAX ? payload : TS_PAYLOAD_MAX];
}

/* ---- counting ---- */

struct ts_fetch ts_measure_fetch(const struct ct_ts_measure *m, const struct ct_ts_shape *s,
                                 uint32_t chunks)
{
	struct ts_fetch f = {.sectors = sectors_of(chunks, s->chunk)};
	uint32_t bytes = ts_few_bits(chunks) * s->chunk;
	f.bytes = (uint16_t)bytes;
	f.packets = (uint16_t)ct_ts_data_packets(ts_few_bits(chunks), s->chunk, m->packet);
	f.accesses = (uint16_t)count_pieces(f.sectors, m->g.llc.sector);
	f.lines = (uint16_t)count_pieces(f.sectors, m->g.llc.line);
	f.request_flits = (uint16_t)(f.lines * flits_of(m, 0));
	if (f.accesses)
		f.reply_flits = (uint16_t)(f.accesses *
		                           flits_of(m, (bytes + f.accesses - 1) / f.accesses));
	return f;
}

static struct ts_fetch fetch_of(const struct ct_ts_measure *m, const struct ts_one *one, uint32_t chunks)
{
	return one->fetch ? one->fetch[chunks] : ts_measure_fetch(m, &one->shape, chunks);
}

/* Requests of a load that are followed: n lines of the system's own with so many sectors. The port takes them by lines
 * of 128 B at most. */
static void count_requests(struct ct_ts_counts *c, uint32_t n, uint32_t sectors, uint32_t port_cycles)
{
	c->requests += n;
	c->sectors += sectors;
	c->port_cycles += port_cycles;
}

static void count_request(struct ts_one *one, const struct ts_request *q)
{
	count_requests(&one->c, 1, ts_few_bits(q->sectors), count_pieces(q->sectors, LINE));
}

/* Request packets of a miss that fetches those chunks. */
static uint32_t packets_of_miss(const struct ts_one *one, uint32_t chunks, int coarse)
{
	return one->apart && !coarse ? ts_few_bits(chunks) : chunks != 0;
}

/* A request of a load that is followed and missed: nothing leaves the L1 for one that hit. */
static void count_miss(const struct ct_ts_measure *m, struct ts_one *one, const struct ts_request *q,
                       const struct ct_ts_result *r, int coarse)
{
	struct ct_ts_counts *c = &one->c;
	uint32_t missing = r->miss & q->chunks, packets = packets_of_miss(one, r->miss, coarse);
	struct ts_fetch f = fetch_of(m, one, r->miss);
	c->port_cycles += one->shape.kind == CT_TS_DSC && r->replaced > 1 ? r->replaced - 1 : 0;
	c->evicted += r->evicted;
	c->collateral += r->collateral;
	c->request_misses++;
	c->partial += r->hit != 0;
	c->coarse_only += missing == 0;
	c->sector_misses += ts_few_bits(q->sectors & fetch_of(m, one, missing).sectors);
	c->fetched_bytes += f.bytes;
	c->data_packets += f.packets;
	c->request_packets += packets;
	c->llc_accesses += f.accesses;
	c->llc_lines += f.lines;
	c->request_flits += packets > 1 ? packets * flits_of(m, 0) : f.request_flits;
	c->reply_flits += f.reply_flits;
}

static void note_set(struct ts_one *one, uint32_t set, int miss)
{
	one->set_requests[set]++;
	one->set_misses[set] += (uint64_t)miss;
}

static int mode_of(const struct ts_one *one, uint32_t sm, uint32_t set)
{
	if (one->system.fetch != CT_TS_CHOOSE)
		return one->system.fetch == CT_TS_COARSE;
	if (sm == 0 && one->role[set] != CT_TS_FOLLOWER)
		return one->role[set] == CT_TS_ALWAYS_COARSE;
	return one->mode.coarse;
}

/* Loads one request. Returns 1 if its set is followed; *missed says whether it missed then. */
static int load_one(struct ct_ts_measure *m, struct ts_one *one, const struct ts_request *q, int *missed)
{
	const uint32_t sm = q->sm, set = q->set;
	int sampler = sm == 0 && one->role[set] != CT_TS_FOLLOWER, followed = one->followed[set];
	struct ct_ts_result r;
	*missed = 0;
	if (!followed && !sampler)
		return 0;
	int coarse = mode_of(one, sm, set);
	if (ts_load_in(one->l1[sm], set, q->line, q->chunks, coarse, &r) < 0)
		m->failed = 1;
	if (sampler && r.miss) {
		uint32_t packets = packets_of_miss(one, r.miss, coarse);
		ct_ts_mode_miss(&one->mode, coarse, 1, packets + fetch_of(m, one, r.miss).packets);
	}
	if (!followed || !m->counting)
		return followed;
	one->c.coarse_requests += coarse != 0;
	*missed = r.miss != 0;
	if (r.miss)
		count_miss(m, one, q, &r, coarse);
	if (one->follows_all)
		return 1;
	count_request(one, q);
	note_set(one, set, *missed);
	return 1;
}

/* Every store goes on to the LLC: that needs no sampling. */
static void count_store(const struct ct_ts_measure *m, struct ct_ts_counts *c, uint32_t sectors)
{
	uint32_t bytes = ts_few_bits(sectors) * 32;
	if (!m->counting)
		return;
	c->stores_seen++;
	c->write_packets += (bytes + m->packet - 1) / m->packet;
	c->store_request_flits += flits_of(m, bytes);
	c->store_reply_flits += flits_of(m, 0);
	c->store_accesses += count_pieces(sectors, m->g.llc.sector);
}

/* A store in one system's L1s. Only sets that are followed count; others only learn. */
static void store_one(struct ct_ts_measure *m, struct ts_one *one, const struct ts_request *q)
{
	struct ct_ts_counts *c = &one->c;
	struct ct_ts_result r;
	uint32_t sm = q->sm, set = q->set, n = ts_few_bits(q->sectors);
	count_store(m, c, q->sectors);
	if (!one->followed[set] && !(sm == 0 && one->role[set] != CT_TS_FOLLOWER))
		return;
	ts_store_in(one->l1[sm], set, q->line, q->chunks, &r);
	if (!m->counting || !one->followed[set])
		return;
	c->stores++;
	c->evicted += r.evicted;
	c->store_sectors += n;
	c->store_sector_misses += n - ts_few_bits(q->sectors & sectors_of(r.hit, one->shape.chunk));
}

/* ---- MRPB ---- */

enum { NO_LOAD = UINT32_MAX };

void ts_measure_mrpb_done(void *ctx, const struct ct_ts_mrpb_answer *a)
{
	struct ts_mrpb_sm *b = ctx;
	struct ct_ts_counts *c = &b->one->c;
	const struct ct_ts_mrpb_request *t = &a->request;
	struct ts_request q = {.line = t->line,
	                       .chunks = t->chunks,
	                       .sectors = sectors_of(t->chunks, b->one->shape.chunk)};
	if (t->is_store) {
		if (t->id == NO_LOAD)
			return;
		c->stores++;
		c->evicted += a->result.evicted;
		c->store_sectors += ts_few_bits(q.sectors);
		c->store_sector_misses += ts_few_bits(q.sectors & ~a->result.hit);
		return;
	}
	struct ts_waiting *w = &b->load[t->id];
	if (w->counted) {
		count_request(b->one, &q);
		if (a->result.miss)
			count_miss(b->m, b->one, &q, &a->result, 0);
		w->missed += a->result.miss != 0;
		c->bypassed += a->bypassed != 0;
	}
	if (--w->left)
		return;
	c->load_misses += w->missed != 0;
	b->free_loads[b->n_free++] = (uint32_t)t->id;
}

/* Hands all requests of an instruction to the buffer, which serves them in an order of its own. A load is
 * counted when the last of its requests has been served. */
static void push_all(struct ct_ts_measure *m, struct ts_one *one, const struct ts_inst *inst)
{
	struct ts_mrpb_sm *b = &one->mrpb[inst->sm];
	const struct ct_line_request *q = m->line + inst->from;
	unsigned n = inst->n;
	int store = !inst->load;
	struct ct_ts_mrpb_request r = {
		.warp = inst->warp, .is_store = store, .id = m->counting ? 0 : NO_LOAD};
	struct ts_waiting *w = NULL;
	if (!store) {
		r.id = b->free_loads[--b->n_free];
		w = &b->load[r.id];
		*w = (struct ts_waiting){n + 1, 0,
		                         m->counting}; /* one more: it stays while requests come */
	}
	for (unsigned i = 0; i < n; i++) {
		r.line = q[i].line;
		r.chunks = q[i].sectors;
		if (store)
			count_store(m, &one->c, r.chunks);
		ct_ts_mrpb_push(b->buffer, &r, inst->cycle);
	}
	if (store || !n)
		return;
	if (m->counting) {
		one->c.loads++;
		one->c.seen += n;
	}
	if (--w->left)
		return;
	one->c.load_misses += w->missed != 0;
	b->free_loads[b->n_free++] = (uint32_t)r.id;
}

/* ---- one instruction through one system ---- */

/* Requests of the system's own line size; returns how many. q is in descending lines. */
static unsigned split_up(const struct ts_one *one, const struct ct_line_request *q, unsigned n,
                         struct ts_request *out)
{
	unsigned k = 0;
	switch (one->shape.line) {
	case 32:
		for (unsigned i = 0; i < n; i++)
			for (uint32_t m = q[i].sectors; m; m &= m - 1)
				out[k++] = (struct ts_request){.line = q[i].line << 2 | ct_low_bit(m),
				                               .chunks = 1,
				                               .sectors = 1};
		return k;
	case 64:
		for (unsigned i = 0; i < n; i++)
			for (uint32_t h = 0; h < 2; h++) {
				uint32_t m = q[i].sectors >> 2 * h & 3;
				if (m)
					out[k++] = (struct ts_request){
						.line = q[i].line << 1 | h, .chunks = m, .sectors = m};
			}
		return k;
	case 256:
		for (unsigned i = 0; i < n; i++) {
			uint32_t m = q[i].sectors << (q[i].line & 1) * 4;
			if (k && out[k - 1].line == q[i].line >> 1) {
				out[k - 1].chunks = out[k - 1].sectors |= m;
				continue;
			}
			out[k++] = (struct ts_request){
				.line = q[i].line >> 1, .chunks = m, .sectors = m};
		}
		return k;
	default:
		for (unsigned i = 0; i < n; i++)
			out[k++] = (struct ts_request){.line = q[i].line,
			                               .chunks = chunks_of(&q[i], one->shape.chunk),
			                               .sectors = q[i].sectors};
		return k;
	}
}

/* Brings the set near of a request that comes soon. */
static void bring_near(const struct ct_ts_measure *m, const struct ts_one *one,
                       const struct ts_request *now)
{
	const struct ts_request *q = now + AHEAD;
	if (q >= m->own + m->requests)
		return;
	const struct ct_ts_l1 *l1 = one->l1[q->sm];
	l1->ops->near(l1, q->set, q->line);
}

/* Counts a load of n requests, of which so many are followed and so many missed. */
static void count_load(struct ts_one *one, const struct ts_inst *inst, unsigned n, unsigned followed,
                       unsigned missed)
{
	struct ct_ts_counts *c = &one->c;
	unsigned of = n < CT_TS_LINES_MAX ? n : CT_TS_LINES_MAX;
	if (!inst->counting || !n)
		return;
	if (one->follows_all)
		count_requests(c, n, inst->sectors, one->shape.line > LINE ? inst->n : n);
	c->seen += n;
	c->loads++;
	c->load_misses += missed != 0;
	c->insts_of[of]++;
	c->requests_of[of] += followed;
	c->misses_of[of] += missed;
}

/* Loads of one instruction; what share of its requests was followed stays by their number. */
static void load_all(struct ct_ts_measure *m, struct ts_one *one, const struct ts_inst *inst,
                     const struct ts_request *q, unsigned n)
{
	unsigned followed = 0, missed = 0;
	uint64_t wide = m->g.llc.line / one->shape.line, last = UINT64_MAX;
	for (unsigned i = 0; i < n; i++) {
		int miss;
		bring_near(m, one, &q[i]);
		followed += (unsigned)load_one(m, one, &q[i], &miss);
		missed += (unsigned)miss;
		if (!miss || wide < 2)
			continue;
		/* Neighbours in one LLC line wait for the same DRAM access. */
		one->c.llc_lines -= q[i].line / wide == last;
		last = q[i].line / wide;
	}
	count_load(one, inst, n, followed, missed);
}

static int is_load(const struct ct_sinst *s)
{
	return s->access == CT_ACCESS_LOAD || s->access == CT_ACCESS_ASYNC;
}

/* As the engine decides which accesses its L1 serves. */
static int served_by_l1(const struct ct_ts_measure *m, const struct ct_sinst *s)
{
	if (s->space != CT_SPACE_GLOBAL && s->space != CT_SPACE_LOCAL && s->space != CT_SPACE_GENERIC)
		return 0;
	if (!is_load(s) && s->access != CT_ACCESS_STORE)
		return 0;
	if (m->g.l1_skip == CT_L1_SKIP_ALL ||
	    (m->g.l1_skip == CT_L1_SKIP_GLOBAL && s->space != CT_SPACE_LOCAL))
		return 0;
	return !(s->mods & CT_MOD_BULK) && !(is_load(s) && s->mods & CT_MOD_STRONG_GPU);
}

/* ---- batches ---- */

/* Makes the system's requests of the whole batch. */
static void make_requests(struct ct_ts_measure *m, const struct ts_one *one)
{
	m->requests = 0;
	for (uint32_t k = 0; k < m->insts; k++) {
		const struct ts_inst *inst = &m->inst[k];
		const struct ct_ts_l1 *l1 = one->l1[inst->sm];
		struct ts_request *q = m->own + m->requests;
		unsigned n = split_up(one, m->line + inst->from, inst->n, q);
		for (unsigned i = 0; i < n; i++) {
			q[i].sm = inst->sm;
			q[i].set = ct_ts_l1_set(l1, q[i].line);
		}
		m->requests_of[k] = n;
		m->requests += n;
	}
}

/* A system without queues takes the batch. */
static void run_requests(struct ct_ts_measure *m, struct ts_one *one)
{
	const struct ts_request *q = m->own;
	make_requests(m, one);
	for (uint32_t k = 0; k < m->insts; q += m->requests_of[k++]) {
		const struct ts_inst *inst = &m->inst[k];
		m->counting = inst->counting;
		if (inst->load) {
			load_all(m, one, inst, q, m->requests_of[k]);
			continue;
		}
		for (unsigned i = 0; i < m->requests_of[k]; i++) {
			bring_near(m, one, &q[i]);
			store_one(m, one, &q[i]);
		}
	}
}

/* An L1 in which all hits, and of which all is followed, has nothing to look up. */
static void run_ideal(struct ct_ts_measure *m, struct ts_one *one)
{
	for (uint32_t k = 0; k < m->insts; k++) {
		const struct ts_inst *inst = &m->inst[k];
		m->counting = inst->counting;
		if (inst->load) {
			count_load(one, inst, inst->n, inst->n, 0);
			continue;
		}
		for (uint32_t i = 0; i < inst->n; i++)
			count_store(m, &one->c, m->line[inst->from + i].sectors);
		one->c.stores += m->counting ? inst->n : 0;
		one->c.store_sectors += m->counting ? inst->sectors : 0;
	}
}

static void run_mrpb(struct ct_ts_measure *m, struct ts_one *one)
{
	for (uint32_t k = 0; k < m->insts; k++) {
		m->counting = m->inst[k].counting;
		push_all(m, one, &m->inst[k]);
	}
}

void ts_measure_drain(struct ct_ts_measure *m)
{
	int counting = m->counting;
	for (unsigned i = 0; i < m->n; i++)
		if (m->one[i].mrpb)
			run_mrpb(m, &m->one[i]);
		else if (m->one[i].shape.kind == CT_TS_IDEAL && m->one[i].follows_all)
			run_ideal(m, &m->one[i]);
		else
			run_requests(m, &m->one[i]);
	m->counting = counting;
	m->insts = m->lines = 0;
}

/* Appends the lines of an instruction to the batch. Returns how many sectors they have. */
static uint32_t keep_lines(struct ct_ts_measure *m, const struct ct_line_request *q, unsigned n)
{
	uint32_t sectors = 0;
	memcpy(m->line + m->lines, q, n * sizeof *q);
	for (unsigned i = 0; i < n; i++)
		sectors += ts_few_bits(q[i].sectors);
	return sectors;
}

/* Keeps what an instruction asks the L1 for until the batch is full: the systems run through a batch one
 * after another, each with its own L1s in the host's caches. */
static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct ct_ts_measure *m = ctx;
	struct ct_line_request q[CT_MAX_LINES_PER_INST];
	uint32_t shared;
	if (!m->counting && m->issued >= m->o.warmup)
		m->counting = 1;
	m->issued++;
	if (!served_by_l1(m, ev->sinst))
		return;
	unsigned n = ct_coalesce_descending(
		m->kernel, ev->sinst, ev->inst, LINE, 32, NULL, ev->warp_key, q, &shared);
	if (!n)
		return;
	if (m->insts == TS_BATCH || m->lines + n > TS_BATCH_LINES)
		ts_measure_drain(m);
	m->inst[m->insts++] = (struct ts_inst){
		ev->cycle,          ev->sm,     ev->warp_slot, m->lines, n, keep_lines(m, q, n),
		is_load(ev->sinst), m->counting};
	m->lines += n;
}

struct ct_replay_observer ct_ts_measure_observer(struct ct_ts_measure *m)
{
	return (struct ct_replay_observer){.ctx = m, .issue = on_issue};
}

int ct_ts_measure_counts(struct ct_ts_measure *m, unsigned i, struct ct_ts_counts *c, struct ct_error *e)
{
	ts_measure_drain(m);
	if (m->failed)
		return ct_fail_nomem(e);
	ts_measure_fold(m, &m->one[i]);
	*c = m->one[i].c;
	return CT_OK;
}
