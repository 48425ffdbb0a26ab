/* What a program asks of a graph and its nodes: kinds, parameters, which there are and what depends on what. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/graph.h"

/* ---- work from parameters ---- */

cudaError_t ct_cuda_kernel_work(const struct cudaKernelNodeParams *p, struct ct_cuda_work *w)
{
	*w = (struct ct_cuda_work){.kind = CT_CUDA_NOTHING};
	if (!p || (!p->kernelParams && p->extra))
		return cudaErrorInvalidValue;
	return ct_cuda_launch_work(
		p->func, (struct ct_cuda_shape){p->gridDim, p->blockDim, p->sharedMemBytes, 0},
		p->kernelParams, w);
}

cudaError_t ct_cuda_box_work(const struct cudaMemcpy3DParms *p, struct ct_cuda_work *w)
{
	*w = (struct ct_cuda_work){.kind = CT_CUDA_COPY_3D};
	if (p)
		w->box = *p;
	return p ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t ct_cuda_fill_work(const struct cudaMemsetParams *p, struct ct_cuda_work *w)
{
	*w = (struct ct_cuda_work){.kind = CT_CUDA_FILL};
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	w->to = p->dst;
	w->to_pitch = p->pitch;
	w->value = p->value;
	w->element = p->elementSize;
	w->width = p->width;
	w->height = p->height;
	return cudaSuccess;
}

cudaError_t ct_cuda_host_work(const struct cudaHostNodeParams *p, struct ct_cuda_work *w)
{
	*w = (struct ct_cuda_work){.kind = CT_CUDA_HOST};
	if (!p || !p->fn)
		return cudaErrorInvalidValue;
	w->function = p->fn;
	w->user = p->userData;
	return cudaSuccess;
}

/* ---- which there are ---- */

/* A list that a call gives: the program's array takes as many as *n says, or there is none and it asks how many there are. */
struct list {
	cudaGraphNode_t *out;
	size_t room, n;
};

static void give(struct list *l, cudaGraphNode_t node)
{
	if (l->out && l->n < l->room)
		l->out[l->n] = node;
	l->n++;
}

/* Ends a list: what is behind its last is NULL. */
static void end_list(const struct list *l, size_t *n)
{
	for (size_t i = l->n; l->out && i < l->room; i++)
		l->out[i] = NULL;
	*n = l->out && l->room < l->n ? l->room : l->n;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n, int roots)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_graph(graph) || !n))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct list l = {nodes, *n, 0};
		for (size_t i = 0; i < graph->n; i++)
			if (!roots || !graph->node[i]->nbefore)
				give(&l, graph->node[i]);
		end_list(&l, n);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return list_nodes(graph, nodes, n, 0);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return list_nodes(graph, nodes, n, 1);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_graph(graph) || !n || !from != !to))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct list a = {from, *n, 0}, b = {to, *n, 0};
		for (size_t i = 0; i < graph->n; i++)
			for (size_t k = 0; k < graph->node[i]->nbefore; k++) {
				give(&a, graph->node[i]->before[k]);
				give(&b, graph->node[i]);
			}
		end_list(&a, n);
		end_list(&b, n);
	}
	return ct_cuda_leave(error);
}

/* Those before a node, or those behind it. */
static cudaError_t list_neighbours(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n, int behind)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_node(node) || !n))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct list l = {nodes, *n, 0};
		for (size_t i = 0; i < (behind ? node->graph->n : 0); i++)
			for (size_t k = 0; k < node->graph->node[i]->nbefore; k++)
				if (node->graph->node[i]->before[k] == node)
					give(&l, node->graph->node[i]);
		for (size_t i = 0; i < (behind ? 0 : node->nbefore); i++)
			give(&l, node->before[i]);
		end_list(&l, n);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
	return list_neighbours(node, nodes, n, 0);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
	return list_neighbours(node, nodes, n, 1);
}

/* ---- what depends on what ---- */

static void forget(struct CUgraphNode_st *node, const struct CUgraphNode_st *on)
{
	size_t kept = 0;
	for (size_t i = 0; i < node->nbefore; i++)
		if (node->before[i] != on)
			node->before[kept++] = node->before[i];
	node->nbefore = kept;
}

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, size_t n, int add)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_graph(graph) || (n && (!from || !to))))
		error = cudaErrorInvalidValue;
	for (size_t i = 0; i < n && error == cudaSuccess; i++) {
		if (!ct_cuda_is_node(from[i]) || !ct_cuda_is_node(to[i]) || from[i]->graph != graph ||
		    to[i]->graph != graph)
			error = cudaErrorInvalidValue;
		else if (add)
			error = ct_cuda_depend(to[i], from[i]);
		else
			forget(to[i], from[i]);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t n)
{
	return change_edges(graph, from, to, n, 1);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t n)
{
	return change_edges(graph, from, to, n, 0);
}

/* Nodes of memory stay, as in CUDA: their place is known to others. */
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !ct_cuda_is_node(node))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess &&
	    (node->work.kind == CT_CUDA_ALLOCATE || node->work.kind == CT_CUDA_FREE))
		error = cudaErrorNotSupported;
	if (error == cudaSuccess) {
		struct CUgraph_st *graph = node->graph;
		size_t kept = 0;
		for (size_t i = 0; i < graph->n; i++)
			if (graph->node[i] != node) {
				forget(graph->node[i], node);
				graph->node[kept++] = graph->node[i];
			}
		graph->n = kept;
		node->graph = NULL;
		ct_cuda_drop_node(node);
	}
	return ct_cuda_leave(error);
}

/* ---- kinds and parameters ---- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
	static const enum cudaGraphNodeType types[] = {
		[CT_CUDA_LAUNCH] = cudaGraphNodeTypeKernel,
		[CT_CUDA_COPY] = cudaGraphNodeTypeMemcpy,
		[CT_CUDA_COPY_3D] = cudaGraphNodeTypeMemcpy,
		[CT_CUDA_FILL] = cudaGraphNodeTypeMemset,
		[CT_CUDA_HOST] = cudaGraphNodeTypeHost,
		[CT_CUDA_NOTHING] = cudaGraphNodeTypeEmpty,
		[CT_CUDA_CHILD] = cudaGraphNodeTypeGraph,
		[CT_CUDA_RECORD] = cudaGraphNodeTypeEventRecord,
		[CT_CUDA_WAIT] = cudaGraphNodeTypeWaitEvent,
		[CT_CUDA_ALLOCATE] = cudaGraphNodeTypeMemAlloc,
		[CT_CUDA_FREE] = cudaGraphNodeTypeMemFree};
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_node(node) || !type))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*type = types[node->work.kind];
	return ct_cuda_leave(error);
}

/* Enters for a call that asks for the parameters of a node of that kind. */
static cudaError_t enter_for(cudaGraphNode_t node, enum ct_cuda_work_kind kind, const void *out)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!ct_cuda_is_node(node) || node->work.kind != kind || !out))
		error = cudaErrorInvalidValue;
	return error;
}

/* Gives a node other work of its kind. Executable graphs that were made of it keep theirs. */
static cudaError_t api_set(cudaGraphNode_t node, const struct ct_cuda_work *w, cudaError_t described)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = described;
	if (error == cudaSuccess && !ct_cuda_is_node(node))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && node->work.kind != w->kind &&
	    !(w->kind == CT_CUDA_COPY && node->work.kind == CT_CUDA_COPY_3D) &&
	    !(w->kind == CT_CUDA_COPY_3D && node->work.kind == CT_CUDA_COPY))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		error = ct_cuda_copy_work(&node->work, w);
		free(node->pointers);
		node->pointers = NULL;
	}
	return ct_cuda_leave(error);
}

/* Arguments are the node's own, and stay until it gets others. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
	cudaError_t error = enter_for(node, CT_CUDA_LAUNCH, p);
	if (error == cudaSuccess && !node->pointers)
		error = ct_cuda_argument_pointers(&node->work, &node->pointers);
	if (error == cudaSuccess) {
		const struct ct_cuda_shape *s = &node->work.shape;
		*p = (struct cudaKernelNodeParams){
			.func = (void *)(uintptr_t)node->work.kernel,
			.gridDim = s->grid,
			.blockDim = s->block,
			.sharedMemBytes = (unsigned)s->shared_bytes,
			.kernelParams = node->pointers};
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_kernel_work(p, &w);
	error = api_set(node, &w, error);
	free(w.arguments);
	return error;
}

/* Of a kernel's attributes, cooperation counts; the others are hints. */
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID attribute,
                                            const union cudaLaunchAttributeValue *value)
{
	cudaError_t error = enter_for(node, CT_CUDA_LAUNCH, value);
	if (error == cudaSuccess && attribute == cudaLaunchAttributeCooperative)
		node->work.shape.cooperative = value->cooperative != 0;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID attribute,
                                            union cudaLaunchAttributeValue *value)
{
	cudaError_t error = enter_for(node, CT_CUDA_LAUNCH, value);
	if (error == cudaSuccess) {
		memset(value, 0, sizeof *value);
		if (attribute == cudaLaunchAttributeCooperative)
			value->cooperative = node->work.shape.cooperative;
	}
	return ct_cuda_leave(error);
}

/* A copy of bytes is told as one of a box with one row. */
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess &&
	    (!p || !ct_cuda_is_node(node) ||
	     (node->work.kind != CT_CUDA_COPY && node->work.kind != CT_CUDA_COPY_3D)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && node->work.kind == CT_CUDA_COPY_3D)
		*p = node->work.box;
	else if (error == cudaSuccess) {
		const struct ct_cuda_work *w = &node->work;
		*p = (struct cudaMemcpy3DParms){
			.srcPtr = make_cudaPitchedPtr(
				(void *)(uintptr_t)w->from, w->height == 1 ? w->width : w->from_pitch,
				w->width, w->height),
			.dstPtr = make_cudaPitchedPtr(
				w->to, w->height == 1 ? w->width : w->to_pitch, w->width, w->height),
			.extent = make_cudaExtent(w->width, w->height, 1),
			.kind = w->copy};
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_box_work(p, &w);
	return api_set(node, &w, error);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
	struct ct_cuda_work w = ct_cuda_copy_1d(to, from, bytes, kind);
	return api_set(node, &w, cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
	cudaError_t error = enter_for(node, CT_CUDA_FILL, p);
	if (error == cudaSuccess)
		*p = (struct cudaMemsetParams){
			.dst = node->work.to,
			.pitch = node->work.to_pitch,
			.value = node->work.value,
			.elementSize = node->work.element,
			.width = node->work.width,
			.height = node->work.height};
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_fill_work(p, &w);
	return api_set(node, &w, error);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
	cudaError_t error = enter_for(node, CT_CUDA_HOST, p);
	if (error == cudaSuccess)
		*p = (struct cudaHostNodeParams){node->work.function, node->work.user};
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_host_work(p, &w);
	return api_set(node, &w, error);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
	cudaError_t error = enter_for(node, CT_CUDA_CHILD, graph);
	if (error == cudaSuccess)
		*graph = node->child;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *p)
{
	cudaError_t error = enter_for(node, CT_CUDA_FREE, p);
	if (error == cudaSuccess)
		*(void **)p = node->work.to;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
	cudaError_t error = enter_for(node, CT_CUDA_ALLOCATE, p);
	if (error == cudaSuccess) {
		const struct ct_cuda_allocation *a = ct_cuda_allocation_of(
			(uint64_t)(uintptr_t)node->work.to);
		*p = (struct cudaMemAllocNodeParams){
			.poolProps = {.allocType = cudaMemAllocationTypePinned,
		                      .location = {cudaMemLocationTypeDevice, 0}},
			.bytesize = a ? a->bytes : 0,
			.dptr = node->work.to};
	}
	return ct_cuda_leave(error);
}
