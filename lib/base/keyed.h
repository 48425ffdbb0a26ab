/* keyed.h - a hash table of entries that begin with their key; nothing is ever taken out.
 *
 * Open addressing with linear probing, at most five eighths full. Everything on the way of a look-up is
 * inline: `size`, that of an entry, is a constant where the functions are called. */
#ifndef CT_BASE_KEYED_H
#define CT_BASE_KEYED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/decls.h"
#include "base/hash.h"

CT_DECLS_BEGIN

/* Zero-initialise. The first member of an entry is a uint64_t: its key + 1, or 0 in a free slot, whose other
 * members are 0, too. UINT64_MAX is no key. */
struct ct_keyed {
	void *slot;
	size_t slots; /* a power of two, or 0 */
	size_t used;
};

/* Doubles the table. Returns -1 when out of memory, the table as it was. */
int ct_keyed_grow(struct ct_keyed *t, size_t size);
/* Forgets all entries, keeps the memory. */
void ct_keyed_reset(struct ct_keyed *t, size_t size);
/* Frees the table and zeroes it. */
void ct_keyed_free(struct ct_keyed *t);

/* Makes room for one more entry, which may move the others. Returns -1 when out of memory. */
static inline int ct_keyed_reserve(struct ct_keyed *t, size_t size)
{
	return 8 * (t->used + 1) > 5 * t->slots ? ct_keyed_grow(t, size) : 0;
}

/* The first eight bytes of an entry: its key plus one, or 0 where the slot is free. Pure. */
static inline uint64_t ct_keyed_mark(const void *entry)
{
	uint64_t mark;
	memcpy(&mark, entry, sizeof mark);
	return mark;
}

/* Where looking for a key begins; for prefetching. The table has slots. */
static inline void *ct_keyed_home(const struct ct_keyed *t, size_t size, uint64_t key)
{
	return (char *)t->slot + (ct_mix64(key) & (t->slots - 1)) * size;
}

/* The entry of the key, or the free slot that it belongs into. The table has slots. */
static inline void *ct_keyed_find(const struct ct_keyed *t, size_t size, uint64_t key)
{
	for (uint64_t i = ct_mix64(key);; i++) {
		char *entry = (char *)t->slot + (i & (t->slots - 1)) * size;
		uint64_t mark = ct_keyed_mark(entry);
		if (mark == 0 || mark == key + 1)
			return entry;
	}
}

/* Whether an entry that was found is free. */
static inline int ct_keyed_is_free(const void *entry)
{
	return ct_keyed_mark(entry) == 0;
}

/* Gives a free slot that ct_keyed_find() has found for the key to it; room was reserved. */
static inline void ct_keyed_enter(struct ct_keyed *t, void *entry, uint64_t key)
{
	uint64_t mark = key + 1;
	memcpy(entry, &mark, sizeof mark);
	t->used++;
}

CT_DECLS_END

#endif
