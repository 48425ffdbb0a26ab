/* malekeh_twin.h - the sub-core model again, one cycle after the other, with nothing but
 * arrays and loops: what models/malekeh has to equal count by count. One sub-core, no
 * barriers; OCU, caching and bypassing collectors, RFC, and as planned SW-RFC and LTRF; random
 * choices take the lowest index. */
#ifndef CT_TESTS_MALEKEH_TWIN_H
#define CT_TESTS_MALEKEH_TWIN_H

#include "models/malekeh/core.h"

void malekeh_twin(const struct ct_mk_stream *s, const struct ct_mk_system *sys, uint32_t banks,
                  struct ct_mk_counts *c);

#endif
