/* workload.h - the programs that tracegen traces. */
#ifndef CT_TRACEGEN_WORKLOAD_H
#define CT_TRACEGEN_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "data/workloads/app.h"

/* A program in CUDA, or, where `app` is NULL, the generator of workingset.h. */
struct workload {
	const char *name;
	void (*app)(
		struct app *a); /* makes data, launches, and checks the result: data/workloads/NAME.cu */
	const char *papers;     /* "paper:table" of each that evaluates it, or "-" */
	uint32_t kinsts[3];     /* thousands of warp instructions by size, seed 1 */
	const char *what;
};

extern const struct workload wl_all[];
extern const size_t wl_count;
const struct workload *wl_find(const char *name); /* NULL: unknown */

/* Of data/workloads/NAME.cu. */
void app_mummergpu(struct app *a);
void app_rnn(struct app *a);
void app_gemm_tensor(struct app *a);
void app_particlefilter_naive(struct app *a);
void app_particlefilter_float(struct app *a);
void app_dwt2d(struct app *a);
void app_ray(struct app *a);
void app_neuralnet(struct app *a);
void app_conv(struct app *a);
void app_squeezenet(struct app *a);
void app_resnet(struct app *a);
void app_alexnet(struct app *a);
void app_mri_gridding(struct app *a);
void app_mri_q(struct app *a);
void app_lbm(struct app *a);
void app_lavamd(struct app *a);
void app_libor(struct app *a);
void app_blackscholes(struct app *a);
void app_cfd(struct app *a);
void app_covariance(struct app *a);
void app_nn(struct app *a);
void app_pagerank(struct app *a);
void app_streamcluster(struct app *a);
void app_b_tree(struct app *a);
void app_histo(struct app *a);
void app_reduction(struct app *a);
void app_scan(struct app *a);
void app_transpose(struct app *a);
void app_gaussian(struct app *a);
void app_lud(struct app *a);
void app_srad_v2(struct app *a);
void app_srad_v1(struct app *a);
void app_nw(struct app *a);
void app_spmv_csr(struct app *a);
void app_spmv(struct app *a);
void app_stencil(struct app *a);
void app_pathfinder(struct app *a);
void app_backprop(struct app *a);
void app_kmeans(struct app *a);
void app_hotspot(struct app *a);
void app_bfs_queue(struct app *a);
void app_bfs(struct app *a);
void app_sgemm(struct app *a);
void app_gemm(struct app *a);
void app_vecadd(struct app *a);

#endif
