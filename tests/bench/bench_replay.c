/* Speed of the replay engine on generated traces: warp instructions per CPU second with
 * the CTAs decoded beforehand (what .ctz input comes close to) and from compressed text.
 *
 * CT_BENCH_SIZE chooses tracegen's size (large: about five million warp instructions);
 * best of three runs, CPU seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/gpu.h"
#include "replay/replay.h"
#include "trace/trace.h"

enum { RUNS = 3 };

struct launch { struct ct_kernel kernel; struct ct_cta **cta; size_t n, cap; };
struct program { struct launch *launch; size_t n, cap; uint64_t insts; };

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int generate(const char *workload, const char *size, const char *dir)
{
	const char *bin = getenv("CT_BIN");
	char tool[4096];
	snprintf(tool, sizeof tool, "%s/tracegen", bin ? bin : "build/bin");
	pid_t pid = fork();
	int status;
	if (pid == 0) {
		execl(tool, tool, "-q", workload, "--size", size, "-o", dir, (char *)NULL);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0 ? -1 : 0;
}

/* Reads the whole trace into memory. */
static int load(struct program *p, const char *path, struct ct_error *e)
{
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_trace_options o = {.max_memory = UINT64_C(1) << 40};
	int st = ct_trace_open(&t, path, &o, e);
	if (st < 0)
		return st;
	while ((st = ct_trace_next(t, &ev, e)) > 0) {
		if (ev.kind != CT_EVENT_KERNEL)
			continue;
		if (ct_grow((void **)&p->launch, &p->cap, p->n + 1, sizeof *p->launch) < 0)
			return -1;
		struct launch *l = &p->launch[p->n++];
		memset(l, 0, sizeof *l);
		while ((st = ct_trace_next_cta(t, &cta, e)) > 0) {
			if (ct_grow((void **)&l->cta, &l->cap, l->n + 1, sizeof *l->cta) < 0)
				return -1;
			l->cta[l->n++] = cta;
			l->kernel = *ct_cta_kernel(cta); /* lives as long as the CTA */
			for (uint32_t w = 0; w < ct_cta_warps(cta); w++)
				p->insts += ct_cta_warp(cta, w)->insts;
		}
		if (st < 0)
			break;
	}
	ct_trace_close(t);
	return st;
}

static void unload(struct program *p)
{
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < p->launch[i].n; k++)
			ct_cta_unref(p->launch[i].cta[k]);
		free(p->launch[i].cta);
	}
	free(p->launch);
}

static int run(const struct program *p, const struct ct_gpu *g, enum ct_replay_timing timing,
               double *took, struct ct_error *e)
{
	struct ct_replay_options o = {.timing = timing};
	struct ct_replay *r;
	int st = ct_replay_new(&r, g, &o, e);
	double start = cpu_seconds();
	for (size_t i = 0; st == 0 && i < p->n; i++) {
		st = ct_replay_kernel_begin(r, &p->launch[i].kernel, e);
		for (size_t k = 0; st == 0 && k < p->launch[i].n; k++)
			st = ct_replay_push_cta(r, p->launch[i].cta[k], e);
		if (st == 0)
			st = ct_replay_kernel_end(r, NULL, e);
	}
	*took = cpu_seconds() - start;
	ct_replay_free(r);
	return st;
}

static int from_text(const char *path, const struct ct_gpu *g, double *took, struct ct_error *e)
{
	struct ct_replay *r;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	double start = cpu_seconds();
	int st = ct_replay_new(&r, g, NULL, e);
	if (st == 0 && (st = ct_trace_open(&t, path, NULL, e)) == 0) {
		while ((st = ct_trace_next(t, &ev, e)) > 0) {
			if (ev.kind != CT_EVENT_KERNEL)
				continue;
			if ((st = ct_replay_kernel_begin(r, ev.kernel, e)) < 0)
				break;
			while ((st = ct_trace_next_cta(t, &cta, e)) > 0) {
				int bad = ct_replay_push_cta(r, cta, e) < 0;
				ct_cta_unref(cta);
				if (bad)
					return -1;
			}
			if (st < 0 || (st = ct_replay_kernel_end(r, NULL, e)) < 0)
				break;
		}
		ct_trace_close(t);
	}
	*took = cpu_seconds() - start;
	ct_replay_free(r);
	return st;
}

static void report(const char *what, const char *metric, double value, const char *unit)
{
	printf("replay\t%s\t%s\t%.2f\t%s\n", what, metric, value, unit);
	fflush(stdout);
}

static int bench(const char *workload, const char *size, const struct ct_gpu *g)
{
	const char *tmp = getenv("TMPDIR");
	char dir[4096];
	struct program p = {0};
	struct ct_error e = {0};
	double best[3] = {1e30, 1e30, 1e30}, took;
	snprintf(dir, sizeof dir, "%s/%s", tmp ? tmp : "/tmp", workload);
	if (generate(workload, size, dir) < 0 || load(&p, dir, &e) < 0) {
		fprintf(stderr, "bench_replay: %s: %s\n", workload, e.text);
		return -1;
	}
	for (int i = 0; i < RUNS; i++)
		for (int k = 0; k < 3; k++) {
			int st = k == 2 ? from_text(dir, g, &took, &e)
			                : run(&p, g, k ? CT_REPLAY_FIXED : CT_REPLAY_FULL, &took, &e);
			if (st < 0) {
				fprintf(stderr, "bench_replay: %s: %s\n", workload, e.text);
				return -1;
			}
			if (took < best[k])
				best[k] = took;
		}
	double millions = (double)p.insts * 1e-6;
	report(workload, "size", millions, "million warp instructions");
	report(workload, "decoded", millions / best[0], "million warp instructions/s");
	report(workload, "decoded, fixed latencies", millions / best[1], "million warp instructions/s");
	report(workload, "from text", millions / best[2], "million warp instructions/s");
	unload(&p);
	return 0;
}

int main(void)
{
	static const char *const workload[] = {"gemm", "spmv", "kmeans"};
	const char *size = getenv("CT_BENCH_SIZE"), *root = getenv("CT_ROOT");
	char data[4096];
	struct ct_gpu g;
	struct ct_error e = {0};
	struct rusage use;
	snprintf(data, sizeof data, "%s/data", root ? root : ".");
	if (ct_gpu_load(&g, "rtx3070", data, NULL, &e) < 0) {
		fprintf(stderr, "bench_replay: %s\n", e.text);
		return 1;
	}
	for (size_t i = 0; i < sizeof workload / sizeof *workload; i++)
		if (bench(workload[i], size ? size : "large", &g) < 0)
			return 1;
	getrusage(RUSAGE_SELF, &use);
	report("all", "resident at most", (double)use.ru_maxrss / 1024, "MiB");
	return 0;
}
