#include "models/verdict/range.h"

#include <math.h>
#include <string.h>

#include "models/registry.h"

/* Nine in ten of 29 pairs of simulator runs (doc/models.md section 13), by what we say ourselves:
 * floor where our ratio of cycles moves by less than 3 %, share of its logarithm where it
 * moves by more. Replay in full timing: 15 and 14 pairs (make fidelity); quick timing, 0.003 and 0.23 over them, is not taken to
 * be closer. Analytic: mpki --method analytic on the 13 pairs that change the LLC, 11 and 2 of them. */
static const struct ct_paired_error replayed = {0.006, 0.28}, analytic = {0.012, 0.54};

/* What quick replays are off by full ones: nine in ten of the pairs of make verdicts that were replayed in both. Ideals
 * are off by more on some kernels (tests/verdicts/quick.tsv). */
static const struct ct_paired_error quick_by_full = {0.006, 0.1};

static double squared(double x)
{
	return x * x;
}

struct ct_paired_error ct_paired_error(const char *method)
{
	int is_replay = strcmp(method, "replay") == 0 || strcmp(method, "quick") == 0 ||
	                strcmp(method, "full") == 0;
	return is_replay ? replayed : analytic;
}

/* The engine replays a whole trace and states no range; a mechanism's own replay of samples does. */
static enum ct_verdict_step step_of(const struct ct_estimate *es)
{
	if (strcmp(es->method, "full") == 0 || (strcmp(es->method, "replay") == 0 && isnan(es->low)))
		return CT_DECIDED_FULL;
	return strcmp(es->method, "quick") == 0 ? CT_DECIDED_QUICK : CT_DECIDED_ESTIMATE;
}

/* Methods are tried in the order of their exactness; the closest one that the profile has counts. */
enum ct_verdict_step ct_range_estimate(const struct ct_profile *p, const struct ct_mechanism *m,
                                       const char *system, struct ct_estimate *es)
{
	static const char *const method[] = {"full", "replay", "quick", "analytic"};
	enum ct_verdict_step best = CT_DECIDED_NOT;
	for (size_t i = 0; i < sizeof method / sizeof method[0]; i++) {
		struct ct_estimate x;
		if (ct_profile_get_estimate(p, "all", m->name, system, "speedup_configured", method[i],
		                            &x) &&
		    x.value > 0 && step_of(&x) > best) {
			best = step_of(&x);
			*es = x;
		}
	}
	return best;
}

/* Whether a mechanism's estimate reads that view of a profile. */
static int reads_view(unsigned reads, const char *view)
{
	if (strcmp(view, "l1") == 0)
		return (reads & CT_READS_L1) != 0;
	if (strcmp(view, "llc") == 0)
		return (reads & CT_READS_LLC) != 0;
	return strncmp(view, "llc@sms=", 8) == 0 && (reads & CT_READS_LLC_SMS);
}

/* What sampling adds: the half-width of the miss ratio's 95 % interval, the largest of the views that the mechanism's
 * estimate reads (of none for one that reads registers only; all when the mechanism is not known). Time is at most
 * proportional to misses, so it bounds the logarithm's. NaN when unknown. */
static double sampling_error(const struct ct_profile *p, const char *mechanism)
{
	int m = mechanism ? ct_mechanism_find(mechanism) : -1;
	unsigned reads = m >= 0 ? ct_mechanism_at((unsigned)m)->views : ~0u;
	const struct ct_record *r;
	double worst = 0, v;
	for (size_t i = 0; (r = ct_profile_next(p, "RE", &i));) {
		if (r->nfields < 4 || strcmp(r->field[0], "all") != 0 || !reads_view(reads, r->field[1]))
			continue;
		if (!ct_field_real(r->field[3], &v))
			return NAN; /* merged, or nothing was sampled */
		worst = fmax(worst, v);
	}
	return worst;
}

/* What a sample of launches adds to an estimate: as above, by the 90 % ranges of the two miss rates. 0 where nothing was
 * left out. */
static double kernels_error(const struct ct_profile *p)
{
	static const char *const metric[][3] = {
		{"l1_miss_rate", "l1_miss_rate_low", "l1_miss_rate_high"},
		{"llc_miss_rate", "llc_miss_rate_low", "llc_miss_rate_high"}};
	double worst = 0, v[3];
	for (int i = 0; i < 2; i++) {
		int known = 1;
		for (int k = 0; k < 3; k++)
			known &= ct_profile_get(p, "all", metric[i][k], &v[k]);
		if (known)
			worst = fmax(worst, fmax(v[0] - v[1], v[2] - v[0]));
	}
	return worst;
}

/* What it adds to a replay whose own range nobody has told: that of the cycles, of which a speed-up has two. */
static double cycles_error(const struct ct_profile *p)
{
	double low, high;
	if (!ct_profile_get(p, "all", "cycles_low", &low) ||
	    !ct_profile_get(p, "all", "cycles_high", &high) || !(low > 0) || !(high > low))
		return 0;
	return sqrt(2) * log(high / low) / 2;
}

/* All that sampling adds to an estimate or to a replay. */
static double sampled_error(const struct ct_profile *p, const struct ct_estimate *es)
{
	if (step_of(es) == CT_DECIDED_ESTIMATE)
		return hypot(sampling_error(p, es->mechanism), kernels_error(p));
	return isnan(es->low) ? cycles_error(p) : 0;
}

/* What such a speed-up was off elsewhere: by a mechanism's own estimator what that was off, where it is known. Gains were off by
 * more than losses, some by all of their logarithm (tests/verdicts/estimates.tsv), so that no estimate of one leaves out a loss. */
static struct ct_paired_error error_of_method(const struct ct_estimate *es)
{
	int m = es->mechanism ? ct_mechanism_find(es->mechanism) : -1;
	if (step_of(es) == CT_DECIDED_ESTIMATE && m >= 0) {
		const struct ct_mechanism_error *x = &ct_mechanism_at((unsigned)m)->estimate_error;
		if (x->floor > 0)
			return (struct ct_paired_error){
				x->floor, es->value > 1 ? fmax(x->share, 1) : x->share};
	}
	return ct_paired_error(es->method);
}

/* An estimate from a profile that was made with quick timing has the error of both. */
static struct ct_paired_error error_of(const struct ct_profile *p, const struct ct_estimate *es)
{
	struct ct_paired_error x = error_of_method(es);
	if (step_of(es) != CT_DECIDED_ESTIMATE || !ct_profile_gp(p, CT_PASS_TIMING_KEY))
		return x;
	return (struct ct_paired_error){
		hypot(x.floor, quick_by_full.floor), hypot(x.share, quick_by_full.share)};
}

struct ct_range_doubt ct_range_doubt(const struct ct_profile *p, const struct ct_estimate *es)
{
	struct ct_paired_error x = error_of(p, es);
	double s = log(es->value);
	return (struct ct_range_doubt){
		.paired = fmax(x.floor, x.share * fabs(s)),
		.below = es->low > 0 && es->low < es->value ? s - log(es->low) : 0,
		.above = es->high > es->value ? log(es->high) - s : 0,
		/* Replays of verdicts see all lines, and tell the range of a sample of launches themselves. */
		.sampled = sampled_error(p, es)};
}

void ct_verdict_range(const struct ct_profile *p, const struct ct_estimate *es, double *low,
                      double *high)
{
	const double s = es->value > 0 ? log(es->value) : NAN;
	struct ct_range_doubt d = {NAN, NAN, NAN, NAN};
	if (es->value > 0)
		d = ct_range_doubt(p, es);
	/* Last: low and high may be those of *es. */
	*low = exp(s - sqrt(squared(d.paired) + squared(d.below) + squared(d.sampled)));
	*high = exp(s + sqrt(squared(d.paired) + squared(d.above) + squared(d.sampled)));
}

void ct_range_ratio(const struct ct_profile *p, const struct ct_estimate *a, const struct ct_estimate *b,
                    double *low, double *high)
{
	struct ct_range_doubt x = ct_range_doubt(p, a), y = ct_range_doubt(p, b);
	struct ct_paired_error of_a = error_of(p, a), of_b = error_of(p, b);
	double gain = log(a->value) - log(b->value);
	double paired = fmax(fmax(of_a.floor, of_b.floor), fmax(of_a.share, of_b.share) * fabs(gain));
	double same = squared(paired) + squared(fmax(x.sampled, y.sampled));
	*low = exp(gain - sqrt(same + squared(x.below) + squared(y.above)));
	*high = exp(gain + sqrt(same + squared(x.above) + squared(y.below)));
}
