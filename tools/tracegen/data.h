/* data.h - generated inputs shared by the workloads. All memory belongs to the run. */
#ifndef CT_TRACEGEN_DATA_H
#define CT_TRACEGEN_DATA_H

#include "tracegen/workload.h"

/* Compressed sparse rows: a graph's adjacency or a matrix pattern. */
struct wl_csr {
	uint32_t n, m; /* rows, entries */
	uint32_t *row; /* n + 1 offsets */
	uint32_t *col; /* m columns, ascending within a row */
	float *value;  /* m values in [0.1, 1); NULL for graphs */
};

/* R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004) with the quadrants' probabilities
 * 0.45 0.15 0.15 0.25 (Graph500's are more skewed than the collaboration graphs that Pannotia
 * uses): 2^scale nodes and `edges` directed edges, both directions of half as
 * many drawn ones; repeated edges and loops stay, as in the benchmark's generator. */
void wl_rmat(struct wl *w, unsigned scale, uint32_t edges, struct wl_csr *g);

/* A graph like Rodinia's graphNNN_6 inputs: degrees 2 to 10, mean 6; half of the
 * edges lead to nodes at most n/64 away, the others anywhere. */
void wl_degree6(struct wl *w, uint32_t n, struct wl_csr *g);

/* A square matrix whose row lengths follow a power law (exponent about 2) between 1 and
 * 4 times the given mean, columns uniform. */
void wl_power_rows(struct wl *w, uint32_t n, uint32_t mean, struct wl_csr *a);
/* The same with row lengths uniform between mean/2 and 3*mean/2. */
void wl_even_rows(struct wl *w, uint32_t n, uint32_t mean, struct wl_csr *a);

/* A greyscale image of smooth blobs with noise, values in [0, 1). */
void wl_image(struct wl *w, float *p, uint32_t width, uint32_t height);

/* Device buffer with a copy of n bytes (recorded as a host-to-device copy), or with n
 * floats in [lo, hi). NULL when the run has failed. */
struct simt_buffer *wl_upload(struct wl *w, const void *p, size_t n);
struct simt_buffer *wl_upload_random(struct wl *w, size_t n, float lo, float hi);

#endif
