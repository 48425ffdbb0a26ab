/* reason.c - why the Tag-Split Cache gains what it does, and what would tell better. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "locality/hist.h"
#include "models/common/facts.h"
#include "models/tag_split/run.h"

static double metric_of(const struct ct_profile *p, const char *system, const char *metric)
{
	return ct_fact_es(p, TS_MECHANISM, system, metric);
}

/* Chunks of a line that are touched while it is cached, of four. */
static double chunks_used(const struct ct_profile *p)
{
	return 4 * (0.25 * ct_fact_sn(p, "line_touched_25") + 0.5 * ct_fact_sn(p, "line_touched_50") +
	            0.75 * ct_fact_sn(p, "line_touched_75") + ct_fact_sn(p, "line_touched_100"));
}

static int is_sectored(const struct ct_profile *p)
{
	return ct_fact_gp(p, "l1.sector") < ct_fact_gp(p, "l1.line");
}

void ts_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n)
{
	static const char *const count[] = {"none", "one", "two", "three", "all"};
	double used = chunks_used(p), miss = metric_of(p, "configured", "mem_inst_miss_rate");
	double after = metric_of(p, "TSC+", "mem_inst_miss_rate");
	const char *sectored = is_sectored(p) ? ", L1 is sectored already" : "";
	(void)speedup;
	if (!(used >= 0 && used <= 4)) {
		snprintf(text, n, "the profile has no line utilisation");
		return;
	}
	snprintf(text, n, "%s of four chunks used", count[(int)(used + 0.5)]);
	if (isnan(after) || isnan(miss))
		ct_fact_add(text, n, "%s", sectored);
	else if (fabs(after - miss) >= 0.005)
		ct_fact_add(text, n, ", loads that miss L1 go from %.0f to %.0f %%", 100 * miss,
		            100 * after);
	else
		ct_fact_add(text, n, ", %.0f %% of loads miss L1 as before%s", 100 * miss, sectored);
}

/* Whether a load missed because its line had left the L1, from reuse distances. A set of LRU ways keeps what comes back
 * within as many lines as it has ways; what comes back beyond the whole capacity has left. -1 in between. The perfect L1's
 * misses would tell more, but a verdict may not depend on which other systems the pass has measured. */
static int loses_lines(const struct ct_profile *p)
{
	double ways = ct_fact_gp(p, "l1.ways"),
	       lines = ct_fact_gp(p, "l1.size") / ct_fact_gp(p, "l1.line");
	struct ct_hist reads = {.cold = 0};
	int answer = -1;
	if (!(ways > 0) || !(lines > 0) || !ct_profile_get_hist(p, "all", "l1", &reads, NULL))
		return -1;
	double again = (double)ct_hist_total(&reads) - (double)reads.cold;
	if (ct_hist_hits(&reads, ways) >= again)
		answer = 0;
	else if (ct_hist_hits(&reads, lines) < again)
		answer = 1;
	return answer;
}

/* Smaller chunks keep more lines, and of an L1 without sectors they fetch less. */
int ts_acted(const struct ct_profile *p, char *text, size_t n)
{
	double loads = metric_of(p, "configured", "l1_loads");
	double misses = metric_of(p, "configured", "l1_request_misses");
	text[0] = '\0';
	if (loads == 0) {
		snprintf(text, n, "0 loads through the L1s");
		return 0;
	}
	int lost = loses_lines(p);
	if (lost == 0 && (is_sectored(p) || misses == 0)) {
		snprintf(text, n, "0 evictions from the L1s that a later load missed");
		return 0;
	}
	if (!is_sectored(p) && misses > 0)
		return 1;
	return lost;
}

const char *ts_cure(const char *method, int by_parameters)
{
	(void)by_parameters;
	return strcmp(method, "replay") != 0 ? "tsc-est --method replay narrows it" : NULL;
}
