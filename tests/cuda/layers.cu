/* Layered textures, cube maps, gathers and reads of a level, each against plain C. Prints what is not as it should be. */
#include <cmath>
#include <cstdio>
#include <vector>

#include "expect.h"
#define GOOD(call) expect(#call, call, cudaSuccess)

enum { W = 12, H = 7, LAYERS = 5, N = 512 };

texture<float, cudaTextureType1DLayered, cudaReadModeElementType> lines;
texture<uchar4, cudaTextureType2DLayered, cudaReadModeNormalizedFloat> sheets;
texture<float, cudaTextureTypeCubemap, cudaReadModeElementType> cube;
texture<short2, 2, cudaReadModeElementType> plane;

/* Where each thread reads. */
struct place {
	float x, y, z;
	int layer;
};
static place *places, *there;
static float4 *out;

enum how {
	LINE_LAYER,
	SHEET_LAYER,
	CUBE,
	CUBE_LAYER,
	LINES,
	SHEETS,
	CUBES,
	LEVEL,
	GRADIENT,
	LAYER_LEVEL,
	GATHER_X,
	GATHER_W,
	GATHERS,
	WHOLE
};

__global__ void read(enum how how, cudaTextureObject_t t, const place *p, float4 *to)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const float x = p[i].x, y = p[i].y, z = p[i].z;
	const int layer = p[i].layer;
	const float2 d = make_float2(0.25f, 0.5f);
	float4 v = make_float4(0, 0, 0, 0);
	switch (how) {
	case LINE_LAYER: v.x = tex1DLayered<float>(t, x, layer); break;
	case SHEET_LAYER: tex2DLayered(&v, t, x, y, layer); break;
	case CUBE: v.x = texCubemap<float>(t, x, y, z); break;
	case CUBE_LAYER: v.x = texCubemapLayered<float>(t, x, y, z, layer); break;
	case LINES: v.x = tex1DLayered(lines, x, layer); break;
	case SHEETS: v = tex2DLayered(sheets, x, y, layer); break;
	case CUBES: v.x = texCubemap(cube, x, y, z); break;
	case LEVEL: v = tex2DLod<float4>(t, x, y, 0); break;
	case GRADIENT: v = tex2DGrad<float4>(t, x, y, d, d); break;
	case LAYER_LEVEL: v = tex2DLayeredLod<float4>(t, x, y, layer, 0); break;
	case GATHER_X: v = tex2Dgather<float4>(t, x, y); break;
	case GATHER_W: v = tex2Dgather<float4>(t, x, y, 3); break;
	case GATHERS: {
		const short4 s = tex2Dgather(plane, x, y, 1);
		v = make_float4(s.x, s.y, s.z, s.w);
		break;
	}
	case WHOLE: v = tex2D<float4>(t, x, y); break;
	}
	to[i] = v;
}

static float number(unsigned &seed)
{
	seed = seed * 1664525u + 1013904223u;
	return (float)(seed >> 8) / (1 << 24);
}

/* An array filled with bytes that cudaMemcpy3D brings there. */
static cudaArray_t make(const cudaChannelFormatDesc &desc, const void *from, size_t element, cudaExtent e, unsigned flags)
{
	cudaArray_t a = NULL;
	cudaMemcpy3DParms p = {};
	GOOD(cudaMalloc3DArray(&a, &desc, e, flags));
	p.srcPtr = make_cudaPitchedPtr((void *)from, e.width * element, e.width, e.height ? e.height : 1);
	p.dstArray = a;
	p.extent = make_cudaExtent(e.width, e.height ? e.height : 1, e.depth ? e.depth : 1);
	p.kind = cudaMemcpyHostToDevice;
	GOOD(cudaMemcpy3D(&p));
	return a;
}

static cudaTextureObject_t object(cudaArray_t a, int normalized, cudaTextureFilterMode filter, cudaTextureReadMode mode)
{
	cudaTextureObject_t t = 0;
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	for (int i = 0; i < 3; i++)
		d.addressMode[i] = cudaAddressModeClamp;
	d.normalizedCoords = normalized;
	d.filterMode = filter;
	d.readMode = mode;
	GOOD(cudaCreateTextureObject(&t, &r, &d, NULL));
	return t;
}

/* Runs the reads and compares what came of them with what `want` gives for each place. */
template <class F> static void compare(const char *what, enum how how, cudaTextureObject_t t, float near, F want)
{
	GOOD(cudaMemcpy(there, places, N * sizeof *places, cudaMemcpyHostToDevice));
	read<<<N / 64, 64>>>(how, t, there, out);
	GOOD(cudaDeviceSynchronize());
	std::vector<float4> got(N);
	GOOD(cudaMemcpy(got.data(), out, N * sizeof(float4), cudaMemcpyDeviceToHost));
	int wrong = 0;
	for (int i = 0; i < N; i++) {
		const float4 w = want(places[i]), g = got[i];
		wrong += !(fabsf(w.x - g.x) <= near && fabsf(w.y - g.y) <= near && fabsf(w.z - g.z) <= near &&
		           fabsf(w.w - g.w) <= near);
	}
	expect(what, wrong, 0);
}

static int clamp(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static float line[LAYERS][W];
static uchar4 sheet[LAYERS][H][W];
static short2 flat[H][W];
static float faces[12][W][W];
static float4 wide[H][W];

static float4 sheet_at(int layer, int y, int x)
{
	const uchar4 t = sheet[clamp(layer, LAYERS)][clamp(y, H)][clamp(x, W)];
	return make_float4(t.x / 255.0f, t.y / 255.0f, t.z / 255.0f, t.w / 255.0f);
}

static float4 one(float x)
{
	return make_float4(x, 0, 0, 0);
}

static float mix(float a, float b, float c, float d, float u, float v)
{
	return (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * c + u * d);
}

/* The mean of the texels around a place of a sheet. */
static float4 around(const place &p)
{
	const float x = p.x - 0.5f, y = p.y - 0.5f, u = x - floorf(x), v = y - floorf(y);
	const int i = (int)floorf(x), j = (int)floorf(y);
	const float4 a = sheet_at(p.layer, j, i), b = sheet_at(p.layer, j, i + 1), c = sheet_at(p.layer, j + 1, i),
		     d = sheet_at(p.layer, j + 1, i + 1);
	return make_float4(mix(a.x, b.x, c.x, d.x, u, v), mix(a.y, b.y, c.y, d.y, u, v), mix(a.z, b.z, c.z, d.z, u, v),
	                   mix(a.w, b.w, c.w, d.w, u, v));
}

/* A face, and a place on it from 0 to 1, by the table of the programming guide. */
static int face_of(const place &p, float *u, float *v)
{
	static const struct {
		int axis, sign, s, s_sign, t, t_sign;
	} table[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
	              {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};
	const float c[3] = {p.x, p.y, p.z};
	int axis = 0;
	for (int i = 1; i < 3; i++)
		axis = fabsf(c[i]) > fabsf(c[axis]) ? i : axis;
	for (int f = 0; f < 6; f++)
		if (table[f].axis == axis && (c[axis] >= 0) == (table[f].sign > 0)) {
			const float m = fabsf(c[axis]);
			*u = (table[f].s_sign * c[table[f].s] / m + 1) / 2;
			*v = (table[f].t_sign * c[table[f].t] / m + 1) / 2;
			return f;
		}
	return -1;
}

static float4 on_cube(const place &p, int layer, int linear)
{
	float u, v;
	const int f = face_of(p, &u, &v) + 6 * layer;
	if (!linear)
		return one(faces[f][clamp((int)floorf(v * W), W)][clamp((int)floorf(u * W), W)]);
	const float x = u * W - 0.5f, y = v * W - 0.5f;
	const int i = (int)floorf(x), j = (int)floorf(y), i0 = clamp(i, W), i1 = clamp(i + 1, W), j0 = clamp(j, W),
		  j1 = clamp(j + 1, W);
	return one(mix(faces[f][j0][i0], faces[f][j0][i1], faces[f][j1][i0], faces[f][j1][i1], x - i, y - j));
}

static void layers()
{
	cudaArray_t a = make(cudaCreateChannelDesc<float>(), line, 4, make_cudaExtent(W, 0, LAYERS), cudaArrayLayered);
	cudaArray_t b = make(cudaCreateChannelDesc<uchar4>(), sheet, 4, make_cudaExtent(W, H, LAYERS), cudaArrayLayered);
	cudaTextureObject_t t = object(a, 0, cudaFilterModePoint, cudaReadModeElementType);
	auto nearest = [](const place &p) { return one(line[clamp(p.layer, LAYERS)][clamp((int)floorf(p.x), W)]); };
	compare("lines", LINE_LAYER, t, 0, nearest);
	GOOD(cudaDestroyTextureObject(t));
	GOOD(cudaBindTextureToArray(lines, a));
	compare("a reference to lines", LINES, 0, 0, nearest);
	t = object(b, 0, cudaFilterModePoint, cudaReadModeNormalizedFloat);
	compare("sheets", SHEET_LAYER, t, 0,
	        [](const place &p) { return sheet_at(p.layer, (int)floorf(p.y), (int)floorf(p.x)); });
	GOOD(cudaDestroyTextureObject(t));
	t = object(b, 0, cudaFilterModeLinear, cudaReadModeNormalizedFloat);
	compare("filtered sheets", SHEET_LAYER, t, 0.01f, around);
	compare("level 0 of sheets", LAYER_LEVEL, t, 0.01f, around);
	GOOD(cudaDestroyTextureObject(t));
	sheets.filterMode = cudaFilterModeLinear;
	GOOD(cudaBindTextureToArray(sheets, b));
	compare("a reference to sheets", SHEETS, 0, 0.01f, around);
	GOOD(cudaFreeArray(a));
	GOOD(cudaFreeArray(b));
}

static void cubes()
{
	cudaArray_t a = make(cudaCreateChannelDesc<float>(), faces, 4, make_cudaExtent(W, W, 6), cudaArrayCubemap);
	cudaArray_t b = make(cudaCreateChannelDesc<float>(), faces, 4, make_cudaExtent(W, W, 12),
	                     cudaArrayCubemap | cudaArrayLayered);
	cudaTextureObject_t t = object(a, 1, cudaFilterModePoint, cudaReadModeElementType);
	unsigned seed = 7;
	for (int i = 0; i < N; i++) {
		float u, v;
		do {
			places[i] = {number(seed) * 4 - 2, number(seed) * 4 - 2, number(seed) * 4 - 2, i % 4};
			face_of(places[i], &u, &v);
		} while (fabsf(u * W - rintf(u * W)) < 1e-3f || fabsf(v * W - rintf(v * W)) < 1e-3f);
	}
	auto nearest = [](const place &p) { return on_cube(p, 0, 0); };
	compare("a cube map", CUBE, t, 0, nearest);
	GOOD(cudaDestroyTextureObject(t));
	t = object(a, 1, cudaFilterModeLinear, cudaReadModeElementType);
	compare("a filtered cube map", CUBE, t, 4, [](const place &p) { return on_cube(p, 0, 1); });
	GOOD(cudaDestroyTextureObject(t));
	cube.normalized = 1;
	GOOD(cudaBindTextureToArray(cube, a));
	compare("a reference to a cube map", CUBES, 0, 0, nearest);
	t = object(b, 1, cudaFilterModePoint, cudaReadModeElementType);
	compare("layers of cube maps", CUBE_LAYER, t, 0, [](const place &p) { return on_cube(p, clamp(p.layer, 2), 0); });
	GOOD(cudaDestroyTextureObject(t));
	GOOD(cudaFreeArray(a));
	GOOD(cudaFreeArray(b));
}

/* The four texels around a place: against the clock, from the one of the lower row on the left. */
template <class F> static float4 four(const place &p, F at)
{
	const int i = (int)floorf(p.x - 0.5f), j = (int)floorf(p.y - 0.5f), i0 = clamp(i, W), i1 = clamp(i + 1, W),
		  j0 = clamp(j, H), j1 = clamp(j + 1, H);
	return make_float4(at(j1, i0), at(j1, i1), at(j0, i1), at(j0, i0));
}

static void gathers()
{
	cudaArray_t a = make(cudaCreateChannelDesc<float4>(), wide, 16, make_cudaExtent(W, H, 0), cudaArrayTextureGather);
	cudaArray_t b = make(cudaCreateChannelDesc<short2>(), flat, 4, make_cudaExtent(W, H, 0), cudaArrayTextureGather);
	cudaTextureObject_t t = object(a, 0, cudaFilterModePoint, cudaReadModeElementType);
	auto nearest = [](const place &p) { return wide[clamp((int)floorf(p.y), H)][clamp((int)floorf(p.x), W)]; };
	compare("a plane", WHOLE, t, 0, nearest);
	compare("its level 0", LEVEL, t, 0, nearest);
	compare("its level by gradients", GRADIENT, t, 0, nearest);
	compare("a gather", GATHER_X, t, 0,
	        [](const place &p) { return four(p, [](int j, int i) { return wide[j][i].x; }); });
	compare("a gather of the last component", GATHER_W, t, 0,
	        [](const place &p) { return four(p, [](int j, int i) { return wide[j][i].w; }); });
	GOOD(cudaBindTextureToArray(plane, b));
	compare("a gather from a reference", GATHERS, 0, 0,
	        [](const place &p) { return four(p, [](int j, int i) { return (float)flat[j][i].y; }); });
	GOOD(cudaDestroyTextureObject(t));
	GOOD(cudaFreeArray(a));
	GOOD(cudaFreeArray(b));
}

static void refusals()
{
	cudaArray_t a = NULL;
	const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	expect("faces that are no square", cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 5, 6), cudaArrayCubemap),
	       cudaErrorInvalidValue);
	expect("five faces", cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 4, 5), cudaArrayCubemap), cudaErrorInvalidValue);
	expect("layers of faces", cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 4, 8), cudaArrayCubemap | cudaArrayLayered),
	       cudaErrorInvalidValue);
	expect("no layers", cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 4, 0), cudaArrayLayered), cudaErrorInvalidValue);
}

int main()
{
	unsigned seed = 1;
	places = new place[N];
	GOOD(cudaMalloc((void **)&there, N * sizeof *there));
	GOOD(cudaMalloc((void **)&out, N * sizeof *out));
	for (int i = 0; i < N; i++)
		places[i] = {number(seed) * (W + 4) - 2, number(seed) * (H + 4) - 2, 0, i % (LAYERS + 2)};
	for (int l = 0; l < 12; l++)
		for (int j = 0; j < W; j++)
			for (int i = 0; i < W; i++) {
				faces[l][j][i] = l * 1000.0f + j * W + i;
				if (l >= LAYERS || j >= H)
					continue;
				line[l][i] = l * 100.0f + i;
				sheet[l][j][i] = make_uchar4(l * 40, j * 20, i * 10, (l + i + j) * 7);
				flat[j][i] = make_short2(i - 5, j * 100 - i);
				wide[j][i] = make_float4(i, j, i * j, i - j);
			}
	layers();
	gathers();
	cubes();
	refusals();
	printf("%d failures\n", failures);
	return failures != 0;
}
