/* match.c - which launch of a trace a profiler's row is of. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "counters/counters.h"

/* How a name is spelled. */
enum { PLAIN = 1, MANGLED = 2, SIGNATURE = 4 };

/* What rows and launches are compared by. */
struct key {
	const char *name; /* in the buffer of names */
	size_t offset;
	uint32_t shape[6]; /* zeros where shapes are not compared */
	size_t index;      /* of the launch */
};

static int spelling_of(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 ? MANGLED : strchr(name, '(') ? SIGNATURE : PLAIN;
}

/* Appends what names are compared by: the bare name, or the whole one without blanks and casts of numbers, since tools
 * write the same argument as 256 or (int)256. */
static size_t add_name(struct ct_buf *b, const char *name, int whole)
{
	char base[CT_COUNTER_NAME_MAX];
	const size_t at = b->len;
	if (!whole) {
		ct_counter_base_name(name, base, sizeof base);
		ct_buf_puts(b, base);
	}
	for (; whole && *name; name++) {
		size_t cast = *name == '(' ? strcspn(name, ")") : 0;
		if (*name == ' ')
			continue;
		/* a cast: words in brackets before a digit or a sign */
		if (cast && name[cast] && strchr("0123456789-", name[cast + 1]) && name[cast + 1]) {
			name += cast;
			continue;
		}
		ct_buf_putc(b, *name);
	}
	ct_buf_putc(b, '\0');
	return at;
}

static int compare_keys(const struct key *a, const struct key *b)
{
	int c = strcmp(a->name, b->name);
	for (int i = 0; i < 6 && c == 0; i++)
		c = (a->shape[i] > b->shape[i]) - (a->shape[i] < b->shape[i]);
	return c;
}

static int in_order(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	int c = compare_keys(a, b);
	return c ? c : (a->index > b->index) - (a->index < b->index);
}

static void set_shape(struct key *k, const uint32_t grid[3], const uint32_t block[3])
{
	memcpy(k->shape, grid, 3 * sizeof *grid);
	memcpy(k->shape + 3, block, 3 * sizeof *block);
}

/* The first of the sorted keys that is not below k. */
static size_t first_of(const struct key *key, size_t n, const struct key *k)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (compare_keys(&key[mid], k) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct matching {
	const struct ct_counters *c;
	const struct ct_counter_launch *launch;
	size_t n;
	struct ct_buf names;
	struct key *key;  /* of the launches, sorted */
	size_t *next;     /* by first key of a group: how many of it are used */
	size_t *row_name; /* where a row's name begins in names */
	unsigned char *used;
	size_t *match;
};

/* Rows that have shapes are matched among launches of equal shape, the others and means by their names alone. */
static void match_rows(struct matching *m, int shaped, int means)
{
	memset(m->next, 0, m->n * sizeof *m->next);
	for (size_t i = 0; i < m->n; i++) {
		memset(m->key[i].shape, 0, sizeof m->key[i].shape);
		if (shaped)
			set_shape(&m->key[i], m->launch[m->key[i].index].grid,
			          m->launch[m->key[i].index].block);
	}
	qsort(m->key, m->n, sizeof *m->key, in_order);
	for (size_t i = 0; i < ct_counters_count(m->c); i++) {
		const struct ct_counter_row *row = ct_counters_at(m->c, i);
		struct key k = {.name = m->names.data + m->row_name[i]};
		if (row->shaped != shaped || (row->invocations > 0) != means || m->match[i] != SIZE_MAX)
			continue;
		if (shaped)
			set_shape(&k, row->grid, row->block);
		size_t first = first_of(m->key, m->n, &k), at = first;
		if (first == m->n)
			continue;
		for (at = first + m->next[first]; at < m->n && compare_keys(&m->key[at], &k) == 0;
		     at++) {
			m->next[first]++;
			if (m->used[m->key[at].index])
				continue;
			m->match[i] = m->key[at].index;
			m->used[m->key[at].index] = 1;
			break;
		}
		if (means && m->match[i] != SIZE_MAX) /* the launches of one name have one mean */
			m->next[first] = m->n;
	}
}

/* Whether both sides spell all names that are more than a word in one and the same way. */
static int spelled_alike(const struct matching *m)
{
	int rows = 0, launches = 0;
	for (size_t i = 0; i < ct_counters_count(m->c); i++)
		rows |= spelling_of(ct_counters_at(m->c, i)->name);
	for (size_t i = 0; i < m->n; i++)
		launches |= spelling_of(m->launch[i].name);
	rows &= ~PLAIN;
	launches &= ~PLAIN;
	return rows == launches && (rows == MANGLED || rows == SIGNATURE);
}

static void find_groups(const struct matching *m, size_t *group)
{
	for (size_t i = 0; i < m->n; i++)
		memset(m->key[i].shape, 0, sizeof m->key[i].shape);
	qsort(m->key, m->n, sizeof *m->key, in_order);
	for (size_t i = 0, first = 0; i < m->n; i++) {
		if (compare_keys(&m->key[i], &m->key[first]) != 0)
			first = i;
		group[m->key[i].index] = m->key[first].index;
	}
}

static int add_names(struct matching *m, int whole, struct ct_error *e)
{
	ct_buf_reset(&m->names);
	for (size_t i = 0; i < ct_counters_count(m->c); i++)
		m->row_name[i] = add_name(&m->names, ct_counters_at(m->c, i)->name, whole);
	for (size_t i = 0; i < m->n; i++)
		m->key[i] = (struct key){.offset = add_name(&m->names, m->launch[i].name, whole),
		                         .index = i};
	for (size_t i = 0; i < m->n && !m->names.failed; i++)
		m->key[i].name = m->names.data + m->key[i].offset;
	return ct_buf_check(&m->names, e);
}

int ct_counters_match(const struct ct_counters *c, const struct ct_counter_launch *launch, size_t n,
                      size_t *match, size_t *group, struct ct_error *e)
{
	const size_t rows = ct_counters_count(c);
	struct matching m = {.c = c, .launch = launch, .n = n, .match = match};
	for (size_t i = 0; i < rows; i++)
		match[i] = SIZE_MAX;
	m.key = ct_calloc(n, sizeof *m.key);
	m.next = ct_calloc(n, sizeof *m.next);
	m.used = ct_calloc(n, 1);
	m.row_name = ct_calloc(rows, sizeof *m.row_name);
	int st = m.key && m.next && m.used && m.row_name ? CT_OK : ct_fail_nomem(e);
	/* whole names first; what is left may be spelled with other casts */
	const int alike = st == CT_OK && spelled_alike(&m);
	for (int whole = alike; st == CT_OK && whole >= 0; whole--) {
		st = add_names(&m, whole, e);
		if (st != CT_OK)
			break;
		if (whole == alike)
			find_groups(&m, group);
		match_rows(&m, 1, 0);
		match_rows(&m, 0, 0);
		match_rows(&m, 0, 1);
	}
	free(m.key);
	free(m.next);
	free(m.used);
	free(m.row_name);
	ct_buf_free(&m.names);
	return st;
}
