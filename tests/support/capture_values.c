/* tracegen capture, for unit tests. */
#include "tracegen/capture/values.c"
