/* From a kernel to its program of machine instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/machine.h"
#include "trace/accelsim_write.h"
#include "trace/sources.h"

struct ct_lower_text {
	struct ct_lower_text *next;
	char text[];
};

const char *ct_lower_text(struct ct_lower_program *p, const char *a, const char *b, const char *c)
{
	size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
	struct ct_lower_text *t = malloc(sizeof *t + na + nb + nc + 1);
	if (!t)
		return NULL;
	memcpy(t->text, a, na);
	memcpy(t->text + na, b, nb);
	memcpy(t->text + na + nb, c, nc + 1);
	t->next = p->text;
	p->text = t;
	return t->text;
}

struct ct_lower_inst *ct_lower_add(struct ct_lower_program *p, const char *opcode, uint32_t source)
{
	if (!opcode || ct_grow((void **)&p->inst, &p->inst_cap, p->insts + 1, sizeof *p->inst) < 0)
		return NULL;
	struct ct_lower_inst *i = &p->inst[p->insts++];
	*i = (struct ct_lower_inst){.opcode = opcode, .source = source, .control = CT_LOWER_NONE};
	return i;
}

uint32_t ct_lower_new_value(struct ct_lower_program *p, unsigned parts)
{
	if (ct_grow((void **)&p->value, &p->value_cap, p->values + 1, sizeof *p->value) < 0)
		return CT_LOWER_NONE;
	p->value[p->values] = (struct ct_lower_value){.parts = (uint8_t)parts};
	return (uint32_t)p->values++;
}

void ct_lower_free(struct ct_lower_program *p)
{
	if (!p)
		return;
	while (p->text) {
		struct ct_lower_text *next = p->text->next;
		free(p->text);
		p->text = next;
	}
	free(p->block);
	free(p->edge);
	free(p->region);
	free(p->step);
	free(p->issue);
	free(p->variant);
	free(p->guard);
	free(p->inst);
	free(p->value);
	free(p->block_of);
	free(p->slot);
	free(p->address);
	free(p->generic);
	free(p->copies);
	free(p->sid);
	free(p->sequence);
	free(p);
}

/* Marks the functions that a function may call: every one but kernels where it calls through a
 * register. */
static void mark_callees(const struct ct_ptx_module *m, uint32_t function, unsigned char *reached)
{
	struct ct_ptx_body f = ct_ptx_body_at(m, function);
	size_t count = ct_ptx_body_count(m), n;
	for (uint32_t i = f.first_instruction; i < f.first_instruction + f.instructions; i++) {
		if (strncmp(ct_ptx_instruction_at(m, i).opcode, "call", 4) != 0)
			continue;
		const struct ct_ptx_operand *o = ct_ptx_operands_of(m, i, &n);
		int named = 0;
		for (size_t k = 0; k < n; k++)
			named |= o[k].kind == CT_PTX_OPERAND_NAME;
		for (size_t c = 0; c < count; c++) {
			struct ct_ptx_body callee = ct_ptx_body_at(m, c);
			int called = !named && !callee.kernel;
			for (size_t k = 0; k < n; k++)
				called |= o[k].kind == CT_PTX_OPERAND_NAME &&
				          strcmp(o[k].name, callee.name) == 0;
			if (called && callee.instructions && !reached[c])
				reached[c] = 1;
		}
	}
}

/* Lowers one function behind those before it. */
static int lower_function(struct ct_lower_program *p, uint32_t function)
{
	size_t first_block = p->blocks, first_value = p->values, first_region = p->regions;
	int st = ct_lower_blocks(p, function);
	if (st == CT_OK)
		st = ct_lower_select(p, function, first_block);
	if (st == CT_OK)
		st = ct_lower_registers(p, first_region, first_value);
	return st;
}

/* Lowers the kernel, then what it calls, in the order of the text. */
static int lower_reached(struct ct_lower_program *p, uint32_t kernel)
{
	size_t count = ct_ptx_body_count(p->m);
	unsigned char *reached = ct_calloc(2, count);
	if (!reached)
		return CT_ERR_NOMEM;
	unsigned char *done = reached + count;
	reached[kernel] = done[kernel] = 1; /* it comes first, at address 0 */
	mark_callees(p->m, kernel, reached);
	int st = lower_function(p, kernel);
	for (int changed = 1; changed && st == CT_OK;) {
		changed = 0;
		for (uint32_t f = 0; f < count && st == CT_OK; f++) {
			if (!reached[f] || done[f])
				continue;
			changed = done[f] = 1;
			st = lower_function(p, f);
			mark_callees(p->m, f, reached);
		}
	}
	free(reached);
	return st;
}

/* Every region keeps the events of its PTX instructions side by side. */
static void place_events(struct ct_lower_program *p)
{
	uint32_t *used = ct_calloc(p->regions + 1, 2 * sizeof *used);
	p->slots = p->addresses = CT_LOWER_NONE;
	if (!used)
		return;
	uint32_t most = 0, most_addresses = 0;
	for (size_t b = 0; b < p->blocks; b++)
		for (uint32_t i = p->block[b].first; i < p->block[b].end; i++) {
			uint32_t *n = &used[2 * p->block[b].region];
			p->slot[i] = n[0]++;
			most = n[0] > most ? n[0] : most;
			size_t operands;
			const struct ct_ptx_operand *o = ct_ptx_operands_of(p->m, i, &operands);
			int memory = 0;
			for (size_t k = 0; k < operands; k++)
				memory |= o[k].in_brackets;
			p->address[i] = memory ? n[1]++ : CT_LOWER_NONE;
			most_addresses = n[1] > most_addresses ? n[1] : most_addresses;
		}
	p->slots = most;
	p->addresses = most_addresses;
	free(used);
}

/* Lowers a kernel and all functions that it reaches. */
static int lower(struct ct_lower_program *p, const struct ct_ptx_kernel *k)
{
	size_t n = ct_ptx_instruction_count(p->m);
	p->block_of = ct_calloc(n, sizeof *p->block_of);
	p->slot = ct_calloc(n, sizeof *p->slot);
	p->address = ct_calloc(n, sizeof *p->address);
	p->generic = ct_calloc(n, 1);
	p->copies = ct_calloc(n, 1);
	if (!p->block_of || !p->slot || !p->address || !p->generic || !p->copies)
		return CT_ERR_NOMEM;
	memset(p->block_of, 0xff, n * sizeof *p->block_of);
	int st = lower_reached(p, ct_ptx_instruction_at(p->m, k->first_instruction).function);
	if (st == CT_OK) {
		place_events(p);
		st = ct_lower_find_variants(p);
	}
	return st == CT_OK && p->slots == CT_LOWER_NONE ? CT_ERR_NOMEM : st;
}

int ct_lower_kernel(struct ct_lower_program **out, const struct ct_ptx_module *m,
                    const struct ct_ptx_kernel *k, unsigned sm, struct ct_error *e)
{
	struct ct_lower_program *p = ct_calloc(1, sizeof *p);
	*out = NULL;
	if (p) {
		p->m = m;
		p->sm = sm;
	}
	if (!p || lower(p, k) < 0) {
		ct_lower_free(p);
		return ct_fail_nomem(e);
	}
	*out = p;
	return CT_OK;
}

/* Where machine instruction i lies: each has 16 bytes since sm_70. */
static uint64_t pc_of(size_t i)
{
	return 16 * (uint64_t)i;
}

int ct_lower_sources(const struct ct_lower_program *p, uint8_t *has_lines, char **text,
                     struct ct_error *e)
{
	struct ct_source_place *place = ct_calloc(p->insts, sizeof *place);
	struct ct_buf b = {0};
	*has_lines = 0;
	*text = NULL;
	if (!place)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < p->insts; i++) {
		const struct ct_ptx_source s = ct_ptx_source_of(p->m, p->inst[i].source);
		*has_lines |= s.line != 0;
		place[i] = (struct ct_source_place){pc_of(i), s.file};
	}
	ct_sources_put(&b, place, p->insts);
	free(place);
	if (b.failed) {
		ct_buf_free(&b);
		return ct_fail_nomem(e);
	}
	*text = b.data;
	return CT_OK;
}

static ct_reg register_of(const struct ct_lower_program *p, uint32_t place)
{
	if (place == CT_LOWER_RZ)
		return CT_REG_RZ;
	return CT_REG_MAKE(CT_REG_R, p->value[CT_LOWER_VALUE(place)].reg + (place & 3));
}

int ct_lower_describe(struct ct_lower_program *p, struct ct_cta_maker *maker, struct ct_error *e)
{
	free(p->sid);
	p->sid = ct_calloc(p->insts, sizeof *p->sid);
	free(p->sequence);
	p->sequence = ct_calloc(p->steps + 1, sizeof *p->sequence);
	if (!p->sid || !p->sequence)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < p->insts; i++) {
		const struct ct_lower_inst *from = &p->inst[i];
		struct ct_sinst s = {.pc = pc_of(i),
		                     .opcode = from->opcode,
		                     .line = ct_ptx_source_of(p->m, from->source).line,
		                     .has_imm = 1,
		                     .imm = from->has_imm ? from->imm : 0,
		                     .ndst = from->ndst,
		                     .nsrc = from->nsrc};
		for (unsigned k = 0; k < from->ndst; k++)
			s.dst[k] = register_of(p, from->dst[k]);
		for (unsigned k = 0; k < from->nsrc; k++)
			s.src[k] = register_of(p, from->src[k]);
		if (from->memory)
			s.width_field = ct_accelsim_width_field(from->opcode);
		int st = ct_cta_maker_code(maker, &s, &p->sid[i], e);
		if (st < 0)
			return st;
	}
	for (size_t i = 0; i < p->steps; i++) {
		const struct ct_lower_step *from = &p->step[i];
		p->sequence[i] = (struct ct_ctz_step){
			p->sid[from->inst], from->n, from->lanes, from->access != CT_LOWER_NONE};
	}
	return CT_OK;
}
