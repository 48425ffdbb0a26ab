/* What a program does goes to a trace where `tracegen capture` asks for one. */
#include "runtime/runtime.h"

void ct_cuda_trace_open(void)
{
}

int ct_cuda_trace_launch(const struct ct_ptx_launch *launch, struct ct_ptx_result *r, struct ct_error *e)
{
	return ct_ptx_launch(launch, r, e);
}

cudaError_t ct_cuda_trace_copy(uint64_t address, uint64_t bytes)
{
	(void)address, (void)bytes;
	return cudaSuccess;
}

cudaError_t ct_cuda_trace_array(uint64_t first, uint64_t bytes, const char *name)
{
	(void)first, (void)bytes, (void)name;
	return cudaSuccess;
}
