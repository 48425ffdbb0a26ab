/* What comes out of the process of a plugin: its description, the keys that parameters of it take, and its answers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "common/plugin_text.h"
#include "models/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

/* Every parameter takes its own default and no key that is none. */
static void try_parameters(const struct ct_constants *t)
{
	double *v = calloc(t->n + 1, sizeof *v);
	struct ct_buf b = {0};
	struct ct_error e;
	if (!v)
		return;
	ct_constants_defaults(t, v);
	for (size_t i = 0; i < t->n; i++) {
		ct_buf_reset(&b);
		ct_buf_printf(&b, "%s.%s=%.17g", t->prefix, t->row[i].name, t->row[i].value);
		size_t which = 0;
		if (!b.failed && ct_constants_set(t, v, b.data, &which, &e) == CT_OK)
			must(!strcmp(t->row[which].name, t->row[i].name) &&
			     v[which] >= t->row[which].lo && v[which] <= t->row[which].hi);
	}
	must(ct_constants_check(t, "KEY=1", &e) != CT_OK);
	ct_buf_free(&b);
	free(v);
}

/* What was read is written so that it is read again as the same. */
static void try_again(const struct ct_mechanism *m)
{
	struct ct_plugin_text *d = NULL;
	struct ct_buf first = {0}, second = {0};
	struct ct_error e;
	ct_plugin_text_write(m, &first);
	if (!first.failed && ct_plugin_text_read(&d, first.data, first.len, &e) == CT_OK) {
		ct_plugin_text_write(ct_plugin_text_mechanism(d), &second);
		must(second.failed ||
		     (first.len == second.len && !memcmp(first.data, second.data, first.len)));
	}
	must(d || first.failed || e.status == CT_ERR_NOMEM);
	ct_plugin_text_free(d);
	ct_buf_free(&first);
	ct_buf_free(&second);
}

static void try_answer(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	const char *error, *reply;
	size_t n;
	int status;
	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	if ((reply = ct_plugin_answer(text, size, &status, &error, &n))) {
		must(reply >= text && n <= size && reply + n <= text + size && error <= reply);
		must((status < 0) == (error < reply));
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_plugin_text *d;
	struct ct_error e;
	try_answer(data, size);
	if (ct_plugin_text_read(&d, (const char *)data, size, &e) != CT_OK) {
		must(e.status < 0 && !d);
		return 0;
	}
	const struct ct_mechanism *m = ct_plugin_text_mechanism(d);
	must(ct_mechanism_system(m, m->judged) >= 0 && ct_mechanism_system(m, m->baseline) >= 0);
	try_parameters(m->parameters);
	try_again(m);
	ct_plugin_text_free(d);
	return 0;
}
