/* Kernels lists: any bytes end in a list or an error. */
#include "trace/private/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_list l;
	struct ct_error e;
	ct_list_parse(&l, "fuzz", (const char *)data, size, &e);
	ct_list_free(&l);
	return 0;
}
