/* scatter.h - lanes that are all over memory (private). */
#ifndef CT_GPU_SCATTER_H
#define CT_GPU_SCATTER_H

#include "gpu/coalesce.h"

/* What ct_coalesce_descending() promises for a list of global addresses, each naturally aligned and
 * of a power of two bytes that fit in a sector. Returns the number of requests, or 0 where one is
 * not aligned, one is 0, the lines lie too far apart, or this machine sorts no faster that way:
 * then nothing is known. Pure, thread-safe. */
unsigned ct_scatter(const struct ct_inst *inst, unsigned width, unsigned line_bits, unsigned sector_bits,
                    struct ct_line_request *out);

#endif
