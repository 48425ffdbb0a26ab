/* graph.h - what the files of graphs share. Private. All is called under the lock. */
#ifndef CT_RUNTIME_GRAPH_H
#define CT_RUNTIME_GRAPH_H

#include "runtime/runtime.h"

/* One piece of work. The graph has a reference to it, and so has each step of an executable graph that was made of it. */
struct CUgraphNode_st {
	struct ct_cuda_work work;
	struct CUgraph_st *graph;       /* that it is in; NULL: it has been taken out */
	struct CUgraph_st *child;       /* of a node that is a graph: its own copy */
	struct CUgraphNode_st *origin;  /* of a node in a clone: what it was made of */
	struct CUgraphNode_st **before; /* those that it depends on */
	size_t nbefore, cap_before;
	void **pointers; /* to the arguments of a kernel, for a program that asked for them */
	unsigned refs;
	unsigned order; /* while a graph is sorted: its place + 1 */
};

struct CUgraph_st {
	struct CUgraph_st *next;
	struct CUgraphNode_st **node; /* as they were added */
	size_t n, cap;
	int owned; /* by a node: nobody else destroys it */
};

/* Work of an executable graph, which may be changed without the node's. */
struct ct_cuda_step {
	struct CUgraphNode_st *node;
	struct ct_cuda_work work;
	int disabled;
};

struct CUgraphExec_st {
	struct CUgraphExec_st *next;
	struct ct_cuda_step *step; /* as they are done */
	size_t n, cap;
	int frees; /* what the launch before has left allocated is freed by the next */
};

int ct_cuda_is_graph(cudaGraph_t graph);
/* 1: a node of a graph that is there. */
int ct_cuda_is_node(cudaGraphNode_t node);
cudaError_t ct_cuda_new_graph(cudaGraph_t *out);
void ct_cuda_free_graph(cudaGraph_t graph);
/* Copies a graph with its nodes, which know those that they were made of. cudaErrorNotSupported: it has nodes that allocate. */
cudaError_t ct_cuda_clone_graph(cudaGraph_t graph, cudaGraph_t *out);
/* Adds work behind n nodes of the graph; its arguments, which are the caller's, are copied. out may be NULL. */
cudaError_t ct_cuda_add_node(cudaGraph_t graph, const struct ct_cuda_work *w,
                             const cudaGraphNode_t *behind, size_t n, cudaGraphNode_t *out);
/* Lets `node` depend on another of its graph. */
cudaError_t ct_cuda_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *on);
/* Gives a reference back, and the node with the last of them. */
void ct_cuda_drop_node(struct CUgraphNode_st *node);
/* Makes *to, which is zeroed or holds work of its own, a copy of other work. */
cudaError_t ct_cuda_copy_work(struct ct_cuda_work *to, const struct ct_cuda_work *from);
/* Puts the graph's n nodes into an order in which each comes behind those that it depends on. A circle has none. */
cudaError_t ct_cuda_sort_nodes(struct CUgraph_st *graph, struct CUgraphNode_st **out);

/* The work that a call's parameters describe; cudaErrorInvalidValue where they are none. The caller frees the arguments of a kernel's.
 * Without the lock. */
cudaError_t ct_cuda_kernel_work(const struct cudaKernelNodeParams *p, struct ct_cuda_work *w);
cudaError_t ct_cuda_box_work(const struct cudaMemcpy3DParms *p, struct ct_cuda_work *w);
cudaError_t ct_cuda_fill_work(const struct cudaMemsetParams *p, struct ct_cuda_work *w);
cudaError_t ct_cuda_host_work(const struct cudaHostNodeParams *p, struct ct_cuda_work *w);
static inline struct ct_cuda_work
ct_cuda_copy_1d(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return (struct ct_cuda_work){
		.kind = CT_CUDA_COPY, .to = to, .from = from, .width = bytes, .height = 1, .copy = kind};
}

#endif
