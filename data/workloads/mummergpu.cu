/* mummergpu - exact matching of short reads against a genome by its suffix tree, after Rodinia's: a thread per read walks
 * the tree, and follows suffix links to its next position. The tree is built on the host by Ukkonen's algorithm. */
#include "inputs.h"

enum { BLOCK = 256, LETTERS = 5 /* a c g t and the end */, ROOT = 1 };

/* First and end position of the edge into the node, its suffix link, letters from the root to its end, and the
 * children; 0 for none. */
struct node {
	int first, end, link, depth, child[8];
};

#ifdef __CUDACC__
/* For every position of a read: the length of its longest match, and the node below it. */
extern "C" __global__ void mummer_match(const node *nodes, const unsigned char *genome, const unsigned char *reads,
                                        int *lengths, int *found, int n, int letters)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const unsigned char *read = reads + i * letters;
	/* The match of the present position ends in the edge into a child of `above`, which lies `low` letters below the
	 * root; `matched` letters are known. */
	int above = ROOT, matched = 0, low = 0;
	for (int p = 0; p < letters; p++) {
		int below = above;
		bool more = true;
		while (more && p + low < letters) {
			int at = p + low, child = nodes[above].child[read[at]];
			if (child == 0)
				break;
			below = child;
			int first = nodes[child].first, length = nodes[child].end - first;
			/* Letters of this edge that are known to match need no look. */
			int e = max(matched - low, 0);
			if (e < length) {
				while (e < length && at + e < letters && read[at + e] == genome[first + e])
					e++;
				matched = low + e;
				more = e == length;
			}
			if (more) {
				above = child;
				low += length;
			}
		}
		lengths[i * letters + p] = matched;
		found[i * letters + p] = below;
		/* The next position: the suffix link of the node above is one letter shorter. */
		if (above != ROOT) {
			above = nodes[above].link;
			low = nodes[above].depth;
		} else {
			low = 0;
		}
		matched = max(matched - 1, 0);
	}
}
#endif

struct suffix_tree {
	int n; /* letters, the end included */
	const unsigned char *s;
	struct node *node; /* 0 is unused */
	int nodes;
	int active, edge, length, remainder, pending; /* Ukkonen's active point */
};

static int add_node(struct suffix_tree *t, int first, int end)
{
	struct node *n = &t->node[++t->nodes];
	n->first = first;
	n->end = end;
	return t->nodes;
}

static void link_from_pending(struct suffix_tree *t, int to)
{
	if (t->pending)
		t->node[t->pending].link = to;
	t->pending = to;
}

/* Moves the active point down where it lies behind the end of edge `child`. */
static int walk_down(struct suffix_tree *t, int child, int at)
{
	const struct node *c = &t->node[child];
	int end = c->end < at + 1 ? c->end : at + 1, length = end - c->first;
	if (t->length < length)
		return 0;
	t->edge += length;
	t->length -= length;
	t->active = child;
	return 1;
}

static void split(struct suffix_tree *t, int child, int at)
{
	int first = t->node[child].first, middle = add_node(t, first, first + t->length);
	t->node[t->active].child[t->s[t->edge]] = middle;
	t->node[middle].child[t->s[at]] = add_node(t, at, t->n);
	t->node[child].first += t->length;
	t->node[middle].child[t->s[t->node[child].first]] = child;
	link_from_pending(t, middle);
}

static void extend(struct suffix_tree *t, int at)
{
	t->pending = 0;
	t->remainder++;
	while (t->remainder > 0) {
		if (t->length == 0)
			t->edge = at;
		int child = t->node[t->active].child[t->s[t->edge]];
		if (child == 0) {
			int leaf = add_node(t, at, t->n);
			t->node[t->active].child[t->s[t->edge]] = leaf;
			link_from_pending(t, t->active);
		} else {
			if (walk_down(t, child, at))
				continue;
			if (t->s[t->node[child].first + t->length] == t->s[at]) {
				t->length++;
				link_from_pending(t, t->active);
				return;
			}
			split(t, child, at);
		}
		t->remainder--;
		if (t->active == ROOT && t->length > 0) {
			t->length--;
			t->edge = at - t->remainder + 1;
		} else if (t->active != ROOT) {
			int link = t->node[t->active].link;
			t->active = link ? link : ROOT;
		}
	}
}

/* Letters from the root, by a walk over a stack; links that miss lead to the root. */
static void finish_tree(struct suffix_tree *t, int *stack)
{
	int top = 0;
	stack[top++] = ROOT;
	while (top > 0) {
		struct node *n = &t->node[stack[--top]];
		if (n->link == 0)
			n->link = ROOT;
		for (int c = 0; c < LETTERS; c++)
			if (n->child[c]) {
				struct node *child = &t->node[n->child[c]];
				child->depth = n->depth + child->end - child->first;
				stack[top++] = n->child[c];
			}
	}
}

static void make_tree(struct app *a, struct suffix_tree *t)
{
	size_t most = 2 * (size_t)t->n + 2;
	t->node = (struct node *)app_host(a, most, sizeof *t->node);
	t->active = add_node(t, 0, 0); /* ROOT */
	for (int i = 0; i < t->n; i++)
		extend(t, i);
	finish_tree(t, (int *)app_host(a, most, sizeof(int)));
}

/* The longest match of p[0..n) anywhere in the genome, by descent from the root. */
static uint32_t longest(const struct suffix_tree *t, const unsigned char *p, uint32_t n)
{
	uint32_t matched = 0;
	for (int node = ROOT; matched < n;) {
		node = t->node[node].child[p[matched]];
		if (!node)
			break;
		for (int e = t->node[node].first; e < t->node[node].end; e++, matched++)
			if (matched == n || t->s[e] != p[matched])
				return matched;
	}
	return matched;
}

/* Whether the genome holds p[0..n), by looking everywhere. */
static uint32_t occurs(const struct suffix_tree *t, const unsigned char *p, uint32_t n)
{
	for (uint32_t i = 0; i + n < (uint32_t)t->n; i++)
		if (memcmp(t->s + i, p, n) == 0)
			return 1;
	return n == 0;
}

/* Reads are pieces of the genome with a letter in 25 changed. */
static void draw_reads(struct app *a, const unsigned char *genome, uint32_t n, unsigned char *read, uint32_t reads,
                       uint32_t letters)
{
	for (uint32_t r = 0; r < reads; r++) {
		uint32_t from = app_below(a, n - letters - 1);
		for (uint32_t i = 0; i < letters; i++)
			read[r * letters + i] = (unsigned char)(app_below(a, 25) ? genome[from + i] : app_below(a, 4));
	}
}

APP(mummergpu)
{
	struct suffix_tree t;
	uint32_t letters = 25, reads = app_pick(a, 2048, 8192, 32768, 50000);
	size_t places = (size_t)reads * letters;
	memset(&t, 0, sizeof t);
	t.n = (int)app_pick(a, 400000, 100000, 400000, 2000000);
	unsigned char *genome = (unsigned char *)app_host(a, (size_t)t.n, 1);
	unsigned char *read = (unsigned char *)app_host(a, places, 1);
	uint32_t *got = (uint32_t *)app_host(a, places, sizeof *got);
	uint32_t *want = (uint32_t *)app_host(a, letters, sizeof *want);
	for (int i = 0; i + 1 < t.n; i++)
		genome[i] = (unsigned char)app_below(a, 4);
	genome[t.n - 1] = LETTERS - 1;
	t.s = genome;
	draw_reads(a, genome, (uint32_t)t.n, read, reads, letters);
	make_tree(a, &t);
	const void *nodes = app_upload(a, "nodes", t.node, sizeof *t.node * (size_t)(t.nodes + 1));
	const void *text = app_upload(a, "genome", genome, (size_t)t.n), *query = app_upload(a, "reads", read, places);
	void *lengths = app_device(a, "lengths", sizeof *got * places);
	void *found = app_device(a, "nodes found", sizeof *got * places);
	APP_LAUNCH(a, mummer_match, app_1d(app_ceil(reads, BLOCK)), app_1d(BLOCK), 0, &nodes, &text, &query, &lengths,
	           &found, &reads, &letters);
	app_to_host(a, got, lengths, sizeof *got * places);
	for (uint32_t r = 0; r < reads; r++) {
		const unsigned char *p = read + (size_t)r * letters;
		for (uint32_t i = 0; i < letters; i++)
			want[i] = longest(&t, p + i, letters - i);
		app_check_words(a, "length", got + (size_t)r * letters, want, letters);
		/* The tree itself, on a few: the match occurs, one letter more does not. */
		uint32_t here = 1, further = 0, seen = 1, seen_further = 0;
		if (r % 512 == 0) {
			seen = occurs(&t, p, want[0]);
			seen_further = want[0] < letters && occurs(&t, p, want[0] + 1);
		}
		app_check_words(a, "match occurs", &seen, &here, 1);
		app_check_words(a, "longer match occurs", &seen_further, &further, 1);
	}
}
