/* The fast engine: what is not a hot loop. See fast.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/fast.h"
#include "locality/pages.h"
#include "locality/stack_pipe.h"

enum {
	FIRST_WINDOW = 4096,       /* slots */
	WINDOW_PER_LINE = 6,       /* slots per live line after a compaction: renumbering then
	                            costs a fifth of a step per access */
	DENSE_BYTES_PER_LINE = 28, /* above, the map turns sparse ... */
	DENSE_SLACK = 24 << 20     /* ... once it has this many bytes more: scattered lines of
	                            a dense range begin as if they were sparse */
};

static struct ct_fast *fast_of(struct ct_stack *s)
{
	return (struct ct_fast *)(void *)s;
}

/* Compaction: live slots are renumbered in order, lines beyond the depth lose theirs. */

static void renumber_times(void *ctx, uint32_t *time, size_t n)
{
	const struct ct_renumber *r = ctx;
	r->kernel->renumber(r, time, n);
}

static void renumber_block(void *ctx, uint64_t line, ct_block *b)
{
	(void)line;
	renumber_times(ctx, b, CT_BLOCK_LINES);
}

/* Numbers the slots of living lines anew, from the oldest on, in a larger window where most are alive.
 * Lines beyond the depth are forgotten. */
static int compact_window(struct ct_fast *f)
{
	struct ct_window *old = &f->window, bigger = {0};
	uint64_t kept = old->live < f->depth ? old->live : f->depth;
	uint64_t want = kept * WINDOW_PER_LINE;
	if (f->step)
		want = CT_WINDOW_FIRST + kept + f->step;
	else if (want < FIRST_WINDOW)
		want = FIRST_WINDOW;
	uint32_t *rank = ct_pages_alloc(old->slots / 64 * sizeof *rank, 0);
	if (!rank || f->lines > CT_STACK_MAX_LINES ||
	    (want > old->slots && ct_window_init(&bigger, want) < 0)) {
		free(rank);
		f->base.failed = 1;
		return -1;
	}
	ct_window_rank(old, rank);
	struct ct_renumber r = {f->kernel, old->bits, rank, (uint32_t)(old->live - kept)};
	if (f->is_sparse)
		ct_sparse_each(&f->sparse, renumber_times, &r);
	else
		ct_dense_each(&f->dense, renumber_block, &r);
	free(rank);
	if (bigger.slots) {
		ct_window_free(&f->window);
		f->window = bigger;
	}
	ct_window_fill(&f->window, kept);
	f->end = f->step ? want : f->window.slots;
	return 0;
}

/* Order of the lines on the stack */

struct order {
	const struct ct_window *window;
	const uint32_t *rank;
	uint64_t *line;
};

static void put_line(const struct order *o, uint32_t time, uint64_t line)
{
	uint64_t before = ((uint64_t)1 << time % 64) - 1;
	if (time >= CT_WINDOW_FIRST)
		o->line[o->rank[time / 64] + ct_window_bits(o->window->bits[time / 64] & before)] = line;
}

static void order_block(void *ctx, uint64_t line, ct_block *b)
{
	for (unsigned i = 0; i < CT_BLOCK_LINES; i++)
		put_line(ctx, b[i], line + i);
}

/* The bucket that these are the times of. */
static const struct ct_bucket *bucket_of(const uint32_t *time)
{
	return (const struct ct_bucket *)(const void *)((const char *)time -
	                                                offsetof(struct ct_bucket, time));
}

static void order_bucket(void *ctx, uint32_t *time, size_t n)
{
	const struct ct_bucket *b = bucket_of(time);
	for (size_t i = 0; i < n; i++)
		put_line(ctx, time[i], b->line[i]);
}

int ct_fast_order(const struct ct_fast *f, uint64_t *line)
{
	uint32_t *rank = ct_pages_alloc(f->window.slots / 64 * sizeof *rank, 0);
	struct order o = {&f->window, rank, line};
	if (!rank)
		return -1;
	ct_window_rank(&f->window, rank);
	if (f->is_sparse)
		ct_sparse_each(&f->sparse, order_bucket, &o);
	else
		ct_dense_each(&f->dense, order_block, &o);
	free(rank);
	return 0;
}

/* Where the lines of the stack go, in the order of the map. */
static void list_block(void *ctx, uint64_t line, ct_block *b)
{
	uint64_t **next = ctx;
	for (unsigned i = 0; i < CT_BLOCK_LINES; i++)
		if (b[i] != CT_TIME_NONE)
			*(*next)++ = line + i;
}

static void list_bucket(void *ctx, uint32_t *time, size_t n)
{
	const struct ct_bucket *b = bucket_of(time);
	uint64_t **next = ctx;
	for (size_t i = 0; i < n; i++)
		if (time[i] != CT_TIME_NONE)
			*(*next)++ = b->line[i];
}

static void fast_list(const struct ct_stack *s, uint64_t *line)
{
	const struct ct_fast *f = (const struct ct_fast *)(const void *)s;
	if (f->is_sparse)
		ct_sparse_each(&f->sparse, list_bucket, &line);
	else
		ct_dense_each(&f->dense, list_block, &line);
}

/* Moves a block of lines from the dense to the sparse map. */
static void move_block(void *ctx, uint64_t line, ct_block *b)
{
	struct ct_fast *f = ctx;
	for (unsigned i = 0; i < CT_BLOCK_LINES; i++) {
		struct ct_sector_run *run = NULL;
		if (b[i] == CT_TIME_NONE)
			continue;
		*ct_fast_enter(f, ct_sparse_hash(line + i), line + i, &run) = b[i];
		if (f->extra)
			*run = ct_block_runs(b)[i];
	}
}

static int turn_sparse(struct ct_fast *f)
{
	if (ct_sparse_init(&f->sparse, f->extra, f->lines + f->lines / 4) < 0) {
		f->base.failed = 1;
		return -1;
	}
	ct_dense_each(&f->dense, move_block, f);
	ct_dense_free(&f->dense);
	f->is_sparse = 1;
	return f->base.failed ? -1 : 0;
}

int ct_fast_too_sparse(const struct ct_fast *f, uint64_t known)
{
	/* With sectors or stamps a line is seven times as large in both maps. */
	size_t per_line = DENSE_BYTES_PER_LINE * (f->extra ? 7 : 1);
	return f->dense.used > f->slack + known * per_line;
}

size_t ct_fast_prepare(struct ct_fast *f, size_t n)
{
	if (f->base.failed)
		return 0;
	if (!f->is_sparse && ct_fast_too_sparse(f, f->lines) && turn_sparse(f) < 0)
		return 0;
	if (f->window.now >= f->end && compact_window(f) < 0)
		return 0;
	uint64_t room = f->end - f->window.now;
	if (n > CT_FAST_CHUNK)
		n = CT_FAST_CHUNK;
	return n < room ? n : (size_t)room;
}

ct_block **ct_fast_region(struct ct_fast *f, uint64_t line)
{
	struct ct_region *r = ct_dense_region(&f->dense, line >> CT_REGION_BITS);
	if (r)
		return &r->block[line >> CT_BLOCK_BITS & (CT_REGION_BLOCKS - 1)];
	f->base.failed = 1;
	f->scratch_block = f->dense.scratch;
	return &f->scratch_block;
}

ct_block *ct_fast_block(struct ct_fast *f, ct_block **at)
{
	*at = ct_dense_block(&f->dense);
	if (*at)
		return *at;
	f->base.failed = 1;
	return f->dense.scratch;
}

uint32_t *ct_fast_enter(struct ct_fast *f, uint64_t hash, uint64_t line, struct ct_sector_run **run)
{
	uint32_t *time = ct_sparse_enter(&f->sparse, hash, line, run);
	if (time)
		return time;
	f->base.failed = 1;
	*run = &f->scratch_run;
	return &f->scratch_time;
}

/* Operations of stack.h */

/* Runs operations as far as the window has room, makes room, and goes on. */
static void fast_operations(struct ct_stack *s, struct ct_stack_op *op, size_t n)
{
	struct ct_fast *f = fast_of(s);
	while (n > 0) {
		size_t m = ct_fast_prepare(f, n);
		if (m == 0)
			break;
		f->kernel->ops(f, op, m);
		op += m;
		n -= m;
	}
	for (; n > 0; n--, op++) { /* failed: results are void, but defined */
		op->distance = CT_COLD;
		for (int i = 0; i < 4; i++)
			op->sector[i] = CT_COLD;
	}
}

static uint64_t access_line(struct ct_stack *s, uint64_t line, uint32_t mask, int allocate, int fill,
                            uint64_t *sector)
{
	(void)fill; /* what allocates also fills */
	struct ct_stack_op op = {.line = line,
	                         .mask = (uint8_t)mask,
	                         .kind = allocate ? CT_STACK_TOUCH : CT_STACK_STORE_NOALLOC};
	fast_operations(s, &op, 1);
	for (unsigned i = 0; sector && i < 4; i++)
		if (mask >> i & 1)
			sector[i] = op.sector[i];
	return op.distance;
}

/* Whole lines of a sectored stack: every sector's state moves too. */
static void batch_sectors(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance)
{
	struct ct_stack_op op[256];
	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < 256 ? n - i : 256;
		for (size_t k = 0; k < m; k++) {
			op[k].line = line[i + k];
			op[k].kind = CT_STACK_TOUCH;
			op[k].mask = 15;
			op[k].stamp = 0;
		}
		fast_operations(s, op, m);
		for (size_t k = 0; k < m; k++)
			distance[i + k] = op[k].distance;
	}
}

/* Touches n lines: on two threads where that pays, else in stretches for which the window has room. */
static void fast_batch(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance)
{
	struct ct_fast *f = fast_of(s);
	if (f->extra) {
		batch_sectors(s, line, n, distance);
		return;
	}
	if (f->threads > 1 && n >= CT_PIPE_LEAST) {
		size_t m = ct_stack_pipe(f, line, n, distance);
		line += m;
		distance += m;
		n -= m;
	}
	while (n > 0) {
		size_t m = ct_fast_prepare(f, n);
		if (m == 0)
			break;
		f->kernel->touch(f, line, m, distance);
		line += m;
		distance += m;
		n -= m;
	}
	for (; n > 0; n--)
		*distance++ = CT_COLD;
}

/* The distance that a touch would have, from the line's time and the window. */
static uint64_t fast_probe(const struct ct_stack *s, uint64_t line)
{
	const struct ct_fast *f = (const struct ct_fast *)(const void *)s;
	const uint32_t *time = NULL;
	if (f->is_sparse) {
		time = ct_sparse_find(&f->sparse, ct_sparse_hash(line), line, NULL);
	} else {
		const struct ct_region *r = ct_dense_find(&f->dense, line >> CT_REGION_BITS);
		const ct_block *b = r ? r->block[line >> CT_BLOCK_BITS & (CT_REGION_BLOCKS - 1)] : NULL;
		time = b ? &b[line & (CT_BLOCK_LINES - 1)] : NULL;
	}
	if (!time || *time == CT_TIME_NONE)
		return CT_COLD;
	uint64_t d = *time < CT_WINDOW_FIRST ? f->depth : ct_window_after(&f->window, *time);
	return d < f->depth ? d : f->depth;
}

static void fast_invalidate(struct ct_stack *s, uint64_t line)
{
	struct ct_stack_op op = {.line = line, .kind = CT_STACK_EVICT};
	fast_operations(s, &op, 1);
}

/* Lines that are left have gaps between them: the sparse map holds them in less, and makes use of places again. A
 * sparse one does so when it is full. */
static void fast_shrink(struct ct_stack *s)
{
	struct ct_fast *f = fast_of(s);
	if (!f->is_sparse && !s->failed)
		(void)turn_sparse(f);
}

static void fast_flush(struct ct_stack *s)
{
	struct ct_fast *f = fast_of(s);
	if (f->is_sparse)
		ct_sparse_flush(&f->sparse);
	else
		ct_dense_flush(&f->dense);
	ct_window_fill(&f->window, 0);
	f->lines = 0;
	f->end = f->step ? CT_WINDOW_FIRST + f->step : f->window.slots;
}

static uint64_t fast_lines(const struct ct_stack *s)
{
	return ((const struct ct_fast *)(const void *)s)->lines;
}

static size_t fast_bytes(const struct ct_stack *s)
{
	const struct ct_fast *f = (const struct ct_fast *)(const void *)s;
	return sizeof *f + f->window.bytes + (f->is_sparse ? f->sparse.bytes : f->dense.bytes);
}

static void fast_free(struct ct_stack *s)
{
	struct ct_fast *f = fast_of(s);
	ct_dense_free(&f->dense);
	ct_sparse_free(&f->sparse);
	ct_window_free(&f->window);
	free(f);
}

const struct ct_fast_kernel *ct_fast_kernel_of(int isa)
{
	switch (ct_isa_resolve((enum ct_isa)isa)) {
#if CT_X86
	case CT_ISA_AVX512: return &ct_fast_avx512;
	case CT_ISA_AVX2: return &ct_fast_avx2;
	case CT_ISA_POPCNT: return &ct_fast_popcnt;
#endif
	default: return &ct_fast_portable;
	}
}

static const struct ct_stack_ops table = {
	access_line, fast_batch, fast_operations, fast_probe, fast_invalidate, fast_list,
	fast_shrink, fast_flush, fast_lines,      fast_bytes, fast_free};

struct ct_fast *ct_stack_as_fast(struct ct_stack *s)
{
	return s->ops == &table ? fast_of(s) : NULL;
}

struct ct_stack *ct_stack_fast_new(const struct ct_stack_options *o)
{
	struct ct_fast *f = ct_calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->base.ops = &table;
	f->base.sectors = o->sectors;
	f->kernel = ct_fast_kernel_of(o->isa);
	f->threads = o->threads;
	f->isa = o->isa;
	f->slack = o->slack ? o->slack : DENSE_SLACK;
	f->step = o->window;
	/* Distances never reach 2^31. */
	f->depth = o->depth && o->depth < (uint64_t)1 << 31 ? o->depth : UINT64_MAX;
	f->is_sparse = o->sparse;
	f->extra = o->sectors > 1 || o->stamps;
	int rc = o->sparse ? ct_sparse_init(&f->sparse, f->extra, o->expected_lines)
	                   : ct_dense_init(&f->dense, f->extra);
	if (rc < 0 ||
	    ct_window_init(&f->window, f->step ? CT_WINDOW_FIRST + f->step : FIRST_WINDOW) < 0) {
		fast_free(&f->base);
		return NULL;
	}
	f->end = f->step ? CT_WINDOW_FIRST + f->step : f->window.slots;
	return &f->base;
}
