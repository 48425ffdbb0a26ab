#include "locality/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/pages.h"

enum { FIRST_BUCKETS = 16 };

/* A segment grows at four fifths. */
static uint64_t room_of(uint64_t buckets)
{
	return buckets * CT_BUCKET_LINES * 4 / 5;
}

static size_t bytes_of(const struct ct_sparse *s, uint64_t buckets)
{
	return (size_t)buckets * (sizeof(struct ct_bucket) +
	                          (s->sectored ? CT_BUCKET_LINES * sizeof(struct ct_sector_run) : 0));
}

/* Buckets and runs of one segment in one block. */
static int make_segment(struct ct_sparse *s, struct ct_segment *g, uint64_t buckets)
{
	if (buckets > UINT32_MAX)
		return -1;
	char *p = ct_pages_alloc(bytes_of(s, buckets), 1);
	if (!p)
		return -1;
	g->bucket = (struct ct_bucket *)(void *)p;
	g->run = s->sectored ? (struct ct_sector_run *)(void *)(g->bucket + buckets) : NULL;
	g->buckets = (uint32_t)buckets;
	g->used = 0;
	s->bytes += bytes_of(s, buckets);
	return 0;
}

int ct_sparse_init(struct ct_sparse *s, int sectored, uint64_t lines)
{
	uint64_t buckets = FIRST_BUCKETS;
	memset(s, 0, sizeof *s);
	s->sectored = sectored;
	if (lines / CT_SPARSE_SEGMENTS > room_of(buckets))
		buckets = lines / CT_SPARSE_SEGMENTS * 5 / (4 * CT_BUCKET_LINES) + 1;
	for (int i = 0; i < CT_SPARSE_SEGMENTS; i++)
		if (make_segment(s, &s->segment[i], buckets) < 0) {
			ct_sparse_free(s);
			return -1;
		}
	return 0;
}

void ct_sparse_free(struct ct_sparse *s)
{
	for (int i = 0; i < CT_SPARSE_SEGMENTS; i++)
		free(s->segment[i].bucket);
	memset(s, 0, sizeof *s);
}

void ct_sparse_flush(struct ct_sparse *s)
{
	for (int i = 0; i < CT_SPARSE_SEGMENTS; i++) {
		memset(s->segment[i].bucket, 0, s->segment[i].buckets * sizeof(struct ct_bucket));
		s->segment[i].used = 0;
	}
}

uint32_t *ct_sparse_find(const struct ct_sparse *s, uint64_t hash, uint64_t line,
                         struct ct_sector_run **run)
{
	const struct ct_segment *g = ct_sparse_segment(s, hash);
	for (uint64_t b = ct_sparse_home(g, hash), n = 0; n < g->buckets; n++) {
		struct ct_bucket *k = &g->bucket[b];
		for (int i = 0; i < CT_BUCKET_LINES; i++)
			if (k->line[i] == line && k->time[i]) {
				if (run && g->run)
					*run = &g->run[b * CT_BUCKET_LINES + (unsigned)i];
				return &k->time[i];
			}
		if (!k->passed_on)
			break;
		b = b + 1 < g->buckets ? b + 1 : 0;
	}
	return NULL;
}

/* First empty place from the line's home on; the segment has one. */
static uint32_t *place_of(struct ct_segment *g, uint64_t hash, uint64_t line, struct ct_sector_run **run)
{
	uint64_t b = ct_sparse_home(g, hash);
	for (;;) {
		struct ct_bucket *k = &g->bucket[b];
		for (int i = 0; i < CT_BUCKET_LINES; i++) {
			if (k->time[i])
				continue;
			k->line[i] = line;
			if (g->run)
				*run = &g->run[b * CT_BUCKET_LINES + (unsigned)i];
			return &k->time[i];
		}
		k->passed_on = 1;
		b = b + 1 < g->buckets ? b + 1 : 0;
	}
}

/* Moves the live lines of a segment into one of `buckets` buckets. */
static int rebuild_segment(struct ct_sparse *s, struct ct_segment *g, uint64_t buckets)
{
	struct ct_segment old = *g;
	if (make_segment(s, g, buckets) < 0)
		return -1;
	for (uint64_t b = 0; b < old.buckets; b++)
		for (int i = 0; i < CT_BUCKET_LINES; i++) {
			const struct ct_bucket *k = &old.bucket[b];
			struct ct_sector_run *run = NULL;
			if (!k->time[i])
				continue;
			*place_of(g, ct_sparse_hash(k->line[i]), k->line[i], &run) = k->time[i];
			if (run)
				*run = old.run[b * CT_BUCKET_LINES + (unsigned)i];
			g->used++;
		}
	s->bytes -= bytes_of(s, old.buckets);
	free(old.bucket);
	return 0;
}

uint32_t *ct_sparse_enter(struct ct_sparse *s, uint64_t hash, uint64_t line, struct ct_sector_run **run)
{
	struct ct_segment *g = &s->segment[hash >> 62];
	struct ct_sector_run *none = NULL;
	if (g->used >= room_of(g->buckets)) {
		/* Lines may have left since: grow only if the live ones need it. */
		uint64_t live = 0, buckets = g->buckets;
		for (uint64_t b = 0; b < g->buckets; b++)
			for (int i = 0; i < CT_BUCKET_LINES; i++)
				live += g->bucket[b].time[i] != 0;
		if (live > room_of(buckets) / 2)
			buckets += buckets / 2;
		if (rebuild_segment(s, g, buckets) < 0)
			return NULL;
	}
	g->used++;
	return place_of(g, hash, line, run ? run : &none);
}

void ct_sparse_each(const struct ct_sparse *s, void (*fn)(void *ctx, uint32_t *time, size_t n),
                    void *ctx)
{
	for (int j = 0; j < CT_SPARSE_SEGMENTS; j++)
		for (uint64_t b = 0; b < s->segment[j].buckets; b++)
			fn(ctx, s->segment[j].bucket[b].time, CT_BUCKET_LINES);
}
