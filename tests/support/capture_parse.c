/* tracegen capture, for unit tests. */
#include "tracegen/capture/parse.c"
