#include "counters/read.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/units.h"

enum { FILE_MAX = 1 << 30 };

/* Two values of one counter that differ by more are told: hits and totals come from different runs of the kernel. */
static const double agreement = 0.02;

struct launch_entry {
	uint64_t mark;
	size_t row;
};

/* ---- the rows ---- */

static int fail_at(const struct ct_counters_reader *r, struct ct_error *e, const char *what,
                   const char *more)
{
	return ct_fail(e, CT_ERR_INPUT, "%s:%" PRIu64 ": %s%s", r->name, r->csv.row_line, what, more);
}

static const char *cell_of(const struct ct_counters_reader *r, enum ct_table_column c)
{
	return r->column[c] == CT_COLUMN_ABSENT ? "" : r->csv.field[r->column[c]];
}

/* Three sizes of any spelling: "(128, 1, 1)", "128,1,1". Returns whether there were three. */
static int parse_shape(const char *s, uint32_t shape[3])
{
	int n = 0;
	while (*s) {
		uint64_t v = 0;
		if (!isdigit((unsigned char)*s)) {
			s++;
			continue;
		}
		for (; isdigit((unsigned char)*s); s++)
			v = v < UINT32_MAX ? 10 * v + (uint64_t)(*s - '0') : v;
		if (n == 3 || v > UINT32_MAX)
			return 0;
		shape[n++] = (uint32_t)v;
	}
	return n == 3;
}

/* Reads grid and block of a row, from one column each or from three. A row without them is matched by
 * its name alone. */
static void read_shape(const struct ct_counters_reader *r, struct ct_counter_row *row)
{
	if (r->column[CT_TABLE_GRID] != CT_COLUMN_ABSENT) {
		row->shaped = parse_shape(cell_of(r, CT_TABLE_GRID), row->grid) &&
		              parse_shape(cell_of(r, CT_TABLE_BLOCK), row->block);
		return;
	}
	row->shaped = r->column[CT_TABLE_GRID_X] != CT_COLUMN_ABSENT;
	for (int i = 0; i < 3 && row->shaped; i++) {
		uint64_t g, b;
		row->shaped = ct_parse_u64_range(cell_of(r, CT_TABLE_GRID_X + i), 1, UINT32_MAX, &g) ==
		                      0 &&
		              ct_parse_u64_range(cell_of(r, CT_TABLE_BLOCK_X + i), 1, UINT32_MAX, &b) ==
		                      0;
		if (row->shaped) {
			row->grid[i] = (uint32_t)g;
			row->block[i] = (uint32_t)b;
		}
	}
}

/* The name without the number that nvprof's trace puts behind it: "copy(int*) [107]". */
static size_t name_length(const struct ct_counters_reader *r, const char *name)
{
	size_t n = strlen(name), k = n;
	if (r->form != CT_TABLE_TRACE || n < 4 || name[n - 1] != ']')
		return n;
	for (k = n - 1; k > 0 && isdigit((unsigned char)name[k - 1]); k--)
		;
	return k > 2 && k < n - 1 && name[k - 1] == '[' && name[k - 2] == ' ' ? k - 2 : n;
}

/* Adds a row for a launch, without values. */
static int add_row(struct ct_counters_reader *r, uint64_t invocations, struct ct_error *e)
{
	struct ct_counters *c = r->c;
	const char *name = cell_of(r, CT_TABLE_KERNEL);
	if (ct_grow((void **)&c->row, &c->cap, c->n + 1, sizeof *c->row) != 0 ||
	    ct_grow((void **)&c->rank, &c->rank_cap, c->n + 1, sizeof *c->rank) != 0)
		return ct_fail_nomem(e);
	struct ct_counter_row *row = &c->row[c->n];
	*row = (struct ct_counter_row){.line = r->csv.row_line, .invocations = invocations};
	for (int i = 0; i < CT_COUNTERS; i++)
		row->value[i] = NAN;
	memset(c->rank[c->n], 0, sizeof *c->rank);
	row->name = ct_strndup(name, name_length(r, name));
	if (!row->name)
		return ct_fail_nomem(e);
	c->n++;
	read_shape(r, row);
	return CT_OK;
}

/* Puts the value of a cell into a row, unless a better metric gave it already. */
static int take_value(struct ct_counters_reader *r, size_t at, const struct ct_quantity *q,
                      const char *metric, const char *text, const char *unit, struct ct_error *e)
{
	double v, *old = &r->c->row[at].value[q->counter];
	unsigned char *rank = &r->c->rank[at][q->counter];
	switch (ct_quantity_value(q, text, unit, &v)) {
	case CT_QUANTITY_MISSING: return CT_OK;
	case CT_QUANTITY_NUMBER:
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64
		               ": %s: \"%.40s\" is no number of the form 1,234.5: write the file "
		               "with LC_ALL=C",
		               r->name, r->csv.row_line, metric, text);
	case CT_QUANTITY_UNIT:
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64
		               ": %s in \"%.40s\", a unit that is not known of it: write the file "
		               "with --print-units base",
		               r->name, r->csv.row_line, metric, *unit ? unit : text);
	default: break;
	}
	if (!isnan(*old) && *rank == q->rank && fabs(v - *old) > agreement * fabs(*old))
		r->c->odd.repeated++;
	if (isnan(*old) || q->rank < *rank) {
		*old = v;
		*rank = (unsigned char)q->rank;
	}
	return CT_OK;
}

/* ---- heads ---- */

static const struct {
	const char *name;
	enum ct_table_column column;
} heads[] = {
	{"ID", CT_TABLE_ID},
	{"Process ID", CT_TABLE_PROCESS},
	{"Kernel Name", CT_TABLE_KERNEL},
	{"Kernel", CT_TABLE_KERNEL},
	{"Name", CT_TABLE_KERNEL},
	{"Grid Size", CT_TABLE_GRID},
	{"Block Size", CT_TABLE_BLOCK},
	{"Section Name", CT_TABLE_SECTION},
	{"Metric Name", CT_TABLE_METRIC},
	{"Event Name", CT_TABLE_METRIC},
	{"Metric Unit", CT_TABLE_UNIT},
	{"Metric Value", CT_TABLE_VALUE},
	{"Average", CT_TABLE_VALUE},
	{"Avg", CT_TABLE_VALUE},
	{"Invocations", CT_TABLE_INVOCATIONS},
	{"Correlation_ID", CT_TABLE_CORRELATION},
	{"Grid X", CT_TABLE_GRID_X},
	{"Grid Y", CT_TABLE_GRID_Y},
	{"Grid Z", CT_TABLE_GRID_Z},
	{"Block X", CT_TABLE_BLOCK_X},
	{"Block Y", CT_TABLE_BLOCK_Y},
	{"Block Z", CT_TABLE_BLOCK_Z},
};

static int has_column(const int column[CT_TABLE_COLUMNS], enum ct_table_column c)
{
	return column[c] != CT_COLUMN_ABSENT;
}

/* Whether the record is the head of a table, and of which. */
static enum ct_table_form head_form(const struct ct_csv *csv, int column[CT_TABLE_COLUMNS])
{
	for (int i = 0; i < CT_TABLE_COLUMNS; i++)
		column[i] = CT_COLUMN_ABSENT;
	for (size_t i = 0; i < csv->n && i < INT32_MAX; i++)
		for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
			if (strcmp(csv->field[i], heads[k].name) == 0 &&
			    !has_column(column, heads[k].column))
				column[heads[k].column] = (int)i;
	if (has_column(column, CT_TABLE_GRID) != has_column(column, CT_TABLE_BLOCK))
		column[CT_TABLE_GRID] = column[CT_TABLE_BLOCK] = CT_COLUMN_ABSENT;
	for (int i = 1; i < 6; i++) /* all six or none */
		if (!has_column(column, CT_TABLE_GRID_X + i))
			column[CT_TABLE_GRID_X] = CT_COLUMN_ABSENT;
	const int named = has_column(column, CT_TABLE_METRIC) && has_column(column, CT_TABLE_VALUE);
	if (!has_column(column, CT_TABLE_KERNEL))
		return CT_TABLE_NONE;
	if (has_column(column, CT_TABLE_INVOCATIONS) && named)
		return has_column(column, CT_TABLE_PROCESS) ? CT_TABLE_SUMMARY : CT_TABLE_NVPROF;
	if (has_column(column, CT_TABLE_ID))
		return named ? CT_TABLE_DETAILS : CT_TABLE_RAW;
	return has_column(column, CT_TABLE_CORRELATION) ||
	                       (has_column(column, CT_TABLE_GRID_X) && csv->n > 8)
	               ? CT_TABLE_TRACE
	               : CT_TABLE_NONE;
}

static void forget_wide(struct ct_counters_reader *r)
{
	for (size_t i = 0; i < r->n_wide; i++) {
		free(r->wide[i].name);
		free(r->wide[i].unit);
	}
	r->n_wide = 0;
}

/* Notes column `at` of a table with a column per metric. Columns that are no metric of ours are only
 * counted. */
static int add_wide(struct ct_counters_reader *r, size_t at, struct ct_error *e)
{
	const struct ct_quantity *q = ct_quantity_find(r->csv.field[at], NULL, NULL);
	/* nvprof's trace calls the time of a launch so */
	if (!q && r->form == CT_TABLE_TRACE && strcmp(r->csv.field[at], "Duration") == 0)
		q = ct_quantity_find("gpu__time_duration.sum", NULL, NULL);
	if (!q) {
		r->c->odd.unmatched++;
		return CT_OK;
	}
	if (ct_grow((void **)&r->wide, &r->cap_wide, r->n_wide + 1, sizeof *r->wide) != 0)
		return ct_fail_nomem(e);
	struct ct_wide_column *w = &r->wide[r->n_wide];
	*w = (struct ct_wide_column){
		at, q, ct_strndup(r->csv.field[at], strlen(r->csv.field[at])), ct_strndup("", 0)};
	r->n_wide++;
	return w->name && w->unit ? CT_OK : ct_fail_nomem(e);
}

/* A head begins a table: what was known of the one before it is forgotten. */
static int begin_table(struct ct_counters_reader *r, enum ct_table_form form, const int *column,
                       struct ct_error *e)
{
	int st = CT_OK;
	r->form = r->c->form = form;
	memcpy(r->column, column, sizeof r->column);
	r->columns = r->csv.n;
	r->has_units = 0;
	forget_wide(r);
	ct_keyed_free(&r->launches);
	if (form != CT_TABLE_RAW && form != CT_TABLE_TRACE)
		return CT_OK;
	for (size_t i = 0; i < r->csv.n && st == CT_OK; i++) {
		int identity = 0;
		for (int k = 0; k < CT_TABLE_COLUMNS; k++)
			identity |= r->column[k] == (int)i;
		if (!identity)
			st = add_wide(r, i, e);
	}
	return st;
}

/* ---- wide tables: a row per launch ---- */

static int read_units(struct ct_counters_reader *r, struct ct_error *e)
{
	for (size_t i = 0; i < r->n_wide; i++) {
		const char *unit = r->csv.field[r->wide[i].at];
		char *copy = ct_strndup(unit, strlen(unit));
		if (!copy)
			return ct_fail_nomem(e);
		free(r->wide[i].unit);
		r->wide[i].unit = copy;
	}
	r->has_units = 1;
	return CT_OK;
}

/* Reads a row of a table with a column per metric. The row below the head has the units and no
 * launch. */
static int wide_row(struct ct_counters_reader *r, struct ct_error *e)
{
	const char *id = cell_of(r, r->form == CT_TABLE_RAW ? CT_TABLE_ID : CT_TABLE_KERNEL);
	if (!*id) {
		if (r->has_units)
			return fail_at(r, e, "a second row without a launch: the file is damaged", "");
		return read_units(r, e);
	}
	if (strncmp(cell_of(r, CT_TABLE_KERNEL), "[CUDA mem", 9) == 0)
		return CT_OK; /* copies and fills stand in nvprof's trace, too */
	int st = add_row(r, 0, e);
	for (size_t i = 0; st == CT_OK && i < r->n_wide; i++)
		st = take_value(r, r->c->n - 1, r->wide[i].q, r->wide[i].name,
		                r->csv.field[r->wide[i].at], r->wide[i].unit, e);
	return st;
}

/* ---- long tables: a row per launch and metric ---- */

/* The row of the launch that the record is of, which it begins where it is the first. */
static int launch_row(struct ct_counters_reader *r, size_t *at, struct ct_error *e)
{
	const char *pid = cell_of(r, CT_TABLE_PROCESS), *id = cell_of(r, CT_TABLE_ID);
	uint64_t key = CT_FNV_START;
	for (; *pid; pid++)
		key = ct_fnv_byte(key, (unsigned char)*pid);
	for (key = ct_fnv_byte(key, 0); *id; id++)
		key = ct_fnv_byte(key, (unsigned char)*id);
	key >>= 1; /* the largest number is no key */
	if (ct_keyed_reserve(&r->launches, sizeof(struct launch_entry)) != 0)
		return ct_fail_nomem(e);
	struct launch_entry *entry = ct_keyed_find(&r->launches, sizeof *entry, key);
	if (!ct_keyed_is_free(entry)) {
		*at = entry->row;
		return CT_OK;
	}
	int st = add_row(r, 0, e);
	if (st != CT_OK)
		return st;
	*at = r->c->n - 1;
	ct_keyed_enter(&r->launches, entry, key);
	entry->row = *at;
	return CT_OK;
}

/* The row of the kernel in a summary: rows of one kernel follow each other. */
static int summary_row(struct ct_counters_reader *r, size_t *at, struct ct_error *e)
{
	struct ct_counters *c = r->c;
	uint64_t n;
	if (ct_parse_u64_range(cell_of(r, CT_TABLE_INVOCATIONS), 1, UINT64_MAX - 1, &n) != 0)
		return fail_at(r, e, "no count of invocations: ", cell_of(r, CT_TABLE_INVOCATIONS));
	*at = c->n - 1;
	if (c->n > 0 && c->row[*at].invocations == n &&
	    strcmp(c->row[*at].name, cell_of(r, CT_TABLE_KERNEL)) == 0)
		return CT_OK;
	*at = c->n;
	return add_row(r, n, e);
}

static int long_row(struct ct_counters_reader *r, struct ct_error *e)
{
	const char *metric = cell_of(r, CT_TABLE_METRIC), *unit = cell_of(r, CT_TABLE_UNIT);
	const char *section = r->form == CT_TABLE_NVPROF ? NULL : cell_of(r, CT_TABLE_SECTION);
	size_t at = 0;
	int st = r->form == CT_TABLE_DETAILS ? launch_row(r, &at, e) : summary_row(r, &at, e);
	if (st != CT_OK || !*metric) /* rows of rules have no metric */
		return st;
	const struct ct_quantity *q = ct_quantity_find(metric, section, unit);
	if (!q) {
		r->c->odd.unmatched++;
		return CT_OK;
	}
	return take_value(r, at, q, metric, cell_of(r, CT_TABLE_VALUE), unit, e);
}

/* ---- the file ---- */

static int is_blank(const struct ct_csv *csv)
{
	for (size_t i = 0; i < csv->n; i++)
		if (csv->field[i][strspn(csv->field[i], " \t\r")])
			return 0;
	return 1;
}

/* A record while no table is open: a head, or what the program and the profiler printed. */
static int read_outside(struct ct_counters_reader *r, struct ct_error *e)
{
	int column[CT_TABLE_COLUMNS];
	if (r->csv.n && strstr(r->csv.field[0], "ERR_NVGPUCTRPERM"))
		r->forbidden = 1;
	enum ct_table_form form = head_form(&r->csv, column);
	return form == CT_TABLE_NONE ? CT_OK : begin_table(r, form, column, e);
}

/* Reads a record within a table: a new head, or a row with as many fields as the head has. */
static int read_inside(struct ct_counters_reader *r, struct ct_error *e)
{
	int column[CT_TABLE_COLUMNS];
	if (is_blank(&r->csv))
		return CT_OK;
	if (strncmp(r->csv.field[0], "==", 2) ==
	    0) { /* the profiler speaks again: another table may follow */
		r->form = CT_TABLE_NONE;
		return CT_OK;
	}
	enum ct_table_form form = head_form(&r->csv, column);
	if (form != CT_TABLE_NONE)
		return begin_table(r, form, column, e);
	if (r->csv.n != r->columns)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64
		               ": %zu columns where the head has %zu: the file is cut or mixed with "
		               "other output; have the profiler write it with --log-file",
		               r->name, r->csv.row_line, r->csv.n, r->columns);
	return r->form == CT_TABLE_RAW || r->form == CT_TABLE_TRACE ? wide_row(r, e) : long_row(r, e);
}

/* Reads the whole file. What the program printed between the tables is passed over; a file without any
 * table is an error that says how to make one. */
static int read_records(struct ct_counters_reader *r, struct ct_error *e)
{
	int st = CT_OK, any = 0;
	while (st == CT_OK) {
		int more = ct_csv_next(&r->csv, r->form == CT_TABLE_NONE);
		if (r->csv.nomem)
			return ct_fail_nomem(e);
		if (more == 0)
			break;
		if (more == CT_CSV_BROKEN && r->form != CT_TABLE_NONE)
			return fail_at(r, e, "a quote that does not end: the file is cut or no CSV", "");
		if (more == CT_CSV_BROKEN)
			continue;
		st = r->form == CT_TABLE_NONE ? read_outside(r, e) : read_inside(r, e);
		any |= r->form != CT_TABLE_NONE;
	}
	if (st != CT_OK || any)
		return st;
	if (r->forbidden)
		return ct_fail(
			e, CT_ERR_INPUT,
			"%s: the profiler was not permitted to read counters (ERR_NVGPUCTRPERM): no table",
			r->name);
	return ct_fail(e, CT_ERR_INPUT,
	               "%s: no table of a profiler: make it with ncu --csv --page raw, or nvprof --csv",
	               r->name);
}

/* Says of each launch whether its numbers agree with each other. */
static void check_rows(struct ct_counters *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const double *v = c->row[i].value;
		double sum = v[CT_COUNTER_LOAD_HITS] + v[CT_COUNTER_LOAD_MISSES],
		       all = v[CT_COUNTER_LOAD_SECTORS];
		c->odd.torn += fabs(sum - all) > agreement * fmax(sum, all);
		for (int k = CT_COUNTER_L1_HIT_RATE; k <= CT_COUNTER_L2_READ_HIT_RATE; k++)
			c->odd.outside += v[k] < 0 || v[k] > 1;
	}
}

/* UTF-16, which shells of Windows write, becomes ASCII with '?' for all else; a byte-order mark goes. */
static void plain_text(struct ct_buf *b)
{
	const unsigned char *p = (const unsigned char *)b->data;
	size_t to = 0;
	if (b->len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		memmove(b->data, b->data + 3, b->len - 3);
		b->len -= 3;
	} else if (b->len >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff))) {
		const int low = p[0] == 0xff ? 0 : 1;
		for (size_t i = 2; i + 1 < b->len; i += 2)
			b->data[to++] = p[i + 1 - low] || p[i + low] >= 0x80 ? '?' : (char)p[i + low];
		b->len = to;
	}
	/* a NUL would end a field early */
	for (size_t i = 0; i < b->len; i++)
		b->data[i] = b->data[i] ? b->data[i] : '?';
}

/* Reads the file into memory, where a quoted field may go on over lines. */
static int read_whole(struct ct_source *src, struct ct_buf *b, struct ct_error *e)
{
	const char *data;
	size_t n;
	int st;
	while ((st = ct_source_read(src, &data, &n, e)) > 0) {
		if (b->len + n > FILE_MAX)
			return ct_fail(e, CT_ERR_LIMIT, "%s: larger than 1 GiB: profile fewer metrics",
			               ct_source_name(src));
		ct_buf_add(b, data, n);
	}
	if (st == CT_OK) {
		plain_text(b);
		ct_buf_add(b, "", 0); /* a NUL behind the text, also behind none */
	}
	return st == CT_OK ? ct_buf_check(b, e) : st;
}

int ct_counters_read(struct ct_counters **out, struct ct_source *src, struct ct_error *e)
{
	struct ct_buf b = {0};
	struct ct_counters_reader r = {.name = ct_source_name(src)};
	*out = NULL;
	r.c = ct_calloc(1, sizeof *r.c);
	int st = r.c ? read_whole(src, &b, e) : ct_fail_nomem(e);
	if (st == CT_OK) {
		r.csv = (struct ct_csv){.at = b.data, .end = b.data + b.len, .line = 1};
		st = read_records(&r, e);
	}
	forget_wide(&r);
	free(r.wide);
	ct_keyed_free(&r.launches);
	ct_csv_free(&r.csv);
	ct_buf_free(&b);
	if (st != CT_OK) {
		ct_counters_free(r.c);
		return st;
	}
	check_rows(r.c);
	*out = r.c;
	return CT_OK;
}

void ct_counters_free(struct ct_counters *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		free((void *)(uintptr_t)c->row[i].name);
	if (c) {
		free(c->row);
		free(c->rank);
	}
	free(c);
}

size_t ct_counters_count(const struct ct_counters *c)
{
	return c->n;
}

const struct ct_counter_row *ct_counters_at(const struct ct_counters *c, size_t i)
{
	return &c->row[i];
}

const struct ct_counter_oddities *ct_counters_oddities(const struct ct_counters *c)
{
	return &c->odd;
}

const char *ct_counters_form(const struct ct_counters *c)
{
	static const char *const names[] = {
		"", "ncu details", "ncu raw", "ncu summary", "nvprof", "nvprof trace"};
	return names[c->form];
}
