/* AFL++'s side of tests/support/ctz_mutate.h: a custom mutator (AFL_CUSTOM_MUTATOR_LIBRARY). */
#include <stdlib.h>
#include <string.h>

#include "tests/support/ctz_mutate.h"

/* The names and types are AFL++'s. */
void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *ctx, uint8_t *p, size_t n, uint8_t **out, uint8_t *other, size_t other_n,
                       size_t max);
void afl_custom_deinit(void *ctx);

struct state {
	uint64_t seed;
	uint8_t *p;
	size_t cap;
};

void *afl_custom_init(void *afl, unsigned seed)
{
	struct state *s = calloc(1, sizeof *s);
	(void)afl;
	if (s)
		s->seed = seed;
	return s;
}

size_t afl_custom_fuzz(void *ctx, uint8_t *p, size_t n, uint8_t **out, uint8_t *other, size_t other_n,
                       size_t max)
{
	struct state *s = ctx;
	(void)other, (void)other_n;
	if (s->cap < max) {
		free(s->p);
		s->p = malloc(max);
		s->cap = s->p ? max : 0;
	}
	*out = p;
	if (n > s->cap)
		return n;
	memcpy(s->p, p, n);
	size_t len = ctz_mutate(s->p, n, max, ++s->seed, NULL);
	if (len == 0)
		return n;
	*out = s->p;
	return len;
}

void afl_custom_deinit(void *ctx)
{
	struct state *s = ctx;
	free(s->p);
	free(s);
}
