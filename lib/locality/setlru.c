#include "locality/setlru.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/pages.h"
#include "locality/setlru_kernel.h"

enum { MAX_SETS = 1 << 26, PIECE = CT_SETLRU_PIECE };

const uint32_t ct_setlru_bytes_of[16] = {
	0,          0xff,       0xff00,     0xffff,     0xff0000,   0xff00ff,   0xffff00,   0xffffff,
	0xff000000, 0xff0000ff, 0xff00ff00, 0xff00ffff, 0xffff0000, 0xffff00ff, 0xffffff00, 0xffffffff};

static size_t place_count(const struct ct_setlru *s)
{
	return (size_t)s->sets * CT_SETLRU_WAYS;
}

struct ct_setlru *ct_setlru_new(const struct ct_setlru_options *o, struct ct_error *e)
{
	if (o->sets == 0 || o->sets > MAX_SETS || o->sectors > 4) {
		ct_fail(e, CT_ERR_USAGE,
		        "%u sets with %u sectors per line: 1 to %d sets and up to "
		        "4 sectors are supported",
		        o->sets, o->sectors, (int)MAX_SETS);
		return NULL;
	}
	struct ct_setlru *s = ct_calloc(1, sizeof *s);
	if (!s) {
		ct_fail_nomem(e);
		return NULL;
	}
	s->sets = o->sets;
	s->sectors = o->sectors ? o->sectors : 1;
	s->isa = (int)ct_isa_resolve((enum ct_isa)o->isa);
	s->tag = ct_pages_alloc(place_count(s) * sizeof *s->tag, 1);
	s->run = s->sectors > 1 ? ct_pages_alloc(place_count(s) * sizeof *s->run, 1) : NULL;
	if (!s->tag || (s->sectors > 1 && !s->run)) {
		ct_setlru_free(s);
		ct_fail_nomem(e);
		return NULL;
	}
	return s;
}

void ct_setlru_free(struct ct_setlru *s)
{
	if (!s)
		return;
	free(s->tag);
	free(s->wide_tag);
	free(s->fill);
	free(s->run);
	free(s);
}

/* From 32-bit tags to whole lines. */
static int widen_tags(struct ct_setlru *s)
{
	s->wide_tag = ct_pages_alloc(place_count(s) * sizeof *s->wide_tag, 0);
	s->fill = ct_calloc(s->sets, 1);
	if (!s->wide_tag || !s->fill)
		return -1;
	for (size_t set = 0; set < s->sets; set++)
		for (size_t i = 0; i < CT_SETLRU_WAYS; i++) {
			uint32_t t = s->tag[set * CT_SETLRU_WAYS + i];
			s->wide_tag[set * CT_SETLRU_WAYS + i] = s->base + t - 1;
			s->fill[set] = (uint8_t)(s->fill[set] + (t != 0));
		}
	free(s->tag);
	s->tag = NULL;
	s->wide = 1;
	return 0;
}

/* Counts the sectors of mask by the state of their line and touches them. */
static uint32_t touch_sectors(uint64_t *count, uint32_t run, unsigned mask)
{
	for (unsigned i = 0; i < 4; i++)
		count[run >> 8 * i & 0xff] += mask >> i & 1;
	return run & ~ct_setlru_bytes_of[mask];
}

/* One access with tags of 64 bits: finds the line in its set, moves it to the front, and counts the
 * position where it was. */
static void wide_access(struct ct_setlru *s, uint64_t line, uint32_t set, unsigned mask,
                        uint8_t *position)
{
	uint64_t *tag = s->wide_tag + (size_t)set * CT_SETLRU_WAYS;
	unsigned p = 0, last;
	while (p < s->fill[set] && tag[p] != line)
		p++;
	if (p == s->fill[set]) {
		s->fill[set] = (uint8_t)(p + (p < CT_SETLRU_WAYS));
		last = p < CT_SETLRU_WAYS ? p : CT_SETLRU_WAYS - 1;
		p = CT_SETLRU_MISS;
	} else {
		last = p;
	}
	memmove(tag + 1, tag, last * sizeof *tag);
	tag[0] = line;
	s->count[p]++;
	*position = (uint8_t)p;
	if (s->run) {
		uint32_t *run = s->run + (size_t)set * CT_SETLRU_WAYS;
		uint32_t r = p < CT_SETLRU_WAYS ? ct_setlru_max(run[p], p) : CT_SETLRU_COLD;
		r = touch_sectors(s->sector_count, r, mask);
		memmove(run + 1, run, last * sizeof *run);
		run[0] = r;
	}
}

static size_t narrow_access(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                            const uint8_t *mask, size_t n, uint8_t *position)
{
#if CT_X86
	if (s->isa == CT_ISA_AVX512)
		return ct_setlru_avx512(s, line, set, mask, n, position);
	if (s->isa == CT_ISA_AVX2)
		return ct_setlru_avx2(s, line, set, mask, n, position);
	if (s->isa == CT_ISA_POPCNT)
		return ct_setlru_sse2(s, line, set, mask, n, position);
#endif
	return ct_setlru_portable(s, line, set, mask, n, position);
}

/* Sets that are no power of two. */
static void find_sets(const struct ct_setlru *s, const uint64_t *line, size_t n, uint32_t *set)
{
	for (size_t i = 0; i < n; i++)
		set[i] = (uint32_t)(line[i] % s->sets);
}

/* Runs a piece of accesses with 32-bit tags, and from the first line on that those cannot hold with
 * 64-bit ones. */
static void run_piece(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                      const uint8_t *mask, size_t n, uint8_t *position)
{
	uint32_t own[PIECE];
	size_t i = 0;
	if (!set && ((s->sets & (s->sets - 1)) != 0 || s->wide)) {
		find_sets(s, line, n, own);
		set = own;
	}
	if (!s->begun) {
		/* Tags reach 2^31 lines to both sides of the first one. */
		s->base = line[0] >> 31 ? line[0] - ((uint64_t)1 << 31) : 0;
		s->begun = 1;
	}
	if (!s->wide) {
		i = narrow_access(s, line, set, mask, n, position);
		if (i < n && widen_tags(s) < 0) {
			s->failed = 1;
			return;
		}
	}
	for (; i < n; i++)
		wide_access(s, line[i], set ? set[i] : (uint32_t)(line[i] % s->sets),
		            s->run ? mask[i] : 1, &position[i]);
}

void ct_setlru_access(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                      const uint8_t *mask, size_t n, uint8_t *position)
{
	uint8_t used[PIECE], found[PIECE], all = (uint8_t)((1u << s->sectors) - 1);
	for (size_t at = 0, m; at < n && !s->failed; at += m) {
		m = n - at < PIECE ? n - at : PIECE;
		for (size_t i = 0; s->run && i < m; i++)
			used[i] = mask ? mask[at + i] & all : all;
		run_piece(s, line + at, set ? set + at : NULL, used, m, found);
		if (position)
			memcpy(position + at, found, m);
	}
}

void ct_setlru_flush(struct ct_setlru *s)
{
	if (s->wide)
		memset(s->fill, 0, s->sets);
	else
		memset(s->tag, 0, place_count(s) * sizeof *s->tag);
}

static uint64_t sum_of(const uint64_t *count, unsigned n)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < n && i <= CT_SETLRU_WAYS; i++)
		total += count[i];
	return total;
}

uint64_t ct_setlru_hits(const struct ct_setlru *s, unsigned ways)
{
	return sum_of(s->count, ways < CT_SETLRU_WAYS ? ways : CT_SETLRU_WAYS);
}

uint64_t ct_setlru_sector_hits(const struct ct_setlru *s, unsigned ways)
{
	return s->run ? sum_of(s->sector_count, ways < CT_SETLRU_WAYS ? ways : CT_SETLRU_WAYS)
	              : ct_setlru_hits(s, ways);
}

uint64_t ct_setlru_accesses(const struct ct_setlru *s)
{
	return sum_of(s->count, CT_SETLRU_WAYS + 1);
}

uint64_t ct_setlru_sector_accesses(const struct ct_setlru *s)
{
	return sum_of(s->run ? s->sector_count : s->count, CT_SETLRU_WAYS + 1);
}

int ct_setlru_check(const struct ct_setlru *s, struct ct_error *e)
{
	return s->failed ? ct_fail_nomem(e) : 0;
}

size_t ct_setlru_bytes(const struct ct_setlru *s)
{
	size_t place = (s->run ? sizeof *s->run : 0) + (s->wide ? sizeof *s->wide_tag : sizeof *s->tag);
	return sizeof *s + place_count(s) * place + (s->wide ? s->sets : 0);
}
