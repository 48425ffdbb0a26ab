/* Stacks of many SMs: what is not a hot loop. See sm_stacks.h. */
#include "locality/sm_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/fast.h"

enum {
	FIRST_WINDOW = 4096, /* slots */
	WINDOW_PER_LINE = 6, /* slots per line on the SM's stack after a compaction */
	WINDOW_OF_ALL = 8    /* the same per line on an average SM's: one busy SM among idle
	                         ones then walks through the directory rarely enough */
};

static void set_head(struct ct_sm_stacks *s, struct ct_sm_window *m)
{
	const struct ct_window *w = &m->window;
	uint64_t word = w->now / 64;
	m->head = (struct ct_sm_head){
		.bits = w->bits,
		.l1 = w->l1,
		.l2 = w->l2,
		.up0 = w->up[0],
		.word = word,
		.end = s->step ? CT_WINDOW_FIRST + w->live + s->step : w->slots,
		.in_word = w->now % 64 ? (uint32_t)ct_window_bits(w->bits[word]) : 0,
		.depth = w->depth};
}

int ct_sm_stacks_init(struct ct_sm_stacks *s, const struct ct_sm_stacks_options *o)
{
	s->kernel = ct_fast_kernel_of(o->isa);
	s->sms = o->sms;
	s->sectors = o->sectors;
	s->words = (o->sms + 63) / 64;
	s->store = o->store;
	s->step = o->step;
	s->epoch = 1;
	for (uint32_t n = 1; n < sizeof s->runs_at; n++)
		s->runs_at[n] = (uint8_t)ct_sm_times_words(ct_sm_room(s, n));
	s->sm = ct_calloc(s->sms, sizeof *s->sm);
	for (uint32_t i = 0; s->sm && i < s->sms; i++) {
		uint64_t slots = s->step ? CT_WINDOW_FIRST + s->step : FIRST_WINDOW;
		if (ct_window_init(&s->sm[i].window, slots) < 0)
			return -1;
		set_head(s, &s->sm[i]);
	}
	return s->sm ? 0 : -1;
}

void ct_sm_stacks_free(struct ct_sm_stacks *s)
{
	for (uint32_t i = 0; s->sm && i < s->sms; i++)
		ct_window_free(&s->sm[i].window);
	free(s->sm);
	free(s->dir);
	free(s->arena);
	memset(s, 0, sizeof *s);
}

int ct_sm_stacks_lines(struct ct_sm_stacks *s, size_t n)
{
	size_t entry = (1 + s->words) * sizeof *s->dir;
	if (n <= s->lines)
		return 0;
	if (ct_grow((void **)&s->dir, &s->dir_cap, n, entry) < 0)
		return -1;
	for (; s->lines < n; s->lines++)
		*ct_sm_line(s, (uint32_t)s->lines) = (struct ct_sm_line){0};
	return 0;
}

void ct_sm_stacks_flush(struct ct_sm_stacks *s)
{
	for (uint32_t i = 0; i < s->sms; i++) {
		struct ct_sm_window *m = &s->sm[i];
		if (m->window.now == CT_WINDOW_FIRST)
			continue;
		ct_window_fill(&m->window, 0);
		set_head(s, m);
	}
	s->arena_used = 0;
	s->entries = 0;
	memset(s->vacant, 0, sizeof s->vacant);
	if (++s->epoch == CT_SM_EPOCHS) { /* wrapped: old epochs could be mistaken for new ones */
		for (size_t i = 0; i < s->lines; i++)
			ct_sm_line(s, (uint32_t)i)->epoch = 0;
		s->epoch = 1;
	}
}

void ct_sm_stacks_run(struct ct_sm_stacks *s, const struct ct_line_access *ev, const uint32_t *number,
                      size_t n, struct ct_sm_met *met, struct ct_sharing *sharing)
{
	s->kernel->sms(s, ev, number, n, met, sharing);
}

/* Chunks */

static unsigned class_of(const struct ct_sm_stacks *s, uint32_t room)
{
	unsigned high = ct_high_bit(room);
	/* The largest is cut to the number of SMs. */
	return room == s->sms ? CT_SM_CLASSES - 1 : 2 * high + (room > (uint32_t)1 << high);
}

/* How many words of the arena a chunk for so many SMs takes. */
static size_t chunk_size(uint32_t room)
{
	return ct_sm_times_words(room) +
	       (size_t)room * (sizeof(struct ct_sector_run) / sizeof(uint64_t));
}

/* A chunk of the arena for so many SMs' times: a vacant one of its class, or a new one at the end. */
static int new_chunk(struct ct_sm_stacks *s, uint32_t room, uint32_t *at)
{
	uint32_t *first = &s->vacant[class_of(s, room)];
	size_t size = chunk_size(room);
	if (*first) {
		*at = *first - 1;
		memcpy(first, &s->arena[*at], sizeof *first);
		return 0;
	}
	if (s->arena_used + size > UINT32_MAX - 1 ||
	    ct_grow((void **)&s->arena, &s->arena_cap, s->arena_used + size, sizeof *s->arena) < 0)
		return -1;
	*at = (uint32_t)s->arena_used;
	s->arena_used += size;
	return 0;
}

static void free_chunk(struct ct_sm_stacks *s, uint32_t room, uint32_t at)
{
	uint32_t *first = &s->vacant[class_of(s, room)];
	memcpy(&s->arena[at], first, sizeof *first);
	*first = at + 1;
}

/* Moves n places by one from the k-th on, from one row to another or within it. */
static void open_place(uint32_t *to, const uint32_t *from, struct ct_sector_run *run_to,
                       const struct ct_sector_run *run_from, uint32_t n, uint32_t k)
{
	memmove(to + k + 1, from + k, (n - k) * sizeof *to);
	memmove(run_to + k + 1, run_from + k, (n - k) * sizeof *run_to);
	if (to == from)
		return;
	memcpy(to, from, k * sizeof *to);
	memcpy(run_to, run_from, k * sizeof *run_to);
}

int ct_sm_stacks_insert(struct ct_sm_stacks *s, uint32_t n, uint32_t sms, uint32_t k)
{
	struct ct_sm_line *line = ct_sm_line(s, n), grown = *line;
	uint32_t old = sms ? ct_sm_room(s, sms) : 0, room = ct_sm_room(s, sms + 1);
	if (room != old && new_chunk(s, room, &grown.chunk) < 0) {
		s->failed = 1;
		return -1;
	}
	if (sms)
		open_place(ct_sm_times(s, &grown), ct_sm_times(s, line), ct_sm_runs(s, &grown, room),
		           ct_sm_runs(s, line, old), sms, k);
	if (sms && room != old)
		free_chunk(s, old, line->chunk);
	*line = grown;
	ct_sm_times(s, line)[k] = CT_TIME_NONE;
	s->entries++;
	return 0;
}

/* Compaction */

/* Slots that an SM's window should have. */
static uint64_t wanted_slots(const struct ct_sm_stacks *s, uint64_t live)
{
	uint64_t own = live * WINDOW_PER_LINE, all = s->entries / s->sms * WINDOW_OF_ALL + live;
	uint64_t want = own > all ? own : all;
	if (s->step)
		return CT_WINDOW_FIRST + live + s->step;
	return want > FIRST_WINDOW ? want : FIRST_WINDOW;
}

/* Ranks of every window in one block; r[i].rank points into it. NULL: out of memory. */
static uint32_t *rank_all(const struct ct_sm_stacks *s, struct ct_renumber *r)
{
	size_t words = 0;
	for (uint32_t i = 0; i < s->sms; i++)
		words += s->sm[i].window.slots / 64;
	uint32_t *block = ct_reallocarray(NULL, words, sizeof *block), *rank = block;
	for (uint32_t i = 0; block && i < s->sms; i++) {
		const struct ct_window *w = &s->sm[i].window;
		ct_window_rank(w, rank);
		r[i] = (struct ct_renumber){s->kernel, w->bits, rank, 0};
		rank += w->slots / 64;
	}
	return block;
}

/* Windows as large as they should be, with their live slots at the front. */
static int refill_window(struct ct_sm_stacks *s)
{
	for (uint32_t i = 0; i < s->sms; i++) {
		struct ct_window *w = &s->sm[i].window, bigger = {0};
		uint64_t live = w->live, want = wanted_slots(s, live);
		if (want > w->slots) {
			if (ct_window_init(&bigger, want) < 0)
				return -1;
			ct_window_free(w);
			*w = bigger;
		}
		ct_window_fill(w, live);
		set_head(s, &s->sm[i]);
	}
	return 0;
}

int ct_sm_stacks_compact(struct ct_sm_stacks *s)
{
	struct ct_renumber *r = ct_calloc(s->sms, sizeof *r);
	uint32_t *block = r ? rank_all(s, r) : NULL;
	int rc = block && s->entries <= UINT32_MAX ? 0 : -1;
	if (rc == 0) {
		s->kernel->sms_renumber(s, r);
		rc = refill_window(s);
	}
	free(block);
	free(r);
	if (rc < 0)
		s->failed = 1;
	return rc;
}
