/* The driver API from C: loads the PTX file of its first argument and runs the kernel "twice" of add.cu. */
#include <stdio.h>

#include <cuda.h>

int main(int argc, char **argv)
{
	enum { N = 300 };
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr p;
	float y[N];
	int n = N, wrong = 0;
	void *parameters[] = {&p, &n};
	const char *why = "?";
	for (int i = 0; i < N; i++)
		y[i] = (float)i;
	CUresult r = cuInit(0);
	if (!r)
		r = cuDeviceGet(&device, 0);
	if (!r)
		r = cuCtxCreate(&context, 0, device);
	if (!r)
		r = cuModuleLoad(&module, argc > 1 ? argv[1] : "");
	if (!r)
		r = cuModuleGetFunction(&f, module, "_Z5twicePfi");
	if (!r)
		r = cuMemAlloc(&p, sizeof y);
	if (!r)
		r = cuMemcpyHtoD(p, y, sizeof y);
	if (!r)
		r = cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL);
	if (!r)
		r = cuMemcpyDtoH(y, p, sizeof y);
	for (int i = 0; i < N && !r; i++)
		wrong += y[i] != 2.0f * (float)i;
	cuGetErrorName(r, &why);
	printf("%s, %d wrong\n", why, wrong);
	return r || wrong;
}
