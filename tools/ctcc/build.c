/* The command lines of clang: the device side to PTX, the host side with that PTX inside, the link. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctcc/job.h"
#include "ptx/link.h"

enum kind { CUDA, C, CXX, LINKED };

struct build {
	struct ct_tool *t;
	const struct ctcc_job *j;
	const char *clang;
	const char *data;          /* the folder of the headers */
	int shuffles;              /* the source at hand has some */
	struct ctcc_words objects; /* what is linked, in the order of the operands */
	struct ctcc_place place;
};

static int is_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	while (path && *path) {
		size_t n = strcspn(path, ":");
		int len = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
		if (len > 0 && (size_t)len < sizeof file && access(file, X_OK) == 0)
			return 1;
		path += n + (path[n] == ':');
	}
	return 0;
}

/* clang 19 makes the better code, 14 is Debian's. */
static const char *find_clang(void)
{
	static const char *const names[] = {"clang-19", "clang-14"};
	const char *told = getenv("CTCC_CLANG");
	if (told && *told)
		return told;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_program(names[i]))
			return names[i];
	return "clang";
}

/* The compiler of C++ of the same clang, which links C++; NULL: it is not there. */
static const char *find_linker(const char *clang, char *name, size_t room)
{
	const char *base = strrchr(clang, '/'), *at = strstr(base ? base : clang, "clang");
	if (!at || strncmp(at, "clang++", 7) == 0)
		return NULL;
	int n = snprintf(name, room, "%.*s++%s", (int)(at + 5 - clang), clang, at + 5);
	if (n < 0 || (size_t)n >= room)
		return NULL;
	return (base ? access(name, X_OK) == 0 : is_program(name)) ? name : NULL;
}

static int kind_of(const struct ctcc_job *j, const char *path, enum kind *kind, struct ct_error *e)
{
	static const struct {
		const char *ending;
		enum kind kind;
	} endings[] = {{".cu", CUDA},  {".c", C},       {".cpp", CXX},   {".cc", CXX},
	               {".cxx", CXX},  {".c++", CXX},   {".C", CXX},     {".o", LINKED},
	               {".a", LINKED}, {".so", LINKED}, {".obj", LINKED}};
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	if (j->language) {
		*kind = strcmp(j->language, "cu") == 0 ? CUDA : strcmp(j->language, "c") == 0 ? C : CXX;
		return CT_OK;
	}
	if (dot && slash && dot < slash)
		dot = NULL;
	for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
		if (strcmp(dot, endings[i].ending) == 0) {
			*kind = endings[i].kind;
			return CT_OK;
		}
	if (dot && strncmp(dot, ".so.", 4) == 0) {
		*kind = LINKED;
		return CT_OK;
	}
	if (dot && (strcmp(dot, ".ptx") == 0 || strcmp(dot, ".cubin") == 0))
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s: %s is no source: give the .cu, or run PTX with tracegen ptx", path,
		               dot + 1);
	return ct_fail(
		e, CT_ERR_USAGE,
		"%s: what is it? Names end in .cu, .c, .cpp, .o, .a or .so; -x cu says it is CUDA",
		path);
}

/* "x/atax.cu" becomes "atax" and the ending, in this folder. */
static void output_name(char *name, size_t room, const char *source, const char *ending)
{
	const char *base = strrchr(source, '/');
	base = base ? base + 1 : source;
	const char *dot = strrchr(base, '.');
	snprintf(name, room, "%.*s%s", (int)(dot ? dot - base : (int)strlen(base)), base, ending);
}

/* What both sides of a CUDA source are compiled with. */
static void cuda_words(const struct build *b, const char *side, const char *overlay,
                       struct ctcc_words *w)
{
	const struct ctcc_job *j = b->j;
	ctcc_add(w, b->clang);
	ctcc_add(w, "-x");
	ctcc_add(w, "cuda");
	ctcc_add(w, side);
	ctcc_addf(w, "--cuda-gpu-arch=sm_%u", j->sm);
	ctcc_addf(w, "-D__CUDA_ARCH_LIST__=%u", j->sm * 10);
	/* No CUDA installation is looked for, and nothing of one is used. */
	ctcc_add(w, "--cuda-path=/dev/null");
	ctcc_add(w, "-nocudainc");
	ctcc_add(w, "-nocudalib");
	ctcc_addf(w, "-std=%s", j->standard ? j->standard : "gnu++14");
	/* In front of folders that may hold other CUDA headers. */
	ctcc_addf(w, "-I%s/cuda", b->data);
	ctcc_add(w, "-include");
	ctcc_add(w, "cuda_runtime.h");
	/* nvcc and gcc take these without a word. */
	ctcc_add(w, "-Wno-c++11-narrowing");
	ctcc_add(w, "-Wno-register");
	ctcc_add(w, "-Wno-missing-template-arg-list-after-template-kw");
	ctcc_add(w, "-Wno-writable-strings");
	ctcc_add(w, "-Wno-unused-command-line-argument");
	ctcc_add(w, "-Wno-unknown-warning-option");
	ctcc_add(w, "-Wno-reserved-user-defined-literal");
	ctcc_addf(w, "-idirafter%s/cuda/after", b->data);
	/* A declaration may have an ellipsis, as one that only tells types apart; nvcc refuses what takes arguments of it. */
	ctcc_add(w, "-Xclang");
	ctcc_add(w, "-fcuda-allow-variadic-functions");
	/* A call for the other side matters where code is made of it: sources declare functions for one side or the other by
	 * __CUDA_ARCH__. */
	ctcc_add(w, "-fgpu-defer-diag");
	if (j->relocatable) {
		ctcc_add(w, "-D__CUDACC_RDC__");
		ctcc_add(w, "-Wno-ignored-attributes"); /* of extern __managed__ */
	}
	if (overlay) {
		ctcc_add(w, "-ivfsoverlay");
		ctcc_add(w, overlay);
	}
	if (j->fast_math)
		ctcc_add(w, "-DCTCC_FAST_MATH");
	if (j->approximate_sqrt)
		ctcc_add(w, "-DCTCC_FAST_SQRT");
	ctcc_add_all(w, &j->both);
}

static void add_llvm(struct ctcc_words *w, const char *option)
{
	ctcc_add(w, "-mllvm");
	ctcc_add(w, option);
}

/* Lanes may give a shuffle what they have not set, which is no promise that they never come there. Clang's option for that has changed its
 * name with version 15; a clang whose name tells no version goes without. */
static void allow_unset(const char *clang, struct ctcc_words *w)
{
	const char *name = strrchr(clang, '/'), *number = strstr(name ? name : clang, "clang-");
	long version = number ? strtol(number + 6, NULL, 10) : 0;
	if (version <= 0)
		return;
	ctcc_add(w, "-Xclang");
	ctcc_add(w, version < 15 ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis");
}

/* Loops are unrolled as far as the vendor's compiler goes, both sides of a branch keep the stores that they have in common,
 * and functions become part of their callers as there, however long: else what they read through pointers is in no known
 * memory. A value that the last turn of a loop has stored is
 * not loaded again in the next. Addresses stay sums of a base and an offset, which machine instructions take. */
static void device_words(const struct build *b, const char *overlay, struct ctcc_words *w)
{
	const struct ctcc_job *j = b->j;
	cuda_words(b, "--cuda-device-only", overlay, w);
	ctcc_add(w, j->device_debug ? "-O0" : "-O3");
	ctcc_add(w, "-w"); /* the host side says it again */
	ctcc_add(w, "-Xclang");
	ctcc_add(w, "-target-feature");
	ctcc_add(w, "-Xclang");
	ctcc_addf(w, "+ptx%u", j->sm >= 86 ? 71 : j->sm >= 80 ? 70 : 63);
	/* Words are read as whatever type is handy, as int4 where halves were stored. */
	ctcc_add(w, "-fno-strict-aliasing");
	add_llvm(w, "-unroll-threshold=600");
	add_llvm(w, "-unroll-partial-threshold=300");
	add_llvm(w, "-sink-common-insts=false");
	add_llvm(w, "-enable-split-backedge-in-load-pre");
	add_llvm(w, "-inline-threshold=1000"); /* the back end takes eleven times as much */
	add_llvm(w, "-disable-lsr");
	if (b->shuffles)
		allow_unset(b->clang, w);
	if (j->lines || j->debug || j->device_debug)
		ctcc_add(w, "-gline-tables-only");
	if (j->flush)
		ctcc_add(w, "-fcuda-flush-denormals-to-zero");
	if (j->uncontracted)
		ctcc_add(w, "-ffp-contract=off");
	if (j->approximate_divide)
		add_llvm(w, j->fast_math ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1");
	if (j->approximate_sqrt)
		add_llvm(w, "-nvptx-prec-sqrtf32=0");
	ctcc_add(w, "-S");
}

/* The command line as a string of C that stands in the section ctcc_flags of every object. */
static void add_record(const struct build *b, struct ctcc_words *w)
{
	struct ct_buf r = {0};
	ct_buf_printf(&r, "-DCTCC_FLAGS=\"ctcc %s, %s, sm_%u:", CT_VERSION, b->clang, b->j->sm);
	for (size_t i = 0; i < b->j->flags.n; i++) {
		ct_buf_putc(&r, ' ');
		for (const char *s = b->j->flags.word[i]; *s; s++) {
			if (*s == '"' || *s == '\\')
				ct_buf_putc(&r, '\\');
			ct_buf_putc(&r, *s == '\n' ? ' ' : *s);
		}
	}
	ct_buf_putc(&r, '"');
	w->failed |= r.failed;
	if (!r.failed)
		ctcc_add(w, r.data);
	ct_buf_free(&r);
}

/* OpenMP's directives need a library that Debian does not install with clang: the host's loops run in one
 * thread. */
static void add_host(const struct build *b, struct ctcc_words *w)
{
	for (size_t i = 0; i < b->j->host.n; i++)
		if (strcmp(b->j->host.word[i], "-fopenmp") != 0)
			ctcc_add(w, b->j->host.word[i]);
	w->failed |= b->j->host.failed;
}

static void host_words(const struct build *b, struct ctcc_words *w)
{
	const struct ctcc_job *j = b->j;
	ctcc_addf(w, "-O%s", j->optimize ? j->optimize : "2");
	/* Checks of results overflow as kernels do, and nvcc leaves host code as it is written unless it is asked to optimize. */
	ctcc_add(w, "-fwrapv");
	if (j->debug)
		ctcc_add(w, "-g");
	add_host(b, w);
	ctcc_add_all(w, &j->dependencies);
}

static int run_linker(struct build *b, struct ctcc_words *w, struct ct_error *e)
{
	int st = ctcc_run(b->t, w, b->j->dryrun, e);
	ctcc_words_free(w);
	return st;
}

static int device_side(struct build *b, const char *source, unsigned number, const char *overlay,
                       const char *ptx, struct ct_error *e)
{
	struct ctcc_words w = {0};
	char name[32];
	snprintf(name, sizeof name, "%u.log", number);
	const char *log = b->j->dryrun ? NULL : ctcc_temporary(name, e);
	if (!log && !b->j->dryrun)
		return CT_ERR_IO;
	device_words(b, overlay, &w);
	if (isatty(STDERR_FILENO))
		ctcc_add(&w, "-fcolor-diagnostics");
	ctcc_add(&w, "-o");
	ctcc_add(&w, ptx);
	ctcc_add(&w, source);
	int st = ctcc_run_logged(b->t, &w, b->j->dryrun, log, e);
	ctcc_words_free(&w);
	if (st == 1 && ctcc_file_says(log, "reference to __global__ function"))
		ct_tool_say(b->t,
		            "%s: dynamic parallelism (a kernel that launches kernels) is not supported",
		            source);
	return st;
}

/* libctcuda finds the end of the text by a NUL, which clang 19 does not put behind what it includes. A last line tells it of texts that
 * may need one another. */
static int end_text(const char *ptx, int relocatable, struct ct_error *e)
{
	FILE *f = fopen(ptx, "ab");
	int bad = !f || (relocatable && fputs("\n" CT_PTX_RELOCATABLE "\n", f) == EOF) ||
	          fputc('\0', f) == EOF;
	if ((f && fclose(f) != 0) || bad)
		return ct_fail(e, CT_ERR_IO, "%s: cannot write", ptx);
	return CT_OK;
}

static int host_side(struct build *b, const char *source, const char *overlay, const char *ptx,
                     const char *names, const char *object, struct ct_error *e)
{
	struct ctcc_words w = {0};
	cuda_words(b, "--cuda-host-only", overlay, &w);
	/* Functions that end without the value they promise return all the same. */
	ctcc_add(&w, "-fno-strict-return");
	host_words(b, &w);
	if (ptx) {
		/* The text of the device side, which the constructors of the program hand to libctcuda. The version
		 * tells clang to register kernels the way that CUDA 9.2 and later do. */
		ctcc_add(&w, "-Xclang");
		ctcc_add(&w, "-fcuda-include-gpubinary");
		ctcc_add(&w, "-Xclang");
		ctcc_add(&w, ptx);
		ctcc_add(&w, "-Xclang");
		ctcc_add(&w, "-target-sdk-version=11.0");
		add_record(b, &w);
	}
	if (names)
		ctcc_addf(&w, "-DCTCC_DEVICE_NAMES=\"%s\"", names);
	ctcc_add(&w, b->j->stage == CTCC_PREPROCESS     ? "-E"
	             : b->j->stage == CTCC_DEPENDENCIES ? "-fsyntax-only"
	                                                : "-c");
	if (object) {
		ctcc_add(&w, "-o");
		ctcc_add(&w, object);
	}
	ctcc_add(&w, source);
	return run_linker(b, &w, e);
}

/* A source that is no CUDA: the API's headers, and C as lenient as gcc takes it. */
static int compile_plain(struct build *b, const char *source, enum kind kind, const char *object,
                         struct ct_error *e)
{
	static const char *const lenient[] = {
		"-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion"};
	const struct ctcc_job *j = b->j;
	struct ctcc_words w = {0};
	ctcc_add(&w, j->host_compiler ? j->host_compiler : b->clang);
	ctcc_add(&w, "-x");
	ctcc_add(&w, kind == C ? "c" : "c++");
	if (j->standard && (kind == CXX) == (strstr(j->standard, "++") != NULL))
		ctcc_addf(&w, "-std=%s", j->standard);
	else if (kind == CXX)
		ctcc_add(&w, "-std=gnu++14");
	if (kind == CXX && !j->host_compiler) {
		ctcc_add(&w, "-Wno-reserved-user-defined-literal");
		ctcc_add(&w, "-fno-strict-return");
	}
	ctcc_addf(&w, "-I%s/cuda", b->data);
	ctcc_addf(&w, "-idirafter%s/cuda/after", b->data);
	for (size_t i = 0; kind == C && i < sizeof lenient / sizeof *lenient; i++)
		ctcc_add(&w, lenient[i]);
	ctcc_add_all(&w, &j->both);
	host_words(b, &w);
	ctcc_add(&w, j->stage == CTCC_PREPROCESS     ? "-E"
	             : j->stage == CTCC_DEPENDENCIES ? "-fsyntax-only"
	                                             : "-c");
	if (object) {
		ctcc_add(&w, "-o");
		ctcc_add(&w, object);
	}
	ctcc_add(&w, source);
	return run_linker(b, &w, e);
}

/* One source to what the stage asks for. */
static int compile_source(struct build *b, const char *source, unsigned number, enum kind kind,
                          struct ct_error *e)
{
	const struct ctcc_job *j = b->j;
	char own[PATH_MAX], name[PATH_MAX + 32];
	const char *out = j->out, *overlay = NULL, *ptx = NULL, *names = NULL;
	output_name(own, sizeof own, source, j->stage == CTCC_PTX ? j->ptx_suffix : ".o");
	if (j->stage == CTCC_LINK) {
		snprintf(name, sizeof name, "%u-%s", number, own);
		out = ctcc_temporary(name, e);
		if (!out)
			return CT_ERR_IO;
		ctcc_add(&b->objects, out);
	} else if (!out && j->stage != CTCC_PREPROCESS && j->stage != CTCC_DEPENDENCIES) {
		out = own;
	}
	if (kind != CUDA)
		return j->stage == CTCC_PTX
		               ? ct_fail(e, CT_ERR_USAGE, "%s: -ptx wants a .cu file", source)
		               : compile_plain(b, source, kind, out, e);
	int st = ctcc_dialect(source, number, &j->both, &overlay, &b->shuffles, e);
	if (st != CT_OK)
		return st;
	if (j->stage == CTCC_PTX)
		return device_side(b, source, number, overlay, out, e);
	if (j->stage == CTCC_LINK || j->stage == CTCC_OBJECT) {
		snprintf(name, sizeof name, "%u.ptx", number);
		ptx = ctcc_temporary(name, e);
		if (!ptx)
			return CT_ERR_IO;
		st = device_side(b, source, number, overlay, ptx, e);
		if (st == CT_OK && !j->dryrun)
			st = end_text(ptx, j->relocatable, e);
	}
	if (st == CT_OK && ptx && j->relocatable) {
		snprintf(name, sizeof name, "%u.names", number);
		names = ctcc_temporary(name, e);
		if (!names)
			return CT_ERR_IO;
		if (!j->dryrun)
			st = ctcc_name_functions(ptx, names, e);
	}
	if (st == CT_OK)
		st = host_side(b, source, overlay, ptx, names, out, e);
	return st == CT_OK && ptx && j->relocatable
	               ? ctcc_share_shadows(b->t, ptx, out, number, j->dryrun, e)
	               : st;
}

/* -dlink: libctcuda links the device side when the program runs, so that the object is there for makefiles alone. */
static int link_device(struct build *b, struct ct_error *e)
{
	struct ctcc_words w = {0};
	ctcc_add(&w, b->clang);
	ctcc_add(&w, "-x");
	ctcc_add(&w, "c");
	ctcc_add(&w, "-c");
	ctcc_add(&w, "-o");
	ctcc_add(&w, b->j->out ? b->j->out : "a_dlink.o");
	ctcc_add(&w, "/dev/null");
	return run_linker(b, &w, e);
}

/* Links beside the output, so that what is there stays whole until the new one is. */
static int link_program(struct build *b, struct ct_error *e)
{
	const struct ctcc_job *j = b->j;
	const char *out = j->out ? j->out : "a.out", *beside = ctcc_beside(out, e);
	struct ctcc_words w = {0};
	char name[PATH_MAX];
	if (!beside)
		return CT_ERR_IO;
	if (!*b->place.library && !j->dryrun)
		return ct_fail(
			e, CT_ERR_UNSUPPORTED,
			"libctcuda.so is neither beside ctcc nor in %s: build it with make, or use -c",
			CT_LIBDIR);
	const char *linker = find_linker(b->clang, name, sizeof name);
	ctcc_add(&w, linker ? linker : b->clang);
	if (!linker)
		ctcc_add(&w, "--driver-mode=g++");
	ctcc_add(&w, "-Wno-unused-command-line-argument");
	if (j->shared)
		ctcc_add(&w, "-shared");
	if (j->debug)
		ctcc_add(&w, "-g");
	add_host(b, &w);
	ctcc_add(&w, "-o");
	ctcc_add(&w, beside);
	ctcc_add_all(&w, &b->objects);
	ctcc_add_all(&w, &j->link);
	/* The toolkit's comes first: CMake takes this line for the libraries of every program, and adds no path to look for them. */
	if (*b->place.toolkit)
		ctcc_addf(&w, "-L%s/lib64", b->place.toolkit);
	ctcc_addf(&w, "-L%s", b->place.library);
	ctcc_add(&w, "-lctcuda");
	ctcc_addf(&w, "-Wl,-rpath,%s", b->place.library);
	ctcc_add(&w, "-lm");
	int st = run_linker(b, &w, e);
	if (st == CT_OK && !j->dryrun && rename(beside, out) != 0)
		return ct_fail(e, CT_ERR_IO, "%s: the program cannot be put there: is it a folder?",
		               out);
	return st;
}

/* Whether the words for the host's compiler ask for what it is, as makefiles and CMake's do, and not for an object. */
static int asks_version(const struct ctcc_words *host)
{
	for (size_t i = 0; i < host->n; i++)
		if (strncmp(host->word[i], "-dump", 5) == 0 || strcmp(host->word[i], "--version") == 0)
			return 1;
	return 0;
}

/* It answers by itself: the source need not be there. Words may hold several, as nvcc gives them to a shell. */
static int show_version(struct build *b, struct ct_error *e)
{
	struct ctcc_words w = {0};
	ctcc_add(&w, b->j->host_compiler ? b->j->host_compiler : b->clang);
	for (size_t i = 0; i < b->j->host.n; i++)
		for (const char *s = b->j->host.word[i]; *s; s += strcspn(s, " ")) {
			s += strspn(s, " ");
			if (*s)
				ctcc_addf(&w, "%.*s", (int)strcspn(s, " "), s);
		}
	return run_linker(b, &w, e);
}

int ctcc_build(struct ct_tool *t, const struct ctcc_job *j, struct ct_error *e)
{
	struct build b = {.t = t, .j = j, .clang = find_clang(), .data = ct_tool_data_dir()};
	int st = CT_OK, sources = 0;
	if (asks_version(&j->host))
		return show_version(&b, e);
	ctcc_find_place(&b.place);
	if (j->dryrun || t->verbose)
		ctcc_show_toolkit(&b.place, j->sm);
	for (int i = 0; i < t->operands && st == CT_OK; i++) {
		enum kind kind;
		st = kind_of(j, t->operand[i], &kind, e);
		sources += st == CT_OK && kind != LINKED;
		if (st == CT_OK && access(t->operand[i], R_OK) != 0)
			st = ct_fail(e, CT_ERR_IO, "%s: no such file, or it cannot be read",
			             t->operand[i]);
	}
	if (st == CT_OK && j->stage == CTCC_DEVICE_LINK)
		return sources ? ct_fail(e, CT_ERR_USAGE,
		                         "-dlink wants objects: compile the sources with -dc first")
		               : link_device(&b, e);
	if (st == CT_OK && j->out && j->stage != CTCC_LINK && sources > 1)
		st = ct_fail(e, CT_ERR_USAGE, "-o %s: one name for %d outputs: leave -o out", j->out,
		             sources);
	for (int i = 0; i < t->operands && st == CT_OK; i++) {
		enum kind kind = LINKED;
		st = kind_of(j, t->operand[i], &kind, e);
		if (kind == LINKED)
			ctcc_add(&b.objects, t->operand[i]);
		else
			st = compile_source(&b, t->operand[i], (unsigned)i, kind, e);
	}
	if (st == CT_OK && j->stage == CTCC_LINK)
		st = b.objects.failed ? ct_fail_nomem(e) : link_program(&b, e);
	ctcc_words_free(&b.objects);
	return st;
}
