/* job.h - what one run of ctcc is to do, and its parts. */
#ifndef CT_TOOLS_CTCC_JOB_H
#define CT_TOOLS_CTCC_JOB_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "common/tool.h"

/* A growing list of words; NULL stands behind the last. Words are copied. */
struct ctcc_words {
	char **word;
	size_t n, cap;
	int failed; /* out of memory: later calls do nothing */
};
void ctcc_add(struct ctcc_words *w, const char *text);
void ctcc_addf(struct ctcc_words *w, const char *fmt, ...) CT_PRINTF(2, 3);
void ctcc_add_all(struct ctcc_words *w, const struct ctcc_words *more);
/* Adds the parts of a list that commas separate, each without the quotes around it: nvcc gives them to a shell. */
void ctcc_add_commas(struct ctcc_words *w, const char *text);
void ctcc_words_free(struct ctcc_words *w);

/* The words of the command line, those of --options-file FILE in its place. Fails with CT_ERR_IO, CT_ERR_USAGE where such files
 * name one another without end, CT_ERR_NOMEM. */
int ctcc_arguments(int argc, char **argv, struct ctcc_words *all, struct ct_error *e);

/* Makes an argument list that the options' parser understands of one as nvcc takes it: "-arch=sm_70",
 * "-lineinfo" and "--use_fast_math" get the long names of the table. With --forward-unknown-to-host-compiler what is none
 * of the command's n options (ct_tool_options()) goes to that compiler. Out of memory shows in out->failed. */
void ctcc_spell(const struct ct_option *options, size_t n, const struct ctcc_words *given,
                struct ctcc_words *out);

enum ctcc_stage {
	CTCC_LINK,
	CTCC_OBJECT,
	CTCC_PTX,
	CTCC_PREPROCESS,
	CTCC_DEPENDENCIES,
	CTCC_DEVICE_LINK
};

struct ctcc_job {
	enum ctcc_stage stage;
	const char *out;           /* -o, or NULL */
	const char *ptx_suffix;    /* of files of the stage CTCC_PTX */
	const char *language;      /* -x, or NULL: by the name */
	const char *standard;      /* -std, or NULL */
	const char *optimize;      /* -O of the host side, or NULL */
	const char *missing;       /* a library of CUDA that is to be linked and is not there, or NULL */
	const char *host_compiler; /* -ccbin: of sources that are no CUDA; NULL: clang */
	unsigned sm;               /* of the device side: 70, 75, 80, 86 */
	int debug, device_debug, lines;
	int fast_math, flush, uncontracted;
	int approximate_divide, approximate_sqrt;
	int dryrun, shared, print_toolkit;
	int relocatable;                /* -rdc=true: the device side may use that of other sources */
	struct ctcc_words both;         /* -I -D -U -include ... of every compilation */
	struct ctcc_words host;         /* -Xcompiler */
	struct ctcc_words dependencies; /* -MD and its kin: of the host side */
	struct ctcc_words link;         /* -l -L -Xlinker, in order */
	struct ctcc_words flags;        /* the command line as it is recorded in the program */
};
void ctcc_job_free(struct ctcc_job *j);

/* Where ctcc lies. Folders, "" where there is none. */
struct ctcc_place {
	char library[4096]; /* of libctcuda */
	char toolkit
		[4096]; /* laid out as CUDA's own, for whoever looks for bin/nvcc, include and lib64; of that libctcuda */
};
void ctcc_find_place(struct ctcc_place *place);
/* Prints the toolkit's folder. Fails with CT_ERR_UNSUPPORTED where there is none. */
int ctcc_print_toolkit(struct ct_tool *t, struct ct_error *e);
/* Says on standard error where things are, in the lines of nvcc that CMake reads: TOP, INCLUDES, LIBRARIES and so on. `sm` is the
 * compute capability. Says nothing where there is no toolkit. */
void ctcc_show_toolkit(const struct ctcc_place *place, unsigned sm);

/* Compiles and links the operands of t. Returns CT_OK, 1 where a compiler or the linker refused its input (it has
 * said why), or fails with one line. */
int ctcc_build(struct ct_tool *t, const struct ctcc_job *j, struct ct_error *e);

/* Shows a word on standard error as a shell would read it. */
void ctcc_show_word(const char *word);
/* One command: shown on standard error where t says so, not run with `dryrun`. Returns CT_OK, 1 where it ended
 * with a failure that it has told, or fails with CT_ERR_UNSUPPORTED where it cannot be started. */
int ctcc_run(struct ct_tool *t, const struct ctcc_words *command, int dryrun, struct ct_error *e);
/* The same with what the command says kept in the file `log`, and passed on afterwards. */
int ctcc_run_logged(struct ct_tool *t, const struct ctcc_words *command, int dryrun, const char *log,
                    struct ct_error *e);
/* The whole file, NUL-terminated, which the caller frees; NULL where it is no readable file. */
char *ctcc_read(const char *path, size_t *size);
/* Whether the file holds `text`. */
int ctcc_file_says(const char *path, const char *text);

/* The folder of temporary files, made on the first call. NULL with *e filled on failure. Files in it are named
 * by ctcc_temporary() and are gone when the program ends, however it ends. */
const char *ctcc_folder(struct ct_error *e);
/* A path in that folder, owned by the process until the end; NULL with *e filled on failure. */
const char *ctcc_temporary(const char *name, struct ct_error *e);
/* A name beside `path` for output that is to take its place whole, removed at the end like the others. */
const char *ctcc_beside(const char *path, struct ct_error *e);
void ctcc_clean(void);

/* The host side of a source that was compiled with -rdc=true: the variables that its device side `ptx` has for other sources are made
 * known to these in `object`, where clang keeps their shadows to itself. `number` tells the sources of a run apart. Returns as
 * ctcc_run() does. */
int ctcc_share_shadows(struct ct_tool *t, const char *ptx, const char *object, unsigned number,
                       int dryrun, struct ct_error *e);

/* Writes lines of assembly to the file `names` by which the linker of the host knows the functions that the device side `ptx` has for
 * other sources, and wants of them. Fails with CT_ERR_IO. */
int ctcc_name_functions(const char *ptx, const char *names, struct ct_error *e);

/* Appends to `out` the text of n bytes as clang needs it, and returns whether it is another one. nvcc takes and clang does not:
 * - "kernel << <grid, block>> >(...)" for a launch; the brackets are joined in `text` itself;
 * - asm("mov.u32 %0, %smid;") for "%%smid";
 * - "__shared__ alignas(16)" and "__device__ [[nodiscard]]";
 * - "(-1 << 3)" where a constant is needed, and "typename A<T>::B<U>" where B is a template;
 * - "#define UNROLL #pragma unroll".
 * Lines stay where they are. Out of memory shows in out->failed. */
int ctcc_translate(struct ct_buf *out, char *text, size_t n);

/* Where the source or a file that it includes from its own folder, or one of -I or -isystem, is written so that ctcc_translate() changes
 * it, *overlay is an overlay of file names (clang's -ivfsoverlay) that shows them as clang needs them; else NULL. *shuffles says whether
 * one of them names a shuffle. `options` are those with the folders; `number` tells the sources of a run apart. Fails with CT_ERR_IO,
 * CT_ERR_NOMEM. */
int ctcc_dialect(const char *source, unsigned number, const struct ctcc_words *options,
                 const char **overlay, int *shuffles, struct ct_error *e);

#endif
