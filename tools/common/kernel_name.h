/* kernel_name.h - names of kernels for people. Traces spell them as the compiler mangled them, as a tool demangled them,
 * or plainly. */
#ifndef CT_TOOLS_COMMON_KERNEL_NAME_H
#define CT_TOOLS_COMMON_KERNEL_NAME_H

#include "base/buf.h"

/* Appends the name as the source spells it, with template arguments and parameters: "void ns::sum<256>(float*)". A name
 * that is not mangled, or that cannot be demangled here, is appended as it is. Thread-safe. */
void ct_kernel_name_full(struct ct_buf *b, const char *raw);

/* Appends what a table has room for: no return type, no namespaces, no parameters, but template arguments, which tell
 * instances apart ("sum<256>"). Thread-safe. */
void ct_kernel_name_short(struct ct_buf *b, const char *raw);

#endif
