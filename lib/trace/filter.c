/* filter.c - which kernels: -k REGEX|N|N-M, or the launches of a profile. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/private/text.h"
#include "trace/trace.h"

/* Steps before a pattern is given up on; names are short. */
enum { MATCH_LIMIT = 1000000 };

struct ct_filter {
	uint64_t first, last; /* launch numbers, 0 when a pattern or a list decides */
	uint64_t *launch;     /* sorted */
	size_t n_launches;
	pcre2_code *code;
	pcre2_match_context *limits;
	ct_filter_name
		*form[CT_FILTER_NAMES]; /* other forms of a name that the pattern is searched in */
};

/* "N" or "N-M": 1 when the text has this form. */
static int parse_range(const char *text, uint64_t *first, uint64_t *last)
{
	const char *p = ct_text_u64(text, first);
	*last = *first;
	if (p && *p == '-')
		p = ct_text_u64(p + 1, last);
	return p && *p == '\0';
}

/* Compiles a pattern for kernel names, with a limit on the work of a match, since names come from files
 * that nobody vouches for. */
static int compile_pattern(struct ct_filter *f, const char *text, struct ct_error *e)
{
	int number;
	PCRE2_SIZE at;
	f->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &number, &at, NULL);
	if (!f->code) {
		PCRE2_UCHAR why[200];
		pcre2_get_error_message(number, why, sizeof why);
		return ct_fail(e, CT_ERR_USAGE, "bad kernel pattern '%s': %s at character %zu", text,
		               (char *)why, (size_t)at + 1);
	}
	f->limits = pcre2_match_context_create(NULL);
	if (!f->limits)
		return ct_fail_nomem(e);
	pcre2_set_match_limit(f->limits, MATCH_LIMIT);
	return CT_OK;
}

int ct_filter_compile(struct ct_filter **out, const char *text, struct ct_error *e)
{
	struct ct_filter *f = calloc(1, sizeof *f);
	*out = NULL;
	if (!f)
		return ct_fail_nomem(e);
	int st = CT_OK;
	if (*text == '\0')
		st = ct_fail(e, CT_ERR_USAGE,
		             "empty kernel pattern: give a regular expression, N or N-M");
	else if (!parse_range(text, &f->first, &f->last))
		st = compile_pattern(f, text, e);
	else if (f->first == 0 || f->last < f->first)
		st = ct_fail(e, CT_ERR_USAGE, "bad kernel range '%s': launches are numbered from 1",
		             text);
	if (st < 0) {
		ct_filter_free(f);
		return st;
	}
	*out = f;
	return CT_OK;
}

static int compare_launches(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

int ct_filter_launches(struct ct_filter **out, const uint64_t *ids, size_t n, struct ct_error *e)
{
	struct ct_filter *f = calloc(1, sizeof *f);
	*out = NULL;
	if (!f || !(f->launch = ct_calloc(n + 1, sizeof *f->launch))) {
		free(f);
		return ct_fail_nomem(e);
	}
	memcpy(f->launch, ids, n * sizeof *ids);
	qsort(f->launch, n, sizeof *f->launch, compare_launches);
	f->n_launches = n;
	*out = f;
	return CT_OK;
}

/* 1 or 0, or < 0 as ct_filter_matches(). */
static int matches_name(const struct ct_filter *f, const char *name)
{
	pcre2_match_data *m = pcre2_match_data_create_from_pattern(f->code, NULL);
	if (!m)
		return CT_ERR_NOMEM;
	int n = pcre2_match(f->code, (PCRE2_SPTR)name, strlen(name), 0, 0, m, f->limits);
	pcre2_match_data_free(m);
	if (n < 0 && n != PCRE2_ERROR_NOMATCH)
		return n == PCRE2_ERROR_NOMEMORY ? CT_ERR_NOMEM : CT_ERR_LIMIT;
	return n >= 0;
}

int ct_filter_matches(const struct ct_filter *f, const struct ct_kernel *k)
{
	if (f->launch) {
		const uint64_t id = k->id;
		return bsearch(&id, f->launch, f->n_launches, sizeof id, compare_launches) != NULL;
	}
	if (!f->code)
		return k->id >= f->first && k->id <= f->last;
	int found = matches_name(f, k->name);
	for (int i = 0; i < CT_FILTER_NAMES && found == 0; i++) {
		struct ct_buf name = {0};
		if (!f->form[i])
			continue;
		f->form[i](&name, k->name);
		ct_buf_putc(&name, '\0');
		found = name.failed ? CT_ERR_NOMEM : matches_name(f, name.data);
		ct_buf_free(&name);
	}
	return found;
}

void ct_filter_also(struct ct_filter *f, ct_filter_name *const forms[CT_FILTER_NAMES])
{
	for (int i = 0; i < CT_FILTER_NAMES; i++)
		f->form[i] = forms ? forms[i] : NULL;
}

void ct_filter_listed(const struct ct_filter *f, const struct ct_kernel *k, struct ct_buf *b)
{
	if (f->form[0])
		f->form[0](b, k->name);
	else
		ct_buf_puts(b, k->name);
}

void ct_filter_free(struct ct_filter *f)
{
	if (!f)
		return;
	pcre2_code_free(f->code);
	pcre2_match_context_free(f->limits);
	free(f->launch);
	free(f);
}
