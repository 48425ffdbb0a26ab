#include "locality/observer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/linemap.h"
#include "locality/rj_table.h"
#include "locality/stack.h"

enum { MAX_SMS = 65536 };

/* Per SM: its stack, and when it last touched each line. */
struct sm_stream {
	struct ct_stack *stack;
	struct ct_linemap lines;
	uint64_t *cycle;
	size_t cycles;
};

struct ct_locality {
	struct ct_locality_options o;
	struct sm_stream *sm;
	struct ct_stack *merged, *llc;
	struct ct_locality_counts now;
	struct ct_rj_table *nearest, *sharers; /* dense while counting */
	/* Directory of all lines: sectors ever touched, and which SMs touched the line
	 * since the last flush (valid when the line's epoch is the current one). */
	struct ct_linemap lines;
	uint8_t *ever;
	uint32_t *epoch;
	uint64_t *sharer;      /* `words` per line, one bit per SM */
	size_t ever_cap, epoch_cap, sharer_cap;
	uint32_t words, epoch_now;
	uint64_t distinct_sectors;
	int failed;
};

unsigned ct_rt_bin(uint64_t distance)
{
	if (distance < 4)
		return (unsigned)distance;
	if (distance >> 40)
		return CT_RT_BINS - 1;
	unsigned octave = ct_high_bit(distance);
	return 4 + (octave - 2) * 4 + (unsigned)(distance >> (octave - 2) & 3);
}

uint64_t ct_rt_lo(unsigned bin)
{
	if (bin < 4)
		return bin;
	return (uint64_t)(4 + (bin - 4) % 4) << (bin - 4) / 4;
}

uint64_t ct_rt_hi(unsigned bin)
{
	return ct_rt_lo(bin + 1);
}

unsigned ct_rt_time_bin(uint64_t cycles)
{
	return cycles ? ct_high_bit(cycles) : 0;
}

int ct_locality_counts_add(struct ct_locality_counts *into,
                           const struct ct_locality_counts *from, struct ct_error *e)
{
	/* The histograms stand in one row at the head of the struct. */
	struct ct_hist *to[] = {&into->l1_read, &into->l1_write, &into->l1_sector_read,
	                        &into->l1_sector_write, &into->merged_read, &into->merged_write,
	                        &into->merged_sector_read, &into->merged_sector_write,
	                        &into->llc_read, &into->llc_write, &into->llc_sector_read,
	                        &into->llc_sector_write, &into->reg_insts,
	                        &into->reg_distinct};
	const struct ct_hist *of[] = {&from->l1_read, &from->l1_write, &from->l1_sector_read,
	                              &from->l1_sector_write, &from->merged_read,
	                              &from->merged_write, &from->merged_sector_read,
	                              &from->merged_sector_write, &from->llc_read,
	                              &from->llc_write, &from->llc_sector_read,
	                              &from->llc_sector_write, &from->reg_insts,
	                              &from->reg_distinct};
	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		ct_hist_merge(to[i], of[i]);
	for (unsigned d = 0; d < CT_RT_BINS; d++)
		for (unsigned t = 0; t < CT_RT_TIMES; t++)
			into->rt[d][t] += from->rt[d][t];
	if (into->distinct_lines < from->distinct_lines)
		into->distinct_lines = from->distinct_lines;
	if (into->distinct_sectors < from->distinct_sectors)
		into->distinct_sectors = from->distinct_sectors;
	int rc = ct_rj_merge(&into->rj_nearest, &from->rj_nearest, e);
	return rc < 0 ? rc : ct_rj_merge(&into->rj_sharers, &from->rj_sharers, e);
}

void ct_locality_counts_free(struct ct_locality_counts *c)
{
	ct_rj_free(&c->rj_nearest);
	ct_rj_free(&c->rj_sharers);
}

static int make_streams(struct ct_locality *l, struct ct_error *e)
{
	struct ct_stack_options so = {.sectors = l->o.sectors};
	struct ct_stack_options llc = {.sectors = l->o.llc_sectors ? l->o.llc_sectors : l->o.sectors};
	for (uint32_t i = 0; i < l->o.sms; i++)
		if (!(l->sm[i].stack = ct_stack_new(&so, e)))
			return CT_ERR_NOMEM;
	if (!(l->merged = ct_stack_new(&so, e)) || !(l->llc = ct_stack_new(&llc, e)))
		return CT_ERR_NOMEM;
	if (l->o.sharing) {
		l->nearest = ct_rj_table_new();
		l->sharers = ct_rj_table_new();
		if (!l->nearest || !l->sharers)
			return ct_fail_nomem(e);
	}
	return 0;
}

struct ct_locality *ct_locality_new(const struct ct_locality_options *o, struct ct_error *e)
{
	if (o->sms == 0 || o->sms > MAX_SMS || o->sectors > 4) {
		ct_fail(e, CT_ERR_USAGE, "%u SMs with %u sectors per line: 1 to %d SMs and up "
		        "to 4 sectors are supported", o->sms, o->sectors, (int)MAX_SMS);
		return NULL;
	}
	if (o->sample < 0 || o->sample > 1) {
		ct_fail(e, CT_ERR_USAGE, "sampling rate %g: must be above 0 and at most 1",
		        o->sample);
		return NULL;
	}
	if (o->sample > 0 && o->sample < 1) {
		ct_fail(e, CT_ERR_UNSUPPORTED, "sampling is not supported yet");
		return NULL;
	}
	struct ct_locality *l = ct_calloc(1, sizeof *l);
	if (l) {
		l->o = *o;
		l->words = (o->sms + 63) / 64;
		l->epoch_now = 1;
		l->sm = ct_calloc(o->sms, sizeof *l->sm);
	}
	if (!l || !l->sm) {
		free(l);
		ct_fail_nomem(e);
		return NULL;
	}
	if (make_streams(l, e) < 0) {
		ct_locality_free(l);
		return NULL;
	}
	return l;
}

void ct_locality_free(struct ct_locality *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->o.sms; i++) {
		ct_stack_free(l->sm[i].stack);
		ct_linemap_free(&l->sm[i].lines);
		free(l->sm[i].cycle);
	}
	free(l->sm);
	ct_stack_free(l->merged);
	ct_stack_free(l->llc);
	ct_rj_table_free(l->nearest);
	ct_rj_table_free(l->sharers);
	ct_linemap_free(&l->lines);
	free(l->ever);
	free(l->epoch);
	free(l->sharer);
	ct_locality_counts_free(&l->now);
	free(l);
}

/* Directory entry of the line, created if new; its sharers are those since the last
 * flush. UINT32_MAX when out of memory. */
static uint32_t directory(struct ct_locality *l, uint64_t line)
{
	uint32_t known = l->lines.lines, n = ct_linemap_enter(&l->lines, line);
	size_t need = (size_t)n + 1;
	if (n == UINT32_MAX)
		return n;
	if (n == known) {
		if (ct_grow((void **)&l->ever, &l->ever_cap, need, sizeof *l->ever) < 0 ||
		    ct_grow((void **)&l->epoch, &l->epoch_cap, need, sizeof *l->epoch) < 0 ||
		    ct_grow((void **)&l->sharer, &l->sharer_cap, need * l->words,
		            sizeof *l->sharer) < 0)
			return UINT32_MAX;
		l->ever[n] = 0;
		l->epoch[n] = 0;
	}
	if (l->epoch[n] != l->epoch_now) {
		memset(l->sharer + (size_t)n * l->words, 0, l->words * sizeof *l->sharer);
		l->epoch[n] = l->epoch_now;
	}
	return n;
}

static void note_sectors(struct ct_locality *l, uint32_t n, uint32_t sectors)
{
	for (uint32_t fresh = sectors & ~(uint32_t)l->ever[n] & 15; fresh; fresh &= fresh - 1)
		l->distinct_sectors++;
	l->ever[n] |= (uint8_t)(sectors & 15);
}

/* RJ of a read: only the SMs of the line's directory entry are probed. */
static void count_sharing(struct ct_locality *l, uint32_t sm, uint32_t n, uint64_t line,
                          uint64_t own)
{
	const uint64_t *w = l->sharer + (size_t)n * l->words;
	uint64_t nearest = CT_COLD;
	for (uint32_t i = 0; i < l->words; i++) {
		uint64_t bits = w[i];
		for (uint32_t j = i * 64; bits; bits >>= 1, j++) {
			if (!(bits & 1) || j == sm)
				continue;
			uint64_t d = ct_stack_probe(l->sm[j].stack, line);
			if (d == CT_COLD)
				continue;
			ct_rj_table_count(l->sharers, own, d);
			if (d < nearest)
				nearest = d;
		}
	}
	ct_rj_table_count(l->nearest, own, nearest);
}

/* Reuse time of the line in its SM, and remembers this access. */
static int reuse_time(struct ct_locality *l, uint32_t sm, uint64_t line, uint64_t cycle,
                      uint64_t *time)
{
	struct sm_stream *s = &l->sm[sm];
	uint32_t n = ct_linemap_enter(&s->lines, line);
	if (n == UINT32_MAX ||
	    ct_grow((void **)&s->cycle, &s->cycles, (size_t)n + 1, sizeof *s->cycle) < 0) {
		l->failed = 1;
		return -1;
	}
	*time = cycle > s->cycle[n] ? cycle - s->cycle[n] : 0;
	s->cycle[n] = cycle;
	return 0;
}

/* One access of one stack by the store policy; adds to the line and sector histograms. */
static uint64_t step(struct ct_locality *l, struct ct_stack *s, uint64_t line, uint32_t mask,
                     int is_write, struct ct_hist *h, struct ct_hist *sector_hist)
{
	uint64_t d, sector[4];
	if (is_write && l->o.store != CT_STORE_ALLOCATE)
		d = ct_stack_store_noalloc_sectors(s, line, mask, sector);
	else
		d = ct_stack_touch_sectors(s, line, mask, sector);
	if (is_write && l->o.store == CT_STORE_EVICT)
		ct_stack_invalidate(s, line);
	ct_hist_add(h, d, 1);
	for (unsigned i = 0; i < 4; i++)
		if (mask >> i & 1)
			ct_hist_add(sector_hist, sector[i], 1);
	return d;
}

void ct_locality_l1(struct ct_locality *l, uint32_t sm, uint64_t line, uint32_t sectors,
                    int is_write, uint64_t cycle)
{
	struct ct_locality_counts *c = &l->now;
	uint32_t mask = l->o.sectors > 1 ? sectors & ((1u << l->o.sectors) - 1) : 1;
	uint32_t n = directory(l, line);
	uint64_t time = 0;
	if (n == UINT32_MAX)
		l->failed = 1;
	if (l->failed || sm >= l->o.sms)
		return;
	note_sectors(l, n, mask);
	uint64_t own = step(l, l->sm[sm].stack, line, mask, is_write,
	                    is_write ? &c->l1_write : &c->l1_read,
	                    is_write ? &c->l1_sector_write : &c->l1_sector_read);
	step(l, l->merged, line, mask, is_write, is_write ? &c->merged_write : &c->merged_read,
	     is_write ? &c->merged_sector_write : &c->merged_sector_read);
	if (!is_write && l->o.sharing)
		count_sharing(l, sm, n, line, own);
	/* A store without allocation to an unknown line leaves no copy behind. */
	if (!is_write || l->o.store == CT_STORE_ALLOCATE)
		l->sharer[(size_t)n * l->words + sm / 64] |= (uint64_t)1 << sm % 64;
	if (reuse_time(l, sm, line, cycle, &time) == 0 && !is_write && own != CT_COLD)
		c->rt[ct_rt_bin(own)][ct_rt_time_bin(time)]++;
}

void ct_locality_llc(struct ct_locality *l, uint64_t line, uint32_t sectors, int is_write)
{
	struct ct_locality_counts *c = &l->now;
	uint64_t sector[4];
	if (l->failed)
		return;
	ct_hist_add(is_write ? &c->llc_write : &c->llc_read,
	            ct_stack_touch_sectors(l->llc, line, sectors, sector), 1);
	for (unsigned i = 0; i < 4; i++)
		if (sectors >> i & 1)
			ct_hist_add(is_write ? &c->llc_sector_write : &c->llc_sector_read, sector[i], 1);
}

void ct_locality_kernel_begin(struct ct_locality *l, int l1_flushed)
{
	if (!l1_flushed)
		return;
	for (uint32_t i = 0; i < l->o.sms; i++) {
		ct_stack_flush(l->sm[i].stack);
		ct_linemap_reset(&l->sm[i].lines);
	}
	ct_stack_flush(l->merged);
	l->epoch_now++;
}

int ct_locality_collect(struct ct_locality *l, struct ct_locality_counts *c,
                        struct ct_error *e)
{
	int rc = l->failed ? ct_fail_nomem(e) : ct_stack_check(l->merged, e);
	if (rc == 0)
		rc = ct_stack_check(l->llc, e);
	for (uint32_t i = 0; i < l->o.sms && rc == 0; i++)
		rc = ct_stack_check(l->sm[i].stack, e);
	if (rc == 0 && l->o.sharing) {
		rc = ct_rj_table_move(l->nearest, &l->now.rj_nearest, e);
		if (rc == 0)
			rc = ct_rj_table_move(l->sharers, &l->now.rj_sharers, e);
	}
	if (rc < 0)
		return rc;
	l->now.distinct_lines = l->lines.lines;
	l->now.distinct_sectors = l->distinct_sectors;
	rc = ct_locality_counts_add(c, &l->now, e);
	ct_locality_counts_free(&l->now);
	memset(&l->now, 0, sizeof l->now);
	return rc;
}
