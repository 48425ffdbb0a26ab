/* Arrays, textures and surfaces of the driver API: what is copied into them is what kernels read, as C says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/cuda/cuda.h"

#define FINE(call) assert_int_equal(call, CUDA_SUCCESS)
#define BAD(error, call) assert_int_equal(call, error)

/* read: out[i] = the texture's first channel at (x, y) of i; write: surface (x, y) = 7 x + y. Both of a block of W times H threads. */
static const char text[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .entry read(.param .u64 out, .param .u64 tex, .param .f32 scale)\n"
	"{ .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .f32 %f<10>;\n"
	"  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [tex]; ld.param.f32 %f1, [scale];\n"
	"  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x;\n"
	"  cvt.rn.f32.u32 %f2, %r1; cvt.rn.f32.u32 %f3, %r2;\n"
	"  add.f32 %f2, %f2, 0f3F000000; add.f32 %f3, %f3, 0f3F000000;\n"
	"  mul.f32 %f2, %f2, %f1; mul.f32 %f3, %f3, %f1;\n"
	"  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f2, %f3}];\n"
	"  mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3;\n"
	"  st.global.f32 [%rd4], %f4; ret; }\n"
	".visible .entry write(.param .u64 surf)\n"
	"{ .reg .b64 %rd<3>; .reg .b32 %r<6>;\n"
	"  ld.param.u64 %rd1, [surf]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;\n"
	"  mad.lo.u32 %r3, %r1, 7, %r2; shl.b32 %r4, %r1, 2;\n"
	"  sust.b.2d.b32.trap [%rd1, {%r4, %r2}], {%r3}; ret; }\n";

enum { W = 8, H = 4, D = 3 };

static CUcontext context;
static CUmodule module;

static int start(void **state)
{
	(void)state;
	return cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&module, text);
}

static int end(void **state)
{
	(void)state;
	return cuModuleUnload(module) || cuCtxDestroy(context);
}

static CUarray make(size_t width, size_t height, size_t depth, CUarray_format format, unsigned channels,
                    unsigned flags)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, format, channels, flags};
	CUarray a;
	FINE(cuArray3DCreate(&a, &d));
	return a;
}

static void arrays_are_described(void **state)
{
	CUDA_ARRAY_DESCRIPTOR d = {W, H, CU_AD_FORMAT_HALF, 2}, got;
	CUDA_ARRAY3D_DESCRIPTOR all;
	CUarray a;
	(void)state;
	FINE(cuArrayCreate(&a, &d));
	FINE(cuArrayGetDescriptor(&got, a));
	assert_true(got.Width == W && got.Height == H && got.Format == CU_AD_FORMAT_HALF &&
	            got.NumChannels == 2);
	FINE(cuArrayDestroy(a));
	BAD(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor(&got, a));
	a = make(W, H, D, CU_AD_FORMAT_SIGNED_INT16, 4, CUDA_ARRAY3D_LAYERED);
	FINE(cuArray3DGetDescriptor(&all, a));
	assert_true(all.Depth == D && all.Format == CU_AD_FORMAT_SIGNED_INT16 && all.NumChannels == 4 &&
	            all.Flags == CUDA_ARRAY3D_LAYERED);
	FINE(cuArrayDestroy(a));
	d.NumChannels = 3;
	BAD(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, &d));
	d = (CUDA_ARRAY_DESCRIPTOR){0, H, CU_AD_FORMAT_FLOAT, 1};
	BAD(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, &d));
	BAD(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, NULL));
}

static void boxes_are_copied(void **state)
{
	uint16_t host[D][H][W], box[2][2][3] = {{{0}}}, back[D][H][W];
	CUarray a = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
	CUdeviceptr p;
	(void)state;
	for (int i = 0; i < D * H * W; i++)
		(&host[0][0][0])[i] = (uint16_t)(i * 31);
	CUDA_MEMCPY3D c = {
		.srcMemoryType = CU_MEMORYTYPE_HOST,
		.srcHost = host,
		.srcPitch = sizeof host[0][0],
		.srcHeight = H,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstArray = a,
		.WidthInBytes = sizeof host[0][0],
		.Height = H,
		.Depth = D};
	FINE(cuMemcpy3D(&c));
	/* Three columns from the second on, two rows from the second on, the last two slices. */
	FINE(cuMemAlloc(&p, sizeof box));
	CUDA_MEMCPY3D part = {
		.srcXInBytes = 2,
		.srcY = 1,
		.srcZ = 1,
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = a,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = p,
		.WidthInBytes = sizeof box[0][0],
		.Height = 2,
		.Depth = 2};
	FINE(cuMemcpy3DAsync(&part, NULL));
	FINE(cuMemcpyDtoH(box, p, sizeof box));
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 2; y++)
			for (int x = 0; x < 3; x++)
				assert_int_equal(box[z][y][x], host[z + 1][y + 1][x + 1]);
	part.srcXInBytes = 1; /* half an element */
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&part));
	part.srcXInBytes = sizeof host[0][0];
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&part));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(NULL));
	c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
	c.srcDevice = (CUdeviceptr)(uintptr_t)host;
	FINE(cuMemcpy3D(&c));
	c = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
	                    .srcArray = a,
	                    .dstMemoryType = CU_MEMORYTYPE_HOST,
	                    .dstHost = back,
	                    .WidthInBytes = sizeof host[0][0],
	                    .Height = H,
	                    .Depth = D};
	FINE(cuMemcpy3D(&c));
	assert_memory_equal(back, host, sizeof host);
	FINE(cuMemFree(p));
	FINE(cuArrayDestroy(a));
}

static void lines_are_copied(void **state)
{
	uint32_t host[W], back[W] = {0};
	CUarray a = make(W, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0),
		b = make(W, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
	CUdeviceptr p;
	(void)state;
	for (unsigned i = 0; i < W; i++)
		host[i] = 1000 + i;
	FINE(cuMemAlloc(&p, sizeof host));
	FINE(cuMemcpyHtoA(a, 0, host, sizeof host));
	FINE(cuMemcpyAtoA(b, 4, a, 8, 16));
	FINE(cuMemcpyAtoD(p, b, 4, 16));
	FINE(cuMemcpyDtoA(b, 16, p, 16));
	FINE(cuMemcpyAtoH(back, b, 4, 28));
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(back[i], i < 3 ? 1002 + i : 1002 + i - 3);
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(a, sizeof host, host, 4));
	FINE(cuMemFree(p));
	FINE(cuArrayDestroy(a));
	FINE(cuArrayDestroy(b));
}

/* Runs "read" on a texture of the resource. */
static void read(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *s, float scale, float *out)
{
	CUtexObject t;
	CUdeviceptr p;
	CUfunction f;
	CUDA_RESOURCE_DESC same;
	CUDA_TEXTURE_DESC settings;
	FINE(cuTexObjectCreate(&t, r, s, NULL));
	FINE(cuTexObjectGetResourceDesc(&same, t));
	assert_int_equal(same.resType, r->resType);
	if (r->resType == CU_RESOURCE_TYPE_ARRAY)
		assert_ptr_equal(same.res.array.hArray, r->res.array.hArray);
	if (r->resType == CU_RESOURCE_TYPE_PITCH2D)
		assert_memory_equal(&same.res.pitch2D, &r->res.pitch2D, sizeof r->res.pitch2D);
	FINE(cuTexObjectGetTextureDesc(&settings, t));
	assert_true(settings.filterMode == s->filterMode &&
	            settings.addressMode[1] == s->addressMode[1]);
	FINE(cuMemAlloc(&p, W * H * sizeof *out));
	FINE(cuModuleGetFunction(&f, module, "read"));
	void *arguments[] = {&p, &t, &scale};
	FINE(cuLaunchKernel(f, 1, 1, 1, W, H, 1, 0, NULL, arguments, NULL));
	FINE(cuMemcpyDtoH(out, p, W * H * sizeof *out));
	FINE(cuMemFree(p));
	FINE(cuTexObjectDestroy(t));
	BAD(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(t));
}

static void textures_are_read(void **state)
{
	uint8_t host[H][W];
	float out[H * W];
	CUDA_ARRAY_DESCRIPTOR d = {W, H, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUDA_TEXTURE_DESC s = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
	size_t pitch;
	(void)state;
	for (int i = 0; i < H * W; i++)
		host[i / W][i % W] = (uint8_t)(i * 8);
	FINE(cuArrayCreate(&r.res.array.hArray, &d));
	CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
	                   .srcHost = host,
	                   .dstMemoryType = CU_MEMORYTYPE_ARRAY,
	                   .dstArray = r.res.array.hArray,
	                   .WidthInBytes = W,
	                   .Height = H};
	FINE(cuMemcpy2D(&c));
	read(&r, &s, 1, out); /* numbers in [0, 1] */
	for (int i = 0; i < H * W; i++)
		assert_true(out[i] == (float)(host[i / W][i % W] / 255.0));
	s.flags = CU_TRSF_SRGB;
	s.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
	s.borderColor[0] = 5;
	read(&r, &s, 1.5f, out); /* 48 is 0.02956 of the light, and the end of each row lies outside */
	assert_true(out[0] == 0 && out[W - 1] == 5 && out[4] > 0.02955f && out[4] < 0.02957f);
	CUarray array = r.res.array.hArray;
	/* The same from rows of memory, in coordinates of [0, 1] that go twice through them: every other texel. */
	r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D};
	r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
	r.res.pitch2D.numChannels = 1;
	r.res.pitch2D.width = W;
	r.res.pitch2D.height = H;
	FINE(cuMemAllocPitch(&r.res.pitch2D.devPtr, &pitch, W, H, 4));
	r.res.pitch2D.pitchInBytes = pitch;
	c = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
	                    .srcArray = array,
	                    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
	                    .dstDevice = r.res.pitch2D.devPtr,
	                    .dstPitch = pitch,
	                    .WidthInBytes = W,
	                    .Height = H};
	FINE(cuMemcpy2DAsync(&c, NULL));
	s.flags = CU_TRSF_NORMALIZED_COORDINATES;
	s.addressMode[0] = s.addressMode[1] = CU_TR_ADDRESS_MODE_WRAP;
	read(&r, &s, 2.0f / W, out);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			int from_x = (2 * x + 1) % W, from_y = (2 * y + 1) * H / W % H;
			assert_true(out[y * W + x] == (float)(host[from_y][from_x] / 255.0));
		}
	FINE(cuMemFree(r.res.pitch2D.devPtr));
	FINE(cuArrayDestroy(array));
}

/* Two levels by their handles, read by a kernel that asks for none: the first. */
static void chains_are_made(void **state)
{
	float host[H][W], out[H * W];
	CUDA_ARRAY3D_DESCRIPTOR d = {W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0}, got;
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY}, same;
	CUDA_TEXTURE_DESC s = {.flags = CU_TRSF_NORMALIZED_COORDINATES};
	CUmipmappedArray chain;
	CUarray level;
	CUtexObject t;
	(void)state;
	for (int i = 0; i < H * W; i++)
		host[i / W][i % W] = (float)i;
	FINE(cuMipmappedArrayCreate(&chain, &d, 2));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, chain, 2));
	FINE(cuMipmappedArrayGetLevel(&level, chain, 1));
	FINE(cuArray3DGetDescriptor(&got, level));
	assert_true(got.Width == W / 2 && got.Height == H / 2 && got.Depth == 0);
	BAD(CUDA_ERROR_INVALID_VALUE, cuArrayDestroy(level));
	FINE(cuMipmappedArrayGetLevel(&level, chain, 0));
	const CUDA_MEMCPY2D c = {
		.srcMemoryType = CU_MEMORYTYPE_HOST,
		.srcHost = host,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstArray = level,
		.WidthInBytes = sizeof host[0],
		.Height = H};
	FINE(cuMemcpy2D(&c));
	r.res.mipmap.hMipmappedArray = chain;
	FINE(cuTexObjectCreate(&t, &r, &s, NULL));
	FINE(cuTexObjectGetResourceDesc(&same, t));
	assert_ptr_equal(same.res.mipmap.hMipmappedArray, chain);
	FINE(cuTexObjectDestroy(t));
	read(&r, &s, 1.0f / W, out);
	for (int i = 0; i < H * W; i++)
		assert_true(out[i] == host[(2 * (i / W) + 1) * H / (2 * W)][i % W]);
	s.flags = 0;
	BAD(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&t, &r, &s, NULL));
	FINE(cuMipmappedArrayDestroy(chain));
	BAD(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(chain));
	BAD(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayGetLevel(&level, chain, 0));
}

static void surfaces_are_written(void **state)
{
	uint32_t back[H][W];
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY}, same;
	CUsurfObject o;
	CUfunction f;
	(void)state;
	r.res.array.hArray = make(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
	BAD(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&o, &r));
	FINE(cuArrayDestroy(r.res.array.hArray));
	r.res.array.hArray = make(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
	FINE(cuSurfObjectCreate(&o, &r));
	FINE(cuSurfObjectGetResourceDesc(&same, o));
	assert_ptr_equal(same.res.array.hArray, r.res.array.hArray);
	FINE(cuModuleGetFunction(&f, module, "write"));
	void *arguments[] = {&o};
	FINE(cuLaunchKernel(f, 1, 1, 1, W, H, 1, 0, NULL, arguments, NULL));
	CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
	                   .srcArray = r.res.array.hArray,
	                   .dstMemoryType = CU_MEMORYTYPE_HOST,
	                   .dstHost = back,
	                   .WidthInBytes = sizeof back[0],
	                   .Height = H};
	FINE(cuMemcpy2DUnaligned(&c));
	for (unsigned y = 0; y < H; y++)
		for (unsigned x = 0; x < W; x++)
			assert_int_equal(back[y][x], 7 * x + y);
	FINE(cuSurfObjectDestroy(o));
	BAD(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(o));
	FINE(cuArrayDestroy(r.res.array.hArray));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_described), cmocka_unit_test(boxes_are_copied),
		cmocka_unit_test(lines_are_copied),     cmocka_unit_test(textures_are_read),
		cmocka_unit_test(chains_are_made),      cmocka_unit_test(surfaces_are_written),
	};
	return cmocka_run_group_tests(tests, start, end);
}
