#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "profile/profile.h"
#include "profile/profile_internal.h"
#include "tests/support/json_check.h"

static struct ct_profile *read_ok(const char *text, size_t n, int verify)
{
	struct ct_error e = {0};
	struct ct_profile *p;
	int st = ct_profile_read_memory(&p, "t", text, n, verify, &e);
	if (st != CT_OK)
		fail_msg("%s", e.text);
	return p;
}

static struct ct_buf written(const struct ct_profile *p)
{
	struct ct_buf b = {0};
	assert_int_equal(ct_profile_write(p, &b, NULL), CT_OK);
	return b;
}

/* Body without header and EN; both are put around it. */
static struct ct_profile *read_body(const char *body)
{
	char text[4096];
	int n = snprintf(text, sizeof text, "#cachetriage-profile\t1\n%s", body);
	return read_ok(text, (size_t)n, 0);
}

static void refuses(const char *text, size_t n, int verify, int status, const char *what)
{
	struct ct_error e = {0};
	struct ct_profile *p = (struct ct_profile *)&e;
	int st = ct_profile_read_memory(&p, "f.prof", text, n, verify, &e);
	if (st != status || !strstr(e.text, what))
		fail_msg("wanted %d '%s', got %d '%s'", status, what, st, e.text);
	assert_null(p);
}

static void refuses_body(const char *body, const char *what)
{
	char text[4096];
	int n = snprintf(text, sizeof text, "#cachetriage-profile\t1\n%s", body);
	refuses(text, (size_t)n, 0, CT_ERR_INPUT, what);
}

static void writes_the_document(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	const char *pg[] = {"reuse", "1", "reuse a\tb\\c\n\x01\xff\xc3\xa9"};
	(void)state;
	assert_int_equal(ct_profile_add_count(p, "all", "warp_insts", UINT64_MAX, NULL, "replay", NULL),
	                 0);
	assert_int_equal(ct_profile_add(p, "PG", 3, pg, NULL), 0);
	assert_int_equal(ct_profile_add_real(p, "all", "ipc", 1.0 / 3, NULL, "replay", NULL), 0);
	assert_int_equal(ct_profile_add_real(p, "all", "l1_mpki", NAN, NULL, "replay", NULL), 0);
	assert_int_equal(ct_profile_add_real(p, "all", "ipc", 1e-7, NULL, "analytic", NULL), 0);
	struct ct_buf b = written(p);
	static const char want[] = "#cachetriage-profile\t1\n"
				   "#SN\tscope\tmetric\tvalue\tunit\tmethod\n"
				   "SN\tall\twarp_insts\t18446744073709551615\tinsts\treplay\n"
				   "SN\tall\tipc\t1e-07\tinsts/cycle\tanalytic\n"
				   "SN\tall\tl1_mpki\tNA\tmisses/kinst\treplay\n"
				   "#PG\ttool\tversion\tcommand_line\n"
				   "PG\treuse\t1\treuse a\\tb\\\\c\\n\\x01\\xFF\xc3\xa9\n"
				   "#EN\trecords\tcrc32\n";
	char all[sizeof want + 40];
	snprintf(all, sizeof all, "%sEN\t4\t%08x\n", want, (unsigned)ct_crc32(0, want, sizeof want - 1));
	assert_string_equal(b.data, all);
	ct_profile_free(p);

	/* And it reads back to the same. */
	p = read_ok(b.data, b.len, 1);
	const struct ct_record *r = ct_profile_at(p, 3);
	assert_string_equal(r->field[2], pg[2]);
	uint64_t c;
	assert_true(ct_profile_get_count(p, "all", "warp_insts", &c));
	assert_true(c == UINT64_MAX);
	struct ct_buf again = written(p);
	assert_string_equal(again.data, b.data);
	ct_buf_free(&again);
	ct_buf_free(&b);
	ct_profile_free(p);
}

static void looks_up(void **state)
{
	struct ct_profile *p = read_body(
		"SN\tall\tipc\t2.5\tx\treplay\n"
		"SN\tname:k\tipc\tNA\tx\treplay\n"
		"IM\tall\tloads\tinf\tx\n"
		"GP\tsm.count\t68\t\n"
		"SN\tkernel:3\tcycles\t7\tx\treplay\n");
	double v;
	uint64_t c;
	(void)state;
	assert_true(ct_profile_get(p, "all", "ipc", &v) && v == 2.5);
	assert_false(ct_profile_get(p, "name:k", "ipc", &v));
	assert_false(ct_profile_get(p, "name:k", "cycles", &v));
	assert_false(ct_profile_get_count(p, "all", "ipc", &c));
	assert_true(ct_profile_get_im(p, "all", "loads", &v) && isinf(v));
	assert_string_equal(ct_profile_gp(p, "sm.count"), "68");
	assert_null(ct_profile_gp(p, "sm"));
	assert_string_equal(ct_profile_method(p, "name:k", "ipc"), "replay");
	assert_string_equal(ct_profile_scope(p, 0), "all");
	assert_string_equal(ct_profile_scope(p, 1), "name:k");
	assert_string_equal(ct_profile_scope(p, 2), "kernel:3");
	assert_null(ct_profile_scope(p, 3));
	assert_true(ct_profile_has_scope(p, "kernel:3"));
	assert_false(ct_profile_has_scope(p, "68"));
	ct_profile_free(p);
	p = ct_profile_new(NULL);
	assert_false(ct_profile_get(p, "all", "ipc", &v));
	assert_false(ct_profile_has_scope(p, "all"));
	assert_null(ct_profile_at(p, 0));
	ct_profile_free(p);
}

static int is_even(void *ctx, const struct ct_record *r)
{
	(*(unsigned *)ctx)++;
	return (r->field[1][0] - '0') % 2 == 0;
}

static void removes_and_replaces(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	char metric[2] = "0";
	unsigned asked = 0;
	size_t i = 0, n = 0;
	double v;
	(void)state;
	for (int k = 0; k < 10; k++, metric[0]++)
		assert_int_equal(ct_profile_add_real(p, "all", metric, k, "u", "m", NULL), 0);
	ct_profile_remove(p, "SN", is_even, &asked);
	ct_profile_remove(p, "ES", NULL, NULL);
	assert_int_equal(asked, 10);
	assert_int_equal(ct_profile_count(p), 5);
	while (ct_profile_next(p, "SN", &i))
		n++;
	assert_int_equal(n, 5);
	assert_false(ct_profile_get(p, "all", "4", &v));
	assert_true(ct_profile_get(p, "all", "5", &v) && v == 5);
	assert_int_equal(ct_profile_add_real(p, "all", "5", 50, "u", "m", NULL), 0);
	assert_int_equal(ct_profile_count(p), 5);
	assert_true(ct_profile_get(p, "all", "5", &v) && v == 50);
	ct_profile_remove(p, "SN", NULL, NULL);
	assert_int_equal(ct_profile_count(p), 0);
	assert_false(ct_profile_has_scope(p, "all"));
	struct ct_buf b = written(p);
	assert_true(strncmp(b.data, "#cachetriage-profile\t1\n#EN\trecords\tcrc32\nEN\t0\t", 46) == 0);
	ct_buf_free(&b);
	ct_profile_free(p);
}

static void passes_on_what_it_does_not_know(void **state)
{
	static const char text[] = "#cachetriage-profile\t1\n"
				   "#SN\tscope\tmetric\tvalue\tunit\tmethod\tnote\n"
				   "SN\tall\tipc\t1\tx\treplay\tgood\\tone\n"
				   "SN\tall\tcycles\t1\tx\treplay\n"
				   "#ZZ9\ta\tb\n"
				   "ZZ9\t1\t2\t3\n"
				   "ZZ9\n"
				   "YY\tx\n";
	char want[600];
	(void)state;
	struct ct_profile *p = read_ok(text, sizeof text - 1, 0);
	struct ct_buf b = written(p);
	snprintf(want, sizeof want, "%s#EN\trecords\tcrc32\nEN\t5\t", text);
	assert_true(strncmp(b.data, want, strlen(want)) == 0);
	ct_buf_free(&b);
	assert_int_equal(ct_profile_write_json(p, &b, NULL), 0);
	assert_string_equal(
		b.data,
		"{\"type\":\"SN\",\"scope\":\"all\",\"metric\":\"ipc\",\"value\":1,\"unit\":\"x\","
		"\"method\":\"replay\",\"note\":\"good\\tone\"}\n"
		"{\"type\":\"SN\",\"scope\":\"all\",\"metric\":\"cycles\",\"value\":1,\"unit\":\"x\","
		"\"method\":\"replay\"}\n"
		"{\"type\":\"ZZ9\",\"a\":\"1\",\"b\":\"2\",\"field3\":\"3\"}\n"
		"{\"type\":\"ZZ9\"}\n"
		"{\"type\":\"YY\",\"field1\":\"x\"}\n");
	assert_true(json_lines_valid(b.data, b.len));
	ct_buf_free(&b);
	ct_profile_free(p);
}

static void json_has_numbers_nulls_and_valid_text(void **state)
{
	struct ct_profile *p = read_body(
		"RD\tall\tl1\tinf\tinf\t3\t0\n"
		"GP\ta\t1e3\t\nGP\tb\t007\t\nGP\tc\tgto\t\n"
		"ES\tall\tm\ts\tspeedup\tNA\tr\treplay\t-1.5e-3\tinf\n"
		"KN\t1\tk\\xFF\\x80\\x7F\\x01\"\xc3\xa9\t(1,1,1)\t(1,1,1)\t1\t1\t1\t1\t"
		"1\t0\n");
	struct ct_buf b = {0};
	(void)state;
	assert_int_equal(ct_profile_write_json(p, &b, NULL), 0);
	assert_true(json_lines_valid(b.data, b.len));
	assert_non_null(strstr(b.data, "\"lo\":\"inf\",\"hi\":\"inf\",\"reads\":3,\"writes\":0}"));
	assert_non_null(strstr(b.data, "\"key\":\"a\",\"value\":1e3"));
	assert_non_null(strstr(b.data, "\"key\":\"b\",\"value\":\"007\""));
	assert_non_null(strstr(b.data, "\"value\":null,\"unit\":\"r\",\"method\":\"replay\","
	                               "\"low\":-1.5e-3,\"high\":\"inf\"}"));
	assert_non_null(strstr(b.data, "\"name\":\"k\\\\xFF\\\\x80\\u007f\\u0001\\\"\xc3\xa9\""));
	ct_buf_free(&b);
	ct_profile_free(p);
}

static void refuses_what_is_malformed(void **state)
{
	static const char two[] = "#cachetriage-profile\t2\n";
	(void)state;
	refuses("", 0, 0, CT_ERR_INPUT, "f.prof: empty");
	refuses("-kernel name = x\n", 17, 0, CT_ERR_INPUT, "f.prof:1: not a profile");
	refuses(two, sizeof two - 1, 1, CT_ERR_UNSUPPORTED, "f.prof:1: profile version '2'");
	refuses_body("SN\tall\n", "f.prof:2: SN record has 1 fields: it needs 5");
	refuses_body("\n", "empty line");
	refuses_body("sn\tall\n", "no record type");
	refuses_body("garbage", "no record type");
	refuses_body("SN\tall\tipc\t1\tx\treplay\r\n", "CR LF");
	refuses_body("SN\tall\tipc\t1\tx\t\x01\n", "control character");
	refuses_body("SN\tall\tipc\t1\tx\t\x7f\n", "control character");
	refuses_body("SN\tall\tipc\t1\tx\t\xc0\x80\n", "invalid UTF-8");
	refuses_body("SN\tall\tipc\t1\tx\t\\q\n", "unknown escape");
	refuses_body("SN\tall\tipc\t1\tx\t\\xF\n", "unknown escape");
	refuses_body("SN\tall\tipc\t1\tx\t\\", "unknown escape");
	refuses_body("SN\tall\tipc\t1\tx\t\\x00\n", "NUL");
	refuses_body("SN\tall\tipc\t1.\tx\treplay\n", "value of a SN record is '1.'");
	refuses_body("SN\tall\tipc\t0x10\tx\treplay\n", "must be a number");
	refuses_body("RD\tall\tl1\t5\t6\t1\t-1\n", "must be a count");
	refuses_body("RD\tall\tl1\t6\t6\t1\t1\n", "[6,6) is no bin");
	refuses_body("RD\tall\tl1\tinf\t6\t1\t1\n", "is no bin");
	refuses_body("RD\tall\tl1\tNA\t6\t1\t1\n", "is no bin");
	refuses_body("RD\tall\tl1\t5\t6\t1\tNA\n", "writes of a RD record is NA");
	refuses_body("RJ\tall\tnearest\t0\t1\t0\t1\tNA\n", "count of a RJ record is NA");
	refuses_body("SN\tall\tx\t1\t\tr\n#cachetriage-profile\t1\nSN\tall\tx\t1\t\tr\n",
	             "another profile begins here");
	refuses_body("RJ\tall\tnearest\t1\t2\t3\t3\t1\n", "is no bin");
	refuses_body("#SN\tscope\tvalue\tmetric\tunit\tmethod\n", "column 2 of SN is not 'metric'");
	refuses_body("EN\t0\t0\nSN\tall\tipc\t1\tx\treplay\n", "behind the EN record");
}

static void refuses_lines_and_records_beyond_the_limits(void **state)
{
	char *line = malloc(CT_PROFILE_LINE_MAX + 200);
	size_t n = (size_t)sprintf(line, "#cachetriage-profile\t1\n");
	(void)state;
	assert_non_null(line);
	memset(line + n, 'A', CT_PROFILE_LINE_MAX + 1);
	refuses(line, n + CT_PROFILE_LINE_MAX + 1, 0, CT_ERR_INPUT, "f.prof:2: line of over 1 MiB");
	memset(line + n, '\t', 100);
	line[n] = line[n + 1] = 'Z';
	line[n + 100] = '\n';
	refuses(line, n + 101, 0, CT_ERR_INPUT, "f.prof:2: too many fields");
	line[n + 2 + CT_RECORD_FIELDS_MAX] = '\n';
	ct_profile_free(read_ok(line, n + 3 + CT_RECORD_FIELDS_MAX, 0));
	/* Many types. */
	struct ct_buf b = {0};
	ct_buf_puts(&b, "#cachetriage-profile\t1\n");
	for (int i = 0; i <= CT_PROFILE_TYPES_MAX; i++)
		ct_buf_printf(&b, "T%d\n", i);
	refuses(b.data, b.len, 0, CT_ERR_LIMIT, "f.prof:258: more than 256 record types");
	ct_buf_free(&b);
	free(line);
}

static struct ct_buf sample(void)
{
	struct ct_profile *p = read_body("PG\treuse\t1\tcmd\nTR\ta\\tb\ttraceg\t10\tcrc64:0\n"
	                                 "SN\tall\tipc\t2.5\tx\treplay\nRD\tall\tl1\t0\t1\t1\t2\n");
	struct ct_buf b = written(p);
	ct_profile_free(p);
	return b;
}

static void notices_every_cut_and_every_changed_byte(void **state)
{
	struct ct_buf b = sample();
	struct ct_profile *p;
	(void)state;
	ct_profile_free(read_ok(b.data, b.len, 1));
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(ct_profile_read_memory(&p, "t", b.data, n, 1, NULL), CT_ERR_INPUT);
	for (size_t i = 0; i < b.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
			/* A hexadecimal digit of the sum in the other case is another text. */
			int st = ct_profile_read_memory(&p, "t", b.data, b.len, 1, NULL);
			assert_true(st < 0);
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
		}
	/* Twice the same document is not one. */
	struct ct_buf twice = {0};
	ct_buf_add(&twice, b.data, b.len);
	ct_buf_add(&twice, b.data, b.len);
	refuses(twice.data, twice.len, 1, CT_ERR_INPUT, "behind the EN record");
	ct_buf_free(&twice);
	ct_buf_free(&b);
}

static void reads_edited_documents_when_asked(void **state)
{
	struct ct_buf b = sample();
	char *ipc = strstr(b.data, "2.5");
	double v;
	(void)state;
	*ipc = '3';
	refuses(b.data, b.len, 1, CT_ERR_INPUT, "check sum differs");
	struct ct_profile *p = read_ok(b.data, b.len, 0);
	assert_true(ct_profile_get(p, "all", "ipc", &v) && v == 3.5);
	ct_profile_free(p);
	ct_buf_free(&b);
	refuses("#cachetriage-profile\t1\nEN\t1\t00000000\n", 38, 1, CT_ERR_INPUT, "EN counts other");
	refuses("#cachetriage-profile\t1\nEN\t0\n", 28, 1, CT_ERR_INPUT, "malformed EN");
	refuses("#cachetriage-profile\t1\n", 23, 1, CT_ERR_INPUT, "no EN record");
}

static void add_checks_its_arguments(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	const char *f[CT_RECORD_FIELDS_MAX + 1];
	struct ct_error e;
	(void)state;
	for (int i = 0; i <= CT_RECORD_FIELDS_MAX; i++)
		f[i] = "x";
	assert_int_equal(ct_profile_add(p, "SN", 4, f, &e), CT_ERR_USAGE);
	assert_int_equal(ct_profile_add(p, "sn", 4, f, &e), CT_ERR_USAGE);
	assert_int_equal(ct_profile_add(p, "EN", 2, f, &e), CT_ERR_USAGE);
	assert_int_equal(ct_profile_add(p, "A\tB", 2, f, &e), CT_ERR_USAGE);
	assert_int_equal(ct_profile_add(p, "ZZ", CT_RECORD_FIELDS_MAX + 1, f, &e), CT_ERR_USAGE);
	assert_int_equal(ct_profile_add(p, "ZZ", CT_RECORD_FIELDS_MAX, f, &e), CT_OK);
	assert_int_equal(ct_profile_put(p, "ZZ", 1, f, &e), CT_OK);
	assert_int_equal(ct_profile_put(p, "SN", 3, f, &e), CT_ERR_USAGE);
	assert_int_equal(ct_profile_count(p), 2);
	ct_profile_free(p);
}

static void estimates_keep_their_methods_apart(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	struct ct_estimate es = {"all", "morpheus", "BL", "speedup", NULL, "analytic", 1.5, NAN, 2}, got;
	(void)state;
	assert_int_equal(ct_profile_add_estimate(p, &es, NULL), 0);
	es.method = "replay";
	es.value = 1.25;
	assert_int_equal(ct_profile_add_estimate(p, &es, NULL), 0);
	es.value = 1.75;
	assert_int_equal(ct_profile_add_estimate(p, &es, NULL), 0);
	assert_int_equal(ct_profile_count(p), 2);
	assert_true(ct_profile_get_estimate(p, "all", "morpheus", "BL", "speedup", NULL, &got));
	assert_true(got.value == 1.75 && isnan(got.low) && got.high == 2);
	assert_string_equal(got.unit, "ratio");
	assert_true(ct_profile_get_estimate(p, "all", "morpheus", "BL", "speedup", "analytic", &got));
	assert_true(got.value == 1.5);
	assert_false(ct_profile_get_estimate(p, "all", "morpheus", "BL", "ipc", NULL, &got));
	struct ct_sweep_point sw = {"all", "morpheus", "BL", "sms", "10", "ipc", NULL, "analytic", 3};
	assert_int_equal(ct_profile_add_sweep(p, &sw, NULL), 0);
	sw.x = "12";
	assert_int_equal(ct_profile_add_sweep(p, &sw, NULL), 0);
	sw.value = 4;
	assert_int_equal(ct_profile_add_sweep(p, &sw, NULL), 0);
	assert_int_equal(ct_profile_count(p), 4);
	assert_int_equal(ct_profile_add_mr(p, "all", "l1", 1024, 0.5, NULL), 0);
	assert_int_equal(ct_profile_add_mr(p, "all", "l1", 1024, 0.25, NULL), 0);
	assert_int_equal(ct_profile_count(p), 5);
	assert_string_equal(ct_profile_at(p, 4)->field[3], "0.25");
	ct_profile_free(p);
}

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return ct_rand64(seed) % n;
}

static void random_text(uint64_t *seed, char *s, size_t max)
{
	size_t n = below(seed, max);
	for (size_t i = 0; i < n; i++) {
		static const char odd[] = "\t\n\\\r\"\x7f\x01\xff\xc3\xa9\xe2\x82\xac NAinf019.-e+x";
		s[i] = below(seed, 2) ? odd[below(seed, sizeof odd - 1)] : (char)(1 + below(seed, 255));
	}
	s[n] = '\0';
}

/* Any text in any field survives: write, read, write gives the same bytes. */
static void writes_and_reads_any_text(void **state)
{
	uint64_t seed = 1;
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct ct_profile *p = ct_profile_new(NULL), *q;
		for (uint64_t k = below(&seed, 20); k > 0; k--) {
			static const char *const types[] = {"PG", "XX", "Y2", "TR"};
			char text[8][40];
			const char *f[8];
			const char *type = types[below(&seed, 4)];
			for (int i = 0; i < 8; i++) {
				random_text(&seed, text[i], sizeof text[i]);
				f[i] = text[i];
			}
			f[2] = "7"; /* TR's bytes */
			assert_int_equal(ct_profile_add(p, type, 4 + (unsigned)below(&seed, 5), f, NULL),
			                 0);
		}
		struct ct_buf a = written(p), b, j = {0};
		q = read_ok(a.data, a.len, 1);
		b = written(q);
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.data, b.data, a.len);
		for (size_t i = 0; i < ct_profile_count(p); i++) {
			const struct ct_record *r = ct_profile_at(p, i), *s = ct_profile_at(q, i);
			assert_int_equal(r->nfields, s->nfields);
			for (unsigned k = 0; k < r->nfields; k++)
				assert_string_equal(r->field[k], s->field[k]);
		}
		assert_int_equal(ct_profile_write_json(q, &j, NULL), 0);
		assert_true(json_lines_valid(j.data, j.len));
		ct_buf_free(&a);
		ct_buf_free(&b);
		ct_buf_free(&j);
		ct_profile_free(p);
		ct_profile_free(q);
	}
}

static void survives_garbage(void **state)
{
	uint64_t seed = 2;
	struct ct_buf base = sample();
	size_t accepted = 0;
	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct ct_buf b = {0};
		struct ct_profile *p;
		ct_buf_add(&b, base.data, base.len);
		for (uint64_t k = 1 + below(&seed, 6); k > 0; k--) {
			static const char with[] = "\t\n#SNRDEJ019\\xNA.";
			b.data[23 + below(&seed, b.len - 23)] = with[below(&seed, sizeof with - 1)];
		}
		struct ct_error e = {0};
		if (ct_profile_read_memory(&p, "t", b.data, b.len, 0, &e) == CT_OK) {
			struct ct_buf w = written(p), j = {0};
			accepted++;
			ct_profile_free(read_ok(w.data, w.len, 1));
			assert_int_equal(ct_profile_write_json(p, &j, NULL), 0);
			assert_true(json_lines_valid(j.data, j.len));
			ct_buf_free(&w);
			ct_buf_free(&j);
			ct_profile_free(p);
		} else {
			assert_true(strncmp(e.text, "t:", 2) == 0);
		}
		ct_buf_free(&b);
	}
	assert_in_range(accepted, 100, 2900);
	ct_buf_free(&base);
}

/* Against a list searched from the front. */
static void index_agrees_with_a_scan(void **state)
{
	uint64_t seed = 3;
	struct ct_profile *p = ct_profile_new(NULL);
	double want[40][50];
	(void)state;
	for (int i = 0; i < 40; i++)
		for (int k = 0; k < 50; k++)
			want[i][k] = NAN;
	for (int step = 0; step < 20000; step++) {
		char scope[16], metric[16];
		unsigned i = (unsigned)below(&seed, 40), k = (unsigned)below(&seed, 50);
		double v = (double)below(&seed, 1000), got;
		snprintf(scope, sizeof scope, "kernel:%u", i);
		snprintf(metric, sizeof metric, "m%u", k);
		if (step % 3 == 0) {
			want[i][k] = v;
			assert_int_equal(ct_profile_add_real(p, scope, metric, v, "", "", NULL), 0);
		} else {
			int found = ct_profile_get(p, scope, metric, &got);
			assert_int_equal(found, !isnan(want[i][k]));
			assert_true(!found || got == want[i][k]);
		}
	}
	ct_profile_free(p);
}

static int is_third(void *ctx, const struct ct_record *r)
{
	(void)ctx;
	return strcmp(r->field[2], "3") == 0;
}

/* Removing a record cannot fail, so it must need no memory: also where one key more would. */
static void counts_are_written_as_printf_does(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (unsigned bits = 0; bits <= 64; bits++)
		for (int k = 0; k < 50; k++) {
			char text[PROFILE_COUNT_TEXT], expected[32];
			uint64_t v = bits ? ct_rand64(&seed) >> (64 - bits) : 0;
			v = k == 0 && bits == 64 ? UINT64_MAX : v;
			snprintf(expected, sizeof expected, "%" PRIu64, v);
			assert_string_equal(profile_count_text(text, v), expected);
		}
}

static void removing_needs_no_memory(void **state)
{
	enum { FULL = 256 / 4 * 3 };
	static const char *const items[] = {"a", "b", "a", "b", "a"};
	struct ct_profile *p = ct_profile_new(NULL);
	char metric[16];
	(void)state;
	assert_int_equal(ct_profile_add_count(p, "all", "m", 0, "", "r", NULL), CT_OK);
	for (int i = 0; i < 5; i++) {
		const char *const f[] = {"all", items[i], i == 2 ? "3" : "1", ""};
		assert_int_equal(ct_profile_add(p, "IM", 4, f, NULL), CT_OK);
	}
	/* keys: the scope, two items, the metrics */
	for (int i = 4; i < FULL; i++) {
		snprintf(metric, sizeof metric, "m%d", i);
		assert_int_equal(ct_profile_add_count(p, "all", metric, 1, "", "r", NULL), CT_OK);
	}
	const struct slot *slots = p->slots;
	const char **scopes = p->scopes;
	assert_int_equal(p->used_slots, FULL);
	assert_int_equal(p->n_slots, 256);
	ct_profile_remove(p, "IM", is_third, NULL);
	assert_ptr_equal(p->slots, slots);
	assert_ptr_equal(p->scopes, scopes);
	const char *const key[] = {"all", "a"};
	const struct ct_record *r = ct_profile_find(p, "IM", 2, key);
	assert_non_null(r);
	assert_non_null(ct_profile_same(r));
	assert_null(ct_profile_same(ct_profile_same(r)));
	ct_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_the_document),
		cmocka_unit_test(looks_up),
		cmocka_unit_test(removes_and_replaces),
		cmocka_unit_test(passes_on_what_it_does_not_know),
		cmocka_unit_test(json_has_numbers_nulls_and_valid_text),
		cmocka_unit_test(refuses_what_is_malformed),
		cmocka_unit_test(refuses_lines_and_records_beyond_the_limits),
		cmocka_unit_test(notices_every_cut_and_every_changed_byte),
		cmocka_unit_test(reads_edited_documents_when_asked),
		cmocka_unit_test(add_checks_its_arguments),
		cmocka_unit_test(estimates_keep_their_methods_apart),
		cmocka_unit_test(writes_and_reads_any_text),
		cmocka_unit_test(survives_garbage),
		cmocka_unit_test(index_agrees_with_a_scan),
		cmocka_unit_test(counts_are_written_as_printf_does),
		cmocka_unit_test(removing_needs_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
