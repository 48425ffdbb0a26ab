/* fast_ops.h - mixed operations of the fast engine, compiled once per instruction set with
 * fast_kernel.h. Private. */

struct op_place {
	union near near;
	uint32_t *time; /* NULL: no block, the line is unknown */
	struct ct_sector_run *run;
	uint32_t told;
};

/* In all stages `touches` is a constant: 1 where all operations are touches in a dense map that keeps sectors and no stamps, as
 * most are, so that nothing else need be asked for. */
CT_INLINE void op_find(struct ct_fast *f, const struct ct_stack_op *op, struct op_place *p, int touches)
{
	if (!touches && f->is_sparse) {
		p->near.hash = ct_sparse_hash(op->line);
		sparse_prefetch(f, p->near.hash);
	} else {
		p->near.at = dense_slot(f, op->line);
		CT_PREFETCH(p->near.at);
	}
}

CT_INLINE void op_locate(struct ct_fast *f, const struct ct_stack_op *op, struct op_place *p,
                         int touches)
{
	p->time = NULL;
	p->run = NULL;
	if (!touches && (f->is_sparse || (op->kind != CT_STACK_TOUCH && !*p->near.at)))
		return;
	p->time = dense_time(f, p->near.at, op->line);
	CT_PREFETCH(p->time);
	if (touches || f->extra) {
		unsigned i = op->line & (CT_BLOCK_LINES - 1);
		p->run = &ct_block_runs(p->time - i)[i];
		CT_PREFETCH(p->run);
	}
}

/* Changes the map; returns how many slots the operation takes. */
CT_INLINE unsigned op_exchange(struct ct_fast *f, const struct ct_stack_op *op, struct op_place *p,
                               uint32_t slot, int touches)
{
	if (!touches && f->is_sparse) {
		p->time = sparse_time(f, p->near.hash, op->line, &p->run);
		if (!p->time && op->kind == CT_STACK_TOUCH) {
			p->time = ct_fast_enter(f, p->near.hash, op->line, &p->run);
			*p->time = CT_TIME_NONE;
		}
	}
	p->told = touches || p->time ? *p->time : CT_TIME_NONE;
	win_prefetch(&f->window, p->told);
	switch (touches ? CT_STACK_TOUCH : op->kind) {
	case CT_STACK_TOUCH: *p->time = slot; return 1;
	case CT_STACK_STORE_NOALLOC:
		if (p->told == CT_TIME_NONE)
			return 0;
		*p->time = slot;
		return 1;
	case CT_STACK_EVICT:
		if (p->time)
			*p->time = CT_TIME_NONE;
		return 0;
	default: return 0;
	}
}

/* The last stage of an operation: its distance, from the place that the line had in the window, and the
 * window's new state. */
CT_INLINE void op_count(struct ct_fast *f, struct ct_stack_op *op, struct op_place *p, struct win *w,
                        int touches)
{
	const unsigned kind = touches ? CT_STACK_TOUCH : op->kind;
	const int stamps = !touches && f->base.stamps;
	uint64_t d = p->told == CT_TIME_NONE ? CT_COLD : f->depth;
	int in_window = p->told >= CT_WINDOW_FIRST, moves = kind != CT_STACK_PROBE;
	if (in_window) {
		d = moves ? win_after(w, p->told, 1, w->depth) : win_after(w, p->told, 0, w->depth);
		d = d < f->depth ? d : f->depth;
		f->window.live -= (uint64_t)moves;
	}
	op->distance = d;
	if (kind == CT_STACK_TOUCH || (kind == CT_STACK_STORE_NOALLOC && p->told != CT_TIME_NONE)) {
		win_push(w);
		f->window.live++;
		f->lines += p->told == CT_TIME_NONE;
	}
	if (kind == CT_STACK_EVICT && p->told != CT_TIME_NONE)
		f->lines--;
	if (!moves)
		return;
	if (touches || p->run) {
		uint64_t stamp = op->stamp;
		if (p->told == CT_TIME_NONE)
			ct_sector_run_reset(p->run);
		if (stamps) {
			op->stamp = p->run->stamp;
			p->run->stamp = stamp;
		}
		if (touches || f->base.sectors > 1) {
			ct_sector_run_step(p->run, d, op->mask, kind == CT_STACK_TOUCH, op->sector);
			return;
		}
	} else if (stamps) {
		op->stamp = 0;
	}
	for (unsigned i = 0; i < f->base.sectors; i++)
		if (op->mask >> i & 1)
			op->sector[i] = d;
}

static int all_touches(const struct ct_stack_op *op, size_t n)
{
	unsigned other = 0;
	for (size_t i = 0; i < n; i++)
		other |= op[i].kind ^ CT_STACK_TOUCH;
	return !other;
}

/* Runs the operations in four stages over blocks, each stage one block behind the one before: what a
 * stage prefetched has arrived when the next one reads it. */
CT_INLINE void run_ops(struct ct_fast *f, struct ct_stack_op *op, size_t n, int touches)
{
	struct op_place place[4][BLOCK];
	struct win w;
	uint32_t slot = (uint32_t)f->window.now;
	size_t blocks = (n + BLOCK - 1) / BLOCK;
	/* Entering a line may move the sectors of a sparse map: no stage between then. */
	int at_once = !touches && f->is_sparse && f->extra;
	win_open(&w, &f->window);
	for (size_t b = 0; b < blocks + 3; b++) {
		size_t c = b - 1, d = b - 2, e = b - 3;
		for (size_t i = 0; b < blocks && i < block_size(n, b); i++)
			op_find(f, &op[b * BLOCK + i], &place[b % 4][i], touches);
		for (size_t i = 0; c < blocks && i < block_size(n, c); i++)
			op_locate(f, &op[c * BLOCK + i], &place[c % 4][i], touches);
		for (size_t i = 0; !at_once && d < blocks && i < block_size(n, d); i++)
			slot += op_exchange(f, &op[d * BLOCK + i], &place[d % 4][i], slot, touches);
		for (size_t i = 0; e < blocks && i < block_size(n, e); i++) {
			struct ct_stack_op *o = &op[e * BLOCK + i];
			if (at_once)
				slot += op_exchange(f, o, &place[e % 4][i], slot, touches);
			op_count(f, o, &place[e % 4][i], &w, touches);
		}
	}
	win_close(&w, &f->window);
}

static void ops_batch(struct ct_fast *f, struct ct_stack_op *op, size_t n)
{
	if (!f->is_sparse && f->extra && !f->base.stamps && f->base.sectors > 1 && all_touches(op, n))
		run_ops(f, op, n, 1);
	else
		run_ops(f, op, n, 0);
}
