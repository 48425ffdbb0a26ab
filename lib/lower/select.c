/* Machine instructions for PTX, one for one. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/machine.h"

/* Opcodes by the name of the PTX instruction; the longest that the PTX opcode begins with counts. */
static const struct {
	const char *ptx, *machine;
} names[] = {
	{"abs", "IABS"},
	{"add", "IADD3"},
	{"add.f16", "HADD2"},
	{"add.f32", "FADD"},
	{"add.rn.f32", "FADD"},
	{"add.f64", "DADD"},
	{"add.rn.f64", "DADD"},
	{"and", "LOP3.LUT"},
	{"atom", "ATOMG.E"},
	{"bar", "BAR.SYNC"},
	{"bra", "BRA"},
	{"call", "CALL.REL.NOINC"},
	{"cvt", "I2F"},
	{"div", "MUFU.RCP"},
	{"ex2", "MUFU.EX2"},
	{"exit", "EXIT"},
	{"fma.rn.f32", "FFMA"},
	{"fma.rn.f64", "DFMA"},
	{"fma", "HFMA2"},
	{"ld", "LD.E"},
	{"lg2", "MUFU.LG2"},
	{"mad", "IMAD"},
	{"mad.wide", "IMAD.WIDE"},
	{"max", "IMNMX"},
	{"membar", "MEMBAR.SC.GPU"},
	{"min", "IMNMX"},
	{"mov", "MOV"},
	{"mul", "IMAD"},
	{"mul.f32", "FMUL"},
	{"mul.rn.f32", "FMUL"},
	{"mul.f64", "DMUL"},
	{"mul.rn.f64", "DMUL"},
	{"mul.wide", "IMAD.WIDE"},
	{"neg", "IADD3"},
	{"neg.f32", "FADD"},
	{"not", "LOP3.LUT"},
	{"or", "LOP3.LUT"},
	{"rcp", "MUFU.RCP"},
	{"red", "RED.E"},
	{"ret", "RET.REL.NODEC"},
	{"rsqrt", "MUFU.RSQ"},
	{"selp", "SEL"},
	{"setp", "ISETP"},
	{"shfl", "SHFL"},
	{"shl", "SHF.L.U32"},
	{"shr", "SHF.R.U32.HI"},
	{"sqrt", "MUFU.SQRT"},
	{"st", "ST.E"},
	{"sub", "IADD3"},
	{"sub.f32", "FADD"},
	{"sub.f64", "DADD"},
	{"tex", "TEX"},
	{"vote", "VOTE"},
	{"xor", "LOP3.LUT"}};

static const char *machine_name(const char *opcode)
{
	const char *found = "MOV";
	size_t best = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i].ptx);
		if (strncmp(names[i].ptx, opcode, n) == 0 && n > best &&
		    (opcode[n] == '.' || opcode[n] == '\0')) {
			found = names[i].machine;
			best = n;
		}
	}
	return found;
}

/* "LDG.E" and ".64" for ld.global.f64. */
static const char *access_name(struct ct_lower_program *p, const char *opcode, unsigned bytes)
{
	static const char *const spaces[][2] = {{".global", "G.E"}, {".shared", "S"}, {".local", "L"}};
	static const char *const sizes[] = {".U8", ".U16", "", ".64", ".128"};
	const char *size = sizes[bytes <= 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4];
	const char *space = ".E";
	const char *kind = strncmp(opcode, "ld", 2) == 0 ? "LD" : "ST";
	if (strncmp(opcode, "atom", 4) == 0)
		return strstr(opcode, ".shared")   ? "ATOMS"
		       : strstr(opcode, ".global") ? "ATOMG.E"
		                                   : "ATOM.E";
	if (strncmp(opcode, "red", 3) == 0)
		return "RED.E";
	for (size_t i = 0; i < 3; i++)
		if (strstr(opcode, spaces[i][0]))
			space = spaces[i][1];
	return ct_lower_text(p, kind, space, size);
}

struct selection {
	struct ct_lower_program *p;
	uint32_t *value; /* by PTX register */
};

static uint32_t place_of(struct selection *s, const struct ct_ptx_operand *o)
{
	uint32_t *v = &s->value[o->number];
	if (*v == CT_LOWER_NONE)
		*v = ct_lower_new_value(s->p, o->bytes == 8 ? 2 : 1);
	return CT_LOWER_PART(*v, 0);
}

static unsigned bytes_of(const char *opcode)
{
	const char *dot = strrchr(opcode, '.');
	unsigned bits = dot ? (unsigned)strtoul(dot + 2, NULL, 10) : 32;
	const char *vector = strstr(opcode, ".v2.") ? "2" : strstr(opcode, ".v4.") ? "4" : "1";
	return bits / 8 * (unsigned)(*vector - '0');
}

static int select_one(struct selection *s, uint32_t at)
{
	struct ct_lower_program *p = s->p;
	struct ct_ptx_control c = ct_ptx_control_of(p->m, at);
	const char *opcode = ct_ptx_instruction_at(p->m, at).opcode;
	size_t n;
	const struct ct_ptx_operand *o = ct_ptx_operands_of(p->m, at, &n);
	int store = strncmp(opcode, "st.", 3) == 0 || strncmp(opcode, "red", 3) == 0, memory = 0;
	int param = strstr(opcode, ".param") != NULL || strstr(opcode, ".const") != NULL;
	for (size_t k = 0; k < n; k++)
		memory |= o[k].in_brackets;
	const char *name = c.ends ? "EXIT" : machine_name(opcode);
	if (memory && strncmp(opcode, "tex", 3) != 0)
		name = param ? "LDC" : access_name(p, opcode, bytes_of(opcode));
	struct ct_lower_inst *i = ct_lower_add(p, name, at);
	if (!i)
		return CT_ERR_NOMEM;
	i->lanes = c.ends ? CT_LOWER_EXITS : CT_LOWER_GUARDED;
	i->memory = memory && !param && strncmp(opcode, "tex", 3) != 0;
	p->generic[at] = i->memory && !strstr(opcode, ".global") && !strstr(opcode, ".shared") &&
	                 !strstr(opcode, ".local");
	for (size_t k = 0; k < n; k++) {
		if (o[k].kind != CT_PTX_OPERAND_REGISTER)
			continue;
		uint32_t place = place_of(s, &o[k]);
		if (o[k].place == 0 && !store && !c.branches && !o[k].in_brackets) {
			if (i->ndst < CT_LOWER_MAX_DST)
				i->dst[i->ndst++] = place;
		} else if (i->nsrc < CT_LOWER_MAX_SRC) {
			i->src[i->nsrc++] = place;
		}
	}
	return CT_OK;
}

int ct_lower_select(struct ct_lower_program *p, uint32_t function, size_t first_block)
{
	struct ct_ptx_body f = ct_ptx_body_at(p->m, function);
	struct selection s = {.p = p, .value = ct_calloc(f.registers + 1u, sizeof *s.value)};
	int st = s.value ? CT_OK : CT_ERR_NOMEM;
	if (st == CT_OK)
		memset(s.value, 0xff, f.registers * sizeof *s.value);
	for (size_t b = first_block; b < p->blocks && st == CT_OK; b++) {
		p->block[b].code = (uint32_t)p->insts;
		for (uint32_t i = p->block[b].first; i < p->block[b].end && st == CT_OK; i++)
			st = select_one(&s, i);
		p->block[b].code_end = (uint32_t)p->insts;
		if (st == CT_OK &&
		    ct_grow((void **)&p->region, &p->region_cap, p->regions + 1, sizeof *p->region) < 0)
			st = CT_ERR_NOMEM;
		if (st < 0)
			break;
		p->block[b].region = (uint32_t)p->regions;
		p->region[p->regions++] = (struct ct_lower_region){
			p->block[b].code, p->block[b].code_end};
	}
	free(s.value);
	return st;
}
