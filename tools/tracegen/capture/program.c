/* From the plugin's text to lines: parse, lower, allocate, number. */
#include "tracegen/capture/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "trace/opcode.h"
#include "tracegen/capture/ir.h"

static ct_reg name_register(const struct cap_code *c, struct cap_loc a)
{
	uint32_t r = c->vreg[a.v].reg + a.sub;
	return CT_REG_MAKE(CT_REG_R, r > 254 ? 254 : r);
}

/* Lines of the ops from `first` on, whose registers are known now. */
static int put_lines(struct cap_program *p, const struct cap_code *c, size_t first, size_t *cap,
                     struct ct_error *e)
{
	for (size_t i = first; i < c->n; i++) {
		const struct cap_op *o = &c->op[i];
		struct cap_segment *s = &p->segment[o->segment];
		if (o->dead)
			continue;
		if (ct_grow((void **)&p->line, cap, p->n_lines + 1, sizeof *p->line) < 0)
			return ct_fail_nomem(e);
		struct cap_line *line = &p->line[p->n_lines];
		*line = (struct cap_line){.index = o->index, .event = o->event, .offset = o->offset};
		line->sinst.pc = (uint64_t)p->n_lines * 16; /* sm_70 and later: 128-bit instructions */
		line->sinst.opcode = o->opcode;
		line->sinst.width_field = o->mem ? ct_accelsim_width_field(o->opcode) : 0;
		if (o->dst.v != CAP_NONE) {
			line->sinst.ndst = 1;
			line->sinst.dst[0] = name_register(c, o->dst);
		}
		for (unsigned k = 0; k < o->nsrc; k++)
			line->sinst.src[line->sinst.nsrc++] = name_register(c, o->src[k]);
		ct_opcode_classify(&line->sinst);
		if (s->n++ == 0)
			s->first = p->n_lines;
		p->n_lines++;
	}
	return CT_OK;
}

static int is(const struct ir_inst *in, const char *name)
{
	return strcmp(in->name, name) == 0;
}

/* What ends each segment, and which block it is in. */
static void describe_segments(struct cap_program *p, const struct ir *ir)
{
	for (size_t f = 0; f < ir->nfunc; f++)
		for (uint32_t b = ir->func[f].block; b < ir->func[f].block + ir->func[f].nblock; b++) {
			const struct ir_block *k = &ir->block[b];
			p->block[b].segment = k->segment;
			for (uint32_t i = k->inst; i < k->inst + k->ninst; i++) {
				const struct ir_inst *in = &ir->inst[i];
				struct cap_segment *s = &p->segment[in->segment];
				s->block = b;
				if (!in->builtin && is(in, "call"))
					s->flags |= CAP_CALL;
				if (in->builtin && (is(in, "barrier") || is(in, "work_group_barrier")))
					s->flags |= CAP_BARRIER;
				if (is(in, "ret") && !in->builtin)
					s->flags |= f == 0 ? CAP_END : CAP_RETURN;
			}
		}
}

static int functions(struct cap_program *p, struct ir *ir, struct ct_error *e)
{
	struct cap_code c = {0};
	size_t cap = 0;
	uint32_t *join = ct_calloc(ir->nblock + 1, sizeof *join);
	int st = join ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; i < ir->nfunc && st == CT_OK; i++) {
		const struct ir_func *f = &ir->func[i];
		size_t first = c.n;
		/* A callee's registers lie above the caller's, as far as there is room. */
		uint32_t base = p->regs < 128 ? p->regs : 128;
		st = cap_post_dominators(ir, f, join + f->block, e);
		if (st == CT_OK)
			st = cap_lower(ir, f, i == 0, &c, &p->unknown, e);
		if (st == CT_OK)
			st = cap_allocate(ir, f, &c, i == 0 ? 0 : base, &p->regs, &p->crowded, e);
		if (st == CT_OK)
			st = put_lines(p, &c, first, &cap, e);
		free(c.block_end);
		c.block_end = NULL;
	}
	for (size_t b = 0; b < ir->nblock && st == CT_OK; b++)
		p->block[b].join = join[b];
	free(join);
	free(c.op);
	free(c.vreg);
	return st;
}

int cap_program_make(struct cap_program **out, const char *text, size_t n, struct ct_error *e)
{
	struct ir ir;
	struct cap_program *p = ct_calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return ct_fail_nomem(e);
	int st = cap_ir_parse(&ir, text, n, e);
	if (st == CT_OK) {
		p->n_segments = (uint32_t)ir.nsegment;
		p->n_blocks = (uint32_t)ir.nblock;
		p->segment = ct_calloc(ir.nsegment + 1, sizeof *p->segment);
		p->block = ct_calloc(ir.nblock + 1, sizeof *p->block);
		st = p->segment && p->block ? CT_OK : ct_fail_nomem(e);
	}
	if (st == CT_OK) {
		describe_segments(p, &ir);
		st = functions(p, &ir, e);
	}
	p->text = ir.text; /* name and unknown point into it */
	p->name = ir.name;
	ir.text = NULL;
	cap_ir_free(&ir);
	if (st != CT_OK) {
		cap_program_free(p);
		return st;
	}
	*out = p;
	return CT_OK;
}

void cap_program_free(struct cap_program *p)
{
	if (!p)
		return;
	free(p->text);
	free(p->line);
	free(p->segment);
	free(p->block);
	free(p);
}
