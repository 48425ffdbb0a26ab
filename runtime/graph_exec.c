/* Executable graphs: the work of a graph in an order that keeps its dependencies. It is done one piece after the other, and may be
 * changed without the graph that it was made of. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/graph.h"

static struct CUgraphExec_st *execs;

static int is_exec(cudaGraphExec_t exec)
{
	const struct CUgraphExec_st *at = execs;
	while (at && at != exec)
		at = at->next;
	return at != NULL;
}

static void free_exec(struct CUgraphExec_st *x)
{
	for (size_t i = 0; i < x->n; i++) {
		free(x->step[i].work.arguments);
		ct_cuda_drop_node(x->step[i].node);
	}
	free(x->step);
	free(x);
}

static cudaError_t add_step(struct CUgraphExec_st *x, struct CUgraphNode_st *node)
{
	if (ct_grow((void **)&x->step, &x->cap, x->n + 1, sizeof *x->step) < 0)
		return cudaErrorMemoryAllocation;
	struct ct_cuda_step *step = &x->step[x->n];
	*step = (struct ct_cuda_step){.node = node};
	cudaError_t error = ct_cuda_copy_work(&step->work, &node->work);
	if (error == cudaSuccess) {
		node->refs++;
		x->n++;
	}
	return error;
}

/* Appends the work of a graph; a node that is a graph stands for that graph's. */
static cudaError_t add_steps(struct CUgraphExec_st *x, struct CUgraph_st *graph)
{
	struct CUgraphNode_st **sorted = ct_calloc(graph->n ? graph->n : 1, sizeof(void *));
	cudaError_t error = sorted ? ct_cuda_sort_nodes(graph, sorted) : cudaErrorMemoryAllocation;
	for (size_t i = 0; i < graph->n && error == cudaSuccess; i++)
		error = sorted[i]->child ? add_steps(x, sorted[i]->child) : add_step(x, sorted[i]);
	free(sorted);
	return error;
}

static cudaError_t make_exec(struct CUgraph_st *graph, struct CUgraphExec_st **out)
{
	struct CUgraphExec_st *x = ct_calloc(1, sizeof *x);
	cudaError_t error = x ? add_steps(x, graph) : cudaErrorMemoryAllocation;
	if (error == cudaSuccess)
		*out = x;
	else if (x)
		free_exec(x);
	return error;
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!exec || !ct_cuda_is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && flags & cudaGraphInstantiateFlagDeviceLaunch)
		error = ct_cuda_refuse("cudaGraphInstantiateWithFlags",
		                       "graphs that kernels launch are not emulated");
	if (error == cudaSuccess)
		error = make_exec(graph, exec);
	if (error == cudaSuccess) {
		(*exec)->frees = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
		(*exec)->next = execs;
		execs = *exec;
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
		free_exec(exec);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	(void)stream;
	cudaError_t error = ct_cuda_enter();
	return ct_cuda_leave(error == cudaSuccess && !is_exec(exec) ? cudaErrorInvalidValue : error);
}

/* Each piece of work takes the lock for itself: host functions may call the API. A graph on a stream that is captured becomes nodes of
 * the graph there. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t graph = NULL;
	if (error == cudaSuccess && !is_exec(exec))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		graph = ct_cuda_captured_into(stream);
	for (size_t i = 0; graph && i < exec->n && error == cudaSuccess; i++)
		if (exec->step[i].work.kind == CT_CUDA_ALLOCATE)
			error = cudaErrorNotSupported; /* one node owns the memory */
		else if (!exec->step[i].disabled)
			error = ct_cuda_capture(graph, &exec->step[i].work);
	for (size_t i = 0; error == cudaSuccess && !graph && exec->frees && i < exec->n; i++)
		if (exec->step[i].work.kind == CT_CUDA_ALLOCATE)
			ct_cuda_release(exec->step[i].work.to, cudaMemoryTypeDevice);
	error = ct_cuda_leave(error);
	if (graph)
		return error;
	for (size_t i = 0; error == cudaSuccess && i < exec->n; i++)
		if (!exec->step[i].disabled)
			error = ct_cuda_do(&exec->step[i].work);
	return error;
}

/* ---- changes ---- */

/* The step of a node, or NULL. */
static struct ct_cuda_step *step_of(cudaGraphExec_t exec, cudaGraphNode_t node)
{
	for (size_t i = 0; i < exec->n; i++)
		if (exec->step[i].node == node)
			return &exec->step[i];
	return NULL;
}

static int same_kind(enum ct_cuda_work_kind a, enum ct_cuda_work_kind b)
{
	const int copies = (a == CT_CUDA_COPY || a == CT_CUDA_COPY_3D) &&
	                   (b == CT_CUDA_COPY || b == CT_CUDA_COPY_3D);
	return a == b || copies;
}

/* Gives a step other work of its kind. */
static cudaError_t api_change(cudaGraphExec_t exec, cudaGraphNode_t node, const struct ct_cuda_work *w,
                              cudaError_t described)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_cuda_step *step = NULL;
	if (error == cudaSuccess)
		error = described;
	if (error == cudaSuccess && is_exec(exec))
		step = step_of(exec, node);
	if (error == cudaSuccess && (!step || !same_kind(step->work.kind, w->kind)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = ct_cuda_copy_work(&step->work, w);
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_kernel_work(p, &w);
	error = api_change(exec, node, &w, error);
	free(w.arguments);
	return error;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_box_work(p, &w);
	return api_change(exec, node, &w, error);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	struct ct_cuda_work w = ct_cuda_copy_1d(to, from, bytes, kind);
	return api_change(exec, node, &w, cudaSuccess);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_fill_work(p, &w);
	return api_change(exec, node, &w, error);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p)
{
	struct ct_cuda_work w;
	cudaError_t error = ct_cuda_host_work(p, &w);
	return api_change(exec, node, &w, error);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_cuda_step *step = error == cudaSuccess && is_exec(exec) ? step_of(exec, node) : NULL;
	if (error == cudaSuccess && !step)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		step->disabled = !enabled;
	return ct_cuda_leave(error);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
	cudaError_t error = ct_cuda_enter();
	const struct ct_cuda_step *step = error == cudaSuccess && is_exec(exec) ? step_of(exec, node)
	                                                                        : NULL;
	if (error == cudaSuccess && (!step || !enabled))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*enabled = !step->disabled;
	return ct_cuda_leave(error);
}

/* Whether the steps of one executable graph can take the work of another's: those of a kind, behind as many others. */
static enum cudaGraphExecUpdateResult
compare(const struct CUgraphExec_st *x, const struct CUgraphExec_st *with, cudaGraphNode_t *which)
{
	if (x->n != with->n)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; i < x->n; i++) {
		*which = with->step[i].node;
		if (!same_kind(x->step[i].work.kind, with->step[i].work.kind))
			return cudaGraphExecUpdateErrorNodeTypeChanged;
		if (x->step[i].node->nbefore != with->step[i].node->nbefore)
			return cudaGraphExecUpdateErrorTopologyChanged;
		if (x->step[i].work.kind == CT_CUDA_ALLOCATE || x->step[i].work.kind == CT_CUDA_FREE)
			return cudaGraphExecUpdateErrorNotSupported;
	}
	*which = NULL;
	return cudaGraphExecUpdateSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                enum cudaGraphExecUpdateResult *result)
{
	struct CUgraphExec_st *with = NULL;
	cudaGraphNode_t which = NULL;
	enum cudaGraphExecUpdateResult found = cudaGraphExecUpdateError;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!is_exec(exec) || !ct_cuda_is_graph(graph)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = make_exec(graph, &with);
	if (error == cudaSuccess) {
		found = compare(exec, with, &which);
		error = found == cudaGraphExecUpdateSuccess ? cudaSuccess
		                                            : cudaErrorGraphExecUpdateFailure;
	}
	for (size_t i = 0; error == cudaSuccess && i < exec->n; i++)
		error = ct_cuda_copy_work(&exec->step[i].work, &with->step[i].work);
	if (with)
		free_exec(with);
	if (error_node)
		*error_node = which;
	if (result)
		*result = found;
	return ct_cuda_leave(error);
}
