#include "models/shared_l1/camping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { WINDOW = 64 }; /* accesses per core */

int ct_sl_camping_init(struct ct_sl_camping *c, unsigned cores)
{
	*c = (struct ct_sl_camping){.cores = cores};
	c->window = ct_calloc(cores, sizeof *c->window);
	return c->window ? CT_OK : CT_ERR_NOMEM;
}

void ct_sl_camping_free(struct ct_sl_camping *c)
{
	free(c->window);
	c->window = NULL;
}

void ct_sl_camping_add(struct ct_sl_camping *c, unsigned home)
{
	c->window[home]++;
	if (++c->in_window < (uint64_t)WINDOW * c->cores)
		return;
	uint64_t most = 0;
	for (unsigned i = 0; i < c->cores; i++)
		most = c->window[i] > most ? c->window[i] : most;
	memset(c->window, 0, c->cores * sizeof *c->window);
	c->sum += (double)most / WINDOW;
	c->windows++;
	c->in_window = 0;
}

double ct_sl_camping_mean(const struct ct_sl_camping *c)
{
	return c->windows ? c->sum / (double)c->windows : NAN;
}

double ct_sl_camping_beta(double mean, unsigned cores)
{
	if (!(mean >= 1) || cores < 2)
		return mean >= 1 ? mean : NAN;
	/* The largest of N normal numbers is about m deviations above their mean (Cramer 1946);
	 * counts of 64 deviate by 8. */
	double root = sqrt(2 * log(cores));
	double m = root - (log(log(cores)) + log(4 * M_PI)) / (2 * root);
	return fmax(mean / (1 + fmax(m, 0) / sqrt(WINDOW)), 1);
}
