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

int annotate_callgrind(const struct ct_profile *p, const struct annotate_rows *r, struct ct_buf *b,
                       struct ct_error *e)
{
	const struct annotate_row **row = ct_calloc(r->n, sizeof *row);
	uint64_t sum[ANNOTATE_COLUMNS] = {0};
	const char *kernel = NULL;
	unsigned id = 0;
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
	for (size_t i = 0; i < r->n; i++) {
		if (!kernel || strcmp(kernel, row[i]->kernel) != 0) {
			kernel = row[i]->kernel;
			ct_buf_printf(b, "\nfl=%s\nfn=(%u) ", id ? "(1)" : "(1) ???", id + 1);
			put_kernel(b, kernel);
			id++;
		}
		ct_buf_printf(b, "0x%" PRIx64 " %" PRIu64, row[i]->pc, row[i]->line);
		put_counts(b, row[i]->v);
	}
	free(row);
	return ct_buf_check(b, e);
}
