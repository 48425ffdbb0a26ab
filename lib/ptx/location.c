/* Which line of which file an instruction was compiled from: the directives .loc and .file. */
#include <stdlib.h>

#include "base/mem.h"
#include "ptx/reader.h"

/* Keeps the name of a file: its token is a string. Of "/src/./a.cuh", as clang calls what is beside the source, "/./"
 * becomes "/"; control characters, which no list of names can hold, become "?". */
static int keep_file(struct ct_ptx_reader *r, uint32_t number)
{
	struct ct_ptx_module *m = r->m;
	const struct ct_ptx_token *t = &r->x.now;
	char *name = ct_ptx_keep(m, t->length);
	if (!name ||
	    ct_grow((void **)&m->source, &m->sources_cap, m->nsources + 1, sizeof *m->source) < 0)
		return ct_ptx_nomem(r);
	char *to = name;
	for (const char *p = t->text + 1, *end = t->text + t->length - 1; p < end; p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '.' && end - p > 1 && p[1] == '/' && p[-1] == '/')
			p++;
		else
			*to++ = c < ' ' || c == 0x7f ? '?' : (char)c;
	}
	m->source[m->nsources] = (struct ct_ptx_file){number, (uint32_t)m->nsources, name};
	m->nsources++;
	return CT_OK;
}

int ct_ptx_read_location(struct ct_ptx_reader *r)
{
	struct ct_ptx_lexer *x = &r->x;
	const uint32_t line = x->line;
	const int is_file = ct_ptx_is_word(x, ".file");
	uint64_t number[2] = {0};
	int rc = CT_OK;
	for (unsigned at = 0; x->now.kind != CT_PTX_END && x->line == line; at++) {
		if (at > 0 && at < 3 && x->now.kind == CT_PTX_INTEGER)
			number[at - 1] = x->now.value <= UINT32_MAX ? x->now.value : 0;
		else if (at == 2 && is_file && x->now.kind == CT_PTX_STRING)
			rc = keep_file(r, (uint32_t)number[0]);
		if (rc < 0 || (rc = ct_ptx_lex_next(x)) < 0)
			return rc;
	}
	if (!is_file) {
		r->source_file = (uint32_t)number[0];
		r->source_line = (uint32_t)number[1];
	}
	return CT_OK;
}

/* By number; of those with the same the first comes first. */
static int by_number(const void *a, const void *b)
{
	const struct ct_ptx_file *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void ct_ptx_sort_sources(struct ct_ptx_module *m)
{
	if (m->nsources)
		qsort(m->source, m->nsources, sizeof *m->source, by_number);
}

struct ct_ptx_source ct_ptx_source_of(const struct ct_ptx_module *m, size_t index)
{
	struct ct_ptx_source s = {0};
	if (index >= m->nlines || !m->line[index].source_line)
		return s;
	s.line = m->line[index].source_line;
	size_t low = 0, high = m->nsources;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (m->source[mid].number < m->line[index].source_file)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < m->nsources && m->source[low].number == m->line[index].source_file)
		s.file = *m->source[low].name ? m->source[low].name : NULL;
	return s;
}
