#include "models/tag_split/mshr.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

enum { NONE = 0 };

struct entry {
	uint64_t line;
	uint32_t issued, returned;
	uint32_t next; /* in its chain; NONE: it is the last */
};

/* Registers that hardware compares all at once: entries 1 to `used`, in chains by a hash of their lines. */
struct ct_ts_mshr {
	struct entry *entry; /* the first is not used */
	uint32_t *chain;     /* the first entry of each, or NONE; mask + 1 of them */
	uint32_t mask, entries, used;
};

int ct_ts_mshr_new(struct ct_ts_mshr **out, uint32_t entries, struct ct_error *e)
{
	size_t chains = 1;
	*out = NULL;
	if (!entries)
		return ct_fail(e, CT_ERR_USAGE, "an MSHR of no entries: give it at least one");
	while (chains < entries && chains <= UINT32_MAX / 2)
		chains *= 2;
	struct ct_ts_mshr *m = ct_calloc(1, sizeof *m);
	if (m) {
		m->entry = ct_calloc((size_t)entries + 1, sizeof *m->entry);
		m->chain = ct_calloc(chains, sizeof *m->chain);
	}
	if (!m || !m->entry || !m->chain) {
		ct_ts_mshr_free(m);
		return ct_fail_nomem(e);
	}
	m->mask = (uint32_t)(chains - 1);
	m->entries = entries;
	*out = m;
	return CT_OK;
}

void ct_ts_mshr_free(struct ct_ts_mshr *m)
{
	if (m) {
		free(m->entry);
		free(m->chain);
	}
	free(m);
}

static uint32_t *chain_of(const struct ct_ts_mshr *m, uint64_t line)
{
	return &m->chain[ct_mix64(line) & m->mask];
}

static struct entry *find_entry(const struct ct_ts_mshr *m, uint64_t line)
{
	for (uint32_t i = *chain_of(m, line); i != NONE; i = m->entry[i].next)
		if (m->entry[i].line == line)
			return &m->entry[i];
	return NULL;
}

/* What points at entry i, which is in use. */
static uint32_t *link_to(const struct ct_ts_mshr *m, uint32_t i)
{
	uint32_t *link = chain_of(m, m->entry[i].line);
	while (*link != i)
		link = &m->entry[*link].next;
	return link;
}

/* Frees an entry; the last one takes its place. */
static void free_entry(struct ct_ts_mshr *m, struct entry *t)
{
	uint32_t i = (uint32_t)(t - m->entry), last = m->used--;
	*link_to(m, i) = t->next;
	if (i == last)
		return;
	*link_to(m, last) = i;
	*t = m->entry[last];
}

int ct_ts_mshr_miss(struct ct_ts_mshr *m, uint64_t line, uint32_t chunks, uint32_t *send)
{
	struct entry *t = find_entry(m, line);
	if (!t) {
		if (m->used == m->entries || !chunks)
			return 0;
		uint32_t *chain = chain_of(m, line);
		t = &m->entry[++m->used];
		*t = (struct entry){.line = line, .next = *chain};
		*chain = m->used;
	}
	*send = chunks & ~t->issued;
	t->issued |= chunks;
	return 1;
}

uint32_t ct_ts_mshr_pending(const struct ct_ts_mshr *m, uint64_t line, uint32_t *issued)
{
	const struct entry *t = find_entry(m, line);
	if (issued)
		*issued = t ? t->issued : 0;
	return t ? t->issued & ~t->returned : 0;
}

void ct_ts_mshr_fill(struct ct_ts_mshr *m, uint64_t line, uint32_t chunks)
{
	struct entry *t = find_entry(m, line);
	if (!t)
		return;
	t->returned |= chunks & t->issued;
	if (t->returned == t->issued)
		free_entry(m, t);
}

uint32_t ct_ts_mshr_used(const struct ct_ts_mshr *m)
{
	return m->used;
}
