#include "models/observers.h"

#include "models/registry.h"

static int add(struct ct_mechanism_observers *o, const struct ct_pass_observer *observer,
               struct ct_error *e)
{
	if (o->n == CT_PASS_OBSERVERS_MAX)
		return ct_fail(e, CT_ERR_LIMIT,
		               "a pass takes at most %d observers: measure fewer mechanisms at once",
		               CT_PASS_OBSERVERS_MAX);
	o->list[o->n++] = observer;
	return CT_OK;
}

int ct_mechanism_observers(struct ct_mechanism_observers *o, struct ct_mechanism_run *const *run,
                           unsigned n, struct ct_error *e)
{
	int st = CT_OK;
	o->n = 0;
	for (unsigned i = 0; i < ct_mechanism_count() && st == CT_OK; i++)
		if (ct_mechanism_at(i)->always)
			st = add(o, ct_mechanism_at(i)->always, e);
	for (unsigned i = 0; i < n && st == CT_OK; i++) {
		const struct ct_pass_observer *observer = run[i]->mechanism->observer;
		if (!observer)
			continue;
		st = add(o, &o->own[o->n], e);
		if (st == CT_OK) {
			o->own[o->n - 1] = *observer;
			o->own[o->n - 1].ctx = run[i];
		}
	}
	return st;
}
