/* ctcc - compiles CUDA programs to run on the CPU, in place of nvcc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "common/tool.h"
#include "ctcc/job.h"

enum {
	OPT_ARCH = CT_OWN_OPTION,
	OPT_GENCODE,
	OPT_CODE,
	OPT_CCBIN,
	OPT_XCOMPILER,
	OPT_XLINKER,
	OPT_IGNORED, /* takes a value, changes nothing */
	OPT_NOTHING, /* takes none, changes nothing */
	OPT_ISYSTEM,
	OPT_INCLUDE,
	OPT_STD,
	OPT_PTX,
	OPT_FATBIN,
	OPT_SHARED,
	OPT_DRYRUN,
	OPT_LINES,
	OPT_FAST,
	OPT_FTZ,
	OPT_PREC_DIV,
	OPT_PREC_SQRT,
	OPT_FMAD,
	OPT_RDC,
	OPT_DC,
	OPT_DW,
	OPT_DLINK,
	OPT_REFUSED, /* by name: several options in a row */
	OPT_REFUSED_END = OPT_REFUSED + 8,
	OPT_M,
	OPT_MM,
	OPT_MD,
	OPT_MMD,
	OPT_MF,
	OPT_MT,
	OPT_MP,
	OPT_TOOLKIT
};

static const struct ct_option options[] = {
	{'o', "output-file", "FILE", "the program, object or PTX to make"},
	{'c', "compile", NULL, "compile each source to an object, do not link"},
	{OPT_PTX, "ptx", NULL, "-ptx: compile the device side to PTX, a file.ptx for file.cu"},
	{OPT_FATBIN, "fatbin", NULL, "-fatbin: the same PTX, a file.fatbin, which programs load alike"},
	{'E', "preprocess", NULL, "preprocess the host side to standard output"},
	{'x', "x", "LANGUAGE", "what the sources are: cu, c or c++ (default: by their names)"},
	{'I', "include-path", "DIR", "look for headers in DIR"},
	{OPT_ISYSTEM, "system-include", "DIR", "-isystem: look there for headers of the system"},
	{OPT_INCLUDE, "pre-include", "FILE", "-include: include FILE in front of each source"},
	{'D', "define-macro", "NAME[=VALUE]", "define a macro"},
	{'U', "undefine-macro", "NAME", "undefine a macro"},
	{OPT_STD, "std", "STANDARD", "-std: c++11, c++14 (default), c++17, c++20, c11 ..."},
	{'O', "optimize", "LEVEL", "of the host side (default 2); the device side has 3"},
	{'g', "debug", NULL, "symbols for the host side, lines for the device side"},
	{'G', "device-debug", NULL, "device side without optimisation, with lines"},
	{OPT_LINES, "generate-line-info", NULL, "-lineinfo: lines for the device side"},
	{OPT_ARCH, "gpu-architecture", "ARCH",
         "-arch: sm_70 (default), sm_75, sm_80, sm_86; older and newer\nones become the nearest"},
	{OPT_GENCODE, "generate-code", "SPEC", "-gencode: the highest of arch=compute_XX counts"},
	{OPT_CODE, "gpu-code", "CODE", "-code: accepted; PTX is all that is made"},
	{OPT_FAST, "use-fast-math", NULL,
         "-use_fast_math: fast functions, approximate division and roots,\nno denormals"},
	{OPT_FTZ, "ftz", "BOOL", "true: denormals of single precision become zero"},
	{OPT_PREC_DIV, "prec-div", "BOOL", "false: division of single precision is approximate"},
	{OPT_PREC_SQRT, "prec-sqrt", "BOOL", "false: square roots of single precision are approximate"},
	{OPT_FMAD, "fmad", "BOOL", "false: multiplications and additions are not contracted"},
	{OPT_CCBIN, "compiler-bindir", "PROGRAM",
         "-ccbin: compiler of sources that are no CUDA (default: clang)"},
	{OPT_XCOMPILER, "compiler-options", "LIST",
         "-Xcompiler: words for the host side, separated by commas"},
	{OPT_XLINKER, "linker-options", "LIST", "-Xlinker: words for the linker, separated by commas"},
	{OPT_NOTHING, "forward-unknown-to-host-compiler", NULL,
         "options that ctcc does not know are words for the host side"},
	{OPT_NOTHING, "forward-unknown-to-host-linker", NULL, "accepted"},
	{OPT_IGNORED, "options-file", "FILE", "-optf: more words of the command line"},
	{OPT_IGNORED, "ptxas-options", "LIST", "-Xptxas: accepted; there is no ptxas"},
	{'l', "library", "NAME",
         "link with libNAME; those of CUDA's run-time, cuBLAS, cuRAND, cuSPARSE and cuFFT are libctcuda"},
	{'L', "library-path", "DIR", "look for libraries in DIR"},
	{OPT_SHARED, "shared", NULL, "-shared: make a shared library"},
	{OPT_M, "generate-dependencies", NULL, "-M: a rule for make instead of an object"},
	{OPT_MM, "generate-nonsystem-dependencies", NULL, "-MM: the same without headers of the system"},
	{OPT_MD, "generate-dependencies-with-compile", NULL, "-MD: a rule beside the object"},
	{OPT_MMD, "generate-nonsystem-dependencies-with-compile", NULL,
         "-MMD: the same without headers of the system"},
	{OPT_MF, "dependency-output", "FILE", "-MF: the file of that rule"},
	{OPT_MT, "dependency-target-name", "NAME", "-MT: the target of that rule"},
	{OPT_MP, "generate-dependency-targets", NULL, "-MP: a target for each header"},
	{OPT_DRYRUN, "dryrun", NULL, "-dryrun: show the commands, run none"},
	{OPT_RDC, "relocatable-device-code", "BOOL",
         "-rdc: true: kernels may use device functions and variables\nof other sources"},
	{OPT_DC, "device-c", NULL, "-dc: -rdc=true and -c"},
	{OPT_DW, "device-w", NULL, "-dw: -rdc=false and -c"},
	{OPT_DLINK, "device-link", NULL,
         "-dlink: make an object without content (default a_dlink.o):\nprograms link their device side when they run"},
	{OPT_REFUSED + 2, "cubin", NULL, "refused: PTX is all that is made"},
	{OPT_REFUSED + 4, "lib", NULL, "refused: make the archive with ar"},
	{OPT_REFUSED + 5, "dlink-time-opt", NULL, "-dlto: refused"},
	{OPT_IGNORED, "maxrregcount", "N", "accepted and recorded"},
	{OPT_IGNORED, "cudart", "KIND", "accepted; the run-time is libctcuda"},
	{OPT_IGNORED, "default-stream", "KIND", "accepted; every stream keeps the order of the calls"},
	{OPT_IGNORED, "threads", "N", "-t: accepted"},
	{OPT_IGNORED, "split-compile", "N", "accepted"},
	{OPT_IGNORED, "cudafe-options", "LIST", "-Xcudafe: accepted; there is no cudafe"},
	{OPT_IGNORED, "nvlink-options", "LIST", "-Xnvlink: accepted"},
	{OPT_IGNORED, "archive-options", "LIST", "-Xarchive: accepted"},
	{OPT_IGNORED, "fatbin-options", "LIST", "-Xfatbin: accepted"},
	{OPT_IGNORED, "warning-as-error", "KIND", "-Werror: accepted"},
	{OPT_IGNORED, "diag-suppress", "LIST", "accepted, as all that names nvcc's own messages"},
	{OPT_IGNORED, "diag-error", "LIST", "accepted"},
	{OPT_IGNORED, "diag-warn", "LIST", "accepted"},
	{OPT_IGNORED, "keep-dir", "DIR", "accepted"},
	{'m', "machine", "BITS", "64"},
	{'w', "disable-warnings", NULL, "no warnings of the compiler"},
	{OPT_NOTHING, "keep", NULL, "accepted; see -ptx"},
	{OPT_NOTHING, "restrict", NULL, "accepted"},
	{OPT_NOTHING, "resource-usage", NULL, "-res-usage: accepted"},
	{OPT_NOTHING, "expt-relaxed-constexpr", NULL, "accepted; clang does so"},
	{OPT_NOTHING, "extended-lambda", NULL, "accepted; clang does so"},
	{OPT_NOTHING, "extra-device-vectorization", NULL, "accepted"},
	{OPT_NOTHING, "source-in-ptx", NULL, "-src-in-ptx: accepted"},
	{OPT_NOTHING, "allow-unsupported-compiler", NULL, "accepted"},
	{OPT_NOTHING, "display-error-number", NULL, "accepted"},
	{OPT_NOTHING, "no-display-error-number", NULL, "accepted"},
	{OPT_TOOLKIT, "print-toolkit", NULL,
         "print the folder that is laid out as a CUDA toolkit, for\nCUDA_HOME and CMake"},
};

/* The nearest of the architectures that clang 14 and the emulator both know. */
static unsigned nearest_sm(unsigned sm)
{
	return sm >= 86 ? 86 : sm >= 80 ? 80 : sm >= 75 ? 75 : 70;
}

static int parse_arch(struct ctcc_job *j, const char *option, const char *v, struct ct_error *e)
{
	const char *digits = strstr(v, "sm_") == v ? v + 3 : strstr(v, "compute_") == v ? v + 8 : NULL;
	char *rest = NULL;
	unsigned long sm = digits ? strtoul(digits, &rest, 10) : 0;
	if (strcmp(v, "native") == 0 || strcmp(v, "all") == 0 || strcmp(v, "all-major") == 0)
		return CT_OK;
	if (!digits || rest == digits || (*rest && strcmp(rest, "a") != 0) || sm < 10 || sm > 999)
		return ct_fail(e, CT_ERR_USAGE, "%s %s: write it as sm_70 or compute_70", option, v);
	sm = nearest_sm((unsigned)sm);
	if (sm > j->sm)
		j->sm = (unsigned)sm;
	return CT_OK;
}

/* "arch=compute_70,code=[sm_70,compute_70]" */
static int parse_gencode(struct ctcc_job *j, const char *v, struct ct_error *e)
{
	char arch[32];
	const char *at = strstr(v, "arch=");
	size_t n = at ? strcspn(at + 5, ",") : 0;
	if (!at || n >= sizeof arch)
		return ct_fail(e, CT_ERR_USAGE, "-gencode %s: write it as arch=compute_70,code=sm_70",
		               v);
	snprintf(arch, sizeof arch, "%.*s", (int)n, at + 5);
	return parse_arch(j, "-gencode", arch, e);
}

static int parse_bool(const char *option, const char *v, int *yes, struct ct_error *e)
{
	if (strcmp(v, "true") == 0 || strcmp(v, "false") == 0) {
		*yes = *v == 't';
		return CT_OK;
	}
	return ct_fail(e, CT_ERR_USAGE, "%s %s: write true or false", option, v);
}

/* Libraries of CUDA: the run-time's, cuBLAS, cuRAND, cuSPARSE and cuFFT are ours, the others are not there, which matters where they are linked. OpenMP's has
 * nothing to do (build.c). */
static void parse_library(struct ctcc_job *j, const char *v)
{
	static const char *const ours[] = {
		"cudart",
		"cudart_static",
		"cuda",
		"cudadevrt",
		"culibos",
		"ctcuda",
		"nvrtc",
		"nvrtc_static",
		"nvrtc-builtins",
		"nvrtc-builtins_static",
		"cublas",
		"cublas_static",
		"cublasLt",
		"cublasLt_static",
		"curand",
		"curand_static",
		"cusparse",
		"cusparse_static",
		"cufft",
		"cufft_static",
		"cufft_static_nocallback",
		"nvidia-ml"};
	static const char *const missing[] = {"cufftw", "cusolver", "cudnn", "npp",   "nvToolsExt",
	                                      "nccl",   "nvgraph",  "cupti", "nvjpeg"};
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strcmp(v, ours[i]) == 0)
			return;
	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
		if (strcmp(v, missing[i]) == 0 || (strncmp(v, missing[i], strlen(missing[i])) == 0 &&
		                                   strcmp(v + strlen(missing[i]), "_static") == 0))
			j->missing = v;
	if (j->missing != v)
		ctcc_addf(&j->link, "-l%s", v);
}

static int refuse_option(int key, struct ct_error *e)
{
	switch (key - OPT_REFUSED) {
	case 2:
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "machine code (-cubin) is not made: use -ptx, or -c for an object");
	case 4:
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "-lib is not supported: compile with -c, then use ar");
	default:
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "-dlto is not supported: use -dc, whose objects are linked as they are");
	}
}

static int parse_flag(struct ctcc_job *j, int key, const char *v, struct ct_error *e)
{
	int yes = 0, st;
	switch (key) {
	case OPT_FTZ: return parse_bool("--ftz", v, &j->flush, e);
	case OPT_FMAD:
		st = parse_bool("--fmad", v, &yes, e);
		j->uncontracted = st == CT_OK && !yes;
		return st;
	case OPT_PREC_DIV:
		st = parse_bool("--prec-div", v, &yes, e);
		j->approximate_divide = st == CT_OK && !yes;
		return st;
	case OPT_PREC_SQRT:
		st = parse_bool("--prec-sqrt", v, &yes, e);
		j->approximate_sqrt = st == CT_OK && !yes;
		return st;
	case OPT_RDC:
		st = parse_bool("-rdc", v, &yes, e);
		j->relocatable = st == CT_OK && yes;
		return st;
	case OPT_DC:
	case OPT_DW:
		j->relocatable = key == OPT_DC;
		j->stage = CTCC_OBJECT;
		return CT_OK;
	case OPT_DLINK: j->stage = CTCC_DEVICE_LINK; return CT_OK;
	case OPT_FAST:
		j->fast_math = j->flush = j->approximate_divide = j->approximate_sqrt = 1;
		return CT_OK;
	case 'm':
		return strcmp(v, "64") == 0 ? CT_OK
		                            : ct_fail(e, CT_ERR_UNSUPPORTED,
		                                      "-m%s: only 64-bit programs are made", v);
	case 'x':
		j->language = v;
		if (strcmp(v, "cu") != 0 && strcmp(v, "c") != 0 && strcmp(v, "c++") != 0)
			return ct_fail(e, CT_ERR_USAGE, "-x %s: the languages are cu, c and c++", v);
		return CT_OK;
	case 'O':
		j->optimize = v;
		if (strlen(v) != 1 || !strchr("0123sg", *v))
			return ct_fail(e, CT_ERR_USAGE, "-O%s: the levels are 0, 1, 2, 3 and s", v);
		return CT_OK;
	default: return CT_OK;
	}
}

/* -M and its kin. */
static int parse_dependencies(struct ctcc_job *j, int key, const char *v)
{
	static const char *const word[] = {"-M", "-MM", "-MD", "-MMD", "-MF", "-MT", "-MP"};
	ctcc_add(&j->dependencies, word[key - OPT_M]);
	if (v)
		ctcc_add(&j->dependencies, v);
	if (key == OPT_M || key == OPT_MM)
		j->stage = CTCC_DEPENDENCIES;
	return CT_OK;
}

static int on_option(void *ctx, int key, const char *v, struct ct_error *e)
{
	struct ctcc_job *j = ((struct ct_tool *)ctx)->own;
	if (key >= OPT_M && key <= OPT_MP)
		return parse_dependencies(j, key, v);
	if (key >= OPT_REFUSED && key < OPT_REFUSED_END)
		return refuse_option(key, e);
	switch (key) {
	case 'o': j->out = v; return CT_OK;
	case 'c': j->stage = CTCC_OBJECT; return CT_OK;
	case 'E': j->stage = CTCC_PREPROCESS; return CT_OK;
	case OPT_PTX:
	case OPT_FATBIN:
		j->stage = CTCC_PTX;
		j->ptx_suffix = key == OPT_PTX ? ".ptx" : ".fatbin";
		return CT_OK;
	case 'I': ctcc_addf(&j->both, "-I%s", v); return CT_OK;
	case 'D': ctcc_addf(&j->both, "-D%s", v); return CT_OK;
	case 'U': ctcc_addf(&j->both, "-U%s", v); return CT_OK;
	case 'w': ctcc_add(&j->both, "-w"); return CT_OK;
	case OPT_ISYSTEM:
	case OPT_INCLUDE:
		ctcc_add(&j->both, key == OPT_ISYSTEM ? "-isystem" : "-include");
		ctcc_add(&j->both, v);
		return CT_OK;
	case OPT_STD: j->standard = v; return CT_OK;
	case 'g': j->debug = 1; return CT_OK;
	case 'G': j->device_debug = 1; return CT_OK;
	case OPT_LINES: j->lines = 1; return CT_OK;
	case OPT_ARCH: return parse_arch(j, "-arch", v, e);
	case OPT_GENCODE: return parse_gencode(j, v, e);
	case OPT_CCBIN: j->host_compiler = v; return CT_OK;
	case OPT_XCOMPILER: ctcc_add_commas(&j->host, v); return CT_OK;
	case OPT_XLINKER: ctcc_addf(&j->link, "-Wl,%s", v); return CT_OK;
	case 'l': parse_library(j, v); return CT_OK;
	case 'L': ctcc_addf(&j->link, "-L%s", v); return CT_OK;
	case OPT_SHARED: j->shared = 1; return CT_OK;
	case OPT_DRYRUN: j->dryrun = 1; return CT_OK;
	case OPT_TOOLKIT: j->print_toolkit = 1; return CT_OK;
	default: return parse_flag(j, key, v, e);
	}
}

static int run_ctcc(struct ct_tool *t, struct ct_error *e)
{
	struct ctcc_job *j = t->own;
	if (j->print_toolkit)
		return ctcc_print_toolkit(t, e);
	if (t->operands == 0)
		return ct_fail(e, CT_ERR_USAGE, "no source: ctcc -o atax atax.cu");
	if (j->missing && j->stage == CTCC_LINK)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "-l%s is not supported: there is no such library here", j->missing);
	if (j->sm == 0)
		j->sm = 70;
	/* What is recorded: the command line without what it names for this machine. */
	ctcc_add(&j->flags, t->command_line.len > 1 ? t->command_line.data + 1 : "");
	int st = j->both.failed || j->host.failed || j->link.failed || j->dependencies.failed ||
	                         j->flags.failed
	                 ? ct_fail_nomem(e)
	                 : ctcc_build(t, j, e);
	ctcc_clean();
	return st;
}

static void free_job(void *own)
{
	ctcc_job_free(own);
}

/* What --help ends with. */
static const char guide[] = "Examples:\n"
			    "  ctcc -O3 -o atax atax.cu                    compile, as with nvcc\n"
			    "  ./atax                                      run on the CPU\n"
			    "  tracegen capture -o atax.ctz -- ./atax      run and keep its trace\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "ctcc",
		.operands = "FILE...",
		.summary = "compiles CUDA programs to run on the CPU, in place of nvcc",
		.options = options,
		.n_options = sizeof options / sizeof *options,
		.option = on_option,
		.own_size = sizeof(struct ctcc_job),
		.own_free = free_job,
		.guide = guide,
		.version = "In the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
			   "Cuda compilation tools, release 11.5, V11.5.0\n",
		.run = run_ctcc,
	};
	struct ct_option table[CT_TOOL_OPTIONS_MAX];
	struct ctcc_words given = {0}, w = {0};
	struct ct_error e = {0};
	int st = ctcc_arguments(argc, argv, &given, &e);
	ctcc_spell(table, ct_tool_options(&spec, table), &given, &w);
	if (st == CT_OK && w.failed)
		st = ct_fail_nomem(&e);
	if (st != CT_OK)
		fprintf(stderr, "ctcc: %s\n", e.text);
	st = st == CT_OK ? ct_tool_main(&spec, (int)w.n, w.word) : 2;
	ctcc_words_free(&given);
	ctcc_words_free(&w);
	return st;
}
