#include "models/shared_l1/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct core {
	uint32_t state;    /* enum ct_sl_state */
	uint32_t before;   /* 1: was shared when it last decided */
	double counted[2]; /* towards the end of the phase; execution: [0] */
	struct ct_sl_group group[2];
};

struct ct_sl_phases {
	struct ct_sl_scheme c;
	unsigned cores;
	struct core *core;
	struct ct_sl_phase_stats s;
	double eb, amat; /* sums over the decisions */
	struct ct_sl_change *change;
	size_t changes, change_cap;
};

int ct_sl_phases_new(struct ct_sl_phases **out, const struct ct_sl_scheme *s, unsigned cores)
{
	struct ct_sl_phases *p = *out = ct_calloc(1, sizeof *p);
	if (!p)
		return CT_ERR_NOMEM;
	p->c = *s;
	p->cores = cores;
	p->core = ct_calloc(cores, sizeof *p->core);
	if (p->core)
		return CT_OK;
	ct_sl_phases_free(p);
	*out = NULL;
	return CT_ERR_NOMEM;
}

int ct_sl_phases_copy(struct ct_sl_phases **out, const struct ct_sl_phases *from,
                      const struct ct_sl_scheme *s)
{
	struct ct_sl_phases *p;
	int st = ct_sl_phases_new(out, s, from->cores);
	if (st != CT_OK)
		return st;
	p = *out;
	memcpy(p->core, from->core, from->cores * sizeof *p->core);
	p->s = from->s;
	p->eb = from->eb;
	p->amat = from->amat;
	if (ct_grow((void **)&p->change, &p->change_cap, from->changes + 1, sizeof *p->change) < 0) {
		ct_sl_phases_free(p);
		*out = NULL;
		return CT_ERR_NOMEM;
	}
	if (from->changes)
		memcpy(p->change, from->change, from->changes * sizeof *p->change);
	p->changes = from->changes;
	return CT_OK;
}

void ct_sl_phases_free(struct ct_sl_phases *p)
{
	if (!p)
		return;
	free(p->core);
	free(p->change);
	free(p);
}

static int is_sampling(const struct ct_sl_phases *p, unsigned core)
{
	return p->core[core].state == CT_SL_SAMPLING_STATE;
}

int ct_sl_phases_shared(const struct ct_sl_phases *p, unsigned core, unsigned group)
{
	switch ((enum ct_sl_state)p->core[core].state) {
	case CT_SL_SAMPLING_STATE: return group == 1;
	case CT_SL_SHARED_STATE: return 1;
	default: return 0;
	}
}

/* Counts an access towards the end of a core's phase; 1 when that has come. */
static int count_towards_end(struct ct_sl_phases *p, unsigned core, unsigned group)
{
	struct core *c = &p->core[core];
	if (c->state != CT_SL_SAMPLING_STATE)
		return ++c->counted[0] >= p->c.execution;
	c->counted[group]++;
	return c->counted[0] >= p->c.sampling && c->counted[1] >= p->c.sampling;
}

int ct_sl_phases_own(struct ct_sl_phases *p, unsigned core, unsigned group, enum ct_sl_way way)
{
	if (is_sampling(p, core)) {
		p->s.sampled++;
		p->core[core].group[group].remote += way == CT_SL_REMOTE;
		p->core[core].group[group].past += p->c.eb_past && way == CT_SL_PAST;
	}
	return p->c.count == CT_SL_COUNT_OWN ? count_towards_end(p, core, group) : 0;
}

int ct_sl_phases_served(struct ct_sl_phases *p, unsigned at, unsigned from, unsigned group, int missed)
{
	if (is_sampling(p, at)) {
		struct ct_sl_group *g = &p->core[at].group[group];
		g->served++;
		g->served_misses += missed != 0;
		if (from == at) {
			g->local++;
			g->local_misses += missed != 0;
		}
	}
	int counts = p->c.count == CT_SL_COUNT_SERVED || (p->c.count == CT_SL_COUNT_LOCAL && from == at);
	return counts ? count_towards_end(p, at, group) : 0;
}

void ct_sl_phases_llc_reply(struct ct_sl_phases *p, unsigned at, unsigned group)
{
	if (is_sampling(p, at))
		p->core[at].group[group].llc_replies++;
}

void ct_sl_phases_home_reply(struct ct_sl_phases *p, unsigned core, unsigned group, int missed)
{
	if (!is_sampling(p, core))
		return;
	struct ct_sl_group *g = &p->core[core].group[group];
	g->home_replies++;
	g->remote_misses += missed != 0;
}

static enum ct_sl_state decide_state(struct ct_sl_phases *p, struct core *c)
{
	const struct ct_sl_group *pr = &c->group[0], *sh = &c->group[1];
	int shared = ct_sl_decide(p->c.by, pr, sh, &p->c.latency, p->c.guard, (int)c->before);
	c->before = (uint32_t)shared;
	p->s.decisions++;
	p->s.chose_shared += (uint64_t)shared;
	p->eb += ct_sl_eb(shared ? sh : pr);
	p->amat += ct_sl_amat(shared ? sh : pr, &p->c.latency);
	return shared ? CT_SL_SHARED_STATE : CT_SL_PRIVATE_STATE;
}

int ct_sl_phases_turn(struct ct_sl_phases *p, unsigned core, uint64_t now)
{
	struct core *c = &p->core[core];
	c->state = c->state == CT_SL_SAMPLING_STATE ? decide_state(p, c) : CT_SL_SAMPLING_STATE;
	c->counted[0] = c->counted[1] = 0;
	memset(c->group, 0, sizeof c->group);
	if (ct_grow((void **)&p->change, &p->change_cap, p->changes + 1, sizeof *p->change) < 0)
		return CT_ERR_NOMEM;
	p->change[p->changes++] = (struct ct_sl_change){now, core, c->state};
	return CT_OK;
}

void ct_sl_phases_stats(const struct ct_sl_phases *p, struct ct_sl_phase_stats *s)
{
	*s = p->s;
	s->eb = s->decisions ? p->eb / (double)s->decisions : NAN;
	s->amat = s->decisions ? p->amat / (double)s->decisions : NAN;
}

const struct ct_sl_change *ct_sl_phases_timeline(const struct ct_sl_phases *p, size_t *n)
{
	*n = p->changes;
	return p->change;
}
