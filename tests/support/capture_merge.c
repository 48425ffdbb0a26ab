/* tracegen capture, for unit tests. */
#include "tracegen/capture/merge.c"
