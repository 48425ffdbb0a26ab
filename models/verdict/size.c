#include "models/verdict/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pass/origin.h"
#include "pass/scale.h"

/* The rule that man/triage.1 tells. */
static const double waves_inside = 1;

/* The places of the engine inside an SM: what takes no other acts on each SM alone. */
enum {
	INSIDE = CT_PLACE_COALESCER | CT_PLACE_L1_LINES | CT_PLACE_L1_ADMISSION | CT_PLACE_SCHEDULER |
	         CT_PLACE_COLLECTOR
};

int ct_size_sms(const struct ct_profile *p, double *used, double *asked)
{
	const char *count = ct_profile_gp(p, "sm.count"), *of = ct_profile_gp(p, CT_PASS_ASKED_KEY);
	if (!count || !ct_field_real(count, used))
		return 0;
	if (!of || !ct_field_real(of, asked))
		*asked = *used;
	return 1;
}

void ct_size_name(double used, double asked, char *text, size_t n)
{
	if (isnan(used))
		snprintf(text, n, "%s", "");
	else if (isnan(asked) || used == asked)
		snprintf(text, n, "%.0f SM%s", used, used == 1 ? "" : "s");
	else
		snprintf(text, n, "%.0f of %.0f SMs", used, asked);
}

/* Profiles that were put together by hand, or merged, may lack launches or GPU: what they say of the fill counts. */
int ct_size_measure(const struct ct_profile *p, struct ct_size *s)
{
	struct ct_gpu g;
	int st = ct_pass_get_gpu(p, &g, NULL);
	*s = (struct ct_size){.waves = NAN, .fillable = NAN, .used = NAN, .asked = NAN, .channels = NAN};
	if (st == CT_OK)
		s->channels = g.llc_slices < g.dram_channels ? g.llc_slices : g.dram_channels;
	if (st == CT_OK)
		st = ct_pass_waves(p, &g, &s->waves, NULL);
	if (st == CT_ERR_NOMEM)
		return st;
	s->scaled = ct_profile_gp(p, CT_PASS_ASKED_KEY) != NULL;
	if (!ct_size_sms(p, &s->used, &s->asked))
		s->used = s->asked = NAN;
	if (st == CT_OK)
		s->waves /= g.sms;
	else if (!ct_profile_get(p, "all", "sm_fill", &s->waves))
		s->waves = NAN;
	s->fillable = floor(s->waves * s->used / ct_pass_waves_wanted * (1 + 1e-9));
	return CT_OK;
}

static double waves_needed(const struct ct_mechanism *m)
{
	return m->places && !(m->places & ~(unsigned)INSIDE) ? waves_inside : ct_pass_waves_wanted;
}

/* 1 when the GPU of the profile is as small as scaling by itself makes it (pass/scale.h): nothing but another trace fills it. */
static int is_smallest(const struct ct_size *s)
{
	return s->used == 1 || (s->scaled && (s->channels == 1 || s->used <= fmax(s->fillable, 1)));
}

/* The SMs that belong to one memory channel are the least that --scale auto takes. The scaled GPU's channels were rounded
 * up by less than one, so that one less gives the most SMs that these can be. NaN: unknown. */
static double most_sms_of_a_channel(const struct ct_size *s)
{
	return ceil(s->used / (s->channels - 1));
}

static const char fills[] = "profile fills ", by_reuse[] = "; make it with reuse --scale auto";

int ct_size_is_reason(const char *reason)
{
	return !strncmp(reason, fills, sizeof fills - 1);
}

void ct_size_advise_option(char *reason, size_t n)
{
	char waves[48];
	const char *end = strstr(reason, by_reuse);
	if (!end || !ct_size_is_reason(reason))
		return;
	const char *from = reason + sizeof fills - 1;
	snprintf(waves, sizeof waves, "%.*s", (int)(end - from), from);
	snprintf(reason, n, "the trace fills %s: give --scale auto", waves);
}

int ct_size_too_small(const struct ct_size *s, const struct ct_mechanism *m, char *reason, size_t n)
{
	char sms[48];
	if (isnan(s->waves)) {
		snprintf(reason, n,
		         "the profile does not say how far the trace fills the GPU: make it again with "
		         "reuse");
		return 1;
	}
	if (s->waves >= waves_needed(m) || is_smallest(s))
		return 0;
	ct_size_name(s->used, s->asked, sms, sizeof sms);
	if (!s->scaled)
		snprintf(reason, n, "%s%.2g waves%s", fills, s->waves, by_reuse);
	else if (s->fillable >= 1 && !(s->fillable < most_sms_of_a_channel(s)))
		snprintf(reason, n,
		         "%s%.2g waves of the %s that --scale asks for; --scale auto takes at "
		         "most %.0f",
		         fills, s->waves, sms, s->fillable);
	else
		snprintf(reason, n,
		         "%s%.2g waves of the %s that --scale asks for; --scale auto takes those of one "
		         "memory channel",
		         fills, s->waves, sms);
	return 1;
}

void ct_size_tell(const struct ct_size *s, const struct ct_mechanism *m, char *reason, size_t n)
{
	char sms[48];
	size_t at = strlen(reason);
	if (isnan(s->waves) || s->waves >= waves_needed(m) || !is_smallest(s))
		return;
	ct_size_name(s->used, s->asked, sms, sizeof sms);
	snprintf(reason + at, n - at, "; the trace fills %.2g waves of %s only", s->waves, sms);
}
