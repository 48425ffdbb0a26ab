/* tracegen capture, for unit tests. */
#include "tracegen/capture/read.c"
