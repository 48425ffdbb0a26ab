/* Moves operations within a basic block as a compiler does: loads early, independent chains
 * interleaved, so that registers live as long as they do in real code. List scheduling
 * by critical path (Gibbons and Muchnick, PLDI 1986) over a sliding window, which bounds the
 * registers that it costs. The order of stores, and of loads against stores to the same
 * memory, stays. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracegen/kernel.h"

/* Ops that are looked at together; about what nvcc keeps in flight in unrolled loops. */
enum { WINDOW = 20 };
/* Result latencies in issue slots, of the size that microbenchmarks of sm_80 report for
 * arithmetic; memory is shorter than real, since other warps hide the rest. */
enum { LAT_ALU = 4, LAT_SHORT = 8, LAT_SHARED = 20, LAT_GLOBAL = 40, LAT_ORDER = 1 };

enum { PARTS = 4, SPACES = CT_SPACE_GENERIC + 1, NONE = -1 };

struct edge {
	int32_t from;
	uint16_t latency;
};

/* Reads of one register since it was last written, as a list. */
struct reader {
	int32_t op, next;
};

struct schedule {
	struct kb *k;
	uint32_t begin, n;
	struct edge *edge; /* grouped by the op that waits: edge[first[i] .. first[i+1]) */
	size_t n_edges, cap_edges;
	uint32_t *first;
	struct reader *reader;
	size_t n_readers, cap_readers;
	int32_t *writer, *readers; /* per value and part: last write, head of the reads since */
	int32_t store[SPACES], load[SPACES]; /* last store; head of the loads since */
	uint32_t *priority, *done;
	uint8_t *placed;
	struct op *out;
	int failed;
};

static uint16_t latency(const struct op *o)
{
	if (o->code == OP_LOAD || o->code == OP_ATOM || o->code == OP_LDSM)
		return o->space == CT_SPACE_GLOBAL || o->space == CT_SPACE_LOCAL
		               ? LAT_GLOBAL
		               : LAT_SHARED;
	return o->code == OP_MUFU || o->code == OP_SHFL || o->code == OP_S2R || o->code == OP_HMMA
	               ? LAT_SHORT
	               : LAT_ALU;
}

/* Whether the op works on single registers; others may touch the whole group. */
static int is_narrow(const struct op *o)
{
	switch (o->code) {
	case OP_IMAD_WIDE:
	case OP_DADD:
	case OP_DSUB:
	case OP_DMUL:
	case OP_DFMA:
	case OP_F2D:
	case OP_D2F:
	case OP_I2D:
	case OP_D2I:
	case OP_DSETP:
	case OP_HMMA: return 0;
	default: return o->code < OP_LOAD;
	}
}

static void wait_for(struct schedule *s, int32_t from, uint16_t slots)
{
	if (from == NONE || s->failed)
		return;
	if (ct_grow((void **)&s->edge, &s->cap_edges, s->n_edges + 1, sizeof *s->edge) < 0) {
		s->failed = 1;
		return;
	}
	s->edge[s->n_edges++] = (struct edge){from, slots};
}

static void remember(struct schedule *s, int32_t *head, int32_t op)
{
	if (s->failed ||
	    ct_grow((void **)&s->reader, &s->cap_readers, s->n_readers + 1, sizeof *s->reader) < 0) {
		s->failed = 1;
		return;
	}
	s->reader[s->n_readers] = (struct reader){op, *head};
	*head = (int32_t)s->n_readers++;
}

/* Op i waits for the whole list (but for itself), which then is empty. */
static void wait_for_all(struct schedule *s, int32_t i, int32_t *head)
{
	for (int32_t r = *head; r != NONE; r = s->reader[r].next)
		if (s->reader[r].op != i)
			wait_for(s, s->reader[r].op, LAT_ORDER);
	*head = NONE;
}

/* First and last part of a value that the op touches. */
static void parts(const struct schedule *s, const struct op *o, val v, size_t *lo, size_t *hi)
{
	unsigned last = is_narrow(o) ? v.part : s->k->value[v.id].nregs - 1u;
	*lo = (size_t)v.id * PARTS + (is_narrow(o) ? v.part : 0);
	*hi = (size_t)v.id * PARTS + (last < PARTS ? last : PARTS - 1);
}

static void read_value(struct schedule *s, int32_t i, const struct op *o, val v)
{
	size_t lo, hi;
	if (s->k->value[v.id].kind >= V_CONST)
		return;
	parts(s, o, v, &lo, &hi);
	for (size_t p = lo; p <= hi; p++) {
		int32_t w = s->writer[p];
		if (w != NONE)
			wait_for(s, w, latency(&s->k->op[s->begin + (uint32_t)w]));
		remember(s, &s->readers[p], i);
	}
}

static void write_value(struct schedule *s, int32_t i, const struct op *o, val v)
{
	size_t lo, hi;
	parts(s, o, v, &lo, &hi);
	for (size_t p = lo; p <= hi; p++) {
		wait_for_all(s, i, &s->readers[p]);
		wait_for(s, s->writer[p], LAT_ORDER);
		s->writer[p] = i;
	}
}

static void touch_memory(struct schedule *s, int32_t i, unsigned space, int store)
{
	wait_for(s, s->store[space], LAT_ORDER);
	if (store) {
		wait_for_all(s, i, &s->load[space]);
		s->store[space] = i;
	} else {
		remember(s, &s->load[space], i);
	}
}

/* What op i waits for. The reads come first: an op may overwrite its own operand. */
static void add_edges(struct schedule *s, int32_t i)
{
	const struct op *o = &s->k->op[s->begin + (uint32_t)i];
	int carry = o->code == OP_IADD_CC; /* writes the predicate in its operand 2 */
	for (unsigned j = 0; j < o->nsrc - (unsigned)carry; j++)
		read_value(s, i, o, o->src[j]);
	if (o->code == OP_LOAD || o->code == OP_LDSM)
		touch_memory(s, i, o->space, 0);
	else if (o->code == OP_STORE || o->code == OP_ATOM)
		touch_memory(s, i, o->space, 1);
	else if (o->code == OP_LDGSTS) {
		touch_memory(s, i, CT_SPACE_GLOBAL, 0);
		touch_memory(s, i, CT_SPACE_SHARED, 1);
	}
	if (carry)
		write_value(s, i, o, o->src[2]);
	if (o->dst.id != NO_VALUE)
		write_value(s, i, o, o->dst);
}

static void find_priorities(struct schedule *s)
{
	memset(s->priority, 0, s->n * sizeof *s->priority);
	for (uint32_t i = s->n; i-- > 0;)
		for (uint32_t e = s->first[i]; e < s->first[i + 1]; e++) {
			uint32_t p = s->priority[i] + s->edge[e].latency,
				 from = (uint32_t)s->edge[e].from;
			if (p > s->priority[from])
				s->priority[from] = p;
		}
}

/* Slot at which op i has all it waits for; UINT32_MAX when something is not placed yet. */
static uint32_t ready_at(const struct schedule *s, uint32_t i)
{
	uint32_t ready = 0;
	for (uint32_t e = s->first[i]; e < s->first[i + 1]; e++) {
		uint32_t from = (uint32_t)s->edge[e].from;
		if (!s->placed[from])
			return UINT32_MAX;
		uint32_t t = s->done[from] + s->edge[e].latency;
		ready = t > ready ? t : ready;
	}
	return ready;
}

/* The op of the window to issue at `now`: of those that are ready the one with the longest
 * way to go, else the one that is ready first; the earlier one among equals. */
static uint32_t choose(const struct schedule *s, uint32_t from, uint32_t now, uint32_t *when)
{
	uint32_t best = UINT32_MAX, best_ready = UINT32_MAX;
	for (uint32_t i = from; i < s->n && i < from + WINDOW; i++) {
		uint32_t ready = s->placed[i] ? UINT32_MAX : ready_at(s, i);
		if (ready == UINT32_MAX)
			continue;
		ready = ready < now ? now : ready;
		if (ready < best_ready || (ready == best_ready && s->priority[i] > s->priority[best])) {
			best = i;
			best_ready = ready;
		}
	}
	*when = best_ready;
	return best;
}

static void place_all(struct schedule *s)
{
	uint32_t from = 0, now = 0;
	memset(s->placed, 0, s->n);
	for (uint32_t filled = 0; filled < s->n; filled++, now++) {
		/* The oldest op of the window waits for older ones only, so one is always found. */
		uint32_t i = choose(s, from, now, &now);
		s->placed[i] = 1;
		s->done[i] = now;
		s->out[filled] = s->k->op[s->begin + i];
		while (from < s->n && s->placed[from])
			from++;
	}
	memcpy(s->k->op + s->begin, s->out, s->n * sizeof *s->out);
}

/* Forgets the block's writes and reads: only the values it names were touched. */
static void forget(struct schedule *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct op *o = &s->k->op[s->begin + i];
		for (unsigned j = 0; j <= o->nsrc; j++) {
			val v = j < o->nsrc ? o->src[j] : o->dst;
			for (size_t p = 0; v.id != NO_VALUE && p < PARTS; p++)
				s->writer[(size_t)v.id * PARTS + p] =
					s->readers[(size_t)v.id * PARTS + p] = NONE;
		}
	}
}

static void schedule_block(struct schedule *s)
{
	s->n_edges = s->n_readers = 0;
	for (int i = 0; i < SPACES; i++)
		s->store[i] = s->load[i] = NONE;
	for (uint32_t i = 0; i < s->n; i++) {
		s->first[i] = (uint32_t)s->n_edges;
		add_edges(s, (int32_t)i);
	}
	s->first[s->n] = (uint32_t)s->n_edges;
	forget(s);
	if (s->failed)
		return;
	find_priorities(s);
	place_all(s);
}

static int allocate(struct schedule *s)
{
	size_t n = s->k->n_ops + 1, values = (s->k->n_values + 1) * PARTS;
	s->first = ct_calloc(n + 1, sizeof *s->first);
	s->priority = ct_calloc(n, sizeof *s->priority);
	s->done = ct_calloc(n, sizeof *s->done);
	s->placed = ct_calloc(n, 1);
	s->out = ct_calloc(n, sizeof *s->out);
	s->writer = ct_calloc(values, sizeof *s->writer);
	s->readers = ct_calloc(values, sizeof *s->readers);
	if (!s->first || !s->priority || !s->done || !s->placed || !s->out || !s->writer || !s->readers)
		return -1;
	memset(s->writer, 0xff, values * sizeof *s->writer); /* NONE */
	memset(s->readers, 0xff, values * sizeof *s->readers);
	return 0;
}

static int in_block(const struct kb *k, uint32_t i, uint16_t guard)
{
	return i < k->n_ops && k->op[i].code < OP_GONE && k->op[i].guard == guard;
}

int simt_hide_latency(struct kb *k, struct ct_error *e)
{
	struct schedule s = {.k = k};
	s.failed = allocate(&s) < 0;
	for (uint32_t i = 0; i < k->n_ops && !s.failed; i += s.n ? s.n : 1) {
		s.begin = i;
		s.n = 0;
		while (in_block(k, i + s.n, k->op[i].guard))
			s.n++;
		if (s.n > 1)
			schedule_block(&s);
	}
	free(s.edge);
	free(s.first);
	free(s.reader);
	free(s.writer);
	free(s.readers);
	free(s.priority);
	free(s.done);
	free(s.placed);
	free(s.out);
	return s.failed ? ct_fail_nomem(e) : CT_OK;
}
