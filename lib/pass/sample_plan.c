#include "pass/sample_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/thin.h"

struct planned {
	struct ct_kernel kernel; /* its name is ours, and its other texts are not there */
	uint64_t insts;
};

struct ct_sample_plan {
	struct planned *launch;
	size_t n, cap;
	double all;
};

void ct_sample_plan_free(struct ct_sample_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->n; i++)
		free(plan->launch[i].kernel.name);
	free(plan->launch);
	free(plan);
}

static int add_launch(struct ct_sample_plan *p, const struct ct_kernel *k, uint64_t insts,
                      struct ct_error *e)
{
	if (ct_grow((void **)&p->launch, &p->cap, p->n + 1, sizeof *p->launch) < 0)
		return ct_fail_nomem(e);
	struct planned *x = &p->launch[p->n];
	*x = (struct planned){.kernel = *k, .insts = insts};
	x->kernel.nvbit_version = x->kernel.tracer_version = x->kernel.path = NULL;
	x->kernel.sources = NULL;
	if (!(x->kernel.name = ct_strndup(k->name, strlen(k->name))))
		return ct_fail_nomem(e);
	p->n++;
	p->all += (double)insts;
	return CT_OK;
}

int ct_sample_plan_open(struct ct_sample_plan **plan, const char *path, const struct ct_trace_options *o,
                        struct ct_error *e)
{
	struct ct_trace_options quiet = *o;
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_sample_plan *p = ct_calloc(1, sizeof *p);
	int st = p ? CT_OK : ct_fail_nomem(e);
	quiet.diag.warn = NULL; /* the pass will say it */
	*plan = p;
	if (st == CT_OK)
		st = ct_trace_open(&t, path, &quiet, e);
	while (st >= 0 && (st = ct_trace_next(t, &ev, e)) > 0) {
		uint64_t bytes;
		int is_insts;
		if (ev.kind != CT_EVENT_KERNEL)
			continue;
		uint64_t insts = ct_trace_kernel_size(t, &is_insts);
		if (!insts || !is_insts) {
			st = ct_fail(
				e, CT_ERR_USAGE,
				"%s: has no index that tells how long its launches are: pack it with "
				"tracecat -o FILE.ctz, or give --sample-kernels",
				path);
			break;
		}
		st = add_launch(p, ev.kernel, insts, e);
		if (st == CT_OK)
			st = ct_trace_skip_kernel(t, &bytes, e);
	}
	ct_trace_close(t);
	if (st < 0) {
		ct_sample_plan_free(p);
		*plan = NULL;
	}
	return st;
}

double ct_sample_plan_all(const struct ct_sample_plan *plan)
{
	return plan->all;
}

int ct_sample_plan_insts(const struct ct_sample_plan *plan, const struct ct_gpu *g, double share,
                         uint64_t seed, double *insts, struct ct_error *e)
{
	struct ct_thin *t = ct_thin_new(g, share, seed);
	int st = t ? CT_OK : ct_fail_nomem(e);
	*insts = 0;
	for (size_t i = 0; i < plan->n && st == CT_OK; i++) {
		const struct planned *x = &plan->launch[i];
		struct ct_thin_launch l;
		st = ct_thin_choose(t, &x->kernel, x->insts, &l, e);
		if (st == CT_OK && l.ctas)
			*insts += (double)x->insts * (double)ct_thin_replayed_ctas(&l) / (double)l.ctas;
	}
	ct_thin_free(t);
	return st;
}
