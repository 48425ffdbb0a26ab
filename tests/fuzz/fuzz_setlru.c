/* Set lists of all associativities at once against sixteen caches that are walked. Four bytes of
 * options, then three for each access: line, far bits and batch end, sectors. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/setlru.h"
#include "tests/support/brute_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 2000 };

struct stream {
	uint64_t line[MAX];
	uint32_t set[MAX];
	uint8_t mask[MAX], position[MAX], end[MAX];
	size_t n;
	unsigned sets, sectors;
	int hashed, sectored;
};

static void must(int ok)
{
	if (!ok)
		abort();
}

static void make(struct stream *s, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 2 < n && s->n < MAX; i += 3) {
		uint64_t line = p[i] | (uint64_t)(p[i + 1] & 3) << 8;
		if (p[i + 1] & 4)
			line += UINT64_C(1) << 32;
		if (p[i + 1] & 8)
			line = ~line;
		s->line[s->n] = line;
		s->set[s->n] = (uint32_t)((s->hashed ? ct_mix64(line) : line) % s->sets);
		s->mask[s->n] = p[i + 2];
		s->end[s->n++] = p[i + 1] >> 5 == 7;
	}
}

static uint64_t ones(uint32_t v)
{
	uint64_t n = 0;
	for (; v; v &= v - 1)
		n++;
	return n;
}

static void compare(const struct stream *s, const struct ct_setlru *l, unsigned ways)
{
	struct brute_cache c;
	uint64_t hits = 0, sector_hits = 0, sectors = 0;
	uint32_t all = (1u << s->sectors) - 1;
	brute_cache_init(&c, s->sets, ways);
	for (size_t i = 0; i < s->n; i++) {
		int hit;
		uint32_t m = s->sectored ? s->mask[i] & all : all;
		sector_hits += ones(brute_cache_access(&c, s->line[i], s->set[i], m, &hit));
		sectors += ones(m);
		hits += (unsigned)hit;
		must(hit == (s->position[i] < ways));
	}
	must(ct_setlru_hits(l, ways) == hits && ct_setlru_accesses(l) == s->n);
	if (s->sectors > 1)
		must(ct_setlru_sector_hits(l, ways) == sector_hits &&
		     ct_setlru_sector_accesses(l) == sectors);
	brute_cache_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stream s;
	struct ct_error e;
	if (size < 4)
		return 0;
	s.n = 0;
	s.sets = 1 + data[0] % 64;
	s.sectors = 1 + (data[1] & 3);
	s.hashed = data[1] >> 2 & 1;
	s.sectored = data[1] >> 3 & 1;
	struct ct_setlru_options o = {.sets = s.sets, .sectors = s.sectors, .isa = 1 + (data[2] & 3)};
	if (!ct_isa_available((enum ct_isa)o.isa))
		return 0;
	make(&s, data + 4, size - 4);
	struct ct_setlru *l = ct_setlru_new(&o, &e);
	if (!l)
		return 0;
	for (size_t at = 0, i = 0; i < s.n; i++)
		if (s.end[i] || i + 1 == s.n) {
			ct_setlru_access(l, s.line + at, s.hashed ? s.set + at : NULL,
			                 s.sectored ? s.mask + at : NULL, i + 1 - at, s.position + at);
			at = i + 1;
		}
	must(ct_setlru_check(l, &e) == 0);
	for (unsigned ways = 1; ways <= CT_SETLRU_WAYS; ways++)
		compare(&s, l, ways);
	ct_setlru_free(l);
	return 0;
}
