#include "locality/observer.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "base/threads.h"
#include "locality/isa.h"
#include "locality/observer_state.h"

enum { MAX_SMS = 65536, NEAR_STREAMS = CT_STREAM_L1 | CT_STREAM_MERGED };

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

int ct_locality_counts_add(struct ct_locality_counts *into, const struct ct_locality_counts *from,
                           struct ct_error *e)
{
	struct ct_hist *to[] = {
		&into->l1_read,
		&into->l1_write,
		&into->l1_sector_read,
		&into->l1_sector_write,
		&into->merged_read,
		&into->merged_write,
		&into->merged_sector_read,
		&into->merged_sector_write,
		&into->llc_read,
		&into->llc_write,
		&into->llc_sector_read,
		&into->llc_sector_write,
		&into->reg_insts,
		&into->reg_distinct};
	const struct ct_hist *of[] = {
		&from->l1_read,
		&from->l1_write,
		&from->l1_sector_read,
		&from->l1_sector_write,
		&from->merged_read,
		&from->merged_write,
		&from->merged_sector_read,
		&from->merged_sector_write,
		&from->llc_read,
		&from->llc_write,
		&from->llc_sector_read,
		&from->llc_sector_write,
		&from->reg_insts,
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

/* Batches and threads: whoever has time analyses the oldest batch, one thread at a time, so that batches keep their order. */

/* Analyses the oldest batch that waits, unless a thread is at it. Called with the lock, which it gives away meanwhile. */
static int run_oldest(struct ct_locality *l)
{
	if (!l->waiting || l->busy)
		return 0;
	l->busy = 1;
	pthread_mutex_unlock(&l->lock);
	ct_obs_run(l, &l->batch[l->oldest]);
	pthread_mutex_lock(&l->lock);
	l->oldest = (l->oldest + 1) % CT_OBS_BATCHES;
	l->waiting--;
	l->busy = 0;
	pthread_cond_broadcast(&l->changed);
	return 1;
}

/* The observer's own thread. */
static void *analyse(void *arg)
{
	struct ct_locality *l = arg;
	pthread_mutex_lock(&l->lock);
	while (!l->stop)
		if (!run_oldest(l))
			pthread_cond_wait(&l->changed, &l->lock);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* What a thread of the caller's does: all that waits. */
static void analyse_waiting(void *arg)
{
	struct ct_locality *l = arg;
	pthread_mutex_lock(&l->lock);
	while (run_oldest(l))
		;
	pthread_mutex_unlock(&l->lock);
}

static int make_batches(struct ct_locality *l, unsigned n);

/* Gets ready for a second thread. 0: it cannot, and accesses are analysed in the caller's. */
static int start_sharing(struct ct_locality *l)
{
	l->is_shared = ct_lock_init(&l->lock, &l->changed) == 0;
	l->room = l->is_shared ? CT_OBS_EVENTS : CT_OBS_FEW;
	return l->is_shared;
}

static void start_thread(struct ct_locality *l)
{
	if (l->o.threads >= 2 && start_sharing(l))
		l->threaded = pthread_create(&l->thread, NULL, analyse, l) == 0;
}

int ct_locality_share(struct ct_locality *l, ct_locality_post *post, void *ctx, struct ct_error *e)
{
	if (l->is_shared)
		return CT_OK;
	if (make_batches(l, CT_OBS_BATCHES) < 0)
		return ct_fail_nomem(e);
	l->post = post;
	l->post_ctx = ctx;
	start_sharing(l);
	return CT_OK;
}

static void stop_thread(struct ct_locality *l)
{
	if (l->threaded) {
		pthread_mutex_lock(&l->lock);
		l->stop = 1;
		pthread_cond_broadcast(&l->changed);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
	}
	if (l->is_shared)
		ct_lock_free(&l->lock, &l->changed);
}

/* Hands the filled batch over and finds another one to fill; wait: and all are analysed. This thread helps rather than wait
 * for another. */
static void hand_over(struct ct_locality *l, int wait)
{
	if (!l->is_shared) {
		ct_obs_run(l, l->filling);
		return;
	}
	pthread_mutex_lock(&l->lock);
	l->waiting++;
	pthread_cond_broadcast(&l->changed);
	if (l->post && !wait) {
		pthread_mutex_unlock(&l->lock);
		l->post(l->post_ctx, analyse_waiting, l);
		pthread_mutex_lock(&l->lock);
	}
	while (l->waiting > (wait ? 0 : CT_OBS_BATCHES - 1))
		if (!run_oldest(l))
			pthread_cond_wait(&l->changed, &l->lock);
	l->filling = &l->batch[(l->oldest + l->waiting) % CT_OBS_BATCHES];
	pthread_mutex_unlock(&l->lock);
}

/* Making and freeing */

/* Makes the stacks: one for each SM, one for all SMs together, one for the LLC. */
static int make_streams(struct ct_locality *l, struct ct_error *e)
{
	static const uint8_t kind_of_store[] = {[CT_STORE_ALLOCATE] = CT_STACK_TOUCH,
	                                        [CT_STORE_NO_ALLOCATE] = CT_STACK_STORE_NOALLOC,
	                                        [CT_STORE_EVICT] = CT_STACK_EVICT};
	struct ct_sm_stacks_options sms = {
		.sms = l->o.sms,
		.sectors = l->o.sectors,
		.store = kind_of_store[l->o.store],
		.step = l->o.window,
		.isa = l->o.isa};
	struct ct_stack_options merged = {.sectors = l->o.sectors};
	struct ct_stack_options llc = {.sectors = l->o.llc_sectors};
	if (ct_sm_stacks_init(&l->sms, &sms) < 0 || ct_linemap_init(&l->lines) < 0)
		return ct_fail_nomem(e);
	l->merged = ct_stack_new(&merged, e);
	l->llc = l->merged ? ct_stack_new(&llc, e) : NULL;
	return l->llc ? 0 : CT_ERR_NOMEM;
}

/* Makes the first n batches, or those of them that are not there yet. */
static int make_batches(struct ct_locality *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct ct_obs_batch *b = &l->batch[i];
		if (!b->l1)
			b->l1 = ct_calloc(CT_OBS_EVENTS, sizeof *b->l1);
		if (!b->llc)
			b->llc = ct_calloc(CT_OBS_EVENTS, sizeof *b->llc);
		if (!b->origin && l->o.sites)
			b->origin = ct_calloc(CT_OBS_EVENTS, sizeof *b->origin);
		if (!b->l1 || !b->llc || (l->o.sites && !b->origin))
			return -1;
	}
	return 0;
}

/* Makes the batches, and what the analysis needs beside them. */
static int make_buffers(struct ct_locality *l)
{
	if (make_batches(l, l->o.threads > 1 ? CT_OBS_BATCHES : 1) < 0)
		return -1;
	l->filling = &l->batch[0];
	l->room = CT_OBS_FEW;
	l->number = ct_calloc(CT_OBS_EVENTS, sizeof *l->number);
	l->met = ct_calloc(CT_OBS_PIECE, sizeof *l->met);
	l->op = ct_calloc(CT_OBS_STREAMS * CT_OBS_PIECE, sizeof *l->op);
	if (l->o.sharing)
		l->sharing = ct_sharing_new(
			l->o.sharing_reads ? l->o.sharing_reads : UINT64_MAX, l->o.seed);
	if (l->sampled)
		l->part = ct_calloc(CT_VIEWS, sizeof *l->part);
	return l->number && l->met && l->op && (!l->o.sharing || l->sharing) && (!l->sampled || l->part)
	               ? 0
	               : -1;
}

/* Refuses what the stacks cannot count, with the key that would help. */
static int check_options(const struct ct_locality_options *o, struct ct_error *e)
{
	if (o->sms == 0 || o->sms > MAX_SMS)
		return ct_fail(e, CT_ERR_USAGE, "%u SMs: 1 to %d are supported", o->sms, (int)MAX_SMS);
	if (o->sectors > 4 || o->llc_sectors > 4)
		return ct_fail(e, CT_ERR_USAGE,
		               "%u sectors in a line of an L1 and %u in one of the LLC: up to 4 are "
		               "supported: take larger sectors (l1.sector, llc.sector)",
		               o->sectors, o->llc_sectors);
	if (o->without & CT_STREAM_L1 && (o->sites || o->sharing))
		return ct_fail(e, CT_ERR_USAGE,
		               "sharing and single instructions need the streams of the L1s");
	if (o->sites && o->sample > 0 && o->sample < 1)
		return ct_fail(e, CT_ERR_USAGE,
		               "what single instructions meet needs every access: leave out --sample");
	if (!(o->sample >= 0 && o->sample <= 1))
		return ct_fail(e, CT_ERR_USAGE, "sampling rate %g: must be above 0 and at most 1",
		               o->sample);
	return 0;
}

struct ct_locality *ct_locality_new(const struct ct_locality_options *o, struct ct_error *e)
{
	if (check_options(o, e) < 0)
		return NULL;
	struct ct_locality *l = ct_calloc(1, sizeof *l);
	if (!l) {
		ct_fail_nomem(e);
		return NULL;
	}
	l->o = *o;
	l->o.sectors = o->sectors ? o->sectors : 1;
	l->o.llc_sectors = o->llc_sectors ? o->llc_sectors : l->o.sectors;
	l->mask = (1u << l->o.sectors) - 1;
	l->llc_mask = (1u << l->o.llc_sectors) - 1;
	l->sampled = o->sample > 0 && o->sample < 1;
	if (l->sampled)
		ct_sampler_init(&l->sampler, o->sample, 1, o->seed, 0);
	int rc = make_streams(l, e);
	if (rc == 0 && make_buffers(l) < 0)
		rc = ct_fail_nomem(e);
	if (rc < 0) {
		ct_locality_free(l);
		return NULL;
	}
	start_thread(l);
	return l;
}

void ct_locality_free(struct ct_locality *l)
{
	if (!l)
		return;
	stop_thread(l);
	ct_sm_stacks_free(&l->sms);
	ct_stack_free(l->merged);
	ct_stack_free(l->llc);
	for (int i = 0; i < CT_OBS_BATCHES; i++) {
		free(l->batch[i].l1);
		free(l->batch[i].llc);
		free(l->batch[i].origin);
	}
	free(l->site);
	free(l->number);
	free(l->met);
	free(l->op);
	free(l->part);
	ct_sharing_free(l->sharing);
	ct_linemap_free(&l->lines);
	ct_locality_counts_free(&l->now);
	free(l);
}

uint64_t ct_locality_analysed(const struct ct_locality *l, enum ct_locality_stream stream)
{
	return l->analysed[stream == CT_STREAM_L1       ? CT_OBS_SMS
	                   : stream == CT_STREAM_MERGED ? CT_OBS_MERGED
	                                                : CT_OBS_LLC];
}

/* Feeding */

/* Counts an access of a sampled analysis; 1 if its line is in the sample. */
static int take(struct ct_locality *l, struct ct_obs_totals *t, uint64_t line, uint32_t mask,
                int is_write)
{
	t->line[is_write]++;
	t->sector[is_write] += ct_bits(mask);
	return ct_sample_mask(&l->sampler, line) != 0;
}

/* Puts an access at the L1s into the batch. */
CT_INLINE void put_l1(struct ct_locality *l, const struct ct_line_access *a)
{
	const uint32_t mask = l->o.sectors > 1 ? a->sectors & l->mask : 1;
	struct ct_obs_batch *b = l->filling;
	if (a->sm >= l->o.sms || (l->sampled && !take(l, &l->l1_total, a->line, mask, a->is_write)))
		return;
	struct ct_line_access *to = &b->l1[b->n_l1++];
	*to = *a;
	to->sectors = mask;
	if (b->n_l1 == l->room)
		hand_over(l, 0);
}

static int near_streams_left_out(const struct ct_locality *l)
{
	return (l->o.without & NEAR_STREAMS) == NEAR_STREAMS;
}

void ct_locality_l1(struct ct_locality *l, uint32_t sm, uint64_t line, uint32_t sectors, int is_write,
                    uint64_t cycle)
{
	const struct ct_line_access a = {line, cycle, sectors, (uint16_t)sm, is_write != 0};
	if (sm < l->o.sms && !near_streams_left_out(l))
		put_l1(l, &a);
}

void ct_locality_l1_many(struct ct_locality *l, const struct ct_line_access *a, size_t n)
{
	for (size_t i = 0; i < n && !near_streams_left_out(l); i++)
		put_l1(l, &a[i]);
}

void ct_locality_l1_of(struct ct_locality *l, uint32_t sm, uint64_t line, uint32_t sectors, int is_write,
                       uint64_t cycle, uint32_t site, uint32_t missed)
{
	struct ct_obs_batch *b = l->filling;
	b->origin[b->n_l1] = (struct ct_obs_origin){site, (uint8_t)missed};
	ct_locality_l1(l, sm, line, sectors, is_write, cycle);
}

void ct_locality_l1_lines(struct ct_locality *l, uint64_t lines)
{
	if (l->l1_lines == lines)
		return;
	hand_over(l, 1);
	l->l1_lines = lines;
}

const struct ct_locality_site *ct_locality_sites(const struct ct_locality *l, size_t *n)
{
	*n = l->n_sites;
	return l->site;
}

void ct_locality_sites_reset(struct ct_locality *l)
{
	if (l->n_sites)
		memset(l->site, 0, l->n_sites * sizeof *l->site);
	l->n_sites = 0;
}

/* Puts an access at the LLC into the batch. */
CT_INLINE void put_llc(struct ct_locality *l, uint64_t line, uint32_t sectors, int is_write)
{
	const uint32_t mask = l->o.llc_sectors > 1 ? sectors & l->llc_mask : 1;
	struct ct_obs_batch *b = l->filling;
	if (l->o.without & CT_STREAM_LLC ||
	    (l->sampled && !take(l, &l->llc_total, line, mask, is_write)))
		return;
	struct ct_line_access *to = &b->llc[b->n_llc++];
	to->line = line;
	to->sectors = mask;
	to->is_write = (uint8_t)is_write;
	if (b->n_llc == l->room)
		hand_over(l, 0);
}

void ct_locality_llc(struct ct_locality *l, uint64_t line, uint32_t sectors, int is_write)
{
	put_llc(l, line, sectors, is_write != 0);
}

void ct_locality_llc_many(struct ct_locality *l, const struct ct_line_access *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_llc(l, a[i].line, a[i].sectors, a[i].is_write);
}

void ct_locality_kernel_begin(struct ct_locality *l, int l1_flushed)
{
	if (!l1_flushed)
		return;
	hand_over(l, 1);
	ct_sm_stacks_flush(&l->sms);
	ct_stack_flush(l->merged);
}

int ct_locality_collect(struct ct_locality *l, struct ct_locality_counts *c, struct ct_error *e)
{
	hand_over(l, 1);
	int rc = l->failed ? ct_fail_nomem(e) : 0;
	if (rc == 0)
		rc = ct_stack_check(l->merged, e);
	if (rc == 0)
		rc = ct_stack_check(l->llc, e);
	if (rc == 0 && l->sharing)
		rc = ct_sharing_move(l->sharing, &l->now.rj_nearest, &l->now.rj_sharers, e);
	if (rc < 0)
		return rc;
	l->now.distinct_lines = l->lines.used;
	l->now.distinct_sectors = l->sms.distinct_sectors;
	rc = l->sampled ? ct_obs_scale(l, c, e) : ct_locality_counts_add(c, &l->now, e);
	ct_locality_counts_free(&l->now);
	memset(&l->now, 0, sizeof l->now);
	return rc;
}
