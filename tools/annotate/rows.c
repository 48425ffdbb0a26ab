#include "annotate/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Where the counts of a PC or an AR record begin. */
enum { PC_COUNTS = 6, AR_COUNTS = 4 };

static const char *const names[ANNOTATE_COLUMNS] = {
	"requests",  "sectors",     "bytes_moved", "bytes_used", "l1_misses",
	"l1_cold",   "l1_capacity", "l1_conflict", "l1_pending", "llc_misses",
	"reuse_p50", "reuse_p90",   "stall_cycles"};

const char *annotate_column_name(unsigned column)
{
	return names[column];
}

/* Whether the record is of the whole, or of a launch: then *launch becomes its number. */
static int is_of(const struct ct_record *r, int per_launch, uint64_t *launch)
{
	static const char prefix[] = "kernel:";
	*launch = 0;
	if (!per_launch)
		return strcmp(r->field[0], "all") == 0;
	return strncmp(r->field[0], prefix, sizeof prefix - 1) == 0 &&
	       ct_field_count(r->field[0] + sizeof prefix - 1, launch);
}

int annotate_has_records(const struct ct_profile *p, int per_launch)
{
	const struct ct_record *r;
	uint64_t launch;
	for (size_t i = 0; (r = ct_profile_next(p, "PC", &i));)
		if (is_of(r, per_launch, &launch))
			return 1;
	return 0;
}

static int is_reuse(unsigned column)
{
	return column == ANNOTATE_P50 || column == ANNOTATE_P90;
}

/* Adds the counts from field `at` on. Of reuse distances there is no sum: the row keeps those of a single record. */
static void add_counts(struct annotate_row *row, const struct ct_record *r, unsigned at, int is_first)
{
	row->reuse = is_first;
	for (unsigned i = 0; i < ANNOTATE_COLUMNS; i++) {
		uint64_t v = 0;
		int known = ct_field_count(r->field[at + i], &v);
		if (!is_reuse(i))
			row->v[i] += v;
		else if (is_first)
			row->v[i] = v;
		row->reuse &= known || !is_reuse(i);
	}
}

static int equal(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static int same_row(const struct annotate_row *a, const struct annotate_row *b)
{
	return a->launch == b->launch && a->pc == b->pc && a->line == b->line && a->first == b->first &&
	       a->last == b->last && equal(a->kernel, b->kernel) && equal(a->opcode, b->opcode);
}

/* What identifies the row of a record. */
static struct annotate_row key_of(const struct ct_record *r, enum annotate_by by)
{
	struct annotate_row row = {0};
	if (by == ANNOTATE_BY_ARRAY) {
		row.array = r->field[1];
		(void)ct_field_count(r->field[2], &row.first);
		(void)ct_field_count(r->field[3], &row.last);
		return row;
	}
	row.kernel = r->field[1];
	if (by == ANNOTATE_BY_KERNEL)
		return row;
	(void)ct_field_count(r->field[2], &row.pc);
	row.opcode = r->field[3];
	(void)ct_field_count(r->field[4], &row.line);
	row.array = r->field[5];
	if (r->nfields > PC_COUNTS + ANNOTATE_COLUMNS && *r->field[PC_COUNTS + ANNOTATE_COLUMNS])
		row.file = r->field[PC_COUNTS + ANNOTATE_COLUMNS];
	return row;
}

/* Compares what identifies rows, to bring equal ones together: merged profiles have several of an instruction. */
static int by_key(const void *a, const void *b)
{
	const struct annotate_row *x = a, *y = b;
	const char *of_x[] = {x->kernel, x->opcode, x->array},
		   *of_y[] = {y->kernel, y->opcode, y->array};
	const uint64_t n_x[] = {x->launch, x->pc, x->line, x->first, x->last},
		       n_y[] = {y->launch, y->pc, y->line, y->first, y->last};
	for (int i = 0; i < 3; i++) {
		int c = of_x[i] && of_y[i] ? strcmp(of_x[i], of_y[i]) : 0;
		if (c)
			return c;
	}
	for (size_t i = 0; i < sizeof n_x / sizeof n_x[0]; i++)
		if (n_x[i] != n_y[i])
			return n_x[i] < n_y[i] ? -1 : 1;
	return 0;
}

static void join_equal(struct annotate_rows *r)
{
	size_t n = 0;
	if (r->n)
		qsort(r->row, r->n, sizeof *r->row, by_key);
	for (size_t i = 0; i < r->n; i++) {
		struct annotate_row *last = n ? &r->row[n - 1] : NULL;
		if (!last || !same_row(last, &r->row[i])) {
			r->row[n++] = r->row[i];
			continue;
		}
		for (unsigned k = 0; k < ANNOTATE_COLUMNS; k++)
			last->v[k] += is_reuse(k) ? 0 : r->row[i].v[k];
		last->reuse = 0;
	}
	r->n = n;
}

/* The columns that tell rows of equal cost apart, most telling first. */
static const unsigned cost[] = {
	ANNOTATE_STALL, ANNOTATE_LLC, ANNOTATE_L1, ANNOTATE_SECTORS, ANNOTATE_REQUESTS};

static int compare(const struct annotate_row *x, const struct annotate_row *y, unsigned column)
{
	return x->v[column] == y->v[column] ? 0 : x->v[column] < y->v[column] ? 1 : -1;
}

static int by_cost(const void *a, const void *b)
{
	int c = 0;
	for (size_t i = 0; !c && i < sizeof cost / sizeof cost[0]; i++)
		c = compare(a, b, cost[i]);
	return c ? c : by_key(a, b);
}

/* A row with the column that it is sorted by; rows that are equal in it keep their order by cost. */
struct placed {
	struct annotate_row row;
	uint64_t key;
	size_t place;
};

static int by_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int sort_rows(struct annotate_rows *r, enum annotate_column sort, struct ct_error *e)
{
	struct placed *p = ct_calloc(r->n, sizeof *p);
	if (!p)
		return ct_fail_nomem(e);
	if (r->n)
		qsort(r->row, r->n, sizeof *r->row, by_cost);
	for (size_t i = 0; i < r->n; i++) {
		const struct annotate_row *row = &r->row[i];
		p[i] = (struct placed){*row, is_reuse(sort) && !row->reuse ? 0 : row->v[sort], i};
	}
	if (r->n)
		qsort(p, r->n, sizeof *p, by_placed);
	for (size_t i = 0; i < r->n; i++)
		r->row[i] = p[i].row;
	free(p);
	return CT_OK;
}

/* 1 when a kernel of that name is wanted, 0 when not, < 0 when that cannot be told. */
static int wanted(const struct ct_filter *filter, const char *name, uint64_t launch)
{
	struct ct_kernel k = {.name = (char *)(uintptr_t)name, .id = (uint32_t)launch};
	return filter ? ct_filter_matches(filter, &k) : 1;
}

int annotate_rows_read(struct annotate_rows *r, const struct ct_profile *p, enum annotate_by by,
                       int per_launch, const struct ct_filter *filter, enum annotate_column sort,
                       struct ct_error *e)
{
	const int arrays = by == ANNOTATE_BY_ARRAY;
	const struct ct_record *rec;
	*r = (struct annotate_rows){.by = by, .per_launch = per_launch};
	for (size_t i = 0; (rec = ct_profile_next(p, arrays ? "AR" : "PC", &i));) {
		uint64_t launch;
		int take = is_of(rec, per_launch, &launch);
		if (!take)
			continue;
		add_counts(&r->total, rec, arrays ? AR_COUNTS : PC_COUNTS, 0);
		if (!arrays)
			take = wanted(filter, rec->field[1], launch);
		if (take < 0)
			return ct_fail(e, take, "the pattern of -k could not be tried on %s",
			               rec->field[1]);
		if (!take)
			continue;
		if (ct_grow((void **)&r->row, &r->cap, r->n + 1, sizeof *r->row) < 0)
			return ct_fail_nomem(e);
		r->row[r->n] = key_of(rec, by);
		r->row[r->n].launch = launch;
		add_counts(&r->row[r->n], rec, arrays ? AR_COUNTS : PC_COUNTS, by != ANNOTATE_BY_KERNEL);
		r->n++;
	}
	join_equal(r);
	return sort_rows(r, sort, e);
}

void annotate_rows_free(struct annotate_rows *r)
{
	free(r->row);
	free(r->mechanism);
	r->row = NULL;
	r->mechanism = NULL;
	r->n = r->cap = 0;
}
