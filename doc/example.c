/* example.c - profiles a trace, asks a mechanism what it would gain, and prints the verdict.
 *
 *     cc -o example example.c $(pkg-config --cflags --libs cachetriage)
 *     ./example TRACE MECHANISM "$(pkg-config --variable=datadir cachetriage)" */
#include <stdio.h>

#include "models/common/workload.h"
#include "models/observers.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

int main(int argc, char **argv)
{
	static struct ct_workload workload;             /* some KiB */
	struct ct_pass_settings settings = {.seed = 1}; /* as the commands' */
	struct ct_error e = {0};
	struct ct_gpu gpu;
	struct ct_verdict v;
	int i = argc == 4 ? ct_mechanism_find(argv[2]) : -1;
	if (i < 0)
		return fprintf(stderr, "usage: example TRACE MECHANISM DATA_FOLDER\n"), 2;
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)i);
	struct ct_mechanism_run run = {
		.mechanism = m,
		.data_dir = argv[3],
		.settings = &settings,
		.base = &gpu,
		.gpu = &gpu,
		.from_trace = 1};
	int st = ct_gpu_load(&gpu, "rtx3080", argv[3], NULL, &e);
	if (st == CT_OK && !(run.p = ct_profile_new(&e)))
		st = e.status;
	if (st == CT_OK && (st = m->open(&run, &e)) == CT_OK &&
	    (st = ct_mechanism_profile(&run, argv[1], &workload, &e)) == CT_OK &&
	    (st = m->estimate(&run, &e)) == CT_OK && (st = ct_verdict_decide(run.p, m, &v)) == CT_OK)
		printf("%s: %s, speed-up %.3f (%.3f to %.3f): %s\n", argv[2], ct_verdict_word(v.word),
		       v.speedup, v.low, v.high, v.reason);
	if (st != CT_OK)
		fprintf(stderr, "example: %s\n", e.text);
	m->close(&run);
	ct_profile_free(run.p);
	return st == CT_OK ? 0 : 2;
}
