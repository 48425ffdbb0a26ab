/* Whatever a profile says, the models answer it with finite or missing numbers or refuse it; what
 * they append reads back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/common/baseline.h"
#include "models/malekeh/estimate.h"
#include "models/morpheus/estimate.h"
#include "models/shared_l1/estimate.h"
#include "models/tag_split/estimate.h"
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

static void morpheus(const struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p)
{
	static struct ct_mo_answer a;
	struct ct_morpheus_params params;
	struct ct_error e;
	char notes[CT_MO_NOTES_MAX][CT_MO_NOTE_LEN], why[160];
	ct_morpheus_defaults(&params);
	if (ct_mo_answer_init(&a, w, g, g, &params, NULL, &e) < 0)
		return;
	must(ct_mo_answer_write(&a, p, &e) == 0);
	(void)ct_mo_answer_notes(&a, notes);
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++)
		ct_mo_row_why(&a, &a.row[i], why, sizeof why);
	ct_mo_answer_free(&a);
}

static void shared_l1(const struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p)
{
	static struct ct_sl_answer a;
	struct ct_sl_params params;
	struct ct_error e;
	char notes[CT_SL_NOTES_MAX][CT_SL_NOTE_LEN], why[160];
	ct_sl_defaults(&params);
	if (ct_sl_answer_init(&a, p, w, g, g, &params, NULL, &e) < 0)
		return;
	must(ct_sl_answer_write(&a, p, &e) == 0);
	(void)ct_sl_answer_notes(&a, a.row, notes);
	for (size_t i = 0; i < CT_SL_SYSTEMS; i++)
		ct_sl_row_why(a.row, &a.row[i], why, sizeof why);
	ct_sl_answer_free(&a);
}

static void tag_split(const struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p)
{
	static struct ct_ts_answer a;
	struct ct_ts_params params;
	struct ct_error e;
	char notes[CT_TS_NOTES_MAX][CT_TS_NOTE_LEN], why[160];
	ct_ts_defaults(&params);
	if (!ct_ts_measured_in(p) || ct_ts_answer_init(&a, p, w, g, g, &params, &e) < 0)
		return;
	must(ct_ts_answer_write(&a, p, &e) == 0);
	(void)ct_ts_answer_notes(&a, notes);
	ct_ts_class_why(&a, why, sizeof why);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++)
		ct_ts_row_why(&a, &a.row[i], why, sizeof why);
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
	for (int m = 0; m < CT_MECHANISMS; m++) {
		struct ct_verdict v;
		ct_verdict_decide(p, (enum ct_paper_mechanism)m, NAN, &v);
		must(memchr(v.reason, '\0', sizeof v.reason) != NULL && !strpbrk(v.reason, "\t\n"));
		must(v.word != CT_UNKNOWN || v.reason[0]);
		must(ct_verdict_write(p, "fuzz", (enum ct_paper_mechanism)m, &v, &e) == 0);
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
		if (ct_workload_read(&w, p, g.sms, (double)ct_gpu_register_bytes(&g), &e) == 0) {
			morpheus(&w, &g, p);
			shared_l1(&w, &g, p);
			tag_split(&w, &g, p);
		}
		(void)ct_mk_bounds_write(&g, p, &e);
		verdicts(p);
		reads_back(p);
	}
	ct_profile_free(p);
	return 0;
}
