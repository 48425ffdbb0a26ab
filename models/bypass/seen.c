#include "models/bypass/seen.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

static uint64_t hash_of(const void *ctx, uint32_t i)
{
	const struct ct_bp_seen *s = ctx;
	return ct_mix64(s->line[i].line);
}

uint32_t ct_bp_seen_enter(struct ct_bp_seen *s, uint64_t line)
{
	uint64_t h = ct_mix64(line);
	uint32_t at;
	if (s->lines == CT_BP_NO_LINE - 1 || ct_index_reserve(&s->index, s->lines, hash_of, s) < 0)
		return CT_BP_NO_LINE;
	for (; (at = ct_index_at(&s->index, h)) != 0; h++)
		if (s->line[at - 1].line == line)
			return at - 1;
	if (ct_grow((void **)&s->line, &s->cap, (size_t)s->lines + 1, sizeof *s->line) < 0)
		return CT_BP_NO_LINE;
	ct_index_put(&s->index, h, s->lines);
	s->line[s->lines] = (struct ct_bp_seen_line){.line = line, .waiting = CT_BP_NO_LINE};
	return s->lines++;
}

void ct_bp_seen_free(struct ct_bp_seen *s)
{
	ct_index_free(&s->index);
	free(s->line);
	*s = (struct ct_bp_seen){.lines = 0};
}
