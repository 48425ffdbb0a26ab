#include "common/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/kernel_name.h"
#include "models/common/cause.h"

static double sn(const struct ct_profile *p, const char *scope, const char *metric)
{
	double v;
	return ct_profile_get(p, scope, metric, &v) ? v : NAN;
}

static double cycles_of(const struct ct_profile *p, const char *scope)
{
	double v = sn(p, scope, "cycles") - sn(p, scope, "launch_cycles");
	return isnan(v) || v < 0 ? 0 : v;
}

static int by_cycles(const void *a, const void *b)
{
	const struct ct_kernel_rank *x = a, *y = b;
	return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1) : strcmp(x->scope, y->scope);
}

static void find_launches(const struct ct_profile *p, const char *name, struct ct_kernel_rank *k)
{
	const struct ct_record *r;
	k->first = "-";
	k->launches = 0;
	for (size_t i = 0; (r = ct_profile_next(p, "KN", &i));)
		if (strcmp(r->field[1], name) == 0 && k->launches++ == 0)
			k->first = r->field[0];
}

int ct_kernels_rank(const struct ct_profile *p, struct ct_kernel_rank **out, size_t *n)
{
	static const char prefix[] = "name:";
	struct ct_kernel_rank *k = NULL;
	const char *scope;
	size_t cap = 0;
	double all = cycles_of(p, "all");
	*out = NULL;
	*n = 0;
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++) {
		if (strncmp(scope, prefix, sizeof prefix - 1) != 0 || isnan(sn(p, scope, "cycles")))
			continue;
		const char *raw = scope + sizeof prefix - 1;
		struct ct_buf name = {0};
		ct_kernel_name_short(&name, raw);
		if (name.failed || ct_grow((void **)&k, &cap, *n + 1, sizeof *k) < 0) {
			ct_buf_free(&name);
			ct_kernels_free(k, *n);
			*n = 0;
			return CT_ERR_NOMEM;
		}
		k[*n].name = name.data;
		k[*n].scope = scope;
		find_launches(p, raw, &k[*n]);
		k[*n].cycles = cycles_of(p, scope);
		k[*n].share = all > 0 ? k[*n].cycles / all : NAN;
		k[*n].l1_miss_rate = sn(p, scope, "l1_miss_rate");
		k[*n].llc_miss_rate = sn(p, scope, "llc_miss_rate");
		k[*n].llc_mpki = sn(p, scope, "llc_mpki");
		++*n;
	}
	if (*n)
		qsort(k, *n, sizeof *k, by_cycles);
	*out = k;
	return CT_OK;
}

void ct_kernel_scope_cell(struct ct_table *t, const char *scope)
{
	static const char prefix[] = "name:";
	struct ct_buf text = {0};
	const int is_name = strncmp(scope, prefix, sizeof prefix - 1) == 0;
	ct_buf_puts(&text, is_name ? prefix : scope);
	if (is_name)
		ct_kernel_name_short(&text, scope + sizeof prefix - 1);
	ct_buf_putc(&text, '\0');
	ct_table_name(t, text.failed ? scope : text.data);
	ct_buf_free(&text);
}

void ct_kernels_free(struct ct_kernel_rank *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(k[i].name);
	free(k);
}

int ct_kernel_limit(const struct ct_profile *p, const char *scope, char *text, size_t n)
{
	text[0] = '\0';
	int st = ct_cause_limit(text, n, p, scope);
	if (!*text && n > 1)
		strcpy(text, "-");
	return st;
}
