/* Counters, and the phases of the dynamic schemes (SL-A6, SL-A7). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "models/shared_l1/org_internal.h"

/* Accesses per core in a window of home camping. */
enum { CAMPING_WINDOW = 64 };

static int sampling(const struct ct_sl_org *o, unsigned core)
{
	return o->c.organisation == CT_SL_ORG_DYNAMIC &&
	       o->core[core].state == CT_SL_SAMPLING_STATE;
}

void sl_note_remote(struct ct_sl_org *o, unsigned core, uint64_t line)
{
	if (sampling(o, core))
		o->core[core].group[sl_group(o, line)].remote++;
}

void sl_note_llc_reply(struct ct_sl_org *o, unsigned at, uint64_t line)
{
	if (sampling(o, at))
		o->core[at].group[sl_group(o, line)].llc_replies++;
}

void ct_sl_org_ack(struct ct_sl_org *o, unsigned at, uint64_t line)
{
	sl_note_llc_reply(o, at, line);
}

void ct_sl_org_reply(struct ct_sl_org *o, unsigned core, uint64_t line, int missed)
{
	if (!sampling(o, core))
		return;
	struct ct_sl_group *g = &o->core[core].group[sl_group(o, line)];
	g->home_replies++;
	g->remote_misses += missed != 0;
}

static int change(struct ct_sl_org *o, unsigned core, enum ct_sl_state state, uint64_t now)
{
	struct sl_core *c = &o->core[core];
	c->state = state;
	c->counted[0] = c->counted[1] = 0;
	memset(c->group, 0, sizeof c->group);
	if (ct_grow((void **)&o->change, &o->change_cap, o->changes + 1, sizeof *o->change) < 0)
		return CT_ERR_NOMEM;
	o->change[o->changes++] = (struct ct_sl_change){ now, core, state };
	return CT_OK;
}

static int decide(struct ct_sl_org *o, unsigned core, uint64_t now)
{
	struct sl_core *c = &o->core[core];
	const struct ct_sl_group *pr = &c->group[0], *sh = &c->group[1];
	int shared = ct_sl_decide(o->c.by, pr, sh, &o->c.latency, o->c.guard, (int)c->before);
	c->before = (uint32_t)shared;
	o->s.decisions++;
	o->s.chose_shared += (uint64_t)shared;
	o->eb += ct_sl_eb(shared ? sh : pr);
	o->amat += ct_sl_amat(shared ? sh : pr, &o->c.latency);
	return change(o, core, shared ? CT_SL_SHARED_STATE : CT_SL_PRIVATE_STATE, now);
}

/* Home camping: busiest over mean home, window by window. */
static void camp(struct ct_sl_org *o, unsigned at)
{
	o->core[at].served++;
	o->core[at].window++;
	if (++o->in_window < (uint64_t)CAMPING_WINDOW * o->c.cores)
		return;
	uint64_t most = 0;
	for (unsigned i = 0; i < o->c.cores; i++) {
		if (o->core[i].window > most)
			most = o->core[i].window;
		o->core[i].window = 0;
	}
	o->camping += (double)most / CAMPING_WINDOW;
	o->windows++;
	o->in_window = 0;
}

int sl_note_access(struct ct_sl_org *o, unsigned at, unsigned from, uint64_t line, int missed,
                   uint64_t now)
{
	struct sl_core *c = &o->core[at];
	camp(o, at);
	if (o->c.organisation != CT_SL_ORG_DYNAMIC)
		return CT_OK;
	int counts = o->c.count == CT_SL_COUNT_SERVED || from == at;
	if (c->state != CT_SL_SAMPLING_STATE) {
		c->counted[0] += counts;
		return c->counted[0] >= o->c.execution ? change(o, at, CT_SL_SAMPLING_STATE, now) : CT_OK;
	}
	unsigned i = sl_group(o, line);
	struct ct_sl_group *g = &c->group[i];
	g->served++;
	g->served_misses += missed;
	if (from == at) {
		g->local++;
		g->local_misses += missed;
	}
	c->counted[i] += counts;
	if (c->counted[0] >= o->c.sampling && c->counted[1] >= o->c.sampling)
		return decide(o, at, now);
	return CT_OK;
}

void ct_sl_org_stats(const struct ct_sl_org *o, struct ct_sl_org_stats *s)
{
	*s = o->s;
	for (unsigned i = 0; i < o->c.cores; i++)
		if (o->core[i].served > s->max_home)
			s->max_home = o->core[i].served;
	s->camping = o->windows ? o->camping / (double)o->windows : NAN;
	s->eb = s->decisions ? o->eb / (double)s->decisions : NAN;
	s->amat = s->decisions ? o->amat / (double)s->decisions : NAN;
}

const struct ct_sl_change *ct_sl_org_timeline(const struct ct_sl_org *o, size_t *n)
{
	*n = o->changes;
	return o->change;
}
