/* any_engine.h - private: the mechanism's any_engine and any_engine_free (models/mechanism.h). */
#ifndef CT_MODELS_TAG_SPLIT_ANY_ENGINE_H
#define CT_MODELS_TAG_SPLIT_ANY_ENGINE_H

#include "models/mechanism.h"

int ct_ts_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e);
void ct_ts_any_engine_free(void *parts);

#endif
