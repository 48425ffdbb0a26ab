/* The SM: time, banks, dispatch, results, CTAs. A sub-core is stepped only in cycles in
 * which something can happen; the cycles between count as its last step left them. */
#include "models/malekeh/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/malekeh/core_internal.h"

enum { GAP_NONE, GAP_IDLE, GAP_STALL, GAP_PENDING };

void mk_wake(struct mk_core *k, uint64_t at)
{
	if (at < k->next)
		k->next = at;
}

/* ---- banks ---- */

/* bank = (register + warp) mod banks (reading bank-mapping). */
static uint32_t bank_of(const struct mk_sm *sm, uint32_t warp, unsigned reg)
{
	return ct_modulo(reg + warp, sm->banks);
}

void mk_bank_write(struct mk_sm *sm, struct mk_core *k, uint32_t warp, unsigned reg, uint64_t now)
{
	struct mk_bank *b = &k->bank[bank_of(sm, warp, reg)];
	const uint64_t first = now * sm->accesses;
	b->writes_until = (b->writes_until > first ? b->writes_until : first) + 1;
	sm->c.bank_writes++;
}

void mk_bank_read(struct mk_sm *sm, struct mk_core *k, uint32_t warp, unsigned reg, unsigned who)
{
	struct mk_bank *b = &k->bank[bank_of(sm, warp, reg)];
	if (b->n == b->cap) {
		uint32_t cap = b->cap ? 2 * b->cap : 64;
		uint8_t *more = ct_calloc(cap, 1);
		if (!more) {
			sm->failed = CT_ERR_NOMEM;
			return;
		}
		for (uint32_t i = 0; i < b->n; i++)
			more[i] = b->ask[(b->head + i) & (b->cap - 1)];
		free(b->ask);
		b->ask = more;
		b->cap = cap;
		b->head = 0;
	}
	b->ask[(b->head + b->n++) & (b->cap - 1)] = (uint8_t)who;
	k->reads++;
	sm->c.bank_reads++;
}

/* A prefetched register has come. */
static void count_fetched(struct mk_core *k, uint32_t warp)
{
	if (!--k->warp[warp].fetching)
		mk_check(k, warp);
}

/* An access of each bank, number `at` of all: it hands out its oldest read, unless it is writing or the collector's port
 * has been used in this access (reading baseline-collectors). */
static void access_banks(struct mk_sm *sm, struct mk_core *k, uint64_t now, uint64_t at)
{
	uint64_t fetch_port = 0;
	uint32_t first = ct_modulo(now, sm->banks);
	for (uint32_t i = 0, b = first; i < sm->banks; i++, b = b + 1 == sm->banks ? 0 : b + 1) {
		struct mk_bank *bank = &k->bank[b];
		if (!bank->n)
			continue;
		const unsigned who = bank->ask[bank->head & (bank->cap - 1)];
		const int fetch = who >= MK_FETCH;
		const unsigned port = fetch ? 0 : sm->port_of[who];
		int taken = fetch ? (int)(fetch_port >> (who - MK_FETCH) & 1)
		                  : !sm->m->free_ports && k->port[port] == at + 1;
		if (bank->writes_until > at || taken) {
			sm->c.conflicts++;
			continue;
		}
		sm->c.conflicts += bank->n > 1;
		bank->head++;
		bank->n--;
		k->reads--;
		if (fetch) {
			fetch_port |= mk_bit(who - MK_FETCH);
			count_fetched(k, who - MK_FETCH);
		} else {
			k->port[port] = at + 1;
			if (!--k->coll[who].left)
				k->full |= mk_bit(who);
		}
	}
}

/* The accesses of a cycle. A read that the last of them leaves waits. */
void mk_step_banks(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	uint64_t before = sm->c.conflicts;
	for (uint32_t i = 0; i < sm->accesses && k->reads; i++) {
		before = sm->c.conflicts;
		access_banks(sm, k, now, now * sm->accesses + i);
	}
	sm->c.conflict_cycles += sm->c.conflicts != before;
}

/* ---- the calendar of results ---- */

int32_t mk_flight_new(struct mk_sm *sm, struct mk_core *k)
{
	if (k->free_flight == MK_NONE) {
		size_t old = k->cap_flights;
		if (ct_grow((void **)&k->flight, &k->cap_flights, old + 64, sizeof *k->flight) < 0) {
			sm->failed = CT_ERR_NOMEM;
			return MK_NONE;
		}
		for (size_t i = k->cap_flights; i-- > old;) {
			k->flight[i].next = k->free_flight;
			k->free_flight = (int32_t)i;
		}
	}
	int32_t f = k->free_flight;
	k->free_flight = k->flight[f].next;
	return f;
}

void mk_schedule(struct mk_sm *sm, struct mk_core *k, int32_t flight, uint64_t at)
{
	uint32_t day = (uint32_t)(at % MK_WHEEL);
	struct mk_flight *f = &k->flight[flight];
	(void)sm;
	f->time = at;
	f->next = MK_NONE;
	if (k->days[day / 64] >> (day % 64) & 1)
		k->flight[k->last_of_day[day]].next = flight;
	else
		k->day[day] = flight;
	k->last_of_day[day] = flight;
	k->days[day / 64] |= mk_bit(day % 64);
	mk_wake(k, at);
}

/* The next cycle after `now` with an entry in the calendar (it may be of a later round). */
static uint64_t next_day(const struct mk_core *k, uint64_t now)
{
	uint32_t start = (uint32_t)((now + 1) % MK_WHEEL);
	for (uint32_t i = 0; i <= MK_WHEEL / 64; i++) {
		uint32_t word = (start / 64 + i) % (MK_WHEEL / 64);
		uint64_t bits = k->days[word];
		if (i == 0)
			bits &= UINT64_MAX << (start % 64);
		else if (i == MK_WHEEL / 64)
			bits &= ~(UINT64_MAX << (start % 64));
		if (bits) {
			uint32_t day = word * 64 + ct_low_bit(bits);
			return now + 1 + (day + MK_WHEEL - start) % MK_WHEEL;
		}
	}
	return MK_NEVER;
}

/* Write-back: the scoreboard lets go, the organisation gets the registers. */
static void write_back(struct mk_sm *sm, struct mk_core *k, int32_t flight, uint64_t now)
{
	struct mk_flight *f = &k->flight[flight];
	struct mk_warp *w = &k->warp[f->warp];
	const uint16_t *mark = sm->s->waits + f->op->wait;
	uint32_t warp = f->warp;
	for (unsigned i = 0; i < f->op->nmark; i++) {
		uint64_t bit = ~mk_bit(mark[i] % 64);
		w->pending[mark[i] / 64] &= bit;
		w->slow[mark[i] / 64] &= bit;
	}
	if (f->op->ndst) {
		sm->c.results += f->op->ndst;
		mk_results(sm, k, f, now);
	}
	if (f->op->kind == CT_MK_ASYNC) {
		w->wait.group_open[f->group]--;
		ct_warp_complete_groups(&w->wait);
	} else if (f->op->kind == CT_MK_ATOMIC) {
		w->wait.atomics--;
	}
	f->next = k->free_flight;
	k->free_flight = flight;
	w->flights--;
	if (!w->flights)
		w->wait.fence = 0;
	if (!w->op)
		mk_warp_end(sm, k, warp, now);
	else
		mk_check(k, warp);
}

/* Writes back the results that are due in this cycle. Those of a later turn of the wheel are put
 * back. */
static void results_of_day(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	uint32_t day = (uint32_t)(now % MK_WHEEL);
	if (!(k->days[day / 64] >> (day % 64) & 1))
		return;
	int32_t f = k->day[day];
	k->days[day / 64] &= ~mk_bit(day % 64);
	while (f != MK_NONE) {
		int32_t next = k->flight[f].next;
		if (k->flight[f].time == now)
			write_back(sm, k, f, now);
		else
			mk_schedule(sm, k, f, k->flight[f].time);
		f = next;
	}
}

/* ---- dispatch ---- */

static void free_collector(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint64_t now)
{
	k->held &= ~mk_bit(c);
	k->full &= ~mk_bit(c);
	sm->c.collected++;
	sm->c.collect_cycles += now - k->coll[c].since;
	if (sm->sys->kind == CT_MK_CCU)
		mk_ccu_leave(k, c);
}

/* The oldest full collector whose unit takes it; `wait` gets the next cycle to look. */
static int dispatch_one(struct mk_sm *sm, struct mk_core *k, uint64_t now, uint64_t *wait)
{
	uint32_t best = MK_SLOTS;
	for (uint64_t m = k->full; m; m &= m - 1) {
		uint32_t c = ct_low_bit(m);
		uint32_t unit = k->coll[c].unit;
		if (unit == CT_MK_U_MEM) {
			if (k->lsu != MK_NONE) { /* the load/store unit wakes the sub-core */
				k->blocked |= mk_bit(c);
				continue;
			}
		} else if (k->port_free[unit] > now) {
			if (k->port_free[unit] < *wait)
				*wait = k->port_free[unit];
			k->blocked |= mk_bit(c);
			continue;
		}
		if (best == MK_SLOTS || k->coll[c].order < k->coll[best].order)
			best = c;
	}
	if (best == MK_SLOTS)
		return 0;
	int32_t f = k->coll[best].flight;
	const struct ct_mk_op *op = k->flight[f].op;
	if (op->unit == CT_MK_U_MEM) {
		k->lsu = f;
		k->lsu_order = k->coll[best].order;
		if (now + 1 < sm->lsu_next)
			sm->lsu_next = now + 1;
	} else {
		uint32_t gap = (op->initiation + sm->width - 1) / sm->width;
		uint64_t start = k->unit_free[op->unit] > now + 1 ? k->unit_free[op->unit] : now + 1;
		k->port_free[op->unit] = start;
		k->unit_free[op->unit] = start + (gap ? gap : 1);
		mk_schedule(sm, k, f, start + op->latency + MK_PIPE - 1);
	}
	free_collector(sm, k, best, now);
	return 1;
}

/* The load/store unit takes the oldest instruction that stands before it. */
static void step_lsu(struct mk_sm *sm, uint64_t now)
{
	struct mk_core *best = NULL;
	uint32_t standing = 0;
	if (sm->lsu_free > now) {
		sm->lsu_next = sm->lsu_free;
		return;
	}
	for (uint32_t i = 0; i < sm->cores; i++)
		if (sm->core[i].lsu != MK_NONE) {
			standing++;
			if (!best || sm->core[i].lsu_order < best->lsu_order)
				best = &sm->core[i];
		}
	sm->lsu_next = MK_NEVER;
	if (!best)
		return;
	const struct mk_flight *f = &best->flight[best->lsu];
	uint32_t busy = f->mem >> CT_MK_MEM_BITS;
	uint32_t latency = f->mem & ((1u << CT_MK_MEM_BITS) - 1);
	sm->lsu_free = now + (busy ? busy : 1);
	if (standing > 1)
		sm->lsu_next = sm->lsu_free;
	mk_schedule(sm, best, best->lsu, now + (latency ? latency : 1));
	best->lsu = MK_NONE;
	best->retry = 0;
	mk_wake(best, now + 1);
}

/* ---- a cycle ---- */

static void count_gap(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	uint64_t n = now - k->last_step;
	switch (k->gap) {
	case GAP_IDLE: sm->c.idle += n; break;
	case GAP_PENDING: sm->c.pending_ready += n; /* fall through */
	case GAP_STALL: sm->c.stalled += n; break;
	default: break;
	}
}

/* What a cycle without an issue counts as. Under two-level scheduling it is lost to a pending warp whenever one is ready there,
 * also when an active warp is ready and found no collector (reading two-level-states). */
static int state_of(const struct mk_core *k, int two_level)
{
	if (!k->live)
		return GAP_NONE;
	if (!k->ready)
		return GAP_IDLE;
	return two_level && (k->ready & ~k->active) ? GAP_PENDING : GAP_STALL;
}

/* One cycle of a sub-core, in the order of the pipeline from its end: results, dispatch, banks, then one
 * issue. Says when the next step is due and how the cycles until then count. */
static void step_core(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	int two_level = sm->sys->schedule == CT_MK_TWO_LEVEL;
	uint64_t wait = MK_NEVER, had = k->live;
	count_gap(sm, k, now);
	k->last_step = now + 1;
	k->next = MK_NEVER;
	results_of_day(sm, k, now);
	if (k->full != k->blocked || now >= k->retry) {
		k->blocked = 0;
		for (uint32_t i = 0; k->full && i < sm->width; i++)
			if (!dispatch_one(sm, k, now, &wait))
				break;
		k->retry = wait;
	}
	wait = k->full ? k->retry : MK_NEVER;
	if (k->reads)
		mk_step_banks(sm, k, now);
	if (two_level)
		mk_sets(sm, k, now);
	int before = state_of(k, two_level), issued = 0;
	if (k->ready)
		issued = mk_issue(sm, k, now);
	if (issued) {
		sm->c.issued++;
		if (two_level)
			mk_sets(sm, k, now);
	} else {
		sm->c.idle += had && (before == GAP_IDLE || before == GAP_NONE);
		sm->c.stalled += before >= GAP_STALL;
		sm->c.pending_ready += before == GAP_PENDING;
	}
	k->gap = state_of(k, two_level);
	/* a wait for STHLD counts its cycles */
	int counting = k->ready && sm->sys->schedule == CT_MK_PRIORITY && k->held != sm->all;
	if (issued || k->reads || counting || (k->full & ~k->blocked))
		mk_wake(k, now + 1);
	mk_wake(k, wait);
	mk_wake(k, next_day(k, now));
}

/* ---- CTAs ---- */

static void start_warp(struct mk_sm *sm, uint32_t slot, const struct ct_mk_warp *w)
{
	uint32_t hw = slot * sm->s->warps_per_cta + w->number;
	struct mk_core *k = &sm->core[hw % sm->cores];
	uint32_t i = hw / sm->cores;
	struct mk_warp *x = &k->warp[i];
	memset(x, 0, sizeof *x);
	x->w = w;
	x->cta = slot;
	x->ccu = MK_NONE;
	x->age = sm->age++;
	x->live = 1;
	k->live |= mk_bit(i);
}

/* Fills the free CTA slots with the next CTAs of the launch, in order. */
static void place_ctas(struct mk_sm *sm, uint64_t now)
{
	sm->place_at = MK_NEVER;
	for (uint32_t i = 0; i < sm->resident && sm->next_cta < sm->s->ctas; i++) {
		struct mk_slot *slot = &sm->slot[i];
		if (slot->used)
			continue;
		const struct ct_mk_cta *c = &sm->s->cta[sm->next_cta];
		*slot = (struct mk_slot){
			.cta = sm->next_cta, .left = c->warps, .running = c->warps, .used = 1};
		sm->live_ctas++;
		for (uint32_t w = 0; w < c->warps; w++)
			start_warp(sm, i, &sm->s->warp[c->first + w]);
		for (uint32_t w = 0; w < c->warps; w++) {
			uint32_t hw = i * sm->s->warps_per_cta + sm->s->warp[c->first + w].number;
			struct mk_core *k = &sm->core[hw % sm->cores];
			if (k->last_step < now)
				count_gap(sm, k, now);
			if (k->last_step < now)
				k->last_step = now;
			k->warp[hw / sm->cores].op = NULL;
			mk_advance(sm, k, hw / sm->cores, now);
			mk_wake(k, now);
		}
		sm->next_cta++;
		if (!c->warps) {
			slot->used = 0;
			sm->live_ctas--;
			sm->place_at = now + 1;
		}
	}
}

void mk_warp_end(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	if (!w->live || w->op || w->flights)
		return;
	w->live = 0;
	if (k->table)
		mk_ccu_end(k, warp);
	k->live &= ~mk_bit(warp);
	k->active &= ~mk_bit(warp);
	if (--sm->slot[w->cta].left == 0) {
		sm->slot[w->cta].used = 0;
		sm->live_ctas--;
		sm->place_at = now + 1;
	}
}

/* Ends of STHLD intervals up to `now` (reading sthld-machine). */
static void end_intervals(struct mk_sm *sm, uint64_t now)
{
	while (sm->tick <= now) {
		struct ct_mk_state *st = sm->state;
		uint64_t n = st->interval_insts + sm->c.insts - sm->insts_mark;
		ct_mk_sthld_step(sm->m->sthld, &st->sthld, (double)n / sm->m->interval);
		sm->c.sthld_intervals++;
		sm->c.sthld_sum += (uint64_t)st->sthld.value;
		st->interval_insts = st->interval_cycles = 0;
		sm->insts_mark = sm->c.insts;
		sm->tick += sm->m->interval;
	}
}

static uint64_t next_cycle(const struct mk_sm *sm)
{
	uint64_t t = sm->place_at < sm->lsu_next ? sm->place_at : sm->lsu_next;
	for (uint32_t i = 0; i < sm->cores; i++)
		if (sm->core[i].next < t)
			t = sm->core[i].next;
	return t;
}

/* Runs the SM from one cycle in which something can happen to the next, until all its CTAs have ended. */
static int run_cycles(struct mk_sm *sm, struct ct_error *e)
{
	uint64_t now = 0;
	while (sm->next_cta < sm->s->ctas || sm->live_ctas) {
		uint64_t t = next_cycle(sm);
		if (t == MK_NEVER)
			return ct_fail(e, CT_ERR_INPUT,
			               "a CTA never ends: do its warps meet at different barriers?");
		now = t;
		if (sm->m->sthld)
			end_intervals(sm, now);
		if (sm->place_at <= now)
			place_ctas(sm, now);
		for (uint32_t i = 0, k = (uint32_t)(now % sm->cores); i < sm->cores; i++) {
			if (sm->core[k].next <= now)
				step_core(sm, &sm->core[k], now);
			k = k + 1 == sm->cores ? 0 : k + 1;
		}
		if (sm->lsu_next <= now)
			step_lsu(sm, now);
		if (sm->failed)
			return sm->failed == CT_ERR_NOMEM
			               ? ct_fail_nomem(e)
			               : ct_fail(e, sm->failed, "the sub-core model has failed");
	}
	sm->c.cycles += now + 1;
	if (sm->m->sthld) {
		sm->state->interval_insts += sm->c.insts - sm->insts_mark;
		sm->state->interval_cycles = sm->m->interval - (sm->tick - (now + 1));
	}
	return CT_OK;
}

/* ---- from outside ---- */

int mk_sm_build(struct mk_sm *sm, struct ct_error *e)
{
	const struct ct_mk_system *sys = sm->sys;
	sm->core = ct_calloc(sm->cores, sizeof *sm->core);
	if (!sm->core)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < sm->cores; i++) {
		struct mk_core *k = &sm->core[i];
		k->sm = sm;
		k->id = i;
		k->next = MK_NEVER;
		k->lsu = k->free_flight = MK_NONE;
		k->coll = ct_calloc(sm->ncoll, sizeof *k->coll);
		k->table = sys->kind == CT_MK_CCU ? ct_calloc(sm->ncoll, sizeof *k->table) : NULL;
		if (!k->coll || (sys->kind == CT_MK_CCU && !k->table))
			return ct_fail_nomem(e);
		for (uint32_t c = 0; k->table && c < sm->ncoll; c++)
			k->table[c].owner = MK_NONE;
	}
	return CT_OK;
}

int mk_sm_size(struct mk_sm *sm, uint32_t warps, struct ct_error *e)
{
	const struct ct_mk_system *sys = sm->sys;
	sm->cores = sys->monolithic ? 1 : sm->m->cores;
	sm->width = sys->monolithic ? sm->m->cores : 1;
	sm->banks = sm->m->banks * sm->width;
	sm->accesses = sm->m->accesses ? sm->m->accesses : 1;
	sm->depth = 1;
	sm->ncoll = sys->collectors ? sys->collectors + sys->memory : MK_SLOTS;
	if (sys->kind == CT_MK_BOC) {
		/* a window's instructions collect side by side, as far as 64 collectors go */
		uint32_t slots = (warps + sm->cores - 1) / sm->cores;
		uint32_t most = slots && slots <= MK_SLOTS ? MK_SLOTS / slots : 1;
		sm->depth = sys->window < most ? sys->window : most;
		sm->depth = sm->depth ? sm->depth : 1;
	}
	for (uint32_t c = 0; c < MK_SLOTS; c++)
		sm->port_of[c] = (uint8_t)(c / sm->depth);
	sm->all = sm->ncoll >= 64 ? UINT64_MAX : mk_bit(sm->ncoll) - 1;
	if (warps > MK_SLOTS * sm->cores || sm->banks > MK_BANKS || sm->ncoll > MK_SLOTS ||
	    sm->cores > 8 || sys->entries > CT_MK_MAX_ENTRIES)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s: more than 64 warps, collectors or entries of a "
		               "scheduler, or more than 8 schedulers",
		               sys->name);
	return CT_OK;
}

static int start_sm(struct mk_sm *sm, struct ct_error *e)
{
	sm->resident = sm->s->resident;
	sm->place_at = 0;
	sm->lsu_next = MK_NEVER;
	sm->tick = sm->m->interval - sm->state->interval_cycles;
	int st = mk_sm_size(sm, sm->resident * sm->s->warps_per_cta, e);
	return st == CT_OK ? mk_sm_build(sm, e) : st;
}

void mk_sm_free(struct mk_sm *sm)
{
	if (!sm)
		return;
	for (uint32_t i = 0; sm->core && i < sm->cores; i++) {
		struct mk_core *k = &sm->core[i];
		for (uint32_t b = 0; b < MK_BANKS; b++)
			free(k->bank[b].ask);
		free(k->coll);
		free(k->table);
		free(k->flight);
	}
	free(sm->core);
	free(sm);
}

int ct_mk_run(const struct ct_mk_stream *stream, const struct ct_mk_system *s,
              const struct ct_mk_machine *m, struct ct_mk_state *state, struct ct_mk_counts *c,
              struct ct_error *e)
{
	struct mk_sm *sm = ct_calloc(1, sizeof *sm);
	if (!sm)
		return ct_fail_nomem(e);
	sm->s = stream;
	sm->sys = s;
	sm->m = m;
	sm->state = state;
	int st = start_sm(sm, e);
	if (st == CT_OK)
		st = run_cycles(sm, e);
	if (st == CT_OK)
		ct_mk_counts_add(c, &sm->c);
	mk_sm_free(sm);
	return st;
}

void ct_mk_counts_add(struct ct_mk_counts *into, const struct ct_mk_counts *from)
{
	/* nothing but 64-bit counters */
	uint64_t *a = &into->cycles;
	const uint64_t *b = &from->cycles;
	for (size_t i = 0; i < sizeof *into / sizeof *a; i++)
		a[i] += b[i];
}

void ct_mk_state_start(struct ct_mk_state *s, const struct ct_mk_machine *m, uint64_t seed)
{
	*s = (struct ct_mk_state){.seed = seed};
	if (m->sthld)
		ct_mk_sthld_start(m->sthld, &s->sthld);
}

void ct_mk_machine_of(const struct ct_gpu *g, struct ct_mk_machine *m)
{
	*m = (struct ct_mk_machine){
		.cores = g->schedulers,
		.banks = g->register_banks / g->schedulers,
		.accesses = 1,
		.interval = CT_MK_INTERVAL,
		.shared_latency = g->shmem_latency,
		.slow_latency = g->llc_latency + g->l1_latency,
	};
	if (!m->banks)
		m->banks = 1;
}

int ct_mk_prepare(struct ct_mk_stream *stream, const struct ct_mk_system *s, struct ct_error *e)
{
	int st = CT_OK;
	if (ct_mk_needs_bits(s)) {
		st = ct_mk_stream_oracle(stream, s->rthld, e);
		if (st == CT_OK && s->bits == CT_MK_PROFILE)
			st = ct_mk_stream_profile(stream, s->profiled, e);
	}
	if (st == CT_OK && (s->kind == CT_MK_RFC || s->kind == CT_MK_SW_RFC))
		st = ct_mk_stream_lives(stream, e);
	if (st == CT_OK && s->kind == CT_MK_SW_RFC)
		st = ct_mk_plan_strands(stream, e);
	if (st == CT_OK && s->kind == CT_MK_LTRF)
		st = ct_mk_plan_ranges(stream, s->entries, e);
	return st;
}
