/* accelsim_raw.c - .trace files as the tracer wrote them: the lines of all warps of
 * all thread blocks, interleaved (doc/formats.md section 8). The whole
 * kernel is packed warp by warp, then handed out in linear order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/private/group.h"
#include "trace/private/text.h"

struct ct_raw_kernel {
	struct ct_group group;
	size_t given; /* warps handed out */
	int complete;
	struct ct_error damage; /* salvage: what ended the reading */
};

void ct_raw_free(struct ct_raw_kernel *r)
{
	if (!r)
		return;
	ct_group_free(&r->group);
	free(r);
}

static int outside_block(struct ct_accelsim *a, struct ct_error *e)
{
	if (a->raw_kernel->group.warps >= CT_GROUP_WARPS)
		return ct_lines_fail(&a->lines, e, CT_ERR_LIMIT,
		                     "more than %d warps in a raw trace: run "
		                     "the post-processor first",
		                     CT_GROUP_WARPS);
	return ct_fail_nomem(e);
}

/* The warp that a line of a raw trace belongs to, by its leading numbers x, y, z and warp; NULL where
 * the launch has no such warp. */
static struct ct_group_warp *warp_of(struct ct_accelsim *a, const uint64_t *lead, struct ct_error *e)
{
	uint64_t cta;
	if (ct_accelsim_cta_index(a, lead, &cta, e) < 0)
		return NULL;
	if (lead[3] >= a->block_warps) {
		ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		              "warp %" PRIu64 " in a block of %u warps: "
		              "damaged",
		              lead[3], a->block_warps);
		return NULL;
	}
	struct ct_group_warp *w = ct_group_find(&a->raw_kernel->group, 0, cta, (uint32_t)lead[3]);
	if (!w)
		outside_block(a, e);
	return w;
}

static void note_core(struct ct_accelsim *a, struct ct_group_warp *w, const uint64_t *lead)
{
	const uint64_t *core = lead + (a->columns.cluster ? 11 : 4);
	if (!a->columns.core || w->stream.sm >= 0 || core[0] > INT32_MAX || core[1] > INT32_MAX)
		return;
	w->stream.sm = (int32_t)core[0];
	w->stream.slot = (int32_t)core[1];
}

/* The line's leading numbers, then its text if that is known: 1 done, 0 not known. */
static int fast_inst(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	uint64_t lead[CT_LEAD_MAX];
	const char *p = l->p;
	unsigned n = a->columns.lead - (unsigned)a->columns.line;
	for (unsigned i = 0; i < n; i++) {
		p = ct_text_u64(p, &lead[i]);
		if (!p || *p++ != ' ')
			return 0;
	}
	struct ct_group_warp *w = warp_of(a, lead, e);
	if (!w)
		return e->status;
	struct ct_span o = ct_group_span(&a->raw_kernel->group, w);
	const char *next = ct_templates_line(a->templates, p, a->columns.line, &w->stream, &o, &a->tally,
	                                     a->env->options.keep_values);
	int st = ct_group_keep(&a->raw_kernel->group, w, o.p, e);
	if (st < 0 || !next)
		return st;
	note_core(a, w, lead);
	l->p = next;
	l->line++;
	return 1;
}

/* Parses a line word by word and packs it into the stream of its own warp. Lines of all warps come mixed
 * in a raw trace, so that each warp has a stream under way. */
static int slow_inst(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_line *t = a->line;
	const char *next;
	uint32_t sid;
	int st = ct_accelsim_slow(a, &next, &sid, e);
	if (st < 0)
		return st;
	struct ct_group_warp *w = warp_of(a, t->lead, e);
	if (!w)
		return e->status;
	note_core(a, w, t->lead);
	uint32_t number = ct_templates_add(a->templates, t, sid, a->columns.line);
	ct_templates_follow(a->templates, w->stream.last, number);
	w->stream.last = number;
	int more = 1;
	while (st == CT_OK && more) {
		struct ct_span o = ct_group_span(&a->raw_kernel->group, w);
		more = ct_stream_put_line(&w->stream, &o, &a->tally, sid, t,
		                          a->env->options.keep_values);
		st = ct_group_keep(&a->raw_kernel->group, w, o.p, e);
	}
	a->lines.p = next;
	a->lines.line++;
	return st;
}

/* One line: 0 done, 1 the kernel's text has ended. */
static int raw_line(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	const char *p = ct_skip_blanks(l->p);
	if (*l->p == '-')
		return 1;
	if (*p == '\n' || *p == '\r') {
		l->p = (const char *)memchr(p, '\n', (size_t)(l->end - p)) + 1;
		l->line++;
		return 0;
	}
	if (*p == '#')
		return ct_lines_fail(l, e, CT_ERR_INPUT, "marker inside an ungrouped trace: damaged");
	int st = l->unterminated ? 0 : fast_inst(a, e); /* the slow way refuses a cut line */
	if (st == 0)
		st = slow_inst(a, e);
	return st < 0 ? st : 0;
}

static int read_all(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	int st = 0;
	while (st == 0) {
		st = l->p == l->end ? ct_lines_fill(l, e) : 1;
		if (st > 0)
			st = raw_line(a, e);
		else if (st == 0)
			st = 1;
	}
	return st < 0 ? st : CT_OK;
}

/* The warps order[first, last) make a CTA. */
static int make_cta(struct ct_accelsim *a, size_t first, size_t last, struct ct_cta **cta,
                    struct ct_error *e)
{
	struct ct_group *g = &a->raw_kernel->group;
	*cta = ct_group_cta(g, first, last, a->launch);
	if (!*cta)
		return ct_fail_nomem(e);
	uint64_t exited = 0;
	for (size_t i = first; i < last; i++)
		exited += (uint64_t)ct_stream_exited(&g->warp[g->order[i]].stream);
	a->exited += exited;
	a->unfinished += last - first - exited;
	a->absent_warps += a->block_warps - (last - first);
	ct_accelsim_count(a, *cta);
	return 1;
}

/* Nothing marks the end of a raw trace. Where some warps have come to their EXIT and
 * others have not, its end is missing; where none has, the tracer was told to stop
 * before it, which every block would tell. */
static int check_exits(struct ct_accelsim *a, struct ct_error *e)
{
	const struct ct_group *r = &a->raw_kernel->group;
	size_t exited = 0;
	for (size_t i = 0; i < r->warps; i++)
		exited += (size_t)ct_stream_exited(&r->warp[i].stream);
	if (exited == r->warps || (exited == 0 && a->blocks == a->grid_ctas))
		return CT_OK;
	return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
	                     "the file ends before %zu of %zu warps have come "
	                     "to their EXIT: it is cut",
	                     r->warps - exited, r->warps);
}

static void count_blocks(struct ct_accelsim *a)
{
	const struct ct_group *r = &a->raw_kernel->group;
	a->blocks = 0;
	for (size_t i = 0; i < r->warps; i++)
		a->blocks += i == 0 || r->warp[r->order[i]].cta != r->warp[r->order[i - 1]].cta;
}

static int can_salvage(const struct ct_accelsim *a, int st)
{
	return a->env->options.salvage && st == CT_ERR_INPUT;
}

int ct_raw_next_cta(struct ct_accelsim *a, struct ct_cta **cta, struct ct_error *e)
{
	struct ct_error own;
	if (!e)
		e = &own; /* status is needed below */
	if (!a->raw_kernel) {
		if (!(a->raw_kernel = calloc(1, sizeof *a->raw_kernel)))
			return ct_fail_nomem(e);
		ct_group_init(&a->raw_kernel->group, a->env->store, a->env->options.max_memory);
	}
	struct ct_raw_kernel *r = a->raw_kernel;
	if (!r->complete) {
		int st = read_all(a, e);
		if (st < 0 && !can_salvage(a, st))
			return st;
		if (st < 0)
			r->damage = *e; /* told after what precedes it was handed out */
		st = ct_group_complete(&r->group, e);
		if (st < 0)
			return st;
		r->complete = 1;
		count_blocks(a);
		st = r->damage.status ? CT_OK : check_exits(a, e);
		if (st < 0 && !can_salvage(a, st))
			return st;
		if (st < 0)
			r->damage = *e;
	}
	size_t first = r->given, last = ct_group_cta_end(&r->group, first);
	r->given = last;
	if (first < last)
		return make_cta(a, first, last, cta, e);
	if (r->damage.status == 0)
		return ct_accelsim_end(a);
	*e = r->damage;
	return e->status;
}
