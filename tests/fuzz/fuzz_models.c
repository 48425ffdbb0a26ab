/* Whatever a profile says, the models answer it with finite or missing numbers or refuse it; what
 * they append reads back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/common/baseline.h"
#include "models/common/workload.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

/* The GPU of the GP records, as far as they make one that is no larger than a large one. */
static int gpu_of(const struct ct_profile *p, struct ct_gpu *g)
{
	const struct ct_record *r;
	struct ct_error e;
	char text[512];
	size_t i = 0;
	ct_gpu_defaults(g);
	while ((r = ct_profile_next(p, "GP", &i)))
		if (r->nfields >= 2 && strlen(r->field[0]) + strlen(r->field[1]) < sizeof text - 2) {
			strcpy(text, r->field[0]);
			strcat(strcat(text, "="), r->field[1]);
			(void)ct_gpu_set(g, text, &e);
		}
	return ct_gpu_check(g, &e) == 0 && g->sms <= 200 ? 0 : -1;
}

/* Asks a mechanism as a command would that has no trace: what it appends, shows and gives as its reason has to hold
 * together whatever the profile says. */
static void ask(const struct ct_mechanism *m, const struct ct_workload *w, const struct ct_gpu *g,
                struct ct_profile *p)
{
	static const char *const given[16]; /* none of its options */
	struct ct_pass_settings settings = {0};
	struct ct_mechanism_run run = {
		.mechanism = m,
		.option = given,
		.method = CT_BY_ANALYTIC,
		.data_dir = "data",
		.settings = &settings,
		.p = p,
		.workload = w,
		.base = g,
		.gpu = g};
	struct ct_buf b = {0};
	struct ct_error e;
	char text[320];
	must(m->n_options <= sizeof given / sizeof given[0]);
	must(m->open(&run, &e) == 0);
	if ((!m->measured || m->measured(p)) && m->estimate(&run, &e) == 0) {
		must(m->show(&run, NULL, &b, &e) == 0 && b.len);
		m->reason(p, &(struct ct_mechanism_number){1.1, 1.0, 1.2}, text, sizeof text);
		must(memchr(text, '\0', sizeof text) != NULL);
	}
	if (m->acted)
		must(m->acted(p, text, sizeof text) <= 1);
	ct_buf_free(&b);
	m->close(&run);
}

static void caches(const struct ct_profile *p, const struct ct_gpu *g)
{
	struct ct_l1_answer l1;
	struct ct_llc_answer llc;
	struct ct_l1_parts parts;
	struct ct_curve_fit fit;
	struct ct_error e;
	const char *scope;
	for (size_t i = 0; i < 4 && (scope = ct_profile_scope(p, i)); i++) {
		ct_baseline_parts(p, g, scope, &parts);
		must(parts.n >= 1 && parts.n <= CT_L1_PARTS_MAX);
		must(ct_baseline_l1(p, g, scope, NULL, &l1, &e) == 0);
		ct_baseline_llc_fit(p, g, scope, &fit);
		ct_baseline_llc(p, g, scope, ct_gpu_llc_bytes(g) / 2, &fit, &llc);
	}
}

static void verdicts(struct ct_profile *p)
{
	struct ct_error e;
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		struct ct_verdict v;
		ct_verdict_decide(p, ct_mechanism_at(i), &v);
		must(memchr(v.reason, '\0', sizeof v.reason) != NULL && !strpbrk(v.reason, "\t\n"));
		must(v.word != CT_UNKNOWN || v.reason[0]);
		must(ct_verdict_write(p, "fuzz", ct_mechanism_at(i), &v, &e) == 0);
	}
}

static void reads_back(const struct ct_profile *p)
{
	struct ct_buf b = {0};
	struct ct_profile *again;
	struct ct_error e;
	must(ct_profile_write(p, &b, &e) == 0);
	must(ct_profile_read_memory(&again, "again", b.data, b.len, 1, &e) == 0);
	ct_profile_free(again);
	ct_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ct_workload w;
	struct ct_profile *p;
	struct ct_gpu g;
	struct ct_error e;
	if (ct_profile_read_memory(&p, "fuzz", data, size, 0, &e) < 0)
		return 0;
	if (gpu_of(p, &g) == 0) {
		caches(p, &g);
		int known = ct_workload_read(&w, p, g.sms, (double)ct_gpu_register_bytes(&g), &e) == 0;
		for (unsigned i = 0; i < ct_mechanism_count(); i++)
			ask(ct_mechanism_at(i), known ? &w : NULL, &g, p);
		verdicts(p);
		reads_back(p);
	}
	ct_profile_free(p);
	return 0;
}
