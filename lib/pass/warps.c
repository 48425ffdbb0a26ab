/* warps.c - how far apart registers are read, in a sample of the warps of each launch.
 *
 * The warps of a launch mostly run the same code, and following all of them takes a tenth of a pass. The first ones are all
 * followed, behind them one of every eight, at a random place among them. A launch's own warps are the sample, so that the
 * histograms of small launches are exact. */
#include "pass/private/warps.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { ALL = 128, BLOCK = 8 };

enum follow { NOT, BY_ITSELF, FOR_OTHERS };

struct ct_pass_warps {
	uint32_t slots;
	int all;                        /* every warp is followed */
	uint64_t begun;                 /* warps of the launch */
	uint64_t issued[3];             /* instructions of the launch, by enum follow of their warps */
	struct ct_hist insts, distinct; /* of these */
	struct ct_regs *regs;           /* [sm][slot] */
	uint8_t *follow;                /* likewise */
};

struct ct_pass_warps *ct_pass_warps_new(uint32_t sms, uint32_t slots, int all)
{
	struct ct_pass_warps *w = ct_calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->slots = slots;
	w->all = all;
	w->regs = ct_calloc((size_t)sms * slots, sizeof *w->regs);
	w->follow = ct_calloc((size_t)sms * slots, sizeof *w->follow);
	if (w->regs && w->follow)
		return w;
	ct_pass_warps_free(w);
	return NULL;
}

void ct_pass_warps_free(struct ct_pass_warps *w)
{
	if (!w)
		return;
	free(w->regs);
	free(w->follow);
	free(w);
}

/* A warp begins: the n-th of the launch. The first behind those that are all followed is followed, so that somebody
 * stands for the others. */
static enum follow choose(const struct ct_pass_warps *w, uint64_t n)
{
	if (w->all || n < ALL)
		return BY_ITSELF;
	const uint64_t block = (n - ALL) / BLOCK, place = block ? ct_mix64(block) % BLOCK : 0;
	return (n - ALL) % BLOCK == place ? FOR_OTHERS : NOT;
}

int ct_pass_warps_issue(struct ct_pass_warps *w, const struct ct_issue_event *ev, struct ct_hist *insts,
                        struct ct_hist *distinct)
{
	const size_t at = (size_t)ev->sm * w->slots + ev->warp_slot;
	if (ev->first) {
		w->follow[at] = (uint8_t)choose(w, w->begun++);
		if (w->follow[at] != NOT)
			ct_regs_reset(&w->regs[at]);
	}
	w->issued[w->follow[at]]++;
	if (w->follow[at] == NOT)
		return 0;
	if (w->follow[at] == FOR_OTHERS)
		ct_regs_step(&w->regs[at], ev->sinst, &w->insts, &w->distinct);
	else
		ct_regs_step(&w->regs[at], ev->sinst, insts, distinct);
	return 1;
}

/* Adds the counts times f; they are rounded as running sums, so that nothing is lost. */
static void add_times(const struct ct_hist *h, double f, struct ct_hist *to)
{
	double owed = 0;
	for (unsigned i = 0; i < CT_HIST_BINS; i++) {
		const uint64_t before = (uint64_t)(owed + 0.5);
		owed += (double)h->count[i] * f;
		to->count[i] += (uint64_t)(owed + 0.5) - before;
	}
	to->cold += (uint64_t)((double)h->cold * f + 0.5);
}

void ct_pass_warps_collect(struct ct_pass_warps *w, struct ct_hist *insts, struct ct_hist *distinct)
{
	if (w->issued[FOR_OTHERS]) {
		const double f = 1 + (double)w->issued[NOT] / (double)w->issued[FOR_OTHERS];
		add_times(&w->insts, f, insts);
		add_times(&w->distinct, f, distinct);
		w->insts = w->distinct = (struct ct_hist){0};
	}
	w->begun = 0;
	memset(w->issued, 0, sizeof w->issued);
}
