/* Mipmapped arrays: levels that copies and kernels fill, read by levels and gradients, each against plain C. Prints what is not as it
 * should be. */
#include <cmath>
#include <cstdio>
#include <vector>

#include "expect.h"
#define GOOD(call) expect(#call, call, cudaSuccess)

enum { W = 16, H = 8, D = 4, LEVELS = 5, N = 256 };

/* Where each thread reads. */
struct place {
	float x, y, z, level;
};
enum how { LINE, PLANE, VOLUME, LAYER, CUBE, GRADIENT, FIRST };

__global__ void read(enum how how, cudaTextureObject_t t, const place *p, float *to)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const float x = p[i].x, y = p[i].y, z = p[i].z, level = p[i].level;
	switch (how) {
	case LINE: to[i] = tex1DLod<float>(t, x, level); break;
	case PLANE: to[i] = tex2DLod<float>(t, x, y, level); break;
	case VOLUME: to[i] = tex3DLod<float>(t, x, y, z, level); break;
	case LAYER: to[i] = tex2DLayeredLod<float>(t, x, y, i % D, level); break;
	case CUBE: to[i] = texCubemapLod<float>(t, 1, 2 * x - 1, 2 * y - 1, level); break;
	case GRADIENT: {
		const float s = exp2f(level) / W;
		to[i] = tex2DGrad<float>(t, x, y, make_float2(0.6f * s, 0.8f * s * W / H), make_float2(s / 2, 0));
		break;
	}
	case FIRST: to[i] = tex2D<float>(t, x, y); break;
	}
}

__global__ void fill(cudaSurfaceObject_t s, int width, int height, float first)
{
	const int x = (int)threadIdx.x, y = (int)threadIdx.y;
	if (x < width && y < height)
		surf2Dwrite(first + x + 100.0f * y, s, x * (int)sizeof(float), y);
}

static int part(int n, int level)
{
	return n >> level ? n >> level : 1;
}

/* What the texel has that the chain is filled with. */
static float texel(int level, int x, int y, int z)
{
	return 1000.0f * level + x + 100.0f * y + 0.25f * z;
}

/* A chain whose levels have those texels; depth counts layers where there are any. */
static cudaMipmappedArray_t make(cudaExtent e, unsigned flags, int levels)
{
	const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t chain = NULL;
	GOOD(cudaMallocMipmappedArray(&chain, &desc, e, levels, flags));
	for (int l = 0; l < levels; l++) {
		const int w = part((int)e.width, l), h = e.height ? part((int)e.height, l) : 1;
		const int d = !e.depth ? 1 : flags ? (int)e.depth : part((int)e.depth, l);
		std::vector<float> texels;
		for (int i = 0; i < w * h * d; i++)
			texels.push_back(texel(l, i % w, i / w % h, i / w / h));
		cudaMemcpy3DParms p = {};
		GOOD(cudaGetMipmappedArrayLevel(&p.dstArray, chain, l));
		p.srcPtr = make_cudaPitchedPtr(texels.data(), w * sizeof(float), w, h);
		p.extent = make_cudaExtent(w, h, d);
		p.kind = cudaMemcpyHostToDevice;
		GOOD(cudaMemcpy3D(&p));
	}
	return chain;
}

static cudaTextureObject_t object(cudaMipmappedArray_t chain, int linear, float bias)
{
	cudaTextureObject_t t = 0;
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = chain;
	for (int i = 0; i < 3; i++)
		d.addressMode[i] = cudaAddressModeClamp;
	d.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	d.mipmapLevelBias = bias;
	d.maxMipmapLevelClamp = 3.5f;
	expect("coordinates of a chain that are not normalized", cudaCreateTextureObject(&t, &r, &d, NULL),
	       cudaErrorInvalidValue);
	d.normalizedCoords = 1;
	GOOD(cudaCreateTextureObject(&t, &r, &d, NULL));
	return t;
}

/* The nearest texel of a level. */
static float nearest(enum how how, int level, const place &p, int i)
{
	const int w = part(W, level), h = part(how == CUBE ? W : H, level), d = part(D, level);
	const int x = (int)(p.x * w), y = (int)(p.y * h), z = (int)(p.z * d);
	switch (how) {
	case LINE: return texel(level, x, 0, 0);
	case VOLUME: return texel(level, x, y, z);
	case LAYER: return texel(level, x, y, i % D);
	/* Of the direction (1, y, z) face 0 has -z along its rows and -y down its columns. */
	case CUBE: return texel(level, (int)((1 - p.y) * w), (int)((1 - p.x) * h), 0);
	default: return texel(level, x, y, 0);
	}
}

static void compare(const char *what, enum how how, cudaTextureObject_t t, int linear, float bias, int levels)
{
	std::vector<place> places(N);
	std::vector<float> got(N);
	place *there;
	float *out;
	int wrong = 0;
	for (int i = 0; i < N; i++) /* never on an edge between texels, and levels that a weight has exactly */
		places[i] = {(i * 37 % 64 + 0.37f) / 64, (i * 11 % 32 + 0.43f) / 32, (i * 5 % 16 + 0.41f) / 16,
		             (i % 80 - 8) / 16.0f + 1 / 64.0f};
	GOOD(cudaMalloc(&there, N * sizeof(place)));
	GOOD(cudaMalloc(&out, N * sizeof(float)));
	GOOD(cudaMemcpy(there, places.data(), N * sizeof(place), cudaMemcpyHostToDevice));
	read<<<N / 64, 64>>>(how, t, there, out);
	GOOD(cudaMemcpy(got.data(), out, N * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++) {
		const float most = fminf(3.5f, levels - 1.0f);
		const float level = how == FIRST ? 0 : fminf(fmaxf(places[i].level + bias, 0), most);
		const int lower = linear ? (int)level : (int)ceilf(level - 0.5f);
		const float u = linear ? level - lower : 0;
		const float upper = u ? nearest(how, lower + 1, places[i], i) : 0;
		const float want = (1 - u) * nearest(how, lower, places[i], i) + u * upper;
		/* A gradient's length is rounded: its weight may be the next of 256. */
		wrong += !(fabsf(got[i] - want) <= (how == GRADIENT && linear ? 8 : 0.01f));
	}
	expect(what, wrong, 0);
	GOOD(cudaFree(there));
	GOOD(cudaFree(out));
}

static void shapes()
{
	static const struct {
		const char *what;
		enum how how;
		cudaExtent extent;
		unsigned flags;
	} all[] = {{"lines", LINE, {W, 0, 0}, 0},
	           {"planes", PLANE, {W, H, 0}, 0},
	           {"volumes", VOLUME, {W, H, D}, 0},
	           {"layers", LAYER, {W, H, D}, cudaArrayLayered},
	           {"a cube map", CUBE, {W, W, 6}, cudaArrayCubemap},
	           {"planes by gradients", GRADIENT, {W, H, 0}, 0},
	           {"planes without a level", FIRST, {W, H, 0}, 0}};
	for (const auto &s : all)
		for (int k = 0; k < 4; k++) {
			const int linear = k & 1, levels = k & 2 ? 3 : LEVELS;
			const float bias = k & 2 ? 0.25f : 0;
			cudaMipmappedArray_t chain = make(s.extent, s.flags, levels);
			cudaTextureObject_t t = object(chain, linear, bias);
			compare(s.what, s.how, t, linear, bias, levels);
			GOOD(cudaDestroyTextureObject(t));
			GOOD(cudaFreeMipmappedArray(chain));
		}
}

/* A kernel fills a level that another reads, as programs make chains. */
static void surfaces()
{
	const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t chain;
	GOOD(cudaMallocMipmappedArray(&chain, &desc, make_cudaExtent(W, H, 0), 99));
	for (int l = 0; l < LEVELS; l++) {
		cudaResourceDesc r = {};
		cudaSurfaceObject_t s;
		r.resType = cudaResourceTypeArray;
		GOOD(cudaGetMipmappedArrayLevel(&r.res.array.array, chain, l));
		GOOD(cudaCreateSurfaceObject(&s, &r));
		fill<<<1, dim3(W, H)>>>(s, part(W, l), part(H, l), 1000.0f * l);
		GOOD(cudaDestroySurfaceObject(s));
		expect("a level is freed with its chain alone", cudaFreeArray(r.res.array.array), cudaErrorInvalidValue);
	}
	cudaTextureObject_t t = object(chain, 0, 0);
	compare("levels that a kernel has filled", PLANE, t, 0, 0, LEVELS);
	GOOD(cudaDestroyTextureObject(t));
	cudaArray_t level;
	expect("a level behind the last", cudaGetMipmappedArrayLevel(&level, chain, LEVELS), cudaErrorInvalidValue);
	GOOD(cudaFreeMipmappedArray(chain));
	expect("a chain is freed once", cudaFreeMipmappedArray(chain), cudaErrorInvalidResourceHandle);
	expect("a chain that is gone", cudaGetMipmappedArrayLevel(&level, chain, 0), cudaErrorInvalidResourceHandle);
}

int main()
{
	size_t before, after, all;
	GOOD(cudaMemGetInfo(&before, &all));
	shapes();
	surfaces();
	GOOD(cudaMemGetInfo(&after, &all));
	expect("bytes that are left", (long long)after, (long long)before);
	printf("%d failures\n", failures);
	return failures != 0;
}
