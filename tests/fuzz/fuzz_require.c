/* Thresholds: parse, then evaluate against a run in which every value is there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "models/verdict/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int number(const void *run, const struct ct_require_name *name, double *v)
{
	(void)run;
	*v = (double)strlen(name->metric) - (double)strlen(name->system);
	return name->metric[0] != 'x';
}

static const char *word(const void *run, const char *mechanism)
{
	(void)run;
	return mechanism[0] == 'x' ? NULL : "neutral";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ct_require_source source = {number, word, 0};
	struct ct_require *r;
	struct ct_error e;
	char why[64];
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (ct_require_parse(&r, text, &e) == CT_OK) {
		ct_require_eval(r, &source, "new", "old", why, sizeof why);
		ct_require_eval(r, &source, "new", NULL, why, sizeof why);
		ct_require_applies(r, "bfs");
		ct_require_free(r);
	}
	free(text);
	return 0;
}
