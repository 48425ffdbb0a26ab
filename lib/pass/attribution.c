/* A site is one instruction of the launch at one array: what is counted per site sums up to instructions, to arrays,
 * and to the totals of the replay. */
#include "pass/private/attribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "pass/private/blame.h"

enum { NO_SITE = UINT32_MAX, RECENT = 8 };

/* An instruction of the launch at hand. */
struct inst {
	const struct ct_sinst *s;
	uint32_t site;     /* the one met last; others hang behind it */
	uint64_t requests; /* of which no array was known yet */
	uint64_t stall;    /* likewise */
};

struct site {
	uint32_t sid, array, next;
	struct ct_blame_counts c;
};

/* A memory instruction that a warp has issued, and the array of its first lane. */
struct recent {
	uint32_t sid, array;
};

/* What a single launch has met. */
struct launch {
	uint32_t id;
	struct ct_blame *blame;
};

struct ct_attribution {
	uint32_t l1_line, llc_line, sector, warps;
	struct ct_layout *arrays;
	struct inst *inst; /* [sid + 1]; 0 stands for what nobody knows */
	size_t insts, inst_cap;
	struct site *site;
	size_t sites, site_cap;
	struct recent *recent; /* [sm][warp slot][sid % RECENT] */
	struct ct_blame *blame;
	int per_launch;
	struct launch *launch;
	size_t launches, launch_cap;
	int failed;
};

/* Keeps the last few accesses of each warp slot of each SM, since an answer of the memory says only which warp it is
 * for. */
struct ct_attribution *
ct_attribution_new(const struct ct_gpu *g, struct ct_layout *arrays, int per_launch, struct ct_error *e)
{
	struct ct_attribution *a = ct_calloc(1, sizeof *a);
	if (!a) {
		ct_fail_nomem(e);
		return NULL;
	}
	a->l1_line = g->l1.line;
	a->llc_line = g->llc.line;
	a->sector = g->l1.sector;
	a->warps = ct_gpu_max_warps(g);
	a->arrays = arrays;
	a->per_launch = per_launch;
	a->recent = ct_calloc((size_t)g->sms * a->warps * RECENT, sizeof *a->recent);
	a->blame = ct_blame_new();
	if (a->recent && a->blame)
		return a;
	ct_attribution_free(a);
	ct_fail_nomem(e);
	return NULL;
}

void ct_attribution_free(struct ct_attribution *a)
{
	if (!a)
		return;
	free(a->inst);
	free(a->site);
	free(a->recent);
	ct_blame_free(a->blame);
	for (size_t i = 0; i < a->launches; i++)
		ct_blame_free(a->launch[i].blame);
	free(a->launch);
	free(a);
}

/* The instruction of that number; NULL when out of memory. */
static struct inst *inst_of(struct ct_attribution *a, uint32_t sid)
{
	size_t i = (size_t)(uint32_t)(sid + 1);
	if (i >= a->insts) {
		if (ct_grow((void **)&a->inst, &a->inst_cap, i + 1, sizeof *a->inst) < 0) {
			a->failed = 1;
			return NULL;
		}
		for (; a->insts <= i; a->insts++)
			a->inst[a->insts] = (struct inst){.site = NO_SITE};
	}
	return &a->inst[i];
}

/* The site of the instruction at the array, which becomes the first of the instruction's. */
static struct site *site_of_array(struct ct_attribution *a, struct inst *x, uint32_t sid, uint32_t array)
{
	uint32_t *link = &x->site, i;
	while (*link != NO_SITE && a->site[*link].array != array)
		link = &a->site[*link].next;
	i = *link;
	if (i == NO_SITE) {
		if (ct_grow((void **)&a->site, &a->site_cap, a->sites + 1, sizeof *a->site) < 0) {
			a->failed = 1;
			return NULL;
		}
		i = (uint32_t)a->sites++;
		a->site[i] = (struct site){.sid = sid, .array = array};
	} else {
		*link = a->site[i].next;
	}
	a->site[i].next = x->site;
	x->site = i;
	return &a->site[i];
}

/* The site of the instruction at an address: most often that of its last access. */
static struct site *site_of(struct ct_attribution *a, uint32_t sid, uint64_t address)
{
	struct inst *x = inst_of(a, sid);
	if (!x)
		return NULL;
	if (x->s && x->s->space == CT_SPACE_LOCAL) {
		ct_layout_touch_local(a->arrays, address);
		return site_of_array(a, x, sid, CT_LAYOUT_LOCAL);
	}
	if (x->site != NO_SITE && ct_layout_covers(a->arrays, a->site[x->site].array, address))
		return &a->site[x->site];
	return site_of_array(a, x, sid, ct_layout_touch(a->arrays, address));
}

/* Whether requests of it are counted: what goes to the L1s or past them. */
static int asks_memory(const struct ct_sinst *s)
{
	if (s->space != CT_SPACE_GLOBAL && s->space != CT_SPACE_LOCAL && s->space != CT_SPACE_GENERIC)
		return 0;
	switch (s->access) {
	case CT_ACCESS_LOAD:
	case CT_ACCESS_STORE:
	case CT_ACCESS_ATOMIC:
	case CT_ACCESS_REDUCTION:
	case CT_ACCESS_ASYNC: return 1;
	default: return 0;
	}
}

/* Counts the request at the array of its first lane. Where that is not known before the L1 has seen the line, the
 * request waits for the end of the launch. */
void ct_attribution_issue(struct ct_attribution *a, const struct ct_issue_event *ev)
{
	uint32_t sid = ev->inst->sid, array;
	if (ev->sinst->access == CT_ACCESS_NONE || !asks_memory(ev->sinst))
		return;
	struct inst *x = inst_of(a, sid);
	if (!x)
		return;
	x->s = ev->sinst;
	uint64_t address = ev->inst->nruns ? ev->inst->base : ev->inst->addr[0];
	if (x->s->space == CT_SPACE_LOCAL)
		array = x->site == NO_SITE ? CT_LAYOUT_NONE : CT_LAYOUT_LOCAL;
	else if (!ev->inst->naddr)
		array = CT_LAYOUT_NONE;
	else if (x->site != NO_SITE && ct_layout_covers(a->arrays, a->site[x->site].array, address))
		array = a->site[x->site].array;
	else
		array = ct_layout_find(a->arrays, address);
	size_t warp = (size_t)ev->sm * a->warps + ev->warp_slot;
	a->recent[warp * RECENT + sid % RECENT] = (struct recent){sid, array};
	struct site *s = array == CT_LAYOUT_NONE ? NULL : site_of_array(a, x, sid, array);
	if (s)
		s->c.requests++;
	else
		x->requests++;
}

/* The first byte that the lanes ask for in a line. */
static uint64_t first_byte(const uint64_t bytes[2])
{
	return bytes[0] ? ct_low_bit(bytes[0]) : bytes[1] ? 64 + ct_low_bit(bytes[1]) : 0;
}

uint32_t ct_attribution_l1(struct ct_attribution *a, const struct ct_l1_event *ev)
{
	struct site *s = site_of(a, ev->sid, ev->line * a->l1_line + first_byte(ev->bytes));
	if (!s)
		return 0;
	uint32_t sectors = ct_bits(ev->sectors);
	s->c.bytes_moved += (uint64_t)sectors * a->sector;
	s->c.bytes_used += ct_bits(ev->bytes[0]) + ct_bits(ev->bytes[1]);
	if (!ev->bypass) {
		s->c.sectors += sectors;
		s->c.l1_misses += ct_bits(ev->sector_miss | ev->line_miss);
		s->c.l1_pending += ct_bits(ev->pending);
	}
	return (uint32_t)(s - a->site);
}

void ct_attribution_llc(struct ct_attribution *a, const struct ct_llc_event *ev)
{
	if (!ev->miss)
		return;
	uint64_t first = (uint64_t)ct_low_bit(ev->sectors) * 32;
	struct site *s = site_of(a, ev->sid, ev->line * a->llc_line + first);
	if (s)
		s->c.llc_misses += ct_bits(ev->miss);
}

void ct_attribution_stall(void *attribution, const struct ct_stall_event *ev)
{
	struct ct_attribution *a = attribution;
	size_t warp = (size_t)ev->sm * a->warps + ev->warp_slot;
	const struct recent *r = &a->recent[warp * RECENT + ev->sid % RECENT];
	struct inst *x = inst_of(a, ev->sid);
	if (!x)
		return;
	struct site *s = r->sid == ev->sid && r->array != CT_LAYOUT_NONE
	                         ? site_of_array(a, x, ev->sid, r->array)
	                         : NULL;
	if (s)
		s->c.stall_cycles += ev->cycles;
	else
		x->stall += ev->cycles;
}

/* Gives what came before an instruction's arrays were known to the one that it has moved most bytes of. */
static int settle_recent(struct ct_attribution *a, uint32_t sid)
{
	struct inst *x = inst_of(a, sid);
	uint32_t best = NO_SITE;
	if (!x || (!x->requests && !x->stall))
		return x ? 0 : -1;
	for (uint32_t i = x->site; i != NO_SITE; i = a->site[i].next)
		if (best == NO_SITE || a->site[i].c.bytes_moved > a->site[best].c.bytes_moved ||
		    (a->site[i].c.bytes_moved == a->site[best].c.bytes_moved && i < best))
			best = i;
	struct site *s = best == NO_SITE ? site_of_array(a, x, sid, CT_LAYOUT_NONE) : &a->site[best];
	if (!s)
		return -1;
	s->c.requests += x->requests;
	s->c.stall_cycles += x->stall;
	return 0;
}

/* Makes what the launch is added to beside the whole: CT_OK with *out NULL where launches are not told apart. */
static int begin_launch(struct ct_attribution *a, uint32_t id, struct ct_blame **out, struct ct_error *e)
{
	*out = NULL;
	if (!a->per_launch)
		return CT_OK;
	if (ct_grow((void **)&a->launch, &a->launch_cap, a->launches + 1, sizeof *a->launch) < 0 ||
	    !(*out = ct_blame_new()))
		return ct_fail_nomem(e);
	a->launch[a->launches++] = (struct launch){id, *out};
	return CT_OK;
}

int ct_attribution_launch(struct ct_attribution *a, const struct ct_kernel *k,
                          const struct ct_locality_site *site, size_t n, struct ct_error *e)
{
	static const struct ct_sinst nobody = {.opcode = "?"};
	struct ct_blame *own;
	int st = ct_layout_check(a->arrays, e);
	for (size_t i = 0; st == CT_OK && i < a->insts; i++)
		if (settle_recent(a, (uint32_t)i - 1) < 0)
			st = ct_fail_nomem(e);
	if (st == CT_OK && a->failed)
		st = ct_fail_nomem(e);
	if (st == CT_OK)
		st = begin_launch(a, k->id, &own, e);
	for (size_t i = 0; st == CT_OK && i < a->sites; i++) {
		struct site *s = &a->site[i];
		const struct ct_sinst *inst = inst_of(a, s->sid)->s;
		const struct ct_locality_site *l = i < n ? &site[i] : NULL;
		if (l) {
			s->c.l1_cold = l->cold;
			s->c.l1_capacity = l->capacity;
			s->c.l1_conflict = l->others;
		}
		st = ct_blame_add(a->blame, k, inst ? inst : &nobody, s->array, &s->c,
		                  l ? &l->distance : NULL, e);
		if (st == CT_OK && own)
			st = ct_blame_add(own, k, inst ? inst : &nobody, s->array, &s->c,
			                  l ? &l->distance : NULL, e);
	}
	a->sites = a->insts = 0;
	return st;
}

int ct_attribution_write(struct ct_attribution *a, struct ct_profile *p, struct ct_error *e)
{
	int st = ct_blame_write(a->blame, a->arrays, "all", p, e);
	for (size_t i = 0; st == CT_OK && i < a->launches; i++) {
		char scope[24];
		snprintf(scope, sizeof scope, "kernel:%" PRIu32, a->launch[i].id);
		st = ct_blame_write(a->launch[i].blame, a->arrays, scope, p, e);
	}
	return st;
}
