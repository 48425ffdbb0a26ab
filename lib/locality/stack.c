#include "locality/stack.h"

#include <stdlib.h>

#include "base/mem.h"
#include "locality/stack_engine.h"

struct ct_stack *ct_stack_new(const struct ct_stack_options *o, struct ct_error *e)
{
	struct ct_stack_options plain = {0};
	if (o)
		plain = *o;
	if (plain.sectors == 0)
		plain.sectors = 1;
	if (plain.sectors > 4) {
		ct_fail(e, CT_ERR_USAGE, "%u sectors per line: at most 4 are supported", plain.sectors);
		return NULL;
	}
	struct ct_stack *s = plain.engine == CT_STACK_TEXTBOOK ? ct_stack_textbook_new(&plain)
	                                                       : ct_stack_fast_new(&plain);
	if (!s) {
		ct_fail_nomem(e);
		return NULL;
	}
	s->sectors = plain.sectors;
	s->stamps = plain.stamps != 0;
	return s;
}

void ct_stack_free(struct ct_stack *s)
{
	if (s)
		s->ops->free(s);
}

static uint32_t all_sectors(const struct ct_stack *s)
{
	return (1u << s->sectors) - 1;
}

uint64_t ct_stack_touch(struct ct_stack *s, uint64_t line)
{
	return s->ops->access(s, line, all_sectors(s), 1, 1, NULL);
}

void ct_stack_touch_batch(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance)
{
	s->ops->batch(s, line, n, distance);
}

uint64_t ct_stack_touch_sectors(struct ct_stack *s, uint64_t line, uint32_t mask, uint64_t sector[4])
{
	return s->ops->access(s, line, mask & all_sectors(s), 1, 1, sector);
}

void ct_stack_ops(struct ct_stack *s, struct ct_stack_op *op, size_t n)
{
	s->ops->ops(s, op, n);
}

uint64_t ct_stack_probe(const struct ct_stack *s, uint64_t line)
{
	return s->ops->probe(s, line);
}

uint64_t ct_stack_store_noalloc(struct ct_stack *s, uint64_t line)
{
	return s->ops->access(s, line, 0, 0, 0, NULL);
}

uint64_t
ct_stack_store_noalloc_sectors(struct ct_stack *s, uint64_t line, uint32_t mask, uint64_t sector[4])
{
	return s->ops->access(s, line, mask & all_sectors(s), 0, 0, sector);
}

void ct_stack_invalidate(struct ct_stack *s, uint64_t line)
{
	s->ops->invalidate(s, line);
}

int ct_stack_keep(struct ct_stack *s, int (*keep)(const void *ctx, uint64_t line), const void *ctx)
{
	const uint64_t n = s->ops->lines(s);
	uint64_t *line = ct_reallocarray(NULL, (size_t)n, sizeof *line);
	if (!line || s->failed) {
		free(line);
		s->failed = 1;
		return CT_ERR_NOMEM;
	}
	s->ops->list(s, line);
	for (uint64_t i = 0; i < n; i++)
		if (!keep(ctx, line[i]))
			s->ops->invalidate(s, line[i]);
	free(line);
	s->ops->shrink(s);
	return s->failed ? CT_ERR_NOMEM : CT_OK;
}

void ct_stack_flush(struct ct_stack *s)
{
	s->ops->flush(s);
}

uint64_t ct_stack_lines(const struct ct_stack *s)
{
	return s->ops->lines(s);
}

size_t ct_stack_bytes(const struct ct_stack *s)
{
	return s->ops->bytes(s);
}

int ct_stack_check(const struct ct_stack *s, struct ct_error *e)
{
	return s->failed ? ct_fail_nomem(e) : 0;
}
