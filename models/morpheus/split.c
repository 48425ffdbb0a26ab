#include "models/morpheus/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "models/common/thin.h"
#include "models/morpheus/filter.h"

/* doc/models.md section 7: warn above 0.6 of the ceiling. */
static const double CROWDED = 0.6;
enum { BLOOM_KEYS = 1024, SIMULATED_ACCESSES = 6000 };

int ct_mo_bloom_init(struct ct_mo_bloom *b, const struct ct_morpheus_params *p, struct ct_error *e)
{
	memset(b, 0, sizeof *b);
	b->bits = (unsigned)p->v[CT_MO_BLOOM_BYTES] * 8;
	b->hashes = (unsigned)p->v[CT_MO_BLOOM_HASHES];
	b->n = BLOOM_KEYS;
	b->f = ct_calloc(b->n, sizeof *b->f);
	if (!b->f)
		return ct_fail_nomem(e);
	int st = ct_bloom_exact(b->bits, b->hashes, b->n - 1, b->f);
	if (st == -2)
		return ct_fail_nomem(e);
	if (st < 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "Bloom filters of %u bits and %u hashes: use up to %d and %d", b->bits,
		               b->hashes, CT_BLOOM_BITS_MAX, CT_BLOOM_HASHES_MAX);
	b->ceiling = ct_bloom_ceiling(b->bits, b->hashes);
	return CT_OK;
}

void ct_mo_bloom_free(struct ct_mo_bloom *b)
{
	free(b->f);
	b->f = NULL;
}

/* An LRU stack whose next distance is drawn from the curve. */
struct stack_stream {
	uint64_t *list, next, rng;
	unsigned len, cap;
	const double *miss;
};

/* Distance of the next access: j with probability miss[j] - miss[j + 1]. */
static unsigned draw_distance(struct stack_stream *s)
{
	double u = (double)(ct_rand64(&s->rng) >> 11) * 0x1p-53;
	unsigned lo = 0, hi = s->cap - 1; /* first j with miss[j + 1] <= u, else new */
	if (s->miss[s->cap - 1] > u)
		return s->cap;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		if (s->miss[mid + 1] <= u)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Takes the drawn block, or a new one, to the top of the stack. */
static uint64_t next_block(struct stack_stream *s, unsigned *distance)
{
	unsigned d = draw_distance(s);
	uint64_t block = d < s->len ? s->list[d] : s->next++;
	*distance = d < s->len ? d : s->cap;
	if (d >= s->len)
		d = s->len < s->cap ? s->len++ : s->cap - 1;
	memmove(s->list + 1, s->list, d * sizeof *s->list);
	s->list[0] = block;
	return block;
}

double ct_mo_simulate_filters(const double *miss, unsigned n_miss, unsigned bits, unsigned hashes,
                              unsigned blocks, unsigned accesses)
{
	struct ct_mo_filter_params p = {bits, hashes, CT_MO_HASH_MIX};
	struct ct_mo_filters *f = ct_mo_filters_new(&p, 1, NULL);
	struct stack_stream s = {.rng = 1, .cap = n_miss > 1 ? n_miss - 1 : 1, .miss = miss};
	s.list = ct_calloc(s.cap, sizeof *s.list);
	double wrong = -1, misses = 0;
	if (f && s.list) {
		wrong = 0;
		for (unsigned t = 0; t < accesses; t++) {
			unsigned d;
			uint64_t block = next_block(&s, &d);
			if (d >= blocks && t > accesses / 4) {
				misses++;
				wrong += ct_mo_filter_predict(f, 0, block);
			}
			ct_mo_filter_update(f, 0, block, blocks);
		}
	}
	free(s.list);
	ct_mo_filters_free(f);
	if (wrong < 0)
		return wrong;
	return misses > 0 ? wrong / misses : NAN;
}

/* One kind of extended set. */
struct kind {
	unsigned blocks;
	double sets, share; /* of the requests that all its sets take */
	double misses, given_miss, stale, alias;
	int dead, crowded, simulated;
};

/* What the two filters of a set say under a stream of that miss curve: by the formula, and by simulation bit
 * by bit where the formula is known to be optimistic. */
static int predict_misses(struct kind *k, const double *miss, unsigned n, const struct ct_mo_bloom *b)
{
	struct ct_dual_bloom d;
	if (ct_dual_bloom_eval(miss, n, b->f, b->n, b->bits, b->hashes, k->blocks, b->ceiling, &d))
		return -1;
	k->given_miss = d.given_miss;
	k->stale = d.stale;
	k->alias = d.alias;
	k->dead = d.dead;
	k->crowded = k->blocks > CROWDED * b->ceiling;
	if (d.doubtful && !d.dead && d.miss_rate > 0) {
		double q = ct_mo_simulate_filters(
			miss, n, b->bits, b->hashes, k->blocks, SIMULATED_ACCESSES);
		if (q < 0)
			return -1;
		if (isfinite(q)) {
			k->given_miss = q;
			k->stale = fmax(q - k->alias, 0);
			k->simulated = 1;
		}
	}
	return 0;
}

/* Until a set has seen as many blocks as it holds, nothing leaves it and its filters do not swap: a prediction is wrong by
 * aliasing with the blocks that came before, one more at each miss. The steady state begins behind that, which short
 * runs do not reach. cold: blocks that the sets of the kind see in all. */
static void fill_filters(struct kind *k, double cold, const struct ct_mo_bloom *b)
{
	double seen = fmin(cold / k->sets, k->blocks), misses = k->misses / k->sets, sum = 0;
	if (!(misses > 0))
		return;
	for (unsigned n = 0; n < seen; n++)
		sum += b->f[n < b->n ? n : b->n - 1] * fmin(seen - n, 1);
	double steady = fmax(misses - seen, 0) / misses, alias = fmin(sum / misses, 1 - steady);
	k->given_miss = k->given_miss * steady + alias;
	k->stale *= steady;
	k->alias = k->alias * steady + alias;
}

/* Misses of all sets of one kind, and what their filters make of them. */
static int eval_kind(const struct ct_workload *w, const struct ct_mo_split *s, struct kind *k,
                     const struct ct_mo_bloom *bloom)
{
	if (k->blocks == 0 || k->sets <= 0)
		return 0;
	unsigned n = bloom ? 3 * k->blocks + 32 : k->blocks + 1, a, b;
	double t, *miss = ct_calloc(n, sizeof *miss);
	if (!miss)
		return -1;
	double p = k->blocks / (s->conv_lines + s->ext_lines);
	ct_workload_bracket(w, s->sms, &a, &b, &t);
	double wa = w->view[a].total * (1 - t), wb = w->view[b].total * t;
	int two = t > 0 && ct_workload_same_view(w, a) != ct_workload_same_view(w, b);
	ct_thin_mixed(&w->view[a].hist, two ? &w->view[b].hist : NULL, t, p, n - 1, miss);
	k->share = k->sets * p;
	k->misses = fmin((wa + wb) * miss[k->blocks], s->requests) * k->share;
	int st = bloom ? predict_misses(k, miss, n, bloom) : 0;
	if (bloom && st == 0)
		fill_filters(k, ct_workload_llc_cold(w, s->sms) * k->share, bloom);
	free(miss);
	return st;
}

int ct_mo_split_eval(const struct ct_workload *w, const struct ct_morpheus_kernel *k,
                     const struct ct_mo_bloom *bloom, double sms, double cache_sms, double conv_lines,
                     unsigned ways, struct ct_mo_split *s, struct ct_error *e)
{
	memset(s, 0, sizeof *s);
	struct kind kinds[CT_MO_SET_KINDS] = {
		[CT_MO_SETS_RF] = {.blocks = k->rf_blocks, .sets = cache_sms * k->rf_warps},
		[CT_MO_SETS_L1] = {.blocks = k->l1_blocks, .sets = cache_sms * k->l1_warps},
	};
	s->sms = sms;
	s->cache_sms = cache_sms;
	s->conv_lines = conv_lines;
	s->requests = ct_workload_llc_requests(w, sms);
	for (int i = 0; i < CT_MO_SET_KINDS; i++)
		s->ext_lines += kinds[i].sets * kinds[i].blocks;
	double total = s->conv_lines + s->ext_lines;
	s->ext_share = total > 0 ? s->ext_lines / total : 0;
	/* A conventional set of `ways` takes ways / total of the lines, too. */
	s->conv_misses = ct_workload_llc_misses(w, sms, total, ways) * (1 - s->ext_share);
	for (int i = 0; i < CT_MO_SET_KINDS; i++) {
		if (eval_kind(w, s, &kinds[i], bloom) < 0)
			return ct_fail_nomem(e);
		s->sets[i] = kinds[i].sets;
		s->kind_share[i] = kinds[i].share;
		s->kind_misses[i] = kinds[i].misses;
		s->ext_misses += kinds[i].misses;
		s->given_miss += kinds[i].misses * kinds[i].given_miss;
		s->stale += kinds[i].misses * kinds[i].stale;
		s->alias += kinds[i].misses * kinds[i].alias;
		s->simulated |= kinds[i].simulated;
		s->dead |= kinds[i].dead;
		s->crowded |= kinds[i].crowded;
	}
	if (s->ext_misses > 0) {
		s->given_miss /= s->ext_misses;
		s->stale /= s->ext_misses;
		s->alias /= s->ext_misses;
	}
	return CT_OK;
}
