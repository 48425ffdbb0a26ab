/* Graphs of work from streams and by hand, and pools of memory. Prints what is not as it should be. */
#include <cstdio>

#include "expect.h"
#define GOOD(call) expect(#call, call, cudaSuccess)

__constant__ int more;

__global__ void add(int *p, int n, int by)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n)
		p[i] += by + more;
}

static int calls;
static void count_call(void *by)
{
	calls += *(int *)by;
}

enum { N = 1000 };
static int host[N];

/* Two streams that fork and join; the second launch of the graph sees what the first has left. */
static void capture(int *d)
{
	int one = 1, five = 5, now;
	size_t nodes = 0;
	cudaStream_t s, t;
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	enum cudaStreamCaptureStatus status;
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaStreamCreate(&t));
	GOOD(cudaEventCreate(&fork));
	GOOD(cudaEventCreate(&join));
	GOOD(cudaMemset(d, 0, N * sizeof *d));
	GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	add<<<4, 256, 0, s>>>(d, N, 1);
	GOOD(cudaEventRecord(fork, s));
	GOOD(cudaStreamWaitEvent(t, fork, 0));
	add<<<4, 256, 0, t>>>(d, N, 2);
	GOOD(cudaMemcpyAsync(host, d, N * sizeof *d, cudaMemcpyDeviceToHost, t));
	GOOD(cudaLaunchHostFunc(t, count_call, &one));
	GOOD(cudaEventRecord(join, t));
	GOOD(cudaStreamWaitEvent(s, join, 0));
	GOOD(cudaStreamIsCapturing(t, &status));
	expect("the other stream is captured, too", status, cudaStreamCaptureStatusActive);
	GOOD(cudaMemcpyToSymbolAsync(more, &five, sizeof five, 0, cudaMemcpyHostToDevice, s));
	GOOD(cudaStreamEndCapture(s, &graph));
	GOOD(cudaStreamIsCapturing(t, &status));
	expect("both streams end", status, cudaStreamCaptureStatusNone);
	GOOD(cudaGraphGetNodes(graph, NULL, &nodes));
	expect("nodes", (long long)nodes, 5);
	GOOD(cudaMemcpy(&now, d, sizeof now, cudaMemcpyDeviceToHost));
	expect("nothing is done yet", now + calls, 0);
	GOOD(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	GOOD(cudaGraphDestroy(graph));
	for (int i = 0; i < 3; i++)
		GOOD(cudaGraphLaunch(exec, s));
	GOOD(cudaStreamSynchronize(s));
	expect("three launches", host[0] + host[N - 1], 2 * (3 + 13 + 13));
	expect("host function", calls, 3);
	GOOD(cudaGraphExecDestroy(exec));
	expect("a graph that is gone", cudaGraphLaunch(exec, s), cudaErrorInvalidValue);
	expect("the end of nothing", cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);
	expect("the default stream", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
	       cudaErrorStreamCaptureUnsupported);
	cudaGetLastError();
	GOOD(cudaStreamDestroy(s));
	GOOD(cudaStreamDestroy(t));
}

/* Nodes that were added against the order of their dependencies. */
static void by_hand(int *d)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t kernel, fill, copy;
	int n = N, by = 7;
	void *arguments[] = {&d, &n, &by};
	cudaKernelNodeParams launch = {(void *)add, dim3(4), dim3(256), 0, arguments, NULL};
	cudaMemsetParams set = {d, 0, 0x01020304, 4, N, 1};
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &launch));
	by = 100; /* the node has its own copy */
	GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
	GOOD(cudaGraphAddDependencies(graph, &fill, &kernel, 1));
	GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, d, sizeof host, cudaMemcpyDeviceToHost));
	GOOD(cudaGraphInstantiate(&exec, graph));
	GOOD(cudaGraphLaunch(exec, 0));
	expect("filled, then added to, then copied", host[N - 1], 0x01020304 + 7 + 5);
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphAddDependencies(graph, &copy, &fill, 1));
	expect("a circle", cudaGraphInstantiate(&exec, graph), cudaErrorInvalidValue);
	cudaGetLastError();
	GOOD(cudaGraphDestroy(graph));
}

/* Kernels of a graph and of an executable graph get other arguments, each by itself; a launch with attributes is captured, too. */
static void change_kernels(int *d)
{
	cudaGraph_t graph, other;
	cudaGraphExec_t exec;
	cudaGraphNode_t kernel;
	cudaStream_t s;
	cudaGraphNodeType type;
	cudaGraphExecUpdateResultInfo info;
	int n = N, by = 1;
	void *arguments[] = {&d, &n, &by};
	cudaKernelNodeParams launch = {(void *)add, dim3(4), dim3(256), 0, arguments, NULL}, got;
	GOOD(cudaMemset(d, 0, N * sizeof *d));
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &launch));
	GOOD(cudaGraphNodeGetType(kernel, &type));
	expect("a kernel", type, cudaGraphNodeTypeKernel);
	GOOD(cudaGraphInstantiate(&exec, graph));
	by = 10;
	GOOD(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
	GOOD(cudaGraphLaunch(exec, s));
	GOOD(cudaGraphKernelNodeGetParams(kernel, &got));
	expect("the node's own argument", *(int *)got.kernelParams[2], 1);
	by = 100;
	GOOD(cudaGraphKernelNodeSetParams(kernel, &launch));
	GOOD(cudaGraphExecUpdate(exec, graph, &info));
	expect("can be taken over", info.result, cudaGraphExecUpdateSuccess);
	GOOD(cudaGraphLaunch(exec, s));
	GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	cudaLaunchAttribute hint[1];
	hint[0].id = cudaLaunchAttributePriority;
	hint[0].val.priority = -1;
	cudaLaunchConfig_t config = {dim3(4), dim3(256), 0, s, hint, 1};
	GOOD(cudaLaunchKernelEx(&config, add, d, N, (short)1000));
	GOOD(cudaStreamEndCapture(s, &other));
	GOOD(cudaGraphExecUpdate(exec, other, &info));
	GOOD(cudaGraphLaunch(exec, s));
	GOOD(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
	expect("three sums", host[N - 1], 1110 + 3 * 5);
	hint[0].id = cudaLaunchAttributeClusterDimension;
	hint[0].val.clusterDim.x = 2;
	hint[0].val.clusterDim.y = hint[0].val.clusterDim.z = 1;
	expect("clusters", cudaLaunchKernelEx(&config, add, d, N, 0), cudaErrorNotSupported);
	cudaGetLastError();
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphDestroy(graph));
	GOOD(cudaGraphDestroy(other));
	GOOD(cudaStreamDestroy(s));
}

static void pools()
{
	cudaMemPool_t own, made;
	cudaMemPoolProps properties = {};
	unsigned long long keep = ~0ull;
	int reuse = -1;
	float *p;
	GOOD(cudaDeviceGetDefaultMemPool(&own, 0));
	GOOD(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
	keep = 0;
	GOOD(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
	expect("what was set", (long long)keep, -1);
	GOOD(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
	expect("a flag", reuse, 1);
	GOOD(cudaMemPoolCreate(&made, &properties));
	GOOD(cudaMallocAsync(&p, 64, made, 0));
	GOOD(cudaFreeAsync(p, 0));
	GOOD(cudaMemPoolTrimTo(made, 0));
	GOOD(cudaMemPoolDestroy(made));
	expect("a pool that is gone", cudaMallocFromPoolAsync(&p, 64, made, 0), cudaErrorInvalidValue);
	cudaGetLastError();
}

int main()
{
	int *d;
	GOOD(cudaMalloc(&d, N * sizeof *d));
	capture(d);
	by_hand(d);
	change_kernels(d);
	pools();
	GOOD(cudaFree(d));
	printf("%d failures\n", failures);
	return failures != 0;
}
