/* Graphs: work that is put down once and done as often as the graph is launched, from calls of the graph API or from what a program
 * would have done on a stream that it captures. graph_node.c has what a program asks of nodes, graph_exec.c executable graphs. */
#include "runtime/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct CUgraph_st *graphs;

int ct_cuda_is_graph(cudaGraph_t graph)
{
	const struct CUgraph_st *at = graphs;
	while (at && at != graph)
		at = at->next;
	return at != NULL;
}

static int has_node(const struct CUgraph_st *graph, const struct CUgraphNode_st *node)
{
	for (size_t i = 0; i < graph->n; i++)
		if (graph->node[i] == node)
			return 1;
	return 0;
}

int ct_cuda_is_node(cudaGraphNode_t node)
{
	for (const struct CUgraph_st *at = graphs; at; at = at->next)
		if (has_node(at, node))
			return 1;
	return 0;
}

cudaError_t ct_cuda_copy_work(struct ct_cuda_work *to, const struct ct_cuda_work *from)
{
	void *arguments = NULL;
	if (from->kind == CT_CUDA_LAUNCH && from->bytes) {
		arguments = ct_calloc(1, from->bytes);
		if (!arguments)
			return cudaErrorMemoryAllocation;
		memcpy(arguments, from->arguments, from->bytes);
	}
	free(to->arguments);
	*to = *from;
	to->arguments = arguments;
	return cudaSuccess;
}

void ct_cuda_drop_node(struct CUgraphNode_st *node)
{
	if (!node || --node->refs)
		return;
	if (node->work.kind == CT_CUDA_ALLOCATE)
		ct_cuda_leave_graph(node->work.to);
	if (node->child)
		ct_cuda_free_graph(node->child);
	ct_cuda_drop_node(node->origin);
	free(node->work.arguments);
	free(node->pointers);
	free(node->before);
	free(node);
}

cudaError_t ct_cuda_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *on)
{
	if (ct_grow((void **)&node->before, &node->cap_before, node->nbefore + 1, sizeof(void *)) < 0)
		return cudaErrorMemoryAllocation;
	node->before[node->nbefore++] = on;
	return cudaSuccess;
}

cudaError_t ct_cuda_add_node(cudaGraph_t graph, const struct ct_cuda_work *w,
                             const cudaGraphNode_t *behind, size_t n, cudaGraphNode_t *out)
{
	if (n && !behind)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++)
		if (!has_node(graph, behind[i]))
			return cudaErrorInvalidValue;
	struct CUgraphNode_st *node = ct_calloc(1, sizeof *node);
	if (!node)
		return cudaErrorMemoryAllocation;
	node->refs = 1;
	node->graph = graph;
	cudaError_t error = ct_cuda_copy_work(&node->work, w);
	for (size_t i = 0; i < n && error == cudaSuccess; i++)
		error = ct_cuda_depend(node, behind[i]);
	if (error == cudaSuccess &&
	    ct_grow((void **)&graph->node, &graph->cap, graph->n + 1, sizeof(void *)) < 0)
		error = cudaErrorMemoryAllocation;
	if (error != cudaSuccess) {
		node->work.kind = CT_CUDA_NOTHING; /* memory stays its caller's */
		ct_cuda_drop_node(node);
		return error;
	}
	graph->node[graph->n++] = node;
	if (out)
		*out = node;
	return cudaSuccess;
}

cudaError_t ct_cuda_new_graph(cudaGraph_t *out)
{
	struct CUgraph_st *graph = ct_calloc(1, sizeof *graph);
	if (!graph)
		return cudaErrorMemoryAllocation;
	graph->next = graphs;
	graphs = graph;
	*out = graph;
	return cudaSuccess;
}

void ct_cuda_free_graph(cudaGraph_t graph)
{
	struct CUgraph_st **at = &graphs;
	while (*at != graph)
		at = &(*at)->next;
	*at = graph->next;
	ct_cuda_end_capture(graph);
	for (size_t i = 0; i < graph->n; i++) {
		graph->node[i]->graph = NULL;
		ct_cuda_drop_node(graph->node[i]);
	}
	free(graph->node);
	free(graph);
}

/* The node of a clone that was made of another. */
static struct CUgraphNode_st *made_of(const struct CUgraph_st *clone,
                                      const struct CUgraphNode_st *origin)
{
	for (size_t i = 0; i < clone->n; i++)
		if (clone->node[i]->origin == origin)
			return clone->node[i];
	return NULL;
}

static cudaError_t clone_node(struct CUgraph_st *clone, struct CUgraphNode_st *from)
{
	struct CUgraphNode_st *node;
	if (from->work.kind == CT_CUDA_ALLOCATE || from->work.kind == CT_CUDA_FREE)
		return cudaErrorNotSupported;
	cudaError_t error = ct_cuda_add_node(clone, &from->work, NULL, 0, &node);
	if (error != cudaSuccess)
		return error;
	node->origin = from;
	from->refs++;
	if (from->child) {
		error = ct_cuda_clone_graph(from->child, &node->child);
		if (error == cudaSuccess)
			node->child->owned = 1;
	}
	return error;
}

cudaError_t ct_cuda_clone_graph(cudaGraph_t graph, cudaGraph_t *out)
{
	cudaGraph_t clone = NULL;
	cudaError_t error = ct_cuda_new_graph(&clone);
	for (size_t i = 0; i < graph->n && error == cudaSuccess; i++)
		error = clone_node(clone, graph->node[i]);
	for (size_t i = 0; i < graph->n && error == cudaSuccess; i++)
		for (size_t k = 0; k < graph->node[i]->nbefore && error == cudaSuccess; k++)
			error = ct_cuda_depend(clone->node[i],
			                       made_of(clone, graph->node[i]->before[k]));
	if (error != cudaSuccess && clone)
		ct_cuda_free_graph(clone);
	else
		*out = clone;
	return error;
}

/* Whether a node is not sorted yet and its predecessors are. */
static int is_next(const struct CUgraphNode_st *node)
{
	size_t done = 0;
	while (done < node->nbefore && node->before[done]->order)
		done++;
	return !node->order && done == node->nbefore;
}

/* The first such node; NULL: there is none. */
static struct CUgraphNode_st *next_node(const struct CUgraph_st *graph)
{
	for (size_t i = 0; i < graph->n; i++)
		if (is_next(graph->node[i]))
			return graph->node[i];
	return NULL;
}

cudaError_t ct_cuda_sort_nodes(struct CUgraph_st *graph, struct CUgraphNode_st **out)
{
	for (size_t i = 0; i < graph->n; i++)
		graph->node[i]->order = 0;
	for (size_t i = 0; i < graph->n; i++) {
		struct CUgraphNode_st
			*at = graph->node[i]; /* mostly they have been added in such an order */
		struct CUgraphNode_st *node = is_next(at) ? at : next_node(graph);
		if (!node)
			return cudaErrorInvalidValue;
		node->order = (unsigned)i + 1;
		out[i] = node;
	}
	return cudaSuccess;
}

/* ---- capturing ---- */

cudaError_t ct_cuda_capture(cudaGraph_t graph, const struct ct_cuda_work *w)
{
	/* Behind what came before it in the program, whichever stream that was on: an order that no dependency can be against. */
	const cudaGraphNode_t *last = graph->n ? &graph->node[graph->n - 1] : NULL;
	return ct_cuda_add_node(graph, w, last, last != NULL, NULL);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t *slot = error == cudaSuccess ? ct_cuda_capture_of(stream) : NULL;
	(void)mode; /* what other threads may do meanwhile */
	if (error == cudaSuccess && !slot)
		error = cudaErrorStreamCaptureUnsupported;
	if (error == cudaSuccess && *slot)
		error = cudaErrorIllegalState;
	if (error == cudaSuccess)
		error = ct_cuda_new_graph(slot);
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t captured = error == cudaSuccess ? ct_cuda_captured_into(stream) : NULL;
	if (error == cudaSuccess && !captured)
		error = cudaErrorIllegalState;
	if (error == cudaSuccess && !graph)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		*graph = captured;
		ct_cuda_end_capture(captured);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	return cudaStreamGetCaptureInfo(stream, status, NULL);
}

/* The number of a capture is where its graph lies, which no other has meanwhile. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *number)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !status)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		cudaGraph_t graph = ct_cuda_captured_into(stream);
		*status = graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
		if (number && graph)
			*number = (unsigned long long)(uintptr_t)graph;
	}
	return ct_cuda_leave(error);
}

/* ---- by hand ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = graph && flags == 0 ? ct_cuda_new_graph(graph) : cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_graph(graph) || graph->owned))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		ct_cuda_free_graph(graph);
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!clone || !ct_cuda_is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = ct_cuda_clone_graph(graph, clone);
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!node || !original || !ct_cuda_is_graph(clone)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && !(*node = made_of(clone, original)))
		error = cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

/* ---- adding nodes ---- */

static cudaError_t api_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                           size_t n, const struct ct_cuda_work *w, cudaError_t described)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = described;
	if (error == cudaSuccess && (!node || !ct_cuda_is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = ct_cuda_add_node(graph, w, behind, n, node);
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *behind, size_t n,
                                   const struct cudaKernelNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_kernel_work(p, &w);
	error = api_add(node, graph, behind, n, &w, error);
	free(w.arguments);
	return error;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *behind, size_t n, void *to, const void *from,
                                     size_t bytes, enum cudaMemcpyKind kind)
{
	struct ct_cuda_work w = ct_cuda_copy_1d(to, from, bytes, kind);
	return api_add(node, graph, behind, n, &w, cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t n,
	const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *to = NULL;
	cudaError_t error = cudaGetSymbolAddress(&to, symbol);
	struct ct_cuda_work w = ct_cuda_copy_1d((char *)to + offset, from, bytes, kind);
	return error == cudaSuccess ? api_add(node, graph, behind, n, &w, cudaSuccess) : error;
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t n, void *to,
	const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *from = NULL;
	cudaError_t error = cudaGetSymbolAddress(&from, symbol);
	struct ct_cuda_work w = ct_cuda_copy_1d(to, (char *)from + offset, bytes, kind);
	return error == cudaSuccess ? api_add(node, graph, behind, n, &w, cudaSuccess) : error;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *behind, size_t n,
                                   const struct cudaMemcpy3DParms *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_box_work(p, &w);
	return api_add(node, graph, behind, n, &w, error);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *behind, size_t n,
                                   const struct cudaMemsetParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_fill_work(p, &w);
	return api_add(node, graph, behind, n, &w, error);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                 size_t n, const struct cudaHostNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_host_work(p, &w);
	return api_add(node, graph, behind, n, &w, error);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *behind, size_t n)
{
	return api_add(node, graph, behind, n, &(struct ct_cuda_work){.kind = CT_CUDA_NOTHING},
	               cudaSuccess);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *behind, size_t n, cudaEvent_t event)
{
	return api_add(node, graph, behind, n,
	               &(struct ct_cuda_work){.kind = CT_CUDA_RECORD, .user = event},
	               event ? cudaSuccess : cudaErrorInvalidValue);
}

/* What is waited for has happened. */
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *behind, size_t n, cudaEvent_t event)
{
	return api_add(node, graph, behind, n,
	               &(struct ct_cuda_work){.kind = CT_CUDA_WAIT, .user = event},
	               event ? cudaSuccess : cudaErrorInvalidValue);
}

/* The node has a copy of the graph, as it is now. */
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *behind, size_t n, cudaGraph_t child)
{
	cudaGraph_t copy = NULL;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!node || !ct_cuda_is_graph(graph) || !ct_cuda_is_graph(child)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = ct_cuda_clone_graph(child, &copy);
	if (error == cudaSuccess) {
		error = ct_cuda_add_node(graph, &(struct ct_cuda_work){.kind = CT_CUDA_CHILD}, behind, n,
		                         node);
		if (error == cudaSuccess) {
			copy->owned = 1;
			(*node)->child = copy;
		} else {
			ct_cuda_free_graph(copy);
		}
	}
	return ct_cuda_leave(error);
}

/* Memory has its place as soon as the node is there, and belongs to the program from when the node is done until it is freed. */
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *behind, size_t n,
                                     struct cudaMemAllocNodeParams *p)
{
	struct ct_cuda_work w = {.kind = CT_CUDA_ALLOCATE};
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!p || !p->bytesize || !node || !ct_cuda_is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && p->poolProps.location.id != 0)
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess)
		error = ct_cuda_reserve_for_graph(p->bytesize, &w.to);
	if (error == cudaSuccess) {
		error = ct_cuda_add_node(graph, &w, behind, n, node);
		if (error == cudaSuccess)
			p->dptr = w.to;
		else
			ct_cuda_leave_graph(w.to);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *behind, size_t n, void *p)
{
	return api_add(node, graph, behind, n, &(struct ct_cuda_work){.kind = CT_CUDA_FREE, .to = p},
	               p ? cudaSuccess : cudaErrorInvalidValue);
}
