/* Branches, calls, barriers, and what lanes of a warp exchange. */
#include <string.h>

#include "base/mem.h"
#include "ptx/decode.h"

static int await_label(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, int table)
{
	struct ct_ptx_pending p = {
		.name = a->name, .scope = r->scope, .line = r->x.line, .at = (uint32_t)r->m->nops - 1};
	if (a->kind != CT_PTX_ARG_NAME)
		return ct_ptx_unknown(r, "the target is no label");
	if (table)
		p.kind = CT_PTX_WANTS_TABLE;
	return ct_ptx_await(r, &p);
}

int ct_ptx_decode_bra(struct ct_ptx_reader *r)
{
	int rc;
	ct_ptx_take(r, "uni");
	if ((rc = ct_ptx_want_args(r, 1, 1)) < 0)
		return rc;
	return ct_ptx_emit(r, CT_PTX_bra) ? await_label(r, &r->s.arg[0], 0) : CT_ERR_NOMEM;
}

int ct_ptx_decode_brx(struct ct_ptx_reader *r)
{
	int rc;
	if (!ct_ptx_take(r, "idx"))
		return ct_ptx_unknown(r, NULL);
	ct_ptx_take(r, "uni");
	if ((rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_brx);
	if (!o)
		return CT_ERR_NOMEM;
	rc = ct_ptx_row(r, &r->s.arg[0], CT_PTX_B32, &o->a);
	return rc < 0 ? rc : await_label(r, &r->s.arg[1], 1);
}

/* Puts the places of a call's parameters in local memory into the module's tables: how many, then each. */
static int put_places(struct ct_ptx_reader *r, const struct ct_ptx_arg *group)
{
	struct ct_ptx_module *m = r->m;
	unsigned n = group ? group->count : 0;
	if (ct_grow((void **)&m->table, &m->table_cap, m->ntable + n + 1, sizeof *m->table) < 0)
		return ct_ptx_nomem(r);
	m->table[m->ntable++] = n;
	for (unsigned i = 0; i < n; i++) {
		const struct ct_ptx_arg *a = &r->s.element[group->first + i];
		if (a->kind != CT_PTX_ARG_VARIABLE || a->symbol >= 0 || a->space != CT_PTX_LOCAL)
			return ct_ptx_unknown(
				r, "parameters of a call must be .param variables of the function");
		m->table[m->ntable++] = a->ref;
	}
	return CT_OK;
}

/* call (results), function, (parameters), prototype; each but the function may be missing. */
int ct_ptx_decode_call(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg, *results = NULL, *params = NULL, *target;
	unsigned i = 0;
	int rc;
	ct_ptx_take(r, "uni");
	if ((rc = ct_ptx_want_args(r, 1, 4)) < 0)
		return rc;
	if (a[0].kind == CT_PTX_ARG_GROUP)
		results = &a[i++];
	target = &a[i++];
	if (i > r->s.nargs)
		return ct_ptx_unknown(r, "the function is missing");
	if (i < r->s.nargs && a[i].kind == CT_PTX_ARG_GROUP)
		params = &a[i];
	struct ct_ptx_op *o = ct_ptx_emit(
		r, target->kind == CT_PTX_ARG_ROW ? CT_PTX_call_row : CT_PTX_call);
	if (!o)
		return CT_ERR_NOMEM;
	o->extra = (uint32_t)r->m->ntable;
	r->f->calls = 1;
	if (target->kind == CT_PTX_ARG_ROW) {
		r->f->calls_unknown = 1;
		if ((rc = ct_ptx_row(r, target, CT_PTX_B64, &o->a)) < 0)
			return rc;
	} else {
		int64_t f = target->kind == CT_PTX_ARG_NAME
		                    ? ct_ptx_names_get(&r->m->functions, target->name,
		                                       strlen(target->name), 0)
		                    : -1;
		if (f < 0 || r->m->function[f].entry)
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT,
			                       "%s: %s is no function that is declared", r->s.opcode,
			                       target->name ? target->name : "the target");
		o->target = (uint32_t)f;
		if (ct_ptx_add_once(&r->f->callee, &r->f->ncallees, &r->f->callees_cap, (uint32_t)f) < 0)
			return ct_ptx_nomem(r);
		const struct ct_ptx_function *callee = &r->m->function[f];
		if (callee->nparams != (params ? params->count : 0) ||
		    callee->nresults != (results ? results->count : 0))
			return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT,
			                       "%s: %s has another number of parameters or results",
			                       r->s.opcode, target->name);
	}
	rc = put_places(r, params);
	return rc < 0 ? rc : put_places(r, results);
}

/* A return of a kernel ends its lanes; one of a function goes to the function's end, where they meet. */
int ct_ptx_decode_ret(struct ct_ptx_reader *r)
{
	int rc;
	ct_ptx_take(r, "uni");
	if ((rc = ct_ptx_want_args(r, 0, 0)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, r->f->entry ? CT_PTX_exit : CT_PTX_bra);
	if (!o)
		return CT_ERR_NOMEM;
	if (!r->f->entry)
		o->target = CT_PTX_TO_END;
	return CT_OK;
}

int ct_ptx_decode_exit(struct ct_ptx_reader *r)
{
	int rc = ct_ptx_want_args(r, 0, 0);
	return rc < 0 ? rc : ct_ptx_emit(r, CT_PTX_exit) ? CT_OK : CT_ERR_NOMEM;
}

int ct_ptx_decode_trap(struct ct_ptx_reader *r)
{
	int rc = ct_ptx_want_args(r, 0, 0);
	return rc < 0 ? rc : ct_ptx_emit(r, CT_PTX_trap) ? CT_OK : CT_ERR_NOMEM;
}

int ct_ptx_decode_nothing(struct ct_ptx_reader *r)
{
	r->s.next_atom = r->s.natoms;
	return ct_ptx_emit(r, CT_PTX_nanosleep) ? CT_OK : CT_ERR_NOMEM;
}

int ct_ptx_decode_fence(struct ct_ptx_reader *r)
{
	static const char *const known[] = {
		"cta", "gl", "sys", "sc", "acq_rel", "gpu", "proxy", "alias", "async", NULL};
	while (ct_ptx_take_one(r, known) >= 0)
		;
	int rc = ct_ptx_want_args(r, 0, 0);
	return rc < 0 ? rc : ct_ptx_emit(r, CT_PTX_fence) ? CT_OK : CT_ERR_NOMEM;
}

/* bar.warp.sync mask */
static int decode_bar_warp(struct ct_ptx_reader *r)
{
	int rc;
	if (!ct_ptx_take(r, "sync"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 1, 1)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_bar_warp);
	return o ? ct_ptx_row(r, &r->s.arg[0], CT_PTX_B32, &o->c) : CT_ERR_NOMEM;
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, p; bar.red.and.pred q, a{, b}, p */
int ct_ptx_decode_bar(struct ct_ptx_reader *r)
{
	static const char *const kinds[] = {"popc", "and", "or", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	unsigned first = 0, last = 0;
	int what = CT_PTX_BAR_SYNC, rc;
	if (ct_ptx_take(r, "warp"))
		return decode_bar_warp(r);
	if (ct_ptx_take(r, "cluster"))
		return ct_ptx_unknown(r, "clusters are not emulated");
	ct_ptx_take(r, "cta");
	if (ct_ptx_take(r, "arrive")) {
		what = CT_PTX_BAR_ARRIVE;
	} else if (ct_ptx_take(r, "red")) {
		int kind = ct_ptx_take_one(r, kinds);
		if (kind < 0)
			return ct_ptx_unknown(r, NULL);
		what = CT_PTX_BAR_POPC + kind;
		first = last = 1;
	} else if (!ct_ptx_take(r, "sync")) {
		return ct_ptx_unknown(r, NULL);
	}
	ct_ptx_take(r, "aligned");
	if (first && !ct_ptx_take(r, what == CT_PTX_BAR_POPC ? "u32" : "pred"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 1 + first + last, 2 + first + last)) < 0)
		return rc;
	int counted = r->s.nargs == 2 + first + last;
	if (what == CT_PTX_BAR_ARRIVE && !counted)
		return ct_ptx_unknown(r, "it needs the number of threads");
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_bar);
	if (!o)
		return CT_ERR_NOMEM;
	o->mode = (uint8_t)what;
	o->d = o->b = CT_PTX_NO_ROW;
	if ((rc = ct_ptx_row(r, &a[first], CT_PTX_B32, &o->a)) < 0 ||
	    (counted && (rc = ct_ptx_row(r, &a[first + 1], CT_PTX_B32, &o->b)) < 0) ||
	    (last && (rc = ct_ptx_predicate(r, &a[r->s.nargs - 1], &o->s)) < 0))
		return rc;
	if (!first)
		return CT_OK;
	return what == CT_PTX_BAR_POPC ? ct_ptx_result(r, &a[0], CT_PTX_U32, &o->d)
	                               : ct_ptx_predicate_result(r, &a[0], &o->p);
}

/* vote.sync.any.pred p, q, mask; vote.sync.ballot.b32 d, q, mask, which CUB writes vote.ballot.sync.b32; old forms without .sync and
 * mask */
int ct_ptx_decode_vote(struct ct_ptx_reader *r)
{
	static const char *const kinds[] = {"all", "any", "uni", "ballot", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	int sync = ct_ptx_take(r, "sync"), kind = ct_ptx_take_one(r, kinds), rc;
	sync = sync || (kind >= 0 && ct_ptx_take(r, "sync"));
	if (kind < 0 || !ct_ptx_take(r, kind == CT_PTX_VOTE_BALLOT ? "b32" : "pred"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, sync ? 3 : 2, sync ? 3 : 2)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_vote);
	if (!o)
		return CT_ERR_NOMEM;
	o->mode = (uint8_t)kind;
	o->round = (uint8_t)sync;
	if ((rc = ct_ptx_predicate(r, &a[1], &o->s)) < 0 ||
	    (sync && (rc = ct_ptx_row(r, &a[2], CT_PTX_B32, &o->c)) < 0))
		return rc;
	return kind == CT_PTX_VOTE_BALLOT ? ct_ptx_result(r, &a[0], CT_PTX_B32, &o->d)
	                                  : ct_ptx_predicate_result(r, &a[0], &o->p);
}

/* shfl.sync.down.b32 d|p, a, b, c, mask; old form without .sync and mask */
int ct_ptx_decode_shfl(struct ct_ptx_reader *r)
{
	static const char *const kinds[] = {"up", "down", "bfly", "idx", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	int sync = ct_ptx_take(r, "sync"), kind = ct_ptx_take_one(r, kinds), rc;
	uint32_t members = 0;
	if (kind < 0 || !ct_ptx_take(r, "b32"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, sync ? 5 : 4, sync ? 5 : 4)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_shfl);
	if (!o)
		return CT_ERR_NOMEM;
	o->mode = (uint8_t)kind;
	o->round = (uint8_t)sync;
	o->p = a[0].has_other ? a[0].other : CT_PTX_NO_PREDICATE;
	o->extra = (uint32_t)r->m->nextra;
	/* Its clamp is the fourth row, in the module's list; c is the member mask as in all such operations. */
	if ((rc = ct_ptx_result(r, &a[0], CT_PTX_B32, &o->d)) < 0 ||
	    (rc = ct_ptx_row(r, &a[1], CT_PTX_B32, &o->a)) < 0 ||
	    (rc = ct_ptx_row(r, &a[2], CT_PTX_B32, &o->b)) < 0 ||
	    (rc = ct_ptx_row(r, &a[3], CT_PTX_B32, &members)) < 0 ||
	    (sync && (rc = ct_ptx_row(r, &a[4], CT_PTX_B32, &o->c)) < 0))
		return rc;
	return ct_ptx_extra(r, members);
}

/* match.any.sync.b32 d, a, mask; match.all.sync.b64 d|p, a, mask */
int ct_ptx_decode_match(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	int all = ct_ptx_take(r, "all"), rc;
	if ((!all && !ct_ptx_take(r, "any")) || !ct_ptx_take(r, "sync"))
		return ct_ptx_unknown(r, NULL);
	int wide = ct_ptx_take(r, "b64");
	if (!wide && !ct_ptx_take(r, "b32"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 3, 3)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_match);
	if (!o)
		return CT_ERR_NOMEM;
	o->mode = (uint8_t)all;
	o->round = 1;
	o->width = wide ? 8 : 4;
	o->p = a[0].has_other ? a[0].other : CT_PTX_NO_PREDICATE;
	if ((rc = ct_ptx_result(r, &a[0], CT_PTX_B32, &o->d)) < 0 ||
	    (rc = ct_ptx_row(r, &a[1], wide ? CT_PTX_B64 : CT_PTX_B32, &o->a)) < 0)
		return rc;
	return ct_ptx_row(r, &a[2], CT_PTX_B32, &o->c);
}

/* redux.sync.add.s32 d, a, mask */
int ct_ptx_decode_redux(struct ct_ptx_reader *r)
{
	static const char *const whats[] = {"add", "min", "max", "", "", "and", "or", "xor", NULL};
	const struct ct_ptx_arg *a = r->s.arg;
	struct ct_ptx_form f;
	int rc, sync = ct_ptx_take(r, "sync"), what = ct_ptx_take_one(r, whats);
	if ((rc = ct_ptx_form(r, 0, 1, &f)) < 0 || (rc = ct_ptx_want_args(r, 3, 3)) < 0)
		return rc;
	if (!sync || what < 0 || ct_ptx_place3(f.type[0]) != 1 ||
	    (what < CT_PTX_ATOM_AND) != (f.type[0] != CT_PTX_B32))
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_redux);
	if (!o)
		return CT_ERR_NOMEM;
	o->mode = (uint8_t)what;
	o->round = 1;
	o->count = (uint8_t)f.type[0];
	if ((rc = ct_ptx_result(r, &a[0], f.type[0], &o->d)) < 0 ||
	    (rc = ct_ptx_row(r, &a[1], f.type[0], &o->a)) < 0)
		return rc;
	return ct_ptx_row(r, &a[2], CT_PTX_B32, &o->c);
}

int ct_ptx_decode_activemask(struct ct_ptx_reader *r)
{
	int rc;
	if (!ct_ptx_take(r, "b32"))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, 1, 1)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_active_mask);
	return o ? ct_ptx_result(r, &r->s.arg[0], CT_PTX_B32, &o->d) : CT_ERR_NOMEM;
}
