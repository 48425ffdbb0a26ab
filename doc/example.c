/* example.c - profiles a trace, asks a mechanism what it would gain, and prints the verdict.
 *
 *     cc -o example example.c $(pkg-config --cflags --libs cachetriage)
 *     ./example TRACE MECHANISM "$(pkg-config --variable=datadir cachetriage)" */
#include <stdio.h>

#include "models/common/workload.h"
#include "models/observers.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

/* Makes the profile of the trace at `path`, with what the mechanism of the run measures on the way. */
static int profile(const char *path, struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_mechanism_observers observers;
	struct ct_trace *trace = NULL;
	int st = ct_mechanism_observers(&observers, &run, 1, e);
	struct ct_pass_options options = {.gpu = run->gpu,
	                                  .observers = observers.list,
	                                  .n_observers = observers.n,
	                                  .settings = *run->settings};
	if (st == CT_OK)
		st = ct_trace_open(&trace, path, NULL, e);
	if (st == CT_OK)
		st = ct_pass_run(trace, &options, run->p, e);
	ct_trace_close(trace);
	return st;
}

static int judge(const char *path, const struct ct_mechanism *m, const char *data_dir,
                 struct ct_verdict *verdict, struct ct_error *e)
{
	static struct ct_workload workload;             /* some KiB */
	struct ct_pass_settings settings = {.seed = 1}; /* as the commands' */
	struct ct_gpu gpu;
	int st = ct_gpu_load(&gpu, "rtx3080", data_dir, NULL, e);
	struct ct_profile *p = st == CT_OK ? ct_profile_new(e) : NULL;
	if (!p)
		return e->status;
	ct_profile_set_metrics(p, ct_mechanism_metric);
	struct ct_mechanism_run run = {
		.mechanism = m,
		.data_dir = data_dir,
		.settings = &settings,
		.p = p,
		.base = &gpu,
		.gpu = &gpu,
		.workload = &workload,
		.from_trace = 1};
	if ((st = m->open(&run, e)) == CT_OK && (st = profile(path, &run, e)) == CT_OK &&
	    (st = ct_workload_read(&workload, p, gpu.sms, (double)ct_gpu_register_bytes(&gpu), e)) ==
	            CT_OK &&
	    (st = m->estimate(&run, e)) == CT_OK)
		ct_verdict_decide(p, m, 1, verdict);
	m->close(&run);
	ct_profile_free(p);
	return st;
}

int main(int argc, char **argv)
{
	struct ct_error e = {0};
	struct ct_verdict v;
	int i = argc == 4 ? ct_mechanism_find(argv[2]) : -1;
	if (i < 0)
		return fprintf(stderr, "usage: example TRACE MECHANISM DATA_FOLDER\n"), 2;
	if (judge(argv[1], ct_mechanism_at((unsigned)i), argv[3], &v, &e) < 0)
		return fprintf(stderr, "example: %s\n", e.text), 2;
	printf("%s: %s, speed-up %.3f (%.3f to %.3f): %s\n", argv[2], ct_verdict_word(v.word), v.speedup,
	       v.low, v.high, v.reason);
	return 0;
}
