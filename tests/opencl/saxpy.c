/* y = a x + y over 1000 elements, the last work-group partly idle: coalesced loads and stores. */
#include "host.h"

static const char source[] =
	"kernel void saxpy(global const float *x, global float *y, float a, int n)\n"
	"{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n";

enum { N = 1000, ROOM = 1024 };

int main(void)
{
	float x[N], y[N], a = 3;
	cl_int n = N;
	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	struct cl c = cl_open(source);
	cl_mem mx = cl_buffer(&c, sizeof x, x), my = cl_buffer(&c, sizeof y, y);
	cl_kernel k = cl_kernel_of(&c, "saxpy");
	clSetKernelArg(k, 0, sizeof mx, &mx);
	clSetKernelArg(k, 1, sizeof my, &my);
	clSetKernelArg(k, 2, sizeof a, &a);
	clSetKernelArg(k, 3, sizeof n, &n);
	cl_run(&c, k, ROOM, 128);
	cl_read(&c, my, sizeof y, y);
	clReleaseKernel(k);
	clReleaseMemObject(mx);
	clReleaseMemObject(my);
	cl_close(&c);
	for (int i = 0; i < N; i++)
		if (y[i] != 3 * (float)i + 1)
			return 1;
	printf("saxpy is right\n");
	return 0;
}
