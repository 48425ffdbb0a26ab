/* capture.h - records an OpenCL program that Oclgrind runs. */
#ifndef CT_TRACEGEN_CAPTURE_CAPTURE_H
#define CT_TRACEGEN_CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/folder.h"

struct cap_options {
	unsigned warp;      /* lanes in lockstep: 32 or 64 */
	uint64_t launches;  /* record the first so many; 0 = all */
	int values;         /* keep the contents of touched lines */
	const char *plugin; /* file of the plugin */
	const volatile sig_atomic_t *stop;
};

struct cap_result {
	uint64_t launches, warp_insts;
	int status;     /* exit status of the program */
	char note[512]; /* what is not recorded as it was, or "" */
};

/* Whether Oclgrind and the plugin are there. */
int cap_has_oclgrind(const char *plugin);

/* Runs command[] (NULL-terminated) under Oclgrind and writes what its kernels do to the
 * sink's current trace. Fails with CT_ERR_UNSUPPORTED when Oclgrind is not installed, CT_ERR_INPUT
 * when the program ran no kernel or died, CT_ERR_IO, CT_ERR_NOMEM. Not thread-safe (forks). */
int cap_capture(struct ct_folder *sink, char *const *command, const struct cap_options *o,
                struct cap_result *r, struct ct_error *e);

/* Reads the plugin's records from descriptor fd until it ends. What cap_capture() does without a
 * program; *done tells whether the last record was CAP_DONE. */
int cap_read(struct ct_folder *sink, int fd, const struct cap_options *o, struct cap_result *r,
             int *done, struct ct_error *e);

#endif
