/* Lines of shared L1s against a twin that looks at every place of a set for each question. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gpu/address.h"
#include "models/shared_l1/lines.h"

enum { CORES = 2, STEPS = 40000, WAYS_MAX = 130 };

struct shape {
	uint32_t sets, ways, lines; /* lines that are asked for, of all sets */
};

/* A place as the twin sees it. */
struct place {
	uint64_t line, stamp;
	int used, held, modified;
};

struct trial {
	struct shape s;
	struct ct_sl_lines x;
	struct place twin[CORES][8][WAYS_MAX];
	uint64_t now, seed;
};

static void open_trial(struct trial *t, const struct shape *s, uint64_t seed)
{
	struct ct_error e;
	*t = (struct trial){.s = *s, .seed = seed, .now = 1};
	assert_int_equal(ct_sl_lines_init(&t->x, CORES, s->sets, s->ways, CT_HASH_LINEAR, &e), CT_OK);
}

static struct place *twin_find(struct trial *t, unsigned core, uint64_t line)
{
	struct place *p = t->twin[core][ct_sl_lines_set(&t->x, line)];
	for (uint32_t i = 0; i < t->s.ways; i++)
		if (p[i].used && p[i].line == line)
			return &p[i];
	return NULL;
}

/* The last free place, else the oldest of those that may leave, of equals the first; -1: none. */
static int twin_victim(struct trial *t, unsigned core, uint64_t line, int clean, int *held)
{
	const struct place *p = t->twin[core][ct_sl_lines_set(&t->x, line)];
	int best = -1, free = -1;
	*held = 0;
	for (int i = 0; i < (int)t->s.ways; i++) {
		*held |= p[i].used && p[i].held;
		if (!p[i].used)
			free = i;
		else if (!p[i].held && !(clean && p[i].modified) &&
		         (best < 0 || p[i].stamp < p[best].stamp))
			best = i;
	}
	return free >= 0 ? free : best;
}

static uint32_t way_of(const struct trial *t, unsigned core, const struct ct_sl_line *w)
{
	return (uint32_t)((size_t)(w - t->x.at) - (size_t)core * t->s.sets * t->s.ways) % t->s.ways;
}

/* Holds both answers against each other, and gives the line the place if there is one. */
static void take_line(struct trial *t, unsigned core, uint64_t line, int clean)
{
	int held, want = twin_victim(t, core, line, clean, &held);
	struct place *set = t->twin[core][ct_sl_lines_set(&t->x, line)];
	struct ct_sl_line *w = ct_sl_lines_victim(&t->x, core, line, clean);
	assert_int_equal(ct_sl_lines_held(&t->x, core, line), held);
	assert_int_equal(w ? (int)way_of(t, core, w) : -1, want);
	if (!w)
		return;
	assert_int_equal(w->used, set[want].used);
	if (w->used)
		ct_sl_lines_leave(&t->x, core, w);
	ct_sl_lines_take(&t->x, core, w, line, t->now);
	set[want] = (struct place){.line = line, .stamp = t->now, .used = 1};
}

/* Sectors come or are asked for, a store writes, or a read touches the line. */
static void change_line(struct trial *t, unsigned core, struct ct_sl_line *w, struct place *p)
{
	uint64_t now = t->now;
	switch (ct_rand64(&t->seed) % 5) {
	case 0: w->reserved = 1; break;
	case 1:
		w->reserved = 0;
		now = w->stamp;
		break; /* a fill touches nothing */
	case 2: w->modified = !w->modified; break;
	case 3: now -= ct_rand64(&t->seed) % 3 == 0 && now > 5 ? 5 : 0; break; /* a cycle may go back */
	default: break;
	}
	ct_sl_lines_settle(&t->x, core, w, now);
	*p = (struct place){.line = p->line,
	                    .stamp = now,
	                    .used = 1,
	                    .held = w->reserved != 0,
	                    .modified = w->modified != 0};
}

static void step(struct trial *t)
{
	const unsigned core = (unsigned)(ct_rand64(&t->seed) % CORES);
	const uint64_t line = ct_rand64(&t->seed) % t->s.lines;
	struct ct_sl_line *w = ct_sl_lines_find(&t->x, core, line);
	struct place *p = twin_find(t, core, line);
	t->now += ct_rand64(&t->seed) % 4 == 0;
	assert_int_equal(w != NULL, p != NULL);
	if (!w) {
		take_line(t, core, line, (int)(ct_rand64(&t->seed) % 2));
		return;
	}
	assert_true(w->line == line && w->used);
	if (ct_rand64(&t->seed) % 16) {
		change_line(t, core, w, p);
		return;
	}
	ct_sl_lines_leave(&t->x, core, w);
	*p = (struct place){.used = 0};
}

static void lines_and_victims(void **state)
{
	static const struct shape shapes[] = {
		{1, 1, 4}, {4, 6, 40}, {8, 2, 64}, {2, 64, 200}, {3, 130, 600}};
	struct trial *t = malloc(sizeof *t);
	(void)state;
	assert_non_null(t);
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		open_trial(t, &shapes[i], i + 1);
		for (int n = 0; n < STEPS; n++)
			step(t);
		ct_sl_lines_free(&t->x);
	}
	free(t);
}

static void too_many_lines(void **state)
{
	struct ct_sl_lines x;
	struct ct_error e;
	(void)state;
	assert_int_equal(ct_sl_lines_init(&x, 1, 1, 1u << 21, CT_HASH_LINEAR, &e), CT_ERR_UNSUPPORTED);
	ct_sl_lines_free(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_victims),
		cmocka_unit_test(too_many_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
