/* options.c - what a command line says about Morpheus: its parameters, the helper kernel, the compressibility. */
#include <stdlib.h>
#include <string.h>

#include "base/items.h"
#include "base/mem.h"
#include "base/units.h"
#include "models/morpheus/state.h"

/* Reads "HIGH,LOW,NONE": three shares, which are scaled to a sum of 1. */
static int parse_mix(struct ct_mo_state *s, const char *text, struct ct_error *e)
{
	double v[3] = {0}, sum = 0;
	const char *at = text;
	char part[32];
	int n = 0;
	for (; n < 3 && ct_item_copy(&at, part, sizeof part) > 0; n++) {
		if (ct_parse_real(part, &v[n]) < 0 || v[n] < 0)
			break;
		sum += v[n];
	}
	if (n < 3 || at || !(sum > 0))
		return ct_fail(e, CT_ERR_USAGE, "--mix %s: give three shares, as in 0.5,0.3,0.2", text);
	s->mix = (struct ct_morpheus_mix){v[0] / sum, v[1] / sum, v[2] / sum};
	s->has_mix = 1;
	return CT_OK;
}

/* The helper kernel sets some parameters, and what the user sets by itself comes after it. */
static int read_settings(const struct ct_mechanism_run *run, struct ct_mo_state *s, struct ct_error *e)
{
	const char *helper = run->option ? run->option[CT_MO_OPTION_HELPER] : NULL;
	const char *mix = run->option ? run->option[CT_MO_OPTION_MIX] : NULL;
	int st = CT_OK;
	ct_morpheus_defaults(&s->params);
	if (helper && ct_morpheus_use_helper(&s->params, helper) < 0)
		return ct_fail(e, CT_ERR_USAGE, "--helper %s: use rf+l1, rf, l1, shared or ideal",
		               helper);
	for (size_t i = 0; i < run->n_set && st == CT_OK; i++)
		st = ct_morpheus_set(&s->params, run->set[i], e);
	return st == CT_OK && mix ? parse_mix(s, mix, e) : st;
}

int ct_mo_open(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_mo_state *s = ct_calloc(1, sizeof *s);
	run->state = s;
	return s ? read_settings(run, s, e) : ct_fail_nomem(e);
}

void ct_mo_close(struct ct_mechanism_run *run)
{
	struct ct_mo_state *s = run->state;
	if (s && s->answered)
		ct_mo_answer_free(&s->answer);
	free(s);
	run->state = NULL;
}
