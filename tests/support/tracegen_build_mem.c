/* The tracing layer of tracegen, for unit tests. */
#include "tracegen/build_mem.c"
