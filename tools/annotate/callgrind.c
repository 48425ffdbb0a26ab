/* The format is described in Valgrind's manual, "Callgrind Format Specification". One part, absolute positions, and
 * every name defined where it comes first: what both readers take alike. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/show.h"
#include "base/mem.h"
#include "common/kernel_name.h"

static const struct {
	const char *name, *title;
	enum annotate_column column;
} event[] = {
	{"Wait", "cycles that warps wait for it", ANNOTATE_STALL},
	{"L1m", "L1 sector misses", ANNOTATE_L1},
	{"LLm", "LLC sector misses", ANNOTATE_LLC},
	{"Sect", "L1 sector accesses", ANNOTATE_SECTORS},
	{"Req", "requests", ANNOTATE_REQUESTS},
	{"Byte", "bytes moved", ANNOTATE_MOVED},
};
enum { EVENTS = sizeof event / sizeof event[0] };

/* A text on one line; a name must not look like "(1)", which would be an id. */
static void put_line(struct ct_buf *b, const char *s)
{
	if (s[0] == '(' && s[1] >= '0' && s[1] <= '9')
		ct_buf_putc(b, '_');
	for (; *s; s++)
		ct_buf_putc(b, (unsigned char)*s < ' ' ? '?' : *s);
	ct_buf_putc(b, '\n');
}

static void put_kernel(struct ct_buf *b, const char *raw)
{
	struct ct_buf name = {0};
	ct_kernel_name_full(&name, raw);
	b->failed |= name.failed;
	put_line(b, name.len ? name.data : "?");
	ct_buf_free(&name);
}

static int by_place(const void *a, const void *b)
{
	const struct annotate_row *x = *(const struct annotate_row *const *)a,
				  *y = *(const struct annotate_row *const *)b;
	int c = strcmp(x->kernel, y->kernel);
	return c ? c : x->pc < y->pc ? -1 : x->pc > y->pc ? 1 : strcmp(x->opcode, y->opcode);
}

static void put_counts(struct ct_buf *b, const uint64_t v[ANNOTATE_COLUMNS])
{
	for (unsigned i = 0; i < EVENTS; i++)
		ct_buf_printf(b, " %" PRIu64, v[event[i].column]);
	ct_buf_putc(b, '\n');
}

/* Names of files that have been written, whose places in the list are their numbers. */
struct files {
	const char **name;
	size_t n, cap;
};

/* "fl=(2) atax.cu", or "fl=(2)" where that name has come before. -1: out of memory. */
static int put_file(struct files *f, const char *key, const char *name, struct ct_buf *b)
{
	size_t i = 0;
	name = name ? name : "???";
	while (i < f->n && strcmp(f->name[i], name) != 0)
		i++;
	ct_buf_printf(b, "%s=(%zu)", key, i + 1);
	if (i < f->n) {
		ct_buf_putc(b, '\n');
		return 0;
	}
	if (ct_grow((void **)&f->name, &f->cap, f->n + 1, sizeof *f->name) < 0)
		return -1;
	f->name[f->n++] = name;
	ct_buf_putc(b, ' ');
	put_line(b, name);
	return 0;
}

/* Rows of the first one's kernel, of n that are of several. */
static size_t rows_of_kernel(const struct annotate_row *const *row, size_t n)
{
	size_t i = 1;
	while (i < n && strcmp(row[i]->kernel, row[0]->kernel) == 0)
		i++;
	return i;
}

/* The file that most of n rows name, of such the first; NULL where none does. */
static const char *usual_file(const struct annotate_row *const *row, size_t n)
{
	const char *best = NULL;
	size_t most = 0;
	for (size_t i = 0; i < n && most < n - i; i++) {
		size_t same = 0;
		for (size_t k = i; row[i]->file && k < n; k++)
			same += row[k]->file && strcmp(row[k]->file, row[i]->file) == 0;
		if (same > most) {
			most = same;
			best = row[i]->file;
		}
	}
	return best;
}

static void put_head(const struct ct_profile *p, const uint64_t sum[ANNOTATE_COLUMNS], struct ct_buf *b)
{
	const struct ct_record *r;
	size_t i = 0;
	ct_buf_puts(b, "# callgrind format\nversion: 1\ncreator: cachetriage\n");
	if ((r = ct_profile_next(p, "TR", &i))) {
		ct_buf_puts(b, "cmd: ");
		put_line(b, r->field[0]);
	}
	ct_buf_puts(b, "part: 1\n");
	if (ct_profile_gp(p, "name")) {
		ct_buf_puts(b, "desc: GPU: ");
		put_line(b, ct_profile_gp(p, "name"));
	}
	ct_buf_puts(b, "positions: instr line\n");
	for (unsigned k = 0; k < EVENTS; k++)
		ct_buf_printf(b, "event: %s : %s\n", event[k].name, event[k].title);
	ct_buf_puts(b, "events:");
	for (unsigned k = 0; k < EVENTS; k++)
		ct_buf_printf(b, " %s", event[k].name);
	ct_buf_puts(b, "\nsummary:");
	put_counts(b, sum);
}

/* Writes the kernels, each with its instructions. A kernel may have lines of several files: of inlined functions. */
static void put_rows(const struct annotate_row *const *row, size_t n, struct ct_buf *b)
{
	struct files files = {0};
	const char *kernel = NULL, *of_kernel = NULL, *now = NULL;
	unsigned id = 0;
	int st = 0;
	for (size_t i = 0; i < n && st == 0; i++) {
		if (!kernel || strcmp(kernel, row[i]->kernel) != 0) {
			kernel = row[i]->kernel;
			now = of_kernel = usual_file(row + i, rows_of_kernel(row + i, n - i));
			ct_buf_putc(b, '\n');
			st = put_file(&files, "fl", now, b);
			ct_buf_printf(b, "fn=(%u) ", ++id);
			put_kernel(b, kernel);
		}
		const char *file = row[i]->file ? row[i]->file : of_kernel;
		if (st == 0 && file && strcmp(file, now) != 0) {
			st = put_file(&files, strcmp(file, of_kernel) == 0 ? "fe" : "fi", file, b);
			now = file;
		}
		ct_buf_printf(b, "0x%" PRIx64 " %" PRIu64, row[i]->pc, row[i]->line);
		put_counts(b, row[i]->v);
	}
	b->failed |= st < 0;
	free(files.name);
}

int annotate_callgrind(const struct ct_profile *p, const struct annotate_rows *r, struct ct_buf *b,
                       struct ct_error *e)
{
	const struct annotate_row **row = ct_calloc(r->n, sizeof *row);
	uint64_t sum[ANNOTATE_COLUMNS] = {0};
	if (!row)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < r->n; i++) {
		row[i] = &r->row[i];
		for (unsigned k = 0; k < ANNOTATE_COLUMNS; k++)
			sum[k] += row[i]->v[k];
	}
	if (r->n)
		qsort(row, r->n, sizeof *row, by_place);
	put_head(p, sum, b);
	put_rows((const struct annotate_row *const *)row, r->n, b);
	free(row);
	return ct_buf_check(b, e);
}
