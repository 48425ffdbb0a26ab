#include "models/malekeh/energy.h"

double ct_mk_crossbar_pj(const struct ct_mk_system *s, const struct ct_mk_machine *m, uint32_t warps,
                         const struct ct_mk_params *p)
{
	enum { OCU = 2 * 2, EIGHT = 2 * 8 }; /* banks times collectors */
	double eight = p->v[CT_MK_P_EIGHT_COLLECTORS];
	double rest = p->v[CT_MK_P_BANK_READ_PJ] + p->v[CT_MK_P_ARBITER_PJ] +
	              2 * p->v[CT_MK_P_BUFFER_PJ];
	/* rest + EIGHT / OCU one = eight (rest + one) */
	double one = rest * (eight - 1) / ((double)EIGHT / OCU - eight);
	uint32_t banks = m->banks * (s->monolithic ? m->cores : 1);
	return one * banks * (s->collectors ? s->collectors : warps) / OCU;
}

double ct_mk_energy_pj(const struct ct_mk_counts *c, const struct ct_mk_system *s,
                       const struct ct_mk_machine *m, uint32_t warps, const struct ct_mk_params *p)
{
	double buffer = p->v[CT_MK_P_BUFFER_PJ], reads = (double)c->bank_reads;
	double pj = reads * (p->v[CT_MK_P_BANK_READ_PJ] + p->v[CT_MK_P_ARBITER_PJ] +
	                     ct_mk_crossbar_pj(s, m, warps, p));
	pj += (double)c->bank_writes * (p->v[CT_MK_P_BANK_WRITE_PJ] + p->v[CT_MK_P_ARBITER_PJ]);
	/* what comes from a bank is written to a collector; every operand is read from one */
	pj += (reads + (double)c->slots + (double)c->cache_writes) * buffer;
	/* a hit in a CCU lies where it is read; elsewhere it is moved: BOW from buffer to buffer
	 * (reading bow-window), the hierarchies from their cache to a collector */
	if (s->kind != CT_MK_CCU)
		pj += 2 * (double)c->cache_reads * buffer;
	return pj;
}
