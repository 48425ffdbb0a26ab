/* tracegen capture, for unit tests. */
#include "tracegen/capture/program.c"
