/* fast_sms.h - accesses and questions to the stacks of many SMs (sm_stacks.h),
 * compiled once per instruction set with fast_kernel.h. Private. */

enum { SMS_FAR = 16, SMS_NEAR = 6 /* accesses ahead: directory, chunk */ };

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

/* SMs of the set of `words` words before `sm`. */
CT_INLINE uint32_t sms_before(const uint64_t *set, uint32_t words, uint32_t sm)
{
	uint32_t last = words == 1 ? 0 : sm / 64;
	uint64_t n = POPCOUNT(set[last] & (((uint64_t)1 << sm % 64) - 1));
	for (uint32_t i = 0; i < last; i++)
		n += POPCOUNT(set[i]);
	return (uint32_t)n;
}

CT_INLINE uint32_t sms_in(const uint64_t *set, uint32_t words)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < words; i++)
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

/* The line of that number. Here and below `words` is s->words, a constant where it is 1. */
CT_INLINE struct ct_sm_line *sms_line(const struct ct_sm_stacks *s, uint32_t number, uint32_t words)
{
	return (struct ct_sm_line *)(void *)&s->dir[(size_t)number * (1 + words)];
}

/* Where a line is kept for an SM. A line that was last touched before the stacks were reset is empty. */
CT_INLINE struct sms_place sms_find(const struct ct_sm_stacks *s, uint32_t number, uint32_t sm,
                                    uint32_t words)
{
	struct sms_place p = {.line = sms_line(s, number, words), .told = CT_TIME_NONE};
	p.set = ct_sm_sharers(p.line);
	if (p.line->epoch != s->epoch) {
		p.line->epoch = s->epoch;
		for (uint32_t i = 0; i < words; i++)
			p.set[i] = 0;
		return p;
	}
	p.in = sms_in(p.set, words);
	p.k = sms_before(p.set, words, sm);
	p.there = p.set[words == 1 ? 0 : sm / 64] >> sm % 64 & 1;
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

/* The SM whose window is at hand: most accesses are of the SM of the one before. */
struct sms_hand {
	struct ct_sm_window *m; /* NULL: none */
	struct win w;
};

CT_INLINE void sms_put_down(struct sms_hand *x)
{
	if (!x->m)
		return;
	x->m->head.word = x->w.word;
	x->m->head.in_word = (uint32_t)POPCOUNT(x->w.current);
	win_close(&x->w, &x->m->window);
	x->m = NULL;
}

CT_INLINE void sms_take(struct sms_hand *x, struct ct_sm_window *m)
{
	if (x->m == m)
		return;
	sms_put_down(x);
	win_open(&x->w, &m->window);
	x->m = m;
}

/* The SM's window has room for one more slot. 0, or -1 when out of memory. */
CT_INLINE int sms_make_room(struct ct_sm_stacks *s, struct sms_hand *x, struct ct_sm_window *m)
{
	sms_take(x, m);
	if (CT_LIKELY(x->w.word * 64 + x->w.pos < m->head.end))
		return 0;
	sms_put_down(x);
	if (ct_sm_stacks_compact(s) < 0)
		return -1;
	sms_take(x, m);
	return 0;
}

/* A line that the SM does not know. */
CT_INLINE void sms_cold(struct ct_sm_met *met)
{
	met->distance = met->sector[0] = met->sector[1] = met->sector[2] = met->sector[3] =
		CT_SECTOR_COLD;
	met->stamp = 0;
}

/* Counts the sectors that no SM has touched before. */
CT_INLINE void sms_note_sectors(struct ct_sm_stacks *s, struct ct_sm_line *line, uint32_t mask)
{
	uint32_t fresh = mask & ~(uint32_t)line->ever & 15;
	if (fresh) {
		s->distinct_sectors += POPCOUNT((uint64_t)fresh);
		line->ever |= fresh & 15;
	}
}

/* Counts how near other SMs have the line of a read. */
CT_INLINE void sms_share(struct ct_sm_stacks *s, struct sms_hand *x, const struct sms_place *p,
                         uint32_t sm, uint32_t distance, struct ct_sharing *sharing)
{
	struct ct_sm_window *m = x->m;
	uint64_t d = distance == CT_SECTOR_COLD ? CT_COLD : distance, each = ct_sharing_read(sharing, d);
	if (!each)
		return;
	sms_put_down(x);
	sms_ask(s, p, sm, d, each, sharing);
	sms_take(x, m);
}

/* The line's place in the row of those SMs that hold it; -1 when out of memory. */
CT_INLINE int sms_enter(struct ct_sm_stacks *s, struct sms_place *p, uint32_t number, uint32_t sm,
                        uint32_t words)
{
	if (CT_LIKELY(p->there))
		return 0;
	if (ct_sm_stacks_insert(s, number, p->in, p->k) < 0)
		return -1;
	p->set[words == 1 ? 0 : sm / 64] |= (uint64_t)1 << sm % 64;
	p->in++;
	return 0;
}

/* An SM touches a line: its distance on that SM's stack, and, where sharing is counted, how near other
 * SMs have the line. The line's slot dies, and where it enters or stays it gets a new one. */
CT_INLINE void sms_access(struct ct_sm_stacks *s, struct sms_hand *x, const struct ct_line_access *ev,
                          uint32_t number, struct ct_sm_met *met, struct ct_sharing *sharing,
                          uint32_t words)
{
	struct ct_sm_window *m = &s->sm[ev->sm];
	const int kind = ev->is_write ? s->store : CT_STACK_TOUCH;
	met->mask = (uint8_t)ev->sectors;
	sms_cold(met);
	if (sms_make_room(s, x, m) < 0)
		return;
	struct sms_place p = sms_find(s, number, ev->sm, words);
	const int known = p.told != CT_TIME_NONE;
	uint32_t d = CT_SECTOR_COLD, slot = CT_TIME_NONE;
	sms_note_sectors(s, p.line, ev->sectors);
	if (!known && kind != CT_STACK_TOUCH)
		return;
	if (known) {
		d = (uint32_t)win_after(&x->w, p.told, 1, x->w.depth);
		m->window.live--;
	}
	if (sharing && !ev->is_write) /* what died lay before all that is asked for */
		sms_share(s, x, &p, ev->sm, d, sharing);
	if (sms_enter(s, &p, number, ev->sm, words) < 0)
		return;
	struct ct_sector_run *run =
		words == 1
			? (struct ct_sector_run *)(void *)&s->arena[p.line->chunk + s->runs_at[p.in]] +
				  p.k
			: ct_sm_runs(s, p.line, ct_sm_room(s, p.in)) + p.k;
	if (!known)
		ct_sector_run_reset(run);
	met->distance = d;
	met->stamp = run->stamp;
	run->stamp = ev->cycle;
	if (s->sectors > 1)
		ct_sector_run_move(run, d, ev->sectors, kind == CT_STACK_TOUCH, met->sector);
	else
		met->sector[0] = d;
	if (kind != CT_STACK_EVICT) {
		slot = (uint32_t)(x->w.word * 64 + x->w.pos);
		win_push(&x->w);
		m->window.live++;
	}
	ct_sm_times(s, p.line)[p.k] = slot;
}

/* Asks the host's memory for what the SM knows of the line. */
CT_INLINE void sms_prefetch_chunk(const struct ct_sm_stacks *s, uint32_t number, uint32_t sm,
                                  uint32_t words)
{
	struct ct_sm_line *line = sms_line(s, number, words);
	const uint64_t *set = ct_sm_sharers(line);
	if (line->epoch != s->epoch)
		return;
	if (words != 1) {
		CT_PREFETCH(&s->arena[line->chunk]);
		CT_PREFETCH(&s->arena[line->chunk + 8]);
		return;
	}
	uint32_t k = sms_before(set, words, sm);
	CT_PREFETCH(ct_sm_times(s, line) + k);
	CT_PREFETCH(
		(struct ct_sector_run *)(void *)&s->arena[line->chunk + s->runs_at[sms_in(set, words)]] +
		k);
}

CT_INLINE void sms_run(struct ct_sm_stacks *s, const struct ct_line_access *ev, const uint32_t *number,
                       size_t n, struct ct_sm_met *met, struct ct_sharing *sharing, uint32_t words)
{
	struct sms_hand x = {.m = NULL};
	for (size_t i = 0; i < n && !s->failed; i++) {
		if (i + SMS_FAR < n)
			CT_PREFETCH(sms_line(s, number[i + SMS_FAR], words));
		if (i + SMS_NEAR < n)
			sms_prefetch_chunk(s, number[i + SMS_NEAR], ev[i + SMS_NEAR].sm, words);
		sms_access(s, &x, &ev[i], number[i], &met[i], sharing, words);
	}
	sms_put_down(&x);
}

static void sms_batch(struct ct_sm_stacks *s, const struct ct_line_access *ev, const uint32_t *number,
                      size_t n, struct ct_sm_met *met, struct ct_sharing *sharing)
{
	if (sharing)
		sms_run(s, ev, number, n, met, sharing, s->words);
	else if (s->words == 1)
		sms_run(s, ev, number, n, met, NULL, 1);
	else
		sms_run(s, ev, number, n, met, NULL, s->words);
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
