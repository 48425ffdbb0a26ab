#include "tests/support/tag_split_twin.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gpu/address.h"

/* One place for one chunk. `home` is the frame or group it belongs to; of a decoupled
 * sectored cache the tag that owns it. */
struct slot {
	int valid;
	uint64_t line;
	uint32_t chunk;
	uint64_t used; /* time of the last access */
	int recent;    /* NRU bit */
	int kept;      /* touched by the access at hand */
};

struct group {
	uint64_t line;   /* plain and sectored: of the frame */
	uint64_t shared; /* Tag-Split */
	uint64_t used;
	int live;
};

/* A tag of a decoupled sectored cache. */
struct tag {
	uint64_t line, used;
	int live;
};

struct ts_twin {
	struct ct_ts_shape s;
	uint32_t per;
	struct slot *slot;   /* [set][way][chunk position] */
	struct group *group; /* [set][way] */
	struct tag *tag;     /* [set][way][tag] */
	uint64_t time, random;
	uint64_t *seen; /* perfect: every line so far */
	size_t n_seen;
};

static void *get(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	if (!p)
		abort();
	return p;
}

struct ts_twin *ts_twin_new(const struct ct_ts_shape *s)
{
	struct ts_twin *t = get(1, sizeof *t);
	t->s = *s;
	t->per = s->line / s->chunk;
	t->slot = get((size_t)s->sets * s->ways * t->per, sizeof *t->slot);
	t->group = get((size_t)s->sets * s->ways, sizeof *t->group);
	t->tag = get((size_t)s->sets * s->ways * (s->tags ? s->tags : 1), sizeof *t->tag);
	t->random = s->seed;
	return t;
}

void ts_twin_free(struct ts_twin *t)
{
	free(t->slot);
	free(t->group);
	free(t->tag);
	free(t->seen);
	free(t);
}

static uint32_t set_of(const struct ts_twin *t, uint64_t line)
{
	return ct_set_index(t->s.hash, t->s.sets, line);
}

static struct slot *slot_at(const struct ts_twin *t, uint32_t set, uint32_t i)
{
	return &t->slot[(size_t)set * t->s.ways * t->per + i];
}

static uint32_t slots(const struct ts_twin *t)
{
	return t->s.ways * t->per;
}

static struct slot *find_chunk(const struct ts_twin *t, uint64_t line, uint32_t chunk)
{
	uint32_t set = set_of(t, line);
	for (uint32_t i = 0; i < slots(t); i++) {
		struct slot *s = slot_at(t, set, i);
		if (s->valid && s->line == line && s->chunk == chunk)
			return s;
	}
	return NULL;
}

static int was_seen(const struct ts_twin *t, uint64_t line)
{
	for (size_t i = 0; i < t->n_seen; i++)
		if (t->seen[i] == line)
			return 1;
	return 0;
}

int ts_twin_holds(const struct ts_twin *t, uint64_t line, uint32_t chunk)
{
	if (t->s.kind == CT_TS_PERFECT || t->s.kind == CT_TS_IDEAL)
		return t->s.kind == CT_TS_IDEAL || was_seen(t, line);
	return find_chunk(t, line, chunk) != NULL;
}

uint32_t ts_twin_cached(const struct ts_twin *t)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->s.sets * slots(t); i++)
		n += t->slot[i].valid != 0;
	return n;
}

static void kill_slot(struct slot *s, struct ct_ts_result *r)
{
	r->evicted += s->valid != 0;
	s->valid = 0;
	s->recent = 0;
}

/* ---- one tag per line ---- */

static uint32_t frame_with(const struct ts_twin *t, uint32_t set, uint64_t line)
{
	for (uint32_t w = 0; w < t->s.ways; w++) {
		const struct group *g = &t->group[set * t->s.ways + w];
		if (g->live && g->line == line)
			return w;
	}
	return UINT32_MAX;
}

static void forget_empty_frames(struct ts_twin *t, uint32_t set)
{
	for (uint32_t w = 0; w < t->s.ways; w++) {
		int any = 0;
		for (uint32_t k = 0; k < t->per; k++)
			any |= slot_at(t, set, w * t->per + k)->valid;
		if (!any)
			t->group[set * t->s.ways + w].live = 0;
	}
}

static uint32_t new_frame(struct ts_twin *t, uint32_t set, struct ct_ts_result *r)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t w = 0; w < t->s.ways; w++)
		if (!t->group[set * t->s.ways + w].live)
			return w;
	for (uint32_t w = 0; w < t->s.ways; w++)
		if (best == UINT32_MAX ||
		    t->group[set * t->s.ways + w].used < t->group[set * t->s.ways + best].used)
			best = w;
	for (uint32_t k = 0; k < t->per; k++)
		kill_slot(slot_at(t, set, best * t->per + k), r);
	r->replaced = 1;
	return best;
}

static void put_in_frame(struct ts_twin *t, uint32_t set, uint32_t w, uint64_t line, uint32_t chunks)
{
	struct group *g = &t->group[set * t->s.ways + w];
	g->live = 1;
	g->line = line;
	g->used = t->time;
	for (uint32_t k = 0; k < t->per; k++)
		if (chunks >> k & 1)
			*slot_at(t, set,
			         w * t->per + k) = (struct slot){.valid = 1, .line = line, .chunk = k};
}

static void line_load(struct ts_twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r)
{
	uint32_t set = set_of(t, line), w = frame_with(t, set, line);
	uint32_t wanted = chunks;
	for (uint32_t k = 0; k < t->per; k++)
		if (chunks >> k & 1 && find_chunk(t, line, k))
			r->hit |= 1u << k;
	if (w != UINT32_MAX)
		t->group[set * t->s.ways + w].used = t->time;
	if (r->hit == chunks)
		return;
	if (t->s.kind == CT_TS_LINE)
		wanted = (uint32_t)((UINT64_C(1) << t->per) - 1);
	for (uint32_t k = 0; k < t->per; k++)
		if (wanted >> k & 1 && !find_chunk(t, line, k))
			r->miss |= 1u << k;
	if (w == UINT32_MAX)
		w = new_frame(t, set, r);
	put_in_frame(t, set, w, line, r->miss);
}

static void line_store(struct ts_twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r)
{
	uint32_t set = set_of(t, line), w = frame_with(t, set, line);
	for (uint32_t k = 0; k < t->per; k++)
		if (chunks >> k & 1 && find_chunk(t, line, k))
			r->hit |= 1u << k;
	if (t->s.store == CT_TS_STORE_EVICT && r->hit)
		for (uint32_t k = 0; k < t->per; k++)
			if (t->s.kind == CT_TS_LINE || chunks >> k & 1)
				kill_slot(slot_at(t, set, w * t->per + k), r);
	if (t->s.store == CT_TS_STORE_UPDATE && w != UINT32_MAX)
		t->group[set * t->s.ways + w].used = t->time;
	if (t->s.store == CT_TS_STORE_ALLOCATE) {
		r->miss = chunks & ~r->hit;
		if (w == UINT32_MAX)
			w = new_frame(t, set, r);
		put_in_frame(t, set, w, line, r->miss);
	}
	forget_empty_frames(t, set);
}

/* ---- Tag-Split ---- */

static uint64_t shared_tag(const struct ts_twin *t, uint64_t line)
{
	uint32_t bits = 0;
	if (t->s.private_bits == t->s.tag_bits)
		return 0;
	while ((1u << bits) < t->s.sets)
		bits++;
	return line >> bits >> t->s.private_bits;
}

static int group_empty(const struct ts_twin *t, uint32_t set, uint32_t g)
{
	for (uint32_t k = 0; k < t->per; k++)
		if (slot_at(t, set, g * t->per + k)->valid)
			return 0;
	return 1;
}

static int group_matches(const struct ts_twin *t, uint32_t set, uint32_t g, uint64_t line)
{
	return !group_empty(t, set, g) && t->group[set * t->s.ways + g].shared == shared_tag(t, line);
}

static void mark(struct ts_twin *t, uint32_t set, uint32_t i)
{
	struct slot *s = slot_at(t, set, i);
	s->used = t->group[set * t->s.ways + i / t->per].used = t->time;
	s->recent = s->kept = 1;
}

static int better_lru(const struct ts_twin *t, uint32_t set, uint32_t a, uint32_t b)
{
	uint64_t ga = t->group[set * t->s.ways + a / t->per].used;
	uint64_t gb = t->group[set * t->s.ways + b / t->per].used;
	if (a / t->per != b / t->per)
		return ga < gb;
	return slot_at(t, set, a)->used < slot_at(t, set, b)->used;
}

/* All slots that may be a victim now, in order. */
static uint32_t candidates(struct ts_twin *t, uint32_t set, uint64_t line, uint32_t *list)
{
	uint32_t n = 0, m = 0;
	for (uint32_t i = 0; i < slots(t); i++)
		if (slot_at(t, set, i)->valid && !slot_at(t, set, i)->kept)
			list[n++] = i;
	if (t->s.victim == CT_TS_GROUP_FIRST) {
		for (uint32_t i = 0; i < n; i++)
			if (group_matches(t, set, list[i] / t->per, line))
				list[m++] = list[i];
		if (m)
			return m;
		n = 0;
		for (uint32_t i = 0; i < slots(t); i++)
			if (slot_at(t, set, i)->valid && !slot_at(t, set, i)->kept)
				list[n++] = i;
	}
	return n;
}

static uint32_t victim(struct ts_twin *t, uint32_t set, uint64_t line)
{
	uint32_t list[CT_TS_SLOTS_MAX] = {0}, cold[CT_TS_SLOTS_MAX] = {0}, n_cold = 0;
	uint32_t n = candidates(t, set, line, list);
	if (t->s.repl == CT_TS_LRU) {
		uint32_t best = list[0];
		for (uint32_t i = 1; i < n; i++)
			if (better_lru(t, set, list[i], best))
				best = list[i];
		return best;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!slot_at(t, set, list[i])->recent)
			cold[n_cold++] = list[i];
	if (n_cold) {
		memcpy(list, cold, sizeof cold);
		n = n_cold;
	}
	return t->s.pick == CT_TS_LOWEST ? list[0] : list[ct_rand64(&t->random) % n];
}

/* A free slot, else a victim (readings nru-victims and foreign-group-victim), for one chunk. */
static uint32_t make_slot(struct ts_twin *t, uint32_t set, uint64_t line, struct ct_ts_result *r)
{
	uint32_t match = UINT32_MAX, empty = UINT32_MAX;
	for (uint32_t i = slots(t); i-- > 0;) {
		if (slot_at(t, set, i)->valid)
			continue;
		if (group_matches(t, set, i / t->per, line))
			match = i;
		else if (group_empty(t, set, i / t->per))
			empty = i;
	}
	if (match != UINT32_MAX)
		return match;
	if (empty != UINT32_MAX)
		return empty;
	uint32_t v = victim(t, set, line);
	r->replaced++;
	if (!group_matches(t, set, v / t->per, line))
		for (uint32_t k = 0; k < t->per; k++) {
			struct slot *s = slot_at(t, set, v / t->per * t->per + k);
			r->collateral += s->valid && s != slot_at(t, set, v);
			kill_slot(s, r);
		}
	kill_slot(slot_at(t, set, v), r);
	return v;
}

static void split_load(struct ts_twin *t, uint64_t line, uint32_t chunks, int coarse,
                       struct ct_ts_result *r)
{
	uint32_t set = set_of(t, line), all = (uint32_t)((UINT64_C(1) << t->per) - 1);
	uint32_t want = coarse ? all : chunks, missing = want;
	for (uint32_t i = 0; i < slots(t); i++)
		slot_at(t, set, i)->kept = 0;
	for (uint32_t i = 0; i < slots(t); i++) {
		const struct slot *s = slot_at(t, set, i);
		if (s->valid && s->line == line && want >> s->chunk & 1) {
			missing &= ~(1u << s->chunk);
			mark(t, set, i);
		}
	}
	r->hit = chunks & ~missing;
	r->miss = missing;
	uint32_t free_group = UINT32_MAX; /* for a whole line: reading coarse-placement */
	for (uint32_t g = t->s.ways; missing == all && g-- > 0;)
		if (group_empty(t, set, g))
			free_group = g;
	for (uint32_t k = 0; k < t->per; k++) {
		if (!(missing >> k & 1))
			continue;
		uint32_t i = free_group != UINT32_MAX ? free_group * t->per + k
		                                      : make_slot(t, set, line, r);
		struct slot *s = slot_at(t, set, i);
		s->valid = 1;
		s->line = line;
		s->chunk = k;
		t->group[set * t->s.ways + i / t->per].shared = shared_tag(t, line);
		mark(t, set, i);
	}
	int all_recent = 1;
	for (uint32_t i = 0; i < slots(t); i++)
		all_recent &= slot_at(t, set, i)->recent;
	for (uint32_t i = 0; all_recent && i < slots(t); i++)
		slot_at(t, set, i)->recent = 0;
}

static void split_store(struct ts_twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r)
{
	for (uint32_t k = 0; k < t->per; k++) {
		struct slot *s = chunks >> k & 1 ? find_chunk(t, line, k) : NULL;
		if (!s)
			continue;
		r->hit |= 1u << k;
		if (t->s.store == CT_TS_STORE_EVICT)
			kill_slot(s, r);
	}
}

/* ---- decoupled sectored: slot k of a frame holds chunk k of one of the frame's tags ---- */

static struct tag *tag_at(const struct ts_twin *t, uint32_t set, uint32_t f, uint32_t i)
{
	return &t->tag[((size_t)set * t->s.ways + f) * t->s.tags + i];
}

static int owns_any(const struct ts_twin *t, uint32_t set, uint32_t f, uint64_t line)
{
	for (uint32_t k = 0; k < t->per; k++) {
		const struct slot *s = slot_at(t, set, f * t->per + k);
		if (s->valid && s->line == line)
			return 1;
	}
	return 0;
}

static void free_tags(struct ts_twin *t, uint32_t set)
{
	for (uint32_t f = 0; f < t->s.ways; f++)
		for (uint32_t i = 0; i < t->s.tags; i++) {
			struct tag *g = tag_at(t, set, f, i);
			g->live = g->live && owns_any(t, set, f, g->line);
		}
}

static uint32_t least_recent(const struct ts_twin *t, uint32_t set, uint32_t f)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < t->s.tags; i++) {
		if (!tag_at(t, set, f, i)->live)
			return i;
		if (tag_at(t, set, f, i)->used < tag_at(t, set, f, best)->used)
			best = i;
	}
	return best;
}

static uint32_t best_frame(const struct ts_twin *t, uint32_t set, uint32_t chunks)
{
	uint32_t best = 0, best_score = 0;
	uint64_t best_age = 0;
	for (uint32_t f = 0; f < t->s.ways; f++) {
		uint32_t score = 0;
		for (uint32_t k = 0; k < t->per; k++)
			score += chunks >> k & 1 && !slot_at(t, set, f * t->per + k)->valid;
		const struct tag *g = tag_at(t, set, f, least_recent(t, set, f));
		uint64_t age = g->live ? g->used : 0;
		if (f == 0 || score > best_score || (score == best_score && age < best_age)) {
			best = f;
			best_score = score;
			best_age = age;
		}
	}
	return best;
}

static void find_tag(const struct ts_twin *t, uint32_t set, uint64_t line, uint32_t *f, uint32_t *i)
{
	for (*f = 0; *f < t->s.ways; ++*f)
		for (*i = 0; *i < t->s.tags; ++*i)
			if (tag_at(t, set, *f, *i)->live && tag_at(t, set, *f, *i)->line == line)
				return;
}

static void dsc_load(struct ts_twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r)
{
	uint32_t set = set_of(t, line), f, i;
	for (uint32_t k = 0; k < t->per; k++)
		if (chunks >> k & 1 && find_chunk(t, line, k))
			r->hit |= 1u << k;
	r->miss = chunks & ~r->hit;
	find_tag(t, set, line, &f, &i);
	if (f == t->s.ways) {
		f = best_frame(t, set, r->miss);
		i = least_recent(t, set, f);
		struct tag *old = tag_at(t, set, f, i);
		if (old->live) {
			for (uint32_t k = 0; k < t->per; k++) {
				struct slot *s = slot_at(t, set, f * t->per + k);
				if (s->valid && s->line == old->line)
					kill_slot(s, r);
			}
			r->replaced++;
		}
		*old = (struct tag){line, 0, 1};
	}
	for (uint32_t j = 0; j < t->s.tags; j++) { /* one line after the other loses its chunks */
		const struct tag *other = tag_at(t, set, f, j);
		int lost = 0;
		for (uint32_t k = 0; k < t->per; k++) {
			struct slot *s = slot_at(t, set, f * t->per + k);
			if (j == i || !other->live || !(r->miss >> k & 1) || !s->valid ||
			    s->line != other->line)
				continue;
			kill_slot(s, r);
			lost = 1;
		}
		r->replaced += (uint32_t)lost;
	}
	for (uint32_t k = 0; k < t->per; k++)
		if (r->miss >> k & 1)
			*slot_at(t, set,
			         f * t->per + k) = (struct slot){.valid = 1, .line = line, .chunk = k};
	tag_at(t, set, f, i)->used = t->time;
	free_tags(t, set);
}

/* ---- all ---- */

void ts_twin_load(struct ts_twin *t, uint64_t line, uint32_t chunks, int coarse, struct ct_ts_result *r)
{
	memset(r, 0, sizeof *r);
	t->time++;
	switch (t->s.kind) {
	case CT_TS_SPLIT: split_load(t, line, chunks, coarse, r); break;
	case CT_TS_DSC: dsc_load(t, line, chunks, r); break;
	case CT_TS_IDEAL: r->hit = chunks; break;
	case CT_TS_PERFECT:
		if (was_seen(t, line)) {
			r->hit = chunks;
			break;
		}
		r->miss = (uint32_t)((UINT64_C(1) << t->per) - 1);
		t->seen = realloc(t->seen, (t->n_seen + 1) * sizeof *t->seen);
		if (!t->seen)
			abort();
		t->seen[t->n_seen++] = line;
		break;
	default: line_load(t, line, chunks, r);
	}
}

void ts_twin_store(struct ts_twin *t, uint64_t line, uint32_t chunks, struct ct_ts_result *r)
{
	memset(r, 0, sizeof *r);
	t->time++;
	if (t->s.kind == CT_TS_PERFECT) {
		r->hit = was_seen(t, line) ? chunks : 0;
	} else if (t->s.kind == CT_TS_IDEAL) {
		r->hit = chunks;
	} else if (t->s.kind == CT_TS_LINE || t->s.kind == CT_TS_SECTOR) {
		line_store(t, line, chunks, r);
	} else {
		split_store(t, line, chunks, r);
		if (t->s.kind == CT_TS_DSC)
			free_tags(t, set_of(t, line));
	}
}

void ts_twin_flush(struct ts_twin *t)
{
	struct ct_ts_result r = {0};
	for (uint32_t i = 0; i < t->s.sets * slots(t); i++)
		kill_slot(&t->slot[i], &r);
	for (uint32_t i = 0; i < t->s.sets * t->s.ways; i++)
		t->group[i].live = 0;
	for (uint32_t i = 0; i < t->s.sets * t->s.ways * t->s.tags; i++)
		t->tag[i].live = 0;
}
