/* The observer against brute-force stacks, and RJ against real LRU caches: one pass
 * must give, for every capacity, what caches of that capacity would have counted. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/observer.h"
#include "locality/rj_table.h"
#include "tests/support/brute_stack.h"

enum { SMS = 5, SECTORS = 4 };

struct access {
	uint32_t sm, mask;
	uint64_t line, cycle;
	int is_write, flush_before;
};

static void make(struct access *a, size_t n, uint64_t seed, uint64_t lines)
{
	uint64_t cycle = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t r = ct_rand64(&seed), own = 1000 * (1 + r % SMS);
		a[i].sm = (uint32_t)(r % SMS);
		a[i].mask = 1 + (uint32_t)(r >> 8) % 15;
		a[i].line = ((r >> 16) % 3 ? own : 0) + (r >> 20) % lines;
		a[i].cycle = cycle += (r >> 40) % 50;
		a[i].is_write = (r >> 56) % 4 == 0;
		a[i].flush_before = (r >> 58) == 0 && i > 0;
	}
}

static void feed(struct ct_locality *l, const struct access *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (a[i].flush_before)
			ct_locality_kernel_begin(l, 1);
		ct_locality_l1(l, a[i].sm, a[i].line, a[i].mask, a[i].is_write, a[i].cycle);
		ct_locality_llc(l, a[i].line, a[i].mask, a[i].is_write);
	}
}

static struct ct_locality *make_locality(int store)
{
	struct ct_locality_options o = {.sms = SMS, .sectors = SECTORS, .store = store, .sharing = 1};
	struct ct_locality *l = ct_locality_new(&o, NULL);
	assert_non_null(l);
	return l;
}

/* Brute-force twin of the histograms. */

static void twin_step(struct brute_stack *b, const struct access *a, int store, struct ct_hist *h,
                      struct ct_hist *sh)
{
	uint64_t sector[4];
	int alloc = !a->is_write || store == CT_STORE_ALLOCATE;
	ct_hist_add(h, brute_access(b, a->line, a->mask, alloc, alloc, sector), 1);
	if (a->is_write && store == CT_STORE_EVICT)
		brute_invalidate(b, a->line);
	for (unsigned i = 0; i < 4; i++)
		if (a->mask >> i & 1)
			ct_hist_add(sh, sector[i], 1);
}

static void histograms_equal_brute_force(void **state)
{
	enum { N = 3000 };
	static struct access a[N];
	static struct ct_locality_counts got, want;
	(void)state;
	for (int store = CT_STORE_ALLOCATE; store <= CT_STORE_EVICT; store++) {
		struct ct_locality *l = make_locality(store);
		struct brute_stack sm[SMS] = {{0}}, merged = {0}, llc = {0};
		memset(&got, 0, sizeof got);
		memset(&want, 0, sizeof want);
		make(a, N, 9, 60);
		feed(l, a, N / 2);
		assert_int_equal(ct_locality_collect(l, &got, NULL), 0);
		feed(l, a + N / 2, N - N / 2);
		assert_int_equal(ct_locality_collect(l, &got, NULL), 0);
		for (size_t i = 0; i < N; i++) {
			int w = a[i].is_write;
			for (int k = 0; k < SMS && a[i].flush_before; k++)
				brute_free(&sm[k]);
			if (a[i].flush_before)
				brute_free(&merged);
			twin_step(&sm[a[i].sm], &a[i], store, w ? &want.l1_write : &want.l1_read,
			          w ? &want.l1_sector_write : &want.l1_sector_read);
			twin_step(&merged, &a[i], store, w ? &want.merged_write : &want.merged_read,
			          w ? &want.merged_sector_write : &want.merged_sector_read);
			/* The LLC allocates for every store. */
			twin_step(&llc, &a[i], CT_STORE_ALLOCATE, w ? &want.llc_write : &want.llc_read,
			          w ? &want.llc_sector_write : &want.llc_sector_read);
		}
		assert_memory_equal(&got, &want, offsetof(struct ct_locality_counts, rj_nearest));
		ct_locality_counts_free(&got);
		ct_locality_free(l);
		for (int k = 0; k < SMS; k++)
			brute_free(&sm[k]);
		brute_free(&merged);
		brute_free(&llc);
	}
}

/* Joint histograms by asking brute-force stacks. */
static void brute_joint(const struct access *a, size_t n, uint32_t sms, int store, struct ct_rj *nearest,
                        struct ct_rj *sharers)
{
	struct brute_stack *sm = calloc(sms, sizeof *sm);
	struct ct_rj_table *near = ct_rj_table_new(), *all = ct_rj_table_new();
	assert_true(sm && near && all);
	for (size_t i = 0; i < n; i++) {
		struct brute_stack *b = &sm[a[i].sm];
		uint64_t own = brute_probe(b, a[i].line), least = CT_COLD;
		int alloc = !a[i].is_write || store == CT_STORE_ALLOCATE;
		for (uint32_t k = 0; k < sms && a[i].flush_before; k++)
			brute_free(&sm[k]);
		if (a[i].flush_before)
			own = CT_COLD;
		for (uint32_t k = 0; k < sms && !a[i].is_write; k++) {
			uint64_t d = k == a[i].sm ? CT_COLD : brute_probe(&sm[k], a[i].line);
			least = d < least ? d : least;
			if (d != CT_COLD)
				ct_rj_table_count(all, own, d);
		}
		if (!a[i].is_write)
			ct_rj_table_count(near, own, least);
		brute_access(b, a[i].line, a[i].mask, alloc, alloc, NULL);
		if (a[i].is_write && store == CT_STORE_EVICT)
			brute_invalidate(b, a[i].line);
	}
	assert_int_equal(ct_rj_table_move(near, nearest, NULL, NULL), 0);
	assert_int_equal(ct_rj_table_move(all, sharers, NULL, NULL), 0);
	for (uint32_t k = 0; k < sms; k++)
		brute_free(&sm[k]);
	free(sm);
	ct_rj_table_free(near);
	ct_rj_table_free(all);
}

static void same_rj(const struct ct_rj *a, const struct ct_rj *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_memory_equal(&a->cell[i], &b->cell[i], sizeof *a->cell);
}

/* With more SMs than a word has bits, on every path, and compacting all the time. */
static void joint_histograms_equal_brute_force(void **state)
{
	enum { N = 2500, MANY = 131 };
	static const uint64_t window[] = {0, 1, 3, 50};
	static struct access a[N];
	(void)state;
	make(a, N, 5, 25);
	for (size_t i = 0; i < N; i++) {
		a[i].sm = (uint32_t)(a[i].cycle * 2654435761u % MANY);
		a[i].sm = i % 3 ? a[i].sm : a[i].sm % 3; /* some SMs do more than others */
	}
	for (int store = CT_STORE_ALLOCATE; store <= CT_STORE_EVICT; store++) {
		struct ct_rj nearest = {0}, sharers = {0};
		brute_joint(a, N, MANY, store, &nearest, &sharers);
		for (int isa = CT_ISA_PORTABLE; isa < CT_ISA_COUNT; isa++)
			for (size_t k = 0; k < sizeof window / sizeof *window; k++) {
				struct ct_locality_options o = {
					.sms = MANY,
					.sectors = SECTORS,
					.store = store,
					.sharing = 1,
					.window = window[k],
					.isa = isa};
				static struct ct_locality_counts c;
				struct ct_locality *l = ct_locality_new(&o, NULL);
				assert_non_null(l);
				memset(&c, 0, sizeof c);
				feed(l, a, N);
				assert_int_equal(ct_locality_collect(l, &c, NULL), 0);
				same_rj(&c.rj_nearest, &nearest);
				same_rj(&c.rj_sharers, &sharers);
				ct_locality_counts_free(&c);
				ct_locality_free(l);
			}
		ct_rj_free(&nearest);
		ct_rj_free(&sharers);
	}
}

/* Fully associative LRU L1s of `capacity` lines, stores allocate or are not there. */
static void real_caches(const struct access *a, size_t n, size_t capacity, double *ratio,
                        double *replicas)
{
	struct brute_stack sm[SMS] = {{0}};
	uint64_t misses = 0, replicated = 0, copies = 0;
	for (size_t i = 0; i < n; i++) {
		struct brute_stack *own = &sm[a[i].sm];
		for (int k = 0; k < SMS && a[i].flush_before; k++)
			brute_free(&sm[k]);
		if (!a[i].is_write && brute_probe(own, a[i].line) == CT_COLD) {
			unsigned others = 0;
			for (int k = 0; k < SMS; k++)
				others += brute_probe(&sm[k], a[i].line) != CT_COLD;
			misses++;
			replicated += others > 0;
			copies += others + 1;
		}
		brute_access(own, a[i].line, 1, 1, 1, NULL);
		if (own->n > capacity)
			own->n = capacity;
	}
	*ratio = (double)replicated / (double)misses;
	*replicas = (double)copies / (double)misses;
	for (int k = 0; k < SMS; k++)
		brute_free(&sm[k]);
}

static void replication_equals_real_caches(void **state)
{
	enum { N = 6000 };
	static struct access a[N];
	(void)state;
	for (uint64_t seed = 1; seed < 4; seed++) {
		struct ct_locality *l = make_locality(CT_STORE_ALLOCATE);
		static struct ct_locality_counts c;
		memset(&c, 0, sizeof c);
		make(a, N, seed, 90);
		feed(l, a, N);
		assert_int_equal(ct_locality_collect(l, &c, NULL), 0);
		/* All are bin boundaries: exact. */
		for (size_t capacity = 1; capacity < 120; capacity += capacity < 32 ? 1 : 4) {
			double ratio, replicas, want_ratio, want_replicas;
			real_caches(a, N, capacity, &want_ratio, &want_replicas);
			ct_rj_replication(&c.rj_nearest, &c.rj_sharers, (double)capacity, &ratio,
			                  &replicas);
			assert_true(fabs(ratio - want_ratio) < 1e-12);
			assert_true(fabs(replicas - want_replicas) < 1e-12);
		}
		ct_locality_counts_free(&c);
		ct_locality_free(l);
	}
}

static void reuse_times_and_distinct_counts(void **state)
{
	static struct ct_locality_counts c;
	struct ct_locality *l = make_locality(CT_STORE_ALLOCATE);
	(void)state;
	memset(&c, 0, sizeof c);
	ct_locality_l1(l, 0, 7, 1, 0, 100);
	ct_locality_l1(l, 0, 7, 3, 0, 100); /* distance 0, time 0 */
	ct_locality_l1(l, 1, 7, 1, 0, 500); /* another SM: cold */
	ct_locality_l1(l, 0, 8, 8, 0, 600);
	ct_locality_l1(l, 0, 7, 1, 0, 1124); /* distance 1, time 1024 */
	assert_int_equal(ct_locality_collect(l, &c, NULL), 0);
	assert_int_equal(c.rt[0][0], 1);
	assert_int_equal(c.rt[1][10], 1);
	assert_int_equal(c.l1_read.cold, 3);
	assert_int_equal(c.distinct_lines, 2);
	assert_int_equal(c.distinct_sectors, 3);
	ct_locality_kernel_begin(l, 1);
	ct_locality_l1(l, 0, 7, 1, 0, 2000); /* flushed: cold again, but not distinct */
	assert_int_equal(ct_locality_collect(l, &c, NULL), 0);
	assert_int_equal(c.l1_read.cold, 4);
	assert_int_equal(c.distinct_lines, 2);
	ct_locality_kernel_begin(l, 0);
	ct_locality_l1(l, 0, 7, 1, 0, 2001);
	assert_int_equal(ct_locality_collect(l, &c, NULL), 0);
	assert_int_equal(c.l1_read.cold, 4);
	ct_locality_counts_free(&c);
	ct_locality_free(l);
}

static void rt_bins_cover(void **state)
{
	(void)state;
	for (unsigned b = 0; b < CT_RT_BINS; b++) {
		assert_int_equal(ct_rt_bin(ct_rt_lo(b)), b);
		assert_int_equal(ct_rt_bin(ct_rt_hi(b) - 1), b);
	}
	assert_int_equal(ct_rt_bin(UINT64_MAX - 1), CT_RT_BINS - 1);
	assert_int_equal(ct_rt_time_bin(0), 0);
	assert_int_equal(ct_rt_time_bin(1), 0);
	assert_int_equal(ct_rt_time_bin(UINT64_MAX), 63);
}

static struct ct_locality *make_with(const struct ct_locality_options *o)
{
	struct ct_locality *l = ct_locality_new(o, NULL);
	assert_non_null(l);
	return l;
}

/* Threads of the caller's: each call of poster_post() starts one. */
struct poster {
	pthread_t thread[64];
	unsigned n;
	void (*work)(void *arg);
	void *arg;
};

static void *do_work(void *poster)
{
	struct poster *p = poster;
	p->work(p->arg);
	return NULL;
}

static void poster_post(void *ctx, void (*work)(void *arg), void *arg)
{
	struct poster *p = ctx;
	if (!p->n) { /* the same in each call */
		p->work = work;
		p->arg = arg;
	}
	if (p->n < 64)
		assert_int_equal(pthread_create(&p->thread[p->n++], NULL, do_work, p), 0);
}

static void poster_end(struct poster *p)
{
	while (p->n)
		pthread_join(p->thread[--p->n], NULL);
}

static void post_nothing(void *ctx, void (*work)(void *arg), void *arg)
{
	(void)ctx;
	(void)work;
	(void)arg;
}

/* More accesses than all batches hold; flushes and collections in between. */
static void threads_change_nothing(void **state)
{
	enum { N = 200000, OWN = 5, SHARED = OWN, NEVER, VARIANTS };
	static struct ct_locality_counts first, now;
	struct access *a = malloc(N * sizeof *a);
	(void)state;
	assert_non_null(a);
	make(a, N, 12, 4000);
	for (unsigned threads = 0; threads < VARIANTS; threads++) {
		struct poster poster = {.n = 0};
		struct ct_locality_options o = {.sms = SMS,
		                                .sectors = SECTORS,
		                                .sharing = 1,
		                                .threads = threads < OWN ? threads : 1};
		struct ct_locality *l = make_with(&o);
		if (threads >= OWN)
			assert_int_equal(
				ct_locality_share(l, threads == SHARED ? poster_post : post_nothing,
			                          &poster, NULL),
				CT_OK);
		struct ct_locality_counts *c = threads ? &now : &first;
		memset(c, 0, sizeof *c);
		for (size_t i = 0, n; i < N; i += n) {
			n = i ? N - i : 17000;
			feed(l, a + i, n);
			assert_int_equal(ct_locality_collect(l, c, NULL), 0);
		}
		poster_end(&poster);
		assert_int_equal(ct_hist_total(&c->l1_read) + ct_hist_total(&c->l1_write), N);
		if (threads) {
			assert_memory_equal(&first, &now,
			                    offsetof(struct ct_locality_counts, rj_nearest));
			assert_memory_equal(first.rt, now.rt, sizeof now.rt);
			same_rj(&first.rj_nearest, &now.rj_nearest);
			same_rj(&first.rj_sharers, &now.rj_sharers);
			ct_locality_counts_free(&now);
		}
		ct_locality_free(l);
	}
	ct_locality_counts_free(&first);
	free(a);
}

static double miss_ratio(const struct ct_hist *h, double lines)
{
	return 1 - ct_hist_hits(h, lines) / (double)ct_hist_total(h);
}

/* A sample keeps the true totals, and its curves and ratios lie near the exact ones. */
static void samples_scale_to_the_whole(void **state)
{
	enum { N = 200000 };
	static struct ct_locality_counts exact, sampled;
	struct access *a = malloc(N * sizeof *a);
	struct ct_locality_options o = {.sms = SMS, .sectors = SECTORS, .sharing = 1};
	unsigned inside = 0, points = 0;
	double worst = 0;
	(void)state;
	assert_non_null(a);
	make(a, N, 3, 20000);
	struct ct_locality *l = make_with(&o);
	memset(&exact, 0, sizeof exact);
	feed(l, a, N);
	assert_int_equal(ct_locality_collect(l, &exact, NULL), 0);
	assert_true(isnan(ct_locality_error(l, CT_VIEW_L1, 100)));
	ct_locality_free(l);
	for (o.seed = 1; o.seed < 6; o.seed++) {
		double ratio, replicas, want_ratio, want_replicas;
		o.sample = 0.1;
		l = make_with(&o);
		memset(&sampled, 0, sizeof sampled);
		feed(l, a, N / 2);
		assert_int_equal(ct_locality_collect(l, &sampled, NULL), 0);
		feed(l, a + N / 2, N - N / 2);
		assert_int_equal(ct_locality_collect(l, &sampled, NULL), 0);
		assert_int_equal(ct_hist_total(&sampled.l1_read), ct_hist_total(&exact.l1_read));
		assert_int_equal(ct_hist_total(&sampled.l1_sector_write),
		                 ct_hist_total(&exact.l1_sector_write));
		assert_int_equal(ct_hist_total(&sampled.llc_write), ct_hist_total(&exact.llc_write));
		assert_true(fabs((double)sampled.distinct_lines / (double)exact.distinct_lines - 1) <
		            0.05);
		for (double c = 500; c < 20000; c *= 2) {
			double e = fabs(miss_ratio(&sampled.l1_read, c) - miss_ratio(&exact.l1_read, c));
			double bar = ct_locality_error(l, CT_VIEW_L1, c);
			assert_true(bar > 0 && bar < 0.2);
			inside += e <= bar;
			points++;
			worst = e > worst ? e : worst;
			ct_rj_replication(&exact.rj_nearest, &exact.rj_sharers, c, &want_ratio,
			                  &want_replicas);
			ct_rj_replication(&sampled.rj_nearest, &sampled.rj_sharers, c, &ratio,
			                  &replicas);
			assert_true(fabs(ratio - want_ratio) < 0.05);
			assert_true(fabs(replicas - want_replicas) < 0.15);
		}
		ct_locality_counts_free(&sampled);
		ct_locality_free(l);
	}
	assert_true(inside * 10 >= points * 9);
	assert_true(worst < 0.05);
	ct_locality_counts_free(&exact);
	free(a);
}

static void bad_options_are_refused(void **state)
{
	struct ct_locality_options o = {.sms = 0, .sectors = 4};
	struct ct_error e;
	(void)state;
	assert_null(ct_locality_new(&o, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
	o.sms = 2;
	o.sample = 1.5;
	assert_null(ct_locality_new(&o, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histograms_equal_brute_force),
		cmocka_unit_test(joint_histograms_equal_brute_force),
		cmocka_unit_test(replication_equals_real_caches),
		cmocka_unit_test(reuse_times_and_distinct_counts),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(samples_scale_to_the_whole),
		cmocka_unit_test(rt_bins_cover),
		cmocka_unit_test(bad_options_are_refused),
	};
	return cmocka_run_group_tests_name("observer", tests, NULL, NULL);
}
