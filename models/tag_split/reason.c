/* reason.c - why the Tag-Split Cache gains what it does, and what would tell better. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "locality/hist.h"
#include "models/common/cause.h"
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

/* Fewer chunks than that leave something to gain by fetching only what is used. */
static const double UNUSED = 3.5;

static int is_sectored(const struct ct_profile *p)
{
	return ct_fact_gp(p, "l1.sector") < ct_fact_gp(p, "l1.line");
}

/* Adds that the paper's L1 with plain lines misses about as much, where it makes most of what the misses change: then the
 * ways and the stores of that L1 are the cause, and not its tags. */
static void add_plain_lines(const struct ct_profile *p, const struct ct_cause *misses, char *text,
                            size_t n)
{
	static const double most = 0.5, clear = 0.1;
	const double plain = metric_of(p, "128B", "l1_miss_rate"),
		     moved = misses->after - misses->before;
	if (fabs(moved) > clear * misses->before && (plain - misses->before) / moved >= most)
		ct_fact_add(text, n, ", with plain lines in the paper's L1 (128B) they are %.3g %%, too",
		            100 * plain);
}

void ts_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n)
{
	static const char *const count[] = {"none", "one", "two", "three", "all"};
	static const struct {
		const char *metric, *what, *unit;
		double scale;
	} of[] = {{"l1_miss_rate", "L1 sector misses", " %", 100},
	          {"mem_inst_miss_rate", "loads that miss L1", " %", 100},
	          {"traffic_l2_to_l1_bytes", "bytes from the LLC", " KiB", 1.0 / 1024},
	          {"traffic_l1_to_l2_bytes", "bytes to the LLC", " KiB", 1.0 / 1024}};
	enum { CAUSES = sizeof of / sizeof of[0] };
	struct ct_cause cause[CAUSES];
	double used = chunks_used(p);
	for (size_t i = 0; i < CAUSES; i++)
		cause[i] = (struct ct_cause){
			of[i].what,
			of[i].unit,
			of[i].scale,
			metric_of(p, "configured", of[i].metric),
			metric_of(p, "TSC+", of[i].metric),
			0};
	const struct ct_cause_flow flow = {
		1, cause[2].after / cause[2].before,
		metric_of(p, "TSC+", "llc_mpki") / metric_of(p, "configured", "llc_mpki"), 1};
	if (!(used >= 0 && used <= 4)) {
		snprintf(text, n, "the profile has no line utilisation");
		return;
	}
	text[0] = '\0';
	ct_cause_add(text, n, speedup->value, cause, CAUSES);
	if (fabs(speedup->value - 1) > ct_cause_same && strstr(text, of[0].what))
		add_plain_lines(p, &cause[0], text, n);
	ct_cause_add_limit(text, n, p, speedup->value, &flow);
	if (used < UNUSED && speedup->value > 1 + ct_cause_same) /* else it is no reason */
		ct_fact_add(text, n, ", %s of four chunks used", count[(int)(used + 0.5)]);
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
