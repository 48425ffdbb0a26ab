/* digest.h - the digest of a trace as TR records have it. */
#ifndef CT_PASS_PRIVATE_DIGEST_H
#define CT_PASS_PRIVATE_DIGEST_H

#include "trace/trace.h"

enum { CT_PASS_DIGEST_MAX = 32 };

/* Of a trace that has been read to its end. */
void ct_pass_digest(const struct ct_trace *trace, char digest[CT_PASS_DIGEST_MAX]);

#endif
