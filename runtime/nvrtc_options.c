/* NVRTC's options: what they are for ctcc. */
#include <string.h>

#include "runtime/nvrtc_program.h"

enum takes { NO_VALUE, VALUE };
enum does {
	PASSES, /* to ctcc, by its long name */
	NOTHING,
	ARCH,
	STANDARD,
	BOOLEAN, /* passes true or false */
	DEVICE_DEFAULT,
	HIDES_FOLDER,
	REFUSED
};

static const struct option {
	const char *name, *brief;
	enum takes takes;
	enum does does;
} options[] = {
	{"gpu-architecture", "arch", VALUE, ARCH},
	{"std", NULL, VALUE, STANDARD},
	{"define-macro", "D", VALUE, PASSES},
	{"undefine-macro", "U", VALUE, PASSES},
	{"include-path", "I", VALUE, PASSES},
	{"pre-include", "include", VALUE, PASSES},
	{"device-c", "dc", NO_VALUE, PASSES},
	{"device-w", "dw", NO_VALUE, PASSES},
	{"relocatable-device-code", "rdc", VALUE, BOOLEAN},
	{"device-debug", "G", NO_VALUE, PASSES},
	{"generate-line-info", "lineinfo", NO_VALUE, PASSES},
	{"maxrregcount", NULL, VALUE, PASSES},
	{"ftz", NULL, VALUE, BOOLEAN},
	{"prec-sqrt", NULL, VALUE, BOOLEAN},
	{"prec-div", NULL, VALUE, BOOLEAN},
	{"fmad", NULL, VALUE, BOOLEAN},
	{"use-fast-math", NULL, NO_VALUE, PASSES},
	{"disable-warnings", "w", NO_VALUE, PASSES},
	{"device-as-default-execution-space", "default-device", NO_VALUE, DEVICE_DEFAULT},
	{"no-source-include", NULL, NO_VALUE, HIDES_FOLDER},
	{"extensible-whole-program", "ewp", NO_VALUE, NOTHING},
	{"dopt", NULL, VALUE, NOTHING},
	{"Ofast-compile", "Ofc", VALUE, NOTHING},
	{"ptxas-options", "Xptxas", VALUE, NOTHING},
	{"extra-device-vectorization", NULL, NO_VALUE, NOTHING},
	{"modify-stack-limit", NULL, VALUE, NOTHING},
	{"builtin-move-forward", NULL, VALUE, NOTHING},
	{"builtin-initializer-list", NULL, VALUE, NOTHING},
	{"version-ident", NULL, VALUE, NOTHING},
	{"restrict", NULL, NO_VALUE, NOTHING},
	{"device-int128", NULL, NO_VALUE, NOTHING},
	{"device-float128", NULL, NO_VALUE, NOTHING},
	{"device-stack-protector", NULL, VALUE, NOTHING},
	{"jump-table-density", "jtd", VALUE, NOTHING},
	{"optimization-info", "opt-info", VALUE, NOTHING},
	{"display-error-number", "err-no", NO_VALUE, NOTHING},
	{"no-display-error-number", "no-err-no", NO_VALUE, NOTHING},
	{"diag-error", NULL, VALUE, NOTHING},
	{"diag-suppress", NULL, VALUE, NOTHING},
	{"diag-warn", NULL, VALUE, NOTHING},
	{"brief-diagnostics", "brief-diag", VALUE, NOTHING},
	{"split-compile", NULL, VALUE, NOTHING},
	{"minimal", NULL, NO_VALUE, NOTHING},
	{"no-cache", NULL, NO_VALUE, NOTHING},
	{"pch", NULL, NO_VALUE, NOTHING},
	{"pch-dir", NULL, VALUE, NOTHING},
	{"pch-verbose", NULL, VALUE, NOTHING},
	{"pch-messages", NULL, VALUE, NOTHING},
	{"instantiate-templates-in-pch", NULL, VALUE, NOTHING},
	{"dlink-time-opt", "dlto", NO_VALUE, REFUSED},
	{"gen-opt-lto", NULL, NO_VALUE, REFUSED},
	{"optix-ir", NULL, NO_VALUE, REFUSED},
	{"create-pch", NULL, VALUE, REFUSED},
	{"use-pch", NULL, VALUE, REFUSED},
	{"time", NULL, VALUE, REFUSED},
	{"fdevice-time-trace", NULL, VALUE, REFUSED},
};

void ct_nvrtc_add_word(struct ct_buf *words, const char *text)
{
	for (; *text; text++) {
		if (strchr(" \t\n\v\f\r\"'\\", *text))
			ct_buf_putc(words, '\\');
		ct_buf_putc(words, *text);
	}
	ct_buf_putc(words, '\n');
}

/* "--NAME=VALUE" as one word. */
static void pass(struct ct_nvrtc_settings *s, const char *name, const char *value)
{
	struct ct_buf word = {0};
	ct_buf_printf(&word, value ? "--%s=%s" : "--%s", name, value);
	if (word.failed)
		s->words.failed = 1;
	else
		ct_nvrtc_add_word(&s->words, word.data);
	ct_buf_free(&word);
}

/* Whether the n characters are the option's name, where '_' is as good as '-'. */
static int is_name(const char *name, const char *word, size_t n)
{
	if (!name || strlen(name) != n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (name[i] != (word[i] == '_' ? '-' : word[i]))
			return 0;
	return 1;
}

/* The option that a word without its dashes begins with, and where its value begins, NULL: not in this word. Values stand behind '=',
 * a blank, or a name of one letter. */
static const struct option *find_option(const char *word, const char **value)
{
	const size_t n = strcspn(word, "= ");
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (is_name(options[i].name, word, n) || is_name(options[i].brief, word, n)) {
			*value = word[n] ? word + n + 1 : NULL;
			return &options[i];
		}
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].takes == VALUE && options[i].brief && !options[i].brief[1] &&
		    *word == *options[i].brief) {
			*value = word + 1;
			return &options[i];
		}
	return NULL;
}

static nvrtcResult refuse(struct ct_buf *log, const char *option, const char *why)
{
	ct_buf_printf(log, "nvrtc: error: invalid option %s: %s\n", option, why);
	return NVRTC_ERROR_INVALID_OPTION;
}

static nvrtcResult set_arch(struct ct_nvrtc_settings *s, const char *value, struct ct_buf *log)
{
	const size_t n = strncmp(value, "compute_", 8) == 0 ? 8 : 3,
		     digits = strspn(value + n, "0123456789");
	if ((n == 3 && strncmp(value, "sm_", 3) != 0) || digits < 2 || digits > 3 ||
	    (value[n + digits] && strcmp(value + n + digits, "a") != 0 &&
	     strcmp(value + n + digits, "f") != 0))
		return refuse(log, "--gpu-architecture", "write it as compute_70 or sm_70");
	char plain[16] = "";
	memcpy(plain, value, n + digits);
	s->real = n == 3;
	pass(s, "gpu-architecture", plain);
	return NVRTC_SUCCESS;
}

static nvrtcResult use(struct ct_nvrtc_settings *s, const struct option *o, const char *value,
                       struct ct_buf *log)
{
	switch (o->does) {
	case ARCH: return set_arch(s, value, log);
	case BOOLEAN:
		if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
			return refuse(log, o->name, "write true or false");
		break;
	case STANDARD: s->standard = 1; break;
	case DEVICE_DEFAULT: s->device_default = 1; return NVRTC_SUCCESS;
	case HIDES_FOLDER: s->hides_folder = 1; return NVRTC_SUCCESS;
	case NOTHING: return NVRTC_SUCCESS;
	case REFUSED: return refuse(log, o->name, "PTX is all that is made, and no other file");
	case PASSES: break;
	}
	pass(s, o->name, value);
	return NVRTC_SUCCESS;
}

nvrtcResult ct_nvrtc_read_options(int n, const char *const *words, struct ct_nvrtc_settings *s,
                                  struct ct_buf *log)
{
	nvrtcResult r = NVRTC_SUCCESS;
	for (int i = 0; i < n && r == NVRTC_SUCCESS; i++) {
		const char *word = words[i], *value = NULL;
		if (!word)
			return NVRTC_ERROR_INVALID_INPUT;
		while (*word == ' ')
			word++;
		const size_t dashes = strspn(word, "-");
		const struct option *o = dashes == 1 || dashes == 2 ? find_option(word + dashes, &value)
		                                                    : NULL;
		if (!o)
			return refuse(log, word, "it is none of NVRTC's");
		if (o->takes == NO_VALUE && value)
			return refuse(log, word, "it takes no value");
		if (o->takes == VALUE && !value && i + 1 < n)
			value = words[++i];
		if (o->takes == VALUE && !value)
			return refuse(log, word, "it needs a value");
		while (value && *value == ' ')
			value++;
		r = use(s, o, value, log);
	}
	return r == NVRTC_SUCCESS && s->words.failed ? NVRTC_ERROR_OUT_OF_MEMORY : r;
}
