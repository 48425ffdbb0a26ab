#include "tests/support/replay_trace.h"

int replay_trace(struct ct_replay *r, struct ct_trace *t, struct ct_error *e)
{
	struct ct_event ev;
	struct ct_cta *cta;
	int st;
	while ((st = ct_trace_next(t, &ev, e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			ct_replay_memcpy(r, ev.address, ev.bytes);
			continue;
		}
		if ((st = ct_replay_kernel_begin(r, ev.kernel, e)) < 0)
			return st;
		while ((st = ct_trace_next_cta(t, &cta, e)) > 0) {
			st = ct_replay_push_cta(r, cta, e);
			ct_cta_unref(cta);
			if (st < 0)
				return st;
		}
		if (st < 0 || (st = ct_replay_kernel_end(r, NULL, e)) < 0)
			return st;
	}
	return st;
}
