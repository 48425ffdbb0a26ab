/* fast_sms.h - accesses and questions to the stacks of many SMs (sm_stacks.h),
 * compiled once per instruction set with fast_kernel.h. Private. */

enum { SMS_FAR = 12, SMS_NEAR = 4 /* accesses ahead: directory, chunk */ };

/* Live slots after slot t of an SM. */
CT_INLINE uint64_t sms_after(const struct ct_sm_window *m, uint32_t t)
{
	const struct ct_sm_head *h = &m->head;
	uint64_t word = t / 64;
	uint64_t n = POPCOUNT(h->bits[word] >> t % 64 >> 1) + h->l1[word] + h->l2[word >> 5] +
	             h->up0[word >> 10];
	n += word != h->word ? h->in_word : 0;
	for (unsigned k = 1; k < h->depth; k++)
		n += m->window.up[k][word >> (10 + 4 * k)];
	return n;
}

/* SMs of the set before `sm`. */
CT_INLINE uint32_t sms_before(const uint64_t *set, uint32_t sm)
{
	uint64_t n = POPCOUNT(set[sm / 64] & (((uint64_t)1 << sm % 64) - 1));
	for (uint32_t i = 0; i < sm / 64; i++)
		n += POPCOUNT(set[i]);
	return (uint32_t)n;
}

CT_INLINE uint32_t sms_in(const struct ct_sm_stacks *s, const uint64_t *set)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < s->words; i++)
		n += POPCOUNT(set[i]);
	return (uint32_t)n;
}

/* The line of an access, and what SM `sm` knows of it. */
struct sms_place {
	struct ct_sm_line *line;
	uint64_t *set;
	const uint32_t *times; /* NULL: no SM holds the line */
	uint32_t in, k, told;  /* SMs in the set, place of this one, its last time */
	int there;             /* 1: it is in the set */
};

/* Where a line is kept for an SM. A line that was last touched before the stacks were reset is empty. */
CT_INLINE struct sms_place sms_find(const struct ct_sm_stacks *s, uint32_t number, uint32_t sm)
{
	struct sms_place p = {.line = ct_sm_line(s, number), .told = CT_TIME_NONE};
	p.set = ct_sm_sharers(p.line);
	if (p.line->epoch != s->epoch) {
		p.line->epoch = s->epoch;
		for (uint32_t i = 0; i < s->words; i++)
			p.set[i] = 0;
		return p;
	}
	p.in = sms_in(s, p.set);
	p.k = sms_before(p.set, sm);
	p.there = p.set[sm / 64] >> sm % 64 & 1;
	p.times = p.in ? ct_sm_times(s, p.line) : NULL;
	if (p.there)
		p.told = p.times[p.k];
	return p;
}

/* RJ of a read at distance `own` that stands for `each` reads: the reading SM is counted like the others, which spares a
 * branch for each, and taken out again. */
CT_INLINE void sms_ask(const struct ct_sm_stacks *s, const struct sms_place *p, uint32_t sm,
                       uint64_t own, uint64_t each, struct ct_sharing *sharing)
{
	const unsigned bin = ct_rj_bin(own);
	uint64_t *row = sharing->sharers.count[bin], least = CT_COLD;
	const uint32_t *time = p->times;
	for (uint32_t i = 0; p->in && i < s->words; i++)
		for (uint64_t bits = p->set[i]; bits; bits &= bits - 1, time++) {
			uint32_t j = i * 64 + ct_low_bit(bits);
			if (*time == CT_TIME_NONE)
				continue;
			uint64_t d = sms_after(&s->sm[j], *time);
			row[ct_rj_warm_bin(d)] += each;
			d = j == sm ? CT_COLD : d;
			least = d < least ? d : least;
		}
	if (own != CT_COLD)
		row[bin] -= each;
	sharing->sharers.used[bin] = sharing->nearest.used[bin] = 1;
	sharing->nearest.count[bin][ct_rj_bin(least)] += each;
	ct_sharing_note(sharing, own, least, each);
}

/* The own SM's window: the line's slot dies, and if it enters or stays it gets a new one. */
CT_INLINE uint32_t sms_move(struct ct_sm_window *m, uint32_t told, int enters)
{
	struct ct_sm_head *h = &m->head;
	struct win w;
	uint32_t slot = (uint32_t)m->window.now;
	win_open(&w, &m->window);
	if (told != CT_TIME_NONE) {
		(void)win_after(&w, told, 1, w.depth);
		m->window.live--;
	}
	if (enters) {
		win_push(&w);
		m->window.live++;
	}
	h->word = w.word;
	h->in_word = (uint32_t)POPCOUNT(w.current);
	win_close(&w, &m->window);
	return enters ? slot : CT_TIME_NONE;
}

/* Distances of an access at `d`; the line's run in this SM is at `run`. */
CT_INLINE void sms_sectors(const struct ct_sm_stacks *s, struct ct_sector_run *run, uint64_t d, int fill,
                           uint64_t cycle, struct ct_stack_op *op)
{
	op->stamp = run->stamp;
	run->stamp = cycle;
	if (s->sectors > 1)
		ct_sector_run_step(run, d, op->mask, fill, op->sector);
	else
		op->sector[0] = d;
}

/* A line that the SM does not know. */
CT_INLINE void sms_cold(struct ct_stack_op *op)
{
	op->distance = op->sector[0] = op->sector[1] = op->sector[2] = op->sector[3] = CT_COLD;
	op->stamp = 0;
}

/* An SM touches a line: its distance on that SM's stack, and, where sharing is counted, how near other
 * SMs have the line. */
CT_INLINE void sms_access(struct ct_sm_stacks *s, const struct ct_obs_event *ev, uint32_t number,
                          struct ct_stack_op *op, struct ct_sharing *sharing)
{
	struct ct_sm_window *m = &s->sm[ev->sm];
	int kind = ev->is_write ? s->store : CT_STACK_TOUCH;
	op->mask = ev->mask;
	sms_cold(op);
	if (m->window.now >= m->head.end && ct_sm_stacks_compact(s) < 0)
		return;
	struct sms_place p = sms_find(s, number, ev->sm);
	int known = p.told != CT_TIME_NONE;
	uint64_t d = known ? sms_after(m, p.told) : CT_COLD;
	s->distinct_sectors += POPCOUNT((uint64_t)(ev->mask & ~s->ever[number] & 15));
	s->ever[number] |= ev->mask;
	if (sharing && !ev->is_write) {
		uint64_t each = ct_sharing_read(sharing, d);
		if (each)
			sms_ask(s, &p, ev->sm, d, each, sharing);
	}
	if (!known && kind != CT_STACK_TOUCH)
		return;
	if (!p.there) {
		if (ct_sm_stacks_insert(s, number, p.in, p.k) < 0)
			return;
		p.set[ev->sm / 64] |= (uint64_t)1 << ev->sm % 64;
		p.in++;
	}
	struct ct_sector_run *run = ct_sm_runs(s, p.line, ct_sm_room(s, p.in)) + p.k;
	if (!known)
		ct_sector_run_reset(run);
	op->distance = d;
	sms_sectors(s, run, d, kind == CT_STACK_TOUCH, ev->cycle, op);
	ct_sm_times(s, p.line)[p.k] = sms_move(m, p.told, kind != CT_STACK_EVICT);
}

CT_INLINE void sms_prefetch_chunk(const struct ct_sm_stacks *s, uint32_t number)
{
	const struct ct_sm_line *line = ct_sm_line(s, number);
	if (line->epoch != s->epoch)
		return;
	CT_PREFETCH(&s->arena[line->chunk]);
	CT_PREFETCH(&s->arena[line->chunk + 8]);
}

static void sms_batch(struct ct_sm_stacks *s, const struct ct_obs_event *ev, const uint32_t *number,
                      size_t n, struct ct_stack_op *op, struct ct_sharing *sharing)
{
	for (size_t i = 0; i < n && !s->failed; i++) {
		if (i + SMS_FAR < n) {
			CT_PREFETCH(ct_sm_line(s, number[i + SMS_FAR]));
			CT_PREFETCH(&s->ever[number[i + SMS_FAR]]);
		}
		if (i + SMS_NEAR < n)
			sms_prefetch_chunk(s, number[i + SMS_NEAR]);
		sms_access(s, &ev[i], number[i], &op[i], sharing);
	}
}

/* Compaction: every time of every SM, r[] by SM. */
static void sms_renumber(struct ct_sm_stacks *s, const struct ct_renumber *r)
{
	for (size_t n = 0; n < s->lines; n++) {
		struct ct_sm_line *line = ct_sm_line(s, (uint32_t)n);
		const uint64_t *set = ct_sm_sharers(line);
		if (line->epoch != s->epoch)
			continue;
		uint32_t *time = ct_sm_times(s, line);
		for (uint32_t i = 0; i < s->words; i++)
			for (uint64_t bits = set[i]; bits; bits &= bits - 1, time++) {
				const struct ct_renumber *a = &r[i * 64 + ct_low_bit(bits)];
				uint32_t t = *time;
				uint64_t before = a->bits[t / 64] & (((uint64_t)1 << t % 64) - 1);
				if (t != CT_TIME_NONE)
					*time = CT_WINDOW_FIRST + a->rank[t / 64] +
					        (uint32_t)POPCOUNT(before);
			}
	}
}
