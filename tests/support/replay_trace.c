#include "tests/support/replay_trace.h"

static int replay_launch(struct ct_replay *const *r, unsigned n, struct ct_trace *t,
                         const struct ct_kernel *k, struct ct_error *e)
{
	struct ct_cta *cta;
	int st = CT_OK, more;
	for (unsigned i = 0; i < n && st >= 0; i++)
		st = ct_replay_kernel_begin(r[i], k, e);
	while (st >= 0 && (more = ct_trace_next_cta(t, &cta, e)) != 0) {
		if (more < 0)
			return more;
		for (unsigned i = 0; i < n && st >= 0; i++)
			st = ct_replay_push_cta(r[i], cta, e);
		ct_cta_unref(cta);
	}
	for (unsigned i = 0; i < n && st >= 0; i++)
		st = ct_replay_kernel_end(r[i], NULL, e);
	return st;
}

int replay_trace_together(struct ct_replay *const *r, unsigned n, struct ct_trace *t, struct ct_error *e)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(t, &ev, e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY)
			for (unsigned i = 0; i < n; i++)
				ct_replay_memcpy(r[i], ev.address, ev.bytes);
		else if ((st = replay_launch(r, n, t, ev.kernel, e)) < 0)
			return st;
	}
	return st;
}

int replay_trace(struct ct_replay *r, struct ct_trace *t, struct ct_error *e)
{
	return replay_trace_together(&r, 1, t, e);
}
