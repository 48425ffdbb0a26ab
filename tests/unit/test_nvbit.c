/* NVBit mem_trace logs (doc/formats.md section 9), written out here and read through
 * the public interface. */
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
#include "trace/trace.h"

#define LAUNCH(name, id) \
	"MEMTRACE: CTX 0x000055693b634ef0 - LAUNCH - Kernel pc 0x00007fe232fa0f00 - Kernel name " name \
	" - grid launch id " id " - grid size 2,3,1 - block size 64,1,1 - nregs 12 - shmem 256" \
	" - cuda stream id -5\n"
#define HEAD(id, cta, warp, op) \
	"MEMTRACE: CTX 0x000055693b634ef0 - grid_launch_id " id " - CTA " cta " - warp " warp " - " op \
	" - "

/* Text of all that is read; counters and warnings go here too. */
static struct ct_trace_stats stats;
static char warnings[4096];
static int status;
static struct ct_error error;

static void on_warning(void *ctx, const char *text)
{
	(void)ctx;
	strncat(warnings, text, sizeof warnings - strlen(warnings) - 2);
	strcat(warnings, "\n");
}

static void put_warp(struct ct_buf *b, struct ct_cta *cta, uint32_t w)
{
	const struct ct_warp_info *info = ct_cta_warp(cta, w);
	struct ct_cursor *c;
	struct ct_inst i;
	ct_buf_printf(b, " w%u/%d@%d", info->warp, info->slot, info->sm);
	assert_int_equal(ct_cursor_open(&c, cta, w, NULL), 0);
	while (ct_cursor_next(c, &i, NULL) > 0) {
		const struct ct_sinst *s = ct_code_at(ct_cta_code(cta), i.sid);
		ct_buf_printf(b, " %s:%d:%x", s->opcode, s->width, (unsigned)i.mask);
		for (int k = 0; k < i.naddr && k < 2; k++)
			ct_buf_printf(b, ",%llx", (unsigned long long)i.addr[k]);
	}
	ct_cursor_close(c);
}

static char *read_log(const char *text, size_t n, int salvage, uint64_t memory)
{
	struct ct_trace_options o = {
		.salvage = salvage, .max_memory = memory, .diag = {on_warning, NULL}};
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_buf b = {0};
	warnings[0] = '\0';
	memset(&stats, 0, sizeof stats);
	assert_int_equal(ct_source_open_memory(&s, "log", text, n, NULL), 0);
	status = ct_trace_open_source(&t, s, &o, &error);
	ct_buf_puts(&b, "");
	if (status < 0)
		return b.data;
	while ((status = ct_trace_next(t, &ev, &error)) > 0) {
		const struct ct_kernel *k = ev.kernel;
		ct_buf_printf(&b, "[%u %d %s %u,%u,%u %u", k->id, (int)k->header_id, k->name, k->grid[0],
		              k->grid[1], k->grid[2], k->block[0]);
		while ((status = ct_trace_next_cta(t, &cta, &error)) > 0) {
			ct_buf_printf(&b, " (%d", (int)ct_cta_index(cta));
			for (uint32_t w = 0; w < ct_cta_warps(cta); w++)
				put_warp(&b, cta, w);
			ct_buf_puts(&b, ")");
			ct_cta_unref(cta);
		}
		ct_buf_puts(&b, "]");
		if (status < 0)
			break;
	}
	stats = *ct_trace_stats(t);
	ct_trace_close(t);
	return b.data;
}

/* Appends a record with `lanes` addresses base + stride * lane, zeros behind them. */
static void put_record(struct ct_buf *b, const char *head, unsigned lanes, uint64_t base,
                       uint64_t stride)
{
	ct_buf_puts(b, head);
	for (unsigned i = 0; i < 32; i++)
		ct_buf_printf(b, "0x%016llx ", i < lanes ? (unsigned long long)(base + stride * i) : 0);
	ct_buf_puts(b, "\n");
}

static void reads(struct ct_buf *b, const char *want)
{
	char *got = read_log(b->data, b->len, 0, 0);
	assert_string_equal(got, want);
	assert_int_equal(status, 0);
	free(got);
	ct_buf_free(b);
}

static void refuses(struct ct_buf *b, const char *why)
{
	char *got = read_log(b->data, b->len, 0, 0);
	assert_int_equal(status, CT_ERR_INPUT);
	if (!strstr(error.text, why))
		fail_msg("wanted %s, got %s", why, error.text);
	free(got);
	ct_buf_free(b);
}

/* Launch ids as printed up to NVBit 1.5: one above those of the records; order of the
 * records of different warps does not matter; slots number the warps. */
static void test_ids(void **state)
{
	(void)state;
	struct ct_buf b = {0};
	ct_buf_puts(&b, LAUNCH("f(int, a<b, - c>) - d", "1") LAUNCH("g", "2"));
	put_record(&b, HEAD("1", "1,2,0", "9", "STG.E.64"), 32, 0x7f0000001000, 8);
	put_record(&b, HEAD("0", "1,0,0", "63", "LDG.E.SYS"), 4, 0x7f0000000000, 4);
	put_record(&b, HEAD("0", "1,0,0", "7", "LDG.E.U8"), 1, 0x7f0000000000, 4);
	put_record(&b, HEAD("0", "1,0,0", "63", "LD.128"), 32, 0x7f0000000000, 0);
	reads(&b, "[1 0 f(int, a<b, - c>) - d 2,3,1 64 (1 w0/7@-1 LDG.E.U8:1:1,7f0000000000"
	          " w1/63@-1 LDG.E.SYS:4:f,7f0000000000,7f0000000004"
	          " LD.128:16:ffffffff,7f0000000000,7f0000000000)]"
	          "[2 1 g 2,3,1 64 (5 w0/9@-1 STG.E.64:8:ffffffff,7f0000001000,7f0000001008)]");
	assert_int_equal(stats.dropped_lanes, 28 + 31);
	assert_int_equal(stats.doubtful_records, 0);
	assert_non_null(strstr(warnings, "memory instructions only"));
	/* From NVBit 1.7 on both are equal. */
	ct_buf_puts(&b, LAUNCH("f", "0") LAUNCH("g", "1"));
	put_record(&b, HEAD("0", "0,0,0", "0", "LDG.E"), 1, 64, 4);
	put_record(&b, HEAD("1", "0,0,0", "0", "LDG.E"), 1, 128, 4);
	reads(&b, "[1 0 f 2,3,1 64 (0 w0/0@-1 LDG.E:4:1,40)][2 1 g 2,3,1 64 (0 w0/0@-1 LDG.E:4:1,80)]");
}

/* Records without a launch line, a launch without records, a run that begins anew. */
static void test_unpaired(void **state)
{
	(void)state;
	struct ct_buf b = {0};
	put_record(&b, HEAD("4", "3,1,0", "5", "LDG.E"), 2, 64, 4);
	put_record(&b, HEAD("4", "3,1,0", "6", "LDG.E"), 2, 64, 4);
	ct_buf_puts(&b, LAUNCH("late", "7"));
	reads(&b, "[1 4 unknown 4,2,1 64 (7 w0/5@-1 LDG.E:4:3,40,44 w1/6@-1 LDG.E:4:3,40,44)]"
	          "[2 7 late 2,3,1 64]");
	assert_int_equal(stats.unlaunched_kernels, 1);
	assert_non_null(strstr(warnings, "log:1: the records of 1 launches have no launch line"));
	ct_buf_puts(&b, LAUNCH("f", "0"));
	put_record(&b, HEAD("0", "0,0,0", "5", "LDG.E"), 1, 64, 4);
	ct_buf_puts(&b, LAUNCH("f", "0"));
	put_record(&b, HEAD("0", "0,0,0", "5", "LDG.E"), 1, 128, 4);
	reads(&b, "[1 0 f 2,3,1 64 (0 w0/5@-1 LDG.E:4:1,40)][2 0 f 2,3,1 64 (0 w0/5@-1 LDG.E:4:1,80)]");
}

/* Shared and local offsets may be 0, LDGSTS leaves its global half. */
static void test_lanes(void **state)
{
	(void)state;
	struct ct_buf b = {0};
	ct_buf_puts(&b, LAUNCH("f", "0"));
	put_record(&b, HEAD("0", "0,0,0", "1", "LDS.64"), 3, 0x10, 0x10);
	put_record(&b, HEAD("0", "0,0,0", "1", "LDSM.16.M88.4"), 32, 0, 0x10);
	put_record(&b, HEAD("0", "0,0,0", "1", "LDGSTS.E.BYPASS.128"), 32, 0, 16);
	put_record(&b, HEAD("0", "0,0,0", "1", "LDGSTS.E.BYPASS.128"), 32, 0x7f0000000000, 16);
	put_record(&b, HEAD("0", "0,0,0", "1", "LDG.E"), 0, 0, 0);
	reads(&b, "[1 0 f 2,3,1 64 (0 w0/1@-1 LDS.64:8:ffffffff,10,20 LDSM.16.M88.4:16:ffffffff,0,10"
	          " LDGSTS.E.BYPASS.128:16:ffffffff,7f0000000000,7f0000000010 LDG.E:4:0)]");
	assert_int_equal(stats.ambiguous_lanes, 29 + 1);
	assert_int_equal(stats.dropped_lanes, 32);
	/* The last lanes copy the first ones. */
	ct_buf_puts(&b, HEAD("0", "0,0,0", "1", "LDG.E"));
	for (unsigned i = 0; i < 32; i++)
		ct_buf_printf(&b, "0x%016x ", 0x1000 + 4 * (i % 20));
	ct_buf_puts(&b, "\n");
	reads(&b, "[1 0 unknown 1,1,1 32 (0 w0/1@-1 LDG.E:4:ffffffff,1000,1004)]");
	assert_int_equal(stats.doubtful_records, 1);
}

/* Records behind other text, two in a line, terminal codes, carriage returns. */
static void test_surroundings(void **state)
{
	(void)state;
	struct ct_buf b = {0}, r = {0};
	put_record(&r, HEAD("0", "0,0,0", "1", "LDG.E"), 32, 0x1000, 4);
	ct_buf_puts(&b,
	            "[INFO] {started\aMEMTRACES\n-- NVBit (NVidia Binary Instrumentation Tool v1.7.4) "
	            "Loaded --\nMEMTRACE: STARTING CONTEXT 0x1\nMEMTRACE: CTX 0x1 - bulk copy\n");
	ct_buf_puts(&b, "progress 10%\r");
	ct_buf_add(&b, r.data, r.len - 1);
	ct_buf_add(&b, r.data, r.len - 1);
	ct_buf_puts(&b, "and more - CTA 9,9,9\r\n\x1b[31mMEM\x1b[0m");
	ct_buf_add(&b, r.data + 3, r.len - 4);
	ct_buf_puts(&b, "\r\nlast line of the program");
	ct_buf_free(&r);
	reads(&b, "[1 0 unknown 1,1,1 32 (0 w0/1@-1 LDG.E:4:ffffffff,1000,1004"
	          " LDG.E:4:ffffffff,1000,1004 LDG.E:4:ffffffff,1000,1004)]");
	assert_int_equal(stats.unknown_commands, 1); /* the bulk copy */
	assert_int_equal(stats.ignored_lines, 5);
	assert_non_null(strstr(warnings, "log:4: 1 marked lines are no launches"));
}

/* A changed tool: SM, PC, size, and value and address per lane. */
static void test_changed_tool(void **state)
{
	(void)state;
	struct ct_buf b = {0};
	const char *head =
		"MEMTRACE: CTX 0x1 - SM_id 12 - grid_launch_id 0 - CTA 0,0,0 - warp 6 - LDG.E.SYS"
		" - pc 0x90 - Size 4 - MREF per threads(threadidx,data,address) : ";
	ct_buf_printf(
		&b, "%sThread0,0x00000000000000a1,0x00007fe215302280 Thread5,0x0,0x00007fe215302294 \n",
		head);
	ct_buf_printf(&b, "%s0x1,0x100 0x2,0x0 0x3,0x108\n", head);
	reads(&b, "[1 0 unknown 1,1,1 32 (0 w0/6@12 LDG.E.SYS:4:21,7fe215302280,7fe215302294"
	          " LDG.E.SYS:4:5,100,108)]");
	ct_buf_printf(&b, "%sThread0,0x1\n", head);
	refuses(&b, "log:1: lane of a record");
	ct_buf_printf(&b, "%sThread32,0x1,0x2\n", head);
	refuses(&b, "log:1: lane of a record");
	ct_buf_printf(&b, "%sThread3,0x1,0x2 Thread3,0x1,0x2\n", head);
	refuses(&b, "log:1: lane of a record");
	ct_buf_printf(&b, "%s\n", head);
	refuses(&b, "log:1: record without addresses");
}

static void test_damage(void **state)
{
	(void)state;
	static const char *const bad[][2] = {
		{HEAD("0", "0,0", "1", "LDG.E") "\n", "bad number"},
		{HEAD("0", "0,0,65536", "1", "LDG.E") "\n", "bad number"},
		{HEAD("0", "4294967296,0,0", "1", "LDG.E") "\n", "bad number"},
		{HEAD("x", "0,0,0", "1", "LDG.E") "\n", "bad number"},
		{HEAD("0", "0,0,0", "99999", "LDG.E") "\n", "bad number"},
		{HEAD("0", "0,0,0", "1", "LDG.E") "0x1 0x2\n", "fewer than 32"},
		{HEAD("0", "0,0,0", "1", "LDG.E") "\n", "without addresses"},
		{"MEMTRACE: grid_launch_id 0 - CTA 0,0,0 - warp 1 - 3 -\n", "without its opcode"},
		{"MEMTRACE: grid_launch_id 0 - warp 1\n", "without its CTA"},
		{"MEMTRACE: grid_launch_id 0 - CTA 0,0,0\n", "without its warp"},
		{"MEMTRACE: CTX 0x1 - LAUNCH - Kernel name f\n", "without a grid launch id"},
		{"MEMTRACE: CTX 0x1 - LAUNCH - Kernel name f - grid launch id 1 - grid size 0,1,1\n",
	         "bad"},
		{"MEMTRACE: CTX 0x1 - LAUNCH - Kernel name f - grid launch id 1", "ends inside"},
		{"MEMTRACE: CTX 0x1", "ends inside"},
		{"MEMTRACE: STARTING CONTEXT 0x1\n", "without any launch or record"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ct_buf b = {0};
		ct_buf_puts(&b, bad[i][0]);
		refuses(&b, bad[i][1]);
	}
	struct ct_buf b = {0};
	ct_buf_puts(&b, LAUNCH("f", "0") "text\n");
	put_record(&b, HEAD("0", "2,0,0", "1", "LDG.E"), 32, 64, 4);
	refuses(&b, "log:3: thread block 2,0,0 is outside the grid (2,3,1)");
	ct_buf_puts(&b, LAUNCH("f", "0"));
	for (int i = 0; i < 3; i++) {
		static const char *const head[] = {
			HEAD("0", "0,0,0", "1", "LDG.E"), HEAD("0", "0,0,0", "2", "LDG.E"),
			HEAD("0", "0,0,0", "3", "LDG.E")};
		put_record(&b, head[i], 32, 64, 4);
	}
	refuses(&b, "log:2: thread block 0,0,0 has records of 3 warps, but its launch has 2");
}

/* Cut anywhere behind the first record, salvage keeps that record; without it every cut
 * inside a record is noticed. */
static void test_cuts(void **state)
{
	(void)state;
	struct ct_buf b = {0};
	ct_buf_puts(&b, LAUNCH("f", "0"));
	put_record(&b, HEAD("0", "0,0,0", "1", "LDG.E"), 32, 64, 4);
	size_t first = b.len;
	put_record(&b, HEAD("0", "0,0,0", "1", "LDG.E"), 32, 64, 4);
	for (size_t n = first; n <= b.len; n++) {
		/* Shorter than a mark it can be anything; at the end only blanks are missing. */
		int whole = n < first + 3 || n + 2 >= b.len;
		char *got = read_log(b.data, n, 0, 0);
		assert_int_equal(status, whole ? 0 : CT_ERR_INPUT);
		if (!whole)
			assert_non_null(strstr(error.text, "log:3: the file ends inside this record"));
		free(got);
		got = read_log(b.data, n, 1, 0);
		assert_int_equal(status, 0);
		assert_int_equal(stats.truncated, !whole);
		assert_int_equal(stats.warp_insts, n + 2 >= b.len ? 2 : 1);
		free(got);
	}
	ct_buf_free(&b);
}

/* Many warps in random order against a table kept here, in little memory and in much. */
static void test_order(void **state)
{
	enum { CTAS = 6, SLOTS = 2, LAUNCHES = 3, RECORDS = 3000 };
	static uint64_t next[LAUNCHES][CTAS][SLOTS];
	struct ct_buf b = {0}, want = {0};
	uint64_t seed = 7;
	(void)state;
	memset(next, 0, sizeof next);
	ct_buf_puts(&b, LAUNCH("f", "0") LAUNCH("f", "1") LAUNCH("f", "2"));
	for (int i = 0; i < RECORDS; i++) {
		uint64_t v = ct_rand64(&seed);
		unsigned l = v % LAUNCHES, c = v / 8 % CTAS, s = v / 64 % SLOTS;
		char head[200];
		snprintf(head, sizeof head, HEAD("%u", "%u,%u,0", "%u", "LDG.E"), l, c % 2, c / 2,
		         5 + s);
		put_record(&b, head, 1, 1000 * ++next[l][c][s], 0);
	}
	for (unsigned l = 0; l < LAUNCHES; l++) {
		ct_buf_printf(&want, "[%u %u f 2,3,1 64", l + 1, l);
		for (unsigned c = 0; c < CTAS; c++) {
			ct_buf_printf(&want, " (%u", c);
			for (unsigned s = 0; s < SLOTS; s++) {
				ct_buf_printf(&want, " w%u/%u@-1", s, 5 + s);
				for (uint64_t i = 1; i <= next[l][c][s]; i++)
					ct_buf_printf(&want, " LDG.E:4:1,%llx",
					              (unsigned long long)(1000 * i));
			}
			ct_buf_puts(&want, ")");
		}
		ct_buf_puts(&want, "]");
	}
	for (int small = 0; small < 2; small++) {
		char *got = read_log(b.data, b.len, 0, small ? 512 : 0);
		assert_string_equal(got, want.data);
		assert_int_equal(status, 0);
		assert_int_equal(stats.spilled_bytes > 0, small);
		free(got);
	}
	ct_buf_free(&b);
	ct_buf_free(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),          cmocka_unit_test(test_unpaired),
		cmocka_unit_test(test_lanes),        cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_changed_tool), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_cuts),         cmocka_unit_test(test_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
