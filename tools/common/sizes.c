/* sizes.c - lists of sizes on the command line. */
#include <stdlib.h>
#include <string.h>

#include "base/items.h"
#include "base/mem.h"
#include "base/units.h"
#include "common/stage.h"

enum { SIZES_MAX = 1024 };

struct list {
	const char *option, *text;
	uint64_t *size;
	size_t n, cap;
	struct ct_error *e;
};

static int wrong_item(const struct list *l, const char *item)
{
	return ct_fail(l->e, CT_ERR_USAGE,
	               "%s %s: '%s' is no size: write 16KiB,32KiB or 4KiB..4MiB (doubling)", l->option,
	               l->text, item);
}

static int add_size(struct list *l, uint64_t bytes)
{
	if (l->n == SIZES_MAX)
		return ct_fail(l->e, CT_ERR_USAGE, "%s: more than %d sizes: give fewer", l->option,
		               SIZES_MAX);
	if (ct_grow((void **)&l->size, &l->cap, l->n + 1, sizeof *l->size) < 0)
		return ct_fail_nomem(l->e);
	l->size[l->n++] = bytes;
	return CT_OK;
}

/* One item, "A" or "A..B". */
static int add_item(struct list *l, char *item)
{
	char *dots = strstr(item, "..");
	uint64_t lo, hi;
	if (dots)
		*dots = '\0';
	if (ct_parse_size(item, &lo) < 0 || lo == 0)
		return wrong_item(l, item);
	hi = lo;
	if (dots && (ct_parse_size(dots + 2, &hi) < 0 || hi < lo))
		return wrong_item(l, dots + 2);
	int st = add_size(l, lo);
	for (uint64_t v = lo; st == CT_OK && v <= hi / 2;) {
		v *= 2;
		st = add_size(l, v);
	}
	return st;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

int ct_parse_sizes(const char *option, const char *text, uint64_t **sizes, size_t *n, struct ct_error *e)
{
	struct list l = {.option = option, .text = text, .e = e};
	const char *at = text;
	char item[64]; /* two sizes of digits */
	int st = CT_OK;
	for (int got; st == CT_OK && (got = ct_item_copy(&at, item, sizeof item)) != 0;)
		st = got > 0 ? add_item(&l, item) : wrong_item(&l, text);
	if (st != CT_OK) {
		free(l.size);
		return st;
	}
	qsort(l.size, l.n, sizeof *l.size, by_size);
	size_t kept = 0;
	for (size_t i = 0; i < l.n; i++)
		if (i == 0 || l.size[i] != l.size[kept - 1])
			l.size[kept++] = l.size[i];
	*sizes = l.size;
	*n = kept;
	return CT_OK;
}
