/* traceinfo - what a trace holds and whether it is whole. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "pass/origin.h"
#include "trace/arrays.h"
#include "traceinfo/helper.h"
#include "traceinfo/streams.h"

struct info {
	struct ct_tool *t;
	struct ct_trace *trace;
	struct census *census;
	struct helper *helper;
	struct ct_profile *p;
	struct ct_buf heads; /* table form: what headers say, one line per run of kernels */
	struct ct_buf head;  /* of the run that is going on */
	uint32_t head_first, head_last;
	uint64_t memcpy_bytes;
	struct streams streams;
};

struct metric {
	const char *name, *unit;
	uint64_t v;
};

static int add_metrics(struct info *n, const char *scope, const struct metric *m, size_t count,
                       struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < count && st == CT_OK; i++)
		st = ct_profile_add_count(n->p, scope, m[i].name, m[i].v, m[i].unit, "trace", e);
	return st;
}

static int add_counts(struct info *n, const char *scope, const struct census_counts *c,
                      struct ct_error *e)
{
	const struct metric m[] = {
		{"ctas", "CTAs", c->ctas},
		{"warps", "warps", c->warps},
		{"warp_insts", "insts", c->warp_insts},
		{"thread_insts", "insts", c->thread_insts},
		{"mem_insts", "insts", c->mem_insts},
		{"predicated_off_insts", "insts", c->predicated_off},
		{"global_requests", "requests", c->requests},
		{"global_load_requests", "requests", c->loads},
		{"global_store_requests", "requests", c->stores},
		{"global_atomic_requests", "requests", c->atomics},
		{"global_lane_accesses", "accesses", c->lane_accesses},
		{"distinct_lines", "lines", c->lines},
		{"distinct_sectors", "sectors", c->sectors},
		{"address_lists", "insts", c->forms[CT_ADDR_LIST]},
		{"address_strides", "insts", c->forms[CT_ADDR_STRIDE]},
		{"address_deltas", "insts", c->forms[CT_ADDR_DELTAS]},
	};
	return add_metrics(n, scope, m, sizeof m / sizeof m[0], e);
}

static int add_kernel(struct info *n, const struct ct_kernel *k, const struct census_counts *c,
                      struct ct_error *e)
{
	const uint64_t v[7] = {k->id,        c->warps, c->warp_insts, c->thread_insts,
	                       c->mem_insts, k->regs,  k->shmem_bytes};
	char grid[40], block[40], text[7][24], scope[32];
	snprintf(grid, sizeof grid, "(%u,%u,%u)", k->grid[0], k->grid[1], k->grid[2]);
	snprintf(block, sizeof block, "(%u,%u,%u)", k->block[0], k->block[1], k->block[2]);
	snprintf(scope, sizeof scope, "kernel:%u", k->id);
	for (int i = 0; i < 7; i++)
		snprintf(text[i], sizeof text[i], "%" PRIu64, v[i]);
	const char *f[10] = {text[0], k->name, grid,    block,   text[1],
	                     text[2], text[3], text[4], text[5], text[6]};
	int st = ct_profile_add(n->p, "KN", 10, f, e);
	return st == CT_OK ? add_counts(n, scope, c, e) : st;
}

/* Writes what the headers of a run of kernels say. */
static void end_heads(struct info *n)
{
	if (!n->head.len)
		return;
	if (n->head_first == n->head_last)
		ct_buf_printf(&n->heads, "kernel %u: %s\n", n->head_first, n->head.data);
	else
		ct_buf_printf(&n->heads, "kernels %u-%u: %s\n", n->head_first, n->head_last,
		              n->head.data);
	ct_buf_reset(&n->head);
}

static void add_head(struct info *n, const struct ct_kernel *k)
{
	struct ct_buf b = {0};
	ct_buf_printf(&b, "tracer %s, NVBit %s, sm_%u, stream %" PRIu64 ", %s%s%s",
	              *k->tracer_version ? k->tracer_version : "before 1.2",
	              *k->nvbit_version ? k->nvbit_version : "unknown", k->binary_version, k->stream,
	              k->raw ? "lines as they came" : "grouped by CTA",
	              k->has_lineinfo ? ", line numbers" : "", k->has_core_ids ? ", SM numbers" : "");
	if (k->has_windows)
		ct_buf_printf(&b, ", shared memory at 0x%" PRIx64 ", local at 0x%" PRIx64, k->shmem_base,
		              k->local_base);
	int same = b.len && n->head.len && strcmp(b.data, n->head.data) == 0;
	if (!same) {
		end_heads(n);
		n->head_first = k->id;
		ct_buf_add(&n->head, b.data, b.len);
	}
	n->heads.failed |= b.failed | n->head.failed;
	n->head_last = k->id;
	ct_buf_free(&b);
}

static int one_kernel(struct info *n, const struct ct_kernel *k, struct ct_error *e)
{
	struct ct_cta *cta, *last = NULL;
	struct census_counts c;
	int st;
	while ((st = ct_trace_next_cta(n->trace, &cta, e)) > 0) {
		ct_cta_unref(last);
		last = ct_cta_ref(cta); /* keeps the kernel alive until its counts are written */
		st = helper_push(n->helper, cta, e);
		if (st < 0)
			break;
	}
	if (st == 0)
		st = helper_wait(n->helper, e);
	if (st == 0) {
		census_kernel_end(n->census, &c);
		add_head(n, k);
		st = add_kernel(n, k, &c, e);
	}
	if (st == CT_OK)
		st = streams_add(&n->streams, k->stream, &c, e);
	ct_cta_unref(last);
	return st;
}

static int read_trace(struct info *n, struct ct_error *e)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(n->trace, &ev, e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			n->memcpy_bytes += ev.bytes;
			continue;
		}
		st = one_kernel(n, ev.kernel, e);
		if (st < 0)
			return st;
	}
	return st;
}

/* The numbers of each stream, where there are several. */
static int add_streams(struct info *n, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < n->streams.n && n->streams.n > 1 && st == CT_OK; i++) {
		const struct stream_counts *s = &n->streams.stream[i];
		const struct census_counts *c = &s->counts;
		const struct metric m[] = {
			{"kernels", "kernels", s->launches},
			{"ctas", "CTAs", c->ctas},
			{"warps", "warps", c->warps},
			{"warp_insts", "insts", c->warp_insts},
			{"thread_insts", "insts", c->thread_insts},
			{"mem_insts", "insts", c->mem_insts},
			{"global_requests", "requests", c->requests},
			{"global_load_requests", "requests", c->loads},
			{"global_store_requests", "requests", c->stores},
			{"global_atomic_requests", "requests", c->atomics},
			{"global_lane_accesses", "accesses", c->lane_accesses},
		};
		char scope[32];
		snprintf(scope, sizeof scope, "stream:%" PRIu64, s->id);
		st = add_metrics(n, scope, m, sizeof m / sizeof m[0], e);
	}
	return st;
}

static uint64_t array_bytes(const struct ct_trace *trace)
{
	const struct ct_arrays *a = ct_trace_arrays(trace);
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < ct_arrays_count(a); i++)
		bytes += ct_arrays_at(a, i)->bytes;
	return bytes;
}

static int add_all(struct info *n, struct ct_error *e)
{
	const struct ct_trace_stats *s = ct_trace_stats(n->trace);
	struct census_counts all;
	const struct metric m[] = {
		{"kernels", "kernels", s->kernels},
		{"skipped_kernels", "kernels", s->skipped_kernels},
		{"missing_kernels", "kernels", s->missing_kernels},
		{"unlisted_kernels", "kernels", s->unlisted_kernels},
		{"short_grids", "kernels", s->short_grids},
		{"absent_warps", "warps", s->absent_warps},
		{"misnamed_kernels", "kernels", s->misnamed_kernels},
		{"unordered_kernels", "kernels", s->unordered_kernels},
		{"partial_headers", "kernels", s->partial_headers},
		{"memcpys", "copies", s->memcpys},
		{"memcpy_bytes", "bytes", n->memcpy_bytes},
		{"arrays", "arrays", ct_arrays_count(ct_trace_arrays(n->trace))},
		{"array_bytes", "bytes", array_bytes(n->trace)},
		{"program_status", "status", s->program_status},
		{"unknown_commands", "lines", s->unknown_commands},
		{"text_bytes", "bytes", s->text_bytes},
		{"insts_mismatches", "warps", s->insts_mismatches},
		{"warps_without_exit", "warps", s->warps_without_exit},
		{"extra_token_insts", "insts", s->extra_tokens},
		{"width_disagreements", "insts", s->width_disagreements},
		{"null_global_accesses", "accesses", s->null_global},
		{"joined_launches", "launches", s->joined_launches},
		{"several_streams", "flag", (uint64_t)s->several_streams},
		{"cluster_ctas", "CTAs", s->cluster_ctas},
		{"bulk_copy_kernels", "kernels", s->bulk_kernels},
	};
	census_all(n->census, &all);
	int st = add_counts(n, "all", &all, e);
	if (st == CT_OK)
		st = add_metrics(n, "all", m, sizeof m / sizeof m[0], e);
	if (st == CT_OK)
		st = add_streams(n, e);
	if (st == CT_OK && ct_trace_is_damaged(n->trace))
		st = ct_profile_add_count(n->p, "all", "truncated", 1, "flag", "trace", e);
	return st;
}

/* ---- for people ---- */

static uint64_t count_of(const struct ct_profile *p, const char *scope, const char *metric)
{
	uint64_t v = 0;
	return ct_profile_get_count(p, scope, metric, &v) ? v : 0;
}

static const char *const columns[] = {
	"warps", "warp_insts", "mem_insts", "global_requests", "distinct_lines", "distinct_sectors"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void counts_row(struct ct_table *b, const struct ct_profile *p, const char *scope)
{
	for (int i = 0; i < COLUMNS; i++)
		ct_table_count(b, count_of(p, scope, columns[i]));
}

static void kernels_table(const struct ct_profile *p, struct ct_buf *b)
{
	static const char *const heads[] = {
		"kernel",          "name",  "grid",    "block",       "warps", "insts", "memory insts",
		"global requests", "lines", "sectors", "of all insts"};
	double all = (double)count_of(p, "all", "warp_insts");
	struct ct_table t = {.columns = sizeof heads / sizeof heads[0], .style = ct_terminal_style()};
	const struct ct_record *r;
	size_t at = 0;
	for (unsigned i = 0; i < t.columns; i++)
		ct_table_cell(&t, "%s", heads[i]);
	while ((r = ct_profile_next(p, "KN", &at))) {
		char scope[40];
		snprintf(scope, sizeof scope, "kernel:%s", r->field[0]);
		ct_table_cell(&t, "%s", r->field[0]);
		ct_table_cell(&t, "%.40s%s", r->field[1], strlen(r->field[1]) > 40 ? "..." : "");
		ct_table_cell(&t, "%s", r->field[2]);
		ct_table_cell(&t, "%s", r->field[3]);
		counts_row(&t, p, scope);
		ct_table_bar(&t, all > 0 ? (double)count_of(p, scope, "warp_insts") / all : 0, 20);
	}
	ct_table_cell(&t, "all");
	for (int i = 0; i < 3; i++)
		ct_table_cell(&t, "%s", "");
	counts_row(&t, p, "all");
	ct_table_cell(&t, "%s", "");
	ct_table_render(&t, b);
}

/* Of several streams what each holds. */
static void streams_table(const struct streams *s, struct ct_buf *b)
{
	static const char *const heads[] = {"stream",       "kernels",         "warps",       "insts",
	                                    "memory insts", "global requests", "of all insts"};
	struct ct_table t = {.columns = sizeof heads / sizeof heads[0], .style = ct_terminal_style()};
	double all = 0;
	if (s->n < 2)
		return;
	ct_table_heads(&t, heads);
	for (size_t i = 0; i < s->n; i++)
		all += (double)s->stream[i].counts.warp_insts;
	for (size_t i = 0; i < s->n; i++) {
		const struct census_counts *c = &s->stream[i].counts;
		ct_table_cell(&t, "%" PRIu64, s->stream[i].id);
		ct_table_count(&t, s->stream[i].launches);
		ct_table_count(&t, c->warps);
		ct_table_count(&t, c->warp_insts);
		ct_table_count(&t, c->mem_insts);
		ct_table_count(&t, c->requests);
		ct_table_bar(&t, all > 0 ? (double)c->warp_insts / all : 0, 20);
	}
	ct_table_render(&t, b);
	ct_buf_putc(b, '\n');
}

/* What the program allocated, the first ARRAYS_SHOWN of it. */
static void arrays_table(const struct ct_arrays *a, struct ct_buf *b)
{
	enum { ARRAYS_SHOWN = 40 };
	static const char *const heads[] = {"array", "first", "bytes", "before launch"};
	struct ct_table t = {.columns = 4, .style = ct_terminal_style()};
	uint32_t n = ct_arrays_count(a), i;
	if (!n)
		return;
	ct_table_heads(&t, heads);
	for (i = 0; i < n && i < ARRAYS_SHOWN; i++) {
		const struct ct_array *x = ct_arrays_at(a, i);
		ct_table_name(&t, x->name);
		ct_table_cell(&t, "0x%" PRIx64, x->first);
		ct_table_count(&t, x->bytes);
		ct_table_count(&t, x->launch);
	}
	ct_table_render(&t, b);
	if (i < n)
		ct_buf_printf(b, "and %" PRIu32 " more\n", n - i);
	ct_buf_putc(b, '\n');
}

/* What is odd, or that nothing is. */
static void print_integrity(const struct ct_profile *p, struct ct_buf *b)
{
	static const struct {
		const char *metric, *text;
	} odd[] = {
		{"truncated", "the trace is damaged, this is a part of it"},
		{"program_status",
	         "the program ended with this status: its trace may lack what it did not come to"},
		{"missing_kernels", "kernels of the list have no file"},
		{"unlisted_kernels", "kernels beside the list are not in it"},
		{"short_grids", "kernels have fewer thread blocks than their grid"},
		{"absent_warps", "warps that thread blocks should have are not there"},
		{"misnamed_kernels",
	         "files of the list have another kernel in their header than in their name"},
		{"unordered_kernels", "kernels of the list stand behind one of a higher number"},
		{"partial_headers",
	         "kernels have a header that lacks lines which come with others that it has"},
		{"insts_mismatches", "warps do not have the instructions that they announce"},
		{"warps_without_exit",
	         "warps have lanes that come to no EXIT: the trace was stopped before it"},
		{"extra_token_insts", "instruction lines have more columns than they should"},
		{"null_global_accesses", "global lane accesses go to address 0"},
		{"width_disagreements", "instructions have a width field that is not their width"},
		{"unknown_commands",
	         "lines of the list or log are neither kernel, copy to the device nor access"},
		{"several_streams", "kernels come from several streams, read one after the other"},
		{"cluster_ctas", "thread blocks belong to a cluster, and are placed one by one"},
		{"bulk_copy_kernels", "kernels have bulk copies (TMA), which no warp waits for"},
	};
	int any = 0;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		uint64_t v = count_of(p, "all", odd[i].metric);
		if (v)
			ct_buf_printf(b, "%" PRIu64 ": %s\n", v, odd[i].text);
		any |= v != 0;
	}
	if (!any)
		ct_buf_puts(b, "nothing odd found\n");
}

static int print_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                       struct ct_error *e)
{
	const struct info *n = *(struct info **)t->own;
	const struct ct_trace_stats *s = ct_trace_stats(n->trace);
	ct_buf_printf(b, "%s: %s, %" PRIu64 " bytes, %" PRIu64 " of text, crc64:%016" PRIx64 "\n",
	              ct_trace_path(n->trace), ct_trace_format(n->trace), s->raw_bytes, s->text_bytes,
	              s->crc64);
	ct_buf_printf(b,
	              "%" PRIu64 " kernels, %" PRIu64 " copies to the device of %" PRIu64
	              " bytes in all\n\n",
	              s->kernels, s->memcpys, n->memcpy_bytes);
	ct_buf_add(b, n->heads.data, n->heads.len);
	ct_buf_putc(b, '\n');
	kernels_table(p, b);
	ct_buf_putc(b, '\n');
	streams_table(&n->streams, b);
	arrays_table(ct_trace_arrays(n->trace), b);
	print_integrity(p, b);
	return ct_buf_check(b, e);
}

/* ---- the command ---- */

static int open_trace(struct info *n, struct ct_error *e)
{
	struct ct_trace_options o;
	struct ct_tool *t = n->t;
	if (t->operands > 1)
		return ct_fail(e, CT_ERR_USAGE, "one trace at a time: %s is too many", t->operand[1]);
	if (t->operands == 0 && isatty(STDIN_FILENO))
		return ct_fail(e, CT_ERR_USAGE, "no input: name a trace or pipe one in; see --help");
	ct_tool_trace_options(t, &o);
	return ct_trace_open(&n->trace, t->operands ? t->operand[0] : "-", &o, e);
}

static int describe_trace(struct info *n, struct ct_error *e)
{
	int st = open_trace(n, e);
	if (st != CT_OK)
		return st;
	n->census = census_new();
	n->p = ct_tool_profile(e);
	n->helper = n->census ? helper_new(n->census, n->t->threads > 1) : NULL;
	if (!n->helper || !n->p)
		return ct_fail_nomem(e);
	st = ct_tool_provenance(n->t, n->p, e);
	if (st == CT_OK)
		st = read_trace(n, e);
	if (st == CT_OK)
		st = add_all(n, e);
	end_heads(n);
	if (st == CT_OK)
		st = ct_pass_put_trace(n->p, n->trace, e);
	if (st == CT_OK)
		st = ct_buf_check(&n->heads, e);
	if (st == CT_OK)
		st = ct_tool_emit(n->t, n->p, print_table, e);
	return st;
}

static int run_traceinfo(struct ct_tool *t, struct ct_error *e)
{
	struct info n = {.t = t};
	*(struct info **)t->own = &n;
	int st = describe_trace(&n, e);
	if (st == CT_OK) {
		const struct ct_error *damage = ct_trace_damage(n.trace);
		if (damage)
			fprintf(stderr, "traceinfo: %s\n", damage->text);
		st = ct_trace_is_damaged(n.trace);
	}
	helper_free(n.helper);
	census_free(n.census);
	streams_free(&n.streams);
	ct_profile_free(n.p);
	ct_trace_close(n.trace);
	ct_buf_free(&n.heads);
	ct_buf_free(&n.head);
	return st;
}

enum { OPT_NO_PROVENANCE = CT_OWN_OPTION };

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct ct_tool *t = ctx;
	(void)value;
	(void)e;
	t->no_provenance |= key == OPT_NO_PROVENANCE;
	return CT_OK;
}

/* What --help ends with. */
static const char guide[] =
	"Columns of its table:\n"
	"  warps, insts             of the launch; insts are warp instructions\n"
	"  lines, sectors           distinct 128-byte lines and 32-byte sectors touched\n"
	"\n"
	"Examples:\n"
	"  traceinfo TRACE                   what a trace holds, and whether it is whole\n"
	"  traceinfo -q TRACE || echo broken a check in a script: exit 1 when damaged\n";

int main(int argc, char **argv)
{
	static const struct ct_option options[] = {
		{OPT_NO_PROVENANCE, "no-provenance", NULL, "write no PG record"},
	};
	static const struct ct_tool_spec spec = {
		.name = "traceinfo",
		.operands = "[TRACE]",
		.summary = "headers, kernels, counts and integrity of a trace",
		.takes = CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS,
		.options = options,
		.n_options = 1,
		.option = on_option,
		.own_size = sizeof(struct info *),
		.guide = guide,
		.run = run_traceinfo,
		.input_error_exit = 1,
	};
	return ct_tool_main(&spec, argc, argv);
}
