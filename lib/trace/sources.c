#include "trace/sources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/private/text.h"

/* A file, and the text of its ranges. */
struct entry {
	const char *file;
	struct ct_buf ranges;
};

struct entries {
	struct entry *entry;
	size_t n, cap;
};

/* The entry of a file, a new one if need be; NULL when out of memory. */
static struct entry *entry_of(struct entries *e, const char *file)
{
	for (size_t i = e->n; i-- > 0;)
		if (e->entry[i].file == file || strcmp(e->entry[i].file, file) == 0)
			return &e->entry[i];
	if (ct_grow((void **)&e->entry, &e->cap, e->n + 1, sizeof *e->entry) < 0)
		return NULL;
	e->entry[e->n] = (struct entry){.file = file};
	return &e->entry[e->n++];
}

/* Gives the instructions to the entries of their files. One whose file is not known ends no range: it has no
 * line either. 0, or -1 when out of memory. */
static int fill(struct entries *e, const struct ct_source_place *place, size_t n)
{
	uint64_t last = 0;
	struct entry *now = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *file = place[i].file;
		if (!file || !*file)
			continue;
		if (!now || strcmp(now->file, file) != 0) {
			if (now)
				ct_buf_printf(&now->ranges, "-%" PRIx64, last);
			if (!(now = entry_of(e, file)))
				return -1;
			ct_buf_printf(&now->ranges, "%s%" PRIx64, now->ranges.len ? "," : "",
			              place[i].pc);
		}
		last = place[i].pc;
	}
	if (now)
		ct_buf_printf(&now->ranges, "-%" PRIx64, last);
	return 0;
}

void ct_sources_put(struct ct_buf *out, const struct ct_source_place *place, size_t n)
{
	struct entries e = {0};
	const size_t start = out->len;
	if (fill(&e, place, n) < 0)
		out->failed = 1;
	for (size_t i = 0; i < e.n; i++) {
		const struct entry *x = &e.entry[i];
		out->failed |= x->ranges.failed;
		if (out->len - start + x->ranges.len + strlen(x->file) + 2 <= CT_SOURCES_MAX)
			ct_buf_printf(out, "%s%s %s", out->len > start ? "\t" : "", x->ranges.data,
			              x->file);
	}
	for (size_t i = 0; i < e.n; i++)
		ct_buf_free(&e.entry[i].ranges);
	free(e.entry);
}

/* Whether pc is in the ranges at *p, which is left behind them; -1: these are no ranges. */
static int holds(const char **p, uint64_t pc)
{
	int found = 0;
	for (;; (*p)++) {
		uint64_t first, last;
		if (!(*p = ct_text_hex(*p, &first)))
			return -1;
		last = first;
		if (**p == '-' && !(*p = ct_text_hex(*p + 1, &last)))
			return -1;
		found |= pc >= first && pc <= last;
		if (**p != ',')
			return found;
	}
}

const char *ct_sources_find(const char *text, uint64_t pc, size_t *n)
{
	for (const char *p = text; p && *p;) {
		int found = holds(&p, pc);
		if (found < 0 || *p++ != ' ')
			return NULL;
		*n = strcspn(p, "\t");
		if (found)
			return *n ? p : NULL;
		p += *n;
		p += *p == '\t';
	}
	return NULL;
}
