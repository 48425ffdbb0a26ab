#include "pass/private/blame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/mem.h"
#include "trace/sources.h"

/* A static instruction. */
struct inst {
	char *kernel, *opcode;
	char *file; /* of its source, or NULL */
	uint64_t pc;
	uint32_t line;
	uint32_t cells; /* of it: the last, each knows the one before; + 1 */
};

/* It at an array. */
struct cell {
	uint32_t array, before;
	struct ct_blame_counts c;
	struct ct_hist *distance;
};

struct ct_blame {
	struct inst *inst;
	size_t n, cap;
	struct ct_index index;
	struct cell *cell;
	size_t cells, cell_cap;
};

/* A record to be: of an instruction or of an array. */
struct row {
	uint32_t of;    /* instruction, or array */
	uint32_t array; /* of an instruction: the one that it moves most bytes of */
	uint64_t most;  /* so many */
	struct ct_blame_counts c;
	struct ct_hist *distance;
};

void ct_blame_counts_add(struct ct_blame_counts *into, const struct ct_blame_counts *from)
{
	into->requests += from->requests;
	into->sectors += from->sectors;
	into->bytes_moved += from->bytes_moved;
	into->bytes_used += from->bytes_used;
	into->l1_misses += from->l1_misses;
	into->l1_cold += from->l1_cold;
	into->l1_capacity += from->l1_capacity;
	into->l1_conflict += from->l1_conflict;
	into->l1_pending += from->l1_pending;
	into->llc_misses += from->llc_misses;
	into->stall_cycles += from->stall_cycles;
}

struct ct_blame *ct_blame_new(void)
{
	return ct_calloc(1, sizeof(struct ct_blame));
}

void ct_blame_free(struct ct_blame *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++) {
		free(b->inst[i].kernel);
		free(b->inst[i].opcode);
		free(b->inst[i].file);
	}
	for (size_t i = 0; i < b->cells; i++)
		free(b->cell[i].distance);
	free(b->inst);
	free(b->cell);
	ct_index_free(&b->index);
	free(b);
}

/* ---- counting ---- */

static uint64_t hash_of(const char *kernel, const char *opcode, uint64_t pc, uint32_t line)
{
	uint64_t h = CT_FNV_START;
	for (const char *p = kernel; *p; p++)
		h = ct_fnv_byte(h, (unsigned char)*p);
	for (const char *p = opcode; *p; p++)
		h = ct_fnv_byte(h, (unsigned char)*p);
	return ct_mix64(h ^ ct_mix64(pc << 20 ^ line));
}

static uint64_t hash_inst(const void *ctx, uint32_t item)
{
	const struct inst *x = &((const struct ct_blame *)ctx)->inst[item];
	return hash_of(x->kernel, x->opcode, x->pc, x->line);
}

/* Fills in the texts of an instruction: 0, or -1 when out of memory. */
static int name_inst(struct inst *x, const struct ct_kernel *k, const struct ct_sinst *s)
{
	size_t n = 0;
	const char *file = s->line ? ct_sources_find(k->sources, s->pc, &n) : NULL;
	x->kernel = ct_strndup(k->name, strlen(k->name));
	x->opcode = ct_strndup(s->opcode, strlen(s->opcode));
	x->file = file ? ct_strndup(file, n) : NULL;
	if (x->kernel && x->opcode && (x->file || !file))
		return 0;
	free(x->kernel);
	free(x->opcode);
	free(x->file);
	return -1;
}

/* Number of the instruction, a new one if need be; UINT32_MAX: out of memory. */
static uint32_t inst_of(struct ct_blame *b, const struct ct_kernel *k, const struct ct_sinst *s)
{
	const char *kernel = k->name;
	uint32_t found;
	uint64_t h = hash_of(kernel, s->opcode, s->pc, s->line);
	if (ct_index_reserve(&b->index, (uint32_t)b->n, hash_inst, b) < 0 ||
	    ct_grow((void **)&b->inst, &b->cap, b->n + 1, sizeof *b->inst) < 0)
		return UINT32_MAX;
	for (; (found = ct_index_at(&b->index, h)) != 0; h++) {
		const struct inst *x = &b->inst[found - 1];
		if (x->pc == s->pc && x->line == s->line && strcmp(x->opcode, s->opcode) == 0 &&
		    strcmp(x->kernel, kernel) == 0)
			return found - 1;
	}
	struct inst *x = &b->inst[b->n];
	*x = (struct inst){.pc = s->pc, .line = s->line};
	if (name_inst(x, k, s) < 0)
		return UINT32_MAX;
	ct_index_put(&b->index, h, (uint32_t)b->n);
	return (uint32_t)b->n++;
}

static struct cell *cell_of(struct ct_blame *b, struct inst *x, uint32_t array)
{
	for (uint32_t i = x->cells; i; i = b->cell[i - 1].before)
		if (b->cell[i - 1].array == array)
			return &b->cell[i - 1];
	if (ct_grow((void **)&b->cell, &b->cell_cap, b->cells + 1, sizeof *b->cell) < 0)
		return NULL;
	struct cell *c = &b->cell[b->cells];
	*c = (struct cell){.array = array, .before = x->cells};
	if (!(c->distance = ct_calloc(1, sizeof *c->distance)))
		return NULL;
	x->cells = (uint32_t)++b->cells;
	return c;
}

int ct_blame_add(struct ct_blame *b, const struct ct_kernel *k, const struct ct_sinst *s, uint32_t array,
                 const struct ct_blame_counts *c, const struct ct_hist *distance, struct ct_error *e)
{
	uint32_t i = inst_of(b, k, s);
	struct cell *cell = i == UINT32_MAX ? NULL : cell_of(b, &b->inst[i], array);
	if (!cell)
		return ct_fail_nomem(e);
	ct_blame_counts_add(&cell->c, c);
	if (distance)
		ct_hist_merge(cell->distance, distance);
	return CT_OK;
}

/* ---- records ---- */

/* The distance that this share of the accesses has at most; first touches are infinitely far. */
static void quantile_text(const struct ct_hist *h, double share, char text[24])
{
	uint64_t total = ct_hist_total(h), below = 0;
	unsigned bin = 0;
	if (!total) {
		strcpy(text, "NA");
		return;
	}
	double wanted = share * (double)total;
	while (bin < CT_HIST_BINS && (double)(below += h->count[bin]) < wanted)
		bin++;
	if (bin == CT_HIST_BINS)
		strcpy(text, "inf");
	else
		snprintf(text, 24, "%" PRIu64, ct_hist_lo(bin));
}

enum { COUNTS = 13, COUNT_TEXT = 24 };

/* The fields from requests on. */
static void texts_of(const struct row *r, char text[COUNTS][COUNT_TEXT])
{
	const struct ct_blame_counts *c = &r->c;
	const uint64_t v[COUNTS - 3] = {
		c->requests, c->sectors,     c->bytes_moved, c->bytes_used, c->l1_misses,
		c->l1_cold,  c->l1_capacity, c->l1_conflict, c->l1_pending, c->llc_misses};
	for (int i = 0; i < COUNTS - 3; i++)
		snprintf(text[i], COUNT_TEXT, "%" PRIu64, v[i]);
	quantile_text(r->distance, 0.5, text[COUNTS - 3]);
	quantile_text(r->distance, 0.9, text[COUNTS - 2]);
	snprintf(text[COUNTS - 1], COUNT_TEXT, "%" PRIu64, c->stall_cycles);
}

/* Writes an instruction's PC record. Its array is the one of which it moved most bytes. */
static int write_inst(const struct ct_blame *b, const struct ct_layout *arrays, const char *scope,
                      const struct row *r, struct ct_profile *p, struct ct_error *e)
{
	const struct inst *x = &b->inst[r->of];
	char pc[24], line[16], text[COUNTS][COUNT_TEXT];
	const char *field[6 + COUNTS + 1] = {scope, x->kernel, pc, x->opcode, line};
	struct ct_buf name = {0};
	ct_layout_name(arrays, r->array, &name);
	if (name.failed) {
		ct_buf_free(&name);
		return ct_fail_nomem(e);
	}
	field[5] = name.data;
	snprintf(pc, sizeof pc, "%" PRIu64, x->pc);
	snprintf(line, sizeof line, "%" PRIu32, x->line);
	texts_of(r, text);
	for (int i = 0; i < COUNTS; i++)
		field[6 + i] = text[i];
	field[6 + COUNTS] = x->file;
	int st = ct_profile_add(p, "PC", 6 + COUNTS + (x->file != NULL), field, e);
	ct_buf_free(&name);
	return st;
}

/* Writes an array's AR record, with its first and last address. */
static int write_array(const struct ct_layout *arrays, const char *scope, const struct row *r,
                       struct ct_profile *p, struct ct_error *e)
{
	char first[24], last[24], text[COUNTS][COUNT_TEXT];
	const char *field[4 + COUNTS] = {scope, NULL, first, last};
	uint64_t lo, end;
	struct ct_buf name = {0};
	ct_layout_name(arrays, r->of, &name);
	if (name.failed) {
		ct_buf_free(&name);
		return ct_fail_nomem(e);
	}
	field[1] = name.data;
	ct_layout_range(arrays, r->of, &lo, &end);
	snprintf(first, sizeof first, "%" PRIu64, lo);
	snprintf(last, sizeof last, "%" PRIu64, end > lo ? end - 1 : end);
	texts_of(r, text);
	for (int i = 0; i < COUNTS; i++)
		field[4 + i] = text[i];
	int st = ct_profile_add(p, "AR", 4 + COUNTS, field, e);
	ct_buf_free(&name);
	return st;
}

/* What costs most first: cycles that wait for it, then misses, then work. */
static int by_cost(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const uint64_t of_x[] = {x->c.stall_cycles, x->c.llc_misses, x->c.l1_misses, x->c.sectors,
	                         x->c.requests},
		       of_y[] = {y->c.stall_cycles, y->c.llc_misses, y->c.l1_misses, y->c.sectors,
	                         y->c.requests};
	for (size_t i = 0; i < sizeof of_x / sizeof of_x[0]; i++)
		if (of_x[i] != of_y[i])
			return of_x[i] < of_y[i] ? 1 : -1;
	return x->of < y->of ? -1 : x->of > y->of;
}

/* Adds a cell to a row, whose histogram is made with its first. */
static int add_cell(struct row *r, const struct cell *c)
{
	if (!r->distance && !(r->distance = ct_calloc(1, sizeof *r->distance)))
		return -1;
	ct_blame_counts_add(&r->c, &c->c);
	ct_hist_merge(r->distance, c->distance);
	return 0;
}

/* Sums the cells of instruction and array up to a row for each instruction and a row for each array. */
static int make_rows(const struct ct_blame *b, const struct ct_layout *arrays, struct row *inst,
                     struct row *array)
{
	for (size_t i = 0; i < b->n; i++) {
		struct row *r = &inst[i];
		r->of = (uint32_t)i;
		r->array = CT_LAYOUT_NONE;
		for (uint32_t k = b->inst[i].cells; k; k = b->cell[k - 1].before) {
			const struct cell *c = &b->cell[k - 1];
			uint32_t root = ct_layout_root(arrays, c->array);
			array[root].of = root;
			if (add_cell(r, c) < 0 || add_cell(&array[root], c) < 0)
				return -1;
			if (c->c.bytes_moved >= r->most) {
				r->most = c->c.bytes_moved;
				r->array = root;
			}
		}
	}
	return 0;
}

int ct_blame_write(struct ct_blame *b, const struct ct_layout *arrays, const char *scope,
                   struct ct_profile *p, struct ct_error *e)
{
	uint32_t n = ct_layout_count(arrays);
	struct row *inst = ct_calloc(b->n, sizeof *inst), *array = ct_calloc(n, sizeof *array);
	int st = inst && array && make_rows(b, arrays, inst, array) == 0 ? CT_OK : ct_fail_nomem(e);
	if (st == CT_OK) {
		qsort(inst, b->n, sizeof *inst, by_cost);
		qsort(array, n, sizeof *array, by_cost);
	}
	for (size_t i = 0; st == CT_OK && i < b->n; i++)
		if (inst[i].distance)
			st = write_inst(b, arrays, scope, &inst[i], p, e);
	for (uint32_t i = 0; st == CT_OK && i < n; i++)
		if (array[i].distance)
			st = write_array(arrays, scope, &array[i], p, e);
	for (size_t i = 0; inst && i < b->n; i++)
		free(inst[i].distance);
	for (uint32_t i = 0; array && i < n; i++)
		free(array[i].distance);
	free(inst);
	free(array);
	return st;
}
