/* Every allocation of the library fails in turn, inside one process, so that the
 * sanitizers see what a failure leaves behind (tests/faults does the same to whole commands, which
 * cannot be sanitized). Each run ends in CT_ERR_NOMEM with a text, or as if nothing had happened: what
 * could not be had was a cache. The linker puts the functions below in front of malloc and its
 * kin (Makefile). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/gpu_keys.h"
#include "locality/lineutil.h"
#include "locality/observer.h"
#include "locality/setlru.h"
#include "locality/shards.h"
#include "locality/stack.h"
#include "models/common/blocks.h"
#include "models/malekeh/estimate.h"
#include "models/malekeh/parts.h"
#include "models/morpheus/estimate.h"
#include "models/morpheus/part.h"
#include "models/shared_l1/estimate.h"
#include "models/shared_l1/part.h"
#include "models/tag_split/estimate.h"
#include "models/tag_split/parts.h"
#include "tests/support/gpus.h"
#include "tests/support/replay_trace.h"
#include "trace/ctz.h"
#include "trace/trace.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);

/* Which allocation fails, 0 = none; how many there were. One thread allocates at a time here. */
static unsigned long fail_at, calls;

static int fails(void)
{
	return ++calls == fail_at;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __real_aligned_alloc(align, n);
}

int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
	return fails() ? 12 /* ENOMEM */ : __real_posix_memalign(p, align, n);
}

/* Does something with the library: CT_OK or how it failed. */
typedef int (*scenario_fn)(const void *arg, struct ct_error *e);

/* All of the first sixty allocations fail, then at growing steps. */
static void every(scenario_fn run, const void *arg)
{
	struct ct_error e = {0};
	unsigned long n, bad = 0;
	fail_at = calls = 0;
	if (run(arg, &e) != CT_OK)
		fail_msg("without a failure: %s", e.text);
	n = calls;
	assert_true(n > 0);
	for (unsigned long at = 1; at <= n; at += at < 60 ? 1 : 1 + at / 12) {
		e = (struct ct_error){0};
		calls = 0;
		fail_at = at;
		int st = run(arg, &e);
		fail_at = 0;
		if (st == CT_OK)
			continue;
		if (st != CT_ERR_NOMEM || !e.text[0])
			print_error("allocation %lu of %lu: status %d: %s\n", at, n, st, e.text), bad++;
	}
	assert_int_equal(bad, 0);
}

/* A file of the fuzz corpora. */
struct bytes {
	char *p;
	size_t n;
	const char *name;
};

static struct bytes corpus(const char *name)
{
	const char *root = getenv("CT_ROOT");
	char path[4096];
	struct bytes b = {NULL, 0, name};
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", root ? root : ".", name);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	b.p = malloc((1 << 20) + 1);
	assert_non_null(b.p);
	b.n = fread(b.p, 1, 1 << 20, f);
	fclose(f);
	assert_true(b.n > 0 && b.n < 1 << 20);
	b.p[b.n] = '\0';
	return b;
}

static void with_file(scenario_fn run, const char *name)
{
	struct bytes b = corpus(name);
	every(run, &b);
	free(b.p);
}

/* ---- traces ---- */

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

static int copy_kernel(struct ct_trace *t, const struct ct_kernel *k, struct ct_ctz_writer *w,
                       struct ct_error *e)
{
	struct ct_cta *cta;
	int st = ct_ctz_put_kernel(w, k, e);
	while (st >= 0 && (st = ct_trace_next_cta(t, &cta, e)) > 0) {
		st = ct_ctz_put_cta(w, cta, NULL, NULL, e);
		ct_cta_unref(cta);
	}
	return st < 0 ? st : ct_ctz_end_kernel(w, NULL, e);
}

static int copy(struct ct_trace *t, struct ct_ctz_writer *w, struct ct_error *e)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(t, &ev, e)) > 0) {
		st = ev.kind == CT_EVENT_KERNEL ? copy_kernel(t, ev.kernel, w, e)
		                                : ct_ctz_put_memcpy(w, ev.address, ev.bytes, e);
		if (st < 0)
			return st;
	}
	return st < 0 ? st : ct_ctz_finish(w, 0, 0, e);
}

/* Reads a trace of any format and packs it. */
static int repack_with(const struct bytes *b, const struct ct_trace_options *o, struct ct_error *e)
{
	struct ct_ctz_writer *w = NULL;
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_buf out = {0};
	int st = ct_source_open_memory(&s, b->name, b->p, b->n, e);
	if (st == CT_OK)
		st = ct_trace_open_source(&t, s, o, e);
	if (st == CT_OK)
		st = ct_ctz_writer_new(&w, 1, put, &out, e);
	if (st == CT_OK)
		st = copy(t, w, e);
	ct_ctz_writer_free(w);
	ct_trace_close(t);
	ct_buf_free(&out);
	return st;
}

static int repack(const void *arg, struct ct_error *e)
{
	const struct ct_trace_options o = {.keep_values = 1, .no_threads = 1};
	return repack_with(arg, &o, e);
}

/* No memory is no damage. */
static int repack_damaged(const void *arg, struct ct_error *e)
{
	const struct ct_trace_options o = {.keep_values = 1, .no_threads = 1, .salvage = 1};
	return repack_with(arg, &o, e);
}

static int repack_pattern(const void *arg, struct ct_error *e)
{
	struct ct_pattern *p;
	int st = ct_pattern_compile(&p, "^ (?<rw>[LSM]) (?<addr_hex>[0-9a-f]+),(?<size>[0-9]+)", e);
	const struct ct_trace_options o = {.pattern = p, .no_threads = 1};
	if (st == CT_OK)
		st = repack_with(arg, &o, e);
	ct_pattern_free(p);
	return st;
}

static void traces(void **state)
{
	static const char *const files[] = {
		"ctzfile/hand",   "ctzfile/bfs",        "accelsim/v0.traceg", "accelsim/v3.zst",
		"accelsim/v6.gz", "accelsim/v6.traceg", "nvbit/stock.txt"};
	static const char *const damaged[] = {
		"accelsim/core.traceg", "accelsim/raw.trace", "accelsim/raw.xz", "nvbit/torn.txt"};
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		with_file(repack, files[i]);
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
		with_file(repack_damaged, damaged[i]);
	with_file(repack_pattern, "pattern/lackey.txt");
}

/* ---- GPUs, dumps ---- */

static int gpu_file(const void *arg, struct ct_error *e)
{
	struct ct_buf b = {0};
	struct ct_gpu g;
	char path[4096];
	(void)arg;
	int st = ct_gpu_load(&g, "rtx3080", test_data("", path, sizeof path), NULL, e);
	if (st == CT_OK) {
		ct_gpu_print(&g, &b);
		st = ct_buf_check(&b, e);
	}
	ct_buf_free(&b);
	return st;
}

static int sim_file(const void *arg, struct ct_error *e)
{
	const struct bytes *b = arg;
	const char *end = strstr(b->p, "\n====");
	struct ct_sim_text t = {b->name, b->p, end ? (size_t)(end - b->p) : b->n};
	struct ct_gpu g;
	return ct_sim_parse(&g, &t, NULL, NULL, e);
}

static void gpus(void **state)
{
	(void)state;
	every(gpu_file, NULL);
	with_file(sim_file, "gpgpusim/two-files");
}

/* ---- profiles and what the models say of them ---- */

static int document(const void *arg, struct ct_error *e)
{
	const struct bytes *b = arg;
	struct ct_profile *p = NULL, *m = NULL, *two[2];
	struct ct_buf out = {0};
	struct ct_rj j = {0};
	int st = ct_profile_read_memory(&p, b->name, b->p, b->n, 0, e);
	if (st == CT_OK) {
		two[0] = two[1] = p;
		st = ct_profile_merge(&m, two, 2, e);
	}
	if (st == CT_OK)
		st = ct_profile_write(m, &out, e);
	if (st == CT_OK)
		st = ct_profile_write_json(m, &out, e);
	if (st == CT_OK && ct_profile_get_rj(m, "all", "nearest", &j, e) < 0)
		st = CT_ERR_NOMEM;
	ct_rj_free(&j);
	ct_buf_free(&out);
	ct_profile_free(m);
	ct_profile_free(p);
	return st;
}

static int shared_l1(struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p,
                     struct ct_error *e)
{
	static struct ct_sl_answer a;
	struct ct_sl_params params;
	ct_sl_defaults(&params);
	int st = ct_sl_answer_init(&a, p, w, g, g, &params, NULL, e);
	if (st == CT_OK) {
		st = ct_sl_answer_write(&a, p, e);
		ct_sl_answer_free(&a);
	}
	return st;
}

static int morpheus(struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p,
                    struct ct_error *e)
{
	static struct ct_mo_answer a;
	struct ct_morpheus_params params;
	ct_morpheus_defaults(&params);
	int st = ct_mo_answer_init(&a, w, g, g, &params, NULL, e);
	if (st == CT_OK) {
		st = ct_mo_answer_write(&a, p, e);
		ct_mo_answer_free(&a);
	}
	return st;
}

static int tag_split(struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p,
                     struct ct_error *e)
{
	static struct ct_ts_answer a;
	struct ct_ts_params params;
	ct_ts_defaults(&params);
	int st = ct_ts_answer_init(&a, p, w, g, g, &params, e);
	return st == CT_OK ? ct_ts_answer_write(&a, p, e) : st;
}

static int answers(const void *arg, struct ct_error *e)
{
	static struct ct_workload w;
	const struct bytes *b = arg;
	struct ct_profile *p = NULL;
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	memset(&w, 0, sizeof w);
	int st = ct_profile_read_memory(&p, b->name, b->p, b->n, 0, e);
	if (st == CT_OK)
		st = ct_workload_read(&w, p, g.sms, (double)ct_gpu_register_bytes(&g), e);
	if (st == CT_OK)
		st = shared_l1(&w, &g, p, e);
	if (st == CT_OK)
		st = morpheus(&w, &g, p, e);
	if (st == CT_OK)
		st = tag_split(&w, &g, p, e);
	if (st == CT_OK)
		st = ct_mk_bounds_write(&g, p, e);
	ct_miss_cache_free(w.cache);
	ct_profile_free(p);
	return st;
}

static void profiles(void **state)
{
	(void)state;
	with_file(document, "models/vecadd-tag-split");
	with_file(answers, "models/vecadd-tag-split");
}

/* ---- distances ---- */

enum { LINES = 6000 };
static uint64_t line[LINES], distance[LINES];

static int stack(const void *arg, struct ct_error *e)
{
	struct ct_stack *s = ct_stack_new(arg, e);
	if (!s)
		return e->status;
	ct_stack_touch_batch(s, line, LINES, distance);
	int st = ct_stack_check(s, e);
	ct_stack_free(s);
	return st;
}

static int shards(const void *arg, struct ct_error *e)
{
	struct ct_shards *s = ct_shards_new(arg, e);
	if (!s)
		return e->status;
	ct_shards_access(s, line, LINES);
	int st = ct_shards_check(s, e);
	ct_shards_free(s);
	return st;
}

static int setlru(const void *arg, struct ct_error *e)
{
	static uint8_t position[LINES];
	struct ct_setlru *s = ct_setlru_new(arg, e);
	if (!s)
		return e->status;
	ct_setlru_access(s, line, NULL, NULL, LINES, position);
	int st = ct_setlru_check(s, e);
	ct_setlru_free(s);
	return st;
}

static int observer(const void *arg, struct ct_error *e)
{
	static struct ct_locality_counts c;
	struct ct_locality *l = ct_locality_new(arg, e);
	if (!l)
		return e->status;
	memset(&c, 0, sizeof c);
	ct_locality_kernel_begin(l, 1);
	for (size_t i = 0; i < LINES; i++) {
		ct_locality_l1(l, i % 3, line[i], 1 + i % 15, i % 5 == 0, i);
		ct_locality_llc(l, line[i], 3, i % 7 == 0);
	}
	int st = ct_locality_collect(l, &c, e);
	ct_locality_counts_free(&c);
	ct_locality_free(l);
	return st;
}

static void distances(void **state)
{
	static const struct ct_stack_options stacks[] = {
		{.engine = CT_STACK_FAST},
		{.engine = CT_STACK_TEXTBOOK},
		{.sparse = 1, .sectors = 4, .stamps = 1},
		{.sectors = 4, .stamps = 1, .window = 300}};
	static const struct ct_shards_options samples[] = {
		{.rate = 1, .salts = 2}, {.rate = 0.5, .salts = 4, .max_lines = 64}};
	static const struct ct_setlru_options sets[] = {{.sets = 64, .sectors = 4}, {.sets = 1}};
	static const struct ct_locality_options streams[] = {
		{.sms = 3, .sectors = 4, .sharing = 1},
		{.sms = 3, .sectors = 4, .sharing = 1, .sample = 0.5, .store = CT_STORE_EVICT}};
	(void)state;
	for (uint64_t i = 0; i < LINES; i++)
		line[i] = i % 3 ? i * 37 % 900 : i << 20;
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
		every(stack, &stacks[i]);
	for (size_t i = 0; i < 2; i++) {
		every(shards, &samples[i]);
		every(setlru, &sets[i]);
		every(observer, &streams[i]);
	}
}

/* ---- replays ---- */

struct parts {
	struct ct_replay_parts all;
	struct ct_sl_place place;
	struct ct_sl_part *sl;
	struct ct_ts_parts *ts;
	struct ct_mk_parts *mk;
	const char *kind, *system;
};

static int make_parts(struct parts *p, struct ct_gpu *g, struct ct_error *e)
{
	int st = CT_OK;
	if (!strcmp(p->kind, "shared-l1")) {
		struct ct_sl_params params;
		ct_sl_defaults(&params);
		st = ct_sl_place_spread(&p->place, g->sms, g->llc_partitions, e);
		if (st == CT_OK)
			st = ct_sl_part_new(&p->sl,
			                    ct_sl_system_at((size_t)ct_sl_system_find(p->system)), g,
			                    &params, CT_SL_NET_MESH, &p->place, e);
		if (st == CT_OK) {
			p->all = *ct_sl_part_parts(p->sl);
			*g = *ct_sl_part_gpu(p->sl);
		}
	} else if (!strcmp(p->kind, "tag-split")) {
		struct ct_ts_params params;
		ct_ts_defaults(&params);
		st = ct_ts_parts_new(&p->ts, g, ct_ts_system_at((size_t)ct_ts_system_find(p->system)),
		                     &params, 1, e);
		if (st == CT_OK && p->ts)
			p->all = *ct_ts_parts_plugs(p->ts);
	} else if (!strcmp(p->kind, "malekeh")) {
		struct ct_mk_params params;
		ct_mk_defaults(&params);
		params.v[CT_MK_P_INTERVAL] = 100;
		st = ct_mk_parts_new(&p->mk, ct_mk_system_at((size_t)ct_mk_system_find(p->system)), g,
		                     &params, NULL, NULL, 1, e);
		if (st == CT_OK)
			p->all = *ct_mk_parts_table(p->mk);
	}
	return st;
}

struct replay {
	const char *kind, *system;
	struct ct_replay_options options;
	const struct bytes *b;
	const char *sms; /* where another thread helps */
};

/* Stands for another thread that has time at once. */
static void work_now(void *poster, unsigned helper, void (*work)(void *arg), void *arg)
{
	(void)poster;
	(void)helper;
	work(arg);
}

static int replay(const void *arg, struct ct_error *e)
{
	static const char *const small[] = {
		"sm.count=2", "llc.slices=2", "llc.partitions=2", "dram.channels=2"};
	const struct replay *a = arg;
	const struct ct_trace_options to = {.no_threads = 1};
	struct parts p = {.kind = a->kind, .system = a->system};
	struct ct_replay_options o = a->options;
	struct ct_replay *r = NULL;
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	g.dram_mapping[0] = 0;
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		assert_int_equal(ct_gpu_set(&g, small[i], e), 0);
	if (a->sms)
		assert_int_equal(ct_gpu_set(&g, a->sms, e), 0);
	assert_int_equal(ct_gpu_check(&g, e), 0);
	int st = make_parts(&p, &g, e);
	o.parts = p.sl || p.ts || p.mk ? &p.all : NULL;
	if (st == CT_OK)
		st = ct_replay_new(&r, &g, &o, e);
	if (st == CT_OK && a->sms)
		st = ct_replay_share(r, 1, work_now, NULL, e);
	if (st == CT_OK)
		st = ct_source_open_memory(&s, a->b->name, a->b->p, a->b->n, e);
	if (st == CT_OK)
		st = ct_trace_open_source(&t, s, &to, e);
	if (st == CT_OK)
		st = replay_trace(r, t, e);
	ct_replay_free(r);
	ct_trace_close(t);
	ct_sl_part_free(p.sl);
	ct_ts_parts_free(p.ts);
	ct_mk_parts_free(p.mk);
	return st;
}

static void replays(void **state)
{
	static struct replay r[] = {
		{"", "", {.timing = CT_REPLAY_FULL, .replication = 1}, NULL, NULL},
		{"", "", {.timing = CT_REPLAY_QUICK}, NULL, NULL},
		{"", "", {.timing = CT_REPLAY_FULL, .free = 0x7f}, NULL, NULL},
		{"shared-l1", "Shared++", {0}, NULL, NULL},
		{"shared-l1", "DynEB", {0}, NULL, NULL},
		{"tag-split", "TSC", {0}, NULL, NULL},
		{"tag-split", "MRPB", {0}, NULL, NULL},
		{"tag-split", "DSC-4", {0}, NULL, NULL},
		{"malekeh", "Malekeh", {0}, NULL, NULL},
		{"malekeh", "BOW", {0}, NULL, NULL},
		{"", "", {.timing = CT_REPLAY_FULL, .replication = 1}, NULL, "sm.count=8"},
		{"", "", {.timing = CT_REPLAY_QUICK}, NULL, "sm.count=8"}};
	struct bytes b = corpus("ctzfile/bfs");
	(void)state;
	for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
		r[i].b = &b;
		every(replay, &r[i]);
	}
	free(b.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces),    cmocka_unit_test(gpus),    cmocka_unit_test(profiles),
		cmocka_unit_test(distances), cmocka_unit_test(replays),
	};
	return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
