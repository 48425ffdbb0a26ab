/* triage - a verdict per workload and mechanism, over many traces or profiles. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/items.h"
#include "base/mem.h"
#include "base/units.h"
#include "models/verdict/require.h"
#include "triage/triage.h"

enum {
	OPT_MECHANISM = CT_OWN_OPTION,
	OPT_ONLY,
	OPT_MIN_SPEEDUP,
	OPT_SORT,
	OPT_RESUME,
	OPT_SHARD,
	OPT_REQUIRE,
	OPT_ALLOW_UNKNOWN,
	OPT_WITH,
	OPT_JOIN,
	OPT_SLURM,
	OPT_TASKS,
	OPT_HTML,
	OPT_BUDGET
};

static const struct ct_option own_options[] = {
	{OPT_MECHANISM, "mechanism", "NAME[,NAME]",
         "judge these mechanisms, or all (default: those that are\npublished; a wrong name lists them)"},
	{OPT_ONLY, "only", "VERDICT[,VERDICT]",
         "only lines that say benefits, neutral, hurts or unknown"},
	{OPT_MIN_SPEEDUP, "min-speedup", "X", "only lines with a speed-up of X or more"},
	{OPT_SORT, "sort", "KEY", "workload (default), speedup, verdict or mechanism"},
	{OPT_RESUME, "resume", "DIR",
         "keep each input's profile in DIR, and take from there\nwhat has not changed"},
	{OPT_SHARD, "shard", "I/N", "do only the I-th of N parts of the inputs"},
	{OPT_REQUIRE, "require", "EXPR",
         "a threshold, as 'MECHANISM.verdict != hurts for bfs*';\nexit 1 when one does not hold"},
	{OPT_ALLOW_UNKNOWN, "allow-unknown", NULL, "let thresholds pass where the verdict is unknown"},
	{OPT_WITH, "with", "NAME[:SYSTEM],...",
         "also replay these mechanisms together; a single one\ntogether with that of --mechanism"},
	{OPT_JOIN, "join", NULL, "join what runs with --shard wrote"},
	{OPT_SLURM, "slurm", NULL, "print a Slurm array job that does this, and exit"},
	{OPT_HTML, "html", "FILE", "also write the page of report, with what costs\nmost in each input"},
	{OPT_BUDGET, "budget", "TIME",
         "replay a sample of each input that is worth this time (60s,\n10min), and print it as options"},
	{OPT_TASKS, "tasks", "N", "tasks of --slurm's array (default 16, at most one per\ninput)"},
};

/* Bits of the comma-separated words that find() knows. */
static int parse_words(const char *option, const char *text, int (*find)(const char *),
                       const char *known, unsigned *bits, struct ct_error *e)
{
	const char *at = text;
	char word[32];
	for (int got; (got = ct_item_copy(&at, word, sizeof word)) != 0;) {
		int k = got > 0 ? find(word) : -1;
		if (k < 0)
			return ct_fail(e, CT_ERR_USAGE, "%s %s: use %s", option, text, known);
		*bits |= 1u << k;
	}
	return CT_OK;
}

static int add_mechanisms(struct tr_own *o, const char *list, struct ct_error *e)
{
	uint32_t mask;
	int st = ct_mechanisms_parse("--mechanism", list, &mask, e);
	if (st == CT_OK)
		o->mechanisms |= mask;
	return st;
}

static int parse_shard(struct tr_own *o, const char *text, struct ct_error *e)
{
	uint64_t i, n;
	char part[24];
	size_t k = strcspn(text, "/");
	if (k < sizeof part && text[k] == '/') {
		memcpy(part, text, k);
		part[k] = '\0';
		if (ct_parse_u64_range(text + k + 1, 1, 1000000, &n) == 0 &&
		    ct_parse_u64_range(part, 1, n, &i) == 0) {
			o->shard = (unsigned)i;
			o->shards = (unsigned)n;
			return CT_OK;
		}
	}
	return ct_fail(e, CT_ERR_USAGE, "--shard %s: give the part and how many there are, as in 2/8",
	               text);
}

static int parse_sort(struct tr_own *o, const char *text, struct ct_error *e)
{
	static const char *const keys[] = {"workload", "speedup", "verdict", "mechanism"};
	for (int i = 0; i < 4; i++)
		if (strcmp(text, keys[i]) == 0) {
			o->sort = (enum tr_sort)i;
			return CT_OK;
		}
	return ct_fail(e, CT_ERR_USAGE, "--sort %s: use workload, speedup, verdict or mechanism", text);
}

static int take_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct tr_own *o = ((struct ct_tool *)ctx)->own;
	uint64_t n = 0;
	switch (key) {
	case OPT_MECHANISM: return add_mechanisms(o, value, e);
	case OPT_ONLY:
		return parse_words("--only", value, ct_verdict_find,
		                   "benefits, neutral, hurts or unknown", &o->only, e);
	case OPT_MIN_SPEEDUP:
		if (ct_parse_real(value, &o->min_speedup) < 0 || !(o->min_speedup > 0))
			return ct_fail(e, CT_ERR_USAGE,
			               "--min-speedup %s: give a number above 0, as in 1.05", value);
		return CT_OK;
	case OPT_SORT: return parse_sort(o, value, e);
	case OPT_RESUME: o->resume = value; return CT_OK;
	case OPT_SHARD: return parse_shard(o, value, e);
	case OPT_REQUIRE:
		if (o->n_require == TR_REQUIRE_MAX)
			return ct_fail(e, CT_ERR_USAGE,
			               "more than %d thresholds: use report --requirements",
			               TR_REQUIRE_MAX);
		o->require[o->n_require++] = value;
		return CT_OK;
	case OPT_ALLOW_UNKNOWN: o->allow_unknown = 1; return CT_OK;
	case OPT_WITH: o->with_text = value; return CT_OK;
	case OPT_JOIN: o->join = 1; return CT_OK;
	case OPT_HTML: o->html = value; return CT_OK;
	case OPT_BUDGET: return tr_budget_parse(o, value, e);
	case OPT_SLURM: o->slurm = 1; return CT_OK;
	default:
		if (ct_parse_u64_range(value, 1, 100000, &n) < 0)
			return ct_fail(e, CT_ERR_USAGE, "--tasks %s: give a number of 1 or more", value);
		o->tasks = (unsigned)n;
		return CT_OK;
	}
}

/* Hours of work must not end in a threshold that cannot be read. */
static int check_thresholds(const struct tr_own *o, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned i = 0; i < o->n_require && st == CT_OK; i++) {
		struct ct_require *r = NULL;
		st = ct_require_parse(&r, o->require[i], e);
		if (st == CT_OK && ct_require_uses_base(r))
			st = ct_fail(e, CT_ERR_USAGE,
			             "requirement '%s' names base: compare runs with report",
			             ct_require_text(r));
		ct_require_free(r);
	}
	return st;
}

/* The mechanisms that are together: those of --with, behind that of --mechanism where there is one alone. */
static int read_with(struct tr_own *o, struct ct_error *e)
{
	uint32_t first = o->mechanisms;
	if (!o->with_text)
		return CT_OK;
	if (o->join || o->shards || o->slurm)
		return ct_fail(e, CT_ERR_USAGE,
		               "--with does not go with --join, --shard and --slurm: leave out one");
	if (first && !(first & (first - 1)) && !strchr(o->with_text, ',')) {
		unsigned i = 0;
		while (!(first >> i & 1))
			i++;
		ct_with_add(&o->with, i);
	}
	int st = ct_with_read(&o->with, o->with_text, e);
	if (st == CT_OK)
		st = ct_with_check(&o->with, e);
	for (unsigned i = 0; st == CT_OK && i < o->with.n; i++) {
		const struct ct_mechanism *m = ct_mechanism_at(o->with.mechanism[i]);
		ct_buf_printf(&o->with_name[0], "%s%s", i ? "," : "", m->name);
		ct_buf_printf(&o->with_name[1], "%s%s", i ? "," : "",
		              m->systems[o->with.system[i]].name);
	}
	for (unsigned i = 0; st == CT_OK && i < 2; i++)
		st = ct_buf_check(&o->with_name[i], e);
	o->together.name = o->with_name[0].data;
	o->together.judged = o->with_name[1].data;
	return st;
}

static int check_options(const struct ct_tool *t, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	int st = check_thresholds(o, e);
	if (st == CT_OK)
		st = tr_budget_check(t, e);
	if (st != CT_OK)
		return st;
	if (o->join && o->shards)
		return ct_fail(e, CT_ERR_USAGE,
		               "--join reads what --shard wrote: leave out one of the two");
	if (o->html && (o->join || o->shards))
		return ct_fail(e, CT_ERR_USAGE,
		               "--html needs the profiles of all inputs: leave out --%s",
		               o->join ? "join" : "shard");
	if (t->check)
		return ct_fail(e, CT_ERR_USAGE,
		               "--check compares the two methods of one estimate: give it to "
		               "the estimator, as in mpki --check");
	if (o->resume && t->trust_paths)
		return ct_fail(e, CT_ERR_USAGE,
		               "--resume does not see the files that --trust-paths lets a list "
		               "name: give one of the two");
	struct stat info;
	if (t->out_path && stat(t->out_path, &info) == 0 && S_ISDIR(info.st_mode))
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: is a folder, and -o names the file of the verdicts: --resume keeps "
		               "the profiles in a folder",
		               t->out_path);
	if (o->resume && mkdir(o->resume, 0777) < 0 &&
	    (errno != EEXIST || stat(o->resume, &info) != 0 || !S_ISDIR(info.st_mode)))
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot make the folder", o->resume);
	return CT_OK;
}

/* Errors and warnings of the inputs, in their order. */
static int tell_failures(struct ct_tool *t, const struct tr_job *job, size_t n)
{
	int st = CT_OK;
	for (size_t i = 0; i < n; i++) {
		if (job[i].warnings)
			ct_buf_puts(&t->warnings, job[i].warnings);
		if (job[i].status < 0) {
			ct_tool_say(t, "%s%s%s",
			            job[i].error && strstr(job[i].error, job[i].path) ? "" : job[i].path,
			            job[i].error && strstr(job[i].error, job[i].path) ? "" : ": ",
			            job[i].error ? job[i].error : "failed");
			st = 2;
		}
		if (job[i].status > 0 && st == CT_OK)
			st = 1;
	}
	return st;
}

/* What to do when profiles are of traces that are too small for the GPU: once, behind the rows that say so. */
static void tell_scale(struct ct_tool *t, const struct tr_job *job, size_t n)
{
	unsigned all = 0, small = 0;
	for (size_t i = 0; i < n; i++)
		for (unsigned m = 0; m < ct_mechanism_count(); m++)
			if (job[i].has >> m & 1) {
				all++;
				small += ct_verdict_too_small(&job[i].v[m]) != 0;
			}
	if (small && !t->quiet)
		ct_buf_printf(
			&t->warnings,
			"%s: %u of %u verdicts are unknown because the trace is too small for the GPU: scale "
			"the GPU to it with %s\n",
			t->spec->name, small, all,
			t->scale == 0 ? "reuse --scale auto, or name the trace" : "--scale auto");
}

/* The inputs of this shard: the I-th of N runs of neighbours, so that joining the parts in
 * order gives the order of the whole. */
static int make_jobs(struct ct_tool *t, struct tr_job **out, size_t *n, struct ct_error *e)
{
	static char dash[] = "-", *standard_input[] = {dash};
	const struct tr_own *o = t->own;
	char **path = t->operands ? t->operand : standard_input;
	size_t all = t->operands ? (size_t)t->operands : 1, from = 0, to = all;
	if (o->shards) {
		from = all * (o->shard - 1) / o->shards;
		to = all * o->shard / o->shards;
	}
	struct tr_job *job = ct_calloc(to - from + 1, sizeof *job);
	if (!job)
		return ct_fail_nomem(e);
	for (size_t i = from; i < to; i++)
		job[i - from].path = path[i];
	*out = job;
	*n = to - from;
	return CT_OK;
}

static void free_jobs(struct tr_job *job, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(job[i].error);
		free(job[i].warnings);
		ct_profile_free(job[i].whole);
	}
	free(job);
}

/* Options that --slurm has no use for, since the tasks of its array get them. */
static int check_slurm(const struct tr_own *o, struct ct_error *e)
{
	if (o->slurm && o->html)
		return ct_fail(
			e, CT_ERR_USAGE,
			"--slurm makes the shards: make the page of what they keep, with report --html");
	if (o->slurm && (o->join || o->shards))
		return ct_fail(e, CT_ERR_USAGE,
		               "--slurm makes the shards and says how they are joined: leave out --%s",
		               o->join ? "join" : "shard");
	return CT_OK;
}

static int run_triage(struct ct_tool *t, struct ct_error *e)
{
	struct tr_own *o = t->own;
	struct tr_job *job = NULL;
	struct ct_buf provenance = {0};
	size_t n = 0;
	uint64_t failed_before = 0;
	int st = check_slurm(o, e);
	if (st != CT_OK)
		return st;
	st = read_with(o, e);
	if (st == CT_OK)
		st = ct_tool_check_keys(
			t,
			ct_with_mask(&o->with) |
				(o->mechanisms ? o->mechanisms : ct_mechanisms_published()),
			e);
	if (st == CT_OK)
		st = o->slurm ? check_thresholds(o, e) : check_options(t, e);
	if (st == CT_OK && o->slurm)
		return tr_slurm(t, e);
	if (st == CT_OK && o->html)
		st = tr_html_begin(o, e);
	if (st == CT_OK && o->join) {
		st = tr_join(t, &job, &n, &provenance, &failed_before, e);
	} else if (st == CT_OK) {
		st = make_jobs(t, &job, &n, e);
		o->rows_only = !o->resume && !o->html;
		o->charted = !o->rows_only || tr_whole(t, n);
		if (st == CT_OK && n)
			st = tr_whole(t, n) ? tr_alone(t, job, e) : tr_pool(t, job, n, e);
		if (st == CT_OK)
			st = tr_distinguish(job, n, e);
	}
	if (st == CT_OK)
		st = tr_emit(t, job, n, o->join ? (provenance.len ? provenance.data : "") : NULL, e);
	if (st == CT_OK && o->html)
		st = tr_html_write(t, e);
	if (st == CT_OK) {
		int failed = tr_require(t, job, n, e);
		st = failed < 0 ? failed : tell_failures(t, job, n);
		tell_scale(t, job, n);
		st = st == CT_OK ? failed : st;
		if (failed_before) {
			ct_buf_printf(&t->warnings,
			              "%s: %llu inputs of the parts failed: their own runs say why\n",
			              t->spec->name, (unsigned long long)failed_before);
			st = st < 0 ? st : 2;
		}
	}
	tr_html_end(o);
	free_jobs(job, n);
	ct_buf_free(&provenance);
	ct_buf_free(&o->with_name[0]);
	ct_buf_free(&o->with_name[1]);
	return st;
}

/* What --help ends with. */
static const char guide[] =
	"Columns of its table:\n"
	"  GPU                      SMs the trace can fill, of those the GPU has\n"
	"  verdict                  benefits, hurts, neutral, or unknown\n"
	"  speed-up, range          of the mechanism over the GPU as configured\n"
	"  misses by size           of the LLC or the L1, from a sixteenth of its size to\n"
	"                           sixteen times; register reads for a register cache\n"
	"  reason                   what decided, and what would decide an unknown\n"
	"\n"
	"Examples:\n"
	"  triage traces/*/kernelslist.g     one line per workload and mechanism\n"
	"  triage --only benefits -O csv *.profile\n"
	"  triage --require 'MECHANISM.verdict != hurts' *.profile\n";

int main(int argc, char **argv)
{
	static const char *const csv[] = {"csv", NULL};
	static const struct ct_tool_spec spec = {
		.name = "triage",
		.operands = "[INPUT...]",
		.summary = "which workloads benefit from which cache mechanism, and why",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_KERNELS |
	                 CT_TAKES_SEED | CT_TAKES_PROFILE | CT_TAKES_PLUGINS,
		.options = own_options,
		.n_options = sizeof own_options / sizeof own_options[0],
		.option = take_option,
		.own_size = sizeof(struct tr_own),
		.guide = guide,
		.run = run_triage,
		.reads_mechanisms = 1,
		.scales = 1,
		.other_outputs = csv,
	};
	return ct_tool_main(&spec, argc, argv);
}
