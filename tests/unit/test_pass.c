/* The pass as a library: what observers are told and when, what is refused, and that threads and defaults change
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pass/origin.h"
#include "pass/pass.h"
#include "pass/reopen.h"
#include "pass/replays.h"
#include "tests/support/microtrace.h"

/* Two launches of two CTAs; every warp loads a line of its own and stores to it. */
static void make_trace(struct micro *m)
{
	memset(m, 0, sizeof *m);
	for (int k = 0; k < 2; k++) {
		micro_kernel(m, k ? "second" : "first", 2, 64, 0, 32);
		for (unsigned c = 0; c < 2; c++) {
			micro_cta(m);
			for (unsigned w = 0; w < 2; w++) {
				micro_warp(m, w, 3);
				micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4",
				           0x10000000 + 4096 * c + 128 * w);
				micro_line(m, "ffffffff 0 STG.E 2 R2 R4 4 1 0x%x 4",
				           0x10000000 + 4096 * c + 128 * w);
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

/* Runs a pass over that trace; *text gets the profile. */
static int run_pass(const struct ct_pass_options *o, struct ct_buf *text, struct ct_error *e)
{
	struct micro m;
	struct ct_source *s = NULL;
	struct ct_trace *t = NULL;
	struct ct_profile *p = ct_profile_new(e);
	make_trace(&m);
	assert_int_equal(m.text.failed, 0);
	assert_non_null(p);
	assert_int_equal(ct_source_open_memory(&s, "micro", m.text.data, m.text.len, e), CT_OK);
	assert_int_equal(ct_trace_open_source(&t, s, NULL, e), CT_OK);
	int st = ct_pass_run(t, o, p, e);
	if (st >= 0 && text)
		assert_int_equal(ct_profile_write(p, text, e), CT_OK);
	ct_trace_close(t);
	ct_profile_free(p);
	ct_buf_free(&m.text);
	return st;
}

/* ---- observers ---- */

/* An observer writes the letter of each call into a line, and fails at the one that it is told. */
struct seen {
	char calls[64];
	char fails_at;
	unsigned l1, sets, ways;
	const struct ct_gpu *gpu;
	uint64_t warp_insts;
};

static int note(struct seen *s, char what, struct ct_error *e)
{
	size_t n = strlen(s->calls);
	if (n + 1 < sizeof s->calls)
		s->calls[n] = what;
	return s->fails_at == what ? ct_fail(e, CT_ERR_UNSUPPORTED, "refused at %c", what) : CT_OK;
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	(void)ev;
	((struct seen *)ctx)->l1++;
}

static int on_open(void *ctx, const struct ct_pass_setup *setup, void **state,
                   struct ct_replay_observer *hooks, struct ct_error *e)
{
	struct seen *s = ctx;
	s->gpu = setup->gpu;
	*state = s;
	hooks->ctx = s;
	hooks->l1 = on_l1;
	return note(s, 'o', e);
}

static int on_kernel(void *state, const struct ct_kernel *k, uint32_t sets, uint32_t ways,
                     struct ct_error *e)
{
	struct seen *s = state;
	assert_non_null(k->name);
	s->sets = sets;
	s->ways = ways;
	return note(s, 'k', e);
}

static int on_items(void *state, struct ct_profile *p, struct ct_error *e)
{
	assert_non_null(ct_profile_gp(p, "name"));
	return note(state, 'i', e);
}

static int on_write(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                    struct ct_error *e)
{
	struct seen *s = state;
	(void)p;
	s->warp_insts = all->warp_insts;
	return note(s, 'w', e);
}

static int on_after(void *ctx, const struct ct_pass_setup *setup, struct ct_profile *p,
                    struct ct_error *e)
{
	double insts;
	assert_non_null(setup->settings);
	assert_int_equal(ct_profile_get(p, "all", "warp_insts", &insts), 1);
	return note(ctx, 'a', e);
}

static void on_close(void *state)
{
	if (state)
		note(state, 'c', NULL);
}

static int observed(struct seen *s, struct ct_error *e)
{
	struct ct_gpu g;
	const struct ct_pass_observer ob = {
		.name = "seen",
		.ctx = s,
		.open = on_open,
		.kernel = on_kernel,
		.write_items = on_items,
		.write = on_write,
		.close = on_close,
		.after = on_after};
	const struct ct_pass_observer *const list[] = {&ob};
	const struct ct_pass_options o = {.gpu = &g, .observers = list, .n_observers = 1};
	micro_gpu(&g, MICRO_RTX3070);
	return run_pass(&o, NULL, e);
}

static void tells_observers_in_order(void **state)
{
	struct seen s = {.fails_at = 0};
	struct ct_error e = {0};
	(void)state;
	assert_int_equal(observed(&s, &e), CT_OK);
	assert_string_equal(s.calls, "okkiwac");
	assert_int_equal(s.warp_insts, 2 * 2 * 2 * 3);
	assert_int_equal(s.l1, 2 * 2 * 2 * 2);
	assert_true(s.sets > 0 && s.ways > 0);
}

static void ends_with_an_observers_error(void **state)
{
	static const struct {
		char at;
		const char *calls;
	} all[] = {{'o', "oc"}, {'k', "okc"}, {'i', "okkic"}, {'w', "okkiwc"}, {'a', "okkiwac"}};
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct seen s = {.fails_at = all[i].at};
		struct ct_error e = {0};
		assert_int_equal(observed(&s, &e), CT_ERR_UNSUPPORTED);
		assert_string_equal(s.calls, all[i].calls);
		assert_non_null(strstr(e.text, "refused"));
	}
}

/* Lines of `part` that `whole` lacks. */
static unsigned lines_beyond(const char *part, const char *whole)
{
	unsigned n = 0;
	while (*part) {
		size_t len = strcspn(part, "\n");
		char line[4096];
		snprintf(line, sizeof line, "\n%.*s\n", (int)len, part);
		if (*part != '#' && strncmp(part, "EN", 2) != 0 && !strstr(whole, line))
			n++;
		part += len + (part[len] == '\n');
	}
	return n;
}

/* The layers that run where those are left out. */
static unsigned layers_that_run(unsigned without)
{
	unsigned run = ((1u << CT_PASS_LAYERS) - 1) & ~without;
	if (!(run >> CT_PASS_L1 & 1))
		run &= ~(1u << CT_PASS_SHARING | 1u << CT_PASS_TIMES);
	if (!(run >> CT_PASS_LLC & 1))
		run &= ~(1u << CT_PASS_LLC_SMS);
	return run;
}

/* Each set of layers: what runs has handled as much as in a whole pass and writes the same, all else has handled
 * nothing and writes nothing. */
static void leaves_out_layers(void **state)
{
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_pass_events all, some;
	struct ct_pass_options o = {.gpu = &g, .events = &all};
	struct ct_buf whole = {0};
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	assert_int_equal(run_pass(&o, &whole, &e), CT_OK);
	for (int i = 0; i < CT_PASS_LAYERS; i++)
		assert_true(all.of[i] > 0);
	o.events = &some;
	for (o.without = 0; o.without < 1u << CT_PASS_LAYERS; o.without += 1 + (o.without & 1)) {
		struct ct_buf part = {0};
		struct ct_profile *p = NULL;
		struct ct_source *s = NULL;
		unsigned run = layers_that_run(o.without);
		assert_int_equal(run_pass(&o, &part, &e), CT_OK);
		for (int i = 0; i < CT_PASS_LAYERS; i++)
			if (some.of[i] != (run >> i & 1 ? all.of[i] : 0))
				fail_msg("without %x: layer %d has handled %llu", o.without, i,
				         (unsigned long long)some.of[i]);
		assert_int_equal(lines_beyond(part.data, whole.data), 0);
		assert_int_equal(ct_source_open_memory(&s, "part", part.data, part.len, &e), CT_OK);
		assert_int_equal(ct_profile_read(&p, s, 1, &e), CT_OK);
		assert_int_equal(ct_pass_layers_of(p), run);
		ct_source_close(s);
		ct_profile_free(p);
		ct_buf_free(&part);
	}
	ct_buf_free(&whole);
}

static void refuses_what_excludes_each_other(void **state)
{
	struct ct_gpu g;
	struct ct_error e = {0};
	const struct ct_pass_observer ob = {.name = "order"};
	const struct ct_pass_observer *list[CT_PASS_OBSERVERS_MAX + 1];
	struct ct_pass_options o = {.gpu = &g, .observers = list, .n_observers = 1};
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		list[i] = &ob;
	assert_int_equal(run_pass(&o, NULL, &e), CT_OK);
	o.timing = CT_REPLAY_QUICK;
	assert_int_equal(run_pass(&o, NULL, &e), CT_OK);
	o.timing = CT_REPLAY_FULL;
	o.settings.sample_kernels = 0.5;
	assert_int_equal(run_pass(&o, NULL, &e), CT_OK);
	o.settings.warmup = 10;
	assert_int_equal(run_pass(&o, NULL, &e), CT_ERR_USAGE);
	o.settings.warmup = 0;
	o.settings.sample_kernels = 0;
	o.n_observers = CT_PASS_OBSERVERS_MAX + 1;
	assert_int_equal(run_pass(&o, NULL, &e), CT_ERR_USAGE);
	o.n_observers = 0;
	o.settings.warmup = 1000;
	assert_int_equal(run_pass(&o, NULL, &e), CT_ERR_USAGE);
}

/* ---- settings ---- */

static void has_defaults_and_threads_that_change_nothing(void **state)
{
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_pass_options o = {.gpu = &g, .per_kernel = 1, .mrc = 1};
	struct ct_buf one = {0}, more = {0};
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	assert_int_equal(run_pass(&o, &one, &e), CT_OK);
	o.settings = (struct ct_pass_settings){
		.threads = 4, .sample = 1, .max_memory = (uint64_t)1 << 30};
	assert_int_equal(run_pass(&o, &more, &e), CT_OK);
	assert_int_equal(one.len, more.len);
	assert_memory_equal(one.data, more.data, one.len);
	ct_buf_free(&one);
	ct_buf_free(&more);
}

static void keeps_the_gpu(void **state)
{
	struct ct_gpu g, read;
	struct ct_error e = {0};
	struct ct_buf a = {0}, b = {0};
	struct ct_profile *p = ct_profile_new(&e);
	(void)state;
	assert_non_null(p);
	assert_int_equal(ct_pass_get_gpu(p, &read, &e), CT_ERR_INPUT);
	micro_gpu(&g, MICRO_QV100);
	assert_int_equal(ct_pass_put_gpu(p, &g, &e), CT_OK);
	assert_int_equal(ct_pass_get_gpu(p, &read, &e), CT_OK);
	ct_gpu_print(&g, &a);
	ct_gpu_print(&read, &b);
	assert_string_equal(a.data, b.data);
	ct_buf_free(&a);
	ct_buf_free(&b);
	ct_profile_free(p);
}

/* ---- the trace again ---- */

static struct ct_profile *profile_of(const char *path, int traces)
{
	struct ct_error e = {0};
	struct ct_profile *p = ct_profile_new(&e);
	const char *f[4] = {path, "accelsim", "1", "crc64:0000000000000000"};
	assert_non_null(p);
	for (int i = 0; i < traces; i++)
		assert_int_equal(ct_profile_add(p, "TR", 4, f, &e), CT_OK);
	return p;
}

static void says_why_a_trace_cannot_be_read_again(void **state)
{
	static const struct {
		const char *path;
		int traces, status;
		const char *says;
	} all[] = {{"t", 0, CT_ERR_USAGE, "none"},
	           {"t", 2, CT_ERR_USAGE, "several"},
	           {"-", 1, CT_ERR_USAGE, "standard input"},
	           {"no/such/trace", 1, CT_ERR_IO, "--trace-root"},
	           {"/dev/null", 1, CT_ERR_USAGE, "pipe"}};
	const struct ct_pass_settings settings = {0};
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ct_error e = {0};
		struct ct_trace *t = NULL;
		struct ct_profile *p = profile_of(all[i].path, all[i].traces);
		assert_int_equal(ct_pass_reopen(p, &settings, "--why", &t, &e), all[i].status);
		assert_non_null(strstr(e.text, all[i].says));
		assert_null(t);
		ct_profile_free(p);
	}
}

/* A trace in a file, profiled, moved, and replayed from where it is now. */
static void replays_a_trace_that_has_moved(void **state)
{
	char folder[] = "/tmp/test_pass.XXXXXX", path[64];
	struct ct_gpu g;
	struct micro m;
	struct ct_error e = {0};
	struct ct_trace *t = NULL;
	struct ct_profile *p = ct_profile_new(&e);
	const struct ct_pass_options o = {.gpu = &g};
	struct ct_replay_counts total[2];
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	assert_non_null(p);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/t.traceg", folder);
	make_trace(&m);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(m.text.data, 1, m.text.len, f), m.text.len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(ct_trace_open(&t, path, NULL, &e), CT_OK);
	assert_int_equal(ct_pass_run(t, &o, p, &e), CT_OK);
	ct_trace_close(t);
	size_t at = 0;
	const struct ct_record *was = ct_profile_next(p, "TR", &at);
	assert_non_null(was);
	const char *moved[4] = {"elsewhere/t.traceg", was->field[1], was->field[2], was->field[3]};
	struct ct_profile *q = profile_of("", 0);
	double insts, cycles;
	assert_int_equal(ct_profile_add(q, "TR", 4, moved, &e), CT_OK);
	assert_int_equal(ct_profile_get(p, "all", "warp_insts", &insts), 1);
	assert_int_equal(ct_profile_get(p, "all", "cycles", &cycles), 1);
	assert_int_equal(
		ct_profile_add_count(q, "all", "warp_insts", (uint64_t)insts, NULL, "replay", &e),
		CT_OK);
	const struct ct_pass_settings settings = {
		.trace_root = folder, .memory = 1}; /* one engine at a time */
	const struct ct_replays_engine engine[2] = {{.gpu = &g, .options = {.timing = CT_REPLAY_FULL}},
	                                            {.gpu = &g, .options = {.timing = CT_REPLAY_FULL}}};
	assert_int_equal(ct_replays_run(q, &settings, "--why", engine, 2, NULL, total, &e), CT_OK);
	assert_int_equal(total[0].cycles, (uint64_t)cycles);
	assert_memory_equal(&total[0], &total[1], sizeof total[0]);
	assert_int_equal(ct_profile_add_count(q, "all", "warp_insts", 1, NULL, "replay", &e), CT_OK);
	assert_int_equal(ct_replays_run(q, &settings, "--why", engine, 1, NULL, total, &e),
	                 CT_ERR_USAGE);
	unlink(path);
	rmdir(folder);
	ct_profile_free(p);
	ct_profile_free(q);
	ct_buf_free(&m.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_observers_in_order),
		cmocka_unit_test(ends_with_an_observers_error),
		cmocka_unit_test(leaves_out_layers),
		cmocka_unit_test(refuses_what_excludes_each_other),
		cmocka_unit_test(has_defaults_and_threads_that_change_nothing),
		cmocka_unit_test(keeps_the_gpu),
		cmocka_unit_test(says_why_a_trace_cannot_be_read_again),
		cmocka_unit_test(replays_a_trace_that_has_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
