/* Registers by linear scan over live intervals (Poletto and Sarkar, TOPLAS 1999). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/machine.h"

enum {
	STACK_POINTER = 1, /* R1 is the stack's, as in all code of the vendor's compiler */
	LAST_REGISTER = 254
};

/* Where a value lives, in machine instructions of the function. */
struct interval {
	uint32_t value, begin, end;
};

struct scan {
	struct ct_lower_program *p;
	size_t first, words;            /* region */
	uint64_t *use, *def, *in, *out; /* by region, a bit for each value */
	struct interval *interval;
	size_t n;
	uint8_t busy[256];
};

static int test(const uint64_t *bits, uint32_t value)
{
	return bits[value / 64] >> value % 64 & 1;
}

static void set(uint64_t *bits, uint32_t value)
{
	bits[value / 64] |= UINT64_C(1) << value % 64;
}

/* Values that a region reads before it writes them, and those that it writes. A write under a guard
 * leaves lanes as they were, so that it does not end what came before. */
static void look_at_region(struct scan *s, size_t b)
{
	const struct ct_lower_region *region = &s->p->region[s->first + b];
	uint64_t *use = s->use + b * s->words, *def = s->def + b * s->words;
	for (uint32_t i = region->code; i < region->code_end; i++) {
		const struct ct_lower_inst *m = &s->p->inst[i];
		for (unsigned k = 0; k < m->nsrc; k++)
			if (m->src[k] != CT_LOWER_RZ && !test(def, CT_LOWER_VALUE(m->src[k])))
				set(use, CT_LOWER_VALUE(m->src[k]));
		for (unsigned k = 0; k < m->ndst; k++)
			if (m->dst[k] != CT_LOWER_RZ && m->lanes != CT_LOWER_CONVERTED)
				set(def, CT_LOWER_VALUE(m->dst[k]));
	}
}

/* Values that live at the ends of regions, by iteration against the flow. */
static void find_live(struct scan *s)
{
	size_t regions = s->p->regions - s->first;
	for (int changed = 1; changed;) {
		changed = 0;
		for (size_t b = regions; b-- > 0;) {
			const struct ct_lower_region *region = &s->p->region[s->first + b];
			uint64_t *in = s->in + b * s->words, *out = s->out + b * s->words;
			for (unsigned k = 0; k < region->edges; k++) {
				size_t to = s->p->edge[region->edge + k] - s->first;
				for (size_t w = 0; w < s->words; w++)
					out[w] |= s->in[to * s->words + w];
			}
			for (size_t w = 0; w < s->words; w++) {
				uint64_t now = s->use[b * s->words + w] |
				               (out[w] & ~s->def[b * s->words + w]);
				changed |= now != in[w];
				in[w] = now;
			}
		}
	}
}

static void widen(struct interval *v, uint32_t at)
{
	v->begin = at < v->begin ? at : v->begin;
	v->end = at > v->end ? at : v->end;
}

/* Finds how long each value lives: from its first to its last place, over the whole of each region that it passes. An
 * instruction reads at twice its number and writes one later, since its reads come first. */
static void find_intervals(struct scan *s)
{
	const struct ct_lower_program *p = s->p;
	for (size_t b = s->first; b < p->regions; b++) {
		const struct ct_lower_region *region = &p->region[b];
		const uint64_t *in = s->in + (b - s->first) * s->words;
		const uint64_t *out = s->out + (b - s->first) * s->words;
		for (uint32_t v = 0; v < p->values; v++) {
			if (test(in, v))
				widen(&s->interval[v], 2 * region->code);
			if (test(out, v))
				widen(&s->interval[v], 2 * region->code_end);
		}
		for (uint32_t i = region->code; i < region->code_end; i++) {
			const struct ct_lower_inst *m = &p->inst[i];
			for (unsigned k = 0; k < m->nsrc; k++)
				if (m->src[k] != CT_LOWER_RZ)
					widen(&s->interval[CT_LOWER_VALUE(m->src[k])], 2 * i);
			for (unsigned k = 0; k < m->ndst; k++)
				if (m->dst[k] != CT_LOWER_RZ)
					widen(&s->interval[CT_LOWER_VALUE(m->dst[k])], 2 * i + 1);
		}
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* The lowest free registers that are side by side and aligned as hardware wants. Code that needs
 * more than there are shares the last ones: it is not spilled. */
static unsigned take(struct scan *s, unsigned parts)
{
	unsigned step = parts == 3 ? 4 : parts, r = 0;
	for (; r + parts <= LAST_REGISTER + 1u; r += step) {
		unsigned k = 0;
		while (k < parts && !s->busy[r + k])
			k++;
		if (k == parts)
			break;
	}
	if (r + parts > LAST_REGISTER + 1u)
		r = (LAST_REGISTER + 1u - parts) / step * step;
	for (unsigned k = 0; k < parts; k++)
		s->busy[r + k]++;
	return r;
}

/* Gives each value the lowest registers that are free while it lives. Nothing is spilled: a program
 * takes as many registers as it needs. */
static void allocate(struct scan *s)
{
	struct ct_lower_program *p = s->p;
	size_t live = 0; /* intervals that have begun are kept at the front, in any order */
	qsort(s->interval, s->n, sizeof *s->interval, by_begin);
	struct interval *active = s->interval + s->n; /* room for as many */
	s->busy[STACK_POINTER] = 1;
	for (size_t i = 0; i < s->n; i++) {
		const struct interval *now = &s->interval[i];
		if (now->begin == CT_LOWER_NONE)
			break;
		for (size_t k = 0; k < live;) {
			if (active[k].end >= now->begin) {
				k++;
				continue;
			}
			const struct ct_lower_value *v = &p->value[active[k].value];
			for (unsigned r = 0; r < v->parts; r++)
				s->busy[v->reg + r]--;
			active[k] = active[--live];
		}
		struct ct_lower_value *v = &p->value[now->value];
		if (v->fixed) {
			v->reg = STACK_POINTER;
			continue;
		}
		v->reg = (uint16_t)take(s, v->parts);
		if (v->reg + v->parts > p->registers)
			p->registers = v->reg + v->parts;
		active[live++] = *now;
	}
}

int ct_lower_registers(struct ct_lower_program *p, size_t first_region, size_t first_value)
{
	struct scan s = {.p = p, .first = first_region, .words = p->values / 64 + 1};
	size_t regions = p->regions - first_region;
	s.use = ct_calloc(4 * regions * s.words + 1, sizeof *s.use);
	s.interval = ct_calloc(2 * p->values + 1, sizeof *s.interval);
	int st = s.use && s.interval ? CT_OK : CT_ERR_NOMEM;
	if (st == CT_OK) {
		s.def = s.use + regions * s.words;
		s.in = s.def + regions * s.words;
		s.out = s.in + regions * s.words;
		for (uint32_t v = 0; v < p->values; v++)
			s.interval[v] = (struct interval){v, CT_LOWER_NONE, 0};
		for (size_t b = 0; b < regions; b++)
			look_at_region(&s, b);
		find_live(&s);
		find_intervals(&s);
		memmove(s.interval, s.interval + first_value,
		        (p->values - first_value) * sizeof *s.interval);
		s.n = p->values - first_value;
		allocate(&s);
	}
	free(s.use);
	free(s.interval);
	return st;
}
