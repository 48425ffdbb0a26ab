#include "tracegen/data.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void sort_rows(struct wl_csr *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		qsort(g->col + g->row[i], g->row[i + 1] - g->row[i], sizeof *g->col, ascending);
}

/* One drawn edge: a quadrant of the adjacency matrix per bit. */
static void rmat_edge(struct wl *w, unsigned scale, uint32_t *from, uint32_t *to)
{
	*from = *to = 0;
	for (unsigned b = 0; b < scale; b++) {
		uint32_t r = wl_below(w, 100);
		*from = *from << 1 | (r >= 60);
		*to = *to << 1 | ((r >= 45 && r < 60) || r >= 75);
	}
}

void wl_rmat(struct wl *w, unsigned scale, uint32_t edges, struct wl_csr *g)
{
	uint32_t n = 1u << scale, half = edges / 2;
	uint32_t *pair = wl_host(w, 2 * (size_t)half + 1, sizeof *pair);
	*g = (struct wl_csr){.n = n, .m = 2 * half};
	g->row = wl_host(w, (size_t)n + 1, sizeof *g->row);
	g->col = wl_host(w, (size_t)g->m + 1, sizeof *g->col);
	uint32_t *fill = wl_host(w, n, sizeof *fill);
	if (!pair || !g->row || !g->col || !fill)
		return;
	for (uint32_t e = 0; e < half; e++)
		rmat_edge(w, scale, &pair[2 * e], &pair[2 * e + 1]);
	for (uint32_t e = 0; e < 2 * half; e++)
		g->row[pair[e] + 1]++;
	for (uint32_t i = 0; i < n; i++) {
		fill[i] = g->row[i];
		g->row[i + 1] += g->row[i];
	}
	for (uint32_t e = 0; e < 2 * half; e++)
		g->col[fill[pair[e]]++] = pair[e ^ 1];
	sort_rows(g);
}

/* Rows of given lengths (in g->row[i + 1]) become offsets; columns are to be filled. */
static int finish_rows(struct wl *w, struct wl_csr *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		g->row[i + 1] += g->row[i];
	g->m = g->row[g->n];
	g->col = wl_host(w, (size_t)g->m + 1, sizeof *g->col);
	return g->col != NULL;
}

void wl_degree6(struct wl *w, uint32_t n, struct wl_csr *g)
{
	uint32_t reach = n / 64 ? n / 64 : 1;
	*g = (struct wl_csr){.n = n};
	g->row = wl_host(w, (size_t)n + 1, sizeof *g->row);
	if (!g->row)
		return;
	for (uint32_t i = 0; i < n; i++)
		g->row[i + 1] = 2 + wl_below(w, 9);
	if (!finish_rows(w, g))
		return;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = g->row[i]; e < g->row[i + 1]; e++)
			g->col[e] = e & 1 ? wl_below(w, n)
			                  : (i + n - reach + wl_below(w, 2 * reach + 1)) % n;
	sort_rows(g);
}

static void fill_matrix(struct wl *w, struct wl_csr *a)
{
	if (!finish_rows(w, a))
		return;
	a->value = wl_host(w, (size_t)a->m + 1, sizeof *a->value);
	if (!a->value)
		return;
	for (uint32_t e = 0; e < a->m; e++) {
		a->col[e] = wl_below(w, a->n);
		a->value[e] = wl_between(w, 0.1f, 1.0f);
	}
	sort_rows(a);
}

void wl_power_rows(struct wl *w, uint32_t n, uint32_t mean, struct wl_csr *a)
{
	/* A row is a serial chain of loads to its thread: uncut, the longest one would be the run time. The
	 * matrices of Parboil's inputs come from finite elements: rows of a few times the mean. */
	uint32_t longest = 4 * mean < n ? 4 * mean : n;
	*a = (struct wl_csr){.n = n};
	a->row = wl_host(w, (size_t)n + 1, sizeof *a->row);
	if (!a->row)
		return;
	/* P(length > x) ~ 1/x: length = base / u, cut. The cut keeps the mean at about
	 * base * (1 + ln(longest / base)): 27/100 of the mean as base gives it within a few percent. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = 1 + wl_below(w, 1u << 20);
		uint64_t length = ((uint64_t)mean << 20) * 27 / 100 / u;
		a->row[i + 1] = length < 1 ? 1 : length > longest ? longest : (uint32_t)length;
	}
	fill_matrix(w, a);
}

void wl_even_rows(struct wl *w, uint32_t n, uint32_t mean, struct wl_csr *a)
{
	*a = (struct wl_csr){.n = n};
	a->row = wl_host(w, (size_t)n + 1, sizeof *a->row);
	if (!a->row)
		return;
	for (uint32_t i = 0; i < n; i++)
		a->row[i + 1] = mean / 2 + wl_below(w, mean + 1);
	fill_matrix(w, a);
}

void wl_image(struct wl *w, float *p, uint32_t width, uint32_t height)
{
	enum { BLOBS = 12 };
	float x[BLOBS], y[BLOBS], size[BLOBS], weight[BLOBS];
	for (int b = 0; b < BLOBS; b++) {
		x[b] = wl_unit(w) * (float)width;
		y[b] = wl_unit(w) * (float)height;
		size[b] = wl_between(w, 0.05f, 0.3f) * (float)width;
		weight[b] = wl_between(w, 0.2f, 0.9f);
	}
	for (uint32_t j = 0; j < height; j++)
		for (uint32_t i = 0; i < width; i++) {
			float v = 0.05f;
			for (int b = 0; b < BLOBS; b++) {
				float dx = ((float)i - x[b]) / size[b], dy = ((float)j - y[b]) / size[b];
				float d = dx * dx + dy * dy;
				v += weight[b] / (1 + d * d * 4);
			}
			v = v * 0.3f + 0.05f * wl_unit(w);
			p[(size_t)j * width + i] = v < 0.999f ? v : 0.999f;
		}
}

struct simt_buffer *wl_upload(struct wl *w, const void *p, size_t n)
{
	struct simt_buffer *b = simt_alloc(&w->g, n);
	if (!b || !p)
		return b;
	memcpy(b->p, p, n);
	simt_h2d(&w->g, b);
	return b;
}

struct simt_buffer *wl_upload_random(struct wl *w, size_t n, float lo, float hi)
{
	struct simt_buffer *b = simt_alloc(&w->g, 4 * n);
	if (!b)
		return NULL;
	for (size_t i = 0; i < n; i++)
		((float *)b->p)[i] = wl_between(w, lo, hi);
	simt_h2d(&w->g, b);
	return b;
}
