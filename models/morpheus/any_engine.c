/* any_engine.c - an LLC extended by a few SMs with random settings, for property tests and fuzz targets. */
#include "models/morpheus/any_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/morpheus/part.h"

enum { SMS_MAX = 64 };

struct any {
	struct ct_replay_parts plugs;
	struct ct_mo_part *part;
	uint8_t owned[SMS_MAX]; /* the SMs in cache mode, which get no CTAs */
};

/* The helper kernel of the paper's GPU, with a filter and times that the bytes move. */
static void choose_params(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                          struct ct_mo_part_params *q)
{
	const unsigned what = bytes[0], cache = 1 + (what >> 1) % 4;
	memset(q, 0, sizeof *q);
	q->first_cache_sm = g->sms - cache;
	q->block_bytes = g->llc.line;
	q->mix = (struct ct_morpheus_mix){0.25, 0.25, 0.5};
	q->ext.cache_sms = cache;
	q->ext.partitions = g->llc_slices;
	q->ext.conv_blocks = what & 8 ? 1 : ct_gpu_llc_bytes(g) / g->llc.line;
	q->ext.compression = what >> 4 & 1;
	q->ext.predictor = (enum ct_mo_predictor)((what >> 5) % 3);
	q->ext.kernel = (struct ct_morpheus_kernel){
		.warps = 48,
		.rf_warps = 32,
		.l1_warps = 16,
		.rf_blocks = 50,
		.l1_blocks = 64,
		.ratio = 1};
	q->ext.filter = (struct ct_mo_filter_params){256, 3, CT_MO_HASH_MIX};
	q->ext.service = bytes[1];
	q->ext.port = 7;
	q->ext.trip = 282;
	q->ext.epoch = 1000;
}

/* Settings come from the bytes. Returns 1 where the GPU has too few SMs or too many for a test. */
int ct_mo_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	struct ct_mo_part_params q;
	*parts = NULL;
	if (g->sms > SMS_MAX || g->sms <= 1 + (uint32_t)(bytes[0] >> 1) % 4)
		return 1;
	struct any *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	*parts = x;
	choose_params(g, bytes, &q);
	if (!(x->part = ct_mo_part_new(&q, g, e)))
		return e ? e->status : CT_ERR_NOMEM;
	memset(x->owned + q.first_cache_sm, 1, g->sms - q.first_cache_sm);
	x->plugs.llc = ct_mo_part_llc(x->part);
	x->plugs.owned = x->owned;
	*engine = (struct ct_replays_engine){
		.gpu = g, .options = {.timing = CT_REPLAY_FULL, .parts = &x->plugs}};
	return CT_OK;
}

void ct_mo_any_engine_free(void *parts)
{
	struct any *x = parts;
	if (x)
		ct_mo_part_free(x->part);
	free(x);
}
