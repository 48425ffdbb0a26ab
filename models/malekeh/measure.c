#include "models/malekeh/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/occupancy.h"

enum { MAX_SMS = 16 };

/* A memory instruction whose end has not been told. */
struct open {
	uint64_t issued;
	uint32_t warp, index;
};

struct slot {
	int32_t warp; /* in the stream, -1: not recorded */
	struct open *open;
	size_t n, cap;
};

struct lane {
	uint32_t sm;
	struct ct_mk_stream stream;
	struct slot *slot; /* by warp slot */
	uint64_t *cta_key; /* by CTA slot: which CTA is there, + 1 */
	int32_t *cta;      /* and where in the stream, -1: not recorded */
	uint64_t insts;    /* that the SM has issued in this launch */
};

struct run {
	struct ct_mk_system sys;
	struct ct_mk_state state;
	struct ct_mk_counts sum;
	size_t same; /* earlier run of an equal system, or its own index */
};

struct ct_mk_measure {
	struct ct_gpu g;
	struct ct_mk_params p;
	struct ct_mk_machine machine;
	struct ct_mk_sthld_table table;
	struct run *run;
	size_t runs;
	struct lane lane[MAX_SMS];
	uint32_t lanes, max_lanes, slots;
	uint64_t max_insts, launch_key, launch_ctas;
	uint32_t per_cta;
	struct ct_mk_masks *masks;
	uint64_t launch_insts, recorded, all, warmup, seen;
	int failed;
};

/* ---- recording ---- */

/* The record of an SM. With `add` a new one is begun, as long as fewer than max_lanes are recorded. */
static struct lane *lane_of(struct ct_mk_measure *m, uint32_t sm, int add)
{
	for (uint32_t i = 0; i < m->lanes; i++)
		if (m->lane[i].sm == sm)
			return &m->lane[i];
	if (!add || m->lanes == m->max_lanes)
		return NULL;
	struct lane *l = &m->lane[m->lanes++];
	l->sm = sm;
	l->stream.warps_per_cta = m->per_cta;
	for (uint32_t i = 0; i < m->slots; i++) {
		l->slot[i].warp = -1;
		l->slot[i].n = 0;
	}
	memset(l->cta_key, 0, m->g.max_ctas * sizeof *l->cta_key);
	return l;
}

/* A warp's first instruction: which CTA is it of? */
static int begin_warp(struct ct_mk_measure *m, struct lane *l, const struct ct_issue_event *ev)
{
	uint64_t number = ev->warp_key - m->launch_key, cta = number / m->per_cta;
	struct ct_mk_stream *s = &l->stream;
	if (l->cta_key[ev->cta_slot] != cta + 1) {
		int full = m->max_insts && s->insts >= m->max_insts;
		l->cta_key[ev->cta_slot] = cta + 1;
		l->cta[ev->cta_slot] = full ? -1 : ct_mk_stream_cta(s);
		if (!full && l->cta[ev->cta_slot] < 0)
			return -1;
	}
	if (s->resident <= ev->cta_slot)
		s->resident = ev->cta_slot + 1;
	l->slot[ev->warp_slot].warp = -1;
	if (l->cta[ev->cta_slot] < 0)
		return 0;
	int32_t w = ct_mk_stream_warp(
		s, (uint32_t)l->cta[ev->cta_slot], (uint32_t)(number % m->per_cta));
	l->slot[ev->warp_slot].warp = w;
	return w < 0 ? -1 : 0;
}

/* Appends an instruction to its warp's stream. Memory instructions stay open until their time is
 * known. */
static int record_inst(struct ct_mk_measure *m, struct lane *l, const struct ct_issue_event *ev)
{
	if (ev->first && begin_warp(m, l, ev) < 0)
		return -1;
	struct slot *slot = &l->slot[ev->warp_slot];
	if (slot->warp < 0)
		return 0;
	const struct ct_mk_op *op = ct_mk_stream_op(&l->stream, &m->g, ev->inst->sid, ev->sinst);
	int64_t i = op ? ct_mk_stream_add(&l->stream, (uint32_t)slot->warp, ev->inst->sid) : -1;
	if (i < 0)
		return -1;
	if (op->unit != CT_MK_U_MEM)
		return 0;
	if (ct_grow((void **)&slot->open, &slot->cap, slot->n + 1, sizeof *slot->open) < 0)
		return -1;
	slot->open[slot->n++] = (struct open){ev->cycle, (uint32_t)slot->warp, (uint32_t)i};
	return 0;
}

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct ct_mk_measure *m = ctx;
	struct lane *l = lane_of(m, ev->sm, 1);
	m->launch_insts++;
	if (!l || m->failed)
		return;
	l->insts++;
	if (record_inst(m, l, ev) < 0)
		m->failed = 1;
}

/* The memory answers: the time goes to the instruction that asked, which is found by the cycle of its
 * issue. */
static void on_mem(void *ctx, const struct ct_mem_event *ev)
{
	struct ct_mk_measure *m = ctx;
	struct lane *l = lane_of(m, ev->sm, 0);
	if (!l)
		return;
	struct slot *slot = &l->slot[ev->warp_slot];
	for (size_t i = 0; i < slot->n; i++) {
		struct open o = slot->open[i];
		if (o.issued != ev->issued)
			continue;
		memmove(slot->open + i, slot->open + i + 1, (--slot->n - i) * sizeof *slot->open);
		ct_mk_stream_mem(&l->stream, o.warp, o.index, ev->busy, ev->done - ev->taken);
		return;
	}
}

struct ct_replay_observer ct_mk_measure_observer(struct ct_mk_measure *m)
{
	return (struct ct_replay_observer){.ctx = m, .issue = on_issue, .mem = on_mem};
}

/* ---- running ---- */

/* n * a / b, rounded down, without overflow for counts of one launch. */
static uint64_t scale_count(uint64_t n, uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)n * a / b);
}

static void add_scaled(struct ct_mk_counts *into, const struct ct_mk_counts *c, uint64_t a, uint64_t b)
{
	struct ct_mk_counts s;
	uint64_t v[sizeof s / sizeof(uint64_t)];
	memcpy(v, c, sizeof v);
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		v[i] = scale_count(v[i], a, b);
	memcpy(&s, v, sizeof s);
	s.cycles = 0;
	ct_mk_counts_add(into, &s);
}

static int run_lane(struct ct_mk_measure *m, struct run *r, struct lane *l, uint64_t recorded,
                    struct ct_error *e)
{
	struct ct_mk_counts c = {0};
	int st = ct_mk_prepare(&l->stream, &r->sys, e);
	if (st == CT_OK)
		st = ct_mk_run(&l->stream, &r->sys, &m->machine, &r->state, &c, e);
	if (st != CT_OK)
		return st;
	if (m->seen < m->warmup)
		return CT_OK;
	add_scaled(&r->sum, &c, m->launch_insts, recorded);
	r->sum.cycles += scale_count(c.cycles, l->insts, l->stream.insts * m->lanes);
	return CT_OK;
}

/* The plans of the register caches that software fills, from all that was recorded of the SM. */
static int keep_code(struct ct_mk_stream *stream, const struct ct_mk_mask *mask, struct ct_error *e)
{
	int st = ct_mk_stream_lives(stream, e);
	for (size_t i = 0; st == CT_OK && i < CT_MK_SYSTEMS; i++)
		if (ct_mk_needs_plan(ct_mk_system_at(i)))
			st = ct_mk_prepare(stream, ct_mk_system_at(i), e);
	return st == CT_OK ? ct_mk_code_of(stream, mask->code, e) : st;
}

/* What the profile of the launch says, once for each launch, from the first recorded SM. */
static int keep_masks(struct ct_mk_measure *m, struct ct_error *e)
{
	struct ct_mk_system s = {.kind = CT_MK_CCU,
	                         .bits = CT_MK_PROFILE,
	                         .profiled = m->p.v[CT_MK_P_PROFILED],
	                         .rthld = (uint32_t)m->p.v[CT_MK_P_RTHLD]};
	struct ct_mk_stream *stream = m->lanes ? &m->lane[0].stream : NULL;
	int st = stream ? ct_mk_prepare(stream, &s, e) : CT_OK;
	struct ct_mk_mask *mask = st == CT_OK ? ct_mk_masks_add(m->masks, stream ? stream->ops : 0)
	                                      : NULL;
	if (st == CT_OK && !mask)
		return ct_fail_nomem(e);
	for (size_t i = 0; st == CT_OK && stream && i < stream->ops; i++)
		mask->bits[i] = stream->op[i].mask;
	return st == CT_OK && stream && m->masks->plans ? keep_code(stream, mask, e) : st;
}

/* The launch that has just been replayed. */
static int end_launch(struct ct_mk_measure *m, struct ct_error *e)
{
	uint64_t recorded = 0;
	int st = m->failed ? ct_fail_nomem(e) : CT_OK;
	for (uint32_t i = 0; i < m->lanes && st == CT_OK; i++) {
		st = ct_mk_stream_seal(&m->lane[i].stream, e);
		recorded += m->lane[i].stream.insts;
	}
	for (uint32_t i = 0; i < m->lanes && st == CT_OK; i++)
		for (size_t k = 0; k < m->runs && st == CT_OK; k++)
			if (m->lane[i].stream.insts && m->run[k].same == k)
				st = run_lane(m, &m->run[k], &m->lane[i], recorded, e);
	if (st == CT_OK && m->masks)
		st = keep_masks(m, e);
	if (m->seen >= m->warmup) {
		m->recorded += recorded;
		m->all += m->launch_insts;
	}
	m->seen += m->launch_insts;
	for (uint32_t i = 0; i < m->lanes; i++) {
		ct_mk_stream_reset(&m->lane[i].stream);
		m->lane[i].stream.resident = m->lane[i].stream.warps_per_cta = 0;
		m->lane[i].insts = 0;
	}
	m->lanes = 0;
	m->launch_insts = 0;
	m->launch_key += m->launch_ctas * m->per_cta;
	return st;
}

int ct_mk_measure_kernel(struct ct_mk_measure *m, const struct ct_kernel *k, struct ct_error *e)
{
	struct ct_occupancy occ;
	int st = m->per_cta ? end_launch(m, e) : CT_OK;
	if (st == CT_OK)
		st = ct_occupancy(&m->g, k, &occ, e);
	if (st != CT_OK)
		return st;
	m->per_cta = occ.warps_per_cta;
	m->launch_ctas = ct_kernel_ctas(k);
	return CT_OK;
}

int ct_mk_measure_finish(struct ct_mk_measure *m, struct ct_error *e)
{
	int st = m->per_cta ? end_launch(m, e) : CT_OK;
	m->per_cta = 0;
	return st;
}

/* ---- from outside ---- */

/* But for the names. */
static int is_same_organisation(const struct ct_mk_system *a, const struct ct_mk_system *b)
{
	return a->kind == b->kind && a->schedule == b->schedule && a->collectors == b->collectors &&
	       a->memory == b->memory && a->entries == b->entries && a->window == b->window &&
	       a->active == b->active && a->lru == b->lru && a->sthld == b->sthld &&
	       a->data == b->data && a->ports == b->ports && a->bits == b->bits &&
	       a->profiled == b->profiled && a->rthld == b->rthld && a->monolithic == b->monolithic &&
	       a->ideal == b->ideal;
}

static int start_lanes(struct ct_mk_measure *m)
{
	for (uint32_t i = 0; i < m->max_lanes; i++) {
		struct lane *l = &m->lane[i];
		l->slot = ct_calloc(m->slots, sizeof *l->slot);
		l->cta_key = ct_calloc(m->g.max_ctas, sizeof *l->cta_key);
		l->cta = ct_calloc(m->g.max_ctas, sizeof *l->cta);
		if (!l->slot || !l->cta_key || !l->cta)
			return -1;
	}
	return 0;
}

int ct_mk_measure_new(struct ct_mk_measure **out, const struct ct_gpu *g,
                      const struct ct_mk_measure_options *o, struct ct_error *e)
{
	struct ct_mk_measure *m = ct_calloc(1, sizeof *m);
	*out = NULL;
	if (!m)
		return ct_fail_nomem(e);
	m->g = *g;
	m->p = o->params;
	m->table = *o->sthld;
	m->warmup = o->warmup;
	m->masks = o->masks;
	m->max_lanes = (uint32_t)o->params.v[CT_MK_P_SMS];
	m->max_insts = (uint64_t)o->params.v[CT_MK_P_MAX_INSTS];
	/* the engine rounds warp slots up to blocks of eight for each scheduler */
	m->slots = (ct_gpu_max_warps(g) / g->schedulers + 9) * g->schedulers;
	ct_mk_machine_of(g, &m->machine);
	m->machine.sthld = &m->table;
	ct_mk_apply_machine(&m->p, &m->machine);
	m->run = ct_calloc(o->n_systems, sizeof *m->run);
	if (!m->run || start_lanes(m) < 0) {
		ct_mk_measure_free(m);
		return ct_fail_nomem(e);
	}
	m->runs = o->n_systems;
	for (size_t i = 0; i < m->runs; i++) {
		ct_mk_apply(&m->p, g, &o->systems[i], &m->run[i].sys);
		m->run[i].same = i;
		for (size_t k = i; k-- > 0;)
			if (is_same_organisation(&m->run[k].sys, &m->run[i].sys))
				m->run[i].same = k;
		ct_mk_state_start(&m->run[i].state, &m->machine, o->seed);
	}
	*out = m;
	return CT_OK;
}

void ct_mk_measure_free(struct ct_mk_measure *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->max_lanes; i++) {
		struct lane *l = &m->lane[i];
		ct_mk_stream_free(&l->stream);
		for (uint32_t k = 0; l->slot && k < m->slots; k++)
			free(l->slot[k].open);
		free(l->slot);
		free(l->cta_key);
		free(l->cta);
	}
	free(m->run);
	free(m);
}

void ct_mk_measure_counts(const struct ct_mk_measure *m, size_t i, struct ct_mk_counts *c)
{
	*c = m->run[m->run[i].same].sum;
}

const struct ct_mk_system *ct_mk_measure_system(const struct ct_mk_measure *m, size_t i)
{
	return &m->run[i].sys;
}

size_t ct_mk_measure_systems(const struct ct_mk_measure *m)
{
	return m->runs;
}

void ct_mk_measure_share(const struct ct_mk_measure *m, uint64_t *recorded, uint64_t *all)
{
	*recorded = m->recorded;
	*all = m->all;
}
