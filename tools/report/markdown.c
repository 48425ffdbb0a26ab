/* markdown.c - a comment for a pull request, a job summary. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "report/out.h"

enum { LIMIT = 1 << 20, RESERVE = 4096, CHANGES = 20, FINDINGS = 20, NAME_SHOWN = 80 };

static void put_cell(struct ct_buf *b, const struct ct_verdict *v)
{
	char s[32], range[CT_RANGE_TEXT_MAX];
	rep_speedup_text(v->speedup, s);
	ct_verdict_range_text(v, range);
	if (v->word == CT_UNKNOWN)
		ct_buf_puts(b, " unknown |");
	else if (v->word == CT_NEUTRAL)
		ct_buf_printf(b, " neutral %s |", s);
	else
		ct_buf_printf(b, " **%s** %s (%s) |", ct_verdict_word(v->word), s, range);
}

/* The thresholds, as many as have room; how many more failed is told in any case. */
static void put_checks(const struct rep_report *r, struct ct_buf *b)
{
	char why[320];
	const struct rep_checks *c = &r->checks;
	if (!c->n)
		return;
	ct_buf_printf(b, "### Thresholds: %s\n\n| | threshold | result |\n|---|---|---|\n",
	              c->failed            ? "failed"
	              : c->skipped == c->n ? "skipped"
	                                   : "passed");
	size_t i = 0;
	for (; i < c->n && b->len < LIMIT / 4; i++) {
		const struct rep_check *k = &c->check[i];
		rep_check_why(k, why, sizeof why);
		ct_buf_printf(b, "| %s | ",
		              k->skipped  ? "skipped"
		              : k->passed ? "passed"
		                          : "**failed**");
		ct_escape_markdown(b, ct_require_text(k->r), 300);
		ct_buf_puts(b, " | ");
		ct_escape_markdown(b, why, 300);
		ct_buf_puts(b, " |\n");
	}
	size_t failed = 0;
	for (size_t k = i; k < c->n; k++)
		failed += !c->check[k].passed && !c->check[k].skipped;
	if (i < c->n)
		ct_buf_printf(b, "\n%zu more thresholds are left out here; %zu of them failed.\n",
		              c->n - i, failed);
	ct_buf_putc(b, '\n');
}

/* How many workloads have which verdict, by mechanism. */
static void put_counts(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_printf(b, "%zu workload%s. ", r->run.n, r->run.n == 1 ? "" : "s");
	int told = 0;
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++) {
		size_t n[4];
		rep_count(&r->run, m, n);
		ct_buf_printf(b, "%s%s: ", told++ ? "; " : "", ct_mechanism_at(m)->name);
		int said = 0;
		for (int k = 0; k < 4; k++)
			if (n[k])
				ct_buf_printf(b, "%s%zu %s", said++ ? ", " : "", n[k],
				              ct_verdict_word((enum ct_verdict_word)k));
	}
	ct_buf_puts(b, ".\n\n");
}

/* A table of all verdicts, cut where the comment would become too long. */
static void put_verdicts(const struct rep_report *r, struct ct_buf *b)
{
	size_t left = 0;
	ct_buf_puts(b, "| workload |");
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
		ct_buf_printf(b, " %s |", ct_mechanism_at(m)->name);
	ct_buf_puts(b, "\n|---|");
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
		ct_buf_puts(b, "---|");
	ct_buf_putc(b, '\n');
	for (size_t i = 0; i < r->run.n; i++) {
		if (b->len > LIMIT / 4 * 3) {
			left = r->run.n - i;
			break;
		}
		ct_buf_puts(b, "| ");
		ct_escape_markdown(b, r->run.w[i].name, NAME_SHOWN);
		ct_buf_puts(b, " |");
		for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
			put_cell(b, &r->run.w[i].v[m]);
		ct_buf_putc(b, '\n');
	}
	if (left)
		ct_buf_printf(b, "\n%zu more workloads are left out here.\n", left);
	ct_buf_puts(b, "\nSpeed-ups are against the GPU as configured, with their range.\n\n");
}

/* Workloads of which only a part of the trace was seen. */
static void put_parts(const struct rep_report *r, struct ct_buf *b)
{
	size_t n = 0;
	char part[REP_PART_TEXT];
	const char *run;
	const struct rep_workload *w;
	for (size_t i = 0; (w = rep_next_part(r, &i, &run, part));) {
		if (++n > 20)
			continue;
		ct_buf_puts(b, n > 1 ? "\\\n**" : "**");
		ct_escape_markdown(b, w->name, NAME_SHOWN);
		ct_buf_printf(b, "**%s: %s.", run, part);
	}
	if (n > 20)
		ct_buf_printf(b, "\\\n**%zu more workloads** are of parts of their traces.", n - 20);
	ct_buf_puts(b, n ? "\n\n" : "");
}

/* Why workloads benefit or are hurt, folded together. */
static void put_reasons(const struct rep_report *r, struct ct_buf *b)
{
	size_t left = 0, said = 0;
	for (size_t i = 0; i < r->run.n; i++)
		for (unsigned m = 0; rep_next_shown(&r->run, &m); m++) {
			const struct ct_verdict *v = &r->run.w[i].v[m];
			if (v->word != CT_BENEFITS && v->word != CT_HURTS)
				continue;
			if (b->len > LIMIT - 16 * RESERVE) {
				left++;
				continue;
			}
			if (!said++)
				ct_buf_puts(b, "<details><summary>Why</summary>\n\n");
			ct_buf_puts(b, "- ");
			ct_escape_markdown(b, r->run.w[i].name, NAME_SHOWN);
			ct_buf_printf(b, ", %s %s: ", ct_mechanism_at(m)->name,
			              ct_verdict_word(v->word));
			ct_escape_markdown(b, v->reason, CT_REASON_MAX);
			ct_buf_putc(b, '\n');
		}
	if (left)
		ct_buf_printf(b, "- and %zu more\n", left);
	if (said)
		ct_buf_puts(b, "\n</details>\n\n");
}

/* A row of the table of changes: before, after and by how much. */
static void change_row(struct ct_buf *b, const struct rep_change *x)
{
	char percent[32];
	ct_buf_puts(b, "| ");
	ct_escape_markdown(b, x->w->name, NAME_SHOWN);
	ct_buf_puts(b, " | ");
	ct_escape_markdown(b, x->what, 120);
	if (x->word_before) {
		ct_buf_printf(b, " | %s | **%s** | |\n", x->word_before, x->word_after);
		return;
	}
	ct_buf_puts(b, " | ");
	ct_buf_real(b, x->before);
	ct_buf_puts(b, " | ");
	ct_buf_real(b, x->after);
	if (rep_change_percent(x, percent))
		ct_buf_printf(b, " | %s |\n", percent);
	else
		ct_buf_puts(b, " | |\n");
}

/* The changes of one way, the largest first. */
static void changes_of(const struct rep_change *x, size_t n, enum rep_way way, struct ct_buf *b)
{
	if (!n)
		return;
	ct_buf_printf(
		b,
		"#### %s (%zu)\n\n| workload | value | old | new | change |\n|---|---|---:|---:|---:|\n",
		rep_way_name(way), n);
	for (size_t i = 0; i < n && i < CHANGES; i++)
		change_row(b, &x[i]);
	if (n > CHANGES)
		ct_buf_printf(b, "\nand %zu smaller ones\n", n - CHANGES);
	ct_buf_putc(b, '\n');
}

/* What changed since the old run, in three groups: worse, better, neither. */
static void put_changes(const struct rep_report *r, struct ct_buf *b)
{
	const struct rep_changes *c = &r->changes;
	if (!r->compared)
		return;
	ct_buf_printf(b, "### Changes\n\n%zu value%s changed; %zu of %zu workloads are the same", c->n,
	              c->n == 1 ? "" : "s", c->same, r->run.n);
	if (c->n_old || c->n_new)
		ct_buf_printf(b, "; %zu are only in the old run, %zu only in the new one", c->n_old,
		              c->n_new);
	ct_buf_puts(b, ".\n\n");
	if (!c->n)
		return;
	size_t at = 0;
	for (int way = 0; c->n && way < REP_WAYS; at += c->n_way[way++])
		changes_of(c->change + at, c->n_way[way], (enum rep_way)way, b);
}

void rep_markdown(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_puts(b, "## ");
	ct_escape_markdown(b, r->title, 200);
	ct_buf_puts(b, "\n\n");
	put_counts(r, b);
	put_parts(r, b);
	put_checks(r, b);
	put_changes(r, b);
	put_verdicts(r, b);
	put_reasons(r, b);
}
