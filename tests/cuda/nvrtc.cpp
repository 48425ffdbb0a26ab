/* NVRTC from C++: compiles a kernel for the type of its numbers, runs it by the run-time's memory, and compares with the host. */
#define NVRTC_GET_TYPE_NAME 1
#include <cstdio>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

static const char source[] = "#include \"times.h\"\n"
			     "template <class T> __global__ void saxpy(T *y, T a, int n)\n"
			     "{\n"
			     "	int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
			     "	if (i < n)\n"
			     "		y[i] = times(a, y[i]) + i;\n"
			     "}\n";
static const char header[] = "template <class T> __device__ T times(T a, T b) { return a * b; }\n";

template <class T> static int wrong(T a)
{
	enum { N = 300 };
	const char *headers[] = {header}, *names[] = {"times.h"}, *lowered = "", *options[] = {"-arch=sm_70"};
	std::string type;
	nvrtcProgram program;
	size_t bytes = 0;
	T y[N], *d = nullptr;
	int n = N, bad = 0;
	for (int i = 0; i < N; i++)
		y[i] = (T)(i % 7);
	if (cudaMalloc((void **)&d, sizeof y) || cudaMemcpy(d, y, sizeof y, cudaMemcpyHostToDevice) ||
	    nvrtcGetTypeName<T>(&type) || nvrtcCreateProgram(&program, source, "saxpy.cu", 1, headers, names))
		return -1;
	const std::string expression = "saxpy<" + type + ">";
	if (nvrtcAddNameExpression(program, expression.c_str()) || nvrtcCompileProgram(program, 1, options) ||
	    nvrtcGetLoweredName(program, expression.c_str(), &lowered) || nvrtcGetCUBINSize(program, &bytes))
		return -2;
	std::string image(bytes, '\0');
	CUmodule module;
	CUfunction f;
	void *arguments[] = {&d, &a, &n};
	if (nvrtcGetCUBIN(program, &image[0]) || cuModuleLoadData(&module, image.data()) ||
	    cuModuleGetFunction(&f, module, lowered) ||
	    cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr) ||
	    cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost))
		return -3;
	for (int i = 0; i < N; i++)
		bad += y[i] != a * (T)(i % 7) + (T)i;
	std::printf("%s %s: %d wrong\n", expression.c_str(), lowered, bad);
	return nvrtcDestroyProgram(&program) || cudaFree(d) ? -4 : bad;
}

int main()
{
	return wrong<float>(3) || wrong<unsigned short>(5);
}
