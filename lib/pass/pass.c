#include "pass/pass.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/address.h"
#include "gpu/occupancy.h"
#include "pass/private/counts.h"
#include "pass/private/progress.h"
#include "pass/private/state.h"
#include "pass/replays.h"
#include "trace/arrays.h"

/* Of a launch, at each rate, that are asked what other L1s hold; doc/layers.md says what that is off. */
enum { SHARING_READS = 4096 };

static uint32_t bytes_used(const struct ct_l1_event *ev)
{
	return ct_bits(ev->bytes[0]) + ct_bits(ev->bytes[1]);
}

/* Chunks of 32 B that the access touches, also in an L1 without sectors. */
static uint32_t chunks_of(const struct ct_pass_state *a, const struct ct_l1_event *ev)
{
	uint32_t mask = 0;
	if (a->gpu.l1.sector < a->gpu.l1.line)
		return ev->sectors;
	for (int i = 0; i < CT_LINEUTIL_CHUNKS; i++)
		if (ev->bytes[i / 2] >> (i % 2 * 32) & 0xffffffffu)
			mask |= 1u << i;
	return mask;
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct ct_pass_state *a = ctx;
	uint32_t site = a->attribution ? ct_attribution_l1(a->attribution, ev) : 0;
	if (ev->bypass)
		return;
	if (a->attribution)
		ct_locality_l1_of(a->locality, ev->sm, ev->line, ev->sectors, ev->is_write, ev->cycle,
		                  site, ev->sector_miss | ev->line_miss);
	if (!a->util)
		return;
	a->events.of[CT_PASS_LINE_USE]++;
	ct_lineutil_access(a->util, ev->sm, ev->line,
	                   ct_set_index(a->gpu.l1.set_hash, a->l1_sets, ev->line), chunks_of(a, ev),
	                   bytes_used(ev), ev->is_write);
}

static void on_l1_lines(void *ctx, const struct ct_line_access *lines, size_t n)
{
	struct ct_pass_state *a = ctx;
	ct_locality_l1_many(a->locality, lines, n);
}

static void on_llc_lines(void *ctx, const struct ct_line_access *lines, size_t n)
{
	struct ct_pass_state *a = ctx;
	ct_locality_llc_many(a->locality, lines, n);
	ct_pass_views_llc(a, lines, n);
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct ct_pass_state *a = ctx;
	if (a->slice_load)
		a->slice_load[ev->slice]++;
	if (a->attribution)
		ct_attribution_llc(a->attribution, ev);
}

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct ct_pass_state *a = ctx;
	if (a->regs) {
		struct ct_regs *r = &a->regs[(size_t)ev->sm * a->slots + ev->warp_slot];
		if (ev->first)
			ct_regs_reset(r);
		ct_regs_step(r, ev->sinst, &a->launch->reg_insts, &a->launch->reg_distinct);
		a->events.of[CT_PASS_REGISTERS]++;
	}
	if (a->attribution)
		ct_attribution_issue(a->attribution, ev);
}

static void on_stall(void *ctx, const struct ct_stall_event *ev)
{
	struct ct_pass_state *a = ctx;
	ct_attribution_stall(a->attribution, ev);
}

/* --warmup is over: what was observed until now is dropped, what was learnt of the order stays. */
static void on_counted(void *ctx)
{
	struct ct_pass_state *a = ctx;
	struct ct_lineutil_counts util = {0};
	a->counting = 1;
	a->warm_status = ct_locality_collect(a->locality, a->launch, a->e);
	if (a->warm_status == CT_OK && a->util)
		ct_lineutil_collect(a->util, &util, 0);
	ct_locality_counts_free(a->launch);
	memset(a->launch, 0, sizeof *a->launch);
	if (a->slice_load)
		memset(a->slice_load, 0, a->gpu.llc_slices * sizeof *a->slice_load);
	ct_pass_views_counted(a);
}

/* What a store does to an L1, from the configured policy. */
static int store_rule(const struct ct_gpu *g)
{
	switch ((enum ct_write_policy)g->l1.write_policy) {
	case CT_WRITE_THROUGH_NO_ALLOCATE: return CT_STORE_NO_ALLOCATE;
	case CT_WRITE_EVICT: return CT_STORE_EVICT;
	default: return CT_STORE_ALLOCATE;
	}
}

/* Other threads run SMs beside the first; the last of them deals views out and, where there are two in all, analyses reuse
 * distances when it has time. With three observers have their own. */
static int has_helper(const struct ct_pass_state *a)
{
	return a->settings.threads > 1;
}

static unsigned observer_threads(const struct ct_pass_state *a)
{
	return a->settings.threads - (has_helper(a) ? 1 : 0);
}

static unsigned streams_left_out(const struct ct_pass_state *a)
{
	return (ct_pass_measures(a, CT_PASS_L1) ? 0 : (unsigned)CT_STREAM_L1) |
	       (ct_pass_measures(a, CT_PASS_MERGED) ? 0 : (unsigned)CT_STREAM_MERGED) |
	       (ct_pass_measures(a, CT_PASS_LLC) ? 0 : (unsigned)CT_STREAM_LLC);
}

/* Makes what the pass itself measures beside the replay: reuse distances, use of lines, registers, and for curves the
 * load of each slice. */
static int start_observers(struct ct_pass_state *a)
{
	if (a->o.annotate &&
	    !(a->attribution = ct_attribution_new(&a->gpu, a->o.annotate, a->o.per_kernel, a->e)))
		return a->e->status;
	struct ct_locality_options o = {
		.sms = a->gpu.sms,
		.sectors = a->gpu.l1.line / a->gpu.l1.sector,
		.llc_sectors = a->gpu.llc.line / a->gpu.llc.sector,
		.store = store_rule(&a->gpu),
		.sharing = ct_pass_measures(a, CT_PASS_SHARING),
		.without_times = !ct_pass_measures(a, CT_PASS_TIMES),
		.sharing_reads = a->settings.exact ? 0 : SHARING_READS,
		.without = streams_left_out(a),
		.sites = a->attribution != NULL,
		.sample = a->settings.sample,
		.seed = a->settings.seed,
		.threads = observer_threads(a)};
	a->locality = ct_locality_new(&o, a->e);
	if (!a->locality)
		return a->e->status;
	struct ct_lineutil_options u = {.sms = a->gpu.sms,
	                                .chunks = o.sectors > 1 ? o.sectors : CT_LINEUTIL_CHUNKS,
	                                .fill_whole_line = o.sectors == 1,
	                                .store_evicts = o.store == CT_STORE_EVICT};
	if (ct_pass_measures(a, CT_PASS_LINE_USE) && !(a->util = ct_lineutil_new(&u, a->e)))
		return a->e->status;
	if (a->o.mrc && !(a->slice_load = ct_calloc(a->gpu.llc_slices, sizeof *a->slice_load)))
		return ct_fail_nomem(a->e);
	a->slots = ct_gpu_max_warps(&a->gpu);
	a->launch = ct_calloc(1, sizeof *a->launch);
	if (!a->launch)
		return ct_fail_nomem(a->e);
	if (!ct_pass_measures(a, CT_PASS_REGISTERS))
		return CT_OK;
	if (a->settings.warmup)
		a->regs = ct_calloc((size_t)a->gpu.sms * a->slots, sizeof *a->regs);
	else
		a->registers = ct_pass_registers_new();
	return a->regs || a->registers ? CT_OK : ct_fail_nomem(a->e);
}

/* Adds the hooks of the caller's observers to those of the pass. */
static int open_observers(struct ct_pass_state *a, struct ct_replay_observer *hooks, unsigned *n)
{
	int st = CT_OK;
	for (unsigned i = 0; st == CT_OK && i < a->o.n_observers; i++) {
		const struct ct_pass_observer *ob = a->o.observers[i];
		a->n_opened = i + 1;
		if (ob->open)
			st = ob->open(ob->ctx, &a->setup, &a->observer[i], &hooks[(*n)++], a->e);
	}
	return st;
}

static void close_observers(struct ct_pass_state *a)
{
	for (unsigned i = 0; i < a->n_opened; i++)
		if (a->o.observers[i]->close)
			a->o.observers[i]->close(a->observer[i]);
}

/* The hooks of what the pass itself measures: an engine is faster where nobody listens. */
static struct ct_replay_observer own_hooks(const struct ct_pass_state *a)
{
	struct ct_replay_observer h = {.ctx = (void *)a, .counted = on_counted};
	if (a->attribution || a->util)
		h.l1 = on_l1;
	if (!a->attribution && (ct_pass_measures(a, CT_PASS_L1) || ct_pass_measures(a, CT_PASS_MERGED)))
		h.l1_lines = on_l1_lines;
	if (a->attribution || a->slice_load)
		h.llc = on_llc;
	if (ct_pass_measures(a, CT_PASS_LLC))
		h.llc_lines = on_llc_lines;
	if (a->attribution || a->regs)
		h.issue = on_issue;
	if (a->attribution)
		h.stall = on_stall;
	return h;
}

/* Makes the engine of the baseline, with the hooks of all observers. */
static int start_engines(struct ct_pass_state *a)
{
	struct ct_replay_observer observer[2 + CT_PASS_OBSERVERS_MAX] = {own_hooks(a)};
	struct ct_replay_options o = {
		.timing = a->o.timing,
		.observers = observer,
		.n_observers = 1,
		.warmup = a->settings.warmup,
		.replication = ct_pass_measures(a, CT_PASS_REPLICATION)};
	int st = CT_OK;
	if (ct_pass_measures(a, CT_PASS_LLC_SMS))
		st = ct_pass_views_start(a, &observer[o.n_observers++]);
	if (st == CT_OK)
		st = open_observers(a, observer, &o.n_observers);
	if (st == CT_OK)
		st = ct_replay_new(&a->engine, &a->gpu, &o, a->e);
	if (st != CT_OK)
		return st;
	st = ct_lanes_new(&a->lanes, &a->engine, 1, 1, a->e);
	if (st == CT_OK && has_helper(a))
		st = ct_lanes_help(a->lanes, a->settings.threads - 1, a->e);
	if (st == CT_OK && has_helper(a) && a->deal)
		ct_deal_share(a->deal, a->settings.threads, ct_lanes_post, a->lanes);
	if (st == CT_OK && has_helper(a) && observer_threads(a) == 1)
		st = ct_locality_share(a->locality, ct_lanes_post, a->lanes, a->e);
	if (st == CT_OK && a->registers)
		ct_lanes_watch(a->lanes, ct_pass_registers_cta, a->registers);
	return st;
}

/* Adds one launch's counts to the scope of that name. */
static int count_into(struct ct_pass_state *a, const char *name, const struct ct_pass_launch *l)
{
	struct ct_pass_scope *s = NULL;
	int st = ct_pass_scope_find(a, name, &s);
	if (st != CT_OK)
		return st;
	s->launches++;
	ct_replay_counts_add(&s->counts, &l->c);
	ct_lineutil_counts_add(&s->util, &l->util);
	ct_pass_sampled_add(&s->sampled, &l->sampled);
	return ct_pass_scope_add_locality(a, s);
}

static const char *scope_label(struct ct_pass_state *a, const char *kind, const char *name)
{
	ct_buf_reset(&a->label);
	ct_buf_printf(&a->label, "%s:%s", kind, name);
	return a->label.failed ? NULL : a->label.data;
}

/* Adds what the launch's accesses have met to their instructions and arrays. */
static int attribute(struct ct_pass_state *a, const struct ct_kernel *k)
{
	size_t n;
	const struct ct_locality_site *site = ct_locality_sites(a->locality, &n);
	int st = ct_attribution_launch(a->attribution, k, site, n, a->e);
	ct_locality_sites_reset(a->locality);
	return st;
}

int ct_pass_end_launch(struct ct_pass_state *a, const struct ct_kernel *k, struct ct_pass_launch *l)
{
	memset(l, 0, sizeof *l);
	int st = ct_lanes_kernel_end(a->lanes, &l->c, a->e);
	if (st == CT_OK)
		st = a->warm_status;
	if (st == CT_OK)
		st = ct_locality_collect(a->locality, a->launch, a->e);
	if (st == CT_OK && a->registers)
		a->events.of[CT_PASS_REGISTERS] += ct_pass_registers_collect(
			a->registers, &a->launch->reg_insts, &a->launch->reg_distinct);
	if (st == CT_OK && a->attribution)
		st = attribute(a, k);
	/* Lines that stay in L1 over a kernel's end leave in the launch that drops them. */
	if (st == CT_OK && a->util)
		ct_lineutil_collect(a->util, &l->util, (int)a->gpu.l1_flush);
	return st == CT_OK ? ct_pass_views_end(a) : st;
}

/* Adds a launch's counts to the scopes it belongs to: all, those of its name, and its own where that is
 * asked for. */
static int count_launch(struct ct_pass_state *a, const struct ct_kernel *k,
                        const struct ct_pass_launch *l)
{
	char id[16];
	int st = ct_pass_add_kernel(
		a->p, k, l->c.warps, l->c.warp_insts, l->c.thread_insts, l->c.mem_insts, a->e);
	if (st == CT_OK)
		st = count_into(a, "all", l);
	if (st == CT_OK)
		st = scope_label(a, "name", k->name) ? count_into(a, a->label.data, l)
		                                     : ct_fail_nomem(a->e);
	snprintf(id, sizeof id, "%u", k->id);
	if (st == CT_OK && a->o.per_kernel)
		st = scope_label(a, "kernel", id) ? count_into(a, a->label.data, l)
		                                  : ct_fail_nomem(a->e);
	return st;
}

int ct_pass_count(struct ct_pass_state *a, const struct ct_kernel *k, const struct ct_pass_launch *l)
{
	int st = a->counting ? count_launch(a, k, l) : CT_OK;
	/* The next launch starts from nothing: collect() adds. */
	ct_locality_counts_free(a->launch);
	memset(a->launch, 0, sizeof *a->launch);
	return st;
}

/* The L1s of this launch: adaptive ones change with the shared memory that it takes. */
static int begin_observers(struct ct_pass_state *a, const struct ct_kernel *k)
{
	struct ct_occupancy occ;
	int st = ct_occupancy(&a->gpu, k, &occ, a->e);
	if (st != CT_OK)
		return st;
	for (unsigned i = 0; st == CT_OK && i < a->o.n_observers; i++)
		if (a->o.observers[i]->kernel)
			st = a->o.observers[i]->kernel(
				a->observer[i], k, occ.l1_sets, occ.l1_ways, a->e);
	if (st != CT_OK)
		return st;
	ct_locality_kernel_begin(a->locality, (int)a->gpu.l1_flush);
	ct_locality_l1_lines(a->locality, (uint64_t)occ.l1_sets * occ.l1_ways);
	if (a->l1_sets == occ.l1_sets && a->l1_ways == occ.l1_ways && !a->gpu.l1_flush)
		return CT_OK;
	a->l1_sets = occ.l1_sets;
	a->l1_ways = occ.l1_ways;
	return !a->util ? CT_OK : ct_lineutil_resize(a->util, occ.l1_sets, occ.l1_ways, a->e);
}

int ct_pass_begin_launch(struct ct_pass_state *a, const struct ct_kernel *k)
{
	int st = begin_observers(a, k);
	if (st == CT_OK)
		st = ct_pass_views_launch(a, k);
	return st == CT_OK ? ct_lanes_kernel_begin(a->lanes, k, a->e) : st;
}

/* Replays one launch and counts it into its scopes. */
static int run_kernel(struct ct_pass_state *a, struct ct_trace *trace, const struct ct_kernel *k)
{
	struct ct_pass_launch l;
	struct ct_cta *held = NULL;
	int st = ct_pass_begin_launch(a, k);
	if (st != CT_OK)
		return st;
	st = ct_lanes_push_launch(a->lanes, trace, &a->settings, &held, a->e);
	if (st == CT_OK)
		st = ct_pass_end_launch(a, k, &l);
	if (st == CT_OK)
		st = ct_pass_count(a, k, &l);
	ct_cta_unref(held);
	return st;
}

/* Makes those arrays known that the trace has told of since the last launch. */
static int declare_arrays(struct ct_pass_state *a, const struct ct_trace *trace)
{
	const struct ct_arrays *told = ct_trace_arrays(trace);
	int st = CT_OK;
	for (; st == CT_OK && a->arrays_told < ct_arrays_count(told); a->arrays_told++) {
		const struct ct_array *x = ct_arrays_at(told, a->arrays_told);
		st = ct_layout_declare(a->o.annotate, x->first, x->bytes, x->named ? x->name : NULL,
		                       a->e);
	}
	return st;
}

/* Replays what the trace has left, and refuses a run that has counted nothing: its profile would look like one of a
 * program that does nothing. */
static int run_events(struct ct_pass_state *a, struct ct_trace *trace)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(trace, &ev, a->e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			ct_lanes_memcpy(a->lanes, ev.address, ev.bytes);
			st = a->o.annotate
			             ? ct_layout_declare(a->o.annotate, ev.address, ev.bytes, NULL, a->e)
			             : CT_OK;
			if (st != CT_OK)
				return st;
			continue;
		}
		st = a->o.annotate ? declare_arrays(a, trace) : CT_OK;
		if (st != CT_OK)
			return st;
		st = a->sampler ? ct_pass_sampler_launch(a, trace, ev.kernel)
		                : run_kernel(a, trace, ev.kernel);
		if (st != CT_OK)
			return st;
	}
	if (st == CT_OK && a->settings.warmup && (a->n_scopes == 0 || !a->scope[0].counts.warp_insts))
		return ct_fail(a->e, CT_ERR_USAGE,
		               "--warmup %" PRIu64 " leaves nothing to count: %s has %" PRIu64
		               " warp instructions",
		               a->settings.warmup, ct_trace_path(trace),
		               ct_trace_stats(trace)->warp_insts);
	/* Histograms of no line would say that all is reused at once. */
	if (st == CT_OK && a->settings.sample < 1 && a->n_scopes && ct_pass_measures(a, CT_PASS_L1) &&
	    a->scope[0].counts.l1_line_accesses && !a->scope[0].locality->distinct_lines)
		return ct_fail(a->e, CT_ERR_USAGE,
		               "--sample %g takes none of the lines of %s: give a larger rate",
		               a->settings.sample, ct_trace_path(trace));
	if (st == CT_OK && a->n_scopes == 0)
		st = ct_fail(a->e, CT_ERR_INPUT, "%s: no kernel to replay: see traceinfo, and -k",
		             ct_trace_path(trace));
	return st;
}

/* Frees all that the pass holds, in any state of construction. */
static void free_state(struct ct_pass_state *a)
{
	ct_pass_sampler_free(a->sampler);
	ct_lanes_free(a->lanes);
	ct_locality_free(a->locality);
	ct_lineutil_free(a->util);
	close_observers(a);
	ct_pass_views_free(a);
	ct_pass_scopes_free(a);
	if (a->launch)
		ct_locality_counts_free(a->launch);
	free(a->launch);
	ct_pass_registers_free(a->registers);
	free(a->regs);
	free(a->slice_load);
	ct_buf_free(&a->label);
}

/* Observers that read the trace again, when all of it has been read. */
static int observe_after(struct ct_pass_state *a)
{
	int st = CT_OK;
	for (unsigned i = 0; st == CT_OK && i < a->o.n_observers; i++)
		if (a->o.observers[i]->after)
			st = a->o.observers[i]->after(a->o.observers[i]->ctx, &a->setup, a->p, a->e);
	return st;
}

static int start_sampler(struct ct_pass_state *a)
{
	if (!(a->settings.sample_kernels < 1))
		return CT_OK;
	if (a->settings.warmup)
		return ct_fail(a->e, CT_ERR_USAGE,
		               "--sample-kernels leaves launches out: not with --warmup");
	a->sampler = ct_pass_sampler_new(a);
	return a->sampler ? CT_OK : ct_fail_nomem(a->e);
}

int ct_pass_timing_parse(const char *value, enum ct_replay_timing *timing, struct ct_error *e)
{
	if (strcmp(value, "full") != 0 && strcmp(value, "quick") != 0)
		return ct_fail(e, CT_ERR_USAGE, "--timing %s: full or quick", value);
	*timing = strcmp(value, "quick") == 0 ? CT_REPLAY_QUICK : CT_REPLAY_FULL;
	return CT_OK;
}

/* Options that exclude each other, or that the arrays have no room for. */
static int check_options(struct ct_pass_state *a)
{
	if (a->o.n_observers > CT_PASS_OBSERVERS_MAX)
		return ct_fail(a->e, CT_ERR_USAGE, "a pass takes at most %d observers, not %u",
		               CT_PASS_OBSERVERS_MAX, a->o.n_observers);
	const char *partial = a->settings.warmup               ? "--warmup"
	                      : a->settings.sample < 1         ? "--sample"
	                      : a->settings.sample_kernels < 1 ? "--sample-kernels"
	                                                       : NULL;
	if (a->o.annotate && partial)
		return ct_fail(a->e, CT_ERR_USAGE,
		               "what each instruction costs is counted over all accesses: leave %s out",
		               partial);
	return CT_OK;
}

/* Leaves out with a layer those that take it. What instructions cost is told from the distances at the L1s. */
static unsigned layers_left_out(const struct ct_pass_options *o)
{
	unsigned without = o->annotate ? o->without & ~(1u << CT_PASS_L1) : o->without;
	if (without >> CT_PASS_L1 & 1)
		without |= 1u << CT_PASS_SHARING | 1u << CT_PASS_TIMES;
	if (without >> CT_PASS_LLC & 1)
		without |= 1u << CT_PASS_LLC_SMS;
	return without;
}

/* Says what each layer has handled. */
static void tell_events(const struct ct_pass_state *a)
{
	struct ct_pass_events *to = a->o.events;
	if (!to)
		return;
	*to = a->events;
	to->of[CT_PASS_L1] = ct_locality_analysed(a->locality, CT_STREAM_L1);
	to->of[CT_PASS_SHARING] = ct_pass_measures(a, CT_PASS_SHARING) ? to->of[CT_PASS_L1] : 0;
	to->of[CT_PASS_TIMES] = ct_pass_measures(a, CT_PASS_TIMES) ? to->of[CT_PASS_L1] : 0;
	to->of[CT_PASS_MERGED] = ct_locality_analysed(a->locality, CT_STREAM_MERGED);
	to->of[CT_PASS_LLC] = ct_locality_analysed(a->locality, CT_STREAM_LLC);
	to->of[CT_PASS_REPLICATION] = a->scope[0].counts.line_fills;
	for (unsigned i = 0; i < a->n_views; i++)
		to->of[CT_PASS_LLC_SMS] += ct_bounded_analysed(a->view[i].stream);
}

/* What the modelled GPU itself takes, whatever the trace: bytes of each SM, of a line of its L1 and of one
 * of the LLC, as measured resident over the engines and observers of a pass (rtx3080 with 128 to
 * 4096 SMs, L1s up to 16 MiB, an LLC up to 4 GiB). A file of strangers may ask for any size. */
static int check_size(const struct ct_pass_state *a)
{
	static const double per_sm = 600e3, per_l1_line = 140, per_llc_line = 290;
	const struct ct_gpu *g = &a->gpu;
	const double lines = ct_gpu_llc_lines(g);
	return ct_replays_fit(
		&a->settings, g,
		g->sms * (per_sm + per_l1_line * ct_replays_l1_lines(g)) + per_llc_line * lines, a->e);
}

static void take_options(struct ct_pass_state *a, const struct ct_pass_options *o)
{
	a->o = *o;
	a->gpu = *o->gpu;
	a->settings = o->settings;
	if (!a->settings.threads)
		a->settings.threads = 1;
	if (!(a->settings.sample > 0))
		a->settings.sample = 1;
	if (!(a->settings.sample_kernels > 0))
		a->settings.sample_kernels = 1;
	a->setup = (struct ct_pass_setup){&a->gpu, &a->settings};
	a->counting = a->settings.warmup == 0;
	a->without = layers_left_out(o);
}

int ct_pass_run(struct ct_trace *trace, const struct ct_pass_options *o, struct ct_profile *p,
                struct ct_error *e)
{
	struct ct_pass_state *a = calloc(1, sizeof *a);
	if (!a)
		return ct_fail_nomem(e);
	take_options(a, o);
	a->p = p;
	a->e = e;
	int st = check_options(a);
	if (st == CT_OK)
		st = check_size(a);
	if (st == CT_OK)
		st = start_sampler(a);
	if (st == CT_OK)
		st = start_observers(a);
	if (st == CT_OK)
		st = start_engines(a);
	ct_pass_begin(&a->settings);
	if (st == CT_OK)
		st = run_events(a, trace);
	ct_pass_end(&a->settings, trace);
	if (st == CT_OK)
		st = ct_pass_write(a, trace);
	if (st == CT_OK)
		tell_events(a);
	if (st == CT_OK && !ct_trace_stats(trace)->truncated)
		st = observe_after(a);
	if (st == CT_OK && ct_trace_damage(trace) && !ct_trace_stats(trace)->warp_insts)
		st = ct_fail(e, CT_ERR_INPUT, "%s; no instruction precedes the damage",
		             ct_trace_damage(trace)->text);
	if (st == CT_OK && ct_trace_is_damaged(trace)) {
		if (ct_trace_damage(trace))
			ct_warn(&a->settings.diag, "used what precedes the damage: %s",
			        ct_trace_damage(trace)->text);
		st = 1;
	}
	free_state(a);
	free(a);
	return st;
}
