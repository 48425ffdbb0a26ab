/* Graphs: work that is put down once and done as often as the graph is launched, from calls of the graph API or from what a program
 * would have done on a stream that it captures. Nodes are done one after the other, each behind those that it depends on. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/runtime.h"

/* One piece of work. Graphs and executable graphs share it. */
struct CUgraphNode_st {
	struct ct_cuda_work work;
	unsigned refs;
	struct CUgraphNode_st **before; /* those that it depends on */
	size_t nbefore, cap_before;
	unsigned order; /* while a graph is sorted: its place + 1 */
};

struct CUgraph_st {
	struct CUgraph_st *next;
	struct CUgraphNode_st **node; /* as they were added */
	size_t n, cap;
};

struct CUgraphExec_st {
	struct CUgraphExec_st *next;
	struct CUgraphNode_st **node; /* as they are done */
	size_t n;
};

static struct CUgraph_st *graphs;
static struct CUgraphExec_st *execs;

static int is_graph(cudaGraph_t graph)
{
	const struct CUgraph_st *at = graphs;
	while (at && at != graph)
		at = at->next;
	return at != NULL;
}

static int is_exec(cudaGraphExec_t exec)
{
	const struct CUgraphExec_st *at = execs;
	while (at && at != exec)
		at = at->next;
	return at != NULL;
}

static void drop_node(struct CUgraphNode_st *node)
{
	if (--node->refs)
		return;
	free(node->work.arguments);
	free(node->before);
	free(node);
}

static void drop_nodes(struct CUgraphNode_st **node, size_t n)
{
	for (size_t i = 0; i < n; i++)
		drop_node(node[i]);
	free(node);
}

static int has_node(const struct CUgraph_st *graph, const struct CUgraphNode_st *node)
{
	for (size_t i = 0; i < graph->n; i++)
		if (graph->node[i] == node)
			return 1;
	return 0;
}

static cudaError_t depend(struct CUgraphNode_st *node, struct CUgraphNode_st *on)
{
	if (ct_grow((void **)&node->before, &node->cap_before, node->nbefore + 1, sizeof(void *)) < 0)
		return cudaErrorMemoryAllocation;
	node->before[node->nbefore++] = on;
	return cudaSuccess;
}

/* Adds work behind some nodes of the graph; its arguments, which are the caller's, are copied. */
static cudaError_t add_node(cudaGraph_t graph, const struct ct_cuda_work *w,
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
	node->work = *w;
	node->refs = 1;
	node->work.arguments = w->bytes && w->kind == CT_CUDA_LAUNCH ? ct_calloc(1, w->bytes) : NULL;
	cudaError_t error = cudaSuccess;
	if (w->kind == CT_CUDA_LAUNCH && w->bytes) {
		if (node->work.arguments)
			memcpy(node->work.arguments, w->arguments, w->bytes);
		else
			error = cudaErrorMemoryAllocation;
	}
	for (size_t i = 0; i < n && error == cudaSuccess; i++)
		error = depend(node, behind[i]);
	if (error == cudaSuccess &&
	    ct_grow((void **)&graph->node, &graph->cap, graph->n + 1, sizeof(void *)) < 0)
		error = cudaErrorMemoryAllocation;
	if (error != cudaSuccess) {
		drop_node(node);
		return error;
	}
	graph->node[graph->n++] = node;
	if (out)
		*out = node;
	return cudaSuccess;
}

static cudaError_t new_graph(cudaGraph_t *out)
{
	struct CUgraph_st *graph = ct_calloc(1, sizeof *graph);
	if (!graph)
		return cudaErrorMemoryAllocation;
	graph->next = graphs;
	graphs = graph;
	*out = graph;
	return cudaSuccess;
}

/* ---- capturing ---- */

cudaError_t ct_cuda_capture(cudaGraph_t graph, const struct ct_cuda_work *w)
{
	/* Behind what came before it in the program, whichever stream that was on: an order that no dependency can be against. */
	const cudaGraphNode_t *last = graph->n ? &graph->node[graph->n - 1] : NULL;
	return add_node(graph, w, last, last != NULL, NULL);
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
		error = new_graph(slot);
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
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !status)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*status = ct_cuda_captured_into(stream) ? cudaStreamCaptureStatusActive
		                                        : cudaStreamCaptureStatusNone;
	return ct_cuda_leave(error);
}

/* ---- by hand ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = graph && flags == 0 ? new_graph(graph) : cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !is_graph(graph))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct CUgraph_st **at = &graphs;
		while (*at != graph)
			at = &(*at)->next;
		*at = graph->next;
		ct_cuda_end_capture(graph);
		drop_nodes(graph->node, graph->n);
		free(graph);
	}
	return ct_cuda_leave(error);
}

static cudaError_t api_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                           size_t n, const struct ct_cuda_work *w, int is_valid)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!is_valid || !node || !is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = add_node(graph, w, behind, n, node);
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *behind, size_t n,
                                   const struct cudaKernelNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = cudaErrorInvalidValue;
	if (p)
		error = ct_cuda_launch_work(
			p->func, (struct ct_cuda_shape){p->gridDim, p->blockDim, p->sharedMemBytes, 0},
			p->kernelParams, &w);
	if (error != cudaSuccess)
		return ct_cuda_enter(), ct_cuda_leave(error);
	error = api_add(node, graph, behind, n, &w, p->kernelParams || !p->extra);
	free(w.arguments);
	return error;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *behind, size_t n, void *to, const void *from,
                                     size_t bytes, enum cudaMemcpyKind kind)
{
	return api_add(node, graph, behind, n,
	               &(struct ct_cuda_work){.kind = CT_CUDA_COPY,
	                                      .to = to,
	                                      .from = from,
	                                      .width = bytes,
	                                      .height = 1,
	                                      .copy = kind},
	               1);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *behind, size_t n,
                                   const struct cudaMemcpy3DParms *p)
{
	struct ct_cuda_work w = {.kind = CT_CUDA_COPY_3D};
	if (p)
		w.box = *p;
	return api_add(node, graph, behind, n, &w, p != NULL);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *behind, size_t n,
                                   const struct cudaMemsetParams *p)
{
	struct ct_cuda_work w = {.kind = CT_CUDA_FILL};
	int fine = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
	if (fine) {
		w.to = p->dst;
		w.to_pitch = p->pitch;
		w.value = p->value;
		w.element = p->elementSize;
		w.width = p->width;
		w.height = p->height;
	}
	return api_add(node, graph, behind, n, &w, fine);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                 size_t n, const struct cudaHostNodeParams *p)
{
	struct ct_cuda_work w = {.kind = CT_CUDA_HOST};
	if (p) {
		w.function = p->fn;
		w.user = p->userData;
	}
	return api_add(node, graph, behind, n, &w, p && p->fn);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *behind, size_t n)
{
	return api_add(node, graph, behind, n, &(struct ct_cuda_work){.kind = CT_CUDA_NOTHING}, 1);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t n)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!is_graph(graph) || (n && (!from || !to))))
		error = cudaErrorInvalidValue;
	for (size_t i = 0; i < n && error == cudaSuccess; i++)
		error = has_node(graph, from[i]) && has_node(graph, to[i])
		                ? depend(to[i], from[i])
		                : cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!is_graph(graph) || !n))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		for (size_t i = 0; nodes && i < *n; i++)
			nodes[i] = i < graph->n ? graph->node[i] : NULL;
		*n = nodes && *n < graph->n ? *n : graph->n;
	}
	return ct_cuda_leave(error);
}

/* ---- executable graphs ---- */

/* The first node that is not sorted yet and whose predecessors are; NULL: there is none. */
static struct CUgraphNode_st *next_node(const struct CUgraph_st *graph)
{
	for (size_t i = 0; i < graph->n; i++) {
		struct CUgraphNode_st *node = graph->node[i];
		size_t done = 0;
		while (done < node->nbefore && node->before[done]->order)
			done++;
		if (!node->order && done == node->nbefore)
			return node;
	}
	return NULL;
}

/* Puts the nodes into an order in which each comes behind those that it depends on. A circle has none. */
static cudaError_t sort_nodes(struct CUgraph_st *graph, struct CUgraphNode_st **out)
{
	for (size_t i = 0; i < graph->n; i++)
		graph->node[i]->order = 0;
	for (size_t i = 0; i < graph->n; i++) {
		struct CUgraphNode_st *at = graph->node[i], *node;
		size_t done = 0; /* mostly they have been added in such an order */
		while (done < at->nbefore && at->before[done]->order)
			done++;
		node = !at->order && done == at->nbefore ? at : next_node(graph);
		if (!node)
			return cudaErrorInvalidValue;
		node->order = (unsigned)i + 1;
		out[i] = node;
	}
	return cudaSuccess;
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	cudaError_t error = ct_cuda_enter();
	struct CUgraphExec_st *x = NULL;
	(void)flags;
	if (error == cudaSuccess && (!exec || !is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		x = ct_calloc(1, sizeof *x);
		if (x && graph->n)
			x->node = ct_calloc(graph->n, sizeof *x->node);
		error = x && (x->node || !graph->n) ? sort_nodes(graph, x->node)
		                                    : cudaErrorMemoryAllocation;
	}
	if (error == cudaSuccess) {
		for (x->n = 0; x->n < graph->n; x->n++)
			x->node[x->n]->refs++;
		x->next = execs;
		*exec = execs = x;
	} else if (x) {
		free(x->node);
		free(x);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                 char *log, size_t log_bytes)
{
	if (error_node)
		*error_node = NULL;
	if (log && log_bytes)
		*log = '\0';
	return cudaGraphInstantiateWithFlags(exec, graph, 0);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !is_exec(exec))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct CUgraphExec_st **at = &execs;
		while (*at != exec)
			at = &(*at)->next;
		*at = exec->next;
		drop_nodes(exec->node, exec->n);
		free(exec);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	(void)stream;
	cudaError_t error = ct_cuda_enter();
	return ct_cuda_leave(error == cudaSuccess && !is_exec(exec) ? cudaErrorInvalidValue : error);
}

/* Each node takes the lock for itself: host functions may call the API. A graph on a stream that is captured becomes nodes of the
 * graph there. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t graph = NULL;
	if (error == cudaSuccess && !is_exec(exec))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		graph = ct_cuda_captured_into(stream);
	for (size_t i = 0; graph && i < exec->n && error == cudaSuccess; i++)
		error = ct_cuda_capture(graph, &exec->node[i]->work);
	error = ct_cuda_leave(error);
	if (graph)
		return error;
	for (size_t i = 0; error == cudaSuccess && i < exec->n; i++)
		error = ct_cuda_do(&exec->node[i]->work);
	return error;
}
