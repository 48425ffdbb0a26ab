/* Registers of a function's values: exact liveness, joined copies, linear scan (Poletto and
 * Sarkar 1999) over whole intervals. Nothing is spilled: a value that finds no room shares
 * the registers of the one that lives longest, and is counted. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracegen/capture/ir.h"

enum { REGS = 255, ROUNDS = 64 };

struct live {
	const struct ir *ir;
	const struct ir_func *f;
	struct cap_code *c;
	size_t words;       /* of a set of vregs */
	uint64_t *in, *out; /* per block */
	uint32_t *next;     /* members of a joined class, a ring */
};

static int has_member(const uint64_t *set, uint32_t v)
{
	return set[v / 64] >> v % 64 & 1;
}

static void add_member(uint64_t *set, uint32_t v)
{
	set[v / 64] |= UINT64_C(1) << v % 64;
}

static uint32_t block_start(const struct live *l, uint32_t b)
{
	return b ? l->c->block_end[b - 1] : l->c->first_op;
}

static int writes_all(const struct live *l, const struct cap_op *o)
{
	return o->dst.v != CAP_NONE && o->dst.n == l->c->vreg[o->dst.v].n;
}

/* One pass backwards over all blocks; says whether a set grew. */
static int flow_once(struct live *l, uint64_t *now)
{
	int grew = 0;
	for (uint32_t b = l->f->nblock; b-- > 0;) {
		const struct ir_block *k = &l->ir->block[l->f->block + b];
		uint64_t *out = l->out + b * l->words, *in = l->in + b * l->words;
		for (uint32_t s = 0; s < k->nsucc; s++)
			for (size_t w = 0; w < l->words; w++)
				out[w] |= l->in[l->ir->succ[k->succ + s] * l->words + w];
		memcpy(now, out, l->words * sizeof *now);
		for (uint32_t i = l->c->block_end[b]; i-- > block_start(l, b);) {
			const struct cap_op *o = &l->c->op[i];
			if (writes_all(l, o))
				now[o->dst.v / 64] &= ~(UINT64_C(1) << o->dst.v % 64);
			for (unsigned s = 0; s < o->nsrc; s++)
				add_member(now, o->src[s].v);
		}
		for (size_t w = 0; w < l->words; w++) {
			grew |= (now[w] & ~in[w]) != 0;
			in[w] |= now[w];
		}
	}
	return grew;
}

static void cover_place(struct cap_vreg *v, uint32_t at)
{
	if (at < v->start)
		v->start = at;
	if (at > v->end)
		v->end = at;
}

static void find_intervals(struct live *l)
{
	for (size_t v = 0; v < l->c->nv; v++) {
		l->c->vreg[v].start = CAP_NONE;
		l->c->vreg[v].end = 0;
	}
	for (uint32_t b = 0; b < l->f->nblock; b++) {
		uint32_t start = block_start(l, b), end = l->c->block_end[b];
		for (uint32_t v = 0; v < l->c->nv; v++) {
			if (has_member(l->in + b * l->words, v))
				cover_place(&l->c->vreg[v], start);
			if (has_member(l->out + b * l->words, v))
				cover_place(&l->c->vreg[v], end);
		}
		for (uint32_t i = start; i < end; i++) {
			const struct cap_op *o = &l->c->op[i];
			for (unsigned s = 0; s < o->nsrc; s++)
				cover_place(&l->c->vreg[o->src[s].v], i);
			if (o->dst.v != CAP_NONE)
				cover_place(&l->c->vreg[o->dst.v], i);
		}
	}
}

static uint32_t find_root(struct cap_code *c, uint32_t v)
{
	while (c->vreg[v].parent != v)
		v = c->vreg[v].parent = c->vreg[c->vreg[v].parent].parent;
	return v;
}

/* Where v lives in block b, in at most two pieces (a value that wraps around a loop's end lives
 * at both ends of its block). Returns their number. */
static unsigned pieces_of(const struct live *l, uint32_t b, uint32_t v, uint32_t from[2], uint32_t to[2])
{
	uint32_t end = l->c->block_end[b];
	unsigned n = 0;
	if (has_member(l->in + b * l->words, v))
		from[n] = to[n] = block_start(l, b), n++;
	for (uint32_t i = block_start(l, b); i < end; i++) {
		const struct cap_op *o = &l->c->op[i];
		int used = 0;
		for (unsigned s = 0; s < o->nsrc; s++)
			used |= o->src[s].v == v;
		if (used && n)
			to[n - 1] = i;
		if (o->dst.v != v)
			continue;
		if (n == 0 || (n == 1 && writes_all(l, o)))
			from[n++] = i;
		to[n - 1] = i;
	}
	if (n && has_member(l->out + b * l->words, v))
		to[n - 1] = end;
	return n;
}

/* Where, in block b, one of the two becomes a copy of the other for the rest of the block: from there
 * on they are one value. CAP_NONE: nowhere. */
static uint32_t one_value_from(const struct live *l, uint32_t b, uint32_t a, uint32_t v)
{
	uint32_t at = CAP_NONE;
	for (uint32_t i = block_start(l, b); i < l->c->block_end[b]; i++) {
		const struct cap_op *o = &l->c->op[i];
		if (o->dst.v != a && o->dst.v != v)
			continue;
		/* A pair or quad is copied by several lines. */
		int copies = o->copy && o->src[0].v == (o->dst.v == a ? v : a) &&
		             o->src[0].sub == o->dst.sub;
		at = !copies ? CAP_NONE : at == CAP_NONE ? i : at;
	}
	return at;
}

/* Whether two values are ever needed at the same time. Ranges that only touch do not collide: a
 * line reads before it writes. */
static int do_collide(const struct live *l, uint32_t a, uint32_t v)
{
	for (uint32_t b = 0; b < l->f->nblock; b++) {
		const uint64_t *in = l->in + b * l->words, *out = l->out + b * l->words;
		uint32_t fa[2], ta[2], fv[2], tv[2];
		uint32_t same = one_value_from(l, b, a, v);
		if ((has_member(in, a) && has_member(in, v)) ||
		    (has_member(out, a) && has_member(out, v) && same == CAP_NONE))
			return 1;
		unsigned na = pieces_of(l, b, a, fa, ta), nv = na ? pieces_of(l, b, v, fv, tv) : 0;
		if (na && nv && same != CAP_NONE) {
			ta[na - 1] = ta[na - 1] < same ? ta[na - 1] : same;
			tv[nv - 1] = tv[nv - 1] < same ? tv[nv - 1] : same;
		}
		for (unsigned i = 0; i < na; i++)
			for (unsigned k = 0; k < nv; k++)
				if (fa[i] < tv[k] && fv[k] < ta[i])
					return 1;
	}
	return 0;
}

static void join_registers(struct live *l, uint32_t a, uint32_t b)
{
	struct cap_code *c = l->c;
	uint32_t ra = find_root(c, a), rb = find_root(c, b), t;
	if (ra == rb || c->vreg[ra].n != c->vreg[rb].n)
		return;
	uint32_t i = ra;
	do {
		uint32_t j = rb;
		do {
			if (do_collide(l, i, j))
				return;
		} while ((j = l->next[j]) != rb);
	} while ((i = l->next[i]) != ra);
	c->vreg[rb].parent = ra;
	t = l->next[ra];
	l->next[ra] = l->next[rb];
	l->next[rb] = t;
	cover_place(&c->vreg[ra], c->vreg[rb].start);
	cover_place(&c->vreg[ra], c->vreg[rb].end);
}

/* Copies cost pairs of classes: in huge kernels (fully unrolled) they stay. */
static void join_copies(struct live *l)
{
	enum { HUGE_FUNCTION = 20000 };
	for (size_t v = 0; v < l->c->nv; v++)
		l->next[v] = (uint32_t)v;
	if (l->c->n - l->c->first_op > HUGE_FUNCTION)
		return;
	for (size_t i = l->c->first_op; i < l->c->n; i++) {
		const struct cap_op *o = &l->c->op[i];
		if (o->copy && o->dst.sub == 0 && o->src[0].sub == 0)
			join_registers(l, o->dst.v, o->src[0].v);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct cap_vreg *const *x = a, *const *y = b;
	if ((*x)->start != (*y)->start)
		return (*x)->start < (*y)->start ? -1 : 1;
	uint32_t first = (*x)->parent, second = (*y)->parent;
	return first < second ? -1 : first > second;
}

/* Lowest free group at or above base, aligned to its size (4 at most); REGS when there is none. */
static uint32_t free_group(const uint32_t *busy_until, uint32_t base, uint32_t start, unsigned n)
{
	unsigned align = n >= 4 ? 4 : n >= 2 ? 2 : 1;
	for (uint32_t r = (base + align - 1) / align * align; r + n <= REGS; r += align) {
		unsigned k = 0;
		while (k < n && busy_until[r + k] <= start)
			k++;
		if (k == n)
			return r;
	}
	return REGS;
}

static void scan_intervals(struct cap_code *c, struct cap_vreg **order, size_t n, uint32_t base,
                           uint32_t *regs, uint32_t *crowded)
{
	uint32_t busy_until[REGS] = {0};
	for (size_t i = 0; i < n; i++) {
		struct cap_vreg *v = order[i];
		uint32_t r = free_group(busy_until, base, v->start, v->n);
		if (r == REGS) {
			++*crowded;
			r = *crowded * 4 % (REGS - 19) / 4 * 4;
		}
		v->reg = r;
		for (unsigned k = 0; k < v->n && r + k < REGS; k++)
			busy_until[r + k] = v->end > busy_until[r + k] ? v->end : busy_until[r + k];
		if (r + v->n > *regs)
			*regs = r + v->n;
	}
	for (uint32_t v = 0; v < c->nv; v++)
		c->vreg[v].reg = c->vreg[find_root(c, v)].reg;
}

static int live_sets(struct live *l, struct ct_error *e)
{
	l->words = l->c->nv / 64 + 1;
	l->in = ct_calloc(l->words * l->f->nblock, sizeof *l->in);
	l->out = ct_calloc(l->words * l->f->nblock, sizeof *l->out);
	l->next = ct_calloc(l->c->nv + 1, sizeof *l->next);
	uint64_t *now = ct_calloc(l->words, sizeof *now);
	int st = l->in && l->out && l->next && now ? CT_OK : ct_fail_nomem(e);
	while (st == CT_OK && flow_once(l, now))
		;
	free(now);
	return st;
}

static void drop_copies(struct cap_code *c)
{
	for (size_t i = c->first_op; i < c->n; i++) {
		struct cap_op *o = &c->op[i];
		o->dead = o->copy &&
		          c->vreg[o->dst.v].reg + o->dst.sub == c->vreg[o->src[0].v].reg + o->src[0].sub;
	}
}

int cap_allocate(const struct ir *ir, const struct ir_func *f, struct cap_code *c, uint32_t base,
                 uint32_t *regs, uint32_t *crowded, struct ct_error *e)
{
	struct live l = {.ir = ir, .f = f, .c = c};
	struct cap_vreg **order = ct_calloc(c->nv + 1, sizeof(void *));
	int st = order ? live_sets(&l, e) : ct_fail_nomem(e);
	if (st == CT_OK) {
		size_t n = 0;
		find_intervals(&l);
		join_copies(&l);
		for (uint32_t v = 0; v < c->nv; v++)
			if (find_root(c, v) == v && c->vreg[v].start != CAP_NONE)
				order[n++] = &c->vreg[v];
		qsort(order, n, sizeof(void *), by_start);
		scan_intervals(c, order, n, base, regs, crowded);
		drop_copies(c);
	}
	free(order);
	free(l.in);
	free(l.out);
	free(l.next);
	return st;
}
