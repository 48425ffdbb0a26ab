/* The table of workloads and what they share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "tracegen/workload.h"

const struct workload wl_all[] = {
	{"vecadd", wl_vecadd, "-", "sum of two float vectors: streaming, no reuse"},
	{"gemm", wl_gemm, "malekeh",
     "DeepBench gemm (CUDA cores): matrix product, 16x16 tiles in shared memory"},
	{"workingset", wl_workingset, "-",
     "repeated reads of a working set: footprint, sharing, stride, intensity, passes"},
	{"spmv", wl_spmv, "morpheus,tag-split",
     "Parboil spmv: sparse matrix-vector product, jagged diagonals"},
	{"spmv-csr", wl_spmv_csr, "shared-l1", "SHOC SpMV: compressed rows, by thread and by warp"},
	{"bfs", wl_bfs, "morpheus,shared-l1,tag-split,malekeh",
     "Rodinia bfs: level by level over all nodes, degree-6 graph"},
	{"bfs-queue", wl_bfs_queue, "morpheus", "Parboil bfs: frontier queues, degree-6 graph"},
	{"kmeans", wl_kmeans, "morpheus,shared-l1,tag-split,malekeh",
     "Rodinia kmeans: nearest of 5 centres, 34 features, 3 rounds"},
	{"stencil", wl_stencil, "morpheus,tag-split",
     "Parboil stencil: 7-point Jacobi in 3-D, 4 steps"},
	{"histo", wl_histo, "morpheus,tag-split", "Parboil histo: saturating 2-D histogram"},
	{"pagerank", wl_pagerank, "morpheus", "Pannotia pagerank: pushes by atomics, R-MAT graph"},
	{"hotspot", wl_hotspot, "morpheus,malekeh",
     "Rodinia hotspot: thermal stencil, two steps per launch"},
	{"nw", wl_nw, "morpheus", "Rodinia nw: sequence alignment along anti-diagonals"},
	{"backprop", wl_backprop, "morpheus,malekeh",
     "Rodinia backprop: a training step of a perceptron"},
	{"pathfinder", wl_pathfinder, "malekeh", "Rodinia pathfinder: dynamic programming over rows"},
	{"srad_v1", wl_srad1, "tag-split,malekeh",
     "Rodinia srad_v1: speckle-reducing diffusion, index arrays"},
	{"srad_v2", wl_srad2, "tag-split", "Rodinia srad_v2: the same on tiles in shared memory"},
	{"lud", wl_lud, "malekeh", "Rodinia lud: LU decomposition by 16x16 blocks"},
	{"gaussian", wl_gaussian, "tag-split,malekeh",
     "Rodinia gaussian: elimination, two launches per column"},
	{"transpose", wl_transpose, "shared-l1",
     "CUDA SDK transpose: without and with a tile in shared memory"},
	{"scan", wl_scan, "-", "prefix sums by blocks in shared memory, three levels"},
	{"reduction", wl_reduction, "-", "SHOC reduction: sum of a vector"},
	{"streamcluster", wl_streamcluster, "tag-split",
     "Rodinia streamcluster: gain of a candidate centre"},
	{"mri-q", wl_mri_q, "morpheus",
     "Parboil mri-q: Q matrix, sines and cosines, k-space in constant memory"},
	{"mri-gridding", wl_mri_gridding, "morpheus,tag-split",
     "Parboil mri-gridding: binning, sorting, gathering"},
	{"sgemm", wl_sgemm, "morpheus", "Parboil sgemm: a thread per element, no shared memory"},
	{"covariance", wl_covariance, "shared-l1", "PolyBench covariance: few CTAs, sums in memory"},
	{"lbm", wl_lbm, "morpheus", "Parboil lbm: D3Q19 lattice-Boltzmann flow, obstacles"},
	{"cfd", wl_cfd, "morpheus,tag-split", "Rodinia cfd: Euler equations on an unstructured mesh"},
	{"nn", wl_nn, "malekeh", "Rodinia nn: distances of all records to a place"},
	{"lavamd", wl_lavamd, "malekeh", "Rodinia lavaMD: particle forces between neighbouring boxes"},
	{"blackscholes", wl_blackscholes, "shared-l1",
     "CUDA SDK BlackScholes (BLK): option prices, streaming"},
	{"libor", wl_libor, "morpheus",
     "ISPASS LIB: LIBOR market model by Monte Carlo, rates in local memory"},
	{"dwt2d", wl_dwt2d, "morpheus,tag-split,malekeh",
     "Rodinia dwt2d: 5/3 wavelet transform of an RGB image"},
	{"particlefilter_float", wl_particlefilter, "tag-split,malekeh",
     "Rodinia particlefilter: the filter step in five kernels"},
	{"particlefilter_naive", wl_particlefilter_naive, "tag-split,malekeh",
     "Rodinia particlefilter naive: resampling by linear search"},
	{"b+tree", wl_btree, "tag-split,malekeh",
     "Rodinia b+tree: point and range queries, a CTA per query"},
	{"gemm-tensor", wl_gemm_tensor, "malekeh",
     "DeepBench gemm: tensor-core fragments, asynchronous copies"},
	{"rnn", wl_rnn, "malekeh", "DeepBench rnn: LSTM cell over a sequence"},
	{"conv", wl_conv, "malekeh", "DeepBench conv: 3x3 convolution as an implicit matrix product"},
	{"alexnet", wl_alexnet, "shared-l1",
     "Tango AlexNet: first two convolutions and pooling, scaled"},
	{"resnet", wl_resnet, "shared-l1", "Tango ResNet: basic blocks with shortcut, scaled"},
	{"squeezenet", wl_squeezenet, "shared-l1", "Tango SqueezeNet: fire module and pooling, scaled"},
	{"neuralnet", wl_neuralnet, "shared-l1", "ISPASS NN (C-NN): four-layer digit recognition"},
	{"ray", wl_ray, "shared-l1", "ISPASS RAY (C-RAY): spheres, shadows, mirrors"},
	{"mummergpu", wl_mummer, "tag-split", "Rodinia mummergpu: reads matched on a suffix tree"},
};
const size_t wl_count = sizeof wl_all / sizeof wl_all[0];

const struct workload *wl_find(const char *name)
{
	for (size_t i = 0; i < wl_count; i++)
		if (strcmp(wl_all[i].name, name) == 0)
			return &wl_all[i];
	return NULL;
}

uint32_t wl_below(struct wl *w, uint32_t n)
{
	/* Multiply-shift: the bias of 2^-32 is far below what any workload could show. */
	return (uint32_t)((ct_rand64(&w->rng) >> 32) * n >> 32);
}

float wl_unit(struct wl *w)
{
	return (float)(ct_rand64(&w->rng) >> 40) / 16777216.0f;
}

float wl_between(struct wl *w, float lo, float hi)
{
	return lo + (hi - lo) * wl_unit(w);
}

void *wl_host(struct wl *w, size_t n, size_t size)
{
	if (w->g.status != CT_OK)
		return NULL;
	void *p = ct_calloc(n, size);
	if (!p || ct_grow((void **)&w->host, &w->cap_host, w->n_host + 1, sizeof *w->host) < 0) {
		free(p);
		simt_fail(&w->g, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	w->host[w->n_host++] = p;
	return p;
}

void wl_release(struct wl *w)
{
	for (size_t i = 0; i < w->n_host; i++)
		free(w->host[i]);
	free(w->host);
	simt_release(&w->g);
}

void wl_check_floats(struct wl *w, const char *what, const float *got, const float *want,
                     size_t n, float relative)
{
	for (size_t i = 0; i < n && w->g.status == CT_OK; i++) {
		float scale = fmaxf(1.0f, fmaxf(fabsf(got[i]), fabsf(want[i])));
		if (!(fabsf(got[i] - want[i]) <= relative * scale))
			simt_fail(&w->g, CT_ERR_LIMIT, "%s[%zu] is %g, the reference has %g: please report this",
			          what, i, (double)got[i], (double)want[i]);
	}
}

void wl_check_words(struct wl *w, const char *what, const uint32_t *got, const uint32_t *want,
                    size_t n)
{
	for (size_t i = 0; i < n && w->g.status == CT_OK; i++)
		if (got[i] != want[i])
			simt_fail(&w->g, CT_ERR_LIMIT, "%s[%zu] is %u, the reference has %u: please report this",
			          what, i, got[i], want[i]);
}
