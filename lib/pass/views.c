/* views.c - the LLC's streams of GPUs with fewer SMs, views llc@sms=N.
 *
 * Each is what a replay with fixed latencies sends to the LLC. Following all lines is exact and takes as long as several
 * replays. Where a trace has many lines a sample of them says nearly the same: the engine follows one line of eight in
 * caches of an eighth (lib/replay/private/thinned.h), distances grow eightfold (SHARDS, lib/locality/sample.h), and the
 * spread between eight parts of the sample tells how far off that may be. Both run until the view has seen
 * CT_PASS_VIEW_LINES lines; then the exact one ends and is forgotten. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/mem.h"
#include "locality/mrc.h"
#include "pass/private/state.h"

static double rate_of(void)
{
	return 1.0 / (1 << VIEW_THIN_BITS);
}

/* Which of the parts of the sample a line is in: each is a sample of its own kind, of an eighth of the rate. */
static unsigned part_of(const struct ct_sampler *s, uint64_t line)
{
	return (unsigned)(ct_sample_hash(s, line, 0) >> (64 - VIEW_THIN_BITS - 3)) % VIEW_PARTS;
}

/* Counts what waits in a stream. */
static void stream_drain(struct ct_pass_stream *s, const struct ct_sampler *sampler)
{
	ct_stack_ops(s->stack, s->op, s->n);
	for (size_t k = 0; k < s->n; k++) {
		const struct ct_stack_op *op = &s->op[k];
		int write = s->is_write[k];
		unsigned part = s->part ? part_of(sampler, s->line[k]) : 0;
		ct_hist_add(&s->hist[write ? 1 : 0], op->distance, 1);
		if (s->part)
			ct_hist_add(&s->part[part], op->distance, 1);
		for (unsigned i = 0; i < 4; i++)
			if (op->mask >> i & 1) {
				ct_hist_add(&s->hist[write ? 3 : 2], op->sector[i], 1);
				if (s->part)
					ct_hist_add(&s->part[VIEW_PARTS + part], op->sector[i], 1);
			}
	}
	s->seen += s->n;
	s->n = 0;
}

/* Whether the stream is full now. */
static int stream_take(struct ct_pass_stream *s, const struct ct_llc_event *ev)
{
	s->op[s->n] = (struct ct_stack_op){
		.line = ev->line, .kind = CT_STACK_TOUCH, .mask = (uint8_t)ev->sectors};
	if (s->line)
		s->line[s->n] = ev->line;
	s->is_write[s->n] = ev->is_write;
	return ++s->n == VIEW_OPS;
}

static void drain_exact(struct ct_pass_view *v)
{
	if (v->exact_gone)
		return;
	stream_drain(&v->exact, NULL);
	v->exact_gone = v->thin.stack &&
	                v->exact.hist[0].cold + v->exact.hist[1].cold >= CT_PASS_VIEW_LINES;
	if (v->exact_gone) {
		ct_stack_free(v->exact.stack);
		v->exact.stack = NULL;
	}
}

static void on_exact_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct ct_pass_view *v = ctx;
	if (!v->exact_gone && stream_take(&v->exact, ev))
		drain_exact(v);
}

static void on_thin_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct ct_pass_view *v = ctx;
	if (stream_take(&v->thin, ev))
		stream_drain(&v->thin, v->sampler);
}

static void forget_counts(struct ct_pass_stream *s)
{
	for (size_t i = 0; i < sizeof s->hist / sizeof s->hist[0]; i++)
		s->hist[i] = (struct ct_hist){0};
	for (size_t i = 0; s->part && i < 2 * (size_t)VIEW_PARTS; i++)
		s->part[i] = (struct ct_hist){0};
}

static void on_exact_counted(void *ctx)
{
	struct ct_pass_view *v = ctx;
	drain_exact(v);
	forget_counts(&v->exact);
}

static void on_thin_counted(void *ctx)
{
	struct ct_pass_view *v = ctx;
	stream_drain(&v->thin, v->sampler);
	forget_counts(&v->thin);
}

/* Of the whole GPU's own stream: how much of it is of the sample. */
static void weigh_event(struct ct_pass_state *a, const struct ct_llc_event *ev, int taken)
{
	uint64_t *all = a->view_weight.all[ev->is_write != 0];
	uint64_t *some = a->view_weight.sampled[ev->is_write != 0];
	const unsigned sectors = ct_bits(ev->sectors);
	all[0]++;
	all[1] += sectors;
	some[0] += taken != 0;
	some[1] += taken ? sectors : 0;
}

void ct_pass_views_llc(struct ct_pass_state *a, const struct ct_llc_event *ev)
{
	const int taken = a->view_thin && ct_sample_mask(&a->view_sampler, ev->line);
	if (a->view_thin && a->counting)
		weigh_event(a, ev, taken);
	for (unsigned i = 0; i < a->n_views; i++)
		if (a->view[i].whole) {
			on_exact_llc(&a->view[i], ev);
			if (taken)
				on_thin_llc(&a->view[i], ev);
		}
}

static int start_stream(struct ct_pass_stream *s, uint32_t sectors, int thin, struct ct_error *e)
{
	struct ct_stack_options so = {.sectors = sectors};
	s->stack = ct_stack_new(&so, e);
	if (!s->stack)
		return e->status;
	s->op = ct_calloc(VIEW_OPS, sizeof *s->op);
	s->is_write = ct_calloc(VIEW_OPS, sizeof *s->is_write);
	if (thin) {
		s->line = ct_calloc(VIEW_OPS, sizeof *s->line);
		s->part = ct_calloc(2 * (size_t)VIEW_PARTS, sizeof *s->part);
	}
	return s->op && s->is_write && (!thin || (s->line && s->part)) ? CT_OK : ct_fail_nomem(e);
}

/* Makes the engine, with fixed latencies, and the stack of distances of one view. */
static int start_one(struct ct_pass_state *a, struct ct_pass_view *v, int thin,
                     struct ct_replay **engine)
{
	struct ct_gpu g = a->gpu;
	struct ct_replay_observer ob = {.ctx = v,
	                                .llc = thin ? on_thin_llc : on_exact_llc,
	                                .counted = thin ? on_thin_counted : on_exact_counted};
	struct ct_replay_options fixed = {
		.timing = CT_REPLAY_FIXED,
		.observers = &ob,
		.n_observers = 1,
		.warmup = a->settings.warmup,
		.ended = thin ? NULL : &v->exact_gone,
		.lines = thin ? &a->view_sampler : NULL,
		.thin_bits = VIEW_THIN_BITS};
	g.sms = v->sms;
	int st = start_stream(thin ? &v->thin : &v->exact, g.llc.line / g.llc.sector, thin, a->e);
	return st == CT_OK ? ct_replay_new(engine, &g, &fixed, a->e) : st;
}

/* Launches of which only a part is replayed are made to stand for more by their own exact views. */
static int may_thin(const struct ct_pass_state *a)
{
	return !a->settings.every_line && !(a->settings.sample_kernels < 1) &&
	       a->gpu.l1.line == a->gpu.llc.line;
}

int ct_pass_views_start(struct ct_pass_state *a, struct ct_replay **engine, unsigned *n)
{
	int st = CT_OK;
	a->view_thin = may_thin(a);
	ct_sampler_init(&a->view_sampler, rate_of(), 1, a->settings.seed, 0);
	for (unsigned i = 0; i < SMS_VIEWS && st == CT_OK; i++) {
		uint32_t sms = (a->gpu.sms * (i + 1) + SMS_VIEWS) / (SMS_VIEWS + 1);
		if (sms == a->gpu.sms || (a->n_views && sms == a->view[a->n_views - 1].sms))
			continue;
		struct ct_pass_view *v = &a->view[a->n_views++];
		v->sms = sms;
		v->sampler = &a->view_sampler;
		for (int thin = 0; thin <= a->view_thin && st == CT_OK; thin++) {
			v->lanes |= 1u << *n;
			if (!thin)
				v->exact_lane = *n;
			st = start_one(a, v, thin, &engine[*n]);
			*n += st == CT_OK;
		}
	}
	return st;
}

void ct_pass_views_lanes(struct ct_pass_state *a)
{
	for (unsigned i = 0; i < a->n_views && a->view_thin; i++)
		ct_lanes_end_when(a->lanes, a->view[i].exact_lane, &a->view[i].exact_gone);
}

/* L1s that live on from launch to launch would hold what other CTAs of their SM left there, and a
 * warm-up has to be seen whole. */
unsigned ct_pass_views_launch(struct ct_pass_state *a, const struct ct_kernel *k)
{
	uint64_t ctas = ct_kernel_ctas(k);
	unsigned skip = 0;
	for (unsigned i = 0; i < a->n_views; i++) {
		struct ct_pass_view *v = &a->view[i];
		v->whole = ctas <= v->sms && a->gpu.l1_flush && !a->settings.warmup;
		skip |= v->whole ? v->lanes : 0;
	}
	return skip;
}

int ct_pass_views_end(struct ct_pass_state *a)
{
	int st = CT_OK;
	for (unsigned i = 0; i < a->n_views && st == CT_OK; i++) {
		struct ct_pass_view *v = &a->view[i];
		drain_exact(v);
		st = v->exact.stack ? ct_stack_check(v->exact.stack, a->e) : CT_OK;
		if (st == CT_OK && v->thin.stack) {
			stream_drain(&v->thin, v->sampler);
			st = ct_stack_check(v->thin.stack, a->e);
		}
	}
	return st;
}

/* What the sample counted of one kind (lines read, written; sectors read, written), made to stand for all lines. The
 * view sends so many times as much as its sample as the whole GPU does. */
static void scale_thin(const struct ct_pass_state *a, const struct ct_pass_view *v, int kind,
                       struct ct_hist *out)
{
	const int write = kind % 2, by_sector = kind / 2;
	const double all = (double)a->view_weight.all[write][by_sector];
	const double some = (double)a->view_weight.sampled[write][by_sector];
	const double times = some > 0 ? all / some : 1 / rate_of();
	const double total = (double)ct_hist_total(&v->thin.hist[kind]) * times;
	ct_sample_scale(&v->thin.hist[kind], rate_of(), times, (uint64_t)(total + 0.5), out);
}

int ct_pass_view_is_thin(const struct ct_pass_view *v)
{
	return v->exact_gone;
}

void ct_pass_view_hists(const struct ct_pass_state *a, const struct ct_pass_view *v, struct ct_hist h[4])
{
	for (int kind = 0; kind < 4; kind++) {
		h[kind] = (struct ct_hist){0};
		if (ct_pass_view_is_thin(v))
			scale_thin(a, v, kind, &h[kind]);
		else
			h[kind] = v->exact.hist[kind];
	}
}

static double most_distant(const struct ct_mrc_input *in)
{
	unsigned bin = CT_HIST_BINS;
	while (bin > 0 && in->reads->count[bin - 1] + in->writes->count[bin - 1] == 0)
		bin--;
	return bin ? (double)ct_hist_hi(bin - 1) : 0;
}

/* Half-width of the 95 % interval of the view's miss ratio at a capacity: what the choice of lines may do to it, and what a
 * distance that is off by DRIFT does. The latter is how far warps drift apart in the replay of all lines but not in that of
 * a sample, whose accesses wait for fewer others: chosen on 47 traces of OpenCL programs, of whose capacities 94 % are
 * covered with it and 92 % without. */
static double half_width(const struct ct_pass_view *v, const struct ct_mrc_input *in, int by_sector,
                         double lines)
{
	static const double DRIFT = 0.2;
	const double drift = ct_mrc_ratio(in, lines / (1 + DRIFT), 0) -
	                     ct_mrc_ratio(in, lines * (1 + DRIFT), 0);
	return hypot(
		ct_sample_error(&v->thin.part[by_sector * VIEW_PARTS], VIEW_PARTS, rate_of(), lines),
		drift / 2);
}

/* Writes how far off the view's miss ratio may be: at each capacity, then the mean and the most of them. */
static int write_errors(struct ct_pass_state *a, const struct ct_pass_view *v, const struct ct_hist h[4],
                        int by_sector)
{
	/* Below 1024 lines, 128 KiB, less than any LLC has, the order of a few accesses decides. */
	enum { PER_OCTAVE = 2, MAX_POINTS = 60 * PER_OCTAVE, LEAST = 1024 };
	double capacity[MAX_POINTS], sum = 0, most = 0, points = 0;
	const struct ct_mrc_input in = {&h[2 * by_sector], &h[2 * by_sector + 1]};
	const size_t n = ct_mrc_accesses(&in) > 0
	                         ? ct_mrc_capacities(most_distant(&in), PER_OCTAVE, capacity, MAX_POINTS)
	                         : 0;
	char view[32], level[40];
	int st = CT_OK;
	snprintf(view, sizeof view, "llc%s@sms=%u", by_sector ? "_sector" : "", v->sms);
	snprintf(level, sizeof level, "%s@lru", view);
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		if (capacity[i] < LEAST)
			continue;
		const double width = half_width(v, &in, by_sector, capacity[i]);
		const double ratio = ct_mrc_ratio(&in, capacity[i], 0);
		sum += width;
		points++;
		most = fmax(most, width);
		st = ct_profile_add_me(a->p, "all", level, (uint64_t)(capacity[i] * a->gpu.llc.line),
		                       fmax(0, ratio - width), fmin(1, ratio + width), a->e);
	}
	if (st == CT_OK)
		st = ct_profile_add_re(a->p, "all", view, rate_of(), points ? sum / points : NAN,
		                       points ? most : NAN, a->e);
	return st;
}

int ct_pass_view_errors(struct ct_pass_state *a, const struct ct_pass_view *v, const struct ct_hist h[4])
{
	int st = CT_OK;
	for (int by_sector = 0; by_sector < 2 && st == CT_OK && ct_pass_view_is_thin(v); by_sector++)
		st = write_errors(a, v, h, by_sector);
	return st;
}

static void free_stream(struct ct_pass_stream *s)
{
	ct_stack_free(s->stack);
	free(s->op);
	free(s->line);
	free(s->is_write);
	free(s->part);
}

void ct_pass_views_free(struct ct_pass_state *a)
{
	for (unsigned i = 0; i < a->n_views; i++) {
		free_stream(&a->view[i].exact);
		free_stream(&a->view[i].thin);
	}
}
