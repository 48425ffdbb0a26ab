/* Bulk copies (TMA): the bytes that their records touch are those that the lines name, found out here the plain way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/accelsim_write.h"
#include "trace/trace.h"

#define HEAD \
	"-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 90\n" \
	"-accelsim tracer version = 6\n\n#traces format = x\n\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
#define LAST "0020 ffffffff 0 EXIT 0 0 0 0 NoVal\n"

enum { ARENA = 1 << 16 };
#define BASE UINT64_C(0x7f0000000000)

struct moved {
	unsigned char count[ARENA]; /* times that each byte behind BASE is touched */
	struct ct_trace_stats stats;
	unsigned insts, access, width, mods;
	struct ct_buf text;    /* the records as text again */
	struct ct_error error; /* of status 0: it could be read */
};

static void take_cta(struct moved *m, struct ct_cta *cta)
{
	struct ct_cursor *c;
	struct ct_inst i;
	struct ct_error e;
	assert_int_equal(ct_cursor_open(&c, cta, 0, &e), CT_OK);
	while (ct_cursor_next(c, &i, &e) > 0) {
		const struct ct_sinst *s = ct_code_at(ct_cta_code(cta), i.sid);
		ct_accelsim_put_inst(&m->text, ct_cta_kernel(cta), s, &i);
		if (strcmp(s->opcode, "EXIT") != 0) {
			m->insts++;
			m->access = s->access;
			m->width = s->width;
			m->mods = s->mods;
		}
		for (unsigned k = 0; k < i.naddr; k++)
			for (unsigned b = 0; b < s->width; b++)
				m->count[(i.addr[k] - BASE + b) % ARENA]++;
	}
	ct_cursor_close(c);
}

static void read_line(struct moved *m, const char *lines, unsigned n)
{
	struct ct_buf b = {0};
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_cta *cta;
	memset(m, 0, sizeof *m);
	ct_buf_printf(&b, HEAD "insts = %u\n%s%s#END_TB\n", n + 1, lines, LAST);
	assert_int_equal(ct_source_open_memory(&s, "t", b.data, b.len, &m->error), CT_OK);
	int st = ct_trace_open_source(&t, s, NULL, &m->error);
	while (st >= 0 && (st = ct_trace_next(t, &ev, &m->error)) > 0)
		while ((st = ct_trace_next_cta(t, &cta, &m->error)) > 0) {
			take_cta(m, cta);
			ct_cta_unref(cta);
		}
	if (st >= 0)
		m->error.status = CT_OK;
	if (t)
		m->stats = *ct_trace_stats(t);
	ct_trace_close(t);
	ct_buf_free(&b);
}

static void moves(const char *line, unsigned access, unsigned width, unsigned insts, unsigned bytes)
{
	struct moved m;
	unsigned sum = 0;
	read_line(&m, line, 1);
	if (m.error.status)
		fail_msg("%s: %s", line, m.error.text);
	for (unsigned i = 0; i < ARENA; i++)
		sum += m.count[i];
	if (m.access != access || m.width != width || m.insts != insts || sum != bytes)
		fail_msg("%s: access %u, width %u, %u instructions, %u bytes", line, m.access, m.width,
		         m.insts, sum);
	assert_int_equal(m.stats.bulk_kernels, 1);
	assert_int_equal(m.stats.warp_insts, insts + 1);
	assert_int_equal(m.stats.insts_mismatches, 0);
	assert_int_equal(m.stats.warps_without_exit, 0);
	assert_true(m.mods & CT_MOD_BULK);
	ct_buf_free(&m.text);
}

static void refuses(const char *line, int status, const char *why)
{
	struct moved m;
	read_line(&m, line, 1);
	if (m.error.status != status || !strstr(m.error.text, why))
		fail_msg("%s: %d %s", line, m.error.status, m.error.text);
	ct_buf_free(&m.text);
}

#define AT "0x7f0000000000"
static void what_lines_say(void **state)
{
	(void)state;
	/* One lane issues; 16 rows of 64 bytes. */
	moves("0010 00000001 0 UTMALDG.2D 2 UR8 UR16 64 0x400 0 1024 0 4 " AT
	      " 16 256 256 256 256 256 256 256 256 256 256 256 256 256 256 256 0 0 NoVal\n",
	      CT_ACCESS_LOAD, 32, 1, 1024);
	/* All lanes of the mask are one copy; multicast reads once; out of bounds moves nothing. */
	moves("0010 ffffffff 0 UTMALDG.2D.MULTICAST 2 UR8 UR16 0 0x400 1 0x3 4096 1024 3 3 " AT
	      " 0x7f0000001000 0x7f0000002000 0 0 NoVal\n",
	      CT_ACCESS_LOAD, 32, 3, 3072);
	moves("0010 00000001 0 UTMALDG.2D 2 UR8 UR16 64 0x400 0 4096 4096 4 " AT " 0 0 0 NoVal\n",
	      CT_ACCESS_LOAD, 0, 1, 0);
	moves("0010 00000000 0 UTMALDG.2D 2 UR8 UR16 64 0x400 0 64 0 4 " AT " 1 0 0 NoVal\n",
	      CT_ACCESS_LOAD, 0, 1, 0);
	/* Stores need not tell bytes: nobody waits for them. */
	moves("0010 00000001 0 UTMASTG.2D 2 UR8 UR16 16 0x0 0 0 0 4 " AT " 2 32 0 0 NoVal\n",
	      CT_ACCESS_STORE, 16, 1, 32);
	moves("0010 00000001 0 UTMAREDG.2D.ADD 2 UR8 UR16 16 0x0 0 48 0 4 " AT " 3 32 32 0 0 NoVal\n",
	      CT_ACCESS_REDUCTION, 16, 1, 48);
	/* A carriage return between words is as good as a blank. */
	moves("0010 00000001 0 UTMAREDG.2D.ADD 2 UR8 UR16 16 0x0 0 64 0 4 " AT
	      " 4 32 \r32 32 0 0 NoVal\n",
	      CT_ACCESS_REDUCTION, 16, 1, 64);
	/* Where the width column does not come to the sum, equal parts do. */
	moves("0010 00000001 0 UBLKCP.S.G 2 UR8 UR16 4 0x400 0 2048 0 3 1 " AT " 0 0 NoVal\n",
	      CT_ACCESS_LOAD, 32, 2, 2048);
	moves("0010 00000001 0 UBLKCP.G.S 2 UR8 UR16 4 0x400 0 48 0 3 1 " AT " 0 0 NoVal\n",
	      CT_ACCESS_STORE, 16, 1, 48);
	moves("0010 00000001 0 UBLKCP.S.S 2 UR8 UR16 4 0x400 0 48 0 3 1 0x400 0 0 NoVal\n",
	      CT_ACCESS_NONE, 0, 1, 0);
	moves("0010 00000001 0 UBLKPF 2 UR8 UR16 4 0x0 0 4096 0 3 1 " AT " 0 0 NoVal\n",
	      CT_ACCESS_PREFETCH, 0, 1, 0);
	moves("0010 00000001 0 UTMAPF.2D 2 UR8 UR16 4 0x0 0 0 0 3 0 0 0 NoVal\n", CT_ACCESS_PREFETCH, 0,
	      1, 0);
}

static void what_lines_leave_open(void **state)
{
	(void)state;
	refuses("0010 00000001 0 UTMALDG.2D 2 UR8 UR16 4 0x400 0 100 0 3 3 " AT " " AT " " AT
	        " 0 0 NoVal\n",
	        CT_ERR_UNSUPPORTED, "UTMALDG.2D: 100 bytes at 3 addresses do not tell what each moves");
	refuses("0010 00000001 0 UTMALDG.2D 2 UR8 UR16 4 0x400 0 100 0 3 0 0 0 NoVal\n",
	        CT_ERR_UNSUPPORTED, "a bulk copy of 100 bytes without an address");
	refuses("0010 00000001 0 UTMASTG.2D 2 UR8 UR16 0 0x0 0 0 0 3 1 " AT " 0 0 NoVal\n",
	        CT_ERR_UNSUPPORTED, "0 bytes at 1 addresses");
	refuses("0010 00000001 0 UBLKCP 2 UR8 UR16 4 0x0 0 16 0 3 1 " AT " 0 0 NoVal\n",
	        CT_ERR_UNSUPPORTED, "UBLKCP: which way it copies");
	refuses("0010 00000001 0 UBLKCP.S.G 2 UR8 UR16 4 0x0 0 131073 0 3 1 " AT " 0 0 NoVal\n",
	        CT_ERR_UNSUPPORTED, "more than 65536 pieces");
	/* Before tracer 6 the line is that of any instruction. */
	refuses("0010 00000001 0 UTMALDG.2D 1 UR4 0 0 0 NoVal\n", CT_ERR_UNSUPPORTED,
	        "its line does not tell what this bulk copy (TMA) moves");
	refuses("0010 00000001 0 UTMALDG.2D 1 UR4 4 2 " AT " 0 0 NoVal\n", CT_ERR_UNSUPPORTED,
	        "its line does not tell");
	refuses("0010 00000001 0 UTMALDG.2D 1 UR4 4 0x400 0 64 65 3 0 0 0 NoVal\n", CT_ERR_INPUT,
	        "bad bytes out of bounds: 65");
	refuses("0010 00000001 0 UTMALDG.2D 1 UR4 4 0x400 0 64 0 2 1 0x1 0 0 NoVal\n", CT_ERR_INPUT,
	        "bad form of a bulk copy: 2");
	refuses("0010 00000001 0 UTMALDG.2D 1 UR4 4 0x400 0 48 0 4 " AT " 3 8\n", CT_ERR_INPUT,
	        "the line ends before its");
}

/* Rows at random places, in either form, against their bytes counted one by one; the records' own text says the same. */
static void random_copies(void **state)
{
	(void)state;
	static struct moved m, again;
	static unsigned char want[ARENA];
	uint64_t seed = 7;
	for (int round = 0; round < 200; round++) {
		struct ct_buf b = {0}, lines = {0};
		unsigned n = 1 + (unsigned)(ct_rand64(&seed) % 70),
			 each = 1 + (unsigned)(ct_rand64(&seed) % 200);
		unsigned list = (unsigned)(ct_rand64(&seed) & 1),
			 exact = (unsigned)(ct_rand64(&seed) & 1);
		uint64_t at[70];
		memset(want, 0, sizeof want);
		ct_buf_printf(&b, "0010 00000001 0 UTMALDG.3D 2 UR8 UR16 %u 0x8 0 %u %u %s ",
		              exact ? each : 0, n * each + 48, 48, list ? "3" : "4");
		for (unsigned i = 0; i < n; i++) {
			at[i] = BASE + ct_rand64(&seed) % (ARENA - 256);
			for (unsigned k = 0; k < each; k++)
				want[at[i] - BASE + k]++;
		}
		if (list)
			ct_buf_printf(&b, "%u ", n);
		else
			ct_buf_printf(&b, "0x%llx %u ", (unsigned long long)at[0], n);
		for (unsigned i = !list; i < n; i++)
			if (list)
				ct_buf_printf(&b, "0x%llx ", (unsigned long long)at[i]);
			else
				ct_buf_printf(&b, "%lld ", (long long)(at[i] - at[i - 1]));
		ct_buf_puts(&b, "0 0 NoVal\n");
		read_line(&m, b.data, 1);
		if (m.error.status)
			fail_msg("%s: %s", b.data, m.error.text);
		assert_memory_equal(m.count, want, sizeof want);
		ct_buf_add(&lines, m.text.data,
		           m.text.len - strlen(strstr(m.text.data, "0020 ffffffff")));
		ct_buf_putc(&lines, '\0');
		read_line(&again, lines.data, m.insts);
		if (again.error.status)
			fail_msg("%s: %s", lines.data, again.error.text);
		assert_string_equal(again.text.data, m.text.data);
		assert_memory_equal(again.count, want, sizeof want);
		ct_buf_free(&again.text);
		ct_buf_free(&m.text);
		ct_buf_free(&lines);
		ct_buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lines_say),
		cmocka_unit_test(what_lines_leave_open),
		cmocka_unit_test(random_copies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
