/* tracegen capture, for unit tests. */
#include "tracegen/capture/lower.c"
