/* tracegen capture, for unit tests. */
#include "tracegen/capture/flow.c"
