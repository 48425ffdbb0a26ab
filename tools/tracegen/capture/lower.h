/* lower.h - private to capture: values of a function while it is lowered. */
#ifndef CT_TRACEGEN_CAPTURE_LOWER_H
#define CT_TRACEGEN_CAPTURE_LOWER_H

#include <string.h>

#include "tracegen/capture/ir.h"

struct lower {
	const struct ir *ir;
	const struct ir_func *f;
	int is_kernel;
	struct cap_code *c;
	const char **unknown;
	struct cap_loc *loc; /* of each value */
	struct ir_type *type;
	uint32_t *def, *uses; /* instruction that defines a value (CAP_NONE: none); uses of it */
	uint8_t *narrow, *placed;
	const struct ir_inst *in;    /* being lowered */
	const struct ir_block *next; /* laid out behind its block */
};

static const struct cap_loc nowhere = {CAP_NONE, 0, 0};

/* Operand i of an instruction (a constant beyond the last). */
const struct ir_operand *cap_arg(const struct lower *l, const struct ir_inst *in, unsigned i);
/* Registers of one element of a type; of a whole value. */
unsigned cap_element_regs(struct ir_type t, int narrow);
unsigned cap_value_regs(const struct lower *l, uint32_t v);
/* New registers; some of those that a location names. */
struct cap_loc cap_fresh(struct lower *l, unsigned n);
struct cap_loc cap_part(struct cap_loc a, unsigned sub, unsigned n);
/* Where a value lives: given on first use. */
struct cap_loc cap_locate(struct lower *l, uint32_t v);
/* Element e of an operand. */
struct cap_loc cap_element(struct lower *l, const struct ir_operand *o, unsigned e);
/* Whether the result is (part of) the first operand's registers; whether it needs none. */
int cap_is_alias(const struct lower *l, const struct ir_inst *in);
int cap_is_constant(const struct ir_inst *in);
/* Fills def, uses, type, narrow, and marks what an add takes in. */
void cap_find_values(struct lower *l);

static inline int cap_named(const struct ir_inst *in, const char *name)
{
	return strcmp(in->name, name) == 0;
}

static inline int cap_starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

#endif
