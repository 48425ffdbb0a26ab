/* workload.h - the programs that tracegen traces. */
#ifndef CT_TRACEGEN_WORKLOAD_H
#define CT_TRACEGEN_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "data/workloads/app.h"
#include "tracegen/simt.h"

/* In the order of enum app_size. */
enum wl_size { WL_SMALL, WL_MEDIUM, WL_LARGE, WL_PAPER, WL_SIZES };

/* Parameters of `workingset` (man page, WORKINGSET); 0 = not given. */
struct workingset_options {
	uint64_t footprint; /* bytes that one pass reads */
	uint64_t sharing;   /* CTAs that read the same slice */
	uint64_t stride;    /* bytes between neighbouring elements */
	uint64_t intensity; /* FFMA per element */
	uint64_t passes;    /* launches */
	uint64_t ctas;      /* CTAs of a launch */
	int given;          /* any of them was on the command line */
};

struct wl {
	struct simt_run g;
	uint64_t rng; /* state of ct_rand64() */
	enum wl_size size;
	struct workingset_options workingset;
	void **host; /* from wl_host() */
	size_t n_host, cap_host;
};

/* One of `run` and `app` is NULL. Both make data, launch, and check the result. */
struct workload {
	const char *name;
	void (*run)(struct wl *w);  /* of kernels that simt.h makes; reports through w->g */
	void (*app)(struct app *a); /* of kernels in CUDA: data/workloads/NAME.cu */
	const char *papers;         /* "paper:table" of each that evaluates it, or "-" */
	uint32_t kinsts[3];         /* thousands of warp instructions by size, seed 1 */
	const char *what;
};

extern const struct workload wl_all[];
extern const size_t wl_count;
const struct workload *wl_find(const char *name); /* NULL: unknown */

/* Chooses by size. */
static inline uint32_t wl_pick(const struct wl *w, uint32_t small, uint32_t medium, uint32_t large)
{
	return w->size == WL_SMALL ? small : w->size == WL_MEDIUM ? medium : large;
}

/* Uniform random numbers: below n (n > 0); in [0, 1); in [lo, hi). */
uint32_t wl_below(struct wl *w, uint32_t n);
float wl_unit(struct wl *w);
float wl_between(struct wl *w, float lo, float hi);

/* Zeroed memory for the host side, freed with the run; NULL (run failed) when out of
 * memory or when the run has failed already. */
void *wl_host(struct wl *w, size_t n, size_t size);
/* Frees everything of a run. */
void wl_release(struct wl *w);

/* Contents of a device buffer, and its size in elements of 4 bytes. */
static inline float *wl_floats(const struct simt_buffer *b)
{
	return (float *)b->p;
}
static inline uint32_t *wl_words(const struct simt_buffer *b)
{
	return (uint32_t *)b->p;
}

/* Fails the run where got[i] differs from want[i]: by more than `relative` of the larger
 * magnitude (or of 1), or at all. */
void wl_check_floats(struct wl *w, const char *what, const float *got, const float *want, size_t n,
                     float relative);
void wl_check_words(struct wl *w, const char *what, const uint32_t *got, const uint32_t *want, size_t n);

/* Launch with the arguments listed. */
#define WL_LAUNCH(w, k, grid, block, shmem, ...) \
	do { \
		const uint64_t wl_args[] = {__VA_ARGS__}; \
		simt_launch(&(w)->g, k, grid, block, shmem, wl_args, \
		            sizeof wl_args / sizeof wl_args[0]); \
	} while (0)

static inline uint32_t wl_ceil(uint64_t n, uint32_t d)
{
	return (uint32_t)((n + d - 1) / d);
}

void wl_workingset(struct wl *w);

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
