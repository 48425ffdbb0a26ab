/* Lists of words, and nvcc's spelling of options. */
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
		size_t n = strcspn(text, ",");
		if (n)
			ctcc_addf(w, "%.*s", (int)n, text);
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

/* nvcc's short names of more than one letter, by the long name that --help lists. */
static const char *const spelled[][2] = {
	{"arch", "gpu-architecture"},
	{"gencode", "generate-code"},
	{"code", "gpu-code"},
	{"ccbin", "compiler-bindir"},
	{"Xcompiler", "compiler-options"},
	{"Xlinker", "linker-options"},
	{"Xptxas", "ptxas-options"},
	{"isystem", "system-include"},
	{"include", "pre-include"},
	{"dc", "device-c"},
	{"dlink", "device-link"},
	{"dw", "device-w"},
	{"rdc", "relocatable-device-code"},
	{"dlto", "dlink-time-opt"},
	{"lineinfo", "generate-line-info"},
	{"res-usage", "resource-usage"},
	{"M", "generate-dependencies"},
	{"MM", "generate-nonsystem-dependencies"},
	{"MD", "generate-dependencies-with-compile"},
	{"MMD", "generate-nonsystem-dependencies-with-compile"},
	{"MF", "dependency-output"},
	{"MT", "dependency-target-name"},
	{"MP", "generate-dependency-targets"},
	{"expt-relaxed-constexpr", "expt-relaxed-constexpr"},
	{"extended-lambda", "extended-lambda"},
	{"expt-extended-lambda", "extended-lambda"},
	{"V", "version"},
};

/* Names that nvcc takes behind one dash as well as behind two. */
static const char *const same[] = {
	"std",     "ptx",          "cubin",          "fatbin",  "lib",      "shared",    "dryrun",
	"keep",    "maxrregcount", "use-fast-math",  "ftz",     "prec-div", "prec-sqrt", "fmad",
	"cudart",  "restrict",     "default-stream", "version", "help",     "keep-dir",  "threads",
	"verbose",
};

/* The long name of a word without its dashes, of `n` characters before any '='; NULL where it has none. */
static const char *long_name(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
		if (strncmp(word, spelled[i][0], n) == 0 && spelled[i][0][n] == '\0')
			return spelled[i][1];
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (strncmp(word, same[i], n) == 0 && same[i][n] == '\0')
			return same[i];
	return NULL;
}

void ctcc_spell(int argc, char **argv, struct ctcc_words *out)
{
	for (int i = 0; i < argc; i++) {
		char name[64];
		const char *word = argv[i];
		size_t dashes = strspn(word, "-"), n = strcspn(word + dashes, "=");
		if (i == 0 || dashes == 0 || dashes > 2 || n >= sizeof name) {
			ctcc_add(out, word);
			continue;
		}
		/* --use_fast_math is --use-fast-math */
		for (size_t k = 0; k < n; k++)
			name[k] = word[dashes + k] == '_' ? '-' : word[dashes + k];
		name[n] = '\0';
		const char *full = long_name(name, n);
		if (strcmp(name, "Wno-deprecated-gpu-targets") == 0)
			continue; /* warns of what is no matter here */
		if (full)
			ctcc_addf(out, "--%s%s", full, word + dashes + n);
		else if (dashes == 2 && n)
			ctcc_addf(out, "--%s%s", name, word + dashes + n);
		else
			ctcc_add(out, word);
	}
}
