/* spmv - a sparse matrix times a dense vector as Parboil's: rows by falling length, stored by jagged
 * diagonals, whose starts are in constant memory. */
#include "inputs.h"

enum { BLOCK = 192, MAX_WARPS = 5000, MAX_DIAGONALS = 128 };

#ifdef __CUDACC__
__constant__ int starts[MAX_DIAGONALS], longest[MAX_WARPS];

/* Entry k of a row is of diagonal k. The next entry is on its way while one is multiplied. */
extern "C" __global__ void spmv_jds(float *y, const float *values, const int *columns, const int *perm,
                                    const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int bound = longest[i / 32];
	float sum = 0;
	if (bound > 0) {
		int at = starts[0] + i;
		float value = values[at], factor = x[columns[at]];
		for (int k = 1; k < bound; k++) {
			at = starts[k] + i;
			int next = columns[at];
			float next_value = values[at];
			sum += value * factor;
			factor = x[next];
			value = next_value;
		}
		sum += value * factor;
	}
	y[perm[i]] = sum;
}
#endif

/* Diagonal d holds entry d of every row that has one, padded so that the 32 rows of a warp are equally long. */
struct jds {
	uint32_t n, m, diagonals, warps;
	uint32_t *perm;    /* sorted place -> row */
	uint32_t *start;   /* per diagonal: offset of its entries */
	uint32_t *longest; /* per warp of rows */
	uint32_t *col;
	float *value;
};

static uint32_t length(const struct input_csr *m, uint32_t row)
{
	return m->row[row + 1] - m->row[row];
}

/* Counting sort by falling length, stable. */
static void sort_by_length(struct app *a, const struct input_csr *m, struct jds *j)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < m->n; i++)
		most = length(m, i) > most ? length(m, i) : most;
	uint32_t *first = (uint32_t *)app_host(a, most + 2, sizeof *first);
	for (uint32_t i = 0; i < m->n; i++)
		first[most - length(m, i) + 1]++;
	for (uint32_t l = 0; l <= most; l++)
		first[l + 1] += first[l];
	for (uint32_t i = 0; i < m->n; i++)
		j->perm[first[most - length(m, i)]++] = i;
	j->diagonals = most;
}

static void convert(struct app *a, const struct input_csr *m, struct jds *j)
{
	memset(j, 0, sizeof *j);
	j->n = m->n;
	j->warps = app_ceil(m->n, 32);
	j->perm = (uint32_t *)app_host(a, m->n, sizeof *j->perm);
	j->longest = (uint32_t *)app_host(a, MAX_WARPS, sizeof *j->longest);
	j->start = (uint32_t *)app_host(a, MAX_DIAGONALS + 1, sizeof *j->start);
	sort_by_length(a, m, j);
	for (uint32_t g = 0; g < j->warps; g++)
		j->longest[g] = length(m, j->perm[32 * g]);
	for (uint32_t d = 0, g = j->warps; d < j->diagonals; d++) {
		while (g > 0 && j->longest[g - 1] <= d)
			g--;
		j->start[d + 1] = j->start[d] + 32 * g;
	}
	j->m = j->start[j->diagonals];
	j->col = (uint32_t *)app_host(a, j->m, sizeof *j->col);
	j->value = (float *)app_host(a, j->m, sizeof *j->value);
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t d = 0; d < length(m, j->perm[i]); d++) {
			j->col[j->start[d] + i] = m->col[m->row[j->perm[i]] + d];
			j->value[j->start[d] + i] = m->value[m->row[j->perm[i]] + d];
		}
}

/* The matrix of Parboil's large set, Dubcova3 of the SuiteSparse collection: cubic finite elements on a square of 128 x 128 whose rim is
 * left out. A node has an entry for every node of its elements. The collection says that the nodes on corners and edges come
 * before those within elements; the square is refined seven times, and each level numbers its nodes in the order of the elements. */
enum { SQUARE = 384, ACROSS = SQUARE + 1 };

struct mesh {
	uint32_t n;
	uint32_t *number; /* of a node, from 1 on */
};

static void add_node(struct mesh *mesh, uint32_t x, uint32_t y)
{
	uint32_t *number = &mesh->number[y * ACROSS + x];
	if (x % SQUARE && y % SQUARE && !*number)
		*number = ++mesh->n;
}

/* Where element k of those of `side` lies: a square has its quarters in a circle. */
static void element(uint32_t k, uint32_t side, uint32_t *x, uint32_t *y)
{
	for (*x = *y = 0; side < SQUARE; side *= 2, k /= 4) {
		*x += k % 4 == 1 || k % 4 == 2 ? side : 0;
		*y += k % 4 >= 2 ? side : 0;
	}
}

static void add_edges(struct mesh *mesh, uint32_t x, uint32_t y)
{
	for (uint32_t i = 1; i < 3; i++)
		add_node(mesh, x + i, y);
	for (uint32_t i = 1; i < 3; i++)
		add_node(mesh, x + 3, y + i);
	for (uint32_t i = 1; i < 3; i++)
		add_node(mesh, x + i, y + 3);
	for (uint32_t i = 1; i < 3; i++)
		add_node(mesh, x, y + i);
}

static void number_nodes(struct mesh *mesh)
{
	uint32_t x, y, k, half = SQUARE / 2;
	for (uint32_t count = 1; half >= 3; count *= 4, half /= 2)
		for (k = 0; k < count; k++) {
			element(k, 2 * half, &x, &y);
			add_node(mesh, x + half, y);
			add_node(mesh, x + 2 * half, y + half);
			add_node(mesh, x + half, y + 2 * half);
			add_node(mesh, x, y + half);
			add_node(mesh, x + half, y + half);
		}
	for (k = 0; k < SQUARE / 3 * SQUARE / 3; k++) {
		element(k, 3, &x, &y);
		add_edges(mesh, x, y);
	}
	for (k = 0; k < SQUARE / 3 * SQUARE / 3; k++) {
		element(k, 3, &x, &y);
		for (uint32_t i = 0; i < 4; i++)
			add_node(mesh, x + 1 + i % 2, y + 1 + i / 2);
	}
}

/* Nodes along one axis that share an element with node i: *from on. */
static uint32_t span(uint32_t i, uint32_t *from)
{
	uint32_t low = (i - 1) / 3 * 3, high = i / 3 * 3 + 3;
	*from = low ? low : 1;
	return (high < SQUARE ? high : SQUARE - 1) - *from + 1;
}

static void cubic_elements(struct app *a, struct input_csr *m)
{
	struct mesh mesh = {0, (uint32_t *)app_host(a, ACROSS * ACROSS, sizeof *mesh.number)};
	uint32_t u, v;
	number_nodes(&mesh);
	input_begin_rows(a, mesh.n, m);
	m->cols = mesh.n;
	for (uint32_t y = 1; y < SQUARE; y++)
		for (uint32_t x = 1; x < SQUARE; x++)
			m->row[mesh.number[y * ACROSS + x]] = span(x, &u) * span(y, &v);
	input_finish_rows(a, m);
	m->value = (float *)app_host(a, (size_t)m->m + 1, sizeof *m->value);
	app_fill(a, m->value, m->m, 0.1f, 1);
	for (uint32_t y = 1; y < SQUARE; y++)
		for (uint32_t x = 1; x < SQUARE; x++) {
			uint32_t wide = span(x, &u), high = span(y, &v),
				 row = mesh.number[y * ACROSS + x] - 1;
			for (uint32_t e = 0; e < wide * high; e++)
				m->col[m->row[row] + e] =
					mesh.number[(v + e / wide) * ACROSS + u + e % wide] - 1;
		}
	input_sort_rows(m);
}

APP(spmv)
{
	struct input_csr m;
	struct jds j;
	/* The paper's size: Parboil's large matrix has 146689 rows of 25 entries. */
	uint32_t n = app_pick(a, 6000, 36000, 110000, 146670) + 19, reach = 1;
	/* The small size has the first rows of the large matrix. */
	uint32_t cols = app_pick(a, 110019, n, n, n);
	/* Finite elements on a square: neighbours are in the rows of nodes below and above. */
	while (reach * reach < cols)
		reach++;
	if (a->size == APP_PAPER)
		cubic_elements(a, &m);
	else
		input_power_rows(a, n, cols, 24, 2 * reach, &m);
	convert(a, &m, &j);
	const float *hx = input_floats(a, cols, -1, 1), *want = input_product(a, &m, hx);
	float *got = (float *)app_host(a, n, sizeof *got);
	const void *value = app_upload(a, "values", j.value, sizeof *j.value * j.m);
	const void *col = app_upload(a, "columns", j.col, sizeof *j.col * j.m);
	const void *perm = app_upload(a, "perm", j.perm, sizeof *j.perm * n);
	const void *x = app_upload(a, "x", hx, sizeof *hx * cols);
	void *y = app_device(a, "y", sizeof *got * n);
	APP_TO_SYMBOL(a, starts, j.start, sizeof *j.start * MAX_DIAGONALS);
	APP_TO_SYMBOL(a, longest, j.longest, sizeof *j.longest * MAX_WARPS);
	/* The original repeats the product 50 times. */
	for (uint32_t i = 0; i < app_pick(a, 3, 2, 3, 20); i++)
		APP_LAUNCH(a, spmv_jds, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &y, &value, &col,
		           &perm, &x, &n);
	app_to_host(a, got, y, sizeof *got * n);
	app_check_floats(a, "y", got, want, n, 1e-4f);
}
