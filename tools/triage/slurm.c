/* slurm.c - the array job that does this command line's work on many machines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "triage/triage.h"

enum { TASKS = 16 };

/* A word for the shell, in single quotes where it needs them. */
static void quoted(struct ct_buf *b, const char *s)
{
	ct_buf_putc(b, ' ');
	if (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                       "-_./:=,+@%")]) {
		ct_buf_puts(b, s);
		return;
	}
	ct_buf_putc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			ct_buf_puts(b, "'\\''");
		else
			ct_buf_putc(b, *s);
	ct_buf_putc(b, '\'');
}

static void words(const struct ct_tool *t, struct ct_buf *b)
{
	const struct tr_own *o = t->own;
	if (t->gpu_name) {
		ct_buf_puts(b, " -g");
		quoted(b, t->gpu_name);
	}
	for (size_t i = 0; i < t->n_set; i++) {
		ct_buf_puts(b, " -p");
		quoted(b, t->set[i]);
	}
	if (t->scale < 0)
		ct_buf_puts(b, " --scale auto");
	else if (t->scale > 0 && t->scale < 1 && 1 / t->scale == floor(1 / t->scale))
		ct_buf_printf(b, " --scale 1/%.0f", 1 / t->scale);
	else if (t->scale > 0)
		ct_buf_printf(b, " --scale %.17g", t->scale);
	if (t->filter_text) {
		ct_buf_puts(b, " -k");
		quoted(b, t->filter_text);
	}
	for (int m = 0; m < CT_MECHANISMS; m++)
		if (o->mechanisms >> m & 1)
			ct_buf_printf(b, " --mechanism %s", ct_mechanism_name((enum ct_paper_mechanism)m));
	if (t->warmup)
		ct_buf_printf(b, " --warmup %llu", (unsigned long long)t->warmup);
	if (t->sample < 1)
		ct_buf_printf(b, " --sample %.17g", t->sample);
	if (o->resume) {
		ct_buf_puts(b, " --resume");
		quoted(b, o->resume);
	}
	if (t->no_provenance)
		ct_buf_puts(b, " --no-provenance");
	for (int i = 0; i < t->operands; i++)
		quoted(b, t->operand[i]);
}

int tr_slurm(struct ct_tool *t, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct ct_buf b = {0};
	unsigned n = o->tasks ? o->tasks : TASKS;
	if (t->operands == 0)
		return ct_fail(e, CT_ERR_USAGE, "--slurm needs the inputs: name them, not standard input");
	if (n > (unsigned)t->operands)
		n = (unsigned)t->operands;
	ct_buf_printf(&b, "#!/bin/sh\n#SBATCH --job-name=triage\n#SBATCH --array=1-%u\n"
	              "#SBATCH --cpus-per-task=%u\n#SBATCH --output=triage-%%A_%%a.log\n", n, t->threads);
	ct_buf_puts(&b, "# sbatch this file, and when the array has ended:\n"
	            "#   triage --join $(ls -v triage-shard-*.tv)\nset -eu\n");
	ct_buf_printf(&b, "triage -O profile -@ \"${SLURM_CPUS_PER_TASK:-1}\" "
	              "--shard \"$SLURM_ARRAY_TASK_ID/%u\" \\\n\t"
	              "-o \"triage-shard-$SLURM_ARRAY_TASK_ID.tv\" \\\n\t", n);
	size_t at = b.len;
	words(t, &b);
	if (b.len > at && !b.failed)
		memmove(b.data + at, b.data + at + 1, b.len-- - at); /* the first blank */
	ct_buf_putc(&b, '\n');
	int st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}
