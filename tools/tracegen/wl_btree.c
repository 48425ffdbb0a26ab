/* Queries on a B+ tree as in Rodinia: a CTA per query, a thread per key of a node; point
 * queries, then range queries. */
#include "tracegen/data.h"

enum { ORDER = 256, KEYS = ORDER + 1 };

/* A node: {is_leaf, number of keys, keys[KEYS], children or records[KEYS]} of 32-bit words. */
enum {
	N_LEAF = 0,
	N_COUNT = 4,
	N_KEYS = 8,
	N_CHILD = N_KEYS + 4 * KEYS,
	NODE_BYTES = N_CHILD + 4 * KEYS
};

struct tree {
	uint32_t nodes, height, records;
	uint32_t *word; /* nodes * NODE_BYTES / 4 */
};

static uint32_t *node(const struct tree *t, uint32_t i)
{
	return t->word + (size_t)i * (NODE_BYTES / 4);
}

/* Fills one level above `count` children starting at node `first`, `fan` per node; smallest[] holds
 * the smallest key under each child. Returns the number of nodes made. */
static uint32_t build_level(struct tree *t, uint32_t first, uint32_t count, uint32_t fan,
                            uint32_t *smallest, int leaf)
{
	uint32_t made = 0;
	for (uint32_t c = 0; c < count; c += fan, made++) {
		uint32_t *n = node(t, t->nodes++), keys = count - c < fan ? count - c : fan;
		n[N_LEAF / 4] = (uint32_t)leaf;
		n[N_COUNT / 4] = keys;
		for (uint32_t i = 0; i < KEYS; i++) {
			/* Unused keys are larger than every query. */
			n[N_KEYS / 4 + i] = i < keys ? smallest[c + i] : INT32_MAX;
			n[N_CHILD / 4 + i] = i < keys ? first + c + i : 0;
		}
		/* Queries below the first key must enter the first child. */
		if (!leaf && c == 0)
			n[N_KEYS / 4] = 0;
		smallest[made] = smallest[c];
	}
	return made;
}

/* Leaves two thirds full, as after random insertions. */
static int build(struct wl *w, struct tree *t, uint32_t *keys)
{
	uint32_t fan = ORDER * 2 / 3, count = t->records, first = 0, total = 0;
	for (uint32_t n = count; n > 1 || total == 0; total += n)
		n = wl_ceil(n, fan);
	t->word = wl_host(w, (size_t)total * (NODE_BYTES / 4), 4);
	if (!t->word)
		return 0;
	for (t->height = 0; count > 1 || t->height == 0; t->height++) {
		uint32_t below = t->nodes;
		count = build_level(t, t->height == 0 ? 0 : first, count, fan, keys, t->height == 0);
		first = below;
	}
	return 1;
}

static val node_address(struct kb *k, val index)
{
	return k_elem(k, k_arg_ptr(k, 0), index, NODE_BYTES);
}

/* Thread t: does key t hold the query? keys[t] <= q < keys[t+1]. */
static val holds(struct kb *k, val slot, val query)
{
	val low = k_ldg(k, M_32, T_S32, slot, N_KEYS), high = k_ldg(k, M_32, T_S32, slot, N_KEYS + 4);
	return k_pand(k, k_setp(k, CMP_LE, low, query), k_setp(k, CMP_GT, high, query));
}

/* Shared memory: the current node. Goes down `height` levels (argument). */
static void descend(struct kb *k, val t, val query, int32_t at, val zero, unsigned height_arg)
{
	k_for(k, zero, k_arg_int(k, height_arg), 1);
	val now = k_lds(k, M_32, T_S32, zero, at), base = node_address(k, now),
	    slot = k_elem(k, base, t, 4);
	k_bar(k);
	k_if(k, holds(k, slot, query));
	val child = k_ldg(k, M_32, T_S32, slot, N_CHILD);
	k_sts(k, M_32, zero, at, child);
	k_endif(k);
	k_bar(k);
	k_endfor(k);
}

/* Arguments: nodes, records, root, queries, answers, levels above the leaves. */
static struct kb *find_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "btree_find_key");
	val t = k_tid(k, 0), cta = k_ctaid(k, 0), zero = k_int(k, 0);
	val query = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 3), cta, 4), 0);
	k_if(k, k_setpi(k, CMP_EQ, t, 0));
	k_sts(k, M_32, zero, 0, k_var(k, k_arg_int(k, 2)));
	k_endif(k);
	k_bar(k);
	descend(k, t, query, 0, zero, 5);
	val leaf = node_address(k, k_lds(k, M_32, T_S32, zero, 0)), slot = k_elem(k, leaf, t, 4);
	val key = k_ldg(k, M_32, T_S32, slot, N_KEYS);
	k_if(k, k_setp(k, CMP_EQ, key, query));
	val record = k_ldg(k, M_32, T_S32, slot, N_CHILD);
	val value = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), record, 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 4), cta, 4), 0, value);
	k_endif(k);
	k_finish(k);
	return k;
}

/* First record at or after the start of the range, and how many up to its end.
 * Arguments: nodes, ends, root, starts, {record, number} pairs, levels above the leaves. */
static struct kb *range_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "btree_find_range");
	val t = k_tid(k, 0), cta = k_ctaid(k, 0), zero = k_int(k, 0);
	val from = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 3), cta, 4), 0);
	val to = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), cta, 4), 0);
	k_if(k, k_setpi(k, CMP_EQ, t, 0));
	val root = k_var(k, k_arg_int(k, 2));
	k_sts(k, M_32, zero, 0, root);
	k_sts(k, M_32, zero, 4, root);
	k_endif(k);
	k_bar(k);
	descend(k, t, from, 0, zero, 5);
	descend(k, t, to, 4, zero, 5);
	val out = k_elem(k, k_arg_ptr(k, 4), cta, 8);
	val first = k_elem(k, node_address(k, k_lds(k, M_32, T_S32, zero, 0)), t, 4);
	k_if(k, k_setp(k, CMP_EQ, k_ldg(k, M_32, T_S32, first, N_KEYS), from));
	val start = k_ldg(k, M_32, T_S32, first, N_CHILD);
	k_stg(k, M_32, out, 0, start);
	k_endif(k);
	k_bar(k);
	val last = k_elem(k, node_address(k, k_lds(k, M_32, T_S32, zero, 4)), t, 4);
	k_if(k, k_setp(k, CMP_EQ, k_ldg(k, M_32, T_S32, last, N_KEYS), to));
	val end = k_ldg(k, M_32, T_S32, last, N_CHILD), begin = k_ldg(k, M_32, T_S32, out, 0);
	k_stg(k, M_32, out, 4, k_addi(k, k_sub(k, end, begin), 1));
	k_endif(k);
	k_finish(k);
	return k;
}

struct queries {
	uint32_t n;
	uint32_t *keys, *from, *to; /* indices into the sorted keys */
	struct simt_buffer *start, *end, *answer, *range;
};

static void check(struct wl *w, const struct queries *q, const struct simt_buffer *values)
{
	uint32_t *want = wl_host(w, q->n, 8);
	for (uint32_t i = 0; want && i < q->n; i++)
		want[i] = wl_words(values)[q->from[i]];
	if (want)
		wl_check_words(w, "value", wl_words(q->answer), want, q->n);
	for (uint32_t i = 0; want && i < q->n; i++) {
		want[2 * i] = q->from[i];
		want[2 * i + 1] = q->to[i] - q->from[i] + 1;
	}
	if (want)
		wl_check_words(w, "range", wl_words(q->range), want, 2 * (size_t)q->n);
}

void wl_btree(struct wl *w)
{
	struct tree t = {.records = wl_pick(w, 100000, 400000, 1000000)};
	struct queries q = {.n = wl_pick(w, 300, 1200, 4000)};
	uint32_t *sorted = wl_host(w, t.records, 4);
	q.keys = wl_host(w, t.records, 4);
	q.from = wl_host(w, q.n, 4);
	q.to = wl_host(w, q.n, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0, key = 0; i < t.records; i++)
		q.keys[i] = sorted[i] = key += 1 + wl_below(w, 1000);
	if (!build(w, &t, sorted))
		return;
	struct simt_buffer *nodes = wl_upload(w, t.word, (size_t)t.nodes * NODE_BYTES);
	struct simt_buffer *values = simt_alloc(&w->g, 4 * (size_t)t.records);
	q.start = simt_alloc(&w->g, 4 * (size_t)q.n);
	q.end = simt_alloc(&w->g, 4 * (size_t)q.n);
	q.answer = simt_alloc(&w->g, 4 * (size_t)q.n);
	q.range = simt_alloc(&w->g, 8 * (size_t)q.n);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0; i < t.records; i++)
		wl_words(values)[i] = wl_below(w, 1u << 30);
	for (uint32_t i = 0; i < q.n; i++) {
		q.from[i] = wl_below(w, t.records - 1000);
		q.to[i] = q.from[i] + wl_below(w, 1000);
		wl_words(q.start)[i] = q.keys[q.from[i]];
		wl_words(q.end)[i] = q.keys[q.to[i]];
	}
	simt_h2d(&w->g, values);
	simt_h2d(&w->g, q.start);
	simt_h2d(&w->g, q.end);
	uint32_t root = t.nodes - 1;
	WL_LAUNCH(w, find_kernel(&w->g), simt_1d(q.n), simt_1d(ORDER), 8, nodes->address,
	          values->address, root, q.start->address, q.answer->address, t.height - 1);
	WL_LAUNCH(w, range_kernel(&w->g), simt_1d(q.n), simt_1d(ORDER), 8, nodes->address,
	          q.end->address, root, q.start->address, q.range->address, t.height - 1);
	if (w->g.status == CT_OK)
		check(w, &q, values);
}
