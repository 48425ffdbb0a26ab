/* Surfaces: every width, geometry and boundary mode against plain C, by objects and by references. Prints what is not as it should
 * be; with "trap" or "odd" it makes an access that ends the launch. */
#include <cstdio>
#include <cstring>
#include <vector>

#include "expect.h"
#define GOOD(call) expect(#call, call, cudaSuccess)

enum { W = 24, H = 10, D = 4 };

surface<void, cudaSurfaceType1D> line;
surface<void, cudaSurfaceType2D> plane;
surface<void, cudaSurfaceType2DLayered> sheets;

/* A value of each type that tells where it stands. */
template <class T> static __host__ __device__ T value(int x, int y, int z)
{
	T v;
	unsigned char b[sizeof(T)];
	for (int i = 0; i < (int)sizeof(T); i++)
		b[i] = (unsigned char)(x * 7 + y * 31 + z * 59 + i * 3 + 1);
	memcpy(&v, b, sizeof v);
	return v;
}

enum geometry { LINE, PLANE, SPACE, LINES, SHEETS, CUBE, LINE_NAME, PLANE_NAME, SHEETS_NAME };

template <class T> __global__ void fill(enum geometry g, cudaSurfaceObject_t s)
{
	const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = x * (int)sizeof(T);
	const T v = value<T>(x, y, z);
	switch (g) {
	case LINE: surf1Dwrite(v, s, at); break;
	case PLANE: surf2Dwrite(v, s, at, y); break;
	case SPACE: surf3Dwrite(v, s, at, y, z); break;
	case LINES: surf1DLayeredwrite(v, s, at, z); break;
	case SHEETS: surf2DLayeredwrite(v, s, at, y, z); break;
	case CUBE: surfCubemapwrite(v, s, at, y, z); break;
	case LINE_NAME: surf1Dwrite(v, line, at); break;
	case PLANE_NAME: surf2Dwrite(v, plane, at, y); break;
	case SHEETS_NAME: surf2DLayeredwrite(v, sheets, at, y, z); break;
	}
}

/* Reads three elements to the left, two rows up and one layer further. */
template <class T, enum cudaSurfaceBoundaryMode mode> __global__ void move(enum geometry g, cudaSurfaceObject_t s, T *to)
{
	const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = (x - 3) * (int)sizeof(T);
	T v = {};
	switch (g) {
	case LINE: v = surf1Dread<T>(s, at, mode); break;
	case PLANE: surf2Dread(&v, s, at, y + 2, mode); break;
	case SPACE: v = surf3Dread<T>(s, at, y + 2, z + 1, mode); break;
	case LINES: v = surf1DLayeredread<T>(s, at, z + 1, mode); break;
	case SHEETS: v = surf2DLayeredread<T>(s, at, y + 2, z + 1, mode); break;
	case CUBE: v = surfCubemapread<T>(s, at, y + 2, z + 1, mode); break;
	case LINE_NAME: v = surf1Dread<T>(line, at, mode); break;
	case PLANE_NAME: surf2Dread(&v, plane, at, y + 2, mode); break;
	case SHEETS_NAME: v = surf2DLayeredread<T>(sheets, at, y + 2, z + 1, mode); break;
	}
	to[(z * gridDim.x + y) * W + x] = v;
}

static int nearest(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

template <class T> static void compare(const char *what, const T *out, int rows, int layers, int dy, int dz, int zero)
{
	std::vector<T> got(W * rows * layers);
	int wrong = 0;
	GOOD(cudaDeviceSynchronize());
	GOOD(cudaMemcpy(got.data(), out, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
	for (int z = 0; z < layers; z++)
		for (int y = 0; y < rows; y++)
			for (int x = 0; x < W; x++) {
				const int i = nearest(x - 3, W), j = nearest(y + dy, rows), k = nearest(z + dz, layers);
				T want = value<T>(i, j, k);
				if (zero && (i != x - 3 || j != y + dy || k != z + dz))
					memset((void *)&want, 0, sizeof want);
				wrong += memcmp(&want, &got[(z * rows + y) * W + x], sizeof want) != 0;
			}
	expect(what, wrong, 0);
}

static cudaSurfaceObject_t object(cudaArray_t a)
{
	cudaSurfaceObject_t s = 0;
	cudaResourceDesc r = {}, same = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	GOOD(cudaCreateSurfaceObject(&s, &r));
	GOOD(cudaGetSurfaceObjectResourceDesc(&same, s));
	expect("the array of a surface", same.res.array.array == a, 1);
	return s;
}

/* Writes a surface of T, reads it back shifted in both quiet modes. */
template <class T> static void check(const char *what, enum geometry g, cudaChannelFormatDesc d, cudaExtent e, unsigned flags)
{
	const int rows = e.height ? (int)e.height : 1, layers = e.depth ? (int)e.depth : 1;
	cudaArray_t a = NULL;
	T *out = NULL;
	GOOD(cudaMalloc3DArray(&a, &d, e, flags | cudaArraySurfaceLoadStore));
	GOOD(cudaMalloc((void **)&out, sizeof(T) * W * rows * layers));
	if (g == LINE_NAME)
		GOOD(cudaBindSurfaceToArray(line, a));
	if (g == PLANE_NAME)
		GOOD(cudaBindSurfaceToArray(plane, a, d));
	if (g == SHEETS_NAME)
		GOOD(cudaBindSurfaceToArray(sheets, a));
	const cudaSurfaceObject_t s = g < LINE_NAME ? object(a) : 0;
	const dim3 grid(rows, layers);
	const int dy = e.height ? 2 : 0, dz = e.depth ? 1 : 0;
	fill<T><<<grid, W>>>(g, s);
	move<T, cudaBoundaryModeZero><<<grid, W>>>(g, s, out);
	compare(what, out, rows, layers, dy, dz, 1);
	move<T, cudaBoundaryModeClamp><<<grid, W>>>(g, s, out);
	compare(what, out, rows, layers, dy, dz, 0);
	if (g < LINE_NAME)
		GOOD(cudaDestroySurfaceObject(s));
	GOOD(cudaFreeArray(a));
	GOOD(cudaFree(out));
}

/* Stores outside: with ZERO they do nothing, with CLAMP they go to the edge. */
__global__ void around(cudaSurfaceObject_t s)
{
	surf2Dwrite(5, s, -4, 0, cudaBoundaryModeZero);
	surf2Dwrite(6, s, 4 * W, 1, cudaBoundaryModeZero);
	surf2Dwrite(7, s, 400, H + 3, cudaBoundaryModeClamp);
	surf2Dwrite(8, s, -8, -2, cudaBoundaryModeClamp);
}

/* Each block reads what the one before has written, which it finds there as launches behave as if blocks came in turn. */
__global__ void follow(cudaSurfaceObject_t s)
{
	const int i = blockIdx.x;
	surf2Dwrite(i ? surf2Dread<int>(s, 4 * ((i - 1) % W), (i - 1) / W) + 1 : 1, s, 4 * (i % W), i / W);
}

__global__ void read_texture(cudaTextureObject_t t, int *to)
{
	to[blockIdx.x * W + threadIdx.x] = tex2D<int>(t, threadIdx.x, blockIdx.x);
}

static void order(cudaArray_t a, cudaSurfaceObject_t s)
{
	static int got[H][W], again[H][W];
	int wrong = 0, *out;
	GOOD(cudaMemcpyToArray(a, 0, 0, got, sizeof got, cudaMemcpyHostToDevice));
	around<<<1, 1>>>(s);
	GOOD(cudaMemcpy2DFromArray(got, sizeof *got, a, 0, 0, sizeof *got, H, cudaMemcpyDeviceToHost));
	for (int i = 0; i < W * H; i++)
		wrong += got[i / W][i % W] != (i == 0 ? 8 : i == W * H - 1 ? 7 : 0);
	expect("stores outside", wrong, 0);
	follow<<<W * H, 1>>>(s);
	GOOD(cudaMemcpy2DFromArray(got, sizeof *got, a, 0, 0, sizeof *got, H, cudaMemcpyDeviceToHost));
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t;
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	GOOD(cudaCreateTextureObject(&t, &r, &d, NULL));
	GOOD(cudaMalloc((void **)&out, sizeof again));
	read_texture<<<H, W>>>(t, out);
	GOOD(cudaMemcpy(again, out, sizeof again, cudaMemcpyDeviceToHost));
	wrong = 0;
	for (int i = 0; i < W * H; i++)
		wrong += (got[i / W][i % W] != i + 1) + (again[i / W][i % W] != i + 1);
	expect("blocks in turn, and a texture of the same array", wrong, 0);
	GOOD(cudaDestroyTextureObject(t));
	expect("a texture is no surface", cudaDestroySurfaceObject(t), cudaErrorInvalidValue);
}

__global__ void wrong_place(cudaSurfaceObject_t s, int x)
{
	surf2Dwrite(1, s, x + 4 * (int)threadIdx.x, 3);
}

int main(int argc, char **argv)
{
	const cudaChannelFormatDesc word = cudaCreateChannelDesc<int>(), pair = cudaCreateChannelDesc<float2>(),
				    four = cudaCreateChannelDesc<float4>();
	cudaArray_t a = NULL;
	cudaSurfaceObject_t s = 0;
	if (argc > 1) {
		GOOD(cudaMallocArray(&a, &word, W, H, cudaArraySurfaceLoadStore));
		wrong_place<<<1, W>>>(object(a), strcmp(argv[1], "trap") == 0 ? 4 : 2);
		printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
		return 0;
	}
	check<unsigned char>("bytes", PLANE, cudaCreateChannelDesc<unsigned char>(), make_cudaExtent(W, H, 0), 0);
	check<short>("halves of words", PLANE, cudaCreateChannelDesc<short>(), make_cudaExtent(W, H, 0), 0);
	check<float>("words", PLANE, cudaCreateChannelDesc<float>(), make_cudaExtent(W, H, 0), 0);
	check<uchar4>("four bytes", PLANE, cudaCreateChannelDesc<uchar4>(), make_cudaExtent(W, H, 0), 0);
	check<float2>("pairs", PLANE, pair, make_cudaExtent(W, H, 0), 0);
	check<long long>("long words", PLANE, pair, make_cudaExtent(W, H, 0), 0);
	check<int4>("four words", PLANE, four, make_cudaExtent(W, H, 0), 0);
	check<int>("a line", LINE, word, make_cudaExtent(W, 0, 0), 0);
	check<int2>("space", SPACE, pair, make_cudaExtent(W, H, D), 0);
	check<int>("layers of lines", LINES, word, make_cudaExtent(W, 0, D), cudaArrayLayered);
	check<float4>("layers of planes", SHEETS, four, make_cudaExtent(W, H, D), cudaArrayLayered);
	check<int>("faces", CUBE, word, make_cudaExtent(W, W, 6), cudaArrayCubemap);
	check<int>("a reference to a line", LINE_NAME, word, make_cudaExtent(W, 0, 0), 0);
	check<float2>("a reference to a plane", PLANE_NAME, pair, make_cudaExtent(W, H, 0), 0);
	check<int>("a reference to layers", SHEETS_NAME, word, make_cudaExtent(W, H, D), cudaArrayLayered);
	GOOD(cudaMallocArray(&a, &word, W, H, cudaArraySurfaceLoadStore));
	s = object(a);
	order(a, s);
	GOOD(cudaDestroySurfaceObject(s));
	expect("twice", cudaDestroySurfaceObject(s), cudaErrorInvalidValue);
	GOOD(cudaFreeArray(a));
	GOOD(cudaMallocArray(&a, &word, W, H));
	expect("an array that is not for surfaces", cudaBindSurfaceToArray(plane, a), cudaErrorInvalidValue);
	printf("%d failures\n", failures);
	return failures != 0;
}
