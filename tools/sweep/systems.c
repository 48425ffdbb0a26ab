/* systems.c - which systems are estimated at each point. */
#include <stdio.h>
#include <string.h>

#include "base/items.h"
#include "models/verdict/verdict.h"
#include "sweep/sweep.h"

static const char baseline[] = "baseline";
enum { NAME_MAX_CHARS = 96 };

const char *sw_mechanism_name(const struct sw_system *s)
{
	return s->mechanism < 0 ? baseline : ct_mechanism_at((unsigned)s->mechanism)->name;
}

const char *sw_system_name(const struct sw_system *s)
{
	return s->mechanism < 0 ? ct_verdict_baseline
	                        : ct_mechanism_at((unsigned)s->mechanism)->systems[s->index].name;
}

/* of_all: nobody has named the system itself. */
static int add_system(struct sw_own *o, int mechanism, unsigned index, int of_all, struct ct_error *e)
{
	for (unsigned i = 0; i < o->n_systems; i++)
		if (o->system[i].mechanism == mechanism && o->system[i].index == index) {
			o->system[i].of_all &= of_all;
			return CT_OK;
		}
	if (o->n_systems == SW_SYSTEMS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "--system: more than %d systems", SW_SYSTEMS_MAX);
	o->system[o->n_systems++] = (struct sw_system){mechanism, index, of_all};
	if (mechanism >= 0)
		o->mechanisms |= UINT32_C(1) << mechanism;
	return CT_OK;
}

static int add_all(struct sw_own *o, int mechanism, struct ct_error *e)
{
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)mechanism);
	int st = CT_OK;
	for (unsigned i = 0; i < m->n_systems && st == CT_OK; i++)
		st = add_system(o, mechanism, i, 1, e);
	return st;
}

static int add_judged(struct sw_own *o, unsigned mechanism, struct ct_error *e)
{
	const struct ct_mechanism *m = ct_mechanism_at(mechanism);
	int i = ct_mechanism_system(m, m->judged);
	return i < 0 ? CT_OK : add_system(o, (int)mechanism, (unsigned)i, 0, e);
}

/* The mechanisms whose own keys are varied, a bit each; 0: only the GPU is. */
static uint32_t varied_mechanisms(const struct sw_own *o)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < o->n_dimensions; i++)
		if (o->dimension[i].kind != SW_OF_GPU)
			mask |= UINT32_C(1) << o->dimension[i].mechanism;
	return mask;
}

/* The baseline and each mechanism's judged system, or where keys of mechanisms are varied those of these. */
static int add_default(struct sw_own *o, struct ct_error *e)
{
	uint32_t mask = varied_mechanisms(o);
	int st = add_system(o, -1, 0, 0, e);
	mask = mask ? mask : ct_mechanisms_published();
	for (unsigned i = 0; i < ct_mechanism_count() && st == CT_OK; i++)
		if (mask >> i & 1)
			st = add_judged(o, i, e);
	return st;
}

/* A system of that name in one mechanism, or in whichever has one: several of them must be told apart. */
static int add_named(struct sw_own *o, const char *name, int only, struct ct_error *e)
{
	int found = -1;
	unsigned system = 0;
	for (int i = 0; ct_mechanism_at((unsigned)i); i++) {
		int k = only >= 0 && only != i ? -1
		                               : ct_mechanism_system(ct_mechanism_at((unsigned)i), name);
		if (k < 0)
			continue;
		if (found >= 0)
			return ct_fail(e, CT_ERR_USAGE,
			               "--system %s: %s and %s have a system of that name: write %s:%s",
			               name, ct_mechanism_at((unsigned)found)->name,
			               ct_mechanism_at((unsigned)i)->name,
			               ct_mechanism_at((unsigned)found)->name, name);
		found = i;
		system = (unsigned)k;
	}
	if (found >= 0)
		return add_system(o, found, system, 0, e);
	struct ct_buf names = {0};
	for (unsigned i = 0; ct_mechanism_at(i); i++)
		ct_buf_printf(&names, ", %s", ct_mechanism_at(i)->name);
	int st = ct_buf_check(&names, e);
	if (st == CT_OK)
		st = ct_fail(e, CT_ERR_USAGE,
		             "--system %s: there is no such system: use baseline, a system as its "
		             "estimator prints it, or for all systems of a mechanism its name (%s)",
		             name, names.data + 2);
	ct_buf_free(&names);
	return st;
}

/* baseline, MECHANISM, SYSTEM or MECHANISM:SYSTEM. */
static int add_text(struct sw_own *o, char *name, struct ct_error *e)
{
	char *colon = strchr(name, ':');
	int m;
	if (!strcmp(name, baseline) || !strcmp(name, ct_verdict_baseline))
		return add_system(o, -1, 0, 0, e);
	if (!colon && (m = ct_mechanism_find(name)) >= 0)
		return add_all(o, m, e);
	if (!colon)
		return add_named(o, name, -1, e);
	*colon = '\0';
	if ((m = ct_mechanism_find(name)) < 0)
		return ct_fail(e, CT_ERR_USAGE, "--system %s:%s: there is no mechanism %s", name,
		               colon + 1, name);
	return add_named(o, colon + 1, m, e);
}

/* What a setting does is known of its own mechanism only. */
static int check_settings(const struct sw_own *o, struct ct_error *e)
{
	for (unsigned i = 0; i < o->n_dimensions; i++) {
		const struct sw_dimension *d = &o->dimension[i];
		for (unsigned k = 0; d->kind == SW_SETTING && k < o->n_systems; k++)
			if (o->system[k].mechanism >= 0 && o->system[k].mechanism != (int)d->mechanism)
				return ct_fail(
					e, CT_ERR_USAGE,
					"%s is a setting of %s, and --system names %s of %s, "
					"which has none: sweep them apart",
					d->key, ct_mechanism_at(d->mechanism)->name,
					sw_system_name(&o->system[k]), sw_mechanism_name(&o->system[k]));
	}
	return CT_OK;
}

int sw_systems_read(struct sw_own *o, struct ct_error *e)
{
	const char *list = o->system_text;
	char name[NAME_MAX_CHARS];
	int st = list ? CT_OK : add_default(o, e);
	for (int got; list && st == CT_OK && (got = ct_item_copy(&list, name, sizeof name)) != 0;)
		st = got < 0 ? ct_fail(e, CT_ERR_USAGE, "--system %s: a name in it is too long",
		                       o->system_text)
		             : add_text(o, name, e);
	return st == CT_OK ? check_settings(o, e) : st;
}
