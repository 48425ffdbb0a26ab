/* Typed records: SN, IM, GP, MR, ME, RE, ES, SW. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/profile_internal.h"

void ct_profile_set_metrics(struct ct_profile *p, ct_metric_lookup more)
{
	p->more_metrics = more;
}

const struct ct_metric *ct_profile_metric(const struct ct_profile *p, const char *type, const char *name)
{
	const struct ct_metric *m = ct_metric(type, name);
	return m || !p->more_metrics ? m : p->more_metrics(type, name);
}

static const char *unit_of(const struct ct_profile *p, const char *type, const char *name)
{
	const struct ct_metric *m = ct_profile_metric(p, type, name);
	return m ? m->unit : "";
}

enum { NUMBER = 40 };

/* "%.6g" as the contract prints reals; NULL when out of memory. */
static const char *real_text(char s[NUMBER], double v)
{
	struct ct_buf b = {0};
	ct_buf_real(&b, v);
	if (!b.failed)
		snprintf(s, NUMBER, "%s", b.data);
	int failed = b.failed;
	ct_buf_free(&b);
	return failed ? NULL : s;
}

/* ct_profile_put() for fields of which one may be a number that found no memory. */
static int put_record(struct ct_profile *p, const char *type, unsigned n, const char *const *f,
                      struct ct_error *e)
{
	for (unsigned i = 0; i < n; i++)
		if (!f[i])
			return ct_fail_nomem(e);
	return ct_profile_put(p, type, n, f, e);
}

static const struct ct_record *find2(const struct ct_profile *p, const char *type, const char *a,
                                     const char *b)
{
	const char *key[] = {a, b};
	return ct_profile_find(p, type, 2, key);
}

/* ---- SN ---- */

static int put_sn(struct ct_profile *p, const char *scope, const char *metric, const char *value,
                  const char *unit, const char *method, struct ct_error *e)
{
	const char *f[] = {scope, metric, value, unit ? unit : unit_of(p, "SN", metric), method};
	return put_record(p, "SN", 5, f, e);
}

int ct_profile_add_count(struct ct_profile *p, const char *scope, const char *metric, uint64_t v,
                         const char *unit, const char *method, struct ct_error *e)
{
	char s[NUMBER];
	return put_sn(p, scope, metric, profile_count_text(s, v), unit, method, e);
}

int ct_profile_add_real(struct ct_profile *p, const char *scope, const char *metric, double v,
                        const char *unit, const char *method, struct ct_error *e)
{
	char s[NUMBER];
	return put_sn(p, scope, metric, real_text(s, v), unit, method, e);
}

int ct_profile_get(const struct ct_profile *p, const char *scope, const char *metric, double *v)
{
	const struct ct_record *r = find2(p, "SN", scope, metric);
	return r && ct_field_real(r->field[2], v);
}

int ct_profile_get_count(const struct ct_profile *p, const char *scope, const char *metric, uint64_t *v)
{
	const struct ct_record *r = find2(p, "SN", scope, metric);
	return r && profile_is_count(r->field[2]) && ct_field_count(r->field[2], v);
}

const char *ct_profile_method(const struct ct_profile *p, const char *scope, const char *metric)
{
	const struct ct_record *r = find2(p, "SN", scope, metric);
	return r ? r->field[4] : NULL;
}

int ct_profile_gaps(const struct ct_profile *p, char *text, size_t n)
{
	static const struct {
		const char *metric, *one, *more;
	} gap[] = {
		{"short_grids", "kernel lacks thread blocks", "kernels lack thread blocks"},
		{"missing_kernels", "kernel has no file", "kernels have no file"},
		{"unlisted_kernels", "kernel is not in the list", "kernels are not in the list"},
		{"misnamed_kernels", "file holds another kernel", "files hold another kernel"},
		{"unordered_kernels", "kernel is out of order", "kernels are out of order"},
		{"partial_headers", "header lacks lines", "headers lack lines"},
		{"unknown_commands", "line was not understood", "lines were not understood"},
		{"absent_warps", "warp is absent", "warps are absent"},
	};
	size_t at = 0;
	uint64_t v;
	text[0] = '\0';
	for (size_t i = 0; i < sizeof gap / sizeof *gap && at < n; i++)
		if (ct_profile_get_count(p, "all", gap[i].metric, &v) && v > 0)
			at += (size_t)snprintf(text + at, n - at, "%s%" PRIu64 " %s", at ? ", " : "", v,
			                       v == 1 ? gap[i].one : gap[i].more);
	return at > 0;
}

/* ---- IM, GP, MR, ME, RE ---- */

int ct_profile_add_im(struct ct_profile *p, const char *scope, const char *item, double v,
                      const char *unit, struct ct_error *e)
{
	char s[NUMBER];
	int whole = v >= 0 && v < 9007199254740992.0 && v == floor(v);
	const char *f[] = {scope, item, whole ? profile_count_text(s, (uint64_t)v) : real_text(s, v),
	                   unit ? unit : unit_of(p, "IM", item)};
	return put_record(p, "IM", 4, f, e);
}

int ct_profile_get_im(const struct ct_profile *p, const char *scope, const char *item, double *v)
{
	const struct ct_record *r = find2(p, "IM", scope, item);
	return r && ct_field_real(r->field[2], v);
}

int ct_profile_add_gp(struct ct_profile *p, const char *key, const char *value, const char *unit,
                      struct ct_error *e)
{
	const char *f[] = {key, value, unit};
	return put_record(p, "GP", 3, f, e);
}

const char *ct_profile_gp(const struct ct_profile *p, const char *key)
{
	const struct ct_record *r = ct_profile_find(p, "GP", 1, &key);
	return r ? r->field[1] : NULL;
}

int ct_profile_add_mr(struct ct_profile *p, const char *scope, const char *level,
                      uint64_t capacity_bytes, double miss_ratio, struct ct_error *e)
{
	char c[NUMBER], m[NUMBER];
	const char *f[] = {scope, level, profile_count_text(c, capacity_bytes),
	                   real_text(m, miss_ratio)};
	return put_record(p, "MR", 4, f, e);
}

int ct_profile_add_me(struct ct_profile *p, const char *scope, const char *level,
                      uint64_t capacity_bytes, double low, double high, struct ct_error *e)
{
	char c[NUMBER], l[NUMBER], h[NUMBER];
	const char *f[] = {scope, level, profile_count_text(c, capacity_bytes), real_text(l, low),
	                   real_text(h, high)};
	return put_record(p, "ME", 5, f, e);
}

int ct_profile_add_re(struct ct_profile *p, const char *scope, const char *view, double rate,
                      double half_width_mean, double half_width_max, struct ct_error *e)
{
	char r[NUMBER], m[NUMBER], x[NUMBER];
	const char *f[] = {scope, view, real_text(r, rate), real_text(m, half_width_mean),
	                   real_text(x, half_width_max)};
	return put_record(p, "RE", 5, f, e);
}

/* ---- ES, SW ---- */

int ct_profile_add_estimate(struct ct_profile *p, const struct ct_estimate *es, struct ct_error *e)
{
	char v[NUMBER], lo[NUMBER], hi[NUMBER];
	const char *f[] = {
		es->scope,  es->mechanism,           es->system,
		es->metric, real_text(v, es->value), es->unit ? es->unit : unit_of(p, "ES", es->metric),
		es->method, real_text(lo, es->low),  real_text(hi, es->high)};
	return put_record(p, "ES", 9, f, e);
}

static double real_or_nan(const char *s)
{
	double v;
	return ct_field_real(s, &v) ? v : NAN;
}

/* How close a method comes: full replays of the trace, a mechanism's own replay, quick replays, estimates. */
static int closeness_of(const char *method)
{
	static const char *const order[] = {"quick", "replay", "full"};
	for (int i = 0; i < 3; i++)
		if (strcmp(method, order[i]) == 0)
			return i + 1;
	return 0;
}

/* Whether a record is to be preferred to the best so far: one with a number comes first, then the closer method. */
static int is_better(const struct ct_record *r, const struct ct_record *best)
{
	int number = !isnan(real_or_nan(r->field[4])), have = !isnan(real_or_nan(best->field[4]));
	return number != have ? number : closeness_of(r->field[6]) > closeness_of(best->field[6]);
}

int ct_profile_get_estimate(const struct ct_profile *p, const char *scope, const char *mechanism,
                            const char *system, const char *metric, const char *method,
                            struct ct_estimate *es)
{
	const char *key[] = {scope, mechanism, system, metric};
	const struct ct_record *r = ct_profile_find(p, "ES", 4, key), *best = NULL;
	for (; r; r = ct_profile_same(r)) {
		const char *m = r->field[6];
		if (method ? strcmp(m, method) == 0 : !best || is_better(r, best))
			best = r;
	}
	if (!best)
		return 0;
	*es = (struct ct_estimate){
		.scope = best->field[0],
		.mechanism = best->field[1],
		.system = best->field[2],
		.metric = best->field[3],
		.unit = best->field[5],
		.method = best->field[6],
		.value = real_or_nan(best->field[4]),
		.low = real_or_nan(best->field[7]),
		.high = real_or_nan(best->field[8])};
	return 1;
}

int ct_profile_add_sweep(struct ct_profile *p, const struct ct_sweep_point *sw, struct ct_error *e)
{
	char v[NUMBER];
	const char *unit = sw->unit;
	if (!unit) {
		unit = unit_of(p, "ES", sw->metric);
		if (!*unit)
			unit = unit_of(p, "SN", sw->metric);
	}
	const char *f[] = {sw->scope,  sw->mechanism,           sw->system, sw->key,    sw->x,
	                   sw->metric, real_text(v, sw->value), unit,       sw->method, "NA",
	                   "NA"};
	return put_record(p, "SW", 11, f, e);
}
