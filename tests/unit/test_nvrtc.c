/* NVRTC: programs that are compiled while this one runs, what they are told, and that nothing is left behind. */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/cuda/cuda.h"
#include "data/cuda/nvrtc.h"

#define GOOD(call) assert_int_equal(call, NVRTC_SUCCESS)
#define BAD(error, call) assert_int_equal(call, error)
#define FINE(call) assert_int_equal(call, CUDA_SUCCESS)

/* Where the compilations have their folders. */
static char scratch[64];

static int make_scratch(void **state)
{
	(void)state;
	snprintf(scratch, sizeof scratch, "/tmp/ct-test-nvrtc-XXXXXX");
	return mkdtemp(scratch) && setenv("TMPDIR", scratch, 1) == 0 ? 0 : -1;
}

/* Nothing is left in it. */
static int remove_scratch(void **state)
{
	(void)state;
	return rmdir(scratch);
}

static char *log_of(nvrtcProgram p)
{
	size_t bytes = 0;
	GOOD(nvrtcGetProgramLogSize(p, &bytes));
	char *log = malloc(bytes);
	assert_non_null(log);
	GOOD(nvrtcGetProgramLog(p, log));
	assert_int_equal(strlen(log) + 1, bytes);
	return log;
}

static void assert_log(nvrtcProgram p, const char *text)
{
	char *log = log_of(p);
	if (!strstr(log, text))
		print_message("the log has no '%s':\n%s\n", text, log);
	assert_true(strstr(log, text) && !strstr(log, scratch));
	free(log);
}

/* Compiles; skips the test where there is no compiler. */
static void compile(nvrtcProgram p, int n, const char *const *options)
{
	nvrtcResult r = nvrtcCompileProgram(p, n, options);
	char *log = log_of(p);
	int missing = r == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE && strstr(log, "install clang");
	if (r != NVRTC_SUCCESS)
		print_message("%s", log);
	free(log);
	if (missing) {
		nvrtcDestroyProgram(&p);
		skip();
	}
	GOOD(r);
}

static char *ptx_of(nvrtcProgram p)
{
	size_t bytes;
	GOOD(nvrtcGetPTXSize(p, &bytes));
	char *ptx = malloc(bytes);
	assert_non_null(ptx);
	GOOD(nvrtcGetPTX(p, ptx));
	assert_int_equal(strlen(ptx) + 1, bytes);
	return ptx;
}

static void calls_are_checked(void **state)
{
	const char *const one[] = {"h"}, *const none[] = {NULL};
	nvrtcProgram p, nobody = NULL;
	const char *name;
	int major, minor, n, archs[8];
	size_t bytes;
	(void)state;
	GOOD(nvrtcVersion(&major, &minor));
	assert_int_equal(major * 1000 + minor * 10, CUDA_VERSION);
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcVersion(&major, NULL));
	GOOD(nvrtcGetNumSupportedArchs(&n));
	assert_true(n > 0 && n <= 8);
	GOOD(nvrtcGetSupportedArchs(archs));
	for (int i = 1; i < n; i++)
		assert_true(archs[i - 1] < archs[i]);
	assert_string_equal(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
	assert_string_equal(nvrtcGetErrorString((nvrtcResult)99), "NVRTC_ERROR unknown");
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(NULL, "", NULL, 0, NULL, NULL));
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, NULL, NULL, 0, NULL, NULL));
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, "", NULL, 1, one, none));
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, "", NULL, 1, NULL, one));
	GOOD(nvrtcCreateProgram(&p, "", NULL, 0, NULL, NULL));
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcAddNameExpression(p, NULL));
	GOOD(nvrtcAddNameExpression(p, "k"));
	BAD(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, nvrtcGetLoweredName(p, "k", &name));
	BAD(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &bytes));
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcGetProgramLogSize(p, NULL));
	GOOD(nvrtcGetProgramLogSize(p, &bytes));
	assert_int_equal(bytes, 1);
	BAD(NVRTC_ERROR_INVALID_PROGRAM, nvrtcCompileProgram(nobody, 0, NULL));
	BAD(NVRTC_ERROR_INVALID_INPUT, nvrtcCompileProgram(p, 1, NULL));
	GOOD(nvrtcDestroyProgram(&p));
	assert_null(p);
	BAD(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(&p));
}

static void options_are_checked(void **state)
{
	static const struct {
		const char *option, *why;
	} wrong[] = {
		{"-frobnicate", "it is none of NVRTC's"},
		{"-O3", "it is none of NVRTC's"},
		{"compute_70", "it is none of NVRTC's"},
		{"-arch=volta", "compute_70 or sm_70"},
		{"--fmad=maybe", "true or false"},
		{"-lineinfo=1", "it takes no value"},
		{"-I", "it needs a value"},
		{"-dlto", "PTX is all that is made"},
	};
	nvrtcProgram p;
	(void)state;
	GOOD(nvrtcCreateProgram(&p, "", "x.cu", 0, NULL, NULL));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		BAD(NVRTC_ERROR_INVALID_OPTION, nvrtcCompileProgram(p, 1, &wrong[i].option));
		assert_log(p, wrong[i].why);
	}
	BAD(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, nvrtcAddNameExpression(p, "k"));
	GOOD(nvrtcDestroyProgram(&p));
}

/* Templates, a namespace, a static variable and names of types of the program's own; nothing is included. */
static const char names_source[] =
	"typedef long long int64_t;\n"
	"namespace n {\n"
	"int64_t six() { return SIX; }\n"
	"template <class T> __global__ void add(T *p, int64_t n)\n"
	"{ if (threadIdx.x < n) p[threadIdx.x] += min(n, six()) + isnan((float)n); assert(n); }\n"
	"template <int i> __device__ int three = i;\n"
	"}\n"
	"static __constant__ float factor[2];\n"
	"extern \"C\" __global__ void scale(float *p) { p[threadIdx.x] *= factor[1]; }";

static void run_named(nvrtcProgram p, const char *name)
{
	enum { N = 32 };
	CUcontext context;
	CUmodule m;
	CUfunction add, scale;
	CUdeviceptr d, factor;
	float host[N], two[] = {0, 2};
	long long n = 20;
	void *arguments[] = {&d, &n};
	size_t bytes;
	GOOD(nvrtcGetCUBINSize(p, &bytes));
	char *image = malloc(bytes);
	assert_non_null(image);
	GOOD(nvrtcGetCUBIN(p, image));
	FINE(cuInit(0));
	FINE(cuCtxCreate(&context, 0, 0));
	FINE(cuModuleLoadData(&m, image));
	free(image);
	FINE(cuModuleGetFunction(&add, m, name));
	FINE(cuModuleGetFunction(&scale, m, "scale"));
	FINE(cuModuleGetGlobal(&factor, &bytes, m, "factor"));
	assert_int_equal(bytes, sizeof two);
	FINE(cuMemcpyHtoD(factor, two, sizeof two));
	FINE(cuMemAlloc(&d, sizeof host));
	for (int i = 0; i < N; i++)
		host[i] = (float)i;
	FINE(cuMemcpyHtoD(d, host, sizeof host));
	FINE(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
	FINE(cuLaunchKernel(scale, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
	FINE(cuMemcpyDtoH(host, d, sizeof host));
	for (int i = 0; i < N; i++)
		assert_true(host[i] == 2 * (float)(i < n ? i + 6 : i));
	FINE(cuMemFree(d));
	FINE(cuModuleUnload(m));
	FINE(cuCtxDestroy(context));
}

static void names_are_lowered(void **state)
{
	const char *const options[] = {
		"--gpu-architecture", "sm_70", "-D SIX=6", "--use_fast_math", "-default-device"};
	const char *kernel, *variable, *none;
	nvrtcProgram p;
	(void)state;
	GOOD(nvrtcCreateProgram(&p, names_source, NULL, 0, NULL, NULL));
	GOOD(nvrtcAddNameExpression(p, "n::add<float>"));
	GOOD(nvrtcAddNameExpression(p, "&n::three<3>"));
	compile(p, 5, options);
	GOOD(nvrtcGetLoweredName(p, "n::add<float>", &kernel));
	assert_string_equal(kernel, "_ZN1n3addIfEEvPT_x");
	GOOD(nvrtcGetLoweredName(p, "&n::three<3>", &variable));
	assert_string_equal(variable, "_ZN1n5threeILi3EEE");
	BAD(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, nvrtcGetLoweredName(p, "n::add<int>", &none));
	char *ptx = ptx_of(p);
	assert_true(strstr(ptx, "_ZN1n5threeILi3EEE") && !strstr(ptx, "ct_nvrtc") &&
	            !strstr(ptx, scratch));
	free(ptx);
	run_named(p, kernel);
	GOOD(nvrtcDestroyProgram(&p));
}

static void headers_have_names(void **state)
{
	const char *const headers[] = {"#include \"b.h\"\n", "#define B(x) (x + B1)\n", "#define UP 3\n",
	                               "#include \"../../up.h\"\n#define B1 UP"};
	const char *const names[] = {"far/a.h", "far/b.h", "../up.h", "deep/er.h"};
	const char *const options[] = {"-lineinfo", "-arch=compute_75"};
	nvrtcProgram p;
	size_t bytes;
	char c;
	(void)state;
	GOOD(nvrtcCreateProgram(&p,
	                        "#include \"far/a.h\"\n#include <deep/er.h>\n"
	                        "extern \"C\" __global__ void k(int *p) { *p = B(39); }\n",
	                        "with.cu", 4, headers, names));
	compile(p, 2, options);
	char *ptx = ptx_of(p);
	assert_non_null(strstr(ptx, "42;"));
	assert_non_null(strstr(ptx, "with.cu"));
	assert_non_null(strstr(ptx, ".target sm_75"));
	assert_null(strstr(ptx, scratch));
	free(ptx);
	GOOD(nvrtcGetCUBINSize(p, &bytes)); /* compute_75 is no board */
	assert_int_equal(bytes, 0);
	BAD(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetCUBIN(p, &c));
	GOOD(nvrtcGetLTOIRSize(p, &bytes));
	assert_int_equal(bytes, 0);
	GOOD(nvrtcDestroyProgram(&p));
	const char *const absolute[] = {"/a.h"};
	GOOD(nvrtcCreateProgram(&p, "", NULL, 1, headers, absolute));
	BAD(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, NULL));
	assert_log(p, "/a.h: its name must not begin");
	GOOD(nvrtcDestroyProgram(&p));
}

static void errors_name_the_program(void **state)
{
	const char *const headers[] = {"\n\nint f() { return nothing; }\n"}, *const names[] = {
										     "wrong.h"};
	nvrtcProgram p;
	size_t bytes;
	(void)state;
	GOOD(nvrtcCreateProgram(&p, "", NULL, 0, NULL, NULL));
	compile(p, 0, NULL);
	GOOD(nvrtcDestroyProgram(&p));
	GOOD(nvrtcCreateProgram(&p, "#include \"wrong.h\"\n__global__ void k() { undeclared(); }\n",
	                        NULL, 1, headers, names));
	GOOD(nvrtcAddNameExpression(p, "absent<int>"));
	BAD(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, NULL));
	assert_log(p, "default_program:2:");
	assert_log(p, "undeclared");
	assert_log(p, "wrong.h:3:");
	assert_log(p, "name_expression:1:");
	BAD(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &bytes));
	GOOD(nvrtcDestroyProgram(&p));
	/* What programs look for that bring headers when they are missed. */
	GOOD(nvrtcCreateProgram(&p, "\n\n# include <far/absent.h>\n", "a.cu", 0, NULL, NULL));
	BAD(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, NULL));
	assert_log(p, "a.cu(3): catastrophic error: cannot open source file \"far/absent.h\"\n");
	GOOD(nvrtcDestroyProgram(&p));
}

static void the_compiler_is_named(void **state)
{
	nvrtcProgram p;
	(void)state;
	setenv("CACHETRIAGE_CTCC", "/nowhere/ctcc", 1);
	GOOD(nvrtcCreateProgram(&p, "", NULL, 0, NULL, NULL));
	BAD(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, nvrtcCompileProgram(p, 0, NULL));
	assert_log(p, "CACHETRIAGE_CTCC");
	unsetenv("CACHETRIAGE_CTCC");
	setenv("TMPDIR", "/nowhere", 1);
	BAD(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, nvrtcCompileProgram(p, 0, NULL));
	assert_log(p, "/nowhere: No such file");
	setenv("TMPDIR", scratch, 1);
	GOOD(nvrtcDestroyProgram(&p));
}

static int cancel(void *payload, void *reserved)
{
	assert_null(reserved);
	++*(int *)payload;
	return 1;
}

static void compilations_are_cancelled(void **state)
{
	nvrtcProgram p;
	int asked = 0;
	(void)state;
	GOOD(nvrtcCreateProgram(&p, "", NULL, 0, NULL, NULL));
	GOOD(nvrtcSetFlowCallback(p, cancel, &asked));
	BAD(NVRTC_ERROR_CANCELLED, nvrtcCompileProgram(p, 0, NULL));
	assert_int_equal(asked, 1);
	GOOD(nvrtcDestroyProgram(&p));
}

/* Compiles "*p = N" and tells whether that is in the PTX. */
static void *compile_number(void *number)
{
	char option[32], wanted[32], *ptx = NULL;
	const char *const options[] = {option};
	size_t bytes = 0;
	nvrtcProgram p;
	snprintf(option, sizeof option, "-DN=%d", *(int *)number);
	snprintf(wanted, sizeof wanted, ", %d;", *(int *)number);
	int bad = nvrtcCreateProgram(&p, "__global__ void k(int *p) { *p = N; }", NULL, 0, NULL, NULL);
	bad = bad || nvrtcCompileProgram(p, 1, options) || nvrtcGetPTXSize(p, &bytes);
	bad = bad || !(ptx = malloc(bytes)) || nvrtcGetPTX(p, ptx) || !strstr(ptx, wanted);
	free(ptx);
	bad = nvrtcDestroyProgram(&p) || bad;
	return bad ? NULL : number;
}

static void threads_compile(void **state)
{
	enum { N = 3 };
	pthread_t thread[N];
	int number[N];
	nvrtcProgram p;
	(void)state;
	GOOD(nvrtcCreateProgram(&p, "", NULL, 0, NULL, NULL));
	compile(p, 0, NULL);
	GOOD(nvrtcDestroyProgram(&p));
	for (int i = 0; i < N; i++) {
		number[i] = 1000 + i;
		assert_int_equal(pthread_create(&thread[i], NULL, compile_number, &number[i]), 0);
	}
	for (int i = 0; i < N; i++) {
		void *good;
		pthread_join(thread[i], &good);
		assert_ptr_equal(good, &number[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_checked),          cmocka_unit_test(options_are_checked),
		cmocka_unit_test(names_are_lowered),          cmocka_unit_test(headers_have_names),
		cmocka_unit_test(errors_name_the_program),    cmocka_unit_test(the_compiler_is_named),
		cmocka_unit_test(compilations_are_cancelled), cmocka_unit_test(threads_compile),
	};
	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
