/* tracecat - converts, filters and concatenates traces. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/items.h"
#include "base/units.h"
#include "common/tool.h"
#include "trace/arrays.h"
#include "trace/ctz.h"
#include "tracecat/text.h"

enum { OPT_CTAS = CT_OWN_OPTION, OPT_SPACE, OPT_LEVEL };

static const char *const space_names[] = {
	"none", "global", "local", "shared", "const", "texture", "surface", "generic"};
enum { SPACES = sizeof space_names / sizeof space_names[0] };

struct own {
	int ctas; /* only CTAs first to last */
	uint64_t first, last;
	unsigned spaces; /* bit per enum ct_space; 0 = all */
	uint64_t level;
};

/* One run of the command: the place the output goes to. */
struct cat {
	struct ct_tool *t;
	struct ct_out *out;
	struct ct_ctz_writer *packed;
	struct text_sink *text;
	uint32_t id_base, last_id;
	uint64_t missing, unknown, kernels, ctas;
	uint64_t warps;  /* of the kernel, as written */
	uint32_t arrays; /* of the input's, written */
	unsigned status; /* of the first program that failed */
};

/* ---- options ---- */

static int ctas_option(struct own *own, const char *v, struct ct_error *e)
{
	char first[24];
	const char *dash = strchr(v, '-');
	size_t n = dash ? (size_t)(dash - v) : strlen(v);
	if (n < sizeof first) {
		memcpy(first, v, n);
		first[n] = '\0';
		if (ct_parse_u64(first, &own->first) == 0 &&
		    ct_parse_u64(dash ? dash + 1 : first, &own->last) == 0 && own->first <= own->last) {
			own->ctas = 1;
			return CT_OK;
		}
	}
	return ct_fail(e, CT_ERR_USAGE, "--ctas %s: give a number or a range N-M, from 0", v);
}

static int space_option(struct own *own, const char *v, struct ct_error *e)
{
	const char *name;
	for (size_t n; (name = ct_item_next(&v, &n));) {
		unsigned i = 0;
		while (i < SPACES &&
		       (strlen(space_names[i]) != n || memcmp(space_names[i], name, n) != 0))
			i++;
		if (i == SPACES)
			return ct_fail(e, CT_ERR_USAGE,
			               "--space %.*s: use none, global, local, shared, const, "
			               "texture, surface or generic, separated by commas",
			               (int)n, name);
		own->spaces |= 1u << i;
	}
	return CT_OK;
}

static int on_option(void *ctx, int key, const char *v, struct ct_error *e)
{
	struct own *own = ((struct ct_tool *)ctx)->own;
	if (key == OPT_CTAS)
		return ctas_option(own, v, e);
	if (key == OPT_SPACE)
		return space_option(own, v, e);
	if (ct_parse_u64_range(v, 1, 19, &own->level) != 0)
		return ct_fail(e, CT_ERR_USAGE, "--level %s: 1 (fast) to 19 (small)", v);
	return CT_OK;
}

/* An EXIT stays whatever is asked for, so that warps still end. */
static int keep_inst(void *ctx, const struct ct_kernel *k, const struct ct_sinst *s,
                     const struct ct_inst *inst)
{
	const struct own *own = ctx;
	(void)k;
	(void)inst;
	return (own->spaces >> s->space & 1) || s->unit == CT_CLASS_EXIT;
}

/* ---- copying ---- */

static int put_out(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	return ct_out_write(((struct cat *)ctx)->out, p, n, e);
}

static int put_cta(struct cat *c, struct ct_cta *cta, struct ct_error *e)
{
	struct own *own = c->t->own;
	uint64_t index = ct_cta_index(cta);
	ct_ctz_keep_fn fn = own->spaces ? keep_inst : NULL;
	if (own->ctas && (index < own->first || index > own->last))
		return CT_OK;
	c->ctas++;
	c->warps += ct_cta_warps(cta);
	return c->packed ? ct_ctz_put_cta(c->packed, cta, fn, own, e)
	                 : text_sink_cta(c->text, cta, fn, own, e);
}

static struct ct_ctz_oddities oddities_of(const struct ct_trace *trace)
{
	const struct ct_trace_stats *s = ct_trace_stats(trace);
	return (struct ct_ctz_oddities){s->width_disagreements, s->extra_tokens, s->insts_mismatches,
	                                s->warps_without_exit, s->null_global};
}

static int end_kernel(struct cat *c, const struct ct_trace *trace, const struct ct_ctz_oddities *before,
                      uint64_t warps, struct ct_error *e)
{
	const struct own *own = c->t->own;
	struct ct_ctz_oddities o = oddities_of(trace);
	if (!c->packed)
		return text_sink_kernel_end(c->text, e);
	o.width_disagreements -= before->width_disagreements;
	o.extra_tokens -= before->extra_tokens;
	o.insts_mismatches -= before->insts_mismatches;
	o.warps_without_exit -= before->warps_without_exit;
	o.null_global -= before->null_global;
	/* They were counted over everything: they are not the part's. But where no warp came to its EXIT,
	 * none of the part did. */
	if (own->spaces || own->ctas)
		o = (struct ct_ctz_oddities){
			.warps_without_exit = o.warps_without_exit == warps ? c->warps : 0};
	return ct_ctz_end_kernel(c->packed, &o, e);
}

static int put_kernel(struct cat *c, struct ct_trace *trace, const struct ct_kernel *k,
                      struct ct_error *e)
{
	struct ct_ctz_oddities before = oddities_of(trace);
	const uint64_t warps = ct_trace_stats(trace)->warps;
	struct ct_kernel copy = *k;
	struct ct_cta *cta, *held = NULL;
	if (k->id > UINT32_MAX - c->id_base)
		return ct_fail(e, CT_ERR_LIMIT, "%s: too many kernels", k->path);
	copy.id += c->id_base;
	c->last_id = copy.id;
	c->kernels++;
	c->warps = 0;
	int st = c->packed ? ct_ctz_put_kernel(c->packed, &copy, e)
	                   : text_sink_kernel(c->text, &copy, c->t->filter == NULL, e);
	while (st == CT_OK && (st = ct_trace_next_cta(trace, &cta, e)) > 0) {
		st = put_cta(c, cta, e);
		ct_cta_unref(held);
		held = cta; /* keeps the kernel's texts while the writer may look at them */
	}
	if (st == CT_OK)
		st = end_kernel(c, trace, &before, ct_trace_stats(trace)->warps - warps, e);
	ct_cta_unref(held);
	return st;
}

/* Copies those allocations that have become known. `before` is the launch that follows. */
static int put_arrays(struct cat *c, const struct ct_trace *trace, uint64_t before, struct ct_error *e)
{
	const struct ct_arrays *arrays = ct_trace_arrays(trace);
	int st = CT_OK;
	for (; st == CT_OK && c->arrays < ct_arrays_count(arrays); c->arrays++) {
		const struct ct_array *a = ct_arrays_at(arrays, c->arrays);
		st = c->packed ? ct_ctz_put_array(c->packed, a->first, a->bytes,
		                                  a->named ? a->name : NULL, e)
		               : text_sink_array(c->text, a, before, e);
	}
	return st;
}

static int put_event(struct cat *c, struct ct_trace *trace, const struct ct_event *ev,
                     struct ct_error *e)
{
	uint64_t before = ev->kind == CT_EVENT_KERNEL ? (uint64_t)c->id_base + ev->kernel->id
	                                              : (uint64_t)c->last_id + 1;
	int st = put_arrays(c, trace, before, e);
	if (st < 0)
		return st;
	if (ev->kind == CT_EVENT_KERNEL)
		return put_kernel(c, trace, ev->kernel, e);
	return c->packed ? ct_ctz_put_memcpy(c->packed, ev->address, ev->bytes, e)
	                 : text_sink_memcpy(c->text, ev->address, ev->bytes, e);
}

static int put_trace(struct cat *c, struct ct_trace *trace, struct ct_error *e)
{
	struct ct_event ev;
	int st;
	c->arrays = 0;
	while ((st = ct_trace_next(trace, &ev, e)) > 0)
		if ((st = put_event(c, trace, &ev, e)) < 0)
			return st;
	if (st == 0)
		st = put_arrays(c, trace, (uint64_t)c->last_id + 1, e);
	const struct ct_trace_stats *s = ct_trace_stats(trace);
	c->status = c->status ? c->status : s->program_status;
	/* Where damage ended the input, what is written is a part: one launch at least is not whole. */
	uint64_t lost = ct_trace_damage(trace) != NULL;
	/* What is packed has no folder any more in which to look. */
	c->missing += s->missing_kernels + s->unlisted_kernels + lost;
	c->unknown += s->unknown_commands;
	/* Launch numbers go on where this input ends. */
	uint64_t launches = s->kernels + s->skipped_kernels + s->missing_kernels + lost;
	uint64_t next = c->id_base + launches;
	c->id_base = next > c->last_id && next <= UINT32_MAX ? (uint32_t)next : c->last_id;
	if (lost && c->text)
		text_sink_lost(c->text, c->id_base);
	return st;
}

static int one_input(struct cat *c, const char *path, struct ct_error *e)
{
	struct ct_trace_options o;
	struct ct_trace *trace;
	ct_tool_trace_options(c->t, &o);
	o.keep_values = 1;
	int st = ct_trace_open(&trace, path, &o, e);
	if (st < 0)
		return st;
	st = put_trace(c, trace, e);
	const struct ct_error *damage = ct_trace_damage(trace);
	if (st == CT_OK && damage)
		fprintf(stderr, "tracecat: %s\n", damage->text);
	if (st == CT_OK)
		st = ct_trace_is_damaged(trace);
	ct_trace_close(trace);
	return st;
}

/* ---- the command ---- */

static int open_output(struct cat *c, struct ct_error *e)
{
	struct ct_tool *t = c->t;
	struct own *own = t->own;
	int text = t->output == CT_OUTPUT_OTHER, packed = text && strcmp(t->output_other, "tracez") == 0;
	int to_file = t->out_path && strcmp(t->out_path, "-") != 0;
	if (packed && !to_file)
		return ct_fail(e, CT_ERR_USAGE,
		               "-O tracez makes a file of each kernel: name a new folder with -o");
	if (text && to_file)
		return text_sink_folder(&c->text, t->out_path, packed, e);
	if (!text && !to_file && isatty(STDOUT_FILENO))
		return ct_fail(e, CT_ERR_USAGE,
		               "a packed trace is not for a terminal: use -o FILE or a pipe");
	int st = ct_out_open(&c->out, t->out_path, CT_OUT_STREAM, e);
	if (st < 0)
		return st;
	return text ? text_sink_stream(&c->text, put_out, c, e)
	            : ct_ctz_writer_new(&c->packed, (int)own->level, put_out, c, e);
}

static int check_output(const struct cat *c, struct ct_error *e)
{
	const struct own *own = c->t->own;
	if (own->ctas && c->kernels && !c->ctas)
		return ct_fail(e, CT_ERR_USAGE, "--ctas %" PRIu64 "-%" PRIu64 " matches no thread block",
		               own->first, own->last);
	return CT_OK;
}

static int copy_all(struct cat *c, struct ct_error *e)
{
	struct ct_tool *t = c->t;
	int damaged = 0, st = CT_OK;
	for (int i = 0; i < (t->operands ? t->operands : 1) && st == CT_OK; i++) {
		st = one_input(c, t->operands ? t->operand[i] : "-", e);
		damaged |= st == 1;
		if (st == 1)
			st = CT_OK;
	}
	if (st == CT_OK)
		st = check_output(c, e);
	if (st == CT_OK)
		st = ct_buf_check(&t->warnings, e);
	if (st == CT_OK && c->packed && c->status)
		st = ct_ctz_put_status(c->packed, c->status, e);
	if (st == CT_OK && c->packed)
		st = ct_ctz_finish(c->packed, c->missing, c->unknown, e);
	if (st == CT_OK && c->text)
		st = text_sink_commit(c->text, c->status, e);
	return st == CT_OK && damaged ? 1 : st;
}

static int run_tracecat(struct ct_tool *t, struct ct_error *e)
{
	struct cat c = {.t = t};
	if (t->operands == 0 && isatty(STDIN_FILENO))
		return ct_fail(e, CT_ERR_USAGE, "no input: name a trace or pipe one in; see --help");
	int st = open_output(&c, e);
	if (st == CT_OK)
		st = copy_all(&c, e);
	ct_ctz_writer_free(c.packed);
	text_sink_free(c.text);
	if (st < 0 || !c.out) {
		ct_out_abort(c.out);
		return st;
	}
	int committed = ct_out_commit(c.out, e);
	return committed < 0 ? committed : st;
}

/* What --help ends with. */
static const char guide[] =
	"Examples:\n"
	"  tracecat -o all.ctz TRACE                   pack a trace into one file\n"
	"  tracecat -O accelsim -o folder all.ctz      and back into Accel-Sim's text\n"
	"  tracecat -k gemm -o gemm.ctz TRACE          one kernel of it\n";

int main(int argc, char **argv)
{
	static const struct ct_option options[] = {
		{OPT_CTAS, "ctas", "N|N-M",
	         "only these thread blocks of each kernel (linear numbers, from 0)"},
		{OPT_SPACE, "space", "LIST",
	         "only instructions on these spaces: none, global, local, shared,\n"
	         "const, texture, surface, generic (EXIT always stays)"},
		{OPT_LEVEL, "level", "N", "zstd level of packed traces, 1 to 19 (default 19)"},
	};
	static const char *const outputs[] = {"accelsim", "tracez", NULL};
	static const struct ct_tool_spec spec = {
		.name = "tracecat",
		.operands = "[TRACE...]",
		.summary = "convert, filter and concatenate traces",
		.takes = CT_TAKES_TRACE | CT_TAKES_OUTPUT,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.run = run_tracecat,
		.other_outputs = outputs,
		.only_others = 1,
		.output_help = "accelsim: text; tracez: packed text (without -O: .ctz)",
	};
	return ct_tool_main(&spec, argc, argv);
}
