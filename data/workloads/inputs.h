/* inputs.h - generated inputs that workloads share. All memory belongs to the run. */
#ifndef CT_WORKLOADS_INPUTS_H
#define CT_WORKLOADS_INPUTS_H

#include <stdlib.h>
#include <string.h>

#include "app.h"

/* Compressed sparse rows: a graph's adjacency or a matrix. */
struct input_csr {
	uint32_t n, m; /* rows, entries */
	uint32_t cols; /* of a matrix: at least as many as rows */
	uint32_t *row; /* n + 1 offsets */
	uint32_t *col; /* m columns, ascending within a row */
	float *value;  /* m values in [0.1, 1); NULL for graphs */
};

static inline int input_ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static inline void input_sort_rows(struct input_csr *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		qsort(g->col + g->row[i], g->row[i + 1] - g->row[i], sizeof *g->col, input_ascending);
}

static inline void input_begin_rows(struct app *a, uint32_t n, struct input_csr *g)
{
	memset(g, 0, sizeof *g);
	g->n = n;
	g->row = (uint32_t *)app_host(a, (size_t)n + 1, sizeof *g->row);
}

/* Rows of given lengths (in g->row[i + 1]) become offsets; columns are to be filled. */
static inline void input_finish_rows(struct app *a, struct input_csr *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		g->row[i + 1] += g->row[i];
	g->m = g->row[g->n];
	g->col = (uint32_t *)app_host(a, (size_t)g->m + 1, sizeof *g->col);
}

/* R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004) with the quadrants' probabilities
 * 0.45 0.15 0.15 0.25 (Graph500's are more skewed than the collaboration graphs that Pannotia
 * uses): 2^scale nodes and `edges` directed edges, both directions of half as many drawn ones; repeated
 * edges and loops stay, as in the benchmark's generator. */
static inline void input_rmat(struct app *a, unsigned scale, uint32_t edges, struct input_csr *g)
{
	uint32_t half = edges / 2;
	uint32_t *pair = (uint32_t *)app_host(a, 2 * (size_t)half + 1, sizeof *pair);
	uint32_t *fill = (uint32_t *)app_host(a, (size_t)1 << scale, sizeof *fill);
	input_begin_rows(a, 1u << scale, g);
	for (uint32_t e = 0; e < half; e++)
		for (unsigned b = 0; b < scale; b++) {
			uint32_t r = app_below(a, 100);
			pair[2 * e] = pair[2 * e] << 1 | (r >= 60);
			pair[2 * e + 1] = pair[2 * e + 1] << 1 | ((r >= 45 && r < 60) || r >= 75);
		}
	for (uint32_t e = 0; e < 2 * half; e++)
		g->row[pair[e] + 1]++;
	input_finish_rows(a, g);
	memcpy(fill, g->row, g->n * sizeof *fill);
	for (uint32_t e = 0; e < 2 * half; e++)
		g->col[fill[pair[e]]++] = pair[e ^ 1];
	input_sort_rows(g);
}

/* A graph with degrees 2 to 10, mean 6. In the papers' size all edges lead anywhere, as they do in the files that Rodinia's
 * and GPGPU-Sim's bfs read; below, half of them lead to nodes at most n/64 away. */
static inline void input_degree6(struct app *a, uint32_t n, struct input_csr *g)
{
	uint32_t reach = n / 64 ? n / 64 : 1;
	input_begin_rows(a, n, g);
	for (uint32_t i = 0; i < n; i++)
		g->row[i + 1] = 2 + app_below(a, 9);
	input_finish_rows(a, g);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = g->row[i]; e < g->row[i + 1]; e++)
			g->col[e] = e & 1 || a->size == APP_PAPER
			                    ? app_below(a, n)
			                    : (i + n - reach + app_below(a, 2 * reach + 1)) % n;
	input_sort_rows(g);
}

/* Levels of a breadth-first search by the textbook queue; `far`: of nodes that are not reached. */
static inline uint32_t *
input_levels(struct app *a, const struct input_csr *g, uint32_t source, uint32_t far)
{
	uint32_t *level = (uint32_t *)app_host(a, g->n, sizeof *level);
	uint32_t *queue = (uint32_t *)app_host(a, g->n, sizeof *queue), head = 0, tail = 0;
	for (uint32_t i = 0; i < g->n; i++)
		level[i] = far;
	level[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		uint32_t u = queue[head++];
		for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++)
			if (level[g->col[e]] == far) {
				level[g->col[e]] = level[u] + 1;
				queue[tail++] = g->col[e];
			}
	}
	return level;
}

/* Columns of a matrix: within `reach` of the diagonal, at its edges cut; anywhere with reach >= cols. */
static inline void input_fill_matrix(struct app *a, struct input_csr *m, uint32_t reach)
{
	input_finish_rows(a, m);
	m->value = (float *)app_host(a, (size_t)m->m + 1, sizeof *m->value);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t from = i > reach ? i - reach : 0;
		uint32_t to = m->cols - i > reach ? i + reach : m->cols;
		for (uint32_t e = m->row[i]; e < m->row[i + 1]; e++) {
			m->col[e] = from + app_below(a, to - from);
			m->value[e] = app_between(a, 0.1f, 1.0f);
		}
	}
	input_sort_rows(m);
}

/* A square matrix whose row lengths follow a power law (exponent about 2) between 1 and 4 times the given
 * mean: P(length > x) ~ 1/x, cut, since a row is a serial chain of loads to its thread. The cut keeps the
 * mean at about base * (1 + ln(longest / base)): 27/100 of the mean as base gives it within a few percent. */
static inline void
input_power_rows(struct app *a, uint32_t n, uint32_t cols, uint32_t mean, uint32_t reach, struct input_csr *m)
{
	uint32_t longest = 4 * mean < n ? 4 * mean : n;
	input_begin_rows(a, n, m);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = 1 + app_below(a, 1u << 20);
		uint64_t length = ((uint64_t)mean << 20) * 27 / 100 / u;
		m->row[i + 1] = length < 1 ? 1 : length > longest ? longest : (uint32_t)length;
	}
	m->cols = cols;
	input_fill_matrix(a, m, reach);
}

/* The same with row lengths uniform between mean/2 and 3*mean/2. */
static inline void
input_even_rows(struct app *a, uint32_t n, uint32_t cols, uint32_t mean, uint32_t reach, struct input_csr *m)
{
	input_begin_rows(a, n, m);
	for (uint32_t i = 0; i < n; i++)
		m->row[i + 1] = mean / 2 + app_below(a, mean + 1);
	m->cols = cols;
	input_fill_matrix(a, m, reach);
}

/* The product of a matrix and a vector, in double. */
static inline float *input_product(struct app *a, const struct input_csr *m, const float *x)
{
	float *y = (float *)app_host(a, m->n, sizeof *y);
	for (uint32_t i = 0; i < m->n; i++) {
		double sum = 0;
		for (uint32_t e = m->row[i]; e < m->row[i + 1]; e++)
			sum += (double)m->value[e] * (double)x[m->col[e]];
		y[i] = (float)sum;
	}
	return y;
}

/* A greyscale image of smooth blobs with noise, values in [0, 1). */
static inline void input_image(struct app *a, float *p, uint32_t width, uint32_t height)
{
	enum { BLOBS = 12 };
	float x[BLOBS], y[BLOBS], size[BLOBS], weight[BLOBS];
	for (int b = 0; b < BLOBS; b++) {
		x[b] = app_unit(a) * (float)width;
		y[b] = app_unit(a) * (float)height;
		size[b] = app_between(a, 0.05f, 0.3f) * (float)width;
		weight[b] = app_between(a, 0.2f, 0.9f);
	}
	for (uint32_t j = 0; j < height; j++)
		for (uint32_t i = 0; i < width; i++) {
			float v = 0.05f;
			for (int b = 0; b < BLOBS; b++) {
				float dx = ((float)i - x[b]) / size[b], dy = ((float)j - y[b]) / size[b];
				float d = dx * dx + dy * dy;
				v += weight[b] / (1 + d * d * 4);
			}
			v = v * 0.3f + 0.05f * app_unit(a);
			p[(size_t)j * width + i] = v < 0.999f ? v : 0.999f;
		}
}

/* n random floats in [lo, hi). */
static inline float *input_floats(struct app *a, size_t n, float lo, float hi)
{
	float *p = (float *)app_host(a, n, sizeof *p);
	app_fill(a, p, n, lo, hi);
	return p;
}

#endif
