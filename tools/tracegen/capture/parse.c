/* Reads the plugin's text (program.h) into tables. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracegen/capture/ir.h"

struct parser {
	struct ir *ir;
	struct ct_error *e;
	size_t line;
	uint32_t index; /* of the next instruction in its segment */
	char *at;       /* rest of the line */
};

static int bad_line(const struct parser *p, const char *what)
{
	return ct_fail(p->e, CT_ERR_INPUT,
	               "capture: line %zu of the kernel's text: %s: plugin and "
	               "tracegen are of different versions?",
	               p->line, what);
}

static char *next_word(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
	if (!*p->at)
		return NULL;
	char *w = p->at;
	p->at += strcspn(p->at, " ");
	if (*p->at)
		*p->at++ = '\0';
	return w;
}

static int parse_number(const char *s, uint32_t *v)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);
	*v = (uint32_t)n;
	return *s >= '0' && *s <= '9' && !*end && n < CAP_NONE;
}

static int parse_type(const char *s, struct ir_type *t)
{
	char *end;
	*t = (struct ir_type){.kind = 'v', .n = 1};
	if (*s >= '0' && *s <= '9') {
		unsigned long n = strtoul(s, &end, 10);
		if (*end != 'x' || n == 0 || n > 16 || end[1] == 'v' || !parse_type(end + 1, t) ||
		    t->n != 1)
			return 0;
		t->n = (uint8_t)n;
		return 1;
	}
	t->kind = *s;
	if (*s == 'v')
		return s[1] == '\0';
	if (!*s || !strchr("ifps", *s) || s[1] < '0' || s[1] > '9')
		return 0;
	unsigned long n = strtoul(s + 1, &end, 10);
	if (*end || n > (*s == 's' ? 1ul << 30 : 1024ul))
		return 0;
	t->bits = *s == 'p' ? 64 : *s == 's' ? 32 : (uint16_t)n;
	t->space = *s == 'p' ? (uint8_t)n : 0;
	t->bytes = *s == 's' ? (uint32_t)n : 0;
	return 1;
}

#define PUSH(p, what) \
	(ct_grow((void **)&(p)->ir->what, &(p)->ir->c##what, (p)->ir->n##what + 1, \
	         sizeof *(p)->ir->what) < 0 \
	         ? NULL \
	         : memset(&(p)->ir->what[(p)->ir->n##what++], 0, sizeof *(p)->ir->what))

static int parse_operand(struct parser *p, struct ir_inst *in, char *w)
{
	if (*w == ':')
		return parse_type(w + 1, &in->from) ? CT_OK : bad_line(p, "source type");
	if (*w == '=') {
		char *s = w + 1;
		uint32_t *field[] = {&in->space, &in->bytes, &in->align};
		for (int i = 0; i < 3; i++, s++) {
			unsigned long n = strtoul(s, &s, 10);
			if (n > 1u << 30 || *s != (i < 2 ? ',' : '\0'))
				return bad_line(p, "memory operand");
			*field[i] = (uint32_t)n;
		}
		in->has_mem = 1;
		return CT_OK;
	}
	struct ir_operand *o = PUSH(p, operand);
	if (!o)
		return ct_fail_nomem(p->e);
	in->nop++;
	if (*w == '#') {
		o->kind = w[1] ? IR_INT : IR_CONST;
		o->imm = w[1] ? strtoll(w + 1, NULL, 10) : 0;
		return CT_OK;
	}
	o->kind = *w == '@' ? IR_LABEL : IR_VALUE;
	return parse_number(w + (*w == '@'), &o->id) ? CT_OK : bad_line(p, "operand");
}

static void add_value(struct parser *p, uint32_t v)
{
	struct ir_func *f = &p->ir->func[p->ir->nfunc - 1];
	if (v != CAP_NONE && v >= f->nvalues)
		f->nvalues = v + 1;
}

static int parse_instruction(struct parser *p)
{
	struct ir_inst *in = PUSH(p, inst);
	char *dst = next_word(p), *t = next_word(p), *name = next_word(p);
	if (!in)
		return ct_fail_nomem(p->e);
	/* The segment of an earlier block has that block's place. */
	int in_segment = p->ir->nsegment > p->ir->block[p->ir->nblock - 1].segment;
	if (!dst || !t || !name || !in_segment || !parse_type(t, &in->type))
		return bad_line(p, "instruction");
	in->dst = CAP_NONE;
	if (*dst != '-' && !parse_number(dst, &in->dst))
		return bad_line(p, "result");
	add_value(p, in->dst);
	if (strcmp(name, "builtin") == 0) {
		in->builtin = 1;
		name = next_word(p);
	}
	in->name = name ? name : "";
	in->op = (uint32_t)p->ir->noperand;
	in->segment = (uint32_t)p->ir->nsegment - 1;
	in->index = p->index++;
	p->ir->block[p->ir->nblock - 1].ninst++;
	int st = CT_OK;
	for (char *w; st == CT_OK && (w = next_word(p));) {
		st = parse_operand(p, in, w);
		const struct ir_operand *o = in->nop ? &p->ir->operand[p->ir->noperand - 1] : NULL;
		if (st == CT_OK && o && o->kind == IR_VALUE)
			add_value(p, o->id);
	}
	return st;
}

static int parse_block(struct parser *p)
{
	if (p->ir->nfunc == 0)
		return bad_line(p, "block without function");
	struct ir_block *b = PUSH(p, block);
	if (!b)
		return ct_fail_nomem(p->e);
	b->inst = (uint32_t)p->ir->ninst;
	b->succ = (uint32_t)p->ir->nsucc;
	b->segment = (uint32_t)p->ir->nsegment;
	p->ir->func[p->ir->nfunc - 1].nblock++;
	for (char *w; (w = next_word(p));) {
		uint32_t *s = PUSH(p, succ);
		if (!s)
			return ct_fail_nomem(p->e);
		if (!parse_number(w, s))
			return bad_line(p, "successor");
		b->nsucc++;
	}
	return CT_OK;
}

static int parse_function(struct parser *p)
{
	struct ir_func *f = PUSH(p, func);
	if (!f)
		return ct_fail_nomem(p->e);
	f->block = (uint32_t)p->ir->nblock;
	f->arg = (uint32_t)p->ir->narg;
	return CT_OK;
}

static int parse_argument(struct parser *p)
{
	char *v = next_word(p), *t = next_word(p);
	struct ir_arg *a = p->ir->nfunc ? PUSH(p, arg) : NULL;
	if (!a || !v || !t || !parse_number(v, &a->value) || !parse_type(t, &a->type))
		return bad_line(p, "argument");
	p->ir->func[p->ir->nfunc - 1].narg++;
	add_value(p, a->value);
	return CT_OK;
}

/* The block of an earlier function has that function's values. */
static int in_block(const struct parser *p)
{
	return p->ir->nfunc && p->ir->func[p->ir->nfunc - 1].nblock;
}

static int parse_line(struct parser *p, char *s)
{
	p->at = s + 1;
	switch (*s) {
	case 'K': p->ir->name = s[1] ? s + 2 : s + 1; return CT_OK;
	case 'F': return parse_function(p);
	case 'A': return parse_argument(p);
	case 'B': return parse_block(p);
	case 'S':
		p->ir->nsegment++;
		p->index = 0;
		return in_block(p) ? CT_OK : bad_line(p, "segment without block");
	case 'I': return in_block(p) ? parse_instruction(p) : bad_line(p, "instruction without block");
	default: return bad_line(p, "unknown line");
	}
}

/* Numbers that later passes use as indexes. */
static int check_parsed(const struct parser *p)
{
	const struct ir *ir = p->ir;
	if (ir->nfunc == 0 || !ir->name)
		return bad_line(p, "no kernel");
	for (size_t i = 0; i < ir->nfunc; i++) {
		const struct ir_func *f = &ir->func[i];
		if (f->nblock == 0 || f->nvalues > ir->ninst + ir->narg + 1)
			return bad_line(p, "function");
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			const struct ir_block *k = &ir->block[b];
			if (k->segment >= ir->nsegment || k->ninst == 0)
				return bad_line(p, "empty block");
			for (uint32_t s = 0; s < k->nsucc; s++)
				if (ir->succ[k->succ + s] >= f->nblock)
					return bad_line(p, "successor");
		}
	}
	return CT_OK;
}

int cap_ir_parse(struct ir *ir, const char *text, size_t n, struct ct_error *e)
{
	struct parser p = {.ir = ir, .e = e};
	int st = CT_OK;
	*ir = (struct ir){.text = ct_strndup(text, n)};
	if (!ir->text)
		return ct_fail_nomem(e);
	for (char *s = ir->text, *next; *s && st == CT_OK; s = next) {
		next = s + strcspn(s, "\n");
		if (*next)
			*next++ = '\0';
		p.line++;
		st = parse_line(&p, s);
	}
	return st == CT_OK ? check_parsed(&p) : st;
}

void cap_ir_free(struct ir *ir)
{
	free(ir->text);
	free(ir->func);
	free(ir->block);
	free(ir->inst);
	free(ir->operand);
	free(ir->arg);
	free(ir->succ);
}
