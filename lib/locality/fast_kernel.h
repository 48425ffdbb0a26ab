/* fast_kernel.h - the hot loops of the fast engine, compiled once per instruction set.
 * The including file defines what fast_win.h asks for, and
 *   bucket_match(bucket, line)     bit i set: place i of the bucket holds the line
 * Private. */

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
		unsigned i = 0;
		while (!(match >> i & 1))
			i++;
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
CT_INLINE uint32_t sparse_exchange(struct ct_fast *f, uint64_t hash, uint64_t line,
                                   uint32_t slot)
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

/* Stage four of a plain touch. */
CT_INLINE uint64_t count_touch(struct win *w, uint32_t old, uint64_t depth, uint64_t *fresh,
                               uint64_t *cold)
{
	uint64_t d;
	if (CT_LIKELY(old >= CT_WINDOW_FIRST)) {
		d = win_after(w, old, 1);
		d = d < depth ? d : depth;
	} else {
		++*fresh;
		*cold += old == CT_TIME_NONE;
		d = old == CT_TIME_NONE ? CT_COLD : depth;
	}
	win_push(w);
	return d;
}

static void touch_dense(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance)
{
	enum { MASK = CT_FAST_RING - 1 };
	ct_block **at[CT_FAST_RING];
	uint32_t *time[CT_FAST_RING], told[CT_FAST_RING];
	struct win w;
	uint64_t fresh = 0, cold = 0, depth = f->depth;
	uint32_t first = (uint32_t)f->window.now;
	size_t a = 0, b = 0, c = 0;
	win_open(&w, &f->window);
	for (size_t i = 0; i < n; i++) {
		for (; a < n && a <= i + 3 * CT_FAST_AHEAD; a++) {
			at[a & MASK] = dense_slot(f, line[a]);
			CT_PREFETCH(at[a & MASK]);
		}
		for (; b < n && b <= i + 2 * CT_FAST_AHEAD; b++) {
			time[b & MASK] = dense_time(f, at[b & MASK], line[b]);
			CT_PREFETCH_L2(time[b & MASK]);
		}
		for (; c < n && c <= i + CT_FAST_AHEAD; c++) {
			uint32_t old = *time[c & MASK];
			*time[c & MASK] = first + (uint32_t)c;
			told[c & MASK] = old;
			win_prefetch(&f->window, old);
		}
		distance[i] = count_touch(&w, told[i & MASK], depth, &fresh, &cold);
	}
	f->window.live += fresh;
	f->lines += cold;
	win_close(&w, &f->window);
}

static void touch_sparse(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance)
{
	enum { MASK = CT_FAST_RING - 1 };
	uint64_t hash[CT_FAST_RING];
	uint32_t told[CT_FAST_RING];
	struct win w;
	uint64_t fresh = 0, cold = 0, depth = f->depth;
	uint32_t first = (uint32_t)f->window.now;
	size_t a = 0, c = 0;
	win_open(&w, &f->window);
	for (size_t i = 0; i < n; i++) {
		for (; a < n && a <= i + 2 * CT_FAST_AHEAD; a++) {
			hash[a & MASK] = ct_sparse_hash(line[a]);
			sparse_prefetch(f, hash[a & MASK]);
		}
		for (; c < n && c <= i + CT_FAST_AHEAD; c++) {
			told[c & MASK] = sparse_exchange(f, hash[c & MASK], line[c],
			                                 first + (uint32_t)c);
			win_prefetch(&f->window, told[c & MASK]);
		}
		distance[i] = count_touch(&w, told[i & MASK], depth, &fresh, &cold);
	}
	f->window.live += fresh;
	f->lines += cold;
	win_close(&w, &f->window);
}

static void touch_batch(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance)
{
	if (f->is_sparse)
		touch_sparse(f, line, n, distance);
	else
		touch_dense(f, line, n, distance);
}

/* The pipeline's first thread. It counts slots by itself: window.now is the other
 * thread's. */
static void map_batch(struct ct_fast *f, const uint64_t *line, size_t n, uint32_t first,
                      uint32_t *told)
{
	enum { MASK = CT_FAST_RING - 1 };
	union {
		ct_block **at;
		uint64_t hash;
	} near[CT_FAST_RING];
	uint32_t *time[CT_FAST_RING];
	size_t a = 0, b = 0;
	for (size_t i = 0; i < n; i++) {
		for (; a < n && a <= i + 2 * CT_FAST_AHEAD; a++) {
			if (f->is_sparse) {
				near[a & MASK].hash = ct_sparse_hash(line[a]);
				sparse_prefetch(f, near[a & MASK].hash);
			} else {
				near[a & MASK].at = dense_slot(f, line[a]);
				CT_PREFETCH(near[a & MASK].at);
			}
		}
		for (; !f->is_sparse && b < n && b <= i + CT_FAST_AHEAD; b++) {
			time[b & MASK] = dense_time(f, near[b & MASK].at, line[b]);
			CT_PREFETCH(time[b & MASK]);
		}
		if (f->is_sparse) {
			told[i] = sparse_exchange(f, near[i & MASK].hash, line[i],
			                          first + (uint32_t)i);
		} else {
			told[i] = *time[i & MASK];
			*time[i & MASK] = first + (uint32_t)i;
		}
	}
}

/* The pipeline's second thread. */
static void count_batch(struct ct_fast *f, const uint32_t *told, size_t n, uint64_t *distance)
{
	struct win w;
	uint64_t fresh = 0, cold = 0, depth = f->depth;
	size_t a = 0;
	win_open(&w, &f->window);
	for (size_t i = 0; i < n; i++) {
		for (; a < n && a <= i + CT_FAST_AHEAD; a++)
			win_prefetch(&f->window, told[a]);
		distance[i] = count_touch(&w, told[i], depth, &fresh, &cold);
	}
	f->window.live += fresh;
	f->lines += cold;
	win_close(&w, &f->window);
}

/* Mixed operations. */

struct op_place {
	union {
		ct_block **at;
		uint64_t hash;
	} near;
	uint32_t *time;            /* NULL: no block, the line is unknown */
	struct ct_sector_run *run;
	uint32_t told;
};

CT_INLINE void op_find(struct ct_fast *f, const struct ct_stack_op *op, struct op_place *p)
{
	if (f->is_sparse) {
		p->near.hash = ct_sparse_hash(op->line);
		sparse_prefetch(f, p->near.hash);
	} else {
		p->near.at = dense_slot(f, op->line);
		CT_PREFETCH(p->near.at);
	}
}

CT_INLINE void op_locate(struct ct_fast *f, const struct ct_stack_op *op, struct op_place *p)
{
	p->time = NULL;
	p->run = NULL;
	if (f->is_sparse || (op->kind != CT_STACK_TOUCH && !*p->near.at))
		return;
	p->time = dense_time(f, p->near.at, op->line);
	CT_PREFETCH(p->time);
	if (f->extra) {
		unsigned i = op->line & (CT_BLOCK_LINES - 1);
		p->run = &ct_block_runs(p->time - i)[i];
		CT_PREFETCH(p->run);
	}
}

/* Changes the map; returns how many slots the operation takes. */
CT_INLINE unsigned op_exchange(struct ct_fast *f, const struct ct_stack_op *op,
                               struct op_place *p, uint32_t slot)
{
	if (f->is_sparse) {
		p->time = sparse_time(f, p->near.hash, op->line, &p->run);
		if (!p->time && op->kind == CT_STACK_TOUCH) {
			p->time = ct_fast_enter(f, p->near.hash, op->line, &p->run);
			*p->time = CT_TIME_NONE;
		}
	}
	p->told = p->time ? *p->time : CT_TIME_NONE;
	win_prefetch(&f->window, p->told);
	switch (op->kind) {
	case CT_STACK_TOUCH:
		*p->time = slot;
		return 1;
	case CT_STACK_STORE_NOALLOC:
		if (p->told == CT_TIME_NONE)
			return 0;
		*p->time = slot;
		return 1;
	case CT_STACK_EVICT:
		if (p->time)
			*p->time = CT_TIME_NONE;
		return 0;
	default:
		return 0;
	}
}

CT_INLINE void op_count(struct ct_fast *f, struct ct_stack_op *op, struct op_place *p,
                        struct win *w)
{
	uint64_t d = p->told == CT_TIME_NONE ? CT_COLD : f->depth;
	int in_window = p->told >= CT_WINDOW_FIRST, moves = op->kind != CT_STACK_PROBE;
	if (in_window) {
		d = moves ? win_after(w, p->told, 1) : win_after(w, p->told, 0);
		d = d < f->depth ? d : f->depth;
		f->window.live -= (uint64_t)moves;
	}
	op->distance = d;
	if (op->kind == CT_STACK_TOUCH ||
	    (op->kind == CT_STACK_STORE_NOALLOC && p->told != CT_TIME_NONE)) {
		win_push(w);
		f->window.live++;
		f->lines += p->told == CT_TIME_NONE;
	}
	if (op->kind == CT_STACK_EVICT && p->told != CT_TIME_NONE)
		f->lines--;
	if (!moves)
		return;
	if (p->run) {
		uint64_t stamp = op->stamp;
		if (p->told == CT_TIME_NONE)
			ct_sector_run_reset(p->run);
		if (f->base.stamps) {
			op->stamp = p->run->stamp;
			p->run->stamp = stamp;
		}
		if (f->base.sectors > 1) {
			ct_sector_run_step(p->run, d, op->mask, op->kind == CT_STACK_TOUCH,
			                   op->sector);
			return;
		}
	} else if (f->base.stamps) {
		op->stamp = 0;
	}
	for (unsigned i = 0; i < f->base.sectors; i++)
		if (op->mask >> i & 1)
			op->sector[i] = d;
}

static void ops_batch(struct ct_fast *f, struct ct_stack_op *op, size_t n)
{
	enum { MASK = CT_FAST_RING - 1 };
	struct op_place place[CT_FAST_RING];
	struct win w;
	uint32_t slot = (uint32_t)f->window.now;
	size_t a = 0, b = 0, c = 0;
	/* Entering a line may move the sectors of a sparse map: no stage between then. */
	size_t last = f->is_sparse && f->extra ? 0 : CT_FAST_AHEAD;
	win_open(&w, &f->window);
	for (size_t i = 0; i < n; i++) {
		for (; a < n && a <= i + 3 * CT_FAST_AHEAD; a++)
			op_find(f, &op[a], &place[a & MASK]);
		for (; b < n && b <= i + 2 * CT_FAST_AHEAD; b++)
			op_locate(f, &op[b], &place[b & MASK]);
		for (; c < n && c <= i + last; c++)
			slot += op_exchange(f, &op[c], &place[c & MASK], slot);
		op_count(f, &op[i], &place[i & MASK], &w);
	}
	win_close(&w, &f->window);
}
