/* Graphs of CUDA's run-time API, of everything but kernels (tests/cuda/graph.cu has those): what can be asked of them, changed in them, and
 * the memory that they allocate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/cuda/cuda_runtime_api.h"

#define GOOD(call) assert_int_equal(call, cudaSuccess)
#define BAD(error, call) assert_int_equal(call, error)

enum { BYTES = 16 };

static struct cudaMemsetParams fill_with(void *to, unsigned value)
{
	return (struct cudaMemsetParams){
		.dst = to, .value = value, .elementSize = 1, .width = BYTES, .height = 1};
}

static void call_back(void *calls)
{
	++*(int *)calls;
}

/* fill -> copy -> call, and what the graph tells of them. */
static void graphs_tell_what_is_in_them(void **state)
{
	unsigned char *d, own[BYTES] = {0};
	int calls = 0;
	cudaGraph_t graph;
	cudaGraphNode_t fill, copy, call, from[4], to[4], list[4];
	size_t n;
	enum cudaGraphNodeType type;
	struct cudaMemcpy3DParms box;
	struct cudaMemsetParams set;
	struct cudaHostNodeParams host = {call_back, &calls};
	(void)state;
	GOOD(cudaMalloc((void **)&d, BYTES));
	set = fill_with(d, 5);
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
	GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, own, d, BYTES, cudaMemcpyDeviceToHost));
	GOOD(cudaGraphAddHostNode(&call, graph, &copy, 1, &host));
	GOOD(cudaGraphGetNodes(graph, NULL, &n));
	assert_int_equal(n, 3);
	n = 4;
	GOOD(cudaGraphGetRootNodes(graph, list, &n));
	assert_int_equal(n, 1);
	assert_ptr_equal(list[0], fill);
	n = 4;
	GOOD(cudaGraphGetEdges(graph, from, to, &n));
	assert_int_equal(n, 2);
	assert_ptr_equal(from[1], copy);
	assert_ptr_equal(to[1], call);
	assert_null(to[3]);
	GOOD(cudaGraphNodeGetDependencies(call, NULL, &n));
	assert_int_equal(n, 1);
	GOOD(cudaGraphNodeGetDependentNodes(fill, list, &n));
	assert_int_equal(n, 1);
	assert_ptr_equal(list[0], copy);
	GOOD(cudaGraphNodeGetType(fill, &type));
	assert_int_equal(type, cudaGraphNodeTypeMemset);
	GOOD(cudaGraphMemcpyNodeGetParams(copy, &box));
	assert_ptr_equal(box.srcPtr.ptr, d);
	assert_int_equal(box.extent.width, BYTES);
	GOOD(cudaGraphMemsetNodeGetParams(fill, &set));
	assert_int_equal(set.value, 5);
	BAD(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(fill, &host));
	GOOD(cudaGraphRemoveDependencies(graph, &copy, &call, 1));
	n = 4;
	GOOD(cudaGraphGetRootNodes(graph, list, &n));
	assert_int_equal(n, 2);
	GOOD(cudaGraphDestroyNode(copy));
	BAD(cudaErrorInvalidValue, cudaGraphNodeGetType(copy, &type));
	GOOD(cudaGraphGetNodes(graph, NULL, &n));
	assert_int_equal(n, 2);
	GOOD(cudaGraphDestroy(graph));
	GOOD(cudaFree(d));
}

/* A clone and an executable graph keep what the graph had. */
static void what_is_made_of_a_graph_is_changed_by_itself(void **state)
{
	unsigned char *d, own[BYTES];
	cudaGraph_t graph, clone;
	cudaGraphExec_t exec;
	cudaGraphNode_t fill, same, more;
	enum cudaGraphExecUpdateResult result;
	unsigned enabled;
	(void)state;
	GOOD(cudaMalloc((void **)&d, BYTES));
	struct cudaMemsetParams set = fill_with(d, 1);
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
	GOOD(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	GOOD(cudaGraphClone(&clone, graph));
	GOOD(cudaGraphNodeFindInClone(&same, fill, clone));
	assert_ptr_not_equal(same, fill);
	set.value = 2;
	GOOD(cudaGraphMemsetNodeSetParams(fill, &set));
	GOOD(cudaGraphMemsetNodeGetParams(same, &set));
	assert_int_equal(set.value, 1);
	GOOD(cudaGraphLaunch(exec, NULL));
	GOOD(cudaMemcpy(own, d, BYTES, cudaMemcpyDeviceToHost));
	assert_int_equal(own[3], 1);
	set.value = 3;
	GOOD(cudaGraphExecMemsetNodeSetParams(exec, fill, &set));
	BAD(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, same, &set));
	GOOD(cudaGraphLaunch(exec, NULL));
	GOOD(cudaMemcpy(own, d, BYTES, cudaMemcpyDeviceToHost));
	assert_int_equal(own[3], 3);
	GOOD(cudaGraphExecUpdate(exec, graph, &more, &result));
	assert_int_equal(result, cudaGraphExecUpdateSuccess);
	GOOD(cudaGraphNodeSetEnabled(exec, fill, 0));
	GOOD(cudaGraphNodeGetEnabled(exec, fill, &enabled));
	assert_int_equal(enabled, 0);
	GOOD(cudaGraphLaunch(exec, NULL));
	GOOD(cudaMemcpy(own, d, BYTES, cudaMemcpyDeviceToHost));
	assert_int_equal(own[3], 3);
	GOOD(cudaGraphNodeSetEnabled(exec, fill, 1));
	GOOD(cudaGraphLaunch(exec, NULL));
	GOOD(cudaMemcpy(own, d, BYTES, cudaMemcpyDeviceToHost));
	assert_int_equal(own[3], 2);
	GOOD(cudaGraphAddEmptyNode(&more, graph, &fill, 1));
	BAD(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, graph, NULL, &result));
	assert_int_equal(result, cudaGraphExecUpdateErrorTopologyChanged);
	cudaGetLastError();
	GOOD(cudaGraphDestroy(graph)); /* the clone's nodes still know what they were made of */
	GOOD(cudaGraphDestroy(clone));
	GOOD(cudaGraphLaunch(exec, NULL));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaFree(d));
}

static void graphs_are_nodes_of_graphs(void **state)
{
	int calls = 0;
	cudaGraph_t inner, outer, copy;
	cudaGraphExec_t exec;
	cudaGraphNode_t call, child, record;
	cudaEvent_t event;
	float milliseconds;
	const struct cudaHostNodeParams host = {call_back, &calls};
	(void)state;
	GOOD(cudaEventCreate(&event));
	GOOD(cudaGraphCreate(&inner, 0));
	GOOD(cudaGraphAddHostNode(&call, inner, NULL, 0, &host));
	GOOD(cudaGraphAddHostNode(&call, inner, &call, 1, &host));
	GOOD(cudaGraphCreate(&outer, 0));
	GOOD(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
	GOOD(cudaGraphAddChildGraphNode(&child, outer, &child, 1, inner));
	GOOD(cudaGraphAddEventRecordNode(&record, outer, &child, 1, event));
	GOOD(cudaGraphAddEventWaitNode(&record, outer, &record, 1, event));
	GOOD(cudaGraphChildGraphNodeGetGraph(child, &copy));
	BAD(cudaErrorInvalidValue, cudaGraphDestroy(copy)); /* it is the node's */
	GOOD(cudaGraphDestroy(inner));
	GOOD(cudaGraphInstantiateWithFlags(&exec, outer, 0));
	GOOD(cudaGraphDestroy(outer));
	BAD(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, event, event));
	GOOD(cudaGraphLaunch(exec, NULL));
	assert_int_equal(calls, 4);
	GOOD(cudaEventElapsedTime(&milliseconds, event, event));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaEventDestroy(event));
	cudaGetLastError();
}

static uint64_t graph_bytes(enum cudaGraphMemAttributeType attribute)
{
	uint64_t bytes = 0;
	GOOD(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
	return bytes;
}

/* Memory has one place in all launches, and is freed by a node, by the program, or not at all. */
static void graphs_allocate(void **state)
{
	unsigned char own[BYTES];
	size_t before, now, all;
	cudaGraph_t graph, clone;
	cudaGraphExec_t exec, keeps;
	cudaGraphNode_t make, fill, copy, drop;
	struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
	                                                 .location = {cudaMemLocationTypeDevice, 0}},
	                                   .bytesize = BYTES};
	void *freed;
	(void)state;
	GOOD(cudaMemGetInfo(&before, &all));
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddMemAllocNode(&make, graph, NULL, 0, &p));
	struct cudaMemsetParams set = fill_with(p.dptr, 9);
	GOOD(cudaGraphAddMemsetNode(&fill, graph, &make, 1, &set));
	GOOD(cudaGraphAddMemcpyNode1D(
		&copy, graph, &fill, 1, own, p.dptr, BYTES, cudaMemcpyDeviceToHost));
	GOOD(cudaGraphInstantiateWithFlags(&keeps, graph, 0));
	GOOD(cudaGraphAddMemFreeNode(&drop, graph, &copy, 1, p.dptr));
	GOOD(cudaGraphMemFreeNodeGetParams(drop, &freed));
	assert_ptr_equal(freed, p.dptr);
	BAD(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
	BAD(cudaErrorNotSupported, cudaGraphDestroyNode(make));
	GOOD(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	GOOD(cudaGraphDestroy(graph));
	assert_int_equal(graph_bytes(cudaGraphMemAttrUsedMemCurrent), 0);
	BAD(cudaErrorInvalidValue, cudaFree(p.dptr)); /* not yet allocated */
	GOOD(cudaGraphLaunch(exec, NULL));
	GOOD(cudaGraphLaunch(exec, NULL));
	assert_int_equal(own[BYTES - 1], 9);
	assert_int_equal(graph_bytes(cudaGraphMemAttrUsedMemCurrent), 0);
	assert_int_equal(graph_bytes(cudaGraphMemAttrUsedMemHigh), BYTES);
	GOOD(cudaGraphLaunch(keeps, NULL));
	assert_int_equal(graph_bytes(cudaGraphMemAttrUsedMemCurrent), BYTES);
	BAD(cudaErrorInvalidValue, cudaGraphLaunch(keeps, NULL)); /* it is still allocated */
	GOOD(cudaFreeAsync(p.dptr, NULL));
	GOOD(cudaGraphLaunch(keeps, NULL));
	GOOD(cudaGraphExecDestroy(keeps));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaFree(p.dptr)); /* the program's own, now */
	GOOD(cudaDeviceGraphMemTrim(0));
	GOOD(cudaMemGetInfo(&now, &all));
	assert_int_equal(now, before);
	cudaGetLastError();
}

static void captured_allocations_are_nodes(void **state)
{
	cudaStream_t s;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	unsigned char *d, own[BYTES] = {0};
	enum cudaStreamCaptureStatus status;
	enum cudaGraphNodeType type;
	cudaGraphNode_t nodes[4];
	unsigned long long number = 0;
	size_t n = 4;
	(void)state;
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	GOOD(cudaStreamGetCaptureInfo(s, &status, &number));
	assert_true(status == cudaStreamCaptureStatusActive && number != 0);
	GOOD(cudaMallocAsync((void **)&d, BYTES, s));
	GOOD(cudaMemsetAsync(d, 7, BYTES, s));
	GOOD(cudaMemcpyAsync(own, d, BYTES, cudaMemcpyDeviceToHost, s));
	GOOD(cudaFreeAsync(d, s));
	GOOD(cudaStreamEndCapture(s, &graph));
	GOOD(cudaGraphGetNodes(graph, nodes, &n));
	assert_int_equal(n, 4);
	GOOD(cudaGraphNodeGetType(nodes[0], &type));
	assert_int_equal(type, cudaGraphNodeTypeMemAlloc);
	GOOD(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	GOOD(cudaGraphLaunch(exec, s));
	GOOD(cudaGraphLaunch(exec, s));
	assert_int_equal(own[0], 7);
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphDestroy(graph));
	BAD(cudaErrorInvalidValue, cudaFree(d));
	GOOD(cudaStreamDestroy(s));
	cudaGetLastError();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_tell_what_is_in_them),
		cmocka_unit_test(what_is_made_of_a_graph_is_changed_by_itself),
		cmocka_unit_test(graphs_are_nodes_of_graphs),
		cmocka_unit_test(graphs_allocate),
		cmocka_unit_test(captured_allocations_are_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
