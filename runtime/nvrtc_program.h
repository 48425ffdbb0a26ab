/* nvrtc_program.h - what the files of NVRTC share. Private. */
#ifndef CT_RUNTIME_NVRTC_PROGRAM_H
#define CT_RUNTIME_NVRTC_PROGRAM_H

#include <pthread.h>

#include "data/cuda/nvrtc.h"

#include "base/buf.h"

/* A header, or an expression with the name that it has in PTX. */
struct ct_nvrtc_pair {
	char *name; /* of the header; the expression */
	char *text; /* of the header; the name in PTX, NULL: not compiled */
};
struct ct_nvrtc_list {
	struct ct_nvrtc_pair *at;
	size_t n, cap;
};

struct _nvrtcProgram {
	struct _nvrtcProgram *next; /* under the lock of the list, as */
	unsigned users;             /* the list and the calls that look at the program */
	pthread_mutex_t lock;       /* for all that follows */
	char *source, *name;
	struct ct_nvrtc_list headers, expressions;
	int tried;         /* it has been compiled, well or not */
	int real;          /* for an architecture sm_XX */
	struct ct_buf ptx; /* empty: there is none; else it ends with a NUL */
	struct ct_buf log; /* without a NUL */
	int (*callback)(void *, void *);
	void *payload;
};

/* What the options ask for. */
struct ct_nvrtc_settings {
	struct ct_buf words; /* of ctcc's command line, as an options file has them */
	int standard;        /* one is named */
	int real;
	int hides_folder;   /* headers beside the source are not looked for */
	int device_default; /* functions without a word are the device's, too */
};

/* Reads the options as NVRTC has them; those of NVRTC that change nothing here are accepted. What is wrong with one goes to log:
 * NVRTC_ERROR_INVALID_OPTION. The caller frees s->words. */
nvrtcResult ct_nvrtc_read_options(int n, const char *const *options, struct ct_nvrtc_settings *s,
                                  struct ct_buf *log);
/* Adds a word of an options file, with what blanks, quotes and backslashes need. */
void ct_nvrtc_add_word(struct ct_buf *words, const char *text);
/* Compiles the program, with the lock held, in a folder of its own that is gone afterwards. */
nvrtcResult ct_nvrtc_run(struct _nvrtcProgram *p, struct ct_nvrtc_settings *s);

#endif
