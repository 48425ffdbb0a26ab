/* Texture references and objects over linear memory, pitched memory and arrays, each against the plain computation;
 * and what another unit of the program has: a kernel and a variable of the same name. */
#include <stdio.h>

#include <cuda_runtime.h>

enum { W = 40, H = 24 };

texture<float, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> plane;

static __device__ int own;
int other_unit(void);

__global__ void read_line(float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = tex1Dfetch(line, i);
}

__global__ void read_plane(float *out)
{
	int x = threadIdx.x, y = blockIdx.x;
	out[y * W + x] = tex2D(plane, x + 1.5f, y - 0.5f);
}

__global__ void read_object(cudaTextureObject_t t, float *out)
{
	int x = threadIdx.x, y = blockIdx.x;
	out[y * W + x] = tex2D<float>(t, x + 0.5f, y + 0.5f) + own;
}

static float in[H][W], got[H][W];
static int bad;

static float at(int x, int y)
{
	x = x < 0 ? 0 : x >= W ? W - 1 : x;
	y = y < 0 ? 0 : y >= H ? H - 1 : y;
	return in[y][x];
}

static void compare(const char *what, float *out, int dx, int dy, float add)
{
	int wrong = 0;
	cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			wrong += got[y][x] != at(x + dx, y + dy) + add;
	printf("%s: %d wrong, %s\n", what, wrong, cudaGetErrorString(cudaGetLastError()));
	bad += wrong;
}

int main()
{
	float *linear, *out;
	size_t pitch, offset;
	cudaArray *array;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	for (int i = 0; i < W * H; i++)
		in[i / W][i % W] = i * 0.25f;
	cudaMalloc((void **)&linear, sizeof in);
	cudaMalloc((void **)&out, sizeof got);
	cudaMemcpy(linear, in, sizeof in, cudaMemcpyHostToDevice);
	cudaBindTexture(&offset, line, linear, desc, sizeof in);
	read_line<<<(W * H + 63) / 64, 64>>>(out, W * H);
	compare("reference to memory", out, 0, 0, 0);
	cudaMallocArray(&array, &desc, W, H);
	cudaMemcpyToArray(array, 0, 0, in, sizeof in, cudaMemcpyHostToDevice);
	plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
	cudaBindTextureToArray(plane, array, desc);
	read_plane<<<H, W>>>(out);
	compare("reference to an array", out, 1, -1, 0);

	float *pitched;
	int one = 1;
	cudaMemcpyToSymbol(own, &one, sizeof one);
	cudaResourceDesc r = {};
	cudaTextureDesc t = {};
	cudaTextureObject_t object;
	cudaMallocPitch((void **)&pitched, &pitch, W * sizeof(float), H);
	cudaMemcpy2D(pitched, pitch, in, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice);
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = pitched;
	r.res.pitch2D.desc = desc;
	r.res.pitch2D.width = W;
	r.res.pitch2D.height = H;
	r.res.pitch2D.pitchInBytes = pitch;
	cudaCreateTextureObject(&object, &r, &t, NULL);
	read_object<<<H, W>>>(object, out);
	compare("object of pitched memory", out, 0, 0, 1);
	cudaDestroyTextureObject(object);
	printf("the other unit has %d\n", other_unit());
	return bad != 0;
}
