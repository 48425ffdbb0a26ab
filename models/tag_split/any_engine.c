/* any_engine.c - an L1 of the paper's with random settings, for property tests and fuzz targets. */
#include "models/tag_split/any_engine.h"

#include "models/tag_split/parts.h"

int ct_ts_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	struct ct_ts_params params;
	struct ct_ts_parts *made = NULL;
	ct_ts_defaults(&params);
	int st = ct_ts_parts_new(&made, g, ct_ts_system_at(bytes[0] % CT_TS_SYSTEMS), &params, bytes[1],
	                         e);
	*parts = made;
	if (st != CT_OK || !made) /* the L1 of the GPU needs no parts */
		return st == CT_OK ? 1 : st;
	*engine = (struct ct_replays_engine){
		.gpu = g, .options = {.timing = CT_REPLAY_FULL, .parts = ct_ts_parts_plugs(made)}};
	return CT_OK;
}

void ct_ts_any_engine_free(void *parts)
{
	ct_ts_parts_free(parts);
}
