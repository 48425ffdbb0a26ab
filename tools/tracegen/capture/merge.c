#include "tracegen/capture/merge.h"

#include <stdlib.h>

#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "tracegen/capture/protocol.h"

struct access {
	uint64_t address;
	uint32_t index, bytes;
};

struct lane {
	const unsigned char *at, *end;
	uint64_t before;
	uint32_t segment, depth;   /* where it is; CAP_NONE: at the end of its stream */
	uint32_t last, last_depth; /* where it was */
	struct access *access;     /* of the segment it is at */
	size_t n, cap, cursor;
};

/* A set of lanes that runs until each is at the join block at call depth `depth`, or above it. */
struct frame {
	uint64_t mask;
	uint32_t depth, join;
};

struct warp {
	const struct cap_program *p;
	const struct ct_kernel *k;
	struct lane *lane;
	unsigned n;
	struct cap_out *out;
	struct ct_error *e;
	struct frame *stack;
	size_t depth, cap;
};

int cap_number(const unsigned char **at, const unsigned char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (*at == end)
			return 0;
		unsigned char c = *(*at)++;
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return 1;
	}
	return 0;
}

static int bad_stream(const struct warp *w)
{
	return ct_fail(w->e, CT_ERR_INPUT,
	               "capture: a work-item's record does not fit kernel %s: plugin and "
	               "tracegen are of different versions?",
	               w->p->name);
}

static int read_access(struct warp *w, struct lane *l, uint64_t token)
{
	uint64_t bytes, delta;
	if (!cap_number(&l->at, l->end, &bytes) || !cap_number(&l->at, l->end, &delta))
		return bad_stream(w);
	if (ct_grow((void **)&l->access, &l->cap, l->n + 1, sizeof *l->access) < 0)
		return ct_fail_nomem(w->e);
	l->before += delta >> 1 ^ (0 - (delta & 1));
	l->access[l->n++] = (struct access){l->before, (uint32_t)(token >> 2), (uint32_t)(bytes >> 1)};
	return CT_OK;
}

/* Goes to the lane's next segment and reads its accesses. */
static int advance_lane(struct warp *w, struct lane *l)
{
	uint64_t token;
	int st = CT_OK;
	l->last = l->segment;
	l->last_depth = l->depth;
	if (l->segment != CAP_NONE) {
		uint8_t flags = w->p->segment[l->segment].flags;
		l->depth += (flags & CAP_CALL) != 0;
		l->depth -= (flags & CAP_RETURN) && l->depth > 0;
	}
	l->n = l->cursor = 0;
	l->segment = CAP_NONE;
	if (l->at == l->end)
		return CT_OK;
	if (!cap_number(&l->at, l->end, &token) || token & 3 || token >> 2 >= w->p->n_segments)
		return bad_stream(w);
	l->segment = (uint32_t)(token >> 2);
	while (st == CT_OK && l->at != l->end && (*l->at & 3) == 1) {
		st = cap_number(&l->at, l->end, &token) ? CT_OK : bad_stream(w);
		if (st == CT_OK)
			st = read_access(w, l, token);
	}
	return st;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* Address of a lane in the way a trace shows it: offsets for shared and local memory. */
static uint64_t shown_address(const struct ct_sinst *s, uint64_t address)
{
	if (s->space == CT_SPACE_SHARED)
		return address - CAP_SHARED_BASE;
	if (s->space == CT_SPACE_LOCAL)
		return address - CAP_LOCAL_BASE;
	return address;
}

static const struct access *find_access(struct lane *l, const struct cap_line *line)
{
	while (l->cursor < l->n && l->access[l->cursor].index < line->index)
		l->cursor++;
	size_t i = l->cursor + line->event;
	return i < l->n && l->access[i].index == line->index ? &l->access[i] : NULL;
}

/* One line for lanes first .. first + 31 of those in mask. */
static void put_line(struct warp *w, const struct cap_line *line, unsigned first, uint32_t mask)
{
	struct cap_out *out = &w->out[first / 32];
	struct ct_inst inst = {.mask = 0};
	if (line->sinst.width_field) {
		for (unsigned i = 0; i < 32; i++) {
			const struct access *a = mask >> i & 1 ? find_access(&w->lane[first + i], line)
			                                       : NULL;
			if (!a)
				continue; /* Oclgrind refused the access: predicated off here */
			inst.mask |= UINT32_C(1) << i;
			inst.addr[inst.naddr++] = shown_address(&line->sinst, a->address + line->offset);
		}
		inst.base = inst.naddr ? inst.addr[0] : 0;
		ct_accelsim_choose_form(&inst);
	} else {
		inst.mask = mask;
	}
	ct_accelsim_put_inst(out->text, w->k, &line->sinst, &inst);
	out->insts++;
}

static int execute_lanes(struct warp *w, uint64_t mask, uint32_t segment)
{
	const struct cap_segment *s = &w->p->segment[segment];
	for (uint32_t i = s->first; i < s->first + s->n; i++)
		for (unsigned half = 0; half < w->n; half += 32)
			put_line(w, &w->p->line[i], half, (uint32_t)(mask >> half));
	int st = CT_OK;
	for (unsigned i = 0; i < w->n && st == CT_OK; i++)
		if (mask >> i & 1)
			st = advance_lane(w, &w->lane[i]);
	for (unsigned half = 0; half < w->n && st == CT_OK; half += 32)
		st = ct_buf_check(w->out[half / 32].text, w->e);
	return st;
}

/* ---- lockstep ----------------------------------------------------------------------------- */

static int push_frame(struct warp *w, uint64_t mask, uint32_t depth, uint32_t join)
{
	if (ct_grow((void **)&w->stack, &w->cap, w->depth + 1, sizeof *w->stack) < 0)
		return ct_fail_nomem(w->e);
	w->stack[w->depth++] = (struct frame){mask, depth, join};
	return CT_OK;
}

static int has_arrived(const struct warp *w, const struct frame *f, const struct lane *l)
{
	if (l->segment == CAP_NONE || l->depth < f->depth)
		return 1;
	return f->join != CAP_NONE && l->depth == f->depth && l->segment == w->p->block[f->join].segment;
}

/* Lanes of f that still run, and those among them that go first: deepest call, then lowest segment. */
static uint64_t running_lanes(const struct warp *w, const struct frame *f, uint64_t *first,
                              unsigned *leader)
{
	uint64_t all = 0;
	*first = 0;
	for (unsigned i = 0; i < w->n; i++) {
		const struct lane *l = &w->lane[i], *best = &w->lane[*leader];
		if (!(f->mask >> i & 1) || has_arrived(w, f, l))
			continue;
		if (*first == 0 || l->depth > best->depth ||
		    (l->depth == best->depth && l->segment < best->segment)) {
			*first = 0;
			*leader = i;
			best = l;
		}
		all |= UINT64_C(1) << i;
		if (l->depth == best->depth && l->segment == best->segment)
			*first |= UINT64_C(1) << i;
	}
	return all;
}

/* Lanes have parted: those of `all` run to where their paths meet, those of `first` first. */
static int part_lanes(struct warp *w, uint64_t all, uint64_t first, unsigned leader)
{
	const struct frame f = w->stack[w->depth - 1];
	const struct lane *l = &w->lane[leader];
	uint32_t join = CAP_NONE, depth = 0;
	if (l->last != CAP_NONE) {
		join = w->p->block[w->p->segment[l->last].block].join;
		depth = l->last_depth;
	}
	if (f.join != join || f.depth != depth || f.mask != all) {
		if (f.depth > depth || (f.depth == depth && f.join == join)) {
			/* The same meeting point: only split. */
		} else {
			return push_frame(w, all, depth, join);
		}
	}
	int st = push_frame(w, all & ~first, f.depth, f.join);
	return st == CT_OK ? push_frame(w, first, f.depth, f.join) : st;
}

static int run_warp(struct warp *w)
{
	int st = push_frame(w, w->n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << w->n) - 1, 0, CAP_NONE);
	while (st == CT_OK && w->depth > 0) {
		uint64_t first;
		unsigned leader = 0;
		uint64_t all = running_lanes(w, &w->stack[w->depth - 1], &first, &leader);
		if (!all)
			w->depth--;
		else if (all == first)
			st = execute_lanes(w, all, w->lane[leader].segment);
		else
			st = part_lanes(w, all, first, leader);
	}
	return st;
}

int cap_merge(const struct cap_program *p, const struct ct_kernel *k, const struct cap_stream *stream,
              unsigned n, struct cap_out *out, struct ct_error *e)
{
	struct lane lane[CAP_MAX_LANES];
	struct warp w = {.p = p, .k = k, .lane = lane, .n = n, .out = out, .e = e};
	int st = CT_OK;
	for (unsigned i = 0; i < n;
	     i++) { /* an item that did nothing has no bytes, and no pointer to any */
		const unsigned char *end = stream[i].n ? stream[i].p + stream[i].n : stream[i].p;
		lane[i] = (struct lane){.at = stream[i].p, .end = end, .segment = CAP_NONE};
	}
	for (unsigned i = 0; i < n && st == CT_OK; i++)
		st = advance_lane(&w, &lane[i]);
	if (st == CT_OK)
		st = run_warp(&w);
	for (unsigned i = 0; i < n; i++)
		free(lane[i].access);
	free(w.stack);
	return st;
}
