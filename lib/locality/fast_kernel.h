/* fast_kernel.h - the hot loops of the fast engine, compiled once per instruction set.
 * The including file defines what fast_win.h asks for, and
 *   bucket_match(bucket, line)     bit i set: place i of the bucket holds the line
 * Private. */

#include "base/bits.h"
#include "locality/fast.h"
#include "locality/fast_win.h"

CT_INLINE void win_prefetch(const struct ct_window *w, uint32_t t)
{
	CT_PREFETCH(&w->bits[t / 64]);
	CT_PREFETCH(&w->l1[t / 64]);
}

/* Stages one and two of the dense map: where the line's block hangs, and its time. */

CT_INLINE ct_block **dense_slot(struct ct_fast *f, uint64_t line)
{
	uint64_t key = line >> CT_REGION_BITS;
	const struct ct_region_slot *s = &f->dense.slot[ct_dense_home(&f->dense, key)];
	if (CT_LIKELY(s->key == key && s->region))
		return &s->region->block[line >> CT_BLOCK_BITS & (CT_REGION_BLOCKS - 1)];
	return ct_fast_region(f, line);
}

CT_INLINE uint32_t *dense_time(struct ct_fast *f, ct_block **at, uint64_t line)
{
	ct_block *b = *at;
	if (!CT_LIKELY(b != NULL))
		b = ct_fast_block(f, at);
	return &b[line & (CT_BLOCK_LINES - 1)];
}

/* Stage two of the sparse map. NULL: the line is not there. */
CT_INLINE uint32_t *sparse_time(struct ct_fast *f, uint64_t hash, uint64_t line,
                                struct ct_sector_run **run)
{
	const struct ct_segment *g = ct_sparse_segment(&f->sparse, hash);
	uint64_t home = ct_sparse_home(g, hash);
	struct ct_bucket *b = &g->bucket[home];
	unsigned match = bucket_match(b, line);
	if (CT_LIKELY(match != 0)) {
		unsigned i = ct_low_bit(match);
		if (g->run)
			*run = &g->run[home * CT_BUCKET_LINES + i];
		return &b->time[i];
	}
	return b->passed_on ? ct_sparse_find(&f->sparse, hash, line, run) : NULL;
}

CT_INLINE void sparse_prefetch(const struct ct_fast *f, uint64_t hash)
{
	const struct ct_segment *g = ct_sparse_segment(&f->sparse, hash);
	CT_PREFETCH(&g->bucket[ct_sparse_home(g, hash)]);
}

/* Stage three of a plain touch: the line's time becomes `slot`, the old one returns. */
CT_INLINE uint32_t sparse_exchange(struct ct_fast *f, uint64_t hash, uint64_t line, uint32_t slot)
{
	struct ct_sector_run *run = NULL;
	uint32_t *time = sparse_time(f, hash, line, &run), old = CT_TIME_NONE;
	if (time)
		old = *time;
	else
		time = ct_fast_enter(f, hash, line, &run);
	*time = slot;
	return old;
}

/* The stages run one after the other over blocks of accesses, each stage one block ahead
 * of the next: loops so short that the processor has many of their loads under way. */
enum { BLOCK = CT_FAST_AHEAD };

union near {
	ct_block **at; /* dense: where the line's block hangs */
	uint64_t hash; /* sparse */
};

CT_INLINE void find_dense(struct ct_fast *f, const uint64_t *line, size_t n, union near *near)
{
	for (size_t i = 0; i < n; i++) {
		near[i].at = dense_slot(f, line[i]);
		CT_PREFETCH(near[i].at);
	}
}

CT_INLINE void find_sparse(const struct ct_fast *f, const uint64_t *line, size_t n, union near *near)
{
	for (size_t i = 0; i < n; i++) {
		near[i].hash = ct_sparse_hash(line[i]);
		sparse_prefetch(f, near[i].hash);
	}
}

CT_INLINE void locate_dense(struct ct_fast *f, const uint64_t *line, size_t n, const union near *near,
                            uint32_t **time)
{
	for (size_t i = 0; i < n; i++) {
		time[i] = dense_time(f, near[i].at, line[i]);
		CT_PREFETCH(time[i]);
	}
}

CT_INLINE void exchange_dense(uint32_t **time, size_t n, uint32_t slot, uint32_t *told)
{
	for (size_t i = 0; i < n; i++) {
		told[i] = *time[i];
		*time[i] = slot++;
	}
}

CT_INLINE void exchange_sparse(struct ct_fast *f, const uint64_t *line, size_t n, const union near *near,
                               uint32_t slot, uint32_t *told)
{
	for (size_t i = 0; i < n; i++)
		told[i] = sparse_exchange(f, near[i].hash, line[i], slot++);
}

CT_INLINE void prefetch_window(const struct ct_window *w, const uint32_t *told, size_t n)
{
	for (size_t i = 0; i < n; i++)
		win_prefetch(w, told[i]);
}

struct tally {
	uint64_t fresh, cold; /* slots that became live; lines not known before */
};

/* Stage four of plain touches: each takes the next slot. */
CT_INLINE void count_block(struct win *w, const uint32_t *told, size_t n, uint64_t *distance,
                           uint64_t limit, struct tally *t, unsigned depth)
{
	for (size_t i = 0; i < n;) {
		unsigned room = 64 - w->pos;
		size_t end = n - i < room ? n : i + room;
		uint64_t slot = (uint64_t)1 << w->pos;
		w->pos += (unsigned)(end - i);
		for (; i < end; i++, slot <<= 1) {
			uint32_t old = told[i];
			uint64_t d;
			if (CT_LIKELY(old >= CT_WINDOW_FIRST)) {
				d = win_after(w, old, 1, depth);
				d = d < limit ? d : limit;
			} else {
				t->fresh++;
				t->cold += old == CT_TIME_NONE;
				d = old == CT_TIME_NONE ? CT_COLD : limit;
			}
			w->current |= slot;
			distance[i] = d;
		}
		if (w->pos == 64)
			win_next_word(w, depth);
	}
}

CT_INLINE size_t block_size(size_t n, size_t block)
{
	return n - block * BLOCK < BLOCK ? n - block * BLOCK : BLOCK;
}

/* All stages of n plain touches. */
CT_INLINE void touch(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance, int sparse,
                     unsigned depth)
{
	union near near[4][BLOCK];
	uint32_t *time[2][BLOCK], told[2][BLOCK], first = (uint32_t)f->window.now;
	size_t blocks = (n + BLOCK - 1) / BLOCK;
	struct tally t = {0, 0};
	struct win w;
	win_open(&w, &f->window);
	for (size_t b = 0; b < blocks + 3; b++) {
		size_t c = b - 1, d = b - 2, e = b - 3;
		if (b < blocks) {
			if (sparse)
				find_sparse(f, line + b * BLOCK, block_size(n, b), near[b % 4]);
			else
				find_dense(f, line + b * BLOCK, block_size(n, b), near[b % 4]);
		}
		if (!sparse && c < blocks)
			locate_dense(f, line + c * BLOCK, block_size(n, c), near[c % 4], time[c % 2]);
		if (d < blocks) {
			uint32_t slot = first + (uint32_t)(d * BLOCK);
			if (sparse)
				exchange_sparse(f, line + d * BLOCK, block_size(n, d), near[d % 4], slot,
				                told[d % 2]);
			else
				exchange_dense(time[d % 2], block_size(n, d), slot, told[d % 2]);
			prefetch_window(&f->window, told[d % 2], block_size(n, d));
		}
		if (e < blocks)
			count_block(&w, told[e % 2], block_size(n, e), distance + e * BLOCK, f->depth,
			            &t, depth);
	}
	f->window.live += t.fresh;
	f->lines += t.cold;
	win_close(&w, &f->window);
}

static void touch_batch(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance)
{
	if (f->is_sparse)
		touch(f, line, n, distance, 1, f->window.depth);
	else if (f->window.depth == 1)
		touch(f, line, n, distance, 0, 1);
	else if (f->window.depth == 2)
		touch(f, line, n, distance, 0, 2);
	else
		touch(f, line, n, distance, 0, f->window.depth);
}

/* The pipeline's first thread. It counts slots by itself: window.now is the other
 * thread's. */
static void map_batch(struct ct_fast *f, const uint64_t *line, size_t n, uint32_t first, uint32_t *told)
{
	union near near[4][BLOCK];
	uint32_t *time[2][BLOCK];
	size_t blocks = (n + BLOCK - 1) / BLOCK;
	int sparse = f->is_sparse;
	for (size_t b = 0; b < blocks + 2; b++) {
		size_t c = b - 1, d = b - 2;
		uint32_t slot = first + (uint32_t)(d * BLOCK);
		if (b < blocks) {
			if (sparse)
				find_sparse(f, line + b * BLOCK, block_size(n, b), near[b % 4]);
			else
				find_dense(f, line + b * BLOCK, block_size(n, b), near[b % 4]);
		}
		if (!sparse && c < blocks)
			locate_dense(f, line + c * BLOCK, block_size(n, c), near[c % 4], time[c % 2]);
		if (d < blocks) {
			if (sparse)
				exchange_sparse(f, line + d * BLOCK, block_size(n, d), near[d % 4], slot,
				                told + d * BLOCK);
			else
				exchange_dense(time[d % 2], block_size(n, d), slot, told + d * BLOCK);
		}
	}
}

/* The pipeline's second thread. */
static void count_batch(struct ct_fast *f, const uint32_t *told, size_t n, uint64_t *distance)
{
	size_t blocks = (n + BLOCK - 1) / BLOCK;
	struct tally t = {0, 0};
	struct win w;
	win_open(&w, &f->window);
	for (size_t b = 0; b < blocks + 1; b++) {
		size_t c = b - 1;
		if (b < blocks)
			prefetch_window(&f->window, told + b * BLOCK, block_size(n, b));
		if (c < blocks)
			count_block(&w, told + c * BLOCK, block_size(n, c), distance + c * BLOCK,
			            f->depth, &t, w.depth);
	}
	f->window.live += t.fresh;
	f->lines += t.cold;
	win_close(&w, &f->window);
}

#if !WIN_AVX512
static void renumber(const struct ct_renumber *r, uint32_t *time, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t t = time[i];
		if (t < CT_WINDOW_FIRST)
			continue;
		uint64_t before = r->bits[t / 64] & (((uint64_t)1 << t % 64) - 1);
		uint32_t at = r->rank[t / 64] + (uint32_t)POPCOUNT(before);
		time[i] = at >= r->lost ? CT_WINDOW_FIRST + at - r->lost : CT_TIME_FAR;
	}
}
#endif

#include "locality/fast_ops.h"
#include "locality/fast_sms.h"
