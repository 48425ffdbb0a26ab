/* What a trace's code is like, one line a kernel: warp instructions, requests of global memory, the share of
 * instructions that read what the one before wrote, loads in flight (global loads between a load and its first
 * use, itself included), registers.
 *     measure TRACE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

enum { REGISTERS = 256, IN_FLIGHT = 64 };

struct counts {
	uint64_t insts, loads, stores, depend, chains, in_flight;
};

/* Loads whose results nobody has read yet: by register the load plus 1. */
struct window {
	uint32_t load_of[REGISTERS];
	uint64_t issued; /* global loads so far */
	uint64_t start[IN_FLIGHT];
	uint8_t last[REGISTERS]; /* written by the instruction before */
};

static void use(struct window *w, struct counts *c, unsigned reg)
{
	uint32_t load = w->load_of[reg];
	if (!load)
		return;
	c->chains++;
	c->in_flight += w->issued - load + 1;
	for (unsigned r = 0; r < REGISTERS; r++)
		if (w->load_of[r] == load)
			w->load_of[r] = 0;
}

static void step(struct window *w, struct counts *c, const struct ct_sinst *s, uint32_t mask)
{
	int depends = 0,
	    load = s->space == CT_SPACE_GLOBAL && s->access == CT_ACCESS_LOAD && s->width_field;
	c->insts++;
	if (s->space == CT_SPACE_GLOBAL && s->width_field && mask) {
		c->loads += s->access == CT_ACCESS_LOAD;
		c->stores += s->access == CT_ACCESS_STORE;
	}
	for (unsigned k = 0; k < s->nsrc; k++)
		for (unsigned r = 0; r < s->src_regs[k] && CT_REG_KIND(s->src[k]) == CT_REG_R; r++) {
			unsigned reg = (CT_REG_INDEX(s->src[k]) + r) % REGISTERS;
			depends |= w->last[reg];
			use(w, c, reg);
		}
	c->depend += (uint64_t)depends;
	memset(w->last, 0, sizeof w->last);
	w->issued += (uint64_t)load;
	for (unsigned k = 0; k < s->ndst; k++)
		for (unsigned r = 0; r < s->dst_regs[k] && CT_REG_KIND(s->dst[k]) == CT_REG_R; r++) {
			unsigned reg = (CT_REG_INDEX(s->dst[k]) + r) % REGISTERS;
			w->last[reg] = 1;
			w->load_of[reg] = load ? (uint32_t)w->issued : 0;
		}
}

static int measure_cta(struct ct_cta *cta, struct counts *c, struct ct_error *e)
{
	struct ct_cursor *cursor = NULL;
	struct ct_inst i;
	int st = CT_OK;
	for (uint32_t k = 0; k < ct_cta_warps(cta) && st >= 0; k++) {
		struct window w = {{0}, 0, {0}, {0}};
		st = cursor ? ct_cursor_reset(cursor, cta, k, e) : ct_cursor_open(&cursor, cta, k, e);
		while (st >= 0 && (st = ct_cursor_next(cursor, &i, e)) > 0)
			step(&w, c, ct_code_at(ct_cta_code(cta), i.sid), i.mask);
	}
	ct_cursor_close(cursor);
	return st;
}

static int measure(const char *path, struct ct_error *e)
{
	struct ct_trace *t;
	struct ct_event v;
	struct ct_cta *cta;
	int st = ct_trace_open(&t, path, NULL, e), more;
	if (st < 0)
		return st;
	while (st >= 0 && (st = ct_trace_next(t, &v, e)) > 0) {
		struct counts c = {0};
		if (v.kind != CT_EVENT_KERNEL)
			continue;
		while ((more = ct_trace_next_cta(t, &cta, e)) > 0 && st >= 0) {
			st = measure_cta(cta, &c, e);
			ct_cta_unref(cta);
		}
		st = more < 0 ? more : st;
		printf("%u\t%s\t%llu\t%llu\t%llu\t%.3f\t%.2f\t%u\n", v.kernel->id, v.kernel->name,
		       (unsigned long long)c.insts, (unsigned long long)c.loads,
		       (unsigned long long)c.stores, c.insts ? (double)c.depend / (double)c.insts : 0,
		       c.chains ? (double)c.in_flight / (double)c.chains : 0, v.kernel->regs);
	}
	ct_trace_close(t);
	return st;
}

int main(int argc, char **argv)
{
	struct ct_error e = {0};
	printf("kernel\tname\twarp_insts\tgld_req\tgst_req\tdepends\tin_flight\tregisters\n");
	for (int i = 1; i < argc; i++)
		if (measure(argv[i], &e) < 0) {
			fprintf(stderr, "measure: %s\n", e.text);
			return 2;
		}
	return 0;
}
