/* The small texts that users write: STHLD tables, placements, lists of sizes, numbers with units,
 * kernel filters, models' constants. The first byte says which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "common/stage.h"
#include "models/registry.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

/* The files that options of mechanisms name: each parser takes the text or refuses it with a reason. */
static void files(const char *text, size_t n)
{
	const struct ct_mechanism *m;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++) {
		struct ct_error e = {0};
		if (m->parse_file && m->parse_file("fuzz", text, n, &e) < 0)
			must(e.text[0] != '\0');
	}
}

static void sizes(const char *text)
{
	uint64_t *v = NULL;
	size_t n = 0;
	struct ct_error e;
	if (ct_parse_sizes("--sizes", text, &v, &n, &e) == 0)
		for (size_t i = 1; i < n; i++)
			must(v[i - 1] < v[i]);
	free(v);
}

static void numbers(const char *text)
{
	uint64_t u;
	double d;
	uint32_t mask;
	struct ct_error e;
	(void)ct_parse_u64(text, &u);
	if (ct_parse_u64_range(text, 3, 1000, &u) == 0)
		must(u >= 3 && u <= 1000);
	if (ct_parse_real(text, &d) == 0)
		must(isfinite(d));
	if (ct_parse_size(text, &u) == 0 && !strpbrk(text, "xX")) /* a size may be hexadecimal */
		must(ct_parse_unit(text, CT_UNIT_BYTES, &d) == 0);
	if (ct_mechanisms_parse("--mechanisms", text, &mask, &e) == 0)
		must(mask != 0);
}

static void filter(const char *text)
{
	struct ct_filter *f;
	struct ct_error e;
	static char name[] = "_Z6KernelP4NodePiPbS2_S2_S1_i";
	struct ct_kernel k = {.id = 7, .name = name};
	if (ct_filter_compile(&f, text, &e) < 0)
		return;
	(void)ct_filter_matches(f, &k);
	ct_filter_free(f);
}

/* A key of any mechanism: what its table takes, its run takes too. */
static void constants(const char *text)
{
	static const char *const given[16];
	struct ct_pass_settings settings = {0};
	struct ct_error e = {0};
	int i = ct_mechanism_of_key(text);
	int st = ct_mechanism_check_key(text, &e);
	must(st != 1 || i < 0);
	if (st != 0)
		return;
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)i);
	struct ct_mechanism_run run = {
		.mechanism = m,
		.set = &text,
		.n_set = 1,
		.option = given,
		.data_dir = "data",
		.settings = &settings};
	if (m->open(&run, &e) == 0) {
		const double *v = m->values(&run);
		for (size_t k = 0; k < m->parameters->n; k++)
			must(v[k] >= m->parameters->row[k].lo && v[k] <= m->parameters->row[k].hi);
	}
	m->close(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	char *text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0]) {
	case 's':
	case 'p': files(text, size - 1); break;
	case 'z': sizes(text); break;
	case 'n': numbers(text); break;
	case 'k': filter(text); break;
	default: constants(text);
	}
	free(text);
	return 0;
}
