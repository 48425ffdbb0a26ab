/* arrays.c - allocations in their order, and a map of the addresses that they hold.
 *
 * The map is a sorted list of the places where the owner of addresses changes. */
#include "trace/arrays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

struct place {
	uint64_t first; /* from here to the next place */
	uint32_t owner; /* CT_ARRAY_NONE: nobody */
};

struct ct_arrays {
	struct ct_array *array;
	struct place *place;
	size_t n, cap, places, place_cap;
	uint64_t lost;
};

struct ct_arrays *ct_arrays_new(void)
{
	return ct_calloc(1, sizeof(struct ct_arrays));
}

void ct_arrays_free(struct ct_arrays *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		free((char *)(uintptr_t)a->array[i].name);
	free(a->array);
	free(a->place);
	free(a);
}

/* How many places are not above the address. */
static size_t places_up_to(const struct ct_arrays *a, uint64_t address)
{
	size_t low = 0, high = a->places;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (a->place[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t ct_arrays_find(const struct ct_arrays *a, uint64_t address)
{
	size_t n = a ? places_up_to(a, address) : 0;
	return n ? a->place[n - 1].owner : CT_ARRAY_NONE;
}

/* Gives the addresses first..last to array `owner`. Room for two more places is there. */
static void give_range(struct ct_arrays *a, uint64_t first, uint64_t last, uint32_t owner)
{
	uint32_t behind = ct_arrays_find(a, last);
	size_t from = places_up_to(a, first), to = places_up_to(a, last);
	if (from && a->place[from - 1].first == first)
		from--;
	int starts = last == UINT64_MAX || (to < a->places && a->place[to].first == last + 1);
	size_t added = starts ? 1 : 2;
	memmove(a->place + from + added, a->place + to, (a->places - to) * sizeof *a->place);
	a->place[from] = (struct place){first, owner};
	if (!starts)
		a->place[from + 1] = (struct place){last + 1, behind};
	a->places = a->places - (to - from) + added;
}

/* Whether an array is there that still has all of its addresses and is this one. */
static int is_known(const struct ct_arrays *a, uint64_t first, uint64_t bytes, const char *name)
{
	size_t n = places_up_to(a, first);
	uint32_t i = n ? a->place[n - 1].owner : CT_ARRAY_NONE;
	if (i == CT_ARRAY_NONE)
		return 0;
	const struct ct_array *x = &a->array[i];
	return x->first == first && x->bytes == bytes && a->place[n - 1].first == first &&
	       (n == a->places || a->place[n].first == first + bytes) &&
	       (name ? x->named && strcmp(x->name, name) == 0 : !x->named);
}

/* The name as it is kept, the caller's, or NULL. */
static char *name_of(uint64_t first, uint64_t bytes, const char *name)
{
	struct ct_buf b = {0};
	if (name)
		return ct_strndup(name, strnlen(name, CT_ARRAY_NAME_MAX));
	ct_buf_printf(&b, "array@0x%" PRIx64 "+%" PRIu64, first, bytes);
	if (!b.failed)
		return b.data;
	ct_buf_free(&b);
	return NULL;
}

int ct_arrays_add(struct ct_arrays *a, uint64_t first, uint64_t bytes, const char *name, uint64_t launch,
                  struct ct_error *e)
{
	name = name && *name ? name : NULL;
	if (bytes == 0 || bytes - 1 > UINT64_MAX - first)
		return ct_fail(e, CT_ERR_INPUT, "no array has %" PRIu64 " bytes at 0x%" PRIx64, bytes,
		               first);
	if (is_known(a, first, bytes, name))
		return 0;
	if (a->n == CT_ARRAYS_MAX) {
		a->lost++;
		return 0;
	}
	if (ct_grow((void **)&a->array, &a->cap, a->n + 1, sizeof *a->array) != 0 ||
	    ct_grow((void **)&a->place, &a->place_cap, a->places + 2, sizeof *a->place) != 0)
		return ct_fail_nomem(e);
	struct ct_array x = {.first = first, .bytes = bytes, .launch = launch, .named = name != NULL};
	if (!(x.name = name_of(first, bytes, name)))
		return ct_fail_nomem(e);
	a->array[a->n] = x;
	give_range(a, first, first + (bytes - 1), (uint32_t)a->n++);
	return 1;
}

uint32_t ct_arrays_count(const struct ct_arrays *a)
{
	return a ? (uint32_t)a->n : 0;
}

const struct ct_array *ct_arrays_at(const struct ct_arrays *a, uint32_t i)
{
	return &a->array[i];
}

uint64_t ct_arrays_lost(const struct ct_arrays *a)
{
	return a ? a->lost : 0;
}
