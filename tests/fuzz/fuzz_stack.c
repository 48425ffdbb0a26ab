/* Stack distances: any program of calls, with any options, gives what a list gives that is
 * walked. The first five bytes are the options, two bytes each the operations behind them. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/stack.h"
#include "tests/support/brute_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BATCH = 64, MAX_OPS = 3000 };

struct run {
	struct ct_stack_options o;
	struct ct_stack *s;
	struct brute_stack b;
	unsigned spread;
};

static void must(int ok)
{
	if (!ok)
		abort();
}

static int options(struct ct_stack_options *o, const uint8_t *p)
{
	*o = (struct ct_stack_options){
		.engine = p[0] & 1 ? CT_STACK_TEXTBOOK : CT_STACK_FAST,
		.stamps = p[0] >> 1 & 1,
		.sparse = p[0] >> 2 & 1,
		.sectors = 1 + (p[0] >> 3 & 3u),
		.isa = 1 + (p[0] >> 5 & 3),
		.window = p[1],
		.depth = p[2],
		.expected_lines = (uint64_t)(p[3] & 0xf) << 4,
		.slack = p[3] >> 4};
	return ct_isa_available((enum ct_isa)o->isa);
}

/* Line addresses near each other, apart, at both ends of the range, or anywhere. */
static uint64_t line_of(const struct run *r, uint8_t number)
{
	switch (r->spread & 3) {
	case 0: return number;
	case 1: return (uint64_t)number << (r->spread >> 2);
	case 2: return (uint64_t)number - 128;
	default: return ct_mix64(number);
	}
}

static uint64_t bound(const struct run *r, uint64_t d)
{
	return r->o.depth && d != CT_COLD && d > r->o.depth ? r->o.depth : d;
}

static uint64_t stamp_of(const struct run *r, uint64_t line)
{
	uint64_t at = brute_probe(&r->b, line);
	return at == CT_COLD ? 0 : r->b.at[at].stamp;
}

/* One operation on the list; what it has to have said. */
static void check(struct run *r, const struct ct_stack_op *op, uint64_t stamp, int stamped)
{
	uint64_t line = op->line, d = bound(r, brute_probe(&r->b, line)), sector[4] = {0, 0, 0, 0};
	uint64_t old = stamp_of(r, line);
	int touch = op->kind == CT_STACK_TOUCH;
	must(op->distance == d);
	if (op->kind == CT_STACK_PROBE)
		return;
	brute_access(&r->b, line, op->mask, touch, touch, sector);
	if (op->kind == CT_STACK_EVICT)
		brute_invalidate(&r->b, line);
	for (unsigned i = 0; i < r->o.sectors; i++)
		if (op->mask >> i & 1)
			must(op->sector[i] == (r->o.sectors == 1 ? d : bound(r, sector[i])));
	if (!stamped)
		return;
	if (r->o.stamps)
		must(op->stamp == old);
	if (r->b.n > 0 && r->b.at[0].line == line)
		r->b.at[0].stamp = stamp;
}

static void flush_ops(struct run *r, struct ct_stack_op *op, size_t *n)
{
	uint64_t stamp[BATCH];
	for (size_t i = 0; i < *n; i++)
		stamp[i] = op[i].stamp;
	ct_stack_ops(r->s, op, *n);
	for (size_t i = 0; i < *n; i++)
		check(r, &op[i], stamp[i], 1);
	must(ct_stack_lines(r->s) == r->b.n);
	*n = 0;
}

static void touch_run(struct run *r, uint64_t line, unsigned n)
{
	uint64_t lines[16], got[16];
	for (unsigned i = 0; i < n; i++)
		lines[i] = line + i;
	ct_stack_touch_batch(r->s, lines, n, got);
	for (unsigned i = 0; i < n; i++) {
		must(got[i] == bound(r, brute_probe(&r->b, lines[i])));
		brute_access(&r->b, lines[i], 15, 1, 1, NULL);
	}
}

static void single(struct run *r, uint8_t what, uint64_t line)
{
	struct ct_stack_op op = {.line = line, .mask = (1u << r->o.sectors) - 1};
	switch (what & 7) {
	case 0:
		ct_stack_flush(r->s);
		brute_free(&r->b);
		break;
	case 1: /* what leaves a bounded stack may not come back nearer */
		if (!r->o.depth) {
			ct_stack_invalidate(r->s, line);
			brute_invalidate(&r->b, line);
		}
		break;
	case 2: must(ct_stack_probe(r->s, line) == bound(r, brute_probe(&r->b, line))); break;
	case 3:
		op.mask = 0;
		op.kind = CT_STACK_STORE_NOALLOC;
		op.distance = ct_stack_store_noalloc(r->s, line);
		check(r, &op, 0, 0);
		break;
	case 4:
		op.distance = ct_stack_touch_sectors(r->s, line, op.mask, op.sector);
		check(r, &op, 0, 0);
		break;
	default: touch_run(r, line, 1 + (what >> 3 & 15));
	}
}

static void program(struct run *r, const uint8_t *p, size_t n)
{
	struct ct_stack_op op[BATCH];
	size_t waiting = 0;
	memset(op, 0, sizeof op);
	for (size_t i = 0; i + 1 < n && i < 2 * MAX_OPS; i += 2) {
		uint64_t line = line_of(r, p[i + 1]);
		if (p[i] & 0x80) {
			flush_ops(r, op, &waiting);
			single(r, p[i] & 0x7f, line);
			continue;
		}
		op[waiting] = (struct ct_stack_op){.line = line,
		                                   .stamp = i + 1,
		                                   .kind = p[i] & 3,
		                                   .mask = (p[i] >> 2) & ((1u << r->o.sectors) - 1)};
		if (r->o.depth && op[waiting].kind == CT_STACK_EVICT)
			op[waiting].kind = CT_STACK_PROBE;
		if (++waiting == BATCH || p[i] & 0x40)
			flush_ops(r, op, &waiting);
	}
	flush_ops(r, op, &waiting);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run r = {0};
	struct ct_error e;
	if (size < 5 || !options(&r.o, data))
		return 0;
	r.spread = data[4];
	r.s = ct_stack_new(&r.o, &e);
	if (!r.s)
		return 0;
	program(&r, data + 5, size - 5);
	must(ct_stack_check(r.s, &e) == 0);
	ct_stack_free(r.s);
	brute_free(&r.b);
	return 0;
}
