#include "locality/linemap.h"

#include "locality/isa.h"

enum {
	BLOCK = 32,          /* lines whose places are asked for before the first is looked at */
	BYTES_PER_LINE = 28, /* of the dense form, at most, ... */
	SLACK = 4 << 20      /* ... beyond so many bytes */
};

struct numbered {
	uint64_t mark; /* line + 1 */
	uint32_t number;
};

int ct_linemap_init(struct ct_linemap *m)
{
	return ct_dense_init(&m->dense, 0);
}

void ct_linemap_free(struct ct_linemap *m)
{
	ct_dense_free(&m->dense);
	ct_keyed_free(&m->table);
}

/* ---- the hash table ---- */

/* Puts a line that is not there into the table. 0, or -1 when out of memory. */
static int enter_keyed(struct ct_linemap *m, uint64_t line, uint32_t number)
{
	struct ct_keyed *t = &m->table;
	if (ct_keyed_reserve(t, sizeof(struct numbered)) < 0)
		return -1;
	struct numbered *x = ct_keyed_find(t, sizeof *x, line);
	x->number = number;
	ct_keyed_enter(t, x, line);
	return 0;
}

static int number_keyed(struct ct_linemap *m, const struct ct_line_access *a, size_t n, uint32_t *number)
{
	const struct ct_keyed *t = &m->table;
	for (size_t i = 0; i < n; i++)
		CT_PREFETCH(ct_keyed_home(t, sizeof(struct numbered), a[i].line));
	for (size_t i = 0; i < n; i++) {
		const struct numbered *x = ct_keyed_find(t, sizeof *x, a[i].line);
		if (!ct_keyed_is_free(x)) {
			number[i] = x->number;
			continue;
		}
		if (m->used >= UINT32_MAX / 2 || enter_keyed(m, a[i].line, (uint32_t)m->used) < 0)
			return -1;
		number[i] = (uint32_t)m->used++;
	}
	return 0;
}

/* ---- the dense form ---- */

struct move {
	struct ct_linemap *m;
	int failed;
};

static void move_block(void *ctx, uint64_t line, ct_block *b)
{
	struct move *x = ctx;
	for (unsigned i = 0; i < CT_BLOCK_LINES; i++)
		if (b[i] && enter_keyed(x->m, line + i, b[i] - 1) < 0)
			x->failed = 1;
}

/* Puts all lines into the table, if they are scattered. 0, or -1 when out of memory. */
static int leave_if_scattered(struct ct_linemap *m)
{
	struct move x = {m, 0};
	if (m->dense.used <= SLACK + m->used * BYTES_PER_LINE)
		return 0;
	if (ct_keyed_reserve(&m->table, sizeof(struct numbered)) < 0)
		return -1;
	ct_dense_each(&m->dense, move_block, &x);
	ct_dense_free(&m->dense);
	m->is_sparse = 1;
	return x.failed ? -1 : 0;
}

/* Where the number of a line is; NULL: out of memory. */
CT_INLINE uint32_t *place_of(struct ct_linemap *m, uint64_t line)
{
	const uint64_t key = line >> CT_REGION_BITS;
	const struct ct_region_slot *s = &m->dense.slot[ct_dense_home(&m->dense, key)];
	struct ct_region *r = s->region;
	if (!CT_LIKELY(s->key == key && r) && !(r = ct_dense_region(&m->dense, key)))
		return NULL;
	ct_block **b = &r->block[line >> CT_BLOCK_BITS & (CT_REGION_BLOCKS - 1)];
	if (!CT_LIKELY(*b != NULL) && !(*b = ct_dense_block(&m->dense)))
		return NULL;
	return &(*b)[line & (CT_BLOCK_LINES - 1)];
}

static int number_dense(struct ct_linemap *m, const struct ct_line_access *a, size_t n, uint32_t *number)
{
	uint32_t *place[BLOCK];
	for (size_t i = 0; i < n; i++) {
		if (!(place[i] = place_of(m, a[i].line)))
			return -1;
		CT_PREFETCH(place[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (!*place[i]) {
			if (m->used >= UINT32_MAX / 2)
				return -1;
			*place[i] = (uint32_t)++m->used;
		}
		number[i] = *place[i] - 1;
	}
	return leave_if_scattered(m);
}

int ct_linemap_enter(struct ct_linemap *m, const struct ct_line_access *a, size_t n, uint32_t *number)
{
	int st = 0;
	for (size_t i = 0, part; i < n && st == 0; i += part) {
		part = n - i < BLOCK ? n - i : BLOCK;
		st = m->is_sparse ? number_keyed(m, a + i, part, number + i)
		                  : number_dense(m, a + i, part, number + i);
	}
	return st;
}
