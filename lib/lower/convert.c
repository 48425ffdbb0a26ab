/* Regions: blocks that are issued as one list. Straight lines become one, short branches become
 * instructions under a predicate, and what is left of divergent branches is bracketed by BSSY and BSYNC. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

/* The vendor's compiler turns bodies of up to eleven instructions into predicated ones: eleven in
 * the inner loop of the captured bfs. */
enum { MOST_CONVERTED = 11 };

/* Blocks that have become one, by the number of the first. */
struct merged {
	uint32_t head;      /* of a block: the first of its region */
	uint32_t next;      /* of a block: the one behind it in its region, or NONE */
	uint32_t tail;      /* of a head: the last */
	uint32_t code, end; /* of a block: its machine instructions, sorted */
	uint32_t ways;      /* of a head: how many of its blocks lead to what comes next */
};

struct regions {
	struct ct_lower_unit *u;
	struct merged *m;
	struct ct_lower_inst *inst; /* of the function, by block */
	size_t insts;
	uint8_t *many;               /* by value: it is written in several places */
	unsigned char *brackets;     /* joins that have their BSSY, by place times blocks plus join */
	struct ct_lower_inst *extra; /* BSSY and BSYNC, of a block's end */
	size_t extras, extra_cap;
};

static int by_home(const void *a, const void *b)
{
	const struct ct_lower_inst *x = a, *y = b;
	if (x->home != y->home)
		return x->home < y->home ? -1 : 1;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Each block's machine instructions side by side; hoisted ones behind the rest, before the branch. */
static int sort_blocks(struct regions *r, size_t first_inst)
{
	struct ct_lower_unit *u = r->u;
	struct ct_lower_program *p = u->p;
	r->insts = p->insts - first_inst;
	r->inst = ct_calloc(r->insts + 1, sizeof *r->inst);
	r->m = ct_calloc(u->blocks + 1u, sizeof *r->m);
	r->many = ct_calloc(p->values + 1, 1);
	r->brackets = ct_calloc((size_t)u->blocks * u->blocks + 1, 1);
	if (!r->inst || !r->m || !r->many || !r->brackets)
		return CT_ERR_NOMEM;
	for (size_t i = 0; i < r->insts; i++)
		p->inst[first_inst + i].order = (uint32_t)i;
	qsort(p->inst + first_inst, r->insts, sizeof *p->inst, by_home);
	memcpy(r->inst, p->inst + first_inst, r->insts * sizeof *r->inst);
	size_t at = 0;
	for (uint32_t b = 0; b < u->blocks; b++) {
		r->m[b] = (struct merged){
			.head = b, .next = CT_LOWER_NONE, .tail = b, .code = (uint32_t)at};
		while (at < r->insts && r->inst[at].home == u->first_block + b)
			at++;
		r->m[b].end = (uint32_t)at;
	}
	for (size_t i = 0; i < r->insts; i++)
		for (unsigned k = 0; k < r->inst[i].ndst; k++) {
			uint8_t *n = &r->many[CT_LOWER_VALUE(r->inst[i].dst[k])];
			*n |= (uint8_t)(*n & 1 << (r->inst[i].dst[k] & 3)
			                        ? 0x80
			                        : 1 << (r->inst[i].dst[k] & 3));
		}
	return CT_OK;
}

static const struct ct_ptx_control *control_of(const struct regions *r, uint32_t block)
{
	return &ct_lower_ptx_at(r->u, ct_lower_block_of(r->u, block)->end - 1)->control;
}

static uint32_t target_of(const struct regions *r, uint32_t block, unsigned which)
{
	uint32_t to = ct_lower_block_of(r->u, block)->next[which];
	return to == CT_LOWER_NONE ? to : to - (uint32_t)r->u->first_block;
}

/* Where a region goes on when it does so without a condition, or NONE. */
static uint32_t only_next(const struct regions *r, uint32_t head)
{
	uint32_t tail = r->m[head].tail;
	const struct ct_lower_block *b = ct_lower_block_of(r->u, tail);
	if (b->edges != 1 || control_of(r, tail)->table)
		return CT_LOWER_NONE;
	return r->u->p->edge[b->edge] - (uint32_t)r->u->first_block;
}

/* Ways into a block, from all blocks that can be reached. */
static unsigned ways_in(const struct regions *r, uint32_t block)
{
	unsigned n = block == 0;
	for (uint32_t b = 0; b < r->u->blocks; b++) {
		const struct ct_lower_block *from = ct_lower_block_of(r->u, b);
		for (uint32_t k = 0; k < from->edges && r->u->node[b].order != CT_LOWER_NONE; k++)
			n += r->u->p->edge[from->edge + k] - r->u->first_block == block;
	}
	return n;
}

/* A region ends for good behind what other warps or functions wait for. */
static int stops(const struct regions *r, uint32_t head)
{
	uint32_t last = ct_lower_block_of(r->u, r->m[head].tail)->end - 1;
	const char *o = ct_lower_ptx_at(r->u, last)->opcode;
	return strncmp(o, "bar", 3) == 0 || ct_lower_is(o, "call");
}

/* Removes the branch that ends a block. */
static void drop_branch(struct regions *r, uint32_t block)
{
	struct merged *m = &r->m[block];
	if (m->end > m->code && strcmp(r->inst[m->end - 1].opcode, "BRA") == 0)
		m->end--;
}

static void append(struct regions *r, uint32_t head, uint32_t other)
{
	r->m[r->m[head].tail].next = other;
	r->m[head].tail = r->m[other].tail;
	for (uint32_t b = other; b != CT_LOWER_NONE; b = r->m[b].next)
		r->m[b].head = head;
}

/* A region that may be run under a predicate: short, and nothing in it that needs its lanes together. */
static int is_short(const struct regions *r, uint32_t head)
{
	unsigned n = 0;
	if (stops(r, head))
		return 0;
	for (uint32_t b = head; b != CT_LOWER_NONE; b = r->m[b].next)
		for (uint32_t i = r->m[b].code; i < r->m[b].end; i++) {
			const struct ct_lower_inst *x = &r->inst[i];
			if (x->phase == CT_LOWER_END && strcmp(x->opcode, "BRA") == 0)
				continue;
			if (x->phase == CT_LOWER_END ||
			    (!x->pure && !x->memory && x->lanes != CT_LOWER_CONVERTED) ||
			    x->opcode[0] == 'B')
				return 0;
			n++;
		}
	return n <= MOST_CONVERTED;
}

/* Puts a region's instructions under the predicate of the branch around it. */
static void convert(struct regions *r, uint32_t head, uint32_t branch)
{
	uint32_t guard = ct_lower_ptx_at(r->u, branch)->control.guard;
	for (uint32_t b = head; b != CT_LOWER_NONE; b = r->m[b].next)
		for (uint32_t i = r->m[b].code; i < r->m[b].end; i++) {
			struct ct_lower_inst *x = &r->inst[i];
			int rewrites = 0;
			for (unsigned k = 0; k < x->ndst; k++)
				rewrites |= r->many[CT_LOWER_VALUE(x->dst[k])] & 0x80;
			x->control = branch;
			if (x->lanes == CT_LOWER_SPECULATED || x->lanes == CT_LOWER_CONVERTED)
				continue;
			x->lanes = x->pure && !rewrites ? CT_LOWER_SPECULATED : CT_LOWER_CONVERTED;
			for (unsigned k = 0; k < 3 && x->lanes == CT_LOWER_CONVERTED; k++)
				if (!x->psrc[k]) {
					x->psrc[k] = guard + 1;
					break;
				}
		}
	drop_branch(r, r->m[head].tail);
}

/* A side of a branch that only it leads to and that goes to `to` (NONE: anywhere), and is short. */
static int is_side(const struct regions *r, uint32_t from, uint32_t side, uint32_t to)
{
	return side != CT_LOWER_NONE && r->m[side].head == side && side != from &&
	       ways_in(r, side) == 1 && only_next(r, side) != CT_LOWER_NONE &&
	       (to == CT_LOWER_NONE || only_next(r, side) == to) && is_short(r, side);
}

/* Makes a region longer: 1 where it has become so. */
static int grow(struct regions *r, uint32_t head)
{
	uint32_t tail = r->m[head].tail, branch = ct_lower_block_of(r->u, tail)->end - 1;
	const struct ct_ptx_control *c = control_of(r, tail);
	if (stops(r, head))
		return 0;
	uint32_t next = only_next(r, head);
	if (next != CT_LOWER_NONE) {
		if (r->m[next].head != next || next == head || ways_in(r, next) != r->m[head].ways ||
		    r->u->node[next].returns)
			return 0;
		drop_branch(r, tail);
		append(r, head, next);
		r->m[head].ways = 1;
		return 1;
	}
	if (!c->branches || c->guard == CT_PTX_NO_OPERAND)
		return 0;
	uint32_t fall = target_of(r, tail, 0), to = target_of(r, tail, 1);
	if (fall == CT_LOWER_NONE || to == CT_LOWER_NONE || r->u->node[to].returns || fall == to)
		return 0;
	uint32_t sides[2] = {CT_LOWER_NONE, CT_LOWER_NONE};
	if (is_side(r, head, fall, to))
		sides[0] = fall;
	else if (is_side(r, head, to, fall))
		sides[0] = to;
	else if (is_side(r, head, fall, CT_LOWER_NONE) && is_side(r, head, to, only_next(r, fall))) {
		sides[0] = fall;
		sides[1] = to;
	}
	if (sides[0] == CT_LOWER_NONE || only_next(r, sides[0]) == head)
		return 0;
	uint32_t ways = sides[1] == CT_LOWER_NONE; /* the branch itself */
	drop_branch(r, tail);
	for (unsigned k = 0; k < 2 && sides[k] != CT_LOWER_NONE; k++) {
		ways += r->m[sides[k]].ways;
		convert(r, sides[k], branch);
		append(r, head, sides[k]);
	}
	r->m[head].ways = ways;
	return 1;
}

/* ---- brackets ---- */

static int add_extra(struct regions *r, const char *opcode, uint32_t block, uint32_t source,
                     enum ct_lower_lanes lanes)
{
	if (ct_grow((void **)&r->extra, &r->extra_cap, r->extras + 1, sizeof *r->extra) < 0)
		return -1;
	r->extra[r->extras++] = (struct ct_lower_inst){
		.opcode = opcode,
		.source = source,
		.control = CT_LOWER_NONE,
		.lanes = (uint8_t)lanes,
		.phase = CT_LOWER_END,
		.home = block};
	return 0;
}

/* The block in which the lanes of a divergent branch are still together: its own, or the one before the loops that the
 * branch leaves. */
static uint32_t bracket_place(const struct regions *r, uint32_t block, uint32_t join)
{
	uint32_t header = r->u->node[block].loop, place = block;
	while (header != CT_LOWER_NONE && !ct_lower_in_loop(r->u, join, header) && header != 0) {
		place = r->u->node[header].dominator;
		header = r->u->node[header].outer;
	}
	return place;
}

/* BSYNC on every way to a join. */
static int close_bracket(struct regions *r, uint32_t join)
{
	int rc = 0;
	for (uint32_t b = 0; b < r->u->blocks; b++) {
		if (r->u->node[b].order == CT_LOWER_NONE || (r->m[b].next != CT_LOWER_NONE))
			continue;
		uint32_t last = ct_lower_block_of(r->u, b)->end - 1;
		int one = only_next(r, r->m[b].head) != CT_LOWER_NONE;
		for (unsigned k = 0; k < 2; k++)
			if (target_of(r, b, k) == join)
				rc |= add_extra(r, "BSYNC", b, last,
				                one      ? CT_LOWER_ACTIVE
				                : k == 0 ? CT_LOWER_PASSED
				                         : CT_LOWER_TAKEN);
	}
	return rc;
}

/* Puts BSSY and BSYNC around branches at which the lanes of a warp may part, as machine code does;
 * several branches to one join share a bracket. */
static int find_brackets(struct regions *r)
{
	int rc = 0;
	for (uint32_t b = 0; b < r->u->blocks; b++) {
		const struct ct_ptx_control *c = control_of(r, b);
		if (r->m[b].next != CT_LOWER_NONE || r->u->node[b].order == CT_LOWER_NONE ||
		    !c->branches || c->guard == CT_PTX_NO_OPERAND || !r->u->pred[c->guard].divergent ||
		    c->join == CT_PTX_NO_OPERAND)
			continue;
		uint32_t join = ct_lower_home(r->u, c->join);
		if (r->u->node[join].returns || r->u->node[ct_lower_home(r->u, c->target)].returns)
			continue;
		uint32_t place = bracket_place(r, b, join);
		unsigned char *seen = &r->brackets[(size_t)place * r->u->blocks + join];
		int first = 1;
		for (uint32_t k = 0; k < r->u->blocks; k++)
			first &= !r->brackets[(size_t)k * r->u->blocks + join];
		if (!*seen)
			rc |= add_extra(r, "BSSY", place, ct_lower_block_of(r->u, place)->end - 1,
			                CT_LOWER_ACTIVE);
		if (first)
			rc |= close_bracket(r, join);
		*seen = 1;
	}
	return rc;
}

/* ---- out ---- */

static int put(struct ct_lower_program *p, const struct ct_lower_inst *i)
{
	if (ct_grow((void **)&p->inst, &p->inst_cap, p->insts + 1, sizeof *p->inst) < 0)
		return -1;
	p->inst[p->insts++] = *i;
	return 0;
}

/* Code of sm_70 and sm_75 clears a barrier register before it opens a bracket with it. */
static int put_extras(struct regions *r, uint32_t block, const char *opcode)
{
	int rc = 0;
	for (size_t i = 0; i < r->extras; i++) {
		if (r->extra[i].home != block || strcmp(r->extra[i].opcode, opcode) != 0)
			continue;
		struct ct_lower_inst clear = r->extra[i];
		clear.opcode = "BMOV.32.CLEAR";
		if (r->u->p->sm < 80 && strcmp(opcode, "BSSY") == 0)
			rc |= put(r->u->p, &clear);
		rc |= put(r->u->p, &r->extra[i]);
	}
	return rc;
}

/* A region's instructions behind those of the ones before. */
static int put_region(struct regions *r, uint32_t head)
{
	struct ct_lower_program *p = r->u->p;
	struct ct_lower_region *region = &p->region[p->regions];
	int rc = 0;
	*region = (struct ct_lower_region){.code = (uint32_t)p->insts};
	for (uint32_t b = head; b != CT_LOWER_NONE; b = r->m[b].next) {
		p->block[r->u->first_block + b].region = (uint32_t)p->regions;
		uint32_t i = r->m[b].code;
		for (; i < r->m[b].end && r->inst[i].phase != CT_LOWER_END; i++)
			rc |= put(p, &r->inst[i]);
		rc |= put_extras(r, b, "BSSY");
		for (; i < r->m[b].end; i++)
			rc |= put(p, &r->inst[i]);
		rc |= put_extras(r, b, "BSYNC");
	}
	region->code_end = (uint32_t)p->insts;
	p->regions++;
	return rc;
}

/* Gives regions the edges of their blocks, and drops those between blocks of one region. */
static int link_regions(struct regions *r)
{
	struct ct_lower_unit *u = r->u;
	struct ct_lower_program *p = u->p;
	for (uint32_t b = 0; b < u->blocks; b++) {
		if (r->m[b].head != b)
			continue;
		struct ct_lower_region *region = &p->region[p->block[u->first_block + b].region];
		region->edge = (uint32_t)p->edges;
		for (uint32_t k = b; k != CT_LOWER_NONE; k = r->m[k].next)
			for (uint32_t e = 0; e < ct_lower_block_of(u, k)->edges; e++) {
				uint32_t to = p->edge[ct_lower_block_of(u, k)->edge + e];
				if (r->m[to - u->first_block].head != to - u->first_block)
					continue;
				if (ct_grow((void **)&p->edge, &p->edge_cap, p->edges + 1,
				            sizeof *p->edge) < 0)
					return -1;
				p->edge[p->edges++] = p->block[to].region;
				region->edges++;
			}
	}
	return 0;
}

int ct_lower_regions(struct ct_lower_unit *u, size_t first_inst)
{
	struct regions r = {.u = u};
	struct ct_lower_program *p = u->p;
	size_t first_region = p->regions;
	int rc = sort_blocks(&r, first_inst);
	for (uint32_t b = 0; rc == 0 && b < u->blocks; b++)
		r.m[b].ways = 1;
	for (int changed = rc == 0; changed;) {
		changed = 0;
		for (uint32_t b = 0; b < u->blocks; b++)
			while (r.m[b].head == b && u->node[b].order != CT_LOWER_NONE && grow(&r, b))
				changed = 1;
	}
	if (rc == 0)
		rc = find_brackets(&r);
	p->insts = rc == 0 ? first_inst : p->insts;
	if (rc == 0)
		rc = ct_grow((void **)&p->region, &p->region_cap, p->regions + u->blocks,
		             sizeof *p->region);
	for (uint32_t b = 0; rc == 0 && b < u->blocks; b++)
		if (r.m[b].head == b)
			rc = put_region(&r, b);
	if (rc == 0)
		rc = link_regions(&r);
	for (size_t k = first_region; rc == 0 && k < p->regions; k++)
		rc = ct_lower_schedule(p, (uint32_t)k);
	free(r.m);
	free(r.inst);
	free(r.many);
	free(r.brackets);
	free(r.extra);
	return rc == 0 ? CT_OK : CT_ERR_NOMEM;
}
