/* replays.c - what needs the trace: measuring other parameters, and replaying each system with L1s of its
 * own. */
#include <math.h>
#include <stdlib.h>

#include "models/common/records.h"
#include "models/tag_split/parts.h"
#include "models/tag_split/run.h"

static int measure_kernel(void *ctx, const struct ct_kernel *k, struct ct_error *e)
{
	return ct_ts_measure_kernel(ctx, k, e);
}

int ts_measure_again(const struct ct_mechanism_run *run, const char *why,
                     const struct ct_ts_system *systems, unsigned n, struct ct_profile *into,
                     struct ct_error *e)
{
	const struct ct_pass_settings *s = run->settings;
	struct ct_ts_measure_options o = {
		.params = ts_run_of(run)->params,
		.sample = s->sample > 0 ? s->sample : 1,
		.seed = s->seed,
		.warmup = s->warmup,
		.systems = systems,
		.n_systems = n};
	struct ct_ts_measure *m = NULL;
	struct ct_replay_counts total;
	int st = ct_ts_measure_new(&m, run->gpu, &o, e);
	if (st == CT_OK) {
		struct ct_replay_observer ob = ct_ts_measure_observer(m);
		struct ct_replays_engine engine = {
			.gpu = run->gpu,
			.options = {.timing = CT_REPLAY_FULL,
		                    .observers = &ob,
		                    .n_observers = 1,
		                    .warmup = s->warmup}};
		struct ct_replays_hooks hooks = {.ctx = m, .begin = measure_kernel};
		st = ct_replays_run(run->p, s, why, &engine, 1, &hooks, &total, e);
	}
	if (st == CT_OK)
		st = ct_ts_measure_write(m, into, total.thread_insts, e);
	ct_ts_measure_free(m);
	return st;
}

int ts_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
              void **parts, struct ct_error *e)
{
	struct ct_ts_parts *x = NULL;
	int st = ct_ts_parts_new(&x, run->gpu, ct_ts_system_at(system), &ts_run_of(run)->params,
	                         run->settings->seed, e);
	*parts = x;
	*engine = (struct ct_replays_engine){
		.gpu = run->gpu,
		.options = {
			.timing = CT_REPLAY_FULL,
			.warmup = run->settings->warmup,
			.ideal = ct_ts_system_at(system)->kind == CT_TS_IDEAL ? CT_REPLAY_IDEAL_L1 : 0u,
			.parts = ct_ts_parts_plugs(x)}};
	return st;
}

void ts_engine_free(void *parts)
{
	ct_ts_parts_free(parts);
}

static double own_cycles(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

/* Load misses in the order of the system's own replay, and its traffic: per 1000 thread instructions in both readings of a
 * partial miss (partial-miss-mpki), and per load instruction but behind MRPB, which mixes instructions. The systems without
 * parts have none, and nobody has behind a warm-up, which the parts count as well. */
void ts_replay_records(const struct ct_mechanism_run *run, unsigned system,
                       const struct ct_replay_counts *total, const void *parts, struct ct_records *w)
{
	const double packet = ts_run_of(run)->params.v[CT_TS_PACKET_BYTES];
	struct ct_ts_counts c;
	if (!parts || !total->thread_insts || run->settings->warmup)
		return;
	ct_ts_parts_counts(parts, &c);
	ct_records_value(w, "l1_sent_mpki",
	                 1000 * (double)c.request_misses / (double)total->thread_insts);
	ct_records_value(w, "l1_entry_mpki", 1000 * (double)c.entries / (double)total->thread_insts);
	if (!ct_ts_system_at(system)->prioritised)
		ct_records_value(w, "l1_sent_inst_rate",
		                 c.loads ? (double)c.load_misses / (double)c.loads : NAN);
	ct_records_value(w, "l1_sent_bytes", packet * (double)(c.request_packets + c.write_packets));
	ct_records_value(w, "l1_received_bytes", packet * (double)c.data_packets);
}

/* total[] and parts[] of engine[], the systems in the table's order; 128B comes first and the configured one last. */
static int write_systems(const struct ct_mechanism_run *run, const unsigned *system, unsigned n,
                         const struct ct_replay_counts *total, void *const *parts, struct ct_error *e)
{
	struct ct_profile *p = run->p;
	const struct ct_replay_counts *base = &total[0], *own = &total[n - 1];
	struct ct_records w = {.p = p, .e = e, .mechanism = TS_MECHANISM, .method = "replay"};
	for (unsigned i = 0; i < n; i++) {
		const struct ct_replay_counts *c = &total[i];
		w.system = ct_ts_system_at(system[i])->name;
		ct_records_value(&w, "cycles", (double)c->cycles);
		ct_records_value(&w, "ipc", (double)c->thread_insts / (double)c->cycles);
		ct_records_value(&w, "speedup", own_cycles(base) / own_cycles(c));
		ct_records_value(&w, "speedup_configured", own_cycles(own) / own_cycles(c));
		ct_records_value(&w, "llc_mpki", 1000 * (double)c->llc_misses / (double)c->thread_insts);
		ct_records_value(&w, "l1_miss_rate", (double)c->l1_misses / (double)c->l1_accesses);
		ct_records_value(&w, "l1_mpki", 1000 * (double)c->l1_misses / (double)c->thread_insts);
		ts_replay_records(run, system[i], c, parts[i], &w);
	}
	return w.status;
}

/* One engine for each system of the run, all fed by one pass over the trace. */
int ts_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	void *parts[CT_TS_SYSTEMS] = {NULL};
	struct ct_replays_engine engine[CT_TS_SYSTEMS];
	struct ct_replay_counts total[CT_TS_SYSTEMS];
	unsigned system[CT_TS_SYSTEMS], n = 0;
	int st = CT_OK;
	for (unsigned i = 0; i < CT_TS_SYSTEMS && st == CT_OK; i++)
		if (ts_run_of(run)->systems >> i & 1) {
			system[n] = i;
			st = ts_engine(run, i, &engine[n], &parts[n], e);
			n++;
		}
	if (st == CT_OK)
		st = ct_replays_run(run->p, run->settings, why, engine, n, NULL, total, e);
	if (st == CT_OK)
		st = write_systems(run, system, n, total, parts, e);
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
		ts_engine_free(parts[i]);
	return st;
}
