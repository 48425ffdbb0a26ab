/* any_engine.c - shared L1s with random settings, for property tests and fuzz targets. */
#include "models/shared_l1/any_engine.h"

#include <stdlib.h>

#include "base/mem.h"
#include "models/shared_l1/part.h"

struct any {
	struct ct_sl_part *part;
	struct ct_sl_place place;
};

/* The first byte chooses system and mapping, the second one the network. Returns 1 for a system that is
 * no engine of its own. */
int ct_sl_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	const unsigned what = bytes[0];
	const struct ct_sl_system *system = ct_sl_system_at(what % CT_SL_SYSTEMS);
	struct ct_sl_params params;
	*parts = NULL;
	if (system->best) /* is chosen from two others */
		return 1;
	struct any *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	*parts = x;
	ct_sl_defaults(&params);
	params.homes = (enum ct_sl_homes)(what >> 6 & 1);
	params.v[CT_SL_SAMPLING] =
		20; /* accesses, so that phases end within a program of a few instructions */
	params.v[CT_SL_EXECUTION] = 50;
	int st = ct_sl_place_spread(&x->place, g->sms, g->llc_partitions, e);
	if (st == CT_OK)
		st = ct_sl_part_new(&x->part, system, g, &params,
		                    (enum ct_sl_network)(bytes[1] % CT_SL_NETS), &x->place, e);
	if (st == CT_OK)
		*engine = (struct ct_replays_engine){
			.gpu = ct_sl_part_gpu(x->part),
			.options = {.timing = CT_REPLAY_FULL, .parts = ct_sl_part_parts(x->part)}};
	return st;
}

void ct_sl_any_engine_free(void *parts)
{
	struct any *x = parts;
	if (x)
		ct_sl_part_free(x->part);
	free(x);
}

int ct_sl_parse_file(const char *name, const char *text, size_t n, struct ct_error *e)
{
	struct ct_sl_place place;
	(void)n; /* the text ends with a zero byte */
	return ct_sl_place_parse(&place, name, text, 0, 0, e);
}
