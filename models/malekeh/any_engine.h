/* any_engine.h - private: the mechanism's any_engine and any_engine_free (models/mechanism.h). */
#ifndef CT_MODELS_MALEKEH_ANY_ENGINE_H
#define CT_MODELS_MALEKEH_ANY_ENGINE_H

#include "models/mechanism.h"

int ct_mk_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e);
void ct_mk_any_engine_free(void *parts);

/* The mechanism's parse_file: a table of the STHLD machine, which then takes a few steps. */
int ct_mk_parse_file(const char *name, const char *text, size_t n, struct ct_error *e);

#endif
