/* What the rest of the program takes for granted of every mechanism's table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/registry.h"

static const char *data_dir(void)
{
	static char dir[4096];
	snprintf(dir, sizeof dir, "%s/data", getenv("CT_ROOT") ? getenv("CT_ROOT") : ".");
	return dir;
}

/* ---- the tables ---- */

static int has_system(const struct ct_mechanism *m, const char *name)
{
	for (unsigned i = 0; i < m->n_systems; i++)
		if (!strcmp(m->systems[i].name, name))
			return 1;
	return 0;
}

static void check_systems(const struct ct_mechanism *m)
{
	assert_true(has_system(m, m->judged));
	assert_true(has_system(m, m->baseline));
	assert_true(!m->ideal || has_system(m, m->ideal));
	assert_true(!m->configured || has_system(m, m->configured));
	for (const char *const *a = m->alternatives; a && *a; a++)
		if (!has_system(m, *a))
			fail_msg("%s: %s is none of its systems", m->name, *a);
	for (unsigned i = 0; i < m->n_systems; i++) {
		assert_non_null(m->systems[i].help);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(m->systems[i].name, m->systems[k].name);
	}
}

static void check_functions(const struct ct_mechanism *m)
{
	assert_true(m->open && m->close && m->values);
	assert_true(m->estimate && m->replay && m->reason && m->cure);
	assert_true(m->show && m->show_overheads);
	assert_true(!m->sweeps == !m->n_sweeps && !m->sweep == !m->sweeps);
	assert_true(!m->engine == !m->engine_free);
	assert_true(m->observer || !m->needs_pass);
	assert_true(!m->n_options == !m->options);
	for (unsigned i = 0; i < m->n_options; i++)
		assert_true(m->options[i].name && m->options[i].help);
}

static void check_parameters(const struct ct_mechanism *m)
{
	const struct ct_constants *t = m->parameters;
	for (size_t i = 0; i < t->n; i++) {
		const struct ct_constant *c = &t->row[i];
		if (!(c->value >= c->lo && c->value <= c->hi))
			fail_msg("%s.%s = %g is not in %g..%g", t->prefix, c->name, c->value, c->lo,
			         c->hi);
		assert_true(i >= t->whole || c->value == floor(c->value));
		assert_true(strlen(c->source) > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(c->name, t->row[k].name);
	}
}

static void test_tables(void **state)
{
	const struct ct_mechanism *m;
	(void)state;
	assert_true(ct_mechanism_count() <= CT_MECHANISMS_MAX);
	assert_null(ct_mechanism_at(ct_mechanism_count()));
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++) {
		assert_int_equal(m->abi, CT_MECHANISM_ABI);
		assert_int_equal(m->size, sizeof *m);
		assert_true(m->summary && m->title && m->page);
		assert_true(m->places != 0);
		check_systems(m);
		check_functions(m);
		check_parameters(m);
	}
}

static void test_names(void **state)
{
	const struct ct_mechanism *m;
	(void)state;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++) {
		assert_int_equal(ct_mechanism_find(m->name), i);
		assert_int_equal(ct_mechanism_find(m->command), i);
		for (const char *const *a = m->aliases; a && *a; a++)
			assert_int_equal(ct_mechanism_find(*a), i);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(m->parameters->prefix,
			                        ct_mechanism_at(k)->parameters->prefix);
	}
	assert_int_equal(ct_mechanism_find("teleport"), -1);
	assert_int_equal(ct_mechanism_find(""), -1);
}

/* ---- keys ---- */

static int check(const char *prefix, const char *key, const char *value, struct ct_error *e)
{
	char text[160];
	snprintf(text, sizeof text, "%s.%s=%s", prefix, key, value);
	return ct_mechanism_check_key(text, e);
}

/* The same on a table whose prefix is not the name that people know. */
static void test_prefixes(void **state)
{
	static const struct ct_constant row[] = {
		{.name = "chunk",
	         .value = 32,
	         .lo = 8,
	         .hi = 128,
	         .unit = "bytes",
	         .source = "here",
	         .type = CT_CONSTANT_WHOLE},
		{.name = "share", .value = 0.5, .hi = 1, .unit = "", .source = "here"},
	};
	static const struct ct_constants t = {
		.row = row,
		.n = 2,
		.prefix = "one",
		.aliases = "uno,un",
		.page = "page",
		.example = "one.chunk=32"};
	struct ct_error e;
	(void)state;
	assert_int_equal(ct_constants_check(&t, "one.chunk=64", &e), CT_OK);
	assert_int_equal(ct_constants_check(&t, "un.share=0.25", &e), CT_OK);
	assert_int_equal(ct_constants_check(&t, "one.chunk=12.5", &e), CT_ERR_USAGE);
	assert_int_equal(ct_constants_check(&t, "one.chunk", &e), CT_ERR_USAGE);
	assert_int_equal(ct_constants_check(&t, "two.chunk=64", &e), CT_ERR_USAGE);
	assert_string_equal(e.text, "unknown key two.chunk: did you mean one.chunk?");
	assert_int_equal(ct_constants_check(&t, "two.chunky=64", &e), CT_ERR_USAGE);
	assert_string_equal(e.text, "unknown key one.chunky: did you mean one.chunk?");
}

static void test_keys(void **state)
{
	const struct ct_mechanism *m;
	struct ct_error e;
	(void)state;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++) {
		const struct ct_constants *t = m->parameters;
		char value[32], typo[64], meant[96];
		snprintf(value, sizeof value, "%.17g", t->row[0].value);
		snprintf(typo, sizeof typo, "%sq", t->row[0].name);
		snprintf(meant, sizeof meant, "did you mean %s.%s?", t->prefix, t->row[0].name);
		assert_int_equal(check(t->prefix, t->row[0].name, value, &e), CT_OK);
		assert_int_equal(check(t->prefix, typo, value, &e), CT_ERR_USAGE);
		assert_non_null(strstr(e.text, meant));
		assert_int_equal(check(t->prefix, t->row[0].name, "none", &e), CT_ERR_USAGE);
		/* Its name sets nothing unless it is a prefix of its parameters. */
		snprintf(typo, sizeof typo, "%s.", m->name);
		if (!ct_constants_own(t, typo)) {
			assert_int_equal(check(m->name, t->row[0].name, value, &e), CT_ERR_USAGE);
			assert_non_null(strstr(e.text, meant));
		}
	}
	assert_int_equal(ct_mechanism_check_key("l1.size=64KiB", &e), 1);
	assert_int_equal(ct_mechanism_check_key("model.x=1", &e), 1);
	assert_int_equal(ct_mechanism_of_key("l1.size=64KiB"), -1);
}

/* ---- lists ---- */

static void test_lists(void **state)
{
	struct ct_error e;
	uint32_t mask, all;
	char two[160];
	(void)state;
	assert_int_equal(ct_mechanisms_parse("--mechanisms", "all", &all, &e), CT_OK);
	assert_true((all & ct_mechanisms_published()) == ct_mechanisms_published());
	assert_int_equal(ct_mechanisms_parse("--mechanisms", "teleport", &mask, &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "--mechanisms teleport: use all, or some of"));
	assert_int_equal(ct_mechanisms_parse("--mechanisms", "", &mask, &e), CT_ERR_USAGE);
	assert_int_equal(ct_mechanisms_parse("--mechanisms", "all,", &mask, &e), CT_ERR_USAGE);
	for (unsigned i = 0; ct_mechanism_at(i); i++) {
		assert_int_equal(all >> i & 1, 1);
		snprintf(two, sizeof two, "%s,%s", ct_mechanism_at(i)->name,
		         ct_mechanism_at(0)->command);
		assert_int_equal(ct_mechanisms_parse("--mechanisms", two, &mask, &e), CT_OK);
		assert_int_equal(mask, UINT32_C(1) << i | 1);
	}
}

/* ---- runs ---- */

static void open_once(const struct ct_mechanism *m, const char *const *set, size_t n_set, int expect)
{
	const char *option[64] = {NULL};
	struct ct_pass_settings settings = {.threads = 1, .sample = 1, .seed = 1};
	struct ct_mechanism_run run = {
		.mechanism = m,
		.set = set,
		.n_set = n_set,
		.option = option,
		.data_dir = data_dir(),
		.settings = &settings};
	struct ct_error e;
	int st = m->open(&run, &e);
	if (st != expect)
		fail_msg("%s: open gives %d: %s", m->name, st, st < 0 ? e.text : "");
	if (st == CT_OK) {
		const double *v = m->values(&run);
		for (size_t i = 0; i < m->parameters->n; i++)
			if (!n_set)
				assert_true(v[i] == m->parameters->row[i].value);
	}
	m->close(&run);
}

/* What open() takes close() gives back, whether it has failed or not. */
static void test_runs(void **state)
{
	const struct ct_mechanism *m;
	(void)state;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++) {
		char set[96];
		const char *one = set;
		assert_true(m->n_options < 64);
		open_once(m, NULL, 0, CT_OK);
		snprintf(set, sizeof set, "%s.%s=%.17g", m->parameters->prefix,
		         m->parameters->row[0].name, m->parameters->row[0].value);
		open_once(m, &one, 1, CT_OK);
		snprintf(set, sizeof set, "%s.%s=none", m->parameters->prefix,
		         m->parameters->row[0].name);
		open_once(m, &one, 1, CT_ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),   cmocka_unit_test(test_names),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_lists),    cmocka_unit_test(test_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
