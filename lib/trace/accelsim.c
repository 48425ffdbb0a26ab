/* accelsim.c - kernels, thread blocks and warps of Accel-Sim text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

enum { GOT_CTA = 1, KERNEL_END = 0, AT_INST = 2 };

int ct_accelsim_open(struct ct_accelsim **out, struct ct_source *s, struct ct_env *env,
                     struct ct_error *e)
{
	struct ct_accelsim *a = calloc(1, sizeof *a);
	*out = NULL;
	if (!a)
		return ct_fail_nomem(e);
	ct_lines_init(&a->lines, s);
	a->env = env;
	a->templates = ct_templates_new();
	a->line = calloc(1, sizeof *a->line);
	if (ct_builder_init(&a->builder) != 0 || !a->templates || !a->line) {
		ct_accelsim_close(a);
		return ct_fail_nomem(e);
	}
	*out = a;
	return CT_OK;
}

static void flush_tally(struct ct_accelsim *a)
{
	struct ct_trace_stats *s = a->env->stats;
	s->width_disagreements += a->tally.lies;
	s->extra_tokens += a->tally.extra;
	s->null_global += a->tally.null_global;
	a->tally = (struct ct_tally){0};
}

static void end_kernel(struct ct_accelsim *a)
{
	flush_tally(a);
	ct_raw_free(a->raw_kernel);
	a->raw_kernel = NULL;
	a->in_kernel = a->in_block = a->in_warp = 0;
}

void ct_accelsim_close(struct ct_accelsim *a)
{
	if (!a)
		return;
	end_kernel(a);
	ct_cta_unref(a->ready);
	ct_launch_unref(a->launch);
	ct_templates_free(a->templates);
	ct_builder_free(&a->builder, a->env->store);
	ct_lines_free(&a->lines);
	free(a->line);
	free(a);
}

uint64_t ct_accelsim_text_bytes(const struct ct_accelsim *a)
{
	return a->lines.text_bytes;
}

void ct_accelsim_count(struct ct_accelsim *a, const struct ct_cta *cta)
{
	struct ct_trace_stats *s = a->env->stats;
	s->ctas++;
	s->warps += cta->warps;
	for (uint32_t i = 0; i < cta->warps; i++)
		s->warp_insts += cta->warp[i].insts;
	s->warps_without_exit += a->unfinished;
	a->unfinished = 0;
	s->spilled_bytes = ct_store_spilled(a->env->store);
	flush_tally(a);
}

/* ---- warps and blocks of grouped files ---- */

/* What a warp's head announces is all that tells a line that was lost or doubled. */
static int finish_warp(struct ct_accelsim *a, struct ct_error *e)
{
	if (!a->in_warp)
		return CT_OK;
	struct ct_warp_info *w = &a->builder.warp[a->builder.warps - 1];
	a->builder.span.p = ct_pack_flush(&a->stream.packer, a->builder.span.p);
	w->insts = a->stream.insts;
	w->sm = a->stream.sm;
	w->slot = a->stream.slot;
	a->unfinished += !ct_stream_exited(&a->stream);
	a->exited += (uint64_t)ct_stream_exited(&a->stream);
	a->in_warp = 0;
	a->stream.undo.valid = 0;
	a->heads |= a->claimed == UINT64_MAX ? 1 : 2;
	if (a->heads == 3)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "warp %u before this line has %s insts line, "
		                     "others of the kernel have %s: damaged",
		                     w->warp, a->claimed == UINT64_MAX ? "no" : "an",
		                     a->claimed == UINT64_MAX ? "one" : "none");
	if (a->claimed == UINT64_MAX || a->claimed == a->stream.lines)
		return CT_OK;
	a->env->stats->insts_mismatches++;
	return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
	                     "warp %u before this line has %" PRIu64
	                     " instructions where its head says %" PRIu64 ": lines are lost or doubled",
	                     w->warp, a->stream.lines, a->claimed);
}

/* Ends the previous warp and begins warp number `warp` of the thread block. A warp that comes twice or
 * that the block does not have is damage. */
static int begin_warp(struct ct_accelsim *a, uint64_t warp, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	int st = finish_warp(a, e);
	if (st < 0)
		return st;
	if (!a->has_block_id)
		return ct_lines_fail(l, e, CT_ERR_INPUT, "warp outside a thread block: damaged");
	if (warp >= a->block_warps)
		return ct_lines_fail(l, e, CT_ERR_INPUT,
		                     "warp %" PRIu64 " in a block of %u warps: "
		                     "damaged",
		                     warp, a->block_warps);
	if (a->warp_seen[warp / 64] >> (warp % 64) & 1)
		return ct_lines_fail(l, e, CT_ERR_INPUT,
		                     "warp %" PRIu64 " comes twice in one thread "
		                     "block: damaged",
		                     warp);
	a->warp_seen[warp / 64] |= UINT64_C(1) << (warp % 64);
	ct_stream_init(&a->stream);
	a->claimed = UINT64_MAX;
	a->lead_length = -1;
	a->in_warp = 1;
	return ct_builder_warp(&a->builder, (uint32_t)warp, e);
}

int ct_accelsim_cta_index(struct ct_accelsim *a, const uint64_t xyz[3], uint64_t *index,
                          struct ct_error *e)
{
	const uint32_t *g = a->launch->kernel.grid;
	if (xyz[0] >= g[0] || xyz[1] >= g[1] || xyz[2] >= g[2])
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "thread block %" PRIu64 ",%" PRIu64 ",%" PRIu64
		                     " is outside the grid (%u,%u,%u): damaged",
		                     xyz[0], xyz[1], xyz[2], g[0], g[1], g[2]);
	*index = xyz[0] + g[0] * (xyz[1] + g[1] * xyz[2]);
	return CT_OK;
}

/* Whether a full number of thread blocks is each of them once, told by the sum of their mixed numbers. In
 * linear order it is. */
static int every_block_once(const struct ct_accelsim *a)
{
	uint64_t sum = 0;
	if (!a->order_warned || a->blocks < a->grid_ctas)
		return 1;
	for (uint64_t i = 0; i < a->grid_ctas; i++)
		sum += ct_mix64(i);
	return sum == a->block_sum;
}

/* Reads the coordinates of the thread block that #BEGIN_TB announced. Blocks may come in any order,
 * which is told once, but each of them only once: their sum and number are checked at the kernel's
 * end. */
static int set_block(struct ct_accelsim *a, const char *value, struct ct_error *e)
{
	uint64_t xyz[3];
	const char *p = value;
	if (!a->in_block || a->has_block_id)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "thread block line without #BEGIN_TB: "
		                     "damaged");
	for (int i = 0; i < 3; i++) {
		p = ct_text_u64(ct_skip_blanks(p), &xyz[i]);
		if (!p || (i < 2 && *p++ != ','))
			return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
			                     "bad thread block number: cut or "
			                     "damaged");
	}
	int st = ct_accelsim_cta_index(a, xyz, &a->builder.index, e);
	if (st < 0)
		return st;
	if (a->builder.index < a->next_index && !a->order_warned) {
		a->order_warned = 1;
		ct_warn(&a->env->options.diag, "%s:%" PRIu64 ": thread blocks are not in linear order",
		        ct_source_name(a->lines.source), a->lines.line);
	}
	a->next_index = a->builder.index + 1;
	a->has_block_id = 1;
	a->block_sum += ct_mix64(a->builder.index);
	if (++a->blocks > a->grid_ctas)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "more thread blocks than the grid's %" PRIu64 ": some come twice",
		                     a->grid_ctas);
	return CT_OK;
}

/* Counts blocks of clusters by their rank, which is 0 for the first of each, and for those without a cluster. */
static void note_cluster(struct ct_accelsim *a, const char *rank)
{
	uint64_t v;
	if (!ct_text_u64(rank, &v) || v == 0)
		return;
	if (a->env->stats->cluster_ctas++ == 0)
		ct_warn(&a->env->options.diag,
		        "%s: its thread blocks form clusters, and are placed one by one",
		        ct_source_name(a->lines.source));
}

/* "key = value" inside a block. */
static int key_line(struct ct_accelsim *a, const char *p, const char *equals, struct ct_error *e)
{
	const char *key_end = equals, *value = ct_skip_blanks(equals + 1);
	uint64_t v;
	while (key_end > p && ct_is_blank(key_end[-1]))
		key_end--;
	size_t n = (size_t)(key_end - p);
	if (n == 12 && memcmp(p, "thread block", 12) == 0)
		return set_block(a, value, e);
	int is_warp = n == 4 && memcmp(p, "warp", 4) == 0;
	int is_insts = n == 5 && memcmp(p, "insts", 5) == 0;
	if (!is_warp && !is_insts) {
		/* What tracers may say of a block before its warps (cluster id ...). */
		if (a->has_block_id && a->builder.warps == 0) {
			if (n == 12 && memcmp(p, "cluster rank", 12) == 0)
				note_cluster(a, value);
			return CT_OK;
		}
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT, "unexpected line: %.*s",
		                     n > 40 ? 40 : (int)n, p);
	}
	const char *end = ct_text_u64(value, &v);
	if (!end || !ct_is_end(*end))
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT, "bad number of %s: cut or damaged",
		                     is_warp ? "a warp" : "instructions");
	if (is_warp)
		return begin_warp(a, v, e);
	if (!a->in_warp || a->stream.lines || a->claimed != UINT64_MAX)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "insts line outside a warp's head: "
		                     "damaged");
	a->claimed = v;
	return CT_OK;
}

/* The block is complete: 1 with a->ready. */
static int finish_block(struct ct_accelsim *a, struct ct_error *e)
{
	int st = finish_warp(a, e);
	if (st < 0)
		return st;
	a->in_block = a->has_block_id = 0;
	a->absent_warps += a->block_warps - a->builder.warps;
	if (a->builder.warps == 0)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "thread block without warps: their lines are lost");
	st = ct_builder_finish(&a->builder, a->launch, a->env->store, &a->ready, e);
	if (st < 0)
		return st;
	ct_accelsim_count(a, a->ready);
	return 1;
}

/* #BEGIN_TB, #END_TB, comments. 1: a block is complete. */
static int hash_line(struct ct_accelsim *a, const char *p, const char *end, struct ct_error *e)
{
	while (end > p && ct_is_end(end[-1]))
		end--;
	size_t n = (size_t)(end - p);
	if (n == 9 && memcmp(p, "#BEGIN_TB", 9) == 0) {
		if (a->in_block)
			return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
			                     "#BEGIN_TB inside a thread block: "
			                     "damaged");
		a->in_block = 1;
		a->has_block_id = 0;
		memset(a->warp_seen, 0, sizeof a->warp_seen);
		return 0;
	}
	if (n == 7 && memcmp(p, "#END_TB", 7) == 0) {
		if (!a->has_block_id)
			return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
			                     "#END_TB without a thread block: "
			                     "damaged");
		return finish_block(a, e);
	}
	if (a->lines.unterminated)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "the file ends inside this line: it is "
		                     "cut");
	return 0;
}

/* The text of the kernel ends here (end of file or the next header). A block that
 * lacks #END_TB is accepted when nothing else is missing (section 4). */
static int kernel_text_ends(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	/* A cut behind a block looks like a trace that was stopped early, unless even the
	 * newline is gone. */
	if (!a->in_block && a->blocks < a->grid_ctas && l->unterminated)
		return ct_lines_fail(l, e, CT_ERR_INPUT,
		                     "the file ends without a newline behind thread block "
		                     "%" PRIu64 " of %" PRIu64 ": it is cut",
		                     a->blocks, a->grid_ctas);
	if (a->in_block) {
		int whole = a->has_block_id && a->builder.warps == a->block_warps &&
		            a->builder.index + 1 == a->grid_ctas && a->in_warp &&
		            a->claimed == a->stream.lines;
		if (!whole)
			return ct_lines_fail(l, e, CT_ERR_INPUT,
			                     "the file ends inside a thread block: it is "
			                     "cut");
		return finish_block(a, e);
	}
	if (a->blocks == 0)
		return ct_lines_fail(l, e, CT_ERR_INPUT,
		                     "no thread block follows the kernel's header: "
		                     "the file is cut");
	if (!every_block_once(a))
		return ct_lines_fail(l, e, CT_ERR_INPUT,
		                     "a thread block of the kernel above comes twice and "
		                     "another is missing: damaged");
	return 0;
}

int ct_accelsim_end(struct ct_accelsim *a)
{
	ct_env_note_absent(a->env, &a->launch->kernel, a->blocks, a->absent_warps, a->exited);
	end_kernel(a);
	return KERNEL_END;
}

/* ---- instruction lines ---- */

int ct_accelsim_slow(struct ct_accelsim *a, const char **next, uint32_t *sid, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	struct ct_error bare;
	const char *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
	int st;
	if (a->columns_known) {
		st = ct_line_parse(&a->columns, l->p, end, a->line, &bare);
	} else {
		const struct ct_kernel *k = &a->launch->kernel;
		unsigned lead = a->raw || ct_tracer_major(k->tracer_version) < 3 ? 4 : 0;
		st = ct_columns_detect(lead + k->has_lineinfo, a->immediates, l->p, end, &a->columns,
		                       a->line, &bare);
		a->columns_known = st == CT_OK;
	}
	if (st < 0)
		return ct_lines_fail(l, e, st, "%s", bare.text);
	if (l->unterminated) /* its last number may have lost digits */
		return ct_lines_fail(l, e, CT_ERR_INPUT, "the file ends inside this line: it is cut");
	*next = end + 1;
	if (a->line->bulk.is && !a->bulk) {
		a->bulk = 1;
		ct_env_note_bulk(a->env, &a->launch->kernel);
	}
	st = ct_code_add(&a->launch->code, &a->line->inst, strlen(a->line->opcode), sid, &bare);
	return st < 0 ? ct_lines_fail(l, e, st, "%s", bare.text) : st;
}

/* The numbers before a line of the current warp: the CTA's have to be its own. */
static int check_lead(struct ct_accelsim *a, const char *p, struct ct_error *e)
{
	const struct ct_columns *c = &a->columns;
	const uint64_t *lead = a->line->lead;
	unsigned core = c->cluster ? 11 : c->cta ? 4 : 0;
	if (c->cta) {
		uint64_t index = 0;
		int st = ct_accelsim_cta_index(a, lead, &index, e);
		if (st < 0)
			return st;
		if (index != a->builder.index || lead[3] != a->builder.warp[a->builder.warps - 1].warp)
			return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
			                     "line of another thread block or "
			                     "warp: damaged");
	}
	if (c->core && a->stream.sm < 0 && lead[core] <= INT32_MAX && lead[core + 1] <= INT32_MAX) {
		a->stream.sm = (int32_t)lead[core];
		a->stream.slot = (int32_t)lead[core + 1];
	}
	size_t n = (size_t)(a->line->fixed - p);
	a->lead_length = n <= sizeof a->lead ? (int)n : -1;
	if (a->lead_length > 0)
		memcpy(a->lead, p, n);
	return CT_OK;
}

/* Parses an instruction line word by word, keeps its static text as a template for lines like it, and
 * packs the instruction. */
static int slow_inst(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_line *t = a->line;
	const char *next;
	uint32_t sid;
	if (!a->in_warp)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT, "%s outside a warp: damaged",
		                     ct_hex_digit(*a->lines.p) >= 0 ? "instruction" : "text");
	int st = ct_accelsim_slow(a, &next, &sid, e);
	if (st == CT_OK)
		st = check_lead(a, a->lines.p, e);
	if (st < 0)
		return st;
	uint32_t number = ct_templates_add(a->templates, t, sid, a->columns.line);
	ct_templates_follow(a->templates, a->stream.last, number);
	a->stream.last = number;
	int more = 1;
	while (st == CT_OK && more) {
		more = ct_stream_put_line(&a->stream, &a->builder.span, &a->tally, sid, t,
		                          a->env->options.keep_values);
		if (a->builder.span.p >= a->builder.span.limit)
			st = ct_builder_seal(&a->builder, &a->stream, a->env->store, e);
	}
	a->lines.p = next;
	a->lines.line++;
	return st;
}

/* Reads lines for as long as each is known by its text, and stops at the first that is not. */
static int fast_insts(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	if (a->lead_length < 0 || l->unterminated) /* the slow way refuses a cut line */
		return CT_OK;
	size_t lead = (size_t)a->lead_length;
	while (l->p < l->end) {
		if (lead && memcmp(l->p, a->lead, lead) != 0)
			return CT_OK;
		const char *next = ct_templates_line(
			a->templates, l->p + lead, a->columns.line, &a->stream, &a->builder.span,
			&a->tally, a->env->options.keep_values);
		if (!next)
			return CT_OK;
		l->p = next;
		l->line++;
		if (a->builder.span.p >= a->builder.span.limit) {
			int st = ct_builder_seal(&a->builder, &a->stream, a->env->store, e);
			if (st < 0)
				return st;
		}
	}
	return CT_OK;
}

/* ---- the state machine ---- */

/* One line that is no instruction. 1: a block is complete; AT_INST: it is one. */
static int other_line(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	const char *p = ct_skip_blanks(l->p), *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
	int st = 0;
	if (*p == '#') {
		st = hash_line(a, p, end, e);
	} else if (*p != '\n' && *p != '\r') {
		const char *equals = memchr(p, '=', (size_t)(end - p));
		if (!equals)
			return AT_INST;
		st = key_line(a, p, equals, e);
	}
	if (st >= 0) {
		l->p = end + 1;
		l->line++;
	}
	return st;
}

/* Reads on: GOT_CTA with a->ready, KERNEL_END, AT_INST (only when asked to stop at the
 * first instruction line), or < 0. */
static int read_until(struct ct_accelsim *a, int stop_at_inst, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	for (;;) {
		int st = l->p == l->end ? ct_lines_fill(l, e) : 1;
		if (st < 0)
			return st;
		if (st == 0 || *l->p == '-') {
			st = kernel_text_ends(a, e);
			return st < 0 ? st : st ? GOT_CTA : ct_accelsim_end(a);
		}
		if (a->in_warp && !stop_at_inst) {
			st = fast_insts(a, e);
			if (st < 0)
				return st;
			if (l->p == l->end)
				continue;
		}
		st = *l->p == '-' ? 0 : other_line(a, e);
		if (st == AT_INST && stop_at_inst)
			return AT_INST;
		if (st == AT_INST)
			st = slow_inst(a, e);
		if (st != 0)
			return st;
	}
}

/* Reads over what is left of the current kernel, checking it. */
static int finish_kernel(struct ct_accelsim *a, struct ct_error *e)
{
	int st = 1;
	while (a->in_kernel && st > 0) {
		struct ct_cta *cta = NULL;
		st = ct_accelsim_next_cta(a, &cta, e);
		ct_cta_unref(cta);
	}
	return st < 0 ? st : CT_OK;
}

/* Passes blank lines and comments in front of a header: 1 at one, 0 at the end. */
static int find_header(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	for (;;) {
		int st = l->p == l->end ? ct_lines_fill(l, e) : 1;
		if (st == 0 && !a->launch)
			return ct_lines_fail(l, e, CT_ERR_INPUT,
			                     "no kernel header (-kernel name = ...) up to here: not a "
			                     "whole trace");
		if (st <= 0)
			return st;
		const char *p = ct_skip_blanks(l->p);
		const char *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
		if (*p == '-')
			return 1;
		if (*p != '\n' && *p != '\r' && (*p != '#' || memcmp(p, "#BEGIN_TB", 9) == 0))
			return ct_lines_fail(l, e, CT_ERR_INPUT,
			                     "no kernel header (-kernel name = ...) before "
			                     "this line: not a whole trace");
		l->p = end + 1;
		l->line++;
	}
}

static int set_path(struct ct_accelsim *a)
{
	const char *path = ct_source_name(a->lines.source);
	a->launch->kernel.path = ct_strndup(path, strlen(path));
	return a->launch->kernel.path ? 0 : -1;
}

/* Up to the first instruction line, so that the header can say what lines look like. */
int ct_accelsim_begin(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_kernel *k = &a->launch->kernel;
	const char *next;
	uint32_t sid;
	int st = read_until(a, 1, e);
	if (st != AT_INST)
		return st < 0 ? st : CT_OK;
	a->raw = !a->in_block;
	st = ct_accelsim_slow(a, &next, &sid, e);
	if (st < 0)
		return st;
	if (a->raw && !a->columns.cta)
		return ct_lines_fail(&a->lines, e, CT_ERR_INPUT,
		                     "instruction outside a thread block and "
		                     "without block numbers: damaged");
	k->raw = (uint8_t)a->raw;
	k->has_core_ids = (uint8_t)a->columns.core;
	k->has_lineinfo = (uint8_t)a->columns.line;
	return CT_OK;
}

int ct_accelsim_next_kernel(struct ct_accelsim *a, uint32_t id, struct ct_launch **l, struct ct_error *e)
{
	int st = finish_kernel(a, e);
	if (st == CT_OK)
		st = find_header(a, e);
	if (st <= 0)
		return st;
	ct_launch_unref(a->launch);
	a->launch = ct_launch_new();
	if (!a->launch || set_path(a) != 0)
		return ct_fail_nomem(e);
	struct ct_kernel *k = &a->launch->kernel;
	k->id = id;
	ct_templates_reset(a->templates);
	const char *lost = NULL;
	st = ct_header_parse(&a->lines, k, &a->immediates, &lost, e);
	if (st < 0)
		return st;
	k->partial_header = lost != NULL;
	if (lost && a->env->stats->partial_headers++ == 0)
		ct_warn(&a->env->options.diag,
		        "%s: the header of kernel %u has no -%s line, and others that come with it",
		        k->path, k->id, lost);
	a->grid_ctas = ct_kernel_ctas(k);
	a->block_warps = ct_kernel_cta_warps(k);
	a->blocks = a->next_index = a->block_sum = a->absent_warps = a->exited = 0;
	a->heads = 0;
	a->raw = a->columns_known = a->order_warned = a->bulk = 0;
	a->in_block = a->has_block_id = a->in_warp = 0;
	a->in_kernel = 1;
	*l = a->launch;
	return 1;
}

int ct_accelsim_next_cta(struct ct_accelsim *a, struct ct_cta **cta, struct ct_error *e)
{
	int st = GOT_CTA;
	*cta = NULL;
	if (!a->ready && !a->in_kernel)
		return 0;
	if (a->raw)
		return ct_raw_next_cta(a, cta, e);
	if (!a->ready)
		st = read_until(a, 0, e);
	if (st == GOT_CTA) {
		*cta = a->ready;
		a->ready = NULL;
	}
	return st;
}

struct ct_cta *ct_accelsim_partial(struct ct_accelsim *a)
{
	struct ct_cta *cta = NULL;
	if (a->raw || !a->in_kernel || !a->has_block_id || a->builder.warps == 0)
		return NULL;
	a->claimed = UINT64_MAX; /* the damage has been told */
	a->heads = 0;
	if (finish_block(a, NULL) == 1) {
		cta = a->ready;
		a->ready = NULL;
	}
	return cta;
}

int ct_accelsim_skip(struct ct_accelsim *a, struct ct_error *e)
{
	struct ct_lines *l = &a->lines;
	while (a->in_kernel) {
		int st = l->p == l->end ? ct_lines_fill(l, e) : 1;
		if (st < 0)
			return st;
		if (st == 0 || *l->p == '-') {
			end_kernel(a);
			break;
		}
		l->p = (const char *)memchr(l->p, '\n', (size_t)(l->end - l->p)) + 1;
		l->line++;
	}
	ct_cta_unref(a->ready);
	a->ready = NULL;
	ct_builder_free(&a->builder, a->env->store);
	return ct_builder_init(&a->builder) == 0 ? CT_OK : ct_fail_nomem(e);
}
