#include "models/bypass/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "gpu/coalesce.h"
#include "models/bypass/seen.h"
#include "models/bypass/tags.h"
#include "models/common/perf.h"
#include "models/common/records.h"
#include "replay/parts.h"

enum { ON_THE_WAY = 256 /* lines of an SM that have passed and are remembered until they are there */ };

/* A line that a passing load has asked for. */
struct passing {
	uint64_t line, until;
	uint32_t sectors;
};

struct one_sm {
	struct ct_bp_tags *baseline, *behind; /* BL's, and those behind the predictor */
	struct ct_bp_seen perfect;
	struct passing *passing;
};

struct ct_bp_measure {
	const struct ct_gpu *g;
	struct ct_bp_params params;
	struct ct_bp_predictor *predictor;
	struct one_sm *sm;
	uint64_t latency; /* cycles from a miss to its data */
	int counting, failed;
	struct ct_bp_counts c[CT_BP_SYSTEMS];
};

static const char *const NAMES[CT_BP_SYSTEMS] = {"BL", "Bypass", "Perfect", "Ideal-L1"};

const char *ct_bp_system_name(enum ct_bp_system system)
{
	return NAMES[system];
}

int ct_bp_measure_new(struct ct_bp_measure **out, const struct ct_gpu *g,
                      const struct ct_bp_params *params, int warmup, struct ct_error *e)
{
	uint32_t slots = ct_admission_slots(g);
	double hit, miss;
	struct ct_bp_measure *m = *out = ct_calloc(1, sizeof *m);
	if (!m)
		return ct_fail_nomem(e);
	m->g = g;
	m->params = *params;
	m->counting = !warmup;
	ct_perf_latencies_ns(g, &hit, &miss);
	m->latency = (uint64_t)ceil(hit * g->core_mhz / 1000);
	m->sm = ct_calloc(g->sms, sizeof *m->sm);
	int st = m->sm ? ct_bp_predictor_new(&m->predictor, g->sms, slots, params, e) : ct_fail_nomem(e);
	for (uint32_t i = 0; i < g->sms && st == CT_OK; i++) {
		st = ct_bp_tags_new(&m->sm[i].baseline, g, slots, e);
		if (st == CT_OK)
			st = ct_bp_tags_new(&m->sm[i].behind, g, slots, e);
		m->sm[i].passing = ct_calloc(ON_THE_WAY, sizeof *m->sm[i].passing);
		if (st == CT_OK && !m->sm[i].passing)
			st = ct_fail_nomem(e);
	}
	if (st != CT_OK) {
		ct_bp_measure_free(m);
		*out = NULL;
	}
	return st;
}

void ct_bp_measure_free(struct ct_bp_measure *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->sm && i < m->g->sms; i++) {
		ct_bp_tags_free(m->sm[i].baseline);
		ct_bp_tags_free(m->sm[i].behind);
		ct_bp_seen_free(&m->sm[i].perfect);
		free(m->sm[i].passing);
	}
	ct_bp_predictor_free(m->predictor);
	free(m->sm);
	free(m);
}

/* An L1 of another shape is an empty one; at a launch the configuration may empty it as well. */
static void begin_launch(struct ct_bp_tags *t, uint32_t sets, uint32_t ways, int flush)
{
	if (!ct_bp_tags_has_shape(t, sets, ways))
		ct_bp_tags_shape(t, sets, ways);
	else if (flush)
		ct_bp_tags_flush(t);
}

void ct_bp_measure_kernel(struct ct_bp_measure *m, const struct ct_kernel *k, uint32_t sets,
                          uint32_t ways)
{
	ct_bp_predictor_kernel(m->predictor, k->name);
	for (uint32_t i = 0; i < m->g->sms; i++) {
		begin_launch(m->sm[i].baseline, sets, ways, m->g->l1_flush != 0);
		begin_launch(m->sm[i].behind, sets, ways, m->g->l1_flush != 0);
	}
}

/* ---- loads ---- */

/* Sectors of a passing request that nobody else has asked for while they are on their way. */
static uint32_t fetch_past(struct one_sm *sm, const struct ct_l1_event *ev, uint32_t sectors,
                           uint64_t latency)
{
	struct passing *p = &sm->passing[ct_mix64(ev->line) % ON_THE_WAY];
	uint32_t fresh = sectors;
	if (p->line == ev->line && p->until > ev->cycle) {
		fresh &= ~p->sectors;
		p->sectors |= fresh;
	} else {
		*p = (struct passing){ev->line, ev->cycle + latency, sectors};
	}
	return fresh;
}

/* A load of one line: counts in *c what is fetched. Returns the sectors that were not there. predictor: NULL for
 * an L1 that lets everything in. */
static uint32_t load_line(struct ct_bp_measure *m, struct ct_bp_tags *t,
                          struct ct_bp_predictor *predictor, const struct ct_l1_event *ev,
                          struct ct_bp_counts *c)
{
	uint32_t i = ct_bp_tags_find(t, ev->line), have = 0;
	int evicted = 0;
	if (i != CT_BP_NO_SLOT) {
		have = ct_bp_tags_sectors(t, i) & ev->sectors;
		ct_bp_tags_touch(t, i);
		if (predictor)
			ct_bp_found(predictor, ev->sm, i, ev->pc, have != 0);
	} else if (predictor && !ct_bp_may_allocate(predictor, ev->sm, ev->pc)) {
		c->passed++;
		c->fetched += ct_bits(fetch_past(&m->sm[ev->sm], ev, ev->sectors, m->latency));
		return ev->sectors;
	} else {
		i = ct_bp_tags_allocate(t, ev->line, &evicted);
		if (predictor)
			ct_bp_allocated(predictor, ev->sm, i, ev->pc, evicted);
	}
	ct_bp_tags_fill(t, i, ev->sectors);
	c->evictions += evicted != 0;
	c->fetched += ct_bits(ev->sectors & ~have);
	return ev->sectors & ~have;
}

static uint32_t load_perfect(struct ct_bp_measure *m, const struct ct_l1_event *ev,
                             struct ct_bp_counts *c)
{
	struct ct_bp_seen *s = &m->sm[ev->sm].perfect;
	uint32_t i = ct_bp_seen_enter(s, ev->line), missing;
	if (i == CT_BP_NO_LINE) {
		m->failed = 1;
		return 0;
	}
	missing = ev->sectors & ~s->line[i].have;
	s->line[i].have |= missing;
	c->fetched += ct_bits(missing);
	return missing;
}

static void count_load(struct ct_bp_counts *c, const struct ct_l1_event *ev, uint32_t missing)
{
	c->requests++;
	c->request_misses += missing != 0;
	c->sectors += ct_bits(ev->sectors);
	c->sector_misses += ct_bits(missing);
}

/* ---- stores ---- */

/* A store of one line, by the GPU's write policy. Returns the sectors that were not there. */
static uint32_t store_line(const struct ct_gpu *g, struct ct_bp_tags *t,
                           struct ct_bp_predictor *predictor, const struct ct_l1_event *ev,
                           struct ct_bp_counts *c)
{
	uint32_t i = ct_bp_tags_find(t, ev->line);
	uint32_t have = i == CT_BP_NO_SLOT ? 0 : ct_bp_tags_sectors(t, i) & ev->sectors;
	if (g->l1.write_policy >= CT_WRITE_THROUGH_ALLOCATE) {
		int evicted = 0;
		if (i == CT_BP_NO_SLOT) {
			i = ct_bp_tags_allocate(t, ev->line, &evicted);
			if (predictor)
				ct_bp_allocated(predictor, ev->sm, i, ev->pc, evicted);
		} else {
			ct_bp_tags_touch(t, i);
		}
		c->evictions += evicted != 0;
		ct_bp_tags_fill(t, i,
		                ct_whole_sectors(g->l1.line, g->l1.sector, ev->sectors, ev->bytes));
	} else if (have && g->l1.write_policy == CT_WRITE_EVICT) {
		ct_bp_tags_drop(t, i, have);
	} else if (have) {
		ct_bp_tags_touch(t, i);
	}
	return ev->sectors & ~have;
}

static uint32_t store_perfect(struct ct_bp_measure *m, const struct ct_l1_event *ev)
{
	struct ct_bp_seen *s = &m->sm[ev->sm].perfect;
	uint32_t i = ct_bp_seen_enter(s, ev->line), missing;
	if (i == CT_BP_NO_LINE) {
		m->failed = 1;
		return 0;
	}
	missing = ev->sectors & ~s->line[i].have;
	if (m->g->l1.write_policy >= CT_WRITE_THROUGH_ALLOCATE)
		s->line[i].have |= ct_whole_sectors(
			m->g->l1.line, m->g->l1.sector, ev->sectors, ev->bytes);
	return missing;
}

static void count_store(struct ct_bp_counts *c, const struct ct_l1_event *ev, uint32_t missing)
{
	c->sectors += ct_bits(ev->sectors);
	c->sector_misses += ct_bits(missing);
	c->stored += ct_bits(ev->sectors);
}

/* ---- hooks ---- */

/* A line at an L1 of the baseline: the same at each system's. What passes the L1 by its opcode does so in all. */
static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct ct_bp_measure *m = ctx;
	struct one_sm *sm = &m->sm[ev->sm];
	struct ct_bp_counts none[CT_BP_SYSTEMS], *c = m->counting ? m->c : none;
	if (ev->bypass || ev->is_atomic)
		return;
	if (!m->counting)
		memset(none, 0, sizeof none);
	if (ev->is_write) {
		count_store(&c[CT_BP_BL], ev, store_line(m->g, sm->baseline, NULL, ev, &c[CT_BP_BL]));
		count_store(&c[CT_BP_BYPASS], ev,
		            store_line(m->g, sm->behind, m->predictor, ev, &c[CT_BP_BYPASS]));
		count_store(&c[CT_BP_PERFECT], ev, store_perfect(m, ev));
		count_store(&c[CT_BP_IDEAL], ev, 0);
		return;
	}
	count_load(&c[CT_BP_BL], ev, load_line(m, sm->baseline, NULL, ev, &c[CT_BP_BL]));
	count_load(&c[CT_BP_BYPASS], ev, load_line(m, sm->behind, m->predictor, ev, &c[CT_BP_BYPASS]));
	count_load(&c[CT_BP_PERFECT], ev, load_perfect(m, ev, &c[CT_BP_PERFECT]));
	count_load(&c[CT_BP_IDEAL], ev, 0);
}

static void on_wipe(void *ctx, uint32_t sm)
{
	struct ct_bp_measure *m = ctx;
	ct_bp_tags_flush(m->sm[sm].baseline);
	ct_bp_tags_flush(m->sm[sm].behind);
}

static void on_counted(void *ctx)
{
	struct ct_bp_measure *m = ctx;
	m->counting = 1;
	ct_bp_predictor_restart(m->predictor);
}

struct ct_replay_observer ct_bp_measure_observer(struct ct_bp_measure *m)
{
	return (struct ct_replay_observer){
		.ctx = m, .l1 = on_l1, .l1_wipe = on_wipe, .counted = on_counted};
}

/* ---- what came out ---- */

int ct_bp_measure_counts(const struct ct_bp_measure *m, enum ct_bp_system system, struct ct_bp_counts *c,
                         struct ct_error *e)
{
	if (m->failed)
		return ct_fail_nomem(e);
	*c = m->c[system];
	if (system == CT_BP_BYPASS && m->counting)
		c->dead = ct_bp_predictor_counts(m->predictor).dead;
	return CT_OK;
}

static double share_of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* Writes what was counted for one system. Systems that never evict have no numbers about evictions. */
static void write_one(struct ct_records *w, const struct ct_bp_measure *m, enum ct_bp_system system,
                      const struct ct_bp_counts *c)
{
	double sector = m->g->l1.sector;
	w->system = NAMES[system];
	ct_records_value(w, "l1_untimed_miss_rate", share_of(c->sector_misses, c->sectors));
	ct_records_value(w, "l1_load_request_miss_rate", share_of(c->request_misses, c->requests));
	ct_records_value(w, "l1_requests", (double)c->requests);
	ct_records_value(w, "l1_request_misses", (double)c->request_misses);
	ct_records_value(w, "l1_fetched_bytes", sector * (double)c->fetched);
	ct_records_value(w, "l1_stored_bytes", sector * (double)c->stored);
	if (system == CT_BP_PERFECT || system == CT_BP_IDEAL)
		return;
	ct_records_value(w, "l1_evictions", (double)c->evictions);
	if (system != CT_BP_BYPASS)
		return;
	ct_records_value(w, "l1_dead_evictions", (double)c->dead);
	ct_records_value(w, "l1_passed_requests", (double)c->passed);
	ct_records_value(w, "storage_bytes",
	                 ct_bp_storage_bytes(&m->params, (double)m->g->l1.sets * m->g->l1.ways));
}

int ct_bp_measure_write(const struct ct_bp_measure *m, struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = "bypass", .method = "replay"};
	for (int i = 0; i < CT_BP_SYSTEMS && w.status == CT_OK; i++) {
		struct ct_bp_counts c = {0};
		w.status = ct_bp_measure_counts(m, (enum ct_bp_system)i, &c, e);
		if (w.status == CT_OK)
			write_one(&w, m, (enum ct_bp_system)i, &c);
	}
	return w.status;
}
