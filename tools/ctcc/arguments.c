/* The words of the command line, and those of options files in the place of these. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "ctcc/job.h"

enum { DEEPEST = 8 }; /* options files that name one another */

/* Reads the next word from `at` on: blanks part words, quotes keep them together, and behind a backslash stands what it
 * is. Returns where the text goes on behind it; NULL: there is none. */
static const char *next_word(const char *at, struct ct_buf *word)
{
	char quote = '\0';
	while (isspace((unsigned char)*at))
		at++;
	if (!*at)
		return NULL;
	ct_buf_reset(word);
	for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
		if (*at == '\\' && at[1] && quote != '\'')
			ct_buf_putc(word, *++at);
		else if (*at == quote)
			quote = '\0';
		else if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
		else
			ct_buf_putc(word, *at);
	}
	ct_buf_putc(word, '\0');
	return at;
}

/* The options file that the first of n words names, and in *taken how many words say so; NULL: it is another word. */
static const char *options_file(char *const *word, size_t n, size_t *taken)
{
	static const char *const names[] = {"options-file", "optf"};
	size_t dashes = strspn(word[0], "-");
	for (size_t i = 0; dashes >= 1 && dashes <= 2 && i < 2; i++) {
		const char *rest = word[0] + dashes;
		size_t length = strlen(names[i]);
		if (strncmp(rest, names[i], length) != 0)
			continue;
		*taken = rest[length] ? 1 : 2;
		if (rest[length] == '=')
			return rest + length + 1;
		if (!rest[length] && n > 1)
			return word[1];
	}
	return NULL;
}

static int gather(char *const *word, size_t n, unsigned depth, struct ctcc_words *all,
                  struct ct_error *e);

static int gather_file(const char *path, unsigned depth, struct ctcc_words *all, struct ct_error *e)
{
	struct ctcc_words inner = {0};
	struct ct_buf one = {0};
	size_t size;
	char *text;
	int st = CT_OK;
	if (depth > DEEPEST)
		return ct_fail(e, CT_ERR_USAGE, "%s: options files name one another", path);
	if (!(text = ctcc_read(path, &size)))
		return ct_fail(e, CT_ERR_IO, "%s: no such file of options, or it cannot be read", path);
	for (const char *at = text; (at = next_word(at, &one)) && !one.failed;)
		ctcc_add(&inner, one.data);
	st = one.failed || inner.failed ? ct_fail_nomem(e) : gather(inner.word, inner.n, depth, all, e);
	free(text);
	ctcc_words_free(&inner);
	ct_buf_free(&one);
	return st;
}

static int gather(char *const *word, size_t n, unsigned depth, struct ctcc_words *all,
                  struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0, taken = 1; i < n && st == CT_OK; i += taken) {
		taken = 1;
		const char *path = options_file(word + i, n - i, &taken);
		if (path)
			st = gather_file(path, depth + 1, all, e);
		else
			ctcc_add(all, word[i]);
	}
	return st;
}

int ctcc_arguments(int argc, char **argv, struct ctcc_words *all, struct ct_error *e)
{
	return gather(argv, (size_t)argc, 0, all, e);
}
