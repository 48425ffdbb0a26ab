/* nvcc's spelling of options. */
#include <string.h>

#include "ctcc/job.h"

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
	{"forward-unknown-opts", "forward-unknown-to-host-compiler"},
	{"Xcudafe", "cudafe-options"},
	{"Werror", "warning-as-error"},
	{"Xnvlink", "nvlink-options"},
	{"Xarchive", "archive-options"},
	{"Xfatbin", "fatbin-options"},
	{"t", "threads"},
	{"src-in-ptx", "source-in-ptx"},
};

/* Names that nvcc takes behind one dash as well as behind two. */
static const char *const same[] = {
	"std",
	"ptx",
	"cubin",
	"fatbin",
	"lib",
	"shared",
	"dryrun",
	"keep",
	"maxrregcount",
	"use-fast-math",
	"ftz",
	"prec-div",
	"prec-sqrt",
	"fmad",
	"cudart",
	"restrict",
	"default-stream",
	"version",
	"help",
	"keep-dir",
	"threads",
	"verbose",
	"forward-unknown-to-host-compiler",
	"forward-unknown-to-host-linker",
	"diag-suppress",
	"diag-error",
	"diag-warn",
	"extra-device-vectorization",
	"allow-unsupported-compiler",
	"split-compile",
	"display-error-number",
	"no-display-error-number",
	"print-toolkit",
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

/* How words are spelled. */
struct spelling {
	const struct ct_option *options; /* of the command */
	size_t n;
	int forwards;    /* options that nobody knows go to the host's compiler */
	int wants_value; /* the word before is an option whose value this one is */
	struct ctcc_words *out;
};

/* The option of that long name or, where name is NULL, of that letter; NULL: there is none. */
static const struct ct_option *find_option(const struct spelling *s, const char *name, char letter)
{
	for (size_t i = 0; i < s->n; i++)
		if (name ? strcmp(s->options[i].name, name) == 0 : s->options[i].key == letter)
			return &s->options[i];
	return NULL;
}

/* Whether letters, those of a word behind its dash, are options of one letter, the last with its value. What merely begins
 * like one, as march=native and Ofast do, is another compiler's. */
static int are_options(const struct spelling *s, const char *letters)
{
	const struct ct_option *o = *letters ? find_option(s, NULL, *letters) : NULL;
	const char *rest = letters + 1;
	if (!o)
		return 0;
	if (!o->argument)
		return !*rest || are_options(s, rest);
	if (*letters == 'm' || *letters == 'O')
		return strspn(rest, *letters == 'm' ? "0123456789" : "0123sg") == strlen(rest);
	return 1;
}

/* Adds an option. Its name has n characters behind the dashes, before any '='. */
static void spell_option(struct spelling *s, const char *word, size_t dashes, size_t n)
{
	char name[64];
	/* --use_fast_math is --use-fast-math */
	for (size_t k = 0; k < n; k++)
		name[k] = word[dashes + k] == '_' ? '-' : word[dashes + k];
	name[n] = '\0';
	if (strcmp(name, "Wno-deprecated-gpu-targets") == 0)
		return; /* warns of what is no matter here */
	const char *full = long_name(name, n), *value = word + dashes + n;
	if (!full && dashes == 2 && n)
		full = name;
	const struct ct_option *o = full ? find_option(s, full, '\0') : NULL;
	if (s->forwards && (full ? !o : !are_options(s, word + 1))) {
		ctcc_addf(s->out, "--compiler-options=%s", word);
		return;
	}
	if (full)
		ctcc_addf(s->out, "--%s%s", full, value);
	else
		ctcc_add(s->out, word);
	if (!full && word[1] && !word[2])
		o = find_option(s, NULL, word[1]);
	s->wants_value = o && o->argument && !*value;
}

void ctcc_spell(const struct ct_option *options, size_t n, const struct ctcc_words *given,
                struct ctcc_words *out)
{
	struct spelling s = {.options = options, .n = n, .out = out};
	for (size_t i = 1; i < given->n; i++) {
		const char *word = given->word[i] + strspn(given->word[i], "-");
		s.forwards |= strcmp(word, "forward-unknown-to-host-compiler") == 0 ||
		              strcmp(word, "forward-unknown-opts") == 0;
	}
	for (size_t i = 0; i < given->n; i++) {
		const char *word = given->word[i];
		size_t dashes = strspn(word, "-"), length = strcspn(word + dashes, "=");
		if (i == 0 || s.wants_value || dashes == 0 || dashes > 2 || length >= 64) {
			s.wants_value = 0;
			ctcc_add(out, word);
		} else {
			spell_option(&s, word, dashes, length);
		}
	}
	out->failed |= given->failed;
}
