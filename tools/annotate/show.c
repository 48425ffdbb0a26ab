#include "annotate/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "common/kernel_name.h"

enum { CELL = 48, GAP = 2, WIDTH = 80, COLUMNS_MAX = 64 };

/* Columns in the order in which they are shown, each with its rank: the highest goes first where there is no room. */
enum column {
	COL_WAIT,
	COL_LAUNCH,
	COL_KERNEL,
	COL_PC,
	COL_LINE,
	COL_OPCODE,
	COL_ARRAY,
	COL_REQUESTS,
	COL_PER_REQUEST,
	COL_USED,
	COL_L1,
	COL_WHY,
	COL_PENDING,
	COL_LLC,
	COL_P50,
	COL_P90,
	COL_FIXED
};
static const struct {
	const char *head;
	unsigned rank;
} column[COL_FIXED] = {
	[COL_WAIT] = {"waits", 0},        [COL_LAUNCH] = {"launch", 1},
	[COL_KERNEL] = {"kernel", 2},     [COL_PC] = {"pc", 1},
	[COL_LINE] = {"line", 1},         [COL_OPCODE] = {"opcode", 1},
	[COL_ARRAY] = {"array", 3},       [COL_REQUESTS] = {"requests", 9},
	[COL_PER_REQUEST] = {"s/req", 5}, [COL_USED] = {"used", 6},
	[COL_L1] = {"L1 miss", 3},        [COL_WHY] = {"why", 4},
	[COL_PENDING] = {"pending", 10},  [COL_LLC] = {"LLC miss", 4},
	[COL_P50] = {"reuse", 7},         [COL_P90] = {"9 in 10", 11},
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

static void percent(char text[CELL], double v)
{
	if (isnan(v))
		strcpy(text, "-");
	else
		snprintf(text, CELL, "%.1f %%", 100 * v);
}

/* A name in at most `room` characters, its end dropped. */
static void cut(char text[CELL], const char *name, int room)
{
	size_t n = strlen(name);
	if (n <= (size_t)room)
		snprintf(text, CELL, "%s", name);
	else
		snprintf(text, CELL, "%.*s..", room - 2, name);
}

/* "atax.cu:17" of a file in any folder, "17" without a file. */
static void line_cell(char text[CELL], const struct annotate_row *r)
{
	enum { ROOM = 16 };
	const char *slash = r->file ? strrchr(r->file, '/') : NULL, *name = slash ? slash + 1 : r->file;
	char file[CELL];
	if (!r->line)
		strcpy(text, "-");
	else if (!name || !*name)
		snprintf(text, CELL, "%" PRIu64, r->line);
	else {
		cut(file, name, ROOM);
		snprintf(text, CELL, "%.*s:%" PRIu64, ROOM, file, r->line);
	}
}

/* An array that has no name by the end of its address: the whole range is in the records. */
static void array_name(char text[CELL], const char *name)
{
	enum { DIGITS = 8 };
	const char *plus = strchr(name, '+');
	if (strncmp(name, "0x", 2) != 0 || !plus || plus - name <= DIGITS + 2)
		cut(text, name, 14);
	else
		snprintf(text, CELL, "..%.*s", DIGITS, plus - DIGITS);
}

static void distance(char text[CELL], const struct annotate_row *r, unsigned which)
{
	if (!r->reuse)
		strcpy(text, "-");
	else if (r->v[which] == UINT64_MAX)
		strcpy(text, "never");
	else
		snprintf(text, CELL, "%" PRIu64, r->v[which]);
}

/* Most misses are of this kind. */
static const char *why(const struct annotate_row *r)
{
	uint64_t cold = r->v[ANNOTATE_COLD], capacity = r->v[ANNOTATE_CAPACITY],
		 conflict = r->v[ANNOTATE_CONFLICT];
	if (!r->v[ANNOTATE_L1])
		return "-";
	return cold >= capacity && cold >= conflict ? "cold"
	       : capacity >= conflict               ? "capacity"
	                                            : "conflict";
}

/* -1: out of memory. */
static int kernel_cell(char text[CELL], const char *kernel, int room)
{
	struct ct_buf name = {0};
	if (kernel)
		ct_kernel_name_short(&name, kernel);
	cut(text, name.len ? name.data : "-", room);
	int st = name.failed ? -1 : 0;
	ct_buf_free(&name);
	return st;
}

/* Columns of a kernel's name in tables of instructions and of kernels. */
static int kernel_room(const struct annotate_rows *all)
{
	return all->by == ANNOTATE_BY_PC ? 16 : 28;
}

static int cell(char text[CELL], const struct annotate_rows *all, const struct annotate_row *r,
                unsigned c)
{
	const uint64_t *v = r->v;
	switch (c) {
	case COL_WAIT: percent(text, share(v[ANNOTATE_STALL], all->total.v[ANNOTATE_STALL])); break;
	case COL_LAUNCH: snprintf(text, CELL, "%" PRIu64, r->launch); break;
	case COL_KERNEL: return kernel_cell(text, r->kernel, kernel_room(all));
	case COL_PC: snprintf(text, CELL, "%04" PRIx64, r->pc); break;
	case COL_LINE: line_cell(text, r); break;
	case COL_OPCODE: cut(text, r->opcode ? r->opcode : "-", 12); break;
	case COL_ARRAY:
		if (all->by == ANNOTATE_BY_PC)
			array_name(text, r->array);
		else
			cut(text, r->array ? r->array : "-", 28);
		break;
	case COL_REQUESTS: snprintf(text, CELL, "%" PRIu64, v[ANNOTATE_REQUESTS]); break;
	case COL_PER_REQUEST:
		if (v[ANNOTATE_REQUESTS] && v[ANNOTATE_SECTORS])
			snprintf(text, CELL, "%.1f", share(v[ANNOTATE_SECTORS], v[ANNOTATE_REQUESTS]));
		else
			strcpy(text, "-");
		break;
	case COL_USED: percent(text, share(v[ANNOTATE_USED], v[ANNOTATE_MOVED])); break;
	case COL_L1: percent(text, share(v[ANNOTATE_L1], v[ANNOTATE_SECTORS])); break;
	case COL_WHY: snprintf(text, CELL, "%s", why(r)); break;
	case COL_PENDING: percent(text, share(v[ANNOTATE_PENDING], v[ANNOTATE_SECTORS])); break;
	case COL_LLC: percent(text, share(v[ANNOTATE_LLC], all->total.v[ANNOTATE_LLC])); break;
	case COL_P50: distance(text, r, ANNOTATE_P50); break;
	default: distance(text, r, ANNOTATE_P90); break;
	}
	return 0;
}

static void mechanism_cell(char text[CELL], const struct annotate_row *r, unsigned i)
{
	if (!r->mechanism || isnan(r->mechanism[i]))
		strcpy(text, "-");
	else
		snprintf(text, CELL, "%.0f", r->mechanism[i]);
}

/* Whether the column tells anything: names that a row of its kind has, lines where the trace knows them. */
static int applies(const struct annotate_rows *r, unsigned c)
{
	if (c == COL_LAUNCH)
		return r->per_launch || r->first_launch;
	if (c == COL_KERNEL)
		return r->by != ANNOTATE_BY_ARRAY;
	if (c == COL_PC || c == COL_OPCODE)
		return r->by == ANNOTATE_BY_PC;
	if (c == COL_ARRAY)
		return r->by != ANNOTATE_BY_KERNEL;
	if (c == COL_P50 || c == COL_P90)
		return r->by != ANNOTATE_BY_KERNEL;
	for (size_t i = 0; c == COL_LINE && i < r->n; i++)
		if (r->row[i].line)
			return 1;
	return c != COL_LINE;
}

/* What a table of those rows consists of: cells in rows, the head first, and which columns have room. */
struct grid {
	unsigned columns;
	size_t rows;
	char (*text)[CELL];
	size_t width[COLUMNS_MAX];
	int shown[COLUMNS_MAX];
};

/* Leaves columns out until the rest has room. Mechanisms' columns are what was asked for: they stay. */
static void fit(struct grid *g, unsigned width)
{
	for (;;) {
		size_t sum = 0;
		unsigned worst = COL_FIXED;
		for (unsigned c = 0; c < g->columns; c++) {
			if (!g->shown[c])
				continue;
			sum += g->width[c] + (sum ? GAP : 0);
			if (c < COL_FIXED && column[c].rank &&
			    (worst == COL_FIXED || column[c].rank > column[worst].rank))
				worst = c;
		}
		if (sum <= width || worst == COL_FIXED)
			return;
		g->shown[worst] = 0;
	}
}

static const char *head_of(const struct annotate_rows *r, unsigned c)
{
	return c == COL_LAUNCH && r->first_launch ? "first launch" : column[c].head;
}

static int fill(struct grid *g, const struct annotate_rows *r, const struct annotate_mechanisms *m)
{
	int st = 0;
	for (size_t i = 0; i < g->rows; i++)
		for (unsigned c = 0; c < g->columns; c++) {
			char *text = g->text[i * g->columns + c];
			if (i == 0)
				cut(text, c < COL_FIXED ? head_of(r, c) : m->name[c - COL_FIXED], 20);
			else if (c < COL_FIXED)
				st |= cell(text, r, &r->row[i - 1], c);
			else
				mechanism_cell(text, &r->row[i - 1], c - COL_FIXED);
			size_t n = strlen(text);
			g->width[c] = n > g->width[c] ? n : g->width[c];
		}
	for (unsigned c = 0; c < g->columns; c++)
		g->shown[c] = c >= COL_FIXED || applies(r, c);
	return st;
}

static void draw(const struct grid *g, const struct ct_table_style *style, struct ct_buf *b)
{
	struct ct_table t = {.style = style};
	for (unsigned c = 0; c < g->columns; c++)
		t.columns += (unsigned)g->shown[c];
	for (size_t i = 0; i < g->rows; i++)
		for (unsigned c = 0; c < g->columns; c++)
			if (g->shown[c])
				ct_table_cell(&t, "%s", g->text[i * g->columns + c]);
	ct_table_render(&t, b);
}

static size_t shown_rows(const struct annotate_rows *r, size_t top)
{
	return top && top < r->n ? top : r->n;
}

/* Whether two kernels of the first n rows look the same where their names are cut; -1: out of memory. */
static int look_alike(const struct annotate_rows *r, size_t n)
{
	char text[2][CELL];
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			const char *a = r->row[i].kernel, *b = r->row[k].kernel;
			if (!a || !b || strcmp(a, b) == 0)
				continue;
			if (kernel_cell(text[0], a, kernel_room(r)) < 0 ||
			    kernel_cell(text[1], b, kernel_room(r)) < 0)
				return -1;
			if (strcmp(text[0], text[1]) == 0)
				return 1;
		}
	return 0;
}

int annotate_tell_apart(struct annotate_rows *r, size_t top, const struct ct_profile *p,
                        struct ct_error *e)
{
	enum { ID, NAME };
	const size_t n = shown_rows(r, top);
	const struct ct_record *k;
	int alike = r->per_launch || r->by == ANNOTATE_BY_ARRAY ? 0 : look_alike(r, n);
	if (alike < 0)
		return ct_fail_nomem(e);
	for (size_t i = 0; alike && (k = ct_profile_next(p, "KN", &i));)
		for (size_t row = 0; row < n; row++)
			if (!r->row[row].launch && r->row[row].kernel && k->nfields > NAME &&
			    strcmp(r->row[row].kernel, k->field[NAME]) == 0)
				(void)ct_field_count(k->field[ID], &r->row[row].launch);
	r->first_launch = alike;
	return CT_OK;
}

/* How much of the waiting the rows are that were shown. */
static void sentence(const struct annotate_rows *r, size_t n, struct ct_buf *b)
{
	static const char *const what[] = {"instructions", "arrays", "kernels"};
	uint64_t stall = 0, llc = 0;
	for (size_t i = 0; i < n; i++) {
		stall += r->row[i].v[ANNOTATE_STALL];
		llc += r->row[i].v[ANNOTATE_LLC];
	}
	ct_buf_printf(
		b,
		"\n%zu of %zu %s: %.1f %% of the cycles that warps wait for memory, %.1f %% of the LLC's misses\n",
		n, r->n, what[r->by],
		r->total.v[ANNOTATE_STALL] ? 100 * share(stall, r->total.v[ANNOTATE_STALL]) : 0,
		r->total.v[ANNOTATE_LLC] ? 100 * share(llc, r->total.v[ANNOTATE_LLC]) : 0);
}

int annotate_table(const struct annotate_rows *r, const struct annotate_mechanisms *m, size_t top,
                   const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	struct grid g = {.columns = COL_FIXED + m->n, .rows = shown_rows(r, top) + 1};
	if (g.columns > COLUMNS_MAX || !(g.text = ct_calloc(g.rows * g.columns, sizeof *g.text)))
		return ct_fail_nomem(e);
	if (fill(&g, r, m) < 0)
		b->failed = 1;
	fit(&g, style->width ? style->width : WIDTH);
	draw(&g, style, b);
	sentence(r, g.rows - 1, b);
	free(g.text);
	return ct_buf_check(b, e);
}

/* ---- CSV ---- */

static void csv_text(struct ct_buf *b, const char *s)
{
	ct_escape_csv(b, s ? s : "");
	ct_buf_putc(b, ',');
}

static void csv_counts(const struct annotate_row *r, const struct annotate_mechanisms *m,
                       struct ct_buf *b)
{
	for (unsigned i = 0; i < ANNOTATE_COLUMNS; i++) {
		int of_reuse = i == ANNOTATE_P50 || i == ANNOTATE_P90;
		if (i)
			ct_buf_putc(b, ',');
		if (of_reuse && !r->reuse)
			ct_buf_puts(b, "NA");
		else if (of_reuse && r->v[i] == UINT64_MAX)
			ct_buf_puts(b, "inf");
		else
			ct_buf_printf(b, "%" PRIu64, r->v[i]);
	}
	for (unsigned i = 0; i < m->n; i++) {
		ct_buf_putc(b, ',');
		ct_buf_real(b, r->mechanism ? r->mechanism[i] : NAN);
	}
}

/* Whether a row names its source file: only then there is a column for it. */
static int has_files(const struct annotate_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->row[i].file)
			return 1;
	return 0;
}

int annotate_csv(const struct annotate_rows *r, const struct annotate_mechanisms *m, size_t top,
                 struct ct_buf *b, struct ct_error *e)
{
	static const char *const head[] = {
		"kernel,pc,opcode,line,array,", "array,first,last,", "kernel,"};
	const int files = has_files(r);
	ct_buf_puts(b, r->per_launch ? "launch," : "");
	ct_buf_puts(b, head[r->by]);
	for (unsigned i = 0; i < ANNOTATE_COLUMNS; i++)
		ct_buf_printf(b, "%s%s", i ? "," : "", annotate_column_name(i));
	for (unsigned i = 0; i < m->n; i++)
		ct_buf_printf(b, ",%s_hits", m->name[i]);
	ct_buf_puts(b, files ? ",file\r\n" : "\r\n");
	for (size_t i = 0; i < shown_rows(r, top); i++) {
		const struct annotate_row *row = &r->row[i];
		if (r->per_launch)
			ct_buf_printf(b, "%" PRIu64 ",", row->launch);
		csv_text(b, r->by == ANNOTATE_BY_ARRAY ? row->array : row->kernel);
		if (r->by == ANNOTATE_BY_PC) {
			ct_buf_printf(b, "%" PRIu64 ",", row->pc);
			csv_text(b, row->opcode);
			ct_buf_printf(b, "%" PRIu64 ",", row->line);
			csv_text(b, row->array);
		} else if (r->by == ANNOTATE_BY_ARRAY) {
			ct_buf_printf(b, "%" PRIu64 ",%" PRIu64 ",", row->first, row->last);
		}
		csv_counts(row, m, b);
		if (files) {
			ct_buf_putc(b, ',');
			ct_escape_csv(b, row->file ? row->file : "NA");
		}
		ct_buf_puts(b, "\r\n");
	}
	return ct_buf_check(b, e);
}
