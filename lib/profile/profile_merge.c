/* Merging. A scope's participants are the profiles in which any record names it. What
 * only one of them has stays as it is; what several have is put together by the rules
 * of schema.c, and becomes NA (or is left out, for histograms) where one of them lacks
 * it: a sum over some of the launches would be a wrong number that looks right. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/profile.h"
#include "profile/profile_internal.h"

enum { NUMBER = 24 };

struct merge {
	struct ct_profile *out;
	struct ct_profile *const *in;
	size_t n;
	uint64_t *shift; /* added to the kernel ids of in[i] */
	struct ct_error *e;
	struct ct_buf scope, key;
	struct ct_profile *seen; /* IM records {type, identity}: used as a set */
};

/* ---- GPUs and kernel ids ---- */

/* Checks that profile i has the same GP records as the first one. */
static int same_gpu(struct merge *m, size_t i)
{
	const struct ct_record *r, *other;
	size_t at = 0, count[2] = {0, 0};
	while (ct_profile_next(m->in[0], "GP", &at))
		count[0]++;
	for (at = 0; (r = ct_profile_next(m->in[i], "GP", &at)); count[1]++) {
		other = ct_profile_find(m->in[0], "GP", 1, r->field);
		if (!other || strcmp(other->field[1], r->field[1]) != 0 ||
		    strcmp(other->field[2], r->field[2]) != 0)
			return ct_fail(
				m->e, CT_ERR_INPUT,
				"profiles of different GPUs do not merge: %s is %s in the first and %s in "
				"profile %zu",
				r->field[0], other ? other->field[1] : "absent", r->field[1], i + 1);
	}
	if (count[0] != count[1])
		return ct_fail(
			m->e, CT_ERR_INPUT,
			"profiles of different GPUs do not merge: the first has %zu GP records, profile "
			"%zu has %zu",
			count[0], i + 1, count[1]);
	return CT_OK;
}

/* The id in "kernel:N", or 0. */
static uint64_t scope_kernel(const char *scope)
{
	uint64_t id;
	if (strncmp(scope, "kernel:", 7) != 0 || !profile_is_count(scope + 7) ||
	    !ct_field_count(scope + 7, &id))
		return 0;
	return id;
}

static uint64_t last_kernel(const struct ct_profile *p)
{
	const struct ct_record *r;
	const char *scope;
	uint64_t last = 0, id;
	size_t i = 0;
	while ((r = ct_profile_next(p, "KN", &i)))
		if (ct_field_count(r->field[0], &id) && id != UINT64_MAX && id > last)
			last = id;
	for (i = 0; (scope = ct_profile_scope(p, i)); i++)
		if (scope_kernel(scope) > last)
			last = scope_kernel(scope);
	return last;
}

/* How far each profile's kernel ids are moved: behind the largest one of those before it. */
static int number_kernels(struct merge *m)
{
	m->shift = ct_calloc(m->n, sizeof *m->shift);
	if (!m->shift)
		return ct_fail_nomem(m->e);
	for (size_t i = 0; i < m->n; i++) {
		uint64_t last = last_kernel(m->in[i]);
		/* alone they stay as they are */
		if (m->n > 1 && last > UINT64_MAX / 2 - m->shift[i])
			return ct_fail(m->e, CT_ERR_LIMIT,
			               "profile %zu: kernel id %" PRIu64 " is too large", i + 1, last);
		if (i + 1 < m->n)
			m->shift[i + 1] = m->shift[i] + last;
	}
	return CT_OK;
}

/* The scope as the merged profile names it; valid until the next call. */
static const char *new_scope(struct merge *m, size_t i, const char *scope)
{
	uint64_t id = scope_kernel(scope);
	if (!id)
		return scope;
	ct_buf_reset(&m->scope);
	ct_buf_printf(&m->scope, "kernel:%" PRIu64, id + m->shift[i]);
	return m->scope.failed ? NULL : m->scope.data;
}

/* Kernel scopes get ids of their own, so only one profile takes part in them. */
static int shared_scope(const struct merge *m, const char *scope)
{
	size_t n = 0;
	if (scope_kernel(scope))
		return 0;
	for (size_t i = 0; i < m->n; i++)
		n += (size_t)ct_profile_has_scope(m->in[i], scope);
	return n > 1;
}

/* ---- copies ---- */

/* Copies a record with its scope and kernel id as they are in the merged profile; with na, its values
 * become NA. */
static int copy_record(struct merge *m, size_t i, struct type_list *to, const struct ct_record *r,
                       int na)
{
	const char *f[CT_RECORD_FIELDS_MAX];
	char id[NUMBER];
	uint64_t kernel;
	memcpy(f, r->field, r->nfields * sizeof *f);
	if (to->known && to->known->scoped && !(f[0] = new_scope(m, i, f[0])))
		return ct_fail_nomem(m->e);
	if (to->known && strcmp(to->name, "KN") == 0 && ct_field_count(f[0], &kernel) &&
	    kernel != UINT64_MAX) {
		snprintf(id, sizeof id, "%" PRIu64, kernel + m->shift[i]);
		f[0] = id;
	}
	for (unsigned k = 0; na && k < r->nfields && k < 32; k++)
		if (to->known->values >> k & 1)
			f[k] = "NA";
	return profile_append(m->out, to, r->nfields, f, NULL, m->e);
}

/* What identifies a record, as one text: each column with its length. */
static int identity_text(struct merge *m, const struct ct_record_type *t, const char *const *f)
{
	ct_buf_reset(&m->key);
	for (unsigned c = 0; c < t->n_columns; c++)
		if (t->identity >> c & 1)
			ct_buf_printf(&m->key, "%zu:%s", strlen(f[c]), f[c]);
	return ct_buf_check(&m->key, m->e);
}

/* Curves and sweeps have many points of one lookup key, so they are looked up whole. */
static int is_known_already(struct merge *m, size_t i, const struct type_list *to,
                            const struct ct_record *r, int *known)
{
	const char *f[CT_RECORD_FIELDS_MAX];
	memcpy(f, r->field, r->nfields * sizeof *f);
	if (!(f[0] = new_scope(m, i, f[0])))
		return ct_fail_nomem(m->e);
	int st = identity_text(m, to->known, f);
	if (st != CT_OK)
		return st;
	const char *key[4] = {to->name, m->key.data, "", ""};
	*known = ct_profile_find(m->seen, "IM", 2, key) != NULL;
	return *known ? CT_OK : ct_profile_add(m->seen, "IM", 4, key, m->e);
}

/* SN, IM, MR, ES, SW: each key once. Values of METRIC types are set afterwards. */
static int copy_keyed(struct merge *m, size_t i, struct type_list *to, const struct type_list *from)
{
	for (size_t k = 0; k < from->n; k++) {
		const struct ct_record *r = &from->rec[k]->pub;
		int known = 0, st = is_known_already(m, i, to, r, &known);
		if (st == CT_OK && !known)
			st = copy_record(
				m, i, to, r,
				to->known->merge == CT_MERGE_NA && shared_scope(m, r->field[0]));
		if (st != CT_OK)
			return st;
	}
	return CT_OK;
}

/* Copies the records of one type by the type's own rule. Histograms are summed later, all profiles at
 * once. */
static int copy_type(struct merge *m, size_t i, const struct type_list *from)
{
	struct type_list *to = profile_list(m->out, from->name, 1, m->e);
	enum ct_type_merge how = from->known ? from->known->merge : CT_MERGE_KEEP;
	int st = CT_OK;
	if (!to)
		return m->e ? m->e->status : CT_ERR_NOMEM;
	if (from->columns)
		st = profile_columns(m->out, to, from->n_columns, from->columns, m->e);
	if (st != CT_OK || how == CT_MERGE_COUNTS || (how == CT_MERGE_EQUAL && i > 0))
		return st;
	if (how == CT_MERGE_METRIC || how == CT_MERGE_NA)
		return copy_keyed(m, i, to, from);
	/* A verdict on one of several runs is none on all of them. */
	if (strcmp(from->name, "TV") == 0 && ct_profile_has_scope(m->in[i], "all") &&
	    shared_scope(m, "all"))
		return CT_OK;
	for (size_t k = 0; k < from->n && st == CT_OK; k++)
		st = copy_record(m, i, to, &from->rec[k]->pub, 0);
	return st;
}

/* ---- histograms ---- */

/* A bin of one profile: its histogram's number, its bounds, and its counts. */
struct bin {
	size_t group, input;
	uint64_t bound[4], sum[2];
	const struct ct_record *r;
};

struct bins {
	struct bin *bin;
	size_t n, cap;
	struct ct_profile *groups; /* IM records {scope, view, number}: used as a map */
	size_t n_groups;
};

/* 1 when every participant of the scope has the histogram. */
static int is_everywhere(const struct merge *m, const char *type, const char *const key[2])
{
	if (scope_kernel(key[0]))
		return 1;
	for (size_t i = 0; i < m->n; i++)
		if (ct_profile_has_scope(m->in[i], key[0]) && !ct_profile_find(m->in[i], type, 2, key))
			return 0;
	return 1;
}

/* Number of the histogram a record belongs to, SIZE_MAX when it is to be left out. */
static int group_of(struct merge *m, size_t i, struct bins *b, const struct ct_record *r, size_t *group)
{
	const char *key[4] = {new_scope(m, i, r->field[0]), r->field[1], NULL, ""};
	char number[NUMBER];
	uint64_t v;
	if (!key[0])
		return ct_fail_nomem(m->e);
	const struct ct_record *g = ct_profile_find(b->groups, "IM", 2, key);
	if (!g) {
		int whole = is_everywhere(m, r->type, r->field);
		snprintf(number, sizeof number, "%zu", b->n_groups++);
		key[2] = whole ? number : "NA";
		*group = whole ? b->n_groups - 1 : SIZE_MAX;
		return ct_profile_add(b->groups, "IM", 4, key, m->e);
	}
	*group = ct_field_count(g->field[2], &v) ? (size_t)v : SIZE_MAX;
	return CT_OK;
}

/* Takes the bins of a profile's histograms apart: to which histogram they belong, their bounds and their
 * counts. */
static int collect_bins(struct merge *m, size_t i, const struct type_list *from, struct bins *b)
{
	unsigned n_columns = from->known->n_columns;
	for (size_t k = 0; k < from->n; k++) {
		const struct ct_record *r = &from->rec[k]->pub;
		struct bin one = {.input = i, .r = r};
		int st = group_of(m, i, b, r, &one.group);
		if (st != CT_OK)
			return st;
		if (one.group == SIZE_MAX)
			continue;
		unsigned nb = 0, ns = 0;
		for (unsigned c = 2; c < n_columns; c++) {
			uint64_t v = 0;
			(void)ct_field_count(r->field[c], &v);
			if (from->known->values >> c & 1)
				one.sum[ns++] = v;
			else
				one.bound[nb++] = v;
		}
		if (ct_grow((void **)&b->bin, &b->cap, b->n + 1, sizeof *b->bin) < 0)
			return ct_fail_nomem(m->e);
		b->bin[b->n++] = one;
	}
	return CT_OK;
}

static int bin_order(const void *va, const void *vb)
{
	const struct bin *a = va, *b = vb;
	static const int key[4] = {0, 2, 1, 3}; /* lower bounds first, as reuse writes them */
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	for (int i = 0; i < 4; i++)
		if (a->bound[key[i]] != b->bound[key[i]])
			return a->bound[key[i]] < b->bound[key[i]] ? -1 : 1;
	return 0;
}

/* Equal bins in input order: qsort is not stable. */
static int bin_order_stable(const void *va, const void *vb)
{
	const struct bin *a = va, *b = vb;
	int c = bin_order(a, b);
	return c ? c : a->input < b->input ? -1 : a->input > b->input;
}

/* Writes one bin with the counts that were summed. */
static int write_bin(struct merge *m, struct type_list *to, const struct bin *b)
{
	const char *f[CT_RECORD_FIELDS_MAX];
	char s[2][NUMBER];
	unsigned ns = 0;
	memcpy(f, b->r->field, b->r->nfields * sizeof *f);
	if (!(f[0] = new_scope(m, b->input, f[0])))
		return ct_fail_nomem(m->e);
	for (unsigned c = 0; c < to->known->n_columns; c++)
		if (to->known->values >> c & 1) {
			snprintf(s[ns], sizeof s[ns], "%" PRIu64, b->sum[ns]);
			f[c] = s[ns];
			ns++;
		}
	return profile_append(m->out, to, b->r->nfields, f, NULL, m->e);
}

static void add_sat(uint64_t *sum, uint64_t v)
{
	*sum = v > UINT64_MAX - *sum ? UINT64_MAX : *sum + v;
}

static int sum_bins(struct merge *m, struct type_list *to, struct bins *b)
{
	qsort(b->bin, b->n, sizeof *b->bin, bin_order_stable);
	for (size_t i = 0; i < b->n;) {
		struct bin *first = &b->bin[i++];
		for (; i < b->n && bin_order(first, &b->bin[i]) == 0; i++)
			for (int k = 0; k < 2; k++)
				add_sat(&first->sum[k], b->bin[i].sum[k]);
		int st = write_bin(m, to, first);
		if (st != CT_OK)
			return st;
	}
	return CT_OK;
}

/* Sums the histograms of a type over all profiles, bin by bin. */
static int merge_histograms(struct merge *m, const char *type)
{
	struct bins b = {.groups = ct_profile_new(m->e)};
	struct type_list *to = profile_list(m->out, type, 0, m->e);
	int st = b.groups ? CT_OK : CT_ERR_NOMEM;
	for (size_t i = 0; i < m->n && st == CT_OK && to; i++) {
		const struct type_list *from = profile_list_const(m->in[i], type);
		if (from)
			st = collect_bins(m, i, from, &b);
	}
	if (st == CT_OK && b.n)
		st = sum_bins(m, to, &b);
	free(b.bin);
	ct_profile_free(b.groups);
	return st;
}

/* ---- metrics ---- */

static const char *value_in(const struct ct_profile *p, const char *type, const char *scope,
                            const char *metric)
{
	const char *key[] = {scope, metric};
	const struct ct_record *r = ct_profile_find(p, type, 2, key);
	return r ? r->field[2] : NULL;
}

/* Sum, or maximum, over the participants: exact while all are counts. 0 where the rule
 * finds no number. */
static int sum_metric(const struct merge *m, const char *type, const char *const *key,
                      enum ct_metric_merge how, uint64_t *count, double *real, int *exact)
{
	*count = 0;
	*real = 0;
	*exact = 1;
	for (size_t i = 0; i < m->n; i++) {
		uint64_t c;
		double v;
		if (!ct_profile_has_scope(m->in[i], key[0]))
			continue;
		const char *s = value_in(m->in[i], type, key[0], key[1]);
		if (!s && how != CT_METRIC_SUM)
			continue;
		if (!s || !ct_field_real(s, &v))
			return 0;
		if (!profile_is_count(s) || !ct_field_count(s, &c))
			*exact = 0;
		else if (how == CT_METRIC_MAX)
			*count = c > *count ? c : *count;
		else if (c > UINT64_MAX - *count)
			*exact = 0;
		else
			*count += c;
		*real = how == CT_METRIC_MAX ? fmax(*real, v) : *real + v;
	}
	return 1;
}

/* The mean of a metric over the profiles that have its scope, weighted by another metric of the same
 * scope; NaN where one of them lacks either. */
static double mean_metric(const struct merge *m, const char *type, const char *const *key,
                          const char *weight)
{
	double sum = 0, weights = 0;
	for (size_t i = 0; i < m->n; i++) {
		double v, w;
		if (!ct_profile_has_scope(m->in[i], key[0]))
			continue;
		const char *s = value_in(m->in[i], type, key[0], key[1]);
		const char *ws = value_in(m->in[i], type, key[0], weight);
		if (!ws || !ct_field_real(ws, &w))
			return NAN;
		if (w == 0)
			continue;
		if (!s || !ct_field_real(s, &v))
			return NAN;
		sum += v * w;
		weights += w;
	}
	return sum / weights;
}

static double ratio_metric(const struct merge *m, const char *type, const char *scope,
                           const struct ct_metric *t)
{
	const char *a = value_in(m->out, type, scope, t->num);
	const char *b = value_in(m->out, type, scope, t->den);
	double x, y;
	if (!a || !b || !ct_field_real(a, &x) || !ct_field_real(b, &y) || y == 0)
		return NAN;
	return t->factor * x / y;
}

/* The text that all participants have in the column, such as the method "analytic"; NULL where they
 * differ. */
static const char *common_text(const struct merge *m, const struct ct_record *r, unsigned column)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ct_record *o = ct_profile_find(m->in[i], r->type, 2, r->field);
		if (o && strcmp(o->field[column], r->field[column]) != 0)
			return NULL;
	}
	return r->field[column];
}

/* A number that histograms gave for another GPU keeps the method "analytic", whatever it is added
 * to, so that an estimator that starts from it knows. */
static const char *differing_method(const struct merge *m, const struct ct_record *r)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ct_record *o = ct_profile_find(m->in[i], r->type, 2, r->field);
		if (o && strcmp(o->field[4], "analytic") == 0)
			return o->field[4];
	}
	return "NA";
}

static int set_value(struct merge *m, struct rec *r, const char *text)
{
	const char *f[CT_RECORD_FIELDS_MAX];
	memcpy(f, r->pub.field, r->pub.nfields * sizeof *f);
	f[2] = text;
	/* Values in different units are no operands of one sum. */
	if (!common_text(m, &r->pub, 3))
		f[2] = "NA";
	if (strcmp(r->pub.type, "SN") == 0 && !common_text(m, &r->pub, 4))
		f[4] = differing_method(m, &r->pub);
	return profile_replace(m->out, r, r->pub.nfields, f, m->e);
}

/* Sets a merged metric by its rule: a sum, a mean, the ratio of two merged sums, or NA. */
static int merge_metric(struct merge *m, struct rec *r, const struct ct_metric *t)
{
	const char *const *key = r->pub.field;
	enum ct_metric_merge how = t ? t->merge : CT_METRIC_NA;
	struct ct_buf b = {0};
	uint64_t count;
	double real = NAN;
	int exact = 0, st;
	if (how == CT_METRIC_MEAN)
		real = mean_metric(m, r->pub.type, key, t->den);
	else if (how == CT_METRIC_RATIO)
		real = ratio_metric(m, r->pub.type, key[0], t);
	else if (how != CT_METRIC_NA && !sum_metric(m, r->pub.type, key, how, &count, &real, &exact)) {
		real = NAN;
		exact = 0;
	}
	if (exact)
		ct_buf_printf(&b, "%" PRIu64, count);
	else
		ct_buf_real(&b, real);
	st = b.failed ? ct_fail_nomem(m->e) : set_value(m, r, b.data);
	ct_buf_free(&b);
	return st;
}

/* Sums first, then the ratios of the merged sums. */
static int merge_metrics(struct merge *m, const char *type)
{
	struct type_list *l = profile_list(m->out, type, 0, m->e);
	for (int ratios = 0; ratios < 2; ratios++)
		for (size_t i = 0; l && i < l->n; i++) {
			const struct ct_metric *t = ct_profile_metric(
				m->out, type, l->rec[i]->pub.field[1]);
			if ((t && t->merge == CT_METRIC_RATIO) != ratios ||
			    !shared_scope(m, l->rec[i]->pub.field[0]))
				continue;
			int st = merge_metric(m, l->rec[i], t);
			if (st != CT_OK)
				return st;
		}
	return CT_OK;
}

/* ---- the whole ---- */

/* Checks the profiles, copies what is copied, and then computes what needs all of them at once. */
static int merge_all(struct merge *m)
{
	int st = number_kernels(m);
	for (size_t i = 1; i < m->n && st == CT_OK; i++)
		st = same_gpu(m, i);
	for (size_t i = 0; i < m->n; i++)
		for (size_t t = 0; t < m->in[i]->n_types && st == CT_OK; t++)
			if (m->in[i]->types[t].n)
				st = copy_type(m, i, &m->in[i]->types[t]);
	const struct ct_record_type *t;
	for (size_t i = 0; (t = ct_record_type_at(i)) && st == CT_OK; i++) {
		if (t->merge == CT_MERGE_COUNTS)
			st = merge_histograms(m, t->name);
		else if (t->merge == CT_MERGE_METRIC)
			st = merge_metrics(m, t->name);
	}
	return st;
}

int ct_profile_merge(struct ct_profile **out, struct ct_profile *const *in, size_t n, struct ct_error *e)
{
	struct merge m = {.in = in, .n = n, .e = e};
	*out = NULL;
	if (n == 0)
		return ct_fail(e, CT_ERR_USAGE, "nothing to merge: name profiles");
	m.out = ct_profile_new(e);
	m.seen = ct_profile_new(e);
	if (m.out)
		m.out->more_metrics = in[0]->more_metrics;
	int st = m.out && m.seen ? merge_all(&m) : CT_ERR_NOMEM;
	free(m.shift);
	ct_buf_free(&m.scope);
	ct_buf_free(&m.key);
	ct_profile_free(m.seen);
	if (st != CT_OK)
		ct_profile_free(m.out);
	else
		*out = m.out;
	return st;
}
