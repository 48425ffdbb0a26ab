/* b+tree - queries on a B+ tree as Rodinia's: a CTA per query, a thread per key of a node, which is read where it
 * lies; where a query has come to is in global memory. Point queries, then range queries. */
#include "inputs.h"

enum { ORDER = 256 };

struct node {
	int location, children[ORDER + 1], keys[ORDER + 1]; /* children: of a leaf, records */
	int is_leaf, n;
};

#ifdef __CUDACC__
/* Goes one level down where this thread's key is the one that the query belongs to. */
static __device__ void step(const node *nodes, int count, int now, int *next, int key)
{
	int t = threadIdx.x;
	if (nodes[now].keys[t] <= key && nodes[now].keys[t + 1] > key)
		if (nodes[*next].children[t] < count)
			*next = nodes[*next].children[t];
}

extern "C" __global__ void btree_find_key(int height, const node *nodes, int count, const int *records,
                                          int *now, int *next, const int *keys, int *answers)
{
	int t = threadIdx.x, q = blockIdx.x;
	for (int level = 0; level < height; level++) {
		step(nodes, count, now[q], &next[q], keys[q]);
		__syncthreads();
		if (t == 0)
			now[q] = next[q];
		__syncthreads();
	}
	if (nodes[now[q]].keys[t] == keys[q])
		answers[q] = records[nodes[now[q]].children[t]];
}

/* The first record of a range, and how many there are up to its end. */
extern "C" __global__ void
btree_find_range(int height, const node *nodes, int count, int *now, int *next, int *last, int *last_next,
                 const int *starts, const int *ends, int *first_record, int *length)
{
	int t = threadIdx.x, q = blockIdx.x;
	for (int level = 0; level < height; level++) {
		step(nodes, count, now[q], &next[q], starts[q]);
		step(nodes, count, last[q], &last_next[q], ends[q]);
		__syncthreads();
		if (t == 0) {
			now[q] = next[q];
			last[q] = last_next[q];
		}
		__syncthreads();
	}
	if (nodes[now[q]].keys[t] == starts[q])
		first_record[q] = nodes[now[q]].children[t];
	__syncthreads();
	if (nodes[last[q]].keys[t] == ends[q])
		length[q] = nodes[last[q]].children[t] - first_record[q] + 1;
}
#endif

struct tree {
	uint32_t n, height, records;
	struct node *node;
};

/* Makes a level above `count` children that start at `first`, `fan` to a node; smallest[] holds the smallest key
 * under each child. Returns how many nodes were made. */
static uint32_t build_level(struct tree *t, uint32_t first, uint32_t count, uint32_t fan, int *smallest,
                            int leaf)
{
	uint32_t made = 0;
	for (uint32_t c = 0; c < count; c += fan, made++) {
		struct node *n = &t->node[t->n++];
		uint32_t keys = count - c < fan ? count - c : fan;
		n->is_leaf = leaf;
		n->n = (int)keys;
		for (uint32_t i = 0; i <= ORDER; i++) {
			/* Unused keys are larger than every query. */
			n->keys[i] = i < keys ? smallest[c + i] : INT32_MAX;
			n->children[i] = i < keys ? (int)(first + c + i) : 0;
		}
		/* Queries below the first key must enter the first child. */
		if (!leaf && c == 0)
			n->keys[0] = 0;
		smallest[made] = smallest[c];
	}
	return made;
}

/* Nodes two thirds full, as after random insertions; the root is the last one. */
static void build(struct app *a, struct tree *t, int *keys)
{
	uint32_t fan = ORDER * 2 / 3, count = t->records, first = 0, total = 0;
	for (uint32_t n = count; n > 1 || total == 0; total += n)
		n = app_ceil(n, fan);
	t->node = (struct node *)app_host(a, total, sizeof *t->node);
	for (t->height = 0; count > 1 || t->height == 0; t->height++) {
		uint32_t below = t->n;
		count = build_level(t, t->height == 0 ? 0 : first, count, fan, keys, t->height == 0);
		first = below;
	}
}

/* Starts, ends: the keys that queries look for; from, to: their numbers. */
struct queries {
	uint32_t n, *from, *to;
	int *starts, *ends;
};

static void ask(struct app *a, struct queries *q, uint32_t records, const int *keys)
{
	q->from = (uint32_t *)app_host(a, q->n, sizeof *q->from);
	q->to = (uint32_t *)app_host(a, q->n, sizeof *q->to);
	q->starts = (int *)app_host(a, q->n, sizeof *q->starts);
	q->ends = (int *)app_host(a, q->n, sizeof *q->ends);
	for (uint32_t i = 0; i < q->n; i++) {
		q->from[i] = app_below(a, records - 1000);
		q->to[i] = q->from[i] + app_below(a, 1000);
		q->starts[i] = keys[q->from[i]];
		q->ends[i] = keys[q->to[i]];
	}
}

/* An array with the tree's root for every query. */
static void *at_root(struct app *a, const char *name, const struct tree *t, uint32_t n)
{
	int *p = (int *)app_host(a, n, sizeof *p);
	for (uint32_t i = 0; i < n; i++)
		p[i] = (int)t->n - 1;
	return app_upload(a, name, p, sizeof *p * n);
}

static void check_words(struct app *a, const char *what, const void *device, const uint32_t *want, uint32_t n)
{
	uint32_t *got = (uint32_t *)app_host(a, n, sizeof *got);
	app_to_host(a, got, device, sizeof *got * n);
	app_check_words(a, what, got, want, n);
}

APP(b_tree)
{
	struct tree t;
	struct queries q;
	memset(&t, 0, sizeof t);
	t.records = app_pick(a, 1000000, 400000, 1000000, 1000000);
	q.n = app_pick(a, 1000, 1200, 4000, 10000);
	int *keys = (int *)app_host(a, t.records, sizeof *keys), key = 0;
	int *sorted = (int *)app_host(a, t.records, sizeof *sorted);
	uint32_t *value = (uint32_t *)app_host(a, t.records, sizeof *value);
	uint32_t *want = (uint32_t *)app_host(a, q.n, sizeof *want);
	for (uint32_t i = 0; i < t.records; i++) {
		keys[i] = sorted[i] = key += 1 + (int)app_below(a, 1000);
		value[i] = app_below(a, 1u << 30);
	}
	build(a, &t, sorted);
	ask(a, &q, t.records, keys);
	uint32_t height = t.height - 1;
	size_t words = sizeof *want * q.n;
	const void *nodes = app_upload(a, "nodes", t.node, sizeof *t.node * t.n);
	const void *records = app_upload(a, "records", value, sizeof *value * t.records);
	const void *starts = app_upload(a, "starts", q.starts, words);
	const void *ends = app_upload(a, "ends", q.ends, words);
	void *now[3], *next[3];
	static const char *const names[3] = {"key's node", "start's node", "end's node"};
	for (int i = 0; i < 3; i++) {
		now[i] = at_root(a, names[i], &t, q.n);
		next[i] = at_root(a, "next node", &t, q.n);
	}
	void *answers = app_device(a, "answers", words), *first = app_device(a, "first records", words);
	void *length = app_device(a, "lengths", words);
	APP_LAUNCH(a, btree_find_key, app_1d(q.n), app_1d(ORDER), 0, &height, &nodes, &t.n, &records, &now[0],
	           &next[0], &starts, &answers);
	APP_LAUNCH(a, btree_find_range, app_1d(q.n), app_1d(ORDER), 0, &height, &nodes, &t.n, &now[1],
	           &next[1], &now[2], &next[2], &starts, &ends, &first, &length);
	for (uint32_t i = 0; i < q.n; i++)
		want[i] = value[q.from[i]];
	check_words(a, "value", answers, want, q.n);
	check_words(a, "first record", first, q.from, q.n);
	for (uint32_t i = 0; i < q.n; i++)
		want[i] = q.to[i] - q.from[i] + 1;
	check_words(a, "length", length, want, q.n);
}
