#include "traceinfo/census.h"

#include <stdlib.h>
#include <string.h>

#include "base/keyed.h"
#include "base/mem.h"

enum { LINE_LOG = 7, SECTOR_LOG = 5 };

/* One touched line. */
struct touched {
	uint64_t mark;    /* line + 1 */
	uint32_t kernel;  /* that `now` belongs to */
	uint8_t now, all; /* sectors touched in that kernel, in the whole trace */
};

struct census {
	struct census_counts kernel, all;
	uint32_t number; /* of the current kernel */
	struct ct_keyed touched;
	struct ct_cursor *cursor;
	/* Static instructions of the kernel, classified once: bit 0 counts as global
	 * request, bits 1..3 load, store, atomic, bit 4 has a width field. */
	uint8_t *kind;
	size_t kinds, kind_cap;
};

enum { GLOBAL = 1, LOAD = 2, STORE = 4, ATOMIC = 8, MEMORY = 16 };

struct census *census_new(void)
{
	struct census *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->number = 1;
	return c;
}

void census_free(struct census *c)
{
	if (!c)
		return;
	ct_cursor_close(c->cursor);
	ct_keyed_free(&c->touched);
	free(c->kind);
	free(c);
}

static unsigned bits4(unsigned v)
{
	static const uint8_t n[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
	return n[v & 15];
}

static int touch_line(struct census *c, uint64_t line, unsigned mask)
{
	struct touched *t;
	if (ct_keyed_reserve(&c->touched, sizeof *t) < 0)
		return -1;
	t = ct_keyed_find(&c->touched, sizeof *t, line);
	if (ct_keyed_is_free(t)) {
		ct_keyed_enter(&c->touched, t, line);
		c->all.lines++;
	}
	if (t->kernel != c->number) {
		t->kernel = c->number;
		t->now = 0;
		c->kernel.lines++;
	}
	c->kernel.sectors += bits4(mask & ~(unsigned)t->now);
	c->all.sectors += bits4(mask & ~(unsigned)t->all);
	t->now |= (uint8_t)mask;
	t->all |= (uint8_t)mask;
	return 0;
}

/* Sectors of every byte range [address, address + width); neighbouring lanes mostly
 * share a line, which is then touched once. */
static int touch_lines(struct census *c, const struct ct_inst *inst, unsigned width)
{
	uint64_t line = 0;
	unsigned mask = 0;
	for (unsigned i = 0; i < inst->naddr; i++) {
		uint64_t first = inst->addr[i] >> SECTOR_LOG;
		uint64_t last = (inst->addr[i] + (width ? width - 1 : 0)) >> SECTOR_LOG;
		for (uint64_t s = first, n = (last - first) & 63;; s++, n--) {
			uint64_t at = s >> (LINE_LOG - SECTOR_LOG);
			if (mask && at != line) {
				if (touch_line(c, line, mask) != 0)
					return -1;
				mask = 0;
			}
			line = at;
			mask |= 1u << (s & 3);
			if (n == 0)
				break;
		}
	}
	return mask ? touch_line(c, line, mask) : 0;
}

/* Global requests by base opcode, as people count them in the text of a trace: generic
 * accesses count whatever window they fall into. */
static unsigned class_of(const struct ct_sinst *s)
{
	static const struct {
		const char *base;
		unsigned kind;
	} names[] = {
		{"LDG", GLOBAL | LOAD},    {"LDGSTS", GLOBAL | LOAD},  {"LD", GLOBAL | LOAD},
		{"STG", GLOBAL | STORE},   {"ST", GLOBAL | STORE},     {"RED", GLOBAL | ATOMIC},
		{"ATOM", GLOBAL | ATOMIC}, {"ATOMG", GLOBAL | ATOMIC},
	};
	size_t n = strcspn(s->opcode, ".");
	unsigned kind = s->width_field ? MEMORY : 0;
	for (size_t i = 0; kind && i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i].base) == n && memcmp(names[i].base, s->opcode, n) == 0)
			kind |= names[i].kind;
	return kind;
}

static int learn_code(struct census *c, const struct ct_code *code, uint32_t sid)
{
	if (ct_grow((void **)&c->kind, &c->kind_cap, (size_t)sid + 1, 1) != 0)
		return -1;
	for (; c->kinds <= sid; c->kinds++)
		c->kind[c->kinds] = (uint8_t)class_of(ct_code_at(code, (uint32_t)c->kinds));
	return 0;
}

static unsigned lanes_of(uint32_t v)
{
	v = v - ((v >> 1) & 0x55555555u);
	v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
	return (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

static int count_inst(struct census *c, const struct ct_code *code, const struct ct_inst *inst)
{
	struct census_counts *k = &c->kernel;
	k->warp_insts++;
	k->thread_insts += lanes_of(inst->mask);
	k->predicated_off += inst->mask == 0;
	if (inst->sid >= c->kinds && learn_code(c, code, inst->sid) != 0)
		return -1;
	unsigned kind = c->kind[inst->sid];
	if (!kind)
		return 0;
	k->mem_insts++;
	k->forms[inst->addr_form]++;
	if (!(kind & GLOBAL) || inst->mask == 0)
		return 0;
	k->requests++;
	k->loads += (kind & LOAD) != 0;
	k->stores += (kind & STORE) != 0;
	k->atomics += (kind & ATOMIC) != 0;
	k->lane_accesses += lanes_of(inst->mask);
	return touch_lines(c, inst, ct_code_at(code, inst->sid)->width);
}

int census_cta(struct census *c, struct ct_cta *cta, struct ct_error *e)
{
	const struct ct_code *code = ct_cta_code(cta);
	struct ct_inst inst;
	int st = CT_OK;
	c->kernel.ctas++;
	c->kernel.warps += ct_cta_warps(cta);
	for (uint32_t i = 0; i < ct_cta_warps(cta) && st >= 0; i++) {
		st = c->cursor ? ct_cursor_reset(c->cursor, cta, i, e)
		               : ct_cursor_open(&c->cursor, cta, i, e);
		while (st >= 0 && (st = ct_cursor_next(c->cursor, &inst, e)) > 0)
			if (count_inst(c, code, &inst) != 0)
				return ct_fail_nomem(e);
	}
	return st < 0 ? st : CT_OK;
}

void census_kernel_end(struct census *c, struct census_counts *kernel)
{
	/* All members but the distinct counts add up. */
	uint64_t *to = (uint64_t *)&c->all;
	const uint64_t *from = (const uint64_t *)&c->kernel;
	for (size_t i = 0; i < offsetof(struct census_counts, lines) / sizeof *to; i++)
		to[i] += from[i];
	*kernel = c->kernel;
	c->kernel = (struct census_counts){0};
	c->number++;
	c->kinds = 0;
	/* The cursor holds on to the kernel's last CTA. */
	ct_cursor_close(c->cursor);
	c->cursor = NULL;
}

void census_all(const struct census *c, struct census_counts *all)
{
	*all = c->all;
}
