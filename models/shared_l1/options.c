/* options.c - what a command line says about shared L1s: parameters, network, placement, homes, what phases count. */
#include <stdlib.h>

#include "base/mem.h"
#include "models/shared_l1/state.h"

static const char *option_value(const struct ct_mechanism_run *run, unsigned i)
{
	return run->option ? run->option[i] : NULL;
}

/* The options that choose between readings or GPUs that the paper has, rather than set a number. */
static int read_choices(const struct ct_mechanism_run *run, struct ct_sl_run *s, struct ct_error *e)
{
	const char *network = option_value(run, CT_SL_OPTION_NETWORK),
		   *homes = option_value(run, CT_SL_OPTION_HOMES);
	const char *count = option_value(run, CT_SL_OPTION_COUNT);
	int n = network ? ct_sl_network_find(network) : CT_SL_NET_AUTO;
	int h = homes ? ct_sl_homes_find(homes) : CT_SL_HOMES_MOD;
	int c = count ? ct_sl_count_find(count) : CT_SL_COUNT_LOCAL;
	if (n < 0)
		return ct_fail(e, CT_ERR_USAGE, "--network %s: use mesh, forwarded, butterfly or auto",
		               network);
	if (h < 0)
		return ct_fail(e, CT_ERR_USAGE, "--homes %s: use mod, fold or hash", homes);
	if (c < 0)
		return ct_fail(e, CT_ERR_USAGE, "--count %s: use local, served or own", count);
	s->params.network = (enum ct_sl_network)n;
	s->params.homes = (enum ct_sl_homes)h;
	s->params.v[CT_SL_COUNT] = c;
	s->placement = option_value(run, CT_SL_OPTION_PLACEMENT);
	s->timeline = option_value(run, CT_SL_OPTION_TIMELINE) != NULL;
	s->own_choices = network || homes || count || s->placement;
	return CT_OK;
}

int ct_sl_open(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_sl_run *s = ct_calloc(1, sizeof *s);
	run->state = s;
	if (!s)
		return ct_fail_nomem(e);
	ct_sl_defaults(&s->params);
	int st = read_choices(run, s, e);
	for (size_t i = 0; i < run->n_set && st == CT_OK; i++)
		st = ct_sl_set(&s->params, run->set[i], e);
	/* Whether the file fits the GPU is seen later; that it can be read at all, before a long pass. */
	return st == CT_OK && s->placement ? ct_sl_place_load(&s->place, s->placement, 0, 0, e) : st;
}

void ct_sl_close(struct ct_mechanism_run *run)
{
	struct ct_sl_run *s = run->state;
	if (s && s->answered)
		ct_sl_answer_free(&s->answer);
	free(s);
	run->state = NULL;
}

int ct_sl_asks_mesh(const struct ct_sl_params *p, const struct ct_gpu *g)
{
	return p->network == CT_SL_NET_MESH ||
	       (p->network == CT_SL_NET_AUTO && ct_sl_network_of(g) == CT_SL_NET_MESH);
}

int ct_sl_find_place(const struct ct_sl_run *s, const struct ct_gpu *g, struct ct_sl_place *place,
                     int *has_place, struct ct_error *e)
{
	/* A GPU with a mesh may be asked about another network, and is replayed on its own then. */
	*has_place = s->placement || ct_sl_asks_mesh(&s->params, g) ||
	             ct_sl_network_of(g) == CT_SL_NET_MESH;
	if (!*has_place)
		return CT_OK;
	if (s->placement)
		return ct_sl_place_load(place, s->placement, g->sms, g->llc_partitions, e);
	return ct_sl_place_default(place, g->sms, g->llc_partitions, e);
}
