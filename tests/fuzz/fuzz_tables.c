/* The small texts that users write: STHLD tables, placements, lists of sizes, numbers with units,
 * kernel filters, models' constants. The first byte says which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "common/mechanism.h"
#include "common/stage.h"
#include "models/malekeh/params.h"
#include "models/malekeh/sthld.h"
#include "models/morpheus/params.h"
#include "models/shared_l1/params.h"
#include "models/shared_l1/place.h"
#include "models/tag_split/params.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static void sthld(const char *text, size_t n)
{
	struct ct_mk_sthld_table t;
	struct ct_mk_sthld m;
	struct ct_error e;
	if (ct_mk_sthld_parse(&t, "fuzz", text, n, &e) < 0)
		return;
	ct_mk_sthld_start(&t, &m);
	for (int i = 0; i < 64; i++) {
		ct_mk_sthld_step(&t, &m, i % 3 ? 1.0 : 0.5 * i);
		must(m.state >= 1 && m.state <= CT_MK_STATES && m.value >= t.lowest && m.value <= t.highest);
	}
}

static void place(const char *text)
{
	struct ct_sl_place p;
	struct ct_error e;
	if (ct_sl_place_parse(&p, "fuzz", text, 0, 0, &e) < 0)
		return;
	for (unsigned i = 0; i < p.cores; i++)
		must(p.core[i] < p.side * p.side);
	for (unsigned i = 0; i < p.partitions; i++)
		must(p.partition[i] < p.side * p.side);
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
	unsigned mask;
	struct ct_error e;
	(void)ct_parse_u64(text, &u);
	if (ct_parse_u64_range(text, 3, 1000, &u) == 0)
		must(u >= 3 && u <= 1000);
	if (ct_parse_real(text, &d) == 0)
		must(isfinite(d));
	if (ct_parse_size(text, &u) == 0 && !strpbrk(text, "xX")) /* a size may be hexadecimal */
		must(ct_parse_unit(text, CT_UNIT_BYTES, &d) == 0);
	(void)ct_pass_mechanisms_parse(text, &mask, &e);
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

static void constants(const char *text)
{
	struct ct_mk_params mk;
	struct ct_sl_params sl;
	struct ct_ts_params ts;
	struct ct_morpheus_params mo;
	struct ct_error e;
	ct_mk_defaults(&mk);
	ct_sl_defaults(&sl);
	ct_ts_defaults(&ts);
	ct_morpheus_defaults(&mo);
	if (ct_mk_is_key(text))
		(void)ct_mk_set(&mk, text, &e);
	else if (ct_ts_is_key(text))
		(void)ct_ts_set(&ts, text, &e);
	else if (strncmp(text, "morpheus.", 9) == 0)
		(void)ct_morpheus_set(&mo, text, &e);
	else
		(void)ct_sl_set(&sl, text, &e);
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
	case 's': sthld(text, size - 1); break;
	case 'p': place(text); break;
	case 'z': sizes(text); break;
	case 'n': numbers(text); break;
	case 'k': filter(text); break;
	default: constants(text);
	}
	free(text);
	return 0;
}
