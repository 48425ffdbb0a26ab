/* bdi_twin.h - base-delta-immediate by definition, value by value, for the tests. */
#ifndef CT_TEST_BDI_TWIN_H
#define CT_TEST_BDI_TWIN_H

#include <stddef.h>
#include <stdint.h>

/* 0 high, 1 low, 2 none. */
int twin_bdi_level(const uint8_t *block, size_t n);
/* Whether a base of b bytes, the first segment, and differences of d bytes hold the
 * block. With zero_base, segments near zero need no base. */
int twin_bdi_holds(const uint8_t *block, size_t n, unsigned b, unsigned d, int zero_base);

#endif
