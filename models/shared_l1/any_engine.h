/* any_engine.h - private: the mechanism's any_engine and any_engine_free (models/mechanism.h). */
#ifndef CT_MODELS_SHARED_L1_ANY_ENGINE_H
#define CT_MODELS_SHARED_L1_ANY_ENGINE_H

#include "models/mechanism.h"

int ct_sl_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e);
void ct_sl_any_engine_free(void *parts);

/* The mechanism's parse_file: where cores and partitions sit on a mesh. */
int ct_sl_parse_file(const char *name, const char *text, size_t n, struct ct_error *e);

#endif
