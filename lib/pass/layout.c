#include "pass/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	PAGE = 4096, /* bytes; what a touch makes known */
	GAP = 16 *
	      PAGE, /* bytes between two clusters at which they are one: programs skip pages of an array */
	CLUSTERS = 4096 /* beyond so many, a page joins the nearest */
};

struct array {
	uint64_t first, end; /* both 0: none, or gone into another */
	uint32_t into;       /* itself, or what it has gone into */
	int declared;
	char *name; /* or NULL */
};

struct ct_layout {
	struct array *a;
	size_t n, cap;
	uint32_t *order; /* those with a range, by their first bytes */
	size_t live, live_cap;
	size_t clusters;
	int failed;
};

static int new_array(struct ct_layout *a, struct array with, uint32_t *id)
{
	if (a->n >= UINT32_MAX || ct_grow((void **)&a->a, &a->cap, a->n + 1, sizeof *a->a) < 0)
		return -1;
	*id = (uint32_t)a->n++;
	with.into = *id;
	a->a[*id] = with;
	return 0;
}

struct ct_layout *ct_layout_new(struct ct_error *e)
{
	struct ct_layout *a = ct_calloc(1, sizeof *a);
	uint32_t id;
	for (int i = 0; a && i < CT_LAYOUT_FIRST; i++)
		if (new_array(a, (struct array){0}, &id) < 0) {
			ct_layout_free(a);
			a = NULL;
		}
	if (!a)
		ct_fail_nomem(e);
	return a;
}

void ct_layout_free(struct ct_layout *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		free(a->a[i].name);
	free(a->a);
	free(a->order);
	free(a);
}

static struct array *array_at(const struct ct_layout *a, size_t place)
{
	return &a->a[a->order[place]];
}

/* The first place whose array begins above the address. */
static size_t place_above(const struct ct_layout *a, uint64_t address)
{
	size_t lo = 0, hi = a->live;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (array_at(a, mid)->first <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Puts an array that has got a range among the others. */
static int enlist_array(struct ct_layout *a, uint32_t id)
{
	size_t place = place_above(a, a->a[id].first);
	if (ct_grow((void **)&a->order, &a->live_cap, a->live + 1, sizeof *a->order) < 0)
		return -1;
	memmove(a->order + place + 1, a->order + place, (a->live - place) * sizeof *a->order);
	a->order[place] = id;
	a->live++;
	a->clusters += !a->a[id].declared;
	return 0;
}

/* What is at the place goes into the array `into`, which may be itself. */
static void take_out(struct ct_layout *a, size_t place, uint32_t into)
{
	struct array *gone = array_at(a, place);
	a->clusters -= !gone->declared;
	gone->into = into;
	gone->first = gone->end = 0;
	a->live--;
	memmove(a->order + place, a->order + place + 1, (a->live - place) * sizeof *a->order);
}

/* ---- declared arrays ---- */

static int set_name(struct array *x, const char *name)
{
	if (x->name || !name || !*name)
		return 0;
	x->name = ct_strndup(name, strlen(name));
	return x->name ? 0 : -1;
}

/* The place of the first array that may overlap what begins there. */
static size_t first_overlap(const struct ct_layout *a, uint64_t first)
{
	size_t i = place_above(a, first);
	return i && array_at(a, i - 1)->end > first ? i - 1 : i;
}

/* Makes [first, end) free for the array `id`: declared arrays in it become part of that one, clusters leave it. */
static int clear_range(struct ct_layout *a, uint32_t id, uint64_t first, uint64_t end)
{
	uint32_t rest;
	for (size_t i = first_overlap(a, first); i < a->live && array_at(a, i)->first < end;) {
		struct array *x = array_at(a, i), above = {.first = end, .end = x->end};
		if (x->declared || (x->first >= first && x->end <= end)) {
			take_out(a, i, id);
		} else if (x->first >= first) {
			x->first = end;
			i++;
		} else {
			x->end = first;
			i++;
			if (above.end > end &&
			    (new_array(a, above, &rest) < 0 || enlist_array(a, rest) < 0))
				return -1;
		}
	}
	return 0;
}

/* The declared array that covers all of [first, end), or CT_LAYOUT_NONE; widens the two by those that overlap them
 * in part. */
static uint32_t widen_range(const struct ct_layout *a, uint64_t *first, uint64_t *end)
{
	uint64_t lo = *first, hi = *end;
	for (size_t i = first_overlap(a, lo); i < a->live && array_at(a, i)->first < hi; i++) {
		const struct array *x = array_at(a, i);
		if (!x->declared)
			continue;
		if (x->first <= lo && x->end >= hi)
			return a->order[i];
		*first = x->first < *first ? x->first : *first;
		*end = x->end > *end ? x->end : *end;
	}
	return CT_LAYOUT_NONE;
}

int ct_layout_declare(struct ct_layout *a, uint64_t first, uint64_t bytes, const char *name,
                      struct ct_error *e)
{
	uint64_t end = bytes > UINT64_MAX - first ? UINT64_MAX : first + bytes;
	if (first >= end)
		return CT_OK;
	uint32_t id = widen_range(a, &first, &end);
	if (id != CT_LAYOUT_NONE)
		return set_name(&a->a[id], name) < 0 ? ct_fail_nomem(e) : CT_OK;
	if (new_array(a, (struct array){.declared = 1}, &id) < 0 || set_name(&a->a[id], name) < 0 ||
	    clear_range(a, id, first, end) < 0)
		return ct_fail_nomem(e);
	a->a[id].first = first;
	a->a[id].end = end;
	return enlist_array(a, id) < 0 ? ct_fail_nomem(e) : CT_OK;
}

/* A number in decimal or, behind 0x, hexadecimal digits that ends at a tab, a blank or `end`. */
static const char *parse_number(const char *p, const char *end, uint64_t *v)
{
	char digits[32];
	size_t n = 0;
	char *stop;
	while (p + n < end && n < sizeof digits - 1 && p[n] != '\t' && p[n] != ' ') {
		digits[n] = p[n];
		n++;
	}
	digits[n] = '\0';
	if (digits[0] < '0' || digits[0] > '9')
		return NULL;
	*v = strtoull(digits, &stop, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
	return *stop ? NULL : p + n;
}

/* One line: first, bytes and name, with tabs or one blank between. */
static int declare_line(struct ct_layout *a, const char *p, const char *end, struct ct_error *e)
{
	uint64_t first, bytes;
	char name[256];
	p = parse_number(p, end, &first);
	p = p && p < end ? parse_number(p + 1, end, &bytes) : NULL;
	if (!p)
		return CT_ERR_INPUT;
	p += p < end;
	const char *stop = memchr(p, '\t', (size_t)(end - p));
	size_t n = (size_t)((stop ? stop : end) - p);
	n = n < sizeof name ? n : sizeof name - 1;
	memcpy(name, p, n);
	name[n] = '\0';
	return ct_layout_declare(a, first, bytes, name, e);
}

int ct_layout_declare_text(struct ct_layout *a, const char *path, const char *text, size_t n,
                           struct ct_error *e)
{
	const char *p = text, *all = text + n;
	for (unsigned line = 1; p < all; line++) {
		const char *end = memchr(p, '\n', (size_t)(all - p)), *next;
		next = end ? end + 1 : all;
		end = end ? end : all;
		end -= end > p && end[-1] == '\r';
		int heads = line == 1 && strncmp(p, "first", 5) == 0;
		int st = heads || end == p || *p == '#' ? CT_OK : declare_line(a, p, end, e);
		if (st == CT_ERR_INPUT)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s:%u: a line of symbols is: first address, bytes, name, "
			               "with tabs between",
			               path, line);
		if (st != CT_OK)
			return st;
		p = next;
	}
	return CT_OK;
}

/* ---- addresses ---- */

uint32_t ct_layout_find(const struct ct_layout *a, uint64_t address)
{
	size_t i = place_above(a, address);
	return i && array_at(a, i - 1)->end > address ? a->order[i - 1] : CT_LAYOUT_NONE;
}

/* Whether the neighbour takes what lies `gap` bytes from it. */
static int takes_gap(const struct ct_layout *a, const struct array *x, uint64_t gap)
{
	return !x->declared && (gap <= GAP || a->clusters >= CLUSTERS);
}

static uint32_t no_memory(struct ct_layout *a)
{
	a->failed = 1;
	return CT_LAYOUT_NONE;
}

uint32_t ct_layout_touch(struct ct_layout *a, uint64_t address)
{
	size_t i = place_above(a, address);
	uint64_t lo = address & ~(uint64_t)(PAGE - 1), hi = lo | (PAGE - 1);
	struct array *below = i ? array_at(a, i - 1) : NULL,
		     *above = i < a->live ? array_at(a, i) : NULL;
	if (below && below->end > address)
		return a->order[i - 1];
	hi += hi < UINT64_MAX;
	if (below && below->end > lo)
		lo = below->end;
	if (above && above->first < hi)
		hi = above->first;
	if (above && !takes_gap(a, above, above->first - hi))
		above = NULL;
	if (below && takes_gap(a, below, lo - below->end)) {
		below->end = hi;
		if (above && takes_gap(a, above, above->first - hi)) {
			below->end = above->end;
			take_out(a, i, a->order[i - 1]);
		}
		return a->order[i - 1];
	}
	if (above) {
		above->first = lo;
		return a->order[i];
	}
	uint32_t id;
	if (new_array(a, (struct array){.first = lo, .end = hi}, &id) < 0 || enlist_array(a, id) < 0)
		return no_memory(a);
	return id;
}

void ct_layout_touch_local(struct ct_layout *a, uint64_t address)
{
	struct array *x = &a->a[CT_LAYOUT_LOCAL];
	if (x->first == x->end)
		x->first = address;
	x->first = address < x->first ? address : x->first;
	x->end = address >= x->end ? address + (address < UINT64_MAX) : x->end;
}

int ct_layout_check(const struct ct_layout *a, struct ct_error *e)
{
	return a->failed ? ct_fail_nomem(e) : CT_OK;
}

int ct_layout_covers(const struct ct_layout *a, uint32_t array, uint64_t address)
{
	const struct array *x = &a->a[array];
	return address >= x->first && address < x->end;
}

uint32_t ct_layout_root(const struct ct_layout *a, uint32_t array)
{
	while (a->a[array].into != array)
		array = a->a[array].into;
	return array;
}

uint32_t ct_layout_count(const struct ct_layout *a)
{
	return (uint32_t)a->n;
}

void ct_layout_range(const struct ct_layout *a, uint32_t array, uint64_t *first, uint64_t *end)
{
	*first = a->a[array].first;
	*end = a->a[array].end;
}

void ct_layout_name(const struct ct_layout *a, uint32_t array, struct ct_buf *b)
{
	const struct array *x = &a->a[array];
	if (array == CT_LAYOUT_LOCAL)
		ct_buf_puts(b, "local memory");
	else if (array == CT_LAYOUT_NONE)
		ct_buf_puts(b, "none");
	else if (x->name)
		ct_buf_puts(b, x->name);
	else
		ct_buf_printf(b, "0x%" PRIx64 "+%" PRIu64, x->first, x->end - x->first);
}
