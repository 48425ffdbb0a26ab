#include "models/verdict/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* The rule that man/triage.1 tells. */
const double ct_size_waves_needed = 2;
static const int smallest_scale = 64; /* --scale auto stops there too */

static const char too_small_for[] = "trace too small for this GPU, try ";

int ct_size_asks_for_scale(const char *reason)
{
	return !strncmp(reason, too_small_for, sizeof too_small_for - 1) &&
	       strstr(reason, "--scale ");
}

double ct_size_scale(const struct ct_profile *p)
{
	const struct ct_record *r;
	double scale = 1;
	for (size_t i = 0; (r = ct_profile_next(p, "PG", &i));) {
		const char *s = r->nfields >= 3 ? strstr(r->field[2], " --scale ") : NULL;
		char word[32];
		if (!s)
			continue;
		snprintf(word, sizeof word, "%.*s", (int)strcspn(s + 9, " "), s + 9);
		if (ct_parse_real(word, &scale) < 0)
			scale = NAN;
	}
	return scale;
}

/* So many waves on `sms` SMs, that are `scale` of the GPU's, on 1/denominator of it: SMs are
 * rounded up. Without their number, as if they could be parted. */
static double waves_at(double waves, double sms, double scale, int denominator)
{
	double left = sms / (scale * denominator);
	return waves * (sms > 0 ? sms / fmax(ceil(left * (1 - 1e-9)), 1) : scale * denominator);
}

/* What to try with so many waves: the largest of 1/2 ... 1/64 that gives two of them. */
static void advise_scale(const struct ct_profile *p, double scale, double waves, char out[64])
{
	const char *text = ct_profile_gp(p, "sm.count");
	double sms = 0;
	int denominator = 2;
	if (!text || !ct_field_real(text, &sms))
		sms = 0;
	while (denominator < smallest_scale &&
	       !(waves_at(waves, sms, scale, denominator) >= ct_size_waves_needed))
		denominator *= 2;
	if (waves_at(waves, sms, scale, denominator) >= ct_size_waves_needed)
		snprintf(out, 64, "--scale 1/%d%s", denominator, scale == 1 ? " or --scale auto" : "");
	else
		snprintf(out, 64, "a larger input");
}

int ct_size_too_small(const struct ct_profile *p, const struct ct_mechanism *m, double scale,
                      char *reason, size_t n)
{
	double waves = NAN, flag = 0;
	char what[64];
	(void)m;
	if (ct_profile_get(p, "all", "truncated", &flag) && flag > 0) {
		snprintf(reason, n,
		         "the trace is damaged and only a part of it was "
		         "used: record it again");
		return 1;
	}
	if (!ct_profile_get(p, "all", "sm_fill", &waves)) {
		snprintf(reason, n,
		         "the profile does not say how far the trace fills the GPU: make "
		         "it again with reuse");
		return 1;
	}
	if (waves < ct_size_waves_needed) {
		advise_scale(p, scale, waves, what);
		snprintf(reason, n, "%s%s (%.2g wave%s of CTAs)", too_small_for, what,
		         waves, fabs(waves - 1) < 0.05 ? "" : "s");
		return 1;
	}
	return 0;
}

int ct_size_sms(const struct ct_profile *p, double *used, double *asked)
{
	const char *text = ct_profile_gp(p, "sm.count");
	if (!text || !ct_field_real(text, used))
		return 0;
	*asked = *used;
	return 1;
}
