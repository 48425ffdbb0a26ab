/* cuFFT beside direct sums in double precision: all types, many lengths, one to three dimensions, layouts, in place and not; graphs, work areas. */
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <cufftXt.h>

#include "expect.h"

#define GOOD(call) expect(#call, call, CUFFT_SUCCESS)

typedef long long wide;
struct number {
	double re, im;
};
typedef std::vector<number> numbers;

static const cufftType types[] = {CUFFT_C2C, CUFFT_Z2Z, CUFFT_R2C, CUFFT_D2Z, CUFFT_C2R, CUFFT_Z2D};
static bool is_double(cufftType t)
{
	return t == CUFFT_Z2Z || t == CUFFT_D2Z || t == CUFFT_Z2D;
}
static bool is_from_real(cufftType t)
{
	return t == CUFFT_R2C || t == CUFFT_D2Z;
}
static bool is_to_real(cufftType t)
{
	return t == CUFFT_C2R || t == CUFFT_Z2D;
}

static double noise()
{
	static unsigned state = 1;
	state = state * 1664525u + 1013904223u;
	return float(state >> 8) / (1 << 24) - 0.5f;
}

/* ---- the direct sums ---- */

static std::vector<number> circle(wide n, int sign)
{
	std::vector<number> w(n);
	for (wide k = 0; k < n; k++)
		w[k] = {cos(2 * M_PI * double(k) / double(n)), sign * sin(2 * M_PI * double(k) / double(n))};
	return w;
}
static number sum_of(const number *v, wide n, wide apart, wide k, const std::vector<number> &w)
{
	number sum = {0, 0};
	for (wide j = 0, turn = 0; j < n; j++, turn += k, turn -= turn < n ? 0 : n) {
		const number a = v[j * apart], b = w[turn];
		sum.re += a.re * b.re - a.im * b.im;
		sum.im += a.re * b.im + a.im * b.re;
	}
	return sum;
}
/* All lines of one dimension of an array of n[0] to n[3]. */
static void transform_lines(numbers &v, const wide *n, int dimension, int sign)
{
	wide apart = 1, length = n[dimension];
	for (int d = dimension + 1; d < 4; d++)
		apart *= n[d];
	const std::vector<number> w = circle(length, sign);
	numbers line(length);
	for (size_t first = 0; first < v.size(); first++)
		if (wide(first) / apart % length == 0) {
			for (wide k = 0; k < length; k++)
				line[k] = sum_of(&v[first], length, apart, k, w);
			for (wide k = 0; k < length; k++)
				v[first + k * apart] = line[k];
		}
}

/* ---- plans and their layouts ---- */

/* Numbers of one side: those of batches, of three dimensions and how far apart they lie. */
struct side {
	wide count[4], stride[4];
	bool real;
	wide size() const
	{
		wide last = 1;
		for (int d = 0; d < 4; d++)
			last += (count[d] - 1) * stride[d];
		return last * (real ? 1 : 2);
	}
	template <class F> void each(const F &visit) const
	{
		wide i[4];
		for (i[0] = 0; i[0] < count[0]; i[0]++)
			for (i[1] = 0; i[1] < count[1]; i[1]++)
				for (i[2] = 0; i[2] < count[2]; i[2]++)
					for (i[3] = 0; i[3] < count[3]; i[3]++)
						visit(i, (i[0] * stride[0] + i[1] * stride[1] + i[2] * stride[2] + i[3] * stride[3]) * (real ? 1 : 2));
	}
};

struct shape {
	int rank;
	wide n[3], batch;
	wide embed[2][3], stride[2], distance[2]; /* of input and output; stride 0: as in an array */
};

/* The side of a plan for these dimensions. */
static side side_of(const shape &s, cufftType type, bool input, bool in_place)
{
	side to = {{s.batch, 1, 1, 1}, {0, 0, 0, 0}, input ? is_from_real(type) : is_to_real(type)};
	bool halved = is_from_real(type) || is_to_real(type);
	wide row = s.n[s.rank - 1], half = row / 2 + 1;
	for (int d = 0; d < s.rank; d++)
		to.count[4 - s.rank + d] = s.n[d];
	if (halved && !to.real)
		to.count[3] = half;
	wide stride = 1;
	if (s.stride[0] == 0) {
		for (int d = 3; d >= 0; d--) {
			to.stride[d] = stride;
			stride *= d < 3 ? to.count[d] : to.real && in_place ? 2 * half : to.count[3];
		}
		return to;
	}
	stride = s.stride[!input];
	for (int d = s.rank - 1; d >= 0; d--) {
		to.stride[4 - s.rank + d] = stride;
		stride *= s.embed[!input][d];
	}
	to.stride[0] = s.distance[!input];
	return to;
}

/* Numbers in memory as the type has them, and what should be there. */
struct memory {
	bool twice;
	size_t n;
	void *device;
	memory(bool twice_, wide n_) : twice(twice_), n(size_t(n_)), device(nullptr)
	{
		cudaMalloc(&device, n * bytes());
	}
	~memory()
	{
		cudaFree(device);
	}
	size_t bytes() const
	{
		return twice ? sizeof(double) : sizeof(float);
	}
	void put(const std::vector<double> &v)
	{
		const std::vector<float> f(v.begin(), v.end());
		cudaMemcpy(device, twice ? (const void *)v.data() : f.data(), v.size() * bytes(), cudaMemcpyHostToDevice);
	}
	std::vector<double> get() const
	{
		std::vector<double> v(n);
		std::vector<float> f(n);
		cudaMemcpy(twice ? (void *)v.data() : f.data(), device, n * bytes(), cudaMemcpyDeviceToHost);
		return twice ? v : std::vector<double>(f.begin(), f.end());
	}
};

static cufftResult execute(cufftHandle plan, cufftType type, void *in, void *out, int sign)
{
	switch (type) {
	case CUFFT_C2C: return cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, sign);
	case CUFFT_Z2Z: return cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, sign);
	case CUFFT_R2C: return cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out);
	case CUFFT_D2Z: return cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
	case CUFFT_C2R: return cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out);
	default: return cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
	}
}

static cufftHandle plan_of(const shape &s, cufftType type)
{
	cufftHandle plan = 0;
	int n[3], embed[2][3];
	for (int d = 0; d < 3; d++) {
		n[d] = int(s.n[d]);
		embed[0][d] = int(s.embed[0][d]);
		embed[1][d] = int(s.embed[1][d]);
	}
	if (s.stride[0])
		GOOD(cufftPlanMany(&plan, s.rank, n, embed[0], int(s.stride[0]), int(s.distance[0]), embed[1], int(s.stride[1]), int(s.distance[1]), type,
		                   int(s.batch)));
	else if (s.rank == 1)
		GOOD(cufftPlan1d(&plan, n[0], type, int(s.batch)));
	else if (s.batch > 1)
		GOOD(cufftPlanMany(&plan, s.rank, n, nullptr, 1, 0, nullptr, 1, 0, type, int(s.batch)));
	else if (s.rank == 2)
		GOOD(cufftPlan2d(&plan, n[0], n[1], type));
	else
		GOOD(cufftPlan3d(&plan, n[0], n[1], n[2], type));
	return plan;
}

/* ---- what is compared ---- */

static void write(std::vector<double> &to, const side &s, const numbers &from, const wide *n)
{
	s.each([&](const wide *i, wide at) {
		const number &v = from[((i[0] * n[1] + i[1]) * n[2] + i[2]) * n[3] + i[3]];
		to[at] = v.re;
		if (!s.real)
			to[at + 1] = v.im;
	});
}

/* The numbers that a transform has, and those that it should give. */
static void make_numbers(const shape &s, cufftType type, int sign, numbers &in, numbers &out, wide *n)
{
	n[0] = s.batch;
	n[1] = n[2] = n[3] = 1;
	for (int d = 0; d < s.rank; d++)
		n[4 - s.rank + d] = s.n[d];
	in.resize(size_t(n[0] * n[1] * n[2] * n[3]));
	for (number &v : in) {
		v.re = noise();
		v.im = is_from_real(type) || is_to_real(type) ? 0 : noise();
	}
	out = in;
	for (int d = 1; d < 4; d++)
		transform_lines(out, n, d, is_from_real(type) || is_to_real(type) ? -1 : sign);
	if (!is_to_real(type))
		return;
	in.swap(out);
	for (number &v : out)
		v.re *= double(n[1] * n[2] * n[3]);
}

/* The relative error of the places that `s` has; all others must be as they were. */
static void compare(const std::string &what, const std::vector<double> &got, const std::vector<double> &want, const side &s, bool twice)
{
	double error = 0, norm = 0;
	std::vector<char> is_written(got.size());
	s.each([&](const wide *, wide at) {
		for (wide k = at; k < at + (s.real ? 1 : 2); k++) {
			is_written[size_t(k)] = 1;
			error += (got[size_t(k)] - want[size_t(k)]) * (got[size_t(k)] - want[size_t(k)]);
			norm += want[size_t(k)] * want[size_t(k)];
		}
	});
	if (!(sqrt(error / norm) < (twice ? 4e-15 : 3e-7))) {
		printf("%s: error %g\n", what.c_str(), sqrt(error / norm));
		failures++;
	}
	size_t changed = 0;
	for (size_t i = 0; i < got.size(); i++)
		changed += !is_written[i] && got[i] != want[i];
	expect((what + ": numbers beside").c_str(), (wide)changed, 0);
}

static void check(const shape &s, cufftType type, bool in_place, int sign)
{
	numbers from, to;
	wide n[4];
	const side in = side_of(s, type, true, in_place), out = side_of(s, type, false, in_place);
	std::string what = "type " + std::to_string(type - 0x20) + (in_place ? " in place" : "") + " of";
	for (int d = 0; d < s.rank; d++)
		what += " " + std::to_string(s.n[d]);
	make_numbers(s, type, sign, from, to, n);
	wide size = in_place && out.size() > in.size() ? out.size() : in.size();
	std::vector<double> input(size_t(size), 7), output(size_t(out.size()), 9);
	write(input, in, from, n);
	memory a(is_double(type), size), b(is_double(type), out.size());
	a.put(input);
	b.put(output);
	cufftHandle plan = plan_of(s, type);
	GOOD(execute(plan, type, a.device, in_place ? a.device : b.device, sign));
	GOOD(cufftDestroy(plan));
	if (in_place) {
		output = a.get();
		input = output; /* what lies beside the numbers of rows in place is nobody's */
		write(input, out, to, n);
		compare(what, output, input, out, is_double(type));
		return;
	}
	write(output, out, to, n);
	compare(what, b.get(), output, out, is_double(type));
	const std::vector<float> exact(input.begin(), input.end());
	if (!is_double(type))
		input.assign(exact.begin(), exact.end());
	expect((what + ": input kept").c_str(), a.get() == input, 1);
}
/* Each type both ways. */
static void check_all(const shape &s)
{
	for (cufftType type : types)
		for (int in_place = 0; in_place < 2; in_place++)
			check(s, type, in_place, (s.n[0] + in_place) % 2 ? CUFFT_FORWARD : CUFFT_INVERSE);
}

/* ---- tests ---- */

static void test_lengths()
{
	for (wide n = 1; n <= 40; n++)
		check_all({1, {n}, n % 3 + 1});
	const wide lengths[] = {49, 64, 100, 121, 127, 128, 210, 256, 405, 512};
	for (wide n : lengths)
		check_all({1, {n}, 2});
}

/* Lengths that take several passes, and convolutions of one or several: some numbers of each, and there and back again. */
static void check_long(cufftType forward, cufftType inverse, wide n)
{
	bool twice = is_double(forward), real = is_from_real(forward);
	std::string what = "long " + std::to_string(n) + (twice ? " double" : "") + (real ? " real" : "");
	wide parts = real ? 1 : 2, half = real ? n / 2 + 1 : n;
	numbers v(n);
	std::vector<double> in(size_t(n * parts));
	for (wide i = 0; i < n; i++) {
		in[size_t(i * parts)] = v[size_t(i)].re = noise();
		v[size_t(i)].im = real ? 0 : in[size_t(i * parts + 1)] = noise();
	}
	memory a(twice, n * parts), b(twice, half * 2), c(twice, n * parts);
	a.put(in);
	cufftHandle there, back;
	GOOD(cufftPlan1d(&there, int(n), forward, 1));
	GOOD(cufftPlan1d(&back, int(n), inverse, 1));
	GOOD(execute(there, forward, a.device, b.device, CUFFT_FORWARD));
	GOOD(execute(back, inverse, b.device, c.device, CUFFT_INVERSE));
	GOOD(cufftDestroy(there));
	GOOD(cufftDestroy(back));
	std::vector<double> got = b.get(), again = c.get();
	const std::vector<number> w = circle(n, -1);
	const double tolerance = (twice ? 2e-13 : 5e-6) * sqrt(double(n));
	for (wide i = 0; i < 12; i++) {
		wide k = i == 11 ? half - 1 : i * (half / 11);
		number want = sum_of(v.data(), n, 1, k, w);
		if (!(fabs(got[size_t(2 * k)] - want.re) + fabs(got[size_t(2 * k + 1)] - want.im) < tolerance)) {
			printf("%s: number %lld is %g %g, not %g %g\n", what.c_str(), k, got[size_t(2 * k)], got[size_t(2 * k + 1)], want.re, want.im);
			failures++;
		}
	}
	double most = 0;
	for (size_t i = 0; i < in.size(); i++)
		most = fmax(most, fabs(again[i] / double(n) - in[i]));
	if (!(most < (twice ? 1e-14 : 5e-6))) {
		printf("%s: there and back differs by %g\n", what.c_str(), most);
		failures++;
	}
}
static void test_long()
{
	const wide lengths[] = {1000, 1009, 4096, 4098, 5003, 8192, 9375, 14406, 16384, 16386};
	for (wide n : lengths) {
		check_long(CUFFT_C2C, CUFFT_C2C, n);
		check_long(CUFFT_R2C, CUFFT_C2R, n);
		check_long(CUFFT_Z2Z, CUFFT_Z2Z, n);
		check_long(CUFFT_D2Z, CUFFT_Z2D, n);
	}
	check_long(CUFFT_R2C, CUFFT_C2R, 823543); /* 7^7, of three passes */
}

static void test_dimensions()
{
	check_all({2, {8, 12}, 1});
	check_all({2, {5, 7}, 3});
	check_all({2, {11, 6}, 1});
	check_all({2, {1, 9}, 2});
	check_all({2, {9, 1}, 1});
	check_all({2, {64, 33}, 1});
	check_all({3, {4, 5, 6}, 1});
	check_all({3, {3, 8, 2}, 2});
	check_all({3, {2, 1, 15}, 1});
	check({2, {4096, 3}, 1}, CUFFT_C2C, false, CUFFT_FORWARD);
	check({2, {1031, 3}, 1}, CUFFT_Z2D, false, CUFFT_INVERSE);
}

static void test_layouts()
{
	/* Every third number, with room behind rows; batches beside each other; a part of a larger array. */
	const shape spaced = {1, {20}, 4, {{20}, {20}}, {3, 2}, {70, 50}};
	const shape beside = {1, {24}, 5, {{24}, {24}}, {5, 5}, {1, 1}};
	const shape part = {2, {6, 10}, 3, {{7, 13}, {9, 11}}, {2, 1}, {190, 101}};
	const shape odd = {1, {15}, 3, {{15}, {15}}, {1, 2}, {17, 40}};
	const shape chirp = {1, {26}, 7, {{26}, {26}}, {7, 7}, {1, 1}};
	const shape deep = {3, {3, 4, 6}, 2, {{3, 5, 7}, {4, 4, 8}}, {1, 1}, {110, 130}};
	const shape *const all[] = {&spaced, &beside, &part, &odd, &chirp, &deep};
	for (const shape *s : all)
		for (cufftType type : types)
			check(*s, type, false, type % 2 ? CUFFT_FORWARD : CUFFT_INVERSE);
	check({1, {4096}, 3, {{4096}, {4096}}, {3, 1}, {1, 4096}}, CUFFT_C2C, false, CUFFT_INVERSE);
	check({1, {4096}, 3, {{4096}, {4096}}, {3, 3}, {1, 1}}, CUFFT_R2C, false, CUFFT_FORWARD);
	check({1, {8192}, 2, {{8192}, {8192}}, {1, 1}, {4098, 8193}}, CUFFT_C2R, false, CUFFT_INVERSE);
	check({1, {32}, 3, {{32}, {32}}, {1, 1}, {32, 32}}, CUFFT_Z2Z, true, CUFFT_FORWARD);
	check({2, {6, 10}, 3, {{6, 12}, {6, 6}}, {1, 1}, {72, 36}}, CUFFT_R2C, true, CUFFT_FORWARD);
	check({2, {6, 10}, 3, {{6, 6}, {6, 12}}, {1, 1}, {36, 72}}, CUFFT_Z2D, true, CUFFT_INVERSE);
}

/* The imaginary parts of numbers 0 and n / 2 have no part in a real result. */
static void test_ends()
{
	std::vector<double> v(2 * 5), want(8, 3);
	v[0] = 3;
	v[1] = 5;
	v[9] = 7;
	memory in(true, 10), out(true, 8);
	in.put(v);
	cufftHandle plan;
	GOOD(cufftPlan1d(&plan, 8, CUFFT_Z2D, 1));
	GOOD(cufftExecZ2D(plan, (cufftDoubleComplex *)in.device, (cufftDoubleReal *)out.device));
	GOOD(cufftDestroy(plan));
	expect("imaginary parts at the ends", out.get() == want, 1);
}

/* A work area of the caller's, a stream, types by cufftXt, and a graph that does it when it is launched. */
static void test_work_and_graph()
{
	wide n[2] = {4, 4096};
	const shape s = {2, {4, 4096}, 1};
	numbers from, to;
	wide all[4];
	size_t bytes = 0, estimated = 0, sized = 0;
	cufftHandle plan;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	void *area = nullptr;
	GOOD(cufftCreate(&plan));
	GOOD(cufftSetAutoAllocation(plan, 0));
	GOOD(cufftXtMakePlanMany(plan, 2, n, nullptr, 1, 0, CUDA_C_64F, nullptr, 1, 0, CUDA_C_64F, 1, &bytes, CUDA_C_64F));
	GOOD(cufftGetSize(plan, &sized));
	expect("bytes", (wide)sized, (wide)bytes);
	GOOD(cufftEstimate2d(4, 4096, CUFFT_Z2Z, &estimated));
	expect("estimate", (wide)estimated, (wide)bytes);
	make_numbers(s, CUFFT_Z2Z, CUFFT_FORWARD, from, to, all);
	const side where = side_of(s, CUFFT_Z2Z, true, false);
	std::vector<double> in(size_t(where.size())), want = in;
	write(in, where, from, all);
	write(want, where, to, all);
	memory a(true, where.size()), b(true, where.size());
	a.put(in);
	expect("without an area", cufftXtExec(plan, a.device, b.device, CUFFT_FORWARD), CUFFT_NO_WORKSPACE);
	cudaMalloc(&area, bytes);
	GOOD(cufftSetWorkArea(plan, area));
	expect("stream", cudaStreamCreate(&stream), cudaSuccess);
	GOOD(cufftSetStream(plan, stream));
	expect("capture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
	GOOD(cufftXtExec(plan, a.device, b.device, CUFFT_FORWARD));
	expect("capture's end", cudaStreamEndCapture(stream, &graph), cudaSuccess);
	b.put(in);
	expect("nothing is done before", b.get() == in, 1);
	expect("graph", cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0), cudaSuccess);
	expect("launch", cudaGraphLaunch(exec, stream) + cudaStreamSynchronize(stream), cudaSuccess);
	compare("graph", b.get(), want, where, true);
	expect("end", cudaGraphExecDestroy(exec) + cudaGraphDestroy(graph) + cudaStreamDestroy(stream) + cudaFree(area), cudaSuccess);
	GOOD(cufftDestroy(plan));
}

int main()
{
	test_lengths();
	test_long();
	test_dimensions();
	test_layouts();
	test_ends();
	test_work_and_graph();
	printf("%s: %d failures\n", cudaGetErrorString(cudaDeviceSynchronize()), failures);
	return failures != 0;
}
