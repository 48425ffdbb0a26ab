/* host.h - what the small OpenCL programs for `tracegen capture` share. */
#ifndef CT_TESTS_OPENCL_HOST_H
#define CT_TESTS_OPENCL_HOST_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

struct cl {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
};

static void need(cl_int st, const char *what)
{
	if (st == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: OpenCL error %d\n", what, (int)st);
	exit(3);
}

static struct cl cl_open(const char *source)
{
	struct cl c;
	cl_platform_id platform;
	cl_device_id device;
	cl_int st;
	need(clGetPlatformIDs(1, &platform, NULL), "platform");
	need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	c.context = clCreateContext(NULL, 1, &device, NULL, NULL, &st);
	need(st, "context");
	c.queue = clCreateCommandQueue(c.context, device, 0, &st);
	need(st, "queue");
	c.program = clCreateProgramWithSource(c.context, 1, &source, NULL, &st);
	need(st, "program");
	need(clBuildProgram(c.program, 1, &device, "", NULL, NULL), "build");
	return c;
}

static cl_mem cl_buffer(struct cl *c, size_t bytes, const void *from)
{
	cl_int st;
	cl_mem m = clCreateBuffer(c->context, CL_MEM_READ_WRITE, bytes, NULL, &st);
	need(st, "buffer");
	if (from)
		need(clEnqueueWriteBuffer(c->queue, m, CL_TRUE, 0, bytes, from, 0, NULL, NULL), "write");
	return m;
}

static cl_kernel cl_kernel_of(struct cl *c, const char *name)
{
	cl_int st;
	cl_kernel k = clCreateKernel(c->program, name, &st);
	need(st, name);
	return k;
}

static void cl_run(struct cl *c, cl_kernel k, size_t global, size_t local)
{
	need(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
	need(clFinish(c->queue), "finish");
}

static void cl_read(struct cl *c, cl_mem m, size_t bytes, void *to)
{
	need(clEnqueueReadBuffer(c->queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "read");
}

static void cl_close(struct cl *c)
{
	clReleaseProgram(c->program);
	clReleaseCommandQueue(c->queue);
	clReleaseContext(c->context);
}

#endif
