/* victim.c - a plugin: a few lines beside each L1, fully associative, that keep what leaves its sets (N. Jouppi,
 * "Improving direct-mapped cache performance by the addition of a small fully-associative cache", ISCA 1990). */
#include <gpu/occupancy.h>
#include <models/plugin.h>
#include <replay/ways.h>
#include <stdlib.h>
#include <string.h>

/* A request that waits for sectors of a line. */
struct waiter {
	uint64_t token, line;
	uint32_t sm, left;
};

struct victim {
	const struct ct_gpu *g;
	struct ct_occupancy now; /* of the kernel: sets and ways of its L1 */
	uint32_t slots, lines, waiters;
	uint64_t clock;
	struct ct_way *l1, *beside; /* slots and lines of each SM, in one block */
	struct ct_l1_part part;
	struct ct_replay_parts parts;
	struct waiter waiter[];
};

/* The line's way in its set, NULL: none. What leaves the set for it goes into the victim cache, and comes from there. */
static struct ct_way *find(struct victim *x, uint32_t sm, uint64_t line, int make)
{
	uint32_t i = ct_set_index((enum ct_set_hash)x->g->l1.set_hash, x->now.l1_sets, line);
	struct ct_way *set = x->l1 + (size_t)sm * x->slots + (size_t)i * x->now.l1_ways;
	struct ct_way *beside = x->beside + (size_t)sm * x->lines;
	struct ct_way *w = ct_way_find(set, sizeof *set, x->now.l1_ways, line);
	struct ct_way *kept = w ? NULL : ct_way_find(beside, sizeof *set, x->lines, line);
	if (!w && (kept || make)) {
		struct ct_way in = kept ? *kept : (struct ct_way){.line = line, .used = 1};
		if (kept)
			kept->used = 0;
		w = ct_way_victim(set, sizeof *set, x->now.l1_ways);
		if (w->used && x->lines)
			*ct_way_victim(beside, sizeof *set, x->lines) = *w;
		*w = in;
	}
	if (w)
		w->stamp = ++x->clock;
	return w;
}

static enum ct_l1_outcome lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
                                 uint64_t cycle, struct ct_l1_result *out)
{
	struct victim *x = ctx;
	uint64_t line = q->address / x->g->l1.line;
	uint32_t coming = 0, open = 0;
	for (uint32_t i = 0; i < x->waiters; i++)
		if (x->waiter[i].sm == q->sm && ++open && x->waiter[i].line == line)
			coming |= x->waiter[i].left;
	if (open == x->g->l1.mshr_entries || ct_l1_queued(r, q->sm, cycle) + 1 >= x->g->l1.miss_queue)
		return CT_L1_RETRY;
	struct ct_way *w = find(x, q->sm, line, 0);
	out->hit = w ? q->mask & w->valid : 0;
	out->pending = q->mask & coming & ~out->hit;
	uint32_t miss = q->mask & ~out->hit & ~out->pending;
	*(w ? &out->sector_miss : &out->line_miss) = miss;
	out->forward = q->is_write; /* written through: what the L1 has of the line stays right */
	out->done = q->is_write ? 0 : out->hit;
	if (q->is_write || q->mask == out->hit)
		return CT_L1_TAKEN;
	x->waiter[x->waiters++] = (struct waiter){q->token, line, q->sm, q->mask & ~out->hit};
	if (miss) /* the address of a line of up to 256 B has room for the mask of its sectors */
		ct_l1_fetch(r, q->sm, q->address, x->g->l1.sector, miss, q->address | miss, cycle);
	return CT_L1_TAKEN;
}

static void filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct victim *x = ctx;
	uint64_t line = tag / x->g->l1.line;
	uint32_t sectors = (uint32_t)(tag % x->g->l1.line);
	find(x, sm, line, 1)->valid |= sectors;
	for (uint32_t i = 0; i < x->waiters;) {
		struct waiter *w = &x->waiter[i];
		uint32_t now = w->sm == sm && w->line == line ? w->left & sectors : 0;
		if (now)
			ct_l1_answer(r, sm, w->token, now, cycle);
		if (w->left &= ~now)
			i++;
		else
			*w = x->waiter[--x->waiters];
	}
}

static void flush(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle)
{
	struct victim *x = ctx;
	memset(x->l1 + (size_t)sm * x->slots, 0, x->slots * sizeof *x->l1);
	memset(x->beside + (size_t)sm * x->lines, 0, x->lines * sizeof *x->beside);
	(void)r, (void)cycle;
}

/* Shared memory takes a part of an adaptive L1: it is another one, and empty, where that changes. */
static void kernel(void *ctx, struct ct_replay *r, const struct ct_kernel *k, uint64_t cycle)
{
	struct victim *x = ctx;
	struct ct_occupancy old = x->now;
	if (k && ct_occupancy(x->g, k, &x->now, NULL) != CT_OK)
		ct_part_fail(r, CT_ERR_INPUT, "a CTA does not fit an SM: take another GPU");
	if (old.l1_sets != x->now.l1_sets || old.l1_ways != x->now.l1_ways)
		memset(x->l1, 0, (size_t)x->g->sms * (x->slots + x->lines) * sizeof *x->l1);
	(void)cycle;
}

static void engine_free(void *parts)
{
	free(parts ? ((struct victim *)parts)->l1 : NULL);
	free(parts);
}

static int engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                  void **parts, struct ct_error *e)
{
	const struct ct_gpu *g = run->gpu;
	size_t waiters = (size_t)g->sms * g->l1.mshr_entries;
	struct victim *x = *parts = calloc(1, sizeof *x + waiters * sizeof x->waiter[0]);
	if (!x)
		return ct_fail_nomem(e);
	*x = (struct victim){.g = g, .slots = ct_admission_slots(g)};
	x->lines = system ? (uint32_t)run->mechanism->values(run)[0] : 0;
	x->l1 = calloc((size_t)g->sms * (x->slots + x->lines), sizeof *x->l1);
	x->beside = x->l1 + (size_t)g->sms * x->slots;
	x->part = (struct ct_l1_part){.lookup = lookup, .filled = filled, .flush = flush};
	x->part.part = (struct ct_part){.ctx = x, .kernel = kernel};
	x->parts.l1 = &x->part;
	*engine = (struct ct_replays_engine){.gpu = g, .options = {.parts = &x->parts}};
	return x->l1 ? CT_OK : ct_fail_nomem(e);
}

static const struct ct_constant rows[] = {
	{"lines", 8, 0, 1024, "", "Jouppi 1990 has 1 to 15", CT_CONSTANT_WHOLE, "of each victim cache"}};
static const struct ct_constants parameters = {rows, 1, 0, "victim", "", "", "victim.lines=16"};
static const struct ct_mechanism_system systems[] = {
	{"BL", "the L1 of this file alone", 0}, {"Victim", "with a victim cache beside it", 0}};
/* clang-format off */
static const struct ct_mechanism victim = {
	.abi = CT_MECHANISM_ABI, .size = sizeof victim, .name = "victim", .parameters = &parameters,
	.judged = "Victim", .baseline = "BL", .alternatives = (const char *const[]){"BL", NULL},
	.systems = systems, .n_systems = 2, .places = CT_PLACE_L1_LINES, .views = CT_READS_L1,
	.curve = CT_DRAWS_L1, .bound = CT_BOUND_L1, .by_cache = 1, .engine = engine, .engine_free = engine_free};
/* clang-format on */
CT_PLUGIN(victim);
