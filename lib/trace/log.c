/* log.c - launches and records of a log, and handing them out in order. */
#include "trace/private/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/mem.h"
#include "trace/private/text.h"

void ct_log_init(struct ct_log *l, struct ct_source *s, struct ct_env *env)
{
	memset(l, 0, sizeof *l);
	ct_lines_init(&l->lines, s);
	l->env = env;
	ct_group_init(&l->group, env->store, env->options.max_memory);
}

void ct_log_free(struct ct_log *l)
{
	ct_group_free(&l->group);
	for (size_t i = 0; i < l->items; i++) {
		free(l->item[i].kernel.name);
		ct_launch_unref(l->item[i].launch);
	}
	free(l->item);
	ct_index_free(&l->index);
	free(l->out);
	free(l->nvbit_version);
	ct_launch_unref(l->launch);
	ct_lines_free(&l->lines);
}

/* ---- launches ---- */

static uint64_t hash_of(int is_line, uint32_t epoch, uint64_t id)
{
	return ct_mix64(ct_mix64(id) + 2 * (uint64_t)epoch + (unsigned)is_line);
}

static uint64_t hash_of_item(const void *log, uint32_t i)
{
	const struct ct_log_item *x = &((const struct ct_log *)log)->item[i];
	return hash_of(x->is_line, x->epoch, x->id);
}

struct ct_log_item *ct_log_item(struct ct_log *l, int is_line, uint32_t epoch, uint64_t id, int add,
                                struct ct_error *e)
{
	if (ct_index_reserve(&l->index, (uint32_t)l->items, hash_of_item, l) < 0) {
		ct_fail_nomem(e);
		return NULL;
	}
	uint64_t h = hash_of(is_line, epoch, id);
	uint32_t at;
	for (; (at = ct_index_at(&l->index, h)) != 0; h++) {
		struct ct_log_item *x = &l->item[at - 1];
		if (x->id == id && x->epoch == epoch && x->is_line == is_line)
			return x;
	}
	if (!add)
		return NULL;
	if (l->items >= CT_LOG_ITEMS) {
		ct_lines_fail(&l->lines, e, CT_ERR_LIMIT, "more than %d launches in one log: split it",
		              CT_LOG_ITEMS / 2);
		return NULL;
	}
	if (ct_grow((void **)&l->item, &l->cap, l->items + 1, sizeof *l->item) != 0) {
		ct_fail_nomem(e);
		return NULL;
	}
	struct ct_log_item *x = &l->item[l->items++];
	memset(x, 0, sizeof *x);
	x->is_line = (uint8_t)is_line;
	x->epoch = epoch;
	x->id = id;
	x->line = l->lines.line;
	ct_index_put(&l->index, h, (uint32_t)l->items - 1);
	return x;
}

/* ---- records ---- */

static int is_contiguous(uint32_t mask)
{
	uint32_t low = mask & (0 - mask);
	return (mask & (mask + low)) == 0;
}

/* The form that the Accel-Sim tracer would choose (doc/formats.md section 5). */
static void form_addresses(const struct ct_log_record *r, struct ct_pack_addr *a)
{
	uint64_t last = 0;
	int even = 1;
	a->n = 0;
	a->base = 0;
	a->stride = 0;
	a->lowest = INT64_MIN;
	a->packed = NULL;
	for (unsigned i = 0; i < CT_WARP_LANES; i++) {
		if (!(r->mask >> i & 1))
			continue;
		if (a->n == 0)
			a->base = r->addr[i];
		else
			a->delta[a->n - 1] = (int64_t)(r->addr[i] - last);
		even = even && (a->n < 2 || a->delta[a->n - 1] == a->delta[0]);
		last = r->addr[i];
		a->n++;
	}
	if (a->n > 1)
		a->stride = a->delta[0];
	int fits = a->stride >= INT32_MIN && a->stride <= INT32_MAX;
	a->form = a->n > 1 && even && fits && is_contiguous(r->mask) ? CT_ADDR_STRIDE : CT_ADDR_DELTAS;
	if (a->n == 0)
		a->form = CT_ADDR_STRIDE;
}

static int no_warp(struct ct_log *l, struct ct_error *e)
{
	if (l->group.warps < CT_GROUP_WARPS)
		return ct_fail_nomem(e);
	return ct_lines_fail(&l->lines, e, CT_ERR_LIMIT, "more than %d warps in one log: split it",
	                     CT_GROUP_WARPS);
}

int ct_log_put(struct ct_log *l, struct ct_log_item *x, const struct ct_log_record *r,
               struct ct_error *e)
{
	struct ct_error bare;
	struct ct_pack_addr a;
	uint32_t sid;
	if (!x->launch && !(x->launch = ct_launch_new()))
		return ct_fail_nomem(e);
	int st = ct_code_add(&x->launch->code, &r->inst, r->opcode_length, &sid, &bare);
	if (st < 0)
		return ct_lines_fail(&l->lines, e, st, "%s", bare.text);
	/* These numbers are in linear order, whatever the grid is. */
	uint64_t cta = r->cta[0] | (uint64_t)r->cta[1] << 32 | (uint64_t)r->cta[2] << 48;
	struct ct_group_warp *w = ct_group_find(&l->group, (uint32_t)(x - l->item), cta, r->warp);
	if (!w)
		return no_warp(l, e);
	if (w->stream.lines == 0) {
		w->line = l->lines.line;
		w->stream.sm = r->sm;
	}
	form_addresses(r, &a);
	unsigned flags = r->inst.space == CT_SPACE_GLOBAL ? CT_TPL_GLOBAL : 0;
	struct ct_span o = ct_group_span(&l->group, w);
	ct_stream_put(&w->stream, &o, &l->tally, sid, r->mask, flags, &a, NULL, 0);
	return ct_group_keep(&l->group, w, o.p, e);
}

/* ---- handing out ---- */

static uint64_t key_of(const struct ct_log *l, const struct ct_log_item *x)
{
	return x->is_line ? x->id - l->id_offset : x->id;
}

/* Orders items by run and launch, and a launch's line before its records. Lines lie below their number where
 * the offset passes zero: they come last, without records. */
static int item_before(const void *log, const void *a, const void *b)
{
	const struct ct_log *l = log;
	const struct ct_log_item *x = &l->item[*(const uint32_t *)a],
				 *y = &l->item[*(const uint32_t *)b];
	uint64_t i = key_of(l, x), j = key_of(l, y);
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch;
	return i != j ? i < j : x->is_line > y->is_line;
}

static int sort_items(struct ct_log *l)
{
	l->out = ct_calloc(l->items, sizeof *l->out);
	if (!l->out)
		return -1;
	for (size_t i = 0; i < l->items; i++)
		l->out[i] = (uint32_t)i;
	ct_heap_sort(l->out, l->items, sizeof *l->out, item_before, l);
	return 0;
}

int ct_log_complete(struct ct_log *l, struct ct_error *e)
{
	int st = ct_group_complete(&l->group, e);
	if (st < 0)
		return st;
	if (sort_items(l) != 0)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < l->group.warps; i++) {
		struct ct_log_item *x = &l->item[l->group.warp[l->group.order[i]].launch];
		if (x->end == 0)
			x->first = i;
		x->end = i + 1;
	}
	l->env->stats->null_global += l->tally.null_global;
	l->done = 1;
	return CT_OK;
}

static void split_cta(uint64_t cta, uint32_t xyz[3])
{
	xyz[0] = (uint32_t)cta;
	xyz[1] = (uint32_t)(cta >> 32) & 0xffff;
	xyz[2] = (uint32_t)(cta >> 48);
}

/* What the launch line leaves open follows from the records. */
static void derive_sizes(struct ct_log *l, struct ct_kernel *k)
{
	uint32_t grid[3] = {1, 1, 1}, warps = 1;
	int sms = l->first < l->end;
	for (size_t i = l->first, end; i < l->end; i = end) {
		const struct ct_group_warp *w = &l->group.warp[l->group.order[i]];
		uint32_t xyz[3];
		end = ct_group_cta_end(&l->group, i);
		if (end - i > warps)
			warps = (uint32_t)(end - i);
		split_cta(w->cta, xyz);
		for (int d = 0; d < 3; d++)
			if (xyz[d] >= grid[d])
				grid[d] = xyz[d] + 1;
		for (size_t j = i; j < end; j++)
			sms = sms && l->group.warp[l->group.order[j]].stream.sm >= 0;
	}
	if (!k->grid[0])
		memcpy(k->grid, grid, sizeof k->grid);
	if (!k->block[0]) {
		k->block[0] = 32 * warps;
		k->block[1] = k->block[2] = 1;
	}
	k->has_core_ids = (uint8_t)sms;
}

static int fill_kernel(struct ct_log *l, struct ct_kernel *k, uint32_t id)
{
	const char *path = ct_source_name(l->lines.source);
	const char *version = l->nvbit_version ? l->nvbit_version : "";
	k->id = id;
	k->raw = 1;
	derive_sizes(l, k);
	k->path = ct_strndup(path, strlen(path));
	k->nvbit_version = ct_strndup(version, strlen(version));
	k->tracer_version = ct_strndup("", 0);
	if (!k->name)
		k->name = ct_strndup("unknown", 7);
	return k->path && k->nvbit_version && k->tracer_version && k->name ? 0 : -1;
}

int ct_log_next_kernel(struct ct_log *l, uint32_t id, struct ct_launch **out, struct ct_error *e)
{
	ct_launch_unref(l->launch);
	l->launch = NULL;
	l->first = l->end = 0;
	if (l->next_item == l->items) {
		if (l->damage.status == 0)
			return 0;
		if (e)
			*e = l->damage;
		return l->damage.status;
	}
	struct ct_log_item *x = &l->item[l->out[l->next_item++]], *line = x->is_line ? x : NULL;
	if (line && l->next_item < l->items) {
		struct ct_log_item *y = &l->item[l->out[l->next_item]];
		if (!y->is_line && y->epoch == line->epoch && y->id == key_of(l, line)) {
			x = y;
			l->next_item++;
		}
	}
	l->launch = x->launch ? x->launch : ct_launch_new();
	x->launch = NULL;
	if (!l->launch)
		return ct_fail_nomem(e);
	l->first = x->first;
	l->end = x->end;
	if (line) {
		l->launch->kernel = line->kernel;
		line->kernel.name = NULL;
	} else {
		l->env->stats->unlaunched_kernels++;
	}
	l->launch->kernel.header_id = key_of(l, line ? line : x);
	const struct ct_kernel *k = &l->launch->kernel;
	if (fill_kernel(l, &l->launch->kernel, id) != 0)
		return ct_fail_nomem(e);
	if (k->block[0] > CT_BLOCK_THREADS_MAX) /* as derived; those of a launch line are smaller */
		return ct_fail(
			e, CT_ERR_LIMIT,
			"%s:%" PRIu64 ": thread blocks of %u warps, %d are most: name them (group "
			"cta of --pattern)",
			k->path, x->line, k->block[0] / CT_WARP_LANES,
			CT_BLOCK_THREADS_MAX / CT_WARP_LANES);
	*out = l->launch;
	return 1;
}

/* Checks the CTA against its launch and gives it its linear number. */
static int place_records(struct ct_log *l, size_t end, struct ct_error *e)
{
	const struct ct_kernel *k = &l->launch->kernel;
	const uint32_t *g = k->grid;
	struct ct_group_warp *w = &l->group.warp[l->group.order[l->first]];
	const char *name = ct_source_name(l->lines.source);
	uint32_t xyz[3];
	split_cta(w->cta, xyz);
	if (xyz[0] >= g[0] || xyz[1] >= g[1] || xyz[2] >= g[2])
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64 ": thread block %u,%u,%u is outside the grid "
		               "(%u,%u,%u) of its launch: damaged",
		               name, w->line, xyz[0], xyz[1], xyz[2], g[0], g[1], g[2]);
	uint32_t warps = ct_kernel_cta_warps(k);
	if (end - l->first > warps)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64 ": thread block %u,%u,%u has records of %zu "
		               "warps, but its launch has %u in a block: damaged",
		               name, w->line, xyz[0], xyz[1], xyz[2], end - l->first, warps);
	for (size_t i = l->first; i < end; i++) {
		w = &l->group.warp[l->group.order[i]];
		w->stream.slot = (int32_t)w->warp;
		w->warp = (uint32_t)(i - l->first);
	}
	l->group.warp[l->group.order[l->first]].cta = xyz[0] + g[0] * (xyz[1] + (uint64_t)g[1] * xyz[2]);
	return CT_OK;
}

int ct_log_next_cta(struct ct_log *l, struct ct_cta **cta, struct ct_error *e)
{
	struct ct_trace_stats *s = l->env->stats;
	*cta = NULL;
	if (l->first == l->end)
		return 0;
	size_t end = ct_group_cta_end(&l->group, l->first);
	int st = place_records(l, end, e);
	if (st < 0)
		return st;
	*cta = ct_group_cta(&l->group, l->first, end, l->launch);
	if (!*cta)
		return ct_fail_nomem(e);
	l->first = end;
	s->ctas++;
	s->warps += (*cta)->warps;
	for (uint32_t i = 0; i < (*cta)->warps; i++)
		s->warp_insts += (*cta)->warp[i].insts;
	s->spilled_bytes = ct_store_spilled(l->env->store);
	return 1;
}
