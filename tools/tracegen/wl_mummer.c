/* Exact matching of short reads against a genome by its suffix tree, after Rodinia's
 * mummergpu: a thread per read walks the tree, and follows suffix links to its next
 * position. The tree is built on the host by Ukkonen's algorithm. */
#include <string.h>

#include "tracegen/data.h"

enum { BLOCK = 256, LETTERS = 5 /* a c g t and the end */, ROOT = 1 };

/* A node in memory: first and end position of the edge into it, suffix link, letters from
 * the root to its end, and the children. */
enum { T_FIRST, T_END, T_LINK, T_DEPTH, T_CHILD, NODE_WORDS = 12 };

struct suffix_tree {
	uint32_t n; /* letters, the end included */
	const uint8_t *s;
	uint32_t *word; /* nodes; 0 is unused, so that 0 means no child */
	uint32_t nodes;
	uint32_t active, edge, length, remainder, pending; /* Ukkonen's active point */
};

static uint32_t *tree_node(const struct suffix_tree *t, uint32_t i)
{
	return t->word + (size_t)i * NODE_WORDS;
}

static uint32_t add_node(struct suffix_tree *t, uint32_t first, uint32_t end)
{
	uint32_t *n = tree_node(t, ++t->nodes);
	n[T_FIRST] = first;
	n[T_END] = end;
	return t->nodes;
}

static void link_from_pending(struct suffix_tree *t, uint32_t to)
{
	if (t->pending)
		tree_node(t, t->pending)[T_LINK] = to;
	t->pending = to;
}

/* Moves the active point down when it lies behind the end of edge `child`. */
static int walk_down(struct suffix_tree *t, uint32_t child, uint32_t at)
{
	const uint32_t *c = tree_node(t, child);
	uint32_t end = c[T_END] < at + 1 ? c[T_END] : at + 1, length = end - c[T_FIRST];
	if (t->length < length)
		return 0;
	t->edge += length;
	t->length -= length;
	t->active = child;
	return 1;
}

static void split(struct suffix_tree *t, uint32_t child, uint32_t at)
{
	uint32_t first = tree_node(t, child)[T_FIRST];
	uint32_t middle = add_node(t, first, first + t->length);
	tree_node(t, t->active)[T_CHILD + t->s[t->edge]] = middle;
	tree_node(t, middle)[T_CHILD + t->s[at]] = add_node(t, at, t->n);
	tree_node(t, child)[T_FIRST] += t->length;
	tree_node(t, middle)[T_CHILD + t->s[tree_node(t, child)[T_FIRST]]] = child;
	link_from_pending(t, middle);
}

static void extend(struct suffix_tree *t, uint32_t at)
{
	t->pending = 0;
	t->remainder++;
	while (t->remainder > 0) {
		if (t->length == 0)
			t->edge = at;
		uint32_t child = tree_node(t, t->active)[T_CHILD + t->s[t->edge]];
		if (child == 0) {
			tree_node(t, t->active)[T_CHILD + t->s[t->edge]] = add_node(t, at, t->n);
			link_from_pending(t, t->active);
		} else {
			if (walk_down(t, child, at))
				continue;
			if (t->s[tree_node(t, child)[T_FIRST] + t->length] == t->s[at]) {
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
			uint32_t link = tree_node(t, t->active)[T_LINK];
			t->active = link ? link : ROOT;
		}
	}
}

/* Letters from the root, by a walk over an explicit stack; links that miss lead to the root. */
static void finish_tree(struct suffix_tree *t, uint32_t *stack)
{
	uint32_t top = 0;
	stack[top++] = ROOT;
	while (top > 0) {
		uint32_t *n = tree_node(t, stack[--top]);
		if (n[T_LINK] == 0)
			n[T_LINK] = ROOT;
		for (int c = 0; c < LETTERS; c++)
			if (n[T_CHILD + c]) {
				uint32_t *child = tree_node(t, n[T_CHILD + c]);
				child[T_DEPTH] = n[T_DEPTH] + child[T_END] - child[T_FIRST];
				stack[top++] = n[T_CHILD + c];
			}
	}
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static val node_at(struct kb *k, val index)
{
	return k_elem(k, k_arg_ptr(k, 0), index, 4 * NODE_WORDS);
}

static val field(struct kb *k, val node, int which)
{
	return k_ldg(k, M_32, T_S32, node, 4 * which);
}

/* For every position of a read: the length of its longest match, and the node below it.
 * Arguments: nodes, genome, reads, lengths, nodes found, reads, letters of a read. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "mummer_match");
	val i = k_gid(k), letters = k_arg_int(k, 6), zero = k_int(k, 0);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 5)));
	val start = k_mul(k, i, letters), read = k_elem(k, k_arg_ptr(k, 2), start, 1);
	/* The match of the present position ends in the edge into `child`, `matched` letters from
	 * the root; `above` is the node where that edge begins. */
	val above = k_var(k, k_int(k, ROOT)), matched = k_var(k, zero), low = k_var(k, zero);
	val p = k_for(k, zero, letters, 1);
	val found = k_var(k, above), more = k_var(k, k_int(k, 1));
	k_loop(k);
	val at = k_add(k, p, low);
	k_break(k, k_setp(k, CMP_GE, at, letters));
	val letter = k_ldg(k, M_U8, T_S32, k_elem(k, read, at, 1), 0);
	val child = k_ldg(k, M_32, T_S32, k_elem(k, node_at(k, above), letter, 4), 4 * T_CHILD);
	k_break(k, k_setpi(k, CMP_EQ, child, 0));
	k_set(k, found, child);
	val below = node_at(k, child), first = field(k, below, T_FIRST), end = field(k, below, T_END);
	val length = k_sub(k, end, first);
	/* Letters of this edge that are known to match need no look. */
	val known = k_max(k, k_sub(k, matched, low), zero);
	k_if(k, k_setp(k, CMP_LT, known, length));
	val e = k_var(k, known);
	k_loop(k);
	val q = k_add(k, at, e);
	k_break(k, k_setp(k, CMP_GE, q, letters));
	val mine = k_ldg(k, M_U8, T_S32, k_elem(k, read, q, 1), 0);
	val theirs = k_ldg(k, M_U8, T_S32, k_elem(k, k_arg_ptr(k, 1), k_add(k, first, e), 1), 0);
	k_break(k, k_setp(k, CMP_NE, mine, theirs));
	k_set(k, e, k_addi(k, e, 1));
	k_endloop(k, k_setp(k, CMP_LT, e, length));
	k_set(k, matched, k_add(k, low, e));
	k_set(k, more, k_sel(k, k_setp(k, CMP_LT, e, length), zero, k_int(k, 1)));
	k_endif(k);
	k_break(k, k_setpi(k, CMP_EQ, more, 0));
	k_set(k, above, child);
	k_set(k, low, k_add(k, low, length));
	k_endloop_always(k);
	val out = k_add(k, start, p);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), out, 4), 0, matched);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 4), out, 4), 0, found);
	/* Next position: the suffix link of the node above is one letter shorter. */
	k_if(k, k_setpi(k, CMP_EQ, above, ROOT));
	k_set(k, low, zero);
	k_else(k);
	k_set(k, above, field(k, node_at(k, above), T_LINK));
	k_set(k, low, field(k, node_at(k, above), T_DEPTH));
	k_endif(k);
	k_set(k, matched, k_max(k, k_addi(k, matched, -1), zero));
	k_endfor(k);
	k_finish(k);
	return k;
}

/* Longest match of p[0..n) anywhere in the genome, by descent from the root. */
static uint32_t longest(const struct suffix_tree *t, const uint8_t *p, uint32_t n)
{
	uint32_t node = ROOT, matched = 0;
	while (matched < n) {
		uint32_t child = tree_node(t, node)[T_CHILD + p[matched]];
		if (!child)
			break;
		const uint32_t *c = tree_node(t, child);
		for (uint32_t e = c[T_FIRST]; e < c[T_END]; e++, matched++)
			if (matched == n || t->s[e] != p[matched])
				return matched;
		node = child;
	}
	return matched;
}

/* Does the genome hold p[0..n)? By looking everywhere. */
static int occurs(const struct suffix_tree *t, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i + n < t->n; i++)
		if (memcmp(t->s + i, p, n) == 0)
			return 1;
	return n == 0;
}

static int make_tree(struct wl *w, struct suffix_tree *t)
{
	uint32_t *stack;
	t->word = wl_host(w, (2 * (size_t)t->n + 2) * NODE_WORDS, 4);
	stack = wl_host(w, 2 * (size_t)t->n + 2, 4);
	if (!t->word || !stack)
		return 0;
	t->active = add_node(t, 0, 0); /* ROOT */
	for (uint32_t i = 0; i < t->n; i++)
		extend(t, i);
	finish_tree(t, stack);
	return 1;
}

/* Reads are pieces of the genome with a letter in 25 changed. */
static void draw_reads(struct wl *w, const uint8_t *genome, uint32_t n, uint8_t *read, uint32_t reads,
                       uint32_t letters)
{
	for (uint32_t r = 0; r < reads; r++) {
		uint32_t from = wl_below(w, n - letters - 1);
		for (uint32_t i = 0; i < letters; i++)
			read[r * letters + i] = (uint8_t)(wl_below(w, 25) ? genome[from + i]
			                                                  : wl_below(w, 4));
	}
}

void wl_mummer(struct wl *w)
{
	struct suffix_tree t = {.n = wl_pick(w, 20000, 100000, 400000)};
	uint32_t letters = 25, reads = wl_pick(w, 1024, 8192, 32768);
	size_t places = (size_t)reads * letters;
	uint8_t *genome = wl_host(w, t.n, 1), *read = wl_host(w, places, 1);
	if (!genome || !read)
		return;
	for (uint32_t i = 0; i + 1 < t.n; i++)
		genome[i] = (uint8_t)wl_below(w, 4);
	genome[t.n - 1] = LETTERS - 1;
	t.s = genome;
	draw_reads(w, genome, t.n, read, reads, letters);
	if (!make_tree(w, &t))
		return;
	struct simt_buffer *nodes = wl_upload(w, t.word, 4 * ((size_t)t.nodes + 1) * NODE_WORDS);
	struct simt_buffer *text = wl_upload(w, genome, t.n), *query = wl_upload(w, read, places);
	struct simt_buffer *length = simt_alloc(&w->g, 4 * places),
			   *node = simt_alloc(&w->g, 4 * places);
	uint32_t *want = wl_host(w, letters, 4);
	if (w->g.status != CT_OK)
		return;
	WL_LAUNCH(w, kernel(&w->g), simt_1d(wl_ceil(reads, BLOCK)), simt_1d(BLOCK), 0, nodes->address,
	          text->address, query->address, length->address, node->address, reads, letters);
	for (uint32_t r = 0; r < reads && w->g.status == CT_OK; r++) {
		const uint8_t *p = read + (size_t)r * letters;
		for (uint32_t i = 0; i < letters; i++)
			want[i] = longest(&t, p + i, letters - i);
		wl_check_words(w, "length", wl_words(length) + (size_t)r * letters, want, letters);
		/* The tree itself, on a few: the match occurs, one letter more does not. */
		if (r % 512 == 0 &&
		    (!occurs(&t, p, want[0]) || (want[0] < letters && occurs(&t, p, want[0] + 1))))
			simt_fail(&w->g, CT_ERR_LIMIT, "read %u: the suffix tree is wrong", r);
	}
}
