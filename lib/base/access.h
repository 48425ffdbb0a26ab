/* access.h - an access to a line of a cache, as replays tell of it and as analyses of locality take it. */
#ifndef CT_BASE_ACCESS_H
#define CT_BASE_ACCESS_H

#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

struct ct_line_access {
	uint64_t line, cycle;
	uint32_t sectors; /* mask */
	uint16_t sm;
	uint8_t is_write;
};

CT_DECLS_END

#endif
