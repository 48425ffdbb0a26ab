/* streams.c - launches of different streams that stand next to each other, handed out as one launch, whose thread blocks
 * are those of the first, then those of the second and so on: so they fill the SMs when launches run at the same time, and
 * none waits for the end of another. */
#include "trace/private/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* Grids that a device holds at once, from compute capability 7.0 on (CUDA C++ Programming Guide, technical
 * specifications), and what Accel-Sim's configurations have as gpgpu_max_concurrent_kernel. */
enum { TOGETHER_MAX = 128 };

/* What the trace has launched next to each other, one or more. */
struct group {
	uint32_t launches;
	uint32_t block[3], regs;
	uint64_t ctas, shmem_bytes;
	char *name; /* NULL where it is one launch */
};

struct ct_streams {
	struct ct_trace *t; /* lent, as env is */
	struct ct_env *env;
	const struct ct_filter *filter; /* of joint launches; NULL: all */
	struct group *group;
	size_t groups, cap, at;
	/* The joint launch being handed out; NULL: a launch of its own. */
	struct ct_launch *joint;
	uint32_t left;  /* launches of it that have not begun */
	uint64_t first; /* of its thread blocks, the number of the launch's first one */
	uint64_t ctas;  /* of that launch's grid */
	struct ct_builder builder;
	uint32_t *
		sid; /* of the launch's static instructions in the joint code, plus 1; 0: not yet there */
	size_t sids, sid_cap;
	struct ct_cursor *cursor;
};

void ct_streams_free(struct ct_streams *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->groups; i++)
		free(s->group[i].name);
	free(s->group);
	free(s->sid);
	ct_cursor_close(s->cursor);
	ct_builder_free(&s->builder, s->env->store);
	ct_launch_unref(s->joint);
	free(s);
}

static uint64_t threads_of(const uint32_t block[3])
{
	return (uint64_t)block[0] * block[1] * block[2];
}

/* ---- which launches run together ---- */

/* The group that is growing. */
struct growing {
	struct group *g;     /* NULL: none */
	struct ct_kernel of; /* of its first launch, without texts */
	uint64_t stream[TOGETHER_MAX];
	struct ct_buf names;
	int same_shape;
};

/* A launch joins unless its stream is busy, or its generic addresses mean something else. */
static int may_join(const struct growing *w, const struct ct_kernel *k)
{
	if (!w->g || w->g->launches == TOGETHER_MAX || w->g->ctas + ct_kernel_ctas(k) > UINT32_MAX ||
	    k->has_windows != w->of.has_windows || k->shmem_base != w->of.shmem_base ||
	    k->local_base != w->of.local_base)
		return 0;
	for (uint32_t i = 0; i < w->g->launches; i++)
		if (w->stream[i] == k->stream)
			return 0;
	return 1;
}

/* Ends the group that is growing, which gets its name if it is of several launches. */
static int end_group(struct ct_streams *s, struct growing *w, struct ct_error *e)
{
	int st = w->g ? ct_buf_check(&w->names, e) : CT_OK;
	if (st == CT_OK && w->g && w->g->launches > 1) {
		w->g->name = ct_strndup(w->names.data, w->names.len);
		if (!w->g->name)
			st = ct_fail_nomem(e);
		if (!w->same_shape)
			ct_warn(&s->env->options.diag,
			        "%u launches from %u on run together and differ in what a thread block needs: "
			        "SMs hold as many as of the largest",
			        w->g->launches, w->of.id);
	}
	w->g = NULL;
	return st;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Adds a launch to the group that is growing, or begins another with it. A joint launch is named for all kernels in it,
 * each once. */
static int add_launch(struct ct_streams *s, struct growing *w, const struct ct_kernel *k,
                      struct ct_error *e)
{
	int st = may_join(w, k) ? CT_OK : end_group(s, w, e);
	if (st < 0)
		return st;
	if (!w->g) {
		if (ct_grow((void **)&s->group, &s->cap, s->groups + 1, sizeof *s->group) != 0)
			return ct_fail_nomem(e);
		w->g = &s->group[s->groups++];
		*w->g = (struct group){.regs = k->regs, .shmem_bytes = k->shmem_bytes};
		memcpy(w->g->block, k->block, sizeof k->block);
		w->of = *k;
		w->same_shape = 1;
		ct_buf_reset(&w->names);
	}
	struct group *g = w->g;
	w->same_shape &= k->regs == w->of.regs && k->shmem_bytes == w->of.shmem_bytes &&
	                 threads_of(k->block) == threads_of(w->of.block);
	if (threads_of(k->block) > threads_of(g->block))
		memcpy(g->block, k->block, sizeof k->block);
	g->regs = larger(g->regs, k->regs);
	g->shmem_bytes = g->shmem_bytes > k->shmem_bytes ? g->shmem_bytes : k->shmem_bytes;
	g->ctas += ct_kernel_ctas(k);
	w->stream[g->launches++] = k->stream;
	if (!w->names.len)
		ct_buf_puts(&w->names, k->name);
	else if (!strstr(w->names.data, k->name))
		ct_buf_printf(&w->names, " + %s", k->name);
	return CT_OK;
}

/* Goes through the launches of the trace without their instructions. A copy waits for the launches before it. */
static int look_ahead(struct ct_streams *s, const char *path, const struct ct_trace_options *o,
                      struct ct_error *e)
{
	struct ct_trace_options own = *o;
	struct growing w = {.g = NULL};
	struct ct_trace *t;
	struct ct_event ev;
	uint64_t bytes;
	own.streams = 0;
	own.filter = NULL;
	own.keep = NULL;
	own.diag = (struct ct_diag){0};
	int st = ct_trace_open(&t, path, &own, e);
	if (st < 0)
		return st;
	while (st >= 0 && (st = ct_trace_next(t, &ev, e)) > 0) {
		st = ev.kind == CT_EVENT_KERNEL ? add_launch(s, &w, ev.kernel, e) : end_group(s, &w, e);
		if (st == CT_OK && ev.kind == CT_EVENT_KERNEL)
			st = ct_trace_skip_kernel(t, &bytes, e);
	}
	if (st == CT_OK)
		st = end_group(s, &w, e);
	ct_buf_free(&w.names);
	ct_trace_close(t);
	return st;
}

int ct_streams_new(struct ct_streams **out, struct ct_trace *t, const char *path, struct ct_env *env,
                   const struct ct_trace_options *o, struct ct_error *e)
{
	struct ct_streams *s = ct_calloc(1, sizeof *s);
	*out = s;
	if (!s)
		return ct_fail_nomem(e);
	s->t = t;
	s->env = env;
	s->filter = o->filter;
	if (ct_builder_init(&s->builder) != 0)
		return ct_fail_nomem(e);
	return look_ahead(s, path, o, e);
}

/* ---- handing them out ---- */

/* A launch's thread blocks have no numbers yet in the joint code. */
static void begin_member(struct ct_streams *s, const struct ct_kernel *k)
{
	s->ctas = ct_kernel_ctas(k);
	s->sids = 0;
}

static int begin_joint(struct ct_streams *s, const struct group *g, const struct ct_kernel *k,
                       struct ct_error *e)
{
	struct ct_launch *l = s->joint = ct_launch_new();
	if (!l)
		return ct_fail_nomem(e);
	l->kernel = *k;
	l->kernel.name = ct_strndup(g->name, strlen(g->name));
	l->kernel.nvbit_version = ct_strndup(k->nvbit_version ? k->nvbit_version : "",
	                                     k->nvbit_version ? strlen(k->nvbit_version) : 0);
	l->kernel.tracer_version = ct_strndup(k->tracer_version ? k->tracer_version : "",
	                                      k->tracer_version ? strlen(k->tracer_version) : 0);
	l->kernel.path = ct_strndup(k->path, strlen(k->path));
	l->kernel.sources = NULL; /* the kernels' PCs overlap */
	l->kernel.grid[0] = (uint32_t)g->ctas;
	l->kernel.grid[1] = l->kernel.grid[2] = 1;
	memcpy(l->kernel.block, g->block, sizeof g->block);
	l->kernel.regs = g->regs;
	l->kernel.shmem_bytes = g->shmem_bytes;
	s->left = g->launches - 1;
	s->first = 0;
	begin_member(s, k);
	return l->kernel.name && l->kernel.nvbit_version && l->kernel.tracer_version && l->kernel.path
	               ? CT_OK
	               : ct_fail_nomem(e);
}

/* Reads over what nobody fetched. */
static int finish_launch(struct ct_streams *s, struct ct_error *e)
{
	struct ct_cta *cta = NULL;
	int st;
	while ((st = s->joint ? ct_streams_next_cta(s, &cta, e)
	                      : ct_trace_next_launch_cta(s->t, &cta, e)) > 0)
		ct_cta_unref(cta);
	ct_launch_unref(s->joint);
	s->joint = NULL;
	return st;
}

/* Whether the filter wants what is handed out now. What it does not want is read over. */
static int is_wanted(struct ct_streams *s, const struct ct_kernel *k, uint32_t launches,
                     struct ct_error *e)
{
	int st = s->filter ? ct_filter_matches(s->filter, k) : 1;
	if (st == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	if (st < 0)
		return ct_fail(e, st, "%s: the -k pattern takes too long on the name of kernel %u",
		               k->path, k->id);
	if (st == 0) {
		s->env->stats->kernels -= launches;
		s->env->stats->skipped_kernels += launches;
		st = finish_launch(s, e);
	}
	return st;
}

int ct_streams_next(struct ct_streams *s, struct ct_event *ev, struct ct_error *e)
{
	int st = finish_launch(s, e), wanted = 0;
	while (st >= 0 && !wanted && (st = ct_trace_next_launch(s->t, ev, e)) > 0) {
		if (ev->kind != CT_EVENT_KERNEL)
			return 1;
		if (s->at == s->groups)
			return ct_fail(e, CT_ERR_INPUT, "%s: the trace became longer while it was read",
			               ev->kernel->path);
		const struct group *g = &s->group[s->at++];
		if (g->launches > 1) {
			if ((st = begin_joint(s, g, ev->kernel, e)) < 0)
				return st;
			ev->kernel = &s->joint->kernel;
		}
		st = wanted = is_wanted(s, ev->kernel, g->launches, e);
		if (wanted > 0 && g->launches > 1)
			s->env->stats->joined_launches += g->launches;
	}
	return st;
}

/* The number of a static instruction in the joint code. */
static int joint_sid(struct ct_streams *s, const struct ct_code *code, uint32_t sid, uint32_t *to,
                     struct ct_error *e)
{
	if (sid >= s->sids) {
		const size_t n = ct_code_count(code);
		if (ct_grow((void **)&s->sid, &s->sid_cap, n, sizeof *s->sid) != 0)
			return ct_fail_nomem(e);
		memset(s->sid + s->sids, 0, (n - s->sids) * sizeof *s->sid);
		s->sids = n;
	}
	if (!s->sid[sid]) {
		const struct ct_sinst *x = ct_code_at(code, sid);
		int st = ct_code_add(&s->joint->code, x, strlen(x->opcode), to, e);
		if (st < 0)
			return st;
		s->sid[sid] = *to + 1;
	}
	*to = s->sid[sid] - 1;
	return CT_OK;
}

/* Packs the instructions of a warp with the numbers of the joint code. */
static int recode_warp(struct ct_streams *s, struct ct_cta *cta, uint32_t i, struct ct_error *e)
{
	struct ct_builder *b = &s->builder;
	struct ct_packer packer;
	struct ct_pack_addr a = {.lowest = INT64_MIN};
	struct ct_inst x;
	uint32_t sid = 0;
	int st = s->cursor ? ct_cursor_reset(s->cursor, cta, i, e)
	                   : ct_cursor_open(&s->cursor, cta, i, e);
	if (st == CT_OK)
		st = ct_builder_warp(b, ct_cta_warp(cta, i)->warp, e);
	if (st < 0)
		return st;
	b->warp[b->warps - 1] = *ct_cta_warp(cta, i);
	ct_packer_init(&packer);
	while ((st = ct_cursor_next(s->cursor, &x, e)) > 0) {
		if ((st = joint_sid(s, ct_cta_code(cta), x.sid, &sid, e)) < 0)
			return st;
		a.form = (enum ct_addr_form)x.addr_form;
		a.n = x.naddr;
		a.base = x.base;
		a.stride = x.stride;
		for (unsigned k = 1; k < a.n; k++)
			a.delta[k - 1] = (int64_t)(x.addr[k] - x.addr[k - 1]);
		b->span.p = ct_pack_inst(&packer, b->span.p, sid, x.mask, &a, x.values, x.nvalues);
		if (b->span.p >= b->span.limit && (st = ct_builder_seal(b, NULL, s->env->store, e)) < 0)
			return st;
	}
	b->span.p = ct_pack_flush(&packer, b->span.p);
	return st;
}

/* Makes a thread block of the joint launch of one of its launches'. */
static int recode_cta(struct ct_streams *s, struct ct_cta *from, struct ct_cta **cta, struct ct_error *e)
{
	int st = CT_OK;
	for (uint32_t i = 0; i < ct_cta_warps(from) && st == CT_OK; i++)
		st = recode_warp(s, from, i, e);
	s->builder.index = s->first + ct_cta_index(from);
	if (st == CT_OK)
		st = ct_builder_finish(&s->builder, s->joint, s->env->store, cta, e);
	return st < 0 ? st : 1;
}

/* Goes on to the next launch of the joint one: 1, or 0 when none is left. */
static int next_member(struct ct_streams *s, struct ct_error *e)
{
	struct ct_event ev;
	if (!s->left)
		return 0;
	int st = ct_trace_next_launch(s->t, &ev, e);
	if (st <= 0)
		return st;
	if (ev.kind != CT_EVENT_KERNEL)
		return ct_fail(e, CT_ERR_INPUT, "%s: the trace changed while it was read",
		               s->joint->kernel.path);
	s->left--;
	s->first += s->ctas;
	begin_member(s, ev.kernel);
	return 1;
}

int ct_streams_next_cta(struct ct_streams *s, struct ct_cta **cta, struct ct_error *e)
{
	struct ct_cta *own;
	*cta = NULL;
	if (!s->joint)
		return ct_trace_next_launch_cta(s->t, cta, e);
	for (;;) {
		int st = ct_trace_next_launch_cta(s->t, &own, e);
		if (st > 0) {
			st = recode_cta(s, own, cta, e);
			ct_cta_unref(own);
			return st;
		}
		if (st < 0 || (st = next_member(s, e)) <= 0)
			return st;
	}
}

int ct_streams_skip_kernel(struct ct_streams *s, uint64_t *bytes, struct ct_error *e)
{
	uint64_t more = 0;
	int st = ct_trace_skip_launch(s->t, bytes, e);
	while (st == CT_OK && s->joint && (st = next_member(s, e)) > 0) {
		st = ct_trace_skip_launch(s->t, &more, e);
		*bytes += more;
	}
	return st;
}
