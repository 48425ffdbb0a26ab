#include "mpki/phases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/escape.h"
#include "base/mem.h"
#include "common/changes.h"

enum { INTERVALS_MAX = 1 << 16, LAUNCHES_MAX = 1 << 16 };

/* What happened in an interval. */
struct interval {
	uint64_t begin; /* cycle */
	uint64_t warp_insts, thread_insts, warps;
	uint64_t l1, l1_misses, llc, llc_misses, read_bytes;
};

struct launch {
	char *name;
	uint32_t id;
	uint64_t begin;
};

struct state {
	struct mpki_phases *o;
	struct interval *at;
	size_t n, cap;
	uint64_t last; /* cycle of a warp instruction */
	uint32_t slots, sector;
	uint32_t *seen; /* [sm][warp slot]: interval + 1 in which the warp issued last */
	struct launch *launch;
	size_t launches, launch_cap;
	int failed, too_many;
};

int mpki_phases_parse(const char *text, struct mpki_phases *o, struct ct_error *e)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	size_t digits = strspn(text, "0123456789");
	if (!digits || digits > 18 || n == 0 || (*end && strcmp(end, "c") != 0 && strcmp(end, "i") != 0))
		return ct_fail(
			e, CT_ERR_USAGE,
			"--every %s: a number of warp instructions, or of cycles with a c behind it",
			text);
	o->every = n;
	o->by_cycles = *end == 'c';
	return CT_OK;
}

/* ---- measuring ---- */

static int add_interval(struct state *s, uint64_t begin)
{
	if (s->n >= INTERVALS_MAX) {
		s->too_many = 1;
		return -1;
	}
	if (ct_grow((void **)&s->at, &s->cap, s->n + 1, sizeof *s->at) < 0) {
		s->failed = 1;
		return -1;
	}
	s->at[s->n++] = (struct interval){.begin = begin};
	return 0;
}

/* The interval that the cycle lies in; cycles come nearly in order. NULL: nothing more is counted. */
static struct interval *interval_of(struct state *s, uint64_t cycle)
{
	size_t i = s->n;
	if (s->o->by_cycles) {
		while (s->n <= cycle / s->o->every)
			if (add_interval(s, s->n * s->o->every) < 0)
				return NULL;
		return &s->at[cycle / s->o->every];
	}
	if (!i && add_interval(s, 0) < 0)
		return NULL;
	for (i = s->n; i > 1 && s->at[i - 1].begin > cycle;)
		i--;
	return &s->at[i - 1];
}

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct state *s = ctx;
	struct interval *v = interval_of(s, ev->cycle);
	if (!v || s->too_many)
		return;
	uint32_t *seen = &s->seen[(size_t)ev->sm * s->slots + ev->warp_slot];
	uint32_t number = (uint32_t)(v - s->at) + 1;
	v->warp_insts++;
	v->thread_insts += ct_bits(ev->inst->mask);
	v->warps += *seen != number;
	*seen = number;
	s->last = ev->cycle > s->last ? ev->cycle : s->last;
	if (!s->o->by_cycles && s->at[s->n - 1].warp_insts >= s->o->every)
		(void)add_interval(s, s->last + 1);
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct interval *v = ev->bypass ? NULL : interval_of(ctx, ev->cycle);
	if (!v)
		return;
	v->l1 += ct_bits(ev->sectors);
	v->l1_misses += ct_bits(ev->sector_miss | ev->line_miss);
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct state *s = ctx;
	struct interval *v = interval_of(s, ev->cycle);
	if (!v)
		return;
	v->llc += ct_bits(ev->sectors);
	v->llc_misses += ct_bits(ev->miss);
	v->read_bytes += ev->is_write ? 0 : (uint64_t)ct_bits(ev->miss) * s->sector;
}

static int open_state(void *ctx, const struct ct_pass_setup *setup, void **state,
                      struct ct_replay_observer *hooks, struct ct_error *e)
{
	struct state *s = *state = ct_calloc(1, sizeof *s);
	if (!s)
		return ct_fail_nomem(e);
	s->o = ctx;
	s->slots = ct_gpu_max_warps(setup->gpu);
	s->sector = setup->gpu->llc.sector;
	s->seen = ct_calloc((size_t)setup->gpu->sms * s->slots, sizeof *s->seen);
	if (setup->settings->warmup)
		return ct_fail(e, CT_ERR_USAGE,
		               "--every counts from the first instruction: leave out --warmup");
	*hooks = (struct ct_replay_observer){.ctx = s, .issue = on_issue, .l1 = on_l1, .llc = on_llc};
	return s->seen ? CT_OK : ct_fail_nomem(e);
}

/* A launch begins where the one before has ended. */
static int on_kernel(void *state, const struct ct_kernel *k, uint32_t sets, uint32_t ways,
                     struct ct_error *e)
{
	struct state *s = state;
	(void)sets;
	(void)ways;
	if (s->launches >= LAUNCHES_MAX)
		return CT_OK;
	if (ct_grow((void **)&s->launch, &s->launch_cap, s->launches + 1, sizeof *s->launch) < 0)
		return ct_fail_nomem(e);
	struct launch *l = &s->launch[s->launches];
	*l = (struct launch){ct_strndup(k->name, strlen(k->name)), k->id, s->last};
	s->launches += l->name != NULL;
	return l->name ? CT_OK : ct_fail_nomem(e);
}

static void close_state(void *state)
{
	struct state *s = state;
	if (!s)
		return;
	for (size_t i = 0; i < s->launches; i++)
		free(s->launch[i].name);
	free(s->launch);
	free(s->at);
	free(s->seen);
	free(s);
}

/* ---- records ---- */

/* An interval's cycles end its records. */
enum { SIGNALS = 5, VALUES = 9 };
static const char *const metric[VALUES] = {
	"l1_miss_rate", "llc_miss_rate", "ipc",          "dram_read_bytes_per_cycle",
	"active_warps", "warp_insts",    "first_launch", "last_launch",
	"cycles"};

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

static uint64_t end_of(const struct state *s, size_t i)
{
	return i + 1 < s->n                   ? s->at[i + 1].begin
	       : s->last + 1 > s->at[i].begin ? s->last + 1
	                                      : s->at[i].begin;
}

/* Number of the last launch that has begun at the cycle; NaN where launches were not kept. */
static double launch_at(const struct state *s, uint64_t cycle)
{
	size_t lo = 0, hi = s->launches;
	while (lo + 1 < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->launch[mid].begin <= cycle)
			lo = mid;
		else
			hi = mid;
	}
	return s->launches && s->launches < LAUNCHES_MAX ? (double)s->launch[lo].id : NAN;
}

static void values_of(const struct state *s, size_t i, double v[VALUES])
{
	const struct interval *x = &s->at[i];
	uint64_t cycles = end_of(s, i) - x->begin;
	v[0] = ratio(x->l1_misses, x->l1);
	v[1] = ratio(x->llc_misses, x->llc);
	v[2] = ratio(x->thread_insts, cycles);
	v[3] = ratio(x->read_bytes, cycles);
	v[4] = (double)x->warps;
	v[5] = (double)x->warp_insts;
	/* A launch begins at the cycle of the last instruction before it. */
	v[6] = launch_at(s, x->begin);
	v[7] = launch_at(s, cycles > 1 ? end_of(s, i) - 2 : x->begin);
	v[8] = (double)cycles;
}

static int add_records(const struct state *s, struct ct_profile *p, size_t i, unsigned phase,
                       uint64_t from, uint64_t to, struct ct_error *e)
{
	double v[VALUES];
	int st = CT_OK;
	values_of(s, i, v);
	for (int k = 0; st == CT_OK && k < VALUES; k++) {
		char number[16], lo[24], hi[24];
		struct ct_buf value = {0};
		snprintf(number, sizeof number, "%u", phase);
		snprintf(lo, sizeof lo, "%" PRIu64, from);
		snprintf(hi, sizeof hi, "%" PRIu64, to);
		if (k >= 4 && !isnan(v[k]))
			ct_buf_printf(&value, "%.0f", v[k]);
		else
			ct_buf_real(&value, v[k]);
		const char *field[] = {"all", number, lo, hi, metric[k], value.data};
		st = value.failed ? ct_fail_nomem(e) : ct_profile_add(p, "PH", 6, field, e);
		ct_buf_free(&value);
	}
	return st;
}

static void put_counter(struct ct_buf *b, uint64_t ts, const char *name, double v)
{
	if (isnan(v))
		return;
	ct_buf_printf(
		b,
		",\n{\"ph\":\"C\",\"pid\":1,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":", ts,
		name);
	ct_buf_real(b, v);
	ct_buf_puts(b, "}}");
}

/* The form that Perfetto and chrome://tracing read; a microsecond there is a cycle here. */
static void put_events(const struct state *s, const unsigned *phase, struct ct_buf *b)
{
	ct_buf_puts(
		b,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is 1 core cycle\"},\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"GPU\"}}");
	for (size_t i = 0; i < s->launches; i++) {
		uint64_t end = i + 1 < s->launches ? s->launch[i + 1].begin : s->last + 1;
		ct_buf_puts(b, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"cat\":\"kernel\",\"name\":");
		ct_escape_json(b, s->launch[i].name);
		ct_buf_printf(b, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 "}", s->launch[i].begin,
		              end - s->launch[i].begin);
	}
	for (size_t i = 0, k; i < s->n; i = k) {
		for (k = i; k < s->n && phase[k] == phase[i];)
			k++;
		ct_buf_printf(
			b,
			",\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"cat\":\"phase\",\"name\":\"phase %u\",\"ts\":%" PRIu64
			",\"dur\":%" PRIu64 "}",
			phase[i], s->at[i].begin, end_of(s, k - 1) - s->at[i].begin);
	}
	for (size_t i = 0; i < s->n; i++) {
		double v[VALUES];
		values_of(s, i, v);
		for (int k = 0; k < SIGNALS; k++)
			put_counter(b, s->at[i].begin, metric[k], v[k]);
	}
	ct_buf_puts(b, "\n]}\n");
}

static int write_records(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                         struct ct_error *e)
{
	struct state *s = state;
	(void)all;
	if (s->failed)
		return ct_fail_nomem(e);
	if (s->too_many)
		return ct_fail(e, CT_ERR_LIMIT,
		               "--every makes more than %d intervals: take a larger number",
		               INTERVALS_MAX);
	while (s->n > 1 && !s->at[s->n - 1].warp_insts && !s->at[s->n - 1].l1 && !s->at[s->n - 1].llc)
		s->n--;
	double *v = ct_calloc(s->n * VALUES, sizeof *v),
	       *signal = ct_calloc(s->n * SIGNALS, sizeof *signal);
	unsigned *phase = ct_calloc(s->n, sizeof *phase);
	int st = v && signal && phase ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; st == CT_OK && i < s->n; i++) {
		values_of(s, i, v + i * VALUES);
		memcpy(signal + i * SIGNALS, v + i * VALUES, SIGNALS * sizeof *signal);
	}
	if (st == CT_OK)
		st = ct_changes(signal, s->n, SIGNALS, phase, e);
	uint64_t insts = 0;
	for (size_t i = 0; st == CT_OK && i < s->n; i++) {
		uint64_t next = insts + s->at[i].warp_insts;
		st = s->o->by_cycles ? add_records(s, p, i, phase[i], s->at[i].begin, end_of(s, i), e)
		                     : add_records(s, p, i, phase[i], insts, next, e);
		insts = next;
	}
	if (st == CT_OK && s->o->events) {
		ct_buf_reset(s->o->json);
		put_events(s, phase, s->o->json);
		st = ct_buf_check(s->o->json, e);
	}
	free(v);
	free(signal);
	free(phase);
	return st;
}

const struct ct_pass_observer mpki_phases_observer = {
	.name = "phases",
	.open = open_state,
	.kernel = on_kernel,
	.write = write_records,
	.close = close_state,
};
