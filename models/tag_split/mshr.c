#include "models/tag_split/mshr.h"

#include <stdlib.h>

#include "base/mem.h"

struct entry {
	uint64_t line;
	uint32_t issued, returned;
};

/* A handful of registers that hardware compares at once: the first `used` are, searched one by one. */
struct ct_ts_mshr {
	struct entry *entry;
	uint32_t entries, used;
};

int ct_ts_mshr_new(struct ct_ts_mshr **out, uint32_t entries, struct ct_error *e)
{
	*out = NULL;
	if (!entries)
		return ct_fail(e, CT_ERR_USAGE, "an MSHR of no entries: give it at least one");
	struct ct_ts_mshr *m = ct_calloc(1, sizeof *m);
	if (m)
		m->entry = ct_calloc(entries, sizeof *m->entry);
	if (!m || !m->entry) {
		ct_ts_mshr_free(m);
		return ct_fail_nomem(e);
	}
	m->entries = entries;
	*out = m;
	return CT_OK;
}

void ct_ts_mshr_free(struct ct_ts_mshr *m)
{
	if (m)
		free(m->entry);
	free(m);
}

static struct entry *find_entry(const struct ct_ts_mshr *m, uint64_t line)
{
	for (uint32_t i = 0; i < m->used; i++)
		if (m->entry[i].line == line)
			return &m->entry[i];
	return NULL;
}

int ct_ts_mshr_miss(struct ct_ts_mshr *m, uint64_t line, uint32_t chunks, uint32_t *send)
{
	struct entry *t = find_entry(m, line);
	if (!t) {
		if (m->used == m->entries || !chunks)
			return 0;
		t = &m->entry[m->used++];
		*t = (struct entry){line, 0, 0};
	}
	*send = chunks & ~t->issued;
	t->issued |= chunks;
	return 1;
}

uint32_t ct_ts_mshr_issued(const struct ct_ts_mshr *m, uint64_t line)
{
	const struct entry *t = find_entry(m, line);
	return t ? t->issued : 0;
}

uint32_t ct_ts_mshr_pending(const struct ct_ts_mshr *m, uint64_t line)
{
	const struct entry *t = find_entry(m, line);
	return t ? t->issued & ~t->returned : 0;
}

void ct_ts_mshr_fill(struct ct_ts_mshr *m, uint64_t line, uint32_t chunks)
{
	struct entry *t = find_entry(m, line);
	if (!t)
		return;
	t->returned |= chunks & t->issued;
	if (t->returned == t->issued)
		*t = m->entry[--m->used];
}

uint32_t ct_ts_mshr_used(const struct ct_ts_mshr *m)
{
	return m->used;
}
