/* options.h - one table of options per tool drives getopt_long, --help, the
 * man-page test and shell completion, so that they cannot drift apart. It lives
 * with the tools because getopt keeps global state. */
#ifndef CT_TOOLS_OPTIONS_H
#define CT_TOOLS_OPTIONS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct ct_option {
	int key;              /* short option letter, or a value above 255 */
	const char *name;     /* long name without dashes */
	const char *argument; /* placeholder ("FILE"), NULL when it takes none */
	const char *help;     /* one line or several separated by \n */
};

/* Handles one parsed option: key as in the table, value NULL when it takes
 * none. Returns CT_OK or fails with CT_ERR_USAGE. */
typedef int (*ct_option_fn)(void *ctx, int key, const char *value, struct ct_error *e);

/* Parses argv against the n options (which may follow operands; "--" ends
 * them) and calls fn for each. Operands are then argv[*first..argc-1]. Unknown
 * options fail with CT_ERR_USAGE naming the nearest known one. */
int ct_options_parse(const struct ct_option *opts, size_t n, int argc, char **argv, int *first,
                     ct_option_fn fn, void *ctx, struct ct_error *e);

/* Appends the aligned option list of --help to b. */
void ct_options_help(const struct ct_option *opts, size_t n, struct ct_buf *b);

#endif
