#include "correlate/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { SECTOR = 32 }; /* bytes of a DRAM sector of Nsight Compute */

/* What both sides give of a metric. v: a row's counters. sn: a number of the launch by name, NaN where it lacks. */
struct source {
	const struct ct_profile *p;
	char scope[32];
	double core_mhz;
};

static double sn(const struct source *s, const char *metric)
{
	double v;
	return ct_profile_get(s->p, s->scope, metric, &v) ? v : NAN;
}

static double dram_bytes(const double *v)
{
	return isnan(v[CT_COUNTER_DRAM_BYTES])
	               ? v[CT_COUNTER_DRAM_READ_BYTES] + v[CT_COUNTER_DRAM_WRITE_BYTES]
	               : v[CT_COUNTER_DRAM_BYTES];
}

static double load_hit_rate(const double *v)
{
	return isnan(v[CT_COUNTER_L1_LOAD_HIT_RATE])
	               ? v[CT_COUNTER_LOAD_HITS] / v[CT_COUNTER_LOAD_SECTORS]
	               : v[CT_COUNTER_L1_LOAD_HIT_RATE];
}

/* How a metric is got from either side. */
enum how {
	PLAIN,      /* SN of its name; the counter */
	COMPLEMENT, /* SN of its name; 1 - the counter */
	LOAD_RATE,
	ALL_REQUESTS,
	DRAM_SECTORS,
	CYCLES,
	DURATION
};

struct row {
	struct cor_metric m;
	enum how how;
	enum ct_counter counter;
	const char *
		instead_of; /* compared only where the profile lacks that SN: another convention of the same */
};

/* clang-format off */
static const struct row rows[] = {
	{{"ncu_warp_insts", "insts", COR_REQUESTS, 0}, PLAIN, CT_COUNTER_WARP_INSTS, NULL},
	{{"warp_insts", "insts", COR_REQUESTS, 0}, PLAIN, CT_COUNTER_WARP_INSTS, "ncu_warp_insts"},
	{{"thread_insts", "insts", COR_REQUESTS, 0}, PLAIN, CT_COUNTER_THREAD_INSTS, NULL},
	{{"global_load_requests", "requests", COR_REQUESTS, 0}, PLAIN, CT_COUNTER_LOAD_REQUESTS, NULL},
	{{"global_store_requests", "requests", COR_REQUESTS, 0}, PLAIN, CT_COUNTER_STORE_REQUESTS, NULL},
	{{"global_requests", "requests", COR_REQUESTS, 0}, ALL_REQUESTS, CT_COUNTER_LOAD_REQUESTS, NULL},
	{{"l1_read_sector_accesses", "sectors", COR_REQUESTS, 0}, PLAIN, CT_COUNTER_LOAD_SECTORS, NULL},
	{{"ncu_l1_hit_rate", "ratio", COR_L1, 1}, PLAIN, CT_COUNTER_L1_HIT_RATE, NULL},
	{{"l1_miss_rate", "ratio", COR_L1, 1}, COMPLEMENT, CT_COUNTER_L1_HIT_RATE, "ncu_l1_hit_rate"},
	{{"ncu_l1_load_hit_rate", "ratio", COR_L1, 1}, LOAD_RATE, CT_COUNTER_L1_LOAD_HIT_RATE, NULL},
	{{"ncu_l2_hit_rate", "ratio", COR_LLC, 1}, PLAIN, CT_COUNTER_L2_HIT_RATE, NULL},
	{{"llc_miss_rate", "ratio", COR_LLC, 1}, COMPLEMENT, CT_COUNTER_L2_HIT_RATE, "ncu_l2_hit_rate"},
	{{"ncu_l2_read_sectors", "sectors", COR_LLC, 0}, PLAIN, CT_COUNTER_L2_READS, NULL},
	{{"llc_read_sector_accesses", "sectors", COR_LLC, 0}, PLAIN, CT_COUNTER_L2_READS, "ncu_l2_read_sectors"},
	{{"ncu_l2_write_sectors", "sectors", COR_LLC, 0}, PLAIN, CT_COUNTER_L2_WRITES, NULL},
	{{"ncu_dram_sectors", "sectors", COR_DRAM, 0}, DRAM_SECTORS, CT_COUNTER_DRAM_BYTES, NULL},
	{{"dram_read_bytes", "bytes", COR_DRAM, 0}, PLAIN, CT_COUNTER_DRAM_READ_BYTES, NULL},
	{{"dram_write_bytes", "bytes", COR_DRAM, 0}, PLAIN, CT_COUNTER_DRAM_WRITE_BYTES, NULL},
	{{"cycles", "cycles", COR_CYCLES, 0}, CYCLES, CT_COUNTER_CYCLES, NULL},
	{{"active_cycles", "cycles", COR_CYCLES, 0}, PLAIN, CT_COUNTER_ACTIVE_CYCLES, NULL},
	{{"duration", "ns", COR_CYCLES, 0}, DURATION, CT_COUNTER_DURATION, NULL},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows };

size_t cor_metrics(void)
{
	return ROWS;
}

const struct cor_metric *cor_metric_at(size_t i)
{
	return i < ROWS ? &rows[i].m : NULL;
}

const char *cor_instead_of(size_t i)
{
	return rows[i].instead_of;
}

int cor_is_time(size_t i)
{
	return rows[i].how == DURATION;
}

const char *cor_level_name(enum cor_level l)
{
	static const char *const names[] = {"requests", "L1", "LLC", "DRAM", "cycles"};
	return names[l];
}

static double measured_of(const struct row *r, const double *v)
{
	switch (r->how) {
	case COMPLEMENT: return 1 - v[r->counter];
	case LOAD_RATE: return load_hit_rate(v);
	case ALL_REQUESTS:
		return v[CT_COUNTER_LOAD_REQUESTS] + v[CT_COUNTER_STORE_REQUESTS] +
		       v[CT_COUNTER_ATOM_REQUESTS] + v[CT_COUNTER_RED_REQUESTS];
	case DRAM_SECTORS: return dram_bytes(v) / SECTOR;
	case CYCLES: /* ns times MHz */
		return isnan(v[r->counter]) ? v[CT_COUNTER_DURATION] * v[CT_COUNTER_CLOCK] / 1000
		                            : v[r->counter];
	default: return v[r->counter];
	}
}

static double predicted_of(const struct row *r, const struct source *s)
{
	if (r->instead_of && !isnan(sn(s, r->instead_of)))
		return NAN;
	return r->how == DURATION ? sn(s, "cycles") * 1000 / s->core_mhz : sn(s, r->m.name);
}

/* ---- launches ---- */

static int parse_size3(const char *s, uint32_t v[3])
{
	return sscanf(s, "(%" SCNu32 ",%" SCNu32 ",%" SCNu32 ")", &v[0], &v[1], &v[2]) == 3;
}

static int by_name(const void *x, const void *y)
{
	const struct cor_launch *const *a = x, *const *b = y;
	int c = strcmp((*a)->name, (*b)->name);
	return c ? c : (*a > *b) - (*a < *b);
}

static int find_kernels(struct cor_comparison *c, struct ct_error *e)
{
	struct cor_launch **order = ct_calloc(c->n_launches, sizeof *order);
	if (!order)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < c->n_launches; i++)
		order[i] = &c->launch[i];
	qsort(order, c->n_launches, sizeof *order, by_name);
	for (size_t i = 0; i < c->n_launches; i++)
		order[i]->kernel = i && strcmp(order[i]->name, order[i - 1]->name) == 0
		                           ? order[i - 1]->kernel
		                           : (size_t)(order[i] - c->launch);
	free(order);
	return CT_OK;
}

int cor_begin(struct cor_comparison *c, const struct ct_profile *p, double core_mhz, struct ct_error *e)
{
	const struct ct_record *r;
	size_t n = 0, scoped = 0;
	*c = (struct cor_comparison){.p = p, .core_mhz = core_mhz};
	for (size_t i = 0; ct_profile_next(p, "KN", &i);)
		n++;
	c->launch = ct_calloc(n, sizeof *c->launch);
	if (!c->launch)
		return ct_fail_nomem(e);
	for (size_t i = 0; (r = ct_profile_next(p, "KN", &i));) {
		struct cor_launch *l = &c->launch[c->n_launches++];
		char scope[32];
		if (!ct_field_count(r->field[0], &l->id))
			return ct_fail(e, CT_ERR_INPUT,
			               "a KN record without an id: make the profile again");
		l->name = r->field[1];
		l->pair[0] = l->pair[1] = SIZE_MAX;
		snprintf(scope, sizeof scope, "kernel:%" PRIu64, l->id);
		scoped += ct_profile_has_scope(p, scope) != 0;
	}
	if (scoped == 0)
		return ct_fail(
			e, CT_ERR_INPUT,
			"the profile tells no launch apart: make it with reuse --per-kernel, or name "
			"the trace");
	return find_kernels(c, e);
}

/* The pair of a launch, which a file before may have begun; NULL when out of memory. */
static struct cor_pair *pair_of(struct cor_comparison *c, size_t launch, int mean)
{
	size_t *at = &c->launch[launch].pair[mean];
	if (*at != SIZE_MAX)
		return &c->pair[*at];
	if (ct_grow((void **)&c->pair, &c->cap_pairs, c->n_pairs + 1, sizeof *c->pair) != 0)
		return NULL;
	*at = c->n_pairs++;
	struct cor_pair *pair = &c->pair[*at];
	*pair = (struct cor_pair){.launch = launch, .mean = mean};
	for (size_t m = 0; m < ROWS; m++)
		pair->measured[m] = NAN;
	return pair;
}

/* Puts the counters of a row and the numbers of its launches into a pair. group: by launch, the first of its name as the
 * file spells it, whose mean the row may be. */
static int add_pair(struct cor_comparison *c, const struct ct_counter_row *row, size_t at,
                    const size_t *group, struct ct_error *e)
{
	struct source s = {.p = c->p, .core_mhz = c->core_mhz};
	const int mean = row->invocations > 0;
	struct cor_pair *pair = pair_of(c, at, mean);
	double n = 0;
	if (!pair)
		return ct_fail_nomem(e);
	memset(pair->predicted, 0, sizeof pair->predicted);
	for (size_t i = at; i < c->n_launches && (i == at || mean); i++) {
		if (group[i] != group[at])
			continue;
		snprintf(s.scope, sizeof s.scope, "kernel:%" PRIu64, c->launch[i].id);
		for (size_t m = 0; m < ROWS; m++)
			pair->predicted[m] += predicted_of(&rows[m], &s);
		c->launch[i].matched = 1;
		n++;
	}
	for (size_t m = 0; m < ROWS; m++) {
		pair->predicted[m] /= n;
		if (isnan(pair->measured[m]))
			pair->measured[m] = measured_of(&rows[m], row->value);
	}
	return CT_OK;
}

static int match_rows(const struct cor_comparison *c, const struct ct_counters *measured, size_t *of,
                      size_t *group, struct ct_error *e)
{
	const struct ct_record *r;
	size_t n = 0;
	struct ct_counter_launch *l = ct_calloc(c->n_launches, sizeof *l);
	int st = l ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(c->p, "KN", &i)); n++) {
		l[n].name = r->field[1];
		if (!parse_size3(r->field[2], l[n].grid) || !parse_size3(r->field[3], l[n].block))
			st = ct_fail(e, CT_ERR_INPUT,
			             "a KN record without grid and block: make the profile again");
	}
	if (st == CT_OK)
		st = ct_counters_match(measured, l, n, of, group, e);
	free(l);
	return st;
}

int cor_add(struct cor_comparison *c, const struct ct_counters *measured, struct ct_error *e)
{
	const size_t n = ct_counters_count(measured);
	size_t *of = ct_calloc(n, sizeof *of);
	size_t *group = ct_calloc(c->n_launches, sizeof *group);
	int st = of && group ? match_rows(c, measured, of, group, e) : ct_fail_nomem(e);
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		c->rows++;
		if (of[i] == SIZE_MAX)
			continue;
		c->matched_rows++;
		st = add_pair(c, ct_counters_at(measured, i), of[i], group, e);
	}
	free(of);
	free(group);
	return st;
}

static int by_launch(const void *x, const void *y)
{
	const struct cor_pair *a = x, *b = y;
	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	return a->mean - b->mean;
}

void cor_end(struct cor_comparison *c)
{
	qsort(c->pair, c->n_pairs, sizeof *c->pair, by_launch);
	for (size_t i = 0; i < c->n_launches; i++)
		c->matched_launches += (size_t)c->launch[i].matched;
}

void cor_free(struct cor_comparison *c)
{
	free(c->launch);
	free(c->pair);
	c->launch = NULL;
	c->pair = NULL;
}

/* ---- errors ---- */

double cor_error(const struct cor_pair *p, size_t metric)
{
	const double predicted = p->predicted[metric], measured = p->measured[metric];
	if (rows[metric].m.rate || predicted == measured)
		return predicted - measured;
	return (predicted - measured) / measured;
}

/* Adds one pair or kernel, or nothing where a number lacks. */
static void add_score(struct cor_score *s, double predicted, double measured, double error)
{
	if (isnan(error))
		return;
	s->n++;
	s->predicted += predicted;
	s->measured += measured;
	s->error += fabs(error);
}

static void divide_score(struct cor_score *s, int sums)
{
	const double n = s->n ? (double)s->n : NAN;
	s->error /= n;
	s->predicted /= sums && s->n ? 1 : n;
	s->measured /= sums && s->n ? 1 : n;
}

struct cor_score cor_kernel(const struct cor_comparison *c, size_t first, size_t metric)
{
	struct cor_score s = {0};
	for (size_t i = 0; i < c->n_pairs; i++)
		if (c->launch[c->pair[i].launch].kernel == first)
			add_score(&s, c->pair[i].predicted[metric], c->pair[i].measured[metric],
			          cor_error(&c->pair[i], metric));
	divide_score(&s, 0);
	return s;
}

struct cor_score cor_program(const struct cor_comparison *c, size_t metric)
{
	struct cor_score all = {0}, kernels = {0};
	for (size_t i = 0; i < c->n_pairs; i++)
		add_score(&all, c->pair[i].predicted[metric], c->pair[i].measured[metric],
		          cor_error(&c->pair[i], metric));
	for (size_t i = 0; i < c->n_launches; i++)
		if (c->launch[i].kernel == i)
			add_score(&kernels, 0, 0, cor_kernel(c, i, metric).error);
	divide_score(&all, !rows[metric].m.rate);
	divide_score(&kernels, 0);
	all.error = kernels.error;
	return all;
}

int cor_worst(const struct cor_comparison *c, enum cor_level level, double *error)
{
	int worst = -1;
	*error = NAN;
	for (size_t m = 0; m < ROWS; m++) {
		if (rows[m].m.level != level)
			continue;
		struct cor_score s = cor_program(c, m);
		if (s.n == 0 || (worst >= 0 && s.error <= *error))
			continue;
		worst = (int)m;
		*error = s.error;
	}
	return worst;
}

/* ---- records ---- */

static int add_record(struct ct_profile *p, const char *scope, const char *name, size_t metric,
                      const double v[3], struct ct_error *e)
{
	struct ct_buf b = {0};
	size_t at[3];
	for (int i = 0; i < 3; i++) {
		at[i] = b.len;
		if (i < 2 && fabs(v[i]) < 0x1p53 && v[i] == floor(v[i])) /* counts in full */
			ct_buf_printf(&b, "%.0f", v[i] + 0.0);
		else
			ct_buf_real(&b, v[i]);
		ct_buf_putc(&b, '\0');
	}
	int st = ct_buf_check(&b, e);
	if (st == CT_OK) {
		const char *f[7] = {
			scope,          name,           rows[metric].m.name, rows[metric].m.unit,
			b.data + at[0], b.data + at[1], b.data + at[2]};
		st = ct_profile_put(p, "CR", 7, f, e);
	}
	ct_buf_free(&b);
	return st;
}

static int add_scope(const struct cor_comparison *c, struct ct_profile *p, const char *scope,
                     const char *name, size_t kernel, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t m = 0; m < ROWS && st == CT_OK; m++) {
		struct cor_score s = kernel == SIZE_MAX ? cor_program(c, m) : cor_kernel(c, kernel, m);
		const double v[3] = {s.predicted, s.measured, s.error};
		if (s.n)
			st = add_record(p, scope, name, m, v, e);
	}
	return st;
}

/* A side that has a number is told also where the other lacks it. */
static int add_launch(const struct cor_comparison *c, struct ct_profile *p, const struct cor_pair *pair,
                      struct ct_error *e)
{
	char scope[32];
	int st = CT_OK;
	snprintf(scope, sizeof scope, "kernel:%" PRIu64, c->launch[pair->launch].id);
	for (size_t m = 0; m < ROWS && st == CT_OK; m++) {
		const double v[3] = {pair->predicted[m], pair->measured[m], cor_error(pair, m)};
		if (!isnan(v[1]) && !(rows[m].instead_of && isnan(v[0])))
			st = add_record(p, scope, c->launch[pair->launch].name, m, v, e);
	}
	return st;
}

int cor_records(const struct cor_comparison *c, struct ct_profile *p, const char *program,
                int per_kernel, struct ct_error *e)
{
	int st = add_scope(c, p, "all", program, SIZE_MAX, e);
	for (size_t i = 0; i < c->n_launches && st == CT_OK; i++) {
		struct ct_buf scope = {0};
		if (c->launch[i].kernel != i)
			continue;
		ct_buf_printf(&scope, "name:%s", c->launch[i].name);
		st = ct_buf_check(&scope, e);
		if (st == CT_OK)
			st = add_scope(c, p, scope.data, c->launch[i].name, i, e);
		ct_buf_free(&scope);
	}
	for (size_t i = 0; i < c->n_pairs && st == CT_OK && per_kernel; i++)
		if (!c->pair[i].mean)
			st = add_launch(c, p, &c->pair[i], e);
	return st;
}
