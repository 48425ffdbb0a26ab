/* slurm.c - the array job that does this command line's work on many machines. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "triage/triage.h"

enum { TASKS = 16 };

static void shell_word(struct ct_buf *b, const char *s)
{
	ct_buf_putc(b, ' ');
	ct_escape_shell(b, s);
}

static void text_option(struct ct_buf *b, const char *option, const char *value)
{
	if (!value)
		return;
	ct_buf_printf(b, " %s", option);
	shell_word(b, value);
}

static void count_option(struct ct_buf *b, const char *option, uint64_t value, uint64_t usual)
{
	if (value != usual)
		ct_buf_printf(b, " %s %" PRIu64, option, value);
}

static void flag_option(struct ct_buf *b, const char *option, int given)
{
	if (given)
		ct_buf_printf(b, " %s", option);
}

/* How the inputs are read, and on which GPU. */
static void words_of_pass(const struct ct_tool *t, struct ct_buf *b)
{
	static const char *const method[] = {[CT_METHOD_AUTO] = NULL,
	                                     [CT_METHOD_ANALYTIC] = "analytic",
	                                     [CT_METHOD_REPLAY] = "replay"};
	text_option(b, "-g", t->gpu_name);
	for (size_t i = 0; i < t->n_set; i++)
		text_option(b, "-p", t->set[i]);
	if (t->scale < 0)
		ct_buf_puts(b, " --scale auto");
	else if (t->scale > 0 && t->scale < 1 && 1 / t->scale == floor(1 / t->scale))
		ct_buf_printf(b, " --scale 1/%.0f", 1 / t->scale);
	else if (t->scale > 0)
		ct_buf_printf(b, " --scale %.17g", t->scale);
	text_option(b, "-k", t->filter_text);
	text_option(b, "--pattern", t->pattern_text);
	text_option(b, "--method", method[t->method]);
	text_option(b, "--trace-root", t->trace_root);
	count_option(b, "--warmup", t->warmup, 0);
	if (t->sample < 1)
		ct_buf_printf(b, " --sample %.17g", t->sample);
	count_option(b, "--seed", t->seed, 1);
	count_option(b, "--max-memory", t->max_memory, UINT64_C(1) << 30);
	count_option(b, "--max-expand", t->max_expand, 0);
	flag_option(b, "--salvage", t->salvage);
	flag_option(b, "--trust-paths", t->trust_paths);
	flag_option(b, "--streams", t->streams);
	flag_option(b, "--no-verify", t->no_verify);
}

static void command_words(const struct ct_tool *t, struct ct_buf *b)
{
	const struct tr_own *o = t->own;
	words_of_pass(t, b);
	for (size_t i = 0; i < t->n_named; i++)
		text_option(b, "--plugin", t->named[i]);
	if (t->plugin_seconds > 0)
		ct_buf_printf(b, " --plugin-limit %.17g", t->plugin_seconds);
	for (unsigned m = 0; m < ct_mechanism_count(); m++)
		if (o->mechanisms >> m & 1)
			text_option(b, "--mechanism", ct_mechanism_at(m)->name);
	for (int w = 0; w <= CT_UNKNOWN; w++)
		if (o->only >> w & 1)
			text_option(b, "--only", ct_verdict_word((enum ct_verdict_word)w));
	if (o->min_speedup > 0)
		ct_buf_printf(b, " --min-speedup %.17g", o->min_speedup);
	for (unsigned i = 0; i < o->n_require; i++)
		text_option(b, "--require", o->require[i]);
	flag_option(b, "--allow-unknown", o->allow_unknown);
	text_option(b, "--resume", o->resume);
	flag_option(b, "--no-provenance", t->no_provenance);
	flag_option(b, "--quiet", t->quiet);
	int dashes = 0; /* a name may begin like an option */
	for (int i = 0; i < t->operands; i++)
		dashes |= t->operand[i][0] == '-';
	flag_option(b, "--", dashes);
	for (int i = 0; i < t->operands; i++)
		shell_word(b, t->operand[i]);
}

int tr_slurm(struct ct_tool *t, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct ct_buf b = {0};
	unsigned n = o->tasks ? o->tasks : TASKS;
	if (t->operands == 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "--slurm needs the inputs: name them, not standard input");
	if (n > (unsigned)t->operands)
		n = (unsigned)t->operands;
	ct_buf_printf(&b,
	              "#!/bin/sh\n#SBATCH --job-name=triage\n#SBATCH --array=1-%u\n"
	              "#SBATCH --cpus-per-task=%u\n#SBATCH --output=triage-%%A_%%a.log\n",
	              n, t->threads);
	ct_buf_puts(&b, "# sbatch this file, and when the array has ended:\n"
	                "#   triage --join $(ls -v triage-shard-*.tv)\nset -eu\n");
	ct_buf_printf(&b,
	              "triage -O profile -@ \"${SLURM_CPUS_PER_TASK:-1}\" "
	              "--shard \"$SLURM_ARRAY_TASK_ID/%u\" \\\n\t"
	              "-o \"triage-shard-$SLURM_ARRAY_TASK_ID.tv\" \\\n\t",
	              n);
	size_t at = b.len;
	command_words(t, &b);
	if (b.len > at && !b.failed)
		memmove(b.data + at, b.data + at + 1, b.len-- - at); /* the first blank */
	ct_buf_putc(&b, '\n');
	int st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}
