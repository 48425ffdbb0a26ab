#include "common/options.h"

#include <getopt.h>
#include <string.h>

#include "base/units.h"

enum { MAX_OPTIONS = 96, HELP_COLUMN = 26 };

/* Fails with the option that may have been meant, by its letters. */
static int unknown_option(const struct ct_option *opts, size_t n, const char *word, struct ct_error *e)
{
	if (word[0] != '-' || word[1] != '-')
		return ct_fail(e, CT_ERR_USAGE, "unknown option -%c: see --help", optopt);
	const char *names[MAX_OPTIONS];
	char name[64];
	size_t len = strcspn(word + 2, "=");
	if (len > sizeof name - 1)
		len = sizeof name - 1;
	memcpy(name, word + 2, len);
	name[len] = '\0';
	for (size_t i = 0; i < n; i++) {
		names[i] = opts[i].name;
		/* optopt names a known option that was given a value it does not take. */
		if (optopt == opts[i].key && optopt)
			return ct_fail(e, CT_ERR_USAGE, "option --%s takes no value: remove '=...'",
			               opts[i].name);
	}
	int near = ct_nearest_name(name, names, n);
	if (near >= 0)
		return ct_fail(e, CT_ERR_USAGE, "unknown or ambiguous option --%s: did you mean --%s?",
		               name, names[near]);
	return ct_fail(e, CT_ERR_USAGE, "unknown or ambiguous option --%s: see --help", name);
}

static int missing_value(const struct ct_option *opts, size_t n, struct ct_error *e)
{
	for (size_t i = 0; i < n; i++)
		if (opts[i].key == optopt)
			return ct_fail(e, CT_ERR_USAGE, "option --%s needs a value: --%s %s",
			               opts[i].name, opts[i].name, opts[i].argument);
	return ct_fail(e, CT_ERR_USAGE, "option -%c needs a value: see --help", optopt);
}

int ct_options_parse(const struct ct_option *opts, size_t n, int argc, char **argv, int *first,
                     ct_option_fn fn, void *ctx, struct ct_error *e)
{
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 2];
	size_t s = 0;
	if (n > MAX_OPTIONS)
		return ct_fail(e, CT_ERR_USAGE, "too many options in the table: raise MAX_OPTIONS");
	memset(longs, 0, sizeof longs);
	shorts[s++] = ':';
	for (size_t i = 0; i < n; i++) {
		longs[i].name = opts[i].name;
		longs[i].has_arg = opts[i].argument ? required_argument : no_argument;
		longs[i].val = opts[i].key;
		if (opts[i].key < 256) {
			shorts[s++] = (char)opts[i].key;
			if (opts[i].argument)
				shorts[s++] = ':';
		}
	}
	shorts[s] = '\0';
	opterr = 0;
	for (;;) {
		int word = optind < argc ? optind : argc - 1;
		int key = getopt_long(argc, argv, shorts, longs, NULL);
		if (key == -1)
			break;
		/* optind has moved past a long option, not inside a cluster of short ones. */
		if (key == '?')
			return unknown_option(opts, n, argv[optind > word ? optind - 1 : word], e);
		if (key == ':')
			return missing_value(opts, n, e);
		int st = fn(ctx, key, optarg, e);
		if (st != CT_OK)
			return st;
	}
	*first = optind;
	return CT_OK;
}

static void add_help_text(struct ct_buf *b, const char *text, size_t column)
{
	if (column + 2 > HELP_COLUMN) {
		ct_buf_putc(b, '\n');
		column = 0;
	}
	ct_buf_printf(b, "%*s", (int)(HELP_COLUMN - column), "");
	for (; *text; text++) {
		ct_buf_putc(b, *text);
		if (*text == '\n')
			ct_buf_printf(b, "%*s", HELP_COLUMN, "");
	}
	ct_buf_putc(b, '\n');
}

void ct_options_help(const struct ct_option *opts, size_t n, struct ct_buf *b)
{
	for (size_t i = 0; i < n; i++) {
		size_t start = b->len;
		if (opts[i].key < 256)
			ct_buf_printf(b, "  -%c, ", opts[i].key);
		else
			ct_buf_puts(b, "      ");
		ct_buf_printf(b, "--%s", opts[i].name);
		if (opts[i].argument)
			ct_buf_printf(b, " %s", opts[i].argument);
		add_help_text(b, opts[i].help, b->len - start);
	}
}
