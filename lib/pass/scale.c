#include "pass/scale.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "gpu/occupancy.h"

/* A verdict needs two waves of CTAs (one is all start and end); a GPU below 1/64 models nothing. */
enum { WAVES_WANTED = 2, HALVINGS = 6 };

struct launch {
	uint64_t ctas, warp_insts;
	uint32_t ctas_per_sm;
};

/* Grid, size and occupancy of every launch, from a pass of its own. */
static int read_launches(const char *path, const struct ct_trace_options *options,
                         const struct ct_gpu *g, struct launch **out, size_t *n, struct ct_error *e)
{
	struct ct_trace_options o = {0};
	struct ct_trace *tr;
	struct ct_event ev;
	size_t cap = 0;
	int st;
	if (options)
		o = *options;
	o.diag.warn = NULL; /* the real pass will say it */
	if ((st = ct_trace_open(&tr, path, &o, e)) != CT_OK)
		return st;
	while ((st = ct_trace_next(tr, &ev, e)) > 0) {
		struct ct_occupancy occ;
		if (ev.kind != CT_EVENT_KERNEL)
			continue;
		if ((st = ct_occupancy(g, ev.kernel, &occ, e)) != CT_OK)
			break;
		if (ct_grow((void **)out, &cap, *n + 1, sizeof **out) < 0) {
			st = ct_fail_nomem(e);
			break;
		}
		struct launch *l = &(*out)[(*n)++];
		const struct ct_trace_stats *before = ct_trace_stats(tr);
		uint64_t ctas = before->ctas, insts = before->warp_insts;
		struct ct_cta *cta;
		while ((st = ct_trace_next_cta(tr, &cta, e)) > 0)
			ct_cta_unref(cta);
		if (st < 0)
			break;
		l->ctas = ct_trace_stats(tr)->ctas - ctas;
		l->warp_insts = ct_trace_stats(tr)->warp_insts - insts;
		l->ctas_per_sm = occ.ctas_by_resources;
	}
	ct_trace_close(tr);
	return st;
}

/* What a pipe gave is gone, and opening it once more may wait without end. */
static int reads_twice(const char *path)
{
	struct stat s;
	return strcmp(path, "-") != 0 &&
	       (stat(path, &s) != 0 || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
}

int ct_pass_scale_auto(const char *path, const struct ct_trace_options *o, const struct ct_gpu *g,
                       double *factor, struct ct_error *e)
{
	struct launch *l = NULL;
	size_t n = 0;
	if (!reads_twice(path))
		return ct_fail(e, CT_ERR_USAGE,
		               "--scale auto reads the trace twice: name a file, or give a factor");
	int st = read_launches(path, o, g, &l, &n, e);
	*factor = 1;
	for (int i = 0; i < HALVINGS && st == CT_OK; i++, *factor /= 2) {
		uint64_t all = 0, filled = 0;
		struct ct_gpu scaled = *g; /* SMs are rounded up */
		if ((st = ct_gpu_scale(&scaled, *factor, e)) != CT_OK)
			break;
		for (size_t k = 0; k < n; k++) {
			all += l[k].warp_insts;
			if (l[k].ctas >= (uint64_t)WAVES_WANTED * scaled.sms * l[k].ctas_per_sm)
				filled += l[k].warp_insts;
		}
		if (2 * filled >= all)
			break;
	}
	free(l);
	return st;
}
