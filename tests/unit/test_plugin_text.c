/* What a plugin says of itself: written, read, and refused where a line is not right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants those above. */
#include <cmocka.h>

#include "base/hash.h"
#include "common/plugin.h"
#include "common/plugin_text.h"
#include "models/plugin.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

static int read_text(struct ct_plugin_text **d, const char *text, struct ct_error *e)
{
	*e = (struct ct_error){0};
	return ct_plugin_text_read(d, text, strlen(text), e);
}

/* Each built-in mechanism comes back with its names, systems and parameters. */
static void mechanisms_come_back(void **state)
{
	(void)state;
	for (unsigned i = 0; ct_mechanism_at(i); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i), *back;
		struct ct_plugin_text *d;
		struct ct_error e = {0};
		struct ct_buf b = {0};
		ct_plugin_text_write(m, &b);
		assert_int_equal(b.failed, 0);
		if (read_text(&d, b.data, &e) != CT_OK)
			fail_msg("%s: %s", m->name, e.text);
		back = ct_plugin_text_mechanism(d);
		assert_string_equal(back->name, m->name);
		assert_string_equal(back->judged, m->judged);
		assert_string_equal(ct_verdict_baseline_of(back), ct_verdict_baseline_of(m));
		assert_int_equal(back->n_systems, m->n_systems);
		assert_int_equal(back->n_metrics, m->n_metrics);
		assert_int_equal(back->places, m->places);
		assert_int_equal(back->parameters->n, m->parameters->n);
		for (unsigned k = 0; k < m->n_systems; k++)
			assert_string_equal(back->systems[k].name, m->systems[k].name);
		for (size_t k = 0; k < m->parameters->n; k++) {
			assert_string_equal(back->parameters->row[k].name, m->parameters->row[k].name);
			assert_true(back->parameters->row[k].value == m->parameters->row[k].value);
			assert_true(back->parameters->row[k].lo == m->parameters->row[k].lo);
			assert_int_equal(ct_constants_type(back->parameters, k),
			                 ct_constants_type(m->parameters, k));
		}
		ct_plugin_text_free(d);
		ct_buf_free(&b);
	}
}

#define HEAD "name\tx\ntitle\tX\nsummary\tan x\njudged\tA\nbaseline\tB\ntable\t0\t0\t1\t1\t0\t0\t0\t0\n"
#define SYSTEMS "system\tA\thelp\t0\nsystem\tB\t\t0\nprefix\tx\n"

static void wrong_lines_are_named(void **state)
{
	static const struct {
		const char *text, *error;
	} wrong[] = {
		{"", "its description lacks end"},
		{HEAD SYSTEMS, "its description lacks end"},
		{HEAD SYSTEMS "end", "line 10 of its description is not right"},
		{HEAD SYSTEMS "end\nend\n", "its description goes on behind its end"},
		{HEAD "end\n", "its description lacks judged, one of its systems"},
		{HEAD "system\tA\t\t0\nend\n", "its description lacks baseline, one of its systems"},
		{HEAD "system\tA\t\t0\nsystem\tA\t\t0\nend\n", "line 8 of its description is not right"},
		{HEAD SYSTEMS "ideal\tC\nend\n", "its description lacks ideal, one of its systems"},
		{HEAD SYSTEMS "configured\tC\nend\n",
	         "its description lacks configured, one of its systems"},
		{HEAD "system\tA\t\t2\nend\n", "line 7 of its description is not right"},
		{HEAD "system\tA\t\t0\t0\nend\n", "line 7 of its description is not right"},
		{"name\tX y\n", "line 1 of its description is not right"},
		{"name\tX\n", "line 1 of its description is not right"},
		{"name\t\n", "line 1 of its description is not right"},
		{"name\ta\001\n", "line 1 of its description is not right"},
		{"title\t\377\n", "its description is not UTF-8"},
		{HEAD SYSTEMS "parameter\tp\t5\t0\t4\t\t0\t\t\nend\n",
	         "line 10 of its description is not right"},
		{HEAD SYSTEMS "parameter\tp\tnan\t0\t4\t\t0\t\t\nend\n",
	         "line 10 of its description is not right"},
		{HEAD SYSTEMS "parameter\tp\t1\t0\tinf\t\t0\t\t\nend\n",
	         "line 10 of its description is not right"},
		{HEAD SYSTEMS "parameter\tp\t1\t0\t4\t\t9\t\t\nend\n",
	         "line 10 of its description is not right"},
		{HEAD SYSTEMS "metric\tES\tm\tratio\t99\t0\nend\n",
	         "line 10 of its description is not right"},
		{HEAD SYSTEMS "nothing\nend\n", "line 10 of its description is not right"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct ct_plugin_text *d;
		struct ct_error e;
		assert_int_equal(read_text(&d, wrong[i].text, &e), CT_ERR_INPUT);
		assert_string_equal(e.text, wrong[i].error);
		assert_null(d);
	}
}

/* A text as long as it may be is read; one that wants more room than there is is refused. */
static void too_much_is_refused(void **state)
{
	struct ct_buf b = {0};
	struct ct_plugin_text *d;
	struct ct_error e;
	(void)state;
	ct_buf_puts(&b, HEAD SYSTEMS);
	for (int i = 0; i < 64; i++)
		ct_buf_printf(&b, "parameter\tp%d\t1\t0\t4\t\t0\t\t\n", i);
	size_t n = b.len;
	ct_buf_puts(&b, "end\n");
	assert_int_equal(read_text(&d, b.data, &e), CT_OK);
	assert_int_equal(ct_plugin_text_mechanism(d)->parameters->n, 64);
	ct_plugin_text_free(d);
	b.len = n;
	ct_buf_puts(&b, "parameter\tone_more\t1\t0\t4\t\t0\t\t\nend\n");
	assert_int_equal(read_text(&d, b.data, &e), CT_ERR_INPUT);
	ct_buf_free(&b);
}

/* What the registry says of names that are taken, and of one that is not. */
static void names_are_taken_once(void **state)
{
	static struct ct_plugin_text *d; /* lives as long as the registry */
	struct ct_error e = {0};
	(void)state;
	assert_int_equal(read_text(&d, HEAD SYSTEMS "end\n", &e), CT_OK);
	struct ct_mechanism *m = ct_plugin_text_mechanism(d);
	unsigned before = ct_mechanism_count();
	m->command = "triage --plugin ./x.so";
	m->name = ct_mechanism_at(0)->name;
	assert_int_equal(ct_mechanisms_add(m, &e), CT_ERR_USAGE);
	m->name = "x";
	assert_int_equal(ct_mechanisms_add(m, &e), CT_OK);
	assert_int_equal(ct_mechanisms_add(m, &e), CT_ERR_USAGE);
	assert_int_equal(ct_mechanism_count(), before + 1);
	assert_int_equal(ct_mechanism_find("x"), (int)before);
	assert_int_equal(ct_mechanism_plugins(), 1u << before);
	assert_true(ct_mechanism_at(before) == m);
	assert_null(ct_mechanism_at(before + 1));
	ct_mechanisms_replace(0, m);
	assert_true(ct_mechanism_at(0) != m);
	/* Its functions are somewhere else. */
	struct ct_mechanism_run run = {.mechanism = m};
	assert_int_equal(m->open(&run, &e), CT_ERR_UNSUPPORTED);
}

static int put_answer(char *to, size_t room, int status, const char *error, const char *reply)
{
	char body[256];
	int n = snprintf(body, sizeof body, " %d %zu\n%s%s", status, strlen(error), error, reply);
	return snprintf(to, room, "cachetriage-plugin 1 %zu %016llx%s", strlen(error) + strlen(reply),
	                (unsigned long long)ct_crc64(0, body, (size_t)n), body);
}

static void answers_are_checked(void **state)
{
	char text[512], damaged[512];
	const char *error, *reply;
	size_t n;
	int status;
	(void)state;
	size_t whole = (size_t)put_answer(text, sizeof text, 0, "", "records");
	memcpy(damaged, text, sizeof text);
	reply = ct_plugin_answer(damaged, whole, &status, &error, &n);
	assert_non_null(reply);
	assert_int_equal(status, 0);
	assert_int_equal(n, strlen("records"));
	assert_memory_equal(reply, "records", n);
	/* Every byte that changes, and every cut, is noticed. */
	for (size_t i = 0; i < whole; i++) {
		memcpy(damaged, text, sizeof text);
		damaged[i] ^= 1;
		reply = ct_plugin_answer(damaged, whole, &status, &error, &n);
		if (reply && (status != 0 || n != strlen("records") || memcmp(reply, "records", n)))
			fail_msg("byte %zu", i);
		memcpy(damaged, text, sizeof text);
		assert_null(ct_plugin_answer(damaged, i, &status, &error, &n));
	}
	whole = (size_t)put_answer(text, sizeof text, CT_ERR_INPUT, "why", "");
	reply = ct_plugin_answer(text, whole, &status, &error, &n);
	assert_non_null(reply);
	assert_int_equal(status, CT_ERR_INPUT);
	assert_int_equal(reply - error, 3);
	/* An error without words, or words without an error, is none. */
	whole = (size_t)put_answer(text, sizeof text, CT_ERR_INPUT, "", "x");
	assert_null(ct_plugin_answer(text, whole, &status, &error, &n));
	whole = (size_t)put_answer(text, sizeof text, 0, "why", "x");
	assert_null(ct_plugin_answer(text, whole, &status, &error, &n));
}

static void entries_are_checked(void **state)
{
	const struct ct_plugin good = {
		(uint32_t)sizeof good, CT_PLUGIN_API, CT_PLUGIN_LAYOUT, ct_mechanism_at(0)};
	struct ct_plugin p = good;
	struct ct_error e;
	(void)state;
	assert_int_equal(ct_plugin_check(&p, &e), CT_OK);
	p.api++;
	assert_int_equal(ct_plugin_check(&p, &e), CT_ERR_UNSUPPORTED);
	p = good;
	p.size--;
	assert_int_equal(ct_plugin_check(&p, &e), CT_ERR_UNSUPPORTED);
	p = good;
	p.layout[2]++;
	assert_int_equal(ct_plugin_check(&p, &e), CT_ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "struct ct_gpu"));
	p = good;
	p.mechanism = NULL;
	assert_int_equal(ct_plugin_check(&p, &e), CT_ERR_INPUT);
	struct ct_mechanism m = *good.mechanism;
	p.mechanism = &m;
	m.abi++;
	assert_int_equal(ct_plugin_check(&p, &e), CT_ERR_UNSUPPORTED);
	m = (struct ct_mechanism){.abi = CT_MECHANISM_ABI};
	assert_int_equal(ct_plugin_check(&p, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "lacks name"));
}

/* What is left out is filled in, what is there stays. */
static void tables_are_completed(void **state)
{
	struct ct_mechanism m = *ct_mechanism_at(0), empty = {.name = "x"};
	(void)state;
	ct_plugin_complete(&m);
	assert_memory_equal(&m, ct_mechanism_at(0), sizeof m);
	ct_plugin_complete(&empty);
	assert_non_null(empty.open);
	assert_non_null(empty.values);
	assert_non_null(empty.estimate);
	assert_non_null(empty.replay);
	assert_non_null(empty.reason);
	assert_non_null(empty.show);
	assert_null(empty.candidates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mechanisms_come_back), cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(too_much_is_refused),  cmocka_unit_test(answers_are_checked),
		cmocka_unit_test(entries_are_checked),  cmocka_unit_test(tables_are_completed),
		cmocka_unit_test(names_are_taken_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
