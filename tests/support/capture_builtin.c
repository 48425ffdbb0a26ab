/* tracegen capture, for unit tests. */
#include "tracegen/capture/builtin.c"
