#include "mechanism_trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/gpus.h"

void trial_new(struct mechanism_trial *t, const struct ct_mechanism *m, const struct ct_gpu *g,
               struct micro *trace)
{
	memset(t, 0, sizeof *t);
	snprintf(t->path, sizeof t->path, "/tmp/trial-XXXXXX");
	int fd = mkstemp(t->path);
	assert_true(fd >= 0);
	FILE *f = fdopen(fd, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(trace->text.data, 1, trace->text.len, f), trace->text.len);
	assert_int_equal(fclose(f), 0);
	ct_buf_free(&trace->text);
	t->gpu = *g;
	t->settings = (struct ct_pass_settings){.threads = 1, .sample = 1, .seed = 1};
	t->run = (struct ct_mechanism_run){
		.mechanism = m, .settings = &t->settings, .base = &t->gpu, .gpu = &t->gpu};
	t->run.data_dir = test_data("", t->data, sizeof t->data);
}

static void check_status(int st, const struct ct_error *e)
{
	if (st != CT_OK)
		fail_msg("%d: %s", st, e->text);
}

static void make_pass(struct mechanism_trial *t, int observed)
{
	const struct ct_mechanism *m = t->run.mechanism;
	struct ct_pass_observer ob;
	const struct ct_pass_observer *list[2];
	struct ct_pass_options o = {.gpu = &t->gpu,
	                            .timing = CT_REPLAY_FULL,
	                            .observers = list,
	                            .without = m->views & CT_READS_LLC_SMS ? 0 : 1u << CT_PASS_LLC_SMS,
	                            .settings = t->settings};
	struct ct_trace_options topt = {.no_threads = 1};
	struct ct_trace *trace;
	struct ct_error e = {0};
	if (m->always)
		list[o.n_observers++] = m->always;
	if (observed && m->observer) {
		ob = *m->observer;
		ob.ctx = &t->run;
		list[o.n_observers++] = &ob;
	}
	assert_non_null(t->run.p = ct_profile_new(&e));
	ct_profile_set_metrics(t->run.p, ct_mechanism_metric);
	check_status(ct_trace_open(&trace, t->path, &topt, &e), &e);
	check_status(ct_pass_run(trace, &o, t->run.p, &e), &e);
	ct_trace_close(trace);
}

void trial_measure(struct mechanism_trial *t)
{
	make_pass(t, 1);
}

void trial_pass(struct mechanism_trial *t, int observed)
{
	struct ct_error e = {0};
	check_status(t->run.mechanism->open(&t->run, &e), &e);
	make_pass(t, observed);
	check_status(ct_workload_read(&t->workload, t->run.p, t->gpu.sms,
	                              (double)ct_gpu_register_bytes(&t->gpu), &e),
	             &e);
	t->run.workload = &t->workload;
	t->run.from_trace = observed;
}

double trial_value(const struct mechanism_trial *t, const char *system, const char *metric,
                   const char *method)
{
	struct ct_estimate es;
	return ct_profile_get_estimate(t->run.p, "all", t->run.mechanism->name, system, metric, method,
	                               &es)
	               ? es.value
	               : NAN;
}

static int is_own_metric(const struct ct_mechanism *m, const char *name)
{
	for (unsigned i = 0; i < m->n_metrics; i++)
		if (!strcmp(m->metrics[i].name, name))
			return 1;
	return ct_metric("ES", name) != NULL;
}

static int is_own_system(const struct ct_mechanism *m, const char *name)
{
	for (unsigned i = 0; i < m->n_systems; i++)
		if (!strcmp(m->systems[i].name, name))
			return 1;
	return 0;
}

void trial_check_records(const struct mechanism_trial *t)
{
	const struct {
		const char *type;
		unsigned metric;
	} kind[] = {{"ES", 3}, {"SW", 5}};
	const struct ct_mechanism *m = t->run.mechanism;
	const struct ct_record *r;
	size_t found = 0;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; (r = ct_profile_next(t->run.p, kind[k].type, &i));) {
			if (strcmp(r->field[1], m->name) != 0)
				continue;
			if (!is_own_system(m, r->field[2]) ||
			    !is_own_metric(m, r->field[kind[k].metric]))
				fail_msg("%s %s %s is not in the table", kind[k].type, r->field[2],
				         r->field[kind[k].metric]);
			found++;
		}
	assert_true(found > 0);
}

void trial_show(const struct mechanism_trial *t, struct ct_buf *b)
{
	const struct ct_mechanism *m = t->run.mechanism;
	const struct ct_table_style style = {0};
	struct ct_error e = {0};
	check_status(m->show(&t->run, &style, b, &e), &e);
	if (m->show_published)
		check_status(m->show_published(&t->run, &style, b, &e), &e);
	check_status(m->show_overheads(&t->run, &t->gpu, &style, b, &e), &e);
	ct_buf_putc(b, '\0');
	assert_null(strchr(b->data, '\t'));
	assert_null(strstr(b->data, "nan"));
}

void trial_free(struct mechanism_trial *t)
{
	t->run.mechanism->close(&t->run);
	assert_null(t->run.state);
	ct_profile_free(t->run.p);
	unlink(t->path);
}
