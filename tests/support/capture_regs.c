/* tracegen capture, for unit tests. */
#include "tracegen/capture/regs.c"
