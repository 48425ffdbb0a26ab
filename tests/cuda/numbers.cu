/* Numbers of 16 and 8 bits, complex ones, parts of words, functions that C has not, and random ones: kernels beside plain C on the
 * host. Prints the names that disagree. */
#include <cstdio>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <curand_kernel.h>

static int failures;
static void expect(const char *what, double got, double want, double off = 0)
{
	if (got == want || fabs(got - want) <= off * fabs(want) || (got != got && want != want))
		return;
	printf("%s: %.9g, not %.9g\n", what, got, want);
	failures++;
}

/* ---- 16 bits ---- */

/* Programs that were written for a toolkit without this function define it: theirs is taken, which here turns the sign. */
__device__ __nv_bfloat16 __ldcs(const __nv_bfloat16 *p)
{
	return __hneg(__ldcg(p));
}
__global__ void load_and_store(__nv_bfloat16 *b, __half2 *h)
{
	__stcs(b + 1, __ldcs(b));
	__stwt(b + 2, 5.0f);
	__stcs(h + 1, __ldcs(h));
}
static void check_loads()
{
	__nv_bfloat16 *b;
	__half2 *h;
	cudaMallocManaged(&b, 4 * sizeof *b);
	cudaMallocManaged(&h, 2 * sizeof *h);
	b[0] = 3.0f;
	h[0] = __floats2half2_rn(1.5f, 2.5f);
	load_and_store<<<1, 1>>>(b, h);
	cudaDeviceSynchronize();
	expect("a program's own load", (float)b[1], -3);
	expect("a store that converts", (float)b[2], 5);
	expect("a load and a store of two halves", 10 * (float)h[1].x + (float)h[1].y, 17.5);
}

enum { RESULTS = 24, PAIRS = 12 };
template <class T, class P> struct sixteen {
	T one[RESULTS];
	P two[PAIRS];
	T sum;
	P sums;
};

template <class T, class P> __global__ void compute(sixteen<T, P> *o, float x, float y)
{
	T a(x), b(y), nan(NAN);
	P p(a, b);
	int lane = (int)threadIdx.x, i = 0, k = 0;
	T mine((float)lane);
	P pair(mine, T(1.0f));
	T up = __shfl_up_sync(~0u, mine, 1), down = __shfl_down_sync(~0u, mine, 2), other = __shfl_xor_sync(~0u, mine, 3);
	P first = __shfl_sync(~0u, pair, 9);
	atomicAdd(&o->sum, T(1.0f));
	atomicAdd(&o->sums, P(T(0.5f), T(2.0f)));
	if (lane != 5)
		return;
	o->one[i++] = a + b;
	o->one[i++] = a - b;
	o->one[i++] = a * b;
	o->one[i++] = a / b;
	o->one[i++] = __hfma(a, b, a);
	o->one[i++] = -a;
	o->one[i++] = __habs(-a);
	o->one[i++] = hsqrt(a);
	o->one[i++] = hexp(b);
	o->one[i++] = __hmax(a, nan);
	o->one[i++] = __hmin_nan(a, nan);
	o->one[i++] = __hadd_sat(a, a);
	o->one[i++] = __hfma_relu(-a, b, T(0.0f));
	o->one[i++] = up;
	o->one[i++] = down;
	o->one[i++] = other;
	o->one[i++] = T((float)(__hlt(b, a) + 2 * __hgtu(nan, a) + 4 * __heq(nan, nan) + 8 * __hbge2(p, p)));
	o->one[i++] = a += b;
	__stcg(&o->one[i], __ldcg(&o->one[0]));
	i++;
	o->two[k++] = p + p;
	o->two[k++] = __hmul2(p, p);
	o->two[k++] = __hfma2(p, p, -p);
	o->two[k++] = __hle2(p, P(b, b));
	o->two[k++] = __hmax2(p, P(b, a));
	o->two[k++] = first;
	o->two[k++] = __ldg(&o->two[0]);
	o->two[k++] = h2rint(p);
}

template <class T, class P> static void check_sixteen(const char *name)
{
	sixteen<T, P> *o;
	const float x = 2.34375f, y = -0.40625f; /* in few bits */
	cudaMallocManaged(&o, sizeof *o);
	memset(o, 0, sizeof *o);
	compute<<<1, 32>>>(o, x, y);
	if (cudaDeviceSynchronize() != cudaSuccess)
		failures++;
	T s = T(x) + T(y);
	const float one[] = {x + y, x - y, x * y, x / y, fmaf(x, y, x), -x, x, sqrtf(x), expf(y), x, NAN, 1.0f, fmaxf(-x * y, 0.0f),
	                     4.0f, 7.0f, 6.0f, 11.0f, x + y, x + y};
	const float two[][2] = {{2 * x, 2 * y}, {x * x, y * y}, {x * x - x, y * y - y}, {0.0f, 1.0f}, {x, x + y},
	                        {9.0f, 1.0f}, {2 * x, 2 * y}, {2.0f, 0.0f}};
	for (unsigned i = 0; i < sizeof one / sizeof *one; i++) {
		char what[64];
		snprintf(what, sizeof what, "%s, result %u", name, i);
		expect(what, (float)o->one[i], (float)T(one[i]));
	}
	for (unsigned i = 0; i < sizeof two / sizeof *two; i++) {
		char what[64];
		snprintf(what, sizeof what, "%s, pair %u", name, i);
		expect(what, (float)o->two[i].x, (float)T(two[i][0]));
		expect(what, (float)o->two[i].y, (float)T(two[i][1]));
	}
	expect(name, (float)o->sum, 32);
	expect(name, (float)o->sums.x + (float)o->sums.y, 16 + 64);
	expect("on the host", (float)s, (float)T(x + y));
	cudaFree(o);
}

/* Down, up and towards zero: on either side of the program the same, and the nearest there. */
template <class T> struct directions {
	float down, up, zero;
	__host__ __device__ void set(float v);
};
template <> __host__ __device__ void directions<__half>::set(float v)
{
	down = __half2float(__float2half_rd(v));
	up = __half2float(__float2half_ru(v));
	zero = __half2float(__float2half_rz(v));
}
template <> __host__ __device__ void directions<__nv_bfloat16>::set(float v)
{
	down = __bfloat162float(__float2bfloat16_rd(v));
	up = __bfloat162float(__float2bfloat16_ru(v));
	zero = __bfloat162float(__float2bfloat16_rz(v));
}

template <class T> __global__ void round_in_directions(const float *x, directions<T> *o)
{
	o[threadIdx.x].set(x[threadIdx.x]);
}

template <class T> static void check_directions(const char *name)
{
	enum { N = 256 };
	float *x;
	directions<T> *o, host;
	unsigned seed = 3;
	const float some[] = {0.0f, -0.0f, 1.0f, -2.5f, 1e-8f, -1e-8f, 65519.0f, 70000.0f, -70000.0f, 6e-5f, INFINITY, -INFINITY};
	cudaMallocManaged(&x, N * sizeof *x);
	cudaMallocManaged(&o, N * sizeof *o);
	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		x[i] = i < (int)(sizeof some / sizeof *some)
		               ? some[i]
		               : ldexpf((float)(int)seed, (int)(seed >> 8) % 40 - 52);
	}
	round_in_directions<T><<<1, N>>>(x, o);
	if (cudaDeviceSynchronize() != cudaSuccess)
		failures++;
	for (int i = 0; i < N; i++) {
		const float v = x[i], near = (float)T(v), d = o[i].down, u = o[i].up;
		host.set(v);
		expect(name, d, host.down);
		expect(name, u, host.up);
		expect(name, o[i].zero, host.zero);
		expect(name, o[i].zero, v < 0 ? u : d);
		expect(name, d <= v && v <= u, 1);
		expect(name, near == d || near == u, 1);
		expect(name, v == near ? d == u : d < u && (isinf(u - d) || (float)T((d + u) / 2) != (d + u) / 2), 1);
	}
	cudaFree(x);
	cudaFree(o);
}

/* ---- 8 bits ---- */

__global__ void convert(const float *x, __nv_fp8_e4m3 *a, __nv_fp8_e5m2 *b, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n) {
		a[i] = __nv_fp8_e4m3(x[i]);
		b[i] = __nv_fp8_e5m2(x[i]);
	}
}

/* The nearest of all finite numbers of the type, the even one of two. */
static float nearest(float v, __nv_fp8_interpretation_t kind)
{
	float best = 0;
	for (int i = 0; i < 256; i++) {
		float z = __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)i, kind)));
		if (isfinite(z) && (fabsf(z - v) < fabsf(best - v) || (fabsf(z - v) == fabsf(best - v) && !(i & 1))))
			best = z;
	}
	return best;
}

static void check_eight()
{
	enum { N = 700 };
	float *x;
	__nv_fp8_e4m3 *a;
	__nv_fp8_e5m2 *b;
	cudaMallocManaged(&x, N * sizeof *x);
	cudaMallocManaged(&a, N);
	cudaMallocManaged(&b, N);
	unsigned seed = 1;
	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		x[i] = ldexpf((float)(seed >> 8 & 0xffff) / 32768.0f - 1.0f, (int)(seed >> 24) % 40 - 22);
	}
	convert<<<(N + 127) / 128, 128>>>(x, a, b, N);
	cudaDeviceSynchronize();
	for (int i = 0; i < N; i++) {
		expect("E4M3", (float)a[i], nearest(x[i], __NV_E4M3));
		expect("E5M2", (float)b[i], nearest(x[i], __NV_E5M2));
	}
	expect("E4M3 of much, without saturation", __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E4M3), 0x7f);
	expect("E5M2 of much, without saturation", __nv_cvt_float_to_fp8(-1e6f, __NV_NOSAT, __NV_E5M2), 0xfc);
	float4 four = float4(__nv_fp8x4_e4m3(make_float4(1.0f, -2.0f, 0.5f, 448.0f)));
	expect("four of 8 bits", four.x + 10 * four.y + 100 * four.z + four.w, 1 - 20 + 50 + 448);
	cudaFree(x);
	cudaFree(a);
	cudaFree(b);
}

/* ---- parts of words ---- */

enum { WORDS = 14 };
__global__ void parts(const unsigned *a, const unsigned *b, unsigned *o)
{
	unsigned x = a[threadIdx.x], y = b[threadIdx.x];
	o += threadIdx.x * WORDS;
	o[0] = __vadd4(x, y);
	o[1] = __vaddss2(x, y);
	o[2] = __vsubus4(x, y);
	o[3] = __vabsdiffs2(x, y);
	o[4] = __vmaxs4(x, y);
	o[5] = __vminu2(x, y);
	o[6] = __vcmpgts4(x, y);
	o[7] = __vseteq4(x, y);
	o[8] = __vsadu4(x, y);
	o[9] = __vavgu4(x, y);
	o[10] = __vabsss2(x);
	o[11] = __viaddmax_s16x2_relu(x, y, x);
	o[12] = (unsigned)__vimax3_s32((int)x, (int)y, 7);
	o[13] = __fns(x, 8, 2);
}

static int within(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}

static void check_parts()
{
	enum { N = 64 };
	unsigned *a, *b, *o, seed = 7;
	cudaMallocManaged(&a, N * sizeof *a);
	cudaMallocManaged(&b, N * sizeof *b);
	cudaMallocManaged(&o, N * WORDS * sizeof *o);
	for (int i = 0; i < N; i++) {
		a[i] = seed = seed * 1664525 + 1013904223;
		b[i] = seed = seed * 1664525 + 1013904223;
	}
	a[0] = 0x80008000, b[0] = 0xffff0001, a[1] = b[1] = 0x7f80ff00;
	parts<<<1, N>>>(a, b, o);
	cudaDeviceSynchronize();
	for (int i = 0; i < N; i++) {
		unsigned w[WORDS] = {0};
		for (int at = 0; at < 32; at += 8) {
			int x = (signed char)(a[i] >> at), y = (signed char)(b[i] >> at), u = x & 255, v = y & 255;
			w[0] |= (unsigned)(u + v & 255) << at;
			w[2] |= (unsigned)within(u - v, 0, 255) << at;
			w[4] |= (unsigned)((x > y ? x : y) & 255) << at;
			w[6] |= (x > y ? 255u : 0u) << at;
			w[7] |= (x == y ? 1u : 0u) << at;
			w[8] += (unsigned)abs(u - v);
			w[9] |= (unsigned)((u + v + 1) >> 1) << at;
		}
		for (int at = 0; at < 32; at += 16) {
			int x = (short)(a[i] >> at), y = (short)(b[i] >> at), s = (short)(x + y);
			w[1] |= (unsigned)(within(x + y, -32768, 32767) & 65535) << at;
			w[3] |= (unsigned)(abs(x - y) & 65535) << at;
			w[5] |= (unsigned)((x & 65535) < (y & 65535) ? x & 65535 : y & 65535) << at;
			w[10] |= (unsigned)(within(abs(x), 0, 32767) & 65535) << at;
			w[11] |= (unsigned)((s > x ? s : x) > 0 ? (s > x ? s : x) & 65535 : 0) << at;
		}
		int x = (int)a[i], y = (int)b[i], most = x > y ? x : y, second = 0;
		w[12] = (unsigned)(most > 7 ? most : 7);
		w[13] = ~0u;
		for (int at = 8; at < 32; at++)
			if (a[i] >> at & 1 && ++second == 2)
				w[13] = (unsigned)at;
		for (int k = 0; k < WORDS; k++) {
			char what[64];
			snprintf(what, sizeof what, "parts %d of %08x and %08x", k, a[i], b[i]);
			expect(what, o[i * WORDS + k], w[k]);
		}
	}
	cudaFree(a);
	cudaFree(b);
	cudaFree(o);
}

/* ---- functions and hinted accesses ---- */

__global__ void functions(double *o, float *f, float4 *v, unsigned char *c)
{
	int i = (int)threadIdx.x;
	double y = -0.99 + 0.0638 * i, t = exp(-0.7 * i * i);
	o[i] = erf(erfinv(y)) - y;
	o[32 + i] = erfc(erfcinv(t)) / t - 1;
	o[64 + i] = normcdf(normcdfinv((i + 0.5) / 40)) * 40 / (i + 0.5) - 1;
	o[96 + i] = cyl_bessel_i0(2.0 * i);
	cuDoubleComplex a = make_cuDoubleComplex(i, 2), b = make_cuDoubleComplex(1, i);
	o[128 + i] = cuCabs(cuCsub(cuCmul(cuCdiv(a, b), b), a));
	f[i] = __frsqrt_rn((float)i + 1);
	__stcs(v + 32 + i, __ldcs(v + i));
	__stcg(c + 32 + i, __ldcg(c + i));
}

static double bessel(double x)
{
	double sum = 1, term = 1;
	for (int k = 1; k < 400; k++) {
		term *= x * x / 4 / k / k;
		sum += term;
	}
	return sum;
}

static void check_functions()
{
	double *o;
	float *f;
	float4 *v;
	unsigned char *c;
	cudaMallocManaged(&o, 160 * sizeof *o);
	cudaMallocManaged(&f, 32 * sizeof *f);
	cudaMallocManaged(&v, 64 * sizeof *v);
	cudaMallocManaged(&c, 64);
	for (int i = 0; i < 32; i++) {
		v[i] = make_float4((float)i, 1, 2, 3);
		c[i] = (unsigned char)(200 + i);
	}
	functions<<<1, 32>>>(o, f, v, c);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++) {
		expect("erfinv", fabs(o[i]) < 1e-15, 1);
		expect("erfcinv", fabs(o[32 + i]) < 1e-11, 1);
		expect("normcdfinv", fabs(o[64 + i]) < 1e-14, 1);
		expect("cyl_bessel_i0", o[96 + i], bessel(2.0 * i), 1e-14);
		expect("cuCdiv, cuCmul", o[128 + i] < 1e-13, 1);
		expect("__frsqrt_rn", f[i], (float)(1 / sqrt(i + 1.0)));
		expect("__ldcs, __stcs", v[32 + i].x + v[32 + i].w, i + 3);
		expect("__ldcg, __stcg", c[32 + i], 200 + i);
	}
	expect("rsqrtf on the host", rsqrtf(4.0f), 0.5);
	expect("cospi on the host", cospi(1.5), 0);
	expect("normcdfinv on the host", normcdfinv(0.975), 1.959963984540054, 1e-14);
	expect("INT_MAX", INT_MAX, 2147483647);
	cudaFree(o);
	cudaFree(f);
	cudaFree(v);
	cudaFree(c);
}

/* ---- random numbers ---- */

enum { DRAWS = 2000, MOMENTS = 5 };
template <class S> __global__ void draw(double *o)
{
	S s;
	curand_init(1234, threadIdx.x, 7, &s);
	double sum[MOMENTS] = {0};
	for (int i = 0; i < DRAWS; i++) {
		double x = curand_normal(&s), y = curand_normal_double(&s);
		sum[0] += x;
		sum[1] += x * x + y * y;
		sum[2] += curand_uniform(&s);
		sum[3] += curand_poisson(&s, 3.5);
		sum[4] += curand_uniform_double(&s);
	}
	for (int k = 0; k < MOMENTS; k++)
		atomicAdd(&o[k], sum[k] / DRAWS / 64);
}

/* The second four numbers of a sequence, by skipping the first and by drawing them. */
__global__ void skip(uint4 *o)
{
	curandStatePhilox4_32_10_t s;
	curand_init(0, 0, 0, &s);
	o[0] = curand4(&s);
	curand_init(5, 2, 4, &s);
	o[1] = curand4(&s);
	curand_init(5, 2, 0, &s);
	curand4(&s);
	o[2] = curand4(&s);
}

template <class S> static void check_draws(const char *name)
{
	static const double mean[MOMENTS] = {0, 2, 0.5, 3.5, 0.5};
	double *o;
	cudaMallocManaged(&o, MOMENTS * sizeof *o);
	memset(o, 0, MOMENTS * sizeof *o);
	draw<S><<<1, 64>>>(o);
	cudaDeviceSynchronize();
	for (int k = 0; k < MOMENTS; k++)
		expect(name, fabs(o[k] - mean[k]) < 0.03, 1);
	cudaFree(o);
}

static void check_random()
{
	uint4 *o;
	check_draws<curandState>("mean of xorwow's numbers");
	check_draws<curandStatePhilox4_32_10_t>("mean of Philox' numbers");
	cudaMallocManaged(&o, 3 * sizeof *o);
	skip<<<1, 1>>>(o);
	cudaDeviceSynchronize();
	/* Known answer of counter 0 and key 0 (Salmon et al.). */
	expect("Philox", o[0].x == 0x6627e8d5 && o[0].y == 0xe169c58d && o[0].z == 0xbc57ac4c && o[0].w == 0x9b00dbd8, 1);
	expect("Philox' offset", memcmp(&o[1], &o[2], sizeof *o), 0);
	cudaFree(o);
}

/* Integers that lie between two halves. */
__global__ void integers_to_halves(float *to)
{
	to[0] = __half2float(__int2half_rd(-2049));
	to[1] = __half2float(__int2half_ru(-2049));
	to[2] = __half2float(__int2half_rz(-2051));
	to[3] = __half2float(__ull2half_rd(4097));
	to[4] = __half2float(__ull2half_ru(4097));
	to[5] = __half2float(__short2half_rd(2051));
	to[6] = __half2float(__ushort2half_ru(2051));
}

static void check_integers_to_halves()
{
	static const float want[] = {-2050, -2048, -2050, 4096, 4100, 2050, 2052};
	enum { N = sizeof want / sizeof *want };
	float *got = NULL;
	cudaMallocManaged(&got, sizeof want);
	integers_to_halves<<<1, 1>>>(got);
	cudaDeviceSynchronize();
	for (int i = 0; i < N; i++)
		expect("an integer as half", got[i], want[i]);
	cudaFree(got);
}

int main()
{
	check_loads();
	check_sixteen<half, half2>("half");
	check_sixteen<nv_bfloat16, nv_bfloat162>("nv_bfloat16");
	check_directions<__half>("half in a direction");
	check_directions<__nv_bfloat16>("nv_bfloat16 in a direction");
	check_integers_to_halves();
	check_eight();
	check_parts();
	check_functions();
	check_random();
	printf("%d failures\n", failures);
	return failures != 0;
}
