/* Where shared variables of a module lie: those that a kernel uses lie apart from each other, and those of different kernels may share
 * their place, as where each kernel is a program of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "ptx/flow.h"

/* Which kernel uses which shared variable, itself or through functions that it calls: used[kernel * symbols + symbol]. */
struct usage {
	struct ct_ptx_module *m;
	uint32_t *kernel; /* functions */
	size_t nkernels;
	unsigned char *used;
};

/* Shared variables of the module that a function and its callees use, as marks. */
static void mark_used(const struct ct_ptx_module *m, uint32_t function, unsigned char *seen,
                      unsigned char *used)
{
	const struct ct_ptx_function *f = &m->function[function];
	/* The graph of calls is small: repeated sweeps need no stack. */
	seen[function] = 1;
	for (int changed = 1; changed;) {
		changed = 0;
		for (size_t i = 0; i < m->nfunctions; i++) {
			f = &m->function[i];
			for (size_t k = 0; seen[i] && k < f->ncallees; k++)
				if (!seen[f->callee[k]])
					changed = seen[f->callee[k]] = 1;
			for (size_t k = 0; seen[i] && f->calls_unknown && k < m->nfunctions; k++)
				if (!seen[k] && !m->function[k].entry)
					changed = seen[k] = 1;
		}
	}
	for (size_t i = 0; i < m->nfunctions; i++)
		for (size_t k = 0; seen[i] && k < m->function[i].nvariables; k++)
			used[m->function[i].variable[k]] = 1;
}

static int is_placed(const struct ct_ptx_symbol *s)
{
	return s->space == CT_PTX_SHARED && !s->dynamic;
}

/* Also aligns the dynamic memory of kernels as any function that they may call wants it. */
static int find_usage(struct usage *u, struct ct_ptx_module *m)
{
	unsigned char *seen = ct_calloc(m->nfunctions, 1);
	*u = (struct usage){.m = m, .kernel = ct_calloc(m->nfunctions, sizeof *u->kernel)};
	for (size_t i = 0; u->kernel && i < m->nfunctions; i++)
		if (m->function[i].entry && m->function[i].defined)
			u->kernel[u->nkernels++] = (uint32_t)i;
	u->used = ct_calloc(u->nkernels, m->nsymbols ? m->nsymbols : 1);
	for (size_t i = 0; seen && u->used && i < u->nkernels; i++) {
		memset(seen, 0, m->nfunctions);
		mark_used(m, u->kernel[i], seen, u->used + i * m->nsymbols);
		struct ct_ptx_function *f = &m->function[u->kernel[i]];
		for (size_t k = 0; k < m->nfunctions; k++)
			if (seen[k] && m->function[k].shared_align > f->shared_align)
				f->shared_align = m->function[k].shared_align;
	}
	const int fine = seen && u->kernel && u->used;
	free(seen);
	return fine ? 0 : -1;
}

/* A variable before symbol `k` that would lie in its way at `offset`, since some kernel uses both; NULL: there is none. */
static const struct ct_ptx_symbol *in_the_way(const struct usage *u, size_t k, uint32_t offset)
{
	const size_t n = u->m->nsymbols;
	const uint32_t bytes = (uint32_t)u->m->symbol[k].v.bytes;
	for (size_t i = 0; i < u->nkernels; i++)
		for (size_t t = 0; u->used[i * n + k] && t < k; t++) {
			const struct ct_ptx_symbol *s = &u->m->symbol[t];
			if (u->used[i * n + t] && is_placed(s) && s->offset < offset + bytes &&
			    offset < s->offset + (uint32_t)s->v.bytes)
				return s;
		}
	return NULL;
}

/* Places variables behind the largest kernel's own: each at the first place where none lies that a kernel uses beside it. */
static void place_variables(const struct usage *u)
{
	struct ct_ptx_module *m = u->m;
	uint32_t first = 0;
	for (size_t i = 0; i < u->nkernels; i++)
		if (m->function[u->kernel[i]].shared_own > first)
			first = m->function[u->kernel[i]].shared_own;
	for (size_t k = 0; k < m->nsymbols; k++) {
		struct ct_ptx_symbol *s = &m->symbol[k];
		const struct ct_ptx_symbol *other = s;
		const uint32_t align = s->v.align ? s->v.align : 1;
		uint32_t offset = (uint32_t)ct_round_up(first, align);
		while (is_placed(s) && (other = in_the_way(u, k, offset)))
			offset = (uint32_t)ct_round_up(other->offset + (uint32_t)other->v.bytes, align);
		if (is_placed(s))
			s->offset = offset;
	}
}

/* Operations and constants that name a variable get its place. */
static void tell_uses(struct ct_ptx_module *m)
{
	for (size_t i = 0; i < m->nuses; i++) {
		const struct ct_ptx_use *u = &m->use[i];
		uint32_t offset = m->symbol[u->symbol].offset;
		if (!u->in_constant) {
			m->op[u->at].imm += offset;
			continue;
		}
		for (size_t lane = 0; lane < CT_PTX_LANES; lane++)
			if (u->in_constant == 8)
				((uint64_t *)(void *)(m->constant + u->at))[lane] += offset;
			else
				((uint32_t *)(void *)(m->constant + u->at))[lane] += offset;
	}
}

/* Bytes of a kernel's variables, and where its dynamic memory begins. */
static void size_kernel(const struct usage *u, size_t i)
{
	struct ct_ptx_module *m = u->m;
	struct ct_ptx_function *f = &m->function[u->kernel[i]];
	f->shared_bytes = f->shared_end = f->shared_own;
	for (size_t k = 0; k < m->nsymbols; k++) {
		const struct ct_ptx_symbol *s = &m->symbol[k];
		if (!u->used[i * m->nsymbols + k] || !is_placed(s))
			continue;
		const uint32_t bytes = (uint32_t)s->v.bytes;
		f->shared_bytes = (uint32_t)ct_round_up(f->shared_bytes, s->v.align ? s->v.align : 1) +
		                  bytes;
		if (s->offset + bytes > f->shared_end)
			f->shared_end = s->offset + bytes;
	}
	f->shared_end = (uint32_t)ct_round_up(f->shared_end, f->shared_align ? f->shared_align : 1);
}

int ct_ptx_finish_functions(struct ct_ptx_module *m, struct ct_error *e)
{
	struct usage u;
	int rc = find_usage(&u, m);
	if (rc == 0) {
		place_variables(&u);
		tell_uses(m);
		for (size_t i = 0; i < u.nkernels; i++)
			size_kernel(&u, i);
	}
	free(u.kernel);
	free(u.used);
	return rc == 0 ? CT_OK : ct_fail_nomem(e);
}
