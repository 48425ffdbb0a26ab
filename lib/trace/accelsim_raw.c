/* accelsim_raw.c - .trace files as the tracer wrote them: the lines of all warps of
 * all thread blocks, interleaved (formats/accelsim-trace.md section 10). The whole
 * kernel is packed warp by warp, then handed out in linear order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

enum {
	MAX_WARPS = 2 << 20,      /* about 600 MB of bookkeeping */
	WARP_BUFFER = 4096        /* a warp's bytes before they become a segment */
};

struct raw_warp {
	uint64_t cta;
	uint32_t warp;
	uint32_t bytes, cap, segments;
	unsigned char *buffer;
	struct ct_segment *segment;
	struct ct_stream stream;
};

struct ct_raw_kernel {
	struct raw_warp *warp;
	size_t warps, cap;
	uint32_t *bucket;         /* by CTA and warp: number plus 1 */
	size_t buckets;
	uint64_t unsealed;        /* bytes in buffers */
	uint32_t *order;          /* warps by CTA and number, once all is read */
	size_t given;             /* of them */
	int complete;
	struct ct_error damage;   /* salvage: what ended the reading */
	unsigned char scratch[3 * CT_PACK_RECORD_MAX];
};

void ct_raw_free(struct ct_raw_kernel *r, struct ct_store *s)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->warps; i++) {
		for (uint32_t k = 0; k < r->warp[i].segments; k++)
			ct_store_drop(s, &r->warp[i].segment[k]);
		free(r->warp[i].segment);
		free(r->warp[i].buffer);
	}
	free(r->warp);
	free(r->bucket);
	free(r->order);
	free(r);
}

static uint64_t hash_of(uint64_t cta, uint32_t warp)
{
	return ct_mix64(cta * 0x9e3779b97f4a7c15u + warp);
}

static int grow_buckets(struct ct_raw_kernel *r)
{
	size_t n = r->buckets ? 2 * r->buckets : 1024;
	uint32_t *b = ct_calloc(n, sizeof *b);
	if (!b)
		return -1;
	for (size_t i = 0; i < r->warps; i++) {
		uint64_t h = hash_of(r->warp[i].cta, r->warp[i].warp);
		while (b[h & (n - 1)])
			h++;
		b[h & (n - 1)] = (uint32_t)i + 1;
	}
	free(r->bucket);
	r->bucket = b;
	r->buckets = n;
	return 0;
}

static struct raw_warp *find_warp(struct ct_raw_kernel *r, uint64_t cta, uint32_t warp)
{
	if (2 * r->warps + 2 > r->buckets && grow_buckets(r) != 0)
		return NULL;
	uint64_t h = hash_of(cta, warp);
	uint32_t at;
	for (; (at = r->bucket[h & (r->buckets - 1)]) != 0; h++)
		if (r->warp[at - 1].cta == cta && r->warp[at - 1].warp == warp)
			return &r->warp[at - 1];
	if (r->warps >= MAX_WARPS ||
	    ct_grow((void **)&r->warp, &r->cap, r->warps + 1, sizeof *r->warp) != 0)
		return NULL;
	struct raw_warp *w = &r->warp[r->warps++];
	memset(w, 0, sizeof *w);
	w->cta = cta;
	w->warp = warp;
	ct_stream_init(&w->stream);
	r->bucket[h & (r->buckets - 1)] = (uint32_t)r->warps;
	return w;
}

/* The buffer becomes a segment, but for an instruction that may be taken back. */
static int seal(struct ct_raw_kernel *r, struct raw_warp *w, int all, struct ct_store *s,
                struct ct_error *e)
{
	uint32_t keep = !all && w->stream.undo.valid ? w->stream.undo.written : 0;
	uint32_t n = w->bytes - keep;
	if (n == 0)
		return CT_OK;
	struct ct_segment *p = ct_reallocarray(w->segment, w->segments + 1, sizeof *p);
	if (!p)
		return ct_fail_nomem(e);
	w->segment = p;
	int st = ct_store_put(s, w->buffer, n, &p[w->segments], e);
	if (st < 0)
		return st;
	w->segments++;
	memmove(w->buffer, w->buffer + n, keep);
	w->bytes = keep;
	r->unsealed -= n;
	return CT_OK;
}

static int seal_everything(struct ct_raw_kernel *r, struct ct_store *s, struct ct_error *e)
{
	for (size_t i = 0; i < r->warps; i++) {
		int st = seal(r, &r->warp[i], 0, s, e);
		if (st < 0)
			return st;
		if (r->warp[i].bytes == 0) {
			free(r->warp[i].buffer);
			r->warp[i].buffer = NULL;
			r->warp[i].cap = 0;
		}
	}
	return CT_OK;
}

/* Moves what was packed into scratch to the warp's buffer. */
static int keep_bytes(struct ct_accelsim *a, struct raw_warp *w, const unsigned char *p,
                      const unsigned char *end, struct ct_error *e)
{
	struct ct_raw_kernel *r = a->raw_kernel;
	uint32_t n = (uint32_t)(end - p);
	if (w->cap - w->bytes < n) {
		size_t cap = w->cap;
		if (ct_grow((void **)&w->buffer, &cap, w->bytes + n, 1) != 0)
			return ct_fail_nomem(e);
		w->cap = (uint32_t)cap;
	}
	if (n)
		memcpy(w->buffer + w->bytes, p, n);
	w->bytes += n;
	r->unsealed += n;
	if (w->bytes >= WARP_BUFFER) {
		int st = seal(r, w, 0, a->env->store, e);
		if (st < 0)
			return st;
	}
	uint64_t budget = a->env->options.max_memory ? a->env->options.max_memory : UINT64_C(1) << 30;
	return r->unsealed > budget / 2 ? seal_everything(r, a->env->store, e) : CT_OK;
}

/* The scratch is laid out so that an LDGSTS of the line before can be taken back: its
 * record is put in front. */
static struct ct_span open_span(struct ct_raw_kernel *r, struct raw_warp *w)
{
	struct ct_span o = {r->scratch, r->scratch + sizeof r->scratch};
	if (w->stream.undo.valid) {
		uint32_t n = w->stream.undo.written;
		memcpy(o.p, w->buffer + w->bytes - n, n);
		w->bytes -= n;
		r->unsealed -= n;
		o.p += n;
	}
	return o;
}

static int outside(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_raw_kernel *r = a->raw_kernel;
	if (r->warps >= MAX_WARPS)
		return ct_lines_fail(&a->lines, e, CT_ERR_LIMIT, "more than %d warps in a raw trace: run "
		                     "the post-processor first", MAX_WARPS);
	return ct_fail_nomem(e);
}

static struct raw_warp *warp_of(struct ct_accelsim *a, const uint64_t *lead, struct ct_error *e)
{
	uint64_t cta;
	if (ct_accelsim_cta_index(a, lead, &cta, e) < 0)
		return NULL;
	if (lead[3] >= a->block_warps) {
		ct_lines_fail(&a->lines, e, CT_ERR_INPUT, "warp %" PRIu64 " in a block of %u warps: "
		              "damaged", lead[3], a->block_warps);
		return NULL;
	}
	struct raw_warp *w = find_warp(a->raw_kernel, cta, (uint32_t)lead[3]);
	if (!w)
		outside(a, e);
	return w;
}

static void note_core(struct ct_accelsim *a, struct raw_warp *w, const uint64_t *lead)
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
	struct raw_warp *w = warp_of(a, lead, e);
	if (!w)
		return e->status;
	unsigned char *scratch = a->raw_kernel->scratch;
	struct ct_span o = open_span(a->raw_kernel, w);
	const char *next = ct_templates_line(a->templates, p, a->columns.line, &w->stream, &o,
	                                     &a->tally, a->env->options.keep_values);
	int st = keep_bytes(a, w, scratch, o.p, e);
	if (st < 0 || !next)
		return st;
	note_core(a, w, lead);
	l->p = next;
	l->line++;
	return 1;
}

static int slow_inst(struct ct_accelsim *a, struct ct_error *e)
{
	const struct ct_line *t = a->line;
	const char *next;
	uint32_t sid;
	int st = ct_accelsim_slow(a, &next, &sid, e);
	if (st < 0)
		return st;
	struct raw_warp *w = warp_of(a, t->lead, e);
	if (!w)
		return e->status;
	note_core(a, w, t->lead);
	uint32_t number = ct_templates_add(a->templates, t, sid, a->columns.line);
	ct_templates_follow(a->templates, w->stream.last, number);
	w->stream.last = number;
	struct ct_span o = open_span(a->raw_kernel, w);
	ct_stream_put(&w->stream, &o, &a->tally, sid, t->mask, ct_flags_of(t), &t->addr, t->values,
	              a->env->options.keep_values ? t->nvalues : 0);
	a->lines.p = next;
	a->lines.line++;
	return keep_bytes(a, w, a->raw_kernel->scratch, o.p, e);
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

/* Order by CTA, then warp: keys are distinct. */
static int before(const struct raw_warp *a, const struct raw_warp *b)
{
	return a->cta != b->cta ? a->cta < b->cta : a->warp < b->warp;
}

/* Heap sort: qsort() cannot reach the warps that the numbers stand for. */
static void sift(struct ct_raw_kernel *r, size_t i, size_t n)
{
	uint32_t *o = r->order;
	for (size_t c; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && before(&r->warp[o[c]], &r->warp[o[c + 1]]))
			c++;
		if (!before(&r->warp[o[i]], &r->warp[o[c]]))
			return;
		uint32_t t = o[i];
		o[i] = o[c];
		o[c] = t;
	}
}

static int sort_warps(struct ct_raw_kernel *r)
{
	r->order = ct_calloc(r->warps, sizeof *r->order);
	if (!r->order)
		return -1;
	for (size_t i = 0; i < r->warps; i++)
		r->order[i] = (uint32_t)i;
	for (size_t i = r->warps / 2; i > 0; i--)
		sift(r, i - 1, r->warps);
	for (size_t n = r->warps; n > 1; n--) {
		uint32_t t = r->order[0];
		r->order[0] = r->order[n - 1];
		r->order[n - 1] = t;
		sift(r, 0, n - 1);
	}
	return 0;
}

static int complete(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_raw_kernel *r = a->raw_kernel;
	for (size_t i = 0; i < r->warps; i++) {
		struct raw_warp *w = &r->warp[i];
		unsigned char tail[1];
		unsigned char *end = ct_pack_flush(&w->stream.packer, tail);
		int st = keep_bytes(a, w, tail, end, e);
		w->stream.undo.valid = 0;
		if (st == CT_OK)
			st = seal(r, w, 1, a->env->store, e);
		if (st < 0)
			return st;
		free(w->buffer);
		w->buffer = NULL;
		w->cap = 0;
	}
	r->complete = 1;
	return sort_warps(r) == 0 ? CT_OK : ct_fail_nomem(e);
}

/* The warps order[first, last) make a CTA; their segments become its own. */
static int make_cta(struct ct_accelsim *a, size_t first, size_t last, struct ct_cta **cta,
                    struct ct_error *e)
{
	struct ct_raw_kernel *r = a->raw_kernel;
	uint32_t segments = 0;
	for (size_t i = first; i < last; i++)
		segments += r->warp[r->order[i]].segments;
	struct ct_cta *c = ct_cta_new(a->launch, a->env->store, (uint32_t)(last - first), segments);
	if (!c)
		return ct_fail_nomem(e);
	c->index = r->warp[r->order[first]].cta;
	segments = 0;
	for (size_t i = first; i < last; i++) {
		struct raw_warp *w = &r->warp[r->order[i]];
		c->warp[i - first] = (struct ct_warp_info){w->warp, w->stream.insts, w->stream.sm,
		                                           w->stream.slot};
		c->start[i - first].segment = segments;
		if (w->segments)
			memcpy(&c->segment[segments], w->segment, w->segments * sizeof *w->segment);
		segments += w->segments;
		w->segments = 0;
		a->unfinished += !ct_stream_exited(&w->stream);
	}
	ct_accelsim_count(a, c);
	*cta = c;
	return 1;
}

/* Nothing marks the end of a raw trace. Where some warps have come to their EXIT and
 * others have not, its end is missing; where none has, the tracer was told to stop
 * before it, which every block would tell. */
static int check_exits(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_raw_kernel *r = a->raw_kernel;
	size_t exited = 0;
	for (size_t i = 0; i < r->warps; i++)
		exited += (size_t)ct_stream_exited(&r->warp[i].stream);
	if (exited == r->warps || (exited == 0 && a->blocks == a->grid_ctas))
		return CT_OK;
	return ct_lines_fail(&a->lines, e, CT_ERR_INPUT, "the file ends before %zu of %zu warps have come "
	                     "to their EXIT: it is cut", r->warps - exited, r->warps);
}

static void count_blocks(struct ct_accelsim *a)
{
	struct ct_raw_kernel *r = a->raw_kernel;
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
	if (!a->raw_kernel && !(a->raw_kernel = calloc(1, sizeof *a->raw_kernel)))
		return ct_fail_nomem(e);
	struct ct_raw_kernel *r = a->raw_kernel;
	if (!r->complete) {
		int st = read_all(a, e);
		if (st < 0 && !can_salvage(a, st))
			return st;
		if (st < 0)
			r->damage = *e; /* told after what precedes it was handed out */
		st = complete(a, e);
		if (st < 0)
			return st;
		count_blocks(a);
		st = r->damage.status ? CT_OK : check_exits(a, e);
		if (st < 0 && !can_salvage(a, st))
			return st;
		if (st < 0)
			r->damage = *e;
	}
	size_t first = r->given, last = first;
	while (last < r->warps && r->warp[r->order[last]].cta == r->warp[r->order[first]].cta)
		last++;
	r->given = last;
	if (first < last)
		return make_cta(a, first, last, cta, e);
	if (r->damage.status == 0)
		return ct_accelsim_end(a);
	*e = r->damage;
	return e->status;
}
