/* The tracing layer of tracegen, for unit tests. */
#include "tracegen/latency.c"
