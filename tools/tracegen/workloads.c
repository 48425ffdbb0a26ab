/* The table of workloads and what they share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "tracegen/workload.h"

/* Tables and figures that name the programs: Morpheus Table 2, TSC Table 1, Malekeh Table II; the
 * shared-L1 paper has them on the axes of Fig. 1 and (Tango) Fig. 16 only. Counts are measured
 * with the default seed (tests/golden/tracegen.sh). */
/* clang-format off */
#define SIMT(run) run, NULL
#define CUDA(app) NULL, app
const struct workload wl_all[] = {
	{"vecadd", CUDA(app_vecadd), "-",
	 {25, 500, 4000}, "sum of two float vectors: streaming, no reuse"},
	{"gemm", CUDA(app_gemm), "malekeh:T2",
	 {199, 1661, 4983}, "DeepBench gemm (CUDA cores): matrix product, 16x16 tiles in shared memory"},
	{"workingset", SIMT(wl_workingset), "-",
	 {254, 4459, 11138}, "repeated reads of a working set: footprint, sharing, stride, intensity, passes"},
	{"spmv", CUDA(app_spmv), "morpheus:T2,tag-split:T1",
	 {36, 610, 2766}, "Parboil spmv: sparse matrix-vector product, jagged diagonals"},
	{"spmv-csr", CUDA(app_spmv_csr), "shared-l1:F1",
	 {87, 898, 3297}, "SHOC SpMV: compressed rows, by thread and by warp"},
	{"bfs", CUDA(app_bfs), "morpheus:T2,shared-l1:F1,tag-split:T1,malekeh:T2",
	 {566, 2380, 9627}, "Rodinia bfs: level by level over all nodes, degree-6 graph"},
	{"bfs-queue", CUDA(app_bfs_queue), "morpheus:T2",
	 {152, 602, 2397}, "Parboil bfs: frontier queues, degree-6 graph"},
	{"kmeans", CUDA(app_kmeans), "morpheus:T2,shared-l1:F1,tag-split:T1,malekeh:T2",
	 {570, 1505, 4503}, "Rodinia kmeans: nearest of 5 centres, 34 features, 3 rounds"},
	{"stencil", CUDA(app_stencil), "morpheus:T2,tag-split:T1",
	 {631, 1899, 6178}, "Parboil stencil: 7-point Jacobi in 3-D, 4 steps"},
	{"histo", CUDA(app_histo), "morpheus:T2,tag-split:T1",
	 {788, 2065, 5504}, "Parboil histo: saturating 2-D histogram"},
	{"pagerank", CUDA(app_pagerank), "morpheus:T2",
	 {184, 736, 2552}, "Pannotia pagerank: pushes by atomics, R-MAT graph"},
	{"hotspot", CUDA(app_hotspot), "morpheus:T2,malekeh:T2",
	 {125, 998, 3836}, "Rodinia hotspot: thermal stencil, two steps per launch"},
	{"nw", CUDA(app_nw), "morpheus:T2",
	 {222, 1390, 5562}, "Rodinia nw: sequence alignment along anti-diagonals"},
	{"backprop", CUDA(app_backprop), "morpheus:T2,malekeh:T2",
	 {414, 1655, 6619}, "Rodinia backprop: a training step of a perceptron"},
	{"pathfinder", CUDA(app_pathfinder), "malekeh:T2",
	 {184, 1069, 3555}, "Rodinia pathfinder: dynamic programming over rows"},
	{"srad_v1", CUDA(app_srad_v1), "tag-split:T1,malekeh:T2",
	 {145, 1513, 7667}, "Rodinia srad_v1: speckle-reducing diffusion, index arrays"},
	{"srad_v2", CUDA(app_srad_v2), "tag-split:T1",
	 {254, 1524, 8126}, "Rodinia srad_v2: the same on tiles in shared memory"},
	{"lud", CUDA(app_lud), "malekeh:T2",
	 {156, 992, 3905}, "Rodinia lud: LU decomposition by 16x16 blocks"},
	{"gaussian", CUDA(app_gaussian), "tag-split:T1,malekeh:T2",
	 {194, 1475, 6228}, "Rodinia gaussian: elimination, two launches per column"},
	{"transpose", CUDA(app_transpose), "shared-l1:F1",
	 {90, 1081, 3604}, "CUDA SDK transpose: without and with a tile in shared memory"},
	{"scan", CUDA(app_scan), "-",
	 {169, 1347, 5386}, "prefix sums by blocks in shared memory, three levels"},
	{"reduction", CUDA(app_reduction), "-",
	 {171, 1129, 5344}, "SHOC reduction: sum of a vector"},
	{"streamcluster", CUDA(app_streamcluster), "tag-split:T1",
	 {65, 665, 2660}, "Rodinia streamcluster: gain of a candidate centre"},
	{"mri-q", CUDA(app_mri_q), "morpheus:T2",
	 {297, 1183, 4725}, "Parboil mri-q: Q matrix, sines and cosines, k-space in constant memory"},
	{"mri-gridding", CUDA(app_mri_gridding), "morpheus:T2,tag-split:T1",
	 {853, 2291, 5446}, "Parboil mri-gridding: binning, sorting, gathering"},
	{"sgemm", CUDA(app_sgemm), "morpheus:T2",
	 {368, 1595, 4665}, "Parboil sgemm: a thread per element, no shared memory"},
	{"covariance", CUDA(app_covariance), "shared-l1:F1",
	 {92, 541, 2537}, "PolyBench covariance: few CTAs, sums in memory"},
	{"lbm", CUDA(app_lbm), "morpheus:T2",
	 {137, 911, 5469}, "Parboil lbm: D3Q19 lattice-Boltzmann flow, obstacles"},
	{"cfd", CUDA(app_cfd), "morpheus:T2,tag-split:T1",
	 {584, 2335, 11397}, "Rodinia cfd: Euler equations on an unstructured mesh"},
	{"nn", CUDA(app_nn), "malekeh:T2",
	 {39, 775, 4651}, "Rodinia nn: distances of all records to a place"},
	{"lavamd", CUDA(app_lavamd), "malekeh:T2",
	 {804, 4304, 12546}, "Rodinia lavaMD: particle forces between neighbouring boxes"},
	{"blackscholes", CUDA(app_blackscholes), "shared-l1:F1",
	 {408, 2823, 10386}, "CUDA SDK BlackScholes (BLK): option prices, streaming"},
	{"libor", CUDA(app_libor), "morpheus:T2",
	 {526, 2104, 8415}, "ISPASS LIB: LIBOR market model by Monte Carlo, rates in local memory"},
	{"dwt2d", CUDA(app_dwt2d), "morpheus:T2,tag-split:T1,malekeh:T2",
	 {325, 1359, 4077}, "Rodinia dwt2d: 5/3 wavelet transform of an RGB image"},
	{"particlefilter_float", CUDA(app_particlefilter_float), "tag-split:T1,malekeh:T2",
	 {119, 619, 2755}, "Rodinia particlefilter: the filter step in five kernels"},
	{"particlefilter_naive", CUDA(app_particlefilter_naive), "tag-split:T1,malekeh:T2",
	 {290, 1301, 4578}, "Rodinia particlefilter naive: resampling by linear search"},
	{"b+tree", CUDA(app_b_tree), "tag-split:T1,malekeh:T2",
	 {432, 1727, 5756}, "Rodinia b+tree: point and range queries, a CTA per query"},
	{"gemm-tensor", CUDA(app_gemm_tensor), "malekeh:T2",
	 {57, 1251, 7072}, "DeepBench gemm: tensor-core fragments, asynchronous copies"},
	{"rnn", CUDA(app_rnn), "malekeh:T2",
	 {231, 1126, 2216}, "DeepBench rnn: LSTM cell over a sequence"},
	{"conv", CUDA(app_conv), "malekeh:T2",
	 {182, 1071, 2543}, "DeepBench conv: 3x3 convolution as an implicit matrix product"},
	{"alexnet", CUDA(app_alexnet), "shared-l1:F16",
	 {798, 3137, 9616}, "Tango AlexNet: first two convolutions and pooling, scaled"},
	{"resnet", CUDA(app_resnet), "shared-l1:F16",
	 {631, 2256, 10069}, "Tango ResNet: basic blocks with shortcut, scaled"},
	{"squeezenet", CUDA(app_squeezenet), "shared-l1:F16",
	 {898, 2613, 9007}, "Tango SqueezeNet: fire module and pooling, scaled"},
	{"neuralnet", CUDA(app_neuralnet), "shared-l1:F1",
	 {441, 1322, 4405}, "ISPASS NN (C-NN): four-layer digit recognition"},
	{"ray", CUDA(app_ray), "shared-l1:F1",
	 {137, 1492, 6948}, "ISPASS RAY (C-RAY): spheres, shadows, mirrors"},
	{"mummergpu", CUDA(app_mummergpu), "tag-split:T1",
	 {247, 1902, 7239}, "Rodinia mummergpu: reads matched on a suffix tree"},
};
#undef SIMT
#undef CUDA
/* clang-format on */
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

void wl_check_floats(struct wl *w, const char *what, const float *got, const float *want, size_t n,
                     float relative)
{
	for (size_t i = 0; i < n && w->g.status == CT_OK; i++) {
		float scale = fmaxf(1.0f, fmaxf(fabsf(got[i]), fabsf(want[i])));
		if (!(fabsf(got[i] - want[i]) <= relative * scale))
			simt_fail(&w->g, CT_ERR_LIMIT,
			          "%s[%zu] is %g, the reference has %g: please report this", what, i,
			          (double)got[i], (double)want[i]);
	}
}

void wl_check_words(struct wl *w, const char *what, const uint32_t *got, const uint32_t *want, size_t n)
{
	for (size_t i = 0; i < n && w->g.status == CT_OK; i++)
		if (got[i] != want[i])
			simt_fail(&w->g, CT_ERR_LIMIT,
			          "%s[%zu] is %u, the reference has %u: please report this", what, i,
			          got[i], want[i]);
}
