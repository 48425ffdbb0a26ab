#include "models/common/perf_load.h"

#include <math.h>

double ct_perf_any_line(const struct ct_perf *m, double p)
{
	return 1 - pow(1 - fmin(fmax(p, 0), 1), m->lines_per_load);
}

/* The lines of a load that has misses, or of one that has none: the share of such loads, and what each of their lines does with
 * which chance. */
struct kind {
	double share, stays; /* is served by the own L1 */
	double served[CT_PERF_CLASSES_MAX];
};

/* Lines of a load often miss together, as a thread's next element lies in the sector of its last one for all threads of a warp
 * alike. With a chance u that a line misses, loads have misses with the chance u^(1-apart), from 1, where lines know nothing of each
 * other, to u, where all lines do the same; what misses are left to each line of such a load is independent. Which L1 has a line does not
 * depend on that. */
static void load_kinds(const struct ct_perf *m, const struct ct_perf_point *pt, struct kind kind[2])
{
	double miss = 0;
	for (unsigned i = 0; i < pt->n_classes; i++)
		miss += pt->cls[i].hit ? 0 : pt->cls[i].share;
	miss = fmin(pt->l1_miss * miss, 1);
	kind[1].share = miss > 0 ? pow(miss, 1 - m->a.apart) : 1;
	kind[0].share = 1 - kind[1].share;
	for (int k = 0; k < 2; k++) {
		const double of = k ? miss / kind[1].share : 0;
		const double misses = miss > 0 ? of / miss : 0,
			     hits = miss < 1 ? (1 - of) / (1 - miss) : 0;
		kind[k].stays = (1 - pt->l1_miss) * hits;
		for (unsigned i = 0; i < pt->n_classes; i++)
			kind[k].served[i] = pt->l1_miss * pt->cls[i].share *
			                    (pt->cls[i].hit ? hits : misses);
	}
}

/* Slowest of a load's lines: each is an L1 hit or one of the classes. */
static double slowest_line(const struct ct_perf *m, const struct ct_perf_point *pt, const struct kind *k)
{
	double below = k->stays, before = pow(below, m->lines_per_load), sum = before * m->t_l1;
	for (unsigned i = 0; i < pt->n_classes; i++) {
		below = fmin(below + k->served[i], 1);
		double upto = i + 1 == pt->n_classes ? 1 : pow(below, m->lines_per_load);
		sum += (upto - before) * pt->cls[i].latency;
		before = upto;
	}
	return sum;
}

double ct_perf_unloaded_latency(const struct ct_perf *m, const struct ct_perf_point *pt)
{
	const double reads = m->w->l1_sectors > 0 ? m->w->l1_read_sectors / m->w->l1_sectors : 0;
	struct kind kind[2];
	/* The lines of a load enter the L1 one after the other. */
	double sum = fmax(m->l1_cycles * reads / m->loads - 1, 0);
	load_kinds(m, pt, kind);
	for (int k = 0; k < 2; k++)
		if (kind[k].share > 0)
			sum += kind[k].share * slowest_line(m, pt, &kind[k]);
	return sum;
}

double ct_perf_any_line_leaves(const struct ct_perf *m, const struct ct_perf_point *pt, int for_dram)
{
	struct kind kind[2];
	double sum = 0;
	load_kinds(m, pt, kind);
	for (int k = 0; k < 2; k++) {
		double leaves = 0;
		for (unsigned i = 0; i < pt->n_classes; i++)
			leaves += !for_dram || pt->cls[i].dram ? kind[k].served[i] : 0;
		sum += kind[k].share * ct_perf_any_line(m, leaves);
	}
	return sum;
}
