#include "models/malekeh/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	REGS = 256,
	LONGEST = 256, /* instructions of a strand that are planned together */
	ORF = 3,       /* operand registers of a thread (MICRO 2011) */
	LRF = 1,       /* last result */
	ENTRIES = ORF + LRF,
	MOST = 2 * LONGEST * CT_MK_PLAN_SLOTS /* values: what is read and what results */
};

void ct_mk_plan_free(struct ct_mk_plan *p)
{
	if (!p)
		return;
	free(p->strand);
	free(p->range);
	free(p->regs);
	free(p);
}

static struct ct_mk_plan *plan_of(struct ct_mk_warp *w)
{
	if (!w->plan)
		w->plan = ct_calloc(1, sizeof *w->plan);
	return w->plan;
}

/* ---- strands ---- */

/* A value within a strand: from its result, or from its first read from the banks. */
struct value {
	uint16_t start, last, reads;
	uint8_t result, close; /* close: only units that reach the last result touch it */
	uint8_t live;          /* read after the strand */
	uint8_t placed;
};

struct strand {
	const struct ct_mk_stream *s;
	struct ct_mk_warp *w;
	size_t begin, end;
	uint32_t life; /* where the lives of begin's results are */
	struct value value[MOST];
	unsigned n;
	int32_t open[REGS]; /* value + 1 that a register holds */
	int32_t of_src[LONGEST][CT_MK_PLAN_SLOTS], of_dst[LONGEST][CT_MK_PLAN_SLOTS];
	uint8_t taken[ENTRIES][LONGEST + 1];
	struct rank {
		uint16_t saved, length, value;
	} order[MOST];
};

static const struct ct_mk_op *op_at(const struct strand *d, size_t i)
{
	return &d->s->op[d->w->rec[i].sid];
}

/* The last result is next to the main units only (MICRO 2011, 4). */
static int is_close(const struct ct_mk_op *o)
{
	return o->unit == CT_MK_U_SP || o->unit == CT_MK_U_INT;
}

/* Notes the reads of an instruction: each belongs to a value that the strand has seen, or begins one. */
static void note_reads(struct strand *d, size_t i, const struct ct_mk_op *o)
{
	unsigned t = (unsigned)(i - d->begin);
	for (unsigned k = 0; k < o->nsrc && k < CT_MK_PLAN_SLOTS; k++) {
		int32_t *open = &d->open[d->s->reads[o->src + k]];
		if (!*open) {
			d->value[d->n] = (struct value){.start = (uint16_t)t, .last = (uint16_t)t};
			*open = (int32_t)++d->n;
		} else {
			struct value *v = &d->value[*open - 1];
			v->reads++;
			v->last = (uint16_t)t;
			v->close &= (uint8_t)is_close(o);
		}
		d->of_src[t][k] = *open;
	}
}

/* Notes the results of an instruction: each ends the value that its register had and begins another
 * one. */
static void note_results(struct strand *d, size_t i, const struct ct_mk_op *o, uint32_t life)
{
	unsigned t = (unsigned)(i - d->begin);
	for (unsigned k = 0; k < o->ndst; k++) {
		int32_t *open = &d->open[d->s->writes[o->dst + k]];
		*open = 0;
		if (k >= CT_MK_PLAN_SLOTS || o->slow)
			continue;
		d->value[d->n] = (struct value){
			.start = (uint16_t)t,
			.last = (uint16_t)t,
			.result = 1,
			.close = (uint8_t)is_close(o),
			.live = d->w->life[life + k] > d->end};
		*open = (int32_t)++d->n;
		d->of_dst[t][k] = *open;
	}
}

static unsigned count_saved(const struct value *v)
{
	return v->reads + (v->result && !v->live && v->reads);
}

/* What saves most for each instruction that it occupies an entry comes first. */
static int by_gain(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	uint32_t p = (uint32_t)x->saved * y->length, q = (uint32_t)y->saved * x->length;
	if (p != q)
		return p > q ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int fits_entry(const struct strand *d, unsigned entry, const struct value *v)
{
	for (unsigned t = v->start; t < v->last; t++)
		if (d->taken[entry][t])
			return 0;
	return 1;
}

static void place_value(struct strand *d, struct value *v)
{
	for (unsigned e = ENTRIES; e-- > 0;) {
		if ((e == ORF && !(v->result && v->close)) || !fits_entry(d, e, v))
			continue;
		memset(d->taken[e] + v->start, 1, v->last - v->start);
		v->placed = 1;
		return;
	}
}

/* Tells each instruction which operands it finds, which it brings in, and where its results go. */
static void write_plan(struct strand *d)
{
	for (size_t i = d->begin; i < d->end; i++) {
		const struct ct_mk_op *o = op_at(d, i);
		struct ct_mk_strand *p = &d->w->plan->strand[i];
		unsigned t = (unsigned)(i - d->begin);
		for (unsigned k = 0; k < o->nsrc && k < CT_MK_PLAN_SLOTS; k++) {
			const struct value *v = &d->value[d->of_src[t][k] - 1];
			if (!v->placed)
				continue;
			/* the first slot of a value that comes from the banks fills the entry */
			int first = !v->result && v->start == t;
			for (unsigned q = 0; q < k; q++)
				first &= d->of_src[t][q] != d->of_src[t][k];
			if (first)
				p->fill |= (uint16_t)(1u << k);
			else
				p->hit |= (uint16_t)(1u << k);
			if (!first && v->last == t)
				p->last |= (uint16_t)(1u << k);
		}
		for (unsigned k = 0; k < o->ndst && k < CT_MK_PLAN_SLOTS; k++) {
			const struct value *v = d->of_dst[t][k] ? &d->value[d->of_dst[t][k] - 1] : NULL;
			if (v && v->placed)
				p->keep |= (uint16_t)(1u << k);
			if (!v || !v->placed || v->live)
				p->bank |= (uint16_t)(1u << k);
			if (v && v->live)
				p->live |= (uint16_t)(1u << k);
		}
	}
}

/* Finds the values of a strand, then gives entries to those that save most for the time that they take one. */
static void plan_strand(struct strand *d)
{
	uint32_t life = d->life;
	size_t length = d->end - d->begin;
	d->n = 0;
	memset(d->open, 0, sizeof d->open);
	memset(d->of_src, 0, length * sizeof d->of_src[0]);
	memset(d->of_dst, 0, length * sizeof d->of_dst[0]);
	memset(d->taken, 0, sizeof d->taken);
	for (size_t i = d->begin; i < d->end; i++) {
		const struct ct_mk_op *o = op_at(d, i);
		note_reads(d, i, o);
		note_results(d, i, o, life);
		life += o->ndst;
	}
	unsigned n = 0;
	for (unsigned v = 0; v < d->n; v++) {
		const struct value *x = &d->value[v];
		if (x->reads)
			d->order[n++] = (struct rank){(uint16_t)count_saved(x),
			                              (uint16_t)(x->last - x->start + 1), (uint16_t)v};
	}
	qsort(d->order, n, sizeof *d->order, by_gain);
	for (unsigned v = 0; v < n; v++)
		place_value(d, &d->value[d->order[v].value]);
	write_plan(d);
	d->life = life;
}

/* 1 if the instruction waits for something slow that this strand has begun. */
static int waits_for(const struct ct_mk_stream *s, const struct ct_mk_op *o,
                     const struct ct_mk_regs *slow)
{
	for (unsigned k = 0; k < o->nsrc; k++)
		if (ct_mk_regs_has(slow, s->reads[o->src + k]))
			return 1;
	for (unsigned k = 0; k < o->ndst; k++)
		if (ct_mk_regs_has(slow, s->writes[o->dst + k]))
			return 1;
	return 0;
}

/* Strands end before an instruction that waits for something slow, after a barrier and where a branch has gone back. */
int ct_mk_strand_step(struct ct_mk_strand_cut *c, const struct ct_mk_stream *s, const struct ct_mk_op *o)
{
	int begins = c->length == 0 || c->ends || c->length == LONGEST ||
	             (c->branch && o->pc <= c->pc) || waits_for(s, o, &c->slow);
	if (begins)
		*c = (struct ct_mk_strand_cut){.length = 0};
	for (unsigned k = 0; k < o->ndst; k++)
		ct_mk_regs_put(&c->slow, s->writes[o->dst + k], o->slow);
	c->length++;
	c->pc = o->pc;
	c->branch = o->backward;
	c->ends = o->kind >= CT_MK_BARRIER && o->kind != CT_MK_LDGDEPBAR;
	return begins;
}

/* Cuts a warp's instructions into strands and plans each. */
static void plan_warp(struct strand *d)
{
	struct ct_mk_strand_cut cut = {.length = 0};
	d->begin = 0;
	d->life = 0;
	for (size_t i = 0; i <= d->w->n; i++) {
		if (i < d->w->n && !ct_mk_strand_step(&cut, d->s, op_at(d, i)))
			continue;
		d->end = i;
		if (i > 0)
			plan_strand(d);
		d->begin = i;
	}
}

int ct_mk_plan_strands(struct ct_mk_stream *s, struct ct_error *e)
{
	struct strand *d = ct_calloc(1, sizeof *d);
	if (!d)
		return ct_fail_nomem(e);
	d->s = s;
	for (size_t k = 0; k < s->warps; k++) {
		struct ct_mk_plan *p = plan_of(&s->warp[k]);
		if (p && p->strand)
			continue;
		if (p)
			p->strand = ct_calloc(s->warp[k].n, sizeof *p->strand);
		if (!p || !p->strand) {
			free(d);
			return ct_fail_nomem(e);
		}
		d->w = &s->warp[k];
		plan_warp(d);
	}
	free(d);
	return CT_OK;
}

/* ---- intervals ---- */

struct interval {
	const struct ct_mk_stream *s;
	struct ct_mk_warp *w;
	struct ct_mk_range_cut cut;
};

/* Registers that the instruction adds to the interval, each once. */
static unsigned count_added(const struct ct_mk_range_cut *c, const struct ct_mk_stream *s,
                            const struct ct_mk_op *o)
{
	struct ct_mk_regs in = ct_mk_regs_either(&c->read, &c->written);
	unsigned n = 0;
	for (unsigned k = 0; k < (unsigned)o->nsrc + o->ndst; k++) {
		uint8_t reg = k < o->nsrc ? s->reads[o->src + k] : s->writes[o->dst + k - o->nsrc];
		n += !ct_mk_regs_has(&in, reg);
		ct_mk_regs_put(&in, reg, 1);
	}
	return n;
}

static void add_registers(struct ct_mk_range_cut *c, const struct ct_mk_stream *s,
                          const struct ct_mk_op *o)
{
	c->set += count_added(c, s, o);
	for (unsigned k = 0; k < o->nsrc; k++) {
		uint8_t r = s->reads[o->src + k];
		if (!ct_mk_regs_has(&c->written, r))
			ct_mk_regs_put(&c->read, r, 1);
	}
	for (unsigned k = 0; k < o->ndst; k++)
		ct_mk_regs_put(&c->written, s->writes[o->dst + k], 1);
}

int ct_mk_range_step(struct ct_mk_range_cut *c, const struct ct_mk_stream *s, const struct ct_mk_op *o,
                     unsigned most)
{
	int begins = c->set + count_added(c, s, o) > most;
	if (begins)
		*c = (struct ct_mk_range_cut){.set = 0};
	add_registers(c, s, o);
	return begins;
}

static int begin_range(struct ct_mk_plan *p, size_t first)
{
	if (ct_grow((void **)&p->range, &p->cap_ranges, p->ranges + 1, sizeof *p->range) < 0)
		return -1;
	p->range[p->ranges++] = (struct ct_mk_range){.first = (uint32_t)first};
	return 0;
}

/* Cuts a warp's instructions into intervals that touch at most so many registers. */
static int cut_intervals(struct interval *d, unsigned most)
{
	struct ct_mk_plan *p = d->w->plan;
	for (size_t i = 0; i < d->w->n; i++)
		if ((ct_mk_range_step(&d->cut, d->s, &d->s->op[d->w->rec[i].sid], most) || i == 0) &&
		    begin_range(p, i) < 0)
			return -1;
	return begin_range(p, d->w->n);
}

/* Lists of one interval, whose registers live after it are known. */
static int list_registers(struct interval *d, struct ct_mk_range *range, const uint8_t *live)
{
	struct ct_mk_plan *p = d->w->plan;
	range->regs = (uint32_t)p->n_regs;
	if (ct_grow((void **)&p->regs, &p->cap_regs, p->n_regs + 2 * REGS, 1) < 0)
		return -1;
	for (unsigned r = 0; r < REGS; r++)
		if (ct_mk_regs_has(&d->cut.read, (uint8_t)r) && range->reads < UINT8_MAX) {
			p->regs[p->n_regs++] = (uint8_t)r;
			range->reads++;
		}
	for (unsigned r = 0; r < REGS; r++)
		if (ct_mk_regs_has(&d->cut.written, (uint8_t)r) && live[r] &&
		    range->writes < UINT8_MAX) {
			p->regs[p->n_regs++] = (uint8_t)r;
			range->writes++;
		}
	return 0;
}

/* Fills the ranges from the last interval to the first, so that it is known which values are still
 * needed. */
static int fill_ranges(struct interval *d)
{
	struct ct_mk_plan *p = d->w->plan;
	uint8_t live[REGS] = {0};
	for (size_t k = p->ranges - 1; k-- > 0;) {
		struct ct_mk_range *range = &p->range[k];
		d->cut = (struct ct_mk_range_cut){.set = 0};
		for (size_t i = range->first; i < p->range[k + 1].first; i++)
			add_registers(&d->cut, d->s, &d->s->op[d->w->rec[i].sid]);
		if (list_registers(d, range, live) < 0)
			return -1;
		for (unsigned r = 0; r < REGS; r++)
			live[r] = (uint8_t)((live[r] && !ct_mk_regs_has(&d->cut.written, (uint8_t)r)) ||
			                    ct_mk_regs_has(&d->cut.read, (uint8_t)r));
	}
	return 0;
}

int ct_mk_plan_ranges(struct ct_mk_stream *s, unsigned most, struct ct_error *e)
{
	struct interval d = {.s = s};
	for (size_t k = 0; k < s->warps; k++) {
		d.w = &s->warp[k];
		struct ct_mk_plan *p = plan_of(d.w);
		if (!p)
			return ct_fail_nomem(e);
		if (p->range || !d.w->n)
			continue;
		d.cut = (struct ct_mk_range_cut){.set = 0};
		if (cut_intervals(&d, most) < 0 || fill_ranges(&d) < 0)
			return ct_fail_nomem(e);
	}
	return CT_OK;
}
