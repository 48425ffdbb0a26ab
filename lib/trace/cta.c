/* cta.c - CTAs and the cursors that read them. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "trace/private/unpack.h"

struct ct_cta *ct_cta_new(struct ct_launch *l, struct ct_store *s, uint32_t warps, uint32_t segments)
{
	size_t head = (sizeof(struct ct_cta) + 15) & ~(size_t)15;
	size_t bytes = head + warps * (sizeof(struct ct_warp_info) + sizeof(struct ct_warp_start)) +
	               segments * sizeof(struct ct_segment);
	struct ct_cta *c = calloc(1, bytes);
	if (!c)
		return NULL;
	atomic_init(&c->refs, 1);
	c->launch = ct_launch_ref(l);
	c->store = ct_store_ref(s);
	c->warps = warps;
	c->segments = segments;
	c->warp = (struct ct_warp_info *)(void *)((char *)c + head);
	c->segment = (struct ct_segment *)(void *)(c->warp + warps);
	c->start = (struct ct_warp_start *)(void *)(c->segment + segments);
	return c;
}

struct ct_cta *ct_cta_ref(struct ct_cta *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
	return c;
}

void ct_cta_unref(struct ct_cta *c)
{
	if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < c->segments; i++)
		ct_store_drop(c->store, &c->segment[i]);
	ct_launch_unref(c->launch);
	ct_store_unref(c->store);
	free(c);
}

const struct ct_kernel *ct_cta_kernel(const struct ct_cta *c)
{
	return &c->launch->kernel;
}

const struct ct_code *ct_cta_code(const struct ct_cta *c)
{
	return &c->launch->code;
}

uint64_t ct_cta_index(const struct ct_cta *c)
{
	return c->index;
}

uint32_t ct_cta_warps(const struct ct_cta *c)
{
	return c->warps;
}

const struct ct_warp_info *ct_cta_warp(const struct ct_cta *c, uint32_t i)
{
	return &c->warp[i];
}

/* Spilled segments are read through a window: many cursors may be open at once, and
 * a window need only hold a few records. */
enum { WINDOW = 3 * CT_PACK_RECORD_MAX };

struct ct_cursor {
	/* what each record needs fills one cache line of the host, the slots two more */
	const unsigned char *p, *end; /* readable part of the segment */
	const unsigned char *low;     /* from here on there may be less than a record */
	uint64_t left;                /* instructions */
	uint32_t *values;             /* CT_MAX_VALUES, made on first need */
	struct ct_cta *cta;
	struct ct_unpacker unpacker;
	uint32_t segment;
	uint32_t next;         /* spilled: bytes of the segment already in the window */
	unsigned char *window; /* WINDOW bytes, made on first need */
};

/* Spilled: moves the unread rest to the front of the window and reads on. */
static int refill_segment(struct ct_cursor *c, struct ct_error *e)
{
	const struct ct_segment *s = &c->cta->segment[c->segment];
	size_t rest = (size_t)(c->end - c->p);
	if (!c->window && !(c->window = malloc(WINDOW)))
		return ct_fail_nomem(e);
	if (rest)
		memmove(c->window, c->p, rest);
	size_t n = s->bytes - c->next;
	if (n > WINDOW - rest)
		n = WINDOW - rest;
	int st = ct_store_read(c->cta->store, s, c->next, c->window + rest, n, e);
	c->p = c->window;
	c->end = c->window + rest + n;
	c->next += (uint32_t)n;
	c->low = c->next < s->bytes ? c->end - (CT_PACK_RECORD_MAX - 1) : c->end;
	return st;
}

static int enter_segment(struct ct_cursor *c, uint32_t segment, uint32_t offset, struct ct_error *e)
{
	const struct ct_segment *s = &c->cta->segment[segment];
	c->segment = segment;
	if (s->memory) {
		c->p = s->memory + offset;
		c->end = c->low = s->memory + s->bytes;
		c->next = s->bytes;
		return CT_OK;
	}
	c->p = c->end = c->window;
	c->next = offset;
	return refill_segment(c, e);
}

int ct_cursor_reset(struct ct_cursor *c, struct ct_cta *cta, uint32_t i, struct ct_error *e)
{
	if (i >= cta->warps)
		return ct_fail(e, CT_ERR_USAGE, "warp %u of a thread block of %u", i, cta->warps);
	struct ct_cta *old = c->cta;
	c->cta = ct_cta_ref(cta);
	ct_cta_unref(old);
	c->left = cta->warp[i].insts;
	c->p = c->end = c->low = NULL;
	c->next = 0;
	ct_unpacker_init(&c->unpacker);
	return c->left ? enter_segment(c, cta->start[i].segment, cta->start[i].offset, e) : CT_OK;
}

int ct_cursor_open(struct ct_cursor **out, struct ct_cta *cta, uint32_t i, struct ct_error *e)
{
	struct ct_cursor *c = ct_calloc_aligned(1, sizeof *c);
	*out = NULL;
	if (!c)
		return ct_fail_nomem(e);
	int st = ct_cursor_reset(c, cta, i, e);
	if (st < 0) {
		ct_cursor_close(c);
		return st;
	}
	*out = c;
	return CT_OK;
}

/* The record behind the last: where it begins, with a place for its values. */
static int seek_record(struct ct_cursor *c, struct ct_error *e)
{
	const struct ct_segment *s = &c->cta->segment[c->segment];
	int st = CT_OK;
	if (c->next < s->bytes && c->end - c->p < CT_PACK_RECORD_MAX)
		st = refill_segment(c, e);
	else if (c->p == c->end)
		st = enter_segment(c, c->segment + 1, 0, e);
	if (st < 0)
		return st;
	/* Only a record with bit v needs the place for values. */
	if ((*c->p & 0xc0) == 0x40 && !c->values &&
	    !(c->values = ct_calloc(CT_MAX_VALUES, sizeof *c->values)))
		return ct_fail_nomem(e);
	return CT_OK;
}

static inline int next_record(struct ct_cursor *c, struct ct_error *e)
{
	if (c->p < c->low && (*c->p & 0xc0) != 0x40)
		return CT_OK;
	return seek_record(c, e);
}

int ct_cursor_next(struct ct_cursor *c, struct ct_inst *inst, struct ct_error *e)
{
	int st;
	if (c->left == 0)
		return 0;
	c->left--;
	if (!c->unpacker.run && (st = next_record(c, e)) < 0)
		return st;
	c->p = ct_unpack_inst(&c->unpacker, c->p, inst, c->values);
	ct_inst_expand(inst);
	return 1;
}

/* Hands out the rest of the pending run. */
static inline void whole_run(struct ct_cursor *c, uint32_t *more)
{
	struct ct_unpacker *k = &c->unpacker;
	uint32_t n = k->run < c->left ? k->run : (uint32_t)c->left;
	k->run -= n;
	k->sid += n;
	c->left -= n;
	*more = n;
}

/* Whatever is next. */
static CT_NOINLINE int step_any(struct ct_cursor *c, struct ct_inst *inst, uint32_t *more,
                                struct ct_error *e)
{
	struct ct_unpacker *k = &c->unpacker;
	int st;
	if (!k->run && (st = next_record(c, e)) < 0)
		return st;
	c->p = ct_unpack_inst(k, c->p, inst, c->values);
	if (k->run)
		whole_run(c, more);
	return 1;
}

/* A record in memory that does not begin a run and has no values. */
static CT_NOINLINE int step_record(struct ct_cursor *c, struct ct_inst *inst)
{
	c->p = ct_unpack_record(&c->unpacker, c->p, inst, NULL);
	return 1;
}

int ct_cursor_step(struct ct_cursor *c, struct ct_inst *inst, uint32_t *more, struct ct_error *e)
{
	*more = 0;
	if (c->left == 0)
		return 0;
	c->left--;
	if (c->unpacker.run || c->p >= c->low || (*c->p & 0xc0) == 0x40)
		return step_any(c, inst, more, e);
	if (!ct_is_run(*c->p))
		return step_record(c, inst);
	c->p = ct_unpack_plain(&c->unpacker, c->p, inst);
	if (c->unpacker.run)
		whole_run(c, more);
	return 1;
}

/* Whether the record at p is of an instruction that does not lie behind the one before in the code. */
static inline int is_jump(const unsigned char *p)
{
	return !ct_is_run(*p) && (*p & 1u << 4);
}

int ct_cursor_stretch(struct ct_cursor *c, uint32_t *sid, uint32_t *insts, struct ct_error *e)
{
	struct ct_unpacker *k = &c->unpacker;
	uint32_t n = 0, first = 0;
	int st;
	while (c->left > 0) {
		if (!k->run && (st = next_record(c, e)) < 0)
			return st;
		if (n && !k->run && is_jump(c->p))
			break;
		if (!k->run && ct_is_run(*c->p))
			k->run = (*c->p++ & 0x7fu) + 1;
		uint64_t some = k->run ? k->run : 1;
		if (k->run)
			k->sid++;
		else
			c->p = ct_skip_record(k, c->p);
		if (!n)
			first = k->sid;
		k->sid += (uint32_t)some - 1;
		k->run = 0;
		some = some < c->left ? some : c->left;
		c->left -= some;
		n += (uint32_t)some;
		if (n > UINT32_MAX / 2)
			break;
	}
	*sid = first;
	*insts = n;
	return n > 0;
}

void ct_cursor_ahead(const struct ct_cursor *c)
{
	if (c) {
		CT_BRING(c->p);
		CT_BRING(&c->unpacker.slot[0]);
		CT_BRING(&c->unpacker.slot[4]);
	}
}

void ct_cursor_close(struct ct_cursor *c)
{
	if (!c)
		return;
	ct_cta_unref(c->cta);
	free(c->window);
	free(c->values);
	free(c);
}
