/* dwt2d - the two-dimensional discrete wavelet transform (reversible 5/3) of a colour image, as Rodinia's: the bytes are
 * split into components, then every level transforms tiles in shared memory, rows first, columns next.
 *
 * Size paper has Rodinia's launches instead, from Rodinia 3.1: a CTA slides a window of 8 rows down its columns, 192, 128
 * or 64 of them by the width of the level, columns are transformed before rows, and each of the four bands of a level lies by
 * itself. Its picture is Rodinia's, 1024 x 1024 in three levels. */
#include "inputs.h"

enum { SPLIT = 256, WIDTH = 64, HEIGHT = 16, HALO = 2, SW = WIDTH + 2 * HALO, SH = HEIGHT + 2 * HALO, BPP = 3 };
enum { WINDOW = 8, WINDOWS = 15 /* of Rodinia's at most, in a picture's height */, WIDE = 192, MIDDLE = 128, NARROW = 64 };

#ifdef __CUDACC__
/* Bytes r g b r g b ... to three arrays, centred, through shared memory so that loads are coalesced. */
extern "C" __global__ void dwt2d_components(const unsigned char *bytes, int *components, int n)
{
	__shared__ unsigned char s[SPLIT * BPP];
	int t = threadIdx.x, base = blockIdx.x * SPLIT * BPP, i = blockIdx.x * SPLIT + t;
	for (int c = 0; c < BPP; c++)
		s[t + c * SPLIT] = bytes[base + t + c * SPLIT];
	__syncthreads();
	if (i >= n)
		return;
	for (int c = 0; c < BPP; c++)
		components[i + c * n] = s[t * BPP + c] - 128;
}

/* An index mirrored into 0 .. n - 1. */
static __device__ int mirror(int i, int n)
{
	i = abs(i);
	return i - 2 * max(i - (n - 1), 0);
}

/* One lifting step of an element with its neighbours `step` elements away. */
static __device__ void lift(int *x, int step, bool predict)
{
	int sum = x[-step] + x[step];
	*x = predict ? *x - (sum >> 1) : *x + ((sum + 2) >> 2);
}

/* The rows of a tile, shared by its threads: every second column from `first` on. */
static __device__ void lift_rows(int (*tile)[SW], int first, int columns, bool predict)
{
	for (int cell = threadIdx.x; cell < columns * SH; cell += WIDTH)
		lift(&tile[cell / columns][first + 2 * (cell % columns)], 1, predict);
	__syncthreads();
}

/* The four quadrants of `out` get the bands LL HL / LH HH. */
extern "C" __global__ void dwt2d_fdwt53(const int *in, int *out, int width, int height, int pitch)
{
	__shared__ int tile[SH][SW];
	int t = threadIdx.x, x0 = (int)blockIdx.x * WIDTH - HALO, y0 = (int)blockIdx.y * HEIGHT - HALO;
	for (int r = 0; r < SH; r++) {
		int line = mirror(y0 + r, height) * pitch;
		for (int c = t; c < SW; c += WIDTH)
			tile[r][c] = in[line + mirror(x0 + c, width)];
	}
	__syncthreads();
	lift_rows(tile, 1, (SW - 2) / 2, true);
	lift_rows(tile, HALO, WIDTH / 2, false);
	/* Thread t owns column HALO + t. */
	for (int r = 1; r < SH - 1; r += 2)
		lift(&tile[r][HALO + t], SW, true);
	for (int r = HALO; r < HALO + HEIGHT; r += 2)
		lift(&tile[r][HALO + t], SW, false);
	/* Odd columns go to the right half, odd rows to the lower half. */
	int col = blockIdx.x * (WIDTH / 2) + t / 2 + (t % 2) * (width / 2);
	for (int r = 0; r < HEIGHT; r++) {
		int row = blockIdx.y * (HEIGHT / 2) + r / 2 + (r % 2) * (height / 2);
		out[row * pitch + col] = tile[r + HALO][HALO + t];
	}
}

/* Where a column of the window lies in a row of it, even columns in front so that neighbours are neighbours. */
template <int COLUMNS>
static __device__ int slot(int column)
{
	return column / 2 + (column & 1) * ((COLUMNS + HALO + 1) / 2 + 1);
}

/* One column of the picture and what it holds of the window: the last three elements before they were transformed. */
struct window_column {
	int x, slot, kept[3];
};

template <int COLUMNS>
static __device__ void first_rows(struct window_column *c, const int *in, int column, int y0, int width, int height)
{
	c->x = mirror((int)blockIdx.x * COLUMNS - HALO + column, width);
	c->slot = slot<COLUMNS>(column);
	for (int r = 0; r < 3; r++)
		c->kept[r] = in[mirror(y0 - HALO + r, height) * width + c->x];
}

/* Loads the next rows of a column and transforms it. */
template <int STRIDE>
static __device__ void next_rows(struct window_column *c, int (*tile)[STRIDE], const int *in, int y0, int width, int height)
{
	int *at = &tile[0][c->slot];
	for (int r = 0; r < 3; r++)
		at[r * STRIDE] = c->kept[r];
#pragma unroll
	for (int r = 3; r < WINDOW + 3; r++)
		at[r * STRIDE] = in[mirror(y0 - HALO + r, height) * width + c->x];
	for (int r = 0; r < 3; r++)
		c->kept[r] = at[(WINDOW + r) * STRIDE];
	for (int r = 1; r < WINDOW + 2; r += 2)
		lift(at + r * STRIDE, STRIDE, true);
	for (int r = HALO; r < WINDOW + HALO; r += 2)
		lift(at + r * STRIDE, STRIDE, false);
}

/* Every second column of the window from `first` on, in the rows that are written. */
template <int COLUMNS, int STRIDE>
static __device__ void window_rows(int (*tile)[STRIDE], int first, int columns, bool predict)
{
	for (int cell = threadIdx.x; cell < columns * WINDOW; cell += COLUMNS) {
		int *row = tile[HALO + cell / columns], c = first + 2 * (cell % columns);
		int sum = row[slot<COLUMNS>(c - 1)] + row[slot<COLUMNS>(c + 1)], *x = &row[slot<COLUMNS>(c)];
		*x = predict ? *x - (sum >> 1) : *x + ((sum + 2) >> 2);
	}
	__syncthreads();
}

template <int COLUMNS>
static __device__ void slide(const int *in, int *out, int width, int height, int steps)
{
	const int stride = COLUMNS + HALO + 3;
	__shared__ int tile[WINDOW + 3][stride];
	int t = threadIdx.x, y0 = (int)blockIdx.y * WINDOW * steps;
	struct window_column own, side;
	first_rows<COLUMNS>(&own, in, HALO + t, y0, width, height);
	if (t < 3) /* two columns to the left, one to the right */
		first_rows<COLUMNS>(&side, in, t < HALO ? t : COLUMNS + HALO, y0, width, height);
	/* The first half of the threads write even columns, the second half odd ones. */
	int odd = t >= COLUMNS / 2, column = 2 * (t - odd * (COLUMNS / 2)) + odd;
	int x = blockIdx.x * COLUMNS + column, from = slot<COLUMNS>(HALO + column), band = width / 2 * (height / 2);
	out += odd * band + x / 2;
	for (int w = 0; w < steps; w++, y0 += WINDOW) {
		next_rows<stride>(&own, tile, in, y0, width, height);
		if (t < 3)
			next_rows<stride>(&side, tile, in, y0, width, height);
		__syncthreads();
		window_rows<COLUMNS, stride>(tile, 1, COLUMNS / 2 + 1, true);
		window_rows<COLUMNS, stride>(tile, HALO, COLUMNS / 2, false);
		for (int r = 0; r < WINDOW; r++)
			if (x < width && y0 + r < height)
				out[(r & 1) * 2 * band + (y0 + r) / 2 * (width / 2)] = tile[HALO + r][from];
		__syncthreads();
	}
}

extern "C" __global__ void dwt2d_slide192(const int *in, int *out, int width, int height, int steps)
{
	slide<WIDE>(in, out, width, height, steps);
}

extern "C" __global__ void dwt2d_slide128(const int *in, int *out, int width, int height, int steps)
{
	slide<MIDDLE>(in, out, width, height, steps);
}

extern "C" __global__ void dwt2d_slide64(const int *in, int *out, int width, int height, int steps)
{
	slide<NARROW>(in, out, width, height, steps);
}
#endif

/* ---- the same in plain C ---- */

static int32_t half(int32_t x)
{
	return (x - (x < 0 && x % 2)) / 2; /* floor */
}

static uint32_t reflect(int64_t i, uint32_t n)
{
	return (uint32_t)(i < 0 ? -i : i >= n ? 2 * (int64_t)(n - 1) - i : i);
}

/* One line of n elements `step` apart: low half, then high half. */
static void line53(int32_t *x, int32_t *tmp, uint32_t n, uint32_t step)
{
	for (uint32_t i = 0; i < n; i++)
		tmp[i] = x[(size_t)i * step];
	for (uint32_t i = 1; i < n; i += 2)
		tmp[i] -= half(tmp[i - 1] + tmp[reflect((int64_t)i + 1, n)]);
	for (uint32_t i = 0; i < n; i += 2)
		tmp[i] += half(half(tmp[reflect((int64_t)i - 1, n)] + tmp[i + 1 < n ? i + 1 : n - 1] + 2));
	for (uint32_t i = 0; i < n; i++)
		x[(size_t)(i / 2 + (i & 1 ? n / 2 : 0)) * step] = tmp[i];
}

static void reference(int32_t *x, int32_t *tmp, uint32_t width, uint32_t height, uint32_t pitch)
{
	for (uint32_t y = 0; y < height; y++)
		line53(x + (size_t)y * pitch, tmp, width, 1);
	for (uint32_t c = 0; c < width; c++)
		line53(x + c, tmp, height, pitch);
}

/* The same with columns first, into four bands that each lie by themselves. */
static void banded_reference(int32_t *x, int32_t *tmp, int32_t *bands, uint32_t width, uint32_t height)
{
	uint32_t w = width / 2, h = height / 2;
	for (uint32_t c = 0; c < width; c++)
		line53(x + c, tmp, height, width);
	for (uint32_t y = 0; y < height; y++)
		line53(x + (size_t)y * width, tmp, width, 1);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t c = 0; c < width; c++)
			bands[((size_t)(c >= w) + 2 * (y >= h)) * w * h + (size_t)(y % h) * w + c % w] =
				x[(size_t)y * width + c];
	memcpy(x, bands, (size_t)width * height * sizeof *x);
}

static void slide_level(struct app *a, const void *from, void *to, uint32_t width, uint32_t height)
{
	uint32_t columns = width >= 5 * WIDE ? WIDE : width >= 480 ? MIDDLE : NARROW;
	uint32_t steps = app_ceil(height, WINDOWS * WINDOW);
	struct app_dims grid = app_2d(app_ceil(width, columns), app_ceil(height, WINDOW * steps));
	if (columns == WIDE)
		APP_LAUNCH(a, dwt2d_slide192, grid, app_1d(WIDE), 0, &from, &to, &width, &height, &steps);
	else if (columns == MIDDLE)
		APP_LAUNCH(a, dwt2d_slide128, grid, app_1d(MIDDLE), 0, &from, &to, &width, &height, &steps);
	else
		APP_LAUNCH(a, dwt2d_slide64, grid, app_1d(NARROW), 0, &from, &to, &width, &height, &steps);
}

APP(dwt2d)
{
	uint32_t width = app_pick(a, 1024, 512, 1024, 1024), height = app_pick(a, 64, 256, 384, 1024);
	uint32_t levels = 3, pixels = width * height;
	size_t n = pixels, words = sizeof(int32_t) * n;
	unsigned char *byte = (unsigned char *)app_host(a, BPP * n, 1);
	int32_t *want = (int32_t *)app_host(a, BPP * n, sizeof *want);
	uint32_t *got = (uint32_t *)app_host(a, BPP * n, sizeof *got);
	int32_t *tmp = (int32_t *)app_host(a, width > height ? width : height, sizeof *tmp);
	int32_t *bands = (int32_t *)app_host(a, n, sizeof *bands);
	float *image = (float *)app_host(a, n, sizeof *image);
	for (uint32_t c = 0; c < BPP; c++) {
		input_image(a, image, width, height);
		for (size_t i = 0; i < n; i++) {
			byte[BPP * i + c] = (unsigned char)(image[i] * 256);
			want[c * n + i] = byte[BPP * i + c] - 128;
		}
	}
	void *bytes = app_upload(a, "image", byte, BPP * n), *part = app_device(a, "components", BPP * words);
	void *out = app_device(a, "bands", BPP * words);
	APP_LAUNCH(a, dwt2d_components, app_1d(pixels / SPLIT), app_1d(SPLIT), 0, &bytes, &part, &pixels);
	app_to_host(a, got, part, BPP * words);
	app_check_words(a, "component", got, (const uint32_t *)want, BPP * n);
	for (uint32_t c = 0; c < BPP; c++)
		for (uint32_t l = 0; l < levels; l++) {
			uint32_t w = width >> l, h = height >> l;
			const void *from = (char *)part + c * words;
			void *to = (char *)out + c * words;
			if (a->size == APP_PAPER) {
				slide_level(a, from, to, w, h);
				banded_reference(want + c * n, tmp, bands, w, h);
			} else {
				APP_LAUNCH(a, dwt2d_fdwt53, app_2d(w / WIDTH, h / HEIGHT), app_1d(WIDTH), 0, &from,
				           &to, &w, &h, &width);
				reference(want + c * n, tmp, w, h, width);
			}
			/* The low band of the output is the next level's input. */
			app_on_device(a, (char *)part + c * words, to, words);
		}
	app_to_host(a, got, out, BPP * words);
	app_check_words(a, "coefficient", got, (const uint32_t *)want, BPP * n);
}
