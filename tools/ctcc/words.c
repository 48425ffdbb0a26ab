/* Lists of words. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ctcc/job.h"

void ctcc_add(struct ctcc_words *w, const char *text)
{
	char *copy = w->failed ? NULL : ct_strndup(text, strlen(text));
	if (!copy || ct_grow((void **)&w->word, &w->cap, w->n + 2, sizeof *w->word) < 0) {
		free(copy);
		w->failed = 1;
		return;
	}
	w->word[w->n++] = copy;
	w->word[w->n] = NULL;
}

void ctcc_addf(struct ctcc_words *w, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *text = n < 0 ? NULL : malloc((size_t)n + 1);
	if (!text) {
		w->failed = 1;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	ctcc_add(w, text);
	free(text);
}

void ctcc_add_all(struct ctcc_words *w, const struct ctcc_words *more)
{
	for (size_t i = 0; i < more->n; i++)
		ctcc_add(w, more->word[i]);
	w->failed |= more->failed;
}

void ctcc_add_commas(struct ctcc_words *w, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, ","), quoted = n > 1 && text[0] == '"' && text[n - 1] == '"';
		if (n)
			ctcc_addf(w, "%.*s", (int)(n - 2 * quoted), text + quoted);
		text += n + (text[n] == ',');
	}
}

void ctcc_words_free(struct ctcc_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i]);
	free(w->word);
	memset(w, 0, sizeof *w);
}

void ctcc_job_free(struct ctcc_job *j)
{
	ctcc_words_free(&j->both);
	ctcc_words_free(&j->host);
	ctcc_words_free(&j->dependencies);
	ctcc_words_free(&j->link);
	ctcc_words_free(&j->flags);
}
