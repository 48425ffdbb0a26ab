/* error.h - status codes and the one error message of a failed call.
 *
 * lib never prints and never exits: a function that can fail returns a
 * status and describes the failure in a caller-owned struct ct_error. The
 * text is what follows the tool's name in the error line of a command:
 * "file:line: what is wrong: hint". */
#ifndef CT_BASE_ERROR_H
#define CT_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

#if defined(__GNUC__)
#define CT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CT_NODISCARD __attribute__((warn_unused_result))
#else
#define CT_PRINTF(fmt, args)
#define CT_NODISCARD
#endif

enum ct_status {
	CT_OK = 0,
	CT_ERR_USAGE = -1,       /* the caller asked for something impossible */
	CT_ERR_INPUT = -2,       /* an input is damaged or malformed */
	CT_ERR_IO = -3,          /* open, read, write, close or rename failed */
	CT_ERR_NOMEM = -4,       /* an allocation failed */
	CT_ERR_UNSUPPORTED = -5, /* understood, but refused by name */
	CT_ERR_LIMIT = -6        /* a configured limit was passed */
};

#define CT_ERROR_TEXT_MAX 2048

struct ct_error {
	int status;                   /* 0 or an enum ct_status */
	char text[CT_ERROR_TEXT_MAX]; /* one line, no tool name, no newline */
};

/* Stores status and a formatted one-line text in *e (e may be NULL; control
 * characters from quoted input become '?', over-long text is cut). Returns
 * status, so that `return ct_fail(e, ...)` works. Thread-safe on distinct e. */
int ct_fail(struct ct_error *e, int status, const char *fmt, ...) CT_PRINTF(3, 4);

/* As ct_fail, with ": " and the text of errno value `errnum` appended. */
int ct_fail_errno(struct ct_error *e, int status, int errnum, const char *fmt, ...) CT_PRINTF(4, 5);

/* Shorthand for a failed allocation: "out of memory". Returns CT_ERR_NOMEM. */
int ct_fail_nomem(struct ct_error *e);

/* Where lib reports what is worth knowing but not fatal. `warn` may be NULL
 * (then nothing is reported); it gets one line without tool name or newline
 * and may be called from the thread that called into lib only. */
struct ct_diag {
	void (*warn)(void *ctx, const char *text);
	void *ctx;
};

/* Formats and delivers one warning; does nothing when d or d->warn is NULL. */
void ct_warn(const struct ct_diag *d, const char *fmt, ...) CT_PRINTF(2, 3);

CT_DECLS_END

#endif
