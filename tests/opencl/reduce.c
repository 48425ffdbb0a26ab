/* Sums 4096 integers in two launches: local memory, barriers in a loop, an atomic. */
#include "host.h"

static const char source[] = "kernel void sum(global const int *in, global int *out, local int *part)\n"
			     "{\n"
			     "  int l = get_local_id(0);\n"
			     "  part[l] = in[get_global_id(0)];\n"
			     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
			     "  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {\n"
			     "    if (l < s) part[l] += part[l + s];\n"
			     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
			     "  }\n"
			     "  if (l == 0) atomic_add(out, part[0]);\n"
			     "}\n";

enum { N = 4096, LOCAL = 64 };

int main(void)
{
	static cl_int in[N];
	cl_int out = 0;
	long want = 0;
	for (int i = 0; i < N; i++)
		want += in[i] = i % 97;
	struct cl c = cl_open(source);
	cl_mem mi = cl_buffer(&c, sizeof in, in), mo = cl_buffer(&c, sizeof out, &out);
	cl_kernel k = cl_kernel_of(&c, "sum");
	clSetKernelArg(k, 0, sizeof mi, &mi);
	clSetKernelArg(k, 1, sizeof mo, &mo);
	clSetKernelArg(k, 2, LOCAL * sizeof(cl_int), NULL);
	cl_run(&c, k, N, LOCAL);
	cl_run(&c, k, N, LOCAL);
	cl_read(&c, mo, sizeof out, &out);
	clReleaseKernel(k);
	clReleaseMemObject(mi);
	clReleaseMemObject(mo);
	cl_close(&c);
	printf("sum %d, expected %ld\n", (int)out, 2 * want);
	return out == 2 * want ? 0 : 1;
}
