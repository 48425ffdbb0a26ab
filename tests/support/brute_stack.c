#include "tests/support/brute_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/hist.h"

uint64_t brute_probe(const struct brute_stack *b, uint64_t line)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].line == line)
			return i;
	return CT_COLD;
}

static void step_sectors(struct brute_line *l, uint64_t d, uint32_t mask, int fill, uint64_t *out)
{
	for (unsigned i = 0; i < 4; i++) {
		if (l->sector[i] != CT_COLD && d > l->sector[i])
			l->sector[i] = d;
		if (mask >> i & 1) {
			if (out)
				out[i] = l->sector[i];
			if (fill)
				l->sector[i] = 0;
		}
	}
}

uint64_t brute_access(struct brute_stack *b, uint64_t line, uint32_t mask, int allocate, int fill,
                      uint64_t *sector)
{
	uint64_t d = brute_probe(b, line);
	struct brute_line l = {line, {CT_COLD, CT_COLD, CT_COLD, CT_COLD}, 0};
	for (unsigned i = 0; sector && i < 4; i++)
		if (mask >> i & 1)
			sector[i] = CT_COLD;
	if (d == CT_COLD && !allocate)
		return d;
	if (d == CT_COLD) {
		if (ct_grow((void **)&b->at, &b->cap, b->n + 1, sizeof *b->at) < 0)
			abort();
		memmove(b->at + 1, b->at, b->n++ * sizeof *b->at);
	} else {
		l = b->at[d];
		l.stamp = 0;
		memmove(b->at + 1, b->at, d * sizeof *b->at);
	}
	step_sectors(&l, d, mask, fill, sector);
	b->at[0] = l;
	return d;
}

void brute_invalidate(struct brute_stack *b, uint64_t line)
{
	uint64_t d = brute_probe(b, line);
	if (d == CT_COLD)
		return;
	b->n--;
	memmove(b->at + d, b->at + d + 1, (b->n - d) * sizeof *b->at);
}

void brute_free(struct brute_stack *b)
{
	free(b->at);
	memset(b, 0, sizeof *b);
}
