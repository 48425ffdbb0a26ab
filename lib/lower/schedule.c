/* The order of a region's instructions: loads early and together, chains side by side, as far as registers
 * allow. List scheduling by critical path (Gibbons and Muchnick, PLDI 1986). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

/* Issue slots until a result is there. Of arithmetic as microbenchmarks of sm_70 report; of memory shorter
 * than real, as other warps hide the rest. */
enum { LAT_ALU = 4, LAT_SLOW = 12, LAT_SHARED = 24, LAT_GLOBAL = 60 };
/* Registers that a region may hold at once before the order turns to freeing them: half of what 1024
 * threads of an SM with 65536 registers have would be 32; the vendor's compiler goes further. */
enum { MOST_LIVE = 64 };

struct edge {
	uint32_t to, latency, next; /* next: of the same instruction, plus 1 */
};

struct node {
	uint32_t edges; /* first, plus 1 */
	uint32_t waits; /* instructions before it that are not placed */
	uint32_t ready; /* slot from which its operands are there */
	uint32_t priority;
	uint8_t placed;
};

struct schedule {
	struct ct_lower_program *p;
	struct ct_lower_inst *inst;
	uint32_t n;
	struct node *node;
	struct edge *edge;
	size_t edges, edge_cap;
	uint32_t *write, *read; /* by place: the last write; the last read since, plus 1 */
	uint32_t *left;         /* by value: reads that are to come */
	struct ct_lower_inst *out;
	uint32_t live;
};

static uint32_t latency(const struct ct_lower_inst *i)
{
	const char *o = i->opcode;
	if (i->memory || strncmp(o, "LDC", 3) == 0)
		return strncmp(o, "LDG", 3) == 0 || strncmp(o, "LD.", 3) == 0 ||
		                       strncmp(o, "LDL", 3) == 0
		               ? LAT_GLOBAL
		               : LAT_SHARED;
	if (strncmp(o, "MUFU", 4) == 0 || strncmp(o, "S2R", 3) == 0 || strncmp(o, "I2F", 3) == 0 ||
	    strncmp(o, "F2", 2) == 0 || strncmp(o, "SHFL", 4) == 0 || o[0] == 'D' ||
	    strncmp(o, "POPC", 4) == 0)
		return LAT_SLOW;
	return LAT_ALU;
}

static int add_edge(struct schedule *s, uint32_t from, uint32_t to, uint32_t delay)
{
	if (from == to)
		return 0;
	if (ct_grow((void **)&s->edge, &s->edge_cap, s->edges + 1, sizeof *s->edge) < 0)
		return -1;
	s->edge[s->edges++] = (struct edge){to, delay, s->node[from].edges};
	s->node[from].edges = (uint32_t)s->edges;
	s->node[to].waits++;
	return 0;
}

/* What an access may not pass: 1 global, 2 shared, 4 local; generic ones any. */
static unsigned spaces(const struct ct_lower_inst *i)
{
	const char *o = i->opcode;
	if (strncmp(o, "LDS", 3) == 0 || strncmp(o, "STS", 3) == 0 || strncmp(o, "ATOMS", 5) == 0)
		return 2;
	if (strncmp(o, "LDL", 3) == 0 || strncmp(o, "STL", 3) == 0)
		return 4;
	if (strncmp(o, "LDG", 3) == 0 || strncmp(o, "STG", 3) == 0 || strncmp(o, "ATOMG", 5) == 0 ||
	    strncmp(o, "RED", 3) == 0)
		return 1;
	return 7;
}

static int is_load(const struct ct_lower_inst *i)
{
	return i->memory && strncmp(i->opcode, "LD", 2) == 0 && !strstr(i->opcode, "STRONG");
}

/* Order among accesses, and of everything against what must keep its place. */
static int order_memory(struct schedule *s, uint32_t at)
{
	const struct ct_lower_inst *i = &s->inst[at];
	int fixed = !i->pure && !i->memory, rc = 0;
	for (uint32_t k = at; k-- > 0 && rc == 0;) {
		const struct ct_lower_inst *before = &s->inst[k];
		int before_fixed = !before->pure && !before->memory;
		if (before_fixed || fixed) {
			if (before_fixed || !before->pure || i->phase == CT_LOWER_END)
				rc = before_fixed && i->pure && i->phase != CT_LOWER_END
				             ? 0
				             : add_edge(s, k, at, 0);
		} else if (i->memory && before->memory && (spaces(i) & spaces(before)) &&
		           !(is_load(i) && is_load(before))) {
			rc = add_edge(s, k, at, 0);
		}
	}
	return rc;
}

/* Names that instructions write and read: places of values, then predicates. */
static uint32_t name_of(const struct schedule *s, uint32_t place)
{
	return CT_LOWER_VALUE(place) < s->p->values ? CT_LOWER_VALUE(place) : 0;
}

static int reads(struct schedule *s, uint32_t name, uint32_t at)
{
	int rc = 0;
	if (s->write[name])
		rc = add_edge(s, s->write[name] - 1, at, latency(&s->inst[s->write[name] - 1]));
	s->read[(size_t)at * 8 + s->read[(size_t)s->n * 8 + at]++] = name + 1;
	return rc;
}

static int writes(struct schedule *s, uint32_t name, uint32_t at)
{
	int rc = 0;
	uint32_t since = s->write[name];
	for (uint32_t k = since ? since - 1 : 0; k < at && rc == 0; k++)
		for (unsigned j = 0; j < 8; j++)
			if (s->read[(size_t)k * 8 + j] == name + 1)
				rc = add_edge(s, k, at, 0);
	if (since && rc == 0)
		rc = add_edge(s, since - 1, at, 1);
	s->write[name] = at + 1;
	return rc;
}

/* Finds which instruction has to wait for which, and the length of the longest chain behind each. */
static int find_edges(struct schedule *s)
{
	int rc = 0;
	for (uint32_t i = 0; i < s->n && rc == 0; i++) {
		const struct ct_lower_inst *x = &s->inst[i];
		for (unsigned k = 0; k < x->nsrc && rc == 0; k++)
			if (x->src[k] != CT_LOWER_RZ)
				rc = reads(s, name_of(s, x->src[k]), i);
		for (unsigned k = 0; k < 3 && rc == 0; k++)
			if (x->psrc[k])
				rc = reads(s, (uint32_t)s->p->values + x->psrc[k], i);
		for (unsigned k = 0; k < x->ndst && rc == 0; k++)
			rc = writes(s, name_of(s, x->dst[k]), i);
		for (unsigned k = 0; k < 2 && rc == 0; k++)
			if (x->pdst[k])
				rc = writes(s, (uint32_t)s->p->values + x->pdst[k], i);
		if (rc == 0)
			rc = order_memory(s, i);
	}
	for (uint32_t i = s->n; i-- > 0;)
		for (uint32_t e = s->node[i].edges; e; e = s->edge[e - 1].next) {
			uint32_t far = s->node[s->edge[e - 1].to].priority + s->edge[e - 1].latency + 1;
			s->node[i].priority = far > s->node[i].priority ? far : s->node[i].priority;
		}
	return rc;
}

/* Registers that an instruction would add to those that are held. */
static int pressure(const struct schedule *s, const struct ct_lower_inst *i)
{
	int more = 0;
	for (unsigned k = 0; k < i->ndst; k++)
		more += s->p->value[CT_LOWER_VALUE(i->dst[k])].parts;
	for (unsigned k = 0; k < i->nsrc; k++)
		if (i->src[k] != CT_LOWER_RZ && s->left[name_of(s, i->src[k])] == 1)
			more -= s->p->value[CT_LOWER_VALUE(i->src[k])].parts;
	return more;
}

/* The instruction to come next: one whose operands are there and that the longest chain waits for; where
 * many registers are held, the one that frees most of them, then the first of the text. */
static uint32_t choose(const struct schedule *s, uint32_t clock)
{
	uint32_t best = CT_LOWER_NONE;
	int tight = s->live >= MOST_LIVE;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct node *x = &s->node[i];
		if (x->placed || x->waits)
			continue;
		if (best == CT_LOWER_NONE) {
			best = i;
			continue;
		}
		const struct node *b = &s->node[best];
		int late = x->ready > clock, best_late = b->ready > clock;
		int less = tight ? pressure(s, &s->inst[i]) - pressure(s, &s->inst[best]) : 0;
		if (less                           ? less < 0
		    : late != best_late            ? best_late
		    : late && x->ready != b->ready ? x->ready < b->ready
		                                   : x->priority > b->priority)
			best = i;
	}
	return best;
}

/* Puts an instruction into its place in the list, and moves the clock, the count of live registers, and
 * what waits for it. */
static void place(struct schedule *s, uint32_t i, uint32_t at, uint32_t *clock)
{
	struct node *x = &s->node[i];
	x->placed = 1;
	*clock = (x->ready > *clock ? x->ready : *clock) + 1;
	s->out[at] = s->inst[i];
	int more = pressure(s, &s->inst[i]);
	s->live = (int)s->live + more > 0 ? (uint32_t)((int)s->live + more) : 0;
	for (unsigned k = 0; k < s->inst[i].nsrc; k++)
		if (s->inst[i].src[k] != CT_LOWER_RZ)
			s->left[name_of(s, s->inst[i].src[k])]--;
	for (uint32_t e = x->edges; e; e = s->edge[e - 1].next) {
		struct node *to = &s->node[s->edge[e - 1].to];
		to->waits--;
		if (*clock + s->edge[e - 1].latency > to->ready + 1)
			to->ready = *clock + s->edge[e - 1].latency - 1;
	}
}

int ct_lower_schedule(struct ct_lower_program *p, uint32_t region)
{
	struct ct_lower_region *r = &p->region[region];
	struct schedule s = {.p = p, .inst = p->inst + r->code, .n = r->code_end - r->code};
	uint32_t clock = 0;
	s.node = ct_calloc(s.n + 1u, sizeof *s.node);
	s.out = ct_calloc(s.n + 1u, sizeof *s.out);
	s.read = ct_calloc((size_t)s.n * 9 + 8, sizeof *s.read);
	s.write = ct_calloc(p->values + p->predicates + 2, sizeof *s.write);
	s.left = ct_calloc(p->values + 1, sizeof *s.left);
	int rc = s.node && s.out && s.read && s.write && s.left ? 0 : -1;
	for (uint32_t i = 0; rc == 0 && i < s.n; i++)
		for (unsigned k = 0; k < s.inst[i].nsrc; k++)
			if (s.inst[i].src[k] != CT_LOWER_RZ)
				s.left[name_of(&s, s.inst[i].src[k])]++;
	if (rc == 0)
		rc = find_edges(&s);
	for (uint32_t at = 0; rc == 0 && at < s.n; at++)
		place(&s, choose(&s, clock), at, &clock);
	if (rc == 0)
		memcpy(s.inst, s.out, s.n * sizeof *s.inst);
	free(s.node);
	free(s.out);
	free(s.read);
	free(s.write);
	free(s.left);
	free(s.edge);
	return rc;
}
