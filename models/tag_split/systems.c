#include "models/tag_split/systems.h"

#include <math.h>
#include <string.h>

enum { PAPER_WAYS = 4, MOST_WAYS = 16 };

static const struct ct_ts_system TABLE[CT_TS_SYSTEMS] = {
	{.name = "128B", .kind = CT_TS_LINE, .line = 128},
	{.name = "32B", .kind = CT_TS_LINE, .line = 32},
	{.name = "64B", .kind = CT_TS_LINE, .line = 64},
	{.name = "256B", .kind = CT_TS_LINE, .line = 256},
	{.name = "TSC", .kind = CT_TS_SPLIT, .line = 128, .private_bits = -1, .hit_latency = -1},
	{.name = "TSC+",
         .kind = CT_TS_SPLIT,
         .line = 128,
         .private_bits = -1,
         .hit_latency = -1,
         .fetch = CT_TS_CHOOSE},
	{.name = "TSC-coarse",
         .kind = CT_TS_SPLIT,
         .line = 128,
         .private_bits = -1,
         .hit_latency = -1,
         .fetch = CT_TS_COARSE},
	{.name = "LAMAR", .kind = CT_TS_SECTOR, .line = 128},
	{.name = "DSC-2", .kind = CT_TS_DSC, .line = 128, .tags = 2},
	{.name = "DSC-4", .kind = CT_TS_DSC, .line = 128, .tags = 4},
	{.name = "MRPB", .kind = CT_TS_LINE, .line = 128, .prioritised = 1},
	{.name = "Perfect", .kind = CT_TS_PERFECT, .line = 128},
	{.name = "Ideal-L1", .kind = CT_TS_IDEAL, .line = 128},
	{.name = "configured", .kind = CT_TS_LINE, .line = 128, .configured = 1},
};

const struct ct_ts_system *ct_ts_system_at(size_t i)
{
	return i < CT_TS_SYSTEMS ? &TABLE[i] : NULL;
}

int ct_ts_system_find(const char *name)
{
	for (int i = 0; i < CT_TS_SYSTEMS; i++)
		if (!strcmp(TABLE[i].name, name))
			return i;
	return -1;
}

uint32_t ct_ts_ways(const struct ct_gpu *g, const struct ct_ts_params *p)
{
	if (p->v[CT_TS_WAYS] > 0)
		return (uint32_t)p->v[CT_TS_WAYS];
	return g->l1.ways <= MOST_WAYS ? g->l1.ways : PAPER_WAYS;
}

static uint32_t sets_of(uint64_t bytes, uint32_t ways, uint32_t line)
{
	uint64_t n = bytes / line / ways;
	return n < 1 ? 1 : (uint32_t)n;
}

static enum ct_ts_store store_of(const struct ct_gpu *g)
{
	switch ((enum ct_write_policy)g->l1.write_policy) {
	case CT_WRITE_EVICT: return CT_TS_STORE_EVICT;
	case CT_WRITE_THROUGH_NO_ALLOCATE: return CT_TS_STORE_UPDATE;
	default: return CT_TS_STORE_ALLOCATE;
	}
}

/* What a store does in the paper's systems: it evicts what it writes where the GPU's own L1 does, as in the paper, and else
 * leaves it there, written (reading write-evict). */
static enum ct_ts_store paper_store(const struct ct_gpu *g, const struct ct_ts_params *p)
{
	return p->v[CT_TS_WRITE_EVICT] > 0 || store_of(g) == CT_TS_STORE_EVICT
	               ? CT_TS_STORE_EVICT
	               : CT_TS_STORE_UPDATE;
}

/* Whole lines are kept in parts of 32 B, only to know which of them are used. */
static uint32_t part_of(uint32_t line)
{
	return line < 32 ? line : 32;
}

/* The L1 of the GPU in force, where its requests can be compared with those of the other systems. */
static int configured_shape(const struct ct_gpu *g, uint64_t bytes, struct ct_ts_shape *o,
                            struct ct_error *e)
{
	int sectored = g->l1.sector < g->l1.line;
	/* Requests of other lines than 128 B come in sectors of 32 B (measure.c). */
	if (g->l1.line < 32 || g->l1.line > 256 ||
	    (sectored && (g->l1.sector < 32 || (g->l1.line != 128 && g->l1.sector != 32))))
		return ct_fail(e, CT_ERR_USAGE,
		               "l1.line = %u, l1.sector = %u: Tag-Split is compared with lines "
		               "of 32 to 256 bytes in sectors of 32, or of 128 in larger ones too",
		               g->l1.line, g->l1.sector);
	o->kind = sectored ? CT_TS_SECTOR : CT_TS_LINE;
	o->line = g->l1.line;
	o->chunk = sectored ? g->l1.sector : part_of(g->l1.line);
	o->ways = g->l1.ways;
	o->sets = sets_of(bytes, o->ways, o->line);
	o->store = store_of(g);
	return CT_OK;
}

int ct_ts_shape_of(const struct ct_ts_system *s, const struct ct_gpu *g, uint64_t bytes,
                   const struct ct_ts_params *p, struct ct_ts_shape *o, struct ct_error *e)
{
	memset(o, 0, sizeof *o);
	o->hash = (enum ct_set_hash)g->l1.set_hash;
	o->kind = s->kind;
	o->line = s->line;
	o->ways = ct_ts_ways(g, p);
	o->sets = sets_of(bytes, o->ways, o->line);
	o->tags = s->tags;
	o->repl = CT_TS_LRU;
	o->store = paper_store(g, p);
	o->chunk = s->kind == CT_TS_SPLIT ? (s->chunk ? s->chunk : (uint32_t)p->v[CT_TS_CHUNK]) : 32;
	if (s->configured) {
		int st = configured_shape(g, bytes, o, e);
		if (st != CT_OK)
			return st;
	}
	o->tag_bits = ct_ts_tag_bits((uint32_t)p->v[CT_TS_ADDRESS_BITS], o->sets, o->line);
	if (s->kind != CT_TS_SPLIT)
		return CT_OK;
	o->private_bits = s->private_bits < 0 ? (uint32_t)p->v[CT_TS_PRIVATE_BITS]
	                                      : (uint32_t)s->private_bits;
	if (o->private_bits > o->tag_bits)
		o->private_bits = o->tag_bits;
	o->repl = p->v[CT_TS_USE_LRU] > 0 ? CT_TS_LRU : CT_TS_NRU;
	o->pick = p->v[CT_TS_PICK_LOWEST] > 0 ? CT_TS_LOWEST : CT_TS_RANDOM;
	o->victim = p->v[CT_TS_GROUPS_FIRST] > 0 ? CT_TS_GROUP_FIRST : CT_TS_ANY_GROUP;
	if (ct_ts_set_places(o) > CT_TS_SLOTS_MAX)
		return ct_fail(e, CT_ERR_USAGE,
		               "%u ways of %u-byte chunks are more than %d chunks in a set: "
		               "lower tsc.ways or raise tsc.chunk",
		               o->ways, o->chunk, CT_TS_SLOTS_MAX);
	return CT_OK;
}

int ct_ts_in_banks(const struct ct_gpu *g, const struct ct_ts_shape *shape)
{
	return g->l1.banks > 1 && shape->chunk == g->l1.sector && g->l1.line <= 128;
}

double ct_ts_storage_bytes(const struct ct_ts_system *s, const struct ct_gpu *g, uint64_t bytes,
                           const struct ct_ts_params *p)
{
	struct ct_ts_shape shape;
	struct ct_error e;
	if (s->configured || s->kind == CT_TS_PERFECT || s->kind == CT_TS_IDEAL)
		return NAN;
	if (s->prioritised)
		return p->v[CT_TS_MRPB_BYTES];
	if (ct_ts_shape_of(s, g, bytes, p, &shape, &e) != CT_OK)
		return NAN;
	struct ct_ts_plain plain = {128, sets_of(bytes, shape.ways, 128), shape.ways, 0};
	plain.tag_bits = ct_ts_tag_bits((uint32_t)p->v[CT_TS_ADDRESS_BITS], plain.sets, plain.line);
	return ct_ts_overhead_bytes(&shape, &plain);
}

double ct_ts_set_room(const struct ct_ts_system *s, const struct ct_gpu *g, uint64_t bytes,
                      const struct ct_ts_params *p)
{
	struct ct_ts_shape shape;
	struct ct_error e;
	if (s->kind == CT_TS_PERFECT || s->kind == CT_TS_IDEAL || s->prioritised ||
	    ct_ts_shape_of(s, g, bytes, p, &shape, &e) != CT_OK)
		return INFINITY;
	if (shape.store == CT_TS_STORE_ALLOCATE && g->l1.dirty_percent)
		return 0;
	const struct ct_ts_flight most = ct_ts_flight(&shape, p->v[CT_TS_HOLD] > 0);
	return (double)shape.sets * (most.chunks < UINT32_MAX ? most.chunks : most.lines);
}
