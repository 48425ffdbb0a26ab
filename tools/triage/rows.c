/* rows.c - verdicts filtered, sorted and printed; shards joined. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/utf8.h"
#include "common/terminal.h"
#include "models/verdict/size.h"
#include "triage/triage.h"

/* ---- names ---- */

static char *name_of(void *ctx, size_t i)
{
	struct tr_job *j = (struct tr_job *)ctx + i;
	return j->status < 0 ? NULL : j->name;
}

int tr_distinguish(struct tr_job *job, size_t n, struct ct_error *e)
{
	return ct_workload_distinguish(n, name_of, job, e);
}

/* ---- rows ---- */

const struct ct_mechanism *tr_mechanism(const struct tr_own *o, unsigned m)
{
	return m < ct_mechanism_count() ? ct_mechanism_at(m) : &o->together;
}

unsigned tr_mechanisms(const struct tr_own *o)
{
	return ct_mechanism_count() + (o->with.n > 0);
}

static int is_shown(const struct tr_own *o, const struct tr_job *j, unsigned m)
{
	const struct ct_verdict *v = &j->v[m];
	int known = m < ct_mechanism_count();
	if (!(j->has >> m & 1) || (known && o->mechanisms && !(o->mechanisms >> m & 1)))
		return 0;
	if (o->only && !(o->only >> v->word & 1))
		return 0;
	return !(o->min_speedup > 0) || v->speedup >= o->min_speedup;
}

static int by_name(const struct tr_row *x, const struct tr_row *y)
{
	int c = strcmp(x->job->name, y->job->name);
	if (c)
		return c;
	return x->order != y->order ? (x->order < y->order ? -1 : 1) : (int)x->m - (int)y->m;
}

static int by_workload(const void *a, const void *b)
{
	return by_name(a, b);
}

static int by_speedup(const void *a, const void *b)
{
	const struct tr_row *x = a, *y = b;
	double v = x->job->v[x->m].speedup, w = y->job->v[y->m].speedup;
	v = isnan(v) ? -1 : v;
	w = isnan(w) ? -1 : w;
	return v != w ? (v < w ? 1 : -1) : by_name(x, y);
}

static int by_verdict(const void *a, const void *b)
{
	const struct tr_row *x = a, *y = b;
	int v = x->job->v[x->m].word, w = y->job->v[y->m].word;
	return v != w ? v - w : by_speedup(a, b);
}

static int by_mechanism(const void *a, const void *b)
{
	const struct tr_row *x = a, *y = b;
	return x->m != y->m ? (int)x->m - (int)y->m : by_name(x, y);
}

static int rows_of(const struct tr_own *o, const struct tr_job *job, size_t n, struct tr_row **out,
                   size_t *count, struct ct_error *e)
{
	static int (*const order[])(const void *, const void *) = {
		by_workload, by_speedup, by_verdict, by_mechanism};
	struct tr_row *r = ct_calloc(n * (CT_MECHANISMS_MAX + 1), sizeof *r);
	size_t k = 0;
	if (!r)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < n; i++)
		for (unsigned m = 0; m < tr_mechanisms(o); m++)
			if (is_shown(o, &job[i], m))
				r[k++] = (struct tr_row){&job[i], tr_mechanism(o, m), m, i};
	qsort(r, k, sizeof *r, order[o->sort]);
	*out = r;
	*count = k;
	return CT_OK;
}

/* ---- formats ---- */

/* The least width of a terminal at which reasons still have room beside the curves. */
enum { CURVES_FROM = 110 };

/* To so few columns reasons are wrapped before the SMs are left out: with a name of 17 all is 80 columns wide then. */
enum { REASONS_LEAST = 12 };

/* 1 on a terminal where only short cells leave room for reasons. */
static int is_narrow(void)
{
	return ct_terminal_style()->width && ct_terminal_style()->width < CURVES_FROM;
}

static int with_curves(const struct tr_row *r, size_t n)
{
	unsigned any = 0;
	for (size_t i = 0; i < n; i++)
		any |= r[i].job->has_curve;
	return any && !is_narrow();
}

static void table_row(struct ct_table *t, const struct tr_row *r, int sms, int curves)
{
	const struct ct_verdict *v = &r->job->v[r->m];
	char used[48], range[CT_RANGE_TEXT_MAX];
	ct_table_name(t, r->job->name);
	ct_size_name(v->sms_used, v->sms_asked, used, sizeof used);
	if (sms && is_narrow() && !isnan(v->sms_used) && !isnan(v->sms_asked))
		ct_table_cell(t, "%.0f/%.0f", v->sms_used, v->sms_asked);
	else if (sms)
		ct_table_cell(t, "%s", *used ? used : "-");
	ct_table_cell(t, "%s", r->mechanism->name);
	ct_table_cell(t, "%s", ct_verdict_word(v->word));
	if (isnan(v->speedup))
		ct_table_cell(t, "-");
	else
		ct_table_cell(t, "%.2f", v->speedup);
	ct_verdict_range_text(v, range);
	ct_table_cell(t, "%s", range);
	if (curves && (r->m < CT_MECHANISMS_MAX && r->job->has_curve >> r->m & 1))
		ct_table_spark(t, r->job->curve[r->m], CT_CURVE_POINTS, 0, 1);
	else if (curves)
		ct_table_cell(t, "-");
	ct_table_cell(t, "%s", v->reason);
}

/* 1 when the GPU was scaled to some trace: only then there is a column that says to how many SMs. */
static int with_sms(const struct tr_row *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ct_verdict *v = &r[i].job->v[r[i].m];
		if (!isnan(v->sms_used) && !isnan(v->sms_asked) && v->sms_used != v->sms_asked)
			return 1;
	}
	return 0;
}

static void render_table(const struct tr_row *r, size_t n, struct ct_buf *b)
{
	int curves = with_curves(r, n), sms = with_sms(r, n);
	/* Where there is no room the curve goes first, then the SMs, and the range, which decides the verdict, last. */
	unsigned char rank[8] = {0};
	struct ct_table t = {.columns = 6 + (unsigned)(curves + sms),
	                     .style = ct_terminal_style(),
	                     .rank = rank,
	                     .squeezed = REASONS_LEAST};
	ct_table_cell(&t, "workload");
	if (sms)
		ct_table_cell(&t, is_narrow() ? "SMs" : "GPU");
	ct_table_cell(&t, "mechanism");
	ct_table_cell(&t, "verdict");
	ct_table_cell(&t, "speed-up");
	ct_table_cell(&t, "range");
	if (curves)
		ct_table_cell(&t, "misses by size");
	ct_table_cell(&t, "reason");
	rank[4 + sms] = 1;
	if (sms)
		rank[1] = 2;
	if (curves)
		rank[5 + sms] = 3;
	for (size_t i = 0; i < n; i++)
		table_row(&t, &r[i], sms, curves);
	ct_table_render(&t, b);
}

static void render_csv(const struct tr_row *r, size_t n, struct ct_buf *b)
{
	ct_buf_puts(b, "workload,mechanism,verdict,speedup,low,high,reason,baseline,alternative,"
	               "alternative_speedup,decided_by,sms_used,sms_asked\r\n");
	for (size_t i = 0; i < n; i++) {
		const struct ct_verdict *v = &r[i].job->v[r[i].m];
		ct_escape_csv(b, r[i].job->name);
		ct_buf_putc(b, ',');
		ct_escape_csv(b, r[i].mechanism->name); /* of several together, with commas */
		ct_buf_printf(b, ",%s,", ct_verdict_word(v->word));
		ct_buf_real(b, v->speedup);
		ct_buf_putc(b, ',');
		ct_buf_real(b, v->low);
		ct_buf_putc(b, ',');
		ct_buf_real(b, v->high);
		ct_buf_putc(b, ',');
		ct_escape_csv(b, v->reason);
		ct_buf_printf(b, ",%s,%s,", ct_verdict_baseline_of(r[i].mechanism),
		              *v->alternative ? v->alternative : "NA");
		ct_buf_real(b, v->alternative_speedup);
		ct_buf_printf(b, ",%s,", ct_verdict_step(v->decided_by));
		ct_buf_real(b, v->sms_used);
		ct_buf_putc(b, ',');
		ct_buf_real(b, v->sms_asked);
		ct_buf_puts(b, "\r\n");
	}
}

/* Which part of the whole the document is: --join has to know when one is missing. */
static int put_part(const struct tr_own *o, size_t failed, struct ct_profile *p, struct ct_error *e)
{
	char text[3][24];
	snprintf(text[0], sizeof text[0], "%u", o->shard);
	snprintf(text[1], sizeof text[1], "%u", o->shards);
	snprintf(text[2], sizeof text[2], "%zu", failed);
	const char *f[3] = {text[0], text[1], text[2]};
	return ct_profile_add(p, "SH", 3, f, e);
}

static int render_document(struct ct_tool *t, const struct tr_row *r, size_t n, const char *provenance,
                           size_t failed, struct ct_profile *p, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	int st = CT_OK;
	if (!provenance) {
		st = ct_tool_provenance(t, p, e);
	} else if (*provenance && !t->no_provenance) {
		const char *f[3] = {t->spec->name, CT_VERSION, provenance};
		st = ct_profile_add(p, "PG", 3, f, e);
	}
	if (st == CT_OK && o->shards)
		st = put_part(o, failed, p, e);
	for (size_t i = 0; i < n && st == CT_OK; i++)
		st = ct_verdict_write(p, r[i].job->name, r[i].mechanism, &r[i].job->v[r[i].m], e);
	return st;
}

static int format_rows(struct ct_tool *t, const struct tr_row *r, size_t n, const char *provenance,
                       size_t failed, struct ct_buf *b, struct ct_error *e)
{
	if (t->output == CT_OUTPUT_TABLE)
		render_table(r, n, b);
	else if (t->output == CT_OUTPUT_OTHER)
		render_csv(r, n, b);
	if (t->output == CT_OUTPUT_OTHER)
		ct_utf8_clean(b->data, b->len);
	if (t->output == CT_OUTPUT_TABLE)
		return ct_tool_finish_tables(t, b, e);
	if (t->output == CT_OUTPUT_OTHER)
		return ct_buf_check(b, e);
	struct ct_profile *p = ct_profile_new(e);
	int st = p ? render_document(t, r, n, provenance, failed, p, e) : CT_ERR_NOMEM;
	if (st == CT_OK)
		st = t->output == CT_OUTPUT_JSON ? ct_profile_write_json(p, b, e)
		                                 : ct_profile_write(p, b, e);
	ct_profile_free(p);
	return st;
}

int tr_emit(struct ct_tool *t, const struct tr_job *job, size_t n, const char *provenance,
            struct ct_error *e)
{
	struct tr_row *r = NULL;
	size_t count = 0, failed = 0;
	struct ct_buf b = {0};
	for (size_t i = 0; i < n; i++)
		failed += job[i].status < 0;
	if (n == 1 && job[0].whole)
		return ct_tool_emit(t, job[0].whole, NULL, e);
	/* --join has to hear of a part all the same. */
	if (n && failed == n && !((const struct tr_own *)t->own)->shards)
		return CT_OK;
	int st = rows_of(t->own, job, n, &r, &count, e);
	if (st == CT_OK)
		st = format_rows(t, r, count, provenance, failed, &b, e);
	if (st == CT_OK)
		st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	free(r);
	return st;
}

/* ---- join ---- */

/* A command line without its " --shard I/N". */
static void without_shard(const char *text, struct ct_buf *b)
{
	const char *s = strstr(text, " --shard ");
	if (!s) {
		ct_buf_puts(b, text);
		return;
	}
	ct_buf_add(b, text, (size_t)(s - text));
	ct_buf_puts(b, s + 9 + strcspn(s + 9, " "));
}

static int join_provenance(const struct ct_profile *p, struct ct_buf *first, int *same,
                           struct ct_error *e)
{
	const struct ct_record *r;
	size_t i = 0;
	struct ct_buf b = {0};
	if (!(r = ct_profile_next(p, "PG", &i)))
		return CT_OK;
	without_shard(r->field[2], &b);
	int st = ct_buf_check(&b, e);
	if (st == CT_OK && !first->len)
		ct_buf_puts(first, b.data);
	else if (st == CT_OK)
		*same &= strcmp(first->data, b.data) == 0;
	ct_buf_free(&b);
	return st == CT_OK ? ct_buf_check(first, e) : st;
}

/* 1 when one of the jobs has the name's first len bytes as its name. */
static int has_name(const struct tr_job *job, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(job[i].name, name, len) == 0 && !job[i].name[len])
			return 1;
	return 0;
}

/* How many of the jobs are called so, or so and a number. */
static unsigned count_name(const struct tr_job *job, size_t n, const char *name, size_t len)
{
	unsigned count = 0, k;
	for (size_t i = 0; i < n; i++)
		if (strncmp(job[i].name, name, len) == 0)
			count += !job[i].name[len] || ct_workload_numbered(job[i].name, &k) == len;
	return count;
}

/* A part has counted its workloads of one name by itself: those of the job[first] and up go on where the
 * parts before have ended. */
static int count_on(struct tr_job *job, size_t first, size_t n, struct ct_error *e)
{
	enum { ROOM = 12 };
	struct {
		size_t len;
		unsigned number;
	} *to = ct_calloc(n - first, sizeof *to);
	if (!to)
		return ct_fail_nomem(e);
	for (size_t i = first; i < n; i++) {
		unsigned k = 1;
		size_t len = ct_workload_numbered(job[i].name, &k);
		if (!len || !has_name(job + first, n - first, job[i].name, len)) {
			len = strlen(job[i].name);
			k = 1;
		}
		unsigned before = count_name(job, first, job[i].name, len);
		to[i - first].len = len < CT_WORKLOAD_NAME_MAX - ROOM ? len
		                                                      : CT_WORKLOAD_NAME_MAX - ROOM;
		to[i - first].number = before ? before + k : 0;
	}
	for (size_t i = first; i < n; i++)
		if (to[i - first].number)
			snprintf(job[i].name + to[i - first].len, ROOM, "#%u", to[i - first].number);
	free(to);
	return CT_OK;
}

static int join_one(const struct ct_profile *p, const char *path, struct tr_job **job, size_t *n,
                    size_t *cap, struct ct_error *e)
{
	const struct ct_record *r;
	size_t first = *n;
	for (size_t i = 0; (r = ct_profile_next(p, "TV", &i));) {
		struct ct_verdict v;
		struct tr_job *j = NULL;
		int m = ct_verdict_read(r, &v);
		if (m < 0)
			continue;
		for (size_t k = first; k < *n && !j; k++)
			if (strcmp((*job)[k].name, r->field[0]) == 0)
				j = &(*job)[k];
		if (!j) {
			if (ct_grow((void **)job, cap, *n + 1, sizeof **job) < 0)
				return ct_fail_nomem(e);
			j = &(*job)[(*n)++];
			memset(j, 0, sizeof *j);
			snprintf(j->name, sizeof j->name, "%s", r->field[0]);
		}
		if (j->has >> m & 1)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s: two verdicts on %s for %s: join each run once", path,
			               j->name, ct_mechanism_at((unsigned)m)->name);
		j->v[m] = v;
		j->has |= 1u << m;
	}
	return first ? count_on(*job, first, *n, e) : CT_OK;
}

/* The parts that have come. */
struct parts {
	uint64_t n, failed;
	unsigned char *seen;
};

static int join_part(const struct ct_profile *p, const char *path, struct parts *s, struct ct_error *e)
{
	uint64_t part, parts, failed;
	size_t i = 0;
	const struct ct_record *r = ct_profile_next(p, "SH", &i);
	size_t k = 0, n = 0;
	if (!r && !ct_profile_next(p, "TV", &k) && ct_profile_next(p, "SN", &n)) /* reuse's */
		return ct_fail(e, CT_ERR_INPUT,
		               "%s: no verdicts in it: --join takes what triage has printed", path);
	if (!r)
		return CT_OK; /* a whole document */
	if (r->nfields < 3 || !ct_field_count(r->field[0], &part) ||
	    !ct_field_count(r->field[1], &parts) || !ct_field_count(r->field[2], &failed) || part < 1 ||
	    part > parts || parts > 1000000)
		return ct_fail(e, CT_ERR_INPUT, "%s: a damaged SH record: run the shard again", path);
	if (s->n && s->n != parts)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s: a part of %" PRIu64 " among parts of %" PRIu64
		               ": join those of one run",
		               path, parts, s->n);
	if (!s->n && !(s->seen = ct_calloc(parts, 1)))
		return ct_fail_nomem(e);
	s->n = parts;
	if (s->seen[part - 1]++)
		return ct_fail(e, CT_ERR_INPUT, "%s: part %" PRIu64 " of %" PRIu64 " comes twice", path,
		               part, parts);
	s->failed += failed;
	return CT_OK;
}

static int all_parts(const struct parts *s, struct ct_error *e)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (!s->seen[i])
			return ct_fail(e, CT_ERR_INPUT,
			               "--join: part %" PRIu64 " of %" PRIu64 " is missing: run it "
			               "with --shard %" PRIu64 "/%" PRIu64,
			               i + 1, s->n, i + 1, s->n);
	return CT_OK;
}

int tr_join(struct ct_tool *t, struct tr_job **job, size_t *n, struct ct_buf *provenance,
            uint64_t *failed, struct ct_error *e)
{
	size_t cap = 0;
	int st = CT_OK, same = 1;
	struct parts parts = {0, 0, NULL};
	for (int i = 0; i < t->operands && st == CT_OK; i++) {
		struct ct_input in;
		st = ct_tool_open_input(t, i, &in, e);
		if (st == CT_OK && !in.profile)
			st = ct_fail(e, CT_ERR_USAGE,
			             "%s: --join takes what triage --shard wrote, this is a trace",
			             t->operand[i]);
		if (st == CT_OK)
			st = join_part(in.profile, t->operand[i], &parts, e);
		if (st == CT_OK)
			st = join_provenance(in.profile, provenance, &same, e);
		if (st == CT_OK)
			st = join_one(in.profile, t->operand[i], job, n, &cap, e);
		ct_input_close(&in);
	}
	if (st == CT_OK)
		st = all_parts(&parts, e);
	*failed = parts.failed;
	if (!same && parts.n) {
		struct ct_diag d = ct_tool_diag(t);
		ct_warn(&d,
		        "the parts were made by different command lines: on one GPU, with one set of options?");
	}
	free(parts.seen);
	if (!same)
		ct_buf_reset(provenance);
	if (st == CT_OK && *n == 0)
		st = ct_fail(e, CT_ERR_INPUT, "--join: no verdicts in the input");
	return st == CT_OK ? tr_distinguish(*job, *n, e) : st;
}
